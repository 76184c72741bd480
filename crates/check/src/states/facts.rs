//! What the checker knows of a program before it looks at states.

use super::doors::Memo;
use super::future::Future;
use super::order::holds;
use super::split::Larger;
use super::{Rejection, Space};
use relyant_cfa::schedule::Start;
use relyant_cfa::{Count, IntKind, ObjId, Op, Program};
use relyant_interp::candidates::Candidates;
use relyant_interp::machine::{Machine, State};
use relyant_interp::normal::{Normal, NormalOptions};
use relyant_interp::observe::{Observer, Points};
use std::collections::BTreeSet;

/// Values to try where an input is computed with. Where these are not all the check fails, so few will do.
const MOST_INPUTS: usize = 40;

/// Facts about a program.
pub(super) struct Facts<'p> {
    pub machine: Machine<'p>,
    pub normal: Normal,
    pub candidates: Candidates,
    pub future: Future,
    /// `inputs[template][edge]`: values to try of an input that matters; `None` in the list stands for any.
    inputs: Vec<Vec<Option<Inputs>>>,
    /// By object, and kind of its cells: the same, where a load chooses the value.
    cells: Vec<Vec<(IntKind, Inputs)>>,
    /// States of the set that subsume those below them.
    pub larger: Option<Larger>,
    /// Where the set comes with points: who looks whether they tell all inputs apart that have to be.
    pub observer: Option<(Observer, Points)>,
    /// All start values that matter; they differ in shared cells only.
    pub starts: Vec<Start>,
}

/// Values to try of one input, in this order; `all`: no other value can do anything else.
struct Inputs {
    values: Vec<Option<i128>>,
    all: bool,
}

impl<'p> Facts<'p> {
    /// Works them out.
    ///
    /// # Errors
    /// A malformed program, or one whose starts cannot all be tried.
    pub fn new(program: &'p Program, space: &Space) -> Result<Self, Rejection> {
        let encoding = space.encoding();
        let machine = Machine::late(program)?;
        if program.templates.iter().any(|t| t.initial && t.count == Count::Unbounded) {
            return Err(Rejection::Incomplete("any number of threads may run from the start"));
        }
        let options = NormalOptions { symmetry: encoding.symmetry, keep_dead: false };
        let normal = Normal::new(&machine, options);
        let candidates = Candidates::new(program, MOST_INPUTS, 0);
        let observer = match space.points() {
            // A larger state, or a thread that took another's place, is no witness of what inputs are compared with.
            Some(_) if encoding.symmetry || space.order().is_some() || program.deadlock => {
                return Err(Rejection::Incomplete("its inputs are told apart by what only some states show"));
            }
            points => points.map(|p| (Observer::new(program), p.clone())),
        };
        let observed = |values: &dyn Fn(&Observer, &Points) -> Option<Vec<i128>>| {
            observer.as_ref().and_then(|(o, p)| values(o, p)).map(|values| (values, true))
        };
        let (starts, all) = candidates.starts(&machine);
        if !all || starts.is_empty() {
            return Err(Rejection::Incomplete("it has too many start values to try them all"));
        }
        let mut inputs = Vec::new();
        for (t, template) in (0u32..).zip(&program.templates) {
            let mut list = Vec::new();
            for (i, e) in (0u32..).zip(&template.graph.edges) {
                list.push(match &e.op {
                    // The value is chosen when it is used.
                    Op::Havoc { .. } if machine.is_late(t, i) => None,
                    // A value that nobody reads is no choice.
                    Op::Havoc { dst, .. } if normal.is_live(t, e.to, dst.0) => {
                        let kind = template.registers[dst.0 as usize].kind;
                        let (values, all) = observed(&|o, p| o.inputs(t, i, kind, p))
                            .unwrap_or_else(|| candidates.inputs(t, *dst, kind));
                        Some(Inputs { values: values.into_iter().map(Some).collect(), all })
                    }
                    _ => None,
                });
            }
            inputs.push(list);
        }
        let mut cells = Vec::new();
        for (o, object) in (0u32..).zip(&program.objects) {
            let kinds: BTreeSet<IntKind> = object.cells.iter().map(|c| c.0).collect();
            let of_kind = |kind| {
                let (values, all) = observed(&|x, p| x.cell(ObjId(o), kind, p))
                    .unwrap_or_else(|| candidates.cell(ObjId(o), kind));
                (kind, Inputs { values: values.into_iter().map(Some).collect(), all })
            };
            cells.push(kinds.into_iter().map(of_kind).collect::<Vec<_>>());
        }
        let several = |t: usize, e: usize| {
            let of = |i: &Inputs| i.values.len() > 1;
            inputs.get(t).and_then(|list: &Vec<Option<Inputs>>| list.get(e)?.as_ref()).is_some_and(of)
        };
        let future = Future::new(&machine, &several, observer.is_none());
        let larger = match space.order() {
            Some(order) if order.fits(program) && holds(program, order) => {
                Some(Larger::new(&machine, &normal, order, space))
            }
            Some(_) => return Err(Rejection::Incomplete("its order of states is no simulation")),
            None => None,
        };
        Ok(Facts { larger, machine, normal, candidates, future, inputs, cells, observer, starts })
    }

    /// Is it plain that no move begins with the edge? Where inputs are observed, what it does with one has to be seen.
    pub fn begins_nothing(&self, state: &State, thread: usize, edge: u32) -> bool {
        match self.observer {
            Some(_) => self.machine.is_blocked(state, thread, edge),
            None => self.machine.begins_nothing(state, thread, edge),
        }
    }

    /// May a step begin an atomic section?
    pub fn may_begin_section(&self, template: u32, edge: u32) -> bool {
        self.machine.edge(template, edge).is_none_or(|e| {
            // These lead somewhere else.
            matches!(e.op, Op::Call { .. } | Op::Return(_)) || self.machine.location(template, e.to).atomic
        })
    }

    /// Are all moves of a thread independent of what others may do before it moves? Then: is it a place to look around?
    pub fn independent(&self, state: &State, thread: usize, memo: &mut Memo) -> Option<bool> {
        let rest = self.future.independent(&self.machine, state, thread, memo)?;
        let several = |edge: &u32| {
            self.machine.chosen_by(state, thread, *edge).is_some()
                && self.inputs(state, thread, *edge).map_or(2, <[_]>::len) > 1
        };
        Some(rest || self.machine.out(state, thread).iter().any(several))
    }

    /// Values to try at an edge in a state.
    ///
    /// # Errors
    /// Not all that matter can be tried.
    pub fn inputs(&self, state: &State, thread: usize, edge: u32) -> Result<&[Option<i128>], Rejection> {
        let template = state.threads[thread].name.template;
        let inputs = match self.machine.chosen_by(state, thread, edge) {
            Some((o, k)) => {
                let kind = self.machine.program().objects[o.0 as usize].cells[k as usize].0;
                self.cells[o.0 as usize].iter().find(|x| x.0 == kind).map(|x| &x.1)
            }
            None => self.inputs[template as usize][edge as usize].as_ref(),
        };
        match inputs {
            None => Ok(&[None]),
            Some(i) if i.all => Ok(&i.values),
            Some(_) => Err(Rejection::Incomplete("an input has too many values to try them all")),
        }
    }
}
