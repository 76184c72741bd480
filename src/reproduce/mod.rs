//! Counterexamples that run: the user's own program with a scheduler beside it, compiled by the system's compiler.
//!
//! [`write()`] makes a folder of it, [`attempt()`] compiles and runs what is there. Nothing of the front end takes part beyond the
//! order of accesses, the inputs and the choices that the run names (`runtime.c` says how they are kept).

mod attempt;
mod schedule;
mod script;

pub use crate::report::run::Attempt;
pub use attempt::{Trouble, attempt};
pub(crate) use attempt::{build, run_within};
pub(crate) use schedule::literal;
pub use script::Judge;
pub(crate) use script::{CALLS, quoted};

use crate::report::json::TraceEntry;
use relyant_cfa::options::{DataModel, Integers, Options};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is put beside the program, by name.
const RUNTIME: [(&str, &str); 2] =
    [("runtime.c", include_str!("runtime.c")), ("calls.h", include_str!("calls.h"))];
/// What other schedulers have as well.
pub(crate) const SHARED: [(&str, &str); 4] = [
    ("accesses.h", include_str!("accesses.h")),
    ("inputs.h", include_str!("inputs.h")),
    ("executable.h", include_str!("executable.h")),
    ("sites.awk", include_str!("sites.awk")),
];

/// Why there is no folder.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The run cannot be one of a compiled program.
    #[error("{0}")]
    Not(String),
}

/// A program, and a run of it that ends in a violation.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The program's files.
    pub sources: &'a [PathBuf],
    /// What the program means.
    pub options: &'a Options,
    /// The run.
    pub trace: &'a TraceEntry,
}

/// Writes the folder of a run, compiles and runs it so many times. Says who judges, and what came of it.
///
/// # Errors
/// What cannot be read or written, or why the run cannot be one of a compiled program.
pub fn reproduce(dir: &Path, found: &Found<'_>, runs: u32) -> Result<Attempt, Error> {
    if let Some(reason) = impossible(found) {
        return Ok(Attempt { reason, ..Attempt::default() });
    }
    let mut last = None;
    // Operands may be read in another order than the run's.
    for (judge, reorder) in Judge::of(&found.trace.violation).iter().flat_map(|j| [(*j, false), (*j, true)]) {
        write(dir, found, judge, reorder)?;
        let done = attempt(dir, judge, runs);
        if done.succeeded() {
            return Ok(done);
        }
        last.get_or_insert(done);
    }
    last.ok_or_else(|| Error::Not("nobody judges it".into()))
}

/// Why no compiled program can take the run.
fn impossible(found: &Found<'_>) -> Option<String> {
    let signal = found.trace.run.threads.iter().find(|t| t.starts_with("(signal"));
    let marker = "__CPROVER_ASYNC";
    let read = |s: &PathBuf| std::fs::read_to_string(s).unwrap_or_default();
    if found.options.data_model == DataModel::Ilp32 {
        Some("it is compiled for 64 bits, and the verdict is about 32".into())
    } else if signal.is_some() {
        Some("when a signal comes is not up to the scheduler".into())
    } else if found.sources.iter().any(|s| read(s).contains(marker)) {
        Some(format!("`{marker}` is no C that a compiler takes"))
    } else if found.options.integers == Integers::Ideal {
        Some("the integers of the run are not those of the machine".into())
    } else {
        None
    }
}

/// Writes the folder of a run.
///
/// # Errors
/// What cannot be read or written, or why the run cannot be one of a compiled program.
pub fn write(dir: &Path, found: &Found<'_>, judge: Judge, reorder: bool) -> Result<(), Error> {
    let (options, trace) = (found.options, found.trace);
    if trace.run.threads.is_empty() {
        return Err(Error::Not("the report does not have the run step by step".into()));
    }
    let put = |name: &str, text: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|error| Error::File { path, error })
    };
    std::fs::create_dir_all(dir).map_err(|error| Error::File { path: dir.into(), error })?;
    let mut names = Vec::new();
    for source in found.sources {
        let text = std::fs::read(source).map_err(|error| Error::File { path: source.clone(), error })?;
        let name = source.file_name().map_or("source.c".into(), |n| n.to_string_lossy().into_owned());
        let exclusive = options.exclusive.as_deref().filter(|_| trace.violation != "assertion");
        put(&name, &script::labelled(&text, &trace.violation, exclusive))?;
        names.push(name);
    }
    for (name, text) in RUNTIME.iter().chain(&SHARED) {
        put(name, text.as_bytes())?;
    }
    put("schedule.h", schedule::text(trace, options).as_bytes())?;
    put("run", script::text(found.sources, &names, options, trace, judge, reorder).as_bytes())?;
    let path = dir.join("run");
    executable(&path).map_err(|error| Error::File { path, error })
}

/// Lets a script be called.
pub(crate) fn executable(path: &Path) -> io::Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
