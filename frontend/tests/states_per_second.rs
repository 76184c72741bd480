//! How fast states are explored; run by hand: `cargo test --release --test states_per_second -- --ignored --nocapture`.

use relyant_cfa::options;
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use std::path::Path;
use std::time::Instant;

const FILES: [&str; 6] = [
    "mutex/bakery.c",
    "mutex/filter3.c",
    "lock/ticket2.c",
    "lock/mutex_many.c",
    "rcu/qrcu_two_readers.c",
    "dynamic/philosophers.c",
];

#[test]
#[ignore = "measures time"]
fn states_per_second() {
    for file in FILES {
        let path = Path::new("../benchmarks").join(file);
        let options = options::Options::default();
        let module = c::load(&path, &options).unwrap_or_else(|e| panic!("{e}"));
        let program = instantiate::for_search(&module, &options).unwrap_or_else(|e| panic!("{e}"));
        for symmetry in [false, true] {
            let limits = ExploreOptions {
                max_states: 500_000,
                symmetry,
                eager_local: true,
                ..ExploreOptions::default()
            };
            let start = Instant::now();
            let found = explore(&program, &limits, &|| false).expect("a well-formed program");
            let time = start.elapsed().as_secs_f64();
            let states = match found {
                Exploration::Exhausted { states, .. } | Exploration::Limit { states } => states,
                Exploration::Violation(_) => panic!("{file} is safe"),
            };
            let order = if symmetry { "sorted" } else { "plain" };
            println!("{file} {order}: {states} states, {time:.3} s, {:.0} states/s", states as f64 / time);
            assert!(states > 100);
        }
    }
}
