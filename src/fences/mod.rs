//! Fences: the fewest places at which a program has to wait for its stores, so that it is safe on x86.
//!
//! Each run that goes wrong names places of which one needs a fence: behind each store that waits while its thread loads
//! something. A set of places that has none of them has this run, too: a fence at another place comes when nothing waits, or can be put
//! off until nothing does. So the fewest places that have one of each are tried, until the program is safe, and then no fewer will
//! do, as far as runs say which stores wait (Abdulla, Atig, Chen, Leonardsson, Rezine, "Counter-example guided fence insertion under TSO", TACAS 2012). Of as many places
//! those in fewer loops are taken.

mod hitting;
mod patch;

pub use patch::{Place, diff};

use crate::pipeline::{self, Report, Settings, Verdict};
use hitting::fewest;
use patch::Source;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c;
use relyant_frontend::c::unit::Text;
use relyant_interp::Trace;
use relyant_interp::fact::Did;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What came of it.
#[derive(Debug)]
pub struct Fenced {
    /// Where fences are needed, as far as that is known.
    pub places: Vec<Place>,
    /// The program with these fences.
    pub text: String,
    /// What is said of it.
    pub report: Report,
    /// How often the program was verified.
    pub rounds: usize,
}

/// Looks for the fewest fences with which a file is safe.
///
/// # Errors
/// What is wrong with the file, or that a store is at no statement of its own.
pub fn fences(path: &Path, settings: &Settings, run: &RunHandle) -> Result<Fenced, Diagnostic> {
    let name = path.display().to_string();
    let original = relyant_cfa::files::read_text(path)?;
    let mut settings = settings.clone();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    settings.meaning.preprocessing.include.push(folder.to_path_buf());
    let source = Source::new(&original, c::outline(path, &settings.meaning)?);
    // Of each run: places of which one needs a fence.
    let mut wanted: Vec<BTreeSet<Place>> = Vec::new();
    for rounds in 1usize.. {
        let places = fewest(&wanted);
        let text = source.with(&places);
        let unit = Text::new(&name, &text)?;
        let report = pipeline::verify_file(unit.unit(), &settings, run)?;
        if let Verdict::Unsafe { trace, .. } = &report.verdict {
            let waiting = waiting(trace);
            if !waiting.is_empty() {
                let found =
                    waiting.into_iter().map(|(line, column)| source.place(&name, &places, line, column));
                let found = found.collect::<Result<BTreeSet<Place>, Diagnostic>>()?;
                if found.iter().all(|p| !places.contains(p)) {
                    wanted.push(found);
                    continue;
                }
            }
        }
        return Ok(Fenced { places: places.into_iter().collect(), text, report, rounds });
    }
    Err(Diagnostic::of_file(&name, "no end of runs that go wrong", ""))
}

/// Lines and columns of the stores that wait while their thread loads something else.
fn waiting(trace: &Trace) -> BTreeSet<(u32, u32)> {
    // By thread: lines and columns of the stores that wait, the oldest first.
    let mut buffers: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut out = BTreeSet::new();
    for f in &trace.facts {
        let buffer = buffers.entry(f.thread).or_default();
        match &f.did {
            Did::Buffer(_) => buffer.push((f.span.line, f.span.column)),
            Did::Write(t) if t.waited && !buffer.is_empty() => {
                buffer.remove(0);
            }
            Did::Read(t) if t.shared => out.extend(buffer.iter().copied()),
            _ => {}
        }
    }
    out
}
