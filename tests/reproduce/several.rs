//! Programs of several files, and folders of headers.

use super::run;
use relyant::report::json::Document;
use std::path::Path;
use std::process::Command;

/// Verifies in the folder, and has the run reproduced; what the program says then.
#[track_caller]
fn reproduced(dir: &Path, args: &[&str]) -> String {
    let words = ["verify", "--format", "json", "--reproduce", "out", "--runs", "3"];
    let o = Command::new(relyant_testing::relyant!())
        .current_dir(dir)
        .args(words)
        .args(args)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&[o.stdout, o.stderr].concat()).into_owned();
    let document: Document = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{e}: {said}"));
    let entry = document.results.into_iter().next().expect("a result");
    assert_eq!(entry.verdict.as_deref(), Some("unsafe"), "{:?} {:?}", entry.error, entry.reason);
    let done = entry.reproduced.expect("it was tried");
    assert!(done.succeeded(), "{done:?}");
    assert_eq!(o.status.code(), Some(1));
    run(&dir.join("out")).1
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    dir
}

const FIRST: &str = "static int count;\nstatic void step(void) { count = count + 1; }\n\
    void *w1(void *a) { step(); return 0; }\nint get1(void) { return count; }\n";
const SECOND: &str = "#include <assert.h>\n#include <pthread.h>\nvoid *w1(void *); int get1(void);\nstatic int count;\n\
    static void step(void) { count = count + 1; }\nvoid *w2(void *a) { step(); return 0; }\nint main(void)\n{\n\
    pthread_t x, y;\npthread_create(&x, 0, w1, 0);\npthread_create(&y, 0, w2, 0);\nstep();\n\
    pthread_join(x, 0);\npthread_join(y, 0);\nassert(count == 2 && get1() == 1);\nreturn 0;\n}\n";

#[test]
fn objects_of_one_name_in_two_files() {
    let dir = folder(&[("s1.c", FIRST), ("s2.c", SECOND)]);
    let said = reproduced(dir.path(), &["s2.c", "s1.c"]);
    assert!(said.contains("Assertion `count == 2"), "{said}");
    let said = reproduced(dir.path(), &["--property", "no-data-race", "s1.c", "s2.c"]);
    assert!(said.contains("ThreadSanitizer: data race"), "{said}");
    // Two files of one name as well.
    let dir = folder(&[("one/s.c", FIRST), ("two/s.c", SECOND)]);
    reproduced(dir.path(), &["one/s.c", "two/s.c"]);
}

const MAIN: &str = "#include \"n.h\"\n#include <assert.h>\n#include <pthread.h>\nint main(void) {\npthread_t x, y;\n\
    pthread_create(&x, 0, add, 0);\npthread_create(&y, 0, add, 0);\npthread_join(x, 0);\npthread_join(y, 0);\n\
    assert(n == 2 * VALUE);\nreturn 0; }\n";
const ADD: &str = "#include \"n.h\"\n#ifdef VALUE\n#error defined\n#endif\nint n;\nvoid *add(void *a) {\nn = n + BY;\nreturn 0; }\n";
const HEADER: &str = "extern int n;\nvoid *add(void *a);\n";

#[test]
fn folders_of_headers_are_where_they_were() {
    let one = format!(
        "int n;\n{}",
        MAIN.replace("int main", "void *add(void *a) {\nn = n + VALUE;\nreturn 0; }\nint main")
    );
    let dir = folder(&[("one.c", &one), ("main.c", MAIN), ("add.c", ADD), ("inc/n.h", HEADER)]);
    reproduced(dir.path(), &["-I", "inc", "-DVALUE=3", "one.c"]);
    let add = ADD.replace("#ifdef VALUE\n#error defined\n#endif\n", "");
    std::fs::write(dir.path().join("add.c"), add.replace("BY", "VALUE")).expect("a file");
    reproduced(dir.path(), &["-I", "inc", "-DVALUE=3", "main.c", "add.c"]);
}

#[test]
fn files_of_a_project_have_their_own_macros() {
    let build = r#"[{"directory": "build", "command": "cc -I../inc -DVALUE=3 -c ../src/main.c", "file": "../src/main.c"},
        {"directory": "build", "arguments": ["cc", "-I", "../inc", "-DBY=3", "-c", "../src/add.c"], "file": "../src/add.c"}]"#;
    let build = build.replace("\"build\"", "\".\"");
    let dir = folder(&[
        ("src/main.c", MAIN),
        ("src/add.c", ADD),
        ("inc/n.h", HEADER),
        ("build/compile_commands.json", &build),
    ]);
    reproduced(dir.path(), &["--project", "build"]);
}
