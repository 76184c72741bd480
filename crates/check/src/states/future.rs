//! Which moves are independent of all that other threads may do before the thread moves.
//!
//! For each location, the cells that a thread there may yet read or write, the threads that it may yet create
//! included: the least solution of the equations "what a step touches, and what is touched from where it leads to".
//! A move is *independent* in a state when no other thread may write what it reads, nor read or write what it writes,
//! before it is done: where a thread may yet do that, [`Doors`] and [`waiting`] say whether it has to wait. Beside cells, threads touch
//! two things:
//!
//! * the number of the next thread, which every creation writes;
//! * with a bound on live threads, how many there are: creations read it, and the ends of threads write it.
//!
//! A load of a cell whose value was not chosen yet ([`relyant_interp::late`]) chooses it, and so writes the cell:
//! in a state where a thing has such a cell, reading it is writing it.
//!
//! Otherwise the end of a thread interferes with joins only, which it lets happen. A join is independent once it can
//! happen, if the thread has nothing else to do there: if it had, that could be done now or after, and whether the
//! join can be done instead would depend on others. The end of the program interferes with all, and so does a move from
//! a location that the property speaks of: others' moves may or may not find the thread there.
//!
//! Where pointers may point to is taken from an analysis. [`Future::foreseen`] tells whether a step does as foreseen;
//! the checker asks before each, and the first step of a run that did not would not be moved past others either.

use super::doors::{Doors, Memo, Place};
use super::things::{Thing, Things, constant};
use super::waiting::{is_join, waiting};
use relyant_cfa::points_to::{PointsTo, Targets};
use relyant_cfa::{Callee, Edge, Expr, Loc, LocationKind, ObjId, Op, Program, Template};
use relyant_interp::machine::{Machine, State};

/// What a move touches.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Touch {
    /// It may interfere with others in other ways.
    Anything,
    /// At most these things.
    Things { read: Vec<Thing>, written: Vec<Thing> },
    /// It is this one access to memory, at an address that the state tells.
    Access(u32),
}

impl Touch {
    /// Certain things as bits; else none.
    fn bits(&self, things: &Things) -> Yet {
        let words = things.count().div_ceil(64);
        let mut bits = Yet { read: vec![0; words], written: vec![0; words] };
        if let Touch::Things { read, written } = self {
            read.iter().for_each(|x| bits.read[*x as usize / 64] |= 1 << (x % 64));
            written.iter().for_each(|x| bits.written[*x as usize / 64] |= 1 << (x % 64));
        }
        bits
    }
}

/// What may yet be touched from a location: a bit for each [`Thing`], 64 a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Yet {
    pub read: Vec<u64>,
    pub written: Vec<u64>,
}

impl Yet {
    /// Is none of what a move touches written here, nor read where the move writes it?
    fn leaves(&self, touched: &Yet) -> bool {
        (0..self.written.len()).all(|i| {
            let (read, written) = (touched.read[i], touched.written[i]);
            self.written[i] & (read | written) == 0 && self.read[i] & written == 0
        })
    }
}

/// What the rest of a run may touch.
pub(super) struct Future {
    things: Things,
    /// `yet[template][location]`: what may be touched from there on.
    yet: Vec<Vec<Yet>>,
    /// `touch[template][location]`: of the one move from there.
    touch: Vec<Vec<Touch>>,
    /// The same as bits, where it is certain things.
    touched: Vec<Vec<Yet>>,
    doors: Doors,
    /// `joins[template][location]`: only the end of another thread lets one go on there. None where that is not looked at.
    joins: Vec<Vec<bool>>,
    /// `rest[template][location]`: a place to look around in. On each cycle there is one, and where an input is
    /// chosen. Only the order in which the checker tries things depends on it.
    rest: Vec<Vec<bool>>,
    /// `foreseen[template][edge]`: things that its access may touch, sorted; `None` where it has none, or the address
    /// is constant.
    foreseen: Vec<Vec<Option<Vec<Thing>>>>,
}

impl Future {
    /// For the states of a machine; `several` tells at which edges (template, edge) an input has several values.
    /// Without `waits` nobody is known to wait.
    pub fn new(machine: &Machine<'_>, several: &dyn Fn(usize, usize) -> bool, waits: bool) -> Future {
        let program = machine.program();
        let points = PointsTo::new(program);
        let things = Things::new(program);
        let mut steps: Vec<Vec<(Vec<Thing>, Vec<Thing>)>> = Vec::new();
        let mut foreseen = Vec::new();
        for (t, template) in program.templates.iter().enumerate() {
            let step = |e: &Edge| step(program, &points, &things, t, e);
            steps.push(template.graph.edges.iter().map(step).collect());
            let access = |e: &Edge| match &e.op {
                Op::Load(_, a, _) | Op::Store(a, _, _) if constant(program, a).is_none() => {
                    Some(things.at(program, &points, t, a))
                }
                _ => None,
            };
            foreseen.push(template.graph.edges.iter().map(access).collect::<Vec<_>>());
        }
        let (own, next) = (own(program, &things, &steps), successors(program));
        let yet = solve(program, own.clone());
        let doors = Doors::new(machine, own, next, &|t, address| {
            if !waits {
                return None;
            }
            let (o, k) = match constant(program, address) {
                Some(a) => program.cell_at(a)?,
                None => only_target(&points, t, address)?,
            };
            let thing = things.cell(o.0 as usize, k)?;
            Some(((o, k as u32), thing))
        });
        let mut touch = Vec::new();
        for (t, template) in program.templates.iter().enumerate() {
            let out = template.graph.out_edges();
            let one = |l: usize| {
                let location = &template.graph.locations[l];
                // A thread that waits its turn is inside no atomic section, but it may be before one.
                let inside = location.atomic && template.entry.0 as usize != l;
                let watched = machine.is_watched(t as u32, Loc(l as u32));
                if location.kind != LocationKind::Normal || watched || inside {
                    return Touch::Anything;
                }
                touch_of(template, &move_from(template, l, &out), &steps[t], &foreseen[t])
            };
            touch.push((0..template.graph.locations.len()).map(one).collect());
        }
        let at_joins =
            |t: &Template| t.graph.out_edges().iter().map(|out| waits && is_join(t, out)).collect();
        let joins = program.templates.iter().map(at_joins).collect();
        let touched =
            touch.iter().map(|list: &Vec<Touch>| list.iter().map(|t| t.bits(&things)).collect()).collect();
        let mut future = Future { things, yet, touch, touched, doors, joins, rest: Vec::new(), foreseen };
        future.rest = future.resting(program, several);
        future
    }

    /// Does an access touch what the analysis foresaw? Asked where the step can be done.
    pub fn foreseen(&self, machine: &Machine<'_>, state: &State, thread: usize, edge: u32) -> bool {
        let template = state.threads[thread].name.template as usize;
        if self.foreseen[template][edge as usize].is_none() {
            return true;
        }
        self.foresees(template as u32, edge, machine.accessed(state, thread, edge))
    }

    /// The same of an edge that accesses a shared cell, or none.
    pub fn foresees(&self, template: u32, edge: u32, cell: Option<(ObjId, u32)>) -> bool {
        let Some(list) = &self.foreseen[template as usize][edge as usize] else { return true };
        let Some((o, k)) = cell else { return true };
        self.things.cell(o.0 as usize, k as usize).is_none_or(|x| list.binary_search(&x).is_ok())
    }

    /// Are all moves of a thread independent of what the others may do before it moves? Then: is it a place to look
    /// around? Asked where nobody is inside an atomic section.
    pub fn independent(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        memo: &mut Memo,
    ) -> Option<bool> {
        let t = &state.threads[thread];
        if t.ended.is_some() {
            return None;
        }
        let (template, l) = (t.name.template as usize, t.loc.0 as usize);
        let yes = match &self.touch[template][l] {
            Touch::Anything => false,
            Touch::Things { read, written } => {
                let chosen = |x: &Thing| !self.things.is_unchosen(machine, state, *x);
                let touched = &self.touched[template][l];
                if read.iter().all(chosen) {
                    let leaves = |yet: &Yet| yet.leaves(touched);
                    if self.is_left(machine, state, |i| i != thread, leaves) {
                        return Some(self.rest[template][l]);
                    }
                    // Those that wait are at shut doors, or at joins.
                    let goes_on = |i: usize| i != thread && !self.is_at_join(state, i);
                    if self.doors.shut(machine, state, memo) == 0
                        && !self.is_left(machine, state, goes_on, leaves)
                    {
                        return None;
                    }
                }
                let mut free = |x: &Thing, write| self.free(machine, state, thread, (*x, write), memo);
                read.iter().all(|x| free(x, false)) && written.iter().all(|x| free(x, true))
            }
            Touch::Access(edge) => {
                let write =
                    matches!(machine.edge(template as u32, *edge).map(|e| &e.op), None | Some(Op::Store(..)));
                // Where there is no cell the step cannot be done.
                let cell = machine.accessed(state, thread, *edge);
                let thing = cell.and_then(|(o, k)| self.things.cell(o.0 as usize, k as usize));
                thing.is_none_or(|x| self.free(machine, state, thread, (x, write), memo))
            }
        };
        yes.then(|| self.rest[template][l])
    }

    /// Does it hold of all that these threads may touch from where they are?
    fn is_left(
        &self,
        machine: &Machine<'_>,
        state: &State,
        who: impl Fn(usize) -> bool,
        holds: impl Fn(&Yet) -> bool,
    ) -> bool {
        let calls = !state.stacks.is_empty();
        for (i, t) in state.threads.iter().enumerate() {
            if t.ended.is_some() || !who(i) {
                continue;
            }
            if !holds(&self.yet[t.name.template as usize][t.loc.0 as usize])
                || calls && !places(machine, state, i).all(|(t, l)| holds(&self.yet[t][l]))
            {
                return false;
            }
        }
        true
    }

    fn is_at_join(&self, state: &State, thread: usize) -> bool {
        let t = &state.threads[thread];
        self.joins[t.name.template as usize][t.loc.0 as usize]
    }

    /// Will no other thread write the thing before the thread moves, nor read it if it is written?
    fn free(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        (x, write): (Thing, bool),
        memo: &mut Memo,
    ) -> bool {
        let write = write || self.things.is_unchosen(machine, state, x);
        let (word, bit) = (x as usize / 64, 1 << (x % 64));
        let leaves = |yet: &Yet| yet.written[word] & bit == 0 && (!write || yet.read[word] & bit == 0);
        let of_others =
            (0..state.threads.len()).filter(|i| *i != thread && state.threads[*i].ended.is_none());
        if self.is_left(machine, state, |i| i != thread, leaves) {
            return true;
        }
        let shut = self.doors.shut(machine, state, memo);
        let all = |keep: &dyn Fn(usize) -> bool| {
            let list = of_others.clone().filter(|i| keep(*i));
            let mut list: Vec<Place> = list.flat_map(|i| places(machine, state, i)).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        if shut != 0 && self.doors.hold(shut, (&all(&|_| true), &[]), memo, &leaves) {
            return true;
        }
        let joins = |i: usize| self.is_at_join(state, i);
        // If those that are at joins did nothing, would it be so?
        if !of_others.clone().any(joins) || !self.doors.hold(shut, (&all(&|i| !joins(i)), &[]), memo, &leaves)
        {
            return false;
        }
        let (mut wait, mut read) = (Vec::new(), Vec::new());
        for i in of_others.clone().filter(|i| joins(*i)) {
            let w = waiting(machine, state, i);
            if w.awaited.contains(&thread) {
                wait.push(i);
                read.extend(w.read.iter().filter_map(|(o, k)| self.things.cell(o.0 as usize, *k as usize)));
            }
        }
        let others = all(&|i| !wait.contains(&i));
        !wait.is_empty() && self.doors.hold(shut, (&others, &read), memo, &leaves)
    }

    /// Targets of back edges, and sources of inputs with several values. Where a cycle makes threads or frames, nothing
    /// is independent at its place: there need not be an end of them.
    fn resting(&mut self, program: &Program, several: &dyn Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        let mut first = Vec::new();
        let mut n = 0;
        for t in &program.templates {
            first.push(n);
            n += t.graph.locations.len();
        }
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut grow: Vec<(usize, usize)> = Vec::new();
        for (t, template) in program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                let from = first[t] + e.from.0 as usize;
                if !matches!(e.op, Op::Return(_)) {
                    next[from].push(first[t] + e.to.0 as usize);
                    if matches!(e.op, Op::Create { .. }) {
                        grow.push((from, first[t] + e.to.0 as usize));
                    }
                }
                for (u, l) in entries(program, t, e) {
                    next[from].push(first[u] + l);
                    grow.push((from, first[u] + l));
                }
            }
        }
        let cut_points = back_edge_targets(&next);
        let mut rest: Vec<Vec<bool>> = Vec::new();
        for (t, template) in program.templates.iter().enumerate() {
            rest.push((0..template.graph.locations.len()).map(|l| cut_points[first[t] + l]).collect());
            for (i, e) in template.graph.edges.iter().enumerate() {
                rest[t][e.from.0 as usize] |= several(t, i);
            }
        }
        for (from, to) in grow {
            let (before, after) = (reaches(&next, from), reached(&next, to));
            for (t, template) in program.templates.iter().enumerate() {
                for l in 0..template.graph.locations.len() {
                    let v = first[t] + l;
                    if cut_points[v] && before[v] && after[v] {
                        self.touch[t][l] = Touch::Anything;
                    }
                }
            }
        }
        rest
    }
}

/// The cell that an access is to, where there is no other that it may be to ([`Future::foreseen`] sees to that).
fn only_target(points: &PointsTo, t: usize, address: &Expr) -> Option<(ObjId, usize)> {
    let Targets::Objects(list) = points.targets(t as u32, address) else { return None };
    let mut list = list.into_iter();
    let (o, k) = list.next().filter(|_| list.next().is_none())?;
    Some((o, k?))
}

/// What a step reads and writes, apart from its thread's own.
fn step(
    program: &Program,
    points: &PointsTo,
    things: &Things,
    t: usize,
    e: &Edge,
) -> (Vec<Thing>, Vec<Thing>) {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    match &e.op {
        Op::Load(_, a, _) => read = things.at(program, points, t, a),
        Op::Store(a, _, _) => written = things.at(program, points, t, a),
        Op::Create { .. } => {
            written.push(things.next_thread);
            read.extend(things.bounded.then_some(things.live_threads));
        }
        _ => {}
    }
    let template = &program.templates[t];
    let ends = template.graph.locations[e.to.0 as usize].kind == LocationKind::End;
    if ends && things.bounded {
        written.push(things.live_threads);
    }
    (read, written)
}

/// Where a step takes somebody to besides its target: the entry of what is called, or of the new thread.
fn entries(program: &Program, t: usize, e: &Edge) -> Vec<(usize, usize)> {
    match &e.op {
        Op::Create { template: Some(u), .. } => {
            vec![(*u as usize, program.templates[*u as usize].entry.0 as usize)]
        }
        Op::Call { callee, .. } => {
            called(&program.templates[t], callee).into_iter().map(|l| (t, l)).collect()
        }
        _ => Vec::new(),
    }
}

fn called(template: &Template, callee: &Callee) -> Vec<usize> {
    let may = |p: &&relyant_cfa::Procedure| match callee {
        Callee::Known(f) => p.function == *f,
        Callee::Pointer(_) => true,
    };
    template.procedures.iter().filter(may).map(|p| p.entry.0 as usize).collect()
}

/// Where a thread is, and where its calls return to.
fn places<'s>(machine: &'s Machine<'_>, state: &'s State, thread: usize) -> impl Iterator<Item = Place> + 's {
    let t = &state.threads[thread];
    let template = t.name.template;
    let returns = machine.calls(state, thread).filter_map(move |call| machine.edge(template, call));
    std::iter::once(t.loc).chain(returns.map(|e| e.to)).map(move |l| (template as usize, l.0 as usize))
}

/// By location: what its edges touch.
fn own(program: &Program, things: &Things, steps: &[Vec<(Vec<Thing>, Vec<Thing>)>]) -> Vec<Vec<Yet>> {
    let words = things.count().div_ceil(64);
    let empty = Yet { read: vec![0; words], written: vec![0; words] };
    let mut own: Vec<Vec<Yet>> =
        program.templates.iter().map(|t| vec![empty.clone(); t.graph.locations.len()]).collect();
    for (t, template) in program.templates.iter().enumerate() {
        for (e, (read, written)) in template.graph.edges.iter().zip(&steps[t]) {
            let at = &mut own[t][e.from.0 as usize];
            read.iter().for_each(|x| at.read[*x as usize / 64] |= 1 << (x % 64));
            written.iter().for_each(|x| at.written[*x as usize / 64] |= 1 << (x % 64));
        }
    }
    own
}

/// By location: where its edges lead, new threads and what is called included.
fn successors(program: &Program) -> Vec<Vec<Vec<Place>>> {
    let of = |(t, template): (usize, &Template)| {
        let mut next = vec![Vec::new(); template.graph.locations.len()];
        for e in &template.graph.edges {
            let list = &mut next[e.from.0 as usize];
            list.push((t, e.to.0 as usize));
            list.extend(entries(program, t, e));
        }
        next
    };
    program.templates.iter().enumerate().map(of).collect()
}

/// The least solution, by location: what its edges touch, and what is touched after them.
fn solve(program: &Program, mut yet: Vec<Vec<Yet>>) -> Vec<Vec<Yet>> {
    // Backwards through the edges, again and again until nothing grows.
    loop {
        let mut grown = false;
        for (t, template) in program.templates.iter().enumerate() {
            for e in template.graph.edges.iter().rev() {
                let mut from = std::mem::take(&mut yet[t][e.from.0 as usize]);
                for (u, l) in entries(program, t, e).into_iter().chain([(t, e.to.0 as usize)]) {
                    grown |= add(&mut from.read, &yet[u][l].read);
                    grown |= add(&mut from.written, &yet[u][l].written);
                }
                yet[t][e.from.0 as usize] = from;
            }
        }
        if !grown {
            return yet;
        }
    }
}

/// Adds a set to another; has that grown? A set that is just being looked at is empty, and grows by itself.
fn add(to: &mut [u64], from: &[u64]) -> bool {
    let mut grown = false;
    for (a, b) in to.iter_mut().zip(from) {
        grown |= *b & !*a != 0;
        *a |= *b;
    }
    grown
}

/// Edges that a move from a location may consist of: the first step, and all that follows inside an atomic section.
fn move_from(template: &Template, l: usize, out: &[Vec<usize>]) -> Vec<usize> {
    let graph = &template.graph;
    let mut seen = vec![false; graph.locations.len()];
    let mut worklist = vec![l];
    let mut edges = Vec::new();
    seen[l] = true;
    while let Some(l) = worklist.pop() {
        for &i in &out[l] {
            let e = &graph.edges[i];
            edges.push(i);
            let mut next = vec![e.to.0 as usize];
            match &e.op {
                Op::Call { callee, .. } => next.extend(called(template, callee)),
                Op::Return(_) => {
                    let calls = graph.edges.iter().filter(|e| matches!(e.op, Op::Call { .. }));
                    next.extend(calls.map(|e| e.to.0 as usize));
                }
                _ => {}
            }
            for l in next {
                if graph.locations[l].atomic && !std::mem::replace(&mut seen[l], true) {
                    worklist.push(l);
                }
            }
        }
    }
    edges
}

fn touch_of(
    template: &Template,
    edges: &[usize],
    steps: &[(Vec<Thing>, Vec<Thing>)],
    foreseen: &[Option<Vec<Thing>>],
) -> Touch {
    let op = |i: &usize| &template.graph.edges[*i].op;
    if edges.iter().any(|i| matches!(op(i), Op::Halt))
        || edges.len() > 1 && edges.iter().any(|i| matches!(op(i), Op::Join { .. }))
    {
        return Touch::Anything;
    }
    let ends = |i: &usize| {
        let to = template.graph.edges[*i].to.0 as usize;
        template.graph.locations[to].kind == LocationKind::End
    };
    if let [i] = edges
        && foreseen[*i].is_some()
        && !ends(i)
    {
        return Touch::Access(*i as u32);
    }
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for i in edges {
        read.extend_from_slice(&steps[*i].0);
        written.extend_from_slice(&steps[*i].1);
    }
    for list in [&mut read, &mut written] {
        list.sort_unstable();
        list.dedup();
    }
    Touch::Things { read, written }
}

fn back_edge_targets(next: &[Vec<usize>]) -> Vec<bool> {
    let n = next.len();
    let (mut seen, mut open, mut target) = (vec![false; n], vec![false; n], vec![false; n]);
    for root in 0..n {
        if seen[root] {
            continue;
        }
        (seen[root], open[root]) = (true, true);
        let mut path = vec![(root, 0)];
        while let Some((v, i)) = path.last_mut() {
            let v = *v;
            let Some(&w) = next[v].get(*i) else {
                open[v] = false;
                path.pop();
                continue;
            };
            *i += 1;
            if open[w] {
                target[w] = true;
            } else if !seen[w] {
                (seen[w], open[w]) = (true, true);
                path.push((w, 0));
            }
        }
    }
    target
}

/// Nodes that can be reached from a node, itself included.
fn reached(next: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut worklist = vec![from];
    seen[from] = true;
    while let Some(v) = worklist.pop() {
        for &w in &next[v] {
            if !std::mem::replace(&mut seen[w], true) {
                worklist.push(w);
            }
        }
    }
    seen
}

/// Nodes from which a node can be reached, itself included.
fn reaches(next: &[Vec<usize>], to: usize) -> Vec<bool> {
    let mut before = vec![Vec::new(); next.len()];
    for (v, list) in next.iter().enumerate() {
        list.iter().for_each(|w| before[*w].push(v));
    }
    reached(&before, to)
}
