//! Lanes of engines that only say what they are told to, and limits of checks.

use super::certify::Certificate;
use super::evidence::Checker;
use super::lanes::take_turns;
use super::{Evidence, Method, Programs, Provable, Settings, Unknown, Verdict, verify_file};
use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_cfa::schedule::Schedule;
use relyant_check::certificate::AnyCertificate;
use relyant_check::check;
use relyant_checker::source;
use relyant_engines::engine::{Claim, Engine, Finding, Needs, Task};
use relyant_engines::limits::RunHandle;
use relyant_engines::race::race;
use relyant_engines::registry::{self, Entry};
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::{Answer, Reason};
use relyant_engines::watch::Watch;
use relyant_program::recognisers::Recogniser;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Works until it is stopped, or this work is done; then it gives up, or claims what is none.
struct Toy {
    name: &'static str,
    work: u64,
    claims: bool,
    log: &'static Mutex<Vec<&'static str>>,
}

impl Engine for Toy {
    fn name(&self) -> &'static str {
        self.name
    }
    fn needs(&self) -> Needs {
        Needs::Search
    }
    fn run(&self, _: &Task<'_>, watch: &Watch<'_>) -> Finding {
        self.log.lock().unwrap().push(self.name);
        for _ in 0..self.work {
            (watch.work)(1);
            if watch.cancelled() {
                return Finding::nothing(Reason::Stopped);
            }
        }
        let mut finding = Finding::nothing(Reason::Bound(self.name.into()));
        if self.claims {
            finding.claim = Ok(Claim::Schedule { schedule: Schedule::default(), shortest: false });
        }
        finding
    }
}

/// Who was asked, and what is said in the end.
fn turns(toys: &[(&'static str, u64, &'static [u64], bool, bool)]) -> (Vec<&'static str>, String) {
    let log: &'static Mutex<Vec<&'static str>> = Box::leak(Box::default());
    let entry = |&(name, work, turns, fallback, claims): &_| Entry {
        engine: Box::new(Toy { name, work, claims, log }),
        lane: 0,
        turns,
        fallback,
    };
    let entries: Vec<Entry> = toys.iter().map(entry).collect();
    let (search, run, limits) = (Program::default(), RunHandle::new(None), check::Limits::default());
    let task = Task { search: &search, threads: None, predicates: &[] };
    let checker = Checker { search: &search, proof: None, limits: &limits, jobs: 1, run: &run };
    let outcome = race(
        u64::MAX,
        &|| false,
        vec![Box::new(|lane| take_turns(&entries, &task, &checker, &run, lane).in_race(lane))],
    );
    assert_eq!(outcome.winner, None);
    let found = outcome.answers.into_iter().flatten().next().unwrap();
    assert!(found.verdict.is_none());
    let said = log.lock().unwrap().clone();
    (said, found.reason.map(|r| r.to_string()).unwrap_or_default())
}

#[test]
fn who_has_given_up_has_no_more_turns() {
    const ALL: u64 = u64::MAX;
    let (asked, why) = turns(&[("a", 100, &[10, ALL], false, false), ("b", 5, &[10, ALL], false, false)]);
    assert_eq!(asked, ["a", "b", "a"]);
    assert_eq!(why, "no error but where b; no error but where a");
}

#[test]
fn a_lane_of_ones_own_has_no_turns() {
    let (asked, why) = turns(&[("a", 100, &[10, u64::MAX], true, false)]);
    assert_eq!((asked, why.as_str()), (vec!["a"], "no error but where a"));
}

#[test]
fn what_a_fallback_lacks_is_no_news() {
    let two = [("a", 1, &[u64::MAX][..], false, false), ("b", 1, &[u64::MAX], true, false)];
    assert_eq!(turns(&two), (vec!["a", "b"], "no error but where a".into()));
}

#[test]
fn a_claim_that_is_rejected_is_none() {
    let two = [("a", 1, &[u64::MAX][..], false, true), ("b", 1, &[u64::MAX], false, false)];
    let (asked, why) = turns(&two);
    assert_eq!(asked, ["a", "b"]);
    assert!(why.starts_with("the counterexample does not replay"), "{why}");
}

#[test]
fn engines_have_names_of_their_own() {
    let all = registry::all(&registry::Settings::default());
    let names: BTreeSet<&str> = all.iter().map(|e| e.engine.name()).collect();
    assert_eq!(names.len(), all.len());
    for method in [Method::SEARCH, Method::SYMBOLIC, Method::PROVE, Method::COVERABILITY] {
        assert!(matches!(method, Method::Only(name) if names.contains(name)), "{method:?}");
    }
    assert!(all.iter().all(|e| e.turns.last() == Some(&u64::MAX)));
}

#[test]
fn each_word_asks_for_one_engine() {
    let choices = registry::choices();
    let words: BTreeSet<&str> = choices.iter().map(|(c, _)| c.word).collect();
    assert_eq!(words.len(), choices.len());
    let all = registry::all(&registry::Settings::default());
    // These are ways of the search.
    let silent: Vec<&str> =
        all.iter().filter(|e| e.engine.choices().is_empty()).map(|e| e.engine.name()).collect();
    assert_eq!(silent, ["random runs", "few threads"]);
    for e in all.iter().filter(|e| !e.engine.choices().is_empty()) {
        assert!(choices.iter().any(|(_, engine)| *engine == e.engine.name()), "{}", e.engine.name());
    }
}

#[test]
fn limits_of_checks_reach_the_checker() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.i");
    let text =
        "void reach_error(void); int main(void) { int i = 0; while (i < 3) i++; if (i != 3) reach_error(); }";
    std::fs::write(&file, text).unwrap();
    for method in [Method::SYMBOLIC, Method::PROVE] {
        for total in [Duration::ZERO, Duration::from_secs(600)] {
            let check = check::Limits { total, ..check::Limits::default() };
            let settings = Settings { method, quick_states: 0, check, ..Settings::default() };
            let report = verify_file(&file, &settings, &RunHandle::new(None)).unwrap();
            match report.verdict {
                Verdict::Safe(_) => assert!(!total.is_zero(), "{method:?}"),
                Verdict::Unknown(Unknown::All(why)) => {
                    assert!(total.is_zero(), "{method:?}: {why:?}");
                    assert!(why.iter().any(|w| w.to_string().contains("time limit")), "{method:?}: {why:?}");
                }
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
}

/// Any number of threads and a lock that does not say who has it.
const OWNED: &str = "void reach_error(void); int __VERIFIER_nondet_int(void);
    void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); void __VERIFIER_assume(int);
    typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int m, x;
    void *work(void *p) {
      __VERIFIER_atomic_begin(); __VERIFIER_assume(m == 0); m = 1; __VERIFIER_atomic_end();
      x = 1; if (x != 1) reach_error(); x = 0; m = 0; return 0; }
    int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, work, 0); return 0; }";

#[test]
fn ghosts_that_are_not_proved_give_no_verdict() {
    let meaning = Options::default();
    let module = relyant_frontend::c::load_text("a.i", OWNED, &meaning).unwrap();
    let programs = Programs::of(&module, &meaning).unwrap();
    let mut provable = programs.proof.unwrap();
    let watch = Watch { cancel: &|| false, work: &|_| (), progress: &|_| () };
    let settings = relyant_engines::aret::Settings::default();
    let Answer::Safe(proof) = rely_guarantee::verify(&provable.threads, &settings, &watch).0 else {
        panic!("no proof");
    };
    let (run, limits) = (RunHandle::new(None), check::Limits::default());
    let verdict = |provable: &Provable| {
        let checker =
            Checker { search: &programs.search, proof: Some(provable), limits: &limits, jobs: 1, run: &run };
        checker.check(Claim::Proof(proof.clone()))
    };
    assert!(matches!(verdict(&provable), Ok(Verdict::Safe(_))));
    let stage = Arc::make_mut(&mut provable.threads.extensions[0]);
    stage.extension.ghosts[0].variable.max = Some(0);
    match verdict(&provable) {
        Err(Unknown::Proof(why)) => {
            let why = why.to_string();
            assert!(why.starts_with("ghosts: `owner(m)`, thread `work`, step a.i:7:"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_ghosts_that_are_not_proved_there_may_be_a_verdict() {
    let meaning = Options::default();
    // The owner is found here as well, and nobody needs it.
    let steps = "__VERIFIER_atomic_begin(); x = __VERIFIER_nondet_int(); y = x; __VERIFIER_atomic_end();
      __VERIFIER_atomic_begin(); if (x != y) reach_error(); __VERIFIER_atomic_end(); m = 0;";
    let text = OWNED
        .replace("x = 1; if (x != 1) reach_error(); x = 0; m = 0;", steps)
        .replace("int m, x;", "int m, x, y;");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.i");
    std::fs::write(&file, &text).unwrap();
    let settings = Settings { method: Method::PROVE, quick_states: 0, ..Settings::default() };
    let run = RunHandle::new(None);
    let mut report = verify_file(&file, &settings, &run).unwrap();
    let Verdict::Safe(Evidence::Proof { program, .. }) = &report.verdict else {
        panic!("{:?}", report.verdict)
    };
    assert!(program.extensions.iter().any(|s| s.extension.by == Recogniser::Owners));
    let mut programs = Programs::read(&*file, &meaning).unwrap();
    let threads = &mut programs.proof.as_mut().unwrap().threads;
    Arc::make_mut(&mut threads.extensions[0]).extension.ghosts[0].variable.max = Some(0);
    super::decide(&programs, &settings, &run, None, &mut report);
    let Verdict::Unknown(why) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(why.unproved(), Some(Recogniser::Owners));
    super::without_unproved(programs, &settings, &run, &mut report);
    let Verdict::Safe(Evidence::Proof { program, .. }) = &report.verdict else {
        panic!("{:?}", report.verdict)
    };
    assert!(program.extensions.is_empty());
    // A checker that reads the source anew leaves them out as well.
    let certificate = Certificate::of(&report, &*file, &meaning).unwrap().unwrap();
    let mut written = Vec::new();
    certificate.write(&mut written, &|| std::time::Duration::MAX).unwrap();
    let read = AnyCertificate::parse(std::str::from_utf8(&written).unwrap()).unwrap();
    assert_eq!(read.finders(), []);
    let claim = source::Claim::about(read, &*file, &Preprocessing::default()).unwrap();
    assert!(claim.read().unwrap().check(None).is_ok());
}
