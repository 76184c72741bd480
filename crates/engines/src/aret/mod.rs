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
    /// Modular ones.
    #[default]
    Modular,
    /// Any.
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
    /// Which proofs first.
    pub bias: Bias,
    /// Which rule.
    pub method: Method,
    /// Which patterns are looked for.
    pub recognisers: Recognisers,
}
