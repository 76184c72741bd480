//! Pointers, objects of threads, addresses that flow through memory.

use super::*;

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
                (0, 1, Op::Havoc { dst: Reg(0), source: InputSource::input("input") }),
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
            (0, 1, Op::Havoc { dst: Reg(3), source: InputSource::input("input") }),
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
    let p = crate::instantiate::build_as(&m, &Options::default(), &plain_plan()).unwrap();
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
