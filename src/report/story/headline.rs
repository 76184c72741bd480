//! What happened, in a sentence: from what was violated, and from which write each read saw.

use super::{Does, Effect, Step, Story};
use relyant_cfa::{Use, Violated};
use relyant_interp::{RacingAccess, Trace};

/// The sentence.
pub fn of(story: &Story, t: &Trace) -> String {
    let it = Run { story, fails: t.thread as usize, line: t.place.1 };
    let found = match &t.violation {
        Violated::Deadlock => it.deadlock(),
        Violated::Race(_) => race(story, t),
        Violated::DoubleFree => it.freed("freed it again"),
        Violated::Gone => it.freed("used it"),
        Violated::Leak { line } => {
            Some(format!("the block made in line {line} is lost: nobody gives it back"))
        }
        Violated::Exclusive(label) => Some(format!("two threads are at {label} at once")),
        Violated::SignedOverflow => it.because("leaves the range of its type"),
        Violated::DivisionByZero => it.because("divides by 0"),
        Violated::Null => it.because("goes through a null pointer"),
        Violated::Outside => it.because("leaves its object"),
        _ => it.values(),
    };
    found.unwrap_or_else(|| it.plain(&t.violation))
}

struct Run<'s> {
    story: &'s Story,
    /// The thread that comes to the violation.
    fails: usize,
    /// Line of the violation.
    line: u32,
}

/// An effect and where it is.
type Found<'s> = (usize, &'s Step, &'s Effect);

impl<'s> Run<'s> {
    fn name(&self, thread: usize) -> &'s str {
        self.story.name(thread)
    }

    fn effects(&self) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        let steps = self.story.steps.iter().enumerate();
        steps.flat_map(|(i, s)| s.effects.iter().map(move |e| (i, s, e)))
    }

    fn writes(&self, cell: usize) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        self.effects().filter(move |f| f.2.does == Does::Write && f.2.cell == cell)
    }

    fn reads(&self) -> impl DoubleEndedIterator<Item = Found<'s>> {
        self.effects().filter(|f| f.2.does == Does::Read && !f.2.own)
    }

    /// What led to a wrong value.
    fn values(&self) -> Option<String> {
        self.aba()
            .or_else(|| self.lost())
            .or_else(|| self.torn())
            .or_else(|| self.outdated())
            .or_else(|| self.last())
    }

    /// A violation that is an operation: with what the thread had read.
    fn because(&self, does: &str) -> Option<String> {
        let what = format!("{} {does} (line {})", self.name(self.fails), self.line);
        Some(self.values().map_or_else(|| what.clone(), |why| format!("{what}: {why}")))
    }

    fn plain(&self, violated: &Violated) -> String {
        format!("{} comes to: {violated} (line {})", self.name(self.fails), self.line)
    }

    /// A thread wrote over a write that it had not seen.
    fn lost(&self) -> Option<String> {
        let (i, mine, read) = self.reads().rev().find(|(i, s, e)| {
            let later = |w: &Found<'_>| w.1.thread == s.thread && w.0 > *i;
            e.stale.is_some() && self.writes(e.cell).any(|w| later(&w))
        })?;
        let between = read.stale?;
        let other = self.story.steps.get(between)?;
        let over = self.writes(read.cell).find(|w| w.1.thread == mine.thread && w.0 > between)?;
        let theirs = self.writes(read.cell).rfind(|w| w.0 == between)?;
        let (a, b) = (self.name(mine.thread), self.name(other.thread));
        let (object, value) = (&read.object, &read.value);
        let first = self.reads().rev().find(|r| {
            r.1.thread == other.thread && r.2.cell == read.cell && r.0 <= between && r.2.from == read.from
        });
        let unseen = !self.writes(read.cell).any(|w| w.1.thread == other.thread && w.0 < between && w.0 > i);
        Some(match first {
            Some(f) if unseen => {
                let wrote = match theirs.2.value == over.2.value {
                    true => over.2.value.clone(),
                    false => "it".to_string(),
                };
                let lines = lines(mine.line, f.1.line);
                // Whoever was first is named first.
                let (x, y) = if f.0 < i { (b, a) } else { (a, b) };
                format!("{x} and {y} both read {object} = {value} before either wrote {wrote} ({lines})")
            }
            _ => format!(
                "{a} read {object} = {value} (line {}), {b} wrote {} (line {}), and {a} wrote {} over it (line {})",
                mine.line, theirs.2.value, other.line, over.2.value, over.1.line
            ),
        })
    }

    /// A value went away and came back between two reads of a thread, the second of which is part of an update.
    fn aba(&self) -> Option<String> {
        let (k, again, second) = self.reads().rev().find(|(k, s, e)| {
            self.writes(e.cell).any(|w| w.0 == *k) && self.before(*k, s.thread, e).is_some()
        })?;
        let (i, first, _) = self.before(k, again.thread, second)?;
        let between = self.writes(second.cell).filter(|w| w.0 > i && w.0 < k);
        let away = between.clone().find(|w| w.1.thread != again.thread && w.2.value != second.value)?;
        let back = between.clone().rfind(|w| w.2.value == second.value && w.0 > away.0)?;
        let (a, b) = (self.name(again.thread), self.name(back.1.thread));
        let (object, value) = (&second.object, &second.value);
        Some(format!(
            "{a} read {object} = {value} (line {}), {b} made it {} and then {value} again, {a} took it for unchanged (line {})",
            first.line, away.2.value, again.line
        ))
    }

    /// The read of a cell that a thread did before, with the value that it reads again, and a write that it did not see.
    fn before(&self, k: usize, thread: usize, e: &Effect) -> Option<Found<'s>> {
        let mine = |r: &Found<'_>| r.1.thread == thread && r.2.cell == e.cell && r.0 < k;
        let first = self.reads().rev().find(mine)?;
        let away = |w: &Found<'_>| w.0 > first.0 && w.0 < k && w.1.thread != thread && w.2.value != e.value;
        (first.2.value == e.value && first.2.from != e.from && self.writes(e.cell).any(|w| away(&w)))
            .then_some(first)
    }

    /// The thread that fails read one cell before and another one after somebody wrote both.
    fn torn(&self) -> Option<String> {
        let mine = || self.reads().rev().filter(|r| r.1.thread == self.fails);
        for (i2, s2, new) in mine() {
            let Some(from) = new.from.filter(|f| self.story.steps[*f].thread != self.fails) else { continue };
            let writer = self.story.steps[from].thread;
            let old = mine().find(|(i1, _, e)| {
                let by =
                    |w: &Found<'_>| w.1.thread == writer && w.0 > *i1 && w.0 < i2 && w.2.before != w.2.value;
                *i1 < from.min(i2)
                    && e.cell != new.cell
                    && e.stale.is_some()
                    && self.writes(e.cell).any(|w| by(&w))
            });
            if let Some((_, s1, old)) = old {
                let (a, b) = (self.name(self.fails), self.name(writer));
                return Some(format!(
                    "{a} read {} = {} ({}) before and {} = {} after {b} wrote both",
                    old.object,
                    old.value,
                    lines(s1.line, s2.line),
                    new.object,
                    new.value
                ));
            }
        }
        None
    }

    /// The thread that fails relied on a value that was no longer there.
    fn outdated(&self) -> Option<String> {
        let (_, s, e) = self.reads().rev().find(|r| r.1.thread == self.fails && r.2.stale.is_some())?;
        let other = self.story.steps.get(e.stale?)?;
        let wrote = self.writes(e.cell).rfind(|w| w.0 == e.stale.unwrap_or_default())?;
        let (a, b) = (self.name(self.fails), self.name(other.thread));
        Some(format!(
            "{a} read {} = {} (line {}), and {b} made it {} (line {}) before {a} was done",
            e.object, e.value, s.line, wrote.2.value, other.line
        ))
    }

    /// What the thread that fails read last.
    fn last(&self) -> Option<String> {
        let (i, _, _) = self.reads().rev().find(|r| r.1.thread == self.fails)?;
        let a = self.name(self.fails);
        let mut parts: Vec<String> = Vec::new();
        let (mut seen, mut early) = (Vec::new(), true);
        for (_, s, e) in self.reads().filter(|r| r.0 == i) {
            if seen.contains(&e.cell) {
                continue;
            }
            seen.push(e.cell);
            early &= e.from.is_none();
            let line = if parts.is_empty() { format!(" (line {})", s.line) } else { String::new() };
            let writer = e.from.and_then(|f| self.story.steps.get(f)).filter(|w| w.thread != self.fails);
            let wrote = writer.map_or(String::new(), |w| {
                format!(", which {} wrote (line {})", self.name(w.thread), w.line)
            });
            parts.push(format!("{} = {}{line}{wrote}", e.object, e.value));
        }
        // Threads that write it are still to come.
        let before = if early { " before any thread wrote it" } else { "" };
        Some(format!("{a} read {}{before}", parts.join(" and ")))
    }

    /// Memory that was given back is used.
    fn freed(&self, again: &str) -> Option<String> {
        let look = |f: &Found<'_>| f.2.does == Does::Look && f.1.thread == self.fails && f.2.from.is_some();
        let (_, _, e) = self.effects().rev().find(look)?;
        let by = self.story.steps.get(e.from?)?;
        let (a, b) = (self.name(self.fails), self.name(by.thread));
        Some(match by.thread == self.fails {
            true => {
                format!("{a} freed {} (line {}) and then {again} (line {})", e.object, by.line, self.line)
            }
            false => {
                format!("{b} freed {} (line {}), then {a} {again} (line {})", e.object, by.line, self.line)
            }
        })
    }

    fn deadlock(&self) -> Option<String> {
        self.cycle().or_else(|| self.missed()).or_else(|| self.waits())
    }

    /// Threads that wait for locks of each other.
    fn cycle(&self) -> Option<String> {
        let waits = &self.story.waits;
        for first in waits {
            let mut round = vec![first];
            while let Some(next) = round.last().and_then(|w| waits.iter().find(|x| Some(x.thread) == w.whom))
            {
                if next.thread == first.thread {
                    let part = |w: &&super::Wait| {
                        let a = self.name(w.thread);
                        // What the one before waits for.
                        let held = round.iter().find(|x| x.whom == Some(w.thread)).map_or("", |x| &x.lock);
                        match held {
                            "" => format!("{a} waits for {} (line {})", w.what, w.line),
                            _ if held == w.lock => {
                                format!("{a} holds {held} and waits for it again (line {})", w.line)
                            }
                            _ if w.lock.is_empty() => {
                                format!("{a} holds {held} and waits for {} (line {})", w.what, w.line)
                            }
                            _ => format!("{a} holds {held} and waits for {} (line {})", w.lock, w.line),
                        }
                    };
                    let parts: Vec<String> = round.iter().map(part).collect();
                    return Some(parts.join(", "));
                }
                if round.iter().any(|w| w.thread == next.thread) {
                    break;
                }
                round.push(next);
            }
        }
        None
    }

    /// A signal that came before the wait.
    fn missed(&self) -> Option<String> {
        let wait =
            |f: &Found<'_>| f.2.does == Does::Wait && self.story.waits.iter().any(|w| w.thread == f.1.thread);
        let (i, s, e) = self.effects().rev().find(wait)?;
        let lost = |f: &Found<'_>| f.2.does == Does::SignalNobody && f.2.object == e.object && f.0 < i;
        let (a, object) = (self.name(s.thread), &e.object);
        Some(match self.effects().rev().find(lost) {
            Some((_, b, _)) => format!(
                "{} signalled {object} (line {}) before {a} waited for it (line {})",
                self.name(b.thread),
                b.line,
                s.line
            ),
            None => format!("{a} waits for {object} (line {}), and nobody signals it any more", s.line),
        })
    }

    fn waits(&self) -> Option<String> {
        let parts: Vec<String> = self
            .story
            .waits
            .iter()
            .map(|w| {
                let ended = w.whom.filter(|h| self.story.threads.get(*h).is_some_and(|t| t.ended.is_some()));
                let ended = if ended.is_some() { " though it has ended" } else { "" };
                format!("{} waits for {}{ended} (line {})", self.name(w.thread), w.what, w.line)
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Two accesses that nothing orders.
fn race(story: &Story, t: &Trace) -> Option<String> {
    let [mine, other] = t.accesses.as_slice() else { return None };
    let name = |a: &RacingAccess| {
        let i = t.threads.iter().position(|n| *n == a.thread_name);
        i.map_or_else(|| a.thread_name.clone(), |i| story.name(i).to_string())
    };
    let does = |a: &RacingAccess| match a.access {
        Use::Access => "accesses",
        Use::Free => "frees",
        Use::Read => "reads",
        Use::Write => "writes",
    };
    let object =
        [other, mine].into_iter().map(|a| a.object.as_str()).find(|o| !o.is_empty()).unwrap_or("memory");
    let held = |a: &RacingAccess| match a.locks.as_slice() {
        [] => format!("{} holds no lock", name(a)),
        l => format!("{} holds {}", name(a), l.join(", ")),
    };
    let locks = match (other.locks.is_empty(), mine.locks.is_empty()) {
        (true, true) => "no lock is held".to_string(),
        _ => format!("{}, {}", held(other), held(mine)),
    };
    Some(format!(
        "{} {} {object} (line {}) and {} {} it (line {}), and nothing orders them: {locks}",
        name(other),
        does(other),
        other.line,
        name(mine),
        does(mine),
        mine.line
    ))
}

fn lines(a: u32, b: u32) -> String {
    match a == b {
        true => format!("line {a}"),
        false => format!("lines {} and {}", a.min(b), a.max(b)),
    }
}
