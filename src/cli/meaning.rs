//! Options about what a program means and how it is proved.

use clap::{Args, ValueEnum};
use relyant::aret;
use relyant_frontend::options::{Atomicity, DataModel, Integers, Options, Signed};

#[derive(Clone, Copy, ValueEnum)]
enum AtomicityArg {
    Access,
    Statement,
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
}

/// What the program means.
#[derive(Args)]
#[command(next_help_heading = "Meaning of the program")]
pub struct Meaning {
    /// A step is one access to a shared object, or a whole C statement
    #[arg(long, value_enum, default_value = "access", value_name = "STEP")]
    atomicity: AtomicityArg,
    /// Machine integers wrap and are bounded as in C; ideal ones are mathematical
    #[arg(long, value_enum, default_value = "machine", value_name = "KIND")]
    integers: IntegersArg,
    /// Signed overflow is assumed not to happen, wraps, or is an error
    #[arg(long, value_enum, default_value = "assume", value_name = "WHAT")]
    signed: SignedArg,
    /// `long` and pointers have 32 bits
    #[arg(long)]
    ilp32: bool,
    /// Functions that all start at once, instead of main
    #[arg(long, value_delimiter = ':', value_name = "F:G")]
    threads: Vec<String>,
    /// No two threads may be at statements with this label
    #[arg(long, value_name = "LABEL")]
    exclusive: Option<String>,
    /// What must not happen besides failing assertions
    #[arg(long, value_enum, default_value = "assertions", value_name = "WHAT")]
    property: PropertyArg,
    /// With this many threads alive, creating one more has no effect
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    max_threads: Option<u32>,
    /// Define a macro for the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Look for headers here
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
}

impl Meaning {
    /// For the front end.
    pub fn options(&self) -> Options {
        let mut cpp_args: Vec<String> = self.define.iter().map(|d| format!("-D{d}")).collect();
        cpp_args.extend(self.include.iter().map(|i| format!("-I{i}")));
        Options {
            atomicity: match self.atomicity {
                AtomicityArg::Access => Atomicity::Access,
                AtomicityArg::Statement => Atomicity::Statement,
            },
            integers: match self.integers {
                IntegersArg::Machine => Integers::Machine,
                IntegersArg::Ideal => Integers::Ideal,
            },
            signed: match self.signed {
                SignedArg::Assume => Signed::Assume,
                SignedArg::Wrap => Signed::Wrap,
                SignedArg::Check => Signed::Check,
            },
            data_model: if self.ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 },
            threads: self.threads.clone(),
            exclusive: self.exclusive.clone(),
            deadlock: self.property == PropertyArg::Deadlock,
            max_threads: self.max_threads,
            cpp_args,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum BiasArg {
    Modular,
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    RelyGuarantee,
    OwickiGries,
    Monolithic,
    Symbolic,
}

/// How it is proved.
#[derive(Args)]
#[command(next_help_heading = "Proof")]
pub struct Engine {
    /// Look for modular proofs first, or for any
    #[arg(long, value_enum, default_value = "modular", value_name = "WHICH")]
    bias: BiasArg,
    /// Proof rule
    #[arg(long, value_enum, default_value = "rely-guarantee", value_name = "RULE")]
    method: MethodArg,
}

impl Engine {
    /// For the engine.
    pub fn settings(&self) -> aret::Settings {
        aret::Settings {
            bias: match self.bias {
                BiasArg::Modular => aret::Bias::Modular,
                BiasArg::None => aret::Bias::None,
            },
            method: match self.method {
                MethodArg::RelyGuarantee => aret::Method::RelyGuarantee,
                MethodArg::OwickiGries => aret::Method::OwickiGries,
                MethodArg::Monolithic => aret::Method::Monolithic,
                MethodArg::Symbolic => aret::Method::Symbolic,
            },
        }
    }
}
