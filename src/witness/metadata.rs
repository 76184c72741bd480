//! What a witness says of itself.

use crate::task::Property;
use data_encoding::HEXLOWER;
use jiff::Timestamp;
use relyant_cfa::options::DataModel;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The head of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Version of the format: `2.0`, `2.1`, `2.2`.
    pub version: String,
    /// The input file's name.
    pub file: String,
    /// SHA-256 of the input file, in hexadecimal.
    pub hash: String,
    /// The property, in the words of SV-COMP.
    pub specification: String,
    /// Widths of `long` and of pointers.
    pub data_model: DataModel,
    /// When it was made, in seconds since 1970, UTC.
    pub created: u64,
}

impl Metadata {
    /// For a file; without a property it is SV-COMP's `reach_error`. The time is now, or SOURCE_DATE_EPOCH.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new(
        file: &Path,
        version: &str,
        property: Option<&Property>,
        data_model: DataModel,
    ) -> std::io::Result<Metadata> {
        let hash = HEXLOWER.encode(&Sha256::digest(relyant_cfa::files::read(file)?));
        let usual = Property::UnreachCall("reach_error".into());
        let epoch = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse().ok());
        let now = || {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(0, |d| d.as_secs())
        };
        Ok(Metadata {
            version: version.into(),
            file: file.display().to_string(),
            hash,
            specification: property.unwrap_or(&usual).line(),
            data_model,
            created: epoch.unwrap_or_else(now),
        })
    }

    /// An identifier made of the content: the same witness has the same one.
    pub fn uuid(&self, content: &str) -> String {
        let mut hasher = Sha256::new();
        hasher.update(format!("{}\n{}\n{}\n", self.version, self.hash, self.specification));
        hasher.update(content);
        let mut bytes: [u8; 32] = hasher.finalize().into();
        // Version 8 of RFC 9562: made by rules of one's own.
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let h = HEXLOWER.encode(&bytes[..16]);
        format!("{}-{}-{}-{}-{}", &h[..8], &h[8..12], &h[12..16], &h[16..20], &h[20..])
    }

    /// The time of creation, ISO 8601.
    pub fn time(&self) -> String {
        let seconds = i64::try_from(self.created).unwrap_or(i64::MAX);
        let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
        time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let at = |created| Metadata {
            version: "2.0".into(),
            file: "a.c".into(),
            hash: String::new(),
            specification: String::new(),
            data_model: DataModel::Lp64,
            created,
        };
        assert_eq!(at(0).time(), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_825_599).time(), "2000-02-29T11:59:59Z");
        assert!(at(u64::MAX).time().starts_with("9999-12-3"));
    }
}
