//! Operators as cases against their values: no value is missed, and where cases say that they are exact, none is added.

use super::arrays::{ArrayLimits, Arrays};
use super::case::eq;
use super::range::Range;
use super::ranges::Env;
use super::value::Linear;
use super::variables::Variables;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{
    BinOp, CmpOp, Count, Expr, FloatOp, FloatUnary, Graph, IntKind, Loc, Precision, Program, Reg, Register,
    Template, UnOp,
};
use relyant_interp::eval;
use relyant_linear::{LinExpr, Satisfiable};
use relyant_testing::rng::{Rng, cases};

fn program(kinds: &[IntKind]) -> Program {
    let mut graph = Graph::default();
    graph.add_location(Span::default());
    let registers = kinds.iter().map(|kind| Register { name: String::new(), kind: *kind }).collect();
    let template = Template {
        name: "main".into(),
        count: Count::AtMost(1),
        initial: true,
        param: None,
        registers,
        entry: Loc(0),
        graph,
        inlined: Vec::new(),
        procedures: Vec::new(),
    };
    Program { templates: vec![template], ..Program::default() }
}

/// Values of a kind: small ones, those at its ends, and any.
fn number(rng: &mut Rng, kind: IntKind) -> i128 {
    let (min, max) = (kind.min().unwrap_or(-1000), kind.max().unwrap_or(1000));
    let v = match rng.below(4) {
        0 => (rng.below(8) as i128) - 3,
        1 => min + (rng.below(4) as i128),
        2 => max - (rng.below(4) as i128),
        _ => min + (rng.below(1 << 20) as i128) % (max - min + 1),
    };
    v.clamp(min, max)
}

fn range(rng: &mut Rng, kind: IntKind) -> Range {
    let (a, b) = (number(rng, kind), number(rng, kind));
    match rng.below(4) {
        0 => Range::of_kind(kind),
        1 => Range::one(a),
        2 => Range::between(Some(0.max(kind.min().unwrap_or(0))), kind.max()),
        _ => Range::between(Some(a.min(b)), Some(a.max(b))),
    }
}

fn within(rng: &mut Rng, kind: IntKind, r: &Range) -> i128 {
    if let Some(v) = r.values() {
        return v[rng.below(v.len())];
    }
    number(rng, kind).clamp(r.lo().unwrap_or(-1000), r.hi().unwrap_or(1000))
}

fn expression(rng: &mut Rng, kind: IntKind) -> Expr {
    let reg = |r| Box::new(Expr::Reg(Reg(r)));
    let right = match rng.below(3) {
        0 => Box::new(Expr::Const(number(rng, kind))),
        1 => reg(0),
        _ => reg(1),
    };
    let ops = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
    ];
    match rng.below(14) {
        k if k < ops.len() => Expr::Binary(ops[k], reg(0), right, kind),
        10 => Expr::Unary(if rng.below(2) == 0 { UnOp::Neg } else { UnOp::BitNot }, reg(0), kind),
        11 => {
            let bits = [1, 8, 16, 32][rng.below(4)];
            Expr::Cast(reg(0), IntKind::Machine { bits, signed: rng.below(2) == 0 })
        }
        12 => Expr::Compare(CmpOp::Lt, reg(0), right),
        _ => Expr::Not(reg(0)),
    }
}

/// The cases of an expression that give a value to given registers.
fn gives(l: &Linear<'_>, e: &Expr, registers: &[i128], v: i128) -> Option<bool> {
    let mut found = None;
    for c in l.value(e) {
        let mut all = c.guard.and(&c.bounds);
        for (k, x) in registers.iter().enumerate() {
            all.push(eq(&LinExpr::var(l.register(Reg(k as u32))), &LinExpr::int(*x)));
        }
        all.push(eq(&c.value, &LinExpr::int(v)));
        match all.sat_int() {
            Satisfiable::Unsat => {}
            _ => found = Some(found.unwrap_or(true) && c.exact),
        }
    }
    found
}

#[test]
fn operators_have_all_their_values() {
    let mut rng = Rng::new(7);
    let (mut exact, mut defined) = (0, 0);
    for _ in 0..cases(4000) {
        let bits = [8, 16, 32][rng.below(3)];
        let kind = IntKind::Machine { bits, signed: rng.below(2) == 0 };
        let mut p = program(&[kind, kind]);
        p.signed_wraps = rng.below(3) == 0;
        let (points_to, arrays) = (PointsTo::new(&p), Arrays::new(&p, ArrayLimits::default()));
        let variables = Variables::new(&p, &arrays, &Default::default());
        let ranges = [range(&mut rng, kind), range(&mut rng, kind)];
        let e = expression(&mut rng, kind);
        let env = Env {
            program: &p,
            template: 0,
            registers: &ranges.iter().cloned().collect(),
            points_to: &points_to,
            arrays: &arrays,
        };
        let l = Linear { env, variables: &variables };
        let at = [within(&mut rng, kind, &ranges[0]), within(&mut rng, kind, &ranges[1])];
        let run = eval::Env {
            registers: &at,
            self_id: 1,
            bases: &[],
            function_bases: &[],
            signed_wraps: p.signed_wraps,
        };
        let what = || format!("{e} at {at:?} in {ranges:?}, wrapping {}", p.signed_wraps);
        let Ok(v) = eval::eval(&e, &run) else {
            assert!(!l.total(&e), "{} has no value", what());
            continue;
        };
        defined += 1;
        assert!(env.range(&e).contains(v), "{} is {v}, outside of {:?}", what(), env.range(&e));
        let found = gives(&l, &e, &at, v);
        assert!(found.is_some(), "{} is {v}, which no case gives", what());
        if l.value(&e).iter().all(|c| c.exact) {
            exact += 1;
            for other in [v + 1, v - 1, -v, v ^ 8] {
                assert!(
                    other == v || gives(&l, &e, &at, other).is_none(),
                    "{} may be {other}, not {v}",
                    what()
                );
            }
        }
    }
    assert!(cases(4000) < 4000 || (defined > 2000 && exact > 1000), "{defined} defined, {exact} exact");
}

#[test]
fn floating_point_operators_have_all_their_values() {
    let d = Precision::Double;
    let p = program(&[d.kind(), IntKind::INT]);
    let (points_to, arrays) = (PointsTo::new(&p), Arrays::new(&p, ArrayLimits::default()));
    let variables = Variables::new(&p, &arrays, &Default::default());
    let any = [Range::of_kind(d.kind()), Range::of_kind(IntKind::INT)];
    let env = Env {
        program: &p,
        template: 0,
        registers: &any.into_iter().collect(),
        points_to: &points_to,
        arrays: &arrays,
    };
    let l = Linear { env, variables: &variables };
    let reg = |r| Box::new(Expr::Reg(Reg(r)));
    let half = Box::new(Expr::Const(d.of(0.5)));
    let one = |op, a, kind| Expr::Unary(UnOp::Float(op), a, kind);
    let expressions = [
        Expr::Binary(BinOp::Float(FloatOp::Add, d), reg(0), half.clone(), d.kind()),
        Expr::Binary(BinOp::Float(FloatOp::Less, d), half, reg(0), IntKind::INT),
        one(FloatUnary::FromInt(d), reg(1), d.kind()),
        one(FloatUnary::ToInt(d), reg(0), IntKind::INT),
        one(FloatUnary::Negate(d), reg(0), d.kind()),
    ];
    for e in &expressions {
        for x in [0.0, -1.5, 7.25] {
            let at = [d.of(x), 3];
            let run = eval::Env {
                registers: &at,
                self_id: 1,
                bases: &[],
                function_bases: &[],
                signed_wraps: false,
            };
            let v = eval::eval(e, &run).expect("a value");
            assert_eq!(gives(&l, e, &at, v), Some(false), "{e} at {x}");
        }
    }
}
