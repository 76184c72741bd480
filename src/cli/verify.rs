//! `relyant verify`

use super::exit::Status;
use super::format::Reports;
use super::meaning::{Engine, Input, Meaning};
use super::method::AUTO;
use super::output::Unwritten;
use super::sources::Sources;
use super::watch::{Limits, Signals};
use super::witness::Missing;
use super::workers::{self, Job, Standing};
use super::{complain, finite, pages, reproduce, rewriting, say, trials, witness};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use relyant::finite::boolean;
use relyant::pipeline::certify::{Certificate, CertifyError};
use relyant::pipeline::{QUICK_STATES, Settings, Unknown, Verdict};
use relyant::report::{FileOutcome, json, standing, text};
use relyant::reproduce::Attempt;
use relyant::task::words;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_check::finite::{FileKind, kind};
use relyant_engines::limits;
use relyant_engines::watch::Stats;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Prove programs safe, or show runs that are not
#[derive(clap::Args)]
pub struct Args {
    /// C sources (`.i`: already preprocessed) of one program, task definitions (`.yml`), Boolean programs (`.bp`)
    ///
    /// `-` is standard input.
    #[arg(required_unless_present = "project", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Each C source is a program of its own
    #[arg(long)]
    each: bool,
    /// Read sources as `compile_commands.json` in this folder says; without FILE, all of them
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Seconds for each file; 0: no limit
    #[arg(long, value_name = "S", value_parser = super::input::seconds_or_none, default_value = "60")]
    timeout: Duration,
    /// Memory for the process
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Files at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    jobs: usize,
    #[command(flatten)]
    reports: Reports,
    /// Write the certificate of a safe program here
    #[arg(long, value_name = "OUT")]
    proof: Option<PathBuf>,
    /// With --proof: also where in the source its steps run, for scripts/independent-check (version 3)
    #[arg(long, requires = "proof")]
    proof_places: bool,
    /// Write the witness of the verdict here, in SV-COMP's format
    #[arg(long, value_name = "OUT.yml")]
    witness: Option<PathBuf>,
    /// Write a page here that shows the proof, or the run; of several files an index, with their pages in a folder beside it
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Make a program of the run that is found: the source with a scheduler in this folder, compiled and run
    #[arg(long, value_name = "DIR")]
    reproduce: Option<PathBuf>,
    /// How often that program is run
    #[arg(long, value_name = "N", default_value_t = 100)]
    runs: u32,
    /// Unsafe is only what fails as found when it is compiled and run, else the verdict is unknown; needs --reproduce
    #[arg(long, requires = "reproduce")]
    reproduced: bool,
    /// Version of the witness format [default: 2.2 for runs of several threads, else 2.0]
    #[arg(long, value_enum, value_name = "V")]
    witness_version: Option<witness::Version>,
    /// End the report with `true`, `false(property)` or `unknown`
    #[arg(long)]
    verdict_words: bool,
    /// Tell of each iteration, and show all steps of a run
    #[arg(long, short)]
    verbose: bool,
    /// States that the search before the proof may look at
    #[arg(long, value_name = "N", default_value_t = QUICK_STATES)]
    search: usize,
    #[command(flatten)]
    engine: Engine,
    #[command(flatten)]
    meaning: Meaning,
    #[command(flatten)]
    finite: finite::Finite,
    /// How coverability is searched for [default: lean]
    #[arg(long, value_enum, value_name = "FORM", help_heading = finite::HEADING)]
    widening: Option<finite::Widening>,
}

fn is_boolean(file: &Path) -> bool {
    kind(file) == Some(FileKind::Boolean)
}

/// Runs the command; `lost` says why the process that was to do it is no more.
pub fn run(a: &Args, lost: Option<&str>) -> Status {
    if a.meaning.has_more() && (rewriting::is_any(&a.files) || finite::is_any(&a.files)) {
        complain("error: --with names one more source of a C program");
        return Status::BadInput;
    }
    if let Some(wrong) = a.engine.contradiction() {
        complain(wrong);
        return Status::BadInput;
    }
    let began = Instant::now();
    let limits = Limits::new((!a.timeout.is_zero()).then_some(a.timeout), a.memory);
    if a.html.is_some() && (rewriting::is_any(&a.files) || finite::is_any(&a.files)) {
        complain("error: --html is for C programs");
        return Status::BadInput;
    }
    if rewriting::is_any(&a.files) {
        let wanted = rewriting::Wanted { limits, reports: &a.reports, verbose: a.verbose, lost };
        return rewriting::run(&a.files, &wanted);
    }
    if finite::is_any(&a.files) {
        return run_finite(a, limits, lost);
    }
    let sources = match Sources::read(&a.files, a.each, a.project.as_deref()) {
        Ok(sources) => sources,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    if let Some(wrong) = misused(a, &sources) {
        complain(wrong);
        return Status::BadInput;
    }
    let predicates = match a.engine.predicates() {
        Ok(predicates) => predicates,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    let settings = Settings {
        method: a.engine.method(),
        engine: a.engine.settings(),
        predicates,
        search: a.engine.search(),
        quick_states: a.search,
        ..Settings::default()
    };
    let line = ProgressLine::new(a.verbose || !a.reports.are_text());
    let tell: Option<fn(&Stats)> = if a.verbose { Some(|s| complain(&standing(s))) } else { None };
    let asked = sources.asked(&a.meaning);
    let (names, inputs): (Vec<String>, Vec<Result<Input, Diagnostic>>) = asked.into_iter().unzip();
    let jobs: Vec<Job> = inputs.iter().flatten().map(|i| job(i, &settings)).collect();
    let show = |s: &Standing| line.show(s, jobs.len());
    let abandoned = |why: &str| FileOutcome::Abandoned(why.into(), limits::Progress::default());
    let mut verified = match lost {
        Some(reason) => vec![abandoned(reason); jobs.len()],
        None => workers::verify_all(&jobs, &limits, a.jobs, tell, show),
    }
    .into_iter();
    let none = || abandoned("no worker");
    let mut outcomes: Vec<FileOutcome> = inputs
        .iter()
        .map(|i| match i {
            Ok(_) => verified.next().unwrap_or_else(none),
            Err(d) => FileOutcome::BadInput(Box::new(d.clone())),
        })
        .collect();
    line.clear();
    if a.meaning.asks_all() {
        partly_refused(&names, &mut outcomes);
    }
    trials::add(if a.verdict_words { &[] } else { &jobs }, &mut outcomes, &limits, began);
    let mut status = outcomes.iter().map(|o| Status::of_verdict(o.verdict())).fold(Status::Good, Status::and);
    let mut proof = a.proof.as_deref();
    if let (Some(path), Some(outcome), Some(job)) = (proof, outcomes.first(), jobs.first()) {
        let left = || limits.timeout.map_or(Duration::MAX, |t| t.saturating_sub(began.elapsed()));
        if let Err(message) = write_proof(path, job, outcome, a.proof_places, &left) {
            complain(&format!("error: {message}"));
            (proof, status) = (None, Status::BadInput);
        }
    }
    let (note, written) = write_witness(a, &outcomes, &inputs);
    status = status.and(written);
    let (more, tried) = reproduced(a, &mut outcomes, &inputs, &mut status);
    let note = note + &more;
    let mut named: Vec<(String, FileOutcome)> = names.into_iter().zip(outcomes).collect();
    if let Some(out) = &a.html {
        let making = pages::Making { version: a.witness_version, proof, limits: &limits, began };
        status = status.and(pages::write(out, &mut named, &inputs, &making));
    }
    if a.reports.need_data() {
        status = status.and(show_data(&a.reports, &named, &inputs, tried));
    }
    if a.reports.are_text() {
        show_text(a, &named, &inputs, (&note, sources.are_several()));
    }
    status
}

/// Systems of finite-state threads, and Boolean programs.
fn run_finite(a: &Args, limits: Limits, lost: Option<&str>) -> Status {
    let any_boolean = a.files.iter().any(|f| is_boolean(f));
    let all_boolean = a.files.iter().all(|f| is_boolean(f));
    if !all_boolean && a.engine.is_boolean() {
        complain("error: this --method is for Boolean programs (.bp) only");
        return Status::BadInput;
    }
    let Some(method) = a.engine.boolean().or((!any_boolean).then_some(boolean::Method::Auto)) else {
        let known: Vec<&str> = std::iter::once(AUTO).chain(boolean::Method::WORDS.map(|m| m.1)).collect();
        complain(&format!("error: methods for Boolean programs are {}", known.join(", ")));
        return Status::BadInput;
    };
    if any_boolean && (a.finite.is_given() || a.widening.is_some()) {
        complain(
            "error: --initial, --target and --widening are not for Boolean programs; they start in main, and assert",
        );
        return Status::BadInput;
    }
    let run = finite::Request {
        boolean: boolean::Asked {
            method,
            threads: a.meaning.max_threads(),
            errors: a.meaning.error_labels().to_vec(),
            states: a.engine.states(),
        },
        finite: &a.finite,
        widening: a.widening,
        limits,
        reports: &a.reports,
        verbose: a.verbose,
        proof: a.proof.as_deref(),
        lost,
    };
    finite::run(&a.files, &run)
}

/// What is asked for and cannot be, of C programs.
fn misused(a: &Args, sources: &Sources) -> Option<&'static str> {
    if a.engine.lacks_some() && a.html.is_some() {
        return Some("error: --without is for measuring: no page is written");
    }
    if a.engine.is_boolean() {
        return Some("error: this --method is for Boolean programs (.bp) only");
    }
    if a.finite.is_given() || a.widening.is_some() {
        return Some("error: --initial, --target and --widening are about systems of finite-state threads");
    }
    let several = sources.are_several();
    if sources.has_stdin() && (a.witness.is_some() || a.reproduce.is_some()) {
        return Some("error: --witness and --reproduce are about a file; standard input is none");
    }
    if a.witness.is_some() && several {
        return Some("error: --witness takes the witness of one program");
    }
    if a.engine.lacks_some() && (a.proof.is_some() || a.witness.is_some()) {
        return Some("error: --without is for measuring: no certificate or witness is written");
    }
    if a.proof.is_some() && several {
        return Some("error: --proof takes the certificate of one program");
    }
    if a.reproduce.is_some() && (several || a.meaning.asks_all()) {
        return Some("error: --reproduce is about one program and one property");
    }
    if a.meaning.asks_all() && (a.proof.is_some() || a.witness.is_some()) {
        return Some("error: --proof and --witness are about one property; name it instead of `all`");
    }
    None
}

/// Writes the witness of the first file, where one is asked for. Gives a line for the report, and whether it could.
fn write_witness(
    a: &Args,
    outcomes: &[FileOutcome],
    inputs: &[Result<Input, Diagnostic>],
) -> (String, Status) {
    let mut status = Status::Good;
    let mut note = String::new();
    if let (Some(path), Some(outcome), Some(Ok(input))) = (&a.witness, outcomes.first(), inputs.first()) {
        // A verdict without a witness is still one.
        match witness::write(path, input, outcome, a.witness_version) {
            Ok(line) => note = line.unwrap_or_default(),
            Err(Missing::None(why)) => complain(&format!("note: no witness: {why}")),
            Err(Missing::Unwritten(why)) => {
                complain(&format!("error: {why}"));
                status = Status::BadInput;
            }
        }
    }
    (note, status)
}

/// Makes a program of the first file's run, where one is asked for. Gives a line for the report, and what came of it.
fn reproduced(
    a: &Args,
    outcomes: &mut [FileOutcome],
    inputs: &[Result<Input, Diagnostic>],
    status: &mut Status,
) -> (String, Option<Attempt>) {
    let (Some(dir), Some(Ok(input))) = (&a.reproduce, inputs.first()) else { return Default::default() };
    let Some(FileOutcome::Verdict(report)) = outcomes.first_mut() else { return Default::default() };
    let Verdict::Unsafe { trace, .. } = &report.verdict else { return Default::default() };
    let done = match reproduce::made(dir, input, &json::trace(trace), a.runs) {
        Ok(done) => done,
        Err(why) => {
            complain(&format!("error: {why}"));
            *status = Status::BadInput;
            return Default::default();
        }
    };
    if a.reproduced && !done.succeeded() {
        let why = format!("the run that was found is {}", reproduce::line(dir, &done));
        report.verdict = Verdict::Unknown(Unknown::NotReproduced(why));
        *status = Status::Unknown;
        return (String::new(), Some(done));
    }
    (reproduce::line(dir, &done) + "\n", Some(done))
}

fn show_data(
    reports: &Reports,
    named: &[(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    reproduced: Option<Attempt>,
) -> Status {
    let peak = relyant_cfa::memory::used_kib().map(|m| m.1);
    let mut document = json::document(named, peak);
    if let Some(first) = document.results.first_mut() {
        first.reproduced = reproduced;
    }
    for (entry, input) in document.results.iter_mut().zip(inputs) {
        let Ok(input) = input else { continue };
        if entry.property.is_empty() {
            entry.property = input.options.describe();
        }
        entry.more_files = input.options.more_files.iter().map(|f| f.display().to_string()).collect();
    }
    reports.give(&document)
}

/// With a line for the report, and whether there are several programs.
fn show_text(
    a: &Args,
    named: &[(String, FileOutcome)],
    inputs: &[Result<Input, Diagnostic>],
    (note, several): (&str, bool),
) {
    for (i, (file, outcome)) in named.iter().enumerate() {
        let asked = inputs.get(i).and_then(|x| x.as_ref().ok()).map(|x| x.options.property);
        let word = words::of(outcome, asked.unwrap_or_default()) + "\n";
        let word = if a.verdict_words { word } else { String::new() };
        if let FileOutcome::BadInput(_) = outcome {
            complain(text::report(outcome, a.verbose).trim_end());
            say(&word);
            continue;
        }
        let heading = if !several { String::new() } else { format!("{file}:\n") };
        let gap = if i > 0 { "\n" } else { "" };
        let read = a.meaning.reads_property();
        let mut task = match inputs.get(i) {
            Some(Ok(input)) if read || input.expected.is_some() => about(input),
            _ => String::new(),
        };
        if let (FileOutcome::Abandoned(..), Some(Ok(input))) = (outcome, inputs.get(i)) {
            task.push_str(&format!("property: {}\n", input.options.describe()));
        }
        say(&format!("{gap}{heading}{task}{note}{}{word}", text::report(outcome, a.verbose)));
    }
}

/// A file that can be read for some of all properties is unknown for the others.
fn partly_refused(names: &[String], outcomes: &mut [FileOutcome]) {
    let read: BTreeSet<&String> = names
        .iter()
        .zip(&*outcomes)
        .filter(|(_, o)| !matches!(o, FileOutcome::BadInput(_)))
        .map(|x| x.0)
        .collect();
    for (name, outcome) in names.iter().zip(outcomes.iter_mut()) {
        if let (true, FileOutcome::BadInput(d)) = (read.contains(name), &*outcome) {
            let why = format!("refused: {}:{}:{}: {}", d.file, d.line, d.column, d.message);
            *outcome = FileOutcome::Abandoned(why, limits::Progress::default());
        }
    }
}

fn job(input: &Input, settings: &Settings) -> Job {
    let settings =
        Settings { meaning: input.options.clone(), needs_checks: !input.named, ..settings.clone() };
    Job { file: input.file.clone(), called: input.called.clone(), settings }
}

/// The line of the report that says what is asked.
fn about(input: &Input) -> String {
    let Some(property) = &input.property else { return String::new() };
    let expected = input.expected.map_or(String::new(), |e| format!(", expected {e}"));
    format!("asked: {}{expected}\n", property.line().replace('\n', ", "))
}

/// Why a proof was not written.
#[derive(Debug, thiserror::Error)]
enum NoProof {
    #[error(transparent)]
    Certificate(#[from] CertifyError),
    #[error(transparent)]
    Unwritten(#[from] Unwritten),
}

/// Writes the certificate of the only program, made smaller in the time that is left of the limit.
fn write_proof(
    path: &Path,
    job: &Job,
    outcome: &FileOutcome,
    places: bool,
    left: &dyn Fn() -> Duration,
) -> Result<(), NoProof> {
    let FileOutcome::Verdict(report) = outcome else { return Ok(()) };
    let Some(mut certificate) = Certificate::of(report, job.unit(), &job.settings.meaning)? else {
        return Ok(());
    };
    if places {
        certificate = certificate.with_places(job.unit())?;
    }
    let unwritten = |e: std::io::Error| Unwritten::new(path, e);
    let mut out = BufWriter::new(File::create(path).map_err(unwritten)?);
    let signals = Signals::register();
    let left = || if signals.reason().is_some() { Duration::ZERO } else { left() };
    let written = certificate.write(&mut out, &left);
    Ok(written.and_then(|()| out.flush()).map_err(unwritten)?)
}

/// The line on standard error that says how far things are; on a terminal only.
struct ProgressLine(Option<ProgressBar>);

impl ProgressLine {
    fn new(hidden: bool) -> ProgressLine {
        use std::io::IsTerminal;
        if hidden || !std::io::stderr().is_terminal() {
            return ProgressLine(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        ProgressLine(Some(bar))
    }
    fn show(&self, s: &Standing, files: usize) {
        let (Some(bar), Some((file, p))) = (&self.0, &s.current) else { return };
        if p.elapsed() < Duration::from_millis(300) {
            return;
        }
        let count =
            if files > 1 { format!("{}/{files} {}: ", s.done, file.display()) } else { String::new() };
        let stats = standing(&p.stats);
        let comma = if stats.is_empty() { "" } else { ": " };
        bar.set_message(format!(
            "{count}{:.1} s, {}{comma}{stats}",
            p.elapsed().as_secs_f64(),
            p.stage.doing()
        ));
        bar.tick();
    }
    fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
