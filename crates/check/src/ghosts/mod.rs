//! Ghosts proved: that each run of a program is one of the extended program, as obligations for Z3.
//!
//! An [extension](relyant_program::ghosts::extension) is data that nobody believes. Its facts have to hold at the start, and
//! each step taken where they hold has to be one of its cases and to keep them: a forward simulation. Locations of single
//! threads, and numbers of threads at locations, are what they are; a thread that moves takes one from where it was to
//! where it is. Nothing here knows what a ghost is for.
//!
//! Of a variable of the program it is assumed that it is within its bounds, which is what those are; a ghost's bounds are facts.

mod formula;
mod list;
mod structure;
mod terms;

use crate::decide::{CheckError, Conditions, Limits, decide};
use crate::flaw::ExtensionFlaw;
use crate::formula::{Formula, Symbol};
use crate::obligations::{Malformed, locate, symbol_name};
use relyant_linear::{LinExpr, Rel, Var};
use relyant_program::ghosts::extension::{Claim, Extension, Fact, Stage, Start, Term};
use relyant_program::recognisers::Recogniser;
use relyant_program::{Program, Scope};
use std::collections::BTreeSet;
use std::time::Instant;
use structure::{ExtendedProgram, structure};

/// What has to hold for an extension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A fact (by index) holds at the start.
    Start(usize),
    /// A step (template, edge) is one of its cases, after which these facts hold.
    Step(u32, usize, Vec<Instance>),
    /// What is foretold (a prophecy, an edge) is in the ghost's bounds.
    Foretold(usize, usize),
    /// Two steps of code (edges, maybe the same one) are never both possible with different outcomes.
    Determined(usize, usize, usize),
}

/// A fact (by index) about the thread that moves, or about another one of the template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    fact: usize,
    other: bool,
}

/// An obligation about the ghosts of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    stage: usize,
    what: What,
}

/// All obligations about the ghosts of a program.
pub struct Claims<'a> {
    stages: Vec<Claimed<'a>>,
    list: Vec<Obligation>,
}

/// An extension, with what is looked up often.
struct Claimed<'a> {
    extension: &'a Extension,
    /// The program before, which has the ghosts as variables that nothing mentions.
    program: Program,
    /// How many variables are its own.
    own: u32,
    /// Those claimed, and bounds of ghosts.
    facts: Vec<Fact>,
    /// By fact: the variables that connect it with others.
    about: Vec<BTreeSet<Var>>,
}

impl<'a> Claims<'a> {
    /// Lists the obligations of a program; there are none where there are no ghosts.
    ///
    /// # Errors
    /// An extension is not well-formed.
    pub fn new(program: &'a Program) -> Result<Claims<'a>, Malformed> {
        let mut stages = Vec::new();
        for stage in &program.extensions {
            stages.push(Claimed::new(stage).map_err(|e| Malformed::Ghosts(stage.extension.by, e))?);
        }
        let mut list = Vec::new();
        for (k, s) in stages.iter().enumerate() {
            list.extend(s.list().into_iter().map(|what| Obligation { stage: k, what }));
        }
        Ok(Claims { stages, list })
    }
    /// All of them, in order.
    pub fn list(&self) -> &[Obligation] {
        &self.list
    }
    /// Which recogniser found what an obligation is about.
    pub fn by(&self, o: &Obligation) -> Recogniser {
        self.stages[o.stage].extension.by
    }
    /// How many there are, if all of them hold.
    pub fn decide(&self, start: Instant, limits: &Limits) -> Result<usize, CheckError> {
        decide(self, &self.list, start, limits)?;
        Ok(self.list.len())
    }
}

/// Decides what is claimed of a program's ghosts: how many obligations there are, if all hold.
///
/// # Errors
/// One does not, or is not decided.
pub fn check(program: &Program, limits: &Limits) -> Result<usize, CheckError> {
    Claims::new(program)?.decide(Instant::now(), limits)
}

impl Conditions for Claims<'_> {
    type Item = Obligation;
    fn formula(&self, o: &Obligation) -> Formula {
        self.stages[o.stage].formula(&o.what)
    }
    fn title(&self, o: &Obligation) -> String {
        self.stages[o.stage].title(&o.what)
    }
    fn symbol(&self, s: Symbol) -> String {
        self.stages.last().map_or(String::new(), |last| symbol_name(&last.program, s))
    }
    fn ghosts(&self, o: &Obligation) -> Option<Recogniser> {
        Some(self.by(o))
    }
}

impl<'a> Claimed<'a> {
    fn new(stage: &'a Stage) -> Result<Claimed<'a>, ExtensionFlaw> {
        let (extension, own) = (&stage.extension, stage.before.variables.len() as u32);
        let mut program = stage.before.clone();
        program.add_variables(extension.ghosts.iter().map(|g| g.variable.clone()).collect());
        structure(stage, &ExtendedProgram { program: &program, extension, own })?;
        let mut facts = extension.facts.clone();
        for (k, g) in (own..).zip(&extension.ghosts) {
            if matches!(g.start, Start::Foretold | Start::Identity) || g.hidden {
                continue;
            }
            let each = match g.variable.scope {
                Scope::Global => None,
                Scope::Local(t) => Some(t),
            };
            let value = LinExpr::var(Var(k));
            let low = g.variable.min.map(|min| LinExpr::int(min).sub(&value));
            let high = g.variable.max.map(|max| value.sub(&LinExpr::int(max)));
            facts.extend(low.into_iter().chain(high).map(|e| Fact::compares(each, Rel::Le, e)));
        }
        let about = facts.iter().map(about).collect();
        Ok(Claimed { extension, program, own, facts, about })
    }
    fn shape(&self) -> ExtendedProgram<'_> {
        ExtendedProgram { program: &self.program, extension: self.extension, own: self.own }
    }
    fn is_ghost(&self, v: Var) -> bool {
        v.0 >= self.own && (v.0 as usize) < self.program.variables.len()
    }
    /// One line: the ghosts that an obligation is about, the step and its place in the source.
    fn title(&self, what: &What) -> String {
        let mut ghosts = BTreeSet::new();
        let mut of_fact =
            |f: usize| ghosts.extend(variables(&self.facts[f]).into_iter().filter(|v| self.is_ghost(*v)));
        let body = match what {
            What::Start(f) => {
                of_fact(*f);
                "at the start".into()
            }
            What::Step(t, k, goal) => {
                goal.iter().for_each(|i| of_fact(i.fact));
                for c in self.extension.cases.get(&(*t, *k)).into_iter().flatten() {
                    let read = c.guard.vars().into_iter().chain(c.updates.iter().map(|u| u.0));
                    ghosts.extend(read.filter(|v| self.is_ghost(*v)));
                }
                self.step(*t, *k)
            }
            What::Foretold(p, k) => {
                let p = &self.extension.prophecies[*p];
                ghosts.insert(p.ghost);
                self.step(p.template, *k)
            }
            What::Determined(c, e, f) => {
                let t = self.extension.code[*c].template;
                ghosts.extend((self.own..self.program.variables.len() as u32).map(Var));
                let both = self.step(t, *e);
                if e == f { both } else { format!("{both}, and {}", self.step(t, *f)) }
            }
        };
        let names: Vec<String> =
            ghosts.iter().map(|v| format!("`{}`", self.program.variables[v.0 as usize].name)).collect();
        let names = if names.is_empty() { self.extension.by.to_string() } else { names.join(", ") };
        format!("ghosts: {names}, {body}")
    }
    fn step(&self, t: u32, k: usize) -> String {
        let template = &self.program.templates[t as usize];
        let e = &template.edges[k];
        let at = |l| locate(&self.program, t, l);
        format!("thread `{}`, step {} -> {}", template.name, at(e.from), at(e.to))
    }
}

/// All variables that a fact speaks of.
fn variables(f: &Fact) -> BTreeSet<Var> {
    use relyant_program::ghosts::extension::Value;
    let mut out: BTreeSet<Var> = f.given.vars().into_iter().collect();
    match &f.claim {
        Claim::Sum { sum, .. } => out.extend(sum.vars()),
        Claim::Is { ghost, term } => {
            out.insert(*ghost);
            if let Term::Divides { by, .. } = term {
                out.insert(*by);
            }
            term.expressions().iter().for_each(|e| out.extend(e.vars()));
        }
        Claim::At(..) => {}
        Claim::Same(a, b) => {
            for v in [a, b] {
                match v {
                    Value::Of(e) => out.extend(e.vars()),
                    Value::Result { with, .. } => out.extend(with.iter().flat_map(|w| w.1.vars())),
                }
            }
        }
    }
    out
}

/// The variables that connect a fact with others: a number that many things are divided by connects nothing.
fn about(f: &Fact) -> BTreeSet<Var> {
    let mut out = variables(f);
    if let Claim::Is { term: Term::Divides { by, of }, .. } = &f.claim
        && !of.vars().any(|v| v == *by)
    {
        out.remove(by);
    }
    out
}
