//! Ghosts of the thread program, and what is claimed of them: the section `ghosts` of a certificate.
//!
//! The checker makes the program by itself and decides what it claims; here it makes sure that this is what the certificate says.

use super::{program_digest, text};
use relyant_linear::{Cube, LinExpr, Rel, Var};
use relyant_program::ghosts::extension::{Claim, Extension, Fact, Stage, Start, StepCase, Term, Value};
use relyant_program::{Loc, Program};
use serde::{Deserialize, Serialize};

/// What one recogniser added to the program. Names and numbers are those of the program before.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct GhostsRecord {
    pub by: String,
    pub before: String,
    pub variables: Vec<VariableRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    pub steps: Vec<StepRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foretold: Vec<ForetoldRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<CodeRecord>,
    pub claims: Vec<ClaimRecord>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct VariableRecord {
    pub name: String,
    pub start: String,
    pub bounds: Vec<String>,
}

/// A step by its thread, its number among the thread's, and its line.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    pub thread: String,
    pub step: usize,
    pub line: u32,
    pub cases: Vec<CaseRecord>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CaseRecord {
    pub when: Vec<String>,
    pub updates: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ForetoldRecord {
    pub ghost: String,
    pub variable: String,
    pub thread: String,
    pub steps: Vec<usize>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct CodeRecord {
    pub thread: String,
    pub ends: String,
    pub results: Vec<String>,
    pub arguments: Vec<Vec<String>>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ClaimRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    pub holds: String,
}

/// The section of a program; none where it has no ghosts.
pub fn ghosts(p: &Program) -> Option<Vec<GhostsRecord>> {
    let all: Vec<GhostsRecord> = p.extensions.iter().map(|s| Section::new(s).record(&s.before)).collect();
    (!all.is_empty()).then_some(all)
}

struct Section<'a> {
    extension: &'a Extension,
    variables: Vec<String>,
    templates: Vec<String>,
}

impl<'a> Section<'a> {
    fn new(s: &'a Stage) -> Section<'a> {
        let ghosts = s.extension.ghosts.iter().map(|g| &g.variable);
        Section {
            extension: &s.extension,
            variables: text::unique(s.before.variables.iter().chain(ghosts).map(|v| &v.name[..])),
            templates: text::unique(s.before.templates.iter().map(|t| &t.name[..])),
        }
    }
    fn record(&self, before: &Program) -> GhostsRecord {
        let x = self.extension;
        let first = before.variables.len() as u32;
        let variable = |(v, g): (Var, &relyant_program::ghosts::extension::GhostVariable)| {
            let (low, high) = (g.variable.min, g.variable.max);
            let bounds = low.map(|n| format!(">= {n}")).into_iter().chain(high.map(|n| format!("<= {n}")));
            let start = match &g.start {
                Start::Value(e) => self.sum(e),
                Start::Free(e) => format!("any, as {}", self.sum(e)),
                Start::Chosen(t) => format!("any, as {}", self.term(t)),
                Start::Foretold => "foretold".into(),
                Start::Identity => "of its own".into(),
            };
            VariableRecord { name: self.name(v), start, bounds: bounds.collect() }
        };
        let step = |((t, k), cases): (&(u32, usize), &Vec<StepCase>)| StepRecord {
            thread: self.template(*t),
            step: *k,
            line: before.templates.get(*t as usize).and_then(|x| x.edges.get(*k)).map_or(0, |e| e.span.line),
            cases: cases.iter().map(|c| self.case(before, (*t, *k), c)).collect(),
        };
        let code = |c: &relyant_program::ghosts::extension::Code| CodeRecord {
            thread: self.template(c.template),
            ends: self.name(c.ends),
            results: c.results.iter().map(|v| self.name(*v)).collect(),
            arguments: c.arguments.iter().map(|a| a.iter().map(|v| self.name(*v)).collect()).collect(),
        };
        GhostsRecord {
            by: x.by.to_string(),
            before: program_digest(before),
            variables: (first..).map(Var).zip(&x.ghosts).map(variable).collect(),
            replaced: x
                .replaced
                .iter()
                .map(|(v, e)| format!("{} == {}", text::quote(&self.name(*v)), self.sum(e)))
                .collect(),
            steps: x.cases.iter().map(step).collect(),
            foretold: x
                .prophecies
                .iter()
                .map(|p| ForetoldRecord {
                    ghost: self.name(p.ghost),
                    variable: self.name(p.of),
                    thread: self.template(p.template),
                    steps: p.edges.clone(),
                })
                .collect(),
            code: x.code.iter().map(code).collect(),
            claims: x.facts.iter().map(|f| self.claim(f)).collect(),
        }
    }
    fn case(&self, before: &Program, (t, k): (u32, usize), c: &StepCase) -> CaseRecord {
        // Inputs of a case have the values of their terms.
        let edge = before.templates.get(t as usize).and_then(|x| x.edges.get(k));
        let own = self.variables.len() + edge.map_or(0, |e| e.inputs.len());
        let name = |v: Var| match (v.0 as usize).checked_sub(own).and_then(|k| c.inputs.get(k)) {
            Some(term) => self.term(term),
            None => self.quoted(v),
        };
        let updates = c.updates.iter().map(|(v, e)| format!("{} := {}", self.quoted(*v), e.display(name)));
        CaseRecord { when: self.cube(&c.guard), updates: updates.collect() }
    }
    fn claim(&self, f: &Fact) -> ClaimRecord {
        let holds = match &f.claim {
            Claim::Sum { rel, sum, threads } => {
                let mut all = self.sum(sum);
                for (k, t, ls) in threads {
                    all += &format!(" + {k}*#{}", self.places(*t, ls));
                }
                format!("{all} {} 0", if *rel == Rel::Le { "<=" } else { "==" })
            }
            Claim::Is { ghost, term } => format!("{} == {}", self.quoted(*ghost), self.term(term)),
            Claim::At(t, ls) => format!("#{} == 1", self.places(*t, ls)),
            Claim::Same(a, b) => format!("{} == {}", self.value(a), self.value(b)),
        };
        ClaimRecord {
            each: f.each.map(|t| self.template(t)),
            at: f.at.iter().map(|(t, ls)| self.places(*t, ls)).collect(),
            given: self.cube(&f.given),
            holds,
        }
    }
    fn value(&self, v: &Value) -> String {
        match v {
            Value::Of(e) => self.sum(e),
            Value::Result { code, result, at, with } => {
                let with: Vec<String> =
                    with.iter().map(|(v, e)| format!("{} = {}", self.quoted(*v), self.sum(e))).collect();
                format!("result {result} of code {code} from {} with {}", at.0, with.join(", "))
            }
        }
    }
    fn term(&self, t: &Term) -> String {
        match t {
            Term::Divides { by, of } => format!("({} | {})", self.quoted(*by), self.sum(of)),
            Term::Product(a, b) => format!("({}) * ({})", self.sum(a), self.sum(b)),
        }
    }
    fn cube(&self, c: &Cube) -> Vec<String> {
        if c.is_bottom() {
            return vec!["0 == 1".into()];
        }
        c.atoms().iter().map(|a| text::write(a, |v| self.quoted(v))).collect()
    }
    fn sum(&self, e: &LinExpr) -> String {
        e.display(|v| self.quoted(v))
    }
    fn name(&self, v: Var) -> String {
        let input = || format!("in{}", (v.0 as usize).saturating_sub(self.variables.len()));
        self.variables.get(v.0 as usize).cloned().unwrap_or_else(input)
    }
    fn quoted(&self, v: Var) -> String {
        text::quote(&self.name(v))
    }
    fn template(&self, t: u32) -> String {
        self.templates.get(t as usize).cloned().unwrap_or_default()
    }
    /// A thread and numbers of locations, runs of them by their ends.
    fn places(&self, t: u32, ls: &[Loc]) -> String {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for l in ls {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(l.0) => *last = l.0,
                _ => runs.push((l.0, l.0)),
            }
        }
        let run = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
        let runs: Vec<String> = runs.iter().map(run).collect();
        format!("{}({})", text::quote(&self.template(t)), runs.join(" "))
    }
}
