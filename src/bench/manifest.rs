//! The manifest: a CSV file that lists programs and what is expected of them.
//!
//! Columns: `file` (relative to the manifest), `expected` (`safe`, `unsafe`, or empty where nobody knows), `modular`
//! (`yes`: there is a modular proof and it must be found; `no`: there is none; `either` or empty), `args` (words
//! `name=value`, handed over as `--name value`), `row` (name in the table), `set`, `open` (`yes`: not decided yet, so
//! that nobody waits for it). Further columns are ignored.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What is known about modular proofs of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modular {
    /// There is one, and it is to be found.
    Yes,
    /// There is none: what is found must not claim to be one.
    No,
    /// Nothing is asked about it.
    #[default]
    Either,
}

/// A line of the manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Path of the program, from where the tool runs.
    pub file: PathBuf,
    /// As the manifest has it.
    pub name: String,
    /// `safe`, `unsafe` or empty.
    pub expected: String,
    /// Whether a modular proof is to be found.
    pub modular: Modular,
    /// Options of the verifier, as words.
    pub args: Vec<String>,
    /// Name in the table.
    pub row: String,
    /// Name of the set that it belongs to.
    pub set: String,
    /// It is not decided yet, so that nobody waits for it.
    pub open: bool,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read, or is no CSV file with these columns.
    #[error("{0}: {1}")]
    Read(PathBuf, csv::Error),
    /// A field has a value that it cannot have.
    #[error("{file}: line {line}: {what}")]
    Value {
        /// Path of the manifest.
        file: PathBuf,
        /// Line of the manifest, from 1.
        line: u64,
        /// What is wrong with the value.
        what: String,
    },
}

#[derive(Deserialize)]
struct Raw {
    file: String,
    expected: String,
    #[serde(default)]
    modular: Option<Modular>,
    #[serde(default)]
    args: String,
    #[serde(default)]
    row: String,
    #[serde(default)]
    set: String,
    #[serde(default)]
    open: String,
}

/// Reads the rows of a manifest, in their order.
pub fn read(path: &Path) -> Result<Vec<Row>, ManifestError> {
    let wrong = |e| ManifestError::Read(path.into(), e);
    let mut reader = csv::Reader::from_path(path).map_err(wrong)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let headers = reader.headers().map_err(wrong)?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let raw: Raw = record.deserialize(Some(&headers)).map_err(wrong)?;
        let bad = |what: String| ManifestError::Value { file: path.into(), line, what };
        if !["safe", "unsafe", ""].contains(&raw.expected.as_str()) {
            return Err(bad(format!("`{}` is no verdict", raw.expected)));
        }
        let mut args = Vec::new();
        for word in raw.args.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else {
                return Err(bad(format!("`{word}` is not of the form name=value")));
            };
            args.extend([format!("--{name}"), value.to_string()]);
        }
        rows.push(Row {
            file: folder.join(&raw.file),
            row: if raw.row.is_empty() { raw.file.clone() } else { raw.row },
            name: raw.file,
            expected: raw.expected,
            modular: raw.modular.unwrap_or_default(),
            args,
            set: raw.set,
            open: raw.open == "yes",
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_manifest_is_whole() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/manifest.csv");
        let rows = read(&path).unwrap();
        assert!(rows.iter().all(|r| r.file.is_file()), "a file is missing");
        assert_eq!(rows.iter().filter(|r| r.set == "table1").count(), 17);
        assert_eq!(rows.iter().filter(|r| r.set == "figures").count(), 3);
        let naive = rows.iter().find(|r| r.row == "NaiveBakery").unwrap();
        assert_eq!(naive.args, ["--atomicity", "statement"]);
        assert_eq!(naive.modular, Modular::Yes);
    }

    #[test]
    fn wrong_values_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.csv");
        std::fs::write(&path, "file,expected,args\na.c,perhaps,\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("line 2") && message.contains("`perhaps`"), "{message}");
        std::fs::write(&path, "file,expected,args\na.c,safe,ideal\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("`ideal`"));
        std::fs::write(&path, "name\n1\n").unwrap();
        assert!(read(&path).is_err());
    }
}
