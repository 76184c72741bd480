//! Normal form of symbolic states.
//!
//! Dead variables are forgotten. A variable whose value has a symbol with coefficient 1 or -1 in it takes that symbol
//! for its own (Gauss), so symbols are named by the first variable that has them, whatever they were called before.
//! Equalities of the cube are substituted, and symbols that no value mentions are projected out where that is exact.

use super::eliminate::{Tidy, eliminate, solve, solved};
use super::live::Live;
use super::state::{SymbolicState, Value};
use relyant_linear::{Cube, LinExpr, Var};
use relyant_program::{Loc, Role};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Makes normal forms, and remembers what they need.
pub struct Normal<'a> {
    live: &'a Live,
    /// By locations: which variables are live there.
    live_at: FxHashMap<Arc<[Loc]>, Arc<[bool]>>,
    /// Cubes without redundant atoms.
    pub tidy: Tidy,
}

/// A state under work: symbols that are the value of a variable are its value [`Role::After`], others have their old
/// names.
struct Work<'a> {
    values: Vec<Value>,
    cube: Arc<Cube>,
    tidy: &'a mut Tidy,
}

impl<'a> Normal<'a> {
    /// For a program with these live variables.
    pub fn new(live: &'a Live) -> Normal<'a> {
        Normal { live, live_at: FxHashMap::default(), tidy: Tidy::default() }
    }
    /// By variable: is it live at these locations?
    pub fn live(&mut self, at: &Arc<[Loc]>) -> Arc<[bool]> {
        self.live_at.entry(at.clone()).or_insert_with(|| self.live.at(at).into()).clone()
    }
    /// The normal form; `None` if there is no such state.
    pub fn state(&mut self, at: Arc<[Loc]>, mut values: Vec<Value>, cube: Cube) -> Option<SymbolicState> {
        for (v, live) in values.iter_mut().zip(self.live(&at).iter()) {
            if !live {
                *v = Value::Any;
            }
        }
        let mut w = Work { values, cube: Arc::new(cube), tidy: &mut self.tidy };
        if !w.cube.is_top() || w.values.iter().any(Value::is_symbolic) {
            w.normalise()?;
        }
        let hidden = w.rename();
        Some(SymbolicState { at, values: w.values.into(), cube: w.cube, hidden })
    }
}

/// Is the symbol the value of a variable?
fn is_own(s: Var) -> bool {
    Role::of(s).after().is_some()
}

impl Work<'_> {
    fn normalise(&mut self) -> Option<()> {
        loop {
            self.own();
            self.cube = self.tidy.tidy(&self.cube)?;
            // Symbols of no variable go first, then those of later variables.
            let rank = |s: Var| (!is_own(s), Role::of(s).plain());
            if let Some((s, value)) = solve(&self.cube, rank) {
                self.substitute(s, &value);
                continue;
            }
            let gone = self.unmentioned();
            match eliminate(&self.cube, &gone) {
                Some(cube) => self.cube = Arc::new(cube),
                None => return Some(()),
            }
        }
    }
    /// Variables take symbols for their own.
    fn own(&mut self) {
        for v in 0..self.values.len() {
            let Value::Sum(e) = &self.values[v] else { continue };
            let mut old = e.terms().iter().filter(|(s, k)| !is_own(*s) && k.abs().is_one());
            let Some((s, k)) = old.next().cloned() else { continue };
            let own = Role::After(Var(v as u32)).var();
            // v = k s + rest, so s = k (v - rest).
            let value = solved(&e.sub(&LinExpr::var(own)), s, &k);
            self.substitute(s, &value);
            self.values[v] = Value::symbol(own);
        }
    }
    fn substitute(&mut self, s: Var, value: &LinExpr) {
        for v in &mut self.values {
            if let Value::Sum(e) = v
                && !e.coeff(s).is_zero()
            {
                *v = Value::of(replace(e, s, value));
            }
        }
        if self.cube.atoms().iter().any(|a| a.vars().any(|x| x == s)) {
            self.cube = Arc::new(self.cube.subst(|x| (x == s).then(|| value.clone())));
        }
    }
    /// Symbols of the cube that no value mentions.
    fn unmentioned(&self) -> Vec<Var> {
        let old = self.cube.vars().into_iter().filter(|s| !is_own(*s));
        let mentions = |v: &Value, s: Var| matches!(v, Value::Sum(e) if !e.coeff(s).is_zero());
        old.filter(|s| !self.values.iter().any(|v| mentions(v, *s))).collect()
    }
    /// Gives all symbols their final names; how many are hidden?
    fn rename(&mut self) -> u32 {
        let n = self.values.len() as u32;
        let mut hidden: Vec<Var> = Vec::new();
        let mentioned = self.values.iter().filter_map(|v| match v {
            Value::Sum(e) => Some(e.vars()),
            _ => None,
        });
        for s in mentioned.flatten().chain(self.cube.vars()) {
            if !is_own(s) && !hidden.contains(&s) {
                hidden.push(s);
            }
        }
        let name = |s: Var| match hidden.iter().position(|h| *h == s) {
            Some(k) => Var(n + k as u32),
            None => Role::of(s).plain(),
        };
        for v in &mut self.values {
            if let Value::Sum(e) = v
                && !e.is_constant()
            {
                *v = Value::Sum(Arc::new(e.rename(name)));
            }
        }
        if !self.cube.is_top() {
            self.cube = Arc::new(self.cube.rename(name));
        }
        hidden.len() as u32
    }
}

fn replace(e: &LinExpr, s: Var, value: &LinExpr) -> LinExpr {
    let k = e.coeff(s);
    e.add_scaled(&LinExpr::var(s), &-&k).add_scaled(value, &k)
}
