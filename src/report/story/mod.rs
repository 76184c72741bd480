//! A run as people read it: who did what, in which line, with which values, and in a sentence what went wrong.
//!
//! It is made of the facts of the replay ([`relyant_interp::fact`]) and shared by the text, the JSON and whatever else
//! shows runs. `build` makes the steps, `reads` says which write each read saw and which reads are out of date,
//! `fold` leaves rounds of loops out, `headline` says what happened (`values`: how a wrong value came about, `stuck`: why nobody
//! can go on, `waits`: for what they wait), `words` puts steps into words, `columns` writes them as text.

mod build;
mod columns;
mod fold;
mod headline;
mod reads;
mod stuck;
mod values;
mod waits;
mod words;

pub use columns::{Page, steps_as_text};
pub use headline::{Access, place_in_words, raced};
pub use words::{Told, told};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run for people.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Story {
    /// What went wrong, in a sentence.
    pub headline: String,
    /// The threads, in order of creation; steps name them by their place here.
    pub threads: Vec<Actor>,
    /// What was done, in order.
    pub steps: Vec<Step>,
    /// Rounds of loops that need not be shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<Fold>,
    /// In a deadlock: who waits for what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
    /// In a leak: the block that is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostBlock>,
}

/// A block of memory that is lost.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct LostBlock {
    /// Its name.
    pub block: String,
    /// The step that made it.
    pub made: usize,
    /// The last pointer to it; empty where one is left when the program ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The step with which that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<usize>,
}

/// A thread of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Actor {
    /// What it is called: the variable that holds its handle where no other thread's has that name, else its start
    /// routine, numbered where there are several of it.
    pub name: String,
    /// Its start routine.
    pub routine: String,
    /// The step that created it; absent for threads that run from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<usize>,
    /// The step with which it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<usize>,
}

impl Actor {
    /// The name, and the start routine where that does not begin with it.
    pub fn heading(&self) -> String {
        let numbered = || self.name.strip_prefix(&self.routine).is_some_and(|rest| rest.starts_with('/'));
        match self.routine == self.name || numbered() {
            true => self.name.clone(),
            false => format!("{}: {}", self.name, self.routine),
        }
    }
}

/// What a thread did in one line of the source without anybody else in between.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The thread.
    pub thread: usize,
    /// Source file; empty when unknown.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// The statement that begins in the line, or what of one does.
    pub text: String,
    /// It goes on with what the thread began before others moved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Calls that had not returned.
    #[serde(default)]
    pub depth: usize,
    /// What it did, in order.
    pub effects: Vec<Effect>,
    /// Locks that the thread holds afterwards, in the order in which it took them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<String>,
}

/// What kind of thing is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Reads memory: `object` is `value`.
    #[default]
    Read,
    /// Writes memory: `object` was `before` and is `value`.
    Write,
    /// Puts a store to `object` into the thread's buffer: others do not see `value` yet.
    Buffer,
    /// Gives a local variable a value.
    Set,
    /// Takes an input: the function `object` gives `value`.
    Input,
    /// Takes the lock `object` alone.
    Lock,
    /// Gives it back.
    Unlock,
    /// Takes the lock `object` together with other readers.
    ShareLock,
    /// Gives that back.
    ShareUnlock,
    /// Begins to wait for the condition variable `object`.
    Wait,
    /// Was woken, and goes on.
    Wake,
    /// Goes on though nobody woke it.
    WakeSpuriously,
    /// Goes on as the time of its wait is over.
    TimeOut,
    /// Wakes one or all that wait for the condition variable `object`.
    Signal,
    /// Signals `object` while nobody waits: the signal is lost.
    SignalNobody,
    /// Adds one to the semaphore `object`, which is `value` then.
    Post,
    /// Takes one from the semaphore `object`.
    Take,
    /// Comes to the barrier `object`.
    Arrive,
    /// Makes the block `object`; told of leaks only.
    Make,
    /// Gives the block `object` back.
    Free,
    /// Asks whether the block `object` was given back: `value` is `freed` or `live`.
    Look,
    /// Runs the handler of the signal number `value`.
    Handle,
    /// Creates a thread.
    Create,
    /// Sees that a thread has ended.
    Join,
    /// Is about to read `object`, and another thread may write it.
    AboutToRead,
    /// Is about to write `object`.
    AboutToWrite,
    /// The thread ends.
    End,
    /// The program ends.
    Halt,
}

/// A part of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// What is done.
    pub does: Does,
    /// To what, as the source would write it: `n`, `a[2]`, `node1->next`, a lock's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// The value that is read or that is there afterwards, as the source would write it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The value before a write.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The thread that is created or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<usize>,
    /// The cell is no other thread's business.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// A read: the step whose write it saw; absent for what was there from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// A read that is out of date when its thread relies on it: the step of another thread that overwrote the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<usize>,
    /// A write: it waited in the thread's buffer until now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waited: bool,
    /// A number for the cell: effects with the same one are about the same cell.
    #[serde(default)]
    pub cell: usize,
}

/// Rounds of a loop that are left out where a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Fold {
    /// The first step left out.
    pub first: usize,
    /// How many steps.
    pub steps: usize,
    /// How many rounds these are.
    pub rounds: usize,
}

/// What a thread waits for in a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// The lock `object`, which `whom` holds.
    Lock,
    /// The lock `object`, which readers hold.
    Readers,
    /// A signal of the condition variable `object`.
    Signal,
    /// The semaphore `object`, which is 0.
    Semaphore,
    /// That others come to the barrier `object`.
    Barrier,
    /// That the thread `whom` ends.
    End,
    /// That `object` has another value than `value`.
    Value,
    /// What cannot be told.
    #[default]
    Unknown,
}

/// A thread that waits in a deadlock.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// The thread.
    pub thread: usize,
    /// Source file; empty when unknown.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// What it waits for.
    #[serde(rename = "for")]
    pub what: Awaited,
    /// The lock, the condition variable or whatever else it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// Its value, where the thread waits for another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The thread that it waits for: that holds the lock, or has to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whom: Option<usize>,
}

impl Story {
    /// The name of a thread.
    pub fn name(&self, thread: usize) -> &str {
        self.threads.get(thread).map_or("?", |t| &t.name)
    }

    fn effect(&self, (step, k): (usize, usize)) -> &Effect {
        &self.steps[step].effects[k]
    }
}
