//! Instructions of x86 that read, change and write a word of memory, as C code of kernels has them: what they leave in a
//! register, and the flag that is looked at after them.

use super::instructions::{atomic, operand, width};
use super::lower::{Lower, Res};
use super::types::{Int, Ty};
use super::value::{At, Place, Value};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Bytes};
use relyant_cfa::{BinOp, CmpOp, Expr, Op, UnOp};

/// What an instruction does to a word of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Binary(BinOp),
    Unary(UnOp),
    /// The register gets the old word, which is added to.
    AddAndGive,
    /// The word becomes the register's if it is the accumulator's, which gets the old word.
    CompareAndSwap,
    /// Sets, clears or flips a bit.
    Bit(BinOp),
}

/// What is operated with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum With {
    Operand(usize),
    Number(i128),
}

/// When a flag is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flag {
    /// The new word, as a signed number, compared with 0.
    New(CmpOp),
    /// The bit was 1 before.
    Bit,
    /// The bit was 0 before.
    NoBit,
}

/// An instruction, and what is made of a flag after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sequence {
    locked: bool,
    change: Change,
    /// Bits, if the instruction says so.
    width: Option<u8>,
    with: With,
    /// The operand in memory.
    memory: usize,
    flag: Option<Told>,
}

/// What is made of a flag: an operand becomes 1, or -1 with `mask`; else 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Told {
    flag: Flag,
    operand: usize,
    mask: bool,
}

fn change(name: &str) -> Option<Change> {
    Some(match name {
        "add" | "inc" => Change::Binary(BinOp::Add),
        "sub" | "dec" => Change::Binary(BinOp::Sub),
        "and" => Change::Binary(BinOp::And),
        "or" => Change::Binary(BinOp::Or),
        "xor" => Change::Binary(BinOp::Xor),
        "not" => Change::Unary(UnOp::BitNot),
        "neg" => Change::Unary(UnOp::Neg),
        "xadd" => Change::AddAndGive,
        "cmpxchg" => Change::CompareAndSwap,
        "bts" => Change::Bit(BinOp::Or),
        "btr" => Change::Bit(BinOp::And),
        "btc" => Change::Bit(BinOp::Xor),
        _ => return None,
    })
}

/// An operand's number, where it is named with no other width than the instruction's.
fn plain(text: &str, width: Option<u8>) -> Option<usize> {
    let letter = text.strip_prefix('%')?.get(..1)?;
    let said = match letter {
        "k" => Some(32),
        _ => super::instructions::width(letter),
    };
    (said.is_none() || said == width).then(|| operand(text)?.parse().ok())?
}

/// What instructions do, blanks left out, if it is known.
fn sequence(instructions: &[String]) -> Option<Sequence> {
    let all: Vec<&str> = instructions.iter().map(String::as_str).filter(|i| !i.is_empty()).collect();
    let (mut locked, all) = match all.as_slice() {
        ["lock", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (code, after) = all.split_first()?;
    let code = code.strip_prefix("lock").inspect(|_| locked = true).unwrap_or(code);
    let (name, operands) = code.split_at(code.find(['%', '$'])?);
    let short = name.get(..name.len().checked_sub(1)?)?;
    let (stem, change, width) = match change(name) {
        Some(c) => (name, c, None),
        None => (short, change(short)?, Some(width(&name[short.len()..])?)),
    };
    let number = |text: &str| plain(text, width);
    let single = matches!(stem, "inc" | "dec" | "not" | "neg");
    let (with, memory) = match operands.split_once(',') {
        None if single => (With::Number(1), number(operands)?),
        Some((a, b)) if !single => match a.strip_prefix('$') {
            Some(n) => (With::Number(n.parse().ok()?), number(b)?),
            None => (With::Operand(number(a)?), number(b)?),
        },
        _ => return None,
    };
    let of_bit = matches!(change, Change::Bit(_));
    let flag = match after {
        [] => None,
        [test] => {
            let (name, operands) = test.split_at(test.find('%')?);
            if of_bit && matches!(name, "sbb" | "sbbl" | "sbbq") {
                let (a, b) = operands.split_once(',')?;
                Some(Told { flag: Flag::Bit, operand: plain(a, None).filter(|_| a == b)?, mask: true })
            } else {
                let flag = match name.strip_prefix("set")? {
                    "c" | "b" if of_bit => Flag::Bit,
                    "nc" | "ae" if of_bit => Flag::NoBit,
                    "e" | "z" if !of_bit => Flag::New(CmpOp::Eq),
                    "ne" | "nz" if !of_bit => Flag::New(CmpOp::Ne),
                    "s" if !of_bit => Flag::New(CmpOp::Lt),
                    "ns" if !of_bit => Flag::New(CmpOp::Ge),
                    _ => return None,
                };
                Some(Told { flag, operand: plain(operands, Some(8))?, mask: false })
            }
        }
        _ => return None,
    };
    let sets_flags = flag.is_none() || matches!(change, Change::Binary(_) | Change::Bit(_));
    sets_flags.then_some(Sequence { locked, change, width, with, memory, flag })
}

/// Does a constraint name an operand, or have a letter?
fn constrained(o: &Node<GnuAsmOperand>, what: impl Fn(char) -> bool) -> bool {
    o.node.constraints.node.iter().any(|c| c.contains(&what))
}

/// May an operand be a number in the instruction, rather than a register?
fn immediate(o: &Node<GnuAsmOperand>) -> bool {
    constrained(o, |c| c == 'I') || !small(o)
}

/// Is an operand a register, or a number below 32?
pub fn small(o: &Node<GnuAsmOperand>) -> bool {
    !constrained(o, |c| "inNeJKLMgXZ".contains(c))
}

/// An operand by its number.
fn nth(x: &GnuExtendedAsmStatement, k: usize) -> Option<&Node<GnuAsmOperand>> {
    x.outputs.get(k).or_else(|| x.inputs.get(k.checked_sub(x.outputs.len())?))
}

/// Does an input start as what an output ends as?
fn matching(input: &Node<GnuAsmOperand>, output: usize) -> bool {
    let number = char::from_digit(output as u32, 10);
    constrained(input, |c| Some(c) == number)
}

impl Sequence {
    /// The unsigned type of the word, where the instruction is of its width: without a letter for it, that is the width
    /// of a register, or else 32 bits.
    fn word(&self, place: &Place, with: &Value, x: &GnuExtendedAsmStatement) -> Option<Int> {
        let i = place.ty.int().filter(|i| i.rank > 0)?;
        let bits = |v: &Value| v.ty.int().is_some_and(|w| w.bits == i.bits);
        let fits = match (self.change, self.width, self.with) {
            // A bit is in the same place in words of 32 and of 64 bits.
            (Change::Bit(_), None | Some(32 | 64), _) => i.bits == 64,
            (_, Some(width), _) => width == i.bits,
            _ if x.outputs.get(self.memory).is_some_and(|o| !constrained(o, |c| c == 'm')) => true,
            (_, None, With::Number(_)) => i.bits == 32,
            (_, None, With::Operand(k)) => {
                bits(with) && (i.bits == 32 || nth(x, k).is_some_and(|o| !immediate(o)))
            }
        };
        fits.then_some(Int { signed: false, ..i })
    }

    /// Is every operand one that it uses, and no two results the same?
    fn covers(&self, x: &GnuExtendedAsmStatement) -> bool {
        let accumulator =
            |k: &usize| self.change == Change::CompareAndSwap && constrained(&x.outputs[*k], |c| c == 'a');
        let mut results = vec![self.memory];
        results.extend(self.flag.map(|t| t.operand));
        match (self.change, self.with) {
            (Change::AddAndGive, With::Operand(k)) => results.push(k),
            (Change::CompareAndSwap, _) => results.extend((0..x.outputs.len()).filter(accumulator)),
            _ => {}
        }
        let different = (0..results.len()).all(|i| !results[..i].contains(&results[i]));
        let uses = |k: usize| self.with == With::Operand(k);
        let outputs = (0..x.outputs.len())
            .all(|k| results.contains(&k) || uses(k) && constrained(&x.outputs[k], |c| c == '+'));
        let inputs = x.inputs.iter().enumerate().all(|(k, i)| {
            uses(x.outputs.len() + k)
                || constrained(i, |c| c == 'm')
                || results.iter().any(|r| matching(i, *r))
        });
        // The word is what the place of its result holds before.
        let memory = &x.outputs[self.memory];
        let kept = constrained(memory, |c| c == '+' || c == 'm')
            && !x.inputs.iter().any(|i| matching(i, self.memory));
        different && outputs && inputs && kept
    }

    /// A bit whose number is in the instruction is counted inside of the word.
    fn bit_is_inside(&self, x: &GnuExtendedAsmStatement) -> bool {
        match self.with {
            With::Number(n) => (0..32).contains(&n),
            With::Operand(k) => nth(x, k).is_some_and(small),
        }
    }
}

impl<'a> Lower<'a> {
    /// Does what an assembler statement does if it changes a word of memory in one of the known ways.
    pub fn change_of_word(
        &mut self,
        instructions: &[String],
        x: &'a GnuExtendedAsmStatement,
        at: Bytes,
    ) -> Res<bool> {
        let Some(s) = sequence(instructions) else { return Ok(false) };
        let operands: Vec<_> = x.outputs.iter().chain(&x.inputs).collect();
        let named = operands.iter().any(|o| o.node.symbolic_name.is_some());
        if named || s.memory >= x.outputs.len() || !s.covers(x) {
            return Ok(false);
        }
        if matches!(s.change, Change::Bit(_)) && !s.bit_is_inside(x) {
            return Ok(false);
        }
        let gives = matches!(s.change, Change::AddAndGive | Change::CompareAndSwap);
        // Without a lock the steps are not one: only what gives nothing is told so.
        if gives && !s.locked {
            return Ok(false);
        }
        let with = match s.with {
            With::Number(n) => Value::int(n),
            With::Operand(k) => match self.given(k, x)? {
                Some(v) if v.ty.int().is_some() => v,
                _ => return Ok(false),
            },
        };
        if s.change == Change::CompareAndSwap {
            return self.compare_word(&s, with, x, at);
        }
        let memory = &x.outputs[s.memory];
        let (place, with) = match s.change {
            Change::Bit(_) => match self.bit_in(memory, with, at)? {
                Some(found) => found,
                None => return Ok(false),
            },
            _ => (self.place(&memory.node.variable_name)?, with),
        };
        let Some(word) = s.word(&place, &with, x) else { return Ok(false) };
        let given = with.clone();
        let compute = |l: &mut Self, old: Value| l.changed(s.change, old, given, &word, at);
        let (old, new) = if s.locked || !matches!(place.at, At::Memory(_)) {
            self.update(&atomic(place), compute, at)?
        } else {
            let old = self.read(&place, at)?;
            let new = compute(self, old.clone())?;
            let new = self.write(&place, new, at)?;
            (old, new)
        };
        if let (Change::AddAndGive, With::Operand(k)) = (s.change, s.with) {
            let Some(register) = x.outputs.get(k) else { return Ok(false) };
            let to = self.place(&register.node.variable_name)?;
            if to.ty.int().is_none_or(|i| i.bits != word.bits) {
                return Ok(false);
            }
            self.write(&to, old.clone(), at)?;
        }
        let Some(told) = s.flag else { return Ok(true) };
        let set = match told.flag {
            Flag::New(op) => {
                let signed = Ty::Int(Int { signed: true, ..word });
                let new = self.convert(new, &signed, at)?;
                self.comparison(op, new, Value::int(0), at)?
            }
            Flag::Bit | Flag::NoBit => {
                let old = self.convert(old, &Ty::Int(word), at)?;
                let bit = self.arithmetic(BinOp::And, old, with, at)?;
                let op = if told.flag == Flag::Bit { CmpOp::Ne } else { CmpOp::Eq };
                self.comparison(op, bit, Value::int(0), at)?
            }
        };
        let set = if told.mask { self.unary(Some(UnOp::Neg), set, at)? } else { set };
        let Some(result) = x.outputs.get(told.operand) else { return Ok(false) };
        let to = self.place(&result.node.variable_name)?;
        if to.ty.int().is_none_or(|i| if told.mask { i.rank == 0 } else { i.bits > 8 }) {
            return Ok(false);
        }
        self.write(&to, set, at)?;
        Ok(true)
    }

    /// What an operand holds before the statement.
    fn given(&mut self, k: usize, x: &'a GnuExtendedAsmStatement) -> Res<Option<Value>> {
        let value = |l: &mut Self, o: &'a Node<GnuAsmOperand>| l.value(&o.node.variable_name).map(Some);
        let Some(output) = x.outputs.get(k) else {
            return match x.inputs.get(k - x.outputs.len()) {
                Some(input) => value(self, input),
                None => Ok(None),
            };
        };
        if constrained(output, |c| c == '+') {
            return value(self, output);
        }
        match x.inputs.iter().find(|i| matching(i, k)) {
            Some(input) => value(self, input),
            None => Ok(None),
        }
    }

    /// The new word; `word` is its unsigned type, since these instructions wrap.
    fn changed(&mut self, change: Change, old: Value, with: Value, word: &Int, at: Bytes) -> Res<Value> {
        let word = Ty::Int(*word);
        let (old, with) = (self.convert(old, &word, at)?, self.convert(with, &word, at)?);
        match change {
            Change::Unary(op) => self.unary(Some(op), old, at),
            Change::Bit(BinOp::And) => {
                let others = self.unary(Some(UnOp::BitNot), with, at)?;
                self.arithmetic(BinOp::And, old, others, at)
            }
            Change::Binary(op) | Change::Bit(op) => self.arithmetic(op, old, with, at),
            Change::AddAndGive | Change::CompareAndSwap => self.arithmetic(BinOp::Add, old, with, at),
        }
    }

    /// `cmpxchg`: the result, in the accumulator, is the word as it was.
    fn compare_word(
        &mut self,
        s: &Sequence,
        new: Value,
        x: &'a GnuExtendedAsmStatement,
        at: Bytes,
    ) -> Res<bool> {
        let accumulator = |o: &Node<GnuAsmOperand>| constrained(o, |c| c == 'a');
        let Some(k) = x.outputs.iter().position(accumulator) else { return Ok(false) };
        let Some(old) = self.given(k, x)? else { return Ok(false) };
        let place = self.place(&x.outputs[s.memory].node.variable_name)?;
        let Some(word) = s.word(&place, &new, x) else { return Ok(false) };
        let to = self.place(&x.outputs[k].node.variable_name)?;
        if to.ty.int().is_none_or(|i| i.bits != word.bits) {
            return Ok(false);
        }
        let (seen, swapped, differed) = self.swap(&atomic(place), old, new, false, at)?;
        let end = self.body.fresh();
        for from in [swapped, differed] {
            self.body.cur = from;
            self.body.edge_to(end, Op::Skip);
        }
        self.body.cur = end;
        self.write(&to, seen, at)?;
        Ok(true)
    }

    /// The word that a bit is in, counted from an operand in memory, and the bit in it.
    pub fn bit_in(
        &mut self,
        memory: &'a Node<GnuAsmOperand>,
        number: Value,
        at: Bytes,
    ) -> Res<Option<(Place, Value)>> {
        let place = self.place(&memory.node.variable_name)?;
        let (At::Memory(address), Some(64)) = (&place.at, place.ty.int().map(|i| i.bits)) else {
            return Ok(None);
        };
        let address = address.clone();
        let long = Ty::Int(self.unit.types.long());
        let n = self.convert(number, &long, at)?;
        let six = Value { expr: Expr::Const(6), ty: long.clone() };
        let words = self.arithmetic(BinOp::Shr, n.clone(), six, at)?.expr;
        let address = super::value::binary(BinOp::Add, address, words, relyant_cfa::IntKind::Ideal);
        let low = Value { expr: Expr::Const(63), ty: long };
        let by = self.arithmetic(BinOp::And, n, low, at)?;
        let one = Value { expr: Expr::Const(1), ty: Ty::Int(self.unit.types.ulong()) };
        let mask = self.arithmetic(BinOp::Shl, one, by, at)?;
        Ok(Some((Place { at: At::Memory(address), ..place }, mask)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_known_by_their_operands() {
        let of = |t: &[&str]| sequence(&t.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        let s = of(&["lock", "decl%0", "sete%1"]).expect("known");
        assert_eq!((s.locked, s.change, s.width, s.with, s.memory), {
            (true, Change::Binary(BinOp::Sub), Some(32), With::Number(1), 0)
        });
        assert_eq!(s.flag, Some(Told { flag: Flag::New(CmpOp::Eq), operand: 1, mask: false }));
        let s = of(&["", "lock", "bts%2,%1", "sbb%0,%0"]).expect("known");
        assert_eq!((s.change, s.with, s.memory), (Change::Bit(BinOp::Or), With::Operand(2), 1));
        assert_eq!(s.flag, Some(Told { flag: Flag::Bit, operand: 0, mask: true }));
        let s = of(&["lockcmpxchgq%2,%1"]).expect("known");
        assert_eq!((s.locked, s.change, s.width), (true, Change::CompareAndSwap, Some(64)));
        assert_eq!(of(&["subl$2,%0"]).map(|s| s.with), Some(With::Number(2)));
        assert_eq!(of(&["lock", "xaddl%0,%1", "sete%2"]), None);
        assert_eq!(of(&["incl%0", "incl%0"]), None);
        assert_eq!(of(&["movl%1,%0"]), None);
    }
}
