//! Runs in a preferred order only: all threads as one.
//!
//! Steps of two threads often commute, and of the runs that differ in the order of such steps one is enough. Which one is
//! chosen by an order of preference ([`Order`]): a product of all threads in which a thread *sleeps* as long as its step could
//! as well have been done earlier, where it would have been preferred (`product`). What is left is the program of one
//! thread, in which facts about several threads at once are facts about its variables: that two loops have done as many
//! rounds, say, holds in lockstep and in no other order.
//!
//! Farzan, Klumpp and Podelski, "Sound sequentialization for concurrent program verification", PLDI 2022 (preference orders, sleep
//! sets); "Stratified commutativity in verification algorithms for concurrent programs", POPL 2023 (commutativity under
//! a condition). Unlike there, a swap need hold in one direction only, and its condition is a case of the step: where it
//! does not hold, nobody falls asleep.
//!
//! Claim: an error that can be reached can be reached in the product. Take a run to it, which the product leaves out. Then there
//! are steps `b1 … bk x` in it such that `x` was preferred to `b1` where the run did that, and for each `i` the swap of `bi` and `x` was
//! recorded and its condition held before `bi`. From the last `bi` to the first, `x` can be done before it, with the same states before and
//! after: the run with `x b1 … bk` leads to the same state. It is smaller in the lexicographic order by preference, of which
//! there are finitely many runs of these steps; so some run is not left out. The same holds where steps of less preferred threads are
//! left out since each run to an error has a step of the preferred ones, which can be swapped with all that comes before it
//! (`awaited`; a membrane of that paper): that step comes first in a smaller run.
//!
//! Where threads hold locks, sections under them are made one step each first ([`crate::edges::sections`]): steps then commute that only
//! single accesses in them kept from that. With all threads as they are ([`Turns::All`]) that is an order of its own.

mod awaited;
mod commute;
mod elements;
mod product;
mod relax;
mod split;

pub use commute::Commuting;
pub use product::Letter;

use crate::edges::sections::Sections;
use crate::passes;
use crate::{Count, Program};
use relyant_linear::Cube;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which thread is preferred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The templates that are always preferred to all others, the most preferred first: those that create them.
    pub first: Vec<u32>,
    /// The others, in a ring.
    pub ring: Vec<u32>,
    /// When preference goes from a thread of the ring to the next one.
    pub turns: Turns,
    /// Are sections under locks one step each? The claim for that is the one of [`crate::edges::sections`].
    pub sections: bool,
}

impl Order {
    /// Is each thread that has steps in it once? One that is not would never move.
    fn has_each_thread(&self, of: &Program) -> bool {
        let mut listed: Vec<u32> = self.first.iter().chain(&self.ring).copied().collect();
        listed.sort_unstable();
        listed == moving(of)
    }
}

/// Templates with steps, ascending.
fn moving(p: &Program) -> Vec<u32> {
    (0u32..).zip(&p.templates).filter(|t| !t.1.edges.is_empty()).map(|t| t.0).collect()
}

/// When preference goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// Never: one thread after the other.
    Never,
    /// When the thread whose turn it is comes to the head of a loop, or to its end: loops in lockstep.
    Loops,
    /// To the thread after whichever one comes to the head of a loop, or its end: no matter whose turn it was.
    AnyLoop,
    /// After each step.
    Steps,
    /// No turns: all threads are there as they are.
    All,
}

/// Two steps of different threads, done in this order, could as well be done in the other one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swap {
    /// What is done first.
    pub first: Letter,
    /// What is done right after it, and could be done before it.
    pub second: Letter,
    /// Where that is so: a condition on the state before both.
    pub when: Cube,
}

/// How a program was made of one with several threads: one of a single thread, or one whose sections are one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordered {
    /// The program with several threads, as [`source`] makes it of the thread program.
    pub of: Program,
    /// Which runs are left.
    pub order: Order,
    /// The swaps by which the others are left out; each is to be shown.
    pub swaps: Vec<Swap>,
}

impl Ordered {
    /// Is it a program of one thread?
    pub fn is_product(&self) -> bool {
        self.order.turns != Turns::All
    }
    /// The order in words: `main, then one and two with their loops in lockstep`.
    pub fn words(&self) -> String {
        let sections = "each section under a lock as one step";
        match (self.threads(), self.order.sections) {
            (Some(threads), true) => format!("{threads}; {sections}"),
            (Some(threads), false) => threads,
            (None, _) => sections.into(),
        }
    }
    /// The order of threads in words, where they have one.
    fn threads(&self) -> Option<String> {
        let name = |t: &u32| self.of.templates.get(*t as usize).map_or("?", |t| &t.name);
        let listed = |ts: &[u32]| match ts {
            [] => String::new(),
            [one] => name(one).to_string(),
            [most @ .., last] => {
                format!("{} and {}", most.iter().map(name).collect::<Vec<_>>().join(", "), name(last))
            }
        };
        let turns = match self.order.turns {
            Turns::Never => "one after the other",
            Turns::Loops => "with their loops in lockstep",
            Turns::AnyLoop => "with a round of a loop each",
            Turns::Steps => "step by step in turns",
            Turns::All => return None,
        };
        let (first, ring) = (listed(&self.order.first), listed(&self.order.ring));
        Some(match self.order.ring.len() {
            0 => first,
            1 => format!("{first}, then {ring}"),
            _ => format!("{first}, then {ring} {turns}"),
        })
    }
}

/// Threads that take part in an order, at most.
const THREADS: u32 = 12;

/// Edges of all threads, at most: of pairs of them it is asked whether they commute.
const EDGES: usize = 600;

/// Has a program two threads at least, and few enough?
pub fn has_threads(p: &Program) -> bool {
    let (mut threads, mut edges) = (0, 0);
    for t in p.templates.iter().filter(|t| !t.edges.is_empty()) {
        let Count::AtMost(n @ 0..=split::MOST) = t.count else { return false };
        // A thread that is never there is in the product all the same.
        threads += n.max(1);
        edges += t.edges.len() * n.max(1) as usize;
    }
    (2..=THREADS).contains(&threads) && edges <= EDGES
}

/// Can a program be ordered? It has threads, or sections, and nothing to be shown of ghosts.
fn can_order(p: &Program, order: &Order) -> bool {
    let is_order = if order.turns == Turns::All { order.sections } else { has_threads(p) };
    is_order && p.extensions.is_empty() && p.ordered.is_none()
}

/// The order in which sections are one step, with all threads; none where there is no lock.
pub fn at_once(p: &Program) -> Option<Order> {
    Sections::of(p)?;
    Some(Order { first: moving(p), ring: Vec::new(), turns: Turns::All, sections: true })
}

/// The program with sections as one step; `None` where no two steps become one.
fn merged(p: &Program) -> Option<Program> {
    Sections::of(p)?;
    let locations = |p: &Program| p.templates.iter().map(|t| t.locations.len()).sum::<usize>();
    let out = passes::reduce_sections(p.clone());
    (locations(&out) < locations(p)).then_some(out)
}

/// The orders that are worth a try, the most promising first.
pub fn orders(p: &Program) -> Vec<Order> {
    let once = at_once(p);
    if !has_threads(p) {
        return once.into_iter().collect();
    }
    let split = split::split(p);
    let merged = merged(&split);
    let sections = merged.is_some();
    let p = &merged.unwrap_or(split);
    let starts = |t: &crate::Template| {
        let started = |v: relyant_linear::Var| {
            p.variables
                .get(v.0 as usize)
                .is_some_and(|x| matches!(x.origin, crate::Origin::Ghost(crate::Ghost::Started(_))))
        };
        t.edges.iter().any(|e| e.updates.iter().any(|u| started(u.0)))
    };
    let (first, ring): (Vec<u32>, Vec<u32>) =
        moving(p).into_iter().partition(|t| *t == 0 || starts(&p.templates[*t as usize]));
    let mut rings = vec![ring.clone()];
    if ring.len() > 1 {
        rings.push(ring.iter().rev().copied().collect());
    }
    if ring.len() > 2 {
        let turned = |k: usize| ring.iter().cycle().skip(k).take(ring.len()).copied().collect();
        rings.extend((1..ring.len()).map(turned));
    }
    let order = |turns, ring: &Vec<u32>| Order { first: first.clone(), ring: ring.clone(), turns, sections };
    let loops = |ring| [order(Turns::Loops, ring), order(Turns::AnyLoop, ring)];
    let mut orders: Vec<Order> = once.into_iter().chain(loops(&ring)).collect();
    orders.extend(rings.iter().take(2).map(|ring| order(Turns::Never, ring)));
    orders.extend(rings.iter().skip(1).take(1).flat_map(loops));
    orders.push(order(Turns::Steps, &ring));
    orders
        .extend(rings.iter().skip(2).flat_map(|ring| [order(Turns::Loops, ring), order(Turns::Never, ring)]));
    orders
}

/// The program of one thread that makes the runs of another one in an order of preference, or the threads with sections as one step. `None`
/// where it would be too large, or the program cannot be ordered, or `stop` says so. `swap`: when two steps can be swapped, see [`Commuting`];
/// what it says is recorded and has to be shown.
pub fn ordered(
    several: &Program,
    order: &Order,
    swap: &mut dyn FnMut(&Program, Letter, Letter) -> Option<Cube>,
    stop: &dyn Fn() -> bool,
) -> Option<Program> {
    if !can_order(several, order) {
        return None;
    }
    let out = preferred(&source(several, order)?, order, swap, stop)?;
    Some(Program { lines: several.lines.clone(), ..out })
}

/// The same of the [`source`] of a program.
pub fn preferred(
    of: &Program,
    order: &Order,
    swap: &mut dyn FnMut(&Program, Letter, Letter) -> Option<Cube>,
    stop: &dyn Fn() -> bool,
) -> Option<Program> {
    if !can_order(of, order) || !order.has_each_thread(of) {
        return None;
    }
    let mut swaps = BTreeMap::new();
    let mut out = if order.turns == Turns::All {
        merged(of)?
    } else {
        let mut record = |first: Letter, second: Letter| {
            let when = swap(of, first, second)?;
            swaps.entry((first, second)).or_insert_with(|| when.clone());
            Some(when)
        };
        passes::reduce_alone(product::build(of, order, &mut record, stop)?)
    };
    let swaps = swaps.into_iter().map(|((first, second), when)| Swap { first, second, when }).collect();
    out.ordered = Some(Arc::new(Ordered { of: of.clone(), order: order.clone(), swaps }));
    Some(out)
}

/// What an ordered program is made of: the program with a template for each thread, sections as one step if the order says so, and without
/// bounds that only say that arithmetic does not overflow; with all threads the program as it is. `None` where an order says of
/// sections what cannot be.
pub fn source(p: &Program, order: &Order) -> Option<Program> {
    let all = match (order.turns, order.sections) {
        (Turns::All, false) => return None,
        (Turns::All, true) => p.clone(),
        (_, false) => relax::relaxed(&split::split(p)),
        (_, true) => relax::relaxed(&merged(&split::split(p))?),
    };
    Some(Program { lines: Vec::new(), ..all })
}
