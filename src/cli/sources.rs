//! Which programs a command line names: files, standard input, a project.

use super::meaning::{Input, Meaning};
use relyant::project::Project;
use relyant::task;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::files;
use relyant_frontend::c::unit::Text;
use std::path::{Path, PathBuf};

/// What standard input is called in reports.
const STDIN: &str = "stdin.c";

/// The files of a command line.
pub struct Sources {
    files: Vec<PathBuf>,
    /// Each C source is a program of its own.
    each: bool,
    /// What came by standard input, in the place of `-`.
    stdin: Option<Text>,
    project: Option<Project>,
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

impl Sources {
    /// Reads standard input and the project, where they are named. Without files, those of the project are meant.
    ///
    /// # Errors
    /// What cannot be read, or names no program.
    pub fn read(files: &[PathBuf], each: bool, project: Option<&Path>) -> Result<Sources, Diagnostic> {
        let project = project.map(Project::read).transpose()?;
        let mut files = files.to_vec();
        if let (true, Some(p)) = (files.is_empty(), &project) {
            files = p.sources();
        }
        let wrong = |what: &str, help: &str| Err(Diagnostic::of_file("-", what, help));
        let stdin = match files.iter().filter(|f| is_stdin(f)).count() {
            0 => None,
            1 if is_stdin(&files[0]) => {
                let text = files::read_text(Path::new("/dev/stdin"))
                    .map_err(|d| Diagnostic { file: STDIN.into(), ..d })?;
                Some(Text::new(STDIN, &text)?)
            }
            _ => return wrong("standard input can be the first source only", "name it first, and once"),
        };
        let sources = Sources { files, each, stdin, project };
        if sources.are_several() && !each && !sources.files.iter().all(|f| task::is_named(f)) {
            let help = "name them in calls of their own, or take all files one by one with --each";
            return wrong("a task definition names all sources of its program", help);
        }
        Ok(sources)
    }

    /// Is there more than one program?
    pub fn are_several(&self) -> bool {
        self.programs().len() > 1
    }

    /// Does a program come by standard input?
    pub fn has_stdin(&self) -> bool {
        self.stdin.is_some()
    }

    /// The files of each program: C sources are one program unless each is to be its own.
    fn programs(&self) -> Vec<Vec<&Path>> {
        let files = self.files.iter().map(PathBuf::as_path);
        match self.each || self.files.iter().any(|f| task::is_named(f)) {
            true => files.map(|f| vec![f]).collect(),
            false => vec![files.collect()],
        }
    }

    /// What is asked about each program, by the name of its first file.
    pub fn asked(&self, meaning: &Meaning) -> Vec<(String, Result<Input, Diagnostic>)> {
        self.programs().iter().flat_map(|p| self.about(meaning, p)).collect()
    }

    fn about(&self, meaning: &Meaning, files: &[&Path]) -> Vec<(String, Result<Input, Diagnostic>)> {
        let Some((first, more)) = files.split_first() else { return Vec::new() };
        let (path, called) = match &self.stdin {
            Some(text) if is_stdin(first) => (text.unit().path(), Some(STDIN)),
            _ => (*first, None),
        };
        let name = called.map_or_else(|| first.display().to_string(), String::from);
        let complete = |mut input: Input| {
            input.called = called.map(String::from);
            input.options.more_files.splice(0..0, more.iter().map(|f| f.to_path_buf()));
            if let Some(p) = &self.project {
                p.apply(&input.file, &mut input.options);
            }
            input
        };
        meaning.inputs(path).into_iter().map(|input| (name.clone(), input.map(complete))).collect()
    }
}
