//! Which programs a command line names: several files, standard input, projects, harnesses, and what is refused.

use super::{SAFE, UNSAFE, err, folder, out, relyant};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

const MAIN: &str = "#include <assert.h>\n#include <pthread.h>\nextern int x;\nvoid *f(void *);\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x <= LIMIT); return 0; }\n";
const REST: &str = "int x;\nvoid *f(void *a) { x = VALUE; return 0; }\n";

fn run(dir: &Path, args: &[&str]) -> Output {
    relyant(dir).args(args).output().unwrap()
}

fn status(dir: &Path, args: &[&str]) -> Option<i32> {
    run(dir, args).status.code()
}

#[test]
fn several_files_are_one_program() {
    let dir = folder(&[("a.c", MAIN), ("b.c", REST), ("t.yml", "format_version: '2.0'\ninput_files: a.c\n")]);
    let with = |limit: &str, more: &[&str]| {
        let limit = format!("-DLIMIT={limit}");
        run(dir.path(), &[&["verify", &limit, "-DVALUE=1", "a.c", "b.c"], more].concat())
    };
    assert_eq!((with("1", &[]).status.code(), with("0", &[]).status.code()), (Some(0), Some(1)));
    let o = with("1", &["--format", "json"]);
    let doc: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(
        (&doc["results"][0]["file"], &doc["results"][0]["more_files"]),
        (&json!("a.c"), &json!(["b.c"]))
    );
    // One by one, each lacks the other.
    assert_eq!(with("1", &["--each"]).status.code(), Some(2));
    assert_eq!(status(dir.path(), &["verify", "t.yml", "b.c"]), Some(2));
}

#[test]
fn standard_input_is_a_source() {
    let dir = folder(&[]);
    let verify = |text: &str, more: &[&str]| {
        let mut c = relyant(dir.path());
        c.args(["verify", "-"])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = c.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    assert_eq!(verify(SAFE, &["--proof", "p.json"]).status.code(), Some(0));
    let o = verify(UNSAFE, &[]);
    assert!(o.status.code() == Some(1) && out(&o).contains("stdin.c:6"), "{}", out(&o));
    let o = verify("int main(void) { return x; }\n", &[]);
    assert!(o.status.code() == Some(2) && err(&o).starts_with("stdin.c:1:"), "{}", err(&o));
    assert_eq!(verify(UNSAFE, &["--witness", "w.yml"]).status.code(), Some(2));
    std::fs::write(dir.path().join("s.c"), SAFE).unwrap();
    assert_eq!(status(dir.path(), &["check", "p.json", "s.c"]), Some(0));
}

#[test]
fn what_is_included_first_and_the_standard() {
    let first = "#define LIMIT 1\n#define VALUE 1\n";
    let version = "#include <assert.h>\nint main(void) { assert(__STDC_VERSION__ == 199901L); return 0; }\n";
    let text = format!("{REST}{}", MAIN.replace("extern int x;\nvoid *f(void *);\n", ""));
    let dir = folder(&[("first.h", first), ("a.c", &text), ("v.c", version)]);
    let at = dir.path();
    assert_eq!(status(at, &["verify", "-include", "first.h", "--proof", "p.json", "a.c"]), Some(0));
    // Both have to say what may define any macro.
    assert_eq!(status(at, &["check", "p.json", "a.c"]), Some(1));
    assert_eq!(status(at, &["check", "p.json", "-include", "first.h", "a.c"]), Some(0));
    assert_eq!(status(at, &["verify", "-std=c99", "v.c"]), Some(0));
    assert_eq!(status(at, &["verify", "-std=c11", "v.c"]), Some(1));
    assert_eq!(status(at, &["verify", "-std=c++17", "v.c"]), Some(2));
}

/// Each file with its own macros, relative to its folder; words as a shell has them.
#[test]
fn a_project_says_how_its_files_are_read() {
    let dir = folder(&[("inc.h", "#define UNUSED 1\n")]);
    let at = dir.path();
    std::fs::create_dir(at.join("src")).unwrap();
    std::fs::write(at.join("src/a.c"), format!("#include \"inc.h\"\n{MAIN}")).unwrap();
    std::fs::write(at.join("src/b.c"), REST).unwrap();
    let entries = |limit: &str| {
        let build = json!([
            {"directory": at.join("src"), "file": "a.c", "command": format!("cc -O2 '-DLIMIT={limit}' -I .. -c a.c -o a.o")},
            {"directory": "src", "file": "b.c", "arguments": ["cc", "-D", "VALUE=2", "-c", "b.c"]},
            {"directory": "src", "file": "c.cpp", "arguments": ["c++", "-std=c++20", "c.cpp"]},
        ]);
        std::fs::write(at.join("compile_commands.json"), build.to_string()).unwrap();
    };
    entries("2");
    assert_eq!(status(at, &["verify", "--project", "."]), Some(0));
    entries("1");
    let o = run(at, &["verify", "--project", "."]);
    assert!(o.status.code() == Some(1) && out(&o).contains("src/a.c:6"), "{}{}", out(&o), err(&o));
    assert_eq!(status(at, &["verify", "--project", ".", "src/a.c", "src/b.c"]), Some(1));
    std::fs::write(at.join("compile_commands.json"), "{").unwrap();
    let o = run(at, &["verify", "--project", "."]);
    assert!(o.status.code() == Some(2) && err(&o).contains("CMAKE_EXPORT_COMPILE_COMMANDS"), "{}", err(&o));
    assert_eq!(status(at, &["verify"]), Some(2));
}

#[test]
fn a_harness_calls_what_has_no_main() {
    let source = "struct box { int n; };\nstatic void put(struct box *b, int k, unsigned char *s) {\n\
        \tif (s) b->n = k;\n}\nint get(struct box *b) { return b->n; }\n";
    let dir = folder(&[("box.c", source), ("m.c", UNSAFE)]);
    let at = dir.path();
    let o = run(at, &["init", "box.c"]);
    assert!(o.status.code() == Some(2) && err(&o).contains("put, get"), "{}", err(&o));
    assert_eq!(
        status(at, &["init", "box.c", "--function", "put", "--function", "get", "-o", "h.c"]),
        Some(0)
    );
    let text = std::fs::read_to_string(at.join("h.c")).unwrap();
    assert!(
        text.contains("#include \"box.c\"\n") && text.contains("int k = __VERIFIER_nondet_int();"),
        "{text}"
    );
    assert_eq!(text.matches("pthread_create(").count(), 4, "{text}");
    let o = run(at, &["verify", "--property", "no-data-race", "h.c"]);
    assert!(o.status.code() == Some(1) && out(&o).contains("data race on"), "{}{}", out(&o), err(&o));
    // What is there is kept; what has a main needs none.
    assert_eq!(status(at, &["init", "box.c", "--function", "get", "-o", "h.c"]), Some(2));
    assert!(err(&run(at, &["init", "m.c"])).contains("has a `main`"));
    assert!(err(&run(at, &["init", "box.c", "--function", "no"])).contains("no function `no`"));
}

#[test]
fn a_harness_gives_arrays_and_null_pointers() {
    let source = "typedef int (*call)(int);\ntypedef char *text;\n\
        void fill(int a[4], int b[2][ROWS], call c, text t, int *p, int n, int v[n])\n{\n\
        \tfor (int i = 0; i < 4; i++) a[i] = b[i % 2][ROWS - 1];\n\tif (c) c(*p);\n\tif (t) t[0] = v[0];\n}\n";
    let dir = folder(&[("arr.c", source)]);
    let at = dir.path();
    std::fs::create_dir(at.join("sub")).unwrap();
    let o = run(at, &["init", "-DROWS=3", "-I", "a b", "arr.c", "-o", "sub/h.c"]);
    let said = out(&o);
    assert_eq!(o.status.code(), Some(0), "{said}{}", err(&o));
    assert!(
        said.contains("next: relyant verify --property no-data-race -DROWS=3 '-Ia b' sub/h.c\n"),
        "{said}"
    );
    let text = std::fs::read_to_string(at.join("sub/h.c")).unwrap();
    for line in [
        "#include \"../arr.c\"\n",
        "static int fill_a[4];\n",
        "static int fill_b[2][3];\n",
        "static int fill_p;\n",
        "static int fill_v;\n",
        "\tfill(fill_a, fill_b, 0, 0, &fill_p, n, &fill_v);\n",
        "/* fill: a: an array that all threads share, zero at first. */\n",
        "/* fill: c: null; give what fill needs. */\n",
        "/* fill: p: an object that all threads share, zero at first. */\n",
    ] {
        assert!(text.contains(line), "{line} {text}");
    }
    let o = run(at, &["verify", "-DROWS=3", "--property", "valid-memsafety", "sub/h.c"]);
    assert_eq!(o.status.code(), Some(0), "{}{}", out(&o), err(&o));
    let o = run(at, &["verify", "-DROWS=3", "arr.c"]);
    assert!(o.status.code() == Some(2) && err(&o).contains("`relyant init`"), "{}", err(&o));
}

#[test]
fn other_languages_and_systems_are_refused_with_what_to_do() {
    let dir = folder(&[
        ("a.cpp", "int main() {}\n"),
        ("w.c", "#include <windows.h>\nint main(void) { return 0; }\n"),
        ("k.c", "#include <linux/no_such_header.h>\nint main(void) { return 0; }\n"),
        ("o.c", "#include <no_such_header.h>\nint main(void) { return 0; }\n"),
    ]);
    let said = |file: &str| {
        let o = run(dir.path(), &["verify", file]);
        assert_eq!(o.status.code(), Some(2), "{file}");
        err(&o)
    };
    assert!(said("a.cpp").contains("a harness that calls it, in C"), "{}", said("a.cpp"));
    assert!(said("w.c").contains("Windows"), "{}", said("w.c"));
    assert!(said("k.c").contains("make DIR/FILE.i"), "{}", said("k.c"));
    assert!(said("o.c").contains("-D and -I"), "{}", said("o.c"));
}

#[test]
fn runs_show_the_authors_lines_of_each_source() {
    let main = "#include <assert.h>\n#include <pthread.h>\nextern int n;\nvoid *count(void *);\nint main(void)\n{\n pthread_t t;\n\
        pthread_create(&t, 0, count, 0);\n pthread_join(t, 0);\n assert(n != 1);\n return 0;\n}\n";
    let other = "#define STEP 1 /* at a time */\nint n;\nvoid *count(void *a)\n{\n n += STEP; // here\n return 0;\n}\n";
    let dir = folder(&[("main.c", main), ("other.c", other)]);
    let o = relyant(dir.path()).args(["verify", "main.c", "other.c"]).output().unwrap();
    let text = out(&o);
    assert_eq!(o.status.code(), Some(1), "{text}");
    let steps: Vec<&str> = text.lines().filter(|l| l.starts_with("other.c:5 ")).collect();
    assert!(steps.len() == 1 && steps[0].contains("n += STEP; // here  n = 0 → 1"), "{text}");
    assert!(text.contains("   10  assert(n != 1);"), "{text}");
}
