//! How long a wait goes on.

use std::time::{Duration, Instant};

/// The longest that one sleep lasts before the next look. A poller of a pty is
/// not woken by every change that it waits for (`n_tty_check_unthrottle` wakes
/// writers only when the reader's queue is nearly empty).
const SLICE: Duration = Duration::from_millis(20);

/// The most that one look costs: a machine that stood still, or kept this
/// process off the CPU, also kept what it waits for.
const DEAREST: Duration = Duration::from_millis(100);

/// A deadline that is spent by looking, not by the clock alone.
#[derive(Debug)]
pub(super) struct Patience {
    left: Duration,
    start: Instant,
    last: Instant,
}

impl Patience {
    pub(super) fn new(deadline: Duration) -> Self {
        let now = Instant::now();
        Self {
            left: deadline,
            start: now,
            last: now,
        }
    }

    /// Accounts for the look before this call; whether another is the last.
    pub(super) fn over(&mut self) -> bool {
        let now = Instant::now();
        let spent = now.duration_since(self.last).min(DEAREST);
        self.left = self.left.saturating_sub(spent);
        self.last = now;
        self.left.is_zero()
    }

    /// How long to sleep in poll before the next look.
    pub(super) fn slice(&self) -> Duration {
        self.left.min(SLICE)
    }

    /// Lets others run: the first looks follow each other at once, later ones
    /// after a millisecond, since what is waited for may need this CPU.
    pub(super) fn nap(&self) {
        if self.start.elapsed() < Duration::from_millis(1) {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_millis(1).min(self.left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_costs_no_more_than_one_look() {
        let mut patience = Patience::new(Duration::from_secs(5));
        patience.last -= Duration::from_secs(60);
        assert!(!patience.over());
        assert!(patience.left >= Duration::from_millis(4800));
    }

    #[test]
    fn looks_use_it_up() {
        let mut patience = Patience::new(DEAREST * 2);
        for left in [1, 0] {
            patience.last -= DEAREST;
            assert_eq!(patience.over(), left == 0);
        }
        assert_eq!(patience.slice(), Duration::ZERO);
    }
}
