//! Inputs: a set is a proof only where all values that matter were tried.

use super::walk::{States, tried, walk};
use super::{checked, program, source};
use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_check::states::order::{Direction, Order};
use relyant_check::states::{Encoding, Limits, Rejection, Space, SpaceReport, check};
use relyant_interp::observe::Points;

/// Inputs that are computed with, so that no few values stand for all: others than those that are tried lead to the error.
const COMPUTED: [(&str, &str); 3] = [
    ("void *f(void *v) { return 0; }", "y = __VERIFIER_nondet_int(); if (y * y == 1369) reach_error();"),
    ("void *f(void *v) { int k = __VERIFIER_nondet_int(); if (k % 1000 == 77) reach_error(); return 0; }", "x = 1;"),
    ("void *f(void *v) { int k; x = k; return 0; }", "if (x / 7 == 31) reach_error();"),
];

#[test]
fn inputs_that_are_not_all_tried_are_no_proof() {
    for parts in COMPUTED {
        let program = program(&source(parts), &Options::default());
        for symmetry in [true, false] {
            let (found, complete) = tried(&program, symmetry, 20_000).unwrap();
            assert!(!complete && !found.wrong, "{parts:?}");
            let answer = checked(&program, symmetry, &found.states);
            assert!(answer.is_err(), "{parts:?}: {answer:?}");
        }
    }
}

fn with_points(p: &Program, symmetry: bool, order: Option<Order>, states: &States) -> Result<SpaceReport, Rejection> {
    let space = Space::new(Encoding { symmetry }, states.iter().map(|s| &s[..]));
    check(p, &space.with_order(order).with_points(Some(Points::default())), &Limits::default())
}

#[test]
fn points_go_with_no_symmetry_no_order_and_no_deadlocks() {
    let mut program = program(&source(("void *f(void *v) { x = 1; return 0; }", "y = x;")), &Options::default());
    let exact = |n: usize| vec![Direction::Exact; n];
    let order = Order {
        registers: program.templates.iter().map(|t| exact(t.registers.len())).collect(),
        objects: exact(program.objects.len()),
    };
    let of = |program: &Program, symmetry| walk(program, symmetry, 500).unwrap().states;
    let (plain, sorted) = (of(&program, false), of(&program, true));
    assert!(with_points(&program, false, None, &plain).is_ok());
    let refused = |answer| assert!(matches!(answer, Err(Rejection::Incomplete(_))), "{answer:?}");
    refused(with_points(&program, true, None, &sorted));
    refused(with_points(&program, false, Some(order), &plain));
    program.deadlock = true;
    refused(with_points(&program, false, None, &of(&program, false)));
}
