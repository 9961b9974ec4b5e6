//! Small files of /proc and /sys.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file without the space around it; `None` when it cannot be
/// read or is empty.
pub(super) fn text(path: impl AsRef<Path>) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// What one read of a page gives of a file, without asking for its size or its
/// end: for what is read many times a second.
pub(super) fn short_text(path: impl AsRef<Path>) -> Option<String> {
    let mut buffer = [0; 4096];
    let length = File::open(path).ok()?.read(&mut buffer).ok()?;
    Some(String::from_utf8_lossy(&buffer[..length]).into_owned())
}

/// The number that is all of a file.
pub(super) fn number<T: std::str::FromStr>(path: impl AsRef<Path>) -> Option<T> {
    text(path)?.parse().ok()
}
