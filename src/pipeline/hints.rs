//! What may help where there is no verdict: the loop, input or bound that it hangs on, and an option or a change for it.

use super::{Programs, Report, Settings, Unknown, Verdict};
use crate::predicates::{self, Predicate};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::options::MAX_OBJECTS;
use relyant_cfa::{Bounded, Count, Limit, Op};
use relyant_engines::verdict::Reason;
use relyant_engines::watch::{Crowded, Unstable};
use relyant_frontend::c::LIBRARY;
use relyant_program::Program;
use relyant_program::ghosts::given;
use std::collections::BTreeSet;

/// So many abstract states at one location are many.
const MANY_STATES: usize = 12;
/// Lines of inputs that are named.
const MOST_INPUTS: usize = 3;
/// It is not inputs with fewer values that it hangs on.
const FEW_VALUES: i128 = 64;

/// What the missing verdict hangs on, and what to try.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// File as the program names it, and its lines; none where the whole program is meant.
    pub place: Option<(String, Vec<u32>)>,
    /// One sentence.
    pub text: String,
}

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((file, lines)) = &self.place {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            write!(f, "{file}:{}: ", lines.join(", "))?;
        }
        f.write_str(&self.text)
    }
}

/// Hints for a program without a verdict, the most telling one first.
pub(super) fn of(programs: &Programs, report: &Report, settings: &Settings) -> Vec<Hint> {
    let Verdict::Unknown(reason) = &report.verdict else { return Vec::new() };
    let mut all = not_tried(programs, settings);
    for limit in limits(reason) {
        if limit.bounds == Some(Bounded::Objects) {
            let more = settings.meaning.max_objects.unwrap_or(MAX_OBJECTS).saturating_mul(2);
            all.push(whole(format!("--max-objects {more} keeps more objects of one place apart")));
        }
    }
    if let Some(stats) = report.stats {
        let own = if stats.chosen { programs.chosen.as_ref() } else { programs.proof.as_ref().ok() };
        if let Some(p) = own {
            all.extend(stats.unstable.and_then(|u| unstable(&p.threads, u)));
            all.extend(stats.crowded.and_then(|c| round(&p.threads, c)));
        }
    }
    if programs.search.templates.iter().any(|t| t.count == Count::Unbounded) {
        all.push(whole("--max-threads 3 asks about so many threads at a time only".into()));
        return all;
    }
    all.extend(inputs(&programs.search));
    // A search that came to a bound of the program has seen the runs with few switches.
    let seen = settings.search.max_switches.is_some() || !limits(reason).is_empty();
    if programs.search.templates.len() > 1 && report.searched.is_some() && !seen {
        all.push(whole("--max-switches 2 looks for failing runs with so few context switches only".into()));
    }
    all
}

/// Predicates of which no thread of the proof has all variables.
fn not_tried(programs: &Programs, settings: &Settings) -> Vec<Hint> {
    let Ok(proof) = &programs.proof else { return Vec::new() };
    let lost = settings.predicates.iter().filter(|p| predicates::resolve(&proof.threads, p).is_empty());
    let hint = |p: &Predicate| Hint {
        place: p.place.as_ref().map(|(file, line)| (file.clone(), vec![*line])),
        text: format!(
            "`{}` was not tried: no thread of the proof has all of its variables (`relyant show` lists them)",
            p.text
        ),
    };
    let mut all: Vec<Hint> = lost.map(hint).collect();
    for remark in given::lost(&proof.threads) {
        let file = proof.threads.files.get(remark.file as usize);
        all.push(Hint {
            place: file.map(|f| (f.clone(), vec![remark.line])),
            text: format!(
                "`ghost {}` has no effect: it is no declaration or assignment of a sum, stands beside no step, or a name in it is unknown",
                remark.text
            ),
        });
    }
    all
}

fn whole(text: String) -> Hint {
    Hint { place: None, text }
}

/// The verifier's bounds that are among the reasons.
fn limits(reason: &Unknown) -> Vec<&Limit> {
    match reason {
        Unknown::All(reasons) => reasons.iter().flat_map(limits).collect(),
        Unknown::Engine(Reason::Bound(limit)) => vec![limit],
        _ => Vec::new(),
    }
}

/// What a thread relies on that another one does not keep, as far as the proof came.
fn unstable(program: &Program, u: Unstable) -> Option<Hint> {
    let template = program.templates.get(u.template as usize)?;
    let by = program.templates.get(u.by as usize)?;
    let (location, edge) = (template.locations.get(u.location)?, by.edges.get(u.edge)?);
    let at = location.span;
    let line = Some(edge.span.line).filter(|l| *l > 0).map(|l| format!(" (line {l})")).unwrap_or_default();
    let another = if u.template == u.by { "another " } else { "" };
    let text = format!(
        "what `{}` needs to be true here is not kept by a step of {another}`{}`{line}: {}; a predicate that relates what both change \
         may help, or ghost code",
        template.name,
        by.name,
        program.display_edge(edge)
    );
    Some(Hint { place: Some(at).filter(|s| s.line > 0).and_then(|s| place(&program.files, [s])), text })
}

/// The loop at one of whose locations most abstract states were.
fn round(program: &Program, crowded: Crowded) -> Option<Hint> {
    if crowded.states < MANY_STATES {
        return None;
    }
    let template = program.templates.get(crowded.template as usize)?;
    let all = template.loops();
    let own = all.iter().find(|l| l.contains(&crowded.location))?;
    let spans = own.iter().map(|l| template.locations[*l].span);
    let span = spans.filter(|s| s.line > 0).min_by_key(|s| (s.file, s.line))?;
    let text = format!(
        "states of the proof pile up in this loop of `{}` ({} at one place); a constant bound on its rounds may help",
        template.name, crowded.states
    );
    Some(Hint { place: place(&program.files, [span]), text })
}

/// Inputs with more values than a search can try, where the user's files have some. What is known by its range only is none.
fn inputs(program: &relyant_cfa::Program) -> Option<Hint> {
    let mut spans = BTreeSet::new();
    for template in &program.templates {
        for e in &template.graph.edges {
            let Op::Havoc { dst, source } = &e.op else { continue };
            let Some(register) = template.registers.get(dst.0 as usize) else { continue };
            let few = match (register.kind.min(), register.kind.max()) {
                (Some(low), Some(high)) => high.saturating_sub(low) < FEW_VALUES,
                _ => false,
            };
            let own =
                e.span.line > 0 && program.files.get(e.span.file as usize).is_some_and(|f| f != LIBRARY);
            if !few && own && !source.approximate && !source.is_uninitialised() {
                spans.insert((e.span.file, e.span.line));
            }
        }
    }
    let first = spans.iter().next()?.0;
    let here = spans.into_iter().filter(|s| s.0 == first).take(MOST_INPUTS);
    let spans = here.map(|(file, line)| Span { file, line, column: 0 });
    let text =
        "an input of any value; with `if (…) return 0;` that leaves few of them all can be searched".into();
    Some(Hint { place: place(&program.files, spans), text })
}

fn place(files: &[String], spans: impl IntoIterator<Item = Span>) -> Option<(String, Vec<u32>)> {
    let spans: Vec<Span> = spans.into_iter().collect();
    let file = files.get(spans.first()?.file as usize)?;
    Some((file.clone(), spans.iter().map(|s| s.line).collect()))
}
