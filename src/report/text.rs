//! The report as text. Its last line is the verdict.

use super::story::{Does, Page, Story, steps_as_text};
use super::{FileOutcome, seen, standing};
use crate::explain::settled;
use crate::pipeline::{Evidence, Races, Report, Verdict};
use anstyle::{AnsiColor, Style};
use relyant_check::Rule;
use relyant_interp::{Trace, render};
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DULL: Style = AnsiColor::Yellow.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();

/// The report on a file, with colours (to be stripped where they are not wanted). `full` shows all steps of a trace.
pub fn report(outcome: &FileOutcome, full: bool) -> String {
    let mut out = String::new();
    match outcome {
        FileOutcome::Verdict(r) => verdict(&mut out, r, full),
        FileOutcome::BadInput(d) => {
            let _ = writeln!(out, "{d}");
        }
        FileOutcome::Abandoned(reason, progress) => {
            prose(&mut out, PLAIN, "reason", &format!("{reason}{}", progress.stage.during()));
            so_far(&mut out, &standing(&progress.stats));
            last(&mut out, DULL, "unknown");
        }
    }
    out
}

/// Who found a proof, and how far it was.
fn found(out: &mut String, r: &Report) {
    if let Some(s) = &r.stats {
        let by = r.engine.unwrap_or_default();
        let what = standing(s);
        let comma = if what.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "found: by {by}{comma}{what}, in {:.2} s", r.seconds.prove);
    }
}

fn verdict(out: &mut String, r: &Report, full: bool) {
    prose(out, PLAIN, "property", &r.property);
    prose(out, PLAIN, "checks", &r.checks.describe());
    r.checks.notes.iter().for_each(|n| prose(out, DULL, "note", n));
    r.assumes.iter().for_each(|a| prose(out, FAINT, "assumes", a));
    r.losses.iter().for_each(|l| prose(out, FAINT, "for proofs", l));
    match &r.verdict {
        Verdict::Safe(Evidence::Space { space, checked }) => {
            let between = if space.switches().is_some() { " from switch to switch" } else { "" };
            let _ = writeln!(out, "proof: all states{between}, none of which is an error");
            searched(out, r);
            let _ = writeln!(
                out,
                "checked: {} states lead to each other only, in {:.2} s",
                checked.states, checked.seconds
            );
            last(out, GOOD, "safe");
        }
        Verdict::Safe(Evidence::Replicated { proof, checked, .. }) => {
            let (shared, local) = (proof.shared_states.len(), proof.local_states.len());
            let _ = writeln!(out, "proof: replicated threads of {local} states beside {shared} shared ones");
            found(out, r);
            let _ = writeln!(
                out,
                "checked: {} obligations and {} cover predecessors, in {:.2} s",
                checked.obligations, checked.predecessors, checked.seconds
            );
            last(out, GOOD, "safe");
        }
        Verdict::Safe(Evidence::Proof { proof, program, checked }) => {
            let modular = if proof.modular { ", modular" } else { "" };
            let how = match program.ordered.as_deref() {
                Some(o) if !o.is_product() => format!("{}{modular}, with {}", rule(proof.rule), o.words()),
                Some(o) => format!("in order: {}; {} pairs of steps commute", o.words(), o.swaps.len()),
                None => format!("{}{modular}", rule(proof.rule)),
            };
            prose(out, PLAIN, "proof", &how);
            if let Some(order) = program.waits_in_words() {
                prose(out, PLAIN, "waits", &order);
            }
            match settled::in_words(program, &r.checks) {
                Some(why) => prose(out, PLAIN, "settled", &why),
                None => found(out, r),
            }
            let _ = writeln!(
                out,
                "checked: {} obligations hold, in {:.2} s",
                checked.obligations, checked.seconds
            );
            last(out, GOOD, "safe");
        }
        Verdict::Unsafe { trace, shortest } => {
            run(out, trace, full);
            races(out, trace, &r.races);
            let by = r.engine.unwrap_or_default();
            let how = if *shortest { ", and no run with fewer steps fails" } else { "" };
            let _ = writeln!(out, "found: by {by}{how}");
            last(out, BAD, "unsafe");
        }
        Verdict::Unknown(reason) => {
            prose(out, PLAIN, "reason", &reason.to_string());
            so_far(out, &r.stats.as_ref().map(standing).unwrap_or_default());
            searched(out, r);
            r.hints.iter().for_each(|h| prose(out, FAINT, "hint", &h.to_string()));
            last(out, DULL, "unknown");
        }
    }
}

/// A run: what went wrong, the steps of the threads, and where it ends.
fn run(out: &mut String, trace: &Trace, full: bool) {
    let story = Story::from(trace);
    prose(out, BAD, "what happened", &story.headline);
    let unwritten = |name: &str| {
        let name = name.rsplit("::").next().unwrap_or(name);
        story
            .steps
            .iter()
            .flat_map(|s| &s.effects)
            .any(|e| e.does == Does::Read && e.from.is_none() && e.object == name)
    };
    let start = trace.start.iter().filter(|v| full || unwritten(&v.name));
    let start: Vec<String> = start.map(|v| format!("{} = {}", v.name, v.text)).collect();
    if !start.is_empty() {
        let _ = writeln!(out, "start: {}", start.join(", "));
    }
    out.push_str(&steps_as_text(&story, &trace.place.0, Page { width: width(), full }));
    let (file, line, _) = &trace.place;
    let at = if *line > 0 { format!(" at {file}:{line}") } else { String::new() };
    if story.waits.is_empty() {
        let _ = writeln!(out, "violated: {}{at} by {}", trace.violation, story.name(trace.thread as usize));
        let name = |n: &str| {
            let i = trace.threads.iter().position(|t| t == n);
            i.map_or_else(|| n.to_string(), |i| story.name(i).to_string())
        };
        out.push_str(&render::accesses(trace, &name));
        return;
    }
    let _ = writeln!(out, "violated: {}", trace.violation);
    for w in &story.waits {
        let _ = writeln!(out, "  {}", w.line(&story));
    }
}

/// Columns of the terminal; 100 where there is none.
fn width() -> usize {
    console::Term::stdout().size_checked().map_or(100, |(_, columns)| usize::from(columns).max(60))
}

/// A line of words after what they are about, broken between words where it gets too long.
fn prose(out: &mut String, style: Style, label: &str, text: &str) {
    let start = label.chars().count() + 2;
    let _ = writeln!(out, "{style}{label}:{style:#} {}", broken(text, start, width()));
}

fn broken(sentence: &str, start: usize, width: usize) -> String {
    let (mut out, mut column) = (String::new(), start);
    for word in sentence.split(' ') {
        let n = word.chars().count();
        if column > start && column + 1 + n > width {
            out.push('\n');
            out.push_str("  ");
            column = 2;
        } else if !out.is_empty() {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += n;
    }
    out
}

fn searched(out: &mut String, r: &Report) {
    if let Some(s) = &r.searched {
        let _ = writeln!(out, "searched: {}, in {:.2} s", seen(&s.stats), s.seconds);
    }
}

fn so_far(out: &mut String, standing: &str) {
    if !standing.is_empty() {
        let _ = writeln!(out, "so far: {standing}");
    }
}

fn last(out: &mut String, style: Style, word: &str) {
    let _ = writeln!(out, "verdict: {style}{word}{style:#}");
}

/// The proof rule's name.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::RelyGuarantee => "rely-guarantee",
        Rule::OwickiGries => "owicki-gries",
        Rule::Monolithic => "monolithic",
    }
}

/// All racing pairs of a program, where there are several.
fn races(out: &mut String, first: &Trace, races: &Races) {
    if races.pairs.len() > 1 {
        let _ = writeln!(out, "races: {} pairs of accesses", races.pairs.len());
        for (pair, run) in races.pairs.iter().zip(std::iter::once(first).chain(&races.runs)) {
            let story = Story::from(run);
            let name = |n: &String| {
                let i = run.threads.iter().position(|t| t == n);
                i.map_or_else(|| n.clone(), |i| story.name(i).to_string())
            };
            let shown: Vec<String> = pair
                .iter()
                .map(|a| {
                    let thread = name(&a.thread_name);
                    format!("{} by {thread} at {}:{}:{}", a.access.verb(), a.file, a.line, a.column)
                })
                .collect();
            let object = pair.iter().map(|a| a.object.as_str()).find(|o| !o.is_empty()).unwrap_or("memory");
            let _ = writeln!(out, "  {object}: {}", shown.join(", "));
        }
    }
    match races.open {
        0 => {}
        1 => out.push_str("races: one more pair of accesses may race, a short search told nothing\n"),
        n => {
            let _ = writeln!(out, "races: {n} more pairs of accesses may race, short searches told nothing");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(broken("one two", 4, 60), "one two");
        assert_eq!(broken("one two three four", 4, 12), "one two\n  three four");
        assert_eq!(broken("a_very_long_word and more", 4, 12), "a_very_long_word\n  and more");
    }
}
