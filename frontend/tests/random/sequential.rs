//! Random programs of one thread compute what they compute when compiled by gcc.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed. Needs `gcc`; its sanitizer tells where behaviour is
//! undefined, and there the interpreter need not agree. A program on which they differ is printed, shrunk.

use relyant_cfa as cfa;
use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_frontend::c;
use relyant_frontend::instantiate::{for_search, instantiate};
use relyant_interp::machine::Stop;
use relyant_testing::rng::cases;
use relyant_testing::sequential::run::{Ended, run, value};
use relyant_testing::sequential::{Sequential, arithmetic, objects};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::process::Command;

/// Programs that are compiled as one, to start gcc less often.
const BATCH: u64 = 200;
/// Steps of the interpreter for one program.
const STEPS: usize = 1_000_000;

/// By seed, whether the program is defined; by variable, its value.
type Values = (HashMap<u64, bool>, HashMap<String, i128>);

/// What gcc's program prints: by seed, whether it met undefined behaviour; by variable, its value. `None` if gcc
/// refuses.
fn compiled(programs: &[(u64, &Sequential)]) -> Result<Values, String> {
    let mut text = String::from(
        "#include <stdio.h>\n#include <setjmp.h>\n#include <signal.h>\n\
         static sigjmp_buf back;\nstatic void trap(int s) { siglongjmp(back, s); }\n",
    );
    let mut main = String::from("int main(void)\n{\n  signal(SIGILL, trap);\n");
    for (seed, p) in programs {
        text.push_str(&p.to_function());
        let prefix = p.prefix();
        let _ =
            writeln!(main, "  if (!sigsetjmp(back, 1)) {{ run{prefix}(); printf(\"{seed} defined\\n\"); }}");
        let _ = writeln!(main, "  else printf(\"{seed} undefined\\n\");\n  print{prefix}();");
    }
    text.push_str(&main);
    text.push_str("  return 0;\n}\n");
    let name = format!("relyant-sequential-{}-{}", std::process::id(), programs[0].1.prefix());
    let dir = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&dir).expect("a directory for temporary files");
    let (source, binary) = (dir.join("batch.c"), dir.join("batch"));
    std::fs::write(&source, text).expect("a writable directory");
    let flags = ["-w", "-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-o"];
    let built = Command::new("gcc").args(flags).arg(&binary).arg(&source).output().expect("gcc");
    if !built.status.success() {
        let _ = std::fs::remove_dir_all(&dir);
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let output = Command::new(&binary).output().expect("a program that runs");
    let _ = std::fs::remove_dir_all(&dir);
    if !output.status.success() {
        return Err(format!("{:?}", output.status));
    }
    let (mut defined, mut values) = (HashMap::new(), HashMap::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split_once(' ') {
            Some((seed, "defined")) => drop(defined.insert(seed.parse().expect("a seed"), true)),
            Some((seed, "undefined")) => drop(defined.insert(seed.parse().expect("a seed"), false)),
            Some((name, v)) => drop(values.insert(name.to_string(), v.parse().expect("a number"))),
            None => panic!("{line}"),
        }
    }
    Ok((defined, values))
}

/// What a comparison says.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    /// So many values are the same.
    Same(usize),
    /// gcc's sanitizer found undefined behaviour.
    Undefined,
    /// The interpreter alone did.
    Folded,
    /// Not read, or only with loss: why.
    Refused(String),
    /// gcc's program computes something else: what each says.
    Differ(String),
}

fn compare_one(p: &Sequential, program: &Program, values: &HashMap<String, i128>) -> Outcome {
    let (state, ended) = match run(program, STEPS) {
        Ok(r) => r,
        Err(e) => return Outcome::Differ(format!("does not run: {e}")),
    };
    if matches!(ended, Ended::Stuck(Stop::Undefined(_))) {
        return Outcome::Folded;
    }
    if ended != Ended::Normally {
        return Outcome::Differ(format!("ended by {ended:?}"));
    }
    let mut same = 0;
    for (ty, name) in &p.globals {
        // A variable that is not there is one that nothing reads or writes.
        let Some(ours) = value(program, &state, name) else { continue };
        if Some(&ours) != values.get(name) {
            return Outcome::Differ(format!("{ty} {name} is {ours}, by gcc {:?}", values.get(name)));
        }
        same += 1;
    }
    Outcome::Same(same)
}

/// The program for proofs and the one for the search.
fn compare(p: &Sequential, defined: bool, values: &HashMap<String, i128>) -> Outcome {
    let options = Options::default();
    let module: cfa::Module = match c::load_text("random.c", &p.to_c(), &options) {
        Ok(m) => m,
        Err(e) => return Outcome::Refused(e.message),
    };
    let proof = instantiate(&module, &options);
    let search = for_search(&module, &options);
    if let (Err(e), Err(_)) = (&proof, &search) {
        return Outcome::Refused(e.message.clone());
    }
    if !defined {
        return Outcome::Undefined;
    }
    let mut all = Vec::new();
    for program in [proof, search].into_iter().flatten().filter(|p| !p.approximate) {
        all.push(compare_one(p, &program, values));
    }
    match all.iter().find(|o| matches!(o, Outcome::Differ(_))) {
        Some(o) => o.clone(),
        None => all.pop().unwrap_or_else(|| Outcome::Refused("only read with loss".into())),
    }
}

/// Drops statements and declarations while they still differ.
fn shrink(p: &Sequential) -> Sequential {
    let fails = |p: &Sequential| match compiled(&[(0, p)]) {
        Ok((defined, values)) => matches!(compare(p, defined[&0], &values), Outcome::Differ(_)),
        Err(_) => false,
    };
    let mut best = p.clone();
    let mut step = best.body.len().max(1);
    while step > 0 {
        let mut at = 0;
        while at < best.body.len() {
            let mut smaller = best.clone();
            smaller.body.drain(at..(at + step).min(best.body.len()));
            if fails(&smaller) { best = smaller } else { at += step }
        }
        step /= 2;
    }
    let lines: Vec<String> = best.before.split_inclusive('\n').map(str::to_string).collect();
    let mut kept = lines.clone();
    for line in lines.iter().rev() {
        let mut smaller = best.clone();
        let without: Vec<String> = kept.iter().filter(|l| *l != line).cloned().collect();
        smaller.before = without.concat();
        smaller.globals.retain(|g| {
            without.iter().any(|l| l.contains(&format!(" {};", g.1)) || l.contains(&format!(" {} =", g.1)))
        });
        if !smaller.globals.is_empty() && fails(&smaller) {
            best = smaller;
            kept = without;
        }
    }
    best
}

fn same_values(generate: fn(u64, &str) -> Sequential, default: u64, kind: &str) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let all = cases(default);
    let (mut undefined, mut folded, mut compared) = (0, 0, 0);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for start in (first..first + all).step_by(BATCH as usize) {
        let seeds = start..(start + BATCH).min(first + all);
        let programs: Vec<(u64, Sequential)> =
            seeds.map(|s| (s, generate(s, &format!("{kind}{s}")))).collect();
        let list: Vec<(u64, &Sequential)> = programs.iter().map(|(s, p)| (*s, p)).collect();
        let (defined, values) = compiled(&list).unwrap_or_else(|e| panic!("{e}"));
        for (seed, p) in &programs {
            match compare(p, defined[seed], &values) {
                Outcome::Same(n) => compared += n as u64,
                Outcome::Undefined => undefined += 1,
                // gcc folds `(INT_MIN * x) & 7` to 0 and says nothing of the overflow.
                Outcome::Folded => folded += 1,
                Outcome::Refused(why) => *refused.entry(why).or_default() += 1,
                Outcome::Differ(what) if std::env::var_os("RELYANT_KEEP_GOING").is_some() => {
                    println!("seed {seed}: {what}");
                }
                Outcome::Differ(what) => {
                    let small = shrink(p);
                    let again = compiled(&[(0, &small)]).map(|(d, v)| compare(&small, d[&0], &v));
                    panic!("seed {seed}: {what}\nshrunk: {again:?}\n{}", small.to_c());
                }
            }
        }
    }
    println!("{compared} values, {undefined} undefined, {folded} folded, refused: {refused:#?}");
    assert!(compared > 5 * all, "{compared} of {all}");
    // Programs that prove nothing must be few.
    assert!(undefined * 5 < all, "{undefined} of {all}");
    assert!(folded * 100 <= all, "{folded} of {all}");
    assert!(refused.values().sum::<u64>() * 8 <= all, "{refused:#?}");
}

#[test]
fn integers_have_the_values_of_gcc() {
    same_values(arithmetic::generate, 150, "p");
}

#[test]
fn objects_have_the_values_of_gcc() {
    same_values(objects::generate, 150, "q");
}
