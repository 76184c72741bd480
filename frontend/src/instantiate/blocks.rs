//! One block chosen of many: of a place that makes memory again and again one block is an object, all others lie far away.
//!
//! ```text
//! p = malloc()   becomes   (not made yet) made := 1; p = the block,   or:   p = any address far away
//! ```
//!
//! Which of its blocks is the chosen one the run decides, so that each of them is in some run. It is made once, as an object of a place that
//! is passed once; nothing is kept of what lies far away: what is read there is any value. So two threads that have the chosen block have
//! it from the same call, and a proof needs no numbers of blocks. (Skolem constants for objects, as the chosen thread is one for threads.)
//!
//! Each run of the program is one of the result for each choice: give every block but the chosen one addresses far away that no
//! other one has that is there at the time; there are as many as memory may have cells. Addresses differ from the program's, but as long as
//! memory that was given back is not used (which is assumed where nobody checks) only comparisons could tell: places whose blocks may be
//! compared with others that were given back, or compared by the order of addresses, are left as they are.
//!
//! Two accesses that race are to one block. Take the run in which it is the chosen one: so whoever waits at an access (`crate::races`) need
//! not wait far away, where addresses may be the same by chance.

use super::code::{Code, cell_of, test};
use super::{chosen, many};
use relyant_cfa::options::{DataModel, Options};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{
    BinOp, CmpOp, ENDLESS, Expr, Extent, Graph, InputSource, IntKind, LocationKind, Module, ObjId, Object,
    ObjectKind, Op, Reg, walk,
};
use std::collections::BTreeSet;

/// The module in which places that make many blocks have a chosen one, where that is possible; says whether there are some.
pub(super) fn split(module: &mut Module, options: &Options) -> bool {
    let plain = options.data_model != DataModel::Ilp32 && !options.is_tso();
    if !plain || options.checks_memory() || options.leaks || !chosen::is_possible(module, options) {
        return false;
    }
    let often = many::repeated(module);
    let compared = compared(module);
    let mut far = BTreeSet::new();
    let sites = std::mem::take(&mut module.heap);
    for site in sites {
        let f = &module.functions[site.function.0 as usize];
        let possible = often[site.function.0 as usize]
            && !site.automatic
            && site.limit.is_none()
            && site.most.is_none()
            && f.params.len() == 1
            && f.locals.contains(&site.object)
            && !compared.contains(&site.object)
            && !module.lifetimes.contains_key(&site.object);
        if !possible {
            module.heap.push(site);
            continue;
        }
        let object = &mut module.objects[site.object.0 as usize];
        object.init = vec![site.zero.then_some(0); object.cells.len()];
        let (block, span) = (object.clone(), object.span);
        let others = Object {
            name: format!("others of {}", block.name),
            function: None,
            init: vec![None; block.cells.len()],
            extent: Extent::Endless,
            ..block
        };
        let others = push(module, others);
        let name = format!("made({})", module.objects[site.object.0 as usize].name);
        let made = push(module, Object::synthetic(name, IntKind::Ideal, Some(0), span));
        write(module, site.function.0 as usize, site.object, others, made);
        far.insert(others);
    }
    if !far.is_empty() {
        stay_near(module, &far);
    }
    !far.is_empty()
}

/// Blocks that may be compared with others that were given back. Who looks whether somebody waits at an access compares two that are there.
fn compared(module: &Module) -> BTreeSet<ObjId> {
    let watched = |e: &Expr| match e {
        Expr::Addr(o) => is_watched(&module.objects[o.0 as usize]),
        _ => false,
    };
    let seen: Vec<BTreeSet<Reg>> = module
        .functions
        .iter()
        .map(|f| {
            let of_watch = |e: &relyant_cfa::Edge| match &e.op {
                Op::Load(r, a, _) if watched(a) => Some(*r),
                _ => None,
            };
            let loaded: BTreeSet<Reg> = f.graph.edges.iter().filter_map(of_watch).collect();
            let others = f.graph.edges.iter().filter(|e| of_watch(e).is_none());
            let others: BTreeSet<Reg> = others.filter_map(|e| walk::writes(&e.op)).collect();
            &loaded - &others
        })
        .collect();
    let of_watch = |f: usize, e: &Expr| match e {
        Expr::Compare(_, a, b) => {
            [a, b].into_iter().any(|x| matches!(&**x, Expr::Reg(r) if seen[f].contains(r)))
        }
        _ => false,
    };
    let mut compared = many::compared_again(module, &of_watch);
    compared.extend(ordered(module, &of_watch));
    compared
}

/// Blocks whose addresses may be compared by order with those of others: which one comes first is as in the program only for some choices.
fn ordered(module: &Module, but: &dyn Fn(usize, &Expr) -> bool) -> BTreeSet<ObjId> {
    let points_to = PointsTo::of_module(module);
    let mut found = BTreeSet::new();
    for (f, function) in (0u32..).zip(&module.functions) {
        for e in function.graph.edges.iter().flat_map(|e| walk::reads(&e.op)) {
            walk::visit(e, &mut |e| {
                if let Expr::Compare(CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge, a, b) = e
                    && !but(f as usize, e)
                {
                    let (a, b) = (points_to.held(f, a), points_to.held(f, b));
                    if !a.is_empty() && !b.is_empty() {
                        found.extend(a.iter().chain(&b));
                    }
                }
            });
        }
    }
    found
}

fn is_watched(o: &Object) -> bool {
    matches!(o.kind, ObjectKind::WatchedWrite | ObjectKind::WatchedRead)
}

fn push(module: &mut Module, object: Object) -> ObjId {
    module.objects.push(object);
    ObjId(module.objects.len() as u32 - 1)
}

/// Writes the function of such a place.
fn write(module: &mut Module, function: usize, block: ObjId, others: ObjId, made: ObjId) {
    let cells = module.objects[block.0 as usize].cells.len() as i128;
    let f = &mut module.functions[function];
    let span = f.span;
    f.registers.truncate(f.params.len());
    f.locals.clear();
    f.graph = Graph::default();
    let end = f.graph.add_location(span);
    f.graph.locations[end.0 as usize].kind = LocationKind::End;
    f.entry = f.graph.add_location(span);
    f.atomic = true;
    let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: f.entry, span, atomic: true };
    code.step(Op::Skip);
    let known = code.load(made, 0);
    let here = code.at;
    code.step(test(CmpOp::Eq, &known, Expr::Const(0)));
    code.step(Op::Store(cell_of(&Expr::Addr(made), 0), Expr::Const(1), IntKind::Ideal));
    code.edge(end, Op::Return(Some(Expr::Addr(block))));
    code.at = here;
    // Each of its cells is beyond those that are listed, and there.
    let dst = code.temp(IntKind::Ideal);
    code.step(Op::Havoc { dst, source: InputSource::uninitialised() });
    code.step(test(CmpOp::Ge, &Expr::Reg(dst), Expr::Const(cells)));
    code.step(test(CmpOp::Le, &Expr::Reg(dst), Expr::Const(i128::from(ENDLESS) - cells)));
    code.edge(end, Op::Return(Some(at(others, Expr::Reg(dst)))));
}

fn at(o: ObjId, cell: Expr) -> Expr {
    Expr::Binary(BinOp::Add, Box::new(Expr::Addr(o)), Box::new(cell), IntKind::Ideal)
}

/// Nobody waits at an access to what lies far away.
fn stay_near(module: &mut Module, far: &BTreeSet<ObjId>) {
    let points_to = PointsTo::of_module(module);
    let watched: Vec<bool> = module.objects.iter().map(is_watched).collect();
    for (f, function) in (0u32..).zip(&mut module.functions) {
        for k in 0..function.graph.edges.len() {
            let e = function.graph.edges[k].clone();
            let Op::Store(Expr::Addr(w), address, _) = &e.op else { continue };
            if !watched[w.0 as usize] || *address == Expr::Const(0) {
                continue;
            }
            let held = points_to.held(f, address);
            let mut code = Code {
                graph: &mut function.graph,
                registers: &mut function.registers,
                at: e.from,
                span: e.span,
                atomic: true,
            };
            for o in far.iter().filter(|o| held.contains(o)) {
                let next = code.fresh();
                code.edge(next, test(CmpOp::Lt, address, Expr::Addr(*o)));
                code.edge(next, test(CmpOp::Ge, address, at(*o, Expr::Const(i128::from(ENDLESS)))));
                code.at = next;
            }
            let from = code.at;
            function.graph.edges[k].from = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::c::load_text;
    use crate::instantiate::instantiate_chosen;
    use relyant_cfa::options::{DataModel, Options, Property};
    use relyant_cfa::{ENDLESS, Program};

    fn chosen(body: &str, options: &Options) -> Program {
        let text = format!(
            "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
             void *malloc(unsigned long); void free(void *); int __VERIFIER_nondet_int(void); int *old;
             void *work(void *p) {{ int *b = p; *b = *b + 1; free(b); return 0; }}
             int main(void) {{ pthread_t t;
               while (__VERIFIER_nondet_int()) {{ int *b = malloc(sizeof(int)); {body} pthread_create(&t, 0, work, b); }}
               return 0; }}"
        );
        let module = load_text("t.i", &text, options).unwrap();
        let p = instantiate_chosen(&module, options).unwrap().unwrap();
        assert_eq!(p.validate(), Ok(()));
        p
    }

    fn far(p: &Program) -> usize {
        p.objects.iter().filter(|o| o.size() == ENDLESS && o.name.starts_with("others of")).count()
    }

    #[test]
    fn one_block_of_many_is_an_object() {
        let race = Options { property: Property::NoDataRace, ..Options::default() };
        let p = chosen("", &race);
        assert_eq!(far(&p), 1);
        assert!(p.objects.iter().all(|o| !o.name.ends_with(".used")), "no pool");
        let narrow = Options { data_model: DataModel::Ilp32, ..race.clone() };
        assert_eq!(far(&chosen("", &narrow)), 0);
    }

    #[test]
    fn addresses_that_come_back_are_told() {
        // A block may be where the last one was.
        let p = chosen("if (b == old) return 0; old = b;", &Options::default());
        assert_eq!(far(&p), 0);
    }

    #[test]
    fn the_order_of_addresses_is_told() {
        let p = chosen("if (b < old) return 0; old = b;", &Options::default());
        assert_eq!(far(&p), 0);
    }
}
