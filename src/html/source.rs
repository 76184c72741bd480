//! A source with what holds beside its lines.

use crate::explain::outline::{Held, Line, Outline, Thread};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Lines without anything said that stay around those that have something.
const AROUND: u32 = 3;
/// Fewer lines than this are not folded.
const FEW: u32 = 6;

/// The place of a line in a thread's tab.
pub(super) fn anchor(thread: usize, (file, line): Line) -> String {
    format!("t{thread}-{file}-{line}")
}

/// `12`, or `queue.h:12` where there are several files.
pub(super) fn name(outline: &Outline, (file, line): Line) -> String {
    let file = outline.files.get(file as usize).filter(|_| outline.files.len() > 1 && file > 0);
    let file = file.map(|f| f.rsplit('/').next().unwrap_or(f));
    file.map_or(line.to_string(), |f| format!("{f}:{line}"))
}

/// A link to a line of a thread.
pub(super) fn link(outline: &Outline, thread: usize, at: Line) -> Markup {
    html! { a.line href=(format!("#{}", anchor(thread, at))) { (name(outline, at)) } }
}

/// The conjuncts of a text: parts between `&&` outside of parentheses.
pub(super) fn conjuncts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0usize, 0usize);
    let mut alternatives = false;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => alternatives = true,
            '&' if depth == 0 && text.get(i..i + 3) == Some("&& ") => {
                parts.push(text[from..i].trim());
                from = i + 2;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    if alternatives { vec![text] } else { parts }
}

/// The files that a thread has something in, each with a part of its lines.
pub(super) fn listing(outline: &Outline, number: usize, thread: &Thread) -> Markup {
    let mut at: BTreeMap<Line, Vec<(usize, &Held)>> = BTreeMap::new();
    for (k, h) in thread.held.iter().enumerate() {
        at.entry(h.at).or_default().push((k, h));
    }
    // What others are said to do somewhere has to be there as well.
    let own = outline.transitions.iter().filter(|t| t.actor == thread.template);
    for line in own.flat_map(|t| &t.lines) {
        at.entry(*line).or_default();
    }
    let mut files: Vec<u32> = at.keys().map(|l| l.0).collect();
    files.dedup();
    html! {
        @for file in files {
            @if outline.files.len() > 1 { h3.file { (outline.files.get(file as usize).map_or("", String::as_str)) } }
            div.code {
                @for (first, last, folded) in parts(&at, file, lines(outline, file)) {
                    @if folded {
                        details.fold {
                            summary { "lines " (first) " to " (last) }
                            @for line in first..=last { (row(outline, number, (file, line), &[])) }
                        }
                    } @else {
                        @for line in first..=last {
                            (row(outline, number, (file, line), at.get(&(file, line)).map_or(&[], Vec::as_slice)))
                        }
                    }
                }
            }
        }
    }
}

fn lines(outline: &Outline, file: u32) -> u32 {
    outline.lines.get(file as usize).map_or(0, |l| u32::try_from(l.len()).unwrap_or(u32::MAX))
}

/// A file in parts: first and last line, and whether the part is folded.
fn parts(at: &BTreeMap<Line, Vec<(usize, &Held)>>, file: u32, total: u32) -> Vec<(u32, u32, bool)> {
    let mut out: Vec<(u32, u32, bool)> = Vec::new();
    let mut next = 1;
    let known = at.keys().filter(|l| l.0 == file && l.1 <= total).map(|l| l.1);
    let mut shown: Vec<(u32, u32)> = Vec::new();
    for l in known {
        let (a, b) = (l.saturating_sub(AROUND).max(1), l.saturating_add(AROUND).min(total));
        match shown.last_mut() {
            Some((_, end)) if a <= end.saturating_add(FEW) => *end = b,
            _ => shown.push((a, b)),
        }
    }
    for (a, b) in shown {
        let a = if a.saturating_sub(next) < FEW { next } else { a };
        if a > next {
            out.push((next, a - 1, true));
        }
        out.push((a, b, false));
        next = b + 1;
    }
    if next <= total {
        out.push((next, total, total - next >= FEW));
    }
    out
}

fn row(outline: &Outline, thread: usize, (file, line): Line, held: &[(usize, &Held)]) -> Markup {
    let text = outline.lines.get(file as usize).and_then(|l| l.get((line as usize).checked_sub(1)?));
    let text = text.map_or(String::new(), |t| t.trim_end().replace('\t', "    "));
    let id = anchor(thread, (file, line));
    html! {
        @match held.first() {
            Some((k, first)) => {
                button.row.known type="button" id=(id) data-note=(format!("n{thread}-{k}")) aria-expanded="false" {
                    span.no { (line) } span.src { (text) } span.inv { (first.text) }
                }
            }
            None => { div.row id=(id) tabindex="-1" { span.no { (line) } span.src { (text) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_taken_apart_at_the_top_only() {
        assert_eq!(conjuncts("a == 1 && (b || c && d) && e"), ["a == 1", "(b || c && d)", "e"]);
        assert_eq!(conjuncts("a || b && c"), ["a || b && c"]);
        assert_eq!(conjuncts("true"), ["true"]);
    }

    #[test]
    fn what_says_nothing_is_folded() {
        let mut at: BTreeMap<Line, Vec<(usize, &Held)>> = BTreeMap::new();
        at.insert((0, 50), Vec::new());
        at.insert((0, 53), Vec::new());
        assert_eq!(parts(&at, 0, 100), [(1, 46, true), (47, 56, false), (57, 100, true)]);
        assert_eq!(parts(&at, 0, 58), [(1, 46, true), (47, 56, false), (57, 58, false)]);
        assert_eq!(parts(&BTreeMap::new(), 0, 3), [(1, 3, false)]);
        assert_eq!(parts(&BTreeMap::new(), 1, 0), []);
    }
}
