//! Random programs with threads that can be verified and also run: two or three threads on plain, narrow and atomic
//! integers, with a mutex, a semaphore and a condition.
//!
//! No run blocks for ever: a thread waits only for what an earlier one gives whatever happens. `Y()` stands between
//! accesses; a run defines it to fence and yield. What is left at the end is the outcome.

use super::rng::Rng;
use std::fmt::Write;

/// A program, in pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Real {
    /// What all its global names start with.
    pub prefix: String,
    /// Shared objects and functions of the threads.
    pub shared: String,
    /// Integers whose values at the end are the outcome.
    pub results: Vec<String>,
    /// Sets all objects to their values at the start.
    pub reset: String,
    /// Starts the threads and waits for them.
    pub body: String,
}

/// Headers of both forms.
const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n";

impl Real {
    /// A program to verify: `condition` about the results is an error.
    pub fn to_verify(&self, condition: &str) -> String {
        format!(
            "{HEAD}extern void reach_error(void);\n#define Y()\n{}int main(void)\n{{\n{}{}  if ({condition}) reach_error();\n  return 0;\n}}\n",
            self.shared, self.reset, self.body
        )
    }

    /// The condition that the results have these values.
    pub fn is(&self, values: &[i64]) -> String {
        let all: Vec<String> = self.results.iter().zip(values).map(|(r, v)| format!("{r} == {v}")).collect();
        all.join(" && ")
    }
}

/// A program that runs each of these `times` times, with other yields each time, and prints a line for each run: the
/// prefix and the results.
pub fn to_run(programs: &[Real], times: u32) -> String {
    let mut out = format!(
        "#define _GNU_SOURCE\n{HEAD}#include <sched.h>\n#include <stdio.h>\n#include <unistd.h>\n{YIELD}"
    );
    let mut main = String::from("int main(void)\n{\n");
    for p in programs {
        let name = &p.prefix;
        let _ = write!(out, "{}static void {name}_run(void)\n{{\n{}{}}}\n", p.shared, p.reset, p.body);
        let _ = write!(
            main,
            "  for (unsigned i = 0; i < {times}; i++) {{\n    turn = i * 7919 + 1;\n    {name}_run();\n    printf(\"{name}"
        );
        main.push_str(&" %lld".repeat(p.results.len()));
        main.push_str("\\n\"");
        for r in &p.results {
            let _ = write!(main, ", (long long){r}");
        }
        main.push_str(");\n  }\n");
    }
    out + &main + "  return 0;\n}\n"
}

const YIELD: &str = "static unsigned turn;
static __thread unsigned dice;
static void Y(void)
{
  __sync_synchronize();
  if (!dice) dice = turn ^ (unsigned)(pthread_self() >> 12);
  dice = dice * 1664525u + 1013904223u;
  unsigned d = dice >> 20;
  if (d % 3 == 0) sched_yield();
  else if (d % 19 == 1) usleep(d % 60);
}
";

/// The program of a seed; its globals begin with the prefix.
pub fn generate(seed: u64, prefix: &str) -> Real {
    let mut rng = Rng::new(seed ^ 0x7265_616c);
    let threads = 2 + usize::from(rng.percent(25));
    let narrow = rng.pick(&["int", "unsigned char", "short", "unsigned"]);
    let mut g = Gen { rng, prefix: prefix.into(), budget: 0 };
    let p = prefix;
    let mut shared = format!(
        "static volatile int {p}_x;\nstatic volatile {narrow} {p}_y;\nstatic _Atomic int {p}_a;\n\
         static pthread_mutex_t {p}_m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t {p}_c = PTHREAD_COND_INITIALIZER;\n\
         static sem_t {p}_s;\nstatic volatile int {p}_f;\n"
    );
    let mut reset = String::new();
    let mut results: Vec<String> = ["x", "y", "a"].iter().map(|n| format!("{p}_{n}")).collect();
    for (name, from) in [("x", 2), ("y", 3), ("a", 2), ("f", 1)] {
        let _ = writeln!(reset, "  {p}_{name} = {};", g.rng.below(from));
    }
    let _ = writeln!(reset, "  sem_init(&{p}_s, 0, 0);");
    let gives = (g.rng.percent(40), g.rng.percent(40));
    let mut body = String::new();
    for t in 0..threads {
        let _ = write!(
            shared,
            "static volatile int {p}_o{t};\nstatic void *{p}_t{t}(void *arg)\n{{\n  int r = 0;\n"
        );
        g.budget = 2 + g.rng.below(4);
        let mut list = Vec::new();
        while g.budget > 0 {
            list.push(g.stmt(1, 1, false));
        }
        // The first thread gives, the second waits.
        let mut put = |text: String, rng: &mut Rng| list.insert(rng.below(list.len() + 1), text);
        if gives.0 && t == 0 {
            put(format!("  sem_post(&{p}_s); Y();\n"), &mut g.rng);
        }
        if gives.0 && t == 1 {
            put(format!("  sem_wait(&{p}_s); Y();\n"), &mut g.rng);
        }
        if gives.1 && t == 0 {
            put(
                format!(
                    "  pthread_mutex_lock(&{p}_m); {p}_f = 1; Y(); pthread_cond_signal(&{p}_c); pthread_mutex_unlock(&{p}_m); Y();\n"
                ),
                &mut g.rng,
            );
        }
        if gives.1 && t == 1 {
            put(
                format!(
                    "  pthread_mutex_lock(&{p}_m); while (!{p}_f) pthread_cond_wait(&{p}_c, &{p}_m); Y(); pthread_mutex_unlock(&{p}_m); Y();\n"
                ),
                &mut g.rng,
            );
        }
        shared.push_str(&list.concat());
        let _ = write!(shared, "  {p}_o{t} = r;\n  return 0;\n}}\n");
        results.push(format!("{p}_o{t}"));
        let _ = writeln!(body, "  pthread_t h{t}; pthread_create(&h{t}, 0, {p}_t{t}, 0);");
    }
    for t in 0..threads {
        let _ = writeln!(body, "  pthread_join(h{t}, 0);");
    }
    Real { prefix: p.into(), shared, results, reset, body }
}

struct Gen {
    rng: Rng,
    prefix: String,
    budget: usize,
}

impl Gen {
    fn variable(&mut self) -> String {
        format!("{}_{}", self.prefix, self.rng.pick(&["x", "x", "y", "a"]))
    }

    fn value(&mut self) -> String {
        match self.rng.below(6) {
            0 => self.variable(),
            1 | 2 => "r".into(),
            3 => "r + 1".into(),
            _ => self.rng.below(4).to_string(),
        }
    }

    fn cond(&mut self) -> String {
        let op = self.rng.pick(&["==", "!=", "<", ">="]);
        let (left, right) = (self.variable(), self.value());
        match self.rng.below(5) {
            0 => format!("{left} {op} {right} && {} > 0", self.variable()),
            1 => format!("{left} {op} {right} || r == 1"),
            _ => format!("{left} {op} {right}"),
        }
    }

    fn block(&mut self, indent: usize, locked: bool) -> String {
        (0..1 + self.rng.below(2)).map(|_| self.stmt(0, indent, locked)).collect()
    }

    fn stmt(&mut self, depth: usize, indent: usize, locked: bool) -> String {
        self.budget = self.budget.saturating_sub(1);
        let pad = "  ".repeat(indent);
        let p = self.prefix.clone();
        match self.rng.below(16) {
            0 | 1 if depth > 0 => {
                let (c, a) = (self.cond(), self.block(indent + 1, locked));
                if self.rng.percent(40) {
                    let b = self.block(indent + 1, locked);
                    format!("{pad}if ({c}) {{\n{pad}  Y();\n{a}{pad}}} else {{\n{b}{pad}}}\n")
                } else {
                    format!("{pad}if ({c}) {{\n{pad}  Y();\n{a}{pad}}}\n")
                }
            }
            2 if depth > 0 => {
                let a = self.block(indent + 1, locked);
                format!("{pad}for (int i = 0; i < 2; i++) {{\n{a}{pad}}}\n")
            }
            3 | 4 if depth > 0 && !locked => {
                let a = self.block(indent, true);
                format!("{pad}pthread_mutex_lock(&{p}_m); Y();\n{a}{pad}pthread_mutex_unlock(&{p}_m); Y();\n")
            }
            5 => format!(
                "{pad}r = __atomic_fetch_add(&{p}_a, {}, __ATOMIC_SEQ_CST); Y();\n",
                1 + self.rng.below(2)
            ),
            6 => {
                let (old, new) = (self.rng.below(3), self.rng.below(4));
                format!("{pad}r = __sync_bool_compare_and_swap(&{p}_x, {old}, {new}); Y();\n")
            }
            7 => format!("{pad}{}{}; Y();\n", self.variable(), self.rng.pick(&["++", "--"])),
            8 => {
                let (v, e) = (self.variable(), self.rng.pick(&["1", "2", "r", "3"]));
                format!("{pad}{v} {}= {e}; Y();\n", self.rng.pick(&["+", "^", "|", "-"]))
            }
            9..12 => format!("{pad}r = {}; Y();\n", self.variable()),
            12 => {
                let (v, w) = (self.variable(), self.variable());
                format!("{pad}r = {v}; Y(); {w} = r + 1; Y();\n")
            }
            _ => {
                let (v, e) = (self.variable(), self.value());
                format!("{pad}{v} = {e}; Y();\n")
            }
        }
    }
}
