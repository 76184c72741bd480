//! `relyant reproduce`

use super::exit::Status;
use super::input::read_text;
use super::meaning::{Input, Meaning};
use super::witness::{NoRun, violating};
use super::{complain, say};
use relyant::report::json::{Document, TraceEntry};
use relyant::reproduce::{Attempt, Error, Found, reproduce};
use relyant_cfa::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};

/// Make a program of a counterexample: the C source with a scheduler that drives it through the run
#[derive(clap::Args)]
pub struct Args {
    /// The report of an unsafe program (`relyant verify --format json`), or a violation witness
    run: PathBuf,
    /// The C source
    file: PathBuf,
    /// Further C sources of the program
    #[arg(value_name = "FILE")]
    more: Vec<PathBuf>,
    /// Folder that gets the program; `DIR/run` compiles and runs it
    #[arg(short, value_name = "DIR")]
    output: PathBuf,
    /// How many times it is run
    #[arg(long, value_name = "N", default_value_t = 100)]
    runs: u32,
    #[command(flatten)]
    meaning: Meaning,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    match read(a) {
        Ok(done) => {
            say(&format!("{}\n", line(&a.output, &done)));
            if done.succeeded() { Status::Good } else { Status::Unknown }
        }
        Err(why) => {
            complain(&format!("error: {why}"));
            Status::BadInput
        }
    }
}

/// What is said of it.
pub fn line(dir: &Path, done: &Attempt) -> String {
    match done.succeeded() {
        true => {
            let way = if done.way.is_empty() { String::new() } else { format!(", {}", done.way) };
            format!(
                "reproduced: {} fails as found, {} of {} runs{way}",
                dir.join("run").display(),
                done.failed,
                done.runs
            )
        }
        false => format!("not reproduced: {}", done.reason),
    }
}

/// Why no run was tried.
#[derive(Debug, thiserror::Error)]
enum Untried {
    /// The report or the source cannot be read.
    #[error("{0}")]
    Unreadable(Box<Diagnostic>),
    /// It is no report, and no witness with a run.
    #[error("{}: no report, and no run of a witness: {error}", file.display())]
    NoReport { file: PathBuf, error: NoRun },
    /// No run is in the report.
    #[error("{}: no unsafe program is in it", .0.display())]
    NoRun(PathBuf),
    /// The program could not be made.
    #[error(transparent)]
    Unmade(#[from] Error),
}

fn read(a: &Args) -> Result<Attempt, Untried> {
    let wrong = |d| Untried::Unreadable(Box::new(d));
    let text = read_text(&a.run).map_err(wrong)?;
    let mut input = a.meaning.input(&a.file).map_err(wrong)?;
    input.options.more_files.extend(a.more.iter().cloned());
    let Ok(document) = serde_json::from_str::<Document>(&text) else {
        let no = |error| Untried::NoReport { file: a.run.clone(), error };
        let preprocessing = input.options.preprocessing.clone();
        let (options, trace) = violating(&a.run, &text, &a.file, preprocessing).map_err(no)?;
        input.options = options;
        return Ok(made(&a.output, &input, &relyant::report::json::trace(&trace), a.runs)?);
    };
    let unsafe_one = document.results.into_iter().find_map(|e| e.trace);
    let trace = unsafe_one.ok_or_else(|| Untried::NoRun(a.run.clone()))?;
    Ok(made(&a.output, &input, &trace, a.runs)?)
}

/// Makes the program of a run, compiles and runs it.
///
/// # Errors
/// What cannot be read or written.
pub fn made(dir: &Path, input: &Input, trace: &TraceEntry, runs: u32) -> Result<Attempt, Error> {
    let mut sources = vec![input.file.clone()];
    sources.extend(input.options.more_files.iter().cloned());
    let found = Found { sources: &sources, options: &input.options, trace };
    reproduce(dir, &found, runs)
}
