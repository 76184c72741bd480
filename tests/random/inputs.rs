//! Inputs in random small programs: the search, which tries a few values of each input once it knows what they are
//! compared with, agrees with exploration, which tries them all.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_cfa::options::Options as Meaning;
use relyant_check::states::{Encoding, Space, StateLimits, check};
use relyant_engines::search::{SearchOutcome, Settings, search};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::observe::Points;
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};

/// A statement of a thread.
fn statement(rng: &mut Rng) -> String {
    let (i, k, n) = (rng.below(4), rng.below(9), rng.below(200));
    let op = rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
    let input = rng.pick(&["x", "x", "x", "y"]);
    let effect = rng.pick(&[
        "c++;",
        "d = a[c & 3];",
        "c = 7;",
        "d = c;",
        "a[d & 3] = c;",
        "y = 3;",
        "y = x;",
        "f = f + 0.5;",
    ]);
    match rng.below(9) {
        0 | 1 => format!("if ({input} {op} a[{i}]) {effect}"),
        2 => format!("if (a[(c + {i}) & 3] + {k} {op} {input}) {effect}"),
        3 => format!("if ({input} {op} {n}) {effect}"),
        4 => format!("if ({input} > {n} && {input} < {}) d = a[{input} % 4] + {input};", n + 9),
        5 => format!("if ((double){input} {op} f) {effect}"),
        6 => format!("a[{i}] = {n};"),
        7 => format!("if (x {op} y) {effect}"),
        _ => effect.to_string(),
    }
}

pub fn program(rng: &mut Rng) -> String {
    let thread = |rng: &mut Rng| -> String {
        (0..1 + rng.below(3)).map(|_| format!("    {}\n", statement(rng))).collect()
    };
    let start: Vec<String> = (0..4).map(|_| rng.below(200).to_string()).collect();
    let (first, second) = (thread(rng), thread(rng));
    let (n, m) = (rng.below(4), rng.below(200));
    let property =
        rng.pick(&[format!("c <= {n}"), format!("d != {m}"), format!("c + d < {}", n + m), "x != 77".into()]);
    let second_input = if rng.percent(15) { "__VERIFIER_nondet_uchar()" } else { "5" };
    format!(
        "typedef unsigned long pthread_t;\nint pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_join(pthread_t, void **);\nvoid reach_error(void);\nunsigned char __VERIFIER_nondet_uchar(void);\n\
         unsigned char x, y;\nint a[4] = {{{}}}, c, d;\ndouble f = 3.5;\n\
         void *one(void *unused) {{\n{first}    return 0;\n}}\n\
         void *two(void *unused) {{\n{second}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t s, t;\n    x = __VERIFIER_nondet_uchar();\n    y = {second_input};\n\
         \x20   pthread_create(&s, 0, one, 0);\n    pthread_create(&t, 0, two, 0);\n\
         \x20   pthread_join(s, 0);\n    pthread_join(t, 0);\n    if (!({property})) reach_error();\n    return 0;\n}}\n",
        start.join(", ")
    )
}

/// What exploration says, and whether the search knew it.
fn compare(text: &str) -> Result<(Option<bool>, bool), String> {
    let meaning = Meaning::default();
    let module = c::load_text("random.i", text, &meaning).map_err(|e| e.to_string())?;
    let program = for_search(&module, &meaning).map_err(|e| e.to_string())?;
    let options = ExploreOptions { max_states: 40_000, all_inputs: 256, ..ExploreOptions::default() };
    let truth = match explore(&program, &options, &|| false).map_err(|e| e.to_string())? {
        Exploration::Violation(_) => Some(true),
        Exploration::Exhausted { complete: true, .. } => Some(false),
        _ => None,
    };
    let mut known = false;
    for reduction in [true, false] {
        let settings = Settings { reduction, max_states: 40_000, ..Settings::default() };
        let answer = match search(&program, &settings, &Watch::NONE).map_err(|e| e.to_string())?.0 {
            SearchOutcome::Violation { schedule, .. } => {
                replay(&program, &schedule).map_err(|e| format!("{settings:?}: {e}: {schedule:?}"))?;
                Some(true)
            }
            SearchOutcome::Exhausted(space) => {
                let set = Space::new(Encoding { symmetry: space.symmetry() }, space.states())
                    .with_order(space.order().cloned())
                    .with_points(space.points().cloned());
                if set.points().is_some_and(|p| !p.is_empty()) {
                    let fewer = set.clone().with_points(Some(Points::new()));
                    if check(&program, &fewer, &StateLimits::default()).is_ok() {
                        return Err(format!("{settings:?}: accepted without its points"));
                    }
                }
                check(&program, &set, &StateLimits::default()).map_err(|e| format!("{settings:?}: {e}"))?;
                Some(false)
            }
            SearchOutcome::Limit { .. } => None,
        };
        if answer.is_some() && truth.is_some() && answer != truth {
            return Err(format!("{settings:?}: violation {answer:?}, but {truth:?}"));
        }
        known |= answer.is_some();
    }
    Ok((truth, known))
}

#[test]
fn few_values_of_inputs_are_as_good_as_all() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(60)).collect();
    let results: Vec<_> = (seeds.par_iter())
        .map(|s| {
            let text = program(&mut Rng::new(*s));
            let result = compare(&text);
            (*s, text, result)
        })
        .collect();
    let (mut counts, mut decided) = ([0; 3], 0);
    for (seed, text, result) in results {
        let (truth, known) = result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{text}"));
        counts[truth.map_or(2, usize::from)] += 1;
        decided += usize::from(truth == Some(false) && known);
    }
    println!("safe, unsafe, too large: {counts:?}; safe and known to the search: {decided}");
    assert!(counts[0] > 0 && counts[1] > 0 && 2 * decided > counts[0]);
}
