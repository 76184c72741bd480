//! Passes that make a thread program smaller, with the same errors reachable.

pub mod compose;
pub mod constants;
pub mod liveness;
pub mod prefix;
pub mod propagate;
pub mod slice;
pub mod tidy;
pub mod tracked;
