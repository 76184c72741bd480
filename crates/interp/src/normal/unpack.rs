//! Reading normal forms: back to states, and whether bytes are one at all.

use super::{MOST_THREADS, Normal};
use crate::machine::{State, Thread};
use crate::store::{skip, take};
use relyant_cfa::Loc;
use relyant_cfa::schedule::ThreadRef;

pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    refs: &'b [u8],
}

impl Reader<'_> {
    fn slot(&mut self, own: i128, handle: bool) -> i128 {
        if !handle {
            return take(&mut self.bytes);
        }
        match take_byte(&mut self.bytes) {
            0 => 0,
            1 => own,
            2 => take(&mut self.refs),
            _ => take(&mut self.bytes),
        }
    }
}

impl Normal {
    /// Reads what [`Normal::pack`] wrote: a state that the machine can go on from. Threads have new names; the
    /// location of a thread that has ended is lost, and of no use.
    ///
    /// Of bytes that nobody wrote it makes some state, which need not be one of the program.
    pub fn unpack(&self, bytes: &[u8], state: &mut State) {
        self.read(bytes, state, None);
    }

    /// As [`Normal::unpack`]. `twins[k]`: nothing tells thread `k` from the one before it, so that whatever one of
    /// them does, the other one's doing it leads to the same normal form.
    pub fn unpack_twins(&self, bytes: &[u8], state: &mut State, twins: &mut Vec<bool>) {
        twins.clear();
        self.read(bytes, state, Some(twins));
    }

    /// Can the bytes be read as a normal form, of at most so many threads? What [`Normal::pack`] wrote can. Nothing
    /// is said about the values in them.
    pub fn is_readable(&self, mut bytes: &[u8], most_threads: usize) -> bool {
        let mut refs = bytes;
        if self.handles {
            let n = take(&mut refs);
            bytes = refs;
            skip(&mut bytes, n);
        }
        let mut reader = Reader { bytes, refs };
        self.kept_cells.iter().for_each(|c| {
            let _ = reader.slot(0, c.handle);
        });
        let mut threads = 0usize;
        while !reader.bytes.is_empty() {
            let head = take(&mut reader.bytes);
            let count = if head & 1 == 1 { take(&mut reader.bytes) } else { 1 };
            let Some(shape) = usize::try_from(head / 8).ok().and_then(|t| self.shapes.get(t)) else {
                return false;
            };
            match usize::try_from(count).ok().and_then(|n| threads.checked_add(n)) {
                Some(n) if head >= 0 && n <= most_threads => threads = n,
                _ => return false,
            }
            if head & 4 != 0 {
                self.result.iter().for_each(|handle| {
                    let _ = reader.slot(0, *handle);
                });
                continue;
            }
            let loc = usize::try_from(take(&mut reader.bytes)).ok();
            let Some(running) = loc.and_then(|l| shape.running.get(l)) else { return false };
            let frames = if self.calls { take(&mut reader.bytes) } else { 0 };
            // A frame takes at least the byte of its edge.
            if usize::try_from(frames).map_or(true, |n| n > reader.bytes.len()) {
                return false;
            }
            for _ in 0..frames {
                let edge = usize::try_from(take(&mut reader.bytes)).ok();
                let Some(waiting) = edge.and_then(|e| shape.waiting.get(e)) else { return false };
                waiting.iter().for_each(|slot| {
                    let _ = reader.slot(0, slot.handle);
                });
            }
            running.iter().chain(&shape.always).for_each(|slot| {
                let _ = reader.slot(0, slot.handle);
            });
        }
        true
    }

    pub(super) fn read(&self, mut bytes: &[u8], state: &mut State, mut twins: Option<&mut Vec<bool>>) {
        state.threads.clear();
        state.data.clear();
        state.stacks.iter_mut().for_each(Vec::clear);
        state.halted = false;
        let (mut refs, mut count_refs) = (bytes, 0);
        if self.handles {
            count_refs = take(&mut refs);
            bytes = refs;
            skip(&mut bytes, count_refs);
        }
        let all_refs = refs;
        let mut reader = Reader { bytes, refs };
        state.cells.clear();
        state.cells.resize(self.cells, 0);
        self.fixed_cells.iter().for_each(|(at, v)| state.cells[*at as usize] = *v);
        for c in &self.kept_cells {
            state.cells[c.at as usize] = reader.slot(0, c.handle);
        }
        while !reader.bytes.is_empty() {
            let head = take(&mut reader.bytes);
            let count = if head & 1 == 1 { take(&mut reader.bytes) } else { 1 };
            let start = reader.bytes;
            for i in 0..count.min(MOST_THREADS) {
                reader.bytes = start;
                let refs = reader.refs.len();
                self.unpack_thread((head / 2) as u32, &mut reader, state);
                if let Some(twins) = &mut twins {
                    twins.push(self.sorted && i > 0 && refs == reader.refs.len());
                }
            }
        }
        if let Some(twins) = twins
            && self.handles
        {
            // Threads that somebody refers to are apart.
            let mut refs = all_refs;
            for _ in 0..count_refs {
                let k = take(&mut refs) as usize;
                for i in [k.wrapping_sub(1), k] {
                    if let Some(twin) = twins.get_mut(i) {
                        *twin = false;
                    }
                }
            }
        }
        state.stacks.truncate(state.threads.len());
    }

    pub(super) fn unpack_thread(&self, head: u32, reader: &mut Reader<'_>, state: &mut State) {
        let template = head / 4;
        // What nobody wrote gives some state, or none of this thread, but no panic.
        let Some(shape) = self.shapes.get(template as usize) else { return };
        let at = state.data.len();
        let number = state.threads.len();
        let own = number as i128 + 1;
        state.data.resize(at + shape.size, 0);
        let data = &mut state.data[at..];
        shape.fixed.iter().for_each(|(i, v)| data[*i as usize] = *v);
        if self.calls && state.stacks.len() <= number {
            state.stacks.push(Vec::new());
        }
        let ended = (head & 2 != 0).then(|| self.result.map_or(0, |handle| reader.slot(own, handle)));
        let mut loc = Loc(0);
        if ended.is_none() {
            loc = Loc(take(&mut reader.bytes) as u32);
            if loc.0 as usize >= shape.running.len() {
                loc = Loc(0);
            }
            let frames = if self.calls { take(&mut reader.bytes) } else { 0 };
            // A frame takes a byte at least.
            for _ in 0..frames.min(reader.bytes.len() as i128) {
                let edge = take(&mut reader.bytes);
                if edge < 0 || edge as usize >= shape.waiting.len() {
                    continue;
                }
                for slot in &shape.waiting[edge as usize] {
                    data[slot.at as usize] = reader.slot(own, slot.handle);
                }
                let stack = &mut state.stacks[number];
                for i in &shape.saved[edge as usize] {
                    stack.push(data[*i as usize]);
                    data[*i as usize] = 0;
                }
                stack.push(edge);
            }
            for slot in shape.running[loc.0 as usize].iter().chain(&shape.always) {
                data[slot.at as usize] = reader.slot(own, slot.handle);
            }
        }
        let before = state.threads.iter().rev().find(|t| t.name.template == template);
        let name = ThreadRef { template, instance: before.map_or(0, |t| t.name.instance + 1) };
        state.threads.push(Thread { name, loc, begun: head & 3 != 0, ended, at });
    }
}

pub(super) fn take_byte(bytes: &mut &[u8]) -> u8 {
    match bytes.split_first() {
        Some((b, rest)) => {
            *bytes = rest;
            *b
        }
        None => 0,
    }
}
