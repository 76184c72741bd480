//! Invariants from all states: the values that variables have at loops, branches and assertions.
//!
//! A state counts for a statement when a thread's next step belongs to the statement. These states include those
//! at the sequence point before it.

use super::Invariant;
use super::correctness::{is_written, statement as statement_at};
use super::invariants::Variables;
use super::places::location;
use relyant_frontend::c::outline::{Outline, StatementKind};
use relyant_frontend::cfa::{IntKind, Op, Program};
use relyant_frontend::interp::candidates::Candidates;
use relyant_frontend::interp::machine::{Machine, State, Stop};
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
/// Inputs with at most so many values have all of them tried.
const ALL_INPUTS: i128 = 256;

/// What holds in all states, and how many they are; `None` when these are more than `most`.
///
/// # Errors
/// The program cannot be run.
pub fn ranges(
    program: &Program,
    outline: &Outline,
    most: usize,
) -> Result<Option<(Vec<Invariant>, usize)>, Stop> {
    let Some((first, states)) = values(program, outline, Uninitialised::Enough, most)? else {
        return Ok(None);
    };
    // What depends on values of uninitialised objects is told by other ones.
    let other = values(program, outline, Uninitialised::OneMore, most)?;
    Ok(other.map(|(other, _)| (written(&first, &other, outline), states)))
}

/// The values of names at statements: `None` where a name had no value.
type Values = BTreeMap<usize, BTreeMap<String, Option<BTreeSet<i128>>>>;

/// Values at loops and branches, from all states; `None` when these are too many.
fn values(
    program: &Program,
    outline: &Outline,
    uninitialised: Uninitialised,
    most: usize,
) -> Result<Option<(Values, usize)>, Stop> {
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
    let explored = explore(
        program,
        &machine,
        outline,
        uninitialised,
        most,
        &|| false,
        &mut |state, thread, statement| {
            if !wanted(statement) || (seen.len() >= MOST && !seen.contains_key(&statement)) {
                return;
            }
            let at = &outline.statements[statement];
            let locals = at.scope.iter().filter(|n| !outline.floating.contains(*n) && !is_handle(outline, n));
            let names = globals.iter().chain(locals);
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

struct Explored {
    states: usize,
    /// All states, all inputs.
    complete: bool,
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
    let mut complete = machine.open_cells().next().is_none();
    let (starts, _) = candidates.starts(machine);
    for start in &starts {
        let mut todo = vec![machine.initial(start, 2)?];
        complete &= program
            .templates
            .iter()
            .all(|t| !(t.initial && t.count == relyant_frontend::cfa::Count::Unbounded));
        while let Some(state) = todo.pop() {
            if seen.len() >= max_states || state.threads.len() > MAX_THREADS || cancel() {
                return Ok(Explored { states: seen.len(), complete: false });
            }
            if !seen.insert(key(&state)) {
                continue;
            }
            if machine.violation(&state).is_some() {
                complete = false;
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
    Ok(Explored { states: seen.len(), complete })
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
