//! `ptyscope inspect` on real ptys, each brought into trouble by the test.

#[path = "../support/schema.rs"]
mod schema;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/wait.rs"]
mod wait;

mod holding;
mod looked;
mod names;
mod rights;
mod trouble;
mod undisturbed;
