//! Invariants of proofs in real runs.

use std::path::{Path, PathBuf};
use std::process::Command;

fn relyant(args: &[&str]) -> (Option<i32>, String) {
    let run = Command::new(relyant_testing::relyant!()).args(args).output().expect("it runs");
    let said = [run.stdout, run.stderr].concat();
    (run.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// A program in a folder of its own, with a proof.
struct Case {
    _temporary: tempfile::TempDir,
    source: PathBuf,
    proof: PathBuf,
    out: PathBuf,
}

impl Case {
    #[track_caller]
    fn new(text: &str, args: &[&str]) -> Case {
        let temporary = tempfile::tempdir().expect("a folder");
        let at = |name: &str| temporary.path().join(name);
        let case =
            Case { source: at("program.c"), proof: at("proof.json"), out: at("out"), _temporary: temporary };
        std::fs::write(&case.source, text).expect("a file");
        let words = ["verify", "--method", "rely-guarantee", "--proof", word(&case.proof)];
        let (status, said) = relyant(&[&words[..], args, &[word(&case.source)]].concat());
        assert_eq!(status, Some(0), "{said}");
        case
    }

    fn observe(&self) -> (Option<i32>, String) {
        let (proof, source, out) = (word(&self.proof), word(&self.source), word(&self.out));
        relyant(&["observe", proof, source, "-o", out, "--runs", "100"])
    }

    #[track_caller]
    fn holds(&self) -> String {
        let (status, said) = self.observe();
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("every invariant holds in every run"), "{said}");
        said
    }

    /// Changes a comparison of the proof, which must be there.
    #[track_caller]
    fn forge(&self, old: &str, new: &str) {
        let text = std::fs::read_to_string(&self.proof).expect("a proof");
        let changed = text.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        assert_ne!(text, changed, "no {old} in the proof");
        std::fs::write(&self.proof, changed).expect("a file");
    }
}

fn word(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Two threads.
fn two(text: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n{text}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}}
"
    )
}

const LOCKED: &str = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
void *first(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    y = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
void *second(void *arg) {
    pthread_mutex_lock(&m);
    int seen = x;
    assert(seen == y);
    pthread_mutex_unlock(&m);
    return 0;
}";

#[test]
fn invariants_hold_and_changed_ones_do_not() {
    let case = Case::new(&two(LOCKED), &[]);
    let said = case.holds();
    assert!(said.contains("before"), "{said}");
    case.forge("x == 1", "x == 2");
    let (status, said) = case.observe();
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("does not hold") && said.contains("x = 1"), "{said}");
    // The run that is named fails again, the same way.
    let again = said.lines().find_map(|l| l.strip_prefix("again: ")).expect("how to run it");
    let words: Vec<&str> = again.split(' ').collect();
    let fails = || {
        let run = Command::new(words[0]).args(&words[1..]).output().expect("it runs");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (once, twice) = (fails(), fails());
    assert_eq!(once, twice);
    assert_eq!(once.0, Some(70), "{}", once.1);
}

#[test]
fn a_place_that_is_never_reached_is_an_invariant() {
    let text = "int x;
void *first(void *arg) {
    x = 1;
    if (x > 1)
        x = 3;
    return 0;
}
void *second(void *arg) {
    assert(x <= 1);
    return 0;
}";
    // Whatever the proof says of it, nobody comes to line 7.
    Case::new(&two(text), &[]).holds();
}

#[test]
fn conditions_of_loops_and_functions_called_from_several_places() {
    let text = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
static void add(void) {
    pthread_mutex_lock(&m);
    if (x < 5) {
        y = y + 1;
        x = x + 1;
    }
    pthread_mutex_unlock(&m);
}
void *first(void *arg) {
    while (x < 5)
        add();
    return 0;
}
void *second(void *arg) {
    add();
    add();
    pthread_mutex_lock(&m);
    assert(x == y);
    pthread_mutex_unlock(&m);
    return 0;
}";
    let said = Case::new(&two(text), &[]).holds();
    let count = |unit: &str| {
        let before = said.split_once(unit).map(|x| x.0).and_then(|x| x.rsplit(' ').next());
        before.and_then(|n| n.parse::<usize>().ok()).expect("how many")
    };
    let (statements, invariants) = (count(" statements\n"), count(" invariants "));
    assert!(statements >= 4 && invariants > statements, "{said}");
}

#[test]
fn assumptions_in_sections_wait() {
    let text = "extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int taken, data;
static void take(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(taken == 0);
    taken = 1;
    __VERIFIER_atomic_end();
}
void *first(void *arg) {
    take();
    data = 1;
    data = 0;
    taken = 0;
    return 0;
}
void *second(void *arg) {
    take();
    assert(data == 0);
    taken = 0;
    return 0;
}";
    let said = Case::new(&two(text), &[]).holds();
    assert!(said.contains("(100 ended, 0 stopped, 0 stuck, 0 assumed away"), "{said}");
}

#[test]
fn numbers_are_not_those_of_their_types() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void);
unsigned char low, high;
void *first(void *arg) {
    unsigned char n = __VERIFIER_nondet_uint();
    low = n;
    if (n < 255)
        high = n + 1;
    return 0;
}
void *second(void *arg) {
    assert(high <= 255);
    return 0;
}";
    let case = Case::new(&two(text), &[]);
    let (status, said) = case.observe();
    // There may be nothing to be said, but nothing fails.
    assert!(matches!(status, Some(0 | 3)), "{said}");
}

#[test]
fn what_cannot_be_observed_is_refused() {
    let case = Case::new(&two(LOCKED), &["--integers", "ideal"]);
    let (status, said) = case.observe();
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("integers of the proof"), "{said}");
    // Nor a certificate about another source.
    let case = Case::new(&two(LOCKED), &[]);
    std::fs::write(&case.source, two(&LOCKED.replace("y = 1", "y = 2"))).expect("a file");
    assert_eq!(case.observe().0, Some(1));
}
