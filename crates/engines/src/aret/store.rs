//! Abstract states and environment transitions with their parents (GPR, figure 7: `Parent`).

use super::bits::Bits;
use super::step::PairRelation;
use index_vec::{IndexSlice, IndexVec};
use relyant_program::Loc;
use smallvec::SmallVec;

/// Defines the index of a list.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl index_vec::Idx for $name {
            fn from_usize(index: usize) -> $name {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A state, in order of discovery.
    StateId
}
index! {
    /// An environment transition, in order of discovery.
    EnvId
}

/// All states of a fixpoint, in order of discovery: a parent comes before what it leads to.
pub type States = IndexSlice<StateId, [AbstractState]>;
/// All environment transitions of a fixpoint, in order of discovery.
pub type Envs = IndexSlice<EnvId, [Env]>;

/// Block of each thread's location, by thread (0 for the thread itself).
pub type Blocks = SmallVec<[u16; 4]>;

/// Why an abstract state is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// None: the thread's initial state.
    Initial,
    /// By an edge of the thread itself, from a state.
    Own {
        /// The state before the step.
        state: StateId,
        /// Index in the template of the thread's edge.
        edge: u32,
    },
    /// By an environment transition, from a state.
    Env {
        /// The state before the step.
        state: StateId,
        /// The transition, whose target is this thread.
        env: EnvId,
    },
}

/// An abstract state of one thread.
#[derive(Clone, Debug)]
pub struct AbstractState {
    /// Index into the analysis' threads.
    pub thread: u16,
    /// Where the thread itself is, exactly.
    pub loc: Loc,
    /// Where the others are: by thread, a block of this thread's partition.
    pub blocks: Blocks,
    /// State predicates of the thread that hold, by index in its view; the others may hold or not.
    pub bits: Bits,
    /// The number that [`super::interference::Interference`] gave to `bits` of this thread.
    pub number: u32,
    /// Where it came from.
    pub parent: Parent,
    /// A state that subsumes it was found later; this one is not followed. It stays in its place, since others may
    /// have come from it.
    pub covered: bool,
}

/// An environment transition of one target.
#[derive(Clone, Debug)]
pub struct Env {
    /// Thread that moves, by index.
    pub actor: u16,
    /// Thread that it is for, by index.
    pub target: u16,
    /// What is known of the two threads.
    pub pair: PairRelation,
    /// Block of the actor's location before and after, in the target's partition.
    pub blocks: (u16, u16),
    /// Blocks where each other thread may be, as masks in the target's partitions.
    pub third: SmallVec<[u64; 4]>,
    /// By location: may the target be there? It may be anywhere where this is `None`.
    pub at: Option<IndexVec<Loc, bool>>,
    /// Target, actor, relation and shape, as [`super::interference::Interference`] numbers them.
    pub group: u32,
    /// Variables written that the target knows of (abstract transitions).
    pub writes: Vec<relyant_linear::Var>,
    /// Transition predicates that hold (or state predicates of the actor, Owicki-Gries).
    pub bits: Bits,
    /// The number of group and bits.
    pub number: u32,
    /// State of the actor and its edge.
    pub parent: (StateId, u32),
}
