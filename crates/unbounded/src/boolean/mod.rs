//! Boolean programs with threads: which engine answers, and how one guides another.

pub mod decide;
pub mod guide;
pub mod reason;
