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
fn no_proof_of_an_unsafe_program() {
    run(program, 24);
}

#[test]
fn no_proof_of_an_unsafe_program_with_blocks() {
    run(blocks, 8);
}
