//! What may help where there is no verdict, tried before it is said: other engines, and a smaller number for a macro that bounds
//! something.

use super::method::AUTO;
use super::watch::Limits;
use super::workers::{Job, verify_all};
use relyant::pipeline::{Hint, Method, Settings, Unknown, Verdict};
use relyant::report::FileOutcome;
use relyant_cfa::preprocessing::Define;
use relyant_engines::aret;
use relyant_engines::limits::Stop;
use relyant_frontend::c::unit::Text;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// All trials take no longer than the run did, and no longer than this; but they may take so long.
const MOST: Duration = Duration::from_secs(6);
const LEAST: Duration = Duration::from_secs(1);
/// Where nothing is left of the time limit, they take this part of it at most.
const PART: u32 = 10;

/// Macros that are tried.
const MACROS: usize = 3;

/// The number that is tried for a macro.
const SMALL: i128 = 2;

/// A trial: what is verified, and what is said if there is a verdict.
struct Trial {
    job: Job,
    /// Keeps a text where it is.
    _text: Option<Text>,
    place: Option<(String, Vec<u32>)>,
    says: String,
}

/// Hints of one program without a verdict, each of which gave one just now; the first ones of its report.
pub fn add(jobs: &[Job], outcomes: &mut [FileOutcome], limits: &Limits, began: Instant) {
    let ([job], [FileOutcome::Verdict(report)]) = (jobs, outcomes) else { return };
    let Verdict::Unknown(why) = &report.verdict else { return };
    let over = |s: &Stop| !matches!(s, Stop::Time(_) | Stop::Patience);
    if matches!(why, Unknown::NotReproduced(_)) || matches!(why, Unknown::Stopped(s) if over(s)) {
        return;
    }
    let took = began.elapsed();
    let most = took.clamp(LEAST, MOST);
    let left = limits.timeout.map_or(most, |t| most.min(t.saturating_sub(took).max(t / PART)));
    let end = Instant::now() + left;
    let trials = trials(job);
    let mut hints = Vec::new();
    for (k, t) in trials.iter().enumerate() {
        let rest = u32::try_from(trials.len() - k).unwrap_or(1);
        let timeout = Some(end.saturating_duration_since(Instant::now()) / rest);
        let limits = Limits { timeout, ..*limits };
        let done = verify_all(std::slice::from_ref(&t.job), &limits, 1, None, |_| ());
        if let Some(FileOutcome::Verdict(r)) = done.first()
            && !matches!(r.verdict, Verdict::Unknown(_))
        {
            let text = format!("{}: {}", t.says, r.verdict.word());
            hints.push(Hint { place: t.place.clone(), text });
        }
    }
    report.hints.splice(0..0, hints);
}

fn trials(job: &Job) -> Vec<Trial> {
    let settings = &job.settings;
    let (method, rule, word) = match settings.method {
        Method::Auto => (Method::PROVE, aret::Method::Monolithic, "monolithic"),
        Method::Only(_) => (Method::Auto, aret::Method::default(), AUTO),
    };
    let engine = aret::Settings { method: rule, ..settings.engine };
    let other = Trial {
        job: Job { settings: Settings { method, engine, ..settings.clone() }, ..job.clone() },
        _text: None,
        place: None,
        says: format!("--method {word} gives a verdict"),
    };
    let text = relyant_cfa::files::read(&job.file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let bounds = bounds(&text, &settings.meaning.preprocessing.define);
    std::iter::once(other).chain(bounds.iter().take(MACROS).filter_map(|b| smaller(job, &text, b))).collect()
}

/// The program with a smaller number for a macro.
fn smaller(job: &Job, text: &str, b: &Bound) -> Option<Trial> {
    let mut job = job.clone();
    let what = format!("in place of {} gives a verdict, about that size only", b.value);
    let Some((line, from, to)) = b.fixed else {
        let define = &mut job.settings.meaning.preprocessing.define;
        define.retain(|d| d.name() != b.name);
        define.push(Define::parse(&format!("{}={SMALL}", b.name)).ok()?);
        return Some(Trial { job, _text: None, place: None, says: format!("-D{}={SMALL} {what}", b.name) });
    };
    let name = job.unit().name();
    let mut changed = text.to_string();
    changed.replace_range(from..to, &SMALL.to_string());
    let text = Text::new(&name, &changed).ok()?;
    let folder = match job.file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    job.settings.meaning.preprocessing.include.insert(0, folder);
    job.file = text.unit().path().to_path_buf();
    job.called = Some(name.clone());
    let says = format!("`{}` as {SMALL} {what}", b.name);
    Some(Trial { job, _text: Some(text), place: Some((name, vec![line])), says })
}

/// A macro that is a number, and bounds something.
#[derive(Debug, PartialEq, Eq)]
struct Bound {
    name: String,
    value: i128,
    /// Where the source says so whatever the command line does: the line, and where the number is.
    fixed: Option<(u32, usize, usize)>,
}

/// Those of a source and of the command line, in their order.
fn bounds(text: &str, given: &[Define]) -> Vec<Bound> {
    let mut out: Vec<Bound> = Vec::new();
    let (mut before, mut at) = ("", 0);
    for (line, no) in text.split_inclusive('\n').zip(1u32..) {
        let start = at;
        at += line.len();
        let here = directive(line, "define").and_then(|rest| {
            let (name, rest) = rest.split_once([' ', '\t'])?;
            let number = rest.trim_start().trim_start_matches('(');
            let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let from = start + line.len() - number.len();
            let after = number[digits..].trim_start_matches(['u', 'U', 'l', 'L', ')', ' ', '\t']).trim_end();
            if !after.is_empty() && !after.starts_with("//") && !after.starts_with("/*") {
                return None;
            }
            Some((name, number[..digits].parse::<i128>().ok()?, (no, from, from + digits)))
        });
        if let Some((name, value, place)) = here {
            let guarded = directive(before, "ifndef").is_some_and(|n| n.trim() == name);
            let fixed = (!guarded).then_some(place);
            out.push(Bound { name: name.into(), value, fixed });
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    for d in given {
        let written = d.to_string();
        let value = written.split_once('=').and_then(|(_, v)| v.trim().parse().ok());
        let Some(value) = value else { continue };
        match out.iter_mut().find(|b| b.name == d.name()) {
            Some(b) => b.value = value,
            None => out.push(Bound { name: d.name().into(), value, fixed: None }),
        }
    }
    out.retain(|b| b.value > SMALL && text.lines().any(|l| is_bound(l, &b.name)));
    out
}

/// What comes after a directive of the preprocessor.
fn directive<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix(name)?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// Does a line have the name in brackets, or beside a comparison?
fn is_bound(line: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !line.trim_start().starts_with('#')
        && line.match_indices(name).any(|(at, _)| {
            let (left, right) = (&line[..at], &line[at + name.len()..]);
            let whole = !left.ends_with(word) && !right.starts_with(word);
            let beside = left.trim_end().ends_with(['<', '>', '=', '[', '%'])
                || right.trim_start().starts_with(['<', '>', '=', ']', '!']);
            whole && beside
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_bound_something_are_found() {
        let text = "#ifndef N\n# define N 10 // threads\n#endif\n#define SIZE (64)\n#define COLOR 7\n#define ONE 1\n#define SUM 3 + 4\n\
                    int a[SIZE], b[ONE], c[SUM];\nint main(void) { for (int i = 0; i < N; i++) f(COLOR); }\n";
        let found = bounds(text, &[]);
        let at = text.find("64").unwrap();
        assert_eq!(
            found,
            [
                Bound { name: "N".into(), value: 10, fixed: None },
                Bound { name: "SIZE".into(), value: 64, fixed: Some((4, at, at + 2)) }
            ]
        );
        let given = [Define::parse("N=99").unwrap(), Define::parse("M=5").unwrap()];
        let all = bounds(&text.replace("b[ONE]", "b[M]"), &given);
        let all: Vec<(&str, i128)> = all.iter().map(|b| (b.name.as_str(), b.value)).collect();
        assert_eq!(all, [("N", 99), ("SIZE", 64), ("M", 5)]);
    }

    #[test]
    fn names_are_whole_words() {
        assert!(is_bound("if (n >= MAX) {", "MAX") && is_bound("x = y % MAX;", "MAX"));
        assert!(!is_bound("if (n < MAXIMUM)", "MAX") && !is_bound("f(MAX);", "MAX"));
        assert!(!is_bound("#if N < 3", "N"));
    }
}
