//! Between what bounds registers and cells stay: intervals, by location for registers, one for each cell.
//!
//! Cousot and Cousot, "Static determination of dynamic properties of programs" (1976), with the program's constants as
//! thresholds of widening. Procedures are taken for all their calls together.

use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, Loc, ObjId, Op, Program, Reg, UnOp};
use relyant_interp::candidates::Candidates;
use relyant_interp::eval;
use std::collections::BTreeSet;

/// Larger numbers are not told apart.
pub(super) const HUGE: i128 = 1 << 100;

/// The numbers from `lo` to `hi`, both included; beyond [`HUGE`] they are not told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Range {
    pub(super) fn of(lo: i128, hi: i128) -> Range {
        Range { lo: lo.clamp(-HUGE, HUGE), hi: hi.clamp(-HUGE, HUGE) }
    }
    pub(super) fn one(v: i128) -> Range {
        Range::of(v, v)
    }
    pub(super) fn kind(kind: IntKind) -> Range {
        Range::of(kind.min().unwrap_or(-HUGE), kind.max().unwrap_or(HUGE))
    }
    pub(super) fn constant(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }
    pub(super) fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
    fn meet(self, other: Range) -> Option<Range> {
        let r = Range { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        (r.lo <= r.hi).then_some(r)
    }
    fn join(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// Registers at a location; `None` where it is not reached.
type Env = Option<Vec<Range>>;

/// Bounds of a program.
pub(super) struct Ranges {
    at: Vec<Vec<Env>>,
    cells: Vec<Vec<Option<Range>>>,
}

impl Ranges {
    /// Works out the bounds of a program.
    pub(super) fn new(program: &Program, inputs: &Candidates) -> Ranges {
        let at = program.templates.iter().map(|t| vec![None; t.graph.locations.len()]).collect();
        let cell = |(k, init): (&(IntKind, String), &Option<i128>)| {
            init.map_or_else(|| Some(Range::kind(k.0)), |v| Some(Range::one(v)))
        };
        let cells = program.objects.iter().map(|o| o.cells.iter().zip(&o.init).map(cell).collect()).collect();
        let mut thresholds = BTreeSet::from([-1, 0, 1]);
        for e in program.templates.iter().flat_map(|t| &t.graph.edges) {
            relyant_interp::live::for_each_expr(&e.op, &mut |x| constants(x, &mut thresholds));
        }
        let mut solver = Solver {
            program,
            inputs,
            ranges: Ranges { at, cells },
            returned: program.templates.iter().map(|t| vec![None; t.procedures.len()]).collect(),
            results: None,
            procedures: program.templates.iter().map(procedures).collect(),
            updates: program.templates.iter().map(|t| vec![0; t.graph.locations.len()]).collect(),
            cell_updates: 0,
            thresholds,
            changed: false,
        };
        solver.solve();
        solver.ranges
    }

    /// A register at a location; all of its kind where the location is not reached.
    pub(super) fn register(&self, program: &Program, t: usize, at: Loc, r: Reg) -> Range {
        match &self.at[t][at.0 as usize] {
            Some(env) => env[r.0 as usize],
            None => Range::kind(program.templates[t].registers[r.0 as usize].kind),
        }
    }
    pub(super) fn reached(&self, t: usize, at: Loc) -> bool {
        self.at[t][at.0 as usize].is_some()
    }
    pub(super) fn cell(&self, o: ObjId, k: usize) -> Range {
        self.cells[o.0 as usize][k].unwrap_or(Range::one(0))
    }
    /// An expression at a location.
    pub(super) fn expr(&self, program: &Program, t: usize, at: Loc, e: &Expr) -> Option<Range> {
        self.at[t][at.0 as usize].as_ref().map(|env| value(program, env, e))
    }
}

struct Solver<'p> {
    program: &'p Program,
    inputs: &'p Candidates,
    ranges: Ranges,
    returned: Vec<Vec<Option<Range>>>,
    results: Option<Range>,
    procedures: Vec<Vec<Option<usize>>>,
    updates: Vec<Vec<u32>>,
    cell_updates: u32,
    thresholds: BTreeSet<i128>,
    changed: bool,
}

impl Solver<'_> {
    fn solve(&mut self) {
        for (i, t) in self.program.templates.iter().enumerate() {
            if t.initial {
                self.flow(i, t.entry, vec![Range::one(0); t.registers.len()]);
            }
        }
        self.changed = true;
        while self.changed {
            self.changed = false;
            self.cell_updates += 1;
            for (i, t) in self.program.templates.iter().enumerate() {
                for e in &t.graph.edges {
                    if let Some(env) = self.ranges.at[i][e.from.0 as usize].clone() {
                        self.edge(i, e, env);
                    }
                }
            }
        }
    }

    fn edge(&mut self, t: usize, e: &relyant_cfa::Edge, mut env: Vec<Range>) {
        let template = &self.program.templates[t];
        let kind = |r: Reg| Range::kind(template.registers[r.0 as usize].kind);
        match &e.op {
            Op::Skip => {}
            Op::Assign(r, x) => env[r.0 as usize] = value(self.program, &env, x),
            Op::Havoc { dst, .. } => {
                let (values, all) =
                    self.inputs.inputs(t as u32, *dst, template.registers[dst.0 as usize].kind);
                // only these are tried
                let ends = values.iter().min().zip(values.iter().max()).filter(|_| all);
                env[dst.0 as usize] = ends.map_or(kind(*dst), |(a, b)| Range::of(*a, *b));
            }
            Op::Load(r, address, _) => {
                let found = self.cells_at(&env, address);
                let loaded =
                    found.iter().filter_map(|(o, k)| self.ranges.cells[o.0 as usize][*k]).reduce(Range::join);
                let Some(loaded) = loaded else { return };
                let all = kind(*r);
                env[r.0 as usize] = if loaded.within(all) { loaded } else { all };
            }
            Op::Store(address, x, _) => {
                let new = value(self.program, &env, x);
                for (o, k) in self.cells_at(&env, address) {
                    let all = Range::kind(self.program.objects[o.0 as usize].cells[k].0);
                    let new = if new.within(all) { new } else { all };
                    let old = self.ranges.cells[o.0 as usize][k];
                    let joined = self.widen(old, new, self.cell_updates > 3, all);
                    self.changed |= old != Some(joined);
                    self.ranges.cells[o.0 as usize][k] = Some(joined);
                }
            }
            Op::Assume(x) => match refine(self.program, env, x, true) {
                Some(refined) => env = refined,
                None => return,
            },
            Op::Call { dst, callee, args } => {
                let Some(k) =
                    template.procedure(callee).and_then(|p| template.procedures.iter().position(|q| q == p))
                else {
                    return;
                };
                let p = &template.procedures[k];
                let mut inner = vec![Range::one(0); env.len()];
                for (r, a) in p.params.iter().zip(args) {
                    inner[r.0 as usize] = value(self.program, &env, a);
                }
                self.flow(t, p.entry, inner);
                if let Some(r) = dst {
                    let Some(returned) = self.returned[t][k] else { return };
                    env[r.0 as usize] = returned;
                } else if self.returned[t][k].is_none() {
                    return;
                }
            }
            Op::Return(x) => {
                let Some(k) = self.procedures[t][e.from.0 as usize] else { return };
                let new = x.as_ref().map_or(Range::one(0), |x| value(self.program, &env, x));
                let old = self.returned[t][k];
                let joined = self.widen(old, new, self.cell_updates > 3, Range::of(-HUGE, HUGE));
                self.changed |= old != Some(joined);
                self.returned[t][k] = Some(joined);
                return;
            }
            Op::Create { handle, arg, template: other, .. } => {
                let other = other.unwrap_or(0) as usize;
                let created = &self.program.templates[other];
                let mut inner = vec![Range::one(0); created.registers.len()];
                if let (Some(p), Some(a)) = (created.param, arg) {
                    inner[p.0 as usize] = value(self.program, &env, a);
                }
                self.flow(other, created.entry, inner);
                env[handle.0 as usize] = Range::of(1, HUGE).meet(kind(*handle)).unwrap_or(kind(*handle));
            }
            Op::Join { result, .. } => {
                let Some(new) = self.results else { return };
                if let Some(r) = result {
                    env[r.0 as usize] = if new.within(kind(*r)) { new } else { kind(*r) };
                }
            }
            Op::ThreadExit(x) => {
                let new = value(self.program, &env, x);
                let joined = self.widen(self.results, new, self.cell_updates > 3, Range::of(-HUGE, HUGE));
                self.changed |= self.results != Some(joined);
                self.results = Some(joined);
            }
            Op::Halt => return,
        }
        self.flow(t, e.to, env);
    }

    fn flow(&mut self, t: usize, to: Loc, new: Vec<Range>) {
        let i = to.0 as usize;
        let updates = self.updates[t][i];
        let registers = &self.program.templates[t].registers;
        let joined: Vec<Range> = match &self.ranges.at[t][i] {
            None => new,
            Some(old) => old
                .iter()
                .zip(new)
                .zip(registers)
                .map(|((a, b), r)| self.widen(Some(*a), b, updates > 3, Range::kind(r.kind)))
                .collect(),
        };
        if self.ranges.at[t][i].as_ref() != Some(&joined) {
            self.ranges.at[t][i] = Some(joined);
            self.updates[t][i] += 1;
            self.changed = true;
        }
    }

    fn widen(&self, old: Option<Range>, new: Range, widen: bool, all: Range) -> Range {
        let Some(old) = old else { return new };
        let mut joined = old.join(new);
        if widen && joined.hi > old.hi {
            let next = self.thresholds.range(joined.hi..).next().copied();
            joined.hi = next.unwrap_or(HUGE).min(all.hi.max(joined.hi));
        }
        if widen && joined.lo < old.lo {
            let next = self.thresholds.range(..=joined.lo).next_back().copied();
            joined.lo = next.unwrap_or(-HUGE).max(all.lo.min(joined.lo));
        }
        joined
    }

    fn cells_at(&self, env: &[Range], address: &Expr) -> Vec<(ObjId, usize)> {
        cells_in(self.program, value(self.program, env, address), base(address))
    }
}

/// The object an address is computed from, if it is one.
pub(super) fn base(e: &Expr) -> Option<ObjId> {
    match e {
        Expr::Addr(o) => Some(*o),
        Expr::Binary(BinOp::Add, a, b, _) => base(a).xor(base(b)),
        Expr::Cast(a, _) => base(a),
        _ => None,
    }
}

/// The cells with an address in a range, of one object where that is known.
pub(super) fn cells_in(program: &Program, r: Range, object: Option<ObjId>) -> Vec<(ObjId, usize)> {
    let mut found = Vec::new();
    for (i, o) in program.objects.iter().enumerate() {
        if object.is_some_and(|o| o.0 as usize != i) {
            continue;
        }
        let b = program.bases[i];
        let cells = (0..o.cells.len()).filter(|k| r.lo <= b + *k as i128 && b + *k as i128 <= r.hi);
        found.extend(cells.map(|k| (ObjId(i as u32), k)));
    }
    found
}

fn constants(e: &Expr, out: &mut BTreeSet<i128>) {
    match e {
        Expr::Const(c) => out.extend([c - 1, *c, c + 1]),
        Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => constants(a, out),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            constants(a, out);
            constants(b, out);
        }
    }
}

/// Does a comparison hold for all values, for none, or is it open?
pub(super) fn decide(op: CmpOp, a: Range, b: Range) -> Option<bool> {
    let (yes, no) = match op {
        CmpOp::Lt => (a.hi < b.lo, a.lo >= b.hi),
        CmpOp::Le => (a.hi <= b.lo, a.lo > b.hi),
        CmpOp::Gt => (a.lo > b.hi, a.hi <= b.lo),
        CmpOp::Ge => (a.lo >= b.hi, a.hi < b.lo),
        CmpOp::Eq => (a.lo == a.hi && a == b, a.hi < b.lo || b.hi < a.lo),
        CmpOp::Ne => (a.hi < b.lo || b.hi < a.lo, a.lo == a.hi && a == b),
    };
    if yes { Some(true) } else { no.then_some(false) }
}

fn value(program: &Program, env: &[Range], e: &Expr) -> Range {
    let eval = |e: &Expr| value(program, env, e);
    let fit = |r: Range, kind: IntKind| {
        let all = Range::kind(kind);
        let signed = !matches!(kind, IntKind::Machine { signed: false, .. });
        match r.meet(all) {
            _ if r.within(all) => r,
            // what overflows is undefined
            Some(m) if signed && !program.signed_wraps => m,
            _ => all,
        }
    };
    match e {
        Expr::Const(c) => Range::one(*c),
        Expr::Reg(r) => env[r.0 as usize],
        Expr::Addr(o) => Range::one(program.bases[o.0 as usize]),
        Expr::Func(f) => Range::one(program.function_bases[f.0 as usize]),
        Expr::SelfId => Range::of(1, HUGE),
        Expr::Unary(UnOp::Neg, a, k) => {
            let a = eval(a);
            fit(Range::of(-a.hi, -a.lo), *k)
        }
        Expr::Unary(UnOp::BitNot, a, k) => {
            let a = eval(a);
            fit(Range::of(-a.hi - 1, -a.lo - 1), *k)
        }
        Expr::Unary(UnOp::Float(_), _, k) => Range::kind(*k),
        Expr::Binary(op, a, b, k) => {
            let (a, b) = (eval(a), eval(b));
            match op {
                BinOp::Add => fit(Range::of(a.lo + b.lo, a.hi + b.hi), *k),
                BinOp::Sub => fit(Range::of(a.lo - b.hi, a.hi - b.lo), *k),
                BinOp::Mul => {
                    let corners = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)]
                        .map(|(x, y)| x.saturating_mul(y));
                    let (lo, hi) = (corners.iter().min(), corners.iter().max());
                    let (lo, hi) = (lo.copied().unwrap_or(-HUGE), hi.copied().unwrap_or(HUGE));
                    fit(Range::of(lo, hi), *k)
                }
                BinOp::Rem if a.lo >= 0 && b.lo > 0 => Range::of(0, a.hi.min(b.hi - 1)),
                BinOp::Div if a.lo >= 0 && b.lo > 0 => Range::of(0, a.hi),
                BinOp::And if a.lo >= 0 && b.lo >= 0 => Range::of(0, a.hi.min(b.hi)),
                _ => Range::kind(*k),
            }
        }
        Expr::Compare(op, a, b) => {
            decide(*op, eval(a), eval(b)).map_or(Range::of(0, 1), |v| Range::one(i128::from(v)))
        }
        Expr::Not(a) => {
            decide(CmpOp::Eq, eval(a), Range::one(0)).map_or(Range::of(0, 1), |v| Range::one(i128::from(v)))
        }
        Expr::Cast(a, k) => {
            let a = eval(a);
            match a.constant() {
                Some(c) => Range::one(eval::cast(c, *k)),
                None if a.within(Range::kind(*k)) => a,
                None => Range::kind(*k),
            }
        }
    }
}

fn refine(program: &Program, env: Vec<Range>, e: &Expr, truth: bool) -> Env {
    match e {
        Expr::Not(a) => refine(program, env, a, !truth),
        Expr::Compare(op, a, b) => {
            let op = if truth { *op } else { negated(*op) };
            let (ra, rb) = (value(program, &env, a), value(program, &env, b));
            if decide(op, ra, rb) == Some(false) {
                return None;
            }
            if let (Expr::Compare(..) | Expr::Not(_), Some(0), CmpOp::Eq | CmpOp::Ne) =
                (&**a, rb.constant(), op)
            {
                return refine(program, env, a, op == CmpOp::Ne);
            }
            let env = narrow(env, a, op, rb)?;
            narrow(env, b, mirrored(op), ra)
        }
        other => narrow(env, other, if truth { CmpOp::Ne } else { CmpOp::Eq }, Range::one(0)),
    }
}

/// What is known of a register when the comparison with something in the range holds.
fn narrow(mut env: Vec<Range>, e: &Expr, op: CmpOp, with: Range) -> Env {
    let r = match e {
        Expr::Reg(r) => *r,
        Expr::Cast(a, k) => match &**a {
            Expr::Reg(r) if env[r.0 as usize].within(Range::kind(*k)) => *r,
            _ => return Some(env),
        },
        _ => return Some(env),
    };
    let mut now = env[r.0 as usize];
    match op {
        CmpOp::Lt => now.hi = now.hi.min(with.hi - 1),
        CmpOp::Le => now.hi = now.hi.min(with.hi),
        CmpOp::Gt => now.lo = now.lo.max(with.lo + 1),
        CmpOp::Ge => now.lo = now.lo.max(with.lo),
        CmpOp::Eq => now = now.meet(with)?,
        CmpOp::Ne => {
            if let Some(c) = with.constant() {
                now.lo += i128::from(now.lo == c);
                now.hi -= i128::from(now.hi == c);
            }
        }
    }
    env[r.0 as usize] = now;
    (now.lo <= now.hi).then_some(env)
}

/// The procedure that each location belongs to; `None` for the template's own and for those that are not reached.
pub(super) fn procedures(template: &relyant_cfa::Template) -> Vec<Option<usize>> {
    let out = template.graph.out_edges();
    let mut of = vec![None; template.graph.locations.len()];
    for (k, p) in template.procedures.iter().enumerate() {
        let mut todo = vec![p.entry];
        while let Some(l) = todo.pop() {
            if of[l.0 as usize].replace(k).is_none() {
                todo.extend(out[l.0 as usize].iter().map(|e| template.graph.edges[*e].to));
            }
        }
    }
    of
}

pub(super) fn negated(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
    }
}

pub(super) fn mirrored(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::Eq | CmpOp::Ne => op,
    }
}
