//! What a client is shown of a document: diagnostics, hovers and lenses.

use super::board::Found;
use super::places::{Places, path_of, position, units};
use super::program::{Program, alone, document_of};
use super::{Settings, VERIFY};
use crate::api::Options;
use crate::explain::Beside;
use crate::pipeline::{Report, Verdict};
use crate::report::findings::{self, Said, findings};
use crate::report::json;
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents,
    Location, MarkupContent, MarkupKind, NumberOrString, Position, Range, Uri,
};
use relyant_cfa::diagnostic;
use relyant_frontend::c::outline;
use relyant_frontend::c::signatures::FunctionAt;
use relyant_frontend::c::unit::Text;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who says it.
const SOURCE: &str = "relyant";

/// What came of a job.
pub(super) enum Outcome<'a> {
    Verdict(&'a Report),
    /// The input is wrong.
    Refused(&'a diagnostic::Diagnostic),
    /// There is no verdict: why.
    No(String),
}

/// What is known of a version of a document.
#[derive(Default)]
struct Known {
    /// Of the program (the empty name), and of functions.
    words: BTreeMap<String, &'static str>,
    beside: Vec<Beside>,
}

/// A version of a document. Copies share what is known of it.
#[derive(Clone)]
pub(super) struct Document {
    uri: Uri,
    path: Arc<str>,
    text: Arc<str>,
    /// Number of its change among those of all documents.
    revision: u64,
    known: Arc<Mutex<Known>>,
}

impl Document {
    pub(super) fn new(uri: Uri, text: String, revision: u64) -> Document {
        let path = path_of(uri.as_str()).into();
        Document { uri, path, text: text.into(), revision, known: Arc::default() }
    }
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }
    pub(super) fn path(&self) -> &str {
        &self.path
    }
    pub(super) fn text(&self) -> &str {
        &self.text
    }
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// What hovers say.
    pub(super) fn keep(&self, beside: Vec<Beside>) {
        self.known().beside = beside;
    }
    /// What the lens of a function says; the empty name is the program's.
    pub(super) fn keep_word(&self, function: &str, word: &'static str) {
        self.known().words.insert(function.into(), word);
    }

    /// Where the name of a function is; the start where there is no such function.
    fn named(&self, function: &str, settings: &Settings) -> Range {
        let found = self.functions(&alone(Path::new(&*self.path), settings));
        found.iter().find(|f| f.name == function).map(|f| self.name(f)).unwrap_or_default()
    }

    fn name(&self, f: &FunctionAt) -> Range {
        let start = position(&self.text, f.start.line, f.start.column);
        Range { start, end: Position { character: start.character + units(&f.name), ..start } }
    }

    fn functions(&self, options: &Options) -> Vec<FunctionAt> {
        let Ok(text) = Text::new(&self.path, &self.text) else { return Vec::new() };
        let path = text.unit().path().display().to_string();
        let Ok(found) = outline(text.unit().path(), &options.meaning) else { return Vec::new() };
        let own = found.file(&path);
        found.functions.into_iter().filter(|f| Some(f.start.file) == own).collect()
    }

    /// What holds before a line, for each thread.
    pub(super) fn hover(&self, at: Position) -> Option<Hover> {
        let known = self.known();
        let here = known.beside.iter().filter(|b| b.line == at.line + 1 && b.file == *self.path);
        let said: Vec<String> = here
            .map(|b| {
                let then = if b.next.is_empty() { String::new() } else { format!(" (then `{}`)", b.next) };
                format!("thread **{}**{then}\n```c\n{}\n```", b.thread, b.holds)
            })
            .collect();
        if said.is_empty() {
            return None;
        }
        let value = format!("Before this line, in every run:\n\n{}", said.join("\n\n"));
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: None })
    }

    /// One for `main`; where there is none, one for each function, and one for the program that it is a part of.
    pub(super) fn lenses(&self, settings: &Settings) -> Vec<CodeLens> {
        let functions = self.functions(&alone(Path::new(&*self.path), settings));
        let main = functions.iter().find(|f| f.name == "main");
        let known = self.known();
        let lens = |function: Option<&FunctionAt>, range: Range| {
            let key = function.map_or("", |f| f.name.as_str());
            let title = match (known.words.get(key), function) {
                (Some(word), _) => format!("{word} (verify again)"),
                (None, None) => "verify".into(),
                (None, Some(_)) => "verify, called by two threads".into(),
            };
            let name = function.map(|f| f.name.clone().into());
            let arguments: Vec<_> = std::iter::once(self.uri.as_str().into()).chain(name).collect();
            let command = Command { title, command: VERIFY.into(), arguments: Some(arguments) };
            CodeLens { range, command: Some(command), data: None }
        };
        match main {
            Some(f) => vec![lens(None, self.name(f))],
            None => {
                let program = known.words.contains_key("").then(|| lens(None, Range::default()));
                program.into_iter().chain(functions.iter().map(|f| lens(Some(f), self.name(f)))).collect()
            }
        }
    }
}

/// Makes diagnostics of what came of a program.
pub(super) struct Shown<'d> {
    places: Places<'d>,
    document: &'d Document,
    /// Where the verdict stands.
    title: Location,
    /// What the verdict is about, where that is not the document.
    whose: String,
}

impl<'d> Shown<'d> {
    /// Of a program that a document is a part of: at its `main`, where that is open.
    pub(super) fn program(
        open: &'d [Document],
        document: &'d Document,
        program: &Program,
        settings: &Settings,
    ) -> Shown<'d> {
        let (at, whose) = match document_of(&program.first, open) {
            Some(first) => ((first, first.named("main", settings)), String::new()),
            None => ((document, Range::default()), format!("the program of {} is ", program.name())),
        };
        let title = Location { uri: at.0.uri.clone(), range: at.1 };
        Shown { places: Places::new(open), document, title, whose }
    }

    /// Of a function that is called by threads.
    pub(super) fn function(
        open: &'d [Document],
        document: &'d Document,
        function: &str,
        settings: &Settings,
    ) -> Shown<'d> {
        let title = Location { uri: document.uri.clone(), range: document.named(function, settings) };
        let whose = format!("`{function}`, called by two threads, is ");
        Shown { places: Places::new(open), document, title, whose }
    }

    /// Is this the document that is meant?
    pub(super) fn is_of(&self, d: &Document) -> bool {
        self.document.uri == d.uri
    }

    /// The verdict's word, and what was found.
    pub(super) fn of(&self, outcome: Outcome<'_>) -> (&'static str, Found) {
        match outcome {
            Outcome::Verdict(r) => (r.verdict.word(), self.verdict(r)),
            Outcome::Refused(d) => ("refused", vec![self.refused(d)]),
            Outcome::No(why) => ("unknown", vec![self.titled(DiagnosticSeverity::WARNING, why)]),
        }
    }

    fn verdict(&self, r: &Report) -> Found {
        let entry = json::of(self.document.path(), r);
        let whose = &self.whose;
        match &r.verdict {
            Verdict::Safe(_) => {
                let rule = entry.proof.as_ref().map_or(String::new(), |p| {
                    format!(" ({}: {} obligations or states checked)", p.rule, p.obligations)
                });
                let message = format!("{whose}safe: {}{rule}", r.property);
                vec![self.titled(DiagnosticSeverity::INFORMATION, message)]
            }
            Verdict::Unknown(why) => {
                let hints = r.hints.iter().map(|h| format!("\nhint: {h}"));
                let message = format!("{whose}unknown: {why}{}", hints.collect::<String>());
                let (uri, mut d) = self.titled(DiagnosticSeverity::WARNING, message);
                let places = r.hints.iter().filter_map(|h| {
                    let (file, lines) = h.place.as_ref()?;
                    let at = findings::place(file, *lines.first()?, 0);
                    self.related(&Said { at, message: h.text.clone() })
                });
                d.related_information = Some(places.collect()).filter(|p: &Vec<_>| !p.is_empty());
                vec![(uri, d)]
            }
            Verdict::Unsafe { .. } => findings(&entry).into_iter().map(|f| self.finding(f)).collect(),
        }
    }

    /// A violation, where it is; what is in no file, as a harness, stands beside the name of its function.
    fn finding(&self, f: findings::Finding<'_>) -> (Uri, Diagnostic) {
        let mut related: Vec<_> = f.related.iter().filter_map(|s| self.related(s)).collect();
        let steps = f.trace.map(findings::in_short).unwrap_or_default();
        let steps = steps.iter().filter_map(|s| self.related(s)).zip(1..);
        related.extend(steps.map(|(s, n): (_, u32)| DiagnosticRelatedInformation {
            message: format!("{n}. {}", s.message),
            ..s
        }));
        let (uri, mut d) = self.at(self.location(&f.said.at), DiagnosticSeverity::ERROR, f.said.message);
        d.code = Some(NumberOrString::String(f.rule.into()));
        d.related_information = Some(related);
        (uri, d)
    }

    fn refused(&self, d: &diagnostic::Diagnostic) -> (Uri, Diagnostic) {
        let help = if d.help.is_empty() { String::new() } else { format!("\n{}", d.help) };
        let at = self.places.location(&findings::place(&d.file, d.line, d.column));
        let place = if at.is_some() { String::new() } else { format!("{}:{}: ", d.file, d.line) };
        let at = at.unwrap_or_else(|| self.title.clone());
        self.at(at, DiagnosticSeverity::ERROR, format!("{place}{}{help}", d.message))
    }

    fn titled(&self, severity: DiagnosticSeverity, message: String) -> (Uri, Diagnostic) {
        self.at(self.title.clone(), severity, message)
    }

    fn at(&self, at: Location, severity: DiagnosticSeverity, message: String) -> (Uri, Diagnostic) {
        let (severity, source) = (Some(severity), Some(SOURCE.to_string()));
        (at.uri, Diagnostic { range: at.range, severity, source, message, ..Default::default() })
    }

    fn location(&self, at: &json::PlaceEntry) -> Location {
        self.places.location(at).unwrap_or_else(|| self.title.clone())
    }

    fn related(&self, s: &Said) -> Option<DiagnosticRelatedInformation> {
        let location = self.places.location(&s.at).filter(|_| s.at.line > 0)?;
        Some(DiagnosticRelatedInformation { location, message: s.message.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    #[test]
    fn nothing_is_known_at_first() {
        let d = Document::new(Uri::from_str("file:///a.c").unwrap(), "int x;\n".into(), 1);
        assert_eq!((d.path(), d.hover(Position { line: 0, character: 0 })), ("/a.c", None));
    }
}
