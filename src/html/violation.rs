//! The page of an *unsafe* verdict: a swim lane for each thread, and the shared state beside it.

use super::page::{Download, Page};
use super::run::Run;
use super::safe::stem;
use super::{Case, facts, of_verdict};
use crate::pipeline::{Races, Report};
use crate::report::story::{Actor, Does, Step, Story, Told, told};
use maud::{Markup, html};
use relyant_cfa::Count;
use relyant_interp::{RacingAccess, Trace};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The page.
pub(super) fn page<'a>(case: &Case<'a>, r: &Report, t: &Trace, shortest: bool) -> Page<'a> {
    let story = Story::from(t);
    let run = Run::of(&story, case.file);
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
    let start: Vec<String> = t.start.iter().map(|v| format!("{} = {}", v.name, v.text)).collect();
    page.facts = facts(
        r,
        threads(r, &story),
        vec![
            ("found", how),
            ("replayed", "step by step, by an interpreter of C".into()),
            ("start", start.join(", ")),
        ],
    );
    page.data = Some(data(&run));
    page.body = html! {
        (lanes(&run, t))
        @if !story.waits.is_empty() { (waiting(&run)) }
        @if !t.accesses.is_empty() { (races(&r.races, t, &run)) }
    };
    if let Some(witness) = case.witness {
        let name = format!("{}.witness.yml", stem(case.file));
        page.files.push(Download::new(name, "the witness, SV-COMP's format", witness, String::new()));
    }
    page
}

/// The threads by the names that the run has for them; and those of the program where there may be any number.
fn threads(r: &Report, story: &Story) -> String {
    let run = story.threads.iter().map(Actor::heading).collect::<Vec<_>>().join(", ");
    match r.threads.iter().any(|t| t.1 == Count::Unbounded) {
        true => format!("{run}; in the program {}", super::threads(r)),
        false => run,
    }
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
                div class=(if run.leaves() { "lanes wide" } else { "lanes" }) data-lanes=(run.story.threads.len()) {
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
    let steps = run.steps().skip(f.first).take(f.steps).filter(|s| s.line > 0);
    let mut lines: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for s in steps {
        let (min, max) = lines.entry(&s.file).or_insert((s.line, s.line));
        (*min, *max) = (s.line.min(*min), s.line.max(*max));
    }
    let one = |(file, (min, max)): (&&str, &(u32, u32))| match min == max {
        true => format!("line {}", run.label(file, *min)),
        false => format!("lines {} to {max}", run.label(file, *min)),
    };
    let of = lines.iter().map(one).collect::<Vec<_>>().join(", ");
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
            span.at { (run.label(&s.file, s.line)) }
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

/// The statement that a thread is at in the end.
fn last(run: &Run<'_>, t: &Trace) -> String {
    let (file, line, _) = &t.place;
    let number = t.files.iter().position(|f| f == file).and_then(|f| u32::try_from(f).ok());
    let known = number.and_then(|f| t.texts.get(&(f, *line))).map(|text| text.trim().to_string());
    let waits = || run.story.waits.iter().find(|w| w.thread == t.thread as usize).map(|w| w.text.clone());
    let step =
        || run.story.steps.iter().rev().find(|s| s.file == *file && s.line == *line).map(|s| s.text.clone());
    known.or_else(waits).or_else(step).unwrap_or_default()
}

/// What the run leads to.
fn end(run: &Run<'_>, t: &Trace) -> Markup {
    let i = run.shown.len();
    let text = last(run, t);
    html! {
        div.step.end role="option" id=(format!("s{i}")) data-step=(i) data-lane=(t.thread) aria-selected="false" {
            span.at { (run.label(&t.place.0, t.place.1)) }
            span.dot.fail {}
            div.what {
                span.who { (run.story.name(t.thread as usize)) }
                @if !text.is_empty() { code.text { (text) } }
                strong { (t.violation.to_string()) }
            }
        }
    }
}

fn waiting(run: &Run<'_>) -> Markup {
    let story = run.story;
    html! {
        section {
            h2 { "Who waits" }
            div.scroll { table {
                thead { tr { th { "thread" } th { "waits for" } th.number { "line" } th { "statement" } } }
                tbody { @for w in &story.waits {
                    tr { td { (story.name(w.thread)) } td { (w.words(story)) } td.number { (run.label(&w.file, w.line)) } td { code { (w.text) } } }
                } }
            } }
        }
    }
}

fn races(races: &Races, t: &Trace, run: &Run<'_>) -> Markup {
    let story = run.story;
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
                                td { code { (a.object) } } td { (a.access.verb()) } td { (name(a)) } td.number { (run.label(&a.file, a.line)) }
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
