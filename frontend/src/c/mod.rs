//! C to [`relyant_cfa::Module`].
//!
//! ```text
//! file --preprocess--> text --tokens--> mended text --parse--> syntax tree --lower--> automata
//! ```

mod accept;
mod access;
mod addresses;
mod agree;
mod alloc;
mod asm;
mod assign;
mod async_statement;
mod atomics;
mod attributes;
mod beyond;
mod blocks;
mod body;
mod builtins;
mod bytes;
mod calls;
mod cancel;
mod checked;
mod cleanups;
pub mod compiler;
mod compound;
mod condition;
mod context;
mod copies;
mod counter;
mod cprover;
mod declare;
mod designators;
mod discard;
mod divide;
mod effects;
mod elsewhere;
mod errno;
mod exits;
mod expr;
mod file_scope;
mod finish;
mod floats;
mod format;
mod fresh;
mod function;
mod gates;
mod generic;
mod headers32;
mod homes;
mod includes;
mod init;
mod input;
mod instructions;
pub mod instrument;
mod join;
mod keys;
mod labels;
mod layout;
mod library;
mod listed;
mod literal;
mod locked;
mod locks;
mod look;
mod lower;
mod meanings;
mod mend;
mod modelled;
mod offsets;
mod operators;
mod orders;
pub mod outline;
mod overflow;
mod overlaid;
mod parse;
mod parts;
mod place;
mod places;
mod pragmas;
mod preprocess;
mod print;
mod read_only;
mod records;
mod requests;
mod rows;
mod scan;
mod scope;
mod settle;
mod shapeless;
mod signals;
pub mod signatures;
mod sizes;
mod sort;
mod source;
mod specifiers;
mod stmt;
mod symbols;
mod texts;
mod threads;
mod tokens;
mod told;
mod translation;
mod types;
mod union_starts;
mod unions;
pub mod unit;
mod universal;
mod untyped;
mod value;
mod variable;
mod views;
mod walks;
mod whole;
mod words;
mod wrappers;

use relyant_cfa::Module;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_cfa::stack::fitting;
use std::collections::BTreeMap;
use std::path::Path;

pub use includes::includes;
pub use library::FILE as LIBRARY;
use preprocess::Preprocessed;
use unit::Unit;

/// Stack for parsing and lowering, which recurse along the syntax tree; only what is used is ever touched. The
/// smaller ones are for where address space is limited.
const STACKS: [usize; 3] = [1 << 30, 1 << 28, 1 << 26];

/// Reads a C file, or a text, and lowers what can be reached from its starts.
pub fn load<'a>(what: impl Into<Unit<'a>>, options: &Options) -> Result<Module, Diagnostic> {
    let unit: Unit<'a> = what.into();
    let (path, name) = (unit.path(), unit.name());
    if let Some((what, help)) = elsewhere::language(path) {
        return Err(Diagnostic::of_file(&name, format!("{what} are not read as C"), help));
    }
    std::thread::scope(|scope| {
        // The compiler reads it meanwhile; where no thread can be had, it is not asked.
        let ask = || accept::rejected(path, options);
        let asked = std::thread::Builder::new().spawn_scoped(scope, ask);
        let text = preprocess::read(unit, options)?;
        let originals = preprocess::originals(unit, options);
        let read = on_large_stack(&name, &text, &originals, options, None);
        match asked.ok().and_then(|a| a.join().ok()).flatten() {
            // Of what does not end, ours says where it begins.
            Some(error)
                if read.is_ok()
                    || !error.message.ends_with(" at end of input") && tokens::splits(&name, &text.text) =>
            {
                Err(unit.about(error))
            }
            _ => read,
        }
    })
}

/// Reads a C file and adds to it.
pub fn load_with(
    path: &Path,
    options: &Options,
    what: &instrument::Instrumentation,
) -> Result<Module, Diagnostic> {
    let text = preprocess::read(path, options)?;
    let name = path.display().to_string();
    on_large_stack(&name, &text, &preprocess::originals(path.into(), options), options, Some(what))
}

/// Where the statements and calls of a file are.
pub fn outline(path: &Path, options: &Options) -> Result<outline::Outline, Diagnostic> {
    let text = preprocess::read(path, options)?;
    let name = path.display().to_string();
    let originals = preprocess::originals(path.into(), options);
    std::thread::scope(|scope| {
        let read = || {
            let mut source = source::Source::of(&name, &text, &text.text);
            source.use_originals(&originals);
            let mended = mend::mend(&mut source, &text.text)?;
            let unit = parse::parse(&source, mended).map_err(|d| source.names.diagnostic(d))?;
            let mut found = outline::outline(&source, &unit);
            source.names.outline(&mut found);
            Ok(found)
        };
        let lost = || Diagnostic::of_file(&name, "internal error while reading the file", "");
        let worker = std::thread::Builder::new().stack_size(fitting(STACKS[1])).spawn_scoped(scope, read);
        worker.map_err(|_| lost())?.join().unwrap_or_else(|_| Err(lost()))
    })
}

/// Lowers a text that is already preprocessed.
pub fn load_text(name: &str, text: &str, options: &Options) -> Result<Module, Diagnostic> {
    let text = Preprocessed { text: text.into(), joined: None };
    on_large_stack(name, &text, &BTreeMap::new(), options, None)
}

fn on_large_stack(
    name: &str,
    text: &Preprocessed,
    originals: &BTreeMap<String, String>,
    options: &Options,
    what: Option<&instrument::Instrumentation>,
) -> Result<Module, Diagnostic> {
    std::thread::scope(|scope| {
        let mut why = String::new();
        for size in STACKS.map(fitting) {
            let builder = std::thread::Builder::new().name("lower".into()).stack_size(size);
            match builder.spawn_scoped(scope, || lower_text(name, text, originals, options, what)) {
                Ok(worker) => {
                    return worker.join().unwrap_or_else(|_| {
                        Err(Diagnostic::of_file(name, "internal error while reading the file", ""))
                    });
                }
                Err(e) => why = e.to_string(),
            }
        }
        Err(Diagnostic::of_file(name, format!("cannot start a thread to read the file in: {why}"), ""))
    })
}

fn lower_text(
    name: &str,
    text: &Preprocessed,
    originals: &BTreeMap<String, String>,
    options: &Options,
    what: Option<&instrument::Instrumentation>,
) -> Result<Module, Diagnostic> {
    let all = &*library::bodies::with_bodies(&text.text);
    let mut source = source::Source::of(name, text, all);
    source.use_originals(originals);
    let mut mended = mend::mend(&mut source, all)?;
    if let Some(what) = what {
        let unit = parse::parse(&source, mended.clone())?;
        let outline = outline::outline(&source, &unit);
        mended = instrument::instrument(&mut source, &mended, &outline, what)
            .map_err(|why| Diagnostic::of_file(name, why.to_string(), ""))?;
    }
    let lowered = parse::parse(&source, mended).and_then(|unit| lower::lower(&source, &unit, options));
    let mut module = lowered.map_err(|d| source.names.diagnostic(d))?;
    source.names.module(&mut module);
    Ok(module)
}
