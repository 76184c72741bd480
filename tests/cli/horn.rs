//! `relyant horn`: answers, models, refusals.

use super::{err, folder, out, relyant};

const CLAUSES: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (> x 3) (p x))))
(assert (forall ((x Int)) (=> (and (p x) (< x BOUND)) false)))
(check-sat)
(get-model)
";

fn run(text: &str) -> (Option<i32>, String, String) {
    let dir = folder(&[("a.smt2", text)]);
    let o = relyant(dir.path()).args(["horn", "a.smt2"]).output().unwrap();
    (o.status.code(), out(&o), err(&o))
}

#[test]
fn sat_with_a_model() {
    let (status, out, _) = run(&CLAUSES.replace("BOUND", "4"));
    assert_eq!(status, Some(0));
    assert_eq!(out, "sat\n(\n  (define-fun p ((x!0 Int)) Bool\n    (<= 4 x!0))\n)\n");
}

#[test]
fn unsat() {
    let (status, out, _) = run(&CLAUSES.replace("BOUND", "5"));
    assert_eq!((status, out.as_str()), (Some(1), "unsat\n"));
}

#[test]
fn refusals() {
    let (status, out, err) = run(&CLAUSES.replace("BOUND", "(* x x)"));
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert_eq!(err, "a.smt2:4:47: error: a product of variables is not linear\n");
    let (status, _, err) = run("");
    assert_eq!((status, err.as_str()), (Some(2), "a.smt2:1:1: error: no (check-sat)\n"));
}
