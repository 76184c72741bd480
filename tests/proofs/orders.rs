//! Proofs in an order of preference: what is claimed of it is shown, and nothing else is accepted.

use relyant_cfa::options::Options;
use relyant_check::Proof;
use relyant_check::check::{CheckError, Limits, check};
use relyant_check::flaw::ProgramFlaw;
use relyant_check::obligations::Malformed;
use relyant_check::ordered::is_made_of;
use relyant_engines::aret::Settings;
use relyant_engines::rely_guarantee;
use relyant_engines::verdict::Answer;
use relyant_engines::watch::Watch;
use relyant_frontend::{c, instantiate};
use relyant_linear::{Atom, Cube, LinExpr, Var};
use relyant_program::ordered::{Commuting, Order, Ordered, Turns, at_once, ordered, orders};
use relyant_program::recognisers::Recognisers;
use relyant_program::{Program, linearise, thread_program_with};
use std::sync::Arc;

/// The last of two writers wins; `main` checks which.
const WRITERS: &str = "
    void *one(void *p) { x = 1; return 0; }
    void *two(void *p) { x = 2; return 0; }
    int main(void) {
        pthread_t t, u;
        pthread_create(&t, 0, one, 0);
        pthread_create(&u, 0, two, 0);
        pthread_join(t, 0);
        pthread_join(u, 0);
        if (x != 2) reach_error();
        return 0;
    }";

/// One adds, one takes away where there is something.
const STOCK: &str = "
    void *one(void *p) { while (i < n) { __VERIFIER_atomic_begin(); x = x + 1; i = i + 1; __VERIFIER_atomic_end(); } return 0; }
    void *two(void *p) {
        while (j < n) {
            __VERIFIER_atomic_begin();
            if (x > 0) { x = x - 1; j = j + 1; }
            __VERIFIER_atomic_end();
        }
        return 0;
    }
    int main(void) {
        pthread_t t, u;
        n = __VERIFIER_nondet_int();
        if (n < 0) return 0;
        pthread_create(&t, 0, one, 0);
        pthread_create(&u, 0, two, 0);
        pthread_join(t, 0);
        pthread_join(u, 0);
        if (x != 0) reach_error();
        return 0;
    }";

/// Two variables are equal but within sections.
const PAIR: &str = "
    void *one(void *p) {
        __VERIFIER_atomic_begin(); __VERIFIER_assume(n == 0); n = 1; __VERIFIER_atomic_end();
        x = i; if (x < 7) x = x + 1; i = x; n = 0; return 0;
    }
    int main(void) {
        pthread_t t;
        while (__VERIFIER_nondet_int()) pthread_create(&t, 0, one, 0);
        __VERIFIER_atomic_begin(); __VERIFIER_assume(n == 0); n = 2; __VERIFIER_atomic_end();
        if (x != i) reach_error();
        n = 0;
        return 0;
    }";

const HEAD: &str = "typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    int pthread_join(pthread_t, void **);
    void reach_error(void);
    void __VERIFIER_assume(int);
    int __VERIFIER_nondet_int(void);
    void __VERIFIER_atomic_begin(void);
    void __VERIFIER_atomic_end(void);
    int x, i, j, n;";

fn threads(text: &str) -> Program {
    let module = c::load_text("a.i", &format!("{HEAD}{text}"), &Options::default()).expect("C");
    let automata = instantiate::instantiate(&module, &Options::default()).expect("threads");
    thread_program_with(&automata, linearise::ArrayLimits::touching(), Recognisers::none())
        .expect("linear steps")
}

fn proved(program: &Program) -> Proof {
    match rely_guarantee::verify(program, &Settings::default(), &Watch::NONE).0 {
        Answer::Safe(proof) => proof,
        other => panic!("{other:?}"),
    }
}

/// A program in the first order, and its proof.
fn stock() -> (Program, Proof) {
    let threads = threads(STOCK);
    let order = &orders(&threads)[0];
    let mut commuting = Commuting::default();
    let product =
        ordered(&threads, order, &mut |p, a, b| commuting.swap(p, a, b), &|| false).expect("small enough");
    let proof = proved(&product);
    assert!(check(&product, &proof, &Limits::default()).is_ok());
    (product, proof)
}

fn claimed(program: &Program) -> Ordered {
    Ordered::clone(program.ordered.as_deref().expect("an order"))
}

fn is_not_the_product(program: &Program, proof: &Proof) -> bool {
    let flaw = check(program, proof, &Limits::default());
    matches!(flaw, Err(CheckError::Malformed(Malformed::Program(ProgramFlaw::Order))))
}

#[test]
fn steps_that_do_not_commute_are_not_swapped() {
    let threads = threads(WRITERS);
    // As if all steps commuted: only `one` before `two` is left, in which 2 is what stays.
    for order in orders(&threads).iter().filter(|o| o.turns == Turns::Never && o.ring == [1, 2]) {
        let forged =
            ordered(&threads, order, &mut |_, _, _| Some(Cube::top()), &|| false).expect("small enough");
        let proof = proved(&forged);
        match check(&forged, &proof, &Limits::default()) {
            Err(CheckError::Fails { obligation, .. }) => {
                assert!(obligation.starts_with("swap"), "{obligation}")
            }
            other => panic!("{other:?}"),
        }
        // What does commute is not enough to leave the other order out.
        let mut commuting = Commuting::default();
        let honest = ordered(&threads, order, &mut |p, a, b| commuting.swap(p, a, b), &|| false)
            .expect("small enough");
        let answer = rely_guarantee::verify(&honest, &Settings::default(), &Watch::NONE).0;
        assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
    }
}

#[test]
fn a_condition_that_is_left_out_is_missed() {
    let (product, proof) = stock();
    let mut forged = claimed(&product);
    let conditional = forged.swaps.iter().filter(|s| !s.when.is_top()).count();
    assert!(conditional > 0);
    forged.swaps.iter_mut().for_each(|s| s.when = Cube::top());
    // Another product follows from it, so that this one is not it; and its own proof fails at a swap.
    let changed = Program { ordered: Some(Arc::new(forged.clone())), ..product.clone() };
    assert!(is_not_the_product(&changed, &proof));
    let all = |a, b| forged.swaps.iter().find(|s| (s.first, s.second) == (a, b)).map(|_| Cube::top());
    let product =
        ordered(&forged.of, &forged.order, &mut |_, a, b| all(a, b), &|| false).expect("small enough");
    let failed = check(&product, &proved(&product), &Limits::default());
    assert!(matches!(failed, Err(CheckError::Fails { .. })), "{failed:?}");
}

#[test]
fn another_product_is_not_believed() {
    let (product, proof) = stock();
    let edges = product.templates[0].edges.len();
    for k in 0..edges {
        let mut fewer = product.clone();
        fewer.templates[0].edges.remove(k);
        assert!(is_not_the_product(&fewer, &proof), "edge {k}");
    }
    let mut looser = product.clone();
    looser.init = Cube::bottom();
    assert!(is_not_the_product(&looser, &proof));
    let with = |change: &dyn Fn(&mut Ordered)| {
        let mut claim = claimed(&product);
        change(&mut claim);
        Program { ordered: Some(Arc::new(claim)), ..product.clone() }
    };
    let swaps = claimed(&product).swaps.len();
    for k in 0..swaps {
        assert!(is_not_the_product(&with(&|o| drop(o.swaps.remove(k))), &proof), "swap {k}");
    }
    let turned = |o: &mut Ordered| o.order = Order { turns: Turns::Never, ..o.order.clone() };
    assert!(is_not_the_product(&with(&turned), &proof));
    let reversed = |o: &mut Ordered| o.order.ring.reverse();
    assert!(is_not_the_product(&with(&reversed), &proof));
    let one_thread = |o: &mut Ordered| o.of.templates.truncate(1);
    assert!(is_not_the_product(&with(&one_thread), &proof));
    let fewer_steps = |o: &mut Ordered| drop(o.of.templates[1].edges.pop());
    assert!(is_not_the_product(&with(&fewer_steps), &proof));
}

#[test]
fn a_thread_that_an_order_leaves_out_is_missed() {
    let threads = threads(WRITERS);
    let all = orders(&threads)[0].clone();
    let fewer = [
        Order { ring: vec![all.ring[1]], ..all.clone() },
        Order { ring: Vec::new(), ..all.clone() },
        Order { first: Vec::new(), ..all.clone() },
        Order { ring: vec![all.ring[0], all.ring[1], all.ring[1]], ..all.clone() },
        Order { ring: vec![all.ring[0], all.ring[0]], ..all.clone() },
        Order { ring: vec![all.ring[0], all.ring[1], 99], ..all.clone() },
    ];
    let made = |order: &Order| {
        let mut commuting = Commuting::default();
        ordered(&threads, order, &mut |p, a, b| commuting.swap(p, a, b), &|| false)
    };
    assert!(made(&all).is_some() && fewer.iter().all(|order| made(order).is_none()));
}

#[test]
fn a_condition_that_never_holds_puts_nobody_to_sleep() {
    // Each such swap is true, and says nothing: all interleavings are left, and the error with them.
    let threads = threads(WRITERS);
    let x = LinExpr::var(Var(0));
    let both = Cube::of([Atom::le(&x), Atom::lt(&x.negated())]);
    for never in [Cube::bottom(), both] {
        for order in orders(&threads) {
            let product = ordered(&threads, &order, &mut |_, _, _| Some(never.clone()), &|| false);
            let answer =
                rely_guarantee::verify(&product.expect("small enough"), &Settings::default(), &Watch::NONE).0;
            assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
        }
    }
}

/// Two add to a sum, each under a lock; `main` knows it.
const TALLY: &str = "
    void *one(void *p) {
        for (int k = 0; k < n; k++) {
            __VERIFIER_atomic_begin(); __VERIFIER_assume(j == 0); j = 1; __VERIFIER_atomic_end();
            int seen = x; x = seen + 1; j = 0;
        }
        return 0;
    }
    int main(void) {
        pthread_t t, u;
        n = __VERIFIER_nondet_int();
        if (n < 0 || n > 1000) return 0;
        pthread_create(&t, 0, one, 0);
        pthread_create(&u, 0, one, 0);
        pthread_join(t, 0);
        pthread_join(u, 0);
        if (x != n + n) reach_error();
        return 0;
    }";

#[test]
fn sections_commute_as_a_whole() {
    let threads = threads(TALLY);
    let mut commuting = Commuting::default();
    let turns = orders(&threads).into_iter().find(|o| o.turns == Turns::Never).expect("turns");
    assert!(turns.sections);
    let mut made = |p: &Program, order: &Order| {
        ordered(p, order, &mut |p, a, b| commuting.swap(p, a, b), &|| false).expect("small enough")
    };
    let product = made(&threads, &turns);
    let proof = proved(&product);
    assert!(check(&product, &proof, &Limits::default()).is_ok());
    assert!(is_made_of(&claimed(&product), &threads));
    // The steps of sections are what the order says, and the program has sections that can be one step.
    let mut claim = claimed(&product);
    claim.order.sections = false;
    assert!(!is_made_of(&claim, &threads));
    let shown =
        self::threads(&TALLY.replace("j = 0;\n        }", "j = 0; if (j == 2) reach_error();\n        }"));
    assert!(shown != threads && !is_made_of(&claimed(&product), &shown));
    // A lock that is not taken in each section is none.
    let broken =
        self::threads(&TALLY.replace("__VERIFIER_assume(j == 0);", "if (k != 3) __VERIFIER_assume(j == 0);"));
    assert!(broken != threads && orders(&broken).iter().all(|o| !o.sections));
    // Nor do sections commute that tell which one came first.
    let order = &Order { sections: true, ..turns };
    let last = self::threads(&TALLY.replace("x = seen + 1;", "x = seen + seen + 1;"));
    assert!(last != threads);
    let answer = rely_guarantee::verify(&made(&last, order), &Settings::default(), &Watch::NONE).0;
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
}

#[test]
fn sections_are_as_the_threads_make_them() {
    let threads = threads(PAIR);
    let order = at_once(&threads).expect("a lock");
    let made = |p: &Program| ordered(p, &order, &mut |_, _, _| None, &|| false);
    let product = made(&threads).expect("sections");
    let proof = proved(&product);
    assert!(check(&product, &proof, &Limits::default()).is_ok());
    for t in 0..product.templates.len() {
        for k in 0..product.templates[t].edges.len() {
            let mut fewer = product.clone();
            fewer.templates[t].edges.remove(k);
            assert!(is_not_the_product(&fewer, &proof), "edge {k} of {t}");
        }
    }
    let with = |change: &dyn Fn(&mut Ordered)| {
        let mut claim = claimed(&product);
        change(&mut claim);
        Program { ordered: Some(Arc::new(claim)), ..product.clone() }
    };
    assert!(is_not_the_product(&with(&|o| o.order.turns = Turns::Loops), &proof));
    assert!(is_not_the_product(&with(&|o| o.order.sections = false), &proof));
    assert!(is_not_the_product(&with(&|o| o.order.first.truncate(1)), &proof));
    let fewer_steps = |o: &mut Ordered| drop(o.of.templates[1].edges.pop());
    assert!(is_not_the_product(&with(&fewer_steps), &proof));
    // Where somebody tells whether the lock is taken, sections stay as they are.
    let told = PAIR.replace("if (x != i)", "j = n; if (j == 1 && x != i)");
    assert!(told != PAIR && made(&self::threads(&told)).is_some());
    let outside = PAIR.replace(
        "n = 0;\n        return 0;\n    }",
        "n = 0; if (n == 1) j = 1; if (j) reach_error();\n return 0;\n }",
    );
    assert!(outside != PAIR && at_once(&self::threads(&outside)).is_none());
}
