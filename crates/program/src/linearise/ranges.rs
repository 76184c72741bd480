//! What values registers (by location) and cells (at any time) may have: a fixpoint over all templates.

use super::arrays::{Array, Arrays};
use super::dead::live_registers;
use super::range::{Range, wrap};
use super::registers::Registers;
use relyant_cfa as cfa;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::sparse::Row;
use relyant_cfa::{CmpOp, Count, Expr, IntKind, LocationKind, Op, Reg, Residue, UnOp};
use std::collections::BTreeSet;

/// Visits of a location before its ranges are widened, and before that is to the kind's bounds.
const WIDEN: u32 = 6;
const GIVE_UP: u32 = 40;
/// Visits after which listed values that still grow become an interval.
const LISTING: u32 = 8;

/// What is known where an expression is evaluated.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The program that the expression is of.
    pub program: &'a cfa::Program,
    /// Template of the running thread.
    pub template: usize,
    /// Ranges of its registers.
    pub registers: &'a Registers,
    /// Which objects pointers point to.
    pub points_to: &'a PointsTo,
    /// What is kept of objects.
    pub arrays: &'a Arrays,
}

/// The fixpoint: ranges that hold in every run, of registers by location and of memory at any time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges {
    /// By template and location: its registers, `None` where it is never reached.
    pub at: Vec<Vec<Option<Registers>>>,
    /// By object and cell.
    pub cells: Vec<Vec<Range>>,
    /// By object and array: of all its cells.
    pub arrays: Vec<Vec<Range>>,
    /// Arguments given, by template.
    pub arguments: Vec<Range>,
    /// What the arguments have in common, by template; `None` where none is given.
    pub residues: Vec<Option<Residue>>,
    /// Values returned, by template.
    pub results: Vec<Range>,
    /// Values written to each register, by template.
    pub written: Vec<Vec<Range>>,
    /// Is a thread of the template ever made?
    pub started: Vec<bool>,
    /// Some store could not be resolved.
    pub unresolved: bool,
}

impl Env<'_> {
    /// Values of an expression; what is undefined is left out.
    pub fn range(&self, e: &Expr) -> Range {
        let p = self.program;
        match e {
            Expr::Const(c) => Range::one(*c),
            Expr::Reg(r) => self.registers.get(*r).clone(),
            Expr::Addr(o) => Range::one(p.bases[o.0 as usize]),
            Expr::Func(f) => p.function_bases.get(f.0 as usize).map_or(Range::all(), |a| Range::one(*a)),
            Expr::SelfId => self_range(p, self.template),
            Expr::Unary(op, a, kind) => self.wrapped(self.before_wrap_unary(*op, a, *kind), *kind),
            Expr::Binary(op, a, b, kind) => self.wrapped(self.range(a).binary(*op, &self.range(b)), *kind),
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                truth(a.may(*op, &b), a.may(negate(*op), &b))
            }
            Expr::Not(a) => {
                let (a, zero) = (self.range(a), Range::one(0));
                truth(a.may(CmpOp::Eq, &zero), a.may(CmpOp::Ne, &zero))
            }
            Expr::Cast(a, kind) => convert(&self.range(a), *kind),
        }
    }
    /// Values of a unary operator before they wrap.
    pub fn before_wrap_unary(&self, op: UnOp, a: &Expr, kind: IntKind) -> Range {
        if let UnOp::Float(op) = op {
            let a = self.range(a);
            let known =
                a.values().and_then(|v| v.iter().map(|c| op.apply(*c, kind)).collect::<Option<Vec<_>>>());
            return match known {
                Some(v) => v.into_iter().map(Range::one).fold(Range::none(), |a, b| a.join(&b)),
                None => Range::of_kind(kind),
            };
        }
        let r = self.range(a).neg();
        match op {
            UnOp::Neg | UnOp::Float(_) => r,
            UnOp::BitNot => match kind {
                IntKind::Machine { signed: false, .. } => r.add(&Range::one(kind.max().unwrap_or(0))),
                _ => r.sub(&Range::one(1)),
            },
        }
    }
    /// Does arithmetic in this kind wrap (else results outside of it end the run)?
    pub fn wraps(&self, kind: IntKind) -> bool {
        self.program.signed_wraps || !matches!(kind, IntKind::Machine { signed: true, .. })
    }
    fn wrapped(&self, r: Range, kind: IntKind) -> Range {
        if self.wraps(kind) { convert(&r, kind) } else { r.clip(kind.min(), kind.max()) }
    }
    /// Ranges of the registers where an expression is not 0 (or is); `None` if it never is.
    pub fn refined(&self, e: &Expr, want: bool) -> Option<Registers> {
        let r = self.range(e);
        if r.is_none() || (want && r == Range::one(0)) || (!want && !r.contains(0)) {
            return None;
        }
        let mut out = self.registers.clone();
        let mut set = |e: &Expr, op: CmpOp, other: &Range| match e {
            Expr::Reg(x) => {
                let refined = out.get(*x).refine(op, other);
                let possible = !refined.is_none();
                out.set(*x, refined);
                possible
            }
            _ => true,
        };
        let ok = match e {
            Expr::Not(a) => return self.refined(a, !want),
            Expr::Compare(CmpOp::Ne, a, b) if **b == Expr::Const(0) && !matches!(**a, Expr::Reg(_)) => {
                return self.refined(a, want);
            }
            Expr::Compare(CmpOp::Eq, a, b) if **b == Expr::Const(0) && !matches!(**a, Expr::Reg(_)) => {
                return self.refined(a, !want);
            }
            Expr::Compare(op, a, b) => {
                let op = if want { *op } else { negate(*op) };
                let (x, y) = (self.range(a), self.range(b));
                set(a, op, &y) && set(b, mirror(op), &x)
            }
            e => set(e, if want { CmpOp::Ne } else { CmpOp::Eq }, &Range::one(0)),
        };
        ok.then_some(out)
    }
}

fn self_range(p: &cfa::Program, t: usize) -> Range {
    match p.templates[t].count {
        Count::AtMost(1) => Range::one(t as i128 + 1),
        _ => Range::Between(Some(p.templates.len() as i128 + 1), Some(super::variables::LAST_HANDLE)),
    }
}

fn truth(yes: bool, no: bool) -> Range {
    match (yes, no) {
        (true, true) => Range::Listed(vec![0, 1]),
        (true, false) => Range::one(1),
        (false, true) => Range::one(0),
        _ => Range::none(),
    }
}

/// The comparison that holds where `op` does not.
pub fn negate(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
    }
}

/// The comparison with its sides exchanged.
fn mirror(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        op => op,
    }
}

/// Values after conversion to a kind.
pub fn convert(r: &Range, kind: IntKind) -> Range {
    if r.fits(kind) {
        return r.clone();
    }
    if kind == IntKind::Bool {
        return truth(r.may(CmpOp::Ne, &Range::one(0)), r.contains(0));
    }
    match r.values() {
        Some(v) => v.iter().map(|c| Range::one(wrap(kind, *c))).fold(Range::none(), |a, b| a.join(&b)),
        None => {
            // An interval that does not cross a multiple of the modulus stays one.
            let shifted = r.lo().zip(r.hi()).map(|(a, b)| (wrap(kind, a), wrap(kind, b), b.checked_sub(a)));
            match shifted {
                Some((a, b, n)) if n.is_some() && b.checked_sub(a) == n => Range::between(Some(a), Some(b)),
                _ => Range::of_kind(kind),
            }
        }
    }
}

struct Analysis<'a> {
    p: &'a cfa::Program,
    out: Ranges,
    points_to: &'a PointsTo,
    arrays: &'a Arrays,
    /// `live[template][location]`: registers that may yet be read; others are not tracked there.
    live: Vec<Vec<Row>>,
    thresholds: BTreeSet<i128>,
    round: u32,
    changed: bool,
}

/// The ranges of a program.
pub fn ranges(p: &cfa::Program, points_to: &PointsTo, arrays: &Arrays) -> Ranges {
    let start = |o: &cfa::Object, k: usize| {
        let given = o.init.get(k).copied().flatten().map(Range::one);
        given.unwrap_or(Range::of_kind(o.cells[k].0))
    };
    let cells = p.objects.iter().map(|o| (0..o.cells.len()).map(|k| start(o, k)).collect());
    let of_arrays = p.objects.iter().enumerate().map(|(i, o)| {
        let all = |a: &Array| a.cells().fold(Range::none(), |r, k| r.join(&start(o, k)));
        arrays.of(i).iter().map(all).collect()
    });
    let n = p.templates.len();
    let out = Ranges {
        at: p.templates.iter().map(|t| vec![None; t.graph.locations.len()]).collect(),
        cells: cells.collect(),
        arrays: of_arrays.collect(),
        arguments: vec![Range::none(); n],
        residues: vec![None; n],
        results: vec![Range::none(); n],
        written: p.templates.iter().map(|t| vec![Range::none(); t.registers.len()]).collect(),
        started: p.templates.iter().map(|t| t.initial).collect(),
        unresolved: false,
    };
    let live = p.templates.iter().map(live_registers).collect();
    let mut a =
        Analysis { p, points_to, arrays, live, out, thresholds: thresholds(p), round: 0, changed: true };
    while a.changed {
        a.changed = false;
        let before = arrays.used();
        for t in 0..n {
            if a.out.started[t] {
                a.template(t);
            }
        }
        a.changed |= arrays.used() > before;
        a.round += 1;
    }
    a.out
}

/// Position of each location in an order where, loops apart, a location comes after those before it.
fn order(t: &cfa::Template, out_edges: &[Vec<usize>]) -> Vec<usize> {
    let n = out_edges.len();
    let mut order = vec![usize::MAX; n];
    let mut seen = vec![false; n];
    let mut last = n;
    let entry = t.entry.0 as usize;
    for root in std::iter::once(entry).chain(0..n) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((l, k)) = stack.pop() {
            match out_edges[l].get(k) {
                Some(e) => {
                    stack.push((l, k + 1));
                    let to = t.graph.edges[*e].to.0 as usize;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    last -= 1;
                    order[l] = last;
                }
            }
        }
    }
    order
}

/// Constants of the program and their neighbours: where widening stops.
fn thresholds(p: &cfa::Program) -> BTreeSet<i128> {
    fn visit(e: &Expr, out: &mut BTreeSet<i128>) {
        match e {
            Expr::Const(c) => out.extend([c.saturating_sub(1), *c, c.saturating_add(1)]),
            Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => visit(a, out),
            Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
                visit(a, out);
                visit(b, out);
            }
            _ => {}
        }
    }
    let mut out = BTreeSet::new();
    for e in p.templates.iter().flat_map(|t| &t.graph.edges) {
        match &e.op {
            Op::Assign(_, a) | Op::Load(_, a, _) | Op::Assume(a) | Op::ThreadExit(a) => visit(a, &mut out),
            Op::Store(a, b, _) => {
                visit(a, &mut out);
                visit(b, &mut out);
            }
            _ => {}
        }
    }
    out
}

impl Analysis<'_> {
    /// Old and new together; after some rounds with bounds that moved pushed on to a threshold.
    fn widen(&self, old: &Range, new: &Range, visits: u32, kind: Option<IntKind>) -> Range {
        let joined = old.join(new);
        if joined == *old || visits < WIDEN || old.is_none() {
            return joined;
        }
        if joined.values().is_some() && visits < LISTING {
            return joined;
        }
        let (min, max) = (kind.and_then(IntKind::min), kind.and_then(IntKind::max));
        let far = visits >= GIVE_UP;
        let lo = match (old.lo(), joined.lo()) {
            (a, b) if a == b => a,
            (_, Some(b)) if !far => self.thresholds.range(..=b).next_back().copied().or(min),
            _ => min,
        };
        let hi = match (old.hi(), joined.hi()) {
            (a, b) if a == b => a,
            (_, Some(b)) if !far => self.thresholds.range(b..).next().copied().or(max),
            _ => max,
        };
        joined.join(&Range::Between(lo.or(min), hi.or(max))).clip(min, max)
    }
    fn write_cell(&mut self, o: usize, k: usize, r: &Range) {
        let kind = self.p.objects[o].cells[k].0;
        let r = self.widen(&self.out.cells[o][k], &convert(r, kind), self.round, Some(kind));
        if r != self.out.cells[o][k] {
            self.out.cells[o][k] = r;
            self.changed = true;
        }
    }
    fn write_array(&mut self, o: usize, a: usize, r: &Range) {
        let kind = self.arrays.of(o)[a].kind;
        let r = self.widen(&self.out.arrays[o][a], &convert(r, kind), self.round, Some(kind));
        if r != self.out.arrays[o][a] {
            self.out.arrays[o][a] = r;
            self.changed = true;
        }
    }
    fn returns(&mut self, t: usize, v: &Range) {
        let v = self.widen(&self.out.results[t], v, self.round, None);
        if v != self.out.results[t] {
            self.out.results[t] = v;
            self.changed = true;
        }
    }
    fn template(&mut self, t: usize) {
        let template = &self.p.templates[t];
        let out_edges = template.graph.out_edges();
        let mut visits = vec![0u32; out_edges.len()];
        let mut entry: Registers = template.registers.iter().map(|r| Range::of_kind(r.kind)).collect();
        if let Some(param) = template.param {
            entry.set(param, self.out.arguments[t].clone());
            entry.set_residue(param, self.out.residues[t].unwrap_or(Residue::ANY));
            self.out.written[t][param.0 as usize] = self.out.arguments[t].clone();
        }
        // Every round starts anew: cells have grown, but what registers got from them is recomputed.
        let mut at: Vec<Option<Registers>> = vec![None; out_edges.len()];
        at[template.entry.0 as usize] = Some(entry);
        let order = order(template, &out_edges);
        let mut by_order = vec![0; order.len()];
        for (l, k) in order.iter().enumerate() {
            by_order[*k] = l;
        }
        let mut work = BTreeSet::from([order[template.entry.0 as usize]]);
        while let Some(k) = work.pop_first() {
            let l = by_order[k];
            let Some(registers) = at[l].clone() else { continue };
            for i in &out_edges[l] {
                let edge = &template.graph.edges[*i];
                let Some(mut next) = self.step(t, edge, &registers) else { continue };
                next.keep(&self.live[t][edge.to.0 as usize]);
                let ends = template.graph.locations[edge.to.0 as usize].kind == LocationKind::End;
                if ends && !matches!(edge.op, Op::ThreadExit(_) | Op::Halt) {
                    self.returns(t, &Range::one(0));
                }
                let to = edge.to.0 as usize;
                let changed = match &mut at[to] {
                    None => {
                        at[to] = Some(next);
                        true
                    }
                    Some(old) => old.join(&next, |r, old, new| {
                        let kind = Some(template.registers[r.0 as usize].kind);
                        self.widen(old, new, visits[to], kind)
                    }),
                };
                if changed {
                    visits[to] += 1;
                    work.insert(order[to]);
                }
            }
        }
        self.out.at[t] = at;
    }
    /// Registers after an edge; `None` if it cannot be passed.
    fn step(&mut self, t: usize, edge: &cfa::Edge, registers: &Registers) -> Option<Registers> {
        let env =
            Env { program: self.p, template: t, registers, points_to: self.points_to, arrays: self.arrays };
        let mut next = registers.clone();
        let mut set = |this: &mut Self, r: Reg, v: Range| {
            let kind = this.p.templates[t].registers[r.0 as usize].kind;
            let v = v.clip(kind.min(), kind.max());
            // What nobody reads is not written.
            if this.live[t][edge.to.0 as usize].has(r.0) {
                let w = &mut this.out.written[t][r.0 as usize];
                *w = w.join(&v);
            }
            let possible = !v.is_none();
            next.set(r, v);
            next.set_residue(r, Residue::ANY);
            possible
        };
        let kind_of = |r: Reg| self.p.templates[t].registers[r.0 as usize].kind;
        let possible = match &edge.op {
            Op::Skip | Op::Halt | Op::Return(_) | Op::Call { .. } => true,
            Op::Assign(r, e) => {
                let (v, residue) = (env.range(e), env.residue(e));
                let possible = set(self, *r, v);
                next.set_residue(*r, residue);
                possible
            }
            Op::Havoc { dst, .. } => set(self, *dst, Range::of_kind(kind_of(*dst))),
            Op::Load(r, address, kind) => {
                let v = match env.cells(address) {
                    None => Range::of_kind(*kind),
                    Some(places) if places.untracked.is_some() => Range::of_kind(*kind),
                    Some(places) => {
                        let cells = places.cells.iter().map(|(o, k)| &self.out.cells[o.0 as usize][*k]);
                        let arrays = places.arrays.iter().map(|(o, a)| &self.out.arrays[o.0 as usize][*a]);
                        convert(&cells.chain(arrays).fold(Range::none(), |a, b| a.join(b)), *kind)
                    }
                };
                set(self, *r, v)
            }
            Op::Store(address, e, _) => {
                let (cells, v) = (env.cells(address), env.range(e));
                match cells {
                    Some(places) => {
                        for (o, k) in places.cells {
                            self.write_cell(o.0 as usize, k, &v);
                        }
                        for (o, a) in places.arrays {
                            self.write_array(o.0 as usize, a, &v);
                        }
                    }
                    None => self.out.unresolved = true,
                }
                !v.is_none()
            }
            Op::Assume(e) => return env.refined(e, true),
            Op::Create { handle, arg, template, .. } => {
                if let Some(u) = template.map(|u| u as usize).filter(|u| *u < self.p.templates.len()) {
                    let v = arg.as_ref().map_or(Range::one(0), |a| env.range(a));
                    let v = self.widen(&self.out.arguments[u], &v, self.round, None);
                    let residue = arg.as_ref().map_or(Residue::one(0), |a| env.residue(a));
                    let residue = Some(self.out.residues[u].map_or(residue, |r| r.join(residue)));
                    if v != self.out.arguments[u] || residue != self.out.residues[u] || !self.out.started[u] {
                        self.out.arguments[u] = v;
                        self.out.residues[u] = residue;
                        self.out.started[u] = true;
                        self.changed = true;
                    }
                    let mut v = self_range(self.p, u);
                    if self.p.max_threads.is_some() {
                        v = v.join(&Range::one(0));
                    }
                    set(self, *handle, v)
                } else {
                    set(self, *handle, Range::all())
                }
            }
            Op::Join { result, .. } => match result {
                Some(r) => {
                    let v = self.out.results.iter().fold(Range::none(), |a, b| a.join(b));
                    set(self, *r, v)
                }
                None => true,
            },
            Op::ThreadExit(e) => {
                let v = env.range(e);
                self.returns(t, &v);
                !v.is_none()
            }
        };
        possible.then_some(next)
    }
}
