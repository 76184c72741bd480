//! Obligations as SMT-LIB files.

use crate::explorer::exact_proof;
use crate::programs::*;
use relyant_check::ghosts::Claims;
use relyant_check::obligations::Obligations;
use relyant_check::ordered::Swaps;
use relyant_check::smt2::{text, write_all};
use relyant_check::{Proof, Rule};
use relyant_program::Program;
use z3::{SatResult, Solver};

fn scripts(p: &Program, proof: &Proof) -> Vec<String> {
    let o = Obligations::new(p, proof).expect("obligations");
    o.list().iter().map(|x| text(&o, x)).collect()
}

fn unsat(script: &str) -> bool {
    let solver = Solver::new();
    solver.from_string(script);
    assert!(!solver.get_assertions().is_empty(), "not read: {script}");
    solver.check() == SatResult::Unsat
}

#[test]
fn scripts_say_what_the_checker_checks() {
    let all = [lock_bit(), lock_id(), lock_many()];
    for (p, proof) in all {
        assert!(scripts(&p, &proof).iter().all(|s| unsat(s)));
        let mut broken = proof.clone();
        broken.threads[0].invariants[1].1[0].cube = cube([eq(&x(0), &n(5))]);
        assert!(!scripts(&p, &broken).iter().all(|s| unsat(s)));
    }
    let p = peterson();
    for rule in [Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic] {
        assert!(scripts(&p, &exact_proof(&p, &[0; 3], rule)).iter().all(|s| unsat(s)));
    }
}

#[test]
fn names_are_quoted_and_kept_apart() {
    let (mut p, proof) = lock_many();
    (p.variables[0].name, p.variables[1].name) = ("a|b".into(), "a\\b".into());
    let all = scripts(&p, &proof);
    assert!(all.iter().all(|s| unsat(s)));
    assert!(all.iter().any(|s| s.contains("(declare-fun |a_b| () Int)\n(declare-fun |a_b (2)| () Int)")));
}

#[test]
fn a_script_looks_like_this() {
    let (p, proof) = lock_id();
    let expected = "\
; CS5: thread `thread1` at test.c:11:5 (location 1) and thread `thread2` at test.c:21:5 (location 1)
; holds if and only if this is unsatisfiable
(set-info :status unsat)
(set-logic QF_LIA)
(declare-fun |lock| () Int)
(assert (= |lock| 1))
(assert (= |lock| 2))
(check-sat)
";
    assert_eq!(scripts(&p, &proof).last().map(|s| &s[..]), Some(expected));
}

#[test]
fn a_directory_holds_one_run() {
    let dir = std::env::temp_dir().join(format!("relyant-smt2-{}", std::process::id()));
    let big = exact_proof(&peterson(), &[0; 3], Rule::RelyGuarantee);
    let p = peterson();
    let ghosts = Claims::new(&p).expect("no ghosts");
    let first = write_all(&Obligations::new(&p, &big).expect("obligations"), &ghosts, &Swaps::new(&p), &dir)
        .expect("written");
    std::fs::write(dir.join("mine.smt2"), "").expect("written");
    let (p, proof) = lock_id();
    let second =
        write_all(&Obligations::new(&p, &proof).expect("obligations"), &ghosts, &Swaps::new(&p), &dir)
            .expect("written");
    assert!(second < first);
    assert_eq!(std::fs::read_dir(&dir).expect("a directory").count(), second + 1);
    std::fs::remove_dir_all(&dir).expect("removed");
}
