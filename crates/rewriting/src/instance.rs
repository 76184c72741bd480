//! Does a term with variables have a ground instance that an automaton accepts? BNRT theorem 3.1: it has exactly when
//! some choice of a state for each variable leads to a final one, as the automaton is deterministic.
//!
//! Naturals are bounded, so a choice is more than a state: the naturals' states repeat with a period p from some
//! number on, and a value is `p k + r`. All of them have the same p, which leaves differences of the k.

use super::automaton::{Automaton, StateId};
use super::bounds::{Bounds, TooLarge};
use super::gap::Undecided;
use super::narrow::Config;
use super::term::{Arena, TermId};

/// Choices for one term.
const FUEL: u32 = 20_000;

/// What a variable may be.
#[derive(Clone, Copy)]
struct Choice {
    state: StateId,
    /// For a natural: its least value, and whether that is its only one.
    value: (i64, bool),
}

struct Search<'a> {
    automaton: &'a mut Automaton,
    arena: &'a mut Arena,
    config: &'a Config,
    /// By variable; with the place among the naturals.
    choices: Vec<(Option<usize>, Vec<Choice>)>,
    chosen: Vec<Choice>,
    period: i64,
    fuel: u32,
}

/// Values of the term's variables in their order that make it a term the automaton accepts.
pub fn find(
    automaton: &mut Automaton,
    config: &Config,
    arena: &mut Arena,
) -> Result<Option<Vec<TermId>>, Undecided> {
    if arena.ground(config.term) {
        let q = automaton.run(config.term, arena);
        return Ok(automaton.is_final(q).then(Vec::new));
    }
    let mut count = 0;
    arena.each_var(config.term, &mut |v| count = count.max(v + 1));
    let least = arena.first().map_or(0, |f| f.1) as i64;
    let (states, again) = automaton.naturals();
    let (states, period) = (states.to_vec(), (states.len() - again.min(states.len())).max(1));
    let choices = (0..count)
        .map(|v| match config.naturals.binary_search(&v) {
            Ok(i) => {
                let natural =
                    |(k, q): (usize, &StateId)| Choice { state: *q, value: (least + k as i64, k < again) };
                (Some(i), states.iter().enumerate().map(natural).collect())
            }
            Err(_) => (None, automaton.states().map(|state| Choice { state, value: (0, false) }).collect()),
        })
        .collect();
    let mut s =
        Search { automaton, arena, config, choices, chosen: Vec::new(), period: period as i64, fuel: FUEL };
    s.choose()
}

impl Search<'_> {
    fn choose(&mut self) -> Result<Option<Vec<TermId>>, Undecided> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Undecided::Choices)?;
        let var = |v: u32| match self.chosen.get(v as usize) {
            Some(c) => vec![c.state],
            None => self.choices[v as usize].1.iter().map(|c| c.state).collect(),
        };
        let reach = self.automaton.reach(self.config.term, self.arena, &var);
        if !reach.into_iter().any(|q| self.automaton.is_final(q)) {
            return Ok(None);
        }
        let Some(values) = self.values()? else { return Ok(None) };
        if self.chosen.len() == self.choices.len() {
            let terms = self.choices.iter().zip(&self.chosen).map(|((natural, _), c)| match natural {
                Some(i) => u64::try_from(values[*i])
                    .ok()
                    .and_then(|n| self.arena.natural(n))
                    .ok_or(Undecided::TooLarge),
                None => Ok(self.automaton.witness(c.state)),
            });
            return terms.collect::<Result<Vec<TermId>, _>>().map(Some);
        }
        for k in 0..self.choices[self.chosen.len()].1.len() {
            let c = self.choices[self.chosen.len()].1[k];
            self.chosen.push(c);
            if let Some(found) = self.choose()? {
                return Ok(Some(found));
            }
            self.chosen.pop();
        }
        Ok(None)
    }

    /// Values of the naturals that are within their bounds and in the states chosen so far. While some are not
    /// chosen, their bounds count only if that is exact without a choice.
    fn values(&self) -> Result<Option<Vec<i64>>, TooLarge> {
        let p = self.period;
        let n = self.config.naturals.len();
        // by place among the naturals from 1 on; 0 is the constant 0
        let mut rest: Vec<Option<i64>> = vec![None; n + 1];
        rest[0] = Some(0);
        let mut list = Vec::new();
        for ((natural, _), c) in self.choices.iter().zip(&self.chosen) {
            let Some(i) = natural else { continue };
            let (value, only) = c.value;
            rest[i + 1] = Some(value.rem_euclid(p));
            let k = value.div_euclid(p);
            list.push((0, i + 1, -k));
            if only {
                list.push((i + 1, 0, k));
            }
        }
        if p == 1 {
            rest.iter_mut().for_each(|r| *r = Some(0));
        }
        for (i, j, c) in self.config.bounds.list() {
            if let (Some(a), Some(b)) = (rest[i], rest[j]) {
                list.push((i, j, (c - a + b).div_euclid(p)));
            }
        }
        let Some(b) = Bounds::close(n, 0, &list)? else { return Ok(None) };
        Ok(Some(b.model().iter().zip(&rest[1..]).map(|(k, r)| p * k + r.unwrap_or(0)).collect()))
    }
}
