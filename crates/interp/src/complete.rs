//! Runs one thread to its end, where a schedule leaves that out.

use super::machine::{Machine, State};
use super::normal::{Normal, NormalOptions, Scratch};
use super::store::ByteSet;
use relyant_cfa::Op;
use relyant_cfa::schedule::Start;

/// Steps of a thread: edge, input.
pub type Path = Vec<(u32, Option<i128>)>;

/// Steps after which a thread has ended while nobody else moved; inputs are 0 or 1.
pub fn to_the_end(
    machine: &Machine<'_>,
    state: &State,
    thread: usize,
    start: &Start,
    most: usize,
) -> Option<Path> {
    let normal = Normal::new(machine, NormalOptions { symmetry: false, keep_dead: false });
    let mut scratch = Scratch::default();
    let mut seen = ByteSet::default();
    let mut bytes = Vec::new();
    let mut todo = vec![(state.clone(), Path::new())];
    for _ in 0..most {
        let (state, path) = todo.pop()?;
        let template = state.threads[thread].name.template;
        for &edge in machine.out(&state, thread).iter().rev() {
            let op = &machine.edge(template, edge)?.op;
            let inputs: &[Option<i128>] =
                if matches!(op, Op::Havoc { .. }) { &[Some(1), None] } else { &[None] };
            for &input in inputs {
                let mut after = state.clone();
                if machine.step(&mut after, thread, edge, input, start).is_err() || after.halted {
                    continue;
                }
                normal.pack(&after, &mut scratch, &mut bytes);
                if seen.insert(&bytes).is_some() {
                    let mut path = path.clone();
                    path.push((edge, input));
                    if after.threads[thread].ended.is_some() {
                        return Some(path);
                    }
                    todo.push((after, path));
                }
            }
        }
    }
    None
}
