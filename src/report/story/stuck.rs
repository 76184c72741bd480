//! Why no thread can go on.

use super::headline::{Found, Run};
use super::{Awaited, Does, Wait};

/// The cause of a deadlock.
pub(super) fn sentence(run: &Run<'_>) -> Option<String> {
    cycle(run).or_else(|| missed(run)).or_else(|| all(run))
}

/// Threads that wait for each other.
fn cycle(run: &Run<'_>) -> Option<String> {
    let waits = &run.story.waits;
    for first in waits {
        let mut round = vec![first];
        while let Some(next) = round.last().and_then(|w| waits.iter().find(|x| Some(x.thread) == w.whom)) {
            if next.thread == first.thread {
                let parts: Vec<String> = round.iter().map(|w| part(run, &round, w)).collect();
                return Some(parts.join(", "));
            }
            if round.iter().any(|w| w.thread == next.thread) {
                break;
            }
            round.push(next);
        }
    }
    None
}

/// What a thread of a cycle holds, which the one before waits for, and what it waits for.
fn part(run: &Run<'_>, round: &[&Wait], w: &Wait) -> String {
    let a = run.name(w.thread);
    let at = run.place(&w.file, w.line);
    let locks = |x: &&&Wait| x.whom == Some(w.thread) && x.what == Awaited::Lock;
    let held = round.iter().find(locks).map(|x| x.object.as_str());
    match (held, w.what == Awaited::Lock) {
        (Some(held), true) if held == w.object => format!("{a} holds {held} and waits for it again ({at})"),
        (Some(held), true) => format!("{a} holds {held} and waits for {} ({at})", w.object),
        (Some(held), false) => format!("{a} holds {held} and waits for {} ({at})", w.words(run.story)),
        (None, _) => format!("{a} waits for {} ({at})", w.words(run.story)),
    }
}

/// A signal that came before the wait, or never.
fn missed(run: &Run<'_>) -> Option<String> {
    let waits = run.story.waits.iter().filter(|w| w.what == Awaited::Signal);
    let of = |w: &Wait| {
        let waits = |f: &Found<'_>| {
            f.effect.does == Does::Wait && f.step.thread == w.thread && f.effect.object == w.object
        };
        let wait = run.effects().rev().find(waits)?;
        let lost = |f: &Found<'_>| {
            f.effect.does == Does::SignalNobody && f.effect.cell == wait.effect.cell && f.at.0 < wait.at.0
        };
        let lost = run.effects().rev().find(lost)?;
        Some(format!(
            "{} signalled {} ({}) before {} waited for it ({})",
            run.name(lost.step.thread),
            w.object,
            run.at(lost.step),
            run.name(w.thread),
            run.at(wait.step)
        ))
    };
    let never = |w: &Wait| {
        let (a, at) = (run.name(w.thread), run.place(&w.file, w.line));
        format!("{a} waits for {} ({at}), and nobody signals it any more", w.object)
    };
    waits.clone().find_map(of).or_else(|| waits.clone().next().map(never))
}

/// All threads that wait.
fn all(run: &Run<'_>) -> Option<String> {
    let part = |w: &Wait| {
        let end = w.what == Awaited::End;
        let ended = w.whom.filter(|h| !end && run.story.threads.get(*h).is_some_and(|t| t.ended.is_some()));
        let ended = if ended.is_some() { " though it has ended" } else { "" };
        let at = run.place(&w.file, w.line);
        format!("{} waits for {}{ended} ({at})", run.name(w.thread), w.words(run.story))
    };
    let parts: Vec<String> = run.story.waits.iter().map(part).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
