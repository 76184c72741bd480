//! Names and what they stand for.

use super::types::{RecordId, Ty};
use lang_c::ast::{FunctionDefinition, Initializer};
use lang_c::span::Node;
use relyant_cfa::diagnostic::{Diagnostic, Span};
use relyant_cfa::{ObjId, Reg};
use rustc_hash::FxHashMap;

/// Where a variable lives.
#[derive(Clone, Debug)]
pub enum Storage {
    /// A register of the running function.
    Register(Reg),
    /// An object of its own in memory.
    Object(ObjId),
    /// An array of variable length, as a block: the registers with its address and its size in bytes.
    Block(Reg, Reg),
}

/// A variable with static storage, made an object when it is first used.
#[derive(Clone, Debug)]
pub struct Global<'a> {
    /// How reports name it.
    pub name: String,
    /// The function that it is a static of.
    pub function: Option<String>,
    /// Type, completed by the initialiser where needed.
    pub ty: Ty,
    /// Its initialiser; none leaves it 0.
    pub init: Option<&'a Initializer>,
    /// `_Thread_local`: each thread has one.
    pub thread_local: bool,
    /// Only ever declared `extern`.
    pub external: bool,
    /// It is `const` as a whole.
    pub constant: bool,
    /// The object, once used.
    pub object: Option<ObjId>,
    /// Place of the declaration.
    pub span: Span,
}

/// What an identifier means.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A typedef name, and what it stands for.
    Type(Ty),
    /// An enumeration constant: its value and its type.
    Constant(i128, Ty),
    /// A variable of the function: where it lives, and its type.
    Local(Storage, Ty),
    /// A variable with static storage, by index.
    Global(usize),
    /// A function; [`Declared`] has its type.
    Function,
    /// A declaration that could not be understood: reported where it is used.
    Broken(Diagnostic),
}

/// A function of the file.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    /// Its type, of all its declarations together.
    pub ty: Ty,
    /// Its definition; none where the file only declares it.
    pub definition: Option<&'a Node<FunctionDefinition>>,
}

/// Tags of structs, unions and enums.
#[derive(Clone, Debug)]
pub enum Tag {
    /// A struct or union.
    Record(RecordId),
    /// An enum, and the integer type it has.
    Enum(Ty),
}

#[derive(Default, Debug)]
struct Frame {
    symbols: FxHashMap<String, Symbol>,
    tags: FxHashMap<String, Tag>,
}

/// Nested scopes, the file's first.
#[derive(Debug)]
pub struct Scopes {
    frames: Vec<Frame>,
}

impl Default for Scopes {
    fn default() -> Self {
        Scopes { frames: vec![Frame::default()] }
    }
}

impl Scopes {
    /// Opens a scope inside of the present one.
    pub fn enter(&mut self) {
        self.frames.push(Frame::default());
    }
    /// Closes the innermost scope; the file's stays open.
    pub fn leave(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }
    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }
    /// Only the file's scope is open.
    pub fn at_file(&self) -> bool {
        self.frames.len() == 1
    }
    /// Puts the local scopes aside, to look at the file's scope only.
    pub fn suspend(&mut self) -> Suspended {
        Suspended(self.frames.split_off(1))
    }
    /// Takes local scopes back.
    pub fn resume(&mut self, s: Suspended) {
        self.frames.truncate(1);
        self.frames.extend(s.0);
    }
    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, symbol: Symbol) {
        if let Some(f) = self.frames.last_mut() {
            f.symbols.insert(name.to_string(), symbol);
        }
    }
    /// What a name means.
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        self.frames.iter().rev().find_map(|f| f.symbols.get(name))
    }
    /// What a name means in the file's scope.
    pub fn of_file(&self, name: &str) -> Option<&Symbol> {
        self.frames.first()?.symbols.get(name)
    }
    /// Is the name declared inside a function?
    pub fn is_local(&self, name: &str) -> bool {
        self.frames.iter().skip(1).any(|f| f.symbols.contains_key(name))
    }
    /// Declares a tag in the innermost scope.
    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        if let Some(f) = self.frames.last_mut() {
            f.tags.insert(name.to_string(), tag);
        }
    }
    /// What a tag means.
    pub fn tag(&self, name: &str) -> Option<&Tag> {
        self.frames.iter().rev().find_map(|f| f.tags.get(name))
    }
    /// What a tag means in the innermost scope.
    pub fn tag_here(&self, name: &str) -> Option<&Tag> {
        self.frames.last()?.tags.get(name)
    }
}

/// Local scopes put aside.
#[derive(Debug)]
pub struct Suspended(Vec<Frame>);
