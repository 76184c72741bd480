//! Compiling and running what is in a folder.

use super::script::Judge;
use crate::report::run::Attempt;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// For compiling.
const LIMIT: Duration = Duration::from_secs(60);
/// For each run. The program's own watchdog is faster.
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// How much of what a program says is looked at.
const SAID: usize = 1 << 16;

/// Why a program was not compiled, or not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// A file of the folder cannot be written.
    #[error("{0}")]
    File(#[from] io::Error),
    /// The compiler or the linker refuses it, for this reason.
    #[error("it does not compile: {0}")]
    Compiler(String),
    /// A process could not be started or waited for.
    #[error("{program}: {error}")]
    Process {
        /// Which one.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// A process took too long.
    #[error("{program} does not end within {seconds} s")]
    Endless {
        /// Which one.
        program: String,
        /// The limit.
        seconds: u64,
    },
}

/// Compiles, and runs so many times, or until one does not fail.
pub fn attempt(dir: &Path, judge: Judge, runs: u32) -> Attempt {
    let began = Instant::now();
    let mut done = Attempt::default();
    let _ = std::fs::remove_file(dir.join("program"));
    if let Err(why) = build(dir) {
        done.reason = why.to_string();
        return done;
    }
    done.built = began.elapsed().as_secs_f64();
    let began = Instant::now();
    while done.runs < runs && done.reason.is_empty() {
        done.runs += 1;
        match run_within(dir, "./program", &[], RUN_LIMIT) {
            Ok((status, said)) if fails(judge, status, &said) => done.failed += 1,
            Ok((status, said)) => done.reason = reason(status, &said),
            Err(why) => done.reason = why.to_string(),
        }
    }
    done.ran = began.elapsed().as_secs_f64();
    done
}

/// Compiles. Functions that are nowhere get a body, once it is known which.
pub(crate) fn build(dir: &Path) -> Result<(), Trouble> {
    let mut absent = BTreeSet::new();
    loop {
        let words: Vec<String> = absent.iter().map(|f| format!("-Wl,--defsym={f}=relyant_any")).collect();
        std::fs::write(dir.join("absent"), words.join(" ") + "\n")?;
        let (status, said) = run_within(dir, "sh", &["./run", "--build"], LIMIT)?;
        if status.success() {
            return Ok(());
        }
        let known = absent.len();
        absent.extend(said.lines().filter_map(undefined).map(String::from));
        if absent.len() == known {
            let line = said.lines().find(|l| l.contains("error") || l.contains("undefined reference"));
            return Err(Trouble::Compiler(line.unwrap_or("no message").trim().to_string()));
        }
    }
}

/// The function that a linker does not find.
fn undefined(line: &str) -> Option<&str> {
    let rest = line.split_once("undefined reference to `")?.1;
    let name = rest.split('\'').next()?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(word) && !name.starts_with("__tsan")).then_some(name)
}

fn fails(judge: Judge, status: ExitStatus, said: &str) -> bool {
    // A sanitizer may end by functions that the runtime stands in for, and with the status of that.
    !status.success()
        && (judge != Judge::Program || status.code() != Some(71))
        && said.lines().any(|l| judge.signs().iter().any(|sign| l.contains(sign)))
}

/// Why a run did not fail as found.
fn reason(status: ExitStatus, said: &str) -> String {
    let own: Vec<&str> = said.lines().filter_map(|l| l.strip_prefix("relyant: ")).collect();
    if status.code() == Some(71) && !own.is_empty() {
        return own.join("; ");
    }
    let last = said.lines().find(|l| l.contains("ERROR") || l.contains("WARNING")).or(said.lines().last());
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ends with status {code}"),
        (None, Some(signal)) => format!("it is ended by signal {signal}"),
        (None, None) => "it ends".into(),
    };
    format!("{how}, {}", last.unwrap_or("without a word").trim())
}

/// Runs a program in the folder: how it ended, and what it said on standard error.
pub(crate) fn run_within(
    dir: &Path,
    program: &str,
    args: &[&str],
    limit: Duration,
) -> Result<(ExitStatus, String), Trouble> {
    let said = dir.join("last-run.txt");
    let broken = |error| Trouble::Process { program: program.to_string(), error };
    let stderr = File::create(&said).map_err(broken)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.process_group(0).spawn().map_err(broken)?;
    let began = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(broken)? {
            break status;
        }
        if began.elapsed() > limit {
            // SAFETY: a system call on numbers; the group is that of a child that has not been waited for.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            child.wait().map_err(broken)?;
            return Err(Trouble::Endless { program: program.to_string(), seconds: limit.as_secs() });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let text = std::fs::read(&said).map_err(broken)?;
    let text = String::from_utf8_lossy(&text[..text.len().min(SAID)]).into_owned();
    Ok((status, text))
}
