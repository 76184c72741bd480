//! Numbers that only matter by being large: an order on states in which the larger one can do all that the smaller
//! one can, or fails.
//!
//! Each register and object is *exact*, *rising* or *falling*. A state is below another when the two agree on
//! control and on everything exact, and rising numbers are at most, falling ones at least those of the other. The
//! order is a simulation (as in well-structured transition systems; Finkel and Schnoebelen, TCS 2001) when
//!
//! - values flow with their direction: what is computed from a rising number by sums and products with constants goes
//!   into a rising one, and so on; exact ones get values from exact ones only;
//! - a condition on them holds in the larger state too, or else its opposite leads the larger state to an error at once;
//! - no arithmetic wraps, and no run of a larger state ends for an overflow (who explores must see to that: in the
//!   smaller state it might not overflow).
//!
//! A cell whose value may be chosen late ([`relyant_interp::late`]) is exact.
//!
//! So each state of a set subsumes those below it. Who makes such a set guesses the directions; [`holds`]
//! checks that they are a simulation.

use relyant_cfa::{BinOp, CmpOp, Edge, Expr, IntKind, LocationKind, ObjId, Op, Program, Template};
use relyant_interp::late::declarations;
use std::collections::BTreeSet;

/// Which way a number matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Direction {
    /// Must be the same.
    Exact,
    /// Larger is more: a state subsumes one with a smaller number here.
    Rising,
    /// Smaller is more: a state subsumes one with a larger number here.
    Falling,
}

use Direction::{Exact, Falling, Rising};

impl Direction {
    fn flipped(self) -> Direction {
        match self {
            Exact => Exact,
            Rising => Falling,
            Falling => Rising,
        }
    }
    /// May a value of this direction become one of that?
    fn fits(self, to: Direction) -> bool {
        self == Exact || self == to
    }
}

/// Directions of registers (by template) and objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// By template and register.
    pub registers: Vec<Vec<Direction>>,
    /// By object: of all its cells.
    pub objects: Vec<Direction>,
}

impl Order {
    /// Equality: a state subsumes itself only.
    pub fn exact(program: &Program) -> Order {
        Order {
            registers: program.templates.iter().map(|t| vec![Exact; t.registers.len()]).collect(),
            objects: vec![Exact; program.objects.len()],
        }
    }
    /// Is it equality? Then a set needs no order.
    pub fn is_exact(&self) -> bool {
        self.objects.iter().chain(self.registers.iter().flatten()).all(|d| *d == Exact)
    }
    /// Has it a direction for each register and object of the program?
    pub fn fits(&self, program: &Program) -> bool {
        let registers = self.registers.iter().map(Vec::len);
        self.objects.len() == program.objects.len()
            && registers.eq(program.templates.iter().map(|t| t.registers.len()))
    }
}

/// Arithmetic in the kind never wraps.
pub fn signed(kind: IntKind) -> bool {
    matches!(kind, IntKind::Machine { signed: true, .. } | IntKind::Ideal)
}

/// Objects whose address is used other than for an access at its start.
pub fn address_taken(program: &Program) -> BTreeSet<ObjId> {
    let mut out = BTreeSet::new();
    for e in program.templates.iter().flat_map(|t| &t.graph.edges) {
        match &e.op {
            Op::Load(_, Expr::Addr(_), _) => {}
            Op::Store(Expr::Addr(_), x, _) => addresses(x, &mut out),
            op => relyant_interp::live::for_each_expr(op, &mut |x| addresses(x, &mut out)),
        }
    }
    // An object of several cells may be reached from its own first one.
    out.extend(
        (0..program.objects.len()).filter(|o| program.objects[*o].cells.len() != 1).map(|o| ObjId(o as u32)),
    );
    out
}

/// Objects with cells that may have no value yet. Others than these are reached by an address that is taken.
fn chosen_late(program: &Program) -> BTreeSet<ObjId> {
    let start = |o: &usize| program.objects[*o].init.iter().any(Option::is_none);
    let mut out: BTreeSet<ObjId> =
        (0..program.objects.len()).filter(start).map(|o| ObjId(o as u32)).collect();
    for template in &program.templates {
        for (_, store) in declarations(template) {
            if let Some(Op::Store(Expr::Addr(o), ..)) =
                template.graph.edges.get(store as usize).map(|e| &e.op)
            {
                out.insert(*o);
            }
        }
    }
    out
}

fn addresses(e: &Expr, out: &mut BTreeSet<ObjId>) {
    match e {
        Expr::Addr(o) => {
            out.insert(*o);
        }
        Expr::Const(_) | Expr::Reg(_) | Expr::Func(_) | Expr::SelfId => {}
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => addresses(a, out),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            addresses(a, out);
            addresses(b, out);
        }
    }
}

/// Which way the value of an expression goes when its registers go theirs; `None`: nobody knows.
pub fn sense(e: &Expr, template: &Template, registers: &[Direction]) -> Option<Direction> {
    let of = |x: &Expr| sense(x, template, registers);
    let sum = |a: Direction, b: Direction| match (a, b) {
        (Exact, d) | (d, Exact) => Some(d),
        (a, b) => (a == b).then_some(a),
    };
    match e {
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => Some(Exact),
        Expr::Reg(r) => registers.get(r.0 as usize).copied(),
        Expr::Not(a) => {
            let d = of(a)?;
            (d == Exact || is_truth(a)).then(|| d.flipped())
        }
        Expr::Cast(a, kind) => {
            let d = of(a)?;
            (d == Exact || is_truth(a) || keeps(a, *kind, template)).then_some(d)
        }
        Expr::Compare(op, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match op {
                CmpOp::Gt | CmpOp::Ge => sum(a, b.flipped()),
                CmpOp::Lt | CmpOp::Le => sum(a.flipped(), b),
                CmpOp::Eq | CmpOp::Ne => (a == Exact && b == Exact).then_some(Exact),
            }
        }
        Expr::Unary(_, a, _) => (of(a)? == Exact).then_some(Exact),
        Expr::Binary(op, a, b, kind) => {
            let (x, y) = (of(a)?, of(b)?);
            if x == Exact && y == Exact {
                return Some(Exact);
            }
            if !signed(*kind) {
                return None;
            }
            match (op, &**a, &**b) {
                (BinOp::Add, ..) => sum(x, y),
                (BinOp::Sub, ..) => sum(x, y.flipped()),
                (BinOp::Mul, Expr::Const(c), _) => Some(if *c < 0 { y.flipped() } else { y }),
                (BinOp::Mul, _, Expr::Const(c)) => Some(if *c < 0 { x.flipped() } else { x }),
                _ => None,
            }
        }
    }
}

/// Is the value 0 or 1?
fn is_truth(e: &Expr) -> bool {
    match e {
        Expr::Compare(..) | Expr::Not(_) => true,
        Expr::Cast(a, _) => is_truth(a),
        _ => false,
    }
}

/// Does the conversion change nothing?
fn keeps(e: &Expr, to: IntKind, template: &Template) -> bool {
    let from = match e {
        Expr::Reg(r) => template.registers.get(r.0 as usize).map(|r| r.kind),
        Expr::Unary(_, _, k) | Expr::Binary(_, _, _, k) | Expr::Cast(_, k) => Some(*k),
        _ => None,
    };
    let Some(from) = from else { return false };
    let low = to.min().is_none_or(|b| from.min().is_some_and(|a| b <= a));
    low && to.max().is_none_or(|b| from.max().is_some_and(|a| a <= b))
}

/// Is the order a simulation, overflows apart?
pub fn holds(program: &Program, order: &Order) -> bool {
    if order.is_exact() {
        return true;
    }
    if program.deadlock || program.signed_wraps {
        return false;
    }
    let named = address_taken(program);
    let object = |o: &ObjId| order.objects.get(o.0 as usize).copied().unwrap_or(Exact);
    if named.iter().chain(&chosen_late(program)).any(|o| object(o) != Exact) {
        return false;
    }
    program.templates.iter().enumerate().all(|(t, template)| {
        let registers = &order.registers[t];
        let of = |x: &Expr| sense(x, template, registers);
        let register = |r: u32| registers.get(r as usize).copied().unwrap_or(Exact);
        let exact = |x: &Expr| of(x) == Some(Exact);
        template.procedures.is_empty()
            && template.graph.edges.iter().all(|e| match &e.op {
                Op::Skip | Op::Halt | Op::Havoc { .. } => true,
                Op::Assign(r, x) => of(x).is_some_and(|d| d.fits(register(r.0))),
                Op::Load(r, Expr::Addr(o), kind) => {
                    // Read in another kind, the value may be another one.
                    object(o).fits(register(r.0))
                        && (object(o) == Exact || program.objects[o.0 as usize].cells[0].0 == *kind)
                }
                // Objects that are not exact are accessed by their names only.
                Op::Load(_, a, _) => exact(a),
                Op::Store(Expr::Addr(o), x, kind) => {
                    let d = of(x);
                    d.is_some_and(|d| d.fits(object(o)))
                        && (d == Some(Exact) || program.objects[o.0 as usize].cells[0].0 == *kind)
                }
                Op::Store(a, x, _) => exact(a) && exact(x),
                Op::Assume(x) => match of(x) {
                    Some(Exact) => true,
                    Some(d) if is_truth(x) => d == Rising || fails_otherwise(template, e, x),
                    _ => false,
                },
                Op::Create { arg, template: other, .. } => {
                    let param = other.and_then(|o| program.templates.get(o as usize)?.param);
                    let to = match (other, param) {
                        (Some(o), Some(p)) => order.registers[*o as usize][p.0 as usize],
                        _ => Exact,
                    };
                    arg.as_ref().is_none_or(|x| of(x).is_some_and(|d| d.fits(to)))
                }
                Op::Join { handle, .. } => exact(handle),
                Op::ThreadExit(x) => exact(x),
                Op::Call { .. } | Op::Return(_) => false,
            })
    })
}

/// Where the condition of an edge does not hold, does another edge lead to an error?
fn fails_otherwise(template: &Template, edge: &Edge, condition: &Expr) -> bool {
    let opposite = condition.clone().is_false();
    let graph = &template.graph;
    graph.edges.iter().any(|e| {
        e.from == edge.from
            && matches!(&e.op, Op::Assume(x) if x.clone().is_true() == opposite)
            && matches!(graph.locations[e.to.0 as usize].kind, LocationKind::Error(_))
    })
}
