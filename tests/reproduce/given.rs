//! What a program gets from outside, and what C leaves open: both are given as in the run.

use super::{reproduced, two};

/// A program of one thread.
fn main_of(around: &str, body: &str) -> String {
    format!(
        "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n{around}\nint main(int argc, char **argv) {{\n{body}\nreturn 0; }}\n"
    )
}

#[test]
fn what_an_object_holds_that_got_no_value() {
    reproduced(&main_of("", "unsigned char c;\nassert(c != 77);"), &[]);
    // Of two rounds the second one has an object of its own.
    let rounds = "for (int i = 0; i < 2; i++) {\nint x;\nif (i == 0) x = 7;\nassert(x == 7);\n}";
    reproduced(&main_of("", rounds), &[]);
    reproduced(&main_of("", "int *p = malloc(2 * sizeof *p);\nif (p) { p[0] = 1; assert(p[1] != 4); }"), &[]);
    reproduced(&main_of("", "int list[3];\nlist[0] = 1;\nint *at = list;\nassert(at[2] != 9);"), &[]);
}

#[test]
fn how_many_words_there_are() {
    reproduced(&main_of("", "assert(argc != 5);"), &[]);
    reproduced(&main_of("", "assert(argc > 0);"), &[]);
}

#[test]
fn what_is_read_from_standard_input() {
    reproduced(&main_of("", "int c = getchar();\nassert(c != 'q');"), &[]);
    reproduced(
        &main_of("", "char line[3];\nif (fgets(line, 3, stdin)) assert(line[0] != 'x' || line[1] != 'y');"),
        &[],
    );
    let scanned = "int n = scanf(\"%d\", &found);\nassert(n < 1 || found != 6);";
    reproduced(&main_of("int found;", scanned), &[]);
}

#[test]
fn a_signal_comes_when_the_run_has_it() {
    let handler = "#include <signal.h>\nvolatile sig_atomic_t seen;\nstatic void note(int n) { seen = n; }";
    reproduced(&main_of(handler, "signal(SIGUSR1, note);\nint a = seen, b = seen;\nassert(a == b);"), &[]);
}

#[test]
fn second_parameters_of_start_routines() {
    let text = two(
        "void *first(void *arg) { return arg; }
         void *other(void *arg, int mode) { assert(mode != 8); return arg; }",
        "",
    );
    reproduced(&text.replace("second, 0", "(void *(*)(void *))other, 0"), &[]);
}

#[test]
fn start_values_of_threads_without_main() {
    let text = "void assert(int);
        void glb_init(int);
        int turn, x;
        void left(void) { glb_init(x > 9); while (turn != 0) ; x = x + 1; assert(x != 12); turn = 1; }
        void right(void) { while (turn != 1) ; x = x + 1; turn = 0; }";
    reproduced(text, &["--threads", "left:right"]);
}

#[test]
fn a_library_function_gives_a_number_and_races() {
    let text = two(
        "#include <unistd.h>
         static char text[4];
         void *first(void *arg) { (void)!write(1, text, 4); return arg; }
         void *second(void *arg) { text[2] = 1; return arg; }",
        "",
    );
    let said = reproduced(&text, &["--property", "no-data-race"]);
    assert!(said.contains("ThreadSanitizer: data race"), "{said}");
}

#[test]
fn a_timed_wait_ends_as_in_the_run() {
    let program = |first: &str, second: &str| {
        format!(
            "#include <assert.h>
             #include <errno.h>
             #include <pthread.h>
             pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
             pthread_cond_t c = PTHREAD_COND_INITIALIZER;
             int main(void) {{
                 struct timespec until = {{1, 0}};
                 pthread_mutex_lock(&m);
                 int r = pthread_cond_timedwait(&c, &m, &until);
                 int s = pthread_cond_timedwait(&c, &m, &until);
                 pthread_mutex_unlock(&m);
                 assert(!(r == {first} && s == {second}));
                 return 0;
             }}"
        )
    };
    for (first, second) in [("0", "ETIMEDOUT"), ("ETIMEDOUT", "0")] {
        let said = reproduced(&program(first, second), &[]);
        assert!(said.contains(&format!("Assertion `!(r == {first} && s == {second})' failed")), "{said}");
    }
}

#[test]
fn a_timed_call_gives_what_is_there() {
    // Long before it is too late on the clock.
    let text = two(
        "#include <errno.h>
         #include <semaphore.h>
         sem_t s;
         int r;
         void *first(void *arg) {
             struct timespec until = {1L << 40, 0};
             r = sem_timedwait(&s, &until) ? errno : 1000;
             return 0;
         }
         void *second(void *arg) { sem_post(&s); return 0; }",
        "assert(r != WANTED);",
    );
    for wanted in ["ETIMEDOUT", "1000"] {
        let said = reproduced(&text.replace("WANTED", wanted), &[]);
        assert!(said.contains(&format!("Assertion `r != {wanted}' failed")), "{said}");
    }
}

#[test]
fn a_large_array_has_the_values_that_were_read() {
    let text = "#include <assert.h>
         int main(void) {
             int v[5000];
             assert(v[4000] != 77 || v[2] != 78);
             return 0;
         }";
    assert!(reproduced(text, &[]).contains("Assertion `v[4000] != 77 || v[2] != 78' failed"));
}
