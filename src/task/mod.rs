//! Verification tasks as BenchExec and SV-COMP write them: task definitions (YAML) and property files.

pub mod definition;
pub mod property;
pub mod words;
pub mod yaml;

pub use definition::{Listed, Task};
pub use property::Property;

use std::path::Path;

/// Is this the name of a task definition?
pub fn is_named(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| e == "yml" || e == "yaml")
}
