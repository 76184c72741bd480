//! Validates JSON against the schemas in this folder and in `docs/schema`: the part of JSON Schema (2020-12, draft 7) that
//! they use. A keyword that is not known here is an error. `scripts/check-witnesses` and `scripts/check-formats` validate by
//! libraries.
//!
//! `sarif-2.1.0.json` is OASIS's schema, `junit-10.xsd` that of Jenkins' xUnit plugin (MIT licence).

use serde_json::{Map, Value};
use std::path::Path;

/// A schema from this folder.
pub fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schema").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON")
}

/// What of an instance is not as the schema wants it.
pub fn errors(root: &Value, instance: &Value) -> Vec<String> {
    let mut out = Vec::new();
    check(root, root, instance, "", &mut out);
    out
}

fn has_type(v: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => v.is_object(),
        Some("array") => v.is_array(),
        Some("string") => v.is_string(),
        Some("integer") => v.is_i64() || v.is_u64(),
        Some("number") => v.is_number(),
        Some("boolean") => v.is_boolean(),
        Some("null") => v.is_null(),
        other => panic!("type {other:?} is not known"),
    }
}

fn is_valid(root: &Value, schema: &Value, v: &Value) -> bool {
    let mut out = Vec::new();
    check(root, schema, v, "", &mut out);
    out.is_empty()
}

fn check(root: &Value, schema: &Value, v: &Value, at: &str, out: &mut Vec<String>) {
    let schema = match schema {
        Value::Object(schema) => schema,
        Value::Bool(true) => return,
        _ => panic!("{at}: a schema is an object here"),
    };
    let empty = Map::new();
    let object = v.as_object();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for (key, want) in schema {
        let number = || want.as_u64().expect("a number");
        let list = || want.as_array().expect("a list");
        let holds = match key.as_str() {
            "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => true,
            "$ref" => {
                let path = want.as_str().expect("a reference").strip_prefix('#').expect("a local one");
                check(root, root.pointer(path).expect("what is referred to"), v, at, out);
                true
            }
            "type" => match want {
                Value::Array(any) => any.iter().any(|t| has_type(v, t)),
                one => has_type(v, one),
            },
            "const" => v == want,
            "enum" => list().contains(v),
            "format" => match (want.as_str(), v.as_str()) {
                (Some("uuid"), Some(s)) => uuid(s),
                (Some("date-time"), Some(s)) => date_time(s),
                (Some("uri"), Some(s)) => s.contains(':') && uri(s),
                (Some("uri-reference"), Some(s)) => uri(s),
                (Some("uuid" | "date-time" | "uri" | "uri-reference"), None) => true,
                (Some("uint" | "uint8" | "uint32" | "uint64"), _) => !v.is_i64() || v.is_u64(),
                (Some("int128" | "double"), _) => true,
                (other, _) => panic!("format {other:?} is not known"),
            },
            "minimum" => v.as_f64().is_none_or(|n| n >= want.as_f64().expect("a number")),
            "maximum" => v.as_f64().is_none_or(|n| n <= want.as_f64().expect("a number")),
            "uniqueItems" => v.as_array().is_none_or(|a| (1..a.len()).all(|i| !a[..i].contains(&a[i]))),
            "pattern" if v.is_string() => panic!("pattern {want} is not known"),
            "pattern" => true,
            "minLength" => v.as_str().is_none_or(|s| s.chars().count() as u64 >= number()),
            "maxLength" => v.as_str().is_none_or(|s| s.chars().count() as u64 <= number()),
            "minItems" => v.as_array().is_none_or(|a| a.len() as u64 >= number()),
            "minProperties" => object.is_none_or(|o| o.len() as u64 >= number()),
            "required" => object.is_none_or(|o| list().iter().all(|k| o.contains_key(k.as_str().unwrap()))),
            "items" => {
                for (k, item) in v.as_array().into_iter().flatten().enumerate() {
                    check(root, want, item, &format!("{at}/{k}"), out);
                }
                true
            }
            "properties" => {
                for (name, s) in properties {
                    if let Some(inner) = object.and_then(|o| o.get(name)) {
                        check(root, s, inner, &format!("{at}/{name}"), out);
                    }
                }
                true
            }
            "additionalProperties" => {
                for (name, inner) in
                    object.into_iter().flatten().filter(|(n, _)| !properties.contains_key(*n))
                {
                    match want {
                        Value::Bool(false) => out.push(format!("{at}: `{name}` is not known")),
                        s => check(root, s, inner, &format!("{at}/{name}"), out),
                    }
                }
                true
            }
            "allOf" => {
                list().iter().for_each(|s| check(root, s, v, at, out));
                true
            }
            "anyOf" => list().iter().any(|s| is_valid(root, s, v)),
            "oneOf" => list().iter().filter(|s| is_valid(root, s, v)).count() == 1,
            "not" => !is_valid(root, want, v),
            "if" => {
                let branch = if is_valid(root, want, v) { "then" } else { "else" };
                if let Some(s) = schema.get(branch) {
                    check(root, s, v, at, out);
                }
                true
            }
            "then" | "else" => true,
            other => panic!("keyword `{other}` is not known"),
        };
        if !holds {
            out.push(format!("{at}: {key} {want} does not hold for {v}"));
        }
    }
}

fn uri(s: &str) -> bool {
    s.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b))
}

fn uuid(s: &str) -> bool {
    let lengths: Vec<usize> = s.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && s.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

fn date_time(s: &str) -> bool {
    let shape: String = s.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match shape.strip_prefix("0000-00-00T00:00:00") {
        Some(zone) => matches!(zone, "Z" | "+00:00" | "-00:00"),
        None => false,
    }
}
