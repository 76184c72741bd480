//! Modules built by hand; the interpreter says what the programs do.

mod memory;
mod optimised;

use super::{Refusal, build};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::*;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_testing::rng::{Rng, cases};

pub(super) const INT: IntKind = IntKind::INT;

pub(super) fn reg(i: u32) -> Expr {
    Expr::Reg(Reg(i))
}
pub(super) fn num(n: i128) -> Expr {
    Expr::Const(n)
}
pub(super) fn addr(o: u32) -> Expr {
    Expr::Addr(ObjId(o))
}
pub(super) fn bin(op: BinOp, a: Expr, b: Expr, k: IntKind) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b), k)
}
pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Add, a, b, IntKind::Ideal)
}
pub(super) fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
    Expr::Compare(op, Box::new(a), Box::new(b))
}
pub(super) fn set(r: u32, e: Expr) -> Op {
    Op::Assign(Reg(r), e)
}
pub(super) fn load(r: u32, a: Expr) -> Op {
    Op::Load(Reg(r), a, INT)
}
pub(super) fn store(a: Expr, v: Expr) -> Op {
    Op::Store(a, v, INT)
}
pub(super) fn call(dst: Option<u32>, f: u32, args: &[Expr]) -> Op {
    Op::Call { dst: dst.map(Reg), callee: Callee::Known(FuncId(f)), args: args.to_vec() }
}
pub(super) fn create(handle: u32, f: u32, arg: Expr) -> Op {
    Op::Create { handle: Reg(handle), routine: Callee::Known(FuncId(f)), arg: Some(arg), template: None }
}

/// A function as a list of edges; locations are numbers, 100 is its end and 101 an error.
pub(super) fn function(name: &str, params: u32, registers: u32, edges: Vec<(u32, u32, Op)>) -> Function {
    let mut graph = Graph::default();
    let most = edges.iter().flat_map(|e| [e.0, e.1]).filter(|l| *l < 100).max().unwrap_or(0);
    for line in 0..=most {
        graph.add_location(Span { file: 0, line: line + 1, column: 1 });
    }
    let end = graph.add_location(Span::default());
    let error = graph.add_location(Span::default());
    graph.locations[end.0 as usize].kind = LocationKind::End;
    graph.locations[error.0 as usize].kind = LocationKind::Error(Violated::Assertion);
    let loc = |l: u32| {
        if l == 100 {
            end
        } else if l == 101 {
            error
        } else {
            Loc(l)
        }
    };
    for (from, to, op) in edges {
        graph.add_edge(loc(from), loc(to), op, Span::default());
    }
    Function {
        name: name.into(),
        params: (0..params).map(Reg).collect(),
        result: Some(INT),
        registers: (0..registers).map(|i| Register { name: format!("r{i}"), kind: INT }).collect(),
        locals: vec![],
        entry: Loc(0),
        graph,
        atomic: false,
        span: Span::default(),
    }
}

pub(super) fn object(name: &str, cells: usize) -> Object {
    let cells = (0..cells).map(|k| (INT, format!("[{k}]"))).collect::<Vec<_>>();
    let init = vec![Some(0); cells.len()];
    Object {
        name: name.into(),
        function: None,
        cells,
        init,
        kind: ObjectKind::Plain,
        thread_local: false,
        synthetic: false,
        look: Default::default(),
        constant: Vec::new(),
        extent: Default::default(),
        span: Span::default(),
    }
}

pub(super) fn module(objects: Vec<Object>, functions: Vec<Function>) -> Module {
    Module { objects, functions, starts: vec![FuncId(0)], ..Module::default() }
}

fn program(m: &Module) -> Program {
    let p = build(m, &Options::default()).unwrap();
    assert_eq!(p.validate(), Ok(()));
    p
}

fn plain_plan() -> super::Plan {
    super::Plan { optimise: false, ..super::Plan::default() }
}

/// Does some run reach an error?
pub(super) fn fails(p: &Program) -> bool {
    match explore(p, &ExploreOptions { max_states: 100_000, ..ExploreOptions::default() }, &|| false).unwrap()
    {
        Exploration::Violation(_) => true,
        Exploration::Exhausted { .. } => false,
        other => panic!("not explored: {other:?}"),
    }
}

/// A function that fails unless the register has the value, then returns.
pub(super) fn check(at: u32, r: u32, value: i128) -> Vec<(u32, u32, Op)> {
    vec![
        (at, 101, Op::Assume(cmp(CmpOp::Ne, reg(r), num(value)))),
        (at, at + 1, Op::Assume(cmp(CmpOp::Eq, reg(r), num(value)))),
        (at + 1, 100, Op::Return(Some(num(0)))),
    ]
}

#[test]
fn a_call_takes_arguments_and_gives_a_result() {
    for (expected, wrong) in [(7, false), (8, true)] {
        let add = function(
            "add",
            2,
            3,
            vec![(0, 1, set(2, bin(BinOp::Add, reg(0), reg(1), INT))), (1, 100, Op::Return(Some(reg(2))))],
        );
        let mut edges = vec![
            (0, 1, Op::Havoc { dst: Reg(1), source: InputSource::input("input") }),
            (1, 2, Op::Assume(cmp(CmpOp::Eq, reg(1), num(3)))),
            (2, 3, call(Some(0), 1, &[reg(1), num(4)])),
        ];
        edges.extend(check(3, 0, expected));
        let p = program(&module(vec![], vec![function("main", 0, 2, edges), add]));
        assert_eq!(fails(&p), wrong);
    }
}

#[test]
fn each_call_has_its_own_locals() {
    // f stores its parameter in a local and calls g, which has one too; main reads neither.
    let mut f = function(
        "f",
        1,
        2,
        vec![(0, 1, store(addr(0), reg(0))), (1, 2, load(1, addr(0))), (2, 100, Op::Return(Some(reg(1))))],
    );
    f.locals = vec![ObjId(0)];
    let mut edges = vec![(0, 1, call(Some(0), 1, &[num(1)])), (1, 2, call(Some(1), 1, &[num(2)]))];
    edges.push((2, 3, set(0, bin(BinOp::Add, reg(0), reg(1), INT))));
    edges.extend(check(3, 0, 3));
    let p = program(&module(vec![object("f::x", 1)], vec![function("main", 0, 2, edges), f]));
    let names: Vec<&str> = p.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["f::x", "f::x#2"]);
    assert_eq!(p.owners, [Owner::Template(0), Owner::Template(0)]);
    assert!(!fails(&p));
}

#[test]
fn an_atomic_function_is_not_interrupted() {
    // Two threads increment a counter by a read and a write in a function; main waits for both.
    for (atomic, wrong) in [(true, false), (false, true)] {
        let mut inc = function(
            "inc",
            0,
            1,
            vec![
                (0, 1, load(0, addr(0))),
                (1, 2, store(addr(0), bin(BinOp::Add, reg(0), num(1), INT))),
                (2, 100, Op::Return(None)),
            ],
        );
        inc.atomic = atomic;
        let worker =
            function("worker", 1, 1, vec![(0, 1, call(None, 1, &[])), (1, 100, Op::Return(Some(num(0))))]);
        let mut edges = vec![
            (0, 1, create(0, 2, num(0))),
            (1, 2, create(1, 2, num(0))),
            (2, 3, Op::Join { handle: reg(0), result: None }),
            (3, 4, Op::Join { handle: reg(1), result: None }),
            (4, 5, load(2, addr(0))),
        ];
        edges.extend(check(5, 2, 2));
        let p = program(&module(vec![object("x", 1)], vec![function("main", 0, 3, edges), inc, worker]));
        let names: Vec<&str> = p.templates.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["main", "worker", "worker#2"]);
        assert!(p.templates.iter().all(|t| t.count == Count::AtMost(1)));
        assert_eq!(fails(&p), wrong);
    }
}

#[test]
fn recursion_ends_by_constants_or_as_a_loop_or_is_approximated() {
    let sum = |tail: bool, n: Expr| {
        // sum(n, s) = n == 0 ? s : sum(n - 1, s + n), or with a 1 added after the call.
        let mut edges = vec![
            (0, 1, Op::Assume(cmp(CmpOp::Eq, reg(0), num(0)))),
            (1, 100, Op::Return(Some(reg(1)))),
            (0, 2, Op::Assume(cmp(CmpOp::Ne, reg(0), num(0)))),
            (
                2,
                3,
                call(
                    Some(2),
                    1,
                    &[bin(BinOp::Sub, reg(0), num(1), INT), bin(BinOp::Add, reg(1), reg(0), INT)],
                ),
            ),
        ];
        edges.push(if tail {
            (3, 100, Op::Return(Some(reg(2))))
        } else {
            (3, 100, Op::Return(Some(bin(BinOp::Add, reg(2), num(1), INT))))
        });
        let mut main = vec![
            (0, 1, Op::Havoc { dst: Reg(1), source: InputSource::input("input") }),
            (1, 2, Op::Assume(cmp(CmpOp::Eq, reg(1), num(4)))),
            (2, 3, Op::Assume(cmp(CmpOp::Ge, reg(1), num(4)))),
            (3, 4, call(Some(0), 1, &[n, num(0)])),
        ];
        main.extend(check(4, 0, if tail { 10 } else { 14 }));
        module(vec![], vec![function("main", 0, 2, main), function("sum", 2, 3, edges)])
    };
    assert!(!fails(&program(&sum(true, reg(1)))));
    assert!(!fails(&program(&sum(true, num(4)))));
    assert!(!fails(&program(&sum(false, num(4)))));
    let mut unknown = sum(false, reg(1));
    unknown.functions[0].graph.edges[1].op = Op::Skip;
    let p = build(&unknown, &Options::default()).unwrap();
    assert!(p.approximate && p.losses[0].contains("`sum`"), "{:?}", p.losses);
    // With a limit on threads those made for calls would count.
    let limited = Options { max_threads: Some(2), ..Options::default() };
    let refusal = build(&unknown, &limited).unwrap_err();
    assert!(matches!(&refusal, Refusal::Recursion { function, .. } if function == "sum"), "{refusal:?}");
}

/// `for (i = 0; i < bound; i++) create(worker, i)`, with the bound in register 1.
pub(super) fn creating_loop(bound: Op) -> Module {
    let worker = function(
        "worker",
        1,
        1,
        vec![(0, 1, store(plus(addr(0), reg(0)), num(1))), (1, 100, Op::Return(Some(num(0))))],
    );
    let main = function(
        "main",
        0,
        3,
        vec![
            (0, 1, bound),
            (1, 2, set(0, num(0))),
            (2, 3, Op::Assume(cmp(CmpOp::Lt, reg(0), reg(1)))),
            (3, 4, create(2, 1, reg(0))),
            (4, 2, set(0, bin(BinOp::Add, reg(0), num(1), INT))),
            (2, 100, Op::Assume(cmp(CmpOp::Ge, reg(0), reg(1)))),
        ],
    );
    module(vec![object("a", 4)], vec![main, worker])
}

#[test]
fn a_loop_with_a_constant_bound_makes_a_template_each_round() {
    let p = program(&creating_loop(set(1, num(3))));
    assert_eq!(p.templates.len(), 4);
    for (i, t) in p.templates[1..].iter().enumerate() {
        assert_eq!((t.count, t.param), (Count::AtMost(1), None));
        // The index is known, and no register is left.
        assert_eq!(t.registers.len(), 0);
        let store = t.graph.edges.iter().find_map(|e| match &e.op {
            Op::Store(a, ..) => PointsTo::new(&p).targets(i as u32 + 1, a).into(),
            _ => None,
        });
        assert_eq!(store, Some(Targets::Objects([(ObjId(0), Some(i))].into())));
    }
}

#[test]
fn a_loop_without_bound_makes_one_template_without_bound() {
    let p = program(&creating_loop(Op::Havoc { dst: Reg(1), source: InputSource::input("input") }));
    assert_eq!(p.templates.len(), 2);
    assert_eq!(p.templates[1].count, Count::Unbounded);
    assert!(p.templates[1].param.is_some());
}

#[test]
fn a_routine_that_creates_itself_is_unbounded() {
    let worker =
        function("worker", 1, 2, vec![(0, 1, create(1, 1, num(0))), (1, 100, Op::Return(Some(num(0))))]);
    let main = function("main", 0, 1, vec![(0, 1, create(0, 1, num(0))), (1, 100, Op::Return(Some(num(0))))]);
    let p = program(&module(vec![], vec![main, worker]));
    let counts: Vec<Count> = p.templates.iter().map(|t| t.count).collect();
    assert_eq!(counts, [Count::AtMost(1), Count::AtMost(1), Count::Unbounded]);
}

#[test]
fn creations_of_which_one_happens_share_a_template() {
    let worker = function("worker", 1, 1, vec![(0, 100, Op::Return(Some(num(0))))]);
    let main = function(
        "main",
        0,
        2,
        vec![
            (0, 1, Op::Havoc { dst: Reg(1), source: InputSource::input("input") }),
            (1, 2, Op::Assume(cmp(CmpOp::Lt, reg(1), num(0)))),
            (1, 3, Op::Assume(cmp(CmpOp::Ge, reg(1), num(0)))),
            (2, 4, create(0, 1, num(5))),
            (3, 4, create(0, 1, num(5))),
            (4, 100, Op::Return(Some(num(0)))),
        ],
    );
    let p = program(&module(vec![], vec![main, worker]));
    assert_eq!(p.templates.len(), 2);
    assert_eq!(p.templates[1].count, Count::AtMost(1));
}
