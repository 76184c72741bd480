//! Why nothing is known of a system, in types, and the one place that words them.

use super::check::{NoReplay, Unconfirmed};
use super::gap::Gap;

/// Why nothing is known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// The user, or a limit of time or memory, asked for an end.
    #[error("stopped")]
    Stopped,
    /// A limit ended the run.
    #[error("{reason}; all of up to {steps} rewrite steps are explored")]
    Limit {
        /// Which, in words.
        reason: String,
        /// Sequences of so many steps are all explored.
        steps: u32,
    },
    /// A number of the initial terms is beyond what is counted with.
    #[error("a natural of the initial terms is too large")]
    Initial,
    /// A term is too deep.
    #[error("a term is more than {0} deep")]
    Depth(u32),
    /// A term has too many nodes.
    #[error("a term has more than {0} nodes")]
    Size(u32),
    /// There are too many terms.
    #[error("more than {limit} terms; all of up to {steps} rewrite steps are explored")]
    Terms {
        /// Terms that may be kept.
        limit: usize,
        /// Sequences of so many steps are all explored.
        steps: u32,
    },
    /// Not all terms that are reached were found.
    #[error(transparent)]
    Gap(#[from] Gap),
    /// No sequence to the bad term that was met could be made.
    #[error("the rewrite sequence was lost")]
    Lost,
    /// A number of that sequence is beyond what is counted with.
    #[error("a natural of the rewrite sequence grew too large")]
    LargePath,
    /// The sequence to a bad term was rejected by its check.
    #[error("the rewrite sequence found does not replay: {0}")]
    Replay(NoReplay),
    /// The set of terms was rejected by its check.
    #[error("the set of terms found was not confirmed: {0}")]
    Unconfirmed(Unconfirmed),
}
