//! Why no thread can go on.

use super::headline::{Found, Run};
use super::reads::Place;
use super::{Awaited, Does, Wait};

/// Of threads that wait in a circle of more than so many the first ones are named; of each there is a line besides.
const MOST: usize = 4;
const FIRST: usize = 2;

/// The cause of a deadlock.
pub(super) fn sentence(run: &Run<'_>) -> Option<String> {
    cycle(run).or_else(|| missed(run)).or_else(|| unposted(run)).or_else(|| all(run))
}

/// Threads that wait for each other.
fn cycle(run: &Run<'_>) -> Option<String> {
    let waits = &run.story.waits;
    for first in waits {
        let mut round = vec![first];
        while let Some(next) =
            round.last().and_then(|w| waits.iter().find(|x| Some(x.thread) == whom(run, w)))
        {
            if next.thread == first.thread {
                let shown = if round.len() > MOST { FIRST } else { round.len() };
                let mut parts: Vec<String> = round.iter().take(shown).map(|w| part(run, &round, w)).collect();
                if shown < round.len() {
                    parts.push(format!("and so on round {} threads", round.len()));
                }
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

/// The thread that one waits for: also the one that took a semaphore which is used as a lock is.
fn whom(run: &Run<'_>, w: &Wait) -> Option<usize> {
    match w.what {
        Awaited::Semaphore => holder(run, &w.object),
        _ => w.whom,
    }
}

/// The thread that took a semaphore last, where each thread gives back no more than what it took.
fn holder(run: &Run<'_>, object: &str) -> Option<usize> {
    let of = |does: Does| {
        run.effects()
            .filter(move |f| f.effect.does == does && f.effect.object == object)
            .map(|f| f.step.thread)
    };
    let balance =
        |t: usize| (of(Does::Take).filter(|x| *x == t).count(), of(Does::Post).filter(|x| *x == t).count());
    let as_lock = of(Does::Post).all(|t| balance(t).0 >= balance(t).1);
    of(Does::Take).next_back().filter(|t| as_lock && balance(*t).0 > balance(*t).1)
}

/// What a thread of a cycle holds, which the one before waits for, and what it waits for.
fn part(run: &Run<'_>, round: &[&Wait], w: &Wait) -> String {
    let a = run.name(w.thread);
    let at = run.place(&w.file, w.line);
    let is_lock = |x: &Wait| matches!(x.what, Awaited::Lock | Awaited::Semaphore);
    let locks = |x: &&&Wait| whom(run, x) == Some(w.thread) && is_lock(x);
    let held = round.iter().find(locks).map(|x| x.object.as_str());
    match (held, is_lock(w)) {
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

/// A semaphore that is 0: its post was lost or taken, was not made because of what a thread had read, or never was to come.
fn unposted(run: &Run<'_>) -> Option<String> {
    let waits = || run.story.waits.iter().filter(|w| w.what == Awaited::Semaphore);
    waits().find_map(|w| overwritten(run, w)).or_else(|| waits().find_map(|w| untold(run, w))).or_else(|| {
        waits().next().map(|w| {
            let (a, s, at) = (run.name(w.thread), &w.object, run.place(&w.file, w.line));
            let took = |f: &Found<'_>| f.effect.does == Does::Take && f.effect.object == *s;
            let Some(last) = run.effects().rev().find(took) else {
                return format!("{a} waits for {s} ({at}), and nobody posts it any more");
            };
            let (by, there) = (run.name(last.step.thread), run.at(last.step));
            format!("{by} took {s} ({there}), which is 0 since; {a} waits for it ({at}), and nobody posts it any more")
        })
    })
}

/// A post that came before the semaphore was set to 0.
fn overwritten(run: &Run<'_>, w: &Wait) -> Option<String> {
    let of = |f: &Found<'_>| f.effect.object == w.object;
    let set = run.effects().rev().find(|f| of(f) && f.effect.does == Does::Write && f.effect.value == "0")?;
    let post = run.effects().rev().find(|f| of(f) && f.effect.does == Does::Post && f.at < set.at)?;
    let between = |f: &Found<'_>| of(f) && f.effect.does == Does::Take && f.at > post.at && f.at < set.at;
    if run.effects().any(|f| between(&f)) {
        return None;
    }
    Some(format!(
        "{} posted {} ({}) before {} set it to 0 ({}), and {} waits for it ({})",
        run.name(post.step.thread),
        w.object,
        run.at(post.step),
        run.name(set.step.thread),
        run.at(set.step),
        run.name(w.thread),
        run.place(&w.file, w.line)
    ))
}

/// A thread decided by a value that the one that waits changed later, and did not post.
fn untold(run: &Run<'_>, w: &Wait) -> Option<String> {
    let posts = |thread: usize, since: Place| {
        let post = |f: &Found<'_>| f.effect.does == Does::Post && f.effect.object == w.object;
        run.effects().any(|f| post(&f) && f.step.thread == thread && f.at > since)
    };
    run.reads().rev().find_map(|r| {
        let me = r.step.thread;
        if me == w.thread || !run.known.decides(r.at, None) || posts(me, r.at) {
            return None;
        }
        let changed = |f: &Found<'_>| f.at > r.at && f.step.thread == w.thread && f.effect.before != f.effect.value;
        let wrote = run.writes(r.effect.cell).find(changed)?;
        Some(format!(
            "{} read {} = {} ({}) before {} made it {} ({}); {} waits for {} ({}), and nobody posts it any more",
            run.name(me),
            r.effect.object,
            r.effect.value,
            run.at(r.step),
            run.name(w.thread),
            wrote.effect.value,
            run.at(wrote.step),
            run.name(w.thread),
            w.object,
            run.place(&w.file, w.line)
        ))
    })
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
