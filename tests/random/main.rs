//! Random programs: what engines say of them is compared with plain exploration, or with real runs.

mod arrays;
mod behind;
mod chosen;
mod ghosts;
mod inputs;
mod judged;
mod late;
mod ordered;
mod real;
mod replicated;
mod search;
mod sections;
mod symbolic;
mod threads;
mod transactions;
mod waits;
