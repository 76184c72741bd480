//! Normal forms of states of hand-built programs.

use super::explore::{Exploration, ExploreOptions, explore};
use super::machine::{Machine, State};
use super::normal::{Base, Moved, Normal, NormalOptions, Scratch};
use super::replay::replay;
use super::tests::{Body, all, eq, num, plus, program, reg};
use relyant_cfa::*;
use relyant_cfa::{InputSource, Violated};

const SORTED: NormalOptions = NormalOptions { symmetry: true, keep_dead: false };

fn sorted(p: &Program) -> Exploration {
    explore(p, &ExploreOptions { symmetry: true, ..ExploreOptions::default() }, &|| false).unwrap()
}

fn states(e: Exploration) -> usize {
    match e {
        Exploration::Exhausted { states, complete: true } => states,
        other => panic!("{other:?}"),
    }
}

fn is_sorted(p: &Program) -> bool {
    Normal::new(&Machine::new(p).unwrap(), SORTED).is_sorted()
}

/// `n` workers under a mutex that holds its owner; main joins some of them and checks that the count is not `bad`.
fn locked(n: u32, joined: u32, bad: i128) -> Program {
    let mut worker = Body::new("worker", Count::AtMost(n), false, 2);
    worker.load(0, 1).atomic().op(Op::Assume(eq(reg(0), num(0)))).atomic().store(1, Expr::SelfId);
    worker.load(1, 0).store(0, plus(reg(1), num(1)));
    worker.load(0, 1).atomic().op(Op::Assume(eq(reg(0), Expr::SelfId))).atomic().store(1, num(0));
    let mut main = Body::new("main", Count::AtMost(1), true, n + 1);
    for r in 0..n {
        main.op(Op::Create {
            handle: Reg(r),
            routine: Callee::Known(FuncId(1)),
            arg: None,
            template: Some(1),
        });
    }
    for r in 0..joined {
        main.op(Op::Join { handle: reg(r), result: None });
    }
    main.load(n, 0);
    let checked = main.last();
    main.op(Op::Assume(eq(reg(n), num(bad)))).kind(LocationKind::Error(Violated::Assertion));
    main.op(Op::Skip);
    main.template.graph.edges.pop();
    let fine = main.last();
    main.jump(checked, fine, Op::Assume(eq(reg(n), num(bad)).is_false()));
    main.op(Op::Halt).kind(LocationKind::End);
    program(&[("x", Some(0)), ("m", Some(0))], vec![main.template, worker.end()])
}

#[test]
fn workers_that_are_joined_and_own_a_lock_change_places() {
    // Those that are not joined, or were, are interchangeable; main can tell those that it will join.
    for (joined, factor) in [(0, 3), (1, 1)] {
        let p = locked(3, joined, -1);
        assert!(is_sorted(&p));
        let (plain, one) = (states(all(&p)), states(sorted(&p)));
        assert!(one * factor < plain, "{one} of {plain}");
    }
    for (joined, bad) in [(0, 3), (1, 1), (3, 3)] {
        let wrong = locked(3, joined, bad);
        let Exploration::Violation(schedule) = sorted(&wrong) else { panic!() };
        assert_eq!(replay(&wrong, &schedule).map(|t| t.violation), Ok(Violated::Assertion));
    }
    for bad in [0, 2] {
        let right = locked(3, 3, bad);
        assert!(states(all(&right)) >= states(sorted(&right)));
    }
}

#[test]
fn threads_that_can_be_told_apart_keep_their_places() {
    // The handle is a number: added to, compared with a number of its own, or compared for order.
    let third = |worker: &mut Body, test: Expr| {
        worker.op(Op::Assume(test)).kind(LocationKind::Error(Violated::Label("third".into())));
    };
    let tests = [
        eq(plus(Expr::SelfId, num(0)), num(4)),
        eq(Expr::SelfId, num(4)),
        Expr::Compare(CmpOp::Gt, Box::new(Expr::SelfId), Box::new(num(3))),
    ];
    for test in tests {
        let mut p = locked(3, 3, 2);
        let mut worker = Body::new("worker", Count::AtMost(3), false, 2);
        third(&mut worker, test);
        p.templates[1] = worker.template;
        assert!(!is_sorted(&p));
        let Exploration::Violation(schedule) = sorted(&p) else { panic!() };
        assert!(replay(&p, &schedule).is_ok());
    }
}

#[test]
fn cells_that_nobody_reads_are_left_out() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Havoc { dst: Reg(0), source: InputSource::input("input") });
    one.op(Op::Assume(eq(reg(0), num(5)))).store(0, reg(0)).op(Op::Skip);
    let start = Loc(1);
    let last = one.last();
    one.jump(start, last, Op::Skip);
    let p = program(&[("x", Some(0)), ("c", Some(7))], vec![one.end()]);
    let with = ExploreOptions { keep_dead: true, ..ExploreOptions::default() };
    let with = states(explore(&p, &with, &|| false).unwrap());
    assert!(states(all(&p)) < with);
    // What is never written keeps its start value.
    let machine = Machine::new(&p).unwrap();
    let normal = Normal::new(&machine, SORTED);
    let (mut bytes, mut back) = (Vec::new(), State::default());
    normal.pack(&machine.initial(&[], 0).unwrap(), &mut Scratch::default(), &mut bytes);
    normal.unpack(&bytes, &mut back);
    assert_eq!(back.cells.len(), 2);
}

/// Thread `i` of the first state is the `order[i]`th of the other.
#[test]
fn threads_in_another_order_are_one_state() {
    let p = locked(3, 3, 2);
    let machine = Machine::new(&p).unwrap();
    let normal = Normal::new(&machine, SORTED);
    let run = |steps: &[(usize, u32)]| {
        let mut state = machine.initial(&[], 0).unwrap();
        for (thread, edge) in steps {
            machine.step(&mut state, *thread, *edge, None, &[]).unwrap();
        }
        state
    };
    let pack = |state: &State| {
        let (mut bytes, mut scratch) = (Vec::new(), Scratch::default());
        normal.pack(state, &mut scratch, &mut bytes);
        (bytes, scratch.order)
    };
    let create = [(0, 0), (0, 1), (0, 2)];
    let lock = |t: usize| [(t, 0), (t, 1), (t, 2)];
    let a = run(&[&create[..], &lock(1)].concat());
    let b = run(&[&create[..], &lock(3)].concat());
    // Main joins the first worker first, so that it matters which one has the lock.
    assert_ne!(pack(&a).0, pack(&b).0);
    let whole = |t: usize| [&lock(t)[..], &[(t, 3), (t, 4), (t, 5), (t, 6), (t, 7)]].concat();
    let c = run(&[&create[..], &whole(1), &[(1, 8), (0, 3)], &whole(2), &lock(3)].concat());
    let d = run(&[&create[..], &whole(1), &[(1, 8), (0, 3)], &whole(3), &lock(2)].concat());
    assert_ne!(pack(&c).0, pack(&d).0);
    let e = run(&[&create[..], &whole(1), &whole(2), &whole(3)].concat());
    let f = run(&[&create[..], &whole(3), &whole(1), &whole(2)].concat());
    assert_eq!(pack(&e).0, pack(&f).0);
    for state in [a, b, c, d, e, f] {
        let (bytes, order) = pack(&state);
        let mut back = State::default();
        normal.unpack(&bytes, &mut back);
        assert_eq!(pack(&back), (bytes, (0..order.len() as u32).collect()));
        for (i, old) in order.iter().enumerate() {
            let (new, old) = (&back.threads[i], &state.threads[*old as usize]);
            assert_eq!((new.name.template, new.ended), (old.name.template, old.ended));
            assert!(new.ended.is_some() || new.loc == old.loc);
        }
    }
}

/// Threads that did not move keep their bytes, whoever is created, ends or changes places meanwhile.
#[test]
fn only_threads_that_moved_are_written_anew() {
    let p = locked(3, 3, 2);
    let machine = Machine::new(&p).unwrap();
    let normal = Normal::new(&machine, SORTED);
    let (mut scratch, mut base) = (Scratch::default(), Base::default());
    let (mut whole, mut bytes) = (Vec::new(), Vec::new());
    let mut state = machine.initial(&[], 0).unwrap();
    let (mut moves, mut kept, mut moved) = (0, 0, Moved::ALL);
    // Each thread in turn, as far as it can.
    for turn in 0..400 {
        let thread = turn % state.threads.len();
        let edges = machine.out(&state, thread).to_vec();
        let open = |e: &&u32| !machine.is_blocked(&state, thread, **e);
        let Some(edge) = edges.iter().find(open).copied().filter(|_| state.threads[thread].ended.is_none())
        else {
            continue;
        };
        // Now and then a new base, so that several threads have moved in between.
        if moves % 3 == 0 {
            normal.base(&state, &mut scratch, &mut base);
            moved = Moved::NONE;
        }
        if machine.step(&mut state, thread, edge, None, &[]).is_err() || state.halted {
            break;
        }
        moved.add(thread);
        moves += 1;
        normal.pack(&state, &mut scratch, &mut whole);
        let order = scratch.order.clone();
        normal.pack_moved(&state, (&base, moved), &mut scratch, &mut bytes);
        assert_eq!((&bytes, &scratch.order), (&whole, &order));
        kept += usize::from(moved != Moved::ALL && state.threads.len() > 1);
    }
    assert!(moves > 20 && kept > 20, "{moves} {kept}");
}

#[test]
fn threads_that_have_ended_are_dropped() {
    // One worker after the other, without end: there are finitely many states.
    let worker = Body::new("worker", Count::Unbounded, false, 0).op(Op::Skip).end();
    let mut main = Body::new("main", Count::AtMost(1), true, 1);
    let head = main.last();
    let create =
        Op::Create { handle: Reg(0), routine: Callee::Known(FuncId(1)), arg: None, template: Some(1) };
    main.op(create).op(Op::Join { handle: reg(0), result: None });
    let joined = main.last();
    main.jump(joined, head, Op::Skip);
    let p = program(&[], vec![main.template, worker]);
    let few = ExploreOptions { max_states: 1000, ..ExploreOptions::default() };
    assert!(matches!(explore(&p, &few, &|| false), Ok(Exploration::Limit { .. })));
    assert_eq!(states(sorted(&p)), 5);
}

#[test]
fn activations_that_wait_keep_what_they_need() {
    let p = super::tests::recursive(6, 20);
    let machine = Machine::new(&p).unwrap();
    let start = machine.initial(&[], 0).unwrap();
    for options in [SORTED, NormalOptions { symmetry: true, keep_dead: true }] {
        let normal = Normal::new(&machine, options);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        let mut scratch = Scratch::default();
        let (mut direct, mut packed) = (start.clone(), start.clone());
        let mut sizes = Vec::new();
        // The only way on, by the machine alone, and with a detour through bytes at each step.
        loop {
            let edges = machine.out(&direct, 0).to_vec();
            let next = edges.iter().find(|e| !machine.is_blocked(&direct, 0, **e));
            let Some(edge) = next else { break };
            machine.step(&mut direct, 0, *edge, None, &[]).unwrap();
            if direct.halted {
                break;
            }
            machine.step(&mut packed, 0, *edge, None, &[]).unwrap();
            normal.pack(&direct, &mut scratch, &mut bytes);
            normal.pack(&packed, &mut scratch, &mut again);
            assert_eq!(bytes, again);
            sizes.push(bytes.len());
            normal.unpack(&bytes, &mut packed);
            assert_eq!(machine.calls(&packed, 0).count(), machine.calls(&direct, 0).count());
        }
        assert!(direct.halted && sizes.len() > 15 && sizes.iter().max() > Some(&15), "{sizes:?}");
    }
}
