//! What is said: nothing is lost in silence. What cannot be written makes the exit status one of failure.

use super::exit::Status;
use relyant_cfa::diagnostic::escape;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

/// Was there no standard output at the start? The runtime puts `/dev/null` in its place before `main`.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before the runtime does.
extern "C" fn look() {
    // SAFETY: a system call on numbers.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } < 0 {
        CLOSED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: the linker puts a list of functions without arguments here, all called once.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

/// The first failure to write to standard output.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to standard output, with colours where it is a terminal, and nothing else that one would act on.
pub fn say(text: &str) {
    say_all(&escape(text));
}

/// Writes a document to standard output as it is.
pub fn say_all(text: &str) {
    let written = match CLOSED.load(Ordering::Relaxed) {
        true => Err(io::Error::other("it is closed")),
        false => write_to_standard_output(text),
    };
    if let Err(e) = written {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
    }
}

/// The standard library's own stream takes a descriptor that cannot be written to for one that swallows all.
fn write_to_standard_output(text: &str) -> io::Result<()> {
    let stdout = io::stdout();
    let choice = anstream::AutoStream::choice(&stdout);
    let file = File::from(stdout.as_fd().try_clone_to_owned()?);
    let mut out = anstream::AutoStream::new(file, choice);
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line to standard error.
pub fn complain(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{}", escape(text));
}

/// The status of a command, once it is clear whether all that was said was written. A reader that went away is told nothing,
/// only that is no success.
pub fn once_said(status: Status) -> Status {
    match FAILED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        None => status,
        Some(e) if e.kind() == io::ErrorKind::BrokenPipe && status != Status::Good => status,
        Some(e) => {
            if e.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("error: standard output: {e}"));
            }
            Status::BadInput
        }
    }
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {why}", .path.display())]
pub struct Unwritten {
    path: PathBuf,
    why: io::Error,
}

impl Unwritten {
    /// The file, and what the system says.
    pub fn new(path: &Path, why: io::Error) -> Unwritten {
        Unwritten { path: path.into(), why }
    }
}

/// Writes a file.
///
/// # Errors
/// Why it could not be written, with its name.
pub fn write_file(path: &Path, text: &str) -> Result<(), Unwritten> {
    std::fs::write(path, text).map_err(|e| Unwritten::new(path, e))
}
