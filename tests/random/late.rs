//! Cells without a value yet, in random small thread programs: the search and the checker of its sets, which choose values
//! when they are loaded, agree with plain exploration, which chooses them at once.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_cfa::{Edge, Expr, InputSource, IntKind, LocationKind, ObjId, Op, Owner, Program, Reg, Register};
use relyant_check::states::{Encoding, Space, StateLimits, check};
use relyant_engines::search::{SearchOutcome, Settings, search};
use relyant_engines::watch::Watch;
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::late::declarations;
use relyant_interp::replay::replay;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::generate;

const STATES: usize = 6_000;

/// Takes the start values of some shared cells away, and declares some of them anew on the way.
pub fn opened(mut program: Program, rng: &mut Rng) -> Program {
    let cells: Vec<(usize, IntKind)> = (0..program.objects.len())
        .filter(|o| program.owners[*o] == Owner::Shared && program.objects[*o].cells.len() == 1)
        .map(|o| (o, program.objects[o].cells[0].0))
        .collect();
    for (o, _) in &cells {
        if rng.percent(40) {
            program.objects[*o].init[0] = None;
        }
    }
    for t in &mut program.templates {
        let edges: Vec<usize> = (0..t.graph.edges.len()).filter(|_| rng.percent(15)).take(2).collect();
        for e in edges {
            if cells.is_empty()
                || t.graph.locations[t.graph.edges[e].to.0 as usize].kind != LocationKind::Normal
            {
                continue;
            }
            let (o, kind) = rng.pick(&cells);
            let register = Reg(t.registers.len() as u32);
            t.registers.push(Register { name: String::new(), kind });
            let Edge { to, span, .. } = t.graph.edges[e].clone();
            let (a, b) = (t.graph.add_location(span), t.graph.add_location(span));
            let atomic = t.graph.locations[to.0 as usize].atomic;
            t.graph.locations[a.0 as usize].atomic = atomic;
            t.graph.locations[b.0 as usize].atomic = atomic;
            t.graph.edges[e].to = a;
            t.graph.add_edge(a, b, Op::Havoc { dst: register, source: InputSource::uninitialised() }, span);
            let address = Expr::Addr(ObjId(o as u32));
            t.graph.add_edge(b, to, Op::Store(address, Expr::Reg(register), kind), span);
        }
    }
    program
}

fn compare(seed: u64) -> Result<(Option<bool>, usize), String> {
    let program = opened(generate(seed).to_program(), &mut Rng::new(seed ^ 0xdec1));
    let late = program.templates.iter().map(|t| declarations(t).len()).sum();
    let options = ExploreOptions { max_states: STATES, ..ExploreOptions::default() };
    let truth = match explore(&program, &options, &|| false).map_err(|e| e.to_string())? {
        Exploration::Violation(_) => Some(true),
        Exploration::Exhausted { complete: true, .. } => Some(false),
        _ => None,
    };
    for (reduction, symmetry) in [(true, true), (false, true), (true, false), (false, false)] {
        let settings = Settings { reduction, symmetry, max_states: 4 * STATES, ..Settings::default() };
        let answer = match search(&program, &settings, &Watch::NONE).map_err(|e| e.to_string())?.0 {
            SearchOutcome::Violation { schedule, .. } => {
                replay(&program, &schedule).map_err(|e| format!("{settings:?}: {e}: {schedule:?}"))?;
                Some(true)
            }
            SearchOutcome::Exhausted(space) => {
                let encoding = Encoding { symmetry: space.symmetry() };
                let set = Space::new(encoding, space.states())
                    .with_order(space.order().cloned())
                    .with_points(space.points().cloned());
                check(&program, &set, &StateLimits::default()).map_err(|e| format!("{settings:?}: {e}"))?;
                Some(false)
            }
            SearchOutcome::Limit { .. } => None,
        };
        if answer.is_some() && truth.is_some() && answer != truth {
            return Err(format!("{settings:?}: violation {answer:?}, but {truth:?}"));
        }
        if answer.is_none() && truth.is_some() && reduction {
            return Err(format!("decided by exploration, but not by search: {settings:?}"));
        }
    }
    Ok((truth, late))
}

#[test]
fn values_chosen_late_are_values_chosen_at_once() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(80)).collect();
    let results: Vec<_> = seeds.par_iter().map(|s| (*s, compare(*s))).collect();
    let (mut counts, mut declared) = ([0; 3], 0);
    for (seed, result) in results {
        let (truth, late) = result.unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        counts[truth.map_or(2, usize::from)] += 1;
        declared += late;
    }
    println!("safe, unsafe, too large: {counts:?}; late declarations: {declared}");
    assert!(counts[0] > 0 && counts[1] > 0 && declared > 0);
}
