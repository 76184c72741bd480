//! What happened, in a sentence: from what was violated, and from which write each read saw.
//!
//! A sentence says what is certain of this run: who read, wrote, took or gave back what, in which order. Of reads it looks at
//! those only that the violation depends on ([`relyant_interp::uses`]).

use super::reads::{Known, Place};
use super::{Does, Effect, Step, Story, stuck, values};
use relyant_cfa::{Use, Violated};
use relyant_interp::{PointerEnd, RacingAccess, Trace};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The sentence. A line without a file is one of the file of the violation; where another file is named, all are.
pub(super) fn of(story: &Story, known: &Known<'_>, t: &Trace) -> String {
    let run = Run {
        story,
        known,
        fails: t.thread as usize,
        file: &t.place.0,
        line: t.place.1,
        names_all: false,
        elsewhere: Cell::new(false),
    };
    let sentence = sentence(&run, t);
    match run.elsewhere.get() {
        true => self::sentence(&Run { names_all: true, ..run }, t),
        false => sentence,
    }
}

fn sentence(run: &Run<'_>, t: &Trace) -> String {
    let what = run.what(t);
    match &t.violation {
        Violated::Deadlock => stuck::sentence(run).unwrap_or(what),
        Violated::Race(_) => race(run, t).unwrap_or(what),
        Violated::DoubleFree => run.freed("freed it again").unwrap_or(what),
        Violated::Gone => run.freed("used it").unwrap_or(what),
        Violated::Leak { .. } => lost(run, t).unwrap_or(what),
        Violated::Exclusive(_) | Violated::End => what,
        Violated::Assertion | Violated::Call(_) | Violated::Label(_) => values::cause(run).unwrap_or(what),
        _ => values::cause(run).map_or(what.clone(), |why| format!("{what}: {why}")),
    }
}

/// The run that a sentence is about.
pub(super) struct Run<'s> {
    pub(super) story: &'s Story,
    pub(super) known: &'s Known<'s>,
    /// The thread that comes to the violation.
    pub(super) fails: usize,
    /// Where that is.
    file: &'s str,
    line: u32,
    /// Each place has the name of its file.
    names_all: bool,
    /// A place in another file was named.
    elsewhere: Cell<bool>,
}

/// An effect, and where it is.
#[derive(Clone, Copy)]
pub(super) struct Found<'s> {
    /// Number of the step, place in it.
    pub(super) at: Place,
    pub(super) step: &'s Step,
    pub(super) effect: &'s Effect,
}

impl<'s> Run<'s> {
    /// Name of a thread.
    pub(super) fn name(&self, thread: usize) -> &'s str {
        self.story.name(thread)
    }

    pub(super) fn effects(&self) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        let steps = self.story.steps.iter().enumerate();
        steps.flat_map(|(i, step)| {
            step.effects.iter().enumerate().map(move |(k, effect)| Found { at: (i, k), step, effect })
        })
    }

    /// The writes of a cell.
    pub(super) fn writes(&self, cell: usize) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        self.effects().filter(move |f| f.effect.does == Does::Write && f.effect.cell == cell)
    }

    /// The reads of memory that others may access.
    pub(super) fn reads(&self) -> impl DoubleEndedIterator<Item = Found<'s>> + Clone {
        self.effects().filter(|f| f.effect.does == Does::Read && !f.effect.own)
    }

    /// `line 7`, with its file where that is not the one of the violation.
    pub(super) fn place(&self, file: &str, line: u32) -> String {
        self.elsewhere.set(self.elsewhere.get() || file != self.file && !file.is_empty());
        place_in_words(file, line, if self.names_all { "" } else { self.file })
    }

    /// Where a step is.
    pub(super) fn at(&self, s: &Step) -> String {
        self.place(&s.file, s.line)
    }

    /// Where two steps are.
    pub(super) fn both(&self, a: &Step, b: &Step) -> String {
        match (
            (&a.file, a.line) == (&b.file, b.line),
            !self.names_all && a.file == self.file && b.file == self.file,
        ) {
            (true, _) => self.at(a),
            (false, true) => format!("lines {} and {}", a.line.min(b.line), a.line.max(b.line)),
            (false, false) => format!("{} and {}", self.at(a), self.at(b)),
        }
    }

    /// Where the violation is; nothing where that is not known.
    fn here(&self) -> String {
        if self.line > 0 { format!(" ({})", self.place(self.file, self.line)) } else { String::new() }
    }

    /// What is violated.
    fn what(&self, t: &Trace) -> String {
        let a = self.name(self.fails);
        let does = match &t.violation {
            Violated::Assertion => format!("an assertion of {a} does not hold"),
            Violated::Call(name) => format!("{a} calls {name}"),
            Violated::Label(name) => format!("{a} comes to label {name}"),
            Violated::Exclusive(label) => format!("two threads are at {label} at once"),
            Violated::Deadlock => return "no thread can go on".to_string(),
            Violated::SignedOverflow => format!("{a} computes a value that its type does not have"),
            Violated::DivisionByZero => format!("{a} divides by 0"),
            Violated::Shift => format!("{a} shifts by less than 0, or by the width or more"),
            Violated::Null => format!("{a} goes through a null pointer"),
            Violated::Gone => format!("{a} uses an object that is gone"),
            Violated::Outside => format!("{a} accesses memory outside of any object"),
            Violated::WriteToLiteral => format!("{a} writes to a string literal"),
            Violated::WriteToConst => format!("{a} writes to what is defined const"),
            Violated::DoubleFree => format!("{a} frees a block twice"),
            Violated::FreeOfNoBlock => format!("{a} frees what is no block of dynamic memory"),
            Violated::Leak { line } => {
                let at = self.made(*line, t);
                return format!("the block made in {at} is lost: nobody gives it back");
            }
            Violated::Race(race) => format!("{a} is in a {race}"),
            Violated::End => format!("{a} comes to its end"),
        };
        does + &self.here()
    }

    /// The line of a call that made a block, of which the run tells the file.
    fn made(&self, line: u32, t: &Trace) -> String {
        let files: BTreeSet<&str> =
            t.steps.iter().filter(|s| s.line == line).map(|s| s.file.as_str()).collect();
        match files.into_iter().collect::<Vec<_>>()[..] {
            [file] => self.place(file, line),
            _ => format!("line {line}"),
        }
    }

    /// Memory that was given back is used.
    fn freed(&self, again: &str) -> Option<String> {
        let look = |f: &Found<'_>| {
            f.effect.does == Does::Look && f.step.thread == self.fails && f.effect.value == "freed"
        };
        let e = self.effects().rev().find(look)?.effect;
        let by = self.story.steps.get(e.from?)?;
        let (a, b) = (self.name(self.fails), self.name(by.thread));
        let (at, here) = (self.at(by), self.here());
        Some(match by.thread == self.fails {
            true => format!("{a} freed {} ({at}) and then {again}{here}", e.object),
            false => format!("{b} freed {} ({at}), then {a} {again}{here}", e.object),
        })
    }
}

/// A block that nobody can give back any more: who made it, and how the last pointer to it went.
fn lost(run: &Run<'_>, t: &Trace) -> Option<String> {
    let lost = run.story.lost.as_ref()?;
    let step = run.story.steps.get(lost.made)?;
    let (block, maker, made) = (&lost.block, run.name(step.thread), run.at(step));
    let more = match t.lost.as_ref().map_or(0, |l| l.more) {
        0 => String::new(),
        n => format!(" (and {n} more of that line)"),
    };
    let why = match t.lost.as_ref().and_then(|l| l.gone.as_ref()) {
        None => format!("nobody has freed it when {} returns{}", run.name(run.fails), run.here()),
        Some(gone) => {
            let f = t.facts.get(gone.fact)?;
            let file = t.files.get(f.span.file as usize).map_or("", String::as_str);
            let (thread, at) = (run.name(f.thread as usize), run.place(file, f.span.line));
            let how = match &gone.how {
                PointerEnd::Overwritten => format!("is overwritten by {thread} in {at}"),
                PointerEnd::Freed(with) => format!("is freed with {with} by {thread} in {at}"),
                PointerEnd::ThreadEnds => format!("is gone with the end of {thread}"),
                PointerEnd::Returns => format!("is gone as {thread} returns to {at}"),
            };
            format!("the last pointer to it, {}, {how}", gone.pointer)
        }
    };
    Some(format!("{block}, made by {maker} in {made}, is lost{more}: {why}"))
}

/// Two accesses that nothing orders.
fn race(run: &Run<'_>, t: &Trace) -> Option<String> {
    let [mine, other] = t.accesses.as_slice() else { return None };
    let name = |a: &RacingAccess| {
        let i = t.threads.iter().position(|n| *n == a.thread_name);
        i.map_or_else(|| a.thread_name.clone(), |i| run.name(i).to_string())
    };
    let access = |a: &RacingAccess| Access {
        thread: name(a),
        does: match a.access {
            Use::Access => "accesses",
            Use::Free => "frees",
            Use::Read => "reads",
            Use::Write => "writes",
        }
        .into(),
        object: a.object.clone(),
        at: run.place(&a.file, a.line),
        locks: a.locks.clone(),
    };
    Some(raced(&access(mine), &access(other)))
}

/// An access of a race, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Name of the thread.
    pub thread: String,
    /// `reads`, `writes`, `frees`.
    pub does: String,
    /// Name of the cell; empty when unknown.
    pub object: String,
    /// Where it is, see [`place_in_words`].
    pub at: String,
    /// Locks that the thread holds.
    pub locks: Vec<String>,
}

/// The sentence on two accesses that nothing orders; the violation is where the first one is.
pub fn raced(mine: &Access, other: &Access) -> String {
    let object =
        [other, mine].into_iter().map(|a| a.object.as_str()).find(|o| !o.is_empty()).unwrap_or("memory");
    let held = |a: &Access| match a.locks.as_slice() {
        [] => format!("{} holds no lock", a.thread),
        l => format!("{} holds {}", a.thread, l.join(", ")),
    };
    let locks = match (other.locks.is_empty(), mine.locks.is_empty()) {
        (true, true) => "no lock is held".to_string(),
        _ => format!("{}, {}", held(other), held(mine)),
    };
    format!(
        "{} {} {object} ({}) and {} {} it ({}), and nothing orders them: {locks}",
        other.thread, other.does, other.at, mine.thread, mine.does, mine.at
    )
}

/// `line 7`; `queue.h:7` of a line that is not in the file of the violation, or where that is empty.
pub fn place_in_words(file: &str, line: u32, violated: &str) -> String {
    match file == violated || file.is_empty() {
        true => format!("line {line}"),
        false => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
    }
}
