//! `relyant bench`

use super::exit::Status;
use super::workers::Signals;
use super::{complain, say};
use clap::ValueEnum;
use relyant::bench::results::{self, Judgement, Plan};
use relyant::bench::{manifest, table};
use std::path::PathBuf;
use std::time::Duration;

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
    manifest: PathBuf,
    /// Only rows of this set
    #[arg(long, value_name = "SET")]
    set: Vec<String>,
    /// Only rows whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Seconds for each run
    #[arg(long, value_name = "S", default_value = "60", value_parser = super::verify::seconds)]
    timeout: Duration,
    /// Write the results here, as `YYYY-MM-DD.csv`
    #[arg(long, value_name = "DIR")]
    csv_dir: Option<PathBuf>,
    /// Run another tool too (may be given several times)
    #[arg(long, value_enum)]
    compare: Vec<Rival>,
    /// Its limit in seconds
    #[arg(long, value_name = "S", default_value = "120", value_parser = super::verify::seconds)]
    compare_timeout: Duration,
    /// Do not check certificates
    #[arg(long)]
    no_check: bool,
    /// Do not run without bias
    #[arg(long)]
    no_unbiased: bool,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let rows = match manifest::read(&a.manifest) {
        Ok(rows) => rows,
        Err(e) => {
            complain(&format!("error: {e}"));
            return Status::BadInput;
        }
    };
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => {
            complain(&format!("error: this program does not know where it is: {e}"));
            return Status::Unknown;
        }
    };
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
    for row in rows {
        let wanted = (a.set.is_empty() || a.set.contains(&row.set))
            && (a.only.is_empty() || a.only.iter().any(|t| row.row.contains(t) || row.name.contains(t)));
        if !wanted {
            continue;
        }
        if let Some(reason) = signals.reason() {
            complain(&reason);
            status = status.and(Status::Unknown);
            break;
        }
        match results::measure(&row, &plan) {
            Ok(r) => {
                status = status.and(match r.judgement {
                    Judgement::Wrong => Status::Bad,
                    Judgement::Missing => Status::Unknown,
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
