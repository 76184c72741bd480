//! Random small programs: what is linearised, and what is reduced, reaches an error exactly if the program does.

use crate::linearise::linearise;
use crate::reduce;
use crate::{Step, schedule};
use num_bigint::BigInt;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::schedule::ThreadRef;
use relyant_cfa::*;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::replay::replay;
use relyant_linear::{LinExpr, Rat, Var};
use relyant_testing::rng::{Rng, cases};
use std::collections::{BTreeSet, VecDeque};

const KINDS: [IntKind; 4] = [
    IntKind::Machine { bits: 3, signed: true },
    IntKind::Machine { bits: 2, signed: false },
    IntKind::Machine { bits: 3, signed: false },
    IntKind::Bool,
];

/// One template in the making.
struct Body<'a> {
    rng: &'a mut Rng,
    graph: Graph,
    registers: Vec<Register>,
    globals: &'a [IntKind],
    at: Loc,
    line: u32,
    atomic: bool,
}

impl Body<'_> {
    fn span(&mut self) -> Span {
        self.line += 1;
        Span { file: 0, line: self.line, column: 1 }
    }
    fn location(&mut self) -> Loc {
        let span = Span { file: 0, line: self.line + 1, column: 1 };
        let l = self.graph.add_location(span);
        self.graph.locations[l.0 as usize].atomic = self.atomic;
        l
    }
    fn op_to(&mut self, op: Op, to: Loc) {
        let span = self.span();
        self.graph.add_edge(self.at, to, op, span);
    }
    fn op(&mut self, op: Op) {
        let to = self.location();
        self.op_to(op, to);
        self.at = to;
    }
    fn reg(&mut self) -> Reg {
        Reg(self.rng.below(KINDS.len()) as u32)
    }
    fn kind(&self, r: Reg) -> IntKind {
        self.registers[r.0 as usize].kind
    }
    /// An expression of a kind.
    fn expr(&mut self, kind: IntKind, depth: usize) -> Expr {
        let arithmetic = kind != IntKind::Bool && depth > 0;
        match self.rng.below(if arithmetic { 8 } else { 3 }) {
            0 => Expr::Const(self.constant(kind)),
            1 | 2 => {
                let r = self.reg();
                let e = Expr::Reg(r);
                if self.kind(r) == kind { e } else { Expr::Cast(Box::new(e), kind) }
            }
            3 => {
                let op = self.rng.pick(&[UnOp::Neg, UnOp::BitNot]);
                Expr::Unary(op, Box::new(self.expr(kind, depth - 1)), kind)
            }
            4 => {
                let c = self.condition(depth - 1);
                Expr::Cast(Box::new(c), kind)
            }
            5 => {
                use BinOp::*;
                let op = self.rng.pick(&[Mul, Div, Rem, Shl, Shr, And, Or, Xor]);
                let b = if self.rng.percent(60) {
                    Expr::Const(self.constant(kind))
                } else {
                    self.expr(kind, depth - 1)
                };
                Expr::Binary(op, Box::new(self.expr(kind, depth - 1)), Box::new(b), kind)
            }
            _ => {
                let op = self.rng.pick(&[BinOp::Add, BinOp::Sub]);
                Expr::Binary(
                    op,
                    Box::new(self.expr(kind, depth - 1)),
                    Box::new(self.expr(kind, depth - 1)),
                    kind,
                )
            }
        }
    }
    fn constant(&mut self, kind: IntKind) -> i128 {
        let (lo, hi) = (kind.min().unwrap(), kind.max().unwrap());
        lo + self.rng.below((hi - lo + 1) as usize) as i128
    }
    fn condition(&mut self, depth: usize) -> Expr {
        let kind = self.rng.pick(&KINDS);
        let op = self.rng.pick(&[CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne]);
        let e = Expr::Compare(op, Box::new(self.expr(kind, depth)), Box::new(self.expr(kind, depth)));
        if self.rng.percent(10) { Expr::Not(Box::new(e)) } else { e }
    }
    fn branch(&mut self, c: Expr, yes: Loc, no: Loc) {
        self.op_to(Op::Assume(c.clone()), yes);
        self.op_to(Op::Assume(c.is_false()), no);
    }
    fn global(&mut self) -> (Expr, IntKind) {
        let o = self.rng.below(self.globals.len());
        (Expr::Addr(ObjId(o as u32)), self.globals[o])
    }
    fn load(&mut self) {
        let (a, kind) = self.global();
        let fitting: Vec<Reg> =
            (0..self.registers.len() as u32).map(Reg).filter(|r| self.kind(*r) == kind).collect();
        let r = self.rng.pick(&fitting);
        self.op(Op::Load(r, a, kind));
    }
    fn statement(&mut self, depth: usize) {
        match self.rng.below(if depth > 0 { 14 } else { 9 }) {
            0..=2 => self.load(),
            3..=5 => {
                let (a, kind) = self.global();
                let e = self.expr(kind, 1);
                self.op(Op::Store(a, e, kind));
            }
            6 => {
                let r = self.reg();
                let e = self.expr(self.kind(r), 2);
                self.op(Op::Assign(r, e));
            }
            7 if self.rng.percent(50) => {
                let dst = self.reg();
                self.op(Op::Havoc { dst, source: InputSource::input("nondet") });
            }
            7 => {
                let c = self.condition(1);
                self.op(Op::Assume(c));
            }
            8 => {
                self.load();
                let c = self.condition(1);
                let (yes, no) = (self.location(), self.location());
                self.graph.locations[no.0 as usize].kind = LocationKind::Error(Violated::Assertion);
                self.branch(c, yes, no);
                self.at = yes;
            }
            9 | 10 => {
                if self.rng.percent(70) {
                    self.load();
                }
                let c = self.condition(1);
                let (yes, no, end) = (self.location(), self.location(), self.location());
                self.branch(c, yes, no);
                for l in [yes, no] {
                    self.at = l;
                    if self.rng.percent(60) {
                        self.block(depth - 1, 2);
                    }
                    self.op_to(Op::Skip, end);
                }
                self.at = end;
            }
            11 | 12 => {
                let head = self.location();
                self.op_to(Op::Skip, head);
                self.at = head;
                self.load();
                let c = self.condition(1);
                let (yes, no) = (self.location(), self.location());
                self.branch(c, yes, no);
                self.at = yes;
                if self.rng.percent(60) {
                    self.block(depth - 1, 2);
                }
                self.op_to(Op::Skip, head);
                self.at = no;
            }
            _ => {
                let before = self.atomic;
                self.op(Op::Skip);
                self.atomic = true;
                self.op(Op::Skip);
                self.block(depth - 1, 2);
                self.atomic = before;
                self.op(Op::Skip);
            }
        }
    }
    fn block(&mut self, depth: usize, most: usize) {
        for _ in 0..1 + self.rng.below(most) {
            self.statement(depth);
        }
    }
}

fn random_program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let n = 2 + rng.below(2);
    let globals: Vec<IntKind> = (0..n).map(|_| rng.pick(&KINDS)).collect();
    let threads = 1 + rng.below(2) + 1;
    let mut p = Program {
        files: vec!["t.c".into()],
        lines: vec![Vec::new()],
        signed_wraps: rng.percent(50),
        ..Program::default()
    };
    for (i, kind) in globals.iter().enumerate() {
        let init = if rng.percent(85) { Some(0) } else { None };
        p.objects.push(Object {
            name: format!("g{i}"),
            function: None,
            cells: vec![(*kind, String::new())],
            init: vec![init],
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: false,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span: Span::default(),
        });
        p.owners.push(Owner::Shared);
        p.bases.push(100 * (i as i128 + 1));
    }
    let at_once = rng.percent(30);
    for t in 0..threads {
        let registers: Vec<Register> =
            KINDS.iter().enumerate().map(|(i, k)| Register { name: format!("r{i}"), kind: *k }).collect();
        let graph = Graph::default();
        let mut b = Body {
            rng: &mut rng,
            graph,
            registers,
            globals: &globals,
            at: Loc(0),
            line: 100 * t as u32,
            atomic: false,
        };
        let entry = b.location();
        b.at = entry;
        for r in 0..KINDS.len() {
            b.op(Op::Assign(Reg(r as u32), Expr::Const(0)));
        }
        if t == 0 && !at_once {
            let handle = Reg(KINDS.len() as u32);
            b.registers.push(Register { name: "h".into(), kind: IntKind::Ideal });
            b.block(1, 2);
            for u in 1..threads {
                b.op(Op::Create {
                    handle,
                    routine: Callee::Known(FuncId(0)),
                    arg: None,
                    template: Some(u as u32),
                });
            }
            b.registers.pop();
            b.block(2, 3);
            if b.rng.percent(50) {
                b.op(Op::Join { handle: Expr::Reg(handle), result: None });
                b.block(1, 2);
            }
            b.registers.push(Register { name: "h".into(), kind: IntKind::Ideal });
        } else {
            b.block(2, 4);
        }
        let end = b.location();
        b.graph.locations[end.0 as usize].kind = LocationKind::End;
        let last = if t == 0 && b.rng.percent(50) { Op::Halt } else { Op::ThreadExit(Expr::Const(0)) };
        b.op_to(last, end);
        let (graph, registers) = (b.graph, b.registers);
        p.templates.push(Template {
            name: format!("t{t}"),
            count: Count::AtMost(1),
            initial: t == 0 || at_once,
            param: None,
            registers,
            entry,
            graph,
            inlined: Vec::new(),
            procedures: Vec::new(),
        });
    }
    p
}

/// A state of a thread program: locations, values of all variables.
type State = (Vec<u32>, Vec<i128>);

/// What a search of the thread program finds: a run to an error, nothing, or too much.
enum Found {
    Error(Vec<(Var, BigInt)>, Vec<Step>),
    Nothing,
    TooMuch,
}

fn rat(x: i128) -> Rat {
    Rat::from(x)
}

/// Values of inputs with which an edge can be taken.
fn inputs(p: &crate::Program, e: &crate::Edge, values: &[i128]) -> Vec<Vec<i128>> {
    let base = p.variables.len();
    let fixed = |v: Var| values.get(v.0 as usize).map(|x| LinExpr::int(*x));
    let here = e.guard.and(&e.bounds).subst(fixed);
    if here.is_bottom() {
        return Vec::new();
    }
    let mut out = vec![Vec::new()];
    for k in 0..e.inputs.len() {
        let v = Var((base + k) as u32);
        if !here.vars().contains(&v) && !e.updates.iter().any(|u| !u.1.coeff(v).is_zero()) {
            out.iter_mut().for_each(|x: &mut Vec<i128>| x.push(0));
            continue;
        }
        let extended = out.iter().flat_map(|x| {
            let x = x.clone();
            (-12..=12).map(move |y| x.iter().copied().chain([y]).collect::<Vec<_>>())
        });
        // Conditions over the inputs up to this one decide early.
        out = extended
            .filter(|x| {
                let known = |w: Var| x.get(w.0 as usize - base).map(|y| LinExpr::int(*y));
                !here.subst(known).is_bottom()
            })
            .collect();
    }
    out
}

fn search(p: &crate::Program, most: usize) -> Found {
    let mut starts: Vec<Vec<i128>> = vec![Vec::new()];
    for (i, x) in p.variables.iter().enumerate() {
        let v = Var(i as u32);
        let mentioned = p.init.vars().contains(&v);
        let candidates: Vec<i128> = if mentioned {
            (x.min.unwrap_or(-12).max(-12)..=x.max.unwrap_or(12).min(12)).collect()
        } else {
            vec![0.max(x.min.unwrap_or(0)).min(x.max.unwrap_or(0.max(x.min.unwrap_or(0))))]
        };
        let extended = starts.iter().flat_map(|s| candidates.iter().map(|c| [s.clone(), vec![*c]].concat()));
        starts = extended
            .filter(|s| {
                let known = |w: Var| s.get(w.0 as usize).map(|y| LinExpr::int(*y));
                !p.init.subst(known).is_bottom()
            })
            .collect();
    }
    let entry: Vec<u32> = p.templates.iter().map(|t| t.entry.0).collect();
    let mut states: Vec<(State, Option<(usize, Step)>)> = Vec::new();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut work = VecDeque::new();
    for s in starts {
        if seen.insert((entry.clone(), s.clone())) {
            work.push_back(states.len());
            states.push(((entry.clone(), s), None));
        }
    }
    while let Some(i) = work.pop_front() {
        let (at, values) = states[i].0.clone();
        if p.templates.iter().zip(&at).any(|(t, l)| t.locations[*l as usize].error.is_some()) {
            let (mut steps, mut j) = (Vec::new(), i);
            while let Some((k, step)) = states[j].1.clone() {
                steps.push(step);
                j = k;
            }
            steps.reverse();
            let start = states[j].0.1.iter().enumerate().map(|(v, x)| (Var(v as u32), BigInt::from(*x)));
            return Found::Error(start.collect(), steps);
        }
        for (t, template) in p.templates.iter().enumerate() {
            for (k, e) in template.edges.iter().enumerate().filter(|(_, e)| e.from.0 == at[t]) {
                for x in inputs(p, e, &values) {
                    let value = |v: Var| {
                        rat(*values.get(v.0 as usize).unwrap_or_else(|| &x[v.0 as usize - values.len()]))
                    };
                    assert!(e.guard.holds(value) && e.bounds.holds(value));
                    let mut next = values.clone();
                    for (v, u) in &e.updates {
                        next[v.0 as usize] = u.eval(value).to_i128().unwrap();
                    }
                    for (v, x) in p.variables.iter().zip(&next) {
                        let fits = v.min.is_none_or(|m| m <= *x) && v.max.is_none_or(|m| *x <= m);
                        assert!(
                            fits || !e.exact,
                            "{} is {x} after {}\n{}",
                            v.name,
                            p.display_edge(e),
                            p.display()
                        );
                    }
                    let mut there = at.clone();
                    there[t] = e.to.0;
                    if seen.insert((there.clone(), next.clone())) {
                        let thread = ThreadRef { template: t as u32, instance: 0 };
                        let step = (thread, k, x.iter().map(|y| BigInt::from(*y)).collect());
                        work.push_back(states.len());
                        states.push(((there, next), Some((i, step))));
                    }
                }
            }
        }
        if states.len() > most {
            return Found::TooMuch;
        }
    }
    Found::Nothing
}

fn check(seed: u64, counts: &mut [usize; 4]) {
    let c = random_program(seed);
    let options = ExploreOptions { max_states: 30_000, ..ExploreOptions::default() };
    let violated = match explore(&c, &options, &|| false).expect("well-formed") {
        Exploration::Violation(_) => true,
        Exploration::Exhausted { complete: true, .. } => false,
        _ => {
            counts[2] += 1;
            return;
        }
    };
    counts[violated as usize] += 1;
    let linear = linearise(&c).expect("linear");
    let reduced = reduce(linear.clone());
    for (what, p) in [("linear", &linear), ("reduced", &reduced)] {
        let exact = [&linear, p].iter().all(|p| p.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact));
        match search(p, 60_000) {
            Found::TooMuch => counts[3] += 1,
            Found::Nothing => {
                if violated {
                    panic!(
                        "seed {seed}: the error is lost in what is {what}\n{}\n{}",
                        linear.display(),
                        p.display()
                    );
                }
            }
            Found::Error(start, steps) => {
                let s = schedule(p, &c, &start, &steps);
                let replayed = replay(&c, &s);
                if exact && (!violated || replayed.is_err()) {
                    panic!(
                        "seed {seed}: {what}: {replayed:?}\n{}\n{}\n{start:?} {steps:?}\n{s:?}",
                        linear.display(),
                        p.display()
                    );
                }
            }
        }
    }
}

#[test]
fn random_programs_keep_their_errors() {
    let mut counts = [0; 4];
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    for seed in first..first + cases(120) {
        check(seed, &mut counts);
    }
    let [safe, violated, ..] = counts;
    println!("safe, violated, too much, too much to search: {counts:?}");
    assert!(safe + violated == 0 || cases(120) < 100 || safe > 10 && violated > 10);
}

/// The program of a C text.
fn from_c(text: &str) -> Program {
    let options = relyant_cfa::options::Options::default();
    let module = relyant_frontend::c::load_text("t.i", text, &options).expect("C");
    relyant_frontend::instantiate::instantiate(&module, &options).expect("threads")
}

const PRELUDE: &str = "typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
    extern void __assert_fail(void); extern void abort(void); extern int __VERIFIER_nondet_int(void);
    void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); void reach_error(void);\n";

/// Searches the reduced program; an error found must replay.
fn verdict(text: &str) -> (bool, crate::Program) {
    let c = from_c(&format!("{PRELUDE}{text}"));
    let p = crate::thread_program(&c).expect("linear");
    match search(&p, 50_000) {
        Found::TooMuch => panic!("too many states\n{}", p.display()),
        Found::Nothing => (false, p),
        Found::Error(start, steps) => {
            let s = schedule(&p, &c, &start, &steps);
            if let Err(e) = replay(&c, &s) {
                panic!("{e}\n{}\n{s:?}", p.display());
            }
            (true, p)
        }
    }
}

#[test]
fn peterson_has_one_edge_for_each_access() {
    let (violated, p) = verdict(
        "int f1, f2, turn, c;
         void *a(void *x) { f1 = 1; turn = 1; while (f2 == 1 && turn == 1); c = 1; if (c != 1) reach_error(); f1 = 0; return 0; }
         void *b(void *x) { f2 = 1; turn = 0; while (f1 == 1 && turn == 0); c = 2; if (c != 2) reach_error(); f2 = 0; return 0; }
         int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); return 0; }",
    );
    assert!(!violated);
    for name in ["a", "b"] {
        let t = p.templates.iter().find(|t| t.name == name).expect("thread");
        // Two edges for each branch, and one more for `c != 1` with two sides at most.
        assert!(t.edges.len() <= 11, "{}", p.display());
    }
    assert!(p.variables.iter().all(|v| v.scope == crate::Scope::Global), "{}", p.display());
    assert!(!p.prefix.is_empty());
}

#[test]
fn inputs_before_the_start_are_found_again() {
    let (violated, p) = verdict(
        "int x, y;
         void *a(void *p) { if (x == 5 && y == 6) reach_error(); return 0; }
         int main(void) { pthread_t t; int i = __VERIFIER_nondet_int(); if (i < 2 || i > 9) abort(); x = i; y = i + 1;
             pthread_create(&t, 0, a, 0); return 0; }",
    );
    assert!(violated, "{}", p.display());
    assert!(!p.given.is_empty());
}

#[test]
fn results_and_arguments_are_passed() {
    let text = |c: i32| {
        format!(
            "int g;
             void *a(void *p) {{ g = (int)(long)p; return (void *)(long)(g + 1); }}
             int main(void) {{ pthread_t t; void *r; pthread_create(&t, 0, a, (void *)3L); pthread_join(t, &r);
                 if ((long)r == {c}) reach_error(); return 0; }}"
        )
    };
    assert!(verdict(&text(4)).0);
    assert!(!verdict(&text(5)).0);
}

#[test]
fn atomic_sections_with_loops_hold_off_others() {
    let text = |begin: &str, end: &str| {
        format!(
            "int n;
             void *a(void *p) {{ {begin} n = 1; while (n < 4) n = n + 1; n = 0; {end} return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, a, 0); if (n == 2) reach_error(); return 0; }}"
        )
    };
    assert!(verdict(&text("", "")).0);
    let (violated, p) = verdict(&text("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"));
    assert!(!violated, "{}", p.display());
}

#[test]
fn cells_of_an_array_are_told_apart() {
    let text = |c: i32| {
        format!(
            "int a[3], i;
             void *w(void *p) {{ i = 1; i = 2; return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); int k = i; a[k] = 7;
                 if (a[0] + a[2] == {c}) reach_error(); return 0; }}"
        )
    };
    assert!(verdict(&text(7)).0);
    assert!(!verdict(&text(14)).0);
}

#[test]
fn what_a_thread_gives_back_that_it_does_not_hold_is_no_lock() {
    let (violated, p) = verdict(
        "int m, x, y;
         void __VERIFIER_assume(int);
         void *a(void *p) { __VERIFIER_atomic_begin(); __VERIFIER_assume(m == 0); m = 1; __VERIFIER_atomic_end();
             x = 1; y = 1; m = 0; return 0; }
         void *b(void *p) { __VERIFIER_atomic_begin(); __VERIFIER_assume(m == 0); m = 1; __VERIFIER_atomic_end();
             if (x != y) reach_error(); m = 0; return 0; }
         int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); m = 0; return 0; }",
    );
    assert!(violated, "{}", p.display());
}
