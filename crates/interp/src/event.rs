//! What a step is in terms of the source, for witnesses.

use super::act::Act;
use super::machine::{Machine, State};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::schedule::ThreadRef;
use relyant_cfa::{Edge, InputSource, Op};

/// What a step does that others may want to know of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// Nothing that others would have to know.
    Step,
    /// It takes an input.
    Input {
        /// What gave it.
        source: InputSource,
        /// The variable that takes it, if it is one.
        variable: String,
        /// The value that it took.
        value: i128,
    },
    /// It starts a thread.
    Create(ThreadRef),
}

/// A step of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The thread that did the step.
    pub thread: ThreadRef,
    /// Where; line 0 when unknown.
    pub span: Span,
    /// What it did beyond going on.
    pub what: What,
    /// The same as a compiled program does it; in replayed runs only.
    pub act: Option<Act>,
}

impl Event {
    /// The step from one state to another.
    pub fn new(machine: &Machine<'_>, before: &State, after: &State, thread: usize, edge: &Edge) -> Event {
        let name = before.threads[thread].name;
        let template = &machine.program().templates[name.template as usize];
        let what = match &edge.op {
            Op::Havoc { dst, source } => What::Input {
                source: source.clone(),
                variable: template.registers.get(dst.0 as usize).map_or(String::new(), |r| r.name.clone()),
                value: machine.registers(after, thread).get(dst.0 as usize).copied().unwrap_or(0),
            },
            Op::Create { .. } if after.threads.len() > before.threads.len() => {
                after.threads.last().map_or(What::Step, |t| What::Create(t.name))
            }
            _ => What::Step,
        };
        Event { thread: name, span: edge.span, what, act: None }
    }
}
