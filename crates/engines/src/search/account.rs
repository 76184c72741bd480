//! The work of a search that may consist of several, one after the other.

use super::Stats;
use crate::watch::{Standing, Watch};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts up: a search that starts anew tells of work only once it has done more than the one before.
pub(super) struct Account<'a> {
    watch: &'a Watch<'a>,
    /// Steps of all searches that were told.
    told: &'a AtomicU64,
    /// Steps of the searches before this one.
    before: u64,
    /// Nobody hears how far it has come.
    quiet: bool,
}

impl<'a> Account<'a> {
    /// For the first search, with a counter that stands at zero.
    pub(super) fn new(watch: &'a Watch<'a>, told: &'a AtomicU64) -> Account<'a> {
        Account { watch, told, before: 0, quiet: false }
    }

    /// For a search that comes after so many steps of this one.
    pub(super) fn after(&self, steps: u64) -> Account<'a> {
        Account { before: self.before.saturating_add(steps), ..*self }
    }

    /// The same, without news of how far it has come.
    pub(super) fn quiet(self) -> Account<'a> {
        Account { quiet: true, ..self }
    }

    /// Has somebody asked to stop?
    pub(super) fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }

    /// Tells how far this search has come.
    pub(super) fn tell(&self, stats: &Stats) {
        if !self.quiet {
            (self.watch.progress)(&Standing::Searched(*stats));
        }
        let now = self.before.saturating_add(stats.steps);
        let before = self.told.fetch_max(now, Ordering::Relaxed);
        if before < now {
            (self.watch.work)(now - before);
        }
    }
}
