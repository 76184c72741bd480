use super::*;

const ALL: &str = "(* an example (* of all *) sections *)
Ops Box:2 par:2 go:0 done:0 s:1 s:0 ♯:1
Vars x y z
AC par
TRS Program
  Box(par(go, x, go), y) -> Box(par(done, x), s(y)) if s(y) < 3 and y != 1 /\\ y >= y
  ♯(x) -> z
Automaton Bad
States q0:0 q1
Description q0: \"any\"
Final States q1
Transitions
  go -> q0   Box(q0,q0) -> q1
  q1 -> q0
Set Initial
  Box(par(go, go), y) if y <= s(s)
  Box(go, s(s(s)))
";

#[test]
fn all_sections_are_read() {
    let s = load_text("all.timbuk", ALL).unwrap();
    assert_eq!(s.ops.len(), 7);
    assert_eq!(s.naturals, Some(Naturals { successor: OpId(4), first: OpId(5), value: 1 }));
    let rules: Vec<&Rule> = s.rules().collect();
    assert_eq!(rules[0].place, Place { line: 6, column: 3 });
    assert_eq!(rules[0].condition.len(), 3);
    assert_eq!(rules[0].condition[0].left, Sum { var: Some(VarId(1)), plus: 1 });
    let (Term::App(_, args), true) = (&rules[0].left, rules[1].condition.is_empty()) else { panic!() };
    assert!(matches!(&args[0], Term::App(par, threads) if s.op(*par).ac && threads.len() == 3));
    assert_eq!(s.automata[0].transitions.len(), 3);
    // `s` alone is 1, so this is 2
    assert_eq!(s.sets[0].patterns[0].condition[0].right, Sum { var: None, plus: 2 });
    assert_eq!(s.sets[0].patterns.len(), 2);
}

/// Without the places, which a text of another layout has elsewhere.
fn placeless(mut s: System) -> System {
    s.systems.iter_mut().flat_map(|t| &mut t.rules).for_each(|r| r.place = Place::default());
    s.sets.iter_mut().flat_map(|t| &mut t.patterns).for_each(|p| p.place = Place::default());
    s.automata.iter_mut().for_each(|a| a.place = Place::default());
    s
}

#[test]
fn what_is_written_reads_back() {
    let s = load_text("all.timbuk", ALL).unwrap();
    let text = s.to_string();
    let back = load_text("all.timbuk", &text).unwrap();
    assert_eq!(back.to_string(), text);
    assert_eq!(placeless(back), placeless(s));
}

#[test]
fn deep_terms_are_refused_not_fatal() {
    for n in [2_000, 200_000] {
        let text = format!("Ops g:1 a:0 Set S {}a{}", "g(".repeat(n), ")".repeat(n));
        let e = load_text("deep", &text).unwrap_err();
        assert!(e.message.contains("nested"), "{e}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-zA(),:><=!* ]{0,60}|(Ops|Vars|AC|TRS|Set|Automaton|if|and|f|x|:2|->|\\(|\\)|,| ){0,40}") {
        match load_text("any", &text) {
            Ok(s) => { let _ = load_text("any", &s.to_string()).unwrap(); }
            Err(e) => proptest::prop_assert!(e.line > 0 && !e.message.is_empty()),
        }
    }
}
