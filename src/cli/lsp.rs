//! `relyant lsp`

use super::complain;
use super::exit::Status;
use super::meaning::{Engine, Meaning};
use lsp_server::Connection;
use relyant::Options;
use relyant::lsp::{Settings, serve};
use relyant::pipeline;
use relyant::project::Project;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A language server for editors, over standard input and output
#[derive(clap::Args)]
pub struct Args {
    /// Seconds for each verification
    #[arg(long, value_name = "S", default_value = "60", value_parser = super::input::seconds)]
    timeout: Duration,
    /// Milliseconds without an edit before a verification begins
    #[arg(long, value_name = "MS", default_value_t = 500)]
    delay: u64,
    /// Read sources as `compile_commands.json` in this folder says
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    #[command(flatten)]
    engine: Engine,
    #[command(flatten)]
    meaning: Meaning,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let measures = "error: --without is for measuring: lines would have no invariants beside them";
    if let Some(wrong) = a.engine.contradiction().or(a.engine.lacks_some().then_some(measures)) {
        complain(wrong);
        return Status::BadInput;
    }
    let asked = a.meaning.input(Path::new("untitled.c"));
    let project = a.project.as_deref().map(Project::read).transpose();
    let (input, project, predicates) = match (asked, project, a.engine.predicates()) {
        (Ok(input), Ok(project), Ok(predicates)) => (input, project, predicates),
        (Err(d), ..) | (_, Err(d), _) | (.., Err(d)) => {
            complain(&d.to_string());
            return Status::BadInput;
        }
    };
    let options = Options { meaning: input.options, method: a.engine.method(), timeout: Some(a.timeout) };
    let engines = pipeline::Settings {
        engine: a.engine.settings(),
        predicates,
        search: a.engine.search(),
        ..pipeline::Settings::default()
    };
    let settings = Settings { options, engines, project, delay: Duration::from_millis(a.delay) };
    let (connection, _threads) = Connection::stdio();
    match serve(&connection, settings) {
        Ok(()) => Status::Good,
        Err(e) => {
            complain(&format!("error: {e}"));
            Status::BadInput
        }
    }
}
