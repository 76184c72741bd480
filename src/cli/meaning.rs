//! Options about what a program means and how it is proved.

use super::method::{AUTO, MethodArg};
use clap::{Args, ValueEnum};
use relyant::finite::boolean;
use relyant::pipeline::Method;
use relyant::predicates::{Predicate, conjuncts};
use relyant::task::{self, Task};
use relyant::witness::hints;
use relyant_cfa::diagnostic::Diagnostic;
use relyant_cfa::options::{Atomicity, DataModel, Integers, MemoryModel, Options, Property, Signed};
use relyant_cfa::preprocessing::Preprocessing;
use relyant_check::certificate::TextError;
use relyant_checker::macros::Macros;
use relyant_engines::aret;
use relyant_engines::search::{self, Strategy};
use relyant_program::recognisers::{Recogniser, Recognisers};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, ValueEnum)]
enum AtomicityArg {
    Access,
    Statement,
}

#[derive(Clone, Copy, ValueEnum)]
enum MemoryModelArg {
    /// Sequential consistency: all threads see a store at once
    Sc,
    /// Total store order, as on x86: a store waits in a buffer of its thread, and later loads may overtake it
    Tso,
}

#[derive(Clone, Copy, ValueEnum)]
enum IntegersArg {
    Machine,
    Ideal,
}

#[derive(Clone, Copy, ValueEnum)]
enum SignedArg {
    Assume,
    Wrap,
    Check,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum PropertyArg {
    /// Nothing else
    Assertions,
    /// No thread can move, and some thread is not at its end
    Deadlock,
    /// One property after the other
    All,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum CheckArg {
    /// Signed overflow, shifts too far, division by zero
    Overflow,
    /// Accesses through null, outside of objects and to those that are gone; freeing twice or what is no block
    Memory,
    /// The same, and memory that is lost: at the end neither freed nor pointed to
    Leaks,
}

/// What `--property` names, a property in one of three ways.
#[derive(Clone)]
enum Choice {
    Word(PropertyArg),
    /// A property of SV-COMP.
    Name(String),
    /// A file that has a property of SV-COMP in it.
    File(PathBuf),
}

/// It names no property.
#[derive(Debug, thiserror::Error)]
#[error("known are {}, {}, and property files (.prp)", .words.join(", "), task::property::SUPPORTED)]
struct NoProperty {
    /// The words that are no properties of SV-COMP.
    words: Vec<String>,
}

fn property(text: &str) -> Result<Choice, NoProperty> {
    if let Ok(word) = PropertyArg::from_str(text, false) {
        return Ok(Choice::Word(word));
    }
    if text.ends_with(".prp") {
        return Ok(Choice::File(text.into()));
    }
    if task::Property::named(text).is_some() {
        return Ok(Choice::Name(text.into()));
    }
    let words = PropertyArg::value_variants()
        .iter()
        .filter_map(|v| v.to_possible_value())
        .map(|v| v.get_name().to_string())
        .collect();
    Err(NoProperty { words })
}

/// A program, and what is asked about it.
#[derive(Clone)]
pub struct Input {
    /// The first source file of the program.
    pub file: PathBuf,
    /// What it is called in reports, if not by its path.
    pub called: Option<String>,
    /// What the program means, and what must not happen.
    pub options: Options,
    /// The property of SV-COMP that is asked for, if it is one.
    pub property: Option<task::Property>,
    /// A property was named: where there is nothing to check for it, the program is safe.
    pub named: bool,
    /// The verdict that a task definition has.
    pub expected: Option<bool>,
}

/// What the program means.
#[derive(Args)]
#[command(next_help_heading = "Meaning of the program")]
pub struct Meaning {
    /// A step is one access to a shared object, or a whole C statement
    #[arg(long, value_enum, default_value = "access", value_name = "STEP")]
    atomicity: AtomicityArg,
    /// How stores come to other threads
    #[arg(long, value_enum, default_value = "sc", value_name = "MODEL")]
    memory_model: MemoryModelArg,
    /// Machine integers wrap and are bounded as in C; ideal ones are mathematical
    #[arg(long, value_enum, default_value = "machine", value_name = "KIND")]
    integers: IntegersArg,
    /// Signed overflow is assumed not to happen, wraps, or is an error
    #[arg(long, value_enum, default_value = "assume", value_name = "WHAT")]
    signed: SignedArg,
    /// What must not happen either, whatever the property
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    check: Vec<CheckArg>,
    /// `long` and pointers have 32 bits
    #[arg(long)]
    ilp32: bool,
    /// Functions that all start at once, instead of main
    #[arg(long, value_delimiter = ':', value_name = "F:G")]
    threads: Vec<String>,
    /// No two threads may be at statements with this label
    #[arg(long, value_name = "LABEL")]
    exclusive: Option<String>,
    /// Order of two reads of shared objects in one expression, where C leaves it open
    #[arg(long, value_enum, default_value = "left-to-right", value_name = "ORDER")]
    read_order: ReadOrderArg,
    /// No thread may reach a statement with this label (`ERROR` is one in any case)
    #[arg(long, value_name = "LABEL")]
    error_label: Vec<String>,
    /// What must not happen besides failing assertions, or a property of SV-COMP [default: assertions]
    ///
    /// `assertions`; `deadlock`: no thread can move, and some thread is not at its end; `all`: each of the properties,
    /// with a verdict of its own. Or one of these, and nothing
    /// else, not even assertions: `no-data-race`: two threads access one object, one writes it, and neither atomics nor
    /// locks order them; `no-overflow`: signed overflow, shifts too far, division by zero; `unreach-call`: calls of
    /// `reach_error`; `valid-memsafety`: accesses through null, outside of objects and to those that are gone, freeing
    /// what is no block, losing memory that is not freed; or what a property file (.prp) says. Of a task definition (.yml) it picks the property with that
    /// file or name.
    #[arg(long, value_parser = property, value_name = "WHAT|FILE.prp")]
    property: Option<Choice>,
    /// With this many threads alive, creating one more has no effect
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    max_threads: Option<u32>,
    /// With more objects alive that one place made (malloc in a loop), nothing is known [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    max_objects: Option<u32>,
    /// One more source of the same program (task definitions name theirs)
    #[arg(long = "with", value_name = "FILE")]
    more: Vec<PathBuf>,
    #[command(flatten)]
    macros: Macros,
}

impl Meaning {
    /// Were more sources named?
    pub fn has_more(&self) -> bool {
        !self.more.is_empty()
    }
    /// Was a property named?
    pub fn names_property(&self) -> bool {
        self.property.is_some() || !self.check.is_empty()
    }
    /// Does a file say which property it is?
    pub fn reads_property(&self) -> bool {
        matches!(self.property, Some(Choice::File(_)))
    }
    /// Are all properties asked for, one after the other?
    pub fn asks_all(&self) -> bool {
        matches!(self.property, Some(Choice::Word(PropertyArg::All)))
    }
    /// What is asked about a file: one thing, or one for each property.
    pub fn inputs(&self, file: &Path) -> Vec<Result<Input, Diagnostic>> {
        let input = match self.input(file) {
            Ok(input) if self.asks_all() => input,
            other => return vec![other],
        };
        let named = |name: &str| {
            let (file, options) = (input.file.clone(), input.options.clone());
            let property = task::Property::named(name);
            let mut i = Input { file, called: None, options, property, named: true, expected: None };
            if let Some(p) = &i.property {
                p.apply(&mut i.options);
            }
            i
        };
        let mut deadlock = named("");
        deadlock.options.property = Property::NoDeadlock;
        deadlock.options.deadlock = true;
        let all =
            [named(""), named("no-data-race"), deadlock, named("no-overflow"), named("valid-memsafety")];
        all.into_iter().map(Ok).collect()
    }
    /// What the preprocessor is told.
    pub fn preprocessing(&self) -> Preprocessing {
        self.macros.preprocessing()
    }
    /// Labels that must not be reached.
    pub fn error_labels(&self) -> &[String] {
        &self.error_label
    }
    /// Threads at the same time at most.
    pub fn max_threads(&self) -> Option<u32> {
        self.max_threads
    }
    /// The program that a file on the command line stands for, and what is asked about it.
    ///
    /// # Errors
    /// What is wrong with a task definition or a property file, or that they contradict the command line.
    pub fn input(&self, file: &Path) -> Result<Input, Diagnostic> {
        let about =
            |message: String, help: &str| Diagnostic::of_file(file.display().to_string(), message, help);
        let mut options = self.options();
        if !task::is_named(file) {
            let property = self.property_alone()?;
            if let Some(p) = &property {
                p.apply(&mut options);
            }
            return Ok(Input {
                file: file.into(),
                called: None,
                options,
                property,
                named: self.names_property(),
                expected: None,
            });
        }
        let task = Task::read(file)?;
        match task.data_model {
            Some(DataModel::Lp64) if self.ilp32 => {
                return Err(about("the task is about LP64 data".into(), "leave --ilp32 out"));
            }
            Some(model) => options.data_model = model,
            None => {}
        }
        options.more_files.extend(task.more.iter().cloned());
        let wanted = match &self.property {
            None => None,
            Some(Choice::Word(_)) => {
                return Ok(Input {
                    file: task.input,
                    called: None,
                    options,
                    property: None,
                    named: true,
                    expected: None,
                });
            }
            Some(Choice::Name(name)) => Some(name.clone()),
            Some(Choice::File(path)) => Some(path.display().to_string()),
        };
        let help = "name one with --property, by its file or its name";
        let (listed, property) = task.choose(wanted.as_deref()).map_err(|e| about(e.to_string(), help))?;
        property.apply(&mut options);
        let (property, expected) = (Some(property.clone()), listed.expected);
        Ok(Input { file: task.input, called: None, options, property, named: true, expected })
    }

    /// The property of SV-COMP that is asked for without a task.
    fn property_alone(&self) -> Result<Option<task::Property>, Diagnostic> {
        match &self.property {
            None | Some(Choice::Word(_)) => Ok(None),
            Some(Choice::Name(name)) => Ok(task::Property::named(name)),
            Some(Choice::File(path)) => {
                let all = task::property::read(path)?;
                let help = format!("supported are {}", task::property::SUPPORTED);
                let wrong = |message: String| Diagnostic::of_file(path.display().to_string(), message, &help);
                match &all[..] {
                    [one] if one.is_supported() => Ok(Some(one.clone())),
                    [one] => Err(wrong(format!("{} is not supported", one.name()))),
                    _ => Err(wrong("several properties at once are not supported".into())),
                }
            }
        }
    }

    /// For the front end.
    fn options(&self) -> Options {
        Options {
            race_pair: None,
            atomicity: match self.atomicity {
                AtomicityArg::Access => Atomicity::Access,
                AtomicityArg::Statement => Atomicity::Statement,
            },
            memory_model: match self.memory_model {
                MemoryModelArg::Sc => MemoryModel::Sc,
                MemoryModelArg::Tso => MemoryModel::Tso,
            },
            robust: false,
            integers: match self.integers {
                IntegersArg::Machine => Integers::Machine,
                IntegersArg::Ideal => Integers::Ideal,
            },
            signed: match self.signed {
                _ if self.check.contains(&CheckArg::Overflow) => Signed::Check,
                SignedArg::Assume => Signed::Assume,
                SignedArg::Wrap => Signed::Wrap,
                SignedArg::Check => Signed::Check,
            },
            data_model: if self.ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 },
            threads: self.threads.clone(),
            exclusive: self.exclusive.clone(),
            property: Property::Assertions,
            error_function: None,
            reads_in_any_order: self.read_order == ReadOrderArg::Any,
            error_labels: self.error_label.clone(),
            check_memory: self.check.contains(&CheckArg::Memory) || self.check.contains(&CheckArg::Leaks),
            leaks: self.check.contains(&CheckArg::Leaks),
            deadlock: matches!(self.property, Some(Choice::Word(PropertyArg::Deadlock))),
            max_threads: self.max_threads,
            max_objects: self.max_objects,
            more_files: self.more.clone(),
            apart: Vec::new(),
            preprocessing: self.macros.preprocessing(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ReadOrderArg {
    /// From left to right; the report says so where it can make a difference
    LeftToRight,
    /// Any order
    Any,
}

#[derive(Clone, Copy, ValueEnum)]
enum BiasArg {
    Modular,
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum StrategyArg {
    /// Level by level: the shortest run to an error
    BreadthFirst,
    DepthFirst,
    /// Runs with few context switches first
    FewSwitches,
    /// Runs at random, from the start to the end
    Random,
}

/// The comparisons of a condition.
#[derive(Clone)]
struct Comparisons(Vec<String>);

fn comparisons(text: &str) -> Result<Comparisons, TextError> {
    conjuncts(text).map(Comparisons)
}

/// How it is proved.
#[derive(Args)]
#[command(next_help_heading = "Proof")]
pub struct Engine {
    /// Look for modular proofs first, or for any
    #[arg(long, value_enum, default_value = "modular", value_name = "WHICH")]
    bias: BiasArg,
    /// Engine, or proof rule
    #[arg(long, value_parser = MethodArg::parser(), default_value = AUTO, value_name = "WHICH")]
    method: MethodArg,
    /// A comparison that the proof may need, such as `next - serving <= 1`: tried, never trusted
    ///
    /// A local variable is named as it is, or with its function (`worker::i`); `relyant show FILE` lists variables. Comments of the source say
    /// the same: `/*@ predicate: next - serving <= 1 */`.
    #[arg(long, value_name = "COMPARISON", value_parser = comparisons, allow_hyphen_values = true)]
    predicate: Vec<Comparisons>,
    /// A witness whose invariants the proof may need: their comparisons are tried, never trusted
    #[arg(long, value_name = "WITNESS")]
    hints: Option<PathBuf>,
    /// Order of the search (`--method search`)
    #[arg(long, value_enum, default_value = "breadth-first", value_name = "ORDER")]
    strategy: StrategyArg,
    /// Search runs with at most so many context switches
    #[arg(long, value_name = "K")]
    max_switches: Option<u32>,
    /// What runs at random are drawn from (`--strategy random`)
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// States that the search may keep
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,
    /// Search all interleavings, those too that differ in the order of independent steps only
    #[arg(long)]
    no_reduction: bool,
    /// Tell threads of one start routine apart
    #[arg(long)]
    no_symmetry: bool,
    /// Leave out a heuristic that looks for a pattern, to see what it is good for
    #[arg(long, value_name = "NAME", hide = true)]
    without: Vec<Recogniser>,
}

impl Engine {
    /// Options that cannot go together: what to say, if there are some.
    pub fn contradiction(&self) -> Option<&'static str> {
        let random = matches!(self.strategy, StrategyArg::Random);
        (random && self.max_switches.is_some()).then_some(
            "error: --strategy random does not count context switches: leave --max-switches out, or search with --strategy few-switches",
        )
    }
    /// Is a heuristic left out? A certificate is then about another thread program than `check` makes.
    pub fn lacks_some(&self) -> bool {
        !self.without.is_empty()
    }
    /// Which engine for Boolean programs; `None` if one was named that is not for them.
    pub fn boolean(&self) -> Option<boolean::Method> {
        self.method.boolean()
    }
    /// Was an engine named that is for Boolean programs only?
    pub fn is_boolean(&self) -> bool {
        self.method.is_boolean()
    }
    /// States that a search may keep.
    pub fn states(&self) -> Option<usize> {
        self.max_states
    }
    /// Which engines are asked for a verdict.
    pub fn method(&self) -> Method {
        self.method.engines()
    }
    /// Settings of the search of interleavings.
    pub fn search(&self) -> search::Settings {
        let default = search::Settings::default();
        search::Settings {
            strategy: match self.strategy {
                StrategyArg::BreadthFirst => Strategy::BreadthFirst,
                StrategyArg::DepthFirst => Strategy::DepthFirst,
                StrategyArg::FewSwitches => Strategy::FewSwitches,
                StrategyArg::Random => Strategy::Random,
            },
            max_switches: self.max_switches,
            max_states: self.max_states.unwrap_or(usize::MAX),
            reduction: !self.no_reduction,
            symmetry: !self.no_symmetry,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            seed: self.seed,
            ..default
        }
    }
    /// Comparisons to try, from options and the witness that is named.
    ///
    /// # Errors
    /// What is wrong with the witness.
    pub fn predicates(&self) -> Result<Vec<Predicate>, Diagnostic> {
        let given = self.predicate.iter().flat_map(|c| &c.0);
        let mut all: Vec<Predicate> =
            given.map(|text| Predicate { text: text.clone(), place: None }).collect();
        if let Some(path) = &self.hints {
            all.extend(hints::predicates(path)?);
        }
        Ok(all)
    }
    /// For the proof engine.
    pub fn settings(&self) -> aret::Settings {
        aret::Settings {
            bias: match self.bias {
                BiasArg::Modular => aret::Bias::Modular,
                BiasArg::None => aret::Bias::None,
            },
            method: self.method.rule(),
            recognisers: Recognisers::without(&self.without),
        }
    }
}
