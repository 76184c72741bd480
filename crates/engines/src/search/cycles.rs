//! Cycles of a graph: a location on each, and whether threads or stacks grow along it.

/// Facts about the nodes of a graph, by number.
pub(super) struct Cycles {
    /// Is it a cut-point? The targets of back edges of a depth-first walk are: each cycle has one at least.
    pub cut_point: Vec<bool>,
    /// An edge marked as growing is within the node's strongly connected component.
    pub grows: Vec<bool>,
}

const UNSEEN: usize = usize::MAX;

impl Cycles {
    /// For a graph given by the successors of its nodes (Tarjan 1972).
    pub fn new(edges: &[Vec<(usize, bool)>]) -> Cycles {
        let n = edges.len();
        let (mut index, mut low) = (vec![UNSEEN; n], vec![UNSEEN; n]);
        let mut component = vec![UNSEEN; n];
        let (mut on_path, mut stack) = (vec![false; n], Vec::new());
        let mut cut_point = vec![false; n];
        let mut next = 0;
        for root in 0..n {
            if index[root] != UNSEEN {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((v, i)) = path.last_mut() {
                let v = *v;
                if index[v] == UNSEEN {
                    index[v] = next;
                    low[v] = next;
                    next += 1;
                    stack.push(v);
                    on_path[v] = true;
                }
                if let Some((w, _)) = edges[v].get(*i) {
                    *i += 1;
                    if index[*w] == UNSEEN {
                        path.push((*w, 0));
                    } else {
                        cut_point[*w] |= on_path[*w];
                        if component[*w] == UNSEEN {
                            low[v] = low[v].min(index[*w]);
                        }
                    }
                    continue;
                }
                path.pop();
                on_path[v] = false;
                if let Some((u, _)) = path.last() {
                    low[*u] = low[*u].min(low[v]);
                }
                if low[v] == index[v] {
                    while let Some(w) = stack.pop() {
                        component[w] = v;
                        if w == v {
                            break;
                        }
                    }
                }
            }
        }
        let mut growing = vec![false; n];
        for (v, list) in edges.iter().enumerate() {
            for (w, grows) in list {
                if *grows && component[v] == component[*w] {
                    growing[component[v]] = true;
                }
            }
        }
        Cycles { grows: component.iter().map(|c| growing[*c]).collect(), cut_point }
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
