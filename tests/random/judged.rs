//! What exploration and proofs say of small programs: no program with a violation is proved.

use relyant_cfa::options::Options as Meaning;
use relyant_check::check;
use relyant_engines::aret::Settings;
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::Answer;
use relyant_engines::watch::Watch;
use relyant_frontend::instantiate::{instantiate, slice};
use relyant_interp::explore::{Exploration, Options, explore};
use relyant_program::linearise::Limits;
use relyant_program::recognisers::Recognisers;
use relyant_program::thread_program_with;
use std::sync::atomic::{AtomicU64, Ordering};

/// States that exploration may look at.
const STATES: usize = 30_000;
/// Work that a proof may take.
const WORK: u64 = 1_500_000;

/// What came of a program.
pub struct Outcome {
    /// By exploration; `None` where it did not see all.
    pub safe: Option<bool>,
    /// Is there a proof that the checker accepts?
    pub proved: bool,
}

/// Judges the text of a program, of which the first lines declare what headers would.
pub fn judge(text: &str, limits: Limits) -> Outcome {
    let head = "typedef unsigned long pthread_t;\ntypedef struct { int m; } pthread_mutex_t;\n\
        int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
        int pthread_join(pthread_t, void **);\nint pthread_mutex_lock(pthread_mutex_t *);\n\
        int pthread_mutex_unlock(pthread_mutex_t *);\nvoid __VERIFIER_assert(int);\n\
        int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n";
    let meaning = Meaning::default();
    let module = relyant_frontend::c::load_text("random.i", &format!("{head}{text}"), &meaning)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut p = instantiate(&module, &meaning).unwrap_or_else(|e| panic!("{e}\n{text}"));
    slice(&mut p);
    let options = Options { max_states: STATES, ..Options::default() };
    let safe = match explore(&p, &options, &|| false) {
        Ok(Exploration::Violation(_)) => Some(false),
        Ok(Exploration::Exhausted { complete: true, .. }) => Some(true),
        Ok(_) => None,
        Err(e) => panic!("{e}\n{text}"),
    };
    let threads =
        thread_program_with(&p, limits, Recognisers::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
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
    Outcome { safe, proved }
}

/// How many programs are proved, and how many have a violation.
pub fn count(outcomes: &[Outcome]) -> (usize, usize) {
    let wrong = outcomes.iter().filter(|o| o.safe == Some(false)).count();
    (outcomes.iter().filter(|o| o.proved).count(), wrong)
}
