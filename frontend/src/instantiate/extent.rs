//! Memory of any size: blocks whose size is not known go on without end.
//!
//! The program that is searched keeps the first elements of a block of unknown size, and comes to a limit where more are
//! asked for. For proofs there is no need to: addresses are numbers, and of an array one element stands for all
//! (`relyant_program::linearise`). A block that is made once, or an array of variable length, thus has as many cells as memory can have.

use super::pool;
use relyant_cfa::options::{DataModel, Options};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{
    Bounded, ENDLESS, Edge, Expr, Extent, Graph, IntKind, Loc, Location, LocationKind, Module, Op, Program,
};

/// The module with blocks of any size, where that is possible; says whether there are some.
pub(super) fn endless(module: &Module, options: &Options) -> (Module, bool) {
    let mut out = module.clone();
    let mut any = false;
    if options.data_model == DataModel::Ilp32 || options.checks_memory() || options.leaks {
        return (out, false);
    }
    for k in 0..out.heap.len() {
        let site = &mut out.heap[k];
        // One that has a pool has no local.
        let once = out.functions[site.function.0 as usize].locals.contains(&site.object);
        if site.most.is_some() && site.limit.is_none() && once {
            site.most = Some(ENDLESS);
            out.objects[site.object.0 as usize].extent = Extent::Endless;
            pool::write_one(&mut out, k);
            any = true;
        }
    }
    any |= variable(&mut out);
    if let Some(o) = out.beyond.filter(|_| any) {
        out.objects[o.0 as usize].init = vec![Some(i128::from(ENDLESS))];
    }
    (out, any)
}

/// Makes arrays of variable length endless, in functions that come to the place where each is defined once at most; are there some?
fn variable(module: &mut Module) -> bool {
    let often = super::many::repeated(module);
    let mut any = false;
    for (function, _) in module.functions.iter_mut().zip(&often).filter(|x| !x.1) {
        let arrays: Vec<_> =
            function.locals.iter().filter(|o| module.variable.contains(o)).copied().collect();
        let graph = &mut function.graph;
        let cyclic = super::loops::cyclic(graph, function.entry);
        let no_room = |l: &Location| matches!(&l.kind, LocationKind::Limit(limit) if limit.bounds == Some(Bounded::Length));
        let into = |graph: &Graph, l: Loc| -> Vec<usize> {
            let edges = graph.edges.iter().enumerate();
            edges.filter(|(_, e)| e.to == l).map(|(k, _)| k).collect()
        };
        // From the test over the location where there is no room.
        let mut tests = Vec::new();
        for k in 0..graph.edges.len() {
            let Edge { from, to, .. } = graph.edges[k];
            if !no_room(&graph.locations[to.0 as usize]) {
                continue;
            }
            let [test] = into(graph, from)[..] else { continue };
            let at = graph.edges[test].from;
            let other = (0..graph.edges.len()).find(|e| *e != test && graph.edges[*e].from == at);
            tests.extend(other.filter(|e| !cyclic[*e]).map(|other| (k, graph.edges[other].to)));
        }
        if arrays.is_empty() || tests.len() != arrays.len() {
            continue;
        }
        for (edge, inside) in tests {
            graph.edges[edge].to = inside;
        }
        for o in arrays {
            let object = &mut module.objects[o.0 as usize];
            object.extent = Extent::Endless;
            object.init = vec![None; object.cells.len()];
        }
        any = true;
    }
    any
}

/// Does every number that an address may become have room for it?
pub(super) fn has_room(program: &Program) -> bool {
    let points_to = PointsTo::new(program);
    let narrow = |k: &IntKind| !matches!(k, IntKind::Ideal | IntKind::Machine { bits: 64.., .. });
    let mut fit = true;
    for (t, template) in (0u32..).zip(&program.templates) {
        let mut holds = |e: &Expr, k: &IntKind| fit &= !narrow(k) || points_to.eval(t, e).is_empty();
        for e in &template.graph.edges {
            match &e.op {
                Op::Store(_, v, k) => holds(v, k),
                Op::Assign(r, v) => holds(v, &template.registers[r.0 as usize].kind),
                _ => {}
            }
            for x in walk::reads(&e.op) {
                walk::visit(x, &mut |x| match x {
                    Expr::Cast(a, k) | Expr::Unary(_, a, k) => holds(a, k),
                    Expr::Binary(_, a, b, k) => {
                        holds(a, k);
                        holds(b, k);
                    }
                    _ => {}
                });
            }
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use crate::c::load_text;
    use crate::instantiate::instantiate_chosen;
    use relyant_cfa::options::{DataModel, Options};
    use relyant_cfa::{ENDLESS, LocationKind, Program};

    fn chosen(body: &str, options: &Options) -> Result<Option<Program>, String> {
        let text = format!(
            "void *malloc(unsigned long); int __VERIFIER_nondet_int(void); int *p;
             void __assert_fail(const char *, const char *, unsigned, const char *);
             int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0) return 0; {body} return 0; }}"
        );
        let module = load_text("t.i", &text, options).unwrap();
        instantiate_chosen(&module, options).map_err(|e| e.message)
    }

    #[test]
    fn memory_of_unknown_size_has_no_end() {
        let body = "p = malloc(n * sizeof(int)); p[n - 1] = 1;";
        let p = chosen(body, &Options::default()).unwrap().unwrap();
        assert!(p.objects.iter().any(|o| o.size() == ENDLESS));
        assert_eq!(p.validate(), Ok(()));
        let limits = |p: &Program| {
            let locations = p.templates.iter().flat_map(|t| &t.graph.locations);
            locations
                .filter_map(|l| match &l.kind {
                    LocationKind::Limit(limit) => Some(limit.what.clone()),
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
        assert!(limits(&p).iter().all(|l| l.contains(&ENDLESS.to_string())), "{:?}", limits(&p));
        let narrow = Options { data_model: DataModel::Ilp32, ..Options::default() };
        assert_eq!(chosen(body, &narrow), Ok(None));
        assert_eq!(chosen("p = malloc(8); p[1] = n;", &Options::default()), Ok(None));
    }

    #[test]
    fn addresses_need_room() {
        let body = "p = malloc(n * sizeof(int)); int low = (int)(long)&p[n]; if (low == 5) *p = 1;";
        assert!(chosen(body, &Options::default()).is_err());
    }
}
