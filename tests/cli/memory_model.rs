//! Stores that go through buffers: runs, proofs, certificates, fences.

use super::{folder, relyant};
use std::path::Path;

fn benchmark(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/tso").join(name);
    std::fs::read_to_string(path).unwrap()
}

const SB: &str = "#include <assert.h>
#include <pthread.h>
volatile int x, y;
int a, b;
void *one(void *unused)
{
  x = 1;
  a = y;
  return 0;
}
void *two(void *unused)
{
  y = 1;
  b = x;
  return 0;
}
int main(void)
{
  pthread_t t, u;
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
  return 0;
}
";

#[test]
fn a_run_shows_when_a_store_comes_to_memory() {
    let dir = folder(&[("sb.c", SB)]);
    let of = |model: &str| {
        let o = relyant(dir.path()).args(["verify", "--memory-model", model, "sb.c"]).output().unwrap();
        (o.status.code(), String::from_utf8(o.stdout).unwrap())
    };
    let (status, text) = of("tso");
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("waits in its buffer") && text.contains("comes to memory"), "{text}");
    let (status, text) = of("sc");
    assert_eq!(status, Some(0), "{text}");
    assert!(!text.contains("buffer"), "{text}");
}

#[test]
fn certificates_are_about_the_memory_model() {
    let dir = folder(&[("peterson.c", &benchmark("peterson.c"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    let verified = run(&[
        "verify",
        "--memory-model",
        "tso",
        "--method",
        "rely-guarantee",
        "-DFENCED",
        "--proof",
        "p.json",
        "peterson.c",
    ]);
    assert_eq!(verified.status.code(), Some(0), "{}", String::from_utf8_lossy(&verified.stdout));
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(text.contains("\"memory_model\": \"tso\""), "{text}");
    assert_eq!(run(&["check", "p.json", "peterson.c"]).status.code(), Some(0));
    // Without the fences it is another program.
    let other = text.replace("FENCED", "OTHER");
    std::fs::write(dir.path().join("q.json"), other).unwrap();
    assert_eq!(run(&["check", "q.json", "peterson.c"]).status.code(), Some(1));
}

#[test]
fn the_fewest_fences_are_a_patch() {
    let dir = folder(&[("peterson.c", &benchmark("peterson.c"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    let o = run(&["fences", "peterson.c"]);
    let (patch, said) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
    assert_eq!(o.status.code(), Some(0), "{said}");
    assert_eq!(patch.matches("__sync_synchronize();").count(), 2, "{patch}{said}");
    assert!(said.contains("safe with 2 fences"), "{said}");
    // Wrong without buffers as well.
    let wrong = SB.replace("a || b", "a && b");
    std::fs::write(dir.path().join("wrong.c"), wrong).unwrap();
    assert_eq!(run(&["fences", "wrong.c"]).status.code(), Some(3));
}
