//! Evidence is checked here, and nowhere else does an engine's answer become a verdict.

use super::{Evidence, Provable, Unknown, Verdict};
use relyant_cfa as cfa;
use relyant_cfa::schedule::Schedule;
use relyant_check::flaw::ProgramFlaw;
use relyant_check::obligations::Malformed;
use relyant_check::ordered::is_made_of;
use relyant_check::{check, replicated, states};
use relyant_engines::engine::Claim;
use relyant_engines::limits::RunHandle;
use relyant_engines::verdict::{Counterexample, Reason};
use relyant_interp as interp;
use relyant_program as program;

/// The checkers and the interpreter, with what claims are about.
pub(super) struct Checker<'a> {
    pub(super) search: &'a cfa::Program,
    pub(super) proof: Option<&'a Provable>,
    pub(super) limits: &'a check::Limits,
    /// Workers of the checker of states.
    pub(super) jobs: usize,
    pub(super) run: &'a RunHandle,
}

impl Checker<'_> {
    /// Checks a claim, or replays it.
    pub(super) fn check(&self, claim: Claim) -> Result<Verdict, Unknown> {
        let provable = || self.proof.ok_or(Unknown::Engine(Reason::NoThreads));
        Ok(match claim {
            Claim::Proof(proof) => {
                let p = provable()?;
                let checked = check::check(&p.threads, &proof, self.limits).map_err(Unknown::Proof)?;
                let program = Box::new(p.threads.clone());
                Verdict::Safe(Evidence::Proof { proof, program, checked })
            }
            Claim::Ordered { program, proof } => {
                let p = provable()?;
                let made = program.ordered.as_deref().is_some_and(|o| is_made_of(o, &p.threads));
                if !made {
                    let flaw = Malformed::Program(ProgramFlaw::Order);
                    return Err(Unknown::Proof(check::CheckError::Malformed(flaw)));
                }
                let checked = check::check(&program, &proof, self.limits).map_err(Unknown::Proof)?;
                Verdict::Safe(Evidence::Proof { proof, program, checked })
            }
            Claim::Replicated(proof) => {
                let p = provable()?;
                let checked = replicated::check::check(&p.threads, &proof, self.limits, self.run.cancel())
                    .map_err(Unknown::System)?;
                let program = Box::new(p.threads.clone());
                Verdict::Safe(Evidence::Replicated { proof, program, checked })
            }
            Claim::Space(space) => {
                let stopped = || self.run.stopped();
                let limits = states::StateLimits {
                    jobs: self.jobs,
                    cancel: &stopped,
                    ..states::StateLimits::default()
                };
                let checked = states::check(self.search, &space, &limits).map_err(Unknown::States)?;
                Verdict::Safe(Evidence::Space { space, checked })
            }
            Claim::Run(found) => {
                let p = provable()?;
                replayed(&p.automata, &schedule(p, found), false)?
            }
            Claim::Schedule { schedule, shortest } => replayed(self.search, &schedule, shortest)?,
        })
    }
}

fn replayed(program: &cfa::Program, schedule: &Schedule, shortest: bool) -> Result<Verdict, Unknown> {
    let trace = interp::replay(program, schedule).map_err(Unknown::Replay)?;
    Ok(Verdict::Unsafe { trace: Box::new(trace), shortest })
}

fn schedule(p: &Provable, found: Counterexample) -> Schedule {
    let steps: Vec<program::Step> =
        found.steps.into_iter().map(|s| (s.thread, s.edge as usize, s.inputs)).collect();
    program::schedule(&p.threads, &p.automata, &found.start, &steps)
}
