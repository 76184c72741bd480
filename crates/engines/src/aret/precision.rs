//! The abstraction's precision: predicates of threads and of pairs of threads, blocks of locations (GPR, figure 6,
//! and section 8 for control). Predicates are a thread's, whatever its location, as far as their locals live there: a prototype with
//! predicates by location took 2 to 4 times the refinements.

use index_vec::{IndexVec, index_vec};
use relyant_cfa::sparse::Row;
use relyant_check::Tickets;
use relyant_linear::{Atom, Norm, Rel, Var};
use relyant_program::reduce::liveness::live_rows;
use relyant_program::{Count, Loc, Program, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// A thread of the analysis: one thread of a template, standing for all when there can be several.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Index into the program's templates; each has one thread here at most.
    pub template: u32,
    /// There is at most one thread of this template.
    pub single: bool,
    /// The identity variable, if the template has one.
    pub identity: Option<Var>,
    /// The ticket it draws, where another thread may draw one of the same counter.
    pub ticket: Option<Ticket>,
    /// By location: its locals that may yet be read. States say nothing of the others.
    live: IndexVec<Loc, Row>,
}

/// A local that holds a ticket at some locations.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// The global that hands out the tickets.
    pub counter: Var,
    /// The template's local that the ticket is in.
    pub variable: Var,
    /// By location: does it hold a ticket?
    pub holds: IndexVec<Loc, bool>,
}

impl Thread {
    /// Do both draw tickets of one counter?
    pub fn shares_counter(&self, other: &Thread) -> bool {
        matches!((&self.ticket, &other.ticket), (Some(a), Some(b)) if a.counter == b.counter)
    }
    /// Does it hold a ticket at a location?
    pub fn holds(&self, loc: Loc) -> bool {
        self.ticket.as_ref().is_some_and(|t| t.holds[loc])
    }
    /// May the predicate be asked for at a location? Not if it is about a local that nobody reads from there on.
    pub fn asks(&self, loc: Loc, predicate: &Atom, program: &Program) -> bool {
        let own = |v: Var| {
            program.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(self.template))
        };
        predicate.vars().all(|v| !own(v) || self.live[loc].has(v.0) || self.tells(v))
    }
    /// Is it a variable that tells this thread from others?
    pub fn tells(&self, v: Var) -> bool {
        self.identity == Some(v) || self.ticket.as_ref().is_some_and(|t| t.variable == v)
    }
}

/// The threads of a program: those of templates that can move. Tickets are used only where a template can have
/// several threads; otherwise locals of other threads can be spoken of.
pub fn threads(program: &Program, tickets: &[Tickets]) -> Vec<Thread> {
    let ticket = |template: u32| {
        tickets.iter().find_map(|t| {
            let h = t.holders.iter().find(|h| h.template == template)?;
            let mut holds = index_vec![false; program.templates[template as usize].locations.len()];
            h.locations.iter().for_each(|l| holds[*l] = true);
            Some(Ticket { counter: t.counter, variable: h.variable, holds })
        })
    };
    program
        .templates
        .iter()
        .enumerate()
        .filter(|(_, t)| !t.edges.is_empty() || t.locations[t.entry].error.is_some())
        .map(|(i, t)| Thread {
            template: i as u32,
            single: matches!(t.count, Count::AtMost(0 | 1)),
            identity: t.identity,
            ticket: ticket(i as u32),
            live: live_rows(program, i).into_iter().collect(),
        })
        .collect()
}

/// A partition of the locations of a thread, as another one sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The block of each location; each block has one at least.
    block_of: IndexVec<Loc, u16>,
    blocks: u16,
}

impl Partition {
    /// One block of all `n` locations.
    pub fn coarse(n: usize) -> Partition {
        Partition { block_of: index_vec![0; n], blocks: 1 }
    }
    /// The coarsest one of `n` locations whose blocks each set contains or avoids; `None` if it had more than 64.
    pub fn by(n: usize, sets: &[&[Loc]]) -> Option<Partition> {
        let mut block_of: IndexVec<Loc, u16> = index_vec![0; n];
        let mut blocks = BTreeMap::new();
        for l in (0..n as u32).map(Loc) {
            let inside: Vec<bool> = sets.iter().map(|s| s.contains(&l)).collect();
            let next = blocks.len() as u16;
            block_of[l] = *blocks.entry(inside).or_insert(next);
        }
        let blocks = blocks.len().max(1) as u16;
        (blocks <= 64).then_some(Partition { block_of, blocks })
    }
    /// The block of a location.
    pub fn block(&self, l: Loc) -> u16 {
        self.block_of[l]
    }
    /// Number of blocks, from 1 to 64; they are numbered from 0.
    pub fn blocks(&self) -> u16 {
        self.blocks
    }
    /// Locations of a block, ascending.
    pub fn members(&self, block: u16) -> Vec<Loc> {
        self.block_of.indices().filter(|l| self.block_of[*l] == block).collect()
    }
    /// Makes a location a block of its own; false if it is one.
    pub fn split_off(&mut self, l: Loc) -> bool {
        let b = self.block(l);
        if self.block_of.iter().filter(|x| **x == b).count() <= 1 || self.blocks >= 64 {
            return false;
        }
        self.block_of[l] = self.blocks;
        self.blocks += 1;
        true
    }
}

/// Predicates of one thread.
#[derive(Clone, Debug)]
pub struct View {
    /// State predicates, all of the form `e <= 0`, in order of discovery.
    pub predicates: Vec<Atom>,
    /// Partition of each thread's locations (unused for the thread itself).
    pub partitions: Vec<Partition>,
}

/// Predicates of all threads and pairs.
#[derive(Clone, Debug)]
pub struct Precision {
    /// By thread: its predicates, and how it sees others.
    pub views: Vec<View>,
    /// Transition predicates by actor and target; the target's identity appears under its own number.
    pub transitions: Vec<Vec<Vec<Atom>>>,
    /// What was ever added: thread and [`STATE`], or actor and target; and the atom.
    known: BTreeSet<(usize, usize, Atom)>,
}

/// Marks state predicates in `known`.
const STATE: usize = usize::MAX;

impl Precision {
    /// No predicates, one block each.
    pub fn empty(program: &Program, threads: &[Thread]) -> Precision {
        let n = threads.len();
        let partitions: Vec<Partition> = threads
            .iter()
            .map(|t| Partition::coarse(program.templates[t.template as usize].locations.len()))
            .collect();
        Precision {
            views: (0..n).map(|_| View { predicates: Vec::new(), partitions: partitions.clone() }).collect(),
            transitions: vec![vec![Vec::new(); n]; n],
            known: BTreeSet::new(),
        }
    }
    /// Adds a state predicate of a thread (an equality as two); true if anything is new.
    pub fn add_state(&mut self, thread: usize, atom: &Atom) -> bool {
        let mut new = false;
        for a in halves(atom) {
            if self.known.insert((thread, STATE, a.clone())) {
                self.views[thread].predicates.push(a);
                new = true;
            }
        }
        new
    }
    /// Adds a transition predicate for a pair; true if anything is new.
    pub fn add_transition(&mut self, actor: usize, target: usize, atom: &Atom) -> bool {
        let mut new = false;
        for a in halves(atom) {
            if self.known.insert((actor, target, a.clone())) {
                self.transitions[actor][target].push(a);
                new = true;
            }
        }
        new
    }
    /// Number of state and transition predicates.
    pub fn size(&self) -> (usize, usize) {
        (
            self.views.iter().map(|v| v.predicates.len()).sum(),
            self.transitions.iter().flatten().map(Vec::len).sum(),
        )
    }
}

/// An equality as two inequalities, an inequality as itself.
pub fn halves(atom: &Atom) -> Vec<Atom> {
    if atom.rel() == Rel::Le {
        return vec![atom.clone()];
    }
    atom.inequalities()
        .iter()
        .filter_map(|e| match Atom::le(e) {
            Norm::Atom(a) => Some(a),
            _ => None,
        })
        .collect()
}
