//! Bad input: exit status 2 and a message that says where and what, never a crash. The messages are kept in
//! `golden/`; `BLESS=1 cargo test --test cli` writes them anew.

use super::{err, folder, relyant};
use std::path::Path;
use std::time::{Duration, Instant};

fn golden(name: &str, text: &str) {
    let dir = folder(&[]);
    std::fs::write(dir.path().join("input.c"), text).unwrap();
    check(name, dir.path(), "input.c");
}

fn check(name: &str, dir: &Path, file: &str) {
    let o = relyant(dir).args(["verify", file]).output().unwrap();
    assert_eq!(o.status.code(), Some(2), "{}", err(&o));
    assert!(o.stdout.is_empty());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, err(&o)).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(err(&o), expected, "{name}");
}

#[test]
fn empty_file() {
    golden("empty.txt", "");
}

#[test]
fn no_main() {
    golden("no_main.txt", "int x;\nvoid f(void) { x = 1; }\n");
}

#[test]
fn syntax_error() {
    golden("syntax.txt", "int x;\nint main(void)\n{\n\tx = 1 +;\n\treturn 0;\n}\n");
}

#[test]
fn unknown_function() {
    golden(
        "unknown_function.txt",
        "int x;\nextern void f(int *);\nint main(void)\n{\n\tf(&x);\n\treturn 0;\n}\n",
    );
}

#[test]
fn huge_constant() {
    golden(
        "huge_constant.txt",
        "int main(void)\n{\n\treturn 340282366920938463463374607431768211456 > 1;\n}\n",
    );
}

#[test]
fn absent_file() {
    check("absent.txt", folder(&[]).path(), "absent.c");
}

#[test]
fn a_folder() {
    let dir = folder(&[]);
    std::fs::create_dir(dir.path().join("folder.c")).unwrap();
    check("folder.txt", dir.path(), "folder.c");
}

/// Input on which only the exit status is asked for, and that it comes soon.
fn ends(text: &[u8], name: &str, statuses: &[i32]) {
    let dir = folder(&[]);
    std::fs::write(dir.path().join(name), text).unwrap();
    let start = Instant::now();
    let o = relyant(dir.path()).args(["verify", "--timeout", "20", name]).output().unwrap();
    let status = o.status.code().expect("no signal");
    assert!(statuses.contains(&status), "exit status {status}: {}", err(&o));
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn binary_junk() {
    let junk: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    ends(&junk, "junk.c", &[2]);
    ends(&junk, "junk.i", &[2]);
}

#[test]
fn an_expression_of_a_megabyte() {
    let sum = format!("int x;\nint main(void) {{ return x{}; }}\n", " + x".repeat(250_000));
    ends(sum.as_bytes(), "sum.i", &[0, 2, 3]);
    let nested = format!("int main(void) {{ return {}1{}; }}\n", "(".repeat(300_000), ")".repeat(300_000));
    ends(nested.as_bytes(), "nested.i", &[0, 2, 3]);
}
