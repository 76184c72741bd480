//! What is shown of a violation in places: a sentence, where it is, what belongs to it, and the run that gets there. SARIF and
//! the language server say the same.

use super::json::{AccessEntry, Entry, PlaceEntry, StepEntry, TraceEntry};
use super::rules::{self, COVERED};

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
    /// The run, of the violation that the verdict is about.
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
    let more = t.races.iter().skip(1).filter_map(|pair| {
        let [a, b] = &pair[..] else { return None };
        let said = said(place(&a.file, a.line, a.column), race(a, b));
        Some(Finding { rule: &t.kind, said, related: vec![accessed(a), accessed(b)], trace: None })
    });
    std::iter::once(first).chain(more).collect()
}

fn sentence(t: &TraceEntry) -> String {
    if let [a, b] = &t.accesses[..] {
        return race(a, b);
    }
    let says = rules::named(&t.kind).map_or("A property is violated.", |r| r.says);
    let steps = if t.steps.len() == 1 { "1 step".to_string() } else { format!("{} steps", t.steps.len()) };
    let shortest = if t.shortest { "; no run with fewer steps gets here" } else { "" };
    format!("{says} Thread {} is here after {steps} of the run{shortest}.", t.thread)
}

fn race(a: &AccessEntry, b: &AccessEntry) -> String {
    let object = [a, b].into_iter().map(|x| x.object.as_str()).find(|o| !o.is_empty()).unwrap_or("memory");
    format!(
        "Data race on `{object}`: {} by {} here, {} by {} in line {}.",
        a.kind, a.thread, b.kind, b.thread, b.line
    )
}

fn accessed(a: &AccessEntry) -> Said {
    let locks = match a.locks.len() {
        0 => "no lock held".to_string(),
        _ => format!("with {}", a.locks.join(", ")),
    };
    let message = format!("{} by {}, {locks}: {}", a.kind, a.thread, a.statement);
    said(place(&a.file, a.line, a.column), message)
}

fn related(t: &TraceEntry) -> Vec<Said> {
    let mut out = Vec::new();
    for a in &t.accesses {
        out.push(accessed(a));
        out.extend(a.created.iter().map(|c| said(c.clone(), format!("thread {} is created here", a.thread))));
        let calls = a.calls.iter().filter_map(|c| Some((c, c.called.clone()?)));
        out.extend(calls.map(|(c, at)| said(at, format!("{} calls {}", a.thread, c.function))));
    }
    let waits = t
        .waiting
        .iter()
        .map(|w| said(place(&w.file, w.line, w.column), format!("{} waits here: {}", w.thread, w.statement)));
    out.extend(waits);
    out.retain(|s| s.at.line > 0);
    out
}

/// A step of a run in a line.
pub fn step(s: &StepEntry) -> String {
    let changes = s.changes.iter().map(|a| format!("{} = {}", a.name, a.value));
    let given = s.inputs.iter().filter(|a| !a.name.is_empty());
    let given = given.map(|a| format!("{}() gives {}", a.name, a.value));
    let about = s.about_to.iter().map(|a| format!("about to {a}"));
    let done: Vec<String> = changes.chain(given).chain(about).collect();
    match done.is_empty() {
        true => format!("{}: {}", s.thread, s.statement),
        false => format!("{}: {} [{}]", s.thread, s.statement, done.join(", ")),
    }
}
