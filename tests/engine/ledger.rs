//! What every sample promises, summed up.

use ptyscope::sample::{Calls, Sample};
use ptyscope::workload::Settings;

/// Sums over all samples of one engine without a restart.
#[derive(Default)]
pub struct Ledger {
    /// Bytes written and read, by the sample's order of flows.
    flows: Vec<(u64, u64)>,
}

impl Ledger {
    /// Checks what every sample promises, and adds it.
    pub fn enter(&mut self, sample: &Sample) {
        let settings = &sample.settings;
        assert!(sample.start_ns <= sample.end_ns);
        assert_eq!(sample.bytes_by_pair.len(), settings.pairs as usize);
        assert_eq!(
            sample.bytes_by_pair.iter().sum::<u64>(),
            sample.bytes_read()
        );
        self.flows.resize(sample.flows.len(), (0, 0));
        for (flow, sum) in sample.flows.iter().zip(&mut self.flows) {
            sum.0 += flow.writer.calls.bytes;
            sum.1 += flow.reader.calls.bytes;
            let totals = flow.totals;
            assert_eq!(
                (totals.written + totals.added) as i64,
                (totals.read + totals.dropped) as i64 + totals.in_flight,
                "{settings:?}"
            );
            // A write that has not returned may have been read already, each
            // NL of it as CR NL.
            let given = 2 * totals.under_way as i64;
            assert!(totals.in_flight + given >= 0, "{settings:?}: {totals:?}");
            check_calls(&flow.writer.calls, settings);
            check_calls(&flow.reader.calls, settings);
        }
    }
}

impl Ledger {
    /// Adds the last sample of a stopped engine, after which all must agree.
    pub fn close(&mut self, last: &Sample) {
        self.enter(last);
        let totals = last.flows.iter().map(|flow| flow.totals);
        let totals: Vec<_> = totals.map(|totals| (totals.written, totals.read)).collect();
        assert_eq!(self.flows, totals, "{:?}", last.settings);
    }
}

fn check_calls(calls: &Calls, settings: &Settings) {
    assert_eq!(calls.size.count(), calls.time.count(), "{settings:?}");
    assert_eq!(calls.count(), calls.size.count());
    assert_eq!(calls.errors, 0, "{settings:?}");
    let bounds = |of: fn(&ptyscope::sample::Bucket) -> u64| -> u64 {
        calls.size.buckets().map(|b| of(&b) * b.count).sum()
    };
    assert!(
        (bounds(|b| b.low)..=bounds(|b| b.high)).contains(&calls.bytes),
        "{settings:?}: the size histogram disagrees with {} bytes",
        calls.bytes
    );
}
