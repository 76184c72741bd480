//! Proofs in real runs: the user's own program with the invariants of a certificate before its statements, compiled and run many
//! times, one thread at a time, where chance says who goes on and what inputs are.
//!
//! An invariant is tested when a thread has come to a statement, before anything of it is done, and once more when other threads
//! had their turn. Nothing of the checker takes part, and of the front end only which location of the thread program a statement
//! is (`places`). What fails is a wrong proof, or a program that was misread.

mod conditions;
mod insert;
mod places;
mod script;
mod steps;
mod tables;

use crate::reproduce::{self, Trouble};
pub use conditions::Left;
use conditions::Words;
use insert::{Spot, Text};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::{Atomicity, DataModel, Integers, Options};
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::AnyCertificate;
use relyant_checker::Refusal;
use relyant_checker::source::Claim;
use relyant_frontend::c;
use relyant_frontend::c::outline::{Effect, Outline, StatementKind};
use relyant_frontend::programs::read;
use relyant_program::{Loc, thread_program};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tables::Check;

/// What is put beside the program, by name.
const RUNTIME: [(&str, &str); 3] = [
    ("observe.c", include_str!("observe.c")),
    ("turns.h", include_str!("turns.h")),
    ("blocking.h", include_str!("blocking.h")),
];
/// Functions whose condition is waited for.
const ASSUMES: [&str; 2] = ["__VERIFIER_assume", "__CPROVER_assume"];

/// Why nothing was observed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The certificate is none, or is about another source.
    #[error(transparent)]
    Certificate(#[from] Refusal),
    /// The source cannot be read.
    #[error("{0}")]
    Source(Box<Diagnostic>),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A compiled program could not test the proof.
    #[error("{0}")]
    Not(Reason),
    /// The program was not compiled, or did not run.
    #[error(transparent)]
    Run(#[from] Trouble),
}

/// Why a certificate cannot be observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// It is no proof by assertions.
    #[error("only proofs by assertions have invariants at statements")]
    Kind,
    /// It is about runs in an order of preference.
    #[error("the proof is about runs in an order of preference, of which real ones are others")]
    Order,
    /// The machine's integers are others.
    #[error("the integers of the proof are not those of the machine that it would be compiled for")]
    Integers,
    /// Stores go through buffers.
    #[error("the proof is about a program with store buffers, of which the source says nothing")]
    Buffers,
    /// There are several files.
    #[error("only one source file can be observed")]
    Files,
    /// Threads come from labels.
    #[error("`__CPROVER_ASYNC` is no C that a compiler takes")]
    Dialect,
    /// There are too many templates of threads.
    #[error("more than {} thread templates", tables::TEMPLATES)]
    Threads,
    /// The source is not among the files that were read.
    #[error("the source is not what was read")]
    Source,
}

/// What was put into the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placed {
    /// Statements that have invariants before them.
    pub statements: usize,
    /// Invariants, one for each copy of a statement's function in each template of threads.
    pub invariants: usize,
    /// Comparisons in them.
    pub comparisons: usize,
    /// Locations of the proof with an invariant, and how many of them are the beginning of a statement.
    pub locations: (usize, usize),
    /// Conjuncts that were left out, by reason.
    pub left: BTreeMap<Left, usize>,
}

/// What the runs came to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// How many there were.
    pub runs: u64,
    /// Invariants that were tested, each time they were.
    pub evaluations: u64,
    /// Statements at which one was.
    pub reached: u64,
    /// Runs that ended with the program.
    pub ended: u64,
    /// Runs stopped after so many steps.
    pub stopped: u64,
    /// Runs in which no thread could go on.
    pub stuck: u64,
    /// Runs that ended since an assumption did not hold.
    pub assumed: u64,
    /// Runs that ended in what C leaves undefined.
    pub undefined: u64,
    /// The seed of a run in which an invariant did not hold, or the program failed.
    pub failed: Option<u64>,
    /// What does not hold there.
    pub said: String,
}

/// How often it is run.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many runs.
    pub runs: u32,
    /// The first one's seed; the others' come after it.
    pub seed: u64,
    /// Steps of a run, at most.
    pub steps: u32,
}

/// Writes the folder of a certificate: the program with its invariants, and how it is run.
///
/// # Errors
/// What cannot be read or written, or why there is nothing to test.
pub fn write(certificate: &str, file: &Path, told: &Preprocessing, dir: &Path) -> Result<Placed, Error> {
    let source = |d: Diagnostic| Error::Source(Box::new(d));
    let parsed = AnyCertificate::parse(certificate).map_err(|e| Refusal::Unreadable(e.to_string()))?;
    let claim = Claim::about(parsed, file, told)?;
    let options = claim.meaning();
    possible(options)?;
    let AnyCertificate::Proof(proof) = claim.certificate() else { return Err(Error::Not(Reason::Kind)) };
    let automata = read(file, options).map_err(source)?;
    let program = thread_program(&automata).map_err(source)?;
    if proof.has_order() {
        return Err(Error::Not(Reason::Order));
    }
    let proof = proof.proof(&program).map_err(|e| Refusal::Rejected(e.to_string()))?;
    let outline = c::outline(file, options).map_err(source)?;
    if automata.templates.len() > tables::TEMPLATES {
        return Err(Error::Not(Reason::Threads));
    }
    let bytes = std::fs::read(file).map_err(|error| Error::File { path: file.into(), error })?;
    if String::from_utf8_lossy(&bytes).contains("__CPROVER_ASYNC") {
        return Err(Error::Not(Reason::Dialect));
    }
    let text = Text::new(&bytes, &outline);
    let Some(index) = outline.file(&file.display().to_string()) else {
        return Err(Error::Not(Reason::Source));
    };

    let arrivals = places::arrivals(&program, &automata, &outline, index);
    let mut words = Words::new(&proof, &program, &automata, &outline);
    let (checks, mut placed) = checks(&mut words, &text, &outline, arrivals);
    let known: BTreeSet<(u32, Loc)> = (proof.threads.iter())
        .flat_map(|t| t.invariants.iter().filter(|x| !x.1.is_empty()).map(|x| (t.template, x.0)))
        .collect();
    let begun: BTreeSet<(u32, Loc)> = (checks.values().flat_map(|c| &c.copies))
        .filter(|(_, (_, condition))| condition.is_some())
        .flat_map(|(copy, (arrival, _))| {
            arrival.at.iter().flat_map(|at| at.keys()).map(|l| (copy.template, *l))
        })
        .collect();
    placed.locations = (known.len(), known.intersection(&begun).count());
    let instrumented = text.with(&added(&text, &outline, index, &checks, options));
    let checks: Vec<Check> = checks.into_values().collect();
    let name = file.file_name().map_or("source.c".into(), |n| n.to_string_lossy().into_owned());
    let put = |name: &str, text: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, text).map_err(|error| Error::File { path, error })
    };
    std::fs::create_dir_all(dir).map_err(|error| Error::File { path: dir.into(), error })?;
    put(&name, &instrumented)?;
    for (name, text) in RUNTIME.iter().chain(&reproduce::SHARED) {
        put(name, text.as_bytes())?;
    }
    put("checks.h", tables::header(&checks).as_bytes())?;
    put("tables.h", tables::tables(&checks, &program, &automata, options).as_bytes())?;
    put("run", script::text(file, &name, options).as_bytes())?;
    let path = dir.join("run");
    reproduce::executable(&path).map_err(|error| Error::File { path, error })?;
    Ok(placed)
}

/// What is tested before each statement that has a place in the text.
fn checks(
    words: &mut Words<'_>,
    text: &Text<'_>,
    outline: &Outline,
    arrivals: places::Arrivals,
) -> (BTreeMap<usize, Check>, Placed) {
    let mut placed = Placed::default();
    let mut checks: BTreeMap<usize, Check> = BTreeMap::new();
    for (s, copies) in arrivals {
        let at = &outline.statements[s];
        if text.spot(s).is_none() {
            continue;
        }
        let mut said = BTreeMap::new();
        for (copy, arrival) in copies {
            let condition = words.condition(at, &copy, &arrival);
            said.insert(copy, (arrival, condition));
        }
        let known: Vec<_> = said.values().filter_map(|x| x.1.as_ref()).collect();
        let telling = known.iter().filter(|c| c.tells()).count();
        if telling > 0 {
            placed.statements += 1;
            placed.invariants += telling;
            placed.comparisons += known.iter().map(|c| c.comparisons()).sum::<usize>();
            checks.insert(s, Check { line: at.start.line, copies: said });
        }
    }
    placed.left = std::mem::take(&mut words.left);
    (checks, placed)
}

/// Can a compiled program take the proof's runs?
fn possible(options: &Options) -> Result<(), Error> {
    if options.integers == Integers::Ideal || options.data_model == DataModel::Ilp32 {
        return Err(Error::Not(Reason::Integers));
    }
    if options.is_tso() {
        return Err(Error::Not(Reason::Buffers));
    }
    if !options.more_files.is_empty() {
        return Err(Error::Not(Reason::Files));
    }
    Ok(())
}

/// Words for the program's statements.
fn added(
    text: &Text<'_>,
    outline: &Outline,
    file: u32,
    checks: &BTreeMap<usize, Check>,
    options: &Options,
) -> Vec<(Spot, String, String)> {
    let numbers: BTreeMap<usize, usize> = checks.keys().enumerate().map(|(i, s)| (*s, i)).collect();
    let mut out = Vec::new();
    for (s, at) in outline.statements.iter().enumerate().filter(|(_, s)| s.start.file == file) {
        let Some(spot) = text.spot(s) else { continue };
        let mut word = match numbers.get(&s) {
            Some(i) => format!("RELYANT_{i};"),
            None if options.atomicity == Atomicity::Statement => "relyant_step();".into(),
            None => String::new(),
        };
        let mut after = String::new();
        if at.kind == StatementKind::Simple && waits(text, outline, s, spot) {
            word.push_str(" do { relyant_assuming();");
            after.push_str(" } while (relyant_again());");
        }
        if !word.is_empty() {
            out.push((spot, word, after));
        }
    }
    out
}

/// Is a statement an assumption whose condition may be asked again, as it has no effect?
fn waits(text: &Text<'_>, outline: &Outline, s: usize, spot: Spot) -> bool {
    let at = &outline.statements[s];
    let calls: Vec<_> = outline.calls.iter().filter(|c| c.statement == s).collect();
    let [call] = calls[..] else { return false };
    let Spot::Around(from, to) = spot else { return false };
    let whole = at.effect == Effect::Call && call.start == at.start;
    let text = text.part(from, to);
    let pair = |w: &[u8]| matches!(w, b"++" | b"--");
    let assigns = |w: &[u8]| w[1] == b'=' && w[2] != b'=' && !matches!(w[0], b'=' | b'!' | b'<' | b'>');
    whole
        && ASSUMES.contains(&call.name.as_str())
        && text.starts_with(call.name.as_bytes())
        && !text.windows(2).any(pair)
        && !text.windows(3).any(assigns)
}

/// Compiles what is in the folder, and runs it.
///
/// # Errors
/// It does not compile, or not run.
pub fn run(dir: &Path, effort: Effort) -> Result<Runs, Error> {
    let path = dir.join("result.json");
    for old in ["program", "result.json"] {
        let _ = std::fs::remove_file(dir.join(old));
    }
    reproduce::build(dir)?;
    let words = [
        ["--seed".to_string(), effort.seed.to_string()],
        ["--runs".to_string(), effort.runs.to_string()],
        ["--steps".to_string(), effort.steps.to_string()],
    ];
    let words: Vec<&str> = words.iter().flatten().map(String::as_str).collect();
    // A run has ten seconds.
    let limit = Duration::from_secs(60 + 10 * u64::from(effort.runs));
    reproduce::run_within(dir, "./run", &words, limit)?;
    let text = std::fs::read(&path).map_err(|error| Error::File { path: path.clone(), error })?;
    serde_json::from_slice(&text).map_err(|e| Error::File { path, error: e.into() })
}
