//! Formats of `printf` and `scanf`, read piece by piece (C11 7.21.6).

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Characters as they are.
    Text(Vec<u8>),
    /// `%` and what belongs to it.
    Conversion(Conversion),
}

/// How wide, or how precise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// This number of characters.
    Fixed(u32),
    /// As an argument says.
    Argument,
}

/// A conversion of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// Any of `-+ #0'`; for `scanf`, `*`: what is read goes nowhere.
    pub flags: Vec<u8>,
    /// The least width; for `scanf`, the largest.
    pub width: Option<Count>,
    /// The number behind the point; none without a point.
    pub precision: Option<Count>,
    /// `hh`, `h`, `l`, `ll`, `j`, `z`, `t`, `L` or nothing.
    pub length: Vec<u8>,
    /// The letter; `[` for a set.
    pub kind: u8,
}

/// The pieces of a format; none where it is not one that C knows. `scans`: it is one of `scanf`.
pub fn pieces(format: &[u8], scans: bool) -> Option<Vec<Piece>> {
    let mut out = Vec::new();
    let mut text = Vec::new();
    let mut k = 0;
    while k < format.len() {
        let c = format[k];
        k += 1;
        if c != b'%' {
            text.push(c);
            continue;
        }
        if format.get(k) == Some(&b'%') {
            text.push(b'%');
            k += 1;
            continue;
        }
        if !text.is_empty() {
            out.push(Piece::Text(std::mem::take(&mut text)));
        }
        let many = |k: &mut usize, set: &[u8]| {
            let start = *k;
            while format.get(*k).is_some_and(|c| set.contains(c)) {
                *k += 1;
            }
            format[start..*k].to_vec()
        };
        let count = |k: &mut usize| {
            if !scans && format.get(*k) == Some(&b'*') {
                *k += 1;
                return Some(Count::Argument);
            }
            let digits = many(k, b"0123456789");
            std::str::from_utf8(&digits).ok()?.parse().ok().map(Count::Fixed)
        };
        let flags = many(&mut k, if scans { b"*'m" } else { b"-+ #0'" });
        let width = count(&mut k);
        let precision = if format.get(k) == Some(&b'.') {
            k += 1;
            Some(count(&mut k).unwrap_or(Count::Fixed(0)))
        } else {
            None
        };
        let length = many(&mut k, b"hljztLq");
        let kind = *format.get(k)?;
        k += 1;
        if kind == b'[' {
            // A bracket that comes first is one of the set.
            k += usize::from(format.get(k) == Some(&b'^'));
            k += usize::from(format.get(k) == Some(&b']'));
            k += format.get(k..)?.iter().position(|c| *c == b']')? + 1;
        }
        let known: &[u8] = if scans { b"diouxXaAeEfFgGcsp[n" } else { b"diouxXaAeEfFgGcspn" };
        if !known.contains(&kind) {
            return None;
        }
        out.push(Piece::Conversion(Conversion { flags, width, precision, length, kind }));
    }
    if !text.is_empty() {
        out.push(Piece::Text(text));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let kinds = |f: &str| -> Option<String> {
            let kind = |p: Piece| match p {
                Piece::Text(_) => '_',
                Piece::Conversion(c) => c.kind as char,
            };
            Some(pieces(f.as_bytes(), false)?.into_iter().map(kind).collect())
        };
        assert_eq!(kinds("%d%n").as_deref(), Some("dn"));
        assert_eq!(kinds("%5.*ld %hhn").as_deref(), Some("d_n"));
        assert_eq!(kinds("%%n %d").as_deref(), Some("_d"));
        assert_eq!(kinds("%"), None);
        assert_eq!(kinds("%y"), None);
        let set = pieces(b"%3[^]a] x", true).expect("a format");
        assert!(
            matches!(&set[..], [Piece::Conversion(c), Piece::Text(_)] if c.width == Some(Count::Fixed(3)))
        );
    }
}
