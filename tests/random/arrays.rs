//! Verdicts on random small programs with arrays at unknown indices, compared with exhaustive exploration. The arrays
//! are tiny, but kept as large ones are: of each one element at a tracked index.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_program::linearise::ArrayLimits;
use relyant_testing::rng::{Rng, cases};
use std::fmt::Write;

/// Keeps an array of three by its tracked element.
const SMALL: ArrayLimits = ArrayLimits { cases: 1, cells: 2, touches: false };

/// Writes programs: threads that store to, load from and compare elements of two arrays of three.
struct Writer {
    rng: Rng,
    text: String,
    locks: bool,
    /// Elements are accessed through a pointer, too, and have locks.
    pointers: bool,
}

impl Writer {
    fn index(&mut self) -> String {
        self.rng.pick(&["i", "i", "j", "x", "0", "2"]).into()
    }
    fn element(&mut self) -> String {
        let kind = if self.pointers { self.rng.below(8) } else { 8 };
        match kind {
            0 => "*q".into(),
            1 => format!("q[{}]", self.rng.pick(&["0", "0", "(i & 1) - (q - a == 2)"])),
            _ => format!("{}[{}]", self.rng.pick(&["a", "a", "b", "s.c"]), self.index()),
        }
    }
    fn value(&mut self) -> String {
        match self.rng.below(8) {
            0..3 => self.rng.pick(&["0", "1", "2"]).into(),
            3 => "i".into(),
            4 => "x".into(),
            5 => "v".into(),
            _ => self.element(),
        }
    }
    fn statement(&mut self, depth: usize) {
        let relation = self.rng.pick(&["==", "!=", "<=", "<"]);
        let kinds = match (depth > 1, self.pointers) {
            (true, _) => 9,
            (false, false) => 12,
            (false, true) => 13,
        };
        match self.rng.below(kinds) {
            12 => {
                let _ = writeln!(self.text, "    q = &a[{}];", self.rng.pick(&["i", "i", "j", "x", "1"]));
            }
            0..4 => {
                let (to, value) = (self.element(), self.value());
                let _ = writeln!(self.text, "    {to} = {value};");
            }
            4 => {
                let value = self.element();
                let _ = writeln!(self.text, "    v = {value};");
            }
            5 => {
                let value = self.rng.pick(&["i", "(x + 1) % 3", "j", "0"]);
                let _ = writeln!(self.text, "    x = {value};");
            }
            6 => {
                let which = self.rng.pick(&["i", "j"]);
                let value =
                    self.rng.pick(&["x", "(i + 1) % 3", "(unsigned char)__VERIFIER_nondet_int() % 3"]);
                let _ = writeln!(self.text, "    {which} = {value};");
            }
            7 | 8 => {
                let (left, right) = (self.rng.pick(&["v", "x", "e"]).to_string(), self.value());
                let left = if left == "e" { self.element() } else { left };
                let _ = writeln!(self.text, "    __VERIFIER_assert({left} {relation} {right});");
            }
            9 => {
                let (left, right) = (self.element(), self.value());
                let _ = writeln!(self.text, "    if ({left} {relation} {right}) {{");
                self.statement(depth + 1);
                self.text.push_str("    }\n");
            }
            10 => {
                self.text.push_str("    for (i = 0; i < 3; i++) {\n");
                let (to, value) = (self.rng.pick(&["a[i]", "b[i]", "s.c[i]"]), self.value());
                let _ = writeln!(self.text, "    {to} = {value};\n    }}");
            }
            _ if self.locks => {
                // Another lock may be left open where the index changes in between: that has no end, and violates nothing.
                let lock =
                    if self.pointers { self.rng.pick(&["m", "l[i]", "l[i]", "l[q - a]"]) } else { "m" };
                let _ = writeln!(self.text, "    pthread_mutex_lock(&{lock});");
                for _ in 0..1 + self.rng.below(3) {
                    self.statement(depth + 1);
                }
                let _ = writeln!(self.text, "    pthread_mutex_unlock(&{lock});");
            }
            _ => self.statement(depth),
        }
    }
    fn body(&mut self, statements: usize) {
        self.text.push_str("    int i = 0, j = 1, v = 0, *q = a;\n");
        if self.rng.percent(60) {
            self.text.push_str("    i = (unsigned char)__VERIFIER_nondet_int();\n    if (i > 2) return 0;\n");
        }
        for _ in 0..statements {
            self.statement(0);
        }
    }
}

/// Two threads that `main` waits for.
pub fn workers(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let text = String::from("int a[3], b[3], x;\nstruct { int n; int c[3]; } s;\npthread_mutex_t m, l[3];\n");
    let mut w = Writer { locks: rng.percent(30), pointers: false, rng, text };
    for name in ["one", "two"] {
        let _ = writeln!(w.text, "void *{name}(void *p) {{");
        let statements = 1 + w.rng.below(4);
        w.body(statements);
        w.text.push_str("    return 0;\n}\n");
    }
    w.text.push_str("int main(void) {\n    pthread_t t, u;\n    int i = 0, j = 1, v = 0, *q = a;\n");
    w.text.push_str("    pthread_create(&t, 0, one, 0);\n    pthread_create(&u, 0, two, 0);\n");
    w.text.push_str("    pthread_join(t, 0);\n    pthread_join(u, 0);\n");
    let (left, right) = (w.element(), w.value());
    let _ = writeln!(w.text, "    __VERIFIER_assert({left} != {right});\n    return 0;\n}}");
    w.text
}

fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let init = if rng.percent(30) { " = {0, 1, 2}" } else { "" };
    let text =
        format!("int a[3]{init}, b[3], x;\nstruct {{ int n; int c[3]; }} s;\npthread_mutex_t m, l[3];\n");
    let mut w = Writer { locks: rng.percent(60), pointers: rng.percent(70), rng, text };
    w.text.push_str("void *work(void *p) {\n");
    let statements = 2 + w.rng.below(4);
    w.body(statements);
    w.text.push_str("    return 0;\n}\nint main(void) {\n    pthread_t t;\n");
    let joins = w.rng.percent(30);
    w.text.push_str("    pthread_create(&t, 0, work, 0);\n");
    if joins {
        w.text.push_str("    pthread_join(t, 0);\n");
    }
    let statements = 1 + w.rng.below(3);
    w.body(statements);
    w.text.push_str("    return 0;\n}\n");
    w.text
}

#[test]
fn no_proof_of_an_unsafe_program() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(150)).collect();
    let outcomes: Vec<super::judged::Judged> =
        seeds.par_iter().map(|s| super::judged::judge(&program(*s), SMALL)).collect();
    let (proved, wrong) = super::judged::count(&outcomes);
    let safe = outcomes.iter().filter(|o| o.safe == Some(true)).count();
    println!("{proved} programs proved, {safe} safe by exploration, {wrong} unsafe ones");
    assert!(proved > 0 && wrong > 0);
}
