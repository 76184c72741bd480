//! What may be wrong with programs and proofs before any obligation is looked at, in words.

use thiserror::Error;

/// A thread program that is not as its types promise.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProgramFlaw {
    /// More variables or templates than there are numbers for.
    #[error("too many variables")]
    TooMany,
    /// A local of a template that does not exist.
    #[error("`{0}` belongs to no template")]
    NoOwner(String),
    /// A template has one identity.
    #[error("`{0}` is a second identity")]
    SecondIdentity(String),
    /// A global that claims to be an identity: only locals are.
    #[error("`{0}` is a global identity")]
    GlobalIdentity(String),
    /// The start condition has a variable that the program has not.
    #[error("the start condition speaks of an unknown variable")]
    Start,
    /// In the template of this name.
    #[error("thread `{0}`: {1}")]
    Thread(String, ThreadFlaw),
    /// Deadlocks are errors of the program, and its steps do not show them.
    #[error("it says nothing of deadlocks, which are errors")]
    Deadlocks,
    /// It is not what its order makes of the threads that it is said to be made of.
    #[error("it does not make the runs of its threads in their order")]
    Order,
}

/// What is wrong with a template.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ThreadFlaw {
    /// The first location is none, or there are too many.
    #[error("its entry does not exist")]
    Entry,
    /// Its identity is another's, or does not promise to be one.
    #[error("its identity is no identity variable of its own")]
    Identity,
    /// An edge, by index.
    #[error("step {0} {1}")]
    Edge(usize, EdgeFlaw),
}

/// What is wrong with an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EdgeFlaw {
    /// From or to a location that does not exist.
    #[error("leads nowhere")]
    Nowhere,
    /// It reads another template's local, or an input that it does not have.
    #[error("reads a variable that is not its own")]
    Reads,
    /// It writes another template's local, an identity or an input.
    #[error("writes what it may not")]
    Writes,
    /// Updates are sorted by variable, one each.
    #[error("has unsorted updates")]
    Unsorted,
    /// The value need not be an integer.
    #[error("has a fraction in an update")]
    Fraction,
}

/// A proof that does not fit the program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProofFlaw {
    /// It claims to be modular.
    #[error("it is not modular")]
    NotModular,
    /// It does not claim to be modular.
    #[error("it is modular, but does not say so")]
    Modular,
    /// A monolithic proof has a global invariant only.
    #[error("a monolithic proof has no assertions of threads")]
    MonolithicThreads,
    /// A monolithic proof has a global invariant only.
    #[error("a monolithic proof has no tickets")]
    MonolithicTickets,
    /// A location for each template says where all threads are only if each has one thread at most.
    #[error("a monolithic proof can't speak of the threads `{0}`, of which there may be many")]
    MonolithicMany(String),
    /// The other rules have assertions by thread.
    #[error("only a monolithic proof has a global invariant")]
    Global,
    /// In a global invariant or an assertion.
    #[error("unknown location")]
    Location,
    /// In a global invariant.
    #[error("unknown variable")]
    Variable,
    /// Assertions of a template that does not exist.
    #[error("unknown thread")]
    NoThread,
    /// Two lists of assertions of one template.
    #[error("thread `{0}` appears twice")]
    Twice(String),
    /// Only rely-guarantee proofs have them.
    #[error("thread `{0}` has environment transitions, which this rule does not")]
    Environment(String),
    /// Assertions of a template.
    #[error("thread `{0}`: {1}")]
    Thread(String, AssertionFlaw),
    /// A template that may move has no assertions.
    #[error("thread `{0}` is missing")]
    Missing(String),
    /// Threads share counters of tickets.
    #[error("a counter of tickets is no global")]
    Counter,
    /// A holder of a template that does not exist.
    #[error("tickets of an unknown thread")]
    UnknownHolder,
    /// A template has two holders of one counter.
    #[error("thread `{0}` holds two tickets of a counter")]
    TwoTickets(String),
    /// A ticket in a variable that the holder does not have.
    #[error("a ticket is no local")]
    Ticket,
    /// At an unknown location, or at the entry.
    #[error("thread `{0}` can't hold a ticket where it says")]
    Holds(String),
}

/// What is wrong with the assertions of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AssertionFlaw {
    /// An invariant at a location that the template has not.
    #[error("unknown location")]
    Location,
    /// Invariants are sorted by location, one each.
    #[error("locations are not sorted")]
    Unsorted,
    /// A state's condition speaks of a variable of no, or of one of many threads.
    #[error("a state speaks of a variable it may not")]
    State,
    /// An environment transition of a template that does not exist.
    #[error("unknown actor")]
    Actor,
    /// An environment transition of a template that is this one thread, or has none.
    #[error("there is no other thread `{0}`")]
    NoOther(String),
    /// An environment transition's ends.
    #[error("an environment transition has unknown or unsorted locations")]
    Ends,
    /// Where the target of an environment transition is.
    #[error("an environment transition applies at unknown or unsorted locations")]
    At,
    /// What an environment transition writes.
    #[error("an environment transition writes what is no global, or its writes are not sorted")]
    Writes,
    /// A relation speaks of a variable of no, or of one of many threads.
    #[error("an environment transition speaks of a variable it may not")]
    Relation,
    /// Control is sorted by template.
    #[error("control is not sorted")]
    ControlOrder,
    /// Control of the thread itself, or of a template that has many threads or none.
    #[error("control of a thread that is not another single one")]
    ControlThread,
    /// Control at locations that do not exist, or are not sorted.
    #[error("control has unknown or unsorted locations")]
    ControlLocations,
}

/// A system of replicated threads that does not fit the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SystemFlaw {
    /// A shared predicate with a local in it.
    #[error("a shared predicate is not over globals")]
    Shared,
    /// A view of a template that does not exist.
    #[error("a view of an unknown thread")]
    ViewThread,
    /// A template has one view.
    #[error("two views of a thread")]
    TwoViews,
    /// A predicate with another template's local in it.
    #[error("a predicate speaks of a variable it may not")]
    Predicate,
    /// A predicate about another thread of a view that does not exist.
    #[error("a predicate about threads of no view")]
    NoOther,
    /// A template that may move or fail has no view.
    #[error("a thread has no view")]
    NoView,
    /// There is always the one at the start.
    #[error("no shared state")]
    NoSharedState,
    /// A shared state is a sorted list of predicates.
    #[error("a shared state is not sorted")]
    SharedState,
    /// There are fewer local states than views.
    #[error("a view has no first state")]
    NoFirst,
    /// A local state of a view that does not exist.
    #[error("a local state of no view")]
    LocalView,
    /// A local state at a location that does not exist.
    #[error("a local state nowhere")]
    LocalPlace,
    /// A local state is two sorted lists of predicates.
    #[error("a local state is not sorted")]
    LocalState,
    /// The first local states are those of the views' threads at their entries, in order.
    #[error("the first local states are not those at the start")]
    First,
    /// A step from or to states that do not exist.
    #[error("a step from or to nowhere")]
    StepEnds,
    /// A step by an edge that does not exist.
    #[error("a step without an edge")]
    StepEdge,
    /// A step from or to a location that its edge does not lead from or to.
    #[error("a step does not fit its edge")]
    StepPlace,
    /// Others that move are sorted by where they come from, one each.
    #[error("moves of others are not sorted")]
    MovesOrder,
    /// A move of another thread from or to a state that does not exist.
    #[error("another thread goes nowhere")]
    Move,
    /// Another thread stays where it is, only what is known of it changes.
    #[error("another thread changes its place")]
    MovePlace,
}

/// What is wrong with an extension.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ExtensionFlaw {
    /// The program before, or the extended one.
    #[error("{0}")]
    Program(#[from] ProgramFlaw),
    /// A ghost's start value depends on what it may not.
    #[error("the start of ghost `{0}` is not given by the program")]
    Start(String),
    /// A case of an edge that does not exist.
    #[error("a case of an unknown step")]
    Edge,
    /// A case writes a variable of the program, or a ghost that never changes.
    #[error("a case writes `{0}`, which it may not")]
    Writes(String),
    /// Only facts speak of what is hidden.
    #[error("a case reads `{0}`, which is hidden")]
    Hidden(String),
    /// A divisor is a number that is foretold, and positive.
    #[error("a divisor that is not foretold")]
    Divisor,
    /// A prophecy of a variable that may change after it was looked at, or that is no local of one thread.
    #[error("what ghost `{0}` foretells may change")]
    Prophecy(String),
    /// Code of several threads, or whose arguments it does not have.
    #[error("code that is not that of one thread")]
    Code,
    /// A fact of threads, locations or variables that it may not speak of.
    #[error("a fact speaks of what it may not")]
    Fact,
    /// A variable is replaced by what it is not said to equal.
    #[error("`{0}` is replaced by what no fact says")]
    Replaced(String),
}
