//! Proofs by assertions and environment transitions, beside the source.

use super::listing::{Remark, Remarks, listing, rows};
use super::words::{Names, disjunction, lines};
use relyant_check::{Assertion, EnvTransition, Proof, Rule, ThreadProof, Tickets};
use relyant_linear::{Atom, Var};
use relyant_program::ordered::Ordered;
use relyant_program::{Edge, Loc, Program, Role, Template};
use std::collections::{BTreeMap, BTreeSet};

/// The whole proof as text.
pub(super) fn text(program: &Program, proof: &Proof) -> String {
    if proof.rule == Rule::Monolithic {
        return monolithic(program, proof);
    }
    let mut out = String::new();
    for thread in &proof.threads {
        out.push_str(&assertions(program, thread));
    }
    for t in &proof.tickets {
        out.push_str(&tickets(program, t));
    }
    // Of one thread made of all there are no others.
    if !program.ordered.as_deref().is_some_and(Ordered::is_product) {
        out.push_str(&guarantees(program, proof));
    }
    out
}

/// The source of one thread with what holds before each of its statements.
fn assertions(program: &Program, thread: &ThreadProof) -> String {
    let Some(template) = program.templates.get(thread.template as usize) else { return String::new() };
    let mut remarks = Remarks::new();
    for (at, _, remark) in held(program, thread) {
        let here = remarks.entry(at).or_default();
        if here.iter().all(|r: &Remark| r.text != remark.text) {
            here.push(remark);
        }
    }
    format!("thread {}\n{}\n", template.name, listing(&program.lines, &program.files, &remarks))
}

/// What holds at each location of a thread that is somewhere in the source: file and line, the location, and the words.
pub(super) fn held(program: &Program, thread: &ThreadProof) -> Vec<((u32, u32), Loc, Remark)> {
    let Some(template) = program.templates.get(thread.template as usize) else { return Vec::new() };
    let names = Names { program, own: Some(thread.template) };
    let said = thread.invariants.iter().filter(|x| !x.1.is_empty()).filter_map(|(l, states)| {
        let at = template.locations.get(*l)?;
        let next = next(template, *l, names);
        let all: Vec<Vec<String>> = states.iter().map(|s| words(program, names, s)).collect();
        let text = disjunction(&all);
        // The end of a thread of which nothing is known says nothing.
        let says = at.span.line > 0 && !(next.is_empty() && text == "true");
        says.then_some(((at.span.file, at.span.line), *l, Remark { next, text }))
    });
    said.collect()
}

/// What is known in one alternative: where others are, then the values.
fn words(program: &Program, names: Names<'_>, s: &Assertion) -> Vec<String> {
    let places = s.control.iter().map(|(t, ls)| place(program, *t, ls));
    let atoms = s.cube.atoms().iter().filter(|a| !names.says_nothing(a));
    places.chain(atoms.map(|a| names.comparison(a))).collect()
}

/// Where a thread is, by lines; said from the shorter side.
pub(super) fn place(program: &Program, t: u32, at: &[Loc]) -> String {
    let Some(template) = program.templates.get(t as usize) else { return String::new() };
    let line = |l: &Loc| template.locations.get(*l).map_or(0, |x| x.span.line);
    let inside: BTreeSet<u32> = at.iter().map(line).collect();
    let others = (0..template.locations.len() as u32).map(Loc).filter(|l| !at.contains(l));
    let outside: BTreeSet<u32> = others.map(|l| line(&l)).collect();
    let name = &template.name;
    if inside.is_disjoint(&outside) {
        return match inside.len() <= outside.len() {
            true => format!("{name} at {}", lines(inside.into_iter().collect())),
            false => format!("{name} not at {}", lines(outside.into_iter().collect())),
        };
    }
    // Places within a line: by what is done next there.
    let names = Names { program, own: Some(t) };
    let exactly = |l: &Loc| match next(template, *l, names) {
        n if n.is_empty() || !outside.contains(&line(l)) => (line(l), String::new()),
        n => (line(l), format!(" before `{n}`")),
    };
    let all: BTreeSet<(u32, String)> = at.iter().map(exactly).collect();
    let all: Vec<String> = all.into_iter().map(|(line, before)| format!("{line}{before}")).collect();
    format!("{name} at {}", all.join(", "))
}

/// What a thread does next.
fn next(template: &Template, l: Loc, names: Names<'_>) -> String {
    let does = |e: &Edge| {
        let updates =
            e.updates.iter().map(|(v, x)| format!("{} = {}", names.name(*v), x.display(|v| names.name(v))));
        let guard = (!e.guard.is_top()).then(|| names.cube(&e.guard));
        guard.into_iter().chain(updates).collect::<Vec<_>>().join(", ")
    };
    let all: Vec<String> = template.edges.iter().filter(|e| e.from == l).map(does).collect();
    all.into_iter().find(|s| !s.is_empty()).unwrap_or_default()
}

/// What each thread may do while others hold on to their assertions: what those rely on, and what it guarantees.
fn guarantees(program: &Program, proof: &Proof) -> String {
    if proof.rule != Rule::RelyGuarantee {
        return "Every step of the other threads keeps each of these assertions.\n".into();
    }
    let mut out = String::new();
    for (a, actor) in (0u32..).zip(&program.templates) {
        let targets: Vec<&ThreadProof> = proof
            .threads
            .iter()
            .filter(|t| !t.invariants.is_empty() && (t.template != a || many(program, a)))
            .collect();
        let mut said: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for t in &targets {
            for e in t.environment.iter().filter(|e| e.actor == a) {
                let text = transition(program, t.template, e);
                if !said.contains_key(&text) {
                    order.push(text.clone());
                }
                said.entry(text).or_default().insert(t.template);
            }
        }
        for text in order {
            let for_whom = said.get(&text).filter(|s| s.len() < targets.len()).map(|s| {
                let names: Vec<&str> = s
                    .iter()
                    .filter_map(|t| Some(program.templates.get(*t as usize)?.name.as_str()))
                    .collect();
                format!("  for {}", names.join(", "))
            });
            let text = format!("{text}{}", for_whom.unwrap_or_default());
            out.push_str(&format!("thread {} may: {}\n", actor.name, rows(&text).join("\n      ")));
        }
    }
    if out.is_empty() { "No thread's assertions speak of what another one changes.\n".into() } else { out }
}

pub(super) fn many(program: &Program, t: u32) -> bool {
    program
        .templates
        .get(t as usize)
        .is_some_and(|x| relyant_check::validate::copies(x) == relyant_check::validate::Copies::Many)
}

/// `readers == 0 -> readers' >= 1, writes data (line 31)`
fn transition(program: &Program, target: u32, e: &EnvTransition) -> String {
    let (before, does) = said(program, target, e);
    let guard = if before.is_empty() { String::new() } else { format!("{before} -> ") };
    format!("{guard}{does}{}", where_from(&steps(program, e)))
}

/// When it applies (empty: always), and what it does.
pub(super) fn said(program: &Program, target: u32, e: &EnvTransition) -> (String, String) {
    let names = Names { program, own: None };
    let after = |a: &&Atom| a.vars().any(|v| matches!(Role::of(v), Role::After(_)));
    let (effects, guards): (Vec<&Atom>, Vec<&Atom>) =
        e.relation.atoms().iter().filter(|a| !names.says_nothing(a)).partition(|a| after(a));
    let join = |of: &[&Atom]| of.iter().map(|a| names.comparison(a)).collect::<Vec<_>>().join(" && ");
    let mut before: Vec<String> = e.control.iter().map(|(t, ls)| place(program, *t, ls)).collect();
    if let Some(at) = &e.at {
        before.push(place(program, target, at));
    }
    if !guards.is_empty() {
        before.push(join(&guards));
    }
    let told = |v: &Var| effects.iter().any(|a| a.vars().any(|w| Role::of(w) == Role::After(*v)));
    // What may be written and is not, by any of these steps, is of no interest.
    let steps = steps(program, e);
    let written = |v: &Var| steps.iter().any(|x| x.updates.iter().any(|u| u.0 == *v));
    let free = e.writes.iter().filter(|v| !told(v) && written(v));
    let free: Vec<String> = free.map(|v| names.name(*v)).collect();
    let mut does = Vec::new();
    if !effects.is_empty() {
        does.push(join(&effects));
    }
    if !free.is_empty() {
        does.push(format!("writes {}", free.join(", ")));
    }
    if does.is_empty() {
        does.push("goes on".into());
    }
    (before.join(" && "), does.join(", "))
}

/// The steps that a transition stands for.
pub(super) fn steps<'p>(program: &'p Program, e: &EnvTransition) -> Vec<&'p Edge> {
    let writes = |x: &Edge| x.updates.iter().any(|u| e.writes.contains(&u.0)) || e.writes.is_empty();
    let edges = program.templates.get(e.actor as usize).map(|t| &t.edges[..]).unwrap_or_default();
    edges.iter().filter(|x| e.from.contains(&x.from) && e.to.contains(&x.to) && writes(x)).collect()
}

/// Their lines.
fn where_from(steps: &[&Edge]) -> String {
    let of: BTreeSet<u32> = steps.iter().map(|x| x.span.line).filter(|l| *l > 0).collect();
    match of.len() {
        0 => String::new(),
        1 => format!(" (line {})", lines(of.into_iter().collect())),
        _ => format!(" (lines {})", lines(of.into_iter().collect())),
    }
}

pub(super) fn tickets(program: &Program, t: &Tickets) -> String {
    let names = Names { program, own: None };
    let holders: Vec<String> = t.holders.iter().map(|h| names.name(h.variable)).collect();
    format!("No two threads hold the same ticket of {}: {}\n", names.name(t.counter), holders.join(", "))
}

/// One invariant over all locations, by where the threads are.
fn monolithic(program: &Program, proof: &Proof) -> String {
    let mut out = String::from("one invariant, by the lines where the threads are\n");
    for (places, text) in places(program, proof) {
        out.push_str(&format!("  {places}\n      | {text}\n"));
    }
    out
}

/// Of a monolithic proof: where the threads are, and what holds then.
pub(super) fn places(program: &Program, proof: &Proof) -> Vec<(String, String)> {
    let names = Names { program, own: None };
    let mut by: BTreeMap<Vec<Loc>, Vec<Vec<String>>> = BTreeMap::new();
    for (at, cube) in &proof.global {
        let words = cube.atoms().iter().map(|a| names.comparison(a)).collect();
        by.entry(at.clone()).or_default().push(words);
    }
    let told = by.into_iter().map(|(at, all)| {
        let places: Vec<String> = (0u32..).zip(&at).map(|(t, l)| place(program, t, &[*l])).collect();
        (places.join(", "), disjunction(&all))
    });
    told.collect()
}
