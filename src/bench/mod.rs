//! Runs the programs of a manifest and measures: for `relyant bench`, the tests, and the tables of the README.

pub mod family;
pub mod kept;
pub mod manifest;
pub mod recognisers;
pub mod results;
pub mod runner;
pub mod slurm;
pub mod spin;
pub mod table;
