//! The engine against brute force on small random systems.

use super::automaton::Automaton;
use super::bounds::Bounds;
use super::ground::{Ground, Machine, Values};
use super::narrow::{Config, RULE, Rules};
use super::search::Limits;
use super::term::Arena;
use super::unify::{Solution, Unifier};
use super::visited::is_instance;
use super::{Reachability, Report, decide};
use crate::timbuk::{System, Term, load_text};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

const OPS: &str = "Ops f:2 g:1 h:2 a:0 b:0 s:1 zero:0\nVars x y\nAC f\n";

fn term(vars: bool, depth: u32) -> BoxedStrategy<String> {
    let leaf = if vars {
        prop::sample::select(vec!["a", "b", "zero", "x", "y", "x"]).boxed()
    } else {
        prop::sample::select(vec!["a", "b", "zero"]).boxed()
    };
    leaf.prop_map(String::from)
        .prop_recursive(depth, 12, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|t| format!("g({t})")),
                inner.clone().prop_map(|t| format!("s({t})")),
                (inner.clone(), inner.clone()).prop_map(|(t, u)| format!("f({t}, {u})")),
                (inner.clone(), inner.clone()).prop_map(|(t, u)| format!("f({t}, {u})")),
                (inner.clone(), inner).prop_map(|(t, u)| format!("h({t}, {u})")),
            ]
        })
        .boxed()
}

/// A left side: a term whose root is an operator.
fn left() -> impl Strategy<Value = String> {
    prop_oneof![
        (term(true, 1), term(true, 1)).prop_map(|(t, u)| format!("f({t}, {u})")),
        (term(true, 1), term(true, 1)).prop_map(|(t, u)| format!("h({t}, {u})")),
        term(true, 2).prop_map(|t| format!("g({t})")),
        prop::sample::select(vec!["a", "b", "g(s(x))", "s(s(x))"]).prop_map(String::from),
    ]
}

fn rules() -> impl Strategy<Value = String> {
    let condition =
        prop::sample::select(vec!["", "", "", " if x < y", " if x != 1", " if x >= x", " if s(x) = y"]);
    let rule = (left(), term(true, 1), condition).prop_map(|(l, r, c)| {
        // a condition's variables must be in the rule
        let c =
            if ["x", "y"].iter().all(|v| !c.contains(v) || l.contains(v) || r.contains(v)) { c } else { "" };
        format!("  {l} -> {r}{c}\n")
    });
    prop::collection::vec(rule, 1..4).prop_map(|rules| format!("TRS R\n{}", rules.concat()))
}

/// Transitions between three states; those of `f` come in both orders.
fn automaton() -> impl Strategy<Value = String> {
    let q = || prop::sample::select(vec!["q0", "q1", "q2"]);
    let transition = prop_oneof![
        q().prop_map(|q| format!("a -> {q}")),
        q().prop_map(|q| format!("b -> {q}")),
        q().prop_map(|q| format!("zero -> {q}")),
        (q(), q()).prop_map(|(p, q)| format!("s({p}) -> {q}")),
        (q(), q()).prop_map(|(p, q)| format!("g({p}) -> {q}")),
        (q(), q()).prop_map(|(p, q)| format!("{p} -> {q}")),
        (q(), q(), q()).prop_map(|(p, q, r)| format!("h({p}, {q}) -> {r}")),
        (q(), q(), q()).prop_map(|(p, q, r)| format!("f({p}, {q}) -> {r} f({q}, {p}) -> {r}")),
    ];
    (prop::collection::vec(transition, 2..9), q()).prop_map(|(t, f)| {
        format!("Automaton A States q0 q1 q2 Final States {f} Transitions {}\n", t.join(" "))
    })
}

fn load(text: &str) -> System {
    let none =
        if text.contains("Automaton") { "" } else { "\nAutomaton N States n Final States Transitions" };
    load_text("random", &format!("{text}{none}")).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// All that a variable of a pattern may be in a match: subterms, and parts of arguments of `f`.
fn parts(m: &Machine, t: &Ground, out: &mut BTreeSet<Ground>) {
    out.insert(t.clone());
    match t {
        Ground::Succ(n, base) => {
            for k in 1..*n {
                out.insert(Ground::Succ(k, base.clone()));
            }
            parts(m, base, out);
        }
        Ground::App(op, args) => {
            args.iter().for_each(|a| parts(m, a, out));
            if m.system().op(*op).ac {
                for mask in 1u32..1 << args.len() {
                    let some = (0..args.len()).filter(|i| mask >> i & 1 == 1).map(|i| args[i].clone());
                    out.insert(m.app(*op, some.collect()));
                }
            }
        }
    }
}

fn decided(system: &System) -> Option<Report> {
    decide(system, &Limits { terms: 20, cancel: &AtomicBool::new(false) }).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Matching modulo AC finds what trying all values finds; so does the checker's.
    #[test]
    fn matching(pattern in term(true, 3), subject in term(false, 3)) {
        let system = load(&format!("{OPS}Set S {pattern} {subject}"));
        let mut terms = system.initial().map(|p| p.term.clone());
        let (pattern, subject) = (terms.next().unwrap(), terms.next().unwrap());
        let m = Machine::new(&system, 10_000_000);
        let ground = m.build(&subject, &[]).unwrap();
        let mut candidates = BTreeSet::new();
        parts(&m, &ground, &mut candidates);
        let mut vars = [false; 2];
        pattern.each_var(&mut |v| vars[v.0 as usize] = true);
        let choices = |used: bool| -> Vec<Option<Ground>> {
            if used { candidates.iter().cloned().map(Some).collect() } else { vec![None] }
        };
        let mut expected: BTreeSet<Values> = BTreeSet::new();
        for x in choices(vars[0]) {
            for y in choices(vars[1]) {
                let values = vec![x.clone(), y];
                if m.build(&pattern, &values).as_ref() == Some(&ground) {
                    expected.insert(values);
                }
            }
        }
        let mut checker: BTreeSet<Values> = BTreeSet::new();
        m.matches(&pattern, &ground, &mut vec![None, None], &mut |_, values, _| { checker.insert(values.clone()); });
        prop_assert_eq!(&checker, &expected);

        let mut arena = Arena::new(&system);
        let t = arena.import(&subject, &|v| v.0);
        let p = arena.import(&pattern, &|v| RULE + v.0);
        let mut u = Unifier::new(&mut arena, RULE);
        let solutions = u.solve(t, p, Solution::default());
        prop_assert!(!u.gave_up);
        let engine: BTreeSet<Values> = solutions.iter().map(|s| {
            (0..2).map(|v| {
                let var = arena.var(RULE + v);
                let t = arena.apply(var, &s.subst);
                Ground::from_arena(&arena, t)
            }).collect()
        }).collect();
        prop_assert_eq!(&engine, &expected);
    }

    /// Unifiers unify, and what is an instance of both sides is an instance of one of them.
    #[test]
    fn unification(left in term(true, 2), right in term(true, 2)) {
        let small = "a b zero g(a) s(zero) f(a, a) f(a, b) h(b, a)";
        let system = load(&format!("{OPS}Set S {left} {right} {small}"));
        let terms: Vec<Term> = system.initial().map(|p| p.term.clone()).collect();
        let (left, right) = (&terms[0], &terms[1]);
        let mut arena = Arena::new(&system);
        let (l, r) = (arena.import(left, &|v| v.0), arena.import(right, &|v| RULE + v.0));
        let mut u = Unifier::new(&mut arena, 0);
        let solutions = u.solve(l, r, Solution::default());
        if u.gave_up {
            return Ok(());
        }
        let mut unified: Vec<(Term, usize)> = Vec::new();
        for s in &solutions {
            let t = arena.apply(l, &s.subst);
            prop_assert_eq!(t, arena.apply(r, &s.subst));
            let mut vars = Vec::new();
            arena.each_var(t, &mut |v| vars.push(v));
            vars.sort_unstable();
            vars.dedup();
            let names: Vec<_> = (0..vars.len() as u32).map(|v| arena.var(v)).collect();
            let t = arena.rename(t, &|v| vars.binary_search(&v).ok().map(|i| names[i]));
            unified.push((arena.export(t), vars.len()));
        }
        let m = Machine::new(&system, 10_000_000);
        let is = |t: &Ground, pattern: &Term, vars: usize| {
            let mut found = false;
            m.matches(pattern, t, &mut vec![None; vars], &mut |_, _, _| found = true);
            found
        };
        let small: Vec<Ground> = terms[2..].iter().filter_map(|t| m.build(t, &[])).collect();
        for (x, y) in small.iter().flat_map(|x| small.iter().map(move |y| (x, y))) {
            let t = m.build(left, &[Some(x.clone()), Some(y.clone())]).unwrap();
            if is(&t, right, 2) {
                prop_assert!(unified.iter().any(|(u, vars)| is(&t, u, *vars)), "{} is left out", m.show(&t));
            }
        }
    }

    /// The deterministic automaton accepts what the given one does.
    #[test]
    fn determinisation(a in automaton(), terms in prop::collection::vec(term(false, 4), 20)) {
        // without AC: the language need not be closed
        let ops = OPS.replace("AC f\n", "");
        let system = load(&format!("{ops}{a}Set S {}", terms.join(" ")));
        let mut arena = Arena::new(&system);
        let mut made = Automaton::new(&system, &system.automata[0], &mut arena).unwrap();
        let m = Machine::new(&system, 0);
        for p in system.initial() {
            let t = arena.import(&p.term, &|v| v.0);
            let q = made.run(t, &arena);
            let ground = m.build(&p.term, &[]).unwrap();
            prop_assert_eq!(made.is_final(q), m.accepts(&system.automata[0], &ground));
        }
    }

    /// Each rewriting of a ground instance is an instance of a narrowing, or is one of the term itself.
    #[test]
    fn narrowing(rules in rules(), t in term(true, 3), x in term(false, 2), y in term(false, 2)) {
        let system = load(&format!("{OPS}{rules}Set S {t}"));
        let mut arena = Arena::new(&system);
        let ready = Rules::new(&system, &mut arena);
        let pattern = system.initial().next().unwrap();
        let config = ready.initial(pattern, &mut arena).unwrap().remove(0).next;
        let narrowing = ready.narrow(&config, &mut arena);
        prop_assume!(narrowing.gap.is_none());
        let m = Machine::new(&system, 200_000);
        let extra = load(&format!("{OPS}Set S {x} {y}"));
        let values: Values = extra.initial().map(|p| m.build(&p.term, &[])).collect();
        let instance = m.build(&pattern.term, &values).unwrap();
        let any: Vec<Ground> = values.iter().flatten().cloned().collect();
        for (_, u) in m.successors(&instance, &any) {
            let term = import(&mut arena, &u);
            let c = Config { term, naturals: Vec::new(), bounds: Bounds::default() };
            let covered = is_instance(&c, &config, &mut arena)
                || narrowing.steps.iter().any(|s| is_instance(&c, &s.next, &mut arena));
            prop_assert!(covered, "{} leads to {}", m.show(&instance), m.show(&u));
        }
    }

    /// A verdict of `Closed` is never wrong: no ground rewriting from small instances meets a bad term.
    #[test]
    fn verdicts(rules in rules(), a in automaton(), t in term(true, 2)) {
        let system = load(&format!("{OPS}{rules}{a}Set S {t}"));
        let Some(report) = decided(&system) else { return Ok(()) };
        prop_assume!(!matches!(report.verdict, Reachability::Unknown(_)));
        let m = Machine::new(&system, 200_000);
        let small = load(&format!("{OPS}Set S a b zero s(zero) g(a) f(a, b)"));
        let small: Vec<Ground> = small.initial().filter_map(|p| m.build(&p.term, &[])).collect();
        let mut level: BTreeSet<Ground> = BTreeSet::new();
        for x in &small {
            for y in &small {
                level.extend(m.build(&system.initial().next().unwrap().term, &[Some(x.clone()), Some(y.clone())]));
            }
        }
        let mut bad = false;
        for _ in 0..4 {
            bad |= level.iter().any(|t| m.accepts(&system.automata[0], t));
            level = level.iter().take(20).flat_map(|t| m.successors(t, &small)).map(|s| s.1).collect();
        }
        prop_assert!(!(bad && matches!(report.verdict, Reachability::Closed(_))), "{}", system);
    }
}

fn import(arena: &mut Arena, t: &Ground) -> super::term::TermId {
    match t {
        Ground::Succ(n, base) => {
            let base = import(arena, base);
            arena.succ(*n, base)
        }
        Ground::App(op, args) => {
            let args = args.iter().map(|a| import(arena, a)).collect();
            arena.app(*op, args)
        }
    }
}

const ANY: &str = "zero -> q s(q) -> q a -> q b -> q g(q) -> q f(q, q) -> q h(q, q) -> q";

#[test]
fn equal_variables_are_more_than_states_say() {
    // theorem 3.1 with an automaton that is not deterministic: h(x, x) has no instance h(a, b)
    let bad = "Automaton A States p q r Final States r Transitions a -> p a -> q h(p, q) -> r";
    let word = |set: &str| decided(&load(&format!("{OPS}{bad} Set S {set}"))).unwrap().verdict.word();
    assert_eq!(word("h(x, x)"), "unsafe");
    assert_eq!(word("h(a, b)"), "safe");
    let apart = "Automaton A States p q r Final States r Transitions a -> p b -> q h(p, q) -> r";
    let word = |set: &str| decided(&load(&format!("{OPS}{apart} Set S {set}"))).unwrap().verdict.word();
    assert_eq!(word("h(x, x)"), "safe");
    assert_eq!(word("h(x, y)"), "unsafe");
}

#[test]
fn bounds_count_in_the_test() {
    // even numbers are bad
    let even = "Automaton A States e o Final States e Transitions zero -> e s(e) -> o s(o) -> e";
    let word = |set: &str| decided(&load(&format!("{OPS}{even} Set S {set}"))).unwrap().verdict.word();
    assert_eq!(word("x if x > 4 and x < 6"), "safe");
    assert_eq!(word("x if x > 4 and x < 7"), "unsafe");
    let both = format!("{even} h(e, e) -> e");
    let word = |set: &str| decided(&load(&format!("{OPS}{both} Set S {set}"))).unwrap().verdict.word();
    assert_eq!(word("h(x, s(x)) if x >= x"), "safe");
    assert_eq!(word("h(x, y) if x > y and y > 2"), "unsafe");
}

#[test]
fn what_tells_equal_terms_apart_is_refused() {
    let bad = "Automaton A States p q r Final States r Transitions a -> p b -> q f(p, q) -> r";
    let e =
        decide(&load(&format!("{OPS}{bad} Set S a")), &Limits { terms: 9, cancel: &AtomicBool::new(false) })
            .unwrap_err();
    assert!(e.message.contains("tells f(") && e.message.contains("AC"), "{e}");
    assert_eq!(e.line, 4);
}

#[test]
fn rewriting_of_naturals_in_a_variable_is_unknown() {
    let bad = "Automaton A States p r Final States r Transitions b -> p g(p) -> r";
    let text = format!("{OPS}TRS R s(s(x)) -> b {bad} Set S g(x) if x >= x");
    let report = decided(&load(&text)).unwrap();
    assert_eq!(report.verdict.word(), "unknown");
    // without the variable all is known
    let text = format!("{OPS}TRS R s(s(x)) -> b {bad} Set S g(s(s(s(zero))))");
    let report = decided(&load(&text)).unwrap();
    let Reachability::Reachable(path) = report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(path.moves.len(), 1);
}

#[test]
fn large_steps_end_by_subsumption() {
    let text = format!(
        "{OPS}TRS R h(x, a) -> h(s(x), a) Automaton A States q r Final States r Transitions {ANY} h(q, r) -> r \
         Set S h(x, a) if x >= x"
    );
    let report = decided(&load(&text)).unwrap();
    assert!(matches!(report.verdict, Reachability::Closed(1)), "{:?}", report.verdict);
}

#[test]
fn sequences_that_are_no_such_thing_do_not_replay() {
    let text = format!(
        "{OPS}TRS R a -> b Automaton A States q r Final States r Transitions b -> q g(q) -> r Set S g(a)"
    );
    let system = load(&text);
    let Reachability::Reachable(path) = decided(&system).unwrap().verdict else { panic!() };
    super::check::replay(&system, &path).unwrap();
    let mut wrong = path.clone();
    wrong.moves[0].after = wrong.start.clone();
    assert!(super::check::replay(&system, &wrong).is_err());
    let mut wrong = path.clone();
    wrong.moves.clear();
    assert!(super::check::replay(&system, &wrong).is_err());
    let mut wrong = *path;
    wrong.start = wrong.moves[0].after.clone();
    assert!(super::check::replay(&system, &wrong).is_err());
}

#[test]
fn equations_without_end_are_given_up() {
    // each round of f(x, x) = f(y, y) leaves one of its kind
    let system = load(&format!("{OPS}Set S f(f(a, x), x) f(a, f(y, y))"));
    let mut arena = Arena::new(&system);
    let ids: Vec<_> = system.initial().map(|p| arena.import(&p.term, &|v| v.0)).collect();
    let mut u = Unifier::new(&mut arena, 0);
    u.solve(ids[0], ids[1], Solution::default());
    assert!(u.gave_up);
}
