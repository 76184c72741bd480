//! A trace as text, one line a step.

use super::replay::{ActiveCall, RacingAccess};
use super::replay::{Trace, TraceStep};
use relyant_cfa::Use;
use std::fmt::Write;

/// How to write a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Steps without changes and inputs too.
    pub full: bool,
}

/// Thread, place, statement, changes and inputs of each step, in columns; then what was violated.
pub fn render(trace: &Trace, style: Style) -> String {
    let shown: Vec<&TraceStep> = trace
        .steps
        .iter()
        .enumerate()
        .filter(|(i, s)| {
            style.full
                || *i + 1 == trace.steps.len()
                || !s.changes.is_empty()
                || s.about_to.is_some()
                || named(s)
        })
        .map(|(_, s)| s)
        .collect();
    let file = &trace.place.0;
    let place = |s: &TraceStep| match s.line {
        0 => String::new(),
        line if s.file == *file => format!("{line}"),
        line => format!("{}:{line}", s.file),
    };
    let width = |f: &dyn Fn(&TraceStep) -> usize, most: usize| {
        shown.iter().map(|s| f(s)).max().unwrap_or(0).min(most)
    };
    let threads = width(&|s| s.thread_name.chars().count(), 24);
    let places = width(&|s| place(s).chars().count(), 40);
    // Code of a procedure is set in, a little for each call.
    let inner = |s: &TraceStep| format!("{}{}", "  ".repeat(s.depth.min(8)), s.statement);
    let statements = width(&|s| inner(s).chars().count(), 48);
    let mut out = String::new();
    if !trace.start.is_empty() {
        let _ = writeln!(out, "start: {}", values(&trace.start));
    }
    for s in &shown {
        let mut notes = values(&s.changes);
        for (source, v) in s.inputs.iter().filter(|(source, _)| !source.is_uninitialised()) {
            let comma = if notes.is_empty() { "" } else { ", " };
            let _ = write!(notes, "{comma}{source}() gives {v}");
        }
        if let Some(a) = &s.about_to {
            let comma = if notes.is_empty() { "" } else { ", " };
            let _ = write!(notes, "{comma}about to {} {}", a.access().verb(), a.object);
        }
        let line = format!(
            "{:threads$}  {:>places$}  {:statements$}  {notes}",
            s.thread_name,
            place(s),
            cut(&inner(s), 48),
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let (file, line, _) = &trace.place;
    let at = if *line > 0 { format!(" at {file}:{line}") } else { String::new() };
    if trace.waiting.is_empty() {
        let _ = writeln!(out, "violated: {}{at} by {}", trace.violation, trace.thread_name);
        out.push_str(&accesses(trace, &str::to_string));
        return out;
    }
    let _ = writeln!(out, "violated: {}", trace.violation);
    for w in &trace.waiting {
        let at = if w.line > 0 { format!(" at {}:{}", w.file, w.line) } else { String::new() };
        let line = format!("  {} waits{at}  {}", w.thread_name, cut(&w.statement, 48));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Both accesses of a data race; nothing where there is none. `name` says what a thread is called.
pub fn accesses(trace: &Trace, name: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    if let Some(s) = &trace.race {
        let verb = s.about_to.as_ref().map_or(Use::Access, |a| a.access()).verb();
        let at = if s.line > 0 { format!(" at {}:{}", s.file, s.line) } else { String::new() };
        let line =
            format!("  {} was about to {verb} it{at}  {}", name(&s.thread_name), cut(&s.statement, 48));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    trace.accesses.iter().for_each(|a| out.push_str(&access(a, &name(&a.thread_name))));
    out
}

/// A line on one of two accesses that race.
fn access(a: &RacingAccess, name: &str) -> String {
    let locks = match a.locks.as_slice() {
        [] => "no lock held".to_string(),
        [one] => format!("lock held: {one}"),
        many => format!("locks held: {}", many.join(", ")),
    };
    let created = match &a.created {
        Some((file, line, column)) if *line > 0 => format!(", thread created at {file}:{line}:{column}"),
        _ => String::new(),
    };
    let at = if a.line > 0 { format!(" at {}:{}:{}", a.file, a.line, a.column) } else { String::new() };
    let mut out = format!("access: {} by {name}{at}, {locks}{created}\n", a.access.verb());
    for ActiveCall { function, called } in &a.calls {
        if let Some((file, line, column)) = called {
            let _ = writeln!(out, "  in {function}, called at {file}:{line}:{column}");
        }
    }
    out
}

fn named(s: &TraceStep) -> bool {
    s.inputs.iter().any(|(source, _)| !source.is_uninitialised())
}

fn values(list: &[(String, i128)]) -> String {
    let parts: Vec<String> = list.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    parts.join(", ")
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
