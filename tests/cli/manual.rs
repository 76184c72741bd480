//! Manual pages and completions, tried with the programs that read them where those are installed.

use super::{folder, out, relyant};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a command says of a text on its standard input; none where it is not installed.
fn asked(command: &str, args: &[&str], text: &str) -> Option<Output> {
    let mut child = Command::new(command)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

fn said(args: &[&str]) -> String {
    let o = relyant(Path::new(".")).args(args).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{args:?}");
    out(&o)
}

/// The commands that `--help` lists.
fn commands() -> BTreeSet<String> {
    let help = said(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let first = |l: &str| l.strip_prefix("  ").filter(|l| !l.starts_with(' ')).map(first_word);
    list.lines().filter_map(first).filter(|c| c != "help").collect()
}

fn first_word(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().into()
}

#[test]
fn each_command_has_a_page() {
    let dir = folder(&[]);
    let o = relyant(dir.path()).args(["man", "-o", "share/man1"]).output().unwrap();
    assert_eq!(o.status.code(), Some(0));
    let pages: BTreeSet<String> = fs::read_dir(dir.path().join("share/man1"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected: BTreeSet<String> = commands().iter().map(|c| format!("relyant-{c}.1")).collect();
    assert!(expected.len() > 10, "{expected:?}");
    assert_eq!(pages, expected.into_iter().chain(["relyant.1".to_string()]).collect());
    for page in &pages {
        let text = fs::read_to_string(dir.path().join("share/man1").join(page)).unwrap();
        let sections: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix(".SH ")).collect();
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "\"SEE ALSO\""] {
            assert!(sections.contains(&section), "{page}: {sections:?}");
        }
        // A line of text that begins like a request would be swallowed.
        let known = ["ie", "el", "TH", "SH", "TP", "IP", "PP", "RS", "RE", "br"];
        for line in text.lines().filter(|l| l.starts_with(['.', '\''])) {
            assert!(known.contains(&first_word(&line[1..]).as_str()), "{page}: {line}");
        }
        if let Some(o) = asked("mandoc", &["-T", "lint", "-W", "error"], &text) {
            assert!(o.status.success(), "{page}: {}", out(&o));
        }
        if let Some(o) = asked("groff", &["-k", "-man", "-Tutf8", "-ww"], &text) {
            assert!(
                o.status.success() && o.stderr.is_empty() && out(&o).contains("Relyant Manual"),
                "{page}: {}",
                super::err(&o)
            );
        }
    }
}

#[test]
fn one_page_is_printed() {
    let page = said(&["man", "verify"]);
    assert!(page.contains(".TH relyant-verify 1") && page.contains("\\-\\-timeout"), "{page}");
    assert!(said(&["man"]).contains("relyant\\-verify(1)"));
    let o = relyant(Path::new(".")).args(["man", "spacer"]).output().unwrap();
    assert_eq!((o.status.code(), out(&o).as_str()), (Some(2), ""));
    let o = relyant(Path::new(".")).args(["man", "-o", "/dev/null/x"]).output().unwrap();
    assert_eq!(o.status.code(), Some(2));
}

#[test]
fn shells_take_their_completions() {
    for (shell, options) in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])] {
        let text = said(&["completions", shell]);
        for command in commands() {
            assert!(text.contains(&command), "{shell}: {command}");
        }
        if let Some(o) = asked(shell, &options, &text) {
            assert!(o.status.success() && o.stderr.is_empty(), "{shell}: {}", super::err(&o));
        }
    }
    for shell in ["elvish", "powershell"] {
        assert!(said(&["completions", shell]).contains("verify"), "{shell}");
    }
}

/// What bash offers is what there is.
#[test]
fn bash_completes() {
    let script = said(&["completions", "bash"]);
    let offered = |words: &str| {
        let ask = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_relyant relyant \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\necho \"${{COMPREPLY[@]}}\"\n"
        );
        asked("bash", &["--norc", "--noprofile"], &ask).map(|o| out(&o).trim().to_string())
    };
    for (words, offer) in [
        ("relyant ver", "verify"),
        ("relyant verify --meth", "--method"),
        ("relyant verify --format s", "sarif"),
        ("relyant completions z", "zsh"),
    ] {
        let Some(found) = offered(words) else { return };
        assert_eq!(found, offer, "{words}");
    }
}
