//! A null modem: two ptys whose clients talk to each other.

pub mod names;
