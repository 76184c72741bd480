//! Which threads run a function, and where in it others may be alive: whatever `main` does before it creates the first
//! thread races with nothing.

use crate::instantiate::taken;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Callee, FuncId, Graph, Loc, Module, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Facts about the threads of a module.
pub(crate) struct Concurrent {
    /// Start routines whose threads run a function.
    runs: Vec<BTreeSet<FuncId>>,
    /// Start routines that several threads may run.
    many: BTreeSet<FuncId>,
    /// May there be another thread at a location?
    at: Vec<Vec<bool>>,
}

/// Calls and creations of a function: edge, who is meant, is a thread created?
struct Uses(Vec<(usize, BTreeSet<FuncId>, bool)>);

impl Concurrent {
    pub(crate) fn new(module: &Module, points_to: &PointsTo) -> Concurrent {
        let taken = taken(module);
        let uses: Vec<Uses> =
            (0..module.functions.len()).map(|f| Uses::of(module, points_to, &taken, f)).collect();
        let mut starts: BTreeMap<FuncId, u32> = BTreeMap::new();
        module.starts.iter().for_each(|f| *starts.entry(*f).or_default() += 1);
        let mut many: BTreeSet<FuncId> = starts.iter().filter(|s| *s.1 > 1).map(|s| *s.0).collect();
        let mut roots: BTreeSet<FuncId> = starts.keys().copied().collect();
        for (f, u) in uses.iter().enumerate() {
            for (edge, who, _) in u.0.iter().filter(|u| u.2) {
                for r in who {
                    let once = once(module, &uses, f, &mut BTreeSet::new());
                    let again = !roots.insert(*r);
                    if again || !once || on_cycle(&module.functions[f].graph, *edge) {
                        many.insert(*r);
                    }
                }
            }
        }
        let mut runs = vec![BTreeSet::new(); uses.len()];
        for r in roots {
            let mut work = vec![r];
            while let Some(f) = work.pop() {
                if runs[f.0 as usize].insert(r) {
                    work.extend(uses[f.0 as usize].0.iter().filter(|u| !u.2).flat_map(|u| &u.1));
                }
            }
        }
        let at = alive(module, &uses, &starts);
        Concurrent { runs, many, at }
    }

    /// May there be another thread?
    pub(crate) fn at(&self, f: FuncId, l: Loc) -> bool {
        self.at[f.0 as usize][l.0 as usize]
    }

    /// May two threads run the functions at the same time?
    pub(crate) fn both(&self, f: FuncId, g: FuncId) -> bool {
        let (x, y) = (&self.runs[f.0 as usize], &self.runs[g.0 as usize]);
        x.iter().any(|r| y.iter().any(|s| r != s || self.many.contains(r)))
    }
}

impl Uses {
    fn of(module: &Module, points_to: &PointsTo, taken: &BTreeSet<FuncId>, f: usize) -> Uses {
        let mut out = Vec::new();
        for (i, e) in module.functions[f].graph.edges.iter().enumerate() {
            let (callee, creates) = match &e.op {
                Op::Call { callee, .. } => (callee, false),
                Op::Create { routine, .. } => (routine, true),
                _ => continue,
            };
            let who = match callee {
                Callee::Known(g) => BTreeSet::from([*g]),
                Callee::Pointer(p) => points_to.functions(f as u32, p).unwrap_or_else(|| taken.clone()),
            };
            out.push((i, who, creates));
        }
        Uses(out)
    }
}

/// Can an edge be taken twice in one activation?
fn on_cycle(graph: &Graph, edge: usize) -> bool {
    let out = graph.out_edges();
    let mut seen = vec![false; graph.locations.len()];
    let mut work = vec![graph.edges[edge].to];
    while let Some(l) = work.pop() {
        if l == graph.edges[edge].from {
            return true;
        }
        if !std::mem::replace(&mut seen[l.0 as usize], true) {
            work.extend(out[l.0 as usize].iter().map(|e| graph.edges[*e].to));
        }
    }
    false
}

/// Is a function run once at most?
fn once(module: &Module, uses: &[Uses], f: usize, above: &mut BTreeSet<usize>) -> bool {
    let me = FuncId(f as u32);
    if !above.insert(f) {
        return false;
    }
    let mut from = Vec::new();
    for (g, u) in uses.iter().enumerate() {
        for (edge, _, creates) in u.0.iter().filter(|u| u.1.contains(&me)) {
            if *creates || on_cycle(&module.functions[g].graph, *edge) {
                return false;
            }
            from.push(g);
        }
    }
    let starts = module.starts.iter().filter(|s| **s == me).count();
    match from.as_slice() {
        [] => starts <= 1,
        [g] => starts == 0 && once(module, uses, *g, above),
        _ => false,
    }
}

/// Where another thread may be alive.
fn alive(module: &Module, uses: &[Uses], starts: &BTreeMap<FuncId, u32>) -> Vec<Vec<bool>> {
    let creates = creators(uses);
    let out: Vec<Vec<Vec<usize>>> = module.functions.iter().map(|f| f.graph.out_edges()).collect();
    let mut at: Vec<Vec<bool>> =
        module.functions.iter().map(|f| vec![false; f.graph.locations.len()]).collect();
    let entry = |f: FuncId| (f.0 as usize, module.functions[f.0 as usize].entry);
    let mut work: Vec<(usize, Loc)> = Vec::new();
    if module.starts.len() > 1 {
        work.extend(starts.keys().map(|f| entry(*f)));
    }
    for (f, u) in uses.iter().enumerate() {
        for (edge, who, is_create) in &u.0 {
            if *is_create {
                work.extend(who.iter().map(|g| entry(*g)));
            }
            if *is_create || who.iter().any(|g| creates.contains(g)) {
                work.push((f, module.functions[f].graph.edges[*edge].to));
            }
        }
    }
    while let Some((f, l)) = work.pop() {
        if std::mem::replace(&mut at[f][l.0 as usize], true) {
            continue;
        }
        for &e in &out[f][l.0 as usize] {
            work.push((f, module.functions[f].graph.edges[e].to));
            let called = uses[f].0.iter().filter(|u| u.0 == e && !u.2);
            work.extend(called.flat_map(|u| &u.1).map(|g| entry(*g)));
        }
    }
    at
}

/// Functions that may create a thread before they return.
fn creators(uses: &[Uses]) -> BTreeSet<FuncId> {
    let mut out: BTreeSet<FuncId> = BTreeSet::new();
    loop {
        let before = out.len();
        for (f, u) in uses.iter().enumerate() {
            if u.0.iter().any(|u| u.2 || u.1.iter().any(|g| out.contains(g))) {
                out.insert(FuncId(f as u32));
            }
        }
        if out.len() == before {
            return out;
        }
    }
}
