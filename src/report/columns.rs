//! Columns as readers of reports count them. Ours are bytes; SARIF's are characters, of lines that it does not have.

use super::json::PlaceEntry;
use relyant_cfa::files;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// The sources of a report, read when a line of them is wanted.
#[derive(Default)]
pub struct Columns {
    texts: RefCell<BTreeMap<String, Option<Vec<u8>>>>,
}

impl Columns {
    /// The column in Unicode code points, from 1; what is not UTF-8 counts as a decoder replaces it. None if there is no
    /// column, or no such line any more (standard input).
    pub fn code_points(&self, at: &PlaceEntry) -> Option<usize> {
        let line = at.line.checked_sub(1)? as usize;
        let before = at.column.checked_sub(1)? as usize;
        let mut texts = self.texts.borrow_mut();
        let read = || files::read(Path::new(&at.file)).ok();
        let text = texts.entry(at.file.clone()).or_insert_with(read).as_ref()?;
        let line = text.split(|b| *b == b'\n').nth(line)?;
        Some(String::from_utf8_lossy(line.get(..before)?).chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::findings::place;

    #[test]
    fn characters_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.c");
        std::fs::write(&file, b"int x;\n/* \xc3\xa9\xf0\x9f\x98\x80 \xff */ int y;\n").unwrap();
        let file = file.display().to_string();
        let columns = Columns::default();
        let at = |line, column| columns.code_points(&place(&file, line, column));
        // Before `int y`: 3 + 2 + 4 + 1 + 1 + 4 bytes, of which three characters have more than one, or are none.
        assert_eq!((at(1, 5), at(2, 1), at(2, 16)), (Some(5), Some(1), Some(12)));
        assert_eq!((at(2, 0), at(0, 3), at(9, 1), at(1, 99)), (None, None, None, None));
        assert_eq!(columns.code_points(&place("none.c", 1, 1)), None);
    }
}
