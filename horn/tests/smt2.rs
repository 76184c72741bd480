//! Reading, solving and printing SMT-LIB files; models are checked by Z3.

mod common;

use common::*;
use proptest::prelude::*;
use relyant_horn::smt2::{Answer, run_smt2};

fn file(declarations: &[&str], asserts: &[&str]) -> String {
    let mut s = String::from("(set-logic HORN)\n");
    for d in declarations {
        s.push_str(&format!("{d}\n"));
    }
    for a in asserts {
        s.push_str(&format!("(assert {a})\n"));
    }
    s + "(check-sat)\n(get-model)\n"
}

/// Is it sat, with a model under which Z3 finds no assertion false?
fn sat(declarations: &[&str], asserts: &[&str]) -> String {
    let Answer::Sat(model) = run_smt2(&file(declarations, asserts)).unwrap() else { panic!("must be sat") };
    let definitions = model.trim().strip_prefix('(').unwrap().strip_suffix(')').unwrap().to_string();
    for a in asserts {
        let s = z3::Solver::new();
        s.from_string(format!("{definitions}\n(assert (not {a}))"));
        assert_eq!(s.get_assertions().len(), 1, "Z3 reads {definitions}");
        assert_eq!(s.check(), z3::SatResult::Unsat, "{definitions} for {a}");
    }
    model
}

fn unsat(declarations: &[&str], asserts: &[&str]) {
    assert_eq!(run_smt2(&file(declarations, asserts)), Ok(Answer::Unsat));
}

fn refused(text: &str) -> String {
    run_smt2(text).unwrap_err().to_string()
}

#[test]
fn a_chain_of_relations() {
    let p = ["(declare-fun p (Int Int) Bool)", "(declare-fun q (Int) Bool)"];
    let clauses = [
        "(forall ((x Int) (y Int)) (=> (and (= x 0) (>= y (* 2 x)) (< 3 y)) (p x y)))",
        "(forall ((x Int) (y Int)) (=> (p x y) (q (- y x))))",
    ];
    let model = sat(&p, &[clauses[0], clauses[1], "(forall ((z Int)) (=> (and (q z) (<= z 2)) false))"]);
    assert!(model.contains("(define-fun q ((x!0 Int)) Bool\n    (<= 4 x!0))"), "{model}");
    unsat(&p, &[clauses[0], clauses[1], "(forall ((z Int)) (not (and (q z) (<= z 4))))"]);
}

#[test]
fn other_shapes_of_clauses() {
    let p = ["(declare-fun p (Int) Bool)", "(declare-const done Bool)", "(declare-fun |a b| () Bool)"];
    let clauses = [
        // Bound by let, disjunction in the body, conjunction in the head, facts, named terms.
        "(forall ((x Int)) (let ((y (+ x 1)) (c (or (= x 1) (= x 5)))) (=> c (and (p x) (p y)))))",
        "(! (forall ((x Int)) (or (not (p x)) (> x 0) done)) :named positive)",
        "(=> done |a b|)",
        "(not (exists ((x Int)) (and (p x) (distinct x 1 2 5 6))))",
        "(=> |a b| false)",
    ];
    sat(&p, &clauses);
}

#[test]
fn integer_terms_that_split() {
    let p = ["(declare-fun p (Int Int) Bool)"];
    let fact = "(forall ((x Int) (y Int)) (=> (and (<= 0 x) (<= x 9) (= y (ite (< x 5) (mod x 3) (abs (- x))))) (p x y)))";
    sat(&p, &[fact, "(forall ((x Int) (y Int)) (=> (p x y) (and (<= 0 y) (<= y 9))))"]);
    sat(&p, &[fact, "(forall ((x Int) (y Int)) (=> (and (p x y) (= (div x 5) 1)) (= x y)))"]);
    unsat(&p, &[fact, "(forall ((x Int) (y Int)) (=> (and (p x y) (= y 2)) false))"]);
    // The same variable twice, and terms, as arguments.
    sat(&p, &["(forall ((x Int)) (p x x))", "(forall ((x Int)) (=> (p (+ x 1) (* 2 x)) (= x 1)))"]);
}

#[test]
fn booleans_as_arguments() {
    let p = ["(declare-fun p (Bool Int) Bool)", "(declare-fun q (Bool Bool) Bool)"];
    let clauses = [
        "(forall ((b Bool) (x Int)) (=> (= b (< x 3)) (p b x)))",
        "(forall ((b Bool) (c Bool) (x Int)) (=> (and (p b x) (xor b c)) (q (and b (not c)) c)))",
        "(forall ((b Bool)) (=> (q b b) false))",
    ];
    let model = sat(&p, &clauses);
    assert!(model.contains("(x!0 Bool)"), "{model}");
    unsat(&p, &[clauses[0], clauses[1], "(forall ((b Bool)) (=> (q b (not b)) false))"]);
}

#[test]
fn old_style_variables() {
    let d = ["(declare-fun p (Int) Bool)", "(declare-var x Int)"];
    let text = file(&d, &["(=> (> x 3) (p x))", "(=> (p x) (> x 2))"]);
    let Ok(Answer::Sat(model)) = run_smt2(&text) else { panic!("must be sat") };
    assert_eq!(model, "(\n  (define-fun p ((x!0 Int)) Bool\n    (<= 4 x!0))\n)");
}

#[test]
fn no_clauses_or_no_relations() {
    assert_eq!(run_smt2("(check-sat)"), Ok(Answer::Sat("(\n)".into())));
    unsat(&[], &["(forall ((x Int)) (> (* 2 x) 1))"]);
    sat(&[], &["(forall ((x Int)) (distinct (* 2 x) 1))"]);
}

#[test]
fn refusals_say_where_and_why() {
    let with = |s: &str| refused(&format!("(declare-fun p (Int) Bool)\n{s}\n(check-sat)"));
    for (text, expected) in [
        (
            "(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))",
            "1:14: error: relation p is recursive: only recursion-free clauses are supported",
        ),
        ("(assert (forall ((x Int)) (p (* x x))))", "2:30: error: a product of variables is not linear"),
        (
            "(assert (forall ((x Int)) (p (div 3 x))))",
            "2:30: error: 'div' by anything but a constant other than 0 is not linear",
        ),
        ("(assert (forall ((x Real)) true))", "2:21: error: sort Real is not supported, only Int and Bool"),
        (
            "(declare-fun a () (Array Int Int))",
            "2:19: error: compound sorts are not supported, only Int and Bool",
        ),
        ("(declare-const c Int)", "2:18: error: a function or constant over Int is not a Horn relation"),
        ("(assert (p 1.5))", "2:12: error: a decimal number is not in the fragment"),
        ("(assert (p 1 2))", "2:9: error: 'p' takes 1 arguments, not 2"),
        ("(assert (p true))", "2:9: error: argument 1 of 'p' must be an Int"),
        ("(assert (q 1))", "2:9: error: 'q' is not declared or not in the fragment"),
        ("(assert (= 1 y))", "2:14: error: 'y' is not declared"),
        ("(assert (or (p 1) (p 2)))", "2:1: error: not a Horn clause: more than one relation in the head"),
        (
            "(assert (exists ((x Int)) (p x)))",
            "2:9: error: 'exists' here makes a quantifier alternate: not a Horn clause",
        ),
        ("(set-logic QF_LIA)", "2:12: error: logic QF_LIA is not supported, only HORN"),
        ("(push 1)", "2:2: error: command 'push' is not supported"),
        ("(assert (and))", "2:9: error: 'and' without arguments"),
        ("(assert)", "2:1: error: wrong number of arguments to 'assert'"),
        ("(declare-fun p () Bool)", "2:14: error: 'p' is declared twice"),
        ("(assert (p 1)", "2:1: error: '(' without ')'"),
        (")", "2:1: error: ')' without '('"),
        ("(assert (= 1 \u{7}))", "2:14: error: unexpected character '\\u{7}'"),
    ] {
        assert_eq!(with(text), expected, "{text}");
    }
    assert_eq!(refused(""), "1:1: error: no (check-sat)");
    assert_eq!(
        refused("(check-sat)\n(assert true)"),
        "2:1: error: 'assert' after (check-sat): only one query is supported"
    );
}

#[test]
fn depth_and_sharing_do_not_hurt() {
    // Nesting as deep as the file is long.
    let n = 200_000;
    let deep = format!("(assert {}true{})\n(check-sat)", "(not ".repeat(n), ")".repeat(n));
    assert!(run_smt2(&deep).is_ok());
    let open = "(".repeat(n);
    assert!(run_smt2(&open).is_err());
    // A let doubles the term a hundred times.
    let mut lets = String::from("(forall ((x Int)) (let ((a0 (= x 1)) (n0 x)) ");
    for i in 0..100 {
        lets.push_str(&format!("(let ((a{0} (and a{i} a{i})) (n{0} (+ n{i} n{i}))) ", i + 1));
    }
    lets.push_str("(=> (and a100 (< n100 0)) false)");
    lets.push_str(&")".repeat(102));
    assert!(matches!(run_smt2(&format!("(assert {lets})\n(check-sat)")), Ok(Answer::Sat(_))));
    // Squares of squares.
    let mut squares = String::from("(let ((n0 7)) ");
    for i in 0..60 {
        squares.push_str(&format!("(let ((n{} (* n{i} n{i}))) ", i + 1));
    }
    squares.push_str(&format!("(= n60 0){}", ")".repeat(61)));
    assert!(refused(&format!("(assert {squares})\n(check-sat)")).ends_with("number too long"));
}

/// Pieces that files are made of, so that random sequences get past the parser.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "(",
        ")",
        "assert",
        "forall",
        "exists",
        "let",
        "((x Int))",
        "((b Bool))",
        "((y x))",
        "x",
        "b",
        "y",
        "p",
        "q",
        "(p x)",
        "(q b x)",
        "and",
        "or",
        "not",
        "=>",
        "=",
        "<=",
        "+",
        "-",
        "*",
        "div",
        "mod",
        "ite",
        "0",
        "1",
        "7",
        "true",
        "false",
        "(check-sat)",
        "declare-fun",
        "(Int)",
        "Bool",
        "!",
        ":named",
        "|",
        "\"",
        ";",
        "\n",
        "#x1",
        "2.5",
        "distinct",
        "abs",
        "(assert (forall ((x Int)) (=> (p x)",
        "(assert (forall ((x Int) (b Bool)) (=> (and (q b x)",
    ];
    prop_oneof![4 => prop::sample::select(words.to_vec()).prop_map(String::from), 1 => ".{0,3}"]
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn junk_is_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = run_smt2(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn near_files_do_not_panic(pieces in prop::collection::vec(piece(), 0..40)) {
        let head = "(declare-fun p (Int) Bool)(declare-fun q (Bool Int) Bool)";
        let _ = run_smt2(&format!("{head}{}", pieces.join(" ")));
        let _ = run_smt2(&format!("{head}(assert (forall ((x Int) (b Bool)) ({}))) (check-sat)", pieces.join(" ")));
    }
}

/// What would fill the memory is refused: pairs of a long list, and cases with many choices left.
#[test]
fn large_scripts_are_refused() {
    let constants = "3 ".repeat(4_000);
    let said = refused(&file(&[], &[&format!("(distinct {constants})")]));
    assert!(said.contains("'distinct' of too many terms"), "{said}");
    let (sorts, names): (String, String) =
        (0..200).map(|i| (format!("(x{i} Int) "), format!("x{i} "))).unzip();
    let said = refused(&file(&[], &[&format!("(forall ({sorts}) (=> (distinct {names}) false))")]));
    assert!(said.contains("too many cases in this assertion"), "{said}");
}
