//! Which constants a register may have anywhere in a module: what sizes are asked for where memory is made.
//!
//! Flow-insensitive, a set for each register of each function, all calls of a function together.

use super::value::{binary, compare, not, wrap};
use crate::instantiate::constants::constant_objects;
use relyant_cfa::{BinOp, Callee, Expr, FuncId, Function, Module, Op, Reg};
use std::collections::BTreeSet;

/// More values than this are any.
const MANY: usize = 16;

/// Values of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// One of these; empty as long as no value is found.
    Some(BTreeSet<i128>),
    /// Any value of its kind.
    Any,
}

impl Values {
    fn none() -> Values {
        Values::Some(BTreeSet::new())
    }
    fn one(v: i128) -> Values {
        Values::Some([v].into())
    }
    fn of(e: Expr) -> Values {
        if let Expr::Const(v) = e { Values::one(v) } else { Values::Any }
    }
    /// The largest, if it is known.
    pub fn largest(&self) -> Option<i128> {
        match self {
            Values::Some(set) => set.last().copied(),
            Values::Any => None,
        }
    }
    /// Adds others; says whether any is new.
    fn add(&mut self, other: &Values) -> bool {
        match (&mut *self, other) {
            (Values::Any, _) => false,
            (Values::Some(mine), Values::Some(more)) => {
                let before = mine.len();
                mine.extend(more.iter().copied());
                let grown = mine.len() > before;
                if mine.len() > MANY {
                    *self = Values::Any;
                }
                grown
            }
            (Values::Some(_), Values::Any) => {
                *self = Values::Any;
                true
            }
        }
    }
    fn map(&self, f: impl Fn(i128) -> Values) -> Values {
        let Values::Some(set) = self else { return Values::Any };
        let mut out = Values::none();
        set.iter().for_each(|v| {
            out.add(&f(*v));
        });
        out
    }
    fn pairs(&self, other: &Values, f: impl Fn(Expr, Expr) -> Expr) -> Values {
        let f = &f;
        self.map(|x| other.map(|y| Values::of(f(Expr::Const(x), Expr::Const(y)))))
    }
}

/// Values of all registers of a module.
pub struct Sizes {
    registers: Vec<Vec<Values>>,
    returns: Vec<Values>,
}

impl Sizes {
    /// Goes round the edges until nothing changes.
    pub fn new(module: &Module) -> Sizes {
        let constant = constant_objects(module);
        let none = |f: &Function| vec![Values::none(); f.registers.len()];
        let mut s = Sizes {
            registers: module.functions.iter().map(none).collect(),
            returns: vec![Values::none(); module.functions.len()],
        };
        let of_constant = |a: &Expr| {
            let (o, k) = match a {
                Expr::Addr(o) => (*o, 0),
                Expr::Binary(BinOp::Add, base, k, _) => match (&**base, &**k) {
                    (Expr::Addr(o), Expr::Const(k)) => (*o, usize::try_from(*k).ok()?),
                    _ => return None,
                },
                _ => return None,
            };
            constant.contains(&o).then(|| module.objects[o.0 as usize].init.get(k).copied().flatten())?
        };
        // What is called in ways that are not followed gets any arguments.
        let mut unknown: BTreeSet<FuncId> = crate::instantiate::taken(module);
        unknown.extend(module.starts.iter().copied());
        for f in unknown {
            for p in &module.functions[f.0 as usize].params {
                s.registers[f.0 as usize][p.0 as usize] = Values::Any;
            }
        }
        loop {
            let mut changed = false;
            for (f, function) in module.functions.iter().enumerate() {
                for e in &function.graph.edges {
                    changed |= s.step(module, f, &e.op, &of_constant);
                }
            }
            if !changed {
                return s;
            }
        }
    }

    fn step(
        &mut self,
        module: &Module,
        f: usize,
        op: &Op,
        of_constant: &dyn Fn(&Expr) -> Option<i128>,
    ) -> bool {
        let set = |s: &mut Sizes, f: usize, r: Reg, v: &Values| s.registers[f][r.0 as usize].add(v);
        match op {
            Op::Assign(r, e) => {
                let v = self.eval(f, e);
                set(self, f, *r, &v)
            }
            Op::Load(r, a, kind) => {
                let v = of_constant(a).map_or(Values::Any, |v| Values::one(wrap(v, *kind)));
                set(self, f, *r, &v)
            }
            Op::Havoc { dst: r, .. } | Op::Create { handle: r, .. } | Op::Join { result: Some(r), .. } => {
                let mut changed = set(self, f, *r, &Values::Any);
                if let Op::Create { routine: Callee::Known(g), arg: Some(_), .. } = op {
                    for p in &module.functions[g.0 as usize].params {
                        changed |= set(self, g.0 as usize, *p, &Values::Any);
                    }
                }
                changed
            }
            Op::Call { dst, callee, args } => {
                let mut changed = false;
                let mut result = Values::Any;
                if let Callee::Known(g) = callee {
                    let callee = &module.functions[g.0 as usize];
                    result = self.returns[g.0 as usize].clone();
                    for (k, p) in callee.params.iter().enumerate() {
                        let v = args.get(k).map_or(Values::Any, |a| self.eval(f, a));
                        changed |= set(self, g.0 as usize, *p, &v);
                    }
                }
                if let Some(r) = dst {
                    changed |= set(self, f, *r, &result);
                }
                changed
            }
            Op::Return(Some(e)) => {
                let v = self.eval(f, e);
                self.returns[f].add(&v)
            }
            Op::Return(None) if module.functions[f].result.is_some() => self.returns[f].add(&Values::Any),
            _ => false,
        }
    }

    /// Values of an expression of a function.
    pub fn eval(&self, f: usize, e: &Expr) -> Values {
        match e {
            Expr::Const(v) => Values::one(*v),
            Expr::Reg(r) => self.registers[f][r.0 as usize].clone(),
            Expr::Addr(_) | Expr::Func(_) | Expr::SelfId | Expr::Unary(..) => Values::Any,
            Expr::Binary(op, a, b, kind) => {
                self.eval(f, a).pairs(&self.eval(f, b), |x, y| binary(*op, x, y, *kind))
            }
            Expr::Compare(op, a, b) => self.eval(f, a).pairs(&self.eval(f, b), |x, y| compare(*op, x, y)),
            Expr::Not(a) => self.eval(f, a).map(|v| Values::of(not(Expr::Const(v)))),
            Expr::Cast(a, kind) => self.eval(f, a).map(|v| Values::one(wrap(v, *kind))),
        }
    }
}
