//! What is told of the effects of a step, in words.

use super::{Does, Effect, Step, Story};

/// An effect in words: `takes`, `m`, `to read`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// What is done; empty of what gets a value.
    pub verb: &'static str,
    /// To what, with its value.
    pub object: String,
    /// What else is to be said.
    pub rest: &'static str,
    /// It is a read that is out of date.
    pub stale: bool,
}

impl Told {
    fn new(verb: &'static str, object: impl Into<String>, rest: &'static str) -> Told {
        Told { verb, object: object.into(), rest, stale: false }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let stale = if self.stale { "(stale)" } else { "" };
        let parts = [self.verb, &self.object, self.rest, stale];
        parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Step {
    /// Is there something to tell, beyond where it is?
    pub fn is_told(&self) -> bool {
        let local = |e: &Effect| e.own && matches!(e.does, Does::Set | Does::Read);
        match self.continued {
            true => !self.effects.iter().all(local),
            false => self
                .effects
                .iter()
                .any(|e| !(e.own && e.does == Does::Read) && (e.does != Does::Look || e.value == "freed")),
        }
    }
}

/// What is told of a step. A read whose value is overwritten in the same step is told with the write.
pub fn told(story: &Story, s: &Step) -> Vec<Told> {
    let mut out: Vec<Told> = Vec::new();
    let cell = |does: Does, e: &Effect| {
        let cell = e.cell;
        s.effects.iter().filter(move |x| x.does == does && x.cell == cell)
    };
    let reads: Vec<&String> = s.effects.iter().filter(|e| e.does == Does::Read).map(|e| &e.value).collect();
    let thread = |e: &Effect| e.thread.map_or("a thread", |t| story.name(t));
    for (e, more) in shortened(s) {
        let (o, v) = (&e.object, &e.value);
        let told = match e.does {
            Does::Read if e.stale.is_some() => {
                Told { stale: true, ..Told::new("reads", format!("{o} = {v}"), "") }
            }
            Does::Read if e.own || cell(Does::Write, e).any(|w| w.before == *v) => continue,
            Does::Read => Told::new("reads", format!("{o} = {v}"), ""),
            Does::Write if e.waited => Told::new("", format!("{o} = {v}"), "comes to memory"),
            Does::Buffer => Told::new("", format!("{o} = {v}"), "waits in its buffer"),
            Does::Write if cell(Does::Read, e).any(|r| r.value == e.before && r.stale.is_none()) => {
                Told::new("", format!("{o} = {} → {v}", e.before), "")
            }
            // A local that takes what was read.
            Does::Set if reads.contains(&v) => continue,
            Does::Write | Does::Set => Told::new("", format!("{o} = {v}"), ""),
            Does::Input => Told::new("", format!("{o}() gives {v}"), ""),
            Does::Lock => Told::new("takes", o, ""),
            Does::ShareLock => Told::new("takes", o, "to read"),
            Does::Unlock | Does::ShareUnlock => Told::new("releases", o, ""),
            Does::Wait => Told::new("waits for", o, ""),
            Does::Wake => Told::new("is woken by", o, ""),
            Does::WakeSpuriously => Told::new("wakes without a signal", "", ""),
            Does::TimeOut => Told::new("times out", "", ""),
            Does::Signal => Told::new("signals", o, ""),
            Does::SignalNobody => Told::new("signals", o, "while nobody waits"),
            Does::Post => Told::new("posts", format!("{o} = {v}"), ""),
            Does::Take => Told::new("takes", format!("{o} = {v}"), ""),
            Does::Arrive => Told::new("comes to", o, ""),
            // Who keeps its address tells of it.
            Does::Make if s.effects.iter().any(|x| x.does != Does::Make && x.value == *o) => continue,
            Does::Make => Told::new("makes", o, ""),
            Does::Free => Told::new("frees", o, ""),
            Does::Look if v == "freed" => Told::new("", o, "is freed"),
            Does::Look => continue,
            Does::Handle => Told::new("runs the handler of signal", v, ""),
            Does::Create => Told::new("starts", thread(e), ""),
            Does::Join => Told::new("joins", thread(e), ""),
            Does::AboutToRead => Told::new("about to read", o, ""),
            Does::AboutToWrite => Told::new("about to write", o, ""),
            Does::End => Told::new("ends", "", ""),
            Does::Halt => Told::new("ends the program", "", ""),
        };
        if out.last() != Some(&told) {
            out.push(told);
        }
        if more > 0 {
            out.push(Told::new("", format!("{more} more cells = {v}"), ""));
        }
    }
    out
}

/// As many cells that get one value in a step are told of one by one.
const FEW: usize = 3;

/// The effects that are told of, and how many are left out after each: where many cells get the same value, as those of a
/// block that is filled with 0, the first one stands for all.
fn shortened(s: &Step) -> Vec<(&Effect, usize)> {
    let same = |a: &Effect, b: &Effect| {
        let written = a.does == Does::Write && b.does == Does::Write && a.waited == b.waited;
        written && a.value == b.value && a.before == b.before
    };
    let mut out = Vec::new();
    for run in s.effects.chunk_by(same) {
        match run {
            [first, rest @ ..] if rest.len() > FEW => out.push((first, rest.len())),
            all => out.extend(all.iter().map(|e| (e, 0))),
        }
    }
    out
}
