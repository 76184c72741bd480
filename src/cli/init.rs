//! `relyant init`

use super::exit::Status;
use super::meaning::Meaning;
use super::{complain, say, say_all, write_file};
use relyant::init::{NoHarness, Wanted, harness};
use relyant::reproduce::quoted;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Write a harness: a program that calls functions of a source without main, from threads, with any arguments
#[derive(clap::Args)]
pub struct Args {
    /// The C source
    file: PathBuf,
    /// Call this function [default: the only one]
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// Threads that call each function
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16))]
    callers: u32,
    /// Write it here, not to standard output; a file that is there is kept
    #[arg(long, short, value_name = "OUT.c")]
    output: Option<PathBuf>,
    #[command(flatten)]
    meaning: Meaning,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    if let Some(out) = a.output.as_ref().filter(|o| o.exists()) {
        complain(&format!("error: {} is there already", out.display()));
        return Status::BadInput;
    }
    let include = from_beside(&a.file, a.output.as_deref());
    let wanted =
        Wanted { file: &a.file, include: Some(&include), functions: &a.function, threads: a.callers };
    let made = a
        .meaning
        .input(&a.file)
        .map_err(|d| NoHarness::Input(Box::new(d)))
        .and_then(|input| harness(&wanted, &input.options));
    match (made, &a.output) {
        (Ok(text), None) => say_all(&text),
        (Ok(text), Some(out)) => {
            if let Err(why) = write_file(out, &text) {
                complain(&format!("error: {why}"));
                return Status::BadInput;
            }
            let told: String =
                a.meaning.preprocessing().words().iter().map(|w| format!("{} ", word(w))).collect();
            let written = out.display();
            say(&format!(
                "wrote: {written}\nnext: relyant verify --property no-data-race {told}{}\n",
                word(&written.to_string())
            ));
        }
        (Err(NoHarness::Input(d)), _) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
        (Err(why), _) => {
            complain(&format!("error: {why}"));
            return Status::BadInput;
        }
    }
    Status::Good
}

/// A word as a shell takes it.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=+,:@%".contains(c);
    if text.chars().all(plain) { text.into() } else { quoted(text) }
}

/// The file's name for an `#include` in another one: from its folder, or from the root where only that is above both.
fn from_beside(file: &Path, harness: Option<&Path>) -> String {
    let folder =
        harness.and_then(Path::parent).filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = || {
        let file = file.canonicalize().ok()?;
        let folder = folder.canonicalize().ok()?;
        let shared = file.iter().zip(folder.iter()).take_while(|(a, b)| a == b).count();
        if shared < 2 {
            return Some(file);
        }
        let up = folder.iter().skip(shared).map(|_| OsStr::new(".."));
        Some(up.chain(file.iter().skip(shared)).collect())
    };
    found().unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
