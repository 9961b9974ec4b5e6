//! What the guest's kernel says.

use std::collections::VecDeque;

use super::CONSOLE_PREFIX;

/// How many lines are kept.
const KEPT: usize = 40;
/// How much of a line.
const LONGEST: usize = 400;

/// The last lines of a console, and what was gathered from all of them.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    begun: Vec<u8>,
    /// Whether the kernel has come as far as its banner.
    pub has_banner: bool,
    /// The first line about a panic.
    pub panic: Option<String>,
    /// The first line that says that memory was short.
    pub out_of_memory: Option<String>,
    /// What our init said when it had no other way.
    pub init_said: Option<String>,
}

/// Of kernel/panic.c.
const PANIC: &str = "Kernel panic - not syncing";
/// Of mm/oom_kill.c and init/initramfs.c.
const OUT_OF_MEMORY: [&str; 4] = [
    "Out of memory",
    "System is deadlocked on memory",
    "Initramfs unpacking failed: write error",
    "Initramfs unpacking failed: out of memory",
];
/// Of init/version.c.
const BANNER: &str = "Linux version ";

impl Tail {
    /// Takes what came.
    pub fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == b'\n' {
                self.end_line();
            } else if self.begun.len() < LONGEST {
                self.begun.push(byte);
            }
        }
    }

    /// The last lines, the one that was begun too.
    pub fn lines(&self) -> Vec<String> {
        let begun = plain(&self.begun);
        let begun = Some(begun).filter(|line| !line.is_empty());
        self.lines.iter().cloned().chain(begun).collect()
    }

    fn end_line(&mut self) {
        let line = plain(&self.begun);
        self.begun.clear();
        if line.is_empty() {
            return;
        }
        let first = |slot: &mut Option<String>, found: bool| {
            if found && slot.is_none() {
                *slot = Some(line.clone());
            }
        };
        self.has_banner |= line.contains(BANNER);
        first(&mut self.panic, line.contains(PANIC));
        let short = OUT_OF_MEMORY.iter().any(|text| line.contains(text));
        first(&mut self.out_of_memory, short);
        if let (None, Some(said)) = (&self.init_said, line.strip_prefix(CONSOLE_PREFIX)) {
            self.init_said = Some(said.to_owned());
        }
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }
}

/// Without what could move a terminal's cursor.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text: String = text
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_what_matters_of_all() {
        let mut tail = Tail::default();
        tail.push(b"[    0.0] Linux vers");
        tail.push(b"ion 6.1\r\n\x1b[2Jx\r\n[    1.0] Kernel panic - not syncing: first\r\n");
        tail.push(b"Kernel panic - not syncing: second\n");
        for number in 0..100 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        tail.push(b"begun");
        tail.push(&[b'x'; 100_000]);
        assert!(tail.has_banner);
        assert_eq!(
            tail.panic.as_deref(),
            Some("[    1.0] Kernel panic - not syncing: first")
        );
        assert_eq!(tail.out_of_memory, None);
        let lines = tail.lines();
        assert_eq!(lines.len(), KEPT + 1);
        assert_eq!(lines[0], "line 60");
        assert_eq!(lines[KEPT].len(), LONGEST);
    }
}
