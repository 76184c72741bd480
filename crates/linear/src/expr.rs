//! Linear expressions: a sum of rational multiples of variables, and a constant.

use crate::Rat;
use std::fmt;

/// An integer variable, by number. What the number stands for is the user's affair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

/// `terms[0].1 * terms[0].0 + … + constant`. Terms are sorted by variable and never zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinExpr {
    /// Variables with their coefficients: sorted by variable, each once, none zero.
    terms: Vec<(Var, Rat)>,
    constant: Rat,
}

impl LinExpr {
    /// The expression `0`: no terms.
    pub fn zero() -> LinExpr {
        LinExpr::constant(Rat::zero())
    }
    /// An expression without variables.
    pub fn constant(c: Rat) -> LinExpr {
        LinExpr { terms: Vec::new(), constant: c }
    }
    /// An integer, as an expression without variables.
    pub fn int(c: i128) -> LinExpr {
        LinExpr::constant(Rat::from(c))
    }
    /// The expression `1 * v + 0`.
    pub fn var(v: Var) -> LinExpr {
        LinExpr { terms: vec![(v, Rat::one())], constant: Rat::zero() }
    }
    /// From terms in any order, repeated variables added up.
    pub fn new(terms: impl IntoIterator<Item = (Var, Rat)>, constant: Rat) -> LinExpr {
        let mut terms: Vec<(Var, Rat)> = terms.into_iter().collect();
        if !terms.is_sorted_by(|a, b| a.0 < b.0) {
            terms.sort_by_key(|t| t.0);
            terms.dedup_by(|b, a| {
                let same = a.0 == b.0;
                if same {
                    a.1 = &a.1 + &b.1;
                }
                same
            });
        }
        terms.retain(|t| !t.1.is_zero());
        LinExpr { terms, constant }
    }
    /// The same terms with another constant part.
    pub fn with_constant(&self, constant: Rat) -> LinExpr {
        LinExpr { terms: self.terms.clone(), constant }
    }
    /// `-self`: each coefficient and the constant.
    pub fn negated(&self) -> LinExpr {
        let terms = self.terms.iter().map(|(v, c)| (*v, -c)).collect();
        LinExpr { terms, constant: -&self.constant }
    }
    /// The non-zero terms, sorted by variable.
    pub fn terms(&self) -> &[(Var, Rat)] {
        &self.terms
    }
    /// What is added to the terms; zero for none.
    pub fn constant_part(&self) -> &Rat {
        &self.constant
    }
    /// The coefficient of `v`, zero if absent.
    pub fn coeff(&self, v: Var) -> Rat {
        match self.terms.binary_search_by_key(&v, |t| t.0) {
            Ok(i) => self.terms[i].1.clone(),
            Err(_) => Rat::zero(),
        }
    }
    /// Is there no variable in it?
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }
    /// The variables with a coefficient that is not zero, ascending.
    pub fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.terms.iter().map(|t| t.0)
    }
    /// `self + k * other`.
    pub fn add_scaled(&self, other: &LinExpr, k: &Rat) -> LinExpr {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let c = &x.1 + &(&y.1 * k);
                    if !c.is_zero() {
                        terms.push((x.0, c));
                    }
                    a.next();
                    b.next();
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    terms.push((*x).clone());
                    a.next();
                }
                (_, Some(y)) => {
                    let c = &y.1 * k;
                    if !c.is_zero() {
                        terms.push((y.0, c));
                    }
                    b.next();
                }
                _ => break,
            }
        }
        LinExpr { terms, constant: &self.constant + &(&other.constant * k) }
    }
    /// `self + other`; terms that cancel are gone.
    #[allow(clippy::should_implement_trait)]
    pub fn add(&self, other: &LinExpr) -> LinExpr {
        self.add_scaled(other, &Rat::one())
    }
    /// `self - other`; terms that cancel are gone.
    #[allow(clippy::should_implement_trait)]
    pub fn sub(&self, other: &LinExpr) -> LinExpr {
        self.add_scaled(other, &Rat::from(-1i64))
    }
    /// `k * self`; the expression `0` for `k = 0`.
    pub fn scale(&self, k: &Rat) -> LinExpr {
        if k.is_zero() {
            return LinExpr::zero();
        }
        if k.is_one() {
            return self.clone();
        }
        LinExpr { terms: self.terms.iter().map(|(v, c)| (*v, c * k)).collect(), constant: &self.constant * k }
    }
    /// Every variable replaced at once; `None` keeps it.
    pub fn subst(&self, f: impl Fn(Var) -> Option<LinExpr>) -> LinExpr {
        let mut constant = self.constant.clone();
        let mut terms = Vec::with_capacity(self.terms.len());
        for (v, c) in &self.terms {
            match f(*v) {
                Some(e) => {
                    terms.extend(e.terms.iter().map(|(w, d)| (*w, c * d)));
                    constant = &constant + &(c * &e.constant);
                }
                None => terms.push((*v, c.clone())),
            }
        }
        LinExpr::new(terms, constant)
    }
    /// Variables renamed at once; those that become one are added up.
    pub fn rename(&self, f: impl Fn(Var) -> Var) -> LinExpr {
        LinExpr::new(self.terms.iter().map(|(v, c)| (f(*v), c.clone())), self.constant.clone())
    }
    /// The value where every variable has one.
    pub fn eval(&self, value: impl Fn(Var) -> Rat) -> Rat {
        let mut sum = self.constant.clone();
        for (v, c) in &self.terms {
            sum = &sum + &(c * &value(*v));
        }
        sum
    }
    /// Text with the given variable names.
    pub fn display(&self, name: impl Fn(Var) -> String) -> String {
        let mut s = String::new();
        for (v, c) in &self.terms {
            let (sign, a) = if c.is_negative() { ("-", c.abs()) } else { ("+", c.clone()) };
            match (s.is_empty(), sign) {
                (true, "-") => s.push('-'),
                (true, _) => {}
                (false, sign) => {
                    s.push(' ');
                    s.push_str(sign);
                    s.push(' ');
                }
            }
            if !a.is_one() {
                s.push_str(&format!("{a}*"));
            }
            s.push_str(&name(*v));
        }
        if s.is_empty() {
            return self.constant.to_string();
        }
        if self.constant.is_positive() {
            s.push_str(&format!(" + {}", self.constant));
        } else if self.constant.is_negative() {
            s.push_str(&format!(" - {}", self.constant.abs()));
        }
        s
    }
}

impl fmt::Display for LinExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(|v| format!("v{}", v.0)))
    }
}
