//! Reports of batches as JUnit XML, as Jenkins and its kin read it (`tests/schema/junit-10.xsd`).
//!
//! A program, or a property of one, is a test case, which has the names of its files. *Unsafe* is a failure; *unknown* is an error, and so is input that was
//! refused: a pipeline must not take them for success.

use super::findings::{findings, lines};
use super::json::{Document, Entry};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// What became of a test case.
enum Outcome {
    Passed,
    Failure,
    Error,
}

fn outcome(e: &Entry) -> Outcome {
    match e.verdict.as_deref() {
        Some("safe") => Outcome::Passed,
        Some("unsafe") => Outcome::Failure,
        _ => Outcome::Error,
    }
}

/// The suite of one call of the tool.
///
/// # Errors
/// None that a string makes.
pub fn suite(document: &Document) -> io::Result<String> {
    let count = |what: fn(&Outcome) -> bool| {
        document.results.iter().filter(|e| what(&outcome(e))).count().to_string()
    };
    let failures = count(|o| matches!(o, Outcome::Failure));
    let errors = count(|o| matches!(o, Outcome::Error));
    let total = document.results.len().to_string();
    let time = seconds(document.results.iter().map(duration).sum());
    let mut w = Writer::new_with_indent(Vec::new(), b' ', 2);
    w.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all: [(&str, &str); 5] = [
        ("name", &document.tool),
        ("tests", &total),
        ("failures", &failures),
        ("errors", &errors),
        ("time", &time),
    ];
    w.create_element("testsuites").with_attributes(all).write_inner_content(|w| {
        let suite = w.create_element("testsuite").with_attributes(all).with_attribute(("skipped", "0"));
        suite.write_inner_content(|w| document.results.iter().try_for_each(|e| case(w, e)))?;
        Ok(())
    })?;
    w.write_event(Event::Text(BytesText::new("\n")))?;
    String::from_utf8(w.into_inner()).map_err(io::Error::other)
}

fn duration(e: &Entry) -> f64 {
    let s = &e.seconds;
    s.read + s.search + s.prove + s.check
}

/// At most three digits before the point are allowed without commas.
fn seconds(s: f64) -> String {
    format!("{:.3}", s.clamp(0.0, 999.999))
}

fn case(w: &mut Writer<Vec<u8>>, e: &Entry) -> io::Result<()> {
    let files: Vec<&str> = std::iter::once(&e.file).chain(&e.more_files).map(String::as_str).collect();
    let (name, class, time) = (clean(&files.join(" ")), clean(&e.property), seconds(duration(e)));
    let class = if class.is_empty() { "input" } else { &class };
    let element = w.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", class),
        ("time", time.as_str()),
    ]);
    let (tag, kind, message, body) = match outcome(e) {
        Outcome::Passed => {
            element.write_empty()?;
            return Ok(());
        }
        Outcome::Failure => failure(e),
        Outcome::Error => error(e),
    };
    element.write_inner_content(|w| {
        w.create_element(tag)
            .with_attributes([("type", kind.as_str()), ("message", clean(&message).as_str())])
            .write_text_content(BytesText::new(&clean(&body)))?;
        Ok(())
    })?;
    Ok(())
}

type Told = (&'static str, String, String, String);

fn failure(e: &Entry) -> Told {
    let Some(t) = &e.trace else {
        let message = format!("{}: a run shows the contrary", e.property);
        return ("failure", super::rules::COVERED.id.into(), message, e.run.join("\n"));
    };
    // What happened, at which place; of further violations a line each below the run.
    let mut all = findings(e).into_iter().map(|f| match f.said.at.line {
        0 => f.said.message,
        line => format!("{}:{line}: {}", f.said.at.file, f.said.message),
    });
    let message = all.next().unwrap_or_default();
    let body: Vec<String> = lines(t).into_iter().chain(all).collect();
    ("failure", t.kind.clone(), message, body.join("\n"))
}

fn error(e: &Entry) -> Told {
    match &e.error {
        Some(d) => {
            let message = format!("{}:{}:{}: {}", d.file, d.line, d.column, d.message);
            ("error", "refused".into(), message, d.help.clone())
        }
        None => ("error", "unknown".into(), e.reason.clone().unwrap_or_default(), String::new()),
    }
}

/// XML 1.0 has no characters for the rest.
fn clean(text: &str) -> String {
    let known = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if known(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_safe_does_not_pass() {
        let entry = |verdict: Option<&str>| Entry {
            file: "a<b>&\"\u{1b}.c".into(),
            verdict: verdict.map(String::from),
            reason: Some("x < y".into()),
            ..Entry::default()
        };
        let results = vec![entry(Some("safe")), entry(Some("unsafe")), entry(Some("unknown")), entry(None)];
        let d = Document { format: 1, tool: "relyant".into(), version: "0".into(), results };
        let text = suite(&d).unwrap();
        assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"2\""), "{text}");
        assert!(text.contains("a&lt;b&gt;&amp;&quot;\u{fffd}.c") && text.contains("x &lt; y"), "{text}");
        assert_eq!(seconds(12345.0), "999.999");
    }
}
