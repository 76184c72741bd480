//! Orders of evaluation that C leaves open: a compiler has one, and the run may have another one.

use super::{Case, reproduced, two};

/// A program of one thread, with a function that says in which order it is called.
fn orders(body: &str) -> String {
    format!(
        "#include <assert.h>\nint t;\nint put(int d) {{ t = t * 10 + d; return d; }}
         int g, h, *where = &g;\nint turn(int v) {{ where = &h; return v; }}
         int same(int k) {{ return k; }}\nint more(int k) {{ return k + 1; }}\nint (*f)(int) = same;
         int change(int v) {{ f = more; return v; }}
         int main(void) {{\n{body}\nreturn 0; }}\n"
    )
}

#[test]
fn both_orders_of_operands() {
    for wanted in ["12", "21"] {
        reproduced(&orders(&format!("int r = put(1) + put(2);\nassert(t != {wanted});")), &[]);
        reproduced(&orders(&format!("int v[2] = {{put(1), put(2)}};\nassert(t != {wanted});")), &[]);
        reproduced(&orders(&format!("if (put(1) < put(2))\nassert(t != {wanted});")), &[]);
    }
}

#[test]
fn a_call_between_two_others() {
    reproduced(&orders("int r = (put(1) + put(2)) + put(3);\nassert(t != 132);"), &[]);
    reproduced(&orders("int r = (put(1) && put(2)) + put(3);\nassert(t != 132);"), &[]);
}

#[test]
fn targets_and_functions_that_are_read_first_or_last() {
    for wanted in ["g", "h"] {
        reproduced(&orders(&format!("*where = turn(5);\nassert({wanted} != 5);")), &[]);
    }
    for wanted in ["5", "6"] {
        reproduced(&orders(&format!("int r = f(change(5));\nassert(r != {wanted});")), &[]);
    }
    for wanted in ["1", "3"] {
        reproduced(
            &orders(&format!("t = 0;\nt += put(1) + put(2) - 2;\nassert(t != {wanted} && t != 1{wanted});")),
            &[],
        );
    }
}

#[test]
fn the_right_operand_is_read_first() {
    let text = two(
        "int x, y;
         void *first(void *arg) { y = 1; x = 1; return arg; }
         void *second(void *arg) { assert(x <= y); return arg; }",
        "",
    );
    let case = Case::new(&text);
    let entry = case.verify(&["--read-order", "any"]);
    assert_eq!(entry.verdict.as_deref(), Some("unsafe"), "{:?}", entry.reason);
    let done = entry.reproduced.expect("it was tried");
    assert!(done.succeeded() && done.way.contains("written out"), "{done:?}");
    // What was done is in the source.
    let written = std::fs::read_to_string(case.out.join("program.c")).expect("the source");
    assert!(
        written
            .contains("__auto_type relyant_0 = y; __auto_type relyant_1 = x; assert(relyant_1 <= relyant_0)"),
        "{written}"
    );
}

#[test]
fn what_ends_the_program_comes_last() {
    let text = "#include <assert.h>\n#include <stdlib.h>
        int stop(void) { exit(0); }\nint check(void) { assert(0); return 1; }
        int main(void) { return stop() + check(); }";
    reproduced(text, &[]);
}

#[test]
fn elements_of_a_list_come_in_the_order_of_the_run() {
    let text = "#include <assert.h>
         int main(void) {
             int i = 0;
             int v[3] = {i++, i++, i++};
             assert(v[0] != 1 || v[2] != 0);
             return 0;
         }";
    assert!(reproduced(text, &[]).contains("Assertion `v[0] != 1 || v[2] != 0' failed"));
}
