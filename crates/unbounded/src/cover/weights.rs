//! Linear invariants that exclude configurations, as the state equation over the rationals does (Blondin and others,
//! "Approaching the coverability problem continuously", TACAS 2016, section 5; theirs asks for more).
//!
//! By Farkas' lemma the state equation has no solution for a configuration exactly if there are weights of shared and
//! local states that no step makes heavier, by which the configuration weighs more than any initial one. Floating
//! point proposes the weights; they count if they are small whole numbers that do what they should.

use super::reach::Reach;
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, Variable, variable};
use relyant_finite::evidence::Weights;
use relyant_finite::model::{Config, Local, Shared, System, Transition};
use rustc_hash::{FxHashMap, FxHashSet};

/// Coefficients of a linear program that is not too large.
const SIZE: usize = 40_000;
/// Denominators that are tried.
const SCALES: u32 = 24;

/// A column: a shared or a local state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum State {
    Shared(Shared),
    Local(Local),
}

type Row = Vec<(State, i64)>;

/// Those found so far.
pub struct Pool<'a> {
    system: &'a System,
    /// The invariants, and whether each excluded something.
    all: Vec<(Weights, bool)>,
    /// No step outside of what is unreachable makes the sum larger; empty if it would be too large.
    rows: Vec<Row>,
    /// Coefficients in all rows.
    size: usize,
    /// Steps that are never taken.
    dead: Vec<u32>,
}

impl<'a> Pool<'a> {
    /// No invariants yet, and the conditions that each has to satisfy.
    pub fn new(system: &'a System, reach: Option<&Reach>) -> Pool<'a> {
        let is_dead = |t: &Transition| {
            reach.is_some_and(|r| r.unreachable(&Config::new(t.from, t.take.clone())).is_some())
        };
        let mut pool = Pool { system, all: Vec::new(), rows: Vec::new(), size: 0, dead: Vec::new() };
        let mut seen: FxHashSet<Row> = FxHashSet::default();
        for (i, t) in (0u32..).zip(&system.transitions) {
            if is_dead(t) {
                pool.dead.push(i);
                continue;
            }
            let transferred = |x: &relyant_finite::model::Transfer| {
                x.to.iter()
                    .map(|to| vec![(State::Local(*to), 1), (State::Local(x.from), -1)])
                    .collect::<Vec<_>>()
            };
            let mut rows = vec![effect(t)];
            rows.extend(t.transfers.iter().flat_map(transferred));
            for row in rows {
                // what is nowhere positive forbids nothing
                if row.iter().any(|x| x.1 > 0) && pool.size <= SIZE && seen.insert(row.clone()) {
                    pool.size += row.len();
                    pool.rows.push(row);
                }
            }
        }
        if pool.size > SIZE {
            pool.rows = Vec::new();
        }
        pool
    }

    /// What another linear program costs, as work; `None` if it would be too large.
    pub fn cost(&self) -> Option<u64> {
        (self.size <= SIZE).then_some(200 + 4 * self.size as u64)
    }

    /// Is the configuration too heavy for one of them? That one will be part of the proof.
    pub fn excludes(&mut self, c: &Config) -> bool {
        let hit = self.all.iter_mut().find(|(w, _)| w.weigh(c) > u128::from(w.bound));
        hit.map(|x| x.1 = true).is_some()
    }

    /// Looks for one more, by which the configuration is too heavy. Returns the transitions that are never taken, and
    /// that the invariant does not survive.
    pub fn separate(&mut self, c: &Config) -> Option<Vec<u32>> {
        let proposed = self.propose(c)?;
        let w = self.round(&proposed, c)?;
        let breaks = |i: &&u32| self.system.transitions.get(**i as usize).is_some_and(|t| !sinks(t, &w));
        let broken = self.dead.iter().filter(breaks).copied().collect();
        self.all.push((w, false));
        Some(broken)
    }

    /// Those that were needed.
    pub fn invariants(&self) -> Vec<Weights> {
        self.all.iter().filter(|x| x.1).map(|x| x.0.clone()).collect()
    }

    /// Number of those that were needed.
    pub fn used(&self) -> usize {
        self.all.iter().filter(|x| x.1).count()
    }

    /// The lightest weights, in floating point.
    fn propose(&self, c: &Config) -> Option<Vec<(State, f64)>> {
        let mut vars = ProblemVariables::new();
        let mut columns: FxHashMap<State, Variable> = FxHashMap::default();
        let mut order: Vec<State> = Vec::new();
        let any: FxHashSet<Local> = self.system.initial.iter().flat_map(|i| i.any.iter().copied()).collect();
        let mut column = |s: State, vars: &mut ProblemVariables| -> Option<Variable> {
            if matches!(s, State::Local(l) if any.contains(&l)) {
                return None;
            }
            Some(*columns.entry(s).or_insert_with(|| {
                order.push(s);
                vars.add(variable().min(0.0))
            }))
        };
        let mut constraints = Vec::new();
        let mut sum = |row: &Row, vars: &mut ProblemVariables| {
            let mut e = Expression::from(0.0);
            for (s, k) in row {
                if let Some(v) = column(*s, vars) {
                    e.add_mul(*k as f64, v);
                }
            }
            e
        };
        for row in &self.rows {
            constraints.push(sum(row, &mut vars).leq(0.0));
        }
        let heavy = sum(&weight_row(c), &mut vars);
        for i in &self.system.initial {
            let start = sum(&weight_row(&i.exactly), &mut vars);
            constraints.push((heavy.clone() - start).geq(1.0));
        }
        let mut objective = Expression::from(0.0);
        order.iter().filter_map(|s| columns.get(s)).for_each(|v| objective.add_mul(1.0, *v));
        let mut model = vars.minimise(objective).using(good_lp::microlp);
        for c in constraints {
            model = model.with(c);
        }
        let solution = model.solve().ok()?;
        let values = order.iter().filter_map(|s| Some((*s, solution.value(*columns.get(s)?))));
        Some(values.filter(|x| x.1 > 1e-7).collect())
    }

    /// Whole numbers near a multiple of the proposal that are an invariant and exclude the configuration.
    fn round(&self, proposed: &[(State, f64)], c: &Config) -> Option<Weights> {
        let least = proposed.iter().map(|x| x.1).fold(f64::INFINITY, f64::min);
        if !least.is_finite() || least <= 0.0 {
            return None;
        }
        let units = [1.0, 1.0 / least];
        units.iter().flat_map(|u| (1..=SCALES).map(move |k| u * f64::from(k))).find_map(|scale| {
            let mut w = Weights::default();
            for (s, x) in proposed {
                let n = (x * scale).round();
                if (n - x * scale).abs() > 1e-4 || !(0.0..1e9).contains(&n) {
                    return None;
                }
                match s {
                    State::Shared(s) => w.shared.push((*s, n as u64)),
                    State::Local(l) => w.local.push((*l, n as u64)),
                }
            }
            w.shared.retain(|x| x.1 > 0);
            w.local.retain(|x| x.1 > 0);
            w.shared.sort_unstable();
            w.local.sort_unstable();
            let start = self.system.initial.iter().map(|i| w.weigh(&i.exactly)).max().unwrap_or(0);
            w.bound = u64::try_from(start).ok()?;
            let value = |s: &State| match s {
                State::Shared(s) => w.shared(*s),
                State::Local(l) => w.local(*l),
            };
            let total =
                |row: &Row| row.iter().map(|(s, k)| i128::from(*k) * i128::from(value(s))).sum::<i128>();
            let holds = self.rows.iter().all(|r| total(r) <= 0);
            (holds && w.weigh(c) > u128::from(w.bound)).then_some(w)
        })
    }
}

fn weight_row(c: &Config) -> Row {
    let locals = c.locals.iter().map(|(l, n)| (State::Local(l), i64::from(n)));
    [(State::Shared(c.shared), 1)].into_iter().chain(locals).collect()
}

/// What a step adds.
fn effect(t: &Transition) -> Row {
    let mut sum: std::collections::BTreeMap<State, i64> = std::collections::BTreeMap::new();
    let mut add = |s: State, k: i64| *sum.entry(s).or_default() += k;
    add(State::Shared(t.from), -1);
    add(State::Shared(t.to), 1);
    t.take.iter().for_each(|(l, n)| add(State::Local(l), -i64::from(n)));
    t.put.iter().for_each(|(l, n)| add(State::Local(l), i64::from(n)));
    sum.into_iter().filter(|x| x.1 != 0).collect()
}

/// Does a step make no configuration heavier?
fn sinks(t: &Transition, w: &Weights) -> bool {
    let before = Config::new(t.from, t.take.clone());
    let after = Config::new(t.to, t.put.clone());
    w.weigh(&after) <= w.weigh(&before)
        && t.transfers.iter().all(|x| x.to.iter().all(|to| w.local(*to) <= w.local(x.from)))
}
