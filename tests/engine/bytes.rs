//! Every byte is accounted for, whatever the workload.

use std::time::Duration;

use ptyscope::pty::{End, Flag, Mode};
use ptyscope::sample::{FlowEnd, Sample, Verdict};
use ptyscope::workload::{Direction, Pace, Payload, Peers, Settings, Streams};

use super::drive::{samples_until, start};
use super::ledger::Ledger;
use super::wait::wait_for;

/// Runs the settings until bytes have come, stops, and checks the whole.
fn run_and_check(settings: &Settings) {
    let mut engine = start(settings, None);
    let mut ledger = Ledger::default();
    // What comes of the first line may be late; without a newline nothing comes.
    let some = |flow: &ptyscope::sample::Flow| {
        flow.totals.written > 20_000 && (flow.totals.read > 0 || is_never_read(settings, flow.from))
    };
    samples_until(
        &mut engine,
        &format!("bytes under {settings:?}"),
        |sample| ledger.enter(sample),
        |sample| sample.flows.iter().all(some),
    );
    let (last, verdict) = engine.stop();
    ledger.close(&last);
    assert!(!last.settled, "what is drained is no measurement");
    let streams = Streams::new(settings.effective_payload(), settings.mode);
    for flow in &last.flows {
        let stream = streams.from(flow.from.pty_end().expect("an engine drives ptys"));
        let (totals, pairs) = (flow.totals, settings.pairs);
        assert!(totals.in_flight >= 0);
        if pairs == 1 {
            let account = stream.account(totals.written);
            assert_eq!(totals.read, account.delivered, "{settings:?}: {totals:?}");
            assert_eq!(totals.in_flight as u64, account.held, "{settings:?}");
        } else {
            assert_eq!(totals.read, totals.written, "{settings:?}");
        }
    }
    let compared = settings.verify && settings.effective_payload().is_verifiable();
    let read: u64 = last.flows.iter().map(|flow| flow.totals.read).sum();
    let want = if compared && read > 0 {
        Verdict::Sound
    } else {
        Verdict::Counted
    };
    assert_eq!(verdict, want, "{settings:?}: {}", last.integrity);
    let verified = if compared { read } else { 0 };
    assert_eq!(last.integrity.verified, verified, "{settings:?}");
}

/// A canonical reader gets nothing of a line that never ends.
fn is_never_read(settings: &Settings, from: FlowEnd) -> bool {
    from == End::Master
        && settings.mode.has(Flag::Icanon)
        && settings.effective_payload() == Payload::Constant
}

#[test]
fn every_byte_is_accounted_for_in_every_direction_mode_and_payload() {
    let raw_with = |flag| Mode::RAW.with(flag);
    let modes = [
        Mode::RAW,
        Mode::COOKED,
        raw_with(Flag::Opost),
        raw_with(Flag::Icanon),
        raw_with(Flag::Echo),
    ];
    let payloads = [
        Payload::Constant,
        Payload::Sequence,
        Payload::LINES,
        Payload::Lines(5000),
        Payload::Random(3),
    ];
    let mut run = 0;
    for direction in Direction::ALL {
        for mode in modes {
            for payload in payloads {
                let settings = Settings {
                    direction,
                    mode,
                    payload: Some(payload),
                    ..Settings::default()
                };
                if settings.check().is_ok() {
                    run_and_check(&settings);
                    run += 1;
                }
            }
        }
    }
    assert!(run > 50, "only {run} combinations make a workload");
}

#[test]
fn odd_sizes_and_paces_lose_nothing() {
    for settings in [
        Settings {
            chunk: 1,
            ..Settings::default()
        },
        Settings {
            chunk: 1 << 20,
            read_size: Some(1),
            writer_pace: Pace::Rate(30_000),
            ..Settings::default()
        },
        Settings {
            chunk: 4097,
            read_size: Some(65536),
            direction: Direction::Both,
            reader_pace: Pace::Delay(Duration::from_micros(100)),
            ..Settings::default()
        },
        Settings {
            chunk: 257,
            writer_pace: Pace::Delay(Duration::from_micros(50)),
            ..Settings::default()
        },
        Settings {
            verify: false,
            ..Settings::default()
        },
    ] {
        run_and_check(&settings);
    }
}

#[test]
fn a_reader_in_a_process_of_its_own_counts_and_verifies_alike() {
    for direction in Direction::ALL {
        run_and_check(&Settings {
            direction,
            peers: Peers::Processes,
            ..Settings::default()
        });
    }
}

#[test]
fn sixty_four_ptys_at_once() {
    run_and_check(&Settings {
        pairs: 64,
        writer_pace: Pace::Delay(Duration::from_millis(5)),
        ..Settings::default()
    });
}

#[test]
fn a_limit_is_reached_to_the_byte_on_every_pty() {
    const LIMIT: u64 = 100_003;
    let mut engine = start(
        &Settings {
            pairs: 3,
            ..Settings::default()
        },
        Some(LIMIT),
    );
    let mut by_pair = vec![0; 3];
    let add = |sums: &mut Vec<u64>, sample: &Sample| {
        let each = sums.iter_mut().zip(&sample.bytes_by_pair);
        each.for_each(|(sum, bytes)| *sum += bytes);
    };
    samples_until(
        &mut engine,
        "all bytes",
        |sample| add(&mut by_pair, sample),
        |sample| sample.flows[0].totals.read == 3 * LIMIT,
    );
    wait_for(
        "workers to say so",
        || engine.is_satisfied().then_some(()),
        || format!("{by_pair:?}"),
    );
    let (last, verdict) = engine.stop();
    add(&mut by_pair, &last);
    assert_eq!(by_pair, [LIMIT; 3]);
    assert_eq!(last.flows[0].totals.written, 3 * LIMIT);
    assert_eq!(verdict, Verdict::Sound);
}
