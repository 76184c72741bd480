//! Where arrays keep the handle of a chosen thread.
//!
//! A loop that creates threads keeps their handles in an array, and another one waits for them. Of a chosen thread (one of a
//! template of its own, [`relyant_cfa::Program::chosen`]) the handle is known, and a ghost global has the address of the
//! element that holds it, 0 while there is none: a store of the handle sets it, and any other store there sets it to 0. A
//! load from that address gives the handle; from another one, any value. So "all handles below `i` were joined" needs no
//! quantifier: the place is below `i`, and the thread has ended.

use super::Lineariser;
use super::case::{ValueCase, eq, le};
use super::range::Range;
use super::ranges::{Env, Ranges};
use super::threads::GuardedUpdates;
use super::value::Linear;
use crate::Input;
use relyant_cfa::{Count, Expr, IntKind, ObjId, Op, Owner, Reg, Template};
use relyant_linear::{LinExpr, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays that handles of chosen threads are stored in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Holders {
    /// Object and array.
    pub arrays: BTreeSet<(ObjId, usize)>,
    /// Chosen threads whose handles are stored there, by template.
    pub threads: BTreeSet<u32>,
}

impl Holders {
    /// Those of a program; `all`: what is known everywhere.
    pub fn new(all: Env<'_>, ranges: &Ranges) -> Holders {
        let p = all.program;
        let mut out = Holders::default();
        let Some(chosen) = &p.chosen else { return out };
        let chosen: Vec<u32> = chosen.iter().map(|c| c.template).collect();
        for (t, template) in p.templates.iter().enumerate() {
            let created = created(template, &chosen);
            for e in &template.graph.edges {
                let Op::Store(address, value, _) = &e.op else { continue };
                let Some(threads) = handle(value).and_then(|r| created.get(&r)) else { continue };
                let Some(known) = &ranges.at[t][e.from.0 as usize] else { continue };
                let env = Env { template: t, registers: known, ..all };
                for (o, a) in env.cells(address).into_iter().flat_map(|places| places.arrays) {
                    let shared = match p.owners.get(o.0 as usize) {
                        Some(Owner::Template(u)) => p.templates[*u as usize].count == Count::AtMost(1),
                        _ => true,
                    };
                    let kind = all.arrays.of(o.0 as usize)[a].kind;
                    if shared && threads.iter().all(|u| Range::one(handle_of(*u)).fits(kind)) {
                        out.arrays.insert((o, a));
                        out.threads.extend(threads);
                    }
                }
            }
        }
        out
    }
}

/// The register that a value is, whatever it is converted to.
fn handle(value: &Expr) -> Option<Reg> {
    match value {
        Expr::Reg(r) => Some(*r),
        Expr::Cast(a, _) => handle(a),
        _ => None,
    }
}

/// The registers of a template that hold handles of chosen threads, by what creates them.
fn created(template: &Template, chosen: &[u32]) -> BTreeMap<Reg, BTreeSet<u32>> {
    let mut out: BTreeMap<Reg, BTreeSet<u32>> = BTreeMap::new();
    for e in &template.graph.edges {
        if let Op::Create { handle, template: Some(u), .. } = &e.op
            && chosen.contains(u)
        {
            out.entry(*handle).or_default().insert(*u);
        }
    }
    out
}

/// The handle that linear steps give a chosen thread, as any of a template of one thread.
fn handle_of(u: u32) -> i128 {
    i128::from(u) + 1
}

impl Lineariser<'_> {
    /// Whether an address (the value of the case) is where the handle of each thread is: the first one whose it is, or none.
    fn kept(&self, l: &Linear, c: ValueCase) -> Vec<(ValueCase, Option<(u32, Var)>)> {
        let (mut out, mut rest) = (Vec::new(), vec![c]);
        for (u, place) in &self.variables.places {
            let (at, one) = (LinExpr::var(*place), LinExpr::int(1));
            let mut others = Vec::new();
            for c in rest {
                out.push((c.clone().when(eq(&c.value, &at)), Some((*u, *place))));
                others.push(c.clone().when(le(&c.value.add(&one), &at)));
                others.push(c.clone().when(le(&at.add(&one), &c.value)));
            }
            rest = others;
        }
        out.extend(rest.into_iter().map(|c| (c, None)));
        out.into_iter()
            .flat_map(|(c, kept)| l.possible(vec![c]).into_iter().map(move |c| (c, kept)))
            .collect()
    }
    /// Loads an element of an array that holds handles.
    pub(super) fn load_handle(
        &self,
        l: &Linear,
        (address, range): (ValueCase, &Range),
        r: Reg,
        kind: IntKind,
    ) -> Vec<GuardedUpdates> {
        let mut out = Vec::new();
        for (mut c, kept) in self.kept(l, address) {
            let one;
            let range = match kept {
                Some((u, _)) => {
                    c.value = LinExpr::int(handle_of(u));
                    one = Range::one(handle_of(u));
                    &one
                }
                None => {
                    c.value = LinExpr::var(c.input(l.base(), Input::Auxiliary));
                    c = ValueCase { exact: false, ..l.within(c, range) };
                    range
                }
            };
            for c in l.convert(vec![c], range, kind) {
                out.push((c.clone(), vec![(l.register(r), c.value)]));
            }
        }
        out
    }
    /// Stores one of some values to an element of an array that holds handles.
    pub(super) fn store_handle(
        &self,
        l: &Linear,
        address: &ValueCase,
        values: &[ValueCase],
        range: &Range,
    ) -> Vec<GuardedUpdates> {
        let mut out = Vec::new();
        for (mut c, at) in l.pairs(values, std::slice::from_ref(address)) {
            let value = std::mem::replace(&mut c.value, at.clone());
            let mut rest = vec![c];
            for (u, place) in &self.variables.places {
                let handle = LinExpr::int(handle_of(*u));
                if !range.contains(handle_of(*u)) {
                    continue;
                }
                let mut others = Vec::new();
                for c in rest {
                    for c in l.possible(vec![c.clone().when(eq(&value, &handle))]) {
                        // Another thread's handle may have been here.
                        for (c, kept) in self.kept(l, c) {
                            let gone = kept.filter(|k| k.0 != *u).map(|k| (k.1, LinExpr::zero()));
                            out.push((c, std::iter::once((*place, at.clone())).chain(gone).collect()));
                        }
                    }
                    let one = LinExpr::int(1);
                    others.push(c.clone().when(le(&value.add(&one), &handle)));
                    others.push(c.when(le(&handle.add(&one), &value)));
                }
                rest = l.possible(others);
            }
            for (c, kept) in rest.into_iter().flat_map(|c| self.kept(l, c)) {
                out.push((c, kept.map(|k| (k.1, LinExpr::zero())).into_iter().collect()));
            }
        }
        out
    }
}
