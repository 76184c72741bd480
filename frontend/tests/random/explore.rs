//! Random thread programs: the explorer's options do not change its answers, and what it finds replays.

use relyant_cfa::Program;
use relyant_cfa::schedule::Schedule;
use relyant_frontend::c;
use relyant_frontend::instantiate::instantiate;
use relyant_interp::explore::{Exploration, ExploreOptions, explore, quick_search};
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};

const LIMIT: usize = 20_000;

fn run(program: &Program, options: &ExploreOptions) -> Exploration {
    explore(program, options, &|| false).expect("a well-formed program")
}

/// What is wrong with the answers for a program.
fn problem(p: &ThreadProgram) -> Option<String> {
    let program = p.to_program();
    let plain = ExploreOptions { max_states: LIMIT, ..ExploreOptions::default() };
    let answers = [
        run(&program, &plain),
        run(&program, &ExploreOptions { keep_dead: true, ..plain }),
        run(&program, &ExploreOptions { eager_local: true, ..plain }),
        run(&program, &ExploreOptions { eager_local: true, switch_cost: 20, ..plain }),
        run(&program, &ExploreOptions { symmetry: true, ..plain }),
        run(&program, &ExploreOptions { symmetry: true, keep_dead: true, ..plain }),
        run(&program, &ExploreOptions { symmetry: true, eager_local: true, switch_cost: 20, ..plain }),
    ];
    for found in &answers {
        if let Exploration::Violation(schedule) = found
            && let Err(e) = replay(&program, schedule)
        {
            return Some(format!("a violation does not replay: {e}"));
        }
    }
    if let (Exploration::Exhausted { states: all, .. }, Exploration::Exhausted { states, .. }) =
        (&answers[0], &answers[4])
        && states > all
    {
        return Some(format!("sorting threads makes {states} states of {all}"));
    }
    if answers.iter().any(|a| matches!(a, Exploration::Limit { .. })) {
        return None;
    }
    let unsafe_ = |e: &Exploration| matches!(e, Exploration::Violation(_));
    if answers.iter().any(|a| unsafe_(a) != unsafe_(&answers[0])) {
        return Some(format!("answers differ: {answers:?}"));
    }
    (quick_search(&program, LIMIT, &|| false).is_some() != unsafe_(&answers[0]))
        .then(|| "quick search disagrees".to_string())
}

#[test]
fn options_do_not_change_answers() {
    let mut counts = [0; 3];
    for seed in 0..cases(500) {
        let p = generate(seed);
        if let Some(what) = problem(&p) {
            let small = shrink(&p, &mut |q| problem(q).is_some());
            panic!("seed {seed}: {what}\n{}\n{:?}", small.to_c(), problem(&small));
        }
        let plain = ExploreOptions { max_states: LIMIT, ..ExploreOptions::default() };
        counts[match run(&p.to_program(), &plain) {
            Exploration::Violation(_) => 0,
            Exploration::Exhausted { .. } => 1,
            Exploration::Limit { .. } => 2,
        }] += 1;
    }
    println!("unsafe, safe, too large: {counts:?}");
    // The generator must give both answers, and few programs that are too large.
    assert!(
        counts[0] * 5 > counts[1] && counts[1] * 5 > counts[0] && counts[2] * 5 < counts[0],
        "{counts:?}"
    );
}

/// Trying one value of each kind of input shows all that trying all of them shows.
#[test]
fn few_inputs_are_enough() {
    let mut counts = [0; 2];
    for seed in 0..cases(300) {
        let p = generate(seed);
        if !p.to_c().contains("= __VERIFIER_nondet_uchar()") {
            continue;
        }
        let differ = |p: &ThreadProgram| {
            let few = ExploreOptions { max_states: LIMIT, eager_local: true, ..ExploreOptions::default() };
            let program = p.to_program();
            let full = ExploreOptions { all_inputs: 256, max_states: 20 * LIMIT, ..few };
            match (run(&program, &few), run(&program, &full)) {
                (Exploration::Exhausted { complete: true, .. }, Exploration::Violation(_)) => Some(true),
                (Exploration::Exhausted { complete: true, .. }, Exploration::Exhausted { .. }) => Some(false),
                _ => None,
            }
        };
        match differ(&p) {
            Some(true) => panic!("seed {seed}\n{}", shrink(&p, &mut |q| differ(q) == Some(true)).to_c()),
            Some(false) => counts[0] += 1,
            None => counts[1] += 1,
        }
    }
    println!("compared, not: {counts:?}");
    assert!(counts[0] > 0);
}

/// The program by way of its text and the C front end.
fn through_c(p: &ThreadProgram) -> Program {
    let options = relyant_cfa::options::Options::default();
    let text = p.to_c();
    let module = c::load_text("random.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    instantiate(&module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Where the C front end and the direct translation give programs of different verdicts.
fn differ(p: &ThreadProgram) -> bool {
    let options = ExploreOptions { max_states: LIMIT, eager_local: true, ..ExploreOptions::default() };
    let answers = [run(&p.to_program(), &options), run(&through_c(p), &options)];
    let violated = answers.clone().map(|a| matches!(a, Exploration::Violation(_)));
    let known = answers.iter().all(|a| !matches!(a, Exploration::Limit { .. }));
    known && violated[0] != violated[1]
}

#[test]
fn c_front_end_agrees_with_the_direct_translation() {
    for seed in 0..cases(300) {
        let p = generate(seed);
        if differ(&p) {
            let small = shrink(&p, &mut differ);
            panic!(
                "seed {seed}: exploring the direct translation gives {:?}\n{}",
                run(&small.to_program(), &ExploreOptions::default()),
                small.to_c()
            );
        }
    }
}

/// One random change to a schedule.
fn mutate(schedule: &Schedule, rng: &mut Rng) -> Schedule {
    let mut s = schedule.clone();
    if s.moves.is_empty() {
        return s;
    }
    let (i, j) = (rng.below(s.moves.len()), rng.below(s.moves.len()));
    match rng.below(7) {
        0 => {
            s.moves.remove(i);
        }
        1 => s.moves.swap(i, j),
        2 => s.moves[i].thread.instance ^= 1,
        3 => s.moves[i].thread.template = rng.below(5) as u32,
        4 => s.moves[i].path.push(rng.below(40) as u32),
        5 => s.moves[i].path = s.moves[j].path.clone(),
        _ => s.moves[i].inputs = vec![(0, 1 << rng.below(100)), (u32::MAX, -1)],
    }
    s
}

#[test]
fn mutated_schedules_fail_or_are_runs() {
    let mut failed = 0;
    for seed in 0..cases(200) {
        let program = generate(seed).to_program();
        let Some(schedule) = quick_search(&program, LIMIT, &|| false) else { continue };
        let mut rng = Rng::new(seed);
        for _ in 0..20 {
            // A mutated schedule may be another run; whatever it is, replay answers.
            match replay(&program, &mutate(&schedule, &mut rng)) {
                Ok(trace) => assert!(!trace.violation.to_string().is_empty()),
                Err(_) => failed += 1,
            }
        }
    }
    assert!(failed > 0);
}
