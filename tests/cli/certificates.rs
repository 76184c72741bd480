//! `verify --proof` and `check`.

use super::{SAFE, UNSAFE, benchmark, folder, out, relyant};

#[test]
fn a_certificate_is_accepted_for_its_source_only() {
    let dir = folder(&[("s.c", SAFE), ("t.c", &SAFE.replace("x = 1", "x = 0"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "s.c"]).status.code(), Some(0));
    let o = run(&["check", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0));
    assert!(out(&o).contains("accepted: "), "{}", out(&o));
    let o = run(&["check", "p.json", "t.c"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(out(&o).contains("rejected: "), "{}", out(&o));
    assert_eq!(run(&["check", "s.c", "s.c"]).status.code(), Some(2));
    assert_eq!(run(&["check", "absent.json", "s.c"]).status.code(), Some(2));
}

#[test]
fn choices_travel_with_the_certificate() {
    let dir = folder(&[]);
    let file = benchmark("mutex/naive_bakery.c");
    let o = relyant(dir.path())
        .args(["verify", "--atomicity", "statement", "--proof", "p.json"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let o = relyant(dir.path()).args(["check", "p.json"]).arg(&file).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    // the same proof is none when steps are smaller
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(text.contains("\"statement\""));
    std::fs::write(dir.path().join("q.json"), text.replace("\"statement\"", "\"access\"")).unwrap();
    let o = relyant(dir.path()).args(["check", "q.json"]).arg(&file).output().unwrap();
    assert_eq!(o.status.code(), Some(1), "{}", out(&o));
}

#[test]
fn no_certificate_without_a_proof() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let o = relyant(dir.path()).args(["verify", "--proof", "p.json", "u.c"]).output().unwrap();
    assert_eq!(o.status.code(), Some(1));
    assert!(!dir.path().join("p.json").exists());
}

#[test]
fn obligations_as_files() {
    let dir = folder(&[("s.c", SAFE)]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    assert_eq!(run(&["verify", "--proof", "p.json", "s.c"]).status.code(), Some(0));
    let o = run(&["check", "--smt2", "obligations", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0));
    let files: Vec<_> = std::fs::read_dir(dir.path().join("obligations")).unwrap().collect();
    assert!(!files.is_empty());
    for f in files {
        let text = std::fs::read_to_string(f.unwrap().path()).unwrap();
        assert!(text.contains("(check-sat)"), "{text}");
    }
}

#[test]
fn the_states_of_a_search_are_a_certificate() {
    let dir = folder(&[("s.c", SAFE), ("t.c", &SAFE.replace("x = 1", "x = 0"))]);
    let run = |args: &[&str]| relyant(dir.path()).args(args).output().unwrap();
    let o = run(&["verify", "--method", "search", "--proof", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    let text = std::fs::read_to_string(dir.path().join("p.json")).unwrap();
    assert!(text.contains("\"kind\": \"states\""));
    let o = run(&["check", "p.json", "s.c"]);
    assert_eq!(o.status.code(), Some(0), "{}", out(&o));
    assert!(out(&o).contains(" states, closed under "), "{}", out(&o));
    assert_eq!(run(&["check", "p.json", "t.c"]).status.code(), Some(1));
    assert_eq!(run(&["check", "--smt2", "obligations", "p.json", "s.c"]).status.code(), Some(2));
    // Another property makes another program.
    std::fs::write(dir.path().join("q.json"), text.replace("\"deadlock\": false", "\"deadlock\": true"))
        .unwrap();
    assert_eq!(run(&["check", "q.json", "s.c"]).status.code(), Some(1));
    std::fs::write(dir.path().join("q.json"), &text[..text.len() - 20]).unwrap();
    assert_eq!(run(&["check", "q.json", "s.c"]).status.code(), Some(2));
}
