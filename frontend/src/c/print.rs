//! Formatted output and input: what a format asks for is read and written.

use super::access::How;
use super::calls::Args;
use super::format::{Conversion, Count, Piece, pieces};
use super::library::Scanned;
use super::lower::{Lower, Res};
use super::translation::Translation;
use super::types::{CHAR, INT, Int, Ty};
use super::value::{Value, cast, compare, offset};
use lang_c::span::Span as Bytes;
use relyant_cfa::{CmpOp, Expr, InputSource, IntKind, Op};

/// Longest text of a floating-point number: 309 digits, a point, six digits, a sign and some.
const FLOAT: u64 = 330;
/// Longest text of an integer or a pointer.
const NUMBER: u64 = 23;

/// Where a call of `sprintf` or its like writes.
struct Buffer<'v> {
    /// Its first argument: the address of the first character.
    to: &'v Value,
    /// Characters that there is room for, the 0 at the end included.
    most: &'v Expr,
    /// The function that is called, for messages.
    name: &'v str,
    /// Where the call is in the source.
    at: Bytes,
}

/// What is written next, as the format asks.
struct Asked<'v> {
    conversion: &'v Conversion,
    /// None: as wide as it gets.
    width: Option<Expr>,
    /// None: what the conversion has when the format says nothing.
    precision: Option<Expr>,
    /// What is converted.
    value: Value,
}

impl<'a> Lower<'a> {
    /// What `printf` does to memory, with the format at an argument and what it asks for behind it.
    pub fn format_call(&mut self, k: usize, name: &str, values: &[Value], at: Bytes) -> Res<()> {
        let Some(format) = values.get(k) else { return self.error(at, "too few arguments", "") };
        let rest = &values[k + 1..];
        let Some(text) = self.unit.literal_format(format) else {
            self.counts_nothing(name, rest, at)?;
            let pointer = rest.iter().any(|v| v.ty.target().is_some());
            if pointer && self.unit.minds_reads() {
                return self.refuse(
                    at,
                    format!("`{name}` with a format that is no literal, and pointers, is"),
                    "write the format where it is used",
                );
            }
            return if self.unit.minds_reads() && format.ty.target().is_some() {
                self.read_text(format, None, at)
            } else {
                Ok(())
            };
        };
        let Some(pieces) = pieces(&text, false) else {
            return self.refuse(at, format!("this format of `{name}` is"), "use the conversions of C11");
        };
        let mut rest = rest.iter();
        // How much is written, while that is known.
        let mut written = Some(0);
        for piece in &pieces {
            let c = match piece {
                Piece::Conversion(c) => c,
                Piece::Text(t) => {
                    written = written.map(|n| n + t.len() as i128);
                    continue;
                }
            };
            let Asked { precision, value: v, .. } = self.asked(c, &mut rest, name, at)?;
            match c.kind {
                b's' if self.unit.minds_reads() && v.ty.target().is_some() && c.length.is_empty() => {
                    self.read_text(&v, precision, at)?;
                }
                b'n' => self.count_into(&v, written.map(Expr::Const), name, at)?,
                _ => {}
            }
            written = written.filter(|_| c.kind == b'n');
        }
        Ok(())
    }

    /// A format that is not known must not ask for `%n`: nothing it could store to is given.
    fn counts_nothing(&mut self, name: &str, values: &[Value], at: Bytes) -> Res<()> {
        let number = |v: &Value| v.ty.target().is_some_and(|t| t.int().is_some_and(|i| i.rank > 1));
        if !values.iter().any(number) {
            return Ok(());
        }
        let what = format!("`{name}` with a format that is no literal, and pointers to integers, is");
        self.refuse(at, what, "write the format where it is used")
    }

    /// `%n`: stores how much was written so far; any number where that is not known.
    fn count_into(&mut self, v: &Value, written: Option<Expr>, name: &str, at: Bytes) -> Res<()> {
        let Some(ty @ Ty::Int(_)) = v.ty.target().map(Ty::plain) else {
            return self.error(at, "`%n` needs a pointer to an integer", "");
        };
        let kind = self.unit.types.kind(ty);
        let n = match written {
            Some(n) => cast(n, IntKind::Machine { bits: 64, signed: false }, kind),
            None => self.body.havoc(kind, InputSource::approximate(name)),
        };
        self.write_cell(v.expr.clone(), n, kind, How::default(), at);
        Ok(())
    }

    /// The arguments that a conversion asks for: width, precision, and what is converted.
    fn asked<'c, 'v>(
        &mut self,
        c: &'c Conversion,
        rest: &mut impl Iterator<Item = &'v Value>,
        name: &str,
        at: Bytes,
    ) -> Res<Asked<'c>> {
        let mut counts = [None, None];
        for (k, count) in [c.width, c.precision].into_iter().enumerate() {
            counts[k] = match count {
                None => None,
                Some(Count::Fixed(n)) => Some(Expr::Const(i128::from(n))),
                Some(Count::Argument) => Some(match rest.next() {
                    Some(v) if v.ty.int().is_some() => v.expr.clone(),
                    _ => return self.error(at, format!("the format of `{name}` asks for a number"), ""),
                }),
            };
        }
        let [width, precision] = counts;
        match rest.next() {
            Some(v) => Ok(Asked { conversion: c, width, precision, value: v.clone() }),
            None => self.error(at, format!("the format of `{name}` asks for more arguments"), ""),
        }
    }

    /// `sprintf` and its like; `limited`: the length of the buffer comes second.
    pub fn print_call(&mut self, name: &str, limited: bool, args: Args<'a>, at: Bytes) -> Res<Value> {
        let values = self.library_values(args)?;
        let k = if limited { 2 } else { 1 };
        let Some(format) = values.get(k) else { return self.error(at, "too few arguments", "") };
        let to = values[0].clone();
        let text = self.unit.literal_format(format);
        let known = !super::library::takes_list(name);
        let pieces = match text.filter(|_| known) {
            Some(text) => match pieces(&text, false) {
                None => {
                    return self.refuse(
                        at,
                        format!("this format of `{name}` is"),
                        "use the conversions of C11",
                    );
                }
                known => known,
            },
            None => None,
        };
        let most = match limited {
            false => Expr::Const(i128::from(i64::MAX)),
            true => self.convert(values[1].clone(), &Ty::Int(self.unit.types.ulong()), at)?.expr,
        };
        if to.constant() != Some(0) && to.ty.target().and_then(Ty::int).is_none_or(|i| i.rank != 1) {
            let what = format!("`{name}` into what a `{}` points to is", self.unit.types.describe(&to.ty));
            return self.refuse(at, what, "use a pointer to char");
        }
        let outside = args.iter().skip(k).any(|a| self.of_command_line(&a.node));
        if outside {
            self.unit.assume(format!("`{name}` writes any text of the command line"));
            return self.print_anything(&to, &most, at);
        }
        let Some(pieces) = pieces else {
            return self.print_unknown(name, &to, &most, &values[k..], at);
        };
        if let (Some(text), Expr::Const(most)) = (self.unit.fixed_text(&pieces, &values[k + 1..]), &most) {
            return Ok(self.print_fixed(&to, &text, *most, at));
        }
        let buffer = Buffer { to: &to, most: &most, name, at };
        let mut place = Expr::Const(0);
        let mut rest = values[k + 1..].iter();
        for piece in &pieces {
            place = match piece {
                Piece::Text(text) => self.put_text(&buffer, place, text)?,
                Piece::Conversion(c) => {
                    let asked = self.asked(c, &mut rest, name, at)?;
                    self.put(&buffer, place, asked)?
                }
            };
        }
        self.run_body("put_end", vec![to.expr, place, most], at)
    }

    /// Any text, since the format is not known here, or not what is behind it.
    fn print_unknown(
        &mut self,
        name: &str,
        to: &Value,
        most: &Expr,
        values: &[Value],
        at: Bytes,
    ) -> Res<Value> {
        let [format, rest @ ..] = values else { return self.error(at, "too few arguments", "") };
        self.counts_nothing(name, rest, at)?;
        if self.unit.minds_reads() {
            let list = super::library::takes_list(name);
            if !list && rest.iter().any(|v| v.ty.target().is_some()) {
                return self.refuse(
                    at,
                    format!("`{name}` with a format that is no literal, and pointers, is"),
                    "write the format where it is used",
                );
            }
            if format.ty.target().is_some() {
                self.read_text(format, None, at)?;
            }
        }
        self.unit.assume(format!("`{name}` writes any text where its format is no literal"));
        self.print_anything(to, most, at)
    }

    /// Any text.
    fn print_anything(&mut self, to: &Value, most: &Expr, at: Bytes) -> Res<Value> {
        let ulong = |n: u64| Expr::Const(i128::from(n));
        let args = vec![to.expr.clone(), ulong(0), most.clone(), ulong(0), ulong(u64::MAX >> 1)];
        let place = self.run_body("put_some", args, at)?.expr;
        self.run_body("put_end", vec![to.expr.clone(), place, most.clone()], at)
    }

    /// Writes a known text with its 0, as far as the buffer goes.
    fn print_fixed(&mut self, to: &Value, text: &[u8], most: i128, at: Bytes) -> Value {
        let room = usize::try_from(most).unwrap_or(usize::MAX);
        let kind = to.ty.target().map_or(IntKind::INT, |t| self.unit.types.kind(t));
        if room > 0 && to.constant() != Some(0) {
            let base = Expr::Reg(self.body.assign(IntKind::Ideal, to.expr.clone()));
            let base = if matches!(to.expr, Expr::Addr(_)) { to.expr.clone() } else { base };
            let n = text.len().min(room - 1);
            for (k, c) in text[..n].iter().copied().chain([0]).enumerate() {
                let c = cast(Expr::Const(i128::from(c)), IntKind::INT, kind);
                self.write_cell(offset(base.clone(), k as u64), c, kind, How::default(), at);
            }
        }
        Value::int(text.len() as i128)
    }

    /// Writes characters of the format.
    fn put_text(&mut self, buffer: &Buffer, place: Expr, text: &[u8]) -> Res<Expr> {
        let mut place = place;
        for c in text {
            let c = Expr::Const(i128::from(*c as i8));
            place = self.put_by("put_char", buffer, place, vec![c])?;
        }
        Ok(place)
    }

    /// Calls a body of ours that writes at a place, with what else it takes; gives the next place.
    fn put_by(&mut self, body: &str, buffer: &Buffer, place: Expr, more: Vec<Expr>) -> Res<Expr> {
        let args = [buffer.to.expr.clone(), place, buffer.most.clone()].into_iter().chain(more).collect();
        Ok(self.run_body(body, args, buffer.at)?.expr)
    }

    /// Writes what a conversion gives; gives the next place.
    fn put(&mut self, buffer: &Buffer, place: Expr, asked: Asked) -> Res<Expr> {
        let Asked { conversion: c, width, precision, value: v } = asked;
        let at = buffer.at;
        let fixed = |e: &Option<Expr>| match e {
            None => Some(0),
            Some(Expr::Const(n)) => u64::try_from(*n).ok(),
            Some(_) => None,
        };
        let plain = c.flags.is_empty() && width.is_none() && precision.is_none();
        let number = v.ty.int().is_some();
        let (signed, base, ten) = match c.kind {
            b'd' | b'i' => (true, 10, b'a'),
            b'o' => (false, 8, b'a'),
            b'x' => (false, 16, b'a'),
            b'X' => (false, 16, b'A'),
            _ => (false, 10, b'a'),
        };
        match c.kind {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' if plain && number => {
                let v = self.as_length(&c.length, signed, v, at)?;
                let long = self.unit.types.long();
                if signed {
                    let v = self.convert(v, &Ty::Int(long), at)?.expr;
                    return self.put_by("put_signed", buffer, place, vec![v]);
                }
                let v = self.convert(v, &Ty::Int(self.unit.types.ulong()), at)?.expr;
                let more = vec![v, Expr::Const(base), Expr::Const(i128::from(ten))];
                self.put_by("put_digits", buffer, place, more)
            }
            b'c' if plain && number && c.length.is_empty() => {
                let v = self.convert(v, &Ty::Int(INT), at)?.expr;
                self.put_by("put_char", buffer, place, vec![v])
            }
            b's' if plain && v.ty.target().is_some() && c.length.is_empty() => {
                self.put_by("put_text", buffer, place, vec![v.expr])
            }
            b's' if c.length.is_empty() => {
                if self.unit.minds_reads() && v.ty.target().is_some() {
                    self.read_text(&v, precision.clone(), at)?;
                }
                let upto = match (fixed(&width), fixed(&precision)) {
                    (Some(w), Some(p)) if precision.is_some() => w.max(p),
                    _ => u64::MAX >> 1,
                };
                let least = fixed(&width).unwrap_or(0);
                self.put_some(buffer, place, least, upto)
            }
            b'n' => {
                self.count_into(&v, Some(place.clone()), buffer.name, at)?;
                Ok(place)
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => {
                let (w, p) = (fixed(&width), fixed(&precision));
                let upto = match (w, p) {
                    (Some(w), Some(p)) => w.max(p + 3).max(NUMBER),
                    _ => u64::MAX >> 1,
                };
                self.put_some(buffer, place, w.unwrap_or(0), upto)
            }
            _ => {
                let (w, p) = (fixed(&width), fixed(&precision));
                let upto = match (w, p) {
                    (Some(w), Some(p)) => w.max(p + FLOAT),
                    _ => u64::MAX >> 1,
                };
                self.put_some(buffer, place, w.unwrap_or(0).max(1), upto)
            }
        }
    }

    /// Characters of which only the number is known: from `least` to `upto`.
    fn put_some(&mut self, buffer: &Buffer, place: Expr, least: u64, upto: u64) -> Res<Expr> {
        self.unit.assume(format!(
            "`{}` writes any characters for conversions with a width, or of other than integers",
            buffer.name
        ));
        let more = vec![Expr::Const(i128::from(least)), Expr::Const(i128::from(upto))];
        self.put_by("put_some", buffer, place, more)
    }

    /// An integer as a conversion's length takes it.
    fn as_length(&mut self, length: &[u8], signed: bool, v: Value, at: Bytes) -> Res<Value> {
        let ty = match length {
            b"hh" => Int { signed, ..CHAR },
            b"h" => Int { signed, ..super::types::SHORT },
            b"" => Int { signed, ..INT },
            b"l" | b"z" | b"t" => Int { signed, ..self.unit.types.long() },
            _ => Int { signed, ..super::types::LONG_LONG },
        };
        self.convert(v, &Ty::Int(ty), at)
    }

    /// `scanf` and its like: from an argument on, each object is written, or reading ends before it.
    pub fn scan_call(&mut self, name: &str, what: Scanned, args: Args<'a>, at: Bytes) -> Res<Value> {
        let values = self.library_values(args)?;
        let from = what.first_object();
        let Some(format) = values.get(from - 1) else { return self.error(at, "too few arguments", "") };
        let Some(pieces) = self.unit.literal_format(format).and_then(|t| pieces(&t, true)) else {
            return self.refuse(
                at,
                format!("`{name}` with a format that is no literal is"),
                "write the format where it is used",
            );
        };
        // What a string of the program holds decides what is read.
        let of_text = what == Scanned::Text;
        let outside = args.first().is_some_and(|a| self.of_command_line(&a.node));
        let source = InputSource { name: name.to_string(), approximate: of_text && !outside };
        if of_text && !outside && self.unit.minds_reads() && values[0].ty.target().is_some() {
            self.read_text(&values[0], None, at)?;
        }
        let kind = self.unit.types.kind(&Ty::Int(INT));
        let (result, end) = (self.body.temp(kind), self.body.fresh());
        let turn = self.body.havoc(IntKind::Bool, source.clone());
        let (none, mut more) = (self.body.fresh(), self.body.fresh());
        self.body.branch(compare(CmpOp::Eq, turn, Expr::Const(0)), none, more);
        self.body.cur = none;
        self.body.edge_to(end, Op::Assign(result, Expr::Const(-1)));
        let mut rest = values[from..].iter();
        let mut stored = 0;
        for piece in &pieces {
            self.body.cur = more;
            let Piece::Conversion(c) = piece else { continue };
            if c.flags.contains(&b'*') {
                continue;
            }
            if c.flags.contains(&b'm') {
                return self.refuse(at, format!("`{name}` that makes memory is"), "read into an array");
            }
            let Some(v) = rest.next() else {
                return self.error(at, format!("the format of `{name}` asks for more arguments"), "");
            };
            if c.kind != b'n' {
                let (stop, go) = (self.body.fresh(), self.body.fresh());
                let turn = self.body.havoc(IntKind::Bool, source.clone());
                self.body.branch(compare(CmpOp::Eq, turn, Expr::Const(0)), stop, go);
                self.body.cur = stop;
                self.body.edge_to(end, Op::Assign(result, Expr::Const(stored)));
                self.body.cur = go;
                stored += 1;
            }
            self.scan_into(c, v, &source, name, at)?;
            more = self.body.cur;
        }
        self.body.cur = more;
        self.body.edge_to(end, Op::Assign(result, Expr::Const(stored)));
        self.body.cur = end;
        Ok(Value { expr: Expr::Reg(result), ty: Ty::Int(INT) })
    }

    /// Writes what a conversion reads.
    fn scan_into(
        &mut self,
        c: &Conversion,
        v: &Value,
        source: &InputSource,
        name: &str,
        at: Bytes,
    ) -> Res<()> {
        let Some(target) = v.ty.target().cloned() else {
            return self.error(at, format!("`{name}` needs a pointer here"), "");
        };
        let width = match c.width {
            Some(Count::Fixed(n)) => Some(u64::from(n)),
            _ => None,
        };
        let is_char = target.int().is_some_and(|i| i.rank == 1);
        match c.kind {
            b's' | b'[' if c.length.is_empty() && is_char => {
                self.unit.assume(format!("`{name}` reads any characters into strings"));
                let most = Expr::Const(i128::from(width.unwrap_or(u64::MAX >> 1)));
                self.run_body("text_into", vec![v.expr.clone(), Expr::Const(1), most], at)?;
                return Ok(());
            }
            b'c' if c.length.is_empty() && is_char => {
                let n = Expr::Const(i128::from(width.unwrap_or(1)));
                self.run_body("chars_into", vec![v.expr.clone(), n], at)?;
                return Ok(());
            }
            b's' | b'[' | b'c' => {
                return self.refuse(
                    at,
                    format!("this conversion of `{name}` is"),
                    "read into an array of char",
                );
            }
            _ => {}
        }
        let bits = match &c.length[..] {
            b"hh" => 8,
            b"h" => 16,
            b"l" | b"z" | b"t" => self.unit.types.long().bits,
            b"ll" | b"j" | b"q" | b"L" => 64,
            _ => 32,
        };
        let fits = match (c.kind, target.plain()) {
            (b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G', Ty::Float(n)) => {
                (c.length.is_empty() && *n == 4) || (c.length == b"l" && *n == 8)
            }
            (b'p', Ty::Pointer(_)) => true,
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n', Ty::Int(i)) => i.bits == bits,
            _ => false,
        };
        if !fits {
            let what = format!("reading into a `{}` by this conversion is", self.unit.types.describe(&v.ty));
            return self.refuse(at, what, "use the conversion of its type");
        }
        let kind = self.unit.types.kind(&target);
        let some = c.kind == b'n' || matches!(target.plain(), Ty::Pointer(_));
        let x = self.body.havoc(kind, if some { InputSource::approximate(name) } else { source.clone() });
        self.write_cell(v.expr.clone(), x, kind, How::default(), at);
        Ok(())
    }
}

impl Translation<'_> {
    /// The text of a format that is a literal.
    fn literal_format(&self, v: &Value) -> Option<Vec<u8>> {
        let text = self.known_text(&v.expr)?;
        Some(text.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect())
    }

    /// What is written, where all of it is known.
    fn fixed_text(&self, pieces: &[Piece], values: &[Value]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut rest = values.iter();
        for piece in pieces {
            let c = match piece {
                Piece::Text(t) => {
                    out.extend(t);
                    continue;
                }
                Piece::Conversion(c) => c,
            };
            if !c.flags.is_empty() || c.width.is_some() || c.precision.is_some() {
                return None;
            }
            let v = rest.next()?;
            match c.kind {
                b's' if c.length.is_empty() => {
                    let text = self.known_text(&v.expr)?;
                    out.extend(text.iter().take_while(|c| **c != 0).map(|c| *c as u8));
                }
                b'c' if c.length.is_empty() => out.push(v.constant()? as u8),
                b'd' | b'i' if c.length.is_empty() && v.ty.int().is_some() => {
                    out.extend((v.constant()? as i32).to_string().bytes());
                }
                b'u' if c.length.is_empty() && v.ty.int().is_some() => {
                    out.extend((v.constant()? as u32).to_string().bytes());
                }
                b'x' if c.length.is_empty() && v.ty.int().is_some() => {
                    out.extend(format!("{:x}", v.constant()? as u32).bytes());
                }
                _ => return None,
            }
        }
        Some(out)
    }
}
