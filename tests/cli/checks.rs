//! Reports say what was checked; where there is nothing to check, they say so.

use super::{SAFE, UNSAFE, err, folder, out, relyant};
use relyant::report::json::Document;
use std::process::Output;

const NONE: &str = "int x;\nint main(void) { x = 1; return 0; }\n";
const UNREACHED: &str =
    "#include <assert.h>\nint x;\nvoid f(void) { assert(x); }\nint main(void) { return 0; }\n";
const LABELS: &str = "#include <assert.h>\nint x;\nvoid f(void) { A: x = 1; }\n\
    int main(void) { if (x) { ERROR: return 1; } L: x = 0; assert(x == 0); assert(!x); return 0; }\n";

fn verify(text: &str, args: &[&str]) -> Output {
    let dir = folder(&[("a.c", text), ("u.prp", "CHECK( init(main()), LTL(G ! call(oops())) )\n")]);
    relyant(dir.path()).args(["verify", "a.c"]).args(args).output().unwrap()
}

#[track_caller]
fn says(text: &str, args: &[&str], status: i32, lines: &[&str]) {
    let o = verify(text, args);
    let said = out(&o) + &err(&o);
    assert_eq!(o.status.code(), Some(status), "{args:?}\n{said}");
    for line in lines {
        assert!(said.contains(line), "{args:?}: no {line:?} in\n{said}");
    }
}

/// A race is told with the calls that led to each access, and the cell of each pair.
#[test]
fn races_with_their_calls() {
    let program = "#include <pthread.h>\nint n, m;\nvoid put(int v) { n = v; m = n; }\n\
        void outer(int v) {\n  put(v);\n}\nvoid *f(void *a) { outer(1); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); put(2); pthread_join(t, 0); return 0; }\n";
    let lines =
        ["  in put, called at", ":5:3\n  in outer, called at", ":7:20\n", "  n: write by ", "  m: write by "];
    says(program, &["--property", "no-data-race"], 1, &lines);
}

#[test]
fn property_and_number_of_checks() {
    says(LABELS, &[], 0, &["property: no failing assertion\n", "checks: 2 assertions, 1 error label\n"]);
    says(LABELS, &["--error-label", "L"], 1, &["checks: 2 assertions, 2 error labels\n"]);
    says(LABELS, &["--exclusive", "L"], 0, &["checks: 2 assertions, 1 error label, 1 exclusive statement\n"]);
    says(UNSAFE, &[], 1, &["checks: 1 assertion\n"]);
    says(SAFE, &["--property", "no-data-race"], 1, &["property: no data race\n", " accesses to memory\n"]);
    says(SAFE, &["--property", "deadlock"], 0, &["property: no failing assertion, no deadlock\n"]);
    let sum = "int main(void) { int x = 1; return x + x; }\n";
    says(
        sum,
        &["--property", "no-overflow"],
        0,
        &["property: no overflow\n", "checks: 1 arithmetic operation\n"],
    );
    let through = "int x; int main(void) { int *p = &x; *p = 1; return 0; }\n";
    says(
        through,
        &["--property", "valid-memsafety"],
        0,
        &["property: valid memory, no memory leak\n", "checks: 1 access through"],
    );
}

#[test]
fn nothing_to_check() {
    says(NONE, &[], 2, &["nothing to check", "--property assertions, no-data-race"]);
    // Who includes <assert.h> means assertions.
    says("#include <assert.h>\nint main(void) { return 0; }\n", &[], 0, &["note: nothing to check"]);
    says(UNREACHED, &[], 2, &["nothing to check", "`f`, which cannot be reached"]);
    for property in ["assertions", "unreach-call", "no-overflow", "u.prp"] {
        says(
            NONE,
            &["--property", property],
            0,
            &["checks: nothing\n", "note: nothing to check", "verdict: safe"],
        );
    }
    says(NONE, &["--property", "u.prp"], 0, &["note: `oops` is not declared"]);
    says(UNSAFE, &["--property", "no-data-race"], 1, &["checks: "]);
    says(LABELS, &["--property", "no-data-race"], 0, &["note: no thread is created"]);
}

#[test]
fn labels_that_are_none() {
    says(LABELS, &["--error-label", "LL"], 2, &["--error-label: no label `LL`", "A, ERROR, L"]);
    says(LABELS, &["--exclusive", "LL"], 2, &["--exclusive: no label `LL`"]);
    says(LABELS, &["--exclusive", "A"], 2, &["label `A` is in `f`, which cannot be reached from `main`"]);
    says(LABELS, &["--threads", "g"], 2, &["no function `g`"]);
}

#[test]
fn all_properties() {
    let o = verify(UNSAFE, &["--property", "all"]);
    let verdicts: Vec<&str> = {
        let text = out(&o);
        text.lines()
            .filter_map(|l| l.strip_prefix("verdict: "))
            .map(|v| if v == "safe" { "safe" } else { "other" })
            .collect()
    };
    // A failing assertion, a race; no deadlock, overflow or wrong access.
    assert_eq!(verdicts, ["other", "other", "safe", "safe", "safe"], "{}{}", out(&o), err(&o));
    assert_eq!(o.status.code(), Some(1));
    let o = verify(LABELS, &["--property", "all", "--format", "json"]);
    let doc: Document = serde_json::from_slice(&o.stdout).unwrap();
    let properties: Vec<&str> = doc.results.iter().map(|r| r.property.as_str()).collect();
    assert_eq!(
        properties,
        [
            "no failing assertion",
            "no data race",
            "no deadlock",
            "no overflow",
            "valid memory, no memory leak"
        ]
    );
    assert_eq!(doc.results[0].checks.get("assertions"), Some(&2));
    assert_eq!(o.status.code(), Some(0));
    says("int main(void) { return 0 }\n", &["--property", "all"], 2, &["error"]);
    says(NONE, &["--property", "all", "--proof", "p"], 2, &["one property"]);
}
