//! Cube decisions against Z3.

mod common;

use common::*;
use proptest::prelude::*;
use relyant_linear::{Closed, Cube, Norm, Satisfiable};

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn satisfiability_agrees_with_z3(rows in rows()) {
        let c = cube(&rows);
        let Some(expected) = z3_sat(z3_cube(&c, &z3_var)) else { return Ok(()) };
        match c.sat_int() {
            Satisfiable::Sat(m) => {
                prop_assert!(expected);
                prop_assert!(m.iter().all(|(_, q)| q.is_integer()));
                prop_assert!(c.holds(|v| m.value(v)));
            }
            Satisfiable::Unsat => prop_assert!(!expected),
            Satisfiable::Unknown => prop_assert!(false, "budget ran out on {c:?}"),
        }
        match c.sat_rational() {
            Satisfiable::Sat(m) => prop_assert!(c.holds(|v| m.value(v))),
            Satisfiable::Unsat => prop_assert!(!expected),
            Satisfiable::Unknown => prop_assert!(false),
        }
    }

    /// What is not linked to an atom's variables has no say in whether it may hold besides.
    #[test]
    fn what_is_around_decides(rows in rows(), goal in prop_oneof![difference_row(4), general_row(4)]) {
        let c = cube(&rows);
        let Norm::Atom(a) = norm(&goal) else { return Ok(()) };
        let near = c.around(a.vars());
        prop_assert!(near.atoms().iter().all(|x| c.atoms().contains(x)));
        if let Satisfiable::Sat(_) = c.sat_int() {
            let with = |c: &Cube| matches!(c.and(&Cube::of([Norm::Atom(a.clone())])).sat_int(), Satisfiable::Sat(_));
            prop_assert_eq!(with(&c), with(&near), "{:?} around {:?}", c, a);
        }
    }

    #[test]
    fn entailment_agrees_with_z3(rows in rows(), goals in prop::collection::vec(prop_oneof![difference_row(4), general_row(4)], 1..4)) {
        let c = cube(&rows);
        let mut closed = Closed::new(&c);
        for g in &goals {
            let Norm::Atom(a) = norm(g) else { continue };
            let refuted = z3::ast::Bool::and(&[z3_cube(&c, &z3_var), z3_atom(&a, &z3_var).not()]);
            let Some(expected) = z3_sat(refuted).map(|s| !s) else { continue };
            prop_assert_eq!(c.entails(&a), Some(expected), "{:?} entails {:?}", c, a);
            prop_assert_eq!(closed.entails(&a), Some(expected));
            if closed.entails_rational(&a) {
                prop_assert!(expected);
            }
        }
    }
}
