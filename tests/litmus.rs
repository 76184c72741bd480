//! The litmus tests on the processor at hand: no outcome is seen that x86-TSO forbids. What it allows is seen or not, as it happens;
//! how often is printed. `RELYANT_BATCHES` says for how many batches of 1024 rounds each test runs.

use relyant_testing::litmus::Litmus;
use relyant_testing::litmus_run::to_run;
use std::process::Command;

#[test]
fn no_forbidden_outcome_is_seen() {
    if !cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
        return;
    }
    let lines = include_str!("litmus/x86.txt").lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    // Barriers of more threads than processors take long.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let tests: Vec<Litmus> = lines
        .map(|l| l.parse::<Litmus>().expect("a test"))
        .filter(|t| t.threads.len() <= processors.max(2))
        .collect();
    let batches = std::env::var("RELYANT_BATCHES").ok().and_then(|v| v.parse().ok()).unwrap_or(1);
    let dir = tempfile::tempdir().expect("a folder");
    let (source, binary) = (dir.path().join("litmus.c"), dir.path().join("litmus"));
    std::fs::write(&source, to_run(&tests, batches)).expect("a file");
    let compiled = Command::new("gcc")
        .args(["-O2", "-pthread", "-o"])
        .args([&binary, &source])
        .status()
        .expect("a compiler");
    assert!(compiled.success());
    let output = Command::new(&binary).output().expect("a run");
    let text = String::from_utf8(output.stdout).expect("text");
    print!("{text}");
    assert_eq!(text.lines().count(), tests.len());
    for (line, test) in text.lines().zip(&tests) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], test.name);
        assert!(test.allowed || words[1] == "0", "{line}");
    }
}
