//! What is read: a file, or a text that is in none.
//!
//! Compilers read files. A text is put into a folder of our own for as long as it is needed; diagnostics, places and
//! certificates have the name that it was given, never that of the folder.

use relyant_cfa::diagnostic::Diagnostic;
use std::path::{Path, PathBuf};

/// A source, and what it is called; with the further files of its program, where they are named with it.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    path: &'a Path,
    name: Option<&'a str>,
    more: &'a [PathBuf],
    /// Further files of the program that are called otherwise.
    called: &'a [(PathBuf, String)],
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Unit<'a> {
    fn from(path: &'a P) -> Unit<'a> {
        Unit { path: path.as_ref(), name: None, more: &[], called: &[] }
    }
}

impl<'a> Unit<'a> {
    /// A file that is called otherwise in all that is said of it, where there is a name.
    pub fn called(path: &'a Path, name: Option<&'a str>) -> Unit<'a> {
        Unit { path, name, more: &[], called: &[] }
    }
    /// The same with names of further files of the program, by their paths among the options.
    pub fn with_names(self, called: &'a [(PathBuf, String)]) -> Unit<'a> {
        Unit { called, ..self }
    }
    /// The same with further files of its program.
    #[must_use]
    pub fn and(self, more: &'a [PathBuf]) -> Unit<'a> {
        Unit { more, ..self }
    }
    /// Further files that are named with it.
    pub fn more(&self) -> &'a [PathBuf] {
        self.more
    }
    /// Where its bytes are.
    pub fn path(&self) -> &'a Path {
        self.path
    }
    /// What it is called in all that is said of it.
    pub fn name(&self) -> String {
        self.name.map_or_else(|| self.path.display().to_string(), String::from)
    }
    /// What a file of the program is called.
    pub fn name_of(&self, file: &Path) -> String {
        let known = self.names().find(|(path, _)| *path == file);
        known.map_or_else(|| file.display().to_string(), |(_, name)| name.into())
    }
    fn names(&self) -> impl Iterator<Item = (&'a Path, &'a str)> {
        let more = self.called.iter().map(|(path, name)| (path.as_path(), name.as_str()));
        self.name.map(|name| (self.path, name)).into_iter().chain(more)
    }
    /// A preprocessed text with names in place of the paths.
    pub(super) fn named(&self, text: String) -> String {
        self.names().fold(text, |text, (path, name)| {
            text.replace(&quoted(&path.display().to_string()), &quoted(name))
        })
    }
    /// A message with names in place of the paths.
    pub(super) fn about(&self, mut d: Diagnostic) -> Diagnostic {
        for (path, name) in self.names() {
            let path = path.display().to_string();
            d.file = d.file.replace(&path, name);
            d.message = d.message.replace(&path, name);
        }
        d
    }
}

/// As the preprocessor writes the names of files.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A folder of our own, which goes when it is dropped.
#[derive(Debug)]
pub(super) struct Folder(pub(super) PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// One that nobody else has made.
    pub(super) fn new(what: &str) -> Option<Folder> {
        let name = |k: u32| std::env::temp_dir().join(format!("relyant-{what}-{}-{k}", std::process::id()));
        (0..100).map(name).find(|f| std::fs::create_dir(f).is_ok()).map(Folder)
    }
}

/// A text that a compiler can read.
#[derive(Debug)]
pub struct Text {
    name: String,
    path: PathBuf,
    _folder: Folder,
}

impl Text {
    /// Puts it where a compiler finds it. Its name says what it is: `.c`, or `.i` when it is preprocessed.
    ///
    /// # Errors
    /// The name is none of a file, or there is no room.
    pub fn new(name: &str, text: &str) -> Result<Text, Diagnostic> {
        let file = Path::new(name)
            .file_name()
            .ok_or_else(|| Diagnostic::of_file(name, "this is no name of a file", ""))?;
        let folder = Folder::new("text")
            .ok_or_else(|| Diagnostic::of_file(name, "no folder for it can be made", "look at TMPDIR"))?;
        let path = folder.0.join(file);
        std::fs::write(&path, text)
            .map_err(|e| Diagnostic::of_file(name, format!("cannot be put aside: {e}"), ""))?;
        Ok(Text { name: name.into(), path, _folder: folder })
    }
    /// To be read while this is there.
    pub fn unit(&self) -> Unit<'_> {
        Unit { path: &self.path, name: Some(&self.name), more: &[], called: &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::load;
    use relyant_cfa::options::Options;

    #[test]
    fn the_name_given_is_the_one_that_is_told() {
        let options = Options::default();
        let good = "#include <assert.h>\nint main(void) { assert(sizeof(__FILE__) == 8); return 0; }\n";
        for name in ["sub/a.c", "a \"b\".c", "a.c"] {
            let text = Text::new(name, good).unwrap();
            let module = load(text.unit(), &options).unwrap();
            let told = format!("{module:?}");
            assert!(!told.contains("relyant-text"), "{told}");
            assert!(text.path.exists());
        }
        for wrong in ["int main(void) { return x; }\n", "#error no\n", "int main(void) { return 0 }\n"] {
            let text = Text::new("wrong.c", wrong).unwrap();
            let d = load(text.unit(), &options).unwrap_err();
            assert_eq!((d.file.as_str(), d.line), ("wrong.c", 1), "{d:?}");
            assert!(!d.to_string().contains("relyant-text"), "{d}");
        }
        assert!(Text::new("..", good).is_err());
    }

    #[test]
    fn further_texts_have_names_too() {
        let read = |second: &str| {
            let first = Text::new("a.c", "int f(void);\nint main(void) { return f(); }\n").unwrap();
            let more = Text::new("sub/b.c", second).unwrap();
            let path = more.unit().path().to_path_buf();
            let options = Options { more_files: vec![path.clone()], ..Options::default() };
            load(first.unit().with_names(&[(path, "sub/b.c".into())]), &options)
        };
        let told = format!("{:?}", read("int n;\nint f(void) { return n; }\n").unwrap());
        assert!(told.contains("sub/b.c") && !told.contains("relyant-text"), "{told}");
        for wrong in ["int f(void) { return x; }\n", "int f(void) { return 0 }\n", "#error no\n"] {
            let d = read(wrong).unwrap_err();
            assert_eq!((d.file.as_str(), d.line), ("sub/b.c", 1), "{d:?}");
            assert!(!d.to_string().contains("relyant-text"), "{d}");
        }
    }

    #[test]
    fn nothing_is_left() {
        let text = Text::new("a.i", "int x;\n").unwrap();
        let path = text.unit().path().to_path_buf();
        assert!(path.exists());
        drop(text);
        assert!(!path.exists() && !path.parent().unwrap().exists());
    }
}
