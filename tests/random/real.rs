//! What a real run ends with is no state that the tool calls unreachable.
//!
//! Random programs are compiled with `gcc -pthread`, fences and yields between accesses, and run many times. Then the
//! tool is asked whether each rare outcome seen can be reached, which must not be *safe*, and whether one can that was
//! not seen, where both verdicts are fine. `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

use relyant::pipeline::{Settings, Verdict, verify_file};
use relyant_engines::limits::{RunHandle, Stop};
use relyant_testing::real::{Real, generate, to_run};
use relyant_testing::rng::cases;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Runs of each program.
const TIMES: u32 = 60;
/// Programs that are compiled as one, to start gcc less often.
const BATCH: u64 = 25;
/// Outcomes asked for, the rarest ones.
const ASKED: usize = 2;
/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The outcomes of real runs and how often each was seen, by program.
fn outcomes(programs: &[Real], folder: &Path) -> BTreeMap<String, BTreeMap<Vec<i64>, usize>> {
    let (source, binary) = (folder.join("run.c"), folder.join("run"));
    std::fs::write(&source, to_run(programs, TIMES)).expect("a writable folder");
    let flags = ["-w", "-O0", "-pthread", "-o"];
    let built = Command::new("gcc").args(flags).arg(&binary).arg(&source).output().expect("gcc");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().expect("a program that runs");
    assert!(output.status.success(), "{:?}", output.status);
    let mut all: BTreeMap<String, BTreeMap<Vec<i64>, usize>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default().to_string();
        let values = words.map(|w| w.parse().expect("a number")).collect();
        *all.entry(name).or_default().entry(values).or_default() += 1;
    }
    all
}

/// `safe`, `unsafe`, or `unknown` and why.
fn verdict(text: &str, file: &Path) -> String {
    std::fs::write(file, text).expect("a writable folder");
    let run = RunHandle::default();
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let run = &run;
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                run.stop(Stop::Time(PATIENCE));
            }
        });
        let report = verify_file(file, &Settings::default(), run);
        drop(done);
        match report.map(|r| r.verdict) {
            Ok(Verdict::Safe(_)) => "safe".into(),
            Ok(Verdict::Unsafe { .. }) => "unsafe".into(),
            Ok(Verdict::Unknown(why)) => format!("unknown: {why}"),
            Err(e) => format!("refused: {e}"),
        }
    })
}

#[test]
fn no_real_outcome_is_unreachable() {
    let first: u64 = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let end = first + cases(8);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for start in (first..end).step_by(BATCH as usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let programs: Vec<Real> =
            (start..(start + BATCH).min(end)).map(|s| generate(s, &format!("p{s}"))).collect();
        let seen = outcomes(&programs, folder.path());
        let words: Vec<Vec<(bool, String)>> = programs
            .iter()
            .map(|p| {
                let seen = &seen[&p.prefix];
                let mut rare: Vec<(&Vec<i64>, &usize)> = seen.iter().collect();
                rare.sort_by_key(|(_, n)| **n);
                let mut questions: Vec<(bool, Vec<i64>)> =
                    rare.iter().take(ASKED).map(|(v, _)| (true, (*v).clone())).collect();
                // Next to one that was seen.
                let mut other = rare[0].0.clone();
                while seen.contains_key(&other) {
                    other[0] += 1;
                }
                questions.push((false, other));
                let file = folder.path().join(format!("{}.c", p.prefix));
                questions
                    .into_iter()
                    .map(|(real, values)| {
                        let text = p.to_verify(&p.is(&values));
                        let word = verdict(&text, &file);
                        assert!(!real || word != "safe", "called safe, but a run ended so:\n{text}");
                        assert!(!word.starts_with("refused"), "{word}\n{text}");
                        (real, word)
                    })
                    .collect()
            })
            .collect();
        for (real, word) in words.into_iter().flatten() {
            let kind = if real { "seen" } else { "not seen" };
            *counts.entry(format!("{kind}: {}", word.split(':').next().unwrap_or(""))).or_default() += 1;
        }
    }
    println!("{counts:?}");
    let of = |k: &str| counts.get(k).copied().unwrap_or(0) as u64;
    // Most real outcomes are found, and some others are excluded.
    assert!(of("seen: unsafe") > (end - first) / 2 && of("not seen: safe") > 0, "{counts:?}");
}
