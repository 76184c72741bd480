//! Forms of the report that others read, each against its schema.

use super::{SAFE, UNSAFE, WRONG, folder, out, relyant, schema};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Two threads, one lock that one of them does not take; a second pair of accesses.
const RACE: &str = "#include <pthread.h>\n\
int hits, misses;\n\
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
void *run(void *a) {\n\
\tpthread_mutex_lock(&m);\n\
\thits++;\n\
\tpthread_mutex_unlock(&m);\n\
\tmisses = 1;\n\
\treturn 0;\n\
}\n\
int main(void) {\n\
\tpthread_t t;\n\
\tpthread_create(&t, 0, run, 0);\n\
\thits++;\n\
\tmisses = 2;\n\
\treturn 0;\n\
}\n";

/// Each waits for the lock of the other.
const STUCK: &str = "#include <pthread.h>\n\
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
void *run(void *x) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); return 0; }\n\
int main(void) {\n\
\tpthread_t t;\n\
\tpthread_create(&t, 0, run, 0);\n\
\tpthread_mutex_lock(&a);\n\
\tpthread_mutex_lock(&b);\n\
\treturn 0;\n\
}\n";

fn published(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(name)
}

fn verify(dir: &Path, args: &[&str]) -> String {
    out(&relyant(dir).arg("verify").args(args).output().unwrap())
}

fn json(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&verify(dir, args)).unwrap()
}

/// So that a field that the schema does not know is an error.
fn closed(schema: &mut Value) {
    if let Some(o) = schema.as_object_mut() {
        if o.contains_key("properties") && !o.contains_key("additionalProperties") {
            o.insert("additionalProperties".into(), Value::Bool(false));
        }
        o.values_mut().for_each(closed);
    } else if let Some(a) = schema.as_array_mut() {
        a.iter_mut().for_each(closed);
    }
}

/// `RELYANT_BLESS=1` writes them.
#[test]
fn published_schemas_are_those_of_the_types() {
    let dir = folder(&[]);
    for name in ["report", "rewriting"] {
        let made = out(&relyant(dir.path()).args(["schema", name]).output().unwrap());
        let file = published(&format!("{name}.json"));
        if std::env::var_os("RELYANT_BLESS").is_some() {
            std::fs::write(&file, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&file).unwrap() == made, "{}: bless it", file.display());
    }
}

#[test]
fn json_fits_its_schema() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE), ("w.c", WRONG), ("r.c", RACE), ("d.c", STUCK)]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at = |name: &str| root.join("benchmarks").join(name).display().to_string();
    let (door, publish, toy) =
        (at("finite/door.tts"), at("finite/publish.bp"), at("rewriting/toy_fixed.timbuk"));
    let read = |name: &str| {
        let mut s: Value = serde_json::from_str(&std::fs::read_to_string(published(name)).unwrap()).unwrap();
        closed(&mut s);
        s
    };
    let report = read("report.json");
    for args in [
        &["--each", "s.c", "u.c", "w.c", "absent.c"][..],
        &["--property", "no-data-race", "r.c"],
        &["--property", "all", "d.c"],
        &["--reproduce", "made", "--runs", "1", "u.c"],
        &["--search", "1", "--max-states", "1", "--method", "search", "u.c"],
        &[&door],
        &[&publish],
    ] {
        let doc = json(dir.path(), &[&["--format", "json"], args].concat());
        assert!(!doc["results"].as_array().unwrap().is_empty());
        assert_eq!(schema::errors(&report, &doc), [""; 0], "{args:?}");
    }
    let doc = json(dir.path(), &["--format", "json", &toy]);
    assert_eq!(schema::errors(&read("rewriting.json"), &doc), [""; 0]);
    // The schema is one: it knows what is wrong.
    let mut doc = json(dir.path(), &["--format", "json", "s.c"]);
    doc["results"][0]["threads"] = Value::from("two");
    assert!(!schema::errors(&report, &doc).is_empty());
}

fn strings<'a>(v: &'a Value, pointer: &str) -> Vec<&'a str> {
    v.as_array().unwrap().iter().filter_map(|x| x.pointer(pointer)?.as_str()).collect()
}

#[test]
fn sarif_fits_its_schema() {
    let dir = folder(&[("s.c", SAFE), ("u x.c", UNSAFE), ("w.c", WRONG), ("r.c", RACE), ("d.c", STUCK)]);
    let official = schema::schema("sarif-2.1.0.json");
    let sarif = |args: &[&str]| {
        let log = json(dir.path(), &[&["--format", "sarif"], args].concat());
        assert_eq!(schema::errors(&official, &log), [""; 0], "{args:?}");
        log["runs"][0].clone()
    };
    let run = sarif(&["--each", "s.c", "u x.c", "w.c"]);
    let results = run["results"].as_array().unwrap();
    assert_eq!(strings(&run["results"], "/ruleId"), ["assertion"]);
    let at = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (at["artifactLocation"]["uri"].as_str(), at["region"]["startLine"].as_u64()),
        (Some("u%20x.c"), Some(6))
    );
    let notes = &run["invocations"][0];
    assert_eq!(strings(&notes["toolExecutionNotifications"], "/level"), ["note", "error"]);
    assert_eq!(notes["executionSuccessful"], false);

    // Columns are counted in characters, two of which have more bytes here.
    let column = |comment: &str| {
        let text = UNSAFE.replace("assert(x == 0)", &format!("/* {comment} */ assert(x == 0)"));
        std::fs::write(dir.path().join("c.c"), text).unwrap();
        let run = sarif(&["c.c"]);
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"].as_u64().unwrap()
    };
    assert_eq!(column("\u{e9}\u{1f600}"), column("ab"));
    assert_eq!(column("ab"), column("a") + 1);

    let run = sarif(&["--property", "no-data-race", "r.c"]);
    let rules = strings(&run["results"], "/ruleId");
    assert!(rules.len() > 1 && rules.iter().all(|r| *r == "data-race"), "{rules:?}");
    // Each pair has a run.
    let flows = |r: &Value| r["codeFlows"][0]["threadFlows"].as_array().map_or(0, Vec::len);
    assert!(run["results"].as_array().unwrap().iter().all(|r| flows(r) > 0), "{run}");
    let race = &run["results"][0];
    let lines: BTreeSet<u64> = race["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
        .collect();
    assert!(lines.is_superset(&[6, 14].into()) || lines.is_superset(&[8, 15].into()), "{race}");
    // A flow for each thread; together they are the run in its order.
    let flows = race["codeFlows"][0]["threadFlows"].as_array().unwrap();
    assert_eq!(
        flows.iter().map(|f| f["id"].as_str().unwrap()).collect::<BTreeSet<_>>(),
        ["main", "run"].into()
    );
    let mut order: Vec<u64> = flows
        .iter()
        .flat_map(|f| f["locations"].as_array().unwrap())
        .map(|l| l["executionOrder"].as_u64().unwrap())
        .collect();
    order.sort_unstable();
    assert!(order.len() > 2 && order == (1..=order.len() as u64).collect::<Vec<_>>(), "{order:?}");

    let run = sarif(&["--property", "deadlock", "d.c"]);
    let said = strings(&run["results"][0]["relatedLocations"], "/message/text").join("\n");
    // The thread has both locks, and has ended.
    assert!(said.contains("main waits here for a"), "{said}");
}

#[test]
fn junit_counts_what_did_not_pass() {
    let dir = folder(&[("s.c", SAFE), ("u.c", UNSAFE), ("w.c", WRONG)]);
    let o = relyant(dir.path())
        .args(["verify", "--format", "junit", "--each", "s.c", "u.c", "w.c"])
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(2));
    let text = out(&o);
    let xml = roxmltree::Document::parse(&text).unwrap();
    let suite = xml.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
    assert_eq!(
        ["tests", "failures", "errors"].map(|a| suite.attribute(a)),
        [Some("3"), Some("1"), Some("1")]
    );
    let cases: Vec<_> = suite.children().filter(|n| n.has_tag_name("testcase")).collect();
    assert_eq!(cases.iter().map(|c| c.attribute("name").unwrap()).collect::<Vec<_>>(), ["s.c", "u.c", "w.c"]);
    let inside = |k: usize| cases[k].children().find(roxmltree::Node::is_element);
    assert!(inside(0).is_none());
    let failure = inside(1).unwrap();
    assert!(failure.has_tag_name("failure") && failure.attribute("type") == Some("assertion"), "{text}");
    assert!(
        failure.attribute("message").unwrap().contains("u.c:6") && failure.text().unwrap().contains("x = 1")
    );
    assert!(inside(2).unwrap().has_tag_name("error"), "{text}");
}

/// A layout is made of what `show` writes, by a library that reads DOT.
#[test]
fn graphs_can_be_drawn() {
    use layout::backends::svg::SVGWriter;
    use layout::gv::{DotParser, GraphBuilder};
    let odd = "a \"b\" {c}.c";
    let dir = folder(&[("u.c", UNSAFE), (odd, UNSAFE)]);
    for file in ["u.c", odd] {
        for stage in ["automaton", "program"] {
            let o = relyant(dir.path())
                .args(["show", "--format", "dot", "--stage", stage, file])
                .output()
                .unwrap();
            let text = out(&o);
            let graph = DotParser::new(&text).process().unwrap_or_else(|e| panic!("{e}: {text}"));
            let mut builder = GraphBuilder::new();
            builder.visit_graph(&graph);
            let mut svg = SVGWriter::new();
            builder.get().do_it(false, false, false, &mut svg);
            let drawn = svg.finalize();
            assert!(roxmltree::Document::parse(&drawn).is_ok(), "{drawn}");
            assert!(drawn.contains("<path") || drawn.contains("<line"), "{drawn}");
        }
    }
}

/// Of each kind of input; what is printed stays what it is.
#[test]
fn reports_go_into_files_as_well() {
    let dir = folder(&[("u.c", UNSAFE)]);
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    let at = |name: &str| benchmarks.join(name).display().to_string();
    let files = ["u.c".to_string(), at("finite/door.tts"), at("rewriting/toy_fixed.timbuk")];
    for (file, word) in files.iter().zip(["unsafe", "safe", "safe"]) {
        let text = verify(dir.path(), &["--report", "json=r.json", "--report", "markdown=r.md", file]);
        assert!(text.contains("property: ") && text.contains(word), "{text}");
        let written = std::fs::read_to_string(dir.path().join("r.json")).unwrap();
        let doc: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(strings(&doc["results"], "/verdict"), [word]);
        let table = std::fs::read_to_string(dir.path().join("r.md")).unwrap();
        assert!(table.contains(&format!("\n| {word} | <code>")), "{table}");
        if file == "u.c" {
            assert!(table.contains("\n<pre>line  main "), "{table}");
        }
    }
    for wrong in ["json=none/r.json", "text=r.txt", "json"] {
        let o = relyant(dir.path()).args(["verify", "--report", wrong, "u.c"]).output().unwrap();
        assert_eq!(o.status.code(), Some(2), "{wrong}");
    }
}

/// Two threads change a number; what one of them did is lost.
pub(super) const BALANCE: &str = "#include <pthread.h>\n#include <assert.h>\ndouble balance = 10.5;\n\
void *add(void *a) { balance = balance + 2.25; return 0; }\n\
void *take(void *a) { balance = balance - 1.5; return 0; }\n\
int main(void) {\n\
\tpthread_t d, w;\n\
\tpthread_create(&d, 0, add, 0);\n\
\tpthread_create(&w, 0, take, 0);\n\
\tpthread_join(d, 0);\n\
\tpthread_join(w, 0);\n\
\tassert(balance == 11.25);\n\
\treturn 0;\n\
}\n";

/// All forms have the sentence of the text, its names of threads and values as the source writes them.
#[test]
fn all_forms_tell_the_same_of_a_run() {
    let dir = folder(&[("f.c", BALANCE)]);
    let text = verify(dir.path(), &["f.c"]);
    let sentence = text.lines().find_map(|l| l.strip_prefix("what happened: ")).unwrap();
    assert!(sentence.contains("both read balance = 10.5"), "{text}");
    let log = json(dir.path(), &["--format", "sarif", "f.c"]);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"], sentence);
    let flow = &result["codeFlows"][0]["threadFlows"];
    let ids: BTreeSet<&str> = flow.as_array().unwrap().iter().map(|f| f["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["d", "main", "w"].into());
    assert_eq!(flow[0]["initialState"]["balance"]["text"], "10.5");
    let bits = format!("{}", 10.5f64.to_bits() / 1_000_000);
    assert!(flow.to_string().contains("balance = 10.5") && !log.to_string().contains(&bits), "{flow}");
    let xml = verify(dir.path(), &["--format", "junit", "f.c"]);
    assert!(xml.contains(&format!("message=\"f.c:12: {sentence}\"")) && !xml.contains(&bits), "{xml}");
    assert!(xml.contains(">line  main") && xml.contains("balance = 10.5"), "{xml}");
    let table = verify(dir.path(), &["--format", "markdown", "f.c"]);
    assert!(!table.contains(&bits) && table.contains("both read balance = 10.5"), "{table}");
}

/// Each place says its file where that is not the one of the violation; the second race has its own places.
#[test]
fn places_in_other_files_have_names() {
    let other =
        "#include <pthread.h>\nextern int n, k;\nvoid *add(void *a) {\n\tn++;\n\tk = 1;\n\treturn 0;\n}\n";
    let main = "#include <pthread.h>\nint n, k;\nvoid *add(void *a);\nint main(void) {\n\tpthread_t t;\n\
        \tpthread_create(&t, 0, add, 0);\n\tn++;\n\tk = 2;\n\treturn 0;\n}\n";
    let dir = folder(&[("other.c", other), ("main.c", main)]);
    let args = ["--property", "no-data-race", "main.c", "other.c"];
    let log = json(dir.path(), &[&["--format", "sarif"], &args[..]].concat());
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > 1, "{log}");
    for r in results {
        let (said, uri) = (r["message"]["text"].as_str().unwrap(), "/physicalLocation/artifactLocation/uri");
        let here = r["locations"][0].pointer(uri).unwrap();
        assert!(here == "main.c" || here == "other.c", "{r}");
        assert!(said.contains("(main.c:") && said.contains("(other.c:"), "{said}");
        let related: BTreeSet<&str> = strings(&r["relatedLocations"], uri).into_iter().collect();
        assert_eq!(related, ["main.c", "other.c"].into(), "{r}");
    }
    let xml = verify(dir.path(), &[&["--format", "junit"], &args[..]].concat());
    assert!(xml.contains("name=\"main.c other.c\""), "{xml}");

    std::fs::write(
        dir.path().join("waste.c"),
        "#include <stdlib.h>\nvoid waste(void) {\n\tchar *p = malloc(4);\n\tif (p)\n\t\t*p = 1;\n}\n",
    )
    .unwrap();
    std::fs::write(
        dir.path().join("calls.c"),
        "void waste(void);\nint main(void) {\n\twaste();\n\treturn 0;\n}\n",
    )
    .unwrap();
    let text = verify(dir.path(), &["--property", "valid-memsafety", "calls.c", "waste.c"]);
    assert!(text.contains("char1, made by main in waste.c:3, is lost: nobody has freed it"), "{text}");
}
