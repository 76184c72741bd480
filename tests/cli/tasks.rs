//! Task definitions and property files of SV-COMP in, verdict words out.

use super::{SAFE, UNSAFE, endless, err, folder, out, relyant};
use std::process::Output;

const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const OVERFLOW: &str = "CHECK( init(main()), LTL(G ! overflow) )\n";
const TERMINATION: &str = "CHECK( init(main()), LTL(F end) )\n";

/// Calls `reach_error`, and an assertion fails; which one of them matters?
const BOTH: &str = r#"
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
void oops(int x) {}
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == 3) { reach_error(); abort(); }
    if (x == 4) oops(x);
    return 0;
}
"#;

fn task(properties: &[&str], options: &str) -> String {
    let list: String =
        properties.iter().map(|p| format!("  - property_file: {p}\n    expected_verdict: false\n")).collect();
    format!("format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n{list}{options}")
}

fn run(files: &[(&str, &str)], args: &[&str]) -> Output {
    let always = [("u.prp", UNREACH), ("o.prp", OVERFLOW), ("t.prp", TERMINATION)];
    let dir = folder(&[files, &always].concat());
    relyant(dir.path()).args(["verify", "--verdict-words"]).args(args).output().unwrap()
}

fn last(o: &Output) -> String {
    out(o).lines().last().unwrap_or_default().to_string()
}

#[test]
fn words() {
    let t = task(&["u.prp"], "");
    let reach = |text: &str| {
        text.replace("#include <assert.h>", "void reach_error(void);")
            .replace("assert(", "if (!(")
            .replace("); return 0", ")) reach_error(); return 0")
    };
    let (safe, bad) = (reach(SAFE), reach(UNSAFE));
    let o = run(&[("a.c", &safe), ("t.yml", &t)], &["t.yml"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(0), "true"), "{}{}", out(&o), err(&o));
    assert!(out(&o).contains("expected false"), "{}", out(&o));
    let o = run(&[("a.c", &bad), ("t.yml", &t)], &["t.yml"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(1), "false(unreach-call)"), "{}", out(&o));
    let o = run(&[("a.c", "int main(void) { return 0 }")], &["a.c"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(2), "unknown"));
    let o = run(&[("a.c", UNSAFE)], &["a.c"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(1), "false(unreach-call)"));
}

#[test]
fn only_the_property_counts() {
    // A failing assertion calls no error function.
    let o = run(&[("a.c", UNSAFE)], &["a.c", "--property", "u.prp"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(0), "true"), "{}{}", out(&o), err(&o));
    // Neither does an error function that is not asked for.
    let odd = "CHECK( init(main()), LTL(G ! call(oops())) )\n";
    let never = "CHECK( init(main()), LTL(G ! call(never())) )\n";
    for (property, verdict, line) in [
        (odd, "false(unreach-call)", "a.c:10"),
        (never, "true", ""),
        (UNREACH, "false(unreach-call)", "a.c:9"),
    ] {
        let o = run(&[("a.c", BOTH), ("f.prp", property)], &["a.c", "--property", "f.prp"]);
        assert_eq!(last(&o), verdict, "{property}{}{}", out(&o), err(&o));
        assert!(out(&o).contains(line), "{}", out(&o));
    }
    let o = run(&[("a.c", BOTH)], &["a.c", "--property", "no-overflow"]);
    assert_eq!(last(&o), "true", "{}", out(&o));
    let sum = BOTH.replace("if (x == 4)", "if (x + 1 > 4)");
    let o = run(&[("a.c", &sum)], &["a.c", "--property", "o.prp"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(1), "false(no-overflow)"), "{}", out(&o));
}

/// An error function is called through a pointer.
#[test]
fn error_function_by_pointer() {
    let text =
        "void bad(void) {}\nvoid good(void) {}\nint main(void) { void (*f)(void) = WHICH; f(); return 0; }\n";
    let property = "CHECK( init(main()), LTL(G ! call(bad())) )\n";
    for (which, verdict) in [("bad", "false(unreach-call)"), ("good", "true")] {
        let text = text.replace("WHICH", which);
        let o = run(&[("a.c", &text), ("f.prp", property)], &["a.c", "--property", "f.prp"]);
        assert_eq!(last(&o), verdict, "{}{}", out(&o), err(&o));
    }
}

#[test]
fn data_models() {
    // `long` holds 5,000,000,000 where it has 64 bits.
    let text =
        "void reach_error(void);\nint main(void) { if (sizeof(long) == 4) reach_error(); return 0; }\n";
    for (model, args, status) in
        [("LP64", &[][..], 0), ("ILP32", &[], 1), ("ILP32", &["--ilp32"], 1), ("LP64", &["--ilp32"], 2)]
    {
        let t = task(&["u.prp"], &format!("options:\n  data_model: {model}\n"));
        let o = run(&[("a.c", text), ("t.yml", &t)], &[&["t.yml"], args].concat());
        assert_eq!(o.status.code(), Some(status), "{model} {args:?} {}{}", out(&o), err(&o));
    }
}

#[test]
fn properties_of_a_task() {
    let t = task(&["u.prp", "o.prp", "t.prp"], "");
    let o = run(&[("a.c", BOTH), ("t.yml", &t)], &["t.yml"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("several properties: unreach-call, no-overflow"), "{}", err(&o));
    let o = run(&[("a.c", BOTH), ("t.yml", &t)], &["t.yml", "--property", "u.prp"]);
    assert_eq!(last(&o), "false(unreach-call)", "{}", err(&o));
    let o = run(&[("a.c", BOTH), ("t.yml", &t)], &["t.yml", "--property", "t.prp"]);
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).contains("termination is not supported"), "{}", err(&o));
    let o = run(
        &[("a.c", BOTH), ("f.prp", "CHECK( init(main()), LTL(G ! joy) )\n")],
        &["a.c", "--property", "f.prp"],
    );
    assert_eq!(o.status.code(), Some(2));
    assert!(err(&o).starts_with("f.prp:1:26: error: "), "{}", err(&o));
    let broken = task(&["u.prp"], "").replace("'a.c'", "[a.c, b.c]");
    let o = run(&[("a.c", BOTH), ("t.yml", &broken)], &["t.yml"]);
    assert!(err(&o).starts_with("b.c: error: cannot read the file"), "{}", err(&o));
}

/// At a soft limit BenchExec sends SIGTERM, and waits for the verdict.
#[test]
fn terminated() {
    let dir = folder(&[]);
    let child = relyant(dir.path())
        .args(["verify", "--verdict-words"])
        .arg(endless())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    let o = child.wait_with_output().unwrap();
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(3), "unknown"), "{}", out(&o));
    assert!(out(&o).contains("terminated"), "{}", out(&o));
}

#[test]
fn several_files() {
    let tasks = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tasks");
    for (task, word) in [("two.yml", "true"), ("two_broken.yml", "false(unreach-call)")] {
        let o = relyant(&tasks).args(["verify", "--verdict-words", task]).output().unwrap();
        assert_eq!(last(&o), word, "{}{}", out(&o), err(&o));
    }
    // The same without a task definition, as BenchExec calls it.
    for (main, status) in [("two_main.c", 0), ("two_main_broken.c", 1)] {
        let o = relyant(&tasks).args(["verify", "--with", "two_other.c", main]).output().unwrap();
        assert_eq!(o.status.code(), Some(status), "{}{}", out(&o), err(&o));
    }
    // Two definitions of one thing.
    let both = ("b.c", "int n = 1;\nint main(void) { return n; }\n");
    let t = task(&["u.prp"], "").replace("'a.c'", "['a.c', 'b.c']");
    let o = run(&[("a.c", "int n = 2;\n"), both, ("t.yml", &t)], &["t.yml"]);
    assert_eq!((o.status.code(), last(&o).as_str()), (Some(2), "unknown"), "{}", out(&o));
}

#[test]
fn memory() {
    let all: String = ["valid-free", "valid-deref", "valid-memtrack"]
        .map(|p| format!("CHECK( init(main()), LTL(G {p}) )\n"))
        .concat();
    let file = |text| run(&[("a.c", text), ("m.prp", all.as_str())], &["--property", "m.prp", "a.c"]);
    let o = file("int a[2]; int main(void) { a[1] = 1; return 0; }\n");
    assert_eq!(last(&o), "true", "{}{}", out(&o), err(&o));
    let o = file("int a[2]; int main(void) { int i = 2; a[i] = 1; return 0; }\n");
    assert_eq!(last(&o), "false(valid-deref)", "{}{}", out(&o), err(&o));
    // What is never freed.
    let leaks = "#include <stdlib.h>\nint main(void) { int *p = malloc(sizeof *p); *p = 1; return 0; }\n";
    let o = file(leaks);
    assert_eq!(last(&o), "false(valid-memtrack)", "{}{}", out(&o), err(&o));
}

/// What several files declare by one name has one type (C11 6.2.7p2).
#[test]
fn types_agree_between_files() {
    let cases = [
        ("extern int x;", "int x = 1;", true),
        ("extern long x;", "int x = 1;", false),
        ("extern unsigned x;", "int x = 1;", false),
        ("extern int x[];", "int x[3] = {1};", true),
        ("extern int x[2];", "int x[3] = {1};", false),
        ("extern int *x;", "int x[3] = {1};", false),
        ("int x(int);", "int x(int a) { return a; }", true),
        ("int x();", "int x(int a) { return a; }", true),
        ("int x(long);", "int x(int a) { return a; }", false),
        ("void x(int);", "int x(int a) { return a; }", false),
        ("struct s { int a; }; extern struct s x;", "struct s { int a; }; struct s x;", true),
        ("struct s { int a; }; extern struct s x;", "struct s { long a; }; struct s x;", false),
        ("struct s { int a; }; extern struct s x;", "struct s { int b; }; struct s x;", false),
        // Names of one file are its own.
        ("static long x = 1;", "int x = 1;", true),
    ];
    let t = task(&["u.prp"], "").replace("'a.c'", "[a.c, b.c]");
    for (one, other, agrees) in cases {
        let text = format!("{one}\nvoid reach_error(void);\nint main(void) {{ return sizeof x > 100; }}\n");
        let text = if one.contains('(') { text.replace("sizeof x", "sizeof(x(1))") } else { text };
        let text = if one.starts_with("void") { text.replace("sizeof(x(1))", "x(1), 1") } else { text };
        let text = if one.contains("[]") { text.replace("sizeof x", "x[0]") } else { text };
        let o = run(&[("a.c", &text), ("b.c", other), ("t.yml", &t)], &["t.yml"]);
        let said = format!("{one} {other}\n{}{}", out(&o), err(&o));
        assert_eq!(o.status.code(), Some(if agrees { 0 } else { 2 }), "{said}");
        assert!(agrees || said.contains("has different types in the files of the program"), "{said}");
    }
}
