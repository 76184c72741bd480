//! What a random run draws for the steps of a thread.

use fastrand::Rng;

/// Draws of the steps of one run, and of its inputs.
pub(super) struct Draws {
    rng: Rng,
    /// Inputs that are to be the same often are: many are this one of their values.
    favourite: u32,
    /// So many of eight, in some runs more than in others.
    faith: u32,
    /// Edges to draw from.
    pub edges: Vec<u32>,
    /// There was something to draw.
    pub chose: bool,
}

impl Draws {
    pub fn new(seed: u64) -> Draws {
        let mut rng = Rng::with_seed(seed);
        let (favourite, faith) = (rng.u32(..), if rng.bool() { 4 } else { 7 });
        Draws { rng, favourite, faith, edges: Vec::new(), chose: false }
    }

    /// One of the edges that were not drawn yet.
    pub fn edge(&mut self) -> Option<u32> {
        match self.edges.len() {
            0 | 1 => self.edges.pop(),
            n => {
                self.chose = true;
                Some(self.edges.swap_remove(self.rng.usize(..n)))
            }
        }
    }

    /// One of so many values.
    pub fn choice(&mut self, choices: u32) -> u32 {
        self.chose |= choices > 1;
        match choices {
            0 | 1 => 0,
            n if self.rng.u32(..8) < self.faith => self.favourite % n,
            n => self.rng.u32(..n),
        }
    }
}
