//! Systems of replicated threads: what is known at each line, and what no number of threads reaches.

use super::listing::{Remark, Remarks, listing};
use super::words::{Names, disjunction};
use relyant_check::replicated::Proof;
use relyant_program::Program;
use std::collections::BTreeMap;

/// The system as text.
pub(super) fn text(program: &Program, proof: &Proof) -> String {
    let mut out = String::new();
    for (name, remarks) in remarks(program, proof) {
        out.push_str(&format!("thread {name}\n{}\n", listing(&program.lines, &program.files, &remarks)));
    }
    out.push_str(&format!("{}\n", summary(proof)));
    out
}

/// The system in numbers, one line.
pub(super) fn summary(proof: &Proof) -> String {
    format!(
        "{} shared and {} local states, {} steps; no number of threads covers an error: {} minimal configurations, {} linear invariants",
        proof.shared_states.len(),
        proof.local_states.len(),
        proof.steps.len(),
        proof.certificate.minimal.len(),
        proof.certificate.weights.len(),
    )
}

/// What is known at each line, by thread.
pub(super) fn remarks(program: &Program, proof: &Proof) -> Vec<(String, Remarks)> {
    let reached = proof.reached(program);
    let mut out = Vec::new();
    for (v, view) in (0u32..).zip(&proof.views) {
        let Some(template) = program.templates.get(view.template as usize) else { continue };
        let names = Names { program, own: Some(view.template) };
        let mut at: BTreeMap<(u32, u32), Vec<Vec<String>>> = BTreeMap::new();
        for (l, local) in (0u32..).zip(&proof.local_states).filter(|(_, s)| s.view == v) {
            let span = template.locations.get(local.loc).map(|x| x.span).unwrap_or_default();
            let own = local.own.iter().filter_map(|k| view.own.get(*k as usize));
            let others = local.others.iter().filter_map(|k| view.others.get(*k as usize)).map(|x| &x.1);
            let known: Vec<String> = own.chain(others).map(|a| names.comparison(a)).collect();
            let beside = reached.iter().filter(|(_, ls)| ls.contains(&l)).map(|(s, _)| *s);
            for s in beside {
                let shared = proof.shared_states.get(s as usize).map(Vec::as_slice).unwrap_or_default();
                let shared = shared.iter().filter_map(|k| proof.shared.get(*k as usize));
                let mut all: Vec<String> = shared.map(|a| names.comparison(a)).collect();
                all.extend(known.iter().cloned());
                at.entry((span.file, span.line)).or_default().push(all);
            }
        }
        let remarks: Remarks = at
            .into_iter()
            .filter(|(place, _)| place.1 > 0)
            .map(|(place, mut all)| {
                all.sort();
                all.dedup();
                (place, vec![Remark { next: String::new(), text: disjunction(&all) }])
            })
            .collect();
        out.push((template.name.clone(), remarks));
    }
    out
}
