//! What is added to the source: calls of the runtime, at labels and after declarations. Lines stay where they are.

use super::leaves::Parts;
use super::schedule::Numbered;
use super::statements::{statements, types};
use crate::report::json::TraceEntry;
use crate::report::run::StepKind;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

/// Texts to be put into a source, each in the place of another one, which may be empty.
#[derive(Default)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// The source with all of them.
    pub fn apply(mut self, source: &[u8]) -> Vec<u8> {
        self.0.sort_by_key(|e| (e.0.start, e.0.end));
        let mut out = Vec::with_capacity(source.len());
        let mut at = 0;
        for (here, text) in &self.0 {
            out.extend_from_slice(&source[at..here.start]);
            out.extend_from_slice(text.as_bytes());
            at = here.end;
        }
        out.extend_from_slice(&source[at..]);
        out
    }

    /// Another text in a place; places do not overlap.
    pub fn replace(&mut self, place: Range<usize>, text: String) {
        self.0.push((place, text));
    }

    fn insert(&mut self, at: usize, text: String) {
        self.0.push((at..at, text));
    }

    /// Calls at labels, for a violation that is one of a label.
    pub fn labels(&mut self, source: &[u8], label: Option<&str>, exclusive: Option<&str>) {
        let (label, call) = match (label, exclusive) {
            (Some(label), _) => (label, "relyant_error_label"),
            (None, Some(label)) => (label, "relyant_exclusive_label"),
            (None, None) => return,
        };
        for at in words(source, label) {
            let end = at + label.len();
            let gap = source[end..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            if source.get(end + gap) == Some(&b':') {
                let text = format!(" {{ extern void {call}(void); {call}(); }}");
                self.insert(end + gap + 1, text);
            }
        }
    }

    /// Statements that a thread of its own runs.
    pub fn threads(&mut self, source: &[u8]) {
        let labels = (0..source.len()).filter(|at| {
            source[*at..].starts_with(ASYNC.as_bytes())
                && at.checked_sub(1).is_none_or(|b| !is_word(source[b]))
        });
        for at in labels {
            let rest = &source[at..];
            let name = rest.iter().take_while(|b| is_word(**b)).count();
            let gap = rest[name..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            let colon = at + name + gap;
            if source.get(colon) != Some(&b':') {
                continue;
            }
            // Where the statement begins: that is the line of the run.
            let space = source[colon + 1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            let begin = colon + 1 + space;
            let mut depth = 0;
            let end = source[begin..].iter().position(|b| {
                depth += i32::from(b"({[".contains(b)) - i32::from(b")}]".contains(b));
                *b == b';' && depth == 0
            });
            if let Some(end) = end {
                let calls = "extern int relyant_async(void); extern void relyant_async_end(void);";
                self.insert(begin, format!("{{ {calls} if (relyant_async()) {{ "));
                self.insert(begin + end + 1, " relyant_async_end(); } }".into());
            }
        }
    }

    /// After declarations of what gets no value: the value that the run chose.
    pub fn choices(&mut self, source: &[u8], path: &Path, trace: &TraceEntry) {
        let read: BTreeSet<_> = (trace.run.steps.iter())
            .filter(|s| s.does == StepKind::Read && s.chosen)
            .map(|s| (s.object.as_str(), s.cell.as_str()))
            .collect();
        let wanted = Numbered::of(trace).into_iter().filter(|n| {
            let s = n.step;
            let first =
                s.does == StepKind::First && s.chosen && read.contains(&(s.object.as_str(), s.cell.as_str()));
            (first || s.does == StepKind::Choice)
                && s.value.is_some()
                && Path::new(&s.file).file_name() == path.file_name()
        });
        let mut known = BTreeSet::new();
        for n in wanted {
            let s = n.step;
            let name = s.object.rsplit("::").next().unwrap_or_default();
            let name = name.split(['#', '@', ' ']).next().unwrap_or_default();
            let Some(end) = after_declaration(source, s.line, s.column, name) else { continue };
            if known.insert((end, n.cell)) {
                let call = "extern void relyant_chosen(unsigned, void *, unsigned long); relyant_chosen";
                let (cell, suffix) = (n.cell, &s.cell);
                let text = format!(" {{ {call}({cell}, (void *)&{name}{suffix}, sizeof({name}{suffix})); }}");
                self.insert(end, text);
            }
        }
    }
}

impl Edits {
    /// After declarations of locals that are read without a value, where the run has no step for that: their address is taken,
    /// so that the compiler tells of each access, and the first read gives the value.
    pub fn addresses(&mut self, source: &[u8], trace: &TraceEntry) {
        let steps = || trace.run.steps.iter();
        let given: BTreeSet<_> = steps()
            .filter(|s| s.does == StepKind::Choice || s.does == StepKind::First)
            .map(|s| (s.object.as_str(), s.cell.as_str()))
            .collect();
        let open = steps().filter(|s| {
            s.does == StepKind::Read && s.chosen && !given.contains(&(s.object.as_str(), s.cell.as_str()))
        });
        let named = open.filter_map(|s| s.object.rsplit_once("::")).map(|(_, name)| name);
        let names: BTreeSet<&str> = named.map(|n| n.split(['#', '@', ' ']).next().unwrap_or(n)).collect();
        if names.is_empty() {
            return;
        }
        for (end, parts, text) in declarations(source) {
            let first =
                text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            if matches!(first, "typedef" | "extern" | "register") || !parts.declares {
                continue;
            }
            for name in names.iter().filter(|n| words(text.as_bytes(), n).next().is_some()) {
                let call = "extern void relyant_seen(void *); relyant_seen";
                self.insert(end, format!(" {{ {call}((void *)&{name}); }}"));
            }
        }
    }

    /// After declarations of objects that are defined const: where they are.
    pub fn constants(&mut self, source: &[u8]) {
        for (end, parts, text) in declarations(source) {
            if words(text.as_bytes(), "typedef").next().is_some() {
                continue;
            }
            for name in &parts.constants {
                let call =
                    "extern void relyant_constant(const volatile void *, unsigned long); relyant_constant";
                self.insert(end, format!(" {{ {call}(&{name}, sizeof({name})); }}"));
            }
        }
    }
}

/// Statements that end with a semicolon: where that is, what they are made of, and their text.
fn declarations(source: &[u8]) -> Vec<(usize, Parts, &str)> {
    let types = types(source);
    let constant = constant_types(source);
    let whole = statements(source).into_iter().filter(|s| s.whole);
    let all = whole.filter_map(|s| {
        let text = std::str::from_utf8(source.get(s.text.clone())?).ok()?;
        let rest = source.get(s.text.end..)?;
        let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let ends = rest.get(space) == Some(&b';');
        ends.then(|| (s.text.end + space + 1, Parts::among(text, &types, &constant), text))
    });
    all.collect()
}

/// Names of types that are const.
fn constant_types(source: &[u8]) -> BTreeSet<String> {
    let all = words(source, "typedef").filter_map(|at| {
        let text = source[at..].split(|b| *b == b';').next()?;
        let plain = !text.iter().any(|b| b"*({[".contains(b)) && words(text, "const").next().is_some();
        let name = text.rsplit(|b| !is_word(*b)).find(|w| !w.is_empty())?;
        plain.then(|| String::from_utf8_lossy(name).into_owned())
    });
    all.collect()
}

/// Label of CPROVER's dialect: a thread of its own runs the statement, with copies of the locals.
pub const ASYNC: &str = "__CPROVER_ASYNC";

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Where a word stands.
pub fn words<'a>(text: &'a [u8], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let n = word.len();
    (0..(text.len() + 1).saturating_sub(n)).filter(move |at| {
        n > 0
            && text[*at..].starts_with(word.as_bytes())
            && (*at == 0 || !is_word(text[at - 1]))
            && !text.get(at + n).is_some_and(|b| is_word(*b))
    })
}

/// Where a line and column are.
pub fn offset(text: &[u8], line: u32, column: u32) -> Option<usize> {
    let skip = line.checked_sub(1)? as usize;
    let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
    Some(std::iter::once(0).chain(ends).nth(skip)? + (column.max(1) - 1) as usize)
}

/// The end of a declaration that is a statement of its own, without a value for the name at this place.
fn after_declaration(text: &[u8], line: u32, column: u32, name: &str) -> Option<usize> {
    let at = offset(text, line, column)?;
    let rest = text.get(at..)?;
    let end = rest.iter().position(|b| *b == b';')?;
    // The declaration is no part of a `for`, and of no parameter.
    let before = text[..at].iter().rev().take_while(|b| !b";{}".contains(b));
    let declares = words(&rest[..end], name).next().is_some();
    let balanced = |b: u8, c: u8| {
        rest[..end].iter().filter(|x| **x == b).count() == rest[..end].iter().filter(|x| **x == c).count()
    };
    let plain = before.clone().all(|b| *b != b'(') && balanced(b'(', b')') && balanced(b'{', b'}');
    (declares && plain).then_some(at + end + 1)
}
