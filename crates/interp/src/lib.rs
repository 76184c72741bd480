//! The concrete interpreter: runs a [`relyant_cfa::Program`] with C's own semantics.
//!
//! [`machine`] does one step, [`eval`] gives expressions their values, [`replay`] runs a given schedule, [`explore`]
//! tries all of them.
#![deny(missing_docs)]

pub mod candidates;
mod code;
mod complete;
mod deadlock;
pub mod eval;
pub mod event;
pub mod explore;
pub mod flow;
mod handles;
pub mod late;
pub mod live;
pub mod machine;
pub mod normal;
#[cfg(test)]
mod normal_tests;
pub mod observe;
pub mod reliance;
pub mod render;
pub mod replay;
mod state;
mod stop;
pub mod store;
#[cfg(test)]
mod tests;

pub use explore::{Exploration, explore, quick_search};
pub use replay::{AboutTo, ActiveCall, RacingAccess, ReplayError, Trace, TraceStep, Waiting, replay};
