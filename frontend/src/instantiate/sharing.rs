//! Which objects one thread alone may write, worked out on the module before anything is inlined.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{Callee, Expr, FuncId, Module, ObjId, Op};
use std::collections::BTreeSet;

/// Objects of more cells are not followed.
const CELLS: usize = 256;

/// Facts about the objects of a module.
pub(crate) struct Sharing {
    /// Objects of which each thread has its own: locals of functions, thread-locals.
    own: BTreeSet<ObjId>,
    /// Of these, the ones whose address may come to another thread.
    escaping: BTreeSet<ObjId>,
    /// Cells that threads other than `main` may write; without a number, any of the object.
    written_by_threads: BTreeSet<(ObjId, Option<usize>)>,
    /// There is one thread at the start, and its function is never run by another.
    one_start: bool,
    small: BTreeSet<ObjId>,
}

impl Sharing {
    pub(crate) fn new(module: &Module, points_to: &PointsTo, taken: &BTreeSet<FuncId>) -> Sharing {
        let all = || (0..module.objects.len() as u32).map(ObjId);
        let object = |o: ObjId| &module.objects[o.0 as usize];
        let mut own: BTreeSet<ObjId> =
            module.functions.iter().flat_map(|f| f.locals.iter().copied()).collect();
        own.extend(all().filter(|o| object(*o).thread_local));
        let mut calls: Vec<BTreeSet<FuncId>> = vec![BTreeSet::new(); module.functions.len()];
        let mut routines = BTreeSet::new();
        let mut escaping = points_to.returned();
        for (f, function) in module.functions.iter().enumerate() {
            for e in &function.graph.edges {
                let meant = |callee: &Callee| match callee {
                    Callee::Known(g) => BTreeSet::from([*g]),
                    Callee::Pointer(p) => points_to.functions(f as u32, p).unwrap_or_else(|| taken.clone()),
                };
                match &e.op {
                    Op::Call { callee, .. } => calls[f].extend(meant(callee)),
                    Op::Create { routine, arg, .. } => {
                        routines.extend(meant(routine));
                        escaping.extend(arg.iter().flat_map(|a| points_to.held(f as u32, a)));
                    }
                    _ => {}
                }
            }
        }
        if module.starts.len() != 1 {
            routines.extend(module.starts.iter().copied());
        }
        let mut in_threads: BTreeSet<FuncId> = BTreeSet::new();
        let mut work: Vec<FuncId> = routines.into_iter().collect();
        while let Some(f) = work.pop() {
            if in_threads.insert(f) {
                work.extend(calls[f.0 as usize].iter().copied());
            }
        }
        let mut written_by_threads = BTreeSet::new();
        for f in &in_threads {
            for e in &module.functions[f.0 as usize].graph.edges {
                let Op::Store(a, _, _) = &e.op else { continue };
                match points_to.targets(f.0, a) {
                    Targets::Objects(set) => written_by_threads.extend(set),
                    Targets::Unknown => written_by_threads.extend(all().map(|o| (o, None))),
                }
            }
        }
        let mut work: Vec<ObjId> =
            all().filter(|o| !own.contains(o)).chain(escaping.iter().copied()).collect();
        while let Some(o) = work.pop() {
            for p in points_to.held_by(o) {
                if escaping.insert(p) {
                    work.push(p);
                }
            }
        }
        let one_start = module.starts.len() == 1 && !module.starts.iter().any(|f| in_threads.contains(f));
        let small = all().filter(|o| object(*o).cells.len() <= CELLS).collect();
        Sharing { own, escaping, written_by_threads, one_start, small }
    }

    /// Does each thread have an object of its own that no other can name?
    pub(crate) fn alone(&self, object: ObjId) -> bool {
        self.own.contains(&object) && !self.escaping.contains(&object)
    }

    /// May a thread (`main` or another) rely on what it last wrote to the cell?
    pub(super) fn follows(&self, object: ObjId, cell: u32, main: bool) -> bool {
        let alone = self.alone(object);
        let written = |k| self.written_by_threads.contains(&(object, k));
        self.small.contains(&object)
            && (alone || main && self.one_start && !written(None) && !written(Some(cell as usize)))
    }

    /// May the address of a thread's own object come to another thread?
    pub(super) fn escapes(&self, object: ObjId) -> bool {
        self.escaping.contains(&object)
    }

    /// Is there a `main`, run by one thread at the start?
    pub(super) fn one_start(&self) -> bool {
        self.one_start
    }

    /// Is the object a local of a function, which code that enters its scope initialises?
    pub(super) fn is_local(&self, module: &Module, object: ObjId) -> bool {
        self.own.contains(&object) && !module.objects[object.0 as usize].thread_local
    }
}

/// The functions whose address is taken.
pub(crate) fn taken(module: &Module) -> BTreeSet<FuncId> {
    let mut taken = BTreeSet::new();
    for e in module.functions.iter().flat_map(|f| &f.graph.edges) {
        for x in walk::reads(&e.op) {
            walk::visit(x, &mut |x| {
                if let Expr::Func(g) = x {
                    taken.insert(*g);
                }
            });
        }
    }
    taken
}
