//! Thread programs from a few words, for tests of the engines.
//!
//! `lock cnt` are globals (start value 0 unless `lock=3`), a thread is a name and its edges
//! `a>b: lock==0 & x<=1 ; lock:=1, x:=x+1`; locals are named `x` with the thread's other names, `!b` marks an error
//! location, `*` after the thread's name means any number of threads, `x:=?` is an input.

use relyant_cfa::Reg;
use relyant_cfa::diagnostic::Span;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Var};
use relyant_program::{Count, Edge, Input, Loc, Location, Origin, Program, Scope, Template, Variable};

/// Parses `sum` like `x - 2*y + 3`.
fn sum(text: &str, var: &dyn Fn(&str) -> Var) -> LinExpr {
    let text = text.replace('-', "+-").replace(' ', "");
    let mut e = LinExpr::zero();
    for part in text.split('+').filter(|p| !p.is_empty()) {
        let (sign, part) = part.strip_prefix('-').map_or((1i64, part), |p| (-1, p));
        let (k, rest) = part.split_once('*').map_or((1i64, part), |(k, v)| (k.parse().unwrap(), v));
        let term = match rest.parse::<i64>() {
            Ok(c) => LinExpr::int(c as i128),
            Err(_) => LinExpr::var(var(rest)),
        };
        e = e.add_scaled(&term, &Rat::from(sign * k));
    }
    e
}

fn atom(text: &str, var: &dyn Fn(&str) -> Var) -> Norm {
    for op in ["==", "<=", ">=", "<", ">"] {
        if let Some((a, b)) = text.split_once(op) {
            let d = sum(a, var).sub(&sum(b, var));
            let m = d.scale(&Rat::from(-1i64));
            return match op {
                "==" => Atom::eq(&d),
                "<=" => Atom::le(&d),
                "<" => Atom::lt(&d),
                ">=" => Atom::le(&m),
                _ => Atom::lt(&m),
            };
        }
    }
    panic!("no comparison in {text}");
}

/// Builds a program. Every thread: name, locals, edges by line.
pub fn program(globals: &str, threads: &[(&str, &str, &str)]) -> Program {
    let mut p = Program::default();
    let mut init = Cube::top();
    for g in globals.split_whitespace() {
        let (name, value) = g.split_once('=').unwrap_or((g, "0"));
        p.variables.push(variable(name, Scope::Global));
        if let Ok(c) = value.parse::<i64>() {
            let v = Var(p.variables.len() as u32 - 1);
            init.push(Atom::eq(&LinExpr::var(v).sub(&LinExpr::int(c as i128))));
        }
    }
    p.init = init;
    for (t, (name, locals, _)) in threads.iter().enumerate() {
        for l in locals.split_whitespace() {
            let mut v = variable(&format!("{name}::{l}"), Scope::Local(t as u32));
            v.identity = l == "self";
            v.min = v.identity.then_some(100);
            p.variables.push(v);
        }
    }
    for (t, (name, _, edges)) in threads.iter().enumerate() {
        let variables = p.variables.clone();
        let var = |n: &str| {
            let local = format!("{name}::{n}");
            Var(
                variables.iter().position(|v| v.name == n || v.name == local).unwrap_or_else(|| panic!("{n}"))
                    as u32,
            )
        };
        let mut names: Vec<String> = Vec::new();
        let mut template = Template {
            name: name.to_string(),
            count: if name.ends_with('*') { Count::Unbounded } else { Count::AtMost(1) },
            identity: p
                .variables
                .iter()
                .position(|v| v.identity && v.scope == Scope::Local(t as u32))
                .map(|v| Var(v as u32)),
            entry: Loc(0),
            locations: Default::default(),
            edges: Vec::new(),
        };
        for line in edges.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (way, what) = line.split_once(':').unwrap();
            let (from, to) = way.split_once('>').unwrap();
            let mut loc = |n: &str| {
                let n = n.trim();
                let k = names.iter().position(|m| m == n).unwrap_or_else(|| {
                    names.push(n.into());
                    template.locations.push(Location {
                        error: n.starts_with('!').then(|| "assertion".to_string()),
                        labels: vec![n.to_string()],
                        ..Location::default()
                    });
                    names.len() - 1
                });
                Loc(k as u32)
            };
            let (guard, updates) = what.split_once(';').unwrap_or((what, ""));
            let guard = guard.split('&').map(str::trim).filter(|g| !g.is_empty());
            let n = p.variables.len();
            let asked = updates.matches('?').count();
            let mut input = (n..n + asked).map(|k| Var(k as u32));
            let mut updates: Vec<(Var, LinExpr)> = updates
                .split(',')
                .filter(|u| !u.trim().is_empty())
                .map(|u| {
                    let (v, e) = u.split_once(":=").unwrap();
                    let e = match e.trim() {
                        "?" => LinExpr::var(input.next().unwrap()),
                        e => sum(e, &var),
                    };
                    (var(v.trim()), e)
                })
                .collect();
            updates.sort();
            let (from, to) = (loc(from), loc(to));
            template.edges.push(Edge {
                from,
                to,
                inputs: (0..asked as u32).map(Input::Havoc).collect(),
                guard: Cube::of(guard.map(|g| atom(g, &var))),
                bounds: Cube::top(),
                updates,
                path: Vec::new(),
                span: Span::default(),
                touches: Vec::new(),
                exact: true,
            });
        }
        p.templates.push(template);
    }
    p
}

fn variable(name: &str, scope: Scope) -> Variable {
    Variable {
        name: name.into(),
        scope,
        min: None,
        max: None,
        identity: false,
        origin: Origin::Register(Reg(0)),
    }
}

/// Peterson's algorithm for two threads; `turn` starts with any value.
pub fn peterson() -> Program {
    let thread = |me: &str, other: &str, turn: &str, x: &str| {
        let bad = if x == "0" { "x >= 1" } else { "x <= 0" };
        format!(
            "a>b: ; flag{me} := 1
             b>c: ; turn := {turn}
             c>e: flag{other} <= 0
             c>e: flag{other} >= 2
             c>d: flag{other} == 1
             d>e: turn <= {turn} - 1
             d>e: turn >= {turn} + 1
             d>c: turn == {turn}
             e>f: ; x := {x}
             f>!err: {bad}
             f>g: ; flag{me} := 0"
        )
    };
    let (a, b) = (thread("1", "2", "1", "0"), thread("2", "1", "0", "1"));
    program("flag1 flag2 turn=? x", &[("one", "", &a), ("two", "", &b)])
}
