//! What holds for the whole translation unit: set before lowering or added to while functions are lowered, never undone
//! when lowering goes back to a mark.

mod functions;
mod memory;
mod objects;

use super::lower::Res;
use super::source::Source;
use super::types::{Ty, Types};
use lang_c::ast::TranslationUnit;
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::Options;
use relyant_cfa::{IntKind, ObjId, Object, ObjectKind};
use rustc_hash::FxHashSet;

pub use functions::{External, Functions, Work};
pub use memory::Memory;
pub use objects::Objects;

/// What the text of the file tells before anything is lowered; never changes.
#[derive(Debug)]
pub struct Uses {
    /// Names whose address is taken anywhere.
    pub addressed: FxHashSet<String>,
    /// The program looks at `errno`.
    pub errno: bool,
    /// Some function takes arguments from a list.
    pub lists: bool,
    /// It speaks a verifier's dialect: what no compiler accepts may have a meaning.
    pub dialect: bool,
    /// A read of the global `NONDET` gives any value: only in GPR's dialect.
    pub nondet: bool,
}

/// Facts of a translation unit.
#[derive(Debug)]
pub struct Translation<'a> {
    /// The text, and where its parts come from.
    pub source: &'a Source,
    /// What the user says that the program means.
    pub options: &'a Options,
    /// What the text uses.
    pub uses: Uses,
    /// Types: grows with each record that is declared.
    pub types: Types,
    /// Functions, and which are still to be lowered.
    pub functions: Functions<'a>,
    /// Objects with static storage and those of functions.
    pub objects: Objects<'a>,
    /// Memory made at run time, and pointers to it: decided when all functions are lowered.
    pub memory: Memory,
    /// Keys of thread-specific data.
    pub keys: super::keys::Keys,
    /// What cancelling threads needs, once the file does that.
    pub cancellation: super::cancel::Cancellation,
    /// Functions that run at exit.
    pub exits: super::exits::Exits,
    /// Handlers of signals, and what runs them.
    pub signals: super::signals::Signals,
    /// Names that `asm` and `weak` give, constructors and destructors.
    pub symbols: super::symbols::Symbols,
    /// What the property is about.
    pub seen: super::checked::Seen,
    /// What was assumed, each once, in the order in which it was.
    assumes: Vec<String>,
}

impl<'a> Translation<'a> {
    /// Before anything is lowered.
    pub fn new(source: &'a Source, unit: &'a TranslationUnit, options: &'a Options) -> Self {
        let facts = super::scan::facts(unit);
        let mut types = Types::new(options);
        types.mutex_kinds = facts.mutex_kinds;
        types.mentioned = facts.members;
        Translation {
            source,
            options,
            uses: Uses {
                addressed: facts.addressed,
                errno: facts.reads_errno,
                lists: facts.lists,
                dialect: source.lines.iter().flatten().any(|l| l.contains("__CPROVER_")),
                // Only where GPR's dialect is asked for.
                nondet: !options.threads.is_empty(),
            },
            types,
            functions: Functions::default(),
            objects: Objects::default(),
            memory: Memory::default(),
            keys: super::keys::facts(unit),
            cancellation: super::cancel::facts(unit),
            exits: super::exits::facts(unit),
            signals: super::signals::Signals::default(),
            symbols: super::symbols::Symbols::default(),
            seen: super::checked::Seen::default(),
            assumes: Vec::new(),
        }
    }
    /// Notes an assumption, once.
    pub fn assume(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.assumes.contains(&what) {
            self.assumes.push(what);
        }
    }
    /// All assumptions, at the end.
    pub fn assumes(&self) -> &[String] {
        &self.assumes
    }
    /// Makes an object with any values, of bits of a union that its type says which member has.
    pub fn object(&mut self, name: &str, ty: &Ty, span: Span) -> Res<ObjId> {
        let mut cells = Vec::new();
        if let Err(why) = self.types.cells(ty).and_then(|_| self.types.flatten(ty, "", &mut cells)) {
            let name = name.rsplit("::").next().unwrap_or(name);
            let (message, help) = (format!("`{name}`: {why}"), "use integers, pointers, arrays and structs");
            return Err(self.source.diagnostic(span, message, help));
        }
        if cells.is_empty() {
            // Every object has an address of its own.
            cells.push((IntKind::INT, String::new()));
        }
        let mut init = vec![None; cells.len()];
        self.types.tags(ty).into_iter().for_each(|k| init[k as usize] = Some(0));
        let object = self.objects.add(Object {
            name: super::tokens::original_name(name),
            function: None,
            cells,
            init,
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: matches!(ty.plain(), Ty::Sync(_)),
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span,
        });
        self.objects.types.insert(object, ty.clone());
        Ok(object)
    }
    /// Notes which cells of an object may not be written.
    pub fn protect(&mut self, object: ObjId, ty: &Ty, whole: bool) {
        let mut cells = Vec::new();
        self.types.constant_cells(ty, whole, 0, &mut cells);
        self.objects[object].constant = cells;
    }
}
