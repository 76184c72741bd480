//! Pragmas: a table of those that are harmless, `pack` with its stack, and a refusal by name for all others.

/// What a pragma asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pragma {
    /// Nothing that a verdict depends on.
    Harmless,
    /// Another alignment of members from here on.
    Pack(Vec<Change>),
    /// Not modelled: what it is, and what to do.
    Refused(String, &'static str),
}

/// A step on the stack of alignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// `push`: remembers the present alignment.
    Push,
    /// `pop`: back to what was remembered last.
    Pop,
    /// A number of bytes; none is the default.
    Set(Option<u64>),
}

/// Reads what follows `#pragma`.
pub fn read(text: &str) -> Pragma {
    let words: Vec<&str> =
        text.split(|c: char| !(c == '_' || c.is_alphanumeric())).filter(|w| !w.is_empty()).collect();
    let refused = |help| Pragma::Refused(format!("#pragma {}", text.trim()), help);
    match words.as_slice() {
        [] => Pragma::Harmless,
        ["pack", rest @ ..] => match pack(rest) {
            Some(changes) => Pragma::Pack(changes),
            None => refused("give the alignment as a number"),
        },
        // Sections, threads and tasks of OpenMP and OpenACC are other programs than the text without them.
        ["omp" | "acc", ..] => Pragma::Refused(
            format!("#pragma {}: OpenMP", text.trim()),
            "create the threads with pthread_create, or leave the pragma out to have the sequential program",
        ),
        ["weak" | "redefine_extname" | "scalar_storage_order" | "extern_prefix", ..] => {
            refused("use the function by its own name, and leave the pragma out")
        }
        // For the preprocessor; for warnings.
        ["once" | "message" | "warning" | "mark" | "region" | "endregion" | "ident" | "comment", ..] => {
            Pragma::Harmless
        }
        ["push_macro" | "pop_macro", ..] => Pragma::Harmless,
        [
            "GCC",
            "visibility" | "system_header" | "poison" | "dependency" | "diagnostic" | "warning" | "error",
            ..,
        ] => Pragma::Harmless,
        // Advice for the optimiser.
        [
            "GCC",
            "ivdep" | "unroll" | "novector" | "optimize" | "push_options" | "pop_options" | "reset_options"
            | "target",
            ..,
        ] => Pragma::Harmless,
        [
            "clang" | "unroll" | "nounroll" | "ivdep" | "vector" | "simd" | "inline" | "noinline" | "loop",
            ..,
        ] => Pragma::Harmless,
        // Rounding and contraction: floating values are over-approximated where they are not exact.
        ["STDC", "FP_CONTRACT" | "FENV_ACCESS" | "CX_LIMITED_RANGE", ..] => Pragma::Harmless,
        _ => refused("leave it out if it changes nothing"),
    }
}

fn pack(words: &[&str]) -> Option<Vec<Change>> {
    let set = |n: &str| {
        let n: u64 = n.parse().ok()?;
        matches!(n, 0 | 1 | 2 | 4 | 8 | 16).then_some(Change::Set((n > 0).then_some(n)))
    };
    let number = |w: &str| w.starts_with(|c: char| c.is_ascii_digit());
    Some(match words {
        [] => vec![Change::Set(None)],
        ["push"] => vec![Change::Push],
        ["push", n] if number(n) => vec![Change::Push, set(n)?],
        ["push", _, n] if number(n) => vec![Change::Push, set(n)?],
        ["pop"] => vec![Change::Pop],
        [n] => vec![set(n)?],
        _ => return None,
    })
}

/// The alignments under `#pragma pack`.
#[derive(Clone, Default, Debug)]
pub struct Packing {
    now: Option<u64>,
    stack: Vec<Option<u64>>,
}

impl Packing {
    /// The one that holds now.
    pub fn now(&self) -> Option<u64> {
        self.now
    }
    /// Takes a step; gcc warns of a `pop` without a `push`, and goes on.
    pub fn change(&mut self, c: Change) {
        match c {
            Change::Push => self.stack.push(self.now),
            Change::Pop => self.now = self.stack.pop().unwrap_or(self.now),
            Change::Set(n) => self.now = n,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pack_has_a_stack() {
        let mut p = Packing::default();
        for text in ["pack(push, 1)", "pack(push)", "pack(2)"] {
            let Pragma::Pack(changes) = read(text) else { panic!("{text}") };
            changes.into_iter().for_each(|c| p.change(c));
        }
        assert_eq!(p.now(), Some(2));
        p.change(Change::Pop);
        assert_eq!(p.now(), Some(1));
        p.change(Change::Pop);
        assert_eq!(p.now(), None);
    }

    #[test]
    fn all_others_are_named() {
        assert!(matches!(read("omp parallel for"), Pragma::Refused(what, _) if what.contains("OpenMP")));
        assert!(matches!(read("flies"), Pragma::Refused(..)));
        assert_eq!(read("GCC diagnostic push"), Pragma::Harmless);
    }
}
