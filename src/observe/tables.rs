//! What the runtime and the instrumented program know: tables, and a macro for each statement that has invariants.

use super::conditions::{Condition, Conjunct};
use super::places::{Arrival, Copy, calls};
use crate::reproduce::literal;
use relyant_cfa as cfa;
use relyant_cfa::options::{Atomicity, Options};
use relyant_cfa::{Count, Op};
use relyant_program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Templates of threads, at most: sets of them are words.
pub(super) const TEMPLATES: usize = 64;

/// What is tested before a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Check {
    /// Its line.
    pub(super) line: u32,
    /// Where each copy is, and what is known there; `None`: nothing is expected of this one.
    pub(super) copies: BTreeMap<Copy, (Arrival, Option<Condition>)>,
}

/// The header that the program includes.
pub(super) fn header(checks: &[Check]) -> String {
    let mut out = String::from(
        "/* Invariants of the proof, for the program. */\n\
         extern int relyant_next(int);\nextern void relyant_said(int);\n\
         extern void relyant_value(const char *, __int128);\nextern long long relyant_me(void);\n\
         extern int relyant_at(int, int, const int *);\n\
         extern long long relyant_owner(const volatile void *);\nextern void relyant_step(void);\n\
         extern void relyant_assuming(void);\nextern int relyant_again(void);\n",
    );
    for (i, check) in checks.iter().enumerate() {
        let _ = write!(
            out,
            "#define RELYANT_{i} ({{ for (int relyant_v; (relyant_v = relyant_next({i})) >= 0;) switch (relyant_v) {{"
        );
        let mut names: BTreeSet<&String> = BTreeSet::new();
        for (k, (_, condition)) in check.copies.values().enumerate() {
            let Some(c) = condition else { continue };
            let alternatives: Vec<String> = c.alternatives.iter().map(conjunction).collect();
            let text = if alternatives.is_empty() { "0".into() } else { alternatives.join(" || ") };
            let _ = write!(out, " \\\n    case {k}: relyant_said({text}); break;");
            names.extend(&c.names);
        }
        let values: Vec<String> =
            names.iter().map(|n| format!("relyant_value({}, (__int128)({n}));", literal(n))).collect();
        let _ = writeln!(out, " \\\n    default: {} }} }})", values.join(" "));
    }
    out
}

fn conjunction(all: &BTreeSet<Conjunct>) -> String {
    if all.is_empty() {
        return "1".into();
    }
    let all: Vec<&str> = all.iter().map(|c| c.code.as_str()).collect();
    format!("({})", all.join(" && "))
}

/// A condition for readers.
fn shown(c: &Condition) -> String {
    let conjunction = |a: &BTreeSet<Conjunct>| {
        let text: Vec<&str> = a.iter().map(|t| t.text.as_str()).collect();
        text.join(" && ")
    };
    let all: Vec<String> = c.alternatives.iter().map(conjunction).collect();
    if all.is_empty() { "that no thread is here".into() } else { all.join(" || ") }
}

/// The tables of the runtime.
pub(super) fn tables(
    checks: &[Check],
    program: &Program,
    automata: &cfa::Program,
    options: &Options,
) -> String {
    let mut out = String::from("/* What the proof says, for observe.c. */\n");
    let creations = creations(automata);
    let _ = writeln!(out, "#define CHECKS {}", checks.len());
    let _ = writeln!(out, "#define ASSERTS {}", u8::from(options.asserts()));
    let _ = writeln!(out, "#define STATEMENTS {}", u8::from(options.atomicity == Atomicity::Statement));
    let starts: Vec<String> = options.threads.iter().map(|f| format!("X({f})")).collect();
    if !starts.is_empty() {
        let _ = writeln!(out, "#define STARTS(X) {}", starts.join(" "));
    }
    let _ = writeln!(out, "static const struct template templates[] = {{");
    for (i, t) in automata.templates.iter().enumerate().take(TEMPLATES) {
        let many = u8::from(t.count != Count::AtMost(1));
        // Before it is created, if it has not been moved on from there.
        let moved = program.prefix.iter().any(|(u, _)| *u as usize == i);
        let entry = program.templates.get(i).filter(|_| !moved).map_or(-1, |t| i64::from(t.entry.0));
        let _ = writeln!(out, "    {{{}, {many}, {}, {entry}}},", literal(&t.name), u8::from(t.initial));
    }
    let _ = writeln!(out, "}};\nstatic const struct creation creations[] = {{");
    let place = |calls: &[u32]| {
        let all: Vec<String> = calls.iter().map(u32::to_string).collect();
        format!(
            "{}, (const int[]){{{}}}",
            calls.len(),
            if all.is_empty() { "0".into() } else { all.join(", ") }
        )
    };
    for (line, by, new) in &creations {
        let _ = writeln!(out, "    {{{}, {line}, {new}, {}}},", by.template, place(&by.calls));
    }
    let _ = writeln!(out, "    {{-1}}\n}};\nstatic const struct copy copies[] = {{");
    for (copy, (arrival, condition)) in checks.iter().flat_map(|c| &c.copies) {
        let at: Vec<String> = arrival.at.iter().flat_map(|at| at.keys()).map(|l| l.0.to_string()).collect();
        let text = condition.as_ref().map_or(String::new(), shown);
        let known = u8::from(condition.is_some());
        let _ = writeln!(
            out,
            "    {{{}, {known}, {}, {}, {}, (const int[]){{{}}}}},",
            copy.template,
            literal(&text),
            place(&copy.calls),
            at.len(),
            if at.is_empty() { "0".into() } else { at.join(", ") }
        );
    }
    let _ = writeln!(out, "    {{-1}}\n}};\nstatic const struct check checks[] = {{");
    let mut first = 0;
    for c in checks {
        let _ = writeln!(out, "    {{{first}, {}, {}}},", c.copies.len(), c.line);
        first += c.copies.len();
    }
    let _ = writeln!(out, "    {{0}}\n}};");
    out
}

/// Where threads are created: the line, the copy that does it, and the new thread's template.
fn creations(automata: &cfa::Program) -> BTreeSet<(u32, Copy, u32)> {
    let mut out = BTreeSet::new();
    for (template, x) in (0u32..).zip(&automata.templates) {
        for e in &x.graph.edges {
            if let Op::Create { template: Some(new), .. } = e.op
                && let Some(at) = x.graph.locations.get(e.from.0 as usize)
            {
                out.insert((e.span.line, Copy { template, calls: calls(x, at.inlined) }, new));
            }
        }
    }
    out
}
