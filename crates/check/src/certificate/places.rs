//! Where in the source the steps of a thread program run: the section `source` of a certificate.
//!
//! It says nothing that a proof rests on. A checker that reads the source by itself takes its assertions as guesses, and finds
//! with this what a location or a local of the thread program is in its own terms.

use super::format::{Names, location_id};
use super::text;
use relyant_cfa as cfa;
use relyant_cfa::walk;
use relyant_cfa::{Expr, Op};
use relyant_linear::{LinExpr, Var};
use relyant_program::reduce::constants::fixed;
use relyant_program::{Edge, Ghost, Origin, Program, Scope};
use serde::{Deserialize, Serialize};

/// The section.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRecord {
    /// Where each thread begins: the id of a location.
    pub entries: Vec<String>,
    pub steps: Vec<StepRecord>,
    pub locals: Vec<LocalRecord>,
    pub ghosts: Vec<GhostRecord>,
}

/// A step of the thread program, and the accesses that it stands for, in order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    pub from: String,
    pub to: String,
    pub path: Vec<PlaceRecord>,
}

/// An access, or another step that others may notice.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PlaceRecord {
    pub line: u32,
    /// Lines of the calls around it, the outermost first.
    pub calls: Vec<u32>,
    /// `read`, `write`, `create`, `join` or `input`.
    pub does: String,
    /// The object's name, or nothing.
    pub what: String,
}

/// What a local of the thread program is: a local of the source, or what was read somewhere.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalRecord {
    pub name: String,
    pub thread: String,
    /// The name in the source; empty for a temporary.
    pub variable: String,
    /// Lines of the calls around the places that give it a value.
    pub calls: Vec<Vec<u32>>,
    /// Where it takes what is read.
    pub reads: Vec<PlaceRecord>,
}

/// A variable that the program does not have.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GhostRecord {
    pub name: String,
    pub initial: String,
    pub updates: Vec<UpdateRecord>,
}

/// A ghost's value after a step.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct UpdateRecord {
    pub thread: String,
    pub at: PlaceRecord,
    pub value: String,
}

/// The section for a thread program and the automata that it was made from; none if they do not fit.
pub fn places(p: &Program, automata: &cfa::Program) -> Option<SourceRecord> {
    let known = |t: usize, e: &Edge| {
        automata.templates.get(t).is_some_and(|a| e.path.iter().all(|i| (*i as usize) < a.graph.edges.len()))
    };
    if !p.templates.iter().enumerate().all(|(t, x)| x.edges.iter().all(|e| known(t, e))) {
        return None;
    }
    let s = Section { p, automata, names: Names::new(p) };
    let entries = p.templates.iter().enumerate().map(|(t, x)| location_id(t as u32, x.entry.0)).collect();
    let mut steps = Vec::new();
    for (t, template) in p.templates.iter().enumerate() {
        for e in &template.edges {
            steps.push(StepRecord {
                from: location_id(t as u32, e.from.0),
                to: location_id(t as u32, e.to.0),
                path: e.path.iter().filter_map(|i| s.place(t, *i)).collect(),
            });
        }
    }
    let (mut locals, mut ghosts) = (Vec::new(), Vec::new());
    for (i, v) in p.variables.iter().enumerate() {
        match (v.origin, v.scope) {
            (Origin::Register(r), Scope::Local(t)) => locals.push(s.local(i, t, r)),
            (Origin::Ghost(Ghost::Other | Ghost::Index | Ghost::Counted | Ghost::Given), Scope::Global) => {
                ghosts.push(s.ghost(i))
            }
            _ => {}
        }
    }
    Some(SourceRecord { entries, steps, locals, ghosts })
}

struct Section<'p> {
    p: &'p Program,
    automata: &'p cfa::Program,
    names: Names,
}

impl Section<'_> {
    /// The place of an edge of a template's automaton, if others may notice it.
    fn place(&self, t: usize, edge: u32) -> Option<PlaceRecord> {
        let template = self.automata.templates.get(t)?;
        let e = template.graph.edges.get(edge as usize)?;
        let (does, what) = match &e.op {
            Op::Load(_, at, _) => ("read", self.object(at)),
            Op::Store(at, _, _) => ("write", self.object(at)),
            Op::Create { .. } => ("create", String::new()),
            Op::Join { .. } => ("join", String::new()),
            Op::Havoc { source, .. } if !source.name.is_empty() => ("input", String::new()),
            _ => return None,
        };
        let at = template.graph.locations.get(e.from.0 as usize)?;
        Some(PlaceRecord { line: e.span.line, calls: calls(template, at.inlined), does: does.into(), what })
    }

    /// The name of the cell at an address, or nothing if that is not fixed.
    fn object(&self, address: &Expr) -> String {
        let name = |o: &cfa::ObjId, k: usize| {
            let object = self.automata.objects.get(o.0 as usize)?;
            Some(format!("{}{}", object.name, object.cells.get(k)?.1))
        };
        let found = match address {
            Expr::Addr(o) => name(o, 0),
            Expr::Const(a) => self.automata.cell_at(*a).and_then(|(o, k)| name(&o, k)),
            Expr::Binary(cfa::BinOp::Add, a, b, _) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(k)) => usize::try_from(*k).ok().and_then(|k| name(o, k)),
                _ => None,
            },
            _ => None,
        };
        found.unwrap_or_default()
    }

    fn local(&self, variable: usize, t: u32, r: cfa::Reg) -> LocalRecord {
        let template = self.automata.templates.get(t as usize);
        let (mut reads, mut around) = (Vec::new(), Vec::new());
        for (i, e) in template.iter().flat_map(|x| x.graph.edges.iter().enumerate()) {
            if walk::writes(&e.op) != Some(r) {
                continue;
            }
            let inlined =
                template.and_then(|x| x.graph.locations.get(e.from.0 as usize)).map_or(0, |l| l.inlined);
            let calls = template.map(|x| calls(x, inlined)).unwrap_or_default();
            if !around.contains(&calls) {
                around.push(calls);
            }
            reads.extend(
                self.place(t as usize, i as u32).filter(|_| matches!(e.op, Op::Load(..) | Op::Havoc { .. })),
            );
        }
        LocalRecord {
            name: self.names.variables.get(variable).cloned().unwrap_or_default(),
            thread: self.names.templates.get(t as usize).cloned().unwrap_or_default(),
            variable: template
                .and_then(|x| x.registers.get(r.0 as usize))
                .map_or(String::new(), |x| x.name.clone()),
            calls: around,
            reads,
        }
    }

    fn ghost(&self, variable: usize) -> GhostRecord {
        let v = Var(variable as u32);
        let initial = self.p.init.atoms().iter().filter_map(fixed).find(|(w, _)| *w == v);
        let mut updates: Vec<UpdateRecord> = Vec::new();
        for (t, template) in self.p.templates.iter().enumerate() {
            for e in &template.edges {
                let Some((_, value)) = e.updates.iter().find(|u| u.0 == v) else { continue };
                let written = e.path.iter().rev().filter_map(|i| self.place(t, *i));
                let Some(at) = written.into_iter().find(|x| x.does == "write") else { continue };
                let update = UpdateRecord {
                    thread: self.names.templates[t].clone(),
                    at,
                    value: self.expression(value),
                };
                if !updates.contains(&update) {
                    updates.push(update);
                }
            }
        }
        GhostRecord {
            name: self.names.variables.get(variable).cloned().unwrap_or_default(),
            initial: initial.map_or(String::new(), |(_, c)| c.to_string()),
            updates,
        }
    }

    fn expression(&self, e: &LinExpr) -> String {
        e.display(|v| self.names.variables.get(v.0 as usize).map_or(String::new(), |n| text::quote(n)))
    }
}

/// Lines of the calls that were inlined around a place, the outermost first.
fn calls(template: &cfa::Template, mut inlined: u32) -> Vec<u32> {
    let mut out = Vec::new();
    while inlined != 0 && out.len() <= template.inlined.len() {
        let Some(i) = template.inlined.get(inlined as usize) else { break };
        out.push(i.caller.1.line);
        inlined = i.caller.0;
    }
    out.reverse();
    out
}
