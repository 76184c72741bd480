//! The thread-state fixpoint: for any number of threads, and always with an end.
//!
//! Cook, Kroening and Sharygina, "Verification of Boolean programs with unbounded thread creation", 2007, sections 3 and
//! 4: the sets of states that a thread may see of itself, by node. They grow as in definition 8, by steps of the thread
//! (case 1) and by what other threads do to the globals (case 2), if the locks that the two hold are disjoint (2d), neither is
//! `main` before its first thread (remark 1), and they are not both `main`. Calls that are not inlined are threads that
//! their caller waits for (section 4.3). Others need not be seen by a thread whose next step touches what is its own
//! only: it can be taken at once.
//!
//! Where a program sets many variables one after the other, each node's set says of most of them that they have one
//! value; [`sets`] make that cheap, in time and space.

pub mod effect;
pub mod sets;
pub mod space;

use biodivine_lib_bdd::Bdd;
use effect::{Effect, places};
use relyant_finite::boolean::flat::{Action, Flat, FlatNode, Role, Write};
use relyant_finite::boolean::program::{Exp, Var};
use rustc_hash::FxHashMap;
use sets::{PlaceSet, Set};
use space::{Slot, Space, TooLarge};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// The sets of a fixpoint.
pub struct Fixpoint {
    /// The places of variables.
    pub space: Space,
    /// By node of the graph.
    pub sets: Vec<Bdd>,
    /// A node where an assertion may fail; the sets are then incomplete.
    pub alarm: Option<u32>,
    /// How often a set grew.
    pub steps: u64,
}

/// Why there is no fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// More variables than diagrams are made with.
    #[error(transparent)]
    Large(#[from] TooLarge),
    /// It was asked to stop: nothing is known.
    #[error("stopped")]
    Cancelled,
}

/// Must a thread at this node see what others do?
pub fn receptive(f: &Flat, starts: &[bool], node: u32) -> bool {
    let n = &f.nodes[node as usize];
    let own = match &n.action {
        Action::Goto(_) | Action::End | Action::Exit => true,
        Action::Branch(e, ..) | Action::Assume(e, _) | Action::Assert(e, _) => is_own(e),
        Action::Write(w, _) => {
            w.targets.iter().all(|t| matches!(t, Var::Local(_)))
                && w.values.iter().chain(&w.constrain).all(is_own)
        }
        _ => false,
    };
    let own = own && n.guard.as_ref().is_none_or(is_own) && !starts[node as usize];
    n.role != Role::Alone && !n.atomic && !own
}

fn is_own(e: &Exp) -> bool {
    let mut own = true;
    e.each(&mut |v, _| own &= !matches!(v, Var::Global(_)));
    own
}

/// Where threads start that are no calls: they may have to wait for the end of the atomic section that started them.
pub fn starts(f: &Flat) -> Vec<bool> {
    let mut out = vec![false; f.nodes.len()];
    for n in &f.nodes {
        if let Action::Spawn(_, t, _) | Action::Copy(t, _) = n.action {
            out[t as usize] = true;
        }
    }
    out
}

/// What a node does, as relations.
struct Step {
    /// Where it may be taken.
    ready: Set,
    /// Where an assertion fails.
    fails: Option<Set>,
    effect: Effect,
    /// Where the thread goes and under which condition, with the locals that are forgotten there.
    to: Vec<(u32, Option<Set>, PlaceSet)>,
    /// The class of what others see of it.
    class: Option<usize>,
}

/// Steps that write the same shared variables.
struct Class {
    /// The places before a step of the variables that it writes.
    before: PlaceSet,
    main: bool,
    relation: Set,
    /// Changed since all nodes saw it.
    fresh: bool,
}

struct Engine<'f> {
    flat: &'f Flat,
    space: &'f Space,
    /// By node of the graph.
    steps: Vec<Step>,
    classes: Vec<Class>,
    /// By shared variable: the classes that write it, each once.
    writers: Vec<Vec<usize>>,
    /// By node: the thread states found there, before its action.
    sets: Vec<Set>,
    /// What others do not see of a step: variables of the thread, and its locks after the step.
    hidden: PlaceSet,
    /// By node: its place in the order in which the worklist goes through them.
    rank: Vec<u32>,
    /// Rank and number of nodes whose states have grown since their action was done, or those of an exit that they
    /// wait for.
    worklist: BTreeSet<(u32, u32)>,
    /// Nodes that wait for an exit.
    waits: FxHashMap<u32, Vec<u32>>,
    /// By node: a writer whose states have grown since its class was made.
    stale: Vec<bool>,
    /// By node: its states have grown since they saw all classes.
    behind: Vec<bool>,
    alarm: Option<u32>,
    /// How often a set grew.
    grown: u64,
    cancel: &'f AtomicBool,
}

/// Computes the fixpoint, up to the first alarm.
pub fn run(flat: &Flat, cancel: &AtomicBool) -> Result<Fixpoint, Stop> {
    let space = Space::new(flat)?;
    let mut e = Engine::new(flat, &space, cancel);
    e.solve()?;
    let sets = e.sets.iter().map(|s| s.diagram(&space)).collect();
    let (alarm, steps) = (e.alarm, e.grown);
    Ok(Fixpoint { space, sets, alarm, steps })
}

impl<'f> Engine<'f> {
    fn new(flat: &'f Flat, space: &'f Space, cancel: &'f AtomicBool) -> Engine<'f> {
        let mut e = Engine {
            flat,
            space,
            steps: Vec::new(),
            classes: Vec::new(),
            writers: vec![Vec::new(); flat.globals as usize + 1],
            sets: vec![Set::new(space.none()); flat.nodes.len()],
            hidden: space
                .slots()
                .filter(|s| !space.is_shared(*s))
                .flat_map(|s| [Space::now(s), Space::next(s)].into_iter().skip(usize::from(space.is_lock(s))))
                .collect(),
            rank: ranks(flat),
            worklist: BTreeSet::new(),
            waits: FxHashMap::default(),
            stale: vec![false; flat.nodes.len()],
            behind: vec![false; flat.nodes.len()],
            alarm: None,
            grown: 0,
            cancel,
        };
        let mut index: FxHashMap<(Vec<Slot>, bool), usize> = FxHashMap::default();
        for (i, n) in (0..).zip(&flat.nodes) {
            let mut step = e.step(i, n);
            let written: Vec<Slot> =
                step.effect.written.iter().copied().filter(|s| space.is_shared(*s)).collect();
            if !written.is_empty() && n.role != Role::Alone {
                let main = n.role == Role::Main;
                let class = *index.entry((written.clone(), main)).or_insert_with(|| {
                    e.classes.push(Class {
                        before: places(&written),
                        main,
                        relation: Set::new(space.none()),
                        fresh: false,
                    });
                    e.classes.len() - 1
                });
                if class + 1 == e.classes.len() && !e.writers[written[0] as usize].contains(&class) {
                    for s in &written {
                        e.writers[*s as usize].push(class);
                    }
                }
                step.class = Some(class);
            }
            if let Action::Wait(exits, ..) = &n.action {
                for (exit, _) in exits {
                    e.waits.entry(*exit).or_default().push(i);
                }
            }
            e.steps.push(step);
        }
        e
    }

    fn step(&self, id: u32, n: &FlatNode) -> Step {
        let s = self.space;
        let yes = |e: &Exp| Set::new(s.values(e, &[]).1);
        let mut ready = n.guard.as_ref().map_or_else(|| Set::all(s), yes);
        if self.flat.has_atomic && !n.atomic {
            ready = ready.and(&Set::all(s).fixed(Space::now(Space::ATOMIC), false));
        }
        let mut fails = None;
        let mut to: Vec<(u32, Option<Set>)> = n.action.next().into_iter().map(|t| (t, None)).collect();
        let effect = match &n.action {
            Action::Branch(e, a, b) => {
                let (no, yes) = s.values(e, &[]);
                to = vec![(*a, Some(Set::new(yes))), (*b, Some(Set::new(no)))];
                nothing(s)
            }
            Action::Assume(e, t) => {
                to = vec![(*t, Some(yes(e)))];
                nothing(s)
            }
            Action::Assert(e, t) => {
                let (no, yes) = s.values(e, &[]);
                fails = Some(Set::new(no));
                to = vec![(*t, Some(Set::new(yes)))];
                nothing(s)
            }
            Action::Write(w, _) => Effect::new(s, w),
            Action::Atomic(b, _) => Effect::constant(s, Space::ATOMIC, *b),
            Action::End if n.atomic => Effect::constant(s, Space::ATOMIC, false),
            _ => nothing(s),
        };
        let live = &self.flat.live;
        let mut mine: Vec<u32> = live[id as usize].clone();
        if let Action::Write(w, _) = &n.action {
            mine.extend(w.targets.iter().filter_map(|t| if let Var::Local(i) = t { Some(*i) } else { None }));
            mine.sort_unstable();
            mine.dedup();
        }
        let to = to
            .into_iter()
            .map(|(t, c)| {
                let gone = mine.iter().filter(|l| live[t as usize].binary_search(l).is_err());
                (t, c, gone.map(|l| Space::now(s.slot(Var::Local(*l)))).collect())
            })
            .collect();
        Step { ready, fails, effect, to, class: None }
    }

    /// Adds states to a node.
    fn add(&mut self, node: u32, states: &Set) {
        let i = node as usize;
        if states.is_inside(&self.sets[i]) {
            return;
        }
        self.sets[i] = self.sets[i].or(self.space, states);
        self.grown += 1;
        self.behind[i] = true;
        self.stale[i] = self.steps[i].class.is_some();
        self.worklist.insert((self.rank[i], node));
        for w in self.waits.get(&node).into_iter().flatten() {
            self.worklist.insert((self.rank[*w as usize], *w));
        }
    }

    fn solve(&mut self) -> Result<(), Stop> {
        let fixed = (self.flat.free..self.flat.globals).map(|g| self.space.slot(Var::Global(g)));
        let atomic = self.flat.has_atomic.then_some(Space::ATOMIC);
        let none = no_locks(self.space);
        let start = fixed.chain(atomic).fold(none, |b, s| b.fixed(Space::now(s), false));
        self.add(0, &start);
        let starts = starts(self.flat);
        let mut order: Vec<u32> = (0..).zip(&self.flat.nodes).map(|n| n.0).collect();
        order.retain(|n| receptive(self.flat, &starts, *n));
        order.sort_by_key(|n| self.rank[*n as usize]);
        loop {
            self.drain()?;
            if self.alarm.is_some() {
                return Ok(());
            }
            self.refresh();
            let fresh: Vec<bool> = self.classes.iter_mut().map(|c| std::mem::take(&mut c.fresh)).collect();
            let any = fresh.contains(&true);
            let mut quiet = true;
            for p in &order {
                if self.sets[*p as usize].is_false() || !(any || self.behind[*p as usize]) {
                    continue;
                }
                let before = self.grown;
                self.environment(*p, &fresh)?;
                if self.grown > before {
                    quiet = false;
                    self.drain()?;
                    if self.alarm.is_some() {
                        return Ok(());
                    }
                }
            }
            if quiet {
                return Ok(());
            }
        }
    }

    /// Case 1 of definition 8, until nothing changes.
    fn drain(&mut self) -> Result<(), Stop> {
        while let Some((_, n)) = self.worklist.pop_first() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Stop::Cancelled);
            }
            self.fire(n);
            if self.alarm.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn fire(&mut self, n: u32) {
        let (space, flat) = (self.space, self.flat);
        let node = &flat.nodes[n as usize];
        if let Action::Wait(exits, results) = &node.action {
            for (exit, to) in exits {
                self.join(n, *exit, *to, results);
            }
            return;
        }
        let step = &self.steps[n as usize];
        let ready = self.sets[n as usize].and(&step.ready);
        if ready.is_false() {
            return;
        }
        if step.fails.as_ref().is_some_and(|f| !ready.and(f).is_false()) {
            self.alarm = Some(n);
            return;
        }
        let mut out: Vec<(u32, Set)> = Vec::new();
        let local = |s: Slot| !space.is_shared(s) && !space.is_lock(s);
        let alive = |t: u32, s: Slot| {
            let first = space.slot(Var::Local(0));
            flat.live[t as usize].binary_search(&(s - first)).is_ok()
        };
        match &node.action {
            Action::Spawn(w, t, _) | Action::Invoke(w, t, _) => {
                let call = matches!(node.action, Action::Invoke(..));
                let kept = Write { targets: w.targets.clone(), values: w.values.clone(), constrain: None };
                let effect = Effect::new(space, &kept);
                // the parameters are all that it has of its own
                let new = effect.image_without(space, &ready, |s| local(s) || (!call && space.is_lock(s)));
                let dead: Vec<Slot> = effect.written.iter().copied().filter(|s| !alive(*t, *s)).collect();
                let new = new.exists(&places(&dead));
                out.push((*t, if call { new } else { new.and(&no_locks(space)) }));
            }
            Action::Copy(t, _) => {
                let copy = self.without(&ready, |s| space.is_lock(s) || (local(s) && !alive(*t, s)));
                out.push((*t, copy.and(&no_locks(space))));
            }
            _ => {}
        }
        for (t, condition, gone) in &step.to {
            let from = condition.as_ref().map_or_else(|| ready.clone(), |c| ready.and(c));
            let mut after = step.effect.image(&from);
            if matches!(node.action, Action::Invoke(..)) {
                after = self.without(&after, |s| space.is_lock(s)).and(&no_locks(space));
            }
            out.push((*t, after.exists(gone)));
        }
        for (t, states) in out {
            self.add(t, &states);
        }
    }

    /// A set of states without some variables.
    fn without(&self, states: &Set, gone: impl Fn(Slot) -> bool) -> Set {
        states.exists(&self.space.slots().filter(|s| gone(*s)).map(Space::now).collect())
    }

    /// A call is over: its caller goes on with the globals, the locks and the results.
    fn join(&mut self, wait: u32, exit: u32, to: u32, results: &[Var]) {
        let space = self.space;
        let (waiting, over) = (&self.sets[wait as usize], &self.sets[exit as usize]);
        if waiting.is_false() || over.is_false() {
            return;
        }
        let results: Vec<Slot> = results.iter().map(|r| space.slot(*r)).collect();
        let over = self.without(over, |s| !space.is_shared(s) && !space.is_lock(s) && !results.contains(&s));
        let both = self.without(waiting, |s| space.is_lock(s) || results.contains(&s)).and(&over);
        let first = space.slot(Var::Local(0));
        let live = &self.flat.live[to as usize];
        let after = self.without(&both, |s| {
            !space.is_shared(s) && !space.is_lock(s) && live.binary_search(&(s - first)).is_err()
        });
        self.add(to, &after);
    }

    /// Brings up to date what others see of each step.
    fn refresh(&mut self) {
        for i in 0..self.steps.len() {
            let Some(class) = self.steps[i].class.filter(|_| std::mem::take(&mut self.stale[i])) else {
                continue;
            };
            let step = &self.steps[i];
            let ready = self.sets[i].and(&step.ready);
            let seen = apart(self.space, ready.and_exists(&step.effect.relation, &self.hidden));
            let c = &mut self.classes[class];
            if !seen.is_inside(&c.relation) {
                c.relation = c.relation.or(self.space, &seen);
                c.fresh = true;
            }
        }
    }

    /// Case 2 of definition 8: what others do to the states of a node.
    fn environment(&mut self, p: u32, fresh: &[bool]) -> Result<(), Stop> {
        let node = &self.flat.nodes[p as usize];
        let mut all = std::mem::take(&mut self.behind[p as usize]);
        let mut first = true;
        while all || first {
            // what the states do not depend on changes nothing
            let mut todo: Vec<usize> = self.sets[p as usize]
                .support()
                .iter()
                .filter(|s| self.space.is_shared(**s))
                .flat_map(|s| self.writers[*s as usize].iter().copied())
                .filter(|c| all || fresh[*c])
                .collect();
            todo.sort_unstable();
            todo.dedup();
            (first, all) = (false, false);
            for c in todo {
                if self.cancel.load(Ordering::Relaxed) {
                    return Err(Stop::Cancelled);
                }
                let class = &self.classes[c];
                if (class.main && node.role == Role::Main) || class.relation.is_false() {
                    continue;
                }
                let after = self.sets[p as usize].and_exists(&class.relation, &class.before).stepped();
                let before = self.grown;
                self.add(p, &after);
                all |= self.grown > before;
            }
        }
        self.behind[p as usize] = false;
        Ok(())
    }
}

fn nothing(space: &Space) -> Effect {
    Effect::new(space, &Write::default())
}

fn no_locks(space: &Space) -> Set {
    space.locks().fold(Set::all(space), |s, l| s.fixed(Space::now(l), false))
}

/// Condition (2d): a relation with the locks of the thread that moves becomes one with those that another may hold.
fn apart(space: &Space, seen: Set) -> Set {
    let held: Vec<Slot> = seen.support().into_iter().filter(|s| space.is_lock(*s)).collect();
    if held.is_empty() {
        return seen;
    }
    let mut out = seen.rename(|v| {
        let (slot, _) = Space::of(v);
        if space.is_lock(slot) { Space::next(slot) } else { v }
    });
    for l in &held {
        let [mine, theirs] = [Space::now(*l), Space::next(*l)].map(|v| space.literal(v, false));
        out = out.and(&Set::new(mine.or(&theirs)));
    }
    out.exists(&held.iter().map(|l| Space::next(*l)).collect())
}

/// Nodes in reverse postorder.
fn ranks(f: &Flat) -> Vec<u32> {
    let mut rank = vec![u32::MAX; f.nodes.len()];
    let mut seen = vec![false; f.nodes.len()];
    let edges = |n: u32| {
        let a = &f.nodes[n as usize].action;
        let mut out = a.next();
        out.extend(a.starts());
        out.reverse();
        out
    };
    let mut post = Vec::new();
    let mut path = Vec::new();
    if !seen.is_empty() {
        seen[0] = true;
        path.push((0u32, edges(0)));
    }
    while let Some((n, rest)) = path.last_mut() {
        match rest.pop() {
            Some(t) if seen[t as usize] => {}
            Some(t) => {
                seen[t as usize] = true;
                path.push((t, edges(t)));
            }
            None => {
                post.push(*n);
                path.pop();
            }
        }
    }
    for (i, n) in (0..).zip(post.iter().rev()) {
        rank[*n as usize] = i;
    }
    rank
}
