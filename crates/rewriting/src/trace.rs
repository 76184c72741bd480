//! A rewrite sequence of ground terms from steps of narrowing: values of the last term's variables are carried back.

use super::bounds::{Bounds, Difference};
use super::ground::Ground;
use super::narrow::{RULE, Rules, Step, natural};
use super::term::{Arena, TermId, Var};
use crate::timbuk::System;
use rustc_hash::FxHashMap;

/// A rewrite step of a ground term.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// Place of the rule among all.
    pub rule: usize,
    /// Values of the rule's variables; a variable it does not have may have one too.
    pub values: Vec<Ground>,
    /// The arguments of an AC operator that the rule leaves alone.
    pub rest: Option<Ground>,
    /// The term after it.
    pub after: Ground,
}

/// A rewrite sequence from an initial term to a bad one.
#[derive(Clone, Debug)]
pub struct Path {
    /// Place of the initial pattern.
    pub pattern: usize,
    /// Values of its variables.
    pub values: Vec<Ground>,
    /// The initial term that it begins with.
    pub start: Ground,
    /// Its steps, in order.
    pub moves: Vec<Rewrite>,
    /// The automaton that accepts the last term.
    pub automaton: String,
}

/// Makes the steps ground; the first of them makes the initial term. `values` are those of the last term's variables;
/// variables that nothing binds become `any`. `None` when numbers are too large.
pub fn ground(
    system: &System,
    rules: &Rules,
    arena: &mut Arena,
    (pattern, steps): (usize, &[Step]),
    mut values: Vec<TermId>,
    any: Option<TermId>,
) -> Option<Path> {
    let vars = system.vars.len() as Var;
    let mut moves = Vec::new();
    for pair in steps.windows(2).rev() {
        let (before, step) = (&pair[0], &pair[1]);
        let after = arena.rename(step.next.term, &|v| values.get(v as usize).copied());
        let after = Ground::from_arena(arena, after)?;
        let env = environment(step, &values, arena)?;
        let mut value = |v: Var| {
            let t = arena.var(v);
            let t = arena.apply(t, &step.solution.subst);
            arena.rename(t, &|v| env.get(&v).copied().or(any))
        };
        let bound: Vec<TermId> = (RULE..RULE + vars).map(&mut value).collect();
        let rest = step.extended.then(|| value(rules.rest));
        values = (0..before.names.len() as Var).map(&mut value).collect();
        let rest = match rest {
            Some(t) => Some(Ground::from_arena(arena, t)?),
            None => None,
        };
        moves.push(Rewrite { rule: step.rule, values: grounds(arena, &bound)?, rest, after });
    }
    moves.reverse();
    let first = steps.first()?;
    let start = arena.rename(first.next.term, &|v| values.get(v as usize).copied());
    let env = environment(first, &values, arena)?;
    let bound: Vec<TermId> =
        (RULE..RULE + vars).map(|v| env.get(&v).copied().or(any)).collect::<Option<_>>().unwrap_or_default();
    Some(Path {
        pattern,
        values: grounds(arena, &bound)?,
        start: Ground::from_arena(arena, start)?,
        moves,
        automaton: String::new(),
    })
}

fn grounds(arena: &Arena, terms: &[TermId]) -> Option<Vec<Ground>> {
    terms.iter().map(|t| Ground::from_arena(arena, *t)).collect()
}

/// Values of a step's variables, where its result's variables have these; the least ones for naturals that the result
/// does not have.
fn environment(step: &Step, values: &[TermId], arena: &mut Arena) -> Option<FxHashMap<Var, TermId>> {
    let mut env: FxHashMap<Var, TermId> = step.names.iter().copied().zip(values.iter().copied()).collect();
    let mut list: Vec<Difference> = step.bounds.list().collect();
    let least = arena.first().map_or(0, |f| f.1);
    for (i, v) in step.naturals.iter().enumerate() {
        if let Some(t) = env.get(v) {
            let (None, n) = natural(arena, *t, least, 0).ok()? else { return None };
            list.extend([(i + 1, 0, n as i64), (0, i + 1, -(n as i64))]);
        }
    }
    let model = Bounds::close(step.naturals.len(), least as i64, &list).ok()??.model();
    for (v, n) in step.naturals.iter().zip(model) {
        let t = arena.natural(u64::try_from(n).ok()?)?;
        env.insert(*v, t);
    }
    Some(env)
}
