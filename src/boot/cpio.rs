//! The archive that a kernel unpacks as its first root file system: cpio in
//! the "newc" form (Documentation/driver-api/early-userspace/buffer-format.rst
//! of the kernel).

/// An archive that grows entry by entry. Owner, times and inode numbers are
/// the same every time, so that the same files make the same archive.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
    /// Directories that are in it.
    directories: Vec<String>,
}

/// The types of inode(7).
const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const CHARACTER_DEVICE: u32 = 0o020_000;

/// What the kernel takes for the end (init/initramfs.c, `do_name`).
const TRAILER: &str = "TRAILER!!!";

/// One entry, apart from its name.
#[derive(Default)]
struct Entry<'a> {
    mode: u32,
    device: (u32, u32),
    data: &'a [u8],
}

impl Archive {
    /// Adds a directory, and those above it, unless they are there. `path` has
    /// no slash in front.
    pub fn directory(&mut self, path: &str, permissions: u32) {
        let ends = path.match_indices('/').map(|(at, _)| at);
        for end in ends.chain([path.len()]) {
            let part = &path[..end];
            if part.is_empty() || self.directories.iter().any(|known| known == part) {
                continue;
            }
            self.directories.push(part.to_owned());
            let permissions = if part == path { permissions } else { 0o755 };
            self.entry(
                part,
                Entry {
                    mode: DIRECTORY | permissions,
                    ..Entry::default()
                },
            );
        }
    }

    /// Adds a file, and the directories above it.
    pub fn file(&mut self, path: &str, permissions: u32, data: &[u8]) {
        if let Some((above, _)) = path.rsplit_once('/') {
            self.directory(above, 0o755);
        }
        self.entry(
            path,
            Entry {
                mode: FILE | permissions,
                data,
                ..Entry::default()
            },
        );
    }

    /// Adds the node of a character device, and the directories above it.
    pub fn character_device(&mut self, path: &str, permissions: u32, device: (u32, u32)) {
        if let Some((above, _)) = path.rsplit_once('/') {
            self.directory(above, 0o755);
        }
        let mode = CHARACTER_DEVICE | permissions;
        self.entry(
            path,
            Entry {
                mode,
                device,
                ..Entry::default()
            },
        );
    }

    /// The archive, complete.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry(TRAILER, Entry::default());
        self.bytes
    }

    fn entry(&mut self, name: &str, entry: Entry<'_>) {
        self.entries += 1;
        let fields = [
            self.entries,
            entry.mode,
            0, // user
            0, // group
            1, // links
            0, // time of modification
            entry.data.len() as u32,
            0, // device that it lay on
            0,
            entry.device.0,
            entry.device.1,
            name.len() as u32 + 1,
            0, // check sum: none in this form
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes
                .extend_from_slice(format!("{field:08X}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(entry.data);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, mode, device and data.
    type Read = (String, u32, (u32, u32), Vec<u8>);

    /// Each entry, read by the description of the form rather than by the
    /// writer.
    fn entries(mut bytes: &[u8]) -> Vec<Read> {
        let mut found = Vec::new();
        loop {
            assert_eq!(&bytes[..6], b"070701");
            let field = |number: usize| {
                let text = std::str::from_utf8(&bytes[6 + 8 * number..14 + 8 * number]).unwrap();
                u32::from_str_radix(text, 16).unwrap()
            };
            let (length, name_length) = (field(6) as usize, field(11) as usize);
            let name = &bytes[110..110 + name_length];
            assert_eq!(name.last(), Some(&0));
            let name = String::from_utf8(name[..name_length - 1].to_vec()).unwrap();
            let start = (110 + name_length).next_multiple_of(4);
            let end = (start + length).next_multiple_of(4);
            let entry = (
                field(1),
                (field(9), field(10)),
                &bytes[start..start + length],
            );
            bytes = &bytes[end..];
            if name == TRAILER {
                assert!(bytes.is_empty());
                return found;
            }
            found.push((name, entry.0, entry.1, entry.2.to_vec()));
        }
    }

    #[test]
    fn what_goes_in_can_be_read_again() {
        let mut archive = Archive::default();
        archive.character_device("dev/console", 0o600, (5, 1));
        archive.file("init", 0o755, b"seven b");
        archive.file("lib/a/b", 0o644, b"");
        archive.directory("lib/a", 0o755);
        archive.directory("tmp", 0o1777);
        let entries = entries(&archive.finish());
        let seen: Vec<_> = entries
            .iter()
            .map(|(name, mode, device, data)| (name.as_str(), *mode, *device, data.as_slice()))
            .collect();
        let none: &[u8] = b"";
        assert_eq!(
            seen,
            [
                ("dev", 0o40755, (0, 0), none),
                ("dev/console", 0o20600, (5, 1), none),
                ("init", 0o100755, (0, 0), b"seven b"),
                ("lib", 0o40755, (0, 0), none),
                ("lib/a", 0o40755, (0, 0), none),
                ("lib/a/b", 0o100644, (0, 0), none),
                ("tmp", 0o41777, (0, 0), none),
            ]
        );
    }
}
