//! Inputs told apart by what a run does with them.
//!
//! Which values of an input matter often shows at run time only: a key is compared with what an array happens to
//! hold, a number is computed with once it was found to be small. So points are collected: values that an input is
//! compared with, and values that it has where it is computed with. An exploration that tries, for each input, every
//! point and one value of each interval between points is complete when it *needs* no further point: when inputs were
//! compared with points only, and computed with only where they are points.
//!
//! Why: take any run, and put for each input the value tried of its interval. Step by step the two runs do the same. A
//! comparison with a point comes out the same for both values; what is computed is computed of points, which are
//! themselves; all other values depend on no input, so that they are equal. The inputs' values move through registers
//! and cells by copies only, in classes that [`Observer`] works out; what is computed from them is in none.

use super::eval::{Env, eval, in_kind};
use super::live::live_registers;
use super::machine::{Machine, State};
use crate::cfa::{
    BinOp, Callee, Expr, FloatOp, FloatUnary, IntKind, Loc, ObjId, Op, Precision, Program, Reg, UnOp,
};
use crate::points_to::{PointsTo, Targets};
use std::collections::{BTreeMap, BTreeSet};

/// Points of each class of inputs.
pub type Points = BTreeMap<u32, BTreeSet<i128>>;

/// Intervals of at most this many values are tried whole where an input is computed with.
const FEW: i128 = 64;
/// More points of one class than this are too many.
const MOST: usize = 4096;

/// Points that an exploration lacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Values that inputs of a class were compared with.
    compared: BTreeSet<(u32, i128)>,
    /// Values of inputs that were computed with.
    used: BTreeSet<(u32, i128)>,
    /// Classes of which an input was taken at all. In the others all values are the program's own.
    taken: BTreeSet<u32>,
}

impl Needs {
    /// Is no further point needed?
    pub fn is_empty(&self) -> bool {
        self.compared().next().is_none() && self.used().next().is_none()
    }
    /// Adds others.
    pub fn extend(&mut self, other: &Needs) {
        self.compared.extend(&other.compared);
        self.used.extend(&other.used);
        self.taken.extend(&other.taken);
    }
    fn compared(&self) -> impl Iterator<Item = &(u32, i128)> {
        self.compared.iter().filter(|n| self.taken.contains(&n.0))
    }
    fn used(&self) -> impl Iterator<Item = &(u32, i128)> {
        self.used.iter().filter(|n| self.taken.contains(&n.0))
    }
}

/// Looks at what steps do with inputs.
pub struct Observer {
    /// By template and edge, for those that take one; then by object: the class, if inputs may get there.
    inputs: Vec<Vec<Option<u32>>>,
    objects: Vec<Option<u32>>,
    /// By class: the smallest and largest value, or `None` where inputs can't be followed.
    ranges: BTreeMap<u32, Option<(i128, i128)>>,
    /// By template and edge.
    watches: Vec<Vec<Vec<Watch>>>,
}

/// What an edge does with an input.
enum Watch {
    /// Takes one.
    Taken { class: u32 },
    /// Loads it, and so takes it where it has no value yet.
    Loaded,
    /// Compares a register of the class with the value of an expression that depends on no input.
    Compared { class: u32, with: Expr, through: Option<Precision> },
    /// Computes with a register of the class.
    Used { class: u32, register: Reg },
}

impl Observer {
    /// Works out where inputs go.
    pub fn new(program: &Program) -> Observer {
        let mut scan = Scan::new(program);
        for (t, template) in program.templates.iter().enumerate() {
            scan.keep(t);
            for (e, edge) in template.graph.edges.iter().enumerate() {
                scan.op(t, e, &edge.op);
            }
        }
        scan.finish()
    }

    /// Values to try for the input that an edge takes; `None` where points are no help.
    pub fn inputs(&self, template: u32, edge: u32, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        self.values(*self.inputs.get(template as usize)?.get(edge as usize)?, kind, points)
    }

    /// Values to try for a cell of an object; `None` where points are no help.
    pub fn cell(&self, object: ObjId, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        self.values(*self.objects.get(object.0 as usize)?, kind, points)
    }

    /// Each point, and the values next to it: one of each interval at least.
    fn values(&self, class: Option<u32>, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        let class = class?;
        (*self.ranges.get(&class)?)?;
        let points = points.get(&class);
        let inside = || points.into_iter().flatten().copied().filter(|p| in_kind(*p, kind));
        let beside =
            inside().flat_map(|p| [p.saturating_sub(1), p.saturating_add(1)]).filter(|v| in_kind(*v, kind));
        let mut values: BTreeSet<i128> = inside().chain(beside).collect();
        if values.is_empty() {
            values.insert(kind.min().unwrap_or(0).max(0));
        }
        let mut values: Vec<i128> = values.into_iter().collect();
        values.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        Some(values)
    }

    /// Adds the points that a step needs and that there are not; the step need not be possible.
    pub fn observe(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        edge: u32,
        points: &Points,
        needs: &mut Needs,
    ) {
        let template = state.threads[thread].name.template as usize;
        let watches = self.watches.get(template).and_then(|l| l.get(edge as usize)).map_or(&[][..], |w| w);
        if watches.is_empty() {
            return;
        }
        let program = machine.program();
        let env = Env {
            registers: machine.registers(state, thread),
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        let lacks = |class: &u32, v: i128| !points.get(class).is_some_and(|p| p.contains(&v));
        for watch in watches {
            match watch {
                Watch::Taken { class } => {
                    needs.taken.insert(*class);
                }
                Watch::Loaded => {
                    let cell = machine.chosen_by(state, thread, edge);
                    needs.taken.extend(cell.and_then(|c| *self.objects.get(c.0.0 as usize)?));
                }
                Watch::Compared { class, with, through } => {
                    // Where this is undefined the step is, for any value of the input.
                    let Ok(v) = eval(with, &env) else { continue };
                    let near = match through {
                        None => vec![v],
                        Some(p) => whole_numbers_around(p.value(v)),
                    };
                    let range = self.ranges.get(class).copied().flatten();
                    let possible = |v: &i128| range.is_none_or(|(min, max)| min <= *v && *v <= max);
                    let new = near.into_iter().filter(possible).filter(|v| lacks(class, *v));
                    needs.compared.extend(new.map(|v| (*class, v)));
                }
                Watch::Used { class, register } => {
                    if let Some(v) = env.registers.get(register.0 as usize).filter(|v| lacks(class, **v)) {
                        needs.used.insert((*class, *v));
                    }
                }
            }
        }
    }

    /// The points with those that are needed; `None` if they would be too many.
    pub fn grow(&self, points: &Points, needs: &Needs) -> Option<Points> {
        let mut grown = points.clone();
        for (class, v) in needs.compared() {
            grown.entry(*class).or_default().insert(*v);
        }
        // How far to go where inputs are computed with shows when all comparisons are known.
        let comparisons = needs.compared().next().is_some();
        for (class, v) in needs.used().filter(|_| !comparisons) {
            let (min, max) = (*self.ranges.get(class)?)?;
            let own = grown.entry(*class).or_default();
            if own.contains(v) {
                continue;
            }
            let first = own.range(..*v).next_back().map_or(min, |p| p.saturating_add(1)).max(min);
            let last = own.range(*v..).next().map_or(max, |p| p.saturating_sub(1)).min(max);
            if *v < first || *v > last {
                // No input has this value: it is one that the program put there itself.
                own.insert(*v);
            } else if last.checked_sub(first)? < FEW {
                own.extend(first..=last);
            } else {
                return None;
            }
        }
        grown.values().all(|p| p.len() <= MOST).then_some(grown)
    }
}

/// The whole numbers that a comparison with a floating-point number tells apart.
fn whole_numbers_around(v: f64) -> Vec<i128> {
    // Whole numbers of the kinds that come here are far smaller.
    const LARGE: f64 = 1e15;
    if v.is_nan() {
        return Vec::new();
    }
    let v = v.clamp(-LARGE, LARGE);
    let (below, above) = (v.floor() as i128, v.ceil() as i128);
    if below == above { vec![below] } else { vec![below, above] }
}

/// A use of a register, before it is known where inputs go.
enum Use<'p> {
    Compared { register: Reg, with: &'p Expr, through: Option<Precision> },
    Computed(Reg),
    Taken(Reg),
    Loaded(Reg),
}

struct Scan<'p> {
    program: &'p Program,
    points_to: PointsTo,
    parent: Vec<usize>,
    first: Vec<usize>,
    objects: usize,
    /// Behind the objects: what threads return, what unknown pointers point to, then what procedures return.
    result: usize,
    anything: usize,
    /// By node: kinds of the inputs that begin there; and those that can't be followed.
    inputs: Vec<(usize, IntKind)>,
    lost: Vec<usize>,
    /// By template: edges that declare an object whose cells get their values late.
    late: Vec<BTreeSet<usize>>,
    /// By template and edge.
    uses: Vec<Vec<Vec<Use<'p>>>>,
}

impl<'p> Scan<'p> {
    fn new(program: &'p Program) -> Scan<'p> {
        let mut first = Vec::new();
        let mut objects = 0;
        for t in &program.templates {
            first.push(objects);
            objects += t.registers.len() * t.graph.locations.len();
        }
        let result = objects + program.objects.len();
        let anything = result + 1;
        let uses = program.templates.iter().map(|t| t.graph.edges.iter().map(|_| Vec::new()).collect());
        let mut scan = Scan {
            program,
            points_to: PointsTo::new(program),
            parent: (0..=anything + program.templates.len()).collect(),
            first,
            objects,
            result,
            anything,
            inputs: Vec::new(),
            lost: Vec::new(),
            late: (program.templates.iter())
                .map(|t| super::late::declarations(t).iter().map(|d| d.0 as usize).collect())
                .collect(),
            uses: uses.collect(),
        };
        for (o, object) in program.objects.iter().enumerate() {
            for (k, (kind, _)) in object.cells.iter().enumerate() {
                if object.init.get(k).copied().flatten().is_none() {
                    scan.inputs.push((objects + o, *kind));
                }
            }
        }
        scan
    }

    /// A register at a location: registers are used again for other things.
    fn node(&self, t: usize, l: Loc, r: Reg) -> usize {
        self.first[t] + l.0 as usize * self.program.templates[t].registers.len() + r.0 as usize
    }
    /// A register before an edge.
    fn before(&self, t: usize, edge: usize, r: Reg) -> usize {
        self.node(t, self.program.templates[t].graph.edges[edge].from, r)
    }
    /// A register after an edge.
    fn after(&self, t: usize, edge: usize, r: Reg) -> usize {
        self.node(t, self.program.templates[t].graph.edges[edge].to, r)
    }

    /// Values that stay in their registers.
    fn keep(&mut self, t: usize) {
        let template = &self.program.templates[t];
        let live = live_registers(template);
        for (k, e) in template.graph.edges.iter().enumerate() {
            let written = written(&e.op);
            for r in live.get(e.to.0 as usize).into_iter().flatten().map(|r| Reg(*r)) {
                if written != Some(r) {
                    self.union(self.before(t, k, r), self.after(t, k, r));
                }
            }
        }
        if !template.procedures.is_empty() {
            // What calls keep, and where, is not followed: a register is the same everywhere.
            for l in 0..template.graph.locations.len() as u32 {
                for r in (0..template.registers.len() as u32).map(Reg) {
                    self.union(self.node(t, Loc(0), r), self.node(t, Loc(l), r));
                }
            }
        }
    }

    fn kind(&self, t: usize, r: Reg) -> IntKind {
        self.program.templates[t].registers.get(r.0 as usize).map_or(IntKind::Ideal, |x| x.kind)
    }

    fn find(&self, mut i: usize) -> usize {
        while self.parent[i] != i {
            i = self.parent[i];
        }
        i
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// The register whose value an expression is, unchanged.
    fn copied(&self, t: usize, e: &Expr) -> Option<Reg> {
        match e {
            Expr::Reg(r) => Some(*r),
            Expr::Cast(a, kind) => self.copied(t, a).filter(|r| fits(self.kind(t, *r), *kind)),
            _ => None,
        }
    }

    /// The register that is compared when an expression is, and through what.
    fn compared(&self, t: usize, e: &Expr) -> Option<(Reg, Option<Precision>)> {
        match e {
            Expr::Unary(UnOp::Float(FloatUnary::FromInt(p)), a, _) => {
                let r = self.copied(t, a)?;
                // Different numbers stay different.
                let bits = match p {
                    Precision::Single => 16,
                    Precision::Double => 32,
                };
                let small = matches!(self.kind(t, r), IntKind::Machine { bits: b, .. } if b <= bits);
                (small || self.kind(t, r) == IntKind::Bool).then_some((r, Some(*p)))
            }
            _ => self.copied(t, e).map(|r| (r, None)),
        }
    }

    /// A value goes to a node whose values have a kind.
    fn value(&mut self, t: usize, edge: usize, e: &'p Expr, to: usize, kind: IntKind) {
        match self.copied(t, e) {
            Some(r) if fits(self.kind(t, r), kind) => self.union(to, self.before(t, edge, r)),
            _ => self.walk(t, edge, e),
        }
    }

    /// An expression is evaluated.
    fn walk(&mut self, t: usize, edge: usize, e: &'p Expr) {
        match e {
            Expr::Reg(r) => self.uses[t][edge].push(Use::Computed(*r)),
            Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
            Expr::Not(a) | Expr::Cast(a, IntKind::Bool) => self.truth(t, edge, a),
            Expr::Compare(_, a, b) | Expr::Binary(BinOp::Float(FloatOp::Equal, _), a, b, _) => {
                self.comparison(t, edge, a, b)
            }
            Expr::Binary(BinOp::Float(FloatOp::Less | FloatOp::LessEqual, _), a, b, _) => {
                self.comparison(t, edge, a, b)
            }
            Expr::Unary(_, a, _) | Expr::Cast(a, _) => self.walk(t, edge, a),
            Expr::Binary(_, a, b, _) => {
                self.walk(t, edge, a);
                self.walk(t, edge, b);
            }
        }
    }

    /// Is the value 0?
    fn truth(&mut self, t: usize, edge: usize, e: &'p Expr) {
        const ZERO: &Expr = &Expr::Const(0);
        match self.copied(t, e) {
            Some(register) => {
                self.uses[t][edge].push(Use::Compared { register, with: ZERO, through: None });
            }
            None => self.walk(t, edge, e),
        }
    }

    fn comparison(&mut self, t: usize, edge: usize, a: &'p Expr, b: &'p Expr) {
        // Inputs may be on one side only: finishing sees to that.
        for (e, with) in [(a, b), (b, a)] {
            match self.compared(t, e) {
                Some((register, through)) => {
                    self.uses[t][edge].push(Use::Compared { register, with, through });
                }
                None => self.walk(t, edge, e),
            }
        }
    }

    /// The nodes of the cells at an address.
    fn memory(&mut self, t: usize, edge: usize, address: &'p Expr, kind: IntKind) -> Vec<usize> {
        self.walk(t, edge, address);
        let Targets::Objects(all) = self.points_to.targets(t as u32, address) else {
            self.lost.push(self.anything);
            for o in 0..self.program.objects.len() {
                self.union(self.anything, self.objects + o);
            }
            return vec![self.anything];
        };
        let all: BTreeSet<ObjId> = all.into_iter().map(|x| x.0).collect();
        let nodes = all.into_iter().map(|o| {
            let node = self.objects + o.0 as usize;
            if self.program.objects[o.0 as usize].cells.iter().any(|c| c.0 != kind) {
                self.lost.push(node);
            }
            node
        });
        nodes.collect()
    }

    fn op(&mut self, t: usize, edge: usize, op: &'p Op) {
        match op {
            Op::Skip | Op::Halt | Op::Return(None) => {}
            Op::Havoc { dst, .. } => {
                self.inputs.push((self.after(t, edge, *dst), self.kind(t, *dst)));
                // An object's declaration takes none when its cells wait for theirs.
                if !self.late[t].contains(&edge) {
                    self.uses[t][edge].push(Use::Taken(*dst));
                }
            }
            Op::Assign(r, e) => self.value(t, edge, e, self.after(t, edge, *r), self.kind(t, *r)),
            Op::Load(r, address, kind) => {
                for n in self.memory(t, edge, address, *kind) {
                    self.union(n, self.after(t, edge, *r));
                }
                self.uses[t][edge].push(Use::Loaded(*r));
                if self.kind(t, *r) != *kind {
                    self.lost.push(self.after(t, edge, *r));
                }
            }
            Op::Store(address, e, kind) => {
                for n in self.memory(t, edge, address, *kind) {
                    self.value(t, edge, e, n, *kind);
                }
            }
            Op::Assume(e) => self.truth(t, edge, e),
            Op::Create { arg, template, .. } => {
                let Some(e) = arg else { return };
                let to = template.and_then(|u| {
                    let p = self.program.templates.get(u as usize)?.param?;
                    let entry = self.program.templates[u as usize].entry;
                    Some((self.node(u as usize, entry, p), self.kind(u as usize, p)))
                });
                match to {
                    Some((to, kind)) => self.value(t, edge, e, to, kind),
                    None => self.walk(t, edge, e),
                }
            }
            Op::Join { handle, result } => {
                self.walk(t, edge, handle);
                if let Some(r) = result {
                    self.union(self.result, self.after(t, edge, *r));
                }
            }
            Op::ThreadExit(e) => self.value(t, edge, e, self.result, IntKind::Ideal),
            Op::Return(Some(e)) => {
                self.value(t, edge, e, self.anything + 1 + t, IntKind::Ideal);
            }
            Op::Call { dst, callee, args } => {
                let procedures = &self.program.templates[t].procedures;
                let called = procedures.iter().find(|p| *callee == Callee::Known(p.function));
                let params = called.map_or(&[][..], |p| &p.params);
                for (k, e) in args.iter().enumerate() {
                    match params.get(k) {
                        // Here all locations are one.
                        Some(r) => self.value(t, edge, e, self.before(t, edge, *r), self.kind(t, *r)),
                        None => self.walk(t, edge, e),
                    }
                }
                if let Some(r) = dst {
                    self.union(self.anything + 1 + t, self.after(t, edge, *r));
                }
            }
        }
    }

    fn finish(self) -> Observer {
        let mut ranges: BTreeMap<u32, Option<(i128, i128)>> = BTreeMap::new();
        for (node, kind) in &self.inputs {
            let own = IntKind::min(*kind).zip(IntKind::max(*kind));
            let class = ranges.entry(self.find(*node) as u32).or_insert(own);
            *class = class.zip(own).map(|((a, b), (c, d))| (a.min(c), b.max(d)));
        }
        // What threads and procedures return may be converted on the way.
        let returned = std::iter::once(self.result).chain((self.anything + 1)..self.parent.len());
        let lost: Vec<usize> = self.lost.iter().copied().chain(returned).map(|n| self.find(n)).collect();
        for n in lost {
            if let Some(range) = ranges.get_mut(&(n as u32)) {
                *range = None;
            }
        }
        let class = |n: usize| Some(self.find(n) as u32).filter(|c| ranges.contains_key(c));
        let objects = (0..self.program.objects.len()).map(|o| class(self.objects + o)).collect();
        let edges = |t: usize| 0..self.program.templates[t].graph.edges.len();
        let watches = (0..self.uses.len()).map(|t| {
            let of = |k: usize| {
                let here = |r: &Reg| class(self.before(t, k, *r));
                let loaded = |r: &Reg| class(self.after(t, k, *r));
                self.uses[t][k].iter().filter_map(|u| watch(u, &here, &loaded)).collect()
            };
            edges(t).map(of).collect()
        });
        let inputs = (0..self.uses.len()).map(|t| {
            let of = |k: usize| match &self.program.templates[t].graph.edges[k].op {
                Op::Havoc { dst, .. } => class(self.after(t, k, *dst)),
                _ => None,
            };
            edges(t).map(of).collect()
        });
        let (watches, inputs) = (watches.collect(), inputs.collect());
        Observer { inputs, objects, ranges, watches }
    }
}

/// What a use is to an input; `None` if no input gets there. Registers have classes before the edge and after it.
fn watch(
    u: &Use<'_>,
    before: &dyn Fn(&Reg) -> Option<u32>,
    after: &dyn Fn(&Reg) -> Option<u32>,
) -> Option<Watch> {
    match u {
        Use::Taken(r) => Some(Watch::Taken { class: after(r)? }),
        Use::Loaded(r) => after(r).map(|_| Watch::Loaded),
        Use::Computed(r) => Some(Watch::Used { class: before(r)?, register: *r }),
        Use::Compared { register, with, through } => {
            let class = before(register)?;
            let mut free = true;
            for_each_register(with, &mut |r| free &= before(&r).is_none());
            Some(if free {
                Watch::Compared { class, with: (*with).clone(), through: *through }
            } else {
                Watch::Used { class, register: *register }
            })
        }
    }
}

/// The register that an edge writes.
fn written(op: &Op) -> Option<Reg> {
    match op {
        Op::Assign(r, _) | Op::Load(r, ..) | Op::Havoc { dst: r, .. } | Op::Create { handle: r, .. } => {
            Some(*r)
        }
        Op::Call { dst, .. } => *dst,
        Op::Join { result, .. } => *result,
        Op::Skip | Op::Store(..) | Op::Assume(_) | Op::ThreadExit(_) | Op::Halt | Op::Return(_) => None,
    }
}

fn for_each_register(e: &Expr, f: &mut dyn FnMut(Reg)) {
    match e {
        Expr::Reg(r) => f(*r),
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => for_each_register(a, f),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            for_each_register(a, f);
            for_each_register(b, f);
        }
    }
}

/// Every value of `from` is a value of `to`.
fn fits(from: IntKind, to: IntKind) -> bool {
    let low = to.min().is_none_or(|b| from.min().is_some_and(|a| b <= a));
    low && to.max().is_none_or(|b| from.max().is_some_and(|a| a <= b))
}
