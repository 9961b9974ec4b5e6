//! Device nodes, where the kernel makes none itself.

use std::fs;
use std::path::Path;

use nix::sys::stat::{Mode, SFlag, makedev, mknod};

/// Name, permissions, major and minor number (devices.txt of the kernel).
const NODES: [(&str, u32, u64, u64); 11] = [
    ("null", 0o666, 1, 3),
    ("zero", 0o666, 1, 5),
    ("full", 0o666, 1, 7),
    ("random", 0o666, 1, 8),
    ("urandom", 0o666, 1, 9),
    ("kmsg", 0o644, 1, 11),
    ("ttyS0", 0o600, 4, 64),
    ("ttyS1", 0o600, 4, 65),
    ("tty", 0o666, 5, 0),
    ("console", 0o600, 5, 1),
    ("ptmx", 0o666, 5, 2),
];

/// Makes those that a command of ours may open.
pub fn make() {
    for (name, permissions, major, minor) in NODES {
        make_one(&Path::new("/dev").join(name), permissions, major, minor);
    }
}

/// Makes the node of a port of the virtio console from its numbers in sysfs.
pub fn make_port(name: &str) {
    let numbers = fs::read_to_string(format!("/sys/class/virtio-ports/{name}/dev"));
    let parsed = numbers.ok().and_then(|text| {
        let (major, minor) = text.trim().split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    if let Some((major, minor)) = parsed {
        make_one(&Path::new("/dev").join(name), 0o600, major, minor);
    }
}

/// One that is there already is left as it is.
fn make_one(path: &Path, permissions: u32, major: u64, minor: u64) {
    let mode = Mode::from_bits_truncate(permissions);
    let _ = mknod(path, SFlag::S_IFCHR, mode, makedev(major, minor));
}
