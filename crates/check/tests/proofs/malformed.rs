//! What programs and proofs must look like: each promise broken by itself, at its edge where there is one.

use crate::explorer::exact_proof;
use crate::programs::*;
use relyant_cfa::Count;
use relyant_check::check::{CheckError, Limits, check};
use relyant_check::flaw::AssertionFlaw as Assertions;
use relyant_check::flaw::{EdgeFlaw, ProgramFlaw, ProofFlaw, ThreadFlaw};
use relyant_check::obligations::Malformed;
use relyant_check::{Proof, Rule};
use relyant_linear::{Cube, Rat, Var};
use relyant_program::{Input, Loc, Program, Role, Scope};

fn flaw(p: &Program, proof: &Proof) -> Malformed {
    match check(p, proof, &Limits::default()) {
        Err(CheckError::Malformed(flaw)) => flaw,
        other => panic!("{other:?}"),
    }
}

type Fault<'f> = (ProgramFlaw, &'f dyn Fn(&mut Program));

#[test]
fn programs() {
    // Variables: next, serving, each worker's ticket, its identity; a second template, with a local of its own.
    let (mut p, proof) = ticket_lock();
    p.variables.push(identity("worker::me", 0));
    p.variables.push(local("idle::x", 1));
    p.templates.push(template("idle", Count::AtMost(1), 30, 1, vec![]));
    p.templates[0].identity = Some(Var(3));
    assert!(check(&p, &proof, &Limits::default()).is_ok());
    let worker = |f| ProgramFlaw::Thread("worker".into(), f);
    let step = |k, f| worker(ThreadFlaw::Edge(k, f));
    let foreign = cube([eq(&x(4), &n(0))]);
    let unknown = cube([eq(&x(5), &n(0))]);
    let half = x(0).scale(&Rat::new(1.into(), 2.into()));
    let half_constant = n(1).scale(&Rat::new(1.into(), 2.into()));
    let faults: [Fault; 24] = [
        (ProgramFlaw::NoOwner("idle::x".into()), &|p| p.variables[4].scope = Scope::Local(2)),
        (ProgramFlaw::SecondIdentity("worker::ticket".into()), &|p| {
            p.variables.swap(2, 3);
            p.variables[3].identity = true;
        }),
        (ProgramFlaw::GlobalIdentity("next".into()), &|p| p.variables[0].identity = true),
        (ProgramFlaw::Deadlocks, &|p| p.deadlock = true),
        (ProgramFlaw::Start, &|p| p.init = p.init.and(&unknown)),
        (worker(ThreadFlaw::Entry), &|p| p.templates[0].entry = Loc(3)),
        (worker(ThreadFlaw::Identity), &|p| p.templates[0].identity = Some(Var(2))),
        (worker(ThreadFlaw::Identity), &|p| p.templates[0].identity = Some(Var(5))),
        (worker(ThreadFlaw::Identity), &|p| {
            p.variables[4].identity = true;
            p.templates[0].identity = Some(Var(4));
        }),
        (step(1, EdgeFlaw::Nowhere), &|p| p.templates[0].edges[1].from = Loc(3)),
        (step(1, EdgeFlaw::Nowhere), &|p| p.templates[0].edges[1].to = Loc(3)),
        (step(1, EdgeFlaw::Reads), &|p| p.templates[0].edges[1].guard = foreign.clone()),
        (step(1, EdgeFlaw::Reads), &|p| p.templates[0].edges[1].bounds = foreign.clone()),
        (step(1, EdgeFlaw::Reads), &|p| p.templates[0].edges[1].updates = vec![(Var(0), x(4))]),
        // An input that the edge does not have.
        (step(1, EdgeFlaw::Reads), &|p| p.templates[0].edges[1].guard = unknown.clone()),
        (step(1, EdgeFlaw::Reads), &|p| {
            p.templates[0].edges[1].inputs = vec![Input::Auxiliary];
            p.templates[0].edges[1].guard = cube([eq(&x(6), &n(0))]);
        }),
        (step(1, EdgeFlaw::Writes), &|p| p.templates[0].edges[1].updates = vec![(Var(4), n(0))]),
        (step(1, EdgeFlaw::Writes), &|p| p.templates[0].edges[1].updates = vec![(Var(3), n(0))]),
        (step(1, EdgeFlaw::Writes), &|p| {
            p.templates[0].edges[1].inputs = vec![Input::Auxiliary];
            p.templates[0].edges[1].updates = vec![(Var(5), n(0))];
        }),
        (step(0, EdgeFlaw::Unsorted), &|p| p.templates[0].edges[0].updates.reverse()),
        (step(1, EdgeFlaw::Unsorted), &|p| {
            p.templates[0].edges[1].updates = vec![(Var(0), n(0)), (Var(0), n(1))];
        }),
        (step(1, EdgeFlaw::Fraction), &|p| p.templates[0].edges[1].updates = vec![(Var(0), half.clone())]),
        (step(1, EdgeFlaw::Fraction), &|p| {
            p.templates[0].edges[1].updates = vec![(Var(0), half_constant.clone())];
        }),
        (step(2, EdgeFlaw::Nowhere), &|p| p.templates[0].edges[2].to = Loc(9)),
    ];
    for (wanted, fault) in faults {
        let mut p = p.clone();
        fault(&mut p);
        assert_eq!(flaw(&p, &proof), Malformed::Program(wanted));
    }
    // One input is readable where the edge has it.
    let mut p = p.clone();
    p.templates[0].edges[1].inputs = vec![Input::Auxiliary];
    p.templates[0].edges[1].guard = cube([eq(&x(1), &x(2)), eq(&x(5), &n(0))]);
    assert!(check(&p, &proof, &Limits::default()).is_ok());
}

type Forgery<'f> = (ProofFlaw, &'f dyn Fn(&mut Proof));

fn all_rejected(p: &Program, proof: &Proof, forgeries: &[Forgery]) {
    assert!(check(p, proof, &Limits::default()).is_ok());
    for (wanted, forge) in forgeries {
        let mut forged = proof.clone();
        forge(&mut forged);
        assert_eq!(flaw(p, &forged), Malformed::Proof(wanted.clone()));
    }
}

#[test]
fn monolithic_proofs() {
    let p = peterson();
    let proof = exact_proof(&p, &[0; 3], Rule::Monolithic);
    let (tickets, threads) = (ticket_lock().1.tickets, lock_id().1.threads);
    all_rejected(
        &p,
        &proof,
        &[
            (ProofFlaw::MonolithicThreads, &|c| c.threads = threads.clone()),
            (ProofFlaw::MonolithicTickets, &|c| c.tickets = tickets.clone()),
            (ProofFlaw::Location, &|c| c.global.push((vec![Loc(0)], Cube::top()))),
            (ProofFlaw::Location, &|c| c.global.push((vec![Loc(0), Loc(4)], Cube::top()))),
            (ProofFlaw::Variable, &|c| c.global[0].1 = cube([eq(&x(3), &n(0))])),
            (ProofFlaw::NotModular, &|c| c.modular = true),
        ],
    );
    let mut many = p.clone();
    many.templates[1].count = Count::AtMost(2);
    assert_eq!(flaw(&many, &proof), Malformed::Proof(ProofFlaw::MonolithicMany("thread1".into())));
}

#[test]
fn proofs_by_thread() {
    let (p, proof) = lock_bit();
    let of = |f| ProofFlaw::Thread("thread1".into(), f);
    all_rejected(
        &p,
        &proof,
        &[
            (ProofFlaw::Global, &|c| c.global.push((vec![Loc(0), Loc(0)], Cube::top()))),
            (ProofFlaw::NoThread, &|c| c.threads[1].template = 2),
            (ProofFlaw::Twice("thread1".into()), &|c| c.threads[1] = c.threads[0].clone()),
            (ProofFlaw::Environment("thread1".into()), &|c| c.rule = Rule::OwickiGries),
            (ProofFlaw::Missing("thread2".into()), &|c| drop(c.threads.pop())),
            (ProofFlaw::NotModular, &|c| c.modular = true),
            (of(Assertions::Location), &|c| c.threads[0].invariants[1].0 = Loc(2)),
            (of(Assertions::Unsorted), &|c| c.threads[0].invariants[1].0 = Loc(0)),
            (of(Assertions::State), &|c| {
                c.threads[0].invariants[1].1[0].cube = cube([eq(&x(1), &n(0))]);
            }),
            (of(Assertions::Actor), &|c| c.threads[0].environment[0].actor = 2),
            (of(Assertions::NoOther("thread1".into())), &|c| c.threads[0].environment[0].actor = 0),
            (of(Assertions::Ends), &|c| c.threads[0].environment[0].from = vec![Loc(2)]),
            (of(Assertions::Ends), &|c| c.threads[0].environment[0].to = vec![Loc(2)]),
            (of(Assertions::Ends), &|c| c.threads[0].environment[0].to = vec![Loc(1), Loc(1)]),
            (of(Assertions::Ends), &|c| c.threads[0].environment[0].from = vec![Loc(1), Loc(0)]),
            (of(Assertions::At), &|c| c.threads[0].environment[0].at = Some(vec![])),
            (of(Assertions::At), &|c| c.threads[0].environment[0].at = Some(vec![Loc(2)])),
            (of(Assertions::Writes), &|c| c.threads[0].environment[0].writes = vec![Var(0), Var(0)]),
            (of(Assertions::Writes), &|c| c.threads[0].environment[0].writes = vec![Var(1)]),
            (of(Assertions::Relation), &|c| {
                c.threads[0].environment[0].relation = cube([eq(&x(1), &n(0))]);
            }),
            (of(Assertions::Relation), &|c| {
                let other = Role::Second(Var(0)).expr();
                c.threads[0].environment[0].relation = cube([eq(&other, &n(0))]);
            }),
            (of(Assertions::ControlOrder), &|c| {
                let control = &mut c.threads[0].invariants[0].1[0].control;
                control.push(control[0].clone());
            }),
            (of(Assertions::ControlThread), &|c| c.threads[0].invariants[0].1[0].control[0].0 = 0),
            (of(Assertions::ControlThread), &|c| c.threads[0].invariants[0].1[0].control[0].0 = 2),
            (of(Assertions::ControlLocations), &|c| {
                c.threads[0].invariants[0].1[0].control[0].1 = vec![Loc(2)];
            }),
            (of(Assertions::ControlThread), &|c| {
                c.threads[0].environment[0].control = vec![(1, vec![Loc(0)])];
            }),
        ],
    );
    let (mut none, mut proof) = (p.clone(), proof);
    none.templates[1].count = Count::AtMost(0);
    proof.threads[0].invariants.iter_mut().flat_map(|x| &mut x.1).for_each(|s| s.control.clear());
    assert_eq!(flaw(&none, &proof), Malformed::Proof(of(Assertions::NoOther("thread2".into()))));
}

#[test]
fn what_modular_proofs_speak_of() {
    let (p, proof) = lock_many();
    let of = |f| ProofFlaw::Thread("worker".into(), f);
    all_rejected(
        &p,
        &proof,
        &[
            (ProofFlaw::Modular, &|c| c.modular = false),
            (of(Assertions::ControlThread), &|c| {
                c.threads[0].invariants[0].1[0].control = vec![(0, vec![Loc(0)])];
            }),
            (of(Assertions::Writes), &|c| c.threads[0].environment[0].writes = vec![Var(0), Var(1)]),
        ],
    );
    // Locals and locations of another single thread: well-formed, but not modular.
    let (mut p, mut proof) = lock_id();
    p.variables.push(local("thread1::x", 0));
    p.variables.push(local("thread2::x", 1));
    assert!(check(&p, &proof, &Limits::default()).is_ok());
    let not_modular = |forge: &dyn Fn(&mut Proof)| {
        let mut forged = proof.clone();
        forge(&mut forged);
        assert_eq!(flaw(&p, &forged), Malformed::Proof(ProofFlaw::NotModular));
    };
    let about = |v| cube([eq(&x(v), &n(0))]);
    not_modular(&|c| c.threads[0].invariants[0].1[0].cube = about(2));
    not_modular(&|c| c.threads[0].invariants[0].1[0].control = vec![(1, vec![Loc(0)])]);
    not_modular(&|c| c.threads[0].environment[0].relation = about(1));
    not_modular(&|c| c.threads[0].environment[0].relation = about(2));
    not_modular(&|c| {
        c.threads[0].environment[0].control = vec![(0, vec![Loc(0)])];
    });
    // Its own locals are its own.
    proof.threads[0].invariants[0].1.push(state(about(1)));
    assert!(check(&p, &proof, &Limits::default()).is_ok());
    // One of many threads' locals are nobody else's.
    p.templates[1].count = Count::Unbounded;
    proof.modular = false;
    proof.threads[0].invariants[0].1[0].cube = about(2);
    let state = ProofFlaw::Thread("thread1".into(), Assertions::State);
    assert_eq!(flaw(&p, &proof), Malformed::Proof(state));
}

#[test]
fn tickets() {
    let (p, proof) = ticket_lock();
    let worker = || "worker".to_string();
    let at = |ls: &[u32]| ls.iter().map(|l| Loc(*l)).collect::<Vec<_>>();
    all_rejected(
        &p,
        &proof,
        &[
            (ProofFlaw::Counter, &|c| c.tickets[0].counter = Var(2)),
            (ProofFlaw::Counter, &|c| c.tickets[0].counter = Var(3)),
            (ProofFlaw::UnknownHolder, &|c| c.tickets[0].holders[0].template = 1),
            (ProofFlaw::TwoTickets(worker()), &|c| {
                let holder = c.tickets[0].holders[0].clone();
                c.tickets[0].holders.push(holder);
            }),
            (ProofFlaw::Ticket, &|c| c.tickets[0].holders[0].variable = Var(1)),
            (ProofFlaw::Holds(worker()), &|c| c.tickets[0].holders[0].locations = at(&[0, 1, 2])),
            (ProofFlaw::Holds(worker()), &|c| c.tickets[0].holders[0].locations = at(&[1, 2, 3])),
            (ProofFlaw::Holds(worker()), &|c| c.tickets[0].holders[0].locations = at(&[2, 1])),
        ],
    );
}
