//! The page of an *unsafe* verdict: a swim lane for each thread, and the shared state beside it.

use super::page::{Download, Page};
use super::run::{Effect, Kind, Run, Step};
use super::safe::stem;
use super::{Case, facts, of_verdict};
use crate::pipeline::{Races, Report};
use maud::{Markup, html};
use relyant_interp::{RacingAccess, Trace};
use serde_json::{Value, json};

/// The page.
pub(super) fn page<'a>(case: &Case<'a>, r: &Report, t: &Trace, shortest: bool) -> Page<'a> {
    let run = Run::of(t);
    let (file, line, _) = &t.place;
    let at = if *line > 0 {
        format!(", {}:{line}", file.rsplit('/').next().unwrap_or(file))
    } else {
        String::new()
    };
    let mut page = of_verdict(
        case,
        "unsafe",
        format!("A run violates the property: {} by {}{at}.", t.violation, t.thread_name),
    );
    let how = match shortest {
        true => "by search; no run with fewer steps fails".to_string(),
        false => format!("by {}", r.engine.unwrap_or_default()),
    };
    let start: Vec<String> = t.start.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    page.facts = facts(
        r,
        vec![
            ("found", how),
            ("replayed", "step by step, by an interpreter of C".into()),
            ("start", start.join(", ")),
        ],
    );
    page.data = Some(data(&run));
    page.body = html! {
        (lanes(&run, t))
        @if !t.waiting.is_empty() { (waiting(t)) }
        @if !t.accesses.is_empty() { (races(&r.races, &t.accesses)) }
    };
    if let Some(witness) = case.witness {
        let name = format!("{}.witness.yml", stem(case.file));
        page.files.push(Download::new(name, "the witness, SV-COMP's format", witness, String::new()));
    }
    page
}

/// What the script knows: arrows, bars, values and folds.
fn data(run: &Run) -> Value {
    let steps = run.steps.iter().map(|s| {
        let reads: Vec<usize> = s.effects.iter().filter_map(|e| e.from).collect();
        let stale: Vec<usize> = s.effects.iter().filter_map(|e| e.stale).collect();
        json!({"thread": s.thread, "reads": reads, "stale": stale, "holds": s.holds})
    });
    let cells = run.cells.iter().map(|c| json!({"name": c.name, "values": c.values, "lock": c.lock}));
    json!({
        "threads": run.threads,
        "steps": steps.collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
    })
}

fn lanes(run: &Run, t: &Trace) -> Markup {
    let fold = |i: usize| run.folds.iter().position(|f| (f.first..f.first + f.steps).contains(&i));
    html! {
        section #run aria-labelledby="h-run" {
            h2 #h-run { "The run" }
            div.bar {
                button #back type="button" aria-label="one step back" { "←" }
                button #on type="button" aria-label="one step on" { "→" }
                span #where role="status" {}
                span.keys { kbd { "↑" } " " kbd { "↓" } " step, " kbd { "Home" } " " kbd { "End" } ", " kbd { "F" } " folds" }
            }
            div.board {
                div.lanes data-lanes=(run.threads.len()) {
                    div.heads aria-hidden="true" {
                        @for (k, name) in run.threads.iter().enumerate() { span.head data-lane=(k) { (name) } }
                    }
                    div #steps.steps role="listbox" tabindex="0" aria-label="steps of the run" {
                        @for (i, s) in run.steps.iter().enumerate() {
                            @if let Some(f) = run.folds.iter().enumerate().find(|(_, f)| f.first == i) {
                                button.folded type="button" data-fold=(f.0) data-lane=(s.thread) aria-expanded="false" { span.what { (rounds(run, f.0)) } }
                            }
                            (step(run, i, s, fold(i)))
                        }
                        (end(run, t))
                    }
                }
                aside.state aria-label="shared state" {
                    h3 { "Shared state" }
                    table {
                        thead { tr { th { "object" } th.number { "value" } } }
                        tbody #cells { @for c in &run.cells { tr { th scope="row" { code { (c.name) } } td {} } } }
                    }
                    p.legend {
                        span { span.mark.write {} "write" } span { span.mark.read {} "read" } span { span.mark.bar {} "lock held" }
                        span { span.mark.arrow { "→" } "seen by a read" }
                    }
                }
            }
        }
    }
}

fn rounds(run: &Run, fold: usize) -> String {
    let Some(f) = run.folds.get(fold) else { return String::new() };
    let lines: Vec<u32> =
        run.steps.iter().skip(f.first).take(f.steps).map(|s| s.line).filter(|l| *l > 0).collect();
    let (min, max) = (lines.iter().min().copied().unwrap_or(0), lines.iter().max().copied().unwrap_or(0));
    let of = if min == max { format!("line {min}") } else { format!("lines {min} to {max}") };
    format!("… {} more rounds of {of}", f.rounds)
}

fn step(run: &Run, i: usize, s: &Step, fold: Option<usize>) -> Markup {
    let kind = if s.effects.iter().any(|e| e.kind == Kind::Write) { "write" } else { "read" };
    let seen = s.effects.iter().any(|e| matches!(e.kind, Kind::Read | Kind::Write));
    let name = run.threads.get(s.thread).map_or("", String::as_str);
    html! {
        div.step role="option" id=(format!("s{i}")) data-step=(i) data-lane=(s.thread) data-fold=[fold] hidden[fold.is_some()] aria-selected="false" {
            span.at { @if s.line > 0 { (s.line) } }
            span.dot.(if seen { kind } else { "plain" }) {}
            div.what {
                span.who { (name) }
                code.text { (s.text) }
                div.does { @for e in &s.effects { (effect(e)) } }
            }
        }
    }
}

fn effect(e: &Effect) -> Markup {
    html! {
        span.effect {
            (e.verb)
            @if !e.object.is_empty() { " " code { (e.object) @if !e.value.is_empty() { " = " (e.value) } } }
            @if e.stale.is_some() { " " em { "out of date" } }
        }
    }
}

/// What the run leads to.
fn end(run: &Run, t: &Trace) -> Markup {
    let i = run.steps.len();
    html! {
        div.step.end role="option" id=(format!("s{i}")) data-step=(i) data-lane=(t.thread) aria-selected="false" {
            span.at { @if t.place.1 > 0 { (t.place.1) } }
            span.dot.fail {}
            div.what {
                span.who { (t.thread_name) }
                strong { (t.violation.to_string()) }
            }
        }
    }
}

fn waiting(t: &Trace) -> Markup {
    html! {
        section {
            h2 { "Who waits" }
            div.scroll { table {
                thead { tr { th { "thread" } th.number { "line" } th { "statement" } } }
                tbody { @for w in &t.waiting { tr { td { (w.thread_name) } td.number { (w.line) } td { code { (w.statement) } } } } }
            } }
        }
    }
}

fn races(races: &Races, first: &[RacingAccess]) -> Markup {
    let one = [first.to_vec()];
    let pairs: &[Vec<RacingAccess>] = if races.pairs.is_empty() { &one } else { &races.pairs };
    html! {
        section #races aria-labelledby="h-races" {
            h2 #h-races { "Accesses that race" }
            div.scroll { table {
                thead { tr { th { "object" } th { "access" } th { "thread" } th.number { "line" } th { "statement" } th { "locks held" } } }
                @for pair in pairs {
                    tbody {
                        @for a in pair {
                            tr {
                                td { code { (a.object) } } td { (a.access.verb()) } td { (a.thread_name) } td.number { (a.line) }
                                td { code { (a.statement) } }
                                td { @if a.locks.is_empty() { "none" } @else { (a.locks.join(", ")) } }
                            }
                        }
                    }
                }
            } }
            @if races.open > 0 { p.hint { (races.open) " more pairs may race; short searches told nothing." } }
        }
    }
}
