//! Partial-order reduction: which moves are independent of all that other threads may do (Boom section 7.3).
//!
//! A move of a thread, an atomic section with all it may do, is *independent* in a state when no other live thread,
//! nor any that it may yet create, will ever write what the move reads, nor read or write what the move writes. The
//! sets of future accesses are worked out by data flow, for each location of each template; a call's frames add what
//! follows them. Further:
//!
//! * Creating a thread gives it a number, and so writes what all creations write.
//! * A load that chooses the value of its cell ([`relyant_interp::late`]) writes that, too.
//! * The end of a thread interferes with a join only, which can wait; with a bound on the number of live threads the
//!   end writes what creations read. A join that can be done changes nothing for others.
//! * The end of the program interferes with all. A move from a location of the property is not independent either.
//! * A disabled move is none: it may never be enabled. An enabled one stays enabled and does the same, as all it
//!   reads stays. So a condition need not count as a write, as it does where states are symbolic (Boom, example 1).
//!
//! *Coverage.* A set C of states covers a state that is in C, and a state in which some thread is at a location
//! from which all moves are independent, some move of it is enabled, and C covers all that its moves there lead to
//! (least fixpoint: finitely many such steps). If C covers the initial states and all that one move leads to from a
//! state of C, and no state of C violates the property, then no reachable state does. For take a run from a covered
//! state to a violation and let that thread go first: its first move in the run can be moved to the front, and when
//! it has none, the run goes on as before after any of its moves.
//!
//! *Loops.* That there are finitely many steps is the search's business: each cycle of the moves of a thread, calls
//! and creations included, has a *cut-point*, and so have inputs of several values. As long as a thread at none has
//! an independent move, it goes on. A state where only threads at cut-points have one may be in C; from there the first
//! of them in the normal form goes on, while states differ and there are not too many of them. A cut-point on a cycle
//! that creates threads or deepens the stack is never left by an invisible move.

use super::config::Config;
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{BinOp, Callee, Edge, Expr, FuncId, IntKind, Loc, LocationKind, ObjId, Op, Owner, Program};
use relyant_interp::machine::State;

/// More cells than this are told apart by object only.
const MAX_KEYS: usize = 2048;

/// An input of more values is left for when its thread's turn comes.
const MAX_CHOICES: u32 = 4;

/// What the moves from a location may touch.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Touch {
    /// The move may interfere with others, in this or another way.
    Visible,
    /// These keys; those written are marked. None: nothing that others may touch.
    Keys(Vec<(u32, bool)>),
    /// One access, which is a write if marked, at an address that the state tells.
    At(u32, bool),
}

/// Accesses by location, as bits: those of location `l` are `words` words from `l * words` on, a bit for each key.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rows {
    words: usize,
    reads: Vec<u64>,
    writes: Vec<u64>,
}

/// Facts for the reduction.
#[derive(Clone, Debug)]
pub(super) struct Independence {
    /// First location of each template.
    first: Vec<usize>,
    /// By location, numbered from `first` of its template on: what may yet be accessed from there.
    future: Rows,
    /// By location, as `future`.
    touch: Vec<Touch>,
    /// By location: is it a cut-point?
    cut_point: Vec<bool>,
    keys: Keys,
}

/// Numbers of what is accessed.
#[derive(Clone, Debug)]
struct Keys {
    /// First key of each shared object.
    objects: Vec<Option<u32>>,
    /// One key a cell, or one an object.
    cells: bool,
    /// Object and cell of each key; cell 0 where keys are objects.
    of_key: Vec<(ObjId, u32)>,
    number: u32,
    /// With a bound on live threads.
    bounded: bool,
}

impl Keys {
    fn new(program: &Program) -> Keys {
        let shared = |i: usize| program.owners[i] == Owner::Shared;
        let cells: usize =
            program.objects.iter().enumerate().filter(|(i, _)| shared(*i)).map(|(_, o)| o.cells.len()).sum();
        let by_cell = cells <= MAX_KEYS;
        let mut number = 0;
        let mut of_key = Vec::new();
        let objects = program.objects.iter().enumerate().map(|(i, o)| {
            shared(i).then(|| {
                let first = number;
                number += if by_cell { o.cells.len() as u32 } else { 1 };
                of_key.extend((0..number - first).map(|k| (ObjId(i as u32), k)));
                first
            })
        });
        let objects = objects.collect();
        Keys { objects, cells: by_cell, of_key, number, bounded: program.max_threads.is_some() }
    }
    fn created(&self) -> u32 {
        self.number
    }
    fn alive(&self) -> u32 {
        self.number + 1
    }
    /// Is the value of a cell of the key still to be chosen?
    fn is_unchosen(&self, config: &Config<'_>, state: &State, key: u32) -> bool {
        let Some((o, k)) = self.of_key.get(key as usize).copied() else { return false };
        let all = config.machine.program().objects[o.0 as usize].cells.len();
        let cells = if self.cells { k as usize..k as usize + 1 } else { 0..all };
        cells.into_iter().any(|k| config.machine.is_unchosen(state, o, k))
    }
    /// The key of a cell; `None` for one that only its thread may access.
    fn of(&self, object: usize, cell: usize) -> Option<u32> {
        self.objects[object].map(|first| if self.cells { first + cell as u32 } else { first })
    }
    /// What an address may access, and whether that is one cell for certain.
    fn targets(&self, program: &Program, points: &PointsTo, t: usize, address: &Expr) -> (Vec<u32>, bool) {
        if let Ok(key) = self.constant(program, address) {
            return (key.into_iter().collect(), true);
        }
        let mut keys = Vec::new();
        match points.targets(t as u32, address) {
            Targets::Unknown => keys.extend(0..self.number),
            Targets::Objects(list) => {
                for (o, k) in list {
                    let cells = match k {
                        Some(k) => k..k + 1,
                        None => 0..program.objects[o.0 as usize].cells.len(),
                    };
                    keys.extend(cells.filter_map(|k| self.of(o.0 as usize, k)));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
        (keys, false)
    }
    /// What a constant address accesses: `Err` where it is not constant.
    fn constant(&self, program: &Program, address: &Expr) -> Result<Option<u32>, ()> {
        let c = match address {
            Expr::Addr(o) => program.bases[o.0 as usize],
            Expr::Const(c) => *c,
            Expr::Binary(BinOp::Add, a, b, IntKind::Ideal) => match (&**a, &**b) {
                (Expr::Addr(o), Expr::Const(c)) | (Expr::Const(c), Expr::Addr(o)) => {
                    program.bases[o.0 as usize].checked_add(*c).ok_or(())?
                }
                _ => return Err(()),
            },
            _ => return Err(()),
        };
        // An access that is none at all ends the run.
        Ok(program.cell_at(c).and_then(|(o, k)| self.of(o.0 as usize, k)))
    }
}

impl Rows {
    fn new(n: usize, keys: u32) -> Rows {
        let words = (keys as usize + 2).div_ceil(64);
        Rows { words, reads: vec![0; n * words], writes: vec![0; n * words] }
    }
    fn set(&mut self, row: usize, key: u32, write: bool) {
        let list = if write { &mut self.writes } else { &mut self.reads };
        list[row * self.words + key as usize / 64] |= 1 << (key % 64);
    }
    fn has(&self, row: usize, key: u32, write: bool) -> bool {
        let list = if write { &self.writes } else { &self.reads };
        list[row * self.words + key as usize / 64] >> (key % 64) & 1 == 1
    }
    /// Adds a row to another; has it grown?
    fn join(&mut self, to: usize, from: usize) -> bool {
        let mut grown = false;
        for list in [&mut self.reads, &mut self.writes] {
            for w in 0..self.words {
                let new = list[from * self.words + w] & !list[to * self.words + w];
                list[to * self.words + w] |= new;
                grown |= new != 0;
            }
        }
        grown
    }
}

impl Independence {
    /// Works out the facts about a program.
    pub fn new(config: &Config<'_>) -> Independence {
        let program = config.machine.program();
        let mut first = Vec::new();
        let mut n = 0;
        for t in &program.templates {
            first.push(n);
            n += t.graph.locations.len();
        }
        let keys = Keys::new(program);
        let mut facts = Independence {
            first,
            future: Rows::new(n, keys.number),
            touch: vec![Touch::Visible; n],
            cut_point: vec![false; n],
            keys,
        };
        let points = PointsTo::new(program);
        facts.futures(program, &points);
        let out: Vec<Vec<Vec<usize>>> = program.templates.iter().map(|t| t.graph.out_edges()).collect();
        let mut moves = vec![Vec::new(); n];
        for (t, template) in program.templates.iter().enumerate() {
            for l in 0..template.graph.locations.len() {
                let location = &template.graph.locations[l];
                if location.kind != LocationKind::Normal
                    || (location.atomic && template.entry.0 as usize != l)
                {
                    continue;
                }
                let region = Region::new(program, t, l, &out[t]);
                let row = facts.first[t] + l;
                facts.touch[row] = if config.machine.is_watched(t as u32, Loc(l as u32)) {
                    Touch::Visible
                } else {
                    facts.touch_of(program, &points, t, &region)
                };
                moves[row] = region.leads_to(program, t, &facts.first);
            }
        }
        let cycles = super::cycles::Cycles::new(&moves);
        facts.cut_point = cycles.cut_point.clone();
        for row in 0..n {
            if cycles.cut_point[row] && cycles.grows[row] {
                facts.touch[row] = Touch::Visible;
            }
        }
        for (t, template) in (0u32..).zip(&program.templates) {
            for (i, e) in (0u32..).zip(&template.graph.edges) {
                let choices = config.inputs(t, i).0;
                if choices > 1 {
                    let row = facts.first[t as usize] + e.from.0 as usize;
                    facts.cut_point[row] = true;
                    if choices > MAX_CHOICES {
                        facts.touch[row] = Touch::Visible;
                    }
                }
            }
        }
        facts
    }

    /// Future accesses of each location, to the least fixpoint.
    fn futures(&mut self, program: &Program, points: &PointsTo) {
        let mut before = vec![Vec::new(); self.touch.len()];
        for (t, template) in program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                let row = self.first[t] + e.from.0 as usize;
                before[self.first[t] + e.to.0 as usize].push(row);
                for entry in entries(program, t, e) {
                    before[self.first[entry.0] + entry.1].push(row);
                }
                let ends = template.graph.locations[e.to.0 as usize].kind == LocationKind::End;
                let (list, _) = self.access(program, points, t, &e.op, ends);
                list.into_iter().for_each(|(k, w)| self.future.set(row, k, w));
            }
        }
        let mut worklist: Vec<usize> = (0..before.len()).collect();
        while let Some(row) = worklist.pop() {
            for &b in &before[row] {
                if self.future.join(b, row) {
                    worklist.push(b);
                }
            }
        }
    }

    /// Keys that a step may touch, and whether the access is known but for its address.
    fn access(
        &self,
        program: &Program,
        points: &PointsTo,
        t: usize,
        op: &Op,
        ends: bool,
    ) -> (Vec<(u32, bool)>, Option<bool>) {
        let cell = |a: &Expr, write: bool| {
            let (keys, certain) = self.keys.targets(program, points, t, a);
            (keys.into_iter().map(|k| (k, write)).collect(), (!certain).then_some(write))
        };
        match op {
            Op::Load(_, a, _) => cell(a, false),
            Op::Store(a, _, _) => cell(a, true),
            Op::Create { .. } => {
                let mut list = vec![(self.keys.created(), true)];
                list.extend(self.keys.bounded.then_some((self.keys.alive(), false)));
                (list, None)
            }
            _ if ends && self.keys.bounded => (vec![(self.keys.alive(), true)], None),
            _ => (Vec::new(), None),
        }
    }

    fn touch_of(&self, program: &Program, points: &PointsTo, t: usize, region: &Region) -> Touch {
        let graph = &program.templates[t].graph;
        let mut keys = Vec::new();
        for &i in &region.edges {
            let e = &graph.edges[i];
            let ends = graph.locations[e.to.0 as usize].kind == LocationKind::End;
            match &e.op {
                Op::Halt => return Touch::Visible,
                // Whether it can be done changes with the others; alone, it is a move only once it can.
                Op::Join { .. } if region.edges.len() > 1 => return Touch::Visible,
                _ => {}
            }
            match self.access(program, points, t, &e.op, ends) {
                (_, Some(write)) if region.edges.len() == 1 => return Touch::At(i as u32, write),
                (list, _) => keys.extend(list),
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Touch::Keys(keys)
    }

    /// Are all moves of a thread independent now? `Some(true)` at a cut-point.
    pub fn invisible(&self, config: &Config<'_>, state: &State, thread: usize) -> Option<bool> {
        let t = &state.threads[thread];
        if t.ended.is_some() {
            return None;
        }
        let row = self.first[t.name.template as usize] + t.loc.0 as usize;
        let free = match &self.touch[row] {
            Touch::Visible => false,
            Touch::Keys(list) => {
                list.iter().all(|(k, write)| self.is_independent(config, state, thread, *k, *write))
            }
            Touch::At(edge, write) => {
                let address = match config.machine.edge(t.name.template, *edge).map(|e| &e.op) {
                    Some(Op::Load(_, a, _) | Op::Store(a, _, _)) => a,
                    _ => return None,
                };
                match config.accessed(state, thread, address) {
                    Ok(None) => true,
                    Ok(Some((o, k))) => self
                        .keys
                        .of(o.0 as usize, k)
                        .is_none_or(|key| self.is_independent(config, state, thread, key, *write)),
                    Err(()) => false,
                }
            }
        };
        if !free {
            return None;
        }
        // What is chosen is an input.
        let choices = config.machine.out(state, thread).iter().map(|e| config.choices(state, thread, *e).0);
        match choices.max().unwrap_or(1) {
            0 | 1 => Some(self.cut_point[row]),
            n if n <= MAX_CHOICES => Some(true),
            _ => None,
        }
    }

    /// Is the access independent of all that other threads may do?
    fn is_independent(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        key: u32,
        write: bool,
    ) -> bool {
        let write = write || self.keys.is_unchosen(config, state, key);
        let free =
            |row: usize| !(self.future.has(row, key, true) || write && self.future.has(row, key, false));
        state.threads.iter().enumerate().all(|(u, t)| {
            let template = t.name.template;
            let first = self.first[template as usize];
            let after = |e: u32| config.machine.edge(template, e).map_or(0, |e| e.to.0 as usize);
            u == thread
                || t.ended.is_some()
                || (free(first + t.loc.0 as usize)
                    && config.machine.calls(state, u).all(|e| free(first + after(e))))
        })
    }
}

/// Where a thread may be within a step, apart from the target: the callee's entry, or the new thread's.
fn entries(program: &Program, t: usize, e: &Edge) -> Vec<(usize, usize)> {
    match &e.op {
        Op::Create { template: Some(c), .. } => {
            vec![(*c as usize, program.templates[*c as usize].entry.0 as usize)]
        }
        Op::Call { callee, .. } => {
            let fits = |f: &FuncId| match callee {
                Callee::Known(g) => f == g,
                Callee::Pointer(_) => true,
            };
            let procedures = program.templates[t].procedures.iter().filter(|p| fits(&p.function));
            procedures.map(|p| (t, p.entry.0 as usize)).collect()
        }
        _ => Vec::new(),
    }
}

/// The steps that a move from a location may consist of.
struct Region {
    edges: Vec<usize>,
}

impl Region {
    fn new(program: &Program, t: usize, from: usize, out: &[Vec<usize>]) -> Region {
        let template = &program.templates[t];
        let atomic = |l: usize| template.graph.locations[l].atomic;
        let mut seen = vec![from];
        let mut worklist = vec![from];
        let mut edges = Vec::new();
        while let Some(l) = worklist.pop() {
            for &i in &out[l] {
                let e = &template.graph.edges[i];
                edges.push(i);
                let mut next = vec![e.to.0 as usize];
                if matches!(e.op, Op::Call { .. }) {
                    next.extend(entries(program, t, e).into_iter().map(|(_, l)| l));
                }
                if matches!(e.op, Op::Return(_)) {
                    let calls = template.graph.edges.iter().filter(|e| matches!(e.op, Op::Call { .. }));
                    next.extend(calls.map(|e| e.to.0 as usize));
                }
                for l in next {
                    if atomic(l) && !seen.contains(&l) {
                        seen.push(l);
                        worklist.push(l);
                    }
                }
            }
        }
        edges.sort_unstable();
        Region { edges }
    }

    /// Where threads may be after the move, and whether there are more threads or frames then.
    fn leads_to(&self, program: &Program, t: usize, first: &[usize]) -> Vec<(usize, bool)> {
        let template = &program.templates[t];
        let creates = |e: &Edge| matches!(e.op, Op::Create { .. });
        let grows = self.edges.iter().any(|i| creates(&template.graph.edges[*i]));
        let mut list = Vec::new();
        for &i in &self.edges {
            let e = &template.graph.edges[i];
            if !matches!(e.op, Op::Return(_)) {
                list.push((first[t] + e.to.0 as usize, grows));
            }
            list.extend(entries(program, t, e).into_iter().map(|(t, l)| (first[t] + l, true)));
        }
        list.sort_unstable();
        list.dedup();
        list
    }
}
