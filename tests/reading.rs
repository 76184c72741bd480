//! Memory that reading takes: as long programs grow, it grows with them, not with their square.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

/// A handle in a variable of its own for each of many threads: all are known from creation to join.
fn handles(n: usize) -> String {
    let mut c = String::from(
        "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *w(void *a) { x++; return a; }\nint main(void) {\n",
    );
    (0..n).for_each(|i| writeln!(c, "pthread_t t{i};").unwrap());
    (0..n).for_each(|i| writeln!(c, "pthread_create(&t{i}, 0, w, 0);").unwrap());
    (0..n).for_each(|i| writeln!(c, "pthread_join(t{i}, 0);").unwrap());
    c + "assert(x != -1);\nreturn 0;\n}\n"
}

/// MiB that the largest child so far took.
fn peak() -> i64 {
    // SAFETY: the structure is plain numbers, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    usage.ru_maxrss / 1024
}

#[test]
fn handles_take_memory_as_they_are_many() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("handles.c");
    for (n, most) in [(100, 100), (1000, 200)] {
        std::fs::write(&path, handles(n)).unwrap();
        let mut show = Command::new(relyant_testing::relyant!());
        let status = show.arg("show").arg(&path).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
        assert!(peak() < most, "{n} handles: {} MiB", peak());
    }
}
