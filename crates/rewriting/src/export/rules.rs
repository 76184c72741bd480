//! Paths as rules, in the shape of BNRT section 4.3.

use super::model::{Model, refuse};
use super::path::{Explorer, Holder, Leaf, Path, fork};
use super::value::{Need, Val};
use crate::timbuk::{Atom, Comparison, Op, OpId, Pattern, Place, Rule, Sum, System, Term, VarId};
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::{Loc, LocationKind};
use std::collections::BTreeMap;

/// Numbers are not written with more symbols than this.
const MAX_NUMBER: i128 = 1000;

/// What an operator stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Symbol {
    Zero,
    Succ,
    /// `neg(n)` is `-n`, for `n` above 0.
    Neg,
    Root,
    Par,
    /// A member of every parallel composition, so that no other one is alone.
    Idle,
    Stack,
    /// Nobody is in an atomic section, or somebody is.
    Free,
    Held,
    Thread(usize),
    Ended(usize),
    Point(usize, Loc),
    /// What the call at an edge goes back to.
    Back(usize, usize),
    Error(usize, Loc),
}

pub(super) struct Rules<'m, 'p> {
    pub(super) model: &'m Model<'p>,
    pub(super) system: System,
    pub(super) symbols: BTreeMap<Symbol, OpId>,
    /// Locations that rules lead to.
    pub(super) reached: Vec<(usize, Loc)>,
    vars: BTreeMap<String, VarId>,
}

/// How a variable is written on the left side, and what that asks for.
struct Shape {
    var: VarId,
    /// -1 for a negative number, 0 for one that may have any sign.
    sign: i128,
    /// What is written around the variable.
    offset: i128,
}

/// A path that a rule is written for.
struct Way<'e> {
    explorer: &'e Explorer<'e, 'e>,
    path: &'e Path,
    /// How each of its variables is written.
    shapes: &'e [Shape],
    span: Span,
}

/// What a rule says of a program around its threads, before or after.
struct Around<'e> {
    /// Where the thread is.
    at: Loc,
    count: Option<Val>,
    shared: &'e [Val],
    locks: &'e [Holder],
}

impl<'m, 'p> Rules<'m, 'p> {
    pub(super) fn new(model: &'m Model<'p>) -> Self {
        let mut rules = Rules {
            model,
            system: System::default(),
            symbols: BTreeMap::new(),
            reached: Vec::new(),
            vars: BTreeMap::new(),
        };
        let tops = 1
            + usize::from(model.token)
            + usize::from(rules.counts())
            + model.shared.len()
            + model.locks.len();
        for (symbol, arity) in
            [(Symbol::Root, tops), (Symbol::Par, 2), (Symbol::Idle, 0), (Symbol::Zero, 0), (Symbol::Succ, 1)]
        {
            rules.op(symbol, arity);
        }
        rules
    }

    fn counts(&self) -> bool {
        self.model.named.contains(&true)
    }

    pub(super) fn op(&mut self, symbol: Symbol, arity: usize) -> OpId {
        if let Some(id) = self.symbols.get(&symbol) {
            return *id;
        }
        let templates = &self.model.program.templates;
        let procedures = &self.model.procedures;
        let at = |t: usize, l: Loc| {
            let template = &templates[t];
            let called = procedures[t][l.0 as usize];
            let name = called.map_or(&template.name, |k| &template.procedures[k].name);
            format!("{name}_{}", template.graph.locations[l.0 as usize].span.line)
        };
        let name = match symbol {
            Symbol::Zero => "zero".into(),
            Symbol::Succ => "s".into(),
            Symbol::Neg => "neg".into(),
            Symbol::Root => "box".into(),
            Symbol::Par => "par".into(),
            Symbol::Idle => "idle".into(),
            Symbol::Stack => "odot".into(),
            Symbol::Free => "free".into(),
            Symbol::Held => "held".into(),
            Symbol::Thread(t) => format!("sharp.{}", templates[t].name),
            Symbol::Ended(t) => format!("ended.{}", templates[t].name),
            Symbol::Point(t, l) => at(t, l),
            Symbol::Back(t, e) => format!("{}_back", at(t, templates[t].graph.edges[e].from)),
            Symbol::Error(t, l) => format!("error.{}", at(t, l)),
        };
        let mut unique = name.clone();
        let mut n = 1;
        while self.system.ops.iter().any(|o| o.name == unique) {
            n += 1;
            unique = format!("{name}.{n}");
        }
        let id = OpId(self.system.ops.len() as u32);
        self.system.ops.push(Op { name: unique, arity: arity as u32, ac: symbol == Symbol::Par });
        self.symbols.insert(symbol, id);
        id
    }

    fn app(&mut self, symbol: Symbol, args: Vec<Term>) -> Term {
        Term::App(self.op(symbol, args.len()), args)
    }

    fn name(&mut self, name: &str) -> VarId {
        let name: String = name.chars().map(|c| if c == ':' { '.' } else { c }).collect();
        let name = format!("_{name}");
        if let Some(v) = self.vars.get(&name) {
            return *v;
        }
        let v = VarId(self.system.vars.len() as u32);
        self.system.vars.push(name.clone());
        self.vars.insert(name, v);
        v
    }

    fn number(&mut self, n: i128, span: Span) -> Result<Term, Diagnostic> {
        if n.abs() > MAX_NUMBER {
            let help = "numbers are written as s(s(…)); addresses cannot be kept";
            return Err(refuse(
                self.model.program,
                span,
                format!("the number {n} is too large for a term"),
                help,
            ));
        }
        let mut t = self.app(Symbol::Zero, Vec::new());
        for _ in 0..n.abs() {
            t = self.app(Symbol::Succ, vec![t]);
        }
        Ok(if n < 0 { self.app(Symbol::Neg, vec![t]) } else { t })
    }

    /// The rules of a location.
    pub(super) fn location(&mut self, t: usize, at: Loc) -> Result<Vec<Rule>, Diagnostic> {
        let model = self.model;
        let explorer = Explorer { model, t, first_step: false, all_ends: false };
        let mut rules = Vec::new();
        for (leaf, path) in explorer.run(at)? {
            // a program that has ended does nothing bad any more
            if leaf != Leaf::Done || path.halted {
                continue;
            }
            let span = model.program.templates[t].graph.locations[at.0 as usize].span;
            let stop =
                |message: String| refuse(model.program, span, message, "this value cannot be kept in a term");
            let mut todo = vec![path];
            let mut tries = 0;
            while let Some(path) = todo.pop() {
                tries += 1;
                if tries > 4000 {
                    return Err(stop("too many cases to write a rule for each".into()));
                }
                match self.unsettled(&explorer, &path) {
                    None => {
                        let rule = self.rule(&explorer, &path, span)?;
                        if rule.left != rule.right && !rules.contains(&rule) {
                            rules.push(rule);
                        }
                    }
                    Some(need) => match fork(&path, &need, |l| model.holds[t].contains(&l)) {
                        Ok(cases) => todo.extend(cases),
                        Err(Need::Refuse(m)) => return Err(stop(m)),
                        Err(_) => {}
                    },
                }
            }
        }
        rules.sort_by(|a, b| (&a.left, &a.right).cmp(&(&b.left, &b.right)));
        Ok(rules)
    }

    /// The values that a path leaves behind.
    fn shown(&self, explorer: &Explorer<'_, '_>, path: &Path) -> Vec<Val> {
        let mut all: Vec<Val> = path.shared.clone();
        if path.ended.is_none() {
            all.extend(&path.own);
            all.extend(explorer.live(path.loc).iter().filter_map(|r| path.regs.get(r)));
            all.extend(path.pushed.iter().flat_map(|p| &p.1));
        } else if self.model.named[explorer.t] {
            all.extend(path.ended);
        }
        all.extend(path.count);
        all.extend(path.created.iter().flat_map(|c| [Some(c.arg), c.id]).flatten());
        all
    }

    /// What must be told apart before patterns can say it.
    fn unsettled(&self, explorer: &Explorer<'_, '_>, path: &Path) -> Option<Need> {
        let refuse = || Some(Need::Refuse("a thread keeps who holds a lock, or its own handle".into()));
        for (x, v) in path.known.vars.iter().enumerate() {
            let mixed = v.now.lo < 0 && v.now.hi >= 0;
            if mixed && (v.now != v.base || !v.not.is_empty()) {
                return Some(Need::Split(x, 0));
            }
        }
        for v in self.shown(explorer, path) {
            let (x, k) = match path.known.plain(v) {
                Val::Lin(x, k) => (x, k),
                Val::Const(_) => continue,
                Val::SelfId | Val::Other => return refuse(),
            };
            let now = path.known.vars[x].now;
            if k == 0 {
                continue;
            }
            if now.lo < 0 && now.hi >= 0 {
                return Some(Need::Split(x, 0));
            }
            let crosses = now.lo < -k && -k <= now.hi;
            if now.lo >= 0 && k < 0 && now.lo + k < 0 || now.lo < 0 && k > 0 && now.hi + k >= 0 {
                return Some(if crosses { Need::Split(x, -k) } else { Need::Values(x) });
            }
        }
        None
    }

    fn rule(&mut self, explorer: &Explorer<'_, '_>, path: &Path, span: Span) -> Result<Rule, Diagnostic> {
        let model = self.model;
        let (shapes, mut condition) = self.shapes(explorer, path);
        for (op, a, b) in &path.known.conditions {
            let (a, b) = (path.known.plain(*a), path.known.plain(*b));
            let op = comparison(*op);
            match atom(&shapes, op, a, b) {
                Some(a) => condition.extend(a),
                None => {
                    let message = "numbers of different signs are compared".into();
                    return Err(refuse(model.program, span, message, "keep them above zero"));
                }
            }
        }
        let way = Way { explorer, path, shapes: &shapes, span };
        let (before, rest) = self.before(&way)?;
        let after = self.after(&way, rest)?;
        let place = Place::default();
        if !path.seen
            && !model.token
            && let Some(after) = after.clone()
        {
            return Ok(Rule { left: before, right: after, condition, place });
        }
        // the whole program
        let threads = Term::Var(self.name("threads"));
        let (mut left, mut right) = (vec![threads.clone(), before], vec![threads]);
        right.extend(after);
        for (u, h, v) in &path.joined {
            let args = vec![self.say(&way, *h)?, self.say(&way, *v)?];
            let ended = self.app(Symbol::Ended(*u), args);
            left.push(ended.clone());
            right.push(ended);
        }
        for c in &path.created {
            let arg = self.say(&way, c.arg)?;
            let id = c.id.map(|id| self.say(&way, id)).transpose()?;
            right.push(self.fresh(c.template, arg, id, span)?);
        }
        let start = Around {
            at: path.from,
            count: path.count_start,
            shared: &path.shared_start,
            locks: &path.locks_start,
        };
        let end = Around { at: path.loc, count: path.count, shared: &path.shared, locks: &path.locks };
        let left = self.root(&way, left, &start)?;
        let right = self.root(&way, right, &end)?;
        Ok(Rule { left, right, condition, place })
    }

    /// The term of a value.
    fn say(&mut self, way: &Way<'_>, v: Val) -> Result<Term, Diagnostic> {
        self.value(way.path, way.shapes, v, way.span)
    }

    fn say_all<'v>(
        &mut self,
        way: &Way<'_>,
        values: impl IntoIterator<Item = &'v Val>,
    ) -> Result<Vec<Term>, Diagnostic> {
        values.into_iter().map(|v| self.say(way, *v)).collect()
    }

    /// The thread before, and what is below on its stack.
    fn before(&mut self, way: &Way<'_>) -> Result<(Term, Term), Diagnostic> {
        let (path, t) = (way.path, way.explorer.t);
        let frame = self.say_all(way, path.start.iter().map(|(_, v)| v))?;
        let top = self.app(Symbol::Point(t, path.from), frame);
        let rest = Term::Var(self.name("rest"));
        let stack = self.stack(way, top, path.popped.as_ref(), path.from, &rest)?;
        let own = self.say_all(way, &path.own_start)?;
        Ok((self.thread(way, stack, own, &path.locks_start)?, rest))
    }

    /// The thread after; none where nothing is left of it.
    fn after(&mut self, way: &Way<'_>, rest: Term) -> Result<Option<Term>, Diagnostic> {
        let (path, t) = (way.path, way.explorer.t);
        let template = &self.model.program.templates[t];
        if let LocationKind::Error(_) = &template.graph.locations[path.loc.0 as usize].kind {
            return Ok(Some(self.app(Symbol::Error(t, path.loc), Vec::new())));
        }
        if let Some(result) = path.ended {
            let Some(id) = path.id else { return Ok(None) };
            let args = vec![self.say(way, id)?, self.say(way, result)?];
            return Ok(Some(self.app(Symbol::Ended(t), args)));
        }
        let mut frame = Vec::new();
        for r in way.explorer.live(path.loc) {
            frame.push(self.say(way, path.regs.get(r).copied().unwrap_or(Val::Const(0)))?);
        }
        self.reached.push((t, path.loc));
        let top = self.app(Symbol::Point(t, path.loc), frame);
        let stack = self.stack(way, top, path.pushed.as_ref(), path.loc, &rest)?;
        let own = self.say_all(way, &path.own)?;
        Ok(Some(self.thread(way, stack, own, &path.locks)?))
    }

    /// A stack with a frame on top that is at a location, above that of a call if there is one.
    fn stack(
        &mut self,
        way: &Way<'_>,
        top: Term,
        call: Option<&(usize, Vec<Val>)>,
        at: Loc,
        rest: &Term,
    ) -> Result<Term, Diagnostic> {
        let (model, t) = (self.model, way.explorer.t);
        Ok(match call {
            Some((call, kept)) => {
                let values = self.say_all(way, kept)?;
                let back = self.app(Symbol::Back(t, *call), values);
                let caller = model.program.templates[t].graph.edges[*call].from;
                let below = match model.procedures[t][caller.0 as usize] {
                    Some(_) => self.app(Symbol::Stack, vec![rest.clone(), back]),
                    None => back,
                };
                self.app(Symbol::Stack, vec![below, top])
            }
            None if model.procedures[t][at.0 as usize].is_some() => {
                self.app(Symbol::Stack, vec![rest.clone(), top])
            }
            None => top,
        })
    }

    /// The term of the whole program whose threads are the members.
    fn root(&mut self, way: &Way<'_>, members: Vec<Term>, around: &Around<'_>) -> Result<Term, Diagnostic> {
        let (model, span) = (self.model, way.span);
        let mut args = vec![if members.len() == 1 {
            members.into_iter().next().unwrap_or(Term::Var(VarId(0)))
        } else {
            self.app(Symbol::Par, members)
        }];
        if model.token {
            let graph = &model.program.templates[way.explorer.t].graph;
            let atomic = graph.locations[around.at.0 as usize].atomic;
            args.push(self.app(if atomic { Symbol::Held } else { Symbol::Free }, Vec::new()));
        }
        if let Some(c) = around.count {
            args.push(self.say(way, c)?);
        }
        args.extend(self.say_all(way, around.shared)?);
        for (l, h) in around.locks.iter().enumerate() {
            args.push(match h {
                Holder::Open => Term::Var(self.name(&format!("lock.{l}"))),
                Holder::Nobody => self.number(0, span)?,
                Holder::Me | Holder::Another => self.number(1, span)?,
            });
        }
        Ok(self.app(Symbol::Root, args))
    }

    fn thread(
        &mut self,
        way: &Way<'_>,
        stack: Term,
        own: Vec<Term>,
        locks: &[Holder],
    ) -> Result<Term, Diagnostic> {
        let mut args = vec![stack];
        args.extend(own);
        for &l in &self.model.holds[way.explorer.t] {
            args.push(match locks[l] {
                Holder::Open => Term::Var(self.name(&format!("mine.{l}"))),
                Holder::Nobody | Holder::Another => self.number(0, way.span)?,
                Holder::Me => self.number(1, way.span)?,
            });
        }
        if let Some(id) = way.path.id {
            args.push(self.say(way, id)?);
        }
        Ok(self.app(Symbol::Thread(way.explorer.t), args))
    }

    /// A thread that begins.
    fn fresh(&mut self, t: usize, arg: Term, id: Option<Term>, span: Span) -> Result<Term, Diagnostic> {
        let model = self.model;
        let template = &model.program.templates[t];
        let mut frame = Vec::new();
        for r in &model.live[t][template.entry.0 as usize] {
            let given = template.param.is_some_and(|p| p.0 == *r);
            frame.push(if given { arg.clone() } else { self.number(0, span)? });
        }
        let mut args = vec![self.app(Symbol::Point(t, template.entry), frame)];
        self.reached.push((t, template.entry));
        for c in &model.own[t] {
            let init = model.program.objects[c.object.0 as usize].init[c.index];
            args.push(self.number(init.unwrap_or(0), span)?);
        }
        for _ in &model.holds[t] {
            args.push(self.number(0, span)?);
        }
        args.extend(id);
        Ok(self.app(Symbol::Thread(t), args))
    }

    /// The start of the program.
    pub(super) fn initial(&mut self) -> Result<Pattern, Diagnostic> {
        let model = self.model;
        let mut members = vec![self.app(Symbol::Idle, Vec::new())];
        let mut next = 1;
        for (t, template) in model.program.templates.iter().enumerate() {
            let span = template.graph.locations[template.entry.0 as usize].span;
            let relyant_cfa::Count::AtMost(n) = template.count else { continue };
            for _ in 0..if template.initial { n } else { 0 } {
                let id = if model.named[t] {
                    next += 1;
                    Some(self.number(next - 1, span)?)
                } else {
                    None
                };
                let zero = self.number(0, span)?;
                members.push(self.fresh(t, zero, id, span)?);
            }
        }
        let mut args = vec![self.app(Symbol::Par, members)];
        if model.token {
            args.push(self.app(Symbol::Free, Vec::new()));
        }
        if self.counts() {
            args.push(self.number(next, Span::default())?);
        }
        for c in model.shared.iter().chain(&model.locks) {
            let object = &model.program.objects[c.object.0 as usize];
            args.push(self.number(object.init[c.index].unwrap_or(0), object.span)?);
        }
        let term = self.app(Symbol::Root, args);
        Ok(Pattern { term, condition: Vec::new(), place: Place::default() })
    }

    fn shapes(&mut self, explorer: &Explorer<'_, '_>, path: &Path) -> (Vec<Shape>, Vec<Atom>) {
        let shown = self.shown(explorer, path);
        let (mut shapes, mut condition) = (Vec::new(), Vec::new());
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for (x, v) in path.known.vars.iter().enumerate() {
            let n = names.entry(v.name.clone()).or_insert(0);
            *n += 1;
            let name = if *n == 1 { v.name.clone() } else { format!("{}.{n}", v.name) };
            let var = self.name(&name);
            if v.now.constant().is_some() && v.now != v.base {
                shapes.push(Shape { var, sign: 0, offset: 0 });
                continue;
            }
            let added = shown.iter().filter_map(|w| match w {
                Val::Lin(y, k) if *y == x => Some(*k),
                _ => None,
            });
            let mut require = |comparison, n: i128| {
                let plus = u64::try_from(n).unwrap_or(0);
                let (left, right) = (Sum { var: Some(var), plus: 0 }, Sum { var: None, plus });
                condition.push(Atom { left, comparison, right });
            };
            if v.now.lo >= 0 {
                let bound = if v.now.lo > v.base.lo.max(0) { v.now.lo } else { 0 };
                let offset = added.map(|k| -k).fold(bound, i128::max);
                if offset == 0 && v.base.lo < 0 {
                    require(Comparison::Ge, 0);
                }
                if v.now.hi < v.base.hi {
                    require(Comparison::Le, v.now.hi - offset);
                }
                v.not.iter().filter(|c| **c >= offset).for_each(|c| require(Comparison::Ne, c - offset));
                shapes.push(Shape { var, sign: 1, offset });
            } else if v.now.hi < 0 {
                let bound = if v.now.hi < v.base.hi.min(-1) { -v.now.hi } else { 1 };
                let offset = added.map(|k| k + 1).fold(bound, i128::max);
                if v.now.lo > v.base.lo {
                    require(Comparison::Le, -v.now.lo - offset);
                }
                v.not.iter().filter(|c| -**c >= offset).for_each(|c| require(Comparison::Ne, -c - offset));
                shapes.push(Shape { var, sign: -1, offset });
            } else {
                shapes.push(Shape { var, sign: 0, offset: 0 });
            }
        }
        (shapes, condition)
    }

    fn value(&mut self, path: &Path, shapes: &[Shape], v: Val, span: Span) -> Result<Term, Diagnostic> {
        let (x, k) = match v {
            Val::Lin(x, k) => (x, k),
            Val::Const(c) => return self.number(c, span),
            Val::SelfId | Val::Other => {
                return Err(refuse(self.model.program, span, "a thread's handle is kept".into(), ""));
            }
        };
        let now = &path.known.vars[x];
        if let Some(c) = now.now.constant()
            && (now.now != now.base || k != 0)
        {
            return self.number(c + k, span);
        }
        let shape = &shapes[x];
        let (layers, negative) = match shape.sign {
            1 => (shape.offset + k, false),
            -1 => (shape.offset - k, true),
            _ => (0, false),
        };
        if layers > MAX_NUMBER {
            return self.number(layers, span);
        }
        let mut term = Term::Var(shape.var);
        for _ in 0..layers {
            term = self.app(Symbol::Succ, vec![term]);
        }
        Ok(if negative { self.app(Symbol::Neg, vec![term]) } else { term })
    }
}

fn comparison(op: relyant_cfa::CmpOp) -> Comparison {
    use relyant_cfa::CmpOp;
    match op {
        CmpOp::Lt => Comparison::Lt,
        CmpOp::Le => Comparison::Le,
        CmpOp::Gt => Comparison::Gt,
        CmpOp::Ge => Comparison::Ge,
        CmpOp::Eq => Comparison::Eq,
        CmpOp::Ne => Comparison::Ne,
    }
}

/// A comparison with variables on their sides; `None` where two would have to be added.
fn atom(shapes: &[Shape], comparison: Comparison, a: Val, b: Val) -> Option<Vec<Atom>> {
    // sign and variable, and what is added
    let part = |v: Val| match v {
        Val::Const(c) => Some((0, None, c)),
        Val::Lin(x, k) => {
            let s = &shapes[x];
            (s.sign != 0).then_some((s.sign, Some(s.var), s.sign * s.offset + k))
        }
        Val::SelfId | Val::Other => None,
    };
    let ((sa, va, ca), (sb, vb, cb)) = (part(a)?, part(b)?);
    let pick = |first: bool, second: bool| match (first, second) {
        (true, true) => None,
        (true, false) => Some(va),
        (false, true) => Some(vb),
        (false, false) => Some(None),
    };
    let (left, right) = (pick(sa > 0, sb < 0)?, pick(sa < 0, sb > 0)?);
    let low = ca.min(cb);
    let side = |var, n: i128| Some(Sum { var, plus: u64::try_from(n - low).ok()? });
    Some(vec![Atom { left: side(left, ca)?, comparison, right: side(right, cb)? }])
}
