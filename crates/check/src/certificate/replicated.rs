//! Certificates of kind `replicated`: a system of finite-state threads, and why it covers no error.

use super::format::{Names, OptionsRecord, SourceFile, location_id};
use super::ghosts::{GhostsRecord, ghosts};
use super::{
    CertificateError, ContentError, FORMAT, Meta, Source, VERSION, matches_sources, program_digest, text,
};
use crate::replicated::{LocalState, Proof, Step, View};
use relyant_cfa::options::Options;
use relyant_finite::evidence::{Certificate, Weights};
use relyant_finite::model::{Config, Counts};
use relyant_linear::{Atom, Norm, Var};
use relyant_program::{Loc, Program, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The `kind` of these.
pub(super) const KIND: &str = "replicated";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u64,
    kind: String,
    tool: String,
    sources: Vec<SourceFile>,
    includes: Vec<SourceFile>,
    options: OptionsRecord,
    program: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ghosts: Option<Vec<GhostsRecord>>,
    /// Predicates over globals, as text; `shared_states` name them by index.
    globals: Vec<String>,
    threads: Vec<ThreadRecord>,
    /// By number: the predicates that hold. The first is at the start.
    shared_states: Vec<Vec<u32>>,
    /// By number; those at the start come first, one for each of `threads`.
    local_states: Vec<LocalRecord>,
    steps: Vec<StepRecord>,
    uncoverable: Uncoverable,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadRecord {
    thread: String,
    own: Vec<String>,
    /// About each other thread, by its place in `threads`; its locals have a `'`.
    others: Vec<(u32, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LocalRecord {
    at: String,
    own: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<u32>,
}

/// Shared state, local state and edge; shared and local state after; where others go.
#[derive(Serialize, Deserialize)]
struct StepRecord((u32, u32, u32), (u32, u32), Vec<(u32, Option<u32>)>);

/// Shared state, and local states with numbers of threads.
#[derive(Serialize, Deserialize)]
struct Pair(u32, Vec<(u32, u32)>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Uncoverable {
    minimal: Vec<Pair>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    weights: Vec<Heavy>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heavy {
    shared: Vec<(u32, u64)>,
    local: Vec<(u32, u64)>,
    bound: u64,
}

/// A certificate that has been read, but not yet been compared with a program.
pub struct ReplicatedCertificate {
    file: File,
}

/// The certificate as JSON text. Reading it gives the same proof.
pub fn write_replicated(proof: &Proof, program: &Program, meta: &Meta) -> String {
    let names = Names::new(program);
    let variable = |v: Var| {
        let role = Role::of(v);
        let (v, mark) = (role.plain(), if role.second().is_some() { "'" } else { "" });
        text::quote(names.variables.get(v.0 as usize).map_or("", |n| n)) + mark
    };
    let atom = |a: &Atom| text::write(a, variable);
    let view = |v: &View| ThreadRecord {
        thread: names.templates.get(v.template as usize).cloned().unwrap_or_default(),
        own: v.own.iter().map(atom).collect(),
        others: v.others.iter().map(|(j, a)| (*j, atom(a))).collect(),
    };
    let local = |l: &LocalState| LocalRecord {
        at: location_id(proof.views.get(l.view as usize).map_or(0, |v| v.template), l.loc.0),
        own: l.own.clone(),
        others: l.others.clone(),
    };
    let step = |s: &Step| StepRecord((s.from, s.actor, s.edge), (s.to, s.after), s.moved.clone());
    let minimal = |c: &Config| Pair(c.shared, c.locals.iter().collect());
    let heavy = |w: &Weights| Heavy { shared: w.shared.clone(), local: w.local.clone(), bound: w.bound };
    let file = File {
        format: FORMAT.into(),
        version: VERSION.into(),
        kind: KIND.into(),
        tool: concat!("relyant ", env!("CARGO_PKG_VERSION")).into(),
        sources: meta.sources.iter().map(SourceFile::from).collect(),
        includes: meta.includes.iter().map(SourceFile::from).collect(),
        options: (&meta.options).into(),
        program: program_digest(program),
        ghosts: ghosts(program),
        globals: proof.shared.iter().map(atom).collect(),
        threads: proof.views.iter().map(view).collect(),
        shared_states: proof.shared_states.clone(),
        local_states: proof.local_states.iter().map(local).collect(),
        steps: proof.steps.iter().map(step).collect(),
        uncoverable: Uncoverable {
            minimal: proof.certificate.minimal.iter().map(minimal).collect(),
            weights: proof.certificate.weights.iter().map(heavy).collect(),
        },
    };
    // These types always have a JSON form.
    lines(&serde_json::to_value(&file).unwrap_or_default())
}

/// The fields of [`File`], in its order.
const FIELDS: [&str; 15] = [
    "format",
    "version",
    "kind",
    "tool",
    "sources",
    "includes",
    "options",
    "program",
    "ghosts",
    "globals",
    "threads",
    "shared_states",
    "local_states",
    "steps",
    "uncoverable",
];

/// A line for each field, and for each element of its lists.
fn lines(file: &Value) -> String {
    let there = FIELDS.iter().filter(|name| !file[**name].is_null());
    let fields = there.map(|name| {
        let value = match &file[*name] {
            Value::Array(all) if !all.is_empty() => {
                let all: Vec<String> = all.iter().map(|x| format!("    {x}")).collect();
                format!("[\n{}\n  ]", all.join(",\n"))
            }
            value => value.to_string(),
        };
        format!("  \"{name}\": {value}")
    });
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn wrong(place: &str, what: ContentError) -> CertificateError {
    CertificateError::Content { place: place.into(), what }
}

impl ReplicatedCertificate {
    /// Reads the JSON, whose format, version and kind are right.
    pub(super) fn parse(json: &str) -> Result<Self, CertificateError> {
        let file = serde_json::from_str(json).map_err(|e| CertificateError::Json(e.to_string()))?;
        Ok(ReplicatedCertificate { file })
    }

    /// The choices about the program's meaning that the proof was made under.
    pub fn options(&self) -> Options {
        self.file.options.clone().into()
    }

    /// The section about ghosts.
    pub(super) fn ghosts(&self) -> &[GhostsRecord] {
        self.file.ghosts.as_deref().unwrap_or_default()
    }

    /// Is it about exactly these files, and these that they include? Contents count, names may differ.
    ///
    /// # Errors
    /// It is not: about which.
    pub fn is_about(&self, sources: &[Source], includes: &[Source]) -> Result<(), CertificateError> {
        matches_sources(&self.file.sources, sources)?;
        matches_sources(&self.file.includes, includes)
    }

    /// The proof, in terms of a program.
    ///
    /// # Errors
    /// It is about another program, or something in it is not in the program.
    pub fn proof(&self, program: &Program) -> Result<Proof, CertificateError> {
        let f = &self.file;
        if f.program != program_digest(program) {
            return Err(CertificateError::Program);
        }
        if f.ghosts != ghosts(program) {
            return Err(CertificateError::Ghosts);
        }
        let names = Names::new(program);
        let find = |list: &[String], name: &str| list.iter().position(|n| n == name).map(|k| k as u32);
        let atom = |place: &str, t: &str, other: bool| -> Result<Atom, CertificateError> {
            let resolve = |name: &str, mark: bool| {
                let v = Var(find(&names.variables, name)?);
                if mark { other.then(|| Role::Second(v).var()) } else { Some(v) }
            };
            match text::parse(t, &resolve) {
                Ok(Norm::Atom(a)) => Ok(a),
                Ok(_) => Err(wrong(place, ContentError::Constant(t.into()))),
                Err(e) => Err(wrong(place, e.into())),
            }
        };
        let shared = f.globals.iter().map(|t| atom("globals", t, false)).collect::<Result<_, _>>()?;
        let mut views = Vec::new();
        for t in &f.threads {
            let place = format!("thread `{}`", t.thread);
            let template =
                find(&names.templates, &t.thread).ok_or_else(|| wrong(&place, ContentError::NoThread))?;
            let own = t.own.iter().map(|x| atom(&place, x, false)).collect::<Result<_, _>>()?;
            let others =
                t.others.iter().map(|(j, x)| Ok((*j, atom(&place, x, true)?))).collect::<Result<_, _>>()?;
            views.push(View { template, own, others });
        }
        let mut local_states = Vec::new();
        for l in &f.local_states {
            let place = "local_states";
            let unknown = || wrong(place, ContentError::Location(l.at.clone()));
            let (t, loc) = l.at.split_once('.').ok_or_else(unknown)?;
            let (t, loc): (u32, u32) = t.parse().ok().zip(loc.parse().ok()).ok_or_else(unknown)?;
            let view = views.iter().position(|v: &View| v.template == t).ok_or_else(unknown)?;
            let (own, others) = (l.own.clone(), l.others.clone());
            local_states.push(LocalState { view: view as u32, loc: Loc(loc), own, others });
        }
        let step = |s: &StepRecord| {
            let StepRecord((from, actor, edge), (to, after), moved) = s;
            let (from, actor, edge, to, after) = (*from, *actor, *edge, *to, *after);
            Step { from, actor, edge, to, after, moved: moved.clone() }
        };
        let config = |p: &Pair| {
            let mut counts = Counts::new();
            p.1.iter().try_for_each(|(l, n)| counts.add(*l, *n)).map(|()| Config::new(p.0, counts))
        };
        let minimal = f.uncoverable.minimal.iter().map(config).collect::<Option<_>>();
        let minimal = minimal.ok_or_else(|| wrong("uncoverable", ContentError::TooManyThreads))?;
        let weights =
            |w: &Heavy| Weights { shared: w.shared.clone(), local: w.local.clone(), bound: w.bound };
        Ok(Proof {
            shared,
            views,
            shared_states: f.shared_states.clone(),
            local_states,
            steps: f.steps.iter().map(step).collect(),
            certificate: Certificate {
                minimal,
                weights: f.uncoverable.weights.iter().map(weights).collect(),
            },
        })
    }
}
