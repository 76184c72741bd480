//! Strongly connected components, nested: the loops of an automaton.

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
    // Region of each location: a number that the locations under study share.
    let mut region = vec![0u32; n];
    let mut regions = 0u32;
    let mut marks = Marks { index: vec![u32::MAX; n], low: vec![0; n], on_stack: vec![false; n] };
    let mut work: Vec<(Vec<u32>, Option<usize>)> = vec![((0..n as u32).collect(), None)];
    while let Some((locations, parent)) = work.pop() {
        regions += 1;
        for l in &locations {
            region[*l as usize] = regions;
        }
        for mut body in marks.components(&locations, &next, &region, regions) {
            let cyclic = body.len() > 1 || next[body[0] as usize].contains(&body[0]);
            if !cyclic {
                continue;
            }
            body.sort_unstable();
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

/// Tarjan's marks; used again for each region.
struct Marks {
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
}

impl Marks {
    /// Strongly connected components within a region, by Tarjan's algorithm.
    fn components(
        &mut self,
        locations: &[u32],
        next: &[Vec<u32>],
        region: &[u32],
        here: u32,
    ) -> Vec<Vec<u32>> {
        for l in locations {
            self.index[*l as usize] = u32::MAX;
        }
        let (mut stack, mut out, mut count) = (Vec::new(), Vec::new(), 0u32);
        for &root in locations {
            if self.index[root as usize] != u32::MAX {
                continue;
            }
            let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some((v, mut i)) = calls.pop() {
                let at = v as usize;
                if i == 0 {
                    self.index[at] = count;
                    self.low[at] = count;
                    count += 1;
                    stack.push(v);
                    self.on_stack[at] = true;
                }
                let mut child = None;
                while let (None, Some(&w)) = (child, next[at].get(i)) {
                    i += 1;
                    if region[w as usize] != here {
                        continue;
                    }
                    if self.index[w as usize] == u32::MAX {
                        child = Some(w);
                    } else if self.on_stack[w as usize] {
                        self.low[at] = self.low[at].min(self.index[w as usize]);
                    }
                }
                if let Some(w) = child {
                    calls.push((v, i));
                    calls.push((w, 0));
                    continue;
                }
                if self.low[at] == self.index[at] {
                    let mut c = Vec::new();
                    while let Some(w) = stack.pop() {
                        self.on_stack[w as usize] = false;
                        c.push(w);
                        if w == v {
                            break;
                        }
                    }
                    out.push(c);
                }
                if let Some((u, _)) = calls.last() {
                    let u = *u as usize;
                    self.low[u] = self.low[u].min(self.low[at]);
                }
            }
        }
        out
    }
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
