//! The adapter between counterexamples and the page that shows them: all that the page knows of a run.

use crate::report::run::{RunEntry, RunStep};
use relyant_interp::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// A run as the page shows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Run {
    /// Names of the threads, in order of creation.
    pub(super) threads: Vec<String>,
    /// What was done, in order.
    pub(super) steps: Vec<Step>,
    /// Rounds of loops that are folded: the first step, how many steps, how many rounds.
    pub(super) folds: Vec<Fold>,
    /// Shared cells, with their values after each step, by the steps at which they change.
    pub(super) cells: Vec<Cell>,
}

/// What a thread did in one line without anybody else in between.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Step {
    /// The thread, by its place in `Run::threads`.
    pub(super) thread: usize,
    /// File of the line; empty when unknown.
    pub(super) file: String,
    /// The line, from 1; 0 when unknown.
    pub(super) line: u32,
    /// Its text.
    pub(super) text: String,
    /// What was done there.
    pub(super) effects: Vec<Effect>,
    /// Locks that the thread holds afterwards.
    pub(super) holds: Vec<String>,
}

/// What kind of thing is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Kind {
    /// Memory is read.
    Read,
    /// Memory is written.
    Write,
    /// A lock is taken.
    Lock,
    /// A lock is given back.
    Unlock,
    /// Something that has no arrows.
    #[default]
    Other,
}

/// A part of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// Its kind.
    pub(super) kind: Kind,
    /// What it does, in a word or two: `reads`, `takes`.
    pub(super) verb: String,
    /// What it does it to.
    pub(super) object: String,
    /// The value read or written; empty where there is none to tell.
    pub(super) value: String,
    /// Of a read: the step whose write it saw.
    pub(super) from: Option<usize>,
    /// Of a read: the step of another thread that made it out of date before the reader was done.
    pub(super) stale: Option<usize>,
}

/// Rounds that are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fold {
    /// The first step.
    pub(super) first: usize,
    /// How many steps.
    pub(super) steps: usize,
    /// How many rounds.
    pub(super) rounds: usize,
}

/// A shared cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cell {
    /// Its name.
    pub(super) name: String,
    /// The steps after which it has a new value, and the value; in order.
    pub(super) values: Vec<(usize, String)>,
    /// It is a lock, and its values are names of threads.
    pub(super) lock: bool,
}

impl Run {
    /// The run of a counterexample.
    pub(super) fn of(t: &Trace) -> Run {
        let entry = RunEntry::from(t);
        let texts: BTreeMap<(&str, u32), &str> =
            t.steps.iter().map(|s| ((s.file.as_str(), s.line), s.statement.as_str())).collect();
        let mut b = Builder::of(&entry);
        let mut before: Option<&RunStep> = None;
        for s in entry.steps.iter() {
            let goes_on = before.is_some_and(|p| {
                (p.thread, &p.file, p.line, &p.calls) == (s.thread, &s.file, s.line, &s.calls)
                    && p.does != "create"
                    && !(p.does == "write" && !p.model && s.does == "read" && p.column >= s.column && !s.held)
            });
            b.add(s, goes_on);
            before = Some(s);
        }
        let mut run = b.run;
        for s in &mut run.steps {
            s.text = texts.get(&(s.file.as_str(), s.line)).map_or(String::new(), |x| x.to_string());
        }
        run.threads.clone_from(&entry.threads);
        run.folds = folds(&run.steps);
        run
    }
}

/// The cells that are locks: each value written to one is 0 or the handle of the writer, one more than its number.
fn locks(steps: &[RunStep]) -> BTreeSet<(String, String)> {
    let mut maybe: BTreeMap<(String, String), bool> = BTreeMap::new();
    for s in steps.iter().filter(|s| s.model && s.does == "write") {
        let own = i128::from(s.thread) + 1;
        let fits = s.value == Some(0) || s.value == Some(own);
        *maybe.entry((s.object.clone(), s.cell.clone())).or_insert(true) &= fits;
    }
    maybe.into_iter().filter(|x| x.1).map(|x| x.0).collect()
}

struct Builder<'r> {
    entry: &'r RunEntry,
    locks: BTreeSet<(String, String)>,
    /// By cell: the step of its last write.
    last: BTreeMap<String, (usize, u32)>,
    /// By thread and cell: the step of its last read, and which of the step's effects it is.
    seen: BTreeMap<(u32, String), (usize, usize)>,
    /// By thread: locks, in the order in which they were taken.
    held: BTreeMap<u32, Vec<String>>,
    /// What comes next begins a step.
    fresh: bool,
    run: Run,
}

impl<'r> Builder<'r> {
    fn of(entry: &'r RunEntry) -> Builder<'r> {
        Builder {
            entry,
            locks: locks(&entry.steps),
            last: BTreeMap::new(),
            seen: BTreeMap::new(),
            held: BTreeMap::new(),
            fresh: true,
            run: Run::default(),
        }
    }

    /// A step of which there is nothing to show is none of the page's.
    fn add(&mut self, s: &RunStep, goes_on: bool) {
        self.fresh |= !goes_on;
        let at = self.run.steps.len() - usize::from(!self.fresh);
        let effect = self.effect(s, at);
        if let (true, Some(_)) = (self.fresh, &effect) {
            let (file, line) = (s.file.clone(), s.line);
            self.run.steps.push(Step { thread: s.thread as usize, file, line, ..Step::default() });
            self.fresh = false;
        }
        let holds = self.held.get(&s.thread).cloned().unwrap_or_default();
        if let Some(step) = self.run.steps.get_mut(at) {
            step.holds = holds;
            step.effects.extend(effect);
        }
    }

    /// A thread writes a cell: what it read there before is out of date if another thread has written since.
    fn outdated(&mut self, thread: u32, object: &str) {
        let Some((step, effect)) = self.seen.remove(&(thread, object.to_string())) else { return };
        let other = self.last.get(object).filter(|(at, writer)| *writer != thread && *at > step).map(|x| x.0);
        if let Some(e) = self.run.steps.get_mut(step).and_then(|s| s.effects.get_mut(effect)) {
            e.stale = other;
        }
    }

    fn effect(&mut self, s: &RunStep, at: usize) -> Option<Effect> {
        let object = format!("{}{}", s.object, s.cell);
        let value = s.value.map_or(String::new(), |v| v.to_string());
        let thread = |v: Option<i128>| {
            let i = v.and_then(|v| usize::try_from(v).ok());
            i.and_then(|i| self.entry.threads.get(i)).cloned().unwrap_or_default()
        };
        let plain = |verb: &str| Effect {
            verb: verb.into(),
            object: object.clone(),
            value: value.clone(),
            ..Effect::default()
        };
        Some(match s.does.as_str() {
            "read" if s.model => return None,
            "read" => {
                let from = self.last.get(&object).map(|x| x.0);
                let number = self.run.steps.get(at).map_or(0, |s| s.effects.len());
                self.seen.insert((s.thread, object.clone()), (at, number));
                Effect { kind: Kind::Read, from, ..plain("reads") }
            }
            "write" if s.model && self.locks.contains(&(s.object.clone(), s.cell.clone())) => {
                let held = self.held.entry(s.thread).or_default();
                let taken = s.value != Some(0);
                match taken {
                    true => held.push(object.clone()),
                    false => held.retain(|h| *h != object),
                }
                let holder = if taken { self.entry.threads.get(s.thread as usize).cloned() } else { None };
                self.keep(&object, at, holder.unwrap_or_default(), true);
                let kind = if taken { Kind::Lock } else { Kind::Unlock };
                let verb = if taken { "takes" } else { "gives back" };
                Effect { kind, value: String::new(), ..plain(verb) }
            }
            "write" => {
                self.keep(&object, at, value.clone(), false);
                self.outdated(s.thread, &object);
                self.last.insert(object.clone(), (at, s.thread));
                let verb = if s.model { "sets" } else { "writes" };
                Effect { kind: Kind::Write, ..plain(verb) }
            }
            "first" => {
                self.keep(&object, at, value.clone(), false);
                return None;
            }
            "input" => plain("takes the input"),
            "create" => Effect { object: thread(s.value), value: String::new(), ..plain("creates") },
            "join" => Effect { object: thread(s.value), value: String::new(), ..plain("joins") },
            "signal" => plain("runs the handler of signal"),
            "exit" => plain("ends"),
            "halt" => plain("ends the program"),
            _ => return None,
        })
    }

    fn keep(&mut self, name: &str, at: usize, value: String, lock: bool) {
        let cells = &mut self.run.cells;
        let cell = match cells.iter_mut().position(|c| c.name == name) {
            Some(i) => &mut cells[i],
            None => {
                cells.push(Cell { name: name.into(), values: Vec::new(), lock });
                let last = cells.len() - 1;
                &mut cells[last]
            }
        };
        cell.values.push((at, value));
    }
}

/// Steps of a round at most.
const PERIOD: usize = 12;

/// Rounds in the middle of three or more that do the same in the same lines.
fn folds(steps: &[Step]) -> Vec<Fold> {
    let key = |s: &Step| {
        (
            s.thread,
            s.file.clone(),
            s.line,
            s.effects.iter().map(|e| (e.kind, e.object.clone())).collect::<Vec<_>>(),
        )
    };
    let keys: Vec<_> = steps.iter().map(key).collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < keys.len() {
        let rounds = |p: &usize| {
            (1..)
                .take_while(|k| {
                    let (a, b) = (i + (k - 1) * p, i + k * p);
                    keys.get(b..b + p).is_some_and(|next| keys.get(a..a + p) == Some(next))
                })
                .count()
                + 1
        };
        match (1..=PERIOD).map(|p| (p, rounds(&p))).find(|x| x.1 >= 4) {
            Some((p, n)) => {
                out.push(Fold { first: i + p, steps: (n - 2) * p, rounds: n - 2 });
                i += n * p;
            }
            None => i += 1,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: u32, does: &str, object: &str, value: i128, line: u32) -> RunStep {
        let model = object == "m";
        RunStep {
            thread,
            does: does.into(),
            object: object.into(),
            value: Some(value),
            model,
            line,
            ..RunStep::default()
        }
    }

    fn run(steps: Vec<RunStep>) -> Run {
        let threads = vec!["main".to_string(), "t1".into(), "t2".into()];
        let entry = RunEntry { threads, steps, ..RunEntry::default() };
        let mut b = Builder::of(&entry);
        entry.steps.iter().for_each(|s| b.add(s, false));
        b.run
    }

    #[test]
    fn reads_know_whose_write_they_see() {
        let r =
            run(vec![step(1, "read", "n", 0, 3), step(2, "write", "n", 1, 4), step(1, "read", "n", 1, 5)]);
        let from: Vec<_> = r.steps.iter().flat_map(|s| &s.effects).map(|e| e.from).collect();
        assert_eq!(from, [None, None, Some(1)]);
        assert_eq!(r.cells, [Cell { name: "n".into(), values: vec![(1, "1".into())], lock: false }]);
    }

    #[test]
    fn a_read_is_out_of_date_once_another_thread_has_written() {
        let both = [step(1, "read", "n", 0, 3), step(2, "read", "n", 0, 3), step(1, "write", "n", 1, 3)];
        let r = run(both.into_iter().chain([step(2, "write", "n", 1, 3)]).collect());
        let stale: Vec<_> = r.steps.iter().flat_map(|s| &s.effects).map(|e| e.stale).collect();
        assert_eq!(stale, [None, Some(2), None, None]);
    }

    #[test]
    fn steps_with_nothing_to_show_have_no_number() {
        let hidden = || RunStep { model: true, ..step(1, "read", "q", 0, 2) };
        let steps = vec![hidden(), step(2, "write", "n", 1, 4), hidden(), step(1, "read", "n", 1, 5)];
        let r = run(steps);
        assert_eq!(r.steps.iter().map(|s| s.line).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(r.steps[1].effects[0].from, Some(0));
        assert_eq!(r.cells[0].values, [(0, "1".to_string())]);
    }

    #[test]
    fn a_lock_is_what_holds_its_owner() {
        let r =
            run(vec![step(1, "write", "m", 2, 3), step(1, "write", "n", 5, 4), step(1, "write", "m", 0, 5)]);
        let holds: Vec<usize> = r.steps.iter().map(|s| s.holds.len()).collect();
        assert_eq!(holds, [1, 1, 0]);
        assert_eq!(r.cells[0].values, [(0, "t1".to_string()), (2, String::new())]);
        let r = run(vec![step(1, "write", "m", 7, 3)]);
        assert_eq!((r.steps[0].effects[0].kind, r.cells[0].lock), (Kind::Write, false));
    }

    #[test]
    fn rounds_are_folded() {
        let round = |k| vec![step(1, "read", "n", k, 3), step(1, "write", "n", k + 1, 4)];
        let r = run((0..6).flat_map(round).collect());
        assert_eq!(folds(&r.steps), [Fold { first: 2, steps: 8, rounds: 4 }]);
        assert_eq!(folds(&r.steps[..6]), []);
    }
}
