//! Sets of states as proofs: no set proves a program that is not safe, whatever states it lacks; of a safe one the set of all
//! states is a proof, and what leads out of a set is found.

mod order;
mod walk;

use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_check::states::{Encoding, Rejection, Space, SpaceReport, StateLimits, check};
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::generate;
use walk::{Found, States, walk};

fn program(source: &str, options: &Options) -> Program {
    let module = c::load_text("test.i", source, options).unwrap();
    for_search(&module, options).unwrap()
}

fn checked(program: &Program, symmetry: bool, states: &States) -> Result<SpaceReport, Rejection> {
    let space = Space::new(Encoding { symmetry }, states.iter().map(|s| &s[..]));
    check(program, &space, &StateLimits::default())
}

/// Sets with fewer states than this are tried all.
const FEW: usize = 7;

/// Tries sets of states of a program that is not safe. Those that a violation follows in one move are in none: the checker
/// must come upon them in another way.
fn none_is_a_proof(program: &Program, symmetry: bool, found: &Found, rng: &mut Rng) {
    let kept: Vec<&Vec<u8>> = found.states.iter().filter(|s| !found.doomed.contains(*s)).collect();
    let tries = if kept.len() < FEW { 1 << kept.len() } else { 60 };
    for k in 0..tries {
        let chance = rng.pick(&[50, 80, 95, 100]);
        let mut take = |i: usize| if kept.len() < FEW { k >> i & 1 == 1 } else { rng.percent(chance) };
        let states: States = (0..kept.len()).filter(|i| take(*i)).map(|i| kept[i].clone()).collect();
        let answer = checked(program, symmetry, &states);
        assert!(answer.is_err(), "{symmetry} {:?} {:?}: {answer:?}", states.len(), program);
    }
    assert!(checked(program, symmetry, &found.states).is_err());
}

#[test]
fn no_set_proves_an_unsafe_program() {
    let mut rng = Rng::new(31);
    let (mut safe, mut not) = (0, 0);
    for seed in 0..cases(90) {
        let mut program = generate(seed).to_program();
        for (deadlock, symmetry) in [(false, true), (true, false)] {
            program.deadlock = deadlock;
            let Some(found) = walk(&program, symmetry, 200) else { continue };
            if found.wrong {
                none_is_a_proof(&program, symmetry, &found, &mut rng);
                not += 1;
            } else {
                let report = checked(&program, symmetry, &found.states);
                assert!(report.is_ok(), "{seed}: {report:?}");
                safe += 1;
            }
        }
    }
    assert!(safe > 5 && not > 20, "{safe} {not}");
}

/// What the programs below declare.
const DECLARED: &str = r"
typedef unsigned long pthread_t;
typedef struct { int x; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int nondet(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void reach_error(void);
pthread_mutex_t m, n;
pthread_t a, b;
int x, y, z;
int *p = &x;
int q[2];
";

/// Programs, each not safe for another reason: what two threads do to each other, once each.
const UNSAFE: [(&str, &str); 14] = [
    // One writes what the other reads.
    ("void *f(void *v) { x = 1; return 0; }", "if (x) reach_error();"),
    // One reads what the other writes.
    ("void *f(void *v) { if (x) reach_error(); return 0; }", "x = 1; x = 0;"),
    // Both write.
    ("void *f(void *v) { x = 1; return 0; }", "x = 2; if (x == 1) reach_error();"),
    // Through a pointer, to one of two places.
    ("void *f(void *v) { *p = 1; return 0; }", "p = &y; y = 0; if (y) reach_error();"),
    // An element of an array whose index another thread changes.
    ("void *f(void *v) { q[x] = 1; return 0; }", "x = 1; if (q[1]) reach_error();"),
    // Under a lock that comes too late.
    (
        "void *f(void *v) { pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); return 0; }",
        "pthread_mutex_lock(&m); y = x; pthread_mutex_unlock(&m); if (y) reach_error();",
    ),
    // In an atomic section, that another thread sees the end of.
    (
        "void *f(void *v) { __VERIFIER_atomic_begin(); x = 1; y = 1; __VERIFIER_atomic_end(); return 0; }",
        "if (x) if (y) reach_error();",
    ),
    // After the thread was waited for.
    ("void *f(void *v) { x = 1; return 0; }", "pthread_join(a, 0); if (x) reach_error();"),
    // What a call of another thread does when it has returned.
    ("void g(void) { z = 1; } void *f(void *v) { g(); x = 1; return 0; }", "if (z) if (!x) reach_error();"),
    // An input that one of its values makes fail.
    ("void *f(void *v) { y = __VERIFIER_nondet_bool(); return 0; }", "if (y) reach_error();"),
    // A thread that a thread makes.
    (
        "void *g(void *v) { x = 1; return 0; } void *f(void *v) { pthread_create(&b, 0, g, 0); return 0; }",
        "if (x) reach_error();",
    ),
    // Where the program ends before the other thread is there.
    ("void *f(void *v) { x = 1; if (y) reach_error(); return 0; }", "y = 1; pthread_join(a, 0);"),
    // A loop that ends when another thread says so.
    ("void *f(void *v) { x = 1; return 0; }", "while (!x) ; reach_error();"),
    // Two writes, of which the first is to be seen.
    ("void *f(void *v) { x = 1; x = 0; return 0; }", "y = x; if (y) reach_error();"),
];

fn source((thread, main): (&str, &str)) -> String {
    format!("{DECLARED}{thread}\nint main(void) {{ pthread_create(&a, 0, f, 0); {main} return 0; }}\n")
}

#[test]
fn no_set_proves_a_program_where_threads_interfere() {
    let mut rng = Rng::new(32);
    for parts in UNSAFE {
        for max_threads in [None, Some(2), Some(3)] {
            let options = Options { max_threads, ..Options::default() };
            let program = program(&source(parts), &options);
            for symmetry in [true, false] {
                let found = walk(&program, symmetry, 500).unwrap_or_else(|| panic!("{parts:?}"));
                // One more thread is too many for the bound.
                if !found.wrong {
                    assert!(max_threads == Some(2), "{parts:?}");
                    continue;
                }
                none_is_a_proof(&program, symmetry, &found, &mut rng);
            }
        }
    }
}

/// Two locks in both orders; a lock that nobody gives back; a thread that waits for itself to be let go.
const DEADLOCKS: [(&str, &str); 3] = [
    (
        "void *f(void *v) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); \
         pthread_mutex_unlock(&m); return 0; }",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); \
         pthread_join(a, 0);",
    ),
    ("void *f(void *v) { pthread_mutex_lock(&m); return 0; }", "pthread_join(a, 0); pthread_mutex_lock(&m);"),
    (
        "void *f(void *v) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }",
        "pthread_mutex_lock(&m); pthread_join(a, 0);",
    ),
];

#[test]
fn no_set_proves_that_there_is_no_deadlock() {
    let mut rng = Rng::new(33);
    for parts in DEADLOCKS {
        let options = Options { deadlock: true, ..Options::default() };
        let program = program(&source(parts), &options);
        for symmetry in [true, false] {
            let found = walk(&program, symmetry, 500).unwrap();
            assert!(found.wrong, "{parts:?}");
            none_is_a_proof(&program, symmetry, &found, &mut rng);
        }
    }
}

#[test]
fn a_thread_that_always_runs_may_be_one_of_many() {
    let mut program = program(&source(("void *f(void *v) { return 0; }", "")), &Options::default());
    let found = walk(&program, true, 500).unwrap();
    assert!(checked(&program, true, &found.states).is_ok());
    assert!(matches!(checked(&program, true, &States::new()), Err(Rejection::NotCovered { .. }) | Ok(_)));
    for t in &mut program.templates {
        t.initial = true;
        t.count = relyant_cfa::Count::Unbounded;
    }
    assert!(checked(&program, true, &found.states).is_err());
}
