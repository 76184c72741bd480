//! The simplex method over bounds, exact (Dutertre and de Moura, "A fast linear-arithmetic solver for
//! DPLL(T)", CAV 2006), with Bland's rule so that it ends. A conflict comes with Farkas multipliers.

use crate::meter;
use crate::{LinExpr, Rat, Rel, Var};
use rustc_hash::FxHashMap;

/// Multipliers of constraints whose weighted sum is a positive constant: non-negative for `<=`, of any
/// sign for `=`. Constraints are known by the number they were asserted with.
pub type Conflict = Vec<(usize, Rat)>;

/// Where a bound comes from: `bound * factor` is what it takes of the constraint.
#[derive(Clone, Debug)]
struct Bound {
    value: Rat,
    constraint: usize,
    factor: Rat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Lower,
    Upper,
}

/// A state to return to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    trail: usize,
    columns: usize,
}

/// The solver's state. Columns are numbered in the order of creation; a row expresses a basic column
/// by columns that are not basic.
#[derive(Clone, Debug, Default)]
pub struct Simplex {
    /// The column of each variable seen.
    column_of: FxHashMap<Var, u32>,
    /// The column of each linear form that has one: two terms or more, the first coefficient 1. The inverse of
    /// `form`.
    slack_of: FxHashMap<Vec<(Var, Rat)>, u32>,
    /// The form that a slack column stands for; none for a variable's column.
    form: Vec<Option<Vec<(Var, Rat)>>>,
    /// The pairs of `column_of`, in the order in which variables were first seen.
    vars: Vec<(Var, u32)>,
    /// By column: a basic one as a sum of others that are not basic (a `Var` is a column here, the constant is 0);
    /// `None` for those that are not basic.
    rows: Vec<Option<LinExpr>>,
    /// By column; `None`: no bound.
    lower: Vec<Option<Bound>>,
    /// By column; `None`: no bound. Never less than the lower one.
    upper: Vec<Option<Bound>>,
    /// By column. Rows hold of the values at all times, and columns that are not basic are within their bounds; basic
    /// ones may be outside until `check`.
    value: Vec<Rat>,
    /// Bounds that were replaced, the oldest first: column, side, and the bound before.
    trail: Vec<(u32, Side, Option<Bound>)>,
}

impl Simplex {
    fn new_column(&mut self, form: Option<Vec<(Var, Rat)>>, row: Option<LinExpr>, value: Rat) -> u32 {
        self.form.push(form);
        self.rows.push(row);
        self.lower.push(None);
        self.upper.push(None);
        self.value.push(value);
        (self.rows.len() - 1) as u32
    }

    fn column(&mut self, v: Var) -> u32 {
        if let Some(&c) = self.column_of.get(&v) {
            return c;
        }
        let c = self.new_column(None, None, Rat::zero());
        self.column_of.insert(v, c);
        self.vars.push((v, c));
        c
    }

    /// Takes in `e rel 0` as constraint number `id`; a conflict when that contradicts a bound.
    pub fn assert(&mut self, id: usize, e: &LinExpr, rel: Rel) -> Result<(), Conflict> {
        meter::add(40 + 20 * e.terms().len());
        // e = lead * form + constant, where the form's first coefficient is 1.
        let Some((_, lead)) = e.terms().first().cloned() else { return constant(id, e.constant_part(), rel) };
        let form: Vec<(Var, Rat)> = e.terms().iter().map(|(v, c)| (*v, c / &lead)).collect();
        let column = self.form_column(form);
        let value = &-e.constant_part() / &lead;
        let factor = lead.recip();
        let (upper, lower) = (rel == Rel::Eq || lead.is_positive(), rel == Rel::Eq || lead.is_negative());
        if upper {
            let b = Bound { value: value.clone(), constraint: id, factor: factor.clone() };
            self.tighten(column, Side::Upper, b)?;
        }
        if lower {
            self.tighten(column, Side::Lower, Bound { value, constraint: id, factor: -&factor })?;
        }
        Ok(())
    }

    fn form_column(&mut self, form: Vec<(Var, Rat)>) -> u32 {
        if let [(v, _)] = form[..] {
            return self.column(v);
        }
        if let Some(&c) = self.slack_of.get(&form) {
            return c;
        }
        let over_columns: Vec<(Var, Rat)> =
            form.iter().map(|(v, c)| (Var(self.column(*v)), c.clone())).collect();
        let e = LinExpr::new(over_columns, Rat::zero());
        let value = e.eval(|c| self.value[c.0 as usize].clone());
        let row = e.subst(|c| self.rows[c.0 as usize].clone());
        let c = self.new_column(Some(form.clone()), Some(row), value);
        self.slack_of.insert(form, c);
        c
    }

    fn tighten(&mut self, c: u32, side: Side, b: Bound) -> Result<(), Conflict> {
        let i = c as usize;
        let (own, other) = match side {
            Side::Upper => (&self.upper[i], &self.lower[i]),
            Side::Lower => (&self.lower[i], &self.upper[i]),
        };
        let beyond = |x: &Rat, y: &Rat| if side == Side::Upper { x > y } else { x < y };
        if own.as_ref().is_some_and(|o| !beyond(&o.value, &b.value)) {
            return Ok(());
        }
        if let Some(o) = other
            && beyond(&o.value, &b.value)
        {
            return Err(collect([(b.constraint, b.factor), (o.constraint, o.factor.clone())]));
        }
        let moved = if self.rows[i].is_none() && beyond(&self.value[i], &b.value) {
            Some(b.value.clone())
        } else {
            None
        };
        let slot = match side {
            Side::Upper => &mut self.upper[i],
            Side::Lower => &mut self.lower[i],
        };
        self.trail.push((c, side, slot.replace(b)));
        if let Some(v) = moved {
            self.shift(c, &v);
        }
        Ok(())
    }

    /// Sets a column that is not basic to `v` and the rows accordingly.
    fn shift(&mut self, c: u32, v: &Rat) {
        let delta = v - &self.value[c as usize];
        self.value[c as usize] = v.clone();
        for (row, value) in self.rows.iter().zip(&mut self.value) {
            if let Some(row) = row {
                let a = row.coeff(Var(c));
                if !a.is_zero() {
                    *value = &*value + &(&a * &delta);
                }
            }
        }
    }

    /// Looks for a rational solution of everything asserted.
    pub fn check(&mut self) -> Result<(), Conflict> {
        meter::add(10 + self.rows.len() * 2);
        while let Some((basic, side)) = self.violated() {
            meter::add(10 + self.rows.len() * 2);
            let Some(row) = &self.rows[basic] else { return Ok(()) };
            // Bland: the first column that can move the basic one towards its bound.
            let up = side == Side::Lower;
            let entering = row.terms().iter().find(|(j, a)| {
                let j = j.0 as usize;
                if a.is_positive() == up {
                    self.upper[j].as_ref().is_none_or(|u| self.value[j] < u.value)
                } else {
                    self.lower[j].as_ref().is_none_or(|l| self.value[j] > l.value)
                }
            });
            let Some((entering, _)) = entering else { return Err(self.explain(basic, side)) };
            let entering = entering.0;
            let target = match side {
                Side::Lower => self.lower[basic].as_ref(),
                Side::Upper => self.upper[basic].as_ref(),
            }
            .map_or_else(Rat::zero, |b| b.value.clone());
            self.pivot(basic as u32, entering, &target);
        }
        Ok(())
    }

    /// The first basic column outside its bounds, with the bound that fails.
    fn violated(&self) -> Option<(usize, Side)> {
        (0..self.rows.len()).filter(|&i| self.rows[i].is_some()).find_map(|i| {
            if self.lower[i].as_ref().is_some_and(|l| self.value[i] < l.value) {
                Some((i, Side::Lower))
            } else if self.upper[i].as_ref().is_some_and(|u| self.value[i] > u.value) {
                Some((i, Side::Upper))
            } else {
                None
            }
        })
    }

    /// `leaving` becomes non-basic with value `target`, `entering` basic.
    fn pivot(&mut self, leaving: u32, entering: u32, target: &Rat) {
        let Some(row) = self.rows[leaving as usize].take() else { return };
        let a = row.coeff(Var(entering));
        let delta = &(target - &self.value[leaving as usize]) / &a;
        let moved = &self.value[entering as usize] + &delta;
        // The entering column by the leaving one: e = (l - rest) / a.
        let solved = row.sub(&LinExpr::var(Var(entering)).scale(&a)).sub(&LinExpr::var(Var(leaving)));
        let solved = solved.scale(&-&a.recip());
        self.value[leaving as usize] = target.clone();
        for (i, other) in self.rows.iter_mut().enumerate() {
            if let Some(r) = other {
                let k = r.coeff(Var(entering));
                if !k.is_zero() {
                    meter::add(40 + 20 * (r.terms().len() + solved.terms().len()));
                    self.value[i] = &self.value[i] + &(&k * &delta);
                    let mut with_entering = solved.clone();
                    with_entering = with_entering.sub(&LinExpr::var(Var(entering)));
                    *r = r.add_scaled(&with_entering, &k);
                }
            }
        }
        self.value[entering as usize] = moved;
        self.rows[entering as usize] = Some(solved);
    }

    /// The row that cannot reach its bound, as multipliers.
    fn explain(&self, basic: usize, side: Side) -> Conflict {
        let mut parts = Vec::new();
        let mut take = |b: &Option<Bound>, k: Rat| {
            if let Some(b) = b {
                parts.push((b.constraint, &b.factor * &k));
            }
        };
        let up = side == Side::Lower;
        take(if up { &self.lower[basic] } else { &self.upper[basic] }, Rat::one());
        if let Some(row) = &self.rows[basic] {
            for (j, a) in row.terms() {
                let j = j.0 as usize;
                take(if a.is_positive() == up { &self.upper[j] } else { &self.lower[j] }, a.abs());
            }
        }
        collect(parts)
    }

    /// A mark to return to with `undo`.
    pub(crate) fn mark(&self) -> Mark {
        Mark { trail: self.trail.len(), columns: self.rows.len() }
    }

    /// Takes back the bounds set since the mark, and the slack columns that nothing depends on.
    pub(crate) fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail {
            if let Some((c, side, old)) = self.trail.pop() {
                match side {
                    Side::Upper => self.upper[c as usize] = old,
                    Side::Lower => self.lower[c as usize] = old,
                }
            }
        }
        while self.rows.len() > mark.columns && matches!(self.rows.last(), Some(Some(_))) {
            let Some(Some(form)) = self.form.last() else { break };
            self.slack_of.remove(form);
            self.form.pop();
            self.rows.pop();
            self.lower.pop();
            self.upper.pop();
            self.value.pop();
        }
    }

    /// The variables with their present values, in the order they were first seen.
    pub fn values(&self) -> impl Iterator<Item = (Var, &Rat)> + '_ {
        self.vars.iter().map(|(v, c)| (*v, &self.value[*c as usize]))
    }
}

/// `c rel 0` as constraint number `id`: nothing to remember, or a conflict by itself.
fn constant(id: usize, c: &Rat, rel: Rel) -> Result<(), Conflict> {
    if c.is_positive() {
        Err(vec![(id, Rat::one())])
    } else if c.is_negative() && rel == Rel::Eq {
        Err(vec![(id, -&Rat::one())])
    } else {
        Ok(())
    }
}

/// Adds up the multipliers of each constraint.
fn collect(parts: impl IntoIterator<Item = (usize, Rat)>) -> Conflict {
    let mut out: Conflict = parts.into_iter().collect();
    out.sort_by_key(|p| p.0);
    out.dedup_by(|b, a| {
        let same = a.0 == b.0;
        if same {
            a.1 = &a.1 + &b.1;
        }
        same
    });
    out.retain(|p| !p.1.is_zero());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn e(terms: &[(u32, i64)], c: i64) -> LinExpr {
        LinExpr::new(terms.iter().map(|(v, a)| (Var(*v), Rat::from(*a))), Rat::from(c))
    }

    fn run(cs: &[(LinExpr, Rel)]) -> Result<Simplex, Conflict> {
        let mut s = Simplex::default();
        for (i, (e, r)) in cs.iter().enumerate() {
            s.assert(i, e, *r)?;
        }
        s.check().map(|()| s)
    }

    #[test]
    fn conflict_sums_to_a_positive_constant() {
        // x + y <= 1, x - y <= -2, -x <= 0: twice x is at most -1.
        let cs = [
            (e(&[(0, 1), (1, 1)], -1), Rel::Le),
            (e(&[(0, 1), (1, -1)], 2), Rel::Le),
            (e(&[(0, -2)], 0), Rel::Le),
        ];
        let conflict = run(&cs).unwrap_err();
        let sum = conflict.iter().fold(LinExpr::zero(), |s, (i, k)| s.add_scaled(&cs[*i].0, k));
        assert!(sum.is_constant() && sum.constant_part().is_positive());
        assert!(conflict.iter().all(|(_, k)| k.is_positive()));
    }

    #[test]
    fn constants_are_decided_at_once() {
        for (c, rel, conflict) in [
            (0, Rel::Le, None),
            (1, Rel::Le, Some(1i64)),
            (-1, Rel::Le, None),
            (0, Rel::Eq, None),
            (-2, Rel::Eq, Some(-1)),
        ] {
            let expected = conflict.map_or(Ok(()), |k| Err(vec![(7, Rat::from(k))]));
            assert_eq!(Simplex::default().assert(7, &e(&[], c), rel), expected);
        }
    }

    #[test]
    fn equalities_take_either_sign() {
        let cs = [
            (e(&[(0, 1), (1, -3)], 0), Rel::Eq),
            (e(&[(0, 1), (2, -2)], -1), Rel::Eq),
            (e(&[(1, 3), (2, -2)], -2), Rel::Eq),
        ];
        let conflict = run(&cs).unwrap_err();
        let sum = conflict.iter().fold(LinExpr::zero(), |s, (i, k)| s.add_scaled(&cs[*i].0, k));
        assert!(sum.is_constant() && sum.constant_part().is_positive());
    }

    #[test]
    fn undo_restores_bounds() {
        let mut s = run(&[(e(&[(0, 1), (1, 2)], -5), Rel::Le)]).unwrap();
        let m = s.mark();
        s.assert(7, &e(&[(0, -1)], 4), Rel::Le).unwrap();
        s.assert(8, &e(&[(1, -1)], 4), Rel::Le).unwrap();
        assert!(s.check().is_err());
        s.undo(m);
        assert!(s.check().is_ok());
    }
}
