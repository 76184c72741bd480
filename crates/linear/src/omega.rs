//! The omega test (Pugh, "The omega test", 1991): an exact decision of conjunctions over the integers
//! by eliminating variables. Equalities go by unimodular substitution, inequalities by Fourier-Motzkin
//! where that is exact, else by dark shadow and splinters. Budgeted; used where branching gives up.

use crate::{LinExpr, Rat, Rel, Var};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What the test finds.
pub enum OmegaOutcome {
    /// Integers that satisfy all constraints; variables that are missing may be anything.
    Model(BTreeMap<Var, Rat>),
    /// No integers satisfy all of them.
    Unsat,
    /// The budget ran out.
    Unknown,
}

/// Decides a conjunction of constraints `e rel 0` with integer coefficients and constants. The budget counts
/// constraints written.
pub fn decide(constraints: Vec<(LinExpr, Rel)>, budget: &mut usize) -> OmegaOutcome {
    let fresh =
        constraints.iter().flat_map(|c| c.0.vars()).map(|v| v.0).max().map_or(0, |m| m.saturating_add(1));
    let mut s = Search { fresh, budget };
    s.solve(constraints, 0)
}

struct Search<'a> {
    fresh: u32,
    budget: &'a mut usize,
}

/// Nested shadows and splinters deeper than this are given up: recursion must stay shallow.
const MAX_DEPTH: usize = 200;

impl Search<'_> {
    fn solve(&mut self, constraints: Vec<(LinExpr, Rel)>, depth: usize) -> OmegaOutcome {
        if *self.budget < constraints.len() + 1 || depth > MAX_DEPTH {
            *self.budget = 0;
            return OmegaOutcome::Unknown;
        }
        *self.budget -= constraints.len() + 1;
        let Some((mut eqs, les)) = normalise(&constraints) else { return OmegaOutcome::Unsat };
        if let Some(eq) = take_simplest(&mut eqs) {
            let rest = eqs.into_iter().map(|e| (e, Rel::Eq)).chain(les.into_iter().map(|e| (e, Rel::Le)));
            return self.eliminate_equality(&eq, rest.collect(), depth);
        }
        self.eliminate_variable(les, depth)
    }

    /// Solves for a variable of the least coefficient `a`; where `a` is not 1, a new variable
    /// `t = x + sum q_i x_i` stands for the quotients first (Euclid).
    fn eliminate_equality(
        &mut self,
        eq: &LinExpr,
        mut rest: Vec<(LinExpr, Rel)>,
        depth: usize,
    ) -> OmegaOutcome {
        let Some((x, a)) = eq.terms().iter().min_by_key(|t| t.1.abs()).cloned() else {
            return OmegaOutcome::Unsat;
        };
        let others = eq.sub(&LinExpr::var(x).scale(&a));
        let value = if a.abs().is_one() {
            others.scale(&-&a)
        } else {
            let t = Var(self.fresh);
            let Some(next) = self.fresh.checked_add(1) else { return OmegaOutcome::Unknown };
            self.fresh = next;
            let quotients = others.terms().iter().map(|(v, c)| (*v, (c / &a).floor()));
            let quotients = LinExpr::new(quotients, Rat::zero());
            let value = LinExpr::var(t).sub(&quotients);
            rest.push((eq.clone(), Rel::Eq));
            value
        };
        for (e, _) in &mut rest {
            let k = e.coeff(x);
            if !k.is_zero() {
                *e = e.sub(&LinExpr::var(x).scale(&k)).add_scaled(&value, &k);
            }
        }
        match self.solve(rest, depth + 1) {
            OmegaOutcome::Model(mut m) => {
                let v = value.eval(|v| m.get(&v).cloned().unwrap_or_else(Rat::zero));
                for v in value.vars() {
                    m.entry(v).or_insert_with(Rat::zero);
                }
                m.insert(x, v);
                OmegaOutcome::Model(m)
            }
            other => other,
        }
    }

    fn eliminate_variable(&mut self, les: Vec<LinExpr>, depth: usize) -> OmegaOutcome {
        let Some(choice) = choose(&les) else { return OmegaOutcome::Model(BTreeMap::new()) };
        let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for e in les {
            let k = e.coeff(choice.var);
            if k.is_zero() {
                rest.push(e);
            } else if k.is_negative() {
                lower.push(e);
            } else {
                upper.push(e);
            }
        }
        let x = choice.var;
        let mut shadow = |dark: bool| -> Option<Vec<(LinExpr, Rel)>> {
            let mut out: Vec<(LinExpr, Rel)> = rest.iter().map(|e| (e.clone(), Rel::Le)).collect();
            if *self.budget < lower.len() * upper.len() {
                *self.budget = 0;
                return None;
            }
            *self.budget -= lower.len() * upper.len();
            for l in &lower {
                for u in &upper {
                    // b x >= beta, a x <= alpha: a beta <= b alpha, by (a-1)(b-1) less in the dark.
                    let (b, a) = (l.coeff(x).abs(), u.coeff(x));
                    let mut e = l.scale(&a).add_scaled(u, &b);
                    if dark {
                        let gap = &(&a - &Rat::one()) * &(&b - &Rat::one());
                        e = e.add(&LinExpr::constant(gap));
                    }
                    out.push((e, Rel::Le));
                }
            }
            Some(out)
        };
        let exact = choice.exact;
        let Some(first) = shadow(!exact) else { return OmegaOutcome::Unknown };
        let real = if exact { None } else { shadow(false) };
        match self.solve(first, depth + 1) {
            OmegaOutcome::Model(m) => return place(x, &lower, &upper, m),
            OmegaOutcome::Unknown => return OmegaOutcome::Unknown,
            OmegaOutcome::Unsat if exact => return OmegaOutcome::Unsat,
            OmegaOutcome::Unsat => {}
        }
        let Some(real) = real else { return OmegaOutcome::Unknown };
        match self.solve(real, depth + 1) {
            OmegaOutcome::Unsat => return OmegaOutcome::Unsat,
            OmegaOutcome::Unknown => return OmegaOutcome::Unknown,
            OmegaOutcome::Model(_) => {}
        }
        // A solution outside the dark shadow is close above some lower bound: b x = beta + i.
        let Some(a) = upper.iter().map(|u| u.coeff(x)).max() else { return OmegaOutcome::Unknown };
        for l in &lower {
            let b = l.coeff(x).abs();
            let last = &(&(&(&a * &b) - &a) - &b) / &a;
            let mut i = Rat::zero();
            while i <= last {
                let mut all: Vec<(LinExpr, Rel)> = rest.iter().map(|e| (e.clone(), Rel::Le)).collect();
                all.extend(lower.iter().chain(&upper).map(|e| (e.clone(), Rel::Le)));
                all.push((l.add(&LinExpr::constant(i.clone())), Rel::Eq));
                match self.solve(all, depth + 1) {
                    OmegaOutcome::Unsat => {}
                    other => return other,
                }
                i = &i + &Rat::one();
            }
        }
        OmegaOutcome::Unsat
    }
}

/// Gives `x` an integer between its bounds, as near to 0 as can be.
fn place(x: Var, lower: &[LinExpr], upper: &[LinExpr], mut m: BTreeMap<Var, Rat>) -> OmegaOutcome {
    for e in lower.iter().chain(upper) {
        for v in e.vars().filter(|v| *v != x) {
            m.entry(v).or_insert_with(Rat::zero);
        }
    }
    let at = |e: &LinExpr| {
        let k = e.coeff(x);
        let rest =
            e.eval(|v| if v == x { Rat::zero() } else { m.get(&v).cloned().unwrap_or_else(Rat::zero) });
        &-&rest / &k
    };
    let lo = lower.iter().map(|e| at(e).ceil()).max();
    let hi = upper.iter().map(|e| at(e).floor()).min();
    let mut value = Rat::zero();
    if let Some(hi) = hi {
        value = value.min(hi);
    }
    if let Some(lo) = lo {
        value = value.max(lo);
    }
    m.insert(x, value);
    OmegaOutcome::Model(m)
}

struct Choice {
    var: Var,
    exact: bool,
}

/// The variable whose elimination is exact and writes the fewest constraints; one bounded on one side
/// only is best of all.
fn choose(les: &[LinExpr]) -> Option<Choice> {
    // lower count, upper count, all lower 1, all upper 1
    let mut seen: BTreeMap<Var, (usize, usize, bool, bool)> = BTreeMap::new();
    for e in les {
        for (v, c) in e.terms() {
            let s = seen.entry(*v).or_insert((0, 0, true, true));
            if c.is_negative() {
                s.0 += 1;
                s.2 &= (-c).is_one();
            } else {
                s.1 += 1;
                s.3 &= c.is_one();
            }
        }
    }
    let cost = |s: &(usize, usize, bool, bool)| {
        let exact = s.2 || s.3 || s.0 == 0 || s.1 == 0;
        (!exact, s.0 * s.1)
    };
    let (var, s) = seen.iter().min_by_key(|(_, s)| cost(s))?;
    Some(Choice { var: *var, exact: !cost(s).0 })
}

type Split = (Vec<LinExpr>, Vec<LinExpr>);

/// Equalities and inequalities, tightened, the strongest of each form; `None` when two contradict.
/// Opposite inequalities that meet become an equality.
fn normalise(constraints: &[(LinExpr, Rel)]) -> Option<Split> {
    use crate::{Atom, Norm};
    let (mut eqs, mut les): (Vec<LinExpr>, Vec<LinExpr>) = (Vec::new(), Vec::new());
    let mut seen: FxHashMap<Vec<(Var, Rat)>, usize> = FxHashMap::default();
    for (e, rel) in constraints {
        let n = if *rel == Rel::Eq { Atom::eq(e) } else { Atom::le(e) };
        let a = match n {
            Norm::True => continue,
            Norm::False => return None,
            Norm::Atom(a) => a,
        };
        if a.rel() == Rel::Eq {
            eqs.push(a.expr().clone());
            continue;
        }
        match seen.get(a.expr().terms()) {
            Some(&i) => {
                if a.expr().constant_part() > les[i].constant_part() {
                    les[i] = a.expr().clone();
                }
            }
            None => {
                seen.insert(a.expr().terms().to_vec(), les.len());
                les.push(a.expr().clone());
            }
        }
    }
    let mut drop = vec![false; les.len()];
    for i in 0..les.len() {
        let opposite: Vec<(Var, Rat)> = les[i].terms().iter().map(|(v, c)| (*v, -c)).collect();
        if let Some(&j) = seen.get(&opposite)
            && i < j
        {
            let slack = les[i].constant_part() + les[j].constant_part();
            if slack.is_positive() {
                return None;
            }
            if slack.is_zero() {
                eqs.push(les[i].clone());
                (drop[i], drop[j]) = (true, true);
            }
        }
    }
    let mut keep = drop.into_iter();
    les.retain(|_| !keep.next().unwrap_or(false));
    Some((eqs, les))
}

/// Takes out the equality with the smallest coefficient, the shortest of these.
fn take_simplest(eqs: &mut Vec<LinExpr>) -> Option<LinExpr> {
    let key = |e: &LinExpr| (e.terms().iter().map(|t| t.1.abs()).min(), e.terms().len());
    let i = (0..eqs.len()).min_by_key(|&i| key(&eqs[i]))?;
    Some(eqs.swap_remove(i))
}
