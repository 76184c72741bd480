//! Counterexamples that run: the user's own program with a scheduler beside it, compiled by the system's compiler.
//!
//! [`write()`] makes a folder of it, [`attempt()`] compiles and runs what is there. Nothing of the front end takes part beyond the
//! order of accesses, the inputs and the choices that the run names (`runtime.c` says how they are kept).

mod attempt;
mod edits;
mod leaves;
mod orders;
mod schedule;
mod script;
mod statements;

pub use crate::report::run::Attempt;
pub use attempt::{Trouble, attempt};
pub(crate) use attempt::{build, run_within};
pub(crate) use schedule::literal;
pub(crate) use script::CALLS;
pub use script::Judge;
pub use script::quoted;

use crate::report::json::TraceEntry;
use crate::report::rules::{self, Rule};
use edits::Edits;
use relyant_cfa::options::{DataModel, Integers, Options};
use std::fmt;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is put beside the program, by name.
const RUNTIME: [(&str, &str); 3] = [
    ("runtime.c", include_str!("runtime.c")),
    ("calls.h", include_str!("calls.h")),
    ("input.h", include_str!("input.h")),
];
/// What other schedulers have as well.
pub(crate) const SHARED: [(&str, &str); 4] = [
    ("accesses.h", include_str!("accesses.h")),
    ("inputs.h", include_str!("inputs.h")),
    ("executable.h", include_str!("executable.h")),
    ("sites.awk", include_str!("sites.awk")),
];

/// Why there is no folder.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The run cannot be one of a compiled program.
    #[error("{0}")]
    Not(String),
}

/// A program, and a run of it that ends in a violation.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The program's files.
    pub sources: &'a [PathBuf],
    /// What the program means.
    pub options: &'a Options,
    /// The run.
    pub trace: &'a TraceEntry,
}

/// Writes the folder of a run, compiles and runs it so many times. Says who judges, and what came of it.
///
/// # Errors
/// What cannot be read or written, or why the run cannot be one of a compiled program.
pub fn reproduce(dir: &Path, found: &Found<'_>, runs: u32) -> Result<Attempt, Error> {
    if let Some(reason) = impossible(found) {
        return Ok(Attempt { reason, ..Attempt::default() });
    }
    let mut first = None;
    for way in ways(found.trace.rule(), found.options.data_model == DataModel::Ilp32) {
        if !write(dir, found, way)? {
            continue;
        }
        let done = attempt(dir, way.judge, runs);
        if done.succeeded() {
            return Ok(Attempt { way: way.to_string(), ..done });
        }
        first.get_or_insert(done);
    }
    // What is left in the folder is the plain way.
    if let Some(judge) = Judge::of(found.trace.rule()).first() {
        write(dir, found, Way::plain(*judge))?;
    }
    first.ok_or_else(|| Error::Not("nobody judges it".into()))
}

/// A way to make a program of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// Who says that it fails.
    pub judge: Judge,
    /// Operands of a line may be read in another order than the run's.
    pub reorder: bool,
    /// Expressions are written out in the run's order (see `orders::write_out`).
    pub written_out: Option<bool>,
    /// With this compiler; `None`: the usual one.
    pub compiler: Option<&'static str>,
}

impl Way {
    /// The source as it is.
    pub fn plain(judge: Judge) -> Way {
        Way { judge, reorder: false, written_out: None, compiler: None }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.written_out, self.compiler) {
            (Some(_), _) => f.write_str("with expressions written out in the order of the run"),
            (None, Some(compiler)) => write!(f, "compiled by {compiler}"),
            (None, None) => Ok(()),
        }
    }
}

/// All ways to make a program of a run, the plainest first.
fn ways(kind: Option<Rule>, narrow: bool) -> Vec<Way> {
    // Who looks at accesses that the scheduler sees has no 32 bits.
    let judges: Vec<Judge> = Judge::of(kind)
        .iter()
        .copied()
        .filter(|j| !narrow || !matches!(j, Judge::Memory | Judge::Races))
        .collect();
    let clang = (std::env::var_os("CC").is_none() && on_path("clang")).then_some("clang");
    let plain = |j: &Judge| Way::plain(*j);
    let mut out: Vec<Way> = judges.iter().map(plain).collect();
    let written = |last| judges.iter().map(move |j| Way { written_out: Some(last), ..Way::plain(*j) });
    let compilers = [None, clang];
    let reordered = compilers.iter().filter(|c| c.is_none() || clang.is_some());
    out.extend(written(false));
    out.extend(
        clang.iter().flat_map(|c| judges.iter().map(|j| Way { compiler: Some(*c), ..Way::plain(*j) })),
    );
    out.extend(written(true));
    out.extend(
        reordered.flat_map(|c| judges.iter().map(|j| Way { reorder: true, compiler: *c, ..Way::plain(*j) })),
    );
    out
}

/// Is there a program of this name?
fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Why no compiled program can take the run.
fn impossible(found: &Found<'_>) -> Option<String> {
    let read = |s: &PathBuf| std::fs::read_to_string(s).unwrap_or_default();
    let narrow = found.options.data_model == DataModel::Ilp32;
    if narrow && found.trace.rule() == Some(rules::RACE) {
        Some("ThreadSanitizer knows no programs of 32 bits".into())
    } else if narrow && found.sources.iter().any(|s| read(s).contains(edits::ASYNC)) {
        Some(format!("threads of `{}` are made for 64 bits only", edits::ASYNC))
    } else if found.options.integers == Integers::Ideal {
        Some("the integers of the run are not those of the machine".into())
    } else if found.options.is_tso() {
        Some("stores wait in buffers, which no scheduler can ask of the processor".into())
    } else {
        None
    }
}

/// Writes the folder of a run. Answers whether there is a program in that way.
///
/// # Errors
/// What cannot be read or written, or why the run cannot be one of a compiled program.
pub fn write(dir: &Path, found: &Found<'_>, way: Way) -> Result<bool, Error> {
    let (options, trace) = (found.options, found.trace);
    if trace.run.threads.is_empty() {
        return Err(Error::Not("the report does not have the run step by step".into()));
    }
    let put = |name: &str, text: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|error| Error::File { path, error })
    };
    std::fs::create_dir_all(dir).map_err(|error| Error::File { path: dir.into(), error })?;
    let mut names: Vec<String> = Vec::new();
    let mut written_out = false;
    for source in found.sources {
        let text = std::fs::read(source).map_err(|error| Error::File { path: source.clone(), error })?;
        let mut name = source.file_name().map_or("source.c".into(), |n| n.to_string_lossy().into_owned());
        if names.contains(&name) {
            let folder = format!("unit{}", names.len());
            let path = dir.join(&folder);
            std::fs::create_dir_all(&path).map_err(|error| Error::File { path, error })?;
            name = format!("{folder}/{name}");
        }
        let exclusive = options.exclusive.as_deref().filter(|_| trace.rule() != Some(rules::ASSERTION));
        let mut edits = Edits::default();
        let label =
            trace.violation.strip_prefix("label ").filter(|_| trace.rule() == Some(rules::ERROR_LABEL));
        edits.labels(&text, label, exclusive);
        edits.choices(&text, source, trace);
        edits.addresses(&text, trace);
        if is_constant(trace) {
            edits.constants(&text);
        }
        edits.threads(&text);
        if let Some(last) = way.written_out {
            written_out |= orders::write_out(&mut edits, &text, source, trace, last);
        }
        put(&name, &edits.apply(&text))?;
        names.push(name);
    }
    if way.written_out.is_some() && !written_out {
        return Ok(false);
    }
    for (name, text) in RUNTIME.iter().chain(&SHARED) {
        put(name, text.as_bytes())?;
    }
    put("schedule.h", schedule::text(trace, options).as_bytes())?;
    put("run", script::text(found.sources, &names, options, trace, way).as_bytes())?;
    let path = dir.join("run");
    executable(&path).map_err(|error| Error::File { path, error })?;
    Ok(true)
}

/// Is something that is defined const written?
fn is_constant(trace: &TraceEntry) -> bool {
    trace.rule() == Some(rules::CONST)
}

/// Lets a script be called.
pub(crate) fn executable(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
