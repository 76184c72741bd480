//! Narrowing: all rewritings of a term's ground instances, as terms again (BNRT section 3, line 8 of figure 1).
//!
//! A rule applies at a position where its left side unifies with the subterm modulo AC; below an AC operator it
//! applies to some of the arguments, which is the rule extended by a variable for the others. Rewritings below a
//! variable's place are not made: where the variable occurs once their results are instances of the term itself.
//! Where that is not so [`Narrowing::gap`] says it.

use super::bounds::{Bounds, Difference, TooLarge};
use super::gap::Gap;
use super::term::{Arena, Args, TermId, TermNode, Var};
use super::unify::{Solution, Unifier};
use crate::timbuk::{self, Comparison, OpId, Sum, System};
use smallvec::SmallVec;

/// Variables of rules count from here, fresh ones from [`super::unify::FRESH`], those of configurations from 0.
pub const RULE: Var = 1 << 20;

/// The largest natural that rules may rewrite.
const SUCCESSORS: u64 = 1000;

/// The largest natural that is counted with.
const LARGE: u64 = u32::MAX as u64;

/// A term with conditions on its variables; they are numbered in the order in which they occur.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// The term, whose instances under the bounds are meant.
    pub term: TermId,
    /// Its variables that are naturals, ascending.
    pub naturals: Vec<Var>,
    /// Their bounds, in this order.
    pub bounds: Bounds,
}

/// A rule, ready for use.
struct Ready {
    left: TermId,
    right: TermId,
    /// Below an AC operator: both sides with one more argument, a variable.
    extended: Option<(TermId, TermId)>,
    condition: Vec<timbuk::Atom>,
}

/// The rules, ready for use.
pub struct Rules {
    list: Vec<Ready>,
    /// Stands for the arguments of an AC operator that a rule leaves alone.
    pub rest: Var,
    /// The value of the smallest natural, 0 or 1.
    pub least: u64,
    /// A rule may rewrite a natural.
    pub rewrite_naturals: bool,
}

/// A rewriting of some instances of a configuration.
#[derive(Clone, Debug)]
pub struct Step {
    /// Place of the rule in [`System::rules`].
    pub rule: usize,
    /// Below an AC operator: with the variable [`Rules::rest`] for the other arguments.
    pub extended: bool,
    /// Bindings of the configuration's and of the rule's variables.
    pub solution: Solution,
    /// Variables that are naturals, with their bounds.
    pub naturals: Vec<Var>,
    /// Bounds of `naturals`, in their order.
    pub bounds: Bounds,
    /// What the instances become.
    pub next: Config,
    /// The result's variables by number: what they were called in `solution`.
    pub names: Vec<Var>,
}

/// What comes of a configuration.
#[derive(Default)]
pub struct Narrowing {
    /// Its rewritings, rule after rule.
    pub steps: Vec<Step>,
    /// Why these may not be all.
    pub gap: Option<Gap>,
}

/// A position in a term: the way to it from the root.
type Position = SmallVec<[Hop; 6]>;

#[derive(Clone, Copy)]
enum Hop {
    /// Into the argument with this index.
    Argument(u32),
    /// Below that many successors of a number.
    Below(u64),
}

/// A natural: a variable's value, or 0, and a number.
type Natural = (Option<Var>, u64);

impl Rules {
    /// Makes a system's rules ready.
    pub fn new(system: &System, arena: &mut Arena) -> Rules {
        let var = |v: timbuk::VarId| RULE + v.0;
        let rest = RULE + system.vars.len() as u32;
        let mut list = Vec::new();
        let mut rewrite_naturals = false;
        for r in system.rules() {
            let (left, right) = (arena.import(&r.left, &var), arena.import(&r.right, &var));
            let extended = match arena.node(left).clone() {
                TermNode::App(op, args) if arena.is_ac(op) && !absorbs(arena, op, &args, right, r, &var) => {
                    let rest = arena.var(rest);
                    let with = |arena: &mut Arena, t| arena.app(op, Args::from_slice(&[t, rest]));
                    Some((with(arena, left), with(arena, right)))
                }
                _ => None,
            };
            rewrite_naturals |=
                matches!(arena.node(left), TermNode::Succ(..)) || arena.first().is_some_and(|f| f.0 == left);
            list.push(Ready { left, right, extended, condition: r.condition.clone() });
        }
        let least = system.naturals.map_or(0, |n| n.value);
        Rules { list, rest, least, rewrite_naturals }
    }

    /// A configuration of the input: a pattern with its condition. Several where it has a `!=`.
    pub fn initial(&self, p: &timbuk::Pattern, arena: &mut Arena) -> Result<Vec<Step>, TooLarge> {
        let term = arena.import(&p.term, &|v| RULE + v.0);
        self.finish((usize::MAX, false), term, &p.condition, Solution::default(), None, arena)
    }

    /// All steps of a configuration.
    pub fn narrow(&self, config: &Config, arena: &mut Arena) -> Narrowing {
        let mut out = Narrowing::default();
        let mut places = Vec::new();
        if !self.places(config.term, &mut Position::new(), arena, &mut places) {
            out.gap = Some(Gap::LargeRewritten);
        }
        for (sub, path) in places {
            for (i, r) in self.list.iter().enumerate() {
                // an operator of the left side that a ground term does not have
                let missing = arena.ground(sub) && arena.operators(r.left) & !arena.operators(sub) != 0;
                if missing || !same_root(arena, r.left, sub) {
                    continue;
                }
                for (k, (left, right)) in std::iter::once((r.left, r.right)).chain(r.extended).enumerate() {
                    let mut unifier = Unifier::new(arena, 0);
                    let start =
                        Solution { naturals: SmallVec::from_slice(&config.naturals), ..Solution::default() };
                    let solutions = unifier.solve(sub, left, start);
                    if unifier.gave_up {
                        out.gap.get_or_insert(Gap::Unification);
                    }
                    for s in solutions {
                        let term = replace_at(arena, config.term, &path, right);
                        match self.finish((i, k > 0), term, &r.condition, s, Some(config), arena) {
                            Ok(steps) => out.steps.extend(steps),
                            Err(TooLarge) => {
                                out.gap.get_or_insert(Gap::TooLarge);
                            }
                        }
                    }
                }
            }
        }
        self.dedup(&mut out.steps);
        if let Some(why) = self.below_variables(config, arena) {
            out.gap.get_or_insert(why);
        }
        out
    }

    fn dedup(&self, steps: &mut Vec<Step>) {
        let mut seen = rustc_hash::FxHashSet::default();
        steps.retain(|s| seen.insert(s.next.clone()));
    }

    /// Is there a variable whose instances may be rewritten with a result that is no instance of the term?
    fn below_variables(&self, config: &Config, arena: &mut Arena) -> Option<Gap> {
        if self.list.is_empty() {
            return None;
        }
        if self.rewrite_naturals && !config.naturals.is_empty() {
            return Some(Gap::NaturalVariable);
        }
        let mut once: Vec<Var> = Vec::new();
        let mut twice = false;
        arena.each_var(config.term, &mut |v| {
            if !config.naturals.contains(&v) {
                twice |= once.contains(&v);
                once.push(v);
            }
        });
        twice.then_some(Gap::Twice)
    }

    /// Subterms that rules may apply to, each once where an AC operator has several that are the same. Says whether
    /// these are all.
    fn places(
        &self,
        t: TermId,
        path: &mut Position,
        arena: &mut Arena,
        out: &mut Vec<(TermId, Position)>,
    ) -> bool {
        let mut all = true;
        match arena.node(t).clone() {
            TermNode::Var(_) => {}
            TermNode::Succ(n, base) => {
                if self.rewrite_naturals {
                    // each successor is a place
                    all = n <= SUCCESSORS;
                    for k in 0..n.min(SUCCESSORS) {
                        let inner = arena.succ(n - k, base);
                        path.push(Hop::Below(k));
                        out.push((inner, path.clone()));
                        path.pop();
                    }
                }
                path.push(Hop::Below(n));
                all &= self.places(base, path, arena, out);
                path.pop();
            }
            TermNode::App(op, args) => {
                out.push((t, path.clone()));
                for (i, a) in args.iter().enumerate() {
                    if arena.is_ac(op) && i > 0 && args[i - 1] == *a {
                        continue;
                    }
                    path.push(Hop::Argument(i as u32));
                    all &= self.places(*a, path, arena, out);
                    path.pop();
                }
            }
        }
        all
    }

    /// Applies bindings, adds the condition, gives the result its names.
    fn finish(
        &self,
        (rule, extended): (usize, bool),
        term: TermId,
        condition: &[timbuk::Atom],
        mut s: Solution,
        from: Option<&Config>,
        arena: &mut Arena,
    ) -> Result<Vec<Step>, TooLarge> {
        let term = arena.apply(term, &s.subst);
        // both sides of each comparison become naturals first, as that may bind nothing but adds variables
        let mut sides = Vec::new();
        for a in condition {
            let mut side = |sum: Sum| -> Result<Option<Natural>, TooLarge> {
                let Some(v) = sum.var else { return Ok(Some((None, sum.plus))) };
                let t = arena.var(RULE + v.0);
                let t = arena.apply(t, &s.subst);
                if !Unifier::new(arena, 0).make_natural(t, &mut s) {
                    return Ok(None);
                }
                natural(arena, t, self.least, sum.plus).map(Some)
            };
            match (side(a.left)?, side(a.right)?) {
                (Some(l), Some(r)) => sides.push((l, a.comparison, r)),
                _ => return Ok(Vec::new()),
            }
        }
        let mut naturals: Vec<Var> =
            s.naturals.iter().copied().filter(|v| s.subst.get(*v).is_none()).collect();
        naturals.sort_unstable();
        naturals.dedup();
        let mut start: Vec<(Natural, Natural, i64)> = Vec::new();
        if let Some(c) = from {
            let mut old = vec![(None, 0)];
            for v in &c.naturals {
                let t = arena.var(*v);
                let t = arena.apply(t, &s.subst);
                old.push(natural(arena, t, self.least, 0)?);
            }
            start.extend(c.bounds.list().map(|(i, j, k)| (old[i], old[j], k)));
        }
        let mut cases = vec![start];
        for (l, comparison, r) in sides {
            let ways: &[&[(bool, i64)]] = match comparison {
                Comparison::Lt => &[&[(true, -1)]],
                Comparison::Le => &[&[(true, 0)]],
                Comparison::Gt => &[&[(false, -1)]],
                Comparison::Ge => &[&[(false, 0)]],
                Comparison::Eq => &[&[(true, 0), (false, 0)]],
                Comparison::Ne => &[&[(true, -1)], &[(false, -1)]],
            };
            cases = cases
                .iter()
                .flat_map(|case| {
                    ways.iter().map(move |way| {
                        let more = way.iter().map(|(left, k)| if *left { (l, r, *k) } else { (r, l, *k) });
                        case.iter().copied().chain(more).collect()
                    })
                })
                .collect();
        }
        let mut out = Vec::new();
        for case in cases {
            let index = |n: &Natural| n.0.and_then(|v| naturals.binary_search(&v).ok()).map_or(0, |i| i + 1);
            let mut list: Vec<Difference> = Vec::new();
            let mut holds = true;
            for (l, r, k) in &case {
                // l + m - (r + n) <= k
                let k = k - l.1 as i64 + r.1 as i64;
                match (index(l), index(r)) {
                    (i, j) if i == j => holds &= k >= 0,
                    (i, j) => list.push((i, j, k)),
                }
            }
            if !holds {
                continue;
            }
            let Some(bounds) = Bounds::close(naturals.len(), self.least as i64, &list)? else { continue };
            let (next, names) = canonical(arena, term, &naturals, &bounds);
            let (solution, naturals) = (s.clone(), naturals.clone());
            out.push(Step { rule, extended, solution, naturals, bounds, next, names });
        }
        Ok(out)
    }
}

/// Does the left side, below an AC operator, have a variable of its own for the other arguments already?
fn absorbs(
    arena: &Arena,
    op: OpId,
    left: &[TermId],
    right: TermId,
    rule: &timbuk::Rule,
    var: &impl Fn(timbuk::VarId) -> Var,
) -> bool {
    let kept = |t: TermId| {
        t == right || matches!(arena.node(right), TermNode::App(g, args) if *g == op && args.contains(&t))
    };
    let occurrences = |t: &timbuk::Term, v: Var| {
        let mut n = 0;
        t.each_var(&mut |w| n += u32::from(var(w) == v));
        n
    };
    left.iter().any(|t| match arena.node(*t) {
        TermNode::Var(v) => {
            kept(*t)
                && occurrences(&rule.left, *v) == 1
                && occurrences(&rule.right, *v) == 1
                && timbuk::condition_vars(&rule.condition).all(|w| var(w) != *v)
        }
        _ => false,
    })
}

fn same_root(arena: &Arena, a: TermId, b: TermId) -> bool {
    match (arena.node(a), arena.node(b)) {
        (TermNode::App(f, _), TermNode::App(g, _)) => f == g,
        (TermNode::Succ(..), TermNode::Succ(..)) => true,
        _ => false,
    }
}

fn replace_at(arena: &mut Arena, t: TermId, path: &[Hop], new: TermId) -> TermId {
    let Some((hop, rest)) = path.split_first() else { return new };
    match (arena.node(t).clone(), hop) {
        (TermNode::App(op, mut args), Hop::Argument(i)) => {
            let i = *i as usize;
            args[i] = replace_at(arena, args[i], rest, new);
            arena.app(op, args)
        }
        (TermNode::Succ(n, base), Hop::Below(k)) => {
            let inner = arena.succ(n - k, base);
            let inner = replace_at(arena, inner, rest, new);
            arena.succ(*k, inner)
        }
        _ => t,
    }
}

/// A term that is a natural, and `plus`, as a variable and a number.
pub fn natural(arena: &Arena, t: TermId, least: u64, plus: u64) -> Result<Natural, TooLarge> {
    let (n, base) = match arena.node(t) {
        TermNode::Succ(n, base) => (*n, *base),
        _ => (0, t),
    };
    let (var, first) = match arena.node(base) {
        TermNode::Var(v) => (Some(*v), 0),
        _ => (None, least),
    };
    n.checked_add(plus)
        .and_then(|n| n.checked_add(first))
        .filter(|n| *n <= LARGE)
        .map(|n| (var, n))
        .ok_or(TooLarge)
}

/// The configuration with its variables numbered in their order; what they were called.
fn canonical(arena: &mut Arena, term: TermId, naturals: &[Var], bounds: &Bounds) -> (Config, Vec<Var>) {
    if arena.ground(term) {
        return (Config { term, naturals: Vec::new(), bounds: Bounds::default() }, Vec::new());
    }
    let mut names: Vec<Var> = Vec::new();
    arena.each_var(term, &mut |v| {
        if !names.contains(&v) {
            names.push(v);
        }
    });
    let new: Vec<TermId> = (0..names.len() as Var).map(|v| arena.var(v)).collect();
    let renamed = arena.rename(term, &|v| names.iter().position(|n| *n == v).map(|i| new[i]));
    let mut kept = Vec::new();
    let mut keep = Vec::new();
    for (i, v) in names.iter().enumerate() {
        if let Ok(k) = naturals.binary_search(v) {
            kept.push(i as Var);
            keep.push(k + 1);
        }
    }
    (Config { term: renamed, naturals: kept, bounds: bounds.project(&keep) }, names)
}
