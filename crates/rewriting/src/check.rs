//! Checks what the search found: a rewrite sequence is replayed, a closed set of terms is gone through once more.
//!
//! Both are done on ground terms by [`super::ground`]. A closed set of ground terms is checked in full. Of terms with
//! variables, instances with small values are; that all of their instances stay in the set is made sure of by
//! narrowing the whole set again.

use super::automaton::Automaton;
use super::gap::Gap;
use super::ground::{Ground, Machine, Values};
use super::instance;
use super::narrow::{Config, Rules};
use super::term::{Arena, TermId, TermNode};
use super::trace::Path;
use super::visited::Visited;
use crate::timbuk::{OpId, System, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps of matching for each term.
const FUEL: u64 = 2_000_000;

/// Instances of one term with variables.
const SAMPLES: usize = 40;

/// The largest number in a term with variables.
const NUMBER: u64 = 10_000;

/// Why a rewrite sequence does not replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoReplay {
    /// It begins with a pattern that the system does not have.
    #[error("there is no such initial term")]
    NoPattern,
    /// Its first term is no instance of its pattern.
    #[error("its first term is no initial one")]
    Initial,
    /// A step is none.
    #[error("step {number}: {why}")]
    Step {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        why: NoStep,
    },
    /// No automaton accepts its last term.
    #[error("its last term is not bad")]
    Last,
}

/// Why a step of a rewrite sequence is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoStep {
    /// The system has no rule with this number.
    #[error("there is no such rule")]
    NoRule,
    /// A variable of the rule is left out.
    #[error("a variable has no value")]
    NoValue,
    /// The values do not satisfy the rule's condition.
    #[error("the condition does not hold")]
    Condition,
    /// Other arguments are named, and the operator takes none.
    #[error("the rule rewrites no associative operator")]
    NotAssociative,
    /// Nothing in the term is rewritten to the next one.
    #[error("the rule does not lead to this term")]
    Elsewhere,
}

/// Why a set of terms was not confirmed to be closed under rewriting, and without a bad one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unconfirmed {
    /// The check was asked to stop.
    #[error("stopped")]
    Stopped,
    /// An instance of an initial term.
    #[error("the initial term {0} is not in it")]
    InitialTerm(String),
    /// An initial term with variables.
    #[error("an initial term is not in it")]
    Initial,
    /// An instance of a term is bad.
    #[error("{term} is accepted by automaton {automaton}")]
    Bad {
        /// The instance, in the format of the input.
        term: String,
        /// Name of the automaton.
        automaton: String,
    },
    /// A term with variables has a bad instance.
    #[error("a term of it has a bad instance")]
    BadInstance,
    /// An instance of a term is rewritten to a term that is in no member.
    #[error("{from} leads to {to} by the rule of line {line}")]
    LeadsOut {
        /// The instance.
        from: String,
        /// What it is rewritten to.
        to: String,
        /// Line of the rule, from 1; 0 when unknown.
        line: u32,
    },
    /// A term with variables is rewritten to one that is in no member.
    #[error("a term leads out of it")]
    Open,
    /// Matching gave up.
    #[error("matching modulo AC took too long")]
    Matching,
    /// A number is beyond what is counted with.
    #[error("a natural is too large")]
    TooLarge,
    /// Not all that a term is rewritten to was found.
    #[error(transparent)]
    Gap(#[from] Gap),
}

/// Replays a rewrite sequence.
///
/// # Errors
/// Where it is none of the system.
pub fn replay(system: &System, path: &Path) -> Result<(), NoReplay> {
    let m = Machine::new(system, FUEL);
    let some = |values: &[Ground]| values.iter().cloned().map(Some).collect::<Values>();
    let pattern = system.initial().nth(path.pattern).ok_or(NoReplay::NoPattern)?;
    let values = some(&path.values);
    if m.build(&pattern.term, &values).as_ref() != Some(&path.start) || !m.holds(&pattern.condition, &values)
    {
        return Err(NoReplay::Initial);
    }
    let mut t = path.start.clone();
    for (i, step) in path.moves.iter().enumerate() {
        let wrong = |why| NoReplay::Step { number: i + 1, why };
        let rule = system.rules().nth(step.rule).ok_or_else(|| wrong(NoStep::NoRule))?;
        let values = some(&step.values);
        let (Some(mut left), Some(mut right)) = (m.build(&rule.left, &values), m.build(&rule.right, &values))
        else {
            return Err(wrong(NoStep::NoValue));
        };
        if !m.holds(&rule.condition, &values) {
            return Err(wrong(NoStep::Condition));
        }
        if let Some(rest) = &step.rest {
            match &rule.left {
                Term::App(op, _) if system.op(*op).ac => {
                    left = m.app(*op, vec![left, rest.clone()]);
                    right = m.app(*op, vec![right, rest.clone()]);
                }
                _ => return Err(wrong(NoStep::NotAssociative)),
            }
        }
        let mut found = false;
        replacements(&m, &t, &left, &right, &mut |u| found |= u == step.after);
        if !found {
            return Err(wrong(NoStep::Elsewhere));
        }
        t = step.after.clone();
    }
    if !system.automata.iter().any(|a| m.accepts(a, &t)) {
        return Err(NoReplay::Last);
    }
    Ok(())
}

/// The terms with `left` replaced by `right` somewhere.
fn replacements(m: &Machine, t: &Ground, left: &Ground, right: &Ground, f: &mut dyn FnMut(Ground)) {
    if t == left {
        f(right.clone());
    }
    match t {
        Ground::Succ(n, base) => {
            let s = m.system().find("s", 1);
            let wrap = |inner: &Ground, k: u64, f: &mut dyn FnMut(Ground)| {
                if let Some(s) = s {
                    f((0..k).fold(inner.clone(), |t, _| m.app(s, vec![t])));
                }
            };
            if let Ground::Succ(k, other) = left {
                if k < n && other == base {
                    wrap(right, n - k, f);
                }
            }
            replacements(m, base, left, right, &mut |u| wrap(&u, *n, f));
        }
        Ground::App(op, args) => {
            for k in 0..args.len() {
                replacements(m, &args[k], left, right, &mut |u| {
                    let mut args = args.to_vec();
                    args[k] = u;
                    f(m.app(*op, args));
                });
            }
        }
    }
}

/// A term with variables of a closed set.
struct Member<'a> {
    config: &'a Config,
    term: Term,
    vars: usize,
}

/// A set of configurations that is to be closed, ready to find one that a ground term is an instance of.
struct Set<'a> {
    ground: FxHashSet<Ground>,
    members: Vec<Member<'a>>,
    /// Members whose variables are naturals, by [`outline`] of an instance.
    outlines: FxHashMap<Ground, Vec<usize>>,
    /// Members with variables that are not naturals.
    general: Vec<usize>,
}

/// Goes through a closed set of terms: it has the initial ones, no bad one, and all that its terms are rewritten to.
pub fn closed(
    system: &System,
    set: &[Config],
    automata: &mut [Automaton],
    rules: &Rules,
    arena: &mut Arena,
    cancel: &AtomicBool,
) -> Result<(), Unconfirmed> {
    let m = Machine::new(system, FUEL);
    let mut any: Vec<Ground> = automata
        .iter()
        .flat_map(|a| a.states().map(|q| a.witness(q)))
        .filter_map(|t| Ground::from_arena(arena, t))
        .collect();
    any.sort();
    any.dedup();
    any.truncate(6);
    let s = Set::new(set, &m, &any, arena)?;
    initial_instances(&s, &m, &any)?;
    instances(&s, &m, &any, cancel)?;
    if s.members.is_empty() { Ok(()) } else { narrowed(system, set, automata, rules, arena, cancel) }
}

/// Small instances of the initial patterns are in the set.
fn initial_instances(s: &Set<'_>, m: &Machine, any: &[Ground]) -> Result<(), Unconfirmed> {
    for p in m.system().initial() {
        let mut count = 0;
        p.term.each_var(&mut |v| count = count.max(v.0 as usize + 1));
        let mut values: Values = vec![None; count];
        let mut vars = Vec::new();
        p.term.each_var(&mut |v| vars.push(v.0 as usize));
        vars.sort_unstable();
        vars.dedup();
        let mut wrong = None;
        m.fuel.set(FUEL);
        initial(m, p, &vars, any, &mut values, &mut |t| {
            if !s.has(m, &t) {
                wrong.get_or_insert_with(|| Unconfirmed::InitialTerm(m.show(&t).to_string()));
            }
        });
        wrong.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Small instances of the set's terms are not bad, and are rewritten to terms of the set only.
fn instances(s: &Set<'_>, m: &Machine, any: &[Ground], cancel: &AtomicBool) -> Result<(), Unconfirmed> {
    let system = m.system();
    let look = |t: &Ground| -> Result<(), Unconfirmed> {
        if cancel.load(Ordering::Relaxed) {
            return Err(Unconfirmed::Stopped);
        }
        m.fuel.set(FUEL);
        if let Some(a) = system.automata.iter().find(|a| m.accepts(a, t)) {
            return Err(Unconfirmed::Bad { term: m.show(t).to_string(), automaton: a.name.clone() });
        }
        for (rule, u) in m.successors(t, any) {
            if !s.has(m, &u) {
                let line = system.rules().nth(rule).map_or(0, |r| r.place.line);
                return Err(Unconfirmed::LeadsOut {
                    from: m.show(t).to_string(),
                    to: m.show(&u).to_string(),
                    line,
                });
            }
        }
        if m.fuel.get() == 0 { Err(Unconfirmed::Matching) } else { Ok(()) }
    };
    s.ground.iter().try_for_each(look)?;
    for member in &s.members {
        s.samples(m, member, any).iter().try_for_each(look)?;
    }
    Ok(())
}

/// The terms with variables, by narrowing: all their instances are not bad, and lead to instances of others.
fn narrowed(
    system: &System,
    set: &[Config],
    automata: &mut [Automaton],
    rules: &Rules,
    arena: &mut Arena,
    cancel: &AtomicBool,
) -> Result<(), Unconfirmed> {
    let mut all = Visited::default();
    for c in set {
        all.add(c, arena);
    }
    for p in system.initial() {
        let cases = rules.initial(p, arena).map_err(|_| Unconfirmed::TooLarge)?;
        if !cases.iter().all(|c| all.covers(&c.next, arena)) {
            return Err(Unconfirmed::Initial);
        }
    }
    for c in set {
        if cancel.load(Ordering::Relaxed) {
            return Err(Unconfirmed::Stopped);
        }
        for a in automata.iter_mut() {
            if instance::find(a, c, arena).map_err(Gap::from)?.is_some() {
                return Err(Unconfirmed::BadInstance);
            }
        }
        let narrowing = rules.narrow(c, arena);
        if let Some(why) = narrowing.gap {
            return Err(why.into());
        }
        if !narrowing.steps.iter().all(|step| all.covers(&step.next, arena)) {
            return Err(Unconfirmed::Open);
        }
    }
    Ok(())
}

/// Instances of an initial pattern with small values.
fn initial(
    m: &Machine,
    p: &crate::timbuk::Pattern,
    vars: &[usize],
    any: &[Ground],
    values: &mut Values,
    f: &mut dyn FnMut(Ground),
) {
    let Some((v, rest)) = vars.split_first() else {
        if let (true, Some(t)) = (m.holds(&p.condition, values), m.build(&p.term, values)) {
            f(t);
        }
        return;
    };
    let mut choices = any.to_vec();
    choices.extend(numbers(m).take(3));
    // the first variables have several values, the others one
    let most = if vars.len() > 4 { 1 } else { choices.len() };
    for t in choices.into_iter().rev().take(most) {
        values[*v] = Some(t);
        initial(m, p, rest, any, values, f);
    }
    values[*v] = None;
}

/// The naturals, in order.
fn numbers<'a>(m: &'a Machine) -> impl Iterator<Item = Ground> + 'a {
    let next = m.system().naturals.map(|n| (m.app(n.first, Vec::new()), n.successor));
    std::iter::successors(next, |(t, s)| Some((m.app(*s, vec![t.clone()]), *s))).map(|(t, _)| t)
}

/// The term with all naturals the same.
fn outline(m: &Machine, t: &Ground) -> Ground {
    let star = || Ground::App(OpId(u32::MAX), Arc::from([]));
    if m.value(t).is_some() {
        return star();
    }
    match t {
        Ground::Succ(n, base) => Ground::Succ(*n, Arc::new(outline(m, base))),
        Ground::App(op, args) => {
            let args = args.iter().map(|a| outline(m, a)).collect();
            // the operator may be AC: sorted again, nothing to flatten
            if m.system().op(*op).ac { m.app(*op, args) } else { Ground::App(*op, args.into()) }
        }
    }
}

fn small(arena: &Arena, t: TermId) -> bool {
    match arena.node(t) {
        TermNode::Var(_) => true,
        TermNode::Succ(n, base) => *n <= NUMBER && small(arena, *base),
        TermNode::App(_, args) => args.iter().all(|a| small(arena, *a)),
    }
}

impl<'a> Set<'a> {
    /// Sorts the terms of a closed set.
    fn new(set: &'a [Config], m: &Machine, any: &[Ground], arena: &mut Arena) -> Result<Self, Unconfirmed> {
        let mut s = Set {
            ground: FxHashSet::default(),
            members: Vec::new(),
            outlines: FxHashMap::default(),
            general: Vec::new(),
        };
        for c in set {
            if let Some(t) = Ground::from_arena(arena, c.term) {
                s.ground.insert(t);
                continue;
            }
            if !small(arena, c.term) {
                return Err(Unconfirmed::TooLarge);
            }
            let mut vars = 0;
            arena.each_var(c.term, &mut |v| vars = vars.max(v as usize + 1));
            let member = Member { config: c, term: arena.export(c.term), vars };
            let n = s.members.len();
            match s.samples(m, &member, any).first() {
                Some(t) if member.config.naturals.len() == vars => {
                    s.outlines.entry(outline(m, t)).or_default().push(n);
                }
                _ => s.general.push(n),
            }
            s.members.push(member);
        }
        Ok(s)
    }

    fn has(&self, m: &Machine, t: &Ground) -> bool {
        if self.ground.contains(t) {
            return true;
        }
        let same = self.outlines.get(&outline(m, t)).map_or(&[][..], Vec::as_slice);
        same.iter().chain(&self.general).any(|n| {
            let member = &self.members[*n];
            let mut values = vec![None; member.vars];
            let mut found = false;
            m.matches(&member.term, t, &mut values, &mut |m, values, _| {
                found |= within(m, member.config, values);
            });
            found
        })
    }
    /// Instances with small values.
    fn samples(&self, m: &Machine, member: &Member, any: &[Ground]) -> Vec<Ground> {
        let bounds = &member.config.bounds;
        let mut all: Vec<Values> = vec![Vec::new()];
        for v in 0..member.vars as u32 {
            let choices: Vec<Ground> = match member.config.naturals.binary_search(&v) {
                Ok(i) => {
                    let least = -bounds.at(0, i + 1);
                    let skip = usize::try_from(least).unwrap_or(0);
                    let first = m.system().naturals.map_or(0, |n| n.value as usize);
                    if skip as u64 > NUMBER {
                        return Vec::new();
                    }
                    numbers(m).skip(skip.saturating_sub(first)).take(3).collect()
                }
                Err(_) => any.to_vec(),
            };
            all = all
                .iter()
                .flat_map(|values| {
                    choices.iter().map(move |t| {
                        let mut values = values.clone();
                        values.push(Some(t.clone()));
                        values
                    })
                })
                .take(SAMPLES * 8)
                .collect();
        }
        all.retain(|values| within(m, member.config, values));
        all.iter().filter_map(|values| m.build(&member.term, values)).take(SAMPLES).collect()
    }
}

/// Are the naturals within their bounds?
fn within(m: &Machine, c: &Config, values: &[Option<Ground>]) -> bool {
    let mut numbers = vec![0];
    for v in &c.naturals {
        let n = values.get(*v as usize).and_then(Option::as_ref).and_then(|t| m.value(t));
        let Some(n) = n.and_then(|n| i64::try_from(n).ok()) else { return false };
        numbers.push(n);
    }
    c.bounds.list().all(|(i, j, k)| numbers[i].saturating_sub(numbers[j]) <= k)
}
