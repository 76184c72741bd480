//! Random small programs with threads, as C text.
//!
//! Two or three threads work on a few shared integers whose values stay small, so that all interleavings can be
//! explored; the rest is chosen to hit what verifiers get wrong: several accesses in one statement, short-circuit
//! conditions, spin loops, nested locks, atomic sections that block.

use super::rng::Rng;
use std::fmt::Write;

/// A shared or local variable, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A global, by index into [`ThreadProgram::globals`].
    Global(usize),
    /// Local of the thread.
    Local(usize),
}

/// An integer expression, with few accesses to memory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Ex {
    Const(i32),
    Var(Place),
    Plus(Place, i32),
    Sum(Place, Place),
    Difference(Place, Place),
    /// `(x + 1) % k`
    Next(Place, i32),
    Choose(Box<Cond>, Box<Ex>, Box<Ex>),
}

/// A condition, for branches and assertions.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cond {
    Compare(Ex, &'static str, Ex),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
    /// `x`: is it not 0?
    Truth(Place),
    /// An input of 0 or 1.
    Input,
}

/// A statement, as C has it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    Set(Place, Ex),
    /// `x++`, `--x` and the like.
    Step(Place, &'static str),
    /// `x += e` and the like, the operator by its text.
    Update(Place, &'static str, Ex),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    While(Cond, Vec<Stmt>),
    DoWhile(Vec<Stmt>, Cond),
    Atomic(Vec<Stmt>),
    Locked(usize, Vec<Stmt>),
    /// The first block with the mutex, if nobody has it; else the second.
    Try(usize, Vec<Stmt>, Vec<Stmt>),
    Lock(usize),
    Unlock(usize),
    Assume(Cond),
    Assert(Cond),
    /// `x = any unsigned char`
    Input(Place),
    Return,
}

/// A program: `main` starts the threads, works too, and may wait for them and check a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadProgram {
    /// Type and start value of each global.
    pub globals: Vec<(&'static str, i32)>,
    /// Start values of the locals of every thread.
    pub locals: Vec<i32>,
    /// How many mutexes there are.
    pub mutexes: usize,
    /// Body of each thread and how many threads run it.
    pub threads: Vec<(Vec<Stmt>, usize)>,
    /// What `main` does after it started them.
    pub main: Vec<Stmt>,
    /// Does `main` join all threads and then check this?
    pub after: Option<Cond>,
}

const GLOBALS: [&str; 4] = ["x", "y", "z", "w"];
const LOCALS: [&str; 2] = ["a", "b"];
const MUTEXES: [&str; 2] = ["m", "n"];
const RELATIONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// The program of a seed: always the same one.
pub fn generate(seed: u64) -> ThreadProgram {
    let mut rng = Rng::new(seed);
    let globals = 1 + rng.below(3);
    let types = ["int", "int", "int", "int", "int", "int", "unsigned", "_Bool", "unsigned char", "short"];
    let mut g = Gen {
        globals: (0..globals).map(|_| (rng.pick(&types), rng.pick(&[0, 0, 0, 1, 2]))).collect(),
        mutexes: rng.below(3),
        loops: rng.percent(40),
        unbounded: rng.percent(25),
        inputs: rng.percent(30),
        budget: 0,
        rng,
    };
    for global in &mut g.globals {
        global.1 = if global.0 == "_Bool" { global.1.min(1) } else { global.1 };
    }
    let count = if g.rng.percent(30) { 2 } else { 1 };
    let threads = (0..count)
        .map(|_| {
            g.budget = 3 + g.rng.below(5);
            let body = g.block(2, true);
            let copies = if count == 1 && g.rng.percent(50) { 2 } else { 1 };
            (body, copies)
        })
        .collect();
    g.budget = g.rng.below(5);
    let main = if g.budget > 0 { g.block(1, true) } else { Vec::new() };
    let after = g.rng.percent(70).then(|| g.check());
    ThreadProgram {
        globals: g.globals,
        locals: vec![0; LOCALS.len()],
        mutexes: g.mutexes,
        threads,
        main,
        after,
    }
}

struct Gen {
    rng: Rng,
    globals: Vec<(&'static str, i32)>,
    mutexes: usize,
    loops: bool,
    unbounded: bool,
    inputs: bool,
    budget: usize,
}

impl Gen {
    fn place(&mut self) -> Place {
        if self.rng.percent(70) {
            Place::Global(self.rng.below(self.globals.len()))
        } else {
            Place::Local(self.rng.below(LOCALS.len()))
        }
    }

    fn expr(&mut self, depth: usize) -> Ex {
        match self.rng.below(20) {
            0..7 => Ex::Const(self.rng.below(4) as i32),
            7..13 => Ex::Var(self.place()),
            13..15 => Ex::Next(self.place(), 2 + self.rng.below(2) as i32),
            15 if depth > 0 => {
                Ex::Choose(Box::new(self.cond(0)), Box::new(self.expr(0)), Box::new(self.expr(0)))
            }
            16 | 17 if self.unbounded => Ex::Plus(self.place(), self.rng.pick(&[-1, 1, 1, 2])),
            18 if self.unbounded => Ex::Sum(self.place(), self.place()),
            19 if self.unbounded => Ex::Difference(self.place(), self.place()),
            _ => Ex::Const(1),
        }
    }

    fn cond(&mut self, depth: usize) -> Cond {
        match self.rng.below(12) {
            0 if depth > 0 => Cond::And(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            1 if depth > 0 => Cond::Or(Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1))),
            2 if depth > 0 => Cond::Not(Box::new(self.cond(depth - 1))),
            3 => Cond::Truth(self.place()),
            4 if depth > 0 => Cond::Input,
            5 => {
                let (a, b, c) = (self.place(), self.place(), self.expr(0));
                Cond::Compare(Ex::Sum(a, b), self.rng.pick(&RELATIONS), c)
            }
            _ => {
                let left = Ex::Var(self.place());
                Cond::Compare(left, self.rng.pick(&RELATIONS), self.expr(0))
            }
        }
    }

    /// A condition without inputs.
    fn check(&mut self) -> Cond {
        loop {
            let c = self.cond(1);
            if !cond(&c).contains("nondet") {
                return c;
            }
        }
    }

    fn block(&mut self, depth: usize, top: bool) -> Vec<Stmt> {
        let mut list = Vec::new();
        let most = if top { usize::MAX } else { 1 + self.rng.below(2) };
        while self.budget > 0 && list.len() < most {
            self.budget -= 1;
            list.push(self.stmt(depth));
        }
        list
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        match self.rng.below(40) {
            0..5 if depth > 0 => {
                let cond = self.cond(1);
                let then = self.block(depth - 1, false);
                let other = if self.rng.percent(40) { self.block(depth - 1, false) } else { Vec::new() };
                Stmt::If(cond, then, other)
            }
            5..8 if depth > 0 && self.loops => Stmt::While(self.cond(1), self.block(depth - 1, false)),
            8 if depth > 0 && self.loops => Stmt::DoWhile(self.block(depth - 1, false), self.cond(1)),
            9..12 if depth > 0 => Stmt::Atomic(self.block(depth - 1, false)),
            12..16 if depth > 0 && self.mutexes > 0 => {
                Stmt::Locked(self.rng.below(self.mutexes), self.block(depth - 1, false))
            }
            16 if self.mutexes > 0 => Stmt::Lock(self.rng.below(self.mutexes)),
            32..35 if depth > 0 && self.mutexes > 0 => {
                let m = self.rng.below(self.mutexes);
                let body = self.block(depth - 1, false);
                let other = if self.rng.percent(60) { self.block(depth - 1, false) } else { Vec::new() };
                Stmt::Try(m, body, other)
            }
            17..20 => Stmt::Assume(self.cond(1)),
            20..24 => Stmt::Assert(self.check()),
            24 if depth < 2 => Stmt::Return,
            31 if self.inputs => Stmt::Input(self.place()),
            25..28 => {
                // A guarded step stays in range.
                let p = self.place();
                let guard = Cond::Compare(Ex::Var(p), "<", Ex::Const(1 + self.rng.below(3) as i32));
                Stmt::If(guard, vec![Stmt::Step(p, self.rng.pick(&["++", "+="]))], Vec::new())
            }
            28..30 if self.unbounded => Stmt::Step(self.place(), self.rng.pick(&["++", "--", "+=", "++pre"])),
            30 if self.unbounded => Stmt::Update(self.place(), self.rng.pick(&["+", "-"]), self.expr(0)),
            _ => Stmt::Set(self.place(), self.expr(1)),
        }
    }
}

impl ThreadProgram {
    /// The program as C, for a front end that takes preprocessed text.
    pub fn to_c(&self) -> String {
        let mut out = String::from(PROLOGUE);
        for m in &MUTEXES[..self.mutexes.min(MUTEXES.len())] {
            let _ = writeln!(out, "pthread_mutex_t {m};");
        }
        for ((ty, value), name) in self.globals.iter().zip(GLOBALS) {
            let _ = writeln!(out, "{ty} {name} = {value};");
        }
        for (i, (body, _)) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "\nvoid *thread{}(void *arg)\n{{", i + 1);
            self.locals_to_c(&mut out, body);
            block(&mut out, body, 1, "return 0;");
            out.push_str("  return 0;\n}\n");
        }
        out.push_str("\nint main(void)\n{\n");
        let mut check = self.main.clone();
        check.extend(self.after.clone().map(Stmt::Assert));
        self.locals_to_c(&mut out, &check);
        let copies = self.threads.iter().enumerate().flat_map(|(i, (_, n))| (0..*n).map(move |_| i));
        let handles: Vec<(String, usize)> = copies.enumerate().map(|(k, i)| (format!("t{k}"), i)).collect();
        for (h, _) in &handles {
            let _ = writeln!(out, "  pthread_t {h};");
        }
        for (h, i) in &handles {
            let _ = writeln!(out, "  pthread_create(&{h}, 0, thread{}, 0);", i + 1);
        }
        block(&mut out, &self.main, 1, "return 0;");
        if let Some(c) = &self.after {
            for (h, _) in &handles {
                let _ = writeln!(out, "  pthread_join({h}, 0);");
            }
            let _ = writeln!(out, "  __VERIFIER_assert({});", cond(c));
        }
        out.push_str("  return 0;\n}\n");
        out
    }

    fn locals_to_c(&self, out: &mut String, body: &[Stmt]) {
        let mut text = String::new();
        block(&mut text, body, 0, "");
        for (name, value) in LOCALS.iter().zip(&self.locals) {
            if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name) {
                let _ = writeln!(out, "  int {name} = {value};");
            }
        }
    }
}

const PROLOGUE: &str = "\
typedef unsigned long pthread_t;
typedef struct { int dummy; } pthread_attr_t;
typedef struct { int dummy; } pthread_mutex_t;
typedef struct { int dummy; } pthread_mutexattr_t;
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
void __VERIFIER_assert(int cond) { if (!cond) { reach_error(); } }
";

fn place(p: Place) -> &'static str {
    match p {
        Place::Global(i) => GLOBALS[i % GLOBALS.len()],
        Place::Local(i) => LOCALS[i % LOCALS.len()],
    }
}

fn expr(e: &Ex) -> String {
    match e {
        Ex::Const(c) => c.to_string(),
        Ex::Var(p) => place(*p).into(),
        Ex::Plus(p, c) if *c < 0 => format!("{} - {}", place(*p), -c),
        Ex::Plus(p, c) => format!("{} + {c}", place(*p)),
        Ex::Sum(p, q) => format!("{} + {}", place(*p), place(*q)),
        Ex::Difference(p, q) => format!("{} - {}", place(*p), place(*q)),
        Ex::Next(p, k) => format!("({} + 1) % {k}", place(*p)),
        Ex::Choose(c, a, b) => format!("({} ? {} : {})", cond(c), expr(a), expr(b)),
    }
}

fn cond(c: &Cond) -> String {
    match c {
        Cond::Compare(a, op, b) => format!("{} {op} {}", expr(a), expr(b)),
        Cond::And(a, b) => format!("({} && {})", cond(a), cond(b)),
        Cond::Or(a, b) => format!("({} || {})", cond(a), cond(b)),
        Cond::Not(a) => format!("!({})", cond(a)),
        Cond::Truth(p) => place(*p).into(),
        Cond::Input => "__VERIFIER_nondet_bool()".into(),
    }
}

fn block(out: &mut String, list: &[Stmt], indent: usize, ret: &str) {
    let pad = "  ".repeat(indent);
    let inner = |out: &mut String, list: &[Stmt]| block(out, list, indent + 1, ret);
    for s in list {
        let _ = match s {
            Stmt::Set(p, e) => writeln!(out, "{pad}{} = {};", place(*p), expr(e)),
            Stmt::Step(p, "++pre") => writeln!(out, "{pad}++{};", place(*p)),
            Stmt::Step(p, "+=") => writeln!(out, "{pad}{0} = {0} + 1;", place(*p)),
            Stmt::Step(p, op) => writeln!(out, "{pad}{}{op};", place(*p)),
            Stmt::Update(p, op, e) => writeln!(out, "{pad}{} {op}= {};", place(*p), expr(e)),
            Stmt::If(c, a, b) => {
                let _ = writeln!(out, "{pad}if ({}) {{", cond(c));
                inner(out, a);
                if !b.is_empty() {
                    let _ = writeln!(out, "{pad}}} else {{");
                    inner(out, b);
                }
                writeln!(out, "{pad}}}")
            }
            Stmt::While(c, body) => {
                let _ = writeln!(out, "{pad}while ({}) {{", cond(c));
                inner(out, body);
                writeln!(out, "{pad}}}")
            }
            Stmt::DoWhile(body, c) => {
                let _ = writeln!(out, "{pad}do {{");
                inner(out, body);
                writeln!(out, "{pad}}} while ({});", cond(c))
            }
            Stmt::Atomic(body) => {
                let _ = writeln!(out, "{pad}__VERIFIER_atomic_begin();");
                // Leaving a section by return would leave it open.
                let body: Vec<Stmt> = body.iter().map(without_return).collect();
                block(out, &body, indent, ret);
                writeln!(out, "{pad}__VERIFIER_atomic_end();")
            }
            Stmt::Locked(m, body) => {
                let _ = writeln!(out, "{pad}pthread_mutex_lock(&{});", MUTEXES[*m]);
                block(out, body, indent, ret);
                writeln!(out, "{pad}pthread_mutex_unlock(&{});", MUTEXES[*m])
            }
            Stmt::Try(m, body, other) => {
                let _ = writeln!(out, "{pad}if (pthread_mutex_trylock(&{}) == 0) {{", MUTEXES[*m]);
                inner(out, body);
                let _ = writeln!(out, "{pad}  pthread_mutex_unlock(&{});", MUTEXES[*m]);
                if !other.is_empty() {
                    let _ = writeln!(out, "{pad}}} else {{");
                    inner(out, other);
                }
                writeln!(out, "{pad}}}")
            }
            Stmt::Lock(m) => writeln!(out, "{pad}pthread_mutex_lock(&{});", MUTEXES[*m]),
            Stmt::Unlock(m) => writeln!(out, "{pad}pthread_mutex_unlock(&{});", MUTEXES[*m]),
            Stmt::Assume(c) => writeln!(out, "{pad}__VERIFIER_assume({});", cond(c)),
            Stmt::Assert(c) => writeln!(out, "{pad}__VERIFIER_assert({});", cond(c)),
            Stmt::Input(p) => writeln!(out, "{pad}{} = __VERIFIER_nondet_uchar();", place(*p)),
            Stmt::Return => writeln!(out, "{pad}{ret}"),
        };
    }
}

/// The statement without `return`, nested sections and locks: what may stand in an atomic section.
pub(super) fn without_return(s: &Stmt) -> Stmt {
    let all = |list: &[Stmt]| list.iter().map(without_return).collect::<Vec<_>>();
    match s {
        Stmt::Return => Stmt::Assume(Cond::Compare(Ex::Const(1), "==", Ex::Const(1))),
        Stmt::If(c, a, b) => Stmt::If(c.clone(), all(a), all(b)),
        Stmt::While(c, a) => Stmt::While(c.clone(), all(a)),
        Stmt::DoWhile(a, c) => Stmt::DoWhile(all(a), c.clone()),
        Stmt::Locked(m, a) => Stmt::Locked(*m, all(a)),
        Stmt::Try(m, a, b) => Stmt::Try(*m, all(a), all(b)),
        Stmt::Atomic(a) => {
            let t = Cond::Compare(Ex::Const(1), "==", Ex::Const(1));
            Stmt::If(t, all(a), Vec::new())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_fix_programs() {
        for seed in 0..50 {
            assert_eq!(generate(seed), generate(seed));
            let text = generate(seed).to_c();
            assert!(text.contains("int main(void)"));
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
        }
        assert_ne!(generate(1), generate(2));
    }
}
