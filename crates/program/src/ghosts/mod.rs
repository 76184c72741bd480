//! Ghosts: variables that no program has, and that proofs need. What finds them is not believed; what is claimed of them is data
//! ([`extension`]), which the checker decides.

pub mod counts;
pub mod divisors;
pub mod extension;
pub mod given;
pub mod owners;
pub mod pending;
pub mod products;
pub mod twins;
