//! Sets of states: which values the shared variables have where a thread is.

use super::listing::{Remark, Remarks, listing};
use relyant_cfa::{IntKind, ObjId, Program};
use relyant_check::states::Space;
use relyant_interp::machine::{Machine, State, Stop};
use relyant_interp::normal::{Normal, NormalOptions};
use std::collections::{BTreeMap, BTreeSet};

/// A variable with at most so many values has them listed, with more it has bounds.
const LISTED: usize = 4;

/// What the shared variables are at a line, by template.
type Seen = BTreeMap<u32, BTreeMap<(u32, u32), BTreeMap<(ObjId, u32), BTreeSet<i128>>>>;

/// The set as text.
///
/// # Errors
/// The program cannot be run.
pub(super) fn text(program: &Program, space: &Space) -> Result<String, Stop> {
    let mut out = String::new();
    for (name, remarks) in remarks(program, space)? {
        out.push_str(&format!("thread {name}\n{}\n", listing(&program.lines, &program.files, &remarks)));
    }
    Ok(out)
}

/// The values at each line, by thread.
///
/// # Errors
/// The program cannot be run.
pub(super) fn remarks(program: &Program, space: &Space) -> Result<Vec<(String, Remarks)>, Stop> {
    let machine = Machine::late(program)?;
    let options = NormalOptions { symmetry: space.encoding().symmetry, keep_dead: false };
    let normal = Normal::new(&machine, options);
    let mut seen = Seen::new();
    let mut state = State::default();
    for bytes in space.states() {
        normal.unpack(bytes, &mut state);
        for t in state.threads.iter().filter(|t| t.ended.is_none() && !state.halted) {
            let span = machine.location(t.name.template, t.loc).span;
            let here = seen.entry(t.name.template).or_default().entry((span.file, span.line)).or_default();
            for (o, k, value) in machine.shared_cells(&state) {
                here.entry((o, k)).or_default().insert(value);
            }
        }
    }
    let all = seen.into_iter().map(|(t, at)| {
        let name = program.templates.get(t as usize).map_or("", |t| &t.name);
        let at = at.into_iter().filter(|(place, _)| place.1 > 0);
        let remark = |values| vec![Remark { next: String::new(), text: ranges(program, values) }];
        (name.to_string(), at.map(|(place, values)| (place, remark(values))).collect())
    });
    Ok(all.collect())
}

/// `turn in {0, 1}, 0 <= n <= 17`
fn ranges(program: &Program, values: BTreeMap<(ObjId, u32), BTreeSet<i128>>) -> String {
    let said = values.into_iter().filter_map(|((o, k), all)| {
        let object = program.objects.get(o.0 as usize)?;
        let (kind, suffix) = object.cells.get(k as usize)?;
        // Addresses and handles are numbers of ours.
        if *kind == IntKind::Ideal || object.synthetic {
            return None;
        }
        let name = format!("{}{suffix}", object.name);
        let (min, max) = (all.first()?, all.last()?);
        Some(match all.len() {
            1 => format!("{name} == {min}"),
            n if n <= LISTED => {
                let list: Vec<String> = all.iter().map(i128::to_string).collect();
                format!("{name} in {{{}}}", list.join(", "))
            }
            _ => format!("{min} <= {name} <= {max}"),
        })
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() { "reached".into() } else { said.join(", ") }
}
