//! Systems of replicated threads as proofs: damaged ones are rejected, or still do all that the program does, as a plain
//! walk through runs of a few threads finds; certificates come back, damaged ones do not.

mod certificates;
mod damages;
mod walks;

use crate::programs::{
    cube, edge, eq, global, local, lock_bit, lock_id, lock_many, lt, meta, n, program as program_of, rat,
    template, x,
};
use rayon::prelude::*;
use relyant_cfa::options::Options;
use relyant_check::certificate::{AnyCertificate, CertificateError, Meta, Source, write_replicated};
use relyant_check::check::{CheckError, Limits};
use relyant_check::replicated::check::{Rejection, check};
use relyant_check::replicated::{LocalState, Proof, Step, View};
use relyant_engines::replicated::{Answer, verify};
use relyant_engines::watch::Watch;
use relyant_finite::model::{Config, Counts};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Satisfiable, Var};
use relyant_program::thread_program;
use relyant_program::{Count, Edge, Input, Loc, Program, Role, Scope, role};
use relyant_testing::rng::cases;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use walks::walk;

fn program(name: &str) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/unbounded").join(name);
    thread_program(&relyant_frontend::programs::read(&file, &Options::default()).unwrap()).unwrap()
}

fn accepted(p: &Program, proof: &Proof) -> Result<(), Rejection> {
    check(p, proof, &Limits::default(), &AtomicBool::new(false)).map(|_| ())
}

/// A program with the proof that the engine finds.
fn proved(name: &str) -> (Program, Proof) {
    let p = program(name);
    let Answer::Safe(proof) = verify(&p, &Watch::NONE).0 else { panic!("{name}: no proof") };
    assert_eq!(accepted(&p, &proof), Ok(()), "{name}");
    assert_eq!(walk(&p, &proof), Ok(()), "{name}");
    (p, *proof)
}

/// A lock that does not say who holds it; a counter that goes both ways; a lock that says who holds it.
const NAMES: [&str; 3] = ["spin_cas.c", "updown_cas.c", "counter_lock.c"];

fn examples() -> Vec<(Program, Proof)> {
    NAMES.iter().map(|name| proved(name)).chain([copies()]).collect()
}

fn le(a: &LinExpr, b: &LinExpr) -> Atom {
    match Atom::le(&a.sub(b)) {
        Norm::Atom(a) => a,
        _ => panic!("not an atom"),
    }
}

fn atom(v: Var) -> Atom {
    match Atom::le(&LinExpr::var(v)) {
        Norm::Atom(a) => a,
        _ => panic!("an atom"),
    }
}

/// Any number of threads copy a key until another thread erases it; who has a copy posts it, and never finds a larger
/// one there. That takes a predicate about two threads: no other copy is larger than mine.
fn copies() -> (Program, Proof) {
    let [key, late, posted, mine] = [0, 1, 2, 3].map(x);
    let theirs = Role::Second(Var(3)).expr();
    let copier = template(
        "copier",
        Count::Unbounded,
        1,
        4,
        vec![
            edge(0, 1, cube([eq(&late, &n(0))]), &[(3, key.clone())]),
            edge(1, 2, Cube::top(), &[(2, mine.clone())]),
            edge(1, 3, cube([lt(&mine, &posted)]), &[]),
        ],
    );
    let eraser =
        template("eraser", Count::AtMost(1), 9, 2, vec![edge(0, 1, Cube::top(), &[(0, n(-1)), (1, n(1))])]);
    let variables = vec![global("key"), global("late"), global("posted"), local("copier::mine", 0)];
    let zero = [&late, &posted, &mine].map(|v| eq(v, &n(0)));
    let init = cube(zero.into_iter().chain([lt(&n(4), &key)]));
    let mut p = program_of(variables, vec![copier, eraser], init);
    p.templates[0].locations[3].error = Some("a larger copy".into());
    let own = vec![le(&mine, &key), le(&key, &mine), le(&posted, &mine)];
    let others = vec![(0, le(&theirs, &key)), (0, le(&theirs, &mine))];
    let state = |view, loc, own: &[u32], others: &[u32]| LocalState {
        view,
        loc: Loc(loc),
        own: own.to_vec(),
        others: others.to_vec(),
    };
    let step = |from, actor, edge, to, after, moved: &[_]| Step {
        from,
        actor,
        edge,
        to,
        after,
        moved: moved.to_vec(),
    };
    let proof = Proof {
        shared: vec![le(&late, &n(0)), le(&posted, &key), le(&n(1), &late)],
        views: vec![View { template: 0, own, others }, View { template: 1, own: vec![], others: vec![] }],
        shared_states: vec![vec![0, 1], vec![2]],
        local_states: vec![
            state(0, 0, &[], &[0]),
            state(1, 0, &[], &[]),
            state(0, 1, &[0, 1, 2], &[1]),
            state(0, 1, &[2], &[1]),
            state(0, 2, &[], &[]),
            state(0, 0, &[], &[]),
            state(1, 1, &[], &[]),
        ],
        steps: vec![
            step(0, 0, 0, 0, 2, &[]),
            step(0, 2, 1, 0, 4, &[]),
            step(0, 1, 0, 1, 6, &[(0, Some(5)), (2, Some(3))]),
            step(1, 3, 1, 1, 4, &[]),
        ],
        certificate: Default::default(),
    };
    assert_eq!(accepted(&p, &proof), Ok(()));
    assert_eq!(walk(&p, &proof), Ok(()));
    (p, proof)
}

/// Labels that exclude each other are a target, too.
#[test]
fn no_two_threads_at_a_label() {
    let found = |p: &Program| verify(p, &Watch::NONE).0;
    for (name, p) in [("lock_bit", lock_bit().0), ("lock_id", lock_id().0), ("lock_many", lock_many().0)] {
        let Answer::Safe(proof) = found(&p) else { panic!("{name}: no proof") };
        assert_eq!(accepted(&p, &proof), Ok(()), "{name}");
        let mut open = p.clone();
        open.templates[0].edges[0].guard = Cube::top();
        assert!(accepted(&open, &proof).is_err(), "{name}");
        assert!(matches!(found(&open), Answer::Unsafe(_)), "{name}");
        let mut free = p.clone();
        free.exclusive = None;
        assert_eq!(accepted(&free, &proof), Ok(()), "{name}");
        // Where one thread may be inside, a second one may not be there.
        let one = p.templates.iter().position(|t| t.count == Count::AtMost(1));
        if let Some(one) = one {
            let mut many = p.clone();
            many.templates[one].count = Count::AtMost(2);
            assert!(accepted(&many, &proof).is_err(), "{name}");
        }
    }
}

#[test]
fn what_does_not_exist_is_malformed() {
    type Change = fn(&mut Proof);
    const FAR: u32 = u32::MAX;
    let changes: [(&str, Change); 34] = [
        ("a view is missing", |c| drop(c.views.pop())),
        ("the first view is missing", |c| drop(c.views.remove(0))),
        ("all views are missing", |c| c.views.clear()),
        ("a view twice", |c| c.views.push(c.views[0].clone())),
        ("views of each other's threads", |c| {
            let last = c.views.len() - 1;
            (c.views[0].template, c.views[last].template) = (c.views[last].template, c.views[0].template);
        }),
        ("a view of no thread", |c| c.views[0].template = FAR),
        ("no shared state", |c| c.shared_states.clear()),
        ("a shared state of no predicate", |c| c.shared_states[0].push(FAR)),
        ("a shared state not sorted", |c| c.shared_states[0] = vec![1, 0]),
        ("a predicate twice", |c| c.shared_states[0] = vec![0, 0]),
        ("no local states", |c| c.local_states.clear()),
        ("first local states in the wrong order", |c| c.local_states.swap(0, 1)),
        ("a first local state is missing", |c| drop(c.local_states.remove(0))),
        ("a first local state elsewhere", |c| c.local_states[0].loc.0 += 1),
        ("a local state of no view", |c| c.local_states[2].view = FAR),
        ("a local state nowhere", |c| c.local_states[2].loc = Loc(FAR)),
        ("a local state of no predicate", |c| c.local_states[2].own.push(FAR)),
        ("a local state of no predicate about others", |c| c.local_states[2].others.push(FAR)),
        ("a step from nowhere", |c| c.steps[0].from = FAR),
        ("a step to nowhere", |c| c.steps[0].to = FAR),
        ("a step of nobody", |c| c.steps[0].actor = FAR),
        ("a step after which there is nobody", |c| c.steps[0].after = FAR),
        ("a step without an edge", |c| c.steps[0].edge = FAR),
        ("a step to another place", |c| {
            let last = c.local_states.len() as u32 - 1;
            let s = c.steps.iter_mut().find(|s| s.after != last).unwrap();
            s.after = if c.local_states[last as usize].loc == c.local_states[s.after as usize].loc {
                0
            } else {
                last
            };
        }),
        ("a thread moved from nowhere", |c| c.steps[0].moved.push((FAR, None))),
        ("a thread moved to nowhere", |c| c.steps[0].moved = vec![(0, Some(FAR))]),
        ("a thread moved twice", |c| c.steps[0].moved = vec![(1, Some(1)), (1, None)]),
        ("a thread becomes another", |c| c.steps[0].moved = vec![(0, Some(1))]),
        ("a local in the predicates over globals", |c| {
            let own = c.views.iter().flat_map(|v| &v.own).find(|a| !c.shared.contains(a)).unwrap().clone();
            c.shared.push(own);
        }),
        ("a variable that is none", |c| c.shared.push(atom(Var(role::VARIABLES - 1)))),
        ("another thread's local in own predicates", |c| {
            c.views[0].own.push(atom(Role::Second(Var(0)).var()))
        }),
        ("a predicate about threads of no view", |c| c.views[0].others.push((FAR, atom(Var(0))))),
        ("a global as another thread's local", |c| {
            c.views[0].others.push((1, atom(Role::Second(Var(0)).var())))
        }),
        ("an element of no state", |c| c.certificate.minimal.push(Config::new(0, Counts::one(FAR)))),
    ];
    for (p, proof) in examples() {
        for (what, change) in changes {
            let mut damaged = proof.clone();
            change(&mut damaged);
            match accepted(&p, &damaged) {
                Err(Rejection::System(CheckError::Malformed(_)) | Rejection::Covers(_)) => {}
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}
