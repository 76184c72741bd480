//! Abstract reachability with environment transitions (GPR, figure 7), a file for each step.

pub mod bits;
pub mod closure;
pub mod explore;
pub mod interference;
pub mod layout;
pub mod numbered;
pub mod pair;
pub mod precision;
pub mod proof;
pub mod step;
pub mod store;
pub mod tickets;

use relyant_program::recognisers::Recognisers;

/// Which proofs are looked for first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bias {
    /// Modular ones: nothing is said of other threads' locals, as long as that suffices.
    #[default]
    Modular,
    /// Any: predicates are not restricted.
    None,
}

/// Which proof rule is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Thread reachability with abstract environment transitions (GPR, figure 5).
    #[default]
    RelyGuarantee,
    /// Thread reachability with the other threads' steps as they are.
    OwickiGries,
    /// One thread made of all.
    Monolithic,
}

/// What the user may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Which proofs are looked for first; the others when those are not found.
    pub bias: Bias,
    /// The proof rule of all assertions.
    pub method: Method,
    /// Which patterns are looked for.
    pub recognisers: Recognisers,
}

impl Settings {
    /// Is nothing asked for that other engines would not do? Heuristics that are left out for a measurement do not count.
    pub fn is_usual(&self) -> bool {
        *self == Settings { recognisers: self.recognisers, ..Settings::default() }
    }
}
