//! Refutation of conjunctions over rationals, with Farkas multipliers chosen for few and simple atoms.
//!
//! Equalities `x = y + c` are substituted away first (`offsets`). If difference bounds remain, a negative
//! cycle of few edges is a proof with multipliers of 0 and 1 (`cycle`); otherwise an exact simplex
//! decides, and a linear program finds the multipliers of least weight (`farkas`).

mod cycle;
mod farkas;
mod offsets;

use cycle::{Cycle, Edge};
use offsets::{Graph, Joined, Offsets};
use relyant_linear::simplex::{Conflict, Simplex};
use relyant_linear::{DifferenceBound, LinExpr, Model, Rat, Rel, Var};
use rustc_hash::FxHashMap;

/// `expr rel 0`, with the price of using it. Has a variable, integer coefficients and constant.
#[derive(Clone, Copy)]
pub(crate) struct Constraint<'a> {
    pub expr: &'a LinExpr,
    pub rel: Rel,
    pub weight: u32,
    /// Distance from the root of the tree. Of equal weights the nearer is preferred: its proof tells
    /// fewer nodes anything.
    pub depth: u32,
}

impl Constraint<'_> {
    /// What a proof prefers to be small: weight, then depth.
    fn cost(&self) -> u64 {
        u64::from(self.weight) << 16 | u64::from(self.depth.min(0xffff))
    }
}

/// Contradicting equalities looked at to choose the cheapest proof.
const MAX_CONTRADICTIONS: usize = 16;

/// A constraint over the representatives of the classes of equal variables.
pub(crate) struct Reduced {
    pub expr: LinExpr,
    pub rel: Rel,
    /// The constraint it comes from.
    pub origin: usize,
}

/// A solution over the rationals, and what it was found from.
pub(crate) struct Feasible {
    pub model: Model,
    pub integral: bool,
    /// What remained after substitution; solutions of it extend to all variables by `offsets`.
    pub reduced: Vec<Reduced>,
    pub offsets: Offsets,
}

/// What came of refuting a conjunction of constraints.
pub(crate) enum Refutation {
    /// Multipliers whose weighted sum of constraints is a positive constant.
    Proof(Conflict),
    Feasible(Box<Feasible>),
}

/// Decides a conjunction over rationals.
pub(crate) fn refute(constraints: &[Constraint]) -> Refutation {
    let mut offsets = Offsets::new(constraints);
    // Cheap equalities first: those that contradict them are the dear ones.
    let mut equalities: Vec<(usize, usize, usize, Rat)> = Vec::new();
    let mut substituted = vec![false; constraints.len()];
    for (i, c) in constraints.iter().enumerate() {
        if c.rel == Rel::Eq
            && let Some((x, y, k)) = offsets.equality(c.expr)
        {
            substituted[i] = true;
            equalities.push((i, x, y, k));
        }
    }
    equalities.sort_by_key(|e| constraints[e.0].cost());
    let mut contradictions = Vec::new();
    for (i, x, y, k) in equalities {
        if offsets.join(i, x, y, k) == Joined::Contradiction && contradictions.len() < MAX_CONTRADICTIONS {
            contradictions.push(i);
        }
    }
    let graph = if contradictions.is_empty() { None } else { Some(Graph::new(&offsets, constraints)) };
    let proofs = graph.iter().flat_map(|g| {
        contradictions.iter().map(|i| lift_with(constraints, &offsets, g, vec![(*i, Rat::one())]))
    });
    let cost = |p: &Conflict| p.iter().map(|(i, _)| constraints[*i].cost()).fold(0u64, u64::saturating_add);
    if let Some(cheapest) = proofs.min_by_key(cost) {
        return Refutation::Proof(cheapest);
    }

    let mut strongest: FxHashMap<Vec<(Var, Rat)>, usize> = FxHashMap::default();
    let mut reduced: Vec<Reduced> = Vec::new();
    let mut false_one: Option<usize> = None;
    for (i, c) in constraints.iter().enumerate() {
        if substituted[i] {
            continue;
        }
        let expr = offsets.reduce(c.expr);
        if expr.is_constant() {
            let k = expr.constant_part();
            let fails = if c.rel == Rel::Eq { !k.is_zero() } else { k.is_positive() };
            if fails && false_one.is_none_or(|j| constraints[j].cost() > c.cost()) {
                false_one = Some(i);
            }
            continue;
        }
        if c.rel == Rel::Le {
            match strongest.get(expr.terms()) {
                Some(&j) => {
                    let (old, new) = (reduced[j].expr.constant_part(), expr.constant_part());
                    let cheaper = c.cost() < constraints[reduced[j].origin].cost();
                    if new > old || new == old && cheaper {
                        reduced[j] = Reduced { expr, rel: c.rel, origin: i };
                    }
                    continue;
                }
                None => {
                    strongest.insert(expr.terms().to_vec(), reduced.len());
                }
            }
        }
        reduced.push(Reduced { expr, rel: c.rel, origin: i });
    }
    if let Some(i) = false_one {
        let sign = offsets.reduce(constraints[i].expr).constant_part().is_negative();
        let k = if sign { Rat::from(-1i64) } else { Rat::one() };
        return Refutation::Proof(lift(constraints, &offsets, vec![(i, k)]));
    }

    let (edges, others) = edges(constraints, &reduced);
    let potentials = match cycle::search(&edges) {
        Cycle::Negative(used) => {
            let used = used.into_iter().map(|(r, k)| (reduced[r].origin, k)).collect();
            return Refutation::Proof(lift(constraints, &offsets, used));
        }
        Cycle::None(values) => values,
    };
    if !others {
        return feasible(potentials.into_iter().collect(), reduced, offsets);
    }
    match rational(&reduced) {
        Ok(model) => feasible(model, reduced, offsets),
        Err(conflict) => {
            let weights: Vec<u32> = reduced.iter().map(|r| constraints[r.origin].weight).collect();
            let best = farkas::cheapest(&reduced, &weights, conflict);
            let used = best.into_iter().map(|(r, k)| (reduced[r].origin, k)).collect();
            Refutation::Proof(lift(constraints, &offsets, used))
        }
    }
}

/// The difference bounds among the reduced constraints, and whether there are others.
fn edges(constraints: &[Constraint], reduced: &[Reduced]) -> (Vec<Edge>, bool) {
    let mut edges = Vec::new();
    let mut others = false;
    for (r, c) in reduced.iter().enumerate() {
        let weight = constraints[c.origin].weight;
        let Some(b) = DifferenceBound::of(&c.expr) else {
            others = true;
            continue;
        };
        edges.push(Edge { from: b.to, to: b.from, length: b.c, weight, id: r, sign: 1 });
        if c.rel == Rel::Eq {
            edges.push(Edge { from: b.from, to: b.to, length: -b.c, weight, id: r, sign: -1 });
        }
    }
    (edges, others)
}

fn rational(reduced: &[Reduced]) -> Result<Model, Conflict> {
    let mut s = Simplex::default();
    for (r, c) in reduced.iter().enumerate() {
        s.assert(r, &c.expr, c.rel)?;
    }
    s.check()?;
    Ok(s.values().map(|(v, q)| (v, q.clone())).collect())
}

fn feasible(representatives: Model, reduced: Vec<Reduced>, offsets: Offsets) -> Refutation {
    let model = offsets.extend(&representatives);
    let integral = model.iter().all(|(_, q)| q.is_integer());
    Refutation::Feasible(Box::new(Feasible { model, integral, reduced, offsets }))
}

/// Adds the substituted equalities to a proof: whatever variables remain in the weighted sum cancel
/// along the paths of equalities between them.
fn lift(constraints: &[Constraint], offsets: &Offsets, used: Conflict) -> Conflict {
    lift_with(constraints, offsets, &Graph::new(offsets, constraints), used)
}

fn lift_with(constraints: &[Constraint], offsets: &Offsets, graph: &Graph, used: Conflict) -> Conflict {
    let mut sum = LinExpr::zero();
    for (i, k) in &used {
        sum = sum.add_scaled(constraints[*i].expr, k);
    }
    let mut proof = used;
    proof.extend(offsets.flow(&sum, constraints, graph));
    let total = proof.iter().fold(LinExpr::zero(), |s, (i, k)| s.add_scaled(constraints[*i].expr, k));
    debug_assert!(total.is_constant() && !total.constant_part().is_zero());
    if total.constant_part().is_negative() {
        // Equalities only: the sum may as well be taken with the other sign.
        for p in &mut proof {
            p.1 = -&p.1;
        }
    }
    debug_assert!(proof.iter().all(|(i, k)| constraints[*i].rel == Rel::Eq || k.is_positive()));
    proof
}
