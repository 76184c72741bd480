//! Locks and what they guard behind pointers, searched with fewer interleavings and compared with exploration of all;
//! the checker accepts the states of each search that saw all.
//!
//! `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

use super::judged::{STATES, truth};
use super::sections;
use rayon::prelude::*;
use relyant_cfa::Program;
use relyant_cfa::options::Options as Meaning;
use relyant_check::states::{Encoding, Space, StateLimits, check};
use relyant_engines::search::{SearchOutcome, Settings, search};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};

/// Members of the object that the pointer is to.
const MEMBERS: [&str; 4] = ["m", "x", "y", "l"];

/// A program of sections whose lock and variables are members of an object, which threads get a pointer to.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let object = rng.pick(&["&first", "&first", "malloc(sizeof(struct s))"]);
    let mut out = String::new();
    let mut word = String::new();
    let text = sections::program(seed).replace(
        "pthread_mutex_t m, n; int x, y, w, l, e;\n",
        "void *malloc(unsigned long); int pthread_mutex_init(pthread_mutex_t *, void *); struct s { pthread_mutex_t M; int X, Y, L; } first, second; pthread_mutex_t n; int w, e;\n",
    );
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if MEMBERS.contains(&word.as_str()) {
            out.push_str("p->");
        }
        out.push_str(&word);
        word.clear();
        out.push(c);
    }
    let begin = format!(
        "int main(void) {{\n    struct s *p = {object};\n    pthread_mutex_init(&p->m, 0); p->x = 0; p->y = 0; p->l = 0;"
    );
    let mut out = out
        .replace("pthread_mutex_t M; int X, Y, L;", "pthread_mutex_t m; int x, y, l;")
        .replace("(void *a) {", "(void *a) { struct s *p = a;")
        .replace("int main(void) {", &begin);
    // Who gets the other object has nothing to do with the first.
    for t in 1..=3 {
        let given = if rng.percent(15) { "&second" } else { "p" };
        for routine in [1, t] {
            out = out.replace(
                &format!("pthread_create(&h{t}, 0, t{routine}, 0);"),
                &format!("pthread_create(&h{t}, 0, t{routine}, {given});"),
            );
        }
    }
    out
}

/// What the search with fewer interleavings says, checked, and how many states it took.
fn searched(program: &Program, settings: &Settings) -> Result<(Option<bool>, usize), String> {
    match search(program, settings, &Watch::NONE).map_err(|e| e.to_string())? {
        (SearchOutcome::Violation { schedule, .. }, stats) => {
            replay(program, &schedule).map_err(|e| format!("does not replay: {e}"))?;
            Ok((Some(true), stats.states))
        }
        (SearchOutcome::Exhausted(space), stats) => {
            let set = Space::new(Encoding { symmetry: space.symmetry() }, space.states())
                .with_order(space.order().cloned())
                .with_points(space.points().cloned());
            check(program, &set, &StateLimits::default()).map_err(|e| format!("rejected: {e}"))?;
            Ok((Some(false), stats.states))
        }
        (SearchOutcome::Limit { .. }, stats) => Ok((None, stats.states)),
    }
}

/// What exploration says, and how many states the search takes with fewer interleavings and with all.
fn compare(text: &str) -> Result<(Option<bool>, [usize; 2]), String> {
    let meaning = Meaning::default();
    let module = c::load_text("behind.i", text, &meaning).map_err(|e| e.to_string())?;
    let program = for_search(&module, &meaning).map_err(|e| e.to_string())?;
    let truth = truth(&program, STATES).map_err(|e| format!("{e:?}"))?;
    let mut states = [0; 2];
    for (n, reduction) in [true, false].into_iter().enumerate() {
        let settings = Settings { reduction, max_states: 4 * STATES, ..Settings::default() };
        let (answer, took) = searched(&program, &settings)?;
        if let (Some(a), Some(b)) = (answer, truth)
            && a != b
        {
            return Err(format!("violation {a}, but {b} by exploration"));
        }
        states[n] = took;
    }
    Ok((truth, states))
}

#[test]
fn locks_behind_pointers_hide_no_error() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(150)).collect();
    let results: Vec<_> = seeds.par_iter().map(|s| compare(&program(*s))).collect();
    let (mut counts, mut sums) = ([0; 3], [0; 2]);
    for (seed, result) in seeds.iter().zip(results) {
        let (truth, states) = result.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", program(*seed)));
        counts[truth.map_or(2, usize::from)] += 1;
        if truth == Some(false) {
            sums = [sums[0] + states[0], sums[1] + states[1]];
        }
    }
    println!("safe, unsafe, too large: {counts:?}; states with fewer interleavings and with all: {sums:?}");
    assert!(counts[0] > 0 && counts[1] > 0);
    assert!(sums[0] * 4 < sums[1], "{sums:?}");
}
