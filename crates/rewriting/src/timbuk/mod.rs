//! Rewriting systems in Timbuk's format, as Ben Rajeb, Nasraoui, Robbana and Touili use them ("Verifying Multithreaded
//! Recursive Programs with Integer Variables", 2009; *BNRT* below).
//!
//! ```text
//! Ops Box:2 par:2 go:0 done:0 s:1 zero:0     (* an operator may have several arities: s:0 s:1 *)
//! Vars x y
//! AC par                                     (* ours: associative and commutative *)
//! TRS Program
//!   Box(par(go, x), y) -> Box(par(done, x), s(y)) if y < 3      (* ours: conditions *)
//! Automaton Bad
//!   States q0 q1
//!   Final States q1
//!   Transitions go -> q0  Box(q0, q0) -> q1 …
//! Set Initial
//!   Box(par(go, go), y) if y <= 2            (* terms need not be ground *)
//! ```
//!
//! A condition is a conjunction (`and`) of comparisons `< <= > >= = !=` between naturals: variables, `s(…)`, `zero` or
//! `0` or, where it is declared, BNRT's `s` alone, which is 1; numerals stand for their value. A comparison holds only
//! between terms that are naturals, so that it also says that its variables are. A variable that only a right side has
//! stands for any ground term. What is bad is what any of the automata accepts.

mod display;
mod lex;
mod parse;
#[cfg(test)]
mod tests;

use relyant_cfa::diagnostic::Diagnostic;
use std::path::Path;

/// Is this the name of a file with a rewriting system?
pub fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "timbuk" || e == "tbk")
}

/// Reads a file, which has to be UTF-8.
pub fn load(path: &Path) -> Result<System, Diagnostic> {
    let name = path.display().to_string();
    let text = relyant_cfa::files::read_text(path)?;
    load_text(&name, &text)
}

/// Reads a text; `name` is for messages.
pub fn load_text(name: &str, text: &str) -> Result<System, Diagnostic> {
    parse::parse(name, text)
}

/// A place in the text of a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column in the line, from 1; 0 when unknown.
    pub column: u32,
}

/// An operator, by its place in [`System::ops`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpId(pub u32);

/// A variable, by its place in [`System::vars`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// An operator as declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Name. Two operators may share it when their arities differ.
    pub name: String,
    /// Number of its arguments; 0 for a constant.
    pub arity: u32,
    /// Is it associative and commutative? Then the arity is 2, and terms give it two arguments or more.
    pub ac: bool,
}

/// A term as it is written; only AC operators may have more arguments than their arity.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A variable, for any ground term.
    Var(VarId),
    /// An operator with its arguments.
    App(OpId, Vec<Term>),
}

/// How two naturals compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `=`
    Eq,
    /// `!=`
    Ne,
}

impl Comparison {
    /// Does it hold between two numbers?
    pub fn holds(self, a: u64, b: u64) -> bool {
        match self {
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
        }
    }
}

/// A side of a comparison: `plus`, or a variable's value and `plus`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum {
    /// The variable, a natural; `None`: the number alone.
    pub var: Option<VarId>,
    /// What is added to it.
    pub plus: u64,
}

/// A comparison of naturals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    /// The side before the sign.
    pub left: Sum,
    /// How the sides compare.
    pub comparison: Comparison,
    /// The side after the sign.
    pub right: Sum,
}

/// A conditional rewrite rule `left -> right if condition`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// What is rewritten: never a variable alone.
    pub left: Term,
    /// What it becomes, under the same values.
    pub right: Term,
    /// All of them must hold.
    pub condition: Vec<Atom>,
    /// Where it begins in the text.
    pub place: Place,
}

/// A named list of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trs {
    /// Name of the list in the file.
    pub name: String,
    /// The rules, in the order of the text.
    pub rules: Vec<Rule>,
}

/// A state, by its place in [`Automaton::states`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub u32);

/// A transition of a tree automaton, which reads terms from the leaves up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transition {
    /// `f(q1, …, qn) -> q`
    Op(OpId, Vec<StateId>, StateId),
    /// `p -> q`: what p accepts, q accepts.
    Epsilon(StateId, StateId),
}

/// A tree automaton, deterministic or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// Name of the automaton in the file.
    pub name: String,
    /// Names of its states.
    pub states: Vec<String>,
    /// The final states, whose terms are accepted.
    pub finals: Vec<StateId>,
    /// Its transitions, in the order of the text.
    pub transitions: Vec<Transition>,
    /// Where it begins in the text.
    pub place: Place,
}

/// A term, ground or not, with a condition on its variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The term, whose ground instances are meant.
    pub term: Term,
    /// All of them must hold.
    pub condition: Vec<Atom>,
    /// Where it begins in the text.
    pub place: Place,
}

/// A named set of terms: the ground instances of its patterns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermSet {
    /// Name of the set in the file.
    pub name: String,
    /// Patterns, in the order of the text; the set is their union.
    pub patterns: Vec<Pattern>,
}

/// How naturals are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Naturals {
    /// The successor operator, `s` with one argument.
    pub successor: OpId,
    /// The constant that is the first natural.
    pub first: OpId,
    /// Its value: 0, or 1 when it is `s`.
    pub value: u64,
}

/// A rewriting system with its initial and its bad terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// Name of the file, as it was given.
    pub file: String,
    /// Operators by number, in the order of declaration.
    pub ops: Vec<Op>,
    /// Names of variables, by number.
    pub vars: Vec<String>,
    /// Named lists of rules; all their rules count.
    pub systems: Vec<Trs>,
    /// What any of these accepts is bad.
    pub automata: Vec<Automaton>,
    /// What any of these has is initial.
    pub sets: Vec<TermSet>,
    /// Naturals, where `s:1` and one first number are declared.
    pub naturals: Option<Naturals>,
}

impl System {
    /// The operator with a number.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }
    /// All rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.systems.iter().flat_map(|s| &s.rules)
    }
    /// All initial terms, in order.
    pub fn initial(&self) -> impl Iterator<Item = &Pattern> {
        self.sets.iter().flat_map(|s| &s.patterns)
    }
    /// The operator of this name and number of arguments; associative ones take two or more.
    pub fn find(&self, name: &str, arguments: usize) -> Option<OpId> {
        let fits = |o: &Op| {
            o.name == name && (o.arity as usize == arguments || o.ac && arguments >= o.arity as usize)
        };
        self.ops.iter().position(fits).map(|i| OpId(i as u32))
    }
    /// Finds out how naturals are written; to be called when `ops` is complete.
    pub fn find_naturals(&mut self) {
        let firsts: Vec<(OpId, u64)> = [("zero", 0), ("0", 0), ("s", 1)]
            .into_iter()
            .filter_map(|(name, value)| Some((self.find(name, 0)?, value)))
            .collect();
        self.naturals = match (self.find("s", 1), &firsts[..]) {
            (Some(successor), [(first, value)]) => Some(Naturals { successor, first: *first, value: *value }),
            _ => None,
        };
    }
}

impl Term {
    /// Calls `f` for each variable, from the left, repetitions included.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Term::Var(v) => f(*v),
            Term::App(_, args) => args.iter().for_each(|a| a.each_var(f)),
        }
    }
}

/// The variables of a condition.
pub fn condition_vars(condition: &[Atom]) -> impl Iterator<Item = VarId> + '_ {
    condition.iter().flat_map(|a| [a.left.var, a.right.var]).flatten()
}
