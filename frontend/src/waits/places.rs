//! Where threads wait: at locks that are not free, and at joins. Anywhere else a step can be done, or what the program
//! assumes keeps a thread from it.

use super::{Failure, NoOrder};
use relyant_cfa::{CmpOp, Edge, Expr, Graph, Loc, LocationKind, Op, Reg, Template};

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum For<'p> {
    /// That the lock at an address is free.
    Lock(&'p Expr),
    /// The end of the thread with a handle.
    End(&'p Expr),
}

/// The first step of a thread that may have to wait, by index, and what for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait<'p> {
    pub edge: usize,
    pub on: For<'p>,
}

/// Edges of a graph, by the location that they leave and the one that they lead to.
pub(super) struct Around<'p> {
    pub graph: &'p Graph,
    pub out: Vec<Vec<usize>>,
    pub into: Vec<Vec<usize>>,
}

impl<'p> Around<'p> {
    pub(super) fn new(graph: &'p Graph) -> Around<'p> {
        Around { graph, out: graph.out_edges(), into: graph.into_edges() }
    }

    pub(super) fn edges(&self, all: &[usize]) -> Vec<&'p Edge> {
        all.iter().map(|e| &self.graph.edges[*e]).collect()
    }

    fn is_atomic(&self, l: Loc) -> bool {
        self.graph.locations[l.0 as usize].atomic
    }

    /// The address that all steps to an atomic location load the register from, if they do.
    pub(super) fn loaded(&self, at: Loc, r: Reg) -> Option<&'p Expr> {
        let loads = self.edges(&self.into[at.0 as usize]);
        let mut found = None;
        for e in loads {
            match &e.op {
                Op::Load(to, address, _) if *to == r && found.is_none_or(|a| a == address) => {
                    found = Some(address);
                }
                _ => return None,
            }
        }
        found.filter(|a| self.is_atomic(at) && !reads(a, r))
    }
}

fn reads(e: &Expr, r: Reg) -> bool {
    let mut all = Vec::new();
    relyant_cfa::walk::registers(e, &mut all);
    all.contains(&r)
}

/// All waits of a template.
pub(super) fn waits(template: &Template) -> Result<Vec<Wait<'_>>, Failure> {
    let around = Around::new(&template.graph);
    let mut waits = Vec::new();
    for (l, location) in template.graph.locations.iter().enumerate() {
        let at = Loc(l as u32);
        if location.kind != LocationKind::Normal || location.assumes || !is_reached(&around, template, at) {
            continue;
        }
        let out = around.edges(&around.out[l]);
        if out.iter().any(|e| !matches!(e.op, Op::Assume(_) | Op::Join { .. })) || is_total(&out) {
            continue;
        }
        let found = match &out[..] {
            [Edge { op: Op::Join { handle, .. }, .. }] if !location.atomic => {
                vec![Wait { edge: around.out[l][0], on: For::End(handle) }]
            }
            [Edge { op: Op::Assume(condition), to, .. }] => lock(&around, at, condition, *to),
            _ => Vec::new(),
        };
        if found.is_empty() {
            return Err((NoOrder::Waits, location.span));
        }
        waits.extend(found);
    }
    match endless(&around) {
        Some(l) => Err((NoOrder::Endless, template.graph.locations[l].span)),
        None => Ok(waits),
    }
}

fn is_reached(around: &Around<'_>, template: &Template, at: Loc) -> bool {
    at == template.entry || !around.into[at.0 as usize].is_empty()
}

/// Is one of the conditions true, whatever values there are?
fn is_total(out: &[&Edge]) -> bool {
    let conditions = || out.iter().filter_map(|e| if let Op::Assume(c) = &e.op { Some(c) } else { None });
    conditions()
        .any(|a| conditions().any(|b| a.clone().is_false() == *b) || matches!(a, Expr::Const(n) if *n != 0))
}

/// Steps that load a lock which has to be free for the thread to go on, in one atomic section that begins with them.
fn lock<'p>(around: &Around<'p>, at: Loc, condition: &Expr, then: Loc) -> Vec<Wait<'p>> {
    let taken = || {
        let r = is_zero(condition)?;
        let address = around.loaded(at, r)?;
        let [Edge { op: Op::Store(stored, Expr::SelfId, _), .. }] =
            around.edges(&around.out[then.0 as usize])[..]
        else {
            return None;
        };
        let into = &around.into[at.0 as usize];
        let begins = around.edges(into).iter().all(|e| !around.is_atomic(e.from));
        (around.is_atomic(then) && stored == address && begins).then_some((into, address))
    };
    let Some((into, address)) = taken() else { return Vec::new() };
    into.iter().map(|e| Wait { edge: *e, on: For::Lock(address) }).collect()
}

/// The register that a condition says is 0.
pub(super) fn is_zero(condition: &Expr) -> Option<Reg> {
    match condition {
        Expr::Not(x) => match **x {
            Expr::Reg(r) => Some(r),
            _ => None,
        },
        Expr::Compare(CmpOp::Eq, a, b) => match (&**a, &**b) {
            (Expr::Reg(r), Expr::Const(0)) | (Expr::Const(0), Expr::Reg(r)) => Some(*r),
            _ => None,
        },
        _ => None,
    }
}

/// A location of a loop without an end to the atomic section that it is in.
fn endless(around: &Around<'_>) -> Option<usize> {
    let n = around.out.len();
    let mut inner: Vec<usize> = (0..n)
        .map(|l| {
            let into = around.edges(&around.into[l]);
            into.iter().filter(|e| around.is_atomic(e.from) && around.is_atomic(e.to)).count()
        })
        .collect();
    // What is left when those without a step to them inside of a section are taken away.
    let mut todo: Vec<usize> = (0..n).filter(|l| inner[*l] == 0).collect();
    while let Some(l) = todo.pop() {
        for e in around.edges(&around.out[l]) {
            let to = e.to.0 as usize;
            if around.is_atomic(e.from) && around.is_atomic(e.to) {
                inner[to] -= 1;
                if inner[to] == 0 {
                    todo.push(to);
                }
            }
        }
    }
    (0..n).find(|l| inner[*l] > 0)
}
