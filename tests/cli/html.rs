//! `verify --html`: pages, seen as texts; `scripts/check-html` looks at them in a browser.

use super::{SAFE, UNSAFE, benchmark, folder, out, relyant};
use std::path::Path;

/// The page that `verify` writes, and its exit status.
fn page(dir: &Path, options: &[&str], file: &str) -> (String, Option<i32>) {
    let o = relyant(dir)
        .env("SOURCE_DATE_EPOCH", "0")
        .args(["verify", "--html", "out.html"])
        .args(options)
        .arg(file)
        .output()
        .unwrap();
    let text = std::fs::read_to_string(dir.join("out.html")).unwrap_or_else(|e| panic!("{e}: {}", out(&o)));
    (text, o.status.code())
}

/// Without times.
fn timeless(page: &str) -> String {
    let mut parts = page.split("time\">");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, p| all + p.split_once('<').map_or("", |x| x.1))
}

#[test]
fn a_proof_has_its_invariants_and_its_obligations() {
    let peterson = std::fs::read_to_string(benchmark("mutex/peterson.c")).unwrap();
    let dir = folder(&[("s.c", &peterson)]);
    let (text, code) = page(dir.path(), &["--method", "rely-guarantee"], "s.c");
    assert_eq!(code, Some(0));
    assert!(text.contains("role=\"tab\"") && text.contains("class=\"row known\""), "{text}");
    assert!(
        text.contains(">s.proof.json<") && text.contains(">s.smt2<") && text.contains(">unsat<"),
        "{text}"
    );
    // A namespace is a name, nothing that is loaded.
    let loads = text.replace("http://www.w3.org/2000/svg", "");
    assert!(!text.contains(">sat<") && !loads.contains("http://") && !text.contains("src="), "{text}");
    let again = page(dir.path(), &["--method", "rely-guarantee"], "s.c").0;
    assert_eq!(timeless(&text), timeless(&again));
}

#[test]
fn a_run_has_a_lane_for_each_thread() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let (text, code) = page(dir.path(), &[], "u.c");
    assert_eq!(code, Some(1));
    assert!(text.contains("data-lanes=\"2\"") && text.contains("class=\"step end\""), "{text}");
    assert_eq!(timeless(&text), timeless(&page(dir.path(), &[], "u.c").0));
}

#[test]
fn a_source_adds_nothing_to_its_page() {
    let evil = UNSAFE.replace("int main", "/* </script><script>alert(1)</script> */ int main");
    let dir = folder(&[("a<b>.c", &evil), ("s.c", "int main(void) { undeclared<b>(); }")]);
    let (text, _) = page(dir.path(), &[], "a<b>.c");
    assert!(!text.contains("<script>alert") && !text.contains("<b>"), "{text}");
    let (text, code) = page(dir.path(), &[], "s.c");
    assert_eq!(code, Some(2));
    assert!(text.contains("verdict refused") && !text.contains("<b>"), "{text}");
}

#[test]
fn a_batch_has_an_index() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE)]);
    let o =
        relyant(dir.path()).args(["verify", "--html", "all.html", "--each", "s.c", "u.c"]).output().unwrap();
    assert_eq!(o.status.code(), Some(1), "{}", out(&o));
    let text = std::fs::read_to_string(dir.path().join("all.html")).unwrap();
    for (k, verdict) in [(1, "safe"), (2, "unsafe")] {
        assert!(text.contains(&format!("href=\"all_pages/000{k}.html\"")), "{text}");
        let page = std::fs::read_to_string(dir.path().join(format!("all_pages/000{k}.html"))).unwrap();
        assert!(page.contains(&format!("verdict {verdict}")), "{page}");
    }
}

#[test]
fn what_cannot_be_written_is_a_failure() {
    let dir = folder(&[("s.c", SAFE)]);
    let o = relyant(dir.path()).args(["verify", "--html", "none/out.html", "s.c"]).output().unwrap();
    assert_eq!(o.status.code(), Some(2), "{}", out(&o));
}

/// What is written beside the page is what the page has.
#[test]
fn a_page_has_the_certificate_that_is_written() {
    let dir = folder(&[("s.c", SAFE)]);
    let options = ["--proof", "proof.json", "--method", "rely-guarantee"];
    let (text, code) = page(dir.path(), &options, "s.c");
    let written = std::fs::read_to_string(dir.path().join("proof.json")).unwrap();
    let embedded = serde_json::Value::from(written).to_string().replace('<', "\\u003c");
    assert!(code == Some(0) && text.contains(&embedded), "{embedded}");
    // What cannot be read again is made again.
    let (text, code) = page(dir.path(), &["--proof", "/dev/null"], "s.c");
    assert!(code == Some(0) && text.contains("verdict safe"), "{text}");
}
