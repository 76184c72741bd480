//! Predicates from people: tried, never trusted.

use super::{folder, out, relyant};
use std::path::Path;
use std::process::Output;

/// Two counters go apart by steps that leave a weighted sum alone, in five steps each, without a lock.
fn sums(comment: &str, claim: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n{comment}\n\
         int at, last;\n\
         void *walk(void *x)\n{{\n\twhile (__VERIFIER_nondet_int()) {{\n\t\tif (at < 1000) {{\n\t\t\tlast = at;\n\t\t\tat = at + 1;\n\t\t}}\n\t}}\n\treturn 0;\n}}\n\
         int main(void)\n{{\n\tpthread_t t;\n\tpthread_create(&t, 0, walk, 0);\n\tassert({claim});\n\treturn 0;\n}}\n"
    )
}

fn verify(dir: &Path, options: &[&str]) -> Output {
    relyant(dir).args(["verify", "--timeout", "20"]).args(options).arg("a.c").output().unwrap()
}

#[test]
fn they_are_tried() {
    let plain = folder(&[("a.c", &sums("", "last <= 1000"))]);
    let commented =
        folder(&[("a.c", &sums("/*@ predicate: last - at <= 0; walk::none <= 1 */", "last <= 1000"))]);
    let runs = [
        verify(commented.path(), &["--method", "rely-guarantee", "--proof", "p.json"]),
        verify(plain.path(), &["--method", "rely-guarantee", "--predicate", "-at + last <= 0 && (at >= 0)"]),
    ];
    for run in runs {
        assert_eq!(run.status.code(), Some(0), "{}", out(&run));
    }
    let checked = relyant(commented.path()).args(["check", "p.json", "a.c"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", out(&checked));
}

#[test]
fn they_are_not_trusted() {
    let dir = folder(&[("a.c", &sums("//@ predicate: last <= 1; at <= 1", "last <= 1"))]);
    let run = verify(dir.path(), &[]);
    assert_eq!(run.status.code(), Some(1), "{}", out(&run));
}

#[test]
fn what_cannot_be_tried_is_told() {
    let dir = folder(&[("a.c", &sums("/*@ predicate: lost <= 1 */", "at * at <= 1000000"))]);
    let run = verify(dir.path(), &["--method", "rely-guarantee"]);
    let said = out(&run);
    assert!(
        run.status.code() == Some(0) || said.contains("hint: a.c:4: `lost <= 1` was not tried"),
        "{said}"
    );
    let dir = folder(&[("a.c", &sums("/*@ predicate: at ** last */", "at <= 1000"))]);
    let run = verify(dir.path(), &[]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.starts_with("a.c:4:16: error: this is no predicate"), "{said}");
    for wrong in ["at", "at <= last * last", "at <="] {
        let run = verify(dir.path(), &["--predicate", wrong]);
        assert_eq!(run.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn invariants_of_a_witness_are_tried() {
    let dir = folder(&[("a.c", &sums("", "last <= 1000"))]);
    let made = verify(dir.path(), &["--method", "rely-guarantee", "--witness", "w.yml"]);
    assert_eq!(made.status.code(), Some(0), "{}", out(&made));
    let run = verify(dir.path(), &["--method", "rely-guarantee", "--hints", "w.yml"]);
    assert_eq!(run.status.code(), Some(0), "{}", out(&run));
    let run = verify(dir.path(), &["--hints", "a.c"]);
    assert_eq!(run.status.code(), Some(2), "{}", out(&run));
}
