//! Successors of a state: a step that may interfere with others, then all steps that are independent of them.
//!
//! A *move* is one step of one thread; an atomic section is one move, which does not happen when the section cannot
//! be left. With reduction a move is followed by *invisible* moves (see [`super::independence`]) until there is
//! none left. Threads that are at no cut-point go first; the result does not depend on the order. When only threads at
//! cut-points (of loops, or inputs) have invisible moves, the first of them in the normal form goes on, unless the state
//! was met since the visible move before or this has gone on for long: then the state is kept as it is, and all its
//! moves count.

use super::config::Config;
use super::cut::Cut;
use super::draws::Draws;
use super::independence::Independence;
use super::occupied::Occupied;
use super::store::hash;
use relyant_cfa::{LocationKind, Op};
use relyant_interp::machine::{Before, State, Stop};
use relyant_interp::normal::{Moved, Scratch};
use rustc_hash::FxHashSet;

/// The parent of a first step.
pub(super) const NO_NODE: u32 = u32::MAX;
/// Cut-points passed after one visible move. A loop without end whose states all differ costs as much in each state;
/// a longer one that ends costs a few more states.
const MAX_ROUNDS: usize = 256;
/// Branches of what follows a visible move, after which no more inputs are tried.
const MAX_BRANCHES: usize = 64;
/// To look at so many threads counts for a step more.
const LARGE: u64 = 64;
/// To copy a state of so many numbers, and to store it, counts for a step more.
const COPIED: u64 = 16;
/// Steps of one atomic section, and branches of what follows a visible move at all.
const MAX_MOVE: usize = 20_000;
/// Numbers on a thread's stack.
const MAX_STACK: usize = 100_000;
/// Moves that are drawn until one is found that can be left.
const DRAWS: usize = 4;
/// Steps of an atomic section after which its states are remembered.
const LONG: usize = 200;

/// A step of a move; the steps from one state form a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepNode {
    /// The step before, by index, or [`NO_NODE`].
    pub parent: u32,
    /// The thread that does it, by its place in the state.
    pub thread: u32,
    /// The edge, by index in the graph of its template.
    pub edge: u32,
    /// Which of the values of an input.
    pub choice: u32,
    /// It begins a move.
    pub begins: bool,
}

/// How a state was come to.
pub(super) struct Arrival<'n> {
    /// Steps from the state at hand.
    pub nodes: &'n [StepNode],
    /// The last one, by index, or [`NO_NODE`].
    pub last: u32,
    /// Threads that moved, and maybe more.
    pub moved: Moved,
    /// It violates a property.
    pub violation: bool,
}

/// What a successor is given to; it may take the state.
pub(super) type Emit<'e> = dyn FnMut(&mut State, &Arrival<'_>) + 'e;

/// Makes successors; one for each worker.
pub(super) struct Mover<'c, 'p> {
    config: &'c Config<'p>,
    reduction: Option<&'c Independence>,
    /// Threads at cut-points go on, too, unless their states were met before.
    pub passes_cut_points: bool,
    /// Of several moves of a thread one is drawn.
    pub draws: Option<Draws>,
    /// Steps tried so far.
    pub steps: u64,
    /// What was left out so far.
    pub cut: Cut,
    /// Threads that moved since the state at hand.
    moved: Moved,
    /// Steps of the moves from the state at hand; a step comes after the one before it.
    nodes: Vec<StepNode>,
    spare: Vec<State>,
    /// States inside an atomic section that are still to be left, with the last step to each; a stack.
    sections: Vec<(State, u32)>,
    /// Where the moves of the thread at hand lead, with the last step to each.
    ends: Vec<(State, u32)>,
    /// States whose invisible moves are still to be done, with the last step to each; a stack.
    chain: Vec<(State, u32)>,
    met: FxHashSet<u64>,
    occupied: Occupied,
    before: Before,
    branches: usize,
    bytes: Vec<u8>,
    scratch: Scratch,
}

impl<'c, 'p> Mover<'c, 'p> {
    /// Without reduction each move counts.
    pub fn new(config: &'c Config<'p>, reduction: Option<&'c Independence>) -> Self {
        Mover {
            config,
            reduction,
            passes_cut_points: true,
            draws: None,
            steps: 0,
            cut: Cut::default(),
            moved: Moved::NONE,
            nodes: Vec::new(),
            spare: Vec::new(),
            sections: Vec::new(),
            ends: Vec::new(),
            chain: Vec::new(),
            met: FxHashSet::default(),
            occupied: Occupied::default(),
            before: Before::default(),
            branches: 0,
            bytes: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// What follows a start by invisible moves.
    pub fn start(&mut self, state: &State, emit: &mut Emit<'_>) -> Result<(), Stop> {
        self.nodes.clear();
        self.moved = Moved::NONE;
        let mut copy = self.copy(state);
        if self.config.machine.violation(state).is_some() {
            emit(&mut copy, &self.arrival(NO_NODE, true));
            return Ok(());
        }
        self.chain.push((copy, NO_NODE));
        self.settle(emit)
    }

    /// All successors by a move of a thread, in a fixed order. Says whether there is a move at all.
    pub fn successors(&mut self, from: &State, thread: usize, emit: &mut Emit<'_>) -> Result<bool, Stop> {
        if from.halted || from.threads[thread].ended.is_some() {
            return Ok(false);
        }
        if !self.begins_something(from, thread) {
            return Ok(false);
        }
        let mut state = self.copy(from);
        self.occupied.known = false;
        let moved = self.go_on(&mut state, thread, emit);
        self.occupied.known = false;
        // What was taken left nothing to be used again.
        if !state.threads.is_empty() {
            self.spare.push(state);
        }
        moved
    }

    /// May a thread have a move? Where inputs are observed, all that it tries has to be seen.
    fn begins_something(&self, state: &State, thread: usize) -> bool {
        let nothing = |edge: &u32| self.config.begins_nothing(state, thread, *edge);
        self.config.observing.is_some() || !self.config.machine.out(state, thread).iter().all(nothing)
    }

    /// The same, of a state that is not needed any more once there is a move. It is the one that the last call led to,
    /// if that was one state, or the last other call was of something else.
    pub fn go_on(&mut self, from: &mut State, thread: usize, emit: &mut Emit<'_>) -> Result<bool, Stop> {
        self.nodes.clear();
        self.moved = Moved::NONE;
        if from.halted || from.threads[thread].ended.is_some() {
            return Ok(false);
        }
        let mut node = NO_NODE;
        match self.advance(from, &mut node, thread)? {
            Next::None => return Ok(false),
            Next::InPlace => {
                if let Some(reduction) = self.reduction {
                    reduction.moved(from, thread, &mut self.occupied);
                }
                self.chain.push((std::mem::take(from), node));
            }
            Next::Branches => {
                self.occupied.known = false;
                while let Some(end) = self.ends.pop() {
                    self.chain.push(end);
                }
            }
        }
        self.settle(emit)?;
        Ok(true)
    }

    fn arrival(&self, last: u32, violation: bool) -> Arrival<'_> {
        Arrival { nodes: &self.nodes, last, moved: self.moved, violation }
    }

    /// Invisible moves of the states in `chain`, until there is none.
    fn settle(&mut self, emit: &mut Emit<'_>) -> Result<(), Stop> {
        self.met.clear();
        self.branches = 0;
        while let Some((mut state, mut node)) = self.chain.pop() {
            self.branches += 1;
            self.occupied.known &= self.branches == 1;
            let mut last = 0;
            loop {
                if state.halted {
                    break;
                }
                if node != NO_NODE && self.violates(&state, node) {
                    emit(&mut state, &self.arrival(node, true));
                    break;
                }
                let Some(reduction) = self.reduction.filter(|_| self.branches < MAX_MOVE) else {
                    emit(&mut state, &self.arrival(node, false));
                    break;
                };
                match self.invisible(reduction, &mut state, &mut node, &mut last)? {
                    Next::InPlace => {}
                    Next::Branches => {
                        self.occupied.known = false;
                        while let Some(end) = self.ends.pop() {
                            self.chain.push(end);
                        }
                        break;
                    }
                    Next::None => {
                        emit(&mut state, &self.arrival(node, false));
                        break;
                    }
                }
            }
            self.spare.push(state);
        }
        // Of several states nobody knows which one is next.
        self.occupied.known &= self.branches == 1;
        Ok(())
    }

    /// The next invisible move of a state.
    fn invisible(
        &mut self,
        reduction: &Independence,
        state: &mut State,
        node: &mut u32,
        last: &mut usize,
    ) -> Result<Next, Stop> {
        let mut at = std::mem::take(&mut self.occupied);
        if !at.known {
            self.steps += state.threads.len() as u64 / LARGE;
            reduction.occupy(self.config, state, &mut at);
        }
        let next = self.invisible_among(reduction, state, node, last, &mut at);
        match next {
            Ok(Next::InPlace) => reduction.moved(state, *last, &mut at),
            Ok(Next::None) => {}
            _ => at.known = false,
        }
        self.occupied = at;
        next
    }

    fn invisible_among(
        &mut self,
        reduction: &Independence,
        state: &mut State,
        node: &mut u32,
        last: &mut usize,
        at: &mut Occupied,
    ) -> Result<Next, Stop> {
        let mut resting = false;
        // The thread that moved last is the one to be able to go on.
        reduction.find_candidates(self.config, state, *last, at);
        for k in 0..at.candidates.len() {
            let thread = at.candidates[k] as usize;
            let Some(cut_point) = reduction.invisible(self.config, state, thread, at) else { continue };
            if cut_point {
                resting |= self.passes_cut_points && self.begins_something(state, thread);
                continue;
            }
            match self.advance(state, node, thread)? {
                Next::None => {}
                next => {
                    *last = thread;
                    return Ok(next);
                }
            }
        }
        if !resting || self.met.len() >= MAX_ROUNDS || self.branches >= MAX_BRANCHES {
            return Ok(Next::None);
        }
        self.count(state);
        self.config.pack(state, &mut self.scratch, &mut self.bytes);
        let mut next = Next::None;
        if self.met.insert(hash(&self.bytes)) {
            let order = std::mem::take(&mut self.scratch.order);
            for &thread in &order {
                if reduction.invisible(self.config, state, thread as usize, at).is_some() {
                    next = self.advance(state, node, thread as usize)?;
                    if !matches!(next, Next::None) {
                        *last = thread as usize;
                        break;
                    }
                }
            }
            self.scratch.order = order;
        }
        Ok(next)
    }

    /// A move of a thread; in place where there is but one.
    fn advance(&mut self, state: &mut State, node: &mut u32, thread: usize) -> Result<Next, Stop> {
        let machine = &self.config.machine;
        let template = state.threads[thread].name.template;
        let start = (*node, self.nodes.len());
        let mut steps = 0;
        loop {
            let (mut only, mut several) = (None, steps > LONG);
            for &edge in machine.out(state, thread) {
                self.config.observe(state, thread, edge);
                if self.config.begins_nothing(state, thread, edge) {
                    continue;
                }
                several |= only.is_some() || self.config.choices(state, thread, edge) != (1, true);
                only = Some(edge);
            }
            if several {
                self.take_back(state, node, thread, (steps, start));
                if self.is_drawn(state, node, thread)? {
                    return Ok(Next::InPlace);
                }
                self.moves(state, thread, *node)?;
                return Ok(if self.ends.is_empty() { Next::None } else { Next::Branches });
            }
            if let (0, Some(edge)) = (steps, only)
                && self.config.is_atomic_target(template, edge)
            {
                state.keep(thread, machine.data_size(template), &mut self.before);
            }
            let done = match only {
                Some(edge) => self.step(state, thread, edge, 0)?,
                None => false,
            };
            let Some(edge) = only.filter(|_| done) else {
                self.take_back(state, node, thread, (steps, start));
                return Ok(Next::None);
            };
            let new = StepNode { parent: *node, thread: thread as u32, edge, choice: 0, begins: steps == 0 };
            *node = self.node(new);
            if !machine.inside_atomic(state, thread) {
                return Ok(Next::InPlace);
            }
            steps += 1;
        }
    }

    /// The state, and the last step to it, before so many steps of a thread.
    fn take_back(
        &mut self,
        state: &mut State,
        node: &mut u32,
        thread: usize,
        (steps, (last, nodes)): (usize, (u32, usize)),
    ) {
        if steps > 0 {
            state.undo(thread, &self.before);
            self.nodes.truncate(nodes);
            *node = last;
        }
    }

    /// Does one of the moves of a thread, drawn at random, where that is wanted and one is found.
    fn is_drawn(&mut self, state: &mut State, node: &mut u32, thread: usize) -> Result<bool, Stop> {
        let Some(mut draws) = self.draws.take() else { return Ok(false) };
        let mut found = false;
        for _ in 0..DRAWS {
            let (mut after, mut last, nodes) = (self.copy(state), *node, self.nodes.len());
            let before = std::mem::take(&mut draws.chose);
            found = self.draw(&mut draws, &mut after, &mut last, thread)?;
            let again = draws.chose && !found;
            draws.chose |= before;
            if found {
                (*node, *state) = (last, std::mem::replace(&mut after, std::mem::take(state)));
            } else {
                self.nodes.truncate(nodes);
            }
            self.spare.push(after);
            // What was no choice is the same once more.
            if !again {
                break;
            }
        }
        self.draws = Some(draws);
        Ok(found)
    }

    /// A move of a thread, each step of which is drawn; `false` where it comes to where it can't go on.
    fn draw(
        &mut self,
        draws: &mut Draws,
        state: &mut State,
        node: &mut u32,
        thread: usize,
    ) -> Result<bool, Stop> {
        for steps in 0..MAX_MOVE {
            draws.edges.clear();
            for &edge in self.config.machine.out(state, thread) {
                if !self.config.begins_nothing(state, thread, edge) {
                    draws.edges.push(edge);
                }
            }
            let mut done = None;
            while let (None, Some(edge)) = (done, draws.edge()) {
                let choices = self.config.choices(state, thread, edge).0;
                let first = draws.choice(choices);
                for k in 0..choices {
                    let choice = (first + k) % choices;
                    if self.step(state, thread, edge, choice)? {
                        done = Some((edge, choice));
                        break;
                    }
                }
            }
            let Some((edge, choice)) = done else { return Ok(false) };
            let new = StepNode { parent: *node, thread: thread as u32, edge, choice, begins: steps == 0 };
            *node = self.node(new);
            if !self.config.machine.inside_atomic(state, thread) {
                return Ok(true);
            }
        }
        self.cut.long = true;
        Ok(false)
    }

    /// All moves of a thread: `ends` is where they lead.
    fn moves(&mut self, from: &State, thread: usize, node: u32) -> Result<(), Stop> {
        self.ends.clear();
        self.steps_from(from, thread, node, true)?;
        if self.sections.is_empty() {
            return Ok(());
        }
        let mut seen = FxHashSet::default();
        let mut steps = 0;
        while let Some((state, node)) = self.sections.pop() {
            steps += 1;
            let mut drop = false;
            if steps > LONG {
                // Loops within a section. A hash that two states share would hide what follows, hence the bytes.
                self.config.pack(&state, &mut self.scratch, &mut self.bytes);
                drop = !seen.insert(self.bytes.clone());
            }
            if steps > MAX_MOVE {
                self.cut.long = true;
                drop = true;
            }
            if !drop {
                self.steps_from(&state, thread, node, false)?;
            }
            self.spare.push(state);
        }
        Ok(())
    }

    /// Adds what the steps of a thread lead to, to `sections` inside an atomic section, else to `ends`.
    fn steps_from(&mut self, from: &State, thread: usize, node: u32, begins: bool) -> Result<(), Stop> {
        let machine = &self.config.machine;
        let first = self.sections.len();
        for &edge in machine.out(from, thread) {
            self.config.observe(from, thread, edge);
            if self.config.begins_nothing(from, thread, edge) {
                continue;
            }
            let (choices, all) = self.config.choices(from, thread, edge);
            self.cut.inputs |= !all;
            for choice in 0..choices {
                let mut after = self.copy(from);
                if !self.step(&mut after, thread, edge, choice)? {
                    self.spare.push(after);
                    continue;
                }
                let new = self.node(StepNode { parent: node, thread: thread as u32, edge, choice, begins });
                if self.config.machine.inside_atomic(&after, thread) {
                    self.sections.push((after, new));
                } else {
                    self.ends.push((after, new));
                }
            }
        }
        self.sections[first..].reverse();
        Ok(())
    }

    /// Does a step, if it can be done.
    fn step(&mut self, state: &mut State, thread: usize, edge: u32, choice: u32) -> Result<bool, Stop> {
        self.steps += 1;
        self.moved.add(thread);
        let machine = &self.config.machine;
        let template = state.threads[thread].name.template;
        let Some(e) = machine.edge(template, edge) else { return Ok(false) };
        if matches!(e.op, Op::Call { .. }) && state.stacks.get(thread).is_some_and(|s| s.len() > MAX_STACK) {
            self.cut.stack = true;
            return Ok(false);
        }
        let limit = machine.is_watched(template, e.to)
            && matches!(machine.location(template, e.to).kind, LocationKind::Limit(_));
        if limit {
            let mut before = Before::default();
            state.keep(thread, machine.data_size(template), &mut before);
            if self.try_step(state, thread, edge, choice)? {
                state.undo(thread, &before);
                self.cut.add(Cut { limit: Some((template, e.to.0)), ..Cut::default() });
            }
            return Ok(false);
        }
        self.try_step(state, thread, edge, choice)
    }

    fn try_step(&mut self, state: &mut State, thread: usize, edge: u32, choice: u32) -> Result<bool, Stop> {
        match self.config.step(state, thread, edge, choice) {
            Ok(()) => Ok(true),
            Err(Stop::Malformed(what)) => Err(Stop::Malformed(what)),
            Err(Stop::TooLarge) => {
                self.cut.large = true;
                Ok(false)
            }
            Err(Stop::Undefined(_)) => {
                self.cut.undefined = true;
                Ok(false)
            }
            Err(_) => Ok(false),
        }
    }

    /// Did the last move lead to a violation?
    fn violates(&self, state: &State, node: u32) -> bool {
        let machine = &self.config.machine;
        let thread = &state.threads[self.nodes[node as usize].thread as usize];
        (self.config.watched_entry || machine.is_watched(thread.name.template, thread.loc))
            && machine.violation(state).is_some()
    }

    fn node(&mut self, node: StepNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Counts the work of unpacking a state: in large states all takes longer.
    pub fn count(&mut self, state: &State) {
        self.steps += (state.cells.len() + state.data.len() + 4 * state.threads.len()) as u64 / COPIED;
    }

    fn copy(&mut self, state: &State) -> State {
        self.count(state);
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(state);
        copy
    }
}

/// What became of a state.
enum Next {
    /// It was changed to its only successor.
    InPlace,
    /// Its successors are in `ends`.
    Branches,
    /// There is no move.
    None,
}

impl Arrival<'_> {
    /// The steps, first to last.
    pub fn path(&self) -> Vec<StepNode> {
        path(self.nodes, self.last)
    }
}

/// The steps to a node, first to last.
fn path(nodes: &[StepNode], mut node: u32) -> Vec<StepNode> {
    let mut path = Vec::new();
    while node != NO_NODE {
        path.push(nodes[node as usize]);
        node = nodes[node as usize].parent;
    }
    path.reverse();
    path
}
