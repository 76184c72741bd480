//! Where copies of the program's code come to statements: locations of the thread program.
//!
//! A statement is begun where an edge of a thread's automaton leads into it from outside, so that nothing of it has been done
//! and all before it has. A function that is called from several places has a copy for each, told apart by the lines of the calls
//! around it. Of some copies it cannot be told where a statement begins, which is said: nothing is expected there.

use relyant_cfa as cfa;
use relyant_cfa::Op;
use relyant_cfa::strong::components;
use relyant_frontend::c::outline::{Outline, StatementAt, StatementKind};
use relyant_linear::Var;
use relyant_program::{Loc, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A copy of a function's code in the threads of a template.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Copy {
    /// The template, by index.
    pub(super) template: u32,
    /// Lines of the calls around it, the outermost first.
    pub(super) calls: Vec<u32>,
}

/// A copy that comes to a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Arrival {
    /// Where it is then; `None`: that cannot be told.
    pub(super) at: Option<Places>,
    /// Inlined calls that the copy is, by index.
    pub(super) inlined: BTreeSet<u32>,
}

/// Locations of the thread program, and variables that have other values than there: the thread has done a part of a step that others
/// cannot tell from none, or from all of it.
pub(super) type Places = BTreeMap<Loc, BTreeSet<Var>>;

/// Copies that come to each statement, by its index.
pub(super) type Arrivals = BTreeMap<usize, BTreeMap<Copy, Arrival>>;

/// Works out who comes to each statement of a file.
pub(super) fn arrivals(program: &Program, automata: &cfa::Program, outline: &Outline, file: u32) -> Arrivals {
    let mut out = Arrivals::new();
    for t in 0..automata.templates.len() {
        if let Some(w) = Walk::new(program, automata, outline, t) {
            w.arrivals(file, &mut out);
        }
    }
    out
}

/// Lines of the calls that were inlined around a place, the outermost first.
pub(super) fn calls(template: &cfa::Template, inlined: u32) -> Vec<u32> {
    let mut out: Vec<u32> = around(template, inlined).iter().map(|i| i.caller.1.line).collect();
    out.reverse();
    out
}

/// The calls that were inlined around a place, the innermost first.
fn around(template: &cfa::Template, mut inlined: u32) -> Vec<&cfa::Inlined> {
    let mut out = Vec::new();
    while inlined != 0 && out.len() <= template.inlined.len() {
        let Some(i) = template.inlined.get(inlined as usize) else { break };
        out.push(i);
        inlined = i.caller.0;
    }
    out
}

struct Walk<'a> {
    outline: &'a Outline,
    t: u32,
    template: &'a cfa::Template,
    /// By location of the automaton: the innermost statement.
    of: Vec<Option<usize>>,
    out_edges: Vec<Vec<usize>>,
    /// By location of the automaton: those that it became in the thread program, if something can still happen there; `None` where
    /// that cannot be told.
    kept: BTreeMap<u32, Option<Places>>,
    /// Places that the thread passes before the start of the thread program.
    before: BTreeSet<u32>,
    /// Locations that a thread may come to again.
    again: BTreeSet<u32>,
}

impl<'a> Walk<'a> {
    fn new(
        program: &Program,
        automata: &'a cfa::Program,
        outline: &'a Outline,
        t: usize,
    ) -> Option<Walk<'a>> {
        let template = automata.templates.get(t)?;
        let graph = &template.graph;
        let kept = super::steps::kept(program, automata, t)?;
        let of = graph.locations.iter();
        let of = of.map(|l| outline.statement_at(l.span.file, l.span.line, l.span.column)).collect();
        let prefix = program.prefix.iter().filter(|(u, _)| *u as usize == t);
        let before = prefix.filter_map(|(_, e)| graph.edges.get(*e as usize)).map(|e| e.from.0).collect();
        Some(Walk {
            outline,
            t: u32::try_from(t).ok()?,
            template,
            of,
            out_edges: graph.out_edges(),
            kept,
            before,
            again: on_cycles(graph),
        })
    }

    fn arrivals(&self, file: u32, out: &mut Arrivals) {
        let graph = &self.template.graph;
        let ways = graph.edges.iter().map(|e| (Some(e.from), e.to));
        for (from, to) in ways.chain(std::iter::once((None, self.template.entry))) {
            let before = from.map(|l| self.levels(l)).unwrap_or_default();
            for (i, k) in self.levels(to) {
                let around = self.outline.statements[..=k].iter().enumerate();
                for (s, at) in around.filter(|(_, at)| at.last >= k && at.start.file == file) {
                    let before = before.get(&i).copied().map(|b| (b, from));
                    if at.kind != StatementKind::Group && self.comes(s, at, before, (i, k, to)) {
                        self.add(out, s, i, to, k == s);
                    }
                }
            }
        }
    }

    /// By inlined call around a location: the innermost statement of its function that the location belongs to.
    fn levels(&self, l: cfa::Loc) -> BTreeMap<u32, usize> {
        let location = &self.template.graph.locations[l.0 as usize];
        let (mut inlined, mut statement) = (location.inlined, self.of[l.0 as usize]);
        let mut out = BTreeMap::new();
        while out.len() < self.template.inlined.len() {
            if let Some(k) = statement {
                out.insert(inlined, k);
            }
            let Some(i) = self.template.inlined.get(inlined as usize).filter(|_| inlined != 0) else { break };
            let at = i.caller.1;
            (inlined, statement) = (i.caller.0, self.outline.statement_at(at.file, at.line, at.column));
        }
        out
    }

    /// Does a step come to a statement, in one copy? `before`: the statement of the same copy that it comes from, if any.
    fn comes(
        &self,
        s: usize,
        at: &StatementAt,
        before: Option<(usize, Option<cfa::Loc>)>,
        (i, k, to): (u32, usize, cfa::Loc),
    ) -> bool {
        let outside = before.is_none_or(|(b, _)| b < s || b > at.last);
        let span = |l: cfa::Loc| self.template.graph.locations[l.0 as usize].span;
        match (at.kind, at.condition) {
            // Each time before the condition.
            (StatementKind::Loop, Some(c)) => {
                let here = self.template.graph.locations[to.0 as usize].inlined == i;
                let within = before.is_some_and(|(b, l)| b == s && l.is_some_and(|l| span(l) == c));
                k == s && (!here || span(to) == c) && !within
            }
            (StatementKind::Loop, None) => outside || (k == s && before.is_none_or(|(b, _)| b != s)),
            (_, _) => outside,
        }
    }

    /// Notes that a copy comes to a statement; `exact`: and to no other one inside of that.
    fn add(&self, out: &mut Arrivals, s: usize, i: u32, l: cfa::Loc, exact: bool) {
        let copy = Copy { template: self.t, calls: calls(self.template, i) };
        let first = || Arrival { at: Some(Places::new()), inlined: BTreeSet::new() };
        let arrival = out.entry(s).or_default().entry(copy).or_insert_with(first);
        arrival.inlined.insert(i);
        match (&mut arrival.at, self.located(s, i, l, exact)) {
            (Some(all), Some(found)) => {
                for (l, changed) in found {
                    all.entry(l).or_default().extend(changed);
                }
            }
            (known, _) => *known = None,
        }
    }

    /// Where in the thread program a thread is that has come to a statement.
    fn located(&self, s: usize, i: u32, l: cfa::Loc, exact: bool) -> Option<Places> {
        let at = &self.outline.statements[s];
        let location = &self.template.graph.locations[l.0 as usize];
        let function = &self.template.inlined.get(i as usize)?.function;
        // Library code of ours, or code that is there once for each round of a loop.
        let once = self.in_loop(s, i) && !self.again.contains(&l.0);
        if **function != *at.function || once {
            return None;
        }
        match at.kind {
            StatementKind::Group => return None,
            StatementKind::Loop if !exact => return None,
            // It begins with a call.
            StatementKind::Loop if at.condition.is_some_and(|c| c != location.span) => return None,
            // A body may be jumped into.
            StatementKind::Branch if !exact => return None,
            StatementKind::Loop
            | StatementKind::Branch
            | StatementKind::Declaration
            | StatementKind::Simple => {}
        }
        // Past steps that do nothing.
        let mut now = l.0;
        for _ in 0..self.template.graph.locations.len() {
            if self.before.contains(&now) {
                return None;
            }
            if let Some(found) = self.kept.get(&now) {
                return found.clone();
            }
            match self.out_edges.get(now as usize)?[..] {
                [k] if self.template.graph.edges[k].op == Op::Skip => now = self.template.graph.edges[k].to.0,
                _ => return None,
            }
        }
        None
    }

    /// Is the statement, or a call around it, inside of a loop?
    fn in_loop(&self, s: usize, inlined: u32) -> bool {
        let around = around(self.template, inlined);
        let calls = around.iter().filter_map(|i| {
            let at = i.caller.1;
            self.outline.statement_at(at.file, at.line, at.column)
        });
        let looped = |k: usize| {
            let of = &self.outline.statements;
            of[..=k].iter().enumerate().any(|(o, x)| x.kind == StatementKind::Loop && o <= k && x.last >= k)
        };
        std::iter::once(s).chain(calls).any(looped)
    }
}

/// Locations on cycles.
fn on_cycles(graph: &cfa::Graph) -> BTreeSet<u32> {
    let next: Vec<Vec<usize>> = graph
        .out_edges()
        .iter()
        .map(|out| out.iter().map(|e| graph.edges[*e].to.0 as usize).collect())
        .collect();
    let cyclic = |c: &Vec<usize>| c.len() > 1 || c.iter().any(|v| next[*v].contains(v));
    let found = components(&next).into_iter().filter(cyclic).flatten();
    found.filter_map(|v| u32::try_from(v).ok()).collect()
}
