//! From C's typed expressions to linear guards and updates: each edge of the automaton becomes one edge a case.

mod arrays;
mod atomic;
mod binary;
mod case;
mod choices;
mod dead;
mod handles;
mod memory;
mod range;
mod ranges;
mod registers;
mod residue;
#[cfg(test)]
mod tests;
mod threads;
mod value;
mod variables;
pub mod waiting;

use crate::{Edge, Given, Input, Loc, Location, Program, Template, Touch};
pub use arrays::ArrayLimits;
use arrays::Arrays;
pub use arrays::has_short_arrays;
use case::{ValueCase, at_least, at_most, eq};
use handles::Holders;
use memory::TouchedCells;
use range::Range;
use ranges::{Env, Ranges, ranges};
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::sparse::Row;
use relyant_cfa::{Expr, LocationKind, Op};
use relyant_linear::{Atom, Cube, LinExpr, Norm};
use std::collections::BTreeMap;
use threads::GuardedUpdates;
use value::Linear;
use variables::Variables;

/// The thread program of a program, step by step: one edge (or a few cases) for each of its steps, atomic
/// sections joined to one.
pub fn linearise(p: &cfa::Program) -> Result<Program, Diagnostic> {
    linearise_within(p, ArrayLimits::default())
}

/// The same with other limits for arrays.
pub fn linearise_within(p: &cfa::Program, limits: ArrayLimits) -> Result<Program, Diagnostic> {
    let points_to = PointsTo::new(p);
    let arrays = Arrays::new(p, limits);
    let ranges = ranges(p, &points_to, &arrays);
    let none = registers::Registers::default();
    let env = Env { program: p, template: 0, registers: &none, points_to: &points_to, arrays: &arrays };
    let holders = Holders::new(env, &ranges);
    let mut variables = Variables::new(p, &arrays, &holders);
    for (o, cells) in ranges.cells.iter().enumerate() {
        for (k, r) in cells.iter().enumerate() {
            if let Some(v) = variables.cell(cfa::ObjId(o as u32), k) {
                variables.tighten(v, r);
            }
        }
        for (a, r) in ranges.arrays[o].iter().enumerate() {
            if let Some(v) = variables.element(cfa::ObjId(o as u32), a) {
                variables.tighten(v, r);
            }
        }
    }
    let live: Vec<_> = p.templates.iter().map(dead::live_registers).collect();
    for (t, template) in p.templates.iter().enumerate() {
        for (r, written) in ranges.written[t].iter().enumerate() {
            if !live[t][template.entry.0 as usize].has(r as u32) || template.param == Some(cfa::Reg(r as u32))
            {
                variables.tighten(variables.register(t, cfa::Reg(r as u32)), written);
            }
        }
    }
    let mut out = Program {
        variables: variables.list.clone(),
        exclusive: p.exclusive.clone(),
        files: p.files.clone(),
        lines: p.lines.clone(),
        assumes: p.assumes.clone(),
        chosen: p.chosen.is_some(),
        deadlock: p.deadlock,
        waits: p.order.clone(),
        ..Program::default()
    };
    let mut held = Vec::new();
    for (t, live) in live.iter().enumerate() {
        let of = Lineariser {
            p,
            t,
            ranges: &ranges,
            points_to: &points_to,
            arrays: &arrays,
            variables: &variables,
            live,
        };
        out.templates.push(of.template()?);
        held.push(atomic::held(&p.templates[t]));
    }
    start(p, &variables, &points_to, &arrays, &mut out);
    atomic::join_sections(&mut out, held);
    drop_unread(&mut out);
    Ok(out)
}

/// Start condition, and start values that the run chooses.
fn start(p: &cfa::Program, variables: &Variables, points_to: &PointsTo, arrays: &Arrays, out: &mut Program) {
    for (o, object) in p.objects.iter().enumerate() {
        for k in 0..object.cells.len() {
            let o = cfa::ObjId(o as u32);
            let Some(v) = variables.cell(o, k) else { continue };
            let value = LinExpr::var(v);
            match object.init.get(k).copied().flatten() {
                Some(c) => out.init.push(eq(&value, &LinExpr::int(c))),
                None => {
                    let x = &variables.list[v.0 as usize];
                    if let Some(min) = x.min {
                        out.init.push(at_least(&value, min));
                    }
                    if let Some(max) = x.max {
                        out.init.push(at_most(&value, max));
                    }
                    out.given.push((Given::Cell(o, k as u32), value));
                }
            }
        }
    }
    arrays::start(p, arrays, variables, out);
    let none = registers::Registers::default();
    let env = Env { program: p, template: 0, registers: &none, points_to, arrays };
    out.init = out.init.and(&Linear { env, variables }.ghosts_at_start());
}

/// Leaves out variables that no edge mentions.
fn drop_unread(p: &mut Program) {
    let mut keep = vec![false; p.variables.len()];
    for e in p.templates.iter().flat_map(|t| &t.edges) {
        for v in e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)) {
            if let Some(k) = keep.get_mut(v.0 as usize) {
                *k = true;
            }
        }
    }
    crate::edges::forget::forget(p, &keep);
}

/// A cell, and the condition under which an address is its.
type CellCase = (ValueCase, cfa::ObjId, usize);

/// What an access may touch, each with the condition for it.
#[derive(Default)]
struct Touched {
    cells: Vec<CellCase>,
    /// Arrays, at their tracked element or (`false`) elsewhere.
    arrays: Vec<(CellCase, bool)>,
    /// Arrays that hold handles of chosen threads; the case's value is the address.
    holders: Vec<CellCase>,
    /// Elements of arrays that all share, of which none is kept; the case's value is the address.
    elements: Vec<(ValueCase, cfa::ObjId, usize, u32)>,
    /// Cells that are not kept.
    untracked: Vec<ValueCase>,
}

struct Lineariser<'a> {
    p: &'a cfa::Program,
    t: usize,
    ranges: &'a Ranges,
    points_to: &'a PointsTo,
    arrays: &'a Arrays,
    variables: &'a Variables,
    live: &'a [Row],
}

impl Lineariser<'_> {
    fn template(&self) -> Result<Template, Diagnostic> {
        let template = &self.p.templates[self.t];
        let locations = template.graph.locations.iter().enumerate().map(|(i, l)| Location {
            error: match &l.kind {
                LocationKind::Error(what) => Some(what.to_string()),
                LocationKind::Limit(limit) => Some(limit.what.clone()),
                _ => None,
            },
            labels: l.labels.clone(),
            span: l.span,
            origin: i as u32,
        });
        let mut out = Template {
            name: template.name.clone(),
            count: template.count,
            identity: self.variables.ghosts[self.t].identity,
            entry: Loc(template.entry.0),
            locations: locations.collect(),
            edges: Vec::new(),
        };
        let numbers = 0..template.registers.len() as u32;
        let registers: BTreeMap<_, u32> =
            numbers.map(|r| (self.variables.register(self.t, cfa::Reg(r)), r)).collect();
        let of_arrays = self.of_arrays();
        for (i, edge) in template.graph.edges.iter().enumerate() {
            let Some(known) = &self.ranges.at[self.t][edge.from.0 as usize] else { continue };
            let env = Env {
                program: self.p,
                template: self.t,
                registers: known,
                points_to: self.points_to,
                arrays: self.arrays,
            };
            let linear = Linear { env, variables: self.variables };
            let mut steps = self.steps(&linear, edge)?;
            let ends = template.graph.locations[edge.to.0 as usize].kind == LocationKind::End;
            if ends && !matches!(edge.op, Op::ThreadExit(_) | Op::Halt) {
                let ending = linear.exit(&Expr::Const(0)).into_iter().flat_map(|s| s.1).collect::<Vec<_>>();
                steps.iter_mut().for_each(|s| s.1.extend(ending.clone()));
            }
            let kind = &template.graph.locations[edge.to.0 as usize].kind;
            if let (LocationKind::Error(_) | LocationKind::Limit(_), Some(flag)) =
                (kind, self.variables.tracked[self.t])
            {
                let set = at_least(&LinExpr::var(flag), 1);
                steps.iter_mut().for_each(|s| s.0.guard.push(set.clone()));
            }
            for choice in self.choices(edge, kind, &of_arrays) {
                steps.iter_mut().for_each(|s| s.0.guard.push(choice.clone()));
            }
            steps.iter_mut().for_each(|s| keep_decisions(s, linear.base()));
            // What is never read need not fit the range of what is.
            let live = &self.live[edge.to.0 as usize];
            let dead = |v: &_| registers.get(v).is_some_and(|r| !live.has(*r));
            steps.iter_mut().for_each(|s| s.1.retain(|(v, _)| !dead(v)));
            for step in steps {
                out.edges.push(make_edge(step, Loc(edge.from.0), Loc(edge.to.0), vec![i as u32], edge.span));
            }
        }
        if !template.initial {
            let registers: registers::Registers =
                template.registers.iter().map(|r| Range::of_kind(r.kind)).collect();
            let env = Env {
                program: self.p,
                template: self.t,
                registers: &registers,
                points_to: self.points_to,
                arrays: self.arrays,
            };
            let entry = out.locations[out.entry].clone();
            let span = entry.span;
            let first = out.locations.push(Location { labels: Vec::new(), error: None, ..entry });
            if self.ranges.started[self.t] {
                let step = Linear { env, variables: self.variables }.begin(self.ranges);
                out.edges.push(make_edge(step, first, out.entry, Vec::new(), span));
            }
            out.entry = first;
        }
        Ok(out)
    }
    fn refuse<T>(&self, span: Span, message: &str, help: &str) -> Result<T, Diagnostic> {
        Err(Diagnostic::at(span, &self.p.files, &self.p.lines, message, help))
    }
    /// Conditions under which an address is each of some cells, in arrays, and elsewhere.
    fn places(&self, l: &Linear, address: &Expr, span: Span) -> Result<Touched, Diagnostic> {
        let Some(TouchedCells { cells, arrays, untracked }) = l.env.cells(address) else {
            return self.refuse(
                span,
                "it cannot be told which object this access touches",
                "pointers must point to few enough objects that each can be a case",
            );
        };
        // Each thread of a template of several may have its own.
        let number = |o: cfa::ObjId, a: usize| match self.p.owners.get(o.0 as usize) {
            Some(cfa::Owner::Template(t)) if self.p.templates[*t as usize].count != cfa::Count::AtMost(1) => {
                None
            }
            _ => self.arrays.number(o, a).filter(|_| self.arrays.touches()),
        };
        let told = |(o, a): &(cfa::ObjId, usize)| number(*o, *a).is_some();
        let unknown = self.variables.index.is_none() && !arrays.iter().all(told);
        let mut out = Touched::default();
        if unknown {
            out.untracked.push(ValueCase::of(LinExpr::zero()));
        }
        if let ([(o, k)], [], None) = (&cells[..], &arrays[..], untracked) {
            out.cells.push((ValueCase::of(LinExpr::zero()), *o, *k));
            return Ok(out);
        }
        let range = l.env.range(address);
        for c in l.value(address) {
            if let Some((first, last)) = untracked.filter(|_| !unknown) {
                let d = c.clone().when(at_least(&c.value, first)).when(at_most(&c.value, last));
                out.untracked.extend(l.possible(vec![d]));
            }
            for (o, k) in &cells {
                let Some(a) = self.p.bases[o.0 as usize].checked_add(*k as i128) else { continue };
                let d = c.clone().when(eq(&c.value, &LinExpr::int(a)));
                out.cells.extend(l.possible(vec![d]).into_iter().map(|d| (d, *o, *k)));
            }
            for (o, a) in &arrays {
                let base = self.p.bases[o.0 as usize];
                let array = &self.arrays.of(o.0 as usize)[*a];
                if self.variables.holders.contains(&(*o, *a)) {
                    let inside = l.possible(vec![l.inside(&c, &range, base, array)]);
                    out.holders.extend(inside.into_iter().map(|d| (d, *o, *a)));
                    continue;
                }
                if let Some(number) = number(*o, *a) {
                    let inside = l.possible(vec![l.inside(&c, &range, base, array)]);
                    out.elements.extend(inside.into_iter().map(|d| (d, *o, *a, number)));
                    continue;
                }
                for (d, tracked) in l.array_cases(&c, &range, base, array) {
                    out.arrays.extend(l.possible(vec![d]).into_iter().map(|d| ((d, *o, *a), tracked)));
                }
            }
        }
        Ok(out)
    }
    /// What a load does, by cases.
    fn load(
        &self,
        l: &Linear,
        span: Span,
        r: cfa::Reg,
        address: &Expr,
        kind: cfa::IntKind,
    ) -> Result<Vec<GuardedUpdates>, Diagnostic> {
        let mut out = Vec::new();
        let places = self.places(l, address, span)?;
        for mut c in places.untracked {
            c.value = LinExpr::var(c.input(l.base(), Input::Auxiliary));
            let c = ValueCase { exact: false, ..l.within(c, &Range::of_kind(kind)) };
            out.push((c.clone(), vec![(l.register(r), c.value)]));
        }
        for ((mut c, o, a), tracked) in places.arrays {
            let range = &self.ranges.arrays[o.0 as usize][a];
            let Some(v) = self.variables.element(o, a) else { continue };
            if tracked {
                c.value = LinExpr::var(v);
            } else {
                c.value = LinExpr::var(c.input(l.base(), Input::Auxiliary));
                c = ValueCase { exact: false, ..l.within(c, range) };
            }
            let flag = self.variables.tracked[self.t];
            for c in l.convert(vec![c], range, kind) {
                let mut updates = vec![(l.register(r), c.value.clone())];
                updates.extend(flag.map(|f| (f, LinExpr::int(tracked as i128))));
                out.push((c, updates));
            }
        }
        for (mut c, o, a, array) in places.elements {
            let range = &self.ranges.arrays[o.0 as usize][a];
            let at = std::mem::replace(&mut c.value, LinExpr::zero());
            c.value = LinExpr::var(c.input(l.base(), Input::Auxiliary));
            c.touches.push(Touch { array, at, value: c.value.clone(), write: false });
            let c = ValueCase { exact: false, ..l.within(c, range) };
            for c in l.convert(vec![c], range, kind) {
                out.push((c.clone(), vec![(l.register(r), c.value)]));
            }
        }
        for (c, o, a) in places.holders {
            out.extend(self.load_handle(l, (c, &self.ranges.arrays[o.0 as usize][a]), r, kind));
        }
        for (mut c, o, k) in places.cells {
            let Some(v) = self.variables.cell(o, k) else { continue };
            c.value = LinExpr::var(v);
            for c in l.convert(vec![c], &self.ranges.cells[o.0 as usize][k], kind) {
                out.push((c.clone(), vec![(l.register(r), c.value)]));
            }
        }
        Ok(out)
    }
    /// What an edge does, by cases.
    fn steps(&self, l: &Linear, edge: &cfa::Edge) -> Result<Vec<GuardedUpdates>, Diagnostic> {
        let dead = |r: cfa::Reg| !self.live[edge.to.0 as usize].has(r.0);
        let nothing = || vec![(ValueCase::of(LinExpr::zero()), Vec::new())];
        let steps = match &edge.op {
            Op::Skip => nothing(),
            // The run is over; staying before the end lets others do no more than they could before.
            Op::Halt => Vec::new(),
            Op::Assign(r, e) if dead(*r) => {
                let mut steps = nothing();
                steps[0].0.exact = l.total(e);
                steps
            }
            Op::Havoc { dst: r, .. } | Op::Load(r, _, _) if dead(*r) => nothing(),
            Op::Assign(r, e) => {
                let to = l.register(*r);
                l.value(e).into_iter().map(|c| (c.clone(), vec![(to, c.value)])).collect()
            }
            Op::Havoc { dst, .. } => {
                let kind = self.p.templates[self.t].registers[dst.0 as usize].kind;
                let mut c = ValueCase::of(LinExpr::zero());
                c.value = LinExpr::var(c.input(l.base(), Input::Havoc(0)));
                let c = l.within(c, &Range::of_kind(kind));
                vec![(c.clone(), vec![(l.register(*dst), c.value)])]
            }
            Op::Load(r, address, kind) => self.load(l, edge.span, *r, address, *kind)?,
            Op::Store(address, e, _) => {
                let mut out = Vec::new();
                let (range, values) = (l.env.range(e), l.value(e));
                let places = self.places(l, address, edge.span)?;
                for c in places.untracked {
                    out.push((ValueCase { exact: false, ..c }, Vec::new()));
                }
                for (c, _, _) in places.holders {
                    out.extend(self.store_handle(l, &c, &values, &range));
                }
                for (c, o, a, array) in places.elements {
                    let kind = self.arrays.of(o.0 as usize)[a].kind;
                    for (both, at) in l.pairs(&values, std::slice::from_ref(&c)) {
                        for mut c in l.convert(vec![both], &range, kind) {
                            let (at, value) = (at.clone(), c.value.clone());
                            c.touches.push(Touch { array, at, value, write: true });
                            out.push((c, Vec::new()));
                        }
                    }
                }
                for ((c, o, a), tracked) in places.arrays {
                    let Some(v) = self.variables.element(o, a) else { continue };
                    if !tracked {
                        out.push((c, Vec::new()));
                        continue;
                    }
                    let kind = self.arrays.of(o.0 as usize)[a].kind;
                    let both = l.pairs(&values, std::slice::from_ref(&c)).into_iter().map(|p| p.0).collect();
                    for c in l.convert(both, &range, kind) {
                        out.push((c.clone(), vec![(v, c.value)]));
                    }
                }
                for (c, o, k) in places.cells {
                    let Some(v) = self.variables.cell(o, k) else { continue };
                    let kind = self.p.objects[o.0 as usize].cells[k].0;
                    let both = l.pairs(&values, std::slice::from_ref(&c)).into_iter().map(|p| p.0).collect();
                    for c in l.convert(both, &range, kind) {
                        out.push((c.clone(), vec![(v, c.value)]));
                    }
                }
                out
            }
            Op::Assume(e) => l.truth(e, true).into_iter().map(|c| (c, Vec::new())).collect(),
            Op::Create { handle, arg, template, .. } => match template {
                Some(u) if (*u as usize) < self.p.templates.len() => {
                    l.create(*u as usize, *handle, arg.as_ref())
                }
                _ => return self.refuse(edge.span, "it is not known which routine this thread runs", ""),
            },
            Op::Join { handle, result } => l.join(handle, *result),
            Op::ThreadExit(e) => l.exit(e),
            Op::Call { .. } | Op::Return(_) => {
                return self.refuse(edge.span, "a call was left in a thread's automaton", "");
            }
        };
        Ok(steps)
    }
}

/// A bound over variables that neither the guard nor the new values mention decides between cases: it belongs to
/// the guard, where slicing does not leave it out.
fn keep_decisions((c, updates): &mut GuardedUpdates, inputs: u32) {
    let mut known = c.guard.vars();
    known.extend(updates.iter().flat_map(|u| u.1.vars()));
    let decides = |a: &Atom| a.vars().all(|v| v.0 < inputs) && a.vars().any(|v| !known.contains(&v));
    let (decisive, rest): (Vec<&Atom>, Vec<&Atom>) = c.bounds.atoms().iter().partition(|a| decides(a));
    if !decisive.is_empty() {
        let cube = |atoms: Vec<&Atom>| Cube::of(atoms.into_iter().map(|a| Norm::Atom(a.clone())));
        (c.guard, c.bounds) = (c.guard.and(&cube(decisive)), cube(rest));
    }
}

fn make_edge((c, mut updates): GuardedUpdates, from: Loc, to: Loc, path: Vec<u32>, span: Span) -> Edge {
    updates.sort_by_key(|u| u.0);
    updates.retain(|(v, e)| *e != LinExpr::var(*v));
    Edge {
        from,
        to,
        inputs: c.inputs,
        guard: c.guard,
        bounds: c.bounds,
        updates,
        path,
        span,
        touches: c.touches,
        exact: c.exact,
    }
}
