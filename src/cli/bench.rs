//! `relyant bench`

use super::exit::Status;
use super::watch::Signals;
use super::{complain, say};
use clap::ValueEnum;
use relyant::bench::family as growing;
use relyant::bench::kept::{Batch, Kept};
use relyant::bench::results::{self, Judgement, Plan};
use relyant::bench::slurm::Array;
use relyant::bench::{manifest, recognisers, table};
use relyant_finite::boolean::family;
use relyant_unbounded::boolean::decide::{self, BooleanVerdict, Method, Settings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rival {
    /// Z3's Spacer on the monolithic encoding that `export --to chc` writes
    Spacer,
    /// Spin, where there is a model `X.pml` beside `X.c`
    Spin,
}

/// Measure the programs of a manifest
///
/// Each row is run in a process of its own; a certificate is read back from its file and checked against the source.
#[derive(clap::Args)]
pub struct Args {
    /// The manifest (CSV: file, expected, modular, args, row, set)
    #[arg(required_unless_present = "family")]
    manifest: Option<PathBuf>,
    /// Measure programs of these sizes instead
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "manifest")]
    family: Option<Family>,
    /// Sizes of the programs
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,N",
        default_value = "10,20,100,200,500,1000",
        requires = "family"
    )]
    sizes: Vec<usize>,
    /// Only rows of this set
    #[arg(long, value_name = "SET")]
    set: Vec<String>,
    /// Only rows whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Seconds for each run
    #[arg(long, value_name = "S", default_value = "60", value_parser = super::input::seconds)]
    timeout: Duration,
    /// Write the results here, as `YYYY-MM-DD.csv`
    #[arg(long, value_name = "DIR")]
    csv_dir: Option<PathBuf>,
    /// Run another tool too (may be given several times)
    #[arg(long, value_enum)]
    compare: Vec<Rival>,
    /// Its limit in seconds
    #[arg(long, value_name = "S", default_value = "120", value_parser = super::input::seconds)]
    compare_timeout: Duration,
    /// Do not check certificates
    #[arg(long)]
    no_check: bool,
    /// Run each row again without each heuristic that looks for a pattern, and list those that come out worse
    #[arg(long, conflicts_with_all = ["csv_dir", "compare"])]
    recognisers: bool,
    /// Do not run without bias
    #[arg(long)]
    no_unbiased: bool,
    /// Print a table in Markdown of the proofs instead: rule, level, size
    #[arg(long, conflicts_with_all = ["recognisers", "no_check"])]
    rules: bool,
    /// Keep the result of each row in this folder; rows that have one there are not measured again
    #[arg(long, value_name = "DIR", conflicts_with = "recognisers")]
    kept: Option<PathBuf>,
    /// Only part P of N: rows P, P + N, … from 0 on
    #[arg(long, value_name = "P/N", requires = "kept", value_parser = part)]
    part: Option<(usize, usize)>,
    /// Have Slurm run the rows, as a job array; needs --kept with a folder that all nodes see
    #[arg(long, requires = "kept", conflicts_with = "part")]
    slurm: bool,
    /// Rows for each element of the job array
    #[arg(long, value_name = "N", requires = "slurm", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    chunk: u32,
    /// One more option for sbatch (may be given several times)
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    sbatch: Vec<String>,
}

/// Programs of any size.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// Locations: each thread assigns to globals N times
    ArtPc,
    /// Variables: N globals
    ArtV,
    /// C: a thread of N sections under a lock, each with a test, beside another one
    Sections,
    /// C: N threads of different code under one lock
    Threads,
}

/// C programs, each in a process of its own.
fn measure_c(make: fn(usize) -> String, sizes: &[usize], exe: &Path, timeout: Duration) -> Status {
    let mut status = Status::Good;
    say(&format!("{:>8} {:>8} {:>8} {:>8} {:>8}  verdict\n", "size", "read", "prove", "check", "in all"));
    for n in sizes {
        match growing::measure(exe, &make(*n), timeout) {
            Ok(m) => {
                let (read, prove, check, wall) = (m.read, m.prove, m.check, m.wall);
                say(&format!("{n:>8} {read:>8.2} {prove:>8.2} {check:>8.2} {wall:>8.2}  {}\n", m.verdict));
                status = status.and(if m.verdict == "safe" { Status::Good } else { Status::Unknown });
            }
            Err(e) => {
                complain(&format!("error: {e}"));
                return Status::Unknown;
            }
        }
    }
    status
}

fn measure(family: Family, sizes: &[usize], exe: &Path, timeout: Duration) -> Status {
    let make: fn(usize) -> String = match family {
        Family::Sections => return measure_c(growing::sections, sizes, exe, timeout),
        Family::Threads => return measure_c(growing::threads, sizes, exe, timeout),
        Family::ArtPc => family::art_pc,
        Family::ArtV => family::art_v,
    };
    let cancel = AtomicBool::new(false);
    let mut status = Status::Good;
    say(&format!("{:>8} {:>8} {:>8} {:>9}  verdict\n", "size", "nodes", "sets", "seconds"));
    for n in sizes {
        let text = make(*n);
        let began = Instant::now();
        let program = match relyant_finite::boolean::read(&text, &[]) {
            Ok(p) => p,
            Err(e) => {
                complain(&format!("error: {e}"));
                return Status::BadInput;
            }
        };
        let settings = Settings { method: Method::ThreadStates, threads: None, states: 1, cancel: &cancel };
        let r = decide::decide(&program, &settings);
        let word = match &r.verdict {
            BooleanVerdict::Safe(_) => "safe, checked".to_string(),
            BooleanVerdict::Unsafe(..) => "unsafe".to_string(),
            BooleanVerdict::Unknown(why) => format!("unknown: {why}"),
        };
        status = status.and(match &r.verdict {
            BooleanVerdict::Safe(_) => Status::Good,
            BooleanVerdict::Unsafe(..) => Status::Bad,
            BooleanVerdict::Unknown(_) => Status::Unknown,
        });
        let (nodes, grown, seconds) = (r.stats.nodes, r.stats.grown, began.elapsed().as_secs_f64());
        say(&format!("{n:>8} {nodes:>8} {grown:>8} {seconds:>9.3}  {word}\n"));
    }
    status
}

fn without_each(rows: &[&manifest::Row], exe: &Path, timeout: Duration) -> Status {
    let signals = Signals::register();
    let stop = || signals.reason().is_some();
    match recognisers::measure(rows, exe, timeout, &stop, &|line| say(line)) {
        Ok(all) => {
            say(&recognisers::render(&all));
            if stop() { Status::Unknown } else { Status::Good }
        }
        Err(e) => {
            complain(&format!("error: {e}"));
            Status::Unknown
        }
    }
}

/// Measures or compares as the arguments say; the status says whether all verdicts were the expected ones.
pub fn run(a: &Args) -> Status {
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => {
            complain(&format!("error: this program does not know where it is: {e}"));
            return Status::Unknown;
        }
    };
    let manifest = match (a.family, &a.manifest) {
        (Some(f), _) => return measure(f, &a.sizes, &exe, a.timeout),
        (None, Some(m)) => m,
        // Asked for by the options' description.
        (None, None) => return Status::BadInput,
    };
    let rows = match wanted(a, manifest) {
        Ok(rows) => rows,
        Err(why) => {
            complain(&format!("error: {why}"));
            return Status::BadInput;
        }
    };
    if a.recognisers {
        let rows: Vec<&manifest::Row> = rows.iter().collect();
        return without_each(&rows, &exe, a.timeout);
    }
    let plan = Plan {
        exe,
        timeout: a.timeout,
        check: !a.no_check,
        unbiased: !a.no_unbiased && !a.rules,
        spacer: a.compare.contains(&Rival::Spacer).then_some(a.compare_timeout),
        spin: a.compare.contains(&Rival::Spin).then_some(a.compare_timeout),
    };
    let kept = match a.kept.as_ref().map(|dir| Kept::open(dir, &batch(&rows, &plan))).transpose() {
        Ok(kept) => kept,
        Err(e) => {
            complain(&format!("error: {e}"));
            return Status::BadInput;
        }
    };
    let signals = Signals::register();
    let done = match (&kept, a.slurm) {
        (Some(kept), true) => by_slurm(a, &plan.exe, kept, rows.len(), &signals),
        _ => here(a.part, &rows, &plan, kept.as_ref(), &signals),
    };
    let done = match done {
        Ok(done) => done,
        Err(why) => {
            complain(&format!("error: {why}"));
            return Status::Unknown;
        }
    };
    let mut status = done.iter().fold(Status::Good, |status, r| status.and(judged(r)));
    if let Some(reason) = signals.reason() {
        complain(&reason.to_string());
        status = status.and(Status::Unknown);
    } else if a.part.is_none() && done.len() < rows.len() {
        complain(&format!("{} of {} rows have no result", rows.len() - done.len(), rows.len()));
        status = status.and(Status::Unknown);
    }
    say(&if a.rules { table::rules(&done) } else { table::render(&done) });
    if let Some(dir) = &a.csv_dir {
        let path = dir.join(format!("{}.csv", results::today()));
        let written = std::fs::create_dir_all(dir)
            .map_err(|e| e.to_string())
            .and_then(|()| results::write(&path, &done).map_err(|e| e.to_string()));
        if let Err(e) = written {
            complain(&format!("error: {}: {e}", path.display()));
            return Status::BadInput;
        }
        say(&format!("written: {}\n", path.display()));
    }
    status
}

/// Rows of the manifest that were asked for, at least one.
fn wanted(a: &Args, manifest: &Path) -> Result<Vec<manifest::Row>, String> {
    let rows = manifest::read(manifest).map_err(|e| e.to_string())?;
    let sets: BTreeSet<&str> = rows.iter().map(|r| r.set.as_str()).filter(|s| !s.is_empty()).collect();
    if let Some(unknown) = a.set.iter().find(|s| !sets.contains(s.as_str())) {
        let known: Vec<&str> = sets.into_iter().collect();
        return Err(format!("no row is of the set `{unknown}`; the sets are {}", known.join(", ")));
    }
    let wanted = |row: &manifest::Row| {
        (a.set.is_empty() || a.set.contains(&row.set))
            && (a.only.is_empty() || a.only.iter().any(|t| row.row.contains(t) || row.name.contains(t)))
    };
    let rows: Vec<manifest::Row> = rows.iter().filter(|row| wanted(row)).cloned().collect();
    if rows.is_empty() {
        return Err("no row of the manifest is of these sets and has one of these names".into());
    }
    Ok(rows)
}

fn batch(rows: &[manifest::Row], plan: &Plan) -> Batch {
    Batch {
        version: env!("CARGO_PKG_VERSION").into(),
        rows: rows.iter().map(|r| (r.name.clone(), r.args.clone())).collect(),
        plan: Plan { exe: PathBuf::new(), ..plan.clone() },
    }
}

fn judged(r: &results::Result) -> Status {
    match r.judgement {
        Judgement::Wrong => Status::Bad,
        Judgement::Missing | Judgement::Failed => Status::Unknown,
        Judgement::Ok | Judgement::Unjudged => Status::Good,
    }
}

/// Measures rows one after the other, until a signal comes.
fn here(
    part: Option<(usize, usize)>,
    rows: &[manifest::Row],
    plan: &Plan,
    kept: Option<&Kept>,
    signals: &Signals,
) -> Result<Vec<results::Result>, String> {
    let (first, step) = part.unwrap_or((0, 1));
    let mut done = Vec::new();
    for (k, row) in rows.iter().enumerate().skip(first).step_by(step) {
        if let Some(r) = kept.map(|kept| kept.get(k)).transpose().map_err(|e| e.to_string())?.flatten() {
            done.push(r);
            continue;
        }
        if signals.reason().is_some() {
            break;
        }
        let r = results::measure(row, plan).unwrap_or_else(|e| results::failed(row, &e));
        // What a signal may have stopped is no result.
        if signals.reason().is_some() {
            break;
        }
        if matches!(r.judgement, Judgement::Missing | Judgement::Failed) && !r.reason.is_empty() {
            complain(&format!("{}: {}", row.name, r.reason));
        }
        if let Some(kept) = kept {
            kept.put(k, &r).map_err(|e| e.to_string())?;
        }
        done.push(r);
    }
    Ok(done)
}

/// So often parts are submitted without one more result before nobody believes that there will be one.
const IN_VAIN: usize = 3;

/// Has Slurm measure the rows; parts that were killed are submitted again for what they have not measured.
fn by_slurm(
    a: &Args,
    exe: &Path,
    kept: &Kept,
    rows: usize,
    signals: &Signals,
) -> Result<Vec<results::Result>, String> {
    let parts = rows.div_ceil(a.chunk as usize);
    // The same command, without what is about Slurm.
    let own: Vec<String> = std::env::args().skip(1).filter(|w| w != "--slurm").collect();
    let mut command = vec![exe.display().to_string()];
    let mut words = own.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--chunk" | "--sbatch" | "--csv-dir" => drop(words.next()),
            w if ["--chunk=", "--sbatch=", "--csv-dir="].iter().any(|o| w.starts_with(o)) => {}
            _ => command.push(word),
        }
    }
    let array = Array { command: &command, parts, options: &a.sbatch };
    let results = || (0..rows).map(|k| kept.get(k)).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string());
    let (mut before, mut in_vain) = (0, 0);
    loop {
        let all = results()?;
        let now = all.iter().flatten().count();
        in_vain = if now > before { 0 } else { in_vain + 1 };
        before = now;
        let missing: BTreeSet<usize> = (0..rows).filter(|k| all[*k].is_none()).map(|k| k % parts).collect();
        let missing: Vec<usize> = missing.into_iter().collect();
        if missing.is_empty() || in_vain > IN_VAIN {
            break;
        }
        if array.run(kept, &missing, &|| signals.reason().is_some()).map_err(|e| e.to_string())? {
            break;
        }
    }
    Ok(results()?.into_iter().flatten().collect())
}

/// `P/N` with P below N.
fn part(text: &str) -> Result<(usize, usize), PartError> {
    let (own, all) = text.split_once('/').ok_or(PartError)?;
    match (own.parse(), all.parse()) {
        (Ok(own), Ok(all)) if own < all => Ok((own, all)),
        _ => Err(PartError),
    }
}

/// No part.
#[derive(Debug, thiserror::Error)]
#[error("it has the form P/N, two numbers, P below N")]
struct PartError;
