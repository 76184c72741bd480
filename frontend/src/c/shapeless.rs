//! Why a type has no cells, no size, or no bytes.

use super::types::MAX_CELLS;
use std::rc::Rc;

/// What a type lacks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Shapeless {
    /// It is an array whose number of elements is not known: there are no cells of it.
    #[error("an array of unknown length")]
    Length,
    /// The same, and its size is asked for.
    #[error("an array of unknown length has no size")]
    Size,
    /// Something in it has no length, and its bytes are asked for.
    #[error("an object of unknown length is not seen as bytes")]
    Bytes,
    /// It is a record with this name, and no more is known of it.
    #[error("`{0}` is declared but not defined")]
    Undefined(String),
    /// It is a floating-point format beyond `double`.
    #[error("`long double` and other wide formats are not supported")]
    Wide,
    /// It is `void`.
    #[error("`void` has no values")]
    Void,
    /// It is a function.
    #[error("a function is no object")]
    Function,
    /// It has more cells than are kept apart.
    #[error("an object of more than {MAX_CELLS} scalars")]
    Large,
    /// Its number of bytes does not fit in 64 bits.
    #[error("the array is too large")]
    Huge,
    /// It is not supported, for this reason.
    #[error("{0}")]
    Unsupported(Rc<str>),
}

impl From<Shapeless> for String {
    /// The message of a diagnostic.
    fn from(s: Shapeless) -> String {
        s.to_string()
    }
}
