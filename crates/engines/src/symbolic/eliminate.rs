//! Cubes kept small, and symbols taken out of them where that loses nothing over the integers.

use relyant_linear::{Atom, Closed, Cube, LinExpr, Norm, Rat, Rel, Satisfiable, Var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Constraints that taking out one symbol may write.
const MOST_WRITTEN: usize = 12;
/// Above so many atoms a cube is not searched for redundant ones.
const MOST_TIDIED: usize = 40;
/// Cubes that are remembered; with more, all are forgotten.
const MEMORY: usize = 200_000;

/// Tidied cubes, remembered: few different ones make up many states.
#[derive(Default)]
pub struct Tidy {
    /// What was found of each cube; `None`: no integer solution.
    known: FxHashMap<Cube, Option<Arc<Cube>>>,
    /// Cubes looked at in earnest so far.
    pub work: u64,
}

impl Tidy {
    /// The same condition without redundant atoms, with its implied equalities as such; `None` if it has no integer
    /// solution. A cube that can't be decided is taken to have one.
    pub fn tidy(&mut self, cube: &Cube) -> Option<Arc<Cube>> {
        if let Some(known) = self.known.get(cube) {
            return known.clone();
        }
        if self.known.len() >= MEMORY {
            self.known.clear();
        }
        self.work += 1;
        let new = tidy(cube).map(Arc::new);
        self.known.insert(cube.clone(), new.clone());
        new
    }
}

fn tidy(cube: &Cube) -> Option<Cube> {
    let atoms = strongest(cube)?;
    let whole = Cube::of(atoms.iter().cloned().map(Norm::Atom));
    if matches!(whole.sat_int(), Satisfiable::Unsat) {
        return None;
    }
    if atoms.len() < 2 || atoms.len() > MOST_TIDIED {
        return Some(whole);
    }
    // Equalities that follow: an inequality whose opposite is implied.
    let mut closed = Closed::new(&whole);
    let tight = |a: Atom| match Atom::eq(a.expr()) {
        Norm::Atom(e) if a.rel() == Rel::Le && closed.entails_rational(&e) => e,
        _ => a,
    };
    let mut atoms: Vec<Atom> = atoms.into_iter().map(tight).collect();
    atoms.sort();
    atoms.dedup();
    // Longest first: bounds of single symbols are kept rather than what follows from them.
    atoms.sort_by_key(|a| (a.rel() == Rel::Eq, std::cmp::Reverse(a.expr().terms().len())));
    let mut i = 0;
    while i < atoms.len() {
        let others = atoms.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, a)| Norm::Atom(a.clone()));
        if Cube::of(others).entails_rational(&atoms[i]) {
            atoms.remove(i);
        } else {
            i += 1;
        }
    }
    Some(Cube::of(atoms.into_iter().map(Norm::Atom)))
}

/// The strongest bound for each sum of terms; two that meet are an equality. `None` if two contradict.
fn strongest(cube: &Cube) -> Option<Vec<Atom>> {
    if cube.is_bottom() {
        return None;
    }
    let mut out: Vec<Atom> = Vec::new();
    for a in cube.atoms() {
        let same = |b: &&mut Atom| b.rel() == Rel::Le && b.expr().terms() == a.expr().terms();
        match out.iter_mut().find(same).filter(|_| a.rel() == Rel::Le) {
            Some(b) if b.expr().constant_part() < a.expr().constant_part() => *b = a.clone(),
            Some(_) => {}
            None => out.push(a.clone()),
        }
    }
    let mut met = Vec::new();
    for (i, a) in out.iter().enumerate().filter(|(_, a)| a.rel() == Rel::Le) {
        for b in out[i + 1..].iter().filter(|b| b.rel() == Rel::Le) {
            let sum = a.expr().add(b.expr());
            if sum.is_constant() && !sum.constant_part().is_negative() {
                if sum.constant_part().is_positive() {
                    return None;
                }
                met.push(a.expr().clone());
            }
        }
    }
    if met.is_empty() {
        return Some(out);
    }
    out.retain(|a| !met.iter().any(|m| m == a.expr() || m.negated() == *a.expr()));
    for m in met {
        match Atom::eq(&m) {
            Norm::Atom(a) => out.push(a),
            Norm::True => {}
            Norm::False => return None,
        }
    }
    Some(out)
}

/// An equality solved for a symbol with coefficient 1 or -1, the one of highest rank.
pub fn solve<R: Ord>(cube: &Cube, rank: impl Fn(Var) -> R) -> Option<(Var, LinExpr)> {
    let equalities = cube.atoms().iter().filter(|a| a.rel() == Rel::Eq);
    let terms = equalities.flat_map(|a| a.expr().terms().iter().map(move |t| (a, t.0, &t.1)));
    let (a, s, k) = terms.filter(|(_, _, k)| k.abs().is_one()).max_by_key(|(_, s, _)| rank(*s))?;
    Some((s, solved(a.expr(), s, k)))
}

/// `e = 0` as a value of `s`, whose coefficient `k` is 1 or -1.
pub fn solved(e: &LinExpr, s: Var, k: &Rat) -> LinExpr {
    e.add_scaled(&LinExpr::var(s), &-k).scale(&-k)
}

/// The cube without one of the symbols: exactly what it says of the others, over the integers (Fourier and Motzkin,
/// where all lower or all upper bounds have coefficient 1). `None` where that is not possible.
pub fn eliminate(cube: &Cube, gone: &[Var]) -> Option<Cube> {
    gone.iter().find_map(|s| without(cube, *s))
}

fn without(cube: &Cube, s: Var) -> Option<Cube> {
    let (mut lower, mut upper, mut out) = (Vec::new(), Vec::new(), Cube::top());
    for a in cube.atoms() {
        let k = a.expr().coeff(s);
        if k.is_zero() {
            out.push(Norm::Atom(a.clone()));
        } else if a.rel() == Rel::Eq {
            return None;
        } else if k.is_negative() {
            lower.push((a.expr(), -&k));
        } else {
            upper.push((a.expr(), k));
        }
    }
    let one_sided = lower.is_empty() || upper.is_empty();
    let unit = |side: &[(&LinExpr, Rat)]| side.iter().all(|b| b.1.is_one());
    if !one_sided && !unit(&lower) && !unit(&upper) || lower.len() * upper.len() > MOST_WRITTEN {
        return None;
    }
    for (l, b) in &lower {
        for (u, a) in &upper {
            out.push(Atom::le(&l.scale(a).add_scaled(u, b)));
        }
    }
    Some(out)
}
