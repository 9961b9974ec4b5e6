//! What the machine spends on the workload beside the workers' own time.

use crate::host::{KmallocCounter, Kworkers, stolen};
use crate::sample::HostUse;

use super::rig::Rig;

/// Counters of the machine, read once an interval.
pub struct Meters {
    kworkers: Option<Kworkers>,
    kworker_ns: u64,
    stolen_ns: Option<u64>,
    /// One for each writer; None where they cannot be had.
    kmallocs: Option<Vec<KmallocCounter>>,
    kmalloc_count: u64,
}

impl Meters {
    /// Begins to count. Writers are added by [`Meters::follow`].
    pub fn new() -> Self {
        Self {
            kworkers: Kworkers::watch(),
            kworker_ns: 0,
            stolen_ns: stolen_ns(),
            kmallocs: None,
            kmalloc_count: 0,
        }
    }

    /// Counts the kmalloc calls of this rig's writers from now on.
    pub fn follow(&mut self, rig: &Rig) {
        let writers = rig.crew().members().iter();
        let counters = writers
            .filter(|member| member.assignment.role.starts_traffic())
            .map(|member| KmallocCounter::open(member.thread_id()));
        self.kmallocs = counters.collect::<Result<_, _>>().ok();
        self.kmalloc_count = 0;
    }

    /// What was spent since the last call. `own_ns` is passed through.
    pub fn read(&mut self, own_ns: u64) -> HostUse {
        let kworker_ns = self.kworkers.as_mut().map(|k| k.sample().ns);
        let stolen = stolen_ns();
        let kmallocs = self.kmallocs.as_mut().and_then(|counters| {
            let counts = counters.iter_mut().map(|counter| counter.read().ok());
            counts.sum::<Option<u64>>()
        });
        let since = |now: Option<u64>, before: u64| now.map(|now| now.saturating_sub(before));
        let host = HostUse {
            kworker_ns: since(kworker_ns, self.kworker_ns),
            own_ns,
            steal_ns: since(stolen, self.stolen_ns.unwrap_or(0)),
            kmallocs: since(kmallocs, self.kmalloc_count),
        };
        self.kworker_ns = kworker_ns.unwrap_or(0);
        self.stolen_ns = stolen;
        self.kmalloc_count = kmallocs.unwrap_or(0);
        host
    }
}

fn stolen_ns() -> Option<u64> {
    stolen().map(|time| time.as_nanos() as u64)
}
