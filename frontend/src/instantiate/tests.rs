//! Modules built by hand; the interpreter says what the programs do.

use super::{Refusal, build};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::*;
use relyant_interp::explore::{Exploration, Options as ExploreOptions, explore};
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
    graph.locations[error.0 as usize].kind = LocationKind::Error("assertion".into());
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
        cells,
        init,
        thread_local: false,
        synthetic: false,
        constant: Vec::new(),
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
            (0, 1, Op::Havoc { dst: Reg(1), source: "input".into() }),
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
            (0, 1, Op::Havoc { dst: Reg(1), source: "input".into() }),
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
    let p = program(&creating_loop(Op::Havoc { dst: Reg(1), source: "input".into() }));
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
            (0, 1, Op::Havoc { dst: Reg(1), source: "input".into() }),
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

#[test]
fn a_pointer_calls_what_it_holds() {
    // p = input ? f : g; p(); the result is what f or g returns.
    let f = function("f", 0, 0, vec![(0, 100, Op::Return(Some(num(1))))]);
    let g = function("g", 0, 0, vec![(0, 100, Op::Return(Some(num(2))))]);
    let unused = function("h", 0, 0, vec![(0, 100, Op::Return(Some(num(3))))]);
    for (least, wrong) in [(1, false), (2, true)] {
        let main = function(
            "main",
            0,
            3,
            vec![
                (0, 1, Op::Havoc { dst: Reg(0), source: "input".into() }),
                (1, 2, Op::Assume(cmp(CmpOp::Lt, reg(0), num(0)))),
                (1, 3, Op::Assume(cmp(CmpOp::Ge, reg(0), num(0)))),
                (2, 4, set(1, Expr::Func(FuncId(1)))),
                (3, 4, set(1, Expr::Func(FuncId(2)))),
                (4, 5, Op::Call { dst: Some(Reg(2)), callee: Callee::Pointer(reg(1)), args: vec![] }),
                (5, 101, Op::Assume(cmp(CmpOp::Lt, reg(2), num(least)))),
                (5, 101, Op::Assume(cmp(CmpOp::Gt, reg(2), num(2)))),
                (5, 100, Op::Return(Some(num(0)))),
            ],
        );
        let p = program(&module(vec![], vec![main, f.clone(), g.clone(), unused.clone()]));
        assert_eq!(fails(&p), wrong);
    }
}

#[test]
fn thread_locals_are_copied_and_constant_objects_read() {
    let mut x = object("x", 1);
    x.thread_local = true;
    let mut limit = object("limit", 1);
    limit.init = vec![Some(2)];
    // Each thread increments its own x; creations up to `limit`.
    let touch = |next: u32| {
        vec![
            (next, next + 1, load(1, addr(0))),
            (next + 1, next + 2, store(addr(0), bin(BinOp::Add, reg(1), num(1), INT))),
            (next + 2, 101, Op::Assume(cmp(CmpOp::Ne, reg(1), num(0)))),
            (next + 2, 100, Op::Return(Some(num(0)))),
        ]
    };
    let mut main = vec![
        (0, 1, load(1, addr(1))),
        (1, 2, set(0, num(0))),
        (2, 3, Op::Assume(cmp(CmpOp::Lt, reg(0), reg(1)))),
        (3, 4, create(2, 1, reg(0))),
        (4, 2, set(0, bin(BinOp::Add, reg(0), num(1), INT))),
        (2, 5, Op::Assume(cmp(CmpOp::Ge, reg(0), reg(1)))),
    ];
    main.extend(touch(5));
    let p = program(&module(
        vec![x, limit],
        vec![function("main", 0, 3, main), function("worker", 1, 2, touch(0))],
    ));
    assert_eq!(p.templates.len(), 3);
    let owned: Vec<Owner> = p.owners.iter().copied().filter(|o| *o != Owner::Shared).collect();
    assert_eq!(owned, [Owner::Template(0), Owner::Template(1), Owner::Template(2)]);
    assert!(!fails(&p));
}

#[test]
fn a_local_given_to_a_thread_is_shared() {
    // main gives the address of its local to a thread, which sets it.
    let mut worker =
        function("worker", 1, 1, vec![(0, 1, store(reg(0), num(1))), (1, 100, Op::Return(Some(num(0))))]);
    worker.registers[0].kind = IntKind::Ideal;
    let mut edges = vec![
        (0, 1, store(addr(0), num(0))),
        (1, 2, create(0, 1, addr(0))),
        (2, 3, Op::Join { handle: reg(0), result: None }),
        (3, 4, load(1, addr(0))),
    ];
    edges.extend(check(4, 1, 1));
    let mut main = function("main", 0, 2, edges);
    main.locals = vec![ObjId(0)];
    let p = program(&module(vec![object("main::x", 1)], vec![main, worker]));
    assert_eq!(p.owners, [Owner::Shared]);
    assert!(!fails(&p));
}

#[test]
fn addresses_flow_through_memory_and_arithmetic() {
    // p = &a[1]; cell = p; q = cell; *(q + 1); r = input ? &a : &b; *r; *input
    let mut main = function(
        "main",
        0,
        6,
        vec![
            (0, 1, Op::Havoc { dst: Reg(3), source: "input".into() }),
            (1, 2, set(0, plus(addr(0), num(1)))),
            (2, 3, Op::Store(addr(2), reg(0), IntKind::Ideal)),
            (3, 4, Op::Load(Reg(1), addr(2), IntKind::Ideal)),
            (4, 5, load(4, plus(reg(1), num(1)))),
            (5, 6, Op::Assume(cmp(CmpOp::Lt, reg(3), num(0)))),
            (6, 7, set(2, addr(0))),
            (5, 7, set(2, addr(1))),
            (7, 8, load(4, reg(2))),
            (8, 9, load(5, plus(addr(0), reg(3)))),
            (9, 10, store(addr(1), reg(4))),
            (10, 11, store(addr(1), reg(5))),
            (11, 100, Op::Return(Some(num(0)))),
        ],
    );
    for r in [0, 1, 2] {
        main.registers[r].kind = IntKind::Ideal;
    }
    let mut pointer = object("p", 1);
    pointer.cells[0].0 = IntKind::Ideal;
    let m = module(vec![object("a", 3), object("b", 1), pointer], vec![main]);
    let p = super::build_as(&m, &Options::default(), &plain_plan()).unwrap();
    let points_to = PointsTo::new(&p);
    let loads: Vec<Targets> = p.templates[0]
        .graph
        .edges
        .iter()
        .filter_map(|e| if let Op::Load(_, a, _) = &e.op { Some(points_to.targets(0, a)) } else { None })
        .collect();
    let (a, b, p) = (ObjId(0), ObjId(1), ObjId(2));
    assert!(loads.contains(&Targets::Objects([(p, Some(0))].into())));
    assert!(loads.contains(&Targets::Objects([(a, Some(2))].into())));
    assert!(loads.contains(&Targets::Objects([(a, Some(0)), (b, Some(0))].into())));
    assert!(loads.contains(&Targets::Objects([(a, None)].into())));
}

/// `for (i = 0; i < 3; i++) { ids[i] = i + 10; create(worker, &ids[i]); }`, then `ids[late] = 7` if `late` is given.
fn threads_with_ids(late: Option<i128>) -> Module {
    let mut worker = function(
        "worker",
        1,
        2,
        vec![(0, 1, load(1, reg(0))), (1, 2, store(addr(1), reg(1))), (2, 100, Op::Return(Some(num(0))))],
    );
    worker.registers[0].kind = IntKind::Ideal;
    let mut edges = vec![
        (0, 1, set(0, num(0))),
        (1, 2, Op::Assume(cmp(CmpOp::Lt, reg(0), num(3)))),
        (2, 3, store(plus(addr(0), reg(0)), bin(BinOp::Add, reg(0), num(10), INT))),
        (3, 4, create(1, 1, plus(addr(0), reg(0)))),
        (4, 1, set(0, bin(BinOp::Add, reg(0), num(1), INT))),
        (1, 5, Op::Assume(cmp(CmpOp::Ge, reg(0), num(3)))),
    ];
    match late {
        Some(k) => edges.push((5, 6, store(plus(addr(0), num(k)), num(7)))),
        None => edges.push((5, 6, Op::Skip)),
    }
    edges.push((6, 100, Op::Return(Some(num(0)))));
    let mut main = function("main", 0, 2, edges);
    main.locals = vec![ObjId(0)];
    module(vec![object("main::ids", 3), object("x", 1)], vec![main, worker])
}

#[test]
fn threads_know_what_was_written_for_them_before_they_began() {
    for late in [None, Some(1)] {
        let p = program(&threads_with_ids(late));
        assert_eq!(p.templates.len(), 4);
        for (k, t) in p.templates[1..].iter().enumerate() {
            let loads = t.graph.edges.iter().filter(|e| matches!(e.op, Op::Load(..))).count();
            let written = t.graph.edges.iter().find_map(|e| match &e.op {
                Op::Store(_, Expr::Const(n), _) => Some(*n),
                _ => None,
            });
            // A cell that main writes later is read by the thread itself.
            let known = late != Some(k as i128);
            assert_eq!((loads, written), if known { (0, Some(k as i128 + 10)) } else { (1, None) });
        }
    }
}

/// A random function: mostly forward, with loops, over registers that stay within 0 to 3. Register 0 is the
/// parameter, the last one holds handles.
pub(super) fn random_function(rng: &mut Rng, name: &str, callees: &[u32], routines: &[u32]) -> Function {
    let writes_all = name == "main";
    const REGISTERS: usize = 4;
    let n = 3 + rng.below(6) as u32;
    let any = |rng: &mut Rng| match rng.below(3) {
        0 => num(rng.below(4) as i128),
        _ => reg(rng.below(REGISTERS) as u32),
    };
    let mut edges = Vec::new();
    for at in 0..n {
        let next = |rng: &mut Rng| if rng.percent(20) { rng.below(n as usize) as u32 } else { at + 1 };
        let dst = rng.below(REGISTERS) as u32;
        // Only main writes the object 2; its cells are mostly named by constants.
        let kind = rng.below(3);
        let cell = |write: bool, rng: &mut Rng| match kind {
            0 => plus(addr(0), bin(BinOp::And, any(rng), num(3), INT)),
            1 if writes_all || !write => {
                plus(addr(2), bin(BinOp::And, any(rng), num(rng.pick(&[1, 3])), INT))
            }
            _ => addr(1),
        };
        let sum = bin(BinOp::And, bin(BinOp::Add, any(rng), any(rng), INT), num(3), INT);
        match rng.below(10) {
            0 | 1 => edges.push((at, next(rng), set(dst, sum))),
            2 => edges.push((at, next(rng), load(dst, cell(false, rng)))),
            3 | 4 => edges.push((at, next(rng), store(cell(true, rng), sum))),
            5 | 6 => {
                let c = cmp(rng.pick(&[CmpOp::Lt, CmpOp::Eq, CmpOp::Le]), any(rng), any(rng));
                let to = if rng.percent(45) { 101 } else { next(rng) };
                edges.push((at, to, Op::Assume(c.clone())));
                edges.push((at, at + 1, Op::Assume(c.is_false())));
            }
            7 if !callees.is_empty() => {
                edges.push((at, at + 1, call(Some(dst), rng.pick(callees), &[any(rng)])))
            }
            8 if !routines.is_empty() => {
                edges.push((at, at + 1, create(REGISTERS as u32, rng.pick(routines), any(rng))));
            }
            9 => edges.push((at, at + 1, Op::Join { handle: reg(REGISTERS as u32), result: None })),
            _ => edges.push((at, next(rng), Op::Skip)),
        }
    }
    edges.push((n, 100, Op::Return(Some(bin(BinOp::And, any(rng), num(3), INT)))));
    let mut f = function(name, 1, REGISTERS as u32 + 1, edges);
    for l in 1..n as usize {
        f.graph.locations[l].atomic = rng.percent(15);
        if rng.percent(20) {
            f.graph.locations[l].labels.push("critical".into());
        }
    }
    f.atomic = rng.percent(10);
    f
}

/// Constant propagation, unrolling and simplification change no verdict, nor does one template for each routine.
#[test]
fn optimised_programs_do_the_same() {
    let (mut decided, mut wrong, mut smaller) = (0, 0, 0);
    for seed in 0..cases(2_000) {
        let mut rng = Rng::new(seed);
        let routines = vec![
            random_function(&mut rng, "main", &[3], &[1, 2]),
            random_function(&mut rng, "worker", &[3], &[]),
            random_function(&mut rng, "other", &[3], &[]),
            random_function(&mut rng, "helper", &[], &[]),
        ];
        let m = module(vec![object("a", 4), object("x", 1), object("m", 4)], routines);
        let exclusive = rng.percent(30).then(|| "critical".to_string());
        let options = Options { exclusive, ..Options::default() };
        let plain = super::build_as(&m, &options, &plain_plan()).unwrap();
        let fast = super::build_as(&m, &options, &super::Plan::default()).unwrap();
        assert_eq!(fast.validate(), Ok(()), "seed {seed}");
        let limits = ExploreOptions {
            max_states: 1_000,
            max_steps: 20_000,
            max_move: 60,
            ..ExploreOptions::default()
        };
        let run = |p: &Program| match explore(p, &limits, &|| false) {
            Ok(Exploration::Violation(_)) => Some(true),
            Ok(Exploration::Exhausted { complete: true, .. }) => Some(false),
            _ => None,
        };
        let searched = super::build_for_search(&m, &options).unwrap();
        assert_eq!(searched.validate(), Ok(()), "seed {seed}");
        let (a, b, c) = (run(&plain), run(&fast), run(&searched));
        if let (Some(a), Some(c)) = (a, c) {
            assert_eq!(a, c, "seed {seed}, the program that is searched");
        }
        if let (Some(a), Some(b)) = (a, b) {
            assert_eq!(a, b, "seed {seed}");
            decided += 1;
            wrong += u64::from(a);
        }
        smaller += u64::from(fast.templates[0].graph.edges.len() < plain.templates[0].graph.edges.len());
    }
    // The comparison means something: many programs of either kind, and the steps did something.
    let n = cases(2_000);
    let kinds = format!("{decided} of {n} decided, {wrong} wrong, {smaller} smaller");
    assert!(decided * 4 > n && wrong * 10 > decided && (decided - wrong) * 10 > decided, "{kinds}");
    assert!(smaller * 2 > n, "{kinds}");
}
