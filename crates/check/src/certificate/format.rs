//! The JSON of a certificate, field by field.

use super::Source;
use super::macros::PreprocessingRecord;
use crate::Rule;
use relyant_cfa::options::{Atomicity, DataModel, Integers, MemoryModel, Options, Property, Signed};
use relyant_program::Program;
use serde::{Deserialize, Serialize};

/// A certificate of a thread program, version by version as `docs/CERTIFICATE.md` has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub format: String,
    pub version: u64,
    pub tool: String,
    pub sources: Vec<SourceFile>,
    pub includes: Vec<SourceFile>,
    pub options: OptionsRecord,
    pub program: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ghosts: Option<Vec<super::ghosts::GhostsRecord>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<super::order::OrderRecord>,
    pub rule: RuleName,
    pub modular: bool,
    pub locations: Vec<LocationRecord>,
    pub threads: Vec<ThreadRecord>,
    pub tickets: Vec<TicketsRecord>,
    pub global: Vec<GlobalRecord>,
    /// Of version 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<super::places::SourceRecord>,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    pub file: String,
    pub sha256: String,
}

impl From<&Source> for SourceFile {
    fn from(s: &Source) -> SourceFile {
        SourceFile { file: s.file.clone(), sha256: s.sha256.clone() }
    }
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum RuleName {
    RelyGuarantee,
    OwickiGries,
    Monolithic,
}

#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct OptionsRecord {
    pub atomicity: AtomicityName,
    #[serde(default, skip_serializing_if = "MemoryModelName::is_sc")]
    pub memory_model: MemoryModelName,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub robust: bool,
    pub integers: IntegersName,
    pub signed: SignedName,
    #[serde(default)]
    pub property: PropertyName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_function: Option<String>,
    #[serde(default)]
    pub check_memory: bool,
    #[serde(default)]
    pub leaks: bool,
    pub data_model: DataModelName,
    pub threads: Vec<String>,
    pub exclusive: Option<String>,
    #[serde(default)]
    pub reads_in_any_order: bool,
    #[serde(default)]
    pub error_labels: Vec<String>,
    #[serde(default)]
    pub deadlock: bool,
    pub max_threads: Option<u32>,
    #[serde(default)]
    pub max_objects: Option<u32>,
    pub preprocessing: PreprocessingRecord,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum AtomicityName {
    Access,
    Statement,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModelName {
    #[default]
    Sc,
    Tso,
}

impl MemoryModelName {
    fn is_sc(&self) -> bool {
        *self == MemoryModelName::Sc
    }
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum IntegersName {
    Machine,
    Ideal,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum SignedName {
    Assume,
    Wrap,
    Check,
}

#[derive(Serialize, Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyName {
    #[default]
    Assertions,
    NoDataRace,
    NoOverflow,
    ValidMemory,
    NoDeadlock,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum DataModelName {
    Lp64,
    Ilp32,
}

/// A location; `id` is the number of its template, a dot, and its own number.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocationRecord {
    pub id: String,
    pub thread: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadRecord {
    pub thread: String,
    pub invariants: Vec<InvariantRecord>,
    pub environment: Vec<TransitionRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvariantRecord {
    pub at: String,
    pub states: Vec<StateRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateRecord {
    pub others: Vec<ControlRecord>,
    pub holds: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlRecord {
    pub thread: String,
    pub at: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionRecord {
    pub actor: String,
    pub from: Vec<String>,
    pub to: Vec<String>,
    pub others: Vec<ControlRecord>,
    pub at: Vec<String>,
    pub writes: Vec<String>,
    pub relation: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TicketsRecord {
    pub counter: String,
    pub holders: Vec<HolderRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HolderRecord {
    pub thread: String,
    pub variable: String,
    pub at: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlobalRecord {
    pub at: Vec<String>,
    pub holds: Vec<String>,
}

/// Two enums with the same variants, mapped both ways.
macro_rules! same {
    ($record:ty, $own:ty: $($variant:ident),*) => {
        impl From<$own> for $record {
            fn from(x: $own) -> $record {
                match x { $(<$own>::$variant => <$record>::$variant),* }
            }
        }
        impl From<$record> for $own {
            fn from(x: $record) -> $own {
                match x { $(<$record>::$variant => <$own>::$variant),* }
            }
        }
    };
}
same!(RuleName, Rule: RelyGuarantee, OwickiGries, Monolithic);
same!(AtomicityName, Atomicity: Access, Statement);
same!(MemoryModelName, MemoryModel: Sc, Tso);
same!(IntegersName, Integers: Machine, Ideal);
same!(SignedName, Signed: Assume, Wrap, Check);
same!(PropertyName, Property: Assertions, NoDataRace, NoOverflow, ValidMemory, NoDeadlock);
same!(DataModelName, DataModel: Lp64, Ilp32);

impl From<&Options> for OptionsRecord {
    fn from(o: &Options) -> OptionsRecord {
        OptionsRecord {
            atomicity: o.atomicity.into(),
            memory_model: o.memory_model.into(),
            robust: o.robust,
            integers: o.integers.into(),
            signed: o.signed.into(),
            property: o.property.into(),
            error_function: o.error_function.clone(),
            check_memory: o.check_memory,
            leaks: o.leaks,
            data_model: o.data_model.into(),
            threads: o.threads.clone(),
            exclusive: o.exclusive.clone(),
            reads_in_any_order: o.reads_in_any_order,
            error_labels: o.error_labels.clone(),
            deadlock: o.deadlock,
            max_threads: o.max_threads,
            max_objects: o.max_objects,
            preprocessing: (&o.preprocessing).into(),
        }
    }
}

impl From<OptionsRecord> for Options {
    fn from(o: OptionsRecord) -> Options {
        Options {
            race_pair: None,
            atomicity: o.atomicity.into(),
            memory_model: o.memory_model.into(),
            robust: o.robust,
            integers: o.integers.into(),
            signed: o.signed.into(),
            property: o.property.into(),
            // Who says that there are no deadlocks has to show it.
            deadlock: o.deadlock || matches!(o.property, PropertyName::NoDeadlock),
            error_function: o.error_function,
            check_memory: o.check_memory,
            leaks: o.leaks,
            data_model: o.data_model.into(),
            threads: o.threads,
            exclusive: o.exclusive,
            reads_in_any_order: o.reads_in_any_order,
            error_labels: o.error_labels,
            max_threads: o.max_threads,
            max_objects: o.max_objects,
            more_files: Vec::new(),
            preprocessing: o.preprocessing.into(),
            apart: Vec::new(),
        }
    }
}

/// The names of a program, each its own.
pub struct Names {
    pub variables: Vec<String>,
    pub templates: Vec<String>,
}

impl Names {
    pub fn new(p: &Program) -> Names {
        Names {
            variables: super::text::unique(p.variables.iter().map(|v| &v.name[..])),
            templates: super::text::unique(p.templates.iter().map(|t| &t.name[..])),
        }
    }
}

/// The id of a location.
pub fn location_id(template: u32, location: u32) -> String {
    format!("{template}.{location}")
}

/// All locations of a program.
pub fn locations(p: &Program, names: &Names) -> Vec<LocationRecord> {
    let mut out = Vec::new();
    for (i, t) in p.templates.iter().enumerate() {
        for (l, location) in t.locations.iter().enumerate() {
            out.push(LocationRecord {
                id: location_id(i as u32, l as u32),
                thread: names.templates[i].clone(),
                file: p.files.get(location.span.file as usize).cloned().unwrap_or_default(),
                line: location.span.line,
                column: location.span.column,
            });
        }
    }
    out
}
