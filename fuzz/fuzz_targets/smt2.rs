//! The reader of Horn clauses takes any text; small limits keep the solver out of the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use relyant_horn::smt2::run_smt2_with;
use relyant_horn::tree::TreeOptions;

fuzz_target!(|text: &str| {
    let options = TreeOptions { max_derivations: 20, max_nodes: 200, max_splits: 4, max_omega: 500, ..TreeOptions::default() };
    let _ = run_smt2_with(text, &options);
});
