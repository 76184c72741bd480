//! How blocks of memory are accessed: whether what was written in one way may be read in another.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{FuncId, IntKind, Module, ObjId, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Accesses to each object: the cell if it is known, the kind, and whether it is a write.
pub type Accesses = BTreeMap<ObjId, Vec<(Option<usize>, IntKind, bool)>>;

/// All accesses to blocks.
pub fn accesses(module: &Module, points_to: &PointsTo) -> Accesses {
    let heap: BTreeSet<ObjId> = module.heap.iter().map(|h| h.object).collect();
    let makers: BTreeSet<FuncId> = module.heap.iter().map(|h| h.function).collect();
    let mut out = Accesses::new();
    for (f, function) in module.functions.iter().enumerate() {
        if makers.contains(&FuncId(f as u32)) {
            continue;
        }
        for e in &function.graph.edges {
            let (address, kind, write) = match &e.op {
                Op::Load(_, a, kind) => (a, *kind, false),
                Op::Store(a, _, kind) => (a, *kind, true),
                _ => continue,
            };
            if let Targets::Objects(set) = points_to.targets(f as u32, address) {
                for (o, k) in set.into_iter().filter(|(o, _)| heap.contains(o)) {
                    let all = out.entry(o).or_default();
                    if !all.contains(&(k, kind, write)) {
                        all.push((k, kind, write));
                    }
                }
            }
        }
    }
    out
}

/// Has an integer of one kind the bits of one of the other?
pub fn same_bits(a: IntKind, b: IntKind) -> bool {
    match (a, b) {
        (IntKind::Machine { bits: a, .. }, IntKind::Machine { bits: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

/// May what was written as one kind of integer be read as another one, where cells do not convert?
pub fn reads_other_sign(accesses: &[(Option<usize>, IntKind, bool)]) -> bool {
    let may_meet = |a: Option<usize>, b: Option<usize>| a.is_none() || b.is_none() || a == b;
    let integer = |k: IntKind| matches!(k, IntKind::Machine { .. } | IntKind::Bool);
    accesses
        .iter()
        .filter(|a| a.2 && integer(a.1))
        .any(|w| accesses.iter().any(|r| !r.2 && integer(r.1) && r.1 != w.1 && may_meet(r.0, w.0)))
}

/// May what was written in one width be read in another?
pub fn overlaid(accesses: &[(Option<usize>, IntKind, bool)]) -> bool {
    let width = |k: &IntKind| match k {
        IntKind::Machine { bits, .. } => *bits,
        IntKind::Bool => 8,
        IntKind::Ideal => 64,
    };
    let reads: BTreeSet<u8> = accesses.iter().filter(|a| !a.2).map(|a| width(&a.1)).collect();
    let writes: BTreeSet<u8> = accesses.iter().filter(|a| a.2).map(|a| width(&a.1)).collect();
    reads.union(&writes).count() > 1 && !reads.is_empty() && !writes.is_empty()
}
