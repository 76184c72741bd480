//! What a proof says of a thread that comes to a statement, as C expressions.
//!
//! A conjunct that C cannot say there is left out, which weakens the invariant: other threads' locals, what was read in the middle of
//! an expression, ghosts. Where other threads are is asked of the runtime, which knows it of those that are before a statement, too.
//! Numbers are those of mathematics: each variable is widened to 128 bits first.

use super::places::{Arrival, Copy};
use relyant_cfa as cfa;
use relyant_cfa::{IntKind, Op, Owner, walk};
use relyant_check::{Proof, Rule};
use relyant_frontend::c::outline::{Outline, StatementAt};
use relyant_linear::{Atom, Cube, Rel, Var};
use relyant_program::reduce::liveness::live;
use relyant_program::{Loc, Origin, Program, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// Variables in a comparison, at most: more may not fit into 128 bits.
const TERMS: usize = 64;
/// Comparisons in an invariant, at most.
const COMPARISONS: usize = 4000;

/// Why a conjunct is not part of what is tested.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Left {
    /// It speaks of another thread's own variables.
    OtherThread,
    /// It speaks of a ghost.
    Ghost,
    /// It speaks of what was read in the middle of a statement, or of what C has no name for there.
    Unnamed,
    /// It speaks of a variable whose first values are written beside running threads.
    Early,
    /// Its numbers do not fit into 128 bits.
    Wide,
}

/// What is tested, in C and for readers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Conjunct {
    pub(super) code: String,
    pub(super) text: String,
}

/// An invariant as it is tested.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Condition {
    /// Alternatives of conjuncts; one that is empty is always true.
    pub(super) alternatives: BTreeSet<BTreeSet<Conjunct>>,
    /// C expressions whose values are shown when it fails, as C has them.
    pub(super) names: BTreeSet<String>,
}

impl Condition {
    /// Does it say anything?
    pub(super) fn tells(&self) -> bool {
        !self.alternatives.iter().any(BTreeSet::is_empty)
    }
    /// How many comparisons it has.
    pub(super) fn comparisons(&self) -> usize {
        self.alternatives.iter().map(BTreeSet::len).sum()
    }
}

/// What is needed to say invariants in C.
pub(super) struct Words<'a> {
    proof: &'a Proof,
    program: &'a Program,
    automata: &'a cfa::Program,
    outline: &'a Outline,
    /// By template and location: locals that are still read.
    live: Vec<Vec<BTreeSet<Var>>>,
    /// By template and inlined call: registers of its code.
    registers: Vec<BTreeMap<u32, BTreeSet<u32>>>,
    early: Early,
    /// How many conjuncts were left out, by reason.
    pub(super) left: BTreeMap<Left, usize>,
}

/// A statement that a copy has come to, as one of the locations that it may be at then.
struct Here<'a> {
    at: &'a StatementAt,
    copy: &'a Copy,
    arrival: &'a Arrival,
    l: Loc,
    /// Variables that have other values than there.
    changed: &'a BTreeSet<Var>,
}

/// Cells that are written beside running threads in what was folded into the start.
enum Early {
    All,
    Cells(BTreeSet<(u32, u32)>),
}

impl<'a> Words<'a> {
    pub(super) fn new(
        proof: &'a Proof,
        program: &'a Program,
        automata: &'a cfa::Program,
        outline: &'a Outline,
    ) -> Words<'a> {
        let live = (0..program.templates.len()).map(|t| live(program, t)).collect();
        let registers = automata.templates.iter().map(used).collect();
        let early = early(program, automata);
        Words { proof, program, automata, outline, live, registers, early, left: BTreeMap::new() }
    }

    /// What holds where a copy comes to a statement; nothing if that is not known, or too much.
    pub(super) fn condition(
        &mut self,
        at: &StatementAt,
        copy: &Copy,
        arrival: &Arrival,
    ) -> Option<Condition> {
        let mut out = Condition::default();
        for (l, changed) in arrival.at.as_ref()? {
            for (places, cube) in states(self.proof, copy.template, *l) {
                if cube.is_bottom() {
                    continue;
                }
                let others = places.iter().filter(|(u, _)| *u != copy.template);
                let mut all: BTreeSet<Conjunct> = others.filter_map(|(u, at)| self.place(*u, at)).collect();
                for atom in cube.atoms() {
                    match self.comparison(&Here { at, copy, arrival, l: *l, changed }, atom) {
                        Ok((conjunct, names)) => {
                            all.insert(conjunct);
                            out.names.extend(names);
                        }
                        Err(why) => *self.left.entry(why).or_default() += 1,
                    }
                }
                out.alternatives.insert(all);
            }
        }
        // What another one implies says nothing more.
        let all: Vec<BTreeSet<Conjunct>> = out.alternatives.iter().cloned().collect();
        out.alternatives.retain(|a| !all.iter().any(|b| b != a && b.is_subset(a)));
        (out.comparisons() <= COMPARISONS).then_some(out)
    }

    /// A comparison in C, with what it speaks of.
    fn comparison(&self, here: &Here<'_>, atom: &Atom) -> Result<(Conjunct, Vec<String>), Left> {
        let terms = atom.expr().terms();
        let mut names = Vec::new();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let small = |n: &i128| i32::try_from(*n).is_ok();
        for (v, k) in terms {
            let name = self.name(here, *v)?;
            let k = k.to_i128().filter(small).ok_or(Left::Wide)?;
            let side = if k > 0 { &mut left } else { &mut right };
            side.push(match k.abs() {
                1 => format!("(__int128)({name})"),
                k => format!("{k} * (__int128)({name})"),
            });
            names.push(name);
        }
        let constant = atom.expr().constant_part().to_i128();
        let constant =
            constant.and_then(|c| i64::try_from(c).ok()).filter(|c| *c != i64::MIN).ok_or(Left::Wide)?;
        if constant != 0 {
            let side = if constant > 0 { &mut left } else { &mut right };
            side.push(format!("{}LL", constant.unsigned_abs()));
        }
        if terms.len() > TERMS {
            return Err(Left::Wide);
        }
        let sum = |side: Vec<String>| if side.is_empty() { "0".to_string() } else { side.join(" + ") };
        let op = if atom.rel() == Rel::Eq { "==" } else { "<=" };
        let code = format!("{} {op} {}", sum(left), sum(right));
        let text = code.replace("(__int128)", "").replace("LL", "");
        Ok((Conjunct { code, text }, names))
    }

    /// Where the threads of another template are.
    fn place(&self, u: u32, at: &[Loc]) -> Option<Conjunct> {
        let template = self.program.templates.get(u as usize).filter(|t| !t.edges.is_empty())?;
        if at.is_empty() || (0..template.locations.len()).all(|l| at.iter().any(|a| a.0 as usize == l)) {
            return None;
        }
        let numbers: Vec<String> = at.iter().map(|l| l.0.to_string()).collect();
        let lines: BTreeSet<u32> =
            at.iter().filter_map(|l| Some(template.locations.get(*l)?.span.line)).collect();
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        Some(Conjunct {
            code: format!("relyant_at({u}, {}, (const int[]){{{}}})", at.len(), numbers.join(", ")),
            text: format!("{} at {}", template.name, lines.join(", ")),
        })
    }

    /// How C names a variable there.
    fn name(&self, here: &Here<'_>, v: Var) -> Result<String, Left> {
        let Here { at, copy, arrival, l, changed } = *here;
        let variable = self.program.variables.get(v.0 as usize).ok_or(Left::Unnamed)?;
        if let Scope::Local(u) = variable.scope
            && u != copy.template
        {
            return Err(Left::OtherThread);
        }
        if variable.identity {
            return Ok("relyant_me()".into());
        }
        let dead = || {
            let here = self.live.get(copy.template as usize).and_then(|x| x.get(l.0 as usize));
            variable.scope != Scope::Global && !here.is_some_and(|x| x.contains(&v))
        };
        match variable.origin {
            Origin::Ghost(_) => Err(Left::Ghost),
            _ if dead() || changed.contains(&v) => Err(Left::Unnamed),
            Origin::Register(r) => self.register(at, copy, arrival, r).ok_or(Left::Unnamed),
            Origin::Cell(o, k) => match &self.early {
                Early::Cells(cells) if !cells.contains(&(o.0, k)) => {
                    self.cell(at, copy, o, k).ok_or(Left::Unnamed)
                }
                Early::Cells(_) | Early::All => Err(Left::Early),
            },
        }
    }

    /// A local whose address is not taken.
    fn register(&self, at: &StatementAt, copy: &Copy, arrival: &Arrival, r: cfa::Reg) -> Option<String> {
        let all = &self.automata.templates.get(copy.template as usize)?.registers;
        let register = all.get(r.0 as usize)?;
        let name = &register.name;
        let [inlined] = arrival.inlined.iter().copied().collect::<Vec<_>>()[..] else { return None };
        // The only one of the name in this copy.
        let here = self.registers.get(copy.template as usize)?.get(&inlined)?;
        let same: Vec<u32> = here.iter().copied().filter(|x| all[*x as usize].name == *name).collect();
        let plain = !self.outline.floating.contains(name) && machine(register.kind);
        (same == [r.0] && once(at, name) && plain && is_word(name)).then(|| name.clone())
    }

    /// A cell of an object.
    fn cell(&self, at: &StatementAt, copy: &Copy, o: cfa::ObjId, k: u32) -> Option<String> {
        let objects = &self.automata.objects;
        let object = objects.get(o.0 as usize)?;
        let (kind, suffix) = object.cells.get(k as usize)?;
        let alone = objects.iter().filter(|x| x.name == object.name).count() == 1;
        let (there, here) = (object.span, at.start);
        let later = there.file == here.file && (there.line, there.column) >= (here.line, here.column);
        if object.synthetic || !alone || later {
            return None;
        }
        let base = match object.in_function() {
            Some((function, name)) => {
                let mine = match self.automata.owners.get(o.0 as usize)? {
                    Owner::Template(t) => *t == copy.template,
                    Owner::Shared => function == "main",
                };
                if function != &*at.function || !mine || !once(at, name) {
                    return None;
                }
                name
            }
            None if at.scope.contains(&object.name) => return None,
            None => &object.name,
        };
        let plain = suffix.chars().all(|c| c.is_ascii_alphanumeric() || "_[].".contains(c));
        let floats = suffix.split(['.', '[', ']']).chain([base]).any(|p| self.outline.floating.contains(p));
        if !is_word(base) || !plain || floats {
            return None;
        }
        let whole = format!("{base}{suffix}");
        match kind {
            k if machine(*k) => Some(whole),
            // A mutex has its owner, or 0.
            IntKind::Ideal if self.is_mutex(base) && suffix.is_empty() => {
                Some(format!("relyant_owner(&{whole})"))
            }
            IntKind::Machine { .. } | IntKind::Bool | IntKind::Ideal => None,
        }
    }

    /// Is the address of an object handed to functions about mutexes, and to nothing else?
    fn is_mutex(&self, name: &str) -> bool {
        const CALLS: [&str; 5] = [
            "pthread_mutex_lock",
            "pthread_mutex_unlock",
            "pthread_mutex_trylock",
            "pthread_mutex_destroy",
            "pthread_mutex_init",
        ];
        let of = self.outline.calls.iter().filter(|c| c.first.as_deref() == Some(name));
        let known =
            of.filter(|c| CALLS.contains(&c.name.as_str()) && (c.plain || c.name != "pthread_mutex_init"));
        self.outline.uses.get(name) == Some(&known.count())
    }
}

/// Does a name mean one local at a statement, and no other that it hides?
fn once(at: &StatementAt, name: &str) -> bool {
    at.scope.iter().filter(|s| *s == name).count() == 1
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Has it values of C, of at most 64 bits?
fn machine(kind: IntKind) -> bool {
    match kind {
        IntKind::Machine { bits, .. } => bits <= 64,
        IntKind::Bool => true,
        IntKind::Ideal => false,
    }
}

/// Registers that the code of each inlined call reads or writes.
fn used(template: &cfa::Template) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut out: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for e in &template.graph.edges {
        let Some(at) = template.graph.locations.get(e.from.0 as usize) else { continue };
        let here = out.entry(at.inlined).or_default();
        let mut found = Vec::new();
        walk::reads(&e.op).iter().for_each(|x| walk::registers(x, &mut found));
        here.extend(found.iter().chain(walk::writes(&e.op).iter()).map(|r| r.0));
    }
    // What the thread gets when it begins.
    out.entry(0).or_default().extend(template.param.map(|r| r.0));
    out
}

/// Where threads of templates are.
type Places = Vec<(u32, Vec<Loc>)>;

/// The states that a proof has for a thread at a location, with where other threads are.
fn states(proof: &Proof, template: u32, l: Loc) -> Vec<(Places, &Cube)> {
    if proof.rule == Rule::Monolithic {
        let here = proof.global.iter().filter(|(at, _)| at.get(template as usize) == Some(&l));
        let places = |at: &Vec<Loc>| (0u32..).zip(at).map(|(u, l)| (u, vec![*l])).collect();
        return here.map(|(at, cube)| (places(at), cube)).collect();
    }
    let of = proof.threads.iter().filter(|t| t.template == template).flat_map(|t| &t.invariants);
    let here = of.filter(|(at, _)| *at == l);
    here.flat_map(|(_, states)| states.iter().map(|s| (s.control.clone(), &s.cube))).collect()
}

/// What is written after a thread was created, in what was folded into the start: those threads run before it, in reality.
fn early(program: &Program, automata: &cfa::Program) -> Early {
    let mut alone = true;
    let mut out = BTreeSet::new();
    for (t, e) in &program.prefix {
        let template = automata.templates.get(*t as usize);
        let Some(edge) = template.and_then(|x| x.graph.edges.get(*e as usize)) else { return Early::All };
        alone &= *t == 0 && !matches!(edge.op, Op::Create { .. });
        let Op::Store(address, ..) = &edge.op else { continue };
        if alone {
            continue;
        }
        let at = match address {
            cfa::Expr::Addr(o) => Some((o.0, 0)),
            cfa::Expr::Const(a) => {
                automata.cell_at(*a).and_then(|(o, k)| Some((o.0, u32::try_from(k).ok()?)))
            }
            cfa::Expr::Binary(cfa::BinOp::Add, a, b, _) => match (&**a, &**b) {
                (cfa::Expr::Addr(o), cfa::Expr::Const(k)) => u32::try_from(*k).ok().map(|k| (o.0, k)),
                _ => None,
            },
            _ => None,
        };
        match at {
            Some(cell) => out.insert(cell),
            None => return Early::All,
        };
    }
    Early::Cells(out)
}
