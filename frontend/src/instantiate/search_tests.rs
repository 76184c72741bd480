//! Programs for searching: procedures, templates shared by creations, registers.

use super::build_for_search;
use super::tests::*;
use relyant_cfa::InputSource;
use relyant_cfa::options::Options;
use relyant_cfa::*;

fn searched(m: &Module) -> Program {
    let p = build_for_search(m, &Options::default()).unwrap();
    assert_eq!(p.validate(), Ok(()));
    p
}

fn names(t: &Template) -> Vec<&str> {
    t.procedures.iter().map(|p| p.name.as_str()).collect()
}

fn counts(p: &Program) -> Vec<(&str, Count)> {
    p.templates.iter().map(|t| (t.name.as_str(), t.count)).collect()
}

/// `f(n) = n <= 0 ? 1 : n * g(n - 1)`.
fn product(name: &str, g: u32) -> Function {
    function(
        name,
        1,
        3,
        vec![
            (0, 1, Op::Assume(cmp(CmpOp::Le, reg(0), num(0)))),
            (1, 100, Op::Return(Some(num(1)))),
            (0, 2, Op::Assume(cmp(CmpOp::Gt, reg(0), num(0)))),
            (2, 3, call(Some(1), g, &[bin(BinOp::Sub, reg(0), num(1), INT)])),
            (3, 4, set(2, bin(BinOp::Mul, reg(0), reg(1), INT))),
            (4, 100, Op::Return(Some(reg(2)))),
        ],
    )
}

#[test]
fn a_recursive_function_stays_a_procedure() {
    let main = |expected: i128| {
        let mut edges = vec![(0, 1, call(Some(0), 1, &[num(4)])), (1, 2, Op::Skip)];
        edges.extend(check(2, 0, expected));
        function("main", 0, 1, edges)
    };
    assert!(fails(&searched(&module(vec![], vec![main(23), product("f", 1)]))));
    let p = searched(&module(vec![], vec![main(24), product("f", 1)]));
    assert!(!fails(&p));
    let t = &p.templates[0];
    assert_eq!(names(t), ["f"]);
    let f = &t.procedures[0];
    assert_eq!((f.function, f.params.len()), (FuncId(1), 1));
    let calls: Vec<Option<&str>> = t
        .graph
        .edges
        .iter()
        .filter(|e| matches!(e.op, Op::Call { .. }))
        .map(|e| t.procedure_at(e.from).map(|p| p.name.as_str()))
        .collect();
    assert_eq!(calls, [None, Some("f")]);
    let returns = t.graph.edges.iter().filter(|e| matches!(e.op, Op::Return(_)));
    assert!(returns.clone().count() == 2 && returns.clone().all(|e| f.locations.contains(&e.to.0)));
}

#[test]
fn functions_that_call_each_other_are_all_procedures_and_others_are_inlined() {
    // main calls h, which calls f; f and g call each other, and g calls h2, which calls nothing.
    let h =
        function("h", 1, 2, vec![(0, 1, call(Some(1), 2, &[reg(0)])), (1, 100, Op::Return(Some(reg(1))))]);
    let mut g = product("g", 2);
    g.graph.add_edge(Loc(4), Loc(3), call(None, 4, &[num(1)]), g.span);
    let h2 = function("h2", 1, 1, vec![(0, 1, store(addr(0), reg(0))), (1, 100, Op::Return(None))]);
    let mut edges = vec![(0, 1, call(Some(0), 1, &[num(4)])), (1, 2, Op::Skip)];
    edges.extend(check(2, 0, 24));
    let main = function("main", 0, 1, edges);
    let p = searched(&module(vec![object("x", 1)], vec![main, h, product("f", 3), g, h2]));
    let t = &p.templates[0];
    assert_eq!(names(t), ["f", "g"]);
    assert!(!fails(&p));
    let store = t.graph.edges.iter().find(|e| matches!(e.op, Op::Store(..))).unwrap();
    assert_eq!(t.procedure_at(store.from).map(|p| p.name.as_str()), Some("g"));
}

#[test]
fn a_call_of_oneself_as_the_last_act_is_a_loop() {
    let f = function(
        "f",
        1,
        2,
        vec![
            (0, 1, Op::Assume(cmp(CmpOp::Le, reg(0), num(0)))),
            (1, 100, Op::Return(Some(num(7)))),
            (0, 2, Op::Assume(cmp(CmpOp::Gt, reg(0), num(0)))),
            (2, 3, call(Some(1), 1, &[bin(BinOp::Sub, reg(0), num(1), INT)])),
            (3, 100, Op::Return(Some(reg(1)))),
        ],
    );
    for (expected, wrong) in [(7, false), (8, true)] {
        let mut edges = vec![(0, 1, call(Some(0), 1, &[num(4)])), (1, 2, Op::Skip)];
        edges.extend(check(2, 0, expected));
        let p = searched(&module(vec![], vec![function("main", 0, 1, edges), f.clone()]));
        assert!(p.templates[0].procedures.is_empty());
        assert_eq!(fails(&p), wrong);
    }
}

#[test]
fn calls_inside_atomic_sections_have_copies_that_are_atomic() {
    // f from an open location, and from an atomic one; an atomic function has only the latter kind.
    for atomic in [false, true] {
        let mut f = product("f", 1);
        f.atomic = atomic;
        let edges = vec![
            (0, 1, call(Some(0), 1, &[num(2)])),
            (1, 2, Op::Skip),
            (2, 3, load(0, addr(0))),
            (3, 4, call(Some(0), 1, &[num(3)])),
            (4, 5, store(addr(0), reg(0))),
            (5, 100, Op::Return(Some(num(0)))),
        ];
        let mut main = function("main", 0, 1, edges);
        main.graph.locations[3].atomic = true;
        main.graph.locations[4].atomic = true;
        let p = searched(&module(vec![object("x", 1)], vec![main, f]));
        let t = &p.templates[0];
        let n = t.procedures.len();
        assert_eq!(n, if atomic { 1 } else { 2 });
        let normal = |p: &Procedure| {
            let all = &t.graph.locations[p.locations.start as usize..p.locations.end as usize];
            let inside: Vec<bool> =
                all.iter().filter(|l| l.kind == LocationKind::Normal).map(|l| l.atomic).collect();
            inside
        };
        let copies: Vec<Vec<bool>> = t.procedures.iter().map(normal).collect();
        assert!(copies[n - 1].iter().all(|a| *a), "{copies:?}");
        assert!(atomic || copies[0].iter().all(|a| !*a), "{copies:?}");
        // Each copy calls itself.
        for e in t.graph.edges.iter() {
            if let (Op::Call { callee, .. }, Some(home)) = (&e.op, t.procedure_at(e.from)) {
                assert_eq!(t.procedure(callee).map(|p| p.function), Some(home.function));
            }
        }
    }
}

#[test]
fn a_recursive_atomic_function_is_not_interrupted() {
    // Two threads run f(2): f(n) reads x, calls f(n - 1) if n > 0, and writes what it read plus 1.
    for (atomic, wrong) in [(true, false), (false, true)] {
        let mut f = function(
            "f",
            1,
            2,
            vec![
                (0, 1, Op::Assume(cmp(CmpOp::Gt, reg(0), num(0)))),
                (0, 2, Op::Assume(cmp(CmpOp::Le, reg(0), num(0)))),
                (1, 2, call(None, 1, &[bin(BinOp::Sub, reg(0), num(1), INT)])),
                (2, 3, load(1, addr(0))),
                (3, 4, store(addr(0), bin(BinOp::Add, reg(1), num(1), INT))),
                (4, 100, Op::Return(None)),
            ],
        );
        f.atomic = atomic;
        let worker = function(
            "worker",
            1,
            1,
            vec![(0, 1, call(None, 1, &[num(1)])), (1, 100, Op::Return(Some(num(0))))],
        );
        let mut edges = vec![
            (0, 1, create(0, 2, num(0))),
            (1, 2, create(1, 2, num(0))),
            (2, 3, Op::Join { handle: reg(0), result: None }),
            (3, 4, Op::Join { handle: reg(1), result: None }),
            (4, 5, load(2, addr(0))),
        ];
        edges.extend(check(5, 2, 4));
        let p = searched(&module(vec![object("x", 1)], vec![function("main", 0, 3, edges), f, worker]));
        assert_eq!(fails(&p), wrong);
    }
}

#[test]
fn a_call_through_a_pointer_may_be_recursive() {
    // f(n) calls what x holds: f.
    let mut f = product("f", 1);
    f.graph.edges[3].op = Op::Load(Reg(3), addr(0), IntKind::Ideal);
    f.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
    f.graph.edges[4].op = Op::Call {
        dst: Some(Reg(1)),
        callee: Callee::Pointer(reg(3)),
        args: vec![bin(BinOp::Sub, reg(0), num(1), INT)],
    };
    let mut x = object("x", 1);
    x.cells[0].0 = IntKind::Ideal;
    let edges = vec![
        (0, 1, Op::Store(addr(0), Expr::Func(FuncId(1)), IntKind::Ideal)),
        (1, 2, call(Some(0), 1, &[num(2)])),
        (2, 100, Op::Return(Some(num(0)))),
    ];
    let p = searched(&module(vec![x], vec![function("main", 0, 1, edges), f]));
    assert_eq!(names(&p.templates[0]), ["f"]);
}

#[test]
fn missing_arguments_and_results_are_any_value() {
    // f(a, b) returns without a value; it is called with one argument, and its result is used.
    let mut f = product("f", 1);
    f.params.push(Reg(2));
    f.graph.edges[1].op = Op::Return(None);
    let edges = vec![(0, 1, call(Some(0), 1, &[num(2)])), (1, 100, Op::Return(Some(reg(0))))];
    let p = searched(&module(vec![], vec![function("main", 0, 1, edges), f]));
    let t = &p.templates[0];
    let any = |p: Option<&Procedure>| {
        let inside = |l: Loc| t.procedure_at(l).map(|q| q.function) == p.map(|q| q.function);
        t.graph.edges.iter().filter(|e| inside(e.from) && matches!(e.op, Op::Havoc { .. })).count()
    };
    assert_eq!((any(None), any(Some(&t.procedures[0]))), (1, 2));
    assert!(t.graph.edges.iter().all(|e| e.op != Op::Return(None)));
}

#[test]
fn each_call_of_a_procedure_has_its_own_objects() {
    // f(n) keeps n in an object while it calls itself, and returns it then; the address may reach a register but not memory.
    for escapes in [false, true] {
        let mut f = product("f", 1);
        f.locals = vec![ObjId(1)];
        f.registers.push(Register { name: String::new(), kind: IntKind::Ideal });
        f.graph.edges[3].op = Op::Skip;
        let n = f.graph.locations.len() as u32;
        f.graph.add_location(f.span);
        f.graph.add_location(f.span);
        f.graph.edges[2].to = Loc(n);
        f.graph.add_edge(Loc(n), Loc(n + 1), store(addr(1), reg(0)), f.span);
        let op =
            if escapes { Op::Store(addr(0), addr(1), IntKind::Ideal) } else { Op::Assign(Reg(3), addr(1)) };
        f.graph.add_edge(Loc(n + 1), Loc(2), op, f.span);
        f.graph.edges[4].op = load(2, reg(3));
        f.graph.edges[3].op = call(Some(1), 1, &[bin(BinOp::Sub, reg(0), num(1), INT)]);
        let mut x = object("x", 1);
        x.cells[0].0 = IntKind::Ideal;
        let mut edges = vec![(0, 1, call(Some(0), 1, &[num(4)]))];
        edges.extend(check(1, 0, 4));
        let m = module(vec![x, object("f::n", 1)], vec![function("main", 0, 1, edges), f]);
        let p = searched(&m);
        assert!(!fails(&p));
        if escapes {
            // Calls take objects of all threads then.
            assert!(p.templates[0].procedures[0].objects.is_empty());
            assert!(p.objects.iter().any(|o| o.name == "f::n.2"));
            assert_eq!(p.owners[1], Owner::Shared);
        } else {
            assert_eq!(p.templates[0].procedures[0].objects, [ObjId(1)]);
            assert_eq!(p.owners[1], Owner::Template(0));
        }
    }
}

#[test]
fn threads_of_one_routine_share_a_template() {
    // Twice one after the other, and once in either branch: three at most.
    let worker = function("worker", 1, 1, vec![(0, 100, Op::Return(Some(num(0))))]);
    let main = function(
        "main",
        0,
        2,
        vec![
            (0, 1, create(0, 1, num(0))),
            (1, 2, create(0, 1, num(1))),
            (2, 3, Op::Havoc { dst: Reg(1), source: InputSource::input("input") }),
            (3, 4, Op::Assume(cmp(CmpOp::Lt, reg(1), num(0)))),
            (3, 5, Op::Assume(cmp(CmpOp::Ge, reg(1), num(0)))),
            (4, 6, create(0, 1, num(2))),
            (5, 6, create(0, 1, num(3))),
            (6, 100, Op::Return(Some(num(0)))),
        ],
    );
    let p = searched(&module(vec![], vec![main, worker]));
    assert_eq!(counts(&p), [("main", Count::AtMost(1)), ("worker", Count::AtMost(3))]);
}

#[test]
fn loops_that_create_threads_stay_loops() {
    let p = searched(&creating_loop(set(1, num(3))));
    assert_eq!(counts(&p), [("main", Count::AtMost(1)), ("worker", Count::Unbounded)]);
    assert!(p.templates[1].param.is_some());
    assert!(!fails(&p));
}

#[test]
fn recursion_that_creates_threads_is_without_bound() {
    let mut f = product("f", 1);
    f.graph.add_edge(Loc(4), Loc(3), create(2, 2, num(0)), f.span);
    let worker = function("worker", 1, 1, vec![(0, 100, Op::Return(Some(num(0))))]);
    let edges = vec![(0, 1, call(Some(0), 1, &[num(4)])), (1, 100, Op::Return(Some(reg(0))))];
    let p = searched(&module(vec![], vec![function("main", 0, 1, edges), f, worker]));
    assert_eq!(counts(&p), [("main", Count::AtMost(1)), ("worker", Count::Unbounded)]);
}

#[test]
fn a_start_named_twice_is_one_template_of_two_threads() {
    let mut m = module(vec![], vec![function("f", 0, 1, vec![(0, 100, Op::Return(Some(num(0))))])]);
    m.starts = vec![FuncId(0), FuncId(0)];
    let p = searched(&m);
    assert_eq!(counts(&p), [("f", Count::AtMost(2))]);
    assert!(p.templates[0].initial);
}

#[test]
fn temporaries_share_registers_and_names_stay() {
    // Four loads into temporaries, one after the other; then a sum of two at the same time.
    let temporaries = |f: &mut Function| f.registers.iter_mut().skip(1).for_each(|r| r.name.clear());
    let mut edges = Vec::new();
    for k in 0..4 {
        edges.push((2 * k, 2 * k + 1, load(k + 1, addr(0))));
        edges.push((2 * k + 1, 2 * k + 2, store(addr(1), bin(BinOp::Add, reg(k + 1), reg(0), INT))));
    }
    edges.push((8, 9, load(5, addr(0))));
    edges.push((9, 10, load(6, addr(1))));
    edges.push((10, 11, set(0, bin(BinOp::Add, reg(5), reg(6), INT))));
    edges.push((11, 12, store(addr(0), reg(0))));
    edges.push((12, 100, Op::Return(Some(num(0)))));
    let mut main = function("main", 0, 7, edges);
    temporaries(&mut main);
    let p = searched(&module(vec![object("x", 1), object("y", 1)], vec![main]));
    let names: Vec<&str> = p.templates[0].registers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["r0", "", ""]);
}

/// Edges from places where the program assumes something, and conditions elsewhere that one can wait for.
fn assumed(text: &str) -> (usize, usize) {
    let m = crate::c::load_text("test.c", text, &Options::default()).unwrap();
    let p = searched(&m);
    let mut counts = (0, 0);
    for t in &p.templates {
        let out = t.graph.out_edges();
        for (l, edges) in t.graph.locations.iter().zip(&out) {
            let blocks =
                matches!(edges[..], [e] if matches!(t.graph.edges[e].op, Op::Assume(_) | Op::Join { .. }));
            counts.0 += usize::from(l.assumes && (blocks || edges.is_empty()));
            counts.1 += usize::from(!l.assumes && blocks);
        }
    }
    counts
}

#[test]
fn assumptions_are_told_from_waiting() {
    let with = |body: &str| {
        assumed(&format!(
            "typedef unsigned long pthread_t; typedef struct {{ int x; }} pthread_mutex_t;
             int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
             int pthread_join(pthread_t, void **); void __VERIFIER_assume(int);
             pthread_mutex_t m; int x, y; int main() {{ x = 1; y = 1; {body} return 0; }}"
        ))
    };
    assert_eq!(with("x = 1;"), (0, 0));
    assert_eq!(with("__VERIFIER_assume(x > 0);"), (1, 0));
    assert_eq!(with("__VERIFIER_assume(x > 0 && y > 0);"), (2, 0));
    assert_eq!(with("__VERIFIER_assume(0);"), (1, 0));
    assert_eq!(with("pthread_mutex_lock(&m);"), (0, 1));
    // That the thread holds the lock it gives back is assumed.
    assert_eq!(with("pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"), (1, 1));
    assert_eq!(with("pthread_join(x, 0);"), (0, 1));
}
