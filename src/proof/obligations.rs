//! From a program and a proof to the formulas that must be unsatisfiable for the proof to hold.
//!
//! The rule is GPR's figure 5, with three things of ours. Control is explicit: `R_i` is given location by location,
//! other threads' locations are integer constants. A template of many threads is its own environment too: the second
//! thread's locals are separate symbols, and identities differ. A step that changes nothing the assertions of a
//! thread speak of needs no environment transition there.
//!
//! Each obligation is `premise && !goal`. No quantifier is needed: what a step or a transition leaves open is a free
//! symbol of the premise.

use super::formula::{Formula, Linear, Symbol};
use super::validate::{self, Copies};
use super::{EnvTransition, PRIME, Proof, Rule, State, Tickets};
use relyant_frontend::program::{Edge, Loc, Program, Scope};
use relyant_horn::linear::{Cube, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Why there are no obligations: the program or the proof is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// The program.
    #[error("the program is not well-formed: {0}")]
    Program(String),
    /// The proof.
    #[error("the proof does not fit the program: {0}")]
    Proof(String),
}

/// What an obligation says. Edges, states and transitions by index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// CS1: the start is in the thread's assertion at its entry.
    Start(u32),
    /// CS2: a step of the thread stays in its assertion.
    Step(u32, usize),
    /// CS3: the environment transitions keep the thread's assertion at a location.
    Environment(u32, Loc),
    /// CS4: a step (actor, edge) is among the environment transitions of a thread (the first).
    Interference(u32, u32, usize),
    /// CS3 of Owicki-Gries: a step (actor, edge) keeps the thread's assertion at a location.
    Keep(u32, Loc, u32, usize),
    /// A step (template, edge) keeps what is claimed of a counter and its tickets.
    Ticket(usize, u32, usize),
    /// CS5: the thread is never at this error location.
    Error(u32, Loc),
    /// CS5: two threads are never at these locations.
    Exclusive((u32, Loc), (u32, Loc)),
    /// CS1, monolithic.
    GlobalStart,
    /// CS2, monolithic: a step (template, edge) from these locations.
    GlobalStep(Vec<Loc>, u32, usize),
    /// CS5, monolithic: these locations.
    GlobalError(Vec<Loc>),
}

impl Obligation {
    /// Its name in GPR's figure 5.
    pub fn name(&self) -> &'static str {
        match self {
            Obligation::Start(_) | Obligation::GlobalStart => "CS1",
            Obligation::Step(..) | Obligation::GlobalStep(..) => "CS2",
            Obligation::Environment(..) | Obligation::Keep(..) => "CS3",
            Obligation::Interference(..) => "CS4",
            Obligation::Ticket(..) => "tickets",
            Obligation::Error(..) | Obligation::Exclusive(..) | Obligation::GlobalError(_) => "CS5",
        }
    }
}

/// All obligations of a proof.
pub struct Obligations<'a> {
    program: &'a Program,
    proof: &'a Proof,
    /// `states[template][location]`
    states: Vec<Vec<&'a [State]>>,
    environment: Vec<&'a [EnvTransition]>,
    /// Variables that the assertions of a template speak of, but for its own locals.
    vocabulary: Vec<BTreeSet<Var>>,
    global: BTreeMap<&'a [Loc], Vec<&'a Cube>>,
    list: Vec<Obligation>,
}

/// The assertion of a thread that never moves.
static ANYTHING: LazyLock<[State; 1]> = LazyLock::new(|| [State { control: Vec::new(), cube: Cube::top() }]);

type Values<'f> = &'f dyn Fn(Var) -> Linear;
type Places<'f> = &'f dyn Fn(u32) -> Linear;

fn before(v: Var) -> Linear {
    Linear::symbol(Symbol::Var(v))
}

fn cube(c: &Cube, var: Values) -> Formula {
    if c.is_bottom() {
        return Formula::Const(false);
    }
    Formula::and(c.atoms().iter().map(|a| Formula::atom(a, var)))
}

fn place(at: &Linear, ls: &[Loc]) -> Formula {
    let numbers: Vec<u32> = ls.iter().map(|l| l.0).collect();
    Formula::one_of(at, &numbers)
}

fn state(s: &State, var: Values, at: Places) -> Formula {
    let control = Formula::and(s.control.iter().map(|(t, ls)| place(&at(*t), ls)));
    Formula::and([control, cube(&s.cube, var)])
}

fn any<'s>(states: impl IntoIterator<Item = &'s State>, var: Values, at: Places) -> Formula {
    Formula::or(states.into_iter().map(|s| state(s, var, at)))
}

fn mentions(c: &Cube, f: impl Fn(Var) -> bool) -> bool {
    c.atoms().iter().any(|a| a.vars().any(&f))
}

fn updates(e: &Edge, v: Var) -> bool {
    e.updates.binary_search_by_key(&v, |u| u.0).is_ok()
}

/// Could a thread's move to `to` end the control part of the state?
fn leaves(s: &State, actor: u32, to: &[Loc]) -> bool {
    s.control.iter().any(|(t, ls)| *t == actor && !to.iter().all(|l| ls.contains(l)))
}

impl<'a> Obligations<'a> {
    /// Lists the obligations of a proof.
    pub fn new(program: &'a Program, proof: &'a Proof) -> Result<Obligations<'a>, Malformed> {
        validate::program(program).map_err(Malformed::Program)?;
        validate::proof(program, proof).map_err(Malformed::Proof)?;
        let mut o = Obligations {
            program,
            proof,
            states: program.templates.iter().map(|t| vec![&[][..]; t.locations.len()]).collect(),
            environment: vec![&[]; program.templates.len()],
            vocabulary: vec![BTreeSet::new(); program.templates.len()],
            global: BTreeMap::new(),
            list: Vec::new(),
        };
        for (i, t) in program.templates.iter().enumerate() {
            match proof.threads.iter().find(|th| th.template as usize == i) {
                Some(th) => {
                    o.environment[i] = &th.environment;
                    for (l, states) in &th.invariants {
                        o.states[i][l.0 as usize] = states;
                        for v in states.iter().flat_map(|s| s.cube.atoms().iter().flat_map(|a| a.vars())) {
                            if !o.is_local(v, i as u32) {
                                o.vocabulary[i].insert(v);
                            }
                        }
                    }
                }
                None => o.states[i][t.entry.0 as usize] = &*ANYTHING,
            }
        }
        for (at, cube) in &proof.global {
            o.global.entry(at).or_default().push(cube);
        }
        match proof.rule {
            Rule::Monolithic => o.list_global(),
            _ => o.list_by_thread(),
        }
        Ok(o)
    }
    /// The obligations, in order of CS number and thread. What holds by its form alone is left out.
    pub fn list(&self) -> &[Obligation] {
        &self.list
    }
    /// The formula of an obligation; the obligation holds when it is unsatisfiable.
    pub fn formula(&self, o: &Obligation) -> Formula {
        let core = match o {
            Obligation::Start(i) => self.start(*i),
            Obligation::Step(i, e) => self.step(*i, *e),
            Obligation::Environment(j, l) => self.environment(*j, *l),
            Obligation::Interference(j, i, e) => self.interference(*j, *i, *e),
            Obligation::Keep(j, l, i, e) => self.keep(*j, *l, *i, *e),
            Obligation::Ticket(k, i, e) => self.ticket(*k, *i, *e),
            Obligation::Error(i, l) => any(self.at(*i, *l), &before, &|t| self.here(t, &[(*i, *l)])),
            Obligation::Exclusive(a, b) => self.exclusive(*a, *b),
            Obligation::GlobalStart => self.global_start(),
            Obligation::GlobalStep(at, i, e) => self.global_step(at, *i, *e),
            Obligation::GlobalError(at) => {
                Formula::or(self.global.get(&at[..]).into_iter().flatten().map(|c| cube(c, &before)))
            }
        };
        self.typed(core)
    }

    fn is_local(&self, v: Var, template: u32) -> bool {
        self.program.variables.get(v.0 as usize).is_some_and(|x| x.scope == Scope::Local(template))
    }
    fn is_identity(&self, v: Var) -> bool {
        self.program.variables.get(v.0 as usize).is_some_and(|x| x.identity)
    }
    fn copies(&self, t: u32) -> Copies {
        validate::copies(&self.program.templates[t as usize])
    }
    fn edge(&self, i: u32, e: usize) -> &'a Edge {
        &self.program.templates[i as usize].edges[e]
    }
    fn at(&self, t: u32, l: Loc) -> &'a [State] {
        self.states[t as usize][l.0 as usize]
    }
    /// Where a thread is, some of them known.
    fn here(&self, t: u32, known: &[(u32, Loc)]) -> Linear {
        match known.iter().find(|k| k.0 == t) {
            Some((_, l)) => Linear::number(l.0),
            None => Linear::symbol(Symbol::At(t)),
        }
    }
    /// A variable as an edge reads it.
    fn read(&self, v: Var) -> Linear {
        match (v.0 as usize).checked_sub(self.program.variables.len()) {
            Some(k) => Linear::symbol(Symbol::Input(k as u32)),
            None => before(v),
        }
    }
    /// A variable after an edge.
    fn written(&self, e: &Edge, v: Var) -> Linear {
        match e.updates.binary_search_by_key(&v, |u| u.0) {
            // Updates were found to be integral; an unknown value would be sound, too.
            Ok(k) => Linear::value(&e.updates[k].1, &|v| self.read(v))
                .unwrap_or_else(|| Linear::symbol(Symbol::After(v))),
            Err(_) => before(v),
        }
    }
    /// Guard and bounds of an edge.
    fn enabled(&self, e: &Edge) -> Formula {
        let read = |v| self.read(v);
        Formula::and([cube(&e.guard, &read), cube(&e.bounds, &read)])
    }
    /// Adds what is true of symbols by their type: locations exist, identities are in range and differ.
    fn typed(&self, core: Formula) -> Formula {
        let mut symbols = BTreeSet::new();
        core.symbols(&mut symbols);
        let (mut facts, mut identities) = (vec![core], Vec::<Linear>::new());
        for s in symbols {
            let x = Linear::symbol(s);
            let (low, high) = match s {
                Symbol::At(t) | Symbol::AtAfter(t) | Symbol::SecondAt(t) => {
                    (Some(0), Some(self.program.templates[t as usize].locations.len() as i128 - 1))
                }
                Symbol::Var(v) | Symbol::Second(v) if self.is_identity(v) => {
                    facts.extend(identities.iter().map(|y| Formula::eq(x.minus(y)).not()));
                    identities.push(x.clone());
                    let v = &self.program.variables[v.0 as usize];
                    (v.min, v.max)
                }
                _ => (None, None),
            };
            facts.extend(low.map(|n| Formula::le(Linear::number(n).minus(&x))));
            facts.extend(high.map(|n| Formula::le(x.minus(&Linear::number(n)))));
        }
        Formula::and(facts)
    }

    // ---- the list ----

    fn templates(&self) -> impl Iterator<Item = u32> + use<> {
        let there: Vec<u32> =
            (0..self.program.templates.len() as u32).filter(|t| self.copies(*t) != Copies::None).collect();
        there.into_iter()
    }
    /// Pairs of a thread and another one that moves.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let all = || self.templates().flat_map(|j| self.templates().map(move |i| (j, i)));
        all().filter(|(j, i)| j != i || self.copies(*i) == Copies::Many).collect()
    }
    fn labelled(&self) -> Vec<(u32, Loc)> {
        let Some(label) = &self.program.exclusive else { return Vec::new() };
        let mut out = Vec::new();
        for t in self.templates() {
            for (l, loc) in self.program.templates[t as usize].locations.iter().enumerate() {
                if loc.labels.contains(label) {
                    out.push((t, Loc(l as u32)));
                }
            }
        }
        out
    }
    fn list_by_thread(&mut self) {
        let mut list: Vec<Obligation> = self.templates().map(Obligation::Start).collect();
        for i in self.templates() {
            let t = &self.program.templates[i as usize];
            let live = |e: &usize| !self.at(i, t.edges[*e].from).is_empty();
            list.extend((0..t.edges.len()).filter(live).map(|e| Obligation::Step(i, e)));
        }
        if self.proof.rule == Rule::OwickiGries {
            for (j, i) in self.pairs() {
                for l in self.locations(j) {
                    for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                        let moves = !self.at(i, edge.from).is_empty();
                        if moves && self.at(j, l).iter().any(|s| self.touched_by_edge(s, j, i, edge)) {
                            list.push(Obligation::Keep(j, l, i, e));
                        }
                    }
                }
            }
        } else {
            for j in self.templates() {
                let there = self.locations(j).filter(|l| !self.transitions(j, *l).is_empty());
                list.extend(there.map(|l| Obligation::Environment(j, l)));
            }
            for (j, i) in self.pairs() {
                for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                    let seen = self.sees_move(j, i, edge)
                        || edge.updates.iter().any(|u| self.vocabulary[j as usize].contains(&u.0));
                    if seen && !self.at(i, edge.from).is_empty() {
                        list.push(Obligation::Interference(j, i, e));
                    }
                }
            }
        }
        for k in 0..self.proof.tickets.len() {
            for i in self.templates() {
                let t = &self.program.templates[i as usize];
                let live = |e: &usize| !self.at(i, t.edges[*e].from).is_empty();
                list.extend((0..t.edges.len()).filter(live).map(|e| Obligation::Ticket(k, i, e)));
            }
        }
        for i in self.templates() {
            for l in self.locations(i) {
                let error = self.program.templates[i as usize].locations[l.0 as usize].error.is_some();
                if error && !self.at(i, l).is_empty() {
                    list.push(Obligation::Error(i, l));
                }
            }
        }
        let labelled = self.labelled();
        for (k, a) in labelled.iter().enumerate() {
            for b in &labelled[k..] {
                let two = a.0 != b.0 || self.copies(a.0) == Copies::Many;
                if two && !self.at(a.0, a.1).is_empty() && !self.at(b.0, b.1).is_empty() {
                    list.push(Obligation::Exclusive(*a, *b));
                }
            }
        }
        self.list = list;
    }
    fn locations(&self, t: u32) -> impl Iterator<Item = Loc> + use<> {
        (0..self.program.templates[t as usize].locations.len() as u32).map(Loc)
    }
    fn list_global(&mut self) {
        let mut list = vec![Obligation::GlobalStart];
        for at in self.global.keys() {
            for i in self.templates() {
                for (e, edge) in self.program.templates[i as usize].edges.iter().enumerate() {
                    if edge.from == at[i as usize] {
                        list.push(Obligation::GlobalStep(at.to_vec(), i, e));
                    }
                }
            }
        }
        let labelled = self.labelled();
        for at in self.global.keys() {
            let error = |i: &u32| {
                let l = at[*i as usize].0 as usize;
                self.program.templates[*i as usize].locations[l].error.is_some()
            };
            let inside = labelled.iter().filter(|(t, l)| at[*t as usize] == *l).count();
            if inside > 1 || self.templates().any(|i| error(&i)) {
                list.push(Obligation::GlobalError(at.to_vec()));
            }
        }
        self.list = list;
    }

    // ---- what a state can lose by a step of another thread ----

    /// Could the transition make the state false? If not, it stays true and need not be asked about.
    fn touched(&self, s: &State, j: u32, e: &EnvTransition) -> bool {
        let moving = |v: Var| e.actor != j && self.is_local(v, e.actor) && !self.is_identity(v);
        leaves(s, e.actor, &e.to) || mentions(&s.cube, |v| e.writes.contains(&v) || moving(v))
    }
    /// The environment transitions that could end a state of thread j at l.
    fn transitions(&self, j: u32, l: Loc) -> Vec<&'a EnvTransition> {
        let there = |e: &EnvTransition| e.control.iter().all(|(t, ls)| *t != j || ls.contains(&l));
        let applies = |e: &EnvTransition| e.at.is_empty() || e.at.contains(&l);
        let touches = |e: &EnvTransition| self.at(j, l).iter().any(|s| self.touched(s, j, e));
        self.environment[j as usize].iter().filter(|e| applies(e) && there(e) && touches(e)).collect()
    }
    fn touched_by_edge(&self, s: &State, j: u32, i: u32, e: &Edge) -> bool {
        let own = |v: Var| j == i && self.is_local(v, j);
        leaves(s, i, &[e.to]) || mentions(&s.cube, |v| updates(e, v) && !own(v))
    }
    /// Can the location part of thread j's assertions tell the two ends of the edge apart?
    fn sees_move(&self, j: u32, i: u32, e: &Edge) -> bool {
        let loses = |s: &State| {
            s.control.iter().any(|(t, ls)| *t == i && ls.contains(&e.from) && !ls.contains(&e.to))
        };
        self.states[j as usize].iter().any(|states| states.iter().any(loses))
    }

    // ---- formulas ----

    /// The start condition, but for atoms about threads that may not exist or are not this one.
    fn start(&self, i: u32) -> Formula {
        if self.program.init.is_bottom() {
            return Formula::Const(false);
        }
        let known = |v: Var| match self.program.variables[v.0 as usize].scope {
            Scope::Global => true,
            Scope::Local(t) => t == i || self.copies(t) == Copies::One,
        };
        let init = self.program.init.atoms().iter().filter(|a| a.vars().all(known));
        let entry = |t: u32| Linear::number(self.program.templates[t as usize].entry.0);
        let goal = any(self.at(i, self.program.templates[i as usize].entry), &before, &entry);
        Formula::and([Formula::and(init.map(|a| Formula::atom(a, &before))), goal.not()])
    }
    fn step(&self, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let premise = any(self.at(i, e.from), &before, &|t| self.here(t, &[(i, e.from)]));
        let goal = any(self.at(i, e.to), &|v| self.written(e, v), &|t| self.here(t, &[(i, e.to)]));
        Formula::and([premise, self.enabled(e), goal.not()])
    }
    fn environment(&self, j: u32, l: Loc) -> Formula {
        let transitions = self.transitions(j, l);
        let written: BTreeSet<Var> = transitions.iter().flat_map(|e| e.writes.iter().copied()).collect();
        let actors: BTreeSet<u32> = transitions.iter().map(|e| e.actor).filter(|i| *i != j).collect();
        // What some transition may change has a symbol for its value after the step.
        let moving = |v: Var| {
            let others = actors.iter().any(|i| self.is_local(v, *i) && !self.is_identity(v));
            others || written.contains(&v)
        };
        let after = |v: Var| if moving(v) { Linear::symbol(Symbol::After(v)) } else { before(v) };
        let both = |v: Var| if v.0 >= PRIME { after(Var(v.0 - PRIME)) } else { before(v) };
        let at = |t: u32| self.here(t, &[(j, l)]);
        let moves = |t: u32| actors.contains(&t) && self.copies(t) == Copies::One;
        let at_after = |t: u32| if moves(t) { Linear::symbol(Symbol::AtAfter(t)) } else { at(t) };
        let goal = any(self.at(j, l), &after, &at_after);
        // Only what the goal speaks of has to be framed.
        let mut seen = BTreeSet::new();
        goal.symbols(&mut seen);
        let changes = |e: &EnvTransition, s: Symbol| match s {
            Symbol::After(v) => e.writes.contains(&v) || (e.actor != j && self.is_local(v, e.actor)),
            Symbol::AtAfter(t) => e.actor == t,
            _ => true,
        };
        let earlier = |s: Symbol| match s {
            Symbol::After(v) => before(v),
            Symbol::AtAfter(t) => Linear::symbol(Symbol::At(t)),
            s => Linear::symbol(s),
        };
        let transition = |e: &EnvTransition| {
            let frame = seen.iter().filter(|s| !changes(e, **s));
            let mut parts = vec![
                Formula::and(frame.map(|s| Formula::eq(Linear::symbol(*s).minus(&earlier(*s))))),
                Formula::and(e.control.iter().map(|(t, ls)| place(&at(*t), ls))),
                cube(&e.relation, &|v| {
                    if v.0 >= PRIME && !changes(e, Symbol::After(Var(v.0 - PRIME))) {
                        before(Var(v.0 - PRIME))
                    } else {
                        both(v)
                    }
                }),
            ];
            if e.from.is_empty() || e.to.is_empty() {
                parts.push(Formula::Const(false));
            } else if moves(e.actor) {
                parts.push(place(&at(e.actor), &e.from));
                // Where it goes matters only if the goal asks.
                if seen.contains(&Symbol::AtAfter(e.actor)) {
                    parts.push(place(&at_after(e.actor), &e.to));
                }
            }
            Formula::and(parts)
        };
        let touched = |s: &&State| transitions.iter().any(|e| self.touched(s, j, e));
        Formula::and([
            any(self.at(j, l).iter().filter(touched), &before, &at),
            Formula::or(transitions.iter().map(|e| transition(e))),
            goal.not(),
        ])
    }
    /// A variable as thread j has it, when thread i is the one that moves.
    fn second(&self, j: u32, i: u32, v: Var) -> Linear {
        if i == j && self.is_local(v, j) { Linear::symbol(Symbol::Second(v)) } else { before(v) }
    }
    fn interference(&self, j: u32, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let at = |t: u32| self.here(t, &[(i, e.from)]);
        let after = |v: Var| {
            if self.is_local(v, j) { self.second(j, i, v) } else { self.written(e, v) }
        };
        let both = |v: Var| {
            if v.0 >= PRIME { after(Var(v.0 - PRIME)) } else { self.second(j, i, v) }
        };
        let same = |v: Var| Formula::eq(self.written(e, v).minus(&before(v)));
        // Where thread j is: known to thread i's assertions only if there is one of its template.
        let there = if self.copies(j) == Copies::One { at(j) } else { Linear::symbol(Symbol::SecondAt(j)) };
        let mut goal = Vec::new();
        for x in self.environment[j as usize] {
            if x.actor == i && x.from.contains(&e.from) && x.to.contains(&e.to) {
                let unwritten =
                    e.updates.iter().filter(|u| self.program.is_global(u.0) && !x.writes.contains(&u.0));
                let applies = if x.at.is_empty() { Formula::Const(true) } else { place(&there, &x.at) };
                goal.push(Formula::and([
                    applies,
                    Formula::and(x.control.iter().map(|(t, ls)| place(&at(*t), ls))),
                    Formula::and(unwritten.map(|u| same(u.0))),
                    cube(&x.relation, &both),
                ]));
            }
        }
        if !self.sees_move(j, i, e) {
            let seen = e.updates.iter().filter(|u| self.vocabulary[j as usize].contains(&u.0));
            goal.push(Formula::and(seen.map(|u| same(u.0))));
        }
        Formula::and([
            any(self.at(i, e.from), &before, &at),
            self.enabled(e),
            self.apart((i, e.from), j, &there),
            Formula::or(goal).not(),
        ])
    }
    /// Two threads, one at a location, the other at a place, that both hold tickets of a counter hold different ones.
    fn apart(&self, (i, l): (u32, Loc), j: u32, there: &Linear) -> Formula {
        let holder = |t: &'a Tickets, i: u32| t.holders.iter().find(move |h| h.template == i);
        let both = |t: &'a Tickets| Some((holder(t, i)?, holder(t, j)?));
        Formula::and(
            self.proof.tickets.iter().filter_map(both).filter(|(a, _)| a.locations.contains(&l)).map(
                |(a, b)| {
                    let same = Formula::eq(before(a.variable).minus(&self.second(j, i, b.variable)));
                    Formula::and([place(there, &b.locations), same]).not()
                },
            ),
        )
    }
    /// The step may not lower the counter; arriving where a ticket is held, it keeps one that was held or draws one.
    fn ticket(&self, k: usize, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let t = &self.proof.tickets[k];
        let (old, new) = (before(t.counter), self.written(e, t.counter));
        let mut goal = vec![Formula::le(old.minus(&new))];
        if let Some(h) = t.holders.iter().find(|h| h.template == i && h.locations.contains(&e.to)) {
            let ticket = self.written(e, h.variable);
            let drawn = Formula::and([
                Formula::eq(ticket.minus(&old)),
                Formula::le(old.minus(&new.minus(&Linear::number(1)))),
            ]);
            let kept = Formula::eq(ticket.minus(&before(h.variable)));
            let held = Formula::Const(h.locations.contains(&e.from));
            goal.push(Formula::or([drawn, Formula::and([held, kept])]));
        }
        let premise = any(self.at(i, e.from), &before, &|t| self.here(t, &[(i, e.from)]));
        Formula::and([premise, self.enabled(e), Formula::and(goal).not()])
    }
    fn keep(&self, j: u32, l: Loc, i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let at = |t: u32| self.here(t, &[(i, e.from), (j, l)]);
        // With i = j there are many threads of the template, and nobody speaks of "the" location of one.
        let at_after = |t: u32| self.here(t, &[(i, e.to), (j, l)]);
        let own = |v: Var| self.second(j, i, v);
        let after = |v: Var| {
            if self.is_local(v, j) { self.second(j, i, v) } else { self.written(e, v) }
        };
        let touched = self.at(j, l).iter().filter(|s| self.touched_by_edge(s, j, i, e));
        Formula::and([
            any(touched, &own, &at),
            any(self.at(i, e.from), &before, &at),
            self.enabled(e),
            self.apart((i, e.from), j, &Linear::number(l.0)),
            any(self.at(j, l), &after, &at_after).not(),
        ])
    }
    fn exclusive(&self, a: (u32, Loc), b: (u32, Loc)) -> Formula {
        let at = |t: u32| self.here(t, &[a, b]);
        Formula::and([
            any(self.at(a.0, a.1), &before, &at),
            any(self.at(b.0, b.1), &|v| self.second(b.0, a.0, v), &at),
            self.apart(a, b.0, &Linear::number(b.1.0)),
        ])
    }
    fn global_start(&self) -> Formula {
        let entries: Vec<Loc> = self.program.templates.iter().map(|t| t.entry).collect();
        Formula::and([cube(&self.program.init, &before), self.global_at(&entries, &before).not()])
    }
    fn global_at(&self, at: &[Loc], var: Values) -> Formula {
        Formula::or(self.global.get(at).into_iter().flatten().map(|c| cube(c, var)))
    }
    fn global_step(&self, at: &[Loc], i: u32, e: usize) -> Formula {
        let e = self.edge(i, e);
        let mut to = at.to_vec();
        to[i as usize] = e.to;
        let goal = self.global_at(&to, &|v| self.written(e, v));
        Formula::and([self.global_at(at, &before), self.enabled(e), goal.not()])
    }

    // ---- text ----

    /// One line that says which obligation this is: CS number, thread, places.
    pub fn title(&self, o: &Obligation) -> String {
        let name = |t: &u32| format!("thread `{}`", self.program.templates[*t as usize].name);
        let step = |i: &u32, e: &usize| {
            let e = self.edge(*i, *e);
            format!("{} -> {}", self.locate(*i, e.from), self.locate(*i, e.to))
        };
        let body = match o {
            Obligation::Start(i) => format!("{} at the start", name(i)),
            Obligation::Step(i, e) => format!("{}, step {}", name(i), step(i, e)),
            Obligation::Environment(j, l) => format!("{} at {}, environment", name(j), self.locate(*j, *l)),
            Obligation::Interference(j, i, e) => {
                format!("environment of {}, {}, step {}", name(j), name(i), step(i, e))
            }
            Obligation::Keep(j, l, i, e) => {
                format!("{} at {}, {}, step {}", name(j), self.locate(*j, *l), name(i), step(i, e))
            }
            Obligation::Ticket(k, i, e) => {
                let counter = self.symbol_name(Symbol::Var(self.proof.tickets[*k].counter));
                format!("tickets of `{counter}`, {}, step {}", name(i), step(i, e))
            }
            Obligation::Error(i, l) => format!("{}, error at {}", name(i), self.locate(*i, *l)),
            Obligation::Exclusive(a, b) => {
                let at = |x: &(u32, Loc)| format!("{} at {}", name(&x.0), self.locate(x.0, x.1));
                format!("{} and {}", at(a), at(b))
            }
            Obligation::GlobalStart => "at the start".into(),
            Obligation::GlobalStep(at, i, e) => {
                format!("at {}, {}, step {}", self.locate_all(at), name(i), step(i, e))
            }
            Obligation::GlobalError(at) => format!("error at {}", self.locate_all(at)),
        };
        format!("{}: {body}", o.name())
    }
    fn locate(&self, t: u32, l: Loc) -> String {
        locate(self.program, t, l)
    }
    fn locate_all(&self, at: &[Loc]) -> String {
        let each = at.iter().enumerate().map(|(t, l)| self.locate(t as u32, *l));
        each.collect::<Vec<_>>().join(", ")
    }
    /// The name of a symbol: the variable's, with `'` for its value after the step.
    pub fn symbol_name(&self, s: Symbol) -> String {
        let var = |v: Var| self.program.variables.get(v.0 as usize).map_or("?", |x| &x.name);
        let template = |t: u32| &self.program.templates[t as usize].name;
        match s {
            Symbol::Var(v) => var(v).into(),
            Symbol::Second(v) => format!("{} (other thread)", var(v)),
            Symbol::After(v) => format!("{}'", var(v)),
            Symbol::Input(k) => format!("input {k}"),
            Symbol::At(t) => format!("location of {}", template(t)),
            Symbol::AtAfter(t) => format!("location of {}'", template(t)),
            Symbol::SecondAt(t) => format!("location of another {}", template(t)),
        }
    }
}

/// `file:line:column (location)`
pub fn locate(p: &Program, t: u32, l: Loc) -> String {
    let span = p.templates[t as usize].locations[l.0 as usize].span;
    let file = p.files.get(span.file as usize).map_or("?", |f| f);
    if span.line == 0 {
        return format!("location {}", l.0);
    }
    format!("{file}:{}:{} (location {})", span.line, span.column, l.0)
}
