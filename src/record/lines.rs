//! The lines of a file that nobody vouches for.

use std::io::{self, BufRead};

/// Longest line: a complete sample of 64 links takes less.
pub const LONGEST_LINE: usize = 4 << 20;
/// Bytes of all lines together, uncompressed: more than ten hours at the usual
/// rate.
pub const LONGEST_TEXT: usize = 128 << 20;

/// How far the lines go.
#[derive(Debug)]
pub enum Next {
    /// A whole line is in the buffer, without its end.
    Line,
    /// There is no more.
    End,
    /// The file ends within a line, or within what is compressed.
    Cut,
    /// It goes on with what is too long to be taken in.
    TooLong,
}

/// Reads whole lines.
pub struct Lines<R> {
    from: R,
    taken: usize,
}

impl<R: BufRead> Lines<R> {
    /// Those of `from`.
    pub fn of(from: R) -> Self {
        Self { from, taken: 0 }
    }

    /// Puts the next line into `line`.
    ///
    /// # Errors
    /// What reading says.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Next> {
        line.clear();
        loop {
            let there = match self.from.fill_buf() {
                Ok(there) => there,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Next::Cut),
                Err(error) => return Err(error),
            };
            if there.is_empty() {
                return Ok(if line.is_empty() {
                    Next::End
                } else {
                    Next::Cut
                });
            }
            let end = there.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(there.len());
            line.extend_from_slice(&there[..taken]);
            let taken = taken + usize::from(end.is_some());
            self.from.consume(taken);
            self.taken += taken;
            if line.len() > LONGEST_LINE || self.taken > LONGEST_TEXT {
                return Ok(Next::TooLong);
            }
            if end.is_some() {
                return Ok(Next::Line);
            }
        }
    }
}
