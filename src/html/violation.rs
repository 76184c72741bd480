//! The page of an *unsafe* verdict: a swim lane for each thread, and the shared state beside it.

use super::page::{Download, Page};
use super::run::Run;
use super::safe::stem;
use super::{Case, facts, of_verdict};
use crate::pipeline::{Races, Report};
use crate::report::story::{Does, Step, Story, Told, told};
use maud::{Markup, html};
use relyant_interp::{RacingAccess, Trace};
use serde_json::{Value, json};

/// The page.
pub(super) fn page<'a>(case: &Case<'a>, r: &Report, t: &Trace, shortest: bool) -> Page<'a> {
    let story = Story::from(t);
    let run = Run::of(&story);
    let (file, line, _) = &t.place;
    let at = if *line > 0 {
        format!(", {}:{line}", file.rsplit('/').next().unwrap_or(file))
    } else {
        String::new()
    };
    let mut page = of_verdict(
        case,
        "unsafe",
        format!(
            "What happened: {}. This violates the property: {} by {}{at}.",
            story.headline,
            t.violation,
            story.name(t.thread as usize)
        ),
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
        @if !story.waits.is_empty() { (waiting(&story)) }
        @if !t.accesses.is_empty() { (races(&r.races, t, &story)) }
    };
    if let Some(witness) = case.witness {
        let name = format!("{}.witness.yml", stem(case.file));
        page.files.push(Download::new(name, "the witness, SV-COMP's format", witness, String::new()));
    }
    page
}

/// What the script knows: arrows, bars, values and folds.
fn data(run: &Run<'_>) -> Value {
    let steps = run.steps().map(|s| {
        let places = |of: &dyn Fn(&crate::report::story::Effect) -> Option<usize>| -> Vec<usize> {
            s.effects.iter().filter_map(of).filter_map(|i| run.place(i)).collect()
        };
        json!({"thread": s.thread, "reads": places(&|e| e.from), "stale": places(&|e| e.stale), "holds": s.holds})
    });
    let cells = run
        .cells
        .iter()
        .map(|c| json!({"name": c.name, "first": c.first, "values": c.values, "lock": c.lock}));
    json!({
        "threads": run.story.threads.iter().map(|t| &t.name).collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
    })
}

fn lanes(run: &Run<'_>, t: &Trace) -> Markup {
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
                div.lanes data-lanes=(run.story.threads.len()) {
                    div.heads aria-hidden="true" {
                        @for (k, thread) in run.story.threads.iter().enumerate() { span.head data-lane=(k) title=(thread.routine) { (thread.name) } }
                    }
                    div #steps.steps role="listbox" tabindex="0" aria-label="steps of the run" {
                        @for (i, s) in run.steps().enumerate() {
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

fn rounds(run: &Run<'_>, fold: usize) -> String {
    let Some(f) = run.folds.get(fold) else { return String::new() };
    let lines: Vec<u32> =
        run.steps().skip(f.first).take(f.steps).map(|s| s.line).filter(|l| *l > 0).collect();
    let (min, max) = (lines.iter().min().copied().unwrap_or(0), lines.iter().max().copied().unwrap_or(0));
    let of = if min == max { format!("line {min}") } else { format!("lines {min} to {max}") };
    format!("… {} more rounds of {of}", f.rounds)
}

fn step(run: &Run<'_>, i: usize, s: &Step, fold: Option<usize>) -> Markup {
    let any = |does| s.effects.iter().any(|e| e.does == does);
    let kind = match (any(Does::Write), any(Does::Read)) {
        (true, _) => "write",
        (_, true) => "read",
        _ => "plain",
    };
    let name = run.story.name(s.thread);
    html! {
        div.step role="option" id=(format!("s{i}")) data-step=(i) data-lane=(s.thread) data-fold=[fold] hidden[fold.is_some()] aria-selected="false" {
            span.at { @if s.line > 0 { (s.line) } }
            span.dot.(kind) {}
            div.what {
                span.who { (name) }
                code.text { (s.text) }
                div.does { @for e in &told(run.story, s) { (effect(e)) } }
            }
        }
    }
}

fn effect(e: &Told) -> Markup {
    html! {
        span.effect {
            (e.verb)
            @if !e.object.is_empty() { " " code { (e.object) } }
            " " (e.rest)
            @if e.stale { " " em { "stale" } }
        }
    }
}

/// What the run leads to.
fn end(run: &Run<'_>, t: &Trace) -> Markup {
    let i = run.shown.len();
    html! {
        div.step.end role="option" id=(format!("s{i}")) data-step=(i) data-lane=(t.thread) aria-selected="false" {
            span.at { @if t.place.1 > 0 { (t.place.1) } }
            span.dot.fail {}
            div.what {
                span.who { (run.story.name(t.thread as usize)) }
                strong { (t.violation.to_string()) }
            }
        }
    }
}

fn waiting(story: &Story) -> Markup {
    html! {
        section {
            h2 { "Who waits" }
            div.scroll { table {
                thead { tr { th { "thread" } th { "waits for" } th.number { "line" } th { "statement" } } }
                tbody { @for w in &story.waits {
                    tr { td { (story.name(w.thread)) } td { (w.words(story)) } td.number { (w.line) } td { code { (w.text) } } }
                } }
            } }
        }
    }
}

fn races(races: &Races, t: &Trace, story: &Story) -> Markup {
    let one = [t.accesses.clone()];
    let name = |a: &RacingAccess| match t.threads.iter().position(|n| *n == a.thread_name) {
        Some(i) => story.name(i).to_string(),
        None => a.thread_name.clone(),
    };
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
                                td { code { (a.object) } } td { (a.access.verb()) } td { (name(a)) } td.number { (a.line) }
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
