//! What an extension must look like: ghosts are new, what they are written with is theirs, and nothing of the program is written.
//! That the extended program is the program again when ghosts are left out needs no check: it is made from both.

use crate::flaw::ExtensionFlaw;
use crate::validate::{self, Copies, copies};
use relyant_linear::{LinExpr, Var};
use relyant_program::ghosts::extension::{Claim, Extension, Fact, Stage, Start, Term, Value};
use relyant_program::{Input, Loc, Program, Scope};

/// An extension and the program before it, which has the ghosts as variables that nothing mentions.
pub struct ExtendedProgram<'a> {
    pub program: &'a Program,
    pub extension: &'a Extension,
    /// How many variables are the program's own.
    pub own: u32,
}

fn require(ok: bool, flaw: impl FnOnce() -> ExtensionFlaw) -> Result<(), ExtensionFlaw> {
    if ok { Ok(()) } else { Err(flaw()) }
}

fn integral(e: &LinExpr) -> bool {
    e.constant_part().is_integer() && e.terms().iter().all(|t| t.1.is_integer())
}

/// Is the extension as its types promise?
pub fn structure(stage: &Stage, shape: &ExtendedProgram<'_>) -> Result<(), ExtensionFlaw> {
    validate::program(&stage.before)?;
    shape.ghosts()?;
    shape.cases()?;
    shape.prophecies()?;
    shape.code()?;
    shape.extension.facts.iter().try_for_each(|f| require(shape.fact(f), || ExtensionFlaw::Fact))?;
    shape.replaced()?;
    validate::program(&stage.extension.apply(&stage.before))?;
    Ok(())
}

impl ExtendedProgram<'_> {
    fn name(&self, v: Var) -> String {
        self.program.variables.get(v.0 as usize).map_or(String::new(), |x| x.name.clone())
    }
    fn start(&self, v: Var) -> Option<&Start> {
        let k = v.0.checked_sub(self.own)?;
        self.extension.ghosts.get(k as usize).map(|g| &g.start)
    }
    fn is_hidden(&self, v: Var) -> bool {
        let k = v.0.checked_sub(self.own).and_then(|k| self.extension.ghosts.get(k as usize));
        k.is_some_and(|g| g.hidden)
    }
    pub fn is_foretold(&self, v: Var) -> bool {
        self.start(v) == Some(&Start::Foretold)
    }
    /// What divides is foretold.
    fn is_term(&self, t: &Term) -> bool {
        match t {
            Term::Divides { by, .. } => self.is_foretold(*by),
            Term::Product(..) => true,
        }
    }
    fn scope(&self, v: Var) -> Option<Scope> {
        self.program.variables.get(v.0 as usize).map(|x| x.scope)
    }
    pub fn copies(&self, t: u32) -> Option<Copies> {
        self.program.templates.get(t as usize).map(copies)
    }
    /// May one speak of the variable who speaks of a thread of this template?
    fn visible(&self, v: Var, each: Option<u32>) -> bool {
        match self.scope(v) {
            Some(Scope::Global) => true,
            Some(Scope::Local(t)) => each == Some(t) || self.copies(t) == Some(Copies::One),
            None => false,
        }
    }
    fn speaks(&self, e: &LinExpr, each: Option<u32>) -> bool {
        integral(e) && e.vars().all(|v| self.visible(v, each))
    }
    fn ghosts(&self) -> Result<(), ExtensionFlaw> {
        for (k, g) in (self.own..).zip(&self.extension.ghosts) {
            let x = &g.variable;
            let each = match x.scope {
                Scope::Global => None,
                Scope::Local(t) => Some(t),
            };
            let own = |e: &LinExpr| self.speaks(e, each) && e.vars().all(|v| v.0 < self.own);
            // Of a ghost before it, the value at the start.
            let known = |v: Var| {
                v.0 < self.own || v.0 < k && matches!(self.start(v), Some(Start::Value(_) | Start::Chosen(_)))
            };
            let ok = match &g.start {
                Start::Value(e) => self.speaks(e, each) && e.vars().all(known),
                Start::Free(e) => own(e),
                Start::Chosen(Term::Divides { by, of }) => {
                    let all = x.min.is_none_or(|m| m <= 0) && x.max.is_none_or(|m| m >= 1);
                    own(of) && self.is_foretold(*by) && all
                }
                Start::Chosen(Term::Product(a, b)) => own(a) && own(b),
                Start::Foretold => {
                    let told = self.extension.prophecies.iter().filter(|p| p.ghost == Var(k)).count();
                    let positive = x.min.is_some_and(|m| m >= 1) && x.max.is_none();
                    told == 1 && positive && x.scope == Scope::Global && !g.hidden
                }
                Start::Identity => {
                    let template = each.and_then(|t| self.program.templates.get(t as usize));
                    template.is_some_and(|t| t.identity.is_none()) && x.max.is_none() && !g.hidden
                }
            };
            let identity = x.identity == (g.start == Start::Identity);
            require(ok && identity, || ExtensionFlaw::Start(x.name.clone()))?;
        }
        Ok(())
    }
    fn cases(&self) -> Result<(), ExtensionFlaw> {
        for ((t, k), cases) in &self.extension.cases {
            let known = self.program.templates.get(*t as usize).is_some_and(|x| *k < x.edges.len());
            require(known, || ExtensionFlaw::Edge)?;
            for c in cases {
                for (v, e) in &c.updates {
                    let fixed = matches!(self.start(*v), None | Some(Start::Foretold | Start::Identity));
                    require(!fixed && !self.is_hidden(*v), || ExtensionFlaw::Writes(self.name(*v)))?;
                    require(integral(e), || ExtensionFlaw::Writes(self.name(*v)))?;
                }
                let terms = c.inputs.iter().flat_map(Term::expressions);
                let read = c.updates.iter().map(|u| &u.1).chain(terms).flat_map(|e| e.vars());
                let hidden = read.chain(c.guard.vars()).find(|v| self.is_hidden(*v));
                require(hidden.is_none(), || {
                    ExtensionFlaw::Hidden(hidden.map_or(String::new(), |v| self.name(v)))
                })?;
                let terms = |i: &Term| self.is_term(i) && i.expressions().into_iter().all(integral);
                require(c.inputs.iter().all(terms), || ExtensionFlaw::Divisor)?;
            }
        }
        Ok(())
    }
    /// Once the ghost was looked at, nothing writes what it foretells.
    fn prophecies(&self) -> Result<(), ExtensionFlaw> {
        for p in &self.extension.prophecies {
            let flaw = || ExtensionFlaw::Prophecy(self.name(p.ghost));
            let one = self.copies(p.template) == Some(Copies::One);
            let local = p.of.0 < self.own && self.scope(p.of) == Some(Scope::Local(p.template));
            require(one && local && self.is_foretold(p.ghost), flaw)?;
            let edges = &self.program.templates[p.template as usize].edges;
            require(p.edges.iter().all(|k| *k < edges.len()), flaw)?;
            let looked = p.edges.iter().map(|k| edges[*k].from);
            let after = self.reachable(p.template, looked.collect());
            let writes =
                edges.iter().any(|e| after[e.from.0 as usize] && e.updates.iter().any(|u| u.0 == p.of));
            require(!writes, flaw)?;
        }
        Ok(())
    }
    /// Locations of a template that a path from some reaches.
    pub fn reachable(&self, t: u32, mut work: Vec<Loc>) -> Vec<bool> {
        let template = &self.program.templates[t as usize];
        let mut out = vec![false; template.locations.len()];
        let mut next: Vec<Vec<Loc>> = vec![Vec::new(); out.len()];
        template.edges.iter().for_each(|e| next[e.from.0 as usize].push(e.to));
        while let Some(l) = work.pop() {
            if !std::mem::replace(&mut out[l.0 as usize], true) {
                work.extend(&next[l.0 as usize]);
            }
        }
        out
    }
    fn code(&self) -> Result<(), ExtensionFlaw> {
        for c in &self.extension.code {
            let t = c.template;
            let one = self.copies(t) == Some(Copies::One);
            let locations = self.program.templates.get(t as usize).map_or(0, |x| x.locations.len());
            let mut all = c.arguments.iter().flatten().chain(&c.results);
            let own = |v: &Var| match self.scope(*v) {
                Some(Scope::Global) => true,
                Some(Scope::Local(u)) => u == t,
                None => false,
            };
            let nameless = !self.program.variables.iter().any(|x| x.identity && x.scope == Scope::Local(t));
            let ok = one && nameless && c.arguments.len() == locations && all.all(own) && own(&c.ends);
            require(ok, || ExtensionFlaw::Code)?;
        }
        Ok(())
    }
    fn locations(&self, t: u32, ls: &[Loc]) -> bool {
        let count = self.program.templates.get(t as usize).map_or(0, |t| t.locations.len());
        ls.iter().all(|l| (l.0 as usize) < count) && ls.windows(2).all(|w| w[0] < w[1])
    }
    fn fact(&self, f: &Fact) -> bool {
        let sorted = f.at.windows(2).all(|w| w[0].0 < w[1].0);
        let one = |t: u32, ls: &[Loc]| self.copies(t) == Some(Copies::One) && self.locations(t, ls);
        let known = f.each.is_none_or(|t| self.copies(t).is_some());
        let given = f.given.vars().into_iter().all(|v| self.visible(v, f.each));
        let value = |v: &Value| match v {
            Value::Of(e) => self.speaks(e, f.each),
            Value::Result { code, result, at, with } => self.extension.code.get(*code).is_some_and(|c| {
                *result < c.results.len()
                    && self.locations(c.template, &[*at])
                    && with.iter().all(|(_, e)| self.speaks(e, f.each))
            }),
        };
        let claim = match &f.claim {
            Claim::Sum { sum, threads, .. } => {
                self.speaks(sum, f.each) && threads.iter().all(|(_, t, ls)| self.locations(*t, ls))
            }
            Claim::Is { ghost, term } => {
                let speaks = |e: &LinExpr| self.speaks(e, f.each);
                self.visible(*ghost, f.each)
                    && term.expressions().into_iter().all(speaks)
                    && self.is_term(term)
            }
            Claim::At(t, ls) => one(*t, ls),
            Claim::Same(a, b) => value(a) && value(b),
        };
        sorted && known && given && claim && f.at.iter().all(|(t, ls)| one(*t, ls))
    }
    fn replaced(&self) -> Result<(), ExtensionFlaw> {
        let edges = || self.program.templates.iter().flat_map(|t| &t.edges);
        for (v, e) in &self.extension.replaced {
            let divided =
                |i: &Input| matches!(i, Input::Remainder { number, divisor } if number == v || divisor == v);
            let gone = |w: Var| self.extension.replaced.iter().any(|r| r.0 == w);
            let always = |f: &Fact| f.each.is_none() && f.at.is_empty() && f.given.is_top();
            let difference = e.sub(&LinExpr::var(*v));
            let says = |f: &Fact| {
                matches!(&f.claim, Claim::Sum { rel: relyant_linear::Rel::Eq, sum, threads }
                    if threads.is_empty() && *sum == difference)
            };
            let ok = v.0 < self.own
                && !e.vars().any(gone)
                && !edges().flat_map(|e| &e.inputs).any(divided)
                && self.extension.facts.iter().any(|f| always(f) && says(f));
            require(ok, || ExtensionFlaw::Replaced(self.name(*v)))?;
        }
        Ok(())
    }
}
