//! Blocks and their objects, where memory is checked: the lifetime of a local ends when its block is left, by whatever
//! way (C11 6.2.4p6). Edges into a block and out of it call two functions that do nothing; objects that may be pointed
//! to from elsewhere get pools, and the calls make and give back one ([`pool`](crate::instantiate::pool)).

use super::body::Body;
use super::lower::Lower;
use super::translation::Translation;
use crate::instantiate::pool;
use relyant_cfa::{Callee, Edge, FuncId, Loc, LocationKind, ObjId, Op};
use rustc_hash::FxHashMap;

/// The blocks of a function.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The block around each; the function is the first.
    parents: Vec<usize>,
    /// The block being lowered, an index into `parents`.
    current: usize,
    /// From which location on new ones are in which block.
    from: Vec<(usize, usize)>,
    /// Labels are known before their blocks are.
    labels: FxHashMap<Loc, usize>,
    /// Objects with the block at whose end their lifetime ends, which is never the function's.
    objects: Vec<(ObjId, usize)>,
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks {
            parents: vec![0],
            current: 0,
            from: vec![(0, 0)],
            labels: FxHashMap::default(),
            objects: Vec::new(),
        }
    }
}

impl Blocks {
    fn switch(&mut self, block: usize, locations: usize) {
        self.current = block;
        self.from.push((locations, block));
    }
    /// A label is here.
    pub fn label(&mut self, at: Loc) {
        self.labels.insert(at, self.current);
    }
    /// An object of the block that is being lowered; those of the function itself live as long as its call.
    pub fn object(&mut self, o: ObjId) {
        if self.current != 0 {
            self.objects.push((o, self.current));
        }
    }
    /// The objects of the block that is being lowered live as long as those of the block around it.
    pub fn outlive(&mut self) {
        let around = self.parents[self.current];
        self.objects.iter_mut().filter(|o| o.1 == self.current).for_each(|o| o.1 = around);
        self.objects.retain(|o| o.1 != 0);
    }
    /// Keeps what is known of the first `locations` locations, and the block being lowered.
    pub fn rewind(&mut self, locations: usize) {
        self.from.retain(|f| f.0 <= locations);
        if self.from.last().map(|f| f.1) != Some(self.current) {
            self.from.push((locations, self.current));
        }
    }
    fn of(&self, l: Loc) -> usize {
        if let Some(b) = self.labels.get(&l) {
            return *b;
        }
        let k = self.from.partition_point(|f| f.0 <= l.0 as usize);
        self.from[k.saturating_sub(1)].1
    }
    fn is_inside(&self, mut block: usize, of: usize) -> bool {
        while block != of && block != 0 {
            block = self.parents[block];
        }
        block == of
    }
}

impl Lower<'_> {
    /// Goes into a block.
    pub fn enter_block(&mut self) {
        self.context.scopes.enter();
        if self.unit.options.checks_memory() {
            let blocks = &mut self.body.blocks;
            blocks.parents.push(blocks.current);
            let block = blocks.parents.len() - 1;
            blocks.switch(block, self.body.graph.locations.len());
            self.body.emit(Op::Skip);
        }
    }

    /// Leaves it at its end.
    pub fn leave_block(&mut self) {
        self.context.scopes.leave();
        if self.unit.options.checks_memory() {
            let blocks = &mut self.body.blocks;
            let around = blocks.parents[blocks.current];
            blocks.switch(around, self.body.graph.locations.len());
            self.body.emit(Op::Skip);
        }
    }
}

impl Translation<'_> {
    /// Has edges say which objects of blocks come to life and which end.
    pub fn mark_lifetimes(&mut self, body: &mut Body) {
        let blocks = std::mem::take(&mut body.blocks);
        let objects: Vec<(ObjId, usize)> =
            blocks.objects.iter().copied().filter(|o| body.locals.contains(&o.0)).collect();
        if objects.is_empty() {
            return;
        }
        let calls: Vec<(usize, FuncId, FuncId)> = objects
            .iter()
            .map(|(o, block)| {
                let mut function = |what| self.functions.made(pool::nothing(what, body.span));
                let (live, dead) = (function("begins"), function("ends"));
                self.objects.lifetimes.insert(*o, (live, dead));
                (*block, live, dead)
            })
            .collect();
        for i in 0..body.graph.edges.len() {
            let Edge { from, to, span, .. } = body.graph.edges[i];
            if body.graph.locations[to.0 as usize].kind != LocationKind::Normal {
                continue;
            }
            let (a, b) = (blocks.of(from), blocks.of(to));
            if a == b {
                continue;
            }
            let ends = calls.iter().filter(|c| blocks.is_inside(a, c.0) && !blocks.is_inside(b, c.0));
            let begins = calls.iter().filter(|c| blocks.is_inside(b, c.0) && !blocks.is_inside(a, c.0));
            let list: Vec<FuncId> = ends.map(|c| c.2).chain(begins.map(|c| c.1)).collect();
            let mut at = i;
            for f in list {
                let middle = body.graph.add_location(span);
                body.graph.edges[at].to = middle;
                let op = Op::Call { dst: None, callee: Callee::Known(f), args: Vec::new() };
                body.graph.edges.push(Edge { from: middle, to, op, span });
                at = body.graph.edges.len() - 1;
            }
        }
    }
}
