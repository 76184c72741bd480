//! Runs of a program that creates many threads, from a run of the program that creates few.
//!
//! In the program with *few threads*, loops that create or join threads may be left after any round. The search finds a
//! short run to a violation there. The run is then followed in the program itself: where it leaves such a loop early, the
//! thread goes through all the rounds that are left; the threads created meanwhile wait for their first step, unless
//! somebody joins them. Where that comes to nothing, these rounds come before the first one that the run speaks of: then its threads are the
//! last ones. Where that is none either, runs are drawn at random. The result is a run of the program, or nothing: what few threads can do proves nothing.

use super::account::Account;
use super::{SearchOutcome, Settings, Strategy, within};
use crate::watch::Watch;
use relyant_cfa::schedule::{Move, Schedule, Start, ThreadRef};
use relyant_cfa::strong::components;
use relyant_cfa::{Edge, Expr, Loc, LocationKind, Op, Program, Template};
use relyant_interp::eval::{Env, eval};
use relyant_interp::machine::{Machine, State, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;

/// With fewer threads than this, the search does without.
const MANY_THREADS: usize = 32;
/// States, and steps, of the search with few threads.
const MAX_STATES: usize = 200_000;
const MAX_STEPS: u64 = 2_000_000;
/// Steps of random runs of the program itself, where a run with few threads cannot be followed.
const MAX_CHANCES: u64 = 2_000_000;
/// Switches of the second search, breadth first as the first one; then runs are drawn at random.
const SWITCHES: u32 = 2;
/// An object of more cells has only few with few threads: those behind them are out of reach there.
const MAX_CELLS: usize = 64;
const FEW_CELLS: usize = 3;
/// Steps of a run.
const MAX_LENGTH: u64 = 5_000_000;
/// Threads that wait for each other in a row.
const MAX_JOINS: usize = 64;
/// Steps between two reports.
const REPORT: u64 = 1_000;

/// Edges that leave a loop in which threads are created or joined, by template.
type Exits = Vec<BTreeSet<u32>>;

/// A run to a violation where a run with few threads can be followed; an error means that the program is malformed.
pub(super) fn run(
    program: &Program,
    settings: &Settings,
    watch: &Watch<'_>,
) -> Result<Option<Schedule>, Stop> {
    let exits = exits(program);
    let bounded = settings.max_switches.is_some() || settings.max_depth.is_some();
    if bounded
        || program.deadlock
        || exits.iter().all(BTreeSet::is_empty)
        || !creates_many(program, &exits, settings)?
    {
        return Ok(None);
    }
    let few = with_few_threads(program, &exits);
    let breadth_first = Settings {
        strategy: Strategy::BreadthFirst,
        max_switches: None,
        max_depth: None,
        subsumption: false,
        jobs: 1,
        max_states: settings.max_states.min(MAX_STATES),
        max_steps: settings.max_steps.min(MAX_STEPS),
        ..*settings
    };
    let told = AtomicU64::new(0);
    let mut account = Account::new(watch, &told).quiet();
    let few_switches = Settings { max_switches: Some(SWITCHES), ..breadth_first };
    let random = Settings { strategy: Strategy::Random, ..breadth_first };
    for attempt in [breadth_first, few_switches, random] {
        let (outcome, stats) = within(&few, &attempt, &account)?;
        if let SearchOutcome::Violation { schedule, .. } = outcome {
            for order in [Order::OthersLast, Order::OthersFirst] {
                if let Some(found) = follow(program, &exits, (&schedule, order), settings, watch)? {
                    return Ok(Some(found));
                }
            }
            // All threads are needed, or nobody fails.
            let chance = Settings { max_steps: settings.max_steps.min(MAX_CHANCES), ..random };
            return Ok(match within(program, &chance, &account.after(stats.steps).quiet())?.0 {
                SearchOutcome::Violation { schedule, .. } => Some(schedule),
                _ => None,
            });
        }
        account = account.after(stats.steps).quiet();
    }
    Ok(None)
}

/// The ways out of loops in which threads are created or joined.
fn exits(program: &Program) -> Exits {
    let of = |template: &Template| {
        let graph = &template.graph;
        let mut next = vec![Vec::new(); graph.locations.len()];
        for e in &graph.edges {
            next[e.from.0 as usize].push(e.to.0 as usize);
        }
        let mut component = vec![0; next.len()];
        for (number, nodes) in components(&next).iter().enumerate() {
            nodes.iter().for_each(|n| component[*n] = number);
        }
        let place = |l: Loc| component[l.0 as usize];
        let many: BTreeSet<usize> = graph
            .edges
            .iter()
            .filter(|e| matches!(e.op, Op::Create { .. } | Op::Join { .. }) && place(e.from) == place(e.to))
            .map(|e| place(e.from))
            .collect();
        let leaves = |e: &Edge| {
            matches!(e.op, Op::Assume(_)) && many.contains(&place(e.from)) && place(e.from) != place(e.to)
        };
        (0u32..).zip(&graph.edges).filter(|(_, e)| leaves(e)).map(|(i, _)| i).collect()
    };
    program.templates.iter().map(of).collect()
}

/// The program in which these edges are always possible, and what is declared for many threads has no values for most.
fn with_few_threads(program: &Program, exits: &Exits) -> Program {
    let mut few = program.clone();
    for o in &mut few.objects {
        if o.cells.len() > MAX_CELLS {
            o.cells.truncate(FEW_CELLS);
            o.init.truncate(FEW_CELLS);
        }
    }
    let known = |address: &Expr| {
        let (bases, function_bases) = (&program.bases, &program.function_bases);
        let env = Env { registers: &[], self_id: 0, bases, function_bases, signed_wraps: false };
        eval(address, &env).ok()
    };
    let out_of_reach: Vec<(usize, usize)> = (0..)
        .zip(&program.templates)
        .flat_map(|(t, template)| template.graph.edges.iter().enumerate().map(move |(i, e)| (t, i, e)))
        .filter(|(_, _, e)| {
            let Op::Store(address, ..) = &e.op else { return false };
            known(address).is_some_and(|a| program.cell_at(a).is_some() && few.cell_at(a).is_none())
        })
        .map(|(t, i, _)| (t, i))
        .collect();
    for (t, i) in out_of_reach {
        few.templates[t].graph.edges[i].op = Op::Skip;
    }
    for (template, exits) in few.templates.iter_mut().zip(exits) {
        for &e in exits {
            template.graph.edges[e as usize].op = Op::Assume(Expr::Const(1));
        }
    }
    few
}

/// Does the first thread, alone, create many others?
fn creates_many(program: &Program, exits: &Exits, settings: &Settings) -> Result<bool, Stop> {
    let machine = Machine::new(program)?;
    let mut run = Run::new(&machine, exits, (Vec::new(), settings.unbounded_initial))?;
    let first = run.state.threads.len();
    while run.state.threads.len() < first + MANY_THREADS && run.length < MAX_LENGTH / 50 {
        if run.any_step(0)?.is_none() {
            return Ok(false);
        }
    }
    Ok(run.state.threads.len() >= first + MANY_THREADS)
}

/// When threads are created that the run with few threads does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    OthersLast,
    OthersFirst,
}

/// The program's run that does what a run with few threads does.
fn follow(
    program: &Program,
    exits: &Exits,
    (few, order): (&Schedule, Order),
    settings: &Settings,
    watch: &Watch<'_>,
) -> Result<Option<Schedule>, Stop> {
    let machine = Machine::new(program)?;
    let mut run = Run::new(&machine, exits, (few.start.clone(), settings.unbounded_initial))?;
    if order == Order::OthersFirst {
        for m in &few.moves {
            m.path.iter().for_each(|e| *run.times.entry((m.thread, *e)).or_default() += 1);
        }
    }
    let mut told = 0;
    'run: for m in &few.moves {
        for (i, &edge) in (0u32..).zip(&m.path) {
            let input = m.inputs.iter().find(|(at, _)| *at == i).map(|(_, v)| *v);
            if !run.follows(m.thread, edge, input)? {
                break 'run;
            }
            if run.length - told >= REPORT {
                (watch.work)(run.length - told);
                told = run.length;
                if watch.cancelled() {
                    return Ok(None);
                }
            }
        }
    }
    let violates = machine.violation(&run.state).is_some();
    Ok(violates.then_some(Schedule { start: few.start.clone(), moves: run.moves }))
}

/// A run of the program under way.
struct Run<'m, 'p> {
    machine: &'m Machine<'p>,
    exits: &'m Exits,
    start: Start,
    state: State,
    moves: Vec<Move>,
    /// By thread of the run with few threads that has been created: its place here.
    places: BTreeMap<ThreadRef, usize>,
    /// By template: how many threads the run with few threads has created.
    created: Vec<u32>,
    /// Where other threads come first: how often the run with few threads does each edge.
    times: BTreeMap<(ThreadRef, u32), u64>,
    length: u64,
}

impl<'m, 'p> Run<'m, 'p> {
    /// At the start, with so many threads of each template of unbounded count.
    fn new(
        machine: &'m Machine<'p>,
        exits: &'m Exits,
        (start, unbounded): (Start, u32),
    ) -> Result<Self, Stop> {
        let state = machine.initial(&start, unbounded)?;
        let mut created = vec![0; machine.program().templates.len()];
        let mut places = BTreeMap::new();
        for (place, t) in state.threads.iter().enumerate() {
            created[t.name.template as usize] += 1;
            places.insert(t.name, place);
        }
        let (moves, times) = (Vec::new(), BTreeMap::new());
        Ok(Run { machine, exits, start, state, moves, places, created, times, length: 0 })
    }

    /// Does a step of the run with few threads, after the rounds of loops that come before it here. `false` where it
    /// can't.
    fn follows(&mut self, thread: ThreadRef, edge: u32, input: Option<i128>) -> Result<bool, Stop> {
        let Some(&place) = self.places.get(&thread) else { return Ok(false) };
        let Some(e) = self.machine.edge(thread.template, edge) else { return Ok(false) };
        if matches!(e.op, Op::Create { .. })
            && let Some(times) = self.times.remove(&(thread, edge))
        {
            for _ in times..self.rounds(place, edge)? {
                if !self.round(place, (e.from, e.from))? {
                    return Ok(false);
                }
            }
        }
        let threads = self.state.threads.len();
        loop {
            if self.step(place, edge, input)? {
                break;
            }
            let joined = self.machine.awaited(&self.state, place, edge);
            let gone_on = match joined {
                Some(other) => self.end(other, 0)?,
                None => {
                    self.exits[thread.template as usize].contains(&edge)
                        && self.round(place, (e.from, e.to))?
                }
            };
            if !gone_on {
                return Ok(false);
            }
            if self.state.threads[place].loc == e.to && e.to != e.from {
                break;
            }
        }
        if let (Op::Create { .. }, Some(t)) = (&e.op, self.state.threads.get(threads)) {
            let instance = self.created[t.name.template as usize];
            self.created[t.name.template as usize] += 1;
            self.places.insert(ThreadRef { instance, ..t.name }, threads);
        }
        Ok(true)
    }

    /// How often a thread, alone, does the edge until it leaves a loop in which threads are created or joined.
    fn rounds(&self, place: usize, edge: u32) -> Result<u64, Stop> {
        let (moves, places, created) = (Vec::new(), self.places.clone(), self.created.clone());
        let (state, start) = (self.state.clone(), self.start.clone());
        let mut alone = Run { state, start, moves, places, created, times: BTreeMap::new(), ..*self };
        let exits = &self.exits[self.state.threads[place].name.template as usize];
        let mut rounds = 0;
        while alone.any_step(place)?.is_some() {
            let last = alone.moves.last().and_then(|m| m.path.last());
            rounds += u64::from(last == Some(&edge));
            if last.is_some_and(|e| exits.contains(e)) {
                break;
            }
        }
        Ok(rounds)
    }

    /// A round of a loop: from one location back to it, or to one behind the loop.
    fn round(&mut self, place: usize, (from, to): (Loc, Loc)) -> Result<bool, Stop> {
        loop {
            match self.any_step(place)? {
                Some(()) => {}
                None => match self.awaited(place) {
                    Some(other) if self.end(other, 0)? => continue,
                    _ => return Ok(false),
                },
            }
            let now = self.state.threads[place].loc;
            if now == from || now == to {
                return Ok(true);
            }
        }
    }

    /// Runs a thread to its end, with those that it joins.
    fn end(&mut self, place: usize, depth: usize) -> Result<bool, Stop> {
        while self.state.threads[place].ended.is_none() {
            if self.any_step(place)?.is_some() {
                continue;
            }
            match self.awaited(place) {
                Some(other) if depth < MAX_JOINS && self.end(other, depth + 1)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whose end a thread waits for.
    fn awaited(&self, place: usize) -> Option<usize> {
        let out = self.machine.out(&self.state, place);
        out.iter().find_map(|e| self.machine.awaited(&self.state, place, *e))
    }

    /// The first step of a thread that is possible.
    fn any_step(&mut self, place: usize) -> Result<Option<()>, Stop> {
        for i in 0.. {
            let Some(&edge) = self.machine.out(&self.state, place).get(i) else { break };
            if self.step(place, edge, None)? {
                return Ok(Some(()));
            }
        }
        Ok(None)
    }

    fn step(&mut self, place: usize, edge: u32, input: Option<i128>) -> Result<bool, Stop> {
        if self.length >= MAX_LENGTH {
            return Ok(false);
        }
        self.length += 1;
        let name = self.state.threads[place].name;
        let bound =
            |e: &Edge| matches!(self.machine.location(name.template, e.to).kind, LocationKind::Limit(_));
        if self.machine.edge(name.template, edge).is_none_or(bound) {
            return Ok(false);
        }
        match self.machine.step(&mut self.state, place, edge, input, &self.start) {
            Ok(()) => {}
            Err(Stop::Malformed(what)) => return Err(Stop::Malformed(what)),
            Err(_) => return Ok(false),
        }
        if self.moves.last().is_none_or(|m| m.thread != name) {
            self.moves.push(Move { thread: name, path: Vec::new(), inputs: Vec::new() });
        }
        if let Some(m) = self.moves.last_mut() {
            m.inputs.extend(input.map(|v| (m.path.len() as u32, v)));
            m.path.push(edge);
        }
        Ok(true)
    }
}
