//! Edges of a template by their ends, and an order of its locations.

use crate::{Loc, Template};
use std::collections::BTreeSet;

/// Edges by location, and locations in reverse post-order of a search from the entry: but for loops, what comes
/// before a location in a run comes before it in the order.
pub struct Order {
    /// Indices of edges, by source: those of location `l` are `outs[starts[l]..starts[l + 1]]`.
    outs: Vec<u32>,
    /// One entry more than there are locations.
    starts: Vec<u32>,
    /// By location: the sources of the edges into it, one for each edge.
    sources: Vec<Vec<Loc>>,
    /// By number: its location; reached ones in reverse post-order, then the others.
    locations: Vec<Loc>,
    /// By location: its number, the inverse of `locations`.
    numbers: Vec<u32>,
}

impl Order {
    /// Of a template. Locations that are not reached come last.
    pub fn new(t: &Template) -> Order {
        let n = t.locations.len();
        let mut starts = vec![0u32; n + 1];
        t.edges.iter().for_each(|e| starts[e.from.0 as usize + 1] += 1);
        (0..n).for_each(|l| starts[l + 1] += starts[l]);
        let mut next = starts.clone();
        let mut outs = vec![0; t.edges.len()];
        let mut sources = vec![Vec::new(); n];
        for (i, e) in t.edges.iter().enumerate() {
            let at = &mut next[e.from.0 as usize];
            outs[*at as usize] = i as u32;
            *at += 1;
            sources[e.to.0 as usize].push(e.from);
        }
        let mut o = Order { outs, starts, sources, locations: Vec::with_capacity(n), numbers: vec![0; n] };
        let mut seen = vec![false; n];
        let mut after = Vec::with_capacity(n);
        let mut stack = Vec::new();
        seen[t.entry.0 as usize] = true;
        stack.push((t.entry, 0));
        while let Some((l, k)) = stack.pop() {
            let next = o.outs(l).nth(k).map(|e| t.edges[e].to);
            match next {
                None => after.push(l),
                Some(to) => {
                    stack.push((l, k + 1));
                    if !std::mem::replace(&mut seen[to.0 as usize], true) {
                        stack.push((to, 0));
                    }
                }
            }
        }
        o.locations.extend(after.into_iter().rev());
        o.locations.extend((0..n).filter(|l| !seen[*l]).map(|l| Loc(l as u32)));
        (0u32..).zip(&o.locations).for_each(|(k, l)| o.numbers[l.0 as usize] = k);
        o
    }
    /// Edges out of a location.
    pub fn outs(&self, l: Loc) -> impl Iterator<Item = usize> + '_ {
        let l = l.0 as usize;
        self.outs[self.starts[l] as usize..self.starts[l + 1] as usize].iter().map(|e| *e as usize)
    }
    /// Numbers of the locations before a location.
    pub fn before(&self, l: Loc) -> impl Iterator<Item = u32> + '_ {
        self.sources[l.0 as usize].iter().map(|l| self.numbers[l.0 as usize])
    }
    /// The numbers of all locations, as a worklist begins with them.
    pub fn all(&self) -> BTreeSet<u32> {
        (0..self.locations.len() as u32).collect()
    }
    /// The number of a location.
    pub fn number(&self, l: Loc) -> u32 {
        self.numbers[l.0 as usize]
    }
    /// The location with a number.
    pub fn location(&self, k: u32) -> Loc {
        self.locations[k as usize]
    }
}
