//! Upward-closed sets by their minimal elements: what is below, and what is above a configuration.

use relyant_finite::model::{Config, Local, Shared};
use rustc_hash::FxHashMap;

/// An element, by its place in the search's list of vertices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VertexId(u32);

impl index_vec::Idx for VertexId {
    fn from_usize(index: usize) -> VertexId {
        VertexId(u32::try_from(index).unwrap_or(u32::MAX))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A bit for each of the local states: a filter before comparing.
fn signature(c: &Config) -> u64 {
    c.locals.iter().fold(0, |s, (l, _)| s | 1 << (l.wrapping_mul(0x9E37_79B1) >> 26))
}

/// An index of configurations by vertex. The configurations themselves are elsewhere.
#[derive(Default)]
pub struct Minimal {
    /// By shared state: the element without threads, which is below all others of that state.
    bare: FxHashMap<Shared, VertexId>,
    /// By the local state that was rarest at the time.
    keyed: FxHashMap<(Shared, Local), Vec<(u64, VertexId)>>,
    /// All that have a thread there, and some that were removed.
    with: FxHashMap<(Shared, Local), Vec<VertexId>>,
    /// Shared states' elements, and some that were removed.
    here: FxHashMap<Shared, Vec<VertexId>>,
    /// The local state under which an element is in `keyed`; those of `bare` have none.
    key: FxHashMap<VertexId, Local>,
    live: usize,
    /// How many comparisons of configurations were made.
    pub work: u64,
}

impl Minimal {
    /// How many elements there are; entries of removed ones do not count.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Adds an element, by the number of its vertex.
    pub fn insert(&mut self, id: VertexId, c: &Config) {
        self.live += 1;
        self.here.entry(c.shared).or_default().push(id);
        let often = |l: &Local| self.with.get(&(c.shared, *l)).map_or(0, Vec::len);
        match c.locals.iter().map(|x| x.0).min_by_key(often) {
            None => drop(self.bare.insert(c.shared, id)),
            Some(l) => {
                self.key.insert(id, l);
                self.keyed.entry((c.shared, l)).or_default().push((signature(c), id));
            }
        }
        for (l, _) in c.locals.iter() {
            self.with.entry((c.shared, l)).or_default().push(id);
        }
    }

    /// Removes an element; its entries in `with` and `here` may stay.
    pub fn remove(&mut self, id: VertexId, c: &Config) {
        match self.key.remove(&id) {
            None => {
                if self.bare.get(&c.shared) == Some(&id) {
                    self.bare.remove(&c.shared);
                    self.live -= 1;
                }
            }
            Some(l) => {
                self.live -= 1;
                if let Some(list) = self.keyed.get_mut(&(c.shared, l)) {
                    if let Some(i) = list.iter().position(|x| x.1 == id) {
                        list.swap_remove(i);
                    }
                }
            }
        }
    }

    /// An element below `c`.
    pub fn below<'a>(&mut self, c: &Config, get: impl Fn(VertexId) -> &'a Config) -> Option<VertexId> {
        if let Some(id) = self.bare.get(&c.shared) {
            return Some(*id);
        }
        let bits = signature(c);
        for (l, _) in c.locals.iter() {
            let Some(list) = self.keyed.get(&(c.shared, l)) else { continue };
            self.work += list.len() as u64;
            let hit = list.iter().find(|(s, id)| s & !bits == 0 && get(*id).locals.is_below(&c.locals));
            if let Some((_, id)) = hit {
                return Some(*id);
            }
        }
        None
    }

    /// All elements below `c`, which may have [`super::ideals::OMEGA`].
    pub fn all_below<'a>(&mut self, c: &Config, get: impl Fn(VertexId) -> &'a Config) -> Vec<VertexId> {
        let mut out: Vec<VertexId> = self.bare.get(&c.shared).copied().into_iter().collect();
        let bits = signature(c);
        for (l, _) in c.locals.iter() {
            let Some(list) = self.keyed.get(&(c.shared, l)) else { continue };
            self.work += list.len() as u64;
            let fits = |x: &&(u64, VertexId)| x.0 & !bits == 0 && get(x.1).locals.is_below(&c.locals);
            out.extend(list.iter().filter(fits).map(|x| x.1));
        }
        out.sort_unstable();
        out
    }

    /// All elements above `c`.
    pub fn above<'a>(
        &mut self,
        c: &Config,
        live: impl Fn(VertexId) -> bool,
        get: impl Fn(VertexId) -> &'a Config,
    ) -> Vec<VertexId> {
        let key = |l: &Local| self.with.get(&(c.shared, *l)).map_or(0, Vec::len);
        let list = match c.locals.iter().map(|x| x.0).min_by_key(key) {
            None => self.here.get_mut(&c.shared),
            Some(l) => self.with.get_mut(&(c.shared, l)),
        };
        let Some(list) = list else { return Vec::new() };
        self.work += list.len() as u64;
        list.retain(|id| live(*id));
        let mut out: Vec<VertexId> =
            list.iter().copied().filter(|id| c.locals.is_below(&get(*id).locals)).collect();
        // one that came back may be listed twice
        out.sort_unstable();
        out.dedup();
        out
    }
}
