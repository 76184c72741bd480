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

mod callees;
mod calls;
mod constants;
mod error;
mod fold;
mod inline;
mod liveness;
mod loops;
mod memory;
mod owners;
mod plan;
mod registers;
mod search;
mod sharing;
mod simplify;
mod threads;
mod undefined;
mod unroll;
pub(crate) mod walk;

#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;

pub use error::Refusal;
pub use search::{build_for_search, for_search};

use crate::cfa::{Module, Owner, Program};
use crate::diagnostic::Diagnostic;
use crate::options::{Options, Signed};

/// Makes a program of a module.
///
/// # Errors
/// What the module has that a program of thread templates cannot say: see [`Refusal`].
pub fn instantiate(module: &Module, options: &Options) -> Result<Program, Diagnostic> {
    build(module, options).map_err(|r| r.diagnostic(module))
}

/// As [`instantiate`], with the reason of a refusal as a value.
pub fn build(module: &Module, options: &Options) -> Result<Program, Refusal> {
    build_as(module, options, true)
}

/// Builds with or without the steps that are there for speed only, which tests compare.
fn build_as(module: &Module, options: &Options, optimise: bool) -> Result<Program, Refusal> {
    let mut memory = memory::Memory::new(module);
    let mut templates = threads::templates(module, options, &mut memory, optimise)?;
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
    let (bases, function_bases) = memory.bases(module.functions.len())?;
    let mut program = Program {
        files: module.files.clone(),
        lines: module.lines.clone(),
        objects: memory.objects.clone(),
        owners: vec![Owner::Shared; memory.objects.len()],
        bases,
        function_bases,
        templates,
        exclusive: options.exclusive.clone(),
        deadlock: options.deadlock,
        max_threads: options.max_threads,
        signed_wraps: wraps(options),
        assumes: module.assumes.clone(),
    };
    owners::assign(&mut program, &memory)?;
    let undefined = undefined::assumptions(&program, options);
    program.assumes.extend(undefined);
    debug_assert_eq!(program.validate(), Ok(()));
    Ok(program)
}

fn wraps(options: &Options) -> bool {
    options.signed == Signed::Wrap
}
