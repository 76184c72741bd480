//! Which thread states have to be in sets that are closed, state by state: the steps of a thread, threads that it starts, and what
//! others do to what it sees (Cook, Kroening and Sharygina, 2007, definition 8 and remark 1).

use relyant_finite::boolean::closed::Listed;
use relyant_finite::boolean::expr::Expr;
use relyant_finite::boolean::flat::{Action, Flat, FlatNode, Role, Write};
use relyant_finite::boolean::program::{Exp, Var};
use std::collections::{BTreeMap, BTreeSet};

/// A thread state as bits: the flag of atomic sections, globals, locks held, locals; the first is the lowest.
pub type State = u32;

/// By node, a set of thread states.
pub type Sets = Vec<BTreeSet<State>>;

/// More bits take too long.
const BITS: u32 = 11;

const ATOMIC: State = 1;

/// A graph with few variables.
pub struct Plain<'a> {
    f: &'a Flat,
    bits: u32,
}

impl<'a> Plain<'a> {
    pub fn new(f: &'a Flat) -> Option<Plain<'a>> {
        let bits = 1 + f.globals + f.locks + f.locals;
        (bits <= BITS).then_some(Plain { f, bits })
    }
    fn bit(&self, v: Var) -> State {
        1 << match v {
            Var::Global(i) => 1 + i,
            Var::Held(i) => 1 + self.f.globals + i,
            Var::Local(i) => 1 + self.f.globals + self.f.locks + i,
        }
    }
    fn mask(&self, from: u32, count: u32) -> State {
        ((1 << count) - 1) << from
    }
    fn shared(&self) -> State {
        self.mask(0, 1 + self.f.globals)
    }
    fn locks(&self) -> State {
        self.mask(1 + self.f.globals, self.f.locks)
    }
    fn locals(&self) -> State {
        self.mask(1 + self.f.globals + self.f.locks, self.f.locals)
    }
    /// The values that an expression may have: false, true.
    fn values(&self, e: &Exp, old: State, new: State) -> [bool; 2] {
        let join = |es: &[Exp], f: fn(bool, bool) -> bool, first: bool| {
            let mut all = [false; 2];
            all[usize::from(first)] = true;
            es.iter().fold(all, |a, e| pairs(a, self.values(e, old, new), |x, y| Some(f(x, y))))
        };
        match e {
            Expr::Any => [true; 2],
            Expr::Const(b) => [!b, *b],
            Expr::Var(v) => [old & self.bit(*v) == 0, old & self.bit(*v) != 0],
            Expr::Next(v) => [new & self.bit(*v) == 0, new & self.bit(*v) != 0],
            Expr::Not(e) => {
                let [no, yes] = self.values(e, old, new);
                [yes, no]
            }
            Expr::And(es) => join(es, |a, b| a && b, true),
            Expr::Or(es) => join(es, |a, b| a || b, false),
            Expr::Iff(a, b) => pairs(self.values(a, old, new), self.values(b, old, new), |x, y| Some(x == y)),
            // The first if it holds, false if only the second does, else either.
            Expr::Choose(a, b) => {
                let (a, b) = (self.values(a, old, new), self.values(b, old, new));
                pairs(a, b, |x, y| {
                    if x {
                        Some(true)
                    } else if y {
                        Some(false)
                    } else {
                        None
                    }
                })
            }
        }
    }
    fn may(&self, e: &Exp, s: State) -> bool {
        self.values(e, s, s)[1]
    }
    /// All states after an assignment; `any` may have any value as well.
    fn written(&self, w: &Write, s: State, any: State) -> Vec<State> {
        let targets = w.targets.iter().fold(any, |all, v| all | self.bit(*v));
        let fits = |new: State| {
            let mut each = w.targets.iter().zip(&w.values);
            each.all(|(v, e)| self.values(e, s, s)[usize::from(new & self.bit(*v) != 0)])
                && w.constrain.iter().all(|c| {
                    let seen = w.targets.iter().fold(s, |out, v| out & !self.bit(*v) | new & self.bit(*v));
                    self.values(c, s, seen)[1]
                })
        };
        let mut out = Vec::new();
        let mut some = targets;
        loop {
            out.extend(Some(s & !targets | some).filter(|new| fits(*new)));
            if some == 0 {
                return out;
            }
            some = (some - 1) & targets;
        }
    }
    fn ready(&self, n: &FlatNode, s: State) -> bool {
        n.guard.iter().all(|g| self.may(g, s)) && (!self.f.has_atomic || n.atomic || s & ATOMIC == 0)
    }
    fn start(&self) -> BTreeSet<(u32, State)> {
        let fixed = ATOMIC | self.locks() | self.mask(1 + self.f.free, self.f.globals - self.f.free);
        (0..1 << self.bits).filter(|s| s & fixed == 0).map(|s| (0, s)).collect()
    }
    /// What a step of a thread in a state needs, or nothing if it may fail.
    fn step(&self, n: u32, s: State, sets: &Sets) -> Option<Vec<(u32, State)>> {
        let to = |t: u32, all: Vec<State>| all.into_iter().map(move |s| (t, s)).collect::<Vec<_>>();
        Some(match &self.f.nodes[n as usize].action {
            Action::Goto(ts) => ts.iter().map(|t| (*t, s)).collect(),
            Action::Branch(e, a, b) => {
                let may = self.values(e, s, s);
                [(may[1], *a), (may[0], *b)].into_iter().filter(|x| x.0).map(|x| (x.1, s)).collect()
            }
            Action::Assert(e, _) if self.values(e, s, s)[0] => return None,
            Action::Assume(e, t) | Action::Assert(e, t) => {
                if self.may(e, s) {
                    vec![(*t, s)]
                } else {
                    Vec::new()
                }
            }
            Action::Write(w, t) => to(*t, self.written(w, s, 0)),
            Action::Atomic(b, t) => vec![(*t, s & !ATOMIC | State::from(*b))],
            Action::Spawn(w, entry, t) => {
                let new = self.written(w, s, self.locals()).into_iter().map(|s| s & !self.locks());
                [to(*entry, new.collect()), vec![(*t, s)]].concat()
            }
            Action::Copy(entry, t) => vec![(*entry, s & !self.locks()), (*t, s)],
            Action::Invoke(w, entry, t) => {
                [to(*entry, self.written(w, s, self.locals())), vec![(*t, s & !self.locks())]].concat()
            }
            Action::Wait(exits, results) => {
                let results = results.iter().fold(0, |all, v| all | self.bit(*v));
                let of_call = self.locks() | results;
                let mut out = Vec::new();
                for (exit, t) in exits {
                    let calls = sets[*exit as usize].iter().filter(|c| (*c ^ s) & self.shared() == 0);
                    out.extend(calls.map(|c| (*t, s & !of_call | c & of_call)));
                }
                out
            }
            Action::End | Action::Exit => Vec::new(),
        })
    }
    /// What all threads may do to shared variables: whether `main` does it, from which values and with which locks; which
    /// variables it writes, and what.
    fn effects(&self, sets: &Sets) -> BTreeSet<(bool, State, State, State)> {
        let mut out = BTreeSet::new();
        for (n, set) in self.f.nodes.iter().zip(sets).filter(|(n, _)| n.role != Role::Alone) {
            for s in set.iter().copied().filter(|s| self.ready(n, *s)) {
                let (writes, after) = match &n.action {
                    Action::Write(w, _) => {
                        let all = w.targets.iter().fold(0, |all, v| all | self.bit(*v));
                        (all & self.shared(), self.written(w, s, 0))
                    }
                    Action::Atomic(b, _) => (ATOMIC, vec![State::from(*b)]),
                    Action::End if n.atomic => (ATOMIC, vec![0]),
                    _ => continue,
                };
                if writes != 0 {
                    let of = s & (self.shared() | self.locks());
                    out.extend(after.into_iter().map(|a| (n.role == Role::Main, of, writes, a & writes)));
                }
            }
        }
        out
    }
    /// Is a node's next step one on variables of its thread, which was there before?
    fn is_own(&self, n: u32) -> bool {
        let node = &self.f.nodes[n as usize];
        let own = |e: &Exp| !speaks_of_globals(e);
        let started = self.f.nodes.iter().any(|m| match m.action {
            Action::Spawn(_, entry, _) | Action::Copy(entry, _) => entry == n,
            _ => false,
        });
        let action = match &node.action {
            Action::Goto(_) | Action::End | Action::Exit => true,
            Action::Branch(e, ..) | Action::Assume(e, _) | Action::Assert(e, _) => own(e),
            Action::Write(w, _) => {
                let local = w.targets.iter().all(|t| matches!(t, Var::Local(_)));
                local && w.values.iter().all(own) && w.constrain.iter().all(own)
            }
            _ => false,
        };
        action && !started && node.guard.iter().all(own)
    }
    /// All states that have to be in the sets, or nothing if an assertion may fail in them.
    pub fn needed(&self, sets: &Sets) -> Option<BTreeSet<(u32, State)>> {
        let mut out = self.start();
        let mut effects: BTreeMap<State, Vec<(bool, State, State, State)>> = BTreeMap::new();
        for e in self.effects(sets) {
            effects.entry(e.1 & self.shared()).or_default().push(e);
        }
        for (n, node) in (0..).zip(&self.f.nodes) {
            let set = &sets[n as usize];
            let waits = matches!(node.action, Action::Wait(..));
            let some = set.iter().any(|s| self.ready(node, *s));
            for s in set.iter().copied() {
                // Whoever waits for a call goes on whatever is inside of an atomic section.
                if self.ready(node, s) || (waits && some) {
                    out.extend(self.step(n, s, sets)?);
                }
                if node.role == Role::Alone || node.atomic || self.is_own(n) {
                    continue;
                }
                for (main, of, writes, new) in effects.get(&(s & self.shared())).into_iter().flatten() {
                    if of & s & self.locks() == 0 && !(*main && node.role == Role::Main) {
                        out.insert((n, s & !writes | new));
                    }
                }
            }
        }
        Some(out)
    }
    pub fn closed(&self, sets: &Sets) -> bool {
        self.needed(sets).is_some_and(|all| all.into_iter().all(|(n, s)| sets[n as usize].contains(&s)))
    }
    /// The least sets that are closed, and whether no assertion fails in them.
    pub fn least(&self) -> (Sets, bool) {
        let mut sets: Sets = vec![BTreeSet::new(); self.f.nodes.len()];
        loop {
            let Some(needed) = self.needed(&sets) else { return (sets, false) };
            let mut more = false;
            needed.into_iter().for_each(|(n, s)| more |= sets[n as usize].insert(s));
            if !more {
                return (sets, true);
            }
        }
    }
    /// A set as certificates list it.
    pub fn listed(&self, set: &BTreeSet<State>) -> Listed {
        let mut nodes = Vec::new();
        match self.diagram(set, 0, 0, &mut nodes) {
            0 => None,
            _ => Some(nodes),
        }
    }
    /// The diagram of the states that have these bits below the k-th.
    fn diagram(&self, set: &BTreeSet<State>, k: u32, low: State, nodes: &mut Vec<(u16, u32, u32)>) -> u32 {
        if k == self.bits {
            return u32::from(set.contains(&low));
        }
        let no = self.diagram(set, k + 1, low, nodes);
        let yes = self.diagram(set, k + 1, low | 1 << k, nodes);
        if no == yes {
            return no;
        }
        let node = (2 * k as u16, no, yes);
        let known = nodes.iter().position(|n| *n == node);
        2 + known.unwrap_or_else(|| {
            nodes.push(node);
            nodes.len() - 1
        }) as u32
    }
    pub fn bits(&self) -> u32 {
        self.bits
    }
}

fn pairs(a: [bool; 2], b: [bool; 2], f: impl Fn(bool, bool) -> Option<bool>) -> [bool; 2] {
    let mut out = [false; 2];
    for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
        if a[usize::from(x)] && b[usize::from(y)] {
            match f(x, y) {
                Some(v) => out[usize::from(v)] = true,
                None => out = [true; 2],
            }
        }
    }
    out
}

fn speaks_of_globals(e: &Exp) -> bool {
    match e {
        Expr::Any | Expr::Const(_) => false,
        Expr::Var(v) | Expr::Next(v) => matches!(v, Var::Global(_)),
        Expr::Not(e) => speaks_of_globals(e),
        Expr::And(es) | Expr::Or(es) => es.iter().any(speaks_of_globals),
        Expr::Iff(a, b) | Expr::Choose(a, b) => speaks_of_globals(a) || speaks_of_globals(b),
    }
}
