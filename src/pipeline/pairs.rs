//! All pairs of accesses that race: once there is one race, each pair that may race is looked at alone, in a short search.

use super::{Settings, Verdict, short_search};
use relyant_cfa::Use;
use relyant_cfa::options::Options;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c;
use relyant_frontend::c::unit::Unit;
use relyant_interp::{RacingAccess, Trace};

/// Pairs that are looked at.
const MOST: usize = 64;

/// Pairs of accesses that race.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// The accesses of each, from a run that was replayed.
    pub pairs: Vec<Vec<RacingAccess>>,
    /// The runs to the pairs after the first one, in their order.
    pub runs: Vec<Trace>,
    /// So many pairs may race besides: the short search told nothing.
    pub open: usize,
}

/// The other pairs than the first one.
pub(super) fn all(
    unit: Unit<'_>,
    settings: &Settings,
    run: &RunHandle,
    pairs: usize,
    first: &[RacingAccess],
) -> Races {
    let mut races = Races { pairs: vec![first.to_vec()], ..Races::default() };
    for k in 0..pairs {
        if k >= MOST || run.stopped() {
            races.open += pairs - k;
            break;
        }
        let meaning = Options { race_pair: Some(k), ..settings.meaning.clone() };
        let Ok(search) =
            c::load(unit, &meaning).and_then(|m| relyant_frontend::programs::for_search(&m, &meaning))
        else {
            races.open += 1;
            continue;
        };
        let found = short_search(&search, settings, run);
        match found.verdict {
            Some(Verdict::Unsafe { trace, .. }) if !trace.accesses.is_empty() => {
                if !races.pairs.iter().any(|p| key(p) == key(&trace.accesses)) {
                    races.pairs.push(trace.accesses.clone());
                    races.runs.push(*trace);
                }
            }
            Some(Verdict::Safe(_)) => {}
            _ => races.open += 1,
        }
    }
    races
}

/// Where the accesses are, in any order.
fn key(pair: &[RacingAccess]) -> Vec<(&str, u32, u32, Use)> {
    let mut places: Vec<_> = pair.iter().map(|a| (a.file.as_str(), a.line, a.column, a.access)).collect();
    places.sort_unstable();
    places
}
