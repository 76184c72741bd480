//! Damaged C files end with a verdict or a diagnostic: no crash, no hang, no internal error.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed, `RELYANT_MUTATE_DIR` the folder whose C files are
//! damaged instead of the project's own, `RELYANT_UNCHANGED=1` leaves them as they are, one case a file.

use rayon::prelude::*;
use relyant_testing::mutate::mutate;
use relyant_testing::rng::{Rng, cases};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seconds that a run may take.
const LIMIT: &str = "1";
/// By then it must have ended.
const PATIENCE: Duration = Duration::from_secs(3);
/// KiB of address space; the stacks for deep recursion are a part of it.
const ADDRESSES: &str = "6000000";

fn c_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            c_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
            out.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut out = Vec::new();
    match std::env::var_os("RELYANT_MUTATE_DIR") {
        Some(folder) => c_files(Path::new(&folder), &mut out),
        None => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            c_files(&root.join("benchmarks"), &mut out);
            c_files(&root.join("frontend/tests/lowering"), &mut out);
        }
    }
    out
}

/// How a run ended: its status, or what is wrong with it.
fn run(file: &Path, folder: &Path) -> Result<i32, String> {
    let script = format!(
        "ulimit -v {ADDRESSES}; exec \"$0\" verify --property assertions --timeout {LIMIT} --memory 3000 \"$1\""
    );
    let log = folder.join("log");
    let to_log = || std::fs::OpenOptions::new().create(true).append(true).open(&log).expect("a log");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(relyant_testing::relyant!())
        .arg(file)
        .stdin(Stdio::null())
        .stdout(to_log())
        .stderr(to_log())
        .spawn()
        .expect("a process");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if start.elapsed() > PATIENCE + Duration::from_secs(7) {
            let _ = child.kill();
            let _ = child.wait();
            return Err("does not end".into());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let time = start.elapsed();
    let said = std::fs::read(&log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    if let Some(line) = said.lines().find(|l| l.contains("internal error") || l.contains("panicked")) {
        return Err(line.to_string());
    }
    match status.code() {
        Some(0..=3) if time > PATIENCE => Err(format!("took {:.1} s", time.as_secs_f64())),
        Some(code @ 0..=3) => Ok(code),
        _ => Err(format!("{status}: {}", said.lines().last().unwrap_or(""))),
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let sources = sources();
    assert!(!sources.is_empty());
    let unchanged = std::env::var_os("RELYANT_UNCHANGED").is_some();
    let first: u64 = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let all = if unchanged { sources.len() as u64 } else { cases(60) };
    let results: Vec<(u64, PathBuf, Result<i32, String>)> = (first..first + all)
        .into_par_iter()
        .map(|seed| {
            let source = match unchanged {
                true => sources[(seed as usize).min(sources.len() - 1)].clone(),
                false => Rng::new(seed).pick(&sources),
            };
            let text = std::fs::read(&source).expect("a readable file");
            let text = String::from_utf8_lossy(&text);
            let text = if unchanged { text.into_owned() } else { mutate(&text, seed) };
            let folder = tempfile::tempdir().expect("a folder");
            let file =
                folder.path().join(format!("m.{}", source.extension().unwrap_or_default().to_string_lossy()));
            std::fs::write(&file, text).expect("a writable folder");
            let result = run(&file, folder.path());
            if let (Err(_), Some(keep)) = (&result, std::env::var_os("RELYANT_KEEP")) {
                let name = format!("{seed}.{}", source.extension().unwrap_or_default().to_string_lossy());
                let _ = std::fs::copy(&file, Path::new(&keep).join(name));
            }
            (seed, source, result)
        })
        .collect();
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (seed, source, result) in results {
        match result {
            Ok(code) => *counts.entry(code).or_default() += 1,
            Err(what) => failures.push(format!("seed {seed}, {}: {what}", source.display())),
        }
    }
    println!("by exit status: {counts:?}");
    assert!(failures.is_empty(), "{} of {all}:\n{}", failures.len(), failures.join("\n"));
    // Not all are so damaged that they are only refused.
    let read = counts.iter().filter(|(code, _)| **code != 2).map(|(_, n)| n).sum::<usize>() as u64;
    assert!(read * 10 > all, "{counts:?}");
}
