//! Store buffers: total store order (TSO) as a transformation of automata (`--memory-model tso`).
//!
//! On x86 a store waits in a buffer of its thread until it comes to memory, first in, first out; the thread's own loads
//! look into the buffer first (Sewell, Sarkar, Owens, Zappa Nardelli, Myreen, "x86-TSO: a rigorous and usable
//! programmer's model for x86 multiprocessors", CACM 2010). The transformed program has the buffers in it, so that
//! engines, replay and certificates need not know of them: a location of it is a location of the program with the list
//! of stores that wait there (`buffers`).
//!
//! ```text
//! l, [x]  --[r := y]-->  m, [x]        the load of y overtakes the store to x
//!    |                      |
//!    x := 1                 x := 1     the store comes to memory
//!    v                      v
//! l, []   --[r := y]-->  m, []
//! ```
//!
//! What lowering knows of an access is marked at the location that it starts from ([`Order`]). Stores that no load can
//! overtake need no buffer (`facts`): a program in which a fence comes between each store and the next load is left as it
//! is, for any number of threads.
//!
//! Order in the source is order of execution: what a compiler reorders is not modelled.

mod attack;
mod buffers;
mod facts;
#[cfg(test)]
mod tests;

use crate::races::{Access, AccessTarget};
use facts::Facts;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::options::{Atomicity, Options, Property};
use relyant_cfa::{FuncId, Module, Order, Program};
use std::collections::BTreeMap;

/// Stores of a thread that wait at the same time, at most; what goes beyond meets a limit. It is lowered where the
/// automaton would get too large.
const MOST: [usize; 4] = [8, 4, 2, 1];

/// Said of each program with buffers.
const ASSUMED: &str = "memory is x86-TSO, and the compiler keeps the order of the accesses in the source";

/// Marks the locations that accesses start from; see [`Order`].
pub(crate) fn mark(module: &mut Module, accesses: &BTreeMap<FuncId, Vec<Access>>) {
    for (f, list) in accesses {
        let Some(function) = module.functions.get_mut(f.0 as usize) else { continue };
        for a in list {
            let location = &mut function.graph.locations[a.from.0 as usize];
            let drains = match a.to {
                AccessTarget::Object => continue,
                AccessTarget::Fence if a.drains => true,
                AccessTarget::Fence => continue,
                // A section that the program asks for has the memory to itself.
                AccessTarget::Cell => a.drains || location.atomic,
            };
            if drains {
                location.order = Order::Drained;
            } else if location.order == Order::Direct {
                location.order = Order::Buffered;
            }
        }
    }
}

/// Refuses what has no meaning here yet.
///
/// # Errors
/// What that is.
pub(crate) fn supported(module: &Module, cancels: bool, options: &Options) -> Result<(), Diagnostic> {
    let refuse = |span: Span, what: &str, help: &str| {
        let what = format!("{what} under --memory-model tso is not supported");
        Err(Diagnostic::at(span, &module.files, &module.lines, what, help))
    };
    if options.property == Property::NoDataRace {
        let help = "leave the memory model out: what a data race is does not depend on the machine";
        return refuse(Span::default(), "looking for data races", help);
    }
    if options.atomicity == Atomicity::Statement {
        return refuse(Span::default(), "a step that is a whole statement", "use --atomicity access");
    }
    if cancels {
        return refuse(Span::default(), "cancelling threads", "leave `pthread_cancel` out");
    }
    if let Some(f) = module.free {
        let span = module.functions.get(f.0 as usize).map_or(Span::default(), |f| f.span);
        return refuse(span, "giving memory back", "leave `free` out");
    }
    Ok(())
}

/// What of the memory model is put into a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The buffers.
    Buffers,
    /// Whether another thread can tell that there are buffers: where none can, the program is as safe as without.
    Attacks,
}

/// Puts store buffers into a program whose locations are marked.
///
/// # Errors
/// What of it cannot have them.
pub fn buffered(mut program: Program, form: Form, options: &Options) -> Result<Program, Diagnostic> {
    if !options.is_tso() {
        return Ok(program);
    }
    let refuse = |p: &Program, span: Span, what: String, help: &str| {
        Err(Diagnostic::at(span, &p.files, &p.lines, what, help))
    };
    if let Some((t, p)) = program.templates.iter().find_map(|t| Some((t, t.procedures.first()?))) {
        let what = format!("the recursive function `{}` under --memory-model tso is not supported", p.name);
        let span = t.graph.locations[p.entry.0 as usize].span;
        return refuse(&program, span, what, "write the recursion as a loop");
    }
    if program.approximate {
        let what = "recursion under --memory-model tso is not supported".into();
        return refuse(&program, Span::default(), what, "write the recursion as a loop");
    }
    let facts = Facts::new(&program);
    match form {
        Form::Attacks => attack::add(&mut program, &facts),
        Form::Buffers => {
            let all = 0..program.templates.len();
            let made: Vec<_> = all.map(|t| buffers::build(&program, &facts, t)).collect();
            for (template, made) in program.templates.iter_mut().zip(made) {
                if let Some((graph, entry, registers)) = made {
                    (template.graph, template.entry, template.registers) = (graph, entry, registers);
                }
            }
        }
    }
    program.assumes.push(ASSUMED.into());
    debug_assert_eq!(program.validate(), Ok(()));
    Ok(program)
}
