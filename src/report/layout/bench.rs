use crate::report::page::{Page, Table};
use crate::report::{
    Bench, BlockedCall, Bytes, EndReport, FlowReport, Measurement, Nanoseconds, Yardstick,
};
use crate::sample::{FlowEnd, Verdict};
use crate::words::counted;
use crate::workload::units;

use super::{at_least, or_dash, quantile_cells, settings};

impl Bench {
    pub(super) fn show(&self, page: &mut Page) {
        page.literal(format!(
            "chunk = {}. loop = {}.\n{}",
            self.settings.chunk,
            self.loops,
            like_time(self.real, self.user, self.sys)
        ));
        let mut what = settings(&self.settings);
        if self.prefilled.0 > 0 {
            what.push_str(&format!(
                ", filled with {} before",
                counted(self.prefilled.0, "byte")
            ));
        }
        page.text(what);
        page.text(throughput(&self.pty));
        page.table(calls(&self.pty.flows));
        page.table(cpu(&self.pty.flows));
        page.list(notes(&self.pty));
        page.table(self.yardsticks());
    }
}

impl Bench {
    fn yardsticks(&self) -> Table {
        let mut table = Table::new(["the same through", "throughput", "of the pty's", "bytes"]);
        for Yardstick { channel, run } in &self.yardsticks {
            let times = run.throughput.0 / self.pty.throughput.0;
            table.row([
                format!("{channel} (run after it, so drift is in it)"),
                run.throughput.to_string(),
                or_dash(times.is_finite().then(|| format!("x {times:.2}"))),
                match run.verdict {
                    Verdict::Damaged => format!("WRONG: {}", run.integrity),
                    Verdict::Sound => "all right".to_owned(),
                    Verdict::Counted => "counted".to_owned(),
                },
            ]);
        }
        table
    }
}

/// The three lines of bash's `time`.
fn like_time(real: Nanoseconds, user: Nanoseconds, sys: Nanoseconds) -> String {
    let line = |name: &str, time: Nanoseconds| {
        let seconds = time.as_seconds();
        let minutes = (seconds / 60.0).floor();
        format!("{name}\t{minutes:.0}m{:.3}s", seconds - 60.0 * minutes)
    };
    [line("real", real), line("user", user), line("sys", sys)].join("\n")
}

fn throughput(run: &Measurement) -> String {
    let mut text = format!(
        "throughput {}: {} in {}",
        run.throughput, run.bytes, run.time
    );
    if let Some(typical) = run.typical {
        text.push_str(&format!(
            "; median of {} {}, 95 % interval {} to {}",
            counted(typical.n, "interval"),
            typical.median,
            typical.low,
            typical.high
        ));
    }
    let read = run.flows.iter().map(|flow| flow.reader.bytes.0);
    let before = read
        .fold(0, u64::saturating_add)
        .saturating_sub(run.bytes.0);
    if before > 0 {
        let before = Bytes(before);
        text.push_str(&format!(
            "; {before} that the pty was filled with before not counted"
        ));
    }
    if let [first, .., last] = sorted(&run.bytes_by_pair).as_slice() {
        let rate = |bytes: &Bytes| or_dash(bytes.over(run.time));
        text.push_str(&format!(
            "; of {} ptys the slowest reads {}, the fastest {}",
            run.bytes_by_pair.len(),
            rate(first),
            rate(last)
        ));
    }
    text
}

fn sorted(bytes: &[Bytes]) -> Vec<Bytes> {
    let mut bytes = bytes.to_vec();
    bytes.sort_unstable();
    bytes
}

fn calls(flows: &[FlowReport]) -> Table {
    let mut table = Table::new([
        "", "calls", "bytes", "per call", "short", "p50", "p90", "p99", "p99.9", "max",
    ]);
    for (name, end) in ends(flows) {
        let per_call = end.bytes_per_call().map(|bytes| format!("{bytes:.1} B"));
        let [p50, p90, p99, p999, max] = quantile_cells(end.call_time);
        let max = match (end.call_time, end.blocked) {
            (None, Some(blocked)) => at_least(blocked.time),
            _ => max,
        };
        table.row([
            name,
            units::count(end.calls as f64),
            end.bytes.to_string(),
            or_dash(per_call),
            units::count(end.short as f64),
            p50,
            p90,
            p99,
            p999,
            max,
        ]);
    }
    table
}

fn cpu(flows: &[FlowReport]) -> Table {
    let mut table = Table::new([
        "",
        "CPU/call",
        "CPU/byte",
        "user",
        "system",
        "waiting",
        "switches",
        "preempted",
    ]);
    for (name, end) in ends(flows) {
        let Some(thread) = end.thread else { continue };
        let cpu = thread.cpu();
        table.row([
            name,
            or_dash(cpu.per(end.calls)),
            or_dash(cpu.per(end.bytes.0)),
            thread.user.to_string(),
            thread.system.to_string(),
            thread.waiting.to_string(),
            units::count(thread.switches.voluntary as f64),
            units::count(thread.switches.involuntary as f64),
        ]);
    }
    table
}

fn ends(flows: &[FlowReport]) -> impl Iterator<Item = (String, &EndReport)> {
    flows.iter().flat_map(|flow| {
        let name = |call: &str, end: FlowEnd| format!("{call} ({end})");
        [
            (name("write", flow.from), &flow.writer),
            (name("read", flow.from.peer()), &flow.reader),
        ]
    })
}

fn notes(run: &Measurement) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(trips) = run.round_trips {
        let [p50, p90, p99, p999, max] = quantile_cells(Some(trips));
        notes.push(format!(
            "round trip: p50 {p50}, p90 {p90}, p99 {p99}, p99.9 {p999}, max {max}"
        ));
    }
    let ptys = run.bytes_by_pair.len();
    notes.extend(run.flows.iter().flat_map(|flow| blocked(flow, ptys)));
    notes.extend(run.flows.iter().filter_map(read_sizes));
    if let Some(kworkers) = run.kworker_cpu {
        notes.push(format!(
            "kernel workers, which carry the bytes across: {kworkers} of CPU, {} a byte (other work of theirs included)",
            or_dash(kworkers.per(run.bytes.0))
        ));
    }
    let writes = run.flows.iter().map(|flow| flow.writer.calls);
    let writes = writes.fold(0, u64::saturating_add);
    if let Some(kmallocs) = run.kmallocs.filter(|_| writes > 0) {
        notes.push(format!(
            "kmalloc calls a write: {:.2}",
            kmallocs as f64 / writes as f64
        ));
    }
    notes.push(bytes(run));
    notes.push(format!(
        "ptyscope itself: {} of CPU beside the workload",
        run.own_cpu
    ));
    notes
}

/// Who was in a call when the time was over.
fn blocked(flow: &FlowReport, ptys: usize) -> Vec<String> {
    let longest = match ptys {
        0 | 1 => String::new(),
        ptys => format!(" (the longest of {ptys} ptys)"),
    };
    let sides = [
        ("writer", flow.from, &flow.writer),
        ("reader", flow.from.peer(), &flow.reader),
    ];
    let words = sides.into_iter().filter_map(|(who, end, side)| {
        let BlockedCall { call, time } = side.blocked?;
        Some(format!(
            "at the end the {who} ({end}) was blocked in {call}(2) for {time}{longest}: not returned, and not in the percentiles"
        ))
    });
    words.collect()
}

/// The commonest sizes that a read brought.
fn read_sizes(flow: &FlowReport) -> Option<String> {
    const SHOWN: usize = 4;
    let all = flow.reader.calls;
    let mut sizes = flow.reader.sizes.clone();
    sizes.sort_by_key(|&(low, _, count)| (std::cmp::Reverse(count), low));
    let size = |&(low, high, count): &(u64, u64, u64)| {
        let range = if low == high {
            low.to_string()
        } else {
            format!("{low}-{high}")
        };
        format!("{range} ({:.1} %)", 100.0 * count as f64 / all as f64)
    };
    let shown: Vec<String> = sizes.iter().take(SHOWN).map(size).collect();
    let more = match sizes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} other sizes"),
    };
    (all > 0).then(|| {
        format!(
            "bytes a read at the {}: {}{more}",
            flow.from.peer(),
            shown.join(", ")
        )
    })
}

fn bytes(run: &Measurement) -> String {
    let sum = |of: fn(&FlowReport) -> u64| run.flows.iter().map(of).fold(0, u64::saturating_add);
    let (written, read) = (sum(|f| f.totals.written), sum(|f| f.totals.read));
    let (added, dropped) = (sum(|f| f.totals.added), sum(|f| f.totals.dropped));
    let mut text = match run.verdict {
        Verdict::Sound => format!(
            "{} compared, every one right",
            counted(run.integrity.verified, "byte")
        ),
        Verdict::Damaged => format!("BYTES CAME WRONG: {}", run.integrity),
        Verdict::Counted => "bytes only counted, and the counts agree".to_owned(),
    };
    text.push_str(&format!("; {written} written, {read} read"));
    if added > 0 {
        text.push_str(&format!(", {added} CR added by OPOST"));
    }
    if dropped > 0 {
        text.push_str(&format!(
            ", {dropped} dropped past character 4095 of a canonical line"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_by_the_shell() {
        let text = like_time(
            Nanoseconds(22.398e9),
            Nanoseconds(604e6),
            Nanoseconds(79.5e9),
        );
        assert_eq!(text, "real\t0m22.398s\nuser\t0m0.604s\nsys\t1m19.500s");
    }
}
