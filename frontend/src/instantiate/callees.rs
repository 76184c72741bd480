//! Functions that a pointer may call.

use super::walk;
use crate::cfa::{Callee, Expr, FuncId, Module, Op, Reg};
use crate::points_to::PointsTo;
use std::collections::BTreeSet;

/// Answers for one module, worked out when first asked for.
pub(super) struct Callees<'m> {
    module: &'m Module,
    points_to: Option<PointsTo>,
    taken: BTreeSet<FuncId>,
}

impl<'m> Callees<'m> {
    pub(super) fn new(module: &'m Module) -> Callees<'m> {
        Callees { module, points_to: None, taken: BTreeSet::new() }
    }

    /// The functions that a call or creation in a copy of `function` may mean: those the pointer may hold, or, if it
    /// cannot be followed, all whose address is taken; with as many parameters. `first` is the register that the
    /// function's first one became.
    pub(super) fn candidates(&mut self, function: FuncId, first: u32, op: &Op) -> Vec<FuncId> {
        let module = self.module;
        let (Op::Call { callee: Callee::Pointer(p), .. } | Op::Create { routine: Callee::Pointer(p), .. }) =
            op
        else {
            return Vec::new();
        };
        let fits = |f: &FuncId| {
            let n = module.functions[f.0 as usize].params.len();
            match op {
                Op::Call { args, .. } => n == args.len(),
                _ => n <= 1,
            }
        };
        if self.points_to.is_none() {
            self.taken = taken(module);
        }
        let points_to = self.points_to.get_or_insert_with(|| PointsTo::of_module(module));
        let count = module.functions[function.0 as usize].registers.len() as u32;
        let mut foreign = false;
        let original = walk::map_leaves(p, &mut |x| match x {
            Expr::Reg(r) => {
                let k = r.0.wrapping_sub(first);
                foreign |= k >= count;
                Expr::Reg(Reg(if k < count { k } else { 0 }))
            }
            Expr::Addr(o) => {
                foreign |= o.0 as usize >= module.objects.len();
                x.clone()
            }
            x => x.clone(),
        });
        let found = if foreign { None } else { points_to.functions(function.0, &original) };
        found.as_ref().unwrap_or(&self.taken).iter().copied().filter(fits).collect()
    }
}

/// The functions whose address is taken.
fn taken(module: &Module) -> BTreeSet<FuncId> {
    let mut taken = BTreeSet::new();
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        for x in walk::reads(&e.op) {
            walk::visit(x, &mut |x| {
                if let Expr::Func(g) = x {
                    taken.insert(*g);
                }
            });
        }
    }
    taken
}
