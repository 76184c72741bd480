//! Programs that reductions and orders get wrong.

use super::*;
use relyant_cfa::options::Options;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::replay;

const PROLOGUE: &str = "
typedef unsigned long pthread_t; typedef struct { int x; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
void __VERIFIER_assert(int); void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
";

fn program_with(text: &str, options: &Options) -> Program {
    let module = c::load_text("test.i", &format!("{PROLOGUE}{text}"), options).unwrap();
    for_search(&module, options).unwrap()
}

fn program(text: &str) -> Program {
    program_with(text, &Options::default())
}

/// Visible steps, all moves and context switches of a run.
#[derive(Debug, PartialEq)]
enum Answer {
    Unsafe { moves: usize, switches: usize, shortest: bool },
    Safe(usize),
    Limit(Reason),
}

fn run(program: &Program, settings: &Settings) -> Answer {
    match search(program, settings, &Watch::NONE).unwrap().0 {
        SearchOutcome::Violation { schedule, shortest } => {
            replay(program, &schedule).unwrap();
            let moves = &schedule.moves;
            let switches = moves.windows(2).filter(|w| w[0].thread != w[1].thread).count();
            Answer::Unsafe { moves: moves.len(), switches, shortest }
        }
        SearchOutcome::Exhausted(space) => Answer::Safe(space.len()),
        SearchOutcome::Limit { reason, .. } => Answer::Limit(reason),
    }
}

fn all_settings() -> impl Iterator<Item = Settings> {
    let orders = [Strategy::BreadthFirst, Strategy::DepthFirst, Strategy::FewSwitches];
    let flags = [(true, true), (true, false), (false, true), (false, false)];
    let max_states = 20_000;
    flags.into_iter().flat_map(move |(reduction, symmetry)| {
        orders.map(|strategy| Settings { strategy, reduction, symmetry, max_states, ..Settings::default() })
    })
}

fn expect(text: &str, bad: bool) {
    let p = program(text);
    for settings in all_settings() {
        let answer = run(&p, &settings);
        let right = match answer {
            Answer::Unsafe { .. } => bad,
            Answer::Safe(_) => !bad,
            Answer::Limit(_) => false,
        };
        assert!(right, "{settings:?}: {answer:?}");
    }
}

/// Boom section 7.3, listing 1.
#[test]
fn a_condition_of_one_thread_does_not_hide_the_other() {
    let text = |order: &str| {
        format!(
            "int s; pthread_t t;
             void *second(void *a) {{ __VERIFIER_assume(!s); __VERIFIER_assert(0); return 0; }}
             int main(void) {{ {order} __VERIFIER_assume(s); return 0; }}"
        )
    };
    expect(&text("s = __VERIFIER_nondet_bool(); pthread_create(&t, 0, second, 0);"), true);
    expect(&text("pthread_create(&t, 0, second, 0); s = __VERIFIER_nondet_bool();"), true);
    expect(&text("s = 1; pthread_create(&t, 0, second, 0);"), false);
}

/// Boom section 7.3, listing 2.
#[test]
fn what_a_thread_does_later_counts() {
    expect(
        "int s; pthread_t t;
         void *second(void *a) { __VERIFIER_assert(s); return 0; }
         int main(void) { int l; s = 1; pthread_create(&t, 0, second, 0); l = 1; s = 0; return l; }",
        true,
    );
}

#[test]
fn a_thread_that_spins_does_not_hide_others() {
    for spin in ["while (1);", "int i = 0; while (i < 2) i = 1 - i;", "for (int i = 0; ; i = (i + 1) % 3);"] {
        expect(
            &format!(
                "int s; pthread_t t;
                 void *spin(void *a) {{ {spin} return 0; }}
                 int main(void) {{ pthread_create(&t, 0, spin, 0); s = 1; __VERIFIER_assert(s == 0); return 0; }}"
            ),
            true,
        );
    }
    // Two of them, each with a state space of its own.
    expect(
        "int s; pthread_t t, u;
         void *spin(void *a) { int i = 0; while (1) i = (i + 1) % 5; return 0; }
         int main(void) { pthread_create(&t, 0, spin, 0); pthread_create(&u, 0, spin, 0); s = 1; return 0; }",
        false,
    );
    // Local steps without end, and an error that is reached by another thread only.
    let p = program(
        "int s; pthread_t t, u;
         void *spin(void *a) { unsigned i = 0; while (1) i++; return 0; }
         void *wait(void *a) { __VERIFIER_assume(s == 1); __VERIFIER_assert(0); return 0; }
         int main(void) { pthread_create(&t, 0, spin, 0); pthread_create(&u, 0, wait, 0); s = 1;
           pthread_join(t, 0); return 0; }",
    );
    assert!(matches!(run(&p, &Settings::default()), Answer::Unsafe { shortest: true, .. }));
}

#[test]
fn long_local_loops_cost_no_states() {
    let p = program(
        "int s; pthread_t t;
         void *count(void *a) { int i = 0, k = 0; while (i < 1000) { i++; k = (k + i) % 7; } s = k; return 0; }
         int main(void) { pthread_create(&t, 0, count, 0); for (int j = 0; j < 3; j++) s = 9; return 0; }",
    );
    let Answer::Safe(n) = run(&p, &Settings::default()) else { panic!() };
    assert!(n < 60, "{n}");
    let Answer::Safe(all) = run(&p, &Settings { reduction: false, ..Settings::default() }) else { panic!() };
    assert!(all > 2000, "{all}");
}

#[test]
fn of_the_shortest_runs_the_one_with_fewest_switches() {
    // Each thread reads and writes twice; one has to read between the accesses of the other.
    let p = program(
        "int x; pthread_t t, u;
         void *add(void *a) { for (int i = 0; i < 2; i++) x = x + 1; return 0; }
         int main(void) { pthread_create(&t, 0, add, 0); pthread_create(&u, 0, add, 0);
           pthread_join(t, 0); pthread_join(u, 0); __VERIFIER_assert(x > 2); return 0; }",
    );
    for reduction in [true, false] {
        let levels = Settings { reduction, ..Settings::default() };
        let Answer::Unsafe { moves, switches, shortest } = run(&p, &levels) else { panic!() };
        assert!(shortest);
        for jobs in [1, 2, 3] {
            let (a, b) = (Settings { jobs, ..levels }, Settings { jobs, symmetry: false, ..levels });
            assert_eq!(run(&p, &a), Answer::Unsafe { moves, switches, shortest });
            assert_eq!(run(&p, &b), Answer::Unsafe { moves, switches, shortest });
        }
        if reduction {
            // Main, one thread to its first read, the other one whole, the first one, main.
            assert_eq!(switches, 4);
        }
        for strategy in [Strategy::DepthFirst, Strategy::FewSwitches] {
            let other = Settings { strategy, ..levels };
            assert_eq!(run(&p, &other), Answer::Unsafe { moves, switches, shortest });
        }
    }
}

#[test]
fn a_bound_on_switches_is_kept() {
    // The flag has to be seen down, up and down again.
    let p = program(
        "int f, n; pthread_t t;
         void *look(void *a) { __VERIFIER_assume(n == 1); n = 2; __VERIFIER_assume(n == 3); __VERIFIER_assert(0);
           return 0; }
         int main(void) { pthread_create(&t, 0, look, 0); f = 1; n = 1; f = 0; if (n == 2) { n = 3; f = 2; f = 3; }
           return 0; }",
    );
    let bound = |b| Settings { max_switches: Some(b), ..Settings::default() };
    assert_eq!(run(&p, &bound(0)), Answer::Limit(Reason::Switches));
    assert!(matches!(run(&p, &bound(5)), Answer::Unsafe { .. }));
    let safe = program(
        "int f; pthread_t t; void *set(void *a) { f = 1; return 0; }
         int main(void) { pthread_create(&t, 0, set, 0); f = 2; __VERIFIER_assert(f > 0); return 0; }",
    );
    assert_eq!(run(&safe, &bound(0)), Answer::Limit(Reason::Switches));
    assert!(matches!(run(&safe, &bound(9)), Answer::Safe(_)));
}

#[test]
fn random_runs_find_what_lies_deep() {
    let text = |lock: &str, unlock: &str| {
        format!(
            "int n; pthread_mutex_t m; pthread_t t;
             void *add(void *a) {{ for (int i = 0; i < 3000; i++) {{ {lock} n++; {unlock} }} return 0; }}
             int main(void) {{ pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0);
               __VERIFIER_assert(n == 6000); return 0; }}"
        )
    };
    let racy = program(&text("", ""));
    let random =
        |seed| Settings { strategy: Strategy::Random, seed, max_steps: 400_000, ..Settings::default() };
    for seed in 0..3 {
        let Answer::Unsafe { moves, shortest, .. } = run(&racy, &random(seed)) else { panic!("seed {seed}") };
        assert!(moves > 2 && !shortest);
        assert_eq!(run(&racy, &random(seed)), run(&racy, &random(seed)));
    }
    let locked = program(&text("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"));
    assert_eq!(run(&locked, &random(0)), Answer::Limit(Reason::Work));
    // One thread and no input: there is no other run than the first.
    let alone = program("int n; int main(void) { n = 1; __VERIFIER_assert(n == 1); return 0; }");
    let (_, stats) = search(&alone, &random(0), &Watch::NONE).unwrap();
    assert_eq!(stats.runs, 0);
}

#[test]
fn deadlocks() {
    let text = |second: &str| {
        format!(
            "pthread_mutex_t m, n; pthread_t t;
             void *other(void *a) {{ {second} pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return 0; }}
             int main(void) {{ pthread_create(&t, 0, other, 0); pthread_mutex_lock(&m); pthread_mutex_lock(&n);
               pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }}"
        )
    };
    let options = Options { deadlock: true, ..Options::default() };
    for (order, bad) in [
        ("pthread_mutex_lock(&n); pthread_mutex_lock(&m);", true),
        ("pthread_mutex_lock(&m); pthread_mutex_lock(&n);", false),
    ] {
        let p = program_with(&text(order), &options);
        for settings in all_settings() {
            let answer = run(&p, &settings);
            assert_eq!(matches!(answer, Answer::Unsafe { .. }), bad, "{settings:?} {answer:?}");
            assert!(!matches!(answer, Answer::Limit(_)), "{settings:?} {answer:?}");
        }
    }
}

#[test]
fn threads_without_bound() {
    for k in 1..5 {
        let p = program(&format!(
            "int n; pthread_t t;
             void *one(void *a) {{ __VERIFIER_atomic_begin(); n++; __VERIFIER_assert(n < {k});
               __VERIFIER_atomic_end(); return 0; }}
             int main(void) {{ while (1) pthread_create(&t, 0, one, 0); }}"
        ));
        for strategy in [Strategy::BreadthFirst, Strategy::FewSwitches] {
            let answer = run(&p, &Settings { strategy, ..Settings::default() });
            let Answer::Unsafe { moves, shortest: true, .. } = answer else { panic!("{answer:?}") };
            // Each thread is created and adds.
            assert!(moves <= 2 * k, "{k}: {moves}");
        }
    }
    let safe = program(
        "int n; pthread_t t; void *one(void *a) { n = 1; return 0; }
         int main(void) { while (1) pthread_create(&t, 0, one, 0); }",
    );
    let settings = Settings { max_states: 500, ..Settings::default() };
    assert_eq!(run(&safe, &settings), Answer::Limit(Reason::States));
}

#[test]
fn recursion_with_integers() {
    let text = |bad: i32| {
        format!(
            "int most; pthread_t t;
             int down(int k) {{ if (k == 0) return 0; int r = down(k - 1); if (r + 1 > most) most = r + 1;
               return r + 1; }}
             void *other(void *a) {{ down(3); return 0; }}
             int main(void) {{ pthread_create(&t, 0, other, 0); down(20); __VERIFIER_assert(most != {bad});
               return 0; }}"
        )
    };
    let settings = Settings::default();
    assert!(matches!(run(&program(&text(20)), &settings), Answer::Unsafe { shortest: true, .. }));
    assert!(matches!(run(&program(&text(0)), &settings), Answer::Safe(_)));
}

#[test]
fn limits_are_told() {
    let text = "int x; pthread_t t;
         void *other(void *a) { x = x + 1; return 0; }
         int main(void) { pthread_create(&t, 0, other, 0); x = __VERIFIER_nondet_int(); x = x * 2;
           __VERIFIER_assert(x != 5); return 0; }";
    let settings = Settings { max_states: 3, ..Settings::default() };
    assert_eq!(run(&program(text), &settings), Answer::Limit(Reason::States));
    let depth = |strategy, d| Settings { strategy, max_depth: Some(d), ..Settings::default() };
    assert_eq!(run(&program(text), &depth(Strategy::BreadthFirst, 1)), Answer::Limit(Reason::Depth));
    assert_eq!(run(&program(text), &depth(Strategy::DepthFirst, 1)), Answer::Limit(Reason::Depth));
    let cancelled = Watch { cancel: &|| true, ..Watch::NONE };
    let (outcome, _) = search(&program(text), &Settings::default(), &cancelled).unwrap();
    assert!(matches!(outcome, SearchOutcome::Limit { reason: Reason::Cancelled, .. }));
    // Not all inputs are tried where one is computed with.
    let odd =
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x * 3 != 300003); return 0; }";
    assert_eq!(run(&program(odd), &Settings::default()), Answer::Limit(Reason::Inputs));
}

#[test]
fn runs_of_few_threads_become_runs_of_many() {
    let text = |worker: &str, after: &str| {
        format!(
            "int n, seen;
             void *worker(void *a) {{ {worker} return 0; }}
             int main(void) {{ pthread_t t[90]; for (int i = 0; i < 90; i++) pthread_create(&t[i], 0, worker, 0);
               {after} return 0; }}"
        )
    };
    let found = |worker, after| {
        let p = program(&text(worker, after));
        let schedule = few::run(&p, &Settings::default(), &Watch::NONE).unwrap()?;
        replay(&p, &schedule).unwrap();
        Some(schedule.moves.len())
    };
    // One of them is enough, and all others wait.
    assert_eq!(found("n = 1; n = 0;", "__VERIFIER_assert(n == 0);"), Some(3));
    // Those who are joined run to their ends first.
    let joined = "for (int i = 0; i < 90; i++) pthread_join(t[i], 0); __VERIFIER_assert(seen == 0);";
    assert_eq!(found("seen = 1;", joined), Some(181));
    // Few threads can do it, and many can't.
    let all = "for (int i = 0; i < 90; i++) pthread_join(t[i], 0); __VERIFIER_assert(n == 90);";
    assert_eq!(found("__VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end();", all), None);
}
