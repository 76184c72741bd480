//! Which obligations there are. What holds by its form is left out: a step that stays as it is and touches nothing that a fact
//! speaks of.

use super::{Claimed, Instance, What, variables};
use crate::validate::Copies;
use relyant_linear::Var;
use relyant_program::ghosts::extension::{Claim, Fact, StepCase, Value};
use relyant_program::{Edge, Loc};
use std::collections::BTreeSet;

impl Claimed<'_> {
    pub(super) fn list(&self) -> Vec<What> {
        let mut out: Vec<What> = (0..self.facts.len()).map(What::Start).collect();
        for (t, template) in (0u32..).zip(&self.program.templates) {
            if self.shape().copies(t) == Some(Copies::None) {
                continue;
            }
            let reached = self.shape().reachable(t, vec![template.entry]);
            for (k, e) in template.edges.iter().enumerate().filter(|(_, e)| reached[e.from.0 as usize]) {
                let touched = self.touched(t, k, e);
                match self.extension.cases.get(&(t, k)).map(|c| &c[..]) {
                    None => out.extend(touched.into_iter().map(|i| What::Step(t, k, vec![i]))),
                    Some([case]) => {
                        if *case != (StepCase { updates: case.updates.clone(), ..StepCase::same() }) {
                            out.push(What::Step(t, k, Vec::new()));
                        }
                        out.extend(touched.into_iter().map(|i| What::Step(t, k, vec![i])));
                    }
                    Some(_) => out.push(What::Step(t, k, touched)),
                }
            }
        }
        for (p, prophecy) in self.extension.prophecies.iter().enumerate() {
            out.extend(prophecy.edges.iter().map(|k| What::Foretold(p, *k)));
        }
        for (c, code) in self.extension.code.iter().enumerate() {
            let edges = &self.program.templates[code.template as usize].edges;
            for (e, a) in edges.iter().enumerate() {
                let rest = edges.iter().enumerate().skip(e).filter(|(_, b)| b.from == a.from);
                out.extend(rest.map(|(f, _)| What::Determined(c, e, f)));
            }
        }
        out
    }
    /// What each fact may be about when a thread of a template moves.
    pub(super) fn instances(&self, t: u32) -> Vec<Instance> {
        let mut out = Vec::new();
        for (fact, f) in self.facts.iter().enumerate() {
            let actor = f.each.is_none_or(|u| u == t);
            let other = f.each.is_some_and(|u| u != t || self.shape().copies(u) == Some(Copies::Many));
            out.extend(actor.then_some(Instance { fact, other: false }));
            out.extend(other.then_some(Instance { fact, other: true }));
        }
        out
    }
    /// The facts that a step may end.
    fn touched(&self, t: u32, k: usize, e: &Edge) -> Vec<Instance> {
        let mut written: BTreeSet<Var> = e.updates.iter().map(|u| u.0).collect();
        for c in self.extension.cases.get(&(t, k)).into_iter().flatten() {
            written.extend(c.updates.iter().map(|u| u.0));
        }
        let touches = |i: &Instance| {
            let f = &self.facts[i.fact];
            // Another thread's locals stay as they are.
            let own = |v: &Var| {
                let scope = self.program.variables.get(v.0 as usize).map(|x| x.scope);
                i.other && f.each.is_some_and(|u| scope == Some(relyant_program::Scope::Local(u)))
            };
            self.moves(f, t, e) || self.depends(f).iter().any(|v| written.contains(v) && !own(v))
        };
        self.instances(t).into_iter().filter(touches).collect()
    }
    /// Could the move alone end the fact?
    fn moves(&self, f: &Fact, t: u32, e: &Edge) -> bool {
        let ends = |ls: &[Loc]| ls.contains(&e.from) && !ls.contains(&e.to);
        let begins = |ls: &[Loc]| !ls.contains(&e.from) && ls.contains(&e.to);
        f.at.iter().any(|(u, ls)| *u == t && begins(ls))
            || match &f.claim {
                Claim::Sum { threads, .. } => {
                    threads.iter().any(|(_, u, ls)| *u == t && (ends(ls) || begins(ls)))
                }
                Claim::At(u, ls) => *u == t && ends(ls),
                Claim::Is { .. } | Claim::Same(..) => false,
            }
    }
    /// The variables that a fact depends on, those among them that stand for themselves in the code's arguments.
    pub(super) fn depends(&self, f: &Fact) -> BTreeSet<Var> {
        let mut out = variables(f);
        if let Claim::Same(a, b) = &f.claim {
            for v in [a, b] {
                if let Value::Result { code, at, with, .. } = v
                    && let Some(arguments) = self.extension.code[*code].arguments.get(at.0 as usize)
                {
                    out.extend(arguments.iter().filter(|v| !with.iter().any(|w| w.0 == **v)));
                }
            }
        }
        out
    }
}
