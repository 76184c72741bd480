//! How many objects of one place are alive at once, as one run of the search program tells: where loops have known bounds, and no
//! input decides, all runs make as many.
//!
//! Only how large pools are depends on it. A run that needs more objects ends at a limit, as ever.

use super::apart::apart;
use super::error::Refusal;
use relyant_cfa::options::{MAX_OBJECTS, Options};
use relyant_cfa::{Bounded, LocationKind, Module, Program};
use relyant_interp::machine::{Machine, State};

/// Objects of one place at most, where a run needs more than [`MAX_OBJECTS`] but no more than this.
const MOST: u32 = 1024;
/// Steps of a run.
const STEPS: usize = 50_000;
/// Edges of programs that take too long to be made again and again.
const MANY_EDGES: usize = 20_000;

/// Makes a program with pools that are large enough for one run to its end, or as it would be without this where there is none.
pub(super) fn with_enough_objects(
    module: &Module,
    options: &Options,
    build: &dyn Fn(&Module, &Options) -> Result<Program, Refusal>,
) -> Result<Program, Refusal> {
    let first = build(module, options)?;
    let edges: usize = first.templates.iter().map(|t| t.graph.edges.len()).sum();
    if options.max_objects.is_some()
        || edges > MANY_EDGES
        || !is_bounded(&first)
        || ended(&first) != Some(End::Bound)
    {
        return Ok(first);
    }
    // What each place that calls makes is apart.
    let apart = apart(module);
    let with = |n: u32| {
        let larger = build(&apart, &Options { max_objects: Some(n), ..options.clone() }).ok()?;
        let end = ended(&larger)?;
        Some((larger, end))
    };
    let (mut few, mut enough) = (MAX_OBJECTS, None);
    while enough.is_none() && few < MOST {
        match with(few * 2) {
            Some((larger, End::Over)) => enough = Some((few * 2, larger)),
            Some((_, End::Bound)) => few *= 2,
            None => break,
        }
    }
    // States have room for all of them: not many more than it takes.
    let Some((mut most, mut found)) = enough else { return Ok(first) };
    while most - few > most / 8 {
        let middle = few.midpoint(most);
        match with(middle) {
            Some((program, End::Over)) => (most, found) = (middle, program),
            _ => few = middle,
        }
    }
    Ok(found)
}

fn at_bound(kind: &LocationKind) -> bool {
    matches!(kind, LocationKind::Limit(limit) if limit.bounds == Some(Bounded::Objects))
}

fn is_bounded(program: &Program) -> bool {
    program.templates.iter().flat_map(|t| &t.graph.locations).any(|l| at_bound(&l.kind))
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// At a limit of objects.
    Bound,
    /// With no thread that could go on, and no limit, or at an error.
    Over,
}

/// Runs a program: one thread as long as it can go on and creates none, then another one; none where the run is too long.
fn ended(program: &Program) -> Option<End> {
    let machine = Machine::late(program).ok()?;
    let mut state = machine.initial(&Vec::new(), 1).ok()?;
    let mut threads = state.threads.len();
    let mut thread = 0;
    let mut waited = 0;
    for _ in 0..STEPS {
        if state.halted || waited >= state.threads.len() {
            return Some(End::Over);
        }
        if goes_on(&machine, &mut state, thread)? {
            let t = &state.threads[thread];
            let kind = &machine.location(t.name.template, t.loc).kind;
            if at_bound(kind) {
                return Some(End::Bound);
            }
            match kind {
                LocationKind::Error(_) => return Some(End::Over),
                LocationKind::Limit(_) => return None,
                _ => {}
            }
            waited = 0;
            if state.threads.len() > threads {
                threads = state.threads.len();
                thread = threads - 1;
            }
        } else {
            // Who was created last goes first.
            (thread, waited) = ((thread + state.threads.len() - 1) % state.threads.len(), waited + 1);
        }
    }
    None
}

/// Lets a thread do a step, or what an atomic section does; false where it has none, `None` where that cannot be told soon.
fn goes_on(machine: &Machine<'_>, state: &mut State, thread: usize) -> Option<bool> {
    if state.threads[thread].ended.is_some() {
        return Some(false);
    }
    let mut tried = vec![state.clone()];
    for _ in 0..STEPS {
        let Some(from) = tried.pop() else { return Some(false) };
        for &edge in machine.out(&from, thread).iter().rev() {
            let mut next = from.clone();
            if machine.step(&mut next, thread, edge, None, &Vec::new()).is_err() {
                continue;
            }
            tried.push(next);
        }
        if let Some(last) = tried.last()
            && (last.halted || !machine.inside_atomic(last, thread))
        {
            *state = tried.pop()?;
            return Some(true);
        }
    }
    None
}
