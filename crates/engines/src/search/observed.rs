//! Searches that find out which values of inputs matter: again and again, with the points that the last one lacked.

use super::account::Account;
use super::{SearchOutcome, Settings, Stats, attempt};
use relyant_cfa::Program;
use relyant_interp::machine::Stop;
use relyant_interp::observe::{Observer, Points};

/// Searches that are tried at most, each with more points.
const ROUNDS: usize = 40;

/// Searches with more and more points; `None` when that leads nowhere. `before` is what was done before.
///
/// States that subsume smaller ones would hide what is compared in those, and handles that change places what an
/// input is compared with: there is neither.
pub(super) fn search(
    program: &Program,
    settings: &Settings,
    account: &Account<'_>,
    before: Stats,
) -> Result<Option<(SearchOutcome, Stats)>, Stop> {
    let observer = Observer::new(program);
    let settings = Settings { subsumption: false, symmetry: false, ..*settings };
    let mut points = Points::new();
    let mut steps = before.steps;
    for _ in 0..ROUNDS {
        let within = Settings { max_steps: settings.max_steps.saturating_sub(steps), ..settings };
        let ((outcome, stats), needs) =
            attempt(program, &within, &account.after(steps), Some((&observer, &points)))?;
        steps += stats.steps;
        let stats = Stats { steps, ..stats };
        match outcome {
            SearchOutcome::Exhausted(_) if !needs.is_empty() => match observer.grow(&points, &needs) {
                Some(more) if more != points => points = more,
                _ => return Ok(None),
            },
            other => return Ok(Some((other, stats))),
        }
    }
    Ok(None)
}
