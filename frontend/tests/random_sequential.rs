//! Random programs of one thread compute what they compute when compiled by gcc.
//!
//! `RELYANT_CASES` sets how many. Needs `gcc`; its sanitizer tells where behaviour is undefined, and there the
//! interpreter need not agree.

use relyant_frontend::interp::machine::Stop;
use relyant_frontend::options::Options;
use relyant_frontend::testing::rng::cases;
use relyant_frontend::testing::sequential::{Ended, Sequential, generate, run, value};
use relyant_frontend::{c, instantiate::instantiate};
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

/// Programs compiled together.
const BATCH: u64 = 200;

/// What gcc's program prints: by seed, whether it met undefined behaviour; by variable, its value.
fn compiled(programs: &[(u64, Sequential)]) -> (HashMap<u64, bool>, HashMap<String, i128>) {
    let mut text = String::from(
        "#include <stdio.h>\n#include <setjmp.h>\n#include <signal.h>\n\
         static sigjmp_buf back;\nstatic void trap(int s) { siglongjmp(back, s); }\n",
    );
    let mut main = String::from("int main(void)\n{\n  signal(SIGILL, trap);\n");
    for (seed, p) in programs {
        text.push_str(&p.to_function());
        let _ =
            writeln!(main, "  if (!sigsetjmp(back, 1)) {{ runp{seed}(); printf(\"{seed} defined\\n\"); }}");
        let _ = writeln!(main, "  else printf(\"{seed} undefined\\n\");\n  printp{seed}();");
    }
    text.push_str(&main);
    text.push_str("  return 0;\n}\n");
    let dir =
        std::env::temp_dir().join(format!("relyant-sequential-{}-{}", std::process::id(), programs[0].0));
    std::fs::create_dir_all(&dir).expect("a directory for temporary files");
    let (source, binary) = (dir.join("batch.c"), dir.join("batch"));
    std::fs::write(&source, text).expect("a writable directory");
    let flags = ["-w", "-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-o"];
    let built = Command::new("gcc").args(flags).arg(&binary).arg(&source).output().expect("gcc");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().expect("a program that runs");
    assert!(output.status.success(), "{:?}", output.status);
    let _ = std::fs::remove_dir_all(&dir);
    let (mut defined, mut values) = (HashMap::new(), HashMap::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.split_once(' ') {
            Some((seed, "defined")) => drop(defined.insert(seed.parse().expect("a seed"), true)),
            Some((seed, "undefined")) => drop(defined.insert(seed.parse().expect("a seed"), false)),
            Some((name, v)) => drop(values.insert(name.to_string(), v.parse().expect("a number"))),
            None => panic!("{line}"),
        }
    }
    (defined, values)
}

#[test]
fn same_values_as_gcc() {
    let all = cases(400);
    let mut undefined = 0;
    // gcc folds `(INT_MIN * x) & 7` to 0 and says nothing of the overflow.
    let mut folded = 0;
    let mut compared = 0;
    for first in (0..all).step_by(BATCH as usize) {
        let seeds = first..(first + BATCH).min(all);
        let programs: Vec<(u64, Sequential)> = seeds.map(|s| (s, generate(s, &format!("p{s}")))).collect();
        let (defined, values) = compiled(&programs);
        for (seed, p) in &programs {
            let text = p.to_c();
            let options = Options::default();
            let module = c::load_text("random.c", &text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let program = instantiate(&module, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let (state, ended) =
                run(&program, 1_000_000).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            if !defined[seed] {
                undefined += 1;
                continue;
            }
            if matches!(ended, Ended::Stuck(Stop::Undefined(_))) {
                folded += 1;
                continue;
            }
            assert_eq!(ended, Ended::Normally, "seed {seed}\n{text}");
            for (ty, name) in &p.globals {
                // A variable that is not there is one that nothing reads or writes.
                let Some(ours) = value(&program, &state, name) else { continue };
                compared += 1;
                let theirs = values[name];
                assert_eq!(ours, theirs, "seed {seed}: {ty} {name}\n{text}");
            }
        }
    }
    assert!(compared > 5 * all, "{compared} of {all}");
    // Programs that prove nothing must be few.
    assert!(undefined * 5 < all, "{undefined} of {all}");
    assert!(folded * 100 <= all, "{folded} of {all}");
}
