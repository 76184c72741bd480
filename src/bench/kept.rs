//! Results kept row by row in a folder, so that a batch that was stopped, or parts of one on several machines, need no row
//! measured twice.

use super::results::{Plan, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A folder with a file for each row that was measured.
#[derive(Clone, Debug)]
pub struct Kept {
    dir: PathBuf,
}

/// What a folder's results are of: rows of the same batch, measured in the same way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// Version of the tool.
    pub version: String,
    /// Files and options of the rows, in their order.
    pub rows: Vec<(String, Vec<String>)>,
    /// How they are measured, whatever the verifier's path.
    pub plan: Plan,
}

/// Why results cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// A file is none of ours.
    #[error("{0}: {1}")]
    Json(PathBuf, serde_json::Error),
    /// The folder has results of other rows, or such that were measured in another way.
    #[error("{0} has the results of another batch; give another folder")]
    Other(PathBuf),
    /// Two processes have measured a row.
    #[error("{0}: this row has a result already")]
    Twice(PathBuf),
}

impl Kept {
    /// Opens a folder, made where there is none, for the results of a batch.
    pub fn open(dir: &Path, batch: &Batch) -> std::result::Result<Kept, KeptError> {
        std::fs::create_dir_all(dir).map_err(|e| KeptError::File(dir.into(), e))?;
        let kept = Kept { dir: dir.into() };
        match kept.read::<Batch>("batch.json")? {
            Some(other) if other != *batch => Err(KeptError::Other(dir.into())),
            Some(_) => Ok(kept),
            None => {
                let (path, draft) = kept.draft("batch.json", batch)?;
                std::fs::rename(&draft, &path).map_err(|e| KeptError::File(path, e))?;
                Ok(kept)
            }
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The result of a row, by its place in the batch, if it is there.
    pub fn get(&self, row: usize) -> std::result::Result<Option<Result>, KeptError> {
        self.read(&format!("{row}.json"))
    }

    /// Keeps the result of a row that has none yet: all of it or nothing.
    pub fn put(&self, row: usize, result: &Result) -> std::result::Result<(), KeptError> {
        let (path, draft) = self.draft(&format!("{row}.json"), result)?;
        // A link is never put in the place of a file.
        let linked = std::fs::hard_link(&draft, &path);
        let removed = std::fs::remove_file(&draft);
        match linked.and(removed) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Err(KeptError::Twice(path)),
            Err(e) => Err(KeptError::File(path, e)),
        }
    }

    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> std::result::Result<Option<T>, KeptError> {
        let path = self.dir.join(name);
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|e| KeptError::Json(path, e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(KeptError::File(path, e)),
        }
    }

    /// Writes a file beside the one that is meant, whose path comes first.
    fn draft(&self, name: &str, what: &impl Serialize) -> std::result::Result<(PathBuf, PathBuf), KeptError> {
        let (path, draft) = (self.dir.join(name), self.dir.join(format!("{name}.{}", std::process::id())));
        let text = serde_json::to_vec(what).map_err(|e| KeptError::Json(path.clone(), e))?;
        std::fs::write(&draft, text).map_err(|e| KeptError::File(path.clone(), e))?;
        Ok((path, draft))
    }
}
