//! From a C source to the two programs that verdicts are about.

use crate::c;
use crate::c::unit::Unit;
use crate::instantiate;
use crate::tso::{self, Form};
use crate::waits;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::{MemoryModel, Options};

/// Reads a file and makes its proof program.
///
/// # Errors
/// What is wrong with the file, or not supported.
pub fn read<'a>(what: impl Into<Unit<'a>>, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let module = c::load(what, meaning)?;
    for_proof(&module, meaning)
}

/// Reads a file and makes its search program. Certificates of exhausted searches are about this one.
///
/// # Errors
/// What is wrong with the file, or not supported.
pub fn read_for_search<'a>(what: impl Into<Unit<'a>>, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let module = c::load(what, meaning)?;
    for_search(&module, meaning)
}

/// The program of a search: threads of one start routine together, where they can be; recursive functions are called.
///
/// # Errors
/// What of the module cannot be modelled.
pub fn for_search(module: &cfa::Module, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    for_search_alone(module, meaning).or_else(|e| inlined(module, meaning).map_err(|_| e))
}

/// The same, where the program that proofs are about does not take its place.
///
/// # Errors
/// What of the module cannot be modelled.
pub(crate) fn for_search_alone(module: &cfa::Module, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    finished(instantiate::for_search(module, meaning)?, Form::Buffers, meaning)
}

/// The program with everything inlined and specialised, which proofs are about. Deadlocks are no errors of it where its threads wait
/// in an order ([`waits`]).
///
/// # Errors
/// What of the module cannot be modelled.
pub fn for_proof(module: &cfa::Module, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let program = inlined(module, meaning)?;
    // With buffers nothing is said of who waits.
    let ordered = Some(&program).filter(|p| p.deadlock && meaning.memory_model == MemoryModel::Sc);
    Ok(match ordered.and_then(|p| waits::without_deadlocks(p).ok()) {
        Some(mut ordered) => {
            instantiate::slice(&mut ordered);
            ordered
        }
        None => program,
    })
}

/// The same program, with deadlocks as errors if they are.
///
/// # Errors
/// What of the module cannot be modelled.
pub fn inlined(module: &cfa::Module, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let form = if meaning.robust { Form::Attacks } else { Form::Buffers };
    finished(instantiate::instantiate(module, meaning)?, form, meaning)
}

/// Another program for proofs, where there is a difference (see [`instantiate::instantiate_chosen`]).
///
/// # Errors
/// What of the module cannot be modelled.
pub fn for_proof_chosen(module: &cfa::Module, meaning: &Options) -> Result<Option<cfa::Program>, Diagnostic> {
    // Only where memory is what stores make it at once: nothing is said of chosen threads and buffers.
    if meaning.memory_model != MemoryModel::Sc {
        return Ok(None);
    }
    let chosen = instantiate::instantiate_chosen(module, meaning)?;
    Ok(chosen.map(|mut p| {
        instantiate::slice(&mut p);
        p
    }))
}

/// Reads a file and makes its proof program; `chosen`: the other one.
///
/// # Errors
/// What is wrong with the file, or not supported; or there is no other one.
pub fn read_proof<'a>(
    what: impl Into<Unit<'a>>,
    meaning: &Options,
    chosen: bool,
) -> Result<cfa::Program, Diagnostic> {
    let module = c::load(what, meaning)?;
    if !chosen {
        return for_proof(&module, meaning);
    }
    let none = || Diagnostic::of_file("", "the program has no other form", "");
    for_proof_chosen(&module, meaning)?.ok_or_else(none)
}

/// With store buffers if they are asked for, and without what no property depends on.
fn finished(program: cfa::Program, form: Form, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    let mut program = tso::buffered(program, form, meaning)?;
    instantiate::slice(&mut program);
    Ok(program)
}
