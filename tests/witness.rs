//! Witnesses: each one that is written is accepted by the check that reads it, and no longer is once
//! it tells something else.

mod schema;

use rayon::prelude::*;
use relyant_testing::rng::cases;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn relyant(args: &[&str]) -> Output {
    let mut c = Command::new(relyant_testing::relyant!());
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
        assert_eq!(status, Some(0), "{task}: {report}{}", w.text);
        // The first of its invariants does not hold.
        let (status, report) =
            w.check(task, &|t| t.replacen("\n        value: \"", "\n        value: \"0 == 1\" # \"", 1));
        assert_eq!(status, Some(1), "{task}: {report}{}", w.text);
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
    // Text that would be more than an expression.
    for (new, exit) in [("1); steps = 3; (1", 3), ("steps = 3", 3), ("nobody == 3", 3), ("steps <= 3", 0)] {
        let (status, report) =
            w.check("door", &|t| t.replacen("value: \"", &format!("value: \"{new}\" # "), 1));
        assert_eq!(status, Some(exit), "{new}: {report}{}", w.text);
    }
}

#[test]
fn ghosts_of_locks() {
    let w = written("ledger", &[]);
    let json = as_json(&w.text);
    assert_eq!(json[0]["entry_type"], "ghost_instrumentation");
    assert_eq!(json[0]["metadata"]["format_version"], "2.1");
    assert_eq!(json[0]["content"]["ghost_variables"][0]["name"], "lock_locked");
    let (status, report) = w.check("ledger", &same);
    assert_eq!(status, Some(0), "{report}{}", w.text);
    // An update that says the opposite, a ghost that is a variable of the program, no such place.
    let value = "variable: \"lock_locked\"\n            value: ";
    let (set, reset) = (format!("{value}\"1\""), format!("{value}\"0\""));
    let changes: [&dyn Fn(&str) -> String; 3] =
        [&|t| t.replacen(&set, &reset, 1), &|t| t.replace("\"lock_locked\"", "\"paid\""), &|t| {
            t.replacen("line: ", "line: 9", 1)
        }];
    for (k, change) in changes.iter().enumerate() {
        let (status, report) = w.check("ledger", change);
        assert_eq!(status, Some(1), "change {k}: {report}{}", w.text);
    }
    // What a ghost is must be read before anything is checked.
    let (status, report) = w.check("ledger", &|t| t.replace("type: \"int\"", "type: \"long\""));
    assert_eq!(status, Some(2), "{report}");
    // Without ghosts there is less to say.
    let plain = written("ledger", &["--witness-version", "2.0"]);
    assert!(!plain.text.contains("ghost"));
    assert_eq!(plain.check("ledger", &same).0, Some(0));
}

/// The options in a program's first lines.
fn options(text: &str) -> Vec<String> {
    let lines = text.lines().map_while(|l| l.strip_prefix("//"));
    let options = lines.filter_map(|l| l.trim().strip_prefix("relyant:"));
    options.flat_map(str::split_whitespace).map(String::from).collect()
}

/// Programs of the semantics corpus: of each verdict and property every n-th, at least one.
fn sample(n: usize) -> Vec<PathBuf> {
    let mut groups: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let folder = Path::new(ROOT).join("tests/semantics");
    for section in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        for p in std::fs::read_dir(section).unwrap().map(|e| e.unwrap().path()) {
            let name = p.display().to_string();
            let verdict = ["_safe.c", "_unsafe.c"].iter().find(|v| name.ends_with(**v));
            if let Some(v) = verdict {
                let text = std::fs::read_to_string(&p).unwrap();
                let property = options(&text).join(" ");
                groups.entry(format!("{v} {property}")).or_default().push(p);
            }
        }
    }
    let mut out = Vec::new();
    for mut list in groups.into_values() {
        list.sort();
        let step = n.min(list.len());
        out.extend(list.into_iter().skip(step / 2).step_by(step));
    }
    out
}

#[test]
fn each_witness_fits_its_schema_and_its_verdict() {
    let programs = sample((16 / cases(1).max(1)).max(1) as usize);
    assert!(programs.len() >= 40, "{}", programs.len());
    let seen: Vec<(String, usize)> = programs.par_iter().filter_map(|p| round_trip(p)).collect();
    let of = |kind: &str| seen.iter().filter(|s| s.0 == kind).count();
    // Both verdicts, with and without threads, and invariants with ghosts.
    for kind in ["violation_sequence 2.0", "violation_sequence 2.2", "invariant_set 2.0"] {
        assert!(of(kind) >= 4, "{kind}: {seen:?}");
    }
    assert!(seen.iter().any(|s| s.0.starts_with("invariant_set") && s.1 > 0), "{seen:?}");
}

/// Writes, validates and checks a witness; its kind and how many waypoints or invariants it has.
fn round_trip(program: &Path) -> Option<(String, usize)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.yml");
    let name = program.display().to_string();
    let own = options(&std::fs::read_to_string(program).unwrap());
    let mut args = vec!["verify", &name, "--witness", path.to_str().unwrap()];
    args.extend(own.iter().map(String::as_str));
    let said = out(&relyant(&args));
    let Ok(text) = std::fs::read_to_string(&path) else {
        // What SV-COMP has no property for.
        assert!(said.contains("note: no witness: "), "{name}: {said}");
        return None;
    };
    assert_eq!(misfits(&text), [""; 0], "{name}: {text}");
    let json = as_json(&text);
    let last = json.as_array().unwrap().last().unwrap();
    let version = last["metadata"]["format_version"].as_str().unwrap();
    let kind = last["entry_type"].as_str().unwrap();
    let safe = name.ends_with("_safe.c");
    assert_eq!(kind, if safe { "invariant_set" } else { "violation_sequence" }, "{name}: {said}");
    let size = last["content"].as_array().unwrap().len();
    let mut again = vec!["check", path.to_str().unwrap(), &name];
    if let Some(k) = own.iter().position(|o| o == "-D") {
        again.extend(own[k..k + 2].iter().map(String::as_str));
    }
    let check = || relyant(&again);
    let o = check();
    assert_eq!(o.status.code(), Some(0), "{name}: {}{text}", out(&o));
    // The same with what cannot be.
    let damaged = match safe {
        true => text.replacen("\n        value: \"", "\n        value: \"0 == 1\" # \"", 1),
        false => text.replace("          type: \"target\"", "          type: \"assumption\""),
    };
    if damaged != text {
        std::fs::write(&path, &damaged).unwrap();
        let o = check();
        assert!(matches!(o.status.code(), Some(1 | 2)), "{name}: {}{damaged}", out(&o));
    }
    Some((format!("{kind} {version}"), size))
}

#[test]
fn schemas_reject_what_is_none() {
    let changes: [(&str, &str, &str); 8] = [
        ("input", "action: \"follow\"", "action: \"shun\""),
        ("input", "line: ", "line: -"),
        ("input", "      language: \"C\"\n", ""),
        ("input", "type: \"target\"", "type: \"target\"\n            constraint: {value: \"1\"}"),
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
