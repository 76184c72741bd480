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
    for row in rows.iter().filter(|r| r.file.extension().is_some_and(|e| e != "bp")) {
        let _ = std::fs::remove_file(dir.path().join("p.json"));
        let o = run(&["verify", "--proof", "p.json"], &row.args, &row.file);
        let last = out(&o).lines().last().unwrap_or_default().to_string();
        assert_eq!(last, format!("verdict: {}", row.expected), "{}\n{}{}", row.name, out(&o), err(&o));
        assert_eq!(o.status.code(), Some(i32::from(row.expected == "unsafe")));
        let o = run(&["check", "p.json"], &row.args, &row.file);
        assert_eq!(o.status.code(), Some(0), "{}: {}{}", row.name, out(&o), err(&o));

        let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
        let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
        if row.expected == "safe" {
            other["uncoverable"] = serde_json::json!({ "minimal": [], "weights": [] });
        } else {
            other["coverable"]["steps"] = serde_json::json!([]);
        }
        std::fs::write(dir.path().join("p.json"), other.to_string()).unwrap();
        let o = run(&["check", "p.json"], &row.args, &row.file);
        assert_eq!(o.status.code(), Some(1), "{}: {}", row.name, out(&o));
        assert!(out(&o).contains("rejected: "), "{}", out(&o));
    }
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
    refused(&["e.c", "--initial", "0|0"], "--initial and --target are about systems of finite-state threads");
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
    let o = relyant(dir.path()).args(["verify", "--format", "json", "t.tts"]).output().unwrap();
    let v: serde_json::Value = serde_json::from_str(&out(&o)).unwrap();
    assert_eq!((v["format"].as_u64(), v["results"][0]["verdict"].as_str()), (Some(1), Some("unsafe")));
    assert!(v["results"][0]["run"].is_array());
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
