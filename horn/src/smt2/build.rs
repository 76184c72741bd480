//! Terms of an assertion: linear expressions, and a graph of Boolean structure over atoms and relations.
//! Built with an explicit stack. An integer `ite`, a division by a constant or an argument that is no
//! variable gets a new variable with a definition.

use super::Smt2Error;
use super::script::{Sort, sort};
use super::sexp::{Position, Sexp, SexpId, Sexps};
use crate::clause::{Application, Relation};
use num_traits::{Signed, Zero};
use relyant_linear::{Atom, LinExpr, Norm, Rat, Var};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Relation(Relation),
    /// Quantified from outside over each assertion.
    Variable(Sort),
}

/// The number of a formula in the graph.
pub(super) type FormulaId = usize;

/// What a term is worth, by its sort.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Int(LinExpr),
    Bool(FormulaId),
}

/// A formula over others.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Atom(Norm),
    Applied(Application),
    Not(FormulaId),
    And(Vec<FormulaId>),
    Or(Vec<FormulaId>),
    /// For all values of its variables, or for some.
    Quantified(bool, FormulaId, Position),
}

/// Longer numbers, which sums and products of shared terms could make, are refused.
const MAX_BITS: u64 = 10_000;
/// Formulas of one assertion; `distinct` alone makes one for each pair.
const MAX_NODES: usize = 2_000_000;

enum Task {
    Eval(SexpId),
    /// Apply the list's operator to the last so many values.
    Apply(SexpId, usize),
    /// Bind the names of a `let` to the last values.
    Bind(SexpId),
    Quantify(bool, Position),
    /// Forget the last so many bindings.
    Unbind(usize),
}

pub(super) struct Builder<'a> {
    sexps: &'a Sexps,
    globals: &'a FxHashMap<String, Symbol>,
    sorts: &'a [Vec<Sort>],
    nodes: Vec<Node>,
    /// What must hold of a variable wherever it is used.
    definitions: FxHashMap<Var, FormulaId>,
    scope: FxHashMap<String, Vec<Value>>,
    bound: Vec<String>,
    variables: FxHashMap<String, Value>,
    next: u32,
}

impl<'a> Builder<'a> {
    pub fn new(
        sexps: &'a Sexps,
        globals: &'a FxHashMap<String, Symbol>,
        sorts: &'a [Vec<Sort>],
    ) -> Builder<'a> {
        Builder {
            sexps,
            globals,
            sorts,
            nodes: Vec::new(),
            definitions: FxHashMap::default(),
            scope: FxHashMap::default(),
            bound: Vec::new(),
            variables: FxHashMap::default(),
            next: 0,
        }
    }

    pub fn node(&self, f: FormulaId) -> &Node {
        &self.nodes[f]
    }
    pub fn definition(&self, v: Var) -> Option<FormulaId> {
        self.definitions.get(&v).copied()
    }

    /// A term of sort Bool.
    pub fn formula(&mut self, s: SexpId) -> Result<FormulaId, Smt2Error> {
        match self.term(s)? {
            Value::Bool(f) => Ok(f),
            Value::Int(_) => Err(self.sexps.position(s).error("expected a Bool")),
        }
    }

    fn term(&mut self, s: SexpId) -> Result<Value, Smt2Error> {
        let mut tasks = vec![Task::Eval(s)];
        let mut values: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Eval(s) => self.eval(s, &mut tasks, &mut values)?,
                Task::Apply(s, n) => {
                    let args = values.split_off(values.len().saturating_sub(n));
                    let v = self.apply(s, args)?;
                    values.push(v);
                }
                Task::Bind(list) => {
                    let sexps = self.sexps;
                    let bindings = sexps.list(list, "bindings")?;
                    let bound = values.split_off(values.len().saturating_sub(bindings.len()));
                    for (b, v) in bindings.iter().zip(bound) {
                        let name = sexps.symbol(sexps.list(*b, "a binding")?[0], "a name")?;
                        self.bind(name, v);
                    }
                }
                Task::Quantify(all, at) => {
                    if let Some(Value::Bool(f)) = values.pop() {
                        let f = self.add(Node::Quantified(all, f, at));
                        values.push(Value::Bool(f));
                    } else {
                        return Err(at.error("expected a Bool under the quantifier"));
                    }
                }
                Task::Unbind(n) => {
                    for _ in 0..n {
                        if let Some(name) = self.bound.pop()
                            && let Some(stack) = self.scope.get_mut(&name)
                        {
                            stack.pop();
                        }
                    }
                }
            }
        }
        values.pop().ok_or_else(|| self.sexps.position(s).error("expected a term"))
    }

    fn eval(&mut self, s: SexpId, tasks: &mut Vec<Task>, values: &mut Vec<Value>) -> Result<(), Smt2Error> {
        let (sexps, at) = (self.sexps, self.sexps.position(s));
        let items = match sexps.get(s) {
            Sexp::Numeral(n) => {
                values.push(Value::Int(LinExpr::constant(Rat::from(n.clone()))));
                return Ok(());
            }
            Sexp::Symbol(name) => {
                let v = self.lookup(name, at)?;
                values.push(v);
                return Ok(());
            }
            Sexp::Other(what) => return Err(at.error(format!("{what} is not in the fragment"))),
            Sexp::Keyword => return Err(at.error("expected a term")),
            Sexp::List(items) => items,
        };
        let Some((&head, args)) = items.split_first() else { return Err(at.error("empty term")) };
        let operator = sexps.symbol(head, "an operator")?;
        match operator {
            "let" => {
                let [bindings, body] = args else { return Err(at.error("malformed let")) };
                let list = sexps.list(*bindings, "bindings")?;
                tasks.push(Task::Unbind(list.len()));
                tasks.push(Task::Eval(*body));
                tasks.push(Task::Bind(*bindings));
                for b in list.iter().rev() {
                    let [name, term] = sexps.list(*b, "a binding")? else {
                        return Err(sexps.position(*b).error("malformed binding"));
                    };
                    sexps.symbol(*name, "a name")?;
                    tasks.push(Task::Eval(*term));
                }
            }
            "forall" | "exists" => {
                let [variables, body] = args else { return Err(at.error("malformed quantifier")) };
                let list = sexps.list(*variables, "sorted variables")?;
                tasks.push(Task::Unbind(list.len()));
                tasks.push(Task::Quantify(operator == "forall", at));
                tasks.push(Task::Eval(*body));
                for v in list {
                    let [name, of] = sexps.list(*v, "a sorted variable")? else {
                        return Err(sexps.position(*v).error("malformed variable"));
                    };
                    let name = sexps.symbol(*name, "a name")?;
                    let value = self.variable(sort(sexps, *of)?, at)?;
                    self.bind(name, value);
                }
            }
            "!" => {
                let Some(term) = args.first() else { return Err(at.error("malformed annotation")) };
                tasks.push(Task::Eval(*term));
            }
            _ => {
                tasks.push(Task::Apply(s, args.len()));
                tasks.extend(args.iter().rev().map(|a| Task::Eval(*a)));
            }
        }
        Ok(())
    }

    fn bind(&mut self, name: &str, v: Value) {
        self.scope.entry(name.to_string()).or_default().push(v);
        self.bound.push(name.to_string());
    }

    fn lookup(&mut self, name: &str, at: Position) -> Result<Value, Smt2Error> {
        if let Some(v) = self.scope.get(name).and_then(|s| s.last()).or_else(|| self.variables.get(name)) {
            return Ok(v.clone());
        }
        match self.globals.get(name) {
            Some(Symbol::Variable(s)) => {
                let v = self.variable(*s, at)?;
                self.variables.insert(name.to_string(), v.clone());
                Ok(v)
            }
            Some(Symbol::Relation(r)) => {
                let args = self.arguments(*r, name, Vec::new(), at)?;
                Ok(Value::Bool(self.add(Node::Applied(Application { relation: *r, args }))))
            }
            None => match name {
                "true" => Ok(Value::Bool(self.add(Node::Atom(Norm::True)))),
                "false" => Ok(Value::Bool(self.add(Node::Atom(Norm::False)))),
                _ => Err(at.error(format!("'{name}' is not declared"))),
            },
        }
    }

    fn add(&mut self, n: Node) -> FormulaId {
        self.nodes.push(n);
        self.nodes.len() - 1
    }

    fn fresh(&mut self, at: Position) -> Result<Var, Smt2Error> {
        let v = Var(self.next);
        self.next = self.next.checked_add(1).ok_or_else(|| at.error("too many variables"))?;
        Ok(v)
    }

    /// A new variable; a Bool is the formula that it is 1.
    fn variable(&mut self, s: Sort, at: Position) -> Result<Value, Smt2Error> {
        let v = self.fresh(at)?;
        let e = LinExpr::var(v);
        if s == Sort::Int {
            return Ok(Value::Int(e));
        }
        let range = [Atom::le(&e.negated()), Atom::le(&e.with_constant(Rat::from(-1i64)))];
        let range = range.map(|n| self.add(Node::Atom(n)));
        let range = self.add(Node::And(range.to_vec()));
        self.definitions.insert(v, range);
        Ok(Value::Bool(self.add(Node::Atom(is_one(v)))))
    }

    fn both(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.add(Node::And(vec![a, b]))
    }
    fn not(&mut self, a: FormulaId) -> FormulaId {
        self.add(Node::Not(a))
    }
    /// `c` decides between two formulas.
    fn choice(&mut self, c: FormulaId, a: FormulaId, b: FormulaId) -> FormulaId {
        let n = self.not(c);
        let (yes, no) = (self.both(c, a), self.both(n, b));
        self.add(Node::Or(vec![yes, no]))
    }
    fn equal(&mut self, a: &LinExpr, b: &LinExpr) -> FormulaId {
        self.add(Node::Atom(Atom::eq(&a.sub(b))))
    }

    fn apply(&mut self, s: SexpId, args: Vec<Value>) -> Result<Value, Smt2Error> {
        let (sexps, at) = (self.sexps, self.sexps.position(s));
        let operator = sexps.symbol(sexps.list(s, "a term")?[0], "an operator")?;
        if let Some(Symbol::Relation(r)) = self.globals.get(operator) {
            let args = self.arguments(*r, operator, args, at)?;
            return Ok(Value::Bool(self.add(Node::Applied(Application { relation: *r, args }))));
        }
        match operator {
            "and" | "or" | "not" | "=>" | "xor" => {
                let fs = bools(args, operator, at)?;
                self.connective(operator, fs, at).map(Value::Bool)
            }
            "+" | "-" | "*" | "div" | "mod" | "abs" => {
                let es = ints(args, operator, at)?;
                let e = self.arithmetic(operator, es, at)?;
                let long = |q: &Rat| q.small().is_none() && q.numer().bits() > MAX_BITS;
                if long(e.constant_part()) || e.terms().iter().any(|t| long(&t.1)) {
                    return Err(at.error("number too long"));
                }
                Ok(Value::Int(e))
            }
            "<=" | "<" | ">=" | ">" => {
                let es = ints(args, operator, at)?;
                if es.len() < 2 {
                    return Err(at.error(format!("'{operator}' takes two arguments or more")));
                }
                let parts = es.windows(2).map(|w| match operator {
                    "<=" => Atom::le(&w[0].sub(&w[1])),
                    "<" => Atom::lt(&w[0].sub(&w[1])),
                    ">=" => Atom::le(&w[1].sub(&w[0])),
                    _ => Atom::lt(&w[1].sub(&w[0])),
                });
                let parts = parts.collect::<Vec<_>>().into_iter().map(|n| self.add(Node::Atom(n))).collect();
                Ok(Value::Bool(self.add(Node::And(parts))))
            }
            "=" | "distinct" => self.equality(operator, args, at).map(Value::Bool),
            "ite" => self.ite(args, at),
            _ => Err(at.error(format!("'{operator}' is not declared or not in the fragment"))),
        }
    }

    fn connective(&mut self, op: &str, mut fs: Vec<FormulaId>, at: Position) -> Result<FormulaId, Smt2Error> {
        let last = fs.last().copied().ok_or_else(|| at.error(format!("'{op}' without arguments")))?;
        Ok(match op {
            "and" => self.add(Node::And(fs)),
            "or" => self.add(Node::Or(fs)),
            "not" if fs.len() == 1 => self.not(last),
            "not" => return Err(at.error("'not' takes one argument")),
            _ if fs.len() < 2 => return Err(at.error(format!("'{op}' takes two arguments or more"))),
            "=>" => {
                fs.pop();
                let mut parts: Vec<FormulaId> = fs.into_iter().map(|f| self.not(f)).collect();
                parts.push(last);
                self.add(Node::Or(parts))
            }
            _ => {
                let mut all = fs.into_iter();
                let first = all.next().unwrap_or(last);
                all.fold(first, |a, b| {
                    let n = self.not(b);
                    self.choice(a, n, b)
                })
            }
        })
    }

    fn arithmetic(&mut self, op: &str, es: Vec<LinExpr>, at: Position) -> Result<LinExpr, Smt2Error> {
        let Some((first, others)) = es.split_first() else {
            return Err(at.error(format!("'{op}' without arguments")));
        };
        match op {
            "+" => Ok(sum(first, others)),
            "-" if others.is_empty() => Ok(first.negated()),
            "-" => Ok(first.sub(&sum(&LinExpr::zero(), others))),
            "*" => {
                let mut product = first.clone();
                for e in others {
                    product = match (product.is_constant(), e.is_constant()) {
                        (_, true) => product.scale(e.constant_part()),
                        (true, _) => e.scale(product.constant_part()),
                        _ => return Err(at.error("a product of variables is not linear")),
                    };
                }
                Ok(product)
            }
            "abs" if others.is_empty() => {
                let negative = self.add(Node::Atom(Atom::lt(first)));
                self.either(negative, &first.negated(), first, at)
            }
            "div" | "mod" => {
                let [e, d] = &es[..] else { return Err(at.error(format!("'{op}' takes two arguments"))) };
                let divisor = match d.constant_part().to_bigint() {
                    Some(n) if d.is_constant() && !n.is_zero() => n,
                    _ => {
                        return Err(
                            at.error(format!("'{op}' by anything but a constant other than 0 is not linear"))
                        );
                    }
                };
                // e = divisor * q + r, 0 <= r < |divisor|
                let (q, r) = (LinExpr::var(self.fresh(at)?), LinExpr::var(self.fresh(at)?));
                let whole = self.equal(e, &q.scale(d.constant_part()).add(&r));
                let below = r.sub(&LinExpr::constant(Rat::from(divisor.abs())));
                let (low, high) = (Atom::le(&r.negated()), Atom::lt(&below));
                let (low, high) = (self.add(Node::Atom(low)), self.add(Node::Atom(high)));
                let definition = self.add(Node::And(vec![whole, low, high]));
                for v in q.vars().chain(r.vars()) {
                    self.definitions.insert(v, definition);
                }
                Ok(if op == "div" { q } else { r })
            }
            _ => Err(at.error(format!("'{op}' takes one argument"))),
        }
    }

    fn equality(&mut self, op: &str, args: Vec<Value>, at: Position) -> Result<FormulaId, Smt2Error> {
        if args.len() < 2 {
            return Err(at.error(format!("'{op}' takes two arguments or more")));
        }
        let mut parts = Vec::new();
        for (i, a) in args.iter().enumerate() {
            let others = if op == "=" {
                &args[(i + 1).min(args.len())..(i + 2).min(args.len())]
            } else {
                &args[i + 1..]
            };
            if self.nodes.len() > MAX_NODES {
                return Err(at.error(format!("'{op}' of too many terms")));
            }
            for b in others {
                let same = match (a, b) {
                    (Value::Int(a), Value::Int(b)) => self.equal(a, b),
                    (Value::Bool(a), Value::Bool(b)) => {
                        let n = self.not(*b);
                        self.choice(*a, *b, n)
                    }
                    _ => return Err(at.error(format!("'{op}' of an Int and a Bool"))),
                };
                parts.push(if op == "=" { same } else { self.not(same) });
            }
        }
        Ok(self.add(Node::And(parts)))
    }

    fn ite(&mut self, args: Vec<Value>, at: Position) -> Result<Value, Smt2Error> {
        match &args[..] {
            [Value::Bool(c), Value::Int(a), Value::Int(b)] => self.either(*c, a, b, at).map(Value::Int),
            [Value::Bool(c), Value::Bool(a), Value::Bool(b)] => Ok(Value::Bool(self.choice(*c, *a, *b))),
            _ => Err(at.error("'ite' takes a Bool and two terms of one sort")),
        }
    }

    /// A new variable that is `a` where `c` holds and `b` elsewhere.
    fn either(&mut self, c: FormulaId, a: &LinExpr, b: &LinExpr, at: Position) -> Result<LinExpr, Smt2Error> {
        let v = self.fresh(at)?;
        let e = LinExpr::var(v);
        let (a, b) = (self.equal(&e, a), self.equal(&e, b));
        let definition = self.choice(c, a, b);
        self.definitions.insert(v, definition);
        Ok(e)
    }

    /// Arguments as distinct variables.
    fn arguments(
        &mut self,
        r: Relation,
        name: &str,
        args: Vec<Value>,
        at: Position,
    ) -> Result<Vec<Var>, Smt2Error> {
        let sorts = self.sorts.get(r.0 as usize).map_or(&[][..], |s| s);
        if sorts.len() != args.len() {
            return Err(at.error(format!("'{name}' takes {} arguments, not {}", sorts.len(), args.len())));
        }
        let mut out: Vec<Var> = Vec::with_capacity(args.len());
        for (i, (arg, sort)) in args.into_iter().zip(sorts).enumerate() {
            let v = match (arg, sort) {
                (Value::Int(e), Sort::Int) => match e.terms() {
                    [(v, k)] if k.is_one() && e.constant_part().is_zero() && !out.contains(v) => *v,
                    _ => {
                        let v = self.fresh(at)?;
                        let definition = self.equal(&LinExpr::var(v), &e);
                        self.definitions.insert(v, definition);
                        v
                    }
                },
                (Value::Bool(f), Sort::Bool) => match self.nodes[f] {
                    Node::Atom(Norm::Atom(ref a)) if self.boolean(a).is_some_and(|v| !out.contains(&v)) => {
                        self.boolean(a).unwrap_or(Var(0))
                    }
                    _ => {
                        let v = self.fresh(at)?;
                        let zero = self.add(Node::Atom(Atom::eq(&LinExpr::var(v))));
                        let one = LinExpr::var(v).with_constant(Rat::from(-1i64));
                        let one = self.add(Node::Atom(Atom::eq(&one)));
                        let definition = self.choice(f, one, zero);
                        self.definitions.insert(v, definition);
                        v
                    }
                },
                (_, Sort::Int) => {
                    return Err(at.error(format!("argument {} of '{name}' must be an Int", i + 1)));
                }
                (_, Sort::Bool) => {
                    return Err(at.error(format!("argument {} of '{name}' must be a Bool", i + 1)));
                }
            };
            out.push(v);
        }
        Ok(out)
    }

    /// The Bool variable that the atom says is 1: only those have the range as definition.
    fn boolean(&self, a: &Atom) -> Option<Var> {
        let v = a.vars().next()?;
        let range = self.definitions.get(&v).map(|d| &self.nodes[*d]);
        if Norm::Atom(a.clone()) == is_one(v) && matches!(range, Some(Node::And(parts)) if parts.len() == 2) {
            Some(v)
        } else {
            None
        }
    }
}

fn sum(first: &LinExpr, others: &[LinExpr]) -> LinExpr {
    let constant = others.iter().fold(first.constant_part().clone(), |c, e| &c + e.constant_part());
    LinExpr::new(first.terms().iter().chain(others.iter().flat_map(|e| e.terms())).cloned(), constant)
}

/// `v >= 1`, which of a variable for a Boolean says that it is true.
fn is_one(v: Var) -> Norm {
    Atom::le(&LinExpr::var(v).negated().with_constant(Rat::one()))
}

fn bools(args: Vec<Value>, op: &str, at: Position) -> Result<Vec<FormulaId>, Smt2Error> {
    let all = args.into_iter().map(|v| match v {
        Value::Bool(f) => Ok(f),
        Value::Int(_) => Err(at.error(format!("'{op}' takes Bool arguments"))),
    });
    all.collect()
}

fn ints(args: Vec<Value>, op: &str, at: Position) -> Result<Vec<LinExpr>, Smt2Error> {
    let all = args.into_iter().map(|v| match v {
        Value::Int(e) => Ok(e),
        Value::Bool(_) => Err(at.error(format!("'{op}' takes Int arguments"))),
    });
    all.collect()
}
