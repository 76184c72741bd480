//! Random programs: the checker accepts the thread-modular fixpoint exactly when it has no error, and a proof that it
//! accepts for a changed program covers all that two and three threads of a template can do there.

use crate::explorer::{covers, exact_proof, explore};
use crate::programs::*;
use proptest::prelude::*;
use relyant_cfa::Count;
use relyant_check::check::{CheckError, Limits, check};
use relyant_check::validate::is_modular;
use relyant_check::{Assertion, EnvTransition, Proof, Rule, ThreadProof};
use relyant_linear::{Cube, LinExpr, Norm, Var};
use relyant_program::{Edge, Loc, Program, Scope};
use std::collections::BTreeSet;

/// Globals 0 and 1; template t has the local 2 + t.
const GLOBALS: u32 = 2;
const LOCATIONS: u32 = 4;

/// A step of template t, its numbers taken from the seeds.
fn an_edge(t: u32) -> impl Strategy<Value = Edge> {
    let own = 2 + t;
    let var = move |k: u32| [0, 1, own][(k % 3) as usize];
    let seeds = (0..LOCATIONS, 0..LOCATIONS, 0..3u32, 0..3i128, 0..4u8, 0..3u32, 0..3u32, 0..3i128, 0..4u8);
    seeds.prop_map(move |(from, to, g, c, guard, target, source, k, kind)| {
        let mut norms: Vec<Norm> = match guard {
            0 => vec![],
            1 => vec![eq(&x(var(g)), &n(c))],
            2 => vec![lt(&x(var(g)), &n(c))],
            _ => vec![eq(&x(var(g)), &x(var(g + 1)))],
        };
        let updates: Vec<(u32, LinExpr)> = match kind {
            0 => vec![],
            1 => vec![(var(target), n(k))],
            2 => vec![(var(target), x(var(source)))],
            _ => {
                // Values stay small.
                norms.push(lt(&x(var(target)), &n(2)));
                vec![(var(target), x(var(target)).add(&n(1)))]
            }
        };
        edge(from, to, cube(norms), &updates)
    })
}

fn a_program() -> impl Strategy<Value = Program> {
    let edges = (prop::collection::vec(an_edge(0), 2..6), prop::collection::vec(an_edge(1), 2..6));
    (edges, any::<(bool, bool, bool)>()).prop_map(|((a, b), (many_a, many_b, exclusive))| {
        let count = |many| if many { Count::AtMost(3) } else { Count::AtMost(1) };
        let mut a = template("a", count(many_a), 10, LOCATIONS, a);
        let mut b = template("b", count(many_b), 20, LOCATIONS, b);
        for t in [&mut a, &mut b] {
            if exclusive {
                label(t, 2, "critical");
            }
        }
        if !exclusive {
            a.locations[3].error = Some("assertion".into());
        }
        let variables = vec![global("g"), global("h"), local("a::x", 0), local("b::x", 1)];
        let init = cube((0..4).map(|v| eq(&x(v), &n(0))));
        let p = program(variables, vec![a, b], init);
        Program { exclusive: exclusive.then(|| "critical".into()), ..p }
    })
}

/// A thread's location and the values of all globals and its own local.
type View = (Loc, [i128; 3]);

fn step(p: &Program, t: u32, e: &Edge, view: &View) -> Option<View> {
    let index = |v: Var| if v.0 < GLOBALS { v.0 as usize } else { 2 };
    let value = |v: Var| rat(view.1[index(v)]);
    assert!(p.variables.len() as u32 == GLOBALS + 2 && t < 2);
    (e.from == view.0 && e.guard.atoms().iter().all(|a| a.holds(value)) && !e.guard.is_bottom()).then(|| {
        let mut after = view.1;
        for (v, update) in &e.updates {
            after[index(*v)] = update.eval(value).to_i128().expect("an integer");
        }
        (e.to, after)
    })
}

/// The least thread-modular assertions, view by view.
fn modular_proof(p: &Program) -> Proof {
    let many = |t: usize| p.templates[t].count != Count::AtMost(1);
    let mut views: [BTreeSet<View>; 2] = Default::default();
    let mut transitions: [BTreeSet<EnvTransition>; 2] = Default::default();
    views.iter_mut().for_each(|v| v.extend([(Loc(0), [0; 3])]));
    loop {
        let before = views.clone();
        for i in 0..2 {
            for e in &p.templates[i].edges {
                for view in &before[i] {
                    let Some(next) = step(p, i as u32, e, view) else { continue };
                    views[i].insert(next);
                    for j in (0..2).filter(|j| *j != i || many(i)) {
                        let (old, new) = ([view.1[0], view.1[1]], [next.1[0], next.1[1]]);
                        for other in before[j].iter().filter(|o| o.1[..2] == old) {
                            views[j].insert((other.0, [new[0], new[1], other.1[2]]));
                        }
                        let relation = (0..GLOBALS).flat_map(|g| {
                            [eq(&x(g), &n(old[g as usize])), eq(&prime(g), &n(new[g as usize]))]
                        });
                        let writes: Vec<u32> =
                            (0..GLOBALS).filter(|g| old[*g as usize] != new[*g as usize]).collect();
                        transitions[j].insert(env(i as u32, e.from.0, e.to.0, &writes, cube(relation)));
                    }
                }
            }
        }
        if views == before {
            break;
        }
    }
    let thread = |t: u32| {
        let at = |l: u32| views[t as usize].iter().filter(move |v| v.0 == Loc(l));
        let state = |v: &View| state(cube([0, 1, 2 + t].iter().zip(v.1).map(|(x_, k)| eq(&x(*x_), &n(k)))));
        let invariants = (0..LOCATIONS).map(|l| (Loc(l), at(l).map(state).collect::<Vec<Assertion>>()));
        ThreadProof {
            template: t,
            invariants: invariants.filter(|x| !x.1.is_empty()).collect(),
            environment: transitions[t as usize].iter().cloned().collect(),
        }
    };
    let threads = vec![thread(0), thread(1)];
    finish(
        p,
        Proof { rule: Rule::RelyGuarantee, modular: false, threads, tickets: Vec::new(), global: Vec::new() },
    )
}

fn finish(p: &Program, mut proof: Proof) -> Proof {
    proof.modular = is_modular(p, &proof);
    proof
}

/// Is a program's error among the assertions?
fn has_error(p: &Program, proof: &Proof) -> bool {
    let at = |t: usize, l: u32| {
        proof.threads[t].invariants.iter().filter(move |x| x.0 == Loc(l)).flat_map(|x| &x.1)
    };
    if p.exclusive.is_none() {
        return at(0, 3).next().is_some();
    }
    // Cubes fix all globals, so two views meet where these are the same.
    let globals = |s: &Assertion| {
        let own = |a: &&relyant_linear::Atom| a.vars().all(|v| v.0 < GLOBALS);
        s.cube.atoms().iter().filter(own).cloned().collect::<Vec<_>>()
    };
    let meet = |a: usize, b: usize| at(a, 2).any(|s| at(b, 2).any(|r| globals(s) == globals(r)));
    let many = |t: usize| p.templates[t].count != Count::AtMost(1);
    meet(0, 1) || (many(0) && meet(0, 0)) || (many(1) && meet(1, 1))
}

/// The program with each thread written out, `copies` of a template of many, and the same for its assertions.
fn written_out(p: &Program, proof: &Proof, copies: u32) -> (Program, Proof) {
    let (mut q, mut out) = (p.clone(), proof.clone());
    (q.templates, out.threads) = (Vec::new(), Vec::new());
    q.variables.truncate(GLOBALS as usize);
    q.init = Cube::top();
    for (t, template) in p.templates.iter().enumerate() {
        let n_copies = if template.count == Count::AtMost(1) { 1 } else { copies };
        for _ in 0..n_copies {
            let (k, own) = (q.templates.len() as u32, Var(q.variables.len() as u32));
            let mut v = p.variables[GLOBALS as usize + t].clone();
            v.scope = Scope::Local(k);
            q.variables.push(v);
            let rename = |v: Var| if v.0 < GLOBALS { v } else { own };
            let mut copy = template.clone();
            copy.count = Count::AtMost(1);
            for e in &mut copy.edges {
                e.guard = e.guard.rename(rename);
                e.updates.iter_mut().for_each(|u| *u = (rename(u.0), u.1.rename(rename)));
            }
            q.templates.push(copy);
            let mut thread = proof.threads[t].clone();
            thread.template = k;
            thread.invariants.iter_mut().flat_map(|x| &mut x.1).for_each(|s| s.cube = s.cube.rename(rename));
            out.threads.push(thread);
        }
    }
    (q, out)
}

fn reaches_error(p: &Program, start: &[i128]) -> bool {
    explore(p, start).0.iter().any(|(at, _)| {
        let location = |t: usize| &p.templates[t].locations[at[t].0 as usize];
        let inside = (0..at.len()).filter(|t| location(*t).labels.contains(&"critical".to_string())).count();
        let error = (0..at.len()).any(|t| location(t).error.is_some());
        error || (p.exclusive.is_some() && inside > 1)
    })
}

/// An accepted proof says the truth of two and three threads of each template of many.
fn sound(p: &Program, proof: &Proof) {
    for copies in [2, 3] {
        let (q, out) = written_out(p, proof, copies);
        let start = vec![0; q.variables.len()];
        assert!(!reaches_error(&q, &start), "an error can be reached");
        assert!(covers(&q, &out, &start), "a state is not covered");
    }
}

fn decided(p: &Program, proof: &Proof) -> bool {
    match check(p, proof, &Limits::default()) {
        Ok(_) => true,
        Err(CheckError::Fails { .. }) => false,
        Err(e) => panic!("{e}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn modular_fixpoints(p in a_program(), other in an_edge(0), which in any::<prop::sample::Index>()) {
        let proof = modular_proof(&p);
        let accepted = decided(&p, &proof);
        prop_assert_eq!(accepted, !has_error(&p, &proof));
        if accepted {
            sound(&p, &proof);
        }
        // The same proof for a program with another step.
        let mut q = p.clone();
        let k = which.index(q.templates[0].edges.len());
        q.templates[0].edges[k] = other;
        if decided(&q, &proof) {
            sound(&q, &proof);
        }
        // A proof without one of its environment transitions.
        let mut less = proof.clone();
        if !less.threads[1].environment.is_empty() {
            let k = which.index(less.threads[1].environment.len());
            less.threads[1].environment.remove(k);
            if decided(&p, &less) {
                sound(&p, &less);
            }
        }
    }

    #[test]
    fn exact_fixpoints(mut p in a_program(), other in an_edge(1), which in any::<prop::sample::Index>()) {
        p.templates.iter_mut().for_each(|t| t.count = Count::AtMost(1));
        let error = reaches_error(&p, &[0; 4]);
        let mut q = p.clone();
        let k = which.index(q.templates[1].edges.len());
        q.templates[1].edges[k] = other;
        for rule in [Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic] {
            // A program without steps of its own locals or of others may have a modular exact proof.
            let proof = finish(&p, exact_proof(&p, &[0; 4], rule));
            prop_assert_eq!(decided(&p, &proof), !error, "{:?}", rule);
            if decided(&q, &proof) {
                prop_assert!(covers(&q, &proof, &[0; 4]) && !reaches_error(&q, &[0; 4]));
            }
        }
    }
}
