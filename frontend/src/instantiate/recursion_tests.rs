//! Recursion over-approximated by threads: what really happens happens there too.

use super::{Plan, Refusal, approximate, build, build_as, build_for_search};
use crate::c;
use relyant_cfa::options::Options;
use relyant_cfa::{Module, Program};
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::replay::{ReplayError, replay};
use relyant_testing::rng::{Rng, cases};

const HEAD: &str = "typedef unsigned long pthread_t; typedef struct { int x; } pthread_mutex_t;
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
    int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
    void pthread_exit(void *); pthread_t pthread_self(void); void __VERIFIER_atomic_begin(void);
    void __VERIFIER_atomic_end(void); int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int);
    pthread_mutex_t m; int x, y; _Thread_local int own;\n";

fn module(text: &str) -> Module {
    c::load_text("test.c", &format!("{HEAD}{text}"), &Options::default()).unwrap()
}

/// The program over-approximated even if constants end the recursion.
fn approximated(m: &Module, function: &str) -> Result<Program, Refusal> {
    let refusal = Refusal::Recursion { function: function.into(), span: Default::default() };
    approximate::build(m, &Options::default(), refusal)
}

/// Is there a violation? `None` if there are too many states.
fn violated(p: &Program) -> Option<bool> {
    assert_eq!(p.validate(), Ok(()));
    let limits = ExploreOptions {
        max_states: 20_000,
        max_steps: 200_000,
        max_move: 60,
        eager_local: true,
        ..ExploreOptions::default()
    };
    match explore(p, &limits, &|| false) {
        Ok(Exploration::Violation(_)) => Some(true),
        Ok(Exploration::Exhausted { complete: true, .. }) => Some(false),
        _ => None,
    }
}

#[test]
fn a_call_that_no_constant_ends_becomes_a_thread() {
    let text = |result: &str| {
        format!(
            "int f(int n) {{ if (n <= 0) return 1; int r = f(n - 1); return {result}; }}
             int main() {{ int n = __VERIFIER_nondet_int(); int r = f(n); if (n == 2) __VERIFIER_assert(r == 1); }}"
        )
    };
    let p = build(&module(&text("r")), &Options::default()).unwrap();
    assert!(p.approximate);
    assert!(p.losses.len() == 1 && p.losses[0].starts_with("calls of `f` in line "), "{:?}", p.losses);
    assert_eq!(p.templates.len(), 2);
    // What is found in it is no counterexample.
    let p = build(&module(&text("r + 1")), &Options::default()).unwrap();
    let Ok(Exploration::Violation(s)) = explore(&p, &ExploreOptions::default(), &|| false) else {
        panic!("no violation")
    };
    assert_eq!(replay(&p, &s), Err(ReplayError::Approximate));
}

#[test]
fn constants_still_end_recursion_exactly() {
    let p = build(
        &module(
            "int f(int n) { if (n <= 0) return 1; int r = f(n - 1); return r + 1; }
             int main() { __VERIFIER_assert(f(5) == 6); }",
        ),
        &Options::default(),
    )
    .unwrap();
    assert!(!p.approximate && p.losses.is_empty());
}

#[test]
fn what_a_thread_cannot_do_for_another_is_refused() {
    let call = |body: &str, around: &str| {
        let text = format!(
            "void f(int n) {{ if (n <= 0) return; {body} f(n - 1); x = 1; }}
             void g() {{ {around} }} int main() {{ g(); }}"
        );
        build(&module(&text), &Options::default())
    };
    let f = "f(__VERIFIER_nondet_int());";
    let kept = |body: &str, around: &str| call(body, &around.replace("CALL", f)).is_ok();
    assert!(kept("y = 2;", "CALL"));
    assert!(kept("pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m);", "CALL"));
    assert!(kept("y = 2;", "pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); CALL"));
    for (body, around) in [
        ("if (n == 3) pthread_exit(0);", "CALL"),
        ("own = 3;", "CALL"),
        ("y = 2;", "__VERIFIER_atomic_begin(); CALL __VERIFIER_atomic_end();"),
        ("y = (int)pthread_self();", "CALL"),
        ("if (n == 1) pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m); CALL"),
        ("y = 2;", "pthread_mutex_lock(&m); CALL pthread_mutex_unlock(&m);"),
        ("pthread_mutex_lock(&m);", "CALL"),
    ] {
        let refusal = call(body, &around.replace("CALL", f)).err();
        assert!(matches!(refusal, Some(Refusal::Recursion { .. })), "{body} {around}: {refusal:?}");
    }
}

fn value(rng: &mut Rng) -> String {
    match rng.below(4) {
        0 => rng.below(3).to_string(),
        1 => "n".into(),
        _ => rng.pick(&["x", "y"]).into(),
    }
}

fn statements(rng: &mut Rng, n: usize) -> String {
    let mut out = String::new();
    for _ in 0..rng.below(n + 1) {
        let (to, a, b) = (rng.pick(&["x", "y"]), value(rng), value(rng));
        let test = rng.pick(&["==", "!=", "<="]);
        out.push_str(&match rng.below(6) {
            0 | 1 => format!("{to} = ({a} + {b}) & 3; "),
            2 => format!("if ({a} {test} {b}) {to} = {}; ", value(rng)),
            3 => format!("pthread_mutex_lock(&m); {to} = ({to} + 1) & 3; pthread_mutex_unlock(&m); "),
            4 => format!("__VERIFIER_atomic_begin(); {to} = ({a} + 1) & 3; __VERIFIER_atomic_end(); "),
            _ if rng.percent(30) => format!("__VERIFIER_assert({a} <= {b}); "),
            _ if rng.percent(5) => "pthread_mutex_lock(&m); ".into(),
            _ => String::new(),
        });
    }
    out
}

/// A function that calls itself or another, before or after other things.
fn function(rng: &mut Rng, name: &str, other: &str) -> String {
    let call = |rng: &mut Rng| {
        let callee = rng.pick(&[name, other]);
        match rng.below(3) {
            0 => format!("{callee}(n - 1); "),
            1 => format!("r = {callee}(n - 1); "),
            _ => format!("x = {callee}(n - 1) & 3; "),
        }
    };
    let first = call(rng);
    let second = if rng.percent(20) { call(rng) } else { String::new() };
    let last = if rng.percent(20) { format!("return {name}(n - 1);") } else { String::new() };
    format!(
        "int {name}(int n) {{ int r = 0; {} if (n > 0) {{ {} {first} {} {second} {last} }} {} return {}; }}\n",
        statements(rng, 1),
        statements(rng, 1),
        statements(rng, 1),
        statements(rng, 1),
        rng.pick(&["r", "n", "x", "(r + 1) & 3"]),
    )
}

#[test]
fn what_really_happens_happens_in_the_approximation() {
    let (mut both, mut neither, mut only, mut same) = (0, 0, 0, 0);
    let n = cases(300);
    for seed in 0..n {
        let mut rng = Rng::new(seed);
        let mut text = "int f(int n); int g(int n);\n".to_string();
        text.push_str(&function(&mut rng, "f", "g"));
        text.push_str(&function(&mut rng, "g", "f"));
        let depth = 1 + rng.below(2);
        text.push_str(&format!(
            "void *w(void *p) {{ int n = 1; {} x = f({depth}) & 3; {} return 0; }}
             int main() {{ int n = 0; pthread_t t; pthread_create(&t, 0, w, 0); {} {} pthread_join(t, 0); {} }}",
            statements(&mut rng, 1),
            statements(&mut rng, 1),
            if rng.percent(30) { "y = g(1) & 3;" } else { "" },
            statements(&mut rng, 2),
            format_args!("__VERIFIER_assert({} {} {});", value(&mut rng), rng.pick(&["==", "!=", "<="]), rng.below(3)),
        ));
        let m = module(&text);
        let real = violated(&build_for_search(&m, &Options::default()).unwrap());
        // Constants end it, sooner or later; for some only after much unfolding.
        let soon = seed < 50 && !text.contains("return f(n - 1)") && !text.contains("return g(n - 1)");
        let exact = soon.then(|| build_as(&m, &Options::default(), &Plan::default()).ok()).flatten();
        if let (Some(a), Some(b)) = (real, exact.and_then(|p| violated(&p))) {
            assert_eq!(a, b, "seed {seed}: inlined or not\n{text}");
            same += 1;
        }
        let Ok(p) = approximated(&m, "f").or_else(|_| approximated(&m, "g")) else { continue };
        match (real, violated(&p)) {
            (Some(true), Some(false)) => panic!("seed {seed}: a violation is lost\n{text}"),
            (Some(true), Some(true)) => both += 1,
            (Some(false), Some(false)) => neither += 1,
            (Some(false), Some(true)) => only += 1,
            _ => {}
        }
    }
    let kinds =
        format!("of {n}: {both} violated, {neither} not, {only} only in the approximation; {same} inlined");
    assert!(both * 10 > n && neither * 20 > n && same > 15, "{kinds}");
}
