//! Unification and matching modulo associativity and commutativity.
//!
//! A variable under an AC operator stands for one or more of its arguments (there is no unit). An equation between two
//! flattened lists is solved by cases: each argument that is no variable meets one of the other side or falls into a
//! variable of the other side, and each pair of variables may share a fresh one. These cases cover all ground
//! solutions when each variable occurs once; a second occurrence becomes a fresh variable and an equation of its own.
//! That need not end, so there is fuel; without it, [`Unifier::gave_up`] is set and the solutions are not all.

use super::term::{Arena, Args, Subst, TermId, TermNode, Var};
use crate::timbuk::OpId;
use smallvec::SmallVec;

/// Steps for one problem.
const FUEL: u32 = 3_000;

/// AC equations that may be solved one inside the other: each takes room on the stack.
const NESTING: u32 = 100;

/// AC equations between terms with variables, one following from another. Repeated variables make them, and each may
/// double the terms.
const ROUNDS: u32 = 6;

/// Pairs of variables that may share a fresh one.
const PAIRS: usize = 10;

/// Fresh variables count from here.
pub const FRESH: Var = 1 << 24;

/// A solution of the equations so far: a unifier modulo AC.
#[derive(Clone, Default, Debug)]
pub struct Solution {
    /// What variables are bound to.
    pub subst: Subst,
    /// Variables that are naturals; bound ones may be among them.
    pub naturals: SmallVec<[Var; 8]>,
    /// AC equations between terms with variables so far.
    pub rounds: u32,
}

/// A problem being solved.
pub struct Unifier<'a> {
    /// Where terms are made.
    pub arena: &'a mut Arena,
    /// Variables below this are constants (for matching).
    pub rigid: Var,
    /// Not all solutions were found.
    pub gave_up: bool,
    fresh: Var,
    fuel: u32,
    nesting: u32,
    found: Vec<Solution>,
}

/// An AC equation being taken apart.
#[derive(Clone)]
struct Lists {
    op: OpId,
    /// Arguments that are no variables, left and right.
    left: Vec<TermId>,
    right: Vec<TermId>,
    /// Variables, and what fell into them.
    left_vars: Vec<(TermId, Args)>,
    right_vars: Vec<(TermId, Args)>,
    /// Pairs that met, and equations of repeated variables.
    pairs: Vec<(TermId, TermId)>,
}

impl<'a> Unifier<'a> {
    /// Unifies; variables below `rigid` are constants.
    pub fn new(arena: &'a mut Arena, rigid: Var) -> Unifier<'a> {
        Unifier { arena, rigid, gave_up: false, fresh: FRESH, fuel: FUEL, nesting: 0, found: Vec::new() }
    }
    /// All solutions of an equation that extend `start`.
    pub fn solve(&mut self, a: TermId, b: TermId, start: Solution) -> Vec<Solution> {
        self.run(vec![(a, b)], start);
        std::mem::take(&mut self.found)
    }

    /// Equations from the last one on.
    fn run(&mut self, mut goals: Vec<(TermId, TermId)>, mut s: Solution) {
        while let Some((a, b)) = goals.pop() {
            if self.fuel == 0 {
                self.gave_up = true;
                return;
            }
            self.fuel -= 1;
            let (a, b) = (self.arena.walk(a, &s.subst), self.arena.walk(b, &s.subst));
            if a == b {
                continue;
            }
            if self.arena.ground(a) && self.arena.ground(b) {
                return;
            }
            match (self.arena.node(a).clone(), self.arena.node(b).clone()) {
                (TermNode::Var(v), TermNode::Var(w)) => {
                    if !self.join(v, w, &mut s) {
                        return;
                    }
                }
                (TermNode::Var(v), _) => {
                    if !self.bind(v, b, &mut s) {
                        return;
                    }
                }
                (_, TermNode::Var(w)) => {
                    if !self.bind(w, a, &mut s) {
                        return;
                    }
                }
                (TermNode::Succ(n, x), TermNode::Succ(m, y)) => {
                    let k = n.min(m);
                    let (x, y) = (self.arena.succ(n - k, x), self.arena.succ(m - k, y));
                    goals.push((x, y));
                }
                (TermNode::App(f, xs), TermNode::App(g, ys)) if f == g && !self.arena.is_ac(f) => {
                    goals.extend(xs.into_iter().zip(ys).rev());
                }
                (TermNode::App(f, xs), TermNode::App(g, ys)) if f == g => {
                    if self.nesting == NESTING {
                        self.gave_up = true;
                        return;
                    }
                    if !self.arena.ground(a) && !self.arena.ground(b) {
                        s.rounds += 1;
                        if s.rounds > ROUNDS {
                            self.gave_up = true;
                            return;
                        }
                    }
                    self.nesting += 1;
                    if let Some(lists) = self.lists(f, &xs, &ys, &s) {
                        self.meet(lists, 0, &goals, &s);
                    }
                    self.nesting -= 1;
                    return;
                }
                _ => return,
            }
        }
        self.found.push(s);
    }

    fn is_rigid(&self, v: Var) -> bool {
        v < self.rigid
    }

    fn join(&mut self, v: Var, w: Var, s: &mut Solution) -> bool {
        let natural = (s.naturals.contains(&v), s.naturals.contains(&w));
        let (bound, to) = match (self.is_rigid(v), self.is_rigid(w)) {
            (true, true) => return false,
            (false, true) => (v, w),
            (true, false) => (w, v),
            (false, false) if natural.1 => (v, w),
            (false, false) => (w, v),
        };
        let to_natural = if to == v { natural.0 } else { natural.1 };
        if (natural.0 || natural.1) && !to_natural {
            if self.is_rigid(to) {
                return false;
            }
            s.naturals.push(to);
        }
        let t = self.arena.var(to);
        s.subst.bind(bound, t);
        true
    }

    fn bind(&mut self, v: Var, t: TermId, s: &mut Solution) -> bool {
        if self.is_rigid(v) || self.occurs(v, t, &s.subst) {
            return false;
        }
        if s.naturals.contains(&v) && !self.make_natural(t, s) {
            return false;
        }
        s.subst.bind(v, t);
        true
    }

    /// Can the term be a natural? Its variable then is one.
    pub fn make_natural(&mut self, t: TermId, s: &mut Solution) -> bool {
        let t = self.arena.walk(t, &s.subst);
        match self.arena.node(t) {
            TermNode::Succ(_, base) => {
                let base = *base;
                self.make_natural(base, s)
            }
            TermNode::Var(v) => {
                let v = *v;
                if s.naturals.contains(&v) {
                    return true;
                }
                if self.is_rigid(v) {
                    return false;
                }
                s.naturals.push(v);
                true
            }
            TermNode::App(..) => self.arena.first().is_some_and(|f| f.0 == t),
        }
    }

    fn occurs(&self, v: Var, t: TermId, subst: &Subst) -> bool {
        if self.arena.ground(t) {
            return false;
        }
        match self.arena.node(t) {
            TermNode::Var(w) => *w == v || subst.get(*w).is_some_and(|u| self.occurs(v, u, subst)),
            TermNode::Succ(_, base) => self.occurs(v, *base, subst),
            TermNode::App(_, args) => args.iter().any(|a| self.occurs(v, *a, subst)),
        }
    }

    /// Could they be unified as far as operators go?
    fn may_meet(&self, a: TermId, b: TermId, s: &Solution) -> bool {
        let (a, b) = (self.arena.walk(a, &s.subst), self.arena.walk(b, &s.subst));
        if a == b {
            return true;
        }
        if self.arena.ground(a) && self.arena.ground(b) {
            return false;
        }
        match (self.arena.node(a), self.arena.node(b)) {
            (TermNode::Var(v), TermNode::Var(w)) => !(self.is_rigid(*v) && self.is_rigid(*w)),
            (TermNode::Var(v), _) | (_, TermNode::Var(v)) => !self.is_rigid(*v),
            // the rest of the longer one is no successor, so it must meet a variable or be of the same length
            (TermNode::Succ(n, x), TermNode::Succ(m, y)) => match n.cmp(m) {
                std::cmp::Ordering::Equal => self.may_meet(*x, *y, s),
                std::cmp::Ordering::Less => matches!(self.arena.node(*x), TermNode::Var(_)),
                std::cmp::Ordering::Greater => matches!(self.arena.node(*y), TermNode::Var(_)),
            },
            (TermNode::App(f, xs), TermNode::App(g, ys)) => {
                f == g && (self.arena.is_ac(*f) || xs.iter().zip(ys).all(|(x, y)| self.may_meet(*x, *y, s)))
            }
            _ => false,
        }
    }

    /// The two lists, with bindings followed and what both have taken away. `None` when they cannot be equal.
    fn lists(&mut self, op: OpId, xs: &[TermId], ys: &[TermId], s: &Solution) -> Option<Lists> {
        let (mut left, mut right) = (self.flat(op, xs, s), self.flat(op, ys, s));
        left.sort_unstable();
        right.sort_unstable();
        let (mut i, mut j) = (0, 0);
        let (mut rest_left, mut rest_right) = (Vec::new(), Vec::new());
        while i < left.len() && j < right.len() {
            match left[i].cmp(&right[j]) {
                std::cmp::Ordering::Equal => (i, j) = (i + 1, j + 1),
                std::cmp::Ordering::Less => {
                    rest_left.push(left[i]);
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    rest_right.push(right[j]);
                    j += 1;
                }
            }
        }
        rest_left.extend_from_slice(&left[i..]);
        rest_right.extend_from_slice(&right[j..]);
        if rest_left.is_empty() != rest_right.is_empty() {
            return None;
        }
        let mut pairs = Vec::new();
        let (left, left_vars) = self.split(rest_left, s, &mut pairs);
        let (right, right_vars) = self.split(rest_right, s, &mut pairs);
        Some(Lists { op, left, right, left_vars, right_vars, pairs })
    }

    fn flat(&mut self, op: OpId, args: &[TermId], s: &Solution) -> Vec<TermId> {
        let mut out = Vec::new();
        for a in args {
            let a = self.arena.walk(*a, &s.subst);
            match self.arena.node(a).clone() {
                TermNode::App(g, inner) if g == op => out.extend(self.flat(op, &inner, s)),
                _ => out.push(a),
            }
        }
        out
    }

    /// Separates variables from the rest. A variable that is a natural is a single argument.
    #[allow(clippy::type_complexity)]
    fn split(
        &mut self,
        list: Vec<TermId>,
        s: &Solution,
        pairs: &mut Vec<(TermId, TermId)>,
    ) -> (Vec<TermId>, Vec<(TermId, Args)>) {
        let mut rest = Vec::new();
        let mut vars: Vec<(TermId, Args)> = Vec::new();
        for t in list {
            match self.arena.node(t) {
                TermNode::Var(v) if !self.is_rigid(*v) && !s.naturals.contains(v) => {
                    if vars.last().is_some_and(|l| l.0 == t) || vars.iter().any(|l| l.0 == t) {
                        let w = self.fresh();
                        pairs.push((w, t));
                        vars.push((w, Args::new()));
                    } else {
                        vars.push((t, Args::new()));
                    }
                }
                _ => rest.push(t),
            }
        }
        (rest, vars)
    }

    fn fresh(&mut self) -> TermId {
        self.fresh += 1;
        self.arena.var(self.fresh)
    }

    /// Each argument on the right meets one on the left, or falls into a variable on the left.
    fn meet(&mut self, l: Lists, at: usize, goals: &[(TermId, TermId)], s: &Solution) {
        if self.fuel == 0 {
            self.gave_up = true;
            return;
        }
        self.fuel -= 1;
        let Some(p) = l.right.get(at).copied() else {
            self.fall(l, 0, goals, s);
            return;
        };
        for i in 0..l.left.len() {
            // one of several that are the same is as good as any
            if l.left[..i].contains(&l.left[i]) || !self.may_meet(l.left[i], p, s) {
                continue;
            }
            let mut next = l.clone();
            let q = next.left.remove(i);
            next.pairs.push((q, p));
            self.meet(next, at + 1, goals, s);
        }
        for k in 0..l.left_vars.len() {
            let mut next = l.clone();
            next.left_vars[k].1.push(p);
            self.meet(next, at + 1, goals, s);
        }
    }

    /// What is left over on the left falls into a variable on the right.
    fn fall(&mut self, l: Lists, at: usize, goals: &[(TermId, TermId)], s: &Solution) {
        let Some(q) = l.left.get(at).copied() else {
            self.share(l, goals, s);
            return;
        };
        for k in 0..l.right_vars.len() {
            let mut next = l.clone();
            next.right_vars[k].1.push(q);
            if self.fuel == 0 {
                self.gave_up = true;
                return;
            }
            self.fuel -= 1;
            self.fall(next, at + 1, goals, s);
        }
    }

    /// Variables of both sides may share fresh ones; none may be empty.
    fn share(&mut self, l: Lists, goals: &[(TermId, TermId)], s: &Solution) {
        let pairs = l.left_vars.len() * l.right_vars.len();
        if pairs > PAIRS {
            self.gave_up = true;
            return;
        }
        for mask in 0u32..1 << pairs {
            let mut next = l.clone();
            for k in 0..pairs {
                if mask >> k & 1 == 1 {
                    let z = self.fresh();
                    let width = l.right_vars.len();
                    next.left_vars[k / width].1.push(z);
                    next.right_vars[k % width].1.push(z);
                }
            }
            if next.left_vars.iter().chain(&next.right_vars).any(|v| v.1.is_empty()) {
                continue;
            }
            let mut goals = goals.to_vec();
            // repeated variables last, so that they come first off the stack only when all else is bound
            goals.extend(next.pairs.iter().rev());
            for (v, args) in next.left_vars.into_iter().chain(next.right_vars) {
                let t = self.arena.app(next.op, args);
                goals.push((v, t));
            }
            self.run(goals, s.clone());
        }
    }
}
