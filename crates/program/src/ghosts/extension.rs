//! Ghosts as data: what is added to a program, and why each of its runs stays possible. Who finds an extension is not believed:
//! `relyant-check` decides what is claimed.
//!
//! An extension is a forward simulation from the program to the extended one (Abadi and Lamport, "The existence of refinement
//! mappings", 1991, whose auxiliary variables are Owicki and Gries's, 1976): ghosts have start values; a step becomes *cases*,
//! the same step under further conditions, that changes ghosts as well; *facts* relate the ghosts with the state. To be
//! shown: facts hold at the start; in every state where they do, each step is one of its cases, after which they hold again. A
//! ghost whose value tells the future is the simplest of prophecies, [`Start::Foretold`].
//!
//! Variables have their numbers in the extended program: those of the program, then the ghosts in order, then inputs, of
//! which a case's own come last.

use crate::recognisers::Recogniser;
use crate::{Edge, Input, Loc, Program, Variable};
use relyant_linear::{Atom, Cube, LinExpr, Rel, Var};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A program before ghosts were added, and what was added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The program, without the text of its source.
    pub before: Program,
    /// What was added, and what is claimed of it.
    pub extension: Extension,
}

/// Ghosts and what is claimed of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extension {
    /// Which recogniser found it; without it the program has no such ghosts.
    pub by: Recogniser,
    /// New variables, in the order of their numbers.
    pub ghosts: Vec<GhostVariable>,
    /// By template and edge: what becomes of it. An edge that is not listed stays as it is.
    pub cases: BTreeMap<(u32, usize), Vec<StepCase>>,
    /// Variables of the program that are left out, each replaced by an expression that it always equals.
    pub replaced: Vec<(Var, LinExpr)>,
    /// Ghosts that have a variable's value in advance.
    pub prophecies: Vec<Prophecy>,
    /// Code whose results facts speak of.
    pub code: Vec<Code>,
    /// What holds in each state, by induction.
    pub facts: Vec<Fact>,
}

impl Extension {
    /// One that adds nothing.
    pub fn new(by: Recogniser) -> Extension {
        Extension {
            by,
            ghosts: Vec::new(),
            cases: BTreeMap::new(),
            replaced: Vec::new(),
            prophecies: Vec::new(),
            code: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// A new variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostVariable {
    /// Its bounds are facts, too.
    pub variable: Variable,
    /// Its value at the start.
    pub start: Start,
    /// Only facts speak of it: the extended program does not have it.
    pub hidden: bool,
}

/// Start value of a ghost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// That of an expression over the program's variables and ghosts before it.
    Value(LinExpr),
    /// Any; facts hold for that of an expression over the program's variables.
    Free(LinExpr),
    /// Any within its bounds; facts hold for that of the term.
    Chosen(Term),
    /// Any within its bounds; facts hold for that of the prophecy.
    Foretold,
    /// Another one for each thread: the identity of a template that has none.
    Identity,
}

/// A number that linear arithmetic does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// 1 if `by` divides `of`, else 0.
    Divides {
        /// A ghost that is foretold.
        by: Var,
        /// What it divides or not.
        of: LinExpr,
    },
    /// The product of both.
    Product(LinExpr, LinExpr),
}

impl Term {
    /// The expressions that it is about.
    pub fn expressions(&self) -> Vec<&LinExpr> {
        match self {
            Term::Divides { of, .. } => vec![of],
            Term::Product(a, b) => vec![a, b],
        }
    }
}

/// A step under further conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepCase {
    /// In addition to the guard of the edge.
    pub guard: Cube,
    /// Inputs of its own, in addition to those of the edge, and which value facts ask for; between 0 and 1 where that is.
    pub inputs: Vec<Term>,
    /// New values of ghosts, sorted by ghost.
    pub updates: Vec<(Var, LinExpr)>,
}

impl StepCase {
    /// The step as it is.
    pub fn same() -> StepCase {
        StepCase { guard: Cube::top(), inputs: Vec::new(), updates: Vec::new() }
    }
}

/// A ghost that has the value of a local of one thread, at some of its edges, from the start of the run on. It exists if
/// nothing writes the local any more once one of the edges was taken: it is the value then, or the least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prophecy {
    /// The ghost, a global that is never written.
    pub ghost: Var,
    /// Whose value it is, a local of the template.
    pub of: Var,
    /// A template of one thread.
    pub template: u32,
    /// Edges of the template at which both are the same, by index, sorted.
    pub edges: Vec<usize>,
}

/// Deterministic code: steps of a template of which each follows from the values before. So what it ends with is a function
/// of where it is and of these values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Whose edges are its steps.
    pub template: u32,
    /// It ends with a step that sets this variable to 1.
    pub ends: Var,
    /// By location of the template: the variables that the result depends on.
    pub arguments: Vec<Vec<Var>>,
    /// The variables whose value at the end is the result.
    pub results: Vec<Var>,
}

/// What holds in each state: for each thread of a template and at some locations, of some values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Of each thread of this template, which may have many, and whose locals it may speak of.
    pub each: Option<u32>,
    /// While threads are at these locations: templates of one thread, sorted.
    pub at: Vec<(u32, Vec<Loc>)>,
    /// While these comparisons hold.
    pub given: Cube,
    /// What holds then.
    pub claim: Claim,
}

impl Fact {
    /// What always holds.
    pub fn always(claim: Claim) -> Fact {
        Fact { each: None, at: Vec::new(), given: Cube::top(), claim }
    }
    /// `e <= 0`, or `e = 0`, of each thread of a template.
    pub fn compares(each: Option<u32>, rel: Rel, e: LinExpr) -> Fact {
        Fact { each, ..Fact::always(Claim::Sum { rel, sum: e, threads: Vec::new() }) }
    }
}

/// What a fact says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A sum, and numbers of threads at locations, together are at most 0 or 0.
    Sum {
        /// Which of both.
        rel: Rel,
        /// A sum of variables.
        sum: LinExpr,
        /// How often the number of threads counts, of which template, at which locations (sorted).
        threads: Vec<(i128, u32, Vec<Loc>)>,
    },
    /// A ghost has the term's value.
    Is {
        /// The ghost.
        ghost: Var,
        /// The term.
        term: Term,
    },
    /// The one thread of a template is at one of these locations, sorted.
    At(u32, Vec<Loc>),
    /// Two values are the same.
    Same(Value, Value),
}

/// A value that may be a result of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of an expression.
    Of(LinExpr),
    /// What code ends with.
    Result {
        /// Which code, by index.
        code: usize,
        /// Which of its results, by index.
        result: usize,
        /// From where.
        at: Loc,
        /// From which values: what stands for each variable of the code; others stand for themselves.
        with: Vec<(Var, LinExpr)>,
    },
}

/// Adds ghosts to a program, with what has to be shown.
pub fn extend(p: &mut Program, extension: Extension) {
    let before = Program { lines: Vec::new(), extensions: Vec::new(), ..p.clone() };
    let mut all = extension.apply(p);
    let hidden = extension.ghosts.iter().map(|g| g.hidden);
    let keep: Vec<bool> =
        std::iter::repeat_n(true, before.variables.len()).chain(hidden.map(|hidden| !hidden)).collect();
    all.keep_variables(&keep);
    all.extensions.push(Arc::new(Stage { before, extension }));
    *p = all;
}

impl Extension {
    /// The extended program. It has the hidden ghosts, which nothing mentions, and the variables that are replaced.
    pub fn apply(&self, p: &Program) -> Program {
        let mut out = p.clone();
        let first = out.add_variables(self.ghosts.iter().map(|g| g.variable.clone()).collect());
        let inputs = out.variables.len() as u32;
        for (v, g) in (first.0..).map(Var).zip(&self.ghosts) {
            let (x, value) = (&g.variable, LinExpr::var(v));
            match &g.start {
                _ if g.hidden => {}
                Start::Value(e) => out.init.push(Atom::eq(&value.sub(e))),
                Start::Free(_) => {}
                Start::Chosen(_) | Start::Foretold => {
                    let low = x.min.map(|min| Atom::le(&LinExpr::int(min).sub(&value)));
                    let high = x.max.map(|max| Atom::le(&value.sub(&LinExpr::int(max))));
                    low.into_iter().chain(high).for_each(|n| out.init.push(n));
                }
                Start::Identity => {
                    if let crate::Scope::Local(t) = x.scope
                        && let Some(template) = out.templates.get_mut(t as usize)
                    {
                        template.identity = Some(v);
                    }
                }
            }
        }
        for (t, template) in (0u32..).zip(&mut out.templates).filter(|_| !self.cases.is_empty()) {
            let edges = std::mem::take(&mut template.edges);
            for (k, e) in edges.into_iter().enumerate() {
                match self.cases.get(&(t, k)) {
                    Some(cases) => template.edges.extend(cases.iter().map(|c| c.of(&e, inputs))),
                    None => template.edges.push(e),
                }
            }
        }
        let value = |v: Var| self.replaced.iter().find(|r| r.0 == v).map(|r| r.1.clone());
        for e in out.templates.iter_mut().flat_map(|t| &mut t.edges).filter(|_| !self.replaced.is_empty()) {
            (e.guard, e.bounds) = (e.guard.subst(value), e.bounds.subst(value));
            e.updates.retain(|u| value(u.0).is_none());
            for (_, x) in &mut e.updates {
                *x = x.subst(value);
            }
        }
        out
    }
}

impl StepCase {
    /// The edge in this case; `inputs`: the number of the first input.
    fn of(&self, e: &Edge, inputs: u32) -> Edge {
        let mut out = e.clone();
        out.guard = out.guard.and(&self.guard);
        for term in &self.inputs {
            let any = LinExpr::var(Var(inputs + out.inputs.len() as u32));
            out.inputs.push(Input::Auxiliary);
            if let Term::Divides { .. } = term {
                out.bounds.push(Atom::le(&any.sub(&LinExpr::int(1))));
                out.bounds.push(Atom::le(&any.negated()));
            }
        }
        out.updates.extend(self.updates.iter().cloned());
        out.updates.sort_by_key(|u| u.0);
        out
    }
}
