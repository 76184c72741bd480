//! The threads of a Boolean program by number, for searches.

use super::bits::Bits;
use super::future::{Access, Future};
use super::machine::{Machine, Successor, Thread, TooMany};
use super::program::Stmt;
use crate::moves::{Move, Template};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// Values by number, from 0 in the order in which they were first met; each once.
#[derive(Clone, Debug)]
pub struct Numbers<T> {
    /// The inverse of `values`.
    ids: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { ids: FxHashMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    /// The number of a value.
    pub fn number(&mut self, v: T) -> u32 {
        if let Some(id) = self.ids.get(&v) {
            return *id;
        }
        let id = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(v.clone());
        self.ids.insert(v, id);
        id
    }
    /// The value of a number.
    pub fn get(&self, id: u32) -> Option<&T> {
        self.values.get(id as usize)
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// A Boolean program's threads.
pub struct Threads<'p> {
    machine: Machine<'p>,
    future: Future,
    /// Shared valuations that were met.
    pub shared: Numbers<Bits>,
    /// Local states of threads that were met.
    pub locals: Numbers<Thread>,
    /// By shared and local number: the moves of such a thread, once they were asked for.
    memo: FxHashMap<(u32, u32), Rc<[Move]>>,
    ever: FxHashMap<u32, Option<Rc<Access>>>,
}

impl<'p> Threads<'p> {
    /// Those of a machine's program.
    pub fn new(machine: Machine<'p>) -> Threads<'p> {
        Threads {
            machine,
            future: Future::new(machine.program()),
            shared: Numbers::default(),
            locals: Numbers::default(),
            memo: FxHashMap::default(),
            ever: FxHashMap::default(),
        }
    }
    /// The machine whose steps these are.
    pub fn machine(&self) -> Machine<'p> {
        self.machine
    }
    /// The outcome that a move stands for; `None` if there is no such number.
    pub fn outcome(&self, m: &Move) -> Option<Successor> {
        let thread = |id: Option<u32>| id.map(|l| self.locals.get(l).cloned());
        Some(Successor {
            shared: self.shared.get(m.shared)?.clone(),
            thread: thread(m.local).map_or(Some(None), |t| t.map(Some))?,
            spawned: thread(m.spawned).map_or(Some(None), |t| t.map(Some))?,
            failed: m.failed,
        })
    }
    fn ever(&mut self, local: u32) -> Option<Rc<Access>> {
        if let Some(a) = self.ever.get(&local) {
            return a.clone();
        }
        let p = self.machine.program();
        let a = self.locals.get(local).and_then(|t| self.future.of_thread(p, t)).map(Rc::new);
        self.ever.insert(local, a.clone());
        a
    }
}

impl Template for Threads<'_> {
    type Error = TooMany;

    fn initial(&mut self) -> Result<Vec<(u32, u32)>, TooMany> {
        let all = self.machine.initial()?;
        Ok(all.into_iter().map(|(s, t)| (self.shared.number(s), self.locals.number(t))).collect())
    }

    fn moves(&mut self, shared: u32, local: u32) -> Result<Rc<[Move]>, TooMany> {
        if let Some(m) = self.memo.get(&(shared, local)) {
            return Ok(Rc::clone(m));
        }
        let steps = match (self.shared.get(shared), self.locals.get(local)) {
            (Some(s), Some(t)) => self.machine.steps(s, t)?,
            _ => Vec::new(),
        };
        let moves: Rc<[Move]> = steps
            .into_iter()
            .map(|o| Move {
                shared: self.shared.number(o.shared),
                local: o.thread.map(|t| self.locals.number(t)),
                spawned: o.spawned.map(|t| self.locals.number(t)),
                failed: o.failed,
            })
            .collect();
        self.memo.insert((shared, local), Rc::clone(&moves));
        Ok(moves)
    }

    fn alone(&mut self, shared: u32, locals: &[(u32, u32)]) -> Result<Option<usize>, TooMany> {
        for (i, (l, n)) in locals.iter().enumerate() {
            let Some(node) = self.locals.get(*l).and_then(|t| t.frames.last()).map(|f| f.node as usize)
            else {
                continue;
            };
            // A section that begins keeps all others from running.
            let begins = matches!(self.machine.program().nodes[node].stmt, Stmt::AtomicBegin);
            if begins || self.future.cut_points[node] || self.moves(shared, *l)?.is_empty() {
                continue;
            }
            let mut free = true;
            for (j, (m, _)) in locals.iter().enumerate() {
                if i == j && *n == 1 {
                    continue;
                }
                let Some(ever) = self.ever(*m) else { return Ok(None) };
                if self.future.now[node].conflicts(&ever) {
                    free = false;
                    break;
                }
            }
            if free {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }
}
