//! All transactions from a state.

use super::Switches;
use super::known::{Access, Place, Transactions};
use super::touched::{Touch, Touches};
use super::watched::{Loaded, Look, Sees, Wait, Watched, read};
use crate::states::Rejection;
use crate::states::cover::describe;
use relyant_cfa::{Edge, Expr, IntKind, Op, Reg};
use relyant_interp::eval::{Env, eval};
use relyant_interp::live::{for_each_expr, written};
use relyant_interp::machine::{State, Stop};
use relyant_interp::normal::Scratch;
use relyant_interp::observe::Needs;
use rustc_hash::FxHashSet;

/// Steps of a transaction after which its states are remembered.
const LONG: u64 = 2_000;

/// Why transactions from a state are no proof.
#[derive(Debug)]
pub enum Obstacle {
    /// Steps that other threads' are in the way of, or that they are in the way of: template and edge. With these as switches
    /// it may be one.
    Conflict(Vec<(u32, u32)>),
    /// A transaction is long: a step that it does again and again, if there is one.
    Long(Option<(u32, u32)>),
    /// No switches help.
    Rejected(Rejection),
}

impl From<Rejection> for Obstacle {
    fn from(r: Rejection) -> Obstacle {
        Obstacle::Rejected(r)
    }
}

impl From<Stop> for Obstacle {
    fn from(s: Stop) -> Obstacle {
        Obstacle::Rejected(s.into())
    }
}

/// What a state is given to, with the thread that moved and its steps, where they are wanted.
pub type Emit<'e> = &'e mut dyn FnMut(&State, usize, &[PathStep]);

/// A step of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathStep {
    /// The edge, by index in the graph of the thread's template.
    pub edge: u32,
    /// Which of the values that are tried of an input.
    pub choice: u32,
    /// It begins a move.
    pub begins: bool,
}

/// Steps of a thread, by its place in the state.
pub type Path = (usize, Vec<PathStep>);

/// A state within a transaction, and what is known of the way to it.
struct Inner {
    state: State,
    /// The steps, where they are wanted.
    path: Vec<PathStep>,
    loaded: Loaded,
    /// It is inside an atomic section, and a step of that was a switch.
    switched: bool,
}

/// Looks at states; one for each worker.
pub struct Explorer<'t, 'p> {
    transactions: &'t Transactions<'p>,
    /// Steps that may be tried from one state, and that are left.
    most: u64,
    fuel: u64,
    /// Steps tried so far.
    pub steps: u64,
    /// The same before the transactions of the thread at hand.
    begin: u64,
    /// Points that inputs lacked.
    pub needs: Needs,
    /// Paths are wanted.
    pub keeps_paths: bool,
    /// With paths: the steps to the violation that was found.
    wrong: Vec<Path>,
    /// A thread waits, and it is known what others find.
    hunts: bool,
    touches: Touches,
    watched: Watched<'p>,
    waiting: Vec<(Wait, Vec<PathStep>)>,
    stack: Vec<Inner>,
    spare: Vec<State>,
    seen: FxHashSet<Vec<u8>>,
    scratch: Scratch,
    bytes: Vec<u8>,
    /// Steps that can be done in the state at hand.
    enabled: Vec<(u32, Option<Place>)>,
    /// Steps of a long transaction.
    latest: Vec<(u32, u32)>,
}

impl<'t, 'p> Explorer<'t, 'p> {
    /// With so many steps from one state at most.
    pub fn new(transactions: &'t Transactions<'p>, most: u64) -> Self {
        Explorer {
            transactions,
            most,
            fuel: most,
            steps: 0,
            begin: 0,
            needs: Needs::default(),
            keeps_paths: false,
            wrong: Vec::new(),
            hunts: false,
            touches: Touches::default(),
            watched: Watched::default(),
            waiting: Vec::new(),
            stack: Vec::new(),
            spare: Vec::new(),
            seen: FxHashSet::default(),
            scratch: Scratch::default(),
            bytes: Vec::new(),
            enabled: Vec::new(),
            latest: Vec::new(),
        }
    }

    /// All states that one transaction leads to. Halted ones are left out, as nothing follows.
    ///
    /// # Errors
    /// A violation, or why what was found is not all that matters.
    pub fn expand(&mut self, state: &State, switches: &Switches, emit: Emit<'_>) -> Result<(), Obstacle> {
        self.fuel = self.most;
        self.touches.clear();
        self.watched.clear();
        self.waiting.clear();
        self.latest.clear();
        self.holds(state)?;
        for thread in 0..state.threads.len() {
            if state.threads[thread].ended.is_none() {
                self.transaction(state, thread, switches, emit)?;
            }
        }
        let conflicts = self.touches.conflicts();
        if !conflicts.is_empty() {
            return Err(Obstacle::Conflict(conflicts));
        }
        let compared = self.watched.work();
        self.steps += compared;
        self.fuel = self.fuel.checked_sub(compared).ok_or(Rejection::Fuel)?;
        let program = self.transactions.program;
        let env = Env {
            registers: &[],
            self_id: 0,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        if let Some((wait, thread)) = self.watched.meet(&env) {
            if self.keeps_paths {
                self.hunt(state, wait, thread, switches)?;
            }
            return Err(Rejection::Meeting.into());
        }
        Ok(())
    }

    /// Looks for the error that a thread finds while another one waits.
    fn hunt(
        &mut self,
        state: &State,
        wait: Wait,
        thread: usize,
        switches: &Switches,
    ) -> Result<(), Obstacle> {
        let Some((_, path)) = self.waiting.iter().find(|w| w.0 == wait) else { return Ok(()) };
        let path = path.clone();
        let facts = &self.transactions.facts;
        let (mut state, other) = (state.clone(), wait.thread as usize);
        for step in &path {
            let input = facts.inputs(&state, other, step.edge)?.get(step.choice as usize).copied().flatten();
            facts.machine.step(&mut state, other, step.edge, input, &facts.starts[0])?;
        }
        self.hunts = true;
        let went = self.transaction(&state, thread, switches, &mut |_, _, _| ());
        self.hunts = false;
        if !self.wrong.is_empty() {
            self.wrong.insert(0, (other, path));
        }
        went
    }

    /// The steps to the violation that was found last, where paths are kept.
    pub fn take_wrong(&mut self) -> Vec<Path> {
        std::mem::take(&mut self.wrong)
    }

    fn transaction(
        &mut self,
        from: &State,
        thread: usize,
        switches: &Switches,
        emit: Emit<'_>,
    ) -> Result<(), Obstacle> {
        let facts = &self.transactions.facts;
        self.seen.clear();
        let state = self.copy(from);
        self.stack.clear();
        self.stack.push(Inner { state, path: Vec::new(), loaded: Loaded::new(), switched: false });
        self.begin = self.steps;
        while let Some(mut inner) = self.stack.pop() {
            loop {
                if self.steps - self.begin > LONG && !self.is_new(&inner) {
                    break;
                }
                // Where there is one step, the state becomes what it leads to.
                let mut steps = std::mem::take(&mut self.enabled);
                steps.clear();
                let mut several = false;
                for &edge in facts.machine.out(&inner.state, thread) {
                    let place = self.place(&inner.state, thread, edge);
                    if let Some((observer, points)) = &facts.observer {
                        observer.observe(&facts.machine, &inner.state, thread, edge, points, &mut self.needs);
                    }
                    self.touch(&inner, thread, (edge, place), switches);
                    if self.may_go(&mut inner, thread, (edge, place))? {
                        several |= !steps.is_empty() || facts.inputs(&inner.state, thread, edge)?.len() != 1;
                        steps.push((edge, place));
                    }
                }
                if let (false, [(edge, place)]) = (several, &steps[..]) {
                    let (edge, place) = (*edge, *place);
                    self.enabled = steps;
                    let input = facts.inputs(&inner.state, thread, edge)?[0];
                    if self.step(&mut inner, thread, (edge, 0, place), input, switches)?
                        && self.goes_on(&mut inner, thread, emit)?
                    {
                        continue;
                    }
                    break;
                }
                for (edge, place) in steps.iter().copied() {
                    for (choice, input) in (0u32..).zip(facts.inputs(&inner.state, thread, edge)?) {
                        let state = self.copy(&inner.state);
                        let (path, loaded) = (inner.path.clone(), inner.loaded.clone());
                        let mut next = Inner { state, path, loaded, switched: inner.switched };
                        if self.step(&mut next, thread, (edge, choice, place), *input, switches)?
                            && self.goes_on(&mut next, thread, emit)?
                        {
                            self.stack.push(next);
                        } else {
                            self.spare.push(next.state);
                        }
                    }
                }
                self.enabled = steps;
                break;
            }
            self.spare.push(inner.state);
        }
        Ok(())
    }

    /// Is a state of a long transaction one that was not met before?
    fn is_new(&mut self, inner: &Inner) -> bool {
        self.transactions.facts.normal.pack(&inner.state, &mut self.scratch, &mut self.bytes);
        self.bytes.push(u8::from(inner.switched));
        for (r, watch) in &inner.loaded {
            self.bytes.extend(r.0.to_le_bytes());
            self.bytes.push(*watch);
        }
        self.seen.insert(self.bytes.clone())
    }

    /// The shared cell that an edge accesses, if it accesses one.
    fn place(&self, state: &State, thread: usize, edge: u32) -> Option<Place> {
        let template = state.threads[thread].name.template;
        match self.transactions.access[template as usize][edge as usize] {
            Access::None => None,
            Access::Known(place) => Some(place),
            Access::Computed => {
                let at = self.transactions.facts.machine.accessed(state, thread, edge)?;
                self.transactions.place(at)
            }
        }
    }

    /// Notes what an edge touches, whether or not it can be done.
    fn touch(
        &mut self,
        inner: &Inner,
        thread: usize,
        (edge, place): (u32, Option<Place>),
        switches: &Switches,
    ) {
        let Some(place) = place.filter(|p| p.watch.is_none()) else { return };
        let machine = &self.transactions.facts.machine;
        let template = inner.state.threads[thread].name.template;
        let stores = machine.edge(template, edge).is_some_and(|e| matches!(e.op, Op::Store(..)));
        let touch = Touch {
            cell: place.cell,
            thread: thread as u32,
            template,
            edge,
            // To load a value that was not chosen yet is to choose it.
            writes: stores || machine.is_unchosen(&inner.state, place.at.0, place.at.1 as usize),
            switches: inner.switched || self.switches(template, edge, switches),
            after: self.steps - self.begin,
        };
        self.touches.push(touch);
    }

    fn switches(&self, template: u32, edge: u32, switches: &Switches) -> bool {
        self.transactions.about_threads[template as usize][edge as usize] || switches.has(template, edge)
    }

    /// May a step be done at an edge? Notes what it says in a watch, and what it looks for there.
    fn may_go(
        &mut self,
        inner: &mut Inner,
        thread: usize,
        (edge, place): (u32, Option<Place>),
    ) -> Result<bool, Obstacle> {
        let facts = &self.transactions.facts;
        let template = inner.state.threads[thread].name.template;
        let Some(e) = facts.machine.edge(template, edge) else { return Ok(false) };
        let nothing = facts.begins_nothing(&inner.state, thread, edge);
        if self.transactions.watches.is_empty() {
            return Ok(!nothing);
        }
        if !inner.loaded.is_empty() {
            self.look(inner, thread, e)?;
        }
        let Some(watch) = place.and_then(|p| p.watch) else { return Ok(!nothing) };
        match &e.op {
            // With another value in the watch it may begin something.
            Op::Load(..) if nothing && !self.hunts => Err(odd()),
            Op::Store(_, value, IntKind::Ideal) => {
                let address = eval(value, &self.env(&inner.state, thread))?;
                if address == 0 {
                    return Ok(true);
                }
                // Who waits does nothing else before the watch is empty again.
                let back = |next: &Edge| match &next.op {
                    Op::Store(at, Expr::Const(0), _) => matches!(&e.op, Op::Store(a, ..) if a == at),
                    _ => false,
                };
                if !facts.machine.leaving(template, e.to).all(back) {
                    return Err(odd());
                }
                let wait = Wait { thread: thread as u32, watch, address };
                self.watched.waits.push(wait);
                if self.keeps_paths {
                    let begins = !facts.machine.inside_atomic(&inner.state, thread);
                    let mut path = inner.path.clone();
                    path.push(PathStep { edge, choice: 0, begins });
                    self.waiting.push((wait, path));
                }
                Ok(false)
            }
            Op::Store(..) => Err(odd()),
            _ => Ok(!nothing),
        }
    }

    /// Notes what a step does with what watches held.
    fn look(&mut self, inner: &mut Inner, thread: usize, e: &'p Edge) -> Result<(), Obstacle> {
        let mut used = Vec::new();
        for_each_expr(&e.op, &mut |x| used.extend(read(&inner.loaded, x)));
        match (&e.op, &used[..]) {
            (_, []) => Ok(()),
            (Op::Assume(condition), [(register, watch)]) => {
                let env = self.env(&inner.state, thread);
                if eval(condition, &env)? == 0 {
                    let sees = Sees::new(condition, *register, &env);
                    self.watched.looks.push(Look { thread: thread as u32, watch: *watch, sees });
                }
                Ok(())
            }
            _ => Err(odd()),
        }
    }

    fn env<'s>(&'s self, state: &'s State, thread: usize) -> Env<'s> {
        let program = self.transactions.program;
        Env {
            registers: self.transactions.facts.machine.registers(state, thread),
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        }
    }

    /// Does a step, if it can be done. Undefined behaviour is assumed away.
    fn step(
        &mut self,
        inner: &mut Inner,
        thread: usize,
        (edge, choice, place): (u32, u32, Option<Place>),
        input: Option<i128>,
        switches: &Switches,
    ) -> Result<bool, Obstacle> {
        let facts = &self.transactions.facts;
        self.steps += 1;
        let template = inner.state.threads[thread].name.template;
        self.latest.push((template, edge));
        if self.latest.len() as u64 >= self.most / 2 {
            self.latest.drain(..self.latest.len() / 2);
        }
        let Some(left) = self.fuel.checked_sub(1) else { return Err(Obstacle::Long(self.repeated())) };
        self.fuel = left;
        if !facts.future.foresees(template, edge, place.map(|p| p.at)) {
            return Err(Rejection::Access(describe(&facts.machine, &inner.state, thread)).into());
        }
        let loads = match facts.machine.edge(template, edge).map(|e| &e.op) {
            Some(Op::Load(r, ..)) => place.and_then(|p| p.watch).map(|w| (*r, w)),
            _ => None,
        };
        let begins = !facts.machine.inside_atomic(&inner.state, thread);
        match facts.machine.step(&mut inner.state, thread, edge, input, &facts.starts[0]) {
            Ok(()) => {}
            Err(Stop::Blocked | Stop::Undefined(_)) => return Ok(false),
            Err(stop) => return Err(stop.into()),
        }
        if let Some(r) = facts.machine.edge(template, edge).and_then(|e| written(&e.op)) {
            inner.loaded.retain(|l| l.0 != r);
        }
        inner.loaded.extend(loads);
        if self.keeps_paths {
            inner.path.push(PathStep { edge, choice, begins });
        }
        inner.switched |= self.switches(template, edge, switches);
        Ok(true)
    }

    /// After a step: does the transaction go on? If it ends there, the state is given out.
    fn goes_on(&mut self, inner: &mut Inner, thread: usize, emit: Emit<'_>) -> Result<bool, Obstacle> {
        let facts = &self.transactions.facts;
        if inner.state.halted {
            return Ok(false);
        }
        if let Err(r) = self.holds(&inner.state) {
            if self.keeps_paths {
                self.wrong.push((thread, std::mem::take(&mut inner.path)));
            }
            return Err(r.into());
        }
        if facts.machine.inside_atomic(&inner.state, thread) {
            return Ok(true);
        }
        let t = &inner.state.threads[thread];
        let live = |(r, _): &(Reg, u8)| facts.normal.is_live(t.name.template, t.loc, r.0);
        if inner.loaded.iter().any(live) {
            return Err(odd());
        }
        inner.loaded.clear();
        if inner.switched {
            emit(&inner.state, thread, &inner.path);
            return Ok(false);
        }
        Ok(true)
    }

    /// Rejects a state that violates the property, or is at a bound.
    fn holds(&self, state: &State) -> Result<(), Rejection> {
        match self.transactions.facts.machine.violation(state) {
            Some(v) => Err(Rejection::Violation(v.found)),
            None => Ok(()),
        }
    }

    /// The step that was done most often of late.
    fn repeated(&mut self) -> Option<(u32, u32)> {
        self.latest.sort_unstable();
        let most = self.latest.chunk_by(|a, b| a == b).max_by_key(|c| c.len())?;
        (most.len() > 1).then(|| most[0])
    }

    fn copy(&mut self, state: &State) -> State {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(state);
        copy
    }
}

/// A watch is used in a way that nothing is known of.
fn odd() -> Obstacle {
    Rejection::Incomplete("a watch of races is used in another way than by comparing it").into()
}
