//! The certificate of a verdict: from evidence to a document that [`relyant_checker`] reads.

use super::{Evidence, Report, Verdict};
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use relyant_check::certificate::{self, Meta};
use relyant_checker::source::sources;
use relyant_engines::minimise::minimise;
use relyant_frontend::c::unit::Unit;
use relyant_frontend::programs::{read_for_search, read_proof};
use std::io::{self, Write};
use std::time::Duration;

/// Why a verdict has no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// Certificates say once what the preprocessor is told.
    #[error("certificates of files that each have their own macros and folders are not written")]
    Apart,
    /// Places are read by checkers that know one file only.
    #[error("certificates of several files are written without places")]
    Places,
    /// The source cannot be read any more.
    #[error("{0}")]
    Input(Box<Diagnostic>),
    /// What the text was written to took no more.
    #[error("cannot be written: {0}")]
    Unwritten(io::Error),
}

/// A certificate that is ready to be written.
pub struct Certificate<'a> {
    evidence: &'a Evidence,
    meta: Meta,
    /// Of a set of states, which is written in terms of it: made anew, as the checker makes it.
    searched: Option<Box<cfa::Program>>,
    /// Of a proof that tells the places of its steps.
    automata: Option<Box<cfa::Program>>,
}

impl<'a> Certificate<'a> {
    /// That of a report on this source; none if the verdict is not *safe*.
    ///
    /// # Errors
    /// The sources are preprocessed in several ways, or cannot be read.
    pub fn of<'u>(
        report: &'a Report,
        what: impl Into<Unit<'u>>,
        meaning: &Options,
    ) -> Result<Option<Certificate<'a>>, CertifyError> {
        let Verdict::Safe(evidence) = &report.verdict else { return Ok(None) };
        if !meaning.apart.is_empty() {
            return Err(CertifyError::Apart);
        }
        let unit: Unit<'u> = what.into();
        let (sources, includes) = sources(unit, meaning).map_err(CertifyError::Input)?;
        let searched = match evidence {
            Evidence::Space { .. } => {
                let program = read_for_search(unit, meaning);
                Some(Box::new(program.map_err(|d| CertifyError::Input(Box::new(d)))?))
            }
            Evidence::Proof { .. } | Evidence::Replicated { .. } => None,
        };
        let robust = report.robust && searched.is_none();
        let meta = Meta { sources, includes, options: Options { robust, ..meaning.clone() } };
        Ok(Some(Certificate { evidence, meta, searched, automata: None }))
    }

    /// A proof's certificate tells where in the source its steps run, for checkers that read the source by themselves.
    ///
    /// # Errors
    /// There are several sources, or they cannot be read any more.
    pub fn with_places<'u>(mut self, what: impl Into<Unit<'u>>) -> Result<Certificate<'a>, CertifyError> {
        if !self.meta.options.more_files.is_empty() {
            return Err(CertifyError::Places);
        }
        if let Evidence::Proof { program, .. } = self.evidence
            && program.ordered.is_none()
        {
            let automata = read_proof(what, &self.meta.options, program.chosen)
                .map_err(|d| CertifyError::Input(Box::new(d)))?;
            self.automata = Some(Box::new(automata));
        }
        Ok(self)
    }

    /// Writes it. A proof is made smaller first, in the time that `left` says there is; with none left it stays as it is.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write, left: &dyn Fn() -> Duration) -> io::Result<()> {
        match (self.evidence, &self.searched) {
            (Evidence::Proof { proof, program, checked }, _) => {
                let text = match &self.automata {
                    // Who finds assertions of their own needs all that is known.
                    Some(a) => certificate::write_with_places(proof, program, a, &self.meta),
                    None => {
                        let smaller = minimise(program, proof, checked.obligations, left);
                        certificate::write(smaller.as_ref().unwrap_or(proof), program, &self.meta)
                    }
                };
                out.write_all(text.as_bytes())
            }
            (Evidence::Replicated { proof, program, .. }, _) => {
                out.write_all(certificate::write_replicated(proof, program, &self.meta).as_bytes())
            }
            (Evidence::Space { space, .. }, Some(program)) => {
                certificate::write_states(space, program, &self.meta, out)
            }
            (Evidence::Space { .. }, None) => Err(io::Error::other("the program of its states is not there")),
        }
    }
}
