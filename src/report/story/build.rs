//! The steps of a run, made of the facts of its replay.

use super::reads::{self, Known, Place};
use super::{Actor, Does, Effect, LostBlock, Step, Story, fold, headline, waits};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{Shown, Violated};
use relyant_interp::Trace;
use relyant_interp::act::At;
use relyant_interp::fact::{Did, Fact, Touch};
use std::collections::BTreeMap;

impl From<&Trace> for Story {
    fn from(t: &Trace) -> Story {
        let mut b = Builder {
            trace: t,
            cells: BTreeMap::new(),
            held: BTreeMap::new(),
            places: BTreeMap::new(),
            fact: 0,
            row: Vec::new(),
        };
        let mut story = Story { threads: threads(t), ..Story::default() };
        let mut last: BTreeMap<u32, (u32, u32, usize)> = BTreeMap::new();
        let mut facts = t.facts.iter().peekable();
        let mut done = 0;
        while let Some(first) = facts.next() {
            let mut row = vec![first];
            while let Some(f) = facts.next_if(|f| goes_on(&row, f)) {
                row.push(f);
            }
            b.fact = done;
            done += row.len();
            let Some(step) = b.step(&row, story.steps.len(), &mut story.threads) else { continue };
            let here = (row.iter().map(|f| f.span.file).max().unwrap_or(0), step.line, step.depth);
            let thread = first.thread;
            let between = story.steps.last().is_some_and(|s: &Step| s.thread != step.thread);
            let continued = between && step.line > 0 && last.insert(thread, here) == Some(here);
            last.insert(thread, here);
            story.steps.push(Step { continued, ..step });
        }
        story.waits = waits::of(t);
        let known = Known::new(&t.uses, b.places);
        reads::mark(&mut story, &known, t.thread as usize, &t.violation);
        story.lost = lost(&story, t, &known);
        story.headline = headline::of(&story, &known, t);
        story.folds = fold::folds(&story.steps, &story.threads);
        story
    }
}

/// The block that is lost, by the steps of the story.
fn lost(story: &Story, t: &Trace, known: &Known<'_>) -> Option<LostBlock> {
    let Violated::Leak { line } = t.violation else { return None };
    let Some(lost) = &t.lost else { return only_block(story, line) };
    let (made, _) = known.place(lost.made?)?;
    let gone = lost.gone.as_ref();
    Some(LostBlock {
        block: lost.block.clone(),
        made,
        pointer: gone.map_or_else(String::new, |g| g.pointer.clone()),
        gone: gone.and_then(|g| known.place(g.fact)).map(|p| p.0),
    })
}

/// The only block that is made in a line and not given back, if that is so.
fn only_block(story: &Story, line: u32) -> Option<LostBlock> {
    let mut left: Vec<LostBlock> = Vec::new();
    for (i, s) in story.steps.iter().enumerate() {
        for e in &s.effects {
            match e.does {
                Does::Make if s.line == line => {
                    left.push(LostBlock { block: e.object.clone(), made: i, ..LostBlock::default() });
                }
                Does::Free => left.retain(|b| b.block != e.object),
                _ => {}
            }
        }
    }
    left.pop().filter(|_| left.is_empty())
}

/// Names of the threads: a handle's variable where it is one thread's only, else what the program writes where it joins the
/// thread.
fn threads(t: &Trace) -> Vec<Actor> {
    let count = t.threads.len();
    let stored = |i: usize| t.handles.get(i).cloned().flatten();
    let mut joins: BTreeMap<usize, Span> = BTreeMap::new();
    for f in &t.facts {
        if let Did::Join(n) = f.did {
            joins.entry(n as usize).or_insert(f.span);
        }
    }
    let joined = |i: usize| {
        let join = joins.get(&i)?;
        joined(t.texts.get(&(join.file, join.line))?).map(String::from)
    };
    let given = [(0..count).map(stored).collect::<Vec<_>>(), (0..count).map(joined).collect()];
    // Whose each name is; `None` for that of several.
    let mut owners: BTreeMap<&String, Option<usize>> = BTreeMap::new();
    for i in 0..count {
        for name in given.iter().filter_map(|g| g[i].as_ref()).chain([&t.threads[i]]) {
            let owner = owners.entry(name).or_insert(Some(i));
            *owner = owner.filter(|o| *o == i);
        }
    }
    let name = |(i, template): (usize, &String)| {
        let routine = t.routines[i].clone();
        let alone = |n: &&String| owners.get(*n) == Some(&Some(i));
        let name = given.iter().filter_map(|g| g[i].as_ref()).find(alone).unwrap_or(template).clone();
        Actor { name, routine, ..Actor::default() }
    };
    t.threads.iter().enumerate().map(name).collect()
}

/// The variable that is waited for in a line with one call that joins: nothing is computed in it.
fn joined(line: &str) -> Option<&str> {
    let mut calls = JOINS.iter().flat_map(|f| line.match_indices(f).map(|(at, _)| &line[at + f.len()..]));
    let rest = calls.next().filter(|_| calls.next().is_none())?;
    let argument = rest.trim_start().strip_prefix('(')?.split([',', ')']).next()?.trim();
    let name = |c: char| c.is_ascii_alphanumeric() || "_.->".contains(c);
    let plain =
        argument.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && argument.chars().all(name);
    plain.then_some(argument)
}

/// The functions that wait for the end of a thread.
const JOINS: [&str; 2] = ["pthread_join", "thrd_join"];

/// Is it the handle of the thread that has this name?
fn is_handle(threads: &[Actor], name: &str, value: &str) -> bool {
    let thread = value.parse().ok().and_then(|v: usize| threads.get(v.checked_sub(1).filter(|k| *k > 0)?));
    thread.is_some_and(|t| t.name == name)
}

/// Does a fact belong to the step that is being made?
fn goes_on(row: &[&Fact], f: &Fact) -> bool {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return false };
    let here = row.iter().rev().find(|r| r.span.line > 0).map_or(f.span, |r| r.span);
    let line = f.span.line == 0 || (f.span.line, f.span.file) == (here.line, here.file);
    // A loop's next round.
    let again = |r: &Fact| match (&r.did, &f.did) {
        (Did::Write(a), Did::Write(b)) => a.at == b.at && !a.model && r.span == f.span,
        (Did::Set(a, _), Did::Set(b, _)) => a == b && r.span == f.span,
        _ => false,
    };
    first.thread == f.thread
        && (f.did == Did::End && last.did != Did::End
            || line && last.depth == f.depth && last.did != Did::End)
        && !row.iter().any(|r| again(r))
}

struct Builder<'t> {
    trace: &'t Trace,
    /// Numbers of cells.
    cells: BTreeMap<At, usize>,
    /// Locks that threads hold.
    held: BTreeMap<u32, Vec<String>>,
    /// The facts that effects are made of.
    places: BTreeMap<Place, usize>,
    /// Number of the fact that comes next.
    fact: usize,
    /// The step that is being made: effects, and the facts that they are made of.
    row: Vec<(Effect, usize)>,
}

impl Builder<'_> {
    /// A step; `None`: one that there is nothing to say of.
    fn step(&mut self, row: &[&Fact], number: usize, threads: &mut [Actor]) -> Option<Step> {
        let span = row.iter().map(|f| f.span).find(|s| s.line > 0).unwrap_or_default();
        let thread = row[0].thread;
        self.row.clear();
        // The cells that are written as well: who reads one of them first updates it.
        let written: Vec<At> = row
            .iter()
            .filter_map(|f| match &f.did {
                Did::Write(t) => Some(t.at),
                _ => None,
            })
            .collect();
        for f in row {
            match &f.did {
                Did::Read(t) if is_handle(threads, &t.name, &t.is) => {}
                Did::Read(t) => self.read(t, written.contains(&t.at)),
                Did::Write(t) => self.write(thread, t, row),
                Did::Buffer(t) => {
                    let cell = self.cell(t.at);
                    let (object, value) = (t.name.clone(), t.is.clone());
                    self.add(Effect { does: Does::Buffer, object, value, cell, ..Effect::default() });
                }
                // Names that the language keeps for its own, as macros of its headers have them (C11 7.1.3).
                Did::Set(name, _) if name.starts_with("__") => {}
                // A thread's handle has the thread's own name.
                Did::Set(name, value) if is_handle(threads, name, value) => {}
                Did::Set(name, value) => {
                    self.add(Effect {
                        does: Does::Set,
                        object: name.clone(),
                        value: value.clone(),
                        own: true,
                        ..Effect::default()
                    });
                }
                Did::Input(source, value) => {
                    self.add(Effect {
                        does: Does::Input,
                        object: source.to_string(),
                        value: value.clone(),
                        ..Effect::default()
                    });
                }
                Did::Signal(n) => {
                    self.add(Effect { does: Does::Handle, value: n.to_string(), ..Effect::default() });
                }
                Did::Wakes => {
                    self.add(Effect { does: Does::WakeSpuriously, ..Effect::default() });
                }
                Did::TimesOut => {
                    self.row.retain(|e| e.0.does != Does::WakeSpuriously);
                    self.add(Effect { does: Does::TimeOut, ..Effect::default() });
                }
                Did::Create(n) => {
                    if let Some(t) = threads.get_mut(*n as usize) {
                        t.created = Some(number);
                    }
                    self.add(Effect { does: Does::Create, thread: Some(*n as usize), ..Effect::default() });
                }
                Did::Join(n) => {
                    self.add(Effect { does: Does::Join, thread: Some(*n as usize), ..Effect::default() })
                }
                Did::AboutTo(Some((object, write))) => {
                    let does = if *write { Does::AboutToWrite } else { Does::AboutToRead };
                    self.add(Effect { does, object: object.clone(), ..Effect::default() });
                }
                Did::AboutTo(None) => {
                    self.row.retain(|e| !matches!(e.0.does, Does::AboutToRead | Does::AboutToWrite))
                }
                Did::End => {
                    if let Some(t) = threads.get_mut(thread as usize) {
                        t.ended = Some(number);
                    }
                    self.add(Effect { does: Does::End, ..Effect::default() });
                }
                Did::Halt => self.add(Effect { does: Does::Halt, ..Effect::default() }),
            }
            self.fact += 1;
        }
        if self.row.is_empty() {
            return None;
        }
        let (file, text) = self.text(span);
        let (effects, facts): (Vec<Effect>, Vec<usize>) = self.row.drain(..).unzip();
        self.places.extend(facts.into_iter().enumerate().map(|(k, fact)| ((number, k), fact)));
        Some(Step {
            thread: thread as usize,
            file,
            line: span.line,
            column: span.column,
            text,
            continued: false,
            depth: row[0].depth,
            effects,
            holds: self.held.get(&thread).cloned().unwrap_or_default(),
        })
    }

    fn text(&self, span: relyant_cfa::diagnostic::Span) -> (String, String) {
        if span.line == 0 {
            return Default::default();
        }
        let file = self.trace.files.get(span.file as usize).cloned().unwrap_or_default();
        let text = self.trace.texts.get(&(span.file, span.line)).map_or("", String::as_str);
        // Whatever moves the cursor of a terminal.
        (file, text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
    }

    fn leaks(&self) -> bool {
        matches!(self.trace.violation, Violated::Leak { .. })
    }

    fn add(&mut self, e: Effect) {
        self.row.push((e, self.fact));
    }

    fn cell(&mut self, at: At) -> usize {
        let n = self.cells.len() + 1;
        *self.cells.entry(at).or_insert(n)
    }

    fn read(&mut self, t: &Touch, written: bool) {
        let cell = self.cell(t.at);
        let (object, value) = (t.name.clone(), t.is.clone());
        match t.shown {
            Shown::Waiting if t.after == 0 && !written => {
                self.add(Effect { does: Does::SignalNobody, object, cell, ..Effect::default() });
            }
            Shown::Freed => {
                let object = t.block.clone().unwrap_or(object);
                let value = if t.after == 0 { "live" } else { "freed" }.to_string();
                self.add(Effect { does: Does::Look, object, value, cell, ..Effect::default() });
            }
            _ if t.model => {}
            _ => self.add(Effect {
                does: Does::Read,
                object,
                value,
                own: !t.shared,
                cell,
                ..Effect::default()
            }),
        }
    }

    fn write(&mut self, thread: u32, t: &Touch, row: &[&Fact]) {
        let cell = self.cell(t.at);
        // It did not wait for long.
        let at_once =
            t.waited && self.row.last().is_some_and(|(e, _)| e.does == Does::Buffer && e.cell == cell);
        if at_once {
            self.row.pop();
        }
        let e = Effect {
            waited: t.waited && !at_once,
            object: t.name.clone(),
            value: t.is.clone(),
            before: t.was.clone(),
            cell,
            own: !t.shared,
            ..Effect::default()
        };
        let more = t.after > t.before;
        let me = i128::from(thread) + 1;
        let woken = || {
            row.iter().any(|f| matches!(&f.did, Did::Write(w) if w.shown == Shown::Woken && w.name == t.name))
        };
        let read = || row.iter().any(|f| matches!(&f.did, Did::Read(r) if r.at == t.at));
        let does = match t.shown {
            Shown::Owner if t.after == me && t.before != me => Does::Lock,
            Shown::Owner if t.before == me && t.after == 0 => Does::Unlock,
            Shown::Readers if more => Does::ShareLock,
            Shown::Readers if t.after < t.before => Does::ShareUnlock,
            Shown::Waiting if more => Does::Wait,
            Shown::Waiting if t.after < t.before && !woken() => Does::WakeSpuriously,
            Shown::Woken if more => Does::Signal,
            Shown::Woken if t.after < t.before => Does::Wake,
            Shown::Available if read() => {
                if more {
                    Does::Post
                } else {
                    Does::Take
                }
            }
            Shown::Available => Does::Write,
            // The last one begins a new round.
            Shown::Arrived if more || read() => Does::Arrive,
            Shown::Freed if more => Does::Free,
            Shown::Made | Shown::Freed if more != (t.shown == Shown::Freed) && self.leaks() => Does::Make,
            Shown::Plain | Shown::Pointer | Shown::Float(_) | Shown::Enumerators(_) if !t.model => {
                Does::Write
            }
            _ => return,
        };
        let held = self.held.entry(thread).or_default();
        match does {
            Does::Lock | Does::ShareLock => held.push(t.name.clone()),
            Does::Unlock | Does::ShareUnlock => {
                if let Some(i) = held.iter().rposition(|h| *h == t.name) {
                    held.remove(i);
                }
            }
            _ => {}
        }
        let object = match (&t.block, does) {
            (Some(b), Does::Free | Does::Make) => b.clone(),
            _ => e.object.clone(),
        };
        // Addresses that variables with static storage start with are stored before anything else.
        if !(t.first && does == Does::Write && !t.at.open) {
            self.add(Effect { does, object, ..e });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_name_their_threads() {
        assert_eq!(joined("pthread_join(first, 0);"), Some("first"));
        assert_eq!(joined("if (pthread_join (job->id, &r)) return;"), Some("job->id"));
        assert_eq!(joined("thrd_join(a, NULL); x = 1;"), Some("a"));
        for none in [
            "pthread_join(t[i], 0);",
            "pthread_join(f(x), 0);",
            "x = 1;",
            "pthread_join(a, 0), pthread_join(b, 0);",
        ] {
            assert_eq!(joined(none), None, "{none}");
        }
        let actor = |name: &str| Actor { name: name.into(), ..Actor::default() };
        let all = [actor("main"), actor("t")];
        assert!(is_handle(&all, "t", "2") && !is_handle(&all, "t", "3") && !is_handle(&all, "main", "1"));
    }
}
