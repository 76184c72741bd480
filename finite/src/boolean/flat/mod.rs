//! The threads of a Boolean program as one graph, for engines without stacks.
//!
//! Calls are inlined, each with local variables of its own. Recursive ones, and all where inlining would be too large,
//! become threads that the caller waits for (BOPPO, section 4.3): an over-approximation, since a caller may go on with
//! what another call returns. Nodes are told apart by whether the thread is inside of an atomic section and by its role.

mod flatten;
mod liveness;
mod merge;

pub use flatten::flatten;
pub use merge::merged;

use super::live::Live;
use super::program::{Exp, NodeId, Program, Var};

/// Which thread it is, as far as others have to know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// `main`, before it starts a thread (BOPPO, remark 1).
    Alone,
    /// `main` afterwards: there is one.
    Main,
    /// All others: any number of them.
    Other,
}

/// A node: where a thread of this role is, and its one action there.
#[derive(Clone, Debug)]
pub struct FlatNode {
    /// The node of the program that it is made from.
    pub source: NodeId,
    /// The role of threads that are here.
    pub role: Role,
    /// Is the thread inside of an atomic section?
    pub atomic: bool,
    /// What the thread does next.
    pub action: Action,
    /// The action waits until this may hold.
    pub guard: Option<Exp>,
}

/// Assignments, all at once.
#[derive(Clone, Debug, Default)]
pub struct Write {
    /// Variables that are written, each once.
    pub targets: Vec<Var>,
    /// A value for each target, over values before the step.
    pub values: Vec<Exp>,
    /// Between the states before and after.
    pub constrain: Option<Exp>,
}

/// What a node does. Numbers are those of flat nodes.
#[derive(Clone, Debug)]
pub enum Action {
    /// Goes on to one of these.
    Goto(Vec<u32>),
    /// The first if it holds, else the second.
    Branch(Exp, u32, u32),
    /// Assigns, and goes on at the node.
    Write(Write, u32),
    /// Waits until it holds.
    Assume(Exp, u32),
    /// Fails if it may not hold.
    Assert(Exp, u32),
    /// Starts a thread at the first; its other locals have any values, it holds no lock.
    Spawn(Write, u32, u32),
    /// Starts a thread at the first with the same locals and no lock.
    Copy(u32, u32),
    /// Ends the thread; an atomic section ends with it.
    End,
    /// Begins or ends an atomic section.
    Atomic(bool, u32),
    /// Starts the call at the first, with this thread's locks, and waits at the second without them.
    Invoke(Write, u32, u32),
    /// Waits for a call that is over at one of the exits, each with where to go on, with these results of the call.
    Wait(Vec<(u32, u32)>, Vec<Var>),
    /// A call is over.
    Exit,
}

impl Action {
    /// Where the thread itself may go.
    pub fn next(&self) -> Vec<u32> {
        match self {
            Action::Goto(t) => t.clone(),
            Action::Branch(_, a, b) => vec![*a, *b],
            Action::Write(_, t) | Action::Assume(_, t) | Action::Assert(_, t) => vec![*t],
            Action::Atomic(_, t) => vec![*t],
            Action::Spawn(_, _, t) | Action::Copy(_, t) | Action::Invoke(_, _, t) => vec![*t],
            Action::Wait(exits, ..) => exits.iter().map(|e| e.1).collect(),
            Action::End | Action::Exit => Vec::new(),
        }
    }
    /// All nodes that it names.
    fn each_node(&mut self, mut f: impl FnMut(&mut u32)) {
        match self {
            Action::Goto(ts) => ts.iter_mut().for_each(f),
            Action::Write(_, t) | Action::Assume(_, t) | Action::Assert(_, t) | Action::Atomic(_, t) => f(t),
            Action::Branch(_, a, b)
            | Action::Spawn(_, a, b)
            | Action::Copy(a, b)
            | Action::Invoke(_, a, b) => {
                f(a);
                f(b);
            }
            Action::Wait(exits, _) => exits.iter_mut().for_each(|(exit, to)| {
                f(exit);
                f(to);
            }),
            Action::End | Action::Exit => {}
        }
    }
    /// The node at which another thread starts, if one does.
    pub fn starts(&self) -> Option<u32> {
        match self {
            Action::Spawn(_, t, _) | Action::Copy(t, _) | Action::Invoke(_, t, _) => Some(*t),
            _ => None,
        }
    }
}

/// The graph of one thread, whichever it is.
#[derive(Clone, Debug)]
pub struct Flat {
    /// Nodes; the first is where `main` starts.
    pub nodes: Vec<FlatNode>,
    /// How many globals there are: those of the program, then whether each lock is taken.
    pub globals: u32,
    /// How many of them have any value at first; the others are false.
    pub free: u32,
    /// How many local variables a thread has, those of all inlined calls together.
    pub locals: u32,
    /// How many locks there are, each held by one thread at most.
    pub locks: u32,
    /// Locals that matter, by node, in rising order.
    pub live: Vec<Vec<u32>>,
    /// Are there atomic sections?
    pub has_atomic: bool,
    /// Are there calls that were not inlined?
    pub approximate: bool,
}

fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The flat graph of a program, of which thread states are sets.
pub fn graph(p: &Program) -> Flat {
    merged(flatten(p, &Live::new(p)))
}
