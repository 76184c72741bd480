//! The proof that a fixpoint is (GPR, figure 6, line 17).

use super::Method;
use super::explore::Aret;
use relyant_check::{Assertion, EnvTransition, Proof, Rule, ThreadProof, Tickets};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rel, Var};
use relyant_program::{Loc, Program, Role, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// The assertions of a fixpoint without error.
pub fn of(program: &Program, aret: &Aret, method: Method, tickets: Vec<Tickets>) -> Proof {
    let threads: Vec<ThreadProof> =
        (0..aret.threads.len()).map(|j| thread_proof(program, aret, method, j)).collect();
    let rule = if method == Method::OwickiGries { Rule::OwickiGries } else { Rule::RelyGuarantee };
    let modular = threads.iter().all(|t| is_modular(program, aret, t));
    Proof { rule, modular, threads, tickets, global: Vec::new() }
}

fn thread_proof(program: &Program, aret: &Aret, method: Method, j: usize) -> ThreadProof {
    let template = aret.threads[j].template;
    let mut invariants: BTreeMap<Loc, BTreeSet<Assertion>> = BTreeMap::new();
    let view = &aret.precision.views[j];
    for s in aret.states.iter().filter(|s| s.thread as usize == j && !s.covered) {
        let mut control = Vec::new();
        for k in (0..aret.threads.len()).filter(|k| *k != j && view.partitions[*k].blocks() > 1) {
            control.push((aret.threads[k].template, view.partitions[k].members(s.blocks[k])));
        }
        let cube = strongest(s.bits.iter().map(|p| view.predicates[p].clone()));
        invariants.entry(s.loc).or_default().insert(Assertion { control, cube });
    }
    let environment = if method == Method::OwickiGries { Vec::new() } else { environment(program, aret, j) };
    let invariants = invariants.into_iter().map(|(l, s)| (l, s.into_iter().collect())).collect();
    ThreadProof { template, invariants, environment }
}

fn environment(program: &Program, aret: &Aret, j: usize) -> Vec<EnvTransition> {
    let relevant = &aret.caches.interference.relevant[j];
    let irrelevant: Vec<Var> = (0..program.variables.len() as u32)
        .map(Var)
        .filter(|v| program.is_global(*v) && !relevant.contains(v))
        .collect();
    let mut all = BTreeSet::new();
    let blocks = |i: usize, b: u16| {
        if i == j {
            // Another thread of the same template may be anywhere.
            let n = program.templates[aret.threads[i].template as usize].locations.len();
            (0..n).map(|l| Loc(l as u32)).collect()
        } else {
            aret.precision.views[j].partitions[i].members(b)
        }
    };
    for (i, _, b) in aret.stutters().into_iter().filter(|s| s.1 as usize == j) {
        let i = i as usize;
        all.insert(EnvTransition {
            actor: aret.threads[i].template,
            from: blocks(i, b),
            to: blocks(i, b),
            control: Vec::new(),
            writes: irrelevant.clone(),
            at: None,
            relation: Cube::of(frame(program, aret, i, j, &[])),
        });
    }
    for e in aret.envs.iter().filter(|e| e.target as usize == j) {
        let i = e.actor as usize;
        let mut control = Vec::new();
        for k in (0..aret.threads.len()).filter(|k| *k != i && *k != j && aret.threads[*k].single) {
            let p = &aret.precision.views[j].partitions[k];
            let n = program.templates[aret.threads[k].template as usize].locations.len();
            let members: Vec<Loc> =
                (0..n as u32).map(Loc).filter(|l| e.third[k] >> p.block(*l) & 1 == 1).collect();
            if members.len() < n {
                control.push((aret.threads[k].template, members));
            }
        }
        let at = e.at.as_ref().map(|at| at.indices().filter(|l| at[*l]).collect());
        // Nothing is lost where a transition that applies nowhere may apply anywhere.
        let at = at.filter(|ls: &Vec<Loc>| !ls.is_empty());
        let mut writes: Vec<Var> = e
            .writes
            .iter()
            .copied()
            .filter(|v| program.is_global(*v))
            .chain(irrelevant.iter().copied())
            .collect();
        writes.sort_unstable();
        writes.dedup();
        let predicates = &aret.precision.transitions[i][j];
        // An unwritten variable's primed copy is the variable itself.
        let plain = |v: Var| {
            let u = Role::of(v).after()?;
            (e.writes.binary_search(&u).is_err()).then(|| LinExpr::var(u))
        };
        let relation = e.bits.iter().map(|k| predicates[k].subst(plain));
        let mut cube = strongest(relation.filter_map(|n| match n {
            Norm::Atom(a) => Some(a),
            _ => None,
        }));
        for n in frame(program, aret, i, j, &e.writes) {
            cube.push(n);
        }
        all.insert(EnvTransition {
            actor: aret.threads[i].template,
            from: blocks(i, e.blocks.0),
            to: blocks(i, e.blocks.1),
            control,
            writes,
            at,
            relation: cube,
        });
    }
    all.into_iter().collect()
}

/// The actor's locals that the target knows of and the step leaves alone.
fn frame(program: &Program, aret: &Aret, i: usize, j: usize, writes: &[Var]) -> Vec<Norm> {
    if i == j {
        return Vec::new();
    }
    let mut kept: Vec<Var> = aret.caches.interference.relevant[j]
        .union(&aret.caches.interference.primed[i][j])
        .copied()
        .filter(|v| {
            program
                .variables
                .get(v.0 as usize)
                .is_some_and(|x| x.scope == Scope::Local(aret.threads[i].template))
                && writes.binary_search(v).is_err()
        })
        .collect();
    kept.sort_unstable();
    kept.into_iter().map(|v| Atom::eq(&Role::After(v).expr().sub(&LinExpr::var(v)))).collect()
}

/// Of bounds on the same terms only the strongest.
fn strongest(atoms: impl Iterator<Item = Atom>) -> Cube {
    let mut best: BTreeMap<Vec<(Var, relyant_linear::Rat)>, Atom> = BTreeMap::new();
    let mut cube = Cube::top();
    for a in atoms {
        if a.rel() == Rel::Eq {
            cube.push(Norm::Atom(a));
            continue;
        }
        let slot = best.entry(a.expr().terms().to_vec()).or_insert_with(|| a.clone());
        if a.expr().constant_part() > slot.expr().constant_part() {
            *slot = a;
        }
    }
    best.into_values().for_each(|a| cube.push(Norm::Atom(a)));
    cube
}

fn is_modular(program: &Program, aret: &Aret, t: &ThreadProof) -> bool {
    let own = |v: Var| match program.variables.get(v.0 as usize).map(|x| x.scope) {
        Some(Scope::Global) => true,
        Some(Scope::Local(o)) => o == t.template,
        None => false,
    };
    let thread = aret.threads.iter().find(|x| x.template == t.template);
    let global = |v: Var| {
        let v = Role::of(v).plain();
        program.is_global(v) || thread.is_some_and(|x| x.tells(v))
    };
    t.invariants
        .iter()
        .flat_map(|x| &x.1)
        .all(|s| s.control.is_empty() && s.cube.atoms().iter().all(|a| a.vars().all(own)))
        && t.environment
            .iter()
            .all(|e| e.control.is_empty() && e.relation.atoms().iter().all(|a| a.vars().all(global)))
}
