//! What the command line tells the preprocessor.

use relyant_frontend::preprocessing::{Define, Name, Preprocessing};
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

/// Macros by which properties are told: who defines one anew may change what is checked.
fn tells(name: &str) -> bool {
    const NAMES: [&str; 7] = ["assert", "NDEBUG", "reach_error", "abort", "exit", "_Exit", "main"];
    const PREFIXES: [&str; 4] = ["__assert", "__VERIFIER_", "pthread_", "__builtin_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}

/// Takes what the command line of `check` says together with what a certificate says: folders are added, macros must be the
/// certificate's, and those that could change what is checked must be said in both.
///
/// # Errors
/// What does not agree.
pub fn agree(certificate: &mut Preprocessing, given: &Preprocessing) -> Result<(), String> {
    if let Some(d) = given.define.iter().find(|d| !certificate.define.contains(d)) {
        return Err(format!("the certificate was made without -D{d}"));
    }
    if let Some(u) = given.undefine.iter().find(|u| !certificate.undefine.contains(u)) {
        return Err(format!("the certificate was made without -U{}", u.text()));
    }
    let said = |name: &str| given.names().any(|n| n == name);
    if let Some(name) = certificate.names().find(|n| tells(n) && !said(n)) {
        return Err(format!(
            "the certificate is about the program with another `{name}`, which can change what is checked: if that is \
             meant, give check the same -D or -U as verify"
        ));
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
            include: vec![],
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
    }
}
