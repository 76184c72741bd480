//! `relyant spacer`, for `relyant bench --compare spacer`: a process that can be ended.

use super::exit::Status;
use super::{complain, say};
use relyant::export::spacer;
use std::io::Read;

/// Ask Z3's Spacer about Horn clauses on standard input
#[derive(clap::Args)]
pub struct Args {}

/// Decides clauses on the standard input with Z3's Spacer.
pub fn run(_: &Args) -> Status {
    let mut clauses = String::new();
    if let Err(e) = std::io::stdin().read_to_string(&mut clauses) {
        complain(&format!("error: standard input: {e}"));
        return Status::BadInput;
    }
    say(&format!("{}\n", spacer::answer(&clauses)));
    Status::Good
}
