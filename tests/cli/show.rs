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

#[test]
fn rewriting_systems() {
    let endless = "unsigned x; int main(void) {\n  while (1)\n    x--;\n}\n";
    let dir = folder(&[("s.c", UNSAFE), ("r.c", endless)]);
    let run = |file: &str| relyant(dir.path()).args(["export", "--to", "timbuk", file]).output().unwrap();
    let o = run("s.c");
    assert_eq!(o.status.code(), Some(0));
    let text = out(&o);
    let parts = ["(* A program", "AC par", "TRS Program", "Automaton Bad", "Set Initial"];
    assert!(parts.iter().all(|p| text.contains(p)), "{text}");
    let o = run("r.c");
    assert_eq!(o.status.code(), Some(2));
    let message = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(message.contains("r.c:3:5: error: ") && message.contains("4294967295 is too large"), "{message}");
}
