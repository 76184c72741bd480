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

/// Each thread stores one variable and loads the other one; how it does that is given for each.
fn buffering(declared: &str, one: &str, two: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
{declared}
int a, b;
void *one(void *unused) {{ {one} return 0; }}
void *two(void *unused) {{ {two} return 0; }}
int main(void)
{{
  pthread_t t, u;
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
  return 0;
}}
"
    )
}

#[test]
fn stores_at_the_very_start_of_threads_have_fences() {
    let store = |x: &str| format!("atomic_store_explicit(&{x}, 1, memory_order_relaxed);");
    let load = |x: &str| format!("atomic_load_explicit(&{x}, memory_order_relaxed);");
    let ways = [
        // The objects come after those that no property depends on, and before.
        ("int x, y;", ["x = 1; a = y;".to_string(), "y = 1; b = x;".into()], ["`x = 1;`", "`y = 1;`"]),
        (
            "int y, z, x;",
            ["z = 2; x = 1; a = y;".to_string(), "y = 1; b = x;".into()],
            ["`x = 1;`", "`y = 1;`"],
        ),
        (
            "atomic_int x, y;",
            [format!("{} a = {}", store("x"), load("y")), format!("{} b = {}", store("y"), load("x"))],
            ["memory_order_relaxed);`", "memory_order_relaxed);`"],
        ),
    ];
    for (declared, [one, two], behind) in ways {
        let dir = folder(&[("sb.c", &buffering(declared, &one, &two))]);
        let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
        let o = run(&["fences", "sb.c"]);
        let (patch, said) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
        assert_eq!(o.status.code(), Some(0), "{one} {two}: {said}");
        assert!(said.contains("safe with 2 fences"), "{said}");
        for what in behind {
            assert!(said.contains(what), "{said}");
        }
        assert_eq!(patch.matches("__sync_synchronize();").count(), 2, "{patch}");
        // The patch is what it says, and the program with it is proved.
        let fenced = std::fs::read_to_string(dir.path().join("sb.c")).unwrap();
        let (mut lines, mut fenced): (Vec<&str>, Vec<String>) =
            (patch.lines().collect(), fenced.lines().map(String::from).collect());
        lines.retain(|l| !l.starts_with("---") && !l.starts_with("+++"));
        for (before, after) in
            lines.iter().filter(|l| l.starts_with('-')).zip(lines.iter().filter(|l| l.starts_with('+')))
        {
            let at = fenced.iter().position(|l| *l == before[1..]).unwrap();
            fenced[at] = after[1..].to_string();
        }
        std::fs::write(dir.path().join("fenced.c"), fenced.join("\n")).unwrap();
        let o = run(&["verify", "--memory-model", "tso", "fenced.c"]);
        assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stdout));
    }
}

#[test]
fn a_report_says_where_it_rests_on_sequential_consistency() {
    let says = |text: &str, options: &[&str]| {
        let dir = folder(&[("p.c", text)]);
        let o = relyant(dir.path())
            .args(["verify", "--format", "json"])
            .args(options)
            .arg("p.c")
            .output()
            .unwrap();
        assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stdout));
        let doc: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
        let assumes = doc["results"][0]["assumes"].as_array().unwrap().clone();
        assumes.iter().any(|a| a.as_str().unwrap().starts_with("memory is sequentially consistent"))
    };
    let of = |one: &str, two: &str| {
        buffering("int x, y;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", one, two)
    };
    let plain = of("x = 1; a = y;", "y = 1; b = x;");
    assert!(says(&plain, &[]));
    // Locks, fences, and what was asked.
    let locked = of(
        "pthread_mutex_lock(&m); x = 1; a = y; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); y = 1; b = x; pthread_mutex_unlock(&m);",
    );
    assert!(!says(&locked, &[]));
    let fenced = of("x = 1; __sync_synchronize(); a = y;", "y = 1; __sync_synchronize(); b = x;");
    assert!(!says(&fenced, &[]) && !says(&fenced, &["--memory-model", "tso"]));
    // One after the other; and only one of them writes.
    let joined = plain.replace("  pthread_join(t, 0);\n", "");
    let joined = joined.replace("  pthread_create(&u", "  pthread_join(t, 0);\n  pthread_create(&u");
    assert!(!says(&joined, &[]), "{joined}");
    assert!(!says(&of("x = 1; y = 1;", "int v = y, w = x; b = !v || w;"), &[]));
}

#[test]
fn a_thread_that_parks_has_its_fences() {
    let dir = folder(&[("parker.c", &benchmark("parker.c"))]);
    let o = relyant(dir.path()).args(["fences", "parker.c"]).output().unwrap();
    let said = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(0), "{said}");
    assert!(said.contains("a fence behind"), "{said}");
}
