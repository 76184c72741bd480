//! `relyant observe`

use super::exit::Status;
use super::input::read_text;
use super::{complain, say};
use relyant::observe::{self, Effort, Error, Left, Placed, Runs};
use relyant_checker::Refusal;
use relyant_checker::macros::Macros;
use std::path::{Path, PathBuf};

/// Run a proved program with the proof's invariants before its statements, many times, as chance has it
#[derive(clap::Args)]
pub struct Args {
    /// The certificate
    proof: PathBuf,
    /// The C source
    file: PathBuf,
    /// Folder that gets the program; `DIR/run` compiles and runs it
    #[arg(short, value_name = "DIR")]
    output: PathBuf,
    /// How many times it is run
    #[arg(long, value_name = "N", default_value_t = 200)]
    runs: u32,
    /// Where chance begins; the same seed gives the same run
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Steps of a run, at most
    #[arg(long, value_name = "N", default_value_t = 3000)]
    steps: u32,
    #[command(flatten)]
    macros: Macros,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let text = match read_text(&a.proof) {
        Ok(text) => text,
        Err(d) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    let placed = match observe::write(&text, &a.file, &a.macros.preprocessing(), &a.output) {
        Ok(placed) => placed,
        Err(why) => return failed(&why),
    };
    say(&about(&placed));
    match observe::run(&a.output, Effort { runs: a.runs, seed: a.seed, steps: a.steps }) {
        Ok(runs) => {
            say(&told(&a.output, &runs));
            if runs.failed.is_some() { Status::Bad } else { Status::Good }
        }
        Err(why) => failed(&why),
    }
}

fn failed(why: &Error) -> Status {
    complain(&format!("error: {why}"));
    match why {
        Error::Certificate(Refusal::Rejected(_)) => Status::Bad,
        Error::Not(_) | Error::Run(_) | Error::Certificate(Refusal::Undecided(_)) => Status::Unknown,
        Error::Certificate(_) | Error::Source(_) | Error::File { .. } => Status::BadInput,
    }
}

/// What is tested.
fn about(p: &Placed) -> String {
    let mut out = format!(
        "placed: {} invariants with {} comparisons before {} statements\n",
        p.invariants, p.comparisons, p.statements
    );
    let (all, begun) = p.locations;
    if all > 0 {
        out += &format!("locations: {begun} of {all} are where a statement begins\n");
    }
    for (why, n) in &p.left {
        let why = match why {
            Left::OtherThread => "other threads' variables",
            Left::Ghost => "ghosts",
            Left::Unnamed => "what has no name in C there",
            Left::Early => "variables that get their first values beside running threads",
            Left::Wide => "numbers that are too wide",
        };
        out += &format!("left out: {n} conjuncts about {why}\n");
    }
    out
}

/// What the runs came to.
fn told(dir: &Path, r: &Runs) -> String {
    let mut out = format!(
        "runs: {} ({} ended, {} stopped, {} stuck, {} assumed away, {} undefined), {} evaluations before {} statements\n",
        r.runs, r.ended, r.stopped, r.stuck, r.assumed, r.undefined, r.evaluations, r.reached
    );
    out += &match r.failed {
        None => "observed: every invariant holds in every run\n".to_string(),
        Some(seed) => format!(
            "observed: {}\nagain: {} --seed {seed} --runs 1\n",
            r.said.trim(),
            dir.join("run").display()
        ),
    };
    out
}
