//! Random programs for tests: seeded, the same for every run, and shrinking.
//!
//! ```
//! use relyant_testing::driver::driver;
//!
//! let text = driver(100, true);
//! assert!(text.lines().count() >= 100 && text == driver(100, true));
//! ```
#![deny(missing_docs)]

pub mod binary;
pub mod damage;
pub mod direct;
pub mod driver;
pub mod litmus;
pub mod litmus_run;
pub mod mutate;
pub mod real;
pub mod records;
pub mod rng;
pub mod sequential;
pub mod shrink;
pub mod threads;
