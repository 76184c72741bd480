//! `relyant verify` and `relyant check` for replicated finite-state threads.

use super::exit::Status;
use super::watch::{Limits, Signals, watch};
use super::{complain, input, say, say_all, write_file};
use clap::{Args, ValueEnum};
use relyant::finite::report::{self, Answer, Outcome};
use relyant::finite::{self, Wanted, boolean};
use relyant_check::finite::certificate::{self, Claim};
use relyant_check::finite::{self as files, Kind, Question};
use relyant_finite::evidence::{self, Rejection};
use relyant_unbounded::cover::Options;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Above the options in `--help`.
pub const HEADING: &str = "Finite-state threads (.tts, .spec, .pnml)";

/// Options about finite-state threads.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = HEADING)]
pub struct Finite {
    /// Initial configurations: s|b a thread in b, s/u any number in u, s|b/u both [default: 0/0]
    #[arg(long, value_name = "CONFIGS")]
    initial: Option<String>,
    /// What must not be covered: s|l1,l2, or a file with that [default: the .prop beside it]
    #[arg(long, value_name = "CONFIG")]
    target: Option<String>,
}

impl Finite {
    /// As the library has it.
    pub fn question(&self) -> Question {
        Question { initial: self.initial.clone(), target: self.target.clone() }
    }
    /// Was something said?
    pub fn is_given(&self) -> bool {
        self.initial.is_some() || self.target.is_some()
    }
}

/// Forms of the backward search for coverability.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Widening {
    /// Forget predecessors that something smaller covers
    Lean,
    /// Keep them
    Full,
    /// The classical search: no guesses, no forward search beside it, no invariants
    None,
}

impl Widening {
    fn options(self) -> Options {
        match self {
            Widening::Lean => Options::default(),
            Widening::Full => Options { lean: false, ..Options::default() },
            Widening::None => Options::backward(),
        }
    }
}

/// What the command line asks for.
pub struct Run<'a> {
    /// Initial configurations, target.
    pub finite: &'a Finite,
    /// How to search.
    pub widening: Option<Widening>,
    /// About Boolean programs.
    pub boolean: boolean::Asked,
    /// Of time and memory.
    pub limits: Limits,
    /// JSON instead of text.
    pub json: bool,
    /// All steps of runs.
    pub verbose: bool,
    /// Where to keep the evidence.
    pub proof: Option<&'a Path>,
    /// Why the process that was to do it is no more.
    pub lost: Option<&'a str>,
}

/// Are there such files?
pub fn is_any(files: &[PathBuf]) -> bool {
    files.iter().any(|f| files::kind(f).is_some())
}

/// Decides the files.
pub fn run(files: &[PathBuf], run: &Run) -> Status {
    if let Some(f) = files.iter().find(|f| files::kind(f).is_none()) {
        complain(&format!(
            "error: {} is no system of finite-state threads; verify the two kinds in separate calls",
            f.display()
        ));
        return Status::BadInput;
    }
    if run.proof.is_some() && files.len() > 1 {
        complain("error: --proof takes the certificate of one file; give one FILE only");
        return Status::BadInput;
    }
    let signals = Signals::register();
    let results: Vec<(String, Outcome)> =
        files.iter().map(|f| (f.display().to_string(), one(f, run, &signals))).collect();
    let mut status =
        results.iter().map(|r| Status::of_verdict(r.1.verdict())).fold(Status::Good, Status::and);
    if let (Some(path), Some((_, Outcome::Done(r)))) = (run.proof, results.first()) {
        if let Some(certificate) = &r.certificate {
            if let Err(why) = write_file(path, &format!("{certificate}\n")) {
                complain(&format!("error: {why}"));
                status = Status::BadInput;
            }
        }
    }
    if run.json {
        say_all(&input::pretty(&report::document(&results)));
        return status;
    }
    for (i, (file, outcome)) in results.iter().enumerate() {
        let text = report::text(outcome, run.verbose);
        if let Outcome::BadInput(_) = outcome {
            complain(text.trim_end());
            continue;
        }
        let heading = if results.len() == 1 { String::new() } else { format!("{file}:\n") };
        let gap = if i > 0 { "\n" } else { "" };
        say(&format!("{gap}{heading}{text}"));
    }
    status
}

fn one(file: &Path, run: &Run, signals: &Signals) -> Outcome {
    let Some(kind) = files::kind(file) else { return Outcome::Abandoned("of no known kind".into()) };
    let wanted = Wanted {
        boolean: run.boolean.clone(),
        keep: run.proof.is_some(),
        options: run.widening.map_or_else(Options::default, Widening::options),
        question: run.finite.question(),
    };
    if let Some(reason) = run.lost {
        return Outcome::Abandoned(reason.into());
    }
    let path = file.to_path_buf();
    match watch(&run.limits, signals, move |cancel| finite::verify(&path, kind, &wanted, cancel)) {
        Ok((Ok(mut r), stopped)) => {
            if let (Answer::Unknown(why), Some(reason)) = (&mut r.answer, stopped) {
                *why = reason.to_string();
            }
            Outcome::Done(Box::new(r))
        }
        Ok((Err(d), _)) => Outcome::BadInput(d),
        Err(why) => Outcome::Abandoned(why),
    }
}

/// Checks a certificate against its source, without the engines.
pub fn check(proof: &Path, file: &Path, finite: &Finite, timeout: Option<Duration>) -> Status {
    let Some(kind) = files::kind(file) else { return Status::BadInput };
    let refuse = |message: &str| {
        complain(message);
        Status::BadInput
    };
    let reject = |message: &str| {
        say(&format!("rejected: {message}\n"));
        Status::Bad
    };
    let text = match input::read_text(proof) {
        Ok(text) => text,
        Err(d) => return refuse(&d.to_string()),
    };
    if kind == Kind::Boolean {
        return check_boolean(proof, &text, file, timeout);
    }
    let mut wanted = finite.question();
    let read = certificate::parse(&text).and_then(|d| Ok((certificate::about(&d)?, d)));
    let (about, document) = match read {
        Ok(read) => read,
        Err(e) => return refuse(&format!("{}: error: {e}", proof.display())),
    };
    if kind == Kind::Threads {
        // what the certificate is about, unless something else is asked
        wanted.initial = wanted.initial.or(about.0);
        if wanted.target.is_none() && !file.with_extension("prop").exists() {
            wanted.target = Some(about.1);
        }
    }
    let input = match files::read(file, kind, &wanted) {
        Ok(i) => i,
        Err(d) => return refuse(&d.to_string()),
    };
    let claim = match certificate::read(document, &input) {
        Ok(c) => c,
        Err(e) => return reject(&e.to_string()),
    };
    for a in &input.assumes {
        say(&format!("assumes: {a}\n"));
    }
    if let (Kind::Threads, Some(initial)) = (kind, &wanted.initial) {
        say(&format!("initial: {initial}\n"));
    }
    let began = Instant::now();
    match claim {
        Claim::Coverable(run) => match evidence::replay(&input.system, &input.target, &run) {
            Ok(_) => {
                say(&format!("accepted: a run of {} steps that covers the target\n", run.steps.len()));
                Status::Good
            }
            Err(e) => reject(&e.to_string()),
        },
        Claim::Uncoverable(c) => {
            let cancel = stop_after(timeout);
            match evidence::check(&input.system, &input.target, &c, &cancel) {
                Ok(r) => {
                    let seconds = began.elapsed().as_secs_f64();
                    let (n, m) = (r.elements, r.predecessors);
                    say(&format!(
                        "accepted: {n} elements, all {m} predecessors are in the set, in {seconds:.2} s\n"
                    ));
                    Status::Good
                }
                Err(e @ (Rejection::Cancelled | Rejection::TooMany(_))) => {
                    say(&format!("undecided: {e}\n"));
                    Status::Unknown
                }
                Err(e) => reject(&e.to_string()),
            }
        }
    }
}

/// A flag that is set when the time is over.
fn stop_after(timeout: Option<Duration>) -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    if let Some(t) = timeout {
        let flag = Arc::clone(&cancel);
        std::thread::spawn(move || {
            std::thread::sleep(t);
            flag.store(true, Ordering::Relaxed);
        });
    }
    cancel
}

fn check_boolean(proof: &Path, text: &str, file: &Path, timeout: Option<Duration>) -> Status {
    let began = Instant::now();
    match files::boolean::check(text, file, &stop_after(timeout)) {
        Err(d) => {
            complain(&d.to_string());
            Status::BadInput
        }
        Ok(Ok(what)) => {
            say(&format!("accepted: {what}, in {:.2} s\n", began.elapsed().as_secs_f64()));
            Status::Good
        }
        Ok(Err(files::boolean::Refusal::Unreadable(why))) => {
            complain(&format!("{}: error: not a certificate: {why}", proof.display()));
            Status::BadInput
        }
        Ok(Err(files::boolean::Refusal::Rejected(why))) => {
            say(&format!("rejected: {why}\n"));
            Status::Bad
        }
        Ok(Err(files::boolean::Refusal::Undecided(why))) => {
            say(&format!("undecided: {why}\n"));
            Status::Unknown
        }
    }
}
