//! What memory holds, told from the pointers that it is seen through. Where it cannot be told at once, that is
//! tried again: with copies of all functions that handle addresses, and with gates before those that see objects as one type.

use super::lower::Res;
use super::settle::{Settled, settle};
use super::translation::Translation;
use super::wrappers::Copying;
use crate::races::Access;
use relyant_cfa::{FuncId, Module};

/// Of programs with more edges than this nothing is tried again.
const MOST_EDGES: usize = 6000;

/// What became of a module whose memory is told.
pub struct Told {
    /// Functions that are copies, and of what.
    pub copies: Vec<(FuncId, FuncId)>,
    /// Accesses of memory functions that were written.
    pub accesses: Vec<(FuncId, Vec<Access>)>,
    /// Places whose blocks are a limit, or hold any numbers.
    lost: usize,
}

/// Decides what memory holds; refuses what is seen in ways that are not followed.
pub fn tell(module: &mut Module, unit: &mut Translation) -> Res<Told> {
    let edges: usize = module.functions.iter().map(|f| f.graph.edges.len()).sum();
    if edges > MOST_EDGES {
        return attempt(module, unit, Copying::Wrappers);
    }
    let before = (module.clone(), unit.memory.clone(), unit.objects.types.clone());
    let mut best = attempt(module, unit, Copying::Wrappers);
    for which in [Copying::Addresses, Copying::AddressesGated] {
        if matches!(&best, Ok(t) if t.lost == 0) {
            break;
        }
        let (mut again, memory, variables) = before.clone();
        let kept = (
            std::mem::replace(&mut unit.memory, memory),
            std::mem::replace(&mut unit.objects.types, variables),
        );
        let next = attempt(&mut again, unit, which);
        let better = match (&best, &next) {
            (Ok(a), Ok(b)) => b.lost < a.lost,
            (Err(_), Ok(_)) => true,
            _ => false,
        };
        if better {
            (*module, best) = (again, next);
        } else {
            (unit.memory, unit.objects.types) = kept;
        }
    }
    best
}

fn attempt(module: &mut Module, unit: &mut Translation, which: Copying) -> Res<Told> {
    let Settled { copies, lost } = settle(module, unit, which)?;
    let accesses = super::untyped::write(module, unit)?;
    super::views::check(module, unit)?;
    Ok(Told { copies, accesses, lost })
}
