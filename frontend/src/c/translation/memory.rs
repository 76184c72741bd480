//! Memory made at run time, and pointers that tell what is in it.

use crate::c::alloc::Site;
use crate::c::untyped::Untyped;
use crate::c::views::Conversion;
use crate::c::walks::Sight;
use relyant_cfa::{FuncId, ObjId};
use std::collections::BTreeSet;

/// Places that make and use memory of a type that is not known yet. Copies of functions, made when all are lowered,
/// have entries of their own.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    /// Places that make memory: each has a function and an object.
    pub sites: Vec<Site>,
    /// Memory functions on untyped pointers: each has a function.
    pub untyped: Vec<Untyped>,
    /// Conversions of pointers, with the function that they are in.
    pub conversions: Vec<(FuncId, Conversion)>,
    /// Pointers that have to do with bytes, with the function that they are in.
    pub sights: Vec<(FuncId, Sight)>,
    /// Some pointer becomes an integer.
    pub as_integers: bool,
    /// Arrays of arrays of variable length, whose rows lie farther apart than they are long.
    pub rows: BTreeSet<ObjId>,
    /// The function that gives memory back, once used.
    pub free: Option<FuncId>,
}
