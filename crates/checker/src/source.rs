//! A certificate checked against a C source, which is read anew.
//!
//! The steps are apart, so that a caller may look at what is claimed in between: [`Claim::about`] finds the source to be the
//! one, [`Claim::read`] makes program and evidence, [`Read::check`] asks the checker.

use crate::Refusal;
use relyant_cfa as cfa;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_cfa::options::Options;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::Source;
use relyant_check::certificate::{AnyCertificate, Certificate, CertificateError, agree};
use relyant_check::check::{self, CheckError, Limits};
use relyant_check::states::{self, Rejection, Space};
use relyant_check::{Proof, replicated};
use relyant_frontend::c;
use relyant_frontend::c::unit::Unit;
use relyant_frontend::programs::{read_for_search, read_proof};
use relyant_program::linearise;
use relyant_program::recognisers::{Recogniser, Recognisers};
use relyant_program::{Program, thread_program_with};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What the checker counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Premises of a proof rule, all of which hold.
    Obligations(usize),
    /// The same of replicated threads, and predecessors that are in the set of configurations.
    Replicated {
        /// Obligations that the solver found to hold.
        obligations: usize,
        /// Cover predecessors in the set.
        predecessors: u64,
    },
    /// States, and steps that lead from one to another.
    States {
        /// States of the set, whether or not they can be reached.
        states: usize,
        /// Steps tried from those that can be reached.
        steps: u64,
    },
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Counted::Obligations(n) => write!(f, "{n} obligations hold"),
            Counted::Replicated { obligations, predecessors } => {
                write!(f, "{obligations} obligations hold, {predecessors} cover predecessors are in the set")
            }
            Counted::States { states, steps } => write!(f, "{states} states, closed under {steps} steps"),
        }
    }
}

/// A certificate that was accepted.
#[derive(Clone, PartialEq, Debug)]
pub struct Accepted {
    /// The choices about the program's meaning under which it is safe, its property among them.
    pub meaning: Options,
    /// What was assumed of the program, a line each.
    pub assumes: Vec<String>,
    /// What was checked, and how much of it.
    pub counted: Counted,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A certificate about this source.
pub struct Claim<'a> {
    certificate: AnyCertificate,
    meaning: Options,
    unit: Unit<'a>,
}

impl<'a> Claim<'a> {
    /// Compares a certificate with the source, and the further files that are named with it. `told`: macros by which properties are told have to be said again, and where
    /// headers are.
    ///
    /// # Errors
    /// It is about another source, or others, or in another order, or under macros that nobody asked for.
    pub fn about(
        certificate: AnyCertificate,
        what: impl Into<Unit<'a>>,
        told: &Preprocessing,
    ) -> Result<Claim<'a>, Refusal> {
        let unit: Unit<'a> = what.into();
        let mut meaning = certificate.options();
        meaning.more_files = unit.more().to_vec();
        agree(&mut meaning.preprocessing, told).map_err(|why| Refusal::Rejected(why.to_string()))?;
        let (sources, includes) = sources(unit, &meaning).map_err(Refusal::Input)?;
        certificate.is_about(&sources, &includes).map_err(rejected)?;
        Ok(Claim { certificate, meaning, unit })
    }

    /// What was claimed, in terms of the source.
    pub fn certificate(&self) -> &AnyCertificate {
        &self.certificate
    }

    /// The choices under which it holds.
    pub fn meaning(&self) -> &Options {
        &self.meaning
    }

    /// Makes the program again, and the evidence in its terms.
    ///
    /// # Errors
    /// The source cannot be read, or the certificate speaks of what is not there.
    pub fn read(self) -> Result<Read, Refusal> {
        let Claim { certificate, meaning, unit } = self;
        let wrong = |d| Refusal::Input(Box::new(d));
        let made = |with, chosen, limits: &dyn Fn(&cfa::Program) -> linearise::ArrayLimits| {
            let automata = read_proof(unit, &meaning, chosen);
            automata.and_then(|p| thread_program_with(&p, limits(&p), with)).map_err(wrong)
        };
        let threads = |with, form| match form {
            Form::Elements => made(with, false, &|_| linearise::ArrayLimits::elements()),
            _ => made(with, form == Form::Chosen, &linearise::ArrayLimits::of),
        };
        let finders = certificate.finders();
        let evidence = match certificate {
            AnyCertificate::Proof(c) if c.has_order() => {
                let plain =
                    |chosen| made(Recognisers::none(), chosen, &|_| linearise::ArrayLimits::touching());
                let (proof, program) = in_order(plain, &c)?;
                Claimed::Proof(proof, program)
            }
            AnyCertificate::Proof(c) => {
                let (proof, program) = of_program(threads, &finders, |p| c.proof(p))?;
                Claimed::Proof(proof, program)
            }
            AnyCertificate::Replicated(c) => {
                let (proof, program) = of_program(threads, &finders, |p| c.proof(p))?;
                Claimed::Replicated(Box::new(proof), program)
            }
            AnyCertificate::States(c) => {
                let program = Box::new(read_for_search(unit, &meaning).map_err(wrong)?);
                Claimed::States(c.space(&program).map_err(rejected)?, program)
            }
        };
        Ok(Read { evidence, meaning })
    }
}

/// What is claimed of threads in an order of preference, which have no ghosts.
fn in_order(
    threads: impl Fn(bool) -> Result<Program, Refusal>,
    certificate: &Certificate,
) -> Result<(Proof, Box<Program>), Refusal> {
    let of = |chosen| {
        let several = threads(chosen)?;
        let program = certificate
            .ordered(&several)
            .map_err(rejected)?
            .ok_or_else(|| rejected(CertificateError::Program))?;
        Ok((certificate.proof(&program).map_err(rejected)?, Box::new(program)))
    };
    of(false).or_else(|first| of(true).map_err(|_| first))
}

/// Which of the thread programs of a source a certificate is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Each thread as it is.
    Plain,
    /// With chosen threads and memory of any size.
    Chosen,
    /// As it is, with one element of each short array.
    Elements,
}

/// What is claimed in terms of the thread program, and that, or else of the other ones.
fn of_program<P>(
    threads: impl Fn(Recognisers, Form) -> Result<Program, Refusal>,
    finders: &[Recogniser],
    proof: impl Fn(&Program) -> Result<P, CertificateError>,
) -> Result<(P, Box<Program>), Refusal> {
    let of = |form| of_form(|with| threads(with, form), finders, &proof);
    let first = of(Form::Plain);
    match &first {
        Err(_) => of(Form::Chosen).or_else(|_| of(Form::Elements)).or(first),
        Ok(_) => first,
    }
}

/// The same for one form of the program. Ghosts that could not be shown may have been left out of it: then it has those only
/// that the certificate speaks of.
fn of_form<P>(
    threads: impl Fn(Recognisers) -> Result<Program, Refusal>,
    finders: &[Recogniser],
    proof: impl Fn(&Program) -> Result<P, CertificateError>,
) -> Result<(P, Box<Program>), Refusal> {
    let program = Box::new(threads(Recognisers::default())?);
    let found = program.extensions.iter().map(|s| s.extension.by);
    let absent: Vec<Recogniser> = found.filter(|by| !finders.contains(by)).collect();
    match proof(&program) {
        Err(CertificateError::Program | CertificateError::Ghosts) if !absent.is_empty() => {
            let program = Box::new(threads(Recognisers::without(&absent))?);
            Ok((proof(&program).map_err(rejected)?, program))
        }
        claimed => Ok((claimed.map_err(rejected)?, program)),
    }
}

fn rejected(e: CertificateError) -> Refusal {
    Refusal::Rejected(e.to_string())
}

/// Evidence, and what it is about.
pub enum Claimed {
    /// Assertions, and the thread program that they are about.
    Proof(Proof, Box<Program>),
    /// A system of finite-state threads.
    Replicated(Box<replicated::Proof>, Box<Program>),
    /// A closed set of states, and the search program that they are states of.
    States(Space, Box<cfa::Program>),
}

/// A certificate in terms of the program that was made anew.
pub struct Read {
    /// What it claims; nothing of it was checked.
    pub evidence: Claimed,
    meaning: Options,
}

impl Read {
    /// Asks the checker; `timeout` is for all of it.
    ///
    /// # Errors
    /// It is rejected, or not decided in time.
    pub fn check(&self, timeout: Option<Duration>) -> Result<Accepted, Refusal> {
        let mut limits = Limits::default();
        if let Some(t) = timeout {
            limits.total = t;
        }
        let (assumes, counted, seconds) = match &self.evidence {
            Claimed::Proof(proof, program) => match check::check(program, proof, &limits) {
                Ok(r) => (program.assumes.clone(), Counted::Obligations(r.obligations), r.seconds),
                Err(e @ CheckError::Undecided { .. }) => return Err(Refusal::Undecided(e.to_string())),
                Err(e) => return Err(Refusal::Rejected(e.to_string())),
            },
            Claimed::Replicated(proof, program) => {
                match replicated::check::check(program, proof, &limits, &AtomicBool::new(false)) {
                    Ok(r) => {
                        let (obligations, predecessors) = (r.obligations, r.predecessors);
                        (
                            program.assumes.clone(),
                            Counted::Replicated { obligations, predecessors },
                            r.seconds,
                        )
                    }
                    Err(e @ replicated::check::Rejection::System(CheckError::Undecided { .. })) => {
                        return Err(Refusal::Undecided(e.to_string()));
                    }
                    Err(e) => return Err(Refusal::Rejected(e.to_string())),
                }
            }
            Claimed::States(space, program) => {
                let deadline = timeout.map(|t| Instant::now() + t);
                let cancel = || deadline.is_some_and(|d| Instant::now() >= d);
                let jobs = std::thread::available_parallelism().map_or(1, usize::from);
                let limits = states::StateLimits { jobs, cancel: &cancel, ..states::StateLimits::default() };
                match states::check(program, space, &limits) {
                    Ok(r) => {
                        let (states, steps) = (r.states, r.steps);
                        (program.assumes.clone(), Counted::States { states, steps }, r.seconds)
                    }
                    Err(e @ (Rejection::Cancelled | Rejection::Fuel)) => {
                        return Err(Refusal::Undecided(e.to_string()));
                    }
                    Err(e) => return Err(Refusal::Rejected(e.to_string())),
                }
            }
        };
        Ok(Accepted { meaning: self.meaning.clone(), assumes, counted, seconds })
    }
}

/// The sources of a program, the given one first, and the files that they include, with their digests.
///
/// # Errors
/// One of them cannot be read, or the preprocessor fails.
pub fn sources<'a>(
    what: impl Into<Unit<'a>>,
    options: &Options,
) -> Result<(Vec<Source>, Vec<Source>), Box<Diagnostic>> {
    let unit: Unit<'a> = what.into();
    let one = |unit: Unit<'_>| match files::read(unit.path()) {
        Ok(bytes) => Ok(Source::new(&unit.name(), &bytes)),
        Err(e) => Err(Box::new(Diagnostic::of_file(unit.name(), format!("cannot be read: {e}"), ""))),
    };
    let (mut sources, mut includes) = (Vec::new(), Vec::new());
    for unit in std::iter::once(unit).chain(options.more_files.iter().map(Unit::from)) {
        sources.push(one(unit)?);
        for path in c::includes(unit, options)? {
            includes.push(one(Unit::from(&path))?);
        }
    }
    Ok((sources, includes))
}
