//! The library as other programs call it.

use relyant::{
    Counted, Error, Evidence, Meaning, Method, Options, Property, Refusal, Verdict, check_file, check_text,
    verify_file, verify_text,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn benchmark(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name)
}

const SAFE: &str = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
    void *f(void *a) { x = 1; return 0; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x <= 1); return 0; }\n";

/// The command line's certificate and the library's are the same bytes, whatever the evidence is; both ways to check accept it.
#[test]
fn certificates_are_those_of_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let methods = [
        ("rely-guarantee", Method::PROVE),
        ("search", Method::SEARCH),
        ("coverability", Method::COVERABILITY),
    ];
    for (name, method) in methods {
        let file = benchmark("library/handle_fixed.c");
        let out = dir.path().join(name);
        let run = Command::new(relyant_testing::relyant!())
            .args(["verify", "--method", name, "--proof"])
            .args([&out, &file])
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(0), "{run:?}");
        let options = Options { method, ..Options::default() };
        let verified = verify_file(&file, &options).unwrap();
        let kind = match verified.verdict() {
            Verdict::Safe(Evidence::Proof { .. }) => Method::PROVE,
            Verdict::Safe(Evidence::Space { .. }) => Method::SEARCH,
            Verdict::Safe(Evidence::Replicated { .. }) => Method::COVERABILITY,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind, method);
        let certificate = verified.certificate().unwrap().unwrap();
        assert!(certificate == std::fs::read_to_string(&out).unwrap(), "{name}");
        let accepted = check_file(&certificate, &file, &Options::default()).unwrap();
        assert!(matches!(
            (method, accepted.counted),
            (Method::PROVE, Counted::Obligations(1..))
                | (Method::SEARCH, Counted::States { states: 1.., .. })
                | (Method::COVERABILITY, Counted::Replicated { obligations: 1.., .. })
        ));
        assert_eq!(accepted.assumes, verified.report.assumes);
    }
}

#[test]
fn a_text_is_told_by_its_name() {
    let options = Options::default();
    let verified = verify_text("sub/a.c", SAFE, &options).unwrap();
    assert_eq!(verified.report.source_lines, 5);
    let certificate = verified.certificate().unwrap().unwrap();
    assert!(certificate.contains("\"sub/a.c\"") && !certificate.contains("relyant-text"), "{certificate}");
    let again = verify_text("sub/a.c", SAFE, &options).unwrap().certificate().unwrap();
    assert_eq!(again.as_ref(), Some(&certificate));
    // Contents count, names may differ.
    assert!(check_text(&certificate, "b.c", SAFE, &options).is_ok());
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c.c"), SAFE).unwrap();
    assert!(check_file(&certificate, dir.path().join("c.c"), &options).is_ok());
    let d = match verify_text("a.c", "int main(void) {\n  return 0 }\n", &options) {
        Err(Error::Input(d)) => d,
        other => panic!("{other:?}"),
    };
    assert_eq!((d.file.as_str(), d.line), ("a.c", 2));
    assert!(matches!(verify_file(dir.path().join("none.c"), &options), Err(Error::Input(_))));
    assert!(matches!(verify_text("a.tts", "1 1\n", &options), Err(Error::Input(_))));
}

#[test]
fn a_run_is_the_evidence_of_unsafe() {
    let meaning = Meaning { property: Property::NoDataRace, ..Meaning::default() };
    let options = Options { meaning, ..Options::default() };
    let verified = verify_text("a.c", SAFE, &options).unwrap();
    let Verdict::Unsafe { trace, .. } = verified.verdict() else { panic!("{:?}", verified.verdict()) };
    assert!(trace.accesses.len() == 2 && trace.accesses.iter().all(|a| a.file == "a.c"), "{trace:?}");
    assert!(verified.certificate().unwrap().is_none());
}

#[test]
fn what_is_no_proof_is_refused() {
    let options = Options::default();
    let certificate = verify_text("a.c", SAFE, &options).unwrap().certificate().unwrap().unwrap();
    let check = |certificate: &str, text: &str| check_text(certificate, "a.c", text, &options);
    assert!(matches!(check("{}", SAFE), Err(Refusal::Unreadable(_))));
    assert!(matches!(check(&certificate, &SAFE.replace("<= 1", "<= 0")), Err(Refusal::Rejected(_))));
    let other = certificate.replacen("\"signed\": \"assume\"", "\"signed\": \"wrap\"", 1);
    assert!(other != certificate, "{certificate}");
    assert!(check(&other, SAFE).is_ok_and(|a| a.meaning.signed == relyant_cfa::options::Signed::Wrap));
    let wrong = Options {
        meaning: Meaning { property: Property::Assertions, ..Meaning::default() },
        ..options.clone()
    };
    assert!(check_text(&certificate, "a.c", SAFE, &wrong).is_ok());
}

#[test]
fn a_limit_makes_the_verdict_unknown() {
    let options = Options { timeout: Some(Duration::from_millis(300)), ..Options::default() };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/endless.c");
    let verified = verify_file(file, &options).unwrap();
    let Verdict::Unknown(why) = verified.verdict() else { panic!("{:?}", verified.verdict()) };
    assert_eq!(why.to_string(), "time limit of 0.3 s reached");
}
