//! `verify --proof` and `check`.

use super::{SAFE, UNSAFE, benchmark, err, folder, out, relyant};

#[test]
fn a_certificate_is_accepted_for_its_source_only() {
    let dir = folder(&[("s.c", SAFE), ("t.c", &SAFE.replace("x = 1", "x = 0"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "s.c"]).status.code(), Some(0));
    let o = run(&["check", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(out(&o).contains("accepted: "), "{}", out(&o));
    let o = run(&["check", "p.json", "t.c"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(out(&o).contains("rejected: "), "{}", out(&o));
    assert_eq!(run(&["check", "s.c", "s.c"]).status.code(), Some(2));
    assert_eq!(run(&["check", "absent.json", "s.c"]).status.code(), Some(2));
}

#[test]
fn choices_travel_with_the_certificate() {
    let dir = folder(&[]);
    let file = benchmark("mutex/naive_bakery.c");
    let o = relyant(dir.path())
        .args(["verify", "--atomicity", "statement", "--proof", "p.json"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let o = relyant(dir.path()).args(["check", "p.json"]).arg(&file).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    // the same proof is none when steps are smaller
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(text.contains("\"statement\""));
    std::fs::write(dir.path().join("q.json"), text.replace("\"statement\"", "\"access\"")).unwrap();
    let o = relyant(dir.path()).args(["check", "q.json"]).arg(&file).output().unwrap();
    assert_eq!(o.status.code(), Some(1), "{}", out(&o));
}

#[test]
fn no_certificate_without_a_proof() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let o = relyant(dir.path()).args(["verify", "--proof", "p.json", "u.c"]).output().unwrap();
    assert_eq!(o.status.code(), Some(1));
    assert!(!dir.path().join("p.json").exists());
}

#[test]
fn memory_is_limited() {
    let dir = folder(&[("s.c", SAFE), ("cc.sh", "sleep 300\n")]);
    assert_eq!(
        relyant(dir.path()).args(["verify", "--proof", "p.json", "s.c"]).output().unwrap().status.code(),
        Some(0)
    );
    let check = ["check", "--memory", "1", "p.json", "s.c"];
    let o = relyant(dir.path()).args(check).env("CC", "sh cc.sh").output().unwrap();
    assert_eq!(o.status.code(), Some(3), "{}{}", out(&o), err(&o));
    assert!(out(&o).starts_with("undecided: memory limit of 1 MiB reached"), "{}", out(&o));
}

#[test]
fn obligations_as_files() {
    let dir = folder(&[("s.c", SAFE)]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "s.c"]).status.code(), Some(0));
    let o = run(&["check", "--smt2", "obligations", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0));
    let files: Vec<_> = std::fs::read_dir(dir.path().join("obligations")).unwrap().collect();
    assert!(!files.is_empty());
    for f in files {
        let text = std::fs::read_to_string(f.unwrap().path()).unwrap();
        assert!(text.contains("(check-sat)"), "{text}");
    }
}

#[test]
fn the_states_of_a_search_are_a_certificate() {
    let dir = folder(&[("s.c", SAFE), ("t.c", &SAFE.replace("x = 1", "x = 0"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    let o = run(&["verify", "--method", "search", "--proof", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(text.contains("\"kind\": \"states\""));
    let o = run(&["check", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    assert!(out(&o).contains(" states, closed under "), "{}", out(&o));
    assert_eq!(run(&["check", "p.json", "t.c"]).status.code(), Some(1));
    assert_eq!(run(&["check", "--smt2", "obligations", "p.json", "s.c"]).status.code(), Some(2));
    // Another property makes another program.
    std::fs::write(dir.path().join("q.json"), text.replace("\"deadlock\": false", "\"deadlock\": true"))
        .unwrap();
    assert_eq!(run(&["check", "q.json", "s.c"]).status.code(), Some(1));
    std::fs::write(dir.path().join("q.json"), &text[..text.len() - 20]).unwrap();
    assert_eq!(run(&["check", "q.json", "s.c"]).status.code(), Some(2));
}

#[test]
fn replicated_threads_are_a_certificate() {
    let dir = folder(&[]);
    let coverability = ["verify", "--method", "coverability", "--proof", "p.json"];
    let run = |args: &[&str], name: &str| {
        relyant(dir.path()).args(args).arg(benchmark("unbounded").join(name)).output().unwrap()
    };
    let o = run(&coverability, "spin_cas.c");
    assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("proof: replicated threads of "), "{}", out(&o));
    assert!(out(&o).contains("found: by coverability: "), "{}", out(&o));
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["kind"], "replicated");
    let o = run(&["check", "p.json"], "spin_cas.c");
    assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("accepted: ") && out(&o).contains(" cover predecessors"), "{}", out(&o));
    // For this program only, and not as files for other solvers.
    assert_eq!(run(&["check", "p.json"], "spin_cas_broken.c").status.code(), Some(1));
    assert_eq!(run(&["check", "--smt2", "obligations", "p.json"], "spin_cas.c").status.code(), Some(2));
    let mut fewer = value.clone();
    fewer["steps"].as_array_mut().unwrap().pop();
    std::fs::write(dir.path().join("p.json"), fewer.to_string()).unwrap();
    let o = run(&["check", "p.json"], "spin_cas.c");
    assert_eq!(o.status.code(), Some(1), "{}", out(&o));
    assert!(out(&o).contains("rejected: "), "{}", out(&o));
    std::fs::write(dir.path().join("p.json"), &text[..text.len() - 20]).unwrap();
    assert_eq!(run(&["check", "p.json"], "spin_cas.c").status.code(), Some(2));
    // Other methods are for Boolean programs only.
    let o = run(&["verify", "--method", "counters"], "spin_cas.c");
    assert_eq!(o.status.code(), Some(2), "{}", out(&o));

    std::fs::remove_file(dir.path().join("p.json")).unwrap();
    // Without the quick search before it.
    let o = run(&[&coverability[..], &["--search", "0"]].concat(), "spin_cas_broken.c");
    assert_eq!(o.status.code(), Some(1), "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("violated: assertion at "), "{}", out(&o));
    assert!(out(&o).contains("client/3"), "{}", out(&o));
    assert!(!dir.path().join("p.json").exists());
}

#[test]
fn replicated_threads_in_reports() {
    let dir = folder(&[]);
    let json = |name: &str| {
        let args = ["verify", "--method", "coverability", "--search", "0", "--format", "json"];
        let o = relyant(dir.path()).args(args).arg(benchmark("unbounded").join(name)).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&o.stdout).unwrap()["results"][0].clone()
    };
    let safe = json("spin_cas.c");
    assert_eq!(safe["verdict"], "safe", "{safe}");
    assert_eq!(safe["proof"]["rule"], "replicated", "{safe}");
    assert_eq!(safe["proof"]["modular"], false, "{safe}");
    assert!(safe["proof"]["obligations"].as_u64().is_some_and(|n| n > 0), "{safe}");
    let bad = json("spin_cas_broken.c");
    assert_eq!(bad["verdict"], "unsafe", "{bad}");
    assert!(bad["trace"]["steps"].as_array().is_some_and(|s| s.len() > 3), "{bad}");
}

/// It was taken for the remainder: both are below the number and not above what they are taken of.
#[test]
fn a_mask_with_one_less_is_no_remainder() {
    // With 8, 5 and d = 3 it ends with 3, and fails.
    let source = "#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
unsigned left, right;
void *shrink(void *unused) {
    while (left > right)
        left = left - right;
    return 0;
}
int main(void) {
    unsigned first = __VERIFIER_nondet_uint(), second = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint();
    if (first == 0 || second == 0 || d == 0 || (first & (d - 1)) != 0 || (second & (d - 1)) != 0)
        return 0;
    left = first;
    right = second;
    pthread_t t;
    pthread_create(&t, 0, shrink, 0);
    pthread_join(t, 0);
    unsigned last = left;
    assert((last & (d - 1)) == 0);
    return 0;
}
";
    let dir = folder(&[("s.c", source), ("r.c", &source.replace(" & (d - 1)", " % d"))]);
    let verdict = |file: &str| {
        let args = ["verify", "--method", "rely-guarantee", "--timeout", "8", file];
        let o = relyant(dir.path()).args(args).output().unwrap();
        (o.status.code(), out(&o))
    };
    let (masked, text) = verdict("s.c");
    assert!(masked != Some(0) && masked != Some(2), "{text}");
    let (remainder, text) = verdict("r.c");
    assert_eq!(remainder, Some(0), "{text}");
}

#[test]
fn an_order_is_part_of_its_certificate() {
    let dir = folder(&[]);
    let file = benchmark("orders/give_and_take.c");
    let run = |args: &[&str]| relyant(dir.path()).args(args).arg(&file).output().unwrap();
    let o = run(&["verify", "--method", "in-order", "--proof", "p.json"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    assert!(
        out(&o).contains("proof: in order: main, then giver and taker with their loops in lockstep"),
        "{}",
        out(&o)
    );
    let o = run(&["check", "--smt2", "obligations", "p.json"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let names = std::fs::read_dir(dir.path().join("obligations")).unwrap();
    let swaps = names.filter(|f| f.as_ref().unwrap().file_name().to_string_lossy().ends_with("-swap.smt2"));
    assert!(swaps.count() > 10);
    let o = run(&["explain", "p.json"]);
    assert_eq!(o.status.code(), Some(0), "{}", err(&o));
    for said in ["in order: main, then giver and taker", "can be done before", "other pairs of lines commute"]
    {
        assert!(out(&o).contains(said), "{}", out(&o));
    }
    // Another order, no condition, or a pair less: it is no proof any more.
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json["order"]);
        std::fs::write(dir.path().join("q.json"), json.to_string()).unwrap();
        let o = run(&["check", "q.json"]);
        assert_eq!(o.status.code(), Some(1), "{}", out(&o));
    };
    changed(&|order| order["turns"] = "never".into());
    changed(&|order| order["ring"].as_array_mut().unwrap().reverse());
    changed(&|order| {
        order["swaps"].as_array_mut().unwrap().pop();
    });
    changed(&|order| {
        for swap in order["swaps"].as_array_mut().unwrap() {
            swap.as_object_mut().unwrap().remove("when");
        }
    });
    // A thread less, or one twice; a condition that never holds.
    changed(&|order| {
        order["ring"].as_array_mut().unwrap().pop();
    });
    changed(&|order| {
        let ring = order["ring"].as_array_mut().unwrap();
        ring[1] = ring[0].clone();
    });
    changed(&|order| {
        for swap in order["swaps"].as_array_mut().unwrap() {
            swap["when"] = serde_json::json!(["0 == 1"]);
        }
    });
    changed(&|order| order["program"] = "0".into());
    changed(&|order| *order = serde_json::Value::Null);
    // Invariants of one order are not those of real runs, nor of a witness.
    let o = run(&["observe", "p.json", "-o", "observed"]);
    assert_ne!(o.status.code(), Some(0), "{}", out(&o));
    assert!(err(&o).contains("order of preference"), "{}", err(&o));
}

#[test]
fn a_proof_without_an_order_says_nothing_of_deadlocks() {
    let text = "#include <assert.h>\n#include <pthread.h>\npthread_mutex_t a, b; int x;\n\
        void *f(void *p) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); x = 1; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return 0; }\n\
        void *g(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); x = 1; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }\n\
        int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); assert(x == 1); return 0; }\n";
    let dir = folder(&[("a.c", text)]);
    let prove = ["verify", "--method", "rely-guarantee", "--proof", "p.json", "a.c"];
    let made = relyant(dir.path()).args(prove).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", out(&made));
    let plain: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.path().join("p.json")).unwrap()).unwrap();
    for (key, value) in [("property", "no-deadlock".into()), ("deadlock", true.into())] {
        let mut forged = plain.clone();
        forged["options"][key] = value;
        std::fs::write(dir.path().join("q.json"), forged.to_string()).unwrap();
        let checked = relyant(dir.path()).args(["check", "q.json", "a.c"]).output().unwrap();
        assert_eq!(checked.status.code(), Some(1), "{key}: {}", out(&checked));
    }
}
