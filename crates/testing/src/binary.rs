//! The program under test: tests of the command line run the release build where one is named.

use std::path::{Path, PathBuf};

/// The build that `RELYANT_BINARY` names, by its path in the project; none where it names none.
pub fn release() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("RELYANT_BINARY").map(|file| root.join(file))
}

/// The path of the program under test, in tests of the package that builds it.
#[macro_export]
macro_rules! relyant {
    () => {
        $crate::binary::release().unwrap_or_else(|| ::std::path::PathBuf::from(env!("CARGO_BIN_EXE_relyant")))
    };
}
