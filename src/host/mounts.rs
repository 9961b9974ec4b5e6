//! Mounted file systems, from /proc/self/mountinfo (proc_pid_mountinfo(5)).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::files;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// The options of this mount: `rw,nosuid,relatime`.
    pub mount_options: String,
    /// The options of the file system: `rw,gid=5,mode=620,ptmxmode=000`.
    pub options: String,
}

/// The mounts of type `kind`, in mount order; `None` without /proc.
pub(super) fn of_type(kind: &str) -> Option<Vec<Mount>> {
    Some(parse(&files::text("/proc/self/mountinfo")?, kind))
}

fn parse(mountinfo: &str, kind: &str) -> Vec<Mount> {
    mountinfo
        .lines()
        .filter_map(|line| parse_line(line, kind))
        .collect()
}

fn parse_line(line: &str, kind: &str) -> Option<Mount> {
    // Optional fields stand before a lone dash.
    let (mount, file_system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(4);
    let (mount_point, mount_options) = (mount.next()?, mount.next()?);
    let mut file_system = file_system.split(' ');
    (file_system.next()? == kind).then(|| Mount {
        mount_point: unescape(mount_point).into(),
        mount_options: mount_options.to_owned(),
        options: file_system.nth(1).unwrap_or_default().to_owned(),
    })
}

/// Space, tab, newline and backslash are written as three octal digits.
fn unescape(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|code| u8::from_str_radix(code, 8).ok());
        match code {
            Some(code) => {
                out.push(char::from(code));
                out.push_str(&part[3..]);
            }
            None => {
                out.push('\\');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTINFO: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
26 24 0:24 / /dev/pts rw,nosuid,noexec shared:3 master:1 - devpts devpts rw,gid=5,mode=620,ptmxmode=000
90 26 0:40 / /mnt/my\\040pts\\134x rw - devpts none rw,mode=600
broken line
91 26 - devpts
92 26 0:40 / /x rw - devpts
";

    #[test]
    fn devpts_mounts_are_found_with_their_options() {
        let mounts = parse(MOUNTINFO, "devpts");
        assert_eq!(mounts.len(), 3);
        assert_eq!(
            mounts[0],
            Mount {
                mount_point: "/dev/pts".into(),
                mount_options: "rw,nosuid,noexec".to_owned(),
                options: "rw,gid=5,mode=620,ptmxmode=000".to_owned(),
            }
        );
        assert_eq!(mounts[1].mount_point, PathBuf::from("/mnt/my pts\\x"));
        assert_eq!(mounts[2].options, "");
    }

    #[test]
    fn odd_escapes_are_left_alone() {
        for text in ["\\", "a\\9zz", "\\1", "\\777", "é\\04"] {
            assert_eq!(unescape(text), text);
        }
        assert_eq!(unescape("\\011"), "\t");
    }
}
