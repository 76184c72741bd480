//! The checker of proofs beside a plain definition of its premises. Random programs with a few values get their exact proof, which
//! must be accepted if nothing is wrong; then one thing is changed. Whatever premise does not hold for some values, the checker
//! must find that one not to hold.
//!
//! `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

mod changes;
mod exact;
mod generate;
mod points;
mod premises;

use premises::{modular, violated};
use relyant_check::check::{CheckError, Limits, Session, check};
use relyant_check::{Proof, Rule};
use relyant_program::Program;
use relyant_testing::rng::{Rng, cases};

/// How often the checker and the definition said what.
#[derive(Default, Debug)]
struct Tally {
    /// Nothing is wrong, and the checker was not asked.
    right: usize,
    accepted: usize,
    rejected: usize,
    /// Rejected, with no small values that show why.
    more: usize,
}

fn accepts(p: &Program, proof: &Proof) -> bool {
    match check(p, proof, &Limits::default()) {
        Ok(_) => true,
        Err(CheckError::Fails { .. }) => false,
        Err(e) => panic!("{e}\n{}\n{proof:#?}", p.display()),
    }
}

/// Compares the two. Where nothing is wrong, the checker is `asked` all the same or, as that takes longest, not.
fn compare(seed: u64, p: &Program, proof: &Proof, asked: bool, tally: &mut Tally) {
    let wrong = violated(p, proof);
    let mut session = Session::new(Limits::default().each);
    for o in &wrong {
        let (found, holds) = session.holds(p, proof, |x| x == o, Limits::default().each);
        assert!(found == 1 && !holds, "seed {seed}: accepted: {o:?}\n{}\n{proof:#?}", p.display());
    }
    match wrong.is_empty() {
        true if !asked => tally.right += 1,
        true if accepts(p, proof) => tally.accepted += 1,
        true => tally.more += 1,
        false => tally.rejected += 1,
    }
}

fn first_seed() -> u64 {
    std::env::var("RELYANT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1)
}

/// The same for each rule: exact proofs, then changed ones.
fn rule(rule: Rule, programs: u64, changes: usize) {
    let (mut exact, mut changed) = (Tally::default(), Tally::default());
    let first = first_seed();
    for seed in first..first + cases(programs) {
        let mut rng = Rng::new(seed);
        let p = generate::program(&mut rng);
        let proof = match rule {
            Rule::Monolithic => exact::monolithic(&p),
            _ => exact::by_threads(&p, &mut rng, rule),
        };
        let Some(proof) = proof else { continue };
        compare(seed, &p, &proof, true, &mut exact);
        assert_eq!(exact.more, 0, "seed {seed}: an exact proof is rejected\n{}\n{proof:#?}", p.display());
        for _ in 0..changes {
            let (mut q, mut other) = (p.clone(), proof.clone());
            for _ in 0..rng.pick(&[1, 1, 1, 2]) {
                changes::change(&mut rng, &mut q, &mut other);
            }
            other.modular = modular(&q, &other);
            if (&q, &other) != (&p, &proof) {
                compare(seed, &q, &other, rng.percent(15), &mut changed);
            }
        }
    }
    // Most of what is wrong shows in small values, and much is right and much is wrong.
    let right = changed.right + changed.accepted;
    assert!(changed.more <= 3 + changed.accepted / 10, "{exact:?} {changed:?}");
    if programs <= cases(programs) {
        assert!(exact.accepted > programs as usize / 4 && exact.rejected > 0, "{exact:?} {changed:?}");
        assert!(right > changed.rejected / 3 && changed.rejected > right / 3, "{exact:?} {changed:?}");
    }
}

#[test]
fn rely_guarantee() {
    rule(Rule::RelyGuarantee, 30, 25);
}

#[test]
fn owicki_gries() {
    rule(Rule::OwickiGries, 30, 20);
}

#[test]
fn monolithic() {
    rule(Rule::Monolithic, 30, 12);
}
