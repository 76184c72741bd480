//! Systems of replicated threads, written by hand: each claims one thing that the program does not do, and is right about one
//! that differs in just that.

use crate::programs::{cube, edge, eq, global, identity, label, local, n, prime, program, template, x};
use relyant_check::decide::{CheckError, Limits};
use relyant_check::flaw::SystemFlaw as Flaw;
use relyant_check::obligations::Malformed;
use relyant_check::replicated::check::{Rejection, Report, check};
use relyant_check::replicated::{LocalState, Proof, Step, View};
use relyant_finite::evidence::Certificate;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Var};
use relyant_program::{Count, Edge, Loc, Program, Role};
use std::sync::atomic::AtomicBool;

const MANY: Count = Count::Unbounded;
const ONE: Count = Count::AtMost(1);
// Variables: a global, and a local of the first and of the second template.
const G: u32 = 0;
const T: u32 = 1;
const S: u32 = 2;

fn judge(p: &Program, proof: &Proof) -> Result<Report, Rejection> {
    check(p, proof, &Limits::default(), &AtomicBool::new(false))
}
fn atom(norm: Norm) -> Atom {
    match norm {
        Norm::Atom(a) => a,
        other => panic!("{other:?}"),
    }
}
fn is(v: u32, k: i128) -> Norm {
    eq(&x(v), &n(k))
}
fn second(v: u32) -> LinExpr {
    Role::Second(Var(v)).expr()
}
/// Threads of one template that start with 0 in all variables, and whose location 2 is an error.
fn threads(count: Count, edges: Vec<Edge>) -> Program {
    let mut t = template("client", count, 1, 3, edges);
    t.locations[2].error = Some("an assertion".into());
    program(vec![global("g"), local("t", 0)], vec![t], cube([is(G, 0), is(T, 0)]))
}
fn at(loc: u32, own: &[u32], others: &[u32]) -> LocalState {
    LocalState { view: 0, loc: Loc(loc), own: own.to_vec(), others: others.to_vec() }
}
/// The step by an edge from the first states to these.
fn step(edge: u32, to: u32, after: u32, moved: &[(u32, Option<u32>)]) -> Step {
    Step { from: 0, actor: 0, edge, to, after, moved: moved.to_vec() }
}
fn system(own: Vec<Norm>, others: Vec<Norm>, local_states: Vec<LocalState>, steps: Vec<Step>) -> Proof {
    let own = own.into_iter().map(atom).collect();
    let others = others.into_iter().map(|o| (0, atom(o))).collect();
    Proof {
        shared: vec![atom(is(G, 0)), atom(is(G, 1))],
        views: vec![View { template: 0, own, others }],
        shared_states: vec![vec![], vec![0], vec![1]],
        local_states,
        steps,
        certificate: Certificate::default(),
    }
}
/// An edge from the first location to the second.
fn sets(updates: &[(u32, i128)]) -> Vec<Edge> {
    let updates: Vec<_> = updates.iter().map(|(v, k)| (*v, n(*k))).collect();
    vec![edge(0, 1, Cube::top(), &updates)]
}
fn starts_with(v: u32, k: i128) -> Program {
    Program { init: cube([is(v, k)]), ..threads(MANY, Vec::new()) }
}
/// One that needs a view all the same: a guard that never holds.
fn guarded(g: i128, to: u32) -> Program {
    threads(MANY, vec![edge(0, to, cube([is(G, g)]), &[])])
}
fn same() -> Norm {
    eq(&second(T), &x(T))
}

/// A program and what is claimed of it.
type Claimed = (Program, Proof);

#[test]
fn what_a_system_claims_is_what_the_program_does() {
    let start = |shared: Vec<u32>, own: &[u32], others: &[u32]| {
        let mut proof =
            system(vec![is(T, 0)], vec![same(), eq(&second(T), &n(0))], vec![at(0, own, others)], vec![]);
        proof.shared_states[0] = shared;
        proof
    };
    let step_to = |own: Vec<Norm>, others: Vec<Norm>, first: (&[u32], &[u32]), after: LocalState, s: Step| {
        system(own, others, vec![at(0, first.0, first.1), after, at(0, &[], &[])], vec![s])
    };
    // From the copy of the first local state that knows nothing, the same.
    let again = |mut proof: Proof| {
        let s = proof.steps[0].clone();
        proof.steps.push(Step { actor: 2, ..s });
        proof
    };
    let sum = || vec![eq(&x(G).add(&second(T)), &n(0))];
    let (writes, both) = (threads(MANY, sets(&[(G, 1)])), threads(MANY, sets(&[(G, 1), (T, -1)])));
    let local = threads(MANY, sets(&[(T, 1)]));
    // What it is about, a program that the claim is wrong of, the claim, and one that is right, of another program or not.
    let rows: Vec<(&str, Claimed, Claimed)> = vec![
        (
            "the start, shared",
            (starts_with(G, 1), start(vec![0], &[], &[])),
            (starts_with(G, 0), start(vec![0], &[], &[])),
        ),
        (
            "the start of a thread",
            (starts_with(T, 1), start(vec![], &[0], &[])),
            (starts_with(T, 0), start(vec![], &[0], &[])),
        ),
        (
            "the start of two threads",
            (starts_with(T, 1), start(vec![], &[], &[1])),
            (starts_with(T, 1), start(vec![], &[], &[0])),
        ),
        (
            "an edge that is never taken",
            (guarded(0, 1), start(vec![0], &[], &[])),
            (guarded(1, 1), start(vec![0], &[], &[])),
        ),
        (
            "the shared state after a step",
            (writes.clone(), step_to(vec![], vec![], (&[], &[]), at(1, &[], &[]), step(0, 1, 1, &[]))),
            (local.clone(), step_to(vec![], vec![], (&[], &[]), at(1, &[], &[]), step(0, 0, 1, &[]))),
        ),
        (
            "the thread after its step",
            (
                local.clone(),
                step_to(vec![is(T, 0)], vec![], (&[], &[]), at(1, &[0], &[]), step(0, 0, 1, &[])),
            ),
            (
                local.clone(),
                step_to(vec![is(T, 1)], vec![], (&[], &[]), at(1, &[0], &[]), step(0, 0, 1, &[])),
            ),
        ),
        (
            "what a thread that moved says of others",
            (
                local.clone(),
                step_to(vec![], vec![same()], (&[], &[0]), at(1, &[], &[0]), step(0, 0, 1, &[(0, Some(2))])),
            ),
            (local.clone(), step_to(vec![], vec![same()], (&[], &[]), at(1, &[], &[]), step(0, 0, 1, &[]))),
        ),
        (
            "what is known of another thread",
            (
                writes.clone(),
                step_to(vec![is(G, 0)], vec![], (&[0], &[]), at(1, &[], &[]), step(0, 2, 1, &[])),
            ),
            (
                local.clone(),
                step_to(vec![is(G, 0)], vec![], (&[0], &[]), at(1, &[], &[]), step(0, 0, 1, &[])),
            ),
        ),
        (
            "what another thread says of the one that moves",
            (
                local.clone(),
                step_to(
                    vec![],
                    vec![eq(&second(T), &n(0))],
                    (&[], &[0]),
                    at(1, &[], &[]),
                    step(0, 0, 1, &[]),
                ),
            ),
            (
                local.clone(),
                again(step_to(
                    vec![],
                    vec![same()],
                    (&[], &[0]),
                    at(1, &[], &[]),
                    step(0, 0, 1, &[(0, Some(2))]),
                )),
            ),
        ),
        (
            "another thread that is there",
            (
                local.clone(),
                step_to(vec![], vec![], (&[], &[]), at(1, &[], &[]), step(0, 0, 1, &[(0, None)])),
            ),
            (local.clone(), step_to(vec![], vec![], (&[], &[]), at(1, &[], &[]), step(0, 0, 1, &[]))),
        ),
        (
            "what another thread says of a third one",
            (both.clone(), step_to(vec![], sum(), (&[], &[0]), at(1, &[], &[]), step(0, 0, 1, &[]))),
            (
                threads(ONE, sets(&[(G, 1), (T, -1)])),
                step_to(vec![], sum(), (&[], &[0]), at(1, &[], &[]), step(0, 0, 1, &[])),
            ),
        ),
    ];
    for (what, (p, wrong), (q, right)) in rows {
        let answer = judge(&p, &wrong);
        let refused = matches!(answer, Err(Rejection::System(CheckError::Fails { .. })));
        assert!(refused, "{what}: {answer:?}");
        let answer = judge(&q, &right);
        assert!(answer.is_ok(), "{what}: {answer:?}");
    }
}

#[test]
fn states_that_only_others_lead_to_are_looked_at() {
    // The second thread fails when the first one has set the global; its state is another one then.
    let mut edges = sets(&[(G, 1)]);
    edges.push(edge(0, 2, cube([is(G, 1)]), &[]));
    let p = threads(MANY, edges);
    let locals = vec![at(0, &[0], &[]), at(1, &[], &[]), at(0, &[], &[])];
    let proof = system(vec![is(G, 0)], vec![], locals, vec![step(0, 2, 1, &[(0, Some(2))])]);
    let answer = judge(&p, &proof);
    assert!(matches!(answer, Err(Rejection::System(CheckError::Fails { .. }))), "{answer:?}");
}

#[test]
fn errors_are_covered() {
    let fails = |count| threads(count, vec![edge(0, 2, Cube::top(), &[])]);
    let proof =
        |loc| system(vec![], vec![], vec![at(0, &[], &[]), at(loc, &[], &[])], vec![step(0, 0, 1, &[])]);
    assert!(matches!(judge(&fails(ONE), &proof(2)), Err(Rejection::Covers(_))));
    // Two threads at locations that exclude each other, in the same local state or in two.
    let excludes = |count, labels: &[u32]| {
        let mut p = threads(count, sets(&[]));
        labels.iter().for_each(|l| label(&mut p.templates[0], *l, "critical"));
        Program { exclusive: Some("critical".into()), ..p }
    };
    for labels in [&[1][..], &[0], &[0, 1]] {
        let answer = judge(&excludes(MANY, labels), &proof(1));
        assert!(matches!(answer, Err(Rejection::Covers(_))), "{labels:?}: {answer:?}");
        assert!(judge(&excludes(ONE, labels), &proof(1)).is_ok());
    }
    assert!(judge(&excludes(MANY, &[]), &proof(1)).is_ok());
}

#[test]
fn starts_of_threads_that_may_not_exist_say_nothing() {
    let mut p = threads(ONE, vec![]);
    p.templates.push(template("other", MANY, 9, 1, vec![]));
    p.variables.push(local("s", 1));
    p.init = cube([is(S, 0), eq(&x(G), &x(S))]);
    let mut proof = system(vec![], vec![], vec![at(0, &[], &[])], vec![]);
    proof.shared_states[0] = vec![0];
    assert!(matches!(judge(&p, &proof), Err(Rejection::System(CheckError::Fails { .. }))));
    // Of one that exists they do, as do those of the thread itself.
    p.templates[1].count = ONE;
    assert!(judge(&p, &proof).is_ok());
    p.init = cube([is(T, 0), eq(&x(G), &x(T))]);
    assert!(judge(&p, &proof).is_ok());
}

#[test]
fn two_threads_have_two_identities() {
    let edges = vec![edge(0, 1, Cube::top(), &[(G, x(T))])];
    let mut p = threads(MANY, edges);
    p.variables[T as usize] = identity("t", 0);
    p.init = cube([is(G, 0)]);
    // Nobody else's identity is in the global when a thread has put its own there; that of nobody is 0.
    let differs = |v: LinExpr| relyant_linear::Atom::lt(&v);
    let own = vec![differs(x(G).sub(&x(T)))];
    let first = vec![at(0, &[0], &[]), at(1, &[], &[])];
    // The identity may be below the global's: the claim that others' are above it is wrong.
    let proof = system(own, vec![], first, vec![step(0, 0, 1, &[])]);
    assert!(matches!(judge(&p, &proof), Err(Rejection::System(CheckError::Fails { .. }))));
    // That it is above 0 is right.
    let proof = system(
        vec![differs(n(0).sub(&x(T)))],
        vec![],
        vec![at(0, &[0], &[]), at(1, &[0], &[])],
        vec![step(0, 0, 1, &[])],
    );
    assert!(judge(&p, &proof).is_ok());
}

#[test]
fn malformed_systems_are_refused() {
    let p = {
        let mut p = threads(MANY, sets(&[(G, 1)]));
        let mut edges = sets(&[]);
        edges.push(edge(0, 0, Cube::top(), &[]));
        p.templates.push(template("other", ONE, 9, 2, edges));
        p.variables.push(local("s", 1));
        p
    };
    let good = {
        let mut proof = system(
            vec![is(T, 0), is(G, 0)],
            vec![same(), eq(&second(T), &n(0))],
            vec![at(0, &[], &[]), LocalState { view: 1, ..at(0, &[], &[]) }, at(1, &[], &[])],
            vec![step(0, 0, 2, &[])],
        );
        proof.views.push(View { template: 1, own: vec![atom(is(S, 0))], others: vec![] });
        proof.local_states.push(LocalState { view: 1, ..at(1, &[], &[]) });
        let of_other = |edge, after| Step { actor: 1, ..step(edge, 0, after, &[]) };
        proof.steps.extend([of_other(0, 3), of_other(1, 1)]);
        proof
    };
    assert!(judge(&p, &good).is_ok(), "{:?}", judge(&p, &good));
    let about = |v: LinExpr| atom(eq(&v, &n(0)));
    type Change<'c> = Box<dyn Fn(&mut Proof) + 'c>;
    let changes: Vec<(Flaw, Change)> = vec![
        (Flaw::Shared, Box::new(|c| c.shared[0] = about(x(T)))),
        (Flaw::Shared, Box::new(|c| c.shared[0] = about(prime(G)))),
        (Flaw::ViewThread, Box::new(|c| c.views[1].template = 2)),
        (Flaw::TwoViews, Box::new(|c| c.views[1].template = 0)),
        (Flaw::Predicate, Box::new(|c| c.views[0].own[0] = about(x(S)))),
        (Flaw::Predicate, Box::new(|c| c.views[0].own[0] = about(second(T)))),
        (Flaw::Predicate, Box::new(|c| c.views[0].own[0] = about(prime(T)))),
        (Flaw::NoOther, Box::new(|c| c.views[0].others[0].0 = 2)),
        (Flaw::Predicate, Box::new(|c| c.views[0].others[0].0 = 1)),
        (Flaw::Predicate, Box::new(|c| c.views[0].others[0].1 = about(x(S)))),
        (Flaw::Predicate, Box::new(|c| c.views[0].others[0].1 = about(second(G)))),
        (Flaw::Predicate, Box::new(|c| c.views[0].others[0].1 = about(prime(T)))),
        (Flaw::Predicate, Box::new(|c| c.views[0].others[0].1 = about(Role::Third(Var(T)).expr()))),
        (Flaw::NoView, Box::new(|c| drop(c.views.pop()))),
        (Flaw::NoSharedState, Box::new(|c| c.shared_states.clear())),
        (Flaw::SharedState, Box::new(|c| c.shared_states[0] = vec![2])),
        (Flaw::SharedState, Box::new(|c| c.shared_states[0] = vec![1, 0])),
        (Flaw::SharedState, Box::new(|c| c.shared_states[0] = vec![1, 1])),
        (Flaw::NoFirst, Box::new(|c| c.local_states.truncate(1))),
        (Flaw::LocalView, Box::new(|c| c.local_states[2].view = 2)),
        (Flaw::LocalPlace, Box::new(|c| c.local_states[2].loc = Loc(3))),
        (Flaw::LocalState, Box::new(|c| c.local_states[2].own = vec![2])),
        (Flaw::LocalState, Box::new(|c| c.local_states[2].own = vec![1, 0])),
        (Flaw::LocalState, Box::new(|c| c.local_states[2].others = vec![2])),
        (Flaw::LocalState, Box::new(|c| c.local_states[2].others = vec![1, 0])),
        (Flaw::First, Box::new(|c| c.local_states.swap(0, 1))),
        (Flaw::First, Box::new(|c| c.local_states[0].loc = Loc(1))),
        (Flaw::First, Box::new(|c| c.local_states[1].view = 0)),
        (Flaw::StepEnds, Box::new(|c| c.steps[0].from = 3)),
        (Flaw::StepEnds, Box::new(|c| c.steps[0].to = 3)),
        (Flaw::StepEnds, Box::new(|c| c.steps[0].actor = 4)),
        (Flaw::StepEnds, Box::new(|c| c.steps[0].after = 4)),
        (Flaw::StepEdge, Box::new(|c| c.steps[0].edge = 1)),
        (Flaw::StepPlace, Box::new(|c| c.steps[0].actor = 2)),
        (Flaw::StepPlace, Box::new(|c| c.steps[0].after = 0)),
        (Flaw::StepPlace, Box::new(|c| c.steps[0].after = 3)),
        (Flaw::MovesOrder, Box::new(|c| c.steps[0].moved = vec![(0, None), (0, Some(0))])),
        (Flaw::MovesOrder, Box::new(|c| c.steps[0].moved = vec![(1, None), (0, Some(0))])),
        (Flaw::Move, Box::new(|c| c.steps[0].moved = vec![(4, None)])),
        (Flaw::Move, Box::new(|c| c.steps[0].moved = vec![(0, Some(4))])),
        (Flaw::MovePlace, Box::new(|c| c.steps[0].moved = vec![(0, Some(2))])),
        (Flaw::MovePlace, Box::new(|c| c.steps[0].moved = vec![(0, Some(1))])),
    ];
    for (k, (flaw, change)) in changes.into_iter().enumerate() {
        let mut proof = good.clone();
        change(&mut proof);
        let expected = Rejection::System(CheckError::Malformed(Malformed::System(flaw)));
        assert_eq!(judge(&p, &proof).map(|_| ()), Err(expected), "{k}");
    }
    // Who can neither move nor fail nor exclude needs no view.
    let mut still = threads(ONE, vec![]);
    still.templates[0].locations.truncate(1);
    let none = Proof { views: vec![], local_states: vec![], ..system(vec![], vec![], vec![], vec![]) };
    assert!(judge(&still, &none).is_ok());
    let no_view = || Err(Rejection::System(CheckError::Malformed(Malformed::System(Flaw::NoView))));
    let mut fails = still.clone();
    fails.templates[0].locations[0].error = Some("an assertion".into());
    assert_eq!(judge(&fails, &none).map(|_| ()), no_view());
    let mut labelled = Program { exclusive: Some("critical".into()), ..still };
    label(&mut labelled.templates[0], 0, "critical");
    assert_eq!(judge(&labelled, &none).map(|_| ()), no_view());
}
