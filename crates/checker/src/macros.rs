//! What the command line tells the preprocessor.

use relyant_cfa::preprocessing::{Define, Name, Preprocessing};
use std::path::PathBuf;

/// Macros, and folders of headers.
#[derive(clap::Args, Clone)]
pub struct Macros {
    /// Define a macro for the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]", value_parser = Define::parse)]
    define: Vec<Define>,
    /// Undefine a macro, after all that are defined
    #[arg(short = 'U', long, value_name = "NAME", value_parser = Name::parse)]
    undefine: Vec<Name>,
    /// Look for headers here
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
}

impl Macros {
    /// For the front end.
    pub fn preprocessing(&self) -> Preprocessing {
        let Macros { define, undefine, include } = self.clone();
        Preprocessing { define, undefine, include }
    }
}
