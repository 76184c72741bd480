//! Functions of a translation unit.

use crate::c::async_statement::Copies;
use crate::c::scope::Declared;
use crate::orders::Unsequenced;
use crate::races::Access;
use lang_c::ast::{Expression, FunctionDefinition, Statement};
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{Expr, FuncId, Function, IntKind, ObjId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a function still to be lowered is made of.
#[derive(Clone, Debug)]
pub enum Work<'a> {
    /// What the file has for it.
    Definition(&'a Node<FunctionDefinition>),
    /// A statement that a thread of its own runs (`__CPROVER_ASYNC_1: s`), with copies of locals.
    Thread(&'a Node<Statement>, Copies),
    /// Any values in the globals of some conditions, as far as they hold; then all threads (`glb_init`).
    Start(Vec<&'a Node<Expression>>, Vec<FuncId>),
    /// A function without a body whose address is taken, with this many parameters; calling it is a limit.
    External(usize),
    /// A start routine that is passed more than its argument, and after it the destructors of keys.
    Routine {
        /// The start routine of the program.
        routine: FuncId,
        /// It has a parameter.
        takes: bool,
        /// It has a result.
        gives: bool,
        /// Parameters that nobody gives a value to.
        extra: Vec<IntKind>,
        /// The function that runs destructors.
        destructors: Option<FuncId>,
    },
    /// The function that runs cleanup handlers.
    Handlers,
    /// The thread that runs the handler of a signal.
    Handler {
        /// Which signal, by its number.
        number: i128,
        /// The function; `None`: whatever is set.
        handler: Option<FuncId>,
        /// What is set for it.
        cell: ObjId,
    },
    /// The function that runs destructors of keys; lowered last.
    Destructors,
    /// What is registered to run at exit, then functions one after another.
    AtExit(Vec<FuncId>),
    /// Functions one after another, then the end of the program.
    Calls(Vec<FuncId>),
    /// A call with constants, run by a thread of its own.
    Call(FuncId, Vec<Expr>, Span),
}

/// A function without a body whose address is taken.
#[derive(Debug)]
pub struct External {
    /// Its name as the program has it.
    pub name: String,
    /// How many arguments a call has.
    pub params: usize,
    /// Where its address is taken first.
    pub at: Bytes,
}

/// Functions: what is declared, what was asked for, what is lowered. A function is lowered when something asks for it;
/// each id given out is either in the queue, being lowered, or lowered.
#[derive(Default, Debug)]
pub struct Functions<'a> {
    /// What the file says of each name. A symbol found to be broken is taken out before anything is lowered.
    pub declared: BTreeMap<String, Declared<'a>>,
    /// By id; `None` until it is lowered.
    lowered: Vec<Option<Function>>,
    /// Of functions with a name to ask by: not those that are made as a whole.
    ids: FxHashMap<String, FuncId>,
    /// In the order in which they were asked for; destructors of keys last.
    queue: VecDeque<(FuncId, String, Work<'a>)>,
    /// Functions that some call names, also one that cannot be reached.
    called: BTreeSet<FuncId>,
    /// Functions whose address is taken.
    pointed_at: BTreeSet<FuncId>,
    /// Some call goes through a pointer.
    through_pointers: bool,
    /// Functions without a body whose address is taken: each has an id.
    pub externals: Vec<External>,
    /// Accesses to memory of each function lowered so far, by location of its graph.
    pub accesses: BTreeMap<FuncId, Vec<Access>>,
    /// Operands whose order C leaves open, of each function lowered so far.
    pub unsequenced: BTreeMap<FuncId, Unsequenced>,
    /// `main` returns inside an atomic section, here: refused if somebody calls it.
    pub open_main: Option<Span>,
    /// Number of synthetic threads so far: each has it in its name.
    threads: usize,
}

impl<'a> Functions<'a> {
    /// The id of a function with a body; lowers it later.
    pub fn ask(&mut self, name: &str) -> Option<FuncId> {
        if let Some(id) = self.ids.get(name) {
            return Some(*id);
        }
        let definition = self.declared.get(name)?.definition?;
        Some(self.enqueue(name.to_string(), Work::Definition(definition)))
    }
    /// Gives a function an id and lowers it later.
    pub fn enqueue(&mut self, name: String, work: Work<'a>) -> FuncId {
        let id = FuncId(self.lowered.len() as u32);
        self.lowered.push(None);
        self.ids.insert(name.clone(), id);
        self.queue.push_back((id, name, work));
        id
    }
    /// Gives a thread that the front end makes an id and a name of its own, and lowers it later.
    pub fn enqueue_thread(&mut self, stem: &str, work: Work<'a>) -> FuncId {
        self.threads += 1;
        self.enqueue(format!("{stem}{}", self.threads), work)
    }
    /// The next one to lower.
    pub fn next(&mut self) -> Option<(FuncId, String, Work<'a>)> {
        loop {
            let (id, name, work) = self.queue.pop_front()?;
            if matches!(work, Work::Destructors) && !self.queue.is_empty() {
                self.queue.push_back((id, name, work));
                continue;
            }
            return Some((id, name, work));
        }
    }
    /// A function from the queue is lowered.
    pub fn lowered(&mut self, id: FuncId, f: Function) {
        self.lowered[id.0 as usize] = Some(f);
    }
    /// A function that is made as a whole, without a name to ask by.
    pub fn made(&mut self, f: Function) -> FuncId {
        self.lowered.push(Some(f));
        FuncId(self.lowered.len() as u32 - 1)
    }
    /// All functions by id, at the end; none if one was not lowered.
    pub fn take(&mut self) -> Option<Vec<Function>> {
        std::mem::take(&mut self.lowered).into_iter().collect()
    }
    /// The id of a function that was asked for.
    pub fn id(&self, name: &str) -> Option<FuncId> {
        self.ids.get(name).copied()
    }
    /// The name that a function was asked for by; empty if by none.
    pub fn name(&self, id: FuncId) -> String {
        self.ids.iter().find(|x| *x.1 == id).map(|x| x.0.clone()).unwrap_or_default()
    }
    /// Does the file define a function of this name?
    pub fn is_defined(&self, name: &str) -> bool {
        self.declared.get(name).is_some_and(|d| d.definition.is_some())
    }
    /// A call names a function.
    pub fn call(&mut self, f: FuncId) {
        self.called.insert(f);
    }
    /// A call goes through a pointer.
    pub fn call_pointer(&mut self) {
        self.through_pointers = true;
    }
    /// The address of a function is taken.
    pub fn point_at(&mut self, f: FuncId) {
        self.pointed_at.insert(f);
    }
    /// Is the function called by name, or its address taken?
    pub fn is_named(&self, f: FuncId) -> bool {
        self.called.contains(&f) || self.pointed_at.contains(&f)
    }
    /// May some call reach the function?
    pub fn is_called(&self, f: FuncId) -> bool {
        self.called.contains(&f) || (self.through_pointers && self.pointed_at.contains(&f))
    }
}
