//! What is read for a document: itself, or the programs of its project. The texts of open documents stand in place of their
//! files; headers are read as they are saved.

use super::Settings;
use super::shown::Document;
use crate::api::Options;
use crate::project::{Project, same};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_frontend::c::outline;
use relyant_frontend::c::unit::{Text, Unit};
use std::path::{Path, PathBuf};

/// The sources of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Program {
    /// The one with `main`, where there is one.
    pub first: PathBuf,
    pub more: Vec<PathBuf>,
}

impl Program {
    /// Is a document one of its sources?
    pub(super) fn has(&self, document: &Document) -> bool {
        let path = Path::new(document.path());
        std::iter::once(&self.first).chain(&self.more).any(|f| same(f, path))
    }
    /// Its first source, without folders.
    pub(super) fn name(&self) -> String {
        let name = self.first.file_name().unwrap_or(self.first.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// The document that is a file.
pub(super) fn document_of<'d>(file: &Path, open: &'d [Document]) -> Option<&'d Document> {
    open.iter().find(|d| same(file, Path::new(d.path())))
}

/// Is a document a source of the project?
pub(super) fn in_project(document: &Document, settings: &Settings) -> bool {
    let path = Path::new(document.path());
    settings.project.as_ref().is_some_and(|p| p.sources().iter().any(|s| same(s, path)))
}

/// The programs of the project that open documents belong to. A program is a source with a `main` and all that have none;
/// a document without one is part of the only program, or of none in particular.
pub(super) fn programs(open: &[Document], settings: &Settings) -> Vec<Program> {
    let sources = settings.project.as_ref().map(Project::sources).unwrap_or_default();
    if !settings.options.meaning.threads.is_empty() {
        let all =
            sources.split_first().map(|(first, more)| Program { first: first.clone(), more: more.to_vec() });
        return all.into_iter().collect();
    }
    let (mains, others) = divided(&sources, open, settings);
    let only = mains.len() == 1;
    let wanted = mains.into_iter().filter(|m| only || document_of(m, open).is_some());
    wanted.map(|first| Program { first, more: others.clone() }).collect()
}

/// What a function of a document may call: sources of its project that have no `main`.
pub(super) fn beside(document: &Document, open: &[Document], settings: &Settings) -> Vec<PathBuf> {
    if !in_project(document, settings) {
        return Vec::new();
    }
    let sources = settings.project.as_ref().map(Project::sources).unwrap_or_default();
    let mut others = divided(&sources, open, settings).1;
    others.retain(|f| !same(f, Path::new(document.path())));
    others
}

/// The sources with a `main`, and those without. Of what cannot be read the words count.
fn divided(sources: &[PathBuf], open: &[Document], settings: &Settings) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let words = |file: &Path| {
        let text = text_of(file, open).unwrap_or_default();
        text.split("main").skip(1).any(|rest| rest.trim_start().starts_with('('))
    };
    let has = |file: &PathBuf| has_main(file, open, settings).unwrap_or_else(|| words(file));
    sources.iter().cloned().partition(has)
}

fn text_of(file: &Path, open: &[Document]) -> Option<String> {
    match document_of(file, open) {
        Some(d) => Some(d.text().to_string()),
        None => files::read_text(file).ok(),
    }
}

/// Is there a `main`? None: it cannot be read.
pub(super) fn has_main(file: &Path, open: &[Document], settings: &Settings) -> Option<bool> {
    let document = document_of(file, open);
    // Without the word none is looked for: it takes a preprocessor.
    if document.is_none() && !text_of(file, open)?.contains("main") {
        return Some(false);
    }
    let options = alone(file, settings);
    let found = match document {
        Some(d) => {
            let text = Text::new(d.path(), d.text()).ok()?;
            outline(text.unit().path(), &options.meaning)
        }
        None => outline(file, &options.meaning),
    };
    Some(found.ok()?.functions.iter().any(|f| f.name == "main"))
}

/// How a file is read alone: as its project compiles it. What it includes is looked for beside it first, as it may be put aside.
pub(super) fn alone(file: &Path, settings: &Settings) -> Options {
    let mut options = settings.options.clone();
    if let Some(p) = &settings.project {
        p.apply(file, &mut options.meaning);
    }
    let folder = file.parent().map(Path::to_path_buf);
    options.meaning.preprocessing.include.splice(0..0, folder);
    options
}

/// A program whose texts are where a compiler finds them.
pub(super) struct Readable {
    first: (PathBuf, String),
    /// Names of further texts that are put aside.
    names: Vec<(PathBuf, String)>,
    pub options: Options,
    _texts: Vec<Text>,
}

impl Readable {
    /// Puts the texts of open documents aside, where they are not what is saved. `added` comes after the first one.
    pub(super) fn new(
        program: &Program,
        open: &[Document],
        settings: &Settings,
        added: &str,
    ) -> Result<Readable, Diagnostic> {
        let mut options = settings.options.clone();
        options.meaning.more_files.splice(0..0, program.more.iter().cloned());
        if let Some(p) = &settings.project {
            p.apply(&program.first, &mut options.meaning);
        }
        let meaning = &mut options.meaning;
        let mut told: Vec<_> =
            meaning.more_files.iter().map(|f| (f.clone(), meaning.preprocessing_of(f).clone())).collect();
        let (mut texts, mut names) = (Vec::new(), Vec::new());
        let mut first = (program.first.clone(), program.first.display().to_string());
        if let Some((text, name)) = unsaved(&program.first, open, added)? {
            meaning.preprocessing.include.splice(0..0, program.first.parent().map(Path::to_path_buf));
            first = (text.unit().path().to_path_buf(), name);
            texts.push(text);
        }
        for (file, how) in &mut told {
            let Some((text, name)) = unsaved(file, open, "")? else { continue };
            how.include.splice(0..0, file.parent().map(Path::to_path_buf));
            *file = text.unit().path().to_path_buf();
            names.push((file.clone(), name));
            texts.push(text);
        }
        meaning.more_files = told.iter().map(|t| t.0.clone()).collect();
        meaning.apart = told;
        Ok(Readable { first, names, options, _texts: texts })
    }
    pub(super) fn unit(&self) -> Unit<'_> {
        Unit::called(&self.first.0, Some(&self.first.1)).with_names(&self.names)
    }
}

/// The text of a file that is open and not saved, or has something added, and what it is called.
fn unsaved(file: &Path, open: &[Document], added: &str) -> Result<Option<(Text, String)>, Diagnostic> {
    let Some(d) = document_of(file, open) else { return Ok(None) };
    if added.is_empty() && files::read(file).is_ok_and(|saved| saved == d.text().as_bytes()) {
        return Ok(None);
    }
    Ok(Some((Text::new(d.path(), &format!("{}{added}", d.text()))?, d.path().to_string())))
}
