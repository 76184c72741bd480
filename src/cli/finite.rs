//! `relyant verify` and `relyant check` for replicated finite-state threads.

use super::exit::Status;
use super::format::Reports;
use super::watch::{Limits, Signals, watch};
use super::{complain, say, write_file};
use clap::{Args, ValueEnum};
use relyant::finite::report::{self, Answer, FiniteOutcome};
use relyant::finite::{self, Wanted, boolean};
use relyant_check::finite::{self as files, Question};
use relyant_unbounded::cover::CoverOptions;
use std::path::{Path, PathBuf};

/// Above the options in `--help`.
pub const HEADING: &str = "Finite-state threads (.tts, .spec, .pnml)";

/// CoverOptions about finite-state threads.
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
    /// Was any of the two options given?
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
    fn options(self) -> CoverOptions {
        match self {
            Widening::Lean => CoverOptions::default(),
            Widening::Full => CoverOptions { lean: false, ..CoverOptions::default() },
            Widening::None => CoverOptions::backward(),
        }
    }
}

/// What the command line asks for.
pub struct Request<'a> {
    /// Initial configurations and target, where they are not in the files.
    pub finite: &'a Finite,
    /// How to search; `None`: the default form.
    pub widening: Option<Widening>,
    /// What is asked about Boolean programs only.
    pub boolean: boolean::Asked,
    /// Of time and memory.
    pub limits: Limits,
    /// Where reports go.
    pub reports: &'a Reports,
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

/// Decides the files in their order, and prints the report.
pub fn run(files: &[PathBuf], run: &Request) -> Status {
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
    let results: Vec<(String, FiniteOutcome)> =
        files.iter().map(|f| (f.display().to_string(), one(f, run, &signals))).collect();
    let mut status =
        results.iter().map(|r| Status::of_verdict(r.1.verdict())).fold(Status::Good, Status::and);
    if let (Some(path), Some((_, FiniteOutcome::Done(r)))) = (run.proof, results.first()) {
        if let Some(certificate) = &r.certificate {
            if let Err(why) = write_file(path, &format!("{certificate}\n")) {
                complain(&format!("error: {why}"));
                status = Status::BadInput;
            }
        }
    }
    if run.reports.need_data() {
        status = status.and(run.reports.give(&report::document(&results)));
    }
    if !run.reports.are_text() {
        return status;
    }
    for (i, (file, outcome)) in results.iter().enumerate() {
        let text = report::text(outcome, run.verbose);
        if let FiniteOutcome::BadInput(_) = outcome {
            complain(text.trim_end());
            continue;
        }
        let heading = if results.len() == 1 { String::new() } else { format!("{file}:\n") };
        let gap = if i > 0 { "\n" } else { "" };
        say(&format!("{gap}{heading}{text}"));
    }
    status
}

fn one(file: &Path, run: &Request, signals: &Signals) -> FiniteOutcome {
    let Some(kind) = files::kind(file) else { return FiniteOutcome::Abandoned("of no known kind".into()) };
    let wanted = Wanted {
        boolean: run.boolean.clone(),
        keep: run.proof.is_some(),
        options: run.widening.map_or_else(CoverOptions::default, Widening::options),
        question: run.finite.question(),
    };
    if let Some(reason) = run.lost {
        return FiniteOutcome::Abandoned(reason.into());
    }
    let path = file.to_path_buf();
    match watch(&run.limits, signals, move |cancel| finite::verify(&path, kind, &wanted, cancel)) {
        Ok((Ok(mut r), stopped)) => {
            if let (Answer::Unknown(why), Some(reason)) = (&mut r.answer, stopped) {
                *why = reason.to_string();
            }
            FiniteOutcome::Done(Box::new(r))
        }
        Ok((Err(d), _)) => FiniteOutcome::BadInput(d),
        Err(why) => FiniteOutcome::Abandoned(why.to_string()),
    }
}
