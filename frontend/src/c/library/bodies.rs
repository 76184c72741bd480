//! Library functions as C code of ours, which is read where a program uses them: what they access and compute is then
//! seen by everything that sees the program's own functions.

/// Files of C code. A function `f` of the library is `__relyant_f` there.
const TEXTS: [&str; 4] = [
    include_str!("bodies/text.c"),
    include_str!("bodies/print.c"),
    include_str!("bodies/input.c"),
    include_str!("bodies/pointers.c"),
];

/// The file that places in these bodies name.
pub const FILE: &str = "<library>";

/// The body of a library function.
pub fn name(function: &str) -> String {
    format!("__relyant_{function}")
}

/// The library function that a body is of.
pub fn original(name: &str) -> Option<&str> {
    let name = name.strip_prefix("__relyant_")?;
    Some(match name {
        "text_into" | "chars_into" | "some_text_into" => "text from outside",
        "put_some" => "sprintf",
        _ => name.strip_prefix("at_").unwrap_or(name),
    })
}

/// A function whose body calls a library function, so that it has an address.
pub fn pointer(function: &str) -> String {
    format!("__relyant_at_{function}")
}

/// Does a text use a function that has a body here, outside of headers of the system?
fn uses(text: &str) -> bool {
    let mut in_header = false;
    let letter = |c: char| c == '_' || c.is_ascii_alphanumeric();
    for line in text.lines() {
        if line.starts_with('#') {
            if super::super::source::line_marker(line).is_some() {
                in_header = line.rsplit('"').next().is_some_and(|flags| flags.contains('3'));
            }
            continue;
        }
        let mut rest = if in_header { "" } else { line };
        while let Some(start) = rest.find(letter) {
            rest = &rest[start..];
            let (word, after) = rest.split_at(rest.find(|c| !letter(c)).unwrap_or(rest.len()));
            rest = after;
            if has_body(word) || !after.trim_start().starts_with('(') && has_pointer(word) {
                return true;
            }
        }
    }
    false
}

fn has_pointer(word: &str) -> bool {
    TEXTS[3].contains(&format!("{}(", pointer(word)))
}

fn has_body(word: &str) -> bool {
    let word = word.strip_prefix("__builtin_").unwrap_or(word);
    match super::model(word) {
        Some(super::Model::Scan(_) | super::Model::Print { .. }) => true,
        Some(super::Model::Text(super::TextCall::Copy | super::TextCall::CopyWithin)) => true,
        Some(super::Model::Row(r)) => matches!(r.gives, super::Gives::Body(_)),
        _ => false,
    }
}

/// A preprocessed text, with the bodies behind it where it needs them.
pub fn with_bodies(text: &str) -> std::borrow::Cow<'_, str> {
    if !uses(text) {
        return text.into();
    }
    let mut all = text.to_string();
    let mut line = 1;
    for t in TEXTS {
        all.push_str(&format!("\n# {line} \"{FILE}\" 1 3\n{t}"));
        line += t.lines().count();
    }
    all.into()
}
