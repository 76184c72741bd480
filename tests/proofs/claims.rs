//! A thousand changed certificates of several kinds: none is accepted that claims more than is true.
//!
//! What a certificate claims is told by its sources, its options and its thread program. One that is accepted with the same
//! ones claims the same; with other options, an engine must not refute the program under these. Against a program that
//! is not safe, none is accepted, whatever digests it has.

use relyant::finite::boolean::{self, Asked};
use relyant::finite::{self, Wanted};
use relyant::pipeline::{self, Evidence, Method, Settings, Verdict};
use relyant_cfa as cfa;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::{self, AnyCertificate, Meta, Source, agree};
use relyant_check::finite::{FileKind, Question, certificate as coverability};
use relyant_check::{check, replicated, states};
use relyant_engines::aret;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c;
use relyant_program::Program;
use relyant_program::thread_program;
use relyant_testing::rng::{Rng, cases};
use relyant_unbounded::cover;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const LOCKED: &str = r#"
#include <pthread.h>
#include <assert.h>
#include "bound.h"
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *a) { pthread_mutex_lock(&m); x = x + 1; assert(x <= BOUND); x = x - 1; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); return 0; }
"#;

const ORDERED: &str = r#"
#include <pthread.h>
#include "bound.h"
pthread_mutex_t m[2];
void *f(void *a) { pthread_mutex_lock(&m[0]); pthread_mutex_lock(&m[1]); pthread_mutex_unlock(&m[1]); pthread_mutex_unlock(&m[0]); return 0; }
void *g(void *a) { pthread_mutex_lock(&m[1 - BOUND]); pthread_mutex_lock(&m[BOUND]); pthread_mutex_unlock(&m[0]); pthread_mutex_unlock(&m[1]); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }
"#;

const MANY: &str = r#"
#include <pthread.h>
#include <assert.h>
#include "bound.h"
int lock, in;
void *f(void *a)
{
    while (!__sync_bool_compare_and_swap(&lock, 0, 1)) ;
    in = in + 1;
    assert(in <= BOUND);
    in = in - 1;
    lock = 0;
    return 0;
}
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }
"#;

const BOOLEAN: &str = "decl a, b;\nvoid main() begin\n  a := 0; b := 0;\n  start_thread goto one;\n  a := 1;\n  assert(!b);\n  \
                       goto stop;\none: b := a & b;\nstop: skip;\nend\n";

/// A folder with a safe program and its twin.
fn folder(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bound) in [("safe", 1), ("unsafe", 0)] {
        std::fs::create_dir(dir.path().join(name)).unwrap();
        std::fs::write(dir.path().join(name).join("a.c"), text).unwrap();
        std::fs::write(dir.path().join(name).join("bound.h"), format!("#define BOUND {bound}\n")).unwrap();
    }
    dir
}

fn meta(file: &Path, options: &Options) -> Meta {
    let source = |p: &Path| Source::new(&p.display().to_string(), &std::fs::read(p).unwrap());
    let includes = c::includes(file, options).unwrap();
    assert_eq!(includes.len(), 1);
    let includes = includes.iter().map(|p| source(p)).collect();
    Meta { sources: vec![source(file)], includes, options: options.clone() }
}

/// Programs of files under options; made once.
#[derive(Default)]
struct Programs {
    thread: HashMap<String, Option<Program>>,
    search: HashMap<String, Option<cfa::Program>>,
}

impl Programs {
    fn thread(&mut self, file: &Path, options: &Options) -> Option<&Program> {
        let make = || relyant_frontend::programs::read(file, options).and_then(|p| thread_program(&p)).ok();
        self.thread.entry(format!("{file:?} {options:?}")).or_insert_with(make).as_ref()
    }
    fn search(&mut self, file: &Path, options: &Options) -> Option<&cfa::Program> {
        let make = || relyant_frontend::programs::read_for_search(file, options).ok();
        self.search.entry(format!("{file:?} {options:?}")).or_insert_with(make).as_ref()
    }

    /// As `relyant check` decides: the options that the proof holds under.
    fn accepts(&mut self, text: &str, file: &Path) -> Option<Options> {
        let certificate = AnyCertificate::parse(text).ok()?;
        let mut options = certificate.options();
        agree(&mut options.preprocessing, &Preprocessing::default()).ok()?;
        let about = meta_of(file, &options)?;
        certificate.is_about(&about.sources, &about.includes).ok()?;
        let limits = check::Limits::default();
        let never = AtomicBool::new(false);
        match certificate {
            AnyCertificate::Proof(c) => {
                let program = self.thread(file, &options)?;
                check::check(program, &c.proof(program).ok()?, &limits).ok()?;
            }
            AnyCertificate::Replicated(c) => {
                let program = self.thread(file, &options)?;
                replicated::check::check(program, &c.proof(program).ok()?, &limits, &never).ok()?;
            }
            AnyCertificate::States(c) => {
                let program = self.search(file, &options)?;
                let limits = states::StateLimits { jobs: 1, ..states::StateLimits::default() };
                states::check(program, &c.space(program).ok()?, &limits).ok()?;
            }
        }
        Some(options)
    }
}

fn meta_of(file: &Path, options: &Options) -> Option<Meta> {
    c::includes(file, options).ok().map(|_| meta(file, options))
}

/// The certificate of a safe file, and the same evidence written for its twin.
fn certificates(safe: &Path, twin: &Path, settings: &Settings) -> (String, String) {
    let report = pipeline::verify_file(safe, settings, &RunHandle::new(None)).unwrap();
    let Verdict::Safe(evidence) = &report.verdict else { panic!("{:?}", report.verdict) };
    let mut programs = Programs::default();
    let mut write = |file: &Path| {
        let meta = meta(file, &settings.meaning);
        match evidence {
            Evidence::Proof { proof, .. } => {
                certificate::write(proof, programs.thread(file, &settings.meaning).unwrap(), &meta)
            }
            Evidence::Replicated { proof, .. } => {
                certificate::write_replicated(proof, programs.thread(file, &settings.meaning).unwrap(), &meta)
            }
            Evidence::Space { space, .. } => {
                let mut text = Vec::new();
                let program = programs.search(file, &settings.meaning).unwrap();
                certificate::write_states(space, program, &meta, &mut text).unwrap();
                String::from_utf8(text).unwrap()
            }
        }
    };
    (write(safe), write(twin))
}

/// A node somewhere below, each field and element of a list as likely as the others beside it.
fn somewhere<'v>(value: &'v mut Value, rng: &mut Rng) -> &'v mut Value {
    let inside = match value {
        Value::Array(a) => a.len(),
        Value::Object(o) => o.len(),
        _ => 0,
    };
    if inside == 0 || rng.percent(15) {
        return value;
    }
    let k = rng.below(inside);
    match value {
        Value::Array(a) => somewhere(&mut a[k], rng),
        Value::Object(o) => somewhere(o.iter_mut().nth(k).unwrap().1, rng),
        leaf => leaf,
    }
}

/// Changes one number, text or list of the document, anywhere.
fn change(document: &mut Value, rng: &mut Rng) {
    let other = somewhere(&mut document.clone(), rng).clone();
    let node = somewhere(document, rng);
    if rng.percent(15) {
        *node = other;
        return;
    }
    match node {
        Value::Null => *node = rng.pick(&[json!(1), json!(true), json!("ERROR"), json!([])]),
        Value::Bool(b) => *b = !*b,
        Value::Number(n) => {
            let was = n.as_i64().unwrap_or(0);
            *node = json!(rng.pick(&[was.wrapping_add(1), was.wrapping_sub(1), 0, 1, -1, i64::MAX, was ^ 2]));
        }
        Value::String(s) => *s = another(s, rng),
        Value::Array(a) => match (rng.below(5), a.len()) {
            (0, n) if n > 0 => drop(a.remove(rng.below(n))),
            (1, n) if n > 0 => a.push(a[rng.below(n)].clone()),
            (2, n) if n > 1 => a.swap(rng.below(n), rng.below(n)),
            (3, _) => a.clear(),
            _ => a.push(other),
        },
        Value::Object(o) => {
            let keys: Vec<String> = o.keys().cloned().collect();
            if keys.is_empty() {
                return;
            }
            let key = rng.pick(&keys);
            match rng.below(4) {
                0 => drop(o.remove(&key)),
                1 => {
                    let value = o.remove(&key).unwrap();
                    o.insert(key + "s", value);
                }
                2 => drop(o.insert("cpp_args".into(), json!(["-imacros", "bound.h"]))),
                _ => drop(o.insert(key, other)),
            }
        }
    }
}

/// Another text: words that mean something in certificates among them.
fn another(text: &str, rng: &mut Rng) -> String {
    const WORDS: [&str; 16] = [
        "",
        "0 == 1",
        "0 == 0",
        "access",
        "statement",
        "wrap",
        "ideal",
        "ilp32",
        "no-overflow",
        "no-data-race",
        "owicki-gries",
        "monolithic",
        "assert(x)=",
        "BOUND=2",
        "NDEBUG",
        "states",
    ];
    let (from, to) = rng.pick(&[
        ("<=", ">="),
        ("==", "<="),
        ("1", "2"),
        ("0", "1"),
        ("-", "+"),
        (" == 0", " == 1"),
        (".1", ".2"),
        ("x", "m"),
    ]);
    match rng.below(3) {
        0 => rng.pick(&WORDS).into(),
        1 => text.replacen(from, to, 1),
        _ => {
            let mut all: Vec<char> = text.chars().collect();
            let at = rng.below(all.len() + 1);
            all.insert(at, rng.pick(&['0', '1', 'a', ' ', '-', '@', '\n', '\'']));
            all.into_iter().collect()
        }
    }
}

fn changed(document: &Value, rng: &mut Rng) -> Value {
    let mut changed = document.clone();
    for _ in 0..=rng.below(3) {
        change(&mut changed, rng);
    }
    changed
}

#[test]
fn of_c_programs() {
    let mut rng = Rng::new(12);
    let settings = |method, rule| Settings {
        method,
        quick_states: 0,
        engine: aret::Settings { method: rule, ..aret::Settings::default() },
        ..Settings::default()
    };
    let mut without_deadlocks = settings(Method::PROVE, aret::Method::RelyGuarantee);
    without_deadlocks.meaning.deadlock = true;
    let kinds = [
        (LOCKED, settings(Method::PROVE, aret::Method::RelyGuarantee)),
        (LOCKED, settings(Method::PROVE, aret::Method::OwickiGries)),
        (LOCKED, settings(Method::PROVE, aret::Method::Monolithic)),
        (LOCKED, settings(Method::SEARCH, aret::Method::RelyGuarantee)),
        (ORDERED, without_deadlocks),
        (MANY, settings(Method::COVERABILITY, aret::Method::RelyGuarantee)),
    ];
    let each = cases(20) as usize;
    for (text, settings) in kinds {
        let dir = folder(text);
        let (safe, twin) = (dir.path().join("safe/a.c"), dir.path().join("unsafe/a.c"));
        let mut programs = Programs::default();
        let (own, forged) = certificates(&safe, &twin, &settings);
        assert_eq!(programs.accepts(&own, &safe), Some(settings.meaning.clone()));
        assert_eq!(programs.accepts(&own, &twin), None);
        assert_eq!(programs.accepts(&forged, &twin), None);
        let own: Value = serde_json::from_str(&own).unwrap();
        let forged: Value = serde_json::from_str(&forged).unwrap();
        let (mut accepted, mut refuted) = (0, HashMap::new());
        for _ in 0..each {
            let text = changed(&forged, &mut rng).to_string();
            if let Some(options) = programs.accepts(&text, &twin) {
                assert!(!is_refuted(&mut refuted, &twin, &options), "{text}");
            }
            let text = changed(&own, &mut rng).to_string();
            let Some(options) = programs.accepts(&text, &safe) else { continue };
            accepted += 1;
            assert!(options == settings.meaning || !is_refuted(&mut refuted, &safe, &options), "{text}");
        }
        // Some changes mean nothing: the tool's name, or an invariant that says more than it must.
        assert!(accepted < each * 2 / 3, "{accepted} of {each}");
    }
}

/// Does an engine refute the file?
fn is_refuted(known: &mut HashMap<String, bool>, file: &Path, options: &Options) -> bool {
    let decide = || {
        let settings = Settings { meaning: options.clone(), max_work: 5_000_000, ..Settings::default() };
        let report = pipeline::verify_file(file, &settings, &RunHandle::new(None));
        report.is_ok_and(|r| matches!(r.verdict, Verdict::Unsafe { .. }))
    };
    *known.entry(format!("{file:?} {options:?}")).or_insert_with(decide)
}

/// A file of the benchmarks and its evidence.
fn evidence(file: &Path, kind: FileKind, method: boolean::Method) -> Value {
    let threads = (method == boolean::Method::Counters).then_some(3);
    let asked = Asked { method, threads, ..Asked::default() };
    let wanted =
        Wanted { keep: true, boolean: asked, options: cover::CoverOptions::default(), ..Wanted::default() };
    let report = finite::verify(file, kind, &wanted, &AtomicBool::new(false)).unwrap();
    serde_json::from_str(&report.certificate.unwrap()).unwrap()
}

#[test]
fn of_finite_systems() {
    let mut rng = Rng::new(13);
    let benchmarks = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benchmarks/finite");
    for (name, kind) in [
        ("condition.tts", FileKind::Threads),
        ("tas_lock_broken.tts", FileKind::Threads),
        ("readers_writer.spec", FileKind::Net),
        ("buffer.pnml", FileKind::Pnml),
    ] {
        let file = benchmarks.join(name);
        let own = evidence(&file, kind, boolean::Method::Auto);
        let input = relyant_check::finite::read(&file, kind, &Question::default()).unwrap();
        let claim = |v: &Value| {
            let claim = coverability::read(coverability::parse(&v.to_string()).ok()?, &input).ok()?;
            match claim {
                coverability::Claim::Coverable(run) => {
                    relyant_finite::evidence::replay(&input.system, &input.target, &run).ok().map(|_| true)
                }
                coverability::Claim::Uncoverable(c) => {
                    let never = AtomicBool::new(false);
                    relyant_finite::evidence::check(&input.system, &input.target, &c, &never)
                        .ok()
                        .map(|_| false)
                }
            }
        };
        let truth = claim(&own);
        assert!(truth.is_some());
        for _ in 0..cases(160) {
            let changed = changed(&own, &mut rng);
            let said = claim(&changed);
            assert!(said.is_none() || said == truth, "{changed}");
        }
    }
}

#[test]
fn of_boolean_programs() {
    let mut rng = Rng::new(14);
    let dir = tempfile::tempdir().unwrap();
    let benchmarks = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benchmarks/finite");
    let small = dir.path().join("small.bp");
    std::fs::write(&small, BOOLEAN).unwrap();
    for (file, method) in [
        (small.clone(), boolean::Method::Auto),
        (small.clone(), boolean::Method::Counters),
        (benchmarks.join("test_and_set.bp"), boolean::Method::Auto),
        (benchmarks.join("test_and_set_torn.bp"), boolean::Method::Auto),
    ] {
        let own = evidence(&file, FileKind::Boolean, method);
        let never = AtomicBool::new(false);
        let claim =
            |v: &Value| relyant_check::finite::boolean::check(&v.to_string(), &file, &never).ok()?.ok();
        let refutes = |v: &Value| !v["run"].is_null();
        assert!(claim(&own).is_some());
        for _ in 0..cases(160) {
            let changed = changed(&own, &mut rng);
            if claim(&changed).is_none() {
                continue;
            }
            assert_eq!(refutes(&changed), refutes(&own), "{changed}");
            // Other labels are another claim.
            if changed["errors"] != own["errors"] {
                let errors = serde_json::from_value(changed["errors"].clone()).unwrap();
                let wanted = Wanted { boolean: Asked { errors, ..Asked::default() }, ..Wanted::default() };
                let report = finite::verify(&file, FileKind::Boolean, &wanted, &never).unwrap();
                let unsafe_ = matches!(report.answer, finite::report::Answer::Unsafe);
                assert_eq!(unsafe_, refutes(&changed), "{changed}");
            }
            if own.get("states").is_some() && changed["states"]["threads"] != own["states"]["threads"] {
                assert!(changed["states"]["threads"].is_number(), "{changed}");
            }
        }
    }
}
