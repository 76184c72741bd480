//! The language server, as an editor talks to it.

use super::{SAFE, UNSAFE, benchmark, endless, folder, relyant};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A client that waits for what it asked for, and keeps what comes meanwhile.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    kept: Vec<Value>,
}

impl Client {
    fn new(folder: &Path) -> Client {
        Client::with(folder, &[])
    }
    fn with(folder: &Path, options: &[&str]) -> Client {
        let mut c = relyant(folder);
        c.args(["lsp", "--delay", "0"]).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = c.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, input, output, next: 0, kept: Vec::new() };
        let can = client.ask("initialize", json!({"capabilities": {}}))["result"]["capabilities"].clone();
        assert!(
            can["hoverProvider"] == true
                && can["executeCommandProvider"]["commands"] == json!(["relyant.verify"])
        );
        client.tell("initialized", json!({}));
        client
    }
    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }
    fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }
    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }
    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server is gone");
            match line.trim().split_once(": ") {
                Some(("Content-Length", n)) => length = n.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
    fn wait(&mut self, what: impl Fn(&Value) -> bool) -> Value {
        if let Some(i) = self.kept.iter().position(&what) {
            return self.kept.remove(i);
        }
        loop {
            let message = self.read();
            if what(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }
    fn answer(&mut self, id: u64) -> Value {
        self.wait(|m| m["id"] == id)
    }
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }
    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }
    fn change(&mut self, uri: &str, version: u32, text: &str) {
        let document = json!({"uri": uri, "version": version});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }
    /// What is shown of a version.
    fn shown(&mut self, uri: &str, version: u32) -> Vec<Value> {
        let shown = self.wait(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && (&m["params"]["uri"], &m["params"]["version"]) == (&json!(uri), &json!(version))
        });
        shown["params"]["diagnostics"].as_array().unwrap().clone()
    }
    fn stop(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        self.input = None;
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn verdicts_runs_invariants_and_lenses() {
    let dir = folder(&[]);
    let mut c = Client::new(dir.path());
    let uri = format!("file://{}/a%20b.c", dir.path().display());
    c.open(&uri, UNSAFE);
    let [d] = &c.shown(&uri, 1)[..] else { panic!("one") };
    assert_eq!(
        (&d["severity"], &d["code"], &d["range"]["start"]["line"]),
        (&json!(1), &json!("assertion"), &json!(5))
    );
    let run = d["relatedInformation"].as_array().unwrap();
    let step = run.iter().find(|s| s["message"].as_str().unwrap().contains("x = 1")).unwrap();
    assert_eq!(
        (&step["location"]["uri"], &step["location"]["range"]["start"]["line"]),
        (&json!(uri), &json!(4))
    );

    let safe = std::fs::read_to_string(benchmark("mutex/peterson.c")).unwrap();
    c.change(&uri, 2, &safe);
    let [d] = &c.shown(&uri, 2)[..] else { panic!("one") };
    assert!(
        d["severity"] == 3 && d["message"].as_str().unwrap().starts_with("safe: no failing assertion"),
        "{d}"
    );
    let at = json!({"textDocument": {"uri": uri}, "position": {"line": 32, "character": 3}});
    // The verdict comes first, the certificate after it.
    let hover = (0..200).find_map(|_| {
        let h = c.ask("textDocument/hover", at.clone())["result"].clone();
        std::thread::sleep(std::time::Duration::from_millis(50));
        h["contents"]["value"].as_str().map(String::from)
    });
    let hover = hover.expect("invariants");
    assert!(hover.contains("thread **right**") && hover.contains("visitor == 1"), "{hover}");
    let lenses = c.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}}))["result"].clone();
    let lens = &lenses[0]["command"];
    assert!(
        lens["command"] == "relyant.verify" && lens["title"].as_str().unwrap().contains("safe"),
        "{lenses}"
    );
    let params = json!({"command": lens["command"], "arguments": lens["arguments"]});
    assert_eq!(c.ask("workspace/executeCommand", params)["result"]["verdict"], "safe");

    c.change(&uri, 3, "int main(void) { return 0 }\n");
    let [d] = &c.shown(&uri, 3)[..] else { panic!("one") };
    assert!(d["severity"] == 1 && d["range"]["start"]["line"] == 0, "{d}");
    let none = c.ask("textDocument/hover", at)["result"].clone();
    assert_eq!(none, Value::Null);
    c.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert!(c.shown(&uri, 3).is_empty());
    c.stop();
}

#[test]
fn edits_and_requests_end_a_job() {
    let dir = folder(&[]);
    let mut c = Client::new(dir.path());
    let uri = format!("file://{}/e.c", dir.path().display());
    let long = std::fs::read_to_string(endless()).unwrap();
    c.open(&uri, &long);
    let params = json!({"command": "relyant.verify", "arguments": [uri]});
    let id = c.send("workspace/executeCommand", params.clone());
    c.tell("$/cancelRequest", json!({ "id": id }));
    // Cancelled, says the protocol.
    assert_eq!(c.answer(id)["error"]["code"], -32800);
    let id = c.send("workspace/executeCommand", params);
    c.change(&uri, 2, SAFE);
    assert_eq!(c.answer(id)["error"]["code"], -32800);
    assert!(c.shown(&uri, 2)[0]["message"].as_str().unwrap().starts_with("safe"));
    assert_eq!(c.ask("no/such/method", Value::Null)["error"]["code"], -32601);
    c.stop();
}

#[test]
fn functions_without_main_are_verified_one_by_one() {
    let dir = folder(&[]);
    let mut c = Client::new(dir.path());
    let uri = format!("file://{}/f.c", dir.path().display());
    c.open(&uri, "int n;\nvoid add(int k) {\n\tn = k;\n}\nint two(void) {\n\treturn 2;\n}\n");
    assert!(c.shown(&uri, 1).is_empty());
    let lenses = c.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}}))["result"].clone();
    assert_eq!(lenses.as_array().unwrap().len(), 2, "{lenses}");
    let mut verdict = |name: &str| {
        let params = json!({"command": "relyant.verify", "arguments": [uri, name]});
        c.ask("workspace/executeCommand", params)["result"]["verdict"].clone()
    };
    assert_eq!((verdict("add"), verdict("two")), (json!("unsafe"), json!("safe")));
    let first = c.shown(&uri, 1);
    assert!(first[0]["code"] == "data-race" && first[0]["range"]["start"]["line"] == 2, "{first:?}");
    let both = c.shown(&uri, 1);
    assert!(both.len() == 2 && both[1]["message"].as_str().unwrap().contains("`two`"), "{both:?}");
    c.stop();
}

#[test]
fn engines_are_set_as_by_verify() {
    let dir = folder(&[]);
    let uri = format!("file://{}/u.c", dir.path().display());
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y, a, b;\n
        void *one(void *u) { x = 1; a = y; return 0; }\nvoid *two(void *u) { y = 1; b = x; return 0; }\n
        int main(void) { pthread_t t, u; pthread_create(&t, 0, one, 0); pthread_create(&u, 0, two, 0);
        pthread_join(t, 0); pthread_join(u, 0); assert(a || b); return 0; }\n";
    let verdict = |options: &[&str]| {
        let mut c = Client::with(dir.path(), options);
        c.open(&uri, text);
        let params = json!({"command": "relyant.verify", "arguments": [uri]});
        let verdict = c.ask("workspace/executeCommand", params)["result"]["verdict"].clone();
        c.stop();
        verdict
    };
    assert_eq!(verdict(&["--method", "search"]), "safe");
    // What is left out is not known to be safe.
    assert_eq!(verdict(&["--method", "search", "--max-switches", "0"]), "unknown");
    for wrong in [&["--strategy", "random", "--max-switches", "1"][..], &["--without", "tickets"]] {
        let o = relyant(dir.path()).arg("lsp").args(wrong).output().unwrap();
        assert_eq!(o.status.code(), Some(2), "{wrong:?}");
    }
}

/// A queue in two files and a header, compiled from a folder beside them.
fn project() -> tempfile::TempDir {
    project_with(&[])
}

/// The same with further sources.
fn project_with(more: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = folder(&[]);
    let write = |name: &str, text: &str| {
        let file = dir.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("inc/queue.h", QUEUE_H);
    write("src/queue.c", QUEUE);
    write("src/main.c", MAIN);
    let build = dir.path().join("build").display().to_string();
    let record = |file: &str, more: &str| json!({"directory": build, "file": format!("../src/{file}"), "command": format!("cc -I../inc {more} -c ../src/{file}")});
    let mut all = vec![record("main.c", "-DVALUE=5"), record("queue.c", "")];
    for (name, text) in more {
        write(&format!("src/{name}"), text);
        all.push(record(name, ""));
    }
    write("build/compile_commands.json", &Value::from(all).to_string());
    dir
}

const QUEUE_H: &str = "int q_get(void);\nvoid q_put(int v);\nextern int item;\n/* é */ static inline int q_has(void) { return item != -1; }\n";
const QUEUE: &str = "#include \"queue.h\"\n#include <pthread.h>\nint item = -1;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    void q_put(int v)\n{\n\tif (q_has())\n\t\treturn;\n\tpthread_mutex_lock(&m);\n\titem = v;\n\tpthread_mutex_unlock(&m);\n}\n\
    int q_get(void)\n{\n\tint v;\n\tif (!q_has())\n\t\treturn -1;\n\tpthread_mutex_lock(&m);\n\tv = item;\n\titem = -1;\n\
    \tpthread_mutex_unlock(&m);\n\treturn v;\n}\n";
const MAIN: &str = "#include \"queue.h\"\n#include <assert.h>\n#include <pthread.h>\n\
    static void *consumer(void *a)\n{\n\tint v = q_get();\n\tassert(v == -1 || v == VALUE);\n\treturn 0;\n}\n\
    int main(void)\n{\n\tpthread_t c;\n\tq_put(VALUE);\n\tpthread_create(&c, 0, consumer, 0);\n\tpthread_join(c, 0);\n\treturn 0;\n}\n";

/// The verdict is that on the program, whichever of its files is open, with the text that is being written.
#[test]
fn a_document_of_a_project_is_read_with_its_other_files() {
    let dir = project();
    let mut c = Client::with(dir.path(), &["--project", "build"]);
    let uri = |name: &str| format!("file://{}/{name}", dir.path().display());
    let (main, queue) = (uri("src/main.c"), uri("src/queue.c"));
    c.open(&main, MAIN);
    let [d] = &c.shown(&main, 1)[..] else { panic!("one") };
    assert!(d["severity"] == 3 && d["range"]["start"]["line"] == 9, "{d}");

    // An error that is not saved, in the other file: it is found where it shows, and the run goes through both.
    c.open(&queue, &QUEUE.replace("item = v;", "item = v + 1;"));
    let [d] = &c.shown(&main, 1)[..] else { panic!("one") };
    assert!(d["code"] == "assertion" && d["range"]["start"]["line"] == 6, "{d}");
    let run = d["relatedInformation"].as_array().unwrap();
    assert!(run.iter().any(|s| s["location"]["uri"] == json!(queue)), "{d}");
    assert!(c.shown(&queue, 1).is_empty());
    c.change(&queue, 2, QUEUE);
    let [d] = &c.shown(&main, 1)[..] else { panic!("one") };
    assert!(d["severity"] == 3 && d["message"].as_str().unwrap().starts_with("safe"), "{d}");

    // Without the file that has `main` the verdict stands in the one that is open.
    c.tell("textDocument/didClose", json!({"textDocument": {"uri": main}}));
    let [d] = &c.shown(&queue, 2).into_iter().chain(c.shown(&queue, 2)).collect::<Vec<_>>()[..] else {
        panic!("one")
    };
    assert!(d["message"].as_str().unwrap().starts_with("the program of main.c is safe"), "{d}");
    c.stop();
}

/// Of a function that is verified alone: at its name, and what is wrong in a header in that.
#[test]
fn diagnostics_stand_in_the_files_that_they_are_about() {
    let dir = project();
    let mut c = Client::with(dir.path(), &["--project", "build"]);
    let uri = |name: &str| format!("file://{}/{name}", dir.path().display());
    let (queue, header) = (uri("src/queue.c"), uri("inc/queue.h"));
    c.open(&queue, QUEUE);
    let mut verdict = |name: &str| {
        let params = json!({"command": "relyant.verify", "arguments": [queue, name]});
        c.ask("workspace/executeCommand", params)["result"]["verdict"].clone()
    };
    assert_eq!((verdict("q_get"), verdict("q_put")), (json!("safe"), json!("unsafe")));
    let is_get =
        |d: &Value| d["message"].as_str().unwrap().starts_with("`q_get`, called by two threads, is safe");
    let get = (0..9).find_map(|_| c.shown(&queue, 1).into_iter().find(is_get)).unwrap();
    assert_eq!(get["range"]["start"], json!({"line": 12, "character": 4}));
    let shown = c.wait(|m| m["params"]["uri"] == json!(header));
    let race = &shown["params"]["diagnostics"][0];
    // The header is not open, and has a character of two bytes before the place.
    assert!(shown["params"].get("version").is_none() && race["code"] == "data-race", "{shown}");
    let range = &race["range"];
    let line = QUEUE_H.lines().nth(3).unwrap();
    assert_eq!(range["start"]["line"], 3);
    assert_eq!(range["end"]["character"], line.chars().count());
    assert!(range["start"]["character"].as_u64().unwrap() > 20, "{range}");
    // The sentence and the places name the other file; none is in what calls the function.
    assert!(race["message"].as_str().unwrap().contains("(queue.c:"), "{race}");
    let lines = QUEUE.lines().count();
    for s in race["relatedInformation"].as_array().unwrap() {
        let at = &s["location"];
        assert!(at["uri"] == json!(header) || at["uri"] == json!(queue), "{s}");
        assert!((at["range"]["start"]["line"].as_u64().unwrap() as usize) < lines, "{s}");
        let end = at["range"]["end"]["character"].as_u64().unwrap() as usize;
        let line = if at["uri"] == json!(header) { QUEUE_H } else { QUEUE };
        let line = line.lines().nth(at["range"]["start"]["line"].as_u64().unwrap() as usize).unwrap();
        assert_eq!(end, line.chars().count(), "{s}");
    }
    c.stop();
}

/// A file with `main` is a program with those that have none; what is wrong with a header stands there.
#[test]
fn each_main_of_a_project_is_a_program() {
    let dir =
        project_with(&[("tool.c", "#include <assert.h>\nint main(void)\n{\n\tassert(0);\n\treturn 0;\n}\n")]);
    let mut c = Client::with(dir.path(), &["--project", "build"]);
    let uri = |name: &str| format!("file://{}/{name}", dir.path().display());
    let (main, queue, tool) = (uri("src/main.c"), uri("src/queue.c"), uri("src/tool.c"));
    c.open(&queue, QUEUE);
    assert!(c.shown(&queue, 1).is_empty());
    let params = json!({"command": "relyant.verify", "arguments": [queue]});
    assert_eq!(c.ask("workspace/executeCommand", params)["result"]["verdict"], "none");
    c.open(&main, MAIN);
    let [d] = &c.shown(&main, 1)[..] else { panic!("one") };
    assert!(d["message"].as_str().unwrap().starts_with("safe"), "{d}");
    let text = std::fs::read_to_string(dir.path().join("src/tool.c")).unwrap();
    c.open(&tool, &text);
    let is_there = |d: &Value| d["code"] == "assertion" && d["range"]["start"]["line"] == 3;
    assert!((0..9).any(|_| c.shown(&tool, 1).iter().any(is_there)));

    let header = dir.path().join("inc/queue.h");
    std::fs::write(&header, QUEUE_H.replace("int q_get(void);", "int q_get(void)")).unwrap();
    c.change(&main, 2, MAIN);
    let shown = c.wait(|m| m["params"]["uri"] == json!(uri("inc/queue.h")));
    let d = &shown["params"]["diagnostics"][0];
    assert!(d["severity"] == 1 && d["range"]["start"]["line"].as_u64().unwrap() < 4, "{shown}");
    c.stop();
}

#[test]
fn what_is_unknown_has_hints() {
    let text = "#include <assert.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nstruct node { struct node *next; };\nstruct node *head;\n\
        int main(void)\n{\n\tint k = 0, m = __VERIFIER_nondet_int();\n\tif (m != 20)\n\t\treturn 0;\n\tfor (int i = 0; i < m; i++) {\n\t\tstruct node *n = malloc(sizeof *n);\n\
        \t\tif (n == 0)\n\t\t\treturn 0;\n\t\tn->next = head;\n\t\thead = n;\n\t}\n\
        \tfor (struct node *p = head; p != 0; p = p->next)\n\t\tk++;\n\tassert(k == 20);\n\treturn 0;\n}\n";
    let dir = folder(&[]);
    let mut c = Client::new(dir.path());
    let uri = format!("file://{}/l.c", dir.path().display());
    c.open(&uri, text);
    let [d] = &c.shown(&uri, 1)[..] else { panic!("one") };
    assert!(
        d["severity"] == 2 && d["message"].as_str().unwrap().contains("\nhint: --max-objects 32 "),
        "{d}"
    );
    c.stop();
}

/// The sentence of the report, and values as the source has them.
#[test]
fn runs_are_told_as_in_the_report() {
    let dir = folder(&[]);
    let mut c = Client::new(dir.path());
    let uri = format!("file://{}/f.c", dir.path().display());
    c.open(&uri, super::formats::BALANCE);
    let [d] = &c.shown(&uri, 1)[..] else { panic!("one") };
    let sentence = d["message"].as_str().unwrap();
    assert!(sentence.contains("both read balance = 10.5"), "{d}");
    let run = d["relatedInformation"].to_string();
    assert!(run.contains("balance = 10.5") && !run.contains("46"), "{run}");
    c.stop();
}
