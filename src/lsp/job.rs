//! A verification in the background, which can be cancelled.

use super::Settings;
use super::shown::{Document, Outcome};
use crate::api::{Error, Options, verify_text_by};
use crate::init::{NoHarness, Wanted, harness};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use relyant_cfa::options::Property;
use relyant_engines::limits::{RunHandle, Stop};
use relyant_frontend::c::outline;
use relyant_frontend::c::unit::Text;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sends to the client.
pub(super) type Tell = Arc<dyn Fn(Message) + Send + Sync>;

/// How often a job that waits looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(10);

/// Threads that call a function that is verified alone.
const CALLERS: u32 = 2;

/// What of a document is verified.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The program, if it has a `main`.
    Whole,
    /// A function of a document without one.
    Function(String),
}

/// A job.
pub(super) struct Job {
    run: Arc<RunHandle>,
    /// The request that waits for its answer.
    asked: Option<RequestId>,
}

impl Job {
    /// Starts one, after a while, for a request.
    pub(super) fn start(
        document: Document,
        settings: Arc<Settings>,
        tell: Tell,
        what: What,
        (delay, asked): (Duration, Option<RequestId>),
    ) -> Job {
        let run = Arc::new(RunHandle::new(None));
        let (own, request, lost) = (Arc::clone(&run), asked.clone(), Arc::clone(&tell));
        let work = move || {
            let word = wait(&own, delay).then(|| job(&document, &settings, &tell, &what, &own)).flatten();
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

/// Verifies and shows; the verdict, if it was wanted to the end.
fn job(
    document: &Document,
    settings: &Settings,
    tell: &Tell,
    what: &What,
    run: &RunHandle,
) -> Option<&'static str> {
    let mut options = document.options(settings);
    let text = match what {
        What::Whole if !options.meaning.threads.is_empty() || has_main(document, &options) => {
            document.text().to_string()
        }
        What::Whole => {
            document.clear(tell);
            return Some("none");
        }
        What::Function(name) => {
            if options.meaning.property == Property::Assertions {
                options.meaning.property = Property::NoDataRace;
            }
            match with_harness(document, name, &options) {
                Ok(harness) => format!("{}\n{harness}", document.text()),
                Err(why) => {
                    document.show(tell, run, what, Outcome::No(why.to_string()));
                    return Some("none");
                }
            }
        }
    };
    let verified = verify_text_by(document.path(), &text, &options, settings.engines.clone(), run);
    if run.reason() == Some(Stop::Interrupted) {
        return None;
    }
    match verified {
        Ok(v) => {
            let word = v.verdict().word();
            document.show(tell, run, what, Outcome::Verdict(&v.report));
            // Where there is no certificate, nothing can be said of lines.
            document.keep(v.beside(&|| run.stopped()).unwrap_or_default());
            Some(word)
        }
        Err(Error::Input(d)) => {
            document.show(tell, run, what, Outcome::Refused(&d));
            Some("refused")
        }
        Err(Error::Internal(lost)) => {
            document.show(tell, run, what, Outcome::No(lost.to_string()));
            Some("unknown")
        }
    }
}

/// What cannot be read is verified, so that its errors are shown.
fn has_main(document: &Document, options: &Options) -> bool {
    let Ok(text) = Text::new(document.path(), document.text()) else { return true };
    let read = outline(text.unit().path(), &options.meaning);
    read.map_or(true, |o| o.functions.iter().any(|f| f.name == "main"))
}

fn with_harness(document: &Document, function: &str, options: &Options) -> Result<String, NoHarness> {
    let text = Text::new(document.path(), document.text()).map_err(Box::new)?;
    let (path, functions): (&Path, _) = (text.unit().path(), [function.to_string()]);
    let wanted = Wanted { file: path, include: None, functions: &functions, threads: CALLERS };
    harness(&wanted, &options.meaning)
}
