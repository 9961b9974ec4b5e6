//! This program as a root file system: itself as init, and what it needs to
//! start.

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::host::errno_text;

use super::cpio::Archive;
use super::order::{Order, PLACE};

/// A plain archive is unpacked several times faster than a compressed one by
/// an emulated CPU; beyond this size it is compressed all the same.
const LARGEST_PLAIN: usize = 8 << 20;

/// A root file system for a guest.
#[derive(Debug)]
pub struct Image {
    /// As the kernel's `initrd`.
    pub bytes: Vec<u8>,
    /// Where the loader finds the libraries, for `LD_LIBRARY_PATH`.
    pub library_path: String,
}

/// Packs the running program with an order.
///
/// # Errors
/// When a file cannot be read.
pub fn pack(order: &Order) -> io::Result<Image> {
    let mut archive = Archive::default();
    // Init's own standard output; the kernel opens it before init can act.
    archive.character_device("dev/console", 0o600, (5, 1));
    archive.character_device("dev/null", 0o666, (1, 3));
    for directory in ["proc", "sys"] {
        archive.directory(directory, 0o755);
    }
    archive.directory("tmp", 0o1777);
    archive.file("init", 0o755, &loadable(read("/proc/self/exe")?));
    let libraries = libraries();
    for path in &libraries {
        let name = path.trim_start_matches('/');
        archive.file(name, 0o755, &loadable(read(path)?));
    }
    archive.file(PLACE, 0o644, &serde_json::to_vec(order)?);
    let plain = archive.finish();
    let bytes = if plain.len() > LARGEST_PLAIN {
        compressed(&plain)?
    } else {
        plain
    };
    Ok(Image {
        bytes,
        library_path: directories(&libraries),
    })
}

fn read(path: &str) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| {
        let text = format!("cannot read {path}: {}", errno_text(&error));
        io::Error::new(error.kind(), text)
    })
}

fn compressed(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 2), Compression::fast());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// The loader and the libraries that it has loaded into this process, as it
/// named them: none where the program is static.
fn libraries() -> Vec<String> {
    /// Takes down the name of one loaded object.
    ///
    /// # Safety
    /// `info` must be what dl_iterate_phdr(3) hands over, and `data` a
    /// `Vec<String>` that nothing else uses meanwhile.
    unsafe extern "C" fn note(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: by the contract of this function.
        let (info, names) = unsafe { (&*info, &mut *data.cast::<Vec<String>>()) };
        if !info.dlpi_name.is_null() {
            // SAFETY: a string of the loader's, which lasts as long as the call.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            names.push(name.to_string_lossy().into_owned());
        }
        0
    }
    let mut names: Vec<String> = Vec::new();
    // SAFETY: the callback keeps to its contract, and does not unwind but for
    // want of memory, which aborts.
    unsafe {
        libc::dl_iterate_phdr(Some(note), (&raw mut names).cast());
    }
    // The program itself has an empty name, and the vDSO one without a path.
    names.retain(|name| name.starts_with('/'));
    names.sort();
    names.dedup();
    names
}

fn directories(paths: &[String]) -> String {
    let mut directories: Vec<_> = paths
        .iter()
        .filter_map(|path| path.rsplit_once('/'))
        .map(|(directory, _)| directory)
        .collect();
    directories.dedup();
    directories.join(":")
}

/// An ELF file without what stands behind its last segment: symbols and debug
/// information, of which a loader needs nothing (elf(5)). Any other file stays
/// as it is.
fn loadable(mut file: Vec<u8>) -> Vec<u8> {
    if let Some(end) = end_of_segments(&file) {
        file.truncate(end);
        // The table of sections lay there: e_shoff, then e_shnum and e_shstrndx.
        for field in [40..48, 60..64] {
            if let Some(field) = file.get_mut(field) {
                field.fill(0);
            }
        }
    }
    file
}

/// The end of the last segment of a 64-bit little-endian ELF file that lies
/// within it, with its table of segments.
fn end_of_segments(file: &[u8]) -> Option<usize> {
    let number = |at: usize, length: usize| -> Option<usize> {
        let bytes = file.get(at..at.checked_add(length)?)?;
        let value = bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte));
        usize::try_from(value).ok()
    };
    const CLASS_64_LITTLE_ENDIAN: &[u8] = b"\x7fELF\x02\x01";
    if !file.starts_with(CLASS_64_LITTLE_ENDIAN) {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut end = table.checked_add(size.checked_mul(count)?)?;
    for index in 0..count {
        let segment = table.checked_add(index.checked_mul(size)?)?;
        // p_offset and p_filesz.
        let (offset, length) = (
            number(segment.checked_add(8)?, 8)?,
            number(segment.checked_add(32)?, 8)?,
        );
        end = end.max(offset.checked_add(length)?);
    }
    (count > 0 && end <= file.len()).then_some(end)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_program_runs_without_what_no_loader_needs() {
        let whole = fs::read("/proc/self/exe").unwrap();
        let part = loadable(whole.clone());
        assert!(part.len() < whole.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, &part).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let output = Command::new(&path).arg("--list").output().unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        assert!(listed.contains("a_program_runs_without"), "{listed}");
    }

    #[test]
    fn what_is_no_elf_file_stays_as_it_is() {
        let mut cut_off = fs::read("/proc/self/exe").unwrap();
        cut_off.truncate(5000);
        let mut endless = cut_off.clone();
        endless[32..40].fill(0xff);
        for file in [
            b"#!/bin/sh\n".to_vec(),
            Vec::new(),
            b"\x7fELF\x02\x01".to_vec(),
            cut_off,
            endless,
        ] {
            assert_eq!(loadable(file.clone()), file);
        }
    }

    #[test]
    fn the_libraries_of_this_program_are_files() {
        for path in libraries() {
            assert!(fs::read(&path).unwrap().starts_with(b"\x7fELF"), "{path}");
        }
    }

    #[test]
    fn the_same_order_makes_the_same_image() {
        let order = Order {
            words: vec!["check".to_owned()],
            settle: false,
            devpts: None,
        };
        assert!(pack(&order).unwrap().bytes == pack(&order).unwrap().bytes);
    }
}
