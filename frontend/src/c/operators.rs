//! What each binary operator of C is, without a default: a new one does not compile.

use lang_c::ast::BinaryOperator;
use relyant_cfa::{BinOp, CmpOp};

/// How a binary operator is evaluated.
pub enum Operator {
    /// `a[b]`: it designates an object.
    Index,
    /// `&&`, `||`: the right operand only where it matters.
    Logical,
    Assign,
    Comparison(CmpOp),
    Arithmetic(BinOp),
    /// `a op= b`; its value is the new one.
    Compound(BinOp),
}

impl Operator {
    pub fn of(op: &BinaryOperator) -> Operator {
        use BinaryOperator as B;
        use Operator::{Arithmetic, Comparison, Compound};
        match op {
            B::Index => Operator::Index,
            B::LogicalAnd | B::LogicalOr => Operator::Logical,
            B::Assign => Operator::Assign,
            B::Less => Comparison(CmpOp::Lt),
            B::Greater => Comparison(CmpOp::Gt),
            B::LessOrEqual => Comparison(CmpOp::Le),
            B::GreaterOrEqual => Comparison(CmpOp::Ge),
            B::Equals => Comparison(CmpOp::Eq),
            B::NotEquals => Comparison(CmpOp::Ne),
            B::Multiply => Arithmetic(BinOp::Mul),
            B::Divide => Arithmetic(BinOp::Div),
            B::Modulo => Arithmetic(BinOp::Rem),
            B::Plus => Arithmetic(BinOp::Add),
            B::Minus => Arithmetic(BinOp::Sub),
            B::ShiftLeft => Arithmetic(BinOp::Shl),
            B::ShiftRight => Arithmetic(BinOp::Shr),
            B::BitwiseAnd => Arithmetic(BinOp::And),
            B::BitwiseXor => Arithmetic(BinOp::Xor),
            B::BitwiseOr => Arithmetic(BinOp::Or),
            B::AssignMultiply => Compound(BinOp::Mul),
            B::AssignDivide => Compound(BinOp::Div),
            B::AssignModulo => Compound(BinOp::Rem),
            B::AssignPlus => Compound(BinOp::Add),
            B::AssignMinus => Compound(BinOp::Sub),
            B::AssignShiftLeft => Compound(BinOp::Shl),
            B::AssignShiftRight => Compound(BinOp::Shr),
            B::AssignBitwiseAnd => Compound(BinOp::And),
            B::AssignBitwiseXor => Compound(BinOp::Xor),
            B::AssignBitwiseOr => Compound(BinOp::Or),
        }
    }
}
