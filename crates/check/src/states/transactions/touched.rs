//! Cells that transactions from one state touch, and whether one is in another's way.

/// What a step of a transaction does to a shared cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Touch {
    /// By number among the shared cells.
    pub cell: u32,
    /// The thread, by its place in the state.
    pub thread: u32,
    pub template: u32,
    pub edge: u32,
    pub writes: bool,
    /// Other threads may move after the step.
    pub switches: bool,
    /// How many steps the thread had done before.
    pub after: u64,
}

impl Touch {
    /// Is it the same, but for when?
    fn is_like(&self, other: &Touch) -> bool {
        Touch { after: other.after, ..*self } == *other
    }
}

/// All touches from one state.
#[derive(Default)]
pub(super) struct Touches(Vec<Touch>);

impl Touches {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one. Loops touch the same cells again and again: room is made from time to time.
    pub fn push(&mut self, touch: Touch) {
        if self.0.len() == self.0.capacity() {
            self.tidy();
        }
        self.0.push(touch);
    }

    fn tidy(&mut self) {
        self.0.sort_unstable();
        self.0.dedup_by(|later, first| later.is_like(first));
        let half = self.0.capacity() / 2;
        if self.0.len() > half {
            self.0.reserve(self.0.capacity());
        }
    }

    /// Of each thread the first quiet step that another thread's step is in the way of, as template and edge; each once. What comes
    /// later may be no conflict any more where the thread switches before.
    pub fn conflicts(&mut self) -> Vec<(u32, u32)> {
        self.tidy();
        let mut first: Vec<Touch> = Vec::new();
        for of_cell in self.0.chunk_by(|a, b| a.cell == b.cell) {
            let one = of_cell[0].thread;
            if of_cell.iter().all(|t| t.thread == one) || of_cell.iter().all(|t| !t.writes) {
                continue;
            }
            for quiet in of_cell.iter().filter(|t| !t.switches) {
                let hinders = |t: &Touch| t.thread != quiet.thread && (t.writes || quiet.writes);
                if !of_cell.iter().any(hinders) {
                    continue;
                }
                match first.iter_mut().find(|t| t.thread == quiet.thread) {
                    Some(known) if known.after <= quiet.after => {}
                    Some(known) => *known = *quiet,
                    None => first.push(*quiet),
                }
            }
        }
        let mut found: Vec<(u32, u32)> = first.iter().map(|t| (t.template, t.edge)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Touch, Touches};

    fn conflicts(list: &[(u32, u32, bool, bool)]) -> Vec<(u32, u32)> {
        let mut all = Touches::default();
        for (edge, (cell, thread, writes, switches)) in (0u32..).zip(list) {
            let (cell, thread, writes, switches) = (*cell, *thread, *writes, *switches);
            all.push(Touch {
                cell,
                thread,
                template: thread,
                edge,
                writes,
                switches,
                after: u64::from(edge),
            });
        }
        all.conflicts()
    }

    #[test]
    fn quiet_steps_conflict_with_writes_and_are_conflicts_where_they_write() {
        // Cell, thread, does it write, may others move after it?
        assert_eq!(conflicts(&[(7, 0, true, false), (7, 0, false, false)]), []);
        assert_eq!(conflicts(&[(7, 0, false, false), (7, 1, false, false)]), []);
        assert_eq!(conflicts(&[(7, 0, true, false), (8, 1, true, false)]), []);
        assert_eq!(conflicts(&[(7, 0, true, true), (7, 1, true, true)]), []);
        assert_eq!(conflicts(&[(7, 0, true, false), (7, 1, false, false)]), [(0, 0), (1, 1)]);
        assert_eq!(conflicts(&[(7, 0, true, false), (7, 1, false, true)]), [(0, 0)]);
        assert_eq!(
            conflicts(&[(7, 0, false, false), (7, 1, true, true), (7, 2, false, false)]),
            [(0, 0), (2, 2)]
        );
    }
}
