//! How runs show objects to people: what each cell says, by its type.

use super::translation::Translation;
use super::types::{Sync, Ty, Types};
use relyant_cfa::{Block, Module, Precision, Shown};

/// Notes how all objects are shown.
pub fn note(module: &mut Module, unit: &Translation) {
    let blocks: Vec<_> = unit.memory.sites.iter().map(|s| s.object).collect();
    for (o, ty) in &unit.objects.types {
        let Some(object) = module.objects.get_mut(o.0 as usize) else { continue };
        let mut cells = Vec::new();
        unit.types.shown(ty, &mut cells);
        // What is not laid out as its type says is shown as numbers.
        if cells.len() != object.cells.len() || cells.iter().all(|c| *c == Shown::Plain) {
            cells.clear();
        }
        object.look.cells = cells;
    }
    for o in blocks {
        let stem = unit.objects.types.get(&o).map_or_else(|| "block".into(), |t| unit.types.stem(t));
        if let Some(object) = module.objects.get_mut(o.0 as usize) {
            object.look.block = Some(Block { site: o.0, number: 1, stem });
        }
    }
}

impl Types {
    /// What the cells of an object say, in the order of [`Types::flatten`].
    fn shown(&self, ty: &Ty, out: &mut Vec<Shown>) {
        match ty.plain() {
            Ty::Array(t, Some(n)) => (0..*n).for_each(|_| self.shown(t, out)),
            Ty::Record(id) => {
                let record = &self.records[id.0];
                if !record.union && record.views.is_empty() && record.tag.is_none() {
                    record.fields.iter().flatten().for_each(|f| self.shown(&f.ty, out));
                }
            }
            Ty::Sync(s) => out.extend(self.sync(*s)),
            Ty::Float(4) => out.push(Shown::Float(Precision::Single)),
            Ty::Float(_) => out.push(Shown::Float(Precision::Double)),
            Ty::Pointer(_) => out.push(Shown::Pointer),
            Ty::Int(i) => {
                let names = i.names.0.and_then(|n| self.enumerations.get(n as usize));
                out.push(names.map_or(Shown::Plain, |n| Shown::Enumerators(n.clone())));
            }
            _ => out.push(Shown::Plain),
        }
    }

    fn sync(&self, s: Sync) -> Vec<Shown> {
        match s {
            Sync::Mutex if self.mutex_kinds => vec![Shown::Owner, Shown::Hidden, Shown::Hidden],
            Sync::Mutex | Sync::Spin => vec![Shown::Owner],
            Sync::RwLock => vec![Shown::Owner, Shown::Readers],
            Sync::Cond if self.cond_counts => vec![Shown::Waiting, Shown::Woken],
            Sync::Semaphore => vec![Shown::Available],
            Sync::Barrier => vec![Shown::Hidden, Shown::Arrived, Shown::Hidden],
            Sync::Cond | Sync::Once | Sync::Attribute | Sync::MutexAttribute => vec![Shown::Hidden],
        }
    }

    /// What blocks of a type are called.
    fn stem(&self, ty: &Ty) -> String {
        match ty.plain() {
            Ty::Array(t, _) => self.stem(t),
            Ty::Record(id) => match self.records[id.0].name.as_str() {
                "" => "block".into(),
                name => super::tokens::original_name(name),
            },
            Ty::Int(_) => self.describe(ty).replace(' ', "_"),
            Ty::Float(4) => "float".into(),
            Ty::Float(_) => "double".into(),
            Ty::Sync(s) => format!("{s:?}").to_lowercase(),
            _ => "block".into(),
        }
    }
}
