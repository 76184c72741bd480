//! Properties, as the rules of SV-COMP write them: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::{self, Options};
use std::path::Path;

/// A property of programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// A function is never called.
    UnreachCall(String),
    /// Conflicting accesses are ordered.
    NoDataRace,
    /// Signed arithmetic stays in its type.
    NoOverflow,
    /// Accesses stay inside of living objects, and only what is allocated is freed.
    ValidMemory {
        /// And all that is allocated is freed, or pointed to at the end.
        tracked: bool,
    },
    /// One that is known and not decided here, by its name.
    Other(&'static str),
}

/// What [`Property::apply`] does can be asked of, for messages.
pub const SUPPORTED: &str = "unreach-call, no-data-race, no-overflow, valid-memsafety";

impl Property {
    /// Its name, as verdicts have it.
    pub fn name(&self) -> &'static str {
        match self {
            Property::UnreachCall(_) => "unreach-call",
            Property::NoDataRace => "no-data-race",
            Property::NoOverflow => "no-overflow",
            Property::ValidMemory { .. } => "valid-memsafety",
            Property::Other(name) => name,
        }
    }

    /// The property with this name, if it can be decided; functions have their usual name.
    pub fn named(name: &str) -> Option<Property> {
        let memory = Property::ValidMemory { tracked: true };
        [Property::UnreachCall("reach_error".into()), Property::NoDataRace, Property::NoOverflow, memory]
            .into_iter()
            .find(|p| p.name() == name && p.is_supported())
    }

    /// The text of a property file, a line for each part.
    pub fn line(&self) -> String {
        let formula = match self {
            Property::ValidMemory { tracked } => {
                let parts = PARTS.iter().take(if *tracked { 3 } else { 2 });
                let lines: Vec<String> = parts.map(|name| Property::Other(name).line()).collect();
                return lines.join("\n");
            }
            Property::UnreachCall(f) => format!("G ! call({f}())"),
            Property::NoDataRace => "G ! data-race".into(),
            Property::NoOverflow => "G ! overflow".into(),
            Property::Other(name) => OTHERS
                .iter()
                .find(|(_, n)| n == name)
                .map_or_else(|| (*name).into(), |(formula, _)| (*formula).into()),
        };
        format!("CHECK( init(main()), LTL({formula}) )")
    }

    /// Can it be decided?
    pub fn is_supported(&self) -> bool {
        !matches!(self, Property::Other(_))
    }

    /// Has the front end look for its violations, and for nothing else.
    pub fn apply(&self, options: &mut Options) {
        match self {
            Property::UnreachCall(f) => {
                options.property = options::Property::Assertions;
                options.error_function = Some(f.clone());
            }
            Property::NoDataRace => options.property = options::Property::NoDataRace,
            Property::NoOverflow => options.property = options::Property::NoOverflow,
            Property::ValidMemory { tracked } => {
                options.property = options::Property::ValidMemory;
                options.leaks = *tracked;
            }
            Property::Other(_) => {}
        }
    }
}

/// What makes up valid-memsafety.
const PARTS: [&str; 3] = ["valid-free", "valid-deref", "valid-memtrack"];

/// Parts that stand for one property together.
fn joined(properties: Vec<Property>) -> Vec<Property> {
    let has = |name: &str| properties.iter().any(|p| p.name() == name);
    if has("valid-free") && has("valid-deref") && properties.iter().all(|p| PARTS.contains(&p.name())) {
        return vec![Property::ValidMemory { tracked: has("valid-memtrack") }];
    }
    properties
}

/// Formulas of properties that are known and not decided here.
const OTHERS: [(&str, &str); 6] = [
    ("G valid-free", "valid-free"),
    ("G valid-deref", "valid-deref"),
    ("G valid-memtrack", "valid-memtrack"),
    ("G valid-memcleanup", "valid-memcleanup"),
    ("F end", "termination"),
    ("G ! deadlock", "no-deadlock"),
];

/// Reads a property file.
///
/// # Errors
/// What is no property, and where.
pub fn read(path: &Path) -> Result<Vec<Property>, Diagnostic> {
    parse(&path.display().to_string(), &relyant_cfa::files::read_text(path)?)
}

/// Reads the text of a property file: a property a line.
pub fn parse(file: &str, text: &str) -> Result<Vec<Property>, Diagnostic> {
    let mut properties = Vec::new();
    for (k, whole) in text.lines().enumerate() {
        let line = whole.trim();
        if line.is_empty() {
            continue;
        }
        let wrong = |rest: &str, message: String| {
            // It is a part of the line.
            let column = (rest.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
            Diagnostic {
                file: file.into(),
                line: u32::try_from(k + 1).unwrap_or(0),
                column: whole.get(..column).map_or(0, |s| s.chars().count() + 1) as u32,
                message,
                help: format!("supported: {SUPPORTED}, as in `CHECK( init(main()), LTL(G ! call(f())) )`"),
                source_line: Some(whole.into()),
            }
        };
        properties.push(property(line).map_err(|(rest, message)| wrong(rest, message))?);
    }
    if properties.is_empty() {
        let help = "a property is a line `CHECK( init(main()), LTL(...) )`";
        return Err(Diagnostic::of_file(file, "no property in this file", help));
    }
    Ok(joined(properties))
}

/// An error: the rest of the line from where it is wrong, and why.
type Wrong<'t> = (&'t str, String);

fn property(line: &str) -> Result<Property, Wrong<'_>> {
    let rest = eat(line, "CHECK")?;
    let rest = eat(rest, "(")?;
    let rest = eat(rest, "init")?;
    let rest = eat(rest, "(")?;
    let (start, after) = identifier(rest)?;
    if start != "main" {
        return Err((rest, format!("programs that start with `{start}` are not supported")));
    }
    let rest = eat(eat(eat(after, "(")?, ")")?, ")")?;
    let rest = eat(rest, ",")?;
    let rest = eat(eat(rest, "LTL")?, "(")?.trim_start();
    let end = closing(rest).ok_or((rest, "`)` is missing".to_string()))?;
    let (formula, after) = rest.split_at(end);
    let after = eat(eat(after, ")")?, ")")?.trim_start();
    if !after.is_empty() {
        return Err((after, "something follows the property".into()));
    }
    let words: Vec<&str> = formula.split_whitespace().collect();
    let plain = words.join(" ").replace("G!", "G !").replace("! ", "!").replace('!', "! ");
    if let Some(call) = plain.strip_prefix("G ! call") {
        let inner = call.trim().strip_prefix('(').and_then(|c| c.strip_suffix(')'));
        let inner = inner.ok_or((formula, "`call(f())` is needed".to_string()))?;
        let (name, rest) = identifier(inner).map_err(|e| (formula, e.1))?;
        if !matches!(rest.split_whitespace().collect::<String>().as_str(), "" | "()") {
            return Err((formula, "`call(f())` is needed".into()));
        }
        return Ok(Property::UnreachCall(name.into()));
    }
    match plain.as_str() {
        "G ! data-race" => Ok(Property::NoDataRace),
        "G ! overflow" => Ok(Property::NoOverflow),
        other => match OTHERS.iter().find(|(f, _)| *f == other) {
            Some((_, name)) => Ok(Property::Other(name)),
            None => Err((formula, format!("the formula `{other}` is not supported"))),
        },
    }
}

/// Where the bracket closes that was open before this text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn eat<'t>(text: &'t str, what: &str) -> Result<&'t str, Wrong<'t>> {
    let text = text.trim_start();
    text.strip_prefix(what).ok_or_else(|| (text, format!("`{what}` is expected here")))
}

fn identifier(text: &str) -> Result<(&str, &str), Wrong<'_>> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    if end == 0 || text.starts_with(|c: char| c.is_ascii_digit()) {
        return Err((text, "the name of a function is expected here".into()));
    }
    Ok(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Property {
        parse("a.prp", text).unwrap().remove(0)
    }

    #[test]
    fn formulas() {
        let call = |f: &str| Property::UnreachCall(f.into());
        assert_eq!(one("CHECK( init(main()), LTL(G ! call(reach_error())) )\n"), call("reach_error"));
        assert_eq!(one("CHECK(init(main()),LTL(G!call(__VERIFIER_error())))"), call("__VERIFIER_error"));
        assert_eq!(one("\n CHECK( init(main()), LTL( G  !  call( bad() ) ) )  "), call("bad"));
        assert_eq!(one("CHECK( init(main()), LTL(G ! data-race) )"), Property::NoDataRace);
        assert_eq!(one("CHECK( init(main()), LTL(G ! overflow) )"), Property::NoOverflow);
        assert_eq!(one("CHECK( init(main()), LTL(F end) )"), Property::Other("termination"));
    }

    #[test]
    fn lines_are_read_back() {
        let all = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n";
        assert_eq!(parse("m.prp", all).unwrap(), [Property::ValidMemory { tracked: false }]);
        let whole = Property::ValidMemory { tracked: true };
        assert_eq!(parse("m.prp", &whole.line()).unwrap(), [whole]);
        let other = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(F end) )\n";
        assert_eq!(parse("m.prp", other).unwrap().len(), 2);
        let mut many = vec![Property::UnreachCall("f".into()), Property::NoOverflow, Property::NoDataRace];
        many.extend(OTHERS.iter().map(|o| Property::Other(o.1)));
        for p in many {
            assert_eq!(one(&p.line()), p);
        }
    }

    #[test]
    fn wrong_ones_have_a_place() {
        let at = |text: &str| {
            let d = parse("a.prp", text).unwrap_err();
            (d.line, d.column)
        };
        assert_eq!(at("\nCHEC( init(main()), LTL(F end) )"), (2, 1));
        assert_eq!(at("CHECK( init(start()), LTL(F end) )"), (1, 13));
        assert_eq!(at("CHECK( init(main()), LTL(G ! call(3)) )"), (1, 26));
        assert_eq!(at("CHECK( init(main()), LTL(G ! sadness) )"), (1, 26));
        assert_eq!(at("CHECK( init(main()), LTL(F end"), (1, 26));
        assert_eq!(at("CHECK( init(main()), LTL(F end) ) x"), (1, 35));
        assert_eq!(at("  \n"), (0, 0));
    }
}
