//! The normal form of states: states that no run can tell apart have one.
//!
//! Left out are registers that are not read before they are written, and cells that no load reads. Threads of one
//! template are interchangeable (Basler et al., BOOM, section 5.1): they are sorted, equal ones are
//! stored once with their number, and ended ones are dropped once nobody holds their handle. The order is found
//! with handles masked; where it leaves a choice, the form may differ for states that could share one, which costs
//! states but no run.

mod unpack;

use super::handles::{Handles, accessed};
use super::live::{live_registers, written};
use super::machine::{Machine, State};
use super::store::{is_small, put, small};
use relyant_cfa::points_to::PointsTo;
use relyant_cfa::{Loc, Op, Reg, Template};

/// Rounds in which threads are told apart by whom they refer to.
const ROUNDS: usize = 4;

/// Which states are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NormalOptions {
    /// Threads of one template may change places.
    pub symmetry: bool,
    /// Keep registers and cells that are not read any more.
    pub keep_dead: bool,
}

/// A value that is kept: where, and whether it may be a handle that changes with the order of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    at: u32,
    handle: bool,
}

/// What is kept of the threads of a template; slots are indices into a thread's data.
struct Shape {
    size: usize,
    /// Slots that do not belong to a procedure's activation and are no registers.
    always: Vec<Slot>,
    /// Slots that are not kept, and their value where it is not 0.
    fixed: Vec<(u32, i128)>,
    /// By location: slots of the running activation.
    running: Vec<Vec<Slot>>,
    /// By edge that is a call: slots of the activation that waits for its return.
    waiting: Vec<Vec<Slot>>,
    /// By edge that is a call: what the machine keeps on the stack.
    saved: Vec<Vec<u32>>,
}

/// Threads alike that a state may have when it is read.
const MOST_THREADS: i128 = 1 << 20;

/// The threads of a state as they are in its normal form: after moves of one of them the others need not be written anew.
#[derive(Clone, Debug, Default)]
pub struct Base {
    bytes: Vec<u8>,
    /// Threads whose handles are in slots, slot by slot.
    refs: Vec<u32>,
    /// By thread; places are in `bytes` and `refs`.
    spans: Vec<Span>,
}

/// Threads that moved since a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved(u64);

impl Moved {
    /// None of them.
    pub const NONE: Moved = Moved(0);
    /// All of them, or nobody knows which.
    pub const ALL: Moved = Moved(u64::MAX);

    /// This one, too.
    #[inline]
    pub fn add(&mut self, thread: usize) {
        self.0 |= if thread < 64 { 1 << thread } else { u64::MAX };
    }

    #[inline]
    fn has(self, thread: usize) -> bool {
        thread >= 64 || self.0 >> thread & 1 == 1
    }
}

/// Turns states into their normal form and back.
pub struct Normal {
    shapes: Vec<Shape>,
    cells: usize,
    kept_cells: Vec<Slot>,
    fixed_cells: Vec<(u32, i128)>,
    calls: bool,
    /// Threads may change places.
    sorted: bool,
    /// Some slot may hold a handle that changes with the order of threads.
    handles: bool,
    /// What threads return matters; may it be a handle?
    result: Option<bool>,
    /// Live registers by template and location.
    live: Vec<Vec<Vec<u32>>>,
    /// Registers that may hold handles that change.
    handle_registers: Vec<Vec<bool>>,
}

/// Buffers, and the order of threads in the last normal form.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// `order[k]`: the thread of the given state that is thread `k` of the normal form.
    pub order: Vec<u32>,
    cells: Vec<u8>,
    bytes: Vec<u8>,
    /// Of each thread of the given state.
    spans: Vec<Span>,
    /// Threads whose handles are in slots, slot by slot.
    refs: Vec<u32>,
    /// New handles, by thread of the given state; 0: dropped.
    names: Vec<u32>,
    /// When it is referred to first, and the first place of those it is not told from, by thread of the given state.
    first: Vec<(u32, u32)>,
    /// By place in the new order: the first place of those that are not told apart.
    places: Vec<u32>,
    data: Vec<i128>,
    values: Vec<(i128, bool)>,
    frames: Vec<(u32, usize)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    head: u32,
    /// The first bytes, as a number that is ordered as they are.
    prefix: u64,
    bytes: (usize, usize),
    refs: (usize, usize),
    keep: bool,
}

impl Normal {
    /// For the states of a machine.
    pub fn new(machine: &Machine<'_>, options: NormalOptions) -> Self {
        let program = machine.program();
        let points = PointsTo::new(program);
        let handles = Handles::new(program, &points);
        let (mut loaded, stored) = accessed(program, &points);
        if options.keep_dead {
            loaded.iter_mut().for_each(|cells| cells.fill(true));
        }
        let sorted = options.symmetry && handles.exact;
        let live: Vec<Vec<Vec<u32>>> = program.templates.iter().map(live_registers).collect();
        // A cell that is never written keeps its start value, if that is one for all runs.
        let cell = |(o, k): (usize, usize), at: usize| {
            let init = program.objects[o].init[k];
            let constant = !stored[o][k] && init.is_some() && !options.keep_dead;
            if loaded[o][k] && !constant {
                return Ok(Slot { at: at as u32, handle: sorted && handles.cells[o][k] });
            }
            Err((at as u32, if constant { init.unwrap_or(0) } else { 0 }))
        };
        let (mut kept_cells, mut fixed_cells) = (Vec::new(), Vec::new());
        for (at, (o, k)) in machine.layout(None).enumerate() {
            match cell((o.0 as usize, k as usize), at) {
                Ok(slot) => kept_cells.push(slot),
                Err(fixed) => fixed_cells.push(fixed),
            }
        }
        let mut shapes = Vec::new();
        for (t, template) in (0u32..).zip(&program.templates) {
            let registers = template.registers.len();
            let (mut always, mut fixed) = (Vec::new(), Vec::new());
            let mut activation = vec![Vec::new(); template.procedures.len()];
            for (i, (o, k)) in machine.layout(Some(t)).enumerate() {
                let whose = template.procedures.iter().position(|p| p.objects.contains(&o));
                match (cell((o.0 as usize, k as usize), registers + i), whose) {
                    (Ok(slot), None) => always.push(slot),
                    (Ok(slot), Some(p)) => activation[p].push(slot),
                    (Err(f), None) => fixed.push(f),
                    // The machine gives these 0 at each call.
                    (Err(_), Some(_)) => {}
                }
            }
            let register =
                |r: u32| Slot { at: r, handle: sorted && handles.registers[t as usize][r as usize] };
            let procedure = |l: Loc| template.procedures.iter().position(|p| p.locations.contains(&l.0));
            // Slots of the activation at a location.
            let at = |l: Loc, without: Option<Reg>| -> Vec<Slot> {
                let p = procedure(l);
                let all: Vec<u32> = if options.keep_dead {
                    own_registers(template, p)
                } else {
                    live[t as usize][l.0 as usize].clone()
                };
                let kept = all.into_iter().filter(|r| Some(Reg(*r)) != without).map(register);
                kept.chain(p.iter().flat_map(|p| activation[*p].iter().copied())).collect()
            };
            let edges = &template.graph.edges;
            shapes.push(Shape {
                size: machine.data_size(t),
                running: (0..template.graph.locations.len()).map(|l| at(Loc(l as u32), None)).collect(),
                waiting: (0u32..)
                    .zip(edges)
                    .map(|(i, e)| match machine.saved(t, i) {
                        Some(_) if options.keep_dead => at(e.to, None),
                        Some(_) => at(e.to, written(&e.op)),
                        None => Vec::new(),
                    })
                    .collect(),
                saved: (0..edges.len() as u32).map(|i| machine.saved(t, i).unwrap_or(&[]).to_vec()).collect(),
                fixed: fixed.into_iter().filter(|f| f.1 != 0).collect(),
                always,
            });
        }
        let used = |s: &Shape| {
            let lists = s.running.iter().chain(&s.waiting).chain([&s.always]);
            lists.flatten().any(|x| x.handle)
        };
        let result = joined_for_results(machine).then_some(sorted && handles.results);
        let handles_kept = kept_cells.iter().any(|c| c.handle) || shapes.iter().any(used);
        Normal {
            handles: handles_kept || result == Some(true),
            shapes,
            cells: machine.layout(None).count(),
            kept_cells,
            fixed_cells: fixed_cells.into_iter().filter(|f| f.1 != 0).collect(),
            calls: program.templates.iter().any(|t| !t.procedures.is_empty()),
            sorted,
            result,
            live,
            handle_registers: handles
                .registers
                .into_iter()
                .map(|list| list.into_iter().map(|h| h && sorted).collect())
                .collect(),
        }
    }

    /// Is the register read before it is written again, from that location on?
    pub fn is_live(&self, template: u32, loc: Loc, register: u32) -> bool {
        self.live[template as usize][loc.0 as usize].binary_search(&register).is_ok()
    }

    /// Do threads change places? Not where the program can tell them apart by their handles.
    pub fn is_sorted(&self) -> bool {
        self.sorted
    }

    /// An input for a register, given in a normal form, as it is in a state of which thread `names[k]` is the
    /// `k`th of the normal form: a handle names the same thread.
    pub fn renamed_input(&self, template: u32, register: Reg, value: i128, names: &[u32]) -> i128 {
        if !self.handle_registers[template as usize][register.0 as usize] {
            return value;
        }
        let named = usize::try_from(value).ok().and_then(|v| v.checked_sub(1)).and_then(|i| names.get(i));
        named.map_or(value, |i| i128::from(*i) + 1)
    }

    /// Writes a state that has not halted. Equal bytes mean: the same behaviour from here on, up to the order of
    /// threads, which is left in `scratch`.
    pub fn pack(&self, state: &State, scratch: &mut Scratch, out: &mut Vec<u8>) {
        self.pack_moved(state, (&Base::default(), Moved::ALL), scratch, out);
    }

    /// The threads of a state, for [`Normal::pack_moved`].
    pub fn base(&self, state: &State, scratch: &mut Scratch, base: &mut Base) {
        let s = scratch;
        s.bytes.clear();
        s.refs.clear();
        s.spans.clear();
        (0..state.threads.len()).for_each(|i| self.pack_thread(state, i, s));
        std::mem::swap(&mut s.bytes, &mut base.bytes);
        std::mem::swap(&mut s.refs, &mut base.refs);
        std::mem::swap(&mut s.spans, &mut base.spans);
    }

    /// As [`Normal::pack`], of what moves of these threads made of the state that `base` is of.
    pub fn pack_moved(
        &self,
        state: &State,
        (base, moved): (&Base, Moved),
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let s = scratch;
        s.bytes.clear();
        s.cells.clear();
        s.refs.clear();
        s.spans.clear();
        let threads = state.threads.len();
        put_slots(&mut s.cells, &mut s.refs, threads, usize::MAX, &self.kept_cells, &state.cells);
        let cell_refs = s.refs.len();
        // Whether a number is a handle depends on how many threads there are.
        let moved = if base.spans.len() == threads { moved } else { Moved::ALL };
        if moved != Moved::ALL {
            s.bytes.extend_from_slice(&base.bytes);
        }
        for i in 0..threads {
            if moved.has(i) {
                self.pack_thread(state, i, s);
                continue;
            }
            let (span, refs) = (base.spans[i], s.refs.len());
            if span.refs.0 < span.refs.1 {
                s.refs.extend_from_slice(&base.refs[span.refs.0..span.refs.1]);
            }
            s.spans.push(Span { refs: (refs, s.refs.len()), ..span });
        }
        self.sort(state, cell_refs, s);
        out.clear();
        if self.handles {
            s.names.clear();
            s.names.resize(threads, 0);
            for (name, i) in (1u32..).zip(&s.order) {
                s.names[*i as usize] = name;
            }
            let of_threads: usize =
                s.order.iter().map(|i| s.spans[*i as usize].refs).map(|(a, b)| b - a).sum();
            put(out, (cell_refs + of_threads) as i128);
            let ranges = s.order.iter().map(|i| s.spans[*i as usize].refs);
            for (a, b) in std::iter::once((0, cell_refs)).chain(ranges) {
                s.refs[a..b].iter().for_each(|i| put(out, i128::from(s.names[*i as usize])));
            }
        }
        out.extend_from_slice(&s.cells);
        let mut k = 0;
        while let Some(i) = s.order.get(k) {
            let span = s.spans[*i as usize];
            let bytes = &s.bytes[span.bytes.0..span.bytes.1];
            let equal = s.order[k..].iter().take_while(|j| {
                let other = s.spans[**j as usize];
                (other.head, other.prefix) == (span.head, span.prefix)
                    && s.bytes[other.bytes.0..other.bytes.1] == *bytes
            });
            let count = equal.count();
            put(out, i128::from(span.head) * 2 + i128::from(count > 1));
            if count > 1 {
                put(out, count as i128);
            }
            out.extend_from_slice(bytes);
            k += count;
        }
    }

    fn pack_thread(&self, state: &State, i: usize, s: &mut Scratch) {
        let t = &state.threads[i];
        let n = state.threads.len();
        let shape = &self.shapes[t.name.template as usize];
        let (bytes, refs) = (s.bytes.len(), s.refs.len());
        let head = t.name.template * 4 + if t.ended.is_some() { 2 } else { u32::from(t.begun) };
        if let Some(v) = t.ended {
            if let Some(handle) = self.result {
                put_slot(&mut s.bytes, &mut s.refs, n, i, v, handle);
            }
        } else {
            put(&mut s.bytes, i128::from(t.loc.0));
            let data = &state.data[t.at..t.at + shape.size];
            if self.calls {
                let stack: &[i128] = state.stacks.get(i).map_or(&[], |s| s);
                self.unwind(shape, data, stack, s);
                put(&mut s.bytes, s.frames.len() as i128);
                let mut end = s.values.len();
                for (edge, from) in s.frames.iter().rev() {
                    put(&mut s.bytes, i128::from(*edge));
                    for (v, handle) in &s.values[*from..end] {
                        put_slot(&mut s.bytes, &mut s.refs, n, i, *v, *handle);
                    }
                    end = *from;
                }
            }
            for slots in [&shape.running[t.loc.0 as usize], &shape.always] {
                put_slots(&mut s.bytes, &mut s.refs, n, i, slots, data);
            }
        }
        let mut prefix = [0; 8];
        let n = (s.bytes.len() - bytes).min(8);
        prefix[..n].copy_from_slice(&s.bytes[bytes..bytes + n]);
        s.spans.push(Span {
            head,
            prefix: u64::from_be_bytes(prefix),
            bytes: (bytes, s.bytes.len()),
            refs: (refs, s.refs.len()),
            keep: t.ended.is_none() || !self.sorted,
        });
    }

    /// The calls of a thread, the last one first, and the values that the activations before them keep.
    fn unwind(&self, shape: &Shape, data: &[i128], mut stack: &[i128], s: &mut Scratch) {
        s.frames.clear();
        s.values.clear();
        s.data.clear();
        if !stack.is_empty() {
            s.data.extend_from_slice(data);
        }
        while let Some((edge, rest)) = stack.split_last() {
            let edge = *edge as u32;
            let saved = &shape.saved[edge as usize];
            let (below, values) = rest.split_at(rest.len() - saved.len());
            saved.iter().zip(values).for_each(|(at, v)| s.data[*at as usize] = *v);
            s.frames.push((edge, s.values.len()));
            let waiting = &shape.waiting[edge as usize];
            s.values.extend(waiting.iter().map(|x| (s.data[x.at as usize], x.handle)));
            stack = below;
        }
    }

    /// Finds the order of threads.
    fn sort(&self, state: &State, cell_refs: usize, s: &mut Scratch) {
        s.order.clear();
        if !self.sorted {
            s.order.extend(0..state.threads.len() as u32);
            return;
        }
        for i in &s.refs {
            s.spans[*i as usize].keep = true;
        }
        s.order.extend((0..state.threads.len() as u32).filter(|i| s.spans[*i as usize].keep));
        let (spans, bytes) = (&s.spans, &s.bytes);
        let key = |i: &u32| {
            let span = &spans[*i as usize];
            (span.head, span.prefix, &bytes[span.bytes.0..span.bytes.1])
        };
        if !s.order.is_sorted_by(|a, b| key(a) <= key(b)) {
            s.order.sort_by(|a, b| key(a).cmp(&key(b)));
        }
        if s.refs.is_empty() || s.order.windows(2).all(|w| key(&w[0]) != key(&w[1])) {
            return;
        }
        // Threads with equal keys: by who refers to them first, cells before threads whose place is known, and by
        // the places of those that they refer to; again while that tells more of them apart.
        s.first.clear();
        s.first.resize(state.threads.len(), (0, 0));
        s.places.clear();
        for k in 0..s.order.len() {
            let same = k > 0 && key(&s.order[k - 1]) == key(&s.order[k]);
            s.places.push(if same { s.places[k - 1] } else { k as u32 });
        }
        let refs_of = |i: u32| &s.refs[spans[i as usize].refs.0..spans[i as usize].refs.1];
        for _ in 0..ROUNDS {
            for (place, i) in s.places.iter().zip(&s.order) {
                s.first[*i as usize] = (u32::MAX, *place);
            }
            let places = &s.places;
            let starts = |k: &usize| places.get(*k) == Some(&(*k as u32)) || *k == places.len();
            let is_alone = |k: &usize| starts(k) && starts(&(*k + 1));
            let alone = (0..s.order.len()).filter(is_alone).flat_map(|k| refs_of(s.order[k]));
            for (number, i) in (0u32..).zip(s.refs[..cell_refs].iter().chain(alone)) {
                let first = &mut s.first[*i as usize].0;
                *first = (*first).min(number);
            }
            let first = &s.first;
            let compare = |a: &u32, b: &u32| {
                let seen = |i: &u32| refs_of(*i).iter().map(|j| first[*j as usize].1);
                (first[*a as usize].0.cmp(&first[*b as usize].0)).then_with(|| seen(a).cmp(seen(b)))
            };
            let mut k = 0;
            while k < s.order.len() {
                let end = (k + 1..s.order.len()).find(|k| starts(k)).unwrap_or(s.order.len());
                s.order[k..end].sort_by(compare);
                k = end;
            }
            let mut told = false;
            for k in 1..s.order.len() {
                let (before, here) = (s.order[k - 1], s.order[k]);
                let together = first[before as usize].1 == first[here as usize].1;
                let same = together && compare(&before, &here).is_eq();
                told |= together && !same;
                s.places[k] = if same { s.places[k - 1] } else { k as u32 };
            }
            if !told {
                break;
            }
        }
    }
}

/// Registers of the activation of a procedure, or of the template's own code.
fn own_registers(template: &Template, procedure: Option<usize>) -> Vec<u32> {
    match procedure {
        Some(p) => template.procedures[p].registers.clone().collect(),
        None => {
            let inside = |r: &u32| template.procedures.iter().any(|p| p.registers.contains(r));
            (0..template.registers.len() as u32).filter(|r| !inside(r)).collect()
        }
    }
}

fn joined_for_results(machine: &Machine<'_>) -> bool {
    let edges = machine.program().templates.iter().flat_map(|t| &t.graph.edges);
    edges.into_iter().any(|e| matches!(e.op, Op::Join { result: Some(_), .. }))
}

/// Writes values, see [`put_slot`].
fn put_slots(
    out: &mut Vec<u8>,
    refs: &mut Vec<u32>,
    threads: usize,
    own: usize,
    slots: &[Slot],
    data: &[i128],
) {
    // Almost all are small numbers.
    if slots.iter().all(|s| !s.handle && is_small(data[s.at as usize])) {
        return out.extend(slots.iter().map(|s| small(data[s.at as usize])));
    }
    for s in slots {
        put_slot(out, refs, threads, own, data[s.at as usize], s.handle);
    }
}

/// Writes a value; a handle as what it is to the thread, the thread meant apart.
fn put_slot(out: &mut Vec<u8>, refs: &mut Vec<u32>, threads: usize, own: usize, v: i128, handle: bool) {
    if !handle {
        return put(out, v);
    }
    match usize::try_from(v) {
        Ok(0) => out.push(0),
        Ok(h) if h <= threads && h - 1 == own => out.push(1),
        Ok(h) if h <= threads => {
            out.push(2);
            refs.push(h as u32 - 1);
        }
        _ => {
            out.push(3);
            put(out, v);
        }
    }
}
