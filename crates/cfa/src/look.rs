//! How runs show objects to people.

use crate::Precision;
use std::sync::Arc;

/// How an object is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// How each cell is; cells beyond are [`Shown::Plain`].
    pub cells: Vec<Shown>,
    /// It is a block of dynamic memory, or says of all blocks of one place whether they were made or given back.
    pub block: Option<Block>,
    /// Where leaks are looked for: what it leads to when the program ends is not lost.
    pub lasting: bool,
}

/// Blocks of dynamic memory that one place makes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Block {
    /// Number of the place.
    pub site: u32,
    /// Which of its blocks, from 1; 0 for the object that counts them, and the one whose cell `k - 1` says whether block `k` was given back.
    pub number: u32,
    /// What blocks of its type are called: a record's tag, `int`.
    pub stem: String,
}

/// What the value of a cell says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Shown {
    /// A number.
    #[default]
    Plain,
    /// An address.
    Pointer,
    /// A floating-point number, by its bits.
    Float(Precision),
    /// One of these, by name.
    Enumerators(Arc<[(String, i128)]>),
    /// Who holds a lock alone: a thread's handle, or 0.
    Owner,
    /// How many threads hold a lock together.
    Readers,
    /// How many threads wait for a condition variable.
    Waiting,
    /// How many of them are woken and have not gone on.
    Woken,
    /// How many times a semaphore can be taken.
    Available,
    /// How many threads have come to a barrier.
    Arrived,
    /// Was the block given back?
    Freed,
    /// How many blocks of a place were made.
    Made,
    /// Nothing that people would ask for.
    Hidden,
}

impl Shown {
    /// Is it no value of the program's own?
    pub fn is_model(&self) -> bool {
        !matches!(self, Shown::Plain | Shown::Pointer | Shown::Float(_) | Shown::Enumerators(_))
    }
}

impl Look {
    /// What a cell says.
    pub fn of(&self, cell: u32) -> &Shown {
        self.cells.get(cell as usize).unwrap_or(&Shown::Plain)
    }
}
