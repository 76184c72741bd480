//! Litmus tests: a few threads of a few steps each, and an outcome. As C text, and with a machine of their own that has
//! store buffers (Sewell et al., "x86-TSO", CACM 2010, section 3) or none.
//!
//! ```
//! use relyant_testing::litmus::Litmus;
//!
//! let sb: Litmus = "SB allowed x=1 a=y | y=1 b=x : a=0 b=0".parse().unwrap();
//! assert!(sb.allowed && sb.outcomes(true).iter().any(|o| sb.is_seen(o)));
//! assert!(!sb.outcomes(false).iter().any(|o| sb.is_seen(o)));
//! ```

use super::rng::Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Write};
use std::str::FromStr;

/// Shared variables, all 0 at the start.
pub(crate) const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];
/// Registers; each belongs to one thread.
pub(crate) const REGISTERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// What is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Value {
    Const(i32),
    Register(usize),
}

/// How a store is written in C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// `x = 1`
    Plain,
    /// With `memory_order_relaxed`.
    Relaxed,
    /// With `memory_order_release`.
    Release,
    /// With `memory_order_seq_cst`: it waits until the buffer is empty.
    SeqCst,
}

/// A step of a thread; variables and registers by index.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Step {
    Store(usize, Value, How),
    Load(usize, usize),
    Fence,
    /// Register, variable, value.
    Exchange(usize, usize, Value),
    /// Register, variable, what is added.
    Add(usize, usize, i32),
    /// The steps are done if the register has another value.
    Unless(usize, i32, Vec<Step>),
    /// The steps are done so often.
    Repeat(usize, Vec<Step>),
}

/// A litmus test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    /// What it is called.
    pub name: String,
    /// May the outcome be seen on x86?
    pub allowed: bool,
    /// The steps of each thread.
    pub threads: Vec<Vec<Step>>,
    /// Values of registers and variables, by name.
    pub outcome: Vec<(String, i32)>,
}

/// Values of all registers, then of all variables, when all threads have ended and nothing waits.
pub type Outcome = Vec<i32>;

fn position(list: &[&str], name: &str) -> Option<usize> {
    list.iter().position(|n| *n == name)
}

fn step(word: &str) -> Option<Step> {
    if word == "mfence" {
        return Some(Step::Fence);
    }
    let (to, of) = word.split_once('=')?;
    let value = |text: &str| match position(&REGISTERS, text) {
        Some(r) => Some(Value::Register(r)),
        None => text.parse().ok().map(Value::Const),
    };
    if let Some(v) = position(&VARIABLES, to) {
        let (how, of) = match of.split_at_checked(1)? {
            ("!", rest) => (How::SeqCst, rest),
            ("~", rest) => (How::Relaxed, rest),
            ("^", rest) => (How::Release, rest),
            _ => (How::Plain, of),
        };
        return Some(Step::Store(v, value(of)?, how));
    }
    let r = position(&REGISTERS, to)?;
    if let Some(v) = position(&VARIABLES, of) {
        return Some(Step::Load(r, v));
    }
    let (name, rest) = of.split_once('(')?;
    let (variable, by) = rest.strip_suffix(')')?.split_once(',')?;
    let v = position(&VARIABLES, variable)?;
    match name {
        "xchg" => Some(Step::Exchange(r, v, value(by)?)),
        "add" => Some(Step::Add(r, v, by.parse().ok()?)),
        _ => None,
    }
}

impl FromStr for Litmus {
    type Err = String;

    /// `NAME allowed|forbidden STEPS | STEPS : a=0 x=1`. A step is `x=1` (`x=a`; `x=!1` is sequentially consistent,
    /// `x=^1` a release, `x=~1` relaxed), `a=x`, `mfence`, `a=xchg(x,1)` or `a=add(x,1)`.
    fn from_str(line: &str) -> Result<Litmus, String> {
        let wrong = |what: &str| format!("{what} in `{line}`");
        let (threads, outcome) = line.split_once(':').ok_or_else(|| wrong("no outcome"))?;
        let mut words = threads.split_whitespace();
        let name = words.next().ok_or_else(|| wrong("no name"))?;
        let allowed = match words.next() {
            Some("allowed") => true,
            Some("forbidden") => false,
            _ => return Err(wrong("neither allowed nor forbidden")),
        };
        let mut all = vec![Vec::new()];
        for word in words {
            match (word, all.last_mut()) {
                ("|", _) => all.push(Vec::new()),
                (_, Some(last)) => last.push(step(word).ok_or_else(|| wrong(word))?),
                (_, None) => {}
            }
        }
        let value = |word: &str| {
            let (name, value) = word.split_once('=').ok_or_else(|| wrong(word))?;
            Ok::<_, String>((name.to_string(), value.parse().map_err(|_| wrong(word))?))
        };
        let outcome = outcome.split_whitespace().map(value).collect::<Result<_, _>>()?;
        Ok(Litmus { name: name.into(), allowed, threads: all, outcome })
    }
}

/// A step of the machine: with jumps instead of nesting.
enum Flat<'s> {
    Do(&'s Step),
    /// Goes on at another place if the register has the value.
    Jump(usize, i32, usize),
}

fn flatten<'s>(steps: &'s [Step], out: &mut Vec<Flat<'s>>) {
    for s in steps {
        match s {
            Step::Unless(r, v, inner) => {
                let at = out.len();
                out.push(Flat::Jump(*r, *v, 0));
                flatten(inner, out);
                out[at] = Flat::Jump(*r, *v, out.len());
            }
            Step::Repeat(n, inner) => (0..*n).for_each(|_| flatten(inner, out)),
            s => out.push(Flat::Do(s)),
        }
    }
}

/// A state of the machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    registers: Vec<i32>,
    memory: Vec<i32>,
    buffers: Vec<VecDeque<(usize, i32)>>,
}

impl Litmus {
    /// All outcomes, with store buffers or without.
    pub fn outcomes(&self, buffers: bool) -> BTreeSet<Outcome> {
        let code: Vec<Vec<Flat<'_>>> = self
            .threads
            .iter()
            .map(|t| {
                let mut flat = Vec::new();
                flatten(t, &mut flat);
                flat
            })
            .collect();
        let n = code.len();
        let start = State {
            at: vec![0; n],
            registers: vec![0; REGISTERS.len()],
            memory: vec![0; VARIABLES.len()],
            buffers: vec![VecDeque::new(); n],
        };
        let mut seen = BTreeSet::from([start.clone()]);
        let mut work = vec![start];
        let mut out = BTreeSet::new();
        while let Some(s) = work.pop() {
            let ended = |t: usize| s.at[t] == code[t].len() && s.buffers[t].is_empty();
            if (0..n).all(ended) {
                out.insert(s.registers.iter().chain(&s.memory).copied().collect());
            }
            for (t, flat) in code.iter().enumerate() {
                let arrived = s.buffers[t].front().map(|&(v, value)| {
                    let mut next = s.clone();
                    next.buffers[t].pop_front();
                    next.memory[v] = value;
                    next
                });
                let stepped = flat.get(s.at[t]).and_then(|step| s.after(t, step, buffers));
                for next in arrived.into_iter().chain(stepped) {
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
        }
        out
    }

    /// Is it the outcome that the test asks about?
    pub fn is_seen(&self, outcome: &Outcome) -> bool {
        self.outcome.iter().all(|(name, value)| {
            let r = position(&REGISTERS, name);
            let at = r.or(position(&VARIABLES, name).map(|v| v + REGISTERS.len()));
            at.and_then(|k| outcome.get(k)) == Some(value)
        })
    }

    /// Names of registers and variables, in the order of outcomes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        REGISTERS.into_iter().chain(VARIABLES)
    }

    /// Some program whose threads do such things, and no outcome.
    pub fn random(seed: u64) -> Litmus {
        let mut rng = Rng::new(seed);
        let threads = if rng.percent(25) { 3 } else { 2 };
        let variables = 1 + rng.below(3);
        let make = |t: usize| {
            let own = REGISTERS.len() / threads;
            let length = 2 + rng.below(if threads == 2 { 4 } else { 3 });
            block(&mut rng, (t * own, own), variables, length, 2)
        };
        Litmus {
            name: format!("random{seed}"),
            allowed: false,
            threads: (0..threads).map(make).collect(),
            outcome: Vec::new(),
        }
    }
}

/// Steps of a thread with these registers (the first one, how many).
fn block(rng: &mut Rng, own: (usize, usize), variables: usize, length: usize, depth: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..length {
        let (r, v) = (own.0 + rng.below(own.1), rng.below(variables));
        let value = match rng.percent(25) {
            true => Value::Register(own.0 + rng.below(own.1)),
            false => Value::Const(1 + rng.below(2) as i32),
        };
        steps.push(match rng.below(20) {
            0..=7 => Step::Store(v, value, rng.pick(&[How::Plain, How::Relaxed, How::Release])),
            8..=13 => Step::Load(r, v),
            14 => Step::Fence,
            15 => Step::Store(v, value, How::SeqCst),
            16 => Step::Exchange(r, v, value),
            17 => Step::Add(r, v, 1),
            _ if depth == 0 => Step::Load(r, v),
            18 => Step::Unless(r, rng.below(2) as i32, block(rng, own, variables, 2, depth - 1)),
            _ => Step::Repeat(2, block(rng, own, variables, 1, depth - 1)),
        });
    }
    steps
}

impl State {
    /// After a step of a thread; `None` if it has to wait.
    fn after(&self, t: usize, flat: &Flat<'_>, buffers: bool) -> Option<State> {
        let mut next = self.clone();
        next.at[t] += 1;
        let value = |v: &Value| match v {
            Value::Const(c) => *c,
            Value::Register(r) => self.registers[*r],
        };
        let empty = self.buffers[t].is_empty();
        let step = match flat {
            Flat::Jump(r, v, to) => {
                if self.registers[*r] == *v {
                    next.at[t] = *to;
                }
                return Some(next);
            }
            Flat::Do(step) => step,
        };
        match step {
            Step::Store(v, of, How::SeqCst) if empty => next.memory[*v] = value(of),
            Step::Store(_, _, How::SeqCst) => return None,
            Step::Store(v, of, _) if buffers => next.buffers[t].push_back((*v, value(of))),
            Step::Store(v, of, _) => next.memory[*v] = value(of),
            Step::Load(r, v) => {
                let own = self.buffers[t].iter().rev().find(|e| e.0 == *v);
                next.registers[*r] = own.map_or(self.memory[*v], |e| e.1);
            }
            Step::Fence | Step::Exchange(..) | Step::Add(..) if !empty => return None,
            Step::Exchange(r, v, by) => {
                let by = value(by);
                next.registers[*r] = std::mem::replace(&mut next.memory[*v], by);
            }
            Step::Add(r, v, by) => {
                next.registers[*r] = self.memory[*v];
                next.memory[*v] += by;
            }
            Step::Fence | Step::Unless(..) | Step::Repeat(..) => {}
        }
        Some(next)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Const(c) => write!(f, "{c}"),
            Value::Register(r) => f.write_str(REGISTERS[*r]),
        }
    }
}

pub(crate) fn registers(steps: &[Step], out: &mut BTreeSet<usize>) {
    for s in steps {
        match s {
            Step::Store(_, Value::Register(r), _) | Step::Load(r, _) | Step::Add(r, ..) => {
                out.insert(*r);
            }
            Step::Exchange(r, _, v) => {
                out.insert(*r);
                if let Value::Register(r) = v {
                    out.insert(*r);
                }
            }
            Step::Unless(r, _, inner) => {
                out.insert(*r);
                registers(inner, out);
            }
            Step::Repeat(_, inner) => registers(inner, out),
            Step::Store(..) | Step::Fence => {}
        }
    }
}

pub(crate) fn statements(steps: &[Step], depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    for s in steps {
        // Writing to a string does not fail.
        let _ = match s {
            Step::Store(v, of, how) => {
                let x = VARIABLES[*v];
                match how {
                    How::Plain => writeln!(out, "{indent}{x} = {of};"),
                    How::Relaxed => writeln!(out, "{indent}__atomic_store_n(&{x}, {of}, 0);"),
                    How::Release => writeln!(out, "{indent}__atomic_store_n(&{x}, {of}, 3);"),
                    How::SeqCst => writeln!(out, "{indent}__atomic_store_n(&{x}, {of}, 5);"),
                }
            }
            Step::Load(r, v) => writeln!(out, "{indent}{} = {};", REGISTERS[*r], VARIABLES[*v]),
            Step::Fence => writeln!(out, "{indent}__sync_synchronize();"),
            Step::Exchange(r, v, by) => {
                let (r, x) = (REGISTERS[*r], VARIABLES[*v]);
                writeln!(out, "{indent}{r} = __atomic_exchange_n(&{x}, {by}, 5);")
            }
            Step::Add(r, v, by) => {
                let (r, x) = (REGISTERS[*r], VARIABLES[*v]);
                writeln!(out, "{indent}{r} = __atomic_fetch_add(&{x}, {by}, 5);")
            }
            Step::Unless(r, v, inner) => {
                let _ = writeln!(out, "{indent}if ({} != {v}) {{", REGISTERS[*r]);
                statements(inner, depth + 1, out);
                writeln!(out, "{indent}}}")
            }
            Step::Repeat(n, inner) => {
                let _ = writeln!(out, "{indent}for (int i{depth} = 0; i{depth} < {n}; i{depth}++) {{");
                statements(inner, depth + 1, out);
                writeln!(out, "{indent}}}")
            }
        };
    }
}

impl Litmus {
    /// As C that is preprocessed already: the outcome is an error.
    pub fn to_c(&self) -> String {
        let mut out = String::from(
            "typedef unsigned long pthread_t;\n\
             extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
             extern int pthread_join(pthread_t, void **);\n\
             extern void reach_error(void);\n",
        );
        let _ = writeln!(out, "volatile int {};", VARIABLES.join(", "));
        let mut used: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (t, steps) in self.threads.iter().enumerate() {
            registers(steps, used.entry(t).or_default());
        }
        for r in used.values().flatten() {
            let _ = writeln!(out, "int end_{};", REGISTERS[*r]);
        }
        for (t, steps) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "void *thread{t}(void *unused) {{");
            for r in &used[&t] {
                let _ = writeln!(out, "    int {} = 0;", REGISTERS[*r]);
            }
            statements(steps, 1, &mut out);
            for r in &used[&t] {
                let r = REGISTERS[*r];
                let _ = writeln!(out, "    end_{r} = {r};");
            }
            out.push_str("    return 0;\n}\n");
        }
        let n = self.threads.len();
        let _ = writeln!(out, "pthread_t t[{n}];\nint main(void) {{");
        for t in 0..n {
            let _ = writeln!(out, "    pthread_create(&t[{t}], 0, thread{t}, 0);");
        }
        for t in 0..n {
            let _ = writeln!(out, "    pthread_join(t[{t}], 0);");
        }
        let is = |(name, value): &(String, i32)| match position(&REGISTERS, name) {
            Some(r) if used.values().any(|u| u.contains(&r)) => Some(format!("end_{name} == {value}")),
            // One that nobody uses is 0.
            Some(_) if *value == 0 => None,
            Some(_) => Some("0".into()),
            None => Some(format!("{name} == {value}")),
        };
        let mut all: Vec<String> = self.outcome.iter().filter_map(is).collect();
        if all.is_empty() {
            all.push("1".into());
        }
        let _ = writeln!(out, "    if ({}) reach_error();\n    return 0;\n}}", all.join(" && "));
        out
    }
}
