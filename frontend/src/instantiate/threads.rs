//! Finds the threads: each place that creates one gives a template, or shares that of others.
//!
//! A place that runs at most once makes a template of one thread. Places on a cycle, in templates of any number of
//! threads, or in a routine that creates itself make templates without bound, one for each routine and constant
//! argument.

use super::callees::Callees;
use super::error::Refusal;
use super::fold::{Rules, Value};
use super::inline::{Body, End};
use super::loops;
use super::memory::Memory;
use super::{constants, unroll};
use crate::cfa::{Callee, Count, Edge, Expr, FuncId, IntKind, Module, ObjId, Op, Template};
use crate::options::Options;
use std::collections::{BTreeMap, BTreeSet};

/// More templates than this are not made: further threads share one without bound for each routine.
const TEMPLATES: usize = 64;
/// A routine may create itself with other constant arguments so many times before it counts as unbounded.
const DEPTH: usize = 16;

/// A template to be built.
struct Job {
    routine: FuncId,
    /// The argument, if it is always the same.
    arg: Option<Value>,
    count: Count,
    initial: bool,
    /// Routines and arguments of the creators, outermost first, its own last.
    chain: Vec<(FuncId, Option<Value>)>,
}

/// A place that creates threads, in a finished body.
struct Site {
    edge: usize,
    routine: FuncId,
    arg: Option<Value>,
    /// It can run more than once.
    cyclic: bool,
    /// Places that can be reached after it.
    after: Vec<bool>,
}

/// What building a template needs.
struct Builder<'m> {
    module: &'m Module,
    memory: &'m mut Memory,
    constant: BTreeSet<ObjId>,
    callees: Callees<'m>,
    signed_wraps: bool,
    specialise: bool,
}

/// Builds all templates, with or without constant propagation.
pub(super) fn templates(
    module: &Module,
    options: &Options,
    memory: &mut Memory,
    specialise: bool,
) -> Result<Vec<Template>, Refusal> {
    if module.starts.is_empty() {
        return Err(Refusal::NoStart);
    }
    let end = if options.threads.is_empty() { End::Program } else { End::Thread };
    let mut jobs: Vec<Job> = Vec::new();
    for f in &module.starts {
        let chain = vec![(*f, None)];
        jobs.push(Job { routine: *f, arg: None, count: Count::AtMost(1), initial: true, chain });
    }
    let mut shared: BTreeMap<(FuncId, Option<Value>), u32> = BTreeMap::new();
    let mut names: BTreeMap<FuncId, u32> = BTreeMap::new();
    let mut builder = Builder {
        module,
        memory,
        constant: constants::constant_objects(module),
        callees: Callees::new(module),
        signed_wraps: super::wraps(options),
        specialise,
    };
    let mut templates = Vec::new();
    while templates.len() < jobs.len() {
        let number = templates.len();
        let end = if jobs[number].initial { end } else { End::Thread };
        let mut body = builder.build(number as u32, &jobs[number], end)?;
        let groups = builder.groups(&body, jobs[number].count);
        for (sites, cyclic) in groups {
            let template = place(&mut jobs, &mut shared, number, &sites[0], cyclic);
            for s in sites {
                if let Op::Create { routine, template: t, .. } = &mut body.graph.edges[s.edge].op {
                    *routine = Callee::Known(s.routine);
                    *t = Some(template);
                }
            }
        }
        let job = &jobs[number];
        let n = names.entry(job.routine).or_insert(0);
        *n += 1;
        let name = &module.functions[job.routine.0 as usize].name;
        templates.push(Template {
            name: if *n == 1 { name.clone() } else { format!("{name}#{n}") },
            count: job.count,
            initial: job.initial,
            param: if job.initial || job.arg.is_some() { None } else { body.params.first().copied() },
            registers: body.registers,
            entry: body.entry,
            graph: body.graph,
        });
    }
    Ok(templates)
}

impl Builder<'_> {
    /// The automaton of one template: calls inlined, loops over threads unrolled.
    fn build(&mut self, number: u32, job: &Job, end: End) -> Result<Body, Refusal> {
        let mut body = Body::start(self.module, self.memory, number, job.routine, end);
        if let (Some(p), Some(v)) = (body.params.first().copied(), job.arg) {
            let kind = body.registers[p.0 as usize].kind;
            let value = if kind == IntKind::Ideal { v.expr() } else { Expr::Cast(Box::new(v.expr()), kind) };
            // The first edge is the empty one from the entry.
            if let Some(e) = body.graph.edges.iter_mut().find(|e| e.from == body.entry) {
                e.op = Op::Assign(p, value);
            }
        }
        loop {
            body.inline(self.module, self.memory)?;
            if self.specialise {
                let context = unroll::Context {
                    objects: &self.memory.objects,
                    constant: &self.constant,
                    signed_wraps: self.signed_wraps,
                };
                unroll::specialise(&mut body, &context);
            }
            let mut known = false;
            let mut pointers = Vec::new();
            for (i, e) in body.graph.edges.iter_mut().enumerate() {
                match &mut e.op {
                    Op::Call { callee, .. } | Op::Create { routine: callee, .. } => match callee {
                        Callee::Pointer(Expr::Func(f)) => {
                            let f = *f;
                            *callee = Callee::Known(f);
                            known = true;
                        }
                        Callee::Pointer(_) => pointers.push(i),
                        Callee::Known(_) => {}
                    },
                    _ => {}
                }
            }
            if known {
                continue;
            }
            if pointers.is_empty() {
                return Ok(body);
            }
            for i in pointers {
                let candidates = {
                    let (function, first) = body.activation(body.graph.edges[i].from);
                    self.callees.candidates(function, first, &body.graph.edges[i].op)
                };
                if candidates.is_empty() {
                    return Err(Refusal::NoCallee { span: body.graph.edges[i].span });
                }
                body.branch(i, &candidates);
            }
        }
    }

    /// The places that create threads, in groups of which at most one is executed, at most once unless cyclic.
    fn groups(&self, body: &Body, count: Count) -> Vec<(Vec<Site>, bool)> {
        let cells = |o: ObjId| self.memory.objects[o.0 as usize].cells.len();
        let rules = Rules { signed_wraps: self.signed_wraps, cells: &cells };
        let out = body.graph.out_edges();
        let order = loops::order(&body.graph, &out, body.entry);
        let mut edges: Vec<(usize, &Edge)> = body.graph.edges.iter().enumerate().collect();
        edges.retain(|(_, e)| matches!(e.op, Op::Create { .. }) && order[e.from.0 as usize] != u32::MAX);
        edges.sort_by_key(|(i, e)| (order[e.from.0 as usize], *i));
        let mut groups: Vec<(Vec<Site>, bool)> = Vec::new();
        for (i, e) in edges {
            let Op::Create { routine: Callee::Known(f), arg, .. } = &e.op else { continue };
            let takes = !self.module.functions[f.0 as usize].params.is_empty();
            let arg = if takes { arg.as_ref().and_then(|a| rules.value(a)) } else { None };
            let mut after = loops::reachable(&body.graph, &out, e.to);
            after[e.to.0 as usize] = true;
            let cyclic = after[e.from.0 as usize] || count != Count::AtMost(1);
            let site = Site { edge: i, routine: *f, arg, cyclic, after };
            let apart = |other: &Site| {
                !other.after[e.from.0 as usize] && !site.after[body.graph.edges[other.edge].from.0 as usize]
            };
            let fits = groups.iter().position(|(g, c)| {
                g[0].routine == site.routine && g[0].arg == site.arg && !*c && !cyclic && g.iter().all(&apart)
            });
            match fits {
                Some(k) => groups[k].0.push(site),
                None => {
                    let cyclic = site.cyclic;
                    groups.push((vec![site], cyclic));
                }
            }
        }
        groups
    }
}

/// The template for a group of places.
fn place(
    jobs: &mut Vec<Job>,
    shared: &mut BTreeMap<(FuncId, Option<Value>), u32>,
    creator: usize,
    site: &Site,
    cyclic: bool,
) -> u32 {
    let mut arg = site.arg;
    let chain = &jobs[creator].chain;
    let again = chain.contains(&(site.routine, arg))
        || chain.iter().filter(|(f, _)| *f == site.routine).count() > if arg.is_some() { DEPTH } else { 0 };
    let full = jobs.len() >= TEMPLATES;
    if full || again && !chain.contains(&(site.routine, arg)) {
        arg = None;
    }
    let unbounded = cyclic || again || full;
    if unbounded {
        if let Some(t) = shared.get(&(site.routine, arg)) {
            return *t;
        }
    }
    let mut chain = chain.clone();
    chain.push((site.routine, arg));
    let count = if unbounded { Count::Unbounded } else { Count::AtMost(1) };
    jobs.push(Job { routine: site.routine, arg, count, initial: false, chain });
    let t = jobs.len() as u32 - 1;
    if unbounded {
        shared.insert((site.routine, arg), t);
    }
    t
}
