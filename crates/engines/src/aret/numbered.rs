//! Values by number, in the order in which they were first met.

use rustc_hash::FxHashMap;

/// Values and their numbers; each once.
pub struct Numbered<T> {
    /// By number; it only grows, so that numbers stay.
    pub list: Vec<T>,
    /// The inverse of `list`.
    numbers: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    /// No values; the first one gets number 0.
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
