//! A C program as a rewriting system, in Timbuk's format.
//!
//! Ben Rajeb, Nasraoui, Robbana and Touili, "Verifying Multithreaded Recursive Programs with Integer Variables" (ENTCS
//! 239, 2009), section 4; *BNRT* in comments. What differs from there is said in [`HEAD`], which begins each file.

mod bad;
mod deadlock;
mod hoist;
mod model;
mod path;
mod ranges;
mod rules;
#[cfg(test)]
mod tests;
mod value;

use crate::timbuk::{System, TermSet, Trs};
use relyant_cfa::Program;
use relyant_cfa::diagnostic::Diagnostic;
use std::collections::BTreeSet;

/// What a file begins with.
pub const HEAD: &str = "\
(* A program with threads as a rewriting system.

   box(threads, v1, ..., vn)    a configuration: threads, composed by par, and the visible variables that are read.
   idle                         a member of every composition, so that no thread is ever alone.
   sharp.f(stack, v1, ...)      a thread that runs f, with variables of its own; then, for each lock it may hold, 1 where
                                it does. Ended threads are gone, but for those that are joined: ended.f(handle, value).
   odot(below, top)             a stack. f_12_back(...) is what a call goes back to.
   f_12(v1, ...)                a control point of f, at line 12, with the locals that are still read there.
   zero, s(n), neg(n)           numbers: neg(n) is -n, for n above zero.

   A rule is a step that others can see, or an atomic section, with all that follows and only the thread itself can
   see. An input has one value for each kind of values that the program can tell apart. A lock is initialised or
   released by nobody while another thread holds it. Overflow of int is never met: numbers do not get so large.

   Arguments of box after the threads:";

/// The rewriting system of a program, made by `relyant_frontend::instantiate::for_search`.
///
/// # Errors
/// What of the program cannot be said by rewriting: where, and what to do about it.
pub fn system(program: &Program) -> Result<System, Diagnostic> {
    Ok(build(program)?.0)
}

/// As [`system`], as text with an explanation at its beginning.
///
/// # Errors
/// As [`system`].
pub fn export(program: &Program) -> Result<String, Diagnostic> {
    let (system, arguments) = build(program)?;
    let list = if arguments.is_empty() { "none".to_string() } else { arguments.join(", ") };
    Ok(format!("{HEAD} {list}. *)\n\n{system}"))
}

fn build(program: &Program) -> Result<(System, Vec<String>), Diagnostic> {
    let program = hoist::sums(program);
    let model = model::Model::new(&program)?;
    let mut rules = rules::Rules::new(&model);
    let initial = rules.initial()?;
    let mut all = Vec::new();
    let mut done = BTreeSet::new();
    while let Some((t, at)) = rules.reached.pop() {
        if done.insert((t, at)) {
            all.push(((t, at), rules.location(t, at)?));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    let mut automata = vec![bad::errors(&rules)];
    if program.deadlock {
        automata.push(deadlock::stuck(&rules)?);
    }
    let mut system = rules.system;
    let list = all.into_iter().flat_map(|(_, r)| r).collect();
    system.systems.push(Trs { name: "Program".into(), rules: list });
    system.automata = automata;
    system.sets.push(TermSet { name: "Initial".into(), patterns: vec![initial] });
    system.find_naturals();
    Ok((system, arguments(&model)))
}

/// What the arguments of the root are, behind the threads.
fn arguments(model: &model::Model<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if model.token {
        list.push("whether a thread is in an atomic section".to_string());
    }
    if model.named.contains(&true) {
        list.push("the next thread's handle".into());
    }
    for c in model.shared.iter().chain(&model.locks) {
        let o = &model.program.objects[c.object.0 as usize];
        list.push(format!("{}{}", o.name, o.cells[c.index].1));
    }
    list
}
