//! What shows that no assertion of a Boolean program fails.

use super::exhausted::States;
use super::tts::Exported;
use crate::evidence::Certificate;
use biodivine_lib_bdd::Bdd;

/// Evidence that no assertion fails.
#[derive(Clone, Debug)]
pub enum Proof {
    /// For any number of threads: closed sets of thread states, by node of the flat graph.
    ThreadStates(Vec<Bdd>),
    /// For a bounded number of threads: all states that there are.
    States(States),
    /// For any number of threads: no failure can be covered in the system of threads.
    Uncoverable(Box<Exported>, Certificate),
}
