//! Trees against Z3: the verdict, and each node's formula.

mod common;

use common::*;
use proptest::prelude::*;
use relyant_horn::Formula;
use relyant_horn::tree::{Tree, TreeError, TreeOptions, TreeOutcome, solve_tree};
use relyant_linear::Var;
use z3::ast::Bool;

/// Not satisfiable, as far as Z3 knows.
fn z3_unsat(parts: &[Bool]) -> bool {
    z3_sat(Bool::and(parts)) != Some(true)
}

/// A node before it is placed: which earlier roots it adopts, how many arguments, and its rows over a
/// pool of its own and its children's variables.
type Plan = Vec<(u32, u32, Vec<Row>)>;

fn plan() -> impl Strategy<Value = Plan> {
    let row = prop_oneof![4 => difference_row(6), 1 => general_row(5)];
    let pure =
        prop::collection::vec((1u32..4, 1u32..4, prop::collection::vec(difference_row(6), 0..5)), 1..8);
    let mixed = prop::collection::vec((1u32..4, 1u32..4, prop::collection::vec(row, 0..4)), 1..6);
    prop_oneof![pure, mixed]
}

fn build(plan: &Plan) -> Tree {
    let (mut tree, mut next, mut roots) = (Tree::new(), 0u32, Vec::new());
    let last = plan.len() - 1;
    for (i, (adopt, args, rows)) in plan.iter().enumerate() {
        let adopt = if i == last { roots.len() } else { (*adopt as usize - 1).min(roots.len()) };
        let children: Vec<usize> = roots.split_off(roots.len() - adopt);
        let args: Vec<Var> = (0..if i == last { 0 } else { *args }).map(|k| Var(next + k)).collect();
        next += 3;
        // Two locals, the arguments, the children's arguments.
        let mut pool = vec![Var(next), Var(next + 1)];
        next += 2;
        pool.extend(&args);
        pool.extend(children.iter().flat_map(|&c| tree.nodes()[c].args.clone()));
        let n = pool.len() as u32;
        let rows: Vec<Row> = rows
            .iter()
            .map(|(ts, c, eq)| {
                (ts.iter().map(|(v, a)| (pool[(n - 1 - v % n) as usize].0, *a)).collect(), *c, *eq)
            })
            .collect();
        roots.push(tree.add(children, cube(&rows), args).unwrap());
    }
    tree
}

fn agrees(tree: &Tree) -> Result<(), TestCaseError> {
    let all: Vec<Bool> = tree.nodes().iter().map(|n| z3_cube(&n.constraint, &z3_var)).collect();
    match solve_tree(tree, &TreeOptions::default()).unwrap() {
        TreeOutcome::Solved(fs) => {
            prop_assert_eq!(fs.last(), Some(&Formula::False));
            for (n, f) in tree.nodes().iter().zip(&fs) {
                let mut parts: Vec<Bool> = n.children.iter().map(|&c| z3_formula(&fs[c], &z3_var)).collect();
                parts.push(z3_cube(&n.constraint, &z3_var));
                parts.push(z3_formula(f, &z3_var).not());
                prop_assert!(z3_unsat(&parts));
                prop_assert!(
                    f.atoms().iter().flat_map(|a| a.vars().collect::<Vec<_>>()).all(|v| n.args.contains(&v))
                );
            }
        }
        TreeOutcome::Satisfiable(m) => {
            prop_assert!(tree.nodes().iter().all(|n| n.constraint.holds(|v| m.value(v))));
            prop_assert!(m.iter().all(|(_, q)| q.is_integer()));
        }
        TreeOutcome::Unknown(reason) => {
            // Only where a solution would need divisibility, or cannot be found: never where Z3 sees a model.
            prop_assert!(z3_unsat(&all), "{}", reason);
            eprintln!("unknown: {reason}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn trees_agree_with_z3(plan in plan()) {
        agrees(&build(&plan))?;
    }
}

fn row(terms: &[(u32, i64)], c: i64) -> Row {
    (terms.to_vec(), c, false)
}

/// The same contradiction by two ways: weights choose.
#[test]
fn weights_choose_between_proofs() {
    // 0 and 1 are each at most 0 below, and both at least 1 above.
    let mut t = Tree::new();
    let below = cube(&[row(&[(0, 1)], 0), row(&[(1, 1)], 0)]);
    let leaf = t.add(vec![], below, vec![Var(0), Var(1)]).unwrap();
    t.add(vec![leaf], cube(&[row(&[(0, -1)], 1), row(&[(1, -1)], 1)]), vec![]).unwrap();
    for cheap in [0, 1] {
        let weight = move |v: Var| if v.0 == cheap { 0 } else { 5 };
        let options = TreeOptions { weight: Some(&weight), ..TreeOptions::default() };
        let TreeOutcome::Solved(fs) = solve_tree(&t, &options).unwrap() else { panic!("has a solution") };
        assert_eq!(
            fs[0].atoms().iter().flat_map(|a| a.vars().collect::<Vec<_>>()).collect::<Vec<_>>(),
            [Var(cheap)]
        );
    }
}

/// y = 2x below and y = 1 above: rationals allow it, a cut on x below does not.
#[test]
fn an_integer_cut_at_one_node() {
    let mut t = Tree::new();
    let even = cube(&[(vec![(0, 2), (1, -1)], 0, true)]);
    let leaf = t.add(vec![], even, vec![Var(1)]).unwrap();
    t.add(vec![leaf], cube(&[(vec![(1, 1)], -1, true)]), vec![]).unwrap();
    let Ok(TreeOutcome::Solved(fs)) = solve_tree(&t, &TreeOptions::default()) else {
        panic!("has a solution")
    };
    assert!(matches!(fs[0], Formula::Or(_)), "y <= 0 or y >= 2, not {}", fs[0]);
}

#[test]
fn malformed_trees_are_errors() {
    let mut t = Tree::new();
    let a = t.add(vec![], cube(&[]), vec![]).unwrap();
    assert_eq!(t.add(vec![7], cube(&[]), vec![]), Err(TreeError::Child(7)));
    let _ = t.add(vec![a], cube(&[]), vec![]).unwrap();
    assert_eq!(t.add(vec![a], cube(&[]), vec![]), Err(TreeError::Child(a)));
    let _ = t.add(vec![], cube(&[]), vec![]).unwrap();
    assert_eq!(solve_tree(&t, &TreeOptions::default()), Err(TreeError::Roots(2)));
    // x is shared, but no argument.
    let mut t = Tree::new();
    let a = t.add(vec![], cube(&[row(&[(0, 1)], 0)]), vec![]).unwrap();
    t.add(vec![a], cube(&[row(&[(0, -1)], 1)]), vec![]).unwrap();
    assert_eq!(solve_tree(&t, &TreeOptions::default()), Err(TreeError::NotShared { node: a, var: Var(0) }));
}
