//! Extensions by ghosts that are not as their types promise: one of each kind, by hand, changed in one place at a time.

use crate::programs::{cube, edge, eq, global, identity, local, n, program, template, x};
use relyant_check::flaw::ExtensionFlaw as Flaw;
use relyant_check::ghosts::Claims;
use relyant_check::obligations::Malformed;
use relyant_linear::{Cube, LinExpr, Rat, Rel, Var};
use relyant_program::ghosts::extension::{
    Claim, Code, Extension, Fact, GhostVariable, Prophecy, Stage, Start, StepCase, Term, Value,
};
use relyant_program::recognisers::Recogniser;
use relyant_program::{Count, Input, Loc, Program, Scope, Variable};
use std::sync::Arc;

// A global, a local of the one thread of the first template and of the many of the second, and a global to replace.
const G: u32 = 0;
const A: u32 = 1;
const B: u32 = 2;
const R: u32 = 3;
// Ghosts: a global and a local with values, a divisor, a bit, an identity, a hidden one.
const H: u32 = 4;
const L: u32 = 5;
const D: u32 = 6;
const C: u32 = 7;
const I: u32 = 8;
const W: u32 = 9;

fn ghost(variable: Variable, start: Start) -> GhostVariable {
    GhostVariable { variable, start, hidden: false }
}
fn bounded(variable: Variable, min: Option<i128>, max: Option<i128>) -> Variable {
    Variable { min, max, ..variable }
}
fn half(v: u32) -> LinExpr {
    x(v).scale(&Rat::new(1.into(), 2.into()))
}
fn sum(each: Option<u32>, e: LinExpr) -> Fact {
    Fact::compares(each, Rel::Le, e)
}

fn stage() -> Stage {
    let loops = |from| edge(from, 1, Cube::top(), &[]);
    let one = template("one", Count::AtMost(1), 1, 2, vec![loops(0), loops(1)]);
    let many = template("many", Count::Unbounded, 9, 2, vec![loops(0)]);
    let before =
        program(vec![global("g"), local("a", 0), local("b", 1), global("r")], vec![one, many], Cube::top());
    let mut e = Extension::new(Recogniser::Counts);
    e.ghosts = vec![
        ghost(global("h"), Start::Value(x(G))),
        ghost(local("l", 1), Start::Value(x(B))),
        ghost(bounded(global("d"), Some(1), None), Start::Foretold),
        ghost(bounded(global("c"), Some(0), Some(1)), Start::Chosen(Term::Divides { by: Var(D), of: x(G) })),
        ghost(identity("i", 1), Start::Identity),
        GhostVariable { hidden: true, ..ghost(global("w"), Start::Value(n(0))) },
    ];
    let case = StepCase {
        guard: cube([eq(&x(G), &n(0))]),
        inputs: vec![Term::Divides { by: Var(D), of: x(G) }],
        updates: vec![(Var(H), x(G)), (Var(L), x(B))],
    };
    e.cases.insert((1, 0), vec![case]);
    e.prophecies = vec![Prophecy { ghost: Var(D), of: Var(A), template: 0, edges: vec![1] }];
    e.code =
        vec![Code { template: 0, ends: Var(G), arguments: vec![vec![Var(A)]; 2], results: vec![Var(G)] }];
    let result = Value::Result { code: 0, result: 0, at: Loc(0), with: vec![(Var(G), x(G))] };
    let threads = vec![(1, 1, vec![Loc(0)])];
    e.facts = vec![
        Fact {
            at: vec![(0, vec![Loc(0)])],
            given: cube([eq(&x(G), &n(0))]),
            ..Fact::always(Claim::Sum { rel: Rel::Le, sum: x(H), threads })
        },
        sum(Some(1), x(B).sub(&x(L))),
        Fact::always(Claim::Is { ghost: Var(C), term: Term::Divides { by: Var(D), of: x(G) } }),
        Fact::always(Claim::At(0, vec![Loc(0), Loc(1)])),
        Fact::always(Claim::Same(Value::Of(x(G)), result)),
        Fact::compares(None, Rel::Eq, x(H).sub(&x(R))),
    ];
    e.replaced = vec![(Var(R), x(H))];
    Stage { before, extension: e }
}

fn flaw(stage: Stage) -> Option<Flaw> {
    let mut p = Program::default();
    p.extensions.push(Arc::new(stage));
    match Claims::new(&p) {
        Ok(_) => None,
        Err(Malformed::Ghosts(_, flaw)) => Some(flaw),
        Err(other) => panic!("{other:?}"),
    }
}

type Change = Box<dyn Fn(&mut Stage)>;

/// Makes each change by itself and looks for its flaw.
fn flawed(changes: Vec<(Flaw, Change)>) {
    for (k, (expected, change)) in changes.into_iter().enumerate() {
        let mut s = stage();
        change(&mut s);
        assert_eq!(flaw(s), Some(expected), "change {k}");
    }
}

fn starts(k: u32, start: impl Fn() -> Start + 'static) -> Change {
    Box::new(move |s| s.extension.ghosts[(k - H) as usize].start = start())
}
fn variable(k: u32, change: impl Fn(&mut Variable) + 'static) -> Change {
    Box::new(move |s| change(&mut s.extension.ghosts[(k - H) as usize].variable))
}
fn hidden(k: u32) -> Change {
    Box::new(move |s| s.extension.ghosts[(k - H) as usize].hidden = true)
}
fn case(change: impl Fn(&mut StepCase) + 'static) -> Change {
    Box::new(move |s| s.extension.cases.values_mut().flatten().for_each(&change))
}
fn fact(k: usize, change: impl Fn(&mut Fact) + 'static) -> Change {
    Box::new(move |s| change(&mut s.extension.facts[k]))
}
fn claim(k: usize, claim: impl Fn() -> Claim + 'static) -> Change {
    fact(k, move |f| f.claim = claim())
}
fn told(change: impl Fn(&mut Prophecy) + 'static) -> Change {
    Box::new(move |s| change(&mut s.extension.prophecies[0]))
}
fn code(change: impl Fn(&mut Code) + 'static) -> Change {
    Box::new(move |s| change(&mut s.extension.code[0]))
}

#[test]
fn ghosts_start_as_the_program_says() {
    assert_eq!(flaw(stage()), None);
    let start = |name: &str| Flaw::Start(name.into());
    let chosen = |by: u32, of: LinExpr| {
        starts(C, move || Start::Chosen(Term::Divides { by: Var(by), of: of.clone() }))
    };
    flawed(vec![
        (start("h"), starts(H, || Start::Value(x(B)))),
        (start("h"), starts(H, || Start::Value(x(L)))),
        (start("h"), starts(H, || Start::Value(x(H)))),
        (start("h"), starts(H, || Start::Value(half(G)))),
        (start("h"), starts(H, || Start::Free(x(H)))),
        (start("h"), variable(H, |v| v.identity = true)),
        (start("c"), chosen(H, x(G))),
        (start("c"), chosen(G, x(G))),
        (start("c"), chosen(D, x(H))),
        (start("c"), chosen(D, half(G))),
        (start("c"), starts(C, || Start::Chosen(Term::Product(x(G), x(H))))),
        (start("c"), starts(C, || Start::Chosen(Term::Product(half(G), x(G))))),
        (start("c"), starts(C, || Start::Value(x(D)))),
        (start("c"), starts(C, || Start::Value(x(I)))),
        (start("c"), variable(C, |v| v.min = Some(1))),
        (start("c"), variable(C, |v| v.max = Some(0))),
        (start("d"), Box::new(|s| s.extension.prophecies.clear())),
        (start("d"), Box::new(|s| s.extension.prophecies.push(s.extension.prophecies[0].clone()))),
        (start("d"), variable(D, |v| v.min = Some(0))),
        (start("d"), variable(D, |v| v.min = None)),
        (start("d"), variable(D, |v| v.max = Some(5))),
        (start("d"), variable(D, |v| v.scope = Scope::Local(0))),
        (start("d"), hidden(D)),
        (start("i"), variable(I, |v| v.scope = Scope::Global)),
        (start("i"), variable(I, |v| v.max = Some(9))),
        (start("i"), variable(I, |v| v.identity = false)),
        (start("i"), hidden(I)),
        (
            start("i"),
            Box::new(|s| {
                s.before.variables[B as usize] = identity("b", 1);
                s.before.templates[1].identity = Some(Var(B));
            }),
        ),
    ]);
}

#[test]
fn cases_write_ghosts_only() {
    let writes = |name: &str| Flaw::Writes(name.into());
    let hides = || Flaw::Hidden("w".into());
    fn divides(by: u32, of: LinExpr) -> Term {
        Term::Divides { by: Var(by), of }
    }
    fn input(term: impl Fn() -> Term + 'static) -> Change {
        case(move |c| c.inputs[0] = term())
    }
    flawed(vec![
        (Flaw::Edge, Box::new(|s| drop(s.extension.cases.insert((0, 2), vec![StepCase::same()])))),
        (Flaw::Edge, Box::new(|s| drop(s.extension.cases.insert((2, 0), vec![StepCase::same()])))),
        (writes("g"), case(|c| c.updates[0].0 = Var(G))),
        (writes("d"), case(|c| c.updates[0].0 = Var(D))),
        (writes("i"), case(|c| c.updates[0].0 = Var(I))),
        (writes("w"), case(|c| c.updates[0].0 = Var(W))),
        (writes("h"), case(|c| c.updates[0].1 = half(G))),
        (hides(), case(|c| c.updates[1].1 = x(W))),
        (hides(), input(|| divides(D, x(W)))),
        (hides(), input(|| Term::Product(x(G), x(W)))),
        (hides(), case(|c| c.guard = cube([eq(&x(W), &n(0))]))),
        (Flaw::Divisor, input(|| divides(H, x(G)))),
        (Flaw::Divisor, input(|| divides(D, half(G)))),
        (Flaw::Divisor, input(|| Term::Product(x(G), half(G)))),
    ]);
}

#[test]
fn prophecies_and_code_are_of_one_thread() {
    let of = |name: &str| Flaw::Prophecy(name.into());
    let sets = |k: usize| -> Change {
        Box::new(move |s| s.before.templates[0].edges[k].updates = vec![(Var(A), n(3))])
    };
    flawed(vec![
        (
            of("d"),
            told(|p| {
                (p.template, p.of) = (1, Var(B));
                p.edges = vec![0];
            }),
        ),
        (of("d"), told(|p| p.of = Var(B))),
        (of("d"), told(|p| p.of = Var(G))),
        (of("d"), told(|p| p.edges = vec![2])),
        (of("d"), sets(1)),
        (
            of("h"),
            Box::new(|s| {
                let like = s.extension.prophecies[0].clone();
                s.extension.prophecies.push(Prophecy { ghost: Var(H), ..like });
            }),
        ),
        (Flaw::Code, code(|c| (c.template, c.arguments) = (1, vec![vec![]; 2]))),
        (Flaw::Code, code(|c| c.arguments.truncate(1))),
        (Flaw::Code, code(|c| c.arguments.push(vec![]))),
        (Flaw::Code, code(|c| c.arguments[1] = vec![Var(B)])),
        (Flaw::Code, code(|c| c.arguments[1] = vec![Var(10)])),
        (Flaw::Code, code(|c| c.results = vec![Var(B)])),
        (Flaw::Code, code(|c| c.ends = Var(B))),
        (
            Flaw::Code,
            Box::new(|s| {
                s.before.variables[A as usize] = identity("a", 0);
                s.before.templates[0].identity = Some(Var(A));
            }),
        ),
    ]);
    // Before it is looked at, it may change.
    let mut s = stage();
    sets(0)(&mut s);
    assert_eq!(flaw(s), None);
}

#[test]
fn facts_speak_of_what_they_may() {
    let threads = |t: u32, l: u32| {
        let threads = vec![(1, t, vec![Loc(l)])];
        claim(0, move || Claim::Sum { rel: Rel::Le, sum: x(H), threads: threads.clone() })
    };
    let result = |code: usize, result: usize, at: u32, with: LinExpr| {
        claim(4, move || {
            let with = vec![(Var(G), with.clone())];
            Claim::Same(Value::Of(x(G)), Value::Result { code, result, at: Loc(at), with })
        })
    };
    let divides = |bit: u32, by: u32, of: LinExpr| {
        claim(2, move || Claim::Is { ghost: Var(bit), term: Term::Divides { by: Var(by), of: of.clone() } })
    };
    let all: Vec<Change> = vec![
        fact(0, |f| f.at = vec![(0, vec![Loc(0)]), (0, vec![Loc(1)])]),
        fact(0, |f| f.at = vec![(1, vec![Loc(0)])]),
        fact(0, |f| f.at = vec![(0, vec![Loc(2)])]),
        fact(0, |f| f.at = vec![(0, vec![Loc(1), Loc(0)])]),
        fact(0, |f| f.each = Some(2)),
        fact(0, |f| f.given = cube([eq(&x(B), &n(0))])),
        fact(0, |f| f.given = cube([eq(&x(10), &n(0))])),
        threads(1, 2),
        threads(2, 0),
        fact(1, |f| f.each = None),
        claim(1, || Claim::Sum { rel: Rel::Le, sum: half(B), threads: Vec::new() }),
        divides(L, D, x(G)),
        divides(C, D, x(B)),
        divides(C, D, half(G)),
        divides(C, H, x(G)),
        claim(3, || Claim::At(1, vec![Loc(0)])),
        claim(3, || Claim::At(0, vec![Loc(0), Loc(2)])),
        claim(4, || Claim::Same(Value::Of(x(B)), Value::Of(x(G)))),
        claim(4, || Claim::Same(Value::Of(x(G)), Value::Of(x(B)))),
        result(1, 0, 0, x(G)),
        result(0, 1, 0, x(G)),
        result(0, 0, 2, x(G)),
        result(0, 0, 0, x(B)),
    ];
    flawed(all.into_iter().map(|change| (Flaw::Fact, change)).collect());
}

#[test]
fn what_is_replaced_equals_it_always() {
    let all: Vec<Change> = vec![
        Box::new(|s| s.extension.replaced[0].0 = Var(L)),
        Box::new(|s| s.extension.replaced[0].1 = x(H).add(&n(1))),
        // By what is replaced itself.
        Box::new(|s| {
            s.extension.replaced[0].1 = x(G);
            s.extension.replaced.push((Var(G), x(H)));
            let equals = |a: u32, b: u32| Fact::compares(None, Rel::Eq, x(a).sub(&x(b)));
            s.extension.facts.extend([equals(G, R), equals(H, G)]);
        }),
        Box::new(|s| {
            let input = Input::Remainder { number: Var(R), divisor: Var(G) };
            s.before.templates[0].edges[0].inputs.push(input);
        }),
        Box::new(|s| {
            let input = Input::Remainder { number: Var(G), divisor: Var(R) };
            s.before.templates[0].edges[0].inputs.push(input);
        }),
        fact(5, |f| f.each = Some(1)),
        fact(5, |f| f.at = vec![(0, vec![Loc(0)])]),
        fact(5, |f| f.given = cube([eq(&x(G), &n(0))])),
        claim(5, || Claim::Sum { rel: Rel::Le, sum: x(H).sub(&x(R)), threads: Vec::new() }),
        claim(5, || Claim::Sum { rel: Rel::Eq, sum: x(H).sub(&x(R)), threads: vec![(1, 1, vec![Loc(0)])] }),
    ];
    let name = |k: usize| if k == 0 { "l" } else { "r" };
    flawed(all.into_iter().enumerate().map(|(k, c)| (Flaw::Replaced(name(k).into()), c)).collect());
}

#[test]
fn the_program_before_and_after_is_well_formed() {
    let program = |s: Stage| assert!(matches!(flaw(s), Some(Flaw::Program(_))));
    let mut before = stage();
    before.before.templates[0].edges[0].to = Loc(7);
    program(before);
    let mut after = stage();
    case(|c| c.guard = cube([eq(&x(50), &n(0))]))(&mut after);
    program(after);
    let mut twice = stage();
    case(|c| c.updates[1].0 = Var(H))(&mut twice);
    program(twice);
}
