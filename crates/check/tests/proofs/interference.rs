//! What other threads do, left out of a proof or said of the wrong step: one proof for each way.

use crate::programs::*;
use relyant_cfa::Count;
use relyant_check::check::{CheckError, Limits, check};
use relyant_check::{Assertion, Proof, Rule, ThreadProof};
use relyant_linear::{Cube, LinExpr};
use relyant_program::{Loc, Program};

fn fails(p: &Program, proof: &Proof, cs: &str) {
    match check(p, proof, &Limits::default()) {
        Err(CheckError::Fails { obligation, .. }) => assert!(obligation.starts_with(cs), "{obligation}"),
        other => panic!("{other:?}"),
    }
}

/// Two threads of one step each; the first may not find `wrong`. Variables: a global, and a local of each.
fn two(wrong: Cube, update: &[(u32, LinExpr)]) -> Program {
    let mut a = template("a", Count::AtMost(1), 10, 2, vec![edge(0, 1, wrong, &[])]);
    a.locations[1].error = Some("assertion".into());
    let b = template("b", Count::AtMost(1), 20, 2, vec![edge(0, 1, Cube::top(), update)]);
    let variables = vec![global("x"), local("a::l", 0), local("b::l", 1)];
    program(variables, vec![a, b], cube((0..3).map(|v| eq(&x(v), &n(0)))))
}

/// The first thread is in one state; of the second nothing is known.
fn claim(rule: Rule, first: Assertion, modular: bool) -> Proof {
    let any = || vec![state(Cube::top())];
    let thread = |template, invariants| ThreadProof { template, invariants, environment: vec![] };
    let threads =
        vec![thread(0, vec![(Loc(0), vec![first])]), thread(1, vec![(Loc(0), any()), (Loc(1), any())])];
    Proof { rule, modular, threads, tickets: vec![], global: vec![] }
}

#[test]
fn a_step_that_nobody_allows() {
    let is_not_0 = |v| cube([eq(&x(v), &n(1))]);
    let zero = |v| state(cube([eq(&x(v), &n(0))]));
    // A global, and the other's local.
    for (v, modular) in [(0, true), (2, false)] {
        let mut p = two(is_not_0(v), &[(v, n(1))]);
        if v == 2 {
            // The first thread cannot read it, but may fail where its assertion says more than is true.
            p.templates[0].edges[0].guard = cube([eq(&x(0), &n(1))]);
        }
        fails(&p, &claim(Rule::OwickiGries, zero(v), modular), "CS");
        fails(&p, &claim(Rule::RelyGuarantee, zero(v), modular), "CS");
    }
    // A place.
    let at_0 = Assertion { control: vec![(1, vec![Loc(0)])], cube: cube([eq(&x(0), &n(0))]) };
    let p = two(is_not_0(0), &[]);
    fails(&p, &claim(Rule::RelyGuarantee, at_0.clone(), false), "CS4");
    fails(&p, &claim(Rule::OwickiGries, at_0, false), "CS3");
}

#[test]
fn a_transition_of_another_step() {
    let (p, proof) = lock_id();
    assert!(check(&p, &proof, &Limits::default()).is_ok());
    let mut from = proof.clone();
    from.threads[0].environment[0].from = vec![Loc(1)];
    fails(&p, &from, "CS4");
    let mut to = proof;
    to.threads[0].environment[0].to = vec![Loc(0)];
    fails(&p, &to, "CS4");
}
