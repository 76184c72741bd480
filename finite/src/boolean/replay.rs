//! Runs of Boolean programs with all values, and their replay by the interpreter.

use super::bits::Bits;
use super::machine::{Machine, Successor, Thread, TooMany};
use super::program::{Program, Stmt};
use super::template::Threads;
use crate::moves;

/// A run. Threads are numbered in the order in which they start, `main` is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteRun {
    /// The shared valuation at first, and the thread of `main`.
    pub start: (Bits, Thread),
    /// Which thread makes a step, and what comes of it. The last step fails.
    pub steps: Vec<(usize, Successor)>,
}

/// Why a run is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// It does not begin in an initial state.
    #[error("the run does not begin in an initial state")]
    Start,
    /// A step is not one of the program.
    #[error("step {0} is not one that the program can make")]
    Step(usize),
    /// It does not fail at its end.
    #[error("nothing fails at the end of the run")]
    End,
    /// A step has too many outcomes to list them.
    #[error(transparent)]
    Many(#[from] TooMany),
}

/// Replays a run; returns the number of its threads.
pub fn replay(machine: &Machine, run: &ConcreteRun) -> Result<usize, Broken> {
    if !machine.may_start(&run.start.0, &run.start.1) {
        return Err(Broken::Start);
    }
    let mut shared = run.start.0.clone();
    let mut threads = vec![Some(run.start.1.clone())];
    for (i, (t, outcome)) in run.steps.iter().enumerate() {
        let Some(Some(thread)) = threads.get(*t) else { return Err(Broken::Step(i + 1)) };
        if !machine.permits(&shared, thread, outcome)? {
            return Err(Broken::Step(i + 1));
        }
        if outcome.failed {
            return if i + 1 == run.steps.len() { Ok(threads.len()) } else { Err(Broken::End) };
        }
        shared = outcome.shared.clone();
        threads[*t] = outcome.thread.clone();
        threads.extend(outcome.spawned.clone().map(Some));
    }
    Err(Broken::End)
}

/// The run with all values that a path of a search stands for, and the number of its threads; it has been replayed.
pub fn concrete(threads: &Threads, path: &moves::Interleaving) -> Result<(ConcreteRun, usize), Broken> {
    let machine = threads.machine();
    let start = threads.shared.get(path.start.0).zip(threads.locals.get(path.start.1));
    let (shared, main) = start.map(|(s, t)| (s.clone(), t.clone())).ok_or(Broken::Start)?;
    let mut run = ConcreteRun { start: (shared.clone(), main.clone()), steps: Vec::new() };
    let mut shared = shared;
    // Threads with the number of their normal form.
    let mut all: Vec<Option<(u32, Thread)>> = vec![Some((path.start.1, main))];
    for (i, s) in path.steps.iter().enumerate() {
        let is = |t: &Option<(u32, Thread)>| t.as_ref().is_some_and(|t| t.0 == s.local);
        let broken = Broken::Step(i + 1);
        let (Some(t), Some(like)) = (all.iter().position(is), threads.outcome(&s.step)) else {
            return Err(broken);
        };
        let Some(Some((_, thread))) = all.get(t) else { return Err(broken) };
        let Some(o) = machine.step_like(&shared, thread, &like)? else { return Err(broken) };
        shared = o.shared.clone();
        let moved = s.step.local.zip(o.thread.clone());
        let new = s.step.spawned.zip(o.spawned.clone());
        if let Some(place) = all.get_mut(t) {
            *place = moved;
        }
        // A thread that starts where it can only end has its number, too.
        if o.spawned.is_some() {
            all.push(new);
        }
        run.steps.push((t, o));
    }
    let count = replay(&machine, &run)?;
    Ok((run, count))
}

/// A run as text, a line a step: what is done, and which values change. Steps that only go on are left out.
pub fn show(p: &Program, run: &ConcreteRun) -> Vec<String> {
    let mut out = Vec::new();
    let values = |names: &[String], bits: &Bits| {
        let all: Vec<String> =
            (0..).zip(names).map(|(i, n)| format!("{n}={}", u8::from(bits.get(i)))).collect();
        if all.is_empty() { "no globals".into() } else { all.join(" ") }
    };
    out.push(format!("start       {}", values(&p.globals, &run.start.0)));
    let mut shared = run.start.0.clone();
    let mut threads = vec![Some(run.start.1.clone())];
    for (i, (t, o)) in run.steps.iter().enumerate() {
        let before = threads.get(*t).cloned().flatten();
        let Some(frame) = before.as_ref().and_then(|b| b.frames.last()) else { continue };
        let node = p.node(frame.node);
        let mut note = String::new();
        let mut changed = |name: &str, b: bool| note.push_str(&format!("  {name}={}", u8::from(b)));
        for (g, name) in (0..).zip(&p.globals) {
            if shared.get(g) != o.shared.get(g) {
                changed(name, o.shared.get(g));
            }
        }
        let after = o.thread.as_ref().and_then(|a| a.frames.last());
        if let Some(a) = after.filter(|a| p.node(a.node).proc == node.proc) {
            for (l, name) in (0..).zip(&p.proc(node.proc).locals) {
                if frame.locals.get(l) != a.locals.get(l) {
                    changed(name, a.locals.get(l));
                }
            }
        }
        if o.spawned.is_some() {
            note.push_str(&format!("  starts thread {}", threads.len()));
        }
        if o.failed {
            note.push_str("  fails");
        }
        if !matches!(node.stmt, Stmt::Skip) {
            let what = p.describe(frame.node);
            out.push(format!("{:>5}  thread {t:<3} line {:<5} {what}{note}", i + 1, node.place.line));
        }
        shared = o.shared.clone();
        if let Some(place) = threads.get_mut(*t) {
            place.clone_from(&o.thread);
        }
        threads.extend(o.spawned.clone().map(Some));
    }
    out
}
