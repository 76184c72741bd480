//! Witnesses: each one that is written is accepted by the check that reads it, and no longer is once
//! it tells something else.

mod schema;

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn relyant(args: &[&str]) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_relyant"));
    c.current_dir(ROOT).env("SOURCE_DATE_EPOCH", "1700000000").args(args).output().unwrap()
}

fn out(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr)
}

fn as_json(text: &str) -> Value {
    let source = relyant::task::yaml::Source { file: "w.yml", text };
    source.parse().unwrap().root().json().unwrap()
}

/// What of a witness its schema does not allow.
fn misfits(text: &str) -> Vec<String> {
    let w = as_json(text);
    let violation = w[0]["entry_type"] == "violation_sequence";
    schema::errors(&schema::schema(if violation { "violation.json" } else { "correctness.json" }), &w)
}

struct Written {
    _dir: tempfile::TempDir,
    path: PathBuf,
    text: String,
}

/// The witness of one of the tasks.
fn written(task: &str, more: &[&str]) -> Written {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.yml");
    let task = format!("tests/tasks/{task}.yml");
    let o = relyant(&[&["verify", &task, "--witness", path.to_str().unwrap()], more].concat());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no witness: {}", out(&o)));
    assert_eq!(misfits(&text), [""; 0], "{text}");
    Written { _dir: dir, path, text }
}

impl Written {
    /// Exit status and report of the check, after a change of the text.
    fn check(&self, task: &str, change: &dyn Fn(&str) -> String) -> (Option<i32>, String) {
        let text = change(&self.text);
        std::fs::write(&self.path, &text).unwrap();
        let o = relyant(&["check", self.path.to_str().unwrap(), &format!("tests/tasks/{task}.c")]);
        (o.status.code(), out(&o))
    }
}

fn same(text: &str) -> String {
    text.to_string()
}

#[test]
fn violations() {
    for (task, version) in [("counter_broken", "2.2"), ("input", "2.0"), ("overflow", "2.0")] {
        let w = written(task, &[]);
        let json = as_json(&w.text);
        assert_eq!(json[0]["metadata"]["format_version"], version);
        assert_eq!(json[0]["metadata"]["creation_time"], "2023-11-14T22:13:20Z");
        let (status, report) = w.check(task, &same);
        assert_eq!(status, Some(0), "{task}: {report}{}", w.text);
    }
}

#[test]
fn violations_that_are_none() {
    let w = written("input", &[]);
    // Eight and eight and one make no 25.
    let (status, report) = w.check("input", &|t| t.replacen("== 9", "== 1", 1));
    assert_eq!(status, Some(1), "{report}");
    let w = written("overflow", &[]);
    let (status, report) = w.check("overflow", &|t| t.replace("== -2147483648", "== -5"));
    assert_eq!(status, Some(1), "{report}");
    // The target is elsewhere.
    let (status, report) = w.check("overflow", &|t| t.replace("line: 9", "line: 11"));
    assert_eq!(status, Some(1), "{report}");
    let w = written("counter_broken", &[]);
    // The second thread comes to its second statement only after the first one has ended: no update is lost.
    let (status, report) = w.check("counter_broken", &one_after_the_other);
    assert_eq!(status, Some(1), "{report}");
    let (status, report) = w.check("counter", &same);
    assert_eq!(status, Some(1), "{report}");
    assert!(report.contains("another file"), "{report}");
}

/// The segments of the second thread, all after those of the first.
fn one_after_the_other(text: &str) -> String {
    let (head, rest) = text.split_once("    - segment:").unwrap();
    let segments: Vec<&str> = rest.split("    - segment:").collect();
    let of = |s: &&str| usize::from(s.contains("thread_id: 2")) + usize::from(s.contains("thread_id: 1")) * 2;
    let first = segments.iter().position(|s| of(s) > 0).unwrap();
    let last = segments.iter().rposition(|s| of(s) > 0).unwrap();
    let mut order = segments.clone();
    order[first..=last].sort_by_key(|s| std::cmp::Reverse(of(s)));
    assert_ne!(order, segments);
    order.iter().fold(head.to_string(), |t, s| t + "    - segment:" + s)
}

#[test]
fn the_same_witness_each_time() {
    let (a, b) = (written("counter_broken", &[]), written("counter_broken", &[]));
    assert_eq!(a.text, b.text);
    assert_ne!(
        as_json(&a.text)[0]["metadata"]["uuid"],
        as_json(&written("input", &[]).text)[0]["metadata"]["uuid"]
    );
    let forced = written("input", &["--witness-version", "2.2"]);
    assert_eq!(as_json(&forced.text)[0]["metadata"]["format_version"], "2.2");
    assert_eq!(forced.check("input", &same).0, Some(0));
}

#[test]
fn invariants() {
    for task in ["door", "counter", "sum"] {
        let w = written(task, &[]);
        let (status, report) = w.check(task, &same);
        // The inputs of one of them are too many to try.
        assert_eq!(status, Some(if task == "sum" { 3 } else { 0 }), "{task}: {report}{}", w.text);
    }
    let w = written("door", &[]);
    let kinds: Vec<Value> = as_json(&w.text)[0]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["invariant"]["type"].clone())
        .collect();
    assert!(kinds.contains(&Value::from("loop_invariant")), "{kinds:?}");
    let (status, report) = w.check("door", &|t| t.replace("steps == 3", "steps == 2"));
    assert_eq!(status, Some(1), "{report}{}", w.text);
}

#[test]
fn schemas_reject_what_is_none() {
    let changes: [(&str, &str, &str); 8] = [
        ("input", "action: \"follow\"", "action: \"shun\""),
        ("input", "line: ", "line: -"),
        ("input", "      language: \"C\"\n", ""),
        ("input", "type: \"target\"", "type: \"target\"\n          constraint: {value: \"1\"}"),
        ("counter_broken", "thread_id: 2", "thread_id: \"two\""),
        ("door", "loop_invariant", "loop_variant"),
        ("door", "format_version: \"2.0\"", "format_version: \"3\""),
        ("door", "creation_time: \"", "creation_time: \"on "),
    ];
    for (task, from, to) in changes {
        let text = written(task, &[]).text;
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{task}: {from}");
        assert_ne!(misfits(&changed), [""; 0], "{task}: {to}");
    }
}
