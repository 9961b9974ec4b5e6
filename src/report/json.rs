//! JSON: the model as it is, in lines that people can read and diff.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::words::told_in_json;

/// Writes `value` with a newline at its end.
///
/// # Errors
/// What writing says.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Layered::default());
    value.serialize(&mut serializer)?;
    writeln!(out)
}

/// From this depth on, what an array holds stands on one line: a visit, say.
const DEEP: usize = 4;

/// Indented near the root and on one line below.
#[derive(Default)]
struct Layered<'a> {
    /// Of each open bracket, whether it is an array's.
    open: Vec<bool>,
    /// How many brackets were open when the line began that is being written.
    line: Option<usize>,
    indented: PrettyFormatter<'a>,
}

impl Layered<'_> {
    /// Opens a bracket; whether it is on one line with what it holds.
    fn open(&mut self, is_array: bool) -> bool {
        let in_array = self.open.last().copied().unwrap_or(false);
        if self.line.is_none() && in_array && self.open.len() >= DEEP {
            self.line = Some(self.open.len());
        }
        self.open.push(is_array);
        self.line.is_some()
    }

    /// Closes it; whether it was on one line.
    fn close(&mut self) -> bool {
        self.open.pop();
        let was = self.line.is_some();
        self.line = self.line.filter(|&line| line < self.open.len());
        was
    }
}

impl Formatter for Layered<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.open(true) {
            return out.write_all(b"[");
        }
        self.indented.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.close() {
            return out.write_all(b"]");
        }
        self.indented.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.line.is_some() {
            return if first { Ok(()) } else { out.write_all(b", ") };
        }
        self.indented.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.indented.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.open(false) {
            return out.write_all(b"{");
        }
        self.indented.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.close() {
            return out.write_all(b"}");
        }
        self.indented.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.line.is_some() {
            return if first { Ok(()) } else { out.write_all(b", ") };
        }
        self.indented.begin_object_key(out, first)
    }

    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        out.write_all(told_in_json(fragment).as_bytes())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.indented.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_string_is_exact_and_no_command_to_a_terminal() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{202e}\n\"é";
        let mut out = Vec::new();
        write(&json!({hostile: hostile}), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let commands = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!text.contains(commands), "{text:?}");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, json!({hostile: hostile}));
    }

    #[test]
    fn deep_things_stand_on_one_line_and_all_of_it_reads_back() {
        let visits = json!([{"n": 1, "of": [1, 2]}, {"n": 2, "of": []}]);
        let value = json!({"a": {"b": {"visits": visits, "none": {}, "no": []}}, "w": [{"x": 1}]});
        let mut out = Vec::new();
        write(&value, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let line =
            "\n        {\"n\": 1, \"of\": [1, 2]},\n        {\"n\": 2, \"of\": []}\n      ]\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("\n    {\n      \"x\": 1\n    }\n"), "{text}");
        assert!(text.ends_with("}\n"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
