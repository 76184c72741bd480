//! Certificates about finite-state threads: what no run exceeds or covers, and what Boolean variables are at each line.

use super::listing::{Remark, Remarks, listing};
use super::words::disjunction;
use relyant_check::finite::boolean::{Checked, Shown as Boolean};
use relyant_checker::finite::Shown;
use relyant_finite::boolean::bits::Bits;
use relyant_finite::boolean::exhausted::States;
use relyant_finite::boolean::facts::{Values, alternatives};
use relyant_finite::boolean::program::{NodeId, ProcId, Program, Var};
use relyant_finite::boolean::replay;
use relyant_finite::evidence::{Certificate, CoveringRun, Weights};
use relyant_finite::model::{Config, System, Target};
use std::collections::BTreeMap;
use std::fmt::Write;

/// More alternatives at a line than this are not told apart.
const ALTERNATIVES: usize = 6;

/// What was shown, as text.
pub(super) fn text(shown: &Shown) -> String {
    match shown {
        Shown::Uncoverable(input, c) => uncoverable(&input.system, &input.target, c),
        Shown::Coverable(input, run) => coverable(&input.system, run),
        Shown::Boolean(checked) => boolean(checked),
    }
}

fn uncoverable(system: &System, target: &Target, c: &Certificate) -> String {
    let mut out = String::new();
    let list = |all: &[Config]| all.iter().map(|x| format!("  {}\n", system.show(x))).collect::<String>();
    let _ = write!(out, "never covered\n{}", list(target));
    if !c.weights.is_empty() {
        out.push_str("in every run\n");
        for w in &c.weights {
            let _ = writeln!(out, "  {} <= {}", sum(system, w), w.bound);
        }
    }
    if !c.minimal.is_empty() {
        out.push_str("whoever covers none of these does not after a step, and no start does\n");
        out.push_str(&list(&c.minimal));
    }
    out
}

/// `full + 2 empty`, with `[s]` for being in a shared state.
fn sum(system: &System, w: &Weights) -> String {
    let times = |n: u64, name: String| if n == 1 { name } else { format!("{n} {name}") };
    let shared = w.shared.iter().map(|(s, n)| times(*n, format!("[{}]", system.shared_name(*s))));
    let local = w.local.iter().map(|(l, n)| times(*n, system.local_name(*l)));
    let all: Vec<String> = shared.chain(local).collect();
    if all.is_empty() { "0".into() } else { all.join(" + ") }
}

fn coverable(system: &System, run: &CoveringRun) -> String {
    let mut out = format!("start  {}\n", system.show(&run.start));
    let mut now = run.start.clone();
    for s in &run.steps {
        let Some(t) = system.transitions.get(s.transition) else { break };
        let Ok(next) = t.fire(&now, &s.splits) else { break };
        now = next;
        let line = if t.place.line > 0 { format!("line {}", t.place.line) } else { String::new() };
        let _ = writeln!(out, "{line:<7}{}", system.show(&now));
    }
    out
}

fn boolean(checked: &Checked) -> String {
    let program = &checked.source.program;
    let source = String::from_utf8_lossy(&checked.source.bytes);
    let lines: Vec<String> = source.lines().map(String::from).collect();
    match &checked.shown {
        Boolean::ThreadStates(flat, sets) => {
            let mut at: BTreeMap<(ProcId, u32), Vec<_>> = BTreeMap::new();
            for (node, set) in flat.nodes.iter().zip(sets).filter(|x| !x.1.is_false()) {
                at.entry(place(program, node.source)).or_default().push(set);
            }
            let known = at.into_iter().map(|(place, sets)| {
                let all = alternatives(flat, &sets, ALTERNATIVES);
                let word = |v: &(Var, bool)| said(program, None, *v);
                let all: Vec<Vec<String>> =
                    all.iter().map(|c: &Values| c.iter().map(word).collect()).collect();
                (place, disjunction(&all))
            });
            procedures(program, lines, known.collect())
        }
        Boolean::States(states) => procedures(program, lines, of_states(program, states)),
        Boolean::Uncoverable(input, c) => uncoverable(&input.system, &input.target, c),
        Boolean::Run(run) => replay::show(program, run).iter().map(|l| format!("{l}\n")).collect(),
    }
}

/// What is the same in all states with a thread at a line.
fn of_states(program: &Program, states: &States) -> BTreeMap<(ProcId, u32), String> {
    let mut seen: BTreeMap<(ProcId, u32), BTreeMap<Var, Option<bool>>> = BTreeMap::new();
    for (shared, threads) in &states.states {
        let Some(globals) = states.shared.get(*shared as usize) else { continue };
        for top in threads.iter().filter_map(|(l, _)| states.locals.get(*l as usize)?.frames.last()) {
            let here = seen.entry(place(program, top.node)).or_default();
            let locals = program.proc(program.node(top.node).proc).locals.len();
            let names = names(program).map(|v| (v, globals));
            let own = (0..).take(locals).map(|i| (Var::Local(i), &top.locals));
            for (v, bits) in names.chain(own) {
                let now = Some(value(bits, v));
                here.entry(v).and_modify(|old| *old = old.filter(|_| *old == now)).or_insert(now);
            }
        }
    }
    let words = |(place, values): ((ProcId, u32), BTreeMap<Var, Option<bool>>)| {
        let fixed = values.into_iter().filter_map(|(v, b)| Some(said(program, Some(place.0), (v, b?))));
        (place, disjunction(&[fixed.collect()]))
    };
    seen.into_iter().map(words).collect()
}

/// Globals, then locks.
fn names(program: &Program) -> impl Iterator<Item = Var> + use<> {
    (0..).take(program.globals.len() + program.locks.len()).map(Var::Global)
}

fn value(bits: &Bits, v: Var) -> bool {
    match v {
        Var::Global(i) | Var::Local(i) | Var::Held(i) => bits.get(i),
    }
}

/// A variable's value: `x` or `!x`.
fn said(program: &Program, proc: Option<ProcId>, (v, value): (Var, bool)) -> String {
    let globals = program.globals.len();
    let name = match v {
        Var::Global(i) => program.globals.get(i as usize).cloned().unwrap_or_else(|| {
            let lock = (i as usize).checked_sub(globals).and_then(|k| program.locks.get(k));
            format!("taken({})", lock.map_or("", String::as_str))
        }),
        Var::Held(i) => format!("holds({})", program.locks.get(i as usize).map_or("", String::as_str)),
        Var::Local(i) => {
            let of = proc.and_then(|p| program.proc(p).locals.get(i as usize));
            of.cloned().unwrap_or_else(|| format!("local {i}"))
        }
    };
    if value { name } else { format!("!{name}") }
}

fn place(program: &Program, n: NodeId) -> (ProcId, u32) {
    let node = program.node(n);
    (node.proc, node.place.line)
}

/// The source of each procedure, with what is known beside its lines.
fn procedures(program: &Program, lines: Vec<String>, known: BTreeMap<(ProcId, u32), String>) -> String {
    let lines = [lines];
    let mut out = String::new();
    for (p, procedure) in (0..).zip(&program.procs) {
        let here = known.iter().filter(|((q, line), _)| *q == p && *line > 0);
        let remarks: Remarks = here
            .map(|((_, line), text)| ((0, *line), vec![Remark { next: String::new(), text: text.clone() }]))
            .collect();
        if !remarks.is_empty() {
            let _ = writeln!(out, "procedure {}\n{}", procedure.name, listing(&lines, &[], &remarks));
        }
    }
    out
}
