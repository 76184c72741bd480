//! What an edge is to the buffer of its thread, and which stores a load may overtake.
//!
//! A store that no load can overtake goes straight to memory. Until the buffer is empty again the thread then only
//! computes, stores, and loads what it stored last; so each run with a buffer is one without in which the thread does all of
//! that, from the store on, when the store comes to memory.

use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::walk;
use relyant_cfa::{Count, Expr, Loc, ObjId, Op, Order, Owner, Program, Reg};
use std::collections::BTreeSet;

/// What an edge is to the buffer of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BufferUse {
    /// No other thread can tell when it is done.
    Local,
    /// Goes straight to memory.
    Direct,
    /// Looks into the buffer, then into memory.
    Load,
    /// Goes to the buffer.
    Store,
    /// Waits until the buffer is empty, and goes straight to memory.
    Drain,
}

/// Facts about a program without buffers.
pub(super) struct Facts {
    points_to: PointsTo,
    /// May several threads access the object?
    shared: Vec<bool>,
    /// May it be written while there are several threads?
    written: Vec<bool>,
    /// By template and location: is the thread alone there?
    alone: Vec<Vec<bool>>,
    kinds: Vec<Vec<BufferUse>>,
    /// By template and edge: a load of what another thread may write.
    contested: Vec<Vec<bool>>,
}

impl Facts {
    pub(super) fn new(program: &Program) -> Facts {
        let n = program.objects.len();
        let mut facts = Facts {
            points_to: PointsTo::new(program),
            shared: vec![false; n],
            written: vec![false; n],
            alone: alone(program),
            kinds: Vec::new(),
            contested: Vec::new(),
        };
        let mut users: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
        for (t, template) in program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                let (Op::Load(_, a, _) | Op::Store(a, ..)) = &e.op else { continue };
                let writes = matches!(e.op, Op::Store(..)) && !facts.alone[t][e.from.0 as usize];
                for o in facts.objects(program, t, a) {
                    users[o.0 as usize].insert(t as u32);
                    facts.written[o.0 as usize] |= writes;
                }
            }
        }
        for (o, users) in users.iter().enumerate() {
            let many = |t: &u32| program.templates[*t as usize].count != Count::AtMost(1);
            let own = program.owners[o] != Owner::Shared;
            facts.shared[o] = !own && (users.len() > 1 || users.iter().any(many));
        }
        let all = 0..program.templates.len();
        facts.kinds = all.clone().map(|t| facts.kinds_of(program, t)).collect();
        facts.contested = all.map(|t| facts.contested_in(program, t)).collect();
        facts
    }

    /// By edge of a template: is it a load of what another thread may write?
    pub(super) fn contested(&self, t: usize) -> &[bool] {
        &self.contested[t]
    }

    fn contested_in(&self, program: &Program, t: usize) -> Vec<bool> {
        let many = program.templates[t].count != Count::AtMost(1);
        let others = || program.templates.iter().enumerate().filter(move |(u, _)| *u != t || many);
        let stores: Vec<Targets> = others()
            .flat_map(|(u, other)| other.graph.edges.iter().map(move |e| (u, e)))
            .filter(|(u, e)| !self.alone[*u][e.from.0 as usize])
            .filter_map(|(u, e)| match &e.op {
                Op::Store(a, ..) => Some(self.points_to.targets(u as u32, a)),
                _ => None,
            })
            .collect();
        let contested = |(i, e): (usize, &relyant_cfa::Edge)| match &e.op {
            Op::Load(_, a, _) if self.kinds[t][i] == BufferUse::Load => {
                let read = self.points_to.targets(t as u32, a);
                stores.iter().any(|s| meet(s, &read))
            }
            _ => false,
        };
        program.templates[t].graph.edges.iter().enumerate().map(contested).collect()
    }

    /// May the two addresses, of two templates, be one?
    pub(super) fn meet_across(&self, (t, a): (usize, &Expr), (u, b): (usize, &Expr)) -> bool {
        meet(&self.points_to.targets(t as u32, a), &self.points_to.targets(u as u32, b))
    }

    /// Is the thread alone at a location?
    pub(super) fn is_alone(&self, t: usize, l: Loc) -> bool {
        self.alone[t][l.0 as usize]
    }

    /// By edge of a template.
    pub(super) fn kinds(&self, t: usize) -> &[BufferUse] {
        &self.kinds[t]
    }

    /// May the two addresses be one?
    pub(super) fn meet(&self, t: usize, a: &Expr, b: &Expr) -> bool {
        self.meet_across((t, a), (t, b))
    }

    fn objects(&self, program: &Program, t: usize, a: &Expr) -> BTreeSet<ObjId> {
        match self.points_to.targets(t as u32, a) {
            Targets::Objects(set) => set.into_iter().map(|c| c.0).collect(),
            Targets::Unknown => (0..program.objects.len() as u32).map(ObjId).collect(),
        }
    }

    fn kinds_of(&self, program: &Program, t: usize) -> Vec<BufferUse> {
        let graph = &program.templates[t].graph;
        let kind = |e: &relyant_cfa::Edge| {
            let from = &graph.locations[e.from.0 as usize];
            let drained = from.order == Order::Drained;
            let (a, store) = match &e.op {
                Op::Load(_, a, _) => (a, false),
                Op::Store(a, ..) => (a, true),
                Op::Create { .. } | Op::Join { .. } | Op::ThreadExit(_) => return BufferUse::Drain,
                Op::Halt | Op::Call { .. } | Op::Return(_) => return BufferUse::Direct,
                _ if drained => return BufferUse::Drain,
                Op::Skip | Op::Assign(..) | Op::Havoc { .. } | Op::Assume(_) => return BufferUse::Local,
            };
            let touched = self.objects(program, t, a);
            let shared = touched.iter().any(|o| self.shared[o.0 as usize]);
            let written = touched.iter().any(|o| self.written[o.0 as usize]);
            if drained {
                BufferUse::Drain
            } else if !shared {
                BufferUse::Local
            } else if self.alone[t][e.from.0 as usize] {
                BufferUse::Direct
            } else if store && (from.order == Order::Buffered || from.initial) {
                BufferUse::Store
            } else if !store && !written {
                BufferUse::Local
            } else if !store && from.order == Order::Buffered {
                BufferUse::Load
            } else {
                BufferUse::Direct
            }
        };
        graph.edges.iter().map(kind).collect()
    }

    /// May a load overtake the store of an edge? By edge.
    pub(super) fn overtaken(&self, program: &Program, t: usize) -> Vec<bool> {
        let graph = &program.templates[t].graph;
        let out = graph.out_edges();
        let is_store = |i: &usize| self.kinds[t][*i] == BufferUse::Store;
        let mut overtaken = vec![false; graph.edges.len()];
        for i in (0..graph.edges.len()).filter(is_store) {
            let Op::Store(stored, ..) = &graph.edges[i].op else { continue };
            // Locations that are reached while the store may wait, and whether it is the last one then.
            let mut seen: BTreeSet<(Loc, bool)> = BTreeSet::new();
            let mut work = vec![(graph.edges[i].to, is_fixed(stored))];
            while let Some((l, last)) = work.pop() {
                if !seen.insert((l, last)) {
                    continue;
                }
                for &j in &out[l.0 as usize] {
                    let e = &graph.edges[j];
                    let own = |a: &Expr| last && a == stored;
                    let last = match (self.kinds[t][j], &e.op) {
                        (BufferUse::Drain, _) | (_, Op::Halt) => continue,
                        (BufferUse::Local, _) => last,
                        (BufferUse::Load, Op::Load(_, a, _)) if own(a) => true,
                        // Nobody else writes there.
                        (BufferUse::Load, _) if !self.contested[t][j] => last,
                        (BufferUse::Store, Op::Store(a, ..)) => own(a),
                        _ => {
                            overtaken[i] = true;
                            break;
                        }
                    };
                    work.push((e.to, last));
                }
            }
        }
        overtaken
    }
}

/// Loads of what others write that may come while one of these stores waits. By edge.
pub(super) fn overtaking(facts: &Facts, program: &Program, t: usize, overtaken: &[bool]) -> Vec<bool> {
    let graph = &program.templates[t].graph;
    let out = graph.out_edges();
    let mut found = vec![false; graph.edges.len()];
    let mut seen = vec![false; graph.locations.len()];
    let mut work: Vec<Loc> =
        graph.edges.iter().zip(overtaken).filter(|(_, o)| **o).map(|(e, _)| e.to).collect();
    while let Some(l) = work.pop() {
        if std::mem::replace(&mut seen[l.0 as usize], true) {
            continue;
        }
        for &i in &out[l.0 as usize] {
            if facts.kinds(t)[i] != BufferUse::Drain {
                found[i] = facts.contested(t)[i];
                work.push(graph.edges[i].to);
            }
        }
    }
    found
}

/// May two addresses be one?
fn meet(a: &Targets, b: &Targets) -> bool {
    let (Targets::Objects(a), Targets::Objects(b)) = (a, b) else { return true };
    a.iter().any(|(o, k)| b.iter().any(|(p, l)| o == p && (k.is_none() || l.is_none() || k == l)))
}

/// Has the expression one value as long as the thread runs?
pub(super) fn is_fixed(e: &Expr) -> bool {
    let mut registers: Vec<Reg> = Vec::new();
    walk::registers(e, &mut registers);
    registers.is_empty()
}

/// Where the thread that runs from the start is alone: before it creates another one.
fn alone(program: &Program) -> Vec<Vec<bool>> {
    let starts = program.templates.iter().filter(|t| t.initial);
    let one = starts.clone().count() == 1 && starts.clone().all(|t| t.count == Count::AtMost(1));
    let of = |t: &relyant_cfa::Template| {
        let mut alone = vec![one && t.initial; t.graph.locations.len()];
        let out = t.graph.out_edges();
        let creates = t.graph.edges.iter().filter(|e| matches!(e.op, Op::Create { .. }));
        let mut work: Vec<Loc> = creates.map(|e| e.to).collect();
        while let Some(l) = work.pop() {
            if std::mem::replace(&mut alone[l.0 as usize], false) {
                work.extend(out[l.0 as usize].iter().map(|i| t.graph.edges[*i].to));
            }
        }
        alone
    };
    program.templates.iter().map(of).collect()
}
