//! Certificates that say where in the source the steps of the thread program run.

use crate::programs::meta;
use relyant_cfa::options::Options;
use relyant_check::certificate::{Certificate, write, write_with_places};
use relyant_check::{Proof, Rule};
use relyant_frontend::{c, instantiate};
use relyant_program::thread_program;
use serde_json::Value;

const TEXT: &str = "typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); extern void reach_error(void);
int x, y;
static int twice(void)
{
\treturn x + y;
}
void *worker(void *arg)
{
\tint seen = twice();
\tif (seen == 5) reach_error();
\tx = seen;
\treturn 0;
}
int main(void)
{
\tpthread_t t;
\tpthread_create(&t, 0, worker, 0);
\ty = 3;
\tx = 1;
\tif (x == 7) reach_error();
\treturn 0;
}
";

fn documents() -> (Proof, relyant_program::Program, String, String) {
    let options = Options::default();
    let module = c::load_text("places.i", TEXT, &options).unwrap();
    let automata = instantiate::instantiate(&module, &options).unwrap();
    let program = thread_program(&automata).unwrap();
    let proof = Proof {
        rule: Rule::RelyGuarantee,
        modular: true,
        threads: Vec::new(),
        tickets: Vec::new(),
        global: Vec::new(),
    };
    let plain = write(&proof, &program, &meta());
    let with_places = write_with_places(&proof, &program, &automata, &meta());
    (proof, program, plain, with_places)
}

#[test]
fn places_are_those_of_the_source() {
    let (proof, program, plain, with_places) = documents();
    let mut with: Value = serde_json::from_str(&with_places).unwrap();
    let places: Vec<&Value> = with["source"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|s| s["path"].as_array().unwrap())
        .collect();
    let has = |line: u32, calls: &[u32], does: &str, what: &str| {
        let is = |p: &&&Value| {
            p["line"] == line
                && p["calls"] == serde_json::json!(calls)
                && p["does"] == does
                && p["what"] == what
        };
        places.iter().any(|p| is(&p))
    };
    assert!(has(6, &[10], "read", "x") && has(6, &[10], "read", "y"), "{with_places}");
    assert!(has(12, &[], "write", "x") && has(20, &[], "write", "x"), "{with_places}");
    assert!(!has(6, &[], "read", "x"), "{with_places}");
    // Nothing else differs, and both are the same proof.
    assert_eq!(Certificate::parse(&with_places).unwrap().proof(&program).unwrap(), proof);
    with["version"] = 2.into();
    with.as_object_mut().unwrap().remove("source");
    assert_eq!(with, serde_json::from_str::<Value>(&plain).unwrap());
}

#[test]
fn a_version_has_its_own_sections() {
    let (_, _, plain, with_places) = documents();
    for (text, version) in [(plain, 3), (with_places, 2)] {
        let mut document: Value = serde_json::from_str(&text).unwrap();
        document["version"] = version.into();
        assert!(Certificate::parse(&document.to_string()).is_err(), "version {version}");
    }
}
