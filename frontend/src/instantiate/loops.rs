//! Strongly connected components, nested: the loops of an automaton.

use relyant_cfa::strong;
use relyant_cfa::{Edge, Graph, Loc};

/// A loop: locations that reach each other, and where it is entered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    /// Its locations, sorted; those of inner loops among them.
    pub(crate) body: Vec<Loc>,
    /// Index of the loop around it, less than its own; `None` for an outermost one.
    pub(crate) parent: Option<usize>,
}

/// All loops, each after the one around it. An inner loop is a component of the outer one without its entries.
pub(crate) fn loops(graph: &Graph, entry: Loc) -> Vec<Loop> {
    let n = graph.locations.len();
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut previous: Vec<Vec<u32>> = vec![Vec::new(); n];
    for e in &graph.edges {
        next[e.from.0 as usize].push(e.to.0);
        previous[e.to.0 as usize].push(e.from.0);
    }
    let mut found: Vec<Loop> = Vec::new();
    // By location: its place in the list of those under study, if it is one of them.
    let mut place = vec![0; n];
    let mut work: Vec<(Vec<u32>, Option<usize>)> = vec![((0..n as u32).collect(), None)];
    while let Some((locations, parent)) = work.pop() {
        for body in components(&locations, &next, &mut place) {
            let cyclic = body.len() > 1 || next[body[0] as usize].contains(&body[0]);
            if !cyclic {
                continue;
            }
            let inside = |l: u32| body.binary_search(&l).is_ok();
            let rest: Vec<u32> = body
                .iter()
                .copied()
                .filter(|l| *l != entry.0 && previous[*l as usize].iter().all(|p| inside(*p)))
                .collect();
            found.push(Loop { body: body.iter().map(|l| Loc(*l)).collect(), parent });
            // A component nobody enters from outside cannot be reached.
            if rest.len() < body.len() {
                work.push((rest, Some(found.len() - 1)));
            }
        }
    }
    found
}

/// Strongly connected components of some locations, sorted as these are.
fn components(locations: &[u32], next: &[Vec<u32>], place: &mut [usize]) -> Vec<Vec<u32>> {
    for (k, l) in locations.iter().enumerate() {
        place[*l as usize] = k;
    }
    let inside = |l: &u32| Some(place[*l as usize]).filter(|k| locations.get(*k) == Some(l));
    let next: Vec<Vec<usize>> =
        locations.iter().map(|l| next[*l as usize].iter().filter_map(inside).collect()).collect();
    let named = |c: Vec<usize>| c.into_iter().map(|k| locations[k]).collect();
    strong::components(&next).into_iter().map(named).collect()
}

/// Reverse postorder: each location's place, `u32::MAX` if it cannot be reached. Loops aside, edges lead upwards.
pub(crate) fn order(graph: &Graph, out: &[Vec<usize>], entry: Loc) -> Vec<u32> {
    let mut seen = vec![false; graph.locations.len()];
    let mut postorder = Vec::new();
    let mut calls = vec![(entry, 0usize)];
    seen[entry.0 as usize] = true;
    while let Some((l, i)) = calls.pop() {
        match out[l.0 as usize].get(i) {
            Some(&e) => {
                calls.push((l, i + 1));
                let to = graph.edges[e].to;
                if !std::mem::replace(&mut seen[to.0 as usize], true) {
                    calls.push((to, 0));
                }
            }
            None => postorder.push(l),
        }
    }
    let mut place = vec![u32::MAX; graph.locations.len()];
    for (k, l) in postorder.iter().rev().enumerate() {
        place[l.0 as usize] = k as u32;
    }
    place
}

/// The locations that can be reached from one, itself included only if it lies on a cycle.
pub(crate) fn reachable(graph: &Graph, out: &[Vec<usize>], from: Loc) -> Vec<bool> {
    spread(graph, out, from, |e| e.to)
}

/// The locations from which one can be reached, itself included only if it lies on a cycle.
pub(crate) fn reaching(graph: &Graph, into: &[Vec<usize>], to: Loc) -> Vec<bool> {
    spread(graph, into, to, |e| e.from)
}

fn spread(graph: &Graph, edges: &[Vec<usize>], from: Loc, next: impl Fn(&Edge) -> Loc) -> Vec<bool> {
    let mut seen = vec![false; graph.locations.len()];
    let mut work = vec![from];
    while let Some(l) = work.pop() {
        for &e in &edges[l.0 as usize] {
            let to = next(&graph.edges[e]);
            if !std::mem::replace(&mut seen[to.0 as usize], true) {
                work.push(to);
            }
        }
    }
    seen
}

/// Which edges lie on a cycle.
pub(crate) fn cyclic(graph: &Graph, entry: Loc) -> Vec<bool> {
    let mut outermost = vec![None; graph.locations.len()];
    for (i, l) in loops(graph, entry).iter().enumerate().filter(|(_, l)| l.parent.is_none()) {
        l.body.iter().for_each(|at| outermost[at.0 as usize] = Some(i));
    }
    let inside =
        |e: &Edge| outermost[e.from.0 as usize].is_some_and(|i| outermost[e.to.0 as usize] == Some(i));
    graph.edges.iter().map(inside).collect()
}
