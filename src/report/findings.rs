//! What is shown of a violation in places: a sentence, where it is, what belongs to it, and the run that gets there. SARIF,
//! Markdown, JUnit and the language server say the same, in the words of the [story](super::story).

use super::json::{AccessEntry, Entry, PlaceEntry, TraceEntry};
use super::rules::{self, COVERED};
use super::story::{Access, Page, Step, place_in_words, raced, steps_as_text, told};
use anstream::adapter::strip_str;

/// Characters that a line of a run may have, as far as columns go: what a comment on a review has room for.
const WIDTH: usize = 100;

/// A place with something said about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    /// Where; line 0 is the whole file.
    pub at: PlaceEntry,
    /// What is said.
    pub message: String,
}

/// A violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding<'e> {
    /// The kind, see [`rules`].
    pub rule: &'e str,
    /// What happens, and where it does.
    pub said: Said,
    /// Places that belong to it: both accesses of a race, where threads wait, where they are created.
    pub related: Vec<Said>,
    /// The run that gets there, if there is one.
    pub trace: Option<&'e TraceEntry>,
}

/// A place.
pub fn place(file: &str, line: u32, column: u32) -> PlaceEntry {
    PlaceEntry { file: file.into(), line, column }
}

fn said(at: PlaceEntry, message: String) -> Said {
    Said { at, message }
}

/// What a result is about, if it is *unsafe*: all pairs of accesses that race.
pub fn findings(e: &Entry) -> Vec<Finding<'_>> {
    if e.verdict.as_deref() != Some("unsafe") {
        return Vec::new();
    }
    let Some(t) = &e.trace else {
        let message = format!("Not so: {}. {}", e.property, e.run.join("; "));
        let said = said(place(&e.file, 0, 0), message);
        return vec![Finding { rule: COVERED.id, said, related: Vec::new(), trace: None }];
    };
    let at = place(&t.file, t.line, t.column);
    let first = Finding { rule: &t.kind, said: said(at, sentence(t)), related: related(t), trace: Some(t) };
    let more = t.races.iter().skip(1).enumerate().filter_map(|(k, pair)| {
        let [a, b] = &pair[..] else { return None };
        if let Some(run) = t.race_runs.get(k) {
            let said = said(place(&run.file, run.line, run.column), sentence(run));
            return Some(Finding { rule: &t.kind, said, related: related(run), trace: Some(run) });
        }
        let said = said(place(&a.file, a.line, a.column), race(t, a, b));
        let mut related: Vec<Said> = pair.iter().flat_map(|a| accessed(t, a)).collect();
        related.retain(|s| s.at.line > 0);
        Some(Finding { rule: &t.kind, said, related, trace: None })
    });
    std::iter::once(first).chain(more).collect()
}

/// What happened; of a report without it, what must not happen.
fn sentence(t: &TraceEntry) -> String {
    match t.story.headline.as_str() {
        "" => rules::named(&t.kind).map_or("A property is violated.", |r| r.says).into(),
        headline => headline.into(),
    }
}

/// A further pair of accesses, in the words of the first one's sentence.
fn race(t: &TraceEntry, mine: &AccessEntry, other: &AccessEntry) -> String {
    let violated = if mine.file == other.file { mine.file.as_str() } else { "" };
    let access = |a: &AccessEntry| Access {
        thread: thread(t, &a.thread).into(),
        does: if a.kind.ends_with('s') { format!("{}es", a.kind) } else { format!("{}s", a.kind) },
        object: a.object.clone(),
        at: place_in_words(&a.file, a.line, violated),
        locks: a.locks.clone(),
    };
    raced(&access(mine), &access(other))
}

/// A thread as the story calls it.
fn thread<'t>(t: &'t TraceEntry, name: &'t str) -> &'t str {
    let i = t.run.threads.iter().position(|n| n == name);
    i.and_then(|i| t.story.threads.get(i)).map_or(name, |a| &a.name)
}

/// The thread that comes to the violation.
pub fn fails(t: &TraceEntry) -> &str {
    t.story.threads.get(t.run.fails as usize).map_or(&t.thread, |a| &a.name)
}

/// An access, and how its thread came to it.
fn accessed(t: &TraceEntry, a: &AccessEntry) -> Vec<Said> {
    let locks = match a.locks.len() {
        0 => "no lock held".to_string(),
        _ => format!("with {}", a.locks.join(", ")),
    };
    let thread = thread(t, &a.thread);
    let message = format!("{} by {thread}, {locks}: {}", a.kind, a.statement);
    let mut out = vec![said(place(&a.file, a.line, a.column), message)];
    out.extend(a.created.iter().map(|c| said(c.clone(), format!("thread {thread} is created here"))));
    let calls = a.calls.iter().filter_map(|c| Some((c, c.called.clone()?)));
    out.extend(calls.map(|(c, at)| said(at, format!("{thread} calls {}", c.function))));
    out
}

fn related(t: &TraceEntry) -> Vec<Said> {
    let mut out: Vec<Said> = t.accesses.iter().flat_map(|a| accessed(t, a)).collect();
    let waits = t.waiting.iter().enumerate().map(|(i, w)| {
        let message = match t.story.waits.get(i) {
            Some(x) => format!("{} waits here for {}", t.story.name(x.thread), x.words(&t.story)),
            None => format!("{} waits here: {}", w.thread, w.statement),
        };
        said(place(&w.file, w.line, w.column), message)
    });
    out.extend(waits);
    if let Some(lost) = &t.story.lost {
        let at = |step: usize| {
            let s = t.story.steps.get(step)?;
            Some((place(&s.file, s.line, s.column), t.story.name(s.thread)))
        };
        out.extend(at(lost.made).map(|(p, by)| said(p, format!("{by} makes {} here", lost.block))));
        let gone = lost.gone.and_then(at);
        out.extend(
            gone.map(|(p, _)| said(p, format!("the last pointer to it, {}, goes here", lost.pointer))),
        );
    }
    out.retain(|s| s.at.line > 0);
    out
}

/// A step of a run that is told.
#[derive(Clone, PartialEq, Debug)]
pub struct Moved<'e> {
    /// The step.
    pub step: &'e Step,
    /// Who does what there, with values.
    pub said: Said,
    /// Number of the rounds that it is a part of, where a run in columns leaves it out.
    pub fold: Option<usize>,
}

/// The steps of a run that are told, in order.
pub fn steps(t: &TraceEntry) -> Vec<Moved<'_>> {
    let story = &t.story;
    let all = story.steps.iter().enumerate().filter(|(_, s)| s.is_told());
    all.map(|(i, step)| {
        let effects: Vec<String> = told(story, step).iter().map(|e| e.text()).collect();
        let effects = if effects.is_empty() { String::new() } else { format!(" [{}]", effects.join(", ")) };
        let message = format!("{}: {}{effects}", story.name(step.thread), step.text);
        let fold = story.folds.iter().position(|f| (f.first..f.first + f.steps).contains(&i));
        Moved { step, said: said(place(&step.file, step.line, step.column), message), fold }
    })
    .collect()
}

/// The steps of a run; of rounds that are alike it is said how many they are.
pub fn in_short(t: &TraceEntry) -> Vec<Said> {
    let mut out: Vec<Said> = Vec::new();
    let mut last = None;
    for m in steps(t) {
        if m.fold.is_some() && m.fold == last {
            continue;
        }
        last = m.fold;
        let fold = m.fold.and_then(|k| t.story.folds.get(k));
        let words = fold.map_or(m.said.message, |f| f.words(&t.story));
        out.push(said(m.said.at, words));
    }
    out
}

/// The lines of a run in columns, a column for each thread, and where it ends.
pub fn lines(t: &TraceEntry) -> Vec<String> {
    let text = match t.story.steps.is_empty() {
        true => String::new(),
        false => steps_as_text(&t.story, &t.file, Page { width: WIDTH, full: false }),
    };
    let waits = t.story.waits.iter().map(|w| format!("  {}", w.line(&t.story)));
    strip_str(&text).to_string().lines().map(String::from).chain([end(t)]).chain(waits).collect()
}

fn end(t: &TraceEntry) -> String {
    if !t.waiting.is_empty() {
        return format!("violated: {}", t.violation);
    }
    let at = if t.line > 0 { format!(" at {}:{}", t.file, t.line) } else { String::new() };
    format!("violated: {}{at} by {}", t.violation, fails(t))
}
