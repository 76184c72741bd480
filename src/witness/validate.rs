//! Checks a correctness witness: the program keeps the property, and each invariant holds as an assertion where it stands.
//!
//! Both are decided as any program is, with checked evidence. The invariants are tested in steps of their own that change
//! nothing, the ghosts change in one step with their statements.

use super::correctness::statement;
use super::{Correctness, Invariant};
use crate::pipeline::{self, Settings, Verdict};
use crate::task::Property;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c::instrument::{ATOMIC, Addition, Instrumentation};
use relyant_frontend::c::outline::Outline;
use std::fmt::Write;
use std::path::Path;

/// What came of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// The property and all invariants hold.
    Hold(String),
    /// One does not: which.
    Violated(String),
    /// Not decided, and why.
    Undecided(String),
}

/// Invariants that are left out of a witness one by one before all are.
const ROUNDS: usize = 12;

/// Called where an invariant does not hold.
const FAILS: &str = "__relyant_invariant_fails";

/// Checks the property, then the invariants.
///
/// # Errors
/// What is wrong with the program.
pub fn check(
    file: &Path,
    meaning: &Options,
    property: &Property,
    outline: &Outline,
    witness: &Correctness,
    run: &RunHandle,
) -> Result<Checked, Diagnostic> {
    let what = match instrumentation(outline, witness) {
        Ok(what) => what,
        Err(checked) => return Ok(checked),
    };
    let mut meaning = meaning.clone();
    property.apply(&mut meaning);
    let settings = Settings { meaning: meaning.clone(), ..Settings::default() };
    let report = pipeline::verify_file(file, &settings, run)?;
    match report.verdict {
        Verdict::Safe(_) => {}
        Verdict::Unsafe { trace, .. } => {
            let why = format!("the program is not safe: {} at line {}", trace.violation, trace.place.1);
            return Ok(Checked::Violated(why));
        }
        Verdict::Unknown(why) => return Ok(Checked::Undecided(why.to_string())),
    }
    if witness.invariants.is_empty() {
        return Ok(Checked::Hold("the program is safe; there are no invariants".into()));
    }
    Ok(match asserted(&Source { file, meaning: &meaning, outline }, &what, witness, u64::MAX, run).0 {
        Asserted::Hold => {
            let n = witness.invariants.len();
            Checked::Hold(format!("the program is safe, and {n} invariants hold"))
        }
        Asserted::Fails(k) => {
            let i = &witness.invariants[k];
            Checked::Violated(format!("`{}` at line {} does not hold", i.value, i.location.line))
        }
        Asserted::Undecided(why) => Checked::Undecided(why),
    })
}

/// The invariants of a witness that hold, as far as `work` goes (see [`Settings::max_work`]); what is left of it is given
/// back.
pub fn valid(
    file: &Path,
    meaning: &Options,
    outline: &Outline,
    mut witness: Correctness,
    work: &mut u64,
) -> Correctness {
    for _ in 0..ROUNDS {
        if witness.invariants.is_empty() {
            break;
        }
        let Ok(what) = instrumentation(outline, &witness) else { break };
        let source = Source { file, meaning, outline };
        let (found, worked) = asserted(&source, &what, &witness, *work, &RunHandle::default());
        *work = work.saturating_sub(worked);
        match found {
            Asserted::Hold => {
                let used = |name: &str| witness.invariants.iter().any(|i| i.value.contains(name));
                witness.ghosts.retain(|g| used(&g.name));
                witness.updates.retain(|u| used(&u.variable));
                return witness;
            }
            Asserted::Fails(k) => drop(witness.invariants.remove(k)),
            Asserted::Undecided(_) => break,
        }
    }
    Correctness::default()
}

/// What came of invariants as assertions.
enum Asserted {
    Hold,
    /// The first that fails, by its index.
    Fails(usize),
    Undecided(String),
}

/// The program that a witness is about.
struct Source<'s> {
    file: &'s Path,
    meaning: &'s Options,
    /// Where the statements of the file are.
    outline: &'s Outline,
}

/// Does the program with the invariants as assertions hold? With the work that this took.
fn asserted(
    source: &Source,
    what: &Instrumentation,
    witness: &Correctness,
    max_work: u64,
    run: &RunHandle,
) -> (Asserted, u64) {
    let Source { file, meaning, outline } = *source;
    let mut meaning = meaning.clone();
    Property::UnreachCall(FAILS.into()).apply(&mut meaning);
    let settings = Settings { meaning, max_work, ..Settings::default() };
    let report = match pipeline::verify_with(file, what, &settings, run) {
        Ok(report) => report,
        Err(d) => {
            let why = format!("with the invariants the program is not read: {d}");
            return (Asserted::Undecided(why), 0);
        }
    };
    let found = match report.verdict {
        Verdict::Safe(_) => Asserted::Hold,
        Verdict::Unknown(why) => Asserted::Undecided(format!("whether the invariants hold: {why}")),
        Verdict::Unsafe { trace, .. } => {
            let (_, line, column) = trace.place;
            let stands = |i: &Invariant| {
                let s = statement(outline, &i.location, i.of_loop)?;
                let s = &outline.statements[s];
                if i.of_loop { s.body } else { Some(s.start) }
            };
            let here = |i: &Invariant| stands(i).is_some_and(|at| (at.line, at.column) == (line, column));
            match witness.invariants.iter().position(here) {
                Some(k) => Asserted::Fails(k),
                None => Asserted::Undecided(format!("an invariant does not hold at line {line}")),
            }
        }
    };
    (found, report.work)
}

/// What has to be added to the program, or why nothing can.
fn instrumentation(outline: &Outline, witness: &Correctness) -> Result<Instrumentation, Checked> {
    let read = |value: &str| match is_expression(value) {
        true => Ok(()),
        false => Err(Checked::Undecided(format!("the expression `{value}` is not read"))),
    };
    let mut what = Instrumentation::default();
    let _ = writeln!(what.declarations, "extern void {FAILS}(void);");
    for g in &witness.ghosts {
        let taken = outline.uses.contains_key(&g.name)
            || outline.globals.contains(&g.name)
            || outline.statements.iter().any(|s| s.scope.contains(&g.name));
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if taken || !g.name.chars().all(word) || g.name.starts_with(|c: char| !c.is_ascii_alphabetic()) {
            return Err(Checked::Violated(format!("`{}` can be no ghost variable", g.name)));
        }
        read(&g.initial)?;
        let _ = writeln!(what.declarations, "int {} = ({});", g.name, g.initial);
    }
    let nowhere = |line: u32| Checked::Violated(format!("no statement begins at line {line}"));
    for i in &witness.invariants {
        read(&i.value)?;
        let s = statement(outline, &i.location, i.of_loop).ok_or_else(|| nowhere(i.location.line))?;
        let test = format!("{{ {ATOMIC} if (!({})) {FAILS}(); }}", i.value);
        what.additions.push((s, if i.of_loop { Addition::Head(test) } else { Addition::Before(test) }));
    }
    for u in &witness.updates {
        read(&u.value)?;
        let s = statement(outline, &u.location, false).ok_or_else(|| nowhere(u.location.line))?;
        what.additions.push((s, Addition::Atomically(format!("{} = ({});", u.variable, u.value))));
    }
    Ok(what)
}

/// Is this one C expression that changes nothing? It becomes a part of the program.
fn is_expression(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let allowed = |c: char| word(c) || c == ' ' || "()[].+-*/%<>=!&|^~?:".contains(c);
    if text.trim().is_empty() || !text.chars().all(allowed) {
        return false;
    }
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' | '[' => open.push(c),
            ')' if open.pop() != Some('(') => return false,
            ']' if open.pop() != Some('[') => return false,
            _ => {}
        }
    }
    let bytes = text.as_bytes();
    let calls = (0..bytes.len()).any(|i| {
        let before = text[..i].trim_end();
        let name = before.len() - before.trim_end_matches(word).len();
        bytes[i] == b'(' && name > 0 && &before[before.len() - name..] != "sizeof"
            // A cast of what is in brackets.
            || bytes[i] == b'(' && before.ends_with([')', ']']) && !ends_in_cast(before)
    });
    let changes = (0..bytes.len()).any(|i| {
        let (a, b, before) = (bytes[i], bytes.get(i + 1).copied(), i.checked_sub(1).map(|k| bytes[k]));
        let assigns = a == b'=' && b != Some(b'=') && !matches!(before, Some(b'=' | b'!' | b'<' | b'>'));
        // A shift that assigns.
        let shifts = a == b'=' && i >= 2 && matches!(&text[i - 2..i], "<<" | ">>");
        assigns || shifts || matches!((a, b), (b'+', Some(b'+')) | (b'-', Some(b'-')))
    });
    open.is_empty() && !calls && !changes
}

/// Does a text end in the name of a type in brackets?
fn ends_in_cast(before: &str) -> bool {
    const WORDS: [&str; 10] =
        ["long", "int", "unsigned", "signed", "short", "char", "_Bool", "__int128", "const", "volatile"];
    let Some(inner) = before.strip_suffix(')').and_then(|b| b.rfind('(').map(|i| &b[i + 1..])) else {
        return false;
    };
    !inner.trim().is_empty() && inner.split_whitespace().all(|w| WORDS.contains(&w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_change_nothing() {
        for good in [
            "x == 1",
            "(long long)x + 1LL <= (long long)(y)",
            "!(a[2] <= s.f || (x >= 0 && x <= 9))",
            "(unsigned int)(x) < sizeof(int)",
            "x << 2 == p->f",
            "0 < x - -1",
        ] {
            assert!(is_expression(good), "{good}");
        }
        for bad in [
            "",
            " ",
            "x = 1",
            "f(x)",
            "x++",
            "--x",
            "x <<= 1",
            "x >>= 1",
            "x += 1",
            "1); f(",
            "1; 2",
            "x, y",
            "(x",
            "({ x; })",
            "\"a\"",
            "(f)(x)",
            "a[0](1)",
            "x == (y = 1)",
            "1) || (1",
        ] {
            assert!(!is_expression(bad), "{bad}");
        }
    }
}
