//! What a certificate says of each line, for editors.

use super::outline::outline;
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::AnyCertificate;
use relyant_checker::Refusal;
use relyant_checker::source::Claim;
use relyant_frontend::c::unit::Unit;

/// What holds before a line of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// Name of the thread.
    pub thread: String,
    /// File of the line.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What happens next in the program, where it is not the first place in the line.
    pub next: String,
    /// What holds there.
    pub holds: String,
}

/// What a certificate says of the lines of its source. The checker is not asked.
///
/// # Errors
/// It is no certificate, or not one of this source.
pub fn beside<'a>(
    certificate: &str,
    what: impl Into<Unit<'a>>,
    told: &Preprocessing,
) -> Result<Vec<Beside>, Refusal> {
    let parsed = AnyCertificate::parse(certificate).map_err(|e| Refusal::Unreadable(e.to_string()))?;
    let read = Claim::about(parsed, what, told)?.read()?;
    let said = outline(&read.evidence).map_err(|e| Refusal::Rejected(e.to_string()))?;
    let mut out: Vec<Beside> = Vec::new();
    for thread in &said.threads {
        for held in &thread.held {
            let (file, line) = (said.files.get(held.at.0 as usize).cloned().unwrap_or_default(), held.at.1);
            let here = |b: &&Beside| b.thread == thread.name && b.file == file && b.line == line;
            if out.iter().filter(here).any(|b| b.holds == held.text) {
                continue;
            }
            let next = if out.iter().any(|b| here(&b)) { held.next.clone() } else { String::new() };
            out.push(Beside { thread: thread.name.clone(), file, line, next, holds: held.text.clone() });
        }
    }
    Ok(out)
}
