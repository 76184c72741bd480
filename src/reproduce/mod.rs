//! Counterexamples that run: the user's own program with a scheduler beside it, compiled by the system's compiler.
//!
//! [`write()`] makes a folder of it, [`attempt()`] compiles and runs what is there. Nothing of the front end takes part beyond the
//! order of accesses, the inputs and the choices that the run names (`runtime.c` says how they are kept).

mod attempt;
mod schedule;
mod script;

pub use crate::report::run::Attempt;
pub use attempt::attempt;
pub use script::Judge;

use crate::report::json::TraceEntry;
use relyant_cfa::options::Options;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What is put beside the program, by name.
const RUNTIME: [(&str, &str); 4] = [
    ("runtime.c", include_str!("runtime.c")),
    ("calls.h", include_str!("calls.h")),
    ("accesses.h", include_str!("accesses.h")),
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
    let mut last = None;
    for judge in Judge::of(&found.trace.violation) {
        write(dir, found, *judge)?;
        let done = attempt(dir, *judge, runs);
        if done.succeeded() {
            return Ok(done);
        }
        last.get_or_insert(done);
    }
    last.ok_or_else(|| Error::Not("nobody judges it".into()))
}

/// Writes the folder of a run.
///
/// # Errors
/// What cannot be read or written, or why the run cannot be one of a compiled program.
pub fn write(dir: &Path, found: &Found<'_>, judge: Judge) -> Result<(), Error> {
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
    for (name, text) in RUNTIME {
        put(name, text.as_bytes())?;
    }
    put("schedule.h", schedule::text(trace, options).as_bytes())?;
    put("run", script::text(found.sources, &names, options, trace, judge).as_bytes())?;
    let path = dir.join("run");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| Error::File { path, error })
}
