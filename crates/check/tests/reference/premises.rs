//! The premises of the proof rules as they are defined (docs/CERTIFICATE.md, "What is checked"), for small values: which of them
//! a proof violates. Written for threads and values, not for formulas; it shares nothing with the checker but names.

use crate::points::{Fact, Point, Second, Slot, Slots};
use relyant_check::obligations::Obligation;
use relyant_check::{Assertion, EnvTransition, Proof, Rule};
use relyant_linear::{Cube, Var};
use relyant_program::{Count, Loc, Program, Role, Scope};

/// A program, a proof of it, and the slots of its values.
pub struct Reference<'a> {
    p: &'a Program,
    proof: &'a Proof,
    slots: Slots<'a>,
    /// By template and location; those of a thread without steps are everything at its entry.
    states: Vec<Vec<Vec<Assertion>>>,
}

pub fn exists(p: &Program, t: u32) -> bool {
    p.templates[t as usize].count != Count::AtMost(0)
}
pub fn many(p: &Program, t: u32) -> bool {
    exists(p, t) && p.templates[t as usize].count != Count::AtMost(1)
}
pub fn threads(p: &Program) -> Vec<u32> {
    (0..p.templates.len() as u32).filter(|t| exists(p, *t)).collect()
}

/// Does the proof speak only of globals, and of each thread's own locals where it is about that thread?
pub fn modular(p: &Program, proof: &Proof) -> bool {
    let vars = |c: &Cube| c.atoms().iter().flat_map(|a| a.vars().collect::<Vec<_>>()).collect::<Vec<Var>>();
    let scope = |v: Var| p.variables[v.0 as usize].scope;
    proof.rule != Rule::Monolithic
        && proof.threads.iter().all(|th| {
            let own = Scope::Local(th.template);
            let mut states = th.invariants.iter().flat_map(|x| &x.1);
            let may_speak = |v: Var| {
                let holds = proof.tickets.iter().flat_map(|t| &t.holders);
                let mut tickets = holds.filter(|h| h.template == th.template).map(|h| h.variable);
                scope(v) == Scope::Global
                    || (scope(v) == own && (p.variables[v.0 as usize].identity || tickets.any(|t| t == v)))
            };
            states.all(|s| {
                let fine = |v: &Var| scope(*v) == Scope::Global || scope(*v) == own;
                s.control.is_empty() && vars(&s.cube).iter().all(fine)
            }) && th.environment.iter().all(|x| {
                x.control.is_empty() && vars(&x.relation).iter().all(|v| may_speak(Role::of(*v).plain()))
            })
        })
}

/// The premises that do not hold.
pub fn violated(p: &Program, proof: &Proof) -> Vec<Obligation> {
    let mut states: Vec<Vec<Vec<Assertion>>> =
        p.templates.iter().map(|t| vec![Vec::new(); t.locations.len()]).collect();
    for (i, t) in p.templates.iter().enumerate() {
        match proof.threads.iter().find(|th| th.template as usize == i) {
            Some(th) => th.invariants.iter().for_each(|(l, s)| states[i][l.0 as usize] = s.clone()),
            None => states[i][t.entry.0 as usize].push(Assertion { control: Vec::new(), cube: Cube::top() }),
        }
    }
    let r = Reference { p, proof, slots: Slots::new(p), states };
    if proof.rule == Rule::Monolithic { r.monolithic() } else { r.by_thread() }
}

impl Reference<'_> {
    fn by_thread(&self) -> Vec<Obligation> {
        let all = threads(self.p);
        let mut out = Vec::new();
        let mut note = |wrong: bool, o: Obligation| {
            if wrong {
                out.push(o);
            }
        };
        for i in all.iter().copied() {
            note(self.start(i), Obligation::Start(i));
            for e in 0..self.p.templates[i as usize].edges.len() {
                note(self.step(i, e), Obligation::Step(i, e));
                for k in 0..self.proof.tickets.len() {
                    note(self.ticket(k, i, e), Obligation::Ticket(k, i, e));
                }
            }
            for l in self.locations(i) {
                note(self.error(i, l), Obligation::Error(i, l));
            }
        }
        for j in all.iter().copied() {
            for l in self.locations(j).filter(|_| self.proof.rule == Rule::RelyGuarantee) {
                note(self.environment(j, l), Obligation::Environment(j, l));
            }
            for i in all.iter().copied().filter(|i| *i != j || many(self.p, j)) {
                for e in 0..self.p.templates[i as usize].edges.len() {
                    if self.proof.rule == Rule::RelyGuarantee {
                        note(self.interference(j, i, e), Obligation::Interference(j, i, e));
                        continue;
                    }
                    for l in self.locations(j) {
                        note(self.keep(j, l, i, e), Obligation::Keep(j, l, i, e));
                    }
                }
            }
        }
        let labelled = self.labelled();
        for (k, a) in labelled.iter().enumerate() {
            for b in &labelled[k..] {
                let two = a.0 != b.0 || many(self.p, a.0);
                note(two && self.meet(*a, *b), Obligation::Exclusive(*a, *b));
            }
        }
        out
    }
    fn locations(&self, t: u32) -> impl Iterator<Item = Loc> + use<> {
        (0..self.p.templates[t as usize].locations.len() as u32).map(Loc)
    }
    fn labelled(&self) -> Vec<(u32, Loc)> {
        let Some(label) = &self.p.exclusive else { return Vec::new() };
        let all = threads(self.p).into_iter().flat_map(|t| self.locations(t).map(move |l| (t, l)));
        all.filter(|(t, l)| self.p.templates[*t as usize].locations[*l].labels.contains(label)).collect()
    }
    fn states(&self, t: u32, l: Loc) -> &[Assertion] {
        &self.states[t as usize][l.0 as usize]
    }
    /// Is the thread's assertion true at a point, where it is at l?
    fn holds(&self, t: u32, l: Loc, second: Second, after: bool, p: &[i128]) -> bool {
        let states = self.states(t, l).iter();
        states.map(|s| self.slots.assertion(s, second, after)).any(|fs| fs.iter().all(|f| f.holds(p)))
    }
    /// What the assertions of a thread speak of.
    fn slots_of(&self, t: u32, l: Loc, second: Second, after: bool) -> Vec<Slot> {
        let facts = self.states(t, l).iter().flat_map(|s| self.slots.assertion(s, second, after));
        facts.flat_map(|f| f.slots()).collect()
    }
    fn is_at(&self, t: u32, second: Second, l: Loc) -> Fact {
        Fact::place(self.slots.at(t, second, false), &[l])
    }
    /// The thread j beside one of template i that moves: a second one if they are of one template.
    fn beside(&self, j: u32, i: u32) -> Second {
        Second((i == j).then_some(i))
    }
    /// CS1: where all threads are at their entries and the start condition holds, so does the assertion.
    fn start(&self, i: u32) -> bool {
        let mut facts = self.slots.condition(&self.p.init, Second(None), false);
        let entry = |t: u32| self.p.templates[t as usize].entry;
        facts.extend((0..self.p.templates.len() as u32).map(|t| self.is_at(t, Second(None), entry(t))));
        let more = self.slots_of(i, entry(i), Second(None), false);
        self.slots.find(&facts, &more, &mut |p| !self.holds(i, entry(i), Second(None), false, p))
    }
    /// Is there a step of the edge, from the thread's assertion and where more facts hold, with this?
    fn some_step(
        &self,
        (i, e): (u32, usize),
        facts: &[Fact],
        more: &[Slot],
        wrong: &mut dyn FnMut(&[i128], Point) -> bool,
    ) -> bool {
        let edge = &self.p.templates[i as usize].edges[e];
        self.states(i, edge.from).iter().any(|s| {
            let mut all = facts.to_vec();
            all.extend(self.slots.assertion(s, Second(None), false));
            all.push(self.is_at(i, Second(None), edge.from));
            all.extend(self.slots.enabled(edge));
            let reads = edge.updates.iter().flat_map(|u| u.1.vars()).map(|v| {
                match (v.0 as usize).checked_sub(self.p.variables.len()) {
                    Some(k) => self.slots.input(k),
                    None => self.slots.of(v, Second(None), false),
                }
            });
            let written = edge.updates.iter().map(|u| self.slots.of(u.0, Second(None), false));
            let more: Vec<Slot> = more.iter().copied().chain(reads).chain(written).collect();
            self.slots.find(&all, &more, &mut |p| wrong(p, self.slots.fire(i, edge, p)))
        })
    }
    /// CS2: a step leads from the assertion at its source to the one at its target.
    fn step(&self, i: u32, e: usize) -> bool {
        let to = self.p.templates[i as usize].edges[e].to;
        let more = self.slots_of(i, to, Second(None), false);
        self.some_step((i, e), &[], &more, &mut |_, p| !self.holds(i, to, Second(None), true, &p))
    }
    /// When one thread, copy 0 of the actor's template, does an environment transition beside a thread of j.
    fn transition(&self, x: &EnvTransition, j: u32) -> Vec<Fact> {
        let a = self.beside(j, x.actor);
        let mut facts = self.slots.relation(&x.relation, a);
        facts.push(Fact::place(self.slots.at(x.actor, Second(None), false), &x.from));
        facts.push(Fact::place(self.slots.at(x.actor, Second(None), true), &x.to));
        facts.extend(self.slots.places(&x.control, a, false));
        facts.extend(x.at.iter().map(|at| Fact::place(self.slots.at(j, a, false), at)));
        facts
    }
    /// What an environment transition beside a thread of j leaves as it is.
    fn frame(&self, x: &EnvTransition, j: u32) -> Vec<Fact> {
        let a = self.beside(j, x.actor);
        let mut facts = Vec::new();
        for (k, of) in self.p.variables.iter().enumerate() {
            let v = Var(k as u32);
            let changes = match of.scope {
                Scope::Global => x.writes.contains(&v),
                Scope::Local(t) => t == x.actor && t != j && !of.identity,
            };
            if !changes {
                facts.push(Fact::same(self.slots.of(v, a, false), self.slots.of(v, a, true)));
            }
        }
        let others = (0..self.p.templates.len() as u32).filter(|t| *t != x.actor || *t == j);
        facts.extend(others.map(|t| Fact::same(self.slots.at(t, a, false), self.slots.at(t, a, true))));
        facts
    }
    /// CS3: no environment transition ends the assertion at l.
    fn environment(&self, j: u32, l: Loc) -> bool {
        let proof = self.proof.threads.iter().find(|th| th.template == j);
        let environment = proof.map_or(&[][..], |th| &th.environment);
        environment.iter().any(|x| {
            let a = self.beside(j, x.actor);
            let mut more = self.slots_of(j, l, a, true);
            more.extend(self.slots_of(j, l, a, false));
            self.states(j, l).iter().any(|s| {
                let mut facts = self.transition(x, j);
                facts.extend(self.slots.assertion(s, a, false));
                facts.push(self.is_at(j, a, l));
                let spoken: Vec<Slot> = facts.iter().flat_map(Fact::slots).chain(more.clone()).collect();
                let frame = self.frame(x, j);
                facts.extend(frame.into_iter().filter(|f| f.slots().iter().any(|s| spoken.contains(s))));
                self.slots.find(&facts, &more, &mut |p| !self.holds(j, l, a, true, p))
            })
        })
    }
    /// CS4: each step of a thread of i, from its assertion, is an environment transition of one of j beside it, or changes
    /// nothing that assertions of j speak of.
    fn interference(&self, j: u32, i: u32, e: usize) -> bool {
        let (edge, a) = (&self.p.templates[i as usize].edges[e], self.beside(j, i));
        let proof = self.proof.threads.iter().find(|th| th.template == j);
        let environment: Vec<&EnvTransition> =
            proof.iter().flat_map(|th| &th.environment).filter(|x| x.actor == i).collect();
        let allowed: Vec<Vec<Fact>> =
            environment.iter().map(|x| [self.transition(x, j), self.frame(x, j)].concat()).collect();
        let before: Vec<Slot> = environment
            .iter()
            .flat_map(|x| x.relation.vars())
            .map(|v| self.slots.of(Role::of(v).plain(), a, false))
            .collect();
        let places = environment.iter().flat_map(|x| &x.control).map(|(t, _)| self.slots.at(*t, a, false));
        let mut more: Vec<Slot> = before.into_iter().chain(places).collect();
        more.push(self.slots.at(j, a, false));
        more.extend(self.held(i, Second(None)).into_iter().chain(self.held(j, a)));
        let assertions = || self.states[j as usize].iter().flatten();
        let moves_unseen = assertions().all(|s| {
            let mut of_i = s.control.iter().filter(|(t, _)| *t == i);
            of_i.all(|(_, ls)| !ls.contains(&edge.from) || ls.contains(&edge.to))
        });
        let spoken: Vec<Var> = assertions().flat_map(|s| s.cube.vars()).collect();
        let seen = spoken.into_iter().filter(|v| self.p.variables[v.0 as usize].scope != Scope::Local(j));
        let seen: Vec<(Slot, Slot)> =
            seen.map(|v| (self.slots.of(v, a, false), self.slots.of(v, a, true))).collect();
        self.some_step((i, e), &[], &more, &mut |p, next| {
            let unseen = moves_unseen && seen.iter().all(|(before, after)| next[*before] == next[*after]);
            self.slots.tickets(&self.proof.tickets, (i, edge.from), j, a, p)
                && !unseen
                && !allowed.iter().any(|fs| fs.iter().all(|f| f.holds(&next)))
        })
    }
    /// The tickets that a thread may hold.
    fn held(&self, t: u32, second: Second) -> Vec<Slot> {
        let holders = self.proof.tickets.iter().flat_map(|x| &x.holders).filter(|h| h.template == t);
        holders.map(|h| self.slots.of(h.variable, second, false)).collect()
    }
    /// No step lowers a counter, and whoever is at a holder's location has kept a ticket or drawn one.
    fn ticket(&self, k: usize, i: u32, e: usize) -> bool {
        let (t, edge) = (&self.proof.tickets[k], &self.p.templates[i as usize].edges[e]);
        let slot = |v: Var, after| self.slots.of(v, Second(None), after);
        let holder = t.holders.iter().find(|h| h.template == i);
        let mut more = vec![slot(t.counter, false)];
        more.extend(holder.map(|h| slot(h.variable, false)));
        self.some_step((i, e), &[], &more, &mut |_, p| {
            let (old, new) = (p[slot(t.counter, false)], p[slot(t.counter, true)]);
            let fine = holder.filter(|h| h.locations.contains(&edge.to)).is_none_or(|h| {
                let (was, is) = (p[slot(h.variable, false)], p[slot(h.variable, true)]);
                (is == old && new > old) || (was == is && h.locations.contains(&edge.from))
            });
            new < old || !fine
        })
    }
    /// CS3 of Owicki-Gries: a step of a thread of i, from its assertion, keeps the one of a thread of j at l.
    fn keep(&self, j: u32, l: Loc, i: u32, e: usize) -> bool {
        let (edge, a) = (&self.p.templates[i as usize].edges[e], self.beside(j, i));
        let mut more = self.slots_of(j, l, a, false);
        more.extend(self.held(i, Second(None)).into_iter().chain(self.held(j, a)));
        self.states(j, l).iter().any(|s| {
            let mut facts = self.slots.assertion(s, a, false);
            facts.push(self.is_at(j, a, l));
            self.some_step((i, e), &facts, &more, &mut |p, next| {
                self.slots.tickets(&self.proof.tickets, (i, edge.from), j, a, p)
                    && !self.holds(j, l, a, true, &next)
            })
        })
    }
    /// CS5: no thread is at an error.
    fn error(&self, i: u32, l: Loc) -> bool {
        let error = self.p.templates[i as usize].locations[l].error.is_some();
        error
            && self.states(i, l).iter().any(|s| {
                let mut facts = self.slots.assertion(s, Second(None), false);
                facts.push(self.is_at(i, Second(None), l));
                self.slots.find(&facts, &[], &mut |_| true)
            })
    }
    /// CS5: no two threads are at statements with the label.
    fn meet(&self, (i, l): (u32, Loc), (j, m): (u32, Loc)) -> bool {
        let a = self.beside(j, i);
        let more: Vec<Slot> = self.held(i, Second(None)).into_iter().chain(self.held(j, a)).collect();
        self.states(i, l).iter().any(|s| {
            self.states(j, m).iter().any(|r| {
                let mut facts = self.slots.assertion(s, Second(None), false);
                facts.extend(self.slots.assertion(r, a, false));
                facts.extend([self.is_at(i, Second(None), l), self.is_at(j, a, m)]);
                let tickets = &mut |p: &[i128]| self.slots.tickets(&self.proof.tickets, (i, l), j, a, p);
                self.slots.find(&facts, &more, tickets)
            })
        })
    }
    /// The premises of one invariant over all threads.
    fn monolithic(&self) -> Vec<Obligation> {
        let mut out = Vec::new();
        let holds = |at: &[Loc], after: bool, p: &[i128]| {
            let here = self.proof.global.iter().filter(|g| g.0 == at);
            here.map(|g| self.slots.condition(&g.1, Second(None), after))
                .any(|fs| fs.iter().all(|f| f.holds(p)))
        };
        let every: Vec<Slot> =
            (0..self.p.variables.len() as u32).map(|v| self.slots.of(Var(v), Second(None), false)).collect();
        let entries: Vec<Loc> = self.p.templates.iter().map(|t| t.entry).collect();
        let init = self.slots.condition(&self.p.init, Second(None), false);
        if self.slots.find(&init, &every, &mut |p| !holds(&entries, false, p)) {
            out.push(Obligation::GlobalStart);
        }
        let labelled = self.labelled();
        for (at, cube) in &self.proof.global {
            let facts = self.slots.condition(cube, Second(None), false);
            for i in threads(self.p) {
                for (e, edge) in self.p.templates[i as usize].edges.iter().enumerate() {
                    let mut to = at.clone();
                    to[i as usize] = edge.to;
                    let facts = [facts.clone(), self.slots.enabled(edge)].concat();
                    let inputs = (0..edge.inputs.len()).map(|k| self.slots.input(k));
                    let more: Vec<Slot> = every.iter().copied().chain(inputs).collect();
                    let wrong = &mut |p: &[i128]| !holds(&to, true, &self.slots.fire(i, edge, p));
                    if edge.from == at[i as usize] && self.slots.find(&facts, &more, wrong) {
                        out.push(Obligation::GlobalStep(at.clone(), i, e));
                    }
                }
            }
            let error = |t: &u32| self.p.templates[*t as usize].locations[at[*t as usize]].error.is_some();
            let inside = labelled.iter().filter(|(t, l)| at[*t as usize] == *l).count();
            if (threads(self.p).iter().any(error) || inside > 1)
                && self.slots.find(&facts, &every, &mut |_| true)
            {
                out.push(Obligation::GlobalError(at.clone()));
            }
        }
        out.sort();
        out.dedup();
        out
    }
}
