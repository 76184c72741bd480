//! Integer kinds, objects in memory, registers.

use crate::diagnostic::Span;
use crate::look::Look;
use std::fmt;
use std::ops::Range;

/// What values an integer (or pointer) takes and what arithmetic does to them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntKind {
    /// A machine integer. Unsigned arithmetic wraps; signed overflow is as the options say.
    Machine {
        /// Width in bits, 1 to 128.
        bits: u8,
        /// Is it signed (two's complement)?
        signed: bool,
    },
    /// `_Bool`: conversion to it gives 0 or 1.
    Bool,
    /// A mathematical integer (`--integers ideal`, and addresses).
    Ideal,
}

impl IntKind {
    /// `int`: 32 bits under either data model.
    pub const INT: IntKind = IntKind::Machine { bits: 32, signed: true };
    /// Smallest value, if there is one.
    pub fn min(self) -> Option<i128> {
        match self {
            IntKind::Machine { bits, signed: true } => Some(i128::MIN >> (128 - bits as u32)),
            IntKind::Machine { .. } | IntKind::Bool => Some(0),
            IntKind::Ideal => None,
        }
    }
    /// Largest value, if there is one (an `unsigned __int128` is refused by the front end).
    pub fn max(self) -> Option<i128> {
        match self {
            IntKind::Machine { bits, signed: true } => Some(i128::MAX >> (128 - bits as u32)),
            IntKind::Machine { bits, .. } if bits < 127 => Some((1i128 << bits) - 1),
            IntKind::Machine { .. } => Some(i128::MAX),
            IntKind::Bool => Some(1),
            IntKind::Ideal => None,
        }
    }
}

/// An object in memory, by index into `objects` of its module or program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjId(pub u32);

/// A function, by index into `functions` of its module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(pub u32);

/// A register, by index into `registers` of its function or template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg(pub u32);

/// What an object is for, beyond holding values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ObjectKind {
    /// A variable, a block, or the state of a lock and the like.
    #[default]
    Plain,
    /// What the verifier counts or notes for itself; a compiled program has nothing like it.
    Ghost,
    /// A string literal.
    Literal,
    /// Its cell holds the address which some thread is about to write, or 0 (see `relyant_frontend::races`).
    WatchedWrite,
    /// The same for reads.
    WatchedRead,
    /// Its cell holds what a signal is set to.
    Signal(u8),
}

/// Memory of unknown size has so many cells at most: more than any machine has bytes for a program.
pub const ENDLESS: u64 = 1 << 48;

/// How far an object goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// Its cells are all that it has.
    #[default]
    Cells,
    /// Its cells are the first of as many as the run asks for; where those are more, the run is at a limit before.
    First,
    /// It goes on after its cells as it began, for [`ENDLESS`] cells.
    Endless,
}

/// An object: one or more scalar cells (array elements, members flattened in order).
/// The address of its cell `k` is its base address plus `k`: one address a cell, whatever the cell's width.
/// `Debug` leaves out the function, the kind and the extent, which the other fields of an object and of the program imply, and the
/// look: digests of programs are made of what it prints.
#[derive(Clone, PartialEq, Eq)]
pub struct Object {
    /// Name in the source, `function::name` for a static or an addressed local.
    pub name: String,
    /// The function that it is a static or a local of; the name begins with it.
    pub function: Option<String>,
    /// What it is for.
    pub kind: ObjectKind,
    /// Kind and display suffix (`""`, `"[2]"`, `".next"`) of each cell.
    pub cells: Vec<(IntKind, String)>,
    /// Value of each cell at the start; `None` is any value of the kind.
    pub init: Vec<Option<i128>>,
    /// `__thread`: every thread has its own.
    pub thread_local: bool,
    /// A mutex or the like made by the front end, no object of the user's integers.
    pub synthetic: bool,
    /// Cells that are defined `const`: only what gives a new object its first values may write them (C11 6.7.3p6).
    pub constant: Vec<Range<usize>>,
    /// Has it more cells than `cells`?
    pub extent: Extent,
    /// Where it is declared.
    pub span: Span,
    /// How runs show it to people; nothing else depends on it.
    pub look: Look,
}

impl Object {
    /// The function that it is a static or a local of, and its name there.
    pub fn in_function(&self) -> Option<(&str, &str)> {
        let function = self.function.as_deref()?;
        Some((function, self.name.strip_prefix(function)?.strip_prefix("::")?))
    }
    /// How many cells it has.
    pub fn size(&self) -> u64 {
        match self.extent {
            Extent::Cells | Extent::First => self.cells.len() as u64,
            Extent::Endless => ENDLESS.max(self.cells.len() as u64),
        }
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Object {
            name,
            function: _,
            kind: _,
            cells,
            init,
            thread_local,
            synthetic,
            constant,
            extent: _,
            span,
            look: _,
        } = self;
        f.debug_struct("Object")
            .field("name", name)
            .field("cells", cells)
            .field("init", init)
            .field("thread_local", thread_local)
            .field("synthetic", synthetic)
            .field("constant", constant)
            .field("span", span)
            .finish()
    }
}

impl Object {
    /// A cell of the model's own, with the value that it has at the start; `None`: any.
    pub fn synthetic(name: impl Into<String>, kind: IntKind, start: Option<i128>, span: Span) -> Object {
        Object {
            name: name.into(),
            function: None,
            cells: vec![(kind, String::new())],
            init: vec![start],
            kind: ObjectKind::Ghost,
            thread_local: false,
            synthetic: true,
            look: Look::default(),
            constant: Vec::new(),
            extent: Extent::default(),
            span,
        }
    }
}

/// A register: a scalar local whose address is not taken, or a temporary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Name in the source; empty for a temporary.
    pub name: String,
    /// Kind of its values.
    pub kind: IntKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it would print without a kind.
    mod plain {
        use super::{IntKind, Range, Span};
        #[derive(Debug)]
        #[allow(dead_code)]
        pub struct Object {
            pub name: String,
            pub cells: Vec<(IntKind, String)>,
            pub init: Vec<Option<i128>>,
            pub thread_local: bool,
            pub synthetic: bool,
            pub constant: Vec<Range<usize>>,
            pub span: Span,
        }
    }

    #[test]
    fn the_function_of_an_object_is_data() {
        let of = |name: &str, function: Option<&str>| {
            let object = Object::synthetic(name, IntKind::INT, None, Span::default());
            let object = Object { function: function.map(String::from), ..object };
            object.in_function().map(|(f, x)| (f.to_string(), x.to_string()))
        };
        assert_eq!(of("f (a.c)::x#2", Some("f (a.c)")), Some(("f (a.c)".into(), "x#2".into())));
        assert_eq!(of("f::x", None), None);
        assert_eq!(of("g::x", Some("f")), None);
    }

    #[test]
    fn the_kind_of_an_object_is_not_printed() {
        let constant = std::iter::once(0..2).collect::<Vec<_>>();
        let o = Object {
            name: "string#0".into(),
            function: Some("f".into()),
            kind: ObjectKind::Literal,
            cells: vec![(IntKind::INT, "[0]".into()), (IntKind::Bool, "[1]".into())],
            init: vec![Some(104), None],
            thread_local: false,
            synthetic: true,
            constant: constant.clone(),
            extent: Extent::First,
            span: Span { line: 3, ..Span::default() },
            look: Look { cells: vec![crate::Shown::Owner], ..Look::default() },
        };
        let p = plain::Object {
            name: o.name.clone(),
            cells: o.cells.clone(),
            init: o.init.clone(),
            thread_local: o.thread_local,
            synthetic: o.synthetic,
            constant,
            span: o.span,
        };
        assert_eq!(format!("{o:?}\n{o:#?}"), format!("{p:?}\n{p:#?}"));
    }
}
