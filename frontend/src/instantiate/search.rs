//! The program that is searched: one template for each start routine, with any number of its threads; recursive
//! functions stay procedures.
//!
//! Nothing is specialised to arguments and no loop is unrolled: the search knows the values, and fewer kinds of
//! threads mean more states that are the same but for the threads' names.

use super::callees::Callees;
use super::calls;
use super::constants;
use super::error::Refusal;
use super::fold::Value;
use super::inline::{Body, End, Inlining};
use super::loops;
use super::memory::Memory;
use super::places::Cells;
use super::plan::THREAD_COPIES;
use super::simplify::{self, Part};
use super::unroll;
use super::{owners, registers, sharing, undefined};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::strong::components;
use relyant_cfa::{
    Callee, Count, Expr, FuncId, Loc, Module, ObjId, Object, Op, Procedure, Program, Reg, Template,
};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the program of a module that is searched.
///
/// # Errors
/// What the module has that such a program cannot say: see [`Refusal`]. The program of
/// [`instantiate`](super::instantiate) may still be possible, as that may be refused where this one is possible.
pub fn for_search(module: &Module, options: &Options) -> Result<Program, Diagnostic> {
    build_for_search(module, options).map_err(|r| r.diagnostic(module))
}

/// As [`for_search`], with the reason of a refusal as a value.
pub fn build_for_search(module: &Module, options: &Options) -> Result<Program, Refusal> {
    super::trial::with_enough_objects(module, options, &|module, options| {
        super::with_pools(module, true, options, &|module| build(module, options))
    })
}

fn build(module: &Module, options: &Options) -> Result<Program, Refusal> {
    let mut memory = Memory::new(module);
    let mut units = units(module, options, &mut memory)?;
    let context = simplify::Context {
        exclusive: options.exclusive.as_deref(),
        signed_wraps: super::wraps(options),
        objects: &memory.objects,
    };
    if options.checks_memory() {
        insert_checks(&mut units, &memory.objects, module);
    }
    for u in &mut units {
        simplify::simplify(&mut u.root, &context);
        u.procedures.iter_mut().for_each(|p| simplify::simplify(&mut p.part, &context));
    }
    let counts = counts(&units);
    let templates = units.into_iter().zip(counts).map(|(u, count)| u.template(module, count)).collect();
    let mut program = super::assembled(module, &memory, templates, options)?;
    owners::assign(&mut program, &memory)?;
    registers::merge(&mut program);
    undefined::assume(&mut program, options);
    debug_assert_eq!(program.validate(), Ok(()));
    Ok(program)
}

/// Puts the checks of memory into all automata.
fn insert_checks(units: &mut [Unit], objects: &[Object], module: &Module) {
    let counts = counts(units);
    let whole = units.iter().zip(counts).map(|(u, count)| u.clone().template(module, count));
    let found = super::checks::accesses(&whole.collect::<Vec<_>>(), objects, module);
    for (u, accesses) in units.iter_mut().zip(found) {
        // A template's edges are those of its automata, one after the other.
        let mut rest = accesses.into_iter();
        for part in std::iter::once(&mut u.root).chain(u.procedures.iter_mut().map(|p| &mut p.part)) {
            let own: Vec<_> = rest.by_ref().take(part.graph.edges.len()).collect();
            super::checks::insert_into(&mut part.graph, &mut part.registers, own, objects, module);
        }
    }
}

/// A template whose automata are still apart.
#[derive(Clone)]
struct Unit {
    name: String,
    /// So many of its threads run from the start.
    initial: u32,
    root: Part,
    procedures: Vec<Called>,
}

/// A procedure of a template.
#[derive(Clone)]
struct Called {
    /// As calls name it, see [`calls::copy`].
    function: FuncId,
    part: Part,
    objects: Vec<ObjId>,
}

/// What building an automaton needs.
struct Builder<'m> {
    module: &'m Module,
    callees: Callees<'m>,
    recursive: BTreeSet<FuncId>,
    constant: BTreeSet<ObjId>,
    signed_wraps: bool,
}

/// Builds the automata of all templates that can be reached.
fn units(module: &Module, options: &Options, memory: &mut Memory) -> Result<Vec<Unit>, Refusal> {
    if module.starts.is_empty() {
        return Err(Refusal::NoStart);
    }
    let callees = Callees { module, points_to: PointsTo::of_module(module), taken: sharing::taken(module) };
    let builder = Builder {
        module,
        recursive: calls::recursive(&callees),
        callees,
        constant: constants::constant_objects(module),
        signed_wraps: super::wraps(options),
    };
    let end = if options.threads.is_empty() { End::Program } else { End::Thread };
    // Routines, with the number of threads that run from the start; created ones follow.
    let mut routines: Vec<(FuncId, u32)> = Vec::new();
    for f in &module.starts {
        match routines.iter_mut().find(|(g, _)| g == f) {
            Some((_, n)) => *n += 1,
            None => routines.push((*f, 1)),
        }
    }
    let mut created: BTreeMap<FuncId, u32> = BTreeMap::new();
    let mut names: BTreeMap<FuncId, u32> = BTreeMap::new();
    let mut units: Vec<Unit> = Vec::new();
    while let Some(&(routine, initial)) = routines.get(units.len()) {
        let number = units.len() as u32;
        let end = if initial > 0 { end } else { End::Thread };
        let mut root = builder.finish(Body::start(module, memory, number, routine, end), memory)?;
        root.params.truncate(if initial > 0 { 0 } else { 1 });
        let mut procedures: Vec<Called> = Vec::new();
        let mut wanted = called(&root);
        while let Some(copy) = wanted.pop_first() {
            if procedures.iter().any(|p| p.function == copy) {
                continue;
            }
            let before = memory.objects.len();
            let originals: Vec<Option<u32>> = memory.owner.clone();
            let (f, atomic) = calls::copied(module, copy);
            let body = Body::procedure(module, memory, number, f, atomic);
            let part = builder.finish(body, memory)?;
            wanted.extend(called(&part));
            let objects = (0..memory.objects.len())
                .filter(|o| *o >= before || memory.owner[*o] != originals[*o])
                .filter(|o| !memory.objects[*o].thread_local)
                .map(|o| ObjId(o as u32))
                .collect();
            procedures.push(Called { function: copy, part, objects });
        }
        for graph in std::iter::once(&mut root.graph).chain(procedures.iter_mut().map(|p| &mut p.part.graph))
        {
            for e in &mut graph.edges {
                if let Op::Create { routine: Callee::Known(f), template, .. } = &mut e.op {
                    let next = routines.len() as u32;
                    let t = *created.entry(*f).or_insert(next);
                    if t == next {
                        routines.push((*f, 0));
                    }
                    *template = Some(t);
                }
            }
        }
        let n = names.entry(routine).or_insert(0);
        *n += 1;
        let name = &module.functions[routine.0 as usize].name;
        let name = if *n == 1 { name.clone() } else { format!("{name}#{n}") };
        units.push(Unit { name, initial, root, procedures });
    }
    Ok(units)
}

/// The procedures that an automaton calls.
fn called(part: &Part) -> BTreeSet<FuncId> {
    let callee = |op: &Op| match op {
        Op::Call { callee: Callee::Known(f), .. } => Some(*f),
        _ => None,
    };
    part.graph.edges.iter().filter_map(|e| callee(&e.op)).collect()
}

impl Builder<'_> {
    /// Inlines all calls but those of recursive functions, and propagates constants.
    fn finish(&self, mut body: Body, memory: &mut Memory) -> Result<Part, Refusal> {
        let inlining = Inlining { depth: usize::MAX, keep: &self.recursive };
        loop {
            body.inline(self.module, memory, &inlining)?;
            let mut known = false;
            let mut pointers = Vec::new();
            for (i, e) in body.graph.edges.iter_mut().enumerate() {
                let (Op::Call { callee, .. } | Op::Create { routine: callee, .. }) = &mut e.op else {
                    continue;
                };
                match callee {
                    Callee::Pointer(Expr::Func(f)) => {
                        *callee = Callee::Known(*f);
                        known = true;
                    }
                    Callee::Pointer(_) => pointers.push(i),
                    Callee::Known(_) => {}
                }
            }
            if known {
                continue;
            }
            if pointers.is_empty() {
                break;
            }
            for i in pointers {
                let edge = &body.graph.edges[i];
                let (function, first) = body.activation(edge.from);
                let candidates = self.callees.candidates(function, first, &edge.op);
                if candidates.is_empty() {
                    if self.module.functions[function.0 as usize].name == "main" {
                        return Err(Refusal::NoCallee { span: edge.span });
                    }
                    body.without_callee(i);
                    continue;
                }
                body.branch(i, &candidates);
            }
        }
        body.settle_calls(self.module);
        let stable = |o: ObjId, k: u32| {
            let init = memory.objects[o.0 as usize].init[k as usize];
            init.filter(|_| self.constant.contains(&o)).map(Value::Int)
        };
        let context = unroll::Context {
            copies: THREAD_COPIES,
            objects: &memory.objects,
            stable: &stable,
            follows: &|_, _| false,
            start: Cells::new(),
            signed_wraps: self.signed_wraps,
        };
        unroll::propagate(&mut body, &context);
        let inlined = body.inlined(self.module);
        let Body { registers, params, entry, graph, .. } = body;
        Ok(Part { registers, params, entry, graph, inlined })
    }
}

/// How many threads of each template there can be.
fn counts(units: &[Unit]) -> Vec<Count> {
    // Threads that one thread of a template creates of others.
    let makes: Vec<BTreeMap<u32, Option<u32>>> = units.iter().map(makes).collect();
    let next: Vec<Vec<usize>> = makes.iter().map(|m| m.keys().map(|t| *t as usize).collect()).collect();
    let mut total: Vec<Option<u32>> = units.iter().map(|u| Some(u.initial)).collect();
    // Components come after those they lead to: creators last.
    for component in components(&next).into_iter().rev() {
        for &t in &component {
            if component.len() > 1 || next[t].contains(&t) {
                total[t] = None;
            }
        }
        for &t in &component {
            for (&u, n) in &makes[t] {
                let new = total[t].zip(*n).and_then(|(a, b)| a.checked_mul(b));
                let sum = total[u as usize].zip(new).and_then(|(a, b)| a.checked_add(b));
                total[u as usize] = sum;
            }
        }
    }
    total.into_iter().map(|n| n.map_or(Count::Unbounded, Count::AtMost)).collect()
}

/// How many threads of others one thread creates at most; `None` is without bound.
fn makes(unit: &Unit) -> BTreeMap<u32, Option<u32>> {
    let created = |op: &Op| if let Op::Create { template, .. } = op { *template } else { None };
    let mut out = BTreeMap::new();
    for e in unit.procedures.iter().flat_map(|p| &p.part.graph.edges) {
        created(&e.op).map(|t| out.insert(t, None));
    }
    let graph = &unit.root.graph;
    let edges = graph.out_edges();
    let mut sites: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, e) in graph.edges.iter().enumerate() {
        if let Some(t) = created(&e.op) {
            sites.entry(t).or_default().push(i);
        }
    }
    for (t, sites) in sites {
        if out.contains_key(&t) {
            continue;
        }
        let after: Vec<Vec<bool>> = sites
            .iter()
            .map(|&i| {
                let to = graph.edges[i].to;
                let mut after = loops::reachable(graph, &edges, to);
                after[to.0 as usize] = true;
                after
            })
            .collect();
        let leads = |a: usize, b: usize| after[a][graph.edges[sites[b]].from.0 as usize];
        out.insert(t, longest_chain(sites.len(), &leads));
    }
    out
}

/// The largest number of places that one run can pass; `None` if one can be passed twice.
fn longest_chain(n: usize, leads: &dyn Fn(usize, usize) -> bool) -> Option<u32> {
    if (0..n).any(|a| leads(a, a)) {
        return None;
    }
    // Whoever is led to by fewer comes first.
    let mut order: Vec<(usize, usize)> =
        (0..n).map(|b| ((0..n).filter(|&a| leads(a, b)).count(), b)).collect();
    order.sort_unstable();
    let mut length = vec![1u32; n];
    for (i, &(_, b)) in order.iter().enumerate() {
        for &(_, a) in &order[..i] {
            if leads(a, b) {
                length[b] = length[b].max(length[a] + 1);
            }
        }
    }
    length.into_iter().max()
}

impl Unit {
    /// Puts the automata together.
    fn template(self, module: &Module, count: Count) -> Template {
        let Part { registers, params, entry, graph, inlined } = self.root;
        let mut t = Template {
            name: self.name,
            count,
            initial: self.initial > 0,
            param: params.first().copied(),
            registers,
            entry,
            graph,
            inlined,
            procedures: Vec::new(),
        };
        for p in self.procedures {
            let (r, l) = (t.registers.len() as u32, t.graph.locations.len() as u32);
            let reg = |x: Reg| Reg(x.0 + r);
            let loc = |x: Loc| Loc(x.0 + l);
            t.registers.extend(p.part.registers);
            let calls = t.inlined.len() as u32;
            t.graph.locations.extend(p.part.graph.locations.into_iter().map(|mut l| {
                l.inlined += calls;
                l
            }));
            t.inlined.extend(p.part.inlined.into_iter().map(|mut c| {
                c.caller.0 += calls;
                c
            }));
            for mut e in p.part.graph.edges {
                (e.from, e.to) = (loc(e.from), loc(e.to));
                e.op = registers::renamed(&e.op, &reg);
                t.graph.edges.push(e);
            }
            let (f, _) = calls::copied(module, p.function);
            t.procedures.push(Procedure {
                function: p.function,
                name: module.functions[f.0 as usize].name.clone(),
                entry: loc(p.part.entry),
                params: p.part.params.into_iter().map(reg).collect(),
                registers: r..t.registers.len() as u32,
                locations: l..t.graph.locations.len() as u32,
                objects: p.objects,
            });
        }
        t
    }
}
