//! The command line of Relyant.

mod cli;

fn main() {
    cli::main();
}
