//! How a wrong value came about: the patterns that are looked for, the most telling one first.

use super::headline::{Found, Run};
use super::reads::away;
use super::{Does, Effect};

/// At most this many reads are told.
const MOST: usize = 3;

/// What led to what the violation depends on.
pub(super) fn cause(run: &Run<'_>) -> Option<String> {
    [aba, lost, torn, outdated, again, last].into_iter().find_map(|pattern| pattern(run))
}

impl<'s> Run<'s> {
    /// The reads that decided the violation, in order.
    fn decided(&self) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        let decided = self.known.decided();
        self.reads().filter(move |f| decided.contains(&f.at))
    }

    /// Had the value of a cell at that time to do with the violation?
    fn matters(&self, cell: usize, since: usize) -> bool {
        self.decided().any(|f| f.effect.cell == cell && f.at.0 >= since)
    }
}

/// A value went away and came back between two reads of a thread, which compared both.
fn aba(run: &Run<'_>) -> Option<String> {
    let pairs = run.known.compared(run.story);
    pairs.into_iter().rev().find_map(|(a, b)| {
        let gone = away(run.story, a, b)?;
        let (first, second) = (&run.story.steps[a.0], &run.story.steps[b.0]);
        let read = run.story.effect(b);
        let left = run.writes(read.cell).find(|w| w.at.0 == gone)?;
        let back = run.writes(read.cell).rfind(|w| w.at.0 <= b.0 && w.step.thread != second.thread)?;
        if read.own || back.effect.value != read.value {
            return None;
        }
        let (me, other, again) =
            (run.name(first.thread), run.name(left.step.thread), run.name(back.step.thread));
        let by = if other == again { String::new() } else { format!("{again} made it ") };
        Some(format!(
            "{me} read {} = {} ({}), {other} made it {} and then {by}{} again, and {me} found it unchanged ({})",
            read.object,
            read.value,
            run.at(first),
            left.effect.value,
            read.value,
            run.at(second)
        ))
    })
}

/// A thread wrote over a write that it had not seen.
fn lost(run: &Run<'_>) -> Option<String> {
    run.reads().rev().filter(|r| r.effect.stale.is_some()).find_map(|r| {
        let between = r.effect.stale?;
        let other = run.story.steps.get(between)?;
        let over = run.writes(r.effect.cell).find(|w| w.step.thread == r.step.thread && w.at.0 > between)?;
        let theirs = run.writes(r.effect.cell).rfind(|w| w.at.0 == between)?;
        let takes_part = run.fails == r.step.thread || run.fails == other.thread;
        if !takes_part && !run.matters(r.effect.cell, over.at.0) {
            return None;
        }
        let (a, b) = (run.name(r.step.thread), run.name(other.thread));
        let (object, value) = (&r.effect.object, &r.effect.value);
        let theirs_first = run.reads().rev().find(|x| {
            let same = x.step.thread == other.thread && x.effect.cell == r.effect.cell;
            same && x.at.0 <= between && x.effect.from == r.effect.from
        });
        let since = |w: &Found<'_>| w.at.0 < between && w.at.0 > r.at.0;
        let first = theirs_first.filter(|_| !run.writes(r.effect.cell).any(|w| since(&w)));
        Some(match first {
            Some(f) => {
                let wrote =
                    if theirs.effect.value == over.effect.value { over.effect.value.as_str() } else { "it" };
                // Whoever was first is named first.
                let (x, y) = if f.at.0 < r.at.0 { (b, a) } else { (a, b) };
                let lines = run.both(r.step, f.step);
                format!("{x} and {y} both read {object} = {value} before either wrote {wrote} ({lines})")
            }
            None => format!(
                "{a} read {object} = {value} ({}), {b} wrote {} ({}), and {a} wrote {} over it ({})",
                run.at(r.step),
                theirs.effect.value,
                run.at(other),
                over.effect.value,
                run.at(over.step)
            ),
        })
    })
}

/// The thread that fails read one cell before and another one after somebody wrote both.
fn torn(run: &Run<'_>) -> Option<String> {
    run.decided().rev().find_map(|new| {
        let from = new.effect.from.filter(|f| run.story.steps[*f].thread != run.fails)?;
        let writer = run.story.steps[from].thread;
        let by = |w: &Found<'_>, old: &Found<'_>| {
            let changes = w.effect.before != w.effect.value;
            w.step.thread == writer && w.at.0 > old.at.0 && w.at.0 < new.at.0 && changes
        };
        let old = run.decided().rev().find(|old| {
            let other = old.effect.cell != new.effect.cell && old.effect.stale.is_some();
            let cell = old.effect.cell;
            other && old.at.0 < from.min(new.at.0) && run.writes(cell).any(|w| by(&w, old))
        })?;
        Some(format!(
            "{} read {} = {} before and {} = {} after {} wrote both ({})",
            run.name(run.fails),
            old.effect.object,
            old.effect.value,
            new.effect.object,
            new.effect.value,
            run.name(writer),
            run.both(old.step, new.step)
        ))
    })
}

/// The thread that fails relied on a value that was no longer there.
fn outdated(run: &Run<'_>) -> Option<String> {
    let r = run.decided().rev().find(|r| r.effect.stale.is_some())?;
    let between = r.effect.stale?;
    let other = run.story.steps.get(between)?;
    let wrote = run.writes(r.effect.cell).rfind(|w| w.at.0 == between)?;
    let (a, b) = (run.name(run.fails), run.name(other.thread));
    Some(format!(
        "{a} read {} = {} ({}), and {b} made it {} ({}) before {a} relied on it",
        r.effect.object,
        r.effect.value,
        run.at(r.step),
        wrote.effect.value,
        run.at(other)
    ))
}

/// The thread that fails had decided by one value, and then found another one.
fn again(run: &Run<'_>) -> Option<String> {
    run.decided().rev().find_map(|now| {
        let from = now.effect.from?;
        let other = run.story.steps.get(from).filter(|s| s.thread != run.fails)?;
        let before = |r: &Found<'_>| {
            r.step.thread == run.fails && r.effect.cell == now.effect.cell && r.at.0 < now.at.0
        };
        let first = run.reads().rev().find(before)?;
        let mine = |w: &Found<'_>| w.step.thread == run.fails && w.at > first.at && w.at < now.at;
        if run.writes(now.effect.cell).any(|w| mine(&w)) {
            return None;
        }
        let moved = (&first.step.file, first.step.line) != (&now.step.file, now.step.line);
        if !moved || first.effect.value == now.effect.value || !run.known.tested(first.at) {
            return None;
        }
        let (a, b) = (run.name(run.fails), run.name(other.thread));
        Some(format!(
            "{a} read {} = {} ({}), and {b} made it {} ({}) before {a} read it again ({})",
            first.effect.object,
            first.effect.value,
            run.at(first.step),
            now.effect.value,
            run.at(other),
            run.at(now.step)
        ))
    })
}

/// What the thread that fails read.
fn last(run: &Run<'_>) -> Option<String> {
    let mut seen: Vec<Found<'_>> = Vec::new();
    for r in run.decided().rev() {
        let mine = r.effect.from.is_some_and(|f| run.story.steps[f].thread == run.fails);
        if !mine && seen.len() < MOST && seen.iter().all(|s| s.effect.cell != r.effect.cell) {
            seen.push(r);
        }
    }
    seen.reverse();
    // Of reads of one line that saw what was there at the start, the place is told once.
    let joins = |i: usize| match (seen.get(i), seen.get(i + 1)) {
        (Some(a), Some(b)) => {
            let start = a.effect.from.is_none() && b.effect.from.is_none();
            start && (&a.step.file, a.step.line) == (&b.step.file, b.step.line)
        }
        _ => false,
    };
    let part = |(i, r): (usize, &Found<'_>)| {
        if joins(i) {
            return format!("{} = {}", r.effect.object, r.effect.value);
        }
        let same = i > 0
            && !joins(i - 1)
            && (&seen[i - 1].step.file, seen[i - 1].step.line) == (&r.step.file, r.step.line);
        let at = if same { String::new() } else { format!(" ({})", run.at(r.step)) };
        let wrote = match r.effect.from.and_then(|f| run.story.steps.get(f)) {
            Some(w) => format!(", which {} wrote ({})", run.name(w.thread), run.at(w)),
            None if run.story.threads.len() > 1 => ", which nobody had written".to_string(),
            None => String::new(),
        };
        format!("{} = {}{at}{wrote}", r.effect.object, r.effect.value)
    };
    let parts: Vec<String> = seen.iter().enumerate().map(part).collect();
    let first = seen.first()?;
    let woken =
        run.effects().rev().find(|f| f.step.thread == run.fails && f.at < first.at && ends_wait(f.effect));
    let woken = woken.map_or(String::new(), |f| {
        let how = if f.effect.does == Does::TimeOut { "timed out" } else { "woke without a signal" };
        format!("{how} ({}) and ", run.at(f.step))
    });
    Some(format!("{} {woken}read {}", run.name(run.fails), parts.join(" and ")))
}

/// Does a wait end there though nobody ended it?
fn ends_wait(e: &Effect) -> bool {
    matches!(e.does, Does::WakeSpuriously | Does::TimeOut)
}
