//! What a format cannot say.

/// Why a system cannot be written in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unwritable {
    /// The format has one set of initial configurations.
    #[error("there are several sets of initial configurations, where the format has one")]
    SeveralInitial,
    /// A net that may begin with any number of tokens cannot also ask for their absence.
    #[error(
        "any number of tokens to begin with, and tests for absence: place/transition nets cannot say both"
    )]
    AnyAndAbsent,
    /// It is a format of programs, not of systems.
    #[error("Boolean programs are not written")]
    Boolean,
    /// A step that the format has nothing like.
    #[error("the step of line {line} {why}")]
    Step {
        /// Line of the input, from 1; 0 when unknown.
        line: u32,
        /// What the format lacks.
        why: UnwritableStep,
    },
}

/// What of a step a format cannot say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnwritableStep {
    /// It asks that no thread is in a state.
    #[error("needs the absence of threads, which thread transition systems cannot say")]
    Absence,
    /// It ends any number of threads.
    #[error("ends threads that it does not name, which thread transition systems cannot say")]
    Ends,
    /// It moves so many threads at once.
    #[error("takes {0} threads, where thread transition systems take one")]
    Takes(u64),
    /// It is neither of the kinds of steps that there are.
    #[error("is no step of one thread and no spawn")]
    NoMove,
    /// Each thread may go to one of several states.
    #[error("lets threads choose where they are transferred, which mist's format cannot say")]
    Choice,
    /// It moves all threads of a state.
    #[error("transfers threads, which place/transition nets cannot say")]
    Transfers,
    /// It asks for neither more nor fewer threads.
    #[error("asks for an exact number, which inhibitor arcs cannot say")]
    Exact,
}
