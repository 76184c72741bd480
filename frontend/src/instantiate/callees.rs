//! Functions that a pointer may call.

use super::walk;
use crate::cfa::{Expr, FuncId, Module, Op};
use std::collections::BTreeSet;

/// The functions whose address is taken somewhere and that take as many arguments.
pub(super) fn candidates(module: &Module, op: &Op) -> Vec<FuncId> {
    let fits = |f: &FuncId| {
        let n = module.functions[f.0 as usize].params.len();
        match op {
            Op::Call { args, .. } => n == args.len(),
            _ => n <= 1,
        }
    };
    let mut taken = BTreeSet::new();
    for f in &module.functions {
        for e in &f.graph.edges {
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| {
                    if let Expr::Func(g) = x {
                        taken.insert(*g);
                    }
                });
            }
        }
    }
    taken.into_iter().filter(fits).collect()
}
