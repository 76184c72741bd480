//! Files about replicated finite-state threads: their systems, and certificates about these. Another kind of file is
//! another [`FileKind`].

pub mod boolean;
pub mod certificate;

use relyant_cfa::diagnostic::Diagnostic;
use relyant_finite::input::InputError;
use relyant_finite::model::{System, Target};
use relyant_finite::{Unwritable, petri, tts};
use std::path::{Path, PathBuf};

/// Kinds of files, known by their extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A thread transition system, `.tts`.
    Threads,
    /// A Petri net in mist's format, `.spec`.
    Net,
    /// A place/transition net in PNML, `.pnml`.
    Pnml,
    /// A Boolean program, `.bp`.
    Boolean,
}

/// The kind that a file's name says it is.
pub fn kind(path: &Path) -> Option<FileKind> {
    match path.extension()?.to_str()? {
        "tts" => Some(FileKind::Threads),
        "spec" => Some(FileKind::Net),
        "pnml" => Some(FileKind::Pnml),
        "bp" => Some(FileKind::Boolean),
        _ => None,
    }
}

/// What is asked about a system, where it is not in its file.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Initial configurations, `s|b/u`: a thread in each of `b`, any number in each of `u`. `None`: as the file says.
    pub initial: Option<String>,
    /// What must not be covered, `s|l1,l2`, or the name of a file with that.
    pub target: Option<String>,
}

/// A system with its target.
#[derive(Clone, Debug)]
pub struct Input {
    /// The system of the files, its states numbered.
    pub system: System,
    /// What must not be covered.
    pub target: Target,
    /// What the reader took for granted.
    pub assumes: Vec<String>,
    /// The bytes of its files, by name.
    pub sources: Vec<(String, Vec<u8>)>,
}

/// A value, or what is wrong with a file.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Reads a file, and the target beside it.
pub fn read(path: &Path, kind: FileKind, wanted: &Question) -> Result<Input> {
    let (text, bytes) = text(path)?;
    let mut sources = vec![(path.display().to_string(), bytes)];
    let mut assumes = Vec::new();
    let (mut system, target) = match kind {
        FileKind::Threads => {
            let mut system = tts::system(&text).map_err(|e| wrong(path, &text, e))?;
            let (target, foreign) = target(path, wanted, &mut system, &mut sources)?;
            for l in foreign {
                assumes.push(format!("no thread is ever in local state {l}, which the system does not have"));
            }
            (system, target)
        }
        FileKind::Boolean => {
            return Err(plain(path, "a Boolean program is no system of threads", "export it with --to tts"));
        }
        FileKind::Net => {
            if wanted.target.is_some() {
                return Err(plain(path, "the target of a net is in its file", "leave out --target"));
            }
            let net = petri::spec(&text).map_err(|e| wrong(path, &text, e))?;
            assumes.extend(net.assumes);
            (net.system, net.target)
        }
        FileKind::Pnml => {
            let system = petri::pnml(&text).map_err(|e| wrong(path, &text, e))?;
            let (name, text) = given(path, wanted, |t| t.contains('='), "'p >= 1, q >= 2'", &mut sources)?;
            let net = petri::target(&text, system).map_err(|e| wrong(&name, &text, e))?;
            (net.system, net.target)
        }
    };
    if let Some(text) = &wanted.initial {
        if kind != FileKind::Threads {
            return Err(plain(path, "the initial marking of a net is in its file", "leave out --initial"));
        }
        system.initial =
            vec![tts::initial(text, &system).map_err(|e| wrong(Path::new("--initial"), text, e))?];
    }
    Ok(Input { system, target, assumes, sources })
}

fn target(
    path: &Path,
    wanted: &Question,
    system: &mut System,
    sources: &mut Vec<(String, Vec<u8>)>,
) -> Result<(Target, Vec<u32>)> {
    let (name, text) = given(path, wanted, |t| t.contains('|'), "'s|l1,l2'", sources)?;
    tts::target(&text, system).map_err(|e| wrong(&name, &text, e))
}

/// The target's text: as given, or from the file named, or from the `.prop` beside the input.
fn given(
    path: &Path,
    wanted: &Question,
    is_text: fn(&str) -> bool,
    example: &str,
    sources: &mut Vec<(String, Vec<u8>)>,
) -> Result<(PathBuf, String)> {
    if let Some(given) = wanted.target.as_ref().filter(|t| is_text(t)) {
        return Ok((PathBuf::from("--target"), given.clone()));
    }
    let file = wanted.target.as_ref().map_or_else(|| path.with_extension("prop"), PathBuf::from);
    if wanted.target.is_none() && !file.exists() {
        let message = format!("there is no target: {} does not exist", file.display());
        let help = format!("give one with --target {example}, or the name of a file with that");
        return Err(plain(path, &message, &help));
    }
    let (text, bytes) = text(&file)?;
    sources.push((file.display().to_string(), bytes));
    Ok((file, text))
}

fn text(path: &Path) -> Result<(String, Vec<u8>)> {
    let bytes =
        relyant_cfa::files::read(path).map_err(|e| plain(path, &format!("cannot be read: {e}"), ""))?;
    // comments may be in any encoding; elsewhere the reader complains
    Ok((String::from_utf8_lossy(&bytes).into_owned(), bytes))
}

/// Writes an input in another format: `tts`, `spec` or `pnml`.
///
/// # Errors
/// Why it cannot be written in that format.
pub fn export(input: &Input, kind: FileKind) -> std::result::Result<String, Unwritable> {
    match kind {
        FileKind::Threads => {
            let target: String =
                tts::write_target(&input.target).lines().map(|l| format!("# target: {l}\n")).collect();
            Ok(tts::write_system(&input.system)? + &target)
        }
        FileKind::Net => petri::write_spec(&input.system, &input.target),
        FileKind::Pnml => petri::write_pnml(&input.system),
        FileKind::Boolean => Err(Unwritable::Boolean),
    }
}

/// Something wrong with a file as a whole.
pub fn plain(path: &Path, message: &str, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::of_file(path.display().to_string(), message, help))
}

/// Something wrong at a place in a file.
pub fn wrong(path: &Path, text: &str, e: InputError) -> Box<Diagnostic> {
    let line = (e.place.line as usize).checked_sub(1).and_then(|i| text.lines().nth(i));
    Box::new(Diagnostic {
        file: path.display().to_string(),
        line: e.place.line,
        column: e.place.column,
        message: e.message,
        help: e.help,
        source_line: line.filter(|l| l.chars().count() <= 200).map(String::from),
    })
}

/// A document as text.
pub fn text_of(document: &impl serde::Serialize) -> Option<String> {
    serde_json::to_string(document).ok()
}
