//! Locations of the thread program that stand for a location of an automaton.
//!
//! A location that passes have left out is in the middle of steps. Where nothing that others can tell comes before it in such a step, a
//! thread that is there is, for all others, where the step begins; where nothing comes after it, and nothing there can stop the
//! thread, where the step ends, or another one that the thread takes from there. Variables that the part of the step changes have
//! other values then.

use super::places::Places;
use relyant_cfa as cfa;
use relyant_cfa::{BinOp, Expr, Op};
use relyant_linear::Var;
use relyant_program::{Edge, Loc, Origin, Program, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// By location of a template's automaton; `None` where it cannot be told. Locations after which nothing matters are left out.
pub(super) fn kept(
    program: &Program,
    automata: &cfa::Program,
    t: usize,
) -> Option<BTreeMap<u32, Option<Places>>> {
    let (template, reduced) = (automata.templates.get(t)?, program.templates.get(t)?);
    let mut out: BTreeMap<u32, Option<Places>> = BTreeMap::new();
    // What comes after the last step that matters was left out, with ways that lead there.
    let labelled =
        |l: &Loc| program.exclusive.as_ref().is_some_and(|x| reduced.locations[*l].labels.contains(x));
    let labelled = reduced.locations.indices().filter(labelled);
    let useful: BTreeSet<Loc> = reduced.edges.iter().map(|e| e.from).chain(labelled).collect();
    for l in useful {
        let places = out.entry(reduced.locations.get(l)?.origin).or_insert_with(|| Some(Places::new()));
        places.get_or_insert_default().insert(l, BTreeSet::new());
    }
    let own: BTreeSet<u32> = out.keys().copied().collect();
    let used = reduced.edges.iter().flat_map(|e| &e.path).copied().collect();
    let steps = Steps { program, automata, t, out_edges: template.graph.out_edges(), used };
    for e in &reduced.edges {
        for (i, step) in e.path.iter().enumerate().skip(1) {
            let at = template.graph.edges.get(*step as usize)?.from.0;
            if own.contains(&at) {
                continue;
            }
            let found = steps.inside(e, i);
            let places = out.entry(at).or_insert_with(|| Some(Places::new()));
            match (places.as_mut(), found) {
                (Some(all), Some((l, changed))) => all.entry(l).or_default().extend(changed),
                _ => *places = None,
            }
        }
    }
    Some(out)
}

struct Steps<'a> {
    program: &'a Program,
    automata: &'a cfa::Program,
    t: usize,
    out_edges: Vec<Vec<usize>>,
    /// Edges of the automaton that steps are made of.
    used: BTreeSet<u32>,
}

impl Steps<'_> {
    /// Where a thread is that has done the first edges of a step's path, and which variables have other values there.
    fn inside(&self, e: &Edge, done: usize) -> Option<(Loc, BTreeSet<Var>)> {
        let (before, after) = e.path.split_at_checked(done)?;
        if let Some(changed) = self.unseen(before) {
            return Some((e.from, changed));
        }
        if after.iter().any(|i| self.stops(*i)) {
            return None;
        }
        self.unseen(after).map(|changed| (e.to, changed))
    }

    /// May a thread before an edge go no further, or a way that steps leave out?
    fn stops(&self, edge: u32) -> bool {
        match self.op(edge) {
            Some(Op::Skip | Op::Assign(..) | Op::Load(..) | Op::Store(..)) => false,
            Some(Op::Assume(_)) => !self.one_of_two(edge).unwrap_or(false),
            _ => true,
        }
    }

    /// Is it one of two edges, of which a thread takes one or the other, and steps either?
    fn one_of_two(&self, edge: u32) -> Option<bool> {
        let graph = &self.automata.templates.get(self.t)?.graph;
        let outs = self.out_edges.get(graph.edges.get(edge as usize)?.from.0 as usize)?;
        let [a, b] = outs[..] else { return None };
        let taken = |e: usize| u32::try_from(e).is_ok_and(|e| self.used.contains(&e));
        let (Op::Assume(x), Op::Assume(y)) = (&graph.edges[a].op, &graph.edges[b].op) else { return None };
        Some((x.clone().is_false() == *y || y.clone().is_false() == *x) && taken(a) && taken(b))
    }

    fn op(&self, edge: u32) -> Option<&Op> {
        Some(&self.automata.templates.get(self.t)?.graph.edges.get(edge as usize)?.op)
    }

    /// What edges change, if others can tell none of them.
    fn unseen(&self, path: &[u32]) -> Option<BTreeSet<Var>> {
        let mut out = BTreeSet::new();
        for edge in path {
            match self.op(*edge)? {
                Op::Skip | Op::Assume(_) => {}
                Op::Assign(r, _) | Op::Havoc { dst: r, .. } => out.extend(self.register(*r)),
                Op::Load(r, address, _) => {
                    let read = self.cell(address)?;
                    if read.is_some_and(|v| self.others_write(v)) {
                        return None;
                    }
                    out.extend(self.register(*r));
                }
                Op::Store(address, ..) => match self.cell(address)? {
                    Some(v) if self.program.is_global(v) => return None,
                    written => out.extend(written),
                },
                Op::Create { .. }
                | Op::Join { .. }
                | Op::Call { .. }
                | Op::Return(_)
                | Op::ThreadExit(_)
                | Op::Halt => return None,
            }
        }
        Some(out)
    }

    fn variable(&self, is: impl Fn(&Origin, &Scope) -> bool) -> Option<Var> {
        let at = self.program.variables.iter().position(|v| is(&v.origin, &v.scope))?;
        u32::try_from(at).ok().map(Var)
    }

    fn register(&self, r: cfa::Reg) -> Option<Var> {
        self.variable(|o, s| *o == Origin::Register(r) && *s == Scope::Local(self.t as u32))
    }

    /// The variable at an address, if one is left of it; `None`: the address is not fixed.
    fn cell(&self, address: &Expr) -> Option<Option<Var>> {
        let (o, k) = match address {
            Expr::Addr(o) => (*o, 0),
            Expr::Const(a) => {
                let (o, k) = self.automata.cell_at(*a)?;
                (o, u32::try_from(k).ok()?)
            }
            Expr::Binary(BinOp::Add, a, b, _) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(k)) => (*o, u32::try_from(*k).ok()?),
                _ => return None,
            },
            _ => return None,
        };
        Some(self.variable(|origin, _| *origin == Origin::Cell(o, k)))
    }

    /// May another thread write it?
    fn others_write(&self, v: Var) -> bool {
        let writes = |t: &relyant_program::Template| t.edges.iter().any(|e| e.after(v).is_some());
        let many = |t: &relyant_program::Template| t.count != relyant_program::Count::AtMost(1);
        let all = self.program.templates.iter().enumerate();
        self.program.is_global(v) && all.filter(|(u, t)| *u != self.t || many(t)).any(|(_, t)| writes(t))
    }
}
