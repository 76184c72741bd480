//! Negative cycles in a graph of difference bounds. Bellman and Ford's method decides; if there is a
//! cycle, one of least weight is looked for by dynamic programming over the weight, from all vertices
//! at once, within a budget.

use relyant_linear::{Rat, Var};
use rustc_hash::FxHashMap;

/// `to - from <= length`, where `None` is zero. `sign` is -1 for the second half of an equality.
pub(super) struct Edge {
    pub from: Option<Var>,
    pub to: Option<Var>,
    pub length: i128,
    pub weight: u32,
    pub id: usize,
    pub sign: i64,
}

pub(super) enum Cycle {
    /// Edge numbers with multipliers.
    Negative(Vec<(usize, Rat)>),
    /// There is none; values that satisfy all edges.
    None(Vec<(Var, Rat)>),
}

/// Weights are cut to this: the dynamic program has a table for each sum of weights.
const MAX_WEIGHT: usize = 6;
/// Steps of the dynamic program, and entries of its tables.
const BUDGET: usize = 2_000_000;

/// An edge between vertex numbers.
struct Arc {
    from: usize,
    to: usize,
    length: i128,
    weight: usize,
    edge: usize,
}

pub(super) fn search(edges: &[Edge]) -> Cycle {
    let mut index: FxHashMap<Option<Var>, usize> = FxHashMap::default();
    let mut vars: Vec<Option<Var>> = vec![None];
    index.insert(None, 0);
    let mut number = |v: Option<Var>| {
        *index.entry(v).or_insert_with(|| {
            vars.push(v);
            vars.len() - 1
        })
    };
    let arcs: Vec<Arc> = edges
        .iter()
        .enumerate()
        .map(|(edge, e)| Arc {
            from: number(e.from),
            to: number(e.to),
            length: e.length,
            weight: (e.weight as usize).clamp(1, MAX_WEIGHT),
            edge,
        })
        .collect();
    match bellman_ford(vars.len(), &arcs) {
        Ok(d) => Cycle::None(
            vars.iter().zip(&d).filter_map(|(v, x)| Some(((*v)?, Rat::from(*x - d[0])))).collect(),
        ),
        Err(found) => {
            let best = lightest(vars.len(), &arcs).unwrap_or(found);
            let mut sum: Vec<(usize, Rat)> =
                best.iter().map(|&a| (edges[arcs[a].edge].id, Rat::from(edges[arcs[a].edge].sign))).collect();
            sum.sort_by_key(|p| p.0);
            Cycle::Negative(sum)
        }
    }
}

/// Distances from a source tied to every vertex by an edge of length 0, or a negative cycle.
fn bellman_ford(n: usize, arcs: &[Arc]) -> Result<Vec<i128>, Vec<usize>> {
    let mut d = vec![0i128; n];
    let mut by: Vec<Option<usize>> = vec![None; n];
    let mut changed = None;
    for _ in 0..=n {
        changed = None;
        for (i, a) in arcs.iter().enumerate() {
            let through = d[a.from].saturating_add(a.length);
            if through < d[a.to] {
                d[a.to] = through;
                by[a.to] = Some(i);
                changed = Some(a.to);
            }
        }
        if changed.is_none() {
            return Ok(d);
        }
    }
    // A vertex that still changes after n rounds hangs on a cycle: go back n steps to be on it.
    let mut at = changed.unwrap_or(0);
    for _ in 0..n {
        if let Some(i) = by[at] {
            at = arcs[i].from;
        }
    }
    let (start, mut cycle) = (at, Vec::new());
    while let Some(i) = by[at] {
        cycle.push(i);
        at = arcs[i].from;
        if at == start {
            break;
        }
    }
    Err(cycle)
}

/// A negative cycle of least weight; `None` when the budget does not do.
fn lightest(n: usize, arcs: &[Arc]) -> Option<Vec<usize>> {
    let (keep, m) = core(n, arcs);
    let arcs: Vec<(usize, &Arc)> = arcs
        .iter()
        .enumerate()
        .filter(|(_, a)| keep[a.from] != usize::MAX && keep[a.to] != usize::MAX)
        .collect();
    if m * m > BUDGET {
        return None;
    }
    // levels[w][s * m + v]: the shortest walk from s to v of weight w exactly, with its last arc.
    let mut levels: Vec<Vec<(i128, u32)>> = Vec::new();
    let absent = (i128::MAX, u32::MAX);
    let mut first = vec![absent; m * m];
    for s in 0..m {
        first[s * m + s] = (0, u32::MAX);
    }
    levels.push(first);
    let mut spent = 0;
    loop {
        let w = levels.len();
        spent += m * (m + arcs.len());
        if spent > BUDGET || w > m * MAX_WEIGHT {
            return None;
        }
        let mut level = vec![absent; m * m];
        for (i, (_, a)) in arcs.iter().enumerate() {
            let Some(before) = w.checked_sub(a.weight).map(|b| &levels[b]) else { continue };
            let (u, v) = (keep[a.from], keep[a.to]);
            for s in 0..m {
                let d = before[s * m + u].0;
                if d != i128::MAX {
                    let d = d.saturating_add(a.length);
                    if d < level[s * m + v].0 {
                        level[s * m + v] = (d, i as u32);
                    }
                }
            }
        }
        levels.push(level);
        // Of the least weight the most negative: the most slack.
        let best = (0..m).min_by_key(|&s| levels[w][s * m + s].0)?;
        if levels[w][best * m + best].0 < 0 {
            let (mut at, mut left, mut cycle) = (best, w, Vec::new());
            while left > 0 {
                let (i, a) = arcs.get(levels[left][best * m + at].1 as usize)?;
                cycle.push(*i);
                at = keep[a.from];
                left -= a.weight;
            }
            return Some(cycle);
        }
    }
}

/// New numbers for the vertices that have edges both in and out, after the others are gone.
fn core(n: usize, arcs: &[Arc]) -> (Vec<usize>, usize) {
    let mut alive = vec![true; n];
    loop {
        let (mut has_in, mut has_out) = (vec![false; n], vec![false; n]);
        for a in arcs.iter().filter(|a| alive[a.from] && alive[a.to]) {
            has_out[a.from] = true;
            has_in[a.to] = true;
        }
        let mut changed = false;
        for v in 0..n {
            if alive[v] && !(has_in[v] && has_out[v]) {
                alive[v] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let (mut numbers, mut next) = (vec![usize::MAX; n], 0);
    for v in 0..n {
        if alive[v] {
            numbers[v] = next;
            next += 1;
        }
    }
    (numbers, next)
}
