//! Environment transitions in fewer words: each may allow more, as long as the assertions stay stable under it.

use super::{Minimiser, Region, narrow, rewrite, same_step, spread};
use relyant_check::obligations::Obligation;
use relyant_check::{EnvTransition, Proof};
use relyant_linear::{Atom, Cube, Norm};
use relyant_program::{Loc, Program};

/// Where the actor comes from and goes to, where the target is, then where each template's threads are.
fn region_of(program: &Program, template: u32, e: &EnvTransition) -> Region {
    let own = program.templates.get(template as usize).map(super::all).unwrap_or_default();
    let first = [e.from.clone(), e.to.clone(), e.at.clone().unwrap_or(own)];
    Region { sets: first.into_iter().chain(spread(program, &e.control)).collect(), cube: e.relation.clone() }
}

fn transition_of(
    program: &Program,
    template: u32,
    like: &EnvTransition,
    r: &Region,
) -> Option<EnvTransition> {
    let [from, to, at, control @ ..] = &r.sets[..] else { return None };
    let whole = program.templates.get(template as usize).is_some_and(|t| t.locations.len() == at.len());
    Some(EnvTransition {
        actor: like.actor,
        from: from.clone(),
        to: to.clone(),
        control: narrow(program, control),
        writes: like.writes.clone(),
        at: (!whole).then(|| at.clone()),
        relation: r.cube.clone(),
    })
}

fn union(a: &[Loc], b: &[Loc]) -> Vec<Loc> {
    let mut out = [a, b].concat();
    out.sort_unstable();
    out.dedup();
    out
}

/// The least transition of this form that allows what either allows, as far as atoms go that both have.
fn join(a: &EnvTransition, b: &EnvTransition) -> EnvTransition {
    let control = a.control.iter().filter_map(|(t, ls)| {
        let other = b.control.iter().find(|c| c.0 == *t)?;
        Some((*t, union(ls, &other.1)))
    });
    let common = a.relation.atoms().iter().filter(|x| b.relation.entails(x) == Some(true));
    EnvTransition {
        actor: a.actor,
        from: union(&a.from, &b.from),
        to: union(&a.to, &b.to),
        control: control.collect(),
        writes: a.writes.clone(),
        at: a.at.as_ref().zip(b.at.as_ref()).map(|(x, y)| union(x, y)),
        relation: Cube::of(common.cloned().map(Norm::Atom)),
    }
}

impl Minimiser<'_> {
    /// Writes the environment transitions of a thread anew, those with the same actor and writes as one union.
    pub(super) fn simplify_environment(&mut self, t: usize) {
        let program = self.program;
        let Some(thread) = self.proof.threads.get_mut(t) else { return };
        let Some(own) = self.program.templates.get(thread.template as usize).map(super::all) else { return };
        let mut left = std::mem::take(&mut thread.environment);
        while let Some(first) = left.first().cloned() {
            let (group, rest): (Vec<EnvTransition>, Vec<_>) =
                left.into_iter().partition(|e| same_step(e, &first));
            left = rest;
            let Some(actor) = self.program.templates.get(first.actor as usize).map(super::all) else {
                continue;
            };
            let full: Vec<Vec<Loc>> = [actor.clone(), actor, own.clone()]
                .into_iter()
                .chain(self.program.templates.iter().map(super::all))
                .collect();
            let regions = group.iter().map(|e| region_of(self.program, thread.template, e)).collect();
            let simple = rewrite(program, self.large, regions, &full, &mut self.work);
            let back = simple.iter().filter_map(|r| transition_of(self.program, thread.template, &first, r));
            thread.environment.extend(back);
        }
        thread.environment.sort();
    }

    /// Joins transitions and drops what they say, while all assertions stay stable.
    pub(super) fn weaker_transitions(&mut self) {
        for t in 0..self.proof.threads.len() {
            self.drop_transitions(t);
            self.join_transitions(t);
            for k in 0..self.proof.threads.get(t).map_or(0, |x| x.environment.len()) {
                self.weaken_transition(t, k);
            }
            self.join_transitions(t);
            self.simplify_environment(t);
        }
    }

    /// Drops those that no step of their actor needs any more.
    fn drop_transitions(&mut self, t: usize) {
        let mut k = 0;
        while let Some(e) = self.proof.threads.get(t).and_then(|x| x.environment.get(k)).cloned() {
            if self.asks == 0 {
                return;
            }
            let mut without = self.proof.clone();
            let Some(thread) = without.threads.get_mut(t) else { return };
            thread.environment.remove(k);
            let template = thread.template;
            without.modular = super::is_modular(self.program, &without);
            let covers = |o: &Obligation| matches!(o, Obligation::Interference(j, i, _) if *j == template && *i == e.actor);
            if self.hold(&without, covers) {
                self.proof = without;
            } else {
                k += 1;
            }
        }
    }

    fn join_transitions(&mut self, t: usize) {
        let mut i = 0;
        while let Some(a) = self.proof.threads.get(t).and_then(|x| x.environment.get(i)).cloned() {
            let mut k = i + 1;
            let mut current = a;
            while let Some(b) = self.proof.threads.get(t).and_then(|x| x.environment.get(k)).cloned() {
                if self.asks == 0 {
                    return;
                }
                let both = join(&current, &b);
                if same_step(&current, &b) && self.stable(t, &both) {
                    if let Some(thread) = self.proof.threads.get_mut(t) {
                        thread.environment.remove(k);
                        if let Some(e) = thread.environment.get_mut(i) {
                            *e = both.clone();
                        }
                    }
                    current = both;
                } else {
                    k += 1;
                }
            }
            i += 1;
        }
    }

    fn weaken_transition(&mut self, t: usize, k: usize) {
        let Some(e) = self.proof.threads.get(t).and_then(|x| x.environment.get(k)).cloned() else { return };
        let mut now = e.clone();
        let mut attempts = vec![EnvTransition { at: None, ..now.clone() }];
        attempts.push(EnvTransition { control: Vec::new(), at: None, ..now.clone() });
        for a in attempts {
            if a != now && self.stable(t, &a) {
                now = a;
            }
        }
        let mut atoms: Vec<Atom> = now.relation.atoms().to_vec();
        atoms.sort_by_key(|a| std::cmp::Reverse(a.expr().terms().len()));
        for a in atoms {
            let rest = now.relation.atoms().iter().filter(|b| **b != a).cloned().map(Norm::Atom);
            let weaker = EnvTransition { relation: Cube::of(rest), ..now.clone() };
            if !now.relation.is_bottom() && self.stable(t, &weaker) {
                now = weaker;
            }
        }
        if let Some(x) = self.proof.threads.get_mut(t).and_then(|x| x.environment.get_mut(k)) {
            *x = now;
        }
    }

    /// Does one transition by itself keep all assertions of the thread?
    fn stable(&mut self, t: usize, e: &EnvTransition) -> bool {
        if self.asks == 0 {
            return false;
        }
        let mut alone: Proof = self.proof.clone();
        let Some(thread) = alone.threads.get_mut(t) else { return false };
        thread.environment = vec![e.clone()];
        let template = thread.template;
        alone.modular = super::is_modular(self.program, &alone);
        self.hold(&alone, |o| matches!(o, Obligation::Environment(j, _) if *j == template))
    }
}
