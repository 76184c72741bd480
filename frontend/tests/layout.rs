//! Random records have the layout that gcc gives them, and their bit-fields its types.
//!
//! `RELYANT_CASES` sets how many, `RELYANT_SEED` the first seed.

use relyant_cfa::options::{DataModel, Options};
use relyant_frontend::c;
use relyant_frontend::instantiate::for_search;
use relyant_testing::records::{Records, generate};
use relyant_testing::rng::cases;
use relyant_testing::sequential::run::{Ended, run, value};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What gcc's program prints.
fn compiled(r: &Records, dir: &Path) -> Result<Vec<i128>, String> {
    let mut end = String::new();
    for k in 0..r.facts() {
        let _ = writeln!(end, "  printf(\"%lld\\n\", f{k});");
    }
    let (source, binary) = (dir.join("records.c"), dir.join("records"));
    std::fs::write(&source, format!("#include <stdio.h>\n{}", r.program(&end)))
        .expect("a writable directory");
    let built = Command::new("gcc").args(["-w", "-o"]).arg(&binary).arg(&source).output().expect("gcc");
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let out = Command::new(&binary).output().expect("a program that runs").stdout;
    Ok(String::from_utf8_lossy(&out).lines().map(|l| l.parse().expect("a number")).collect())
}

/// The start values in gcc's assembler text for 32 bits.
fn assembled(r: &Records, dir: &Path) -> Result<Vec<i128>, String> {
    let (source, text) = (dir.join("records.c"), dir.join("records.s"));
    std::fs::write(&source, r.program("")).expect("a writable directory");
    let flags = ["-m32", "-w", "-S", "-ffreestanding", "-fno-pie", "-o"];
    let built = Command::new("gcc").args(flags).arg(&text).arg(&source).output().expect("gcc");
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let text = std::fs::read_to_string(&text).expect("gcc's output");
    let value = |k: usize| {
        let label = format!("f{k}:");
        let line = text.lines().skip_while(|l| *l != label).nth(1).unwrap_or("");
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&".long") { words[1].parse().expect("a number") } else { 0 }
    };
    Ok((0..r.facts()).map(value).collect())
}

/// What the interpreter finds.
fn interpreted(r: &Records, dir: &Path, options: &Options) -> Result<Vec<i128>, String> {
    let source = dir.join("records.c");
    let mut all = String::from("  long long sum = 0;\n");
    (0..r.facts()).for_each(|k| {
        let _ = writeln!(all, "  sum += f{k};");
    });
    std::fs::write(&source, r.program(&all)).expect("a writable directory");
    let module = c::load(&source, options).map_err(|d| d.to_string())?;
    let program = for_search(&module, options).map_err(|d| d.to_string())?;
    match run(&program, 100_000) {
        Ok((state, Ended::Normally)) => Ok((0..r.facts())
            .map(|k| value(&program, &state, &format!("f{k}")).unwrap_or(i128::MIN))
            .collect()),
        other => Err(format!("{:?}", other.map(|r| r.1))),
    }
}

#[test]
fn records_are_laid_out_as_gcc_does() {
    let first: u64 = std::env::var("RELYANT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let dir = std::env::temp_dir().join(format!("relyant-layout-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for temporary files");
    let (mut compared, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for seed in first..first + cases(60) {
        let wide = seed % 4 != 0;
        let r = generate(seed, wide);
        let mut options = Options::default();
        let expected = if wide {
            compiled(&r, &dir)
        } else {
            options.data_model = DataModel::Ilp32;
            assembled(&r, &dir)
        };
        // What gcc rejects says nothing.
        let Ok(expected) = expected else { continue };
        match interpreted(&r, &dir, &options) {
            Ok(found) if found == expected => compared += 1,
            Ok(found) => {
                let facts: Vec<&String> = r.constant.iter().chain(&r.computed).collect();
                for k in (0..facts.len()).filter(|k| found[*k] != expected[*k]) {
                    wrong.push(format!("seed {seed}: {}: {} and not {}", facts[k], found[k], expected[k]));
                }
                wrong.push(r.types);
            }
            Err(why) => refused.push(format!("seed {seed}: {why}")),
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > refused.len() * 4, "{compared} compared, refused:\n{}", refused.join("\n"));
}
