//! Proofs of programs with chosen threads and blocks, compared with exhaustive exploration: loops that create up to three threads,
//! with arguments that are all different or not, which work on slots of arrays and of memory of unknown size, or on blocks
//! that are made in the loop.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed.

use super::judged::{Judged, count, judge_chosen};
use rayon::prelude::*;
use relyant_cfa::options::{Options, Property};
use relyant_program::linearise::ArrayLimits;
use relyant_testing::rng::{Rng, cases};
use std::fmt::Write;

/// Keeps even small arrays by their tracked element.
const SMALL: ArrayLimits = ArrayLimits { cases: 1, cells: 2, touches: false };

/// What a thread's argument is, and its index made of it.
const ARGUMENTS: [(&str, &str); 7] = [
    ("(void *)k", "(long)p"),
    ("(void *)(k + 1)", "(long)p - 1"),
    ("(void *)(2 - k)", "(long)p"),
    ("&cells[k]", "(int *)p - cells"),
    ("(void *)(k / 2)", "(long)p"),
    ("&cells[0]", "(int *)p - cells"),
    ("(void *)k", "(long)p / 2"),
];

fn statement(rng: &mut Rng, text: &mut String, depth: usize) {
    let c = rng.below(3);
    let _ = match rng.below(if depth > 0 { 6 } else { 8 }) {
        0 => writeln!(text, "    cells[i] = {c};"),
        1 => writeln!(text, "    cells[i] = i;"),
        2 => writeln!(text, "    x = {c};"),
        3 => writeln!(text, "    __VERIFIER_assert(cells[i] == {c});"),
        4 => writeln!(text, "    __VERIFIER_assert(cells[i] == i || cells[i] == 0);"),
        5 => writeln!(text, "    cells[i] = cells[i] + 1;"),
        _ => {
            text.push_str("    pthread_mutex_lock(&m);\n");
            (0..1 + rng.below(2)).for_each(|_| statement(rng, text, depth + 1));
            writeln!(text, "    pthread_mutex_unlock(&m);")
        }
    };
}

fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::from("int x;\npthread_mutex_t m;\n");
    let (argument, index) = rng.pick(&ARGUMENTS);
    let dynamic = rng.percent(50);
    text.push_str(if dynamic { "int *cells;\n" } else { "int cells[3];\n" });
    let _ = writeln!(text, "void *work(void *p) {{\n    long i = {index};");
    (0..1 + rng.below(3)).for_each(|_| statement(&mut rng, &mut text, 0));
    text.push_str(
        "    return 0;\n}\nint main(void) {\n    int n = (unsigned char)__VERIFIER_nondet_int();\n",
    );
    text.push_str("    if (n > 3) return 0;\n");
    let handles = rng.percent(50);
    text.push_str(if handles {
        "    pthread_t *t = malloc(n * sizeof(pthread_t));\n"
    } else {
        "    pthread_t t[3];\n"
    });
    if dynamic {
        text.push_str("    cells = calloc(n, sizeof(int));\n");
    }
    text.push_str("    for (long k = 0; k < n; k++) {\n");
    if rng.percent(30) {
        let _ = writeln!(text, "    cells[k] = {};", rng.pick(&["k", "0", "1"]));
    }
    let _ = writeln!(text, "    pthread_create(&t[k], 0, work, {argument});\n    }}");
    if rng.percent(70) {
        let last = rng.pick(&["n", "n", "n", "n - 1"]).to_string();
        let which = rng.pick(&["k", "k", "k", "0"]).to_string();
        let _ = writeln!(text, "    for (long k = 0; k < {last}; k++) pthread_join(t[{which}], 0);");
    }
    text.push_str("    if (n < 2) return 0;\n");
    let _ = match rng.below(4) {
        0 => writeln!(text, "    x = 3;"),
        1 => writeln!(text, "    cells[1] = 0;"),
        2 if dynamic => writeln!(text, "    free(cells);"),
        _ => writeln!(text, "    int i = 1; __VERIFIER_assert(cells[i] <= {});", rng.below(3)),
    };
    text.push_str("    return 0;\n}\n");
    text
}

/// Threads work on blocks that a loop makes: each on its own, or not. No memory is used that was given back.
fn blocks(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let lines = |rng: &mut Rng, of: &[&str]| -> String {
        (0..1 + rng.below(3)).map(|_| format!("    {}\n", rng.pick(of))).collect()
    };
    let body = lines(
        &mut rng,
        &[
            "b->x = 1;",
            "b->x = b->x + 1;",
            "r = b->y;",
            "pthread_mutex_lock(&m); b->x = 2; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&b->own); b->y = 2; pthread_mutex_unlock(&b->own);",
            "pthread_mutex_lock(&b->own); b->y = b->y + 1; pthread_mutex_unlock(&b->own);",
            "__VERIFIER_assert(b->x == 0);",
            "__VERIFIER_assert(b->x <= 1);",
            "if (b->next) r = b->next->y;",
            "if (b == all[0]) b->x = 2;",
        ],
    );
    let before = rng.pick(&["", "", "b->x = 1;", "b->y = 1;", "if (k) b->next = all[0];", "b->next = b;"]);
    let given = rng.pick(&["b", "b", "b", "b", "all[0]", "all[k / 2]"]);
    let after = rng.pick(&["", "", "", "b->x = 3;", "b->y = 3;", "x = b->y;"]);
    let gives_back = given == "b" && after.is_empty() && !body.contains("next") && rng.percent(25);
    let back = if gives_back { "    free(b);\n" } else { "" };
    let mut text = format!(
        "struct block {{ int x; int y; pthread_mutex_t own; struct block *next; }};\nint x;\npthread_mutex_t m;\nstruct block *all[3];\n\
         void *work(void *p) {{\n    struct block *b = p; int r;\n{body}{back}    return 0;\n}}\nint main(void) {{\n\
         \x20   pthread_t t[3];\n    int n = (unsigned char)__VERIFIER_nondet_int();\n    if (n > 3) return 0;\n\
         \x20   for (long k = 0; k < n; k++) {{\n        struct block *b = calloc(1, sizeof(struct block));\n        all[k] = b;\n\
         \x20       {before}\n        pthread_create(&t[k], 0, work, {given});\n        {after}\n    }}\n"
    );
    let joins = rng.percent(70);
    if joins {
        text.push_str("    for (long k = 0; k < n; k++) pthread_join(t[k], 0);\n");
    }
    if !gives_back {
        let last = [
            "if (n > 1) all[1]->x = 3;",
            "for (long k = 0; k < n; k++) x = all[k]->y;",
            "if (n > 0) { int v = all[0]->x; __VERIFIER_assert(v <= 2); }",
            "if (n > 1) __VERIFIER_assert(all[0] != all[1]);",
            if joins { "for (long k = 0; k < n; k++) free(all[k]);" } else { "" },
        ];
        text += &format!("    {}\n", rng.pick(&last));
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// Threads count, each at most once or not, or mark a slot of their own; who has waited for all of them, or not, asks what came of it.
fn counted(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let (argument, index) = rng.pick(&ARGUMENTS[..3]);
    let start = rng.below(3);
    let mut text = format!("int x = {start}, y;\npthread_mutex_t m;\nint cells[3];\n");
    let (one, by) = rng.pick(&[("x = x + 1;", 1), ("x = x + 2;", 2), ("x = x - 1;", -1), ("x = 1;", 0)]);
    let counts = match rng.below(12) {
        0 => one.to_string(),
        1 => format!("if (i) {{ pthread_mutex_lock(&m); {one} pthread_mutex_unlock(&m); }}"),
        2 => format!(
            "for (int r = 0; r < 2; r++) {{ pthread_mutex_lock(&m); {one} pthread_mutex_unlock(&m); }}"
        ),
        3 => format!("__VERIFIER_atomic_begin(); {one} __VERIFIER_atomic_end();"),
        4 => format!("pthread_mutex_lock(&m); if (x < 2) {{ {one} }} pthread_mutex_unlock(&m);"),
        _ => format!("pthread_mutex_lock(&m); {one} pthread_mutex_unlock(&m);"),
    };
    let more = [
        "",
        "",
        "cells[i] = 1;",
        "if (i != 1) cells[i] = 1;",
        "cells[1] = 1;",
        "__VERIFIER_assert(x >= 0);",
        "__VERIFIER_atomic_begin(); y = y + 1; __VERIFIER_atomic_end();",
    ];
    let (before, after) = (rng.pick(&more), rng.pick(&more));
    let _ = write!(
        text,
        "void *work(void *p) {{\n    long i = {index};\n    {before}\n    {counts}\n    {after}\n    return 0;\n}}\n\
         void *other(void *p) {{\n    {}\n    return 0;\n}}\n",
        rng.pick(&["", "__VERIFIER_assert(x <= 3);", "y = x; __VERIFIER_assert(y <= 4);"])
    );
    text.push_str(
        "int main(void) {\n    int n = (unsigned char)__VERIFIER_nondet_int();\n    if (n > 3) return 0;\n    pthread_t t[3], u;\n",
    );
    if rng.percent(25) {
        text.push_str("    pthread_create(&u, 0, other, 0);\n");
    }
    let last = rng.pick(&["n", "n", "n", "n", "n", "n - 1"]);
    let which = rng.pick(&["k", "k", "k", "k", "k", "0"]);
    let exact = format!("__VERIFIER_assert(x == {start} + {by} * n);");
    let slots = "for (long k = 0; k < n; k++) { int c = cells[k]; __VERIFIER_assert(c == 1); }";
    let asks = [
        &exact,
        &exact,
        &exact,
        slots,
        slots,
        "__VERIFIER_assert(x == n);",
        "__VERIFIER_assert(x <= n);",
        "__VERIFIER_assert(x >= n);",
        "__VERIFIER_assert(x == 2 * n);",
        "__VERIFIER_assert(x == 1 + n);",
        "__VERIFIER_assert(x + n == 2);",
        "__VERIFIER_assert(x >= 1);",
        "__VERIFIER_assert(x + y == 2 * n);",
        "y = x; __VERIFIER_assert(y == n);",
        "for (long k = 0; k < n; k++) { int c = cells[k]; __VERIFIER_assert(c <= 1 && x == n); }",
        "if (n > 1) { int c = cells[1]; __VERIFIER_assert(c == 1); }",
    ];
    let _ = write!(
        text,
        "    for (long k = 0; k < n; k++) pthread_create(&t[k], 0, work, {argument});\n    {}\n\
         \x20   for (long k = 0; k < {last}; k++) pthread_join(t[{which}], 0);\n    {}\n    {}\n    return 0;\n}}\n",
        rng.pick(&["", "", "", "", "y = x;", "__VERIFIER_assert(x <= n + 2);"]),
        rng.pick(&asks),
        rng.pick(&["", "", "", &exact, slots])
    );
    text
}

fn run(write: fn(u64) -> String, default: u64) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(default)).collect();
    let judged = |s: &u64| {
        let property = if s % 2 == 0 { Property::NoDataRace } else { Property::Assertions };
        judge_chosen(&write(*s), &Options { property, max_objects: Some(3), ..Options::default() }, SMALL)
    };
    let outcomes: Vec<Judged> = seeds.par_iter().filter_map(judged).collect();
    let (proved, wrong) = count(&outcomes);
    println!("{} programs, {proved} proved, {wrong} with a violation", outcomes.len());
    assert!(proved > 0 && wrong > 0);
}

#[test]
fn no_proof_of_an_unsafe_program_that_counts() {
    run(counted, 24);
}

#[test]
fn no_proof_of_an_unsafe_program() {
    run(program, 24);
}

#[test]
fn no_proof_of_an_unsafe_program_with_blocks() {
    run(blocks, 8);
}
