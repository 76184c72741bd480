//! `show` and `export`.

use super::{SAFE, UNSAFE, WRONG, folder, out, relyant};

#[test]
fn stages_and_forms() {
    let dir = folder(&[("s.c", UNSAFE), ("w.c", WRONG)]);
    let run = |args: &[&str]| {
        let o = relyant(dir.path()).args(["show"]).args(args).output().unwrap();
        (o.status.code(), out(&o))
    };
    let (status, text) = run(&["s.c"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("thread f") && text.contains("global x"), "{text}");
    let (_, text) = run(&["--stage", "automaton", "s.c"]);
    assert!(text.contains("thread f (when created)") && text.contains("[&x] := 1"), "{text}");
    for stage in ["automaton", "program"] {
        let (_, dot) = run(&["--format", "dot", "--stage", stage, "s.c"]);
        assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{dot}");
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    }
    assert_eq!(run(&["w.c"]).0, Some(2));
}

#[test]
fn horn_clauses() {
    let dir = folder(&[("s.c", SAFE)]);
    let o = relyant(dir.path()).args(["export", "--to", "chc", "s.c"]).output().unwrap();
    assert_eq!(o.status.code(), Some(0));
    let text = out(&o);
    assert!(text.contains("(set-logic HORN)") && text.contains("(check-sat)"), "{text}");
}
