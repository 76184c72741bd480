//! Orders of states: which are simulations, rule by rule, on programs of one or two steps; and which states of a set are larger.

use Direction::{Exact, Falling, Rising};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{
    BinOp, Callee, CmpOp, Count, Expr, FuncId, Graph, InputSource, IntKind, Loc, LocationKind, ObjId, Object,
    ObjectKind, Op, Owner, Program, Reg, Register, Template, UnOp, Violated,
};
use relyant_check::states::order::{Direction, Order, holds};
use relyant_check::states::split::{Larger, Parts, below};
use relyant_check::states::{Encoding, Rejection, Space, StateLimits, check};
use relyant_interp::machine::Machine;
use relyant_interp::normal::{Normal, NormalOptions, Scratch};

const INT: IntKind = IntKind::INT;
const LONG: IntKind = IntKind::Machine { bits: 64, signed: true };
const UNSIGNED: IntKind = IntKind::Machine { bits: 32, signed: false };
const UNSIGNED_LONG: IntKind = IntKind::Machine { bits: 64, signed: false };

// Registers of the main thread: one exact, two rising, one falling, and a rising one without a sign.
const A: u32 = 0;
const R: u32 = 1;
const R2: u32 = 2;
const F: u32 = 3;
const U: u32 = 4;
// Objects: one exact, one rising, one falling.
const C: u32 = 0;
const O: u32 = 1;
const L: u32 = 2;

fn reg(r: u32) -> Expr {
    Expr::Reg(Reg(r))
}
fn n(k: i128) -> Expr {
    Expr::Const(k)
}
fn at(o: u32) -> Expr {
    Expr::Addr(ObjId(o))
}
fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b), INT)
}
fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
    Expr::Compare(op, Box::new(a), Box::new(b))
}
fn not(a: Expr) -> Expr {
    Expr::Not(Box::new(a))
}
fn cast(a: Expr, kind: IntKind) -> Expr {
    Expr::Cast(Box::new(a), kind)
}
fn assign(r: u32, x: Expr) -> Op {
    Op::Assign(Reg(r), x)
}
fn load(r: u32, a: Expr, kind: IntKind) -> Op {
    Op::Load(Reg(r), a, kind)
}
fn store(a: Expr, x: Expr, kind: IntKind) -> Op {
    Op::Store(a, x, kind)
}
fn create(arg: Option<Expr>, template: Option<u32>) -> Op {
    Op::Create { handle: Reg(A), routine: Callee::Known(FuncId(0)), arg, template }
}
fn havoc(dst: u32, source: InputSource) -> Op {
    Op::Havoc { dst: Reg(dst), source }
}

fn template(name: &str, kinds: &[IntKind], param: Option<Reg>) -> Template {
    let registers = kinds.iter().map(|kind| Register { name: String::new(), kind: *kind }).collect();
    let mut graph = Graph::default();
    for _ in 0..4 {
        graph.add_location(Span::default());
    }
    graph.locations[2].kind = LocationKind::Error(Violated::Assertion);
    graph.locations[3].kind = LocationKind::End;
    Template {
        name: name.into(),
        count: Count::AtMost(1),
        initial: param.is_none(),
        param,
        registers,
        entry: Loc(0),
        graph,
        inlined: Vec::new(),
        procedures: Vec::new(),
    }
}

/// A program whose main thread has these edges; location 2 is an error, 3 the end. A second template takes something rising,
/// a third something exact.
fn program(edges: &[(u32, u32, Op)]) -> Program {
    let mut main = template("main", &[INT, INT, INT, INT, UNSIGNED], None);
    for (from, to, op) in edges {
        main.graph.add_edge(Loc(*from), Loc(*to), op.clone(), Span::default());
    }
    let other = || template("other", &[INT], Some(Reg(0)));
    let object = |i: i32| Object {
        name: format!("x{i}"),
        function: None,
        kind: ObjectKind::Plain,
        cells: vec![(INT, String::new())],
        init: vec![Some(0)],
        thread_local: false,
        synthetic: false,
        constant: Vec::new(),
        extent: Default::default(),
        span: Span::default(),
        look: Default::default(),
    };
    Program {
        objects: (0..3).map(object).collect(),
        owners: vec![Owner::Shared; 3],
        bases: vec![64, 66, 68],
        templates: vec![main, other(), other()],
        ..Program::default()
    }
}

fn order() -> Order {
    let registers = vec![vec![Exact, Rising, Rising, Falling, Rising], vec![Rising], vec![Exact]];
    Order { registers, objects: vec![Exact, Rising, Falling] }
}

fn one(op: Op) -> bool {
    holds(&program(&[(0, 1, op)]), &order())
}

#[test]
fn steps_that_keep_the_order() {
    use BinOp::{Add, Mul, Sub};
    let steps = [
        Op::Skip,
        Op::Halt,
        havoc(R, InputSource::input("f")),
        assign(R, reg(A)),
        assign(F, reg(A)),
        assign(R, bin(Add, reg(R), reg(R2))),
        assign(R, bin(Add, reg(A), reg(R2))),
        assign(R, bin(Sub, reg(R2), reg(F))),
        assign(F, bin(Sub, reg(A), reg(R))),
        assign(R, bin(Mul, reg(R), n(2))),
        assign(F, bin(Mul, n(-1), reg(R))),
        assign(F, bin(Mul, reg(R), n(-1))),
        assign(A, bin(BinOp::Rem, reg(A), n(2))),
        assign(R, cmp(CmpOp::Gt, reg(R2), reg(F))),
        assign(R, cmp(CmpOp::Le, reg(A), reg(R))),
        assign(F, not(cmp(CmpOp::Gt, reg(R), reg(A)))),
        assign(R, cast(cmp(CmpOp::Gt, reg(R), reg(A)), IntKind::Bool)),
        assign(R, cast(reg(R2), INT)),
        assign(R, cast(reg(R2), LONG)),
        assign(R, cast(reg(U), LONG)),
        assign(R, cast(reg(R2), IntKind::Ideal)),
        load(R, at(O), INT),
        load(R, at(C), UNSIGNED),
        load(F, at(L), INT),
        load(R, reg(A), INT),
        store(at(O), reg(R), INT),
        store(at(L), reg(F), INT),
        store(at(O), reg(A), UNSIGNED),
        store(reg(A), reg(A), INT),
        Op::Assume(cmp(CmpOp::Gt, reg(R), reg(A))),
        Op::Assume(cmp(CmpOp::Eq, reg(A), n(1))),
        create(Some(reg(R)), Some(1)),
        create(Some(reg(A)), Some(2)),
        create(Some(reg(A)), None),
        create(None, None),
        Op::Join { handle: reg(A), result: None },
        Op::ThreadExit(reg(A)),
    ];
    for op in steps {
        assert!(one(op.clone()), "{op:?}");
    }
}

#[test]
fn steps_that_do_not() {
    use BinOp::{Add, Div, Mul, Rem, Sub};
    let unsigned = |op, a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b), UNSIGNED);
    let ideal = |a: Expr, b: Expr| Expr::Binary(Add, Box::new(a), Box::new(b), IntKind::Ideal);
    let steps = [
        // The other direction, or none.
        assign(A, reg(R)),
        assign(A, reg(F)),
        assign(F, reg(R)),
        assign(R, reg(F)),
        assign(R, bin(Add, reg(R), reg(F))),
        assign(A, bin(Add, reg(A), reg(R))),
        assign(A, bin(Add, reg(R), reg(A))),
        assign(R, bin(Sub, reg(R), reg(R2))),
        assign(R, bin(Sub, reg(A), reg(R))),
        assign(A, bin(Sub, reg(R), reg(R))),
        assign(R, bin(Mul, reg(R), n(-1))),
        assign(R, bin(Mul, n(-1), reg(R))),
        assign(R, bin(Mul, reg(R), reg(R2))),
        assign(R, bin(Mul, reg(A), reg(R))),
        assign(R, bin(Div, reg(R), n(2))),
        assign(R, bin(Rem, reg(R), n(2))),
        assign(A, bin(Rem, reg(A), reg(R))),
        assign(R, bin(BinOp::And, reg(R), n(1))),
        assign(R, unsigned(Add, reg(U), n(1))),
        assign(R, unsigned(Mul, reg(U), n(2))),
        assign(R, Expr::Unary(UnOp::Neg, Box::new(reg(R)), INT)),
        assign(F, Expr::Unary(UnOp::Neg, Box::new(reg(R)), INT)),
        // What is no truth value has no opposite.
        assign(F, not(reg(R))),
        assign(R, not(cmp(CmpOp::Gt, reg(R), reg(A)))),
        assign(A, cmp(CmpOp::Gt, reg(R), reg(A))),
        assign(A, cmp(CmpOp::Eq, reg(R), reg(A))),
        assign(A, cmp(CmpOp::Ne, reg(A), reg(R))),
        assign(R, cmp(CmpOp::Gt, reg(R), reg(R2))),
        assign(R, cmp(CmpOp::Ge, reg(A), reg(R))),
        assign(R, cmp(CmpOp::Lt, reg(R), reg(A))),
        assign(R, cmp(CmpOp::Le, reg(F), reg(F))),
        // Conversions that change something.
        assign(R, cast(reg(R), IntKind::Bool)),
        assign(R, cast(reg(R), UNSIGNED)),
        assign(R, cast(reg(R), UNSIGNED_LONG)),
        assign(R, cast(reg(U), INT)),
        assign(R, cast(ideal(reg(R), n(1)), INT)),
        assign(R, cast(cast(reg(R), LONG), INT)),
        // Memory in another kind, or in the other direction.
        load(R, at(O), UNSIGNED),
        load(R, at(O), LONG),
        load(A, at(O), INT),
        load(F, at(O), INT),
        load(R, reg(R), INT),
        load(R, reg(F), INT),
        store(at(O), reg(R), UNSIGNED),
        store(at(O), reg(R), LONG),
        store(at(L), reg(F), UNSIGNED),
        store(at(C), reg(R), INT),
        store(at(O), reg(F), INT),
        store(reg(R), reg(A), INT),
        store(reg(A), reg(R), INT),
        // Addresses that others may access objects by.
        assign(A, at(O)),
        assign(A, bin(Add, at(O), n(1))),
        assign(A, bin(Add, n(1), at(O))),
        assign(A, not(at(O))),
        assign(A, cast(at(O), LONG)),
        assign(A, Expr::Unary(UnOp::Neg, Box::new(at(O)), INT)),
        store(at(C), at(O), INT),
        load(A, bin(Add, at(O), n(0)), INT),
        store(bin(Add, at(L), n(0)), n(1), INT),
        Op::Assume(cmp(CmpOp::Eq, reg(A), at(O))),
        Op::Assume(cmp(CmpOp::Eq, at(O), reg(A))),
        // Conditions that the larger state may not meet, or that are none.
        Op::Assume(reg(R)),
        Op::Assume(cmp(CmpOp::Gt, reg(A), reg(R))),
        Op::Assume(cmp(CmpOp::Gt, reg(F), reg(A))),
        Op::Assume(cmp(CmpOp::Eq, reg(R), reg(A))),
        // Threads.
        create(Some(reg(R)), Some(2)),
        create(Some(reg(F)), Some(1)),
        create(Some(reg(R)), None),
        create(Some(bin(Mul, reg(R), reg(R))), Some(1)),
        Op::Join { handle: reg(R), result: None },
        Op::ThreadExit(reg(R)),
        Op::Call { dst: None, callee: Callee::Known(FuncId(0)), args: Vec::new() },
        Op::Return(None),
    ];
    for op in steps {
        assert!(!one(op.clone()), "{op:?}");
    }
}

#[test]
fn what_a_larger_state_does_not_do_must_be_an_error() {
    let falls = || cmp(CmpOp::Gt, reg(F), reg(A));
    let assume = |x: Expr| Op::Assume(x);
    // The condition of the second edge, where it starts, and where it leads to.
    let second =
        |from: u32, to: u32, op: Op| holds(&program(&[(0, 1, assume(falls())), (from, to, op)]), &order());
    assert!(second(0, 2, assume(falls().is_false())));
    assert!(!second(1, 2, assume(falls().is_false())));
    assert!(!second(0, 3, assume(falls().is_false())));
    assert!(!second(0, 2, assume(cmp(CmpOp::Gt, reg(R), reg(A)))));
    assert!(!second(0, 2, Op::Skip));
    assert!(!second(0, 2, assume(falls())));
}

#[test]
fn what_an_order_needs_of_the_program() {
    type Change = fn(&mut Program, &mut Order);
    let changes: [(&str, Change); 9] = [
        ("deadlocks", |p, _| p.deadlock = true),
        ("sums that wrap", |p, _| p.signed_wraps = true),
        ("more cells than one", |p, _| {
            p.objects[O as usize].cells.push((INT, String::new()));
            p.objects[O as usize].init.push(Some(0));
        }),
        ("no start value", |p, _| p.objects[O as usize].init = vec![None]),
        ("declared in a thread", |p, _| {
            let graph = &mut p.templates[0].graph;
            graph.add_edge(Loc(0), Loc(1), havoc(R, InputSource::uninitialised()), Span::default());
            graph.add_edge(Loc(1), Loc(3), store(at(O), reg(R), INT), Span::default());
        }),
        ("a template with procedures", |p, _| {
            p.templates[0].procedures.push(relyant_cfa::Procedure {
                function: FuncId(0),
                name: String::new(),
                entry: Loc(0),
                params: Vec::new(),
                registers: 0..0,
                locations: 0..0,
                objects: Vec::new(),
            });
        }),
        ("the other template has a step that does not fit", |p, _| {
            let graph = &mut p.templates[1].graph;
            graph.add_edge(Loc(0), Loc(3), store(at(L), reg(0), INT), Span::default());
        }),
        ("what the argument goes to is exact", |_, o| o.registers[1] = vec![Exact]),
        ("what is stored goes to an exact object", |_, o| o.objects[O as usize] = Exact),
    ];
    let edges = [(0, 0, create(Some(reg(R)), Some(1))), (0, 0, store(at(O), reg(R), INT)), (0, 3, Op::Skip)];
    assert!(holds(&program(&edges), &order()));
    for (what, change) in changes {
        let (mut p, mut o) = (program(&edges), order());
        change(&mut p, &mut o);
        assert!(!holds(&p, &o), "{what}");
        // Equality is always an order.
        assert!(holds(&p, &Order::exact(&p)), "{what}");
    }
}

#[test]
fn an_order_has_a_direction_for_all() {
    let p = program(&[(0, 3, assign(R, n(1)))]);
    type Change = fn(&mut Order);
    let changes: [Change; 5] = [
        |o| o.registers.truncate(2),
        |o| o.registers[0].truncate(4),
        |o| o.registers[0].push(Exact),
        |o| o.objects.truncate(2),
        |o| o.objects.push(Exact),
    ];
    assert!(order().fits(&p));
    for change in changes {
        let mut o = order();
        change(&mut o);
        assert!(!o.fits(&p), "{o:?}");
        let space = Space::new(Encoding { symmetry: false }, std::iter::empty()).with_order(Some(o));
        let answer = check(&p, &space, &StateLimits::default());
        assert!(matches!(answer, Err(Rejection::Incomplete(_))), "{answer:?}");
    }
    // And one that is none is not taken either.
    let wrong = program(&[(0, 3, assign(F, reg(R)))]);
    let space = Space::new(Encoding { symmetry: false }, std::iter::empty()).with_order(Some(order()));
    assert!(matches!(check(&wrong, &space, &StateLimits::default()), Err(Rejection::Incomplete(_))));
}

#[test]
fn a_state_is_larger_by_its_numbers_only() {
    assert!(below(&[1, 2], &[1, 2]) && below(&[1, 2], &[1, 3]) && below(&[], &[]));
    assert!(!below(&[1, 2], &[1, 1]) && !below(&[2, 1], &[1, 2]) && !below(&[1], &[1, 2]));

    // What is stored later is what matters: all registers and objects are read again.
    let back = [store(at(C), reg(A), INT), store(at(O), reg(R), INT), store(at(L), reg(F), INT)];
    let mut edges: Vec<(u32, u32, Op)> = back.into_iter().map(|op| (0, 1, op)).collect();
    edges.extend([(1, 0, load(A, at(C), INT)), (1, 0, load(R, at(O), INT)), (1, 3, load(F, at(L), INT))]);
    let p = program(&edges);
    assert!(holds(&p, &order()));
    let machine = Machine::late(&p).unwrap();
    let normal = Normal::new(&machine, NormalOptions { symmetry: false, keep_dead: true });
    let start = machine.initial(&[], 0).unwrap();
    let registers = start.threads[0].at;
    // Cells first, then registers of the main thread.
    let packed = |cells: [i128; 3], data: [i128; 4]| {
        let mut state = start.clone();
        state.cells.copy_from_slice(&cells);
        state.data[registers..registers + 4].copy_from_slice(&data);
        let mut bytes = Vec::new();
        normal.pack(&state, &mut Scratch::default(), &mut bytes);
        bytes
    };
    let below_of = |large: ([i128; 3], [i128; 4]), small: ([i128; 3], [i128; 4])| {
        let states = [packed(large.0, large.1)];
        let space = Space::new(Encoding { symmetry: false }, states.iter().map(|s| &s[..]));
        let larger = Larger::new(&machine, &normal, &order(), &space);
        larger.find(&normal, &packed(small.0, small.1), &mut Parts::default()) == Some(0)
    };
    let small = ([5, 5, 5], [5, 5, 5, 5]);
    let big = i128::from(i32::MAX);
    assert!(below_of(small, small));
    for (cells, data, expected) in [
        ([5, 6, 5], [5, 5, 5, 5], true),
        ([5, 5, 4], [5, 5, 5, 5], true),
        ([5, 5, 5], [5, 6, 5, 5], true),
        ([5, 5, 5], [5, 5, 5, 4], true),
        ([5, big, -big], [5, big, 5, -big], true),
        // Smaller somewhere, or other than it.
        ([6, 5, 5], [5, 5, 5, 5], false),
        ([5, 4, 5], [5, 6, 5, 5], false),
        ([5, 6, 6], [5, 5, 5, 5], false),
        ([5, 5, 5], [6, 5, 5, 5], false),
        ([5, 5, 5], [5, 4, 5, 5], false),
        ([5, 5, 5], [5, 6, 5, 6], false),
        // Numbers that no such cell or register has.
        ([5, big + 1, 5], [5, 5, 5, 5], false),
        ([5, 5, -big - 2], [5, 5, 5, 5], false),
        ([5, 5, 5], [5, big + 1, 5, 5], false),
        ([5, 5, 5], [5, 5, 5, -big - 2], false),
    ] {
        assert_eq!(below_of((cells, data), small), expected, "{cells:?} {data:?}");
    }
}
