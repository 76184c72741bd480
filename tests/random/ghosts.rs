//! Random small programs for which the reduction adds ghosts: counts of threads, divisors, products, twins. What exploration finds
//! to be wrong has no proof.
//!
//! `RELYANT_CASES` sets how many of each, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_program::linearise::ArrayLimits;
use relyant_testing::rng::{Rng, cases};

/// Some of the lines, each indented.
fn lines(rng: &mut Rng, most: usize, of: &[&str]) -> String {
    (0..1 + rng.below(most)).map(|_| format!("    {}\n", rng.pick(of))).collect()
}

/// Threads made in a loop count up, once or more often.
fn counted(rng: &mut Rng) -> String {
    let steps = [
        "r = x; x = r + 1;",
        "x = x + 1;",
        "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();",
        "__VERIFIER_atomic_begin(); y = y + 1; __VERIFIER_atomic_end();",
        "__VERIFIER_atomic_begin(); y = y + 1; __VERIFIER_atomic_end();",
        "if (__VERIFIER_nondet_int()) { x = x + 1; } else { x = x + 2; }",
        "if (__VERIFIER_nondet_int()) return 0;",
        "while (__VERIFIER_nondet_int()) x = x + 1;",
        "r = x; __VERIFIER_assert(r <= y);",
        "r = y; __VERIFIER_assert(r < x);",
    ];
    let body = lines(rng, 4, &steps);
    let after = lines(
        rng,
        2,
        &[
            "__VERIFIER_assert(x <= n);",
            "__VERIFIER_assert(x < n);",
            "__VERIFIER_assert(x <= 2 * n);",
            "__VERIFIER_assert(y <= n);",
            "x = x + 1;",
        ],
    );
    let create = "pthread_create(&t, 0, work, 0);";
    let create = if rng.percent(20) { format!("{create} {create}") } else { create.into() };
    format!(
        "int x, y, n;\nvoid *work(void *p) {{\n    int r;\n{body}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t t;\n    n = __VERIFIER_nondet_int();\n    if (n <= 0) return 0;\n\
         \x20   for (int i = 0; i < n; i++) {{ {create} }}\n{after}    return 0;\n}}\n"
    )
}

/// Numbers are added and subtracted, and divided by one that is not known.
fn divided(rng: &mut Rng) -> String {
    let steps = [
        "if (a > b) a = a - b;",
        "if (b > a) b = b - a;",
        "while (a > b) a = a - b;",
        "a = b;",
        "b = a + b;",
        "a = a + 1;",
        "a = 0;",
        "b = c - a;",
        "c = a;",
        "if (a == c) b = a;",
    ];
    let (first, second) = (lines(rng, 3, &steps), lines(rng, 2, &steps));
    let given = lines(
        rng,
        3,
        &["if (a % d) return 0;", "if (b % d) return 0;", "if (c % d) return 0;", "if (a != b) return 0;"],
    );
    let asked = lines(
        rng,
        2,
        &[
            "__VERIFIER_assert(e % d == 0);",
            "__VERIFIER_assert(e % d != 0);",
            "__VERIFIER_assert(e == 0 || e >= d);",
            "__VERIFIER_assert(f % d == 0);",
            "__VERIFIER_assert(f >= d);",
        ],
    );
    let both = if rng.percent(50) { "pthread_create(&u, 0, more, 0); pthread_join(u, 0);" } else { "" };
    format!(
        "unsigned a, b, c;\nvoid *work(void *p) {{\n{first}    return 0;\n}}\n\
         void *more(void *p) {{\n{second}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t t, u;\n    a = __VERIFIER_nondet_int() & 3; b = __VERIFIER_nondet_int() & 3;\n\
         \x20   c = __VERIFIER_nondet_int() & 1;\n    unsigned d = __VERIFIER_nondet_int() & 15;\n    if (d == 0) return 0;\n\
         {given}    pthread_create(&t, 0, work, 0);\n    {both}\n    pthread_join(t, 0);\n    unsigned e = a, f = b;\n\
         {asked}    return 0;\n}}\n"
    )
}

/// Two threads that run one routine, or nearly.
fn alike(rng: &mut Rng) -> String {
    let steps = [
        "*o = *o + 1;",
        "*o = *o * 2;",
        "*o = *o + g;",
        "while (*o < g) *o = *o * 2 + 1;",
        "if (*o > 3) *o = g;",
        "*o = 4;",
        "if (*o > g) return 0;",
        "g = 2;",
        "*o = __VERIFIER_nondet_int() & 1;",
        "pthread_mutex_lock(&m); *o = *o + g; pthread_mutex_unlock(&m);",
        "v = v + 1; *o = v;",
    ];
    let quiet = rng.percent(60);
    let body = lines(rng, 3, if quiet { &steps[..7] } else { &steps });
    let none = ["", "", "", ""];
    let disturb = ["g = g + 1;", "first = 1;", "second = first;", ""];
    let some = |rng: &mut Rng| rng.pick(if quiet { &none } else { &disturb });
    let (before, between, during, after) = (some(rng), some(rng), some(rng), some(rng));
    let start = rng.pick(&["second = first;", "second = first;", "second = 1;", "second = first + 0;"]);
    let asked = rng.pick(&["first == second", "first == second", "first <= second", "first != 5"]);
    let joins = rng.pick(&[
        "pthread_join(s, 0); JOIN pthread_join(t, 0);",
        "pthread_join(t, 0); JOIN pthread_join(s, 0);",
    ]);
    let joins = joins.replace("JOIN", after);
    format!(
        "unsigned char first, second, g, v;\npthread_mutex_t m;\nvoid *work(void *p) {{\n    unsigned char *o = p;\n\
         {body}    return 0;\n}}\n\
         int main(void) {{\n    pthread_t s, t;\n    g = __VERIFIER_nondet_int() & 3;\n    first = __VERIFIER_nondet_int() & 3;\n\
         \x20   {start} {before}\n    pthread_create(&s, 0, work, &first); {between}\n\
         \x20   pthread_create(&t, 0, work, &second); {during}\n    {joins}\n    __VERIFIER_assert({asked});\n\
         \x20   return 0;\n}}\n"
    )
}

/// Loops that add what other loops count, and sums that are compared.
fn multiplied(rng: &mut Rng) -> String {
    let added = ["a", "b", "a + b", "k", "2 * b", "a - b", "k + a", "1"];
    let bounds = ["a", "b", "a + b", "b - 1", "2"];
    let quiet = rng.percent(70);
    let disturb = ["", "a = a + 1;", "k = k + 1;", "b = a;", "if (k == 1) x = 0;"];
    let disturb = |rng: &mut Rng| if quiet { "" } else { rng.pick(&disturb) };
    let mut looped = |sum: &str| {
        let (u, n) = (rng.pick(&added), rng.pick(&bounds));
        let head = match rng.below(4) {
            0 => format!("int k = {n}; k > 0; k--"),
            1 => format!("int k = 1; k <= {n}; k++"),
            2 => format!("int k = 0; k < {n}; k += 2"),
            _ => format!("int k = 0; k < {n}; k++"),
        };
        let more = disturb(rng);
        format!("for ({head}) {{ {sum} = {sum} + {u}; {more} }}")
    };
    let (first, second) = (looped("x"), looped("y"));
    let first = if quiet { second.replace("y = y", "x = x") } else { first };
    let (start, between) = (disturb(rng).replace('k', "b"), disturb(rng).replace('k', "b"));
    let asked = rng.pick(&["x == y", "x == y", "x <= y + 2", "x != 3 || y != 2"]);
    format!(
        "int a, b, x, y;\nvoid *work(void *p) {{\n    {first}\n    return 0;\n}}\n\
         int main(void) {{\n    pthread_t t;\n    a = __VERIFIER_nondet_int() & 3; b = __VERIFIER_nondet_int() & 3;\n\
         \x20   {start}\n    pthread_create(&t, 0, work, 0);\n    {between}\n    {second}\n    pthread_join(t, 0);\n\
         \x20   __VERIFIER_assert({asked});\n    return 0;\n}}\n"
    )
}

fn run(what: &str, write: fn(&mut Rng) -> String) {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let seeds: Vec<u64> = (first..first + cases(10)).collect();
    let one = |seed: &u64| super::judged::judge(&write(&mut Rng::new(*seed)), ArrayLimits::default());
    let outcomes: Vec<super::judged::Judged> = seeds.par_iter().map(one).collect();
    let (proved, wrong) = super::judged::count(&outcomes);
    println!("{what}: {proved} of {} proved, {wrong} wrong", outcomes.len());
    assert!(proved > 0 && wrong > 0, "{what}: {proved} proved, {wrong} wrong");
}

#[test]
fn counts_of_threads() {
    run("counts", counted);
}

#[test]
fn unknown_divisors() {
    run("divisors", divided);
}

#[test]
fn products() {
    run("products", multiplied);
}

#[test]
fn twins() {
    run("twins", alike);
}
