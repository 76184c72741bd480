//! Replicated finite-state threads: exact answers for any number of them.
#![deny(missing_docs)]
