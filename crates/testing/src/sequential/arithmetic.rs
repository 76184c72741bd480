//! Random programs of one thread on integers.
//!
//! Expressions mix all integer types, so that conversions matter. Undefined behaviour is rare but not excluded: a
//! compiler with a sanitizer says where it happens.

use super::{Sequential, TYPES};
use crate::rng::Rng;
use std::fmt::Write;

/// A random program; `prefix` starts all its global names and has no underscore.
pub fn generate(seed: u64, prefix: &str) -> Sequential {
    let mut g = Gen {
        rng: Rng::new(seed),
        prefix: prefix.into(),
        scope: Vec::new(),
        arrays: Vec::new(),
        functions: Vec::new(),
        used: Vec::new(),
        mutated: Vec::new(),
        fresh: 0,
        loops: 0,
    };
    let mut globals = Vec::new();
    let mut before = String::new();
    for i in 0..3 + g.rng.below(4) {
        let ty = g.rng.pick(&TYPES);
        let name = format!("{prefix}_g{i}");
        let _ = writeln!(before, "{ty} {name} = {};", g.literal());
        globals.push((ty, name));
    }
    let ty = g.rng.pick(&TYPES[1..]);
    let array = format!("{prefix}_t");
    let _ = writeln!(before, "{ty} {array}[4] = {{ {}, {} }};", g.literal(), g.literal());
    for i in 0..2 {
        before.push_str(&g.function(i));
    }
    g.scope = globals.iter().map(|(_, n)| n.clone()).collect();
    g.arrays = vec![array.clone()];
    let mut body = Vec::new();
    for i in 0..1 + g.rng.below(3) {
        let ty = g.rng.pick(&TYPES);
        body.push(format!("  {ty} l{i} = {};\n", g.full(1)));
        g.scope.push(format!("l{i}"));
    }
    if g.rng.percent(50) {
        let ty = g.rng.pick(&TYPES[1..]);
        let (x, p) = (g.rng.pick(&["v", "u"]), "p");
        body.push(format!("  {ty} {x} = {}; {ty} *{p} = &{x};\n", g.full(1)));
        g.scope.push(x.into());
        // Both names are one variable: never both in one expression.
        g.scope.retain(|n| n != x);
        g.scope.push(format!("(*{p})"));
    }
    for _ in 0..3 + g.rng.below(8) {
        body.push(g.stmt(2, 1));
    }
    for k in 0..4 {
        let name = format!("{prefix}_o{k}");
        let _ = writeln!(before, "long long {name};");
        body.push(format!("  {name} = {array}[{k}];\n"));
        globals.push(("long long", name));
    }
    Sequential { globals, before, body }
}

struct Gen {
    rng: Rng,
    prefix: String,
    /// Variables that may be read and written.
    scope: Vec<String>,
    arrays: Vec<String>,
    /// Name and number of parameters.
    functions: Vec<(String, usize)>,
    /// Variables read in this full expression.
    used: Vec<String>,
    /// Variables written in it.
    mutated: Vec<String>,
    fresh: usize,
    loops: usize,
}

impl Gen {
    fn literal(&mut self) -> String {
        let list = [
            "0",
            "0",
            "1",
            "1",
            "2",
            "3",
            "5",
            "7",
            "10",
            "(-1)",
            "(-2)",
            "(-7)",
            "127",
            "128",
            "(-128)",
            "255",
            "256",
            "32767",
            "(-32768)",
            "65535",
            "2147483647",
            "(-2147483647 - 1)",
            "4294967295u",
            "3u",
            "1099511627776LL",
            "9223372036854775807LL",
            "18446744073709551615ULL",
            "'a'",
            "0x80000000",
            "077",
            "100l",
            "12ul",
        ];
        self.rng.pick(&list).into()
    }

    fn readable(&mut self) -> String {
        let free: Vec<&String> = self.scope.iter().filter(|v| !self.mutated.contains(v)).collect();
        if free.is_empty() {
            return "1".into();
        }
        let v = free[self.rng.below(free.len())].clone();
        self.used.push(v.clone());
        v
    }

    fn writable(&mut self) -> Option<String> {
        let fine = |v: &&String| !self.mutated.contains(v) && !self.used.contains(v);
        let free: Vec<&String> = self.scope.iter().filter(fine).collect();
        if free.is_empty() {
            return None;
        }
        let v = free[self.rng.below(free.len())].clone();
        self.mutated.push(v.clone());
        Some(v)
    }

    /// A full expression: none of its operands interferes with another.
    fn full(&mut self, depth: usize) -> String {
        self.used.clear();
        self.mutated.clear();
        self.expr(depth)
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(10) {
                0..5 => self.readable(),
                5 if !self.arrays.is_empty() && !self.mutated.iter().any(|m| m.contains('[')) => {
                    let a = self.rng.pick(&self.arrays.clone());
                    self.used.push(format!("{a}[]"));
                    format!("{a}[{}]", self.rng.below(4))
                }
                _ => self.literal(),
            };
        }
        let d = depth - 1;
        match self.rng.below(34) {
            0..4 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                // Mostly unsigned: signed overflow would end most programs early.
                let cast = self.rng.pick(&["unsigned", "unsigned long", "unsigned long long", "unsigned"]);
                format!("(({cast}){} {op} {})", self.expr(d), self.expr(d))
            }
            4..7 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                let (m, n) = (self.rng.pick(&["7", "100", "255"]), self.rng.pick(&["5", "127", "1000"]));
                format!("({} % {m} {op} {} % {n})", self.expr(d), self.expr(d))
            }
            7 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            8..11 => {
                let op = self.rng.pick(&["/", "%"]);
                let by = self.rng.pick(&["3", "(-3)", "7u", "16", "10L", "2", "255"]);
                format!("({} {op} {by})", self.expr(d))
            }
            11 => {
                let op = self.rng.pick(&["/", "%"]);
                format!("({} {op} (({} & 15) + 1))", self.expr(d), self.expr(d))
            }
            12..14 => {
                let cast = self.rng.pick(&["unsigned", "unsigned long"]);
                format!("(({cast}){} << {})", self.expr(d), self.count(d))
            }
            14..16 => format!("({} >> {})", self.expr(d), self.count(d)),
            16..19 => {
                let op = self.rng.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            19..22 => {
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            22 => format!("({} && {})", self.expr(d), self.expr(d)),
            23 => format!("({} || {})", self.expr(d), self.expr(d)),
            24 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            25 => {
                let op = self.rng.pick(&["~", "!", "-(unsigned)", "+"]);
                format!("({op}{})", self.expr(d))
            }
            26..29 => format!("(({}){})", self.rng.pick(&TYPES), self.expr(d)),
            29 => match self.writable() {
                Some(v) => {
                    let unsigned = self.rng.pick(&["++", "--"]);
                    if self.rng.percent(50) { format!("({unsigned}{v})") } else { format!("({v}{unsigned})") }
                }
                None => self.literal(),
            },
            30 => match self.writable() {
                Some(v) => format!("({v} = {})", self.expr(d)),
                None => self.literal(),
            },
            31 if !self.functions.is_empty() => {
                let (f, n) = self.rng.pick(&self.functions.clone());
                let args: Vec<String> = (0..n).map(|_| self.expr(d)).collect();
                format!("{f}({})", args.join(", "))
            }
            32 => {
                // Not with a constant: gcc 12 crashes on `(_Bool)(1, (1, 1))` under the sanitizer.
                let first = self.readable();
                let second = self.expr(d);
                if first == "1" { second } else { format!("({first}, {second})") }
            }
            _ => format!("(sizeof({}) + {})", self.rng.pick(&TYPES), self.expr(d)),
        }
    }

    /// The count of a shift, below every width.
    fn count(&mut self, depth: usize) -> String {
        if self.rng.percent(60) {
            self.rng.below(8).to_string()
        } else {
            format!("({} & 7)", self.expr(depth))
        }
    }

    fn function(&mut self, i: usize) -> String {
        let name = format!("{}_f{i}", self.prefix);
        let n = 1 + self.rng.below(2);
        let params: Vec<String> =
            ["a", "b"][..n].iter().map(|p| format!("{} {p}", self.rng.pick(&TYPES))).collect();
        self.scope = ["a", "b"][..n].iter().map(|p| (*p).to_string()).collect();
        let result = self.rng.pick(&TYPES);
        let mut out = format!("static {result} {name}({})\n{{\n", params.join(", "));
        for _ in 0..self.rng.below(3) {
            out.push_str(&self.stmt(1, 1));
        }
        if self.rng.percent(40) {
            let _ = writeln!(out, "  if ({}) return {};", self.full(1), self.full(1));
        }
        let _ = writeln!(out, "  return {};\n}}", self.full(2));
        self.functions.push((name, n));
        out
    }

    fn stmts(&mut self, depth: usize, indent: usize) -> String {
        (0..1 + self.rng.below(2)).map(|_| self.stmt(depth, indent)).collect()
    }

    fn stmt(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        self.used.clear();
        self.mutated.clear();
        let nested = depth > 0;
        match self.rng.below(24) {
            0..3 if nested => {
                let cond = self.full(2);
                let then = self.stmts(depth - 1, indent + 1);
                if self.rng.percent(50) {
                    let other = self.stmts(depth - 1, indent + 1);
                    format!("{pad}if ({cond}) {{\n{then}{pad}}} else {{\n{other}{pad}}}\n")
                } else {
                    format!("{pad}if ({cond}) {{\n{then}{pad}}}\n")
                }
            }
            3 | 4 if nested && self.loops < 2 => self.looping(depth - 1, indent),
            5 if nested => self.switch(depth - 1, indent),
            6 if nested => {
                let (ty, n) = (self.rng.pick(&TYPES), self.fresh);
                self.fresh += 1;
                let init = self.full(1);
                let saved = self.scope.clone();
                self.scope.push(format!("s{n}"));
                let body = self.stmts(depth - 1, indent + 1);
                self.scope = saved;
                format!("{pad}{{\n{pad}  {ty} s{n} = {init};\n{body}{pad}}}\n")
            }
            7 if nested => {
                let n = self.fresh;
                self.fresh += 1;
                let cond = self.full(1);
                let skipped = self.stmts(depth - 1, indent);
                format!("{pad}if ({cond}) goto L{n};\n{skipped}{pad}L{n}: ;\n")
            }
            8..12 => {
                let Some(v) = self.writable() else { return format!("{pad};\n") };
                let op = self.rng.pick(&["+", "-", "*", "&", "|", "^", "%", "/", "<<", ">>"]);
                let value = match op {
                    "/" | "%" => self.rng.pick(&["3", "7u", "(-5)", "100L"]).to_string(),
                    "<<" | ">>" => self.count(0),
                    "*" | "+" | "-" if self.rng.percent(60) => format!("({} % 7u)", self.expr(1)),
                    _ => self.expr(1),
                };
                format!("{pad}{v} {op}= {value};\n")
            }
            12 => {
                let Some(v) = self.writable() else { return format!("{pad};\n") };
                format!("{pad}{v}{};\n", self.rng.pick(&["++", "--"]))
            }
            13..15 if !self.arrays.is_empty() => {
                let a = self.rng.pick(&self.arrays.clone());
                let index = if self.rng.percent(50) {
                    self.rng.below(4).to_string()
                } else {
                    format!("{} & 3", self.expr(1))
                };
                let op = self.rng.pick(&["=", "=", "^=", "|="]);
                format!("{pad}{a}[{index}] {op} {};\n", self.expr(1))
            }
            _ => {
                let Some(v) = self.writable() else { return format!("{pad};\n") };
                // The target may be read on the right.
                if self.rng.percent(50) {
                    self.mutated.clear();
                    self.used.push(v.clone());
                }
                format!("{pad}{v} = {};\n", self.expr(3))
            }
        }
    }

    fn looping(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let i = format!("i{}", self.fresh);
        self.fresh += 1;
        self.loops += 1;
        let times = 1 + self.rng.below(4);
        let mut body = self.stmts(depth, indent + 1);
        if self.rng.percent(40) {
            let jump = self.rng.pick(&["break", "continue"]);
            let _ = writeln!(body, "{pad}  if ({}) {jump};", self.full(1));
            body.push_str(&self.stmts(depth, indent + 1));
        }
        self.loops -= 1;
        match self.rng.below(3) {
            0 => format!("{pad}for (int {i} = 0; {i} < {times}; {i}++) {{\n{body}{pad}}}\n"),
            1 => format!("{pad}{{ int {i} = {times}; while ({i}-- > 0) {{\n{body}{pad}}} }}\n"),
            _ => format!("{pad}{{ int {i} = 0; do {{\n{body}{pad}}} while (++{i} < {times}); }}\n"),
        }
    }

    fn switch(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let value = if self.rng.percent(60) { format!("{} & 3", self.full(1)) } else { self.full(1) };
        let mut out = format!("{pad}switch ({value}) {{\n");
        let mut labels = vec!["case 0", "case 1", "case 2", "case 3", "default", "case 200"];
        for _ in 0..1 + self.rng.below(4) {
            let label = labels.remove(self.rng.below(labels.len()));
            let _ = writeln!(out, "{pad}{label}:");
            out.push_str(&self.stmts(depth, indent + 1));
            if self.rng.percent(60) {
                let _ = writeln!(out, "{pad}  break;");
            }
        }
        let _ = writeln!(out, "{pad}  ;\n{pad}}}");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_fix_programs() {
        for seed in 0..100 {
            let p = generate(seed, "p");
            assert_eq!(p, generate(seed, "p"));
            assert_eq!(p.to_c().matches('{').count(), p.to_c().matches('}').count());
            assert!(p.to_function().contains("runp"));
        }
    }
}
