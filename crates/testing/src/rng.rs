//! Random numbers for tests: SplitMix64 (Steele, Lea, Flood 2014).

/// A stream of numbers fixed by its seed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }
    /// The next number, of all 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n` (0 if `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n.max(1) as u64) as usize
    }
    /// True in that many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
    /// One of a list.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Number of cases to run: the environment's `RELYANT_CASES`, or the default; with `RELYANT_WHOLE` (`scripts/test all`)
/// three times the default.
pub fn cases(default: u64) -> u64 {
    let asked = std::env::var("RELYANT_CASES").ok().and_then(|v| v.parse().ok());
    let whole = std::env::var_os("RELYANT_WHOLE").is_some();
    asked.unwrap_or(if whole { 3 * default } else { default })
}
