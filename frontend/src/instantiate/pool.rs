//! Bounded heap abstraction: objects that come and go are taken from pools.
//!
//! An inlined call has objects of its own, which is enough where each is made once. A place that is passed again and
//! again (malloc in a loop), or a local whose address other threads may have while there is any number of threads
//! that run its function, gets a *pool*: so many objects for all threads. To make one is an atomic step that takes
//! the first one never used, or any that was given back, so that a pointer kept too long meets the new object. Where
//! all are alive the thread comes to a location of kind [`LocationKind::Limit`].

use super::code::{Code, cell_of, test};
use super::many::{comes_back, freed, passes};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::{MAX_OBJECTS, Options};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{
    BinOp, Block, Bounded, Callee, CmpOp, Edge, Expr, Extent, FuncId, Function, Graph, HeapSite, IntKind,
    Limit, Loc, LocationKind, Look, Module, ObjId, Object, ObjectKind, Op, Reg, Register, Shown, Violated,
};
use std::collections::{BTreeMap, BTreeSet};

/// Cells of a fresh object that are set to any value one by one, where it is made once.
const MAX_SET: usize = 32;
/// The same where it is made by a pool, in the program for the search.
const MAX_TRIED: usize = 6;
/// Cells of all objects of a pool.
const POOL_CELLS: usize = 1 << 14;

/// Objects in the place of one.
struct Pool {
    instances: Vec<ObjId>,
    /// How many have been used.
    used: ObjId,
    /// Which have been given back: a cell for each.
    back: ObjId,
    /// How many cells each has, if that is not always the same.
    sizes: Option<ObjId>,
    /// They are elements of the one instance, each so many cells after the one before it, and so many.
    elements: Option<(usize, usize)>,
    /// More may be asked for.
    bounded: bool,
    /// What is said then.
    limit: Limit,
}

impl Pool {
    /// Its objects, each with the cell that says that it was given back.
    fn given_back(&self) -> Vec<(ObjId, ObjId, usize)> {
        self.instances.iter().enumerate().map(|(k, i)| (*i, self.back, k)).collect()
    }
}

impl Code<'_> {
    /// Notes how many cells an object of a pool has.
    fn sized(&mut self, pool: &Pool, o: &Expr, cells: &Expr) {
        let Some(sizes) = pool.sizes else { return };
        let k = pool.instances.iter().position(|i| *o == Expr::Addr(*i)).unwrap_or(0);
        self.step(Op::Store(cell_of(&Expr::Addr(sizes), k), cells.clone(), IntKind::Ideal));
    }
}

/// The function of a place that makes memory; `old`: it takes a block that keeps its contents.
pub(crate) fn site_function(name: String, old: bool, span: Span) -> Function {
    let mut graph = Graph::default();
    let entry = graph.add_location(span);
    let register = || Register { name: String::new(), kind: IntKind::Ideal };
    let params: Vec<Reg> = (0..1 + u32::from(old)).map(Reg).collect();
    Function {
        name,
        registers: params.iter().map(|_| register()).collect(),
        params,
        result: Some(IntKind::Ideal),
        locals: Vec::new(),
        entry,
        graph,
        atomic: false,
        span,
    }
}

/// The function that gives memory back; it does nothing as long as no object is made again.
pub(crate) fn free_function(span: Span) -> Function {
    let mut f = site_function("free".into(), false, span);
    f.result = None;
    let end = f.graph.add_location(span);
    f.graph.locations[end.0 as usize].kind = LocationKind::End;
    f.graph.add_edge(f.entry, end, Op::Return(None), span);
    f
}

/// A function that does nothing.
pub(crate) fn nothing(name: &str, span: Span) -> Function {
    let mut f = free_function(span);
    f.name = name.into();
    f.params.clear();
    f.registers.clear();
    f
}

/// How a place makes memory.
struct Making<'m> {
    /// What it makes objects of. Without a pool it makes one object, its local.
    pool: Option<&'m Pool>,
    /// For the search, which tries values one by one.
    tried: bool,
    /// What nobody reads before it is written gets 0.
    clear: bool,
    /// The file it is in, for messages.
    file: &'m str,
}

/// Writes the function of a place that makes memory.
fn write_site(functions: &mut [Function], objects: &mut [Object], site: &HeapSite, making: Making) {
    let Making { pool, tried, clear, file } = making;
    let f = &mut functions[site.function.0 as usize];
    let span = f.span;
    let mut cells = objects[site.object.0 as usize].cells.clone();
    if let Some((stride, _)) = pool.and_then(|p| p.elements) {
        cells.truncate(stride - 1);
    }
    let moves = site.moves.filter(|_| f.params.len() > 1);
    f.registers.truncate(f.params.len());
    f.locals = if pool.is_none() { vec![site.object] } else { Vec::new() };
    f.graph = Graph::default();
    let end = f.graph.add_location(span);
    f.graph.locations[end.0 as usize].kind = LocationKind::End;
    f.entry = f.graph.add_location(span);
    if let Some(what) = &site.limit {
        f.atomic = false;
        let limit = f.graph.add_location(span);
        f.graph.locations[limit.0 as usize].kind = LocationKind::Limit(what.clone().into());
        f.graph.add_edge(f.entry, limit, Op::Skip, span);
        return;
    }
    // One that goes on for ever is made once, with any values from the start.
    let endless = objects[site.object.0 as usize].extent == Extent::Endless;
    let fill = pool.is_some() || (!site.zero && !endless && cells.len() <= MAX_SET);
    if pool.is_none() {
        let start = if site.zero { Some(0) } else { None };
        objects[site.object.0 as usize].init = vec![start; cells.len()];
    }
    // The object is nobody else's before it is there, so all of it is one step.
    f.atomic = moves.is_some() || (fill && (pool.is_some() || site.open.iter().any(|x| *x)));
    let mut code =
        Code { graph: &mut f.graph, registers: &mut f.registers, at: f.entry, span, atomic: f.atomic };
    if code.atomic {
        code.step(Op::Skip);
    }
    if let Some(most) = site.most {
        let what = format!(
            "{file}:{}: more than {most} bytes may be asked for, and objects of such sizes are not kept",
            span.line
        );
        let limit = code.limit(what);
        let bytes = Expr::Reg(f.params[0]);
        let most = Expr::Const(i128::from(most));
        code.edge(limit, test(CmpOp::Gt, &bytes, most.clone()));
        code.step(test(CmpOp::Le, &bytes, most));
    }
    if let Some(old) = f.params.get(1).filter(|_| moves.is_none()) {
        let old = Expr::Reg(*old);
        let same = code.fresh();
        code.edge(same, test(CmpOp::Ne, &old, Expr::Const(0)));
        code.step(test(CmpOp::Eq, &old, Expr::Const(0)));
        let at = std::mem::replace(&mut code.at, same);
        code.edge(end, Op::Return(Some(old)));
        code.at = at;
    }
    if moves.is_some() {
        code.some_bytes(&Expr::Reg(f.params[0]), file);
    }
    let size = site.measure.as_ref().map(|m| code.measured(m, &Expr::Reg(f.params[0]), file));
    let size = size.unwrap_or(Expr::Const(cells.len() as i128));
    let p = code.temp(IntKind::Ideal);
    match pool {
        None => {
            code.step(Op::Assign(p, Expr::Addr(site.object)));
            if fill {
                code.fill(&Expr::Addr(site.object), &cells, false, &site.open, clear);
            }
        }
        Some(pool) => {
            let open = site.open.iter().filter(|x| **x).count();
            if tried && !site.zero && open > MAX_TRIED {
                // To try all values of all cells would be to no end: what they hold is 0 or left over, and that others
                // are possible is said.
                let what = format!(
                    "{file}:{}: {open} numbers in fresh memory may be read before they are written",
                    span.line
                );
                let limit = code.limit(what);
                code.edge(limit, Op::Skip);
                obtain(&mut code, pool, p, &mut |code, o| {
                    let none = vec![false; if clear { cells.len() } else { 0 }];
                    code.fill(o, &cells[..none.len()], false, &none, clear);
                    code.sized(pool, o, &size);
                })
            } else {
                obtain(&mut code, pool, p, &mut |code, o| {
                    code.fill(o, &cells, site.zero, &site.open, clear);
                    code.sized(pool, o, &size);
                })
            }
        }
    }
    if let Some(free) = moves {
        code.moved(&Expr::Reg(f.params[1]), &Expr::Reg(p), &cells, free);
    }
    code.edge(end, Op::Return(Some(Expr::Reg(p))));
}

/// Writes the functions of places that make one object each.
pub(crate) fn write_sites(module: &mut Module) {
    for k in 0..module.heap.len() {
        write_one(module, k);
    }
}

/// Writes the function of such a place.
pub(super) fn write_one(module: &mut Module, site: usize) {
    let site = module.heap[site].clone();
    let file = file_of(module, module.functions[site.function.0 as usize].span);
    let making = Making { pool: None, tried: false, clear: false, file: &file };
    write_site(&mut module.functions, &mut module.objects, &site, making);
}

fn file_of(module: &Module, span: Span) -> String {
    module.files.get(span.file as usize).cloned().unwrap_or_default()
}

/// Takes an object of a pool: puts its address in a register. The code is inside an atomic section.
fn obtain(code: &mut Code<'_>, pool: &Pool, p: Reg, fill: &mut dyn FnMut(&mut Code<'_>, &Expr)) {
    let used = code.load(pool.used, 0);
    if let Some((stride, count)) = pool.elements {
        let count = Expr::Const(count as i128);
        if pool.bounded {
            let limit = code.limit(pool.limit.clone());
            code.edge(limit, test(CmpOp::Ge, &used, count.clone()));
        }
        code.step(test(CmpOp::Lt, &used, count));
        let sum = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b), IntKind::Ideal);
        code.step(Op::Store(
            Expr::Addr(pool.used),
            sum(BinOp::Add, used.clone(), Expr::Const(1)),
            IntKind::Ideal,
        ));
        let offset = sum(BinOp::Mul, used, Expr::Const(stride as i128));
        code.step(Op::Assign(p, sum(BinOp::Add, Expr::Addr(pool.instances[0]), offset)));
        fill(code, &Expr::Reg(p));
        return;
    }
    let start = code.at;
    let done = code.fresh();
    for (k, o) in pool.instances.iter().enumerate() {
        // never used
        code.at = start;
        let n = k as i128;
        code.step(test(CmpOp::Eq, &used, Expr::Const(n)));
        code.step(Op::Store(Expr::Addr(pool.used), Expr::Const(n + 1), IntKind::Ideal));
        fill(code, &Expr::Addr(*o));
        code.edge(done, Op::Assign(p, Expr::Addr(*o)));
        // given back
        code.at = start;
        let back = code.load(pool.back, k);
        code.step(test(CmpOp::Ne, &back, Expr::Const(0)));
        code.step(Op::Store(cell_of(&Expr::Addr(pool.back), k), Expr::Const(0), IntKind::Ideal));
        fill(code, &Expr::Addr(*o));
        code.edge(done, Op::Assign(p, Expr::Addr(*o)));
    }
    if pool.bounded {
        code.at = start;
        code.step(test(CmpOp::Ge, &used, Expr::Const(pool.instances.len() as i128)));
        for k in 0..pool.instances.len() {
            let back = code.load(pool.back, k);
            code.step(test(CmpOp::Eq, &back, Expr::Const(0)));
        }
        let limit = code.limit(pool.limit.clone());
        code.edge(limit, Op::Skip);
    }
    code.at = done;
}

/// Gives an object back: a step for each that the address may be. Addresses of none are passed over.
///
/// `check`: to give back what is none of them or what was given back is an error.
pub(super) fn give_back(
    code: &mut Code<'_>,
    address: &Expr,
    instances: &[(ObjId, ObjId, usize)],
    check: bool,
) {
    let done = code.fresh();
    for (o, back, k) in instances {
        let (here, next) = (code.at, code.fresh());
        code.edge(next, test(CmpOp::Ne, address, Expr::Addr(*o)));
        code.at = here;
        code.step(test(CmpOp::Eq, address, Expr::Addr(*o)));
        if check {
            let gone = code.load(*back, *k);
            let error = code.error(Violated::DoubleFree);
            code.edge(error, test(CmpOp::Ne, &gone, Expr::Const(0)));
            code.step(test(CmpOp::Eq, &gone, Expr::Const(0)));
        }
        code.edge(done, Op::Store(cell_of(&Expr::Addr(*back), *k), Expr::Const(1), IntKind::Ideal));
        code.at = next;
    }
    if check {
        let error = code.error(Violated::FreeOfNoBlock);
        code.edge(error, test(CmpOp::Ne, address, Expr::Const(0)));
        code.edge(done, test(CmpOp::Eq, address, Expr::Const(0)));
    } else {
        code.edge(done, Op::Skip);
    }
    code.at = done;
}

/// Gives pools to some objects: those of places that make memory, and locals of functions.
///
/// `tried`: for the search, which tries values one by one.
pub(super) fn pooled(module: &Module, which: &BTreeSet<ObjId>, tried: bool, options: &Options) -> Module {
    let mut out = module.clone();
    let passes = passes(module);
    let of_heap: BTreeSet<ObjId> = module.heap.iter().map(|s| s.object).collect();
    let automatic: BTreeSet<ObjId> = module.heap.iter().filter(|s| s.automatic).map(|s| s.object).collect();
    let mut freed = freed(module, &PointsTo::of_module(module));
    freed.extend(comes_back(module));
    // Blocks of one shape that are given back may each be taken for another.
    type Shape = Vec<IntKind>;
    type Group = (Option<Shape>, Vec<(ObjId, usize)>);
    let mut groups: Vec<Group> = Vec::new();
    for o in which {
        let Some(f) = module.functions.iter().position(|f| f.locals.contains(o)) else { continue };
        let shape: Option<Shape> = (of_heap.contains(o) && freed.contains(o) && !automatic.contains(o))
            .then(|| module.objects[o.0 as usize].cells.iter().map(|c| c.0).collect());
        match groups.iter_mut().find(|(s, _)| s.is_some() && *s == shape) {
            Some((_, all)) => all.push((*o, f)),
            None => groups.push((shape, vec![(*o, f)])),
        }
    }
    let outlived = if options.checks_memory() { super::checks::outlived(module) } else { BTreeSet::new() };
    let mut to_free: Vec<(ObjId, ObjId, usize)> = Vec::new();
    let mut blocks = Vec::new();
    let mut instances_of = BTreeMap::new();
    let mut keepers = BTreeSet::new();
    for (shape, members) in groups {
        let made = |(o, f): &(ObjId, usize)| module.blocks.get(o).map_or(*f, |b| b.0.0 as usize);
        let total =
            members.iter().try_fold(0u32, |n, m| passes[made(m)].and_then(|more| n.checked_add(more)));
        let (first, f) = members[0];
        let measured =
            |(o, _): &(ObjId, usize)| module.heap.iter().any(|s| s.object == *o && s.measure.is_some());
        let elements = tried
            && shape.is_none()
            && options.max_objects.is_some_and(|n| n > MAX_OBJECTS)
            && !options.checks_memory()
            && !options.leaks
            && members.iter().all(|(o, f)| is_made_by(module, *o, *f) && !measured(&(*o, *f)));
        let mut pool = make_pool(&mut out, first, total, module.functions[f].span, elements, options);
        if members.iter().any(measured) {
            let name = format!("{}.size", module.objects[first.0 as usize].name);
            let span = module.functions[f].span;
            pool.sizes = Some(push(&mut out, control(name, pool.instances.len(), span)));
        }
        for (k, o) in pool.instances.iter().enumerate() {
            out.lifetimes.insert(*o, (pool.back, k));
            out.extents.extend(pool.sizes.map(|sizes| (*o, (sizes, k))));
        }
        if shape.is_some() {
            to_free.extend(pool.given_back());
        }
        if of_heap.contains(&first) && !automatic.contains(&first) {
            let instances = pool.instances.clone();
            blocks.push(super::leaks::Blocks { instances, used: pool.used, back: pool.back });
        }
        for (o, f) in members {
            instances_of.insert(o, pool.instances.clone());
            match module.heap.iter().find(|s| s.object == o) {
                Some(site) => {
                    let file = file_of(module, module.functions[f].span);
                    let (functions, objects) = (&mut out.functions, &mut out.objects);
                    let making = Making { pool: Some(&pool), tried, clear: options.leaks, file: &file };
                    write_site(functions, objects, site, making);
                    if outlived.contains(&o) {
                        super::frames::end_with_callers(functions, site.function, &pool.given_back());
                        keepers.extend(super::frames::callers(module, site.function));
                    }
                }
                None => {
                    keepers.insert(f);
                    match module.blocks.get(&o) {
                        Some(calls) => write_of_block(&mut out.functions[f], o, *calls, &pool),
                        None => write_local(&mut out.functions[f], o, &pool),
                    }
                }
            }
        }
    }
    super::gates::widen(&mut out.functions, &instances_of);
    let check = options.checks_memory();
    if check {
        super::frames::limit_ends(&mut out, module, keepers);
    }
    if let Some(free) = module.free.filter(|_| check || !to_free.is_empty()) {
        write_free(&mut out.functions, free, &to_free, check);
    }
    if options.leaks {
        super::leaks::insert(&mut out, &blocks, options);
    }
    out
}

/// Is an object one that this function, a place that makes blocks, and no other function names?
fn is_made_by(module: &Module, o: ObjId, f: usize) -> bool {
    let plain = |s: &HeapSite| s.object == o && s.function.0 as usize == f && !s.automatic;
    let names = |e: &Expr| {
        let mut found = false;
        walk::visit(e, &mut |e| found |= *e == Expr::Addr(o));
        found
    };
    module.heap.iter().any(plain)
        && module.functions[f].params.len() == 1
        && (module.functions.iter().enumerate())
            .filter(|(g, _)| *g != f)
            .all(|(_, g)| g.graph.edges.iter().all(|e| !walk::reads(&e.op).into_iter().any(names)))
}

/// `elements`: blocks may be elements of one object, which is as much for any number of them.
fn make_pool(
    module: &mut Module,
    o: ObjId,
    passes: Option<u32>,
    span: Span,
    elements: bool,
    options: &Options,
) -> Pool {
    let object = module.objects[o.0 as usize].clone();
    let most = options.max_objects.unwrap_or(MAX_OBJECTS) as usize;
    let room = object.cells.len() + usize::from(elements);
    let most = most.min(POOL_CELLS / room.max(1)).max(1);
    let count = passes.map_or(most, |n| (n as usize).max(1).min(most));
    let bounded = passes.is_none_or(|n| n as usize > count);
    let base = object.name.clone();
    let mut instances = Vec::new();
    // A cell between them, so that one's end is not the next one's address.
    let stride = object.cells.len() + 1;
    let elements = (elements && count > MAX_OBJECTS as usize).then_some((stride, count));
    if elements.is_some() {
        let between = (IntKind::Ideal, String::new());
        let one = || object.cells.iter().chain([&between]).enumerate();
        let named = |k: usize| {
            one().map(move |(i, (kind, name))| {
                (*kind, if i + 1 < stride { format!("[{k}]{name}") } else { String::new() })
            })
        };
        let all = &mut module.objects[o.0 as usize];
        all.cells = (0..count).flat_map(named).collect();
        all.init = (0..count).flat_map(|_| object.init.iter().copied().chain([Some(0)])).collect();
        all.look = Look::default();
        instances.push(o);
    }
    for k in 1..=if elements.is_some() { 0 } else { count } {
        let mut copy = Object { name: format!("{base}.{k}"), ..object.clone() };
        copy.look.block = copy.look.block.map(|b| Block { number: k as u32, ..b });
        if k == 1 {
            module.objects[o.0 as usize] = copy;
            instances.push(o);
        } else {
            instances.push(push(module, copy));
        }
    }
    let used = push(module, control(format!("{base}.used"), 1, span));
    let mut given = control(format!("{base}.free"), count, span);
    let block = object.look.block.map(|b| Block { number: 0, ..b });
    given.look = Look { cells: vec![Shown::Freed; count], block, lasting: false };
    let back = push(module, given);
    let file = file_of(module, span);
    let what = format!(
        "{file}:{}: more than {count} objects made here are alive at once (--max-objects)",
        span.line
    );
    let limit = Limit { what, bounds: Some(Bounded::Objects) };
    Pool { instances, used, back, sizes: None, elements, bounded, limit }
}

/// What a pool keeps of its objects: so many numbers, 0 at first.
fn control(name: String, n: usize, span: Span) -> Object {
    Object {
        cells: (0..n)
            .map(|k| (IntKind::Ideal, if n == 1 { String::new() } else { format!("[{k}]") }))
            .collect(),
        init: vec![Some(0); n],
        name,
        function: None,
        kind: ObjectKind::Ghost,
        thread_local: false,
        synthetic: true,
        look: Default::default(),
        constant: Vec::new(),
        extent: Default::default(),
        span,
    }
}

fn push(module: &mut Module, object: Object) -> ObjId {
    module.objects.push(object);
    ObjId(module.objects.len() as u32 - 1)
}

/// Takes the object of a local when its block is entered, and gives it back when that is left.
fn write_of_block(f: &mut Function, o: ObjId, calls: (FuncId, FuncId), pool: &Pool) {
    let p = by_register(f, o);
    let instances = pool.given_back();
    for i in 0..f.graph.edges.len() {
        let Edge { from, to, op, span } = f.graph.edges[i].clone();
        let held = f.atomic || f.graph.locations[from.0 as usize].atomic;
        let code = Code { graph: &mut f.graph, registers: &mut f.registers, at: from, span, atomic: held };
        match &op {
            Op::Call { callee: Callee::Known(g), .. } if *g == calls.0 => {
                let mut code = Code { atomic: true, ..code };
                obtain(&mut code, pool, p, &mut |_, _| {});
                f.graph.edges[i] = Edge { from: code.at, to, op: Op::Skip, span };
            }
            Op::Call { callee: Callee::Known(g), .. } if *g == calls.1 => {
                let mut code = code;
                give_back(&mut code, &Expr::Reg(p), &instances, false);
                f.graph.edges[i] = Edge { from: code.at, to, op: Op::Assign(p, Expr::Const(0)), span };
            }
            Op::Return(_) | Op::ThreadExit(_) => {
                let mut code = code;
                give_back(&mut code, &Expr::Reg(p), &instances, false);
                code.step(Op::Assign(p, Expr::Const(0)));
                f.graph.edges[i].from = code.at;
            }
            _ => {}
        }
    }
    let (entry, span) = (f.entry, f.span);
    f.entry = f.graph.add_location(span);
    f.graph.locations[f.entry.0 as usize].atomic = f.atomic;
    f.graph.add_edge(f.entry, entry, Op::Assign(p, Expr::Const(0)), span);
}

/// Replaces the address of a local by a register; gives that.
fn by_register(f: &mut Function, o: ObjId) -> Reg {
    f.locals.retain(|x| x != &o);
    let p = Reg(f.registers.len() as u32);
    f.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
    let mut leaf = |e: &Expr| match e {
        Expr::Addr(x) if *x == o => Expr::Reg(p),
        other => other.clone(),
    };
    for e in &mut f.graph.edges {
        e.op = walk::map_op(&e.op, &mut |x| walk::map_leaves(x, &mut leaf), &|r| r);
    }
    p
}

/// Takes the object of a local when its function is called, and gives it back when it returns.
fn write_local(f: &mut Function, o: ObjId, pool: &Pool) {
    let p = by_register(f, o);
    let leaving: Vec<usize> = (0..f.graph.edges.len())
        .filter(|i| matches!(f.graph.edges[*i].op, Op::Return(_) | Op::ThreadExit(_)))
        .collect();
    let instances = pool.given_back();
    for i in leaving {
        let (from, span) = (f.graph.edges[i].from, f.graph.edges[i].span);
        let atomic = f.atomic || f.graph.locations[from.0 as usize].atomic;
        let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: from, span, atomic };
        give_back(&mut code, &Expr::Reg(p), &instances, false);
        let at = code.at;
        f.graph.edges[i].from = at;
    }
    let (entry, span) = (f.entry, f.span);
    f.entry = f.graph.add_location(span);
    let mut code = Code { graph: &mut f.graph, registers: &mut f.registers, at: f.entry, span, atomic: true };
    obtain(&mut code, pool, p, &mut |_, _| {});
    code.edge(entry, Op::Skip);
}

fn write_free(functions: &mut [Function], free: FuncId, instances: &[(ObjId, ObjId, usize)], check: bool) {
    let f = &mut functions[free.0 as usize];
    let (span, address) = (f.span, Expr::Reg(f.params[0]));
    f.graph.edges.clear();
    let end = Loc(f.graph.locations.len() as u32 - 1);
    let mut code =
        Code { graph: &mut f.graph, registers: &mut f.registers, at: f.entry, span, atomic: false };
    give_back(&mut code, &address, instances, check);
    code.edge(end, Op::Return(None));
}
