//! From functions to threads: inlines calls, finds the threads, unrolls the loops that create them, places objects.
//!
//! ```text
//! Module --inline--> automata --unroll--> constant arguments --threads--> templates --simplify, owners--> Program
//! ```
//!
//! What the program does is unchanged. What cannot be kept exactly (recursion, say) is refused.
//!
//! There are two programs of one module: that of [`instantiate`] is for proofs; that of [`for_search`] keeps recursive
//! functions and has one template for each start routine.

mod apart;
mod approximate;
mod blocks;
mod callees;
mod calls;
mod checks;
mod chosen;
mod code;
pub(crate) mod constants;
mod endless;
mod error;
mod extent;
mod fold;
mod frames;
mod fresh;
pub(crate) mod gates;
mod identity;
mod inline;
mod leaks;
mod liveness;
mod loops;
mod many;
mod memory;
mod owners;
mod places;
mod plan;
pub(crate) mod pool;
mod registers;
mod search;
mod sharing;
mod simplify;
mod slice;
mod threads;
mod trial;
mod undefined;
mod unroll;

#[cfg(test)]
mod recursion_tests;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod slice_tests;
#[cfg(test)]
mod tests;

pub(crate) use chosen::LINGERS;
pub use error::Refusal;
pub(crate) use memory::ALIGNED;
pub use search::{build_for_search, for_search};
pub(crate) use sharing::{Sharing, taken};
pub use slice::slice;

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::{Options, Signed};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Expr, FuncId, Module, ObjId, Op, Owner, Program, walk};
use std::collections::BTreeSet;

/// Makes a program of a module.
///
/// # Errors
/// What the module has that a program of thread templates cannot say: see [`Refusal`].
pub fn instantiate(module: &Module, options: &Options) -> Result<Program, Diagnostic> {
    build(module, options).map_err(|r| r.diagnostic(module))
}

/// As [`instantiate`], with the reason of a refusal as a value.
pub fn build(module: &Module, options: &Options) -> Result<Program, Refusal> {
    with_pools(module, false, options, &|module| match build_as(module, options, &Plan::default()) {
        Err(refusal @ Refusal::Recursion { .. }) => approximate::build(module, options, refusal),
        other => other,
    })
}

/// Another program for proofs, of which a counterexample says nothing: of any number of threads one is chosen, and of any number of blocks
/// that one place makes; memory of unknown size has no end. Loops that create more than a few threads are any number of threads there. `None`
/// where the program has none of these.
///
/// # Errors
/// What the module has that such a program cannot say.
pub fn instantiate_chosen(module: &Module, options: &Options) -> Result<Option<Program>, Diagnostic> {
    let module = if options.checks_memory() || options.leaks { module.clone() } else { apart::apart(module) };
    let mut split = module.clone();
    if blocks::split(&mut split, options)
        && let Ok(program) = build_chosen(&split, true, options)
    {
        return Ok(program);
    }
    build_chosen(&module, false, options).map_err(|r| r.diagnostic(&module))
}

/// The same of a module whose blocks are apart; `split`: there are chosen ones.
fn build_chosen(module: &Module, split: bool, options: &Options) -> Result<Option<Program>, Refusal> {
    let differs = std::cell::Cell::new(true);
    let program = with_pools(module, false, options, &|module| {
        let (mut module, endless) = extent::endless(module, options);
        fresh::from_start(&mut module);
        let plan = Plan { choose: true, ..Plan::default() };
        let mut program = build_as(&module, options, &plan)?;
        if (endless || split) && !extent::has_room(&program) {
            return Err(Refusal::Memory);
        }
        program.approximate = true;
        let chosen = program.chosen.as_ref().is_some_and(|c| !c.is_empty());
        differs.set(endless || split || chosen || has_arrays(&program));
        Ok(program)
    })?;
    Ok(Some(program).filter(|_| differs.get()))
}

/// Does a place make memory again and again?
pub fn has_many_blocks(module: &Module) -> bool {
    let often = many::repeated(module);
    module.heap.iter().any(|site| often[site.function.0 as usize])
}

/// Cells of an array of which a proof may keep one that stands for all.
const ARRAY: usize = 8;

/// Do several threads, and one of them at an index that only the run knows, access an array?
pub fn has_arrays(program: &Program) -> bool {
    let varies = |address: &Expr| {
        let (mut objects, mut registers) = (Vec::new(), Vec::new());
        walk::registers(address, &mut registers);
        walk::visit(address, &mut |x| {
            if let Expr::Addr(o) = x {
                objects.push(*o);
            }
        });
        let large = |o: &ObjId| program.objects[o.0 as usize].cells.len() >= ARRAY;
        !registers.is_empty() && objects.iter().any(large)
    };
    let mut edges = program.templates.iter().flat_map(|t| &t.graph.edges);
    program.templates.len() > 1
        && edges.any(|e| matches!(&e.op, Op::Load(_, a, _) | Op::Store(a, _, _) if varies(a)))
}

/// Builds a program of a module in which objects that come and go have pools.
fn with_pools(
    module: &Module,
    tried: bool,
    options: &Options,
    build: &dyn Fn(&Module) -> Result<Program, Refusal>,
) -> Result<Program, Refusal> {
    let mut which = many::needed(module);
    if options.checks_memory() {
        which.extend(checks::mortal(module, &many::freed(module, &PointsTo::of_module(module))));
        which.extend(checks::outlived(module));
        which.extend(module.heap.iter().filter(|s| s.measure.is_some()).map(|s| s.object));
    }
    if options.leaks {
        which.extend(module.heap.iter().filter(|s| !s.automatic).map(|s| s.object));
    }
    loop {
        let built = if which.is_empty() && !options.checks_memory() {
            build(module)
        } else {
            build(&pool::pooled(module, &which, tried, options))
        };
        match built {
            Err(
                ref refusal @ (Refusal::EscapingLocal { original: o, .. }
                | Refusal::EscapingActivation { original: o, .. }),
            ) => {
                // A store may still wait when its object is another one's.
                if options.is_tso() || !many::is_possible(module, o) || !which.insert(o) {
                    return Err(refusal.clone());
                }
            }
            other => return other,
        }
    }
}

/// As [`build`], with all that the automata do, whether it matters or not.
#[cfg(test)]
pub(crate) fn build_whole(module: &Module, options: &Options) -> Result<Program, Refusal> {
    build_as(module, options, &Plan { optimise: false, ..Plan::default() })
}

/// How a program is built.
struct Plan {
    /// With the steps that are there for speed only, which tests compare.
    optimise: bool,
    /// Routines that have one template, for any number of threads.
    many: BTreeSet<FuncId>,
    /// Of any number of threads one is chosen.
    choose: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { optimise: true, many: BTreeSet::new(), choose: false }
    }
}

fn build_as(module: &Module, options: &Options, plan: &Plan) -> Result<Program, Refusal> {
    let optimise = plan.optimise;
    let mut memory = memory::Memory::new(module);
    let (mut templates, chosen) = threads::templates(module, options, &mut memory, plan)?;
    if options.checks_memory() {
        checks::insert(&mut templates, &memory.objects, module);
    }
    let context = simplify::Context {
        exclusive: options.exclusive.as_deref(),
        signed_wraps: wraps(options),
        objects: &memory.objects,
    };
    for t in &mut templates {
        if !optimise {
            simplify::normalise(&mut t.graph);
            simplify::prune(&mut t.graph, &mut t.entry);
            continue;
        }
        simplify::simplify_template(t, &context);
    }
    // With a bound, a thread may be waited for that was never made; and of deadlocks it matters who is waited for.
    if optimise && options.max_threads.is_none() && !options.deadlock {
        endless::remove_joins(&mut templates);
    }
    let mut program = assembled(module, &memory, templates, options)?;
    program.chosen = plan.choose.then_some(chosen);
    owners::assign(&mut program, &memory)?;
    undefined::assume(&mut program, options);
    debug_assert_eq!(program.validate(), Ok(()));
    Ok(program)
}

/// The program of these templates; whose its objects are is not known yet.
fn assembled(
    module: &Module,
    memory: &memory::Memory,
    templates: Vec<relyant_cfa::Template>,
    options: &Options,
) -> Result<Program, Refusal> {
    let (bases, function_bases) = memory.bases(module.functions.len())?;
    Ok(Program {
        files: module.files.clone(),
        lines: module.lines.clone(),
        objects: memory.objects.clone(),
        owners: vec![Owner::Shared; memory.objects.len()],
        bases,
        function_bases,
        functions: module.functions.iter().map(|f| f.name.clone()).collect(),
        templates,
        exclusive: options.exclusive.clone(),
        deadlock: options.deadlock,
        max_threads: options.max_threads,
        signed_wraps: options.signed == Signed::Wrap,
        assumes: module.assumes.clone(),
        undefined: Default::default(),
        approximate: false,
        losses: Vec::new(),
        chosen: None,
        order: None,
    })
}

fn wraps(options: &Options) -> bool {
    options.signed == Signed::Wrap
}
