//! A trace to be read: a line for each 16 bytes, hexadecimal and text.

use std::io::Write;

use crate::words::counted;

use super::{Gap, Origin, Record, What};

const ROW: usize = 16;

/// What the file begins with.
pub fn head(out: &mut Vec<u8>, origin: &Origin) {
    let [a, b] = &origin.labels;
    let began = origin.wall_at(origin.mono_ns);
    // Writing to a Vec cannot fail.
    let _ = writeln!(
        out,
        "# A is {a}, B is {b}; seconds since {}.{:06} (Unix time)",
        began.as_secs(),
        began.subsec_micros()
    );
}

/// Appends a record; `data` are its bytes.
pub fn record(out: &mut Vec<u8>, record: &Record, data: &[u8], origin: &Origin) {
    let at = origin.elapsed(record.at_ns);
    let (seconds, micros) = (at.as_secs(), at.subsec_micros());
    let (from, to) = if record.from_a {
        ('A', 'B')
    } else {
        ('B', 'A')
    };
    let _ = match record.what {
        What::Bytes(length) => {
            let _ = write!(out, "{seconds:6}.{micros:06} {from}>{to} {length:5}  ");
            rows(out, data);
            Ok(())
        }
        What::Event(kind) => writeln!(out, "{seconds:6}.{micros:06} {from}          {kind}"),
        What::Gap(gap) => writeln!(
            out,
            "{seconds:6}.{micros:06} -          {} not written down: the disk is too slow",
            left_out(gap)
        ),
    };
}

fn left_out(gap: Gap) -> String {
    let bytes = || counted(gap.bytes, "byte");
    let events = || counted(gap.events, "event");
    match gap {
        Gap { events: 0, .. } => bytes(),
        Gap { bytes: 0, .. } => events(),
        _ => format!("{} and {}", bytes(), events()),
    }
}

fn rows(out: &mut Vec<u8>, data: &[u8]) {
    for (n, row) in data.chunks(ROW).enumerate() {
        if n > 0 {
            out.extend_from_slice(&[b' '; 25]);
        }
        for byte in row {
            let _ = write!(out, "{byte:02x} ");
        }
        out.extend(std::iter::repeat_n(b' ', 3 * (ROW - row.len()) + 1));
        out.extend(row.iter().map(|&byte| match byte {
            b' '..=b'~' => byte,
            _ => b'.',
        }));
        out.push(b'\n');
    }
}
