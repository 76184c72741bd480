//! From a violation back to a run of the program.
//!
//! Parents give the normal forms on the way. They are followed from the start on states that are not normalised,
//! so that threads keep their numbers. The invisible moves that the search made early are then put off until their
//! thread's next visible move, and left out where the violation comes about without them.

use super::config::Config;
use super::family::{Family, FamilyRun};
use super::moves::{Mover, StepNode};
use super::ordered::{NOBODY, place, with_last};
use super::store::{ROOT, hash};
use super::switches::{Guide, Rest, rest};
use super::{Found, Search};
use relyant_cfa::schedule::{Move, Schedule, Start};
use relyant_cfa::{ObjId, Op, Owner};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::Scratch;
use std::collections::BTreeMap;

/// Longer runs are left as they are.
const LONG: usize = 1000;
/// Moves times threads of a run whose invisible moves stay where they are: putting them off copies states.
const LARGE: usize = 10_000_000;

/// A move of a run, with the state it leads to left implicit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Its thread's number in the run that the search found.
    pub thread: usize,
    /// Edges, and choices of inputs.
    pub steps: Vec<(u32, u32)>,
    visible: bool,
}

/// A run to what was found.
pub(super) fn schedule(
    search: &Search<'_, '_, '_>,
    found: Found,
    guide: Option<&Guide>,
) -> Result<Schedule, Stop> {
    let config = search.config;
    let last = match found {
        Found::AtStart(i) => {
            let state = config.initial(&config.starts[i])?;
            let mut parts = Vec::new();
            let mut mover = Mover::new(config, search.reduction);
            let mut done = false;
            mover.start(&state, &mut |_, arrival| {
                if arrival.violation && !done {
                    done = true;
                    parts = split(&arrival.path(), false);
                }
            })?;
            return finish(config, i, &parts, found, false);
        }
        Found::After(id) | Found::Deadlock(id) => id,
    };
    let parts = match guide {
        Some(guide) => guided(search, found, guide)?,
        None => by_parents(search, found, last)?,
    };
    finish(config, parts.0, &parts.1, found, false)
}

/// The run on which each state was found first.
fn by_parents(search: &Search<'_, '_, '_>, found: Found, last: u32) -> Result<(usize, Vec<Part>), Stop> {
    let config = search.config;
    let bounded = search.settings.max_switches.is_some();
    let mut ids = vec![last];
    while let Some(&id) = ids.last() {
        match search.store.parent(id) {
            ROOT => break,
            parent => ids.push(parent),
        }
    }
    ids.reverse();
    let (start, mut state, mut parts) = root(search, ids[0])?;
    let mut mover = Mover::new(config, search.reduction);
    let (mut packed, mut scratch) = (Vec::new(), Scratch::default());
    for &id in &ids[1..] {
        let target = search.store.get(id);
        let mut step = None;
        for thread in 0..state.threads.len() {
            step = any_move(&mut mover, &state, thread, &mut |after, violation| {
                !violation && {
                    config.pack(after, &mut scratch, &mut packed);
                    if bounded {
                        with_last(&mut packed, place(&scratch, thread));
                    }
                    packed == target
                }
            })?;
            if step.is_some() {
                break;
            }
        }
        let (after, nodes) = step.ok_or(LOST)?;
        parts.extend(split(&nodes, true));
        state = after;
    }
    if matches!(found, Found::After(_)) {
        for thread in 0..state.threads.len() {
            if let Some((_, nodes)) = any_move(&mut mover, &state, thread, &mut |_, violation| violation)? {
                parts.extend(split(&nodes, true));
                return Ok((start, parts));
            }
        }
        return Err(LOST);
    }
    Ok((start, parts))
}

/// A run with the fewest switches.
fn guided(search: &Search<'_, '_, '_>, found: Found, guide: &Guide) -> Result<(usize, Vec<Part>), Stop> {
    let config = search.config;
    let best = |(id, rest): (&u32, &Rest)| (rest.iter().copied().min(), *id);
    let first = guide[0].iter().map(best).min().ok_or(LOST)?.1;
    let (start, mut state, mut parts) = root(search, first)?;
    let mut mover = Mover::new(config, search.reduction);
    let (mut packed, mut scratch) = (Vec::new(), Scratch::default());
    let mut id = first;
    let mut last = None;
    for (level, rests) in guide.iter().enumerate() {
        let to_come = rests.get(&id).ok_or(LOST)?;
        let next = guide.get(level + 1);
        if next.is_none() && matches!(found, Found::Deadlock(_)) {
            break;
        }
        config.pack(&state, &mut scratch, &mut packed);
        let order = scratch.order.clone();
        // The thread of the state, and what comes after.
        let price = |k: &usize| {
            let switch = u16::from(last.is_some_and(|t| t != order[*k]));
            (to_come[*k].saturating_add(switch), switch, *k)
        };
        let k = (0..to_come.len()).min_by_key(price).ok_or(LOST)?;
        let thread = *order.get(k).ok_or(LOST)? as usize;
        last = Some(thread as u32);
        let step = any_move(&mut mover, &state, thread, &mut |after, violation| match next {
            None => violation,
            Some(next) => {
                !violation && {
                    config.pack(after, &mut scratch, &mut packed);
                    let found = search.store.find(hash(&packed), &packed);
                    let rest = found.and_then(|id| next.get(&id)).map(|r| rest(r, place(&scratch, thread)));
                    id = found.unwrap_or(id);
                    rest == Some(to_come[k])
                }
            }
        })?;
        let (after, nodes) = step.ok_or(LOST)?;
        parts.extend(split(&nodes, true));
        state = after;
    }
    Ok((start, parts))
}

/// The way is lost.
pub(super) const LOST: Stop = Stop::Malformed("a state that the search found is not found again");

/// The start that leads to a stored state, the state, and how it is reached.
fn root(search: &Search<'_, '_, '_>, id: u32) -> Result<(usize, State, Vec<Part>), Stop> {
    let config = search.config;
    let target = search.store.get(id);
    let (mut packed, mut scratch) = (Vec::new(), Scratch::default());
    for (i, start) in config.starts.iter().enumerate() {
        let state = config.initial(start)?;
        let mut found = None;
        Mover::new(config, search.reduction).start(&state, &mut |after, arrival| {
            if found.is_none() && !arrival.violation {
                config.pack(after, &mut scratch, &mut packed);
                if search.settings.max_switches.is_some() {
                    with_last(&mut packed, NOBODY);
                }
                if packed == target {
                    found = Some((i, after.clone(), split(&arrival.path(), false)));
                }
            }
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(LOST)
}

/// The first successor by a thread that is wanted, with the steps to it.
fn any_move(
    mover: &mut Mover<'_, '_>,
    state: &State,
    thread: usize,
    wanted: &mut dyn FnMut(&State, bool) -> bool,
) -> Result<Option<(State, Vec<StepNode>)>, Stop> {
    let mut found = None;
    mover.successors(state, thread, &mut |after, arrival| {
        if found.is_none() && wanted(after, arrival.violation) {
            found = Some((after.clone(), arrival.path()));
        }
    })?;
    Ok(found)
}

/// Steps in moves; the first move is visible or not, the others are not.
pub(super) fn split(nodes: &[StepNode], visible: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for n in nodes {
        if n.begins {
            let visible = visible && parts.is_empty();
            parts.push(Part { thread: n.thread as usize, steps: Vec::new(), visible });
        }
        if let Some(part) = parts.last_mut() {
            part.steps.push((n.edge, n.choice));
        }
    }
    parts
}

/// The run with invisible moves where they belong; with few switches, where it has `many`.
pub(super) fn finish(
    config: &Config<'_>,
    start: usize,
    parts: &[Part],
    found: Found,
    many: bool,
) -> Result<Schedule, Stop> {
    let family = Family::of(config, start, parts)?;
    let all: Vec<&Part> = parts.iter().collect();
    let put_off = if parts.len().saturating_mul(family.threads()) > LARGE {
        None
    } else {
        put_off(&family, parts, found)
    };
    let order = put_off.unwrap_or(all);
    let order = gather(&family, order, found, many);
    let mut run = family.begin()?;
    let mut moves: Vec<Move> = Vec::new();
    let mut early = Early::default();
    // Thread of the last move, and whether its visible step is done.
    let mut open = None;
    for part in order {
        let thread = run.now(part).ok_or(LOST)?;
        let name = run.state.threads.get(thread).ok_or(LOST)?.name;
        // Invisible moves go with a visible one of their thread.
        let seen = match open {
            Some((other, seen)) if other == thread && !(seen && part.visible) => seen,
            _ => {
                moves.push(Move { thread: name, path: Vec::new(), inputs: Vec::new() });
                false
            }
        };
        open = Some((thread, seen || part.visible));
        let number = moves.len() - 1;
        if let Some(m) = moves.last_mut() {
            for (edge, choice) in &part.steps {
                let input = config.input(&run.state, thread, *edge, *choice);
                let step = (number, m.path.len() as u32);
                early.note(config, &run.state, (thread, *edge), input, step);
                let chosen = config.machine.chosen_by(&run.state, thread, *edge);
                if let (Some(v), None) = (input, chosen) {
                    m.inputs.push((step.1, v));
                }
                m.path.push(*edge);
                run.step(part, (*edge, *choice)).map_err(|_| LOST)?;
            }
        }
    }
    let mut schedule = Schedule { start: config.starts[start].clone(), moves };
    early.put(&mut schedule);
    Ok(schedule)
}

/// A cell, and the thread whose it is.
type Cell = (Option<usize>, ObjId, u32);

/// Values that the search chose when they were needed, put where the program has them from: at the start, or at a
/// declaration.
#[derive(Default)]
struct Early {
    /// Last late declaration of each thread.
    declared: BTreeMap<usize, (usize, u32)>,
    /// Where cells (of a thread) have their values from: a step of a move, or none that matters.
    from: BTreeMap<Cell, Option<(usize, u32)>>,
    /// Values of inputs, by step of a move.
    inputs: Vec<((usize, u32), i128)>,
    start: Start,
}

impl Early {
    /// Before a step: who does what, with which value, and the number of the step.
    fn note(
        &mut self,
        config: &Config<'_>,
        state: &State,
        (thread, edge): (usize, u32),
        input: Option<i128>,
        step: (usize, u32),
    ) {
        let machine = &config.machine;
        let template = state.threads[thread].name.template;
        let owner = |o: ObjId| match machine.program().owners[o.0 as usize] {
            Owner::Shared => None,
            Owner::Template(_) => Some(thread),
        };
        if let (Some((o, k)), Some(v)) = (machine.chosen_by(state, thread, edge), input) {
            match self.from.get(&(owner(o), o, k)) {
                Some(Some(declared)) => self.inputs.push((*declared, v)),
                Some(None) => {}
                None => self.start.push((o, k, v)),
            }
        }
        match machine.edge(template, edge).map(|e| &e.op) {
            Some(Op::Havoc { .. }) if machine.is_late(template, edge) => {
                self.declared.insert(thread, step);
            }
            Some(Op::Store(..)) => {
                if let Some((o, k)) = machine.stored(state, thread, edge) {
                    let late = machine.is_late(template, edge);
                    let from = self.declared.get(&thread).copied().filter(|_| late);
                    self.from.insert((owner(o), o, k), from);
                }
            }
            _ => {}
        }
    }

    fn put(self, schedule: &mut Schedule) {
        for ((number, step), v) in self.inputs {
            if let Some(m) = schedule.moves.get_mut(number) {
                m.inputs.push((step, v));
            }
        }
        schedule.start.extend(self.start);
    }
}

/// The visible moves in their order, each after the invisible ones of its thread, and after those of other threads
/// that it needs. `None` where that does not lead to the violation.
fn put_off<'a>(family: &Family<'_, '_>, parts: &'a [Part], found: Found) -> Option<Vec<&'a Part>> {
    let mut run = family.begin().ok()?;
    let threads = 1 + parts.iter().map(|p| p.thread).max().unwrap_or(0);
    let mut waiting: Vec<Vec<&Part>> = vec![Vec::new(); threads];
    let mut order: Vec<&Part> = Vec::new();
    for part in parts {
        waiting[part.thread].push(part);
        if part.visible {
            flush(&mut run, &mut waiting, part.thread, &mut order, threads)?;
        }
    }
    if family.violates(&order, found) {
        return Some(order);
    }
    // Who is needed at the end? One thread, else all.
    for t in (0..threads).filter(|t| !waiting[*t].is_empty()) {
        let mut longer = order.clone();
        longer.extend(&waiting[t]);
        if family.violates(&longer, found) {
            return Some(longer);
        }
    }
    for t in 0..threads {
        // Those that cannot go on yet wait for others, which come later or were started before.
        flush(&mut run, &mut waiting, t, &mut order, threads)?;
    }
    family.violates(&order, found).then_some(order)
}

/// Moves what a thread does between moves of others to its moves before, where that is only invisible steps, or `any`.
fn gather<'a>(family: &Family<'_, '_>, order: Vec<&'a Part>, found: Found, any: bool) -> Vec<&'a Part> {
    if order.len() > LONG {
        return order;
    }
    let mut groups: Vec<Vec<&Part>> = Vec::new();
    for part in order {
        match groups.last_mut() {
            Some(group) if group[0].thread == part.thread => group.push(part),
            _ => groups.push(vec![part]),
        }
    }
    let mut i = 1;
    while i < groups.len() {
        let movable = any || groups[i].iter().all(|p| !p.visible);
        let thread = groups[i][0].thread;
        let before = groups[..i].iter().rposition(|g| g[0].thread == thread);
        if let (true, Some(before)) = (movable, before) {
            let mut fewer = groups.clone();
            let group = fewer.remove(i);
            fewer[before].extend(group);
            let all: Vec<&Part> = fewer.iter().flatten().copied().collect();
            if family.violates(&all, found) {
                groups = fewer;
                continue;
            }
        }
        i += 1;
    }
    groups.into_iter().flatten().collect()
}

/// Runs what waits of a thread, after what others have to do first.
fn flush<'a>(
    run: &mut FamilyRun<'_, '_>,
    waiting: &mut [Vec<&'a Part>],
    thread: usize,
    order: &mut Vec<&'a Part>,
    fuel: usize,
) -> Option<()> {
    for part in std::mem::take(&mut waiting[thread]) {
        let mut copy = run.clone();
        let mut others = 0..waiting.len();
        while !copy.part(part) {
            // It was not created yet, or waits for the end of another.
            let other = others.find(|u| *u != thread && !waiting[*u].is_empty())?;
            flush(run, waiting, other, order, fuel.checked_sub(1)?)?;
            copy.clone_from(run);
        }
        *run = copy;
        order.push(part);
    }
    Some(())
}
