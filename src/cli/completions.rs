//! `relyant completions`

use super::exit::Status;
use super::{Cli, say_all};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Print completions for a shell
///
/// Where a shell looks for them: bash `~/.local/share/bash-completion/completions/relyant`, zsh `_relyant` in a folder of
/// `$fpath`, fish `~/.config/fish/completions/relyant.fish`.
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(a: &Args) -> Status {
    let mut command = Cli::command();
    let name = command.get_name().to_string();
    let mut text = Vec::new();
    generate(a.shell, &mut command, name, &mut text);
    say_all(&String::from_utf8_lossy(&text));
    Status::Good
}
