//! Strongly connected components of graphs whose nodes are numbers.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Strongly connected components of a graph given by the successors of its nodes: each one sorted, and after all those that
/// it leads to. The same graph gives the same order.
///
/// Kosaraju's algorithm and not Tarjan's: petgraph's form of the latter recurses, a frame of the stack for each node.
pub fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), ()>::with_capacity(next.len(), next.iter().map(Vec::len).sum());
    next.iter().for_each(|_| {
        graph.add_node(());
    });
    for (v, successors) in next.iter().enumerate() {
        for w in successors {
            graph.add_edge(NodeIndex::new(v), NodeIndex::new(*w), ());
        }
    }
    let sorted = |component: Vec<NodeIndex>| {
        let mut all: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        all.sort_unstable();
        all
    };
    kosaraju_scc(&graph).into_iter().map(sorted).collect()
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn those_that_are_led_to_come_first() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3 -> 3, 4 -> 0
        let next = [vec![1], vec![2], vec![1, 3], vec![3], vec![0]];
        assert_eq!(components(&next), [vec![3], vec![1, 2], vec![0], vec![4]]);
        assert!(components(&[]).is_empty());
    }

    #[test]
    fn a_long_path_takes_no_stack() {
        let n = 1_000_000;
        let next: Vec<Vec<usize>> = (0..n).map(|v| vec![(v + 1) % n]).collect();
        let small = std::thread::Builder::new().stack_size(1 << 17);
        let count = small.spawn(move || components(&next).len()).unwrap().join().unwrap();
        assert_eq!(count, 1);
    }
}
