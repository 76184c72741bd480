//! The adapter between the story of a run and the page that shows it.

use crate::report::story::{Does, Effect, Fold, Step, Story};

/// A run as the page shows it. Its steps are those of the story that there is something to tell of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Run<'s> {
    /// What happened.
    pub(super) story: &'s Story,
    /// The file that is named at no line.
    file: &'s str,
    /// The steps that are shown, by their place in the story.
    pub(super) shown: Vec<usize>,
    /// Rounds of loops that are folded, by places in `shown`.
    pub(super) folds: Vec<Fold>,
    /// Shared cells, with their values after each step, by the steps at which they change.
    pub(super) cells: Vec<Cell>,
}

/// A shared cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Cell {
    /// Its name.
    pub(super) name: String,
    /// Its value before all steps; empty where it is not known.
    pub(super) first: String,
    /// The steps after which it has a new value, and the value; in order.
    pub(super) values: Vec<(usize, String)>,
    /// It is a lock, and its values are names of threads.
    pub(super) lock: bool,
}

impl<'s> Run<'s> {
    /// The run of a story; the lines of this file stand without its name.
    pub(super) fn of(story: &'s Story, file: &'s str) -> Run<'s> {
        let shown: Vec<usize> = (0..story.steps.len()).filter(|i| story.steps[*i].is_told()).collect();
        let within = |f: &Fold| {
            let place = |step: usize| shown.partition_point(|s| *s < step);
            let (first, end) = (place(f.first), place(f.first + f.steps));
            Fold { first, steps: end - first, rounds: f.rounds }
        };
        let folds = story.folds.iter().map(within).filter(|f| f.steps > 0).collect();
        let cells = cells(story, &shown);
        Run { story, file, shown, folds, cells }
    }

    /// A line, with the name of its file where that is another one; empty when unknown.
    pub(super) fn label(&self, file: &str, line: u32) -> String {
        match line {
            0 => String::new(),
            l if file == self.file => l.to_string(),
            l => format!("{}:{l}", file.rsplit('/').next().unwrap_or(file)),
        }
    }

    /// Is a step in another file?
    pub(super) fn leaves(&self) -> bool {
        self.steps().any(|s| s.line > 0 && s.file != self.file)
    }

    /// The steps that are shown.
    pub(super) fn steps(&self) -> impl Iterator<Item = &'s Step> {
        self.shown.iter().map(|i| &self.story.steps[*i])
    }

    /// The place on the page of a step of the story; `None`: it is not shown.
    pub(super) fn place(&self, step: usize) -> Option<usize> {
        self.shown.binary_search(&step).ok()
    }
}

fn cells(story: &Story, shown: &[usize]) -> Vec<Cell> {
    let mut numbers: Vec<usize> = Vec::new();
    let mut cells: Vec<Cell> = Vec::new();
    for (at, step) in shown.iter().map(|i| &story.steps[*i]).enumerate() {
        for e in step.effects.iter().filter(|e| !e.own) {
            let Some(value) = value(story, step, e) else { continue };
            let i = numbers.iter().position(|n| *n == e.cell).unwrap_or_else(|| {
                let lock = matches!(e.does, Does::Lock | Does::Unlock);
                let first = match e.does {
                    Does::Read => e.value.clone(),
                    Does::Write => e.before.clone(),
                    _ => String::new(),
                };
                numbers.push(e.cell);
                cells.push(Cell { name: e.object.clone(), first, lock, ..Cell::default() });
                cells.len() - 1
            });
            if e.does != Does::Read {
                cells[i].values.push((at, value));
            }
        }
    }
    cells
}

/// The value of a cell that an effect is about; `None`: it is about none that the page shows.
fn value(story: &Story, step: &Step, e: &Effect) -> Option<String> {
    match e.does {
        Does::Read | Does::Write | Does::Post | Does::Take => Some(e.value.clone()),
        Does::Lock => Some(story.name(step.thread).to_string()),
        Does::Unlock => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: usize, line: u32, effects: &[(Does, &str, &str, usize)]) -> Step {
        let effect = |(does, object, value, cell): &(Does, &str, &str, usize)| Effect {
            does: *does,
            object: object.to_string(),
            value: value.to_string(),
            before: "0".into(),
            cell: *cell,
            own: *object == "local",
            ..Effect::default()
        };
        Step { thread, line, effects: effects.iter().map(effect).collect(), ..Step::default() }
    }

    fn story() -> Story {
        let threads =
            ["main", "t1"].map(|n| crate::report::story::Actor { name: n.into(), ..Default::default() });
        let steps = vec![
            step(1, 3, &[(Does::Lock, "m", "", 1)]),
            step(1, 4, &[(Does::Read, "local", "7", 2)]),
            step(1, 4, &[(Does::Read, "n", "0", 3)]),
            step(1, 4, &[(Does::Write, "n", "5", 3)]),
            step(1, 5, &[(Does::Unlock, "m", "", 1)]),
        ];
        let folds = vec![Fold { first: 1, steps: 2, rounds: 2 }, Fold { first: 1, steps: 1, rounds: 1 }];
        Story { threads: threads.into(), steps, folds, ..Story::default() }
    }

    #[test]
    fn steps_with_nothing_to_tell_have_no_place() {
        let story = story();
        let r = Run::of(&story, "");
        assert_eq!(r.shown, [0, 2, 3, 4]);
        assert_eq!([r.place(1), r.place(3)], [None, Some(2)]);
        assert_eq!(r.folds, [Fold { first: 1, steps: 1, rounds: 2 }]);
        assert_eq!(r.steps().map(|s| s.line).collect::<Vec<_>>(), [3, 4, 4, 5]);
    }

    #[test]
    fn cells_have_values_and_locks_have_holders() {
        let story = story();
        let cell = |name: &str, first: &str, lock, values: &[(usize, &str)]| Cell {
            name: name.into(),
            first: first.into(),
            lock,
            values: values.iter().map(|(k, v)| (*k, v.to_string())).collect(),
        };
        let expected = [cell("m", "", true, &[(0, "t1"), (3, "")]), cell("n", "0", false, &[(2, "5")])];
        assert_eq!(Run::of(&story, "").cells, expected);
    }
}
