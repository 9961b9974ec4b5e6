//! A trace for Wireshark: pcap with nanoseconds and link type 250.
//!
//! `LINKTYPE_RTAC_SERIAL` is the registered type for what went over a serial
//! line and which way. Its header of 12 bytes (seconds, microseconds, kind,
//! control lines, two reserved; big-endian) is described at
//! <https://www.tcpdump.org/linktypes/LINKTYPE_RTAC_SERIAL.html>.

use super::{Origin, Record, What};

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const LINKTYPE_RTAC_SERIAL: u32 = 250;
const SNAP_LENGTH: u32 = 262_144;
const HEADER: u32 = 12;

const DATA_TX_START: u8 = 1;
const DATA_RX_START: u8 = 2;
const CAPTURE_DATA_LOST: u8 = 5;

/// What the file begins with.
pub fn head(out: &mut Vec<u8>) {
    out.extend(MAGIC_NANOSECONDS.to_ne_bytes());
    for version in [2u16, 4] {
        out.extend(version.to_ne_bytes());
    }
    for word in [0, 0, SNAP_LENGTH, LINKTYPE_RTAC_SERIAL] {
        out.extend(word.to_ne_bytes());
    }
}

/// Appends a record; `data` are its bytes. Events have no place in the format.
pub fn record(out: &mut Vec<u8>, record: &Record, data: &[u8], origin: &Origin) {
    let kind = match record.what {
        What::Bytes(_) if record.from_a => DATA_TX_START,
        What::Bytes(_) => DATA_RX_START,
        What::Gap(gap) if gap.bytes > 0 => CAPTURE_DATA_LOST,
        What::Gap(_) | What::Event(_) => return,
    };
    let at = origin.wall_at(record.at_ns);
    let seconds = at.as_secs() as u32;
    let length = HEADER + data.len() as u32;
    for word in [seconds, at.subsec_nanos(), length, length] {
        out.extend(word.to_ne_bytes());
    }
    out.extend(seconds.to_be_bytes());
    out.extend(at.subsec_micros().to_be_bytes());
    out.extend([kind, 0, 0, 0]);
    out.extend(data);
}
