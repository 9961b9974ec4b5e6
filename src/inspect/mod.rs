//! What is the matter with a pty that is somebody else's: who holds its ends,
//! who waits in which call, what waits to be read, and what follows.
//!
//! All of it comes from /proc, and from questions to copies of the holders'
//! descriptors (see `copy`); nothing is read, written or set. What cannot be
//! seen is said and not guessed.

mod ask;
mod asleep;
mod calls;
mod copy;
mod ends;
mod facts;
mod finding;
mod judge;
mod look;
mod machine;
mod target;
mod termios;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use facts::{
    Answer, Call, Flags, Held, Holder, Inspection, Limits, MasterState, Named, PtyFacts, Session,
    SlaveState, Unseen, Way,
};
pub use finding::{Finding, Kind};
pub use target::Error;

use crate::host::PtyFacts as HostPtys;
use machine::Machine;
use target::Target;

/// Between two looks: whoever has not moved in it is called blocked.
pub const BETWEEN: Duration = Duration::from_millis(200);

/// Which ptys to look at.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// By name: `/dev/pts/7`, `7`, `pts/7`, or a link to one.
    pub names: Vec<PathBuf>,
    /// All that these processes have open.
    pub pids: Vec<u32>,
}

/// Looks at the ptys that are wanted, or at all if none is named; the names
/// that mean none are given back beside. It takes [`BETWEEN`] longer where
/// something is blocked.
///
/// # Errors
/// Without /proc, and where all are wanted and there is no devpts.
pub fn inspect(wanted: &Wanted) -> Result<(Inspection, Vec<Error>), Error> {
    let machine = Machine::look()?;
    let is_survey = wanted.names.is_empty() && wanted.pids.is_empty();
    let (targets, refused) = if is_survey {
        (target::all(&machine)?, Vec::new())
    } else {
        targets(wanted, &machine)
    };
    let (ptys, unseen) = look::settle(machine, &targets)?;
    let host = HostPtys::collect();
    let inspection = Inspection {
        is_survey,
        limits: Limits {
            nr: host.nr,
            max: host.max,
            reserve: host.reserve,
        },
        unseen,
        ptys,
    };
    Ok((inspection, refused))
}

fn targets(wanted: &Wanted, machine: &Machine) -> (Vec<Target>, Vec<Error>) {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    let names = wanted.names.iter().map(|name| {
        let target = target::named(Path::new(name), machine);
        target.map(|target| vec![target])
    });
    let pids = wanted
        .pids
        .iter()
        .map(|&pid| target::of_process(pid, machine));
    for result in names.chain(pids) {
        match result {
            Ok(targets) => found.extend(targets),
            Err(error) => refused.push(error),
        }
    }
    found.sort();
    found.dedup_by_key(|target| target.key);
    (found, refused)
}
