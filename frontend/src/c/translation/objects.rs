//! Objects of a translation unit.

use crate::c::scope::Global;
use crate::c::types::Ty;
use relyant_cfa::{Expr, FuncId, IntKind, ObjId, Object};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut};

/// Objects, by id. One is made when it is first used, and stays though lowering goes back to a mark.
#[derive(Default, Debug)]
pub struct Objects<'a> {
    made: Vec<Object>,
    /// Variables with static storage, in order of declaration: their object is made when they are first used.
    pub globals: Vec<Global<'a>>,
    /// The type of each object that has one: not of blocks made at run time.
    pub types: BTreeMap<ObjId, Ty>,
    /// Objects of library functions and string literals that are one for the whole unit, by what they are for.
    pub library: BTreeMap<String, ObjId>,
    /// The object behind `errno`, once used.
    pub errno: Option<ObjId>,
    /// Objects of blocks: what is called where their lifetime begins and where it ends.
    pub lifetimes: BTreeMap<ObjId, (FuncId, FuncId)>,
    /// Local arrays of one length, which is not constant.
    pub variable: BTreeSet<ObjId>,
    /// Addresses that globals hold at the start (where, what, kind): stored before anything else.
    pub prologue: Vec<(Expr, Expr, IntKind)>,
}

impl Objects<'_> {
    /// Adds an object, whose id is the next number.
    pub fn add(&mut self, o: Object) -> ObjId {
        self.made.push(o);
        ObjId(self.made.len() as u32 - 1)
    }
    /// Number of objects so far.
    pub fn len(&self) -> usize {
        self.made.len()
    }
    /// Those made so far.
    pub fn all(&self) -> &[Object] {
        &self.made
    }
    /// Takes all, at the end.
    pub fn take(&mut self) -> Vec<Object> {
        std::mem::take(&mut self.made)
    }
}

impl Index<ObjId> for Objects<'_> {
    type Output = Object;
    fn index(&self, o: ObjId) -> &Object {
        &self.made[o.0 as usize]
    }
}

impl IndexMut<ObjId> for Objects<'_> {
    fn index_mut(&mut self, o: ObjId) -> &mut Object {
        &mut self.made[o.0 as usize]
    }
}
