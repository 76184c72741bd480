//! Litmus tests, and random programs, compared with a machine that has store buffers of its own.

use crate::c;
use crate::programs::{for_proof, for_search_alone};
use relyant_cfa::options::{MemoryModel, Options};
use relyant_cfa::{Order, Program};
use relyant_interp::Exploration;
use relyant_interp::explore::{self, explore};
use relyant_interp::replay;
use relyant_testing::litmus::{Litmus, Outcome};
use relyant_testing::rng::{Rng, cases};

/// States that are explored at most.
const STATES: usize = 100_000;

fn tso() -> Options {
    Options { memory_model: MemoryModel::Tso, ..Options::default() }
}

fn program(text: &str, options: &Options) -> Program {
    for_proof(&c::load_text("litmus.i", text, options).expect("C"), options).expect("a program")
}

/// Is the error reached? `None` where that was not found out.
fn reached(program: &Program) -> Option<bool> {
    let options = explore::ExploreOptions {
        max_states: STATES,
        eager_local: true,
        ..explore::ExploreOptions::default()
    };
    match explore(program, &options, &|| false).expect("a program that can be run") {
        Exploration::Violation(schedule) => {
            replay(program, &schedule).expect("a run");
            Some(true)
        }
        Exploration::Exhausted { complete: true, .. } => Some(false),
        _ => None,
    }
}

/// Both programs of a test say the same.
fn seen(test: &Litmus, options: &Options) -> Option<bool> {
    let module = c::load_text("litmus.i", &test.to_c(), options).expect("C");
    let both = [for_proof(&module, options), for_search_alone(&module, options)];
    let [a, b] = both.map(|p| reached(&p.expect("a program")));
    assert_eq!(a, b, "{test:?}");
    a
}

#[test]
fn litmus_tests_are_allowed_or_forbidden() {
    let text = include_str!("../../../tests/litmus/x86.txt");
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        let test: Litmus = line.parse().expect("a test");
        let machine = test.outcomes(true).iter().any(|o| test.is_seen(o));
        let sequential = test.outcomes(false).iter().any(|o| test.is_seen(o));
        for (model, expected) in [(tso(), machine), (Options::default(), sequential)] {
            let found = seen(&test, &model);
            if found != Some(expected) {
                wrong.push(format!("{line}: {:?} {found:?}", model.memory_model));
            }
        }
        if machine != test.allowed {
            wrong.push(format!("{line}: the machine says {machine}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Some outcomes that the machine has, and some that it has not.
fn outcomes(test: &Litmus, rng: &mut Rng) -> Vec<(Outcome, bool)> {
    let all: Vec<Outcome> = test.outcomes(true).into_iter().collect();
    let mut out: Vec<(Outcome, bool)> = (0..2).map(|_| (rng.pick(&all), true)).collect();
    let sequential = test.outcomes(false);
    out.extend(all.iter().find(|o| !sequential.contains(*o)).map(|o| (o.clone(), true)));
    for _ in 0..2 {
        let mut other = rng.pick(&all);
        let k = rng.below(other.len());
        other[k] = rng.below(3) as i32;
        let known = all.contains(&other);
        out.push((other, known));
    }
    out
}

#[test]
fn random_programs_do_what_the_machine_does() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let mut counts = [0; 4];
    for seed in first..first + cases(60) {
        let mut test = Litmus::random(seed);
        let mut rng = Rng::new(seed ^ 0x7e57);
        for (outcome, expected) in outcomes(&test, &mut rng) {
            test.outcome = Litmus::names().map(String::from).zip(outcome.iter().copied()).collect();
            let found = seen(&test, &tso());
            let sequential = test.outcomes(false).contains(&outcome);
            match found {
                Some(found) => assert_eq!(found, expected, "seed {seed}, {outcome:?}\n{}", test.to_c()),
                None => counts[3] += 1,
            }
            counts[if !expected {
                0
            } else if sequential {
                1
            } else {
                2
            }] += 1;
        }
    }
    println!("not, also without buffers, with buffers only, not known: {counts:?}");
    let [none, both, weak, unknown] = counts;
    assert!(none > 10 && both > 10 && weak > 5 && unknown * 10 < none + both + weak, "{counts:?}");
}

/// Can no thread tell that there are buffers? `None` where that was not found out.
fn is_robust(test: &Litmus) -> Option<bool> {
    let options = Options { robust: true, ..tso() };
    // An outcome that is none.
    let other = Litmus { outcome: vec![("x".into(), 77)], ..test.clone() };
    let p = program(&other.to_c(), &options);
    let limits = explore::ExploreOptions {
        max_states: STATES,
        eager_local: true,
        ..explore::ExploreOptions::default()
    };
    match explore(&p, &limits, &|| false).expect("a program that can be run") {
        Exploration::Exhausted { complete: true, .. } => Some(true),
        Exploration::Limit { states } if states < STATES => Some(false),
        _ => None,
    }
}

#[test]
fn robust_programs_have_the_outcomes_that_they_have_without_buffers() {
    let text = include_str!("../../../tests/litmus/x86.txt");
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    let mut tests: Vec<Litmus> = lines.map(|l| l.parse().expect("a test")).collect();
    tests.extend((0..cases(100)).map(Litmus::random));
    let mut counts = [0; 4];
    for test in &tests {
        let same = test.outcomes(true) == test.outcomes(false);
        let robust = is_robust(test);
        assert!(robust != Some(true) || same, "{}\n{}", test.name, test.to_c());
        counts[match (robust, same) {
            (Some(true), _) => 0,
            (Some(false), false) => 1,
            // Who can tell need not do so.
            (Some(false), true) => 2,
            (None, _) => 3,
        }] += 1;
    }
    println!("robust, not, not though the outcomes are the same, not known: {counts:?}");
    assert!(counts[0] > 20 && counts[1] > 20 && counts[3] * 10 < tests.len(), "{counts:?}");
}

#[test]
fn a_fence_between_leaves_the_program_as_it_is() {
    let fenced: Litmus = "SB+f forbidden x=1 mfence a=y | y=1 mfence b=x : a=0 b=0".parse().unwrap();
    let text = fenced.to_c();
    let (with, without) = (program(&text, &tso()), program(&text, &Options::default()));
    let size = |p: &Program| p.templates.iter().map(|t| t.graph.edges.len()).sum::<usize>();
    // The fences are steps.
    assert_eq!(size(&with), size(&without) + 2);
}

#[test]
fn steps_of_the_buffer_are_marked() {
    let test: Litmus = "SB allowed x=1 a=y | y=1 b=x : a=0 b=0".parse().unwrap();
    let p = program(&test.to_c(), &tso());
    let marks = |f: &dyn Fn(&Order) -> bool| {
        p.templates.iter().flat_map(|t| &t.graph.locations).filter(|l| f(&l.order)).count()
    };
    assert!(marks(&|o| matches!(o, Order::Appended(..))) > 1);
    assert!(marks(&|o| *o == Order::Arrived) > 1);
}

#[test]
fn what_has_no_meaning_here_is_refused() {
    let options = tso();
    let message = |text: &str| c::load_text("a.i", text, &options).unwrap_err().to_string();
    let heap = "extern void *malloc(unsigned long); extern void free(void *);
        int main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }";
    assert!(message(heap).contains("giving memory back under --memory-model tso"), "{}", message(heap));
    let module = c::load_text(
        "a.i",
        "int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); } int main(void) { return f(3 + main == 0); }",
        &options,
    );
    if let Ok(module) = module {
        let _ = for_proof(&module, &options);
    }
}
