//! Invariants from all states: the values that variables have at loops, branches and assertions.
//!
//! A state counts for a statement when a thread's next step belongs to the statement. These states include those
//! at the sequence point before it.

use super::Invariant;
use super::correctness::{is_written, statement as statement_at};
use super::invariants::{Slot, Variables};
use super::places::location;
use relyant_cfa::schedule::Start;
use relyant_cfa::{Count, IntKind, Op, Program, Template};
use relyant_frontend::c::outline::{Outline, StatementKind};
use relyant_interp::candidates::Candidates;
use relyant_interp::machine::{Machine, State, Stop};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// With more threads at once there are too many states anyway.
const MAX_THREADS: usize = 24;
/// Calls whose statements get invariants too.
const FAILURES: [&str; 3] = ["reach_error", "__assert_fail", "__VERIFIER_assert"];
/// A variable with at most so many values has them listed, with more it has bounds.
const LISTED: usize = 4;
/// At most so many invariants.
const MOST: usize = 64;
/// Numbers of states that are copied or looked at: what bounds the work, where states are large.
const NUMBERS: usize = 20_000_000;
/// Inputs with at most so many values have all of them tried.
const ALL_INPUTS: i128 = 256;

/// What holds in all states, and how many they are; `None` when these are more than `most`, or are not all seen.
///
/// # Errors
/// The program cannot be run.
pub fn ranges(
    program: &Program,
    outline: &Outline,
    most: usize,
) -> Result<Option<(Vec<Invariant>, usize)>, Stop> {
    let Some((first, states, any_free)) = values(program, outline, Uninitialised::Enough, most)? else {
        return Ok(None);
    };
    if !any_free {
        return Ok(Some((written(&first, &first, outline), states)));
    }
    // What depends on values of uninitialised objects is told by other ones.
    let other = values(program, outline, Uninitialised::OneMore, most)?;
    Ok(other.map(|(other, ..)| (written(&first, &other, outline), states)))
}

/// A name, and where its value is.
type Named = (String, Option<Slot>);

/// The values of names at statements: `None` where a name had no value.
type Values = BTreeMap<usize, BTreeMap<String, Option<BTreeSet<i128>>>>;

/// Values at loops and branches, from all states, and what [`explore`] tells of these.
fn values(
    program: &Program,
    outline: &Outline,
    uninitialised: Uninitialised,
    most: usize,
) -> Result<Option<(Values, usize, bool)>, Stop> {
    let machine = Machine::new(program)?;
    let variables = Variables::new(&machine);
    let mut seen: Values = BTreeMap::new();
    let globals = plain_globals(program, outline);
    let fails: BTreeSet<usize> =
        outline.calls.iter().filter(|c| FAILURES.contains(&c.name.as_str())).map(|c| c.statement).collect();
    let wanted = |s: usize| {
        matches!(outline.statements[s].kind, StatementKind::Loop | StatementKind::Branch)
            || fails.contains(&s)
    };
    // By template and statement.
    let mut slots: BTreeMap<(u32, usize), Vec<Named>> = BTreeMap::new();
    let mut visit = |state: &State, thread: usize, statement: usize| {
        if !wanted(statement) || (seen.len() >= MOST && !seen.contains_key(&statement)) {
            return 0;
        }
        let template = state.threads[thread].name.template;
        let slots = slots.entry((template, statement)).or_insert_with(|| {
            let at = &outline.statements[statement];
            let locals = at.scope.iter().filter(|n| !outline.floating.contains(*n) && !is_handle(outline, n));
            let names = globals.iter().chain(locals);
            names.map(|n| (n.clone(), variables.slot(template, at, n))).collect()
        });
        let here = seen.entry(statement).or_default();
        for (name, slot) in slots.iter() {
            let value = slot.and_then(|s| variables.read(state, thread, s));
            if !here.contains_key(name) {
                here.insert(name.clone(), Some(BTreeSet::new()));
            }
            let Some(values) = here.get_mut(name) else { continue };
            match (values.as_mut(), value) {
                (Some(set), Some(v)) => {
                    set.insert(v);
                }
                _ => *values = None,
            }
        }
        slots.len()
    };
    let mut told = Visit { uninitialised, max_states: most, visit: &mut visit };
    let explored = explore(program, &machine, outline, &mut told)?;
    Ok(explored.map(|(states, any_free)| (seen, states, any_free)))
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
        let of_loop = at.kind == StatementKind::Loop;
        // Macros may have several statements at one place.
        let found =
            statement_at(outline, &place, of_loop) == Some(*statement) && is_written(outline, *statement);
        if parts.is_empty() || place.column.is_none() || !found {
            continue;
        }
        out.push(Invariant { of_loop, location: place, value: parts.join(" && ") });
    }
    out
}

/// Integer globals that are no part of anything.
fn plain_globals(program: &Program, outline: &Outline) -> Vec<String> {
    let word = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let plain =
        program.objects.iter().filter(|o| o.cells.len() == 1 && o.cells[0].1.is_empty() && word(&o.name));
    let plain = plain.filter(|o| !o.synthetic && o.cells[0].0 != IntKind::Ideal);
    let plain = plain.filter(|o| !outline.floating.contains(&o.name) && !is_handle(outline, &o.name));
    let names: BTreeSet<String> = plain.map(|o| o.name.clone()).collect();
    names.into_iter().collect()
}

/// Does a variable hold a thread's handle, whose number is nobody's business?
pub(super) fn is_handle(outline: &Outline, name: &str) -> bool {
    outline.calls.iter().any(|c| {
        matches!(c.name.as_str(), "pthread_create" | "thrd_create") && c.first.as_deref() == Some(name)
    })
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
pub(super) fn number(v: i128) -> String {
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

/// Which values uninitialised objects get: those that are enough to see all that can happen, or one more, that shows
/// which variables have them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Uninitialised {
    Enough,
    OneMore,
}

/// What an exploration is told.
struct Visit<'v> {
    /// Which values uninitialised objects get.
    uninitialised: Uninitialised,
    max_states: usize,
    /// Told of each thread's next statements; gives the numbers that it looked at.
    visit: &'v mut dyn FnMut(&State, usize, usize) -> usize,
}

/// Visits all states, all interleavings: how many they are, and whether there were uninitialised objects whose value may
/// be one more. `None` where not all are seen, or not for all inputs.
fn explore(
    program: &Program,
    machine: &Machine<'_>,
    outline: &Outline,
    told: &mut Visit<'_>,
) -> Result<Option<(usize, bool)>, Stop> {
    let endless = |t: &Template| t.initial && t.count == Count::Unbounded;
    if machine.open_cells().next().is_some() || program.templates.iter().any(endless) {
        return Ok(None);
    }
    let candidates = Candidates::new(program, 0, ALL_INPUTS);
    let mut places: BTreeMap<(u32, u32), Option<usize>> = BTreeMap::new();
    let mut seen: FxHashSet<Vec<i128>> = FxHashSet::default();
    let (mut numbers, mut any_free) = (0usize, false);
    let start = Start::new();
    let mut todo = vec![machine.initial(&start, 2)?];
    while let Some(state) = todo.pop() {
        let full = seen.len() >= told.max_states || numbers >= NUMBERS;
        if full || state.threads.len() > MAX_THREADS || machine.violation(&state).is_some() {
            return Ok(None);
        }
        if !seen.insert(state.key()) {
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
                    numbers = numbers.saturating_add((told.visit)(&state, thread, statement));
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
                        let free = source.is_uninitialised() && enough && !few;
                        if !few && !free {
                            return Ok(None);
                        }
                        any_free |= free;
                        if free && told.uninitialised == Uninitialised::OneMore {
                            let top = kind.max().unwrap_or(0);
                            values.extend((0..64).map(|k| top - k).find(|v| !values.contains(v)));
                        }
                        values.into_iter().map(Some).collect()
                    }
                    _ => vec![None],
                };
                for input in inputs {
                    let mut after = state.clone();
                    numbers = numbers.saturating_add(after.cells.len() + after.data.len());
                    match machine.step(&mut after, thread, *edge, input, &start) {
                        Ok(()) => todo.push(after),
                        Err(stop @ Stop::Malformed(_)) => return Err(stop),
                        Err(_) => {}
                    }
                }
            }
        }
    }
    Ok(Some((seen.len(), any_free)))
}
