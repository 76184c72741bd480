//! Names and linear comparisons as text: `2*x + y' - worker::me <= 3`.
//!
//! A name made of letters, digits and `_ $ # . : [ ] ~` that does not begin with a digit stands as it is; any other is
//! put between backquotes, a backquote in it doubled. `'` after a name is the value after the step.

use num_bigint::BigInt;
use relyant_linear::{Atom, LinExpr, Norm, Rat, Var};
use std::collections::{BTreeMap, BTreeSet};

/// No number has more digits than this.
const MAX_DIGITS: usize = 1000;

/// Names, one each: repeated ones get a number.
pub fn unique<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut count = BTreeMap::new();
    for name in names.clone() {
        *count.entry(name).or_insert(0usize) += 1;
    }
    let mut taken: BTreeSet<String> = count.iter().filter(|x| *x.1 == 1).map(|x| x.0.to_string()).collect();
    let name_it = |name: &str| {
        if count[name] == 1 {
            return name.to_string();
        }
        let mut k = 1usize;
        while !taken.insert(format!("{name}~{k}")) {
            k += 1;
        }
        format!("{name}~{k}")
    };
    names.map(name_it).collect()
}

fn plain_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn plain(c: char) -> bool {
    plain_start(c) || c.is_ascii_digit() || "#.:[]~".contains(c)
}

/// A name as it stands in an expression.
pub fn quote(name: &str) -> String {
    if name.starts_with(plain_start) && name.chars().all(plain) {
        name.to_string()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}

/// An atom as text.
pub fn write(a: &Atom, name: impl Fn(Var) -> String) -> String {
    a.display(name)
}

/// Why a text is no comparison.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextError {
    /// A comparison that is followed by something else.
    #[error("`{text}`: unexpected `{rest}`")]
    Rest {
        /// All of the text.
        text: String,
        /// What should not be there.
        rest: String,
    },
    /// No operator between the two sums; what is there.
    #[error("no comparison at `{0}`")]
    Operator(String),
    /// A number with more digits than are read.
    #[error("a number is too long")]
    Number,
    /// A variable that there is not, or is not primed here.
    #[error("unknown variable `{0}`")]
    Variable(String),
    /// More than so many bytes.
    #[error("more than {0} bytes")]
    Long(usize),
    /// A quoted name without an end.
    #[error("a backquote is missing")]
    Backquote,
}

/// Reads a comparison. `resolve` says which variable a name, primed or not, stands for.
pub fn parse(text: &str, resolve: &dyn Fn(&str, bool) -> Option<Var>) -> Result<Norm, TextError> {
    let mut p = Parser { rest: text, resolve };
    let left = p.sum()?;
    let op = p.operator()?;
    let right = p.sum()?;
    p.spaces();
    if !p.rest.is_empty() {
        return Err(TextError::Rest { text: text.into(), rest: p.rest.into() });
    }
    Ok(match op {
        "<=" => Atom::le(&left.sub(&right)),
        ">=" => Atom::le(&right.sub(&left)),
        "<" => Atom::lt(&left.sub(&right)),
        ">" => Atom::lt(&right.sub(&left)),
        _ => Atom::eq(&left.sub(&right)),
    })
}

struct Parser<'t> {
    rest: &'t str,
    resolve: &'t dyn Fn(&str, bool) -> Option<Var>,
}

impl<'t> Parser<'t> {
    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }
    fn eat(&mut self, s: &str) -> bool {
        self.spaces();
        match self.rest.strip_prefix(s) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
    fn operator(&mut self) -> Result<&'static str, TextError> {
        let all = ["<=", ">=", "==", "<", ">"];
        all.into_iter().find(|op| self.eat(op)).ok_or_else(|| TextError::Operator(self.rest.into()))
    }
    fn sum(&mut self) -> Result<LinExpr, TextError> {
        let mut out = LinExpr::zero();
        let mut negative = self.eat("-");
        loop {
            let term = self.term()?;
            out = if negative { out.sub(&term) } else { out.add(&term) };
            if self.eat("+") {
                negative = false;
            } else if self.eat("-") {
                negative = true;
            } else {
                return Ok(out);
            }
        }
    }
    fn term(&mut self) -> Result<LinExpr, TextError> {
        self.spaces();
        if !self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(LinExpr::var(self.name()?));
        }
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        let number = (end <= MAX_DIGITS).then(|| digits.parse::<BigInt>().ok()).flatten();
        let number = Rat::from(number.ok_or(TextError::Number)?);
        if self.eat("*") {
            self.spaces();
            return Ok(LinExpr::var(self.name()?).scale(&number));
        }
        Ok(LinExpr::constant(number))
    }
    fn name(&mut self) -> Result<Var, TextError> {
        let name = if let Some(rest) = self.rest.strip_prefix('`') {
            self.rest = rest;
            self.quoted()?
        } else {
            let end = self.rest.find(|c| !plain(c)).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            name.to_string()
        };
        let primed = self.rest.starts_with('\'');
        if primed {
            self.rest = &self.rest[1..];
        }
        (self.resolve)(&name, primed).ok_or_else(|| TextError::Variable(name + if primed { "'" } else { "" }))
    }
    fn quoted(&mut self) -> Result<String, TextError> {
        let mut name = String::new();
        loop {
            let end = self.rest.find('`').ok_or(TextError::Backquote)?;
            name.push_str(&self.rest[..end]);
            self.rest = &self.rest[end + 1..];
            match self.rest.strip_prefix('`') {
                Some(rest) => {
                    name.push('`');
                    self.rest = rest;
                }
                None => return Ok(name),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Norm, TextError> {
        let names = ["x", "a[2]", "odd `name` - 1", "f::x"];
        parse(text, &|name, primed| {
            let k = names.iter().position(|n| *n == name)? as u32;
            Some(Var(if primed { k + 100 } else { k }))
        })
    }

    #[test]
    fn comparisons() {
        let (x, a, odd) = (LinExpr::var(Var(0)), LinExpr::var(Var(101)), LinExpr::var(Var(2)));
        let three = LinExpr::int(3);
        assert_eq!(read("x - a[2]' <= 3"), Ok(Atom::le(&x.sub(&a).sub(&three))));
        assert_eq!(read("-2*x+a[2]'>=3"), Ok(Atom::le(&three.add(&x).add(&x).sub(&a))));
        assert_eq!(read("`odd ``name`` - 1` == 0"), Ok(Atom::eq(&odd)));
        assert_eq!(read("0 == 1"), Ok(Norm::False));
    }

    #[test]
    fn bad_text() {
        for text in
            ["", "x", "x <=", "<= 1", "x <= 1 1", "y <= 1", "x' <", "x ** 2 <= 1", "`x <= 1", "x == é"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&format!("x <= {}", "9".repeat(MAX_DIGITS + 1))).is_err());
    }

    #[test]
    fn names_are_made_unique() {
        assert_eq!(unique(["a", "b", "a", "a~1"].into_iter()), ["a~2", "b", "a~3", "a~1"]);
    }
}
