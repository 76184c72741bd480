//! C types, their sizes in bytes (for `sizeof`) and in cells (for addresses).

use super::shapeless::Shapeless;
use super::unions::{TAG, View};
use relyant_cfa::options::{DataModel, Integers, Options};
use relyant_cfa::{IntKind, Precision};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

/// Largest object, in cells.
pub const MAX_CELLS: u64 = 1 << 18;

/// An integer type; a bit-field's has the width of the field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Int {
    /// Conversion rank: 0 `_Bool`, 1 `char`, 2 `short`, 3 `int`, 4 `long`, 5 `long long`.
    pub rank: u8,
    /// Width in bits, the sign's included; 1 for `_Bool`.
    pub bits: u8,
    /// Has it negative values?
    pub signed: bool,
    /// The enumeration that it was declared as.
    pub names: Names,
}

/// An enumeration, by index, if there is one. To the rules of types it makes no difference: two are always equal.
#[derive(Clone, Copy, Debug)]
pub struct Names(pub Option<u32>);

impl Names {
    /// No enumeration.
    pub const NONE: Names = Names(None);
}

impl PartialEq for Names {
    fn eq(&self, _: &Names) -> bool {
        true
    }
}

impl Eq for Names {}

/// `int`, as x86 has it.
pub const INT: Int = Int { rank: 3, bits: 32, signed: true, names: Names::NONE };
/// `unsigned`, as x86 has it.
pub const UINT: Int = Int { rank: 3, bits: 32, signed: false, names: Names::NONE };
/// `short`.
pub const SHORT: Int = Int { rank: 2, bits: 16, ..INT };
/// `long long`.
pub const LONG_LONG: Int = Int { rank: 5, bits: 64, ..INT };
/// `_Bool`: only 0 and 1.
pub const BOOL: Int = Int { rank: 0, bits: 1, signed: false, names: Names::NONE };
/// `char`, which is signed on x86.
pub const CHAR: Int = Int { rank: 1, bits: 8, signed: true, names: Names::NONE };

/// Types of the thread library, known by name whatever a header says they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Sync {
    Mutex,
    Cond,
    RwLock,
    Spin,
    Semaphore,
    Barrier,
    Once,
    /// Any attribute object but a mutex's.
    Attribute,
    MutexAttribute,
}

impl Sync {
    /// The type a typedef name stands for.
    pub fn by_name(name: &str) -> Option<Sync> {
        Some(match name {
            "pthread_mutex_t" | "mtx_t" => Sync::Mutex,
            "pthread_cond_t" | "cnd_t" => Sync::Cond,
            "pthread_rwlock_t" => Sync::RwLock,
            "pthread_spinlock_t" => Sync::Spin,
            "sem_t" => Sync::Semaphore,
            "pthread_barrier_t" => Sync::Barrier,
            "pthread_once_t" | "once_flag" => Sync::Once,
            "pthread_mutexattr_t" => Sync::MutexAttribute,
            "pthread_attr_t" | "pthread_condattr_t" | "pthread_rwlockattr_t" | "pthread_barrierattr_t" => {
                Sync::Attribute
            }
            _ => return None,
        })
    }
}

/// A record type, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordId(pub usize);

/// What a function takes and returns.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// What it returns; `void` for nothing.
    pub result: Ty,
    /// Parameters; `None` when declared with `()`.
    pub params: Option<Vec<Ty>>,
    /// Ends with `...`: a call may have more arguments.
    pub variadic: bool,
}

/// A type without qualifiers but `_Atomic`; records are numbers, so that they may contain pointers to themselves.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Ty {
    Void,
    Int(Int),
    /// A floating type, by its size in bytes; `long double` has no values here.
    Float(u64),
    Pointer(Rc<Ty>),
    /// Element and length, where known.
    Array(Rc<Ty>, Option<u64>),
    Record(RecordId),
    Function(Rc<Signature>),
    Sync(Sync),
    Atomic(Rc<Ty>),
    /// A type the front end has no meaning for, and why.
    Unsupported(Rc<str>),
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// `None` for an unnamed bit-field or an anonymous record.
    pub name: Option<String>,
    /// Type (a bit-field's has its width).
    pub ty: Ty,
    /// Its first cell, counted from the record's.
    pub cell: u64,
    /// Its first byte, counted from the record's.
    pub byte: u64,
    /// Is it a bit-field?
    pub bit_field: bool,
    /// Cells from the first one of a row of bit-fields, which are one memory location (C11 3.14).
    pub in_unit: u64,
    /// It was declared `const`.
    pub constant: bool,
    /// Where it starts in its first byte.
    pub bit: u64,
}

/// A struct or a union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag; empty for a record without one.
    pub name: String,
    /// Is it a union? All its members start at the first cell.
    pub union: bool,
    /// Its members, in order; none while it is only declared.
    pub fields: Option<Vec<Field>>,
    /// Cells that an object of it has, once it is complete.
    pub cells: u64,
    /// What `sizeof` gives, in bytes, once it is complete.
    pub size: u64,
    /// What `_Alignof` gives, in bytes: a power of two.
    pub align: u64,
    /// Why its size is not known, if it is not.
    pub unknown: Option<Shapeless>,
    /// Layouts of a union's members in use.
    pub views: Vec<View>,
    /// The view of each member, if it is in use.
    pub view_of: Vec<Option<usize>>,
    /// The cell that says which view holds the bytes, where there are several.
    pub tag: Option<u64>,
}

impl Record {
    /// Is it a union of which no member is used? It has one cell, its first byte.
    pub fn is_unseen(&self) -> bool {
        self.union && self.views.is_empty() && self.cells == 1
    }
}

impl Ty {
    /// Pointer to this type.
    pub fn pointer(self) -> Ty {
        Ty::Pointer(Rc::new(self))
    }
    /// The type below `_Atomic`, itself where there is none.
    pub fn plain(&self) -> &Ty {
        match self {
            Ty::Atomic(t) => t.plain(),
            t => t,
        }
    }
    /// The integer type it is.
    pub fn int(&self) -> Option<Int> {
        match self.plain() {
            Ty::Int(i) => Some(*i),
            _ => None,
        }
    }
    /// What it points to.
    pub fn target(&self) -> Option<&Ty> {
        match self.plain() {
            Ty::Pointer(t) => Some(t),
            _ => None,
        }
    }
    /// The floating-point format it is.
    pub fn precision(&self) -> Option<Precision> {
        match self.plain() {
            Ty::Float(4) => Some(Precision::Single),
            Ty::Float(8) => Some(Precision::Double),
            _ => None,
        }
    }
    /// An integer or floating type.
    pub fn is_arithmetic(&self) -> bool {
        matches!(self.plain(), Ty::Int(_) | Ty::Float(_))
    }
    /// Held in one cell.
    pub fn is_scalar(&self) -> bool {
        self.precision().is_some() || matches!(self.plain(), Ty::Int(_) | Ty::Pointer(_))
    }
}

/// All record types, and the widths in use.
#[derive(Debug)]
pub struct Types {
    /// Records; a [`RecordId`] is an index here.
    pub records: Vec<Record>,
    /// Names of members that the file mentions.
    pub mentioned: FxHashSet<String>,
    /// One that has a start value, and is not.
    pub unmentioned: Option<String>,
    /// A mutex can be recursive or error checking, so it needs more cells.
    pub mutex_kinds: bool,
    /// A condition variable counts who waits.
    pub cond_counts: bool,
    /// Some union is seen in several ways.
    pub tagged: bool,
    /// Alignments that typedef names have besides their types.
    pub aligned: FxHashMap<String, u64>,
    /// Typedef names of `const` types.
    pub constant: FxHashSet<String>,
    /// Enumerations: names and values.
    pub enumerations: Vec<Arc<[(String, i128)]>>,
    ideal: bool,
    long_bits: u8,
}

impl Types {
    /// Types of a file that declares none yet.
    pub fn new(options: &Options) -> Types {
        Types {
            records: Vec::new(),
            mentioned: FxHashSet::default(),
            unmentioned: None,
            mutex_kinds: false,
            cond_counts: options.deadlock,
            tagged: false,
            aligned: FxHashMap::default(),
            constant: FxHashSet::default(),
            enumerations: Vec::new(),
            ideal: options.integers == Integers::Ideal,
            long_bits: if options.data_model == DataModel::Lp64 { 64 } else { 32 },
        }
    }
    /// `long` in the chosen data model.
    pub fn long(&self) -> Int {
        Int { rank: 4, bits: self.long_bits, ..INT }
    }
    /// `unsigned long`, which `size_t` is too.
    pub fn ulong(&self) -> Int {
        Int { signed: false, ..self.long() }
    }
    /// `wchar_t`: `long` on 32-bit x86, else `int`.
    pub fn wide_char(&self) -> Int {
        if self.is_32_bit() { self.long() } else { INT }
    }
    /// Is the program for 32-bit x86?
    pub fn is_32_bit(&self) -> bool {
        self.long_bits == 32
    }
    /// Kind of the cells and registers that hold a scalar.
    pub fn kind(&self, ty: &Ty) -> IntKind {
        match ty.plain() {
            Ty::Int(i) if i.rank == 0 => IntKind::Bool,
            Ty::Float(4) => Precision::Single.kind(),
            Ty::Float(_) => Precision::Double.kind(),
            Ty::Int(i) if !self.ideal => IntKind::Machine { bits: i.bits, signed: i.signed },
            _ => IntKind::Ideal,
        }
    }
    /// Integer promotion. As gcc has it, an unsigned bit-field wider than `int` is of a type of its own width. For a
    /// signed one the declared type gives what clang gives, and what gcc gives where that is defined.
    pub fn promote(&self, i: Int) -> Int {
        let is_long = i.rank == 4 && self.long_bits == 32;
        match i.bits {
            _ if i.rank < 3 => INT,
            0..32 => INT,
            32 if !is_long => Int { signed: i.signed, ..INT },
            33.. if i.signed => Int { bits: if i.rank == 4 { self.long_bits } else { 64 }, ..i },
            _ => i,
        }
    }
    /// The usual arithmetic conversions: to the wider type, of two equally wide ones to the unsigned one.
    pub fn common(&self, a: Int, b: Int) -> Int {
        let (a, b) = (self.promote(a), self.promote(b));
        match a.bits.cmp(&b.bits) {
            Ordering::Greater => a,
            Ordering::Less => b,
            Ordering::Equal => Int { rank: a.rank.max(b.rank), signed: a.signed && b.signed, ..a },
        }
    }
    /// Number of cells of an object, or why it has none.
    pub fn cells(&self, ty: &Ty) -> Result<u64, Shapeless> {
        let n = match ty.plain() {
            Ty::Int(_) | Ty::Pointer(_) | Ty::Float(4 | 8) => 1,
            Ty::Array(t, Some(n)) => self.cells(t)?.saturating_mul(*n),
            Ty::Array(_, None) => return Err(Shapeless::Length),
            Ty::Record(id) => match &self.records[id.0] {
                r if r.fields.is_some() => r.cells,
                r => return Err(Shapeless::Undefined(self.record_name(r))),
            },
            Ty::Sync(s) => match s {
                Sync::Mutex if self.mutex_kinds => 3,
                Sync::RwLock => 2,
                Sync::Cond if self.cond_counts => 2,
                Sync::Barrier => 3,
                _ => 1,
            },
            Ty::Float(_) => return Err(Shapeless::Wide),
            Ty::Void => return Err(Shapeless::Void),
            Ty::Function(_) => return Err(Shapeless::Function),
            Ty::Unsupported(why) => return Err(Shapeless::Unsupported(why.clone())),
            Ty::Atomic(_) => 1,
        };
        if n > MAX_CELLS { Err(Shapeless::Large) } else { Ok(n) }
    }
    fn record_name(&self, r: &Record) -> String {
        format!(
            "{} {}",
            if r.union { "union" } else { "struct" },
            if r.name.is_empty() { "(unnamed)" } else { &r.name }
        )
    }
    /// Is it a record that is not defined, or an array of such?
    pub fn is_incomplete(&self, ty: &Ty) -> bool {
        match ty.plain() {
            Ty::Record(id) => self.records[id.0].fields.is_none(),
            Ty::Array(t, _) => self.is_incomplete(t),
            _ => false,
        }
    }
    /// How far `p + 1` goes; 1 where the target has no size.
    pub fn stride(&self, target: &Ty) -> u64 {
        self.cells(target).unwrap_or(1)
    }
    /// Size and alignment in bytes.
    pub fn size(&self, ty: &Ty) -> Result<(u64, u64), Shapeless> {
        let word = u64::from(self.long_bits) / 8;
        if ty.is_whole() {
            // As gcc has it: aligned like an integer of its size, where there is one.
            let (n, align) = self.size(ty.plain())?;
            return Ok((n, if matches!(n, 1 | 2 | 4 | 8 | 16) { align.max(n) } else { align }));
        }
        Ok(match ty.plain() {
            Ty::Int(i) => {
                let n = match i.rank {
                    0 | 1 => 1,
                    2 => 2,
                    3 => 4,
                    4 => word,
                    _ => 8,
                };
                (n, n)
            }
            // `long double` on 32 bits.
            Ty::Float(12) => (12, 4),
            Ty::Float(n) => (*n, *n),
            Ty::Pointer(_) => (word, word),
            Ty::Array(t, Some(n)) => {
                let (s, a) = self.size(t)?;
                (s.checked_mul(*n).ok_or(Shapeless::Huge)?, a)
            }
            Ty::Array(_, None) => return Err(Shapeless::Size),
            Ty::Record(id) => match &self.records[id.0] {
                Record { unknown: Some(why), .. } => return Err(why.clone()),
                r if r.fields.is_some() => (r.size, r.align),
                r => return Err(Shapeless::Undefined(self.record_name(r))),
            },
            // glibc's.
            Ty::Sync(s) if self.is_32_bit() => match s {
                Sync::Mutex => (24, 4),
                Sync::Cond => (48, 4),
                Sync::RwLock => (32, 4),
                Sync::Attribute => (36, 4),
                Sync::Barrier => (20, 4),
                Sync::Semaphore => (16, 4),
                Sync::Spin | Sync::Once | Sync::MutexAttribute => (4, 4),
            },
            Ty::Sync(s) => match s {
                Sync::Mutex => (40, 8),
                Sync::Cond => (48, 8),
                Sync::RwLock | Sync::Attribute => (56, 8),
                Sync::Spin | Sync::Once | Sync::MutexAttribute => (4, 4),
                Sync::Semaphore | Sync::Barrier => (32, 8),
            },
            Ty::Void | Ty::Function(_) => (1, 1),
            Ty::Atomic(_) => (1, 1),
            Ty::Unsupported(why) => return Err(Shapeless::Unsupported(why.clone())),
        })
    }
    /// Alignment of a member: on 32-bit x86 eight bytes are aligned to four inside a record.
    pub fn member_align(&self, ty: &Ty) -> u64 {
        let mut scalar = ty;
        while let Ty::Array(t, _) = scalar {
            scalar = t;
        }
        let align = match ty {
            Ty::Array(t, _) => self.size(t).map_or(1, |s| s.1),
            t => self.size(t).map_or(1, |s| s.1),
        };
        match scalar {
            Ty::Int(_) | Ty::Float(8) if self.is_32_bit() => align.min(4),
            _ => align,
        }
    }
    /// Kinds and display suffixes of the cells of an object, in order.
    pub fn flatten(&self, ty: &Ty, suffix: &str, out: &mut Vec<(IntKind, String)>) -> Result<(), Shapeless> {
        match ty.plain() {
            Ty::Array(t, Some(n)) => {
                self.cells(ty)?;
                for i in 0..*n {
                    self.flatten(t, &format!("{suffix}[{i}]"), out)?;
                }
            }
            Ty::Record(id) => {
                let cells = self.cells(ty)?;
                let record = &self.records[id.0];
                let start = out.len();
                let named =
                    |f: &Field| f.name.as_ref().map_or(suffix.to_string(), |n| format!("{suffix}.{n}"));
                let fields = record.fields.as_deref().unwrap_or(&[]);
                if !record.union {
                    fields.iter().try_for_each(|f| self.flatten(&f.ty, &named(f), out))?;
                }
                for v in &record.views {
                    let f = &fields[v.field];
                    self.flatten(&f.ty, &named(f), out)?;
                    let rest = v.parts.iter().skip(v.own);
                    out.extend(rest.map(|p| (p.kind, format!("{suffix}.byte{}", p.bit / 8))));
                }
                if record.tag.is_some() {
                    out.push((TAG, format!("{suffix}.view")));
                }
                if record.is_unseen() {
                    out.push((IntKind::Machine { bits: 8, signed: false }, format!("{suffix}.byte0")));
                }
                let missing = (cells as usize).saturating_sub(out.len() - start);
                out.extend((0..missing).map(|_| (IntKind::INT, format!("{suffix}.pad"))));
            }
            Ty::Sync(s) => {
                let names: &[&str] = match s {
                    Sync::Mutex if self.mutex_kinds => &["", ".count", ".kind"],
                    Sync::RwLock => &[".writer", ".readers"],
                    Sync::Cond if self.cond_counts => &[".waiting", ".woken"],
                    Sync::Barrier => &[".count", ".arrived", ".round"],
                    _ => &[""],
                };
                out.extend(names.iter().map(|n| (IntKind::Ideal, format!("{suffix}{n}"))));
            }
            t => {
                self.cells(t)?;
                out.push((self.kind(t), suffix.to_string()));
            }
        }
        Ok(())
    }
    /// Cells of a record that ends in an array of any length, in memory of so many bytes; `None` if it is none.
    pub fn flatten_flexible(&self, ty: &Ty, bytes: u64) -> Option<Result<Vec<(IntKind, String)>, Shapeless>> {
        let Ty::Record(id) = ty.plain() else { return None };
        let record = self.records.get(id.0).filter(|r| !r.union && r.tag.is_none() && r.views.is_empty())?;
        let (last, fields) = record.fields.as_deref()?.split_last()?;
        let (Ty::Array(element, None | Some(0)), Some(name)) = (last.ty.plain(), &last.name) else {
            return None;
        };
        let cells = || {
            let mut out = Vec::new();
            for f in fields {
                let suffix = f.name.as_ref().map_or(String::new(), |n| format!(".{n}"));
                self.flatten(&f.ty, &suffix, &mut out)?;
            }
            out.resize(last.cell as usize, (IntKind::INT, ".pad".to_string()));
            let n = bytes.saturating_sub(last.byte) / self.size(element)?.0.max(1);
            if n.saturating_mul(self.cells(element)?) > MAX_CELLS {
                return Err(Shapeless::Large);
            }
            (0..n).try_for_each(|k| self.flatten(element, &format!(".{name}[{k}]"), &mut out))?;
            Ok(out)
        };
        Some(cells())
    }
    /// The type in words, for messages.
    pub fn describe(&self, ty: &Ty) -> String {
        match ty {
            Ty::Void => "void".into(),
            Ty::Int(i) if i.rank == 0 => "_Bool".into(),
            Ty::Int(i) => {
                let sign = if i.signed { "" } else { "unsigned " };
                let name = match i.rank {
                    1 => "char",
                    2 => "short",
                    3 => "int",
                    4 => "long",
                    _ => "long long",
                };
                format!("{sign}{name}")
            }
            Ty::Float(4) => "float".into(),
            Ty::Float(8) => "double".into(),
            Ty::Float(_) => "long double".into(),
            Ty::Pointer(t) => format!("{} *", self.describe(t)),
            Ty::Array(t, Some(n)) => format!("{} [{n}]", self.describe(t)),
            Ty::Array(t, None) => format!("{} []", self.describe(t)),
            Ty::Record(id) => self.record_name(&self.records[id.0]),
            Ty::Function(_) => "function".into(),
            Ty::Sync(s) => format!("{s:?}").to_lowercase(),
            Ty::Atomic(t) => format!("_Atomic {}", self.describe(t)),
            Ty::Unsupported(_) => "unsupported type".into(),
        }
    }
}
