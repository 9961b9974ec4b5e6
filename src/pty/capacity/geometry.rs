//! How the flip buffers of each kernel era are measured out.

use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use crate::pty::KernelVersion;

/// Bytes that a raw reader can have waiting: `N_TTY_BUF_SIZE` (4096) less the
/// one that tells full from empty (`n_tty_receive_buf_common` in n_tty.c).
pub const READ_QUEUE: usize = 4095;

/// tty_write() hands the line discipline at most this much at once
/// (`iterate_tty_write`, `do_tty_write` before 5.10, in tty_io.c).
pub(super) const WRITE_PIECE: usize = 2048;

/// The smallest flip buffer, and what sizes are rounded up to.
pub(super) const SMALLEST: usize = 256;

/// A span of kernel releases whose ptys account for flip buffers alike.
///
/// Releases up to 2.6.30 are in none: there `pty_write` called the peer's
/// `receive_buf` itself and no flip buffer lay between. Neither are 4.0 and
/// 4.1, between which and 4.2 the limit fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Era {
    /// 2.6.31 to 2.6.33: flip buffers come to ptys. Where a large piece is
    /// split differs between these releases and their stable updates.
    Early,
    /// 2.6.34 to 3.11: `tty_buffer_find` takes from the free list, then
    /// `tty_buffer_alloc` refuses when used + size > 65536.
    Counted,
    /// 3.12 and 3.13: lockless; `tty_buffer_alloc` refuses when already
    /// used > 65536, so one buffer more is allowed.
    Lockless,
    /// 3.14 to 3.19: a buffer without flag bytes (`TTYB_NORMAL`) stores two
    /// characters per accounted byte.
    Doubled,
    /// 4.2 and later: `pty_common_install` sets the limit to 8192 with
    /// `tty_buffer_set_limit`.
    Limited,
}

impl Era {
    /// The era of `version`, or `None` where none is known.
    pub fn of(version: KernelVersion) -> Option<Self> {
        const V: fn(u16, u16, u16) -> KernelVersion = KernelVersion::new;
        match version {
            v if v < V(2, 6, 31) => None,
            v if v < V(2, 6, 34) => Some(Self::Early),
            v if v < V(3, 12, 0) => Some(Self::Counted),
            v if v < V(3, 14, 0) => Some(Self::Lockless),
            v if v < V(4, 0, 0) => Some(Self::Doubled),
            v if v < V(4, 2, 0) => None,
            _ => Some(Self::Limited),
        }
    }

    /// The releases it spans.
    pub fn releases(self) -> &'static str {
        match self {
            Self::Early => "2.6.31 to 2.6.33",
            Self::Counted => "2.6.34 to 3.11",
            Self::Lockless => "3.12 and 3.13",
            Self::Doubled => "3.14 to 3.19",
            Self::Limited => "4.2 and later",
        }
    }

    /// Characters that one accounted byte stores.
    pub(super) fn chars_per_byte(self) -> usize {
        match self {
            Self::Early | Self::Counted | Self::Lockless => 1,
            Self::Doubled | Self::Limited => 2,
        }
    }

    /// The limit on accounted bytes.
    pub(super) fn limit(self) -> usize {
        match self {
            Self::Limited => 8192,
            _ => 65536,
        }
    }

    /// Whether a new buffer of `size` is refused with `used` accounted.
    pub(super) fn refuses(self, used: usize, size: usize) -> bool {
        match self {
            Self::Early | Self::Counted => used + size > self.limit(),
            Self::Lockless | Self::Doubled | Self::Limited => used > self.limit(),
        }
    }

    /// What `tty_write_room` answers: `pty_space` clipped at 8 KiB until 3.19,
    /// `tty_buffer_space_avail` is all there is since 4.2.
    pub(super) fn room(self, used: usize) -> usize {
        match self {
            Self::Early | Self::Counted | Self::Limited => 8192_usize.saturating_sub(used),
            Self::Lockless | Self::Doubled => 65536_usize.saturating_sub(used).min(8192),
        }
    }
}

/// An era on a machine: the era's rules and what follows from the page size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Geometry {
    /// The accounting rules.
    pub era: Era,
    /// Bytes of the largest piece put into one flip buffer at once.
    pub split: usize,
}

impl Geometry {
    /// The geometry of kernel `release` on pages of `page_size` bytes, or
    /// `None` where no era is known.
    pub fn of(release: KernelVersion, page_size: usize) -> Option<Self> {
        Era::of(release).map(|era| Self {
            era,
            split: split(page_size),
        })
    }

    /// The running kernel's.
    pub fn running() -> Option<Self> {
        let page_size = sysconf(SysconfVar::PAGE_SIZE).ok()??;
        Self::of(KernelVersion::running()?, usize::try_from(page_size).ok()?)
    }

    /// The most bytes that one direction can hold, whatever was written
    /// before: no gauge needs to go further.
    ///
    /// More than any single chunk size fills, since 256-byte buffers that went
    /// back to the free list are taken from it without asking the limit.
    pub fn most_in_flight(self) -> usize {
        let limit = self.era.limit();
        let (recycled, fresh) = if self.era.refuses(limit, 1) {
            (limit, limit)
        } else {
            (
                limit + SMALLEST,
                limit + round_up(self.split.min(WRITE_PIECE)),
            )
        };
        self.era.chars_per_byte() * (recycled + fresh) + READ_QUEUE
    }
}

/// `TTY_BUFFER_PAGE` of tty_buffer.c: 1792 with pages of 4 KiB. `struct
/// tty_buffer` has been 40 to 48 bytes, which never crosses a 256-byte step.
pub(super) fn split(page_size: usize) -> usize {
    const HEADER: usize = 48;
    let half = page_size.saturating_sub(HEADER) / 2;
    (half / SMALLEST * SMALLEST).max(SMALLEST)
}

/// `size` rounded up as the allocator does.
pub(super) fn round_up(size: usize) -> usize {
    size.div_ceil(SMALLEST) * SMALLEST
}

/// How a push reaches the reader's line discipline: who runs
/// `flush_to_ldisc`, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Delivery {
    /// Up to 2.6.30: inside the write itself.
    Direct,
    /// 2.6.31 to 2.6.38: `schedule_delayed_work(.., 1)`, the next timer tick.
    NextTick,
    /// 2.6.39 to 4.3: `schedule_work`, a kworker of the writer's CPU
    /// (commit f23eb2b2b285).
    SystemWorkqueue,
    /// 4.4 to 6.18: `queue_work(system_unbound_wq, ..)`, a kworker of any CPU
    /// (commit e052c6d15c61).
    UnboundWorkqueue,
    /// 6.19 and later: `system_dfl_wq`, the same under a new name.
    DefaultWorkqueue,
}

impl Delivery {
    /// How kernel `version` delivers.
    pub fn of(version: KernelVersion) -> Self {
        const V: fn(u16, u16, u16) -> KernelVersion = KernelVersion::new;
        match version {
            v if v < V(2, 6, 31) => Self::Direct,
            v if v < V(2, 6, 39) => Self::NextTick,
            v if v < V(4, 4, 0) => Self::SystemWorkqueue,
            v if v < V(6, 19, 0) => Self::UnboundWorkqueue,
            _ => Self::DefaultWorkqueue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn era(text: &str) -> Option<Era> {
        Era::of(text.parse().unwrap())
    }

    #[test]
    fn releases_fall_into_their_eras() {
        for (release, expected) in [
            ("2.6.30", None),
            ("2.6.31", Some(Era::Early)),
            ("2.6.34", Some(Era::Counted)),
            ("3.11.10", Some(Era::Counted)),
            ("3.12", Some(Era::Lockless)),
            ("3.13.11", Some(Era::Lockless)),
            ("3.14", Some(Era::Doubled)),
            ("3.19.8", Some(Era::Doubled)),
            ("4.0.9", None),
            ("4.1.15", None),
            ("4.2.0", Some(Era::Limited)),
            ("7.0", Some(Era::Limited)),
        ] {
            assert_eq!(era(release), expected, "{release}");
        }
    }

    #[test]
    fn the_split_follows_the_page_size() {
        assert_eq!(split(4096), 1792);
        assert_eq!(split(16384), 7936);
        assert_eq!(split(65536), 32512);
        assert_eq!(split(0), 256);
    }

    #[test]
    fn deliveries_follow_the_release() {
        let of = |text: &str| Delivery::of(text.parse().unwrap());
        assert_eq!(of("2.6.38.2"), Delivery::NextTick);
        assert_eq!(of("3.13.11"), Delivery::SystemWorkqueue);
        assert_eq!(of("6.18.44"), Delivery::UnboundWorkqueue);
        assert_eq!(of("6.19"), Delivery::DefaultWorkqueue);
    }
}
