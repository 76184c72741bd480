use super::*;
use crate::aret::Bias;
use crate::testing::{peterson, program};

fn run(p: &Program, settings: Settings) -> (Answer, Stats) {
    let progress = |s: &Standing| {
        if std::env::var_os("RELYANT_TRACE").is_some() {
            eprintln!("{s:?}");
        }
    };
    let answer = verify(p, &settings, &Watch { progress: &progress, ..Watch::NONE });
    if let Answer::Safe(proof) = &answer.0 {
        relyant_check::check::check(p, proof, &relyant_check::check::Limits::default()).expect("checked");
    }
    answer
}

#[test]
fn lock_id_has_a_modular_proof() {
    let p = program(
        "lock x",
        &[
            ("one", "", "a>b: lock == 0 ; lock := 1\n b>c: ; x := 0\n c>!e: x >= 1"),
            ("two", "", "a>b: lock == 0 ; lock := 2\n b>c: ; x := 1\n c>!e: x <= 0"),
        ],
    );
    let (answer, stats) = run(&p, Settings::default());
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(stats.modular);
}

#[test]
fn lock_bit_is_safe_though_not_modular() {
    let p = program(
        "lock x",
        &[
            ("one", "", "a>b: lock == 0 ; lock := 1\n b>c: ; x := 0\n c>!e: x >= 1"),
            ("two", "", "a>b: lock == 0 ; lock := 1\n b>c: ; x := 1\n c>!e: x <= 0"),
        ],
    );
    let (answer, stats) = run(&p, Settings::default());
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(!stats.modular);
}

#[test]
fn peterson_is_safe_under_every_rule() {
    for method in [Method::RelyGuarantee, Method::OwickiGries, Method::Monolithic] {
        for bias in [Bias::Modular, Bias::None] {
            let (answer, _) = run(&peterson(), Settings { method, bias, ..Settings::default() });
            assert!(matches!(answer, Answer::Safe(_)), "{method:?} {bias:?} {answer:?}");
        }
    }
}

#[test]
fn a_lost_update_is_found() {
    let worker = "a>b: ; t := n\n b>c: ; n := t + 1, done := done + 1";
    let p = program(
        "n done",
        &[("two", "t", worker), ("three", "t", &(worker.to_string() + "\n c>!e: done == 2 & n <= 1"))],
    );
    let (answer, _) = run(&p, Settings::default());
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
}

#[test]
fn a_lock_with_owner_holds_for_any_number_of_threads() {
    let p = program(
        "lock x",
        &[(
            "w*",
            "self",
            "a>b: lock == 0 ; lock := self\n b>c: ; x := self\n c>!e: x <= self - 1\n c>!e: x >= self + 1\n c>a: ; lock := 0",
        )],
    );
    let (answer, stats) = run(&p, Settings::default());
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(stats.modular);
}

#[test]
fn a_ticket_lock_holds_for_any_number_of_threads() {
    let p = program(
        "next serving inside",
        &[(
            "client*",
            "mine",
            "a>b: ; mine := next, next := next + 1
             b>c: serving == mine
             c>d: ; inside := inside + 1
             d>!e: inside >= 2
             d>!e: inside <= 0
             d>f: inside == 1 ; inside := inside - 1
             f>g: ; serving := serving + 1",
        )],
    );
    let (answer, stats) = run(&p, Settings::default());
    assert!(matches!(answer, Answer::Safe(_)), "{answer:?}");
    assert!(stats.modular);
}
