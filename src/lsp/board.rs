//! What is shown of all files: a file's diagnostics are those of all jobs that found something in it.

use super::job::Tell;
use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whose diagnostics they are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct By {
    /// The URI of a document, or [`PROJECT`].
    pub owner: String,
    /// The function that was verified, or the program; empty: the document.
    pub what: String,
}

/// Who owns what is said of the programs of a project.
pub(super) const PROJECT: &str = "project";

/// What was found, and where.
pub(super) type Found = Vec<(Uri, Diagnostic)>;

#[derive(Default)]
struct State {
    /// With the revision of its owner that it is about.
    found: BTreeMap<By, (u64, Found)>,
    /// Versions of open documents, by URI.
    versions: BTreeMap<String, i32>,
}

/// What is shown.
pub(super) struct Board {
    tell: Tell,
    state: Mutex<State>,
}

impl Board {
    pub(super) fn new(tell: Tell) -> Board {
        Board { tell, state: Mutex::default() }
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// A document has a new version.
    pub(super) fn opened(&self, uri: &Uri, version: i32) {
        self.state().versions.insert(uri.as_str().into(), version);
    }
    /// Nothing is shown of a document any more, but for what others found in it.
    pub(super) fn closed(&self, uri: &Uri) {
        let mut state = self.state();
        let mut touched = state.drop_of(uri.as_str(), None);
        touched.insert(uri.as_str().into());
        self.publish(&state, &touched);
        state.versions.remove(uri.as_str());
    }
    /// No document of the project is open.
    pub(super) fn without_project(&self) {
        let mut state = self.state();
        let touched = state.drop_of(PROJECT, None);
        self.publish(&state, &touched);
    }
    /// Shows what was found, unless it is not wanted any more. What is about older revisions of these owners goes, and
    /// `also` are told even if nothing was found there. Was it wanted?
    pub(super) fn show(
        &self,
        (by, found): (By, Found),
        revisions: &[(String, u64)],
        also: &[&Uri],
        wanted: &dyn Fn() -> bool,
    ) -> bool {
        let mut state = self.state();
        if !wanted() {
            return false;
        }
        let mut touched: BTreeSet<String> = also.iter().map(|u| u.as_str().to_string()).collect();
        for (owner, revision) in revisions {
            touched.extend(state.drop_of(owner, Some(*revision)));
        }
        let revision = revisions.iter().find(|r| r.0 == by.owner).map_or(0, |r| r.1);
        touched.extend(files(&found));
        if let Some((_, old)) = state.found.insert(by, (revision, found)) {
            touched.extend(files(&old));
        }
        self.publish(&state, &touched);
        true
    }

    fn publish(&self, state: &State, files: &BTreeSet<String>) {
        for file in files {
            let Ok(uri) = Uri::from_str(file) else { continue };
            let mut diagnostics: Vec<Diagnostic> = Vec::new();
            for (_, d) in state.found.values().flat_map(|f| &f.1).filter(|(u, _)| u.as_str() == file) {
                if !diagnostics.contains(d) {
                    diagnostics.push(d.clone());
                }
            }
            let version = state.versions.get(file).copied();
            let params = PublishDiagnosticsParams { uri, diagnostics, version };
            let method = PublishDiagnostics::METHOD.into();
            (self.tell)(Message::Notification(Notification::new(method, params)));
        }
    }
}

impl State {
    /// Drops what an owner has of other revisions than this one; the files that it was about.
    fn drop_of(&mut self, owner: &str, but: Option<u64>) -> BTreeSet<String> {
        let mut touched = BTreeSet::new();
        self.found.retain(|by, (revision, found)| {
            let stays = by.owner != owner || Some(*revision) == but;
            if !stays {
                touched.extend(files(found));
            }
            stays
        });
        touched
    }
}

fn files(found: &Found) -> impl Iterator<Item = String> + '_ {
    found.iter().map(|(uri, _)| uri.as_str().to_string())
}
