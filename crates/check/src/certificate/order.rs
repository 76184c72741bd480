//! Of a proof in an order of preference: the threads it is about, their order, and which steps can be swapped.

use super::format::Names;
use super::{CertificateError, ContentError, program_digest, text};
use crate::ordered::remade;
use relyant_linear::{Cube, Var};
use relyant_program::Program;
use relyant_program::ordered::{Letter, Order, Ordered, Swap, Turns, source};
use serde::{Deserialize, Serialize};

/// How the program of one thread is made of several.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderRecord {
    /// Digest of the program with several threads.
    pub program: String,
    pub first: Vec<String>,
    pub ring: Vec<String>,
    pub turns: TurnsName,
    /// In turns, too, sections under locks are one step each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sections: bool,
    pub swaps: Vec<SwapRecord>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum TurnsName {
    Never,
    Loops,
    AnyLoop,
    Steps,
    Sections,
}

impl TurnsName {
    fn turns(self) -> Turns {
        match self {
            TurnsName::Never => Turns::Never,
            TurnsName::Loops => Turns::Loops,
            TurnsName::AnyLoop => Turns::AnyLoop,
            TurnsName::Steps => Turns::Steps,
            TurnsName::Sections => Turns::All,
        }
    }
}

/// Two steps that can be swapped, each as `(thread, number)`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwapRecord {
    pub first: (String, u32),
    pub second: (String, u32),
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
}

impl OrderRecord {
    /// What is written of an order.
    pub fn new(o: &Ordered) -> OrderRecord {
        let names = Names::new(&o.of);
        let thread = |t: &u32| names.templates.get(*t as usize).cloned().unwrap_or_default();
        let step = |l: &Letter| (thread(&l.0), l.1);
        let variable = |v: Var| text::quote(names.variables.get(v.0 as usize).map_or("", |n| n));
        let swap = |s: &Swap| SwapRecord {
            first: step(&s.first),
            second: step(&s.second),
            when: s.when.atoms().iter().map(|a| text::write(a, variable)).collect(),
        };
        OrderRecord {
            program: program_digest(&o.of),
            first: o.order.first.iter().map(thread).collect(),
            ring: o.order.ring.iter().map(thread).collect(),
            turns: match o.order.turns {
                Turns::Never => TurnsName::Never,
                Turns::Loops => TurnsName::Loops,
                Turns::AnyLoop => TurnsName::AnyLoop,
                Turns::Steps => TurnsName::Steps,
                Turns::All => TurnsName::Sections,
            },
            sections: o.is_product() && o.order.sections,
            swaps: o.swaps.iter().map(swap).collect(),
        }
    }

    /// The program that it makes of these threads.
    ///
    /// # Errors
    /// It is about other threads, or speaks of what is not there.
    pub fn of(&self, several: &Program) -> Result<Program, CertificateError> {
        let turns = self.turns.turns();
        let sections = self.sections || turns == Turns::All;
        let bare = Order { first: Vec::new(), ring: Vec::new(), turns, sections };
        let of = source(several, &bare).ok_or(CertificateError::Program)?;
        if self.program != program_digest(&of) {
            return Err(CertificateError::Program);
        }
        let read = self.read(&Names::new(&of), bare);
        let (order, swaps) =
            read.map_err(|what| CertificateError::Content { place: "order".into(), what })?;
        let made = remade(&of, &order, &swaps).ok_or(CertificateError::Program)?;
        Ok(Program { lines: several.lines.clone(), ..made })
    }

    fn read(&self, names: &Names, bare: Order) -> Result<(Order, Vec<Swap>), ContentError> {
        let thread = |name: &String| {
            let at = names.templates.iter().position(|n| n == name);
            at.map(|t| t as u32).ok_or_else(|| ContentError::Thread(name.clone()))
        };
        let resolve = |name: &str, primed: bool| {
            let at = names.variables.iter().position(|n| n == name)?;
            (!primed).then_some(Var(at as u32))
        };
        let threads = |names: &[String]| names.iter().map(thread).collect::<Result<Vec<u32>, _>>();
        let swap = |s: &SwapRecord| {
            let when = s.when.iter().map(|t| text::parse(t, &resolve)).collect::<Result<Vec<_>, _>>()?;
            Ok(Swap {
                first: (thread(&s.first.0)?, s.first.1),
                second: (thread(&s.second.0)?, s.second.1),
                when: Cube::of(when),
            })
        };
        let swaps: Result<Vec<Swap>, ContentError> = self.swaps.iter().map(swap).collect();
        Ok((Order { first: threads(&self.first)?, ring: threads(&self.ring)?, ..bare }, swaps?))
    }
}
