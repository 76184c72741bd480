//! A run as data of the runtime: `schedule.h`.

use crate::report::json::TraceEntry;
use crate::report::rules;
use crate::report::run::{RunStep, StepKind};
use relyant_cfa::options::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text of `schedule.h`.
pub fn text(trace: &TraceEntry, options: &Options) -> String {
    let run = &trace.run;
    let steps = Numbered::of(trace);
    let mut files = Numbers::default();
    let mut rows = String::new();
    for Numbered { step: s, letter, cell } in &steps {
        let bits = [s.model, s.held, s.value.is_some(), s.chosen];
        let flags = bits.iter().rev().fold(0, |sum, b| 2 * sum + u8::from(*b));
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
    let cells = steps.iter().map(|n| n.cell).max().unwrap_or(1);
    let threads = run.threads.len().max(1);
    let list = |all: &mut dyn Iterator<Item = &str>| {
        let all: Vec<String> = all.map(literal).collect();
        if all.is_empty() { "\"\"".into() } else { all.join(", ") }
    };
    let mut out = String::from("/* The run, for runtime.c. */\n");
    let _ = writeln!(out, "#define STEPS {}", steps.len());
    let _ = writeln!(out, "#define THREADS {threads}");
    let _ = writeln!(out, "#define CELLS {}", cells);
    let _ = writeln!(out, "#define FINAL {}", run.fails);
    let _ = writeln!(out, "#define OTHER {}", run.other.map_or(-1, i64::from));
    let _ = writeln!(out, "#define OTHER_LINE {}", trace.race.as_ref().map_or(0, |r| r.line));
    let _ = writeln!(out, "#define DEADLOCK {}", u8::from(trace.rule() == Some(rules::DEADLOCK)));
    let constant = if super::is_constant(trace) { trace.line } else { 0 };
    let _ = writeln!(out, "#define CONSTANT_LINE {constant}");
    let _ = writeln!(out, "#define LEAKS {}", u8::from(trace.rule() == Some(rules::LEAK)));
    if !options.threads.is_empty() {
        let starts: Vec<String> = options.threads.iter().map(|f| format!("X({f})")).collect();
        let _ = writeln!(out, "#define STARTS(X) {}", starts.join(" "));
    }
    let _ = writeln!(out, "#define WORDS {}", words(trace));
    let inputs = inputs(trace).into_iter().filter(|f| !READERS.contains(f));
    let inputs: Vec<String> = inputs.map(|f| format!("X({f})")).collect();
    let _ = writeln!(out, "#define INPUTS(X) {}", inputs.join(" "));
    let names = list(&mut run.threads.iter().map(String::as_str));
    let _ = writeln!(out, "static const char *const thread_names[] = {{{names}}};");
    let _ = writeln!(out, "static const char *const files[] = {{{}}};", list(&mut files.in_order()));
    let _ = writeln!(out, "static const struct step steps[STEPS + 1] = {{\n{rows}    {{-1}}\n}};");
    out
}

/// A step that the compiled program may have, too.
pub struct Numbered<'a> {
    /// What it is.
    pub step: &'a RunStep,
    /// Its kind, as `runtime.c` has it.
    pub letter: char,
    /// Number of its cell, from 1.
    pub cell: usize,
}

impl<'a> Numbered<'a> {
    /// Those of a run.
    pub fn of(trace: &'a TraceEntry) -> Vec<Numbered<'a>> {
        let shown = trace.run.steps.iter().filter(|s| !s.hidden);
        let mut cells = Numbers::default();
        let numbered = shown.filter_map(|step| {
            let letter = letter(step)?;
            let cell = cells.number((step.object.as_str(), step.cell.as_str())) + 1;
            Some(Numbered { step, letter, cell })
        });
        numbered.collect()
    }
}

/// Functions that `input.h` has.
const READERS: [&str; 7] = ["getchar", "fgets", "getline", "getopt", "scanf", "sscanf", "fscanf"];

/// How many words the program is called with: what is chosen first is the first parameter of `main`. -1: as many as it is.
fn words(trace: &TraceEntry) -> i128 {
    let first = trace.run.steps.iter().find(|s| s.thread == 0).filter(|s| s.does == StepKind::Choice);
    first.and_then(|s| s.value).filter(|n| (0..1 << 20).contains(n)).unwrap_or(-1)
}

/// What the name of a function begins with that is some function of its arguments. The run has its values as those of
/// an object.
const UNINTERPRETED: &str = "__CPROVER_uninterpreted_";

/// Does a step read the value of such a function?
fn is_uninterpreted(s: &RunStep) -> bool {
    s.does == StepKind::Read && s.object.starts_with(UNINTERPRETED)
}

/// The functions that give the run's inputs.
pub fn inputs(trace: &TraceEntry) -> BTreeSet<&str> {
    let steps = trace.run.steps.iter().filter(|s| s.does == StepKind::Input || is_uninterpreted(s));
    steps.map(|s| s.object.as_str()).filter(|f| is_identifier(f)).collect()
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The object of the model that says which threads are cancelled: it is read where a thread may be.
const CANCELLED: &str = "(cancelled)";

/// The letter of a kind of step; `None`: the compiled program has no such step.
fn letter(s: &RunStep) -> Option<char> {
    if is_uninterpreted(s) {
        return Some('i');
    }
    // What no function gives is a parameter of a start routine that nobody gives a value.
    if s.does == StepKind::Input && !is_identifier(&s.object) {
        return Some('p');
    }
    if s.object == CANCELLED {
        return (s.does == StepKind::Read).then_some('k');
    }
    Some(match s.does {
        StepKind::Read => 'r',
        StepKind::Write => 'w',
        StepKind::Input => 'i',
        StepKind::Create => 'c',
        StepKind::Join => 'j',
        StepKind::Signal => 'g',
        StepKind::Exit => 'x',
        StepKind::Halt => 'h',
        StepKind::Outcome => 't',
        StepKind::First if !s.chosen => return None,
        StepKind::First | StepKind::Choice => 'u',
    })
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
