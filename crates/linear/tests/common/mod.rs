//! Shared by the tests: cases and seed by environment variable, generators, and Z3's view of our terms.
#![allow(dead_code)]

use proptest::prelude::*;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Rel, Var};
use std::cell::RefCell;
use z3::ast::{Bool, Int};

/// Number of random cases, `RELYANT_CASES` or the default; the seed is `RELYANT_SEED` or 1.
pub fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("RELYANT_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let seed = std::env::var("RELYANT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    }
}

/// `sum + c rel 0` before normalising.
pub type Row = (Vec<(u32, i64)>, i64, bool);

pub fn norm((terms, c, eq): &Row) -> Norm {
    let e = LinExpr::new(terms.iter().map(|(v, a)| (Var(*v), Rat::from(*a))), Rat::from(*c));
    if *eq { Atom::eq(&e) } else { Atom::le(&e) }
}

pub fn cube(rows: &[Row]) -> Cube {
    Cube::of(rows.iter().map(norm))
}

/// Difference bounds over `vars` variables.
pub fn difference_row(vars: u32) -> impl Strategy<Value = Row> {
    (0..vars, 0..vars, -1i64..=1, -8i64..=8, prop::bool::weighted(0.25)).prop_map(|(x, y, s, c, eq)| {
        let terms = match s {
            0 if x != y => vec![(x, 1), (y, -1)],
            s => vec![(x, if s == 0 { 1 } else { s })],
        };
        (terms, c, eq)
    })
}

/// Rows with small coefficients.
pub fn general_row(vars: u32) -> impl Strategy<Value = Row> {
    let terms = prop::collection::vec((0..vars, -4i64..=4), 1..4);
    (terms, -12i64..=12, prop::bool::weighted(0.25))
}

/// Rows with constants and coefficients near the edges of machine integers.
pub fn wide_row(vars: u32) -> impl Strategy<Value = Row> {
    let number =
        prop_oneof![-2i64..=2, Just(i64::MAX), Just(i64::MIN), Just(1 << 32), Just(-(1 << 31)), any::<i64>()];
    let terms = prop::collection::vec((0..vars, prop_oneof![4 => -2i64..=2, 1 => number.clone()]), 1..3);
    (terms, number, prop::bool::weighted(0.2))
}

pub fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop_oneof![
        prop::collection::vec(difference_row(5), 1..10),
        prop::collection::vec(general_row(4), 1..7),
        prop::collection::vec(prop_oneof![3 => difference_row(4), 1 => general_row(4)], 1..8),
        prop::collection::vec(wide_row(3), 1..5),
    ]
}

pub fn z3_rat(q: &Rat) -> Int {
    q.numer().to_string().parse().unwrap()
}

pub fn z3_expr(e: &LinExpr, var: &dyn Fn(Var) -> Int) -> Int {
    let mut parts = vec![z3_rat(e.constant_part())];
    for (v, c) in e.terms() {
        parts.push(Int::mul(&[z3_rat(c), var(*v)]));
    }
    Int::add(&parts)
}

pub fn z3_atom(a: &Atom, var: &dyn Fn(Var) -> Int) -> Bool {
    let (e, zero) = (z3_expr(a.expr(), var), Int::from_i64(0));
    match a.rel() {
        Rel::Le => e.le(&zero),
        Rel::Eq => e.eq(&zero),
    }
}

pub fn z3_cube(c: &Cube, var: &dyn Fn(Var) -> Int) -> Bool {
    if c.is_bottom() {
        return Bool::from_bool(false);
    }
    Bool::and(&c.atoms().iter().map(|a| z3_atom(a, var)).collect::<Vec<_>>())
}

pub fn z3_var(v: Var) -> Int {
    Int::new_const(format!("v{}", v.0))
}

thread_local! {
    /// Z3's incremental mode: quick, but it may search for ever on integers, so with a limit of steps.
    static QUICK: RefCell<(u32, z3::Solver)> = RefCell::new((0, solver("rlimit", 300_000)));
}

fn solver(limit: &str, value: u32) -> z3::Solver {
    let (s, mut p) = (z3::Solver::new(), z3::Params::new());
    p.set_u32(limit, value);
    s.set_params(&p);
    s
}

/// Is it satisfiable? `None` when Z3 does not know in half a second: on unbounded integers with large
/// coefficients it may search for ever. Such a case compares nothing and is told on the error output.
pub fn z3_sat(b: Bool) -> Option<bool> {
    let quick = QUICK.with_borrow_mut(|(asked, s)| {
        // What it learnt of terms long gone slows it down. (A reset would forget the limit.)
        *asked += 1;
        if *asked % 500 == 0 {
            *s = solver("rlimit", 300_000);
        }
        s.push();
        s.assert(&b);
        let r = s.check();
        s.pop(1);
        r
    });
    let answer = match quick {
        z3::SatResult::Unknown => {
            let s = solver("timeout", 500);
            s.assert(&b);
            s.check()
        }
        known => known,
    };
    match answer {
        z3::SatResult::Sat => Some(true),
        z3::SatResult::Unsat => Some(false),
        z3::SatResult::Unknown => {
            eprintln!("Z3 gave up");
            None
        }
    }
}
