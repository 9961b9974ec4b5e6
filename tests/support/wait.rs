//! Waiting for events, never for time.

use std::time::{Duration, Instant};

/// Far longer than anything takes on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Looks until `look` finds something, or fails with `what` and whatever
/// `state` says.
pub fn wait_for<T>(
    what: &str,
    mut look: impl FnMut() -> Option<T>,
    state: impl FnOnce() -> String,
) -> T {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            Instant::now() < until,
            "waited in vain for {what}\n{}",
            state()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}
