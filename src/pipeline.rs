//! From a source file to a verdict with checked evidence.
//!
//! ```text
//! load -> instantiate -> quick search ------------------------------> replay -> unsafe
//!                     |-> long search, beside: ---------------------/
//!                     \-> thread program -> refinement -> schedule --/
//!                                                      \-> checker ------------> safe
//! ```
//!
//! An engine's answer alone is never a verdict: what the checker or the interpreter does not accept is *unknown*.

use crate::aret::{self, Stats, Watch};
use crate::beside;
use crate::limits::{Run, Stage};
use crate::proof::Proof;
use crate::proof::check::{self, CheckReport};
use crate::verdict::Answer;
use relyant_frontend::diagnostic::Diagnostic;
use relyant_frontend::interp::{self, Trace};
use relyant_frontend::options::Options;
use relyant_frontend::program::{self, Program};
use relyant_frontend::{c, cfa, instantiate, reduce};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// States that the search for a short counterexample may look at. A number of states, not a time: the verdict
/// does not depend on the machine.
pub const QUICK_STATES: usize = 20_000;

/// How much longer the search beside the engine is than the quick one before it.
const LONG_SEARCH: usize = 50;

/// What the user may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the program means.
    pub meaning: Options,
    /// How it is proved.
    pub engine: aret::Settings,
    /// States of the quick search, 0 for no search at all.
    pub quick_states: usize,
    /// Limits of the checker.
    pub check: check::Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            meaning: Options::default(),
            engine: aret::Settings::default(),
            quick_states: QUICK_STATES,
            check: check::Limits::default(),
        }
    }
}

/// A verdict and its evidence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No error can be reached: a proof, accepted by the checker.
    Safe {
        /// The proof.
        proof: Proof,
        /// What it is a proof of.
        program: Box<Program>,
        /// What the checker did.
        checked: CheckReport,
    },
    /// An error can be reached: a run of the program that gets there, replayed by the interpreter.
    Unsafe(Trace),
    /// Neither is known: why.
    Unknown(String),
}

impl Verdict {
    /// `safe`, `unsafe` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe { .. } => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Seconds of wall-clock time, by stage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Seconds {
    /// Reading the source, making the program of threads.
    pub read: f64,
    /// The quick search.
    pub search: f64,
    /// Refinement.
    pub prove: f64,
    /// Checking the certificate, or the replay.
    pub check: f64,
}

/// What is said about a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was assumed about the program, a line each.
    pub assumes: Vec<String>,
    /// Lines of the source file.
    pub source_lines: usize,
    /// Threads, by name and number.
    pub threads: Vec<(String, cfa::Count)>,
    /// Where the engine ended, if it ran.
    pub stats: Option<Stats>,
    /// Where the time went.
    pub seconds: Seconds,
}

/// Reads a file and makes its program of threads.
pub fn read(path: &Path, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let module = c::load(path, meaning)?;
    instantiate::instantiate(&module, meaning)
}

/// Verifies a file.
///
/// # Errors
/// What is wrong with the input. Everything else, the limits that `run` brings included, is a verdict.
pub fn verify_file(path: &Path, settings: &Settings, run: &Run) -> Result<Report, Diagnostic> {
    run.enter(Stage::Reading);
    let mut clock = Clock::start();
    let program = read(path, &settings.meaning)?;
    let threads = reduce::thread_program(&program)?;
    let mut report = Report {
        verdict: Verdict::Unknown(String::new()),
        assumes: program.assumes.clone(),
        source_lines: source_lines(path),
        threads: program.templates.iter().map(|t| (t.name.clone(), t.count)).collect(),
        stats: None,
        seconds: Seconds { read: clock.lap(), ..Seconds::default() },
    };
    report.verdict = decide(&program, threads, settings, run, &mut report, &mut clock);
    Ok(report)
}

fn decide(
    program: &cfa::Program,
    threads: Program,
    settings: &Settings,
    run: &Run,
    report: &mut Report,
    clock: &mut Clock,
) -> Verdict {
    // What is found in a program that may do more than the C program is no counterexample.
    let quick_states = if program.approximate { 0 } else { settings.quick_states };
    if quick_states > 0 {
        run.enter(Stage::Searching);
        let found = interp::quick_search(program, quick_states, &|| run.stopped());
        report.seconds.search = clock.lap();
        if let Some(schedule) = found {
            run.enter(Stage::Checking);
            let verdict = match interp::replay(program, &schedule) {
                Ok(trace) => Verdict::Unsafe(trace),
                Err(e) => {
                    Verdict::Unknown(format!("the counterexample found by search does not replay: {e}"))
                }
            };
            report.seconds.check = clock.lap();
            return verdict;
        }
    }
    if let Some(reason) = run.reason() {
        return Verdict::Unknown(reason);
    }
    run.enter(Stage::Proving);
    let progress = |s: &Stats| run.advance(s);
    let prove = |stop: &AtomicBool| {
        aret::verify(
            &threads,
            &settings.engine,
            &Watch { cancel: &|| stop.load(Ordering::Relaxed), work: &|_| (), progress: &progress },
        )
    };
    let decided = |(answer, _): &(Answer, Stats)| !matches!(answer, Answer::Unknown(_));
    let states = quick_states.saturating_mul(LONG_SEARCH);
    let ((answer, stats), found) = beside::beside(program, states, run, prove, decided);
    report.stats = Some(stats);
    report.seconds.prove = clock.lap();
    run.enter(Stage::Checking);
    if let Some(Ok(trace)) = found.map(|schedule| interp::replay(program, &schedule)) {
        report.seconds.check = clock.lap();
        return Verdict::Unsafe(trace);
    }
    let verdict = match answer {
        Answer::Safe(proof) => match check::check(&threads, &proof, &settings.check) {
            Ok(checked) => Verdict::Safe { proof, program: Box::new(threads), checked },
            Err(e) => Verdict::Unknown(format!("the checker rejected the proof: {e}")),
        },
        Answer::Unsafe(counterexample) => {
            let steps: Vec<program::Step> =
                counterexample.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
            let schedule = program::schedule(&threads, program, &counterexample.start, &steps);
            match interp::replay(program, &schedule) {
                Ok(trace) => Verdict::Unsafe(trace),
                Err(e) => Verdict::Unknown(format!("the counterexample does not replay: {e}")),
            }
        }
        Answer::Unknown(reason) => Verdict::Unknown(run.reason().unwrap_or_else(|| reason.to_string())),
    };
    report.seconds.check = clock.lap();
    verdict
}

fn source_lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |text| text.split(|b| *b == b'\n').count().saturating_sub(1))
}

struct Clock(Instant);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now())
    }
    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}
