//! What of a line a key turns, one step at a time.

use std::time::Duration;

use super::{Baud, Line, Share};

/// Something of a line that can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knob {
    /// The speed.
    Baud,
    /// The latency.
    Latency,
    /// The jitter.
    Jitter,
    /// The settling pause.
    Settle,
    /// Lost bytes.
    Drop,
    /// Turned bits.
    Flip,
    /// Doubled bytes.
    Duplicate,
    /// What becomes of bytes for nobody.
    Unattached,
}

const SPEEDS: [Option<Baud>; 5] = [
    Some(Baud::Client),
    Some(Baud::Fixed(9_600)),
    Some(Baud::Fixed(115_200)),
    Some(Baud::Fixed(1_000_000)),
    None,
];

const DELAYS_MS: [u64; 5] = [1, 5, 20, 100, 0];

const SETTLE: Duration = Duration::from_micros(200);

const SHARES: [f64; 5] = [1e-5, 1e-4, 1e-3, 1e-2, 0.0];

impl Line {
    /// The line with `knob` one step on; after the last step comes the first,
    /// which is off.
    pub fn turned(&self, knob: Knob) -> Self {
        let mut line = self.clone();
        match knob {
            Knob::Baud => line.baud = after(&SPEEDS, &line.baud),
            Knob::Latency => line.latency = next_delay(line.latency),
            Knob::Jitter => line.jitter = next_delay(line.jitter),
            Knob::Settle => {
                line.settle = if line.settle.is_zero() {
                    SETTLE
                } else {
                    Duration::ZERO
                }
            }
            Knob::Drop => line.drop = next_share(line.drop),
            Knob::Flip => line.flip = next_share(line.flip),
            Knob::Duplicate => line.duplicate = next_share(line.duplicate),
            Knob::Unattached => line.drop_unattached = !line.drop_unattached,
        }
        line
    }
}

/// The step after `now`; from a value that is no step, the first.
fn after<T: Copy + PartialEq>(steps: &[T; 5], now: &T) -> T {
    let at = steps.iter().position(|step| step == now);
    at.map_or(steps[0], |at| steps[(at + 1) % steps.len()])
}

fn next_delay(now: Duration) -> Duration {
    after(&DELAYS_MS.map(Duration::from_millis), &now)
}

fn next_share(now: Share) -> Share {
    after(
        &SHARES.map(|share| Share::try_from(share).unwrap_or_default()),
        &now,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_comes_round_to_where_it_was() {
        let plain = Line::default();
        for (knob, steps) in [
            (Knob::Baud, 5),
            (Knob::Latency, 5),
            (Knob::Jitter, 5),
            (Knob::Settle, 2),
            (Knob::Drop, 5),
            (Knob::Flip, 5),
            (Knob::Duplicate, 5),
            (Knob::Unattached, 2),
        ] {
            let mut line = plain.clone();
            for step in 1..=steps {
                line = line.turned(knob);
                assert!(line.check().is_ok());
                assert_eq!(line == plain, step == steps, "{knob:?} {step}");
            }
        }
    }

    #[test]
    fn a_value_of_the_users_own_goes_to_the_first_step() {
        let line = Line {
            latency: Duration::from_millis(7),
            ..Line::default()
        };
        let turned = line.turned(Knob::Latency);
        assert_eq!(turned.latency, Duration::from_millis(1));
    }
}
