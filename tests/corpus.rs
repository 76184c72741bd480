//! Every benchmark program under every method: the verdict is never the wrong one, and its evidence is checked.
//!
//! With the default method each row must be decided as the manifest says, its certificate read back from its file and
//! accepted with the source read anew. Under the other methods a row may stay unknown; what they claim is checked by
//! `verify` itself; every other row has one of the four, with `RELYANT_WHOLE` (`scripts/test all`) every one. `RELYANT_BINARY` names a release build that decides the rows; without one, those that take long in a
//! debug build are left out, and the other methods.

use rayon::prelude::*;
use relyant::bench::manifest::{self, Row};
use relyant::bench::results::{self, Judgement, Plan};
use relyant::bench::runner;
use relyant_testing::binary;
use std::path::Path;
use std::time::Duration;

/// For rows that have to be decided. A limit, not an aim: machines differ.
const LONG: Duration = Duration::from_secs(120);
/// For rows that may stay unknown.
const SHORT: Duration = Duration::from_secs(2);

fn read(manifest: &str) -> Vec<Row> {
    manifest::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks").join(manifest)).unwrap()
}

fn rows() -> Vec<Row> {
    read("manifest.csv")
}

/// Decides the rows as `verify` does by default.
fn decide(rows: &[&Row]) {
    let plan = |row: &Row| Plan {
        exe: relyant_testing::relyant!(),
        timeout: if row.open { SHORT } else { LONG },
        check: true,
        unbiased: false,
        spacer: None,
        spin: None,
    };
    let failures: Vec<String> = rows
        .par_iter()
        .filter_map(|row| match results::measure(row, &plan(row)) {
            Ok(r) if r.judgement == Judgement::Ok => None,
            Ok(r) if r.judgement == Judgement::Missing && row.open => None,
            Ok(r) => Some(format!(
                "{}: expected {} {:?}, got {} (modular: {:?}, certificate accepted: {:?}) {}",
                row.name, row.expected, row.modular, r.verdict, r.modular, r.checked, r.reason
            )),
            Err(e) => Some(format!("{}: {e}", row.name)),
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn default_method() {
    let rows = rows();
    decide(&rows.iter().filter(|row| binary::release().is_some() || row.set != "extra").collect::<Vec<_>>());
}

/// Programs for any number of threads. Without a release build the two slow sets are left out, and those that are not decided yet.
#[test]
fn any_number_of_threads() {
    let rows = read("unbounded/manifest.csv");
    let slow = |row: &&Row| row.open || ["stacks", "generators"].contains(&row.set.as_str());
    decide(&rows.iter().filter(|row| binary::release().is_some() || !slow(row)).collect::<Vec<_>>());
}

#[test]
fn other_methods() {
    if binary::release().is_none() {
        return;
    }
    let variants: [&[&str]; 4] =
        [&["--bias", "none"], &["--method", "owicki-gries"], &["--method", "monolithic"], &["--search", "0"]];
    // Programs for the search would only run into the proof engines' limits.
    let rows: Vec<Row> =
        rows().into_iter().filter(|r| !["dynamic", "adders"].contains(&r.set.as_str())).collect();
    let whole = std::env::var_os("RELYANT_WHOLE").is_some();
    let all = rows
        .iter()
        .enumerate()
        .flat_map(|(i, r)| variants.iter().enumerate().map(move |(k, v)| (i + k, r, *v)));
    let runs: Vec<(&Row, &[&str])> =
        all.filter(|(n, ..)| whole || n % 8 == 0).map(|(_, r, v)| (r, v)).collect();
    let tried = runs.len();
    let answers: Vec<(&Row, &[&str], Result<runner::MeasuredRun, runner::RunError>)> = runs
        .into_par_iter()
        .map(|(row, variant)| {
            let mut args = row.args.clone();
            args.extend(variant.iter().map(ToString::to_string));
            (row, variant, runner::verify(&relyant_testing::relyant!(), &row.file, &args, SHORT))
        })
        .collect();
    let mut failures = Vec::new();
    let mut decided = 0;
    for (row, variant, answer) in answers {
        match answer {
            Ok(run) if run.verdict() == row.expected => decided += 1,
            Ok(run) if run.verdict() == "unknown" => {}
            Ok(run) => failures.push(format!(
                "{} {variant:?}: {}, expected {}",
                row.name,
                run.verdict(),
                row.expected
            )),
            Err(e) => failures.push(format!("{} {variant:?}: {e}", row.name)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // most of them are decided, or something is broken
    assert!(decided * 2 >= tried, "only {decided} of {tried} decided");
}

/// Stores that go through buffers. Without a release build, those that are decided in a moment.
#[test]
fn store_buffers() {
    let rows = read("tso/manifest.csv");
    let quick = |row: &&Row| !row.open && row.set != "slow";
    decide(&rows.iter().filter(|row| binary::release().is_some() || quick(row)).collect::<Vec<_>>());
}
