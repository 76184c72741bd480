//! Operands whose order C leaves open (C11 6.5p3, 6.5.2.2p10, 6.7.9p23): all orders that can be told apart.
//!
//! Functions are lowered from left to right, with the operands of each operator, call and list marked: an operand is a part
//! of the graph with one entry and one exit. Where two operands act on one object, where one may stop and the other
//! one is noticed, or where other threads notice both ([`groups`]), the operands' graphs are replaced by their
//! product ([`product`]): a location is one of each operand, an edge is an edge of one of them. Operands inside of
//! operands come first, so that `c` comes between `a` and `b` in `(a() + b()) + c()`. A call is one edge, and nothing comes
//! between its steps where it is lowered in place. Two plain reads come in any order if that is asked for; else it is
//! said that the order was left to right.

mod effects;
mod groups;
mod product;

use crate::races::Access;
use effects::{Effects, ModuleFacts};
use relyant_cfa::options::{Atomicity, Options, Property};
use relyant_cfa::{FuncId, Loc, LocationKind, Module};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// What is said where only one order was tried.
const LEFT_TO_RIGHT: &str = "operands are evaluated from left to right";

/// Operands of one operator, call or list, in the order of the source.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Those that do anything.
    pub operands: Vec<Operand>,
    /// The region around it, and which of its operands it is in.
    pub parent: Option<(usize, usize)>,
    /// One operand ends before another begins.
    pub whole: bool,
}

/// An operand: a part of the graph.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where it starts; the exit of the one before it.
    pub entry: Loc,
    /// Where it ends. None of its edges leaves from there.
    pub exit: Loc,
    /// Its locations besides the entry.
    pub own: Vec<Range<u32>>,
}

impl Operand {
    fn has(&self, l: Loc) -> bool {
        l == self.entry || self.own.iter().any(|r| r.contains(&l.0))
    }
    fn locations(&self) -> impl Iterator<Item = Loc> + '_ {
        self.own.iter().cloned().flatten().map(Loc)
    }
}

/// What a function leaves open.
#[derive(Clone, Debug, Default)]
pub struct Unsequenced {
    /// Those around others come before them.
    pub regions: Vec<Region>,
    /// Locations inside a step or a call: other operands wait.
    pub held: FxHashSet<Loc>,
    /// Locations before and after calls.
    pub open: FxHashSet<Loc>,
}

impl Unsequenced {
    /// From where each operand starts to where the next one does.
    pub(crate) fn any_order(&self) -> Vec<(Loc, Loc)> {
        let several = self.regions.iter().filter(|r| r.operands.len() > 1);
        several.flat_map(|r| r.operands.iter().map(|o| (o.entry, o.exit))).collect()
    }

    /// Others wait in atomic sections of an operand. `depth`: open sections by location.
    pub(crate) fn hold_sections(&mut self, depth: &[Option<i32>]) {
        let at = |l: Loc| depth.get(l.0 as usize).copied().flatten().unwrap_or(0);
        for r in self.regions.iter().filter(|r| r.parent.is_none()) {
            let Some(outside) = r.operands.first().map(|o| at(o.entry)) else { continue };
            let inside = r.operands.iter().flat_map(Operand::locations).filter(|l| at(*l) > outside);
            self.held.extend(inside.collect::<Vec<_>>());
        }
    }

    /// In a graph whose locations have new numbers, in the same order.
    pub(crate) fn moved(mut self, new: &[Option<Loc>]) -> Unsequenced {
        // Of the first one from here on that is left.
        let mut next = vec![0u32; new.len() + 1];
        next[new.len()] = new.iter().flatten().count() as u32;
        for k in (0..new.len()).rev() {
            next[k] = new[k].map_or(next[k + 1], |l| l.0);
        }
        let to = |l: Loc| new.get(l.0 as usize).copied().flatten();
        let bound = |k: u32| next[(k as usize).min(new.len())];
        for r in &mut self.regions {
            // What can't be reached at all goes, but keeps its number.
            let all = r.operands.iter().all(|o| to(o.entry).is_some() && to(o.exit).is_some());
            if !all {
                r.operands.clear();
            }
            for o in &mut r.operands {
                o.entry = to(o.entry).unwrap_or(o.entry);
                o.exit = to(o.exit).unwrap_or(o.exit);
                o.own.iter_mut().for_each(|r| *r = bound(r.start)..bound(r.end));
            }
        }
        self.held = self.held.into_iter().filter_map(to).collect();
        self.open = self.open.into_iter().filter_map(to).collect();
        self
    }
}

/// Adds the other orders, or an assumption.
pub(crate) fn add(
    module: &mut Module,
    unsequenced: Vec<Unsequenced>,
    accesses: &mut BTreeMap<FuncId, Vec<Access>>,
    options: &Options,
) {
    if unsequenced.iter().all(|u| u.regions.iter().all(|r| r.operands.len() < 2)) {
        return;
    }
    let mut notes = Notes::default();
    let mut changed = Vec::new();
    {
        let mut facts = ModuleFacts::new(module, options);
        for (f, mut u) in unsequenced.into_iter().enumerate() {
            if u.regions.iter().all(|r| r.operands.len() < 2) {
                continue;
            }
            let id = FuncId(f as u32);
            let mut work = product::Work {
                graph: module.functions[f].graph.clone(),
                held: std::mem::take(&mut u.held),
                open: std::mem::take(&mut u.open),
                accesses: Default::default(),
                effects: facts.edges(id).into_iter().map(Rc::new).collect(),
                statements: options.atomicity == Atomicity::Statement,
            };
            if options.property == Property::NoDataRace || options.is_tso() {
                for a in accesses.get(&id).into_iter().flatten() {
                    work.accesses.entry(a.from).or_default().push(*a);
                }
            }
            if function(&facts, id, &mut u.regions, &mut work, &mut notes) {
                changed.push((f, work.graph, work.accesses));
            }
        }
    }
    for (f, graph, all) in changed {
        let function = &mut module.functions[f];
        let (graph, entry, new) = graph.pruned(function.entry, &[]);
        (function.graph, function.entry) = (graph, entry);
        let moved = all.values().flatten().filter_map(|a| a.moved(&new)).collect();
        accesses.insert(FuncId(f as u32), moved);
    }
    for said in notes.0 {
        if !module.assumes.contains(&said) {
            module.assumes.push(said);
        }
    }
}

/// What was not tried.
#[derive(Default)]
pub(crate) struct Notes(Vec<String>);

impl Notes {
    fn add(&mut self, what: String) {
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }
}

/// Does one function; says whether its graph changed.
fn function(
    facts: &ModuleFacts<'_>,
    f: FuncId,
    regions: &mut [Region],
    work: &mut product::Work,
    notes: &mut Notes,
) -> bool {
    // Something after an operand that never ends is reached in another order only.
    let unreached = unreached(&work.graph, facts.entry(f));
    let mut changed = regions.iter().flat_map(|r| &r.operands).any(|o| unreached[o.exit.0 as usize]);
    if !matters(regions, work) {
        return changed;
    }
    let effects = Effects::of_operands(regions, &work.graph, &work.effects);
    let around = Effects::around(regions, &effects);
    for r in (0..regions.len()).rev() {
        if regions[r].operands.len() < 2 {
            continue;
        }
        let context = around[r].as_ref();
        let all = || effects[r].iter().chain(context);
        if !all().any(|e| !e.writes.is_empty() || e.contested || e.stops || e.noticed) && !regions[r].whole {
            continue;
        }
        let alone = !facts.at(f, &regions[r], &work.graph);
        let set =
            groups::Set { of: &effects[r], context, alone, any_reads: facts.any_reads, races: facts.races };
        let found = groups::find(&set, &regions[r], &work.graph);
        if found.reads_left_to_right {
            notes.add(LEFT_TO_RIGHT.into());
        }
        if !found.any() {
            continue;
        }
        match product::build(&regions[r], &found, &set, work) {
            Ok(range) => {
                changed = true;
                let mut up = regions[r].parent;
                while let Some((p, k)) = up {
                    if let Some(o) = regions[p].operands.get_mut(k) {
                        o.own.push(range.clone());
                    }
                    up = regions[p].parent;
                }
            }
            Err(why) => {
                let line = work.graph.locations[regions[r].operands[0].entry.0 as usize].span.line;
                notes.add(format!("{LEFT_TO_RIGHT} in line {line}, which {why}"));
            }
        }
    }
    changed
}

/// Does any operand do something whose order can be told?
fn matters(regions: &[Region], work: &product::Work) -> bool {
    let mut inside = vec![false; work.graph.locations.len()];
    for o in regions.iter().filter(|r| r.parent.is_none()).flat_map(|r| &r.operands) {
        o.locations().chain([o.entry]).for_each(|l| inside[l.0 as usize] = true);
    }
    let tells = |e: &Effects| !e.writes.is_empty() || e.contested || e.stops || e.noticed;
    work.graph.edges.iter().zip(&work.effects).any(|(e, x)| inside[e.from.0 as usize] && tells(x))
        || regions.iter().any(|r| r.whole && r.operands.len() > 1)
}

fn unreached(graph: &relyant_cfa::Graph, entry: Loc) -> Vec<bool> {
    let out = graph.out_edges();
    let mut unreached = vec![true; graph.locations.len()];
    let mut work = vec![entry];
    while let Some(l) = work.pop() {
        if std::mem::replace(&mut unreached[l.0 as usize], false) {
            work.extend(out[l.0 as usize].iter().map(|e| graph.edges[*e].to));
        }
    }
    unreached
}

/// Does a run end there, well or not?
fn is_final(graph: &relyant_cfa::Graph, l: Loc) -> bool {
    graph.locations[l.0 as usize].kind != LocationKind::Normal
}
