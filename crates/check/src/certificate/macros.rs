//! What the preprocessor is told, in a certificate: data that is looked at, never options of a compiler.

use relyant_cfa::preprocessing::{Define, Name, NoMacro, NoStandard, Preprocessing, Standard};
use serde::{Deserialize, Serialize};

/// A macro that is defined, as text.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub struct DefineText(Define);

impl TryFrom<String> for DefineText {
    type Error = NoMacro;
    fn try_from(text: String) -> Result<Self, NoMacro> {
        Define::parse(&text).map(DefineText)
    }
}

impl From<DefineText> for String {
    fn from(d: DefineText) -> String {
        d.0.to_string()
    }
}

/// The name of a macro, as text.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub struct NameText(Name);

impl TryFrom<String> for NameText {
    type Error = NoMacro;
    fn try_from(text: String) -> Result<Self, NoMacro> {
        Name::parse(&text).map(NameText)
    }
}

impl From<NameText> for String {
    fn from(n: NameText) -> String {
        n.0.text().into()
    }
}

/// A standard of C, as text.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub struct StandardText(Standard);

impl TryFrom<String> for StandardText {
    type Error = NoStandard;
    fn try_from(text: String) -> Result<Self, NoStandard> {
        Standard::parse(&text).map(StandardText)
    }
}

impl From<StandardText> for String {
    fn from(s: StandardText) -> String {
        s.0.text().into()
    }
}

/// What the preprocessor was told, in the order in which it was.
#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct PreprocessingRecord {
    pub define: Vec<DefineText>,
    pub undefine: Vec<NameText>,
    pub include: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<StandardText>,
}

impl From<&Preprocessing> for PreprocessingRecord {
    fn from(p: &Preprocessing) -> PreprocessingRecord {
        PreprocessingRecord {
            define: p.define.iter().cloned().map(DefineText).collect(),
            undefine: p.undefine.iter().cloned().map(NameText).collect(),
            include: p.include.iter().map(|i| i.display().to_string()).collect(),
            force: p.force.iter().map(|f| f.display().to_string()).collect(),
            standard: p.standard.map(StandardText),
        }
    }
}

impl From<PreprocessingRecord> for Preprocessing {
    fn from(r: PreprocessingRecord) -> Preprocessing {
        Preprocessing {
            define: r.define.into_iter().map(|d| d.0).collect(),
            undefine: r.undefine.into_iter().map(|n| n.0).collect(),
            include: r.include.into_iter().map(Into::into).collect(),
            force: r.force.into_iter().map(Into::into).collect(),
            standard: r.standard.map(|s| s.0),
        }
    }
}

/// Macros by which properties are told: who defines one anew may change what is checked.
fn tells(name: &str) -> bool {
    const NAMES: [&str; 7] = ["assert", "NDEBUG", "reach_error", "abort", "exit", "_Exit", "main"];
    const PREFIXES: [&str; 4] = ["__assert", "__VERIFIER_", "pthread_", "__builtin_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}

/// What a command line says otherwise than a certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Disagreement {
    /// It defines a macro.
    #[error("the certificate was made without -D{0}")]
    Define(Define),
    /// It undefines this macro.
    #[error("the certificate was made without -U{0}")]
    Undefine(String),
    /// It leaves a macro alone by which properties are told.
    #[error(
        "the certificate is about the program with another `{0}`, which can change what is checked: if that is \
         meant, give check the same -D or -U as verify"
    )]
    Property(String),
    /// Files that are included first can define any macro.
    #[error(
        "the certificate is about the program with other files included first: give check the same -include as verify"
    )]
    Force,
    /// Headers may declare something else.
    #[error(
        "the certificate is about the program by another standard of C: give check the same -std as verify"
    )]
    Standard,
}

/// Takes what the command line of `check` says together with what a certificate says: folders are added, macros must be the
/// certificate's, and those that could change what is checked must be said in both, as files that are included first.
///
/// # Errors
/// What does not agree.
pub fn agree(certificate: &mut Preprocessing, given: &Preprocessing) -> Result<(), Disagreement> {
    if let Some(d) = given.define.iter().find(|d| !certificate.define.contains(d)) {
        return Err(Disagreement::Define(d.clone()));
    }
    if let Some(u) = given.undefine.iter().find(|u| !certificate.undefine.contains(u)) {
        return Err(Disagreement::Undefine(u.text().into()));
    }
    let said = |name: &str| given.names().any(|n| n == name);
    if let Some(name) = certificate.names().find(|n| tells(n) && !said(n)) {
        return Err(Disagreement::Property(name.into()));
    }
    if certificate.force != given.force {
        return Err(Disagreement::Force);
    }
    if certificate.standard != given.standard {
        return Err(Disagreement::Standard);
    }
    certificate.include.extend(given.include.iter().cloned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(define: &[&str], undefine: &[&str]) -> Preprocessing {
        Preprocessing {
            define: define.iter().map(|d| Define::parse(d).unwrap()).collect(),
            undefine: undefine.iter().map(|u| Name::parse(u).unwrap()).collect(),
            ..Preprocessing::default()
        }
    }

    #[test]
    fn both_have_to_say_what_matters() {
        let agree = |a: Preprocessing, b: Preprocessing| agree(&mut a.clone(), &b);
        assert_eq!(agree(with(&["N=3"], &["M"]), with(&[], &[])), Ok(()));
        assert_eq!(agree(with(&["N=3"], &[]), with(&["N=3"], &[])), Ok(()));
        assert!(agree(with(&["N=3"], &[]), with(&["N=4"], &[])).is_err());
        assert!(agree(with(&[], &[]), with(&[], &["M"])).is_err());
        assert!(agree(with(&["assert(x)="], &[]), with(&[], &[])).is_err());
        assert_eq!(agree(with(&["assert(x)="], &[]), with(&["assert(x)="], &[])), Ok(()));
        assert!(agree(with(&[], &["NDEBUG"]), with(&[], &[])).is_err());
        let first = Preprocessing { force: vec!["a.h".into()], ..Preprocessing::default() };
        assert_eq!(agree(first.clone(), with(&[], &[])), Err(Disagreement::Force));
        assert_eq!(agree(with(&[], &[]), first.clone()), Err(Disagreement::Force));
        assert_eq!(agree(first.clone(), first), Ok(()));
        let old = Preprocessing { standard: Standard::parse("c99").ok(), ..Preprocessing::default() };
        assert_eq!(agree(old, with(&[], &[])), Err(Disagreement::Standard));
    }
}
