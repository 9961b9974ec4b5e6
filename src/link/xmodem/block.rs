//! Blocks as they go over the line.

use super::{BlockSize, Check, PADDING, Protocol, SOH, STX};

/// CRC-16 with the polynomial 0x1021, from 0, high bit first (CRC-16/XMODEM).
pub fn crc16(data: &[u8]) -> u16 {
    data.iter().fold(0, |crc, &byte| {
        (crc << 8) ^ TABLE[usize::from((crc >> 8) as u8 ^ byte)]
    })
}

const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut crc = (n as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 != 0 {
                (crc << 1) ^ 0x1021
            } else {
                crc << 1
            };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
};

/// The check bytes that follow `data`.
pub fn check_bytes(data: &[u8], check: Check, out: &mut Vec<u8>) {
    match check {
        Check::Checksum => out.push(data.iter().fold(0, |sum, &byte| sum.wrapping_add(byte))),
        Check::Crc => out.extend(crc16(data).to_be_bytes()),
    }
}

/// How many check bytes there are.
pub fn check_length(check: Check) -> usize {
    match check {
        Check::Checksum => 1,
        Check::Crc => 2,
    }
}

/// How many bytes a full block is on the line.
pub fn frame_length(protocol: Protocol) -> usize {
    3 + protocol.block.bytes() + check_length(protocol.check)
}

/// The file cut into what each block carries: long blocks as long as they are
/// full, short ones for the rest.
pub fn cut(file: &[u8], size: BlockSize) -> Vec<&[u8]> {
    let whole = file.len() / size.bytes() * size.bytes();
    let (blocks, rest) = file.split_at(whole);
    blocks
        .chunks(size.bytes())
        .chain(rest.chunks(BlockSize::Short.bytes()))
        .collect()
}

/// Puts the block `number` (from 1) with `data` into `out`.
pub fn encode(number: usize, data: &[u8], check: Check, out: &mut Vec<u8>) {
    let length = if data.len() > BlockSize::Short.bytes() {
        BlockSize::Long.bytes()
    } else {
        BlockSize::Short.bytes()
    };
    out.clear();
    out.push(if length == BlockSize::Long.bytes() {
        STX
    } else {
        SOH
    });
    out.extend([number as u8, !(number as u8)]);
    out.extend(data);
    out.resize(3 + length, PADDING);
    let (mut checked, body) = (Vec::with_capacity(2), &out[3..]);
    check_bytes(body, check, &mut checked);
    out.extend(checked);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_the_catalogued_one() {
        // The check value of CRC-16/XMODEM for "123456789".
        assert_eq!(crc16(b"123456789"), 0x31C3);
    }

    #[test]
    fn blocks_have_their_form() {
        let mut out = Vec::new();
        encode(257, b"abc", Check::Checksum, &mut out);
        assert_eq!(out.len(), 132);
        assert_eq!(out[..7], [SOH, 1, 0xFE, b'a', b'b', b'c', PADDING]);
        let sum: u32 = out[3..131].iter().map(|&byte| u32::from(byte)).sum();
        assert_eq!(out[131], sum as u8);
        encode(1, &[7; 1024], Check::Crc, &mut out);
        assert_eq!((out[0], out.len()), (STX, 1029));
    }

    #[test]
    fn a_file_of_the_2010_report_has_4206_blocks() {
        let file = vec![0; 538_368];
        assert_eq!(cut(&file, BlockSize::Short).len(), 4206);
        let long = cut(&file, BlockSize::Long);
        assert_eq!((long.len(), long[525].len()), (525 + 6, 128));
        assert!(cut(&[], BlockSize::Long).is_empty());
    }
}
