//! The checks, a file for each group.

mod canon;
mod capacity;
mod close;
mod env;
mod flood;
mod flow;
mod lim;
mod name;
mod open;
mod out;
mod pkt;
mod poll;
mod raw;
mod ses;
mod sig;
mod stress;
mod time;
mod tio;

use super::{Check, Group};

const GROUPS: &[&[Check]] = &[
    open::CHECKS,
    name::CHECKS,
    env::CHECKS,
    raw::CHECKS,
    canon::CHECKS,
    out::CHECKS,
    tio::CHECKS,
    sig::CHECKS,
    ses::CHECKS,
    pkt::CHECKS,
    flow::CHECKS,
    close::CHECKS,
    poll::CHECKS,
    lim::CHECKS,
    time::CHECKS,
    stress::CHECKS,
];

/// All checks, group by group.
pub fn all() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().copied().flatten()
}

/// The check of that id.
pub fn find(id: &str) -> Option<&'static Check> {
    all().find(|check| check.id == id)
}

/// A description that a group's checks complete.
const fn of(group: Group) -> Check {
    Check {
        group,
        ..Check::TEMPLATE
    }
}
