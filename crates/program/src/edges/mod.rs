//! What passes share: edges joined, their inputs and conditions, orders of locations.

pub mod access;
pub mod bounds;
pub mod forget;
pub mod inputs;
pub mod join;
pub mod order;
pub mod paths;
pub mod sections;
pub mod steps;
