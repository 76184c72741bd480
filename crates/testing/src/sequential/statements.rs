//! Statements of random programs on objects.

use super::objects::{Gen, Object, Ty};
use std::fmt::Write;

/// Makes statements; text with its line ends, indented.
pub(super) trait Statements {
    /// A declaration with an initialiser; the object is in scope from then on.
    fn declaration(&mut self, indent: usize) -> String;
    /// A statement of any kind, `depth` levels of nesting at most inside.
    fn stmt(&mut self, depth: usize, indent: usize) -> String;
}

impl Statements for Gen {
    fn declaration(&mut self, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let ty = match self.rng.below(5) {
            0 | 1 => match self.addressable() {
                Some(t) => Ty::Pointer(Box::new(t)),
                None => Ty::Int("int"),
            },
            _ => self.ty(2),
        };
        let init = self.init(&ty, false);
        let name = self.name("l");
        let line = format!("{pad}{} = {init};\n", self.declare(&ty, &name));
        self.objects.push(Object { text: name, ty, lasting: false });
        line
    }

    fn stmt(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let nested = depth > 0;
        match self.rng.below(40) {
            0..4 if nested => {
                let cond = self.value(2);
                let then = self.stmts(depth - 1, indent + 1);
                if self.rng.percent(50) {
                    let other = self.stmts(depth - 1, indent + 1);
                    format!("{pad}if ({cond}) {{\n{then}{pad}}} else {{\n{other}{pad}}}\n")
                } else {
                    format!("{pad}if ({cond}) {{\n{then}{pad}}}\n")
                }
            }
            4..6 if nested && self.loops < 2 => self.looping(depth - 1, indent),
            6 if nested => self.switch(depth - 1, indent),
            7 if nested => {
                let (n, cond) = (self.name("L"), self.value(1));
                let skipped = self.stmts(depth - 1, indent);
                format!("{pad}if ({cond}) goto {n};\n{skipped}{pad}{n}: ;\n")
            }
            8 if nested && self.loops < 2 => {
                let (n, i) = (self.name("B"), self.name("n"));
                self.loops += 1;
                let body = self.stmts(depth - 1, indent + 1);
                self.loops -= 1;
                format!(
                    "{pad}{{\n{pad}  int {i} = 0;\n{pad}  {n}:\n{body}{pad}  if (++{i} < 3) goto {n};\n{pad}}}\n"
                )
            }
            9 | 10 if nested => self.block(depth - 1, indent),
            11..14 => self.copy(&pad),
            14 | 15 => self.repoint(&pad),
            16..19 => self.call(&pad),
            19 | 20 => {
                let Some((table, n)) = self.tables.first().cloned() else { return format!("{pad};\n") };
                let (r, index) = (self.name("r"), self.value(0));
                let (a, b) = (self.value(1), self.value(1));
                let call = match self.rng.below(3) {
                    0 => format!("{table}[{index} & {}]({a}, {b})", n - 1),
                    1 => format!("(*{table}[{}])({a}, {b})", self.rng.below(n)),
                    _ => format!("(*({table} + ({index} & 1)))({a}, {b})"),
                };
                let target = self.scalar();
                match target {
                    Some(x) => format!("{pad}{{ int {r} = {call}; {x} = {r}; }}\n"),
                    None => format!("{pad}{call};\n"),
                }
            }
            21..23 => self.walk(&pad),
            23 if self.rng.percent(25) => self.union(&pad),
            24 => self.string(&pad),
            25 => self.recursion(&pad),
            26 => self.effects(&pad),
            27 => self.literal_struct(&pad),
            28 => {
                let Some(x) = self.scalar() else { return format!("{pad};\n") };
                let (v, w) = (self.value(1), self.name("w"));
                format!("{pad}{x} = ({{ unsigned {w} = {v}; {w} ^ ({w} >> 3); }});\n")
            }
            29 => {
                let Some(x) = self.scalar() else { return format!("{pad};\n") };
                let from = self.objects.clone();
                let Some((y, _)) = self.path(&from, &|t| !matches!(t, Ty::Bits(..)), true, true) else {
                    return format!("{pad};\n");
                };
                format!("{pad}{x} = sizeof({y});\n")
            }
            30..34 => {
                let Some(x) = self.scalar() else { return format!("{pad};\n") };
                let op = self.rng.pick(&["+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"]);
                let value = match op {
                    "/" | "%" => self.rng.pick(&["3", "7u", "(-5)", "100L"]).to_string(),
                    "<<" | ">>" => self.rng.below(5).to_string(),
                    "+" | "-" | "*" => format!("(unsigned long){}", self.value(1)),
                    _ => self.value(1),
                };
                format!("{pad}{x} {op}= {value};\n")
            }
            34 => {
                let Some(x) = self.scalar() else { return format!("{pad};\n") };
                let op = self.rng.pick(&["++", "--"]);
                if self.rng.percent(50) { format!("{pad}{op}{x};\n") } else { format!("{pad}{x}{op};\n") }
            }
            _ => {
                let Some(x) = self.scalar() else { return format!("{pad};\n") };
                format!("{pad}{x} = {};\n", self.value(2))
            }
        }
    }
}

impl Gen {
    fn stmts(&mut self, depth: usize, indent: usize) -> String {
        (0..1 + self.rng.below(2)).map(|_| self.stmt(depth, indent)).collect()
    }

    fn block(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let kept = self.objects.len();
        let mut out = format!("{pad}{{\n");
        out.push_str(&self.declaration(indent + 1));
        out.push_str(&self.stmts(depth, indent + 1));
        out.push_str(&self.stmts(depth, indent + 1));
        self.objects.truncate(kept);
        out + &format!("{pad}}}\n")
    }

    fn looping(&mut self, depth: usize, indent: usize) -> String {
        let pad = "  ".repeat(indent);
        let (i, times) = (self.name("i"), 1 + self.rng.below(4));
        self.loops += 1;
        let mut body = self.stmts(depth, indent + 1);
        if self.rng.percent(40) {
            let _ =
                writeln!(body, "{pad}  if ({}) {};", self.value(1), self.rng.pick(&["break", "continue"]));
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
        let value = self.value(1);
        let mut out = format!("{pad}switch ({value} & 3) {{\n");
        let mut labels = vec!["case 0", "case 1", "case 2 ... 3", "default"];
        for _ in 0..1 + self.rng.below(4) {
            let label = labels.remove(self.rng.below(labels.len()));
            let _ = writeln!(out, "{pad}{label}:");
            out.push_str(&self.stmts(depth, indent + 1));
            if self.rng.percent(60) {
                let _ = writeln!(out, "{pad}  break;");
            }
        }
        out + &format!("{pad}  ;\n{pad}}}\n")
    }

    /// Copies a whole struct.
    fn copy(&mut self, pad: &str) -> String {
        let k = self.rng.below(self.records.len());
        let from = self.objects.clone();
        let want = |t: &Ty| *t == Ty::Struct(k);
        let (Some((x, _)), Some((y, _))) =
            (self.path(&from, &want, false, true), self.path(&from, &want, false, true))
        else {
            return format!("{pad};\n");
        };
        let y = if self.rng.percent(20) { format!("*({} *)&{y}", self.records[k].name) } else { y };
        format!("{pad}{x} = {y};\n")
    }

    /// Lets a pointer point elsewhere.
    fn repoint(&mut self, pad: &str) -> String {
        let from = self.objects.clone();
        let Some((p, Ty::Pointer(to))) = self.path(&from, &|t| matches!(t, Ty::Pointer(_)), false, true)
        else {
            return format!("{pad};\n");
        };
        let Some(a) = self.address(&to, false) else { return format!("{pad};\n") };
        if self.rng.percent(40) {
            let cond = self.value(1);
            return format!("{pad}if ({cond}) {p} = {a};\n");
        }
        format!("{pad}{p} = {a};\n")
    }

    fn call(&mut self, pad: &str) -> String {
        if self.functions.is_empty() {
            return format!("{pad};\n");
        }
        let f = self.rng.pick(&self.functions.clone());
        let mut args = Vec::new();
        for ty in &f.params {
            args.push(match ty {
                Ty::Struct(_) => {
                    let from = self.objects.clone();
                    match self.path(&from, &|t| t == ty, false, true) {
                        Some((s, _)) => s,
                        None => return format!("{pad};\n"),
                    }
                }
                Ty::Pointer(to) => match self.address(to, false) {
                    Some(a) => a,
                    None => return format!("{pad};\n"),
                },
                _ => self.value(1),
            });
        }
        let call = format!("{}({})", f.name, args.join(", "));
        let r = self.name("r");
        let from = self.objects.clone();
        let want = |t: &Ty| match (&f.result, t) {
            (Ty::Struct(k), Ty::Struct(j)) => k == j,
            (Ty::Int(_), Ty::Int(_) | Ty::Bits(..)) => true,
            _ => false,
        };
        match self.path(&from, &want, false, true) {
            Some((x, _)) => format!("{pad}{{ {} = {call}; {x} = {r}; }}\n", self.declare(&f.result, &r)),
            None => format!("{pad}{call};\n"),
        }
    }

    /// Walks an array with a pointer.
    fn walk(&mut self, pad: &str) -> String {
        let from = self.objects.clone();
        let Some((a, Ty::Array(of, n))) = self.path(&from, &|t| matches!(t, Ty::Array(..)), false, true)
        else {
            return format!("{pad};\n");
        };
        let q = self.name("q");
        let declare = self.declare(&Ty::Pointer(of.clone()), &q);
        let mut part = vec![Object { text: format!("(*{q})"), ty: *of.clone(), lasting: false }];
        let cell = self.path(&part, &|t| matches!(t, Ty::Int(_) | Ty::Bits(..)), true, true);
        let Some((cell, _)) = cell else { return format!("{pad};\n") };
        part[0].text = format!("{q}[-1]");
        let v = self.value(1);
        match self.rng.below(4) {
            0 => format!("{pad}for ({declare} = {a}; {q} < {a} + {n}; {q}++) {cell} ^= {v};\n"),
            1 => {
                let k = self.rng.below(n);
                let x = self.scalar().unwrap_or_else(|| cell.clone());
                format!(
                    "{pad}{{ {declare} = {a} + {k}; {cell} = {v}; {q} -= {k}; {x} = &{a}[{}] - {q}; }}\n",
                    n - 1
                )
            }
            2 => {
                let k = 1 + self.rng.below(n);
                let back = self.path(&part, &|t| matches!(t, Ty::Int(_) | Ty::Bits(..)), true, true);
                let back = back.map_or_else(|| cell.clone(), |b| b.0);
                format!("{pad}{{ {declare} = &{a}[{k}]; {back} |= {v}; }}\n")
            }
            _ => {
                let i = self.name("i");
                format!(
                    "{pad}for (int {i} = {}; {i} >= 0; {i}--) {{ {declare} = {a} + {i}; {cell} += 1 + {i}; }}\n",
                    n - 1
                )
            }
        }
    }

    /// Writes one member of a union and reads it.
    fn union(&mut self, pad: &str) -> String {
        let (u, t1, t2) = (self.name("u"), self.int(), self.int());
        let Some(x) = self.scalar() else { return format!("{pad};\n") };
        let (v, w) = (self.value(1), self.value(1));
        let m = self.rng.pick(&["a", "b", "s.c"]);
        format!(
            "{pad}{{ union {{ {t1} a; {t2} b; struct {{ short c, d; }} s; }} {u}; {u}.a = {v}; {u}.{m} = {w}; {x} = {u}.{m}; }}\n"
        )
    }

    fn string(&mut self, pad: &str) -> String {
        let (s, n) = (self.name("s"), self.name("n"));
        let Some(x) = self.scalar() else { return format!("{pad};\n") };
        let text = self.rng.pick(&["", "a", "hello", "x\\ty", "\\0z", "\\377\\x7f"]);
        match self.rng.below(3) {
            0 => format!(
                "{pad}{{ const char *{s} = \"{text}\"; int {n} = 0; while ({s}[{n}]) {n}++; {x} = {n}; }}\n"
            ),
            1 => {
                let v = self.value(0);
                format!(
                    "{pad}{{ char {s}[8] = \"{text}\"; {s}[7] = {v}; {x} = {s}[0] * 256 + {s}[7] + (int)sizeof \"{text}\"; }}\n"
                )
            }
            _ => {
                let v = self.value(0);
                format!("{pad}{{ unsigned char {s}[] = \"{text}z\"; {s}[0] += {v}; {x} = {s}[0]; }}\n")
            }
        }
    }

    /// A function that calls itself.
    fn recursion(&mut self, pad: &str) -> String {
        let Some(x) = self.scalar() else { return format!("{pad};\n") };
        let (name, ty) = (self.name("rec"), self.int());
        let f = format!("{}_{name}", self.prefix);
        let kept = std::mem::take(&mut self.objects);
        self.objects = vec![
            Object { text: "n".into(), ty: Ty::Int("unsigned"), lasting: false },
            Object { text: "acc".into(), ty: Ty::Int(ty), lasting: false },
        ];
        let (last, next) = (self.value(1), self.value(1));
        self.objects = kept;
        let _ = writeln!(
            self.before,
            "static {ty} {f}(unsigned n, {ty} acc) {{ if (n == 0) return {last}; return {f}(n - 1, {next}); }}"
        );
        let (r, v, n) = (self.name("r"), self.value(1), self.rng.below(5));
        format!("{pad}{{ {ty} {r} = {f}({n}, {v}); {x} = {r}; }}\n")
    }

    /// Side effects inside expressions, in an order that C fixes.
    fn effects(&mut self, pad: &str) -> String {
        let (Some(x), i) = (self.scalar(), self.name("i")) else { return format!("{pad};\n") };
        let (v, w, a) = (self.value(1), self.value(1), self.name("e"));
        match self.rng.below(5) {
            0 => format!(
                "{pad}{{ int {i} = 0, {a}[4]; {a}[{i}++] = {v}; {a}[{i}++] = {w}; {a}[{i}] = {a}[0] ^ {i}; {x} = {a}[{i}]; }}\n"
            ),
            1 => format!(
                "{pad}{{ short {a}[3] = {{ 1, 2, 3 }}, *{i} = {a}; *{i}++ = {v}; *++{i} = {w}; {x} = *--{i} + {a}[0]; }}\n"
            ),
            2 => format!(
                "{pad}{{ int {i}; unsigned char {a}; {i} = {a} = {v}; {x} = {i} + ({a} ? {a}++ : --{a}); {x} ^= {a}; }}\n"
            ),
            3 => format!(
                "{pad}{{ int {i} = 1; if ({v} && {i}++) {i} += 5; if ({w} || ({i} = 9)) {i}--; {x} = {i}; }}\n"
            ),
            _ => format!(
                "{pad}{{ int {i} = ({v}) & 7, {a} = 0; while ({i}-- && {a} < 20) {a} += {i} % 3 ? {i} : ({i}, 7); {x} = ({a}, {i}); }}\n"
            ),
        }
    }

    /// A struct without a name.
    fn literal_struct(&mut self, pad: &str) -> String {
        let k = self.rng.below(self.records.len());
        let from = self.objects.clone();
        let Some((x, ty)) = self.path(&from, &|t| *t == Ty::Struct(k), false, true) else {
            return format!("{pad};\n");
        };
        let init = self.init(&ty, false);
        format!("{pad}{x} = ({}){init};\n", self.records[k].name)
    }
}
