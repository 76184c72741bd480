//! Which files a source includes.

use super::preprocess::{arguments, run};
use super::unit::Unit;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::Options;
use std::path::PathBuf;

/// The files that a source includes, in the order of the compiler; not the system's headers, nor what those include. A file
/// that is already preprocessed includes none.
///
/// # Errors
/// What the preprocessor says.
pub fn includes<'a>(what: impl Into<Unit<'a>>, options: &Options) -> Result<Vec<PathBuf>, Diagnostic> {
    let unit: Unit<'a> = what.into();
    let path = unit.path();
    if path.extension().is_none_or(|e| e != "c") {
        return Ok(Vec::new());
    }
    let mut args = arguments(path, options);
    args.extend(["-E", "-MM", "-MT", "x"].map(Into::into));
    let rule = run(path, args, options.data_model).map_err(|d| unit.about(d))?;
    // The first is the source itself.
    Ok(prerequisites(&rule).into_iter().skip(1).map(PathBuf::from).collect())
}

/// What comes after the colon of a rule for `make`.
fn prerequisites(rule: &str) -> Vec<String> {
    let rule = rule.replace("\\\n", " ");
    let list = rule.split_once(':').map_or("", |r| r.1);
    let (mut all, mut word, mut chars) = (Vec::new(), String::new(), list.chars().peekable());
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('\\', Some(' ' | '\t' | '#' | '\\')) => {
                // Backslashes are doubled before a blank only.
                let mut run = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    run += 1;
                }
                match chars.next_if(|c| matches!(c, ' ' | '\t' | '#')) {
                    Some(blank) => word.extend(std::iter::repeat_n('\\', run / 2).chain([blank])),
                    None => word.extend(std::iter::repeat_n('\\', run)),
                }
            }
            ('$', Some('$')) => {
                chars.next();
                word.push('$');
            }
            (c, _) if c.is_whitespace() => {
                if !word.is_empty() {
                    all.push(std::mem::take(&mut word));
                }
            }
            (c, _) => word.push(c),
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let list = |rule| prerequisites(rule).join("|");
        assert_eq!(list("x: a.c inc/b.h \\\n c.h\n"), "a.c|inc/b.h|c.h");
        assert_eq!(list("x: a\\ b.c c$$d.h e\\#.h f\\g.h h\\\\\\ i.h\n"), "a b.c|c$d.h|e#.h|f\\g.h|h\\ i.h");
        assert_eq!(list("x:\n"), "");
    }

    #[test]
    fn of_a_source() {
        let dir = std::env::temp_dir().join(format!("relyant includes {}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
        write("a.c", "#include <limits.h>\n#include \"b $.h\"\n# 5 \"/etc/passwd\" 1\nint x;\n");
        write("b $.h", "#include \"c.h\"\n");
        write("c.h", "int y;\n");
        let found = includes(&dir.join("a.c"), &Options::default()).unwrap();
        assert_eq!(found, [dir.join("b $.h"), dir.join("c.h")]);
        assert!(includes(&dir.join("a.i"), &Options::default()).unwrap().is_empty());
        write("c.h", "#error no\n");
        assert!(includes(&dir.join("a.c"), &Options::default()).is_err());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
