//! The list of passes from automata to the thread program: linear, with ghosts, small.

use crate::Program;
use crate::edges::access::Access;
use crate::edges::forget::forget;
use crate::edges::inputs;
use crate::ghosts::extension::extend;
use crate::ghosts::{counts, divisors, given, owners, pending, products, twins};
use crate::linearise::{ArrayLimits, waiting};
use crate::recognisers::{Recogniser, Recognisers};
use crate::reduce::tidy::{self, Tidied};
use crate::reduce::{compose, constants, liveness, prefix, propagate, slice, tracked};
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;

/// Passes over the program at most; each makes it smaller.
const ROUNDS: usize = 20;
/// Pairs of twins at most: each splits the step that has waited for both.
const MOST_TWINS: usize = 4;

/// The program with fewer steps, locations and variables: passes in rounds, until nothing changes; then ghosts for
/// owners of locks.
pub fn reduce(p: Program) -> Program {
    reduce_with(p, Recognisers::default())
}

/// The same without any ghosts.
pub(crate) fn reduce_alone(p: Program) -> Program {
    reduce_with(p, Recognisers::none())
}

/// The same with sections under locks as one step, as far as nobody can come between; see [`crate::edges::sections`].
pub(crate) fn reduce_sections(p: Program) -> Program {
    reduce_by(p, Recognisers::none(), Access::with_sections)
}

fn reduce_with(p: Program, recognisers: Recognisers) -> Program {
    reduce_by(p, recognisers, Access::new)
}

fn reduce_by(mut p: Program, recognisers: Recognisers, access: fn(&Program) -> Access) -> Program {
    let mut tidied = Tidied::default();
    small_steps(&mut p, &mut tidied);
    if tracked::compare_once(&mut p) {
        small_steps(&mut p, &mut tidied);
    }
    if prefix::fold_prefix(&mut p) {
        small_steps(&mut p, &mut tidied);
    }
    for _ in 0..ROUNDS {
        let access = access(&p);
        let mut changed = false;
        for t in 0..p.templates.len() {
            changed |= compose::compose(&mut p, t, &access);
        }
        changed |= small_steps(&mut p, &mut tidied);
        if !changed {
            break;
        }
    }
    counts::replace_counts(&mut p);
    if recognisers.has(Recogniser::Owners)
        && let Some(x) = owners::find(&p)
    {
        extend(&mut p, x);
    }
    let mut keep = vec![false; p.variables.len()];
    for e in p.templates.iter().flat_map(|t| &t.edges) {
        for v in e.reads().into_iter().chain(e.updates.iter().map(|u| u.0)) {
            if let Some(k) = keep.get_mut(v.0 as usize) {
                *k = true;
            }
        }
    }
    forget(&mut p, &keep);
    p
}

/// Everything but joining steps; did anything change?
fn small_steps(p: &mut Program, tidied: &mut Tidied) -> bool {
    let mut any = false;
    for _ in 0..ROUNDS {
        tidy::drop_unreachable(p);
        let access = Access::new(p);
        let mut changed = constants::replace_constants(p, &access);
        changed |= constants::privatise(p, &access);
        changed |= propagate::propagate(p);
        changed |= tidy::tidy_edges(p, tidied) > 0;
        changed |= slice::slice(p);
        changed |= liveness::drop_dead_updates(p);
        if !changed {
            break;
        }
        any = true;
    }
    tidy::drop_unreachable(p);
    any
}

/// The thread program of a program: linear, and reduced.
pub fn thread_program(p: &cfa::Program) -> Result<Program, Diagnostic> {
    thread_program_with(p, ArrayLimits::of(p), Recognisers::default())
}

/// The same with other limits for arrays, or fewer ghosts.
pub fn thread_program_with(
    p: &cfa::Program,
    limits: ArrayLimits,
    recognisers: Recognisers,
) -> Result<Program, Diagnostic> {
    let mut linear = crate::linearise::linearise_within(p, limits)?;
    if recognisers.has(Recogniser::Divisors)
        && let Some(x) = divisors::find(&linear)
    {
        extend(&mut linear, x);
    }
    if recognisers.has(Recogniser::Given)
        && let Some(x) = given::find(&linear)
    {
        extend(&mut linear, x);
    }
    inputs::forget_remainders(&mut linear);
    let reduced = reduce_with(linear.clone(), recognisers);
    let counted = if recognisers.has(Recogniser::Counts) { with_counts(linear, &reduced, p) } else { None };
    let mut out = match counted {
        Some(counted) => reduce_with(counted, recognisers),
        None => reduced,
    };
    if recognisers.has(Recogniser::Products) {
        out = products::with_products(out);
    }
    if recognisers.has(Recogniser::Twins) {
        let mut found = 0;
        for second in 1..out.templates.len() {
            if found < MOST_TWINS
                && let Some(x) = twins::find(&out, second)
            {
                extend(&mut out, x);
                found += 1;
            }
        }
    }
    if !out.has_room_for_roles() {
        let file = out.files.first().cloned().unwrap_or_default();
        let message = format!("the program needs more than {} variables", crate::role::VARIABLES);
        return Err(Diagnostic::of_file(file, message, "make its arrays smaller"));
    }
    Ok(out)
}

/// The program with counts of threads, if there is a use for them.
fn with_counts(mut linear: Program, reduced: &Program, of: &cfa::Program) -> Option<Program> {
    if of.approximate && of.chosen.is_none() {
        // A thread there can stand for a call, and a creation for many.
        return None;
    }
    let numbers = waiting::add_waiting(&mut linear, of);
    match of.chosen {
        Some(_) => {
            let (counts, families) = pending::find(&linear, &numbers, reduced, of)?;
            extend(&mut linear, counts);
            pending::choose(&mut linear, &families, of);
        }
        None => {
            let counts = counts::find(&linear, &numbers, reduced, of)?;
            extend(&mut linear, counts);
        }
    }
    waiting::drop_waiting(&mut linear, &numbers);
    Some(linear)
}

#[cfg(test)]
mod tests;
