//! Round trips, and what becomes of files that are damaged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::analysis::SplitMix64;
use crate::host::{ClockSource, HostFacts};
use crate::report::{Program, Timestamp};
use crate::sample::{
    Blocked, Call, Calls, Closing, Cpu, Ending, Flow, FlowEnd, Histogram, HostUse, Integrity, Kind,
    LinkSample, LinkView, Notice, Request, Sample, Side, Switches, ThreadUse, Totals, Verdict,
};
use crate::workload::{Line, Settings};

use super::*;

fn option(rng: &mut SplitMix64, most: u64) -> Option<u64> {
    (rng.below(3) > 0).then(|| rng.below(most))
}

fn histogram(rng: &mut SplitMix64, kind: Kind, most: u64) -> Histogram {
    let mut histogram = Histogram::empty(kind);
    let wide = rng.below(20) + 1;
    for _ in 0..rng.below(most) {
        let bits = rng.below(wide);
        histogram.record(rng.below(1 << bits));
    }
    histogram
}

fn side(rng: &mut SplitMix64, most: u64) -> Side {
    let used = |rng: &mut SplitMix64| ThreadUse {
        cpu: Cpu {
            user_ns: rng.below(1 << 27),
            system_ns: rng.below(1 << 27),
        },
        switches: Switches {
            voluntary: rng.below(9_000),
            involuntary: rng.below(90),
        },
    };
    Side {
        calls: Calls {
            bytes: rng.below(1 << 30),
            short: rng.below(9),
            errors: rng.below(3),
            time: histogram(rng, Kind::Time, most),
            size: histogram(rng, Kind::Size, most),
        },
        thread: (rng.below(4) > 0).then(|| used(rng)),
        blocked: option(rng, 1 << 40).map(|for_ns| Blocked {
            call: [Call::Write, Call::Read][rng.below(2) as usize],
            for_ns,
        }),
    }
}

/// A sample at a tenth of a second by its number, with anything in it.
pub fn sample(number: u64) -> Sample {
    let rng = &mut SplitMix64::new(number);
    // Of every other sample nothing is too much to be kept as it is.
    let most = if number.is_multiple_of(2) { 20 } else { 400 };
    let flow = |from: FlowEnd, rng: &mut SplitMix64| Flow {
        from,
        writer: side(rng, most),
        reader: side(rng, most),
        totals: Totals {
            written: rng.below(1 << 50),
            read: rng.below(1 << 50),
            added: rng.below(1 << 20),
            dropped: rng.below(1 << 20),
            in_flight: rng.below(20_000) as i64 - 256,
            under_way: rng.below(1 << 20),
        },
        queued_input: option(rng, 4096),
    };
    let flows = [FlowEnd::Slave, FlowEnd::Master];
    let flows = flows[..1 + rng.below(2) as usize].iter();
    Sample {
        start_ns: number * 100_000_000 + rng.below(1_000),
        end_ns: (number + 1) * 100_000_000 - rng.below(1_000),
        epoch: (number / 7) as u32,
        settled: rng.below(5) > 0,
        paused: false,
        settings: Arc::new(Settings::default()),
        flows: flows.map(|&from| flow(from, rng)).collect(),
        round_trips: number
            .is_multiple_of(5)
            .then(|| histogram(rng, Kind::Time, most)),
        bytes_by_pair: (0..1 + rng.below(3)).map(|_| rng.below(1 << 30)).collect(),
        echoed_bytes: rng.below(4),
        integrity: Integrity {
            verified: rng.below(1 << 50),
            ..Integrity::default()
        },
        host: HostUse {
            kworker_ns: option(rng, 1 << 27),
            own_ns: rng.below(1 << 20),
            steal_ns: option(rng, 1 << 20),
            kmallocs: option(rng, 1 << 20),
        },
        link: None,
    }
}

fn link_sample(number: u64) -> Sample {
    let mut sample = sample(number);
    sample.link = Some(LinkSample {
        line: Arc::new(Line::default()),
        links: vec![LinkView::default(); 2],
    });
    sample
}

fn header(source: SourceKind) -> Header {
    Header {
        ptyscope_recording: VERSION,
        program: Program::this(),
        command: vec!["ptyscope".to_owned()],
        started: Timestamp::now(),
        source,
        settings: Settings::default(),
        line: (source == SourceKind::Link).then(Line::default),
        limit: None,
        host: HostFacts::collect(),
        clock: ClockSource::default(),
        clock_ns: 24.0,
        no_kmallocs: None,
    }
}

pub fn ending() -> Ending {
    Ending {
        verdict: Verdict::Sound,
        integrity: Integrity::default(),
        failure: None,
        closing: Some(Closing::of(&sample(3))),
    }
}

/// Records a run with some of everything.
fn record(path: &Path, source: SourceKind) -> Vec<Sample> {
    let journal = Journal::begin(path, &header(source)).unwrap();
    let make = match source {
        SourceKind::Workload => sample,
        SourceKind::Link => link_sample,
    };
    let samples: Vec<Sample> = (1..250).map(make).collect();
    for (number, sample) in samples.iter().enumerate() {
        journal.sample(sample);
        match number % 50 {
            1 => journal.key("x", "go across"),
            2 => journal.caption(Some("Look at the reads")),
            3 => journal.look("time", "throughput"),
            4 => journal.asked(&Request::Set(Settings::default())),
            5 => journal.notice(&Notice::Alarm("wrong".to_owned())),
            6 => journal.asked(&Request::Pause(true)),
            7 => journal.caption(None),
            8 => journal.asked(&Request::SetLine(Line::default())),
            _ => {}
        }
    }
    journal.end(&ending(), 7);
    assert_eq!(journal.outcome(), Ok(()));
    samples
}

fn value(sample: &Sample) -> serde_json::Value {
    serde_json::to_value(sample).unwrap()
}

/// Samples with few buckets, which lose nothing.
fn is_thin(sample: &Sample) -> bool {
    let sides = sample.flows.iter().flat_map(|f| [&f.writer, &f.reader]);
    let mut calls = sides.map(|side| &side.calls);
    calls.all(|calls| thinned(&calls.time) == calls.time && thinned(&calls.size) == calls.size)
        && sample.round_trips.as_ref().map(thinned) == sample.round_trips
}

#[test]
fn what_was_recorded_is_read() {
    let directory = tempfile::tempdir().unwrap();
    for (name, source) in [
        ("a.rec", SourceKind::Workload),
        ("b.rec.gz", SourceKind::Workload),
        ("c.rec.gz", SourceKind::Link),
    ] {
        let path = directory.path().join(name);
        let samples = record(&path, source);
        let read = read(&path).unwrap();
        assert_eq!(read.tail, Tail::Complete);
        let replayed: Vec<&Sample> = read.samples().collect();
        assert_eq!(replayed.len(), samples.len());
        let mut whole = 0;
        for (recorded, replayed) in samples.iter().zip(replayed) {
            if is_thin(recorded) {
                whole += 1;
                assert_eq!(value(recorded), value(replayed));
            }
            let (mut recorded, mut replayed) = (recorded.clone(), replayed.clone());
            let pairs = recorded.flows.iter_mut().zip(&mut replayed.flows);
            for (recorded, replayed) in pairs {
                for (recorded, replayed) in [
                    (&mut recorded.writer.calls, &mut replayed.writer.calls),
                    (&mut recorded.reader.calls, &mut replayed.reader.calls),
                ] {
                    assert_eq!(thinned(&recorded.time), replayed.time);
                    assert_eq!(thinned(&recorded.size), replayed.size);
                    recorded.time = replayed.time.clone();
                    recorded.size = replayed.size.clone();
                }
            }
            recorded.round_trips = recorded.round_trips.as_ref().map(thinned);
            assert_eq!(value(&recorded), value(&replayed));
        }
        assert!(
            whole >= samples.len() / 2 - 1,
            "{whole} samples with few buckets"
        );
        let others = read.entries.len() - samples.len();
        assert_eq!(others, 5 * 8 + 1);
        assert!(read.entries.is_sorted_by_key(|entry| entry.at_ns));
    }
}

#[test]
fn a_file_that_is_cut_plays_up_to_there() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.rec", "b.rec.gz"] {
        let path = directory.path().join(name);
        let samples = record(&path, SourceKind::Workload);
        let whole = fs::read(&path).unwrap();
        for part in [2, 3, 10] {
            fs::write(&path, &whole[..whole.len() - whole.len() / part]).unwrap();
            let read = read(&path).unwrap();
            assert_eq!(read.tail, Tail::Cut);
            let there = read.samples().count();
            assert!(
                there > samples.len() / 4 && there < samples.len(),
                "{there}"
            );
        }
    }
}

#[test]
fn what_was_flushed_can_be_read_while_it_is_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec.gz");
    let journal = Journal::begin(&path, &header(SourceKind::Workload)).unwrap();
    (1..100).for_each(|number| journal.sample(&sample(number)));
    journal.key("x", "go across");
    let read = read(&path).unwrap();
    assert_eq!((read.samples().count(), read.tail), (99, Tail::Cut));
}

#[test]
fn what_is_there_is_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec");
    fs::write(&path, "mine").unwrap();
    let error = Journal::begin(&path, &header(SourceKind::Workload)).unwrap_err();
    assert_eq!(error, JournalError::Exists(path.clone()));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn on_a_full_disk_it_stops_and_says_so() {
    let full = Path::new("/dev/full");
    let journal = Journal::begin(full, &header(SourceKind::Workload)).unwrap();
    journal.sample(&sample(1));
    journal.end(&ending(), 0);
    let said = journal.outcome().unwrap_err().to_string();
    assert!(
        said.contains("ENOSPC") && said.contains("/dev/full"),
        "{said}"
    );
    assert!(said.contains("nothing of it can be replayed"), "{said}");
}

fn text_of(lines: &[&str]) -> Result<Recording, ReadError> {
    read::parse(std::io::Cursor::new(lines.join("\n").into_bytes()))
}

#[test]
fn other_files_are_refused_with_the_reason() {
    let head = serde_json::to_string(&header(SourceKind::Workload)).unwrap();
    let future = head.replace("\"ptyscope_recording\":1", "\"ptyscope_recording\":2");
    let nothing = head.replace("\"chunk\":256", "\"chunk\":0");
    let lengthy = "[".repeat(lines::LONGEST_LINE + 1);
    for (lines, word) in [
        (&[""][..], "empty"),
        (&["#!/bin/sh", ""], "no JSON"),
        (&["{\"schema_version\":1}", ""], "ptyscope_recording"),
        (&[&future, ""], "format 2"),
        (&[&nothing, ""], "chunk"),
        (&[&head], "within its first line"),
        (&[&head, ""], "without a sample"),
        (&[&lengthy, ""], "longer than"),
        (&[&head, "{\"next\":[[],[]]}", ""], "line 2"),
        (&[&head, "{\"song\":[1,2]}", ""], "unknown variant `song`"),
        (&[&head, "\u{1}", ""], "line 2"),
    ] {
        let said = text_of(lines).unwrap_err().to_string();
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn damage_in_the_middle_is_told_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec");
    record(&path, SourceKind::Workload);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    let huge = "{\"caption\":[18446744073709551615,\"x\"]}";
    let wrong_utf8 = "{\"caption\":[1,\"\u{fffd}\"]}";
    for (line, word) in [
        ("{\"next\":[[1],[]]}", "fewer numbers"),
        ("{\"caption\":[1,", "EOF"),
        ("{\"asked\":[1,{}]}", "missing field"),
        (huge, "as long"),
        (wrong_utf8, "unicode"),
    ] {
        let mut lines = lines.clone();
        lines[40] = line;
        let bytes = lines.join("\n").into_bytes();
        // Not UTF-8 in place of the replacement character.
        let bytes = match line == wrong_utf8 {
            true => replaced(&bytes, "\u{fffd}".as_bytes(), b"\xff\xfe\xfd"),
            false => bytes,
        };
        let read = read::parse(std::io::Cursor::new(bytes)).unwrap();
        let Tail::Damaged { line, reason } = &read.tail else {
            panic!("{:?} after {line}", read.tail);
        };
        assert_eq!(*line, 41, "{reason}");
        assert!(reason.contains(word), "{reason}");
        assert!(read.tail.complaint().unwrap().contains("line 41"));
    }
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|part| part == from);
    let at = at.unwrap();
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn a_million_markers_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec.gz");
    let journal = Journal::begin(&path, &header(SourceKind::Workload)).unwrap();
    journal.sample(&sample(1));
    journal.sample(&sample(2));
    drop(journal);
    let packed = {
        use std::io::Write;
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(&"{\"caption\":[5,\"x\"]}\n".repeat(1_000_000).into_bytes())
            .unwrap();
        out.finish().unwrap()
    };
    // Dropped, the journal has completed its part.
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(packed);
    fs::write(&path, bytes).unwrap();
    let read = read(&path).unwrap();
    assert_eq!(read.entries.len(), 1_000_002, "{:?}", read.tail);
}

#[test]
fn a_bomb_is_not_unpacked() {
    use std::io::Write;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec.gz");
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let head = serde_json::to_string(&header(SourceKind::Workload)).unwrap();
    writeln!(out, "{head}").unwrap();
    let written = serde_json::to_string(&serde_json::json!({ "full": sample(1) })).unwrap();
    writeln!(out, "{written}").unwrap();
    let zeros = vec![b'0'; 1 << 20];
    (0..64).for_each(|_| out.write_all(&zeros).unwrap());
    fs::write(&path, out.finish().unwrap()).unwrap();
    let read = read(&path).unwrap();
    assert_eq!(read.samples().count(), 1);
    let said = read.tail.complaint().unwrap();
    assert!(said.contains("line 3") && said.contains("MiB"), "{said}");
}

#[test]
fn no_damage_makes_it_panic() {
    let directory = tempfile::tempdir().unwrap();
    let mut rng = SplitMix64::new(11);
    for (name, source) in [
        ("a.rec", SourceKind::Workload),
        ("b.rec.gz", SourceKind::Workload),
        ("c.rec", SourceKind::Link),
    ] {
        let path = directory.path().join(name);
        record(&path, source);
        let whole = fs::read(&path).unwrap();
        for _ in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..=rng.below(4) {
                let at = rng.below(bytes.len() as u64) as usize;
                match rng.below(4) {
                    0 => bytes[at] ^= 1 << rng.below(8),
                    1 => bytes[at] = b'0' + rng.below(10) as u8,
                    2 => drop(bytes.drain(at..(at + 40).min(whole.len() - 64).max(at))),
                    _ => drop(bytes.splice(at..at, b"9999999999999".iter().copied())),
                }
            }
            fs::write(&path, &bytes).unwrap();
            if let Ok(read) = read(&path) {
                let mut sum = crate::sample::Sum::default();
                read.samples().for_each(|sample| sum.add(sample));
            }
        }
    }
}
