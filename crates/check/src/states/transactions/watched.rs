//! What a thread could say before an access, and what others look for.
//!
//! A register that holds what was loaded from a watch is 0 in the runs at hand, and would be an address if another thread
//! waited. It may be compared in a condition, and nothing else: what is looked for is that a condition holds with the address
//! which does not hold with 0. All other uses of the register are refused.

use relyant_cfa::{Expr, Reg};
use relyant_interp::eval::{Env, eval};
use relyant_interp::live::for_each_register;

/// Registers that hold what watches held, each with the number of its watch.
pub(super) type Loaded = Vec<(Reg, u8)>;

/// A thread could say that it is about to access an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wait {
    pub thread: u32,
    /// In which watch.
    pub watch: u8,
    pub address: i128,
}

/// A condition that does not hold as long as a watch is empty.
pub(super) struct Look<'p> {
    pub thread: u32,
    pub watch: u8,
    /// Which register holds what the watch holds.
    pub register: Reg,
    pub condition: &'p Expr,
    /// The thread's registers.
    pub registers: Vec<i128>,
}

impl Look<'_> {
    /// Would it hold, or could it not be told, if the watch held an address? `env` has other registers.
    fn holds(&mut self, address: i128, env: &Env<'_>) -> bool {
        let Some(r) = self.registers.get_mut(self.register.0 as usize) else { return true };
        *r = address;
        let env = Env { registers: &self.registers, self_id: i128::from(self.thread) + 1, ..*env };
        eval(self.condition, &env) != Ok(0)
    }
}

/// Waits and looks of the transactions from one state.
#[derive(Default)]
pub(super) struct Watched<'p> {
    pub waits: Vec<Wait>,
    pub looks: Vec<Look<'p>>,
}

impl Watched<'_> {
    pub fn clear(&mut self) {
        self.waits.clear();
        self.looks.clear();
    }

    /// How many comparisons there are.
    pub fn size(&mut self) -> u64 {
        self.waits.sort_unstable();
        self.waits.dedup();
        self.waits.len() as u64 * self.looks.len() as u64
    }

    /// What one thread could say and another one, which comes second, would see.
    pub fn meet(&mut self, env: &Env<'_>) -> Option<(Wait, usize)> {
        let Watched { waits, looks } = self;
        looks.iter_mut().find_map(|look| {
            let (watch, thread) = (look.watch, look.thread);
            let mut others = waits.iter().filter(|w| w.watch == watch && w.thread != thread);
            let seen = others.find(|w| look.holds(w.address, env))?;
            Some((*seen, look.thread as usize))
        })
    }
}

/// Which of these registers an expression reads.
pub(super) fn read(loaded: &Loaded, e: &Expr) -> Vec<(Reg, u8)> {
    let mut found = Vec::new();
    for_each_register(e, &mut |r| found.extend(loaded.iter().filter(|x| x.0 == r)));
    found.sort_unstable();
    found.dedup();
    found
}
