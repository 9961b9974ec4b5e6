use std::sync::atomic::AtomicBool;

use super::*;
use crate::workload::Line;

fn experiment(line: Line) -> Experiment {
    Experiment {
        size: 20_000,
        protocol: Protocol {
            block: BlockSize::Short,
            check: Check::Crc,
            retries: 10,
            timeout: Duration::from_millis(200),
        },
        place: Place::Line(line),
        seed: 1,
    }
}

#[test]
fn a_file_arrives_with_either_block_and_check() {
    for (block, blocks) in [(BlockSize::Short, 157), (BlockSize::Long, 19 + 5)] {
        for check in [Check::Crc, Check::Checksum] {
            let mut experiment = experiment(Line::default());
            experiment.protocol.block = block;
            experiment.protocol.check = check;
            let outcome = experiment.run(&AtomicBool::new(false)).unwrap();
            for run in [outcome.transfer, outcome.floor] {
                assert_eq!((run.error, run.is_sound), (None, Some(true)));
                assert_eq!(run.sent.block_ns.len(), blocks);
            }
            assert_eq!(outcome.bare.unwrap().sent.block_ns.len(), blocks);
        }
    }
}

#[test]
fn a_bad_line_costs_retries_and_no_byte() {
    let line = Line {
        drop: "0.0005".parse().unwrap(),
        flip: "0.0005".parse().unwrap(),
        ..Line::default()
    };
    let outcome = experiment(line).run(&AtomicBool::new(false)).unwrap();
    let run = outcome.transfer;
    assert_eq!((run.error, run.is_sound), (None, Some(true)));
    assert!(run.sent.retries > 0);
    assert_eq!(outcome.floor.sent.retries, 0);
    assert_eq!(outcome.bare, None);
}

#[test]
fn a_line_on_which_a_block_outlasts_the_time_out_costs_no_retry() {
    // 133 characters of 33 ms: a block is under way for 4.4 s, and the sender
    // would have waited for 3 s.
    let mut experiment = experiment(Line {
        baud: "300".parse().ok(),
        ..Line::default()
    });
    experiment.size = 100;
    experiment.protocol.timeout = Duration::from_secs(1);
    let outcome = experiment.run(&AtomicBool::new(false)).unwrap();
    let run = outcome.transfer;
    assert_eq!((run.error, run.is_sound), (None, Some(true)));
    assert_eq!(run.sent.retries, 0);
}

#[test]
fn a_dead_line_is_given_up() {
    let mut experiment = experiment(Line {
        drop: "1".parse().unwrap(),
        ..Line::default()
    });
    experiment.protocol.retries = 1;
    experiment.protocol.timeout = Duration::from_millis(20);
    let outcome = experiment.run(&AtomicBool::new(false)).unwrap();
    assert_eq!(outcome.transfer.error, Some(TransferError::Silent));
    assert_eq!(outcome.transfer.is_sound, None);
}

#[test]
fn terminals_that_are_not_there_are_an_error() {
    let mut experiment = experiment(Line::default());
    experiment.place = Place::Terminals(["/nowhere/a".into(), "/nowhere/b".into()]);
    let error = experiment
        .run(&AtomicBool::new(false))
        .unwrap_err()
        .to_string();
    assert!(error.contains("/nowhere/a"), "{error}");
}

#[test]
fn one_that_is_interrupted_says_so() {
    let slow = experiment(Line {
        latency: Duration::from_secs(10),
        ..Line::default()
    });
    let stop = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| slow.run(&stop));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        run.join().unwrap().unwrap()
    });
    assert_eq!(outcome.transfer.error, Some(TransferError::Interrupted));
    assert_eq!(outcome.transfer.is_sound, None);
    assert_eq!(outcome.bare, None);
}
