//! Task definitions: BenchExec's YAML files that name a program, its properties and its verdicts.

use super::property::{self, Property, SUPPORTED};
use super::yaml::{Source, YamlNode};
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::DataModel;
use std::path::{Path, PathBuf};

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Path of the property's file.
    pub file: PathBuf,
    /// What is in it; the reading of other properties' files may fail unnoticed.
    pub properties: Vec<Property>,
    /// The verdict that is known.
    pub expected: Option<bool>,
    /// Which of several properties is violated.
    pub subproperty: Option<String>,
}

/// A task: a program, and what is asked about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Path of the program's first file.
    pub input: PathBuf,
    /// Further files of the program.
    pub more: Vec<PathBuf>,
    /// Widths, if the task says.
    pub data_model: Option<DataModel>,
    /// Its properties, in the order of the definition.
    pub properties: Vec<Listed>,
}

/// Why a task does not say which property is meant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoChoice {
    /// None of its properties, which are these, can be decided.
    #[error("no property of the task is supported: it has {0}")]
    NoneSupported(String),
    /// These can be decided, and none is named.
    #[error("the task has several properties: {0}")]
    Several(String),
    /// The one that is named cannot be decided.
    #[error("{0} is not supported; supported are {SUPPORTED}")]
    Unsupported(String),
    /// It has not the one that is named.
    #[error("the task has no property `{wanted}`: it has {has}")]
    Missing {
        /// What is asked for, by file or name.
        wanted: String,
        /// What there is.
        has: String,
    },
    /// What is asked for fits several.
    #[error("`{wanted}` stands for several properties: {names}")]
    Ambiguous {
        /// What is asked for, by file or name.
        wanted: String,
        /// What it fits.
        names: String,
    },
}

impl Task {
    /// Reads a task definition.
    ///
    /// # Errors
    /// What is wrong or not supported, and where.
    pub fn read(path: &Path) -> Result<Task, Diagnostic> {
        let text = relyant_cfa::files::read_text(path)?;
        let name = path.display().to_string();
        let document = Source { file: &name, text: &text }.parse()?;
        task(document.root(), path.parent().unwrap_or(Path::new("")))
    }

    /// The property that is asked for: by file or name, else the only one that can be decided.
    ///
    /// # Errors
    /// There is no such property, or there are several.
    pub fn choose(&self, wanted: Option<&str>) -> Result<(&Listed, &Property), NoChoice> {
        let mut all = Vec::new();
        for l in &self.properties {
            all.extend(l.properties.iter().map(|p| (l, p)));
        }
        let names = |of: &[(&Listed, &Property)]| {
            let mut names: Vec<&str> = of.iter().map(|(_, p)| p.name()).collect();
            names.dedup();
            if names.is_empty() { "none".to_string() } else { names.join(", ") }
        };
        let Some(wanted) = wanted else {
            let supported: Vec<_> = all.iter().copied().filter(|(_, p)| p.is_supported()).collect();
            return match supported[..] {
                [one] => Ok(one),
                [] => Err(NoChoice::NoneSupported(names(&all))),
                _ => Err(NoChoice::Several(names(&supported))),
            };
        };
        let base = Path::new(wanted).file_name();
        let of: Vec<_> = all
            .iter()
            .copied()
            .filter(|(l, p)| {
                p.name() == wanted
                    || (wanted.ends_with(".prp") && base.is_some() && l.file.file_name() == base)
            })
            .collect();
        match of[..] {
            [one] if one.1.is_supported() => Ok(one),
            [one] => Err(NoChoice::Unsupported(one.1.name().into())),
            [] => Err(NoChoice::Missing { wanted: wanted.into(), has: names(&all) }),
            _ => Err(NoChoice::Ambiguous { wanted: wanted.into(), names: names(&of) }),
        }
    }
}

fn task(root: YamlNode, folder: &Path) -> Result<Task, Diagnostic> {
    let version = root.need("format_version")?;
    if !matches!(version.text()?, "1.0" | "2.0" | "2.1") {
        return Err(
            version.error("unknown version of task definitions", "known are \"1.0\", \"2.0\", \"2.1\"")
        );
    }
    let input = root.need("input_files")?;
    let files = if input.is_list() { input.list()? } else { vec![input] };
    let paths: Result<Vec<PathBuf>, Diagnostic> = files.iter().map(|f| Ok(folder.join(f.text()?))).collect();
    let mut more = paths?.into_iter();
    let input = more.next().ok_or_else(|| input.error("there is no input file", ""))?;
    let more = more.collect();
    let mut data_model = None;
    if let Some(options) = root.get("options")? {
        if let Some(language) = options.get("language")? {
            if language.text()? != "C" {
                return Err(language.error("only C is supported", ""));
            }
        }
        if let Some(model) = options.get("data_model")? {
            data_model = Some(match model.text()? {
                "ILP32" => DataModel::Ilp32,
                "LP64" => DataModel::Lp64,
                _ => return Err(model.error("unknown data model", "known are ILP32 and LP64")),
            });
        }
    }
    let mut properties = Vec::new();
    if let Some(list) = root.get("properties")? {
        for p in list.list()? {
            properties.push(listed(p, folder)?);
        }
    }
    Ok(Task { input, more, data_model, properties })
}

fn listed(p: YamlNode, folder: &Path) -> Result<Listed, Diagnostic> {
    let name = p.need("property_file")?;
    let file = folder.join(name.text()?);
    let expected = p.get("expected_verdict")?.map(|n| n.truth()).transpose()?;
    let subproperty = p.get("subproperty")?.map(|n| n.text().map(String::from)).transpose()?;
    // A property that cannot be read is no error unless it is asked for.
    let properties = match property::read(&file) {
        Ok(all) => all,
        Err(d) if d.line == 0 => return Err(name.error(format!("{}: {}", d.file, d.message), "")),
        Err(_) => vec![Property::Other("an unknown one")],
    };
    Ok(Listed { file, properties, expected, subproperty })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("p")).unwrap();
        let files = files.iter().chain(&[
            ("p/unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"),
            ("p/no-overflow.prp", "CHECK( init(main()), LTL(G ! overflow) )\n"),
            ("p/termination.prp", "CHECK( init(main()), LTL(F end) )\n"),
            (
                "p/memory.prp",
                "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n",
            ),
            ("p/odd.prp", "CHECK( init(main()), LTL(G F happiness) )\n"),
        ]);
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    fn read(text: &str) -> Result<Task, Diagnostic> {
        let dir = folder(&[("t.yml", text)]);
        Task::read(&dir.path().join("t.yml"))
    }

    #[test]
    fn a_whole_one() {
        let text = "format_version: '2.0'\n\ninput_files: 'a.i'\n\nproperties:\n  \
            - property_file: p/unreach-call.prp\n    expected_verdict: false\n  \
            - property_file: p/termination.prp\n    expected_verdict: true\n\
            options:\n  language: C\n  data_model: ILP32\n";
        let t = read(text).unwrap();
        assert!(t.input.ends_with("a.i") && t.more.is_empty());
        assert_eq!(t.data_model, Some(DataModel::Ilp32));
        let (l, p) = t.choose(None).unwrap();
        assert_eq!((l.expected, p.name()), (Some(false), "unreach-call"));
        assert!(t.choose(Some("termination")).unwrap_err().to_string().contains("not supported"));
        assert!(t.choose(Some("no-data-race")).unwrap_err().to_string().contains("no property"));
        assert_eq!(t.choose(Some("elsewhere/unreach-call.prp")).unwrap().1.name(), "unreach-call");
    }

    #[test]
    fn several_files() {
        let t = read("format_version: \"2.0\"\ninput_files:\n  - a.c\n  - b.c\n").unwrap();
        assert!(t.input.ends_with("a.c"));
        assert!(matches!(&t.more[..], [one] if one.ends_with("b.c")));
    }

    #[test]
    fn several_properties_have_to_be_told_apart() {
        let text = "format_version: \"1.0\"\ninput_files: [a.c]\nproperties:\n  \
            - property_file: p/unreach-call.prp\n  - property_file: p/no-overflow.prp\n  - property_file: p/odd.prp\n";
        let t = read(text).unwrap();
        assert_eq!(
            t.choose(None).unwrap_err().to_string(),
            "the task has several properties: unreach-call, no-overflow"
        );
        assert_eq!(t.choose(Some("no-overflow")).unwrap().1, &Property::NoOverflow);
    }

    #[test]
    fn wrong_ones_have_a_place() {
        let at = |text: &str| {
            let d = read(text).unwrap_err();
            (d.line, d.column, d.message)
        };
        assert_eq!(at("format_version: 2.0\ninput_files: a.c\n").0, 1);
        assert_eq!(at("format_version: \"2.0\"\n"), (1, 1, "`input_files` is missing here".into()));
        let none = "format_version: \"2.0\"\ninput_files: []\n";
        assert_eq!(at(none), (2, 14, "there is no input file".into()));
        let model = "format_version: \"2.0\"\ninput_files: a.c\noptions:\n  data_model: LLP64\n";
        assert_eq!(at(model), (4, 15, "unknown data model".into()));
        let absent = "format_version: \"2.0\"\ninput_files: a.c\nproperties:\n  - property_file: no.prp\n";
        assert_eq!(at(absent).0, 4);
        assert_eq!(at("a: [1, 2\nb: }\n").0, 2);
        assert!(at(&format!("a: {}", "[".repeat(100_000))).2.contains("deep"));
        assert_eq!(at("").2, "is empty");
    }
}
