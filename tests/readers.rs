//! Each reader takes randomly damaged input: it reads or refuses it, without a panic, an overflow of the stack or a hang.
//!
//! `RELYANT_FUZZ_SECONDS` is the time for each reader (`scripts/fuzz` has it at 60), `RELYANT_SEED` the first seed. The
//! input being read is in the folder `readers` of the temporary folder, should the process end with it.

use relyant::bench::manifest;
use relyant::task::{Task, property};
use relyant::witness;
use relyant_cfa::options::Options;
use relyant_check::certificate::AnyCertificate;
use relyant_check::finite::{boolean, certificate};
use relyant_finite::{petri, tts};
use relyant_frontend::c;
use relyant_frontend::instantiate;
use relyant_horn::smt2::run_smt2_with;
use relyant_horn::tree;
use relyant_program::thread_program;
use relyant_rewriting::timbuk;
use relyant_testing::damage::damage;
use relyant_testing::mutate::mutate;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seconds for one input; machines are loaded.
const PATIENCE: u64 = 60;
/// Bytes that the process may hold.
const MEMORY: u64 = 3 << 30;
/// Stack of the process's first thread, where `check` and others read.
const STACK: usize = 8 << 20;

fn seconds() -> f64 {
    std::env::var("RELYANT_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2.0)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Bytes that this process holds; 0 where the system does not say.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

/// Small files with one of these endings below a folder.
fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    fn visit(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                visit(&path, endings, out);
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e)) {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    visit(&root().join(folder), endings, &mut paths);
    paths.sort();
    let texts: Vec<Vec<u8>> =
        paths.iter().filter_map(|p| std::fs::read(p).ok()).filter(|t| t.len() < 20_000).collect();
    assert!(!texts.is_empty(), "no {endings:?} in {folder}");
    texts
}

/// Reads damaged texts as long as there is time. Says what a reader says that is an error of its own.
fn attack(name: &str, texts: &[Vec<u8>], read: impl Fn(&[u8], u64) -> Result<(), String> + Sync) {
    let folder = std::env::temp_dir().join("readers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let kept = folder.join(name);
    let first: u64 = std::env::var("RELYANT_SEED").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let (start, done) = (Instant::now(), AtomicBool::new(false));
    let current = AtomicU64::new(first);
    let mut failures = Vec::new();
    std::thread::scope(|scope| {
        // A thread that hangs cannot be ended: the process is.
        scope.spawn(|| {
            let (mut last, mut since) = (u64::MAX, Instant::now());
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
                let now = current.load(Ordering::Relaxed);
                if now != last {
                    (last, since) = (now, Instant::now());
                } else if since.elapsed().as_secs() > PATIENCE {
                    eprintln!("{name}, seed {now}: does not end; see {}", kept.display());
                    std::process::abort();
                }
                if resident() > MEMORY {
                    let others = folder.display();
                    eprintln!(
                        "too much memory, maybe by {name}, seed {now}; inputs being read are in {others}"
                    );
                    std::process::abort();
                }
            }
        });
        let mut seed = first;
        while start.elapsed().as_secs_f64() < seconds() || seed < first + 20 {
            current.store(seed, Ordering::Relaxed);
            let text = damage(texts, seed);
            std::fs::write(&kept, &text).expect("a file");
            let result = std::thread::scope(|s| {
                let reader =
                    std::thread::Builder::new().stack_size(STACK).spawn_scoped(s, || read(&text, seed));
                reader.expect("a thread").join()
            });
            if let Err(what) = result.unwrap_or_else(|_| Err("panics".into())) {
                let _ = std::fs::copy(&kept, folder.join(format!("{name}-{seed}")));
                failures.push((seed, what));
            }
            seed += 1;
        }
        done.store(true, Ordering::Relaxed);
        println!("{name}: {} inputs", seed - first);
    });
    let _ = std::fs::remove_file(&kept);
    assert!(failures.is_empty(), "{name}, inputs in {}: {failures:?}", folder.display());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A message that is about this program and not about the input.
fn own_fault<T>(r: Result<T, impl ToString>) -> Result<(), String> {
    match r.map_err(|e| e.to_string()) {
        Err(e) if e.contains("internal error") => Err(e),
        _ => Ok(()),
    }
}

#[test]
fn c_source() {
    let texts = files("frontend/tests/lowering", &["c", "i"]);
    attack("c", &texts, |bytes, seed| {
        // Damaged tokens go deeper than damaged bytes.
        let whole = text(bytes);
        let whole =
            if seed % 2 == 0 { whole } else { mutate(&text(&texts[seed as usize % texts.len()]), seed) };
        let options = Options::default();
        let module = match c::load_text("input.i", &whole, &options) {
            Ok(module) => module,
            Err(d) => return own_fault::<()>(Err(d)),
        };
        let program = instantiate::instantiate(&module, &options);
        let _ = instantiate::for_search(&module, &options);
        own_fault(program.and_then(|p| thread_program(&p)))
    });
}

#[test]
fn thread_transition_systems() {
    attack("tts", &files("benchmarks/finite", &["tts", "prop"]), |bytes, _| {
        let text = text(bytes);
        let _ = tts::initial(&text, &tts::system("1 1\n0 0 -> 0 0\n").map_err(|e| e.message)?);
        if let Ok(mut system) = tts::system(&text) {
            let _ = tts::target("0|0", &mut system);
        }
        let mut small = tts::system("2 2\n0 0 -> 1 1\n").map_err(|e| e.message)?;
        let _ = tts::target(&text, &mut small);
        Ok(())
    });
}

#[test]
fn nets() {
    attack("spec", &files("benchmarks/finite", &["spec"]), |bytes, _| {
        let _ = petri::spec(&text(bytes));
        Ok(())
    });
    let net = &files("benchmarks/finite", &["pnml"])[0];
    let target = files("benchmarks/finite", &["prop"]);
    attack("pnml", &files("benchmarks/finite", &["pnml"]), |bytes, seed| {
        let _ = petri::pnml(&text(bytes));
        if let Ok(system) = petri::pnml(&text(net)) {
            let _ = petri::target(&text(&damage(&target, seed)), system);
        }
        Ok(())
    });
}

#[test]
fn boolean_programs() {
    attack("bp", &files("benchmarks/finite", &["bp"]), |bytes, seed| {
        let errors = if seed % 4 == 0 { vec!["E".to_string()] } else { Vec::new() };
        let _ = relyant_finite::boolean::read(&text(bytes), &errors);
        Ok(())
    });
}

#[test]
fn rewriting_systems() {
    attack("timbuk", &files("benchmarks/rewriting", &["timbuk"]), |bytes, _| {
        own_fault(timbuk::load_text("input.timbuk", &text(bytes)))
    });
}

#[test]
fn horn_clauses() {
    let texts = [
        "(set-logic HORN)\n(declare-fun p (Int Int) Bool)\n(declare-fun q (Int Bool) Bool)\n(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (> y (* 2 x))) (p x y))))\n(assert (forall ((x Int) (y Int) (b Bool)) (=> (and (p x y) (ite b (< x 1) (>= x (- 1)))) (q (+ x 1) b))))\n(assert (forall ((x Int) (b Bool)) (=> (and (q x b) (< x 0)) false)))\n(check-sat)\n",
        "(set-logic HORN)\n(declare-fun |a b| () Bool)\n(assert (=> true |a b|))\n(assert (let ((z 3)) (=> (and |a b| (distinct z 3)) false)))\n(check-sat)\n(exit)\n",
    ];
    let texts: Vec<Vec<u8>> = texts.iter().map(|t| t.as_bytes().to_vec()).collect();
    let options = tree::TreeOptions {
        max_derivations: 20,
        max_nodes: 200,
        max_splits: 4,
        max_omega: 500,
        ..tree::TreeOptions::default()
    };
    attack("smt2", &texts, |bytes, _| {
        let _ = run_smt2_with(&text(bytes), &options);
        Ok(())
    });
}

#[test]
fn task_definitions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("t.yml");
    attack("yml", &files("tests/tasks", &["yml"]), |bytes, _| {
        std::fs::write(&file, bytes).map_err(|e| e.to_string())?;
        if let Ok(task) = Task::read(&file) {
            let _ = task.choose(None);
        }
        Ok(())
    });
}

#[test]
fn property_files() {
    attack("prp", &files("tests/tasks", &["prp"]), |bytes, _| {
        let _ = property::parse("input.prp", &text(bytes));
        Ok(())
    });
}

#[test]
fn witnesses() {
    let texts = [
        "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"9c0e0ef1-0000-4000-8000-000000000000\"\n    creation_time: \"2026-01-01T00:00:00Z\"\n    producer:\n      name: \"relyant\"\n      version: \"0\"\n    task:\n      input_files: [\"a.c\"]\n      input_file_hashes:\n        \"a.c\": \"00\"\n      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n      data_model: \"LP64\"\n      language: \"C\"\n  content:\n  - segment:\n    - waypoint:\n        type: \"assumption\"\n        action: \"follow\"\n        thread_id: 1\n        location:\n          file_name: \"a.c\"\n          line: 3\n          column: 1\n          function: \"main\"\n        constraint:\n          value: \"x == 1\"\n          format: \"c_expression\"\n  - segment:\n    - waypoint:\n        type: \"target\"\n        action: \"follow\"\n        location:\n          file_name: \"a.c\"\n          line: 4\n",
        "- entry_type: \"invariant_set\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"9c0e0ef1-0000-4000-8000-000000000000\"\n    creation_time: \"2026-01-01T00:00:00Z\"\n    producer: { name: \"relyant\", version: \"0\" }\n    task:\n      input_files: [\"a.c\"]\n      input_file_hashes: { \"a.c\": \"00\" }\n      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n      data_model: \"ILP32\"\n      language: \"C\"\n  content:\n  - invariant:\n      type: \"loop_invariant\"\n      location: { file_name: \"a.c\", line: 3, column: 1, function: \"main\" }\n      value: \"0 <= x && x <= 10\"\n      format: \"c_expression\"\n",
    ];
    let texts: Vec<Vec<u8>> = texts.iter().map(|t| t.as_bytes().to_vec()).collect();
    attack("witness", &texts, |bytes, _| {
        let _ = witness::read::parse("input.yml", &text(bytes));
        Ok(())
    });
}

#[test]
fn certificates() {
    let texts = [
        "{\"format\":\"relyant-certificate\",\"version\":1,\"kind\":\"states\",\"tool\":\"relyant\",\"sources\":[{\"file\":\"a.c\",\"sha256\":\"00\"}],\"options\":{\"atomicity\":\"access\"},\"states\":\"AAAA\"}",
        "{\"format\":\"relyant-boolean\",\"version\":1,\"file\":\"a.bp\",\"sha256\":\"00\",\"errors\":[],\"thread_states\":[]}",
        "{\"format\":\"relyant-coverability\",\"version\":1,\"sources\":[],\"minimal\":[[0,[[1,1]]]],\"weights\":[]}",
    ];
    let mut texts: Vec<Vec<u8>> = texts.iter().map(|t| t.as_bytes().to_vec()).collect();
    texts.extend(real_certificates());
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, "decl x;\nvoid main() begin\nx := T;\nassert(x);\nend\n").expect("a file");
    attack("certificate", &texts, |bytes, _| {
        let text = text(bytes);
        let _ = AnyCertificate::parse(&text);
        let _ = certificate::parse(&text);
        let _ = boolean::check(&text, &program, &AtomicBool::new(false));
        Ok(())
    });
}

/// Certificates that the program writes.
fn real_certificates() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "#include <assert.h>\n#include <pthread.h>\nint x;\nvoid *f(void *a) { x = 1; return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x <= 1); return 0; }\n";
    std::fs::write(folder.path().join("a.c"), source).expect("a file");
    let mut out = Vec::new();
    for method in ["search", "rely-guarantee"] {
        let run = std::process::Command::new(relyant_testing::relyant!())
            .current_dir(folder.path())
            .args(["verify", "a.c", "--proof", "p.json", "--method", method])
            .output();
        assert!(run.is_ok_and(|r| r.status.success()), "{method}");
        out.extend(std::fs::read(folder.path().join("p.json")));
    }
    out
}

#[test]
fn manifests() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.csv");
    let texts = [b"file,expected,modular,args,row,set,open\na.c,safe,yes,atomicity=statement,A,figures,\nb.c,unsafe,,,B,extra,yes\n".to_vec()];
    attack("csv", &texts, |bytes, _| {
        std::fs::write(&file, bytes).map_err(|e| e.to_string())?;
        let _ = manifest::read(&file);
        Ok(())
    });
}
