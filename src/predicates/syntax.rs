//! The comparisons in a condition of C.

use relyant_check::certificate::{TextError, parse_comparison};
use relyant_linear::Var;

/// A condition of more bytes has no comparisons that somebody thought of; reading one takes the square of its length.
const MOST: usize = 4_000;

/// The comparisons that a condition is made of, by `&&`, `||`, `!` and parentheses. `!=` is the predicate `==`.
///
/// # Errors
/// What is no comparison of two sums of variables.
pub fn conjuncts(condition: &str) -> Result<Vec<String>, TextError> {
    if condition.len() > MOST {
        return Err(TextError::Long(MOST));
    }
    let blank = blank(condition);
    leaves(blank.trim()).into_iter().map(comparison).collect()
}

/// Those of its parts that are comparisons; none of a condition that is too long.
pub fn comparisons_in(condition: &str) -> Vec<String> {
    if condition.len() > MOST {
        return Vec::new();
    }
    let blank = blank(condition);
    leaves(blank.trim()).into_iter().filter_map(|leaf| comparison(leaf).ok()).collect()
}

fn blank(text: &str) -> String {
    text.replace(|c: char| c.is_ascii_whitespace(), " ")
}

/// What the operators of logic join.
fn leaves(text: &str) -> Vec<&str> {
    let (mut out, mut rest) = (Vec::new(), vec![text]);
    while let Some(text) = rest.pop() {
        let split = ["||", "&&"].iter().find_map(|o| outside(text, o).map(|at| (at, o.len())));
        let inner = enclosed(text.strip_prefix('!').unwrap_or(text).trim());
        match (split, inner) {
            (Some((at, n)), _) => rest.extend([text[at + n..].trim(), text[..at].trim()]),
            (None, Some(inner)) => rest.push(inner.trim()),
            (None, None) => out.push(text),
        }
    }
    out
}

fn comparison(text: &str) -> Result<String, TextError> {
    let text = text.replace("!=", "==");
    parse_comparison(&text, &|name, primed| (!primed && !name.is_empty()).then_some(Var(0)))?;
    Ok(text)
}

/// Where an operator is first that is in no parentheses.
fn outside(text: &str, operator: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && text[at..].starts_with(operator) => return Some(at),
            _ => {}
        }
    }
    None
}

/// What is between parentheses, where these are the first and the last character and belong together.
fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0u32;
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::conjuncts;

    #[test]
    fn conditions_fall_into_comparisons() {
        let all = [
            ("x <= 1", vec!["x <= 1"]),
            (" (x - y <= 1) &&\n!(f::z != 2 || 0 < w[3])", vec!["x - y <= 1", "f::z == 2", "0 < w[3]"]),
            ("((a == 1)) || b > -1", vec!["a == 1", "b > -1"]),
        ];
        for (text, parts) in all {
            assert_eq!(conjuncts(text), Ok(parts.iter().map(ToString::to_string).collect()), "{text}");
        }
    }

    #[test]
    fn long_conditions_are_refused() {
        let deep = format!("{}x <= 1{}", "(".repeat(5_000), ")".repeat(5_000));
        assert!(conjuncts(&deep).is_err() && super::comparisons_in(&deep).is_empty());
        let deep = format!("{}x <= 1{}", "(".repeat(1_500), ")".repeat(1_500));
        assert_eq!(conjuncts(&deep), Ok(vec!["x <= 1".into()]));
    }

    #[test]
    fn what_is_no_comparison_is_none() {
        for text in [
            "",
            "x",
            "x <= ",
            "(x <= 1",
            "x <= 1)",
            "x * y <= 1",
            "x <= 1 && ",
            "x' <= 1",
            "p->x == 1",
            "é == 1",
        ] {
            assert!(conjuncts(text).is_err(), "{text}");
        }
    }
}
