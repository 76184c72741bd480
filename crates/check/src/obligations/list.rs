//! Which obligations there are.

use super::{Obligation, Obligations, leaves, mentions, updates};
use crate::validate::Copies;
use crate::{Assertion, EnvTransition, Rule};
use relyant_linear::Var;
use relyant_program::{Edge, Loc};

impl<'a> Obligations<'a> {
    fn templates(&self) -> impl Iterator<Item = u32> + use<> {
        let there: Vec<u32> =
            (0..self.program.templates.len() as u32).filter(|t| self.copies(*t) != Copies::None).collect();
        there.into_iter()
    }
    /// Pairs of a thread and another one that moves.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let all = || self.templates().flat_map(|j| self.templates().map(move |i| (j, i)));
        all().filter(|(j, i)| j != i || self.copies(*i) == Copies::Many).collect()
    }
    fn labelled(&self) -> Vec<(u32, Loc)> {
        let Some(label) = &self.program.exclusive else { return Vec::new() };
        let mut out = Vec::new();
        for t in self.templates() {
            for (l, loc) in self.program.templates[t as usize].locations.iter().enumerate() {
                if loc.labels.contains(label) {
                    out.push((t, Loc(l as u32)));
                }
            }
        }
        out
    }
    pub(super) fn list_by_thread(&mut self) {
        let mut list: Vec<Obligation> = self.templates().map(Obligation::Start).collect();
        for i in self.templates() {
            let t = &self.program.templates[i as usize];
            let live = |e: &usize| !self.at(i, t.edges[*e].from).is_empty();
            list.extend((0..t.edges.len()).filter(live).map(|e| Obligation::Step(i, e)));
        }
        if self.proof.rule == Rule::OwickiGries {
            for (j, i) in self.pairs() {
                for l in self.locations(j) {
                    for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                        let moves = !self.at(i, edge.from).is_empty();
                        if moves && self.at(j, l).iter().any(|s| self.touched_by_edge(s, j, i, edge)) {
                            list.push(Obligation::Keep(j, l, i, e));
                        }
                    }
                }
            }
        } else {
            for j in self.templates() {
                let there = self.locations(j).filter(|l| !self.transitions(j, *l).is_empty());
                list.extend(there.map(|l| Obligation::Environment(j, l)));
            }
            for (j, i) in self.pairs() {
                for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                    let seen = self.sees_move(j, i, edge)
                        || edge.updates.iter().any(|u| self.vocabulary[j as usize].contains(&u.0));
                    if seen && !self.at(i, edge.from).is_empty() {
                        list.push(Obligation::Interference(j, i, e));
                    }
                }
            }
        }
        for k in 0..self.proof.tickets.len() {
            for i in self.templates() {
                let t = &self.program.templates[i as usize];
                let live = |e: &usize| !self.at(i, t.edges[*e].from).is_empty();
                list.extend((0..t.edges.len()).filter(live).map(|e| Obligation::Ticket(k, i, e)));
            }
        }
        for i in self.templates() {
            for l in self.locations(i) {
                let error = self.program.templates[i as usize].locations[l].error.is_some();
                if error && !self.at(i, l).is_empty() {
                    list.push(Obligation::Error(i, l));
                }
            }
        }
        let labelled = self.labelled();
        for (k, a) in labelled.iter().enumerate() {
            for b in &labelled[k..] {
                let two = a.0 != b.0 || self.copies(a.0) == Copies::Many;
                if two && !self.at(a.0, a.1).is_empty() && !self.at(b.0, b.1).is_empty() {
                    list.push(Obligation::Exclusive(*a, *b));
                }
            }
        }
        self.list = list;
    }
    fn locations(&self, t: u32) -> impl Iterator<Item = Loc> + use<> {
        (0..self.program.templates[t as usize].locations.len() as u32).map(Loc)
    }
    pub(super) fn list_global(&mut self) {
        let mut list = vec![Obligation::GlobalStart];
        for at in self.global.keys() {
            for i in self.templates() {
                for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                    if edge.from == at[i as usize] {
                        list.push(Obligation::GlobalStep(at.to_vec(), i, e));
                    }
                }
            }
        }
        let labelled = self.labelled();
        for at in self.global.keys() {
            let error = |i: &u32| {
                let l = at[*i as usize].0 as usize;
                self.program.templates[*i as usize].locations[l].error.is_some()
            };
            let inside = labelled.iter().filter(|(t, l)| at[*t as usize] == *l).count();
            if inside > 1 || self.templates().any(|i| error(&i)) {
                list.push(Obligation::GlobalError(at.to_vec()));
            }
        }
        self.list = list;
    }

    /// Could the transition make the state false? If not, it stays true and need not be asked about.
    pub(super) fn touched(&self, s: &Assertion, j: u32, e: &EnvTransition) -> bool {
        let moving = |v: Var| e.actor != j && self.is_local(v, e.actor) && !self.is_identity(v);
        leaves(s, e.actor, &e.to) || mentions(&s.cube, |v| e.writes.contains(&v) || moving(v))
    }
    /// The environment transitions that could end a state of thread j at l.
    pub(super) fn transitions(&self, j: u32, l: Loc) -> Vec<&'a EnvTransition> {
        let there = |e: &EnvTransition| e.control.iter().all(|(t, ls)| *t != j || ls.contains(&l));
        let applies = |e: &EnvTransition| e.at.as_ref().is_none_or(|at| at.contains(&l));
        let touches = |e: &EnvTransition| self.at(j, l).iter().any(|s| self.touched(s, j, e));
        self.environment[j as usize].iter().filter(|e| applies(e) && there(e) && touches(e)).collect()
    }
    pub(super) fn touched_by_edge(&self, s: &Assertion, j: u32, i: u32, e: &Edge) -> bool {
        let own = |v: Var| j == i && self.is_local(v, j);
        leaves(s, i, &[e.to]) || mentions(&s.cube, |v| updates(e, v) && !own(v))
    }
    /// Can the location part of thread j's assertions tell the two ends of the edge apart?
    pub(super) fn sees_move(&self, j: u32, i: u32, e: &Edge) -> bool {
        let loses = |s: &Assertion| {
            s.control.iter().any(|(t, ls)| *t == i && ls.contains(&e.from) && !ls.contains(&e.to))
        };
        self.states[j as usize].iter().any(|states| states.iter().any(loses))
    }
}
