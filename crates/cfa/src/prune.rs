//! What can't be reached is dropped.

use super::{Graph, Loc};

impl Graph {
    /// Drops locations that can't be reached from the entry, also not by `jumps`. Gives the new place of each.
    pub fn pruned(self, entry: Loc, jumps: &[(Loc, Loc)]) -> (Graph, Loc, Vec<Option<Loc>>) {
        let mut out: Vec<Vec<Loc>> = vec![Vec::new(); self.locations.len()];
        self.edges.iter().for_each(|e| out[e.from.0 as usize].push(e.to));
        jumps.iter().for_each(|(a, b)| out[a.0 as usize].push(*b));
        let mut seen = vec![false; self.locations.len()];
        let mut work = vec![entry];
        seen[entry.0 as usize] = true;
        while let Some(l) = work.pop() {
            for &to in &out[l.0 as usize] {
                if !std::mem::replace(&mut seen[to.0 as usize], true) {
                    work.push(to);
                }
            }
        }
        let mut new = vec![Loc(0); self.locations.len()];
        let mut result = Graph::default();
        for (k, l) in self.locations.into_iter().enumerate() {
            if seen[k] {
                new[k] = Loc(result.locations.len() as u32);
                result.locations.push(l);
            }
        }
        for mut e in self.edges {
            if seen[e.from.0 as usize] {
                (e.from, e.to) = (new[e.from.0 as usize], new[e.to.0 as usize]);
                result.edges.push(e);
            }
        }
        let entry = new[entry.0 as usize];
        let new = new.into_iter().zip(seen).map(|(l, seen)| seen.then_some(l)).collect();
        (result, entry, new)
    }
}
