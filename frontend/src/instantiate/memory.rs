//! Objects of the program under construction: those of the module, and copies for inlined calls and threads.

use super::error::Refusal;
use relyant_cfa::{Extent, Module, ObjId, Object};
use std::collections::BTreeMap;

/// Address of the first object. Functions lie below.
const FIRST_BASE: i128 = 1 << 20;
/// Address of the first function.
const FIRST_FUNCTION: i128 = 1 << 10;
/// No object reaches this address, so that an address fits any kind of 32 bits and more.
pub(super) const LAST_BASE: i128 = 1 << 30;

/// The addresses of objects are multiples of this.
pub const ALIGNED: i128 = 8;

/// The same where an object goes on without end: an address fits any kind of 64 bits.
const LAST_WIDE: i128 = 1 << 60;
/// Address of the first object that goes on without end.
const FIRST_WIDE: i128 = 1 << 50;

/// Objects so far. The module's keep their numbers; copies follow.
pub(super) struct Memory {
    pub(super) objects: Vec<Object>,
    /// Template whose threads have the object for their own: locals of calls, thread-locals.
    pub(super) owner: Vec<Option<u32>>,
    /// The module's object that each one is a copy of.
    pub(super) original: Vec<ObjId>,
    /// Is the original, which serves as the first copy, taken?
    taken: Vec<bool>,
    copies: BTreeMap<ObjId, u32>,
    thread_locals: BTreeMap<(u32, ObjId), ObjId>,
}

impl Memory {
    pub(super) fn new(module: &Module) -> Memory {
        let n = module.objects.len();
        Memory {
            objects: module.objects.clone(),
            owner: vec![None; n],
            original: (0..n as u32).map(ObjId).collect(),
            taken: vec![false; n],
            copies: BTreeMap::new(),
            thread_locals: BTreeMap::new(),
        }
    }

    /// A copy of a local for one inlined call in a template.
    pub(super) fn local(&mut self, original: ObjId, template: u32) -> ObjId {
        let i = original.0 as usize;
        if !self.taken[i] {
            self.taken[i] = true;
            self.owner[i] = Some(template);
            return original;
        }
        let n = self.copies.entry(original).or_insert(1);
        *n += 1;
        let mut object = self.objects[i].clone();
        object.name = format!("{}#{n}", object.name);
        self.objects.push(object);
        self.owner.push(Some(template));
        self.original.push(original);
        self.taken.push(true);
        ObjId(self.objects.len() as u32 - 1)
    }

    /// The object a name of a thread-local object means in a template.
    pub(super) fn thread_local(&mut self, original: ObjId, template: u32) -> ObjId {
        if let Some(o) = self.thread_locals.get(&(template, original)) {
            return *o;
        }
        let o = self.local(original, template);
        self.thread_locals.insert((template, original), o);
        o
    }

    /// An object that all threads share and the module does not have.
    pub(super) fn global(&mut self, object: Object) -> ObjId {
        let o = ObjId(self.objects.len() as u32);
        self.objects.push(object);
        self.owner.push(None);
        self.original.push(o);
        self.taken.push(true);
        o
    }

    /// Base addresses, ascending multiples of one number, with a gap after each object so that one past its end is no other's address.
    pub(super) fn bases(&self, functions: usize) -> Result<(Vec<i128>, Vec<i128>), Refusal> {
        let function_bases: Vec<i128> = (0..functions as i128).map(|f| FIRST_FUNCTION + f).collect();
        let mut next = FIRST_BASE.max((FIRST_FUNCTION + functions as i128) / ALIGNED * ALIGNED + ALIGNED);
        let mut bases = Vec::with_capacity(self.objects.len());
        for o in &self.objects {
            if o.extent == Extent::Endless {
                next = next.max(FIRST_WIDE);
            }
            bases.push(next);
            next = (next + i128::from(o.size())) / ALIGNED * ALIGNED + ALIGNED;
        }
        let endless = self.objects.iter().any(|o| o.extent == Extent::Endless);
        if next > if endless { LAST_WIDE } else { LAST_BASE } {
            return Err(Refusal::Memory);
        }
        Ok((bases, function_bases))
    }
}
