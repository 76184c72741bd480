//! Cubes: conjunctions of atoms.

use crate::{Atom, LinExpr, Norm, Rat, Var};
use rustc_hash::FxHashMap;

/// A conjunction of atoms, sorted and without repetition, or `false`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cube {
    /// Sorted, each once; empty where `contradiction` is set.
    atoms: Vec<Atom>,
    /// The cube is `false` by its form. Atoms may contradict each other without it.
    contradiction: bool,
}

impl Default for Cube {
    fn default() -> Cube {
        Cube::top()
    }
}

impl Cube {
    /// The cube `true`: no atoms.
    pub fn top() -> Cube {
        Cube { atoms: Vec::new(), contradiction: false }
    }
    /// The cube `false`: no atoms, and a mark. A cube with contradicting atoms is another one, and not equal to it.
    pub fn bottom() -> Cube {
        Cube { atoms: Vec::new(), contradiction: true }
    }
    /// The conjunction of what normalising gave.
    pub fn of(norms: impl IntoIterator<Item = Norm>) -> Cube {
        let mut atoms = Vec::new();
        for n in norms {
            match n {
                Norm::True => {}
                Norm::False => return Cube::bottom(),
                Norm::Atom(a) => atoms.push(a),
            }
        }
        Cube::sorted(atoms)
    }
    /// Adds a conjunct where its order puts it; `false` replaces all that was there.
    pub fn push(&mut self, n: Norm) {
        match n {
            Norm::True => {}
            Norm::False => *self = Cube::bottom(),
            Norm::Atom(a) if !self.contradiction => {
                if let Err(i) = self.atoms.binary_search(&a) {
                    self.atoms.insert(i, a);
                }
            }
            Norm::Atom(_) => {}
        }
    }
    /// The conjunction of two cubes.
    pub fn and(&self, other: &Cube) -> Cube {
        if self.contradiction || other.contradiction {
            return Cube::bottom();
        }
        Cube::sorted(self.atoms.iter().chain(&other.atoms).cloned().collect())
    }
    fn sorted(mut atoms: Vec<Atom>) -> Cube {
        atoms.sort();
        atoms.dedup();
        Cube { atoms, contradiction: false }
    }
    /// The variables of all atoms, each once, ascending.
    pub fn vars(&self) -> Vec<Var> {
        let mut vars: Vec<Var> = self.atoms.iter().flat_map(|a| a.vars()).collect();
        vars.sort();
        vars.dedup();
        vars
    }
    /// The atoms that are linked to some variables, by those or by variables of other such atoms. What is left out can
    /// hold or not whatever these variables are.
    pub fn around(&self, vars: impl IntoIterator<Item = Var>) -> Cube {
        if self.contradiction {
            return Cube::bottom();
        }
        let mut of: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        for (i, a) in self.atoms.iter().enumerate() {
            a.vars().for_each(|v| of.entry(v).or_default().push(i));
        }
        let mut todo: Vec<Var> = vars.into_iter().collect();
        let mut linked = Vec::new();
        while let Some(v) = todo.pop() {
            for i in of.remove(&v).unwrap_or_default() {
                linked.push(i);
                todo.extend(
                    self.atoms.get(i).into_iter().flat_map(|a| a.vars()).filter(|w| of.contains_key(w)),
                );
            }
        }
        linked.sort_unstable();
        linked.dedup();
        let atoms = linked.into_iter().filter_map(|i| self.atoms.get(i).cloned()).collect();
        Cube { atoms, contradiction: false }
    }
    /// Does it hold where every variable has the given value?
    pub fn holds(&self, value: impl Fn(Var) -> Rat) -> bool {
        !self.contradiction && self.atoms.iter().all(|a| a.holds(&value))
    }
    /// The atoms; none for both `true` and `false`.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }
    /// Is it `true` by its form?
    pub fn is_top(&self) -> bool {
        self.atoms.is_empty() && !self.contradiction
    }
    /// Is it `false` by its form? (An unsatisfiable cube need not be.)
    pub fn is_bottom(&self) -> bool {
        self.contradiction
    }
    /// Every variable replaced at once; `None` keeps it.
    pub fn subst(&self, f: impl Fn(Var) -> Option<LinExpr>) -> Cube {
        if self.contradiction {
            return Cube::bottom();
        }
        Cube::of(self.atoms.iter().map(|a| a.subst(&f)))
    }
    /// Variables renamed by an injective map.
    pub fn rename(&self, f: impl Fn(Var) -> Var) -> Cube {
        if self.contradiction {
            return Cube::bottom();
        }
        Cube::sorted(self.atoms.iter().map(|a| a.rename(&f)).collect())
    }
    /// Text as C has it: atoms joined by `&&`, `1` for true, `0` for false.
    pub fn display(&self, name: impl Fn(Var) -> String + Copy) -> String {
        if self.contradiction {
            return "0".into();
        }
        if self.atoms.is_empty() {
            return "1".into();
        }
        self.atoms.iter().map(|a| a.display(name)).collect::<Vec<_>>().join(" && ")
    }
}
