//! What other threads may do before a thread moves.
//!
//! A *guard* is a location whose only step loads one certain shared cell (its address may be of no other), and goes on in the same atomic section only
//! where conditions on the value hold: where a lock is taken, a semaphore or a barrier waited for. It is *closed* in
//! a state where the value lets none of the conditions hold. Who is at a closed guard does not move until somebody
//! writes the cell. So, for one thread: assume that all guards that are closed stay so, see what the others may reach
//! without going past one, and open those whose cells may be written there, until none is left to open. What
//! is reached then is all that others may do until the thread moves: by induction over their steps, none of which is
//! past a closed guard. In particular, what all others touch with a lock taken that the thread holds they do not touch
//! before it moves, nor do they look at the lock, if they only ever wait for it (Lipton, "Reduction", CACM 1975).

use super::accesses::{Keys, Rows, sole};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Expr, IntKind, ObjId, Op, Owner, Program};
use relyant_interp::eval::{Env, eval};
use relyant_interp::late::UNCHOSEN;
use relyant_interp::machine::{Machine, State};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// More guards than this are not looked at: they are bits of a word.
const MOST: usize = 64;

/// A cell, and what has to hold of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Guard {
    cell: (ObjId, u32),
    key: u32,
    /// Template, and the register that gets the value.
    register: (u32, u32),
    conditions: Vec<Expr>,
}

/// The guards of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    list: Vec<Guard>,
    /// By location, numbered through all templates: the guard there.
    at: Vec<Option<u8>>,
    /// By location: what its steps access.
    own: Rows,
    /// By location: where its steps lead.
    next: Vec<Vec<usize>>,
    /// By guard, keys as bits: that of its cell.
    keys: Vec<(usize, u64)>,
}

/// Location of a thread, a key, where all threads are (a hash), and closed guards.
pub(super) type Question = (u32, u32, u64, u64);

/// Answers that are remembered at once, as a power of two: so many that they stay near the processor.
const ANSWERS: u32 = 13;

/// What was worked out for some states.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// By location and closed guards: the row in `rows`.
    known: FxHashMap<(u32, u64), u32>,
    rows: Rows,
    /// By guard: the value of its cell when that was asked last, and was it closed?
    closed: Vec<Option<(i128, bool)>>,
    seen: Vec<bool>,
    /// By hash of a question, the last one asked: is it so of all others, or would it be without those at joins?
    answers: Vec<Option<(Question, (bool, bool))>>,
}

impl Reached {
    /// The answer to a question, where that is remembered.
    pub fn answer(&self, question: Question) -> Option<(bool, bool)> {
        let (asked, answer) = (*self.answers.get(place(question))?)?;
        (asked == question).then_some(answer)
    }

    /// An answer for later.
    pub fn remember(&mut self, question: Option<Question>, answer: (bool, bool)) {
        let Some(question) = question else { return };
        self.answers.resize(1 << ANSWERS, None);
        self.answers[place(question)] = Some((question, answer));
    }
}

/// Where the answer to a question is remembered.
fn place(question: Question) -> usize {
    (FxBuildHasher.hash_one(question) >> (u64::BITS - ANSWERS)) as usize
}

impl Guards {
    /// Finds them. `own` is what each location's steps access, `next` where they lead.
    pub fn new(
        program: &Program,
        points: &PointsTo,
        keys: &Keys,
        own: Rows,
        next: Vec<Vec<usize>>,
    ) -> Guards {
        let mut guards = Guards { at: vec![None; next.len()], own, next, ..Guards::default() };
        let mut row = 0;
        for t in 0..program.templates.len() {
            let out = program.templates[t].graph.out_edges();
            for edges in &out {
                if let Some(guard) = guard((program, points), keys, t, edges, &out) {
                    guards.at[row] = guards.number(guard);
                }
                row += 1;
            }
        }
        guards.keys = guards.list.iter().map(|g| (g.key as usize / 64, 1 << (g.key % 64))).collect();
        guards
    }

    fn number(&mut self, guard: Guard) -> Option<u8> {
        let same = |g: &Guard| {
            g.cell == guard.cell && g.register == guard.register && g.conditions == guard.conditions
        };
        let found = self.list.iter().position(same);
        let number = found.or_else(|| {
            (self.list.len() < MOST).then(|| {
                self.list.push(guard);
                self.list.len() - 1
            })
        });
        number.map(|n| n as u8)
    }

    /// The guards that are closed in a state, as bits.
    pub fn closed(&self, machine: &Machine<'_>, state: &State, reached: &mut Reached) -> u64 {
        let mut bits = 0;
        reached.closed.resize(self.list.len(), None);
        for ((n, guard), known) in self.list.iter().enumerate().zip(&mut reached.closed) {
            let Some(value) = machine.value(state, 0, guard.cell) else { continue };
            let closed = match known {
                Some((v, closed)) if *v == value => *closed,
                _ => is_closed(machine, guard, value),
            };
            *known = Some((value, closed));
            bits |= u64::from(closed) << n;
        }
        bits
    }

    /// No guard is known.
    pub fn forget(&mut self) {
        self.list.clear();
        self.keys.clear();
        self.at.iter_mut().for_each(|g| *g = None);
    }

    /// Does it hold of all that threads at these locations may read and write as long as only they move, and others
    /// that read these keys? Those must find in them what is there now.
    pub fn hold(
        &self,
        mut closed: u64,
        (others, read): (&[usize], &[u32]),
        reached: &mut Reached,
        holds: impl Fn(&[u64], &[u64]) -> bool,
    ) -> bool {
        let words = self.own.words;
        let mut reads: SmallVec<[u64; 4]> = SmallVec::from_elem(0, words);
        let none: SmallVec<[u64; 4]> = reads.clone();
        read.iter().for_each(|k| reads[*k as usize / 64] |= 1 << (k % 64));
        loop {
            let rows: SmallVec<[u32; 16]> =
                others.iter().map(|row| self.reach(*row, closed, reached)).collect();
            let written = |word: usize, bits: u64| {
                rows.iter().any(|r| reached.rows.writes[*r as usize * words + word] & bits != 0)
            };
            let opened = (0..self.keys.len()).filter(|n| closed >> n & 1 == 1);
            let opened = opened.filter(|n| written(self.keys[*n].0, self.keys[*n].1));
            let opened = opened.fold(0, |bits, n| bits | 1u64 << n);
            if opened == 0 {
                let changed = (0..words).any(|w| reads[w] != 0 && written(w, reads[w]));
                return !changed
                    && (read.is_empty() || holds(&reads, &none))
                    && rows.iter().all(|r| {
                        let (reads, writes) = reached.rows.row(*r as usize);
                        holds(reads, writes)
                    });
            }
            closed &= !opened;
        }
    }

    /// What may be accessed from a location without going past closed guards: a row of what was reached.
    fn reach(&self, row: usize, closed: u64, reached: &mut Reached) -> u32 {
        if let Some(known) = reached.known.get(&(row as u32, closed)) {
            return *known;
        }
        let new = reached.rows.add(self.own.words);
        let mut seen = std::mem::take(&mut reached.seen);
        seen.clear();
        seen.resize(self.next.len(), false);
        seen[row] = true;
        let mut worklist = vec![row];
        while let Some(r) = worklist.pop() {
            if self.at[r].is_some_and(|g| closed >> g & 1 == 1) {
                continue;
            }
            reached.rows.join_from(new, &self.own, r);
            for &next in &self.next[r] {
                if !std::mem::replace(&mut seen[next], true) {
                    worklist.push(next);
                }
            }
        }
        reached.seen = seen;
        reached.known.insert((row as u32, closed), new as u32);
        new as u32
    }
}

/// The guard at a location with these edges, if it is one.
fn guard(
    (program, points): (&Program, &PointsTo),
    keys: &Keys,
    t: usize,
    edges: &[usize],
    out: &[Vec<usize>],
) -> Option<Guard> {
    let graph = &program.templates[t].graph;
    let [only] = edges else { return None };
    let load = &graph.edges[*only];
    let Op::Load(register, address, kind) = &load.op else { return None };
    let after = load.to.0 as usize;
    if !graph.locations[after].atomic || out[after].is_empty() {
        return None;
    }
    let conditions = out[after].iter().map(|e| match &graph.edges[*e].op {
        Op::Assume(e) if speaks_of(e, register.0) => Some(e.clone()),
        _ => None,
    });
    let conditions: Vec<Expr> = conditions.collect::<Option<_>>()?;
    let (o, k) = sole(program, points, t, address)?;
    let same = |a: IntKind| a == *kind && a == program.templates[t].registers[register.0 as usize].kind;
    let key = keys.of(o.0 as usize, k)?;
    let cell = program.objects[o.0 as usize].cells[k].0;
    let shared = program.owners[o.0 as usize] == Owner::Shared;
    (shared && same(cell)).then_some(Guard {
        cell: (o, k as u32),
        key,
        register: (t as u32, register.0),
        conditions,
    })
}

/// Does the value of an expression depend on nothing but a register?
fn speaks_of(e: &Expr, register: u32) -> bool {
    match e {
        Expr::Const(_) => true,
        Expr::Reg(r) => r.0 == register,
        Expr::Addr(_) | Expr::Func(_) | Expr::SelfId => false,
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => speaks_of(a, register),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => speaks_of(a, register) && speaks_of(b, register),
    }
}

fn is_closed(machine: &Machine<'_>, guard: &Guard, value: i128) -> bool {
    if value == UNCHOSEN {
        return false;
    }
    let program = machine.program();
    let (template, register) = guard.register;
    let mut registers = vec![0; program.templates[template as usize].registers.len()];
    registers[register as usize] = value;
    let env = Env {
        registers: &registers,
        self_id: 0,
        bases: &program.bases,
        function_bases: &program.function_bases,
        signed_wraps: program.signed_wraps,
    };
    guard.conditions.iter().all(|c| eval(c, &env) == Ok(0))
}
