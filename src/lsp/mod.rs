//! A language server (LSP 3.17): verdicts as diagnostics with their run, invariants on hover, a lens that verifies.
//!
//! A document is verified when it is opened, and again after each edit, which ends the job before it. A document without a
//! `main` has its functions verified one by one, when a lens asks for it, each called by two threads with any arguments.
//! Of a source of a project the programs that open documents belong to are verified, with all their sources.
//!
//! `program` says what is read for a document, `job` verifies it, `shown` makes diagnostics of what comes of it, `places` knows
//! where they belong, `board` publishes those of each file.

mod board;
mod job;
mod places;
mod program;
mod shown;

use crate::api::Options;
use crate::pipeline;
use crate::project::Project;
use board::Board;
use job::{Job, Task, Tell, What};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
};
use lsp_types::request::{CodeLensRequest, ExecuteCommand, HoverRequest, Request as _};
use lsp_types::{
    CancelParams, CodeLensOptions, CodeLensParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, ExecuteCommandOptions, ExecuteCommandParams, HoverParams,
    HoverProviderCapability, NumberOrString, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shown::Document;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The command of the lens: a document, and a function where it has no `main`.
pub const VERIFY: &str = "relyant.verify";

/// How programs are verified.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is asked of each.
    pub options: Options,
    /// How engines are set; their method and what the program means are in the options.
    pub engines: pipeline::Settings,
    /// How they are compiled.
    pub project: Option<Project>,
    /// How long nothing is typed before a job begins.
    pub delay: Duration,
}

/// Serves one client until it says `exit`.
///
/// # Errors
/// What the client does against the protocol.
pub fn serve(connection: &Connection, settings: Settings) -> Result<(), ProtocolError> {
    let lens = CodeLensOptions { resolve_provider: Some(false) };
    let commands = ExecuteCommandOptions { commands: vec![VERIFY.into()], ..Default::default() };
    let can = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(lens),
        execute_command_provider: Some(commands),
        ..Default::default()
    };
    connection.initialize(serde_json::to_value(can).unwrap_or_default())?;
    let sender = connection.sender.clone();
    // A client that went away is noticed by its silence.
    let tell: Tell = Arc::new(move |m| drop(sender.send(m)));
    let board = Arc::new(Board::new(Arc::clone(&tell)));
    let mut server = Server {
        tell,
        board,
        settings: Arc::new(settings),
        open: BTreeMap::new(),
        project: None,
        revision: 0,
    };
    for message in &connection.receiver {
        match message {
            Message::Request(r) => {
                if connection.handle_shutdown(&r)? {
                    break;
                }
                server.request(r);
            }
            Message::Notification(n) => server.notified(n),
            Message::Response(_) => {}
        }
    }
    server.open.values_mut().for_each(|o| end(&mut o.job));
    end(&mut server.project);
    Ok(())
}

struct Open {
    document: Document,
    /// It is a source of the project.
    in_project: bool,
    /// What is done about it alone.
    job: Option<Job>,
}

/// Nobody wants it any more.
fn end(job: &mut Option<Job>) {
    if let Some(job) = job.take() {
        job.cancel();
    }
}

struct Server {
    tell: Tell,
    board: Arc<Board>,
    settings: Arc<Settings>,
    open: BTreeMap<String, Open>,
    /// What is done about the programs of the project.
    project: Option<Job>,
    /// How often a document was opened or changed.
    revision: u64,
}

impl Server {
    fn request(&mut self, r: Request) {
        let id = r.id.clone();
        match r.method.as_str() {
            HoverRequest::METHOD => self.answer(r, |server, p: HoverParams| {
                let at = p.text_document_position_params;
                let open = server.open.get(at.text_document.uri.as_str())?;
                open.document.hover(at.position)
            }),
            CodeLensRequest::METHOD => self.answer(r, |server, p: CodeLensParams| {
                let open = server.open.get(p.text_document.uri.as_str())?;
                Some(open.document.lenses(&server.settings))
            }),
            ExecuteCommand::METHOD => match parameters::<ExecuteCommandParams>(r.params) {
                Ok(p) => self.command(id, &p),
                Err(why) => self.refuse(id, ErrorCode::InvalidParams, why.to_string()),
            },
            other => self.refuse(id, ErrorCode::MethodNotFound, format!("{other} is not known")),
        }
    }

    /// Answers at once.
    fn answer<P: DeserializeOwned, R: Serialize>(
        &mut self,
        r: Request,
        what: impl FnOnce(&mut Server, P) -> Option<R>,
    ) {
        match parameters(r.params) {
            Ok(p) => {
                let result = what(self, p);
                (self.tell)(Response::new_ok(r.id, result).into());
            }
            Err(why) => self.refuse(r.id, ErrorCode::InvalidParams, why.to_string()),
        }
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, why: String) {
        (self.tell)(Response::new_err(id, code as i32, why).into());
    }

    /// The answer is the verdict, once it is there.
    fn command(&mut self, id: RequestId, p: &ExecuteCommandParams) {
        let argument = |k: usize| p.arguments.get(k).and_then(serde_json::Value::as_str);
        let (Some(uri), true) = (argument(0), p.command == VERIFY) else {
            return self.refuse(id, ErrorCode::InvalidParams, "no command that is known".into());
        };
        let what = argument(1).map_or(What::Whole, |f| What::Function(f.into()));
        if !self.open.contains_key(uri) {
            return self.refuse(id, ErrorCode::InvalidParams, "the document is not open".into());
        }
        self.start(uri, what, Duration::ZERO, Some(id));
    }

    fn start(&mut self, uri: &str, what: What, delay: Duration, asked: Option<RequestId>) {
        let documents: Vec<Document> = self.open.values().map(|o| o.document.clone()).collect();
        let Some(open) = self.open.get_mut(uri) else { return };
        let (meant, others): (Vec<_>, Vec<_>) = documents.into_iter().partition(|d| d.uri().as_str() == uri);
        let whole = matches!(what, What::Whole) && open.in_project;
        let (job, what) = if whole { (&mut self.project, What::Project) } else { (&mut open.job, what) };
        end(job);
        let task = Task {
            open: meant.into_iter().chain(others).collect(),
            settings: Arc::clone(&self.settings),
            board: Arc::clone(&self.board),
            what,
            revision: self.revision,
        };
        *job = Some(Job::start(task, Arc::clone(&self.tell), (delay, asked)));
    }

    fn notified(&mut self, n: Notification) {
        match n.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Ok(p) = parameters::<DidOpenTextDocumentParams>(n.params) else { return };
                let d = p.text_document;
                self.changed(d.uri, d.text, d.version, Duration::ZERO);
            }
            DidChangeTextDocument::METHOD => {
                let Ok(mut p) = parameters::<DidChangeTextDocumentParams>(n.params) else { return };
                // Texts come whole, and the last one counts.
                let Some(change) = p.content_changes.pop() else { return };
                let delay = self.settings.delay;
                self.changed(p.text_document.uri, change.text, p.text_document.version, delay);
            }
            DidCloseTextDocument::METHOD => {
                let Ok(p) = parameters::<DidCloseTextDocumentParams>(n.params) else { return };
                self.closed(&p.text_document.uri);
            }
            Cancel::METHOD => {
                let Ok(p) = parameters::<CancelParams>(n.params) else { return };
                let id: RequestId = match p.id {
                    NumberOrString::Number(n) => n.into(),
                    NumberOrString::String(s) => s.into(),
                };
                let all = self.open.values_mut().map(|o| &mut o.job).chain([&mut self.project]);
                for job in all.filter(|j| matches!(j, Some(j) if j.asked(&id))) {
                    end(job);
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, uri: Uri, text: String, version: i32, delay: Duration) {
        let key = uri.as_str().to_string();
        self.revision += 1;
        let document = Document::new(uri.clone(), text, self.revision);
        let in_project = program::in_project(&document, &self.settings);
        if let Some(open) = self.open.get_mut(&key) {
            end(&mut open.job);
        }
        if in_project {
            end(&mut self.project);
        }
        self.board.opened(&uri, version);
        self.open.insert(key.clone(), Open { document, in_project, job: None });
        self.start(&key, What::Whole, delay, None);
    }

    fn closed(&mut self, uri: &Uri) {
        let Some(mut open) = self.open.remove(uri.as_str()) else { return };
        end(&mut open.job);
        if open.in_project {
            end(&mut self.project);
        }
        let other = self.open.iter().find(|o| open.in_project && o.1.in_project).map(|o| o.0.clone());
        match other {
            // Its file is read from now on.
            Some(other) => {
                self.revision += 1;
                self.start(&other, What::Whole, self.settings.delay, None);
            }
            None if open.in_project => self.board.without_project(),
            None => {}
        }
        self.board.closed(uri);
    }
}

fn parameters<P: DeserializeOwned>(value: serde_json::Value) -> serde_json::Result<P> {
    serde_json::from_value(value)
}
