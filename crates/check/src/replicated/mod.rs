//! Proofs for any number of threads that count: a system of replicated finite-state threads that over-approximates the
//! program, and a proof that no number of its threads covers an error (Kaiser, Kroening and Wahl, "A widening approach
//! to multithreaded program verification", TOPLAS 2014, sections 2 and 3).
//!
//! A shared state says which predicates over globals are known to hold, a local state where a thread is and which
//! predicates hold of it. These may speak of globals and the thread's own locals, and of all other threads of a view:
//! `others` of a local state hold for each other thread, whatever its number. What is not listed may hold or not, so
//! that a state with fewer predicates subsumes those with more.
//!
//! The system is right when for each step of a thread, from each shared state with that thread that may be reached, there
//! is a transition to a state that holds after the step, and each other thread goes to a state that holds of it then
//! ([`check`]). So whatever the program does the system can do, and where it covers no error there is none.

pub mod check;

use relyant_finite::evidence::Certificate;
use relyant_finite::input::Place;
use relyant_finite::model::{Config, Counts, Initial, Names, System, Target, Transfer, Transition};
use relyant_linear::Atom;
use relyant_program::{Count, Loc, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Predicates of the threads of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// The template, by index into the program's; each has at most one view.
    pub template: u32,
    /// Over globals and the thread's locals.
    pub own: Vec<Atom>,
    /// Over globals, the thread's locals, and those of each other thread of a view (by index) as
    /// [`Role::Second`](relyant_program::Role::Second).
    pub others: Vec<(u32, Atom)>,
}

/// A local state of the system: a location with what is known to hold there of one thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LocalState {
    /// The view, by index.
    pub view: u32,
    /// Where the thread is.
    pub loc: Loc,
    /// Predicates of `own` that hold, sorted.
    pub own: Vec<u32>,
    /// Predicates of `others` that hold, sorted.
    pub others: Vec<u32>,
}

/// A step of the system: what one edge does from a shared and a local state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Shared state before, by index.
    pub from: u32,
    /// Local state of the thread that moves, before; by index.
    pub actor: u32,
    /// Its edge, by index in its template.
    pub edge: u32,
    /// Shared state after, by index.
    pub to: u32,
    /// Its local state after, by index.
    pub after: u32,
    /// Where threads in other local states go, sorted; `None` for those that cannot be there. Others stay.
    pub moved: Vec<(u32, Option<u32>)>,
}

/// The proof: predicates, the system that they make of the program, and why it covers no error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Predicates over globals; `shared_states` name them by index.
    pub shared: Vec<Atom>,
    /// By template, those that can move.
    pub views: Vec<View>,
    /// Shared states: the predicates that hold, sorted. The first is the one at the start.
    pub shared_states: Vec<Vec<u32>>,
    /// Local states. Those at the start come first, one for each view.
    pub local_states: Vec<LocalState>,
    /// Steps: what an edge does from a shared and a local state that may be reached together; none where it cannot be
    /// taken, several where the predicates do not tell.
    pub steps: Vec<Step>,
    /// Why no error is covered.
    pub certificate: Certificate,
}

/// Pairs of a shared and a local state that may be reached, when numbers of threads are forgotten.
pub type Reached = BTreeMap<u32, BTreeSet<u32>>;

/// Local states beside a shared one.
#[derive(Default)]
struct Row {
    list: Vec<u32>,
    has: FxHashSet<u32>,
    /// How many of them the steps from here have been applied to.
    seen: usize,
    /// Steps from here, and how many of the local states each has been applied to.
    steps: Vec<(usize, usize)>,
}

impl Row {
    fn add(&mut self, l: u32) {
        if self.has.insert(l) {
            self.list.push(l);
        }
    }
}

impl Proof {
    /// May a second thread be in the view of the first one?
    pub fn several(&self, program: &Program, view: u32) -> bool {
        self.views.get(view as usize).is_some_and(|v| several(program, v.template))
    }

    /// The pairs that may be reached. Numbers are in range.
    pub fn reached(&self, program: &Program) -> Reached {
        let mut by: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for (n, s) in self.steps.iter().enumerate() {
            by.entry((s.from, s.actor)).or_default().push(n);
        }
        let mut rows: Vec<Row> = self.shared_states.iter().map(|_| Row::default()).collect();
        (0..self.views.len() as u32).for_each(|l| rows[0].add(l));
        // Rows with local states that their steps have not seen.
        let mut worklist = vec![0usize];
        while let Some(from) = worklist.pop() {
            let mut row = std::mem::take(&mut rows[from]);
            let first = row.seen;
            row.seen = row.list.len();
            for l in &row.list[first..row.seen] {
                let steps = by.get(&(from as u32, *l)).into_iter().flatten();
                row.steps.extend(steps.map(|n| (*n, 0)));
            }
            let mut new: Vec<(u32, u32)> = Vec::new();
            for (n, done) in &mut row.steps {
                let s = &self.steps[*n];
                if *done == 0 {
                    new.push((s.to, s.after));
                }
                let others = row.list[*done..row.seen].iter().filter(|l| self.meets(program, s.actor, **l));
                new.extend(others.filter_map(|l| s.goes(*l)).map(|l| (s.to, l)));
                *done = row.seen;
            }
            rows[from] = row;
            for (to, l) in new {
                let row = &mut rows[to as usize];
                let idle = row.seen == row.list.len();
                row.add(l);
                if idle && row.seen < row.list.len() {
                    worklist.push(to as usize);
                }
            }
        }
        let here = |r: Row| r.list.into_iter().collect::<BTreeSet<u32>>();
        (0u32..).zip(rows).filter(|(_, r)| !r.list.is_empty()).map(|(g, r)| (g, here(r))).collect()
    }

    /// Can a thread in the second local state be another one than a thread in the first?
    pub fn meets(&self, program: &Program, a: u32, b: u32) -> bool {
        let view = |l: u32| self.local_states.get(l as usize).map(|s| s.view);
        view(a) != view(b) || view(a).is_some_and(|v| self.several(program, v))
    }

    /// The system and its target: an error location, or two locations that exclude each other.
    pub fn system(&self, program: &Program, reached: &Reached) -> (System, Target) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (mut exactly, mut any) = (Counts::new(), Vec::new());
        for (l, v) in (0u32..).zip(&self.views) {
            match program.templates.get(v.template as usize).map(|t| t.count) {
                Some(Count::AtMost(n)) => exactly.set(l, n),
                _ => any.push(l),
            }
        }
        let transitions = self.steps.iter().map(Step::transition).collect();
        let system = System {
            shared: number(self.shared_states.len()),
            local: number(self.local_states.len()),
            transitions,
            initial: vec![Initial { exactly: Config::new(0, exactly), any }],
            names: Names::default(),
        };
        let mut target = Target::new();
        for (shared, here) in reached {
            let excluded: Vec<u32> = here.iter().copied().filter(|l| self.excluded(program, *l)).collect();
            let errors = here.iter().filter(|l| self.fails(program, **l));
            target.extend(errors.map(|l| Config::new(*shared, Counts::one(*l))));
            for (k, a) in excluded.iter().enumerate() {
                for b in excluded[k..].iter().filter(|b| self.meets(program, *a, **b)) {
                    target.extend(Counts::of([*a, *b]).map(|both| Config::new(*shared, both)));
                }
            }
        }
        (system, target)
    }

    fn location<'p>(&self, program: &'p Program, local: u32) -> Option<&'p relyant_program::Location> {
        let l = self.local_states.get(local as usize)?;
        let view = self.views.get(l.view as usize)?;
        program.templates.get(view.template as usize)?.locations.get(l.loc)
    }

    /// Is a thread in this local state at an error location?
    pub fn fails(&self, program: &Program, local: u32) -> bool {
        self.location(program, local).is_some_and(|l| l.error.is_some())
    }

    fn excluded(&self, program: &Program, local: u32) -> bool {
        let location = self.location(program, local);
        program.exclusive.as_ref().is_some_and(|x| location.is_some_and(|l| l.labels.contains(x)))
    }
}

/// May there be several threads of the template?
pub fn several(program: &Program, template: u32) -> bool {
    let count = program.templates.get(template as usize).map(|t| t.count);
    !matches!(count, Some(Count::AtMost(0 | 1)))
}

impl Step {
    /// Where another thread goes from a local state.
    pub fn goes(&self, local: u32) -> Option<u32> {
        match self.moved.binary_search_by_key(&local, |m| m.0) {
            Ok(k) => self.moved.get(k).and_then(|m| m.1),
            Err(_) => Some(local),
        }
    }
    fn transition(&self) -> Transition {
        let transfer =
            |(from, to): &(u32, Option<u32>)| Transfer { from: *from, to: to.iter().copied().collect() };
        Transition {
            from: self.from,
            to: self.to,
            take: Counts::one(self.actor),
            put: Counts::one(self.after),
            transfers: self.moved.iter().map(transfer).collect(),
            absent: Vec::new(),
            place: Place::default(),
        }
    }
}
