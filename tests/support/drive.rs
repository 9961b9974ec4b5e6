//! Driving an engine by hand: one sample after another until something shows.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ptyscope::engine::{Engine, Options};
use ptyscope::sample::Sample;
use ptyscope::workload::Settings;

use super::wait::DEADLINE;

/// Starts a workload whose peers, if it has any, run the real program.
pub fn start(settings: &Settings, limit: Option<u64>) -> Engine {
    let options = Options {
        program: Some(PathBuf::from(env!("CARGO_BIN_EXE_ptyscope"))),
        limit,
        ..Options::default()
    };
    Engine::start(settings.clone(), options).unwrap_or_else(|why| panic!("{settings:?}: {why}"))
}

/// Takes samples until `found` likes one, and gives that one. Every sample is
/// shown to `see`.
pub fn samples_until(
    engine: &mut Engine,
    what: &str,
    mut see: impl FnMut(&Sample),
    found: impl Fn(&Sample) -> bool,
) -> Sample {
    let until = Instant::now() + DEADLINE;
    loop {
        engine.wait(Duration::from_millis(10));
        let sample = engine.sample();
        see(&sample);
        if found(&sample) {
            return sample;
        }
        assert!(
            Instant::now() < until,
            "waited in vain for {what}\n{sample:#?}"
        );
    }
}
