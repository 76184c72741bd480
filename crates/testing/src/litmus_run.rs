//! Litmus tests on the real processor: a C program that does each test many times, and counts how often its outcome is seen.
//!
//! As Alglave, Maranget, Sarkar and Sewell's litmus does it ("Litmus: running tests against hardware", TACAS 2011): threads that
//! stay, a barrier before each round and then a delay, other cells in each round. Each thread has a processor of its own, which it does not give away while
//! it waits for the others: so they run at the same time now and then on a busy machine, too.

use super::litmus::{Litmus, REGISTERS, VARIABLES, registers, statements};
use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = "#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#define CELLS 64
#define ROUNDS 1024
struct cell { volatile int v; char pad[60]; };
static struct cell cells[4][CELLS];
static int seen[4][8][CELLS];
struct barrier { volatile int arrived, phase; char pad[56]; };
static struct barrier each;
static pthread_barrier_t all;

static void pin(int t)
{
    cpu_set_t one;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    CPU_ZERO(&one);
    CPU_SET(t % (n > 0 ? n : 1), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void meet(struct barrier *b, int threads)
{
    int now = b->phase;
    if (__sync_add_and_fetch(&b->arrived, 1) == threads) {
        b->arrived = 0;
        __sync_synchronize();
        b->phase = now + 1;
        return;
    }
    for (int spins = 0; b->phase == now; spins++)
        if (spins > 100000) sched_yield();
}
";

/// A program that runs each test for so many batches of rounds, and writes a line for each: its name, how often the outcome was
/// seen, how many rounds there were.
pub fn to_run(tests: &[Litmus], batches: u32) -> String {
    let mut out = String::from(HEAD);
    let mut main = String::from("int main(void)\n{\n");
    for (k, test) in tests.iter().enumerate() {
        one(k, test, batches, &mut out);
        let _ = writeln!(main, "    run{k}();");
    }
    out + &main + "    return 0;\n}\n"
}

fn one(k: usize, test: &Litmus, batches: u32, out: &mut String) {
    let n = test.threads.len();
    for (v, name) in VARIABLES.iter().enumerate() {
        let _ = writeln!(out, "#define {name} cells[{v}][i].v");
    }
    for (t, steps) in test.threads.iter().enumerate() {
        let mut used = BTreeSet::new();
        registers(steps, &mut used);
        let _ = writeln!(
            out,
            "static void *test{k}_{t}(void *unused)\n{{\n    pin({t});\n    for (int b = 0; b < {batches} * ROUNDS / CELLS; b++) {{\n        pthread_barrier_wait(&all);\n        for (int i = 0; i < CELLS; i++) {{\n            meet(&each, {n});\n            for (volatile int d = (b * 31 + i * {}) % 61; d > 0; d--);",
            7 + 10 * t
        );
        for r in &used {
            let _ = writeln!(out, "            int {} = 0;", REGISTERS[*r]);
        }
        statements(steps, 3, out);
        for r in &used {
            let _ = writeln!(out, "            seen[{t}][{r}][i] = {};", REGISTERS[*r]);
        }
        out.push_str("        }\n");
        let _ = writeln!(out, "        pthread_barrier_wait(&all);\n    }}\n    return 0;\n}}");
    }
    let owner = |r: usize| {
        test.threads.iter().position(|steps| {
            let mut used = BTreeSet::new();
            registers(steps, &mut used);
            used.contains(&r)
        })
    };
    let is = |(name, value): &(String, i32)| match REGISTERS.iter().position(|r| r == name) {
        Some(r) => format!("seen[{}][{r}][i] == {value}", owner(r).unwrap_or(0)),
        None => format!("{name} == {value}"),
    };
    let all: Vec<String> = test.outcome.iter().map(is).collect();
    let _ = writeln!(
        out,
        "static void run{k}(void)\n{{\n    pthread_t t[{n}];\n    pthread_barrier_init(&all, 0, {n} + 1);\n    long hits = 0, rounds = 0;"
    );
    for t in 0..n {
        let _ = writeln!(out, "    pthread_create(&t[{t}], 0, test{k}_{t}, 0);");
    }
    let _ = writeln!(
        out,
        "    for (int b = 0; b < {batches} * ROUNDS / CELLS; b++) {{\n        for (int i = 0; i < CELLS; i++)\n            x = y = z = w = 0;\n        pthread_barrier_wait(&all);\n        pthread_barrier_wait(&all);\n        for (int i = 0; i < CELLS; i++)\n            hits += {}, rounds++;\n    }}",
        all.join(" && ")
    );
    for t in 0..n {
        let _ = writeln!(out, "    pthread_join(t[{t}], 0);");
    }
    let _ = writeln!(out, "    printf(\"{} %ld %ld\\n\", hits, rounds);\n}}", test.name);
    for name in VARIABLES {
        let _ = writeln!(out, "#undef {name}");
    }
}
