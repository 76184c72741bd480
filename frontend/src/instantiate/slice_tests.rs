//! What is left out, what must stay, and that errors and deadlocks stay the same.

use super::{instantiate, search::for_search, slice::slice};
use crate::c::load_text;
use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_testing::rng::cases;
use relyant_testing::threads::generate;

const HEAD: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void reach_error(void); int input(void); void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
";

fn sliced(text: &str) -> Program {
    let options = Options::default();
    let module = load_text("test.c", &format!("{HEAD}{text}"), &options).unwrap();
    let mut p = for_search(&module, &options).unwrap();
    slice(&mut p);
    p
}

fn objects(p: &Program) -> Vec<&str> {
    let mut names: Vec<&str> = p.objects.iter().map(|o| o.name.as_str()).collect();
    names.sort_unstable();
    names
}

/// Is there an error or deadlock? `None` if that is not known.
fn fails(p: &Program) -> Option<bool> {
    let options = ExploreOptions { max_states: 20_000, ..ExploreOptions::default() };
    match explore(p, &options, &|| false).unwrap() {
        Exploration::Violation(_) => Some(true),
        Exploration::Exhausted { complete: true, .. } => Some(false),
        _ => None,
    }
}

#[test]
fn counters_that_nothing_depends_on_go() {
    let p = sliced(
        "struct { int reads, writes; } stats; int x, seen, last; short hits;
         void *f(void *a) {
           for (;;) { stats.reads++; hits += 2; if (x > 3) { seen = 1; last = x; stats.writes = stats.writes - 1; } x = 1 - x; }
         }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (x > 1) reach_error(); return 0; }",
    );
    assert_eq!(objects(&p), ["x"]);
    // Without the counters there are few states.
    assert_eq!(fails(&p), Some(false));
    let error = p.templates.iter().flat_map(|t| &t.graph.edges).any(|e| e.span.line > 0);
    assert!(error, "places in the source are kept");
}

#[test]
fn what_the_error_depends_on_stays() {
    let p = sliced(
        "int x, y, z, w; int main(void) { y = input(); if (y > 2) x = 1; z = x; w = z; if (z) reach_error(); return 0; }",
    );
    assert_eq!(objects(&p), ["x", "y", "z"]);
    assert_eq!(fails(&p), Some(true));
}

#[test]
fn loops_and_undefined_steps_stay() {
    // The loop does not end where y is not 0, so there is no error.
    let p = sliced("int y = 1, z; int main(void) { while (y) z = 2; reach_error(); return 0; }");
    assert_eq!(fails(&p), Some(false));
    // No run gets past the division.
    let p = sliced("int y, z; int main(void) { z = 7 / y; reach_error(); return 0; }");
    assert_eq!(fails(&p), Some(false));
    let p = sliced("int t[4], i = 9; int main(void) { t[i] = 1; reach_error(); return 0; }");
    assert_eq!(fails(&p), Some(false));
    // This counter comes to its end soon.
    let p = sliced(
        "int y = 2147483640; int main(void) { for (int i = 0; i < 9; i++) y++; reach_error(); return 0; }",
    );
    assert_eq!(fails(&p), Some(false));
    let p = sliced("int x; int main(void) { if (x == 0) __VERIFIER_assume(x); reach_error(); return 0; }");
    assert_eq!(fails(&p), Some(false));
}

#[test]
fn a_place_for_others_to_move_stays() {
    let p = sliced(
        "int x, y, z; void *f(void *a) { x = 1; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
           __VERIFIER_atomic_begin(); y = x; if (z) { __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); }
           else { __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); }
           if (y != x) reach_error(); __VERIFIER_atomic_end(); return 0; }",
    );
    assert_eq!(fails(&p), Some(true));
}

/// A load that is left for its pointer, whose value nobody reads, is no input.
#[test]
fn what_nobody_reads_has_a_value() {
    let p = sliced(
        "void *malloc(unsigned long); struct n { int v; }; struct n *first;
         int main(void) { struct n *a = malloc(sizeof(struct n)); a->v = input(); if (input()) first = a;
           int seen = first->v; if (first == 0) reach_error(); return 0; }",
    );
    let cells =
        p.objects.iter().filter(|o| o.name.contains("malloc")).flat_map(|o| o.cells.iter().zip(&o.init));
    let open: Vec<&str> = cells.filter(|(_, init)| init.is_none()).map(|(cell, _)| cell.1.as_str()).collect();
    assert!(open.is_empty() && p.objects.iter().any(|o| o.name.contains("malloc")), "{open:?}");
}

#[test]
fn errors_and_deadlocks_stay_the_same() {
    let (mut known, mut smaller) = (0, 0);
    let all = cases(150);
    for seed in 0..all {
        let text = generate(seed).to_c();
        for deadlock in [false, true] {
            let options = Options { deadlock, ..Options::default() };
            let module = load_text("random.c", &text, &options).unwrap();
            let both = [instantiate(&module, &options).ok(), for_search(&module, &options).ok()];
            for p in both.into_iter().flatten() {
                let mut q = p.clone();
                slice(&mut q);
                smaller += u64::from(q != p);
                if let (Some(a), Some(b)) = (fails(&p), fails(&q)) {
                    known += 1;
                    assert_eq!(a, b, "seed {seed}, deadlock {deadlock}\n{text}");
                }
            }
        }
    }
    assert!(known > 2 * all && smaller > all / 2, "{known} known, {smaller} smaller");
}
