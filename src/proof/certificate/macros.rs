//! What the preprocessor is told, in a certificate: data that is looked at, never options of a compiler.

use relyant_frontend::preprocessing::{Define, Name, Preprocessing};
use serde::{Deserialize, Serialize};

/// A macro that is defined, as text.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub struct DefineText(Define);

impl TryFrom<String> for DefineText {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Define::parse(&text).map(DefineText)
    }
}

impl From<DefineText> for String {
    fn from(d: DefineText) -> String {
        d.0.to_string()
    }
}

/// The name of a macro, as text.
#[derive(Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
pub struct NameText(Name);

impl TryFrom<String> for NameText {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Name::parse(&text).map(NameText)
    }
}

impl From<NameText> for String {
    fn from(n: NameText) -> String {
        n.0.text().into()
    }
}

/// All of it.
#[derive(Serialize, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct PreprocessingRecord {
    pub define: Vec<DefineText>,
    pub undefine: Vec<NameText>,
    pub include: Vec<String>,
}

impl From<&Preprocessing> for PreprocessingRecord {
    fn from(p: &Preprocessing) -> PreprocessingRecord {
        PreprocessingRecord {
            define: p.define.iter().cloned().map(DefineText).collect(),
            undefine: p.undefine.iter().cloned().map(NameText).collect(),
            include: p.include.iter().map(|i| i.display().to_string()).collect(),
        }
    }
}

impl From<PreprocessingRecord> for Preprocessing {
    fn from(r: PreprocessingRecord) -> Preprocessing {
        Preprocessing {
            define: r.define.into_iter().map(|d| d.0).collect(),
            undefine: r.undefine.into_iter().map(|n| n.0).collect(),
            include: r.include.into_iter().map(Into::into).collect(),
        }
    }
}
