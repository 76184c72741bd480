//! Invariants from a proof's predicates, as C expressions where they are in scope.
//!
//! A statement's invariant is the disjunction of the states that the proof has where threads come to it. What C cannot
//! say there (other threads' locations and variables, temporaries, locals that are not used any more) is left out,
//! which weakens it.
//!
//! A thread program leaves out states that make no difference for its errors, so that a predicate may not hold in all of
//! C's states: each invariant is checked before it is written ([`super::validate`]).

use super::correctness::{is_written, statement as statement_at};
use super::ghosts;
use super::places::location;
use super::ranges::{is_handle, number};
use super::{Correctness, Ghost, Invariant, Update};
use relyant_cfa as cfa;
use relyant_cfa::{IntKind, Op, Owner};
use relyant_check::{Proof, Rule};
use relyant_frontend::c::outline::{Outline, StatementAt, StatementKind};
use relyant_linear::{Atom, Cube, Rel, Var};
use relyant_program::reduce::liveness::live;
use relyant_program::{Loc, Origin, Program, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// More alternatives than this say little to a reader.
const ALTERNATIVES: usize = 16;
/// More than this are not compared with each other to see how many remain.
const COMPARED: usize = 128;
/// At most so many invariants.
const MOST: usize = 64;

/// A C expression that holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Known {
    text: String,
    /// Of a ghost: its name and value.
    ghost: Option<(String, bool)>,
}

/// All of them hold.
type Conjunction = BTreeSet<Known>;

/// The invariants of a proof.
pub fn correctness(
    proof: &Proof,
    program: &Program,
    automata: &cfa::Program,
    outline: &Outline,
    with_ghosts: bool,
) -> Correctness {
    let ghosts = if with_ghosts { ghosts::of_mutexes(outline) } else { BTreeMap::new() };
    let locals = declared_in(outline);
    let context = Context { program, automata, outline, ghosts, locals };
    let live: Vec<_> = (0..program.templates.len()).map(|t| live(program, t)).collect();
    let mut out = Correctness::default();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for (statement, places) in arrivals(program, automata, outline) {
        let at = &outline.statements[statement];
        let place = location(outline, at.start, &at.function);
        let of_loop = at.kind == StatementKind::Loop;
        let found =
            statement_at(outline, &place, of_loop) == Some(statement) && is_written(outline, statement);
        if place.column.is_none() || !found || out.invariants.len() >= MOST {
            continue;
        }
        let mut all: Option<BTreeSet<Conjunction>> = Some(BTreeSet::new());
        for (t, l) in places {
            for cube in states(proof, t, l) {
                let known = context.conjunction(t, at, &cube, &live[t as usize][l.0 as usize]);
                match (known, &mut all) {
                    // It cannot be.
                    (None, _) => {}
                    (Some(c), _) if c.is_empty() => all = None,
                    (Some(c), Some(all)) => {
                        all.insert(c);
                    }
                    (_, None) => {}
                }
            }
        }
        let few = all.filter(|a| a.len() <= COMPARED);
        let Some(all) = few.map(simplified) else { continue };
        if all.is_empty() || all.len() > ALTERNATIVES || all.iter().any(BTreeSet::is_empty) {
            continue;
        }
        let text = |c: &Conjunction| c.iter().map(|k| k.text.as_str()).collect::<Vec<_>>().join(" && ");
        let ghosts = all.iter().flatten().filter_map(|k| k.ghost.as_ref());
        used.extend(ghosts.map(|(name, _)| name.clone()));
        let value = match &all[..] {
            [one] => text(one),
            many => many.iter().map(|c| format!("({})", text(c))).collect::<Vec<_>>().join(" || "),
        };
        out.invariants.push(Invariant { of_loop, location: place, value });
    }
    let used: Vec<(Ghost, Vec<Update>)> =
        context.ghosts.values().filter(|g| used.contains(&g.0.name)).cloned().collect();
    for (ghost, updates) in used {
        out.ghosts.push(ghost);
        out.updates.extend(updates);
    }
    out
}

/// The states that a proof has for threads at a location.
fn states(proof: &Proof, template: u32, l: Loc) -> Vec<Cube> {
    if proof.rule == Rule::Monolithic {
        let here = proof.global.iter().filter(|(at, _)| at.get(template as usize) == Some(&l));
        return here.map(|(_, cube)| cube.clone()).collect();
    }
    let of = proof.threads.iter().filter(|t| t.template == template).flat_map(|t| &t.invariants);
    of.filter(|(at, _)| *at == l).flat_map(|(_, states)| states.iter().map(|s| s.cube.clone())).collect()
}

/// Functions that declare a local or parameter, by its name.
fn declared_in(outline: &Outline) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut out: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for s in &outline.statements {
        for name in s.scope.iter() {
            out.entry(name).or_default().insert(&s.function);
        }
    }
    out
}

/// Where threads come to statements: locations of the thread program. Left out are statements that a step goes past.
fn arrivals(
    program: &Program,
    automata: &cfa::Program,
    outline: &Outline,
) -> BTreeMap<usize, BTreeSet<(u32, Loc)>> {
    let mut out: BTreeMap<usize, BTreeSet<(u32, Loc)>> = BTreeMap::new();
    let mut passed: BTreeSet<usize> = BTreeSet::new();
    for (t, template) in automata.templates.iter().enumerate() {
        let graph = &template.graph;
        let mut kept: BTreeMap<u32, Vec<Loc>> = BTreeMap::new();
        for (l, at) in program.templates[t].locations.iter().enumerate() {
            kept.entry(at.origin).or_default().push(Loc(l as u32));
        }
        let of: Vec<Option<usize>> = (graph.locations.iter())
            .map(|l| outline.statement_at(l.span.file, l.span.line, l.span.column))
            .collect();
        let mut out_edges: Vec<Vec<usize>> = vec![Vec::new(); graph.locations.len()];
        let mut arrives = vec![false; graph.locations.len()];
        if let Some(entry) = arrives.get_mut(template.entry.0 as usize) {
            *entry = true;
        }
        for (k, e) in graph.edges.iter().enumerate() {
            out_edges[e.from.0 as usize].push(k);
            let (from, to) = (of[e.from.0 as usize], of[e.to.0 as usize]);
            let Some(s) = to else { continue };
            let at = &outline.statements[s];
            let span = graph.locations[e.to.0 as usize].span;
            arrives[e.to.0 as usize] |= match at.kind {
                kind if !wanted(kind) => false,
                // Also from its own body.
                StatementKind::Loop => {
                    (span == at.start && at.condition.is_none() || Some(span) == at.condition)
                        && from.is_some_and(|f| f > s && f <= at.last)
                }
                _ => span == at.start && from != to,
            };
        }
        for l in (0..graph.locations.len()).filter(|l| arrives[*l]) {
            let Some(s) = of[l].filter(|s| wanted(outline.statements[*s].kind)) else { continue };
            // Past steps that do nothing.
            let mut at = l;
            for _ in 0..graph.locations.len() {
                match out_edges[at][..] {
                    [k] if !kept.contains_key(&(at as u32)) && graph.edges[k].op == Op::Skip => {
                        at = graph.edges[k].to.0 as usize;
                    }
                    _ => break,
                }
            }
            match kept.get(&(at as u32)) {
                Some(list) => out.entry(s).or_default().extend(list.iter().map(|l| (t as u32, *l))),
                None => {
                    passed.insert(s);
                }
            }
        }
    }
    out.retain(|s, _| !passed.contains(s));
    out
}

fn wanted(kind: StatementKind) -> bool {
    !matches!(kind, StatementKind::Group | StatementKind::Declaration)
}

impl Known {
    fn of_ghost(name: &str, locked: bool) -> Known {
        Known { text: format!("{name} == {}", u8::from(locked)), ghost: Some((name.into(), locked)) }
    }

    /// Is always one of both true?
    fn denies(&self, other: &Known) -> bool {
        matches!((&self.ghost, &other.ghost), (Some((a, x)), Some((b, y))) if a == b && x != y)
    }
}

struct Context<'c> {
    program: &'c Program,
    automata: &'c cfa::Program,
    outline: &'c Outline,
    ghosts: BTreeMap<String, (Ghost, Vec<Update>)>,
    locals: BTreeMap<&'c str, BTreeSet<&'c str>>,
}

impl Context<'_> {
    /// What C can say of a state; `None` if there is no such state.
    fn conjunction(
        &self,
        t: u32,
        at: &StatementAt,
        cube: &Cube,
        live: &BTreeSet<Var>,
    ) -> Option<Conjunction> {
        if cube.is_bottom() {
            return None;
        }
        let mut out = Conjunction::new();
        let atoms = cube.atoms();
        for atom in atoms {
            let opposite = |b: &&Atom| b.rel() == Rel::Le && b.expr().add(atom.expr()).is_constant();
            // Both bounds of the same expression.
            let equal = atom.rel() == Rel::Le
                && atoms.iter().filter(opposite).any(|b| b.expr().add(atom.expr()).constant_part().is_zero());
            if let Some((ghost, range)) = self.ghost(atom) {
                let (free, held) = (range(0), (1..=4096).any(range));
                match (free, held) {
                    (true, true) => {}
                    (true, false) => drop(out.insert(Known::of_ghost(ghost, false))),
                    (false, true) => drop(out.insert(Known::of_ghost(ghost, true))),
                    (false, false) => return None,
                }
                continue;
            }
            if equal && atom.expr().terms().first().is_some_and(|(_, k)| k.is_negative()) {
                continue;
            }
            match self.comparison(t, at, atom, equal, live) {
                Said::Nothing => {}
                Said::False => return None,
                Said::Text(text) => drop(out.insert(Known { text, ghost: None })),
            }
        }
        let contradicts = |k: &Known| match &k.ghost {
            Some((name, locked)) => out.contains(&Known::of_ghost(name, !locked)),
            None => false,
        };
        (!out.iter().any(contradicts)).then_some(out)
    }

    /// An atom about a mutex that has a ghost: which, and the values that satisfy the atom.
    fn ghost<'a>(&self, atom: &'a Atom) -> Option<(&str, impl Fn(i128) -> bool + Copy + use<'a>)> {
        let [(v, _)] = atom.expr().terms() else { return None };
        let Origin::Cell(object, 0) = self.program.variables.get(v.0 as usize)?.origin else { return None };
        let object = self.automata.objects.get(object.0 as usize)?;
        let name = &self.ghosts.get(&object.name)?.0.name;
        Some((name, move |value: i128| atom.holds(|_| value.into())))
    }

    fn comparison(&self, t: u32, at: &StatementAt, atom: &Atom, equal: bool, live: &BTreeSet<Var>) -> Said {
        let terms = atom.expr().terms();
        let constant = atom.expr().constant_part().to_i128();
        let (Some(c), true) = (constant, !terms.is_empty()) else { return Said::Nothing };
        let mut parts = Vec::new();
        for (v, k) in terms {
            let variable = &self.program.variables[v.0 as usize];
            let (Some(k), Some(name)) = (k.to_i128(), self.name(t, at, *v, live)) else {
                return Said::Nothing;
            };
            let (Some(min), Some(max)) = (variable.min, variable.max) else { return Said::Nothing };
            parts.push((k, name, min, max));
        }
        let relation = |flip: bool| match (equal || atom.rel() == Rel::Eq, flip) {
            (true, _) => "==",
            (false, false) => "<=",
            (false, true) => ">=",
        };
        if let [(k @ (1 | -1), name, min, max)] = &parts[..] {
            // k x + c <= 0
            let bound = -c * k;
            let (below, above) = (bound < *min, bound > *max);
            return match (relation(*k == -1), below, above) {
                ("==", true, _) | ("==", _, true) | ("<=", true, _) | (">=", _, true) => Said::False,
                (">=", true, _) | ("<=", _, true) => Said::Nothing,
                (">=", ..) if bound == *min => Said::Nothing,
                ("<=", ..) if bound == *max => Said::Nothing,
                (r, ..) => Said::Text(format!("{name} {r} {}", number(bound))),
            };
        }
        let side = |sign: i128| -> Option<String> {
            let mut text = Vec::new();
            let (mut low, mut high) = (0i128, 0i128);
            for (k, name, min, max) in parts.iter().filter(|p| p.0.signum() == sign) {
                let k = k.checked_abs()?;
                low = low.checked_add(k.checked_mul(*min)?)?;
                high = high.checked_add(k.checked_mul(*max)?)?;
                let factor = if k == 1 { String::new() } else { format!("{} * ", number(k)) };
                text.push(format!("{factor}(long long){name}"));
            }
            if c.signum() == sign {
                low = low.checked_add(c.checked_abs()?)?;
                high = high.checked_add(c.checked_abs()?)?;
                text.push(number(c.checked_abs()?));
            }
            let fits = i64::try_from(low).is_ok() && i64::try_from(high).is_ok();
            fits.then(|| if text.is_empty() { "0".into() } else { text.join(" + ") })
        };
        match (side(1), side(-1)) {
            (Some(left), Some(right)) => Said::Text(format!("{left} {} {right}", relation(false))),
            _ => Said::Nothing,
        }
    }

    /// How C names a variable there.
    fn name(&self, t: u32, at: &StatementAt, v: Var, live: &BTreeSet<Var>) -> Option<String> {
        let variable = &self.program.variables[v.0 as usize];
        match variable.scope {
            Scope::Local(u) if u != t || !live.contains(&v) => return None,
            _ => {}
        }
        let word = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let (base, suffix, kind) = match variable.origin {
            Origin::Ghost(_) => return None,
            Origin::Register(r) => {
                let registers = &self.automata.templates[t as usize].registers;
                let register = registers.get(r.0 as usize)?;
                let alone = registers.iter().filter(|x| x.name == register.name).count() == 1;
                let here = self.is_local(at, &register.name) && alone;
                if !here {
                    return None;
                }
                (register.name.as_str(), "", register.kind)
            }
            Origin::Cell(o, k) => {
                let object = self.automata.objects.get(o.0 as usize)?;
                let (kind, suffix) = object.cells.get(k as usize)?;
                let alone = self.automata.objects.iter().filter(|x| x.name == object.name).count() == 1;
                if object.synthetic || !alone {
                    return None;
                }
                let base = match object.in_function() {
                    Some((function, name)) => {
                        let mine = self.automata.owners.get(o.0 as usize) == Some(&Owner::Template(t));
                        let seen = mine || function == "main";
                        if function != &*at.function || !seen || !self.is_local(at, name) {
                            return None;
                        }
                        name
                    }
                    None if at.scope.contains(&object.name) => return None,
                    None => &object.name,
                };
                (base, suffix.as_str(), *kind)
            }
        };
        let plain = suffix.chars().all(|c| c.is_ascii_alphanumeric() || "_[].".contains(c));
        let parts = suffix.split(['.', '[', ']']).chain([base]);
        let floats = parts.into_iter().any(|p| self.outline.floating.contains(p));
        let other = floats || is_handle(self.outline, base);
        (word(base) && plain && !other && kind != IntKind::Ideal).then(|| format!("{base}{suffix}"))
    }

    /// Does a name mean a local of the function that the statement is in, and can it mean nothing else?
    fn is_local(&self, at: &StatementAt, name: &str) -> bool {
        let functions = self.locals.get(name);
        at.scope.iter().filter(|s| *s == name).count() == 1
            && functions.is_some_and(|f| f.len() == 1 && f.contains(&*at.function))
    }
}

/// Without alternatives that others imply, and without distinctions that make no difference.
fn simplified(all: BTreeSet<Conjunction>) -> Vec<Conjunction> {
    let mut all: Vec<Conjunction> = all.into_iter().collect();
    loop {
        let implied = |i: usize| {
            (0..all.len()).any(|j| i != j && all[j].is_subset(&all[i]) && (all[j] != all[i] || j < i))
        };
        if let Some(i) = (0..all.len()).find(|i| implied(*i)) {
            all.remove(i);
            continue;
        }
        let merged = (0..all.len()).find_map(|i| {
            (i + 1..all.len()).find_map(|j| {
                let one: Vec<&Known> = all[i].difference(&all[j]).collect();
                let other: Vec<&Known> = all[j].difference(&all[i]).collect();
                let ([a], [b]) = (&one[..], &other[..]) else { return None };
                a.denies(b).then(|| (i, j, all[i].intersection(&all[j]).cloned().collect()))
            })
        });
        let Some((i, j, both)) = merged else { return all };
        all.remove(j);
        all[i] = both;
    }
}

enum Said {
    /// Nothing that C can say there, or nothing new.
    Nothing,
    /// It cannot hold of any value of the variable's type.
    False,
    /// What it says, as a C expression.
    Text(String),
}
