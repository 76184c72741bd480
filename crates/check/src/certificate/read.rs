//! Reading certificates.

use super::format::*;
use super::{CertificateError, ContentError, Source, WITH_PLACES, ghosts, program_digest, text};
use crate::{Assertion, EnvTransition, Holder, Proof, ThreadProof, Tickets};
use relyant_cfa::options::Options;
use relyant_linear::{Cube, Var};
use relyant_program::ghosts::products::with_products;
use relyant_program::{Loc, Program, Role};
use rustc_hash::FxHashMap;

/// A certificate that has been read, but not yet been compared with a program.
pub struct Certificate {
    file: File,
}

impl Certificate {
    /// Reads the JSON; format and version are right.
    pub fn parse(json: &str) -> Result<Certificate, CertificateError> {
        /// Looked at first: another version may have other fields.
        #[derive(serde::Deserialize)]
        struct Head {
            format: String,
            version: u64,
        }
        let bad = |e: serde_json::Error| CertificateError::Json(e.to_string());
        let head: Head = serde_json::from_str(json).map_err(bad)?;
        let unread = || CertificateError::Version { format: head.format.clone(), version: head.version };
        if !super::is_read(&head.format, head.version, true) {
            return Err(unread());
        }
        let file: File = serde_json::from_str(json).map_err(bad)?;
        if file.source.is_some() != (head.version == u64::from(WITH_PLACES)) {
            return Err(unread());
        }
        Ok(Certificate { file })
    }
    /// The choices about the program's meaning that the proof was made under.
    pub fn options(&self) -> Options {
        self.file.options.clone().into()
    }
    /// The input that the proof is about.
    pub fn sources(&self) -> Vec<Source> {
        let own = |s: &SourceFile| Source { file: s.file.clone(), sha256: s.sha256.clone() };
        self.file.sources.iter().map(own).collect()
    }
    /// The section about ghosts.
    pub(super) fn ghosts(&self) -> &[ghosts::GhostsRecord] {
        self.file.ghosts.as_deref().unwrap_or_default()
    }
    /// Is it about exactly these files, and these that they include? Contents count, names may differ.
    ///
    /// # Errors
    /// It is not: about which.
    pub fn is_about(&self, sources: &[Source], includes: &[Source]) -> Result<(), CertificateError> {
        super::matches_sources(&self.file.sources, sources)?;
        super::matches_sources(&self.file.includes, includes)
    }
    /// The program that the proof is about, made of the threads of another one: `None` where it is about that one.
    ///
    /// # Errors
    /// It is made of other threads, or of what is not there.
    pub fn ordered(&self, several: &Program) -> Result<Option<Program>, CertificateError> {
        let made = self.file.order.as_ref().map(|o| o.of(several)).transpose()?;
        // Which ghosts they are is compared with the certificate when the proof is read.
        Ok(made.map(|p| if self.ghosts().is_empty() { p } else { with_products(p) }))
    }
    /// Is it about threads in an order of preference?
    pub fn has_order(&self) -> bool {
        self.file.order.is_some()
    }
    /// The proof, in terms of a program: rejected unless it is about this program.
    pub fn proof(&self, program: &Program) -> Result<Proof, CertificateError> {
        let names = Names::new(program);
        let known = same_locations(&self.file.locations, &locations(program, &names));
        let ordered = self.has_order() == program.ordered.is_some();
        if self.file.program != program_digest(program) || !known || !ordered {
            return Err(CertificateError::Program);
        }
        if self.file.ghosts != ghosts::ghosts(program) {
            return Err(CertificateError::Ghosts);
        }
        let index = |names: &[String]| -> FxHashMap<String, u32> {
            names.iter().enumerate().map(|(k, n)| (n.clone(), k as u32)).collect()
        };
        let r = Reader { program, variables: index(&names.variables), templates: index(&names.templates) };
        let f = &self.file;
        let threads = f.threads.iter().map(|t| r.thread(t)).collect::<Result<_, _>>()?;
        let global = f.global.iter().enumerate().map(|(k, g)| r.global(k, g)).collect::<Result<_, _>>()?;
        let tickets =
            f.tickets.iter().map(|t| within(|| format!("tickets of `{}`", t.counter), r.tickets(t)));
        let tickets = tickets.collect::<Result<_, _>>()?;
        Ok(Proof { rule: f.rule.into(), modular: f.modular, threads, tickets, global })
    }
}

/// Are they the same locations? Files may be called by another path, each by one.
fn same_locations(a: &[LocationRecord], b: &[LocationRecord]) -> bool {
    let (mut there, mut back) = (FxHashMap::default(), FxHashMap::default());
    let mut same = |x: &LocationRecord, y: &LocationRecord| {
        let place = |l: &LocationRecord| (l.id.clone(), l.thread.clone(), l.line, l.column);
        place(x) == place(y)
            && *there.entry(x.file.clone()).or_insert_with(|| y.file.clone()) == y.file
            && *back.entry(y.file.clone()).or_insert_with(|| x.file.clone()) == x.file
    };
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
}

struct Reader<'p> {
    program: &'p Program,
    variables: FxHashMap<String, u32>,
    templates: FxHashMap<String, u32>,
}

/// Adds where in the certificate something is wrong.
fn within<T>(place: impl Fn() -> String, r: Result<T, ContentError>) -> Result<T, CertificateError> {
    r.map_err(|what| CertificateError::Content { place: place(), what })
}

impl Reader<'_> {
    fn thread(&self, t: &ThreadRecord) -> Result<ThreadProof, CertificateError> {
        let place = || format!("thread `{}`", t.thread);
        let template = within(place, self.template(&t.thread))?;
        let mut invariants = Vec::new();
        for i in &t.invariants {
            let place = || format!("thread `{}`, invariant at {}", t.thread, i.at);
            let at = within(place, self.location(template, &i.at))?;
            let states = i.states.iter().map(|s| self.state(s)).collect::<Result<_, _>>();
            invariants.push((at, within(place, states)?));
        }
        let mut environment = Vec::new();
        for (k, e) in t.environment.iter().enumerate() {
            let place = || format!("thread `{}`, environment transition {k}", t.thread);
            environment.push(within(place, self.transition(template, e))?);
        }
        Ok(ThreadProof { template, invariants, environment })
    }
    fn global(&self, k: usize, g: &GlobalRecord) -> Result<(Vec<Loc>, Cube), CertificateError> {
        let place = || format!("global invariant {k}");
        let at = g.at.iter().enumerate().map(|(t, id)| self.location(t as u32, id)).collect::<Result<_, _>>();
        Ok((within(place, at)?, within(place, self.cube(&g.holds, false))?))
    }
    fn template(&self, name: &str) -> Result<u32, ContentError> {
        self.templates.get(name).copied().ok_or_else(|| ContentError::Thread(name.into()))
    }
    fn location(&self, template: u32, id: &str) -> Result<Loc, ContentError> {
        let count = self.program.templates.get(template as usize).map_or(0, |t| t.locations.len());
        let number =
            id.split_once('.').and_then(|(t, l)| Some((t.parse::<u32>().ok()?, l.parse::<u32>().ok()?)));
        match number {
            Some((t, l)) if t == template && (l as usize) < count && location_id(t, l) == id => Ok(Loc(l)),
            _ => Err(ContentError::Location(id.into())),
        }
    }
    fn locations(&self, template: u32, ids: &[String]) -> Result<Vec<Loc>, ContentError> {
        ids.iter().map(|id| self.location(template, id)).collect()
    }
    fn control(&self, records: &[ControlRecord]) -> Result<Vec<(u32, Vec<Loc>)>, ContentError> {
        let one = |c: &ControlRecord| {
            let t = self.template(&c.thread)?;
            Ok((t, self.locations(t, &c.at)?))
        };
        records.iter().map(one).collect()
    }
    fn cube(&self, texts: &[String], primes: bool) -> Result<Cube, ContentError> {
        let resolve = |name: &str, primed: bool| {
            let v = Var(*self.variables.get(name)?);
            if !primed { Some(v) } else { primes.then(|| Role::After(v).var()) }
        };
        let norms = texts.iter().map(|t| text::parse(t, &resolve)).collect::<Result<Vec<_>, _>>()?;
        Ok(Cube::of(norms))
    }
    fn state(&self, s: &StateRecord) -> Result<Assertion, ContentError> {
        Ok(Assertion { control: self.control(&s.others)?, cube: self.cube(&s.holds, false)? })
    }
    fn tickets(&self, t: &TicketsRecord) -> Result<Tickets, ContentError> {
        let holder = |h: &HolderRecord| {
            let template = self.template(&h.thread)?;
            let locations = self.locations(template, &h.at)?;
            Ok::<_, ContentError>(Holder { template, variable: self.variable(&h.variable)?, locations })
        };
        let holders = t.holders.iter().map(holder).collect::<Result<_, _>>()?;
        Ok(Tickets { counter: self.variable(&t.counter)?, holders })
    }
    fn variable(&self, name: &str) -> Result<Var, ContentError> {
        self.variables.get(name).map(|v| Var(*v)).ok_or_else(|| ContentError::Variable(name.into()))
    }
    fn transition(&self, target: u32, e: &TransitionRecord) -> Result<EnvTransition, ContentError> {
        let actor = self.template(&e.actor)?;
        Ok(EnvTransition {
            actor,
            from: self.locations(actor, &e.from)?,
            to: self.locations(actor, &e.to)?,
            control: self.control(&e.others)?,
            at: Some(self.locations(target, &e.at)?).filter(|at| !at.is_empty()),
            writes: e.writes.iter().map(|v| self.variable(v)).collect::<Result<_, _>>()?,
            relation: self.cube(&e.relation, true)?,
        })
    }
}
