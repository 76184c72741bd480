//! A plain explicit explorer of thread programs without inputs, and the proofs it gives: every reachable state and
//! every step, value by value. Big, but right.

use crate::programs::{eq, n, prime, rat, x};
use relyant_check::{Assertion, EnvTransition, Proof, Rule, ThreadProof};
use relyant_linear::{Cube, LinExpr, Var};
use relyant_program::{Loc, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Locations by template and values by variable.
pub type Global = (Vec<Loc>, Vec<i128>);

/// A step: before, template, edge, after.
pub type Move = (Global, u32, usize, Global);

/// All states that can be reached from the start values, and all steps between them.
pub fn explore(p: &Program, start: &[i128]) -> (BTreeSet<Global>, Vec<Move>) {
    let first: Global = (p.templates.iter().map(|t| t.entry).collect(), start.to_vec());
    let (mut seen, mut todo, mut moves) = (BTreeSet::from([first.clone()]), vec![first], Vec::new());
    while let Some(s) = todo.pop() {
        let value = |v: Var| rat(s.1[v.0 as usize]);
        for (i, t) in p.templates.iter().enumerate() {
            for (k, e) in t.edges.iter().enumerate() {
                assert!(e.inputs.is_empty(), "the explorer knows no inputs");
                let enabled = e.guard.atoms().iter().chain(e.bounds.atoms()).all(|a| a.holds(value));
                if e.from != s.0[i] || !enabled {
                    continue;
                }
                let mut next = s.clone();
                next.0[i] = e.to;
                for (v, update) in &e.updates {
                    next.1[v.0 as usize] = update.eval(value).to_i128().expect("an integer");
                }
                moves.push((s.clone(), i as u32, k, next.clone()));
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
    }
    moves.sort();
    (seen, moves)
}

fn is(values: &[i128], symbol: impl Fn(u32) -> LinExpr) -> Cube {
    Cube::of(values.iter().enumerate().map(|(v, k)| eq(&symbol(v as u32), &n(*k))))
}

fn others(at: &[Loc], but: u32) -> Vec<(u32, Vec<Loc>)> {
    let all = at.iter().enumerate().map(|(t, l)| (t as u32, vec![*l]));
    all.filter(|(t, _)| *t != but).collect()
}

/// The exact proof of a program of single threads, by any rule.
pub fn exact_proof(p: &Program, start: &[i128], rule: Rule) -> Proof {
    let (states, moves) = explore(p, start);
    if rule == Rule::Monolithic {
        let global = states.iter().map(|(at, values)| (at.clone(), is(values, x))).collect();
        return Proof { rule, modular: false, threads: Vec::new(), tickets: Vec::new(), global };
    }
    let thread = |i: u32| {
        let mut invariants: BTreeMap<Loc, Vec<Assertion>> = BTreeMap::new();
        for (at, values) in &states {
            let s = Assertion { control: others(at, i), cube: is(values, x) };
            invariants.entry(at[i as usize]).or_default().push(s);
        }
        let mut environment = BTreeSet::new();
        for ((at, values), actor, k, (to, after)) in &moves {
            if *actor == i || rule != Rule::RelyGuarantee {
                continue;
            }
            let e = &p.templates[*actor as usize].edges[*k];
            environment.insert(EnvTransition {
                actor: *actor,
                from: vec![at[*actor as usize]],
                to: vec![to[*actor as usize]],
                control: others(at, *actor),
                writes: e.updates.iter().map(|u| u.0).filter(|v| p.is_global(*v)).collect(),
                at: None,
                relation: is(values, x).and(&is(after, prime)),
            });
        }
        ThreadProof {
            template: i,
            invariants: invariants.into_iter().collect(),
            environment: environment.into_iter().collect(),
        }
    };
    let threads = (0..p.templates.len() as u32).map(thread).collect();
    Proof { rule, modular: false, threads, tickets: Vec::new(), global: Vec::new() }
}

/// Does a proof by threads cover all states and steps? What every valid proof must do.
pub fn covers(p: &Program, proof: &Proof, start: &[i128]) -> bool {
    let (states, _) = explore(p, start);
    let holds = |s: &Assertion, (at, values): &Global| {
        !s.cube.is_bottom()
            && s.cube.atoms().iter().all(|a| a.holds(|v| rat(values[v.0 as usize])))
            && s.control.iter().all(|(t, ls)| ls.contains(&at[*t as usize]))
    };
    states.iter().all(|g| match proof.rule {
        Rule::Monolithic => proof
            .global
            .iter()
            .any(|(at, cube)| *at == g.0 && holds(&Assertion { control: Vec::new(), cube: cube.clone() }, g)),
        _ => proof.threads.iter().all(|th| {
            let at = g.0[th.template as usize];
            th.invariants.iter().any(|(l, states)| *l == at && states.iter().any(|s| holds(s, g)))
        }),
    })
}
