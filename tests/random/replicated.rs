//! Verdicts of the engine for replicated threads on random small thread programs, compared with exhaustive exploration:
//! of the programs as they are, and with any number of threads in place of one, where exploration has up to three.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed. A program on which they disagree is printed, shrunk.

use rayon::prelude::*;
use relyant_cfa::{Count, Expr, Op, Program, Reg};
use relyant_check::check::Limits;
use relyant_check::replicated::check::check;
use relyant_engines::replicated::{Answer, verify};
use relyant_engines::watch::Watch;
use relyant_interp::explore::{Exploration, Options, explore};
use relyant_interp::replay::replay;
use relyant_program::thread_program;
use relyant_program::{Step, schedule};
use relyant_testing::rng::{Rng, cases};
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// States that the explorer may look at.
const STATES: usize = 20_000;
/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    Safe,
    Unsafe,
    /// The explorer has no answer.
    TooLarge,
    /// The engine has none.
    Unknown(String),
    /// They disagree, or evidence is rejected.
    Wrong(String),
}

/// What becomes of the threads that `main` creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Threads {
    AsTheyAre,
    /// Any number of them is there from the start, of all templates or of this one alone.
    FromTheStart(Option<usize>),
    /// `main` creates any number of them in a loop.
    Created(Option<usize>),
}

impl Threads {
    fn of(self) -> Option<usize> {
        match self {
            Threads::AsTheyAre => None,
            Threads::FromTheStart(one) | Threads::Created(one) => one,
        }
    }
    /// Is this template, not that of `main`, one with many threads?
    fn many(self, template: usize) -> bool {
        self != Threads::AsTheyAre && template > 0 && self.of().is_none_or(|one| one + 1 == template)
    }
}

/// The program with this many threads where there are to be many; `None`: any number.
fn with(mut program: Program, threads: Threads, most: Option<u32>) -> Program {
    let many: Vec<bool> = (0..program.templates.len()).map(|t| threads.many(t)).collect();
    for t in (0..many.len()).filter(|t| many[*t]) {
        let template = &mut program.templates[t];
        template.count = most.map_or(Count::Unbounded, Count::AtMost);
        template.initial = matches!(threads, Threads::FromTheStart(_));
    }
    let graph = &mut program.templates[0].graph;
    let mut present: Vec<Reg> = Vec::new();
    for e in 0..graph.edges.len() {
        let edge = graph.edges[e].clone();
        let Op::Create { handle, template: Some(t), .. } = edge.op else { continue };
        if !many[t as usize] {
            continue;
        }
        match (threads, most) {
            (Threads::FromTheStart(_), _) => {
                present.push(handle);
                graph.edges[e].op = Op::Assign(handle, Expr::Const(0));
            }
            (_, None) => graph.add_edge(edge.from, edge.from, edge.op, edge.span),
            (_, Some(most)) => {
                let mut at = edge.from;
                for _ in 1..most {
                    let next = graph.add_location(edge.span);
                    graph.add_edge(at, next, edge.op.clone(), edge.span);
                    graph.add_edge(next, edge.to, edge.op.clone(), edge.span);
                    at = next;
                }
            }
        }
    }
    for edge in &mut graph.edges {
        if matches!(&edge.op, Op::Join { handle: Expr::Reg(h), .. } if present.contains(h)) {
            edge.op = Op::Skip;
        }
    }
    program
}

/// What the engine says, once its evidence is accepted.
fn verdict(program: &Program) -> Outcome {
    let threads = match thread_program(program) {
        Ok(threads) => threads,
        Err(e) => return Outcome::Wrong(format!("refused: {e}")),
    };
    // Which of many threads that were created is joined is not kept, not even by steps before the start.
    let kept = program.templates.iter().all(|t| t.initial || t.count != Count::Unbounded);
    let exact = kept && threads.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact);
    let cancel = AtomicBool::new(false);
    let (done, wait) = mpsc::channel::<()>();
    let answer = std::thread::scope(|scope| {
        let cancel = &cancel;
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                cancel.store(true, Ordering::Relaxed);
            }
        });
        let watch = Watch { cancel: &|| cancel.load(Ordering::Relaxed), ..Watch::NONE };
        let answer = verify(&threads, &watch).0;
        drop(done);
        answer
    });
    match answer {
        Answer::Safe(proof) => match check(&threads, &proof, &Limits::default(), &AtomicBool::new(false)) {
            Ok(_) => Outcome::Safe,
            Err(e) => Outcome::Wrong(format!("the checker rejects the proof: {e}")),
        },
        Answer::Unsafe(c) => {
            let steps: Vec<Step> =
                c.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
            match replay(program, &schedule(&threads, program, &c.start, &steps)) {
                Ok(_) => Outcome::Unsafe,
                // Where the thread program does more than the program, a counterexample may be none.
                Err(e) if exact => Outcome::Wrong(format!("the counterexample does not replay: {e}")),
                Err(e) => Outcome::Unknown(format!("the counterexample does not replay: {e}")),
            }
        }
        Answer::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

/// Is a violation reached? `None`: there are too many states.
fn truth(program: &Program) -> Result<Option<bool>, String> {
    let options = Options { max_states: STATES, ..Options::default() };
    match explore(program, &options, &|| false) {
        Ok(Exploration::Violation(_)) => Ok(Some(true)),
        Ok(Exploration::Exhausted { complete: true, .. }) => Ok(Some(false)),
        Ok(_) => Ok(None),
        Err(e) => Err(format!("malformed: {e}")),
    }
}

fn compare(p: &ThreadProgram, threads: Threads) -> Outcome {
    let program = p.to_program();
    // Two are fewer states, where three are too many.
    let mut violated = None;
    for most in [3, 2] {
        match truth(&with(program.clone(), threads, Some(most))) {
            Ok(found) => violated = found,
            Err(what) => return Outcome::Wrong(what),
        }
        if violated.is_some() || threads == Threads::AsTheyAre {
            break;
        }
    }
    let Some(violated) = violated else { return Outcome::TooLarge };
    match verdict(&with(program, threads, None)) {
        Outcome::Safe if violated => Outcome::Wrong("proved, but a violation exists".into()),
        Outcome::Unsafe if !violated && threads == Threads::AsTheyAre => {
            Outcome::Wrong("refuted, but no violation exists".into())
        }
        other => other,
    }
}

/// How many are safe, unsafe, too large, unknown.
fn run(default: u64, threads: impl Fn(u64) -> Threads + Sync) -> [usize; 4] {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(default)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| compare(&generate(*s), threads(*s))).collect();
    let mut counts = [0; 4];
    for (seed, outcome) in seeds.iter().zip(&outcomes) {
        match outcome {
            Outcome::Safe => counts[0] += 1,
            Outcome::Unsafe => counts[1] += 1,
            Outcome::TooLarge => counts[2] += 1,
            Outcome::Unknown(why) => {
                println!("seed {seed}: unknown: {why}");
                counts[3] += 1;
            }
            Outcome::Wrong(what) => {
                let threads = threads(*seed);
                let wrong = |q: &ThreadProgram| matches!(compare(q, threads), Outcome::Wrong(_));
                let small = shrink(&generate(*seed), &mut |q| wrong(q));
                let why = compare(&small, threads);
                panic!("seed {seed}, {threads:?}: {what}\n{}\n{why:?}", small.to_c());
            }
        }
    }
    println!("safe, unsafe, too large, unknown: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0);
    counts
}

#[test]
fn programs_as_they_are() {
    let counts = run(40, |_| Threads::AsTheyAre);
    assert!(counts[3] * 4 <= counts.iter().sum(), "too many unknown: {counts:?}");
}

#[test]
fn any_number_of_threads_from_the_start() {
    let counts = run(40, |seed| Threads::FromTheStart(one(seed)));
    assert!(counts[3] * 4 <= counts.iter().sum(), "too many unknown: {counts:?}");
}

#[test]
fn any_number_of_threads_created_in_a_loop() {
    let counts = run(40, |seed| Threads::Created(one(seed)));
    assert!(counts[3] * 4 <= counts.iter().sum(), "too many unknown: {counts:?}");
}

/// Which template is to have many threads: all, or the first or second that `main` creates. None if there is no second.
fn one(seed: u64) -> Option<usize> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    if rng.percent(50) { None } else { Some(rng.below(2)) }
}
