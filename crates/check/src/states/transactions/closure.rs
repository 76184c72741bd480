//! Is a set of states closed under transactions?

use super::Switches;
use super::explorer::{Explorer, Obstacle};
use super::known::Transactions;
use crate::states::cover::describe;
use crate::states::{Looks, Rejection, Space};
use relyant_interp::machine::State;
use relyant_interp::normal::Scratch;
use relyant_interp::observe::Needs;

/// Checks states; one for each worker.
pub(in crate::states) struct Closure<'t, 'p> {
    transactions: &'t Transactions<'p>,
    switches: &'t Switches,
    space: &'t Space,
    explorer: Explorer<'t, 'p>,
    scratch: Scratch,
    bytes: Vec<u8>,
}

impl<'t, 'p> Closure<'t, 'p> {
    pub fn new(
        transactions: &'t Transactions<'p>,
        switches: &'t Switches,
        space: &'t Space,
        most: u64,
    ) -> Self {
        let explorer = Explorer::new(transactions, most);
        Closure { transactions, switches, space, explorer, scratch: Scratch::default(), bytes: Vec::new() }
    }
}

impl Looks for Closure<'_, '_> {
    fn covers_start(&mut self, state: &State, met: &mut dyn FnMut(u32)) -> Result<bool, Rejection> {
        self.transactions.normal().pack(state, &mut self.scratch, &mut self.bytes);
        let found = self.space.find(&self.bytes);
        found.into_iter().for_each(met);
        Ok(found.is_some())
    }

    fn expand(&mut self, number: u32, state: &mut State, met: &mut dyn FnMut(u32)) -> Result<(), Rejection> {
        let Closure { transactions, switches, space, explorer, scratch, bytes } = self;
        transactions.normal().unpack(space.get(number), state);
        let mut outside = None;
        let went = explorer.expand(state, switches, &mut |after, thread, _| {
            transactions.normal().pack(after, scratch, bytes);
            match space.find(bytes) {
                Some(i) => met(i),
                None => outside = outside.or(Some(thread)),
            }
        });
        match (went, outside) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(thread)) => {
                Err(Rejection::NotCovered { what: describe(&transactions.facts.machine, state, thread) })
            }
            (Err(Obstacle::Rejected(r)), _) => Err(r),
            (Err(Obstacle::Long(_)), _) => Err(Rejection::Fuel),
            (Err(Obstacle::Conflict(_)), _) => {
                Err(Rejection::Incomplete("threads are in each other's way between two switches"))
            }
        }
    }

    fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.explorer.steps)
    }

    fn needs(&self) -> Needs {
        self.explorer.needs.clone()
    }
}
