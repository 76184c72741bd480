//! On which programs each heuristic that looks for a pattern is needed: every row is run again without each of them.

use super::manifest::Row;
use super::runner::{self, RunError};
use comfy_table::{Table, presets};
use relyant_program::recognisers::Recogniser;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// Slower than this many times counts as a difference, where it takes at least [`LEAST`] seconds.
const SLOWER: f64 = 3.0;
const LEAST: f64 = 2.0;

/// What the proof engine alone is asked by; the search beside it often hides what it lacks.
const ALONE: [&str; 2] = ["--method", "rely-guarantee"];

/// What a run answers.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    Safe {
        modular: bool,
    },
    Unsafe,
    /// No verdict: the word for it.
    None(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Safe { modular: true } => "safe, modular",
            Answer::Safe { modular: false } => "safe",
            Answer::Unsafe => "unsafe",
            Answer::None(word) => word,
        })
    }
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    answer: Answer,
    /// Seconds to the verdict.
    seconds: f64,
}

/// A heuristic, and the rows that come out worse without it.
#[derive(Clone, PartialEq, Debug)]
pub struct Needed {
    /// The heuristic that was left out.
    pub recogniser: Recogniser,
    /// Row, and what comes of it.
    pub rows: Vec<(String, String)>,
}

fn outcome(exe: &Path, row: &Row, more: &[String], timeout: Duration) -> Result<Outcome, RunError> {
    let mut args = row.args.clone();
    args.extend_from_slice(more);
    let run = runner::verify(exe, &row.file, &args, timeout)?;
    let modular = run.entry.proof.as_ref().is_some_and(|p| p.modular);
    let answer = match run.verdict() {
        "safe" => Answer::Safe { modular },
        "unsafe" => Answer::Unsafe,
        word => Answer::None(word.into()),
    };
    Ok(Outcome { answer, seconds: run.seconds() })
}

fn worse(with: &Outcome, without: &Outcome) -> Option<String> {
    if with.answer != without.answer {
        return Some(without.answer.to_string());
    }
    // Two runs without a verdict are alike, however soon they gave up.
    let decided = !matches!(with.answer, Answer::None(_));
    let slow = decided && without.seconds > LEAST && without.seconds > SLOWER * with.seconds;
    slow.then(|| format!("{:.1} s for {:.1} s", without.seconds, with.seconds))
}

/// A row, and options on top of its own.
struct Case<'a> {
    row: &'a Row,
    more: Vec<String>,
    with: Outcome,
}

/// Runs rows with all heuristics and without each, as they are and, those that are to be safe, by the proof engine alone. `stop`
/// is asked between runs; differences go to `tell`.
///
/// # Errors
/// The verifier cannot be run.
pub fn measure(
    rows: &[&Row],
    exe: &Path,
    timeout: Duration,
    stop: &dyn Fn() -> bool,
    tell: &dyn Fn(&str),
) -> Result<Vec<Needed>, RunError> {
    let mut cases = Vec::new();
    for row in rows {
        let asks = row.args.iter().any(|a| a.starts_with("--method"));
        let alone = (row.expected == "safe" && !asks).then(|| ALONE.map(String::from).to_vec());
        for more in [Some(Vec::new()), alone].into_iter().flatten() {
            if stop() {
                return Ok(Vec::new());
            }
            let with = outcome(exe, row, &more, timeout)?;
            cases.push(Case { row, more, with });
        }
    }
    let mut all = Vec::new();
    for recogniser in Recogniser::all() {
        let mut needed = Needed { recogniser, rows: Vec::new() };
        for case in &cases {
            if stop() {
                return Ok(all);
            }
            let mut more = case.more.clone();
            more.extend(["--without".to_string(), recogniser.to_string()]);
            // A verdict takes at most a few times as long, or there is a difference.
            let patience = LEAST.max(case.with.seconds) * 2.0 * SLOWER + 2.0;
            let without = outcome(exe, case.row, &more, timeout.min(Duration::from_secs_f64(patience)))?;
            if let Some(what) = worse(&case.with, &without) {
                let what = if case.more.is_empty() { what } else { format!("alone: {what}") };
                tell(&format!("without {recogniser}: {}: {what}\n", case.row.row));
                needed.rows.push((case.row.row.clone(), what));
            }
        }
        all.push(needed);
    }
    Ok(all)
}

/// A table with a line for each heuristic.
pub fn render(all: &[Needed]) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["without", "rows", "which, and what comes of them"]);
    for n in all {
        let rows: Vec<String> = n.rows.iter().map(|(row, what)| format!("{row} ({what})")).collect();
        table.add_row([n.recogniser.to_string(), n.rows.len().to_string(), rows.join("; ")]);
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_verdicts_and_much_slower_ones_are_worse() {
        let o = |answer: &Answer, seconds| Outcome { answer: answer.clone(), seconds };
        let (modular, safe) = (Answer::Safe { modular: true }, Answer::Safe { modular: false });
        let unknown = Answer::None("unknown".into());
        assert_eq!(worse(&o(&modular, 1.0), &o(&safe, 1.0)).as_deref(), Some("safe"));
        assert_eq!(worse(&o(&safe, 0.01), &o(&safe, 1.9)), None);
        assert_eq!(worse(&o(&safe, 1.0), &o(&safe, 2.9)), None);
        assert!(worse(&o(&safe, 1.0), &o(&safe, 3.1)).is_some());
        assert_eq!(worse(&o(&unknown, 0.1), &o(&unknown, 9.0)), None);
        assert_eq!(worse(&o(&Answer::Unsafe, 0.1), &o(&unknown, 0.1)).as_deref(), Some("unknown"));
    }
}
