//! `relyant fences`

use super::exit::Status;
use super::meaning::{Engine, Meaning};
use super::{complain, say};
use relyant::fences::{Fenced, diff, fences};
use relyant::pipeline::{Settings, Verdict};
use relyant_cfa::options::MemoryModel;
use relyant_engines::limits::{RunHandle, Stop, bounded_by};
use std::path::PathBuf;
use std::time::Duration;

/// Find the fewest fences with which a program is safe on x86, and print them as a patch
///
/// The program with the fences is verified as by `verify --memory-model tso`. Exit status 0: it is safe; 3: no
/// fences were found with which it is, or nobody knows.
#[derive(clap::Args)]
pub struct Args {
    /// The C source
    file: PathBuf,
    /// Seconds for all of it
    #[arg(long, value_name = "S", default_value = "60", value_parser = super::input::seconds)]
    timeout: Duration,
    #[command(flatten)]
    meaning: Meaning,
    #[command(flatten)]
    engine: Engine,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let (mut input, predicates) = match (a.meaning.input(&a.file), a.engine.predicates()) {
        (Ok(input), Ok(predicates)) => (input, predicates),
        (Err(d), _) | (_, Err(d)) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    input.options.memory_model = MemoryModel::Tso;
    let settings = Settings {
        meaning: input.options,
        method: a.engine.method(),
        engine: a.engine.settings(),
        predicates,
        search: a.engine.search(),
        needs_checks: !input.named,
        ..Settings::default()
    };
    let limit = Some((a.timeout, Stop::Time(a.timeout)));
    let found = bounded_by(&RunHandle::new(None), limit, |run| fences(&input.file, &settings, run));
    match found {
        Ok(Ok(found)) => told(a, &found),
        Ok(Err(d)) => {
            complain(&d.to_string());
            Status::BadInput
        }
        Err(lost) => {
            complain(&lost.to_string());
            Status::Unknown
        }
    }
}

fn told(a: &Args, found: &Fenced) -> Status {
    let name = a.file.display().to_string();
    let n = found.places.len();
    let count = match n {
        0 => "no fence is needed".to_string(),
        1 => "1 fence".into(),
        n => format!("{n} fences"),
    };
    match &found.report.verdict {
        Verdict::Safe(_) => {
            if n > 0 {
                let before = std::fs::read_to_string(&a.file).unwrap_or_default();
                say(&diff(&name, &before, &found.text));
            }
            complain(&match n {
                0 => format!("{name}: safe, {count}"),
                _ => format!("{name}: safe with {count}"),
            });
            for p in &found.places {
                complain(&format!("{name}:{}:{}: a fence behind `{}`", p.line, p.column, p.text));
            }
            Status::Good
        }
        Verdict::Unsafe { .. } => {
            // A run may hide which stores wait, so that this is no proof that there is no place.
            complain(&format!("{name}: unsafe, and no place for a fence was found"));
            Status::Unknown
        }
        Verdict::Unknown(why) => {
            complain(&format!("{name}: unknown with {count}: {why}"));
            Status::Unknown
        }
    }
}
