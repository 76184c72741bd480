//! The CHC encoding, decided by Spacer.

use crate::programs::*;
use relyant::export::chc::{ChcError, export};
use relyant::export::spacer::{SpacerVerdict, answer, run};
use relyant_cfa::Count;
use relyant_linear::Cube;
use relyant_program::{Input, Program};
use std::process::Command;
use std::time::Duration;

fn spacer(p: &Program) -> String {
    let line = answer(&export(p).expect("clauses"));
    line.split(' ').next().expect("a word").to_string()
}

#[test]
fn safe_and_unsafe_programs() {
    assert_eq!(spacer(&lock_bit().0), "sat");
    assert_eq!(spacer(&lock_id().0), "sat");
    let mut p = lock_bit().0;
    p.templates[0].edges[0].guard = Cube::top();
    assert_eq!(spacer(&p), "unsat");
    let mut p = lock_bit().0;
    p.exclusive = None;
    p.templates[1].locations[1].error = Some("assertion".into());
    assert_eq!(spacer(&p), "unsat");
}

#[test]
fn several_threads_of_a_template() {
    let (mut p, _) = lock_many();
    assert_eq!(export(&p), Err(ChcError::Unbounded("worker".into())));
    p.templates[0].count = Count::AtMost(100);
    assert_eq!(export(&p), Err(ChcError::TooMany("worker".into(), 100)));
    p.templates[0].count = Count::AtMost(2);
    assert_eq!(spacer(&p), "sat");
    p.templates[0].edges[0].guard = Cube::top();
    assert_eq!(spacer(&p), "unsat");
    p.templates[0].count = Count::AtMost(1);
    assert_eq!(spacer(&p), "sat");
}

#[test]
fn inputs_are_any_value_within_bounds() {
    let (mut p, _) = lock_id();
    let input = p.input(0);
    for t in &mut p.templates {
        t.edges[0].inputs = vec![Input::Auxiliary];
        t.edges[0].updates[0].1 = x(input.0);
    }
    // A lock that may be set to 0 keeps nobody out.
    assert_eq!(spacer(&p), "unsat");
    for t in &mut p.templates {
        t.edges[0].bounds = cube([lt(&n(0), &x(input.0))]);
    }
    assert_eq!(spacer(&p), "sat");
}

#[test]
fn the_text() {
    let expected = "\
(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((|location of thread1| Int) (|location of thread2| Int) (|lock| Int)) (=> (and (= |location of thread1| 0) (= |location of thread2| 0) (= |lock| 0)) (inv |location of thread1| |location of thread2| |lock|))))
(assert (forall ((|location of thread1| Int) (|location of thread2| Int) (|lock| Int) (|location of thread1'| Int) (|lock'| Int)) (=> (and (inv |location of thread1| |location of thread2| |lock|) (= |location of thread1| 0) (= |lock| 0) (= |location of thread1'| 1) (= |lock'| 1)) (inv |location of thread1'| |location of thread2| |lock'|))))
(assert (forall ((|location of thread1| Int) (|location of thread2| Int) (|lock| Int) (|location of thread2'| Int) (|lock'| Int)) (=> (and (inv |location of thread1| |location of thread2| |lock|) (= |location of thread2| 0) (= |lock| 0) (= |location of thread2'| 1) (= |lock'| 2)) (inv |location of thread1| |location of thread2'| |lock'|))))
(assert (forall ((|location of thread1| Int) (|location of thread2| Int) (|lock| Int)) (=> (and (inv |location of thread1| |location of thread2| |lock|) (and (= |location of thread1| 1) (= |location of thread2| 1))) false)))
(check-sat)
";
    assert_eq!(export(&lock_id().0).expect("clauses"), expected);
}

#[test]
fn a_limit_ends_the_child() {
    let shell = |script: &str| {
        let mut c = Command::new("sh");
        c.args(["-c", script]);
        c
    };
    let long = Duration::from_secs(20);
    let safe = run(shell("cat >/dev/null; echo sat 0.5"), "x", long).expect("a run");
    assert_eq!((safe.verdict, safe.seconds), (SpacerVerdict::Safe, 0.5));
    let crashed = run(shell("exit 3"), &"x".repeat(1 << 20), long).expect("a run");
    assert!(matches!(crashed.verdict, SpacerVerdict::Unknown(_)));
    let slow = run(shell("exec sleep 30"), "x", Duration::from_millis(50)).expect("a run");
    assert_eq!(slow.verdict, SpacerVerdict::Timeout);
    assert!(slow.seconds < 10.0);
}
