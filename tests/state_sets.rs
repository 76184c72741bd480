//! Sets of states as proofs: those of the search and of a plain walk through all states are accepted, damaged ones are
//! not, and nothing makes an unsafe program accepted.
//!
//! `RELYANT_CASES` sets how many random programs, `RELYANT_SEED` the first seed.

use rayon::prelude::*;
use relyant_cfa::options::Options;
use relyant_cfa::{Op, Program};
use relyant_check::certificate::{AnyCertificate, CertificateError, Meta, Source, write_states};
use relyant_check::states::{Encoding, Rejection, Space, SpaceReport, StateLimits, check};
use relyant_engines::search::{self, SearchOutcome, Settings};
use relyant_engines::watch::Watch;
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_interp::candidates::Candidates;
use relyant_interp::machine::{Machine, State};
use relyant_interp::normal::{Normal, NormalOptions, Scratch};
use relyant_testing::rng::{Rng, cases};
use relyant_testing::threads::{ThreadProgram, generate};
use std::collections::BTreeSet;

const STATES: usize = 3000;

type States = BTreeSet<Vec<u8>>;

fn program(source: &str, options: &Options) -> Program {
    let module = c::load_text("test.i", source, options).unwrap();
    for_search(&module, options).unwrap()
}

fn checked(program: &Program, space: &Space, jobs: usize) -> Result<SpaceReport, Rejection> {
    check(program, space, &StateLimits { jobs, ..StateLimits::default() })
}

fn space_of(symmetry: bool, states: &States) -> Space {
    Space::new(Encoding { symmetry }, states.iter().map(|s| &s[..]))
}

/// The set that a search ends with.
fn searched(program: &Program, settings: &Settings) -> Option<Space> {
    match search::search(program, settings, &Watch::NONE).unwrap().0 {
        SearchOutcome::Exhausted(space) => {
            let states = Space::new(Encoding { symmetry: space.symmetry() }, space.states());
            Some(states.with_order(space.order().cloned()).with_points(space.points().cloned()))
        }
        _ => None,
    }
}

/// A plain walk through all states at which nobody is inside an atomic section.
struct Walk<'p> {
    machine: Machine<'p>,
    normal: Normal,
    candidates: Candidates,
    scratch: Scratch,
    complete: bool,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, symmetry: bool) -> Self {
        let machine = Machine::new(program).unwrap();
        let normal = Normal::new(&machine, NormalOptions { symmetry, keep_dead: false });
        let candidates = Candidates::new(program, 40, 0);
        Walk { machine, normal, candidates, scratch: Scratch::default(), complete: true }
    }

    fn packed(&mut self, state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.normal.pack(state, &mut self.scratch, &mut bytes);
        bytes
    }

    /// What whole moves of a thread lead to.
    fn ends(&mut self, state: &State, thread: usize) -> Vec<State> {
        let template = state.threads[thread].name.template;
        let (mut todo, mut ends, mut seen) = (vec![state.clone()], Vec::new(), States::new());
        while let Some(state) = todo.pop() {
            for edge in self.machine.out(&state, thread).to_vec() {
                let mut inputs = vec![None];
                if let Some(Op::Havoc { dst, .. }) = self.machine.edge(template, edge).map(|e| &e.op) {
                    let kind =
                        self.machine.program().templates[template as usize].registers[dst.0 as usize].kind;
                    let (values, all) = self.candidates.inputs(template, *dst, kind);
                    self.complete &= all;
                    inputs = values.into_iter().map(Some).collect();
                }
                for input in inputs {
                    let mut after = state.clone();
                    if self.machine.step(&mut after, thread, edge, input, &[]).is_err() {
                        continue;
                    }
                    if after.halted || !self.machine.inside_atomic(&after, thread) {
                        ends.push(after);
                    } else if seen.insert(self.packed(&after)) {
                        todo.push(after);
                    }
                }
            }
        }
        ends
    }
}

/// All states, and whether one violates the property; `None`: too many, or not all inputs.
fn all_states(program: &Program, symmetry: bool) -> Option<(States, bool)> {
    let mut walk = Walk::new(program, symmetry);
    let (starts, complete) = walk.candidates.starts(&walk.machine);
    let (mut states, mut wrong) = (States::new(), false);
    let mut todo: Vec<State> = starts.iter().map(|s| walk.machine.initial(s, 0).unwrap()).collect();
    while let Some(state) = todo.pop() {
        if walk.machine.violation(&state).is_some() {
            wrong = true;
            continue;
        }
        if !states.insert(walk.packed(&state)) {
            continue;
        }
        let ends: Vec<State> = (0..state.threads.len()).flat_map(|t| walk.ends(&state, t)).collect();
        wrong |= ends.is_empty() && walk.machine.deadlock(&state, &walk.candidates).is_some();
        todo.extend(ends.into_iter().filter(|s| !s.halted));
        if states.len() > STATES || !complete || !walk.complete {
            return None;
        }
    }
    Some((states, wrong))
}

fn programs(p: &ThreadProgram) -> [Program; 2] {
    [p.to_program(), program(&p.to_c(), &Options::default())]
}

/// What is wrong with the checker's answers about a program.
fn problem(p: &ThreadProgram) -> Result<[usize; 4], String> {
    let mut counts = [0; 4];
    for (k, mut program) in programs(p).into_iter().enumerate() {
        for deadlock in [false, true] {
            program.deadlock = deadlock;
            for symmetry in [true, false] {
                let Some((states, wrong)) = all_states(&program, symmetry) else { continue };
                let all = space_of(symmetry, &states);
                let answer = checked(&program, &all, 1);
                if answer.is_ok() == wrong {
                    return Err(format!("{k} {deadlock} {symmetry}: violation {wrong}, but {answer:?}"));
                }
                counts[usize::from(wrong)] += 1;
                for reduction in [true, false] {
                    let settings =
                        Settings { reduction, symmetry, max_states: STATES * 2, ..Settings::default() };
                    let Some(space) = searched(&program, &settings) else { continue };
                    let answer = checked(&program, &space, 1);
                    if answer.is_ok() == wrong {
                        let what = format!("violation {wrong}, but {answer:?}");
                        return Err(format!("{k} {deadlock} {settings:?}: {what}"));
                    }
                    let two = checked(&program, &space, 2);
                    let of = |a: &Result<SpaceReport, Rejection>| {
                        a.clone().map(|r| (r.states, r.needed, r.steps)).map_err(|e| e.to_string())
                    };
                    if of(&answer) != of(&two) {
                        return Err(format!("{answer:?} with one worker, {two:?} with two"));
                    }
                    counts[2] += 1;
                    counts[3] += answer.map_or(0, |r| r.states - r.needed);
                }
            }
        }
    }
    Ok(counts)
}

fn seeds(default: u64) -> Vec<u64> {
    let first = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    (first..first + cases(default)).collect()
}

#[test]
fn the_sets_of_searches_are_accepted() {
    let results: Vec<_> = seeds(150).par_iter().map(|s| (*s, problem(&generate(*s)))).collect();
    let mut counts = [0; 4];
    for (seed, result) in results {
        match result {
            Ok(more) => counts.iter_mut().zip(more).for_each(|(a, b)| *a += b),
            Err(what) => panic!("seed {seed}: {what}\n{}", generate(seed).to_c()),
        }
    }
    println!("safe, unsafe, sets of searches, states not needed: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0 && counts[2] > 0);
}

/// Two threads that add under a lock, and main that waits for them.
const ADDERS: &str = r"
typedef unsigned long pthread_t;
typedef struct { int x; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void reach_error(void);
pthread_mutex_t m;
int sum;
void *add(void *p) {
  pthread_mutex_lock(&m);
  sum = sum + 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  if (sum != 2) reach_error();
  return 0;
}
";

/// Recursion, threads created in a loop, an array, and a deadlock that does not happen.
const CALLS: &str = r"
typedef unsigned long pthread_t;
typedef struct { int x; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void reach_error(void);
pthread_mutex_t m, n;
int slots[4];
pthread_t t[3];
int depth(int k) {
  if (k == 0) return 0;
  slots[k] = slots[k] + 1;
  return depth(k - 1) + 1;
}
void *work(void *p) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&n);
  if (depth(3) != 3) reach_error();
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  int i;
  for (i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (i = 0; i < 3; i++) pthread_join(t[i], 0);
  if (slots[0] != 0 || slots[3] != 3) reach_error();
  return 0;
}
";

fn options() -> Options {
    Options { deadlock: true, ..Options::default() }
}

/// Both programs with the sets that a search leaves, with and without reduction and sorted threads.
fn examples() -> Vec<(&'static str, Program, Space)> {
    let mut out = Vec::new();
    for source in [ADDERS, CALLS] {
        for (reduction, symmetry) in [(true, true), (true, false), (false, true)] {
            let program = program(source, &options());
            let settings = Settings { reduction, symmetry, ..Settings::default() };
            let space = searched(&program, &settings);
            let space = space.unwrap_or_else(|| panic!("not exhausted: {settings:?}\n{source}"));
            out.push((source, program, space));
        }
    }
    out
}

#[test]
fn a_reduced_set_is_needed_as_a_whole() {
    let mut plain = 0;
    for (_, program, space) in examples() {
        let report = checked(&program, &space, 1).unwrap();
        assert_eq!(report.states, space.len());
        // Of all states, few have no independent move.
        plain += usize::from(report.needed < space.len() / 3);
        assert!(report.needed == space.len() || report.needed < space.len() / 3);
    }
    assert_eq!(plain, 2);
}

#[test]
fn a_set_that_lacks_a_state_or_has_another_for_it_is_rejected() {
    for (_, program, space) in examples() {
        let symmetry = space.encoding().symmetry;
        let all: States = space.states().map(<[u8]>::to_vec).collect();
        let needed = checked(&program, &space, 1).unwrap().needed;
        let mut missed = 0;
        // Where few are needed, most can be missing.
        let step = if needed < all.len() { 1 } else { all.len().div_ceil(40) };
        for state in all.iter().step_by(step) {
            if needed < all.len() && missed > 0 {
                break;
            }
            let mut states = all.clone();
            states.remove(state);
            match checked(&program, &space_of(symmetry, &states), 1) {
                Ok(report) => assert!(needed < all.len() && report.needed < all.len()),
                Err(Rejection::NotCovered { .. }) => missed += 1,
                Err(e) => panic!("{e}"),
            }
            if needed < all.len() || missed > 5 {
                continue;
            }
            for k in 0..state.len() {
                let mut states = states.clone();
                let mut other = state.clone();
                other[k] ^= 2;
                states.insert(other);
                // Garbage is never read.
                assert!(checked(&program, &space_of(symmetry, &states), 1).is_err());
            }
        }
        assert!(missed > 0);
        // States that no run reaches do no harm.
        let mut states = all.clone();
        states.extend([vec![], vec![0xff; 3], vec![0xff; 200], all.iter().flatten().copied().collect()]);
        let report = checked(&program, &space_of(symmetry, &states), 1).unwrap();
        assert_eq!((report.states, report.needed), (all.len() + 4, needed));
        // The states of the other normal form are others, where threads can change places.
        assert!(checked(&program, &space_of(!symmetry, &all), 1).is_err());
    }
}

#[test]
fn fuel_and_cancelling_end_a_check() {
    let (_, program, space) = examples().swap_remove(0);
    let limits = StateLimits { fuel: 1, ..StateLimits::default() };
    assert_eq!(check(&program, &space, &limits), Err(Rejection::Fuel));
    let limits = StateLimits { cancel: &|| true, ..StateLimits::default() };
    assert_eq!(check(&program, &space, &limits), Err(Rejection::Cancelled));
}

#[test]
fn unsafe_programs_are_never_accepted() {
    let attempt = |seed: &u64| {
        let mut rng = Rng::new(*seed);
        let [program, _] = programs(&generate(*seed));
        let symmetry = rng.percent(50);
        let Some((states, true)) = all_states(&program, symmetry) else { return 0 };
        // Perhaps with some states left out, some changed, and some of the other normal form.
        for _ in 0..10 {
            let mut damaged = States::new();
            for s in &states {
                let mut s = s.clone();
                if rng.percent(5) {
                    continue;
                }
                if rng.percent(10) && !s.is_empty() {
                    let k = rng.below(s.len());
                    s[k] = rng.below(256) as u8;
                }
                damaged.insert(s);
            }
            let answer = checked(&program, &space_of(symmetry != rng.percent(10), &damaged), 1);
            assert!(answer.is_err(), "seed {seed}");
        }
        10
    };
    let tried: usize = seeds(200).par_iter().map(attempt).sum();
    println!("damaged sets of unsafe programs: {tried}");
    assert!(tried >= 500);
}

#[test]
fn garbage_in_a_set_whose_states_stand_for_smaller_ones_is_passed_over() {
    let below = ADDERS.replace("  sum = sum + 1;\n", "  sum = sum + 1;\n  if (sum > 4) reach_error();\n");
    let below = below.replace("if (sum != 2) reach_error();", "");
    let program = program(&below, &Options::default());
    let space = searched(&program, &Settings::default()).expect("safe");
    let order = space.order().cloned();
    assert!(order.is_some());
    let all: States = space.states().map(<[u8]>::to_vec).collect();
    let symmetry = space.encoding().symmetry;
    let judge = |states: &States| {
        let space = space_of(symmetry, states).with_order(order.clone());
        checked(&program, &space, 1)
    };
    let needed = judge(&all).unwrap().needed;
    let mut rng = Rng::new(3);
    let mut rejected = 0;
    for _ in 0..300 {
        let mut states = all.clone();
        for state in &all {
            let mut other = state.clone();
            for _ in 0..1 + rng.below(3) {
                let k = rng.below(other.len());
                other[k] = rng.below(256) as u8;
            }
            other.truncate(1 + rng.below(other.len() * 2));
            states.insert(other);
        }
        states.insert((0..40).map(|_| rng.below(256) as u8).collect());
        // More states may stand for a state, and lead to others that nothing stands for.
        rejected += usize::from(judge(&states).is_err());
        let one = all.iter().nth(rng.below(all.len())).cloned().unwrap();
        let mut fewer = all.clone();
        fewer.remove(&one);
        assert!(judge(&fewer).map_or(true, |r| r.needed <= needed));
    }
    assert!(rejected < 300);
}

fn meta(source: &str) -> Meta {
    Meta { sources: vec![Source::new("test.i", source.as_bytes())], includes: vec![], options: options() }
}

fn written(source: &str, program: &Program, space: &Space) -> String {
    let mut text = Vec::new();
    write_states(space, program, &meta(source), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// As `relyant check` reads it, for a program.
fn read(text: &str, program: &Program) -> Result<Space, CertificateError> {
    match AnyCertificate::parse(text)? {
        AnyCertificate::States(c) => c.space(program),
        AnyCertificate::Proof(_) | AnyCertificate::Replicated(_) => panic!("another kind"),
    }
}

#[test]
fn certificates_come_back() {
    for (source, program, space) in examples() {
        let text = written(source, &program, &space);
        assert!(text.lines().all(|l| l.len() < 4100));
        assert_eq!(read(&text, &program).as_ref(), Ok(&space));
        let certificate = AnyCertificate::parse(&text).unwrap();
        assert_eq!(certificate.options(), options());
        assert!(certificate.is_about(&meta(source).sources, &[]).is_ok());
        assert!(certificate.is_about(&meta("int main(void) {}").sources, &[]).is_err());
    }
    let (source, program, _) = examples().swap_remove(0);
    let none = Space::new(Encoding { symmetry: true }, std::iter::empty());
    assert_eq!(read(&written(source, &program, &none), &program), Ok(none));
}

#[test]
fn damaged_certificates_are_rejected() {
    let (source, program, space) = examples().swap_remove(0);
    let text = written(source, &program, &space);
    for end in (0..text.trim_end().len()).step_by(7) {
        assert!(read(&text[..end], &program).is_err());
    }
    let edits = [
        ("\"symmetry\": true", "\"symmetry\": false"),
        ("\"deadlock\": true", "\"deadlock\": 1"),
        ("\"kind\": \"states\"", "\"kind\": \"set\""),
        ("\"version\": 2", "\"version\": 1"),
        ("\"count\": ", "\"count\": 1"),
        ("\"states\": [", "\"more\": 1, \"states\": ["),
        ("\"states\": [", "\"states\": [\"AAAA\", "),
        ("\"states\": [", "\"states\": [\"A\", "),
        ("\"states\": [", "\"states\": [7, "),
    ];
    for (from, to) in edits {
        let edited = text.replacen(from, to, 1);
        assert_ne!(edited, text);
        let accepted = AnyCertificate::parse(&edited).ok().and_then(|c| match c {
            AnyCertificate::States(c) => checked(&program, &c.space(&program).ok()?, 1).ok(),
            AnyCertificate::Proof(_) | AnyCertificate::Replicated(_) => None,
        });
        assert_eq!(accepted, None, "{to}");
    }
    // Of another program, or the same under other options.
    let (_, other, _) = examples().pop().unwrap();
    assert_eq!(read(&text, &other), Err(CertificateError::Program));
    let mut lax = program.clone();
    lax.deadlock = false;
    assert_eq!(read(&text, &lax), Err(CertificateError::Program));
    // Each character of the states counts.
    let from = text.find("\"states\": [").unwrap() + 20;
    let mut rng = Rng::new(1);
    for _ in 0..300 {
        let mut bytes = text.clone().into_bytes();
        let k = from + rng.below(text.len() - from - 8);
        bytes[k] = b"Ag9/"[rng.below(4)];
        if bytes == text.as_bytes() {
            continue;
        }
        let edited = String::from_utf8(bytes).unwrap();
        let accepted = read(&edited, &program).ok().and_then(|s| checked(&program, &s, 1).ok());
        assert_eq!(accepted, None);
    }
}
