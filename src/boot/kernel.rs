//! Kernel images, looked at before qemu is: it runs whatever it is given.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::platform;

/// A file that is a kernel image by its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The file.
    pub path: PathBuf,
    /// The release that its header names.
    pub release: Option<String>,
}

/// Why a file is no kernel that can be booted here.
#[derive(Debug, thiserror::Error)]
pub enum NotAKernel {
    /// It cannot be read.
    #[error("{}: {}", .0.display(), crate::host::errno_text(.1))]
    Unreadable(PathBuf, io::Error),
    /// It is something else.
    #[error("{}: no kernel image: {}", .0.display(), .1)]
    Foreign(PathBuf, String),
}

impl NotAKernel {
    /// The reason alone, for those who name the file themselves.
    pub fn why(&self) -> String {
        match self {
            Self::Unreadable(_, error) => crate::host::errno_text(error),
            Self::Foreign(_, why) => format!("no kernel image: {why}"),
        }
    }
}

/// Enough for every header that is looked at, and for the release, which lies
/// in the first sectors of a bzImage.
const HEAD: u64 = 64 << 10;

impl Kernel {
    /// Looks at the head of a file.
    ///
    /// # Errors
    /// When it cannot be read or is no image for this program's architecture.
    pub fn open(path: &Path) -> Result<Self, NotAKernel> {
        let unreadable = |error| NotAKernel::Unreadable(path.to_owned(), error);
        // Before it is opened, since a FIFO would wait for its other end.
        let metadata = std::fs::metadata(path).map_err(unreadable)?;
        let foreign = |why: &str| NotAKernel::Foreign(path.to_owned(), why.to_owned());
        if !metadata.is_file() {
            return Err(foreign("it is no regular file"));
        }
        let mut head = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(HEAD).read_to_end(&mut head).map_err(unreadable)?;
        let found = recognise(&head, metadata.len()).map_err(|why| foreign(&why))?;
        if found.arch != platform::THIS.arch {
            return Err(foreign(&format!(
                "it is for {}, and this program, which is to run in it, is for {}",
                found.arch,
                platform::THIS.arch
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            release: found.release,
        })
    }

    /// What to call it: its release, or else its file.
    pub fn name(&self) -> String {
        self.release
            .clone()
            .unwrap_or_else(|| self.path.display().to_string())
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Found {
    arch: &'static str,
    release: Option<String>,
}

fn recognise(head: &[u8], length: u64) -> Result<Found, String> {
    // Documentation/arch/x86/boot.rst: magic at 0x202.
    if head.get(0x202..0x206) == Some(b"HdrS") {
        return bz_image(head, length);
    }
    // qemu unpacks Image.gz itself.
    if is_arm64_image(head) || unpacked(head).is_some_and(|head| is_arm64_image(&head)) {
        return Ok(Found {
            arch: "aarch64",
            release: None,
        });
    }
    // elf(5): e_machine at 18.
    if head.starts_with(b"\x7fELF") {
        return match head.get(18..20) {
            Some([62, 0]) => Ok(Found {
                arch: "x86_64",
                release: None,
            }),
            Some([183, 0]) => Ok(Found {
                arch: "aarch64",
                release: None,
            }),
            _ => Err("it is an ELF file for another architecture".to_owned()),
        };
    }
    Err(match head {
        [] => "it is empty".to_owned(),
        [b'#', b'!', ..] => "it is a script".to_owned(),
        [0x1f, 0x8b, ..] => "it is compressed by gzip, and holds no arm64 Image".to_owned(),
        head if head.starts_with(b"!<arch>") => {
            "it is a package; `dpkg -x` unpacks it, and boot/vmlinuz-* is the image".to_owned()
        }
        _ => "it has the header of neither bzImage, ELF nor arm64 Image".to_owned(),
    })
}

/// Documentation/arch/arm64/booting.rst: magic at 56.
fn is_arm64_image(head: &[u8]) -> bool {
    head.get(56..60) == Some(b"ARM\x64")
}

/// The beginning of what a gzip file holds.
fn unpacked(head: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 64];
    let mut decoder = flate2::read::GzDecoder::new(head);
    decoder.read_exact(&mut bytes).ok().map(|()| bytes)
}

fn bz_image(head: &[u8], length: u64) -> Result<Found, String> {
    let number = |at: usize, size: usize| {
        let bytes = head.get(at..at + size).unwrap_or_default();
        bytes
            .iter()
            .rev()
            .fold(0_u64, |value, &byte| value << 8 | u64::from(byte))
    };
    // setup_sects in sectors, syssize in paragraphs.
    let whole = (number(0x1f1, 1).max(1) + 1) * 512 + number(0x1f4, 4) * 16;
    if length < whole {
        return Err(format!("it is cut off: {length} of {whole} bytes"));
    }
    let at = number(0x20e, 2) as usize + 0x200;
    let text = head.get(at..).filter(|_| at > 0x200).unwrap_or_default();
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let release = String::from_utf8_lossy(text);
    let release = release.split_whitespace().next().map(str::to_owned);
    let printable =
        |text: &String| text.len() < 100 && text.bytes().all(|byte| byte.is_ascii_graphic());
    Ok(Found {
        arch: "x86_64",
        release: release.filter(printable),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bz_image_of(length: usize) -> Vec<u8> {
        let mut image = vec![0; length];
        image[0x1f1] = 1;
        image[0x1f4..0x1f8].copy_from_slice(&4_u32.to_le_bytes());
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x20e..0x210].copy_from_slice(&0x100_u16.to_le_bytes());
        image[0x300..0x318].copy_from_slice(b"6.12.1-test (builder@x)\0");
        image
    }

    #[test]
    fn a_bz_image_names_its_release() {
        let image = bz_image_of(1024 + 64);
        let found = recognise(&image, image.len() as u64).unwrap();
        assert_eq!(found.arch, "x86_64");
        assert_eq!(found.release.as_deref(), Some("6.12.1-test"));
    }

    #[test]
    fn an_arm64_image_may_be_compressed() {
        let mut image = vec![0; 2048];
        image[56..60].copy_from_slice(b"ARM\x64");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        std::io::Write::write_all(&mut encoder, &image).unwrap();
        for image in [image, encoder.finish().unwrap()] {
            let found = recognise(&image, image.len() as u64).unwrap();
            assert_eq!(found.arch, "aarch64");
        }
    }

    #[test]
    fn what_is_no_image_is_named() {
        let cut_off = bz_image_of(1024);
        for (bytes, want) in [
            (&b""[..], "empty"),
            (b"#!/bin/sh\n", "script"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"!<arch>\ndebian-binary", "dpkg -x"),
            (b"hello", "header of neither"),
            (
                b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0",
                "another architecture",
            ),
            (cut_off.as_slice(), "cut off: 1024 of 1088 bytes"),
        ] {
            let why = recognise(bytes, bytes.len() as u64).unwrap_err();
            assert!(why.contains(want), "{why}");
        }
    }

    #[test]
    fn headers_that_lie_are_borne() {
        let mut image = bz_image_of(2048);
        image[0x20e..0x210].copy_from_slice(&u16::MAX.to_le_bytes());
        assert_eq!(recognise(&image, 2048).unwrap().release, None);
        image[0x1f4..0x1f8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(recognise(&image, 2048).is_err());
        let elf = b"\x7fELF";
        assert!(recognise(elf, 4).is_err());
    }
}
