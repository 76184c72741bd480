//! Why what was found may not be all that there is.

use super::bounds::TooLarge;

/// Why it is not known whether a term is bad.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undecided {
    /// More choices of states and residues than are tried.
    #[error("a term has too many variables to be tested against the automaton")]
    Choices,
    /// A natural grew beyond what is counted with, see [`TooLarge`].
    #[error("a natural grew too large")]
    TooLarge,
}

impl From<TooLarge> for Undecided {
    fn from(_: TooLarge) -> Undecided {
        Undecided::TooLarge
    }
}

/// Why what was found may not be all that there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Gap {
    /// A number that rules may rewrite is larger than what is looked into.
    #[error("rules rewrite naturals, and one is too large to look into")]
    LargeRewritten,
    /// Unification gave up.
    #[error("unification modulo AC took too long")]
    Unification,
    /// A number grew beyond what is counted with.
    #[error("a natural grew too large")]
    TooLarge,
    /// A variable is a number that rules may rewrite.
    #[error("rules rewrite naturals, and a term has a variable that stands for one")]
    NaturalVariable,
    /// What a variable stands for may be rewritten in one place and not in another.
    #[error(
        "a variable occurs twice in a term and may stand for terms that rules rewrite; if it is a natural, say so: \
         `if x >= x`"
    )]
    Twice,
    /// Whether a term is bad was not decided.
    #[error(transparent)]
    Undecided(#[from] Undecided),
}
