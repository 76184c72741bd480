//! Each function of the table is called in `tests/library_calls.c`, in a function of its own, which is lowered.

use super::rows::ROWS;
use relyant_cfa::options::Options;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Functions lowered at once.
const GROUP: usize = 12;

#[test]
fn each_function_is_called() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/library_calls.c");
    let text = std::fs::read_to_string(&path).expect("the calls");
    let names: Vec<&str> = ROWS.iter().flat_map(|r| r.names).copied().collect();
    let callers: Vec<String> = names.iter().map(|n| format!("call_{n}")).collect();
    for caller in &callers {
        assert!(text.contains(&format!("{caller}(void)")), "no {caller}");
    }
    for group in callers.chunks(GROUP) {
        let options = Options { threads: group.to_vec(), ..Options::default() };
        let module = crate::c::load(&path, &options).map_err(|d| format!("{group:?}: {d:?}"));
        assert!(module.is_ok(), "{module:?}");
    }
}

#[test]
fn a_function_has_one_row() {
    let mut seen = BTreeSet::new();
    for name in ROWS.iter().flat_map(|r| r.names) {
        assert!(seen.insert(name), "{name} has two rows");
        assert!(super::libc::by_name(name).is_none(), "{name} has a row and a model");
    }
}
