//! Functions that a pointer may call.

use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{Callee, Expr, FuncId, Module, Op, Reg};
use std::collections::BTreeSet;

/// Answers for one module.
pub(super) struct Callees<'m> {
    pub(super) module: &'m Module,
    pub(super) points_to: PointsTo,
    /// The functions whose address is taken.
    pub(super) taken: BTreeSet<FuncId>,
}

impl Callees<'_> {
    /// The functions that a call or creation in a copy of `function` may mean: those the pointer may hold, or, if it
    /// cannot be followed, all whose address is taken; with as many parameters. `first` is the register that the
    /// function's first one became.
    pub(super) fn candidates(&self, function: FuncId, first: u32, op: &Op) -> Vec<FuncId> {
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
        let found = if foreign { None } else { self.points_to.functions(function.0, &original) };
        found.as_ref().unwrap_or(&self.taken).iter().copied().filter(fits).collect()
    }
}
