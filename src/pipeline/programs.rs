//! The programs that are made of a source file.
//!
//! The *search program* keeps threads of one start routine together and calls recursive functions; the *proof
//! program* has everything inlined and specialised, and linear steps. Where one of them cannot be made the other one
//! may still do. A third one, for proofs only, has chosen threads and memory of any size; and the proof program is there
//! once more with one element of each short array.

use super::unknown::Unknown;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_engines::search::{self, Reason, SearchOutcome};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::c::unit::Unit;
use relyant_frontend::instantiate::{has_arrays, has_many_blocks};
use relyant_frontend::programs::{for_proof, for_proof_chosen, for_search};
use relyant_frontend::waits::without_deadlocks;
use relyant_program::Program;
use relyant_program::linearise::{ArrayLimits, has_short_arrays};
use relyant_program::recognisers::Recognisers;
use relyant_program::thread_program_with;

/// States that are looked at to see whether another thread can tell that there are store buffers.
const ROBUST_STATES: usize = 5_000;
/// Steps for each of them: in large states a step is more work.
const ROBUST_STEPS: u64 = 20;

/// What the proof engines work on.
#[derive(Clone, Debug)]
pub struct Provable {
    /// The program of threads, as the interpreter runs it.
    pub automata: cfa::Program,
    /// The same with linear steps.
    pub threads: Program,
}

impl Provable {
    /// The same threads without any ghosts, and with the elements of arrays that they access.
    pub(super) fn without_ghosts(&self) -> Result<Provable, Diagnostic> {
        let automata = self.automata.clone();
        let threads = thread_program_with(&automata, ArrayLimits::touching(), Recognisers::none())?;
        Ok(Provable { automata, threads })
    }

    /// The same with one element of each short array; `None` where that makes no difference, or is much to make.
    fn with_elements(&self, recognisers: Recognisers) -> Option<Provable> {
        let edges: usize = self.automata.templates.iter().map(|t| t.graph.edges.len()).sum();
        if edges > MANY_EDGES || self.automata.templates.len() < 2 || !has_short_arrays(&self.automata) {
            return None;
        }
        let threads = thread_program_with(&self.automata, ArrayLimits::elements(), recognisers).ok()?;
        let differs = threads.variables.len() < self.threads.variables.len();
        differs.then(|| Provable { automata: self.automata.clone(), threads })
    }

    fn of(automata: cfa::Program, recognisers: Recognisers) -> Result<Provable, Diagnostic> {
        let threads = thread_program_with(&automata, ArrayLimits::of(&automata), recognisers)?;
        Ok(Provable { automata, threads })
    }
}

/// The programs made of one module: what can be searched, and what can be proved.
#[derive(Clone, Debug)]
pub struct Programs {
    /// For the search: a template for each start routine, calls as they are.
    pub search: cfa::Program,
    /// For proofs, or why there is none.
    pub proof: Result<Provable, Diagnostic>,
    /// For proofs only: with chosen threads and memory of any size, where that makes a difference.
    pub chosen: Option<Provable>,
    /// For proofs only: the proof program with one element of short arrays, where it has any.
    pub elements: Option<Provable>,
}

/// Both, before the steps of the proof program are made linear: that takes longest, and a short run that shows an error
/// needs none of it.
pub(super) struct Draft {
    pub(super) search: Result<cfa::Program, Diagnostic>,
    pub(super) automata: Result<cfa::Program, Diagnostic>,
    /// Where there are store buffers: the proof program has none, but shows that nobody can tell.
    pub(super) robust: bool,
    chosen: Option<cfa::Program>,
}

/// Steps of automata that take long to be made linear once more.
const MANY_EDGES: usize = 3_000;
/// Templates of threads that are many to look at one by one.
const MANY: usize = 6;

/// May it help a proof to choose threads and blocks, and to have memory without end? Where there are blocks of unknown size, or many of
/// one place, and where there are many threads, or any number of them that have arguments or are waited for, and where threads access
/// arrays at any index.
fn may_help(module: &cfa::Module, automata: &cfa::Program) -> bool {
    let many = |t: &&cfa::Template| t.count == cfa::Count::Unbounded;
    let joins = |t: &cfa::Template| t.graph.edges.iter().any(|e| matches!(e.op, cfa::Op::Join { .. }));
    let watches = |o: &cfa::Object| o.kind == cfa::ObjectKind::WatchedWrite;
    module.heap.iter().any(|h| h.most.is_some())
        || has_many_blocks(module) && automata.templates.len() > 1
        || !module.variable.is_empty()
        || automata.templates.iter().any(|t| many(&t)) && automata.objects.iter().any(watches)
        || automata.templates.len() > MANY
        || has_arrays(automata)
        || automata.templates.iter().filter(many).any(|t| t.param.is_some())
        || automata.templates.iter().any(|t| many(&t)) && automata.templates.iter().any(joins)
}

impl Draft {
    pub(super) fn of(module: &cfa::Module, meaning: &Options) -> Result<Draft, Diagnostic> {
        let robust = robust(module, meaning);
        let automata = for_proof(module, &Options { robust, ..meaning.clone() });
        let search = for_search(module, meaning);
        match (&search, &automata) {
            (Err(_), Err(e)) => Err(e.clone()),
            _ => {
                let helps = automata.as_ref().is_ok_and(|p| may_help(module, p));
                let chosen = if helps { for_proof_chosen(module, meaning).ok().flatten() } else { None };
                Ok(Draft { search, automata, robust, chosen })
            }
        }
    }

    /// Makes the steps linear.
    pub(super) fn finish(self, recognisers: Recognisers) -> Result<Programs, Diagnostic> {
        let proof = self.automata.and_then(|automata| Provable::of(automata, recognisers));
        let chosen = self.chosen.and_then(|p| Provable::of(p, recognisers).ok());
        let elements = proof.as_ref().ok().and_then(|p| p.with_elements(recognisers));
        Ok(Programs { search: self.search?, proof, chosen, elements })
    }

    /// How large the proof program's automata are.
    pub(super) fn edges(&self) -> u64 {
        let templates = self.automata.iter().flat_map(|p| &p.templates);
        templates.map(|t| t.graph.edges.len() as u64).sum()
    }

    /// The program that reports speak of.
    pub(super) fn shown(&self) -> Option<&cfa::Program> {
        self.automata.as_ref().or(self.search.as_ref()).ok()
    }
}

/// Can another thread tell that there are store buffers?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    Yes,
    No,
    /// A short search does not say.
    Unknown,
}

/// The same of a program with attacks, by a short search.
pub(super) fn told(attacks: &cfa::Program, cancel: &(dyn Fn() -> bool + Sync)) -> Option<Told> {
    let settings = search::Settings {
        max_states: ROBUST_STATES,
        max_steps: ROBUST_STATES as u64 * ROBUST_STEPS,
        ..search::Settings::default()
    };
    Some(match search::search(attacks, &settings, &Watch { cancel, ..Watch::NONE }).ok()?.0 {
        SearchOutcome::Limit { reason: Reason::Bound { .. }, .. } => Told::Yes,
        SearchOutcome::Limit { .. } | SearchOutcome::Violation { .. } => Told::Unknown,
        SearchOutcome::Exhausted(_) => Told::No,
    })
}

/// Is a proof by robustness to be tried? Not if a short search finds that another thread can tell.
fn robust(module: &cfa::Module, meaning: &Options) -> bool {
    let attacks = || for_proof(module, &Options { robust: true, ..meaning.clone() }).ok();
    meaning.is_tso() && attacks().and_then(|p| told(&p, &|| false)).is_some_and(|t| t != Told::Yes)
}

impl Programs {
    /// The proof program is made anew with these heuristics; `None` where it cannot be.
    pub(super) fn with(&self, recognisers: Recognisers) -> Option<Programs> {
        let again = |p: &Provable| Provable::of(p.automata.clone(), recognisers);
        let proof = again(self.proof.as_ref().ok()?).ok()?;
        let chosen = self.chosen.as_ref().and_then(|p| again(p).ok());
        let elements = proof.with_elements(recognisers);
        Some(Programs { search: self.search.clone(), proof: Ok(proof), chosen, elements })
    }
    /// With none for proofs.
    pub(super) fn searched(search: cfa::Program) -> Programs {
        let proof = Err(Diagnostic::of_file("", "no proof is asked for", ""));
        Programs { search, proof, chosen: None, elements: None }
    }
    /// Reads a file and makes both.
    ///
    /// # Errors
    /// What is wrong with the input, or why neither can be made of it.
    pub fn read<'a>(what: impl Into<Unit<'a>>, meaning: &Options) -> Result<Programs, Diagnostic> {
        Programs::of(&c::load(what, meaning)?, meaning)
    }

    /// Makes both of what was read.
    ///
    /// # Errors
    /// Why neither can be made of it.
    pub fn of(module: &cfa::Module, meaning: &Options) -> Result<Programs, Diagnostic> {
        Draft::of(module, meaning)?.finish(Recognisers::default())
    }

    /// Why there is no proof without deadlocks.
    pub(super) fn no_order(&self, meaning: &Options) -> Unknown {
        match self.proof.as_ref().map(|p| without_deadlocks(&p.automata)) {
            Ok(Err(d)) if !meaning.is_tso() => Unknown::Refused(Box::new(d)),
            _ => Unknown::Deadlocks,
        }
    }

    /// The other programs for proofs.
    pub(super) fn others(&self) -> impl Iterator<Item = &Provable> {
        self.chosen.iter().chain(&self.elements)
    }

    /// The program that reports speak of.
    pub(super) fn shown(&self) -> &cfa::Program {
        self.proof.as_ref().map_or(&self.search, |p| &p.automata)
    }

    /// What was assumed of the program, a line each.
    pub fn assumes(&self) -> &[String] {
        &self.shown().assumes
    }
}
