//! What is said about wrong or unsupported input: each file in `diagnostics/` with its message in `….err`.
//! `BLESS=1 cargo test -p relyant-frontend --test diagnostics` writes the messages anew.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_frontend::c;
use relyant_rewriting::timbuk;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of inputs")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "c" || e == "i" || e == "tts" || e == "timbuk"))
        .collect();
    files.sort();
    files
}

fn load(path: &Path) -> Result<(), Diagnostic> {
    if timbuk::is_named(path) {
        return timbuk::load(path).map(|_| ());
    }
    c::load(path, &Options::default()).map(|_| ())
}

/// The message with paths that do not depend on where the project is, and compilers that do not differ.
fn message(path: &Path) -> String {
    let folder = format!("{}/", path.parent().expect("a folder").display());
    match load(path) {
        Ok(()) => "accepted\n".to_string(),
        Err(d) => format!("{d}\n").replace(&folder, "").replace("(clang)", "(gcc)").replace("(cc)", "(gcc)"),
    }
}

#[test]
fn messages_are_as_expected() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let files = inputs();
    assert!(files.len() > 30);
    for path in files {
        let expected =
            path.with_extension(format!("{}.err", path.extension().expect("one").to_string_lossy()));
        let found = message(&path);
        if bless {
            fs::write(&expected, &found).expect("a message written");
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_wrong_is_accepted() {
    for path in inputs() {
        assert!(load(&path).is_err(), "{}", path.display());
    }
}

/// Each is refused or lowered, in a few seconds.
#[test]
fn large_inputs_end() {
    let nest = |open: &str, close: &str, n: usize| {
        format!(
            "int x; int f(int a) {{ return a; }} int main(void) {{ x = {}1{}; }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    let chain = |op: &str, n: usize| format!("int x; int main(void) {{ x = {}; }}", vec!["x"; n].join(op));
    let cases = [
        ("a megabyte of sum", chain("+", 500_000), false),
        ("a long sum", chain("+", 15_000), true),
        ("a long conjunction", chain("&&", 12_000), true),
        ("a long choice", chain(" ? 1 : ", 5_000), true),
        ("a long assignment", chain(" = ", 15_000), true),
        ("deep parentheses", nest("(", ")", 100), true),
        ("deeper parentheses", nest("(", ")", 100_000), false),
        ("deep calls", nest("f(", ")", 50), true),
        ("many casts", nest("(int)", "", 3_000), true),
        ("many signs", nest("- ", "", 10_000), true),
        ("many blocks", format!("int main(void) {}{}", "{".repeat(100), "}".repeat(100)), true),
        ("many loops", format!("int x; int main(void) {{ {}; }}", "while (x) ".repeat(5_000)), true),
        (
            "many branches",
            format!("int x; int main(void) {{ {}; }}", "if (x) x = 1; else ".repeat(5_000)),
            true,
        ),
        (
            "too many branches",
            format!("int x; int main(void) {{ {}; }}", "if (x) ; else ".repeat(150_000)),
            false,
        ),
        ("many stars", format!("int {}p; int main(void) {{ return 0; }}", "*".repeat(10_000)), true),
        ("a large object", "int a[1000000000]; int main(void) { return a[1]; }".to_string(), false),
        (
            "a huge object",
            "int a[99999999999][99999999999]; int main(void) { return a[1][1]; }".to_string(),
            false,
        ),
    ];
    for (name, text, accepted) in cases {
        let start = Instant::now();
        let result = c::load_text("large.i", &text, &Options::default());
        assert_eq!(result.is_ok(), accepted, "{name}: {:?}", result.err());
        assert!(start.elapsed() < Duration::from_secs(30), "{name}: {:?}", start.elapsed());
    }
}

/// Pieces of C and junk in random order: never a panic.
#[test]
fn junk_is_refused_quietly() {
    let pieces = [
        "int",
        "x",
        "(",
        ")",
        "{",
        "}",
        ";",
        "=",
        "*",
        "&",
        "main",
        "void",
        "struct",
        "[",
        "]",
        "1",
        "\"s\"",
        "'c'",
        "while",
        "if",
        "else",
        "return",
        "goto",
        "L",
        ":",
        ",",
        "#",
        "\n",
        "?",
        "0x",
        "1.5",
        "typedef",
        "union",
        "enum",
        "sizeof",
        "->",
        ".",
        "case",
        "switch",
        "__thread",
        "__auto_type",
        "$",
        "__blockattribute__",
        "atomic",
        "\\",
    ];
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut refused = 0;
    for _ in 0..3_000 {
        let n = next() % 30;
        let junk: Vec<&str> = (0..n).map(|_| pieces[(next() % pieces.len() as u64) as usize]).collect();
        let text = match next() % 3 {
            0 => junk.join(" "),
            1 => format!("int x; int main(void) {{ {} ; }}", junk.join(" ")),
            _ => format!("int x; {} ; int main(void) {{ return x; }}", junk.join(" ")),
        };
        match c::load_text("junk.i", &text, &Options::default()) {
            Ok(m) => assert_eq!(m.starts.len(), 1),
            Err(d) => {
                assert!(!d.message.contains("internal error"), "{text}\n{d}");
                refused += 1;
            }
        }
    }
    assert!(refused > 2_000, "{refused}");
}

/// What the headers declare, as far as the programs need it.
const PRELUDE: &str = "
    typedef unsigned long pthread_t, size_t; typedef int pthread_mutex_t, pthread_cond_t, pthread_once_t, sem_t,
    pthread_rwlock_t, pthread_spinlock_t, pthread_barrier_t, pthread_mutexattr_t; typedef _Atomic int atomic_int;
    typedef struct { int x; } atomic_flag; enum { NULL, EBUSY = 16, EPERM = 1, EDEADLK = 35, memory_order_acquire = 2,
    __ATOMIC_SEQ_CST = 5, PTHREAD_MUTEX_ERRORCHECK = 2, PTHREAD_MUTEX_INITIALIZER = 0, PTHREAD_COND_INITIALIZER = 0,
    PTHREAD_ONCE_INIT = 0, PTHREAD_RWLOCK_INITIALIZER = 0, ATOMIC_FLAG_INIT = 0,
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP = 0 };
";

/// Programs with tokens dropped, doubled, swapped or replaced: never a panic.
#[test]
fn mutations_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder of programs").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    let programs: Vec<Vec<String>> = files
        .iter()
        .map(|f| {
            let text = fs::read_to_string(f).expect("a program");
            let lines: Vec<&str> =
                text.lines().filter(|l| !l.starts_with('#') && !l.starts_with("//")).collect();
            tokens(&lines.join("\n"))
        })
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let cases: usize = std::env::var("RELYANT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..cases {
        let mut t = programs[next(programs.len())].clone();
        for _ in 0..=next(3) {
            let (i, j) = (next(t.len()), next(t.len()));
            match next(4) {
                0 => drop(t.remove(i)),
                1 => t.insert(i, t[j].clone()),
                2 => t.swap(i, j),
                _ => t[i] = t[j].clone(),
            }
        }
        let text = format!("{PRELUDE}{}", joined(&t));
        match c::load_text("mutant.i", &text, &Options::default()) {
            Ok(_) => read += 1,
            Err(d) => {
                assert!(!d.message.contains("internal error"), "{text}\n{d}");
                refused += 1;
            }
        }
    }
    assert!(read > cases / 50 && refused > cases / 4, "{read} read, {refused} refused");
}

/// A space between words only, so that operators of several characters stay.
fn joined(tokens: &[String]) -> String {
    let mut out = String::new();
    for t in tokens {
        let word = |c: Option<char>| c.is_some_and(|c| c == '_' || c == '$' || c.is_ascii_alphanumeric());
        if word(out.chars().last()) && word(t.chars().next()) {
            out.push(' ');
        }
        out.push_str(t);
    }
    out
}

/// Words, numbers, strings and single characters.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut string = false;
    let mut joined = false;
    for c in text.chars() {
        let word = c == '_' || c == '$' || c.is_ascii_alphanumeric();
        if string || (word && joined) {
            if let Some(last) = out.last_mut() {
                last.push(c);
            }
            string &= c != '"';
            continue;
        }
        joined = word;
        if !c.is_whitespace() {
            string = c == '"';
            out.push(c.to_string());
        }
    }
    out
}
