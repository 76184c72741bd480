//! The search from switch to switch, compared with exploration of all interleavings: of random thread programs, of ones with
//! cells without values, of locks behind pointers, and of objects that threads make, put into lists under locks, and take out
//! again, for failing assertions and for data races. The checker accepts the states of each search that saw all.
//!
//! `RELYANT_CASES` sets how many of each, `RELYANT_SEED` the first seed.

use super::judged::truth;
use super::{behind, inputs, late};
use rayon::prelude::*;
use relyant_cfa::Program;
use relyant_cfa::options::{Options, Property};
use relyant_check::states::{StateLimits, check};
use relyant_engines::engine::{Claim, Engine, Task};
use relyant_engines::search::{SearchOutcome, Settings, SwitchToSwitch, search};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::generate;

const STATES: usize = 20_000;

/// What a thread does with the lists.
fn statement(rng: &mut Rng) -> String {
    let slot = rng.below(2);
    let lock = if rng.percent(88) { slot } else { 1 - slot };
    let n = rng.below(3);
    let locked =
        |body: &str| format!("pthread_mutex_lock(&m[{lock}]); {body} pthread_mutex_unlock(&m[{lock}]);");
    match rng.below(8) {
        0 | 1 => {
            let put = locked(&format!("p->next = head[{slot}]; head[{slot}] = p;"));
            let late = if rng.percent(15) { "p->v = 1;" } else { "" };
            format!("p = malloc(sizeof(struct node)); p->v = {n}; {put} {late}")
        }
        2 | 3 => {
            let take = locked(&format!("q = head[{slot}]; if (q) head[{slot}] = q->next;"));
            format!("{take} if (q) q->v = q->v + 1;")
        }
        4 => locked(&format!("for (q = head[{slot}]; q; q = q->next) q->v = {n};")),
        5 => locked(&format!("q = head[{slot}]; if (q && q->v == {n}) __VERIFIER_error();")),
        6 => format!("if (__atomic_load_n(&done, 5) == {n}) free_for_all = 1;"),
        _ => "__atomic_fetch_add(&done, 1, 5);".into(),
    }
}

/// A program of threads that make nodes, put them into lists, take them out, and look at them.
fn lists(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let body = |rng: &mut Rng| -> String {
        (0..1 + rng.below(2)).map(|_| format!("    {}\n", statement(rng))).collect()
    };
    let (one, two, main) = (body(&mut rng), body(&mut rng), body(&mut rng));
    let second = if rng.percent(40) { "one" } else { "two" };
    format!(
        "typedef unsigned long pthread_t;\ntypedef struct {{ int x; }} pthread_mutex_t;\nvoid *malloc(unsigned long);\n\
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);\n\
         void __VERIFIER_error(void);\nstruct node {{ int v; struct node *next; }};\nstruct node *head[2];\n\
         pthread_mutex_t m[2];\nint done, free_for_all;\n\
         void *one(void *unused) {{\n    struct node *p, *q;\n{one}    return 0;\n}}\n\
         void *two(void *unused) {{\n    struct node *p, *q;\n{two}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t s, t;\n    struct node *p, *q;\n\
         \x20   p = malloc(sizeof(struct node)); p->v = 0; p->next = 0; head[0] = p;\n\
         \x20   pthread_create(&s, 0, one, 0);\n    pthread_create(&t, 0, {second}, 0);\n{main}    return 0;\n}}\n"
    )
}

fn of_text(text: &str, property: Property) -> Result<Program, String> {
    let meaning = Options { property, ..Options::default() };
    let module = c::load_text("random.i", text, &meaning).map_err(|e| e.to_string())?;
    for_search(&module, &meaning).map_err(|e| e.to_string())
}

/// Programs of a kind, by seed, with their text where they have one.
fn program(kind: usize, seed: u64) -> (Result<Program, String>, String) {
    let text = match kind {
        0 => return (Ok(generate(seed).to_program()), String::new()),
        1 => {
            return (
                Ok(late::opened(generate(seed).to_program(), &mut Rng::new(seed ^ 0xdec1))),
                String::new(),
            );
        }
        2 | 3 => behind::program(seed),
        4 => inputs::program(&mut Rng::new(seed)),
        _ => lists(seed),
    };
    let race = kind == 3 || kind == 6;
    (of_text(&text, if race { Property::NoDataRace } else { Property::Assertions }), text)
}
const KINDS: usize = 7;

/// Where exploration is too long: what the search of all interleavings says.
fn all(program: &Program) -> Result<Option<bool>, String> {
    let plain =
        Settings { reduction: false, symmetry: false, max_states: 10 * STATES, ..Settings::default() };
    Ok(match search(program, &plain, &Watch::NONE).map_err(|e| e.to_string())?.0 {
        SearchOutcome::Violation { .. } => Some(true),
        SearchOutcome::Exhausted(_) => Some(false),
        SearchOutcome::Limit { .. } => None,
    })
}

/// What exploration says, and whether the search knew it.
fn compare(program: &Program) -> Result<(Option<bool>, bool), String> {
    let truth = match truth(program, STATES).map_err(|e| format!("{e:?}"))? {
        None => all(program)?,
        known => known,
    };
    let task = Task { search: program, threads: None, predicates: &[] };
    let engine = SwitchToSwitch { symmetry: true, max_states: 4 * STATES };
    let found = engine.run(&task, &Watch::NONE);
    let answer = match found.claim {
        Ok(Claim::Space(space)) => {
            check(program, &space, &StateLimits::default()).map_err(|e| format!("rejected: {e}"))?;
            Some(false)
        }
        Ok(Claim::Schedule { schedule, .. }) => {
            replay(program, &schedule).map_err(|e| format!("does not replay: {e}"))?;
            Some(true)
        }
        Ok(_) => return Err("another claim".into()),
        Err(_) => None,
    };
    match (answer, truth) {
        (Some(a), Some(b)) if a != b => Err(format!("violation {a}, but {b} by exploration")),
        _ => Ok((truth, answer.is_some())),
    }
}

#[test]
fn what_threads_do_alone_hides_no_error() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    for kind in 0..KINDS {
        let seeds: Vec<u64> = (first..first + cases(40)).collect();
        let results: Vec<_> = seeds
            .par_iter()
            .map(|s| {
                let (program, text) = program(kind, *s);
                program.and_then(|p| compare(&p)).map_err(|e| format!("kind {kind}, seed {s}: {e}\n{text}"))
            })
            .collect();
        let mut counts = [[0; 2]; 3];
        for result in results {
            let (truth, known) = result.unwrap_or_else(|e| panic!("{e}"));
            counts[truth.map_or(2, usize::from)][usize::from(known)] += 1;
        }
        println!("kind {kind}: safe, unsafe, too large, each not known and known: {counts:?}");
        assert!(counts[0][1] > 0, "kind {kind}: {counts:?}");
    }
}
