//! Which reads the values of a run are made of, and by which its threads have decided.
//!
//! Values are followed through registers and through memory that a thread wrote itself. What is told is true of the run; it is
//! not all: of a value that is made of many reads the latest are known.

use crate::act::At;
use crate::live::{for_each_read, for_each_register};
use relyant_cfa::{Expr, Loc, Op, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// So many reads are known of a value.
const MOST: usize = 16;

/// Reads, by their number among the facts of a run.
type Reads = BTreeSet<usize>;

/// What reads were good for. All numbers are places in [`crate::Trace::facts`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// By write: the reads that the value is made of.
    pub made_of: BTreeMap<usize, Vec<usize>>,
    /// Reads that decided a branch.
    pub tested: BTreeSet<usize>,
    /// The reads of branches that two or more decided together.
    pub together: BTreeSet<Vec<usize>>,
    /// The reads that decided the last branch of the thread that comes to the violation.
    pub decided: Vec<usize>,
    /// By read in a round of a loop that is over: how many facts there were when the thread began the next one.
    pub over: BTreeMap<usize, usize>,
}

/// Follows values.
#[derive(Clone, Default)]
pub(crate) struct Follower {
    /// By thread and register.
    registers: BTreeMap<(usize, Reg), Reads>,
    /// By cell: the thread that wrote it last, and what it wrote.
    cells: BTreeMap<At, (usize, Reads)>,
    /// By thread: what decided its last branch.
    branch: BTreeMap<usize, Reads>,
    /// By thread: how it came to where it is.
    ways: BTreeMap<usize, Way>,
    uses: Uses,
}

/// How a thread came to where it is, without rounds of loops that are over.
#[derive(Clone, Default)]
struct Way {
    /// The calls that it is in, each with a number of its own.
    calls: Vec<u32>,
    /// Calls that there were.
    number: u32,
    /// Locations by call, with the read that was done from there.
    passed: Vec<(u32, Loc, Option<usize>)>,
}

impl Way {
    /// The thread does a step from a location, so many calls deep. Gives the reads of rounds that are over with that.
    fn visit(&mut self, (depth, from): (usize, Loc)) -> Vec<usize> {
        self.calls.truncate(depth + 1);
        while self.calls.len() <= depth {
            self.number += 1;
            self.calls.push(self.number);
        }
        let call = self.calls[depth];
        let again = self.passed.iter().rposition(|p| (p.0, p.1) == (call, from));
        let over = again.map(|k| self.passed.drain(k..).filter_map(|p| p.2).collect());
        self.passed.push((call, from, None));
        over.unwrap_or_default()
    }
}

impl Follower {
    /// A thread is about to do a step from a location, so many calls deep; there are `now` facts.
    pub(crate) fn visit(&mut self, thread: usize, at: (usize, Loc), now: usize) {
        let over = self.ways.entry(thread).or_default().visit(at);
        self.uses.over.extend(over.into_iter().map(|read| (read, now)));
    }

    /// A thread did an operation. `accessed`: the fact that it is, and its cell. `named`: the register is a variable of the program.
    pub(crate) fn step(&mut self, thread: usize, op: &Op, accessed: Option<(usize, At)>, named: bool) {
        let mut reads = self.of(thread, op);
        match op {
            Op::Load(r, ..) => {
                if let Some((fact, at)) = accessed {
                    let own = self.cells.get(&at).filter(|w| w.0 == thread);
                    reads.extend(own.into_iter().flat_map(|w| &w.1));
                    reads.insert(fact);
                    if let Some(last) = self.ways.get_mut(&thread).and_then(|w| w.passed.last_mut()) {
                        last.2 = Some(fact);
                    }
                }
                self.registers.insert((thread, *r), latest(reads));
            }
            Op::Store(_, value, _) => {
                let Some((fact, at)) = accessed else { return };
                let reads = self.value(thread, value);
                self.uses.made_of.insert(fact, reads.iter().copied().collect());
                self.cells.insert(at, (thread, reads));
            }
            Op::Assign(r, e) => {
                // Conditions that are values: each branch assigns a constant.
                if matches!(e, Expr::Const(_)) && !named {
                    reads = self.branch.get(&thread).cloned().unwrap_or_default();
                }
                self.registers.insert((thread, *r), latest(reads));
            }
            Op::Assume(_) => {
                self.uses.tested.extend(&reads);
                if reads.len() > 1 {
                    self.uses.together.insert(reads.iter().copied().collect());
                }
                self.branch.insert(thread, reads);
            }
            op => {
                if let Some(r) = crate::live::written(op) {
                    self.registers.remove(&(thread, r));
                }
            }
        }
    }

    /// A cell has a value that nothing gives.
    pub(crate) fn forget(&mut self, at: At) {
        self.cells.remove(&at);
    }

    fn of(&self, thread: usize, op: &Op) -> Reads {
        let mut all = Reads::new();
        for_each_read(op, &mut |r| all.extend(self.registers.get(&(thread, r)).into_iter().flatten()));
        all
    }

    /// Of a store: its address is no part of the value.
    fn value(&self, thread: usize, e: &Expr) -> Reads {
        let mut all = Reads::new();
        for_each_register(e, &mut |r| all.extend(self.registers.get(&(thread, r)).into_iter().flatten()));
        latest(all)
    }

    /// At the end: `thread` comes to the violation.
    pub(crate) fn finish(self, thread: usize) -> Uses {
        let decided = self.branch.get(&thread).into_iter().flatten().copied().collect();
        Uses { decided, ..self.uses }
    }
}

fn latest(mut reads: Reads) -> Reads {
    while reads.len() > MOST {
        reads.pop_first();
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_cfa::{BinOp, CmpOp, IntKind, ObjId};

    fn at(object: u32) -> At {
        At { owner: None, object: ObjId(object), cell: 0, open: false }
    }

    fn load(r: u32) -> Op {
        Op::Load(Reg(r), Expr::Addr(ObjId(0)), IntKind::Ideal)
    }

    fn store(r: u32) -> Op {
        Op::Store(Expr::Addr(ObjId(2)), Expr::Reg(Reg(r)), IntKind::Ideal)
    }

    fn sum(a: u32, b: u32) -> Expr {
        let [a, b] = [a, b].map(|r| Box::new(Expr::Reg(Reg(r))));
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal)
    }

    #[test]
    fn values_are_followed_through_registers_and_memory() {
        let mut f = Follower::default();
        f.step(0, &load(0), Some((3, at(0))), true);
        f.step(0, &load(1), Some((4, at(1))), true);
        f.step(0, &Op::Assign(Reg(2), sum(0, 1)), None, true);
        f.step(0, &store(2), Some((5, at(2))), false);
        // What another thread reads there is not made of it, as far as is told.
        f.step(1, &load(0), Some((6, at(2))), true);
        f.step(0, &load(3), Some((7, at(2))), true);
        let test = Expr::Compare(CmpOp::Eq, Box::new(Expr::Reg(Reg(3))), Box::new(Expr::Const(1)));
        f.step(0, &Op::Assume(test), None, false);
        // A constant that a branch gives to no variable is made of what decided the branch.
        f.step(0, &Op::Assign(Reg(4), Expr::Const(1)), None, false);
        f.step(0, &store(4), Some((8, at(2))), false);
        let one = f.clone().finish(1);
        assert_eq!(one.decided, Vec::<usize>::new());
        let u = f.finish(0);
        assert_eq!(u.decided, [3, 4, 7]);
        assert_eq!(u.tested, BTreeSet::from([3, 4, 7]));
        assert_eq!(u.together, BTreeSet::from([vec![3, 4, 7]]));
        assert_eq!(u.made_of, BTreeMap::from([(5, vec![3, 4]), (8, vec![3, 4, 7])]));
    }

    #[test]
    fn rounds_end_where_their_loop_begins_again() {
        let mut f = Follower::default();
        // A loop at 1 with an inner one at 3; each time something is read at 2 and at 3.
        let reads = [(1, None), (2, Some(0)), (3, Some(1)), (3, Some(2)), (1, None), (2, Some(3)), (4, None)];
        for (now, (at, read)) in reads.into_iter().enumerate() {
            f.visit(0, (0, Loc(at)), now);
            if let Some(fact) = read {
                f.step(0, &load(1), Some((fact, self::at(0))), true);
            }
        }
        // Another call of the same function is no round.
        for (depth, now) in [(1, 7), (0, 8), (1, 9)] {
            f.visit(0, (depth, Loc(9)), now);
            if depth == 1 {
                f.step(0, &load(1), Some((now, self::at(0))), true);
            }
        }
        assert_eq!(f.finish(0).over, BTreeMap::from([(0, 4), (1, 3), (2, 4)]));
    }

    #[test]
    fn of_many_reads_the_latest_are_known() {
        let mut f = Follower::default();
        for k in 0..40 {
            f.step(0, &load(1), Some((k, at(0))), true);
            f.step(0, &Op::Assign(Reg(0), sum(0, 1)), None, true);
        }
        f.step(0, &store(0), Some((40, at(2))), false);
        assert_eq!(f.finish(0).made_of[&40], (24..40).collect::<Vec<_>>());
    }
}
