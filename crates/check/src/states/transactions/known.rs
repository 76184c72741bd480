//! What is known of a program before its transactions are looked at.

use super::is_about_threads;
use crate::states::facts::Facts;
use crate::states::things::constant;
use crate::states::{Encoding, Rejection, Space};
use relyant_cfa::schedule::Start;
use relyant_cfa::{ObjId, ObjectKind, Op, Program};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::Normal;
use relyant_interp::observe::Points;

/// A shared cell.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// By number among the shared cells.
    pub cell: u32,
    pub at: (ObjId, u32),
    /// The number of the watch that it is.
    pub watch: Option<u8>,
}

/// What an edge accesses of the shared cells.
#[derive(Clone, Copy)]
pub(super) enum Access {
    None,
    Known(Place),
    /// Its address tells.
    Computed,
}

/// A program whose transactions are looked at.
pub struct Transactions<'p> {
    pub(in crate::states) facts: Facts<'p>,
    pub(super) program: &'p Program,
    /// By object that is shared: number of its first cell among the shared ones.
    first: Vec<Option<u32>>,
    /// The cells of watches, by number of the watch.
    pub(super) watches: Vec<(u32, u8)>,
    /// By template and edge.
    pub(super) access: Vec<Vec<Access>>,
    /// By template and edge: it is about threads themselves, so that it cannot be quiet.
    pub(super) about_threads: Vec<Vec<bool>>,
}

impl<'p> Transactions<'p> {
    /// Of a program, with states in this encoding, and points that tell inputs apart, if it needs some.
    ///
    /// # Errors
    /// It is malformed, or no set of states after transactions proves it.
    pub fn new(program: &'p Program, encoding: Encoding, points: Option<&Points>) -> Result<Self, Rejection> {
        if program.exclusive.is_some() || program.deadlock {
            return Err(Rejection::Incomplete("where all threads are matters for the property"));
        }
        let empty = Space::new(encoding, std::iter::empty()).with_points(points.cloned());
        let facts = Facts::new(program, &empty)?;
        let mut first = vec![None; program.objects.len()];
        let mut watches = Vec::new();
        for (i, (o, k)) in (0u32..).zip(facts.machine.layout(None)) {
            if k == 0 {
                first[o.0 as usize] = Some(i);
            }
            match program.objects[o.0 as usize].kind {
                ObjectKind::WatchedWrite => watches.push((i, 0)),
                ObjectKind::WatchedRead => watches.push((i, 1)),
                _ => {}
            }
        }
        let told = |o: ObjId| facts.observer.as_ref().is_some_and(|x| x.0.reaches(o));
        let is_watch =
            |o: &relyant_cfa::Object| matches!(o.kind, ObjectKind::WatchedWrite | ObjectKind::WatchedRead);
        if (0u32..).zip(&program.objects).any(|(i, o)| is_watch(o) && told(ObjId(i))) {
            return Err(Rejection::Incomplete("an input may be the address of an access"));
        }
        let about = |(t, template): (usize, &relyant_cfa::Template)| {
            (0..template.graph.edges.len()).map(|e| is_about_threads(program, t, e)).collect()
        };
        let about_threads = program.templates.iter().enumerate().map(about).collect();
        let mut all = Transactions { facts, program, first, watches, access: Vec::new(), about_threads };
        let access = |template: &relyant_cfa::Template| {
            template.graph.edges.iter().map(|e| all.access(&e.op)).collect()
        };
        all.access = program.templates.iter().map(access).collect();
        Ok(all)
    }

    /// What runs may begin with.
    pub fn starts(&self) -> &[Start] {
        &self.facts.starts
    }

    /// The state at such a start.
    ///
    /// # Errors
    /// There is none.
    pub fn initial(&self, start: &Start) -> Result<State, Stop> {
        self.facts.machine.initial(start, 0)
    }

    /// The normal form of states.
    pub fn normal(&self) -> &Normal {
        &self.facts.normal
    }

    /// The shared cell at a place, if it is one.
    pub(super) fn place(&self, at: (ObjId, u32)) -> Option<Place> {
        let cell = (*self.first.get(at.0.0 as usize)?)? + at.1;
        let watch = self.watches.iter().find(|w| w.0 == cell).map(|w| w.1);
        Some(Place { cell, at, watch })
    }

    fn access(&self, op: &Op) -> Access {
        let (Op::Load(_, address, _) | Op::Store(address, ..)) = op else { return Access::None };
        match constant(self.program, address) {
            None => Access::Computed,
            Some(a) => match self.program.cell_at(a).and_then(|(o, k)| self.place((o, k as u32))) {
                Some(place) => Access::Known(place),
                None => Access::None,
            },
        }
    }
}
