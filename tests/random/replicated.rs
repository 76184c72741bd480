//! Verdicts of the engine for replicated threads on random small thread programs, compared with exhaustive exploration:
//! of the programs as they are, and with any number of threads in place of one, where exploration has up to three.

use super::judged::{Outcome, agreed, judge_all, patiently, proved, refuted, threads_of, truth};
use relyant_cfa::{Count, Expr, Op, Program, Reg};
use relyant_check::check::Limits;
use relyant_check::replicated::check::check;
use relyant_engines::replicated::{Answer, verify};
use relyant_testing::rng::Rng;
use relyant_testing::threads::ThreadProgram;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// States that the explorer may look at.
const STATES: usize = 20_000;
/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(3);
/// Of a hundred programs.
const UNKNOWN: usize = 25;

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
    let (threads, exact) = match threads_of(program) {
        Ok(threads) => threads,
        Err(wrong) => return wrong,
    };
    // Which of many threads that were created is joined is not kept, not even by steps before the start.
    let kept = program.templates.iter().all(|t| t.initial || t.count != Count::Unbounded);
    let threads = (threads, exact && kept);
    match patiently(PATIENCE, |watch| verify(&threads.0, watch).0) {
        Answer::Safe(proof) => proved(check(&threads.0, &proof, &Limits::default(), &AtomicBool::new(false))),
        Answer::Unsafe(c) => refuted(program, &threads, c),
        Answer::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

fn compare(p: &ThreadProgram, threads: Threads) -> Outcome {
    let program = p.to_program();
    // Two are fewer states, where three are too many.
    let mut violated = None;
    for most in [3, 2] {
        match truth(&with(program.clone(), threads, Some(most)), STATES) {
            Ok(found) => violated = found,
            Err(wrong) => return wrong,
        }
        if violated.is_some() || threads == Threads::AsTheyAre {
            break;
        }
    }
    let Some(violated) = violated else { return Outcome::TooLarge };
    match verdict(&with(program, threads, None)) {
        // More threads than were explored may violate what these do not.
        Outcome::Unsafe if threads != Threads::AsTheyAre => Outcome::Unsafe,
        other => agreed(other, violated),
    }
}

#[test]
fn programs_as_they_are() {
    judge_all(40, UNKNOWN, |_, p| compare(p, Threads::AsTheyAre));
}

#[test]
fn any_number_of_threads_from_the_start() {
    judge_all(40, UNKNOWN, |seed, p| compare(p, Threads::FromTheStart(one(seed))));
}

#[test]
fn any_number_of_threads_created_in_a_loop() {
    judge_all(40, UNKNOWN, |seed, p| compare(p, Threads::Created(one(seed))));
}

/// Which template is to have many threads: all, or the first or second that `main` creates. None if there is no second.
fn one(seed: u64) -> Option<usize> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    if rng.percent(50) { None } else { Some(rng.below(2)) }
}
