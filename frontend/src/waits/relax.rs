//! Waits that a proof need not know of: without other errors than circles, a program in which threads take locks whether they
//! are free or not does all that it did, and more. What its locks hold then matters to nobody.

use super::held::{Classes, is_self};
use super::places::{Around, is_zero};
use relyant_cfa::{Edge, LocationKind, Op, Program};

/// Can nothing go wrong in a program but that threads wait in a circle?
pub(super) fn is_enough(program: &Program) -> bool {
    let kinds = program.templates.iter().flat_map(|t| &t.graph.locations).map(|l| &l.kind);
    let mut fails = kinds.filter(|k| matches!(k, LocationKind::Error(_) | LocationKind::Limit(_)));
    program.exclusive.is_none() && fails.next().is_none()
}

/// Leaves out the conditions under which locks are taken and given back.
pub(super) fn relax(program: &mut Program, classes: &Classes<'_>) {
    for (t, template) in program.templates.iter_mut().enumerate() {
        let around = Around::new(&template.graph);
        let is = |i: &usize| is_condition(classes, t as u32, &around, *i);
        let left_out: Vec<usize> = (0..template.graph.edges.len()).filter(is).collect();
        program.approximate |= !left_out.is_empty();
        for i in left_out {
            template.graph.edges[i].op = Op::Skip;
        }
    }
}

/// Does an edge say that a lock is free, or held by the thread, where there is no other way on?
fn is_condition(classes: &Classes<'_>, t: u32, around: &Around<'_>, edge: usize) -> bool {
    let Edge { from, op: Op::Assume(condition), .. } = &around.graph.edges[edge] else { return false };
    let register = is_zero(condition).or_else(|| is_self(condition));
    let lock = register.and_then(|r| around.loaded(*from, r)).and_then(|a| classes.of(t, a));
    lock.is_some() && around.out[from.0 as usize].len() == 1
}
