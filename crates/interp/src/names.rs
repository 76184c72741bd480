//! How runs call things: cells, blocks of dynamic memory, and values.

use crate::late::UNCHOSEN;
use crate::machine::{Machine, State};
use relyant_cfa::{Block, ObjId, Object, ObjectKind, Precision, Program, Shown};
use std::collections::BTreeMap;

/// What was called by a name so far.
#[derive(Clone, Default)]
pub(crate) struct Names {
    /// Blocks of dynamic memory in the order in which they were seen, and the number of each among those of its stem.
    blocks: Vec<(Block, usize)>,
    /// Cells that have the name of a pointer to their block.
    by_pointer: BTreeMap<(ObjId, u32), String>,
}

impl Names {
    /// The name of a cell: `x`, `a[2]`, `node1->next`.
    pub(crate) fn cell(&mut self, program: &Program, o: ObjId, k: u32) -> String {
        if let Some(name) = self.by_pointer.get(&(o, k)) {
            return name.clone();
        }
        let object = &program.objects[o.0 as usize];
        let suffix = object.cells.get(k as usize).map_or("", |c| &c.1);
        match &object.look.block {
            Some(b) if b.number > 0 => {
                let block = self.block(b);
                match suffix.strip_prefix('.') {
                    Some(member) => format!("{block}->{member}"),
                    None if suffix.is_empty() => format!("*{block}"),
                    None => format!("{block}{suffix}"),
                }
            }
            _ => plain(&object.name) + suffix,
        }
    }

    /// Calls a cell of a block by a variable of a thread, or of all threads, that points to the block: `threads[0]`.
    pub(crate) fn by_pointer(
        &mut self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        (o, k): (ObjId, u32),
    ) -> Option<String> {
        let program = machine.program();
        let object = &program.objects[o.0 as usize];
        object.look.block.as_ref().filter(|b| b.number > 0)?;
        let suffix = object.cells.get(k as usize).map(|c| c.1.clone()).filter(|s| !s.starts_with('.'))?;
        let base = *program.bases.get(o.0 as usize)?;
        let t = state.threads.get(thread)?;
        let template = &program.templates[t.name.template as usize];
        let own = template.procedure_at(t.loc).map(|p| p.registers.clone());
        let named = (0u32..)
            .zip(&template.registers)
            .filter(|(r, x)| !x.name.is_empty() && own.as_ref().is_none_or(|own| own.contains(r)));
        let values = machine.registers(state, thread);
        let mut local = named.filter(|(r, _)| values.get(*r as usize) == Some(&base));
        let pointer = match local.next() {
            Some((_, x)) => plain(&x.name),
            None => {
                let cells = (0u32..).zip(&program.objects).flat_map(|(o, x)| {
                    (0u32..)
                        .zip(&x.look.cells)
                        .filter(|c| *c.1 == Shown::Pointer)
                        .map(move |c| (ObjId(o), c.0))
                });
                let (o, k) = cells.into_iter().find(|c| machine.value(state, thread, *c) == Some(base))?;
                self.cell(program, o, k)
            }
        };
        let name = if suffix.is_empty() { format!("*{pointer}") } else { pointer + &suffix };
        self.by_pointer.insert((o, k), name.clone());
        Some(name)
    }

    /// The name of a cell; of a lock's it is that of the lock.
    pub(crate) fn lock_name(&mut self, program: &Program, (o, k): (ObjId, u32), shown: &Shown) -> String {
        let name = self.cell(program, o, k);
        let parts = match shown {
            Shown::Readers | Shown::Waiting | Shown::Woken | Shown::Arrived => true,
            Shown::Owner => *program.objects[o.0 as usize].look.of(k + 1) == Shown::Readers,
            _ => false,
        };
        // A lock of several cells has a member for each.
        match (parts, name.rfind(['.', '>'])) {
            (true, Some(at)) => name[..at].trim_end_matches('-').to_string(),
            _ => name,
        }
    }

    /// The name of a block: what its type is called, and a number.
    pub(crate) fn block(&mut self, b: &Block) -> String {
        let n = match self.blocks.iter().find(|x| x.0 == *b) {
            Some(x) => x.1,
            None => {
                let n = self.blocks.iter().filter(|x| x.0.stem == b.stem).count() + 1;
                self.blocks.push((b.clone(), n));
                n
            }
        };
        format!("{}{n}", b.stem)
    }

    /// The value of a cell, as the source would write it.
    pub(crate) fn cell_value(&mut self, program: &Program, (o, k): (ObjId, u32), v: i128) -> String {
        self.value(program, v, program.objects[o.0 as usize].look.of(k))
    }

    /// A value, as the source would write it.
    pub(crate) fn value(&mut self, program: &Program, v: i128, shown: &Shown) -> String {
        if v == UNCHOSEN {
            return "?".into();
        }
        match shown {
            Shown::Float(p) => return float(v, *p),
            Shown::Enumerators(names) => {
                if let Some((name, _)) = names.iter().find(|n| n.1 == v) {
                    return name.clone();
                }
                return v.to_string();
            }
            Shown::Pointer if v == 0 => return "NULL".into(),
            Shown::Pointer => {}
            _ => return v.to_string(),
        }
        let Some((o, k)) = program.cell_at(v) else {
            let function = program.function_bases.iter().position(|f| *f == v);
            let name = function.and_then(|f| program.functions.get(f));
            return name.map_or_else(|| v.to_string(), |f| format!("&{f}"));
        };
        let object = &program.objects[o.0 as usize];
        if let (ObjectKind::Literal, Some(text)) = (object.kind, literal(object, k)) {
            return text;
        }
        match &object.look.block {
            Some(b) if b.number > 0 && k == 0 => self.block(b),
            _ if k == 0 && !object.cells[0].1.starts_with('[') => format!("&{}", plain(&object.name)),
            _ => {
                let name = self.cell(program, o, k as u32);
                format!("&{}", &name[..name.len() - within_element(object, k)])
            }
        }
    }
}

/// Characters of a literal that are shown.
const CHARACTERS: usize = 16;

/// A literal from one of its characters on, as the source would write it.
fn literal(object: &Object, k: usize) -> Option<String> {
    let rest = object.init.get(k..)?;
    let end = rest.iter().position(|c| *c == Some(0))?;
    let byte = |c: &Option<i128>| c.and_then(|c| u8::try_from(c).ok()).map(char::from);
    let text: String = rest[..end].iter().take(CHARACTERS).map(byte).collect::<Option<_>>()?;
    let more = if end > CHARACTERS { "…" } else { "" };
    Some(format!("\"{}{more}\"", text.escape_debug()))
}

/// A cell is the first one of an element of an array: the length of what its name has after the element.
fn within_element(object: &Object, k: usize) -> usize {
    let name = |k: usize| object.cells.get(k).map(|c| c.1.as_str());
    let Some(own) = name(k) else { return 0 };
    let element = own.rfind(']').map_or(0, |at| at + 1);
    let before = k.checked_sub(1).and_then(name);
    let first = element > 0 && before.is_none_or(|b| !b.starts_with(&own[..element]));
    if first { own.len() - element } else { 0 }
}

/// A floating-point number in digits that give its bits back.
fn float(bits: i128, p: Precision) -> String {
    match p {
        Precision::Single => {
            u32::try_from(bits).map_or_else(|_| bits.to_string(), |b| format!("{:?}", f32::from_bits(b)))
        }
        Precision::Double => {
            u64::try_from(bits).map_or_else(|_| bits.to_string(), |b| format!("{:?}", f64::from_bits(b)))
        }
    }
}

/// A name without the function that it is in.
pub(crate) fn plain(name: &str) -> String {
    name.rsplit("::").next().unwrap_or(name).to_string()
}
