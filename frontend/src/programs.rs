//! From a C source to the two programs that verdicts are about.

use crate::c;
use crate::c::unit::Unit;
use crate::instantiate;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;

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
    sliced(instantiate::for_search(module, meaning)).or_else(|e| for_proof(module, meaning).map_err(|_| e))
}

/// The program with everything inlined and specialised, which proofs are about.
///
/// # Errors
/// What of the module cannot be modelled.
pub fn for_proof(module: &cfa::Module, meaning: &Options) -> Result<cfa::Program, Diagnostic> {
    sliced(instantiate::instantiate(module, meaning))
}

/// Leaves out what no property depends on.
pub fn sliced(mut program: Result<cfa::Program, Diagnostic>) -> Result<cfa::Program, Diagnostic> {
    if let Ok(p) = &mut program {
        instantiate::slice(p);
    }
    program
}
