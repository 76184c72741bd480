//! The command line from outside: exit statuses, reports, limits, signals, bad input.

mod action;
mod bad_input;
mod bench;
mod certificates;
mod checks;
mod exit_status;
mod explain;
mod finite;
mod formats;
mod hints;
mod horn;
mod html;
mod limits;
mod lsp;
mod manual;
mod memory_model;
mod predicates;
mod reports;
mod runs;
#[path = "../schema/mod.rs"]
mod schema;
mod security;
mod several;
mod show;
mod sources;
mod tasks;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program, in a folder of the tests' own.
fn relyant(folder: &Path) -> Command {
    let mut c = Command::new(relyant_testing::relyant!());
    c.current_dir(folder);
    c
}

/// A folder with files in it.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn benchmark(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(name)
}

fn out(o: &Output) -> String {
    String::from_utf8(o.stdout.clone()).unwrap()
}

fn err(o: &Output) -> String {
    String::from_utf8(o.stderr.clone()).unwrap()
}

/// Safe at a glance.
const SAFE: &str = r#"
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x <= 1); return 0; }
"#;

/// Unsafe: the thread may have run.
const UNSAFE: &str = r#"
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0); return 0; }
"#;

/// Refused: a syntax error.
const WRONG: &str = "int main(void) { return 0 }\n";

/// Takes the engines longer than anybody waits.
fn endless() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cli/endless.c")
}
