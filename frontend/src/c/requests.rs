//! How many cells of an object a request for so many bytes has, where memory is checked.

use super::types::{Ty, Types};
use relyant_cfa::Measure;

/// What a block is made of: elements, behind a head where it is a struct with a flexible array.
pub struct BlockUnit {
    /// Bytes and cells of the head.
    head: (u64, u64),
    /// What is repeated.
    element: Ty,
    /// Its bytes and cells.
    one: (u64, u64),
}

impl BlockUnit {
    /// Elements of a type.
    pub fn of(types: &Types, element: &Ty) -> Option<BlockUnit> {
        let one = (types.size(element).ok()?.0.max(1), types.cells(element).ok()?);
        Some(BlockUnit { head: (0, 0), element: element.clone(), one })
    }

    /// A struct that ends with a flexible array.
    pub fn flexible(types: &Types, ty: &Ty) -> Option<BlockUnit> {
        let Ty::Record(id) = ty.plain() else { return None };
        let last = types.records.get(id.0)?.fields.as_deref()?.last()?;
        let Ty::Array(element, _) = last.ty.plain() else { return None };
        Some(BlockUnit { head: (last.byte, last.cell), ..BlockUnit::of(types, element)? })
    }

    /// The cells of requests for one of these numbers of bytes; `None` is any.
    pub fn measure(&self, types: &Types, bytes: &[Option<i128>]) -> Measure {
        let all: Option<Vec<i128>> = bytes.iter().copied().collect();
        match all {
            Some(all) => Measure::Listed(all.into_iter().map(|b| (b, self.cells(types, b))).collect()),
            None => Measure::Counted { head: self.head, element: self.one },
        }
    }

    /// Cells that lie in so many bytes.
    fn cells(&self, types: &Types, bytes: i128) -> u64 {
        let bytes = u64::try_from(bytes).unwrap_or(0);
        let Some(rest) = bytes.checked_sub(self.head.0) else {
            return 0;
        };
        self.head.1 + rest / self.one.0 * self.one.1 + first(types, &self.element, rest % self.one.0)
    }
}

/// Cells of a type that lie in its first bytes.
fn first(types: &Types, ty: &Ty, bytes: u64) -> u64 {
    let whole = |t: &Ty| types.size(t).ok().zip(types.cells(t).ok()).map(|((b, _), c)| (b.max(1), c));
    let Some((size, cells)) = whole(ty) else { return 0 };
    if size <= bytes {
        return cells;
    }
    match ty.plain() {
        Ty::Array(t, _) => whole(t).map_or(0, |(b, c)| bytes / b * c + first(types, t, bytes % b)),
        Ty::Record(id) => {
            let fields = types.records.get(id.0).filter(|r| !r.union).and_then(|r| r.fields.as_deref());
            let fields = fields.unwrap_or_default().iter().filter(|f| f.byte <= bytes);
            fields
                .map(|f| (f, first(types, &f.ty, bytes - f.byte)))
                .filter(|f| f.1 > 0)
                .map(|(f, n)| f.cell + n)
                .max()
                .unwrap_or(0)
        }
        _ => 0,
    }
}
