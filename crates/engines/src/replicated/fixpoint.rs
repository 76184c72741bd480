//! The system of threads that an abstraction makes: all steps from pairs of a shared and a local state that may be
//! reached, when numbers of threads are forgotten.

use super::abstraction::{Abstraction, Held};
use super::precision::Precision;
use crate::aret::bits::Bits;
use crate::aret::numbered::Numbered;
use relyant_check::replicated::{LocalState, Proof, Reached, Step, several};
use relyant_finite::evidence::Certificate;
use relyant_linear::{Cube, Var};
use relyant_program::reduce::liveness;
use relyant_program::{Loc, Program, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Steps that a system may have, and places where others go.
const STEPS: usize = 200_000;
const MOVES: usize = 4_000_000;

/// A local state: view, location, what holds.
type Local = (u32, u32, Held);

/// A shared state's row: local states beside it, in order of discovery, and how many of them have taken their steps.
#[derive(Default)]
struct Row {
    /// Local states seen beside it, in order of discovery; each once.
    locals: Vec<u32>,
    /// The same as `locals`, as a set.
    has: FxHashSet<u32>,
    expanded: usize,
    /// Steps from here, and how many local states of the row each has been applied to.
    steps: Vec<(usize, usize)>,
}

impl Row {
    fn add(&mut self, l: u32) -> bool {
        let new = self.has.insert(l);
        if new {
            self.locals.push(l);
        }
        new
    }
}

/// Makes the system, and the pairs that may be reached; no certificate yet. `None` if it gets too large, or when it is stopped.
pub fn build(
    program: &Program,
    precision: &Precision,
    start: &Cube,
    stopped: &mut dyn FnMut() -> bool,
) -> Option<(Proof, Reached)> {
    let live = precision.views.iter().map(|v| liveness::live(program, v.template as usize)).collect();
    let mut b = Builder {
        program,
        live,
        known: FxHashMap::default(),
        precision,
        abstraction: Abstraction::new(program, precision),
        shared: Numbered::new(),
        locals: Numbered::new(),
        rows: Vec::new(),
        steps: Vec::new(),
        moves: 0,
    };
    b.start(start);
    b.run(stopped)?;
    Some(b.finish())
}

struct Builder<'a> {
    program: &'a Program,
    precision: &'a Precision,
    /// `live[view][location]`: locals that may yet be read.
    live: Vec<Vec<BTreeSet<Var>>>,
    /// What a step does to another thread, by step, view and what holds of that thread.
    known: FxHashMap<(usize, u32, Held), Option<Held>>,
    abstraction: Abstraction<'a>,
    shared: Numbered<Bits>,
    locals: Numbered<Local>,
    /// By number of the shared state; one for each that was met.
    rows: Vec<Row>,
    steps: Vec<Step>,
    /// Places where other threads go, in all steps together.
    moves: usize,
}

impl Builder<'_> {
    fn start(&mut self, start: &Cube) {
        let (shared, threads) = self.abstraction.start(start);
        let first = self.shared(&shared);
        for (view, held) in threads.into_iter().enumerate() {
            let entry = self.template(view).entry.0;
            let l = self.local(view as u32, entry, held);
            self.rows[first as usize].add(l);
        }
    }

    fn template(&self, view: usize) -> &relyant_program::Template {
        &self.program.templates[self.precision.views[view].template as usize]
    }

    fn shared(&mut self, s: &Bits) -> u32 {
        let n = self.shared.number(s);
        while self.rows.len() <= n as usize {
            self.rows.push(Row::default());
        }
        n
    }

    /// A local state, without what it says of locals that are not read any more.
    fn local(&mut self, view: u32, loc: u32, mut held: Held) -> u32 {
        let live = &self.live[view as usize][loc as usize];
        let v = &self.precision.views[view as usize];
        let lives = |x: Var| {
            Role::of(x).second().is_some()
                || self.program.is_global(x)
                || live.contains(&x)
                || self.program.variables[x.0 as usize].identity
        };
        held.own.retain(|k| v.own[k].vars().all(lives));
        held.others.retain(|k| v.others[k].1.vars().all(lives));
        self.locals.number(&(view, loc, held))
    }

    fn run(&mut self, stopped: &mut dyn FnMut() -> bool) -> Option<()> {
        loop {
            let mut again = false;
            let mut s = 0;
            while s < self.rows.len() {
                while self.rows[s].expanded < self.rows[s].locals.len() {
                    let l = self.rows[s].locals[self.rows[s].expanded];
                    self.rows[s].expanded += 1;
                    self.expand(s as u32, l);
                    again = true;
                }
                for k in 0..self.rows[s].steps.len() {
                    let (step, mut done) = self.rows[s].steps[k];
                    while done < self.rows[s].locals.len() {
                        let l = self.rows[s].locals[done];
                        done += 1;
                        self.apply(step, l);
                        again = true;
                    }
                    self.rows[s].steps[k].1 = done;
                }
                if stopped() || self.steps.len() > STEPS || self.moves > MOVES {
                    return None;
                }
                s += 1;
            }
            if !again {
                return Some(());
            }
        }
    }

    /// The steps of a thread.
    fn expand(&mut self, s: u32, l: u32) {
        let (view, loc, held) = self.locals.list[l as usize].clone();
        let program = self.program;
        let template = &program.templates[self.precision.views[view as usize].template as usize];
        if template.locations[loc as usize].error.is_some() {
            return;
        }
        let shared = self.shared.list[s as usize].clone();
        for (e, edge) in template.edges.iter().enumerate().filter(|(_, e)| e.from == Loc(loc)) {
            for after in self.abstraction.active(view as usize, e, &shared, &held) {
                let to = self.shared(&after.shared);
                let after = self.local(view, edge.to.0, after.actor);
                self.rows[to as usize].add(after);
                self.rows[s as usize].steps.push((self.steps.len(), 0));
                self.steps.push(Step { from: s, actor: l, edge: e as u32, to, after, moved: Vec::new() });
            }
        }
    }

    /// What a step does to another thread.
    fn apply(&mut self, step: usize, l: u32) {
        let (from, actor, edge, to) = {
            let s = &self.steps[step];
            (s.from, s.actor, s.edge as usize, s.to)
        };
        let (i, _, held) = self.locals.list[actor as usize].clone();
        let (view, loc, other) = self.locals.list[l as usize].clone();
        if i == view && !several(self.program, self.precision.views[view as usize].template) {
            return;
        }
        let goes = if self.abstraction.notices(i as usize, edge, view as usize) {
            let key = (step, view, other);
            let after = match self.known.get(&key) {
                Some(after) => after.clone(),
                None => {
                    let shared = &self.shared.list[from as usize];
                    let after =
                        self.abstraction.passive((i as usize, edge), shared, &held, view as usize, &key.2);
                    self.known.insert(key, after.clone());
                    after
                }
            };
            after.map(|after| self.local(view, loc, after))
        } else {
            Some(l)
        };
        if goes != Some(l) {
            self.moves += 1;
            self.steps[step].moved.push((l, goes));
        }
        if let Some(l) = goes {
            self.rows[to as usize].add(l);
        }
    }

    fn finish(mut self) -> (Proof, Reached) {
        self.steps.iter_mut().for_each(|s| s.moved.sort_unstable());
        let numbers = |b: &Bits| b.iter().map(|k| k as u32).collect();
        let local = |(view, loc, held): &Local| LocalState {
            view: *view,
            loc: Loc(*loc),
            own: numbers(&held.own),
            others: numbers(&held.others),
        };
        let reached =
            (0u32..).zip(&self.rows).map(|(g, r)| (g, r.locals.iter().copied().collect())).collect();
        let proof = Proof {
            shared: self.precision.shared.clone(),
            views: self.precision.views.clone(),
            shared_states: self.shared.list.iter().map(numbers).collect(),
            local_states: self.locals.list.iter().map(local).collect(),
            steps: self.steps,
            certificate: Certificate::default(),
        };
        (proof, reached)
    }
}
