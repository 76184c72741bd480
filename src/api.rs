//! What other programs call: a program's source and options in, a verdict with its evidence out, and certificates checked
//! again. `docs/LIBRARY.md` is the guide. The command line goes the same way: [`crate::pipeline`] alone makes verdicts.

use crate::explain::{Beside, beside};
use crate::pipeline::certify::{Certificate, CertifyError};
use crate::pipeline::{self, Method, Report, Settings, Verdict};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options as Meaning;
use relyant_check::certificate::AnyCertificate;
use relyant_checker::Refusal;
use relyant_checker::source::{Accepted, Claim};
use relyant_engines::limits::{Lost, RunHandle, Stop, bounded, bounded_by};
use relyant_frontend::c::unit::{Text, Unit};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is asked of a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the program means, and what must not happen: [`Meaning::property`].
    pub meaning: Meaning,
    /// Which engines are asked for a verdict.
    pub method: Method,
    /// Wall-clock time after which engines are asked to stop: the verdict is then unknown, and may come somewhat later.
    pub timeout: Option<Duration>,
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The source is wrong, not supported or not there: where and why.
    #[error("{0}")]
    Input(Box<Diagnostic>),
    /// A bug of ours, or no thread to be had.
    #[error("{0}")]
    Internal(Lost),
}

/// A verdict on a program, with its evidence.
#[derive(Clone, Debug)]
pub struct Verified {
    /// All that is said of the program: the verdict, who found its evidence, what was assumed.
    pub report: Report,
    source: Source,
    meaning: Meaning,
}

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Text { name: String, text: String },
}

impl Source {
    /// Does something with the source where a compiler finds it.
    fn with<T>(&self, what: impl FnOnce(Unit<'_>) -> T) -> Result<T, Box<Diagnostic>> {
        Ok(match self {
            Source::File(path) => what(path.into()),
            Source::Text { name, text } => what(Text::new(name, text)?.unit()),
        })
    }
}

/// Verifies a C file: `.c`, or `.i` when it is preprocessed. A program without threads is one, too.
///
/// # Errors
/// The file is wrong, not supported or not there. Limits are a verdict: unknown.
pub fn verify_file(path: impl AsRef<Path>, options: &Options) -> Result<Verified, Error> {
    verify(Source::File(path.as_ref().into()), options, Settings::default(), &RunHandle::new(None))
}

/// Verifies a text as [`verify_file`] does a file. `name` is what reports and certificates call it; its extension says
/// whether it is preprocessed. Headers are looked for in the system's folders and those of
/// [`Preprocessing::include`](relyant_cfa::preprocessing::Preprocessing::include).
///
/// # Errors
/// The text is wrong or not supported.
pub fn verify_text(name: &str, text: &str, options: &Options) -> Result<Verified, Error> {
    verify_text_while(name, text, options, &RunHandle::new(None))
}

/// Verifies a text until somebody stops the run: the verdict is then unknown.
///
/// # Errors
/// The text is wrong or not supported.
pub fn verify_text_while(
    name: &str,
    text: &str,
    options: &Options,
    run: &RunHandle,
) -> Result<Verified, Error> {
    verify_text_by(name, text, options, Settings::default(), run)
}

/// The same by engines as they are set; what is asked of them is in `options`.
pub(crate) fn verify_text_by(
    name: &str,
    text: &str,
    options: &Options,
    engines: Settings,
    run: &RunHandle,
) -> Result<Verified, Error> {
    verify(Source::Text { name: name.into(), text: text.into() }, options, engines, run)
}

fn verify(source: Source, options: &Options, engines: Settings, run: &RunHandle) -> Result<Verified, Error> {
    let report = source.with(|unit| verify_unit_by(unit, options, engines, run)).map_err(Error::Input)??;
    Ok(Verified { report, source, meaning: options.meaning.clone() })
}

/// Verifies a program of files and texts.
pub(crate) fn verify_unit_by(
    unit: Unit<'_>,
    options: &Options,
    engines: Settings,
    run: &RunHandle,
) -> Result<Report, Error> {
    let settings = Settings { meaning: options.meaning.clone(), method: options.method, ..engines };
    let report = bounded_by(run, options.timeout.map(|t| (t, Stop::Time(t))), |run| {
        pipeline::verify_file(unit, &settings, run)
    });
    report.map_err(Error::Internal)?.map_err(|d| Error::Input(Box::new(d)))
}

impl Verified {
    /// The verdict, with its evidence.
    pub fn verdict(&self) -> &Verdict {
        &self.report.verdict
    }

    /// The certificate of a safe program, as a document (`docs/CERTIFICATE.md`); none if it is not safe. A file is read again,
    /// and must not have changed.
    ///
    /// # Errors
    /// The sources cannot be read any more, or are preprocessed with macros and folders of their own.
    pub fn certificate(&self) -> Result<Option<String>, CertifyError> {
        self.certificate_while(&|| false)
    }

    /// The same; it is as small as it can be made until `stop` says so.
    ///
    /// # Errors
    /// The sources cannot be read any more, or are preprocessed with macros and folders of their own.
    pub fn certificate_while(&self, stop: &dyn Fn() -> bool) -> Result<Option<String>, CertifyError> {
        let written = self.source.with(|unit| {
            let Some(certificate) = Certificate::of(&self.report, unit, &self.meaning)? else {
                return Ok(None);
            };
            let mut bytes = Vec::new();
            let left = || if stop() { Duration::ZERO } else { Duration::MAX };
            certificate.write(&mut bytes, &left).map_err(CertifyError::Unwritten)?;
            String::from_utf8(bytes).map(Some).map_err(|e| CertifyError::Unwritten(std::io::Error::other(e)))
        });
        written.map_err(CertifyError::Input)?
    }
}

impl Verified {
    /// What the certificate of a safe program says of each line; nothing if it is not safe.
    ///
    /// # Errors
    /// There is no certificate, or it cannot be read.
    pub fn beside(&self, stop: &dyn Fn() -> bool) -> Result<Vec<Beside>, NotBeside> {
        let Some(certificate) = self.certificate_while(stop)? else { return Ok(Vec::new()) };
        let told = &self.meaning.preprocessing;
        Ok(self
            .source
            .with(|unit| beside(&certificate, unit.and(&self.meaning.more_files), told))
            .map_err(Refusal::Input)??)
    }
}

/// Why lines have nothing beside them.
#[derive(Debug, thiserror::Error)]
pub enum NotBeside {
    /// There is no certificate.
    #[error(transparent)]
    NoCertificate(#[from] CertifyError),
    /// It cannot be read.
    #[error("{0}")]
    Refused(#[from] Refusal),
}

/// Checks a certificate against a file, which is read anew: no engine takes part. Of the options count the macros and
/// folders that the source needs, further files of the program, and the time; all else the certificate says.
///
/// # Errors
/// It is none, is rejected, or not decided in time.
pub fn check_file(certificate: &str, path: impl AsRef<Path>, options: &Options) -> Result<Accepted, Refusal> {
    check(certificate, &Source::File(path.as_ref().into()), options)
}

/// The same against a text.
///
/// # Errors
/// It is none, is rejected, or not decided in time.
pub fn check_text(certificate: &str, name: &str, text: &str, options: &Options) -> Result<Accepted, Refusal> {
    check(certificate, &Source::Text { name: name.into(), text: text.into() }, options)
}

fn check(certificate: &str, source: &Source, options: &Options) -> Result<Accepted, Refusal> {
    let certificate = AnyCertificate::parse(certificate).map_err(|e| Refusal::Unreadable(e.to_string()))?;
    let (told, more) = (&options.meaning.preprocessing, &options.meaning.more_files);
    let checked = source.with(|unit| {
        let unit = unit.and(more);
        // The checker looks at the clock itself; this is about its stack and its panics.
        let read_and_check = |_: &_| Claim::about(certificate, unit, told)?.read()?.check(options.timeout);
        bounded(None, read_and_check).unwrap_or_else(|lost| Err(Refusal::Undecided(lost.to_string())))
    });
    checked.map_err(Refusal::Input)?
}
