//! From a violation back to a run of the program: transactions followed from the start, on states that are not normalised.

use super::super::config::{Config, Observing};
use super::super::moves::{NO_NODE, StepNode};
use super::super::store::{ROOT, Store};
use super::super::trace::{Part, finish, split};
use super::super::{Found, Settings};
use relyant_cfa::Program;
use relyant_cfa::schedule::Schedule;
use relyant_check::states::transactions::{Explorer, PathStep, Switches, Transactions};
use relyant_interp::normal::Scratch;
use relyant_interp::observe::{Observer, Points};
use std::sync::Mutex;

/// What was searched, and how.
pub(super) struct Searched<'a, 'p> {
    pub program: &'p Program,
    pub transactions: &'a Transactions<'p>,
    pub switches: &'a Switches,
    pub points: Option<&'a Points>,
    pub symmetry: bool,
    pub store: &'a Store,
}

impl Searched<'_, '_> {
    /// A run to the violation that transactions from a state of the store show; none where it is lost.
    pub(super) fn schedule(&self, last: u32, most: u64) -> Option<Schedule> {
        let mut ids = vec![last];
        while let Some(&id) = ids.last() {
            match self.store.parent(id) {
                ROOT => break,
                parent => ids.push(parent),
            }
        }
        ids.reverse();
        let (mut scratch, mut bytes) = (Scratch::default(), Vec::new());
        let normal = self.transactions.normal();
        let first = self.store.get(*ids.first()?);
        let (start, mut state) = self.transactions.starts().iter().enumerate().find_map(|(i, start)| {
            let state = self.transactions.initial(start).ok()?;
            normal.pack(&state, &mut scratch, &mut bytes);
            (bytes == first).then_some((i, state))
        })?;
        let mut explorer = Explorer::new(self.transactions, most);
        explorer.keeps_paths = true;
        let mut parts = Vec::new();
        for &id in &ids[1..] {
            let target = self.store.get(id);
            let mut found = None;
            // What else it shows was looked at before.
            let _ = explorer.expand(&state, self.switches, &mut |after, thread, path| {
                if found.is_none() {
                    normal.pack(after, &mut scratch, &mut bytes);
                    found = (bytes == target).then(|| (after.clone(), thread, path.to_vec()));
                }
            });
            let (after, thread, path) = found?;
            state = after;
            parts.extend(moves(thread, &path));
        }
        let _ = explorer.expand(&state, self.switches, &mut |_, _, _| ());
        let wrong = explorer.take_wrong();
        for (thread, path) in &wrong {
            parts.extend(moves(*thread, path));
        }
        if wrong.is_empty() {
            return None;
        }
        let observer = self.points.map(|points| (Observer::new(self.program), points));
        let observing = observer.as_ref().map(|(observer, points)| Observing {
            observer,
            points,
            needs: Mutex::default(),
        });
        let settings = Settings { symmetry: self.symmetry, ..Settings::default() };
        let config = Config::new(self.program, &settings, observing).ok()?;
        finish(&config, start, &parts, Found::After(last), false).ok()
    }
}

/// The moves of a transaction, of which others see the last one.
fn moves(thread: usize, path: &[PathStep]) -> Vec<Part> {
    let node = |s: &PathStep| StepNode {
        parent: NO_NODE,
        thread: thread as u32,
        edge: s.edge,
        choice: s.choice,
        begins: s.begins,
    };
    let nodes: Vec<StepNode> = path.iter().map(node).collect();
    let last = path.iter().rposition(|s| s.begins).unwrap_or(0);
    let mut parts = split(&nodes[..last], false);
    parts.extend(split(&nodes[last..], true));
    parts
}
