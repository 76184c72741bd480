//! The JSON Schema (2020-12) of reports, made of the types that write them. `docs/schema/` has it as files.

use super::{json, rewriting};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// The schema of reports on C programs and on finite-state threads.
pub fn report() -> Schema {
    of::<json::Document>("report.json")
}

/// The schema of reports on rewriting systems.
pub fn rewriting() -> Schema {
    of::<rewriting::Document>("rewriting.json")
}

/// As what is written has it, not as what is read may be.
fn of<T: JsonSchema>(name: &str) -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    let id = format!("{}/blob/main/docs/schema/{name}", env!("CARGO_PKG_REPOSITORY"));
    schema.insert("$id".into(), id.into());
    schema
}
