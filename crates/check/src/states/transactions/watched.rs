//! What a thread could say before an access, and what others look for.
//!
//! A register that holds what was loaded from a watch is 0 in the runs at hand, and would be an address if another thread
//! waited. It may be compared in a condition, and nothing else: what is looked for is that a condition holds with the address
//! which does not hold with 0. All other uses of the register are refused.

use relyant_cfa::{CmpOp, Expr, Reg};
use relyant_interp::eval::{Env, eval};
use relyant_interp::live::for_each_register;

/// Registers that hold what watches held, each with the number of its watch.
pub(super) type Loaded = Vec<(Reg, u8)>;

/// A thread could say that it is about to access an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wait {
    /// In which watch.
    pub watch: u8,
    pub address: i128,
    pub thread: u32,
}

/// A condition that does not hold as long as a watch is empty.
pub(super) struct Look<'p> {
    pub thread: u32,
    pub watch: u8,
    pub sees: Sees<'p>,
}

/// With what in a watch a condition holds.
pub(super) enum Sees<'p> {
    /// This address.
    Address(i128),
    /// What makes the condition hold in the place of a register.
    Condition {
        condition: &'p Expr,
        register: Reg,
        /// The thread's registers.
        registers: Vec<i128>,
    },
}

impl<'p> Sees<'p> {
    /// Of a condition that reads a register, which holds what the watch holds.
    pub fn new(condition: &'p Expr, register: Reg, env: &Env<'_>) -> Sees<'p> {
        let held = Expr::Reg(register);
        if let Expr::Compare(CmpOp::Eq, a, b) = condition {
            let other = if **a == held { b } else { a };
            let mut reads = 0;
            for_each_register(condition, &mut |r| reads += u32::from(r == register));
            if let (true, 1, Ok(address)) = (**a == held || **b == held, reads, eval(other, env)) {
                return Sees::Address(address);
            }
        }
        Sees::Condition { condition, register, registers: env.registers.to_vec() }
    }
}

impl Look<'_> {
    /// Which of these addresses it would see, or may see. `env` has other registers.
    fn seen<'w>(&mut self, mut waits: impl Iterator<Item = &'w Wait>, env: &Env<'_>) -> Option<&'w Wait> {
        let self_id = i128::from(self.thread) + 1;
        match &mut self.sees {
            Sees::Address(address) => waits.find(|w| w.address == *address),
            Sees::Condition { condition, register, registers } => waits.find(|w| {
                let Some(r) = registers.get_mut(register.0 as usize) else { return true };
                *r = w.address;
                eval(condition, &Env { registers, self_id, ..*env }) != Ok(0)
            }),
        }
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

    /// How much work it is to compare them.
    pub fn work(&mut self) -> u64 {
        self.waits.sort_unstable();
        self.waits.dedup();
        let compared = |look: &Look<'_>| match look.sees {
            Sees::Address(_) => 1,
            Sees::Condition { .. } => self.waits.len() as u64,
        };
        self.looks.iter().map(compared).sum::<u64>() / 4
    }

    /// What one thread could say and another one, which comes second, would see. Asked after [`Watched::work`].
    pub fn meet(&mut self, env: &Env<'_>) -> Option<(Wait, usize)> {
        let Watched { waits, looks } = self;
        looks.iter_mut().find_map(|look| {
            let (watch, thread) = (look.watch, look.thread);
            // Waits are in order: of one watch by address.
            let first = waits.partition_point(|w| w.watch < watch);
            let last = waits.partition_point(|w| w.watch <= watch);
            let mut of_watch = &waits[first..last];
            if let Sees::Address(a) = look.sees {
                let first = of_watch.partition_point(|w| w.address < a);
                let last = of_watch.partition_point(|w| w.address <= a);
                of_watch = &of_watch[first..last];
            }
            let seen = look.seen(of_watch.iter().filter(|w| w.thread != thread), env)?;
            Some((*seen, thread as usize))
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
