//! Expressions written out in the order of the run, where C leaves the order open and a compiler may take another one.
//!
//! In `f() - x`, if the run reads `x` first: `t1 = x; t2 = f(); t2 - t1`. What is always evaluated gets a variable of its
//! own, in the order in which the run comes to it; the rest stays. So the program is one that C allows for the source.

use super::edits::{Edits, offset, words};
use super::leaves::{Does, Leaf, Parts};
use super::statements::{Statement, statements, types};
use crate::report::json::TraceEntry;
use crate::report::run::{Call, RunStep, StepKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// What a step does in a statement.
#[derive(Clone, Debug)]
enum Seen<'a> {
    /// It is in a function that is called at this offset; at the end of the run?
    Inside(usize, bool),
    /// It reads this object's cell, or takes an input of this function.
    Step(&'a RunStep),
    /// It is about to do one of two accesses that race.
    Races,
}

/// Writes out all statements of which the run has an order. `last`: of several reads of one object, the last one comes first. Answers whether there are any.
pub fn write_out(edits: &mut Edits, source: &[u8], path: &Path, trace: &TraceEntry, last: bool) -> bool {
    let mut some = false;
    let all = statements(source);
    let types = types(source);
    for (statement, seen) in &visits(source, path, trace, &all) {
        let Some(statement) = all.get(*statement) else { continue };
        let Ok(text) = std::str::from_utf8(&source[statement.text.clone()]) else { continue };
        let parts = Parts::of(text, &types);
        let order = in_order(statement, text, &parts.leaves, seen, last);
        // What fails in its first operand comes to no other.
        let ends = seen.iter().any(|s| matches!(s, Seen::Inside(_, true) | Seen::Races));
        if order.len() > 1 || (ends && !order.is_empty()) {
            put(edits, source, statement, text, &parts, &order);
            some = true;
        }
    }
    some
}

/// What the run does in each statement when it comes there first.
fn visits<'a>(
    source: &[u8],
    path: &Path,
    trace: &'a TraceEntry,
    all: &[Statement],
) -> BTreeMap<usize, Vec<Seen<'a>>> {
    let here = |file: &str| Path::new(file).file_name() == path.file_name();
    let mut activations: BTreeMap<usize, (u32, Vec<Call>)> = BTreeMap::new();
    let mut out: BTreeMap<usize, Vec<Seen<'_>>> = BTreeMap::new();
    let end = RunStep { thread: trace.run.fails, calls: trace.run.inside.clone(), ..RunStep::default() };
    for (number, step) in trace.run.steps.iter().chain([&end]).enumerate() {
        let own = Call { file: step.file.clone(), line: step.line, column: step.column };
        let places = step.calls.iter().chain((step.line > 0).then_some(&own));
        for (depth, place) in places.enumerate().filter(|(_, p)| here(&p.file)) {
            let Some(at) = offset(source, place.line, place.column) else { continue };
            let Some(n) = statement_at(source, all, at, place.line, name_of(step)) else { continue };
            let activation = (step.thread, step.calls[..depth].to_vec());
            if *activations.entry(n).or_insert_with(|| activation.clone()) != activation {
                continue;
            }
            let seen = match trace.run.steps.get(number) {
                Some(own) if depth == own.calls.len() => Seen::Step(own),
                own => Seen::Inside(at, own.is_none()),
            };
            out.entry(n).or_default().push(seen);
        }
    }
    // A compiler leaves a read out whose value is not used.
    for a in trace.accesses.iter().filter(|a| a.kind == "read" && here(&a.file)) {
        let at = offset(source, a.line, a.column);
        if let Some(n) = at.and_then(|at| statement_at(source, all, at, a.line, "")) {
            out.entry(n).or_default().push(Seen::Races);
        }
    }
    out
}

/// The name of the object that a step is about.
fn name_of(step: &RunStep) -> &str {
    let object = step.object.rsplit("::").next().unwrap_or_default();
    object.split(['#', '@', ' ']).next().unwrap_or_default()
}

/// The statement at an offset, inner ones first. Behind a macro, columns are those of what it stands for: then the last one of
/// the line that has the name, or the last one.
fn statement_at(source: &[u8], all: &[Statement], at: usize, line: u32, name: &str) -> Option<usize> {
    let exact = all.iter().rposition(|s| (s.from..s.text.end).contains(&at));
    exact.or_else(|| {
        let (start, end) = (offset(source, line, 1)?, offset(source, line + 1, 1).unwrap_or(source.len()));
        let here = |s: &Statement| s.from < end && s.text.end > start;
        let named =
            all.iter().rposition(|s| here(s) && words(&source[s.text.clone()], name).next().is_some());
        named.or_else(|| all.iter().rposition(here))
    })
}

/// Where a leaf begins in the source.
fn begins(statement: &Statement, leaf: &Leaf) -> i64 {
    (statement.text.start + leaf.text.start) as i64
}

/// How far calls of a statement stand behind where the run has them: what stands for a macro has other columns.
fn shift(statement: &Statement, leaves: &[Leaf], seen: &[Seen<'_>]) -> i64 {
    let calls: Vec<i64> =
        leaves.iter().filter(|l| matches!(l.does, Does::Call(_))).map(|l| begins(statement, l)).collect();
    let places = seen.iter().filter_map(|s| match s {
        Seen::Inside(at, _) => Some(*at as i64),
        Seen::Step(_) | Seen::Races => None,
    });
    let first = places.clone().next().unwrap_or_default();
    let fits = |by: &i64| places.clone().all(|at| calls.contains(&(at + by)));
    std::iter::once(0).chain(calls.iter().map(|c| c - first)).find(fits).unwrap_or_default()
}

/// The leaves that the run comes to, in its order, until one comes again.
fn in_order(statement: &Statement, text: &str, leaves: &[Leaf], seen: &[Seen<'_>], last: bool) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let shift = shift(statement, leaves, seen);
    for s in seen {
        if matches!(s, Seen::Races) {
            let reads = (0..leaves.len()).filter(|i| matches!(leaves[*i].does, Does::Read(_)));
            let more: Vec<usize> = reads.filter(|i| !order.contains(i)).collect();
            order.extend(more);
            continue;
        }
        let is = |leaf: &Leaf| match (s, &leaf.does) {
            (Seen::Inside(at, _), Does::Call(_)) => begins(statement, leaf) == *at as i64 + shift,
            (Seen::Step(s), Does::Element { name, cell }) => {
                s.does == StepKind::First && name_of(s) == name && s.cell == *cell
            }
            (Seen::Step(s), Does::Call(Some(name))) => s.does == StepKind::Input && s.object == *name,
            (Seen::Step(s), Does::Read(name) | Does::Update { name, .. }) => {
                let shape = |c: char| text[leaf.text.clone()].contains(c) == s.cell.contains(c);
                s.does == StepKind::Read
                    && name_of(s) == name
                    && (matches!(leaf.does, Does::Update { .. }) || shape('['))
            }
            _ => false,
        };
        let mut fitting = (0..leaves.len()).filter(|i| is(&leaves[*i]));
        let fresh = |i: &usize| !order.contains(i);
        let found = match last {
            true => fitting.clone().rfind(fresh),
            false => fitting.clone().find(fresh),
        };
        match (found, fitting.next(), s) {
            // An element has its place by what it reads or calls.
            (Some(i), ..) if is_known(&leaves[i], order.iter().map(|k| &leaves[*k])) => {}
            (Some(i), ..) => order.push(i),
            // Another step of a call that has begun.
            (None, Some(_), Seen::Inside(..)) | (None, None, _) => {}
            (None, Some(_), Seen::Step(_) | Seen::Races) => break,
        }
    }
    order
}

/// Is a leaf an element of which a part has a place?
fn is_known<'a>(leaf: &Leaf, mut before: impl Iterator<Item = &'a Leaf>) -> bool {
    let within = |part: &Leaf| leaf.text.start <= part.text.start && part.text.end <= leaf.text.end;
    matches!(leaf.does, Does::Element { .. }) && before.any(within)
}

/// Writes a statement out.
fn put(edits: &mut Edits, source: &[u8], statement: &Statement, text: &str, parts: &Parts, order: &[usize]) {
    let mut first = String::new();
    for (n, leaf) in order.iter().enumerate() {
        let leaf = &parts.leaves[*leaf];
        let value = match &leaf.does {
            Does::Update { target, .. } => text[target.clone()].to_string(),
            _ => inside(text, parts, order, leaf.text.clone(), false),
        };
        let _ = write!(first, "__auto_type relyant_{n} = {value}; ");
    }
    let rest = inside(text, parts, order, 0..text.len(), true);
    let semicolon = source[statement.text.end..].iter().position(|b| *b == b';').unwrap_or_default();
    let end = statement.text.end + semicolon + 1;
    match (statement.whole, parts.declares) {
        (false, _) => edits.replace(statement.text.clone(), format!("({{ {first}{rest}; }})")),
        (true, true) => edits.replace(statement.text.clone(), format!("{first}{rest}")),
        (true, false) => edits.replace(statement.text.start..end, format!("{{ {first}{rest}; }}")),
    }
}

/// A part of a text with variables for what has one. `itself`: the part may have one, too.
fn inside(text: &str, parts: &Parts, order: &[usize], part: Range<usize>, itself: bool) -> String {
    let within = |r: &Range<usize>| part.start <= r.start && r.end <= part.end && (itself || *r != part);
    let mut own: Vec<(usize, &Leaf)> = order.iter().map(|i| &parts.leaves[*i]).enumerate().collect();
    own.retain(|(_, l)| within(&l.text));
    // The outermost of them, from left to right.
    own.sort_by_key(|(_, l)| (l.text.start, std::cmp::Reverse(l.text.end)));
    let mut out = String::new();
    let mut at = part.start;
    for (n, leaf) in own {
        if leaf.text.start < at {
            continue;
        }
        out.push_str(&text[at..leaf.text.start]);
        match &leaf.does {
            Does::Update { target, operator, value, .. } => {
                let value = inside(text, parts, order, value.clone(), true);
                let _ = write!(out, "{} = relyant_{n} {operator} ({value})", &text[target.clone()]);
            }
            _ => {
                let _ = write!(out, "relyant_{n}");
            }
        }
        at = leaf.text.end;
    }
    out.push_str(&text[at..part.end]);
    out
}
