//! JSON: the model as it is, in lines that people can read and diff.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Writes `value` with a newline at its end.
///
/// # Errors
/// What writing says.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Layered::default());
    value.serialize(&mut serializer)?;
    writeln!(out)
}

/// What lies deeper than this is written on one line: a visit, say.
const DEEPEST: usize = 5;

/// Indented near the root and on one line below.
#[derive(Default)]
struct Layered<'a> {
    depth: usize,
    indented: PrettyFormatter<'a>,
}

impl Layered<'_> {
    fn is_compact(&self) -> bool {
        self.depth > DEEPEST
    }
}

impl Formatter for Layered<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.is_compact() {
            return out.write_all(b"[");
        }
        self.indented.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let compact = self.is_compact();
        self.depth -= 1;
        if compact {
            return out.write_all(b"]");
        }
        self.indented.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.is_compact() {
            return if first { Ok(()) } else { out.write_all(b", ") };
        }
        self.indented.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.indented.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        if self.is_compact() {
            return out.write_all(b"{");
        }
        self.indented.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let compact = self.is_compact();
        self.depth -= 1;
        if compact {
            return out.write_all(b"}");
        }
        self.indented.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if self.is_compact() {
            return if first { Ok(()) } else { out.write_all(b", ") };
        }
        self.indented.begin_object_key(out, first)
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
    fn deep_things_stand_on_one_line_and_all_of_it_reads_back() {
        let visits = json!([{"n": 1, "of": [1, 2]}, {"n": 2, "of": []}]);
        let value = json!({"a": {"b": {"c": {"visits": visits, "none": {}, "no": []}}}});
        let mut out = Vec::new();
        write(&value, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains("\n          {\"n\": 1, \"of\": [1, 2]},\n"),
            "{text}"
        );
        assert!(text.ends_with("}\n"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
