//! Expressions made ready to be evaluated often: no trees, addresses and bounds worked out. Each gives what
//! [`eval`] gives, errors included; tests compare the two.

use super::eval::{Env, binary, cast, eval, unary};
use super::stop::Stop;
use relyant_cfa::{BinOp, CmpOp, Expr, IntKind, UnOp};

/// Bounds of a kind, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least value of the kind; `i128::MIN` where there is none.
    pub min: i128,
    /// The greatest value of the kind; `i128::MAX` where there is none.
    pub max: i128,
}

impl Range {
    /// Those of a kind.
    pub fn of(kind: IntKind) -> Range {
        Range { min: kind.min().unwrap_or(i128::MIN), max: kind.max().unwrap_or(i128::MAX) }
    }
    /// Is the value inside?
    #[inline]
    pub fn has(&self, v: i128) -> bool {
        self.min <= v && v <= self.max
    }
}

/// What needs no work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operand {
    Const(i128),
    Reg(u32),
    SelfId,
}

/// A step of a stack machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instr {
    Push(Operand),
    Unary(UnOp, IntKind),
    Binary(BinOp, IntKind, Range),
    Compare(CmpOp),
    Not,
    Cast(IntKind, Range),
}

/// An expression that is ready to be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code(Form);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Operand(Operand),
    Compare(CmpOp, Operand, Operand),
    Binary(BinOp, Operand, Operand, IntKind, Range),
    Stack(Box<[Instr]>),
    /// Too deep for the stack.
    Tree(Box<Expr>),
}

/// Size of the stack; few expressions need more than 4.
const DEPTH: usize = 12;

impl Code {
    /// Prepares an expression over so many registers, at addresses of objects and functions.
    pub fn new(e: &Expr, registers: usize, bases: &[i128], functions: &[i128]) -> Result<Code, Stop> {
        let mut list = Vec::new();
        let needed = compile(e, registers, bases, functions, &mut list)?;
        let env = Env { registers: &[], self_id: 0, bases, function_bases: functions, signed_wraps: false };
        let constant = |i: &Instr| !matches!(i, Instr::Push(Operand::Reg(_) | Operand::SelfId));
        // What would wrap is left as it is.
        if list.iter().all(constant)
            && let Ok(c) = eval(e, &env)
        {
            return Ok(Code(Form::Operand(Operand::Const(c))));
        }
        Ok(Code(match list[..] {
            [Instr::Push(a)] => Form::Operand(a),
            [Instr::Push(a), Instr::Push(b), Instr::Compare(op)] => Form::Compare(op, a, b),
            [Instr::Push(a), Instr::Push(b), Instr::Binary(op, kind, range)] => {
                Form::Binary(op, a, b, kind, range)
            }
            _ if needed <= DEPTH => Form::Stack(list.into()),
            _ => Form::Tree(Box::new(e.clone())),
        }))
    }

    /// The value if it is a constant.
    pub fn constant(&self) -> Option<i128> {
        match self.0 {
            Form::Operand(Operand::Const(c)) => Some(c),
            _ => None,
        }
    }

    /// The value under these registers; an error where C leaves it undefined.
    #[inline]
    pub fn run(&self, env: &Env<'_>) -> Result<i128, Stop> {
        match &self.0 {
            Form::Operand(a) => Ok(operand(*a, env)),
            Form::Compare(op, a, b) => Ok(i128::from(compare(*op, operand(*a, env), operand(*b, env)))),
            Form::Binary(op, a, b, kind, range) => {
                arithmetic(*op, operand(*a, env), operand(*b, env), *kind, range, env)
            }
            Form::Stack(list) => stack(list, env),
            Form::Tree(e) => eval(e, env),
        }
    }
}

/// Adds the instructions of an expression; how much of the stack they need.
fn compile(
    e: &Expr,
    registers: usize,
    bases: &[i128],
    functions: &[i128],
    out: &mut Vec<Instr>,
) -> Result<usize, Stop> {
    let part = |e: &Expr, out: &mut Vec<Instr>| compile(e, registers, bases, functions, out);
    let (instr, needed) = match e {
        Expr::Const(c) => (Instr::Push(Operand::Const(*c)), 1),
        Expr::Reg(r) if (r.0 as usize) < registers => (Instr::Push(Operand::Reg(r.0)), 1),
        Expr::Reg(_) => return Err(Stop::Malformed("a register that does not exist")),
        Expr::Addr(o) => {
            let base = bases.get(o.0 as usize).ok_or(Stop::Malformed("an object that does not exist"))?;
            (Instr::Push(Operand::Const(*base)), 1)
        }
        Expr::Func(f) => {
            let base =
                functions.get(f.0 as usize).ok_or(Stop::Malformed("a function that does not exist"))?;
            (Instr::Push(Operand::Const(*base)), 1)
        }
        Expr::SelfId => (Instr::Push(Operand::SelfId), 1),
        Expr::Unary(op, a, kind) => {
            let n = part(a, out)?;
            (Instr::Unary(*op, *kind), n)
        }
        Expr::Not(a) => {
            let n = part(a, out)?;
            (Instr::Not, n)
        }
        Expr::Cast(a, kind) => {
            let n = part(a, out)?;
            (Instr::Cast(*kind, Range::of(*kind)), n)
        }
        Expr::Binary(_, a, b, _) | Expr::Compare(_, a, b) => {
            let n = part(a, out)?;
            let m = part(b, out)?;
            let instr = match e {
                Expr::Binary(op, _, _, kind) => Instr::Binary(*op, *kind, Range::of(*kind)),
                Expr::Compare(op, ..) => Instr::Compare(*op),
                _ => return Err(Stop::Malformed("an unknown expression")),
            };
            (instr, n.max(m + 1))
        }
    };
    out.push(instr);
    Ok(needed)
}

#[inline]
fn operand(a: Operand, env: &Env<'_>) -> i128 {
    match a {
        Operand::Const(c) => c,
        Operand::Reg(r) => env.registers[r as usize],
        Operand::SelfId => env.self_id,
    }
}

#[inline]
fn compare(op: CmpOp, a: i128, b: i128) -> bool {
    match op {
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
    }
}

/// The common case at once: an exact result within the kind.
#[inline]
fn arithmetic(
    op: BinOp,
    a: i128,
    b: i128,
    kind: IntKind,
    range: &Range,
    env: &Env<'_>,
) -> Result<i128, Stop> {
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        _ => None,
    };
    match exact {
        Some(x) if range.has(x) => Ok(x),
        _ => binary(op, a, b, kind, env.signed_wraps),
    }
}

fn stack(list: &[Instr], env: &Env<'_>) -> Result<i128, Stop> {
    let mut stack = [0i128; DEPTH];
    let mut top = 0;
    for instr in list {
        match *instr {
            Instr::Push(a) => {
                stack[top] = operand(a, env);
                top += 1;
            }
            Instr::Unary(op, kind) => stack[top - 1] = unary(op, stack[top - 1], kind, env.signed_wraps)?,
            Instr::Not => stack[top - 1] = i128::from(stack[top - 1] == 0),
            Instr::Cast(kind, range) => {
                let v = stack[top - 1];
                // A truth value in range stays what it is, too.
                stack[top - 1] = if range.has(v) { v } else { cast(v, kind) };
            }
            Instr::Binary(op, kind, range) => {
                top -= 1;
                stack[top - 1] = arithmetic(op, stack[top - 1], stack[top], kind, &range, env)?;
            }
            Instr::Compare(op) => {
                top -= 1;
                stack[top - 1] = i128::from(compare(op, stack[top - 1], stack[top]));
            }
        }
    }
    Ok(stack[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use relyant_cfa::{FuncId, ObjId, Reg};

    fn kind() -> impl Strategy<Value = IntKind> {
        let machine = (prop::sample::select(vec![1u8, 8, 16, 32, 64, 127, 128]), any::<bool>());
        prop_oneof![
            6 => machine.prop_map(|(bits, signed)| {
                // There is no unsigned kind of 128 bits.
                IntKind::Machine { bits: if signed { bits } else { bits.min(127) }, signed }
            }),
            1 => Just(IntKind::Bool),
            1 => Just(IntKind::Ideal),
        ]
    }

    fn number() -> impl Strategy<Value = i128> {
        prop_oneof![
            4 => -3i128..4,
            2 => (0u32..127, -1i128..2, any::<bool>()).prop_map(|(bits, more, minus)| {
                let power = 1i128 << bits;
                if minus { -power + more } else { power - 1 + more }
            }),
            1 => any::<i128>(),
        ]
    }

    fn expr() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            3 => number().prop_map(Expr::Const),
            4 => (0u32..4).prop_map(|r| Expr::Reg(Reg(r))),
            1 => Just(Expr::SelfId),
            1 => (0u32..2).prop_map(|o| Expr::Addr(ObjId(o))),
            1 => Just(Expr::Func(FuncId(0))),
        ];
        let binary = prop::sample::select(vec![
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Div,
            BinOp::Rem,
            BinOp::Shl,
            BinOp::Shr,
            BinOp::And,
            BinOp::Or,
            BinOp::Xor,
        ]);
        let compare =
            prop::sample::select(vec![CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne]);
        leaf.prop_recursive(6, 40, 2, move |inner| {
            let (a, b) = (inner.clone(), inner.clone());
            prop_oneof![
                4 => (binary.clone(), a.clone(), b.clone(), kind())
                    .prop_map(|(op, a, b, k)| Expr::Binary(op, Box::new(a), Box::new(b), k)),
                2 => (compare.clone(), a.clone(), b)
                    .prop_map(|(op, a, b)| Expr::Compare(op, Box::new(a), Box::new(b))),
                1 => a.clone().prop_map(|a| Expr::Not(Box::new(a))),
                2 => (a.clone(), kind()).prop_map(|(a, k)| Expr::Cast(Box::new(a), k)),
                1 => (a, kind(), any::<bool>()).prop_map(|(a, k, neg)| {
                    Expr::Unary(if neg { UnOp::Neg } else { UnOp::BitNot }, Box::new(a), k)
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn code_gives_what_the_tree_gives(
            e in expr(),
            registers in prop::collection::vec(number(), 4),
            signed_wraps: bool,
        ) {
            let (bases, functions) = ([100, 200], [7]);
            let env = Env {
                registers: &registers,
                self_id: 3,
                bases: &bases,
                function_bases: &functions,
                signed_wraps,
            };
            let code = Code::new(&e, 4, &bases, &functions).unwrap();
            prop_assert_eq!(code.run(&env), eval(&e, &env));
        }
    }

    #[test]
    fn deep_expressions_have_values() {
        let one = || Box::new(Expr::Const(1));
        let deep = (0..100).fold(*one(), |e, _| Expr::Binary(BinOp::Add, one(), Box::new(e), IntKind::INT));
        let env = Env { registers: &[], self_id: 0, bases: &[], function_bases: &[], signed_wraps: false };
        assert_eq!(Code::new(&deep, 0, &[], &[]).unwrap().run(&env), Ok(101));
        assert!(Code::new(&Expr::Reg(Reg(0)), 0, &[], &[]).is_err());
    }
}
