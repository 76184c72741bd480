//! Heuristics that look for a pattern, each of which can be left out to measure what it is good for
//! (`relyant bench --recognisers`, `docs/RECOGNISERS.md`).

use std::fmt;
use std::str::FromStr;

/// A heuristic that only looks for a pattern.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Recogniser {
    /// Ghosts for owners of locks ([`crate::ghosts::owners`]).
    Owners,
    /// Ghosts that count threads ([`crate::ghosts::counts`]), and predicates about them.
    Counts,
    /// Ghosts for divisibility by unknown numbers ([`crate::ghosts::divisors`]).
    Divisors,
    /// Ghosts of two threads that do the same ([`crate::ghosts::twins`]).
    Twins,
    /// Large constants as parameters.
    Parameters,
    /// Guards as first predicates.
    Guards,
    /// Counters that hand out each value once.
    Tickets,
    /// Equalities of loops as first predicates.
    Equalities,
    /// Ghosts for products of two variables ([`crate::ghosts::products`]).
    Products,
    /// Ghosts that people wrote ([`crate::ghosts::given`]).
    Given,
}

/// All of them, with their names on the command line.
const NAMES: [(Recogniser, &str); 10] = [
    (Recogniser::Owners, "owners"),
    (Recogniser::Counts, "counts"),
    (Recogniser::Divisors, "divisors"),
    (Recogniser::Twins, "twins"),
    (Recogniser::Parameters, "parameters"),
    (Recogniser::Guards, "guards"),
    (Recogniser::Tickets, "tickets"),
    (Recogniser::Equalities, "equalities"),
    (Recogniser::Products, "products"),
    (Recogniser::Given, "given"),
];

impl Recogniser {
    /// All of them, in the order of their names' list.
    pub fn all() -> impl Iterator<Item = Recogniser> {
        NAMES.iter().map(|n| n.0)
    }
}

impl fmt::Display for Recogniser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(NAMES.iter().find(|n| n.0 == *self).map_or("", |n| n.1))
    }
}

/// It names no heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is one of {}", NAMES.map(|n| n.1).join(", "))]
pub struct NoRecogniser;

impl FromStr for Recogniser {
    type Err = NoRecogniser;
    fn from_str(text: &str) -> Result<Recogniser, NoRecogniser> {
        let found = NAMES.iter().find(|n| n.1 == text).map(|n| n.0);
        found.ok_or(NoRecogniser)
    }
}

/// Which of them are used: all, unless some are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recognisers {
    /// A bit for each that is left out, by its place in the list.
    out: u16,
}

impl Recognisers {
    /// All but these: for measuring what each is good for.
    pub fn without(these: &[Recogniser]) -> Recognisers {
        Recognisers { out: these.iter().fold(0, |out, r| out | 1 << *r as u16) }
    }
    /// None of them.
    pub fn none() -> Recognisers {
        Recognisers::without(&Recogniser::all().collect::<Vec<_>>())
    }
    /// The same without this one, too.
    pub fn and_without(self, r: Recogniser) -> Recognisers {
        Recognisers { out: self.out | 1 << r as u16 }
    }
    /// Is this one used?
    pub fn has(self, r: Recogniser) -> bool {
        self.out >> r as u16 & 1 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for r in Recogniser::all() {
            assert_eq!(r.to_string().parse(), Ok(r));
            let rest = Recognisers::without(&[r]);
            assert!(Recogniser::all().all(|s| rest.has(s) == (r != s)));
            assert_eq!(Recognisers::default().and_without(r), rest);
            assert_eq!(rest.and_without(Recogniser::Twins), Recognisers::without(&[r, Recogniser::Twins]));
        }
        assert!("none".parse::<Recogniser>().is_err());
    }
}
