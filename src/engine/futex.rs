//! Waiting on a word of shared memory (futex(2)), between threads and between
//! processes.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Waits until somebody [`wake`]s `word`, it no longer holds `expected`, or
/// `timeout` is over. May return early; the caller looks again.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Duration) {
    let timeout = libc::timespec {
        tv_sec: timeout.as_secs().min(i32::MAX as u64) as libc::time_t,
        tv_nsec: timeout.subsec_nanos() as _,
    };
    // SAFETY: FUTEX_WAIT reads the word and the timespec, which both outlive
    // the call, and writes nothing of ours.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            expected,
            &timeout,
        );
    }
}

/// Wakes all who wait on `word`.
pub fn wake(word: &AtomicU32) {
    // SAFETY: FUTEX_WAKE only uses the word's address as a key.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
    }
}
