//! What a C compiler rejects is refused with its message: it is asked while the file is read here.

use super::compiler::{self, operand};
use super::source::line_marker;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_cfa::options::{DataModel, Options};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Words of dialects that no compiler knows; what it says of a file with one of them says nothing.
const DIALECTS: [&str; 4] = ["__CPROVER_", "__blockattribute__", "NONDET", "glb_init"];

/// Errors that public programs have, and that leave no doubt about the meaning: a name declared or defined twice alike.
const TAKEN: [&str; 5] = [
    "with no linkage",
    "assume_abort_if_not",
    "reach_error",
    "__VERIFIER_",
    "overflow in enumeration values",
];

/// A type that is there twice alike, after which nothing that is said counts.
const TWICE: [&str; 2] = ["redefinition of 'struct ", "redefinition of 'union "];

/// The compiler's first error in the files of a program. None where there is no compiler, or it cannot tell.
pub fn rejected(path: &Path, options: &Options) -> Option<Diagnostic> {
    let all = std::iter::once(path).chain(options.more_files.iter().map(PathBuf::as_path));
    if !options.threads.is_empty() {
        return None;
    }
    all.into_iter().find_map(|p| one(p, options))
}

fn one(path: &Path, options: &Options) -> Option<Diagnostic> {
    if !files::is_regular(path) {
        // What a pipe says is said once.
        return None;
    }
    let text = String::from_utf8(files::read(path).ok()?).ok()?;
    if DIALECTS.iter().any(|d| text.contains(d)) {
        return None;
    }
    let preprocessed = path.extension().is_none_or(|e| e != "c");
    // Lines that messages show would be read from whatever files the text names.
    let mut args: Vec<OsString> =
        ["-fsyntax-only", "-w", "-std=gnu17", "-ftabstop=1", "-fno-diagnostics-show-caret"]
            .map(OsString::from)
            .to_vec();
    let permitted =
        ["implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types"];
    args.extend(permitted.iter().map(|w| format!("-Wno-error={w}").into()));
    if options.data_model == DataModel::Ilp32 {
        if !preprocessed {
            // Its headers for 32 bits may not be there.
            return None;
        }
        args.push("-m32".into());
    }
    if preprocessed {
        args.extend(["-x".into(), "cpp-output".into()]);
    } else {
        args.extend(options.preprocessing_of(path).arguments());
    }
    args.push(operand(path).into());
    let out = compiler::run(&args).ok().filter(|o| !o.success)?;
    let mut d = first_error(&out.program, &String::from_utf8_lossy(&out.stderr))?;
    if Path::new(&d.file) == operand(path) {
        d.file = path.display().to_string();
        if !preprocessed || !text.lines().any(|l| line_marker(l).is_some()) {
            d.source_line = text.lines().nth((d.line as usize).saturating_sub(1)).map(str::to_string);
        }
    }
    Some(d)
}

/// The first `file:line:column: error: message` that counts.
fn first_error(program: &str, said: &str) -> Option<Diagnostic> {
    if TWICE.iter().any(|t| said.contains(t)) {
        return None;
    }
    said.lines().find_map(|line| {
        let (place, message) = line.split_once(": error: ")?;
        if TAKEN.iter().any(|t| message.contains(t)) {
            return None;
        }
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let row = parts.next()?.parse().ok()?;
        let file = parts.next()?;
        let message = format!("the compiler ({program}) says: {}", message.trim());
        let mut d = Diagnostic::of_file(file, message, "");
        (d.line, d.column) = (row, column);
        Some(d)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_that_counts() {
        let said = "a.i: In function 'f':\n\
                    a.i:3:5: error: redefinition of 'assume_abort_if_not'\n\
                    a.i:9:7: error: expected ';' before 'x'\n";
        let d = first_error("gcc", said).unwrap();
        assert_eq!((d.line, d.column), (9, 7));
        assert!(d.message.contains("expected ';'"));
        assert!(first_error("gcc", "gcc: error: unrecognized command-line option '-x'").is_none());
    }
}
