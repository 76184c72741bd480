//! The binary `relyant-check` on certificates that engines made: accepted as they are, rejected for another source, and
//! never accepted where they cannot be read.

use relyant::{Options, verify_file};
use std::path::Path;
use std::process::Command;

const LOCKED: &str = "#include <pthread.h>
#include <assert.h>
int busy, lock;
void *work(void *p) {
    while (__sync_lock_test_and_set(&lock, 1)) {}
    busy++;
    assert(busy == 1);
    busy--;
    __sync_lock_release(&lock);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Exit status, and what was said.
fn check(arguments: &[&Path]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_relyant-check")).args(arguments).output().unwrap();
    let text = [out.stdout, out.stderr].concat();
    (out.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn a_c_program() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let source = file("locked.c", LOCKED);
    let verified = verify_file(&source, &Options::default()).unwrap();
    let text = verified.certificate().unwrap().expect("it is safe");
    let proof = file("proof.json", &text);
    let (status, said) = check(&[&proof, &source]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.starts_with("property: ") && said.contains("\naccepted: "), "{said}");

    let other = file("other.c", &LOCKED.replace("busy == 1", "busy == 2"));
    let (status, said) = check(&[&proof, &other]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.starts_with("rejected: "), "{said}");

    let cut = file("cut.json", &text[..text.len() / 2]);
    let (status, said) = check(&[&cut, &source]);
    assert_eq!(status, Some(2), "{said}");
    let (status, _) = check(&[&proof]);
    assert_eq!(status, Some(2));
}

#[test]
fn a_system_of_threads_is_told_from_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let net = dir.path().join("net.spec");
    std::fs::write(&net, "vars\n x\nrules\n x >= 1 -> x' = x - 1;\ninit\n x = 1\ntarget\n x >= 2\n").unwrap();
    let proof = dir.path().join("proof.json");
    std::fs::write(&proof, "{\"format\": \"relyant-coverability\", \"version\": 1}").unwrap();
    let (status, said) = check(&[&proof, &net]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("not a certificate"), "{said}");
}
