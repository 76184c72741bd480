//! Decides what the places that make memory make: sizes from the constants that may come to the place, types from what
//! its result is converted to.
//!
//! Which places make one object and which need many is decided when calls are inlined
//! ([`pool`](crate::instantiate::pool)).

use super::alloc::Site;
use super::homes::{self, Sighting};
use super::lower::Res;
use super::overlaid::{accesses, overlaid, reads_other_sign, same_bits};
use super::requests::BlockUnit;
use super::sizes::{Sizes, Values};
use super::source::Source;
use super::translation::Translation;
use super::types::{Ty, Types};
use super::views::{Conversion, Seen};
use super::wrappers::Copying;
use crate::instantiate::pool;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::walk;
use relyant_cfa::{
    BinOp, Callee, CmpOp, Expr, Extent, FuncId, Graph, HeapSite, IntKind, Loc, Measure, Module, ObjId, Op,
    Reg,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Elements of an object whose size may be anything.
const ELEMENTS: u64 = 32;
/// Largest object of which only the bytes are known.
const MAX_BYTES: i128 = 1 << 18;

/// What became of the places that make memory.
pub struct Settled {
    /// Functions that are copies, and of what; they have conversions of their own.
    pub copies: Vec<(FuncId, FuncId)>,
    /// Places whose blocks are a limit, or hold any numbers, because they are seen as different types.
    pub lost: usize,
}

/// Decides what the places that make memory make, and writes their functions.
pub fn settle(module: &mut Module, unit: &mut Translation, which: Copying) -> Res<Settled> {
    unit.memory.sites = called_sites(module, &unit.memory.sites);
    let none = unit.memory.sites.is_empty() && unit.memory.untyped.is_empty();
    if none && which == Copying::Wrappers {
        return Ok(Settled { copies: Vec::new(), lost: 0 });
    }
    let copies = super::wrappers::copy(module, &mut unit.memory, &mut unit.objects.types, which);
    let gated = which == Copying::AddressesGated && !unit.options.checks_memory();
    if unit.memory.sites.is_empty() {
        if gated {
            let (variables, conversions) = (&unit.objects.types, &mut unit.memory.conversions);
            super::gates::insert(module, &unit.types, variables, &BTreeMap::new(), conversions);
        }
        return Ok(Settled { copies, lost: 0 });
    }
    let sites = called_sites(module, &unit.memory.sites);
    let sizes = Sizes::new(module);
    outline(module, &sites, unit.memory.free.filter(|_| unit.options.checks_memory()));
    let mut settle = Settle {
        module,
        types: &unit.types,
        source: unit.source,
        check: unit.options.checks_memory(),
        sites,
        sizes,
        targets: BTreeMap::new(),
        seen: BTreeMap::new(),
        alike: BTreeSet::new(),
        lost: BTreeSet::new(),
    };
    let mut points_to = settle.probe();
    if gated {
        let asked = settle.sites.iter().filter_map(|s| settle.asked(s).map(|n| (s.object, n))).collect();
        let (variables, conversions) = (&unit.objects.types, &mut unit.memory.conversions);
        super::gates::insert(settle.module, &unit.types, variables, &asked, conversions);
        points_to = settle.probe();
    }
    settle.learn(&points_to, &unit.memory.conversions);
    settle.give_types(&points_to, &mut unit.objects.types)?;
    settle.forget_wrong_types()?;
    settle.limit_walked(unit)?;
    settle.limit_overlaid()?;
    let limits = settle.module.heap.iter().filter(|h| h.limit.is_some()).map(|h| h.object);
    settle.lost.extend(limits);
    Ok(Settled { copies, lost: settle.lost.len() })
}

/// The places, while what they make is decided.
struct Settle<'s> {
    module: &'s mut Module,
    types: &'s Types,
    source: &'s Source,
    /// Memory is checked: what is not known is refused.
    check: bool,
    /// Those that are called.
    sites: Vec<Site>,
    /// Before any place was written.
    sizes: Sizes,
    /// What the results of each place are converted to, each type once.
    targets: BTreeMap<ObjId, Vec<Ty>>,
    /// What they are seen as, from where on.
    seen: BTreeMap<ObjId, Vec<Sighting>>,
    /// Those that are seen as several types whose scalars lie at the same bytes.
    alike: BTreeSet<ObjId>,
    /// Those that hold any numbers, because they are accessed as something else.
    lost: BTreeSet<ObjId>,
}

impl Settle<'_> {
    /// The size that a place is asked for at most, if there is one.
    fn asked(&self, s: &Site) -> Option<i128> {
        self.sizes.eval(s.function.0 as usize, &Expr::Reg(Reg(0))).largest()
    }

    /// Where addresses go. What the types are depends on that, and that on how large objects are: bytes will do for it.
    fn probe(&mut self) -> PointsTo {
        for s in &self.sites {
            let bytes = self.asked(s).unwrap_or(0).clamp(256, 4096);
            let cells = vec![(IntKind::Ideal, String::new()); bytes as usize];
            self.module.objects[s.object.0 as usize].cells = cells;
        }
        pool::write_sites(self.module);
        PointsTo::of_module(self.module)
    }

    /// Notes what results are converted to.
    fn learn(&mut self, points_to: &PointsTo, conversions: &[(FuncId, Conversion)]) {
        self.seen = homes::sightings(points_to, conversions);
        for (f, c) in conversions.iter().filter(|c| c.1.seen != Seen::Again) {
            for o in points_to.held(f.0, &c.value) {
                let of = self.targets.entry(o).or_default();
                if !of.contains(&c.target) {
                    of.push(c.target.clone());
                }
            }
        }
    }

    /// Gives objects cells of the type that they are seen as, and notes the types.
    fn give_types(&mut self, points_to: &PointsTo, variables: &mut BTreeMap<ObjId, Ty>) -> Res<()> {
        for group in groups(self.module, &self.sites, points_to) {
            let mut of: Vec<Ty> = Vec::new();
            for t in group.iter().flat_map(|s| self.targets.get(&s.object).into_iter().flatten()) {
                if !of.contains(t) {
                    of.push(t.clone());
                }
            }
            let asked = group.iter().map(|s| self.asked(s)).try_fold(0, |a, b| b.map(|b| a.max(b)));
            let several = of.iter().filter(|t| is_type(self.types, t)).count() > 1;
            if let Some(bytes) = asked.filter(|_| several) {
                let seen: Vec<&Sighting> =
                    group.iter().flat_map(|s| self.seen.get(&s.object).into_iter().flatten()).collect();
                if let Some(home) = homes::home(self.types, &of, bytes, &seen) {
                    of = vec![home];
                    self.alike.extend(group.iter().map(|s| s.object));
                }
            }
            let sizes: BTreeSet<Option<i128>> = group.iter().flat_map(|s| exact(&self.sizes, s)).collect();
            let Shape { known, ty, unit } =
                shape(self.module, self.types, self.source, &group, &of, asked, self.check)?;
            variables.extend(ty.into_iter().flat_map(|t| group.iter().map(move |s| (s.object, t.clone()))));
            if !self.check {
                continue;
            }
            let Some(unit) = unit.filter(|_| known) else {
                if of.is_empty() && sizes.len() == 1 && !sizes.contains(&None) {
                    continue;
                }
                return Err(self.source.diagnostic(
                    group[0].span,
                    "memory whose size or type is not known here is not supported with checks of memory",
                    "use it for objects of one type",
                ));
            };
            for s in &group {
                let all = self.module.objects[s.object.0 as usize].cells.len() as u64;
                let measure = unit.measure(self.types, &exact(&self.sizes, s));
                let same = matches!(&measure, Measure::Listed(l) if l.iter().all(|x| x.1 == all));
                for h in self.module.heap.iter_mut().filter(|h| h.object == s.object && !same) {
                    h.measure = Some(measure.clone());
                }
            }
        }
        open_cells(self.module);
        pool::write_sites(self.module);
        Ok(())
    }

    /// Cells that are accessed as something else than they were taken for hold any number.
    fn forget_wrong_types(&mut self) -> Res<()> {
        let found = accesses(self.module, &PointsTo::of_module(self.module));
        let mut changed = false;
        for s in &self.sites {
            let cells = &self.module.objects[s.object.0 as usize].cells;
            let fits = |(cell, kind, _): &(Option<usize>, IntKind, bool)| match cell {
                Some(k) => cells.get(*k).is_none_or(|c| same_bits(c.0, *kind)),
                None => cells.iter().any(|c| same_bits(c.0, *kind)),
            };
            let of: &[_] = found.get(&s.object).map_or(&[], |f| f);
            let typed = cells.iter().any(|c| c.0 != IntKind::Ideal);
            if !typed || of.iter().all(fits) {
                continue;
            }
            let bytes = self.asked(s).unwrap_or(0).clamp(cells.len() as i128, MAX_BYTES);
            self.module.objects[s.object.0 as usize].cells = bytes_of(bytes as u64);
            changed = true;
            self.alike.remove(&s.object);
            self.lost.insert(s.object);
            if self.check {
                return Err(self.source.diagnostic(
                    s.span,
                    "memory used for objects of different types is not supported with checks of memory",
                    "use memory of its own for each type",
                ));
            }
        }
        if changed {
            open_cells(self.module);
            pool::write_sites(self.module);
        }
        Ok(())
    }

    /// Memory for objects whose bytes are walked over is a limit, in `main` an error; but for memory that nobody reads.
    fn limit_walked(&mut self, unit: &Translation) -> Res<()> {
        let points_to = PointsTo::of_module(self.module);
        let blocks = super::walks::blocks(self.module, unit, &points_to);
        if blocks.is_empty() {
            return Ok(());
        }
        let found = accesses(self.module, &points_to);
        for s in &self.sites {
            let Some((at, apart)) = blocks.get(&s.object) else { continue };
            let read = found.get(&s.object).is_some_and(|f| f.iter().any(|a| !a.2));
            let bytes = self.asked(s).filter(|n| (0..=MAX_BYTES).contains(n));
            if let (Some(bytes), false) =
                (bytes, read || *apart || self.check || !unit.memory.untyped.is_empty())
            {
                let object = &mut self.module.objects[s.object.0 as usize];
                let bytes = (bytes as u64).max(object.cells.len() as u64);
                object.cells = bytes_of(bytes);
                continue;
            }
            let help = "memory is scalars here, not bytes; use memory of its own for bytes";
            if in_main(self.module, s.function) {
                let what =
                    "memory for objects seen as bytes, with arithmetic on the pointer, is not supported";
                return Err(self.source.diagnostic(*at, what, help));
            }
            let line = at.line;
            let limit =
                format!("arithmetic on bytes of memory for objects is not supported (line {line}: {help})");
            let of = self.module.heap.iter_mut().filter(|h| h.object == s.object);
            of.for_each(|h| h.limit = Some(limit.clone()));
        }
        open_cells(self.module);
        pool::write_sites(self.module);
        Ok(())
    }

    /// Memory that is written as one type and read as another is a limit, in `main` an error.
    fn limit_overlaid(&mut self) -> Res<()> {
        let found = accesses(self.module, &PointsTo::of_module(self.module));
        for s in &self.sites {
            let several = self
                .targets
                .get(&s.object)
                .is_some_and(|t| t.iter().filter(|t| is_type(self.types, t)).count() > 1);
            let of: &[_] = found.get(&s.object).map_or(&[], |f| f);
            let mixed = several && !self.alike.contains(&s.object) && overlaid(of);
            let cells = &self.module.objects[s.object.0 as usize].cells;
            if mixed || cells.iter().all(|c| c.0 == IntKind::Ideal) && reads_other_sign(of) {
                let what = "memory used for objects of different types is not supported";
                let help = "their bytes overlap in different ways; use memory of its own for each type";
                if in_main(self.module, s.function) {
                    return Err(self.source.diagnostic(s.span, what, help));
                }
                let limit = format!("{what} (line {}: {help})", s.span.line);
                let of = self.module.heap.iter_mut().filter(|h| h.object == s.object);
                of.for_each(|h| h.limit = Some(limit.clone()));
            }
        }
        if self.module.heap.iter().any(|h| h.limit.is_some()) {
            pool::write_sites(self.module);
        }
        Ok(())
    }
}

/// Puts the places in the module; what they make is not known yet. `free`: a block that `realloc` is given is given back.
pub fn outline(module: &mut Module, sites: &[Site], free: Option<FuncId>) {
    module.heap = sites
        .iter()
        .map(|s| HeapSite {
            function: s.function,
            object: s.object,
            zero: s.zero,
            automatic: s.automatic,
            ends: s.ends,
            open: Vec::new(),
            most: None,
            limit: None,
            measure: None,
            moves: free.filter(|_| module.functions[s.function.0 as usize].params.len() > 1),
        })
        .collect();
    pool::write_sites(module);
}

/// Does `main` itself call a function?
fn in_main(module: &Module, f: FuncId) -> bool {
    let calls = |o: &Op| matches!(o, Op::Call { callee: Callee::Known(g), .. } if *g == f);
    module.functions.iter().any(|m| m.name == "main" && m.graph.edges.iter().any(|e| calls(&e.op)))
}

/// The functions that some call names.
pub fn called(module: &Module) -> BTreeSet<FuncId> {
    let mut called = BTreeSet::new();
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        if let Op::Call { callee: Callee::Known(f), .. } = &e.op {
            called.insert(*f);
        }
    }
    called
}

/// The places that are called; drops what was lowered and not used.
fn called_sites(module: &Module, sites: &[Site]) -> Vec<Site> {
    let called = called(module);
    sites.iter().filter(|s| called.contains(&s.function)).cloned().collect()
}

/// Is it a type that says what memory holds?
fn is_type(types: &Types, t: &Ty) -> bool {
    !matches!(t.plain(), Ty::Void | Ty::Function(_) | Ty::Unsupported(_)) && !types.is_incomplete(t)
}

/// Places that the same block may go through, by `realloc`.
fn groups(module: &Module, sites: &[Site], points_to: &PointsTo) -> Vec<Vec<Site>> {
    let mut group: Vec<usize> = (0..sites.len()).collect();
    for (i, s) in sites.iter().enumerate() {
        let Some(old) = module.functions[s.function.0 as usize].params.get(1) else { continue };
        for o in points_to.held(s.function.0, &Expr::Reg(*old)) {
            if let Some(k) = sites.iter().position(|t| t.object == o) {
                let (a, b) = (group[i].min(group[k]), group[i].max(group[k]));
                group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
            }
        }
    }
    let mut out: BTreeMap<usize, Vec<Site>> = BTreeMap::new();
    for (s, g) in sites.iter().zip(group) {
        out.entry(g).or_default().push(s.clone());
    }
    out.into_values().collect()
}

/// The sizes that a place may be asked for; `None` is any.
fn exact(sizes: &Sizes, s: &Site) -> Vec<Option<i128>> {
    match sizes.eval(s.function.0 as usize, &Expr::Reg(Reg(0))) {
        Values::Any => vec![None],
        Values::Some(set) => set.into_iter().map(Some).collect(),
    }
}

/// What the objects of a group of places are.
struct Shape {
    /// Their cells are all that there are.
    known: bool,
    /// Of what type.
    ty: Option<Ty>,
    /// What they are made of.
    unit: Option<BlockUnit>,
}

/// Gives the objects of a group of places their cells; `check`: a part of an element may be asked for.
fn shape(
    module: &mut Module,
    types: &Types,
    source: &Source,
    group: &[Site],
    of: &[Ty],
    asked: Option<i128>,
    check: bool,
) -> Res<Shape> {
    let mut element: Vec<&Ty> = of.iter().filter(|t| is_type(types, t)).collect();
    if element.len() > 1 {
        // Bytes are read and written as what they are part of.
        element.retain(|t| t.int().is_none_or(|i| i.rank != 1));
    }
    let whole = match element.as_slice() {
        [t] => types.size(t).ok().map(|(n, _)| (*t, i128::from(n.max(1)))),
        _ => None,
    };
    let bytes = asked.unwrap_or(i128::from(ELEMENTS) * whole.map_or(1, |w| w.1)).max(0);
    let mut cells = Vec::new();
    let (mut made, mut unit) = (None, None);
    let flexible = whole.and_then(|w| types.flatten_flexible(w.0, u64::try_from(bytes).unwrap_or(0)));
    if let Some(found) = flexible {
        match found {
            Ok(found) => {
                cells = found;
                unit = whole.and_then(|w| BlockUnit::flexible(types, w.0));
            }
            Err(why) => {
                return Err(source.diagnostic(group[0].span, format!("memory for objects: {why}"), ""));
            }
        }
    } else if let Some((t, one)) = whole.filter(|w| check || bytes % w.1 == 0) {
        let ty = match (bytes + one - 1) / one {
            0 if check => t.clone(),
            1 => t.clone(),
            n => Ty::Array(Rc::new(t.clone()), u64::try_from(n).ok()),
        };
        if let Err(why) = types.cells(&ty).and_then(|_| types.flatten(&ty, "", &mut cells)) {
            return Err(source.diagnostic(group[0].span, format!("memory for objects: {why}"), ""));
        }
        made = Some(ty);
        unit = BlockUnit::of(types, t);
    }
    let known = !cells.is_empty() || of.is_empty();
    if cells.is_empty() {
        if bytes > MAX_BYTES {
            let message = format!("memory of {bytes} bytes is not supported");
            return Err(source.diagnostic(group[0].span, message, "make it smaller"));
        }
        cells = bytes_of(bytes as u64);
    }
    for s in group {
        let object = &mut module.objects[s.object.0 as usize];
        object.cells = cells.clone();
        object.extent = if asked.is_none() { Extent::First } else { Extent::Cells };
        for h in module.heap.iter_mut().filter(|h| h.object == s.object) {
            h.most = if asked.is_none() { u64::try_from(bytes).ok() } else { None };
        }
    }
    Ok(Shape { known, ty: made, unit })
}

/// Cells for bytes of which nothing is known: a scalar takes one, wherever it is.
fn bytes_of(n: u64) -> Vec<(IntKind, String)> {
    match n {
        0 | 1 => vec![(IntKind::Ideal, String::new())],
        n => (0..n).map(|k| (IntKind::Ideal, format!("[{k}]"))).collect(),
    }
}

/// Finds the cells of fresh objects that may be read before they are written.
fn open_cells(module: &mut Module) {
    let mut calls: BTreeMap<FuncId, Option<(usize, usize)>> = BTreeMap::new();
    for (f, function) in module.functions.iter().enumerate() {
        for (i, e) in function.graph.edges.iter().enumerate() {
            if let Op::Call { callee: Callee::Known(g), .. } = &e.op {
                calls.entry(*g).and_modify(|c| *c = None).or_insert(Some((f, i)));
            }
        }
    }
    for k in 0..module.heap.len() {
        let cells = module.objects[module.heap[k].object.0 as usize].cells.len();
        let mut written = vec![false; cells];
        if let Some(Some((f, i))) = calls.get(&module.heap[k].function) {
            let graph = &module.functions[*f].graph;
            if let Op::Call { dst: Some(r), .. } = &graph.edges[*i].op {
                written_first(graph, *r, graph.edges[*i].to, &mut written);
            }
        }
        module.heap[k].open = written.into_iter().map(|w| !w).collect();
    }
}

/// Marks the cells of a fresh object that are written before anybody can read them: goes on as long as there is one
/// way, and the address is in registers of the function only.
fn written_first(graph: &Graph, r: Reg, mut at: Loc, written: &mut [bool]) {
    let out = graph.out_edges();
    let mut known: BTreeMap<Reg, i128> = BTreeMap::from([(r, 0)]);
    for _ in 0..graph.locations.len() {
        let possible: Vec<usize> = out[at.0 as usize]
            .iter()
            .copied()
            .filter(|i| !matches!(&graph.edges[*i].op, Op::Assume(e) if truth(e, &known) == Some(false)))
            .collect();
        let [i] = possible.as_slice() else { return };
        let e = &graph.edges[*i];
        let names = |x: &Expr| {
            let mut found = Vec::new();
            walk::registers(x, &mut found);
            found.iter().any(|r| known.contains_key(r))
        };
        match &e.op {
            Op::Assign(r, x) => {
                let of = place(x, &known);
                if of.is_none() && !matches!(x, Expr::Compare(..) | Expr::Not(_)) && names(x) {
                    return;
                }
                known.remove(r);
                of.map(|k| known.insert(*r, k));
            }
            Op::Load(r, a, _) => {
                let own = place(a, &known);
                if own.is_none() && names(a) {
                    return;
                }
                if own.is_some_and(|k| !usize::try_from(k).is_ok_and(|k| written.get(k) == Some(&true))) {
                    return;
                }
                known.remove(r);
            }
            Op::Store(a, v, _) => {
                if names(v) {
                    return;
                }
                match place(a, &known) {
                    Some(k) => {
                        let cell = usize::try_from(k).ok().and_then(|k| written.get_mut(k));
                        cell.into_iter().for_each(|w| *w = true);
                    }
                    None if names(a) => return,
                    None => {}
                }
            }
            op => {
                if !matches!(op, Op::Assume(_)) && walk::reads(op).into_iter().any(names) {
                    return;
                }
                if let Some(r) = walk::writes(op) {
                    known.remove(&r);
                }
            }
        }
        at = e.to;
    }
}

/// The distance from the fresh object's start, if the expression is an address in it.
fn place(e: &Expr, known: &BTreeMap<Reg, i128>) -> Option<i128> {
    match e {
        Expr::Reg(r) => known.get(r).copied(),
        Expr::Cast(a, IntKind::Ideal) => place(a, known),
        Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match &**b {
            Expr::Const(k) => place(a, known)?.checked_add(*k),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a condition holds, as far as it follows from the address not being null.
fn truth(e: &Expr, known: &BTreeMap<Reg, i128>) -> Option<bool> {
    match e {
        Expr::Not(a) => truth(a, known).map(|x| !x),
        Expr::Reg(r) if known.contains_key(r) => Some(true),
        Expr::Compare(op @ (CmpOp::Eq | CmpOp::Ne), a, b) => {
            let null = |x: &Expr| *x == Expr::Const(0);
            let fresh = place(a, known).is_some() && null(b) || null(a) && place(b, known).is_some();
            fresh.then_some(*op == CmpOp::Ne)
        }
        _ => None,
    }
}
