//! Thread programs in other formats, and other solvers on them.

pub mod chc;
pub mod spacer;
