//! Searches of small thread programs, with all evidence checked.

use super::*;
use crate::testing::program;
use relyant_check::check;
use relyant_linear::{Rat, Var};

#[derive(PartialEq, Eq, Debug)]
enum Found {
    Safe,
    /// In so many steps.
    Unsafe(usize),
    Unknown(String),
}

fn found(p: &Program, merge: bool) -> (Found, Stats) {
    let watch = Watch::NONE;
    let (answer, stats) = search(p, &Settings { states: 5_000, merge }, &watch);
    let found = match answer {
        Answer::Safe(proof) => {
            check::check(p, &proof, &check::Limits::default()).unwrap();
            Found::Safe
        }
        Answer::Unsafe(c) => {
            replay(p, &c);
            Found::Unsafe(c.steps.len())
        }
        Answer::Unknown(reason) => Found::Unknown(reason.to_string()),
    };
    (found, stats)
}

/// Runs a counterexample with numbers; it must end in an error.
fn replay(p: &Program, c: &Counterexample) {
    let mut values: Vec<Rat> = vec![Rat::zero(); p.variables.len()];
    for (v, x) in &c.start {
        values[v.0 as usize] = Rat::from(x.clone());
    }
    assert!(p.init.holds(|v| values[v.0 as usize].clone()));
    let mut at: Vec<Loc> = p.templates.iter().map(|t| t.entry).collect();
    for s in &c.steps {
        let t = s.thread.template as usize;
        let e = &p.templates[t].edges[s.edge as usize];
        assert_eq!(e.from, at[t]);
        let inputs = s.inputs.iter().map(|x| Rat::from(x.clone()));
        let old: Vec<Rat> = values.iter().cloned().chain(inputs).collect();
        let value = |v: Var| old[v.0 as usize].clone();
        assert!(e.guard.holds(value) && e.bounds.holds(value));
        for (v, x) in &e.updates {
            values[v.0 as usize] = x.eval(value);
        }
        at[t] = e.to;
    }
    let error = |(t, l): (&relyant_program::Template, &Loc)| t.locations[*l].error.is_some();
    assert!(p.templates.iter().zip(&at).any(error));
}

/// With and without unions of states.
fn both(p: &Program) -> Found {
    let (with, without) = (found(p, true).0, found(p, false).0);
    assert_eq!(with, without);
    with
}

#[test]
fn an_input_is_any_integer() {
    let safe = program("", &[("t", "x y", "a>b: ; x:=?\nb>c: ; y:=x+1\nc>!e: y<=x")]);
    assert_eq!(both(&safe), Found::Safe);
    let wrong = program("", &[("t", "x y", "a>b: ; x:=?\nb>c: ; y:=2*x+1\nc>!e: y==123456789")]);
    assert_eq!(both(&wrong), Found::Unsafe(3));
}

#[test]
fn integers_are_no_fractions() {
    let p = program("", &[("t", "x y", "a>b: ; x:=?\nb>c: ; y:=2*x\nc>!e: y==7 & x>0\nc>d: x>0")]);
    assert_eq!(both(&p), Found::Safe);
}

#[test]
fn a_loop_bounded_by_an_input() {
    let text = "a>b: ; n:=?\nb>l: n>=0 & n<=20\nl>l: i<n ; i:=i+1\nl>d: i>=n\n";
    let safe = program("i", &[("t", "n", &format!("{text}d>!e: i>n\nd>!e: i<n"))]);
    assert_eq!(both(&safe), Found::Safe);
    let wrong = program("i", &[("t", "n", &format!("{text}d>!e: i==17"))]);
    assert_eq!(both(&wrong), Found::Unsafe(2 + 17 + 2));
}

#[test]
fn two_threads_with_an_input() {
    let one = ("one", "a", "a>b: ; a:=?\nb>c: a>=0 ; x:=a\nc>d: ; x:=x+1\nd>f: ; done:=1");
    let two = |bad: &str| format!("a>b: ; r:=x\nb>c: done==1\nc>!e: {bad}");
    assert_eq!(both(&program("x done", &[one, ("two", "r", &two("r>x"))])), Found::Safe);
    assert_eq!(both(&program("x done", &[one, ("two", "r", &two("r==x & r>5"))])), Found::Unsafe(7));
    assert_eq!(both(&program("x done", &[one, ("two", "r", &two("r==x-1 & r==9"))])), Found::Unsafe(7));
}

#[test]
fn unions_make_few_states_of_counters() {
    let adder = "l>l: i<30 ; i:=i+1, x:=x+1\nl>d: i>=30";
    let other = "l>l: j<30 ; j:=j+1, x:=x+1\nl>d: j>=30\nd>!e: x>60";
    let p = program("x", &[("one", "i", adder), ("two", "j", other)]);
    // Starts of locals are part of the program.
    let p = Program { init: p.init.and(&zero(&p)), ..p };
    let (with, without) = (found(&p, true), found(&p, false));
    assert_eq!((with.0, without.0), (Found::Safe, Found::Safe));
    assert!(with.1.states * 2 < without.1.states, "{} and {}", with.1.states, without.1.states);
}

/// All variables are zero.
fn zero(p: &Program) -> relyant_linear::Cube {
    use relyant_linear::{Atom, Cube, LinExpr};
    Cube::of((0..p.variables.len() as u32).map(|v| Atom::eq(&LinExpr::var(Var(v)))))
}

#[test]
fn a_counterexample_goes_through_a_union() {
    let adder = |i: &str| format!("l>l: {i}<5 ; {i}:={i}+1, x:=x+1\nl>d: {i}>=5");
    let (one, two) = (adder("i"), adder("j"));
    let check = "a>b: x==7 ; y:=x\nb>!e: x==9 & y==7";
    let p = program("x y", &[("one", "i", &one), ("two", "j", &two), ("three", "", check)]);
    let p = Program { init: p.init.and(&zero(&p)), ..p };
    assert_eq!(both(&p), Found::Unsafe(11));
}

#[test]
fn a_crowd_is_refused_and_a_limit_holds() {
    assert!(matches!(both(&program("x", &[("t*", "", "a>a: ; x:=x+1")])), Found::Unknown(_)));
    assert!(matches!(found(&program("x", &[("t", "", "a>a: ; x:=x+1")]), false).0, Found::Unknown(_)));
}
