use super::*;
use crate::aret::Settings;
use crate::rely_guarantee::verify;
use crate::testing::{peterson, program};
use crate::verdict::Answer;
use crate::watch::Watch;
use relyant_linear::{Atom, LinExpr, Norm};

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
    let smaller = minimise(&p, &proof, obligations, &|| Duration::MAX).expect("a smaller proof");
    check(&p, &smaller, &Limits::default()).expect("still a proof");
    let (before, after) = (size(&proof), size(&smaller));
    assert!(after.atoms * 3 <= before.atoms, "{before:?} {after:?}");
    assert!(after.transitions * 2 <= before.transitions, "{before:?} {after:?}");
    assert_eq!(minimise(&p, &proof, obligations, &|| Duration::MAX), Some(smaller), "the same each time");
}

#[test]
fn what_is_needed_stays() {
    // Each thread must know that nobody else writes its variable: the relation says so.
    let p = program(
        "a b",
        &[("one", "", "s>t: ; a := 1\n t>!e: a <= 0"), ("two", "", "s>t: ; b := 1\n t>!e: b <= 0")],
    );
    let proof = proved(&p);
    let smaller = minimise(&p, &proof, 10, &|| Duration::MAX).unwrap_or(proof);
    let at_error =
        |t: &relyant_check::ThreadProof| t.invariants.iter().any(|(l, s)| l.0 == 2 && !s.is_empty());
    assert!(!smaller.threads.iter().any(at_error));
    assert!(size(&smaller).atoms >= 2, "{smaller:?}");
}

#[test]
fn a_large_proof_is_joined_by_its_words() {
    // Each disjunct, and besides each part of it in which a variable has a value: more than are asked about.
    let p = program(
        "a b",
        &[("one", "", "s>t: ; a := 1\n t>!e: a <= 0"), ("two", "", "s>t: ; b := 1\n t>!e: b <= 0")],
    );
    let mut proof = proved(&p);
    let b = LinExpr::var(Var(1));
    let parts = LARGEST / size(&proof).states + 1;
    for (_, states) in proof.threads.iter_mut().flat_map(|t| &mut t.invariants) {
        let all = std::mem::take(states);
        for s in &all {
            let part = |n: Norm| {
                let mut cube = s.cube.clone();
                cube.push(n);
                Assertion { control: s.control.clone(), cube }
            };
            states.extend((0..parts as i128).map(|n| part(Atom::eq(&b.sub(&LinExpr::int(n))))));
            states.push(s.clone());
        }
    }
    let (before, obligations) =
        (size(&proof), check(&p, &proof, &Limits::default()).expect("a proof").obligations);
    assert!(before.states > LARGEST);
    let smaller = minimise(&p, &proof, obligations, &|| Duration::MAX).expect("a smaller proof");
    check(&p, &smaller, &Limits::default()).expect("still a proof");
    assert!(size(&smaller).states * 10 < before.states, "{before:?} {:?}", size(&smaller));
}
