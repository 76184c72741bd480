//! C expressions of witnesses, evaluated in states of the interpreter.

use relyant_cfa::{IntKind, ObjId, Reg};
use relyant_frontend::c::outline::StatementAt;
use relyant_interp::machine::{Machine, State};
use std::collections::BTreeMap;

/// An expression without side effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number, as a mathematical integer.
    Number(i128),
    /// A variable, an element or a member: `x`, `a[2]`, `s.f`.
    Name(String),
    /// `\result`: what the call has returned.
    Result,
    /// `!`, `-`, `~`, `+`.
    Unary(char, Box<Expr>),
    /// One of the binary operators (`LEVELS`) on two operands.
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

/// Binary operators by precedence, loosest first; the last level is that of unary ones.
const LEVELS: [&[&str]; 7] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"], &[]];

/// Deeper expressions are not read.
const DEEPEST: usize = 200;

impl Expr {
    /// Reads an expression; `None` where it has anything that is not known here.
    pub fn parse(text: &str) -> Option<Expr> {
        let mut p = Parser { rest: text, depth: 0 };
        let e = p.binary(0)?;
        p.rest.trim().is_empty().then_some(e)
    }

    /// Its value; `None` where a name has none, or where C would leave it undefined.
    pub fn value(&self, name: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
        Some(match self {
            Expr::Number(n) => *n,
            Expr::Name(n) => name(n)?,
            Expr::Result => name("\\result")?,
            Expr::Unary(op, e) => {
                let v = e.value(name)?;
                match op {
                    '!' => i128::from(v == 0),
                    '-' => v.checked_neg()?,
                    '~' => !v,
                    _ => v,
                }
            }
            Expr::Binary(op, a, b) => {
                let a = a.value(name)?;
                match (*op, a) {
                    ("&&", 0) => return Some(0),
                    ("||", a) if a != 0 => return Some(1),
                    _ => {}
                }
                let b = b.value(name)?;
                match *op {
                    "&&" | "||" => i128::from(b != 0),
                    "==" => i128::from(a == b),
                    "!=" => i128::from(a != b),
                    "<=" => i128::from(a <= b),
                    ">=" => i128::from(a >= b),
                    "<" => i128::from(a < b),
                    ">" => i128::from(a > b),
                    "+" => a.checked_add(b)?,
                    "-" => a.checked_sub(b)?,
                    "*" => a.checked_mul(b)?,
                    "/" => a.checked_div(b)?,
                    "%" => a.checked_rem(b)?,
                    _ => return None,
                }
            }
        })
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn eat(&mut self, what: &str) -> bool {
        match self.rest.trim_start().strip_prefix(what) {
            Some(r) => {
                self.rest = r;
                true
            }
            None => false,
        }
    }

    fn binary(&mut self, level: usize) -> Option<Expr> {
        let Some(ops) = LEVELS.get(level).filter(|l| !l.is_empty()) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let rest = self.rest.trim_start();
            // Not the half of a longer operator.
            let found = ops.iter().find(|o| {
                rest.strip_prefix(**o).is_some_and(|r| !(o.len() == 1 && r.starts_with(['=', '<', '>'])))
            });
            let Some(op) = found else { return Some(left) };
            self.eat(op);
            let right = self.binary(level + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let e = self.unary_inside();
        self.depth -= 1;
        e
    }

    fn unary_inside(&mut self) -> Option<Expr> {
        for op in ['!', '-', '~', '+'] {
            if self.eat(op.encode_utf8(&mut [0; 4])) {
                return Some(Expr::Unary(op, Box::new(self.unary()?)));
            }
        }
        if self.eat("(") {
            // Wide enough to change nothing.
            for cast in ["long long int)", "long long)", "__int128)"] {
                if self.eat(cast) {
                    return self.unary();
                }
            }
            let e = self.binary(0)?;
            return self.eat(")").then_some(e);
        }
        if self.eat("\\result") {
            return Some(Expr::Result);
        }
        self.rest = self.rest.trim_start();
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (first, rest) = self.rest.split_at(end);
        self.rest = rest;
        match first {
            "" => return None,
            "true" => return Some(Expr::Number(1)),
            "false" => return Some(Expr::Number(0)),
            _ => {}
        }
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = first.trim_end_matches(['u', 'U', 'l', 'L']);
            let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
            let n = match hex {
                Some(h) => i128::from_str_radix(h, 16).ok()?,
                None if digits.len() > 1 && digits.starts_with('0') => return None,
                None => digits.parse().ok()?,
            };
            return Some(Expr::Number(n));
        }
        let mut name = first.to_string();
        loop {
            if self.eat("[") {
                let Expr::Number(n) = self.binary(0)? else { return None };
                if !self.eat("]") {
                    return None;
                }
                name += &format!("[{n}]");
            } else if self.rest.trim_start().starts_with('.') {
                self.eat(".");
                let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
                name += &format!(".{}", &self.rest[..end]);
                self.rest = &self.rest[end..];
            } else {
                return Some(Expr::Name(name));
            }
        }
    }
}

/// Where states keep a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A register of the thread.
    Register(usize),
    /// A cell of the thread.
    Own(usize),
    /// A cell of all threads: index into the state's.
    Shared(usize),
}

/// Finds variables of the source in states.
pub struct Variables<'m, 'p> {
    machine: &'m Machine<'p>,
    /// By template: registers with a name that no other register has.
    registers: Vec<BTreeMap<&'p str, Reg>>,
}

impl<'m, 'p> Variables<'m, 'p> {
    /// For a machine's program.
    pub fn new(machine: &'m Machine<'p>) -> Self {
        let mut registers = Vec::new();
        for t in &machine.program().templates {
            let mut names: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
            for (i, r) in t.registers.iter().enumerate().filter(|(_, r)| !r.name.is_empty()) {
                names.entry(&r.name).or_default().push(i as u32);
            }
            let single = names.into_iter().filter_map(|(n, rs)| match rs[..] {
                [r] if t.registers[r as usize].kind != IntKind::Ideal => Some((n, Reg(r))),
                _ => None,
            });
            registers.push(single.collect());
        }
        Variables { machine, registers }
    }

    /// The value of a name in the scope of a statement that a thread is at.
    pub fn value(&self, state: &State, thread: usize, at: &StatementAt, name: &str) -> Option<i128> {
        self.read(state, thread, self.slot(state.threads[thread].name.template, at, name)?)
    }

    /// Where the value of a name is, in the scope of a statement that a thread of a template is at.
    pub fn slot(&self, template: u32, at: &StatementAt, name: &str) -> Option<Slot> {
        let base = name.split(['[', '.']).next().unwrap_or(name);
        let local = at.scope.iter().filter(|s| *s == base).count();
        let cell = |wanted: &str, own: bool| {
            let program = self.machine.program();
            let is = |(o, k): (ObjId, u32)| {
                let object = &program.objects[o.0 as usize];
                // Addresses and locks have no values in C.
                object.cells.get(k as usize).is_some_and(|(kind, suffix)| {
                    *kind != IntKind::Ideal
                        && object.name.len() + suffix.len() == wanted.len()
                        && wanted.starts_with(object.name.as_str())
                        && wanted.ends_with(suffix)
                })
            };
            let all = |t: Option<u32>| self.machine.layout(t).enumerate().filter(|(_, c)| is(*c));
            let mine = all(Some(template)).filter(|_| own).map(|(i, _)| Slot::Own(i));
            let mut found = mine.chain(all(None).map(|(i, _)| Slot::Shared(i)));
            // Names of objects may repeat.
            let first = found.next()?;
            found.next().is_none().then_some(first)
        };
        match local {
            0 => cell(name, false),
            1 => match self.registers[template as usize].get(name) {
                Some(r) => Some(Slot::Register(r.0 as usize)),
                None => cell(&format!("{}::{name}", at.function), true),
            },
            // One hides the other.
            _ => None,
        }
    }

    /// The value that is there.
    pub fn read(&self, state: &State, thread: usize, slot: Slot) -> Option<i128> {
        match slot {
            Slot::Register(r) => self.machine.registers(state, thread).get(r).copied(),
            Slot::Own(k) => self.machine.own_cells(state, thread).nth(k).map(|c| c.2),
            Slot::Shared(k) => state.cells.get(k).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<i128> {
        let name = |n: &str| match n {
            "x" => Some(3),
            "a[2]" => Some(7),
            "s.f" => Some(-1),
            "\\result" => Some(9),
            _ => None,
        };
        Expr::parse(text)?.value(&name)
    }

    #[test]
    fn as_in_c() {
        for (text, v) in [
            ("x == 3 && 2 * x + 1 <= a[2]", 1),
            ("!(x < 3) && s.f < 0", 1),
            ("1 || nobody", 1),
            ("0 && nobody", 0),
            ("-x - -2 * 3", 3),
            ("7 / -2 * 10 + 7 % -2", -29),
            ("(long long)x * 0x10u >= 48L", 1),
            ("\\result == 9", 1),
            ("x != 3 || x > 2", 1),
            ("10 - 3 - 2", 5),
        ] {
            assert_eq!(value(text), Some(v), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_has_no_value() {
        for text in
            ["", "x +", "nobody == 1", "x = 3", "f(x)", "x / 0", "(x", "x ? 1 : 2", "010", "a[x]", "x << 1"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000)), None);
    }
}
