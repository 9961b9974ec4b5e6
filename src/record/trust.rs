//! What samples must be like to be worked with: others come from no run of this
//! program.

use crate::link::MAX_LINKS;
use crate::sample::{
    Calls, Closing, Ending, FaultCounts, Flow, Histogram, Integrity, LinkSample, LinkView, Sample,
    Side, Totals, WayView,
};
use crate::words::counted;
use crate::workload::MAX_PAIRS;

/// All numbers of a recording together stay below this, so that no sum over any
/// of them overflows.
const LARGEST_SUM: u128 = 1 << 62;
/// Largest of the numbers that are not summed over samples. As nanoseconds since
/// the source started it is 18 years.
pub const LARGEST: u64 = 1 << 59;

/// Looks at one sample after another.
#[derive(Debug, Default)]
pub struct Trust {
    /// All that is ever summed up, of all samples.
    sum: u128,
    /// When the last one ended.
    end_ns: u64,
}

impl Trust {
    /// Whether the next sample can be one.
    ///
    /// # Errors
    /// Says what cannot be.
    pub fn look(&mut self, sample: &Sample) -> Result<(), String> {
        if sample.start_ns < self.end_ns || sample.end_ns < sample.start_ns {
            return Err(format!(
                "a sample from {} to {} ns follows one that ended at {} ns",
                sample.start_ns, sample.end_ns, self.end_ns
            ));
        }
        if sample.end_ns > LARGEST {
            return Err(format!(
                "a sample at {} ns: no run is as long",
                sample.end_ns
            ));
        }
        self.end_ns = sample.end_ns;
        sample.settings.check().map_err(|why| why.to_string())?;
        let most = MAX_PAIRS as usize;
        if sample.flows.len() > 2 || sample.bytes_by_pair.len() > most {
            return Err(format!(
                "{}, {}: there are at most 2 and {most}",
                counted(sample.flows.len(), "direction"),
                counted(sample.bytes_by_pair.len(), "pty")
            ));
        }
        if let Some(link) = &sample.link {
            link.line.check().map_err(|why| why.to_string())?;
            if link.links.len() > MAX_LINKS as usize {
                return Err(format!("{} links", link.links.len()));
            }
        }
        self.sum += weight(sample);
        if self.sum >= LARGEST_SUM {
            return Err("numbers larger than any run can make".to_owned());
        }
        Ok(())
    }
}

/// Whether a run can have ended so.
///
/// # Errors
/// Says that it cannot.
pub fn look_at_end(ending: &Ending) -> Result<(), String> {
    let closing = ending.closing.iter();
    let totals = closing.clone().flat_map(|closing| &closing.flows);
    let numbers = |closing: &Closing| standing(&[closing.echoed_bytes, closing.ahead]);
    let weight = totals.map(|(_, totals)| sums(totals)).sum::<u128>()
        + closing.map(numbers).sum::<u128>()
        + integrity(&ending.integrity);
    if weight > 0 {
        return Err("an end with numbers larger than any run can make".to_owned());
    }
    Ok(())
}

fn sum(numbers: impl IntoIterator<Item = u64>) -> u128 {
    numbers.into_iter().map(u128::from).sum()
}

/// Numbers that stand for a moment and are never summed over samples: nothing,
/// unless they are larger than any can be.
fn standing(numbers: &[u64]) -> u128 {
    let is_possible = numbers.iter().all(|&number| number < LARGEST);
    if is_possible { 0 } else { LARGEST_SUM }
}

fn weight(sample: &Sample) -> u128 {
    let host = &sample.host;
    let options = [host.kworker_ns, host.steal_ns, host.kmallocs];
    sample.flows.iter().map(flow).sum::<u128>()
        + sample.round_trips.as_ref().map_or(0, histogram)
        + sum(sample.bytes_by_pair.iter().copied())
        + sum([sample.echoed_bytes, host.own_ns])
        + integrity(&sample.integrity)
        + sum(options.into_iter().flatten())
        + sample.link.as_ref().map_or(0, link)
}

fn flow(flow: &Flow) -> u128 {
    let queued = standing(&[flow.queued_input.unwrap_or(0)]);
    side(&flow.writer) + side(&flow.reader) + sums(&flow.totals) + queued
}

fn sums(totals: &Totals) -> u128 {
    standing(&[
        totals.written,
        totals.read,
        totals.added,
        totals.dropped,
        totals.in_flight.unsigned_abs(),
        totals.under_way,
    ])
}

fn integrity(found: &Integrity) -> u128 {
    standing(&[found.verified, found.lost, found.doubled, found.changed])
}

fn side(side: &Side) -> u128 {
    let used = side.thread.unwrap_or_default();
    let threads = [
        used.cpu.user_ns,
        used.cpu.system_ns,
        used.switches.voluntary,
        used.switches.involuntary,
    ];
    let blocked = side.blocked.map_or(0, |blocked| blocked.for_ns);
    calls(&side.calls) + sum(threads) + standing(&[blocked])
}

fn calls(calls: &Calls) -> u128 {
    sum([calls.bytes, calls.short, calls.errors]) + histogram(&calls.time) + histogram(&calls.size)
}

fn histogram(histogram: &Histogram) -> u128 {
    sum([histogram.count()])
}

fn link(sample: &LinkSample) -> u128 {
    sample.links.iter().map(view).sum()
}

fn view(view: &LinkView) -> u128 {
    let events = view.ends.iter().flat_map(|end| end.events.iter());
    let stalls = view.stalled.by_cause().iter();
    view.ways.iter().map(way).sum::<u128>()
        + sum(events.map(|(_, count)| count))
        + sum(stalls.flat_map(|of| [of.count, of.for_ns]))
        + view
            .log
            .iter()
            .map(|event| standing(&[event.at_ns, event.unanswered, event.discarded.unwrap_or(0)]))
            .sum::<u128>()
        + view
            .stalls
            .iter()
            .map(|stall| standing(&[stall.start_ns, stall.for_ns]))
            .sum::<u128>()
        + standing(&[view.silence.map_or(0, |silence| silence.for_ns)])
}

fn way(way: &WayView) -> u128 {
    let FaultCounts {
        dropped,
        flipped,
        duplicated,
        unattached,
    } = way.faults;
    let histograms = [&way.in_relay, &way.turnaround].into_iter().flatten();
    let queues = [way.queued, way.most_queued, way.blocked_ns.unwrap_or(0)];
    sum([way.passed, dropped, flipped, duplicated, unattached])
        + standing(&queues)
        + histograms.map(histogram).sum::<u128>()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ending, sample};
    use super::*;

    #[test]
    fn a_run_is_believed_and_nonsense_is_not() {
        let good = sample(3);
        assert_eq!(Trust::default().look(&good), Ok(()));
        type Spoil = fn(&mut Sample);
        let spoil: [(Spoil, &str); 6] = [
            (|s| s.end_ns = s.start_ns - 1, "follows"),
            (|s| s.end_ns = u64::MAX, "as long"),
            (|s| s.flows[0].reader.calls.bytes = u64::MAX, "larger"),
            (|s| s.flows[0].totals.in_flight = i64::MIN, "larger"),
            (|s| s.bytes_by_pair = vec![1; 65], "at most"),
            (|s| s.flows = vec![s.flows[0].clone(); 3], "at most"),
        ];
        for (spoil, word) in spoil {
            let mut trust = Trust::default();
            let mut bad = good.clone();
            spoil(&mut bad);
            let said = trust.look(&bad).unwrap_err();
            assert!(said.contains(word), "{said}");
        }
        let mut trust = Trust::default();
        trust.look(&good).unwrap();
        assert!(trust.look(&good).unwrap_err().contains("follows"));
    }

    #[test]
    fn an_end_is_believed_and_nonsense_is_not() {
        let good = Ending {
            closing: Some(Closing::of(&sample(3))),
            ..ending()
        };
        assert_eq!(look_at_end(&good), Ok(()));
        type Spoil = fn(&mut Ending);
        let spoil: [Spoil; 3] = [
            |end| end.integrity.lost = u64::MAX,
            |end| end.closing.as_mut().unwrap().echoed_bytes = u64::MAX,
            |end| end.closing.as_mut().unwrap().flows[0].1.in_flight = i64::MIN,
        ];
        for spoil in spoil {
            let mut bad = good.clone();
            spoil(&mut bad);
            assert!(look_at_end(&bad).unwrap_err().contains("larger"), "{bad:?}");
        }
    }
}
