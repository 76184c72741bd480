//! A run as text: a column for each thread, as wide as there is room.
//!
//! In a line only one thread does something, so what it does may run to the right edge, over columns of others.

use super::{Does, Effect, Step, Story};
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// Columns that are narrower than this are none: the thread's name stands in front of each line.
const NARROWEST: usize = 16;

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
        (0..story.steps.len()).filter(|i| page.full || is_shown(&story.steps[*i])).collect();
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
    // The last column has twice the room, as there is nothing on its right.
    let parts = threads.len() + usize::from(threads.len() > 1);
    let each = page.width.saturating_sub(margin + 2) / parts.max(1);
    let narrow = each < NARROWEST;
    let names = threads.iter().map(|t| story.name(*t).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    if !narrow {
        let heads: Vec<String> =
            threads.iter().map(|t| format!("{:each$}", cut(&head(story, *t), each - 1))).collect();
        let line = format!("{:>margin$}  {}", "line", heads.concat());
        let _ = writeln!(out, "{HEAD}{}{HEAD:#}", line.trim_end());
    }
    for i in shown {
        let s = &story.steps[i];
        let column = threads.iter().position(|t| *t == s.thread).unwrap_or(0);
        let start = margin + 2 + if narrow { names + 2 } else { column * each };
        let before = match narrow {
            true => format!("{:>margin$}  {:names$}  ", label(s), story.name(s.thread)),
            false => format!("{:>margin$}  {:indent$}", label(s), "", indent = start - margin - 2),
        };
        let fold =
            story.folds.iter().find(|f| (f.first..f.first + f.steps).contains(&i)).filter(|_| !page.full);
        if let Some(f) = fold {
            if f.first == i {
                let _ = writeln!(out, "{:start$}{FAINT}… {} more rounds{FAINT:#}", "", f.rounds);
            }
            continue;
        }
        step(&mut out, story, s, &before, page.width.saturating_sub(start));
    }
    out
}

/// A thread's name and its start routine.
fn head(story: &Story, thread: usize) -> String {
    let t = &story.threads[thread];
    match t.routine == t.name || t.name.starts_with(&format!("{}/", t.routine)) {
        true => t.name.clone(),
        false => format!("{}: {}", t.name, t.routine),
    }
}

/// Is there something to say of a step, beyond where it is?
fn is_shown(s: &Step) -> bool {
    if s.continued && s.effects.iter().all(|e| e.own && e.does == Does::Set) {
        return false;
    }
    s.effects.iter().any(|e| !(e.own && e.does == Does::Read) && (e.does != Does::Look || e.value == "freed"))
}

/// A line or more: the statement, and what it does beside it or, where there is no room, below.
fn step(out: &mut String, story: &Story, s: &Step, before: &str, room: usize) {
    let continued = if s.continued { "… " } else { "" };
    let text = format!("{}{continued}{}", "  ".repeat(s.depth.min(4)), s.text);
    let parts = parts(story, s);
    let plain: usize = parts.iter().map(|p| p.text.chars().count() + 2).sum::<usize>().saturating_sub(2);
    let length = text.chars().count();
    if parts.is_empty() || length + 2 + plain <= room {
        let effects: Vec<String> = parts.iter().map(Part::styled).collect();
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
        let n = p.text.chars().count();
        if used > 0 && used + 2 + n > room.saturating_sub(2) {
            let _ = writeln!(out, "{},", line.trim_end());
            (line, used) = (indent.clone(), 0);
        }
        if used > 0 {
            line.push_str(", ");
            used += 2;
        }
        line.push_str(&p.styled());
        used += n;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Words about an effect.
struct Part {
    text: String,
    stale: bool,
}

impl Part {
    fn styled(&self) -> String {
        if self.stale { format!("{STALE}{}{STALE:#}", self.text) } else { self.text.clone() }
    }
}

fn parts(story: &Story, s: &Step) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    let written = |e: &Effect| {
        s.effects.iter().any(|w| w.does == Does::Write && w.cell == e.cell && w.before == e.value)
    };
    let read = |e: &Effect| {
        s.effects
            .iter()
            .any(|r| r.does == Does::Read && r.cell == e.cell && r.value == e.before && r.stale.is_none())
    };
    let reads: Vec<&String> = s.effects.iter().filter(|e| e.does == Does::Read).map(|e| &e.value).collect();
    let thread = |e: &Effect| e.thread.map_or("a thread", |t| story.name(t));
    for e in &s.effects {
        let o = &e.object;
        let v = &e.value;
        let stale = e.stale.is_some();
        let text = match e.does {
            Does::Read if stale => format!("reads {o} = {v} (stale)"),
            Does::Read if e.own || written(e) => continue,
            Does::Read => format!("reads {o} = {v}"),
            Does::Write if read(e) => format!("{o} = {} → {v}", e.before),
            // A local that takes what was read.
            Does::Set if reads.contains(&v) => continue,
            Does::Write | Does::Set => format!("{o} = {v}"),
            Does::Input => format!("{o}() gives {v}"),
            Does::Lock => format!("takes {o}"),
            Does::ShareLock => format!("takes {o} to read"),
            Does::Unlock | Does::ShareUnlock => format!("releases {o}"),
            Does::Wait => format!("waits for {o}"),
            Does::Wake => format!("is woken by {o}"),
            Does::WakeSpuriously => "wakes up by itself".into(),
            Does::Signal => format!("signals {o}"),
            Does::SignalNobody => format!("signals {o}, nobody waits"),
            Does::Post => format!("posts {o} = {v}"),
            Does::Take => format!("takes {o} = {v}"),
            Does::Arrive => format!("comes to {o}"),
            Does::Free => format!("frees {o}"),
            Does::Look if v == "freed" => format!("{o} is freed"),
            Does::Look => continue,
            Does::Create => format!("starts {}", thread(e)),
            Does::Join => format!("joins {}", thread(e)),
            Does::AboutToRead => format!("about to read {o}"),
            Does::AboutToWrite => format!("about to write {o}"),
            Does::End => "ends".into(),
            Does::Halt => "ends the program".into(),
        };
        if out.last().is_none_or(|p| p.text != text) {
            out.push(Part { text, stale });
        }
    }
    out
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
