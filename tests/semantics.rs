//! What C with threads means: pairs of small programs, one safe and one unsafe, for each rule.
//!
//! `semantics/<section>/<rule>_safe.c` and `<rule>_unsafe.c` go together; `<rule>_refused.c` stands alone, with what is
//! said about it in `….err` (`BLESS=1` writes that anew), and so does `<rule>_unknown.c`. Lines at the start of a program may say
//!
//! ```text
//! // relyant: --threads f:g          options
//! // assumes: pthread calls succeed  some line of the report's assumptions starts with this
//! // reason: the run relies on       why there is no verdict starts with this
//! // real: yes                        the compiled program ends well if it is safe, and fails if not
//! // violation: data race on `x      what is violated starts with this
//! // other: write x                  the other access of a data race
//! ```
//!
//! `verify` gives no verdict whose certificate its checker did not accept, or whose trace did not replay.

use rayon::prelude::*;
use relyant::bench::runner;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// For a program; each takes a fraction of a second on a quiet machine.
const LIMIT: Duration = Duration::from_secs(30);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all
}

/// The programs of all sections; `RELYANT_ONLY` picks those with a word in their path.
fn programs() -> Vec<PathBuf> {
    let only = std::env::var("RELYANT_ONLY").unwrap_or_default();
    entries(&folder())
        .iter()
        .filter(|p| p.is_dir())
        .flat_map(|p| entries(p))
        .filter(|p| p.extension().is_some_and(|e| e == "c" || e == "i"))
        .filter(|p| p.to_string_lossy().contains(&only))
        .collect()
}

/// Section and rule, and the verdict.
fn split(path: &Path) -> (String, String) {
    let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let section = path.parent().and_then(Path::file_name).expect("a section").to_string_lossy().into_owned();
    let (rule, verdict) = stem.rsplit_once('_').unwrap_or((&stem, ""));
    (format!("{section}/{rule}"), verdict.to_string())
}

/// What the lines at the start of a program say under a heading.
fn headers<'a>(text: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .map_while(|l| l.strip_prefix("//"))
        .filter_map(move |l| l.trim().strip_prefix(heading))
        .map(str::trim)
}

fn problem(path: &Path) -> Option<String> {
    let (name, expected) = split(path);
    let text = std::fs::read_to_string(path).expect("a program");
    let args: Vec<String> =
        headers(&text, "relyant:").flat_map(str::split_whitespace).map(String::from).collect();
    let run = match runner::verify(&relyant_testing::relyant!(), path, &args, LIMIT) {
        Ok(run) => run,
        Err(e) => return Some(format!("{name}: {e}")),
    };
    let entry = &run.entry;
    if run.verdict() != expected {
        let error = entry.error.as_ref().map(|e| format!("{}:{}: {}", e.line, e.column, e.message));
        let why = error.or(entry.reason.clone()).unwrap_or_default();
        return Some(format!("{name}: expected {expected}, got {} {why}", run.verdict()));
    }
    for start in headers(&text, "assumes:") {
        if !entry.assumes.iter().any(|a| a.starts_with(start)) {
            return Some(format!(
                "{name}: it does not say that it assumes \"{start}\" but {:?}",
                entry.assumes
            ));
        }
    }
    let reason = entry.reason.clone().unwrap_or_default();
    if let Some(start) = headers(&text, "reason:").find(|start| !reason.starts_with(start)) {
        return Some(format!("{name}: the reason is not {start} but {reason}"));
    }
    let trace = entry.trace.as_ref();
    let violation = trace.map_or("", |t| t.violation.as_str());
    if let Some(start) = headers(&text, "violation:").find(|start| !violation.starts_with(start)) {
        return Some(format!("{name}: not {start} but {violation}"));
    }
    let other = trace.and_then(|t| t.race.as_ref()?.about_to.clone()).unwrap_or_default();
    if let Some(access) = headers(&text, "other:").find(|access| *access != other) {
        return Some(format!("{name}: the other access is not {access} but {other}"));
    }
    let error = entry.error.as_ref()?;
    let said = format!("{}:{}: {}\nhelp: {}\n", error.line, error.column, error.message, error.help);
    let golden = PathBuf::from(format!("{}.err", path.display()));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &said).expect("a message written");
    }
    (std::fs::read_to_string(&golden).unwrap_or_default() != said).then(|| format!("{name}: it says\n{said}"))
}

#[test]
fn verdicts_are_as_the_names_say() {
    let problems: Vec<String> = programs().par_iter().filter_map(|p| problem(p)).collect();
    assert!(problems.is_empty(), "{} wrong:\n{}", problems.len(), problems.join("\n"));
}

/// Runs a program as a compiler has it.
fn real_problem(path: &Path) -> Option<String> {
    let (name, expected) = split(path);
    let text = std::fs::read_to_string(path).expect("a program");
    headers(&text, "real:").next()?;
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}_{expected}", name.replace('/', "_")));
    let built =
        Command::new("cc").arg("-w").arg(path).arg("-o").arg(&out).arg("-lm").status().expect("a compiler");
    assert!(built.success(), "{name} does not compile");
    let run = Command::new(&out).stderr(Stdio::null()).status().expect("a run");
    (run.success() != (expected == "safe")).then(|| format!("{name} is not {expected} when it runs: {run}"))
}

#[test]
fn real_runs_agree() {
    let problems: Vec<String> = programs().par_iter().filter_map(|p| real_problem(p)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn rules_come_in_pairs() {
    if std::env::var_os("RELYANT_ONLY").is_some() {
        return;
    }
    let all: BTreeSet<(String, String)> = programs().iter().map(|p| split(p)).collect();
    assert!(all.len() > 20);
    for (rule, verdict) in &all {
        let other = match verdict.as_str() {
            "safe" => "unsafe",
            "unsafe" => "safe",
            "refused" | "unknown" => continue,
            _ => panic!("{rule}_{verdict}: not a verdict"),
        };
        assert!(all.contains(&(rule.clone(), other.into())), "{rule}_{verdict} has no {other} one");
    }
    for p in programs().iter().filter(|p| split(p).1 == "refused") {
        assert!(PathBuf::from(format!("{}.err", p.display())).exists(), "{} has no message", p.display());
    }
}
