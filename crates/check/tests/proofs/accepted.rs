use crate::explorer::exact_proof;
use crate::programs::*;
use relyant_check::check::{CheckReport, Limits, check};
use relyant_check::{Proof, Rule};
use relyant_program::Program;

fn accept(p: &Program, proof: &Proof) -> CheckReport {
    match check(p, proof, &Limits::default()) {
        Ok(report) => report,
        Err(e) => panic!("rejected: {e}"),
    }
}

#[test]
fn figure_1_lock_bit() {
    let (p, proof) = lock_bit();
    assert!(accept(&p, &proof).obligations > 0);
}

#[test]
fn figure_3_lock_id() {
    let (p, proof) = lock_id();
    assert!(accept(&p, &proof).obligations > 0);
}

#[test]
fn any_number_of_threads() {
    let (p, proof) = lock_many();
    assert!(accept(&p, &proof).obligations > 0);
}

#[test]
fn tickets_for_any_number_of_threads() {
    let (p, proof) = ticket_lock();
    assert!(accept(&p, &proof).obligations > 0);
}

#[test]
fn exact_proofs_by_every_rule() {
    for (p, start) in [(peterson(), vec![0; 3]), (counters(1), vec![0; 6])] {
        for rule in [Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic] {
            let report = accept(&p, &exact_proof(&p, &start, rule));
            eprintln!("{rule:?}: {report:?}");
            assert!(report.obligations > 10);
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn big_exact_proof() {
    let p = counters(6);
    for rule in [Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic] {
        let proof = exact_proof(&p, &[0; 6], rule);
        let states: usize = proof.threads.iter().flat_map(|t| t.invariants.iter().map(|x| x.1.len())).sum();
        let steps: usize = proof.threads.iter().map(|t| t.environment.len()).sum();
        eprintln!("{rule:?}: {states} states, {steps} transitions: {:?}", accept(&p, &proof));
    }
}
