//! What a client is shown of a document: places, diagnostics, hovers and lenses.

use super::job::{Tell, What};
use super::{Settings, VERIFY};
use crate::api::Options;
use crate::explain::Beside;
use crate::pipeline::{Report, Verdict};
use crate::report::findings::{self, Said, findings};
use crate::report::json::{self, PlaceEntry};
use crate::report::sarif::encoded;
use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents,
    Location, MarkupContent, MarkupKind, NumberOrString, Position, PublishDiagnosticsParams, Range, Uri,
};
use percent_encoding::percent_decode_str;
use relyant_cfa::diagnostic;
use relyant_engines::limits::RunHandle;
use relyant_frontend::c::outline;
use relyant_frontend::c::signatures::FunctionAt;
use relyant_frontend::c::unit::Text;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
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
    /// Of the whole program (the empty name), and of functions.
    diagnostics: BTreeMap<String, Vec<Diagnostic>>,
    words: BTreeMap<String, &'static str>,
    beside: Vec<Beside>,
}

/// A version of a document. Copies share what is known of it.
#[derive(Clone)]
pub(super) struct Document {
    uri: Uri,
    path: Arc<str>,
    text: Arc<str>,
    version: i32,
    known: Arc<Mutex<Known>>,
}

impl Document {
    pub(super) fn new(uri: Uri, text: String, version: i32) -> Document {
        let path = path_of(uri.as_str()).into();
        Document { uri, path, text: text.into(), version, known: Arc::default() }
    }
    pub(super) fn path(&self) -> &str {
        &self.path
    }
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What is asked about it: as its project compiles it, with headers beside it.
    pub(super) fn options(&self, settings: &Settings) -> Options {
        let mut options = settings.options.clone();
        let path = Path::new(&*self.path);
        if let Some(p) = &settings.project {
            p.apply(path, &mut options.meaning);
        }
        options.meaning.preprocessing.include.extend(path.parent().map(Path::to_path_buf));
        options
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what came of a job, unless it is wanted no more.
    pub(super) fn show(&self, tell: &Tell, run: &RunHandle, what: &What, outcome: Outcome) {
        let name = match what {
            What::Whole => "",
            What::Function(f) => f,
        };
        let (word, shown) = match outcome {
            Outcome::Verdict(r) => (r.verdict.word(), self.verdict(r, name)),
            Outcome::Refused(d) => ("refused", vec![self.refused(d)]),
            Outcome::No(why) => {
                ("unknown", vec![self.plain(self.title(name), DiagnosticSeverity::WARNING, why)])
            }
        };
        let mut known = self.known();
        if run.reason() == Some(relyant_engines::limits::Stop::Interrupted) {
            return;
        }
        known.diagnostics.insert(name.into(), shown);
        known.words.insert(name.into(), word);
        let all = known.diagnostics.values().flatten().cloned().collect();
        self.publish(tell, all);
    }

    /// Nothing is shown.
    pub(super) fn clear(&self, tell: &Tell) {
        self.publish(tell, Vec::new());
    }

    /// What hovers say.
    pub(super) fn keep(&self, beside: Vec<Beside>) {
        self.known().beside = beside;
    }

    fn publish(&self, tell: &Tell, diagnostics: Vec<Diagnostic>) {
        let params =
            PublishDiagnosticsParams { uri: self.uri.clone(), diagnostics, version: Some(self.version) };
        tell(Message::Notification(Notification::new(PublishDiagnostics::METHOD.into(), params)));
    }

    fn verdict(&self, r: &Report, function: &str) -> Vec<Diagnostic> {
        let entry = json::of(&self.path, r);
        let whose = if function.is_empty() {
            String::new()
        } else {
            format!("`{function}`, called by two threads, is ")
        };
        let at = self.title(function);
        match &r.verdict {
            Verdict::Safe(_) => {
                let rule = entry.proof.as_ref().map_or(String::new(), |p| {
                    format!(" ({}: {} obligations or states checked)", p.rule, p.obligations)
                });
                vec![self.plain(
                    at,
                    DiagnosticSeverity::INFORMATION,
                    format!("{whose}safe: {}{rule}", r.property),
                )]
            }
            Verdict::Unknown(why) => {
                vec![self.plain(at, DiagnosticSeverity::WARNING, format!("{whose}unknown: {why}"))]
            }
            Verdict::Unsafe { .. } => findings(&entry)
                .into_iter()
                .map(|f| {
                    let steps =
                        f.trace.iter().flat_map(|t| t.steps.iter().zip(1..)).map(|(s, n): (_, u32)| Said {
                            at: findings::place(&s.file, s.line, s.column),
                            message: format!("{n}. {}", findings::step(s)),
                        });
                    let related =
                        f.related.iter().cloned().chain(steps).filter_map(|s| self.related(&s)).collect();
                    let at = self.range(&f.said.at);
                    let mut d = self.plain(at, DiagnosticSeverity::ERROR, f.said.message);
                    d.code = Some(NumberOrString::String(f.rule.into()));
                    d.related_information = Some(related);
                    d
                })
                .collect(),
        }
    }

    fn refused(&self, d: &diagnostic::Diagnostic) -> Diagnostic {
        let help = if d.help.is_empty() { String::new() } else { format!("\n{}", d.help) };
        let (at, place) = match d.file == *self.path {
            true => (self.range(&findings::place(&d.file, d.line, d.column)), String::new()),
            false => (Range::default(), format!("{}:{}: ", d.file, d.line)),
        };
        self.plain(at, DiagnosticSeverity::ERROR, format!("{place}{}{help}", d.message))
    }

    fn plain(&self, range: Range, severity: DiagnosticSeverity, message: String) -> Diagnostic {
        let (severity, source) = (Some(severity), Some(SOURCE.to_string()));
        Diagnostic { range, severity, source, message, ..Default::default() }
    }

    fn related(&self, s: &Said) -> Option<DiagnosticRelatedInformation> {
        let uri = match s.at.file == *self.path {
            true => self.uri.clone(),
            false => Uri::from_str(&format!("file://{}", encoded(&s.at.file))).ok()?,
        };
        let location = Location { uri, range: self.range(&s.at) };
        (s.at.line > 0).then(|| DiagnosticRelatedInformation { location, message: s.message.clone() })
    }

    /// Where the verdict on a whole program stands: the name of the function, or `main`.
    fn title(&self, function: &str) -> Range {
        let name = if function.is_empty() { "main" } else { function };
        let found = self.functions(&crate::api::Options::default());
        found.iter().find(|f| f.name == name).map(|f| self.name(f)).unwrap_or_default()
    }

    fn name(&self, f: &FunctionAt) -> Range {
        let start = self.position(f.start.line, f.start.column);
        let length = u32::try_from(f.name.encode_utf16().count()).unwrap_or(0);
        Range { start, end: Position { character: start.character + length, ..start } }
    }

    fn functions(&self, options: &Options) -> Vec<FunctionAt> {
        let Ok(text) = Text::new(&self.path, &self.text) else { return Vec::new() };
        let path = text.unit().path().display().to_string();
        let Ok(found) = outline(text.unit().path(), &options.meaning) else { return Vec::new() };
        let own = found.file(&path);
        found.functions.into_iter().filter(|f| Some(f.start.file) == own).collect()
    }

    /// To the end of the line.
    fn range(&self, at: &PlaceEntry) -> Range {
        let start = self.position(at.line, at.column);
        let line = self.line(at.line).trim_end();
        let end = u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX);
        Range { start, end: Position { character: end.max(start.character), ..start } }
    }

    fn line(&self, line: u32) -> &str {
        line.checked_sub(1).and_then(|l| self.text.lines().nth(l as usize)).unwrap_or("")
    }

    /// From lines and bytes, counted from 1, to what the protocol has.
    fn position(&self, line: u32, column: u32) -> Position {
        let text = self.line(line);
        let bytes = (column.max(1) - 1) as usize;
        let before = text.char_indices().take_while(|(i, _)| *i < bytes).map(|(_, c)| c.len_utf16());
        let character = u32::try_from(before.sum::<usize>()).unwrap_or(0);
        Position { line: line.saturating_sub(1), character }
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

    /// One for `main`; where there is none, one for each function.
    pub(super) fn lenses(&self, settings: &Settings) -> Vec<CodeLens> {
        let functions = self.functions(&self.options(settings));
        let has_main = functions.iter().any(|f| f.name == "main");
        let known = self.known();
        let shown = functions.iter().filter(|f| !has_main || f.name == "main");
        shown
            .map(|f| {
                let key = if has_main { "" } else { f.name.as_str() };
                let title = match (known.words.get(key), has_main) {
                    (Some(word), _) => format!("{word} (verify again)"),
                    (None, true) => "verify".into(),
                    (None, false) => "verify, called by two threads".into(),
                };
                let function = (!has_main).then(|| f.name.clone().into());
                let arguments: Vec<_> = std::iter::once(self.uri.as_str().into()).chain(function).collect();
                let command = Command { title, command: VERIFY.into(), arguments: Some(arguments) };
                CodeLens { range: self.name(f), command: Some(command), data: None }
            })
            .collect()
    }
}

/// The path of a file, or the name of what is none.
fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return "untitled.c".into() };
    percent_decode_str(rest).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(path_of("file:///a%20b/%C3%A9%.c"), "/a b/é%.c");
        assert_eq!(path_of("untitled:Untitled-1"), "untitled.c");
        let uri = Uri::from_str("file:///a.c").unwrap();
        let d = Document::new(uri, "int x;\n/* é😀 */ int y;\n".into(), 1);
        assert_eq!(d.position(2, 14), Position { line: 1, character: 10 });
        let all = d.range(&findings::place("/a.c", 2, 0));
        assert_eq!((all.start.character, all.end.character), (0, 16));
        assert_eq!(d.hover(Position { line: 0, character: 0 }), None);
    }
}
