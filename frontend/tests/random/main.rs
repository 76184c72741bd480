//! Random programs: what the front end makes of them is compared with gcc, and with plainer ways to the same.

mod explore;
mod normal;
mod orders;
mod sequential;
