//! Random small Boolean programs.

use relyant_finite::boolean;
use relyant_finite::boolean::program::Program;
use std::fmt::Write;

/// Cases, more if asked for.
pub fn cases(default: u64) -> u64 {
    std::env::var("RELYANT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

struct Writer {
    r: Random,
    text: String,
    labels: u32,
    recursion: bool,
}

impl Writer {
    fn expr(&mut self, vars: &[&str], depth: u32) -> String {
        match self.r.below(if depth == 0 { 4 } else { 9 }) {
            0..=2 => self.r.one(vars).into(),
            3 => self.r.one(&["T", "F", "*", "*"]).into(),
            4 => format!("!{}", self.expr(vars, depth - 1)),
            5 => format!("({} & {})", self.expr(vars, depth - 1), self.expr(vars, depth - 1)),
            6 => format!("({} | {})", self.expr(vars, depth - 1), self.expr(vars, depth - 1)),
            7 => format!("({} = {})", self.expr(vars, depth - 1), self.expr(vars, depth - 1)),
            _ => format!("schoose[{}, {}]", self.expr(vars, depth - 1), self.expr(vars, depth - 1)),
        }
    }

    fn assign(&mut self, vars: &[&str]) {
        let a = self.r.one(vars);
        let b = self.r.one(vars);
        let (x, y) = (self.expr(vars, 2), self.expr(vars, 1));
        let two = a != b && self.r.below(3) == 0;
        if two {
            let _ = write!(self.text, "{a}, {b} := {x}, {y}");
        } else {
            let _ = write!(self.text, "{a} := {x}");
        }
        if self.r.below(4) == 0 {
            let c = self.expr(vars, 1);
            let other = self.r.one(vars);
            let _ = write!(self.text, " constrain ('{a} | {c} | '{other})");
        }
        self.text.push_str(";\n");
    }

    fn stmts(&mut self, vars: &[&str], count: u64, depth: u32, main: bool) {
        for _ in 0..count {
            match self.r.below(18) {
                0..=4 => self.assign(vars),
                5 => {
                    let e = self.expr(vars, 1);
                    let _ = writeln!(self.text, "assume({e});");
                }
                6 => {
                    let e = self.expr(vars, 2);
                    let _ = writeln!(self.text, "assert({e} | {e});");
                }
                7 if depth > 0 => {
                    let e = self.expr(vars, 1);
                    let _ = writeln!(self.text, "if {e} then");
                    self.stmts(vars, 2, depth - 1, main);
                    self.text.push_str("else\n");
                    self.stmts(vars, 1, depth - 1, main);
                    self.text.push_str("fi;\n");
                }
                8 if depth > 0 => {
                    let e = self.expr(vars, 1);
                    let _ = writeln!(self.text, "while {e} do");
                    self.stmts(vars, 2, depth - 1, main);
                    self.text.push_str("od;\n");
                }
                9 | 10 => {
                    let e = self.expr(vars, 1);
                    let f = self.r.one(&["f", "f", "g"]);
                    if f == "f" {
                        let _ = writeln!(self.text, "start_thread f({e});");
                    } else {
                        let _ = writeln!(self.text, "ASYNC_1: g();");
                    }
                }
                11 => {
                    let e = self.expr(vars, 1);
                    let x = self.r.one(vars);
                    let _ = writeln!(self.text, "{x} := h({e});");
                }
                12 if depth > 0 => {
                    self.text.push_str("atomic_begin;\n");
                    self.stmts(vars, 2, 0, false);
                    self.text.push_str("atomic_end;\n");
                }
                13 if depth > 0 => {
                    let l = self.r.one(&["m", "n"]);
                    let _ = writeln!(self.text, "lock {l};");
                    self.stmts(vars, 2, 0, false);
                    let _ = writeln!(self.text, "unlock {l};");
                }
                14 if self.r.below(4) == 0 => self.text.push_str("end_thread;\n"),
                15 => {
                    self.labels += 1;
                    let l = self.labels;
                    let _ = writeln!(self.text, "goto A{l}, B{l};\nA{l}: skip;");
                    self.assign(vars);
                    let _ = writeln!(self.text, "B{l}: skip;");
                }
                16 if main => {
                    self.labels += 1;
                    let l = self.labels;
                    let _ = writeln!(self.text, "start_thread goto C{l};\nC{l}: skip;");
                }
                _ => {
                    let v = self.r.one(vars);
                    let _ = writeln!(self.text, "dead {v};");
                }
            }
        }
    }

    fn program(mut self) -> String {
        self.text.push_str("decl a, b, m, n;\nvoid main() begin\ndecl x;\n");
        if self.r.below(2) == 0 {
            self.text.push_str("a, b := F, F;\n");
        }
        let n = 2 + self.r.below(4);
        self.stmts(&["a", "b", "x"], n, 2, true);
        self.text.push_str("end\nvoid f(p) begin\ndecl q;\n");
        if self.r.below(6) == 0 {
            self.text.push_str("enforce (a | !q);\n");
        }
        let n = 1 + self.r.below(4);
        self.stmts(&["a", "b", "p", "q"], n, 1, false);
        self.text.push_str("end\nvoid g() begin\ndecl u;\n");
        let n = 1 + self.r.below(3);
        self.stmts(&["a", "u"], n, 1, false);
        self.text.push_str("end\nbool h(p) begin\ndecl w;\n");
        let recursive = self.recursion && self.r.below(2) == 0;
        if recursive {
            self.text.push_str("if * then\nw := h(!p);\nfi;\n");
        }
        self.assign(&["a", "p", "w"]);
        let e = self.expr(&["a", "p", "w"], 1);
        let _ = writeln!(self.text, "return {e};\nend");
        self.text
    }
}

/// Calls in `h` to itself are removed but where recursion is wanted.
pub fn program(seed: u64, recursion: bool) -> (String, Program) {
    let w = Writer { r: Random(seed), text: String::new(), labels: 0, recursion };
    let text = w.program();
    let p = boolean::read(&text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (text, p)
}
