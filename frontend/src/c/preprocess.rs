//! Runs the system's C preprocessor.

use super::compiler::{self, Failure};
use super::join::{Joined, join};
use super::unit::Unit;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_cfa::options::{DataModel, Options};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A preprocessed text; of several files, with how they have it.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// What is to be parsed.
    pub text: String,
    /// Where several files were joined.
    pub joined: Option<Joined>,
}

/// Reads a file, and those that belong to it.
pub fn read<'a>(what: impl Into<Unit<'a>>, options: &Options) -> Result<Preprocessed, Diagnostic> {
    let unit: Unit<'a> = what.into();
    let read = |path: &Path| Ok(unit.named(read_one(path, options).map_err(|d| unit.about(d))?));
    let first = read(unit.path())?;
    if options.more_files.is_empty() {
        return Ok(Preprocessed { text: first, joined: None });
    }
    let mut all = vec![(unit.name(), first)];
    for path in &options.more_files {
        all.push((unit.name_of(path), read(path)?));
    }
    let (text, joined) = join(&all)?;
    Ok(Preprocessed { text, joined: Some(joined) })
}

/// Reads a file; `.c` goes through `$CC -E` (else gcc, clang or cc), anything else is taken as it is.
fn read_one(path: &Path, options: &Options) -> Result<String, Diagnostic> {
    let name = path.display().to_string();
    let bytes = files::read(path)
        .map_err(|e| Diagnostic::of_file(&name, format!("cannot read the file: {e}"), ""))?;
    if path.extension().is_none_or(|e| e != "c") {
        return text(&name, bytes);
    }
    text(&name, bytes)?;
    let mut args = arguments(path, options);
    args.push("-E".into());
    run(path, args, options.data_model)
}

/// What the compiler is told of a file, whatever it is to do. Functions on characters are to be calls, not a table of the C library;
/// columns are bytes.
pub fn arguments(path: &Path, options: &Options) -> Vec<OsString> {
    let mut args: Vec<OsString> = vec!["-D__NO_CTYPE".into(), "-ftabstop=1".into()];
    args.extend(options.preprocessing_of(path).arguments());
    args
}

/// Runs the preprocessor on a file; what it writes.
pub fn run(path: &Path, mut args: Vec<OsString>, model: DataModel) -> Result<String, Diagnostic> {
    let name = path.display().to_string();
    args.push(compiler::operand(path).into());
    let run = match model {
        DataModel::Lp64 => compiler::run(&args),
        DataModel::Ilp32 => super::headers32::run(&args),
    };
    match run {
        Ok(out) if out.success => text(&name, out.stdout),
        Ok(out) => Err(failure(&name, &out.program, &out.stderr)),
        Err(e @ Failure::Missing(_)) => {
            let help = "install gcc or clang, set CC, or give a preprocessed .i file";
            Err(Diagnostic::of_file(name, e.to_string(), help))
        }
        Err(e) => Err(Diagnostic::of_file(name, format!("the preprocessor failed: {e}"), "")),
    }
}

/// The texts of a program's sources as they are written, by the names that they have in a preprocessed text: of those
/// that go through the preprocessor.
pub fn originals(unit: Unit<'_>, options: &Options) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for file in std::iter::once(unit.path()).chain(options.more_files.iter().map(PathBuf::as_path)) {
        let Some(text) = original(file) else { continue };
        out.insert(compiler::operand(file).display().to_string(), text.clone());
        out.insert(unit.name_of(file), text);
    }
    out
}

/// The text of a file that goes through the preprocessor, as it is written.
pub fn original(path: &Path) -> Option<String> {
    let is_source = path.extension().is_some_and(|e| e == "c");
    is_source.then(|| String::from_utf8(files::read(path).ok()?).ok()).flatten()
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    let broken = |at: usize, bytes: &[u8]| {
        let line = bytes[..at].iter().filter(|b| **b == b'\n').count() + 1;
        let mut d = Diagnostic::of_file(
            name,
            format!("byte {:#04x} is no text", bytes[at]),
            "the input must be C source in UTF-8",
        );
        d.line = u32::try_from(line).unwrap_or(0);
        d
    };
    if let Some(at) = bytes.iter().position(|b| *b < 32 && !b"\t\n\r\x0b\x0c".contains(b)) {
        return Err(broken(at, &bytes));
    }
    String::from_utf8(bytes).map_err(|e| broken(e.utf8_error().valid_up_to(), e.as_bytes()))
}

/// Turns the first `file:line:column: error: message` of the preprocessor into a diagnostic.
fn failure(name: &str, program: &str, stderr: &[u8]) -> Diagnostic {
    let stderr = String::from_utf8_lossy(stderr);
    for line in stderr.lines() {
        let Some((place, message)) = line.split_once("error: ") else { continue };
        let place = place.trim_end().trim_end_matches("fatal").trim_end();
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let column = parts.next().and_then(|p| p.parse().ok());
        let row = parts.next().and_then(|p| p.parse().ok());
        let file = parts.next();
        let message = format!("the preprocessor ({program}) says: {}", message.trim());
        let elsewhere = original(Path::new(name)).and_then(|text| super::elsewhere::system(&text));
        let help = elsewhere.unwrap_or("give missing macros and folders with -D and -I");
        let mut d = Diagnostic::of_file(name, message, help);
        if let (Some(file), Some(row), Some(column)) = (file, row, column) {
            d.file = file.to_string();
            d.line = row;
            d.column = column;
            // Other files may be named by `#line` only, which is no reason to show them.
            if Path::new(file) == compiler::operand(Path::new(name)) {
                d.file = name.to_string();
                let text = files::read(Path::new(name)).unwrap_or_default();
                let line = String::from_utf8_lossy(&text);
                d.source_line = line.lines().nth((row as usize).saturating_sub(1)).map(str::to_string);
            }
        }
        return d;
    }
    let first = stderr.lines().next().unwrap_or("no message").to_string();
    Diagnostic::of_file(name, format!("the preprocessor ({program}) failed: {first}"), "")
}
