//! Expressions over registers. They read no memory and have no side effects.

use super::{FloatOp, FloatUnary, FuncId, IntKind, ObjId, Precision, Reg};

/// Operators of one operand; the kind of the result stands beside them in [`Expr::Unary`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// `-x`; of the least signed number undefined behaviour, unless signed arithmetic wraps.
    Neg,
    /// `~x`, on the bits of the kind.
    BitNot,
    /// An operation on a floating-point value, which is held as its bit pattern.
    Float(FloatUnary),
}

/// Two operands of the result's kind (shifts: the right one of its own).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Truncates toward zero; by zero it is undefined.
    Div,
    /// Sign of the left operand.
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    /// On floating-point values, held as bit patterns; a comparison gives 0 or 1.
    Float(FloatOp, Precision),
}

/// Comparisons, as mathematics has them: lowering converts both operands first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum CmpOp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinOp {
    /// As C writes it; of floating-point values, with a dot behind it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Float(FloatOp::Add, _) => "+.",
            BinOp::Float(FloatOp::Sub, _) => "-.",
            BinOp::Float(FloatOp::Mul, _) => "*.",
            BinOp::Float(FloatOp::Div, _) => "/.",
            BinOp::Float(FloatOp::Less, _) => "<.",
            BinOp::Float(FloatOp::LessEqual, _) => "<=.",
            BinOp::Float(FloatOp::Equal, _) => "==.",
        }
    }
}

impl CmpOp {
    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
            CmpOp::Eq => "==",
            CmpOp::Ne => "!=",
        }
    }
}

/// A side-effect free expression over registers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A number; its kind is that of what it is used in.
    Const(i128),
    /// The present value of a register of the running thread (or of the function, in a module).
    Reg(Reg),
    /// Base address of an object.
    Addr(ObjId),
    /// Address of a function.
    Func(FuncId),
    /// Handle of the running thread: a positive number, different for every thread.
    SelfId,
    /// `op x` in a kind.
    Unary(UnOp, Box<Expr>, IntKind),
    /// `x op y` in a kind: unsigned kinds wrap, signed ones as the options say.
    Binary(BinOp, Box<Expr>, Box<Expr>, IntKind),
    /// 1 if the comparison holds, else 0.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// 1 if the operand is 0, else 0.
    Not(Box<Expr>),
    /// Conversion to a kind, as C does it (out of range of a signed kind: wraps, as gcc and clang define).
    Cast(Box<Expr>, IntKind),
}

impl Expr {
    /// `x != 0`, as an expression that is 0 or 1.
    pub fn is_true(self) -> Expr {
        match self {
            Expr::Compare(..) | Expr::Not(_) => self,
            e => Expr::Compare(CmpOp::Ne, Box::new(e), Box::new(Expr::Const(0))),
        }
    }
    /// `x == 0`, as an expression that is 0 or 1.
    pub fn is_false(self) -> Expr {
        match self {
            Expr::Compare(op, a, b) => {
                let op = match op {
                    CmpOp::Lt => CmpOp::Ge,
                    CmpOp::Le => CmpOp::Gt,
                    CmpOp::Gt => CmpOp::Le,
                    CmpOp::Ge => CmpOp::Lt,
                    CmpOp::Eq => CmpOp::Ne,
                    CmpOp::Ne => CmpOp::Eq,
                };
                Expr::Compare(op, a, b)
            }
            Expr::Not(e) => e.is_true(),
            e => Expr::Compare(CmpOp::Eq, Box::new(e), Box::new(Expr::Const(0))),
        }
    }
}
