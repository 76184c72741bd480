//! `relyant export`

use super::exit::Status;
use super::meaning::Meaning;
use super::{complain, finite, say_all};
use clap::ValueEnum;
use relyant::export::chc;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_check::finite::{FileKind, boolean, export, kind, read};
use relyant_rewriting::export as timbuk;

use relyant_frontend::c;
use relyant_frontend::{instantiate, tso};
use relyant_program::thread_program;
use std::path::PathBuf;

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// Constrained Horn clauses (SMT-LIB 2, logic HORN), one relation over all threads and variables
    Chc,
    /// A rewriting system (Timbuk's format), which `relyant verify` reads
    Timbuk,
    /// A thread transition system, from finite-state threads
    Tts,
    /// A Petri net in mist's format, from finite-state threads
    Spec,
    /// A place/transition net in PNML, from finite-state threads
    Pnml,
}

/// Write a program for other tools
#[derive(clap::Args)]
pub struct Args {
    /// The C source, or the finite-state threads (.tts, .spec, .pnml, .bp)
    file: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: Target,
    #[command(flatten)]
    meaning: Meaning,
    #[command(flatten)]
    finite: finite::Finite,
}

/// Writes the file in the asked form.
pub fn run(a: &Args) -> Status {
    let text = match a.to {
        Target::Tts => finite_text(a, FileKind::Threads),
        Target::Spec => finite_text(a, FileKind::Net),
        Target::Pnml => finite_text(a, FileKind::Pnml),
        Target::Chc => chc_text(a),
        Target::Timbuk => a.meaning.input(&a.file).and_then(|i| {
            let program = instantiate::for_search(&c::load(&i.file, &i.options)?, &i.options)?;
            timbuk::export(&tso::buffered(program, tso::Form::Buffers, &i.options)?)
        }),
    };
    match text {
        Ok(text) => {
            say_all(&text);
            Status::Good
        }
        Err(e) => {
            complain(&e.to_string());
            Status::BadInput
        }
    }
}

fn finite_text(a: &Args, to: FileKind) -> Result<String, Diagnostic> {
    let name = || a.file.display().to_string();
    let wrong = |why: String| Diagnostic::of_file(name(), why, "");
    let kind = kind(&a.file).ok_or_else(|| wrong("no system of finite-state threads".into()))?;
    let input = match kind {
        FileKind::Boolean => boolean::export(&a.file, a.meaning.error_labels(), to == FileKind::Threads),
        _ => read(&a.file, kind, &a.finite.question()),
    };
    let input = input.map_err(|d| *d)?;
    export(&input, to).map_err(|why| wrong(why.to_string()))
}

fn chc_text(a: &Args) -> Result<String, Diagnostic> {
    let input = a.meaning.input(&a.file)?;
    let program =
        relyant_frontend::programs::read(&input.file, &input.options).and_then(|p| thread_program(&p))?;
    chc::export(&program).map_err(|e| Diagnostic::of_file(a.file.display().to_string(), e.to_string(), ""))
}
