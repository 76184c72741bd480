//! Where there is no verdict, what is said to help does.

use super::{folder, out, relyant};

/// The program, options under which there is no verdict, what is said to help, and the program and options with that.
struct Case {
    program: String,
    options: &'static [&'static str],
    hint: &'static str,
    helped: String,
    more: &'static [&'static str],
}

/// How many nodes there are, only an input tells.
fn list(nodes: u32) -> String {
    format!(
        "#include <assert.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node {{ struct node *next; }};\nstruct node *head;\n\
         int main(void)\n{{\n\tint k = 0, m = __VERIFIER_nondet_int();\n\tif (m != {nodes})\n\t\treturn 0;\n\tfor (int i = 0; i < m; i++) {{\n\
         \t\tstruct node *n = malloc(sizeof *n);\n\t\tif (n == 0)\n\t\t\treturn 0;\n\t\tn->next = head;\n\t\thead = n;\n\t}}\n\
         \tfor (struct node *p = head; p != 0; p = p->next)\n\t\tk++;\n\tassert(k == {nodes});\n\treturn 0;\n}}\n"
    )
}

/// Two threads add up to an input, under the bound on it that is given: what each adds, and how far the sums are apart.
fn counters(added: &str, apart: &str, bound: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\nint n, a, b;\n\
         void *left(void *x)\n{{\n\tfor (int i = 0; i < n; i++)\n\t\ta = a + {added};\n\treturn 0;\n}}\n\
         void *right(void *x)\n{{\n\tfor (int i = n; i > 0; i--)\n\t\tb = b + {added};\n\treturn 0;\n}}\n\
         int main(void)\n{{\n\tpthread_t s, t;\n\tn = __VERIFIER_nondet_int();\n\tif (n < 0{bound})\n\t\treturn 0;\n\
         \tpthread_create(&s, 0, left, 0);\n\tpthread_create(&t, 0, right, 0);\n\tpthread_join(s, 0);\n\
         \tpthread_join(t, 0);\n\tassert(a + {apart} == b);\n\treturn 0;\n}}\n"
    )
}

/// Who sees nobody else's flag goes in; any number of clients come and go.
const FLAGS: &str = "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\nint want[8], inside;\n\
    void *client(void *x)\n{\n\tint me = -1;\n\tfor (int i = 0; i < 8; i++)\n\
    \t\tif (me < 0 && __sync_bool_compare_and_swap(&want[i], 0, 1))\n\t\t\tme = i;\n\tif (me < 0)\n\t\treturn 0;\n\
    \tfor (int i = 0; i < 8; i++)\n\t\tif (i != me && want[i]) {\n\t\t\twant[me] = 0;\n\t\t\treturn 0;\n\t\t}\n\
    \tinside++;\n\tassert(inside == 1);\n\tinside--;\n\twant[me] = 0;\n\treturn 0;\n}\n\
    int main(void)\n{\n\tpthread_t t;\n\twhile (__VERIFIER_nondet_int())\n\t\tpthread_create(&t, 0, client, 0);\n\treturn 0;\n}\n";

#[test]
fn what_is_said_helps() {
    let cases = [
        Case {
            program: list(20),
            options: &[],
            hint: "hint: --max-objects 32 keeps more objects of one place apart",
            helped: list(20),
            more: &["--max-objects", "32"],
        },
        Case {
            program: counters("i * i", "n * n", ""),
            options: &["--timeout", "3"],
            hint: "hint: program.c:20: an input of any value",
            helped: counters("i * i", "n * n", " || n > 3"),
            more: &[],
        },
        Case {
            program: FLAGS.into(),
            options: &["--timeout", "3"],
            hint: "hint: --max-threads 3 asks about so many threads at a time only",
            helped: FLAGS.into(),
            more: &["--max-threads", "3"],
        },
    ];
    for case in &cases {
        let dir = folder(&[("program.c", &case.program), ("helped.c", &case.helped)]);
        let before = relyant(dir.path()).arg("verify").args(case.options).arg("program.c").output().unwrap();
        let text = out(&before);
        assert!(text.contains(case.hint) && text.ends_with("verdict: unknown\n"), "{text}");
        let after = relyant(dir.path()).arg("verify").args(case.more).arg("helped.c").output().unwrap();
        assert!(out(&after).ends_with("verdict: safe\n"), "{}", out(&after));
    }
}

/// The loop that each refinement goes round once more.
#[test]
fn the_loop_is_named() {
    let dir = folder(&[("program.c", &counters("i", "n", ""))]);
    let mut run = relyant(dir.path());
    run.args(["verify", "--timeout", "4", "--method", "rely-guarantee", "--format", "json", "program.c"]);
    let document: serde_json::Value = serde_json::from_slice(&run.output().unwrap().stdout).unwrap();
    let hints = document["results"][0]["hints"].as_array().unwrap();
    let lines: Vec<&serde_json::Value> = hints.iter().flat_map(|h| h["lines"].as_array().unwrap()).collect();
    assert!(lines.iter().any(|l| **l == 7 || **l == 13), "{document}");
}

#[test]
fn what_is_no_input_is_not_called_one() {
    let text = "#include <assert.h>\n#include <math.h>\nint main(void)\n{\n\tassert(sin(1.0) < 0.5);\n\treturn 0;\n}\n";
    let dir = folder(&[("program.c", text)]);
    let said = out(&relyant(dir.path()).args(["verify", "program.c"]).output().unwrap());
    assert!(said.ends_with("verdict: unknown\n"), "{said}");
    assert!(!said.contains("an input of any value"), "{said}");
}

/// Two threads that add up, more than a short search sees.
const ADDING: &str = "#include <assert.h>\n#include <pthread.h>\n#ifndef N\n#define N 40\n#endif\nint a, b, t;\n\
    void *left(void *x) { for (int i = 0; i < N; i++) { t = a; a = a + b; } return 0; }\n\
    void *right(void *x) { for (int i = 0; i < N; i++) { t = b; b = b + a + 1; } return 0; }\n\
    int main(void) {\n\tpthread_t p, q;\n\tpthread_create(&p, 0, left, 0);\n\tpthread_create(&q, 0, right, 0);\n\
    \tassert(a >= 0 && b >= 0);\n\treturn 0;\n}\n";

#[test]
fn what_is_tried_is_said() {
    let fixed = ADDING.replace("#ifndef N\n", "").replace("#endif\n", "");
    let dir = folder(&[("d.c", ADDING), ("f.c", &fixed)]);
    let said = |file: &str| {
        let few = ["--method", "search", "--search", "400", "--max-states", "400"];
        let o = relyant(dir.path()).arg("verify").args(few).arg(file).output().unwrap();
        assert!(out(&o).ends_with("verdict: unknown\n"), "{}", out(&o));
        out(&o)
    };
    let text = said("d.c");
    assert!(
        text.contains("hint: -DN=2 in place of 40 gives a verdict, about that size only: safe"),
        "{text}"
    );
    let text = said("f.c");
    assert!(
        text.contains("hint: f.c:3: `N` as 2 in place of 40 gives a verdict, about that size only: safe"),
        "{text}"
    );
    let o = relyant(dir.path()).args(["verify", "--method", "search", "-DN=2", "d.c"]).output().unwrap();
    assert!(out(&o).ends_with("verdict: safe\n"), "{}", out(&o));
    // Another method is tried, too.
    let loops = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n\tunsigned n = \
        __VERIFIER_nondet_uint(), i = 0;\n\twhile (i < n) i++;\n\tassert(i >= n);\n\treturn 0;\n}\n";
    std::fs::write(dir.path().join("l.c"), loops).unwrap();
    let few = ["verify", "--method", "search", "--search", "1", "--max-states", "10", "l.c"];
    let text = out(&relyant(dir.path()).args(few).output().unwrap());
    assert!(text.contains("hint: --method auto gives a verdict: safe"), "{text}");
}
