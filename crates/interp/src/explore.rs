//! Exhaustive exploration of a program's states, cheapest first.
//!
//! Two uses: the plain one is the oracle that tests compare the proof engines with; [`quick_search`] looks for a
//! short violation before a proof is tried. Both stop after a number of states, never after a time, so that
//! results are reproducible.

use super::candidates::Candidates;
use super::machine::{Machine, RunEnd, State, Stop, Violation};
use super::normal::{Normal, NormalOptions, Scratch};
use super::store::ByteSet;
use relyant_cfa::schedule::{Move, Schedule, Start};
use relyant_cfa::{Count, Edge, Loc, LocationKind, Op, Program, Template};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// What to explore, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExploreOptions {
    /// Stop after this many states, earlier where states are large.
    pub max_states: usize,
    /// Stop after this many steps, those that lead to known states included.
    pub max_steps: usize,
    /// Run steps that no other thread can see at once, with the step before them.
    pub eager_local: bool,
    /// Threads to start of an initial template of unbounded count.
    pub unbounded_initial: u32,
    /// Steps of one move (an atomic section, or local steps run at once).
    pub max_move: usize,
    /// Values tried for an input that is computed with and has more than 16 values.
    pub max_inputs: usize,
    /// Inputs of at most this many values have all of them tried, even where fewer show all that can happen.
    pub all_inputs: i128,
    /// States are explored in order of cost: a move costs 1, and this much more when it interrupts a thread that
    /// could go on, or starts a thread: there may be no end of those. 0: breadth first, which finds a violation with
    /// as few moves as there can be.
    pub switch_cost: u32,
    /// Keep states apart that differ only in registers that are not read any more.
    pub keep_dead: bool,
    /// States are one that differ only in the order of threads.
    pub symmetry: bool,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        ExploreOptions {
            max_states: 1_000_000,
            max_steps: usize::MAX,
            eager_local: false,
            unbounded_initial: 2,
            max_move: 20_000,
            max_inputs: 40,
            all_inputs: 0,
            switch_cost: 0,
            keep_dead: false,
            symmetry: false,
        }
    }
}

/// How an exploration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exploration {
    /// A run to a state that violates the property.
    Violation(Schedule),
    /// There are no further states.
    Exhausted {
        /// How many were seen.
        states: usize,
        /// All values of inputs and all numbers of threads were tried, and no limit was met.
        complete: bool,
    },
    /// The limit of states was reached or a bound of the program itself, or somebody asked to stop.
    Limit {
        /// How many were seen.
        states: usize,
    },
}

/// Explores all runs. An error means that the program is malformed.
pub fn explore(
    program: &Program,
    options: &ExploreOptions,
    cancel: &dyn Fn() -> bool,
) -> Result<Exploration, Stop> {
    let machine = Machine::new(program)?;
    Explorer::new(&machine, options).run(cancel)
}

/// Looks for a violation among the first states; deterministic. `None` says nothing about the program.
///
/// Most bugs need few context switches (Musuvathi and Qadeer, PLDI 2007), so that runs with few of them come first.
pub fn quick_search(program: &Program, max_states: usize, cancel: &dyn Fn() -> bool) -> Option<Schedule> {
    // Programs with many inputs take many steps to few states.
    let max_steps = max_states.saturating_mul(10);
    let options = ExploreOptions {
        max_states,
        max_steps,
        eager_local: true,
        switch_cost: 20,
        ..ExploreOptions::default()
    };
    match explore(program, &options, cancel) {
        Ok(Exploration::Violation(schedule)) => Some(schedule),
        _ => None,
    }
}

/// How a state was first reached: from which, who moved, and which of its moves it was. Threads are numbered as in
/// normal forms.
#[derive(Clone, Copy)]
struct Origin {
    /// The number of the state that the move started in.
    parent: u32,
    /// The thread that moved, by number in the parent's normal form.
    thread: u32,
    choice: u32,
    cost: u32,
    /// The thread that moved, in the new state.
    moved: u32,
}

/// A step within a move; moves from one state form a tree.
#[derive(Clone, Copy)]
struct StepNode {
    parent: u32,
    edge: u32,
    input: Option<i128>,
}

/// Numbers that the steps to one state may copy, on average: 20 steps on a state of 100 numbers.
const WORK_PER_STATE: usize = 2000;

const ROOT: u32 = u32::MAX;

struct Explorer<'m, 'p> {
    machine: &'m Machine<'p>,
    options: &'m ExploreOptions,
    normal: Normal,
    scratch: Scratch,
    candidates: Candidates,
    complete: bool,
    /// A run came to a bound of the program itself.
    bounded: bool,
    steps: usize,
    seen: ByteSet,
    origins: Vec<Origin>,
    /// By template and location: nothing but local edges leave it, and no property speaks of it.
    local: Vec<Vec<bool>>,
    /// By template and edge: values to try where it takes an input that matters, and whether these are all.
    inputs: Vec<Vec<Option<Inputs>>>,
    nodes: Vec<StepNode>,
    /// Numbers copied so far.
    work: usize,
    spare: Vec<State>,
}

type Inputs = Rc<(Vec<Option<i128>>, bool)>;

/// States to explore, cheapest first, then oldest first.
#[derive(Default)]
struct Queue(BTreeMap<u32, VecDeque<u32>>);

impl Queue {
    fn push(&mut self, state: u32, cost: u32) {
        self.0.entry(cost).or_default().push_back(state);
    }
    fn pop(&mut self) -> Option<u32> {
        let mut first = self.0.first_entry()?;
        let state = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        state
    }
}

impl<'m, 'p> Explorer<'m, 'p> {
    fn new(machine: &'m Machine<'p>, options: &'m ExploreOptions) -> Self {
        let local = (0u32..).zip(&machine.program().templates).map(|(t, template)| {
            let out = template.graph.out_edges();
            let location = |(l, edges): (usize, &Vec<usize>)| {
                let loc = Loc(l as u32);
                !edges.is_empty()
                    && !machine.is_watched(t, loc)
                    && edges.iter().all(|e| {
                        // A step into an atomic section brings all of the section with it; recursion may
                        // have no end.
                        let edge = &template.graph.edges[*e];
                        machine.is_local(t, *e as u32)
                            && !machine.location(t, edge.to).atomic
                            && !matches!(edge.op, Op::Call { .. } | Op::Return(_))
                    })
            };
            out.iter().enumerate().map(location).collect()
        });
        let normal = NormalOptions { symmetry: options.symmetry, keep_dead: options.keep_dead };
        let normal = Normal::new(machine, normal);
        let candidates = Candidates::new(machine.program(), options.max_inputs, options.all_inputs);
        let inputs = (0u32..).zip(&machine.program().templates).map(|(t, template)| {
            let edge = |e: &Edge| {
                let Op::Havoc { dst, .. } = &e.op else { return None };
                // A value that nobody reads is no choice.
                normal.is_live(t, e.to, dst.0).then(|| {
                    let (values, all) = candidates.inputs(t, *dst, template.registers[dst.0 as usize].kind);
                    Rc::new((values.into_iter().map(Some).collect(), all))
                })
            };
            template.graph.edges.iter().map(edge).collect()
        });
        Explorer {
            local: local.collect(),
            inputs: inputs.collect(),
            normal,
            scratch: Scratch::default(),
            candidates,
            machine,
            options,
            complete: true,
            bounded: false,
            steps: 0,
            seen: ByteSet::default(),
            origins: Vec::new(),
            nodes: Vec::new(),
            work: 0,
            spare: Vec::new(),
        }
    }

    fn run(mut self, cancel: &dyn Fn() -> bool) -> Result<Exploration, Stop> {
        let (starts, all) = self.candidates.starts(self.machine);
        self.complete &= all;
        let unbounded = |t: &Template| t.initial && t.count == Count::Unbounded;
        self.complete &= !self.machine.program().templates.iter().any(unbounded);
        let mut bytes = Vec::new();
        let mut start_of = Vec::new();
        let mut queue = Queue::default();
        for start in starts {
            let state = self.machine.initial(&start, self.options.unbounded_initial)?;
            if self.machine.violation(&state).is_some() {
                return Ok(Exploration::Violation(Schedule { start, moves: Vec::new() }));
            }
            self.normal.pack(&state, &mut self.scratch, &mut bytes);
            if let Some(number) = self.seen.insert(&bytes) {
                self.origins.push(Origin { parent: ROOT, thread: 0, choice: 0, cost: 0, moved: 0 });
                queue.push(number as u32, 0);
                start_of.push(start);
            }
        }
        let mut state = State::default();
        let mut expanded = 0usize;
        let mut twins = Vec::new();
        while let Some(next) = queue.pop() {
            let full = self.seen.len() >= self.options.max_states
                || self.steps >= self.options.max_steps
                || self.work >= self.options.max_states.saturating_mul(WORK_PER_STATE);
            if full || (expanded % 64 == 0 && cancel()) {
                return Ok(Exploration::Limit { states: self.seen.len() });
            }
            expanded += 1;
            self.normal.unpack_twins(self.seen.get(next as usize), &mut state, &mut twins);
            let origin = self.origins[next as usize];
            let start = self.start_of(next, &start_of);
            // The thread that moved last goes on first; where it finds nothing new, switching costs nothing.
            let last = origin.moved as usize;
            let mut goes_on = false;
            let (mut moves, complete) = (0usize, self.complete);
            self.complete = true;
            let others = (0..state.threads.len()).filter(|t| *t != last);
            for thread in Some(last).filter(|t| *t < state.threads.len()).into_iter().chain(others) {
                if state.threads[thread].ended.is_some() || twins[thread] {
                    continue;
                }
                let extra = if goes_on { self.options.switch_cost } else { 0 };
                let cost = origin.cost.saturating_add(1).saturating_add(extra);
                let mut found = None;
                let mut choice = 0;
                self.moves(&state, thread, start, &mut |this, after, _| {
                    let started = after.threads.len() > state.threads.len();
                    let cost = cost.saturating_add(if started { this.options.switch_cost } else { 0 });
                    let mut origin = Origin { parent: next, thread: thread as u32, choice, cost, moved: 0 };
                    choice += 1;
                    moves += 1;
                    match this.machine.violation(after) {
                        Some(Violation { found: RunEnd::Limit(_), .. }) => {
                            this.bounded = true;
                            return;
                        }
                        Some(_) if found.is_none() => found = Some(origin),
                        _ => {}
                    }
                    if after.halted {
                        return;
                    }
                    this.normal.pack(after, &mut this.scratch, &mut bytes);
                    if let Some(number) = this.seen.insert(&bytes) {
                        let at = this.scratch.order.iter().position(|i| *i as usize == thread);
                        origin.moved = at.map_or(u32::MAX, |i| i as u32);
                        this.origins.push(origin);
                        queue.push(number as u32, cost);
                        goes_on |= thread == last;
                    }
                })?;
                if let Some(origin) = found {
                    let moves = self.moves_to(origin, start)?;
                    return Ok(Exploration::Violation(Schedule { start: start.clone(), moves }));
                }
            }
            if moves == 0 && self.complete && self.machine.deadlock(&state, &self.candidates).is_some() {
                let moves = if origin.parent == ROOT { Vec::new() } else { self.moves_to(origin, start)? };
                return Ok(Exploration::Violation(Schedule { start: start.clone(), moves }));
            }
            self.complete &= complete;
        }
        if self.bounded {
            return Ok(Exploration::Limit { states: self.seen.len() });
        }
        Ok(Exploration::Exhausted { states: self.seen.len(), complete: self.complete })
    }

    /// Start values of the run that reached a state.
    fn start_of<'s>(&self, state: u32, starts: &'s [Start]) -> &'s Start {
        let mut i = state as usize;
        if starts.len() == 1 {
            return &starts[0];
        }
        while self.origins[i].parent != ROOT {
            i = self.origins[i].parent as usize;
        }
        &starts[i]
    }

    /// All moves of a thread from a state, in a fixed order: what is reached, and the node of the last step.
    fn moves(
        &mut self,
        from: &State,
        thread: usize,
        start: &Start,
        emit: &mut dyn FnMut(&mut Self, &State, u32),
    ) -> Result<(), Stop> {
        self.nodes.clear();
        let mut todo = vec![(self.copy(from), ROOT, false)];
        let mut steps = 0;
        // Loops within a move: once it gets long, states are remembered.
        let mut seen = ByteSet::default();
        let mut bytes = Vec::new();
        while let Some((state, node, eager)) = todo.pop() {
            steps += 1;
            let mut again = false;
            if steps > 200 && !state.halted {
                self.normal.pack(&state, &mut self.scratch, &mut bytes);
                again = seen.insert(&bytes).is_none();
            }
            let stop = steps > self.options.max_move;
            if again || stop {
                // A thread may rest between local steps, but not inside an atomic section.
                if eager {
                    emit(self, &state, node);
                } else if stop {
                    self.complete = false;
                }
                self.spare.push(state);
                continue;
            }
            let template = state.threads[thread].name.template;
            let first = todo.len();
            let mut moved = false;
            for &edge in self.machine.out(&state, thread) {
                if self.machine.is_blocked(&state, thread, edge) {
                    continue;
                }
                let inputs = self.inputs[template as usize][edge as usize].clone();
                let (inputs, all) = inputs.as_deref().map_or((&[None][..], true), |i| (&i.0[..], i.1));
                self.complete &= all;
                for &input in inputs {
                    let mut after = self.copy(&state);
                    self.steps = self.steps.saturating_add(1);
                    match self.machine.step(&mut after, thread, edge, input, start) {
                        Ok(()) => {}
                        Err(Stop::Malformed(what)) => return Err(Stop::Malformed(what)),
                        Err(stop) => {
                            self.complete &= stop != Stop::TooLarge;
                            self.spare.push(after);
                            continue;
                        }
                    }
                    moved = true;
                    self.nodes.push(StepNode { parent: node, edge, input });
                    let new = self.nodes.len() as u32 - 1;
                    if self.machine.inside_atomic(&after, thread) {
                        todo.push((after, new, false));
                    } else if self.runs_on(&after, thread) {
                        todo.push((after, new, true));
                    } else {
                        emit(self, &after, new);
                        self.spare.push(after);
                    }
                }
            }
            todo[first..].reverse();
            if eager && !moved {
                emit(self, &state, node);
            }
            self.spare.push(state);
        }
        Ok(())
    }

    fn runs_on(&self, state: &State, thread: usize) -> bool {
        let t = &state.threads[thread];
        self.options.eager_local
            && !state.halted
            && t.ended.is_none()
            && self.local[t.name.template as usize][t.loc.0 as usize]
            && self.machine.location(t.name.template, t.loc).kind == LocationKind::Normal
    }

    fn copy(&mut self, state: &State) -> State {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(state);
        let stacks: usize = state.stacks.iter().map(Vec::len).sum();
        self.work += state.cells.len() + state.data.len() + state.threads.len() + stacks;
        copy
    }

    /// The moves to a state, found again from the origins, and done on a state whose threads keep their places.
    fn moves_to(&mut self, last: Origin, start: &Start) -> Result<Vec<Move>, Stop> {
        let mut origins = vec![last];
        while let Some(o) = origins.last().copied() {
            match self.origins[o.parent as usize] {
                before if before.parent == ROOT => break,
                before => origins.push(before),
            }
        }
        let mut real = self.machine.initial(start, self.options.unbounded_initial)?;
        let mut bytes = Vec::new();
        self.normal.pack(&real, &mut self.scratch, &mut bytes);
        // Places, in the state that keeps them, of the threads of a normal form.
        let mut places = self.scratch.order.clone();
        let mut moves = Vec::new();
        for o in origins.into_iter().rev() {
            let mut state = State::default();
            self.normal.unpack(self.seen.get(o.parent as usize), &mut state);
            let mut choice = 0;
            let mut leaf = None;
            self.moves(&state, o.thread as usize, start, &mut |_, after, node| {
                if choice == o.choice {
                    leaf = Some((after.clone(), node));
                }
                choice += 1;
            })?;
            let (after, mut node) = leaf.ok_or(Stop::Malformed("a state that is not reached again"))?;
            let new = after.threads.len() - state.threads.len();
            places.extend((0..new).map(|i| (real.threads.len() + i) as u32));
            let thread = places[o.thread as usize] as usize;
            let name = real.threads[thread].name;
            let mut path = Vec::new();
            while node != ROOT {
                let n = self.nodes[node as usize];
                path.push((n.edge, n.input));
                node = n.parent;
            }
            path.reverse();
            for (edge, input) in &mut path {
                if let Some(Op::Havoc { dst, .. }) = self.machine.edge(name.template, *edge).map(|e| &e.op) {
                    *input = input.map(|v| self.normal.renamed_input(name.template, *dst, v, &places));
                }
                self.machine.step(&mut real, thread, *edge, *input, start)?;
            }
            self.normal.pack(&after, &mut self.scratch, &mut bytes);
            places = self.scratch.order.iter().map(|i| places[*i as usize]).collect();
            moves.push(Move {
                thread: name,
                inputs: (0u32..).zip(&path).filter_map(|(i, (_, v))| v.map(|v| (i, v))).collect(),
                path: path.into_iter().map(|(e, _)| e).collect(),
            });
        }
        Ok(moves)
    }
}
