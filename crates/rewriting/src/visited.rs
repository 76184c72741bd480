//! The terms seen so far, modulo renaming and subsumption.

use super::narrow::{Config, RULE, natural};
use super::term::{Arena, TermId};
use super::unify::{Solution, Unifier};
use rustc_hash::FxHashMap;

/// The most terms one is compared with; more would be slow, and fewer is sound.
const CANDIDATES: usize = 64;

/// Terms by number, in the order in which they came.
#[derive(Default)]
pub struct Visited {
    /// By number; each was no instance of one before it.
    pub configs: Vec<Config>,
    exact: FxHashMap<Config, u32>,
    /// Those whose variables are naturals, by skeleton.
    by_skeleton: FxHashMap<TermId, Vec<u32>>,
    /// Those with other variables.
    general: Vec<u32>,
}

impl Visited {
    /// Adds a configuration if it is no instance of one that is there; its number.
    pub fn add(&mut self, c: &Config, arena: &mut Arena) -> Option<u32> {
        if self.covers(c, arena) {
            return None;
        }
        let n = self.configs.len() as u32;
        if !arena.ground(c.term) {
            let mut other = false;
            arena.each_var(c.term, &mut |v| other |= c.naturals.binary_search(&v).is_err());
            if other {
                self.general.push(n);
            } else {
                let skeleton = arena.skeleton(c.term);
                self.by_skeleton.entry(skeleton).or_default().push(n);
            }
        }
        self.exact.insert(c.clone(), n);
        self.configs.push(c.clone());
        Some(n)
    }
    /// Is it an instance of one that is there? "No" may be wrong.
    pub fn covers(&self, c: &Config, arena: &mut Arena) -> bool {
        if self.exact.contains_key(c) {
            return true;
        }
        if self.by_skeleton.is_empty() && self.general.is_empty() {
            return false;
        }
        let skeleton = arena.skeleton(c.term);
        let same = self.by_skeleton.get(&skeleton).map_or(&[][..], Vec::as_slice);
        let last = |list: &[u32]| list.iter().rev().take(CANDIDATES).copied().collect::<Vec<u32>>();
        last(same)
            .into_iter()
            .chain(last(&self.general))
            .any(|n| is_instance(c, &self.configs[n as usize], arena))
    }
}

/// Are all instances of `c` instances of `d`? "No" may be wrong.
pub fn is_instance(c: &Config, d: &Config, arena: &mut Arena) -> bool {
    let mut count = 0;
    arena.each_var(d.term, &mut |v| count = count.max(v + 1));
    let apart: Vec<TermId> = (0..count).map(|v| arena.var(RULE + v)).collect();
    let pattern = arena.rename(d.term, &|v| apart.get(v as usize).copied());
    let naturals = c.naturals.iter().copied().chain(d.naturals.iter().map(|v| RULE + v)).collect();
    let solutions =
        Unifier::new(arena, RULE).solve(c.term, pattern, Solution { naturals, ..Solution::default() });
    let least = arena.first().map_or(0, |f| f.1);
    solutions.iter().any(|s| {
        let mut values = vec![(0, 0)];
        for v in &d.naturals {
            let t = arena.apply(apart[*v as usize], &s.subst);
            let Ok((var, n)) = natural(arena, t, least, 0) else { return false };
            let place = match var.map(|v| c.naturals.binary_search(&v)) {
                None => 0,
                Some(Ok(i)) => i + 1,
                Some(Err(_)) => return false,
            };
            values.push((place, n as i64));
        }
        d.bounds.list().all(|(i, j, k)| {
            let ((a, m), (b, n)) = (values[i], values[j]);
            let least = if a == b { 0 } else { c.bounds.at(a, b) };
            // no bound is the largest number
            least <= k - m + n
        })
    })
}
