//! A check from names of files to what there is to say.

use crate::source::{Claim, Read};
use crate::{Refusal, describe, finite};
use relyant_cfa::diagnostic::{Diagnostic, plain};
use relyant_cfa::files::read_text;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::AnyCertificate;
use relyant_check::finite::{Question, kind};
use relyant_frontend::c::unit::Unit;
use std::path::PathBuf;
use std::time::Duration;

/// A certificate, and what it is to be about.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The certificate.
    pub certificate: PathBuf,
    /// The C source, or the finite-state threads.
    pub file: PathBuf,
    /// Further C sources of the program, in the order in which it was verified.
    pub more: Vec<PathBuf>,
    /// Macros and folders of a C source.
    pub told: Preprocessing,
    /// What is asked about finite-state threads, unless it is what the certificate says.
    pub question: Question,
    /// For the check; `None`: the limits of the checker.
    pub timeout: Option<Duration>,
}

/// Says a line.
pub type Say<'a> = &'a mut dyn FnMut(&str);

impl Task {
    /// Checks it, and says what was found, a line at a time; the last one of what is accepted begins with "accepted: ". `look`
    /// sees the evidence about a C source before it is checked.
    ///
    /// # Errors
    /// It is not accepted.
    pub fn check(
        &self,
        say: Say<'_>,
        look: impl FnOnce(&Read, Say<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let text = read_text(&self.certificate).map_err(|d| Refusal::Input(Box::new(d)))?;
        let (assumes, initial, what, seconds) = match kind(&self.file) {
            Some(kind) => {
                if let Some(other) = self.more.first() {
                    let name = other.display().to_string();
                    let d = Diagnostic::of_file(
                        name,
                        "finite-state threads are in one file",
                        "name that one only",
                    );
                    return Err(Refusal::Input(Box::new(d)));
                }
                let a = finite::check(&text, &self.file, kind, &self.question, self.timeout)?;
                (a.assumes, a.initial, a.what, a.seconds)
            }
            None => {
                let certificate =
                    AnyCertificate::parse(&text).map_err(|e| Refusal::Unreadable(e.to_string()))?;
                // The text of a large one takes room.
                drop(text);
                let claim = Claim::about(certificate, Unit::from(&self.file).and(&self.more), &self.told)?;
                describe(claim.meaning()).iter().for_each(|line| say(line));
                let read = claim.read()?;
                look(&read, say)?;
                let a = read.check(self.timeout)?;
                (a.assumes, None, a.counted.to_string(), a.seconds)
            }
        };
        assumes.iter().for_each(|a| say(&format!("assumes: {a}")));
        initial.iter().for_each(|i| say(&format!("initial: {i}")));
        say(&format!("accepted: {what}, in {seconds:.2} s"));
        Ok(())
    }

    /// What there is to say of a refusal.
    pub fn explain(&self, refusal: &Refusal) -> String {
        match refusal {
            Refusal::Unreadable(why) => {
                format!("{}: error: {}", plain(&self.certificate.display().to_string()), plain(why))
            }
            other => other.to_string(),
        }
    }
}
