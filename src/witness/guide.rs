//! Checks a violation witness: a search for a run that passes its waypoints, in order, and ends in the violation at
//! its target. The interpreter does each step.

use super::invariants::{Expr, Variables};
use super::places::Tracker;
use super::{Waypoint, WaypointKind};
use relyant_cfa::schedule::{Move, Schedule, Start, ThreadRef};
use relyant_cfa::{InputSource, Op, Program};
use relyant_frontend::c::outline::Outline;
use relyant_interp::candidates::Candidates;
use relyant_interp::event::{Event, What};
use relyant_interp::machine::{Machine, State, Stop};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What the search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Such a run, a move for each step.
    Run(Schedule),
    /// There is none, among so many states.
    Nothing(usize),
    /// Not decided, and why.
    Undecided(String),
}

/// Values tried for an input that the witness says nothing of.
const MAX_INPUTS: usize = 40;

#[derive(Clone)]
struct Node {
    state: State,
    /// Index of the waypoint that is waited for.
    next: usize,
    tracker: Tracker,
    /// Threads by their ids.
    ids: Vec<ThreadRef>,
    /// The thread that moved last; `None` at the start.
    last: Option<ThreadRef>,
    done: Option<Rc<Done>>,
}

/// The last step of a run, and those before it.
struct Done {
    step: Move,
    before: Option<Rc<Done>>,
}

impl Drop for Done {
    /// Not by recursion: runs are long.
    fn drop(&mut self) {
        let mut rest = self.before.take();
        while let Some(mut done) = rest.and_then(Rc::into_inner) {
            rest = done.before.take();
        }
    }
}

struct Guide<'g, 'p> {
    machine: &'g Machine<'p>,
    outline: &'g Outline,
    waypoints: &'g [Waypoint],
    constraints: Vec<Option<Expr>>,
    variables: Variables<'g, 'p>,
}

/// Looks for a run.
pub fn follow(
    program: &Program,
    outline: &Outline,
    waypoints: &[Waypoint],
    max_states: usize,
    cancel: &dyn Fn() -> bool,
) -> Found {
    let found = |others| search(program, outline, waypoints, max_states, cancel, others);
    // Threads that no waypoint tells of may be without end.
    let found = match found(false) {
        Ok(None) => found(true),
        known => known,
    };
    match found {
        Ok(found) => found.unwrap_or(Found::Nothing(0)),
        Err(stop) => Found::Undecided(stop.to_string()),
    }
}

/// Was a thread created where no waypoint tells of it?
fn created_elsewhere(before: &Node, after: &Node) -> bool {
    after.ids.len() > before.ids.len() && after.next == before.next
}

/// One search; `others`: threads may be created that no waypoint tells of. `None`: only with these there may be a run.
fn search(
    program: &Program,
    outline: &Outline,
    waypoints: &[Waypoint],
    max_states: usize,
    cancel: &dyn Fn() -> bool,
    others: bool,
) -> Result<Option<Found>, Stop> {
    let mut constraints = Vec::new();
    for w in waypoints {
        let e = w.constraint.as_ref().map(|c| Expr::parse(&c.value));
        if e == Some(None) {
            let text = w.constraint.as_ref().map_or("", |c| &c.value);
            return Ok(Some(Found::Undecided(format!("the constraint `{text}` is not read"))));
        }
        constraints.push(e.flatten());
    }
    let machine = &Machine::new(program)?;
    let guide = Guide { machine, outline, waypoints, constraints, variables: Variables::new(machine) };
    let candidates = Candidates::new(program, MAX_INPUTS, 256);
    let (starts, mut complete) = candidates.starts(machine);
    let mut seen: FxHashSet<Vec<i128>> = FxHashSet::default();
    let mut left_out = false;
    for start in &starts {
        let state = machine.initial(start, 2)?;
        let ids = state.threads.first().map(|t| t.name).into_iter().collect();
        let mut todo =
            vec![Node { state, next: 0, tracker: Tracker::default(), ids, last: None, done: None }];
        while let Some(node) = todo.pop() {
            if seen.len() >= max_states || cancel() {
                return Ok(Some(Found::Undecided(format!("no run was found in {} states", seen.len()))));
            }
            if !seen.insert(node.key()) {
                continue;
            }
            // A thread ends its statement first, then the one moves that the next waypoint waits for.
            let wanted = guide.wanted(&node);
            let mut next: Vec<(u8, Node)> = Vec::new();
            let threads = 0..node.state.threads.len();
            let inside = threads.clone().find(|t| machine.inside_atomic(&node.state, *t));
            for thread in threads.filter(|t| inside.is_none_or(|i| i == *t)) {
                let template = node.state.threads[thread].name.template;
                for edge in machine.out(&node.state, thread) {
                    let Some(e) = machine.edge(template, *edge) else { continue };
                    let inputs: Vec<Option<i128>> = match &e.op {
                        Op::Havoc { dst, source } => {
                            let kind = program.templates[template as usize].registers[dst.0 as usize].kind;
                            match guide.given(&node, source) {
                                Some(v) => vec![Some(v)],
                                None => {
                                    let (values, all) = candidates.inputs(template, *dst, kind);
                                    complete &= all;
                                    values.into_iter().rev().map(Some).collect()
                                }
                            }
                        }
                        _ => vec![None],
                    };
                    for input in inputs {
                        let mut after = node.clone();
                        match machine.step(&mut after.state, thread, *edge, input, start) {
                            Ok(()) => {}
                            Err(stop @ Stop::Malformed(_)) => return Err(stop),
                            Err(_) => continue,
                        }
                        let event = Event::new(machine, &node.state, &after.state, thread, e);
                        let Some(arrives) = guide.passes(&node.state, thread, &event, &mut after) else {
                            continue;
                        };
                        if created_elsewhere(&node, &after) && !others {
                            left_out = true;
                            continue;
                        }
                        after.last = Some(event.thread);
                        after.does(event.thread, *edge, input);
                        let goes_on = node.last == after.last && !arrives;
                        let rank = if goes_on { 2 } else { u8::from(Some(thread) == wanted) };
                        match machine.violation(&after.state) {
                            None => next.push((rank, after)),
                            Some(v) if guide.is_target(&after, v.thread) => {
                                return Ok(Some(Found::Run(after.schedule(start))));
                            }
                            Some(_) => {}
                        }
                    }
                }
            }
            next.sort_by_key(|(rank, _)| *rank);
            todo.extend(next.into_iter().map(|(_, node)| node));
        }
    }
    let n = seen.len();
    Ok(if left_out {
        None
    } else if complete {
        Some(Found::Nothing(n))
    } else {
        Some(Found::Undecided(format!("no run was found in {n} states, but not all inputs were tried")))
    })
}

impl Node {
    /// Adds the last step.
    fn does(&mut self, thread: ThreadRef, edge: u32, input: Option<i128>) {
        let step = Move { thread, path: vec![edge], inputs: input.map(|v| (0, v)).into_iter().collect() };
        self.done = Some(Rc::new(Done { step, before: self.done.take() }));
    }

    /// What was done from this start.
    fn schedule(&self, start: &Start) -> Schedule {
        let steps = std::iter::successors(self.done.as_ref(), |d| d.before.as_ref());
        let mut moves: Vec<Move> = steps.map(|d| d.step.clone()).collect();
        moves.reverse();
        Schedule { start: start.clone(), moves }
    }

    fn key(&self) -> Vec<i128> {
        let mut key = self.state.key();
        key.push(self.next as i128);
        self.tracker.key(&mut key);
        key.extend(self.ids.iter().flat_map(|i| [i128::from(i.template), i128::from(i.instance)]));
        key
    }
}

impl Guide<'_, '_> {
    /// The thread of the next waypoint.
    fn wanted(&self, node: &Node) -> Option<usize> {
        let id = self.waypoints.get(node.next)?.thread.unwrap_or(0);
        let name = node.ids.get(id as usize)?;
        node.state.threads.iter().position(|t| t.name == *name)
    }

    /// The value that the next waypoint wants a call of this function to return.
    fn given(&self, node: &Node, source: &InputSource) -> Option<i128> {
        let w = self.waypoints.get(node.next).filter(|w| w.kind == WaypointKind::FunctionReturn)?;
        let call = self.outline.calls.iter().find(|c| w.location.is(self.outline, c.close))?;
        match self.constraints[node.next].as_ref()? {
            Expr::Binary("==", a, b) if **a == Expr::Result && source.is_input_of(&call.name) => {
                b.value(&|_| None)
            }
            _ => None,
        }
    }

    /// Lets a step pass the waypoints that it comes to: whether it begins a statement; `None` when it may not be done.
    fn passes(&self, before: &State, thread: usize, event: &Event, after: &mut Node) -> Option<bool> {
        let come = after.tracker.step(self.outline, event.thread, event.span);
        let Some((statement, arrives)) = come else {
            self.register(event, after);
            return Some(false);
        };
        let at = &self.outline.statements[statement];
        if arrives && self.is_next(after, event.thread, WaypointKind::Assumption) {
            let w = &self.waypoints[after.next];
            if w.location.is(self.outline, at.start) {
                let holds = self.constraints[after.next]
                    .as_ref()
                    .and_then(|e| e.value(&|name| self.variables.value(before, thread, at, name)));
                if holds.unwrap_or(0) == 0 {
                    return None;
                }
                after.next += 1;
            }
        }
        let call = |w: &Waypoint| {
            let mut calls = self.outline.calls.iter().filter(|c| c.statement == statement);
            calls.find(|c| w.location.is(self.outline, c.close)).map(|c| c.name.clone())
        };
        match &event.what {
            What::Create(_)
                if self.is_next(after, event.thread, WaypointKind::FunctionEnter)
                    && call(&self.waypoints[after.next]).is_some() =>
            {
                after.next += 1;
            }
            What::Input { source, value, .. }
                if self.is_next(after, event.thread, WaypointKind::FunctionReturn)
                    && call(&self.waypoints[after.next]).is_some_and(|name| source.is_input_of(&name)) =>
            {
                let result = |n: &str| (n == "\\result").then_some(*value);
                let holds = self.constraints[after.next].as_ref().and_then(|e| e.value(&result));
                if self.constraints[after.next].is_some() && holds.unwrap_or(0) == 0 {
                    return None;
                }
                after.next += 1;
            }
            _ => {}
        }
        self.register(event, after);
        Some(arrives)
    }

    fn register(&self, event: &Event, after: &mut Node) {
        if let What::Create(new) = &event.what {
            after.ids.push(*new);
        }
    }

    /// Is the next waypoint one of this kind, for this thread?
    fn is_next(&self, node: &Node, thread: ThreadRef, kind: WaypointKind) -> bool {
        let Some(w) = self.waypoints.get(node.next).filter(|w| w.kind == kind) else { return false };
        node.ids.get(w.thread.unwrap_or(0) as usize) == Some(&thread)
    }

    /// Only the target is left, and the violation is there.
    fn is_target(&self, node: &Node, thread: usize) -> bool {
        let Some(w) = self.waypoints.get(node.next).filter(|w| w.kind == WaypointKind::Target) else {
            return false;
        };
        let t = &node.state.threads[thread];
        let span = self.machine.location(t.name.template, t.loc).span;
        let here = self.outline.statement_at(span.file, span.line, span.column);
        here.is_some_and(|s| w.location.is(self.outline, self.outline.statements[s].start))
            && node.ids.get(w.thread.unwrap_or(0) as usize) == Some(&t.name)
    }
}
