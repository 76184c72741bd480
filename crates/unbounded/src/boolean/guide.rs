//! From a path of sets to a path of states: a search that follows it step by step.

use crate::counter::symbolic::Sets;
use relyant_finite::boolean::machine::TooMany;
use relyant_finite::boolean::program::Stmt;
use relyant_finite::boolean::template::Threads;
use relyant_finite::moves::{Interleaving, RunStep, Template};
use rustc_hash::FxHashMap;

/// States that are followed at the same time.
const WIDTH: usize = 20_000;

/// A state with the numbers of its threads, and where it comes from.
struct RunNode {
    shared: u32,
    /// By thread, in order of creation: its local state's number; `None` once it has ended.
    threads: Vec<Option<u32>>,
    from: Option<(usize, RunStep)>,
}

/// A path through the program's states along one of sets; `None` if none was found among those that were followed.
pub fn along(
    threads: &mut Threads,
    sets: &Sets,
    path: &Interleaving,
) -> Result<Option<Interleaving>, TooMany> {
    let mut nodes: Vec<RunNode> = Vec::new();
    for (shared, local) in threads.initial()?.into_iter().take(WIDTH) {
        nodes.push(RunNode { shared, threads: vec![Some(local)], from: None });
    }
    let mut layer = 0..nodes.len();
    // The same threads as sets.
    let mut places = vec![Some(path.start.1)];
    for step in &path.steps {
        let Some(t) = places.iter().position(|p| *p == Some(step.local)) else { return Ok(None) };
        let wanted = step.step.local.map(|l| sets.source(l));
        let mut seen: FxHashMap<(u32, Vec<Option<u32>>), ()> = FxHashMap::default();
        let first = nodes.len();
        for i in layer.clone() {
            let (shared, Some(Some(local))) = (nodes[i].shared, nodes[i].threads.get(t).copied()) else {
                continue;
            };
            for m in threads.moves(shared, local)?.iter() {
                if m.failed != step.step.failed || nodes.len() - first >= WIDTH {
                    continue;
                }
                let frame = m.local.and_then(|l| threads.locals.get(l)).and_then(|t| t.frames.last());
                let fits = match (wanted, frame) {
                    (None, None) => true,
                    // Sets end threads where nothing is left to do.
                    (None, Some(f)) => {
                        matches!(threads.machine().program().node(f.node).stmt, Stmt::Return(_) | Stmt::End)
                    }
                    (Some(node), Some(f)) => node == Some(f.node),
                    (Some(_), None) => false,
                };
                if !fits {
                    continue;
                }
                let mut all = nodes[i].threads.clone();
                all[t] = m.local;
                all.extend(m.spawned.map(Some));
                if seen.insert((m.shared, all.clone()), ()).is_none() {
                    let from = Some((i, RunStep { local, step: m.clone() }));
                    nodes.push(RunNode { shared: m.shared, threads: all, from });
                }
            }
        }
        layer = first..nodes.len();
        places[t] = step.step.local;
        places.extend(step.step.spawned.map(Some));
    }
    let mut steps = Vec::new();
    let Some(mut at) = layer.clone().next().and_then(|i| nodes.get(i)) else { return Ok(None) };
    while let Some((i, step)) = &at.from {
        steps.push(step.clone());
        at = &nodes[*i];
    }
    steps.reverse();
    let start = (at.shared, at.threads.first().copied().flatten().unwrap_or(0));
    Ok(Some(Interleaving { start, steps }))
}
