use crate::link::xmodem::Check;
use crate::report::page::{Page, Table};
use crate::report::{BlockTime, Nanoseconds, TransferReport, XmodemReport};
use crate::words::counted;

use super::or_dash;

/// Blocks of the 2010 report's file.
const BLOCKS_2010: f64 = 4206.0;

impl XmodemReport {
    pub(super) fn show(&self, page: &mut Page) {
        let check = match self.check {
            Check::Crc => "CRC-16",
            Check::Checksum => "a checksum",
        };
        page.text(format!(
            "XMODEM: {} in blocks of {} with {check}, over {}",
            counted(self.size.0, "byte"),
            self.block.bytes(),
            self.place
        ));
        page.table(self.table());
        page.list(self.findings());
        page.text(match self.transfer.is_sound {
            Some(true) => "The file came as it was.",
            Some(false) => "THE FILE CAME CHANGED.",
            None => "THE FILE DID NOT COME.",
        });
    }

    fn table(&self) -> Table {
        let mut table = Table::new([
            "",
            "time",
            "blocks",
            "block p50",
            "p90",
            "p99",
            "max",
            "retries",
        ]);
        for (name, run) in self.runs() {
            table.row(cells(name, run));
        }
        let reported = ["2010, as it was", "2010, low_latency"];
        for (name, time) in reported.into_iter().zip(self.reported_2010) {
            let mean = Nanoseconds(time.0 / BLOCKS_2010);
            let dash = || "-".to_owned();
            table.row([
                name.to_owned(),
                time.to_string(),
                BLOCKS_2010.to_string(),
                format!("mean {mean}"),
                dash(),
                dash(),
                dash(),
                dash(),
            ]);
        }
        table
    }

    fn runs(&self) -> impl Iterator<Item = (&'static str, &TransferReport)> {
        [
            ("this transfer", Some(&self.transfer)),
            ("one pty, no relay", Some(&self.floor)),
            ("same line, no XMODEM", self.bare.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, run)| Some((name, run?)))
    }

    fn findings(&self) -> Vec<String> {
        let failed = self.runs().filter_map(|(name, run)| {
            let error = run.error.as_ref()?;
            Some(format!(
                "{name} FAILED after {}: {error}",
                counted(run.blocks, "block")
            ))
        });
        let mut findings: Vec<String> = failed.collect();
        if let Some(time) = self.transfer.time {
            let crossings = self.transfer.blocks.max(1) as f64 * f64::from(self.transfer.hops);
            findings.push(format!(
                "{} a block, {} each",
                counted(self.transfer.hops, "pty crossing"),
                Nanoseconds(time.0 / crossings.max(1.0))
            ));
        }
        if let Some(tick) = self.tick {
            findings.push(format!(
                "{}: without a relay {:.1} % of the blocks took a whole number of ticks (HZ={})",
                tick.verdict,
                tick.whole_ticks * 100.0,
                tick.hz
            ));
        }
        findings
    }
}

fn cells(name: &str, run: &TransferReport) -> [String; 8] {
    let of = |get: fn(&BlockTime) -> Nanoseconds| or_dash(run.block_time.as_ref().map(get));
    [
        name.to_owned(),
        or_dash(run.time),
        run.blocks.to_string(),
        of(|time| time.p50),
        of(|time| time.p90),
        of(|time| time.p99),
        of(|time| time.max),
        run.retries.to_string(),
    ]
}
