//! The words that C reserves, as tokens have them: which of them may begin a type, and which no name is.

/// Words that start the name of a type.
const TYPES: [&str; 37] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "_Complex",
    "struct",
    "union",
    "enum",
    "const",
    "volatile",
    "restrict",
    "_Atomic",
    "__const",
    "__const__",
    "__volatile",
    "__volatile__",
    "__restrict",
    "__restrict__",
    "__signed",
    "__signed__",
    "typeof",
    "__typeof",
    "__typeof__",
    "_Float128",
    "_Float64",
    "_Float32",
    "__int128",
    "__float128",
    "_Decimal32",
    "_Decimal64",
    "_Decimal128",
];

/// Words that a declaration may begin with beside those of types.
const STORAGE: [&str; 9] = [
    "static",
    "extern",
    "typedef",
    "register",
    "auto",
    "_Thread_local",
    "__thread",
    "__auto_type",
    "_Static_assert",
];

/// Words that are said of functions, or of nothing.
const FUNCTIONS: [&str; 5] = ["inline", "__inline", "__inline__", "_Noreturn", "__extension__"];

/// Words of statements and expressions.
const STATEMENTS: [&str; 15] = [
    "return", "else", "if", "while", "do", "for", "switch", "case", "default", "goto", "break", "continue",
    "sizeof", "asm", "__asm__",
];

/// May the name of a type begin with this word, which is no name?
pub fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
}

/// May a declaration begin with this word, which is no name?
pub fn begins_declaration(word: &str) -> bool {
    is_type(word) || STORAGE.contains(&word)
}

/// May this word stand before the name that is declared?
pub fn is_specifier(word: &str) -> bool {
    begins_declaration(word) || FUNCTIONS.contains(&word)
}

/// Is it reserved, as far as what may stand in a statement?
pub fn is_reserved(word: &str) -> bool {
    begins_declaration(word) || STATEMENTS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_in_one_list() {
        let all = [&TYPES[..], &STORAGE, &FUNCTIONS, &STATEMENTS].concat();
        let once: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(once.len(), all.len());
        assert!(is_specifier("inline") && !begins_declaration("inline") && !is_reserved("inline"));
        assert!(is_type("__int128") && is_reserved("sizeof") && !is_specifier("sizeof"));
    }
}
