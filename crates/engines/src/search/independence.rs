//! Partial-order reduction: which moves are independent of all that other threads may do (Boom section 7.3).
//!
//! A move of a thread, an atomic section with all it may do, is *independent* in a state when no other live thread,
//! nor any that it may yet create, may write what the move reads, nor read or write what the move writes, before the
//! thread moves. The sets of future accesses are worked out by data flow, for each location of each template; a call's
//! frames add what follows them. Where they say no, [`super::guards`] says what others may do while they wait. Further:
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

use super::accesses::{Keys, Rows};
use super::config::Config;
use super::guards::Guards;
use super::joins::is_join;
use super::occupied::Occupied;
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Callee, Edge, Expr, FuncId, Loc, LocationKind, Op, Program};
use relyant_interp::machine::State;
use smallvec::SmallVec;

/// An input of more values is left for when its thread's turn comes.
const MAX_CHOICES: u32 = 4;

/// What the moves from a location may touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    /// The move may interfere with others, in this or another way.
    Visible,
    /// These keys; those written are marked. None: nothing that others may touch.
    Keys(Vec<(u32, bool)>),
    /// One access, which is a write if marked, at an address that the state tells.
    At(u32, bool),
}

/// Facts for the reduction.
#[derive(Clone, Debug)]
pub(super) struct Independence {
    /// First location of each template.
    pub(super) first: Vec<usize>,
    /// By location, numbered from `first` of its template on: what may yet be accessed from there.
    future: Rows,
    /// By location, as `future`.
    pub(super) touch: Vec<Touch>,
    /// By location: the keys of its touch.
    touched: Rows,
    /// By location: is it a cut-point?
    cut_point: Vec<bool>,
    /// By location: does one wait there for the end of a thread, and for nothing else?
    pub(super) joins: Vec<bool>,
    pub(super) keys: Keys,
    pub(super) guards: Guards,
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
            touched: Rows::new(n, keys.number),
            cut_point: vec![false; n],
            joins: vec![false; n],
            keys,
            guards: Guards::default(),
        };
        let points = PointsTo::new(program);
        let next = facts.accesses(program, &points);
        let own = facts.future.clone();
        facts.futures(&next);
        // Where inputs are observed, it has to be seen what a guard does with one.
        facts.guards = Guards::new(program, &points, &facts.keys, own, next);
        if config.observing.is_some() {
            facts.guards.forget();
        } else {
            facts.find_joins(program);
        }
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
        for (row, touch) in facts.touch.iter().enumerate() {
            if let Touch::Keys(list) = touch {
                list.iter().for_each(|(k, write)| facts.touched.set(row, *k, *write));
            }
        }
        facts
    }

    fn find_joins(&mut self, program: &Program) {
        for (first, template) in self.first.iter().zip(&program.templates) {
            for (l, edges) in template.graph.out_edges().iter().enumerate() {
                let edges: Vec<&Edge> = edges.iter().map(|e| &template.graph.edges[*e]).collect();
                self.joins[first + l] = is_join(&edges);
            }
        }
    }

    /// Puts into `future` what the steps of each location access; where they lead.
    fn accesses(&mut self, program: &Program, points: &PointsTo) -> Vec<Vec<usize>> {
        let mut next = vec![Vec::new(); self.touch.len()];
        for (t, template) in program.templates.iter().enumerate() {
            for e in &template.graph.edges {
                let row = self.first[t] + e.from.0 as usize;
                next[row].push(self.first[t] + e.to.0 as usize);
                next[row].extend(entries(program, t, e).into_iter().map(|(t, l)| self.first[t] + l));
                let ends = template.graph.locations[e.to.0 as usize].kind == LocationKind::End;
                let (list, _) = self.access(program, points, t, &e.op, ends);
                list.into_iter().for_each(|(k, w)| self.future.set(row, k, w));
            }
        }
        next
    }

    /// Future accesses of each location, to the least fixpoint.
    fn futures(&mut self, next: &[Vec<usize>]) {
        let mut before = vec![Vec::new(); next.len()];
        for (row, list) in next.iter().enumerate() {
            list.iter().for_each(|n| before[*n].push(row));
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

    /// Where a thread is, and where its calls return to.
    pub(super) fn rows(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        mut each: impl FnMut(usize),
    ) {
        let t = &state.threads[thread];
        let first = self.first[t.name.template as usize];
        each(first + t.loc.0 as usize);
        for e in config.machine.calls(state, thread) {
            each(first + config.machine.edge(t.name.template, e).map_or(0, |e| e.to.0 as usize));
        }
    }

    /// Are all moves of a thread independent now? `Some(true)` at a cut-point. `at` is where the threads are.
    pub fn invisible(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        at: &mut Occupied,
    ) -> Option<bool> {
        let t = &state.threads[thread];
        if t.ended.is_some() {
            return None;
        }
        let row = self.first[t.name.template as usize] + t.loc.0 as usize;
        let free = match &self.touch[row] {
            Touch::Visible => false,
            Touch::Keys(list) => self.has_independent_keys(config, state, (thread, row), list, at),
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
                        .is_none_or(|key| self.is_independent(config, state, thread, (key, *write), at)),
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

    /// Are the keys that the moves of a thread touch independent of all that other threads may do? Threads at one
    /// location that wait for no return have the same answer.
    pub(super) fn has_independent_keys(
        &self,
        config: &Config<'_>,
        state: &State,
        (thread, row): (usize, usize),
        list: &[(u32, bool)],
        at: &mut Occupied,
    ) -> bool {
        if list.is_empty() {
            return true;
        }
        let alone = state.stacks.is_empty();
        let known = at.independent[row].filter(|_| alone);
        if known == Some(Known::Always) || known == Some(Known::Never) && at.joining.is_empty() {
            return known == Some(Known::Always);
        }
        let (read, written) = self.touched.row(row);
        let apart = |reads: &[u64], writes: &[u64]| {
            (0..read.len()).all(|w| writes[w] & (read[w] | written[w]) == 0 && reads[w] & written[w] == 0)
        };
        let chosen = |at: &mut Occupied| {
            list.iter().all(|(k, write)| {
                *write
                    || !self.keys.is_unchosen(config, state, *k)
                    || self.is_independent(config, state, thread, (*k, true), at)
            })
        };
        let answer = self.answer(config, state, (thread, ALL_KEYS), at, apart);
        if known.is_none() {
            let always = answer.0 && chosen(at);
            at.independent[row] = Some(if always { Known::Always } else { Known::Never });
            if always {
                return true;
            }
        }
        answer.1
            && !at.joining.is_empty()
            && self.is_true_while_waited_for(config, state, thread, at, apart)
            && chosen(at)
    }

    /// Is the access independent of all that other threads may do before the thread moves?
    fn is_independent(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        (key, write): (u32, bool),
        at: &mut Occupied,
    ) -> bool {
        let write = write || self.keys.is_unchosen(config, state, key);
        let (word, bit) = (key as usize / 64, 1 << (key % 64));
        let apart =
            |reads: &[u64], writes: &[u64]| writes[word] & bit == 0 && (!write || reads[word] & bit == 0);
        let answer = self.answer(config, state, (thread, key * 2 + u32::from(write)), at, apart);
        answer.0
            || answer.1
                && !at.joining.is_empty()
                && self.is_true_while_waited_for(config, state, thread, at, apart)
    }

    /// Is it so of all others, and would it be without those at joins? `key` stands for what is asked of a thread at its
    /// location.
    fn answer(
        &self,
        config: &Config<'_>,
        state: &State,
        (thread, key): (usize, u32),
        at: &mut Occupied,
        holds: impl Fn(&[u64], &[u64]) -> bool + Copy,
    ) -> (bool, bool) {
        if self.is_apart(config, state, thread, at, holds) {
            return (true, true);
        }
        let closed = at.closed(self, config, state);
        if closed == 0 && at.joining.is_empty() {
            return (false, false);
        }
        let question = at.question(state, (self.row(state, thread), key), closed);
        let remembered = question.and_then(|q| at.reached.answer(q));
        remembered.unwrap_or_else(|| {
            let always = self.is_true_of_others(config, state, thread, at, holds);
            let answer = (always, always || self.is_true_without_joins(config, state, thread, at, holds));
            at.reached.remember(question, answer);
            answer
        })
    }

    /// Is it so of all that other threads may ever access?
    fn is_apart(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        at: &Occupied,
        holds: impl Fn(&[u64], &[u64]) -> bool,
    ) -> bool {
        let calls = !state.stacks.is_empty();
        let here = self.row(state, thread);
        let own =
            |row: usize| if calls { self.own(config, state, thread, row) } else { u32::from(row == here) };
        at.rows().all(|row| {
            let (reads, writes) = self.future.row(row);
            holds(reads, writes) || at.counts[row] == own(row)
        })
    }

    /// How often a thread counts at a location.
    fn own(&self, config: &Config<'_>, state: &State, thread: usize, row: usize) -> u32 {
        let mut own = 0;
        self.rows(config, state, thread, |r| own += u32::from(r == row));
        own
    }

    /// Is it so of all that other threads may access before the thread moves, where guards are closed to them?
    fn is_true_of_others(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        at: &mut Occupied,
        holds: impl Fn(&[u64], &[u64]) -> bool,
    ) -> bool {
        let closed = at.closed(self, config, state);
        if closed == 0 {
            return false;
        }
        let others = at.rows().filter(|r| at.counts[*r] > self.own(config, state, thread, *r));
        let others: Places = others.collect();
        self.guards.hold(closed, (&others, &[]), &mut at.reached, holds)
    }

    /// Others, but for these: where they are.
    fn without(
        &self,
        config: &Config<'_>,
        state: &State,
        gone: impl Iterator<Item = usize>,
        at: &Occupied,
    ) -> Places {
        let gone: SmallVec<[usize; 8]> = gone.collect();
        let own = |row: usize| gone.iter().map(|u| self.own(config, state, *u, row)).sum::<u32>();
        at.rows().filter(|r| at.counts[*r] > own(*r)).collect()
    }

    /// The same, if all that are at joins waited for the thread. Where it is not so, who does makes no difference.
    fn is_true_without_joins(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        at: &mut Occupied,
        holds: impl Fn(&[u64], &[u64]) -> bool,
    ) -> bool {
        if at.joining.is_empty() {
            return false;
        }
        let gone = at.joining.iter().copied().filter(|u| *u != thread).chain([thread]);
        let others = self.without(config, state, gone, at);
        let closed = at.closed(self, config, state);
        self.guards.hold(closed, (&others, &[]), &mut at.reached, holds)
    }

    /// The same, where some of the others wait for the thread to end.
    fn is_true_while_waited_for(
        &self,
        config: &Config<'_>,
        state: &State,
        thread: usize,
        at: &mut Occupied,
        holds: impl Fn(&[u64], &[u64]) -> bool,
    ) -> bool {
        at.follow(self, config, state);
        let waits = || at.waits.iter().filter(|w| w.thread != thread && w.is_for(thread));
        if waits().next().is_none() {
            return false;
        }
        let reads: SmallVec<[u32; 8]> = waits().flat_map(|w| w.reads.iter().copied()).collect();
        let gone = waits().map(|w| w.thread).chain([thread]);
        let others = self.without(config, state, gone, at);
        let closed = at.closed(self, config, state);
        self.guards.hold(closed, (&others, &reads), &mut at.reached, holds)
    }
}

/// Where no key stands for all that a move touches.
const ALL_KEYS: u32 = u32::MAX;

/// Locations, numbered through all templates.
type Places = SmallVec<[usize; 16]>;

/// What is known of the moves of threads at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// They are independent.
    Always,
    /// They are not, unless others wait for their threads.
    Never,
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
