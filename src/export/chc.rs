//! A thread program as constrained Horn clauses in the format of CHC-COMP: one predicate over all locations and all
//! variables, one clause a step. The clauses have a solution if and only if the program is safe.

use num_bigint::BigInt;
use num_traits::One;
use relyant_check::flaw::ProgramFlaw;
use relyant_check::smt2::number;
use relyant_check::validate;
use relyant_linear::{Cube, LinExpr, Rel, Var};
use relyant_program::{Count, Edge, Program, Scope};
use std::collections::BTreeSet;
use std::fmt::Write;

/// More threads of a template than this are not written out.
pub const MAX_COPIES: u32 = 16;

/// Why there are no clauses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChcError {
    /// The encoding has one location variable a thread.
    #[error("there may be any number of threads `{0}`, which one predicate over all threads can't express")]
    Unbounded(String),
    /// As many as that are not written out.
    #[error("there may be {1} threads `{0}`, more than {MAX_COPIES}")]
    TooMany(String, u32),
    /// The program is not as its types promise.
    #[error("the program is not well-formed: {0}")]
    Malformed(ProgramFlaw),
}

/// A thread: template and number among its like.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Thread {
    template: usize,
    copy: u32,
}

/// An argument of the predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    At(usize),
    Global(Var),
    Local(usize, Var),
}

struct Encoder<'p> {
    program: &'p Program,
    threads: Vec<Thread>,
    slots: Vec<(Slot, String)>,
}

/// The clauses of a program in SMT-LIB's text, for solvers of Horn clauses.
pub fn export(program: &Program) -> Result<String, ChcError> {
    validate::program(program).map_err(ChcError::Malformed)?;
    let mut threads = Vec::new();
    for (i, t) in program.templates.iter().enumerate() {
        let n = match t.count {
            Count::Unbounded => return Err(ChcError::Unbounded(t.name.clone())),
            Count::AtMost(n) if n > MAX_COPIES => return Err(ChcError::TooMany(t.name.clone(), n)),
            Count::AtMost(n) => n,
        };
        threads.extend((0..n).map(|copy| Thread { template: i, copy }));
    }
    let mut e = Encoder { program, threads, slots: Vec::new() };
    e.list_slots();
    Ok(e.script())
}

impl Encoder<'_> {
    fn list_slots(&mut self) {
        let mut slots: Vec<(Slot, String)> = Vec::new();
        for (k, t) in self.threads.iter().enumerate() {
            let name = format!("location of {}", self.program.templates[t.template].name);
            slots.push((Slot::At(k), self.numbered(name, *t)));
        }
        for (v, x) in self.program.variables.iter().enumerate() {
            let v = Var(v as u32);
            match x.scope {
                Scope::Global => slots.push((Slot::Global(v), x.name.clone())),
                Scope::Local(t) => {
                    for (k, thread) in self.threads.iter().enumerate() {
                        if thread.template == t as usize {
                            slots.push((Slot::Local(k, v), self.numbered(x.name.clone(), *thread)));
                        }
                    }
                }
            }
        }
        let mut taken = BTreeSet::new();
        for (_, name) in &mut slots {
            // No `'`: primed names are taken by the values after a step.
            let allowed = |c: char| if "|\\'".contains(c) || !(' '..='~').contains(&c) { '_' } else { c };
            let plain: String = name.chars().map(allowed).collect();
            *name = plain.clone();
            let mut k = 1usize;
            while !taken.insert(name.clone()) {
                k += 1;
                *name = format!("{plain} ({k})");
            }
        }
        self.slots = slots;
    }
    fn numbered(&self, name: String, t: Thread) -> String {
        match self.program.templates[t.template].count {
            Count::AtMost(1) => name,
            _ => format!("{name} #{}", t.copy),
        }
    }
    /// The symbol of a slot, after the step or before.
    fn symbol(&self, slot: Slot, after: bool) -> String {
        let name = self.slots.iter().find(|x| x.0 == slot).map_or("", |x| &x.1);
        format!("|{name}{}|", if after { "'" } else { "" })
    }
    /// A variable as a thread sees it.
    fn slot(&self, thread: usize, v: Var) -> Slot {
        if self.program.is_global(v) { Slot::Global(v) } else { Slot::Local(thread, v) }
    }
    fn script(&self) -> String {
        let mut out = String::from("(set-logic HORN)\n");
        let sorts = vec!["Int"; self.slots.len()].join(" ");
        // Writing to a string does not fail, here and below.
        let _ = writeln!(out, "(declare-fun inv ({sorts}) Bool)");
        let args: Vec<String> = self.slots.iter().map(|s| self.symbol(s.0, false)).collect();
        clause(&mut out, &args, &self.start(), &atom(&args));
        for (k, t) in self.threads.iter().enumerate() {
            for e in &self.program.templates[t.template].edges {
                self.step(&mut out, &args, k, e);
            }
        }
        let errors = self.errors();
        let error = match errors.len() {
            0 => "false".into(),
            1 => errors[0].clone(),
            _ => format!("(or {})", errors.join(" ")),
        };
        clause(&mut out, &args, &[atom(&args), error], "false");
        out.push_str("(check-sat)\n");
        out
    }
    fn start(&self) -> Vec<String> {
        let mut parts = Vec::new();
        for (k, t) in self.threads.iter().enumerate() {
            let entry = self.program.templates[t.template].entry.0;
            parts.push(format!("(= {} {entry})", self.symbol(Slot::At(k), false)));
        }
        self.start_values(&mut parts);
        self.identities(&mut parts);
        parts
    }
    /// The start condition, for each thread that an atom speaks of. Atoms about templates without threads say nothing.
    fn start_values(&self, parts: &mut Vec<String>) {
        if self.program.init.is_bottom() {
            parts.push("false".into());
        }
        for a in self.program.init.atoms() {
            let owners: BTreeSet<u32> = a
                .vars()
                .filter_map(|v| match self.program.variables[v.0 as usize].scope {
                    Scope::Local(t) => Some(t),
                    Scope::Global => None,
                })
                .collect();
            // One thread of each template the atom speaks of, in all combinations.
            let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
            for t in &owners {
                let of = |k: &usize| self.threads[*k].template == *t as usize;
                let threads: Vec<usize> = (0..self.threads.len()).filter(of).collect();
                let extend = |c: &Vec<usize>| {
                    let c = c.clone();
                    threads.iter().map(move |k| c.iter().copied().chain([*k]).collect()).collect::<Vec<_>>()
                };
                choices = choices.iter().flat_map(extend).collect();
            }
            for choice in choices {
                let name = |v: Var| {
                    let owner = choice.iter().find(|k| {
                        let t = self.threads[**k].template as u32;
                        self.program.variables[v.0 as usize].scope == Scope::Local(t)
                    });
                    self.symbol(owner.map_or(Slot::Global(v), |k| Slot::Local(*k, v)), false)
                };
                parts.extend(cube(&Cube::of([relyant_linear::Norm::Atom(a.clone())]), &name));
            }
        }
    }
    /// Handles are in range and differ.
    fn identities(&self, parts: &mut Vec<String>) {
        let mut all = Vec::new();
        for (slot, _) in &self.slots {
            let Slot::Local(_, v) = slot else { continue };
            let v = &self.program.variables[v.0 as usize];
            if v.identity {
                let name = self.symbol(*slot, false);
                parts.extend(v.min.map(|n| format!("(<= {} {name})", number(&n.into()))));
                parts.extend(v.max.map(|n| format!("(<= {name} {})", number(&n.into()))));
                all.push(name);
            }
        }
        if all.len() > 1 {
            parts.push(format!("(distinct {})", all.join(" ")));
        }
    }
    fn step(&self, out: &mut String, args: &[String], k: usize, e: &Edge) {
        let name = |v: Var| match (v.0 as usize).checked_sub(self.program.variables.len()) {
            Some(input) => format!("|input {input}'|"),
            None => self.symbol(self.slot(k, v), false),
        };
        let mut variables = args.to_vec();
        variables.extend((0..e.inputs.len()).map(|n| format!("|input {n}'|")));
        let mut body = vec![atom(args), format!("(= {} {})", self.symbol(Slot::At(k), false), e.from.0)];
        body.extend(cube(&e.guard, &name));
        body.extend(cube(&e.bounds, &name));
        let mut changed = vec![(Slot::At(k), e.to.0.to_string())];
        changed.extend(e.updates.iter().map(|(v, value)| (self.slot(k, *v), sum(value, &name))));
        let mut after = args.to_vec();
        for (slot, value) in changed {
            let symbol = self.symbol(slot, true);
            body.push(format!("(= {symbol} {value})"));
            if let Some(place) = self.slots.iter().position(|s| s.0 == slot) {
                after[place] = symbol.clone();
            }
            variables.push(symbol);
        }
        clause(out, &variables, &body, &atom(&after));
    }
    /// What must not happen: a thread at an error, two threads at statements with the exclusive label.
    fn errors(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut labelled: Vec<(usize, String)> = Vec::new();
        for (k, t) in self.threads.iter().enumerate() {
            for (l, location) in self.program.templates[t.template].locations.iter().enumerate() {
                let here = format!("(= {} {l})", self.symbol(Slot::At(k), false));
                if location.error.is_some() {
                    errors.push(here.clone());
                }
                if self.program.exclusive.as_ref().is_some_and(|x| location.labels.contains(x)) {
                    labelled.push((k, here));
                }
            }
        }
        for (i, a) in labelled.iter().enumerate() {
            let others = labelled[i + 1..].iter().filter(|b| b.0 != a.0);
            errors.extend(others.map(|b| format!("(and {} {})", a.1, b.1)));
        }
        errors
    }
}

fn atom(args: &[String]) -> String {
    if args.is_empty() { "inv".into() } else { format!("(inv {})", args.join(" ")) }
}

fn clause(out: &mut String, variables: &[String], body: &[String], head: &str) {
    let body = match body {
        [] => "true".into(),
        [one] => one.clone(),
        _ => format!("(and {})", body.join(" ")),
    };
    let implication = format!("(=> {body} {head})");
    let sorted: Vec<String> = variables.iter().map(|v| format!("({v} Int)")).collect();
    let _ = if sorted.is_empty() {
        writeln!(out, "(assert {implication})")
    } else {
        writeln!(out, "(assert (forall ({}) {implication}))", sorted.join(" "))
    };
}

fn cube(c: &Cube, name: &dyn Fn(Var) -> String) -> Vec<String> {
    if c.is_bottom() {
        return vec!["false".into()];
    }
    let op = |r| if r == Rel::Le { "<=" } else { "=" };
    c.atoms().iter().map(|a| format!("({} {} 0)", op(a.rel()), sum(a.expr(), name))).collect()
}

/// A sum; its coefficients are integers in atoms, and in updates of a well-formed program.
fn sum(e: &LinExpr, name: &dyn Fn(Var) -> String) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (v, c) in e.terms() {
        let (c, x): (BigInt, String) = (c.numer(), name(*v));
        parts.push(if c.is_one() { x } else { format!("(* {} {x})", number(&c)) });
    }
    if !e.constant_part().is_zero() || parts.is_empty() {
        parts.push(number(&e.constant_part().numer()));
    }
    if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) }
}
