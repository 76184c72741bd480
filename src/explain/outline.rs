//! What a certificate says as data: for pages that show it.

use super::listing::Remarks;
use super::{proof, replicated, states};
use relyant_cfa::Checks;
use relyant_check::{Assertion, EnvTransition, Proof, Rule};
use relyant_checker::source::Claimed;
use relyant_interp::machine::Stop;
use relyant_linear::Var;
use relyant_program::{Program, Role};
use std::collections::BTreeSet;

/// A line of the source: an index into the files, and the line from 1.
pub type Line = (u32, u32);

/// What evidence says, in terms of the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// Names of the source files.
    pub files: Vec<String>,
    /// Their texts, line by line.
    pub lines: Vec<Vec<String>>,
    /// What holds, by thread.
    pub threads: Vec<Thread>,
    /// What each thread may do to another one (rely-guarantee only).
    pub transitions: Vec<Transition>,
    /// One invariant by where all threads are (monolithic only).
    pub global: Vec<(String, String)>,
    /// What else there is to say, a line each.
    pub notes: Vec<String>,
    /// All was settled while reading: the only thread is the source, with why its places cannot fail.
    pub settled: bool,
}

/// What holds before the statements of a kind of thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// The template, by index.
    pub template: u32,
    /// Name of the start routine.
    pub name: String,
    /// In order of files and lines, in a line as the proof has them.
    pub held: Vec<Held>,
}

/// What holds at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// The line.
    pub at: Line,
    /// What the thread does next, where that tells places in a line apart.
    pub next: String,
    /// The invariant.
    pub text: String,
    /// Transitions of others, by index, that touch it: they write what it speaks of, or move a thread of which it says
    /// where it is.
    pub touched: Vec<usize>,
}

/// What a thread may do in one step while another one holds on to its invariant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// Template of the thread that moves.
    pub actor: u32,
    /// Template of the thread that relies on this.
    pub target: u32,
    /// When it applies; empty: always.
    pub before: String,
    /// What it does.
    pub does: String,
    /// The lines of the steps that it stands for.
    pub lines: Vec<Line>,
}

/// The outline of evidence.
///
/// # Errors
/// The program of a set of states cannot be run.
pub fn outline(evidence: &Claimed) -> Result<Outline, Stop> {
    Ok(match evidence {
        Claimed::Proof(proof, program) => of_proof(program, proof),
        Claimed::Replicated(proof, program) => Outline {
            files: program.files.clone(),
            lines: program.lines.clone(),
            threads: threads(replicated::remarks(program, proof)),
            notes: vec![replicated::summary(proof)],
            ..Outline::default()
        },
        Claimed::States(space, program) => Outline {
            files: program.files.clone(),
            lines: program.lines.clone(),
            threads: threads(states::remarks(program, space)?),
            ..Outline::default()
        },
    })
}

/// The outline of a proof of a program that was settled while it was read.
pub fn settled(program: &Program, checks: &Checks) -> Outline {
    Outline {
        files: program.files.clone(),
        lines: program.lines.clone(),
        threads: vec![Thread { template: 0, name: "source".into(), held: super::settled::held(checks) }],
        notes: vec![super::settled::note(checks)],
        settled: true,
        ..Outline::default()
    }
}

fn threads(all: Vec<(String, Remarks)>) -> Vec<Thread> {
    let thread = |(template, (name, remarks)): (u32, (String, Remarks))| {
        let held = remarks.into_iter().flat_map(|(at, said)| {
            let held =
                |r: super::listing::Remark| Held { at, next: r.next, text: r.text, touched: Vec::new() };
            said.into_iter().map(held).collect::<Vec<_>>()
        });
        Thread { template, name, held: held.collect() }
    };
    (0..).zip(all).map(thread).collect()
}

fn of_proof(program: &Program, proof: &Proof) -> Outline {
    let mut out =
        Outline { files: program.files.clone(), lines: program.lines.clone(), ..Outline::default() };
    match proof.rule {
        Rule::Monolithic => out.global = proof::places(program, proof),
        Rule::OwickiGries => {
            out.notes.push("Every step of the other threads keeps each of these assertions.".into());
        }
        Rule::RelyGuarantee => {}
    }
    out.notes.extend(proof.tickets.iter().map(|t| proof::tickets(program, t).trim_end().to_string()));
    for thread in &proof.threads {
        let Some(template) = program.templates.get(thread.template as usize) else { continue };
        // The same said of two targets is two transitions; the same said twice of one is one.
        let mut known: Vec<(usize, &EnvTransition)> = Vec::new();
        for e in &thread.environment {
            let (before, does) = proof::said(program, thread.template, e);
            let lines: BTreeSet<Line> = proof::steps(program, e)
                .iter()
                .map(|x| (x.span.file, x.span.line))
                .filter(|l| l.1 > 0)
                .collect();
            let lines = lines.into_iter().collect();
            let new = Transition { actor: e.actor, target: thread.template, before, does, lines };
            let at = out.transitions.iter().position(|t| *t == new);
            known.push((at.unwrap_or(out.transitions.len()), e));
            if at.is_none() {
                out.transitions.push(new);
            }
        }
        let mut held: Vec<Held> = Vec::new();
        for (at, l, remark) in proof::held(program, thread) {
            let states = thread.invariants.iter().find(|i| i.0 == l).map(|i| &i.1[..]).unwrap_or_default();
            let applies = |e: &EnvTransition| e.at.as_ref().is_none_or(|ls| ls.contains(&l));
            let touching = known.iter().filter(|(_, e)| applies(e) && touches(e, states)).map(|(k, _)| *k);
            let touched: BTreeSet<usize> = touching.collect();
            match held.iter_mut().find(|h| h.at == at && h.text == remark.text) {
                Some(same) => {
                    let all: BTreeSet<usize> = touched.into_iter().chain(same.touched.drain(..)).collect();
                    same.touched = all.into_iter().collect();
                }
                None => {
                    let touched = touched.into_iter().collect();
                    held.push(Held { at, next: remark.next, text: remark.text, touched });
                }
            }
        }
        held.sort_by_key(|h| h.at);
        out.threads.push(Thread { template: thread.template, name: template.name.clone(), held });
    }
    out
}

/// May a transition change what an assertion says? It writes a variable that is spoken of, or moves a thread of which it
/// is said where it is.
fn touches(e: &EnvTransition, states: &[Assertion]) -> bool {
    let variables: BTreeSet<Var> = states
        .iter()
        .flat_map(|s| s.cube.atoms())
        .flat_map(|a| a.vars())
        .map(|v| Role::of(v).plain())
        .collect();
    e.writes.iter().any(|v| variables.contains(v))
        || states.iter().any(|s| s.control.iter().any(|(t, _)| *t == e.actor))
}
