//! Writing certificates.

use super::format::*;
use super::order::OrderRecord;
use super::places::SourceRecord;
use super::{FORMAT, Meta, VERSION, WITH_PLACES, ghosts, program_digest, text};
use crate::{Assertion, EnvTransition, Holder, Proof, Tickets};
use relyant_cfa as cfa;
use relyant_linear::{Cube, Var};
use relyant_program::{Loc, Program, Role};

/// The certificate of a proof of a program, as JSON text. Reading it gives the same proof.
pub fn write(proof: &Proof, program: &Program, meta: &Meta) -> String {
    written(proof, program, meta, None)
}

/// The same with the places in the source that steps run through (version 3), for checkers that read the source by
/// themselves. `automata` are what the thread program was made from.
pub fn write_with_places(proof: &Proof, program: &Program, automata: &cfa::Program, meta: &Meta) -> String {
    written(proof, program, meta, super::places::places(program, automata))
}

fn written(proof: &Proof, program: &Program, meta: &Meta, source: Option<SourceRecord>) -> String {
    let w = Writer { names: Names::new(program) };
    let file = File {
        format: FORMAT.into(),
        version: if source.is_some() { WITH_PLACES } else { VERSION }.into(),
        tool: concat!("relyant ", env!("CARGO_PKG_VERSION")).into(),
        sources: meta.sources.iter().map(SourceFile::from).collect(),
        includes: meta.includes.iter().map(SourceFile::from).collect(),
        options: (&meta.options).into(),
        program: program_digest(program),
        ghosts: ghosts::ghosts(program),
        order: program.ordered.as_deref().map(OrderRecord::new),
        rule: proof.rule.into(),
        modular: proof.modular,
        locations: locations(program, &w.names),
        threads: proof
            .threads
            .iter()
            .map(|t| ThreadRecord {
                thread: w.template(t.template),
                invariants: t
                    .invariants
                    .iter()
                    .map(|(l, states)| InvariantRecord {
                        at: location_id(t.template, l.0),
                        states: states.iter().map(|s| w.state(s)).collect(),
                    })
                    .collect(),
                environment: t.environment.iter().map(|e| w.transition(t.template, e)).collect(),
            })
            .collect(),
        tickets: proof.tickets.iter().map(|t| w.tickets(t)).collect(),
        global: proof
            .global
            .iter()
            .map(|(at, cube)| GlobalRecord {
                at: at.iter().enumerate().map(|(t, l)| location_id(t as u32, l.0)).collect(),
                holds: w.cube(cube),
            })
            .collect(),
        source,
    };
    // These types always have a JSON form.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

struct Writer {
    names: Names,
}

impl Writer {
    fn template(&self, t: u32) -> String {
        self.names.templates.get(t as usize).cloned().unwrap_or_default()
    }
    fn variable(&self, v: Var) -> String {
        let role = Role::of(v);
        let (v, mark) = (role.plain(), if role.after().is_some() { "'" } else { "" });
        let name = self.names.variables.get(v.0 as usize).map_or("", |n| n);
        text::quote(name) + mark
    }
    fn cube(&self, c: &Cube) -> Vec<String> {
        if c.is_bottom() {
            return vec!["0 == 1".into()];
        }
        c.atoms().iter().map(|a| text::write(a, |v| self.variable(v))).collect()
    }
    fn ids(&self, t: u32, ls: &[Loc]) -> Vec<String> {
        ls.iter().map(|l| location_id(t, l.0)).collect()
    }
    fn control(&self, control: &[(u32, Vec<Loc>)]) -> Vec<ControlRecord> {
        let one =
            |(t, ls): &(u32, Vec<Loc>)| ControlRecord { thread: self.template(*t), at: self.ids(*t, ls) };
        control.iter().map(one).collect()
    }
    fn state(&self, s: &Assertion) -> StateRecord {
        StateRecord { others: self.control(&s.control), holds: self.cube(&s.cube) }
    }
    fn tickets(&self, t: &Tickets) -> TicketsRecord {
        let holder = |h: &Holder| HolderRecord {
            thread: self.template(h.template),
            variable: self.name(h.variable),
            at: self.ids(h.template, &h.locations),
        };
        TicketsRecord { counter: self.name(t.counter), holders: t.holders.iter().map(holder).collect() }
    }
    fn name(&self, v: Var) -> String {
        self.names.variables.get(v.0 as usize).cloned().unwrap_or_default()
    }
    fn transition(&self, target: u32, e: &EnvTransition) -> TransitionRecord {
        TransitionRecord {
            actor: self.template(e.actor),
            from: self.ids(e.actor, &e.from),
            to: self.ids(e.actor, &e.to),
            others: self.control(&e.control),
            at: self.ids(target, e.at.as_deref().unwrap_or_default()),
            writes: e.writes.iter().map(|v| self.name(*v)).collect(),
            relation: self.cube(&e.relation),
        }
    }
}
