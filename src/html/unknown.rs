//! The pages without a verdict: what ran out, where, and what to try.

use super::page::Page;
use super::{Case, facts, of_verdict, threads};
use crate::pipeline::{Hint, Report, Unknown};
use crate::report::{seen, standing};
use maud::{Markup, html};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::limits::Progress;

/// The page of a report.
pub(super) fn page<'a>(case: &Case<'a>, r: &Report, why: &Unknown) -> Page<'a> {
    let mut page = of_verdict(case, "unknown", "Neither a proof nor a run that fails was found.".into());
    page.facts = facts(r, threads(r), Vec::new());
    let mut reached = Vec::new();
    if let Some(s) = r.stats.as_ref().map(standing).filter(|s| !s.is_empty()) {
        reached.push(("refinement", s));
    }
    if let Some(s) = &r.searched {
        reached.push(("search", seen(&s.stats)));
    }
    page.body = html! { (what(&reasons(why))) (far(&reached)) (hints(&r.hints)) };
    page
}

/// A reason in words, and where it is, if that is known.
type Ended = (String, Option<Diagnostic>);

/// The reasons, one by one.
fn reasons(why: &Unknown) -> Vec<Ended> {
    match why {
        Unknown::All(all) => all.iter().flat_map(reasons).collect(),
        Unknown::Refused(d) => vec![(why.to_string(), Some((**d).clone()))],
        _ => vec![(why.to_string(), None)],
    }
}

/// Where it hangs, and what may help there.
fn hints(all: &[Hint]) -> Markup {
    html! {
        @if !all.is_empty() {
            section #hints aria-labelledby="h-hints" {
                h2 #h-hints { "What to try" }
                ul.reasons { @for h in all { li { (h.to_string()) } } }
            }
        }
    }
}

/// The page of a run that was left behind.
pub(super) fn abandoned<'a>(case: &Case<'a>, why: &str, progress: &Progress) -> Page<'a> {
    let mut page = of_verdict(case, "unknown", "The run ended before there was a verdict.".into());
    let ended = [(format!("{why}{}", progress.stage.during()), None)];
    let standing = standing(&progress.stats);
    let reached = if standing.is_empty() { Vec::new() } else { vec![("refinement", standing)] };
    page.facts = html! { dl.facts { @if !case.property.is_empty() { div { dt { "property" } dd { (case.property) } } } } };
    page.body = html! { (what(&ended)) (far(&reached)) };
    page
}

/// The page of an input that was refused.
pub(super) fn refused<'a>(file: &'a str, d: &Diagnostic) -> Page<'a> {
    let body = html! {
        section {
            h2 { "Where" }
            p { (d.file) @if d.line > 0 { ", line " (d.line) } @if d.column > 0 { ", column " (d.column) } }
            @if let Some(text) = &d.source_line { div.code { div.row { span.no { (d.line) } span.src { (text.replace('\t', "    ")) } } } }
            @if !d.help.is_empty() { p.hint { (d.help) } }
        }
    };
    Page {
        title: file,
        verdict: "refused",
        sentence: format!("The input is refused: {}.", d.message.trim_end_matches('.')),
        body,
        ..Page::default()
    }
}

fn what(all: &[Ended]) -> Markup {
    html! {
        section #reasons aria-labelledby="h-reasons" {
            h2 #h-reasons { "What ran out" }
            ul.reasons {
                @for (reason, place) in all {
                    li {
                        (reason)
                        @if let Some(d) = place {
                            div.code { div.row {
                                span.no { (d.line) }
                                span.src { (d.source_line.as_deref().unwrap_or_default().replace('\t', "    ")) }
                            } }
                        }
                    }
                }
            }
        }
    }
}

fn far(reached: &[(&str, String)]) -> Markup {
    html! {
        @if !reached.is_empty() {
            section aria-labelledby="h-far" {
                h2 #h-far { "How far it was" }
                dl.facts { @for (name, text) in reached { div { dt { (name) } dd { (text) } } } }
            }
        }
    }
}
