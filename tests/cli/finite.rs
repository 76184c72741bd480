//! Systems of finite-state threads: the programs of `benchmarks/finite`, their evidence, and what is wrong input.

use super::{benchmark, err, folder, out, relyant};
use relyant::bench::manifest;
use std::path::Path;

/// Each has the verdict it should have, and its certificate is accepted; a damaged one is not.
#[test]
fn verdicts_and_evidence() {
    let rows = manifest::read(&benchmark("finite/manifest.csv")).unwrap();
    let dir = folder(&[]);
    let run = |args: &[&str], more: &[String], file: &Path| {
        relyant(dir.path()).args(args).args(more).arg(file).output().unwrap()
    };
    for row in &rows {
        let _ = std::fs::remove_file(dir.path().join("p.json"));
        let o = run(&["verify", "--proof", "p.json"], &row.args, &row.file);
        let last = out(&o).lines().last().unwrap_or_default().to_string();
        assert_eq!(last, format!("verdict: {}", row.expected), "{}\n{}{}", row.name, out(&o), err(&o));
        assert_eq!(o.status.code(), Some(i32::from(row.expected == "unsafe")));
        // a certificate of a Boolean program tells its bound, others what is not in a file
        let boolean = row.file.extension().is_some_and(|e| e == "bp");
        let args: &[String] = if boolean { &[] } else { &row.args };
        let o = run(&["check", "p.json"], args, &row.file);
        assert_eq!(o.status.code(), Some(0), "{}: {}{}", row.name, out(&o), err(&o));
        assert!(out(&o).lines().last().is_some_and(|l| l.starts_with("accepted: ")), "{}", out(&o));

        let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
        std::fs::write(dir.path().join("p.json"), damaged(&text).to_string()).unwrap();
        let o = run(&["check", "p.json"], args, &row.file);
        assert_eq!(o.status.code(), Some(1), "{}: {}{}", row.name, out(&o), err(&o));
        assert!(out(&o).contains("rejected: "), "{}", out(&o));
    }
    // all kinds of evidence about Boolean programs
    let bound = ["--max-threads".into(), "3".into()];
    for (method, more, name, kind) in [
        ("thread-states", &[][..], "publish.bp", "thread_states"),
        ("counters", &bound[..], "test_and_set.bp", "states"),
        ("coverability", &[][..], "test_and_set.bp", "uncoverable"),
    ] {
        let file = benchmark("finite").join(name);
        let o = run(&["verify", "--proof", "p.json", "--method", method], more, &file);
        assert_eq!(o.status.code(), Some(0), "{method}: {}{}", out(&o), err(&o));
        let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(value.get(kind).is_some(), "{method}: {text}");
        assert_eq!(run(&["check", "p.json"], &[], &file).status.code(), Some(0), "{method}");
        std::fs::write(dir.path().join("p.json"), damaged(&text).to_string()).unwrap();
        let o = run(&["check", "p.json"], &[], &file);
        assert_eq!(o.status.code(), Some(1), "{method}: {}{}", out(&o), err(&o));
    }
}

/// A certificate without its evidence.
fn damaged(text: &str) -> serde_json::Value {
    let mut v: serde_json::Value = serde_json::from_str(text).unwrap();
    let nothing = serde_json::json!({ "minimal": [], "weights": [] });
    if v["format"] == "relyant-boolean" && v.get("uncoverable").is_some() {
        v["uncoverable"]["uncoverable"] = nothing;
    } else if v.get("uncoverable").is_some() {
        v["uncoverable"] = nothing;
    } else if v.get("thread_states").is_some() {
        let sets = v["thread_states"].as_array_mut().unwrap();
        sets[0] = serde_json::Value::Null;
    } else if v.get("states").is_some() {
        v["states"]["states"].as_array_mut().unwrap().pop();
    } else {
        let run = if v.get("run").is_some() { "run" } else { "coverable" };
        v[run]["steps"] = serde_json::json!([]);
    }
    v
}

/// `bench` understands what `verify` says about each of them, and a check accepts what is kept.
#[test]
fn all_are_measured() {
    let dir = folder(&[]);
    let manifest = benchmark("finite/manifest.csv");
    let rows = manifest::read(&manifest).unwrap();
    let o = relyant(dir.path()).args(["bench", "--csv-dir", "kept"]).arg(&manifest).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
    let n = rows.len();
    let line = format!("{n} programs: {n} as expected, 0 wrong, 0 missing, 0 failed");
    assert!(out(&o).contains(&line), "{}", out(&o));
    let safe = rows.iter().filter(|r| r.expected == "safe").count();
    assert_eq!(out(&o).matches("| accepted |").count(), safe, "{}", out(&o));
}

#[test]
fn certificates_are_about_one_question() {
    let dir =
        folder(&[("a.tts", "2 2\n0 0 -> 1 1\n"), ("b.tts", "2 2\n0 0 -> 1 0\n"), ("a.prop", "1|1,1\n")]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "a.tts"]).status.code(), Some(0));
    let o = run(&["check", "p.json", "a.tts"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let rejected = |args: &[&str], why: &str| {
        let o = run(args);
        assert_eq!((o.status.code(), out(&o).contains(why)), (Some(1), true), "{}", out(&o));
    };
    rejected(&["check", "p.json", "a.tts", "--initial", "0|0"], "other initial configurations");
    rejected(&["check", "p.json", "a.tts", "--target", "1|1"], "other sources");
    rejected(&["check", "p.json", "b.tts", "--target", "1|1,1"], "other sources");
    assert_eq!(run(&["check", "a.prop", "a.tts"]).status.code(), Some(2));
    // without a .prop file a certificate says what its target is
    let dir = folder(&[("a.tts", "2 2\n0 0 -> 1 1\n")]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "a.tts", "--target", "1|1,1"]).status.code(), Some(0));
    assert_eq!(run(&["check", "p.json", "a.tts"]).status.code(), Some(0));
}

#[test]
fn forms_of_widening() {
    let dir = folder(&[]);
    for (name, status) in [("tas_lock.tts", 0), ("tas_lock_broken.tts", 1), ("readers_writer.spec", 0)] {
        for form in ["lean", "full", "none"] {
            let mut run = relyant(dir.path());
            let o = run.args(["verify", "--widening", form]).arg(benchmark("finite").join(name)).output();
            let o = o.unwrap();
            assert_eq!(o.status.code(), Some(status), "{name}, {form}: {}{}", out(&o), err(&o));
        }
    }
}

#[test]
fn bad_input_has_its_place() {
    let files = [
        ("a.tts", "2 2\n0 0 -> 1 5\n"),
        ("b.tts", "1 1\n"),
        ("c.spec", "vars x\nrules\nx >= 1 -> x' = x + y;\ninit x = 1\ntarget x >= 2\n"),
        ("d.pnml", "<pnml><net id=\"n\"><place/></net></pnml>"),
        ("e.c", "int main() {}"),
        ("b.prop", "0|0"),
    ];
    let dir = folder(&files);
    let refused = |args: &[&str], message: &str| {
        let o = relyant(dir.path()).arg("verify").args(args).output().unwrap();
        assert_eq!(o.status.code(), Some(2), "{}", err(&o));
        assert!(err(&o).contains(message) && o.stdout.is_empty(), "{}", err(&o));
    };
    refused(
        &["a.tts"],
        "a.tts:2:10: error: local state 5 does not exist: they go from 0 to 1\n  0 0 -> 1 5\n           ^",
    );
    refused(&["b.tts", "--target", "1|0"], "--target:1:1: error: shared state 1 does not exist");
    refused(&["b.tts", "--initial", "0"], "--initial:1:1: error: expected initial configurations");
    refused(&["c.spec"], "c.spec:3:20: error: `y` is not among the vars");
    refused(&["c.spec", "--target", "0|0"], "leave out --target");
    refused(&["d.pnml"], "d.pnml:1:19: error: place without id");
    refused(&["b.tts", "e.c"], "verify the two kinds in separate calls");
    refused(&["e.c", "--initial", "0|0"], "--initial, --target and --widening are about systems");
    refused(&["e.c", "--widening", "full"], "--initial, --target and --widening are about systems");
    refused(&["absent.tts"], "absent.tts: error: cannot be read");
}

#[test]
fn limits_and_formats() {
    // a transfer keeps the oracle from accelerating, and places without bound keep it busy
    let net = "vars a b c\nrules\na >= 1 -> b' = b + 2;\nb >= 1 -> c' = c + b + 1, b' = 0;\nc >= 3 -> a' = a + c - 2, c' = 0;\n\
        init a = 1, b = 0, c = 0\ntarget a >= 100000, b >= 100001, c >= 100002\n";
    let dir = folder(&[("n.spec", net), ("t.tts", "1 1\n"), ("t.prop", "0|0")]);
    let o = relyant(dir.path()).args(["verify", "--timeout", "0.3", "n.spec"]).output().unwrap();
    assert!(matches!(o.status.code(), Some(1 | 3)), "{}{}", out(&o), err(&o));
    let o = relyant(dir.path()).args(["verify", "--with", "t.tts", "n.spec"]).output().unwrap();
    assert_eq!(o.status.code(), Some(2), "{}{}", out(&o), err(&o));
    let o = relyant(dir.path()).args(["verify", "--format", "json", "t.tts"]).output().unwrap();
    let v: serde_json::Value = serde_json::from_str(&out(&o)).unwrap();
    assert_eq!((v["format"].as_u64(), v["results"][0]["verdict"].as_str()), (Some(1), Some("unsafe")));
    assert!(v["results"][0]["run"].is_array());
    // what the shared format has is what it has for others
    let torn = benchmark("finite/ticket_torn.bp");
    let o = relyant(dir.path()).args(["verify", "--format", "json"]).arg(torn).output().unwrap();
    let document: relyant::report::json::Document = serde_json::from_str(&out(&o)).unwrap();
    let r = &document.results[0];
    assert_eq!((r.verdict.as_deref(), r.counts["run_threads"]), (Some("unsafe"), 3), "{r:?}");
    assert!(r.source_lines > 10 && r.run.last().unwrap().contains("fails"), "{r:?}");
    for (file, to) in [("t.tts", "spec"), ("t.tts", "pnml"), ("t.tts", "tts"), ("n.spec", "spec")] {
        let o = relyant(dir.path()).args(["export", "--to", to, file]).output().unwrap();
        assert_eq!(o.status.code(), Some(0), "{}", err(&o));
        std::fs::write(dir.path().join(format!("o.{to}")), out(&o)).unwrap();
    }
    let o = relyant(dir.path()).args(["verify", "o.pnml", "--target", "l0 >= 3"]).output().unwrap();
    assert_eq!(o.status.code(), Some(1), "{}{}", out(&o), err(&o));
    let o = relyant(dir.path()).args(["export", "--to", "tts", "n.spec"]).output().unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("is no step of one thread"), "{}", err(&o));
}
