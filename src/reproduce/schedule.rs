//! A run as data of the runtime: `schedule.h`.

use crate::report::json::TraceEntry;
use crate::report::run::RunStep;
use relyant_cfa::options::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text of `schedule.h`.
pub fn text(trace: &TraceEntry, options: &Options) -> String {
    let run = &trace.run;
    // What is bookkeeping of ours, and constants.
    let ours =
        |s: &RunStep| s.object.contains('.') || s.object.starts_with("string#") || s.object.starts_with('(');
    let shown = run.steps.iter().filter(|s| !ours(s));
    let steps: Vec<(&RunStep, char)> = shown.filter_map(|s| Some((s, letter(&s.does)?))).collect();
    let mut cells = Numbers::default();
    let mut files = Numbers::default();
    let mut rows = String::new();
    for (s, letter) in &steps {
        let flags = u8::from(s.model) | u8::from(s.held) << 1 | u8::from(s.value.is_some()) << 2;
        let cell = cells.number((s.object.as_str(), s.cell.as_str())) + 1;
        let file = files.number(s.file.as_str());
        // Bits are what counts.
        let value = s.value.unwrap_or(0) as u64;
        let _ = writeln!(
            rows,
            "    {{{}, '{letter}', {flags}, {cell}, {file}, {}, {}, {}, {}, (long long)0x{value:x}ULL}},",
            s.thread,
            if s.file.starts_with('<') { 0 } else { s.line },
            s.column,
            literal(&s.object),
            literal(&s.cell)
        );
    }
    let threads = run.threads.len().max(1);
    let list = |all: &mut dyn Iterator<Item = &str>| {
        let all: Vec<String> = all.map(literal).collect();
        if all.is_empty() { "\"\"".into() } else { all.join(", ") }
    };
    let mut out = String::from("/* The run, for runtime.c. */\n");
    let _ = writeln!(out, "#define STEPS {}", steps.len());
    let _ = writeln!(out, "#define THREADS {threads}");
    let _ = writeln!(out, "#define CELLS {}", cells.0.len().max(1));
    let _ = writeln!(out, "#define FINAL {}", run.fails);
    let _ = writeln!(out, "#define OTHER {}", run.other.map_or(-1, i64::from));
    let _ = writeln!(out, "#define DEADLOCK {}", u8::from(trace.violation == "deadlock"));
    let _ = writeln!(out, "#define LEAKS {}", u8::from(trace.violation.starts_with("memory leak")));
    if !options.threads.is_empty() {
        let starts: Vec<String> = options.threads.iter().map(|f| format!("X({f})")).collect();
        let _ = writeln!(out, "#define STARTS(X) {}", starts.join(" "));
    }
    let inputs: Vec<String> = inputs(trace).into_iter().map(|f| format!("X({f})")).collect();
    let _ = writeln!(out, "#define INPUTS(X) {}", inputs.join(" "));
    let names = list(&mut run.threads.iter().map(String::as_str));
    let _ = writeln!(out, "static const char *const thread_names[] = {{{names}}};");
    let _ = writeln!(out, "static const char *const files[] = {{{}}};", list(&mut files.in_order()));
    let _ = writeln!(out, "static const struct step steps[STEPS + 1] = {{\n{rows}    {{-1}}\n}};");
    out
}

/// The functions that give the run's inputs.
pub fn inputs(trace: &TraceEntry) -> BTreeSet<&str> {
    let identifier = |f: &&str| {
        f.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && f.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let steps = trace.run.steps.iter().filter(|s| s.does == "input");
    steps.map(|s| s.object.as_str()).filter(identifier).collect()
}

/// The letter of a kind of step; `None`: the compiled program has no such step.
fn letter(does: &str) -> Option<char> {
    let all = [('r', "read"), ('w', "write"), ('i', "input"), ('c', "create"), ('j', "join")];
    let ends = [('x', "exit"), ('h', "halt")];
    all.into_iter().chain(ends).find(|(_, name)| *name == does).map(|(letter, _)| letter)
}

/// A text as a string literal of C.
pub(crate) fn literal(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b" _.,:;/[]()<>+-*#@=".contains(&b);
    let mut out = String::from("\"");
    for b in text.bytes() {
        match plain(b) {
            true => out.push(char::from(b)),
            false => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Numbers from 0 for things as they come.
struct Numbers<T>(BTreeMap<T, usize>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers(BTreeMap::new())
    }
}

impl<T: Ord> Numbers<T> {
    fn number(&mut self, what: T) -> usize {
        let next = self.0.len();
        *self.0.entry(what).or_insert(next)
    }
}

impl<'a> Numbers<&'a str> {
    fn in_order(&self) -> impl Iterator<Item = &'a str> {
        let mut all: Vec<(&'a str, usize)> = self.0.iter().map(|(k, v)| (*k, *v)).collect();
        all.sort_by_key(|x| x.1);
        all.into_iter().map(|x| x.0)
    }
}
