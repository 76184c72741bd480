//! What exploration and engines say of small programs: no program with a violation is proved, none without one is refuted.

use rayon::prelude::*;
use relyant_cfa::options::Options as Meaning;
use relyant_cfa::{Module, Program};
use relyant_check::check;
use relyant_engines::aret::Settings;
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::{Answer, Counterexample};
use relyant_engines::watch::Watch;
use relyant_frontend::instantiate::{for_search, instantiate, instantiate_chosen, slice};
use relyant_interp::explore::{Exploration, ExploreOptions, explore};
use relyant_interp::replay::replay;
use relyant_program::linearise::ArrayLimits;
use relyant_program::recognisers::Recognisers;
use relyant_program::{Program as Threads, Step, schedule, thread_program, thread_program_with};
use relyant_testing::rng::cases;
use relyant_testing::shrink::shrink;
use relyant_testing::threads::{ThreadProgram, generate};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// States that exploration may look at.
pub const STATES: usize = 30_000;
/// Work that a proof may take.
const WORK: u64 = 1_500_000;

/// What an engine says of a program, beside exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Safe,
    Unsafe,
    /// The explorer has no answer.
    TooLarge,
    /// The engine has none.
    Unknown(String),
    /// They disagree, or evidence is rejected.
    Wrong(String),
}

/// Can a violation be reached? `None`: there are more states than these.
///
/// # Errors
/// The program is malformed.
pub fn truth(program: &Program, states: usize) -> Result<Option<bool>, Outcome> {
    let options = ExploreOptions { max_states: states, ..ExploreOptions::default() };
    match explore(program, &options, &|| false) {
        Ok(Exploration::Violation(_)) => Ok(Some(true)),
        Ok(Exploration::Exhausted { complete: true, .. }) => Ok(Some(false)),
        Ok(_) => Ok(None),
        Err(e) => Err(Outcome::Wrong(format!("malformed: {e}"))),
    }
}

/// The thread program of a program, and whether it does no more than that.
///
/// # Errors
/// It is refused.
pub fn threads_of(program: &Program) -> Result<(Threads, bool), Outcome> {
    let threads = thread_program(program).map_err(|e| Outcome::Wrong(format!("refused: {e}")))?;
    let exact = threads.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact);
    Ok((threads, exact))
}

/// *Safe* where the checker accepts the proof.
pub fn proved<T, E: std::fmt::Display>(checked: Result<T, E>) -> Outcome {
    match checked {
        Ok(_) => Outcome::Safe,
        Err(e) => Outcome::Wrong(format!("the checker rejects the proof: {e}")),
    }
}

/// *Unsafe* where the counterexample replays. Of a thread program that does more than the program it need not.
pub fn refuted(program: &Program, (threads, exact): &(Threads, bool), c: Counterexample) -> Outcome {
    let steps: Vec<Step> = c.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
    match replay(program, &schedule(threads, program, &c.start, &steps)) {
        Ok(_) => Outcome::Unsafe,
        Err(e) if *exact => Outcome::Wrong(format!("the counterexample does not replay: {e}")),
        Err(e) => Outcome::Unknown(format!("the counterexample does not replay: {e}")),
    }
}

/// What an engine says of a thread program, once its evidence is accepted.
pub fn accepted(program: &Program, threads: &(Threads, bool), answer: Answer) -> Outcome {
    match answer {
        Answer::Safe(proof) => proved(check::check(&threads.0, &proof, &check::Limits::default())),
        Answer::Unsafe(c) => refuted(program, threads, c),
        Answer::Unknown(reason) => Outcome::Unknown(reason.to_string()),
    }
}

/// Asks an engine that is stopped after this time.
pub fn patiently<T>(patience: Duration, ask: impl FnOnce(&Watch<'_>) -> T) -> T {
    let cancel = AtomicBool::new(false);
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let cancel = &cancel;
        scope.spawn(move || {
            if wait.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
                cancel.store(true, Ordering::Relaxed);
            }
        });
        let answer = ask(&Watch { cancel: &|| cancel.load(Ordering::Relaxed), ..Watch::NONE });
        drop(done);
        answer
    })
}

/// Compares what an engine says with the truth.
pub fn compare(p: &ThreadProgram, verdict: impl Fn(&Program) -> Outcome) -> Outcome {
    let program = p.to_program();
    match truth(&program, STATES) {
        Ok(Some(violated)) => agreed(verdict(&program), violated),
        Ok(None) => Outcome::TooLarge,
        Err(wrong) => wrong,
    }
}

/// What an engine says, unless it is not so.
pub fn agreed(outcome: Outcome, violated: bool) -> Outcome {
    match outcome {
        Outcome::Safe if violated => Outcome::Wrong("proved, but a violation exists".into()),
        Outcome::Unsafe if !violated => Outcome::Wrong("refuted, but no violation exists".into()),
        other => other,
    }
}

/// Judges random programs: how many are safe, unsafe, too large, unknown. At most so many of a hundred may be unknown.
/// `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed. What is wrong is printed, shrunk.
pub fn judge_all(default: u64, most_unknown: usize, judge: impl Fn(u64, &ThreadProgram) -> Outcome + Sync) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(default)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| judge(*s, &generate(*s))).collect();
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
                let wrong = |q: &ThreadProgram| matches!(judge(*seed, q), Outcome::Wrong(_));
                let small = shrink(&generate(*seed), &mut |q| wrong(q));
                panic!("seed {seed}: {what}\n{}\n{:?}", small.to_c(), judge(*seed, &small));
            }
        }
    }
    println!("safe, unsafe, too large, unknown: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0);
    assert!(counts[3] * 100 <= most_unknown * seeds.len(), "too many unknown: {counts:?}");
}

/// What came of a program that is only proved.
pub struct Judged {
    /// By exploration; `None` where it did not see all.
    pub safe: Option<bool>,
    /// Is there a proof that the checker accepts?
    pub proved: bool,
}

/// What headers would declare.
const HEAD: &str = "typedef unsigned long pthread_t;\ntypedef struct { int m; } pthread_mutex_t;\n\
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
    int pthread_join(pthread_t, void **);\nint pthread_mutex_lock(pthread_mutex_t *);\n\
    int pthread_mutex_unlock(pthread_mutex_t *);\nvoid __VERIFIER_assert(int);\n\
    void *malloc(unsigned long);\nvoid *calloc(unsigned long, unsigned long);\nvoid free(void *);\n\
    int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n";

/// Judges the text of a program, of which the first lines declare what headers would.
pub fn judge(text: &str, limits: ArrayLimits) -> Judged {
    let meaning = Meaning::default();
    let module = load(text, &meaning);
    let mut p = instantiate(&module, &meaning).unwrap_or_else(|e| panic!("{e}\n{text}"));
    slice(&mut p);
    prove(explored(&p, text), &p, limits, text)
}

/// The program of a text.
pub fn program_of(text: &str) -> Program {
    let meaning = Meaning::default();
    let mut p = instantiate(&load(text, &meaning), &meaning).unwrap_or_else(|e| panic!("{e}\n{text}"));
    slice(&mut p);
    p
}

/// The same of the program with chosen threads; none where there is no such program.
pub fn judge_chosen(text: &str, meaning: &Meaning, limits: ArrayLimits) -> Option<Judged> {
    let module = load(text, meaning);
    // Too large a program is none.
    let mut chosen = instantiate_chosen(&module, meaning).ok()??;
    slice(&mut chosen);
    let search = for_search(&module, meaning).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Some(prove(explored(&search, text), &chosen, limits, text))
}

fn load(text: &str, meaning: &Meaning) -> Module {
    relyant_frontend::c::load_text("random.i", &format!("{HEAD}{text}"), meaning)
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Is it safe? `None` where exploration did not see all.
fn explored(p: &Program, text: &str) -> Option<bool> {
    truth(p, STATES).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}")).map(|violated| !violated)
}

fn prove(safe: Option<bool>, p: &Program, limits: ArrayLimits, text: &str) -> Judged {
    let threads =
        thread_program_with(p, limits, Recognisers::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let ghosts = relyant_check::ghosts::check(&threads, &check::Limits::default());
    ghosts.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let done = AtomicU64::new(0);
    let watch = Watch {
        cancel: &|| done.load(Ordering::Relaxed) > WORK,
        work: &|more| {
            done.fetch_add(more, Ordering::Relaxed);
        },
        progress: &|_| (),
    };
    let proved = match rely_guarantee::verify(&threads, &Settings::default(), &watch).0 {
        Answer::Safe(proof) => {
            check::check(&threads, &proof, &check::Limits::default()).expect("the checker accepts the proof");
            true
        }
        _ => false,
    };
    assert!(!(proved && safe == Some(false)), "proved, but a violation exists\n{text}");
    Judged { safe, proved }
}

/// How many programs are proved, and how many have a violation.
pub fn count(outcomes: &[Judged]) -> (usize, usize) {
    let wrong = outcomes.iter().filter(|o| o.safe == Some(false)).count();
    (outcomes.iter().filter(|o| o.proved).count(), wrong)
}
