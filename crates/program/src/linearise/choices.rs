//! Which thread is chosen, where another one fails.
//!
//! Of a program with [chosen threads](relyant_cfa::ChosenThread) each thread of their templates is the chosen one in some run,
//! and where threads have different arguments the chosen one may have any. An error of another thread is found whichever
//! is chosen, so there it may be the one that suits the proof: locations of errors are entered only where the chosen thread's
//! argument is the tracked index (see [`super::arrays`]) if the error is one of an element, or the address of the tracked element if arguments are addresses in an array.
//! So a thread that reads what each thread left in a slot of its own fails at the slot of the chosen one. And if several threads have the
//! chosen argument, one of them is the chosen one.
//!
//! This loses no error: take a run to an error of a thread that is none of those of the template. Let the index be the
//! one that it needs and the argument the one that belongs to it; the run is one of the program for these, as it is for any, and ends with the error. A
//! race takes two threads, one of which may have to be the chosen one: there nothing is added.

use super::Lineariser;
use super::case::{eq, le, times};
use super::ranges::Env;
use crate::Scope;
use relyant_cfa::{ChosenThread, Edge, Expr, LocationKind, ObjId, Op, Reg, Violated, walk};
use relyant_linear::{LinExpr, Norm, Var};
use std::collections::BTreeSet;

impl Lineariser<'_> {
    /// The registers of this template whose values come from arrays of which one element is kept.
    pub(super) fn of_arrays(&self) -> BTreeSet<Reg> {
        let mut out = BTreeSet::new();
        if self.variables.index.is_none() || self.p.chosen.is_none() {
            return out;
        }
        let edges = &self.p.templates[self.t].graph.edges;
        for e in edges {
            let Op::Load(r, address, _) = &e.op else { continue };
            let Some(known) = &self.ranges.at[self.t][e.from.0 as usize] else { continue };
            let env = Env {
                program: self.p,
                template: self.t,
                registers: known,
                points_to: self.points_to,
                arrays: self.arrays,
            };
            let arrays = env.cells(address).into_iter().flat_map(|touched| touched.arrays);
            if arrays.into_iter().any(|a| !self.variables.holders.contains(&a)) {
                out.insert(*r);
            }
        }
        loop {
            let before = out.len();
            for e in edges {
                if let Op::Assign(r, x) = &e.op
                    && mentions(x, &out)
                {
                    out.insert(*r);
                }
            }
            if out.len() == before {
                return out;
            }
        }
    }

    /// What else holds where a location is entered, if it is one of an error.
    pub(super) fn choices(&self, edge: &Edge, kind: &LocationKind, of_arrays: &BTreeSet<Reg>) -> Vec<Norm> {
        let fails = match kind {
            LocationKind::Error(Violated::Race(_)) | LocationKind::Normal | LocationKind::End => false,
            LocationKind::Error(_) | LocationKind::Limit(_) => true,
        };
        let reads = walk::reads(&edge.op).into_iter().any(|x| mentions(x, of_arrays));
        let mut out = Vec::new();
        for c in self.p.chosen.iter().flatten().filter(|_| fails) {
            out.extend(self.made(c));
            out.extend(self.suits(c).filter(|_| reads && c.template as usize != self.t));
        }
        out
    }

    /// The chosen thread is created if another one has its argument.
    fn made(&self, c: &ChosenThread) -> Option<Norm> {
        Some(le(&LinExpr::var(self.seen(c.twice?)?), &LinExpr::var(self.seen(c.made?)?)))
    }

    /// The argument of a chosen thread belongs to the tracked index.
    fn suits(&self, c: &ChosenThread) -> Option<Norm> {
        let (argument, index) = (self.seen(c.argument?)?, LinExpr::var(self.variables.index?));
        let at = match self.slots(c.template as usize) {
            Some((first, stride)) => LinExpr::int(first).add(&times(stride, &index)),
            None => index,
        };
        Some(eq(&LinExpr::var(argument), &at))
    }

    /// The variable of an object of one cell, if threads of this template see it.
    fn seen(&self, o: ObjId) -> Option<Var> {
        let v = self.variables.cell(o, 0)?;
        let scope = self.variables.list[v.0 as usize].scope;
        (scope == Scope::Global || scope == Scope::Local(self.t as u32)).then_some(v)
    }

    /// The first element and the distance of elements of an array, if a template's arguments are addresses in it.
    fn slots(&self, t: usize) -> Option<(i128, i128)> {
        let (low, high) = (self.ranges.arguments[t].lo()?, self.ranges.arguments[t].hi()?);
        (0..self.p.objects.len()).find_map(|o| {
            let base = self.p.bases[o];
            let first = self.arrays.parts(o)?.arrays.iter().min_by_key(|a| a.first)?;
            let start = base.checked_add(first.first as i128)?;
            let end = base.checked_add(self.p.objects[o].size() as i128)?;
            (start <= low && high < end).then_some((start, first.stride as i128))
        })
    }
}

fn mentions(x: &Expr, all: &BTreeSet<Reg>) -> bool {
    let mut registers = Vec::new();
    walk::registers(x, &mut registers);
    registers.iter().any(|r| all.contains(r))
}
