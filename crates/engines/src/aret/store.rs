//! Abstract states and environment transitions with their parents (GPR, figure 7: `Parent`).

use super::bits::Bits;
use super::step::Meeting;
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

/// All states.
pub type States = IndexSlice<StateId, [State]>;
/// All environment transitions.
pub type Envs = IndexSlice<EnvId, [Env]>;

/// Block of each thread's location, by thread (0 for the thread itself).
pub type Blocks = SmallVec<[u16; 4]>;

/// Why an abstract state is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parent {
    /// The initial state.
    Initial,
    /// By an edge of the thread itself, from a state.
    Own {
        /// State before.
        state: StateId,
        /// Edge.
        edge: u32,
    },
    /// By an environment transition, from a state.
    Env {
        /// State before.
        state: StateId,
        /// Environment transition.
        env: EnvId,
    },
}

/// An abstract state of one thread.
#[derive(Clone, Debug)]
pub struct State {
    /// Thread.
    pub thread: u16,
    /// Its location.
    pub loc: Loc,
    /// Where the others are.
    pub blocks: Blocks,
    /// Predicates that hold.
    pub bits: Bits,
    /// Their number.
    pub number: u32,
    /// Where it came from.
    pub parent: Parent,
    /// A weaker state was found later; this one is not followed.
    pub covered: bool,
}

/// An environment transition of one target.
#[derive(Clone, Debug)]
pub struct Env {
    /// Thread that moves.
    pub actor: u16,
    /// Thread it is for.
    pub target: u16,
    /// What is known of the two threads.
    pub meeting: Meeting,
    /// Block of the actor's location before and after, in the target's partition.
    pub blocks: (u16, u16),
    /// Blocks where each other thread may be, as masks in the target's partitions.
    pub third: SmallVec<[u64; 4]>,
    /// By location: may the target be there? It may be anywhere where this is `None`.
    pub at: Option<IndexVec<Loc, bool>>,
    /// Group of [`super::interference::Interference`].
    pub group: u32,
    /// Variables written that the target knows of (abstract transitions).
    pub writes: Vec<relyant_horn::linear::Var>,
    /// Transition predicates that hold (or state predicates of the actor, Owicki-Gries).
    pub bits: Bits,
    /// The number of group and bits.
    pub number: u32,
    /// State of the actor and its edge.
    pub parent: (StateId, u32),
}
