//! Arrays accessed at indices that only the run knows: of their cells one stands for all.
//!
//! The *tracked index* is a global that the run chooses at its start and nobody writes. Of each array that an access may
//! touch at too many places, the program keeps the element at that index and no other: a store elsewhere changes
//! nothing, a load elsewhere gives any value that the array's cells may have. Whatever the index, this does all that
//! the real program does, so what holds of it for every index holds of every element. (Skolem constants for
//! quantified invariants: Flanagan and Qadeer, "Predicate abstraction for software verification", POPL 2002; Lahiri
//! and Bryant's index predicates, CAV 2004.)
//!
//! An assertion about an element that was just read holds for the tracked one only. So the index is a prophecy: it is
//! the one at which the thread that will fail has its last load. Each thread has a flag that says whether its last
//! load from such an array was at the tracked index (there was none: yes), and locations of errors are entered only
//! with the flag set. This loses no error: take a run to an error of thread `T` and let the tracked index be that of
//! `T`'s last load (any, if there is none). The run is one of the abstract program, as it is for any index, and `T`'s
//! flag is set by that load and stays. Which loads count does not matter for that.

use super::case::{ValueCase, at_least, at_most, eq, le, times};
use super::range::Range;
use super::value::Linear;
use super::variables::Variables;
use relyant_cfa::{IntKind, ObjId, Object, Program};
use relyant_linear::LinExpr;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// When one element is kept of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayLimits {
    /// An access that may touch more cells of an object than this is not a case for each.
    pub cases: usize,
    /// Cells alike that make an array; fewer are kept apart.
    pub cells: usize,
    /// Accesses to arrays are told by [`Touch`](crate::Touch), and no element is kept.
    pub touches: bool,
}

impl ArrayLimits {
    /// Those for a program. Where threads are chosen, arrays have a slot for each thread or its handle, most often: what is known
    /// of each cell apart is no help.
    pub fn of(p: &Program) -> ArrayLimits {
        if p.chosen.is_some() { ArrayLimits::elements() } else { ArrayLimits::default() }
    }

    /// Those with which one element is kept of short arrays, too: where each cell apart is too much to know.
    pub fn elements() -> ArrayLimits {
        ArrayLimits { cases: 4, ..ArrayLimits::default() }
    }

    /// Those for orders of preference, in which the last element that was accessed is kept.
    pub fn touching() -> ArrayLimits {
        ArrayLimits { touches: true, ..ArrayLimits::elements() }
    }
}

impl Default for ArrayLimits {
    fn default() -> ArrayLimits {
        ArrayLimits { cases: 64, cells: 8, touches: false }
    }
}

/// Cells of an object that differ in their indices only: `first + stride * k`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Index in the object of the first of them.
    pub first: usize,
    /// Distance from one to the next, in cells; at least 1.
    pub stride: usize,
    /// How many cells it has.
    pub count: usize,
    /// So many of them the object lists, the first ones.
    pub listed: usize,
    /// The kind of each of its cells.
    pub kind: IntKind,
    /// Name of the element at the tracked index.
    pub name: String,
}

impl Array {
    /// Indices in the object of its cells that are listed, ascending.
    pub fn cells(&self) -> impl Iterator<Item = usize> + use<> {
        (self.first..).step_by(self.stride).take(self.listed)
    }
    /// Is the cell one of them?
    pub fn has(&self, cell: usize) -> bool {
        let far = cell.checked_sub(self.first);
        far.is_some_and(|d| d % self.stride == 0 && d / self.stride < self.count)
    }
}

/// What is kept of an object.
#[derive(Debug, Default)]
pub struct Parts {
    /// Arrays, of which one element each.
    pub arrays: Vec<Array>,
    /// Cells in variables of their own.
    pub apart: Vec<usize>,
    /// Cells that are not kept: what is read is any value.
    pub nowhere: Vec<usize>,
}

impl Parts {
    /// Is each cell that is not listed one of an array?
    pub fn covers(&self) -> bool {
        let n = self.arrays.len();
        let places: BTreeSet<usize> =
            self.arrays.iter().filter(|a| a.stride == n).map(|a| a.first % n).collect();
        n > 0 && places.len() == n
    }
}

/// The arrays of all objects, and which objects are kept as arrays.
#[derive(Debug, Default)]
pub struct Arrays {
    objects: Vec<Arranged>,
    limits: ArrayLimits,
}

#[derive(Debug, Default)]
struct Arranged {
    used: Cell<bool>,
    parts: Parts,
}

impl Arrays {
    /// Of a program; every object is kept cell by cell at first.
    pub fn new(p: &Program, limits: ArrayLimits) -> Arrays {
        Arrays { objects: p.objects.iter().map(|o| arrange(o, limits.cells)).collect(), limits }
    }
    /// An access that may touch more cells of an object goes by arrays.
    pub fn most_cases(&self) -> usize {
        self.limits.cases
    }
    /// Keeps an object as arrays from now on.
    pub fn use_for(&self, object: usize) {
        if let Some(o) = self.objects.get(object) {
            o.used.set(true);
        }
    }
    /// How many objects are kept as arrays.
    pub fn used(&self) -> usize {
        self.objects.iter().filter(|o| o.used.get()).count()
    }
    /// What is kept of an object that is kept as arrays.
    pub fn parts(&self, object: usize) -> Option<&Parts> {
        self.objects.get(object).filter(|o| o.used.get()).map(|o| &o.parts)
    }
    /// All arrays of an object, used or not.
    pub fn of(&self, object: usize) -> &[Array] {
        self.objects.get(object).map_or(&[], |o| &o.parts.arrays)
    }
    /// Are accesses told by touches?
    pub fn touches(&self) -> bool {
        self.limits.touches
    }
    /// The number of an array among all; `None` where it has none.
    pub fn number(&self, o: ObjId, array: usize) -> Option<u32> {
        let array = u8::try_from(array).ok()?;
        o.0.checked_mul(256)?.checked_add(array.into())
    }
    /// Indices of elements that are kept go up to this; `None` if none is kept.
    pub fn last_index(&self) -> Option<usize> {
        if self.touches() {
            return None;
        }
        let used = self.objects.iter().filter(|o| o.used.get());
        used.flat_map(|o| &o.parts.arrays).map(|a| a.count.saturating_sub(1)).max()
    }
}

/// Are there arrays of which one element is kept with [`ArrayLimits::elements`] only?
pub fn has_short_arrays(p: &Program) -> bool {
    let (few, many) = (ArrayLimits::elements(), ArrayLimits::default());
    let short = |a: &Array| a.count > few.cases && a.count <= many.cases;
    p.objects.iter().any(|o| arrange(o, few.cells).parts.arrays.iter().any(short))
}

impl Linear<'_> {
    /// When the address that a case's value is, in a range, lies in an array of an object with this base.
    pub fn inside(&self, c: &ValueCase, range: &Range, base: i128, a: &Array) -> ValueCase {
        let first = base.saturating_add(a.first as i128);
        let last = first.saturating_add(a.stride as i128 * (a.count as i128 - 1));
        let mut inside = c.clone();
        if range.lo().is_none_or(|lo| lo < first) {
            inside = inside.when(at_least(&c.value, first));
        }
        if range.hi().is_none_or(|hi| hi > last) {
            inside = inside.when(at_most(&c.value, last));
        }
        inside
    }
    /// The same, at the tracked index (`true`), before it, and behind it.
    pub fn array_cases(&self, c: &ValueCase, range: &Range, base: i128, a: &Array) -> Vec<(ValueCase, bool)> {
        let Some(index) = self.variables.index else { return Vec::new() };
        let first = base.saturating_add(a.first as i128);
        let at = LinExpr::int(first).add(&times(a.stride as i128, &LinExpr::var(index)));
        let one = LinExpr::int(1);
        let inside = self.inside(c, range, base, a);
        vec![
            (inside.clone().when(eq(&c.value, &at)), true),
            (inside.clone().when(le(&c.value.add(&one), &at)), false),
            (inside.when(le(&at.add(&one), &c.value)), false),
        ]
    }
}

/// Start values of the ghosts: any index, what the tracked elements are at the start, no load so far.
pub fn start(p: &Program, arrays: &Arrays, variables: &Variables, out: &mut crate::Program) {
    let Some(index) = variables.index else { return };
    out.init.push(at_least(&LinExpr::var(index), 0));
    if let Some(last) = arrays.last_index() {
        out.init.push(at_most(&LinExpr::var(index), last as i128));
    }
    for place in variables.places.values() {
        out.init.push(eq(&LinExpr::var(*place), &LinExpr::zero()));
    }
    for flag in variables.tracked.iter().flatten() {
        out.init.push(eq(&LinExpr::var(*flag), &LinExpr::int(1)));
    }
    for (o, object) in p.objects.iter().enumerate() {
        let o = ObjId(o as u32);
        for (k, a) in arrays.of(o.0 as usize).iter().enumerate() {
            let Some(v) = variables.element(o, k) else { continue };
            let value = LinExpr::var(v);
            let start =
                |k: usize| object.init.get(k).copied().flatten().map_or(Range::of_kind(a.kind), Range::one);
            let all = a.cells().fold(Range::none(), |r, k| r.join(&start(k)));
            if let Some(c) = all.single() {
                out.init.push(eq(&value, &LinExpr::int(c)));
                continue;
            }
            if let Some(lo) = all.lo() {
                out.init.push(at_least(&value, lo));
            }
            if let Some(hi) = all.hi() {
                out.init.push(at_most(&value, hi));
            }
        }
    }
}

/// Cells whose names differ only in numbers between brackets are an array if they lie at equal distances.
fn arrange(o: &Object, least: usize) -> Arranged {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (k, (_, suffix)) in o.cells.iter().enumerate() {
        alike.entry(shape(suffix)).or_default().push(k);
    }
    let mut parts = Parts::default();
    for (shape, cells) in alike {
        let [first, second, ..] = cells[..] else {
            parts.apart.extend(cells);
            continue;
        };
        let (stride, kind) = (second - first, o.cells[first].0);
        let regular =
            cells.windows(2).all(|w| w[1] - w[0] == stride) && cells.iter().all(|k| o.cells[*k].0 == kind);
        if cells.len() < least {
            parts.apart.extend(cells);
        } else if regular {
            let name = format!("{}{shape}", o.name);
            let listed = cells.len();
            let more = (o.size() - o.cells.len() as u64) as usize / stride;
            parts.arrays.push(Array { first, stride, count: listed + more, listed, kind, name });
        } else {
            parts.nowhere.extend(cells);
        }
    }
    Arranged { used: Cell::new(false), parts }
}

/// A suffix without the numbers in it.
fn shape(suffix: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in suffix.chars() {
        inside = (inside || c == '[') && c != ']';
        if inside && c != '[' {
            if out.ends_with('[') {
                out.push_str("index");
            }
            continue;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use relyant_cfa::ObjectKind;
    use relyant_cfa::diagnostic::Span;

    #[test]
    fn cells_alike_are_arrays() {
        let kind = IntKind::Machine { bits: 32, signed: true };
        let mut cells: Vec<(IntKind, String)> = Vec::new();
        for i in 0..10 {
            cells.push((kind, format!(".e[{i}].x")));
            cells.push((kind, format!(".e[{i}].y[0]")));
            cells.push((kind, format!(".e[{i}].y[1]")));
        }
        cells.push((kind, ".head".into()));
        let init = vec![Some(0); cells.len()];
        let span = Span::default();
        let o = Object {
            name: "q".into(),
            function: None,
            cells,
            init,
            kind: ObjectKind::Plain,
            thread_local: false,
            synthetic: false,
            look: Default::default(),
            constant: Vec::new(),
            extent: Default::default(),
            span,
        };
        let parts = arrange(&o, 8).parts;
        assert_eq!(
            parts.arrays,
            [Array { first: 0, stride: 3, count: 10, listed: 10, kind, name: "q.e[index].x".into() }]
        );
        assert_eq!((&parts.apart[..], parts.nowhere.len()), (&[30][..], 20));
        assert_eq!(parts.arrays[0].cells().last(), Some(27));
        assert!(parts.arrays[0].has(24) && !parts.arrays[0].has(25) && !parts.arrays[0].has(30));
    }
}
