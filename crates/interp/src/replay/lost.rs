//! The block that is lost in a memory leak: which it is, where it was made, and how the last pointer to it went.
//!
//! What is reachable is told by the state in which the run ends, as the check of the program does it. Pointers are followed as far
//! as the run tells of them: a copy that nobody uses any more may be missing.

use crate::act::At;
use crate::fact::{Did, Fact, Recorder, Touch};
use crate::machine::{Machine, State};
use relyant_cfa::{Block, ObjId, Object, Program, Shown};
use std::collections::BTreeSet;

/// A block that is lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Its name.
    pub block: String,
    /// How many others that are made in the same line are lost.
    pub more: usize,
    /// The fact with which it was made.
    pub made: Option<usize>,
    /// How the last pointer to it went; `None` where one is left when the program ends, or none was seen.
    pub gone: Option<LastPointer>,
}

/// The end of a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastPointer {
    /// The pointer.
    pub pointer: String,
    /// The fact with which it went.
    pub fact: usize,
    /// How it went.
    pub how: PointerEnd,
}

/// How a pointer goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointerEnd {
    /// It gets another value.
    Overwritten,
    /// It is in a block that is given back: the block's name.
    Freed(String),
    /// It is its thread's own, and the thread ends.
    ThreadEnds,
    /// It is a function's own, and the function returns.
    Returns,
}

/// The block of those made in a line that is lost in the state, and that no other lost one leads to, if there is such a one.
pub(super) fn find(machine: &Machine<'_>, state: &State, recorder: &mut Recorder, line: u32) -> Option<Lost> {
    let memory = Memory { machine, state };
    let kept = memory.reached(memory.objects().filter(|o| o.1.look.lasting).map(|o| o.0));
    let lost: Vec<(ObjId, &Block)> = memory
        .objects()
        .filter(|(o, x)| x.span.line == line && !kept.contains(o))
        .filter_map(|(o, x)| Some((o, x.look.block.as_ref().filter(|b| memory.is_live(b))?)))
        .collect();
    let others = |o: ObjId| memory.reached(lost.iter().map(|l| l.0).filter(|x| *x != o));
    // Of a ring, any one.
    let (object, block) = lost.iter().rfind(|l| !others(l.0).contains(&l.0)).or(lost.last()).copied()?;
    let name = recorder.names.block(block);
    let made = recorder.facts.iter().rposition(|f| makes(f, &name));
    let program = machine.program();
    let base = *program.bases.get(object.0 as usize)?;
    let size = i128::from(program.objects[object.0 as usize].size());
    let addresses: BTreeSet<String> =
        (base..=base + size).map(|v| recorder.names.value(program, v, &Shown::Pointer)).collect();
    let gone = made.and_then(|m| last_pointer(program, &recorder.facts[m..], base..=base + size, &addresses));
    let gone = gone.map(|g| LastPointer { fact: g.fact + made.unwrap_or_default(), ..g });
    Some(Lost { block: name, more: lost.len() - 1, made, gone })
}

/// Does it make a block?
fn makes(f: &Fact, name: &str) -> bool {
    let is_made = |t: &Touch| match t.shown {
        Shown::Made => true,
        Shown::Freed => t.after < t.before,
        _ => false,
    };
    matches!(&f.did, Did::Write(t) if t.block.as_deref() == Some(name) && is_made(t))
}

struct Memory<'s, 'p> {
    machine: &'s Machine<'p>,
    state: &'s State,
}

impl<'s> Memory<'s, '_> {
    fn objects(&self) -> impl Iterator<Item = (ObjId, &'s Object)> + Clone {
        (0u32..).map(ObjId).zip(&self.machine.program().objects)
    }

    fn value(&self, o: ObjId, k: u32) -> Option<i128> {
        self.machine.value(self.state, 0, (o, k))
    }

    /// Was the block made, and not given back?
    fn is_live(&self, b: &Block) -> bool {
        let says = |shown: &Shown, k: u32| {
            let of_site = |x: &Object| {
                let block = x.look.block.as_ref();
                block.is_some_and(|x| x.number == 0 && x.site == b.site) && x.look.of(k) == shown
            };
            self.objects().find(|(_, x)| of_site(x)).and_then(|(o, _)| self.value(o, k))
        };
        let Some(k) = b.number.checked_sub(1) else { return false };
        says(&Shown::Made, 0).is_some_and(|n| n >= i128::from(b.number))
            && says(&Shown::Freed, k).is_none_or(|back| back == 0)
    }

    /// These and what they lead to. The address behind the end of an object leads to it.
    fn reached(&self, from: impl Iterator<Item = ObjId>) -> BTreeSet<ObjId> {
        let program = self.machine.program();
        let mut work: Vec<ObjId> = from.collect();
        let mut reached = BTreeSet::new();
        while let Some(o) = work.pop() {
            let cells = 0..program.objects[o.0 as usize].cells.len() as u32;
            for v in cells.filter_map(|k| self.value(o, k)) {
                let to = program.object_at(v).or_else(|| program.object_at(v - 1));
                work.extend(to.map(|t| t.0).filter(|t| reached.insert(*t)));
            }
        }
        reached
    }
}

/// Is it the object that is given back with a write to this cell?
fn is_given_back(program: &Program, object: ObjId, cell: At) -> bool {
    let block = |o: ObjId| program.objects.get(o.0 as usize)?.look.block.as_ref();
    match (block(object), block(cell.object)) {
        (Some(block), Some(all)) => block.site == all.site && block.number == cell.cell + 1,
        _ => false,
    }
}

/// What holds an address.
#[derive(Clone, PartialEq, Eq)]
enum Holder {
    Cell(At),
    /// A local of a thread, in so many calls.
    Local(u32, usize),
}

/// How the last pointer to a block went; `None` where one is left, or none was seen.
fn last_pointer(
    program: &Program,
    facts: &[Fact],
    block: std::ops::RangeInclusive<i128>,
    addresses: &BTreeSet<String>,
) -> Option<LastPointer> {
    let mut holders: Vec<(Holder, String)> = Vec::new();
    let mut last = None;
    for (i, f) in facts.iter().enumerate() {
        let mut drop =
            |holders: &mut Vec<(Holder, String)>, how: &PointerEnd, goes: &dyn Fn(&Holder, &str) -> bool| {
                holders.retain(|(h, name)| {
                    let goes = goes(h, name);
                    if goes {
                        last = Some(LastPointer { pointer: name.clone(), fact: i, how: how.clone() });
                    }
                    !goes
                });
            };
        drop(
            &mut holders,
            &PointerEnd::Returns,
            &|h, _| matches!(h, Holder::Local(t, depth) if *t == f.thread && *depth > f.depth),
        );
        match &f.did {
            Did::Set(name, value) => {
                let local = Holder::Local(f.thread, f.depth);
                let held = holders.contains(&(local.clone(), name.clone()));
                match addresses.contains(value) {
                    true if !held => holders.push((local, name.clone())),
                    true => {}
                    false => drop(&mut holders, &PointerEnd::Overwritten, &|h, n| *h == local && n == name),
                }
            }
            Did::Write(t) if t.shown == Shown::Freed && t.after > t.before => {
                let Some(freed) = &t.block else { continue };
                drop(
                    &mut holders,
                    &PointerEnd::Freed(freed.clone()),
                    &|h, _| matches!(h, Holder::Cell(at) if is_given_back(program, at.object, t.at)),
                );
            }
            Did::Write(t) if t.shown == Shown::Pointer => {
                let cell = Holder::Cell(t.at);
                let held = holders.iter().any(|h| h.0 == cell);
                match block.contains(&t.after) {
                    true if !held => holders.push((cell, t.name.clone())),
                    true => {}
                    false => drop(&mut holders, &PointerEnd::Overwritten, &|h, _| *h == cell),
                }
            }
            Did::End => drop(&mut holders, &PointerEnd::ThreadEnds, &|h, _| match h {
                Holder::Cell(at) => at.owner == Some(f.thread),
                Holder::Local(t, _) => *t == f.thread,
            }),
            _ => {}
        }
    }
    last.filter(|_| holders.is_empty())
}
