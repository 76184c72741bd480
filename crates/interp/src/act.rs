//! What a step does that a compiled program does as well: for runs of the program itself.

use super::machine::{Machine, State};
use relyant_cfa::diagnostic::Span;
use relyant_cfa::{Edge, Expr, IntKind, Loc, ObjId, ObjectKind, Op, Owner, Reg};

/// What kind of thing is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// A cell is read.
    Read,
    /// A cell is written.
    Write,
    /// A cell of an object that comes to be gets its first value.
    First,
    /// An input is taken.
    Input,
    /// A value is chosen for what is given none: an uninitialised variable, or what is stored next.
    Choice,
    /// What a signal is set to is looked at, to run it: which signal.
    Signal(u8),
    /// A thread is created: which.
    Create(u32),
    /// A thread that has ended is joined: which.
    Join(u32),
    /// A function of the library has one of several results, and nothing decides which.
    Outcome,
    /// The thread ends.
    Exit,
    /// The program ends.
    Halt,
}

/// A step as the compiled program does it. Threads are numbered from 0 as they come to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// The thread that does it.
    pub thread: u32,
    /// What it does.
    pub deed: Deed,
    /// The object that is accessed, or the function that gives an input; else empty.
    pub object: String,
    /// Which cell of the object: `[2]`, `.next`.
    pub cell: String,
    /// What was read or written, or given; `None`: an address or the like.
    pub value: Option<i128>,
    /// The cell is no memory of the program but the state of a lock or the like.
    pub model: bool,
    /// The cell is one that a compiled program does not have, or is of a string literal.
    pub hidden: bool,
    /// It goes on what the thread did before: nobody moves between the two.
    pub held: bool,
    /// Which cell is accessed.
    pub at: Option<At>,
    /// The register that a choice gives a value, or that is written.
    pub register: Option<Reg>,
    /// Where the functions are called that it is in, the outermost first.
    pub calls: Vec<Span>,
}

/// A cell of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct At {
    /// Whose it is; `None`: all threads'.
    pub owner: Option<u32>,
    /// The object.
    pub object: ObjId,
    /// Which of its cells.
    pub cell: u32,
    /// It may hold any value at the start.
    pub open: bool,
}

impl Act {
    /// What an edge does from one state to the next; `None`: nothing that can be told apart in a compiled program.
    pub fn of(
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: usize,
        number: u32,
        edge: &Edge,
    ) -> Option<Act> {
        let from = machine.location(before.threads[thread].name.template, edge.from);
        let mut act = Act {
            thread: u32::try_from(thread).ok()?,
            deed: Deed::Exit,
            object: String::new(),
            cell: String::new(),
            value: None,
            model: false,
            hidden: false,
            held: from.atomic,
            at: None,
            register: None,
            calls: calls(machine, before, thread, edge.from),
        };
        match &edge.op {
            Op::Load(..) | Op::Store(..) => {
                let (o, k) = machine.accessed(before, thread, number)?;
                let object = machine.program().objects.get(o.0 as usize)?;
                let (kind, suffix) = object.cells.get(k as usize)?;
                if matches!(object.kind, ObjectKind::WatchedRead | ObjectKind::WatchedWrite) {
                    return None;
                }
                let program = machine.program();
                let shared = program.owners.get(o.0 as usize) == Some(&Owner::Shared) && !object.thread_local;
                let open = object.init.get(k as usize) == Some(&None);
                act.at = Some(At { owner: (!shared).then_some(act.thread), object: o, cell: k, open });
                act.register = match &edge.op {
                    Op::Store(_, Expr::Reg(r), _) => Some(*r),
                    _ => None,
                };
                act.deed = match (&edge.op, object.kind) {
                    (Op::Load(..), ObjectKind::Signal(n)) => Deed::Signal(n),
                    (Op::Load(..), _) => Deed::Read,
                    _ if from.initial => Deed::First,
                    _ => Deed::Write,
                };
                act.hidden = match object.kind {
                    ObjectKind::Ghost | ObjectKind::Literal => true,
                    ObjectKind::Signal(_) => !matches!(act.deed, Deed::Signal(_)),
                    ObjectKind::Plain | ObjectKind::WatchedWrite | ObjectKind::WatchedRead => false,
                };
                act.object.clone_from(&object.name);
                act.cell.clone_from(suffix);
                act.model = object.synthetic || *kind == IntKind::Ideal;
                let value = machine.value(after, thread, (o, k));
                act.value = value.filter(|v| machine.program().cell_at(*v).is_none());
            }
            Op::Havoc { dst, source } if !source.name.is_empty() => {
                act.deed = Deed::Input;
                act.object.clone_from(&source.name);
                act.value = machine.registers(after, thread).get(dst.0 as usize).copied();
            }
            Op::Havoc { dst, source } if source.is_uninitialised() => {
                act.deed = Deed::Choice;
                act.object.clone_from(
                    &machine.program().templates[before.threads[thread].name.template as usize]
                        .registers
                        .get(dst.0 as usize)?
                        .name,
                );
                act.register = Some(*dst);
                act.value = machine.registers(after, thread).get(dst.0 as usize).copied();
            }
            Op::Skip | Op::Assign(..) => {
                act.deed = Deed::Outcome;
                act.value = Some(outcome(machine, before.threads[thread].name.template, edge)?);
            }
            Op::Create { .. } => {
                let new = after.threads.len().checked_sub(1)?;
                act.deed = Deed::Create(u32::try_from(new).ok().filter(|_| new >= before.threads.len())?);
            }
            Op::Join { .. } => {
                act.deed = Deed::Join(u32::try_from(machine.joined(before, thread, number)?).ok()?);
            }
            Op::ThreadExit(_) => act.deed = Deed::Exit,
            Op::Halt => act.deed = Deed::Halt,
            _ => return None,
        }
        Some(act)
    }
}

/// The constant that an edge chooses, where each way on is to choose one and none has a condition.
pub(crate) fn outcome(machine: &Machine<'_>, template: u32, edge: &Edge) -> Option<i128> {
    let constant = |e: &Edge| match &e.op {
        Op::Assign(_, Expr::Const(k)) => Some(*k),
        _ => None,
    };
    let chosen = |e: &Edge| match &e.op {
        Op::Skip => {
            let mut next = machine.leaving(template, e.to);
            next.next().and_then(constant).filter(|_| next.next().is_none())
        }
        _ => constant(e),
    };
    let all = || machine.leaving(template, edge.from);
    chosen(edge).filter(|_| all().count() > 1 && all().all(|e| chosen(e).is_some()))
}

/// The places of the calls that a location of a thread is in.
pub(crate) fn calls(machine: &Machine<'_>, state: &State, thread: usize, at: Loc) -> Vec<Span> {
    let number = state.threads[thread].name.template;
    let template = &machine.program().templates[number as usize];
    let mut out = Vec::new();
    let inlined = |at: Loc, out: &mut Vec<Span>| {
        let mut call = machine.location(number, at).inlined;
        // Each is after the one around it.
        while let Some(c) = template.inlined.get(call as usize).filter(|c| c.caller.0 < call) {
            out.push(c.caller.1);
            call = c.caller.0;
        }
    };
    inlined(at, &mut out);
    for edge in machine.calls(state, thread).filter_map(|e| machine.edge(number, e)) {
        out.push(edge.span);
        inlined(edge.from, &mut out);
    }
    out.reverse();
    out
}
