//! What a program's verdicts assume because C leaves it undefined: see [`Undefined`].

use relyant_cfa::options::{Integers, Options, Signed};
use relyant_cfa::{BinOp, Expr, FloatUnary, IntKind, Op, Program, UnOp, Undefined};
use std::collections::BTreeSet;

/// Notes the assumptions that the program's operations call for, and a line for each.
pub fn assume(p: &mut Program, options: &Options) {
    p.undefined = steps(p).into_iter().filter(|u| !is_settled(*u, options)).collect();
    let mut lines: Vec<&str> = Vec::new();
    for u in &p.undefined {
        if !lines.contains(&u.assumption()) {
            lines.push(u.assumption());
        }
    }
    p.assumes.extend(lines.into_iter().map(String::from));
}

/// Does the meaning that was asked for leave no such step, or is it an error that is looked for?
fn is_settled(u: Undefined, options: &Options) -> bool {
    let ideal = options.integers == Integers::Ideal;
    match u {
        Undefined::Overflow => options.checks_overflow() || options.signed == Signed::Wrap || ideal,
        // Where nothing wraps, it is said that nothing overflows.
        Undefined::Quotient => options.checks_overflow() || options.signed != Signed::Wrap || ideal,
        Undefined::Division | Undefined::Shift => options.checks_overflow(),
        Undefined::Null | Undefined::Outside => options.checks_memory(),
        // Where nothing leaves its object, nothing comes to another one.
        Undefined::Foreign => !options.checks_memory(),
        // Said of all calls of the thread library.
        Undefined::Join => true,
        Undefined::Conversion | Undefined::Type | Undefined::Result => false,
    }
}

/// The undefined steps that the program may come to.
fn steps(p: &Program) -> BTreeSet<Undefined> {
    let mut found = Found { program: p, steps: BTreeSet::new() };
    for t in &p.templates {
        for e in &t.graph.edges {
            match &e.op {
                Op::Assign(_, e) | Op::Assume(e) | Op::ThreadExit(e) | Op::Return(Some(e)) => found.expr(e),
                Op::Call { dst, callee, args } => {
                    args.iter().for_each(|e| found.expr(e));
                    let returns_none = t.procedure(callee).is_some_and(|p| {
                        let inside = t.graph.edges.iter().filter(|e| p.locations.contains(&e.from.0));
                        inside.into_iter().any(|e| e.op == Op::Return(None))
                    });
                    if dst.is_some() && returns_none {
                        found.steps.insert(Undefined::Result);
                    }
                }
                Op::Load(_, address, kind) => found.address(address, *kind),
                Op::Store(address, value, kind) => {
                    found.address(address, *kind);
                    found.expr(value);
                }
                Op::Create { arg: Some(e), .. } => found.expr(e),
                Op::Join { handle, .. } => {
                    found.steps.insert(Undefined::Join);
                    found.expr(handle);
                }
                Op::Create { arg: None, .. } | Op::Skip | Op::Havoc { .. } | Op::Halt | Op::Return(None) => {}
            }
        }
    }
    found.steps
}

struct Found<'p> {
    program: &'p Program,
    steps: BTreeSet<Undefined>,
}

impl Found<'_> {
    fn address(&mut self, e: &Expr, kind: IntKind) {
        let cell = match e {
            Expr::Addr(o) => Some((o, 0)),
            Expr::Binary(BinOp::Add, a, b, _) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(k)) | (Expr::Const(k), Expr::Addr(o)) => Some((o, *k)),
                _ => None,
            },
            _ => None,
        };
        let known = cell.and_then(|(o, k)| {
            self.program.objects.get(o.0 as usize)?.cells.get(usize::try_from(k).ok()?).map(|c| c.0)
        });
        match known {
            Some(cell) if is_as_wide(cell, kind) => {}
            Some(_) => {
                self.steps.insert(Undefined::Type);
            }
            None => {
                self.steps.extend([Undefined::Null, Undefined::Outside, Undefined::Foreign]);
            }
        }
        self.expr(e);
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Unary(op, a, kind) => {
                match op {
                    UnOp::Neg if signed(*kind) => {
                        self.steps.insert(Undefined::Overflow);
                    }
                    UnOp::Float(FloatUnary::ToInt(_)) => {
                        self.steps.insert(Undefined::Conversion);
                    }
                    UnOp::Neg | UnOp::BitNot | UnOp::Float(_) => {}
                }
                self.expr(a);
            }
            Expr::Binary(op, a, b, kind) => {
                let by = if let Expr::Const(c) = **b { Some(c) } else { None };
                match op {
                    BinOp::Div | BinOp::Rem => {
                        if by.is_none_or(|c| c == 0) {
                            self.steps.insert(Undefined::Division);
                        }
                        if signed(*kind) && by.is_none_or(|c| c == -1) {
                            self.steps.extend([Undefined::Overflow, Undefined::Quotient]);
                        }
                    }
                    BinOp::Shl | BinOp::Shr => {
                        if by.is_none_or(|c| !is_count(c, *kind)) {
                            self.steps.insert(Undefined::Shift);
                        }
                        if *op == BinOp::Shl && signed(*kind) {
                            self.steps.insert(Undefined::Overflow);
                        }
                    }
                    BinOp::Add | BinOp::Sub | BinOp::Mul if signed(*kind) => {
                        self.steps.insert(Undefined::Overflow);
                    }
                    BinOp::Add | BinOp::Sub | BinOp::Mul => {}
                    BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Float(..) => {}
                }
                self.expr(a);
                self.expr(b);
            }
            Expr::Compare(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Not(a) | Expr::Cast(a, _) => self.expr(a),
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => {}
        }
    }
}

fn signed(kind: IntKind) -> bool {
    matches!(kind, IntKind::Machine { signed: true, .. })
}

/// Can a shift in a kind be by so many?
fn is_count(n: i128, kind: IntKind) -> bool {
    match kind {
        IntKind::Machine { bits, .. } => (0..i128::from(bits)).contains(&n),
        IntKind::Bool => n == 0,
        IntKind::Ideal => n >= 0,
    }
}

/// Does an access of a kind see all values that a cell may have?
fn is_as_wide(cell: IntKind, access: IntKind) -> bool {
    match (cell, access) {
        (IntKind::Machine { bits: a, .. }, IntKind::Machine { bits: b, .. }) => a == b,
        (_, IntKind::Ideal) | (IntKind::Ideal, _) => true,
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_cfa::diagnostic::Span;
    use relyant_cfa::{
        Count, Graph, LocationKind, ObjId, Object, ObjectKind, Precision, Reg, Register, Template,
    };

    const INT: IntKind = IntKind::INT;

    /// A program of one edge.
    fn program(op: Op) -> Program {
        let object = Object {
            name: "x".into(),
            function: None,
            cells: vec![(INT, String::new())],
            init: vec![Some(0)],
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: false,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span: Span::default(),
        };
        let mut graph = Graph::default();
        let (a, b) = (graph.add_location(Span::default()), graph.add_location(Span::default()));
        graph.locations[b.0 as usize].kind = LocationKind::End;
        graph.add_edge(a, b, op, Span::default());
        let main = Template {
            name: "main".into(),
            count: Count::AtMost(1),
            initial: true,
            param: None,
            inlined: Vec::new(),
            registers: vec![Register { name: String::new(), kind: INT }],
            entry: a,
            graph,
            procedures: Vec::new(),
        };
        Program { objects: vec![object], templates: vec![main], ..Program::default() }
    }

    fn of(op: Op) -> Vec<Undefined> {
        steps(&program(op)).into_iter().collect()
    }

    fn binary(op: BinOp, b: Expr) -> Op {
        let e = Expr::Binary(op, Box::new(Expr::Reg(Reg(0))), Box::new(b), INT);
        Op::Assign(Reg(0), e)
    }

    #[test]
    fn each_step_is_found() {
        let r = Expr::Reg(Reg(0));
        let all = [
            (binary(BinOp::Add, r.clone()), vec![Undefined::Overflow]),
            (binary(BinOp::Shl, Expr::Const(3)), vec![Undefined::Overflow]),
            (binary(BinOp::Shr, Expr::Const(3)), vec![]),
            (binary(BinOp::Shr, Expr::Const(32)), vec![Undefined::Shift]),
            (binary(BinOp::Shr, r.clone()), vec![Undefined::Shift]),
            (binary(BinOp::Div, Expr::Const(3)), vec![]),
            (binary(BinOp::Div, Expr::Const(-1)), vec![Undefined::Overflow, Undefined::Quotient]),
            (
                binary(BinOp::Rem, r.clone()),
                vec![Undefined::Overflow, Undefined::Quotient, Undefined::Division],
            ),
            (
                Op::Assign(
                    Reg(0),
                    Expr::Unary(UnOp::Float(FloatUnary::ToInt(Precision::Double)), Box::new(r.clone()), INT),
                ),
                vec![Undefined::Conversion],
            ),
            (Op::Load(Reg(0), Expr::Addr(ObjId(0)), INT), vec![]),
            (
                Op::Load(Reg(0), Expr::Addr(ObjId(0)), IntKind::Machine { bits: 8, signed: true }),
                vec![Undefined::Type],
            ),
            (Op::Load(Reg(0), r.clone(), INT), vec![Undefined::Null, Undefined::Outside, Undefined::Foreign]),
            (Op::Join { handle: r, result: None }, vec![Undefined::Join]),
        ];
        for (op, expected) in all {
            assert_eq!(of(op.clone()), expected, "{op:?}");
        }
    }

    #[test]
    fn what_wraps_or_is_checked_is_not_assumed() {
        let p = program(binary(BinOp::Rem, Expr::Reg(Reg(0))));
        let said = |signed| {
            let mut p = p.clone();
            assume(&mut p, &Options { signed, ..Options::default() });
            p.assumes
        };
        assert_eq!(said(Signed::Check), [""; 0]);
        assert_eq!(
            said(Signed::Assume),
            [Undefined::Overflow, Undefined::Division].map(Undefined::assumption)
        );
        assert_eq!(said(Signed::Wrap), [Undefined::Quotient, Undefined::Division].map(Undefined::assumption));
    }
}
