//! Values to try for inputs: all, where they are few, else those near the program's constants.

use super::live::for_each_expr;
use super::machine::Machine;
use super::schedule::Start;
use crate::cfa::{Expr, IntKind, Program};
use std::collections::BTreeSet;

/// More values than this are not tried all.
const FEW: i128 = 16;

/// At most this many combinations of start values are tried.
const MAX_STARTS: usize = 4096;

/// Constants of a program and their neighbours.
pub struct Candidates {
    near: Vec<i128>,
    most: usize,
}

impl Candidates {
    /// Collects the constants; `most` bounds the number of values tried.
    pub fn new(program: &Program, most: usize) -> Self {
        let mut constants = BTreeSet::from([0]);
        for object in &program.objects {
            constants.extend(object.init.iter().flatten());
        }
        for edge in program.templates.iter().flat_map(|t| &t.graph.edges) {
            for_each_expr(&edge.op, &mut |e| collect(e, &mut constants));
        }
        let mut near: Vec<i128> = constants
            .iter()
            .flat_map(|c| [c.saturating_sub(1), *c, c.saturating_add(1)])
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        near.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        Candidates { near, most }
    }

    /// Values of a kind to try, smallest non-negative first, and whether they are all there are.
    pub fn values(&self, kind: IntKind) -> (Vec<i128>, bool) {
        if let (Some(min), Some(max)) = (kind.min(), kind.max())
            && max.saturating_sub(min) < FEW
        {
            let mut all: Vec<i128> = (min..=max).collect();
            all.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
            return (all, true);
        }
        let inside = |v: &i128| super::eval::in_kind(*v, kind);
        let mut values: Vec<i128> = self.near.iter().copied().filter(inside).take(self.most).collect();
        values.extend(
            kind.min().into_iter().chain(kind.max()).filter(|v| !values.contains(v)).collect::<Vec<_>>(),
        );
        (values, false)
    }

    /// Combinations of start values for the cells that have none, and whether they are all there are.
    pub fn starts(&self, machine: &Machine<'_>) -> (Vec<Start>, bool) {
        let mut starts = vec![Start::new()];
        let mut complete = true;
        for (object, cell, kind, shared) in machine.open_cells() {
            let (mut values, all) = self.values(kind);
            // A thread's own cells: each thread could start with values of its own, which is not tried.
            if !shared || starts.len().saturating_mul(values.len()) > MAX_STARTS {
                values.truncate(1);
                complete = false;
            }
            complete &= all;
            let extended = starts.iter().flat_map(|s| {
                values.iter().map(|v| {
                    let mut s = s.clone();
                    s.push((object, cell, *v));
                    s
                })
            });
            starts = extended.collect();
        }
        (starts, complete)
    }
}

fn collect(e: &Expr, out: &mut BTreeSet<i128>) {
    match e {
        Expr::Const(c) => {
            out.insert(*c);
        }
        Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => collect(a, out),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            collect(a, out);
            collect(b, out);
        }
    }
}
