//! Which accesses may race as far as can be seen without looking at runs, and which of two is to wait.

use super::concurrent::Concurrent;
use super::{Access, AccessTarget};
use crate::instantiate::{Sharing, taken};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Extent, FuncId, Module, ObjId, Violated};
use std::collections::{BTreeMap, BTreeSet};

/// Names in a message.
const NAMES: usize = 3;

/// What an access has to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Role {
    /// It may wait, and says so.
    pub(super) waits: bool,
    /// It looks whether somebody is about to write the cell.
    pub(super) minds_writes: bool,
    /// It looks whether somebody is about to read the cell.
    pub(super) minds_reads: bool,
    /// What is wrong if so.
    pub(super) error: Violated,
    /// Cells of the object, where all of it is accessed.
    pub(super) cells: u32,
    /// It may have more, if memory of any size is there.
    pub(super) open: bool,
}

struct Site {
    function: FuncId,
    access: Access,
    /// The access is ordered with all others of which that holds: atomic, or in an atomic section.
    ordered: bool,
    role: Role,
}

/// The accesses that may race, with their roles, and how many pairs there are; `only` leaves one of these.
pub(super) fn roles(
    module: &Module,
    points_to: &PointsTo,
    accesses: &[Vec<Access>],
    relaxed: bool,
    only: Option<usize>,
) -> (Vec<(FuncId, Access, Role)>, usize) {
    let concurrent = Concurrent::new(module, points_to);
    let sharing = Sharing::new(module, points_to, &taken(module));
    let shared = |o: ObjId| {
        let object = &module.objects[o.0 as usize];
        !object.thread_local && !object.synthetic && !sharing.alone(o)
    };
    let all: Vec<(ObjId, Option<usize>)> =
        (0..module.objects.len() as u32).map(|o| (ObjId(o), None)).filter(|c| shared(c.0)).collect();
    let mut sites = Vec::new();
    // Sites by object, with the cell if it is known.
    let mut users: BTreeMap<ObjId, Vec<(usize, Option<usize>)>> = BTreeMap::new();
    for (f, list) in accesses.iter().enumerate() {
        let (id, function) = (FuncId(f as u32), &module.functions[f]);
        for access in list.iter().filter(|a| concurrent.at(id, a.from)) {
            let mut cells = Vec::new();
            for e in function.graph.edges.iter().filter(|e| e.from == access.from) {
                let Some(a) = access.address(&e.op) else { continue };
                match points_to.targets(id.0, &a) {
                    Targets::Objects(set) => cells.extend(set.into_iter().filter(|c| shared(c.0))),
                    Targets::Unknown => cells.extend(all.iter().copied()),
                }
            }
            if cells.is_empty() {
                continue;
            }
            let whole = access.to == AccessTarget::Object;
            for (o, k) in &cells {
                let k = k.filter(|_| !whole);
                let first = k.map(|k| k.saturating_sub(access.in_unit as usize));
                users.entry(*o).or_default().push((sites.len(), first));
            }
            let ordered =
                access.atomic || function.atomic || function.graph.locations[access.from.0 as usize].atomic;
            let size = |c: &(ObjId, Option<usize>)| module.objects[c.0.0 as usize].cells.len();
            let role = Role {
                error: super::error(access, names(module, &cells)),
                cells: cells.iter().map(size).min().and_then(|n| u32::try_from(n).ok()).unwrap_or(1),
                open: whole && cells.iter().any(|c| module.objects[c.0.0 as usize].extent != Extent::Cells),
                waits: false,
                minds_writes: false,
                minds_reads: false,
            };
            sites.push(Site { function: id, access: *access, ordered, role });
        }
    }
    let waits = |s: &Site| !s.ordered && s.access.to != AccessTarget::Object;
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for list in users.values() {
        for (i, (a, k)) in list.iter().enumerate() {
            for (b, l) in &list[i..] {
                let (x, y) = (&sites[*a], &sites[*b]);
                let meet = k.is_none() || l.is_none() || k == l;
                // Two that give back one object are no race only.
                if meet
                    && (x.access.write || y.access.write)
                    && !(x.ordered && y.ordered)
                    && (waits(x) || waits(y))
                    && concurrent.both(x.function, y.function)
                {
                    pairs.insert((*a, *b));
                }
            }
        }
    }
    let count = pairs.len();
    let mut free = Vec::new();
    for (k, (a, b)) in pairs.into_iter().enumerate() {
        if only.is_some_and(|o| o != k) {
            continue;
        }
        match (waits(&sites[a]), waits(&sites[b])) {
            (true, false) => settle(&mut sites, a, b),
            (false, true) => settle(&mut sites, b, a),
            // One may be long done when the other one comes.
            _ if relaxed => {
                settle(&mut sites, a, b);
                settle(&mut sites, b, a);
            }
            _ => free.push((a, b)),
        }
    }
    for (a, b) in free {
        let (x, y) = (&sites[a], &sites[b]);
        // Whoever waits anyway; else the one that writes.
        let rank = |s: &Site| (s.role.waits, s.access.write);
        if rank(x) >= rank(y) { settle(&mut sites, a, b) } else { settle(&mut sites, b, a) }
    }
    let acts = |r: &Role| r.waits || r.minds_writes || r.minds_reads;
    let acting = sites.into_iter().filter(|s| acts(&s.role));
    (acting.map(|s| (s.function, s.access, s.role)).collect(), count)
}

/// One waits, the other one looks.
fn settle(sites: &mut [Site], waits: usize, looks: usize) {
    sites[waits].role.waits = true;
    if sites[waits].access.write {
        sites[looks].role.minds_writes = true;
    } else {
        sites[looks].role.minds_reads = true;
    }
}

/// Names of the first few cells, and whether there are more.
fn names(module: &Module, cells: &[(ObjId, Option<usize>)]) -> (Vec<String>, bool) {
    let mut out: Vec<String> = Vec::new();
    for (o, k) in cells {
        let object = &module.objects[o.0 as usize];
        let name = match k {
            Some(k) => format!("{}{}", object.name, object.cells[*k].1),
            None => object.name.clone(),
        };
        if !out.contains(&name) {
            out.push(name);
        }
    }
    let others = out.len() > NAMES;
    out.truncate(NAMES);
    (out, others)
}
