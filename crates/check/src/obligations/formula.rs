//! What each obligation says.

use super::{Obligations, any};
use crate::formula::{Formula, Linear, Symbol, Values, before, cube, place};
use crate::validate::Copies;
use crate::{Assertion, EnvTransition, Tickets};
use relyant_linear::Var;
use relyant_program::{Loc, Role, Scope};
use std::collections::BTreeSet;

/// A variable of a transition's relation, and whether its value after the step is meant: `validate` lets it speak of no
/// other thread's.
fn relation(v: Var) -> (Var, bool) {
    let role = Role::of(v);
    (role.plain(), role.after().is_some())
}

impl<'a> Obligations<'a> {
    /// The start condition, but for atoms about threads that may not exist or are not this one.
    pub(super) fn start(&self, i: u32) -> Formula {
        if self.program.init.is_bottom() {
            return Formula::Const(false);
        }
        let known = |v: Var| match self.program.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) => t == i || self.copies(t) == Copies::One,
        };
        let init = self.program.init.atoms().iter().filter(|a| a.vars().all(known));
        let entry = |t: u32| Linear::number(self.program.templates[t as usize].entry.0);
        let goal = any(self.at(i, self.program.templates[i as usize].entry), &before, &entry);
        Formula::and([Formula::and(init.map(|a| Formula::atom(a, &before))), goal.not()])
    }
    pub(super) fn step(&self, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let premise = any(self.at(i, e.from), &before, &|t| self.here(t, &[(i, e.from)]));
        let goal = any(self.at(i, e.to), &|v| self.written(e, v), &|t| self.here(t, &[(i, e.to)]));
        Formula::and([premise, self.enabled(e), goal.not()])
    }
    pub(super) fn environment(&self, j: u32, l: Loc) -> Formula {
        let transitions = self.transitions(j, l);
        let written: BTreeSet<Var> = transitions.iter().flat_map(|e| e.writes.iter().copied()).collect();
        let actors: BTreeSet<u32> = transitions.iter().map(|e| e.actor).filter(|i| *i != j).collect();
        // What some transition may change has a symbol for its value after the step.
        let moving = |v: Var| {
            let others = actors.iter().any(|i| self.is_local(v, *i) && !self.is_identity(v));
            others || written.contains(&v)
        };
        let after = |v: Var| if moving(v) { Linear::symbol(Symbol::After(v)) } else { before(v) };
        let at = |t: u32| self.here(t, &[(j, l)]);
        let moves = |t: u32| actors.contains(&t) && self.copies(t) == Copies::One;
        let at_after = |t: u32| if moves(t) { Linear::symbol(Symbol::AtAfter(t)) } else { at(t) };
        let goal = any(self.at(j, l), &after, &at_after);
        // Only what the goal speaks of has to be framed.
        let mut seen = BTreeSet::new();
        goal.symbols(&mut seen);
        let changes = |e: &EnvTransition, s: Symbol| match s {
            Symbol::After(v) => e.writes.contains(&v) || (e.actor != j && self.is_local(v, e.actor)),
            Symbol::AtAfter(t) => e.actor == t,
            _ => true,
        };
        let earlier = |s: Symbol| match s {
            Symbol::After(v) => before(v),
            Symbol::AtAfter(t) => Linear::symbol(Symbol::At(t)),
            s => Linear::symbol(s),
        };
        let transition = |e: &EnvTransition| {
            let frame = seen.iter().filter(|s| !changes(e, **s));
            let mut parts = vec![
                Formula::and(frame.map(|s| Formula::eq(Linear::symbol(*s).minus(&earlier(*s))))),
                Formula::and(e.control.iter().map(|(t, ls)| place(&at(*t), ls))),
                cube(&e.relation, &|v| match relation(v) {
                    (v, true) if changes(e, Symbol::After(v)) => after(v),
                    (v, _) => before(v),
                }),
            ];
            if e.from.is_empty() || e.to.is_empty() {
                parts.push(Formula::Const(false));
            } else if moves(e.actor) {
                parts.push(place(&at(e.actor), &e.from));
                // Where it goes matters only if the goal asks.
                if seen.contains(&Symbol::AtAfter(e.actor)) {
                    parts.push(place(&at_after(e.actor), &e.to));
                }
            }
            Formula::and(parts)
        };
        let touched = |s: &&Assertion| transitions.iter().any(|e| self.touched(s, j, e));
        Formula::and([
            any(self.at(j, l).iter().filter(touched), &before, &at),
            Formula::or(transitions.iter().map(|e| transition(e))),
            goal.not(),
        ])
    }
    /// A variable as thread j has it, when thread i is the one that moves.
    fn second(&self, j: u32, i: u32, v: Var) -> Linear {
        if i == j && self.is_local(v, j) { Linear::symbol(Symbol::Second(v)) } else { before(v) }
    }
    pub(super) fn interference(&self, j: u32, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let at = |t: u32| self.here(t, &[(i, e.from)]);
        let after = |v: Var| {
            if self.is_local(v, j) { self.second(j, i, v) } else { self.written(e, v) }
        };
        let both = |v: Var| match relation(v) {
            (v, true) => after(v),
            (v, false) => self.second(j, i, v),
        };
        let same = |v: Var| Formula::eq(self.written(e, v).minus(&before(v)));
        // Where thread j is: known to thread i's assertions only if there is one of its template.
        let there = if self.copies(j) == Copies::One { at(j) } else { Linear::symbol(Symbol::SecondAt(j)) };
        let mut goal = Vec::new();
        for x in self.environment[j as usize] {
            if x.actor == i && x.from.contains(&e.from) && x.to.contains(&e.to) {
                let unwritten =
                    e.updates.iter().filter(|u| self.program.is_global(u.0) && !x.writes.contains(&u.0));
                let applies = x.at.as_ref().map_or(Formula::Const(true), |at| place(&there, at));
                goal.push(Formula::and([
                    applies,
                    Formula::and(x.control.iter().map(|(t, ls)| place(&at(*t), ls))),
                    Formula::and(unwritten.map(|u| same(u.0))),
                    cube(&x.relation, &both),
                ]));
            }
        }
        if !self.sees_move(j, i, e) {
            let seen = e.updates.iter().filter(|u| self.vocabulary[j as usize].contains(&u.0));
            goal.push(Formula::and(seen.map(|u| same(u.0))));
        }
        Formula::and([
            any(self.at(i, e.from), &before, &at),
            self.enabled(e),
            self.apart((i, e.from), j, &there),
            Formula::or(goal).not(),
        ])
    }
    /// Two threads, one at a location, the other at a place, that both hold tickets of a counter hold different ones.
    fn apart(&self, (i, l): (u32, Loc), j: u32, there: &Linear) -> Formula {
        let holder = |t: &'a Tickets, i: u32| t.holders.iter().find(move |h| h.template == i);
        let both = |t: &'a Tickets| Some((holder(t, i)?, holder(t, j)?));
        Formula::and(
            self.proof.tickets.iter().filter_map(both).filter(|(a, _)| a.locations.contains(&l)).map(
                |(a, b)| {
                    let same = Formula::eq(before(a.variable).minus(&self.second(j, i, b.variable)));
                    Formula::and([place(there, &b.locations), same]).not()
                },
            ),
        )
    }
    /// The step may not lower the counter; arriving where a ticket is held, it keeps one that was held or draws one.
    pub(super) fn ticket(&self, k: usize, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let t = &self.proof.tickets[k];
        let (old, new) = (before(t.counter), self.written(e, t.counter));
        let mut goal = vec![Formula::le(old.minus(&new))];
        if let Some(h) = t.holders.iter().find(|h| h.template == i && h.locations.contains(&e.to)) {
            let ticket = self.written(e, h.variable);
            let drawn = Formula::and([
                Formula::eq(ticket.minus(&old)),
                Formula::le(old.minus(&new.minus(&Linear::number(1)))),
            ]);
            let kept = Formula::eq(ticket.minus(&before(h.variable)));
            let held = Formula::Const(h.locations.contains(&e.from));
            goal.push(Formula::or([drawn, Formula::and([held, kept])]));
        }
        let premise = any(self.at(i, e.from), &before, &|t| self.here(t, &[(i, e.from)]));
        Formula::and([premise, self.enabled(e), Formula::and(goal).not()])
    }
    pub(super) fn keep(&self, j: u32, l: Loc, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let at = |t: u32| self.here(t, &[(i, e.from), (j, l)]);
        // With i = j there are many threads of the template, and nobody speaks of "the" location of one.
        let at_after = |t: u32| self.here(t, &[(i, e.to), (j, l)]);
        let own = |v: Var| self.second(j, i, v);
        let after = |v: Var| {
            if self.is_local(v, j) { self.second(j, i, v) } else { self.written(e, v) }
        };
        let touched = self.at(j, l).iter().filter(|s| self.touched_by_edge(s, j, i, e));
        Formula::and([
            any(touched, &own, &at),
            any(self.at(i, e.from), &before, &at),
            self.enabled(e),
            self.apart((i, e.from), j, &Linear::number(l.0)),
            any(self.at(j, l), &after, &at_after).not(),
        ])
    }
    pub(super) fn exclusive(&self, a: (u32, Loc), b: (u32, Loc)) -> Formula {
        let at = |t: u32| self.here(t, &[a, b]);
        Formula::and([
            any(self.at(a.0, a.1), &before, &at),
            any(self.at(b.0, b.1), &|v| self.second(b.0, a.0, v), &at),
            self.apart(a, b.0, &Linear::number(b.1.0)),
        ])
    }
    pub(super) fn global_start(&self) -> Formula {
        let entries: Vec<Loc> = self.program.templates.iter().map(|t| t.entry).collect();
        Formula::and([cube(&self.program.init, &before), self.global_at(&entries, &before).not()])
    }
    fn global_at(&self, at: &[Loc], var: Values) -> Formula {
        Formula::or(self.global.get(at).into_iter().flatten().map(|c| cube(c, var)))
    }
    pub(super) fn global_step(&self, at: &[Loc], i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let mut to = at.to_vec();
        to[i as usize] = e.to;
        let goal = self.global_at(&to, &|v| self.written(e, v));
        Formula::and([self.global_at(at, &before), self.enabled(e), goal.not()])
    }
}
