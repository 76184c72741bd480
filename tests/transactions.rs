//! Sets of states between transactions: those of the search are accepted, with a state or a switch less they are not, and nothing
//! makes a program with a violation accepted.
//!
//! `RELYANT_CASES` sets how many random programs, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_cfa::Program;
use relyant_cfa::options::{Options, Property};
use relyant_check::certificate::{AnyCertificate, Meta, Source, write_states};
use relyant_check::states::transactions::{Explorer, Obstacle, Switches, Transactions};
use relyant_check::states::{Encoding, Rejection, Space, StateLimits, check};
use relyant_engines::engine::{Claim, Engine, Task};
use relyant_engines::search::SwitchToSwitch;
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::machine::State;
use relyant_interp::normal::Scratch;
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::generate;
use std::collections::BTreeSet;

/// Two lists, each with a lock; `LOCK` is the one that `main` takes for the second list.
const LISTS: &str = r"
typedef unsigned long pthread_t;
typedef struct { int x; } pthread_mutex_t;
void *malloc(unsigned long);
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
struct node { int v; struct node *next; } *head[2];
pthread_mutex_t m[2];
void put(int i, int k) {
  struct node *n = malloc(sizeof(struct node));
  n->v = i;
  pthread_mutex_lock(&m[k]);
  n->next = head[i];
  head[i] = n;
  pthread_mutex_unlock(&m[k]);
}
void *work(void *p) {
  for (int i = 0; i < 2; i++) put(i, i);
  return 0;
}
int main(void) {
  pthread_t t;
  for (int i = 0; i < 2; i++) put(i, i);
  pthread_create(&t, 0, work, 0);
  for (int i = 0; i < 2; i++) put(i, i == 1 ? LOCK : i);
  return 0;
}
";

fn lists(lock: &str) -> Program {
    let options = Options { property: Property::NoDataRace, ..Options::default() };
    let module = c::load_text("lists.i", &LISTS.replace("LOCK", lock), &options).unwrap();
    for_search(&module, &options).unwrap()
}

fn checked(program: &Program, space: &Space) -> Result<(), Rejection> {
    let one = check(program, space, &StateLimits::default());
    let two = check(program, space, &StateLimits { jobs: 2, ..StateLimits::default() });
    assert_eq!(one.is_ok(), two.is_ok());
    one.map(|_| ())
}

fn searched(program: &Program) -> Option<Space> {
    let task = Task { search: program, threads: None, predicates: &[] };
    match (SwitchToSwitch { symmetry: true, max_states: 20_000 }).run(&task, &Watch::NONE).claim {
        Ok(Claim::Space(space)) => Some(space),
        _ => None,
    }
}

#[test]
fn the_set_of_a_search_is_needed_as_a_whole() {
    let program = lists("1");
    let space = searched(&program).unwrap();
    checked(&program, &space).unwrap();
    let all: Vec<&[u8]> = space.states().collect();
    let switches = space.switches().unwrap();
    assert!(all.len() > 5 && switches.len() >= 2);
    let with = |states: Vec<&[u8]>, switches: Switches| {
        Space::new(space.encoding(), states.into_iter()).with_switches(Some(switches))
    };
    for k in 0..all.len() {
        let mut fewer = all.clone();
        fewer.remove(k);
        let answer = checked(&program, &with(fewer, switches.clone()));
        assert!(matches!(answer, Err(Rejection::NotCovered { .. })), "state {k}: {answer:?}");
    }
    for t in 0..switches.0.len() {
        for e in &switches.0[t] {
            let mut fewer = switches.clone();
            fewer.0[t].remove(e);
            assert!(checked(&program, &with(all.clone(), fewer)).is_err(), "switch {t}.{e}");
        }
    }
    // They are no set of all interleavings, nor one for other numbers of templates.
    assert!(checked(&program, &Space::new(space.encoding(), all.iter().copied())).is_err());
    assert!(checked(&program, &with(all.clone(), Switches(Vec::new()))).is_err());
}

#[test]
fn a_certificate_keeps_the_switches() {
    let program = lists("1");
    let space = searched(&program).unwrap();
    let mut bytes = Vec::new();
    let options = Options { property: Property::NoDataRace, ..Options::default() };
    let meta = Meta { sources: vec![Source::new("lists.i", LISTS.as_bytes())], includes: vec![], options };
    write_states(&space, &program, &meta, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let AnyCertificate::States(read) = AnyCertificate::parse(&text).unwrap() else { panic!("{text}") };
    assert_eq!(read.space(&program).unwrap(), space);
}

#[test]
fn a_lock_that_does_not_guard_is_no_lock() {
    assert!(searched(&lists("0")).is_none());
}

/// The states that transactions lead to, whatever is in the way.
fn closure(program: &Program, switches: &Switches) -> Option<Space> {
    let encoding = Encoding { symmetry: true };
    let transactions = Transactions::new(program, encoding, None).ok()?;
    let mut explorer = Explorer::new(&transactions, 20_000);
    let (mut scratch, mut bytes, mut state) = (Scratch::default(), Vec::new(), State::default());
    let (mut seen, mut todo) = (BTreeSet::new(), Vec::new());
    for start in transactions.starts() {
        transactions.normal().pack(&transactions.initial(start).ok()?, &mut scratch, &mut bytes);
        todo.push(bytes.clone());
    }
    while let Some(next) = todo.pop() {
        if seen.len() > 5_000 || !seen.insert(next.clone()) {
            continue;
        }
        transactions.normal().unpack(&next, &mut state);
        let went = explorer.expand(&state, switches, &mut |after, _, _| {
            transactions.normal().pack(after, &mut scratch, &mut bytes);
            todo.push(bytes.clone());
        });
        if let Err(Obstacle::Rejected(Rejection::Program(_))) = went {
            return None;
        }
    }
    Some(Space::new(encoding, seen.iter().map(|s| &s[..])).with_switches(Some(switches.clone())))
}

#[test]
fn no_switches_make_a_violation_go_away() {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let count = |seed: &u64| {
        let program = match seed % 5 {
            0 => lists("0"),
            _ => generate(*seed).to_program(),
        };
        let mut rng = Rng::new(*seed);
        let wrong = searched(&program).is_none();
        let mut refused = 0;
        for share in [0, 10, 30, 60, 100] {
            let mut switches = Switches::none(&program);
            for (t, template) in (0u32..).zip(&program.templates) {
                (0..template.graph.edges.len() as u32).filter(|_| rng.percent(share)).for_each(|e| {
                    switches.add(t, e);
                });
            }
            let Some(space) = closure(&program, &switches) else { continue };
            let accepted = check(&program, &space, &StateLimits::default()).is_ok();
            assert!(!(accepted && wrong), "seed {seed}, {share} % switches: a violation is accepted");
            refused += usize::from(!accepted && wrong);
        }
        refused
    };
    let refused: usize = (first..first + cases(150)).into_par_iter().map(|s| count(&s)).sum();
    assert!(refused > 100, "{refused}");
}
