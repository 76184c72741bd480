//! Reports: text and JSON.

use super::{SAFE, UNSAFE, WRONG, benchmark, err, folder, out, relyant};
use relyant::report::json::Document;

#[test]
fn the_last_line_is_the_verdict() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE)]);
    for (file, last) in [("s.c", "verdict: safe"), ("u.c", "verdict: unsafe")] {
        let o = relyant(dir.path()).args(["verify", file]).output().unwrap();
        assert_eq!(out(&o).lines().last(), Some(last));
        assert_eq!(err(&o), "");
    }
}

#[test]
fn no_colours_where_there_is_no_terminal() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let o = relyant(dir.path()).args(["verify", "u.c"]).output().unwrap();
    assert!(!o.stdout.contains(&0x1b));
}

#[test]
fn assumptions_are_listed() {
    let dir = folder(&[("s.c", SAFE)]);
    let text = out(&relyant(dir.path()).args(["verify", "s.c"]).output().unwrap());
    assert!(text.contains("assumes: pthread calls succeed\n"), "{text}");
}

#[test]
fn a_run_names_thread_line_statement_and_change() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let text = out(&relyant(dir.path()).args(["verify", "u.c"]).output().unwrap());
    let step = text.lines().find(|l| l.contains("x = 1") && l.trim_start().starts_with("5 "));
    assert!(step.is_some(), "{text}");
    assert!(text.lines().any(|l| l.starts_with("line") && l.contains("main") && l.ends_with(" f")), "{text}");
    assert!(text.contains("violated: assertion at u.c:6 by main"), "{text}");
}

#[test]
fn json_of_all_kinds() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE), ("w.c", WRONG)]);
    let o = relyant(dir.path())
        .args(["verify", "--format", "json", "--each", "s.c", "u.c", "w.c", "absent.c"])
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(2));
    let doc: Document = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((doc.format, doc.tool.as_str()), (1, "relyant"));
    let verdicts: Vec<Option<&str>> = doc.results.iter().map(|r| r.verdict.as_deref()).collect();
    assert_eq!(verdicts, [Some("safe"), Some("unsafe"), None, None]);
    let [safe, bad, wrong, absent] = &doc.results[..] else { panic!("four results") };
    assert!(safe.proof.as_ref().is_some_and(|p| p.obligations > 0));
    let trace = bad.trace.as_ref().unwrap();
    assert_eq!((trace.file.as_str(), trace.line, trace.thread.as_str()), ("u.c", 6, "main"));
    assert!(trace.steps.iter().any(|s| s.changes.iter().any(|c| c.name == "x" && c.value == 1)));
    let error = wrong.error.as_ref().unwrap();
    assert_eq!((error.file.as_str(), error.line), ("w.c", 1));
    assert!(absent.error.as_ref().is_some_and(|e| e.file == "absent.c"));
}

#[test]
fn verbose_tells_of_iterations() {
    let dir = folder(&[]);
    let o = relyant(dir.path()).args(["verify", "-v"]).arg(benchmark("mutex/peterson.c")).output().unwrap();
    assert!(err(&o).lines().filter(|l| l.contains("iteration")).count() > 1, "{}", err(&o));
}
