//! Formulas that solve Horn clauses.

use relyant_linear::{Atom, Norm, Rat, Rel, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A formula over the parameters `Var(0)..Var(arity)` of a relation, or over the variables of a tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Holds for all values.
    True,
    /// Holds for no values.
    False,
    /// Holds where the inequality or equality does.
    Atom(Atom),
    /// All of these hold.
    And(Vec<Formula>),
    /// One of these holds.
    Or(Vec<Formula>),
}

impl From<Norm> for Formula {
    fn from(n: Norm) -> Formula {
        match n {
            Norm::True => Formula::True,
            Norm::False => Formula::False,
            Norm::Atom(a) => Formula::Atom(a),
        }
    }
}

impl Formula {
    /// A conjunction, flattened, in order and without repetition.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = BTreeSet::new();
        for p in parts {
            match p {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::And(ps) => all.extend(ps),
                p => {
                    all.insert(p);
                }
            }
        }
        let mut all: Vec<Formula> = all.into_iter().collect();
        weed(&mut all, true);
        match all.len() {
            0 => Formula::True,
            1 => all.swap_remove(0),
            _ => Formula::And(all),
        }
    }
    /// A disjunction, flattened, in order and without repetition.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = BTreeSet::new();
        for p in parts {
            match p {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Or(ps) => all.extend(ps),
                p => {
                    all.insert(p);
                }
            }
        }
        let mut all: Vec<Formula> = all.into_iter().collect();
        weed(&mut all, false);
        match all.len() {
            0 => Formula::False,
            1 => all.swap_remove(0),
            _ => Formula::Or(all),
        }
    }
    /// Variables renamed by an injective map.
    pub fn rename(&self, f: &impl Fn(Var) -> Var) -> Formula {
        match self {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::Atom(a) => Formula::Atom(a.rename(f)),
            Formula::And(fs) => Formula::and(fs.iter().map(|g| g.rename(f))),
            Formula::Or(fs) => Formula::or(fs.iter().map(|g| g.rename(f))),
        }
    }
    /// The atoms in it, in order and without repetition.
    pub fn atoms(&self) -> BTreeSet<Atom> {
        let mut out = BTreeSet::new();
        self.collect_atoms(&mut out);
        out
    }
    fn collect_atoms(&self, out: &mut BTreeSet<Atom>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Atom(a) => {
                out.insert(a.clone());
            }
            Formula::And(fs) | Formula::Or(fs) => fs.iter().for_each(|f| f.collect_atoms(out)),
        }
    }
    /// Does it hold where every variable has the given value?
    pub fn holds(&self, value: &impl Fn(Var) -> Rat) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Atom(a) => a.holds(value),
            Formula::And(fs) => fs.iter().all(|f| f.holds(value)),
            Formula::Or(fs) => fs.iter().any(|f| f.holds(value)),
        }
    }
    /// The negation, pushed to the atoms.
    pub fn negate(&self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Atom(a) => Formula::or(a.negate().into_iter().map(Formula::from)),
            Formula::And(fs) => Formula::or(fs.iter().map(Formula::negate)),
            Formula::Or(fs) => Formula::and(fs.iter().map(Formula::negate)),
        }
    }
    /// Text as C has it.
    pub fn display(&self, name: impl Fn(Var) -> String + Copy) -> String {
        let list = |fs: &[Formula], op: &str| {
            let parts = fs.iter().map(|f| match f {
                Formula::And(_) | Formula::Or(_) => format!("({})", f.display(name)),
                _ => f.display(name),
            });
            parts.collect::<Vec<_>>().join(op)
        };
        match self {
            Formula::True => "1".into(),
            Formula::False => "0".into(),
            Formula::Atom(a) => a.display(name),
            Formula::And(fs) => list(fs, " && "),
            Formula::Or(fs) => list(fs, " || "),
        }
    }
}

/// Of bounds on the same terms keeps the strongest (in a conjunction) or the weakest.
fn weed(parts: &mut Vec<Formula>, strongest: bool) {
    let mut best: BTreeMap<Vec<(Var, Rat)>, Rat> = BTreeMap::new();
    let bound = |f: &Formula| match f {
        Formula::Atom(a) if a.rel() == Rel::Le => {
            Some((a.expr().terms().to_vec(), a.expr().constant_part().clone()))
        }
        _ => None,
    };
    for (terms, c) in parts.iter().filter_map(bound) {
        let b = best.entry(terms).or_insert_with(|| c.clone());
        // A larger constant in `e + c <= 0` is stronger.
        if (c > *b) == strongest {
            *b = c;
        }
    }
    parts.retain(|f| bound(f).is_none_or(|(terms, c)| best.get(&terms) == Some(&c)));
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(|v| format!("v{}", v.0)))
    }
}
