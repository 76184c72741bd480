//! What sets of thread states say of shared variables, for readers: alternatives of values.

use super::closed::slot;
use super::flat::Flat;
use super::program::Var;
use biodivine_lib_bdd::{Bdd, BddVariable};

/// Values of some variables; others have any.
pub type Values = Vec<(Var, bool)>;

/// Diagrams with more nodes are not written as alternatives.
const LARGEST: usize = 2000;

/// The values of the globals, locks among them, in a union of sets: alternatives, of which one holds in each of its states.
/// Where there would be more than `most`, a single one, of what is the same in all. None: the union is empty.
pub fn alternatives(f: &Flat, sets: &[&Bdd], most: usize) -> Vec<Values> {
    let Some((first, rest)) = sets.split_first() else { return Vec::new() };
    let all = rest.iter().fold((*first).clone(), |a, b| a.or(b));
    let globals: Vec<(Var, BddVariable)> = (0..f.globals).map(Var::Global).map(|v| (v, slot(f, v))).collect();
    let hidden: Vec<BddVariable> =
        all.support_set().into_iter().filter(|v| !globals.iter().any(|g| g.1 == *v)).collect();
    let all = all.exists(&hidden);
    if all.is_false() {
        return Vec::new();
    }
    if all.size() <= LARGEST {
        let clauses = all.to_optimized_dnf();
        if clauses.len() <= most {
            let values = |c: &biodivine_lib_bdd::BddPartialValuation| {
                globals.iter().filter_map(|(v, b)| Some((*v, c.get_value(*b)?))).collect()
            };
            let mut out: Vec<Values> = clauses.iter().map(values).collect();
            out.sort();
            return out;
        }
    }
    let fixed = |(v, b): &(Var, BddVariable)| match (all.var_select(*b, true), all.var_select(*b, false)) {
        (yes, _) if yes.is_false() => Some((*v, false)),
        (_, no) if no.is_false() => Some((*v, true)),
        _ => None,
    };
    vec![globals.iter().filter_map(fixed).collect()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boolean::{closed, flat, read};

    #[test]
    fn values_are_those_of_the_set() {
        let text = "decl a, b;\nvoid main() begin\n  a, b := F, F;\n  assert(!a);\nend\n";
        let program = read(text, &[]).unwrap();
        let f = flat::graph(&program);
        let entry = |v: u32| u16::try_from(slot(&f, Var::Global(v)).to_index()).unwrap();
        // a, or not a and not b
        let listed = Some(vec![(entry(1), 1, 0), (entry(0), 2, 1)]);
        let sets = closed::sets(&f, &[listed]).unwrap();
        let (a, b) = (Var::Global(0), Var::Global(1));
        let found = alternatives(&f, &[&sets[0]], 4);
        let holds = |x: bool, y: bool| {
            found.iter().any(|c| c.iter().all(|(v, value)| *value == if *v == a { x } else { y }))
        };
        for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(holds(x, y), x || !y, "{found:?}");
        }
        assert_eq!(alternatives(&f, &[&sets[0]], 1), [vec![]]);
        let only = sets[0].and(&sets[0].var_select(slot(&f, a), false));
        assert_eq!(alternatives(&f, &[&only], 1), [vec![(a, false), (b, false)]]);
        assert!(alternatives(&f, &[], 4).is_empty());
    }
}
