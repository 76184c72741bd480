//! Random programs of one thread on objects: structs (nested, with bit-fields, copied, passed and returned by value),
//! arrays of several dimensions, pointers to pointers and into arrays, function pointers, unions by member, strings.
//!
//! Expressions have no side effects; a call is a statement of its own, so that nothing depends on an order that C
//! leaves open. A pointer always points to an object that lives longer. Signed overflow is rare, not excluded.

use super::statements::Statements;
use super::{Sequential, TYPES};
use crate::rng::Rng;
use std::fmt::Write;

/// A type of objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Int(&'static str),
    /// A bit-field of that type and width.
    Bits(&'static str, u32),
    Struct(usize),
    Array(Box<Ty>, usize),
    Pointer(Box<Ty>),
}

/// A struct: members by name.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) members: Vec<(String, Ty)>,
}

/// An expression that is an object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) text: String,
    pub(super) ty: Ty,
    /// Lives as long as the program.
    pub(super) lasting: bool,
}

/// A function: what it takes, what it returns.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) params: Vec<Ty>,
    pub(super) result: Ty,
}

/// What is generated so far, and what is in scope.
pub(super) struct Gen {
    pub(super) rng: Rng,
    pub(super) prefix: String,
    pub(super) records: Vec<Record>,
    pub(super) objects: Vec<Object>,
    pub(super) functions: Vec<Function>,
    /// Tables of function pointers: name and size; their functions take `(int, unsigned)` and return `int`.
    pub(super) tables: Vec<(String, usize)>,
    pub(super) fresh: usize,
    pub(super) loops: usize,
    /// File-scope text made on the way: unions, recursive functions.
    pub(super) before: String,
}

/// A random program; `prefix` starts all its global names and has no underscore.
pub fn generate(seed: u64, prefix: &str) -> Sequential {
    let mut g = Gen {
        rng: Rng::new(seed ^ 0x6f62_6a65_6374),
        prefix: prefix.into(),
        records: Vec::new(),
        objects: Vec::new(),
        functions: Vec::new(),
        tables: Vec::new(),
        fresh: 0,
        loops: 0,
        before: String::new(),
    };
    for i in 0..2 + g.rng.below(2) {
        g.record(i);
    }
    for i in 0..4 + g.rng.below(4) {
        let ty = g.ty(2);
        let name = format!("{prefix}_g{i}");
        g.global(name, ty);
    }
    let pointers = 1 + g.rng.below(3);
    for i in 0..pointers {
        g.global_pointer(i);
    }
    for i in 0..2 + g.rng.below(2) {
        g.function(i);
    }
    g.table();
    let globals = g.objects.clone();
    let mut body = Vec::new();
    for _ in 0..2 + g.rng.below(3) {
        body.push(g.declaration(1));
    }
    for _ in 0..5 + g.rng.below(8) {
        body.push(g.stmt(2, 1));
    }
    let mut cells = Vec::new();
    for o in globals.iter().chain(&g.objects[globals.len()..]) {
        g.cells(&o.text, &o.ty, &mut cells);
    }
    let mut before = std::mem::take(&mut g.before);
    let mut outputs = Vec::new();
    for (k, cell) in cells.iter().enumerate() {
        let name = format!("{prefix}_o{k}");
        let _ = writeln!(before, "long long {name};");
        body.push(format!("  {name} = {cell};\n"));
        outputs.push(("long long", name));
    }
    Sequential { globals: outputs, before, body }
}

impl Gen {
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    pub(super) fn int(&mut self) -> &'static str {
        self.rng.pick(&TYPES)
    }

    fn record(&mut self, i: usize) {
        let name = format!("struct {}_S{i}", self.prefix);
        let mut members = Vec::new();
        for k in 0..1 + self.rng.below(4) {
            let ty = match self.rng.below(8) {
                0 | 1 => {
                    let (base, most) =
                        self.rng.pick(&[("unsigned", 31), ("int", 20), ("unsigned", 9), ("_Bool", 1)]);
                    Ty::Bits(base, 1 + self.rng.below(most) as u32)
                }
                _ => self.ty(1),
            };
            members.push((format!("m{k}"), ty));
        }
        let mut text = format!("{name} {{ ");
        for (m, ty) in &members {
            match ty {
                Ty::Bits(base, n) => {
                    let _ = write!(text, "{base} {m} : {n}; ");
                }
                _ => {
                    let _ = write!(text, "{}; ", self.declare(ty, m));
                }
            }
        }
        text.push_str("};\n");
        self.before.push_str(&text);
        self.records.push(Record { name, members });
    }

    /// A type without pointers.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        match self.rng.below(10) {
            0 | 1 if depth > 0 => Ty::Array(Box::new(self.ty(depth - 1)), self.rng.pick(&[2, 3, 4])),
            2..5 if depth > 0 && !self.records.is_empty() => Ty::Struct(self.rng.below(self.records.len())),
            _ => Ty::Int(self.int()),
        }
    }

    /// A declarator: `int (*x)[3]`.
    pub(super) fn declare(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Int(base) | Ty::Bits(base, _) => format!("{base} {name}"),
            Ty::Struct(k) => format!("{} {name}", self.records[*k].name),
            Ty::Array(of, n) => self.declare(of, &format!("{name}[{n}]")),
            Ty::Pointer(to) if matches!(**to, Ty::Array(..)) => self.declare(to, &format!("(*{name})")),
            Ty::Pointer(to) => self.declare(to, &format!("*{name}")),
        }
    }

    /// An initialiser: of constants if `constant`.
    pub(super) fn init(&mut self, ty: &Ty, constant: bool) -> String {
        match ty {
            Ty::Int(_) | Ty::Bits(..) if constant => self.literal(),
            Ty::Int(_) | Ty::Bits(..) => self.value(1),
            Ty::Array(of, n) => {
                if self.rng.percent(15) {
                    let (k, v) = (self.rng.below(*n), self.init(of, constant));
                    return format!("{{ [{k}] = {v} }}");
                }
                let some = 1 + self.rng.below(*n);
                let list: Vec<String> = (0..some).map(|_| self.init(of, constant)).collect();
                format!("{{ {} }}", list.join(", "))
            }
            Ty::Struct(k) => {
                let members = self.records[*k].members.clone();
                if self.rng.percent(30) {
                    let (m, t) = self.rng.pick(&members);
                    return format!("{{ .{m} = {} }}", self.init(&t, constant));
                }
                let some = 1 + self.rng.below(members.len());
                let list: Vec<String> = members[..some].iter().map(|(_, t)| self.init(t, constant)).collect();
                format!("{{ {} }}", list.join(", "))
            }
            Ty::Pointer(to) => self.address(to, constant).unwrap_or_else(|| "0".into()),
        }
    }

    fn global(&mut self, name: String, ty: Ty) {
        let fixed = if self.rng.percent(30) { "static " } else { "" };
        let init = if self.rng.percent(75) { format!(" = {}", self.init(&ty, true)) } else { String::new() };
        let line = format!("{fixed}{}{init};\n", self.declare(&ty, &name));
        self.before.push_str(&line);
        self.objects.push(Object { text: name, ty, lasting: true });
    }

    fn global_pointer(&mut self, i: usize) {
        let Some(to) = self.addressable() else { return };
        let ty = Ty::Pointer(Box::new(to.clone()));
        let Some(init) = self.address(&to, true) else { return };
        let name = format!("{}_p{i}", self.prefix);
        let line = format!("{} = {init};\n", self.declare(&ty, &name));
        self.before.push_str(&line);
        self.objects.push(Object { text: name, ty, lasting: true });
    }

    /// A type of which there is a lasting object.
    pub(super) fn addressable(&mut self) -> Option<Ty> {
        let lasting: Vec<Object> = self.objects.iter().filter(|o| o.lasting).cloned().collect();
        if lasting.is_empty() {
            return None;
        }
        let mut ty = self.rng.pick(&lasting).ty;
        loop {
            ty = match ty {
                Ty::Array(of, _) if self.rng.percent(70) => *of,
                Ty::Struct(k) if self.rng.percent(50) => {
                    let members = self.records[k].members.clone();
                    match self.rng.pick(&members).1 {
                        Ty::Bits(..) => return Some(Ty::Struct(k)),
                        t => t,
                    }
                }
                t => return Some(t),
            };
        }
    }

    /// The address of a lasting object of a type.
    pub(super) fn address(&mut self, to: &Ty, constant: bool) -> Option<String> {
        let from: Vec<Object> = self.objects.iter().filter(|o| o.lasting).cloned().collect();
        self.path(&from, &|t| t == to, constant, false).map(|(text, _)| format!("&{text}"))
    }

    /// A random path from an object to a part of it; with pointers followed or not.
    pub(super) fn path(
        &mut self,
        from: &[Object],
        want: &dyn Fn(&Ty) -> bool,
        constant: bool,
        follow: bool,
    ) -> Option<(String, Ty)> {
        if from.is_empty() {
            return None;
        }
        'again: for _ in 0..12 {
            let o = self.rng.pick(from);
            let (mut text, mut ty) = (o.text, o.ty);
            loop {
                if want(&ty) && (!matches!(ty, Ty::Pointer(_)) || self.rng.percent(70)) {
                    return Some((text, ty));
                }
                (text, ty) = match ty {
                    Ty::Array(of, n) => (format!("{text}[{}]", self.index(n, constant)), *of),
                    Ty::Struct(k) => {
                        let members = self.records[k].members.clone();
                        let (m, t) = self.rng.pick(&members);
                        (format!("{text}.{m}"), t)
                    }
                    Ty::Pointer(to) if follow => match *to {
                        Ty::Struct(k) if self.rng.percent(70) => {
                            let members = self.records[k].members.clone();
                            let (m, t) = self.rng.pick(&members);
                            (format!("{text}->{m}"), t)
                        }
                        t => (format!("(*{text})"), t),
                    },
                    _ => continue 'again,
                };
            }
        }
        None
    }

    fn index(&mut self, n: usize, constant: bool) -> String {
        if constant || self.rng.percent(50) {
            return self.rng.below(n).to_string();
        }
        let e = self.atom();
        if n.is_power_of_two() { format!("{e} & {}", n - 1) } else { format!("(unsigned)({e}) % {n}u") }
    }

    /// A scalar that can be read or written.
    pub(super) fn scalar(&mut self) -> Option<String> {
        let from = self.objects.clone();
        self.path(&from, &|t| matches!(t, Ty::Int(_) | Ty::Bits(..)), false, true).map(|p| p.0)
    }

    pub(super) fn literal(&mut self) -> String {
        let list = [
            "0",
            "1",
            "2",
            "3",
            "5",
            "9",
            "(-1)",
            "(-3)",
            "100",
            "127",
            "128",
            "255",
            "300",
            "(-129)",
            "40000",
            "65536",
            "2147483647",
            "(-2147483647 - 1)",
            "4294967295u",
            "5000000000LL",
            "'x'",
            "'\\n'",
            "0x7f",
        ];
        self.rng.pick(&list).into()
    }

    /// A variable or a constant.
    fn atom(&mut self) -> String {
        let plain: Vec<String> =
            self.objects.iter().filter(|o| matches!(o.ty, Ty::Int(_))).map(|o| o.text.clone()).collect();
        if plain.is_empty() || self.rng.percent(30) { self.literal() } else { self.rng.pick(&plain) }
    }

    /// An integer expression without side effects.
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.below(10) {
                0..6 => self.scalar().unwrap_or_else(|| "3".into()),
                6 | 7 => self.atom(),
                _ => self.literal(),
            };
        }
        let d = depth - 1;
        match self.rng.below(20) {
            0..4 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                let cast = self.rng.pick(&["unsigned", "unsigned long"]);
                format!("(({cast}){} {op} {})", self.value(d), self.value(d))
            }
            4 | 5 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                format!("({} % 100 {op} {} % 7)", self.value(d), self.value(d))
            }
            6 => format!(
                "({} {} {})",
                self.value(d),
                self.rng.pick(&["/", "%"]),
                self.rng.pick(&["3", "(-5)", "7u", "16L"])
            ),
            7 => format!("((unsigned long){} << ({} & 15))", self.value(d), self.value(d)),
            8 => format!("({} >> ({} & 15))", self.value(d), self.value(d)),
            9 | 10 => format!("({} {} {})", self.value(d), self.rng.pick(&["&", "|", "^"]), self.value(d)),
            11 | 12 => {
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", self.value(d), self.value(d))
            }
            13 => format!("({} {} {})", self.value(d), self.rng.pick(&["&&", "||"]), self.value(d)),
            14 => format!("({} ? {} : {})", self.value(d), self.value(d), self.value(d)),
            15 => format!("({}{})", self.rng.pick(&["~", "!", "-(unsigned)"]), self.value(d)),
            16 | 17 => format!("(({}){})", self.int(), self.value(d)),
            18 => self.pointers(),
            _ => self.value(d),
        }
    }

    /// What two pointers are to each other.
    fn pointers(&mut self) -> String {
        let Some(ty) = self.addressable() else { return "1".into() };
        let (Some(a), Some(b)) = (self.address(&ty, false), self.address(&ty, false)) else {
            return "0".into();
        };
        let op = self.rng.pick(&["==", "!="]);
        format!("({a} {op} {b})")
    }

    fn function(&mut self, i: usize) {
        let name = format!("{}_f{i}", self.prefix);
        let mut params = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            params.push(match self.rng.below(6) {
                0 | 1 => Ty::Struct(self.rng.below(self.records.len())),
                2 | 3 => match self.addressable() {
                    Some(t) => Ty::Pointer(Box::new(t)),
                    None => Ty::Int("int"),
                },
                _ => Ty::Int(self.int()),
            });
        }
        let result = if self.rng.percent(30) {
            Ty::Struct(self.rng.below(self.records.len()))
        } else {
            Ty::Int(self.int())
        };
        let kept = self.objects.len();
        let mut list = Vec::new();
        for (k, ty) in params.iter().enumerate() {
            list.push(self.declare(ty, &format!("a{k}")));
            self.objects.push(Object { text: format!("a{k}"), ty: ty.clone(), lasting: false });
        }
        let head = self.declare(&result, &format!("{name}({})", list.join(", ")));
        let inline = self.rng.pick(&["", "", "inline "]);
        let mut out = format!("static {inline}{head}\n{{\n");
        if self.rng.percent(25) {
            out.push_str("  static int calls = 1;\n");
            self.objects.push(Object { text: "calls".into(), ty: Ty::Int("int"), lasting: false });
            out.push_str("  calls = (calls + 1) % 50;\n");
        }
        if matches!(result, Ty::Struct(_)) {
            let init = self.init(&result, false);
            let _ = writeln!(out, "  {} = {init};", self.declare(&result, "r"));
            self.objects.push(Object { text: "r".into(), ty: result.clone(), lasting: false });
        }
        for _ in 0..1 + self.rng.below(3) {
            let s = self.stmt(1, 1);
            out.push_str(&s);
        }
        let value = match result {
            Ty::Struct(_) => "r".into(),
            _ => self.value(2),
        };
        let _ = writeln!(out, "  return {value};\n}}");
        self.objects.truncate(kept);
        self.before.push_str(&out);
        self.functions.push(Function { name, params, result });
    }

    fn table(&mut self) {
        let kept = std::mem::take(&mut self.objects);
        let p = self.prefix.clone();
        let mut names = Vec::new();
        for i in 0..2 {
            let name = format!("{p}_h{i}");
            self.objects = vec![
                Object { text: "a".into(), ty: Ty::Int("int"), lasting: false },
                Object { text: "b".into(), ty: Ty::Int("unsigned"), lasting: false },
            ];
            let text = format!("static int {name}(int a, unsigned b) {{ return {}; }}\n", self.value(2));
            self.before.push_str(&text);
            names.push(name);
        }
        self.objects = kept;
        let fixed = self.rng.pick(&["", "static ", "const "]);
        let star = if fixed == "const " { "(*const " } else { "(*" };
        let storage = if fixed == "const " { "static " } else { fixed };
        let _ = writeln!(
            self.before,
            "{storage}int {star}{p}_tab[4])(int, unsigned) = {{ {0}, {1}, &{0}, {1} }};",
            names[0], names[1]
        );
        self.tables.push((format!("{p}_tab"), 4));
    }

    /// All scalar cells of an object that can be reached without a pointer.
    fn cells(&self, text: &str, ty: &Ty, out: &mut Vec<String>) {
        match ty {
            Ty::Int(_) | Ty::Bits(..) => out.push(text.into()),
            Ty::Struct(k) => {
                for (m, t) in &self.records[*k].members {
                    self.cells(&format!("{text}.{m}"), t, out);
                }
            }
            Ty::Array(of, n) => (0..*n).for_each(|i| self.cells(&format!("{text}[{i}]"), of, out)),
            Ty::Pointer(_) => {}
        }
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
            assert!(!p.globals.is_empty());
        }
    }
}
