//! Certificates read back as they were written.

use crate::programs::*;
use proptest::prelude::*;
use relyant_cfa::Count;
use relyant_check::certificate::{Certificate, Source, write};
use relyant_check::{Assertion, EnvTransition, Holder, Proof, Rule, ThreadProof, Tickets};
use relyant_linear::{Atom, Cube, LinExpr, Var};
use relyant_program::{Loc, Program, Role};

const LOCATIONS: u32 = 4;
const VARIABLES: u32 = 6;
const TEMPLATES: u32 = 3;

/// Names that are hard to read back.
fn odd_program() -> Program {
    let variables = vec![
        global("turn"),
        global("p->next"),
        global("a `quoted` name' <= 1"),
        global("9lives"),
        local("worker#2::x[3].y", 1),
        local("", 2),
    ];
    let t = |name: &str| template(name, Count::AtMost(1), 10, LOCATIONS, Vec::new());
    program(variables, vec![t("same"), t("same"), t("über")], Cube::top())
}

fn a_cube(primes: bool) -> impl Strategy<Value = Cube> {
    let var = (0..VARIABLES, any::<bool>())
        .prop_map(move |(v, p)| if p && primes { Role::After(Var(v)).var() } else { Var(v) });
    let term = (var, prop_oneof![-3i128..4, any::<i64>().prop_map(i128::from)]);
    let atom = (prop::collection::vec(term, 1..4), any::<i128>(), 0..3u8).prop_map(|(terms, c, kind)| {
        let e = LinExpr::new(terms.into_iter().map(|(v, k)| (v, rat(k))), rat(c));
        match kind {
            0 => Atom::le(&e),
            1 => Atom::lt(&e),
            _ => Atom::eq(&e),
        }
    });
    let cube = prop::collection::vec(atom, 0..4).prop_map(Cube::of);
    prop_oneof![6 => cube, 1 => Just(Cube::bottom()), 1 => Just(Cube::top())]
}

fn some_locations() -> impl Strategy<Value = Vec<Loc>> {
    prop::collection::vec((0..LOCATIONS).prop_map(Loc), 0..4)
}

fn a_control() -> impl Strategy<Value = Vec<(u32, Vec<Loc>)>> {
    prop::collection::vec((0..TEMPLATES, some_locations()), 0..3)
}

fn a_thread() -> impl Strategy<Value = ThreadProof> {
    let state = (a_control(), a_cube(false)).prop_map(|(control, cube)| Assertion { control, cube });
    let invariant = ((0..LOCATIONS).prop_map(Loc), prop::collection::vec(state, 0..3));
    let writes = prop::collection::vec((0..VARIABLES).prop_map(Var), 0..3);
    let transition = (
        0..TEMPLATES,
        some_locations(),
        some_locations(),
        a_control(),
        some_locations(),
        writes,
        a_cube(true),
    )
        .prop_map(|(actor, from, to, control, at, writes, relation)| EnvTransition {
            at: Some(at).filter(|at| !at.is_empty()),
            actor,
            from,
            to,
            control,
            writes,
            relation,
        });
    let parts =
        (0..TEMPLATES, prop::collection::vec(invariant, 0..3), prop::collection::vec(transition, 0..3));
    parts.prop_map(|(template, invariants, environment)| ThreadProof { template, invariants, environment })
}

fn a_proof() -> impl Strategy<Value = Proof> {
    let rule = prop::sample::select(vec![Rule::RelyGuarantee, Rule::OwickiGries, Rule::Monolithic]);
    let at = prop::collection::vec((0..LOCATIONS).prop_map(Loc), TEMPLATES as usize);
    let global = prop::collection::vec((at, a_cube(false)), 0..3);
    let holder = (0..TEMPLATES, (0..VARIABLES).prop_map(Var), some_locations())
        .prop_map(|(template, variable, locations)| Holder { template, variable, locations });
    let tickets = ((0..VARIABLES).prop_map(Var), prop::collection::vec(holder, 0..3))
        .prop_map(|(counter, holders)| Tickets { counter, holders });
    let tickets = prop::collection::vec(tickets, 0..2);
    (rule, any::<bool>(), prop::collection::vec(a_thread(), 0..3), tickets, global).prop_map(
        |(rule, modular, threads, tickets, global)| Proof { rule, modular, threads, tickets, global },
    )
}

proptest! {
    #[test]
    fn reads_what_it_wrote(proof in a_proof()) {
        let p = odd_program();
        let text = write(&proof, &p, &meta());
        let c = Certificate::parse(&text).expect("a certificate");
        prop_assert_eq!(c.options(), meta().options);
        prop_assert_eq!(c.sources(), meta().sources);
        prop_assert_eq!(c.proof(&p).expect("a proof"), proof);
    }
}

#[test]
fn other_sources_are_noticed() {
    let (p, proof) = lock_id();
    let c = Certificate::parse(&write(&proof, &p, &meta())).expect("a certificate");
    let header = [Source::new("renamed.h", b"int x;")];
    assert!(c.is_about(&[Source::new("renamed.c", b"int main() {}")], &header).is_ok());
    assert!(c.is_about(&[Source::new("test.c", b"int main() { }")], &header).is_err());
    assert!(c.is_about(&[Source::new("test.c", b"int main() {}")], &[]).is_err());
    assert!(
        c.is_about(&[Source::new("test.c", b"int main() {}")], &[Source::new("test.h", b"int y;")]).is_err()
    );
    assert!(c.is_about(&[], &header).is_err());
    let one = Source::new("test.c", b"int main() {}");
    assert!(c.is_about(&[one.clone(), one], &header).is_err());
}

#[test]
fn a_file_may_be_called_by_another_path() {
    let (mut p, proof) = lock_id();
    let text = write(&proof, &p, &meta());
    p.files = vec!["/elsewhere/test.c".into()];
    let c = Certificate::parse(&text).expect("a certificate");
    assert_eq!(c.proof(&p), Ok(proof));
    // But not by two.
    let twice =
        text.replacen("\"file\": \"test.c\",\n      \"line\"", "\"file\": \"other.c\",\n      \"line\"", 1);
    assert_ne!(twice, text);
    assert!(Certificate::parse(&twice).expect("a certificate").proof(&p).is_err());
}
