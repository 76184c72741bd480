//! Refinement of control: blocks of other threads' locations (GPR, section 8).
//!
//! Two claims about one copy of a program counter that differ are a conflict. It goes away when one of the two
//! locations is a block of its own in every view along the path between the claims.

use super::unfold::{LocationClaim, NodeKind, Unfolding};
use crate::aret::precision::Precision;
use std::collections::BTreeMap;

/// Splits blocks so that a conflict cannot come back; false if there is none that blocks can tell.
pub fn refine(u: &Unfolding, precision: &mut Precision) -> bool {
    let mut by_copy: BTreeMap<u32, Vec<LocationClaim>> = BTreeMap::new();
    for c in &u.claims {
        by_copy.entry(c.copy).or_default().push(*c);
    }
    let mut conflicts: Vec<(usize, LocationClaim, LocationClaim)> = Vec::new();
    for claims in by_copy.values() {
        for (k, a) in claims.iter().enumerate() {
            for b in claims[k + 1..].iter().filter(|b| b.loc != a.loc) {
                conflicts.push((path(u, a.node, b.node).len(), *a, *b));
            }
        }
    }
    conflicts.sort_by_key(|(length, a, b)| (*length, a.node.min(b.node), a.node.max(b.node)));
    for (_, a, b) in conflicts {
        // The one farther from the root first.
        let (far, near) = if u.nodes[a.node].depth >= u.nodes[b.node].depth { (a, b) } else { (b, a) };
        for claim in [far, near] {
            let mut new = false;
            for n in path(u, a.node, b.node) {
                let view = match u.nodes[n].kind {
                    NodeKind::State { thread, .. } => thread,
                    NodeKind::Transition { target, .. } => target,
                    NodeKind::Root => continue,
                };
                if view != claim.thread {
                    new |= precision.views[view].partitions[claim.thread].split_off(claim.loc);
                }
            }
            if new {
                return true;
            }
        }
    }
    false
}

/// The nodes whose relations lie between two nodes: from both up to where their ways meet.
fn path(u: &Unfolding, mut a: usize, mut b: usize) -> Vec<usize> {
    let mut nodes = Vec::new();
    while a != b {
        let deeper = if u.nodes[a].depth >= u.nodes[b].depth { &mut a } else { &mut b };
        nodes.push(*deeper);
        *deeper = u.nodes[*deeper].parent;
    }
    nodes
}
