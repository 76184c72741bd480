//! Nothing that is read runs anything, and nothing that is said is lost in silence.

use super::{SAFE, UNSAFE, endless, err, folder, out, relyant};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn run(dir: &Path, args: &[&str]) -> Output {
    relyant(dir).args(args).output().unwrap()
}

fn code(o: &Output, status: i32) {
    assert_eq!(o.status.code(), Some(status), "{}{}", out(o), err(o));
}

const UNSAFE_ALONE: &str = "void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";

/// A certificate of `SAFE`, with another `preprocessing`.
fn with_preprocessing(dir: &Path, to: &str, text: &str) {
    let proof = std::fs::read_to_string(dir.join("p.json")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&proof).unwrap();
    value["options"]["preprocessing"] = serde_json::from_str(text).unwrap();
    std::fs::write(dir.join(to), value.to_string()).unwrap();
}

#[test]
fn certificates_hand_nothing_to_the_compiler() {
    let dir = folder(&[("s.c", SAFE), ("evil.h", "#define assert(x)\n")]);
    let dir = dir.path();
    code(&run(dir, &["verify", "--proof", "p.json", "s.c"]), 0);
    let hostile = [
        r#"{"define": ["X=1", "-wrapper", "sh,-c,touch pwned"], "undefine": [], "include": []}"#,
        r#"{"define": ["-wrapper sh,-c,touch\tpwned"], "undefine": [], "include": []}"#,
        r#"{"define": ["X\n-wrapper=sh"], "undefine": [], "include": []}"#,
        r#"{"define": ["X=1\n#include \"evil.h\""], "undefine": [], "include": []}"#,
        r#"{"define": [], "undefine": ["-imacros", "evil.h"], "include": []}"#,
        r#"{"define": [], "undefine": ["@options"], "include": []}"#,
        r#"{"define": [" -imacros evil.h"], "undefine": [], "include": []}"#,
        r#"{"define": [], "undefine": [], "include": [], "arguments": ["-imacros", "evil.h"]}"#,
        r#"["-imacros", "evil.h"]"#,
    ];
    std::fs::write(dir.join("options"), "-wrapper sh,-c,touch\\ pwned\n").unwrap();
    for text in hostile {
        with_preprocessing(dir, "q.json", text);
        let o = run(dir, &["check", "q.json", "s.c"]);
        code(&o, 2);
        assert!(err(&o).contains("not a certificate"), "{}", err(&o));
    }
    // Folders are folders, whatever they are called.
    for name in ["-", "@options", " -wrapper sh,-c,touch pwned", "=x", "-wrapper", "x -imacros evil.h"] {
        let text = format!(r#"{{"define": [], "undefine": [], "include": ["{name}"]}}"#);
        with_preprocessing(dir, "q.json", &text);
        let o = run(dir, &["check", "q.json", "s.c"]);
        code(&o, 0);
        assert!(out(&o).contains("preprocessed with: -I"), "{}", out(&o));
    }
    assert!(!dir.join("pwned").exists());
}

#[test]
fn certificates_of_the_first_version_are_none() {
    let dir = folder(&[("s.c", SAFE)]);
    let dir = dir.path();
    code(&run(dir, &["verify", "--proof", "p.json", "s.c"]), 0);
    let mut value: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("p.json")).unwrap()).unwrap();
    value["options"].as_object_mut().unwrap().remove("preprocessing");
    value["options"]["cpp_args"] = serde_json::json!(["-wrapper", "sh,-c,touch pwned"]);
    std::fs::write(dir.join("q.json"), value.to_string()).unwrap();
    code(&run(dir, &["check", "q.json", "s.c"]), 2);
    value["version"] = 1.into();
    std::fs::write(dir.join("q.json"), value.to_string()).unwrap();
    let o = run(dir, &["check", "q.json", "s.c"]);
    code(&o, 2);
    assert!(err(&o).contains("version 1 has options for a compiler"), "{}", err(&o));
    assert!(!dir.join("pwned").exists());
}

#[test]
fn what_is_checked_is_not_for_a_certificate_to_say() {
    let own = "int x;\nint main(void) { assert(x == 1); return 0; }\n";
    let dir = folder(&[("s.c", &format!("#ifndef assert\n#include <assert.h>\n#endif\n{own}"))]);
    let dir = dir.path();
    let o = run(
        dir,
        &[
            "verify",
            "--property",
            "assertions",
            "s.c",
            "-D",
            "assert(c)=(void)(c)",
            "-D",
            "N=3",
            "--proof",
            "p.json",
        ],
    );
    code(&o, 0);
    let o = run(dir, &["check", "p.json", "s.c"]);
    code(&o, 1);
    assert!(out(&o).contains("another `assert`"), "{}", out(&o));
    let o = run(dir, &["check", "p.json", "s.c", "-D", "assert(c)=(void)(c)"]);
    code(&o, 0);
    assert!(out(&o).contains("preprocessed with: -Dassert(c)=(void)(c) -DN=3\n"), "{}", out(&o));
    let o = run(dir, &["check", "p.json", "s.c", "-D", "assert(c)=(void)(c)", "-D", "N=4"]);
    code(&o, 1);
    assert!(out(&o).contains("made without -DN=4"), "{}", out(&o));
    // Nor are names that are none.
    code(&run(dir, &["verify", "s.c", "-D", "-wrapper"]), 2);
    code(&run(dir, &["verify", "s.c", "-U", "assert(c)"]), 2);
}

#[test]
fn included_files_are_part_of_a_certificate() {
    let text = SAFE.replace("int x;", "#include \"a.h\"\n#include <b.h>\nint x;");
    let dir = folder(&[("s.c", &text), ("a.h", "#include \"c.h\"\n"), ("c.h", "/* one */\n")]);
    let dir = dir.path();
    std::fs::create_dir_all(dir.join("inc")).unwrap();
    std::fs::write(dir.join("inc/b.h"), "enum { one = 1 };\n").unwrap();
    for method in ["relyguarantee", "search"].map(|m| if m == "search" { m } else { "rely-guarantee" }) {
        code(&run(dir, &["verify", "-I", "inc", "--method", method, "--proof", "p.json", "s.c"]), 0);
        let o = run(dir, &["check", "p.json", "s.c"]);
        code(&o, 0);
        assert!(out(&o).contains("preprocessed with: -Iinc\n"), "{}", out(&o));
        let value: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(dir.join("p.json")).unwrap()).unwrap();
        let names: Vec<&str> =
            value["includes"].as_array().unwrap().iter().map(|i| i["file"].as_str().unwrap()).collect();
        assert_eq!(names, ["a.h", "c.h", "inc/b.h"]);
        for (name, was) in [("c.h", "/* one */\n"), ("inc/b.h", "enum { one = 1 };\n")] {
            std::fs::write(dir.join(name), was.replace("one", "two")).unwrap();
            let o = run(dir, &["check", "p.json", "s.c"]);
            code(&o, 1);
            assert!(out(&o).contains(&format!("another `{name}`")), "{}", out(&o));
            std::fs::write(dir.join(name), was).unwrap();
        }
    }
}

#[test]
fn names_are_names_only() {
    let dir = folder(&[
        ("@options.c", SAFE),
        ("plugin.c", "-fplugin=./evil.so\n"),
        ("-imacros.c", SAFE),
        ("options.c", "-wrapper sh,-c,touch\\ pwned\n"),
        ("s.c", SAFE),
        ("@more.c", "int unused(void) { return 1; }\n"),
        ("more.c", "-wrapper sh,-c,touch\\ pwned\n"),
        ("t.yml", "format_version: '2.0'\ninput_files: '@options.c'\n"),
        ("u.yml", "format_version: '2.0'\ninput_files: ['s.c', '@more.c']\n"),
        ("v.yml", "format_version: '2.0'\ninput_files: ['-imacros.c']\n"),
    ]);
    let dir = dir.path();
    std::fs::create_dir_all(dir.join("sub")).unwrap();
    std::fs::write(dir.join("sub/@plugin.c"), SAFE).unwrap();
    code(&run(dir, &["verify", "sub/@plugin.c"]), 0);
    code(&run(dir, &["verify", "@options.c"]), 0);
    code(&run(dir, &["verify", "--", "-imacros.c"]), 0);
    code(&run(dir, &["verify", "--property", "assertions", "t.yml"]), 0);
    code(&run(dir, &["verify", "--property", "assertions", "u.yml"]), 0);
    code(&run(dir, &["verify", "--property", "assertions", "v.yml"]), 0);
    code(&run(dir, &["verify", "s.c", "--with", "@more.c"]), 0);
    code(&run(dir, &["verify", "s.c", "-I", "@options.c", "-I-", "-I=x"]), 0);
    code(&run(dir, &["verify", "--proof", "p.json", "@options.c"]), 0);
    code(&run(dir, &["check", "p.json", "@options.c"]), 0);
    assert!(!dir.join("pwned").exists());
}

/// Nothing is left that has this in its command line.
fn none_left(text: &str) {
    let since = Instant::now();
    while alive(text) > 0 {
        assert!(since.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes that have this in their command line.
fn alive(text: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    lines.filter(|l| String::from_utf8_lossy(l).contains(text)).count()
}

/// Is SIGHUP ignored from the start, as `nohup` has it? Then it is meant to be.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}

#[test]
fn a_preprocessor_ends() {
    let dir = folder(&[]);
    let name = "includes_what_never_ends.c";
    let file = dir.path().join(name);
    let began = Instant::now();
    std::fs::write(&file, "#include \"/dev/urandom\"\nint main(void) { return 0; }\n").unwrap();
    let o = run(dir.path(), &["verify", name]);
    assert!(matches!(o.status.code(), Some(2 | 3)), "{}{}", out(&o), err(&o));
    none_left(name);
    // Nobody ever writes to it.
    assert!(Command::new("mkfifo").arg(dir.path().join("pipe.h")).status().unwrap().success());
    std::fs::write(&file, "#include \"pipe.h\"\nint main(void) { return 0; }\n").unwrap();
    let o = run(dir.path(), &["verify", "--timeout", "1", name]);
    code(&o, 3);
    assert!(out(&o).contains("time limit of 1 s reached"), "{}", out(&o));
    none_left(name);
    for signal in ["-TERM", "-INT", "-HUP"] {
        if signal == "-HUP" && hangups_are_ignored() {
            continue;
        }
        let child = relyant(dir.path()).args(["verify", name]).stdout(Stdio::piped()).spawn().unwrap();
        while alive(name) < 3 {
            std::thread::sleep(Duration::from_millis(20));
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let o = child.wait_with_output().unwrap();
        code(&o, 3);
        assert!(out(&o).ends_with("verdict: unknown\n"), "{}", out(&o));
        none_left(name);
    }
    // A command without a report, and one whose worker is killed.
    for (args, signal, status) in [(&["show"][..], "-TERM", 3), (&["verify"], "-KILL", 137)] {
        let mut child = relyant(dir.path()).args(args).arg(name).stderr(Stdio::piped()).spawn().unwrap();
        while alive(name) < 3 {
            std::thread::sleep(Duration::from_millis(20));
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let ended = child.wait().unwrap();
        assert!(ended.code() == Some(status) || status == 137 && ended.code().is_none(), "{ended:?}");
        none_left(name);
    }
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
}

#[test]
fn devices_and_pipes_are_no_sources() {
    let dir = folder(&[("s.c", SAFE), ("p.json", "{}")]);
    let dir = dir.path();
    assert!(Command::new("mkfifo").arg(dir.join("pipe.c")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", dir.join("zero.c")).unwrap();
    for args in [
        &["verify", "pipe.c"][..],
        &["verify", "zero.c"],
        &["verify", "/dev/zero"],
        &["verify", "s.c", "--with", "zero.c"],
        &["check", "/dev/zero", "s.c"],
        &["check", "p.json", "zero.c"],
        &["horn", "zero.c"],
    ] {
        let o = run(dir, args);
        code(&o, 2);
        assert!(err(&o).contains("no regular file") || args[1] == "p.json", "{args:?} {}", err(&o));
    }
    // What the shell passes on is read.
    let text = UNSAFE_ALONE.replace("{ r", "{ if (0) r");
    std::fs::write(dir.join("in.i"), text).unwrap();
    let input = std::fs::File::open(dir.join("in.i")).unwrap();
    code(&relyant(dir).args(["verify", "/dev/stdin"]).stdin(input).output().unwrap(), 0);
    let (reader, mut writer) = std::io::pipe().unwrap();
    let child =
        relyant(dir).args(["verify", "/dev/stdin"]).stdin(reader).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut writer, UNSAFE_ALONE.as_bytes()).unwrap();
    drop(writer);
    code(&child.wait_with_output().unwrap(), 1);
}

#[test]
fn a_file_that_only_a_line_names_is_not_shown() {
    let secret = "secret words\n".repeat(20);
    let broken = "int main(void) { return 0 }\n";
    let dir = folder(&[
        ("secret", &secret),
        ("a.i", &format!("# 1 \"secret\"\n{broken}")),
        ("b.c", &format!("#line 1 \"secret\"\n{broken}")),
        ("c.c", "#line 1 \"secret\"\n#error no\n"),
        ("d.c", "#line 1 \"secret\"\nvoid f(int *);\nint x;\nint main(void) { f(&x); return 0; }\n"),
    ]);
    for name in ["a.i", "b.c", "c.c", "d.c"] {
        let o = run(dir.path(), &["verify", name]);
        code(&o, 2);
        let text = out(&o) + &err(&o);
        assert!(text.contains("secret:") && !text.contains("secret words"), "{text}");
    }
}

#[test]
fn diagnostics_do_nothing_to_a_terminal() {
    let dir = folder(&[]);
    let name = "\u{1b}]0;title\u{7}\u{1b}[2J.i";
    let long = format!("int main(void) {{ /* \u{9b}2J\u{202e} */ {} return 0 }}\n", "x = 1; ".repeat(10_000));
    std::fs::write(dir.path().join(name), long).unwrap();
    let o = run(dir.path(), &["verify", name]);
    code(&o, 2);
    let text = err(&o);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
    assert!(text.lines().all(|l| l.chars().count() < 200), "{text:?}");
}

#[test]
fn sighup_ends_with_a_report() {
    let dir = folder(&[]);
    let start = |nohup: bool| {
        let mut c = relyant(dir.path());
        if nohup {
            c = Command::new("sh");
            c.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(relyant_testing::relyant!());
        }
        c.args(["verify", "--timeout", "4"]).arg(endless()).stdout(Stdio::piped()).spawn().unwrap()
    };
    for (nohup, reason) in [(false, "reason: terminated"), (true, "reason: time limit")] {
        if !nohup && hangups_are_ignored() {
            continue;
        }
        let child = start(nohup);
        std::thread::sleep(Duration::from_millis(1500));
        Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
        let o = child.wait_with_output().unwrap();
        code(&o, 3);
        assert!(out(&o).contains(reason) && out(&o).ends_with("verdict: unknown\n"), "{}", out(&o));
    }
}

#[test]
fn what_cannot_be_written_is_no_success() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE), ("b.bp", BOOLEAN)]);
    let dir = dir.path();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [
        &["verify", "s.c"][..],
        &["verify", "u.c"],
        &["verify", "--format", "json", "s.c"],
        &["verify", "b.bp"],
        &["show", "s.c"],
        &["export", "--to", "chc", "s.c"],
        &["--help"],
        &["verify", "--help"],
        &["--version"],
    ] {
        let o = relyant(dir).args(args).stdout(full()).output().unwrap();
        code(&o, 2);
        assert!(err(&o).contains("standard output") || err(&o).is_empty(), "{}", err(&o));
        assert!(!err(&o).is_empty() || args.last().unwrap().starts_with("--"), "{args:?}");
        // Nobody reads it.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = if args.contains(&"u.c") { 1 } else { 2 };
        code(&relyant(dir).args(args).stdout(writer).output().unwrap(), status);
        let closed = Command::new("sh")
            .current_dir(dir)
            .args(["-c", "exec \"$@\" >&-", "sh"])
            .arg(relyant_testing::relyant!())
            .args(args)
            .output()
            .unwrap();
        if !args.last().unwrap().starts_with("--") {
            code(&closed, 2);
            assert!(err(&closed).contains("closed"), "{}", err(&closed));
        }
    }
    for target in ["/dev/full", "absent/out", "."] {
        for args in [
            &["verify", "s.c", "--proof"][..],
            &["verify", "s.c", "--method", "search", "--proof"],
            &["verify", "s.c", "--property", "unreach-call", "--witness"],
            &["verify", "b.bp", "--proof"],
        ] {
            let o = relyant(dir).args(args).arg(target).output().unwrap();
            code(&o, 2);
            assert!(err(&o).contains(target), "{args:?} {}", err(&o));
        }
    }
}

const BOOLEAN: &str = "decl g;\nvoid main() begin\n  g := 0;\n  assert(!g);\nend\n";

/// Whatever the limit of address space, there is an answer, and never a wrong one.
#[test]
fn where_memory_runs_out_nothing_is_known() {
    let array = "void reach_error(void);\nstatic int a[100000];\nint main(void)\n{\n    int i;\n    \
                 for (i = 0; i < 100000; i++) a[i] = i;\n    if (a[5] != 5) reach_error();\n    return 0;\n}\n";
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE), ("a.c", array), ("b.bp", BOOLEAN)]);
    let mut unknown = 0;
    for kib in [150_000, 300_000, 600_000, 1_200_000, 3_000_000] {
        for (file, verdict) in [("s.c", 0), ("u.c", 1), ("a.c", 0), ("b.bp", 0)] {
            let o = limited(dir.path(), kib, file);
            let text = out(&o);
            assert!(
                o.status.code() == Some(verdict) || matches!(o.status.code(), Some(2 | 3)),
                "{kib} {file}: {:?} {text}{}",
                o.status,
                err(&o)
            );
            unknown += usize::from(o.status.code() == Some(3));
            assert!(o.status.code() != Some(3) || text.ends_with("verdict: unknown\n"), "{text}");
        }
    }
    let o = limited(dir.path(), 400_000, &endless().display().to_string());
    assert_eq!(o.status.code(), Some(3), "{}{}", out(&o), err(&o));
    assert!(out(&o).ends_with("verdict: unknown\n"), "{}", out(&o));
    assert!(unknown < 12, "{unknown}");
}

fn limited(dir: &Path, kib: u32, file: &str) -> Output {
    Command::new("sh")
        .current_dir(dir)
        .args(["-c", &format!("ulimit -v {kib}; exec \"$@\""), "sh"])
        .arg(relyant_testing::relyant!())
        .args(["verify", "--timeout", "8"])
        .arg(std::ffi::OsStr::from_bytes(file.as_bytes()))
        .output()
        .unwrap()
}
