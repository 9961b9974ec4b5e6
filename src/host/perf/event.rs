//! perf_event_open(2), as far as one counting tracepoint needs it.

use std::fs::File;
use std::os::fd::FromRawFd;

use nix::errno::Errno;

/// The first version of `struct perf_event_attr` (include/uapi/linux/
/// perf_event.h, PERF_ATTR_SIZE_VER0), which every kernel since 2.6.31 takes.
/// All bits of `flags` are off: enabled at once, not inherited, the kernel not
/// left out.
#[repr(C)]
#[derive(Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

const ATTR_SIZE: u32 = 64;
const _: () = assert!(size_of::<Attr>() == ATTR_SIZE as usize);

const PERF_TYPE_TRACEPOINT: u32 = 2;
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;

/// A counter of tracepoint `id` for thread `tid` on any CPU; a read gives its
/// count as eight bytes.
pub(super) fn open_tracepoint(id: u64, tid: i32) -> Result<File, Errno> {
    match open(id, tid, PERF_FLAG_FD_CLOEXEC) {
        // The flag came with 3.14.
        Err(Errno::EINVAL) => open(id, tid, 0),
        other => other,
    }
}

fn open(id: u64, tid: i32, flags: libc::c_ulong) -> Result<File, Errno> {
    let attr = Attr {
        kind: PERF_TYPE_TRACEPOINT,
        size: ATTR_SIZE,
        config: id,
        ..Attr::default()
    };
    const ANY_CPU: libc::c_int = -1;
    const NO_GROUP: libc::c_int = -1;
    // SAFETY: the kernel reads `size` bytes of the attributes, which outlive
    // the call, and takes the rest by value.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attr,
            tid,
            ANY_CPU,
            NO_GROUP,
            flags,
        )
    };
    let fd = i32::try_from(Errno::result(fd)?).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel just returned this descriptor, so nobody else owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}
