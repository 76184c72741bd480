use super::*;
use crate::aret::Settings;
use crate::rely_guarantee::verify;
use crate::testing::{peterson, program};
use crate::verdict::Answer;
use crate::watch::Watch;

fn proved(p: &Program) -> Proof {
    let (answer, _) = verify(p, &Settings::default(), &Watch::NONE);
    let Answer::Safe(proof) = answer else { panic!("{answer:?}") };
    proof
}

#[test]
fn peterson_becomes_short_and_stays_a_proof() {
    let p = peterson();
    let proof = proved(&p);
    let obligations = check(&p, &proof, &Limits::default()).expect("a proof").obligations;
    let smaller = minimise(&p, &proof, obligations, &|| false).expect("a smaller proof");
    check(&p, &smaller, &Limits::default()).expect("still a proof");
    let (before, after) = (size(&proof), size(&smaller));
    assert!(after.atoms * 3 <= before.atoms, "{before:?} {after:?}");
    assert!(after.transitions * 2 <= before.transitions, "{before:?} {after:?}");
    assert_eq!(minimise(&p, &proof, obligations, &|| false), Some(smaller), "the same each time");
}

#[test]
fn what_is_needed_stays() {
    // Each thread must know that nobody else writes its variable: the relation says so.
    let p = program(
        "a b",
        &[("one", "", "s>t: ; a := 1\n t>!e: a <= 0"), ("two", "", "s>t: ; b := 1\n t>!e: b <= 0")],
    );
    let proof = proved(&p);
    let smaller = minimise(&p, &proof, 10, &|| false).unwrap_or(proof);
    let at_error =
        |t: &relyant_check::ThreadProof| t.invariants.iter().any(|(l, s)| l.0 == 2 && !s.is_empty());
    assert!(!smaller.threads.iter().any(at_error));
    assert!(size(&smaller).atoms >= 2, "{smaller:?}");
}
