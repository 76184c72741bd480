//! What a search left out.

/// What was left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cut {
    /// Inputs of which not all values were tried.
    pub inputs: bool,
    /// Steps with numbers too large for the machine.
    pub large: bool,
    /// Atomic sections too long.
    pub long: bool,
    /// Calls whose stacks would be too deep.
    pub stack: bool,
    /// A bound of the program itself (template and location).
    pub limit: Option<(u32, u32)>,
    /// Steps of undefined behaviour: the run ends there. Where states subsume smaller ones, those may go on.
    pub undefined: bool,
}

impl Cut {
    /// Notes what was left out elsewhere, too.
    pub fn add(&mut self, other: Cut) {
        self.inputs |= other.inputs;
        self.large |= other.large;
        self.long |= other.long;
        self.stack |= other.stack;
        self.limit = self.limit.into_iter().chain(other.limit).min();
        self.undefined |= other.undefined;
    }
    /// Was anything left out? Undefined behaviour is not: those runs end.
    pub fn any(&self) -> bool {
        *self != Cut { undefined: self.undefined, ..Cut::default() }
    }
}
