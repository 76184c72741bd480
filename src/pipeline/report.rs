//! What is said about a file.

use super::{Hint, Races, Unknown};
use relyant_cfa as cfa;
use relyant_check::Proof;
use relyant_check::check::CheckReport;
use relyant_check::replicated;
use relyant_check::states::{Space, SpaceReport};
use relyant_engines::search;
use relyant_engines::watch::Stats;
use relyant_interp::Trace;
use relyant_program::Program;

/// Why a program is safe, accepted by the checker.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// A proof by assertions.
    Proof {
        /// Assertions at all locations, as the checker took them.
        proof: Proof,
        /// What it is a proof of.
        program: Box<Program>,
        /// What the checker did.
        checked: CheckReport,
    },
    /// Replicated finite-state threads that do what it does, no number of which covers an error.
    Replicated {
        /// The system of finite-state threads, and why none of its configurations is an error.
        proof: Box<replicated::Proof>,
        /// What it is a proof of.
        program: Box<Program>,
        /// What the checker did.
        checked: replicated::check::Report,
    },
    /// All its states, none of which is an error.
    Space {
        /// All of them, in normal form.
        space: Space,
        /// What the checker did.
        checked: SpaceReport,
    },
}

/// A verdict and its evidence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No error can be reached.
    Safe(Evidence),
    /// An error can be reached: a run of the program that gets there, replayed by the interpreter.
    Unsafe {
        /// What the interpreter recorded when it replayed the run.
        trace: Box<Trace>,
        /// No run with fewer steps gets to an error.
        shortest: bool,
    },
    /// Neither is known: why.
    Unknown(Unknown),
}

impl Verdict {
    /// `safe`, `unsafe` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe { .. } => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Seconds of wall-clock time, by stage.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Seconds {
    /// Reading the source, making the programs.
    pub read: f64,
    /// The quick search before all others; 0 without one.
    pub search: f64,
    /// Refinement, and the search beside it.
    pub prove: f64,
    /// Checking the certificate, or the replay.
    pub check: f64,
}

/// Where the search ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Searched {
    /// What it had done when it ended.
    pub stats: search::Stats,
    /// Wall-clock time it took, in seconds.
    pub seconds: f64,
}

/// What is said about a file.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was found, with its evidence.
    pub verdict: Verdict,
    /// The name of the engine that found its evidence.
    pub engine: Option<&'static str>,
    /// What was decided, in words.
    pub property: String,
    /// The places that the property is about.
    pub checks: cfa::Checks,
    /// What was assumed about the program, a line each.
    pub assumes: Vec<String>,
    /// In a program with a data race: all pairs of accesses that race, the one of the verdict first.
    pub races: Races,
    /// A proof says that nobody can tell that there are store buffers, and that the program is safe without.
    pub robust: bool,
    /// Where the proof engine had to take the program for more than it is, a line each.
    pub losses: Vec<String>,
    /// Where there is no verdict: what may help.
    pub hints: Vec<Hint>,
    /// Lines of the source file.
    pub source_lines: usize,
    /// Threads, by name and number.
    pub threads: Vec<(String, cfa::Count)>,
    /// Where refinement ended, if it ran.
    pub stats: Option<Stats>,
    /// Where the search ended, if it ran.
    pub searched: Option<Searched>,
    /// Where the time went.
    pub seconds: Seconds,
    /// Work until there was evidence, or no engine had any, in units of about a microsecond: the same in every run.
    pub work: u64,
}

impl Report {
    /// Says what is known of the program before anything is decided.
    pub(super) fn show(&mut self, p: &cfa::Program) {
        self.assumes.clone_from(&p.assumes);
        self.losses.clone_from(&p.losses);
        self.threads = p.templates.iter().map(|t| (t.name.clone(), t.count)).collect();
    }
}
