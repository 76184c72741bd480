//! Steps of concrete configurations.

use super::{Config, Counts, Local, Transition};

/// How many of the threads in `from` go to `to`, where a transfer leaves the choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Split {
    /// The local state that they are in.
    pub from: Local,
    /// The local state that they go to, one of those that the transfer allows.
    pub to: Local,
    /// How many threads do so.
    pub count: u32,
}

/// Why a step is not possible.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// The configuration has this shared state, which is another one.
    #[error("the shared state is {0}")]
    Shared(u32),
    /// There are fewer threads in this local state than the step takes.
    #[error("too few threads in local state {0}")]
    Missing(Local),
    /// A thread where none may be.
    #[error("a thread in local state {0}")]
    Present(Local),
    /// Choices that do not fit the transfers.
    #[error("threads in local state {0} cannot be transferred so")]
    Split(Local),
    /// Numbers out of range.
    #[error("too many threads")]
    TooMany,
}

impl Transition {
    /// The configuration after this step, with the choices of transfers as in `splits`: those not mentioned go to the
    /// first that they may go to.
    pub fn fire(&self, c: &Config, splits: &[Split]) -> Result<Config, Misfit> {
        if c.shared != self.from {
            return Err(Misfit::Shared(c.shared));
        }
        if let Some((l, _)) = self.take.iter().find(|(l, n)| c.locals.get(*l) < *n) {
            return Err(Misfit::Missing(l));
        }
        let rest = c.locals.without(&self.take);
        if let Some(l) = self.absent.iter().find(|l| rest.get(**l) > 0) {
            return Err(Misfit::Present(*l));
        }
        let mut after = self.put.clone();
        for (l, mut n) in rest.iter() {
            let Some(t) = self.transfer(l) else {
                after.add(l, n).ok_or(Misfit::TooMany)?;
                continue;
            };
            for s in splits.iter().filter(|s| s.from == l) {
                if t.to.binary_search(&s.to).is_err() || s.count > n {
                    return Err(Misfit::Split(l));
                }
                n -= s.count;
                after.add(s.to, s.count).ok_or(Misfit::TooMany)?;
            }
            if let Some(to) = t.to.first() {
                after.add(*to, n).ok_or(Misfit::TooMany)?;
            }
        }
        if let Some(s) = splits.iter().find(|s| s.count > 0 && rest.get(s.from) == 0) {
            return Err(Misfit::Split(s.from));
        }
        Ok(Config::new(self.to, after))
    }

    /// All configurations after this step; `None` if there are more than `limit`. For tests and small systems.
    pub fn successors(&self, c: &Config, limit: usize) -> Option<Vec<Config>> {
        // nothing chosen: a step that fits at all
        if self.fire(c, &[]).is_err() {
            return Some(Vec::new());
        }
        let rest = c.locals.without(&self.take);
        let mut partial: Vec<Counts> = vec![self.put.clone()];
        for (l, n) in rest.iter() {
            let stay = [l];
            let to: &[Local] = self.transfer(l).map_or(&stay, |t| &t.to);
            for _ in 0..n {
                if to.is_empty() {
                    continue;
                }
                let mut next = Vec::new();
                for p in &partial {
                    for x in to {
                        let mut q = p.clone();
                        q.add(*x, 1)?;
                        next.push(q);
                    }
                }
                next.sort_unstable();
                next.dedup();
                if next.len() > limit {
                    return None;
                }
                partial = next;
            }
        }
        Some(partial.into_iter().map(|p| Config::new(self.to, p)).collect())
    }
}
