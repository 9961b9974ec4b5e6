//! Settings that change while it runs, and ping-pong.

use std::time::Duration;

use ptyscope::pty::{End, Flag, Mode};
use ptyscope::sample::{Sample, Verdict};
use ptyscope::workload::{Direction, Pace, Payload, Settings};

use super::drive::{samples_until, start};
use super::ledger::Ledger;

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
