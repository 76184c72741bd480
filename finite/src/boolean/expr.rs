//! Expressions of Boolean programs.
//!
//! Every occurrence of `*` is a choice of its own, so that the values of an operator are those of its operands combined
//! in all ways: sets of values are exact.

/// A set of truth values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Values {
    /// May it be false?
    pub no: bool,
    /// May it be true?
    pub yes: bool,
}

impl Values {
    /// Both values: nothing is known.
    pub const ANY: Values = Values { no: true, yes: true };

    /// The one value `b`.
    pub fn of(b: bool) -> Values {
        Values { no: !b, yes: b }
    }
    /// Is the value among them?
    pub fn has(self, b: bool) -> bool {
        if b { self.yes } else { self.no }
    }
    fn not(self) -> Values {
        Values { no: self.yes, yes: self.no }
    }
    fn and(self, o: Values) -> Values {
        Values { no: self.no || o.no, yes: self.yes && o.yes }
    }
    fn or(self, o: Values) -> Values {
        self.not().and(o.not()).not()
    }
    fn iff(self, o: Values) -> Values {
        Values { no: (self.no && o.yes) || (self.yes && o.no), yes: (self.no && o.no) || (self.yes && o.yes) }
    }
    fn choose(self, o: Values) -> Values {
        // True if `self` is, else false if `o` is, else either.
        Values { no: self.no, yes: self.yes || o.no }
    }
}

/// An expression over variables of type `V`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr<V> {
    /// `T`, `F`, `1`, `0`.
    Const(bool),
    /// `*`: either value, each time it is evaluated.
    Any,
    /// A variable's value before the statement.
    Var(V),
    /// A variable's value after the statement, `'x`.
    Next(V),
    /// The negation of its operand.
    Not(Box<Expr<V>>),
    /// The conjunction; of none it is true.
    And(Vec<Expr<V>>),
    /// The disjunction; of none it is false.
    Or(Vec<Expr<V>>),
    /// True where both operands have the same value.
    Iff(Box<Expr<V>>, Box<Expr<V>>),
    /// `schoose[a, b]`: true if `a`, else false if `b`, else either.
    Choose(Box<Expr<V>>, Box<Expr<V>>),
}

impl<V> Expr<V> {
    /// The values that it may have; `value` knows the variables, after the statement if its second argument is true.
    pub fn values(&self, value: &impl Fn(&V, bool) -> bool) -> Values {
        match self {
            Expr::Const(b) => Values::of(*b),
            Expr::Any => Values::ANY,
            Expr::Var(v) => Values::of(value(v, false)),
            Expr::Next(v) => Values::of(value(v, true)),
            Expr::Not(e) => e.values(value).not(),
            Expr::And(es) => es.iter().fold(Values::of(true), |s, e| s.and(e.values(value))),
            Expr::Or(es) => es.iter().fold(Values::of(false), |s, e| s.or(e.values(value))),
            Expr::Iff(a, b) => a.values(value).iff(b.values(value)),
            Expr::Choose(a, b) => a.values(value).choose(b.values(value)),
        }
    }

    /// Calls `f` for each occurrence of a variable, with true for one after the statement.
    pub fn each(&self, f: &mut impl FnMut(&V, bool)) {
        match self {
            Expr::Const(_) | Expr::Any => {}
            Expr::Var(v) => f(v, false),
            Expr::Next(v) => f(v, true),
            Expr::Not(e) => e.each(f),
            Expr::And(es) | Expr::Or(es) => es.iter().for_each(|e| e.each(f)),
            Expr::Iff(a, b) | Expr::Choose(a, b) => {
                a.each(f);
                b.each(f);
            }
        }
    }

    /// The same expression over other variables.
    pub fn map<W, E>(&self, f: &mut impl FnMut(&V, bool) -> Result<W, E>) -> Result<Expr<W>, E> {
        fn all<V, W, E>(
            es: &[Expr<V>],
            f: &mut impl FnMut(&V, bool) -> Result<W, E>,
        ) -> Result<Vec<Expr<W>>, E> {
            es.iter().map(|e| e.map(f)).collect()
        }
        Ok(match self {
            Expr::Const(b) => Expr::Const(*b),
            Expr::Any => Expr::Any,
            Expr::Var(v) => Expr::Var(f(v, false)?),
            Expr::Next(v) => Expr::Next(f(v, true)?),
            Expr::Not(e) => Expr::Not(Box::new(e.map(f)?)),
            Expr::And(es) => Expr::And(all(es, f)?),
            Expr::Or(es) => Expr::Or(all(es, f)?),
            Expr::Iff(a, b) => Expr::Iff(Box::new(a.map(f)?), Box::new(b.map(f)?)),
            Expr::Choose(a, b) => Expr::Choose(Box::new(a.map(f)?), Box::new(b.map(f)?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values, by giving each occurrence of a choice both values.
    fn by_choices(e: &Expr<u8>, choices: u32) -> Values {
        let mut out = Values { no: false, yes: false };
        for bits in 0..1u32 << choices {
            let mut next = 0;
            if fixed(e, bits, &mut next) {
                out.yes = true;
            } else {
                out.no = true;
            }
        }
        out
    }

    fn fixed(e: &Expr<u8>, bits: u32, next: &mut u32) -> bool {
        let take = |next: &mut u32| {
            *next += 1;
            bits >> (*next - 1) & 1 == 1
        };
        match e {
            Expr::Const(b) => *b,
            Expr::Any => take(next),
            Expr::Var(v) | Expr::Next(v) => *v == 1,
            Expr::Not(e) => !fixed(e, bits, next),
            Expr::And(es) => es.iter().fold(true, |s, e| fixed(e, bits, next) & s),
            Expr::Or(es) => es.iter().fold(false, |s, e| fixed(e, bits, next) | s),
            Expr::Iff(a, b) => fixed(a, bits, next) == fixed(b, bits, next),
            Expr::Choose(a, b) => {
                let (a, b) = (fixed(a, bits, next), fixed(b, bits, next));
                let free = take(next);
                a || (!b && free)
            }
        }
    }

    #[test]
    fn values_are_exact() {
        let any = || Box::new(Expr::<u8>::Any);
        let var = |v| Box::new(Expr::Var(v));
        let no = |e| Box::new(Expr::Not(e));
        let cases = [
            Expr::Choose(var(0), var(0)),
            Expr::Choose(var(1), var(1)),
            Expr::Choose(var(0), var(1)),
            Expr::Choose(any(), var(1)),
            Expr::And(vec![*any(), *no(any()), *var(1)]),
            Expr::Or(vec![*any(), *var(1)]),
            Expr::Iff(any(), var(1)),
            Expr::Iff(no(var(1)), Box::new(Expr::And(vec![*any(), *var(0)]))),
        ];
        for e in cases {
            assert_eq!(e.values(&|v, _| *v == 1), by_choices(&e, 4), "{e:?}");
        }
    }
}
