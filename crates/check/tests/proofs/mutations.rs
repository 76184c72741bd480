//! Changed proofs and changed certificates: each is rejected with an error.

use crate::explorer::{covers, exact_proof};
use crate::programs::*;
use relyant_cfa::Count;
use relyant_check::certificate::{Certificate, CertificateError, write};
use relyant_check::check::{CheckError, Limits, check};
use relyant_check::{Assertion, Proof, Rule};
use relyant_linear::{Cube, Norm, Var};
use relyant_program::{Loc, Program};

/// A change to the whole proof.
type Edit<'f> = &'f dyn Fn(&mut Proof);
/// A change to the program.
type Fault<'f> = &'f dyn Fn(&mut Program);
/// A change to an environment transition: thread and index.
type Change<'f> = &'f dyn Fn(&mut Proof, usize, usize);

fn rejected(p: &Program, proof: &Proof, what: &str) -> CheckError {
    match check(p, proof, &Limits::default()) {
        Ok(_) => panic!("accepted: {what}"),
        Err(e) => e,
    }
}

fn fails(p: &Program, proof: &Proof, cs: &str, what: &str) {
    let e = rejected(p, proof, what);
    match &e {
        CheckError::Fails { obligation, .. } => assert!(obligation.starts_with(cs), "{what}: {e}"),
        _ => panic!("{what}: {e}"),
    }
}

fn malformed(p: &Program, proof: &Proof, what: &str) {
    let e = rejected(p, proof, what);
    assert!(matches!(e, CheckError::Malformed(_)), "{what}: {e}");
}

/// All proofs that are the given one but for one change to one of its parts.
fn each(proof: &Proof, change: impl Fn(&mut Proof, usize) -> bool) -> Vec<Proof> {
    let one = |k| {
        let mut changed = proof.clone();
        change(&mut changed, k).then_some(changed)
    };
    (0..).map_while(one).collect()
}

fn states(proof: &mut Proof) -> impl Iterator<Item = (&mut Vec<Assertion>, usize)> {
    let lists = proof.threads.iter_mut().flat_map(|t| t.invariants.iter_mut().map(|x| &mut x.1));
    lists.map(|l| {
        let n = l.len();
        (l, n)
    })
}

/// Applies `f` to the k-th state and its list.
fn at_state(proof: &mut Proof, mut k: usize, f: impl FnOnce(&mut Vec<Assertion>, usize)) -> bool {
    for (list, n) in states(proof) {
        if k < n {
            f(list, k);
            return true;
        }
        k -= n;
    }
    false
}

fn at_transition(proof: &mut Proof, mut k: usize, f: impl FnOnce(&mut Proof, usize, usize)) -> bool {
    for t in 0..proof.threads.len() {
        let n = proof.threads[t].environment.len();
        if k < n {
            f(proof, t, k);
            return true;
        }
        k -= n;
    }
    false
}

fn hand_written() -> Vec<(&'static str, Program, Proof)> {
    let all = [("LockBit", lock_bit()), ("LockId", lock_id()), ("many locks", lock_many())];
    all.into_iter().map(|(name, (p, proof))| (name, p, proof)).collect()
}

fn exact() -> Vec<(&'static str, Program, Proof)> {
    let p = peterson();
    let proof = exact_proof(&p, &[0; 3], Rule::RelyGuarantee);
    vec![("Peterson", p, proof)]
}

#[test]
fn a_state_is_missing() {
    for (name, p, proof) in hand_written().into_iter().chain(exact()) {
        let all = each(&proof, |c, k| at_state(c, k, |list, i| drop(list.remove(i))));
        assert!(all.len() >= 2);
        for c in all {
            rejected(&p, &c, name);
        }
    }
}

#[test]
fn a_state_is_false() {
    for (name, p, proof) in hand_written().into_iter().chain(exact()) {
        let contradiction = || Cube::of([eq(&x(0), &n(77)), eq(&x(0), &n(78))]);
        for c in
            each(&proof, |c, k| at_state(c, k, |list, i| list[i].cube = list[i].cube.and(&contradiction())))
        {
            rejected(&p, &c, name);
        }
        for c in each(&proof, |c, k| at_state(c, k, |list, i| list[i].cube = Cube::bottom())) {
            rejected(&p, &c, name);
        }
    }
}

#[test]
fn a_constant_is_another() {
    for (name, p, proof) in hand_written().into_iter().chain(exact()) {
        let shift = |v: Var| Some(relyant_linear::LinExpr::var(v).add(&n(1)));
        let mut tried = 0;
        for c in each(&proof, |c, k| at_state(c, k, |list, i| list[i].cube = list[i].cube.subst(shift))) {
            if c != proof && name != "many locks" {
                rejected(&p, &c, name);
                tried += 1;
            }
        }
        assert!(tried > 0 || name == "many locks");
    }
}

#[test]
fn an_environment_transition_is_missing_or_false() {
    for (name, p, proof) in hand_written().into_iter().chain(exact()) {
        let drop_it = |c: &mut Proof, t: usize, i: usize| drop(c.threads[t].environment.remove(i));
        let false_it =
            |c: &mut Proof, t: usize, i: usize| c.threads[t].environment[i].relation = Cube::bottom();
        let forget = |c: &mut Proof, t: usize, i: usize| c.threads[t].environment[i].writes.clear();
        let nowhere = |c: &mut Proof, t: usize, i: usize| c.threads[t].environment[i].from.clear();
        let mutations: [Change; 4] = [&drop_it, &false_it, &forget, &nowhere];
        for (m, mutation) in mutations.iter().enumerate() {
            let all = each(&proof, |c, k| at_transition(c, k, mutation));
            assert!(all.len() >= 2);
            // A step of Peterson's that writes what is there already need not be in `writes`.
            for c in all.iter().filter(|_| m != 2 || name != "Peterson") {
                fails(&p, c, "CS4", name);
            }
        }
    }
}

#[test]
fn an_environment_transition_allows_too_much() {
    for (name, p, proof) in hand_written() {
        for c in each(&proof, |c, k| {
            at_transition(c, k, |c, t, i| c.threads[t].environment[i].relation = Cube::top())
        }) {
            fails(&p, &c, "CS3", name);
        }
    }
}

#[test]
fn an_invariant_allows_too_much() {
    let (p, mut proof) = lock_id();
    proof.threads[0].invariants[1].1[0].cube = Cube::top();
    fails(&p, &proof, "CS5", "two threads inside");
    let (p, mut proof) = lock_many();
    proof.threads[0].invariants[1].1[0].cube = Cube::top();
    rejected(&p, &proof, "many threads inside");
    let p = counters(1);
    let mut proof = exact_proof(&p, &[0; 6], Rule::RelyGuarantee);
    proof.threads[2].invariants.push((Loc(1), vec![Assertion { control: Vec::new(), cube: Cube::top() }]));
    fails(&p, &proof, "CS5", "an assertion");
}

#[test]
fn the_claim_to_be_modular_is_wrong() {
    for (name, p, mut proof) in hand_written() {
        proof.modular = !proof.modular;
        malformed(&p, &proof, name);
    }
}

#[test]
fn threads_are_swapped_missing_or_twice() {
    for (name, p, proof) in hand_written() {
        let mut c = proof.clone();
        drop(c.threads.pop());
        malformed(&p, &c, name);
        let mut c = proof.clone();
        let last = c.threads[c.threads.len() - 1].clone();
        c.threads.push(last);
        malformed(&p, &c, name);
        if proof.threads.len() == 2 {
            let mut c = proof.clone();
            (c.threads[0].template, c.threads[1].template) = (1, 0);
            malformed(&p, &c, name);
            // With the actors swapped, too, it fits the program, but says the wrong things.
            for t in &mut c.threads {
                t.environment.iter_mut().for_each(|e| e.actor = 1 - e.actor);
                for s in t.invariants.iter_mut().flat_map(|x| &mut x.1) {
                    s.control.iter_mut().for_each(|c| c.0 = 1 - c.0);
                }
            }
            if name != "LockBit" {
                rejected(&p, &c, name);
            }
        }
    }
}

#[test]
fn what_a_proof_may_not_speak_of() {
    // The location of "the" thread of a template that has many.
    let (p, mut proof) = lock_many();
    proof.modular = false;
    proof.threads[0].invariants[0].1[0].control = vec![(0, vec![Loc(0)])];
    malformed(&p, &proof, "own control");
    let (mut p, proof) = lock_bit();
    p.templates[1].count = Count::AtMost(2);
    malformed(&p, &proof, "control of many");
    // A local of a template that has many.
    let mut p = counters(1);
    p.templates[1].count = Count::Unbounded;
    let mut proof = exact_proof(&counters(1), &[0; 6], Rule::RelyGuarantee);
    for t in &mut proof.threads {
        t.invariants.iter_mut().flat_map(|x| &mut x.1).for_each(|s| s.control.clear());
        t.environment.iter_mut().for_each(|e| e.control.clear());
    }
    malformed(&p, &proof, "locals of many");
    // Variables, locations and threads that do not exist; values after the step in a state.
    let (p, proof) = lock_id();
    let bad: [(&str, Edit); 6] = [
        ("variable", &|c| c.threads[0].invariants[0].1[0].cube = cube([eq(&x(9), &n(0))])),
        ("primed", &|c| c.threads[0].invariants[0].1[0].cube = cube([eq(&prime(0), &n(0))])),
        ("location", &|c| c.threads[0].invariants[0].0 = Loc(9)),
        ("actor", &|c| c.threads[0].environment[0].actor = 9),
        ("own step", &|c| c.threads[0].environment[0].actor = 0),
        ("order", &|c| c.threads[0].invariants.reverse()),
    ];
    for (what, change) in bad {
        let mut c = proof.clone();
        change(&mut c);
        malformed(&p, &c, what);
    }
    let (p, mut proof) = lock_many();
    proof.rule = Rule::Monolithic;
    malformed(&p, &proof, "monolithic");
}

#[test]
fn a_template_of_many_is_its_own_environment() {
    // One thread is safe, two are not: the lock is never looked at.
    let (mut p, mut proof) = lock_many();
    p.templates[0].edges[0].guard = Cube::top();
    rejected(&p, &proof, "no lock");
    // The same when the proof leaves the others out.
    proof.threads[0].environment.clear();
    fails(&p, &proof, "CS4", "no environment");
    p.templates[0].count = Count::AtMost(1);
    assert!(check(&p, &proof, &Limits::default()).is_ok());
}

#[test]
fn tickets_are_not_what_they_claim() {
    let (p, proof) = ticket_lock();
    let edit = |f: Edit| {
        let mut c = proof.clone();
        f(&mut c);
        c
    };
    // Without tickets, or with fewer places where they are held, two threads may hold the same one.
    malformed(&p, &edit(&|c| c.tickets.clear()), "not modular then");
    let none = edit(&|c| {
        c.tickets.clear();
        c.modular = false;
    });
    rejected(&p, &none, "no tickets");
    rejected(&p, &edit(&|c| c.tickets[0].holders[0].locations.truncate(1)), "not held inside");
    rejected(&p, &edit(&|c| c.tickets[0].holders[0].locations = vec![Loc(2)]), "not held before");
    malformed(&p, &edit(&|c| c.tickets[0].holders[0].locations.insert(0, Loc(0))), "held at the entry");
    malformed(&p, &edit(&|c| c.tickets[0].holders[0].variable = Var(1)), "a global ticket");
    malformed(&p, &edit(&|c| c.tickets[0].counter = Var(2)), "a local counter");
    malformed(&p, &edit(&|c| c.tickets[0].holders = [&c.tickets[0].holders[..]; 2].concat()), "two tickets");
    rejected(&p, &edit(&|c| c.tickets[0].counter = Var(1)), "another counter");
    // Programs where tickets are not drawn, drawn twice, changed, or given back.
    let bad: [(&str, Fault); 4] = [
        ("not raised", &|p| drop(p.templates[0].edges[0].updates.remove(0))),
        ("not drawn", &|p| p.templates[0].edges[0].updates[1].1 = n(0)),
        ("changed", &|p| {
            p.templates[0].edges[1].guard = cube([eq(&x(1).add(&n(1)), &x(2))]);
            p.templates[0].edges[1].updates.push((Var(2), x(2).sub(&n(1))));
        }),
        ("lowered", &|p| p.templates[0].edges[2].updates.insert(0, (Var(0), x(0).sub(&n(1))))),
    ];
    let lenient =
        edit(&|c| c.threads[0].environment.iter_mut().for_each(|e| e.writes = vec![Var(0), Var(1)]));
    for (what, change) in bad {
        let mut p = p.clone();
        change(&mut p);
        fails(&p, &lenient, "tickets", what);
    }
    // Drawn where nobody says so.
    let at = edit(&|c| c.threads[0].environment[1].at = Some(vec![Loc(1)]));
    fails(&p, &at, "CS4", "not for that location");
}

#[test]
fn other_rules_reject_too() {
    let p = peterson();
    for (rule, cs) in [(Rule::OwickiGries, "CS"), (Rule::Monolithic, "CS")] {
        let proof = exact_proof(&p, &[0; 3], rule);
        let all = each(&proof, |c, k| match rule {
            Rule::Monolithic => {
                k < c.global.len() && {
                    drop(c.global.remove(k));
                    true
                }
            }
            _ => at_state(c, k, |list, i| drop(list.remove(i))),
        });
        assert!(all.len() > 10);
        for c in all {
            fails(&p, &c, cs, "Peterson");
        }
    }
    let mut broken = p.clone();
    broken.templates[0].edges[2].guard = Cube::top();
    for rule in [Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic] {
        rejected(&broken, &exact_proof(&p, &[0; 3], rule), "no wait");
        fails(&broken, &exact_proof(&broken, &[0; 3], rule), "CS5", "no wait");
    }
}

#[test]
fn limits_reject() {
    let (p, proof) = lock_id();
    let none = Limits { total: std::time::Duration::ZERO, ..Limits::default() };
    assert!(matches!(check(&p, &proof, &none), Err(CheckError::Undecided { .. })));
}

/// What a certificate's text leads to: a proof that was accepted, or nothing.
fn accepted(p: &Program, bytes: &[u8]) -> Option<Proof> {
    let text = std::str::from_utf8(bytes).ok()?;
    let proof = Certificate::parse(text).ok()?.proof(p).ok()?;
    check(p, &proof, &Limits::default()).ok()?;
    Some(proof)
}

#[test]
fn a_truncated_certificate() {
    for (_, p, proof) in hand_written() {
        let text = write(&proof, &p, &meta());
        assert_eq!(accepted(&p, text.as_bytes()), Some(proof));
        let whole = text.trim_end().len();
        for k in 0..whole {
            assert_eq!(accepted(&p, &text.as_bytes()[..k]), None);
        }
    }
}

#[test]
fn a_certificate_of_something_else() {
    let (p, proof) = lock_id();
    let text = write(&proof, &p, &meta());
    let error = |text: &str| Certificate::parse(text).and_then(|c| c.proof(&p)).expect_err("rejected");
    let version = text.replace("\"version\": 2", "\"version\": 1");
    assert!(matches!(error(&version), CertificateError::Version { .. }));
    let format = text.replace("relyant-certificate", "other-certificate");
    assert!(matches!(error(&format), CertificateError::Version { .. }));
    let (other, _) = lock_bit();
    let c = Certificate::parse(&text).expect("a certificate");
    assert_eq!(c.proof(&other), Err(CertificateError::Program));
    for (from, to) in [
        ("lock - 1", "luck - 1"),
        ("\"lock == 1\"", "\"luck == 1\""),
        ("\"0.1\"", "\"0.7\""),
        ("\"thread\": \"thread1\"", "\"thread\": \"thread9\""),
        ("\"line\": 10", "\"line\": 11"),
        ("\"statement\"", "\"sentence\""),
        ("\"modular\": true,", ""),
        ("\"modular\"", "\"extra\": 1, \"modular\""),
    ] {
        let changed = text.replace(from, to);
        if changed != text {
            error(&changed);
        }
    }
}

#[test]
fn flipped_bytes_are_never_accepted_wrongly() {
    let mut seed = 1u64;
    let mut random = |n: usize| {
        // Knuth's MMIX generator.
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let (p, proof) = lock_bit();
    let text = write(&proof, &p, &meta()).into_bytes();
    let mut kept = 0;
    for _ in 0..3000 {
        let mut changed = text.clone();
        for _ in 0..=random(3) {
            let at = random(changed.len());
            changed[at] = if random(2) == 0 {
                changed[at] ^ (1 << random(8))
            } else {
                b"0123456789<>=+-x \""[random(18)]
            };
        }
        if let Some(c) = accepted(&p, &changed) {
            kept += 1;
            assert!(covers(&p, &c, &[0]), "{}", String::from_utf8_lossy(&changed));
        }
    }
    // Some changes mean nothing (the tool's name, white space), most mean something.
    assert!(kept < 2000, "{kept}");
}

#[test]
fn atoms_that_say_nothing_are_fine() {
    assert_eq!(cube([eq(&n(0), &n(0))]), Cube::top());
    assert_eq!(eq(&n(0), &n(1)), Norm::False);
}
