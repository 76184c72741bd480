//! Boolean programs, from text to a verdict.

use super::lines;
use super::report::{Answer, Report};
use relyant_check::finite::Result;
use relyant_check::finite::boolean::{Evidence, certificate, read};
use relyant_finite::boolean::evidence::Proof;
use relyant_finite::boolean::replay;
use relyant_unbounded::boolean::decide::{self, BooleanVerdict, Settings};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub use relyant_unbounded::boolean::decide::Method;

/// States of a bounded search.
const STATES: usize = 20_000_000;

/// What the command line asks for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Which engines decide it.
    pub method: Method,
    /// Threads at the same time at most.
    pub threads: Option<u32>,
    /// Labels that must not be reached.
    pub errors: Vec<String>,
    /// States of a search; a default if `None`.
    pub states: Option<usize>,
}

/// Decides a file. `keep`: with the evidence in the report.
pub fn verify(path: &Path, asked: &Asked, keep: bool, cancel: &AtomicBool) -> Result<Report> {
    let began = Instant::now();
    let source = read(path, &asked.errors)?;
    let (assertions, errors) = source.program.checks();
    let reading = began.elapsed().as_secs_f64();
    let settings = Settings {
        method: asked.method,
        threads: asked.threads,
        states: asked.states.unwrap_or(STATES),
        cancel,
    };
    let found = decide::decide(&source.program, &settings);
    let seconds = began.elapsed().as_secs_f64() - reading;
    let s = &found.stats;
    let checking = s.checking.as_secs_f64();
    let mut r = Report {
        property: "no failing assertion".into(),
        checks: vec![(assertions, "assertion", "assertions"), (errors, "error label", "error_labels")],
        numbers: vec![
            ("nodes", s.nodes as u64),
            ("grown", s.grown),
            ("states", s.states as u64),
            ("steps", s.steps),
            ("transitions", s.transitions as u64),
        ],
        obligations: s.obligations,
        source_lines: lines(&source.bytes),
        seconds: [reading, (seconds - checking).max(0.0), checking],
        ..Report::default()
    };
    if assertions + errors == 0 {
        let message =
            "nothing to check: `main` reaches no assertion; --error-label names what must not be reached";
        r.notes.push(message.into());
    }
    if let Some(n) = asked.threads {
        r.assumes.push(format!(
            "at most {n} threads at the same time: with as many, starting one more has no effect"
        ));
    }
    match &found.verdict {
        BooleanVerdict::Safe(proof) => {
            (r.proof, r.checked) = match proof {
                Proof::ThreadStates(sets) => (
                    format!("sets of thread states for {} nodes, for any number of threads", sets.len()),
                    "have the initial state, are closed under steps of threads, and no assertion fails in them".into(),
                ),
                Proof::States(s) => (
                    match s.threads {
                        Some(n) => format!("all {} states with at most {n} threads, counted", s.states.len()),
                        None => format!("all {} states, counted", s.states.len()),
                    },
                    "have the initial states, are closed under steps, and no assertion fails in them".into(),
                ),
                Proof::Uncoverable(_, c) => (
                    format!("an upward-closed set of {} minimal configurations of threads", c.minimal.len()),
                    "closed under predecessors, has all failures, and no initial configuration".into(),
                ),
            };
            r.rule = match proof {
                Proof::ThreadStates(_) => "thread-states",
                Proof::States(_) => "counted-states",
                Proof::Uncoverable(..) => "uncoverability",
            };
            r.modular = matches!(proof, Proof::ThreadStates(_));
            r.answer = Answer::Safe;
        }
        BooleanVerdict::Unsafe(run, threads) => {
            r.trace = replay::show(&source.program, run);
            r.numbers.push(("run_threads", *threads as u64));
            r.answer = Answer::Unsafe;
        }
        BooleanVerdict::Unknown(why) => r.answer = Answer::Unknown(why.to_string()),
    }
    let evidence = match &found.verdict {
        BooleanVerdict::Safe(proof) => Some(Evidence::Safe(proof)),
        BooleanVerdict::Unsafe(run, _) => Some(Evidence::Unsafe(run)),
        BooleanVerdict::Unknown(_) => None,
    };
    r.certificate = evidence.filter(|_| keep).and_then(|e| certificate(path, &source, &e));
    r.work = format!(
        "{} nodes, {} sets of thread states grown, {} states of {} steps, in {:.2} s",
        s.nodes, s.grown, s.states, s.steps, seconds
    );
    Ok(r)
}
