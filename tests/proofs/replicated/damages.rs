//! Damaged proofs, and proofs of damaged programs: rejected, or still all that the program does.

use super::*;

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
