//! From a program and a proof to the formulas that must be unsatisfiable for the proof to hold.
//!
//! The rule is GPR's figure 5, with three things of ours. Control is explicit: `R_i` is given location by location,
//! other threads' locations are integer constants. A template of many threads is its own environment too: the second
//! thread's locals are separate symbols, and identities differ. A step that changes nothing the assertions of a
//! thread speak of needs no environment transition there.
//!
//! Each obligation is `premise && !goal`. No quantifier is needed: what a step or a transition leaves open is a free
//! symbol of the premise.

mod formula;
mod list;
mod text;

use super::flaw::{ExtensionFlaw, ProgramFlaw, ProofFlaw, SystemFlaw};
use super::formula::{Formula, Linear, Symbol, Values, before, cube, place};
use super::validate::{self, Copies};
use super::{Assertion, EnvTransition, Proof, Rule};
use relyant_linear::{Cube, Var};
use relyant_program::recognisers::Recogniser;
use relyant_program::{Edge, Loc, Program, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

pub use text::{locate, symbol_name};

/// Why there are no obligations: the program or the proof is not well-formed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// The program is not as its types promise.
    #[error("the program is not well-formed: {0}")]
    Program(ProgramFlaw),
    /// The proof speaks of what is not in the program, or does not have the form of its rule.
    #[error("the proof does not fit the program: {0}")]
    Proof(ProofFlaw),
    /// What was added to the program is not what it has to be; which recogniser found it.
    #[error("ghosts ({0}): {1}")]
    Ghosts(Recogniser, ExtensionFlaw),
    /// The proof, which is a system of replicated threads.
    #[error("the proof does not fit the program: {0}")]
    System(SystemFlaw),
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
    /// CS1, monolithic: the start is in the global invariant.
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
    /// `states[template][location]`: their disjunction is the assertion there; none: unreachable.
    states: Vec<Vec<&'a [Assertion]>>,
    /// By template: what the other threads may do to one of its threads.
    environment: Vec<&'a [EnvTransition]>,
    /// Variables that the assertions of a template speak of, but for its own locals.
    vocabulary: Vec<BTreeSet<Var>>,
    /// Monolithic: by a location for each template, the disjuncts of the invariant there.
    global: BTreeMap<&'a [Loc], Vec<&'a Cube>>,
    /// All of them, in the order in which they are checked and reported.
    list: Vec<Obligation>,
}

/// The assertion of a thread that never moves.
static ANYTHING: LazyLock<[Assertion; 1]> =
    LazyLock::new(|| [Assertion { control: Vec::new(), cube: Cube::top() }]);

type Places<'f> = &'f dyn Fn(u32) -> Linear;

fn state(s: &Assertion, var: Values, at: Places) -> Formula {
    let control = Formula::and(s.control.iter().map(|(t, ls)| place(&at(*t), ls)));
    Formula::and([control, cube(&s.cube, var)])
}

fn any<'s>(states: impl IntoIterator<Item = &'s Assertion>, var: Values, at: Places) -> Formula {
    Formula::or(states.into_iter().map(|s| state(s, var, at)))
}

fn mentions(c: &Cube, f: impl Fn(Var) -> bool) -> bool {
    c.atoms().iter().any(|a| a.vars().any(&f))
}

fn updates(e: &Edge, v: Var) -> bool {
    e.updates.binary_search_by_key(&v, |u| u.0).is_ok()
}

/// Could a thread's move to `to` end the control part of the state?
fn leaves(s: &Assertion, actor: u32, to: &[Loc]) -> bool {
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
    fn at(&self, t: u32, l: Loc) -> &'a [Assertion] {
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
}
