//! Values that nobody chose yet: a cell without a start value, or an object at its declaration, may wait with its
//! value until it is loaded first. Most such cells are written before that.
//!
//! A *late* machine ([`super::machine::Machine::late`]) has [`UNCHOSEN`] in these cells. Nobody computes with that: a
//! load takes an input for the cell, and leaves it there. So a value is chosen once, as if that had been done at the
//! start or the declaration. Registers have it on the way from a declaration to the object only.

use super::live::{for_each_read, live_registers};
use relyant_cfa::{Expr, Op, Template};

/// What a cell has whose value was not chosen yet. No other cell of a late machine has this value.
pub const UNCHOSEN: i128 = i128::MIN;

/// Pairs of edges that declare an object: an input without a name, and the store that alone reads it, right
/// after.
///
/// A template with procedures has none: what a call keeps could be loaded in another activation.
pub fn declarations(template: &Template) -> Vec<(u32, u32)> {
    if !template.procedures.is_empty() {
        return Vec::new();
    }
    let edges = &template.graph.edges;
    let mut into = vec![0u32; template.graph.locations.len()];
    for e in edges {
        if let Some(n) = into.get_mut(e.to.0 as usize) {
            *n += 1;
        }
    }
    let live = live_registers(template);
    let out = template.graph.out_edges();
    let mut pairs = Vec::new();
    for (i, e) in (0u32..).zip(edges) {
        let Op::Havoc { dst, source } = &e.op else { continue };
        let alone = into.get(e.to.0 as usize) == Some(&1) && e.to != template.entry;
        let next = out.get(e.to.0 as usize).map_or(&[][..], |l| l);
        let ([store], true, true) = (next, source.is_uninitialised(), alone) else { continue };
        let Op::Store(address, Expr::Reg(r), kind) = &edges[*store].op else { continue };
        let mut in_address = false;
        for_each_read(&Op::Assume(address.clone()), &mut |x| in_address |= x == *dst);
        let after = live.get(edges[*store].to.0 as usize);
        if r == dst
            && !in_address
            && after.is_some_and(|l| l.binary_search(&dst.0).is_err())
            && template.registers.get(dst.0 as usize).is_some_and(|x| x.kind == *kind)
        {
            pairs.push((i, *store as u32));
        }
    }
    pairs
}
