//! What the parser does not take around labels, functions inside functions, `__alignof__` of an expression, and assertions
//! without a message: mended where that is possible, else refused by name.

use super::mend::{Edit, skip_group};
use super::source::Source;
use super::tokens::{Token, TokenKind};
use super::words::{begins_declaration, is_reserved, is_type};
use relyant_cfa::diagnostic::Diagnostic;

struct Pass<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

/// What to write instead of labels that the parser does not take.
pub fn edits(source: &Source, text: &str, tokens: &[Token]) -> Result<Vec<Edit>, Diagnostic> {
    let p = Pass { text, tokens };
    let mut edits = Vec::new();
    let mut depth = 0usize;
    let refuse = |k: usize, what: &str, help: &str| {
        Err(source.diagnostic(
            source.original_span(tokens[k].start),
            format!("{what} not supported"),
            help.to_string(),
        ))
    };
    for k in 0..tokens.len() {
        let t = tokens[k];
        match p.s(k) {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            // `l: int x;` and `l: }`: an empty statement has the label.
            ":" if p.ends_label(k) && (p.s(k + 1) == "}" || p.starts_declaration(k + 1)) => {
                edits.push((t.end, t.end, ";".into()));
            }
            "&" if p.s(k + 1) == "&"
                && t.end == tokens[k + 1].start
                && p.is_name(k + 2)
                && !p.ends_operand(k) =>
            {
                return refuse(k, "labels as values are", "use a switch");
            }
            // gcc makes an empty statement of the attribute, which is all of the body; clang does not.
            "__attribute__" | "__attribute" if p.is_before_label_of_body(k) => {
                let help = "put both into a block, or the attribute behind the label";
                return refuse(k, "an attribute before a label that begins a body is", help);
            }
            "goto" if p.s(k + 1) == "*" => return refuse(k, "a jump to a computed place is", "use a switch"),
            "asm" | "__asm__" | "__asm" if matches!(p.s(k + 1), "goto") || p.s(k + 2) == "goto" => {
                return refuse(k, "assembler code that jumps is", "write it in C");
            }
            "inline" | "__inline__" | "__inline"
                if k > 0
                    && (p.is_asm(k - 1)
                        || (k > 1 && p.is_asm(k - 2) && !matches!(p.s(k - 1), ";" | ")"))) =>
            {
                edits.push((t.start, t.end, String::new()));
            }
            "__label__" => {
                let mut end = k;
                while end + 1 < tokens.len() && p.s(end) != ";" {
                    end += 1;
                }
                edits.push((t.start, tokens[end].end, String::new()));
            }
            "__alignof__" | "__alignof" | "_Alignof" | "alignof" => edits.extend(p.alignof(k)),
            "_Static_assert" | "static_assert" if p.s(k + 1) == "(" => {
                let end = skip_group(text, tokens, k + 1);
                edits.push((t.start, t.end, "_Static_assert".into()));
                if !p.has_comma(k + 2, end - 1) {
                    edits.push((tokens[end - 1].start, tokens[end - 1].start, ", \"\"".into()));
                }
            }
            _ if depth > 0 && p.defines_function(k) => {
                return refuse(
                    k,
                    "a function inside of a function is",
                    "move it out and pass it what it uses",
                );
            }
            _ => {}
        }
    }
    Ok(edits)
}

impl Pass<'_> {
    fn s(&self, k: usize) -> &str {
        self.tokens.get(k).map_or("", |t| &self.text[t.start..t.end])
    }

    fn is_asm(&self, k: usize) -> bool {
        matches!(self.s(k), "asm" | "__asm__" | "__asm")
    }

    /// A word that is no keyword.
    fn is_name(&self, k: usize) -> bool {
        self.tokens.get(k).is_some_and(|t| t.kind == TokenKind::Word) && !is_reserved(self.s(k))
    }

    /// Does an operand end before a token?
    fn ends_operand(&self, k: usize) -> bool {
        let Some(before) = k.checked_sub(1) else { return false };
        match self.tokens[before].kind {
            TokenKind::Number | TokenKind::Text => true,
            TokenKind::Word => self.is_name(before),
            // `x++` and `x--` end as one.
            TokenKind::Punctuation => {
                matches!(self.s(before), ")" | "]" | "}")
                    || matches!(self.s(before), "+" | "-")
                        && before > 0
                        && self.s(before - 1) == self.s(before)
                        && self.tokens[before - 1].end == self.tokens[before].start
            }
        }
    }

    /// `if (c) __attribute__((unused)) l: …`
    fn is_before_label_of_body(&self, k: usize) -> bool {
        let mut end = k;
        while matches!(self.s(end), "__attribute__" | "__attribute") {
            end = skip_group(self.text, self.tokens, end + 1);
        }
        let begins = k > 0 && matches!(self.s(k - 1), ")" | "else" | "do");
        begins && self.is_name(end) && self.s(end + 1) == ":"
    }

    /// Does a colon end a label?
    fn ends_label(&self, k: usize) -> bool {
        if k > 1 && (self.is_name(k - 1) || self.s(k - 1) == "default") {
            let before = self.s(k - 2);
            if matches!(before, ";" | "{" | "}") || (before == ":" && self.ends_label(k - 2)) {
                return true;
            }
        }
        // `case …:`, without another colon or the end of a statement between.
        let mut j = k;
        while j > 0 {
            j -= 1;
            match self.s(j) {
                "case" => return true,
                ";" | "{" | "}" | "?" | ":" => return false,
                _ => {}
            }
        }
        false
    }

    /// Does a declaration start here, as far as tokens say?
    fn starts_declaration(&self, mut k: usize) -> bool {
        while matches!(self.s(k), "__attribute__" | "__attribute") && self.s(k + 1) == "(" {
            k = skip_group(self.text, self.tokens, k + 1);
        }
        let s = self.s(k);
        begins_declaration(s) || (self.is_name(k) && self.is_name(k + 1) && self.s(k + 1) != "__attribute__")
    }

    fn has_comma(&self, mut k: usize, end: usize) -> bool {
        while k < end {
            match self.s(k) {
                "," => return true,
                "(" | "[" | "{" => k = skip_group(self.text, self.tokens, k),
                _ => k += 1,
            }
        }
        false
    }

    /// `__alignof__ x` and `__alignof__(x)` as that of the type of x.
    fn alignof(&self, k: usize) -> Vec<Edit> {
        let insert = |at: usize, s: &str| (at, at, s.to_string());
        if self.s(k + 1) != "(" {
            let Some(operand) = self.tokens.get(k + 1) else { return Vec::new() };
            return vec![insert(operand.start, "(__typeof__("), insert(operand.end, "))")];
        }
        let end = skip_group(self.text, self.tokens, k + 1);
        if is_type(self.s(k + 2)) || self.s(end - 2) == "*" || end - k < 4 {
            return Vec::new();
        }
        vec![insert(self.tokens[k + 2].start, "__typeof__("), insert(self.tokens[end - 1].start, ")")]
    }

    /// `int f(int a) {` inside of a function.
    fn defines_function(&self, k: usize) -> bool {
        let typed = |j: usize| self.is_name(j) || is_type(self.s(j)) || self.s(j) == "*";
        self.is_name(k)
            && k > 0
            && typed(k - 1)
            && self.s(k + 1) == "("
            && !matches!(
                self.s(k),
                "__attribute__" | "__attribute" | "__typeof__" | "typeof" | "__extension__"
            )
            && self.s(skip_group(self.text, self.tokens, k + 1)) == "{"
    }
}
