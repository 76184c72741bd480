//! Cycles of a graph: a location on each, and whether threads or stacks grow along it.

use relyant_cfa::strong::components;

/// Facts about the nodes of a graph, by number.
pub(super) struct Cycles {
    /// Is it a cut-point? The targets of back edges of a depth-first walk are: each cycle has one at least.
    pub cut_point: Vec<bool>,
    /// An edge marked as growing is within the node's strongly connected component.
    pub grows: Vec<bool>,
}

impl Cycles {
    /// For a graph given by the successors of its nodes.
    pub fn new(edges: &[Vec<(usize, bool)>]) -> Cycles {
        let n = edges.len();
        let (mut seen, mut on_path) = (vec![false; n], vec![false; n]);
        let mut cut_point = vec![false; n];
        for root in 0..n {
            if seen[root] {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((v, i)) = path.last_mut() {
                seen[*v] = true;
                on_path[*v] = true;
                match edges[*v].get(*i) {
                    Some(&(w, _)) => {
                        *i += 1;
                        cut_point[w] |= on_path[w];
                        if !seen[w] {
                            path.push((w, 0));
                        }
                    }
                    None => {
                        on_path[*v] = false;
                        path.pop();
                    }
                }
            }
        }
        let next: Vec<Vec<usize>> = edges.iter().map(|list| list.iter().map(|e| e.0).collect()).collect();
        let mut grows = vec![false; n];
        for component in components(&next) {
            let inside = |(w, grows): &(usize, bool)| *grows && component.binary_search(w).is_ok();
            if component.iter().any(|v| edges[*v].iter().any(inside)) {
                component.iter().for_each(|v| grows[*v] = true);
            }
        }
        Cycles { grows, cut_point }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_has_a_cut_point() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3 -> 3, 4 -> 0
        let edges = [
            vec![(1, true)],
            vec![(2, false)],
            vec![(1, true), (3, false)],
            vec![(3, false)],
            vec![(0, true)],
        ];
        let c = Cycles::new(&edges);
        assert_eq!(c.cut_point, [false, true, false, true, false]);
        assert_eq!(c.grows, [false, true, true, false, false]);
    }

    #[test]
    fn without_cycles_there_is_none() {
        let c = Cycles::new(&[vec![(1, true), (2, true)], vec![(2, true)], vec![]]);
        assert_eq!((c.cut_point, c.grows), (vec![false; 3], vec![false; 3]));
    }
}
