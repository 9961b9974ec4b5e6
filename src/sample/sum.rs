use super::{Calls, FlowEnd, Histogram, LinkSample, Sample, ThreadUse};

/// Many samples taken together: what a report or an epoch's summary says.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    /// Samples added.
    pub samples: u64,
    /// Their length together.
    pub seconds: f64,
    /// By the writing end of each flow.
    pub flows: Vec<FlowSum>,
    /// Times of whole round trips.
    pub round_trips: Option<Histogram>,
    /// CPU time of the kernel's unbound workers; None once one sample lacks it.
    pub kworker_ns: Option<u64>,
    /// CPU time of this program beside the workload.
    pub own_ns: u64,
    /// CPU time taken by the hypervisor; None once one sample lacks it.
    pub steal_ns: Option<u64>,
    /// kmalloc calls by the writers; None once one sample lacks it.
    pub kmallocs: Option<u64>,
    /// What a null modem saw, where the source is one.
    pub link: Option<LinkSample>,
}

/// One direction of a [`Sum`].
#[derive(Debug, Clone)]
pub struct FlowSum {
    /// The end that writes.
    pub from: FlowEnd,
    /// The writing calls.
    pub writes: Calls,
    /// The reading calls.
    pub reads: Calls,
    /// The writing end's thread.
    pub writer: Option<ThreadUse>,
    /// The reading end's thread.
    pub reader: Option<ThreadUse>,
}

impl Sum {
    /// Adds a sample.
    pub fn add(&mut self, sample: &Sample) {
        let first = self.samples == 0;
        let both = |sum: Option<u64>, next: Option<u64>| {
            if first { next } else { Some(sum? + next?) }
        };
        self.kworker_ns = both(self.kworker_ns, sample.host.kworker_ns);
        self.steal_ns = both(self.steal_ns, sample.host.steal_ns);
        self.kmallocs = both(self.kmallocs, sample.host.kmallocs);
        self.own_ns += sample.host.own_ns;
        self.samples += 1;
        self.seconds += sample.seconds();
        if let Some(trips) = &sample.round_trips {
            match &mut self.round_trips {
                Some(sum) => sum.add(trips),
                none => *none = Some(trips.clone()),
            }
        }
        if let Some(later) = &sample.link {
            match &mut self.link {
                Some(sum) => sum.add(later),
                none => *none = Some(later.clone()),
            }
        }
        for flow in &sample.flows {
            let sum = self.flow_mut(flow.from);
            sum.writes.add(&flow.writer.calls);
            sum.reads.add(&flow.reader.calls);
            add_use(&mut sum.writer, flow.writer.thread);
            add_use(&mut sum.reader, flow.reader.thread);
        }
    }

    /// The flow from one end, if any sample had it.
    pub fn flow(&self, from: impl Into<FlowEnd>) -> Option<&FlowSum> {
        let from = from.into();
        self.flows.iter().find(|flow| flow.from == from)
    }

    /// The calls of all flows together: writes, and reads.
    pub fn all_calls(&self) -> (Calls, Calls) {
        let (mut writes, mut reads) = (Calls::default(), Calls::default());
        for flow in &self.flows {
            writes.add(&flow.writes);
            reads.add(&flow.reads);
        }
        (writes, reads)
    }

    /// Bytes read, over all flows.
    pub fn bytes_read(&self) -> u64 {
        self.flows.iter().map(|flow| flow.reads.bytes).sum()
    }

    /// Bytes read per second; 0 for no time.
    pub fn throughput(&self) -> f64 {
        if self.seconds > 0.0 {
            self.bytes_read() as f64 / self.seconds
        } else {
            0.0
        }
    }

    fn flow_mut(&mut self, from: FlowEnd) -> &mut FlowSum {
        let at = self
            .flows
            .iter()
            .position(|flow| flow.from == from)
            .unwrap_or_else(|| {
                self.flows.push(FlowSum {
                    from,
                    writes: Calls::default(),
                    reads: Calls::default(),
                    writer: None,
                    reader: None,
                });
                self.flows.len() - 1
            });
        &mut self.flows[at]
    }
}

fn add_use(sum: &mut Option<ThreadUse>, next: Option<ThreadUse>) {
    if let Some(next) = next {
        sum.get_or_insert_default().add(&next);
    }
}
