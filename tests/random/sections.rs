//! Sections of locks as one step, compared with exhaustive exploration: an error can be reached exactly if some interleaving reaches it, with
//! locks as they should be used and with all that is done wrong with them.
//!
//! `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

use super::judged::{Outcome, STATES, accepted, patiently, program_of, proved, truth};
use rayon::prelude::*;
use relyant_check::check;
use relyant_engines::aret::Settings;
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::Answer;
use relyant_program::linearise::ArrayLimits;
use relyant_program::ordered::{at_once, ordered};
use relyant_program::recognisers::Recognisers;
use relyant_program::thread_program_with;
use relyant_testing::rng::{Rng, cases};
use std::fmt::Write;
use std::time::Duration;

/// A verdict that takes longer counts as unknown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes programs: threads that keep two variables equal in sections under a lock, and now and then do something wrong.
struct Writer {
    rng: Rng,
    text: String,
    /// The lock of the library, or their own.
    lock: &'static str,
    /// Percent of what could go wrong that does.
    faults: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }
    fn wrong(&mut self) -> bool {
        self.rng.percent(self.faults)
    }
    fn value(&mut self) -> &'static str {
        self.rng.pick(&["0", "1", "1 - x", "1 - y", "v", "1 - v"])
    }
    /// Both variables, one after the other.
    fn change(&mut self) {
        let value = self.value();
        match self.rng.below(4) {
            0 => self.line(&format!("if (x == {value}) {{ x = 1 - x; y = 1 - y; }}")),
            1 => self.line(&format!("v = {value}; x = v; y = v;")),
            2 => self.line(&format!("y = {value}; x = y;")),
            _ => self.line("if (v) { x = 0; y = 0; } else { y = 1; x = 1; }"),
        }
        if self.wrong() {
            let what = self.rng.pick(&["x = 1 - y;", "y = v;", "w = 1; x = w;"]);
            self.line(what);
        }
    }
    fn claim(&mut self) {
        let claim = if self.wrong() { self.rng.pick(&["v <= x", "y == 0", "w == 0"]) } else { "x == y" };
        self.line(&format!("__VERIFIER_assert({claim});"));
    }
    /// What is learnt of a lock besides its being free, or done to it.
    fn meddle(&mut self) {
        let lock = self.lock;
        let what = if lock == "m" {
            self.rng.pick(&[
                "if (pthread_mutex_trylock(&m) == 0) { x = y; pthread_mutex_unlock(&m); } else __VERIFIER_assert(x == y);",
                "pthread_mutex_unlock(&m);",
                "if (pthread_mutex_trylock(&m)) w = 1; else pthread_mutex_unlock(&m);",
            ])
        } else {
            self.rng.pick(&[
                "w = l != 0;",
                "if (l) __VERIFIER_assert(x == y);",
                "l = 0;",
                "if (l == 0) x = 1;",
                "l = 4;",
            ])
        };
        self.line(what);
    }
    fn take(&mut self, me: usize) {
        match self.lock {
            "m" => self.line("pthread_mutex_lock(&m);"),
            _ => self.line(&format!(
                "__VERIFIER_atomic_begin(); __VERIFIER_assume(l == 0); l = {me}; __VERIFIER_atomic_end();"
            )),
        }
    }
    fn give(&mut self) {
        self.line(if self.lock == "m" { "pthread_mutex_unlock(&m);" } else { "l = 0;" });
    }
    fn section(&mut self, me: usize) {
        let nested = self.rng.percent(15);
        if nested {
            self.line("pthread_mutex_lock(&n);");
        }
        match (self.wrong(), self.rng.percent(50)) {
            (false, _) => self.take(me),
            (true, true) => {
                self.line("if (v) {");
                self.take(me);
                self.line("}");
            }
            (true, false) => {}
        }
        for _ in 0..1 + self.rng.below(2) {
            match self.rng.below(5) {
                0 => self.line("v = (unsigned char)__VERIFIER_nondet_int() % 2;"),
                1 | 2 => self.claim(),
                _ => self.change(),
            }
            if self.wrong() {
                self.meddle();
            }
        }
        if self.rng.percent(10) {
            self.line("if (v) {");
            self.give();
            self.line("return 0; }");
        }
        if !self.wrong() {
            self.give();
        }
        if nested {
            self.line("pthread_mutex_unlock(&n);");
        }
        if self.wrong() {
            self.meddle();
        }
    }
}

pub fn program(seed: u64) -> String {
    let head = "void abort(void); extern int __VERIFIER_nondet_int(void);\n\
        void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); void __VERIFIER_assume(int);\n\
        typedef unsigned long pthread_t; typedef int pthread_mutex_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n\
        int pthread_join(pthread_t, void **); int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);\n\
        int pthread_mutex_trylock(pthread_mutex_t *);\nvoid __VERIFIER_assert(int);\n";
    let mut w = Writer { rng: Rng::new(seed), text: head.into(), lock: "m", faults: 0 };
    w.lock = w.rng.pick(&["m", "l"]);
    w.faults = w.rng.pick(&[0, 5, 15, 25]);
    w.text.push_str("pthread_mutex_t m, n; int x, y, w, l, e;\n");
    let threads = 2 + usize::from(w.rng.percent(20));
    let same = w.rng.percent(30);
    for t in 1..=(if same { 1 } else { threads }) {
        let _ = writeln!(w.text, "void *t{t}(void *a) {{\n    int v = 0;");
        let flag = w.rng.below(5);
        for k in 0..1 + w.rng.below(2) {
            w.section(t);
            if k == flag {
                w.line("e = 1;");
            }
        }
        w.text.push_str("    return 0;\n}\n");
    }
    w.text.push_str("int main(void) {\n    int v = 0;\n");
    for t in 1..=threads {
        let _ = writeln!(
            w.text,
            "    pthread_t h{t}; pthread_create(&h{t}, 0, t{}, 0);",
            if same { 1 } else { t }
        );
    }
    match w.rng.below(8) {
        // Whoever sees the lock taken tells.
        0 => w.line(if w.lock == "m" {
            "if (pthread_mutex_trylock(&m)) w = 1; else pthread_mutex_unlock(&m); __VERIFIER_assert(w == 0);"
        } else {
            "w = l != 0; __VERIFIER_assert(w == 0);"
        }),
        // Or sets it.
        1 if w.lock == "l" => w.line("l = 5; l = 0;"),
        // Or waits for a flag.
        2 | 3 => w.line("__VERIFIER_assume(e); __VERIFIER_assert(x == y);"),
        _ => {}
    }
    let joined = w.rng.below(4);
    let missing = usize::from(joined == 1 && w.wrong());
    if joined > 0 {
        (1..=threads).skip(missing).for_each(|t| {
            let _ = writeln!(w.text, "    pthread_join(h{t}, 0);");
        });
        if w.rng.percent(50) { w.section(9) } else { w.claim() }
    }
    w.text.push_str("    return 0;\n}\n");
    w.text
}

fn judge(text: &str) -> Outcome {
    let program = program_of(text);
    let violated = match truth(&program, 4 * STATES) {
        Ok(Some(violated)) => violated,
        Ok(None) => return Outcome::TooLarge,
        Err(wrong) => return wrong,
    };
    let threads = match thread_program_with(&program, ArrayLimits::touching(), Recognisers::none()) {
        Ok(threads) => threads,
        Err(e) => return Outcome::Wrong(format!("refused: {e}")),
    };
    let once = at_once(&threads).and_then(|o| ordered(&threads, &o, &mut |_, _, _| None, &|| false));
    let Some(once) = once else { return Outcome::Unknown("no section".into()) };
    let exact = once.templates.iter().flat_map(|t| &t.edges).all(|e| e.exact);
    match patiently(PATIENCE, |watch| rely_guarantee::verify(&once, &Settings::default(), watch).0) {
        Answer::Safe(proof) => match proved(check::check(&once, &proof, &check::Limits::default())) {
            Outcome::Safe if violated => Outcome::Wrong("proved, but a violation exists".into()),
            other => other,
        },
        Answer::Unsafe(_) if !violated && exact => Outcome::Wrong("a run, but no violation exists".into()),
        Answer::Unsafe(c) if violated => accepted(&program, &(once, exact), Answer::Unsafe(c)),
        Answer::Unsafe(_) => Outcome::Unknown("a run of the program without details".into()),
        Answer::Unknown(why) => Outcome::Unknown(why.to_string()),
    }
}

#[test]
fn sections_as_one_step_have_the_errors_of_all_interleavings() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(250)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| judge(&program(*s))).collect();
    for (seed, outcome) in seeds.iter().zip(&outcomes) {
        assert!(!matches!(outcome, Outcome::Wrong(_)), "seed {seed}: {outcome:?}\n{}", program(*seed));
    }
    let count = |o: &Outcome| outcomes.iter().filter(|x| *x == o).count();
    let without = count(&Outcome::Unknown("no section".into()));
    println!(
        "{} proved, {} with a violation, {} too large, {without} without a section",
        count(&Outcome::Safe),
        count(&Outcome::Unsafe),
        count(&Outcome::TooLarge)
    );
    assert!(count(&Outcome::Safe) * 25 > seeds.len() && count(&Outcome::Unsafe) * 50 > seeds.len());
}
