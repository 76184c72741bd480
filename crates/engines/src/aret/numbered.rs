//! Values by number, in the order in which they were first met.

use rustc_hash::FxHashMap;

/// Values and their numbers.
pub struct Numbered<T> {
    /// The values.
    pub list: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    /// None yet.
    pub fn new() -> Numbered<T> {
        Numbered { list: Vec::new(), numbers: FxHashMap::default() }
    }
    /// The number of a value, a new one if it has none.
    pub fn number(&mut self, x: &T) -> u32 {
        if let Some(n) = self.numbers.get(x) {
            return *n;
        }
        let n = self.list.len() as u32;
        self.list.push(x.clone());
        self.numbers.insert(x.clone(), n);
        n
    }
}

impl<T: Clone + Eq + std::hash::Hash> Default for Numbered<T> {
    fn default() -> Self {
        Numbered::new()
    }
}
