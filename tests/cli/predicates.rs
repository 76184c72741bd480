//! Predicates from people: tried, never trusted.

use super::{folder, out, relyant};
use std::path::Path;
use std::process::Output;

/// Three sums grow in step, in several steps each, without a lock.
fn sums(comment: &str, claim: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n{comment}\n\
         int x, y, z;\n\
         void *walk(void *a)\n{{\n\twhile (__VERIFIER_nondet_int()) {{\n\t\tint k = __VERIFIER_nondet_int();\n\
         \t\tif (0 < k && k < 1000 && z < 100000) {{\n\t\t\tx = x + k;\n\t\t\ty = y + 2 * k;\n\t\t\tz = z + 3 * k;\n\t\t}}\n\t}}\n\treturn 0;\n}}\n\
         int main(void)\n{{\n\tpthread_t t;\n\tpthread_create(&t, 0, walk, 0);\n\tpthread_join(t, 0);\n\tassert({claim});\n\treturn 0;\n}}\n"
    )
}

const SAFE: &str = "x + y == z";

fn verify(dir: &Path, options: &[&str]) -> Output {
    relyant(dir).args(["verify", "--timeout", "20"]).args(options).arg("a.c").output().unwrap()
}

/// How often the proof that was found was refined.
fn iterations(run: &Output) -> u32 {
    let said = out(run);
    assert_eq!(run.status.code(), Some(0), "{said}");
    let found = said.lines().find_map(|l| l.strip_prefix("found: by refinement: ")).expect("a proof");
    found.split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn they_are_tried() {
    let plain = folder(&[("a.c", &sums("", SAFE))]);
    let comment = "/*@ predicate: x + y - z == 0; y == 2*x && z == 3*x; walk::none <= 1 */";
    let commented = folder(&[("a.c", &sums(comment, SAFE))]);
    let proof = ["--method", "rely-guarantee"];
    let without = iterations(&verify(plain.path(), &proof));
    let option = ["--predicate", "x + y - z == 0 && (y == 2*x)", "--predicate", "-3*x + z == 0"];
    let given = iterations(&verify(plain.path(), &[&proof[..], &option].concat()));
    let told = iterations(&verify(commented.path(), &[&proof[..], &["--proof", "p.json"]].concat()));
    assert!(given < without && told < without, "{without} without, {given} and {told} with predicates");
    let checked = relyant(commented.path()).args(["check", "p.json", "a.c"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", out(&checked));
}

#[test]
fn they_are_not_trusted() {
    let dir = folder(&[("a.c", &sums("//@ predicate: x <= 1; z <= 3", "x <= 1"))]);
    let run = verify(dir.path(), &[]);
    assert_eq!(run.status.code(), Some(1), "{}", out(&run));
}

#[test]
fn what_cannot_be_tried_is_told() {
    let dir = folder(&[("a.c", &sums("/*@ predicate: lost <= 1 */", "x * x <= z * z"))]);
    let run = verify(dir.path(), &["--method", "rely-guarantee"]);
    let said = out(&run);
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("hint: a.c:4: `lost <= 1` was not tried"), "{said}");
    let dir = folder(&[("a.c", &sums("/*@ predicate: x ** y */", SAFE))]);
    let run = verify(dir.path(), &[]);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.starts_with("a.c:4:16: error: this is no predicate"), "{said}");
    for wrong in ["x", "x <= y * y", "x <="] {
        let run = verify(dir.path(), &["--predicate", wrong]);
        assert_eq!(run.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn invariants_of_a_witness_are_tried() {
    let dir = folder(&[("a.c", &sums("", SAFE))]);
    let made = verify(dir.path(), &["--method", "rely-guarantee", "--witness", "w.yml"]);
    assert_eq!(made.status.code(), Some(0), "{}", out(&made));
    let run = verify(dir.path(), &["--method", "rely-guarantee", "--hints", "w.yml"]);
    assert_eq!(run.status.code(), Some(0), "{}", out(&run));
    let run = verify(dir.path(), &["--hints", "a.c"]);
    assert_eq!(run.status.code(), Some(2), "{}", out(&run));
}

/// Blocks of eight bytes are taken from a heap; what the ghost is for the program does not count.
fn blocks(comment: &str, unit: u32) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nunsigned top;\n/*@ predicate: top == 8*units */\n\
         void *user(void *a)\n{{\n\tunsigned block, n;\n\tfor (;;) {{\n\t\tn = __VERIFIER_nondet_uchar();\n\t\tpthread_mutex_lock(&m);\n\
         \t\tblock = top;\n\t\tassert(block % {unit} == 0);\n\t\tif (block < 1000000u)\n\t\t\ttop = block + 8 * n; {comment}\n\
         \t\tpthread_mutex_unlock(&m);\n\t}}\n}}\n\
         int main(void)\n{{\n\tpthread_t t;\n\tpthread_create(&t, 0, user, 0);\n\tpthread_create(&t, 0, user, 0);\n\treturn 0;\n}}\n"
    )
}

const COUNTS: &str = "/*@ ghost int units = 0; units = units + n */";

#[test]
fn ghost_code_says_what_a_program_does_not() {
    let dir = folder(&[("a.c", &blocks(COUNTS, 8))]);
    let run = verify(dir.path(), &["--method", "rely-guarantee", "--proof", "p.json"]);
    assert_eq!(run.status.code(), Some(0), "{}", out(&run));
    let certificate = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(certificate.contains("\"given\""), "{certificate}");
    let checked = relyant(dir.path()).args(["check", "p.json", "a.c"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", out(&checked));
}

/// Nothing that a comment says changes the program.
#[test]
fn ghost_code_is_not_trusted() {
    let wrong = [
        (COUNTS, 16),
        ("/*@ ghost int units = 0; units = 0 */", 16),
        ("/*@ ghost int top = 0; top = 0 */", 16),
        ("/*@ ghost top = 0; block = 0; n = 16; m = 1 */", 16),
    ];
    for (comment, unit) in wrong {
        let dir = folder(&[("a.c", &blocks(comment, unit))]);
        let run = verify(dir.path(), &[]);
        assert_eq!(run.status.code(), Some(1), "{comment}\n{}", out(&run));
    }
}

#[test]
fn ghost_code_without_effect_is_told() {
    let comment = "/*@ ghost int units; units = units * n; units = lost; other = 1 */";
    let dir = folder(&[("a.c", &blocks(comment, 8).replace("1000000u", "100000000u"))]);
    let run = verify(dir.path(), &["--method", "rely-guarantee"]);
    let said = out(&run);
    assert_eq!(run.status.code(), Some(3), "{said}");
    for lost in ["units = units * n", "units = lost", "other = 1"] {
        assert!(said.contains(&format!("hint: a.c:16: `ghost {lost}` has no effect")), "{lost}\n{said}");
    }
    assert!(!said.contains("`ghost int units`"), "{said}");
    // What to write about: the step that a thread's assertion does not survive.
    assert!(said.contains("needs to be true here is not kept by a step of `user`"), "{said}");
}
