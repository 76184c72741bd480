//! Correctness witnesses: invariants, and their check by exploring states.
//!
//! A state counts for a statement when a thread's next step belongs to the statement. These states include those
//! at the sequence point before it.

use super::Invariant;
use super::invariants::{Expr, Variables};
use super::places::location;
use crate::pipeline::{self, Evidence};
use relyant_frontend::c::outline::{Outline, StatementKind};
use relyant_frontend::cfa::{Op, Program};
use relyant_frontend::diagnostic::Diagnostic;
use relyant_frontend::interp::candidates::Candidates;
use relyant_frontend::interp::machine::{Machine, State, Stop};
use relyant_frontend::options::Options;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Invariants, and a line about them.
#[derive(Clone, Debug)]
pub struct Invariants {
    /// The invariants.
    pub invariants: Vec<Invariant>,
    /// Where they come from.
    pub note: String,
}

/// What came of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// All hold: how many states were seen.
    Hold(String),
    /// One does not: which.
    Violated(String),
    /// Not decided, and why.
    Undecided(String),
}

/// States explored for invariants of values.
const EXPLORED: usize = 30_000;
/// A variable with at most so many values has them listed, with more it has bounds.
const LISTED: usize = 4;
/// At most so many invariants.
const MOST: usize = 64;
/// Inputs with at most so many values have all of them tried.
const ALL_INPUTS: i128 = 256;

/// Invariants for a safe program.
///
/// # Errors
/// The source cannot be read again.
pub fn invariants(
    _evidence: &Evidence,
    file: &Path,
    options: &Options,
    outline: &Outline,
) -> Result<Invariants, Diagnostic> {
    let program = pipeline::read_for_search(file, options)?;
    let none = |why: String| Invariants { invariants: Vec::new(), note: format!("no invariants: {why}") };
    let found = ranges(&program, outline, Uninitialised::Enough).and_then(|first| {
        let Some((first, states)) = first else { return Ok(None) };
        // What depends on values of uninitialised objects is told by other ones.
        let other = ranges(&program, outline, Uninitialised::OneMore)?;
        Ok(other.map(|(other, _)| (written(&first, &other, outline), states)))
    });
    Ok(match found {
        Ok(Some((invariants, states))) => {
            let note = format!("{} invariants, of all {states} states", invariants.len());
            Invariants { invariants, note }
        }
        Ok(None) => none("the states are too many to list; --proof keeps the proof itself".into()),
        Err(stop) => none(stop.to_string()),
    })
}

/// The values of names at statements: `None` where a name had no value.
type Values = BTreeMap<usize, BTreeMap<String, Option<BTreeSet<i128>>>>;

/// Values at loops and branches, from all states; `None` when these are too many.
fn ranges(
    program: &Program,
    outline: &Outline,
    uninitialised: Uninitialised,
) -> Result<Option<(Values, usize)>, Stop> {
    let machine = Machine::new(program)?;
    let variables = Variables::new(&machine);
    let mut seen: Values = BTreeMap::new();
    let globals = plain_globals(program);
    let wanted = |s: usize| matches!(outline.statements[s].kind, StatementKind::Loop | StatementKind::Branch);
    let explored = explore(
        program,
        &machine,
        outline,
        uninitialised,
        EXPLORED,
        &|| false,
        &mut |state, thread, statement| {
            if !wanted(statement) || (seen.len() >= MOST && !seen.contains_key(&statement)) {
                return;
            }
            let at = &outline.statements[statement];
            let names = globals.iter().chain(at.scope.iter());
            let here = seen.entry(statement).or_default();
            for name in names {
                let value = variables.value(state, thread, at, name);
                let values = here.entry(name.clone()).or_insert_with(|| Some(BTreeSet::new()));
                match (values.as_mut(), value) {
                    (Some(set), Some(v)) => {
                        set.insert(v);
                    }
                    _ => *values = None,
                }
            }
        },
    )?;
    Ok(explored.complete.then_some((seen, explored.states)))
}

/// The invariants that two explorations agree on.
fn written(first: &Values, other: &Values, outline: &Outline) -> Vec<Invariant> {
    let mut out = Vec::new();
    for (statement, names) in first {
        let at = &outline.statements[*statement];
        let same = |n: &str, v: &BTreeSet<i128>| {
            other.get(statement).and_then(|o| o.get(n)).is_some_and(|o| o.as_ref() == Some(v))
        };
        let known = names.iter().filter_map(|(n, v)| Some((n, v.as_ref()?)));
        let parts: Vec<String> = known.filter(|(n, v)| same(n, v)).map(|(n, v)| range(n, v)).collect();
        let place = location(outline, at.start, &at.function);
        if parts.is_empty() || place.column.is_none() {
            continue;
        }
        let of_loop = at.kind == StatementKind::Loop;
        out.push(Invariant { of_loop, location: place, value: parts.join(" && ") });
    }
    out
}

/// Integer globals that are no part of anything.
fn plain_globals(program: &Program) -> Vec<String> {
    let word = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let plain =
        program.objects.iter().filter(|o| o.cells.len() == 1 && o.cells[0].1.is_empty() && word(&o.name));
    let names: BTreeSet<String> = plain.map(|o| o.name.clone()).collect();
    names.into_iter().collect()
}

/// What is known of a variable's values, as a C expression.
fn range(name: &str, values: &BTreeSet<i128>) -> String {
    let (Some(min), Some(max)) = (values.first(), values.last()) else { return "1".into() };
    if values.len() <= LISTED {
        let all: Vec<String> = values.iter().map(|v| format!("{name} == {}", number(*v))).collect();
        return if all.len() == 1 { all[0].clone() } else { format!("({})", all.join(" || ")) };
    }
    format!("{} <= {name} && {name} <= {}", number(*min), number(*max))
}

/// A constant that has the value in C.
fn number(v: i128) -> String {
    if v == i128::from(i64::MIN) {
        return "(-9223372036854775807LL - 1)".into();
    }
    let suffix = match v.unsigned_abs() {
        0..=0x7fff_ffff => "",
        0x8000_0000..=0x7fff_ffff_ffff_ffff => "LL",
        _ => "ULL",
    };
    format!("{v}{suffix}")
}

/// Checks invariants in all states.
pub fn check(
    program: &Program,
    outline: &Outline,
    invariants: &[Invariant],
    max_states: usize,
    cancel: &dyn Fn() -> bool,
) -> Checked {
    let mut parsed: BTreeMap<usize, Vec<(usize, Expr)>> = BTreeMap::new();
    for (k, i) in invariants.iter().enumerate() {
        let statement = outline.statements.iter().position(|s| {
            i.location.is(outline, s.start)
                && s.kind != StatementKind::Group
                && (!i.of_loop || s.kind == StatementKind::Loop)
        });
        let Some(statement) = statement else {
            return Checked::Violated(format!("no statement begins at line {}", i.location.line));
        };
        match Expr::parse(&i.value) {
            Some(e) => parsed.entry(statement).or_default().push((k, e)),
            None => return Checked::Undecided(format!("the expression `{}` is not read", i.value)),
        }
    }
    let machine = match Machine::new(program) {
        Ok(m) => m,
        Err(stop) => return Checked::Undecided(stop.to_string()),
    };
    let variables = Variables::new(&machine);
    let (mut violated, mut odd, mut violation) = (None, None, None);
    let mut met: BTreeSet<usize> = BTreeSet::new();
    let explored = explore(
        program,
        &machine,
        outline,
        Uninitialised::Enough,
        max_states,
        cancel,
        &mut |state, thread, statement| {
            let at = &outline.statements[statement];
            let loc = machine.location(state.threads[thread].name.template, state.threads[thread].loc).span;
            let Some(list) = parsed.get(&statement) else { return };
            for (k, e) in list {
                met.insert(*k);
                let text = || format!("`{}` at line {}", invariants[*k].value, at.start.line);
                match e.value(&|name| variables.value(state, thread, at, name)) {
                    Some(0) if loc == at.start => violated = violated.take().or_else(|| Some(text())),
                    // In the middle of the statement it need not hold.
                    Some(0) => {
                        odd = odd.take().or_else(|| Some(format!("{} does not hold near there", text())))
                    }
                    Some(_) => {}
                    None => odd = odd.take().or_else(|| Some(format!("{} has no value", text()))),
                }
            }
        },
    );
    let explored = match explored {
        Ok(e) => e,
        Err(stop) => return Checked::Undecided(stop.to_string()),
    };
    if let Some(v) = explored.violation {
        violation = Some(v);
    }
    match (violation, violated, odd) {
        (Some(v), ..) => Checked::Violated(format!("the program is not safe: {v}")),
        (_, Some(v), _) => Checked::Violated(format!("{v} does not hold")),
        (_, _, Some(why)) => Checked::Undecided(why),
        _ if !explored.complete => {
            Checked::Undecided(format!("all hold in {} states, but there are more", explored.states))
        }
        _ if met.len() < invariants.len() => {
            let missed = (0..invariants.len()).find(|k| !met.contains(k)).unwrap_or(0);
            let line = invariants[missed].location.line;
            Checked::Undecided(format!("no state is at line {line}"))
        }
        _ => Checked::Hold(format!(
            "{} invariants hold, and no state of {} violates the property",
            invariants.len(),
            explored.states
        )),
    }
}

/// Which values uninitialised objects get: those that are enough to see all that can happen, or one more, that shows
/// which variables have them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uninitialised {
    Enough,
    OneMore,
}

struct Explored {
    states: usize,
    /// All states, all inputs.
    complete: bool,
    violation: Option<String>,
}

/// Visits all states, all interleavings; `visit` is told of each thread's next statements.
fn explore(
    program: &Program,
    machine: &Machine<'_>,
    outline: &Outline,
    uninitialised: Uninitialised,
    max_states: usize,
    cancel: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(&State, usize, usize),
) -> Result<Explored, Stop> {
    let candidates = Candidates::new(program, 0, ALL_INPUTS);
    let mut places: BTreeMap<(u32, u32), Option<usize>> = BTreeMap::new();
    let mut seen: FxHashSet<Vec<i128>> = FxHashSet::default();
    let mut violation = None;
    let mut complete = machine.open_cells().next().is_none();
    let (starts, _) = candidates.starts(machine);
    for start in &starts {
        let mut todo = vec![machine.initial(start, 2)?];
        complete &= program
            .templates
            .iter()
            .all(|t| !(t.initial && t.count == relyant_frontend::cfa::Count::Unbounded));
        while let Some(state) = todo.pop() {
            if seen.len() >= max_states || cancel() {
                return Ok(Explored { states: seen.len(), complete: false, violation });
            }
            if !seen.insert(key(&state)) {
                continue;
            }
            if let Some(v) = machine.violation(&state) {
                violation = violation.or(Some(v.what));
                continue;
            }
            let inside = (0..state.threads.len()).find(|t| machine.inside_atomic(&state, *t));
            for thread in 0..state.threads.len() {
                let template = state.threads[thread].name.template;
                for edge in machine.out(&state, thread) {
                    let Some(e) = machine.edge(template, *edge) else { continue };
                    let span = e.span;
                    let place = places
                        .entry((template, *edge))
                        .or_insert_with(|| outline.statement_at(span.file, span.line, span.column));
                    if let Some(statement) = *place
                        && !state.halted
                        && state.threads[thread].ended.is_none()
                    {
                        visit(&state, thread, statement);
                    }
                    if inside.is_some_and(|i| i != thread) {
                        continue;
                    }
                    let inputs: Vec<Option<i128>> = match &e.op {
                        Op::Havoc { dst, source } => {
                            let kind = program.templates[template as usize].registers[dst.0 as usize].kind;
                            let few = match (kind.min(), kind.max()) {
                                (Some(a), Some(b)) => b.checked_sub(a).is_some_and(|d| d < ALL_INPUTS),
                                _ => false,
                            };
                            let (mut values, enough) = candidates.inputs(template, *dst, kind);
                            let free = source.is_empty() && enough && !few;
                            complete &= few || free;
                            if free && uninitialised == Uninitialised::OneMore {
                                let top = kind.max().unwrap_or(0);
                                values.extend((0..64).map(|k| top - k).find(|v| !values.contains(v)));
                            }
                            values.into_iter().map(Some).collect()
                        }
                        _ => vec![None],
                    };
                    for input in inputs {
                        let mut after = state.clone();
                        match machine.step(&mut after, thread, *edge, input, start) {
                            Ok(()) => todo.push(after),
                            Err(stop @ Stop::Malformed(_)) => return Err(stop),
                            Err(_) => {}
                        }
                    }
                }
            }
        }
    }
    Ok(Explored { states: seen.len(), complete, violation })
}

fn key(s: &State) -> Vec<i128> {
    let mut key = vec![i128::from(s.halted), s.threads.len() as i128];
    for t in &s.threads {
        key.extend([i128::from(t.name.template), i128::from(t.name.instance), i128::from(t.loc.0)]);
        key.extend([i128::from(t.begun), i128::from(t.ended.is_some()), t.ended.unwrap_or(0)]);
    }
    key.extend(&s.cells);
    key.extend(&s.data);
    for stack in &s.stacks {
        key.push(stack.len() as i128);
        key.extend(stack);
    }
    key
}
