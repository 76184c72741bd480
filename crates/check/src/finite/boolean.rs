//! Certificates about Boolean programs (`docs/CERTIFICATE.md`), and their checker's way in.

use super::certificate::{self as coverability, Claim};
use super::{Input, Result, plain, text_of, wrong};
use biodivine_lib_bdd::Bdd;
use data_encoding::HEXLOWER;
use relyant_finite::boolean::bits::Bits;
use relyant_finite::boolean::closed::{self, Listed};
use relyant_finite::boolean::evidence::Proof;
use relyant_finite::boolean::exhausted::{self, States};
use relyant_finite::boolean::flat::{self, Flat};
use relyant_finite::boolean::live::Live;
use relyant_finite::boolean::machine::{Frame, Machine, Successor, Thread};
use relyant_finite::boolean::program::Program;
use relyant_finite::boolean::replay::{self, ConcreteRun};
use relyant_finite::boolean::template::Threads;
use relyant_finite::boolean::tts::{self, Exported};
use relyant_finite::{boolean, evidence};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The `format` of certificates about Boolean programs.
pub const FORMAT: &str = "relyant-boolean";
/// The `version` written and read here.
pub const VERSION: u32 = 1;
/// A program with the bytes of its file.
pub struct Source {
    /// What was read from `bytes`, with these `errors`.
    pub program: Program,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// Labels that must not be reached.
    pub errors: Vec<String>,
}

/// Reads a file; `errors` are labels that must not be reached.
pub fn read(path: &Path, errors: &[String]) -> Result<Source> {
    let bytes =
        relyant_cfa::files::read(path).map_err(|e| plain(path, &format!("cannot be read: {e}"), ""))?;
    let text = String::from_utf8_lossy(&bytes);
    let program = boolean::read(&text, errors).map_err(|e| wrong(path, &text, e))?;
    Ok(Source { program, errors: errors.to_vec(), bytes })
}

/// A Boolean program as a system of threads that must not cover its target. `plainly`: with the transitions only that
/// the text format of thread transition systems has.
pub fn export(path: &Path, errors: &[String], plainly: bool) -> Result<Input> {
    let source = read(path, errors)?;
    let live = Live::new(&source.program);
    let mut threads = Threads::new(Machine::new(&source.program, &live));
    let exported =
        tts::export(&mut threads, plainly, tts::TRANSITIONS, &AtomicBool::new(false)).map_err(|e| {
            let help = "remove recursion, or variables that every thread has";
            plain(path, &format!("no finite system of threads: {e}"), help)
        })?;
    Ok(system(&exported))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    file: String,
    sha256: String,
    errors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_states: Option<Vec<Listed>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    states: Option<StatesDocument>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uncoverable: Option<coverability::Document>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatesDocument {
    threads: Option<u32>,
    shared: Vec<Vec<u32>>,
    locals: Vec<ThreadDocument>,
    states: Vec<(u32, Vec<(u32, u32)>)>,
}

/// Nodes with the locals that are true, locks held, whether inside of an atomic section.
#[derive(Serialize, Deserialize)]
struct ThreadDocument(Vec<(u32, Vec<u32>)>, Vec<u32>, bool);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunDocument {
    start: (Vec<u32>, ThreadDocument),
    steps: Vec<StepDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepDocument {
    thread: usize,
    shared: Vec<u32>,
    after: Option<ThreadDocument>,
    started: Option<ThreadDocument>,
    failed: bool,
}

fn thread_document(t: &Thread) -> ThreadDocument {
    let frames = t.frames.iter().map(|f| (f.node, f.locals.ones().collect())).collect();
    ThreadDocument(frames, t.held.ones().collect(), t.atomic)
}

/// A certificate that was accepted, in terms of its program.
pub enum Shown {
    /// Closed sets of thread states, one for each node of the graph.
    ThreadStates(Flat, Vec<Bdd>),
    /// All states there are.
    States(States),
    /// The program as a system of threads, and why it covers no failure.
    Uncoverable(Box<Input>, evidence::Certificate),
    /// A run that fails.
    Run(ConcreteRun),
}

/// What was accepted.
pub struct Checked {
    /// In words.
    pub what: String,
    /// The program that it is about.
    pub source: Source,
    /// What it shows of it.
    pub shown: Shown,
}

/// What a certificate has in it.
pub enum Evidence<'a> {
    /// No assertion fails, with any number of threads.
    Safe(&'a Proof),
    /// One does, in this run.
    Unsafe(&'a ConcreteRun),
}

/// The certificate about a program, as text.
pub fn certificate(path: &Path, source: &Source, evidence: &Evidence<'_>) -> Option<String> {
    let mut d = Document {
        format: FORMAT.into(),
        version: VERSION,
        file: path.display().to_string(),
        sha256: hash(&source.bytes),
        errors: source.errors.clone(),
        thread_states: None,
        states: None,
        uncoverable: None,
        run: None,
    };
    match evidence {
        Evidence::Safe(Proof::ThreadStates(sets)) => {
            d.thread_states = Some(sets.iter().map(closed::listed).collect())
        }
        Evidence::Safe(Proof::States(s)) => {
            d.states = Some(StatesDocument {
                threads: s.threads,
                shared: s.shared.iter().map(|b| b.ones().collect()).collect(),
                locals: s.locals.iter().map(thread_document).collect(),
                states: s.states.clone(),
            });
        }
        Evidence::Safe(Proof::Uncoverable(exported, c)) => {
            d.uncoverable = Some(coverability::uncoverable(&system(exported), c));
        }
        Evidence::Unsafe(run) => {
            let step = |(t, o): &(usize, Successor)| StepDocument {
                thread: *t,
                shared: o.shared.ones().collect(),
                after: o.thread.as_ref().map(thread_document),
                started: o.spawned.as_ref().map(thread_document),
                failed: o.failed,
            };
            d.run = Some(RunDocument {
                start: (run.start.0.ones().collect(), thread_document(&run.start.1)),
                steps: run.steps.iter().map(step).collect(),
            });
        }
    }
    text_of(&d)
}

fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// The system that a certificate of coverability is about. It is made from the program again, not read from a file.
fn system(e: &Exported) -> Input {
    Input { system: e.system.clone(), target: e.target.clone(), assumes: Vec::new(), sources: Vec::new() }
}

/// Why a certificate is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("not a certificate: {0}")]
    Unreadable(String),
    /// It proves nothing about this program.
    #[error("{0}")]
    Rejected(String),
    /// Stopped, or too large.
    #[error("{0}")]
    Undecided(String),
}

fn rejected(e: impl std::fmt::Display) -> Refusal {
    Refusal::Rejected(e.to_string())
}

struct Reader<'p> {
    program: &'p Program,
}

impl Reader<'_> {
    fn bits(&self, ones: &[u32], size: usize) -> std::result::Result<Bits, Refusal> {
        let mut b = Bits::new(size);
        for i in ones {
            if *i as usize >= size {
                return Err(rejected("a variable that does not exist"));
            }
            b.set(*i, true);
        }
        Ok(b)
    }
    fn shared(&self, ones: &[u32]) -> std::result::Result<Bits, Refusal> {
        self.bits(ones, self.program.globals.len() + self.program.locks.len() + 1)
    }
    fn thread(&self, d: &ThreadDocument) -> std::result::Result<Thread, Refusal> {
        let mut frames = Vec::new();
        for (node, locals) in &d.0 {
            let found = self
                .program
                .nodes
                .get(*node as usize)
                .ok_or_else(|| rejected("a node that does not exist"))?;
            let size = self.program.proc(found.proc).locals.len();
            frames.push(Frame { node: *node, locals: self.bits(locals, size)? });
        }
        if frames.is_empty() {
            return Err(rejected("a thread without a place"));
        }
        Ok(Thread { frames, held: self.bits(&d.1, self.program.locks.len())?, atomic: d.2 })
    }
    fn outcome(&self, d: &StepDocument) -> std::result::Result<Successor, Refusal> {
        Ok(Successor {
            shared: self.shared(&d.shared)?,
            thread: d.after.as_ref().map(|t| self.thread(t)).transpose()?,
            spawned: d.started.as_ref().map(|t| self.thread(t)).transpose()?,
            failed: d.failed,
        })
    }
}

/// Checks a certificate against its program, without the engines.
///
/// # Errors
/// The program cannot be read. Inside: the certificate does not show what it claims.
pub fn check(text: &str, path: &Path, cancel: &AtomicBool) -> Result<std::result::Result<Checked, Refusal>> {
    let d: Document = match serde_json::from_str(text) {
        Ok(d) => d,
        Err(e) => return Ok(Err(Refusal::Unreadable(e.to_string()))),
    };
    if d.format != FORMAT || d.version != VERSION {
        let known = format!("this program reads `{FORMAT}` version {VERSION}");
        return Ok(Err(Refusal::Unreadable(format!("`{}` version {}; {known}", d.format, d.version))));
    }
    let source = read(path, &d.errors)?;
    Ok(judge(d, &source, cancel).map(|(what, shown)| Checked { what, source, shown }))
}

fn judge(d: Document, source: &Source, cancel: &AtomicBool) -> std::result::Result<(String, Shown), Refusal> {
    if d.sha256 != hash(&source.bytes) {
        return Err(rejected("the certificate is about another file"));
    }
    let p = &source.program;
    let reader = Reader { program: p };
    let live = Live::new(p);
    let machine = Machine::new(p, &live);
    match (d.thread_states, d.states, d.uncoverable, d.run) {
        (Some(listed), None, None, None) => {
            let flat = flat::graph(p);
            let sets = closed::sets(&flat, &listed).map_err(rejected)?;
            match closed::check(&flat, &sets, cancel) {
                Ok(n) => {
                    let nodes = sets.len();
                    let what = format!(
                        "closed sets of thread states for {nodes} nodes, any number of threads, {n} conditions hold"
                    );
                    Ok((what, Shown::ThreadStates(flat, sets)))
                }
                Err(e @ closed::Rejection::Cancelled) => Err(Refusal::Undecided(e.to_string())),
                Err(e) => Err(rejected(e)),
            }
        }
        (None, Some(s), None, None) => {
            let shared: std::result::Result<_, Refusal> = s.shared.iter().map(|b| reader.shared(b)).collect();
            let locals: std::result::Result<_, Refusal> = s.locals.iter().map(|t| reader.thread(t)).collect();
            let states = States { threads: s.threads, shared: shared?, locals: locals?, states: s.states };
            match exhausted::check(&machine, &states, cancel) {
                Ok(n) => {
                    let bound =
                        states.threads.map_or(String::new(), |n| format!(" with at most {n} threads"));
                    let what = format!("{} states{bound}, closed under {n} steps", states.states.len());
                    Ok((what, Shown::States(states)))
                }
                Err(e @ (exhausted::Rejection::Cancelled | exhausted::Rejection::Many(_))) => {
                    Err(Refusal::Undecided(e.to_string()))
                }
                Err(e) => Err(rejected(e)),
            }
        }
        (None, None, Some(document), None) => {
            let mut threads = Threads::new(machine);
            let exported = tts::export(&mut threads, false, tts::TRANSITIONS, cancel)
                .map_err(|e| Refusal::Undecided(e.to_string()))?;
            let input = system(&exported);
            match coverability::read(document, &input).map_err(rejected)? {
                Claim::Uncoverable(c) => match evidence::check(&input.system, &input.target, &c, cancel) {
                    Ok(r) => {
                        let what = format!(
                            "{} elements, {} predecessors of which are in the set",
                            r.elements, r.predecessors
                        );
                        Ok((what, Shown::Uncoverable(Box::new(input), c)))
                    }
                    Err(e @ (evidence::Rejection::Cancelled | evidence::Rejection::TooMany(_))) => {
                        Err(Refusal::Undecided(e.to_string()))
                    }
                    Err(e) => Err(rejected(e)),
                },
                Claim::Coverable(_) => Err(rejected("a run where a proof was expected")),
            }
        }
        (None, None, None, Some(r)) => {
            let mut run = ConcreteRun {
                start: (reader.shared(&r.start.0)?, reader.thread(&r.start.1)?),
                steps: Vec::new(),
            };
            for s in &r.steps {
                run.steps.push((s.thread, reader.outcome(s)?));
            }
            match replay::replay(&machine, &run) {
                Ok(n) => {
                    let what = format!("a run of {} steps with {n} threads that fails", run.steps.len());
                    Ok((what, Shown::Run(run)))
                }
                Err(e) => Err(rejected(e)),
            }
        }
        _ => Err(rejected(
            "the certificate has to have one of `thread_states`, `states`, `uncoverable`, `run`",
        )),
    }
}
