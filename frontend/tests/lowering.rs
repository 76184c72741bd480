//! What programs mean: each file in `lowering/` says on its first line whether exploration of all its interleavings
//! finds a violation, and with which options. After `recursive:`, calls cannot all be inlined.

use relyant_cfa::options::{Atomicity, Integers, Options, Signed};
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_interp as interp;
use std::fs;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder of programs").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}

fn options(words: &[&str]) -> Options {
    let mut o = Options::default();
    for pair in words.chunks(2) {
        match pair {
            ["--atomicity", "statement"] => o.atomicity = Atomicity::Statement,
            ["--integers", "ideal"] => o.integers = Integers::Ideal,
            ["--signed", "check"] => o.signed = Signed::Check,
            ["--check", "memory"] => o.check_memory = true,
            ["--threads", names] => o.threads = names.split(':').map(String::from).collect(),
            other => panic!("unknown option {other:?}"),
        }
    }
    o
}

/// Which program is made of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Proof,
    Search,
}

/// `safe`, `unsafe`, or what went wrong.
fn verdict(path: &Path, options: &Options, kind: Kind) -> String {
    let module = match c::load(path, options) {
        Ok(m) => m,
        Err(d) => return d.to_string(),
    };
    let built = match kind {
        Kind::Proof => instantiate::instantiate(&module, options),
        Kind::Search => instantiate::for_search(&module, options),
    };
    let program = match built {
        Ok(p) => p,
        Err(d) => return d.to_string(),
    };
    let eager_local = kind == Kind::Search;
    let limits = interp::explore::ExploreOptions { max_states: 200_000, eager_local, ..Default::default() };
    match interp::explore(&program, &limits, &|| false) {
        Ok(interp::Exploration::Violation(s)) => match interp::replay(&program, &s) {
            Ok(_) => "unsafe".into(),
            Err(e) => format!("does not replay: {e}"),
        },
        Ok(interp::Exploration::Exhausted { .. }) => "safe".into(),
        Ok(interp::Exploration::Limit { .. }) => "too many states".into(),
        Err(e) => format!("stopped: {e:?}"),
    }
}

#[test]
fn programs_mean_what_they_say() {
    let mut wrong = Vec::new();
    let files = files();
    assert!(files.len() > 30, "{}", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("a program");
        let first = text.lines().next().unwrap_or("");
        let words: Vec<&str> =
            first.split_whitespace().filter(|w| !matches!(*w, "//" | "/*" | "*/")).collect();
        let (expected, rest) = words.split_first().expect("the expected answer");
        let (expected, kinds): (_, &[Kind]) = match expected.strip_prefix("recursive:") {
            Some(e) => (e, &[Kind::Search]),
            None => (*expected, &[Kind::Proof, Kind::Search]),
        };
        for kind in kinds {
            let found = verdict(&path, &options(rest), *kind);
            if found != expected {
                wrong.push(format!("{}: {found}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
