//! The page of a *safe* verdict: the source with its invariants, who relies on whom, the obligations.

use super::evidence::{Asked, NoEvidence, Shown};
use super::page::{Download, Page};
use super::source::{conjuncts, link, listing};
use super::{Case, facts, of_verdict, threads};
use crate::explain::outline::{Held, Outline, Thread, Transition};
use crate::explain::settled::is_settled;
use crate::pipeline::{Evidence, Report, Verdict};
use maud::{Markup, html};
use relyant_cfa::Count;
use relyant_check::Rule;
use relyant_checker::source::Counted;
use relyant_program::ordered::Ordered;
use std::collections::BTreeMap;

/// The page.
pub(super) fn page<'a>(case: &Case<'a>, r: &Report) -> Page<'a> {
    let many = r.threads.iter().any(|t| t.1 == Count::Unbounded);
    let runs = if many { "In every run, with any number of threads" } else { "In every run" };
    let mut page = of_verdict(case, "safe", format!("{runs}: {}.", r.property));
    page.facts = facts(
        r,
        threads(r),
        vec![("evidence", evidence(r)), ("found by", r.engine.unwrap_or_default().into())],
    );
    let name = |end: &str| format!("{}{end}", stem(case.file));
    match case.shown {
        Some(Ok(shown)) => {
            page.body = body(shown);
            let more = case.more.iter().map(|f| f.display().to_string());
            let files: Vec<String> = std::iter::once(case.file.to_string()).chain(more).collect();
            let files = files.join(" ");
            let command = |what: &str| format!("relyant verify {what} {files}");
            let proof = Download::new(
                name(".proof.json"),
                "the certificate, for relyant check",
                &shown.certificate,
                command("--proof PROOF.json"),
            );
            page.files.push(proof);
            if !shown.smt2.is_empty() {
                page.files.push(Download::new(
                    name(".smt2"),
                    "all obligations, each to be unsat",
                    &shown.smt2,
                    format!("relyant check --smt2 DIR PROOF.json {files}"),
                ));
            }
        }
        Some(Err(why)) => page.body = nothing(why),
        None => {}
    }
    if let Some(witness) = case.witness {
        let text =
            Download::new(name(".witness.yml"), "the witness, SV-COMP's format", witness, String::new());
        page.files.push(text);
    }
    page
}

/// The name of a file without its folders and ending.
pub(super) fn stem(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |x| x.0).to_string()
}

fn evidence(r: &Report) -> String {
    match &r.verdict {
        Verdict::Safe(Evidence::Proof { program, .. })
            if program.ordered.as_deref().is_some_and(Ordered::is_product) =>
        {
            let order = program.ordered.as_deref().map_or(String::new(), Ordered::words);
            format!("proof in an order of preference, since steps commute: {order}")
        }
        Verdict::Safe(Evidence::Proof { program, .. }) if is_settled(program) => {
            "no step that is left after reading can fail".into()
        }
        Verdict::Safe(Evidence::Proof { proof, program, .. }) => {
            let rule = match proof.rule {
                Rule::RelyGuarantee => {
                    "rely-guarantee proof: each thread on its own, against what the others may do"
                }
                Rule::OwickiGries => "Owicki-Gries proof: assertions that no step of another thread breaks",
                Rule::Monolithic => "one invariant over all threads",
            };
            let sections =
                program.ordered.as_deref().map_or(String::new(), |o| format!(", with {}", o.words()));
            let waits = program.waits_in_words().map_or(String::new(), |o| format!("; {o}"));
            format!("{}{rule}{sections}{waits}", if proof.modular { "modular " } else { "" })
        }
        Verdict::Safe(Evidence::Space { space, checked }) => {
            let between = if space.switches().is_some() { " from switch to switch" } else { "" };
            format!("all {} states{between}, none of which is an error", checked.states)
        }
        Verdict::Safe(Evidence::Replicated { .. }) => "replicated finite-state threads".into(),
        _ => String::new(),
    }
}

fn nothing(why: &NoEvidence) -> Markup {
    html! { section { h2 { "Evidence" } p { "The evidence was accepted, but cannot be shown here: " (why.to_string()) } } }
}

fn body(shown: &Shown) -> Markup {
    let o = &shown.outline;
    html! {
        @if !o.threads.is_empty() { (proof(o)) }
        @if !o.global.is_empty() { (global(o)) }
        @if !o.transitions.is_empty() { (relies(o)) }
        (obligations(shown))
    }
}

fn proof(o: &Outline) -> Markup {
    html! {
        section #proof aria-labelledby="h-proof" {
            @if o.settled {
                h2 #h-proof { "What was settled while reading" }
            } @else {
                h2 #h-proof { "What holds where" }
                p.hint { "Before each marked line its invariant holds, whatever the other threads do. Choose a line to see who may touch it." }
            }
            @for note in &o.notes { p.hint { (note) } }
            div.tabs role="tablist" aria-label="threads" {
                @for (k, t) in o.threads.iter().enumerate() {
                    button type="button" role="tab" id=(format!("tab-{k}")) aria-controls=(format!("pane-{k}"))
                        aria-selected=(if k == 0 { "true" } else { "false" }) tabindex=(if k == 0 { "0" } else { "-1" }) { (t.name) }
                }
            }
            div.split {
                div.panes {
                    @for (k, t) in o.threads.iter().enumerate() {
                        div.pane role="tabpanel" id=(format!("pane-{k}")) aria-labelledby=(format!("tab-{k}")) hidden[k > 0] {
                            (listing(o, k, t))
                        }
                    }
                }
                aside.detail aria-live="polite" aria-label="invariant" {
                    @for (k, t) in o.threads.iter().enumerate() { (notes(o, k, t)) }
                }
            }
        }
    }
}

/// What is said of each line of a thread, one after the other.
fn notes(o: &Outline, number: usize, thread: &Thread) -> Markup {
    let mut at: BTreeMap<(u32, u32), Vec<(usize, &Held)>> = BTreeMap::new();
    for (k, h) in thread.held.iter().enumerate() {
        at.entry(h.at).or_default().push((k, h));
    }
    html! {
        @for (line, all) in at {
            @let first = all.first().map_or(0, |x| x.0);
            div.note id=(format!("n{number}-{first}")) {
                h3 { @if !o.settled { (thread.name) " before " } "line " (super::source::name(o, line)) }
                @for (i, (_, h)) in all.iter().enumerate() {
                    @if i > 0 { p.next { @if h.next.is_empty() { "later in the line" } @else { "then, before " code { (h.next) } } } }
                    (invariant(&h.text))
                    (touched(o, h))
                }
            }
        }
    }
}

fn invariant(text: &str) -> Markup {
    html! {
        ul.conjuncts { @for c in conjuncts(text) { li { code { (c) } } } }
    }
}

fn touched(o: &Outline, h: &Held) -> Markup {
    let mut by: BTreeMap<u32, Vec<&Transition>> = BTreeMap::new();
    for t in h.touched.iter().filter_map(|k| o.transitions.get(*k)) {
        by.entry(t.actor).or_default().push(t);
    }
    html! {
        @if by.is_empty() && !o.transitions.is_empty() {
            p.quiet { "No step of another thread touches what this speaks of." }
        }
        @for (actor, all) in by {
            h4 { "may be touched by " (actor_name(o, actor)) }
            (transitions(o, actor, &all))
        }
    }
}

/// Thread of a template, as the page numbers them.
fn pane(o: &Outline, template: u32) -> Option<usize> {
    o.threads.iter().position(|t| t.template == template)
}

fn actor_name(o: &Outline, template: u32) -> &str {
    pane(o, template).and_then(|k| o.threads.get(k)).map_or("a thread", |t| &t.name)
}

fn transitions(o: &Outline, actor: u32, all: &[&Transition]) -> Markup {
    html! {
        ul.transitions {
            @for t in all {
                li {
                    @if !t.before.is_empty() { code.when { (t.before) } span.arrow { " → " } }
                    code.does { (t.does) }
                    @if let Some(k) = pane(o, actor) {
                        span.from {
                            @for (i, line) in t.lines.iter().enumerate() {
                                @if i == 0 { " line " } @else { ", " }
                                (link(o, k, *line))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn global(o: &Outline) -> Markup {
    html! {
        section #proof {
            h2 { "One invariant, by where the threads are" }
            div.scroll { table {
                thead { tr { th { "where" } th { "what holds" } } }
                tbody { @for (at, text) in &o.global { tr { td { (at) } td { code { (text) } } } } }
            } }
        }
    }
}

fn relies(o: &Outline) -> Markup {
    let pairs: BTreeMap<(u32, u32), Vec<&Transition>> =
        o.transitions.iter().fold(BTreeMap::new(), |mut m, t| {
            m.entry((t.target, t.actor)).or_insert_with(Vec::new).push(t);
            m
        });
    html! {
        section #relies aria-labelledby="h-relies" {
            h2 #h-relies { "Who relies on whom" }
            p.hint { "A row relies on its columns to do nothing but so many kinds of steps while it holds on to its invariants." }
            div.scroll { table.matrix {
                thead { tr { td {} @for t in &o.threads { th scope="col" { (t.name) } } } }
                tbody {
                    @for (i, target) in o.threads.iter().enumerate() {
                        tr {
                            th scope="row" { (target.name) }
                            @for (k, actor) in o.threads.iter().enumerate() {
                                @match pairs.get(&(target.template, actor.template)) {
                                    Some(all) => { td { a href=(format!("#r{i}-{k}")) { (all.len()) } } }
                                    None => { td.none { @if i == k { "–" } @else { "0" } } }
                                }
                            }
                        }
                    }
                }
            } }
            @for (i, target) in o.threads.iter().enumerate() {
                @for (k, actor) in o.threads.iter().enumerate() {
                    @if let Some(all) = pairs.get(&(target.template, actor.template)) {
                        details.pair id=(format!("r{i}-{k}")) {
                            summary { (target.name) " relies on " (actor.name) " to do only this" }
                            (transitions(o, actor.template, all))
                        }
                    }
                }
            }
        }
    }
}

fn obligations(shown: &Shown) -> Markup {
    let mut rules: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for a in &shown.obligations {
        let sum = rules.entry(a.rule).or_default();
        *sum = (sum.0 + 1, sum.1 + a.seconds);
    }
    let accepted = match shown.counted {
        Counted::Obligations(n) => format!(
            "The checker, which shares no code with the engines, read the source anew and found that all {n} obligations hold."
        ),
        c => format!("The checker, which shares no code with the engines, read the source anew: {c}."),
    };
    html! {
        section #obligations aria-labelledby="h-obligations" {
            h2 #h-obligations { "Obligations" }
            p.hint { (accepted) }
            @if !rules.is_empty() {
                p.hint { "Below each is asked once more, alone, as the SMT-LIB script that can be saved." }
                div.scroll { table.sums {
                    thead { tr { th { "rule" } th { "says" } th.number { "number" } th.number { "time" } } }
                    tbody {
                        @for (rule, (n, seconds)) in &rules {
                            tr { td { (rule) } td { (meaning(rule)) } td.number { (n) } td.number.time { (ms(*seconds)) } }
                        }
                    }
                } }
                details {
                    summary { "each obligation, with solver and time" }
                    div.scroll { table.each {
                        thead { tr { th { "rule" } th { "obligation" } th { "solver" } th { "answer" } th.number { "time" } } }
                        tbody { @for a in &shown.obligations { (asked(a)) } }
                    } }
                }
            }
        }
    }
}

fn asked(a: &Asked) -> Markup {
    let answer = match a.holds {
        Some(true) => "unsat",
        Some(false) => "sat",
        None => "not asked alone",
    };
    let solver = z3::full_version().split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    html! {
        tr { td { (a.rule) } td { (a.title) } td.nowrap { (solver) } td { (answer) } td.number.time { (ms(a.seconds)) } }
    }
}

fn ms(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1000.0)
}

/// What a rule says.
fn meaning(rule: &str) -> &'static str {
    match rule {
        "CS1" => "the start is in each thread's assertions",
        "CS2" => "a thread's own steps keep them",
        "CS3" => "the steps that others may do keep them",
        "CS4" => "no thread does other steps than those",
        "CS5" => "no error is in them",
        "tickets" => "no two threads hold the same ticket",
        _ => "added variables follow the program, and what is claimed of them",
    }
}
