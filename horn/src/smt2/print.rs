//! Solutions as `define-fun`s.

use super::script::{Script, Sort};
use crate::clause::Solution;
use crate::formula::Formula;
use relyant_linear::{Atom, Rat, Rel, Var};
use std::fmt::Write;

/// The model: a list with one definition for each relation.
pub(super) fn model(script: &Script, solution: &Solution) -> String {
    let mut out = String::from("(\n");
    for (r, sorts) in script.system.relations().zip(&script.sorts) {
        let params = sorts.iter().enumerate().map(|(i, s)| match s {
            Sort::Int => format!("(x!{i} Int)"),
            Sort::Bool => format!("(x!{i} Bool)"),
        });
        let params = params.collect::<Vec<_>>().join(" ");
        let body = formula(solution.formula(r), sorts);
        let _ = writeln!(out, "  (define-fun {} ({params}) Bool\n    {body})", symbol(script.system.name(r)));
    }
    out.push(')');
    out
}

fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_string()
    } else {
        format!("|{name}|")
    }
}

fn formula(f: &Formula, sorts: &[Sort]) -> String {
    let list = |op: &str, fs: &[Formula]| {
        let parts = fs.iter().map(|f| formula(f, sorts)).collect::<Vec<_>>().join(" ");
        format!("({op} {parts})")
    };
    match f {
        Formula::True => "true".into(),
        Formula::False => "false".into(),
        Formula::Atom(a) => atom(a, sorts),
        Formula::And(fs) => list("and", fs),
        Formula::Or(fs) => list("or", fs),
    }
}

fn atom(a: &Atom, sorts: &[Sort]) -> String {
    let is_bool = |v: Var| sorts.get(v.0 as usize) == Some(&Sort::Bool);
    if let [(v, _)] = a.expr().terms()
        && is_bool(*v)
    {
        let name = format!("x!{}", v.0);
        return match (a.holds(|_| Rat::zero()), a.holds(|_| Rat::one())) {
            (true, true) => "true".into(),
            (false, true) => name,
            (true, false) => format!("(not {name})"),
            (false, false) => "false".into(),
        };
    }
    // What is negative goes to the right side.
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (v, k) in a.expr().terms() {
        let x = if is_bool(*v) { format!("(ite x!{} 1 0)", v.0) } else { format!("x!{}", v.0) };
        let size = k.abs();
        let x = if size.is_one() { x } else { format!("(* {size} {x})") };
        if k.is_negative() { right.push(x) } else { left.push(x) }
    }
    let c = a.expr().constant_part();
    if c.is_positive() && (left.is_empty() || !right.is_empty()) {
        left.push(c.to_string());
    } else if c.is_positive() {
        right.push(format!("(- {c})"));
    } else if c.is_negative() {
        right.push((-c).to_string());
    }
    let op = if a.rel() == Rel::Le { "<=" } else { "=" };
    format!("({op} {} {})", sum(&left), sum(&right))
}

fn sum(parts: &[String]) -> String {
    match parts {
        [] => "0".into(),
        [one] => one.clone(),
        _ => format!("(+ {})", parts.join(" ")),
    }
}
