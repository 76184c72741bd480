//! Moves, and whether what they lead to is covered.
//!
//! Which thread goes on from a state that is not in the set is free, and most searches do the same thing: threads go
//! on as long as their moves are independent, and only where they may go on for ever does the search keep a state. The first try
//! looks for states there only; the second looks for each state on the way; the third goes back and tries other
//! threads, too.

use super::doors::Memo;
use super::facts::Facts;
use super::split::Parts;
use super::{Looks, Rejection, Space};
use relyant_interp::machine::{Machine, State, Stop};
use relyant_interp::normal::{Base, Moved, Scratch};
use relyant_interp::observe::Needs;
use rustc_hash::FxHashSet;

/// States looked for in one try, at places where threads may go on for ever.
const MOST_RESTS: usize = 10_000;
/// Steps of an atomic section after which its states are remembered.
const LONG: usize = 200;
/// Moves in a row when going back is possible.
const MOST_DEPTH: usize = 300;

/// Called with the number of each state of the set that was met.
type Met<'m> = &'m mut dyn FnMut(u32);

/// Checks states; one for each worker.
pub(super) struct Walker<'f, 'p> {
    facts: &'f Facts<'p>,
    space: &'f Space,
    /// Steps that may be tried from one state, and that are left.
    most: u64,
    fuel: u64,
    steps: u64,
    /// Points that the set lacks to tell inputs apart.
    needs: Needs,
    scratch: Scratch,
    bytes: Vec<u8>,
    /// The threads of the state at hand, and those that moved since, maybe more.
    base: Base,
    moved: Moved,
    /// By thread of the state at hand: nothing tells it from the one before it, so that it need not move.
    twins: Vec<bool>,
    parts: Parts,
    spare: Vec<State>,
    memo: Memo,
}

/// What a thread's moves did to a state.
enum Went {
    /// It has no move from here.
    Nowhere,
    /// There is one, and the state is changed.
    InPlace,
    /// These are the states it leads to.
    To(Vec<State>),
}

/// Where to look for states of the set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    AtRest,
    Everywhere,
}

impl<'f, 'p> Walker<'f, 'p> {
    pub fn new(facts: &'f Facts<'p>, space: &'f Space, most: u64) -> Self {
        Walker {
            facts,
            space,
            most,
            fuel: most,
            steps: 0,
            needs: Needs::default(),
            scratch: Scratch::default(),
            bytes: Vec::new(),
            base: Base::default(),
            moved: Moved::ALL,
            twins: Vec::new(),
            parts: Parts::default(),
            spare: Vec::new(),
            memo: Memo::default(),
        }
    }

    /// A state in which no thread can move must be no deadlock.
    fn stuck(&self, state: &State) -> Result<(), Rejection> {
        let (machine, candidates) = (&self.facts.machine, &self.facts.candidates);
        let over = state.threads.iter().all(|t| t.ended.is_some());
        if !machine.program().deadlock || over {
            return Ok(());
        }
        match machine.deadlock(state, candidates) {
            Some(v) => Err(Rejection::Violation(v.found)),
            None if machine.is_excused(state, candidates) => Ok(()),
            None => Err(Rejection::Stuck),
        }
    }

    /// Is a state covered?
    fn covers(&mut self, state: &State, met: Met<'_>) -> Result<bool, Rejection> {
        Ok(self.runs_into(state, Look::AtRest, met)?
            || self.runs_into(state, Look::Everywhere, met)?
            || self.tries(state, 0, &mut FxHashSet::default(), met)?)
    }

    /// Lets threads go on from a state as long as their moves are independent; does that lead to states of the set?
    fn runs_into(&mut self, state: &State, look: Look, met: Met<'_>) -> Result<bool, Rejection> {
        let facts = self.facts;
        let first = self.copy(state);
        let mut goals = vec![first];
        let mut rests = 0;
        while let Some(mut state) = goals.pop() {
            let mut last = 0;
            // Once the state is covered, or its moves are goals of their own.
            let mut done = state.halted;
            if !done {
                self.holds(&state)?;
            }
            while !done {
                if look == Look::Everywhere && self.is_in(&state, met) {
                    break;
                }
                let n = state.threads.len();
                let mut next = None;
                for k in 0..n {
                    // The thread that moved last is the one to be able to go on.
                    let thread = (last + k) % n;
                    if facts.independent(&state, thread, &mut self.memo) == Some(false) {
                        let went = self.advance(&mut state, thread)?;
                        if !matches!(went, Went::Nowhere) {
                            next = Some((thread, went));
                            break;
                        }
                    }
                }
                if next.is_none() {
                    rests += 1;
                    if self.is_in(&state, met) {
                        break;
                    }
                    if rests > MOST_RESTS {
                        return Ok(false);
                    }
                    let order = std::mem::take(&mut self.scratch.order);
                    for &thread in &order {
                        let thread = thread as usize;
                        if facts.independent(&state, thread, &mut self.memo).is_some() {
                            let went = self.advance(&mut state, thread)?;
                            if !matches!(went, Went::Nowhere) {
                                next = Some((thread, went));
                                break;
                            }
                        }
                    }
                    self.scratch.order = order;
                }
                match next {
                    None => return Ok(false),
                    Some((thread, Went::To(mut ends))) => {
                        last = thread;
                        goals.append(&mut ends);
                        done = true;
                    }
                    Some((thread, _)) => {
                        last = thread;
                        done = state.halted;
                        if !done {
                            self.holds(&state)?;
                        }
                    }
                }
            }
            self.spare.push(state);
        }
        Ok(true)
    }

    /// Tries one thread after the other. `tried` has the states that were met before: they are covered by something
    /// else, or not at all.
    fn tries(
        &mut self,
        state: &State,
        depth: usize,
        tried: &mut FxHashSet<Vec<u8>>,
        met: Met<'_>,
    ) -> Result<bool, Rejection> {
        if state.halted {
            return Ok(true);
        }
        self.holds(state)?;
        if self.is_in(state, met) {
            return Ok(true);
        }
        if depth >= MOST_DEPTH || !tried.insert(self.bytes.clone()) {
            return Ok(false);
        }
        for thread in 0..state.threads.len() {
            if self.facts.independent(state, thread, &mut self.memo).is_none() {
                continue;
            }
            let ends = self.moves(state, thread)?;
            let mut all = !ends.is_empty();
            for end in &ends {
                all = all && self.tries(end, depth + 1, tried, met)?;
            }
            self.spare.extend(ends);
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is a state in the set?
    fn is_in(&mut self, state: &State, met: Met<'_>) -> bool {
        let base = (&self.base, self.moved);
        self.facts.normal.pack_moved(state, base, &mut self.scratch, &mut self.bytes);
        let found = self.space.find(&self.bytes).or_else(|| {
            let larger = self.facts.larger.as_ref()?;
            larger.find(&self.facts.normal, &self.bytes, &mut self.parts)
        });
        found.is_some_and(|i| {
            met(i);
            true
        })
    }

    /// Rejects a state that violates the property.
    fn holds(&self, state: &State) -> Result<(), Rejection> {
        match self.facts.machine.violation(state) {
            Some(v) => Err(Rejection::Violation(v.found)),
            None => Ok(()),
        }
    }

    /// A move of a thread; in place where it is one step and there is no other.
    fn advance(&mut self, state: &mut State, thread: usize) -> Result<Went, Rejection> {
        let facts = self.facts;
        let machine = &facts.machine;
        let template = state.threads[thread].name.template;
        let mut only = None;
        for &edge in machine.out(state, thread) {
            self.observe(state, thread, edge);
            if facts.begins_nothing(state, thread, edge) {
                continue;
            }
            let inputs = facts.inputs(state, thread, edge)?;
            if only.is_some() || inputs.len() != 1 || facts.may_begin_section(template, edge) {
                let ends = self.moves(state, thread)?;
                return Ok(if ends.is_empty() { Went::Nowhere } else { Went::To(ends) });
            }
            only = Some((edge, inputs[0]));
        }
        match only {
            Some((edge, input)) if self.step(state, thread, edge, input)? => Ok(Went::InPlace),
            _ => Ok(Went::Nowhere),
        }
    }

    /// All that the moves of a thread lead to.
    fn moves(&mut self, from: &State, thread: usize) -> Result<Vec<State>, Rejection> {
        let (mut inside, mut ends) = (Vec::new(), Vec::new());
        self.steps_from(from, thread, &mut inside, &mut ends)?;
        let mut seen = FxHashSet::default();
        let mut number = 0;
        while let Some(state) = inside.pop() {
            number += 1;
            // There may be loops within a section.
            let mut again = false;
            if number > LONG {
                self.facts.normal.pack(&state, &mut self.scratch, &mut self.bytes);
                again = !seen.insert(self.bytes.clone());
            }
            if !again {
                self.steps_from(&state, thread, &mut inside, &mut ends)?;
            }
            self.spare.push(state);
        }
        Ok(ends)
    }

    /// All that the steps of a thread lead to, inside an atomic section or not.
    fn steps_from(
        &mut self,
        from: &State,
        thread: usize,
        inside: &mut Vec<State>,
        ends: &mut Vec<State>,
    ) -> Result<(), Rejection> {
        let facts = self.facts;
        for &edge in facts.machine.out(from, thread) {
            self.observe(from, thread, edge);
            if facts.begins_nothing(from, thread, edge) {
                continue;
            }
            for input in facts.inputs(from, thread, edge)? {
                let mut after = self.copy(from);
                if !self.step(&mut after, thread, edge, *input)? {
                    self.spare.push(after);
                } else if facts.machine.inside_atomic(&after, thread) && !after.halted {
                    inside.push(after);
                } else {
                    ends.push(after);
                }
            }
        }
        Ok(())
    }

    /// Notes what an edge does with inputs.
    fn observe(&mut self, state: &State, thread: usize, edge: u32) {
        if let Some((observer, points)) = &self.facts.observer {
            observer.observe(&self.facts.machine, state, thread, edge, points, &mut self.needs);
        }
    }

    /// Does a step, if it can be done. Undefined behaviour is assumed away.
    fn step(
        &mut self,
        state: &mut State,
        thread: usize,
        edge: u32,
        input: Option<i128>,
    ) -> Result<bool, Rejection> {
        let facts = self.facts;
        self.steps += 1;
        self.moved.add(thread);
        self.fuel = self.fuel.checked_sub(1).ok_or(Rejection::Fuel)?;
        if !facts.future.foreseen(&facts.machine, state, thread, edge) {
            return Err(Rejection::Access(describe(&facts.machine, state, thread)));
        }
        match facts.machine.step(state, thread, edge, input, &facts.starts[0]) {
            Ok(()) => Ok(true),
            Err(Stop::Undefined(_)) if self.facts.larger.is_some() => Err(Rejection::Incomplete(
                "a larger state has undefined behaviour where a smaller one need not",
            )),
            Err(Stop::Blocked | Stop::Undefined(_)) => Ok(false),
            Err(stop) => Err(stop.into()),
        }
    }

    fn copy(&mut self, state: &State) -> State {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(state);
        copy
    }
}

impl Looks for Walker<'_, '_> {
    fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    fn covers_start(&mut self, state: &State, met: Met<'_>) -> Result<bool, Rejection> {
        self.fuel = self.most;
        self.moved = Moved::ALL;
        self.covers(state, met)
    }

    fn expand(&mut self, number: u32, state: &mut State, met: Met<'_>) -> Result<(), Rejection> {
        self.fuel = self.most;
        let facts = self.facts;
        let mut twins = std::mem::take(&mut self.twins);
        facts.normal.unpack_twins(self.space.get(number), state, &mut twins);
        facts.normal.base(state, &mut self.scratch, &mut self.base);
        let mut moved = false;
        for thread in 0..state.threads.len() {
            // What a twin can do the thread before it can do, too.
            if state.threads[thread].ended.is_some() || twins.get(thread) == Some(&true) {
                continue;
            }
            self.moved = Moved::NONE;
            for end in self.moves(state, thread)? {
                moved = true;
                if !self.covers(&end, met)? {
                    return Err(Rejection::NotCovered { what: describe(&facts.machine, state, thread) });
                }
                self.spare.push(end);
            }
        }
        self.twins = twins;
        if !moved { self.stuck(state) } else { Ok(()) }
    }

    fn needs(&self) -> Needs {
        self.needs.clone()
    }
}

/// A thread and where it is.
pub(super) fn describe(machine: &Machine<'_>, state: &State, thread: usize) -> String {
    let t = &state.threads[thread];
    let program = machine.program();
    let span = machine.location(t.name.template, t.loc).span;
    let file = program.files.get(span.file as usize).map_or("", |f| f);
    format!("a step of `{}` at {file}:{}", program.templates[t.name.template as usize].name, span.line)
}
