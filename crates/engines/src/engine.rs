//! What can be asked for a verdict: an engine has a name, needs one of the two programs, and runs until it has evidence,
//! gives up, or is stopped.

use crate::aret;
use crate::verdict::{Answer, Counterexample, Reason};
use crate::watch::{Standing, Watch};
use relyant_cfa::schedule::Schedule;
use relyant_check::Proof;
use relyant_check::replicated;
use relyant_check::states::Space;
use relyant_linear::Atom;
use relyant_program::{Count, Program};

/// What is to be proved or refuted: two programs that mean the same.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The search program: the automata themselves, with procedures.
    pub search: &'a relyant_cfa::Program,
    /// The thread program, where there is one that says all of the property.
    pub threads: Option<&'a Program>,
    /// Comparisons of its variables that a proof may need: tried, never trusted.
    pub predicates: &'a [Atom],
}

/// What an engine works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// The search program, which there always is.
    Search,
    /// The thread program, with any number of threads.
    Threads,
    /// A thread program of which each template is one thread at most.
    BoundedThreads,
}

impl Needs {
    /// Has the task such a program, with however many threads?
    pub fn have_program(self, task: &Task<'_>) -> bool {
        self == Needs::Search || task.threads.is_some()
    }
    /// Has the task all that?
    pub fn are_met(self, task: &Task<'_>) -> bool {
        let bounded = |p: &Program| p.templates.iter().all(|t| matches!(t.count, Count::AtMost(0 | 1)));
        match self {
            Needs::Search => true,
            Needs::Threads => task.threads.is_some(),
            Needs::BoundedThreads => task.threads.is_some_and(bounded),
        }
    }
}

/// Evidence that nobody has checked yet.
#[derive(Debug)]
pub enum Claim {
    /// Safe: assertions about the thread program, for the checker.
    Proof(Proof),
    /// Safe: assertions about the program whose threads take turns in an order of preference, for the checker.
    Ordered {
        /// That program, of one thread.
        program: Box<Program>,
        /// The assertions.
        proof: Proof,
    },
    /// Safe: replicated threads that do what the thread program does, for the checker.
    Replicated(Box<replicated::Proof>),
    /// Safe: all states of the search program, for the checker.
    Space(Space),
    /// Unsafe: a run of the thread program, for the interpreter.
    Run(Counterexample),
    /// Unsafe: a run of the search program, for the interpreter.
    Schedule {
        /// The run, whose last move leads to the violation.
        schedule: Schedule,
        /// No run with fewer steps gets to an error.
        shortest: bool,
    },
}

/// What came of an engine.
#[derive(Debug)]
pub struct Finding {
    /// Evidence, or why there is none.
    pub claim: Result<Claim, Reason>,
    /// The numbers with which it ended, if it counts any.
    pub standing: Option<Standing>,
    /// Seconds that it took to get there from where its numbers count from.
    pub seconds: f64,
}

impl Finding {
    /// No evidence, and why there is none.
    pub fn nothing(why: Reason) -> Finding {
        Finding { claim: Err(why), standing: None, seconds: 0.0 }
    }
}

impl From<Answer> for Result<Claim, Reason> {
    fn from(answer: Answer) -> Result<Claim, Reason> {
        match answer {
            Answer::Safe(proof) => Ok(Claim::Proof(proof)),
            Answer::Unsafe(run) => Ok(Claim::Run(run)),
            Answer::Unknown(why) => Err(why),
        }
    }
}

/// A word of the command line that asks for an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The word, unlike those of all other engines.
    pub word: &'static str,
    /// What it asks for, for the help of the command line; empty where the word says it.
    pub about: &'static str,
    /// The proof rule that goes with it, for engines that have one.
    pub rule: aret::Method,
}

impl Choice {
    /// A word that asks for an engine as it is.
    pub const fn plain(word: &'static str, about: &'static str) -> Choice {
        Choice { word, about, rule: aret::Method::RelyGuarantee }
    }
}

/// What can be asked for a verdict.
pub trait Engine: Send + Sync {
    /// The name that reports say.
    fn name(&self) -> &'static str;

    /// The words by which it is asked for alone; without one it takes part beside others only.
    fn choices(&self) -> &'static [Choice] {
        &[]
    }

    /// What it works on.
    fn needs(&self) -> Needs;

    /// Has it something to offer beside other engines? They all work on the same task then.
    fn joins(&self, task: &Task<'_>) -> bool {
        self.needs().are_met(task)
    }

    /// Looks for evidence until it has some, gives up, or is stopped. Its work, told to the watch, depends on the task and
    /// its own settings only: who wins a race is decided by it.
    fn run(&self, task: &Task<'_>, watch: &Watch<'_>) -> Finding;
}
