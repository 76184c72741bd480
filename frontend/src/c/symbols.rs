//! Names that `asm("…")` and `weak` give to functions and objects, and functions that run before and after `main`.

use super::generic::Spelling;
use super::lower::{Lower, Res};
use super::meanings::Attributes;
use super::translation::Work;
use super::types::Ty;
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::{Callee, FuncId, InputSource, Op};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the symbols of a file.
#[derive(Clone, Default, Debug)]
pub struct Symbols {
    /// Names by the symbol that `asm` gives them.
    renamed: BTreeMap<String, BTreeSet<String>>,
    /// Where each renamed name is declared so.
    places: BTreeMap<String, Bytes>,
    /// Variables that stand for registers of the machine.
    registers: BTreeMap<String, Bytes>,
    /// Names that files declare with different types.
    disagree: BTreeMap<String, Bytes>,
    /// Functions that never return.
    noreturn: BTreeSet<String>,
    /// Names that some declaration says are weak.
    weak: BTreeMap<String, Bytes>,
    /// Functions to run before `main`, and after it: priority and name, as declared.
    before: Vec<(i128, String)>,
    after: Vec<(i128, String)>,
    /// What parameters that point to rows of variable length point to, by function and index, as calls say.
    pub rows: BTreeMap<(String, usize), Ty>,
    /// How names are declared, where that is always the same way.
    pub spelled: FxHashMap<String, Option<Spelling>>,
    /// Objects that only declarations in blocks name.
    pub of_blocks: FxHashMap<String, usize>,
    /// The function that runs those after `main`.
    pub at_exit: Option<FuncId>,
}

impl Symbols {
    /// Files declare a name with different types.
    pub fn disagree(&mut self, name: &str, at: Bytes) {
        self.disagree.entry(name.to_string()).or_insert(at);
    }
    /// A function never returns.
    pub fn never_returns(&mut self, name: &str) {
        self.noreturn.insert(name.to_string());
    }
    /// Does a function never return?
    pub fn is_noreturn(&self, name: &str) -> bool {
        self.noreturn.contains(name)
    }
}

/// Those without a priority come last before `main`, and first after it.
const NO_PRIORITY: i128 = 65_536;

/// What the C library calls a function that it declares by another name.
fn is_library_alias(name: &str, symbol: &str) -> bool {
    let bare = ["__isoc99_", "__isoc23_", "__xpg_", "__posix_", "__libc_", "__"]
        .iter()
        .find_map(|p| symbol.strip_prefix(p))
        .unwrap_or(symbol);
    let bare = ["64", "_time64", "_r"]
        .iter()
        .find_map(|s| bare.strip_suffix(s).filter(|b| *b == name))
        .unwrap_or(bare);
    bare == name
}

impl<'a> Lower<'a> {
    /// Takes what the attributes of a declaration say about its name.
    pub fn symbol_attributes(
        &mut self,
        name: &str,
        list: &[&'a Node<Extension>],
        register: bool,
        at: Bytes,
    ) -> Res<()> {
        let all = Attributes::of(list);
        if register && all.symbol.is_some() {
            self.unit.symbols.registers.insert(name.to_string(), at);
        } else if let Some((text, place)) = all.symbol {
            let symbol: String = text.node.iter().map(|t| t.trim_matches('"')).collect();
            if symbol != name && !is_library_alias(name, &symbol) {
                self.unit.symbols.renamed.entry(symbol).or_default().insert(name.to_string());
                self.unit.symbols.places.insert(name.to_string(), place);
            }
        }
        if all.noreturn {
            self.unit.symbols.never_returns(name);
        }
        if all.weak {
            self.unit.symbols.weak.entry(name.to_string()).or_insert(at);
        }
        for (given, before) in [(all.constructor, true), (all.destructor, false)] {
            let Some(priority) = given else { continue };
            let priority = match priority {
                Some(e) => match self.constant(e)? {
                    Some(p) => p,
                    None => return self.error(e.span, "a priority must be constant", ""),
                },
                None => NO_PRIORITY,
            };
            let list = if before { &mut self.unit.symbols.before } else { &mut self.unit.symbols.after };
            if !list.iter().any(|x| x.1 == name) {
                list.push((priority, name.to_string()));
            }
        }
        Ok(())
    }

    /// Symbols of declarations inside of functions are not looked for elsewhere.
    pub fn local_symbol(&mut self, list: &[&'a Node<Extension>]) -> Res<()> {
        match Attributes::of(list).symbol {
            Some((_, at)) => self.refuse(at, "`asm` on a declaration in a function is", "declare it outside"),
            None => Ok(()),
        }
    }

    /// Names that share a symbol with others, or have a symbol that is not there, are refused where they are used.
    pub fn settle_symbols(&mut self) {
        let symbols = self.unit.symbols.clone();
        let mut broken: Vec<(String, Diagnostic)> = Vec::new();
        let known = |l: &Self, name: &str| l.context.scopes.get(name).is_some();
        for (symbol, names) in &symbols.renamed {
            let model = super::library::model(symbol);
            let alone = names.len() == 1 && !known(self, symbol) && model.is_none();
            let here = self.is_defined(symbol) || names.iter().any(|n| self.is_defined(n));
            for name in names {
                // The library may have a function by two names.
                let same = !here && model.is_some() && super::library::model(name) == model;
                if same || (alone && self.is_defined(name)) {
                    continue;
                }
                let what = format!("`{name}`, which stands for the symbol `{symbol}` by `asm`, is");
                broken.push((name.clone(), self.unsupported_symbol(name, &what)));
            }
            let object = matches!(self.context.scopes.get(symbol), Some(super::scope::Symbol::Global(_)));
            if known(self, symbol) && (here || object) {
                let what = format!("`{symbol}`, which another name stands for by `asm`, is");
                let first = names.iter().next().cloned().unwrap_or_default();
                broken.push((symbol.clone(), self.unsupported_symbol(&first, &what)));
            }
        }
        for (name, at) in &symbols.disagree {
            let what = format!("`{name}` has different types in the files of the program");
            let help = "declare it in a header that they share";
            broken.push((name.clone(), self.unit.source.diagnostic(self.span(*at), what, help)));
        }
        for (name, at) in &symbols.registers {
            let what = format!("`{name}`, which is a register of the machine, is not supported");
            broken.push((name.clone(), self.unit.source.diagnostic(self.span(*at), what, "use a variable")));
        }
        for (name, at) in &symbols.weak {
            if !self.is_defined(name) && super::library::model(name).is_none() {
                let what = format!("`{name}` is weak and has no definition here: that is not supported");
                let help = "define it, or leave it out";
                broken.push((name.clone(), self.unit.source.diagnostic(self.span(*at), what, help)));
            }
        }
        for (name, d) in broken {
            self.context.scopes.declare(&name, super::scope::Symbol::Broken(d));
            self.unit.functions.declared.remove(&name);
        }
    }

    fn unsupported_symbol(&self, name: &str, what: &str) -> Diagnostic {
        let at = self.unit.symbols.places.get(name).map_or(Span::default(), |b| self.span(*b));
        self.unit.source.diagnostic(at, format!("{what} not supported"), "use one name for one thing")
    }

    fn is_defined(&self, name: &str) -> bool {
        match self.context.scopes.get(name) {
            Some(super::scope::Symbol::Global(g)) => !self.unit.objects.globals[*g].external,
            _ => self.unit.functions.is_defined(name),
        }
    }

    /// The start of the program: `main`, with what runs before it and after it.
    pub fn with_constructors(&mut self, starts: Vec<FuncId>) -> Res<Vec<FuncId>> {
        let (mut before, mut after) = (self.unit.symbols.before.clone(), self.unit.symbols.after.clone());
        if before.is_empty() && after.is_empty() && !self.unit.exits.used {
            return Ok(starts);
        }
        before.sort_by_key(|x| x.0);
        // The reverse order of their like before `main`.
        after.reverse();
        after.sort_by_key(|x| std::cmp::Reverse(x.0));
        let ids = |l: &mut Self, list: Vec<(i128, String)>| -> Vec<FuncId> {
            let found: Vec<FuncId> = list.iter().filter_map(|x| l.unit.functions.ask(&x.1)).collect();
            found.iter().for_each(|f| l.unit.functions.call(*f));
            found
        };
        let (before, after) = (ids(self, before), ids(self, after));
        if self.unit.exits.used && self.unit.symbols.at_exit.is_none() {
            let id = self.unit.functions.enqueue("(at exit)".into(), Work::AtExit(after.clone()));
            self.unit.symbols.at_exit = Some(id);
            self.unit.functions.call(id);
        }
        if before.is_empty()
            && after.is_empty()
            && (!self.unit.exits.used || !self.unit.options.threads.is_empty())
        {
            return Ok(starts);
        }
        let [main] = starts.as_slice() else {
            let message = "constructors and destructors beside --threads are not supported";
            return Err(Diagnostic::of_file(&self.unit.source.files[0], message, "start main"));
        };
        self.unit.functions.call(*main);
        if !after.is_empty() && !self.unit.exits.used {
            let id = self.unit.functions.enqueue("(at exit)".into(), Work::Calls(after));
            self.unit.symbols.at_exit = Some(id);
        }
        let mut all = before;
        all.push(*main);
        all.extend(self.unit.symbols.at_exit);
        Ok(vec![self.unit.functions.enqueue("(start)".into(), Work::Calls(all))])
    }

    /// Calls functions one after another, with any arguments, and ends the program.
    pub fn emit_calls(&mut self, functions: &[FuncId]) {
        for f in functions {
            let name = self.unit.functions.name(*f);
            let signature = self.unit.signature(&name);
            let params = signature.as_ref().and_then(|s| s.params.clone()).unwrap_or_default();
            let mut args = Vec::new();
            for p in &params {
                let kind = self.unit.types.kind(p);
                args.push(self.body.havoc(kind, InputSource::uninitialised()));
            }
            let dst = signature.filter(|s| s.result.is_scalar()).map(|s| {
                let kind = self.unit.types.kind(&s.result);
                self.body.temp(kind)
            });
            self.body.emit_open(Op::Call { dst, callee: Callee::Known(*f), args });
        }
        let end = self.body.end;
        self.body.leave(end, Op::Halt);
    }
}
