//! Programs that have no proof within a limit of work, and one with a hint of a line or two (`benchmarks/hints`).

use relyant::pipeline::certify::Certificate;
use relyant::pipeline::{self, Settings, Verdict};
use relyant_cfa::comments::comments;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::AnyCertificate;
use relyant_checker::source::Claim;
use relyant_engines::limits::RunHandle;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Work that a proof may take: about ten seconds of an idle machine.
const MOST: u64 = 10_000_000;

/// Work without hints: about two seconds of an idle machine, or ten (`RELYANT_WHOLE`).
fn work() -> u64 {
    if std::env::var_os("RELYANT_WHOLE").is_some() { MOST } else { 2_000_000 }
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benchmarks/hints").join(name)
}

/// The text without its hints; lines stay where they are.
fn without(text: &str) -> String {
    let mut out = text.to_string();
    for (start, comment) in comments(text).into_iter().rev().filter(|c| c.1.starts_with('@')) {
        out.replace_range(start..start + comment.len(), &"\n".repeat(comment.matches('\n').count()));
    }
    out
}

fn verify(path: &Path, settings: &Settings) -> Verdict {
    pipeline::verify_file(path, settings, &RunHandle::new(None)).unwrap().verdict
}

/// A hint proves what is unknown without it, and the checker, which reads the source anew, accepts the proof.
fn helps(name: &str, settings: &Settings) {
    let path = file(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bare = dir.path().join(name);
    std::fs::write(&bare, without(&text)).unwrap();
    let limited = Settings { max_work: work(), ..Settings::default() };
    let verdict = verify(&bare, &limited);
    assert!(matches!(verdict, Verdict::Unknown(_)), "{name}: {verdict:?}");
    let limited = Settings { max_work: MOST, ..settings.clone() };
    let report = pipeline::verify_file(&path, &limited, &RunHandle::new(None)).unwrap();
    assert!(matches!(report.verdict, Verdict::Safe(_)), "{name}: {:?}", report.verdict);
    let certificate = Certificate::of(&report, &path, &limited.meaning).unwrap().unwrap();
    let mut written = Vec::new();
    certificate.write(&mut written, &|| Duration::from_secs(10)).unwrap();
    let read = AnyCertificate::parse(std::str::from_utf8(&written).unwrap()).unwrap();
    let claim = Claim::about(read, &path, &Preprocessing::default()).unwrap();
    claim.read().unwrap().check(None).unwrap();
}

#[test]
fn an_invariant_that_steps_restore() {
    helps("clock.c", &Settings::default());
}

#[test]
fn an_invariant_of_any_number_of_threads() {
    helps("bucket.c", &Settings::default());
}

#[test]
fn an_invariant_of_a_witness() {
    let predicates = relyant::witness::hints::predicates(&file("exchange.yml")).unwrap();
    helps("exchange.c", &Settings { predicates, ..Settings::default() });
}

#[test]
fn a_ghost_that_counts() {
    helps("allocator.c", &Settings::default());
}

#[test]
fn an_invariant_of_two_stages() {
    helps("packing.c", &Settings::default());
}
