//! Counterexamples that are compiled and run.

mod given;
mod orders;
mod several;
mod threads;

use relyant::report::json::{Document, Entry};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in a folder of its own, and the folder that its run gets.
struct Case {
    _temporary: tempfile::TempDir,
    source: PathBuf,
    out: PathBuf,
}

impl Case {
    fn new(text: &str) -> Case {
        let temporary = tempfile::tempdir().expect("a folder");
        let source = temporary.path().join("program.c");
        std::fs::write(&source, text).expect("a file");
        Case { source, out: temporary.path().join("out"), _temporary: temporary }
    }

    fn relyant(&self, args: &[&str]) -> (Option<i32>, String) {
        let run = Command::new(relyant_testing::relyant!()).args(args).output().expect("it runs");
        let said = [run.stdout, run.stderr].concat();
        (run.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Verifies it, and makes a program of the run.
    fn verify(&self, args: &[&str]) -> Entry {
        let (source, out) = (self.source.display().to_string(), self.out.display().to_string());
        let words = ["verify", "--format", "json", "--reproduce", &out, "--runs", "5"];
        let (_, said) = self.relyant(&[&words[..], args, &[&source]].concat());
        let document: Document = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}"));
        document.results.into_iter().next().expect("a result")
    }

    /// What the program says, and its exit status.
    fn run(&self) -> (Option<i32>, String) {
        run(&self.out)
    }
}

fn run(dir: &Path) -> (Option<i32>, String) {
    let run = Command::new(dir.join("run")).output().expect("it runs");
    (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
}

/// Verifies a program, has its run reproduced, and gives what it says then.
#[track_caller]
fn reproduced(text: &str, args: &[&str]) -> String {
    let case = Case::new(text);
    let entry = case.verify(args);
    assert_eq!(entry.verdict.as_deref(), Some("unsafe"), "{:?} {:?}", entry.error, entry.reason);
    let done = entry.reproduced.expect("it was tried");
    assert!(done.succeeded() && done.runs == 5, "{done:?}");
    case.run().1
}

const TWO: &str = "
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    END
    return 0;
}
";

/// Two threads, and what is done when both have ended.
fn two(text: &str, end: &str) -> String {
    format!("#include <assert.h>\n#include <pthread.h>\n{text}{}", TWO.replace("END", end))
}

#[test]
fn an_update_is_lost() {
    let text = two(
        "int x;
         void *first(void *arg) { x++; return 0; }
         void *second(void *arg) { x += 2; return 0; }",
        "assert(x == 3);",
    );
    let said = reproduced(&text, &[]);
    assert!(said.contains("program.c:12: main: Assertion `x == 3' failed"), "{said}");
}

#[test]
fn values_of_inputs_are_given() {
    let text = two(
        "extern int __VERIFIER_nondet_int(void);
         extern unsigned char some_byte(void);
         int x, sum;
         void *first(void *arg) { x = __VERIFIER_nondet_int(); return 0; }
         void *second(void *arg) { if (x == 12345) sum = x + some_byte(); return 0; }",
        "assert(sum != 12345 + 77);",
    );
    assert!(reproduced(&text, &[]).contains("Assertion `sum != 12345 + 77' failed"));
}

#[test]
fn a_deadlock_hangs_where_it_is_said() {
    let text = two(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
         void *first(void *arg) {
             pthread_mutex_lock(&m);
             pthread_mutex_lock(&n);
             pthread_mutex_unlock(&n);
             pthread_mutex_unlock(&m);
             return 0;
         }
         void *second(void *arg) {
             pthread_mutex_lock(&n);
             pthread_mutex_lock(&m);
             pthread_mutex_unlock(&m);
             pthread_mutex_unlock(&n);
             return 0;
         }",
        "",
    );
    let said = reproduced(&text, &["--property", "deadlock"]);
    for place in
        ["program.c:6 in pthread_mutex_lock", "program.c:13 in pthread_mutex_lock", "in pthread_join"]
    {
        assert!(said.contains(place), "{place}: {said}");
    }
}

#[test]
fn a_wait_wakes_up_spuriously() {
    let text = two(
        "int ready;
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;
         void *first(void *arg) {
             pthread_mutex_lock(&m);
             if (!ready) pthread_cond_wait(&c, &m);
             assert(ready);
             pthread_mutex_unlock(&m);
             return 0;
         }
         void *second(void *arg) {
             pthread_mutex_lock(&m);
             ready = 1;
             pthread_cond_signal(&c);
             pthread_mutex_unlock(&m);
             return 0;
         }",
        "",
    );
    assert!(reproduced(&text, &[]).contains("program.c:9: first: Assertion `ready' failed"));
}

#[test]
fn a_lost_wakeup_hangs() {
    let text = two(
        "int ready;
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;
         void *first(void *arg) {
             int seen;
             pthread_mutex_lock(&m);
             seen = ready;
             pthread_mutex_unlock(&m);
             pthread_mutex_lock(&m);
             if (!seen) while (1) pthread_cond_wait(&c, &m);
             pthread_mutex_unlock(&m);
             return 0;
         }
         void *second(void *arg) { pthread_cond_signal(&c); return 0; }",
        "",
    );
    let case = Case::new(&text);
    let entry = case.verify(&["--property", "deadlock"]);
    // Where waits may wake up spuriously there is no deadlock: then there is nothing to reproduce.
    if entry.verdict.as_deref() == Some("unsafe") {
        assert!(entry.reproduced.expect("it was tried").succeeded());
    }
}

#[test]
fn a_race_is_seen_by_thread_sanitizer() {
    let text = two(
        "int x, y;
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         void *first(void *arg) { pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m); x = 1; return 0; }
         void *second(void *arg) {
             pthread_mutex_lock(&m);
             int seen = y;
             pthread_mutex_unlock(&m);
             if (!seen) x = 2;
             return 0;
         }",
        "",
    );
    let said = reproduced(&text, &["--property", "no-data-race"]);
    assert!(said.contains("WARNING: ThreadSanitizer: data race"), "{said}");
    assert!(said.contains("program.c:5") && said.contains("program.c:10"), "{said}");
}

#[test]
fn a_use_after_free_is_seen_by_address_sanitizer() {
    let text = two(
        "#include <stdlib.h>
         int *p, done;
         void *first(void *arg) { free(p); done = 1; return 0; }
         void *second(void *arg) { if (done) *p = 1; return 0; }",
        "",
    )
    .replace("pthread_t a, b;", "pthread_t a, b; p = malloc(sizeof *p);");
    let said = reproduced(&text, &["--check", "memory"]);
    assert!(said.contains("AddressSanitizer: heap-use-after-free"), "{said}");
}

#[test]
fn an_overflow_is_seen_by_undefined_behavior_sanitizer() {
    let text = two(
        "int x = 2147483646;
         void *first(void *arg) { x++; return 0; }
         void *second(void *arg) { x++; return 0; }",
        "",
    );
    let said = reproduced(&text, &["--property", "no-overflow"]);
    assert!(said.contains("signed integer overflow"), "{said}");
}

#[test]
fn any_number_of_threads() {
    let text = "#include <assert.h>
        #include <pthread.h>
        extern int __VERIFIER_nondet_int(void);
        int x;
        void *run(void *arg) { int seen = x; assert(seen < 3); x = seen + 1; return 0; }
        int main(void) {
            pthread_t t;
            while (__VERIFIER_nondet_int()) pthread_create(&t, 0, run, 0);
            return 0;
        }";
    assert!(reproduced(text, &[]).contains("Assertion `seen < 3' failed"));
}

#[test]
fn labels_and_error_functions() {
    let text = two(
        "int x;
         void *first(void *arg) { x = 1; return 0; }
         void *second(void *arg) { if (x) { ERROR: return 0; } return 0; }",
        "",
    );
    assert!(reproduced(&text, &[]).contains("an error label is reached by thread"));
    let text = two(
        "int x;
         void reach_error(void) {}
         void *first(void *arg) { x = 1; return 0; }
         void *second(void *arg) { if (x) reach_error(); return 0; }",
        "",
    );
    assert!(reproduced(&text, &[]).contains("reach_error is called by thread"));
}

/// A write to a const object that lies in writable memory has its effect when it is compiled, and the program ends well.
const WRITE: &str = "struct pair { const int fixed; int free; };
    static void set(int *p) { *p = 7; }
    int main(void) { struct pair p = {1, 2}; set((int *)&p.MEMBER); return p.free == 7 ? *(int *)WHERE : 0; }";

#[test]
fn what_does_not_fail_is_unknown_when_asked_for() {
    for (member, place, fails) in [("free", "0", true), ("fixed", "&p", false)] {
        let case = Case::new(&WRITE.replace("MEMBER", member).replace("WHERE", place));
        let (source, out) = (case.source.display().to_string(), case.out.display().to_string());
        let own = ["verify", "--property", "valid-memsafety", "--runs", "2", "--reproduce", &out, &source];
        let (status, said) = case.relyant(&own);
        assert_eq!(status, Some(1), "{said}");
        let (strict, why) = case.relyant(&[&own[..], &["--reproduced"]].concat());
        assert_eq!(said.contains("fails as found, 2 of 2 runs"), fails, "{said}");
        assert_eq!(strict, Some(if fails { 1 } else { 3 }), "{why}");
        assert!(fails || said.contains("not reproduced: ") && why.contains("reason: "), "{said}{why}");
    }
}

#[test]
fn a_report_is_enough_to_make_the_program() {
    let text = two(
        "int x;
         void *first(void *arg) { x++; return 0; }
         void *second(void *arg) { x++; return 0; }",
        "assert(x == 2);",
    );
    let case = Case::new(&text);
    let (source, out) = (case.source.display().to_string(), case.out.display().to_string());
    let (_, said) = case.relyant(&["verify", "--format", "json", &source]);
    let report = case.source.with_file_name("report.json");
    std::fs::write(&report, said).expect("a file");
    let report = report.display().to_string();
    let (status, said) = case.relyant(&["reproduce", &report, &source, "-o", &out, "--runs", "3"]);
    assert_eq!((status, said), (Some(0), format!("reproduced: {out}/run fails as found, 3 of 3 runs\n")));
    // Another program does not fail that way, and it is said where it goes another way.
    std::fs::write(&case.source, text.replace("x == 2", "x <= 2")).expect("a file");
    let (status, said) = case.relyant(&["reproduce", &report, &source, "-o", &out, "--runs", "3"]);
    assert_eq!(status, Some(3), "{said}");
    assert!(said.starts_with("not reproduced: the program does not fail as the run does: it ends"), "{said}");
    let (status, said) = case.relyant(&["reproduce", &source, &source, "-o", &out]);
    assert!(status == Some(2) && said.contains("no report"), "{said}");
}

#[test]
fn a_witness_is_enough_to_make_the_program() {
    let text = two(
        "extern void reach_error(void);
         int x;
         void *first(void *arg) { x++; return 0; }
         void *second(void *arg) { x++; return 0; }",
        "if (x != 2) reach_error();",
    );
    let case = Case::new(&text);
    let (source, out) = (case.source.display().to_string(), case.out.display().to_string());
    let witness = case.source.with_file_name("witness.yml").display().to_string();
    let (status, said) = case.relyant(&["verify", "--witness", &witness, &source]);
    assert_eq!(status, Some(1), "{said}");
    let (status, said) = case.relyant(&["reproduce", &witness, &source, "-o", &out, "--runs", "3"]);
    assert_eq!((status, said), (Some(0), format!("reproduced: {out}/run fails as found, 3 of 3 runs\n")));
    assert!(case.run().1.contains("reach_error is called by thread"));
}
