//! What shows that no assertion of a Boolean program fails.

use super::exhausted::States;
use super::tts::Exported;
use crate::evidence::Certificate;
use biodivine_lib_bdd::Bdd;

/// Evidence of safety.
#[derive(Clone, Debug)]
pub enum Proof {
    /// For any number of threads: closed sets of thread states, by node of the flat graph.
    ThreadStates(Vec<Bdd>),
    /// All states.
    States(States),
    /// For any number of threads: no failure can be covered in the system of threads.
    Uncoverable(Box<Exported>, Certificate),
}
