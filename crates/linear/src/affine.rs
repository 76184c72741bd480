//! Affine equalities: expressions that are 0, with all their sums.

use crate::{LinExpr, Rat, Var};

/// A space of expressions that are 0: rows in echelon form, by their first variables, a constant last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Equalities {
    rows: Vec<LinExpr>,
}

/// What comes first in an expression.
fn lead(e: &LinExpr) -> (Option<Var>, &Rat) {
    e.terms().first().map_or_else(|| (None, e.constant_part()), |(v, c)| (Some(*v), c))
}

fn coefficient(e: &LinExpr, of: Option<Var>) -> Rat {
    of.map_or_else(|| e.constant_part().clone(), |v| e.coeff(v))
}

fn is_zero(e: &LinExpr) -> bool {
    e.is_constant() && e.constant_part().is_zero()
}

impl Equalities {
    /// What follows from these.
    pub fn of(all: impl IntoIterator<Item = LinExpr>) -> Equalities {
        let mut out = Equalities::default();
        all.into_iter().for_each(|e| out.insert(e));
        out
    }
    /// All equalities over some variables: those of a place where nobody is.
    pub fn contradiction(over: impl IntoIterator<Item = Var>) -> Equalities {
        Equalities::of(over.into_iter().map(LinExpr::var).chain([LinExpr::int(1)]))
    }
    /// No two of them have the same first variable.
    pub fn rows(&self) -> &[LinExpr] {
        &self.rows
    }
    /// One more.
    pub fn insert(&mut self, e: LinExpr) {
        let e = self.reduce(e);
        if !is_zero(&e) {
            let place = |e: &LinExpr| lead(e).0.map_or(u32::MAX, |v| v.0);
            let k = self.rows.partition_point(|row| place(row) < place(&e));
            self.rows.insert(k, e);
        }
    }
    /// The expression, less what is 0: without first variables of rows.
    pub fn reduce(&self, mut e: LinExpr) -> LinExpr {
        for row in &self.rows {
            let (v, c) = lead(row);
            let k = coefficient(&e, v);
            if !k.is_zero() {
                e = e.add_scaled(row, &-(&k / c));
            }
        }
        e
    }
    /// What they say of the other variables, each row without first variables of others.
    pub fn without(&self, gone: impl Fn(Var) -> bool) -> Equalities {
        let mut rows = self.rows.clone();
        while let Some((k, v)) =
            rows.iter().enumerate().find_map(|(k, row)| Some((k, row.vars().find(|v| gone(*v))?)))
        {
            let by = rows.swap_remove(k);
            let c = by.coeff(v);
            for row in &mut rows {
                let k = row.coeff(v);
                if !k.is_zero() {
                    *row = row.add_scaled(&by, &-(&k / &c));
                }
            }
        }
        let mut left = Equalities::of(rows);
        for k in (0..left.rows.len()).rev() {
            let after = Equalities { rows: left.rows.split_off(k + 1) };
            left.rows[k] = after.reduce(left.rows[k].clone());
            left.rows.extend(after.rows);
        }
        left
    }
    /// Do they say that 1 is 0?
    pub fn is_contradictory(&self) -> bool {
        self.rows.last().is_some_and(LinExpr::is_constant)
    }
    /// Those that hold after a step from where all of `before` hold, too; `None` where that is all of them. `after`: what the step writes.
    pub fn kept(&self, after: impl Fn(Var) -> Option<LinExpr>, before: &Equalities) -> Option<Equalities> {
        // Values before the step of rows that need not be 0, no two with the same first variable, and these rows.
        let mut lost: Vec<(LinExpr, LinExpr)> = Vec::new();
        let mut kept = Vec::new();
        for row in &self.rows {
            let (mut value, mut row) = (before.reduce(row.subst(&after)), row.clone());
            while !is_zero(&value) {
                let (v, c) = lead(&value);
                let Some((other, source)) = lost.iter().find(|o| lead(&o.0).0 == v) else { break };
                let k = -(c / lead(other).1);
                (value, row) = (value.add_scaled(other, &k), row.add_scaled(source, &k));
            }
            if is_zero(&value) { kept.push(row) } else { lost.push((value, row)) }
        }
        (!lost.is_empty()).then(|| Equalities::of(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(v: u32) -> LinExpr {
        LinExpr::var(Var(v))
    }

    #[test]
    fn what_follows_is_reduced_to_nothing() {
        let e = Equalities::of([x(0).sub(&x(1)), x(1).sub(&x(2)).sub(&LinExpr::int(3))]);
        assert!(is_zero(&e.reduce(x(0).sub(&x(2)).sub(&LinExpr::int(3)))));
        assert!(!is_zero(&e.reduce(x(0).sub(&x(2)))));
        assert!(!e.is_contradictory());
        let mut none = e.clone();
        none.insert(x(0).sub(&x(2)));
        assert!(none.is_contradictory());
        assert!(Equalities::contradiction([0, 1, 2].map(Var)).is_contradictory());
    }

    #[test]
    fn without_a_variable_it_is_what_the_others_say() {
        let three = LinExpr::int(3);
        let e = Equalities::of([x(0).sub(&x(1)), x(1).add(&x(2)).sub(&three), x(3).sub(&x(4))]);
        assert_eq!(e.without(|v| v == Var(1)).rows(), [x(0).add(&x(2)).sub(&three), x(3).sub(&x(4))]);
        assert_eq!(e.without(|v| v == Var(1) || v == Var(4)).rows(), [x(0).add(&x(2)).sub(&three)]);
        assert_eq!(e.without(|_| true).rows(), []);
    }

    #[test]
    fn a_step_keeps_what_it_does_to_both_sides() {
        // x0 = x1 = 0, and then both are counted up, x2 twice as fast.
        let start = Equalities::of([x(0), x(1), x(2)]);
        let one = LinExpr::int(1);
        let after =
            |v: Var| Some(x(v.0).add(&one).add(&if v.0 == 2 { one.clone() } else { LinExpr::zero() }));
        let kept = start.kept(after, &start).expect("not all is kept");
        assert_eq!(kept.rows().len(), 2);
        for e in [x(0).sub(&x(1)), x(0).add(&x(1)).sub(&x(2))] {
            assert!(is_zero(&kept.reduce(e)));
        }
        assert_eq!(kept.kept(after, &kept), None);
    }
}
