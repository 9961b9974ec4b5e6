//! Ends that are blocked, or held.

use std::time::Duration;

use ptyscope::engine::Engine;
use ptyscope::pty::capacity::{Flow as Written, Geometry, Prediction, READ_QUEUE};
use ptyscope::pty::{End, Mode};
use ptyscope::sample::{Call, Sample, Verdict};
use ptyscope::workload::{Direction, Pace, Settings};

use super::drive::{samples_until, start};
use super::skip::skip;

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
