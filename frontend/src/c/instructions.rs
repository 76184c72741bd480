//! Single instructions in assembler statements that C code of drivers is full of: input and output by ports, exchanges,
//! bits that are tested, and the processor's flags. Memory is little-endian.

use super::locked::small;
use super::lower::{Lower, Res};
use super::types::{Int, Ty};
use super::value::{Place, Value};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, InputSource};
use std::rc::Rc;

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Reads a port: so many bits.
    In(u8),
    /// Writes to a port: nobody here sees it.
    Out,
    /// Exchanges so many low bits of a register and of memory.
    Exchange(u8),
    /// Is a bit set? 0 or -1.
    Test,
    /// Reads the processor's flags.
    Flags,
}

/// Bits that the last letter of an instruction stands for.
pub fn width(letter: &str) -> Option<u8> {
    Some(match letter {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    })
}

/// An operand's number, without the letter for its width.
pub fn operand(text: &str) -> Option<&str> {
    let text = text.strip_prefix('%')?;
    Some(text.strip_prefix(['b', 'w', 'k', 'q']).unwrap_or(text))
}

/// An instruction with two operands, as it is used.
fn known(instructions: &[String]) -> Option<Known> {
    let all: Vec<&str> = instructions.iter().map(String::as_str).filter(|i| !i.is_empty()).collect();
    let (locked, rest) = match all.as_slice() {
        ["lock", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if matches!(rest, ["pushf" | "pushfq" | "pushfl", "pop%0" | "popq%0" | "popl%0"]) && !locked {
        return Some(Known::Flags);
    }
    let (code, second) = rest.split_first()?;
    let (name, operands) = code.split_at(code.find('%')?);
    let (a, b) = operands.split_once(',')?;
    let operands = (operand(a)?, operand(b)?);
    if let [test] = second {
        let of_bit = matches!(name, "bt" | "btl" | "btq") && operands == ("2", "1") && !locked;
        let gives = matches!(*test, "sbb%0,%0" | "sbbl%0,%0" | "sbbq%0,%0");
        return (of_bit && gives).then_some(Known::Test);
    }
    if !second.is_empty() {
        return None;
    }
    let (stem, bits) = (name.get(..name.len().checked_sub(1)?)?, width(name.get(name.len() - 1..)?)?);
    match (stem, operands) {
        ("in", ("1", "0")) if bits < 64 && !locked => Some(Known::In(bits)),
        ("out", ("0", "1")) if bits < 64 && !locked => Some(Known::Out),
        ("xchg", ("0", "1")) => Some(Known::Exchange(bits)),
        _ => None,
    }
}

impl<'a> Lower<'a> {
    /// Does what an assembler statement does if it is one of these.
    pub fn known_instruction(
        &mut self,
        instructions: &[String],
        x: &'a GnuExtendedAsmStatement,
        at: Bytes,
    ) -> Res<bool> {
        let Some(what) = known(instructions) else { return Ok(false) };
        let plain = |o: &Node<GnuAsmOperand>| o.node.symbolic_name.is_none();
        if !x.outputs.iter().chain(&x.inputs).all(plain) {
            return Ok(false);
        }
        let updates = |o: &Node<GnuAsmOperand>| o.node.constraints.node.iter().any(|c| c.contains('+'));
        match (what, x.outputs.as_slice(), x.inputs.as_slice()) {
            (Known::In(bits), [value], [port]) if !updates(value) => {
                self.effect(&port.node.variable_name)?;
                let place = self.place(&value.node.variable_name)?;
                self.unit.assume("what is read from a port is any value");
                let ty = Ty::Int(Int { bits, ..super::types::UINT });
                let v = self.any(&ty, InputSource::input("a port"), true, at)?;
                self.write(&place, v, at)?;
            }
            (Known::Flags, [value], []) if !updates(value) => {
                let place = self.place(&value.node.variable_name)?;
                self.unit.assume("the processor's flags are any value");
                let v = self.any(&place.ty, InputSource::input("flags of the processor"), true, at)?;
                self.write(&place, v, at)?;
            }
            (Known::Out, [], [value, port]) => {
                self.effect(&value.node.variable_name)?;
                self.effect(&port.node.variable_name)?;
                self.unit.assume("what is written to a port changes nothing of the program's");
            }
            (Known::Exchange(bits), [register, memory], _) if updates(register) && updates(memory) => {
                let other = self.place(&register.node.variable_name)?;
                let place = self.place(&memory.node.variable_name)?;
                let wide = |t: &Ty| t.int().is_some_and(|i| i.bits >= bits);
                if !wide(&other.ty) || !wide(&place.ty) {
                    return Ok(false);
                }
                let given = self.read(&other, at)?;
                let place = atomic(place);
                let new = given.clone();
                let (old, _) = self.update(&place, |l, old| l.low_bits(bits, &old, &new, at), at)?;
                let kept = self.low_bits(bits, &given, &old, at)?;
                self.write(&other, kept, at)?;
            }
            (Known::Test, [result], [memory, number]) if !updates(result) && small(number) => {
                let n = self.value(&number.node.variable_name)?;
                let Some((place, mask)) = self.bit_in(memory, n, at)? else { return Ok(false) };
                let to = self.place(&result.node.variable_name)?;
                let word = self.read(&place, at)?;
                let bit = self.arithmetic(BinOp::And, word, mask, at)?;
                let set = self.comparison(CmpOp::Ne, bit, Value::int(0), at)?;
                let all = self.unary(Some(relyant_cfa::UnOp::Neg), set, at)?;
                self.write(&to, all, at)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `a` with the low bits of `b`.
    fn low_bits(&mut self, bits: u8, a: &Value, b: &Value, at: Bytes) -> Res<Value> {
        if a.ty.int().is_some_and(|i| i.bits == bits) {
            return Ok(b.clone());
        }
        let ulong = Ty::Int(self.unit.types.ulong());
        let mask = Value { expr: Expr::Const((1i128 << bits) - 1), ty: ulong.clone() };
        let rest = Value { expr: Expr::Const(i128::from(u64::MAX << bits)), ty: ulong };
        let high = self.arithmetic(BinOp::And, a.clone(), rest, at)?;
        let low = self.arithmetic(BinOp::And, b.clone(), mask, at)?;
        self.arithmetic(BinOp::Or, high, low, at)
    }
}

/// The same place, accessed in one step.
pub fn atomic(p: Place) -> Place {
    Place { ty: Ty::Atomic(Rc::new(p.ty.plain().clone())), ..p }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_known_by_their_operands() {
        let of = |t: &[&str]| known(&t.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!(of(&["inb%w1,%b0"]), Some(Known::In(8)));
        assert_eq!(of(&["outl%0,%w1"]), Some(Known::Out));
        assert_eq!(of(&["xchgq%q0,%1", ""]), Some(Known::Exchange(64)));
        assert_eq!(of(&["bt%2,%1", "sbb%0,%0"]), Some(Known::Test));
        assert_eq!(of(&["inb%w0,%b1"]), None);
    }
}
