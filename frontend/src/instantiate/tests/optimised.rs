//! What is known of memory when a thread begins, and programs with what is known put in.

use super::*;

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
        let plain = crate::instantiate::build_as(&m, &options, &plain_plan()).unwrap();
        let fast = crate::instantiate::build_as(&m, &options, &crate::instantiate::Plan::default()).unwrap();
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
        let searched = crate::instantiate::build_for_search(&m, &options).unwrap();
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
