//! Random programs of one thread, to compare what the interpreter computes with what a C compiler computes.

pub mod arithmetic;
pub mod objects;
pub mod run;
mod statements;

use std::fmt::Write;

/// Integer types that variables have.
pub const TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// A program in two forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequential {
    /// Global variables: type and name. Their values at the end are the result.
    pub globals: Vec<(&'static str, String)>,
    /// Declarations and functions before `main`.
    pub before: String,
    /// Statements of `main`, each with its line end.
    pub body: Vec<String>,
}

impl Sequential {
    /// A program with `main`.
    pub fn to_c(&self) -> String {
        format!("{}int main(void)\n{{\n{}  return 0;\n}}\n", self.before, self.body.concat())
    }

    /// What all global names start with.
    pub fn prefix(&self) -> &str {
        self.globals.first().and_then(|g| g.1.split('_').next()).unwrap_or("")
    }

    /// Declarations, a function `run<prefix>`, and a function `print<prefix>` that prints the globals.
    pub fn to_function(&self) -> String {
        let prefix = self.prefix();
        let mut out = format!("{}static void run{prefix}(void)\n{{\n{}}}\n", self.before, self.body.concat());
        let _ = writeln!(out, "static void print{prefix}(void)\n{{");
        for (ty, name) in &self.globals {
            let (format, cast) =
                if ty.starts_with('u') { ("%llu", "unsigned long long") } else { ("%lld", "long long") };
            let _ = writeln!(out, "  printf(\"{name} {format}\\n\", ({cast}){name});");
        }
        out.push_str("}\n");
        out
    }
}
