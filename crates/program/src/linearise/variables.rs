//! The variables of the thread program, made before any edge.

use super::arrays::Arrays;
use super::handles::Holders;
use super::range::Range;
use crate::{Ghost, Origin, Scope, Variable};
use relyant_cfa as cfa;
use relyant_cfa::{Count, ObjId, Owner, Reg};
use relyant_linear::Var;
use std::collections::{BTreeMap, BTreeSet};

/// Handles are at most this: they fit in any `pthread_t`, and threads that exist at once have different ones.
pub const LAST_HANDLE: i128 = i32::MAX as i128;

/// A ghost that nobody has to know.
const OTHER: Origin = Origin::Ghost(Ghost::Other);

/// Ghosts of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ghosts {
    /// Has it been created (a template of count one, or without bound), or how often and not begun yet?
    pub started: Var,
    /// The argument that it was created with.
    pub argument: Var,
    /// Has it ended? 1 or 0.
    pub ended: Var,
    /// The value it returned.
    pub result: Var,
    /// Its own handle, for templates of more than one thread.
    pub identity: Option<Var>,
}

/// All variables, and which is which.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variables {
    /// Indexed by [`Var`]: what becomes [`crate::Program::variables`].
    pub list: Vec<Variable>,
    /// `cells[object][cell]`: the variable of that cell.
    cells: Vec<Vec<Var>>,
    /// `registers[template][register]`: the variable of that register.
    registers: Vec<Vec<Var>>,
    /// Indexed by template, those without threads among them.
    pub ghosts: Vec<Ghosts>,
    /// Threads alive, if they are limited.
    pub alive: Option<Var>,
    /// The tracked index, if there are arrays of which one element is kept.
    pub index: Option<Var>,
    /// By template: was the thread's last load from such an array at that index?
    pub tracked: Vec<Option<Var>>,
    /// `arrays[object][array]`: the element at the tracked index.
    arrays: Vec<Vec<Var>>,
    /// Arrays that hold handles of chosen threads; no element of theirs is tracked.
    pub holders: BTreeSet<(ObjId, usize)>,
    /// By template of a chosen thread: the address of the element that holds its handle, or 0.
    pub places: BTreeMap<u32, Var>,
}

impl Variables {
    /// Makes the variables of a program: cells, ghosts, registers.
    pub fn new(p: &cfa::Program, arrays: &Arrays, holders: &Holders) -> Variables {
        let mut v = Variables { holders: holders.arrays.clone(), ..Variables::default() };
        for (o, object) in p.objects.iter().enumerate() {
            let owner = p.owners.get(o).copied().unwrap_or(Owner::Shared);
            let (scope, prefix) = match owner {
                Owner::Shared => (Scope::Global, String::new()),
                Owner::Template(t) => {
                    let name = &p.templates[t as usize].name;
                    let inner = object.in_function().is_some_and(|(function, _)| function == name);
                    (Scope::Local(t), if inner { String::new() } else { format!("{name}::") })
                }
            };
            let mut cells = Vec::new();
            for (k, &(kind, ref suffix)) in object.cells.iter().enumerate() {
                let origin = Origin::Cell(ObjId(o as u32), k as u32);
                let name = format!("{prefix}{}{suffix}", object.name);
                cells.push(v.add(name, scope, kind.min(), kind.max(), origin));
            }
            v.cells.push(cells);
            let mut elements = Vec::new();
            for a in arrays.of(o).iter().filter(|_| arrays.last_index().is_some()) {
                let name = format!("{prefix}{}", a.name);
                elements.push(v.add(name, scope, a.kind.min(), a.kind.max(), OTHER));
            }
            v.arrays.push(elements);
        }
        v.index = arrays.last_index().map(|last| {
            let last = i128::try_from(last).ok();
            v.add("index".into(), Scope::Global, Some(0), last, Origin::Ghost(Ghost::Index))
        });
        for u in &holders.threads {
            let name = format!("place({})", p.templates[*u as usize].name);
            let place = v.add(name, Scope::Global, Some(0), None, OTHER);
            v.places.insert(*u, place);
        }
        for (t, template) in p.templates.iter().enumerate() {
            let flag = v.index.map(|_| {
                let (name, scope) = (format!("tracked({})", template.name), Scope::Local(t as u32));
                v.add(name, scope, Some(0), Some(1), OTHER)
            });
            v.tracked.push(flag);
        }
        let others = p.templates.len() as i128 + 1;
        for (t, template) in p.templates.iter().enumerate() {
            let n = &template.name;
            let most = match template.count {
                Count::AtMost(1) | Count::Unbounded => Some(1),
                Count::AtMost(_) => None,
            };
            let mut ghost = |what: &str, min, max, of| {
                v.add(format!("{what}({n})"), Scope::Global, min, max, Origin::Ghost(of))
            };
            let started = ghost("started", Some(0), most, Ghost::Started(t as u32));
            let ended = ghost("ended", Some(0), Some(1), Ghost::Ended(t as u32));
            let argument = ghost("argument", None, None, Ghost::Other);
            let result = ghost("result", None, None, Ghost::Other);
            let identity = (template.count != Count::AtMost(1)).then(|| {
                let i = v.add(
                    format!("{n}::self"),
                    Scope::Local(t as u32),
                    Some(others),
                    Some(LAST_HANDLE),
                    OTHER,
                );
                v.list[i.0 as usize].identity = true;
                i
            });
            v.ghosts.push(Ghosts { started, argument, ended, result, identity });
        }
        if let Some(most) = p.max_threads {
            v.alive = Some(v.add("alive".into(), Scope::Global, Some(0), Some(most as i128), OTHER));
        }
        for (t, template) in p.templates.iter().enumerate() {
            let mut registers = Vec::new();
            for (r, register) in template.registers.iter().enumerate() {
                let base = if register.name.is_empty() { format!("t{r}") } else { register.name.clone() };
                let (name, kind) = (format!("{}::{base}", template.name), register.kind);
                let origin = Origin::Register(Reg(r as u32));
                registers.push(v.add(name, Scope::Local(t as u32), kind.min(), kind.max(), origin));
            }
            v.registers.push(registers);
        }
        v.make_names_unique();
        v
    }
    fn add(
        &mut self,
        name: String,
        scope: Scope,
        min: Option<i128>,
        max: Option<i128>,
        origin: Origin,
    ) -> Var {
        self.list.push(Variable { name, scope, min, max, identity: false, origin });
        Var(self.list.len() as u32 - 1)
    }
    fn make_names_unique(&mut self) {
        let mut seen = std::collections::BTreeSet::new();
        for x in &mut self.list {
            let (base, mut n) = (x.name.clone(), 2);
            while !seen.insert(x.name.clone()) {
                x.name = format!("{base}#{n}");
                n += 1;
            }
        }
    }
    /// The variable of a cell.
    pub fn cell(&self, o: ObjId, k: usize) -> Option<Var> {
        self.cells.get(o.0 as usize)?.get(k).copied()
    }
    /// The variable of an array's tracked element.
    pub fn element(&self, o: ObjId, a: usize) -> Option<Var> {
        self.arrays.get(o.0 as usize)?.get(a).copied()
    }
    /// The variable of a register.
    pub fn register(&self, t: usize, r: Reg) -> Var {
        self.registers[t][r.0 as usize]
    }
    /// Tightens the bounds to what the analysis of ranges found.
    pub fn tighten(&mut self, v: Var, r: &Range) {
        let x = &mut self.list[v.0 as usize];
        if !r.is_none() {
            let r = r.clip(x.min, x.max);
            (x.min, x.max) = (r.lo(), r.hi());
        }
    }
}
