//! Random recursion-free systems of clauses against Z3, and GPR's example.

mod common;

use common::*;
use proptest::prelude::*;
use relyant_horn::Formula;
use relyant_horn::clause::{Application, Clause, ClauseError, Relation, System};
use relyant_horn::solve::{SystemOutcome, solve};
use relyant_horn::tree::TreeOptions;
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Var};
use std::cell::Cell;
use z3::ast::{Bool, Int};

/// Some values of the relation's arguments can be derived: the disjunction over its clauses, with fresh
/// variables, without any unfolding of ours.
fn derivable(s: &System, head: Option<(Relation, &[Int])>, fresh: &Cell<u32>) -> Bool {
    let mut cases = Vec::new();
    for c in s.clauses() {
        if c.head.as_ref().map(|h| h.relation) != head.map(|h| h.0) {
            continue;
        }
        let n = fresh.replace(fresh.get() + 1);
        let var = |v: Var| match (&c.head, head) {
            (Some(h), Some((_, given))) if h.args.contains(&v) => {
                given[h.args.iter().position(|a| *a == v).unwrap()].clone()
            }
            _ => Int::new_const(format!("c{n}_{}", v.0)),
        };
        let mut parts = vec![z3_cube(&c.constraint, &var)];
        for a in &c.body {
            let args: Vec<Int> = a.args.iter().map(|v| var(*v)).collect();
            parts.push(derivable(s, Some((a.relation, &args)), fresh));
        }
        cases.push(Bool::and(&parts));
    }
    Bool::or(&cases)
}

const POOL: u32 = 6;

/// Body (relations by number, each with a rotation of the pool of variables), the head's rotation, and the
/// constraint.
type ClausePlan = (Vec<(u32, u32)>, u32, Vec<Row>);

/// Each relation's arity and clauses, over the relations before it; clauses without head.
type SystemPlan = (Vec<(u32, Vec<ClausePlan>)>, Vec<ClausePlan>);

fn plan() -> impl Strategy<Value = SystemPlan> {
    // Over few of the pool's variables, or everything is satisfiable.
    let row = || prop_oneof![6 => difference_row(3), 1 => general_row(3)];
    let rows = |least, most| prop::collection::vec(row(), least..most);
    let body = |most| prop::collection::vec((0u32..8, 0u32..2), 1..most);
    let clause = (body(3), 0u32..2, rows(1, 5));
    let relation = (1u32..4, prop::collection::vec(clause, 1..4));
    let goal = (body(4), Just(0), rows(2, 7));
    (prop::collection::vec(relation, 1..5), prop::collection::vec(goal, 1..3))
}

fn build((plan, goals): &SystemPlan) -> System {
    let mut s = System::new();
    let relations: Vec<Relation> =
        plan.iter().enumerate().map(|(i, (a, _))| s.relation(&format!("r{i}"), *a as usize)).collect();
    let apply = |r: usize, turn: u32| Application {
        relation: relations[r],
        args: (0..plan[r].0).map(|i| Var((i + turn) % POOL)).collect(),
    };
    let clause = |below: usize, (body, turn, rows): &ClausePlan, head: Option<usize>| Clause {
        // Mostly the relations next below, so that systems are deep.
        body: body
            .iter()
            .filter(|_| below > 0)
            .map(|(r, t)| apply(below - 1 - *r as usize % below.min(2), *t))
            .collect(),
        constraint: cube(rows),
        head: head.map(|r| apply(r, *turn)),
    };
    for (r, (_, clauses)) in plan.iter().enumerate() {
        for c in clauses {
            s.add(clause(r, c, Some(r))).unwrap();
        }
    }
    for c in goals {
        s.add(clause(plan.len(), c, None)).unwrap();
    }
    s
}

/// Is the solution one, as Z3 sees it?
fn z3_accepts(s: &System, formula: &dyn Fn(&Application) -> Formula) -> bool {
    s.clauses().iter().all(|c| {
        let mut parts = vec![z3_cube(&c.constraint, &z3_var)];
        parts.extend(c.body.iter().map(|a| z3_formula(&formula(a), &z3_var)));
        if let Some(h) = &c.head {
            parts.push(z3_formula(&formula(h), &z3_var).not());
        }
        z3_sat(Bool::and(&parts)) != Some(true)
    })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn systems_agree_with_z3(plan in plan()) {
        let s = build(&plan);
        let underivable = || z3_sat(derivable(&s, None, &Cell::new(0))).map(|d| !d);
        match solve(&s, &TreeOptions::default()).unwrap() {
            SystemOutcome::Solved(solution) => prop_assert!(z3_accepts(&s, &|a| solution.apply(a))),
            SystemOutcome::Unsolvable(d) => {
                prop_assert!(d.check(&s));
                prop_assert!(underivable() != Some(true));
            }
            SystemOutcome::Unknown(reason) => {
                prop_assert!(underivable() != Some(false), "{}", reason);
                eprintln!("unknown: {reason}");
            }
        }
    }
}

fn e(terms: &[(u32, i64)], c: i64) -> LinExpr {
    LinExpr::new(terms.iter().map(|(v, a)| (Var(*v), Rat::from(*a))), Rat::from(c))
}
fn eq(terms: &[(u32, i64)], c: i64) -> Norm {
    Atom::eq(&e(terms, c))
}
fn le(terms: &[(u32, i64)], c: i64) -> Norm {
    Atom::le(&e(terms, c))
}
fn app(relation: Relation, args: &[u32]) -> Application {
    Application { relation, args: args.iter().map(|v| Var(*v)).collect() }
}

// GPR figures 12 and 13: LockBitCnt. Variables: 0 lock, 1 cnt; 10 lock', 11 cnt'. Control is dropped:
// it contributes nothing to the two proofs of section 7.
const LOCK: u32 = 0;
const CNT: u32 = 1;
const LOCK2: u32 = 10;
const CNT2: u32 = 11;

/// Figure 13 (b), states over all variables.
#[test]
fn lock_bit_cnt_unrestricted() {
    let mut s = System::new();
    let [m1, m2, m3, n1, n2] = ["m1", "m2", "m3", "n1", "n2"].map(|n| s.relation(n, 2));
    let e2 = s.relation("e2", 4);
    let init = || Cube::of([eq(&[(LOCK, 1)], 0), eq(&[(CNT, 1)], 0)]);
    let rho0 =
        Cube::of([eq(&[(LOCK2, 1), (LOCK, -1)], 0), eq(&[(CNT2, 1), (CNT, -1)], -1), le(&[(CNT2, -1)], 1)]);
    let rho2 = || Cube::of([eq(&[(LOCK, 1)], 0), eq(&[(LOCK2, 1)], -1), eq(&[(CNT2, 1), (CNT, -1)], 0)]);
    let clause = |body: &[Application], constraint, head| Clause { body: body.to_vec(), constraint, head };
    let state = [LOCK, CNT];
    let next = [LOCK2, CNT2];
    s.add(clause(&[], init(), Some(app(m1, &state)))).unwrap();
    s.add(clause(&[app(m1, &state)], rho0, Some(app(m2, &next)))).unwrap();
    s.add(clause(&[], init(), Some(app(n1, &state)))).unwrap();
    s.add(clause(&[app(n1, &state)], rho2(), Some(app(e2, &[LOCK, CNT, LOCK2, CNT2])))).unwrap();
    let frame = Cube::of([eq(&[(CNT2, 1), (CNT, -1)], 0)]);
    s.add(clause(&[app(m2, &state), app(e2, &[LOCK, CNT, LOCK2, CNT2])], frame, Some(app(m3, &next))))
        .unwrap();
    s.add(clause(&[app(n1, &state)], rho2(), Some(app(n2, &next)))).unwrap();
    let take = Cube::of([eq(&[(LOCK, 1)], 0)]);
    s.add(clause(&[app(m3, &state), app(n2, &state)], take, None)).unwrap();
    let SystemOutcome::Solved(solution) = solve(&s, &TreeOptions::default()).unwrap() else {
        panic!("has a solution")
    };
    assert!(z3_accepts(&s, &|a| solution.apply(a)));
}

/// Figure 13 (c): states of thread 1 over (lock, cnt), of thread 2 and transitions over lock only. The
/// solution speaks of the lock.
#[test]
fn lock_bit_cnt_modular() {
    let mut s = System::new();
    let [m1, m2, m3] = ["m1", "m2", "m3"].map(|n| s.relation(n, 2));
    let n1 = s.relation("n1", 1);
    let e2 = s.relation("e2", 2);
    let clause = |body: &[Application], constraint, head| Clause { body: body.to_vec(), constraint, head };
    let init = || Cube::of([eq(&[(LOCK, 1)], 0), eq(&[(CNT, 1)], 0)]);
    let rho0 =
        Cube::of([eq(&[(LOCK2, 1), (LOCK, -1)], 0), eq(&[(CNT2, 1), (CNT, -1)], -1), le(&[(CNT2, -1)], 1)]);
    let rho1 = Cube::of([eq(&[(LOCK, 1)], 0), eq(&[(LOCK2, 1)], -1), eq(&[(CNT2, 1), (CNT, -1)], 0)]);
    let rho2 = Cube::of([eq(&[(LOCK, 1)], 0), eq(&[(LOCK2, 1)], -1)]);
    s.add(clause(&[], init(), Some(app(m1, &[LOCK, CNT])))).unwrap();
    s.add(clause(&[app(m1, &[LOCK, CNT])], rho0, Some(app(m2, &[LOCK2, CNT2])))).unwrap();
    s.add(clause(&[app(m2, &[LOCK, CNT])], rho1, Some(app(m3, &[LOCK2, CNT2])))).unwrap();
    s.add(clause(&[], init(), Some(app(n1, &[LOCK])))).unwrap();
    s.add(clause(&[app(n1, &[LOCK])], rho2, Some(app(e2, &[LOCK, LOCK2])))).unwrap();
    // Thread 2 takes the lock where thread 1 has it.
    s.add(clause(&[app(m3, &[LOCK, CNT]), app(e2, &[LOCK, LOCK2])], Cube::top(), None)).unwrap();
    let SystemOutcome::Solved(solution) = solve(&s, &TreeOptions::default()).unwrap() else {
        panic!("has a solution")
    };
    assert!(z3_accepts(&s, &|a| solution.apply(a)));
    assert_eq!(solution.formula(m3), &Formula::from(le(&[(0, -1)], 1)), "1 <= lock");
    assert_eq!(solution.formula(e2), &Formula::from(le(&[(0, 1)], 0)), "lock <= 0");
    assert_eq!(solution.formula(m2), &Formula::True);
    assert_eq!(solution.formula(n1), &Formula::True);
}

#[test]
fn integer_cuts_across_clauses() {
    // p: x <= 2y, q: x >= 2y - ... between even and odd: 2x <= z <= 2x + 1 and z = 2y + ... needs a split.
    let mut s = System::new();
    let p = s.relation("p", 2);
    // p(x, z): 2x <= z; false: p(x, z), z <= 2x + 1, z = 3w + 5, x = 3v ... with 0 <= x <= 2.
    s.add(Clause {
        body: vec![],
        constraint: Cube::of([le(&[(0, 2), (1, -1)], 0), le(&[(0, -2), (1, 1)], -1)]),
        head: Some(app(p, &[0, 1])),
    })
    .unwrap();
    // z = 3 in the middle: x = 1; and 3x = 2 + y, 0 <= y <= 0 contradicts it over integers only.
    s.add(Clause {
        body: vec![app(p, &[0, 1])],
        constraint: Cube::of([eq(&[(1, 1)], -3), le(&[(0, 4)], -7), le(&[(0, -4)], 5)]),
        head: None,
    })
    .unwrap();
    let SystemOutcome::Solved(solution) = solve(&s, &TreeOptions::default()).unwrap() else {
        panic!("has a solution")
    };
    assert!(z3_accepts(&s, &|a| solution.apply(a)));
}

#[test]
fn parity_within_a_clause() {
    // 2x = z and z = 2y + 1 in one clause has no solution in integers.
    let mut s = System::new();
    s.add(Clause {
        body: vec![],
        constraint: Cube::of([eq(&[(0, 2), (2, -1)], 0), eq(&[(2, 1), (1, -2)], -1)]),
        head: None,
    })
    .unwrap();
    assert!(matches!(solve(&s, &TreeOptions::default()).unwrap(), SystemOutcome::Solved(_)));
}

#[test]
fn disjunctive_solutions() {
    // p holds at 0 and at 4; not at 2.
    let mut s = System::new();
    let p = s.relation("p", 1);
    for k in [0, -4] {
        s.add(Clause { body: vec![], constraint: Cube::of([eq(&[(0, 1)], k)]), head: Some(app(p, &[0])) })
            .unwrap();
    }
    s.add(Clause { body: vec![app(p, &[0])], constraint: Cube::of([eq(&[(0, 1)], -2)]), head: None })
        .unwrap();
    let SystemOutcome::Solved(solution) = solve(&s, &TreeOptions::default()).unwrap() else {
        panic!("has a solution")
    };
    assert!(matches!(solution.formula(p), Formula::Or(_)));
}

#[test]
fn unsolvable_systems_come_with_a_derivation() {
    let mut s = System::new();
    let p = s.relation("p", 1);
    s.add(Clause { body: vec![], constraint: Cube::of([le(&[(0, -1)], 3)]), head: Some(app(p, &[0])) })
        .unwrap();
    let body = vec![app(p, &[0]), app(p, &[1])];
    s.add(Clause { body, constraint: Cube::of([le(&[(0, 1), (1, -1)], 1)]), head: None }).unwrap();
    let SystemOutcome::Unsolvable(d) = solve(&s, &TreeOptions::default()).unwrap() else {
        panic!("has no solution")
    };
    assert_eq!(d.inferences.len(), 3);
    assert!(d.check(&s));
    let mut wrong = d.clone();
    wrong.inferences[0].values.clear();
    assert!(!wrong.check(&s));
}

/// Two clauses a level: x grows by 1 or 2. There are 2^40 derivations.
#[test]
fn many_derivations() {
    let levels = 40;
    for (bound, solvable) in [(levels, true), (levels + 1, false)] {
        let mut s = System::new();
        let mut last = s.relation("p0", 1);
        s.add(Clause { body: vec![], constraint: Cube::of([eq(&[(0, 1)], 0)]), head: Some(app(last, &[0])) })
            .unwrap();
        for i in 1..=levels {
            let next = s.relation(&format!("p{i}"), 1);
            for step in [1, 2] {
                let constraint = Cube::of([eq(&[(1, 1), (0, -1)], -step)]);
                s.add(Clause { body: vec![app(last, &[0])], constraint, head: Some(app(next, &[1])) })
                    .unwrap();
            }
            last = next;
        }
        // x < bound
        let constraint = Cube::of([le(&[(0, 1)], 1 - bound)]);
        s.add(Clause { body: vec![app(last, &[0])], constraint, head: None }).unwrap();
        match solve(&s, &TreeOptions::default()).unwrap() {
            SystemOutcome::Solved(solution) => assert!(solvable && z3_accepts(&s, &|a| solution.apply(a))),
            SystemOutcome::Unsolvable(d) => assert!(!solvable && d.check(&s)),
            SystemOutcome::Unknown(reason) => panic!("{reason}"),
        }
    }
}

#[test]
fn recursion_and_misuse_are_refused() {
    let mut s = System::new();
    let [p, q] = ["p", "q"].map(|n| s.relation(n, 1));
    let twice = Application { relation: p, args: vec![Var(0), Var(0)] };
    let clause = |body: Vec<Application>, head| Clause { body, constraint: Cube::top(), head };
    assert!(matches!(s.add(clause(vec![twice], None)), Err(ClauseError::Arity { .. })));
    assert_eq!(s.add(clause(vec![app(Relation(9), &[])], None)), Err(ClauseError::NoRelation(Relation(9))));
    s.add(clause(vec![app(p, &[0])], Some(app(q, &[0])))).unwrap();
    s.add(clause(vec![app(q, &[0])], Some(app(p, &[0])))).unwrap();
    assert!(matches!(solve(&s, &TreeOptions::default()), Err(ClauseError::Recursive(_))));
}
