//! Z3's Spacer on Horn clauses, in a process of its own that a limit can end.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use z3::{SatResult, Solver};

/// What Spacer says of a program's clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpacerVerdict {
    /// The clauses have a solution: the program is safe.
    Safe,
    /// They have none: an error can be reached.
    Unsafe,
    /// The time was over.
    Timeout,
    /// Neither was found, for this reason.
    Unknown(String),
}

/// A run of Spacer.
#[derive(Clone, PartialEq, Debug)]
pub struct SpacerRun {
    /// What it says of the clauses.
    pub verdict: SpacerVerdict,
    /// How long it took, without starting the process.
    pub seconds: f64,
}

/// Asks Spacer, in this process, without a limit. The answer is a line for [`run`] to read: a word, seconds, and a
/// reason.
pub fn answer(clauses: &str) -> String {
    let start = Instant::now();
    let Some(solver) = Solver::new_for_logic("HORN") else {
        return "unknown 0 this Z3 has no HORN logic".into();
    };
    solver.from_string(clauses.replace('\0', " "));
    if solver.get_assertions().is_empty() {
        return "unknown 0 Z3 can't read the clauses".into();
    }
    let (word, reason) = match solver.check() {
        SatResult::Sat => ("sat", String::new()),
        SatResult::Unsat => ("unsat", String::new()),
        SatResult::Unknown => ("unknown", solver.get_reason_unknown().unwrap_or_default()),
    };
    let reason = reason.replace('\n', " ");
    format!("{word} {:.4} {reason}", start.elapsed().as_secs_f64())
}

/// Runs a command that reads clauses from its standard input and prints what [`answer`] gives, and kills it when the
/// time is over.
pub fn run(mut command: Command, clauses: &str, timeout: Duration) -> std::io::Result<SpacerRun> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A child that ends early closes the pipe; its exit tells.
        let _ = input.write_all(clauses.as_bytes());
    }
    loop {
        if child.try_wait()?.is_some() {
            break;
        }
        if start.elapsed() >= timeout {
            child.kill()?;
            child.wait()?;
            return Ok(SpacerRun { verdict: SpacerVerdict::Timeout, seconds: start.elapsed().as_secs_f64() });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut line = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut line)?;
    }
    Ok(parse(line.trim(), start.elapsed().as_secs_f64()))
}

fn parse(line: &str, elapsed: f64) -> SpacerRun {
    let mut words = line.splitn(3, ' ');
    let (word, seconds, reason) = (words.next(), words.next(), words.next());
    let verdict = match word {
        Some("sat") => SpacerVerdict::Safe,
        Some("unsat") => SpacerVerdict::Unsafe,
        Some("unknown") => SpacerVerdict::Unknown(reason.unwrap_or_default().to_string()),
        _ => SpacerVerdict::Unknown("it ended without an answer".into()),
    };
    SpacerRun { verdict, seconds: seconds.and_then(|s| s.parse().ok()).unwrap_or(elapsed) }
}
