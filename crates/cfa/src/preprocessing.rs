//! What the preprocessor is told: macros, folders and files as data, so that nothing else can be handed to the compiler.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Macros, and folders of headers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preprocessing {
    /// Macros that are defined, in order.
    pub define: Vec<Define>,
    /// Macros that are undefined after that.
    pub undefine: Vec<Name>,
    /// Folders in which `#include` looks for headers, in order of search.
    pub include: Vec<PathBuf>,
    /// Files that are included before the source, in order.
    pub force: Vec<PathBuf>,
    /// The standard of C that headers are told; the compiler's own where none is given.
    pub standard: Option<Standard>,
}

/// A standard of C, with GNU's extensions or without.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Standard(&'static str);

/// What compilers call them.
const STANDARDS: [&str; 20] = [
    "c89", "c90", "c99", "c9x", "c11", "c1x", "c17", "c18", "c2x", "c23", "gnu89", "gnu90", "gnu99", "gnu9x",
    "gnu11", "gnu1x", "gnu17", "gnu18", "gnu2x", "gnu23",
];

/// What is no standard of C.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` is no standard of C; known are c89 to c23 and gnu89 to gnu23", .0.escape_debug())]
pub struct NoStandard(String);

impl Standard {
    /// Reads `c11`, `gnu17` and so on.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Standard, NoStandard> {
        STANDARDS.into_iter().find(|s| *s == text).map(Standard).ok_or_else(|| NoStandard(text.into()))
    }
    /// As compilers call it.
    pub fn text(self) -> &'static str {
        self.0
    }
}

/// What is no macro.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMacro {
    /// The name is no identifier.
    #[error("`{}` is no name of a macro", .0.escape_debug())]
    Name(String),
    /// The value has a character that ends the line or is no text.
    #[error("the value of a macro cannot have {0:?}")]
    Value(char),
    /// What comes before the value has a `(` without a `)`.
    #[error("`{}` is no macro", .0.escape_debug())]
    Head(String),
    /// A parameter is neither an identifier nor `...` at the end.
    #[error("`{}` is no parameter of a macro", .0.escape_debug())]
    Parameter(String),
}

/// The name of a macro, an identifier of C.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name(String);

/// A macro that is defined.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Define {
    name: Name,
    parameters: Option<Vec<String>>,
    value: Option<String>,
}

fn is_identifier(text: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    text.starts_with(first) && text.chars().all(|c| first(c) || c.is_ascii_digit())
}

impl Name {
    /// Reads one.
    ///
    /// # Errors
    /// It is no identifier.
    pub fn parse(text: &str) -> Result<Name, NoMacro> {
        match is_identifier(text) {
            true => Ok(Name(text.into())),
            false => Err(NoMacro::Name(text.into())),
        }
    }
    /// The identifier, as it stands in the source.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Define {
    /// Reads `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`.
    ///
    /// # Errors
    /// It is none of these, or the value is more than a line of text.
    pub fn parse(text: &str) -> Result<Define, NoMacro> {
        let (head, value) = match text.split_once('=') {
            Some((head, value)) => (head, Some(value)),
            None => (text, None),
        };
        if let Some(odd) = value.unwrap_or_default().chars().find(|c| c.is_control() && *c != '\t') {
            return Err(NoMacro::Value(odd));
        }
        let (name, parameters) = match head.split_once('(') {
            None => (head, None),
            Some((name, rest)) => {
                let list = rest.strip_suffix(')').ok_or_else(|| NoMacro::Head(head.into()))?;
                let list: Vec<String> = match list.trim() {
                    "" => Vec::new(),
                    list => list.split(',').map(|p| p.trim().to_string()).collect(),
                };
                let last = list.len().saturating_sub(1);
                let known = |k: usize, p: &str| is_identifier(p) || k == last && p == "...";
                if let Some((_, p)) = list.iter().enumerate().find(|(k, p)| !known(*k, p)) {
                    return Err(NoMacro::Parameter(p.clone()));
                }
                (name, Some(list))
            }
        };
        Ok(Define { name: Name::parse(name)?, parameters, value: value.map(str::to_string) })
    }
    /// The identifier that it defines, without parameters.
    pub fn name(&self) -> &str {
        self.name.text()
    }
}

impl fmt::Display for Define {
    /// As [`Define::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name.0)?;
        if let Some(parameters) = &self.parameters {
            write!(f, "({})", parameters.join(","))?;
        }
        match &self.value {
            Some(value) => write!(f, "={value}"),
            None => Ok(()),
        }
    }
}

/// A folder or a file that is one for the compiler, whatever it is called: `-` and what begins with `=` or `$` would mean others.
fn folder(path: &Path) -> PathBuf {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_./".contains(&b) || !b.is_ascii();
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b) if plain(*b) => path.to_path_buf(),
        _ => Path::new(".").join(path),
    }
}

impl Preprocessing {
    /// The options of the compiler, each one word.
    pub fn arguments(&self) -> Vec<OsString> {
        let word = |option: &str, value: &std::ffi::OsStr| {
            let mut word = OsString::from(option);
            word.push(value);
            word
        };
        let define = self.define.iter().map(|d| word("-D", d.to_string().as_ref()));
        let undefine = self.undefine.iter().map(|u| word("-U", u.text().as_ref()));
        let include = self.include.iter().map(|i| word("-I", folder(i).as_os_str()));
        let force = self.force.iter().map(|f| word("-include", folder(f).as_os_str()));
        let standard = self.standard.iter().map(|s| word("-std=", s.text().as_ref()));
        standard.chain(define).chain(undefine).chain(include).chain(force).collect()
    }
    /// The same for a compiler that runs in another folder: folders and files are as they are seen from here.
    #[must_use]
    pub fn from_here(&self) -> Preprocessing {
        let from_here = |all: &[PathBuf]| {
            all.iter().map(|p| std::path::absolute(p).unwrap_or_else(|_| p.clone())).collect()
        };
        Preprocessing { include: from_here(&self.include), force: from_here(&self.force), ..self.clone() }
    }
    /// As on a command line, for reports.
    pub fn describe(&self) -> String {
        self.words().join(" ")
    }
    /// As on a command line, a word each.
    pub fn words(&self) -> Vec<String> {
        let define = self.define.iter().map(|d| format!("-D{d}"));
        let undefine = self.undefine.iter().map(|u| format!("-U{}", u.text()));
        let include = self.include.iter().map(|i| format!("-I{}", i.display()));
        let force = self.force.iter().flat_map(|f| ["-include".into(), f.display().to_string()]);
        let standard = self.standard.iter().map(|s| format!("-std={}", s.text()));
        standard.chain(define).chain(undefine).chain(include).chain(force).collect()
    }
    /// The same, and after it what another one says; its standard counts.
    #[must_use]
    pub fn then(mut self, more: &Preprocessing) -> Preprocessing {
        self.define.extend(more.define.iter().cloned());
        self.undefine.extend(more.undefine.iter().cloned());
        self.include.extend(more.include.iter().cloned());
        self.force.extend(more.force.iter().cloned());
        self.standard = more.standard.or(self.standard);
        self
    }
    /// Macros that are defined or undefined.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.define.iter().map(Define::name).chain(self.undefine.iter().map(Name::text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros() {
        for text in
            ["X", "X=", "X=1", "_x9=a b", "F(a)=a", "F(a,b)=a=b", "F()=1", "F(a,...)=g(a)", "$x=\"-I @\""]
        {
            assert_eq!(Define::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Define::parse("F( a , b )=1").unwrap().to_string(), "F(a,b)=1");
        for text in [
            "",
            "=",
            "9=1",
            "-wrapper",
            "X Y",
            "X\n",
            "X=a\nb",
            "X=\u{1b}[2J",
            "X=\0",
            "F(=1",
            "F(a",
            "F(a b)=1",
            "F(...,a)=1",
            "F(a,)=1",
            "@x",
            "é=1",
            " X",
            "X =1",
        ] {
            assert!(Define::parse(text).is_err(), "{text}");
        }
        assert!(Name::parse("X").is_ok() && Name::parse("X=1").is_err() && Name::parse("").is_err());
    }

    #[test]
    fn folders_as_seen_from_elsewhere() {
        let here = std::env::current_dir().unwrap();
        let p = Preprocessing {
            include: vec!["inc".into(), "/d".into()],
            force: vec!["x.h".into()],
            ..Preprocessing::default()
        };
        let p = p.from_here();
        assert_eq!(p.include, [here.join("inc"), "/d".into()]);
        assert_eq!(p.force, [here.join("x.h")]);
    }

    #[test]
    fn arguments_are_options_with_their_values() {
        let p = Preprocessing {
            define: vec![Define::parse("X=-wrapper sh").unwrap()],
            undefine: vec![Name::parse("Y").unwrap()],
            include: ["a", "-", "=b", "@c", "/d", "$SYSROOT"].map(PathBuf::from).to_vec(),
            force: vec!["-x.h".into()],
            standard: Some(Standard::parse("gnu11").unwrap()),
        };
        let words: Vec<String> = p.arguments().into_iter().map(|w| w.into_string().unwrap()).collect();
        assert_eq!(
            words,
            [
                "-std=gnu11",
                "-DX=-wrapper sh",
                "-UY",
                "-Ia",
                "-I./-",
                "-I./=b",
                "-I./@c",
                "-I/d",
                "-I./$SYSROOT",
                "-include./-x.h"
            ]
        );
        assert!(Standard::parse("c++17").is_err() && Standard::parse("").is_err());
    }
}
