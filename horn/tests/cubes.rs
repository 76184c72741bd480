//! Cube decisions against Z3.

mod common;

use common::*;
use proptest::prelude::*;
use relyant_horn::linear::{Closed, Norm, Satisfiable};

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
