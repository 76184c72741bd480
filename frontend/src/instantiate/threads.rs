//! Finds the threads: each place that creates one gives a template, or shares that of others.
//!
//! A place that runs at most once makes a template of one thread. Places on a cycle, in templates of any number of
//! threads, or in a routine that creates itself make templates without bound, one for each routine and constant
//! argument.

use super::Plan;
use super::callees::Callees;
use super::chosen::{self, Chosen};
use super::constants;
use super::error::Refusal;
use super::fold::{Rules, Value};
use super::inline::{Body, End, Inlining};
use super::loops;
use super::memory::Memory;
use super::places::{Cells, Known};
use super::plan::{FEW_COPIES, THREAD_COPIES};
use super::sharing::{self, Sharing};
use super::unroll;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Callee, ChosenThread, Count, Edge, Expr, FuncId, IntKind, Module, ObjId, Op, Template};
use std::collections::{BTreeMap, BTreeSet};

/// More templates than this are not made: further threads share one without bound for each routine.
const TEMPLATES: usize = 64;
/// A routine may create itself with other constant arguments so many times before it counts as unbounded.
const DEPTH: usize = 16;

/// No more activations of one function are inlined into each other.
const RECURSION: usize = 24;

/// A template to be built.
struct Job {
    routine: FuncId,
    /// The argument, if it is always the same.
    arg: Option<Value>,
    count: Count,
    initial: bool,
    /// It is of one thread that is any one of those of this template.
    chosen_of: Option<u32>,
    /// Cells that keep these values from the creation on.
    cells: Cells,
    /// Routines and arguments of the creators, outermost first, its own last.
    chain: Vec<(FuncId, Option<Value>)>,
}

/// A place that creates threads, in a finished body.
struct Site {
    edge: usize,
    routine: FuncId,
    arg: Option<Value>,
    /// Cells with a value that nothing changes any more.
    cells: Cells,
    /// Places that can be reached after it; none where every further place has the same template anyway.
    after: Vec<bool>,
    /// Places from which it can be reached.
    before: Vec<bool>,
}

/// What building a template needs.
struct Builder<'m> {
    module: &'m Module,
    memory: &'m mut Memory,
    constant: BTreeSet<ObjId>,
    callees: Callees<'m>,
    sharing: Sharing,
    signed_wraps: bool,
    specialise: bool,
    /// Copies of a loop with threads, at most.
    copies: usize,
    /// Accesses to memory that is none are errors.
    checks: bool,
}

/// What tells templates without bound apart.
type Kind = (FuncId, Option<Value>, Cells);

/// Builds the templates of all threads that may be created, the starts first; and which of them are of a chosen thread.
pub(super) fn templates(
    module: &Module,
    options: &Options,
    memory: &mut Memory,
    plan: &Plan,
) -> Result<(Vec<Template>, Vec<ChosenThread>), Refusal> {
    if module.starts.is_empty() {
        return Err(Refusal::NoStart);
    }
    let end = if options.threads.is_empty() { End::Program } else { End::Thread };
    let mut jobs: Vec<Job> = Vec::new();
    for f in &module.starts {
        let chain = vec![(*f, None)];
        jobs.push(Job {
            routine: *f,
            arg: None,
            count: Count::AtMost(1),
            initial: true,
            chosen_of: None,
            cells: Cells::new(),
            chain,
        });
    }
    let mut shared: BTreeMap<Kind, u32> = BTreeMap::new();
    let mut names: BTreeMap<FuncId, u32> = BTreeMap::new();
    let points_to = PointsTo::of_module(module);
    let taken = sharing::taken(module);
    let apart = plan.choose && chosen::is_possible(module, options);
    let mut builder = Builder {
        module,
        memory,
        constant: constants::constant_objects(module),
        sharing: Sharing::new(module, &points_to, &taken),
        callees: Callees { module, points_to, taken },
        signed_wraps: super::wraps(options),
        specialise: plan.optimise,
        copies: if apart { FEW_COPIES } else { THREAD_COPIES },
        checks: options.checks_memory(),
    };
    let mut chosen: BTreeMap<u32, Chosen> = BTreeMap::new();
    let mut templates = Vec::new();
    while templates.len() < jobs.len() {
        let number = templates.len();
        let end = if jobs[number].initial { end } else { End::Thread };
        let (mut body, known) = builder.build(number as u32, &jobs[number], end)?;
        let groups = builder.groups(&body, &jobs[number], &known, &plan.many);
        for (mut sites, cyclic) in groups {
            let many = plan.many.contains(&sites[0].routine);
            let template = place(&mut jobs, &mut shared, number, &mut sites, cyclic, many);
            let one =
                apart.then(|| choose(&mut jobs, &mut chosen, builder.memory, module, template)).flatten();
            for s in sites {
                if let Op::Create { routine, template: t, .. } = &mut body.graph.edges[s.edge].op {
                    *routine = Callee::Known(s.routine);
                    *t = Some(template);
                }
                if let Some(one) = one {
                    one.split(&mut body, s.edge);
                }
            }
        }
        let job = &jobs[number];
        let others = job.chosen_of.unwrap_or(number as u32);
        if let Some(one) = chosen.get(&others) {
            one.begin(&mut body, job.chosen_of.is_some());
        }
        let n = names.entry(job.routine).or_insert(0);
        *n += 1;
        let name = &module.functions[job.routine.0 as usize].name;
        templates.push(Template {
            name: if *n == 1 { name.clone() } else { format!("{name}#{n}") },
            count: job.count,
            initial: job.initial,
            param: if job.initial || job.arg.is_some() { None } else { body.params.first().copied() },
            inlined: body.inlined(module),
            registers: body.registers,
            entry: body.entry,
            graph: body.graph,
            procedures: Vec::new(),
        });
    }
    for (t, one) in &chosen {
        chosen::leave(&mut templates, builder.memory, *t, one.template);
    }
    let chosen = chosen.iter().map(|(others, one)| one.thread(*others)).collect();
    Ok((templates, chosen))
}

/// The one chosen thread of a template of any number of threads; made where there is none yet.
fn choose(
    jobs: &mut Vec<Job>,
    chosen: &mut BTreeMap<u32, Chosen>,
    memory: &mut Memory,
    module: &Module,
    template: u32,
) -> Option<Chosen> {
    let job = &jobs[template as usize];
    if job.count != Count::Unbounded {
        return None;
    }
    if let Some(one) = chosen.get(&template) {
        return Some(*one);
    }
    let routine = &module.functions[job.routine.0 as usize];
    let differ = job.arg.is_none() && !routine.params.is_empty();
    let one = Chosen::new(memory, jobs.len() as u32, &routine.name, differ);
    let (routine, arg, cells, chain) = (job.routine, job.arg, job.cells.clone(), job.chain.clone());
    let count = Count::AtMost(1);
    jobs.push(Job { routine, arg, count, initial: false, chosen_of: Some(template), cells, chain });
    chosen.insert(template, one);
    Some(one)
}

impl Builder<'_> {
    /// The automaton of one template: calls inlined, loops over threads unrolled; and what is known of cells at
    /// its locations.
    fn build(&mut self, number: u32, job: &Job, end: End) -> Result<(Body, Known), Refusal> {
        let mut body = Body::start(self.module, self.memory, number, job.routine, end);
        if let (Some(p), Some(v)) = (body.params.first().copied(), job.arg) {
            let kind = body.registers[p.0 as usize].kind;
            let value = if kind == IntKind::Ideal { v.expr() } else { Expr::Cast(Box::new(v.expr()), kind) };
            // The first edge is the empty one from the entry.
            if let Some(e) = body.graph.edges.iter_mut().find(|e| e.from == body.entry) {
                e.op = Op::Assign(p, value);
            }
        }
        let mut depth = 1;
        loop {
            let recursive =
                body.inline(self.module, self.memory, &Inlining { depth, keep: &BTreeSet::new() })?;
            let cells = if self.specialise { self.propagate(&mut body, job) } else { Known::nothing() };
            let (mut known, mut calls) = (false, false);
            let mut pointers = Vec::new();
            for (i, e) in body.graph.edges.iter_mut().enumerate() {
                let call = matches!(e.op, Op::Call { .. });
                match &mut e.op {
                    Op::Call { callee, .. } | Op::Create { routine: callee, .. } => match callee {
                        Callee::Pointer(Expr::Func(f)) => {
                            let f = *f;
                            *callee = Callee::Known(f);
                            known = true;
                        }
                        Callee::Pointer(_) => pointers.push(i),
                        Callee::Known(_) => calls |= call,
                    },
                    _ => {}
                }
            }
            if known {
                continue;
            }
            // Constants may have shown that the deepest calls do not happen.
            if let Some(refusal) = recursive.filter(|_| calls) {
                if !self.specialise || depth >= RECURSION {
                    return Err(refusal);
                }
                depth += 1;
                continue;
            }
            if pointers.is_empty() {
                return Ok((body, cells));
            }
            for i in pointers {
                let (function, first) = body.activation(body.graph.edges[i].from);
                let candidates = self.callees.candidates(function, first, &body.graph.edges[i].op);
                if candidates.is_empty() {
                    if self.module.functions[function.0 as usize].name == "main" {
                        return Err(Refusal::NoCallee { span: body.graph.edges[i].span });
                    }
                    body.without_callee(i);
                    continue;
                }
                body.branch(i, &candidates);
            }
        }
    }

    /// Constant propagation, with what the thread may rely on in memory.
    fn propagate(&self, body: &mut Body, job: &Job) -> Known {
        let main = job.initial && self.sharing.one_start();
        let objects = &self.memory.objects;
        let original = |o: ObjId| self.memory.original[o.0 as usize];
        let stable = |o: ObjId, k: u32| {
            let init = objects[o.0 as usize].init[k as usize].filter(|_| self.constant.contains(&o));
            job.cells.get(&(o, k)).copied().or(init.map(Value::Int))
        };
        // An access to an object that may be gone is not to be folded away.
        let mortal = |o: ObjId| self.checks && self.module.lifetimes.contains_key(&original(o));
        let follows = |o: ObjId, k: u32| !mortal(o) && self.sharing.follows(original(o), k, main);
        let mut start = Cells::new();
        for (i, object) in objects.iter().enumerate() {
            let o = ObjId(i as u32);
            let mine = match self.memory.owner[i] {
                Some(t) => t == body.template && object.thread_local,
                None => main && !object.thread_local && !self.sharing.is_local(self.module, o),
            };
            if mine {
                for (k, v) in object.init.iter().enumerate() {
                    v.iter().filter(|_| follows(o, k as u32)).for_each(|v| {
                        start.insert((o, k as u32), Value::Int(*v));
                    });
                }
            }
        }
        let context = unroll::Context {
            copies: self.copies,
            objects,
            stable: &stable,
            follows: &follows,
            start,
            signed_wraps: self.signed_wraps,
        };
        unroll::specialise(body, &context)
    }

    /// The places that create threads, in groups of which at most one is executed, at most once unless cyclic.
    fn groups(
        &self,
        body: &Body,
        job: &Job,
        known: &Known,
        many: &BTreeSet<FuncId>,
    ) -> Vec<(Vec<Site>, bool)> {
        let cells = |o: ObjId| self.memory.objects[o.0 as usize].cells.len();
        let rules = Rules { signed_wraps: self.signed_wraps, cells: &cells };
        let out = body.graph.out_edges();
        let into = body.graph.into_edges();
        let order = loops::order(&body.graph, &out, body.entry);
        let in_loop = loops::cyclic(&body.graph, body.entry);
        let mut edges: Vec<(usize, &Edge)> = body.graph.edges.iter().enumerate().collect();
        edges.retain(|(_, e)| matches!(e.op, Op::Create { .. }) && order[e.from.0 as usize] != u32::MAX);
        edges.sort_by_key(|(i, e)| (order[e.from.0 as usize], *i));
        let mut groups: Vec<(Vec<Site>, bool)> = Vec::new();
        // How many of them have a template of their own, for sure. With enough, no other gets one.
        let mut templates = 0;
        for (i, e) in edges {
            let Op::Create { routine: Callee::Known(f), arg, .. } = &e.op else { continue };
            let takes = !self.module.functions[f.0 as usize].params.is_empty();
            let arg = if takes { arg.as_ref().and_then(|a| rules.value(a)) } else { None };
            let cyclic = in_loop[i] || job.count != Count::AtMost(1);
            let apart = |other: &Site| !other.after[e.from.0 as usize] && !other.before[e.to.0 as usize];
            let fits = groups.iter().take_while(|(g, _)| !g[0].after.is_empty()).position(|(g, c)| {
                g[0].routine == *f && g[0].arg == arg && !*c && !cyclic && g.iter().all(&apart)
            });
            let mut site = Site {
                edge: i,
                routine: *f,
                arg,
                cells: Cells::new(),
                after: Vec::new(),
                before: Vec::new(),
            };
            if fits.is_some() || templates < TEMPLATES {
                site.after = loops::reachable(&body.graph, &out, e.to);
                site.after[e.to.0 as usize] = true;
                site.before = loops::reaching(&body.graph, &into, e.from);
                site.before[e.from.0 as usize] = true;
                site.cells = known.cells(e.from);
                self.forget_written(body, &site.after, &mut site.cells);
                site.cells.extend(job.cells.iter().map(|(k, v)| (*k, *v)));
            }
            match fits {
                Some(k) => groups[k].0.push(site),
                None => {
                    let again = job.chain.iter().any(|(r, _)| r == f);
                    templates += usize::from(!cyclic && !again && !many.contains(f));
                    groups.push((vec![site], cyclic));
                }
            }
        }
        groups
    }

    /// Drops the cells that may be written at these locations or after them.
    fn forget_written(&self, body: &Body, after: &[bool], cells: &mut Cells) {
        for e in body.graph.edges.iter().filter(|e| after[e.from.0 as usize]) {
            let Op::Store(a, _, _) = &e.op else { continue };
            match unroll::target(a, &self.memory.objects) {
                unroll::Target::Cell(o, k) => {
                    cells.remove(&(o, k));
                }
                unroll::Target::Object(o) => cells.retain(|(p, _), _| *p != o),
                unroll::Target::Any => cells.clear(),
            }
        }
    }
}

/// The template for a group of places; `many`: one for all of the routine.
fn place(
    jobs: &mut Vec<Job>,
    shared: &mut BTreeMap<Kind, u32>,
    creator: usize,
    sites: &mut [Site],
    cyclic: bool,
    many: bool,
) -> u32 {
    let Some((site, others)) = sites.split_first_mut() else { return 0 };
    let mut cells = std::mem::take(&mut site.cells);
    cells.retain(|k, v| others.iter().all(|s| s.cells.get(k) == Some(v)));
    let mut arg = site.arg;
    let chain = &jobs[creator].chain;
    let again = chain.contains(&(site.routine, arg))
        || chain.iter().filter(|(f, _)| *f == site.routine).count() > if arg.is_some() { DEPTH } else { 0 };
    let full = jobs.len() >= TEMPLATES;
    if full || again && !chain.contains(&(site.routine, arg)) {
        arg = None;
    }
    if full || many {
        cells.clear();
    }
    let unbounded = cyclic || again || full || many;
    let kind = (site.routine, arg, cells.clone());
    if unbounded {
        if let Some(t) = shared.get(&kind) {
            return *t;
        }
    }
    let mut chain = chain.clone();
    chain.push((site.routine, arg));
    let count = if unbounded { Count::Unbounded } else { Count::AtMost(1) };
    jobs.push(Job { routine: site.routine, arg, count, initial: false, chosen_of: None, cells, chain });
    let t = jobs.len() as u32 - 1;
    if unbounded {
        shared.insert(kind, t);
    }
    t
}
