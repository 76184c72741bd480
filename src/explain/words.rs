//! Comparisons, assertions and relations in the fewest words, as C has them.

use relyant_linear::{Atom, Cube, LinExpr, Rat, Rel, Var};
use relyant_program::{Program, Role, Scope};

/// Names of variables as one thread sees them: its own locals by their own names, values after a step with a `'`.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) program: &'a Program,
    /// The template whose thread speaks, by index.
    pub(super) own: Option<u32>,
}

impl Names<'_> {
    /// The variable's name.
    pub(super) fn name(&self, v: Var) -> String {
        let plain = Role::of(v).plain();
        let Some(x) = self.program.variables.get(plain.0 as usize) else {
            return format!("input{}", plain.0);
        };
        let template = |t: u32| self.program.templates.get(t as usize).map(|t| format!("{}::", t.name));
        let prefix = match x.scope {
            Scope::Local(t) if self.own == Some(t) => template(t),
            _ => None,
        };
        // A product has two names.
        let name = prefix.map_or_else(|| x.name.clone(), |p| x.name.replace(&p, ""));
        match Role::of(v) {
            Role::After(_) => format!("{name}'"),
            Role::Before(_) => name,
            _ => format!("other's {name}"),
        }
    }

    fn bounds(&self, v: Var) -> (Option<Rat>, Option<Rat>) {
        let x = self.program.variables.get(Role::of(v).plain().0 as usize);
        (x.and_then(|x| x.min).map(Rat::from), x.and_then(|x| x.max).map(Rat::from))
    }

    /// Does a comparison say no more than what the variable's range has anyway?
    pub(super) fn says_nothing(&self, a: &Atom) -> bool {
        let [(v, c)] = a.expr().terms() else { return false };
        let (min, max) = self.bounds(*v);
        let limit = |end: Option<Rat>, other: Rat| end.is_some_and(|e| e == other);
        let constant = a.expr().constant_part();
        a.rel() == Rel::Le
            && (*c == Rat::from(-1i128) && limit(min, constant.clone())
                || *c == Rat::one() && limit(max, -constant))
    }

    /// A comparison: positive terms on the left, others on the right, the least range said as an equality.
    pub(super) fn comparison(&self, a: &Atom) -> String {
        if let Some(text) = self.of_one(a) {
            return text;
        }
        let side = |negative: bool| {
            let of = a.expr().terms().iter().filter(|t| t.1.is_negative() == negative);
            LinExpr::new(of.map(|(v, c)| (*v, if negative { -c } else { c.clone() })), Rat::zero())
        };
        let (left, right, constant) = (side(false), side(true), a.expr().constant_part());
        let text = |e: &LinExpr| e.display(|v| self.name(v));
        let op = |less: &'static str| if a.rel() == Rel::Eq { "==" } else { less };
        if left.terms().is_empty() {
            let flipped = if a.rel() == Rel::Eq { "==" } else { ">=" };
            return format!("{} {flipped} {constant}", text(&right));
        }
        if *constant == Rat::one() && a.rel() == Rel::Le && !right.terms().is_empty() {
            return format!("{} < {}", text(&left), text(&right));
        }
        let right = right.sub(&LinExpr::constant(constant.clone()));
        format!("{} {} {}", text(&left), op("<="), text(&right))
    }

    /// Of one variable: with its range, `x >= 1` may be `x == 1`.
    fn of_one(&self, a: &Atom) -> Option<String> {
        let [(v, c)] = a.expr().terms() else { return None };
        let constant = a.expr().constant_part();
        let name = self.name(*v);
        if *c != Rat::one() && *c != Rat::from(-1i128) {
            return None;
        }
        let (min, max) = self.bounds(*v);
        let bound = if c.is_negative() { constant.clone() } else { -constant };
        if a.rel() == Rel::Eq {
            return Some(format!("{name} == {bound}"));
        }
        let (op, end) = if c.is_negative() { (">=", max) } else { ("<=", min) };
        let op = if end.as_ref() == Some(&bound) { "==" } else { op };
        Some(format!("{name} {op} {bound}"))
    }

    /// A cube as a conjunction: `true` where it says nothing, `false` where it cannot be.
    pub(super) fn cube(&self, c: &Cube) -> String {
        if c.is_bottom() {
            return "false".into();
        }
        if c.is_top() {
            "true".into()
        } else {
            c.atoms().iter().map(|a| self.comparison(a)).collect::<Vec<_>>().join(" && ")
        }
    }
}

/// An assertion: alternatives, what all have in common said once.
pub(super) fn disjunction(alternatives: &[Vec<String>]) -> String {
    let Some((first, rest)) = alternatives.split_first() else { return "false".into() };
    let common: Vec<&String> = first.iter().filter(|p| rest.iter().all(|a| a.contains(p))).collect();
    let left: Vec<Vec<&String>> =
        alternatives.iter().map(|a| a.iter().filter(|p| !common.contains(p)).collect()).collect();
    let mut parts: Vec<String> = common.into_iter().cloned().collect();
    // One that says no more than the rest have in common makes the others superfluous.
    if left.iter().all(|a| !a.is_empty()) {
        let join = |a: &Vec<&String>| {
            let text = a.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" && ");
            if a.len() > 1 { format!("({text})") } else { text }
        };
        let mut any: Vec<String> = left.iter().map(join).collect();
        any.dedup();
        let any = any.join(" || ");
        parts.push(if parts.is_empty() || left.len() == 1 { any } else { format!("({any})") });
    }
    if parts.is_empty() { "true".into() } else { parts.join(" && ") }
}

/// Lines as people write them: `12, 14 to 16`.
pub(super) fn lines(mut of: Vec<u32>) -> String {
    of.sort_unstable();
    of.dedup();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for l in of {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == l => *end = l,
            _ => runs.push((l, l)),
        }
    }
    let text = |(a, b): &(u32, u32)| match b - a {
        0 => a.to_string(),
        1 => format!("{a}, {b}"),
        _ => format!("{a} to {b}"),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_linear::Norm;
    use relyant_program::{Ghost, Variable};

    fn said(e: LinExpr, eq: bool) -> String {
        let variable = |n: &str, max| Variable::ghost(n.into(), Scope::Global, (Some(0), max), Ghost::Other);
        let variables = vec![variable("flag", Some(1)), variable("n", None), variable("m", None)];
        let program = Program { variables, ..Program::default() };
        let norm = if eq { Atom::eq(&e) } else { Atom::le(&e) };
        let Norm::Atom(a) = norm else { panic!("constant") };
        Names { program: &program, own: None }.comparison(&a)
    }

    #[test]
    fn comparisons_are_short() {
        let (flag, n, m) = (LinExpr::var(Var(0)), LinExpr::var(Var(1)), LinExpr::var(Var(2)));
        let one = LinExpr::int(1);
        assert_eq!(said(one.sub(&flag), false), "flag == 1");
        assert_eq!(said(flag.clone(), false), "flag == 0");
        assert_eq!(said(one.sub(&n), false), "n >= 1");
        assert_eq!(said(n.sub(&m).add(&one), false), "n < m");
        assert_eq!(said(n.sub(&m), true), "n == m");
        assert_eq!(said(n.sub(&m).sub(&one), false), "n <= m + 1");
        assert_eq!(said(LinExpr::int(3).sub(&n).sub(&m), false), "n + m >= 3");
    }

    #[test]
    fn ranges_are_not_repeated() {
        let flag = Variable::ghost("flag".into(), Scope::Global, (Some(0), Some(1)), Ghost::Other);
        let program = Program { variables: vec![flag], ..Program::default() };
        let names = Names { program: &program, own: None };
        let nothing = |e: &LinExpr| match Atom::le(e) {
            Norm::Atom(a) => names.says_nothing(&a),
            _ => panic!("constant"),
        };
        let (flag, one) = (LinExpr::var(Var(0)), LinExpr::int(1));
        assert!(nothing(&flag.negated()) && nothing(&flag.sub(&one)));
        assert!(!nothing(&flag) && !nothing(&one.sub(&flag)));
    }

    #[test]
    fn what_alternatives_share_is_said_once() {
        let of = |a: &[&[&str]]| {
            disjunction(&a.iter().map(|x| x.iter().map(|s| s.to_string()).collect()).collect::<Vec<_>>())
        };
        assert_eq!(of(&[&["a", "b"], &["a", "c"]]), "a && (b || c)");
        assert_eq!(of(&[&["a", "b", "c"]]), "a && b && c");
        assert_eq!(of(&[&["a"], &["a", "b"]]), "a");
        assert_eq!(of(&[&["b"], &["c", "d"]]), "b || (c && d)");
        assert_eq!(of(&[]), "false");
        assert_eq!(of(&[&[]]), "true");
        assert_eq!(lines(vec![3, 5, 4, 9, 10, 12]), "3 to 5, 9, 10, 12");
    }
}
