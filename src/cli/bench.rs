//! `relyant bench`

use super::exit::Status;
use super::watch::Signals;
use super::{complain, say};
use clap::ValueEnum;
use relyant::bench::results::{self, Judgement, Plan};
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
    /// Measure the thread states of Boolean programs of these sizes instead
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
}

/// Programs of any size.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// Locations: each thread assigns to globals N times
    ArtPc,
    /// Variables: N globals
    ArtV,
}

fn measure(family: Family, sizes: &[usize]) -> Status {
    let cancel = AtomicBool::new(false);
    let mut status = Status::Good;
    say(&format!("{:>8} {:>8} {:>8} {:>9}  verdict\n", "size", "nodes", "sets", "seconds"));
    for n in sizes {
        let text = match family {
            Family::ArtPc => family::art_pc(*n),
            Family::ArtV => family::art_v(*n),
        };
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
    let manifest = match (a.family, &a.manifest) {
        (Some(f), _) => return measure(f, &a.sizes),
        (None, Some(m)) => m,
        // Asked for by the options' description.
        (None, None) => return Status::BadInput,
    };
    let rows = match manifest::read(manifest) {
        Ok(rows) => rows,
        Err(e) => {
            complain(&format!("error: {e}"));
            return Status::BadInput;
        }
    };
    let wanted = |row: &manifest::Row| {
        (a.set.is_empty() || a.set.contains(&row.set))
            && (a.only.is_empty() || a.only.iter().any(|t| row.row.contains(t) || row.name.contains(t)))
    };
    let sets: BTreeSet<&str> = rows.iter().map(|r| r.set.as_str()).filter(|s| !s.is_empty()).collect();
    if let Some(unknown) = a.set.iter().find(|s| !sets.contains(s.as_str())) {
        let known: Vec<&str> = sets.into_iter().collect();
        complain(&format!("error: no row is of the set `{unknown}`; the sets are {}", known.join(", ")));
        return Status::BadInput;
    }
    if !rows.iter().any(wanted) {
        complain("error: no row of the manifest is of these sets and has one of these names");
        return Status::BadInput;
    }
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => {
            complain(&format!("error: this program does not know where it is: {e}"));
            return Status::Unknown;
        }
    };
    if a.recognisers {
        let rows: Vec<&manifest::Row> = rows.iter().filter(|r| wanted(r)).collect();
        return without_each(&rows, &exe, a.timeout);
    }
    let plan = Plan {
        exe,
        timeout: a.timeout,
        check: !a.no_check,
        unbiased: !a.no_unbiased,
        spacer: a.compare.contains(&Rival::Spacer).then_some(a.compare_timeout),
        spin: a.compare.contains(&Rival::Spin).then_some(a.compare_timeout),
    };
    let signals = Signals::register();
    let mut status = Status::Good;
    let mut done = Vec::new();
    for row in rows.iter().filter(|r| wanted(r)) {
        if let Some(reason) = signals.reason() {
            complain(&reason.to_string());
            status = status.and(Status::Unknown);
            break;
        }
        match results::measure(row, &plan) {
            Ok(r) => {
                status = status.and(match r.judgement {
                    Judgement::Wrong => Status::Bad,
                    Judgement::Missing | Judgement::Failed => Status::Unknown,
                    Judgement::Ok | Judgement::Unjudged => Status::Good,
                });
                if r.judgement == Judgement::Missing && !r.reason.is_empty() {
                    complain(&format!("{}: {}", row.name, r.reason));
                }
                done.push(r);
            }
            Err(e) => {
                complain(&format!("{}: {e}", row.name));
                status = status.and(Status::Unknown);
                done.push(results::failed(row, &e));
            }
        }
    }
    say(&table::render(&done));
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
