//! What the README and the pages in `docs/` show is what the program does.
//!
//! A block with lines that begin with `$ ` is a session: each such line is run by the shell, in a folder where `benchmarks`,
//! `examples`, `scripts/relyant` and `relyant` are ours, and what it writes has to be what comes after it. A number with a
//! decimal point is a time: only that there is one is compared. `RELYANT_BLESS=1` writes what comes into the pages.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and all pages, and their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|f| root().join(f)).into();
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path());
    paths.extend(docs.filter(|p| p.extension().is_some_and(|e| e == "md")));
    paths.sort();
    paths.into_iter().map(|p| (p.clone(), fs::read_to_string(p).unwrap())).collect()
}

/// The fenced blocks of a page: the language, and the lines.
fn blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut all = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language, Vec::new())),
            (Some(_), Some(_)) => all.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block without an end");
    all
}

/// The commands of a session, each with what is shown of its output.
fn commands<'a>(lines: &[&'a str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push((command, Vec::new())),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    all
}

/// A line with `T` for each number that has a decimal point.
fn without_times(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[at..];
        let length = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let number = &number[..length];
        let is_time =
            number.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty() && !b.contains('.'));
        out.push_str(&rest[..at]);
        out.push_str(if is_time { "T" } else { number });
        rest = &rest[at + length..];
    }
    out + rest
}

/// A folder in which the commands work as they do in ours, and can write.
fn workplace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["benchmarks", "examples"] {
        symlink(root().join(name), dir.path().join(name)).unwrap();
    }
    for folder in ["scripts", "bin"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
        symlink(relyant_testing::relyant!(), dir.path().join(folder).join("relyant")).unwrap();
    }
    dir
}

/// What a command writes, on both streams.
fn output(command: &str, folder: &Path) -> Vec<String> {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let script = format!("{{ {command}\n}} 2>&1");
    let out =
        Command::new("sh").args(["-c", &script]).current_dir(folder).env("PATH", path).output().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(String::from).collect()
}

/// A page with what its sessions write now; what differs in times only stays.
fn blessed(text: &str, folder: &Path) -> String {
    let masked = |lines: &[String]| lines.iter().map(|l| without_times(l)).collect::<Vec<_>>();
    let mut out: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        out.push(line.into());
        inside ^= line.starts_with("```");
        if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            let ends = |l: &str| l.starts_with("```") || l.starts_with("$ ");
            let shown: Vec<String> =
                std::iter::from_fn(|| lines.next_if(|l| !ends(l)).map(String::from)).collect();
            let now = output(command, folder);
            out.extend(if masked(&shown) == masked(&now) { shown } else { now });
        }
    }
    out.join("\n") + "\n"
}

#[test]
fn sessions_show_what_is_printed() {
    let mut with_sessions = BTreeSet::new();
    for (path, text) in pages() {
        let folder = workplace();
        if std::env::var_os("RELYANT_BLESS").is_some() {
            fs::write(&path, blessed(&text, folder.path())).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        for (_, lines) in blocks(&text).into_iter().filter(|b| b.1.iter().any(|l| l.starts_with("$ "))) {
            for (command, shown) in commands(&lines) {
                let shown: Vec<String> = shown.into_iter().map(without_times).collect();
                let now: Vec<String> =
                    output(command, folder.path()).iter().map(|l| without_times(l)).collect();
                assert_eq!(now, shown, "{}: {command}", path.display());
                with_sessions.insert(path.file_name().unwrap().to_owned());
            }
        }
    }
    for page in ["README.md", "FORMATS.md", "METHOD.md", "TUTORIAL.md", "USE.md"] {
        assert!(with_sessions.contains(std::ffi::OsStr::new(page)), "{page} shows no command");
    }
}

/// The README shows a safe program and an unsafe one.
#[test]
fn the_readme_has_both_verdicts() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    for verdict in ["verdict: safe", "verdict: unsafe"] {
        assert!(text.lines().any(|l| l == verdict), "{verdict}");
    }
    assert!(root().join("scripts/test").is_file() && text.contains("\nscripts/test\n"));
}

/// Each option of a command that a page names is one.
#[test]
fn options_exist() {
    let folder = workplace();
    let mut seen = 0;
    for (path, text) in pages() {
        for line in blocks(&text).into_iter().filter(|b| b.0 == "sh").flat_map(|b| b.1) {
            let mut words = line.split_whitespace().filter(|w| *w != "#");
            if !words.next().is_some_and(|w| w.ends_with("relyant")) {
                continue;
            }
            let command = words.next().unwrap();
            let help = output(&format!("relyant {command} --help"), folder.path()).join("\n");
            let options = words.filter(|w| w.starts_with("--") && w.len() > 2);
            for option in options.map(|w| w.trim_end_matches([';', ',', ':'])) {
                // What another command takes is told beside it.
                let other = line.contains("relyant check") && command != "check";
                assert!(other || help.contains(option), "{}: relyant {command} {option}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

/// A link to a file leads to one.
#[test]
fn links_lead_somewhere() {
    let mut seen = 0;
    for (path, text) in pages() {
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            assert!(path.parent().unwrap().join(target).exists(), "{}: {target}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 8, "{seen}");
}

#[test]
fn times_are_left_out() {
    assert_eq!(
        without_times("checked: 53 obligations hold, in 0.13 s"),
        "checked: 53 obligations hold, in T s"
    );
    assert_eq!(without_times("  0.019 s: search 0.002, at a.c:12:3."), "  T s: search T, at a.c:12:3.");
}
