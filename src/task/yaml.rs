//! YAML with the place of everything in it.

use relyant_cfa::diagnostic::Diagnostic;
use saphyr::{LoadableYamlNode, MarkedYaml, Marker, Scalar, YamlData};

/// A YAML text and where it comes from.
#[derive(Clone, Copy)]
pub struct Source<'t> {
    /// File name for messages.
    pub file: &'t str,
    /// The whole text, for lines in messages.
    pub text: &'t str,
}

/// A node of a YAML document that knows its place.
#[derive(Clone, Copy)]
pub struct YamlNode<'n, 't> {
    source: Source<'t>,
    yaml: &'n MarkedYaml<'t>,
}

/// Nested deeper than this is nothing that anybody writes; the reader calls itself for each level.
const DEEPEST: usize = 200;

impl<'t> Source<'t> {
    /// Reads a text that holds one document.
    ///
    /// # Errors
    /// What is no YAML, and where.
    pub fn parse(self) -> Result<Document<'t>, Diagnostic> {
        if let Some((line, column)) = too_deep(self.text) {
            return Err(self.at(line, column, "this is nested too deeply", ""));
        }
        let documents = MarkedYaml::load_from_str(self.text).map_err(|e| {
            let m = e.marker();
            self.at(m.line(), m.col() + 1, &format!("no YAML: {}", e.info()), "")
        })?;
        let mut documents = documents.into_iter();
        match (documents.next(), documents.next()) {
            (Some(root), None) => Ok(Document { source: self, root }),
            (None, _) => Err(self.at(0, 0, "is empty", "")),
            (Some(_), Some(second)) => {
                let m = second.span.start;
                Err(self.at(m.line(), m.col() + 1, "a second document begins here; only one is read", ""))
            }
        }
    }

    fn at(self, line: usize, column: usize, message: &str, help: &str) -> Diagnostic {
        let text = line.checked_sub(1).and_then(|k| self.text.lines().nth(k));
        Diagnostic {
            file: self.file.into(),
            line: u32::try_from(line).unwrap_or(0),
            column: u32::try_from(column).unwrap_or(0),
            message: message.into(),
            help: help.into(),
            source_line: text.map(String::from),
        }
    }
}

/// Where brackets or indentation go deeper than [`DEEPEST`].
fn too_deep(text: &str) -> Option<(usize, usize)> {
    for (k, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start_matches([' ', '-', '?']).len();
        let brackets = line.chars().filter(|c| matches!(c, '[' | '{')).count();
        if indent > 2 * DEEPEST || brackets > DEEPEST {
            return Some((k + 1, 1));
        }
    }
    let brackets = text.chars().filter(|c| matches!(c, '[' | '{')).count();
    // Brackets that do not close on their line.
    let mut depth = 0usize;
    if brackets > DEEPEST {
        for (k, line) in text.lines().enumerate() {
            for c in line.chars() {
                match c {
                    '[' | '{' => depth += 1,
                    ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth > DEEPEST {
                    return Some((k + 1, 1));
                }
            }
        }
    }
    None
}

/// A document that was read, with the places of all nodes.
pub struct Document<'t> {
    source: Source<'t>,
    root: MarkedYaml<'t>,
}

impl<'t> Document<'t> {
    /// Its outermost node, which all others are inside of.
    pub fn root(&self) -> YamlNode<'_, 't> {
        YamlNode { source: self.source, yaml: &self.root }
    }
}

impl<'n, 't> YamlNode<'n, 't> {
    /// An error at this node.
    pub fn error(&self, message: impl AsRef<str>, help: &str) -> Diagnostic {
        let m: Marker = self.yaml.span.start;
        self.source.at(m.line(), m.col() + 1, message.as_ref(), help)
    }

    fn child(&self, yaml: &'n MarkedYaml<'t>) -> YamlNode<'n, 't> {
        YamlNode { source: self.source, yaml }
    }

    /// What kind of node it is, in words.
    pub fn kind(&self) -> &'static str {
        match &self.yaml.data {
            YamlData::Sequence(_) => "a list",
            YamlData::Mapping(_) => "a mapping",
            YamlData::Value(Scalar::String(_)) => "a string",
            YamlData::Value(Scalar::Boolean(_)) => "a truth value",
            YamlData::Value(Scalar::Integer(_) | Scalar::FloatingPoint(_)) => "a number",
            YamlData::Value(Scalar::Null) => "nothing",
            _ => "a tagged node or an alias",
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Result<Vec<YamlNode<'n, 't>>, Diagnostic> {
        match &self.yaml.data {
            YamlData::Sequence(items) => Ok(items.iter().map(|y| self.child(y)).collect()),
            _ => Err(self.error(format!("a list is needed, this is {}", self.kind()), "")),
        }
    }

    /// Is it a list?
    pub fn is_list(&self) -> bool {
        matches!(self.yaml.data, YamlData::Sequence(_))
    }

    /// The entries of a mapping.
    pub fn entries(&self) -> Result<Vec<(YamlNode<'n, 't>, YamlNode<'n, 't>)>, Diagnostic> {
        match &self.yaml.data {
            YamlData::Mapping(m) => Ok(m.iter().map(|(k, v)| (self.child(k), self.child(v))).collect()),
            _ => Err(self.error(format!("a mapping is needed, this is {}", self.kind()), "")),
        }
    }

    /// The value of a key, if there is one.
    pub fn get(&self, key: &str) -> Result<Option<YamlNode<'n, 't>>, Diagnostic> {
        let found = self.entries()?.into_iter().find(|(k, _)| k.yaml.data.as_str() == Some(key));
        Ok(found.map(|(_, v)| v))
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: &str) -> Result<YamlNode<'n, 't>, Diagnostic> {
        self.get(key)?.ok_or_else(|| self.error(format!("`{key}` is missing here"), ""))
    }

    /// The node as a string; an error where it is none.
    pub fn text(&self) -> Result<&'n str, Diagnostic> {
        let help = if self.kind() == "a number" { "put it in quotes" } else { "" };
        self.yaml
            .data
            .as_str()
            .ok_or_else(|| self.error(format!("a string is needed, this is {}", self.kind()), help))
    }

    /// The node as true or false; an error where it is neither.
    pub fn truth(&self) -> Result<bool, Diagnostic> {
        self.yaml
            .data
            .as_bool()
            .ok_or_else(|| self.error(format!("true or false is needed, this is {}", self.kind()), ""))
    }

    /// The node as a whole number; an error where it is none.
    pub fn integer(&self) -> Result<i64, Diagnostic> {
        self.yaml
            .data
            .as_integer()
            .ok_or_else(|| self.error(format!("a whole number is needed, this is {}", self.kind()), ""))
    }

    /// Line and column where it begins, from 1.
    pub fn place(&self) -> (usize, usize) {
        (self.yaml.span.start.line(), self.yaml.span.start.col() + 1)
    }

    /// As a JSON value, for schemas.
    pub fn json(&self) -> Result<serde_json::Value, Diagnostic> {
        use serde_json::Value;
        Ok(match &self.yaml.data {
            YamlData::Value(Scalar::Null) => Value::Null,
            YamlData::Value(Scalar::Boolean(b)) => Value::Bool(*b),
            YamlData::Value(Scalar::Integer(i)) => Value::from(*i),
            YamlData::Value(Scalar::FloatingPoint(x)) => Value::from(x.into_inner()),
            YamlData::Value(Scalar::String(s)) => Value::String(s.to_string()),
            YamlData::Sequence(_) => {
                Value::Array(self.list()?.iter().map(YamlNode::json).collect::<Result<_, _>>()?)
            }
            YamlData::Mapping(_) => {
                let mut map = serde_json::Map::new();
                for (k, v) in self.entries()? {
                    map.insert(k.text()?.to_string(), v.json()?);
                }
                Value::Object(map)
            }
            _ => return Err(self.error("tags are not read", "")),
        })
    }
}
