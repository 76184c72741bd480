//! Orders in which threads wait, compared with exhaustive exploration: where no limit of the program with guards is reached, there is no
//! deadlock.
//!
//! `RELYANT_CASES` sets how many programs, `RELYANT_SEED` the first seed.

use super::judged::{Outcome, truth};
use rayon::prelude::*;
use relyant_cfa::options::Options;
use relyant_engines::search::{SearchOutcome, Settings, search};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::programs::{for_proof, inlined};
use relyant_testing::rng::{Rng, cases};
use std::fmt::Write;

/// States that exploration may look at.
const STATES: usize = 60_000;

const HEAD: &str = "extern _Bool __VERIFIER_nondet_bool(void); void __VERIFIER_assume(int);\n\
    void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n\
    typedef unsigned long pthread_t; typedef int pthread_mutex_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n\
    pthread_t pthread_self(void); void pthread_exit(void *);\n\
    int pthread_join(pthread_t, void **); int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);\n\
    int pthread_mutex_trylock(pthread_mutex_t *); int pthread_mutex_init(pthread_mutex_t *, void *);\n\
    pthread_mutex_t l[3]; struct { int n; pthread_mutex_t m; } s[2]; int x; pthread_t h[3];\n";

/// Writes threads that take locks, mostly in an order, and do now and then what they should not.
struct Writer {
    rng: Rng,
    text: String,
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
    /// A lock, by itself or through a pointer or an index that is not known.
    fn lock(&mut self, k: usize) -> String {
        match self.rng.below(12) {
            0 => format!("p{}", if self.wrong() { 1 - k.min(1) } else { k.min(1) }),
            1 => "&l[v]".into(),
            _ => format!("&l[{k}]"),
        }
    }
    fn condition(&mut self) -> &'static str {
        self.rng.pick(&["v", "x", "!v", "v && x", "q"])
    }
    /// Takes a lock, does something and gives it back, or forgets that.
    fn section(&mut self, from: usize, depth: usize) {
        let k = if self.wrong() { self.rng.below(3) } else { from + self.rng.below(3 - from) };
        let lock = self.lock(k);
        let on = (self.rng.percent(15)).then(|| self.condition());
        let on = on.map_or(String::new(), |c| format!("if ({c}) "));
        let tried = self.rng.percent(15);
        if tried {
            self.line(&format!("if (pthread_mutex_trylock({lock}) == 0) {{"));
        } else {
            self.line(&format!("{on}pthread_mutex_lock({lock});"));
        }
        self.middle(k, depth);
        if self.wrong() {
            let how = self.rng.pick(&[
                "if (x) return 0;",
                "pthread_exit(0);",
                "__VERIFIER_assume(v);",
                "while (x);",
            ]);
            self.line(how);
        }
        let given = if self.wrong() { self.lock(k) } else { lock };
        if !self.wrong() {
            self.line(&format!("{}pthread_mutex_unlock({given});", if tried { "" } else { &on }));
        }
        if tried {
            self.line("}");
        }
    }
    /// Takes two locks of an array in the order of their indices, or not.
    fn pair(&mut self) {
        let order = if self.wrong() { "1" } else { "w != v" };
        let (low, high) = if self.wrong() { ("v", "w") } else { ("w < v ? w : v", "w < v ? v : w") };
        let member = self.rng.pick(&["l[lo]", "s[lo].m"]);
        let other = member.replace("lo", "hi");
        self.line("w = __VERIFIER_nondet_bool();");
        self.line(&format!("if ({order}) {{ int lo = {low}, hi = {high};"));
        self.line(&format!("pthread_mutex_lock(&{member});"));
        let second = if self.wrong() { member.to_string() } else { other };
        if self.rng.percent(20) {
            self.line(&format!(
                "if (pthread_mutex_trylock(&{second}) == 0) {{ x = lo; pthread_mutex_unlock(&{second}); }}"
            ));
        } else {
            self.line(&format!(
                "pthread_mutex_lock(&{second}); s[lo].n = hi; pthread_mutex_unlock(&{second});"
            ));
        }
        let given = if self.wrong() { second } else { member.to_string() };
        self.line(&format!("pthread_mutex_unlock(&{given}); }}"));
    }
    fn middle(&mut self, k: usize, depth: usize) {
        match self.rng.below(6) {
            0 => self.line("x = 1 - x;"),
            1 => self.line("v = __VERIFIER_nondet_bool();"),
            2 if k == 2 || self.wrong() => {
                let what = self.rng.pick(&[
                    "pthread_mutex_init(&l[0], 0);",
                    "pthread_mutex_init(&l[1], 0);",
                    "h[1] = h[0];",
                    "pthread_mutex_init(&l[v], 0);",
                ]);
                if self.wrong() {
                    self.line(what);
                }
            }
            _ if depth < 2 && k < 2 => {
                let next = k + usize::from(!self.wrong());
                self.section(next, depth + 1);
            }
            _ => {}
        }
    }
    fn join(&mut self, whom: usize) {
        self.line(&format!("pthread_join(h[{whom}], 0);"));
    }
}

fn program(seed: u64) -> String {
    let mut w = Writer { rng: Rng::new(seed), text: HEAD.into(), faults: 0 };
    w.faults = w.rng.pick(&[0, 5, 15, 30]);
    let threads = 2 + usize::from(w.rng.percent(15));
    let locals = "    int v = 0, w = 0, q = __VERIFIER_nondet_bool(); pthread_mutex_t *p0 = q ? &l[0] : &l[1], *p1 = q ? &l[1] : &l[2];\n";
    // The last one first: who is created by another one comes before it in the text.
    for t in (1..=threads).rev() {
        let _ = writeln!(w.text, "void *t{t}(void *a) {{\n{locals}");
        let creates = t < threads && t == 1 && w.rng.percent(15);
        if creates {
            w.line("pthread_create(&h[2], 0, t2, 0);");
        }
        for _ in 0..1 + w.rng.below(2) {
            if w.rng.percent(30) { w.pair() } else { w.section(0, 0) }
        }
        if creates {
            w.join(2);
        } else if w.wrong() {
            let whom = w.rng.below(3);
            w.join(whom);
        }
        if w.rng.percent(5) {
            w.line("h[0] = pthread_self();");
        }
        w.text.push_str("    return 0;\n}\n");
    }
    let _ = writeln!(w.text, "int main(void) {{\n{locals}");
    for t in 1..=threads {
        w.line(&format!("pthread_create(&h[{}], 0, t{t}, 0);", t - 1));
    }
    let early = w.wrong();
    if early {
        w.line("pthread_mutex_lock(&l[0]);");
    }
    if w.rng.percent(70) {
        (0..threads).for_each(|t| w.join(t));
    }
    if early {
        w.line("pthread_mutex_unlock(&l[0]);");
    }
    if w.rng.percent(30) {
        w.section(0, 0);
    }
    let end = w.rng.pick(&["return 0;", "pthread_exit(0);"]);
    w.line(end);
    w.text.push_str("}\n");
    w.text
}

fn judge(text: &str) -> Outcome {
    let options = Options { deadlock: true, ..Options::default() };
    let made = c::load_text("random.i", text, &options)
        .and_then(|m| Ok((inlined(&m, &options)?, for_proof(&m, &options)?)));
    let (plain, ordered) = match made {
        Ok(both) => both,
        Err(e) => return Outcome::Wrong(format!("refused: {e}")),
    };
    let violated = match truth(&plain, STATES) {
        Ok(Some(violated)) => violated,
        Ok(None) => return Outcome::TooLarge,
        Err(wrong) => return wrong,
    };
    if ordered.deadlock {
        return Outcome::Unknown("no order".into());
    }
    match search(&ordered, &Settings { max_states: 2 * STATES, ..Settings::default() }, &Watch::NONE) {
        Ok((SearchOutcome::Exhausted(_), _)) if violated => {
            Outcome::Wrong("ordered, but a deadlock exists".into())
        }
        Ok((SearchOutcome::Exhausted(_), _)) => Outcome::Safe,
        Ok((SearchOutcome::Limit { .. }, _)) if violated => Outcome::Unsafe,
        Ok((SearchOutcome::Limit { .. }, _)) => {
            Outcome::Unknown("a circle of the program with guards only".into())
        }
        Ok((SearchOutcome::Violation { .. }, _)) => {
            Outcome::Wrong("a violation of a program that has none".into())
        }
        Err(e) => Outcome::Wrong(format!("malformed: {e}")),
    }
}

#[test]
fn threads_that_wait_in_an_order_have_no_deadlock() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(250)).collect();
    let outcomes: Vec<Outcome> = seeds.par_iter().map(|s| judge(&program(*s))).collect();
    for (seed, outcome) in seeds.iter().zip(&outcomes) {
        assert!(!matches!(outcome, Outcome::Wrong(_)), "seed {seed}: {outcome:?}\n{}", program(*seed));
    }
    let count = |o: &Outcome| outcomes.iter().filter(|x| *x == o).count();
    let without = count(&Outcome::Unknown("no order".into()));
    println!(
        "{} in an order, {} with a deadlock and guards, {} too large, {without} without an order",
        count(&Outcome::Safe),
        count(&Outcome::Unsafe),
        count(&Outcome::TooLarge)
    );
    assert!(count(&Outcome::Safe) * 5 > seeds.len() && count(&Outcome::Unsafe) * 50 > seeds.len());
}
