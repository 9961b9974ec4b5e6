//! What the engine promises of its numbers, whatever the workload.

mod support {
    pub mod drive;
    pub mod skip;
    pub mod wait;
}

use std::time::Duration;

use ptyscope::engine::Engine;
use ptyscope::pty::capacity::{Flow as Written, Geometry, Prediction, READ_QUEUE};
use ptyscope::pty::{End, Flag, Mode};
use ptyscope::sample::{Call, Calls, FlowEnd, Sample, Verdict};
use ptyscope::workload::{Direction, Pace, Payload, Peers, Settings, Streams};

use support::drive::{samples_until, start};
use support::skip::skip;

/// Sums over all samples of one engine without a restart.
#[derive(Default)]
struct Ledger {
    /// Bytes written and read, by the sample's order of flows.
    flows: Vec<(u64, u64)>,
}

impl Ledger {
    /// Checks what every sample promises, and adds it.
    fn enter(&mut self, sample: &Sample) {
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
    fn close(&mut self, last: &Sample) {
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
    support::wait::wait_for(
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

#[test]
fn settled_samples_hold_only_calls_of_their_own_settings() {
    let mut engine = start(&Settings::default(), None);
    let mut ledger = Ledger::default();
    let mut epochs = std::collections::BTreeSet::new();
    let mut see = |sample: &Sample, ledger: &mut Ledger| {
        ledger.enter(sample);
        if !sample.counts() {
            return;
        }
        let chunk = sample.settings.chunk as u64;
        for calls in [&sample.flows[0].writer.calls, &sample.flows[0].reader.calls] {
            assert_eq!(calls.size.max().unwrap_or(chunk).max(chunk), chunk);
        }
        let writes = &sample.flows[0].writer.calls;
        assert_eq!(writes.count(), writes.size.count_between(chunk, chunk));
        assert_eq!(writes.short, 0);
        if writes.count() > 0 {
            epochs.insert(sample.epoch);
        }
    };
    for turn in 0..200 {
        let chunk = [256, 257, 64, 1000][turn % 4];
        engine
            .set(Settings {
                chunk,
                ..Settings::default()
            })
            .unwrap();
        // A few samples an epoch; in every fifth the change comes at once.
        for _ in 0..turn % 5 {
            engine.wait(Duration::from_millis(2));
            see(&engine.sample(), &mut ledger);
        }
    }
    let (last, verdict) = engine.stop();
    ledger.close(&last);
    assert_eq!(verdict, Verdict::Sound);
    assert!(epochs.len() > 20, "only {} epochs settled", epochs.len());
}

#[test]
fn every_exchange_of_a_ping_pong_is_a_round_trip() {
    const CHUNK: usize = 100;
    let settings = Settings {
        direction: Direction::Echo,
        chunk: CHUNK,
        ..Settings::default()
    };
    let mut engine = start(&settings, None);
    let (mut trips, mut ledger) = (0, Ledger::default());
    let count = |sample: &Sample| sample.round_trips.as_ref().map_or(0, |trips| trips.count());
    samples_until(
        &mut engine,
        "round trips",
        |sample| {
            ledger.enter(sample);
            trips += count(sample);
        },
        |sample| count(sample) > 10,
    );
    let (last, verdict) = engine.stop();
    ledger.close(&last);
    trips += count(&last);
    for flow in &last.flows {
        assert_eq!(flow.totals.read, trips * CHUNK as u64, "from {}", flow.from);
    }
    assert_eq!(verdict, Verdict::Sound);
}

#[test]
fn samples_do_not_cut_a_delay_short() {
    let settings = Settings {
        writer_pace: Pace::Delay(Duration::from_secs(3600)),
        ..Settings::default()
    };
    let mut engine = start(&settings, None);
    let first = samples_until(&mut engine, "a write", |_| (), |s| s.bytes_read() > 0);
    assert_eq!(first.flows[0].totals.written, 256);
    for _ in 0..20 {
        engine.wait(Duration::from_millis(5));
        assert_eq!(engine.sample().flows[0].totals.written, 256);
    }
    // Another pace takes effect at once, and so does a stop.
    for writer_pace in [Pace::Rate(100_000), Pace::Delay(Duration::MAX)] {
        engine
            .set(Settings {
                writer_pace,
                ..settings.clone()
            })
            .unwrap();
        samples_until(&mut engine, "another write", |_| (), |s| s.bytes_read() > 0);
    }
    assert_eq!(engine.stop().1, Verdict::Sound);
}

#[test]
fn a_ping_pong_that_is_stopped_gets_its_last_answer() {
    // Lines of 4 come back as 5 bytes: with the 5th line asked and 4 answered,
    // 20 bytes were sent and 20 received.
    let settings = Settings {
        direction: Direction::Echo,
        chunk: 4,
        mode: Mode::RAW.with(Flag::Opost),
        payload: Some(Payload::Lines(4)),
        reader_pace: Pace::Delay(Duration::from_millis(100)),
        ..Settings::default()
    };
    let mut engine = start(&settings, None);
    let totals = |sample: &Sample, from| {
        let mut flows = sample.flows.iter();
        flows.find(|flow| flow.from == from).unwrap().totals
    };
    samples_until(
        &mut engine,
        "the fifth line",
        |_| (),
        |sample| totals(sample, End::Master).written >= 20,
    );
    let (last, verdict) = engine.stop();
    let lines = totals(&last, End::Master).written / 4;
    assert_eq!(totals(&last, End::Slave).read, lines * 5);
    assert_eq!(verdict, Verdict::Sound);
}

#[test]
fn with_nobody_reading_the_writer_blocks_at_the_modelled_capacity() {
    let Some(geometry) = Geometry::running() else {
        skip("this kernel is of no known era", "Linux 2.6.38 or later");
        return;
    };
    for (from, chunk) in [(End::Slave, 256), (End::Slave, 257), (End::Master, 1000)] {
        let direction = match from {
            End::Slave => Direction::SlaveToMaster,
            End::Master => Direction::MasterToSlave,
        };
        let settings = Settings {
            direction,
            chunk,
            reader_pace: Pace::Stopped,
            ..Settings::default()
        };
        let nonzero = chunk.try_into().unwrap();
        let Some(Prediction::Full(capacity)) = geometry.expected(Written::raw(from, nonzero))
        else {
            panic!("no capacity for {settings:?}");
        };
        let mut engine = start(&settings, None);
        let full = blocked_writer(&mut engine);
        assert_eq!(full.flows[0].reader.calls.count(), 0);
        assert_eq!(full.flows[0].totals.under_way, chunk as u64);
        let (last, verdict) = engine.stop();
        // The interrupted write says how much it had handed over.
        let accepted = last.flows[0].totals.written as usize;
        // The kworker may not have run before the writer went to sleep, which
        // nothing but a read wakes (n_tty_check_unthrottle): then the reader's
        // queue has taken nothing.
        let (least, most) = capacity.accepted().into_inner();
        assert!(
            (least - READ_QUEUE..=most).contains(&accepted),
            "{accepted} of {least} to {most} from the {from} in chunks of {chunk}"
        );
        assert_eq!(last.flows[0].totals.read as usize, accepted);
        assert_eq!(verdict, Verdict::Sound);
    }
}

/// The sample in which the writer is first shown blocked.
fn blocked_writer(engine: &mut Engine) -> Sample {
    let is_blocked = |sample: &Sample| {
        let blocked = sample.flows[0].writer.blocked;
        blocked.is_some_and(|blocked| blocked.call == Call::Write)
    };
    samples_until(engine, "a blocked writer", |_| (), is_blocked)
}

#[test]
fn settings_can_change_while_the_writer_is_blocked() {
    let stuck = Settings {
        reader_pace: Pace::Stopped,
        ..Settings::default()
    };
    // One change is made under way, the other on a new pty.
    for mode in [Mode::RAW, Mode::COOKED] {
        let mut engine = start(&stuck, None);
        blocked_writer(&mut engine);
        engine
            .set(Settings {
                mode,
                ..Settings::default()
            })
            .unwrap();
        samples_until(
            &mut engine,
            "bytes after the change",
            |_| (),
            |sample| sample.counts() && sample.bytes_read() > 100_000,
        );
        assert_eq!(engine.stop().1, Verdict::Sound);
    }
}

#[test]
fn stops_with_both_ends_blocked() {
    // The readers wait for bytes that no writer sends.
    let waiting = Settings {
        direction: Direction::Both,
        writer_pace: Pace::Stopped,
        ..Settings::default()
    };
    let mut engine = start(&waiting, None);
    samples_until(
        &mut engine,
        "blocked readers",
        |_| (),
        |sample| {
            let mut flows = sample.flows.iter();
            flows.all(|flow| flow.reader.blocked.is_some())
        },
    );
    let (last, verdict) = engine.stop();
    assert_eq!(last.flows[0].totals.written, 0);
    assert_eq!(verdict, Verdict::Counted);

    // Both writers wait for room that no reader makes.
    let full = Settings {
        direction: Direction::Both,
        reader_pace: Pace::Stopped,
        ..Settings::default()
    };
    let mut engine = start(&full, None);
    samples_until(
        &mut engine,
        "blocked writers",
        |_| (),
        |sample| {
            let mut flows = sample.flows.iter();
            flows.all(|flow| flow.writer.blocked.is_some())
        },
    );
    let (last, verdict) = engine.stop();
    assert!(last.flows.iter().all(|flow| flow.totals.in_flight == 0));
    assert_eq!(verdict, Verdict::Sound);
}

#[test]
fn a_pause_holds_all_calls_and_ends() {
    for direction in [Direction::SlaveToMaster, Direction::Both, Direction::Echo] {
        let settings = Settings {
            direction,
            ..Settings::default()
        };
        let mut engine = start(&settings, None);
        let running = |sample: &Sample| sample.counts() && sample.bytes_read() > 0;
        samples_until(&mut engine, "bytes", |_| (), running);
        engine.pause(true);
        let calls = |sample: &Sample| -> u64 {
            let flows = sample.flows.iter();
            flows
                .map(|flow| flow.writer.calls.count() + flow.reader.calls.count())
                .sum()
        };
        // Calls under way when it came return once.
        samples_until(&mut engine, "quiet", |_| (), |sample| calls(sample) == 0);
        samples_until(
            &mut engine,
            "more quiet",
            |_| (),
            |sample| calls(sample) == 0,
        );
        for _ in 0..10 {
            engine.wait(Duration::from_millis(10));
            let sample = engine.sample();
            assert!(sample.paused && !sample.counts());
            assert_eq!(calls(&sample), 0, "{direction}");
        }
        engine.pause(false);
        samples_until(&mut engine, "bytes again", |_| (), running);
        assert_eq!(engine.stop().1, Verdict::Sound, "{direction}");
    }
}

#[test]
fn refused_settings_leave_the_old_in_force() {
    let mut engine = start(&Settings::default(), None);
    let refused = engine.set(Settings {
        chunk: 0,
        ..Settings::default()
    });
    assert!(refused.is_err());
    assert_eq!(*engine.settings(), Settings::default());
    samples_until(
        &mut engine,
        "bytes",
        |_| (),
        |sample| sample.bytes_read() > 0,
    );
    assert_eq!(engine.stop().1, Verdict::Sound);
}
