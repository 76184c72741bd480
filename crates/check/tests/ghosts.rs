//! Ghosts of programs made from C are accepted; what is changed in them on purpose is rejected, and for that.

use relyant_cfa::options::Options;
use relyant_check::certificate::{Certificate, CertificateError, Meta, write};
use relyant_check::check::{CheckError, Limits};
use relyant_check::flaw::ExtensionFlaw;
use relyant_check::ghosts::{Claims, check};
use relyant_check::obligations::Malformed;
use relyant_check::{Proof, Rule, smt2};
use relyant_frontend::{c, instantiate};
use relyant_linear::{Atom, Cube, LinExpr, Var};
use relyant_program::ghosts::extension::{Claim, Stage, Start, StepCase, Term};
use relyant_program::recognisers::Recogniser;
use relyant_program::{Program, thread_program};
use std::sync::Arc;

const HEAD: &str = "typedef unsigned long pthread_t;\n\
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\nint pthread_join(pthread_t, void **);\n\
    void __VERIFIER_assert(int);\nint __VERIFIER_nondet_int(void);\nunsigned __VERIFIER_nondet_uint(void);\n\
    void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n";

/// Threads that a loop creates count twice, each once.
const COUNTED: &str = "int x, y, n;\n\
    void *work(void *p) {\n\
    \x20 __VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();\n\
    \x20 if (__VERIFIER_nondet_int()) return 0;\n\
    \x20 __VERIFIER_atomic_begin(); y = y + 1; __VERIFIER_assert(y <= x); __VERIFIER_atomic_end();\n\
    \x20 return 0;\n}\n\
    int main(void) {\n  pthread_t t; n = __VERIFIER_nondet_int(); if (n <= 0) return 0;\n\
    \x20 for (int i = 0; i < n; i++) pthread_create(&t, 0, work, 0);\n\
    \x20 __VERIFIER_assert(x <= n); return 0;\n}\n";

/// A sum of what a number divides, made by another thread.
const DIVIDED: &str = "unsigned a, b;\n\
    void *work(void *p) { if (a > b) a = a - b; else b = b - a; return 0; }\n\
    int main(void) {\n  pthread_t t; a = __VERIFIER_nondet_uint(); b = __VERIFIER_nondet_uint();\n\
    \x20 unsigned d = __VERIFIER_nondet_uint(); if (d == 0) return 0;\n\
    \x20 if (a % d) return 0; if (b % d) return 0;\n\
    \x20 pthread_create(&t, 0, work, 0); pthread_join(t, 0);\n\
    \x20 unsigned e = a; __VERIFIER_assert(e % d == 0); return 0;\n}\n";

/// Two threads treble what they have, and wrap, until it is large.
const TWINS: &str = "unsigned first, second, g;\n\
    void *work(void *p) { unsigned *o = p; while (*o < g) *o = *o * 3u; return 0; }\n\
    int main(void) {\n  pthread_t s, t; unsigned x = (unsigned)__VERIFIER_nondet_int(); g = (unsigned)__VERIFIER_nondet_int();\n\
    \x20 first = second = x; pthread_create(&s, 0, work, &first); pthread_create(&t, 0, work, &second);\n\
    \x20 pthread_join(s, 0); pthread_join(t, 0); __VERIFIER_assert(first == second); return 0;\n}\n";

/// Two numbers multiplied by adding, each as often as the other says.
const MULTIPLIED: &str = "int main(void) {\n\
    \x20 int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), x = 0, y = 0; if (a < 0 || b < 0) return 0;\n\
    \x20 for (int i = 0; i < b; i++) x = x + a;\n  for (int j = 0; j < a; j++) y = y + b;\n\
    \x20 __VERIFIER_assert(x == y); return 0;\n}\n";

/// Any number of threads take a lock that does not say who has it.
const OWNED: &str = "int m, x;\n\
    void *work(void *p) {\n\
    \x20 while (1) { __VERIFIER_atomic_begin(); if (m == 0) { m = 1; __VERIFIER_atomic_end(); break; } __VERIFIER_atomic_end(); }\n\
    \x20 x = 1; __VERIFIER_assert(x == 1); x = 0; m = 0; return 0;\n}\n\
    int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, work, 0); return 0; }\n";

/// Any number of threads, of which one is chosen, say that they are gone; `main` waits for all.
const ALIVE: &str = "void __VERIFIER_assume(int); int alive, x;\n\
    void *work(void *p) { x = 1; __VERIFIER_atomic_begin(); alive = alive - 1; __VERIFIER_atomic_end(); return 0; }\n\
    int main(void) {\n  pthread_t t; int n = __VERIFIER_nondet_int();\n\
    \x20 for (int i = 0; i < n; i++) {\n\
    \x20   __VERIFIER_atomic_begin(); alive = alive + 1; __VERIFIER_atomic_end();\n\
    \x20   pthread_create(&t, 0, work, 0);\n  }\n\
    \x20 __VERIFIER_assume(alive == 0); x = 2; __VERIFIER_assert(x == 2); return 0; }\n";

/// The program with a chosen thread.
fn chosen(text: &str) -> Program {
    let options = Options::default();
    let module = c::load_text("a.i", &format!("{HEAD}{text}"), &options).expect("C");
    let mut automata =
        instantiate::instantiate_chosen(&module, &options).expect("threads").expect("one of many");
    instantiate::slice(&mut automata);
    thread_program(&automata).expect("linear")
}

fn program(text: &str) -> Program {
    let options = Options::default();
    let module = c::load_text("a.i", &format!("{HEAD}{text}"), &options).expect("C");
    let mut automata = instantiate::instantiate(&module, &options).expect("threads");
    instantiate::slice(&mut automata);
    thread_program(&automata).expect("linear")
}

fn decided(p: &Program) -> Result<usize, CheckError> {
    check(p, &Limits::default())
}

/// The program with one of its extensions changed.
fn forged(p: &Program, by: Recogniser, change: impl FnOnce(&mut Stage)) -> Program {
    let mut p = p.clone();
    let stage = p.extensions.iter_mut().find(|s| s.extension.by == by && !s.extension.ghosts.is_empty());
    change(Arc::make_mut(stage.expect("an extension")));
    p
}

/// The number of a ghost.
fn ghost(s: &Stage, name: &str) -> Var {
    let names: Vec<&str> = s.extension.ghosts.iter().map(|g| &g.variable.name[..]).collect();
    let k = names.iter().position(|n| n.starts_with(name)).unwrap_or_else(|| panic!("no {name}: {names:?}"));
    Var((s.before.variables.len() + k) as u32)
}

/// The obligation that fails, which names the ghost.
fn fails(p: &Program, ghost: &str) -> String {
    match decided(p) {
        Err(CheckError::Fails { obligation, .. }) => {
            assert!(obligation.contains(ghost), "{ghost}: {obligation}");
            obligation
        }
        other => panic!("{ghost}: {other:?}"),
    }
}

fn flawed(p: &Program) -> ExtensionFlaw {
    match decided(p) {
        Err(CheckError::Malformed(Malformed::Ghosts(_, flaw))) => flaw,
        other => panic!("{other:?}"),
    }
}

/// Changes what is written to a ghost, wherever it is.
fn rewrite(s: &mut Stage, ghost: Var, f: impl Fn(&LinExpr) -> LinExpr) {
    let all = s.extension.cases.values_mut().flatten().flat_map(|c| &mut c.updates);
    let mut changed = 0;
    for (_, e) in all.filter(|u| u.0 == ghost) {
        *e = f(e);
        changed += 1;
    }
    assert!(changed > 0);
}

fn int(n: i128) -> LinExpr {
    LinExpr::int(n)
}

#[test]
fn what_the_passes_add_is_proved() {
    for (text, by, least) in [
        (COUNTED, Recogniser::Counts, 10),
        (DIVIDED, Recogniser::Divisors, 10),
        (TWINS, Recogniser::Twins, 10),
        (OWNED, Recogniser::Owners, 3),
        (MULTIPLIED, Recogniser::Products, 10),
    ] {
        let p = program(text);
        assert!(p.extensions.iter().any(|s| s.extension.by == by), "{by}");
        let n = decided(&p).unwrap_or_else(|e| panic!("{by}: {e}"));
        assert!(n >= least, "{by}: {n}");
    }
}

#[test]
fn threads_that_are_left_are_counted() {
    let p = chosen(ALIVE);
    let n = decided(&p).unwrap_or_else(|e| panic!("{e}"));
    assert!(n >= 10, "{n}");
    // Too few: a thread that goes twice. Too many would be no lie, as no more than that is claimed.
    let off = forged(&p, Recogniser::Counts, |s| {
        let pending = ghost(s, "pending(alive)");
        rewrite(s, pending, |e| e.add(&int(-1)));
    });
    fails(&off, "pending(alive)");
    let gone = forged(&p, Recogniser::Counts, |s| {
        let left = ghost(s, "left(");
        rewrite(s, left, |_| int(0));
    });
    fails(&gone, "left(");
}

#[test]
fn a_case_may_not_write_the_program() {
    let p = program(OWNED);
    let own = forged(&p, Recogniser::Owners, |s| {
        let case = s.extension.cases.values_mut().flatten().next().expect("a case");
        case.updates = vec![(Var(0), int(0))];
    });
    assert!(matches!(flawed(&own), ExtensionFlaw::Writes(_)));
    let identity = forged(&p, Recogniser::Owners, |s| {
        let own = ghost(s, "work::self");
        let case = s.extension.cases.values_mut().flatten().next().expect("a case");
        case.updates = vec![(own, int(7))];
    });
    assert!(matches!(flawed(&identity), ExtensionFlaw::Writes(_)));
}

#[test]
fn an_identity_has_no_last_value() {
    let p = program(OWNED);
    let few = forged(&p, Recogniser::Owners, |s| {
        s.extension.ghosts.iter_mut().filter(|g| g.variable.identity).for_each(|g| g.variable.max = Some(9));
    });
    assert!(matches!(flawed(&few), ExtensionFlaw::Start(_)));
}

#[test]
fn a_bound_of_a_ghost_is_a_claim() {
    let p = program(OWNED);
    let bounded = forged(&p, Recogniser::Owners, |s| s.extension.ghosts[0].variable.max = Some(2));
    assert!(fails(&bounded, "owner(m)").contains("step a.i:"));
    let positive = forged(&p, Recogniser::Owners, |s| s.extension.ghosts[0].variable.min = Some(1));
    assert!(fails(&positive, "owner(m)").contains("at the start"));
}

#[test]
fn what_ends_runs_is_rejected() {
    let p = program(OWNED);
    for guard in [Cube::bottom(), Cube::of([Atom::eq(&LinExpr::var(Var(0)).sub(&int(5)))])] {
        let stuck = forged(&p, Recogniser::Owners, |s| {
            let case = s.extension.cases.values_mut().flatten().next().expect("a case");
            case.guard = guard;
        });
        fails(&stuck, "owner(m)");
    }
    let gone = forged(&p, Recogniser::Owners, |s| {
        s.extension.cases.values_mut().next().expect("an edge").clear();
    });
    fails(&gone, "thread `work`, step");
}

#[test]
fn a_count_that_is_not_the_number_is_rejected() {
    let p = program(COUNTED);
    // What is counted twice is not what was created.
    let twice = forged(&p, Recogniser::Counts, |s| {
        let x = ghost(s, "counted(work, x)");
        rewrite(s, x, |e| e.add(&int(1)));
    });
    assert!(fails(&twice, "counted(work, x)").contains("thread `work`, step a.i:"));
    let late = forged(&p, Recogniser::Counts, |s| {
        let created = ghost(s, "created(work)");
        let k = (created.0 as usize) - s.before.variables.len();
        s.extension.ghosts[k].start = Start::Value(int(-1));
    });
    assert!(fails(&late, "created(work)").contains("at the start"));
    let never = forged(&p, Recogniser::Counts, |s| {
        let created = ghost(s, "created(work)");
        s.extension.cases.values_mut().flatten().for_each(|c| c.updates.retain(|u| u.0 != created));
    });
    assert!(fails(&never, "created(work)").contains("thread `main`, step a.i:"));
    // Who has done the first step need not do the second.
    let more = forged(&p, Recogniser::Counts, |s| {
        let (x, y) = (ghost(s, "counted(work, x)"), ghost(s, "counted(work, y)"));
        for c in s.extension.cases.values_mut().flatten().filter(|c| c.updates.iter().any(|u| u.0 == y)) {
            c.guard.push(Atom::le(&LinExpr::var(x).sub(&LinExpr::var(y)).sub(&int(1))));
        }
    });
    fails(&more, "counted(work, y)");
}

#[test]
fn a_count_is_replaced_only_by_what_it_equals() {
    let mut p = program(COUNTED);
    let stage = p.extensions.iter_mut().find(|s| !s.extension.replaced.is_empty()).expect("replaced");
    let stage = Arc::make_mut(stage);
    let (v, e) = stage.extension.replaced[0].clone();
    stage.extension.replaced[0] = (v, e.add(&int(1)));
    let wrong = p.clone();
    assert!(matches!(flawed(&wrong), ExtensionFlaw::Replaced(_)));
    let stage = p.extensions.iter_mut().find(|s| !s.extension.replaced.is_empty()).expect("replaced");
    for f in &mut Arc::make_mut(stage).extension.facts {
        if let Claim::Sum { sum, .. } = &mut f.claim
            && *sum == e.sub(&LinExpr::var(v))
        {
            *sum = sum.add(&int(1));
        }
    }
    assert!(fails(&p, "counts").contains("at the start"));
}

#[test]
fn a_wrong_bit_is_rejected() {
    let p = program(DIVIDED);
    let flipped = forged(&p, Recogniser::Divisors, |s| {
        let a = ghost(s, "divides(main::d, a)");
        rewrite(s, a, |e| int(1).sub(e));
    });
    fails(&flipped, "divides(main::d, a)");
    let started = forged(&p, Recogniser::Divisors, |s| {
        let bit = (ghost(s, "divides(main::d, a)").0 as usize) - s.before.variables.len();
        let start = &mut s.extension.ghosts[bit].start;
        let Start::Chosen(Term::Divides { of, .. }) = start else { panic!("a bit") };
        *of = of.add(&int(1));
    });
    assert!(fails(&started, "divides(main::d, a)").contains("at the start"));
}

#[test]
fn a_wrong_product_is_rejected() {
    let p = program(MULTIPLIED);
    let more = forged(&p, Recogniser::Products, |s| {
        let product = ghost(s, "main::t1 * main::i");
        rewrite(s, product, |e| e.add(&int(1)));
    });
    fails(&more, "main::t1 * main::i");
    let started = forged(&p, Recogniser::Products, |s| {
        let k = (ghost(s, "main::t1 * main::i").0 as usize) - s.before.variables.len();
        s.extension.ghosts[k].start = Start::Value(int(1));
    });
    assert!(fails(&started, "main::t1 * main::i").contains("at the start"));
    let other = forged(&p, Recogniser::Products, |s| {
        for f in &mut s.extension.facts {
            if let Claim::Is { term: Term::Product(a, _), .. } = &mut f.claim {
                *a = a.add(&int(1));
            }
        }
    });
    assert!(decided(&other).is_err());
}

/// That a product is 0 where none of its factors is.
#[test]
fn a_product_that_is_said_to_vanish_is_rejected() {
    let p = program(MULTIPLIED);
    let vanishes = forged(&p, Recogniser::Products, |s| {
        let product = LinExpr::var(ghost(s, "main::t1 * main::i"));
        let mut said = 0;
        for c in s.extension.cases.values_mut().flatten().filter(|c| !c.guard.is_top()) {
            c.guard.push(Atom::eq(&product));
            said += 1;
        }
        assert!(said > 0);
    });
    assert!(decided(&vanishes).is_err());
    // A step of two cases, one where a bound has just been met and one where it has been passed, has no others.
    let stage = p.extensions.iter().find(|s| s.extension.by == Recogniser::Products).expect("products");
    let split: Vec<(u32, usize)> =
        stage.extension.cases.iter().filter(|c| c.1.len() > 1).map(|(at, _)| *at).collect();
    assert!(!split.is_empty());
    for at in split {
        for k in 0..2 {
            let without = forged(&p, Recogniser::Products, |s| {
                s.extension.cases.get_mut(&at).expect("cases").remove(k);
            });
            assert!(decided(&without).is_err(), "{at:?} {k}");
        }
    }
}

/// `a & (d - 1)` is at most `a`, and below `d`, as a remainder is.
#[test]
fn a_mask_is_no_remainder() {
    let text = |op: &str| {
        format!(
            "int main(void) {{ unsigned a = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint();\n\
             if (d == 0) return 0; if (a {op}) return 0; if (a != 0) __VERIFIER_assert(a >= d); return 0; }}\n"
        )
    };
    let divides = |p: &Program| p.extensions.iter().any(|s| s.extension.by == Recogniser::Divisors);
    assert!(divides(&program(&text("% d"))));
    assert!(!divides(&program(&text("& (d - 1)"))));
}

#[test]
fn a_case_that_is_left_out_is_rejected() {
    let p = program(DIVIDED);
    let stage = p.extensions.iter().find(|s| s.extension.by == Recogniser::Divisors).expect("divisors");
    let split: Vec<((u32, usize), usize)> =
        stage.extension.cases.iter().filter(|c| c.1.len() > 1).map(|(at, c)| (*at, c.len())).collect();
    let mut rejected = 0;
    for (at, n) in &split {
        for k in 0..*n {
            let without = forged(&p, Recogniser::Divisors, |s| {
                s.extension.cases.get_mut(at).expect("cases").remove(k);
            });
            rejected += usize::from(decided(&without).is_err());
        }
    }
    // Some cases never happen, whatever else is there.
    let all: usize = split.iter().map(|s| s.1).sum();
    assert!(rejected > 0 && 2 * rejected > all, "{rejected} of {all}");
}

#[test]
fn what_is_foretold_stays() {
    let p = program(DIVIDED);
    let changed = forged(&p, Recogniser::Divisors, |s| {
        let told = s.extension.prophecies[0].clone();
        let last = *told.edges.last().expect("an edge");
        let e = &mut s.before.templates[told.template as usize].edges[last];
        e.updates.push((told.of, int(3)));
        e.updates.sort_by_key(|u| u.0);
    });
    assert!(matches!(flawed(&changed), ExtensionFlaw::Prophecy(_)));
    let elsewhere = forged(&p, Recogniser::Divisors, |s| s.extension.prophecies[0].edges.clear());
    fails(&elsewhere, "divisor(main::d)");
    let large = forged(&p, Recogniser::Divisors, |s| {
        let value = (ghost(s, "divisor(main::d)").0 as usize) - s.before.variables.len();
        s.extension.ghosts[value].variable.min = Some(3);
    });
    fails(&large, "divisor(main::d)");
}

#[test]
fn twins_whose_code_differs_are_rejected() {
    let p = program(TWINS);
    let stage = p.extensions.iter().find(|s| s.extension.by == Recogniser::Twins).expect("twins").clone();
    let (first, created) = (stage.extension.code[0].template as usize, stage.extension.code[0].results[0]);
    let second = (1..stage.before.templates.len()).rfind(|t| *t != first).expect("a twin");
    let mut rejected = 0;
    for k in 0..stage.before.templates[second].edges.len() {
        let differs = forged(&p, Recogniser::Twins, |s| {
            let edges = &mut s.before.templates[second].edges;
            for (_, e) in edges[k].updates.iter_mut().filter(|u| !u.1.is_constant()) {
                *e = e.add(&int(1));
            }
        });
        rejected += usize::from(decided(&differs).is_err());
    }
    assert!(rejected > 0);
    // A choice: two steps from the same values.
    let chooses = forged(&p, Recogniser::Twins, |s| {
        for t in [first, second] {
            let mut e = s.before.templates[t].edges[0].clone();
            e.updates.iter_mut().for_each(|u| u.1 = u.1.add(&int(1)));
            s.before.templates[t].edges.push(e);
        }
    });
    assert!(decided(&chooses).is_err());
    // Somebody else writes what a twin works on.
    let disturbed = forged(&p, Recogniser::Twins, |s| {
        for e in &mut s.before.templates[0].edges {
            if e.after(created).is_none() {
                e.updates.push((created, int(1)));
                e.updates.sort_by_key(|u| u.0);
            }
        }
    });
    fails(&disturbed, "first(first)");
    // They did not start alike.
    let alike = forged(&p, Recogniser::Twins, |s| {
        s.extension.cases.values_mut().filter(|c| c.len() > 1).for_each(|c| {
            c.remove(0);
        });
    });
    fails(&alike, "first(first)");
}

#[test]
fn a_program_without_ghosts_has_no_obligations() {
    let p = program("int x; int main(void) { x = 1; __VERIFIER_assert(x == 1); return 0; }\n");
    assert!(p.extensions.is_empty());
    assert_eq!(decided(&p), Ok(0));
    assert_eq!(StepCase::same().updates, []);
}

/// A certificate of some program, whose proof says nothing.
fn certificate(p: &Program) -> String {
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: true,
        threads: Vec::new(),
        tickets: Vec::new(),
        global: Vec::new(),
    };
    write(&proof, p, &Meta { sources: Vec::new(), includes: Vec::new(), options: Options::default() })
}

#[test]
fn certificates_say_what_is_claimed() {
    let p = program(COUNTED);
    let text = certificate(&p);
    let read = |text: &str| Certificate::parse(text).expect("a certificate").proof(&p);
    assert!(read(&text).is_ok());
    let claim = "counted(work, x)";
    assert!(text.contains(claim) && text.contains("#work("), "{text}");
    let other = text.replacen("\"holds\": \"", "\"holds\": \"1 + ", 1);
    assert_eq!(read(&other), Err(CertificateError::Ghosts));
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json.as_object_mut().expect("an object").remove("ghosts").expect("ghosts");
    assert_eq!(read(&json.to_string()), Err(CertificateError::Ghosts));
    let none = program(
        "int x; int main(void) { x = __VERIFIER_nondet_int(); __VERIFIER_assert(x == x); return 0; }\n",
    );
    assert!(none.extensions.is_empty() && !certificate(&none).contains("ghosts"));
}

#[test]
fn obligations_are_scripts_for_any_solver() {
    for text in [COUNTED, DIVIDED, TWINS, OWNED] {
        let p = program(text);
        let claims = Claims::new(&p).expect("well-formed");
        for o in claims.list() {
            let (script, solver) = (smt2::text(&claims, o), z3::Solver::new());
            solver.from_string(script.as_str());
            assert_eq!(solver.check(), z3::SatResult::Unsat, "{script}");
        }
    }
}

#[test]
fn what_is_out_of_place_is_rejected() {
    let (counted, divided, twins) = (program(COUNTED), program(DIVIDED), program(TWINS));
    let local = |s: &Stage, t: u32| {
        let scope = relyant_program::Scope::Local(t);
        let k = s.before.variables.iter().position(|v| v.scope == scope).expect("a local");
        LinExpr::var(Var(k as u32))
    };
    let edge = forged(&counted, Recogniser::Counts, |s| {
        s.extension.cases.insert((0, 10_000), vec![StepCase::same()]);
    });
    assert_eq!(flawed(&edge), ExtensionFlaw::Edge);
    // A fact of no thread in particular speaks of a local of one of many.
    let fact = forged(&counted, Recogniser::Counts, |s| {
        let many = (1u32..).zip(&s.before.templates[1..]).find(|t| t.1.name == "work").expect("work").0;
        let local = local(s, many);
        let Claim::Sum { sum, .. } = &mut s.extension.facts[0].claim else { panic!("a sum") };
        *sum = sum.add(&local);
    });
    assert_eq!(flawed(&fact), ExtensionFlaw::Fact);
    let divisor = forged(&divided, Recogniser::Divisors, |s| {
        let bit = ghost(s, "divides(main::d, a)");
        let all = s.extension.cases.values_mut().flatten();
        let input = all.flat_map(|c| &mut c.inputs).next().expect("an input");
        let Term::Divides { by, .. } = input else { panic!("a division") };
        *by = bit;
    });
    assert_eq!(flawed(&divisor), ExtensionFlaw::Divisor);
    let hidden = forged(&twins, Recogniser::Twins, |s| {
        let k = s.extension.ghosts.len() - 1;
        s.extension.ghosts.iter_mut().for_each(|g| g.hidden = true);
        let last = LinExpr::var(Var((s.before.variables.len() + k) as u32));
        let case = s.extension.cases.values_mut().flatten().next().expect("a case");
        case.updates.clear();
        case.guard.push(Atom::le(&last));
    });
    assert!(matches!(flawed(&hidden), ExtensionFlaw::Hidden(_)));
    let code = forged(&twins, Recogniser::Twins, |s| {
        let other = local(s, 0);
        s.extension.code[0].arguments[0].extend(other.vars());
    });
    assert_eq!(flawed(&code), ExtensionFlaw::Code);
}
