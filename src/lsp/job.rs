//! A verification in the background, which can be cancelled.

use super::Settings;
use super::board::{Board, By, PROJECT};
use super::program::{Program, Readable, alone, beside, document_of, has_main, in_project, programs};
use super::shown::{Document, Outcome, Shown};
use crate::api::{Error, Verified, verify_text_by, verify_unit_by};
use crate::init::{NoHarness, Wanted, harness};
use crate::pipeline::Report;
use lsp_server::{ErrorCode, Message, RequestId, Response};
use relyant_cfa::options::Property;
use relyant_engines::limits::{RunHandle, Stop};
use relyant_frontend::c::unit::Text;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sends to the client.
pub(super) type Tell = Arc<dyn Fn(Message) + Send + Sync>;

/// How often a job that waits looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(10);

/// Threads that call a function that is verified alone.
const CALLERS: u32 = 2;

/// The file that a harness is said to be: places in it are none of the document.
const HARNESS: &str = "harness";

/// What is verified.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The document, if it has a `main`.
    Whole,
    /// The programs of the project that open documents belong to.
    Project,
    /// A function of a document without `main`.
    Function(String),
}

/// What a job is to do.
pub(super) struct Task {
    /// Open documents. The first one is meant.
    pub open: Vec<Document>,
    pub settings: Arc<Settings>,
    pub board: Arc<Board>,
    pub what: What,
    /// Number of the changes to documents of the project.
    pub revision: u64,
}

/// A job.
pub(super) struct Job {
    run: Arc<RunHandle>,
    /// The request that waits for its answer.
    asked: Option<RequestId>,
}

impl Job {
    /// Starts one, after a while, for a request.
    pub(super) fn start(task: Task, tell: Tell, (delay, asked): (Duration, Option<RequestId>)) -> Job {
        let run = Arc::new(RunHandle::new(None));
        let (own, request, lost) = (Arc::clone(&run), asked.clone(), Arc::clone(&tell));
        let work = move || {
            let word = wait(&own, delay).then(|| task.done(&own)).flatten();
            if let Some(id) = request {
                tell(answer(id, word).into());
            }
        };
        let spawned = std::thread::Builder::new().name("verify".into()).spawn(work);
        if let (Err(_), Some(id)) = (spawned, &asked) {
            lost(answer(id.clone(), None).into());
        }
        Job { run, asked }
    }
    /// Nobody wants it any more.
    pub(super) fn cancel(&self) {
        self.run.stop(Stop::Interrupted);
    }
    /// Is it for this request?
    pub(super) fn asked(&self, id: &RequestId) -> bool {
        self.asked.as_ref() == Some(id)
    }
}

fn answer(id: RequestId, word: Option<&'static str>) -> Response {
    match word {
        Some(word) => Response::new_ok(id, serde_json::json!({ "verdict": word })),
        None => Response::new_err(id, ErrorCode::RequestCanceled as i32, "cancelled".into()),
    }
}

/// Is it still wanted after that time?
fn wait(run: &RunHandle, delay: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < delay && !run.stopped() {
        std::thread::sleep(TICK);
    }
    !run.stopped()
}

/// A report, and what can be said of lines where it is about one text.
enum Done {
    One(Box<Verified>),
    Several(Box<Report>),
}

impl Done {
    fn report(&self) -> &Report {
        match self {
            Done::One(v) => &v.report,
            Done::Several(r) => r,
        }
    }
}

impl Task {
    /// Verifies and shows; the verdict on the document, if it was wanted to the end.
    fn done(&self, run: &RunHandle) -> Option<&'static str> {
        let document = self.open.first()?;
        match &self.what {
            What::Function(name) => self.function(document, name, run),
            What::Whole => {
                let threads = !self.settings.options.meaning.threads.is_empty();
                let first = PathBuf::from(document.path());
                // What cannot be read is verified, so that its errors are shown.
                let any = threads || has_main(&first, &self.open, &self.settings).unwrap_or(true);
                let all = any.then(|| Program { first, more: Vec::new() });
                self.all(document, all.into_iter().collect(), run)
            }
            What::Project => self.all(document, programs(&self.open, &self.settings), run),
        }
    }

    fn all(&self, document: &Document, all: Vec<Program>, run: &RunHandle) -> Option<&'static str> {
        let mut word = "none";
        if all.is_empty() {
            let by = By { owner: self.owner(document), what: String::new() };
            self.board.show((by, Vec::new()), &self.revisions(), &self.also(), &|| wanted(run));
        }
        for program in &all {
            let about = self.open.iter().find(|d| program.has(d)).unwrap_or(document);
            let what = match self.what {
                What::Project => program.first.display().to_string(),
                _ => String::new(),
            };
            let by = By { owner: self.owner(document), what };
            let verified = verified(program, &self.open, &self.settings, "", run);
            let shown = Shown::program(&self.open, about, program, &self.settings);
            let own = self.shown(&shown, by, program, "", verified, run)?;
            if program.has(document) {
                word = own;
            }
        }
        Some(word)
    }

    fn function(&self, document: &Document, name: &str, run: &RunHandle) -> Option<&'static str> {
        let mut settings = Settings::clone(&self.settings);
        let property = &mut settings.options.meaning.property;
        if *property == Property::Assertions {
            *property = Property::NoDataRace;
        }
        let by = By { owner: document.uri().as_str().into(), what: name.into() };
        let shown = Shown::function(&self.open, document, name, &settings);
        let program =
            Program { first: document.path().into(), more: beside(document, &self.open, &settings) };
        match with_harness(document, name, &settings) {
            Ok(harness) => {
                let added = format!("\n#line 1 \"{HARNESS}\"\n{harness}");
                let verified = verified(&program, &self.open, &settings, &added, run);
                self.shown(&shown, by, &program, name, verified, run)
            }
            Err(why) => {
                let (_, found) = shown.of(Outcome::No(why.to_string()));
                self.board.show((by, found), &self.revisions(), &self.also(), &|| wanted(run));
                Some("none")
            }
        }
    }

    /// Shows what came of a program. None: it is wanted no more.
    fn shown(
        &self,
        shown: &Shown<'_>,
        by: By,
        program: &Program,
        function: &str,
        verified: Result<Done, Error>,
        run: &RunHandle,
    ) -> Option<&'static str> {
        let (word, found) = shown.of(match &verified {
            Ok(done) => Outcome::Verdict(done.report()),
            Err(Error::Input(d)) => Outcome::Refused(d),
            Err(Error::Internal(lost)) => Outcome::No(lost.to_string()),
        });
        // Whoever sees the diagnostics may ask for the lens.
        let about = self.open.iter().filter(|d| program.has(d) && (function.is_empty() || shown.is_of(d)));
        about.for_each(|d| d.keep_word(function, word));
        if !self.board.show((by, found), &self.revisions(), &self.also(), &|| wanted(run)) {
            return None;
        }
        if let (Ok(Done::One(v)), Some(d)) = (&verified, document_of(&program.first, &self.open)) {
            // Where there is no certificate, nothing can be said of lines.
            d.keep(v.beside(&|| run.stopped()).unwrap_or_default());
        }
        Some(word)
    }

    fn owner(&self, document: &Document) -> String {
        match self.what {
            What::Project => PROJECT.into(),
            _ => document.uri().as_str().into(),
        }
    }

    /// The documents that are shown anew.
    fn about(&self) -> impl Iterator<Item = &Document> {
        let all = matches!(self.what, What::Project);
        self.open
            .iter()
            .take(if all { usize::MAX } else { 1 })
            .filter(move |d| !all || in_project(d, &self.settings))
    }

    fn revisions(&self) -> Vec<(String, u64)> {
        let documents = self.about().map(|d| (d.uri().as_str().to_string(), d.revision()));
        documents.chain([(PROJECT.to_string(), self.revision)]).collect()
    }

    fn also(&self) -> Vec<&lsp_types::Uri> {
        self.about().map(Document::uri).collect()
    }
}

fn wanted(run: &RunHandle) -> bool {
    run.reason() != Some(Stop::Interrupted)
}

/// Verifies a program, with something added to its first source.
fn verified(
    program: &Program,
    open: &[Document],
    settings: &Settings,
    added: &str,
    run: &RunHandle,
) -> Result<Done, Error> {
    let engines = settings.engines.clone();
    let alone = alone(&program.first, settings);
    if let Some(d) = document_of(&program.first, open)
        && program.more.is_empty()
        && alone.meaning.more_files.is_empty()
    {
        let text = format!("{}{added}", d.text());
        let verified = verify_text_by(d.path(), &text, &alone, engines, run)?;
        return Ok(Done::One(Box::new(verified)));
    }
    let read = Readable::new(program, open, settings, added).map_err(|d| Error::Input(Box::new(d)))?;
    Ok(Done::Several(Box::new(verify_unit_by(read.unit(), &read.options, engines, run)?)))
}

fn with_harness(document: &Document, function: &str, settings: &Settings) -> Result<String, NoHarness> {
    let text = Text::new(document.path(), document.text()).map_err(Box::new)?;
    let (path, functions): (&Path, _) = (text.unit().path(), [function.to_string()]);
    let wanted = Wanted { file: path, include: None, functions: &functions, threads: CALLERS };
    harness(&wanted, &alone(Path::new(document.path()), settings).meaning)
}
