//! Initialisers: which cell gets which expression.

use super::lower::{Lower, Res};
use super::types::{CHAR, Ty};
use super::value::{At, Place, Value, offset, wrap};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{Expr, InputSource, IntKind, ObjId, ObjectKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// Cells of a local object that get their values one by one.
const LARGE: usize = 512;
/// Most cells after which the kinds of a large object repeat.
const MOST: usize = 64;

/// What initialises a cell, or the cells of a record.
#[derive(Clone, Debug)]
pub enum Start<'a> {
    /// An expression, converted to the type.
    Expression(&'a Node<Expression>, Ty),
    /// A character of a string.
    Character(i128),
}

/// Items of a list, taken in order.
pub(super) struct Items<'a> {
    pub(super) list: &'a [Node<InitializerListItem>],
    pub(super) next: usize,
}

impl<'a> Items<'a> {
    pub(super) fn peek(&self) -> Option<&'a Node<InitializerListItem>> {
        self.list.get(self.next)
    }
}

pub(super) type Cells<'a> = BTreeMap<u64, Start<'a>>;

impl<'a> Lower<'a> {
    /// Number of elements that an initialiser gives an array of unknown length.
    pub fn initializer_length(&mut self, element: &Ty, init: &'a Initializer) -> Option<u64> {
        let one = self.unit.types.cells(element).ok()?.max(1);
        if let (Some(s), Some(_)) = (string_of(init), element.int()) {
            return self.string_cells(s, Bytes::none()).ok().map(|cells| cells.len() as u64);
        }
        let Initializer::List(list) = init else { return None };
        let mut cells = Cells::new();
        let mut items = Items { list, next: 0 };
        // Long enough for whatever the list holds.
        let end = self.array_items(element, 0..u64::MAX / one, 0, &mut items, false, &mut cells).ok()?;
        Some(end)
    }

    /// Lays an initialiser out over the cells of an object.
    pub fn lay_initializer(
        &mut self,
        ty: &Ty,
        init: &'a Initializer,
        base: u64,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        let plain = ty.plain().clone();
        match (&plain, init) {
            (Ty::Sync(s), _) => {
                // What a header's macro puts in is its own affair, but for the kind of a mutex.
                if *s == super::types::Sync::Mutex && self.unit.types.mutex_kinds {
                    let kind = self.mutex_initializer(init)?;
                    out.insert(base + 2, Start::Character(kind));
                }
                Ok(())
            }
            (Ty::Array(element, n), _) if string_of(init).is_some() && element.int().is_some() => {
                let cells = self.string_cells(string_of(init).unwrap_or_default(), Bytes::none())?;
                let n = n.unwrap_or(0);
                // Of any character type.
                let kind = self.unit.types.kind(element);
                for (k, c) in cells.into_iter().enumerate().take_while(|(k, _)| (*k as u64) < n) {
                    out.insert(base + k as u64, Start::Character(wrap(c, kind)));
                }
                Ok(())
            }
            (Ty::Array(..) | Ty::Record(_), Initializer::List(list)) => {
                let mut items = Items { list, next: 0 };
                self.aggregate(&plain, base, &mut items, false, out)?;
                Ok(())
            }
            (_, Initializer::List(list)) => match list.first() {
                Some(item) => self.lay_initializer(ty, &item.node.initializer.node, base, out),
                None => Ok(()),
            },
            (_, Initializer::Expression(e)) => {
                if let Some(list) = self.static_copy(&plain, e)? {
                    return self.aggregate(&plain, base, &mut Items { list, next: 0 }, false, out);
                }
                out.insert(base, Start::Expression(e, plain));
                Ok(())
            }
        }
    }

    /// Fills an array or record from a list; `elided`: its braces were left out.
    pub(super) fn aggregate(
        &mut self,
        ty: &Ty,
        base: u64,
        items: &mut Items<'a>,
        elided: bool,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        match ty {
            Ty::Array(t, n) => {
                self.array_items(t, 0..n.unwrap_or(0), base, items, elided, out)?;
                Ok(())
            }
            Ty::Record(id) => self.record_items(*id, 0, base, items, elided, out),
            _ => Ok(()),
        }
    }

    /// Says which view of a union the values that come next belong to.
    pub(super) fn start_view(
        &mut self,
        unions: &[(super::types::RecordId, usize, u64)],
        base: u64,
        at: Bytes,
        out: &mut Cells<'a>,
    ) -> Res<()> {
        for (id, field, start) in unions {
            let r = &self.unit.types.records[id.0];
            match (r.view_of.get(*field).copied().flatten(), r.tag) {
                (Some(view), Some(tag)) => {
                    out.insert(base + start + tag, Start::Character(view as i128));
                }
                (Some(_), None) => {}
                (None, _) => {
                    let field = r.fields.as_ref().and_then(|f| f.get(*field));
                    self.unit.types.unmentioned = field.and_then(|f| self.unit.types.any_name(f));
                    return self.refuse(at, "a start value for this member is", "name the member");
                }
            }
        }
        Ok(())
    }

    /// Fills some elements of an array; gives one more than the highest index seen.
    pub(super) fn array_items(
        &mut self,
        t: &Ty,
        places: Range<u64>,
        base: u64,
        items: &mut Items<'a>,
        elided: bool,
        out: &mut Cells<'a>,
    ) -> Res<u64> {
        let one = self.unit.types.stride(t);
        let Range { start, end: n } = places;
        let (mut k, mut end) = (start, start);
        while let Some(item) = items.peek() {
            if let Some((first, rest)) = item.node.designation.split_first() {
                if elided {
                    break;
                }
                let (from, to) = match &first.node {
                    Designator::Index(e) => (e, e),
                    Designator::Range(r) => (&r.node.from, &r.node.to),
                    Designator::Member(_) => {
                        return self.error(item.span, "a member designator in an array", "");
                    }
                };
                let (from, to) = (self.constant(from)?, self.constant(to)?);
                let (Some(from), Some(to)) = (from, to) else {
                    return self.error(item.span, "an index designator must be constant", "");
                };
                let max = n.min(1 << 18);
                let (Ok(from), Ok(to)) = (u64::try_from(from), u64::try_from(to)) else {
                    return self.error(item.span, "an index designator outside of the array", "");
                };
                if from > to || to >= max {
                    return self.error(item.span, "an index designator outside of the array", "");
                }
                items.next += 1;
                for i in from..to {
                    self.designated(t, base + i * one, rest, item, &mut Items { list: &[], next: 0 }, out)?;
                }
                self.designated(t, base + to * one, rest, item, items, out)?;
                k = to + 1;
                end = end.max(k);
                continue;
            }
            if k >= n {
                break;
            }
            let before = items.next;
            self.item(t, base + k * one, items, out)?;
            k += 1;
            end = end.max(k);
            if items.next == before {
                // An element without cells takes nothing.
                break;
            }
        }
        Ok(end)
    }

    /// One member or element without designator.
    pub(super) fn item(&mut self, ty: &Ty, base: u64, items: &mut Items<'a>, out: &mut Cells<'a>) -> Res<()> {
        let Some(item) = items.peek() else { return Ok(()) };
        let init = &item.node.initializer.node;
        let plain = ty.plain().clone();
        if let (Ty::Array(..) | Ty::Record(_), Initializer::Expression(e)) = (&plain, init) {
            let whole = match &plain {
                Ty::Array(..) => string_of(init).is_some(),
                // A record can start as a copy of another.
                _ => self.value_type(e)? == plain,
            };
            if !whole {
                return self.aggregate(&plain, base, items, true, out);
            }
        }
        items.next += 1;
        self.lay_initializer(&plain, init, base, out)
    }

    /// Start values of an object with static storage.
    pub fn static_initializer(
        &mut self,
        object: ObjId,
        ty: &Ty,
        init: &'a Initializer,
        at: Bytes,
    ) -> Res<()> {
        let mut cells = Cells::new();
        self.at_file_scope(|l| l.lay_initializer(ty, init, 0, &mut cells))?;
        self.static_starts(object, ty, &cells, at)
    }

    /// The same where it is laid out.
    pub(super) fn static_starts(&mut self, object: ObjId, ty: &Ty, cells: &Cells<'a>, at: Bytes) -> Res<()> {
        let starts = self.at_file_scope(|l| {
            let mut starts = Vec::new();
            for (cell, start) in cells {
                let (e, kind) = match start {
                    Start::Character(c) => (Expr::Const(*c), IntKind::INT),
                    Start::Expression(e, t) => {
                        let mark = l.body.mark();
                        let v = l.value(e)?;
                        let v = l.convert(v, t, e.span)?;
                        let moved = l.body.moved(mark);
                        l.rewind(mark);
                        if (moved && v.constant().is_none()) || !is_constant(&v.expr) {
                            return l.error(
                                e.span,
                                "the start value of a static object must be constant",
                                "",
                            );
                        }
                        (v.expr, l.unit.types.kind(t))
                    }
                };
                starts.push((*cell, e, kind));
            }
            Ok(starts)
        })?;
        if self.unit.is_fixed(object, ty) {
            return self.refuse(
                at,
                "a union whose start value names the address of its own member is",
                "assign it in a function",
            );
        }
        let n = self.unit.objects[object].cells.len() as u64;
        for (cell, e, kind) in starts {
            if cell >= n {
                continue;
            }
            match e {
                Expr::Const(v) => {
                    // The cell of a union may have the other signedness.
                    let o = &mut self.unit.objects[object];
                    o.init[cell as usize] = Some(super::value::wrap(v, o.cells[cell as usize].0));
                }
                e if self.unit.objects[object].thread_local => {
                    let _ = e;
                    return self.refuse(
                        at,
                        "a thread-local object that starts as an address is",
                        "assign it in the thread",
                    );
                }
                e => self.unit.objects.prologue.push((offset(Expr::Addr(object), cell), e, kind)),
            }
        }
        Ok(())
    }

    /// The kind in a mutex initialiser: the fifth number of glibc's.
    fn mutex_initializer(&mut self, init: &'a Initializer) -> Res<i128> {
        if !self.unit.types.mutex_kinds {
            return Ok(0);
        }
        let mut leaves = Vec::new();
        collect(init, &mut leaves);
        for e in leaves {
            if let Expression::Identifier(_) = &e.node {
                return Ok(self.constant(e)?.unwrap_or(0));
            }
        }
        Ok(0)
    }

    /// Initialises a local object or gives its cells any value.
    pub fn initialize_local(
        &mut self,
        object: ObjId,
        ty: &Ty,
        init: Option<&'a Initializer>,
        at: Bytes,
    ) -> Res<()> {
        let cells = self.unit.objects[object].cells.clone();
        let address = |k: usize| offset(Expr::Addr(object), k as u64);
        if let (Ty::Sync(_), None) = (ty, init) {
            return self.store_starts(object, &Cells::new());
        }
        let Some(init) = init else {
            let tags = self.unit.types.tags(ty);
            if cells.len() > LARGE && tags.is_empty() {
                self.any_values(object, &cells);
                return Ok(());
            }
            for (k, (kind, _)) in cells.iter().enumerate() {
                if tags.contains(&(k as u64)) {
                    self.body.initial_store(address(k), Expr::Const(0), *kind);
                    continue;
                }
                let v = self.body.havoc(*kind, InputSource::uninitialised());
                self.body.initial_store(address(k), v, *kind);
            }
            return Ok(());
        };
        if let (Initializer::Expression(e), Ty::Record(_)) = (init, ty.plain()) {
            let v = self.value(e)?;
            let v = self.convert(v, ty, e.span)?;
            // A fresh object: nobody knows an address in it.
            for k in self.unit.types.tags(ty) {
                self.body.initial_store(address(k as usize), Expr::Const(0), super::unions::TAG);
            }
            return self.initially(|l| l.copy(Expr::Addr(object), v.expr, ty, at));
        }
        let mut starts = Cells::new();
        self.lay_initializer(ty, init, 0, &mut starts)?;
        self.store_starts(object, &starts)
    }

    /// Gives a large object any values. Where it is met once, in `main`, it has them already.
    fn any_values(&mut self, object: ObjId, cells: &[(IntKind, String)]) {
        if self.body.name == "main" && self.context.jumps.is_empty() && self.body.labels.is_empty() {
            self.body.started.retain(|o| *o != object);
            return;
        }
        // As far as the kinds repeat.
        let one = (1..=MOST)
            .find(|n| cells.len() % n == 0 && (*n..cells.len()).all(|k| cells[k].0 == cells[k - n].0));
        let n = one.unwrap_or(cells.len());
        let i = self.body.count_up(&Expr::Const((cells.len() / n) as i128));
        for (k, (kind, _)) in cells[..n].iter().enumerate() {
            let v = self.body.havoc(*kind, InputSource::uninitialised());
            self.body.initial_store(offset(i.shifted(&Expr::Addr(object), n as i128), k as u64), v, *kind);
        }
        self.body.next(&i);
    }

    /// Stores what is given, then 0 everywhere else.
    pub(super) fn store_starts(&mut self, object: ObjId, starts: &Cells<'a>) -> Res<()> {
        let kinds: Vec<IntKind> = self.unit.objects[object].cells.iter().map(|c| c.0).collect();
        let mut given = vec![false; kinds.len()];
        self.body.begin_operands(true);
        for (cell, start) in starts.iter().filter(|(k, _)| (**k as usize) < kinds.len()) {
            let here = offset(Expr::Addr(object), *cell);
            let n = match start {
                Start::Character(c) => {
                    let kind = kinds.get(*cell as usize).copied().unwrap_or(IntKind::Ideal);
                    self.body.initial_store(here, Expr::Const(*c), kind);
                    1
                }
                Start::Expression(e, t) => {
                    let mark = self.body.mark();
                    let v = self.value(e)?;
                    let acts = self.body.moved(mark);
                    let place = Place { at: At::Memory(here), ty: t.clone(), bit_field: None, through: None };
                    self.initially(|l| l.write(&place, v, e.span))?;
                    if acts {
                        self.body.end_operand();
                    }
                    self.unit.types.stride(t)
                }
            };
            given.iter_mut().skip(*cell as usize).take(n as usize).for_each(|g| *g = true);
        }
        self.body.end_operand();
        self.body.end_operands();
        // A long rest of scalars of one kind is a loop.
        let rest = given.iter().rposition(|g| *g).map_or(0, |k| k + 1);
        let alike = kinds[rest..].windows(2).all(|w| w[0] == w[1]);
        if alike && kinds.len() - rest > LARGE {
            let kind = kinds[rest];
            let i = self.body.count_up(&Expr::Const((kinds.len() - rest) as i128));
            self.body.initial_store(
                i.shifted(&offset(Expr::Addr(object), rest as u64), 1),
                Expr::Const(0),
                kind,
            );
            self.body.next(&i);
            given.truncate(rest);
        }
        for k in (0..given.len()).filter(|k| !given[*k]) {
            self.body.initial_store(offset(Expr::Addr(object), k as u64), Expr::Const(0), kinds[k]);
        }
        Ok(())
    }

    /// A string literal: an object of its own.
    pub fn string(&mut self, parts: &[String], at: Bytes) -> Res<Value> {
        let cells = self.string_cells(parts, at)?;
        let char = Ty::Int(self.unit.string_unit(parts));
        let ty = Ty::Array(char.clone().into(), Some(cells.len() as u64));
        let name = format!("string#{}", self.unit.objects.len());
        let object = self.object(&name, &ty, at)?;
        let o = &mut self.unit.objects[object];
        o.kind = ObjectKind::Literal;
        o.constant = std::iter::once(0..cells.len()).collect();
        o.init = cells.into_iter().map(Some).collect();
        Ok(Value { expr: Expr::Addr(object), ty: char.pointer() })
    }

    /// The array that holds the name of the function being lowered, one for each function.
    pub fn function_name(&mut self, at: Bytes) -> Res<Place> {
        let name = self.body.name.split('#').next().unwrap_or("");
        let name = super::tokens::original_name(self.unit.source.names.plain(name));
        let ty = Ty::Array(Ty::Int(CHAR).into(), Some(name.len() as u64 + 1));
        let key = format!("__func__ {}", self.body.name);
        let object = match self.unit.objects.library.get(&key) {
            Some(o) => *o,
            None => {
                let v = self.string(&[format!("\"{name}\"")], at)?;
                let Expr::Addr(o) = v.expr else { return self.error(at, "no function has this name", "") };
                self.unit.objects.library.insert(key, o);
                o
            }
        };
        Ok(Place { at: At::Memory(Expr::Addr(object)), ty, bit_field: None, through: None })
    }
}

/// `__func__`, as C and gcc have it.
pub fn names_function(name: &str) -> bool {
    matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}

fn string_of(init: &Initializer) -> Option<&[String]> {
    match init {
        Initializer::Expression(e) => match &e.node {
            Expression::StringLiteral(s) => Some(&s.node),
            _ => None,
        },
        Initializer::List(list) => match list.as_slice() {
            [one] if one.node.designation.is_empty() => match &one.node.initializer.node {
                i @ Initializer::Expression(_) => string_of(i),
                _ => None,
            },
            _ => None,
        },
    }
}

/// A literal 0, which means the same to every member of a union.
pub(super) fn is_zero(init: &Initializer) -> bool {
    match init {
        Initializer::Expression(e) => match &e.node {
            Expression::Constant(c) => matches!(&c.node, Constant::Integer(i) if &*i.number == "0"),
            _ => false,
        },
        Initializer::List(list) => list.iter().all(|i| is_zero(&i.node.initializer.node)),
    }
}

fn collect<'a>(init: &'a Initializer, out: &mut Vec<&'a Node<Expression>>) {
    match init {
        Initializer::Expression(e) => out.push(e),
        Initializer::List(list) => list.iter().for_each(|i| collect(&i.node.initializer.node, out)),
    }
}

/// Fixed before the program runs.
fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Addr(_) | Expr::Func(_) => true,
        Expr::Unary(_, a, _) | Expr::Not(a) | Expr::Cast(a, _) => is_constant(a),
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => is_constant(a) && is_constant(b),
        Expr::Reg(_) | Expr::SelfId => false,
    }
}
