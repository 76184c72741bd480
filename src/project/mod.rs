//! Projects as their build has them: `compile_commands.json`, Clang's JSON compilation database.
//!
//! Of each command counts what changes a program's meaning: macros, folders of headers, files that are included first, the
//! standard, the data model. Everything else that a compiler is told is left out.

mod command;

pub use command::{Command, Unread, read};

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_cfa::options::Options;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name that the file has in a folder.
pub const NAME: &str = "compile_commands.json";

/// An entry of the file.
#[derive(Deserialize)]
struct Record {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: Option<String>,
}

/// A source, and how it is compiled.
#[derive(Clone, Debug)]
struct Source {
    /// As it is found from here.
    path: PathBuf,
    command: Command,
}

/// The sources of a project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    sources: Vec<Source>,
}

impl Project {
    /// Reads a database, or that of a folder.
    ///
    /// # Errors
    /// It is not there, is none, or has a command that cannot be followed.
    pub fn read(path: &Path) -> Result<Project, Diagnostic> {
        let path = if path.is_dir() { path.join(NAME) } else { path.to_path_buf() };
        let name = path.display().to_string();
        let help = "cmake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson always, and `bear -- make` for other builds";
        let text = files::read_text(&path).map_err(|d| Diagnostic { help: help.into(), ..d })?;
        let records: Vec<Record> = serde_json::from_str(&text).map_err(|e| {
            let mut d = Diagnostic::of_file(&name, format!("this is no compilation database: {e}"), help);
            d.line = u32::try_from(e.line()).unwrap_or(0);
            d.column = u32::try_from(e.column()).unwrap_or(0);
            d
        })?;
        let from = path.parent().unwrap_or(Path::new(""));
        let mut project = Project::default();
        for r in records {
            let folder = from.join(&r.directory);
            let file = nearer(&folder.join(&r.file));
            let words = match &r.command {
                Some(line) => command::split(line),
                None => Some(r.arguments),
            };
            let told = words.ok_or(Unread::Quotes).and_then(|w| command::read(&w, &folder));
            let command =
                told.map_err(|why| Diagnostic::of_file(&name, format!("of {}: {why}", file.display()), ""))?;
            // A file that is compiled twice is a program twice; what it means first counts.
            if !project.sources.iter().any(|s| same(&s.path, &file)) {
                project.sources.push(Source { path: file, command });
            }
        }
        Ok(project)
    }

    /// The C sources, in the order of the file.
    pub fn sources(&self) -> Vec<PathBuf> {
        let is_c = |p: &PathBuf| p.extension().is_some_and(|e| e == "c" || e == "i");
        self.sources.iter().map(|s| s.path.clone()).filter(is_c).collect()
    }

    /// Has a program's files read as the project compiles them. What the options have already comes on top.
    pub fn apply(&self, first: &Path, options: &mut Options) {
        let known = |file: &Path| self.sources.iter().find(|s| same(&s.path, file)).map(|s| &s.command);
        let asked = options.preprocessing.clone();
        if let Some(c) = known(first) {
            options.preprocessing = c.preprocessing.clone().then(&asked);
            options.data_model = c.data_model.unwrap_or(options.data_model);
        }
        for file in options.more_files.clone() {
            let own = known(&file).map_or_else(|| asked.clone(), |c| c.preprocessing.clone().then(&asked));
            if own != options.preprocessing {
                options.apart.push((file, own));
            }
        }
    }
}

/// From the working directory, where it is inside of that.
fn nearer(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok().and_then(|h| h.canonicalize().ok());
    let inside = |h: PathBuf| Some(path.canonicalize().ok()?.strip_prefix(h).ok()?.to_path_buf());
    here.and_then(inside).unwrap_or_else(|| path.to_path_buf())
}

/// Do two paths lead to one file?
pub fn same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|x| b.canonicalize().is_ok_and(|y| x == y))
}
