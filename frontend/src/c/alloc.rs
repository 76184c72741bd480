//! Is every place that makes memory passed once at most?
//!
//! Each inlined call has objects of its own, so it is enough that no such place, and no call that leads to one, is on
//! a cycle of its function.

use super::lower::{Lower, Res};
use crate::cfa::{Callee, FuncId, Function, Graph, Loc, Op};
use crate::diagnostic::Span;
use std::collections::BTreeSet;

/// Can a location be passed twice?
pub fn on_cycle(graph: &Graph, at: Loc) -> bool {
    let out = graph.out_edges();
    let mut seen = vec![false; graph.locations.len()];
    let mut work = vec![at];
    while let Some(l) = work.pop() {
        for &e in &out[l.0 as usize] {
            let to = graph.edges[e].to;
            if to == at {
                return true;
            }
            if !std::mem::replace(&mut seen[to.0 as usize], true) {
                work.push(to);
            }
        }
    }
    false
}

impl Lower<'_> {
    /// Refuses a place that makes memory in a loop.
    pub fn made_once(&self, graph: &Graph, makes: &[(Loc, Span)]) -> Res<()> {
        match makes.iter().find(|m| on_cycle(graph, m.0)) {
            Some((_, span)) => Err(self.made_often(*span)),
            None => Ok(()),
        }
    }

    fn made_often(&self, span: Span) -> crate::diagnostic::Diagnostic {
        self.source.diagnostic(
            span,
            "memory made in a loop is not supported",
            "each place that makes memory has one object: make it before the loop, or use a static array",
        )
    }

    /// Refuses a call in a loop that leads to a place that makes memory.
    pub fn called_once(&self, functions: &[Function]) -> Res<()> {
        let mut makers: BTreeSet<FuncId> = self.makers.clone();
        let targets = |op: &Op| -> Vec<FuncId> {
            match op {
                Op::Call { callee: Callee::Known(f), .. } => vec![*f],
                Op::Call { callee: Callee::Pointer(_), .. } => self.pointed_at.iter().copied().collect(),
                _ => Vec::new(),
            }
        };
        loop {
            let before = makers.len();
            for (k, f) in functions.iter().enumerate() {
                for e in &f.graph.edges {
                    if targets(&e.op).iter().any(|t| makers.contains(t)) {
                        if on_cycle(&f.graph, e.from) {
                            return Err(self.made_often(e.span));
                        }
                        makers.insert(FuncId(k as u32));
                    }
                }
            }
            if makers.len() == before {
                return Ok(());
            }
        }
    }
}
