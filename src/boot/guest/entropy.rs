//! Where the guest's random numbers begin.

use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;

/// The word of the kernel's command line that carries the seed. Kernels take a
/// word with a dot for a module's parameter, and one of no module for nothing.
pub const WORD: &str = "ptyscope.seed=";

/// The argument of RNDADDENTROPY (random(4), linux/random.h).
#[repr(C)]
struct Pool {
    /// Bits that the kernel may believe in.
    entropy_count: i32,
    /// Bytes.
    buf_size: i32,
    buf: [u8; 64],
}

nix::ioctl_write_ptr_bad!(
    add_entropy,
    nix::request_code_write!(b'R', 3, 2 * size_of::<i32>()),
    Pool
);

/// Gives the kernel the seed of its command line, if it has one, as all the
/// entropy that it needs: the addresses of every program after this one follow
/// from it.
pub fn seed() {
    let line = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    if let (Some(seed), Ok(random)) = (
        of(&line),
        OpenOptions::new().write(true).open("/dev/random"),
    ) {
        give(&random, seed);
    }
}

fn of(line: &str) -> Option<u64> {
    let word = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix(WORD))?;
    word.parse().ok()
}

fn give(random: &File, seed: u64) {
    let mut pool = Pool {
        entropy_count: 512,
        buf_size: 64,
        buf: [0; 64],
    };
    let mut state = seed;
    for eight in pool.buf.chunks_exact_mut(8) {
        state = mixed(state);
        eight.copy_from_slice(&state.to_le_bytes());
    }
    // SAFETY: the pool is laid out as the kernel's struct rand_pool_info with
    // as many bytes as it says, and lives through the call.
    let _ = unsafe { add_entropy(random.as_raw_fd(), &pool) };
}

/// A step of SplitMix64 (Steele, Lea, Flood, 2014).
fn mixed(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_stands_on_the_command_line() {
        assert_eq!(of("console=ttyS0 ptyscope.seed=12 __init\n"), Some(12));
        assert_eq!(of("console=ttyS0 ptyscope.seed=x"), None);
        assert_eq!(of("quiet"), None);
    }
}
