//! The concrete interpreter: runs a [`crate::cfa::Program`] with C's own semantics.

pub mod schedule;
