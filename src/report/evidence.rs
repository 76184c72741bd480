//! What a proof is, in a report.

use super::text::rule;
use crate::pipeline::Evidence;
use relyant_check::Rule;
use relyant_program::Program;
use relyant_program::recognisers::Recogniser;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of proof was found, and how much of it was checked.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProofEntry {
    /// `rely-guarantee`, `owicki-gries`, `monolithic`; `in-order`: of threads in an order of preference; `states`: the set of all states; `replicated`: finite-state
    /// threads that do what the program does. Of files with such threads
    /// `thread-states`, `counted-states`, `uncoverability`.
    pub rule: String,
    /// Speaks of globals and one thread's locals only.
    pub modular: bool,
    /// Of rely-guarantee proofs and the like: of how many threads one assertion speaks at most. 1: the proof is modular.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// What it rests on besides: `sections`, each under a lock as one step; `chosen`, one thread or block of many that stands for each; `waits`, an order in which
    /// threads wait; ghosts, by who found them (`owners`, `counts`, `divisors`, `products`, `twins`; `given`, in the source).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<String>,
    /// What the checker had to decide: obligations, or states.
    pub obligations: usize,
    /// Where deadlocks are ruled out by an order in which threads wait: what is waited for, in that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Vec<String>>,
}

impl ProofEntry {
    /// Of checked evidence.
    pub fn of(evidence: &Evidence) -> ProofEntry {
        match evidence {
            Evidence::Space { checked, .. } => {
                ProofEntry { rule: "states".into(), obligations: checked.states, ..ProofEntry::default() }
            }
            Evidence::Replicated { program, checked, .. } => ProofEntry {
                rule: "replicated".into(),
                means: means(program),
                obligations: checked.obligations,
                ..ProofEntry::default()
            },
            Evidence::Proof { proof, program, checked } => {
                let product =
                    program.ordered.as_deref().is_some_and(relyant_program::ordered::Ordered::is_product);
                ProofEntry {
                    rule: if product { "in-order" } else { rule(proof.rule) }.into(),
                    // Of one thread each proof is.
                    modular: proof.modular && !product,
                    level: (!product && proof.rule != Rule::Monolithic).then(|| proof.level(program)),
                    means: means(program),
                    obligations: checked.obligations,
                    waits: program.waits.clone(),
                }
            }
        }
    }
}

fn means(p: &Program) -> Vec<String> {
    let mut out = Vec::new();
    if p.ordered.as_deref().is_some_and(|o| !o.is_product()) {
        out.push("sections".to_string());
    }
    if p.chosen {
        out.push("chosen".into());
    }
    if p.waits.is_some() {
        out.push("waits".into());
    }
    let found = |r: &Recogniser| p.extensions.iter().any(|s| s.extension.by == *r);
    out.extend(Recogniser::all().filter(found).map(|r| r.to_string()));
    out
}
