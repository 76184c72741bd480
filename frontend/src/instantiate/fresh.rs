//! Locals that hold any values from the start of the run, where that is as good as from their definition on.
//!
//! A definition without an initialiser is a store of any value to each cell. Where it is come to once at most, and no step before
//! it has the object's address, the object may hold these values from the start: for arrays that is many steps less.

use super::{ARRAY, loops, many};
use relyant_cfa::{BinOp, Edge, Expr, Function, Graph, Module, ObjId, Op, Reg, walk};
use std::collections::BTreeSet;

/// The module in which large locals have any values from the start, where that is possible.
pub(super) fn from_start(module: &mut Module) {
    let often = many::repeated(module);
    for (function, _) in module.functions.iter_mut().zip(&often).filter(|x| !x.1) {
        let large = |o: &ObjId| module.objects[o.0 as usize].cells.len() >= ARRAY;
        let locals: BTreeSet<ObjId> = function.locals.iter().copied().filter(large).collect();
        if locals.is_empty() {
            continue;
        }
        let any = any_values(function);
        let cyclic = loops::cyclic(&function.graph, function.entry);
        let defines = |k: usize| match &function.graph.edges[k].op {
            Op::Store(address, Expr::Reg(r), _) if !cyclic[k] && any.contains(r) => cell(address),
            _ => None,
        };
        let mut found = Vec::new();
        for o in locals {
            let known = after_mention(&function.graph, o, &|k| defines(k).is_some());
            let edges = (0..function.graph.edges.len()).filter_map(|k| Some((k, defines(k)?)));
            found.extend(
                edges.filter(|(k, at)| at.0 == o && !known[function.graph.edges[*k].from.0 as usize]),
            );
        }
        for (k, (o, cell)) in found {
            if let Some(init) = module.objects[o.0 as usize].init.get_mut(cell) {
                *init = None;
                function.graph.edges[k].op = Op::Skip;
            }
        }
    }
}

/// Locations after a step that has an object's address, but for these steps.
fn after_mention(graph: &Graph, o: ObjId, but: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let out = graph.out_edges();
    let mentions = |e: &Edge| {
        let mut found = false;
        for x in walk::reads(&e.op) {
            walk::visit(x, &mut |x| found |= *x == Expr::Addr(o));
        }
        found
    };
    let mut seen = vec![false; graph.locations.len()];
    let edges = graph.edges.iter().enumerate();
    let mut work: Vec<_> = edges.filter(|(k, e)| !but(*k) && mentions(e)).map(|(_, e)| e.to).collect();
    while let Some(l) = work.pop() {
        if !std::mem::replace(&mut seen[l.0 as usize], true) {
            work.extend(out[l.0 as usize].iter().map(|k| graph.edges[*k].to));
        }
    }
    seen
}

/// Registers that are written once, with what memory holds that nothing has written.
fn any_values(function: &Function) -> BTreeSet<Reg> {
    let (mut once, mut others) = (BTreeSet::new(), BTreeSet::new());
    for e in &function.graph.edges {
        let Some(r) = walk::writes(&e.op) else { continue };
        let any = matches!(&e.op, Op::Havoc { source, .. } if source.is_uninitialised());
        if !any || !once.insert(r) {
            others.insert(r);
        }
    }
    &once - &others
}

/// The cell at a constant address.
fn cell(address: &Expr) -> Option<(ObjId, usize)> {
    match address {
        Expr::Addr(o) => Some((*o, 0)),
        Expr::Binary(BinOp::Add, o, k, _) => match (&**o, &**k) {
            (Expr::Addr(o), Expr::Const(k)) => Some((*o, usize::try_from(*k).ok()?)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::c::load_text;
    use relyant_cfa::Op;
    use relyant_cfa::options::Options;

    /// How many stores the definition of an array of 8 has left, and the number of values it may have at the start.
    fn left(body: &str) -> (usize, usize) {
        let text = format!(
            "int __VERIFIER_nondet_int(void); void use(int *p) {{ if (p) p[1] = 2; }}
             int main(void) {{ {body} return 0; }}"
        );
        let mut module = load_text("t.i", &text, &Options::default()).unwrap();
        super::from_start(&mut module);
        let main = module.functions.iter().find(|f| f.name == "main").unwrap();
        let o = main.locals.iter().find(|o| module.objects[o.0 as usize].cells.len() == 8).unwrap();
        let stores = main
            .graph
            .edges
            .iter()
            .filter(|e| matches!(&e.op, Op::Store(a, _, _) if super::cell(a).is_some_and(|c| c.0 == *o)));
        (stores.count(), module.objects[o.0 as usize].init.iter().filter(|v| v.is_none()).count())
    }

    #[test]
    fn definitions_without_a_value_are_none() {
        assert_eq!(left("int a[8]; use(a);"), (0, 8));
        assert_eq!(left("int a[8]; int x; a[3] = 1; a[3] = x; use(a);"), (2, 8));
        assert_eq!(left("int a[8] = {0}; use(a);").0, 8);
        // Each round has values of its own.
        assert_eq!(left("for (;;) { int a[8]; use(a); }").0, 8);
    }
}
