//! `explain`: certificates for readers.

use super::{SAFE, benchmark, folder, out, relyant};
use std::path::Path;

/// What `explain` prints of the certificate that `verify` writes.
fn explained(dir: &Path, options: &[&str], file: &Path) -> String {
    let mut verify = relyant(dir);
    let o = verify.args(["verify", "--proof", "p.json"]).args(options).arg(file).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let o = relyant(dir).args(["explain", "p.json"]).arg(file).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    out(&o)
}

#[test]
fn peterson_fits_one_screen() {
    let dir = folder(&[]);
    let text = explained(dir.path(), &["--method", "rely-guarantee"], &benchmark("mutex/peterson.c"));
    assert!(text.lines().count() <= 60, "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 140), "{text}");
    // The flag is up in the critical section, and nobody else may take it down.
    let critical = text.lines().find(|l| l.contains("visitor = 0;")).unwrap();
    assert!(critical.contains("| want0 == 1"), "{text}");
    let others = text.lines().filter(|l| l.starts_with("thread right may:"));
    assert!(others.clone().count() >= 2 && others.clone().all(|l| !l.contains("writes want0")), "{text}");
    assert!(others.clone().any(|l| l.contains("turn' == 0 (line ")), "{text}");
}

#[test]
fn sets_of_states_say_which_values_there_are() {
    let dir = folder(&[("s.c", SAFE)]);
    let text = explained(dir.path(), &["--method", "search"], Path::new("s.c"));
    let (main, worker) = text.split_once("thread f").unwrap();
    assert!(main.contains("| x in {0, 1}"), "{text}");
    assert!(worker.contains("| x == 0"), "{text}");
}

#[test]
fn systems_of_replicated_threads_have_their_own_form() {
    let dir = folder(&[]);
    let text = explained(dir.path(), &["--method", "coverability"], &benchmark("unbounded/mailbox.c"));
    assert!(text.contains("safe for replicated threads"), "{text}");
    assert!(text.contains("no number of threads covers an error"), "{text}");
}

#[test]
fn what_is_not_accepted_is_not_explained() {
    let source = std::fs::read_to_string(benchmark("mutex/peterson.c")).unwrap();
    let dir = folder(&[("s.c", &source)]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(
        run(&["verify", "--method", "rely-guarantee", "--proof", "p.json", "s.c"]).status.code(),
        Some(0)
    );
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    let mut proof: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Then nobody says that the other thread may write.
    for t in proof["threads"].as_array_mut().unwrap() {
        t["environment"] = serde_json::json!([]);
    }
    std::fs::write(dir.path().join("q.json"), proof.to_string()).unwrap();
    let o = run(&["explain", "q.json", "s.c"]);
    assert_eq!(o.status.code(), Some(1), "{}", out(&o));
    assert_eq!(out(&o), "");
    assert_eq!(run(&["explain", "s.c", "s.c"]).status.code(), Some(2));
}

#[test]
fn certificates_are_written_in_few_words() {
    let dir = folder(&[]);
    let file = benchmark("mutex/peterson.c");
    explained(dir.path(), &["--method", "rely-guarantee"], &file);
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    let proof: serde_json::Value = serde_json::from_str(&text).unwrap();
    let threads = proof["threads"].as_array().unwrap();
    let count = |key: &str| threads.iter().map(|t| t[key].as_array().unwrap().len()).sum::<usize>();
    // There are 72 before any two are joined.
    assert!(count("environment") <= 24, "{text}");
}

#[test]
fn nets_say_what_no_run_exceeds() {
    let dir = folder(&[]);
    let text = explained(dir.path(), &[], &benchmark("finite/buffer.pnml"));
    assert!(text.contains("never covered\n"), "{text}");
    assert!(text.contains("in every run\n  free + full <= 4"), "{text}");
    let text = explained(dir.path(), &["--widening", "none"], &benchmark("finite/door.tts"));
    assert!(text.contains("whoever covers none of these does not after a step"), "{text}");
}

#[test]
fn boolean_programs_have_values_beside_their_lines() {
    let dir = folder(&[]);
    let text = explained(dir.path(), &[], &benchmark("finite/publish.bp"));
    let (main, reader) = text.split_once("procedure reader").unwrap();
    assert!(main.contains("procedure main"), "{text}");
    let at = |part: &str, line: &str| {
        part.lines().find(|l| l.contains(line)).map(String::from).unwrap_or_default()
    };
    assert!(at(main, "ready := T").ends_with("| value && !ready"), "{text}");
    assert!(at(reader, "assert(value)").ends_with("| value && ready"), "{text}");
    assert!(at(reader, "while !seen").ends_with("| value || !ready"), "{text}");
}

/// All of its assertions are settled by constants.
const SETTLED: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int config = 3;\n\
    void *f(void *x) {\n\tif (config > 5)\n\t\tassert(0);\n\treturn 0;\n}\n\
    int main(void) {\n\tpthread_t t;\n\tassert(sizeof(int) == 4);\n\tpthread_create(&t, 0, f, 0);\n\
    \tassert(config == 3);\n\tpthread_join(t, 0);\n\treturn 0;\n}\n";

#[test]
fn what_was_settled_while_reading_is_said() {
    let dir = folder(&[("s.c", SETTLED)]);
    let report = out(&relyant(dir.path()).args(["verify", "--html", "s.html", "s.c"]).output().unwrap());
    let said = "settled: while reading: 3 assertions (lines 6, 11, 13); no step that is left can fail";
    assert!(report.contains(said), "{report}");
    let text = explained(dir.path(), &[], Path::new("s.c"));
    assert!(text.contains("Settled while reading: 3 assertions."), "{text}");
    let beside = |line: &str, why: &str| {
        let all: Vec<&str> = text.lines().collect();
        let at = all.iter().position(|l| l.contains(line)).unwrap_or_else(|| panic!("{line}: {text}"));
        assert!(all[at].contains(why) || all[at + 1].contains(why), "{text}");
    };
    beside("assert(0);", "| never reached");
    beside("assert(sizeof(int) == 4);", "| holds: a constant");
    beside("assert(config == 3);", "| cannot fail: config follows from constants");
    let page = std::fs::read_to_string(dir.path().join("s.html")).unwrap();
    assert!(
        page.contains("What was settled while reading") && page.contains("assert(config == 3);"),
        "{page}"
    );
    assert!(!page.contains("<tbody></tbody>") && !page.contains("Who relies on whom"), "{page}");
}
