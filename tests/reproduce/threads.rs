//! Ends of threads, threads of other dialects, and programs for 32 bits.

use super::{Case, reproduced, two};
use std::process::Command;

#[test]
fn a_thread_is_cancelled_where_it_sleeps() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>
        int undone;
        void undo(void *arg) { undone = 1; }
        void *worker(void *arg) {
            pthread_cleanup_push(undo, 0);
            for (;;) sleep(1);
            pthread_cleanup_pop(0);
            return arg;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0);
            pthread_cancel(t);
            pthread_join(t, 0);
            assert(!undone);
            return 0;
        }";
    reproduced(text, &[]);
}

#[test]
fn destructors_of_keys_come_before_the_end() {
    let text = "#include <assert.h>\n#include <pthread.h>
        pthread_key_t key;
        int sum;
        void destroy(void *value) { sum += (int)(long)value; }
        void *worker(void *arg) { pthread_setspecific(key, arg); return 0; }
        int main(void) {
            pthread_t t;
            pthread_key_create(&key, destroy);
            pthread_create(&t, 0, worker, (void *)3L);
            pthread_join(t, 0);
            assert(sum != 3);
            return 0;
        }";
    reproduced(text, &[]);
}

#[test]
fn the_program_ends_with_its_last_thread() {
    let text = "#include <pthread.h>\n#include <stdlib.h>
        static int *p;
        static void *worker(void *arg) { p = 0; return arg; }
        int main(void) {
            pthread_t t;
            p = malloc(sizeof *p);
            pthread_create(&t, 0, worker, 0);
            pthread_exit(0);
        }";
    let said = reproduced(text, &["--property", "valid-memsafety"]);
    assert!(said.contains("LeakSanitizer"), "{said}");
}

#[test]
fn a_statement_in_a_thread_of_its_own() {
    let text = "int sum, done;
        void add(int a, int b) { sum = a * 10 + b; }
        int main(void) {
            int x = 3, y = 4;
        __CPROVER_ASYNC_1:
            add(x, y), x = 7, done = 1;
            y = 5;
            __CPROVER_assume(done);
            __CPROVER_assert(sum != 34 || x != 3 || y != 5, \"copies\");
        }";
    reproduced(text, &[]);
}

#[test]
fn a_weak_exchange_fails_for_no_reason() {
    let text = "#include <assert.h>\n#include <stdatomic.h>
        int main(void) {
            atomic_int c = 5;
            int expected = 5;
            _Bool done = atomic_compare_exchange_weak(&c, &expected, 9);
            assert(done);
            return 0;
        }";
    reproduced(text, &[]);
}

#[test]
fn programs_of_32_bits() {
    let text = two(
        "long x = 0x7fffffff;
         void *first(void *arg) { unsigned long y = x; x = (long)(y + 1); return arg; }
         void *second(void *arg) { x = x / 2; return arg; }",
        "assert(sizeof(long) != 4 || x >= 0);",
    );
    let case = Case::new(&text);
    let entry = case.verify(&["--ilp32"]);
    assert_eq!(entry.verdict.as_deref(), Some("unsafe"), "{:?}", entry.reason);
    let done = entry.reproduced.expect("it was tried");
    // Where the compiler has no library for it, that is said.
    let other = case.source.with_file_name("other.c");
    std::fs::write(&other, "#include <stdio.h>\nint main(void) { return 0; }\n").expect("a file");
    let built = Command::new("gcc").args(["-m32", "-o"]).args([other.with_extension("out"), other]).output();
    let there = built.expect("a compiler").status.success();
    assert_eq!(done.succeeded(), there, "{done:?}");
    assert!(there || done.reason.contains("compile"), "{done:?}");
}
