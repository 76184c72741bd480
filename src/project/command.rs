//! The command of a compiler, as far as it is about what a program means.

use relyant_cfa::options::DataModel;
use relyant_cfa::preprocessing::{Define, Name, NoMacro, NoStandard, Preprocessing, Standard};
use std::path::{Path, PathBuf};

/// What a command says of its source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Command {
    /// Macros, folders, files, the standard.
    pub preprocessing: Preprocessing,
    /// Where it says which one.
    pub data_model: Option<DataModel>,
}

/// Why a command cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unread {
    /// It defines no macro.
    #[error(transparent)]
    Macro(#[from] NoMacro),
    /// It is about another language, or one that is not known.
    #[error(transparent)]
    Standard(#[from] NoStandard),
    /// The last option has no value.
    #[error("`{0}` has no value")]
    NoValue(String),
    /// It changes what the source means, and is not supported.
    #[error("`{0}` is not supported")]
    Unsupported(String),
    /// A quote is open at the end of the line.
    #[error("a quote in the command is open")]
    Quotes,
}

/// An option that has a value, in the same word or the next one.
#[derive(Clone, Copy)]
enum Valued {
    Define,
    Undefine,
    Folder,
    First,
    Other,
}

/// Longer ones first where one begins with another.
const VALUED: [(&str, Valued); 13] = [
    ("-include", Valued::First),
    ("-isystem", Valued::Folder),
    ("-iquote", Valued::Folder),
    ("-idirafter", Valued::Folder),
    ("-D", Valued::Define),
    ("-U", Valued::Undefine),
    ("-I", Valued::Folder),
    ("-MF", Valued::Other),
    ("-MT", Valued::Other),
    ("-MQ", Valued::Other),
    ("-Xlinker", Valued::Other),
    ("-arch", Valued::Other),
    ("-o", Valued::Other),
];

/// Reads the words of a command that runs in a folder.
///
/// # Errors
/// What of it cannot be followed.
pub fn read(words: &[String], folder: &Path) -> Result<Command, Unread> {
    let mut c = Command::default();
    let at = |value: &str| -> PathBuf { folder.join(value) };
    // The compiler comes first.
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if let Some(standard) = word.strip_prefix("-std=") {
            // C++ sources are refused when they are read.
            c.preprocessing.standard = match standard.contains("++") {
                true => None,
                false => Some(Standard::parse(standard.strip_prefix("iso9899:").unwrap_or(standard))?),
            };
            continue;
        }
        match word.as_str() {
            "-m32" => c.data_model = Some(DataModel::Ilp32),
            "-m64" => c.data_model = Some(DataModel::Lp64),
            "-ansi" => c.preprocessing.standard = Some(Standard::parse("c90")?),
            file if file.starts_with('@') => return Err(Unread::Unsupported(word.clone())),
            "-imacros" | "-nostdinc" => return Err(Unread::Unsupported(word.clone())),
            _ => {}
        }
        let Some((option, kind)) = VALUED.into_iter().find(|v| word.starts_with(v.0)) else { continue };
        let value = match &word[option.len()..] {
            "" => rest.next().ok_or_else(|| Unread::NoValue(option.into()))?,
            inside => inside,
        };
        let p = &mut c.preprocessing;
        match kind {
            Valued::Define => p.define.push(Define::parse(value)?),
            Valued::Undefine => p.undefine.push(Name::parse(value)?),
            Valued::Folder => p.include.push(at(value)),
            Valued::First => p.force.push(at(value)),
            Valued::Other => {}
        }
    }
    Ok(c)
}

/// The words of a line, as a POSIX shell splits it; none where a quote is open.
pub fn split(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Command, Unread> {
        read(&split(line).ok_or(Unread::Quotes)?, Path::new("/build"))
    }

    #[test]
    fn what_changes_the_meaning_counts() {
        let c = of(
            r#"/usr/bin/cc -DN=3 -D 'S="a b"' -UM -Iinc -isystem /sys -include x.h -std=gnu11 -O2 -Wall -MF a.d -m32 -o a.o -c a.c"#,
        );
        let c = c.unwrap();
        let p = &c.preprocessing;
        assert_eq!(p.define.iter().map(ToString::to_string).collect::<Vec<_>>(), ["N=3", "S=\"a b\""]);
        assert_eq!(p.undefine.iter().map(Name::text).collect::<Vec<_>>(), ["M"]);
        assert_eq!(p.include, [Path::new("/build/inc"), Path::new("/sys")]);
        assert_eq!(p.force, [Path::new("/build/x.h")]);
        assert_eq!(p.standard.map(Standard::text), Some("gnu11"));
        assert_eq!(c.data_model, Some(DataModel::Ilp32));
    }

    #[test]
    fn what_cannot_be_followed_is_an_error() {
        assert_eq!(of("cc -D").unwrap_err(), Unread::NoValue("-D".into()));
        assert_eq!(of("cc -imacros x.h").unwrap_err(), Unread::Unsupported("-imacros".into()));
        assert_eq!(of("cc @more a.c").unwrap_err(), Unread::Unsupported("@more".into()));
        assert_eq!(of("cc 'a").unwrap_err(), Unread::Quotes);
        assert!(matches!(of("cc -D9=1"), Err(Unread::Macro(_))));
        assert!(matches!(of("cc -std=d7"), Err(Unread::Standard(_))));
        assert_eq!(of("c++ -std=c++17 a.cpp"), Ok(Command::default()));
    }
}
