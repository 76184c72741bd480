//! Why a step does not happen.

use relyant_cfa::Undefined;

/// Why a step does not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// Its condition does not hold now.
    #[error("the step is not enabled")]
    Blocked,
    /// It is undefined behaviour.
    #[error("undefined behaviour: {0}")]
    Undefined(Undefined),
    /// A mathematical integer got too large for the interpreter.
    #[error("a number of more than 127 bits")]
    TooLarge,
    /// The program breaks a rule of [`relyant_cfa`].
    #[error("malformed program: {0}")]
    Malformed(&'static str),
}
