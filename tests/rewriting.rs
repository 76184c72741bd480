//! The rewriting systems of `benchmarks/rewriting` have the verdicts they should have.

use relyant_rewriting::search::Limits;
use relyant_rewriting::timbuk;
use relyant_rewriting::{Reachability, decide};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// File, rewrite steps of the shortest sequence to a bad term; none when it is safe.
const EXPECTED: [(&str, Option<usize>); 13] = [
    ("bluetooth_fixed", None),
    ("bluetooth_v1", Some(8)),
    ("bluetooth_v2", Some(14)),
    ("lost_wakeup", Some(6)),
    ("pair", None),
    ("pair_broken", Some(3)),
    ("philosophers", Some(4)),
    ("philosophers_polite", None),
    ("toy", Some(57)),
    ("toy_fixed", None),
    ("tree_insert", Some(9)),
    ("tree_insert_fixed", None),
    ("wakeup_fixed", None),
];

#[test]
fn verdicts() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/rewriting");
    let mut there: Vec<String> = std::fs::read_dir(&dir)
        .unwrap()
        .filter_map(|f| f.unwrap().path().file_stem().map(|s| s.to_string_lossy().into_owned()))
        .collect();
    there.sort();
    assert_eq!(there, EXPECTED.map(|e| e.0));
    for (name, steps) in EXPECTED {
        let system = timbuk::load(&dir.join(format!("{name}.timbuk"))).unwrap();
        let report = decide(&system, &Limits { terms: 100_000, cancel: &AtomicBool::new(false) }).unwrap();
        match (&report.verdict, steps) {
            (Reachability::Reachable(path), Some(n)) => assert_eq!(path.moves.len(), n, "{name}"),
            (Reachability::Closed(_), None) => {}
            (other, _) => panic!("{name}: {other:?}"),
        }
        println!("{name}: {:?} {:?}", report.stats, report.seconds);
    }
}
