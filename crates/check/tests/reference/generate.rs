//! Small random thread programs whose values stay among those that are tried.

use relyant_cfa::diagnostic::Span;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use relyant_program::{Count, Edge, Ghost, Input, Loc, Location, Program, Scope, Template, Variable};
use relyant_testing::rng::Rng;

pub fn x(v: Var) -> LinExpr {
    LinExpr::var(v)
}
pub fn n(k: i128) -> LinExpr {
    LinExpr::int(k)
}
pub fn eq(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::eq(&a.sub(b))
}
pub fn le(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::le(&a.sub(b))
}

fn variable(name: String, scope: Scope, identity: bool) -> Variable {
    let range = if identity { (Some(0), Some(2)) } else { (None, None) };
    Variable { identity, ..Variable::ghost(name, scope, range, Ghost::Other) }
}

/// Variables of a template, by use.
struct Own {
    locals: Vec<Var>,
    identity: Option<Var>,
}

/// A step between random locations.
pub fn edge(rng: &mut Rng, p: &Program, t: u32, locations: u32) -> Edge {
    let scoped = |s: Scope| {
        let all = (0..p.variables.len() as u32).map(Var);
        all.filter(move |v| p.variables[v.0 as usize].scope == s).collect::<Vec<Var>>()
    };
    let identity = |v: &Var| p.variables[v.0 as usize].identity;
    let globals = scoped(Scope::Global);
    let (ids, locals): (Vec<Var>, Vec<Var>) = scoped(Scope::Local(t)).into_iter().partition(identity);
    let own = Own { locals, identity: ids.first().copied() };
    let targets: Vec<Var> = globals.iter().chain(&own.locals).copied().collect();
    let sources: Vec<Var> = targets.iter().copied().chain(own.identity).collect();
    let (mut guard, mut bounds, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rng.below(3) {
        let (a, b, k) = (rng.pick(&sources), rng.pick(&sources), rng.below(3) as i128);
        let atom = match rng.below(5) {
            0 => le(&x(a), &n(k)),
            1 => le(&n(k), &x(a)),
            2 => eq(&x(a), &x(b)),
            _ => eq(&x(a), &n(k)),
        };
        if rng.percent(80) { guard.push(atom) } else { bounds.push(atom) }
    }
    let mut updates: Vec<(Var, LinExpr)> = Vec::new();
    for _ in 0..rng.below(3) {
        let target = rng.pick(&targets);
        let value = match rng.below(8) {
            0 | 1 => n(rng.below(3) as i128),
            2 | 3 => x(rng.pick(&sources)),
            4 => {
                guard.push(le(&x(target), &n(1)));
                x(target).add(&n(1))
            }
            5 => {
                guard.push(le(&n(0), &x(target)));
                x(target).sub(&n(1))
            }
            6 if inputs.is_empty() => {
                let input = x(p.input(0));
                inputs.push(Input::Auxiliary);
                bounds.extend([le(&n(0), &input), le(&input, &n(1))]);
                input
            }
            // A ticket is drawn.
            _ => {
                let (counter, Some(local)) = (globals[0], own.locals.first()) else { continue };
                guard.push(le(&x(counter), &n(1)));
                updates.retain(|u| u.0 != counter && u.0 != *local);
                updates.push((counter, x(counter).add(&n(1))));
                updates.push((*local, x(counter)));
                continue;
            }
        };
        updates.retain(|u| u.0 != target);
        updates.push((target, value));
    }
    updates.sort_by_key(|u| u.0);
    let from = Loc(rng.below(locations as usize) as u32);
    let to = if rng.percent(20) { from } else { Loc(rng.below(locations as usize) as u32) };
    Edge { from, to, inputs, guard: Cube::of(guard), bounds: Cube::of(bounds), updates, ..plain() }
}

/// A step that does nothing.
fn plain() -> Edge {
    Edge {
        from: Loc(0),
        to: Loc(0),
        inputs: Vec::new(),
        guard: Cube::top(),
        bounds: Cube::top(),
        updates: Vec::new(),
        path: Vec::new(),
        span: Span::default(),
        touches: Vec::new(),
        exact: true,
    }
}

/// The first global becomes a counter of tickets, which threads of one template draw on their first step and keep.
fn draw(rng: &mut Rng, p: &mut Program) {
    let local = |v: &usize| p.variables[*v].scope != Scope::Global && !p.variables[*v].identity;
    let locals: Vec<usize> = (0..p.variables.len()).filter(local).collect();
    let Some(k) = locals.get(rng.below(locals.len())) else { return };
    let (counter, ticket) = (Var(0), Var(*k as u32));
    let Scope::Local(t) = p.variables[*k].scope else { return };
    for e in p.templates.iter_mut().flat_map(|t| &mut t.edges) {
        e.updates.retain(|u| u.0 != counter && u.0 != ticket);
    }
    let t = &mut p.templates[t as usize];
    if t.count == Count::AtMost(1) && rng.percent(80) {
        t.count = Count::Unbounded;
    }
    let guard = Cube::of([le(&x(counter), &n(1))]);
    let updates = vec![(counter, x(counter).add(&n(1))), (ticket, x(counter))];
    t.edges.retain(|e| e.from != t.entry);
    t.edges.push(Edge { from: t.entry, to: Loc(1), guard, updates, ..plain() });
}

fn count(rng: &mut Rng) -> Count {
    rng.pick(&[Count::AtMost(1), Count::AtMost(1), Count::AtMost(1), Count::AtMost(2), Count::Unbounded])
}

/// A program of one to three templates with one to three locations.
pub fn program(rng: &mut Rng) -> Program {
    let mut p = Program::default();
    for g in 0..=rng.below(2) {
        p.variables.push(variable(format!("g{g}"), Scope::Global, false));
    }
    let templates = 1 + rng.below(3) as u32;
    for t in 0..templates {
        let count = if rng.percent(3) { Count::AtMost(0) } else { count(rng) };
        if rng.percent(60) {
            p.variables.push(variable(format!("t{t}::x"), Scope::Local(t), false));
        }
        let mut identity = None;
        if rng.percent(if count == Count::AtMost(1) { 20 } else { 60 }) {
            identity = Some(Var(p.variables.len() as u32));
            p.variables.push(variable(format!("t{t}::me"), Scope::Local(t), true));
        }
        let locations = (0..2 + rng.below(2)).map(|_| Location::default()).collect();
        let name = format!("t{t}");
        p.templates.push(Template { name, count, identity, entry: Loc(0), locations, edges: Vec::new() });
    }
    let mut init = Vec::new();
    for (v, of) in p.variables.iter().enumerate().filter(|(_, of)| !of.identity) {
        let v = x(Var(v as u32));
        if rng.percent(85) || of.scope == Scope::Global {
            init.push(eq(&v, &n(0)));
        } else {
            init.extend([le(&n(0), &v), le(&v, &n(1))]);
        }
    }
    p.init = Cube::of(init);
    for t in 0..templates {
        let locations = p.templates[t as usize].locations.len() as u32;
        let some = if rng.percent(8) { 0 } else { 1 + rng.below(4) };
        p.templates[t as usize].edges = (0..some).map(|_| edge(rng, &p, t, locations)).collect();
    }
    if rng.percent(15) {
        draw(rng, &mut p);
    }
    if rng.percent(50) {
        p.exclusive = Some("critical".into());
    }
    for t in &mut p.templates {
        let last = Loc(t.locations.len() as u32 - 1);
        if p.exclusive.is_some() && rng.percent(70) {
            t.locations[last].labels.push("critical".into());
        } else if rng.percent(30) {
            t.locations[last].error = Some("assertion".into());
        }
    }
    p
}
