//! From a place where a thread rests to the next ones: paths with at most one step that others see (or one atomic
//! section), run symbolically, a case each.

use super::model::{Model, Place, refuse};
use super::ranges::{Range, negated};
use super::value::{Known, Need, Val};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::{CmpOp, Edge, Expr, InputSource, IntKind, Loc, LocationKind, Op, Reg};
use std::collections::BTreeMap;

/// More cases of one location are refused.
const MAX_CASES: usize = 4000;

/// Who has a lock, as a thread sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    Open,
    Nobody,
    Me,
    Another,
}

/// A thread that a path creates.
#[derive(Clone, Debug)]
pub(super) struct Created {
    pub(super) template: usize,
    pub(super) arg: Val,
    pub(super) id: Option<Val>,
}

/// A path so far.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) known: Known,
    pub(super) from: Loc,
    pub(super) loc: Loc,
    /// Registers at the start, with their variables.
    pub(super) start: Vec<(u32, Val)>,
    pub(super) regs: BTreeMap<u32, Val>,
    /// The call that the path returned from, and the variables of what it had kept.
    pub(super) popped: Option<(usize, Vec<Val>)>,
    /// The call that the path made, and what it keeps.
    pub(super) pushed: Option<(usize, Vec<Val>)>,
    pub(super) shared: Vec<Val>,
    pub(super) shared_start: Vec<Val>,
    pub(super) own: Vec<Val>,
    pub(super) own_start: Vec<Val>,
    pub(super) locks: Vec<Holder>,
    pub(super) locks_start: Vec<Holder>,
    pub(super) id: Option<Val>,
    pub(super) count: Option<Val>,
    pub(super) count_start: Option<Val>,
    pub(super) created: Vec<Created>,
    /// Ended threads that it waited for: template, handle, result.
    pub(super) joined: Vec<(usize, Val, Val)>,
    pub(super) ended: Option<Val>,
    pub(super) halted: bool,
    /// Others can see something of it.
    pub(super) seen: bool,
    /// How many steps of the automaton it has.
    pub(super) length: usize,
}

/// How a way ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// The thread rests or has ended.
    Done,
    /// It cannot go on.
    Waits,
    /// It cannot go on, and the program assumes that this does not happen.
    Assumed,
}

pub(super) struct Explorer<'m, 'p> {
    pub(super) model: &'m Model<'p>,
    pub(super) t: usize,
    /// Ways end at the first location where others may move.
    pub(super) first_step: bool,
    /// Ways that end without rest are given, too.
    pub(super) all_ends: bool,
}

impl Explorer<'_, '_> {
    /// A path that begins here.
    pub(super) fn begin(&self, at: Loc) -> Path {
        let m = self.model;
        let mut known = Known::default();
        let name = |c: &super::model::Cell| {
            let o = &m.program.objects[c.object.0 as usize];
            (format!("{}{}", o.name, o.cells[c.index].1), m.ranges.cell(c.object, c.index))
        };
        let mut cell = |c| {
            let (n, r) = name(c);
            known.var(n, r)
        };
        let shared: Vec<Val> = m.shared.iter().map(&mut cell).collect();
        let own: Vec<Val> = m.own[self.t].iter().map(&mut cell).collect();
        let positive = Range::of(1, super::ranges::HUGE);
        let id = m.named[self.t].then(|| known.var("self".into(), positive));
        let count = m.named.contains(&true).then(|| known.var("next".into(), positive));
        let start: Vec<(u32, Val)> =
            self.live(at).iter().map(|r| (*r, self.register(&mut known, at, *r))).collect();
        Path {
            known,
            from: at,
            loc: at,
            regs: start.iter().copied().collect(),
            start,
            popped: None,
            pushed: None,
            shared_start: shared.clone(),
            shared,
            own_start: own.clone(),
            own,
            locks: vec![Holder::Open; m.locks.len()],
            locks_start: vec![Holder::Open; m.locks.len()],
            id,
            count_start: count,
            count,
            created: Vec::new(),
            joined: Vec::new(),
            ended: None,
            halted: false,
            seen: false,
            length: 0,
        }
    }

    pub(super) fn live(&self, at: Loc) -> &[u32] {
        &self.model.live[self.t][at.0 as usize]
    }

    /// What a call keeps: all that is live behind it but its result.
    pub(super) fn kept(&self, call: usize) -> Vec<u32> {
        let e = &self.model.program.templates[self.t].graph.edges[call];
        let Op::Call { dst, .. } = &e.op else { return Vec::new() };
        self.live(e.to).iter().copied().filter(|r| dst.is_none_or(|d| d.0 != *r)).collect()
    }

    fn register(&self, known: &mut Known, at: Loc, r: u32) -> Val {
        let m = self.model;
        let reg = relyant_cfa::Reg(r);
        let name = &m.program.templates[self.t].registers[r as usize].name;
        let name = if name.is_empty() { format!("r{r}") } else { name.clone() };
        known.var(name, m.ranges.register(m.program, self.t, at, reg))
    }

    /// All ways from a location.
    pub(super) fn run(&self, at: Loc) -> Result<Vec<(Leaf, Path)>, Diagnostic> {
        let m = self.model;
        let graph = &m.program.templates[self.t].graph;
        let (mut todo, mut done) = (vec![self.begin(at)], Vec::new());
        let mut cases = 0;
        while let Some(path) = todo.pop() {
            let location = &graph.locations[path.loc.0 as usize];
            let rests = path.ended.is_some()
                || path.halted
                || path.popped.is_some()
                || if self.first_step { !location.atomic } else { m.rests[self.t][path.loc.0 as usize] };
            if path.length > 0 && rests {
                done.push((Leaf::Done, path));
                continue;
            }
            let mut ways = Vec::new();
            let mut undefined = false;
            for &i in &m.out[self.t][path.loc.0 as usize] {
                ways.extend(self.edge(&path, i, &graph.edges[i], &mut undefined)?);
            }
            cases += ways.len();
            if cases > MAX_CASES {
                let help = "make atomic sections and local computations smaller";
                return Err(refuse(
                    m.program,
                    location.span,
                    "too many cases to write a rule for each".into(),
                    help,
                ));
            }
            if self.all_ends {
                self.stuck(&path, &mut done, undefined)?;
            }
            todo.extend(ways);
        }
        Ok(done)
    }

    /// The cases in which none of the edges can be taken; only assumptions and joins block.
    fn stuck(&self, path: &Path, done: &mut Vec<(Leaf, Path)>, undefined: bool) -> Result<(), Diagnostic> {
        let m = self.model;
        let graph = &m.program.templates[self.t].graph;
        let location = &graph.locations[path.loc.0 as usize];
        let mut blocked = vec![path.clone()];
        for &i in &m.out[self.t][path.loc.0 as usize] {
            let e = &graph.edges[i];
            blocked = match &e.op {
                Op::Assume(x) => {
                    let mut not = Vec::new();
                    for p in blocked {
                        let negated = Edge { op: Op::Assume(Expr::Not(Box::new(x.clone()))), ..e.clone() };
                        let mut ignored = false;
                        not.extend(
                            self.edge(&p, i, &negated, &mut ignored)?
                                .into_iter()
                                .map(|n| Path { loc: p.loc, ..n }),
                        );
                    }
                    not
                }
                Op::Join { .. } => blocked,
                _ => Vec::new(),
            };
        }
        let leaf = if location.assumes { Leaf::Assumed } else { Leaf::Waits };
        done.extend(blocked.into_iter().map(|p| (leaf, p)));
        if undefined {
            done.push((Leaf::Assumed, path.clone()));
        }
        Ok(())
    }

    /// All cases of an edge.
    fn edge(&self, path: &Path, i: usize, e: &Edge, undefined: &mut bool) -> Result<Vec<Path>, Diagnostic> {
        let m = self.model;
        let stop = |message: String| {
            let help = "terms have small numbers that are copied, compared, and added to; see the head of a file exported";
            refuse(m.program, e.span, message, help)
        };
        let (mut todo, mut out) = (vec![path.clone()], Vec::new());
        let mut tries = 0;
        while let Some(p) = todo.pop() {
            tries += 1;
            if tries > MAX_CASES {
                return Err(stop("too many cases to write a rule for each".into()));
            }
            let need = match self.step(&p, i, e) {
                Ok(next) => {
                    out.extend(next);
                    continue;
                }
                Err(need) => need,
            };
            match fork(&p, &need, |l| m.holds[self.t].contains(&l)) {
                Ok(cases) => todo.extend(cases),
                Err(Need::Refuse(message)) => return Err(stop(message)),
                Err(_) => *undefined = true,
            }
        }
        Ok(out)
    }

    fn step(&self, path: &Path, i: usize, e: &Edge) -> Result<Vec<Path>, Need> {
        let m = self.model;
        let program = m.program;
        let template = &program.templates[self.t];
        let kind = |r: u32| template.registers[r as usize].kind;
        let mut p = path.clone();
        p.length += 1;
        p.loc = e.to;
        p.seen |= !m.is_local(self.t, e);
        let eval = |x: &Expr| path.known.eval(x, &path.regs, program);
        match &e.op {
            Op::Skip => {}
            Op::Assign(r, x) => {
                p.regs.insert(r.0, eval(x)?);
            }
            Op::Havoc { dst, source } => {
                return self.havoc(p, *dst, source);
            }
            Op::Load(r, a, k) => {
                let v = self.load(path, a, *k)?;
                if !matches!(v, Val::SelfId | Val::Other) {
                    path.known.cast(v, kind(r.0))?;
                }
                p.regs.insert(r.0, v);
            }
            Op::Store(a, x, _) => {
                let v = eval(x)?;
                self.store(path, &mut p, a, v)?;
            }
            Op::Assume(x) => {
                if path.known.decide(CmpOp::Ne, eval(x)?, Val::Const(0))? == Some(false) {
                    return Ok(Vec::new());
                }
                if path.known.decide(CmpOp::Ne, eval(x)?, Val::Const(0))?.is_none() {
                    return Err(Need::Branch(CmpOp::Ne, eval(x)?, Val::Const(0)));
                }
            }
            Op::Call { callee, args, .. } => {
                let called = template
                    .procedure(callee)
                    .ok_or_else(|| Need::Refuse("a call of no procedure".into()))?;
                let values = args.iter().map(eval).collect::<Result<Vec<_>, _>>()?;
                let value = |r: &u32| path.regs.get(r).copied().unwrap_or(Val::Const(0));
                p.pushed = Some((i, self.kept(i).iter().map(value).collect()));
                p.regs = called.params.iter().map(|r| r.0).zip(values).collect();
                p.loc = called.entry;
            }
            Op::Return(x) => {
                let v = x.as_ref().map(eval).transpose()?;
                return self.give_back(&p, e.from, v);
            }
            Op::Create { handle, arg, template: other, .. } => {
                let other = other.unwrap_or(0) as usize;
                let arg = arg.as_ref().map_or(Ok(Val::Const(0)), eval)?;
                let arg = if program.templates[other].param.is_some() {
                    self.handle_free(arg)?
                } else {
                    Val::Const(0)
                };
                let id = if m.named[other] { p.count } else { None };
                if let Some(Val::Lin(x, k)) = id {
                    p.count = Some(Val::Lin(x, k + 1));
                }
                p.regs.insert(handle.0, id.unwrap_or(Val::Const(1)));
                p.created.push(Created { template: other, arg, id });
            }
            Op::Join { handle, result } => {
                let h = self.handle_free(eval(handle)?)?;
                return Ok(self.join(&p, h, *result));
            }
            Op::ThreadExit(x) => p.ended = Some(eval(x)?),
            Op::Halt => p.halted = true,
        }
        if template.graph.locations[p.loc.0 as usize].kind == LocationKind::End && !p.halted {
            p.ended.get_or_insert(Val::Const(0));
        }
        Ok(vec![p])
    }

    /// A value that is read nowhere, or one of those that stand for all.
    fn havoc(&self, p: Path, dst: Reg, source: &InputSource) -> Result<Vec<Path>, Need> {
        let m = self.model;
        if !self.live(p.loc).contains(&dst.0) {
            return Ok(vec![p]);
        }
        let kind = m.program.templates[self.t].registers[dst.0 as usize].kind;
        let (values, all) = m.inputs.inputs(self.t as u32, dst, kind);
        if !all {
            let what = if source.is_uninitialised() {
                "this value".into()
            } else {
                format!("what `{source}` gives")
            };
            return Err(Need::Refuse(format!(
                "{what} is computed with, so that a few values do not stand for all"
            )));
        }
        let with = |v: i128| {
            let mut p = p.clone();
            p.regs.insert(dst.0, Val::Const(v));
            p
        };
        Ok(values.into_iter().map(with).collect())
    }

    /// Writes a cell; `path` is the one before the step.
    fn store(&self, path: &Path, p: &mut Path, address: &Expr, v: Val) -> Result<(), Need> {
        let (place, cell) = self.place(path, address)?;
        match place {
            Place::Nowhere => {}
            Place::Lock(l) => match (path.locks[l], path.known.plain(v)) {
                (Holder::Open, _) => return Err(Need::Holder(l)),
                // whoever held it would still say so
                (Holder::Another, _) => return Err(Need::Undefined),
                (_, Val::SelfId) => p.locks[l] = Holder::Me,
                (_, Val::Const(0)) => p.locks[l] = Holder::Nobody,
                _ => return Err(Need::Refuse("a lock is given a number".into())),
            },
            Place::Shared(i) => {
                p.shared[i] = path.known.cast(self.handle_free(path.known.plain(v))?, cell)?;
            }
            Place::Own(i) => {
                p.own[i] = path.known.cast(self.handle_free(path.known.plain(v))?, cell)?;
            }
        }
        Ok(())
    }

    /// A return from a location: a path for each call that it may be the end of.
    fn give_back(&self, path: &Path, from: Loc, v: Option<Val>) -> Result<Vec<Path>, Need> {
        let m = self.model;
        let template = &m.program.templates[self.t];
        let function = m.procedures[self.t][from.0 as usize].map(|k| template.procedures[k].function);
        let mut out = Vec::new();
        for (c, call) in template.graph.edges.iter().enumerate() {
            let Op::Call { dst, callee, .. } = &call.op else { continue };
            if template.procedure(callee).map(|q| q.function) != function
                || !m.ranges.reached(self.t, call.from)
            {
                continue;
            }
            let mut p = path.clone();
            let kept = self.kept(c);
            // the caller's values, as they are at the call
            let values: Vec<Val> = kept.iter().map(|r| self.register(&mut p.known, call.from, *r)).collect();
            p.regs = kept.iter().copied().zip(values.iter().copied()).collect();
            if let Some(d) = dst {
                let v = v.ok_or_else(|| Need::Refuse("a function returns nothing here".into()))?;
                p.regs.insert(d.0, p.known.cast(v, template.registers[d.0 as usize].kind)?);
            }
            p.popped = Some((c, values));
            p.loc = call.to;
            out.push(p);
        }
        Ok(out)
    }

    /// Waits for a thread with a handle: a path for each template that it may be of.
    fn join(&self, path: &Path, handle: Val, result: Option<Reg>) -> Vec<Path> {
        let m = self.model;
        let mut out = Vec::new();
        for u in (0..m.program.templates.len()).filter(|u| m.named[*u]) {
            let mut p = path.clone();
            let all = Range::of(-super::ranges::HUGE, super::ranges::HUGE);
            let v = p.known.var("result".into(), all);
            if let Some(r) = result {
                p.regs.insert(r.0, v);
            }
            p.joined.push((u, handle, v));
            out.push(p);
        }
        out
    }

    fn handle_free(&self, v: Val) -> Result<Val, Need> {
        match v {
            Val::SelfId | Val::Other => {
                Err(Need::Refuse("a thread keeps who holds a lock, or its own handle".into()))
            }
            v => Ok(v),
        }
    }

    /// The cell at an address.
    fn place(&self, path: &Path, address: &Expr) -> Result<(Place, IntKind), Need> {
        let program = self.model.program;
        let a = match path.known.plain(path.known.eval(address, &path.regs, program)?) {
            Val::Const(a) => a,
            Val::Lin(x, k) => {
                // only values that address a cell; others are undefined
                let v = &path.known.vars[x];
                if v.now.hi - v.now.lo < 64 {
                    return Err(Need::Values(x));
                }
                let object = super::ranges::base(address);
                let cells = super::ranges::cells_in(program, path.known.range(Val::Lin(x, k)), object);
                let at = |c: &(relyant_cfa::ObjId, usize)| program.bases[c.0.0 as usize] + c.1 as i128 - k;
                let (Some(lo), Some(hi)) = (cells.iter().map(at).min(), cells.iter().map(at).max()) else {
                    return Err(Need::Undefined);
                };
                if hi - lo >= 64 {
                    return Err(Need::Refuse(format!("`{}` may address any of too many cells", v.name)));
                }
                if v.now.lo < lo {
                    return Err(Need::Split(x, lo));
                }
                return Err(if v.now.hi > hi { Need::Split(x, hi + 1) } else { Need::Values(x) });
            }
            _ => return Err(Need::Refuse("a handle is used as an address".into())),
        };
        let Some((o, k)) = program.cell_at(a) else { return Err(Need::Undefined) };
        if let relyant_cfa::Owner::Template(t) = program.owners[o.0 as usize]
            && t as usize != self.t
        {
            return Err(Need::Undefined);
        }
        Ok((self.model.place(self.t, o, k), program.objects[o.0 as usize].cells[k].0))
    }

    fn load(&self, path: &Path, address: &Expr, kind: IntKind) -> Result<Val, Need> {
        let (place, cell) = self.place(path, address)?;
        let v = match place {
            Place::Shared(i) => path.shared[i],
            Place::Own(i) => path.own[i],
            Place::Nowhere => return Err(Need::Refuse("a cell that nobody reads is read".into())),
            Place::Lock(l) => {
                return match path.locks[l] {
                    Holder::Open => Err(Need::Holder(l)),
                    Holder::Nobody => Ok(Val::Const(0)),
                    Holder::Me => Ok(Val::SelfId),
                    Holder::Another => Ok(Val::Other),
                };
            }
        };
        if cell != kind { path.known.cast(v, kind) } else { Ok(v) }
    }
}

/// The cases of what must be told apart.
pub(super) fn fork(path: &Path, need: &Need, holds: impl Fn(usize) -> bool) -> Result<Vec<Path>, Need> {
    let with = |known: Vec<Known>| known.into_iter().map(|known| Path { known, ..path.clone() }).collect();
    Ok(match need {
        Need::Values(x) => with(path.known.values(*x)?),
        Need::Split(x, at) => with(path.known.split(*x, *at)),
        Need::Branch(op, a, b) => {
            let mut both = path.known.constrain(*op, *a, *b)?;
            both.extend(path.known.constrain(negated(*op), *a, *b)?);
            with(both)
        }
        Need::Holder(l) => {
            let cases = [Holder::Nobody, Holder::Me, Holder::Another];
            let case = |h: Holder| {
                let mut p = path.clone();
                p.locks[*l] = h;
                p.locks_start[*l] = h;
                p
            };
            cases.into_iter().filter(|h| *h != Holder::Me || holds(*l)).map(case).collect()
        }
        Need::Undefined => return Err(Need::Undefined),
        Need::Refuse(m) => return Err(Need::Refuse(m.clone())),
    })
}
