//! A run as text: a column for each thread, as wide as there is room.
//!
//! In a line only one thread does something, so what it does may run to the right edge, over columns of others.

use super::words::{Told, told};
use super::{Step, Story};
use anstyle::{AnsiColor, Style};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Columns that are narrower than this are none: the thread's name stands in front of each line.
const NARROWEST: usize = 16;

/// What stands above names of threads.
const THREAD: &str = "thread";

const HEAD: Style = Style::new().bold();
const STALE: Style = AnsiColor::Red.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// How a run is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Columns of the terminal.
    pub width: usize,
    /// All steps and rounds.
    pub full: bool,
}

/// The steps of a run. `file` is named in no line.
pub fn steps_as_text(story: &Story, file: &str, page: Page) -> String {
    let shown: Vec<usize> =
        (0..story.steps.len()).filter(|i| page.full || story.steps[*i].is_told()).collect();
    let label = |s: &Step| match s.line {
        0 => String::new(),
        l if s.file == file => l.to_string(),
        l => format!("{}:{l}", s.file.rsplit('/').next().unwrap_or(&s.file)),
    };
    let margin =
        shown.iter().map(|i| label(&story.steps[*i]).chars().count()).max().unwrap_or(0).clamp(4, 24);
    let mut threads: Vec<usize> = shown.iter().map(|i| story.steps[*i].thread).collect();
    threads.sort_unstable();
    threads.dedup();
    // The last column has twice the room, as there is nothing on its right; none is wider than what stands in it.
    let parts = threads.len() + usize::from(threads.len() > 1);
    let room = page.width.saturating_sub(margin + 2) / parts.max(1);
    let narrow = room < NARROWEST;
    let wanted = shown.iter().map(|i| length(story, &story.steps[*i]) + 2);
    let wanted = wanted.chain(threads.iter().map(|t| story.threads[*t].heading().chars().count() + 2)).max();
    let each = wanted.unwrap_or(0).clamp(NARROWEST, room.max(NARROWEST));
    let names = threads.iter().map(|t| story.name(*t).chars().count()).max().unwrap_or(0).max(THREAD.len());
    let mut out = String::new();
    let mut folded = BTreeSet::new();
    let heads: Vec<String> = match narrow {
        true => vec![THREAD.into()],
        false => threads.iter().map(|t| format!("{:each$}", fitting(story, *t, each - 1))).collect(),
    };
    let line = format!("{:>margin$}  {}", "line", heads.concat());
    let _ = writeln!(out, "{HEAD}{}{HEAD:#}", line.trim_end());
    for i in shown {
        let s = &story.steps[i];
        let column = threads.iter().position(|t| *t == s.thread).unwrap_or(0);
        let start = margin + 2 + if narrow { names + 2 } else { column * each };
        let before = match narrow {
            true => format!("{:>margin$}  {:names$}  ", label(s), story.name(s.thread)),
            false => format!("{:>margin$}  {:indent$}", label(s), "", indent = start - margin - 2),
        };
        let before_it = story.folds.partition_point(|f| f.first <= i);
        let fold = story.folds[..before_it].last().filter(|f| i < f.first + f.steps && !page.full);
        if let Some(f) = fold {
            if folded.insert(f.first) {
                let words = cut(&f.words(story), page.width.saturating_sub(start));
                let _ = writeln!(out, "{:start$}{FAINT}{words}{FAINT:#}", "");
            }
            continue;
        }
        step(&mut out, story, s, &before, page.width.saturating_sub(start));
    }
    out
}

/// A thread's name and its start routine where there is room, else the name.
fn fitting(story: &Story, thread: usize, room: usize) -> String {
    let head = story.threads[thread].heading();
    if head.chars().count() <= room { head } else { cut(story.name(thread), room) }
}

/// The statement of a step.
fn statement(s: &Step) -> String {
    let continued = if s.continued { "… " } else { "" };
    format!("{}{continued}{}", "  ".repeat(s.depth.min(4)), s.text)
}

/// Characters of a step on one line.
fn length(story: &Story, s: &Step) -> usize {
    let parts: usize = told(story, s).iter().map(|p| p.text().chars().count() + 2).sum();
    statement(s).chars().count() + parts
}

/// A line or more: the statement, and what it does beside it or, where there is no room, below.
fn step(out: &mut String, story: &Story, s: &Step, before: &str, room: usize) {
    let text = statement(s);
    let parts = told(story, s);
    if parts.is_empty() || length(story, s) <= room {
        let effects: Vec<String> = parts.iter().map(styled).collect();
        let gap = if parts.is_empty() || s.text.is_empty() { "" } else { "  " };
        let _ = writeln!(out, "{}", format!("{before}{text}{gap}{}", effects.join(", ")).trim_end());
        return;
    }
    let indent = " ".repeat(before.chars().count() + 2);
    let mut line = match s.text.is_empty() {
        true => String::new(),
        false => {
            let _ = writeln!(out, "{before}{}", cut(&text, room));
            indent.clone()
        }
    };
    if s.text.is_empty() {
        line.push_str(before);
    }
    let mut used = 0;
    for p in &parts {
        let n = p.text().chars().count();
        if used > 0 && used + 2 + n > room.saturating_sub(2) {
            let _ = writeln!(out, "{},", line.trim_end());
            (line, used) = (indent.clone(), 0);
        }
        if used > 0 {
            line.push_str(", ");
            used += 2;
        }
        line.push_str(&styled(p));
        used += n;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

fn styled(t: &Told) -> String {
    if t.stale { format!("{STALE}{}{STALE:#}", t.text()) } else { t.text() }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Actor, Does, Effect, Fold};
    use super::*;
    use anstream::adapter::strip_str;

    /// `main` creates eleven threads in a loop, and each of them takes a lock.
    fn twelve() -> Story {
        let actor = |k: usize| match k {
            0 => Actor { name: "main".into(), routine: "main".into(), ..Actor::default() },
            k => Actor { name: format!("worker[{}]", k - 1), routine: "work".into(), ..Actor::default() },
        };
        let create = |k: usize| {
            let effect = Effect { does: Does::Create, thread: Some(k), ..Effect::default() };
            let text = "pthread_create(&worker[i], 0, work, 0);".into();
            Step { file: "a.c".into(), line: 24, text, effects: vec![effect], ..Step::default() }
        };
        let lock = |thread: usize| {
            let effect = Effect { does: Does::Lock, object: "lock".into(), ..Effect::default() };
            let text = "pthread_mutex_lock(&lock);".into();
            Step { thread, file: "a.c".into(), line: 8, text, effects: vec![effect], ..Step::default() }
        };
        Story {
            threads: (0..12).map(actor).collect(),
            steps: (1..12).map(create).chain((1..12).map(lock)).collect(),
            folds: vec![Fold { first: 1, steps: 9, rounds: 9 }],
            ..Story::default()
        }
    }

    fn lines(width: usize) -> Vec<String> {
        let text = steps_as_text(&twelve(), "a.c", Page { width, full: false });
        strip_str(&text).to_string().lines().map(String::from).collect()
    }

    #[test]
    fn many_threads_have_their_names_beside_the_lines() {
        let all = lines(100);
        assert_eq!(all.len(), 1 + 3 + 11);
        assert_eq!(all[0], "line  thread");
        assert_eq!(all[1], "  24  main        pthread_create(&worker[i], 0, work, 0);  starts worker[0]");
        assert_eq!(all[2], "                  … 9 more rounds: starts worker[1] to worker[9]");
        assert_eq!(all[14], "   8  worker[10]  pthread_mutex_lock(&lock);  takes lock");
        assert!(lines(60).iter().all(|l| l.chars().count() <= 60));
    }

    #[test]
    fn wide_terminals_have_room_for_twelve_columns() {
        let all = lines(300);
        assert!(all[0].starts_with("line  main ") && all[0].ends_with(" worker[10]: work"), "{}", all[0]);
        let at = |l: &str, what: &str| l.find(what).unwrap();
        assert_eq!(at(&all[14], "pthread_mutex_lock"), at(&all[0], "worker[10]"));
        assert!(all.iter().all(|l| l.chars().count() <= 300));
    }
}
