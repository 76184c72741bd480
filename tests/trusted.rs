//! What a verdict rests on is what `ARCHITECTURE.md` says: the binary that checks certificates is made of the crates that
//! are listed there, and of no engine.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

fn metadata() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|l| l.strip_prefix("host: ")).unwrap();
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Names of the packages that one needs to run, with those of the workspace first; build scripts and macros apart.
fn needs(metadata: &Value, root: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let packages: BTreeMap<&str, &Value> =
        metadata["packages"].as_array().unwrap().iter().map(|p| (p["id"].as_str().unwrap(), p)).collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (n["id"].as_str().unwrap(), n))
        .collect();
    let name = |id: &str| packages[id]["name"].as_str().unwrap().to_string();
    let start = *packages.keys().find(|id| name(id) == root).unwrap();
    let (mut own, mut direct) = (BTreeSet::new(), BTreeSet::new());
    let mut todo = vec![start];
    while let Some(id) = todo.pop() {
        // What is in a registry is somebody else's; its own needs are theirs to say.
        if !packages[id]["source"].is_null() {
            direct.insert(name(id));
            continue;
        }
        if !own.insert(name(id)) {
            continue;
        }
        for d in nodes[id]["deps"].as_array().unwrap() {
            let runs = |k: &Value| k["kind"].is_null();
            if d["dep_kinds"].as_array().unwrap().iter().any(runs) {
                todo.push(d["pkg"].as_str().unwrap());
            }
        }
    }
    (own, direct)
}

/// The names in backquotes of a part of a text.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(String::from).collect()
}

#[test]
fn the_checker_is_made_of_what_is_listed() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let section = text.split("### What a verdict rests on").nth(1).unwrap();
    let section = section.split("### ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|l| l.starts_with("| `")).collect();
    let listed: BTreeSet<String> = rows.iter().map(|r| r.split('`').nth(1).unwrap().to_string()).collect();
    let others = quoted(section.split("Of other people's:").nth(1).unwrap());
    let metadata = metadata();
    let (own, direct) = needs(&metadata, "relyant-checker");
    assert_eq!(listed, own, "crates of ours");
    assert_eq!(others, direct, "crates of others");
    for engine in ["relyant-engines", "relyant-horn", "relyant-unbounded", "relyant-rewriting", "relyant"] {
        assert!(!own.contains(engine), "{engine} is no part of the checker");
    }
}

#[test]
fn proofs_and_their_check_need_no_engine_and_no_front_end() {
    let (own, _) = needs(&metadata(), "relyant-check");
    for apart in ["relyant-engines", "relyant-horn", "relyant-unbounded", "relyant-frontend"] {
        assert!(!own.contains(apart), "{apart} is no part of the checkers");
    }
}
