//! Which locks a thread may hold, by location.
//!
//! Locks that one access may mean are a *class*: they are not told apart. Of a class of several locks it is told whether a
//! thread holds more than one: only if it holds one, giving back one that it was seen to hold leaves it with none.

use super::cells::{Cells, Meaning};
use super::places::{Around, For, Wait};
use super::{Failure, NoOrder};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{CmpOp, Edge, Expr, Extent, ObjId, Op, Program, Reg, Template};
use std::collections::{BTreeMap, BTreeSet};

/// Locks that are not told apart, by number.
pub(super) type Class = usize;

/// Locks that may be held; does a thread perhaps hold more than one of the class?
pub(super) type Held = BTreeMap<Class, bool>;

/// The locks of a program that threads wait for: cells that are free at the start and in which threads store nothing but their own
/// handles, and 0.
pub(super) struct Classes<'p> {
    meaning: &'p Meaning<'p>,
    /// Each class with its cells; those of two classes are disjoint.
    pub all: Vec<BTreeSet<Cells>>,
}

/// A store: template, address, value and place.
type Store<'p> = (u32, &'p Expr, &'p Expr, Span);

fn stores(program: &Program) -> impl Iterator<Item = Store<'_>> {
    let all = program.templates.iter().enumerate();
    all.flat_map(|(t, template)| template.graph.edges.iter().map(move |e| (t as u32, e)))
        .filter_map(|(t, e)| if let Op::Store(a, v, _) = &e.op { Some((t, a, v, e.span)) } else { None })
}

impl<'p> Classes<'p> {
    /// The locks that threads wait for, by template.
    pub(super) fn new(
        program: &Program,
        meaning: &'p Meaning<'p>,
        waits: &[Vec<Wait<'_>>],
    ) -> Result<Classes<'p>, Failure> {
        let mut c = Classes { meaning, all: Vec::new() };
        for (t, wait) in waits.iter().enumerate().flat_map(|(t, all)| all.iter().map(move |w| (t, w))) {
            if let For::Lock(address) = wait.on {
                let span = program.templates[t].graph.edges[wait.edge].span;
                c.join(meaning.of(t as u32, address).ok_or((NoOrder::Written, span))?);
            }
        }
        // What shares a store with a lock is told apart from it no more.
        loop {
            let before = c.all.clone();
            for (t, address, _, span) in stores(program).filter(|(_, _, v, _)| **v == Expr::SelfId) {
                let cells = meaning.of(t, address).ok_or((NoOrder::Written, span))?;
                if c.is_met(&cells) {
                    c.join(cells);
                }
            }
            c.all.sort();
            if c.all == before {
                break;
            }
        }
        c.are_locks(program)?;
        Ok(c)
    }

    /// Are they free at the start, and written as locks are?
    fn are_locks(&self, program: &Program) -> Result<(), Failure> {
        for c in self.all.iter().flatten() {
            let object = &program.objects[c.object.0 as usize];
            let free = object.init.iter().enumerate().all(|(k, v)| !c.has(k) || *v == Some(0));
            if object.extent != Extent::Cells || !free {
                return Err((NoOrder::Written, object.span));
            }
        }
        let others = stores(program).filter(|(_, _, v, _)| !matches!(v, Expr::SelfId | Expr::Const(0)));
        for (t, address, _, span) in others {
            if self.meaning.of(t, address).is_none_or(|cells| self.is_met(&cells)) {
                return Err((NoOrder::Written, span));
            }
        }
        Ok(())
    }

    fn is_met(&self, cells: &BTreeSet<Cells>) -> bool {
        self.all.iter().any(|all| meet(all, cells))
    }

    /// Cells become a class, with those that they overlap.
    fn join(&mut self, mut cells: BTreeSet<Cells>) {
        if cells.is_empty() {
            return;
        }
        // A whole object may meet what its parts did not.
        while let Some(i) = self.all.iter().position(|set| meet(set, &cells)) {
            cells.extend(self.all.swap_remove(i));
        }
        self.all.push(cells);
    }

    /// The class of which an address may mean a cell, if it is but one.
    pub(super) fn of(&self, template: u32, address: &Expr) -> Option<Class> {
        let cells = self.meaning.of(template, address)?;
        let mut met = (0..self.all.len()).filter(|c| meet(&self.all[*c], &cells));
        met.next().filter(|_| met.next().is_none())
    }

    /// The one cell of a class, if it is one.
    pub(super) fn single(&self, class: Class) -> Option<(ObjId, usize)> {
        match self.all[class].iter().collect::<Vec<_>>()[..] {
            [cells] => cells.single().map(|cell| (cells.object, cell)),
            _ => None,
        }
    }

    /// Does an address mean a cell of the class, and nothing else?
    fn is_within(&self, template: u32, address: &Expr, class: Class) -> bool {
        let within = |c: &Cells| self.all[class].iter().any(|all| c.is_within(*all));
        self.meaning.of(template, address).is_some_and(|cells| cells.iter().all(within))
    }

    /// The lock that a step gives back for certain: one of a class of one, or one that the thread was seen to hold.
    pub(super) fn given(&self, template: u32, around: &Around<'_>, edge: usize) -> Option<Class> {
        let e = &around.graph.edges[edge];
        let Op::Store(address, Expr::Const(0), _) = &e.op else { return None };
        let class = self.of(template, address).filter(|c| self.is_within(template, address, *c))?;
        (self.single(class).is_some() || is_seen(around, edge)).then_some(class)
    }

    /// The lock that a step takes.
    pub(super) fn taken(&self, template: u32, op: &Op) -> Option<Class> {
        match op {
            Op::Store(address, Expr::SelfId, _) => self.of(template, address),
            _ => None,
        }
    }
}

fn meet(a: &BTreeSet<Cells>, b: &BTreeSet<Cells>) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.meets(*y)))
}

/// What may be held at each location of a template; nothing is said of those that are not reached.
pub(super) fn held(classes: &Classes<'_>, t: u32, template: &Template) -> Vec<Option<Held>> {
    let around = Around::new(&template.graph);
    let mut held: Vec<Option<Held>> = vec![None; around.out.len()];
    held[template.entry.0 as usize] = Some(Held::new());
    let mut work = vec![template.entry];
    while let Some(l) = work.pop() {
        let Some(here) = held[l.0 as usize].clone() else { continue };
        for &i in &around.out[l.0 as usize] {
            let e = &around.graph.edges[i];
            let mut after = here.clone();
            if let Some(class) = classes.taken(t, &e.op) {
                let more = after.contains_key(&class) && classes.single(class).is_none();
                *after.entry(class).or_default() |= more;
            } else if let Some(class) = classes.given(t, &around, i)
                && after.get(&class) == Some(&false)
            {
                after.remove(&class);
            }
            if extend(&mut held[e.to.0 as usize], after) {
                work.push(e.to);
            }
        }
    }
    held
}

/// Adds what may be held; was something new?
fn extend(known: &mut Option<Held>, more: Held) -> bool {
    let Some(known) = known else {
        *known = Some(more);
        return true;
    };
    let mut grown = false;
    for (class, several) in more {
        match known.get_mut(&class) {
            None => {
                known.insert(class, several);
                grown = true;
            }
            Some(before) => {
                grown |= several && !*before;
                *before |= several;
            }
        }
    }
    grown
}

/// Was it seen, in the same atomic section, that the running thread holds the lock that a step stores to?
pub(super) fn is_seen(around: &Around<'_>, edge: usize) -> bool {
    let Edge { from: at, op: Op::Store(address, ..), .. } = &around.graph.edges[edge] else { return false };
    let before = around.edges(&around.into[at.0 as usize]);
    let [e] = before[..] else { return false };
    let Op::Assume(condition) = &e.op else { return false };
    let loaded = is_self(condition).and_then(|r| around.loaded(e.from, r));
    around.graph.locations[at.0 as usize].atomic && loaded == Some(address)
}

/// The register that a condition says is the handle of the running thread.
pub(super) fn is_self(condition: &Expr) -> Option<Reg> {
    let Expr::Compare(CmpOp::Eq, a, b) = condition else { return None };
    match (&**a, &**b) {
        (Expr::Reg(r), Expr::SelfId) | (Expr::SelfId, Expr::Reg(r)) => Some(*r),
        _ => None,
    }
}
