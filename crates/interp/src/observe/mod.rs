//! Inputs told apart by what a run does with them.
//!
//! Which values of an input matter often shows at run time only: a key is compared with what an array happens to
//! hold, a number is computed with once it was found to be small. So points are collected: values that an input is
//! compared with, and values that it has where it is computed with. An exploration that tries, for each input, every
//! point and one value of each interval between points is complete when it *needs* no further point: when inputs were
//! compared with points only, and computed with only where they are points.
//!
//! Why: take any run, and put for each input the value tried of its interval. Step by step the two runs do the same. A
//! comparison with a point comes out the same for both values; what is computed is computed of points, which are
//! themselves; all other values depend on no input, so that they are equal. The inputs' values move through registers
//! and cells by copies only, in classes that [`Observer`] works out; what is computed from them is in none.

mod scan;

use super::eval::{Env, eval, in_kind};
use super::machine::{Machine, State};
use relyant_cfa::{Expr, IntKind, ObjId, Precision, Program, Reg};
use scan::Scan;
use std::collections::{BTreeMap, BTreeSet};

/// Points of each class of inputs.
pub type Points = BTreeMap<u32, BTreeSet<i128>>;

/// Intervals of at most this many values are tried whole where an input is computed with.
const FEW: i128 = 64;
/// More points of one class than this are too many.
const MOST: usize = 4096;

/// Points that an exploration lacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Values that inputs of a class were compared with.
    compared: BTreeSet<(u32, i128)>,
    /// Values of inputs that were computed with.
    used: BTreeSet<(u32, i128)>,
    /// Classes of which an input was taken at all. In the others all values are the program's own.
    taken: BTreeSet<u32>,
}

impl Needs {
    /// Is no further point needed?
    pub fn is_empty(&self) -> bool {
        self.compared().next().is_none() && self.used().next().is_none()
    }
    /// Adds what another exploration of the same program lacked.
    pub fn extend(&mut self, other: &Needs) {
        self.compared.extend(&other.compared);
        self.used.extend(&other.used);
        self.taken.extend(&other.taken);
    }
    fn compared(&self) -> impl Iterator<Item = &(u32, i128)> {
        self.compared.iter().filter(|n| self.taken.contains(&n.0))
    }
    fn used(&self) -> impl Iterator<Item = &(u32, i128)> {
        self.used.iter().filter(|n| self.taken.contains(&n.0))
    }
}

/// Looks at what steps do with inputs.
pub struct Observer {
    /// `inputs[template][edge]`: the class of the input that it takes, if it takes one.
    inputs: Vec<Vec<Option<u32>>>,
    /// By object: the class of its cells, if inputs may get there.
    objects: Vec<Option<u32>>,
    /// By class: the smallest and largest value, or `None` where inputs can't be followed.
    ranges: BTreeMap<u32, Option<(i128, i128)>>,
    /// `watches[template][edge]`: all that it does with inputs.
    watches: Vec<Vec<Vec<Watch>>>,
}

/// What an edge does with an input.
enum Watch {
    /// Takes an input of the class.
    Taken { class: u32 },
    /// Loads it, and so takes it where it has no value yet.
    Loaded,
    /// Compares a register of the class with the value of an expression that depends on no input.
    Compared { class: u32, with: Expr, through: Option<Precision> },
    /// Computes with a register of the class.
    Used { class: u32, register: Reg },
}

impl Observer {
    /// Works out where inputs go.
    pub fn new(program: &Program) -> Observer {
        let mut scan = Scan::new(program);
        for (t, template) in program.templates.iter().enumerate() {
            scan.keep(t);
            for (e, edge) in template.graph.edges.iter().enumerate() {
                scan.op(t, e, &edge.op);
            }
        }
        scan.finish()
    }

    /// Values to try for the input that an edge takes; `None` where points are no help.
    pub fn inputs(&self, template: u32, edge: u32, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        self.values(*self.inputs.get(template as usize)?.get(edge as usize)?, kind, points)
    }

    /// Values to try for a cell of an object; `None` where points are no help.
    pub fn cell(&self, object: ObjId, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        self.values(*self.objects.get(object.0 as usize)?, kind, points)
    }

    /// May an input get into the cells of an object?
    pub fn reaches(&self, object: ObjId) -> bool {
        self.objects.get(object.0 as usize).is_none_or(Option::is_some)
    }

    /// Each point, and the values next to it: one of each interval at least.
    fn values(&self, class: Option<u32>, kind: IntKind, points: &Points) -> Option<Vec<i128>> {
        let class = class?;
        (*self.ranges.get(&class)?)?;
        let points = points.get(&class);
        let inside = || points.into_iter().flatten().copied().filter(|p| in_kind(*p, kind));
        let beside =
            inside().flat_map(|p| [p.saturating_sub(1), p.saturating_add(1)]).filter(|v| in_kind(*v, kind));
        let mut values: BTreeSet<i128> = inside().chain(beside).collect();
        if values.is_empty() {
            values.insert(kind.min().unwrap_or(0).max(0));
        }
        let mut values: Vec<i128> = values.into_iter().collect();
        values.sort_by_key(|v| (v.unsigned_abs(), *v < 0));
        Some(values)
    }

    /// Adds the points that a step needs and that there are not; the step need not be possible.
    pub fn observe(
        &self,
        machine: &Machine<'_>,
        state: &State,
        thread: usize,
        edge: u32,
        points: &Points,
        needs: &mut Needs,
    ) {
        let template = state.threads[thread].name.template as usize;
        let watches = self.watches.get(template).and_then(|l| l.get(edge as usize)).map_or(&[][..], |w| w);
        if watches.is_empty() {
            return;
        }
        let program = machine.program();
        let env = Env {
            registers: machine.registers(state, thread),
            self_id: thread as i128 + 1,
            bases: &program.bases,
            function_bases: &program.function_bases,
            signed_wraps: program.signed_wraps,
        };
        let lacks = |class: &u32, v: i128| !points.get(class).is_some_and(|p| p.contains(&v));
        for watch in watches {
            match watch {
                Watch::Taken { class } => {
                    needs.taken.insert(*class);
                }
                Watch::Loaded => {
                    let cell = machine.chosen_by(state, thread, edge);
                    needs.taken.extend(cell.and_then(|c| *self.objects.get(c.0.0 as usize)?));
                }
                Watch::Compared { class, with, through } => {
                    // Where this is undefined the step is, for any value of the input.
                    let Ok(v) = eval(with, &env) else { continue };
                    let near = match through {
                        None => vec![v],
                        Some(p) => whole_numbers_around(p.value(v)),
                    };
                    let range = self.ranges.get(class).copied().flatten();
                    let possible = |v: &i128| range.is_none_or(|(min, max)| min <= *v && *v <= max);
                    let new = near.into_iter().filter(possible).filter(|v| lacks(class, *v));
                    needs.compared.extend(new.map(|v| (*class, v)));
                }
                Watch::Used { class, register } => {
                    if let Some(v) = env.registers.get(register.0 as usize).filter(|v| lacks(class, **v)) {
                        needs.used.insert((*class, *v));
                    }
                }
            }
        }
    }

    /// The points with those that are needed; `None` if they would be too many.
    pub fn grow(&self, points: &Points, needs: &Needs) -> Option<Points> {
        let mut grown = points.clone();
        for (class, v) in needs.compared() {
            grown.entry(*class).or_default().insert(*v);
        }
        // How far to go where inputs are computed with shows when all comparisons are known.
        let comparisons = needs.compared().next().is_some();
        for (class, v) in needs.used().filter(|_| !comparisons) {
            let (min, max) = (*self.ranges.get(class)?)?;
            let own = grown.entry(*class).or_default();
            if own.contains(v) {
                continue;
            }
            let first = own.range(..*v).next_back().map_or(min, |p| p.saturating_add(1)).max(min);
            let last = own.range(*v..).next().map_or(max, |p| p.saturating_sub(1)).min(max);
            if *v < first || *v > last {
                // No input has this value: it is one that the program put there itself.
                own.insert(*v);
            } else if last.checked_sub(first)? < FEW {
                own.extend(first..=last);
            } else {
                return None;
            }
        }
        grown.values().all(|p| p.len() <= MOST).then_some(grown)
    }
}

/// The whole numbers that a comparison with a floating-point number tells apart.
fn whole_numbers_around(v: f64) -> Vec<i128> {
    // Whole numbers of the kinds that come here are far smaller.
    const LARGE: f64 = 1e15;
    if v.is_nan() {
        return Vec::new();
    }
    let v = v.clamp(-LARGE, LARGE);
    let (below, above) = (v.floor() as i128, v.ceil() as i128);
    if below == above { vec![below] } else { vec![below, above] }
}
