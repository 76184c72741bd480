//! Hand-built programs: what they do is known from their text.

use super::explore::{Exploration, ExploreOptions, explore, quick_search};
use super::machine::{Machine, Stop};
use super::replay::{ReplayError, replay};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::schedule::{Move, Schedule, ThreadRef};
use relyant_cfa::*;
use relyant_cfa::{InputSource, ObjectKind, Violated};

/// Builds a template's graph line by line; every operation gets a line of its own.
pub(super) struct Body {
    pub(super) template: Template,
    line: u32,
}

const INT: IntKind = IntKind::INT;

fn obj(i: u32) -> Expr {
    Expr::Addr(ObjId(i))
}

pub(super) fn reg(i: u32) -> Expr {
    Expr::Reg(Reg(i))
}

pub(super) fn num(c: i128) -> Expr {
    Expr::Const(c)
}

pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::Add, Box::new(a), Box::new(b), INT)
}

pub(super) fn eq(a: Expr, b: Expr) -> Expr {
    Expr::Compare(CmpOp::Eq, Box::new(a), Box::new(b))
}

impl Body {
    pub(super) fn new(name: &str, count: Count, initial: bool, registers: u32) -> Self {
        let names = ["a", "b", "c", "d"];
        let registers = (0..registers).map(|r| Register { name: names[r as usize].into(), kind: INT });
        let mut graph = Graph::default();
        let entry = graph.add_location(Span::default());
        let registers = registers.collect();
        Body {
            template: Template {
                name: name.into(),
                count,
                initial,
                param: None,
                registers,
                entry,
                graph,
                inlined: Vec::new(),
                procedures: Vec::new(),
            },
            line: 0,
        }
    }
    pub(super) fn last(&self) -> Loc {
        Loc(self.template.graph.locations.len() as u32 - 1)
    }
    pub(super) fn op(&mut self, op: Op) -> &mut Self {
        self.line += 1;
        let span = Span { file: 0, line: self.line, column: 1 };
        let from = self.last();
        let to = self.template.graph.add_location(span);
        self.template.graph.add_edge(from, to, op, span);
        self
    }
    pub(super) fn jump(&mut self, from: Loc, to: Loc, op: Op) -> &mut Self {
        self.template.graph.add_edge(from, to, op, Span::default());
        self
    }
    pub(super) fn kind(&mut self, kind: LocationKind) -> &mut Self {
        let last = self.last();
        self.template.graph.locations[last.0 as usize].kind = kind;
        self
    }
    pub(super) fn label(&mut self, label: &str) -> &mut Self {
        let last = self.last();
        self.template.graph.locations[last.0 as usize].labels.push(label.into());
        self
    }
    pub(super) fn atomic(&mut self) -> &mut Self {
        let last = self.last();
        self.template.graph.locations[last.0 as usize].atomic = true;
        self
    }
    pub(super) fn load(&mut self, r: u32, o: u32) -> &mut Self {
        self.op(Op::Load(Reg(r), obj(o), INT))
    }
    pub(super) fn store(&mut self, o: u32, e: Expr) -> &mut Self {
        self.op(Op::Store(obj(o), e, INT))
    }
    pub(super) fn end(&mut self) -> Template {
        self.op(Op::ThreadExit(num(0))).kind(LocationKind::End);
        self.template.clone()
    }
}

pub(super) fn program(objects: &[(&str, Option<i128>)], templates: Vec<Template>) -> Program {
    let objects: Vec<Object> = objects
        .iter()
        .map(|(name, init)| Object {
            name: (*name).into(),
            function: None,
            cells: vec![(INT, String::new())],
            init: vec![*init],
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: false,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span: Span::default(),
        })
        .collect();
    Program {
        files: vec!["test.c".into()],
        lines: vec![(1..20).map(|i| format!("  line {i};")).collect()],
        owners: vec![Owner::Shared; objects.len()],
        bases: (0..objects.len()).map(|i| 100 + 10 * i as i128).collect(),
        objects,
        templates,
        ..Program::default()
    }
}

/// Two threads add 1 to `x`; main joins both and checks for 2.
fn counter(atomic: bool) -> Program {
    let mut worker = Body::new("worker", Count::AtMost(2), false, 1);
    worker.load(0, 0);
    if atomic {
        worker.atomic();
    }
    worker.store(0, plus(reg(0), num(1)));
    let worker = worker.end();
    let create =
        |r| Op::Create { handle: Reg(r), routine: Callee::Known(FuncId(1)), arg: None, template: Some(1) };
    let join = |r| Op::Join { handle: reg(r), result: None };
    let mut main = Body::new("main", Count::AtMost(1), true, 3);
    main.op(create(0)).op(create(1)).op(join(0)).op(join(1)).load(2, 0);
    let checked = main.last();
    main.op(Op::Assume(eq(reg(2), num(2)).is_false())).kind(LocationKind::Error(Violated::Assertion));
    main.op(Op::Skip);
    let ok = main.last();
    main.template.graph.edges.pop();
    main.jump(checked, ok, Op::Assume(eq(reg(2), num(2))));
    main.op(Op::Halt).kind(LocationKind::End);
    program(&[("x", Some(0))], vec![main.template, worker])
}

pub(super) fn all(p: &Program) -> Exploration {
    explore(p, &ExploreOptions::default(), &|| false).unwrap()
}

fn violation(p: &Program) -> Schedule {
    match all(p) {
        Exploration::Violation(s) => s,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lost_update_is_found_and_replays() {
    let p = counter(false);
    let schedule = violation(&p);
    // Two creations, two loads, two stores, two ends, two joins, the read and the failing branch.
    assert_eq!(schedule.moves.len(), 12);
    let trace = replay(&p, &schedule).unwrap();
    assert_eq!(trace.violation, Violated::Assertion);
    assert_eq!(trace.thread_name, "main");
    let stores: Vec<_> = trace.steps.iter().filter(|s| s.changes.iter().any(|c| c.name == "x")).collect();
    assert_eq!(stores.len(), 2);
    assert!(
        stores
            .iter()
            .all(|s| s.changes.iter().any(|c| c.name == "x" && c.text == "1") && s.statement == "line 2;")
    );
    assert!(trace.steps.iter().any(|s| s.thread_name == "worker/2"));
    assert_eq!((trace.place.0.as_str(), trace.place.1), ("test.c", 6));
}

#[test]
fn atomic_update_is_safe() {
    let p = counter(true);
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
    assert_eq!(quick_search(&p, 10_000, &|| false), None);
}

#[test]
fn quick_search_agrees() {
    let p = counter(false);
    let schedule = quick_search(&p, 10_000, &|| false).unwrap();
    assert!(replay(&p, &schedule).is_ok());
}

#[test]
fn limits_and_cancelling_stop_it() {
    let p = counter(true);
    let few = ExploreOptions { max_states: 5, ..ExploreOptions::default() };
    assert!(matches!(explore(&p, &few, &|| false), Ok(Exploration::Limit { .. })));
    assert!(matches!(explore(&p, &ExploreOptions::default(), &|| true), Ok(Exploration::Limit { .. })));
}

#[test]
fn bad_schedules_fail_cleanly() {
    let p = counter(false);
    let good = violation(&p);
    let edit = |f: &dyn Fn(&mut Schedule)| {
        let mut s = good.clone();
        f(&mut s);
        replay(&p, &s)
    };
    // A thread that a join waits for is run to its end; it can't move again after that.
    let early = edit(&|s| {
        let join = s.moves.remove(8);
        s.moves.insert(2, join);
    });
    assert!(matches!(early, Err(ReplayError::Step { why: Stop::Blocked, .. })), "{early:?}");
    let nobody = edit(&|s| s.moves[3].thread.instance = 7);
    assert_eq!(nobody, Err(ReplayError::NoThread(3)));
    let beyond = edit(&|s| s.moves[0].path = vec![99]);
    assert!(matches!(beyond, Err(ReplayError::Step { why: Stop::Malformed(_), .. })));
    assert_eq!(edit(&|s| s.moves.truncate(6)), Err(ReplayError::NoViolation));
    let start = edit(&|s| s.start.push((ObjId(0), 0, 3)));
    assert!(matches!(start, Err(ReplayError::Start(_))));
}

#[test]
fn the_local_tail_may_be_left_out() {
    let p = counter(false);
    let mut schedule = violation(&p);
    schedule.moves.pop();
    assert_eq!(replay(&p, &schedule).map(|t| t.violation), Ok(Violated::Assertion));
}

#[test]
fn a_thread_that_is_waited_for_is_run_to_its_end() {
    let p = counter(false);
    let mut schedule = violation(&p);
    let ends = |m: &Move| m.thread.template == 1 && m.path == [2];
    schedule.moves.retain(|m| !ends(m));
    assert_eq!(schedule.moves.len(), 10);
    assert_eq!(replay(&p, &schedule).map(|t| t.violation), Ok(Violated::Assertion));
}

#[test]
fn nobody_moves_during_an_atomic_section() {
    let p = counter(true);
    let thread = |template, instance| ThreadRef { template, instance };
    let m = |thread, path: &[u32]| Move { thread, path: path.to_vec(), inputs: Vec::new() };
    let moves =
        vec![m(thread(0, 0), &[0, 1]), m(thread(1, 0), &[0]), m(thread(1, 1), &[0]), m(thread(1, 0), &[1])];
    assert_eq!(replay(&p, &Schedule { start: Vec::new(), moves }), Err(ReplayError::Interrupts(2)));
}

/// `atomic { assume(x == 1) after x = 2 }`: the section never happens, so nobody sees x = 2.
#[test]
fn atomic_sections_are_whole_or_nothing() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Skip).atomic().store(0, num(2)).atomic().op(Op::Assume(num(0)));
    let mut two = Body::new("two", Count::AtMost(1), true, 1);
    two.load(0, 0)
        .op(Op::Assume(eq(reg(0), num(2))))
        .kind(LocationKind::Error(Violated::Label("seen".into())));
    let mut p = program(&[("x", Some(0))], vec![one.end(), two.template]);
    assert_eq!(all(&p), Exploration::Exhausted { states: 2, complete: true });
    for l in &mut p.templates[0].graph.locations {
        l.atomic = false;
    }
    assert!(matches!(all(&p), Exploration::Violation(_)));
}

#[test]
fn a_loop_inside_an_atomic_section_ends() {
    // atomic { while (x == 0) ; } with nobody to change x.
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Skip).atomic();
    let head = one.last();
    one.load(0, 0).atomic();
    let tested = one.last();
    one.jump(tested, head, Op::Assume(eq(reg(0), num(0))));
    one.op(Op::Assume(eq(reg(0), num(0)).is_false()));
    let p = program(&[("x", Some(0))], vec![one.end()]);
    assert_eq!(all(&p), Exploration::Exhausted { states: 1, complete: true });
}

#[test]
fn two_threads_at_one_label() {
    let mut one = Body::new("one", Count::AtMost(2), true, 1);
    one.op(Op::Skip).label("C").op(Op::Skip);
    let mut p = program(&[], vec![one.end()]);
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
    p.exclusive = Some("C".into());
    let schedule = violation(&p);
    assert_eq!(schedule.moves.len(), 2);
    assert_eq!(replay(&p, &schedule).map(|t| t.violation), Ok(Violated::Exclusive("C".into())));
    let mut short = schedule.clone();
    short.moves.clear();
    assert!(replay(&p, &short).is_ok());
    assert!(quick_search(&p, 100, &|| false).is_some());
}

#[test]
fn inputs_are_tried_and_replayed() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Havoc { dst: Reg(0), source: InputSource::input("input") });
    one.op(Op::Assume(eq(reg(0), num(1234)))).kind(LocationKind::Error(Violated::Label("found".into())));
    let p = program(&[], vec![one.template]);
    let schedule = violation(&p);
    assert_eq!(schedule.moves[0].inputs, [(0, 1234)]);
    let trace = replay(&p, &schedule).unwrap();
    assert_eq!(trace.steps[0].inputs, [(InputSource::input("input"), 1234)]);
    let mut other = schedule.clone();
    other.moves[0].inputs[0].1 = 5;
    assert!(matches!(replay(&p, &other), Err(ReplayError::Step { why: Stop::Blocked, .. })));
    other.moves[0].inputs[0].1 = 1 << 40;
    assert!(matches!(replay(&p, &other), Err(ReplayError::Step { why: Stop::Malformed(_), .. })));
}

#[test]
fn values_that_are_computed_with_are_not_complete() {
    let input = |test: Expr| {
        let mut one = Body::new("one", Count::AtMost(1), true, 1);
        one.op(Op::Havoc { dst: Reg(0), source: InputSource::uninitialised() }).op(Op::Assume(test));
        all(&program(&[], vec![one.end()]))
    };
    // One value below 3, 3, one above; the location before, and two behind it.
    assert_eq!(input(eq(reg(0), num(3))), Exploration::Exhausted { states: 5, complete: true });
    assert!(matches!(
        input(eq(plus(reg(0), num(1)), num(3))),
        Exploration::Exhausted { complete: false, .. }
    ));
    // A value that nobody reads is no choice.
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Havoc { dst: Reg(0), source: InputSource::uninitialised() });
    let p = program(&[], vec![one.end()]);
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
}

#[test]
fn open_start_values_are_tried() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.load(0, 0)
        .op(Op::Assume(eq(reg(0), num(7))))
        .kind(LocationKind::Error(Violated::Label("seven".into())));
    let p = program(&[("x", None)], vec![one.template]);
    let schedule = violation(&p);
    assert_eq!(schedule.start, [(ObjId(0), 0, 7)]);
    let start = &replay(&p, &schedule).unwrap().start;
    assert!(matches!(&start[..], [v] if v.name == "x" && v.number == 7 && v.text == "7"), "{start:?}");
}

#[test]
fn undefined_behaviour_ends_the_path() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Load(Reg(0), num(0), INT)).kind(LocationKind::Error(Violated::Label("never".into())));
    let p = program(&[("x", Some(0))], vec![one.template]);
    assert_eq!(all(&p), Exploration::Exhausted { states: 1, complete: true });
    let moves =
        vec![Move { thread: ThreadRef { template: 0, instance: 0 }, path: vec![0], inputs: Vec::new() }];
    let why = Stop::Undefined(relyant_cfa::Undefined::Null);
    assert_eq!(
        replay(&p, &Schedule { start: Vec::new(), moves }),
        Err(ReplayError::Step { at: 0, step: 0, line: 1, why })
    );
}

#[test]
fn creation_has_no_effect_beyond_the_bound() {
    let mut p = counter(false);
    p.max_threads = Some(2);
    // One worker at a time is alive; main blocks for ever on the second handle unless the first has ended.
    let Exploration::Exhausted { complete: true, .. } = all(&p) else { panic!("{:?}", all(&p)) };
}

#[test]
fn own_objects_are_per_thread() {
    let mut one = Body::new("one", Count::AtMost(2), true, 2);
    one.load(0, 0).store(0, plus(reg(0), num(1))).load(1, 0);
    one.op(Op::Assume(eq(reg(1), num(2)))).kind(LocationKind::Error(Violated::Label("shared".into())));
    let mut p = program(&[("x", Some(0))], vec![one.template]);
    assert!(matches!(all(&p), Exploration::Violation(_)));
    p.owners[0] = Owner::Template(0);
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
}

#[test]
fn malformed_programs_are_refused() {
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Assign(Reg(5), num(0)));
    assert!(Machine::new(&program(&[], vec![one.template])).is_err());
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Assign(Reg(0), num(1 << 40)));
    assert!(explore(&program(&[], vec![one.template]), &ExploreOptions::default(), &|| false).is_err());
}

/// `sum(n) = n == 0 ? 0 : n + sum(n - 1)`, called by main with `n`, whose result must not be `bad`.
pub(super) fn recursive(n: i128, bad: i128) -> Program {
    let minus = |a: Expr, b: Expr| Expr::Binary(BinOp::Sub, Box::new(a), Box::new(b), INT);
    let call = |dst, e| Op::Call { dst: Some(Reg(dst)), callee: Callee::Known(FuncId(3)), args: vec![e] };
    let mut main = Body::new("main", Count::AtMost(1), true, 3);
    main.op(call(0, num(n)));
    let called = main.last();
    main.op(Op::Assume(eq(reg(0), num(bad)))).kind(LocationKind::Error(Violated::Assertion));
    main.op(Op::Skip);
    let fine = main.last();
    main.template.graph.edges.pop();
    main.jump(called, fine, Op::Assume(eq(reg(0), num(bad)).is_false()));
    main.op(Op::Halt).kind(LocationKind::End);
    // Registers of `sum`: 1 takes the argument, 2 the result of the inner call.
    let entry = main.template.graph.add_location(Span::default());
    main.op(Op::Assume(eq(reg(1), num(0)).is_false())).op(call(2, minus(reg(1), num(1))));
    main.op(Op::Return(Some(plus(reg(1), reg(2))))).kind(LocationKind::End);
    let end = main.last();
    main.op(Op::Skip);
    main.template.graph.edges.pop();
    let zero = main.last();
    main.jump(entry, zero, Op::Assume(eq(reg(1), num(0))));
    main.jump(zero, end, Op::Return(Some(num(0))));
    let locations = main.template.graph.locations.len() as u32;
    main.template.procedures.push(Procedure {
        function: FuncId(3),
        name: "sum".into(),
        entry,
        params: vec![Reg(1)],
        registers: 1..3,
        objects: Vec::new(),
        locations: entry.0..locations,
    });
    program(&[], vec![main.template])
}

#[test]
fn activations_keep_their_registers() {
    let wrong = recursive(10, 55);
    let trace = replay(&wrong, &violation(&wrong)).unwrap();
    assert_eq!(trace.violation, Violated::Assertion);
    let deepest = trace.steps.iter().max_by_key(|s| s.depth).unwrap();
    assert_eq!((deepest.depth, deepest.function.as_str()), (11, "sum"));
    // Results come back one after the other.
    let results = trace.steps.iter().flat_map(|s| &s.changes).filter(|c| c.name == "c").map(|c| c.number);
    assert_eq!(results.collect::<Vec<_>>(), [0, 1, 3, 6, 10, 15, 21, 28, 36, 45]);
    let right = recursive(10, 54);
    assert!(matches!(all(&right), Exploration::Exhausted { complete: true, .. }));
}

#[test]
fn objects_of_activations_are_kept() {
    // f(n) { int x = n; if (n) f(n - 1); return x; } with x in memory.
    let mut p = recursive(3, 3);
    let template = &mut p.templates[0];
    template.procedures[0].objects.push(ObjId(0));
    let call = template.graph.edges.iter().position(|e| e.from.0 > template.procedures[0].entry.0);
    let call = call.unwrap();
    let at = template.graph.edges[call].from;
    let store = template.graph.add_location(Span::default());
    let load = template.graph.add_location(Span::default());
    template.procedures[0].locations.end += 2;
    template.graph.edges[call].from = store;
    let end = template.graph.edges[call + 1].to;
    let back = template.graph.edges[call].to;
    template.graph.add_edge(at, store, Op::Store(obj(0), reg(1), INT), Span::default());
    template.graph.edges[call + 1].from = load;
    template.graph.edges[call + 1].op = Op::Return(Some(reg(2)));
    assert_eq!(template.graph.edges[call + 1].to, end);
    template.graph.add_edge(back, load, Op::Load(Reg(2), obj(0), INT), Span::default());
    let mut with = program(&[("x", Some(0))], p.templates);
    with.owners[0] = Owner::Template(0);
    assert!(replay(&with, &violation(&with)).is_ok());
    // Without keeping them, the innermost value is what all of them see.
    with.templates[0].procedures[0].objects.clear();
    assert!(matches!(all(&with), Exploration::Exhausted { .. }));
}

#[test]
fn calls_of_nothing_are_refused() {
    let mut p = recursive(3, 0);
    p.templates[0].procedures[0].function = FuncId(9);
    assert!(Machine::new(&p).is_err());
    let mut p = recursive(3, 0);
    p.templates[0].procedures[0].registers = 1..9;
    assert!(Machine::new(&p).is_err());
    let mut p = recursive(3, 0);
    p.templates[0].procedures[0].registers = 2..3;
    assert!(Machine::new(&p).is_err());
    // A return that no call belongs to.
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Return(None)).kind(LocationKind::End);
    assert!(explore(&program(&[], vec![one.template]), &ExploreOptions::default(), &|| false).is_err());
}

/// Two threads take two locks each, cells that hold 0 or 1; the second one in this order.
fn two_locks(second: [u32; 2]) -> Program {
    let take = |b: &mut Body, lock| {
        b.load(0, lock).atomic().op(Op::Assume(eq(reg(0), num(0)))).atomic().store(lock, num(1));
    };
    let mut threads = Vec::new();
    for (name, order) in [("one", [0, 1]), ("two", second)] {
        let mut b = Body::new(name, Count::AtMost(1), true, 1);
        take(&mut b, order[0]);
        take(&mut b, order[1]);
        b.store(order[1], num(0)).store(order[0], num(0));
        threads.push(b.end());
    }
    Program { deadlock: true, ..program(&[("l", Some(0)), ("m", Some(0))], threads) }
}

#[test]
fn deadlocks_are_found_and_replay() {
    let mut p = two_locks([1, 0]);
    let schedule = violation(&p);
    assert_eq!(schedule.moves.len(), 2);
    let trace = replay(&p, &schedule).unwrap();
    assert_eq!(trace.violation, Violated::Deadlock);
    let places: Vec<_> =
        trace.waiting.iter().map(|w| (w.thread_name.as_str(), w.line, w.statement.as_str())).collect();
    assert_eq!(places, [("one", 4, "line 4;"), ("two", 4, "line 4;")]);
    // Somebody can still move before the last step.
    let mut short = schedule.clone();
    short.moves.pop();
    assert_eq!(replay(&p, &short), Err(ReplayError::NoViolation));
    p.deadlock = false;
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
    assert_eq!(replay(&p, &schedule), Err(ReplayError::NoViolation));
    assert!(matches!(all(&two_locks([0, 1])), Exploration::Exhausted { complete: true, .. }));
}

#[test]
fn waiting_for_what_is_assumed_is_no_deadlock() {
    // In the section of the first step, where the lock is tested, it is the program that assumes.
    let mut p = two_locks([1, 0]);
    for loc in [4, 5] {
        p.templates[0].graph.locations[loc].assumes = true;
    }
    assert!(p.templates[0].graph.locations[4].atomic);
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
    // An end of the program is none either, nor are threads that have all ended.
    let mut one = Body::new("one", Count::AtMost(1), true, 1);
    one.op(Op::Halt).kind(LocationKind::End);
    let two = Body::new("two", Count::AtMost(1), true, 1).op(Op::Assume(num(0))).end();
    let mut p = Program { deadlock: true, ..program(&[], vec![one.template, two]) };
    assert!(matches!(all(&p), Exploration::Exhausted { complete: true, .. }));
    // Somebody may end while the other one waits for ever.
    p.templates[0] = Body::new("one", Count::AtMost(1), true, 1).end();
    let schedule = violation(&p);
    assert_eq!(replay(&p, &schedule).unwrap().waiting.len(), 1);
}
