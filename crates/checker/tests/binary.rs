//! The binary `relyant-check` on certificates that engines made: accepted as they are, rejected for another source, and
//! never accepted where they cannot be read.

use relyant::{Options, verify_file};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

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

/// Is there such a process, which is more than an entry that nobody has asked for?
fn is_running(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|s| !s.is_empty() && !s.starts_with('Z'))
}

#[test]
fn a_signal_and_a_limit_of_memory_end_the_compiler_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("locked.c"), LOCKED).unwrap();
    let verified = verify_file(path("locked.c"), &Options::default()).unwrap();
    std::fs::write(path("proof.json"), verified.certificate().unwrap().expect("it is safe")).unwrap();
    // A compiler that has a process of its own, and never ends.
    std::fs::write(path("cc.sh"), "sleep 300 & echo $! > \"$PID.new\"; mv \"$PID.new\" \"$PID\"; wait\n")
        .unwrap();
    let start = |arguments: &[&str], pid: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_relyant-check"));
        command.args(arguments).args([path("proof.json"), path("locked.c")]);
        command.env("CC", format!("sh {}", path("cc.sh").display())).env("PID", pid);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let soon = |what: &dyn Fn() -> bool| {
        (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            what()
        })
    };
    let started = |pid: &Path| {
        assert!(soon(&|| pid.exists()), "the compiler was not asked");
        std::fs::read_to_string(pid).unwrap().trim().to_string()
    };

    let run = start(&[], &path("first"));
    let compiler = started(&path("first"));
    assert!(is_running(&compiler));
    assert!(Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait_with_output().unwrap().status.signal(), Some(15));
    assert!(soon(&|| !is_running(&compiler)), "the compiler was left behind");

    let out = start(&["--memory", "1"], &path("second")).wait_with_output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(said.starts_with("undecided: memory limit of 1 MiB reached"), "{said}");
    if let Ok(compiler) = std::fs::read_to_string(path("second")) {
        assert!(soon(&|| !is_running(compiler.trim())), "the compiler was left behind");
    }
}
