//! Places as the protocol has them: files by URI, columns in UTF-16.

use super::program::document_of;
use super::shown::Document;
use crate::project::same;
use crate::report::json::PlaceEntry;
use crate::report::sarif::encoded;
use lsp_types::{Location, Position, Range, Uri};
use percent_encoding::percent_decode_str;
use relyant_cfa::files;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// A file that there is.
type File = Option<(Uri, Arc<str>)>;

/// The files that reports name: open documents, and what is saved.
pub(super) struct Places<'d> {
    open: &'d [Document],
    /// By name.
    known: RefCell<BTreeMap<String, File>>,
}

impl<'d> Places<'d> {
    pub(super) fn new(open: &'d [Document]) -> Places<'d> {
        Places { open, known: RefCell::default() }
    }

    /// From there to the end of the line; none where there is no such file.
    pub(super) fn location(&self, at: &PlaceEntry) -> Option<Location> {
        let mut known = self.known.borrow_mut();
        let file = known.entry(at.file.clone()).or_insert_with(|| self.file(&at.file));
        let (uri, text) = file.as_ref()?;
        Some(Location { uri: uri.clone(), range: range(text, at) })
    }

    fn file(&self, name: &str) -> File {
        if let Some(d) = self.open.iter().find(|d| d.path() == name) {
            return Some((d.uri().clone(), d.text().into()));
        }
        let path = Path::new(name);
        let text = files::read_text(path).ok()?;
        // A header that is open was read as it is saved.
        let uri = match document_of(path, self.open) {
            Some(d) => d.uri().clone(),
            None => {
                Uri::from_str(&format!("file://{}", encoded(&whole(path)?.display().to_string()))).ok()?
            }
        };
        Some((uri, text.into()))
    }
}

/// The absolute path, without `.` and `..`.
fn whole(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    // Behind a link `..` may lead elsewhere.
    if same(&out, path) { Some(out) } else { path.canonicalize().ok() }
}

/// The path of a file, or the name of what is none.
pub(super) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return "untitled.c".into() };
    percent_decode_str(rest).decode_utf8_lossy().into_owned()
}

/// To the end of the line.
pub(super) fn range(text: &str, at: &PlaceEntry) -> Range {
    let start = position(text, at.line, at.column);
    let end = units(nth(text, at.line).trim_end());
    Range { start, end: Position { character: end.max(start.character), ..start } }
}

fn nth(text: &str, line: u32) -> &str {
    line.checked_sub(1).and_then(|l| text.lines().nth(l as usize)).unwrap_or("")
}

/// From lines and bytes, counted from 1, to what the protocol has.
pub(super) fn position(text: &str, line: u32, column: u32) -> Position {
    let bytes = (column.max(1) - 1) as usize;
    let before = nth(text, line).char_indices().take_while(|(i, _)| *i < bytes).map(|(_, c)| c.len_utf16());
    let character = u32::try_from(before.sum::<usize>()).unwrap_or(0);
    Position { line: line.saturating_sub(1), character }
}

/// The length of a text in UTF-16.
pub(super) fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::findings::place;

    #[test]
    fn places() {
        assert_eq!(path_of("file:///a%20b/%C3%A9%.c"), "/a b/é%.c");
        assert_eq!(path_of("untitled:Untitled-1"), "untitled.c");
        let text = "int x;\n/* é😀 */ int y;\n";
        assert_eq!(position(text, 2, 14), Position { line: 1, character: 10 });
        let all = range(text, &place("/a.c", 2, 0));
        assert_eq!((all.start.character, all.end.character), (0, 16));
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("é.h");
        std::fs::write(&file, text).unwrap();
        let odd = dir.path().join("none/../é.h");
        std::fs::create_dir(dir.path().join("none")).unwrap();
        let found = Places::new(&[]).location(&place(&odd.display().to_string(), 2, 14)).unwrap();
        assert!(found.uri.as_str().ends_with("/%C3%A9.h") && !found.uri.as_str().contains(".."), "{found:?}");
        assert_eq!((found.range.start.character, found.range.end.character), (10, 16));
        assert_eq!(Places::new(&[]).location(&place("/no/such.c", 2, 14)), None);
    }
}
