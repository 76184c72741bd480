//! Reading files: what never ends, or waits for somebody to write, is no file.

use crate::diagnostic::Diagnostic;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of a file.
const MOST: u64 = 1 << 30;

/// All bytes of a regular file, or of what the shell passes on (`/dev/stdin`, `/dev/fd/N`).
///
/// # Errors
/// It cannot be read, is something else, or is larger than a gibibyte.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() && !is_passed(path) {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::other("it has more than 1 GiB")),
        false => Ok(bytes),
    }
}

/// The text of a file.
///
/// # Errors
/// It cannot be read, or is no UTF-8: at which byte.
pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    let wrong = |why: String| Diagnostic::of_file(path.display().to_string(), why, "");
    let bytes = read(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes)
        .map_err(|e| wrong(format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to())))
}

/// Is it a file that can be read again?
pub fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file())
}

fn is_passed(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files() {
        assert!(!read(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml").as_ref()).unwrap().is_empty());
        assert!(read(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err());
        assert_eq!(read(Path::new("/dev/zero")).unwrap_err().to_string(), "it is no regular file");
        assert_eq!(read(Path::new("/dev/null")).unwrap_err().to_string(), "it is no regular file");
    }
}
