//! How errors about data races are worded, and read.

/// What the text of an error about a data race begins with.
pub const RACE: &str = "data race";

/// The access that comes to such an error: `write`, `read` or `free`.
pub fn verb(error: &str) -> &'static str {
    if error.ends_with(", written") {
        "write"
    } else if error.ends_with(", read") {
        "read"
    } else {
        "free"
    }
}
