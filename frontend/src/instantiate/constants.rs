//! Objects that nobody writes.

use relyant_cfa::walk;
use relyant_cfa::{BinOp, Expr, Module, ObjId, Op};
use std::collections::BTreeSet;

/// The objects whose address is only ever used to read them at once.
pub(crate) fn constant_objects(module: &Module) -> BTreeSet<ObjId> {
    let mut out: BTreeSet<ObjId> = (0..module.objects.len() as u32).map(ObjId).collect();
    let locals = module.functions.iter().flat_map(|f| f.locals.iter());
    locals.for_each(|o| {
        out.remove(o);
    });
    let mut mention = |e: &Expr| {
        walk::visit(e, &mut |x| {
            if let Expr::Addr(o) = x {
                out.remove(o);
            }
        })
    };
    for f in &module.functions {
        for e in &f.graph.edges {
            if let Op::Load(_, a, _) = &e.op {
                match a {
                    Expr::Addr(_) => {}
                    Expr::Binary(BinOp::Add, base, index, _) if matches!(**base, Expr::Addr(_)) => {
                        mention(index)
                    }
                    _ => mention(a),
                }
            } else {
                walk::reads(&e.op).into_iter().for_each(&mut mention);
            }
        }
    }
    out
}
