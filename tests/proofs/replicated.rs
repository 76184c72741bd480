//! Systems of replicated threads as proofs: damaged ones are rejected, or still do all that the program does, as a plain
//! walk through runs of a few threads finds; certificates come back, damaged ones do not.

use crate::programs::{
    cube, edge, eq, global, local, lock_bit, lock_id, lock_many, lt, n, program as program_of, rat, template,
    x,
};
use crate::roundtrip::meta;
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

/// States that the walk looks at.
const STATES: usize = 600;
/// Threads of a template of which there may be many.
const COPIES: u32 = 2;

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

/// A thread of the walk: view, where it is, its locals, and its state in the system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    view: usize,
    at: Loc,
    locals: BTreeMap<Var, Rat>,
    state: u32,
}

/// The program, and beside it the system that is to do the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    globals: BTreeMap<Var, Rat>,
    threads: Vec<Thread>,
    shared: u32,
}

impl World {
    fn value(&self, of: usize, v: Var) -> Rat {
        let values = [&self.globals, &self.threads[of].locals];
        values.iter().find_map(|m| m.get(&v)).cloned().unwrap_or_else(Rat::zero)
    }
    /// Does what the states say hold?
    fn holds(&self, proof: &Proof) -> bool {
        let global = |v: Var| self.globals.get(&v).cloned().unwrap_or_else(Rat::zero);
        let shared = &proof.shared_states[self.shared as usize];
        shared.iter().all(|k| proof.shared[*k as usize].holds(global))
            && (0..self.threads.len()).all(|t| {
                let state = &proof.local_states[self.threads[t].state as usize];
                let view = &proof.views[state.view as usize];
                let of_other = |a: &Atom, other: usize| {
                    a.holds(|v| match Role::of(v).second() {
                        Some(v) => self.value(other, v),
                        None => self.value(t, v),
                    })
                };
                let others = |k: usize| {
                    let (about, a) = &view.others[k];
                    let them = (0..self.threads.len())
                        .filter(|o| *o != t && self.threads[*o].view == *about as usize);
                    them.into_iter().all(|o| of_other(a, o))
                };
                self.threads[t].at == state.loc
                    && self.threads[t].view == state.view as usize
                    && state.own.iter().all(|k| view.own[*k as usize].holds(|v| self.value(t, v)))
                    && state.others.iter().all(|k| others(*k as usize))
            })
    }
}

fn start(p: &Program, proof: &Proof) -> World {
    let Satisfiable::Sat(model) = p.init.sat_int() else { panic!("no start") };
    let of = |scope: Scope| {
        let all = (0u32..).zip(&p.variables).filter(move |(_, x)| x.scope == scope);
        all.map(|(v, _)| (Var(v), model.value(Var(v)))).collect::<BTreeMap<_, _>>()
    };
    let mut threads = Vec::new();
    for (k, view) in proof.views.iter().enumerate() {
        let template = &p.templates[view.template as usize];
        let copies = match template.count {
            Count::AtMost(n) => n.min(COPIES),
            Count::Unbounded => COPIES,
        };
        for _ in 0..copies {
            let mut locals = of(Scope::Local(view.template));
            if let Some(v) = template.identity {
                let least = p.variables[v.0 as usize].min.unwrap_or(0);
                locals.insert(v, rat(least + threads.len() as i128));
            }
            threads.push(Thread { view: k, at: template.entry, locals, state: k as u32 });
        }
    }
    World { globals: of(Scope::Global), threads, shared: 0 }
}

/// Values after the edge, with some values of its inputs; none where it cannot be taken.
fn after(p: &Program, w: &World, t: usize, e: &Edge) -> Vec<World> {
    let mut out = Vec::new();
    for choice in 0..4i128 {
        let value = |v: Var| match (v.0 as usize).checked_sub(p.variables.len()) {
            Some(k) => match e.inputs[k] {
                Input::Chosen(_, x) => rat(x),
                _ => rat(choice),
            },
            None => w.value(t, v),
        };
        if e.guard.holds(value) && e.bounds.holds(value) {
            let mut next = w.clone();
            next.threads[t].at = e.to;
            for (v, update) in &e.updates {
                let x = update.eval(value);
                let into = if p.is_global(*v) { &mut next.globals } else { &mut next.threads[t].locals };
                into.insert(*v, x);
            }
            if !out.contains(&next) {
                out.push(next);
            }
        }
    }
    out
}

/// Walks through the first states of the program with a few threads: the system can do each step, what it says holds,
/// and there is no error.
fn walk(p: &Program, proof: &Proof) -> Result<(), String> {
    let first = start(p, proof);
    if !first.holds(proof) {
        return Err("the start".into());
    }
    let mut steps = BTreeMap::new();
    for s in &proof.steps {
        steps.entry((s.from, s.actor, s.edge)).or_insert(s);
    }
    let (mut seen, mut list, mut k) = (BTreeSet::from([first.clone()]), vec![first], 0);
    while k < list.len() && list.len() < STATES {
        let w = list[k].clone();
        k += 1;
        for t in 0..w.threads.len() {
            let template = &p.templates[proof.views[w.threads[t].view].template as usize];
            if template.locations[w.threads[t].at.0 as usize].error.is_some() {
                return Err("an error".into());
            }
            for (n, e) in (0u32..).zip(&template.edges).filter(|(_, e)| e.from == w.threads[t].at) {
                for mut next in after(p, &w, t, e) {
                    let Some(s) = steps.get(&(w.shared, w.threads[t].state, n)) else {
                        return Err(format!("no step by edge {n} of {}", template.name));
                    };
                    next.shared = s.to;
                    for o in 0..w.threads.len() {
                        let goes = if o == t { Some(s.after) } else { s.goes(w.threads[o].state) };
                        let Some(goes) = goes else { return Err("another thread goes nowhere".into()) };
                        next.threads[o].state = goes;
                    }
                    if !next.holds(proof) {
                        return Err(format!("after edge {n} of {}", template.name));
                    }
                    if seen.insert(next.clone()) {
                        list.push(next);
                    }
                }
            }
        }
    }
    Ok(())
}

/// One kind of damage, done to each part that it can be done to.
struct Damage<'d> {
    what: &'d str,
    /// The damaged proofs, one for each damage.
    all: Vec<Proof>,
    /// Does each damage make a wrong proof?
    always: bool,
}

/// Damaged proofs, one for each number from 0 below `n`; those that the change leaves as they are are left out.
fn each(proof: &Proof, n: usize, change: impl Fn(&mut Proof, usize)) -> Vec<Proof> {
    let one = |k| {
        let mut damaged = proof.clone();
        change(&mut damaged, k);
        (damaged != *proof).then_some(damaged)
    };
    (0..n).filter_map(one).collect()
}

/// At most so many of each kind, evenly; `RELYANT_CASES` sets how many.
fn few(all: &[Proof]) -> Vec<&Proof> {
    let most = usize::try_from(cases(8)).unwrap_or(usize::MAX).max(1);
    all.iter().step_by(all.len().div_ceil(most).max(1)).collect()
}

/// Checks each damaged proof: rejected, or still what the program does. How many were rejected.
fn judge(p: &Program, proof: &Proof, d: &Damage) -> usize {
    let few = few(&d.all);
    let rejected = few.par_iter().filter(|damaged| match accepted(p, damaged) {
        Err(Rejection::System(CheckError::Undecided { .. })) => panic!("{}: undecided", d.what),
        Err(_) => true,
        Ok(()) => {
            assert!(!d.always, "{}: accepted", d.what);
            // What the system can do was looked at before, if it is the same.
            let other = Proof { certificate: proof.certificate.clone(), ..Proof::clone(damaged) };
            assert!(other == *proof || walk(p, damaged) == Ok(()), "{}", d.what);
            false
        }
    });
    let rejected = rejected.count();
    println!("{}: {rejected} of {}", d.what, few.len());
    rejected
}

fn insert(list: &mut Vec<u32>, k: u32) {
    if let Err(at) = list.binary_search(&k) {
        list.insert(at, k);
    }
}

fn shifted(a: &Atom) -> Option<Atom> {
    let one = |v: Var| Some(LinExpr::var(v).add(&LinExpr::int(1)));
    let few: Vec<Var> = a.vars().take(1).collect();
    match a.subst(|v| if few.contains(&v) { one(v) } else { None }) {
        Norm::Atom(a) => Some(a),
        _ => None,
    }
}

/// One step less, or a step that does something else.
fn of_steps(proof: &Proof) -> Vec<Damage<'static>> {
    let n = proof.steps.len();
    let moves: Vec<(usize, usize)> =
        (0..n).flat_map(|s| (0..proof.steps[s].moved.len()).map(move |m| (s, m))).collect();
    let like = |l: u32| {
        let x = &proof.local_states[l as usize];
        let same = |y: &LocalState| y.view == x.view && y.loc == x.loc && y != x;
        (0u32..).zip(&proof.local_states).filter(move |(_, y)| same(y)).map(|(k, _)| k).collect::<Vec<_>>()
    };
    let to: Vec<(usize, u32)> =
        (0..n).flat_map(|s| (0..proof.shared_states.len() as u32).map(move |x| (s, x))).collect();
    let after: Vec<(usize, u32)> =
        (0..n).flat_map(|s| like(proof.steps[s].after).into_iter().map(move |x| (s, x))).collect();
    let moved: Vec<(usize, usize, u32)> = moves
        .iter()
        .flat_map(|(s, m)| like(proof.steps[*s].moved[*m].0).into_iter().map(move |x| (*s, *m, x)))
        .collect();
    let damage = |what, all| Damage { what, all, always: false };
    vec![
        damage("a step is missing", each(proof, n, |c, k| drop(c.steps.remove(k)))),
        damage("a step leads elsewhere", each(proof, to.len(), |c, k| c.steps[to[k].0].to = to[k].1)),
        damage(
            "a thread goes elsewhere",
            each(proof, after.len(), |c, k| c.steps[after[k].0].after = after[k].1),
        ),
        damage(
            "another thread stays",
            each(proof, moves.len(), |c, k| {
                c.steps[moves[k].0].moved.remove(moves[k].1);
            }),
        ),
        damage(
            "another thread is not there",
            each(proof, moves.len(), |c, k| c.steps[moves[k].0].moved[moves[k].1].1 = None),
        ),
        damage(
            "no thread is there",
            each(proof, n * proof.local_states.len(), |c, k| {
                let (s, l) = (k % n, (k / n) as u32);
                if let Err(at) = c.steps[s].moved.binary_search_by_key(&l, |m| m.0) {
                    c.steps[s].moved.insert(at, (l, None));
                }
            }),
        ),
        damage(
            "another thread goes elsewhere",
            each(proof, moved.len(), |c, k| {
                let (s, m, x) = moved[k];
                c.steps[s].moved[m].1 = Some(x);
            }),
        ),
    ]
}

/// Damages to states and predicates.
fn of_states(proof: &Proof) -> Vec<Damage<'static>> {
    let (shared, locals) = (proof.shared_states.len(), proof.local_states.len());
    let owns = proof.views.iter().map(|v| v.own.len()).max().unwrap_or(0);
    let others = proof.views.iter().map(|v| v.others.len()).max().unwrap_or(0);
    let view = |c: &Proof, l: usize| c.local_states[l].view as usize;
    let damage = |what, all| Damage { what, all, always: false };
    vec![
        damage(
            "a shared state says more",
            each(proof, shared * proof.shared.len(), |c, k| {
                insert(&mut c.shared_states[k % shared], (k / shared) as u32);
            }),
        ),
        damage(
            "a local state says more",
            each(proof, locals * owns, |c, k| {
                let (l, x) = (k % locals, k / locals);
                if x < c.views[view(c, l)].own.len() {
                    insert(&mut c.local_states[l].own, x as u32);
                }
            }),
        ),
        damage(
            "a local state says more of others",
            each(proof, locals * others, |c, k| {
                let (l, x) = (k % locals, k / locals);
                if x < c.views[view(c, l)].others.len() {
                    insert(&mut c.local_states[l].others, x as u32);
                }
            }),
        ),
        damage(
            "a shared state says less",
            each(proof, shared * proof.shared.len(), |c, k| {
                c.shared_states[k % shared].retain(|x| *x != (k / shared) as u32);
            }),
        ),
        damage(
            "a local state says less",
            each(proof, locals * owns, |c, k| {
                c.local_states[k % locals].own.retain(|x| *x != (k / locals) as u32);
            }),
        ),
        damage(
            "a local state says less of others",
            each(proof, locals * others, |c, k| {
                c.local_states[k % locals].others.retain(|x| *x != (k / locals) as u32);
            }),
        ),
        damage(
            "a predicate over globals has another constant",
            each(proof, proof.shared.len(), |c, k| {
                if let Some(a) = shifted(&c.shared[k]) {
                    c.shared[k] = a;
                }
            }),
        ),
        damage(
            "a predicate of a thread has another constant",
            each(proof, owns * proof.views.len(), |c, k| {
                let own = &mut c.views[k / owns].own;
                if let Some(a) = own.get(k % owns).and_then(shifted) {
                    own[k % owns] = a;
                }
            }),
        ),
        damage(
            "a predicate about others has another constant",
            each(proof, others * proof.views.len(), |c, k| {
                let list = &mut c.views[k / others].others;
                if let Some(a) = list.get(k % others).and_then(|o| shifted(&o.1)) {
                    list[k % others].1 = a;
                }
            }),
        ),
        damage(
            "another shared state is at the start",
            each(proof, shared, |c, k| c.shared_states.swap(0, k)),
        ),
    ]
}

/// Damages to the certificate of coverability.
fn of_coverability(proof: &Proof) -> Vec<Damage<'static>> {
    let minimal = &proof.certificate.minimal;
    let first = minimal.iter().map(|m| m.locals.clone()).collect::<Vec<_>>();
    let damage = |what, all| Damage { what, all, always: false };
    vec![
        damage(
            "an element is missing",
            each(proof, minimal.len(), |c, k| drop(c.certificate.minimal.remove(k))),
        ),
        damage(
            "an element needs one thread more",
            each(proof, minimal.len(), |c, k| {
                if let Some((l, _)) = first[k].iter().next() {
                    c.certificate.minimal[k].locals.add(l, 1).unwrap();
                }
            }),
        ),
        damage(
            "an element needs one thread less",
            each(proof, minimal.len(), |c, k| {
                if let Some((l, n)) = first[k].iter().next() {
                    c.certificate.minimal[k].locals.set(l, n - 1);
                }
            }),
        ),
        damage(
            "an invariant is missing",
            each(proof, proof.certificate.weights.len(), |c, k| drop(c.certificate.weights.remove(k))),
        ),
        damage(
            "an invariant has a lower bound",
            each(proof, proof.certificate.weights.len(), |c, k| {
                let bound = &mut c.certificate.weights[k].bound;
                *bound = bound.saturating_sub(1);
            }),
        ),
        Damage {
            what: "all is covered",
            all: each(proof, 1, |c, _| c.certificate.minimal.push(Config::new(0, Counts::new()))),
            always: true,
        },
    ]
}

#[test]
fn damaged_proofs_are_rejected() {
    let mut rejected: BTreeMap<&str, usize> = BTreeMap::new();
    for (p, proof) in examples() {
        for d in of_steps(&proof).into_iter().chain(of_states(&proof)).chain(of_coverability(&proof)) {
            *rejected.entry(d.what).or_default() += judge(&p, &proof, &d);
        }
    }
    let never: Vec<&&str> = rejected.iter().filter(|r| *r.1 == 0).map(|r| r.0).collect();
    assert!(never.is_empty(), "{never:?}");
}

/// The walk is no formality: it finds a good part of what is wrong where steps are missing or states say too much.
#[test]
fn walks_find_damages() {
    let (mut found, mut tried) = (0, 0);
    for (p, proof) in examples() {
        let all = [of_steps(&proof).swap_remove(0).all, of_states(&proof).swap_remove(0).all].concat();
        let few = few(&all);
        found += few.par_iter().filter(|damaged| walk(&p, damaged).is_err()).count();
        tried += few.len();
    }
    println!("{found} of {tried}");
    assert!(found * 4 > tried);
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

fn atom(v: Var) -> Atom {
    match Atom::le(&LinExpr::var(v)) {
        Norm::Atom(a) => a,
        _ => panic!("an atom"),
    }
}

/// A proof of another program than this one is accepted only where the system does all that this one does, too.
#[test]
fn damaged_programs_have_other_proofs() {
    let mut rejected = [0; 4];
    for (p, proof) in examples() {
        let edges: Vec<(usize, usize)> = (0..p.templates.len())
            .flat_map(|t| (0..p.templates[t].edges.len()).map(move |e| (t, e)))
            .collect();
        type Change = fn(&mut Edge);
        let changes: [Change; 4] = [
            |e| e.guard = Cube::top(),
            |e| e.updates.clear(),
            |e| e.updates.iter_mut().for_each(|u| u.1 = u.1.add(&LinExpr::int(1))),
            |e| e.to = e.from,
        ];
        for (k, change) in changes.iter().enumerate() {
            for (t, e) in &edges {
                let mut other = p.clone();
                change(&mut other.templates[*t].edges[*e]);
                if other == p {
                    continue;
                }
                match accepted(&other, &proof) {
                    Ok(()) => assert_eq!(walk(&other, &proof), Ok(()), "change {k}, template {t}, edge {e}"),
                    Err(_) => rejected[k] += 1,
                }
            }
        }
        // Main is one thread; as many it could do no more here, but nothing of one thread may be said of many.
        let mut other = p.clone();
        other.init = Cube::top();
        assert!(accepted(&other, &proof).is_err());
    }
    println!("rejected: {rejected:?}");
    assert!(rejected.iter().all(|n| *n > 0), "{rejected:?}");
}

fn read(text: &str, p: &Program) -> Result<Proof, CertificateError> {
    match AnyCertificate::parse(text)? {
        AnyCertificate::Replicated(c) => c.proof(p),
        AnyCertificate::Proof(_) | AnyCertificate::States(_) => panic!("another kind"),
    }
}

#[test]
fn certificates_come_back() {
    let (other, _) = proved("counter_cas.c");
    for (p, proof) in examples() {
        let text = write_replicated(&proof, &p, &meta());
        assert_eq!(read(&text, &p), Ok(proof));
        assert_eq!(read(&text, &other), Err(CertificateError::Program));
        let certificate = AnyCertificate::parse(&text).unwrap();
        assert_eq!(certificate.options(), meta().options);
        assert!(certificate.is_about(&meta().sources, &meta().includes).is_ok());
        let changed = Meta { sources: vec![Source::new("test.c", b"int main() { }")], ..meta() };
        assert!(certificate.is_about(&changed.sources, &changed.includes).is_err());
    }
}

#[test]
fn damaged_certificates_are_rejected() {
    let (p, proof) = proved(NAMES[0]);
    let text = write_replicated(&proof, &p, &meta());
    for end in (0..text.trim_end().len()).step_by(13) {
        assert!(AnyCertificate::parse(&text[..end]).is_err(), "{end}");
    }
    for (from, to) in [
        ("\"version\": 2", "\"version\": 1"),
        ("relyant-certificate", "other-certificate"),
        ("\"kind\": \"replicated\"", "\"kind\": \"replicates\""),
        ("\"globals\": [", "\"more\": 1, \"globals\": ["),
        ("\"globals\": [", "\"globals\": [\"0 == 0\","),
        ("\"globals\": [", "\"globals\": [\"nothing <= 1\","),
        ("\"globals\": [", "\"globals\": [\"taken' <= 1\","),
        ("\"own\":[", "\"own\":[\"taken' <= 1\","),
        ("\"thread\":\"client\"", "\"thread\":\"nobody\""),
        ("\"shared_states\": [", "\"shared_states\": [[-1],"),
        ("\"shared_states\": [", "\"shared_states\": [[99],"),
        ("\"shared_states\": [", "\"shared_states\": [[4294967296],"),
        ("\"at\":\"0.", "\"at\":\"9."),
        ("\"at\":\"0.", "\"at\":\"0.0."),
        ("    [[0,0,0]", "    [[0,0,0,0]"),
        ("\"steps\": [", "\"steps\": [[[0,0,0],[0,0]],"),
        ("\"minimal\":[[", "\"minimal\":[[0,[[0,4294967295],[0,1]]],["),
        ("\"uncoverable\": ", "\"coverable\":"),
        ("\"program\": \"", "\"program\": \"0"),
    ] {
        let edited = text.replacen(from, to, 1);
        assert_ne!(edited, text, "{from}");
        let kept = match AnyCertificate::parse(&edited) {
            Ok(AnyCertificate::Replicated(c)) => c.proof(&p).ok().filter(|c| accepted(&p, c).is_ok()),
            _ => None,
        };
        assert_eq!(kept, None, "{to}");
    }
}
