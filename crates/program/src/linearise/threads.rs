//! Creation, join and end of threads, by ghost variables.

use super::case::{ValueCase, at_least, at_most, eq};
use super::ranges::Ranges;
use super::value::Linear;
use super::variables::LAST_HANDLE;
use crate::Input;
use relyant_cfa::{Count, Expr, Reg};
use relyant_linear::{Cube, LinExpr, Var};

/// A case of a step: the condition is the case's, its value is not used.
pub type GuardedUpdates = (ValueCase, Vec<(Var, LinExpr)>);

impl Linear<'_> {
    /// Handles from here on belong to templates of more than one thread.
    fn others(&self) -> i128 {
        self.env.program.templates.len() as i128 + 1
    }
    /// Creates a thread of a template.
    pub fn create(&self, u: usize, handle: Reg, arg: Option<&Expr>) -> Vec<GuardedUpdates> {
        let (ghosts, count) = (self.variables.ghosts[u], self.env.program.templates[u].count);
        let none = Expr::Const(0);
        let mut out = Vec::new();
        for mut c in self.value(arg.unwrap_or(&none)) {
            let mut updates = Vec::new();
            let one = LinExpr::int(1);
            updates.push(match count {
                Count::AtMost(1) | Count::Unbounded => (ghosts.started, one.clone()),
                Count::AtMost(_) => (ghosts.started, LinExpr::var(ghosts.started).add(&one)),
            });
            if count == Count::AtMost(1) {
                updates.push((ghosts.argument, c.value.clone()));
                updates.push((self.register(handle), LinExpr::int(u as i128 + 1)));
            } else {
                let h = LinExpr::var(c.input(self.base(), Input::Auxiliary));
                c = c.bound(at_least(&h, self.others())).bound(at_most(&h, LAST_HANDLE));
                updates.push((self.register(handle), h));
            }
            if let (Some(alive), Some(most)) = (self.variables.alive, self.env.program.max_threads) {
                let alive = (alive, LinExpr::var(alive));
                let no_thread = vec![(self.register(handle), LinExpr::zero())];
                out.push((c.clone().when(at_least(&alive.1, most as i128)), no_thread));
                c = c.when(at_most(&alive.1, most as i128 - 1));
                updates.push((alive.0, alive.1.add(&one)));
            }
            out.push((c, updates));
        }
        out
    }
    /// Waits for the end of the thread with a handle.
    pub fn join(&self, handle: &Expr, result: Option<Reg>) -> Vec<GuardedUpdates> {
        let range = self.env.range(handle);
        let mut out = Vec::new();
        for c in self.value(handle) {
            for (u, template) in self.env.program.templates.iter().enumerate() {
                if template.count != Count::AtMost(1) || !range.contains(u as i128 + 1) {
                    continue;
                }
                let ghosts = self.variables.ghosts[u];
                let d = c.clone().when(eq(&c.value, &LinExpr::int(u as i128 + 1)));
                let d = d.when(at_least(&LinExpr::var(ghosts.ended), 1));
                let updates = result.map(|r| (self.register(r), LinExpr::var(ghosts.result)));
                out.push((d, updates.into_iter().collect()));
            }
            if range.hi().is_none_or(|h| h >= self.others()) {
                // Which of the threads ended is not kept: any may have.
                let mut d = c.clone().when(at_least(&c.value, self.others()));
                d.exact = false;
                let input =
                    result.map(|r| (self.register(r), LinExpr::var(d.input(self.base(), Input::Auxiliary))));
                out.push((d, input.into_iter().collect()));
            }
        }
        out.retain(|(c, _)| !c.is_false());
        out
    }
    /// Ends the running thread: any step into an end location does, but for the end of the program.
    pub fn exit(&self, value: &Expr) -> Vec<GuardedUpdates> {
        let t = self.env.template;
        let alive = self.variables.alive.map(|a| (a, LinExpr::var(a).sub(&LinExpr::int(1))));
        let ghosts = self.variables.ghosts[t];
        if self.env.program.templates[t].count != Count::AtMost(1) {
            return vec![(ValueCase::of(LinExpr::zero()), alive.into_iter().collect())];
        }
        let step = |c: ValueCase| {
            let updates = [(ghosts.ended, LinExpr::int(1)), (ghosts.result, c.value.clone())];
            (c, updates.into_iter().chain(alive.clone()).collect())
        };
        self.value(value).into_iter().map(step).collect()
    }
    /// The first step of a thread that had to be created.
    pub fn begin(&self, ranges: &Ranges) -> GuardedUpdates {
        let t = self.env.template;
        let template = &self.env.program.templates[t];
        let ghosts = self.variables.ghosts[t];
        let started = LinExpr::var(ghosts.started);
        let mut c = ValueCase::of(LinExpr::zero()).when(at_least(&started, 1));
        let mut updates = Vec::new();
        if !matches!(template.count, Count::AtMost(1) | Count::Unbounded) {
            updates.push((ghosts.started, started.sub(&LinExpr::int(1))));
        }
        c.exact = template.count != Count::Unbounded;
        if let Some(param) = template.param {
            let given = &ranges.arguments[t];
            let value = match (given.single(), template.count) {
                (Some(k), _) => LinExpr::int(k),
                (None, Count::AtMost(1)) => LinExpr::var(ghosts.argument),
                _ => {
                    // Which thread got which argument is not kept: any of them.
                    c.exact = false;
                    let v = LinExpr::var(c.input(self.base(), Input::Auxiliary));
                    c = self.within(c.with(v.clone()), given);
                    v
                }
            };
            updates.push((self.register(param), value));
        }
        (c, updates)
    }
    /// Condition on the ghosts at the start.
    pub fn ghosts_at_start(&self) -> Cube {
        let zero = |v: Var| eq(&LinExpr::var(v), &LinExpr::zero());
        let mut cube = Cube::of(self.variables.ghosts.iter().flat_map(|g| [zero(g.started), zero(g.ended)]));
        if let Some(alive) = self.variables.alive {
            let count = |t: &relyant_cfa::Template| match t.count {
                Count::AtMost(n) => n as i128,
                Count::Unbounded => 1,
            };
            let n = self.env.program.templates.iter().filter(|t| t.initial).map(count).sum();
            cube.push(eq(&LinExpr::var(alive), &LinExpr::int(n)));
        }
        cube
    }
}
