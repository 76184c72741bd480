//! Obligations and their symbols for people to read.

use super::{Obligation, Obligations};
use crate::formula::Symbol;
use relyant_linear::Var;
use relyant_program::{Loc, Program};

impl Obligations<'_> {
    /// One line that says which obligation this is: CS number, thread, places.
    pub fn title(&self, o: &Obligation) -> String {
        let name = |t: &u32| format!("thread `{}`", self.program.templates[*t as usize].name);
        let step = |i: &u32, e: &usize| {
            let e = self.edge(*i, *e);
            format!("{} -> {}", self.locate(*i, e.from), self.locate(*i, e.to))
        };
        let body = match o {
            Obligation::Start(i) => format!("{} at the start", name(i)),
            Obligation::Step(i, e) => format!("{}, step {}", name(i), step(i, e)),
            Obligation::Environment(j, l) => format!("{} at {}, environment", name(j), self.locate(*j, *l)),
            Obligation::Interference(j, i, e) => {
                format!("environment of {}, {}, step {}", name(j), name(i), step(i, e))
            }
            Obligation::Keep(j, l, i, e) => {
                format!("{} at {}, {}, step {}", name(j), self.locate(*j, *l), name(i), step(i, e))
            }
            Obligation::Ticket(k, i, e) => {
                let counter = self.symbol_name(Symbol::Var(self.proof.tickets[*k].counter));
                format!("tickets of `{counter}`, {}, step {}", name(i), step(i, e))
            }
            Obligation::Error(i, l) => format!("{}, error at {}", name(i), self.locate(*i, *l)),
            Obligation::Exclusive(a, b) => {
                let at = |x: &(u32, Loc)| format!("{} at {}", name(&x.0), self.locate(x.0, x.1));
                format!("{} and {}", at(a), at(b))
            }
            Obligation::GlobalStart => "at the start".into(),
            Obligation::GlobalStep(at, i, e) => {
                format!("at {}, {}, step {}", self.locate_all(at), name(i), step(i, e))
            }
            Obligation::GlobalError(at) => format!("error at {}", self.locate_all(at)),
        };
        format!("{}: {body}", o.name())
    }
    fn locate(&self, t: u32, l: Loc) -> String {
        locate(self.program, t, l)
    }
    fn locate_all(&self, at: &[Loc]) -> String {
        let each = at.iter().enumerate().map(|(t, l)| self.locate(t as u32, *l));
        each.collect::<Vec<_>>().join(", ")
    }
    /// The name of a symbol: the variable's, with `'` for its value after the step.
    pub fn symbol_name(&self, s: Symbol) -> String {
        symbol_name(self.program, s)
    }
}

/// The name of a symbol of a program, see [`Obligations::symbol_name`].
pub fn symbol_name(p: &Program, s: Symbol) -> String {
    let var = |v: Var| p.variables.get(v.0 as usize).map_or("?", |x| &x.name);
    let template = |t: u32| p.templates.get(t as usize).map_or("?", |t| &t.name);
    match s {
        Symbol::Var(v) => var(v).into(),
        Symbol::Second(v) => format!("{} (other thread)", var(v)),
        Symbol::Third(v) => format!("{} (one more thread)", var(v)),
        Symbol::After(v) => format!("{}'", var(v)),
        Symbol::Input(k) => format!("input {k}"),
        Symbol::At(t) => format!("location of {}", template(t)),
        Symbol::AtAfter(t) => format!("location of {}'", template(t)),
        Symbol::SecondAt(t) => format!("location of another {}", template(t)),
        Symbol::Threads(t, l) => format!("number of {} at {}", template(t), l.0),
        Symbol::Term(k) => format!("value {k}"),
    }
}

/// `file:line:column (location)`, for messages; without a line only the location.
pub fn locate(p: &Program, t: u32, l: Loc) -> String {
    let span = p.templates[t as usize].locations[l].span;
    let file = p.files.get(span.file as usize).map_or("?", |f| f);
    if span.line == 0 {
        return format!("location {}", l.0);
    }
    format!("{file}:{}:{} (location {})", span.line, span.column, l.0)
}
