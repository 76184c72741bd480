//! What the command line tells the preprocessor.

use relyant_cfa::preprocessing::{Define, Name, Preprocessing, Standard};
use std::ffi::OsString;
use std::path::PathBuf;

/// Macros, folders of headers, what is included first, and the standard of C.
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
    /// Include this file before the source; `-include FILE`, too
    #[arg(long = "include", value_name = "FILE")]
    force: Vec<PathBuf>,
    /// Standard of C that headers are told: c11, gnu17; `-std=STD`, too
    #[arg(long = "std", value_name = "STD", value_parser = Standard::parse)]
    standard: Option<Standard>,
}

/// Options of compilers that begin with one dash in the form that they have here. What comes after `--` are names of files.
pub fn with_two_dashes(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut names = false;
    let one = |word: OsString| {
        names |= word == "--";
        match word.to_str() {
            Some("-include") if !names => "--include".into(),
            Some(text) if !names && text.starts_with("-std=") => format!("-{text}").into(),
            _ => word,
        }
    };
    arguments.into_iter().map(one).collect()
}

impl Macros {
    /// For the front end.
    pub fn preprocessing(&self) -> Preprocessing {
        let Macros { define, undefine, include, force, standard } = self.clone();
        Preprocessing { define, undefine, include, force, standard }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dash_is_two() {
        let words = ["x", "-include", "a.h", "-std=c11", "-I", "d", "--", "-include", "-std=c11.c"];
        let made = with_two_dashes(words.map(OsString::from));
        assert_eq!(made, ["x", "--include", "a.h", "--std=c11", "-I", "d", "--", "-include", "-std=c11.c"]);
    }
}
