//! Violation witnesses from replayed runs.
//!
//! Each call of an input function has its value as a `function_return`. While there is more than one thread, each
//! statement that a thread comes to is an `assumption` that always holds: it says whose turn it is. A creation of a
//! thread is a `function_enter`; the thread's id is the number of such waypoints up to its own.

use super::places::{Tracker, location};
use super::{Constraint, Waypoint, WaypointKind};
use relyant_cfa::schedule::ThreadRef;
use relyant_frontend::c::outline::Outline;
use relyant_interp::Trace;
use relyant_interp::event::What;

/// What of a run has no place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPlace {
    /// Something other than a call made a thread.
    #[error("a thread is created by no call")]
    NoCall,
    /// Nothing of the run made a thread that moves in it.
    #[error("a thread of the run is created nowhere in the source")]
    NoThread,
    /// No statement stands where the property is violated.
    #[error("the violation is at no statement")]
    NoStatement,
    /// Nothing is done in the run.
    #[error("the run has no steps")]
    NoSteps,
}

/// Does a run have more than one thread?
pub fn has_threads(trace: &Trace) -> bool {
    trace.events.iter().any(|e| matches!(e.what, What::Create(_)))
}

/// The waypoints of a run. `threads`: with thread ids.
///
/// # Errors
/// What of the run has no place in the source.
pub fn waypoints(trace: &Trace, outline: &Outline, threads: bool) -> Result<Vec<Waypoint>, NoPlace> {
    let result_format = if threads { "ext_c_expression" } else { "acsl_expression" };
    let mut ids: Vec<ThreadRef> = trace.events.first().map(|e| e.thread).into_iter().collect();
    let id = |ids: &[ThreadRef], t: ThreadRef| {
        let at = ids.iter().position(|i| *i == t).and_then(|i| u32::try_from(i).ok());
        at.ok_or(NoPlace::NoThread)
    };
    let mut tracker = Tracker::default();
    let mut out = Vec::new();
    for e in &trace.events {
        let Some((statement, arrives)) = tracker.step(outline, e.thread, e.span) else { continue };
        let s = &outline.statements[statement];
        let thread = if threads { Some(id(&ids, e.thread)?) } else { None };
        if arrives && threads && ids.len() > 1 {
            out.push(Waypoint {
                kind: WaypointKind::Assumption,
                location: location(outline, s.start, &s.function),
                constraint: Some(Constraint { value: "1".into(), format: "c_expression".into() }),
                thread,
            });
        }
        let call = |name: &dyn Fn(&str) -> bool| {
            let mut here = outline.calls.iter().filter(|c| c.statement == statement && name(&c.name));
            let exact = here.clone().find(|c| (c.start.line, c.start.column) == (e.span.line, e.span.column));
            exact.or_else(|| here.next())
        };
        match &e.what {
            What::Input { source, value, .. } if !source.is_uninitialised() => {
                if let Some(c) = call(&|n| source.is_input_of(n)) {
                    out.push(Waypoint {
                        kind: WaypointKind::FunctionReturn,
                        location: location(outline, c.close, &s.function),
                        constraint: Some(Constraint {
                            value: format!("\\result == {value}"),
                            format: result_format.into(),
                        }),
                        thread,
                    });
                }
            }
            What::Create(new) => {
                ids.push(*new);
                let c = call(&|n| n == "pthread_create").or_else(|| call(&|_| true));
                let c = c.ok_or(NoPlace::NoCall)?;
                if threads {
                    out.push(Waypoint {
                        kind: WaypointKind::FunctionEnter,
                        location: location(outline, c.close, &s.function),
                        constraint: None,
                        thread,
                    });
                }
            }
            _ => {}
        }
    }
    out.push(target(trace, outline, threads.then_some(&ids[..]), &id)?);
    Ok(out)
}

/// The identifier of a thread, of those that were created so far.
type Numbering<'a> = dyn Fn(&[ThreadRef], ThreadRef) -> Result<u32, NoPlace> + 'a;

fn target(
    trace: &Trace,
    outline: &Outline,
    ids: Option<&[ThreadRef]>,
    id: &Numbering,
) -> Result<Waypoint, NoPlace> {
    let (file, line, column) = &trace.place;
    let at = outline.file(file).and_then(|f| outline.statement_at(f, *line, *column));
    let s = &outline.statements[at.ok_or(NoPlace::NoStatement)?];
    // The thread that violates the property moved last.
    let last = trace.events.last().ok_or(NoPlace::NoSteps)?;
    let thread = ids.map(|ids| id(ids, last.thread)).transpose()?;
    Ok(Waypoint {
        kind: WaypointKind::Target,
        location: location(outline, s.start, &s.function),
        constraint: None,
        thread,
    })
}
