//! Certificates that are sets of states.

use super::format::{OptionsRecord, SourceFile};
use super::{CertificateError, ContentError, FORMAT, Meta, Source, VERSION, hex, matches_sources};
use crate::states::order::{Direction, Order};
use crate::states::transactions::Switches;
use crate::states::{Encoding, Space};
use data_encoding::BASE64;
use relyant_cfa::Program;
use relyant_cfa::options::Options;
use relyant_interp::observe::Points;
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

/// The `kind` of these certificates.
pub(super) const KIND: &str = "states";

/// Bytes in a line, a multiple of 3.
const LINE: usize = 3000;

/// Directions as signs: `=` exact, `+` rising, `-` falling.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderRecord {
    /// By template, a sign a register.
    registers: Vec<String>,
    /// A sign an object.
    objects: String,
}

impl From<&Order> for OrderRecord {
    fn from(order: &Order) -> OrderRecord {
        let sign = |d: &Direction| match d {
            Direction::Exact => '=',
            Direction::Rising => '+',
            Direction::Falling => '-',
        };
        let signs = |list: &Vec<Direction>| list.iter().map(sign).collect();
        OrderRecord { registers: order.registers.iter().map(signs).collect(), objects: signs(&order.objects) }
    }
}

impl OrderRecord {
    fn order(&self) -> Result<Order, CertificateError> {
        let direction = |c: char| match c {
            '=' => Ok(Direction::Exact),
            '+' => Ok(Direction::Rising),
            '-' => Ok(Direction::Falling),
            other => {
                Err(CertificateError::Content { place: "order".into(), what: ContentError::Direction(other) })
            }
        };
        let directions = |text: &String| text.chars().map(direction).collect::<Result<Vec<_>, _>>();
        Ok(Order {
            registers: self.registers.iter().map(directions).collect::<Result<_, _>>()?,
            objects: directions(&self.objects)?,
        })
    }
}

/// What stands before the states.
#[derive(Serialize)]
struct Head {
    format: &'static str,
    version: u32,
    tool: &'static str,
    kind: &'static str,
    sources: Vec<SourceFile>,
    includes: Vec<SourceFile>,
    options: OptionsRecord,
    program: String,
    symmetry: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<OrderRecord>,
    /// Values that tell inputs apart, by class.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Points>,
    /// Steps after which other threads may move, by template.
    #[serde(skip_serializing_if = "Option::is_none")]
    switches: Option<Vec<BTreeSet<u32>>>,
    count: u64,
}

/// The file, but for format and version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    #[serde(rename = "tool")]
    _tool: String,
    #[serde(rename = "kind")]
    _kind: String,
    sources: Vec<SourceFile>,
    includes: Vec<SourceFile>,
    options: OptionsRecord,
    program: String,
    symmetry: bool,
    #[serde(default)]
    order: Option<OrderRecord>,
    #[serde(default)]
    points: Option<Points>,
    #[serde(default)]
    switches: Option<Vec<BTreeSet<u32>>>,
    count: u64,
    states: Lines,
}

/// A set of states that has been read, but not yet been compared with a program.
pub struct StatesCertificate {
    file: File,
}

/// Writes the certificate of a set of states.
///
/// # Errors
/// What the output says.
pub fn write_states(space: &Space, program: &Program, meta: &Meta, out: &mut dyn Write) -> io::Result<()> {
    let head = Head {
        format: FORMAT,
        version: VERSION,
        tool: concat!("relyant ", env!("CARGO_PKG_VERSION")),
        kind: KIND,
        sources: meta.sources.iter().map(SourceFile::from).collect(),
        includes: meta.includes.iter().map(SourceFile::from).collect(),
        options: (&meta.options).into(),
        program: digest(program),
        symmetry: space.encoding().symmetry,
        order: space.order().map(OrderRecord::from),
        points: space.points().cloned(),
        switches: space.switches().map(|s| s.0.clone()),
        count: space.len() as u64,
    };
    let head = serde_json::to_string_pretty(&head)?;
    write!(out, "{},\n  \"states\": [", head.trim_end_matches(['}', '\n']))?;
    let (mut bytes, mut text, mut first) = (Vec::new(), String::new(), true);
    let mut line = |bytes: &[u8]| {
        text.clear();
        BASE64.encode_append(bytes, &mut text);
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        write!(out, "{comma}\n    \"{text}\"")
    };
    for state in space.states() {
        put_length(&mut bytes, state.len());
        bytes.extend_from_slice(state);
        let whole = bytes.len() / LINE * LINE;
        bytes[..whole].chunks(LINE).try_for_each(&mut line)?;
        bytes.drain(..whole);
    }
    if !bytes.is_empty() {
        line(&bytes)?;
    }
    writeln!(out, "\n  ]\n}}")
}

impl StatesCertificate {
    /// Reads the JSON, whose format, version and kind are right.
    pub(super) fn parse(json: &str) -> Result<Self, CertificateError> {
        let file = serde_json::from_str(json).map_err(|e| CertificateError::Json(e.to_string()))?;
        Ok(StatesCertificate { file })
    }

    /// The choices about the program's meaning that the set was made under.
    pub fn options(&self) -> Options {
        self.file.options.clone().into()
    }

    /// Is it about exactly these files, and these that they include? Contents count, names may differ.
    ///
    /// # Errors
    /// It is not: about which.
    pub fn is_about(&self, sources: &[Source], includes: &[Source]) -> Result<(), CertificateError> {
        matches_sources(&self.file.sources, sources)?;
        matches_sources(&self.file.includes, includes)
    }

    /// The set.
    ///
    /// # Errors
    /// It is about another program, or damaged.
    pub fn space(self, program: &Program) -> Result<Space, CertificateError> {
        let File { program: about, symmetry, order, points, switches, count, states: Lines(bytes), .. } =
            self.file;
        if about != digest(program) {
            return Err(CertificateError::Program);
        }
        let (bytes, ends) = split(bytes).ok_or_else(|| damaged(ContentError::CutOff))?;
        if ends.len() as u64 != count {
            return Err(damaged(ContentError::Count));
        }
        let order = order.map(|o| o.order()).transpose()?;
        let space = Space::from_parts(Encoding { symmetry }, bytes, ends);
        Ok(space.with_order(order).with_points(points).with_switches(switches.map(Switches)))
    }
}

fn damaged(what: ContentError) -> CertificateError {
    CertificateError::Content { place: "states".into(), what }
}

/// Seven bits a byte, the low ones first.
fn put_length(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes the lengths out from between the states; says where each state ends.
fn split(mut bytes: Vec<u8>) -> Option<(Vec<u8>, Vec<usize>)> {
    let mut ends = Vec::new();
    let (mut from, mut to) = (0, 0);
    while from < bytes.len() {
        let (mut length, mut shift) = (0usize, 0);
        loop {
            let b = *bytes.get(from)?;
            from += 1;
            length |= usize::from(b & 0x7f) << shift;
            if b & 0x80 == 0 {
                break;
            }
            shift += 7;
            if shift > 28 {
                return None;
            }
        }
        let end = from.checked_add(length).filter(|e| *e <= bytes.len())?;
        bytes.copy_within(from..end, to);
        (from, to) = (end, to + length);
        ends.push(to);
    }
    bytes.truncate(to);
    Some((bytes, ends))
}

/// The bytes of all lines; no line is kept as text.
struct Lines(Vec<u8>);

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Lines;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("lines in base 64")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<Lines, A::Error> {
                let mut bytes = Vec::new();
                while lines.next_element_seed(Line(&mut bytes))?.is_some() {}
                Ok(Lines(bytes))
            }
        }
        d.deserialize_seq(Whole)
    }
}

struct Line<'b>(&'b mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Line<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for Line<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line in base 64")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let bytes = BASE64.decode(text.as_bytes());
        self.0.extend(bytes.map_err(|_| E::custom("a line of `states` is not in base 64"))?);
        Ok(())
    }
}

/// A digest of all that the steps of a program depend on.
fn digest(p: &Program) -> String {
    struct Hash(Sha256);
    impl fmt::Write for Hash {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            self.0.update(s.as_bytes());
            Ok(())
        }
    }
    // Files by number: they may be called by another path. All fields are named, so that none is forgotten.
    let Program {
        files: _,
        lines: _,
        objects,
        owners,
        bases,
        function_bases,
        functions: _,
        templates,
        exclusive,
        deadlock,
        max_threads,
        signed_wraps,
        approximate,
        assumes: _,
        undefined: _,
        losses: _,
        chosen: _,
        order: _,
    } = p;
    let mut hash = Hash(Sha256::new());
    // Writing to a digest does not fail.
    let _ = fmt::Write::write_fmt(
        &mut hash,
        format_args!(
            "{objects:?}\n{owners:?}\n{bases:?}\n{function_bases:?}\n{templates:?}\n{exclusive:?}\n{deadlock:?}\n\
             {max_threads:?}\n{signed_wraps:?}\n{approximate:?}"
        ),
    );
    hex(&hash.0.finalize())
}
