//! What `--method` names: the engines of the registry, and those for Boolean programs.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use relyant::finite::boolean;
use relyant::pipeline::Method;
use relyant_engines::{aret, registry};

/// The word that asks for no engine alone.
pub const AUTO: &str = "auto";

const ABOUT_AUTO: &str = "Search and rely-guarantee side by side, the first evidence wins; coverability where there may be \
                          any number of threads and rely-guarantee finds no proof";

/// The engines that a word asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodArg {
    /// For C programs: an engine and the proof rule that goes with it.
    c: Option<(Method, aret::Method)>,
    /// For Boolean programs.
    boolean: Option<boolean::Method>,
}

impl MethodArg {
    /// What a word of the list asks for.
    fn of(word: &str) -> MethodArg {
        if word == AUTO {
            let c = Some((Method::Auto, aret::Method::default()));
            return MethodArg { c, boolean: Some(boolean::Method::Auto) };
        }
        let choices = registry::choices();
        let c = choices.iter().find(|(c, _)| c.word == word);
        let boolean = boolean::Method::WORDS.iter().find(|(_, w, _)| *w == word);
        MethodArg {
            c: c.map(|(c, engine)| (Method::Only(engine), c.rule)),
            boolean: boolean.map(|(method, ..)| *method),
        }
    }
    /// Reads a word of the list.
    pub fn parser() -> impl TypedValueParser<Value = MethodArg> {
        PossibleValuesParser::new(words()).map(|word| MethodArg::of(&word))
    }
    /// The engine for Boolean programs; `None` if it is not for them.
    pub fn boolean(self) -> Option<boolean::Method> {
        self.boolean
    }
    /// Is it for Boolean programs only?
    pub fn is_boolean(self) -> bool {
        self.c.is_none()
    }
    /// The engines for C programs.
    pub fn engines(self) -> Method {
        self.c.map_or(Method::Auto, |(method, _)| method)
    }
    /// The proof rule.
    pub fn rule(self) -> aret::Method {
        self.c.map_or(aret::Method::default(), |(_, rule)| rule)
    }
}

/// All words, each once, with their help.
fn words() -> Vec<PossibleValue> {
    let mut all = vec![(AUTO, ABOUT_AUTO)];
    all.extend(registry::choices().iter().map(|(c, _)| (c.word, c.about)));
    for (_, word, about) in boolean::Method::WORDS {
        if all.iter().all(|w| w.0 != word) {
            all.push((word, about));
        }
    }
    let value = |(word, about): (&'static str, &'static str)| match about {
        "" => PossibleValue::new(word),
        about => PossibleValue::new(word).help(about),
    };
    all.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_engines() {
        let all: Vec<String> = words().iter().map(|w| w.get_name().to_string()).collect();
        assert_eq!(
            all.join(" "),
            "auto search symbolic rely-guarantee owicki-gries monolithic coverability transactions in-order thread-states counters"
        );
        let of = |word| {
            let m = MethodArg::of(word);
            (m.engines(), m.rule(), m.boolean(), m.is_boolean())
        };
        let plain = aret::Method::RelyGuarantee;
        assert_eq!(of("auto"), (Method::Auto, plain, Some(boolean::Method::Auto), false));
        assert_eq!(of("search"), (Method::SEARCH, plain, None, false));
        assert_eq!(of("symbolic"), (Method::SYMBOLIC, plain, None, false));
        assert_eq!(of("monolithic"), (Method::PROVE, aret::Method::Monolithic, None, false));
        assert_eq!(of("owicki-gries"), (Method::PROVE, aret::Method::OwickiGries, None, false));
        assert_eq!(
            of("coverability"),
            (Method::COVERABILITY, plain, Some(boolean::Method::Coverability), false)
        );
        assert_eq!(of("counters"), (Method::Auto, plain, Some(boolean::Method::Counters), true));
    }
}
