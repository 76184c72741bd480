//! Several files that are one program: what each has for itself, names in reports, certificates.

use super::{err, folder, out, relyant};
use std::path::Path;
use std::process::Output;

fn run(dir: &Path, args: &[&str]) -> Output {
    relyant(dir).args(args).output().unwrap()
}

fn status(dir: &Path, args: &[&str]) -> Option<i32> {
    run(dir, args).status.code()
}

/// A verdict, with what was said.
#[track_caller]
fn verdict(files: &[(&str, &str)], args: &[&str], expected: i32) -> String {
    let dir = folder(files);
    let names: Vec<&str> = files.iter().map(|f| f.0).filter(|n| n.ends_with(".c")).collect();
    let o = run(dir.path(), &[&["verify"], args, &names].concat());
    assert_eq!(o.status.code(), Some(expected), "{}{}", out(&o), err(&o));
    out(&o)
}

const QUEUE: &str = "#include <pthread.h>\nstruct queue { int n; };\nextern struct queue q;\n\
    static inline int q_size(void) { return q.n; }\nvoid *w1(void *a); int get1(void);\n";
const FIRST: &str = "#include \"queue.h\"\nstruct queue q;\nstatic int count; static int other(void) { return 0; }\n\
    static void step(void) { count = count + 1; }\n\
    void *w1(void *a) { step(); q.n = count; return 0; }\nint get1(void) { return count + other() + q_size(); }\n";
const SECOND: &str = "#include <assert.h>\n#include \"queue.h\"\nstatic int count;\n\
    static void step(void) { count = count + 1; }\nvoid *w2(void *a) { step(); return 0; }\n\
    int main(void)\n{\n\tint other = q.n;\n\tpthread_t x, y;\n\tpthread_create(&x, 0, w1, 0);\n\
    \tpthread_create(&y, 0, w2, 0);\n\tstep();\n\tpthread_join(x, 0);\n\tpthread_join(y, 0);\n\
    \tassert(count == 2 + other * q_size());\n\treturn get1();\n}\n";

/// No report has a name that no file has.
#[test]
fn reports_have_the_names_and_the_lines_of_the_files() {
    let dir = folder(&[("queue.h", QUEUE), ("s1.c", FIRST), ("s2.c", SECOND)]);
    let at = dir.path();
    for property in ["assertions", "no-data-race"] {
        for format in ["text", "json", "sarif"] {
            let o = run(at, &["verify", "-v", "--property", property, "--format", format, "s2.c", "s1.c"]);
            let text = out(&o);
            assert_eq!(o.status.code(), Some(1), "{text}{}", err(&o));
            assert!(
                !text.contains("count__") && !text.contains("step__") && !text.contains("size__"),
                "{text}"
            );
        }
    }
    let text = out(&run(at, &["verify", "--property", "no-data-race", "s2.c", "s1.c"]));
    assert!(text.contains("data race on `count (s2.c)`"), "{text}");
    assert!(text.contains("static void step(void) { count = count + 1; }"), "{text}");
    let text = out(&run(at, &["verify", "-v", "s2.c", "s1.c"]));
    // One file only has an object of that name.
    assert!(text.contains("static inline int q_size(void) { return q.n; }"), "{text}");
    assert_eq!(status(at, &["verify", "--html", "r.html", "s2.c", "s1.c"]), Some(1));
    let page = std::fs::read_to_string(at.join("r.html")).unwrap();
    assert!(!page.contains("count__") && !page.contains("size__") && page.contains("count (s2.c)"), "{page}");
    // Messages too.
    let wrong =
        SECOND.replace("step();\n\tpthread_join", "asm volatile(\"x\" : \"+m\"(count));\n\tpthread_join");
    std::fs::write(at.join("s2.c"), wrong).unwrap();
    let o = run(at, &["verify", "s2.c", "s1.c"]);
    assert!(!format!("{}{}", out(&o), err(&o)).contains("count__"), "{}{}", out(&o), err(&o));
}

#[test]
fn pages_name_files_statements_and_threads() {
    let main = "#include <assert.h>\n#include <pthread.h>\nextern int n; void *add(void *);\nint main(void)\n{\n\tpthread_t th[2];\n\
        \tfor (int i = 0; i < 2; i++) pthread_create(&th[i], 0, add, 0);\n\
        \tfor (int i = 0; i < 2; i++) pthread_join(th[i], 0);\n\tassert(n == 2);\n}\n";
    let other = "int n;\nvoid *add(void *a)\n{\n\tn = n + 1;\n\treturn 0;\n}\n";
    let dir = folder(&[("main.c", main), ("other.c", other)]);
    assert_eq!(status(dir.path(), &["verify", "--html", "r.html", "main.c", "other.c"]), Some(1));
    let page = std::fs::read_to_string(dir.path().join("r.html")).unwrap();
    assert!(
        page.contains("<span class=\"at\">other.c:4</span>") && page.contains("<span class=\"at\">9</span>"),
        "{page}"
    );
    let end = page.split("class=\"step end\"").nth(1).unwrap();
    assert!(end.contains("assert(n == 2);") && end.contains("<strong>assertion</strong>"), "{end}");
    assert!(page.contains("<dd>main, th[0]: add, th[1]: add</dd>"), "{page}");
    assert!(!page.contains("add#2"), "{page}");
}

const MAIN: &str = "#include <assert.h>\nint f(void);\n";

#[test]
fn each_file_has_its_own_types() {
    let main =
        |own: &str, holds: &str| format!("{MAIN}{own}\nint main(void) {{ assert({holds}); return 0; }}\n");
    for (own, holds, other) in [
        (
            "typedef char word;",
            "sizeof(word) == 1 && f() == 4",
            "typedef int word; int f(void) { return sizeof(word); }",
        ),
        ("enum { K = 1 };", "K == 1 && f() == 2", "enum { J, K = J + 2 }; int f(void) { return K; }"),
        (
            "struct s { int a, b; }; struct s x = { 1, 2 };",
            "x.b == 2 && f() == 2",
            "struct s { int b, a; }; struct s y = { 2, 1 }; int f(void) { return y.b; }",
        ),
        (
            "typedef char in; typedef in out;",
            "sizeof(out) == 1 && f() == 8",
            "typedef long in; typedef in out; int f(void) { return sizeof(out); }",
        ),
        (
            "struct in { char c; }; struct out { struct in a[2]; };",
            "sizeof(struct out) == 2 && f() == 8",
            "struct in { int c; }; struct out { struct in a[2]; }; int f(void) { return sizeof(struct out); }",
        ),
    ] {
        let (main, other) = (main(own, holds), format!("{other}\n"));
        verdict(&[("a.c", &main), ("b.c", &other)], &[], 0);
        verdict(&[("b.c", &other), ("a.c", &main)], &[], 0);
    }
    // A member, a tag and an extern object of one name stay together.
    let header = "struct count { int count; };\nextern struct count count;\n";
    let main = "#include <assert.h>\n#include \"h.h\"\nvoid f(void);\nint main(void) { f(); assert(count.count == 3); return 0; }\n";
    let other =
        "#include \"h.h\"\nstruct count count;\nstatic int n;\nvoid f(void) { n = 3; count.count = n; }\n";
    let third = "#include \"h.h\"\nstatic int n = 7;\nint g(void) { return n; }\n";
    verdict(&[("h.h", header), ("a.c", main), ("b.c", other), ("c.c", third)], &[], 0);
}

#[test]
fn what_is_static_is_each_files_own() {
    let main =
        |own: &str, holds: &str| format!("{MAIN}{own}\nint main(void) {{ assert({holds}); return 0; }}\n");
    for (own, holds, other) in [
        (
            "static int one(void) { return 1; } static int (*p)(void) = one;",
            "p() == 1 && f() == 2",
            "static int two(void) { return 2; } static int (*p)(void) = two; int f(void) { return p(); }",
        ),
        (
            "static int x __attribute__((aligned(8))) = 1;",
            "x == 1 && f() == 2",
            "static int x __attribute__((aligned(8))) = 2; int f(void) { return x; }",
        ),
        (
            "int total; static int *p = &total;",
            "p == &total && f() == 5 && total == 5",
            "extern int total; static int *p = &total, q; int f(void) { *p = 5; return *p + q; }",
        ),
        (
            "static _Atomic(int) x = 1;",
            "x == 1 && f() == 2",
            "static _Atomic(int) x = 2; int f(void) { return x; }",
        ),
        (
            "static int g(void); int h(void) { return g(); } int g(void) { return 1; }",
            "h() == 1 && f() == 2",
            "static int g(void); int f(void) { return g(); } int g(void) { return 2; }",
        ),
        (
            "static const char *name(void) { return __func__; }",
            "name()[4] == 0 && f() == 5",
            "static int name(void) { return sizeof(__func__); } int f(void) { return name(); }",
        ),
    ] {
        let (main, other) = (main(own, holds), format!("{other}\n"));
        verdict(&[("a.c", &main), ("b.c", &other)], &[], 0);
        verdict(&[("b.c", &other), ("a.c", &main)], &[], 0);
    }
    // What a function's name says stays said.
    let error = "static void reach_error(void) {}\n";
    let main = format!(
        "{error}extern int x; void f(void);\nint main(void) {{ x = 3; f(); if (x == 4) reach_error(); return 0; }}\n"
    );
    let other = format!("{error}int x;\nvoid f(void) {{ if (x == 3) reach_error(); }}\n");
    let said = verdict(&[("a.c", &main), ("b.c", &other)], &[], 1);
    assert!(said.contains("violated: reach_error at b.c:3"), "{said}");
    let label = "void f(void) { ERROR: ; }\nint main(void) { f(); return 0; }\n";
    verdict(&[("a.c", label), ("b.c", "static int ERROR; int g(void) { return ERROR; }\n")], &[], 1);
    // Starts as well.
    let threads = "#include <assert.h>\nint x;\nstatic void left(void) { x = 1; }\nstatic void right(void) { assert(x == 0); }\n";
    let other = "static int left(void) { return 0; }\nint g(void) { return left(); }\n";
    verdict(&[("a.c", threads), ("b.c", &other.replace("left", "right"))], &["--threads", "left:right"], 2);
    verdict(
        &[("a.c", threads), ("b.c", "int g(void) { int left = 0, right = left; return right; }\n")],
        &["--threads", "left:right"],
        1,
    );
}

#[test]
fn certificates_are_about_all_files_in_their_order() {
    let add = "#include <pthread.h>\n#include \"h.h\"\nstatic int n; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static inline void step(int k) { pthread_mutex_lock(&m); n += k; pthread_mutex_unlock(&m); }\n\
        void add(int k) { step(k); }\nint get(void) { return n; }\n";
    let main = "#include <pthread.h>\n#include <assert.h>\n#include \"h.h\"\nstatic int n;\nvoid *w(void *p) { add(1); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); add(2); n = 1; pthread_join(t, 0); assert(get() == 3 && n == 1); }\n";
    let header = "void add(int); int get(void);\n";
    let dir = folder(&[
        ("a.c", add),
        ("b.c", main),
        ("h.h", header),
        ("c.c", "int unused;\n"),
        ("d.c", &add.replace("n += k", "n += 2 * k")),
    ]);
    let at = dir.path();
    for method in ["rely-guarantee", "search"] {
        let o =
            run(at, &["verify", "--method", method, "--proof", "p.json", "--html", "p.html", "a.c", "b.c"]);
        assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
        let page = std::fs::read_to_string(at.join("p.html")).unwrap();
        assert!(
            page.contains(">a.proof.json<") && !page.contains("cannot be shown") && !page.contains("n__"),
            "{page}"
        );
        let o = run(at, &["check", "p.json", "a.c", "b.c"]);
        assert!(o.status.code() == Some(0) && out(&o).contains("accepted: "), "{}{}", out(&o), err(&o));
        let o = run(at, &["explain", "p.json", "a.c", "b.c"]);
        assert!(o.status.code() == Some(0) && !out(&o).contains("n__"), "{}{}", out(&o), err(&o));
        for others in [
            &["a.c"][..],
            &["b.c"],
            &["b.c", "a.c"],
            &["a.c", "b.c", "c.c"],
            &["a.c", "b.c", "b.c"],
            &["d.c", "b.c"],
        ] {
            for command in ["check", "explain"] {
                let o = run(at, &[&[command, "p.json"], others].concat());
                let said = format!("{}{}", out(&o), err(&o));
                assert!(o.status.code() == Some(1) && said.contains("rejected: "), "{others:?} {said}");
            }
        }
        // A header counts, whichever file has it.
        std::fs::write(at.join("h.h"), format!("{header}\n")).unwrap();
        assert_eq!(status(at, &["check", "p.json", "a.c", "b.c"]), Some(1));
        std::fs::write(at.join("h.h"), header).unwrap();
    }
    // One file's certificate is none of two.
    std::fs::write(at.join("s.c"), super::SAFE).unwrap();
    assert_eq!(status(at, &["verify", "--proof", "s.json", "s.c"]), Some(0));
    assert_eq!(status(at, &["check", "s.json", "s.c", "c.c"]), Some(1));
    assert_eq!(status(at, &["verify", "--proof", "q.json", "--proof-places", "a.c", "b.c"]), Some(2));
}
