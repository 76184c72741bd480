//! Values that linear arithmetic does not know: what a ghost divides, products of two variables, and what code ends with. Each application has a symbol; what
//! is known of them is written out as far as an obligation needs it: equal arguments give equal values, the laws of
//! divisibility, that a product with 0 is 0, the steps of the code. Every one of these instances is true whatever the obligation is, so that leaving some
//! out can only make it fail.

use crate::formula::{Formula, Linear, Symbol};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use relyant_program::Loc;

/// The application of a function to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Application {
    /// 1 if the first divides the second, else 0. The first is at least 1.
    Divides(Symbol, Linear),
    /// The product of both, in order.
    Product(Symbol, Symbol),
    /// One of the results of code, from a location and values.
    Result {
        /// Which code, and which of its results, by index.
        of: (usize, usize),
        /// From where.
        at: Loc,
        /// In the order of the code's arguments there.
        arguments: Vec<Linear>,
    },
}

impl Application {
    /// Its arguments, if it is of the same function as another one.
    fn like<'a>(&'a self, other: &'a Application) -> Option<Vec<(&'a Linear, &'a Linear)>> {
        match (self, other) {
            (Application::Divides(a, x), Application::Divides(b, y)) if a == b => Some(vec![(x, y)]),
            (
                Application::Result { of, at, arguments },
                Application::Result { of: of_other, at: at_other, arguments: others },
            ) if of == of_other && at == at_other => Some(arguments.iter().zip(others).collect()),
            _ => None,
        }
    }
}

/// The applications of an obligation.
#[derive(Default, Debug)]
pub struct Terms {
    known: Vec<Application>,
    /// Where one of these is 0 its products are.
    vanishing: Vec<Linear>,
}

fn eq(a: &Linear, b: &Linear) -> Formula {
    Formula::eq(a.minus(b))
}

/// `a <= b`.
pub fn le(a: &Linear, b: &Linear) -> Formula {
    Formula::le(a.minus(b))
}

fn one() -> Linear {
    Linear::number(1)
}

fn negated(e: &Linear) -> Linear {
    Linear::default().minus(e)
}

impl Terms {
    /// The value of an application.
    pub fn value(&mut self, a: Application) -> Linear {
        let a = match a {
            // What divides a number divides its negation.
            Application::Divides(by, e) => {
                let leading = e.terms.first().map_or(&e.constant, |t| &t.1);
                Application::Divides(by, if leading.is_negative() { negated(&e) } else { e })
            }
            a => a,
        };
        let k = self.known.iter().position(|b| *b == a).unwrap_or_else(|| {
            self.known.push(a);
            self.known.len() - 1
        });
        Linear::symbol(Symbol::Term(k as u32))
    }
    /// The product of two sums: a sum of products of their symbols.
    pub fn product(&mut self, a: &Linear, b: &Linear) -> Linear {
        let constant = Linear::number(&a.constant * &b.constant);
        let mut out = constant;
        for (x, k) in &a.terms {
            out = out.plus(&(k * &b.constant), &Linear::symbol(*x));
        }
        for (y, k) in &b.terms {
            out = out.plus(&(k * &a.constant), &Linear::symbol(*y));
            for (x, l) in &a.terms {
                let both = self.value(Application::Product(*x.min(y), *x.max(y)));
                out = out.plus(&(k * l), &both);
            }
        }
        out
    }
    /// An expression that is looked at: is it 0?
    pub fn may_vanish(&mut self, e: Linear) {
        if !self.vanishing.contains(&e) {
            self.vanishing.push(e);
        }
    }
    /// Factors of products so far, each once.
    pub fn factors(&self) -> Vec<Symbol> {
        let of = |a: &Application| if let Application::Product(x, y) = a { vec![*x, *y] } else { Vec::new() };
        let mut all: Vec<Symbol> = self.known.iter().flat_map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// What is 0 where an expression over factors is: its products with each factor.
    fn products_of(&mut self, e: &Linear) -> Vec<Linear> {
        let factors = self.factors();
        if !e.terms.iter().all(|t| factors.contains(&t.0)) {
            return Vec::new();
        }
        factors.iter().map(|x| self.product(e, &Linear::symbol(*x))).collect()
    }
    /// The applications so far.
    pub fn all(&self) -> impl Iterator<Item = (Linear, &Application)> {
        (0u32..).zip(&self.known).map(|(k, a)| (Linear::symbol(Symbol::Term(k)), a))
    }
    /// What is true of the applications, whatever their arguments are.
    pub fn laws(&mut self) -> Vec<Formula> {
        let mut out = Vec::new();
        for e in std::mem::take(&mut self.vanishing) {
            let not_zero = Formula::eq(e.clone()).not();
            let products = self.products_of(&e).into_iter();
            out.extend(products.map(|p| Formula::or([not_zero.clone(), Formula::eq(p)])));
        }
        for (k, (x, a)) in self.all().enumerate() {
            for (y, b) in self.all().skip(k + 1) {
                if let Some(arguments) = a.like(b) {
                    let same = Formula::and(arguments.into_iter().map(|(a, b)| eq(a, b)));
                    out.push(Formula::or([same.not(), eq(&x, &y)]));
                }
            }
        }
        let divisions = self.all().filter_map(|(x, a)| match a {
            Application::Divides(by, e) => Some((x, *by, e)),
            Application::Product(..) | Application::Result { .. } => None,
        });
        divisibility(&divisions.collect::<Vec<_>>(), &mut out);
        out
    }
}

/// The laws of divisibility by a number that is at least 1: it divides itself and 0, nothing between them, and the third of
/// two numbers and their sum or difference, if it divides the other two.
fn divisibility(all: &[(Linear, Symbol, &Linear)], out: &mut Vec<Formula>) {
    for (x, by, e) in all {
        let (divides, by) = (eq(x, &one()), Linear::symbol(*by));
        out.push(Formula::or([divides.clone(), eq(x, &Linear::default())]));
        out.push(le(&one(), &by));
        out.push(Formula::or([divides.clone(), eq(e, &Linear::default()).not()]));
        out.push(Formula::or([divides.clone(), eq(e, &by).not()]));
        let small = Formula::and([le(&one(), e), le(&by, e).not()]);
        let negative = negated(e);
        let small_negative = Formula::and([le(&one(), &negative), le(&by, &negative).not()]);
        out.push(Formula::or([divides.not(), Formula::or([small, small_negative]).not()]));
    }
    for (i, (x, by, a)) in all.iter().enumerate() {
        for (j, (y, by_y, b)) in all.iter().enumerate().skip(i + 1) {
            for (z, by_z, c) in &all[j + 1..] {
                let sum = |sign: &BigInt, other: &BigInt| {
                    let e = a.plus(sign, b).plus(other, c);
                    e.terms.is_empty() && e.constant.is_zero()
                };
                let (plus, minus) = (BigInt::one(), -BigInt::one());
                let signs = [(&plus, &plus), (&plus, &minus), (&minus, &plus), (&minus, &minus)];
                if by == by_y && by == by_z && signs.iter().any(|(s, t)| sum(s, t)) {
                    let d = [x, y, z].map(|x| eq(x, &one()));
                    for k in 0..3 {
                        let two = Formula::and([d[k].clone(), d[(k + 1) % 3].clone()]);
                        out.push(Formula::or([two.not(), d[(k + 2) % 3].clone()]));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_linear::Var;

    #[test]
    fn divisibility_by_every_small_number_obeys_the_laws() {
        let symbol = |k: u32| Symbol::Var(Var(k));
        let (m, x, y) = (Linear::symbol(symbol(0)), Linear::symbol(symbol(1)), Linear::symbol(symbol(2)));
        let mut terms = Terms::default();
        for e in [x.clone(), y.clone(), x.minus(&y), y.plus(&BigInt::one(), &x), Linear::default(), m.clone()]
        {
            terms.value(Application::Divides(symbol(0), e));
        }
        let laws = Formula::and(terms.laws());
        let number = |e: &Linear, of: &dyn Fn(Symbol) -> i64| {
            e.terms.iter().fold(e.constant.clone(), |sum, (s, c)| sum + c * of(*s))
        };
        let mut broken = 0;
        for (m, x, y) in (1..5).flat_map(|m| (-9..9).flat_map(move |x| (-9..9).map(move |y| (m, x, y)))) {
            let of = |s: Symbol| match s {
                Symbol::Var(Var(0)) => m,
                Symbol::Var(Var(1)) => x,
                _ => y,
            };
            let value = |wrong: Option<u32>, s: Symbol| match s {
                Symbol::Term(k) => {
                    let Application::Divides(_, e) = &terms.known[k as usize] else { panic!("a division") };
                    let divides = (number(e, &of) % m).is_zero();
                    BigInt::from(divides != (wrong == Some(k)))
                }
                s => of(s).into(),
            };
            assert!(laws.holds(&|s| value(None, s)), "{m} {x} {y}");
            broken += (0..terms.known.len() as u32).filter(|k| !laws.holds(&|s| value(Some(*k), s))).count();
        }
        assert!(broken > 1000);
    }
}
