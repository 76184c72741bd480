//! Exported systems against the programs they come from, by a plain breadth-first rewriting of ground terms.

use super::{export, system};
use crate::timbuk::{self, Atom, Automaton, StateId, Sum, System, Term, Transition, VarId};
use relyant_cfa as cfa;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::{Define, Preprocessing};
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_interp as interp;
use relyant_interp::explore;
use relyant_testing::threads::generate;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

type Subst = BTreeMap<VarId, Term>;

fn members(s: &System, t: &Term) -> Option<Vec<Term>> {
    match t {
        Term::App(op, args) if s.op(*op).ac => {
            Some(args.iter().flat_map(|a| members(s, a).unwrap_or_else(|| vec![a.clone()])).collect())
        }
        _ => None,
    }
}

/// With compositions flat and in order.
fn normal(s: &System, t: &Term) -> Term {
    let Term::App(op, args) = t else { return t.clone() };
    let args: Vec<Term> = args.iter().map(|a| normal(s, a)).collect();
    match members(s, &Term::App(*op, args.clone())) {
        Some(mut all) => {
            all.sort();
            Term::App(*op, all)
        }
        None => Term::App(*op, args),
    }
}

fn matches(s: &System, pattern: &Term, term: &Term, subst: Subst, out: &mut Vec<Subst>) {
    match (pattern, term) {
        (Term::Var(v), _) => {
            let mut subst = subst;
            if subst.get(v).is_none_or(|t| t == term) {
                subst.insert(*v, term.clone());
                out.push(subst);
            }
        }
        (Term::App(p, ps), Term::App(t, ts)) if p == t && s.op(*p).ac => {
            let (rest, single): (Vec<&Term>, Vec<&Term>) = ps.iter().partition(|p| matches!(p, Term::Var(_)));
            let [Term::Var(rest)] = rest[..] else { panic!("one variable for the rest") };
            let mut partial = vec![(ts.clone(), subst)];
            for p in single {
                let mut next = Vec::new();
                for (left, subst) in partial {
                    for i in 0..left.len() {
                        let mut found = Vec::new();
                        matches(s, p, &left[i], subst.clone(), &mut found);
                        let mut left = left.clone();
                        left.remove(i);
                        next.extend(found.into_iter().map(|f| (left.clone(), f)));
                    }
                }
                partial = next;
            }
            for (mut left, mut subst) in partial {
                let t = match left.len() {
                    0 => continue,
                    1 => left.remove(0),
                    _ => Term::App(*p, left),
                };
                subst.insert(*rest, t);
                out.push(subst);
            }
        }
        (Term::App(p, ps), Term::App(t, ts)) if p == t && ps.len() == ts.len() => {
            let mut all = vec![subst];
            for (p, t) in ps.iter().zip(ts) {
                let mut next = Vec::new();
                all.into_iter().for_each(|x| matches(s, p, t, x, &mut next));
                all = next;
            }
            out.extend(all);
        }
        _ => {}
    }
}

fn instance(t: &Term, subst: &Subst) -> Term {
    match t {
        Term::Var(v) => subst[v].clone(),
        Term::App(op, args) => Term::App(*op, args.iter().map(|a| instance(a, subst)).collect()),
    }
}

fn natural(s: &System, t: &Term) -> Option<u64> {
    let Term::App(op, args) = t else { return None };
    match (s.op(*op).name.as_str(), &args[..]) {
        ("zero", []) => Some(0),
        ("s", [a]) => natural(s, a).map(|n| n + 1),
        _ => None,
    }
}

fn holds(s: &System, a: &Atom, subst: &Subst) -> bool {
    let side = |x: Sum| Some(x.plus + x.var.map_or(Some(0), |v| natural(s, &subst[&v]))?);
    let (Some(l), Some(r)) = (side(a.left), side(a.right)) else { return false };
    a.comparison.holds(l, r)
}

fn successors(s: &System, t: &Term, out: &mut Vec<Term>) {
    for rule in s.rules() {
        let mut found = Vec::new();
        matches(s, &rule.left, t, Subst::new(), &mut found);
        found.retain(|x| rule.condition.iter().all(|a| holds(s, a, x)));
        out.extend(found.iter().map(|x| instance(&rule.right, x)));
    }
    let Term::App(op, args) = t else { return };
    for i in 0..args.len() {
        let mut inner = Vec::new();
        successors(s, &args[i], &mut inner);
        for new in inner {
            let mut args = args.clone();
            args[i] = new;
            out.push(Term::App(*op, args));
        }
    }
}

type Delta = BTreeMap<(u32, Vec<StateId>), StateId>;

/// The transitions of a deterministic automaton, which it is checked to be.
fn delta(a: &Automaton) -> Delta {
    let mut out = Delta::new();
    for t in &a.transitions {
        let Transition::Op(op, args, to) = t else { panic!("an epsilon transition") };
        let old = out.insert((op.0, args.clone()), *to);
        assert!(old.is_none_or(|o| o == *to), "two states for one term in {}", a.name);
    }
    out
}

fn run(s: &System, delta: &Delta, t: &Term) -> Option<StateId> {
    let Term::App(op, args) = t else { return None };
    let states = args.iter().map(|a| run(s, delta, a)).collect::<Option<Vec<_>>>()?;
    if s.op(*op).ac {
        let mut all = states.into_iter();
        let first = all.next()?;
        return all.try_fold(first, |p, q| delta.get(&(op.0, vec![p, q])).copied());
    }
    delta.get(&(op.0, states)).copied()
}

/// Composition must not depend on order.
fn check_ac(s: &System, delta: &Delta) {
    let par: Vec<(&Vec<StateId>, StateId)> = delta
        .iter()
        .filter(|((op, _), _)| s.ops[*op as usize].ac)
        .map(|((_, args), to)| (args, *to))
        .collect();
    let op = s.ops.iter().position(|o| o.ac).unwrap() as u32;
    let get = |a, b| delta.get(&(op, vec![a, b])).copied();
    for (args, to) in &par {
        assert_eq!(get(args[1], args[0]), Some(*to), "not commutative");
        for (other, _) in par.iter().filter(|(o, _)| o[0] == args[1]).take(20) {
            let left = get(*to, other[1]);
            let right = get(args[1], other[1]).and_then(|r| get(args[0], r));
            assert_eq!(left, right, "not associative");
        }
    }
}

/// Can a bad term be reached in this many? `None`: there are more.
fn bad(s: &System, most: usize) -> Option<bool> {
    let automata: Vec<(Delta, BTreeSet<StateId>)> =
        s.automata.iter().map(|a| (delta(a), a.finals.iter().copied().collect())).collect();
    automata.iter().for_each(|(d, _)| check_ac(s, d));
    let mut layer: Vec<Term> = s.initial().map(|p| normal(s, &p.term)).collect();
    let mut seen: HashSet<String> = HashSet::new();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for t in layer {
            if !seen.insert(s.show(&t)) {
                continue;
            }
            if automata.iter().any(|(d, f)| run(s, d, &t).is_some_and(|q| f.contains(&q))) {
                return Some(true);
            }
            if seen.len() > most {
                return None;
            }
            successors(s, &t, &mut next);
        }
        layer = next.iter().map(|t| normal(s, t)).collect();
    }
    Some(false)
}

fn program(text: &str, options: &Options) -> cfa::Program {
    let module = c::load_text("t.i", text, options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    instantiate::for_search(&module, options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn exhausted(p: &cfa::Program, most: usize) -> Option<bool> {
    let options = explore::ExploreOptions { max_states: most, ..explore::ExploreOptions::default() };
    match interp::explore(p, &options, &|| false).unwrap() {
        interp::Exploration::Violation(_) => Some(true),
        interp::Exploration::Exhausted { complete: true, .. } => Some(false),
        _ => None,
    }
}

fn benchmark(name: &str, deadlock: bool, define: &[&str]) -> cfa::Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/dynamic").join(name);
    let define = define.iter().map(|d| Define::parse(d).unwrap()).collect();
    let preprocessing = Preprocessing { define, ..Preprocessing::default() };
    let options = Options { deadlock, preprocessing, ..Options::default() };
    let module = c::load(&path, &options).unwrap();
    instantiate::for_search(&module, &options).unwrap()
}

#[test]
fn programs_of_table_1_have_their_errors() {
    for (name, deadlock) in [
        ("bluetooth_v1.c", false),
        ("bluetooth_v2.c", false),
        ("toy.c", false),
        ("tree_insert.c", false),
        ("lost_wakeup.c", true),
        ("philosophers.c", true),
        ("deep.c", false),
        ("crowd.c", false),
    ] {
        let s = system(&benchmark(name, deadlock, &[])).unwrap();
        assert_eq!(bad(&s, 20_000), Some(true), "{name}");
    }
}

#[test]
fn repaired_programs_have_none() {
    for (name, define) in [("lost_wakeup.c", "TOGETHER"), ("philosophers.c", "POLITE")] {
        let s = system(&benchmark(name, true, &[define, "SEATS=3"])).unwrap();
        assert_eq!(bad(&s, 20_000), Some(false), "{name}");
    }
}

#[test]
fn what_is_exported_reads_back() {
    for name in ["bluetooth_v2.c", "tree_insert.c", "toy.c", "deep.c"] {
        let p = benchmark(name, false, &[]);
        let back = timbuk::load_text(name, &export(&p).unwrap()).unwrap();
        assert_eq!(back.to_string(), system(&p).unwrap().to_string(), "{name}");
        assert!(back.naturals.is_some());
    }
}

/// Verdicts of random programs, with and without deadlocks: how many were compared, and how many had errors.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut compared, mut errors) = (0, 0);
    for seed in seeds {
        let text = generate(seed).to_c();
        for deadlock in [false, true] {
            let p = program(&text, &Options { deadlock, ..Options::default() });
            let Ok(s) = system(&p) else { continue };
            let Some(expected) = exhausted(&p, 3_000) else { continue };
            let Some(found) = bad(&s, 3_000) else { continue };
            assert_eq!(found, expected, "seed {seed}, deadlock {deadlock}\n{text}\n{s}");
            compared += 1;
            errors += usize::from(found);
        }
    }
    (compared, errors)
}

#[test]
fn random_programs_have_the_same_verdict() {
    let (compared, errors) = compare(0..150);
    assert!(compared >= 40 && errors >= 10, "{compared} compared, {errors} with errors");
}

#[test]
#[ignore = "long"]
fn many_random_programs_have_the_same_verdict() {
    println!("{:?}", compare(1_000..2_500));
}

const HEAD: &str = "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), \
     void *); int pthread_join(pthread_t, void **); int __VERIFIER_nondet_int(void); void reach_error(void);\n";

fn refusal(body: &str, deadlock: bool) -> String {
    let options = Options { deadlock, ..Options::default() };
    export(&program(&format!("{HEAD}{body}"), &options)).unwrap_err().to_string()
}

#[test]
fn what_rewriting_cannot_say_is_refused() {
    let e = refusal("int x, y; int main() {\n  x = 3; y = x * 7;\n  while (1) x = x * y; }", false);
    assert!(e.starts_with("t.i:3:") && e.contains("has no small bounds and is computed with"), "{e}");
    let e = refusal("unsigned x; int main() {\n  while (1) {\n    x--; } }", false);
    assert!(e.starts_with("t.i:4:5") && e.contains("4294967295 is too large"), "{e}");
    let e = refusal(
        "int x; int main() {\n  int n = __VERIFIER_nondet_int();\n  x = n + 1; if (x > 3) reach_error(); }",
        false,
    );
    assert!(e.contains("a few values do not stand for all"), "{e}");
    let e = refusal("int x; int main() {\n  x = 100000;\n  if (x > 5) reach_error(); }", false);
    assert!(e.contains("too large for a term"), "{e}");
}
