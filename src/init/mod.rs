//! Harnesses: programs that call functions of a source that has no `main`, from threads, with any arguments.
//!
//! A harness is a beginning: it says which values arguments have and what threads share, and people go on from there.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_frontend::c::outline;
use relyant_frontend::c::signatures::{FunctionAt, Parameter};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What is asked for.
pub struct Wanted<'a> {
    /// The source.
    pub file: &'a Path,
    /// What the harness calls it in its `#include`; none where the harness comes after the source in one text.
    pub include: Option<&'a str>,
    /// Functions to call; if none, the only one there is.
    pub functions: &'a [String],
    /// Threads that call each of them.
    pub threads: u32,
}

/// Why there is no harness.
#[derive(Debug, thiserror::Error)]
pub enum NoHarness {
    /// The source cannot be read.
    #[error(transparent)]
    Input(#[from] Box<Diagnostic>),
    /// There is a `main` already.
    #[error("{0} has a `main`: verify it as it is")]
    HasMain(String),
    /// Several functions, none of which was named.
    #[error("which function? name one or more with --function: {0}")]
    Which(String),
    /// There is no such function.
    #[error("there is no function `{0}`; there are: {1}")]
    Absent(String, String),
    /// What it takes has no name to declare it by.
    #[error("parameter {1} of `{0}` has a type without a name; write the harness by hand")]
    Nameless(String, usize),
}

/// Functions that give any value of a type.
const ANY: [(&str, &str); 13] = [
    ("_Bool", "bool"),
    ("char", "char"),
    ("unsigned char", "uchar"),
    ("short", "short"),
    ("unsigned short", "ushort"),
    ("int", "int"),
    ("unsigned", "uint"),
    ("unsigned int", "uint"),
    ("long", "long"),
    ("unsigned long", "ulong"),
    ("long long", "longlong"),
    ("unsigned long long", "ulonglong"),
    ("double", "double"),
];

/// The harness as C.
///
/// # Errors
/// Why there is none.
pub fn harness(wanted: &Wanted, options: &Options) -> Result<String, NoHarness> {
    let found = outline(wanted.file, options).map_err(Box::new)?;
    let own = found.file(&wanted.file.display().to_string());
    let all: Vec<&FunctionAt> = found.functions.iter().filter(|f| Some(f.start.file) == own).collect();
    if all.iter().any(|f| f.name == "main") {
        return Err(NoHarness::HasMain(wanted.file.display().to_string()));
    }
    let names = || all.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", ");
    let chosen: Vec<&FunctionAt> = match (wanted.functions, &all[..]) {
        ([], [only]) => vec![only],
        ([], _) => return Err(NoHarness::Which(names())),
        (asked, _) => {
            let one = |name: &String| {
                let found = all.iter().find(|f| f.name == *name).copied();
                found.ok_or_else(|| NoHarness::Absent(name.clone(), names()))
            };
            asked.iter().map(one).collect::<Result<_, _>>()?
        }
    };
    let calls = chosen.into_iter().map(Call::of).collect::<Result<Vec<_>, _>>()?;
    Ok(text(wanted, &calls))
}

/// A function with its arguments.
struct Call<'f> {
    function: &'f FunctionAt,
    /// Declarations of what threads share.
    shared: Vec<String>,
    /// Declarations of what each thread has.
    own: Vec<String>,
    arguments: Vec<String>,
    /// What the argument of a shared object is, to be read.
    notes: Vec<String>,
    /// Of [`ANY`], what gives values.
    given: Vec<(&'static str, &'static str)>,
}

impl Call<'_> {
    fn of(function: &FunctionAt) -> Result<Call<'_>, NoHarness> {
        let mut call = Call {
            function,
            shared: Vec::new(),
            own: Vec::new(),
            arguments: Vec::new(),
            notes: Vec::new(),
            given: Vec::new(),
        };
        for (i, p) in function.parameters.iter().enumerate() {
            call.argument(i, p)?;
        }
        Ok(call)
    }

    fn argument(&mut self, i: usize, p: &Parameter) -> Result<(), NoHarness> {
        let f = &self.function.name;
        let name = if p.name.is_empty() { format!("argument{}", i + 1) } else { p.name.clone() };
        let nothing = p.base.as_deref() == Some("void") && p.pointers == 1;
        if p.odd || nothing || p.hidden && p.pointers == 0 {
            self.notes.push(format!("{name}: null; give what {f} needs"));
            self.arguments.push("0".into());
            return Ok(());
        }
        let base = p.base.as_deref().ok_or_else(|| NoHarness::Nameless(f.clone(), i + 1))?;
        if p.pointers == 0 {
            let from = ANY.into_iter().find(|a| a.0 == base);
            self.given.extend(from);
            let any = from.map(|a| format!(" = __VERIFIER_nondet_{}()", a.1));
            if any.is_none() {
                self.notes.push(format!("{name}: any value, as nothing initialises it"));
            }
            self.own.push(format!("{base} {name}{};", any.unwrap_or_default()));
            self.arguments.push(name);
            return Ok(());
        }
        let object = format!("{f}_{name}");
        let sized = match p.sizes.as_slice() {
            [] | [None] => None,
            all => all.iter().enumerate().map(|(k, n)| n.as_deref().or((k == 0).then_some("1"))).collect(),
        };
        let sized: Option<Vec<&str>> = sized;
        if let Some(sizes) = sized {
            let (stars, sizes) = ("*".repeat(p.pointers - sizes.len()), sizes.join("]["));
            self.shared.push(format!("static {base} {stars}{object}[{sizes}];"));
            self.notes.push(format!("{name}: an array that all threads share, zero at first"));
            self.arguments.push(object);
            return Ok(());
        }
        let stars = "*".repeat(p.pointers - 1);
        if base == "char" && p.pointers == 1 {
            self.shared.push(format!("static char {object}[4] = \"abc\";"));
            self.notes.push(format!("{name}: a string that all threads share"));
            self.arguments.push(object);
        } else {
            self.shared.push(format!("static {base} {stars}{object};"));
            self.notes.push(format!("{name}: an object that all threads share, zero at first"));
            self.arguments.push(format!("&{object}"));
        }
        Ok(())
    }
}

fn text(wanted: &Wanted, calls: &[Call]) -> String {
    let mut out = String::new();
    let names: Vec<String> = calls.iter().map(|c| format!("{}()", c.function.name)).collect();
    let times = if wanted.threads == 1 { "a thread".into() } else { format!("{} threads", wanted.threads) };
    let _ =
        writeln!(out, "/* A harness: {times} for each of {}. Change it as you need it. */", names.join(", "));
    out.push_str("#include <assert.h>\n#include <pthread.h>\n");
    if let Some(name) = wanted.include {
        let _ = writeln!(out, "#include \"{name}\"");
    }
    out.push('\n');
    let used: BTreeMap<&str, &str> = calls.iter().flat_map(|c| &c.given).map(|a| (a.1, a.0)).collect();
    for (suffix, base) in &used {
        let _ = writeln!(out, "extern {base} __VERIFIER_nondet_{suffix}(void);");
    }
    if !used.is_empty() {
        out.push('\n');
    }
    for call in calls {
        let f = &call.function.name;
        for note in &call.notes {
            let _ = writeln!(out, "/* {f}: {note}. */");
        }
        for d in &call.shared {
            let _ = writeln!(out, "{d}");
        }
        let _ = writeln!(out, "static void *call_{f}(void *unused)\n{{");
        for d in &call.own {
            let _ = writeln!(out, "\t{d}");
        }
        let _ = writeln!(out, "\t{f}({});\n\treturn 0;\n}}\n", call.arguments.join(", "));
    }
    let threads: Vec<(String, &str)> = calls
        .iter()
        .flat_map(|c| (1..=wanted.threads).map(|k| (format!("{}_{k}", c.function.name), &*c.function.name)))
        .collect();
    let list: Vec<&str> = threads.iter().map(|t| t.0.as_str()).collect();
    let _ = writeln!(out, "int main(void)\n{{\n\tpthread_t {};\n", list.join(", "));
    for (thread, f) in &threads {
        let _ = writeln!(out, "\tpthread_create(&{thread}, 0, call_{f}, 0);");
    }
    for (thread, _) in &threads {
        let _ = writeln!(out, "\tpthread_join({thread}, 0);");
    }
    out.push_str("\t/* What must hold now: assert(...); */\n\treturn 0;\n}\n");
    out
}
