//! Random thread programs: a state and what is read back from its normal form go the same ways, and the program that
//! is searched, with sorted threads, has the verdict of the one that is proved.

use relyant_cfa::options;
use relyant_cfa::{Op, Program};
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::machine::{Machine, State};
use relyant_interp::normal::{Normal, NormalOptions, Scratch};
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::{ThreadProgram, generate};

fn programs(p: &ThreadProgram) -> (Program, Program) {
    let options = options::Options::default();
    let text = p.to_c();
    let module = c::load_text("random.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let proved = instantiate::instantiate(&module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let searched = instantiate::for_search(&module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (proved, searched)
}

#[derive(Default, Debug)]
struct Counts {
    states: usize,
    reordered: usize,
    twins: usize,
    sorted: usize,
    apart: usize,
}

/// Walks through a program at random. At each state, the same step is done there and on the state read back.
fn walk(program: &Program, rng: &mut Rng, counts: &mut Counts) {
    let machine = Machine::new(program).unwrap();
    let normal = Normal::new(&machine, NormalOptions { symmetry: true, keep_dead: false });
    counts.sorted += usize::from(normal.is_sorted());
    let mut state = machine.initial(&[], 1).unwrap();
    let mut scratch = Scratch::default();
    let (mut bytes, mut again, mut direct) = (Vec::new(), Vec::new(), Vec::new());
    let (mut back, mut twins) = (State::default(), Vec::new());
    for _ in 0..60 {
        normal.pack(&state, &mut scratch, &mut bytes);
        let order = scratch.order.clone();
        normal.unpack_twins(&bytes, &mut back, &mut twins);
        normal.pack(&back, &mut scratch, &mut again);
        assert_eq!(bytes, again);
        assert!(scratch.order.iter().enumerate().all(|(i, j)| i == *j as usize));
        assert_eq!((back.threads.len(), twins.len()), (order.len(), order.len()));
        counts.states += 1;
        counts.reordered += usize::from(order.windows(2).any(|w| w[0] > w[1]));
        let mut steps = Vec::new();
        let mut first: Vec<Vec<u8>> = Vec::new();
        for (k, thread) in order.iter().enumerate() {
            let thread = *thread as usize;
            let mut ends = Vec::new();
            assert_eq!(back.threads[k].ended.is_some(), state.threads[thread].ended.is_some());
            if state.threads[thread].ended.is_some() {
                continue;
            }
            assert_eq!(machine.out(&back, k), machine.out(&state, thread));
            for edge in machine.out(&state, thread) {
                let template = state.threads[thread].name.template;
                let input = match machine.edge(template, *edge).map(|e| &e.op) {
                    Some(Op::Havoc { .. }) => Some(i128::from(rng.percent(50))),
                    _ => None,
                };
                assert_eq!(machine.is_blocked(&back, k, *edge), machine.is_blocked(&state, thread, *edge));
                let (mut a, mut b) = (state.clone(), back.clone());
                let done = machine.step(&mut a, thread, *edge, input, &[]);
                assert_eq!(done, machine.step(&mut b, k, *edge, input, &[]));
                if done.is_err() || a.halted {
                    continue;
                }
                assert_eq!(machine.violation(&a).map(|v| v.found), machine.violation(&b).map(|v| v.found));
                normal.pack(&a, &mut scratch, &mut direct);
                normal.pack(&b, &mut scratch, &mut again);
                // Where threads refer to each other, one state may have several forms.
                assert_eq!(direct.len(), again.len());
                counts.apart += usize::from(direct != again);
                if input.is_none() {
                    ends.push(direct.clone());
                }
                steps.push(a);
            }
            if twins[k] {
                counts.twins += 1;
                assert_eq!(ends, first);
            }
            first = ends;
        }
        if steps.is_empty() {
            return;
        }
        state = steps.swap_remove(rng.below(steps.len()));
    }
}

#[test]
fn normal_forms_go_the_same_ways() {
    let mut counts = Counts::default();
    let n = cases(400);
    for seed in 0..n {
        let (proved, searched) = programs(&generate(seed));
        let mut rng = Rng::new(seed);
        for program in [&proved, &searched] {
            walk(program, &mut rng, &mut counts);
        }
    }
    println!("{counts:?}");
    assert!(counts.reordered * 50 > counts.states && counts.twins > 0, "{counts:?}");
    assert!(counts.apart * 1000 <= counts.states, "{counts:?}");
    assert_eq!(counts.sorted, 2 * n as usize);
}

#[test]
fn sorted_threads_do_not_change_verdicts() {
    let mut counts = [0; 2];
    for seed in 0..cases(300) {
        let p = generate(seed);
        let (proved, searched) = programs(&p);
        let plain = ExploreOptions { max_states: 20_000, eager_local: true, ..ExploreOptions::default() };
        let run = |program: &Program, options: &ExploreOptions| {
            let found = explore(program, options, &|| false).expect("a well-formed program");
            if let Exploration::Violation(schedule) = &found {
                assert!(replay(program, schedule).is_ok(), "seed {seed}\n{}", p.to_c());
            }
            found
        };
        let sorted = ExploreOptions { symmetry: true, ..plain };
        let answers = [run(&proved, &plain), run(&searched, &plain), run(&searched, &sorted)];
        if answers.iter().any(|a| matches!(a, Exploration::Limit { .. })) {
            continue;
        }
        let violated = answers.each_ref().map(|a| matches!(a, Exploration::Violation(_)));
        assert!(violated.iter().all(|v| *v == violated[0]), "seed {seed}: {answers:?}\n{}", p.to_c());
        counts[usize::from(violated[0])] += 1;
    }
    println!("safe, unsafe: {counts:?}");
    assert!(counts.iter().all(|n| *n > 0));
}

/// Threads made in loops, recursion with objects whose address is taken, and threads that call the same procedure.
#[test]
fn normal_forms_of_calls_go_the_same_ways() {
    let texts = [
        "int n; int f(int k) { int x = k; int *p = &x; if (k > 0) { int r = f(k - 1); n += *p; return r + x; } return n; }
         void *w(void *a) { n = f(3) & 7; return 0; }",
        "int n; int odd(int k); int even(int k) { return k == 0 ? 1 : odd(k - 1); }
         int odd(int k) { int before = n; if (k == 0) return 0; n = (n + 1) % 4; return even(k - 1) + before - before; }
         void *w(void *a) { if (even(4) != 1) reach_error(); n = odd(3); return 0; }",
        "pthread_mutex_t m; int n; void up(int k) { if (k == 0) return; pthread_mutex_lock(&m); n = (n + 1) % 5;
           pthread_mutex_unlock(&m); up(k - 1); n = n == 0 ? 0 : n - 1; }
         void *w(void *a) { up(2); return 0; }",
    ];
    let main = "int main(void) { pthread_t t; int i; for (i = 0; i < 3; i++) pthread_create(&t, 0, w, 0);
        pthread_join(t, 0); return 0; }";
    let mut counts = Counts::default();
    for body in texts {
        let program = searched(&format!("{body}\n{main}"));
        assert!(program.templates.iter().any(|t| !t.procedures.is_empty()));
        for seed in 0..cases(100) {
            walk(&program, &mut Rng::new(seed), &mut counts);
        }
    }
    println!("{counts:?}");
    assert!(counts.reordered * 20 > counts.states && counts.twins > 0, "{counts:?}");
    assert_eq!(counts.apart, 0);
}

/// The program that is searched for a C program without declarations.
fn searched(body: &str) -> Program {
    let text = format!(
        "typedef unsigned long pthread_t;
        typedef struct {{ int dummy; }} pthread_attr_t;
        typedef struct {{ int dummy; }} pthread_mutex_t;
        typedef struct {{ int dummy; }} pthread_mutexattr_t;
        extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
        extern int pthread_join(pthread_t, void **);
        extern pthread_t pthread_self(void);
        extern int pthread_equal(pthread_t, pthread_t);
        extern int pthread_mutex_lock(pthread_mutex_t *);
        extern int pthread_mutex_unlock(pthread_mutex_t *);
        extern void reach_error(void);
        {body}"
    );
    let options = options::Options::default();
    let module = c::load_text("handles.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    instantiate::for_search(&module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Does a C program leave threads interchangeable?
fn is_sorted(body: &str) -> bool {
    let program = searched(body);
    let machine = Machine::new(&program).unwrap();
    Normal::new(&machine, NormalOptions { symmetry: true, keep_dead: false }).is_sorted()
}

#[test]
fn handles_that_are_joined_and_compared_are_no_names() {
    let main = "int main(void) { pthread_t t[2]; int i;
        for (i = 0; i < 2; i++) pthread_create(&t[i], 0, w, 0);
        for (i = 0; i < 2; i++) pthread_join(t[i], 0);
        return 0; }";
    let alike = [
        "pthread_mutex_t m; int x; void *w(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }",
        "pthread_t o; void *w(void *a) { o = pthread_self(); if (o == pthread_self()) o = 0; return 0; }",
        "pthread_t o; void *w(void *a) { if (!pthread_equal(o, pthread_self()) && o != 0) reach_error(); return 0; }",
        "void *w(void *a) { void *r; if (a) pthread_join((pthread_t)a, &r); return (void *)pthread_self(); }",
        "struct { int n; pthread_t o; } s; void *w(void *a) { s.n++; s.o = pthread_self(); if (s.o) s.n = 2; return 0; }",
    ];
    for body in alike {
        assert!(is_sorted(&format!("{body}\n{main}")), "{body}");
    }
    let told = [
        "int x; void *w(void *a) { if (pthread_self() == 3) x = 1; return 0; }",
        "int x; void *w(void *a) { x = pthread_self() % 2; return 0; }",
        "int x[9]; void *w(void *a) { x[pthread_self()] = 1; return 0; }",
        "pthread_t o; void *w(void *a) { o = pthread_self(); if (o < pthread_self()) o = 0; return 0; }",
        "unsigned char o; void *w(void *a) { o = pthread_self(); if (o == pthread_self()) o = 0; return 0; }",
        "pthread_t o; void *w(void *a) { o = pthread_self(); o++; return 0; }",
        "pthread_t o = 2; void *w(void *a) { if (o == pthread_self()) reach_error(); return 0; }",
        "pthread_t o = 2; void *w(void *a) { if (o == pthread_self()) reach_error(); o = pthread_self(); return 0; }",
        "void *w(void *a) { if (a) pthread_join((pthread_t)a + 1, 0); return (void *)pthread_self(); }",
    ];
    for body in told {
        assert!(!is_sorted(&format!("{body}\n{main}")), "{body}");
    }
}
