//! Small thread programs and proofs, written by hand.

use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::{Atomicity, Options, Signed};
use relyant_cfa::preprocessing::{Define, Name, Preprocessing};
use relyant_check::certificate::{Meta, Source};
use relyant_check::{Assertion, EnvTransition, Holder, Proof, Rule, ThreadProof, Tickets};
use relyant_linear::{Atom, Cube, LinExpr, Norm, Rat, Var};
use relyant_program::{Count, Edge, Ghost, Loc, Location, Program, Role, Scope, Template, Variable};

pub fn x(v: u32) -> LinExpr {
    LinExpr::var(Var(v))
}
pub fn prime(v: u32) -> LinExpr {
    Role::After(Var(v)).expr()
}
pub fn n(k: i128) -> LinExpr {
    LinExpr::int(k)
}
pub fn eq(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::eq(&a.sub(b))
}
pub fn lt(a: &LinExpr, b: &LinExpr) -> Norm {
    Atom::lt(&a.sub(b))
}
pub fn cube(norms: impl IntoIterator<Item = Norm>) -> Cube {
    Cube::of(norms)
}

pub fn global(name: &str) -> Variable {
    variable(name, Scope::Global)
}
pub fn local(name: &str, template: u32) -> Variable {
    variable(name, Scope::Local(template))
}
pub fn identity(name: &str, template: u32) -> Variable {
    Variable { identity: true, min: Some(1), ..variable(name, Scope::Local(template)) }
}
fn variable(name: &str, scope: Scope) -> Variable {
    Variable::ghost(name.into(), scope, (None, None), Ghost::Other)
}

pub fn edge(from: u32, to: u32, guard: Cube, updates: &[(u32, LinExpr)]) -> Edge {
    Edge {
        from: Loc(from),
        to: Loc(to),
        inputs: Vec::new(),
        guard,
        bounds: Cube::top(),
        updates: updates.iter().map(|(v, e)| (Var(*v), e.clone())).collect(),
        path: Vec::new(),
        span: Span { file: 0, line: from + 1, column: 1 },
        touches: Vec::new(),
        exact: true,
    }
}

/// A template; its locations are on lines `first_line` and following.
pub fn template(name: &str, count: Count, first_line: u32, locations: u32, edges: Vec<Edge>) -> Template {
    let location =
        |l| Location { span: Span { file: 0, line: first_line + l, column: 5 }, ..Location::default() };
    Template {
        name: name.into(),
        count,
        identity: None,
        entry: Loc(0),
        locations: (0..locations).map(location).collect(),
        edges,
    }
}

pub fn label(t: &mut Template, l: u32, name: &str) {
    t.locations[l as usize].labels.push(name.into());
}

pub fn program(variables: Vec<Variable>, templates: Vec<Template>, init: Cube) -> Program {
    Program { variables, templates, init, files: vec!["test.c".into()], ..Program::default() }
}

pub fn state(cube: Cube) -> Assertion {
    Assertion { control: Vec::new(), cube }
}

pub fn env(actor: u32, from: u32, to: u32, writes: &[u32], relation: Cube) -> EnvTransition {
    EnvTransition {
        actor,
        from: vec![Loc(from)],
        to: vec![Loc(to)],
        control: Vec::new(),
        writes: writes.iter().map(|v| Var(*v)).collect(),
        at: None,
        relation,
    }
}

/// Two threads that take a lock and stay inside; `values` are what they write.
fn locks(values: [i128; 2]) -> Program {
    let take = |v: i128| edge(0, 1, cube([eq(&x(0), &n(0))]), &[(0, n(v))]);
    let mut a = template("thread1", Count::AtMost(1), 10, 2, vec![take(values[0])]);
    let mut b = template("thread2", Count::AtMost(1), 20, 2, vec![take(values[1])]);
    label(&mut a, 1, "critical");
    label(&mut b, 1, "critical");
    let init = cube([eq(&x(0), &n(0))]);
    Program { exclusive: Some("critical".into()), ..program(vec![global("lock")], vec![a, b], init) }
}

/// GPR figure 1, with the proof of its section 2.1.
pub fn lock_bit() -> (Program, Proof) {
    let thread = |i: u32| {
        let other = 1 - i;
        let at = |other_at: u32, norms: Vec<Norm>| Assertion {
            control: vec![(other, vec![Loc(other_at)])],
            cube: cube(norms),
        };
        ThreadProof {
            template: i,
            invariants: vec![
                (Loc(0), vec![at(0, vec![]), at(1, vec![eq(&x(0), &n(1))])]),
                (Loc(1), vec![at(0, vec![eq(&x(0), &n(1))])]),
            ],
            environment: vec![env(other, 0, 1, &[0], cube([eq(&x(0), &n(0)), eq(&prime(0), &n(1))]))],
        }
    };
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: false,
        threads: vec![thread(0), thread(1)],
        tickets: Vec::new(),
        global: Vec::new(),
    };
    (locks([1, 1]), proof)
}

/// GPR figure 3, with the proof of its section 2.2.
pub fn lock_id() -> (Program, Proof) {
    let thread = |i: u32| ThreadProof {
        template: i,
        invariants: vec![
            (Loc(0), vec![state(Cube::top())]),
            (Loc(1), vec![state(cube([eq(&x(0), &n(i as i128 + 1))]))]),
        ],
        environment: vec![env(1 - i, 0, 1, &[0], cube([eq(&x(0), &n(0))]))],
    };
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: true,
        threads: vec![thread(0), thread(1)],
        tickets: Vec::new(),
        global: Vec::new(),
    };
    (locks([1, 2]), proof)
}

/// Any number of threads that lock, are inside, and unlock; the lock holds the owner's handle.
pub fn lock_many() -> (Program, Proof) {
    let take = edge(0, 1, cube([eq(&x(0), &n(0))]), &[(0, x(1))]);
    let give = edge(1, 0, Cube::top(), &[(0, n(0))]);
    let mut t = template("worker", Count::Unbounded, 10, 2, vec![take, give]);
    t.identity = Some(Var(1));
    label(&mut t, 1, "critical");
    let variables = vec![global("lock"), identity("worker::me", 0)];
    let program = Program {
        exclusive: Some("critical".into()),
        ..program(variables, vec![t], cube([eq(&x(0), &n(0))]))
    };
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: true,
        threads: vec![ThreadProof {
            template: 0,
            invariants: vec![
                (Loc(0), vec![state(Cube::top())]),
                (Loc(1), vec![state(cube([eq(&x(0), &x(1))]))]),
            ],
            environment: vec![
                env(0, 0, 1, &[0], cube([eq(&x(0), &n(0))])),
                env(0, 1, 0, &[0], cube([lt(&x(0), &x(1))])),
                env(0, 1, 0, &[0], cube([lt(&x(1), &x(0))])),
            ],
        }],
        tickets: Vec::new(),
        global: Vec::new(),
    };
    (program, proof)
}

/// A ticket lock for any number of threads. Variables: next, serving, and each thread's ticket.
pub fn ticket_lock() -> (Program, Proof) {
    let draw = edge(0, 1, Cube::top(), &[(0, x(0).add(&n(1))), (2, x(0))]);
    let enter = edge(1, 2, cube([eq(&x(1), &x(2))]), &[]);
    let leave = edge(2, 0, Cube::top(), &[(1, x(1).add(&n(1)))]);
    let mut t = template("worker", Count::Unbounded, 10, 3, vec![draw, enter, leave]);
    label(&mut t, 2, "critical");
    let variables = vec![global("next"), global("serving"), local("worker::ticket", 0)];
    let init = cube([eq(&x(0), &n(0)), eq(&x(1), &n(0))]);
    let program = Program { exclusive: Some("critical".into()), ..program(variables, vec![t], init) };
    let at =
        |ls: &[u32], e: EnvTransition| EnvTransition { at: Some(ls.iter().map(|l| Loc(*l)).collect()), ..e };
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: true,
        threads: vec![ThreadProof {
            template: 0,
            invariants: vec![
                (Loc(0), vec![state(Cube::top())]),
                (Loc(1), vec![state(Cube::top())]),
                (Loc(2), vec![state(cube([eq(&x(1), &x(2))]))]),
            ],
            environment: vec![
                at(&[0, 1], env(0, 2, 0, &[1], Cube::top())),
                at(&[2], env(0, 2, 0, &[1], cube([lt(&x(1), &x(2))]))),
                at(&[2], env(0, 2, 0, &[1], cube([lt(&x(2), &x(1))]))),
            ],
        }],
        tickets: vec![Tickets {
            counter: Var(0),
            holders: vec![Holder { template: 0, variable: Var(2), locations: vec![Loc(1), Loc(2)] }],
        }],
        global: Vec::new(),
    };
    (program, proof)
}

/// Peterson's algorithm for two threads. Variables: flag0, flag1, turn.
pub fn peterson() -> Program {
    let thread = |i: u32| {
        let (me, other) = (i, 1 - i);
        let edges = vec![
            edge(0, 1, Cube::top(), &[(me, n(1))]),
            edge(1, 2, Cube::top(), &[(2, n(other as i128))]),
            edge(2, 3, cube([eq(&x(other), &n(0))]), &[]),
            edge(2, 3, cube([eq(&x(2), &n(i as i128))]), &[]),
            edge(3, 0, Cube::top(), &[(me, n(0))]),
        ];
        let mut t = template(&format!("thread{i}"), Count::AtMost(1), 10 * (i + 1), 4, edges);
        label(&mut t, 3, "critical");
        t
    };
    let variables = vec![global("flag[0]"), global("flag[1]"), global("turn")];
    let init = cube((0..3).map(|v| eq(&x(v), &n(0))));
    Program { exclusive: Some("critical".into()), ..program(variables, vec![thread(0), thread(1)], init) }
}

/// Two threads that each add 1 to a counter `rounds` times under a lock, through a local copy; a third one asserts
/// that it never goes beyond twice the rounds.
pub fn counters(rounds: i128) -> Program {
    let thread = |i: u32| {
        let (copy, done) = (2 + 2 * i, 3 + 2 * i);
        let edges = vec![
            edge(0, 1, cube([eq(&x(0), &n(0)), lt(&x(done), &n(rounds))]), &[(0, n(1))]),
            edge(1, 2, Cube::top(), &[(copy, x(1))]),
            edge(2, 3, Cube::top(), &[(1, x(copy).add(&n(1)))]),
            edge(3, 0, Cube::top(), &[(0, n(0)), (done, x(done).add(&n(1)))]),
        ];
        template(&format!("adder{i}"), Count::AtMost(1), 10 * (i + 1), 4, edges)
    };
    let bad = edge(0, 1, cube([lt(&n(2 * rounds), &x(1))]), &[]);
    let mut watch = template("watcher", Count::AtMost(1), 30, 2, vec![bad]);
    watch.locations[1].error = Some("assertion".into());
    let variables = vec![
        global("lock"),
        global("count"),
        local("adder0::copy", 0),
        local("adder0::done", 0),
        local("adder1::copy", 1),
        local("adder1::done", 1),
    ];
    let init = cube((0..6).map(|v| eq(&x(v), &n(0))));
    program(variables, vec![thread(0), thread(1), watch], init)
}

/// The rational number of an integer.
pub fn rat(k: i128) -> Rat {
    Rat::from(k)
}

/// Of files and options that no program here has, for certificates.
pub fn meta() -> Meta {
    let options = Options {
        atomicity: Atomicity::Statement,
        signed: Signed::Wrap,
        threads: vec!["thr1".into(), "thr2".into()],
        exclusive: Some("critical".into()),
        deadlock: true,
        max_threads: Some(5),
        preprocessing: Preprocessing {
            define: vec![Define::parse("X=1").unwrap(), Define::parse("F(a,b)=a + b").unwrap()],
            undefine: vec![Name::parse("Y").unwrap()],
            include: vec!["headers".into()],
            ..Preprocessing::default()
        },
        ..Options::default()
    };
    Meta {
        sources: vec![Source::new("test.c", b"int main() {}")],
        includes: vec![Source::new("test.h", b"int x;")],
        options,
    }
}
