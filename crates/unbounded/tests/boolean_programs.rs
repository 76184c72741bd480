//! Boolean programs: verdicts of our own programs, messages of the reader, and evidence that was tampered with.

use relyant_finite::boolean::closed::{self, Rejection};
use relyant_finite::boolean::evidence::Proof;
use relyant_finite::boolean::exhausted;
use relyant_finite::boolean::family::{art_pc, art_v};
use relyant_finite::boolean::flat::graph;
use relyant_finite::boolean::live::Live;
use relyant_finite::boolean::machine::Machine;
use relyant_finite::boolean::program::Program;
use relyant_finite::boolean::replay;
use relyant_finite::boolean::{self};
use relyant_unbounded::boolean::decide::{BooleanVerdict, Method, Report, Settings, decide};
use std::sync::atomic::AtomicBool;

static CANCEL: AtomicBool = AtomicBool::new(false);

fn program(text: &str) -> Program {
    boolean::read(text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn decided(p: &Program, method: Method, threads: Option<u32>) -> Report {
    decide(p, &Settings { method, threads, states: 300_000, cancel: &CANCEL })
}

fn word(r: &Report) -> &'static str {
    match r.verdict {
        BooleanVerdict::Safe(_) => "safe",
        BooleanVerdict::Unsafe(..) => "unsafe",
        BooleanVerdict::Unknown(_) => "unknown",
    }
}

fn own(name: &str) -> Program {
    let file = format!("{}/../../benchmarks/finite/{name}.bp", env!("CARGO_MANIFEST_DIR"));
    program(&std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}")))
}

#[test]
fn own_programs() {
    for (name, expected) in [
        ("test_and_set", "safe"),
        ("test_and_set_torn", "unsafe"),
        ("ticket_torn", "unsafe"),
        ("readers_writer_blind", "unsafe"),
    ] {
        assert_eq!(word(&decided(&own(name), Method::Auto, None)), expected, "{name}");
    }
    for name in ["test_and_set", "ticket", "readers_writer"] {
        assert_eq!(word(&decided(&own(name), Method::Counters, Some(4))), "safe", "{name}");
    }
    // Without a bound their counters of six bits overflow, with more threads than it is quick to try here.
}

#[test]
fn families() {
    for text in [art_pc(20), art_v(20)] {
        let r = decided(&program(&text), Method::ThreadStates, None);
        assert!(matches!(r.verdict, BooleanVerdict::Safe(Proof::ThreadStates(_))));
    }
    let broken = art_v(6).replace("v0 := T;\n", "v0 := *;\n");
    assert_eq!(word(&decided(&program(&broken), Method::Auto, None)), "unsafe");
}

const LANGUAGE: &str = "
decl g, m, {p->next == q};
bool<2> both(x, y) begin decl t; t := x; return t & y, !(t | y); end
bool flip(x) begin if x then return F; elsif * then return T; else return !x; fi end
void twice(n) begin if n then twice(!n); fi; end
void main() begin
  decl a, b;
  enforce (a | !a);
  g, m := T, F;
  a, b := both(g, m');
end
";

#[test]
fn next_values_only_where_they_are_known() {
    let e = boolean::read(LANGUAGE, &[]).expect_err("m' in an argument");
    assert_eq!((e.place.line, e.place.column), (10, 19), "{e}");
}

/// A thread that ends where it starts has its number in a run, too.
#[test]
fn threads_that_do_nothing() {
    let text = "decl g; void idle() begin end void look() begin assert(g); end
        void main() begin g := T; ASYNC_1: idle(); ASYNC_2: look(); g := F; end";
    for method in [Method::Auto, Method::Counters] {
        assert_eq!(word(&decided(&program(text), method, Some(3))), "unsafe");
    }
}

#[test]
fn all_of_the_language() {
    let text = LANGUAGE.replace("both(g, m');", "both(g, m);").trim_end().trim_end_matches("end").to_string()
        + "
  assert(!a & !b);
  b := flip(g);
  assert(!b);
  a, b := *, * constrain ('a != 'b) & (a' -> g);
  assert(a ^ b);
  a := schoose[F, b];
  assert(!a | !b);
  while (*) do {p->next == q} := !{p->next == q}; od
  lock l; unlock l;
  atomic_begin; g := T; atomic_end;
  twice(T);
  ASYNC_1: twice(F);
  start_thread goto L;
  dead a, b;
  end_thread;
  L: skip;
end
";
    let text = text.replace("decl g, m,", "decl g, m, l,");
    assert_eq!(word(&decided(&program(&text), Method::Auto, None)), "safe");
}

#[test]
fn reader_errors() {
    let cases = [
        ("void main() begin x := T; end", (1, 19), "no variable 'x'"),
        ("decl x;\nvoid main() begin\n x := T\n y := F; end", (4, 2), "';'"),
        ("decl x; void main() begin x, x := T, F; end", (1, 30), "assigned twice"),
        ("decl x; void main() begin x := T, F; end", (1, 27), "2 values where 1"),
        ("decl x; void main() begin goto L; end", (1, 32), "no label 'L'"),
        ("void main() begin L: skip; L: skip; end", (1, 19), "twice"),
        ("void f(a) begin end void main() begin f(); end", (1, 39), "0 arguments where 1"),
        ("void f() begin end", (0, 0), "no procedure 'main'"),
        ("decl x; void main() begin assume(x'); end", (1, 34), "not known here"),
        ("decl l; void main() begin lock l; l := F; end", (1, 35), "is assigned"),
        ("void main() begin ASYNC_1: skip; end", (1, 19), "no call"),
        ("decl x, x; void main() begin end", (1, 9), "declared twice"),
        ("void main() begin /* end", (1, 19), "does not end"),
        ("decl x; void main() begin x := x & ; end", (1, 36), "an expression was expected"),
        ("decl x; void main() begin x := f(x) | x; end", (1, 37), "';'"),
        ("void main() begin if T then skip; end", (1, 35), "'fi'"),
        ("void main() begin start_thread f(); end", (1, 32), "no procedure 'f'"),
        ("void f() begin start_thread goto L; L: skip; end void main() begin f(); end", (1, 16), "is called"),
        ("bool f() begin return; end void main() begin end", (1, 16), "0 values to return where 1"),
        ("decl x; void main() begin x # T; end", (1, 29), "no meaning"),
    ];
    for (text, place, message) in cases {
        let e = boolean::read(text, &[]).expect_err(text);
        assert!(e.message.contains(message), "{text}: {e}");
        assert_eq!((e.place.line, e.place.column), place, "{text}: {e}");
    }
    let deep = format!("decl x; void main() begin x := {}T{}; end", "(".repeat(5_000), ")".repeat(5_000));
    assert!(boolean::read(&deep, &[]).expect_err("deep").message.contains("deep"));
    let label = boolean::read("void main() begin end", &["BAD".into()]).expect_err("no such label");
    assert!(label.message.contains("BAD"));
}

#[test]
fn any_text_is_read_or_refused() {
    // Every prefix, and every text with one word left out.
    let text = art_pc(2) + LANGUAGE;
    for (i, _) in text.char_indices() {
        let _ = boolean::read(&text[..i], &[]);
    }
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    for skip in 0..words.len() {
        let less: String = words.iter().enumerate().filter(|w| w.0 != skip).map(|w| *w.1).collect();
        let _ = boolean::read(&less, &[]);
    }
}

const LOCKED: &str = "
decl g, l, s;
void main() begin g := F; s := T; loop: start_thread worker(); goto loop; end
void worker() begin
  lock l; assert(!g); g := T; g := F; unlock l;
  atomic_begin; s := F; assert(!s); s := T; atomic_end;
end
";

#[test]
fn sets_that_are_not_closed_are_rejected() {
    let p = program(LOCKED);
    let r = decided(&p, Method::ThreadStates, None);
    let BooleanVerdict::Safe(Proof::ThreadStates(sets)) = r.verdict else { panic!("not proved") };
    let flat = graph(&p);
    let listed: Vec<closed::Listed> = sets.iter().map(closed::listed).collect();
    let back = closed::sets(&flat, &listed).expect("well-formed");
    assert!(closed::check(&flat, &back, &CANCEL).is_ok_and(|n| n > sets.len()));
    let mut rejected = 0;
    for i in 0..sets.len() {
        // Nothing at all, and half of what there was.
        let mut fewer = sets.clone();
        if fewer[i].is_false() {
            continue;
        }
        fewer[i] = fewer[i].and(&fewer[i].not());
        assert!(closed::check(&flat, &fewer, &CANCEL).is_err(), "node {i}");
        for v in sets[i].support_set() {
            let half = sets[i].var_select(v, true);
            let other = sets[i].var_select(v, false);
            for part in [half, other] {
                let mut fewer = sets.clone();
                if part != sets[i] {
                    fewer[i] = part;
                    assert!(closed::check(&flat, &fewer, &CANCEL).is_err(), "node {i}, {v:?}");
                    rejected += 1;
                }
            }
        }
    }
    assert!(rejected > 5, "{rejected}");
    // Everything: then an assertion may fail.
    let full = vec![sets[0].or(&sets[0].not()); sets.len()];
    assert!(matches!(closed::check(&flat, &full, &CANCEL), Err(Rejection::Fails(..) | Rejection::Open(..))));
    assert_eq!(closed::check(&flat, &sets[1..], &CANCEL), Err(Rejection::Other));
    for bad in [(7u16, 0u32, 0u32), (1, 0, 1), (2, 0, 9), (60_000, 0, 1)] {
        let mut l = listed.clone();
        l[1] = Some(vec![bad]);
        assert_eq!(closed::sets(&flat, &l).err(), Some(Rejection::Malformed(1)), "{bad:?}");
    }
}

#[test]
fn states_that_are_not_all_are_rejected() {
    let p = program(LOCKED);
    let r = decided(&p, Method::Counters, Some(3));
    let BooleanVerdict::Safe(Proof::States(all)) = r.verdict else { panic!("not proved") };
    let live = Live::new(&p);
    let machine = Machine::new(&p, &live);
    assert!(exhausted::check(&machine, &all, &CANCEL).is_ok_and(|n| n >= all.states.len()));
    for i in 0..all.states.len() {
        let mut fewer = all.clone();
        fewer.states.remove(i);
        assert!(exhausted::check(&machine, &fewer, &CANCEL).is_err(), "state {i}");
    }
    let more = exhausted::States { threads: Some(4), ..all };
    assert!(exhausted::check(&machine, &more, &CANCEL).is_err());
}

#[test]
fn runs_that_were_changed_are_rejected() {
    let p = own("test_and_set_torn");
    let BooleanVerdict::Unsafe(run, _) = decided(&p, Method::Auto, None).verdict else {
        panic!("not refuted")
    };
    let live = Live::new(&p);
    let machine = Machine::new(&p, &live);
    assert!(replay::replay(&machine, &run).is_ok());
    for i in 0..run.steps.len() {
        let mut less = run.clone();
        less.steps.remove(i);
        assert!(replay::replay(&machine, &less).is_err(), "without step {i}");
        let mut other = run.clone();
        other.steps[i].0 += 7;
        assert!(replay::replay(&machine, &other).is_err(), "step {i} by another thread");
        let mut changed = run.clone();
        let value = changed.steps[i].1.shared.get(0);
        changed.steps[i].1.shared.set(0, !value);
        assert!(replay::replay(&machine, &changed).is_err(), "step {i} with another value");
    }
}

#[test]
fn results_that_nobody_wants() {
    let text = |claim: &str| {
        format!(
            "decl x, y;\nbool<3> f(a) begin\n  return a, !a, T;\nend\nvoid main() begin\n  decl l;\n  \
             x, _, l := f(T);\n  _, y, _ := f(T);\n  assert({claim});\nend\n"
        )
    };
    for (claim, expected) in [("x & l & !y", "safe"), ("x & y", "unsafe"), ("!l", "unsafe")] {
        for method in [Method::Auto, Method::Counters] {
            let bound = (method == Method::Counters).then_some(2);
            assert_eq!(word(&decided(&program(&text(claim)), method, bound)), expected, "{claim}");
        }
    }
    // It is no value, and a variable with that name is one.
    assert!(boolean::read("decl x;\nvoid main() begin x := _; end\n", &[]).is_err());
    let named = "decl _;\nbool<1> f() begin return T; end\nvoid main() begin _ := f(); assert(_); end\n";
    assert_eq!(word(&decided(&program(named), Method::Auto, None)), "safe");
}

#[test]
fn labels_twice_before_one_statement() {
    let text = |claim: &str| {
        format!(
            "decl x;\nvoid main() begin\n x := F;\n l: m: l: x := !x;\n if (!x) then goto l; fi\n assert({claim});\nend\n"
        )
    };
    assert_eq!(word(&decided(&program(&text("x")), Method::Auto, None)), "safe");
    assert_eq!(word(&decided(&program(&text("!x")), Method::Auto, None)), "unsafe");
    assert!(boolean::read("decl x;\nvoid main() begin\n l: x := T;\n l: x := F;\nend\n", &[]).is_err());
}

#[test]
fn checks_are_counted() {
    let text = "decl x;\nvoid f() begin assert(x); end\nvoid g() begin assert(x); end\n\
                void main() begin x := T; f(); E: x := T; assert(x); assert(F); end\n";
    assert_eq!(boolean::read(text, &[]).unwrap().checks(), (3, 0));
    assert_eq!(boolean::read(text, &["E".into()]).unwrap().checks(), (3, 1));
}
