//! The thread-state fixpoint: for any number of threads, and always with an end.
//!
//! Cook, Kroening and Sharygina, "Verification of Boolean programs with unbounded thread creation", 2007, sections 3 and
//! 4: the sets of states that a thread may see of itself, by node. They grow as in definition 8, by steps of the thread
//! (case 1) and by what other threads do to the globals (case 2), if the locks that the two hold are disjoint (2d), neither is
//! `main` before its first thread (remark 1), and they are not both `main`. Calls that are not inlined are threads that
//! their caller waits for (section 4.3). Others need not be seen by a thread whose next step touches what is its own
//! only: it can be taken at once.

pub mod space;

use crate::boolean::flat::{Action, Flat, FlatNode, Role, Write};
use crate::boolean::program::{Exp, Var};
use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use space::{Effect, Slot, Space, TooLarge, and, and_exists, rename, support};
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
    /// Too many variables.
    #[error(transparent)]
    Large(#[from] TooLarge),
    /// Cancelled.
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
    ready: Bdd,
    effect: Effect,
    /// Where the thread goes and under which condition, with the locals that are forgotten there.
    to: Vec<(u32, Option<Bdd>, Vec<Slot>)>,
    /// The class of what others see of it.
    class: Option<usize>,
}

/// Steps that write the same shared variables.
struct Class {
    written: Vec<Slot>,
    main: bool,
    relation: Bdd,
    /// Changed since all nodes saw it.
    fresh: bool,
}

struct Engine<'f> {
    flat: &'f Flat,
    space: &'f Space,
    steps: Vec<Step>,
    classes: Vec<Class>,
    /// Classes that write a shared variable.
    writers: Vec<Vec<usize>>,
    sets: Vec<Bdd>,
    supports: Vec<Vec<Slot>>,
    rank: Vec<u32>,
    queue: BTreeSet<(u32, u32)>,
    /// Nodes that wait for an exit.
    waits: FxHashMap<u32, Vec<u32>>,
    /// Writers whose states have grown.
    stale: Vec<bool>,
    /// Nodes whose states have grown since they saw all classes.
    behind: Vec<bool>,
    alarm: Option<u32>,
    grown: u64,
    cancel: &'f AtomicBool,
}

/// Computes the fixpoint, up to the first alarm.
pub fn run(flat: &Flat, cancel: &AtomicBool) -> Result<Fixpoint, Stop> {
    let space = Space::new(flat)?;
    let mut e = Engine::new(flat, &space, cancel);
    e.solve()?;
    let (sets, alarm, steps) = (e.sets, e.alarm, e.grown);
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
            sets: vec![space.none(); flat.nodes.len()],
            supports: vec![Vec::new(); flat.nodes.len()],
            rank: ranks(flat),
            queue: BTreeSet::new(),
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
                        written: written.clone(),
                        main,
                        relation: space.none(),
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
        let mut ready = n.guard.as_ref().map_or_else(|| s.all(), |g| s.values(g, &[]).1);
        if self.flat.has_atomic && !n.atomic {
            ready = ready.and(&s.literal(Space::now(Space::ATOMIC), false));
        }
        let nothing = || Effect::new(s, &Write::default());
        let mut to: Vec<(u32, Option<Bdd>)> = n.action.next().into_iter().map(|t| (t, None)).collect();
        let effect = match &n.action {
            Action::Branch(e, a, b) => {
                let (no, yes) = s.values(e, &[]);
                to = vec![(*a, Some(yes)), (*b, Some(no))];
                nothing()
            }
            Action::Assume(e, t) | Action::Assert(e, t) => {
                to = vec![(*t, Some(s.values(e, &[]).1))];
                nothing()
            }
            Action::Write(w, _) => Effect::new(s, w),
            Action::Atomic(b, _) => nothing().constant(Space::ATOMIC, *b),
            Action::End if n.atomic => nothing().constant(Space::ATOMIC, false),
            _ => nothing(),
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
                (t, c, gone.map(|l| s.slot(Var::Local(*l))).collect())
            })
            .collect();
        Step { ready, effect, to, class: None }
    }

    /// Adds states to a node.
    fn add(&mut self, node: u32, states: &Bdd) {
        let i = node as usize;
        if states.is_false() || self.sets[i].is_true() {
            return;
        }
        if self.sets[i].is_false() {
            self.sets[i] = states.clone();
        } else {
            let joined = self.sets[i].or(states);
            if joined == self.sets[i] {
                return;
            }
            self.sets[i] = joined;
        }
        self.supports[i] = support(&self.sets[i]);
        self.grown += 1;
        self.behind[i] = true;
        self.stale[i] = self.steps[i].class.is_some();
        self.queue.insert((self.rank[i], node));
        for w in self.waits.get(&node).into_iter().flatten() {
            self.queue.insert((self.rank[*w as usize], *w));
        }
    }

    fn solve(&mut self) -> Result<(), Stop> {
        let fixed = (self.flat.free..self.flat.globals).map(|g| self.space.slot(Var::Global(g)));
        let atomic = self.flat.has_atomic.then_some(Space::ATOMIC);
        let start = fixed
            .chain(atomic)
            .fold(self.space.no_locks(), |b, s| b.and(&self.space.literal(Space::now(s), false)));
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
        while let Some((_, n)) = self.queue.pop_first() {
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
        let ready = and(&self.sets[n as usize], &step.ready);
        if ready.is_false() {
            return;
        }
        if let Action::Assert(e, _) = &node.action {
            if !ready.and(&space.values(e, &[]).0).is_false() {
                self.alarm = Some(n);
                return;
            }
        }
        let mut out: Vec<(u32, Bdd)> = Vec::new();
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
                let new = effect.image(space, &ready, |s| local(s) || (!call && space.is_lock(s)));
                let dead: Vec<Slot> = effect.written.iter().copied().filter(|s| !alive(*t, *s)).collect();
                let new = forget(new, &dead);
                out.push((*t, if call { new } else { new.and(&space.no_locks()) }));
            }
            Action::Copy(t, _) => {
                let copy =
                    nothing(space).image(space, &ready, |s| space.is_lock(s) || (local(s) && !alive(*t, s)));
                out.push((*t, copy.and(&space.no_locks())));
            }
            _ => {}
        }
        for (t, condition, gone) in &step.to {
            let from = condition.as_ref().map_or_else(|| ready.clone(), |c| and(&ready, c));
            let mut after = step.effect.image(space, &from, |_| false);
            if matches!(node.action, Action::Invoke(..)) {
                after = nothing(space).image(space, &after, |s| space.is_lock(s)).and(&space.no_locks());
            }
            out.push((*t, forget(after, gone)));
        }
        for (t, states) in out {
            self.add(t, &states);
        }
    }

    /// A call is over: its caller goes on with the globals, the locks and the results.
    fn join(&mut self, wait: u32, exit: u32, to: u32, results: &[Var]) {
        let space = self.space;
        let (waiting, over) = (&self.sets[wait as usize], &self.sets[exit as usize]);
        if waiting.is_false() || over.is_false() {
            return;
        }
        let results: Vec<Slot> = results.iter().map(|r| space.slot(*r)).collect();
        let nothing = nothing(space);
        let over =
            nothing.image(space, over, |s| !space.is_shared(s) && !space.is_lock(s) && !results.contains(&s));
        let both = nothing.image(space, waiting, |s| space.is_lock(s) || results.contains(&s)).and(&over);
        let first = space.slot(Var::Local(0));
        let live = &self.flat.live[to as usize];
        let after = nothing.image(space, &both, |s| {
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
            let seen = step.effect.seen(self.space, &and(&self.sets[i], &step.ready));
            let seen = apart(self.space, seen);
            let c = &mut self.classes[class];
            let joined = if c.relation.is_false() { seen } else { c.relation.or(&seen) };
            if joined != c.relation {
                c.relation = joined;
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
            let mut todo: Vec<usize> = self.supports[p as usize]
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
                let seen = |s: &Slot| self.supports[p as usize].binary_search(s).is_ok();
                if !class.written.iter().any(seen) {
                    continue;
                }
                let after = and_exists(&self.sets[p as usize], &class.relation, &|v| {
                    let (slot, next) = Space::of(v);
                    !next && class.written.binary_search(&slot).is_ok()
                });
                let after = rename(after, |v| Space::now(Space::of(v).0));
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

fn forget(states: Bdd, gone: &[Slot]) -> Bdd {
    if gone.is_empty() || states.is_false() {
        return states;
    }
    let depends = support(&states);
    let gone: Vec<_> =
        gone.iter().filter(|s| depends.binary_search(s).is_ok()).map(|s| Space::now(*s)).collect();
    if gone.is_empty() { states } else { states.exists(&gone) }
}

/// Condition (2d): a relation with the locks of the thread that moves becomes one with those that another may hold.
fn apart(space: &Space, seen: Bdd) -> Bdd {
    let held: Vec<Slot> = support(&seen).into_iter().filter(|s| space.is_lock(*s)).collect();
    if held.is_empty() {
        return seen;
    }
    let mut out = rename(seen, |v| {
        let (slot, _) = Space::of(v);
        if space.is_lock(slot) { Space::next(slot) } else { v }
    });
    for l in &held {
        let one = space.literal(Space::now(*l), false).or(&space.literal(Space::next(*l), false));
        out = out.and(&one);
    }
    let theirs: Vec<_> = held.iter().map(|l| Space::next(*l)).collect();
    out.exists(&theirs)
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
