//! Chunk sizes at which something in the path of a write changes.

use super::geometry::{WRITE_PIECE, split};

/// A chunk size after which a byte more makes a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// The largest chunk before the change.
    pub at: usize,
    /// The chunks worth measuring around it, rising.
    pub points: Vec<usize>,
    /// Those of them at which a step from boundary to boundary stops; none
    /// where the boundary is a minor one.
    pub stops: Vec<usize>,
    /// What changes, in a line.
    pub reason: &'static str,
}

/// All boundaries of a machine with pages of `page_size` bytes, rising.
///
/// Reasons count as kernels since 3.14 do, two characters per accounted byte.
pub fn boundaries(page_size: usize) -> Vec<Boundary> {
    let boundary = |at: usize, points: &[usize], stops: &[usize], reason| Boundary {
        at,
        points: points.to_vec(),
        stops: stops.to_vec(),
        reason,
    };
    let mut all = vec![
        boundary(
            128,
            &[128, 129],
            &[128, 129],
            "4 chunks of 128 fill a 256-byte buffer exactly (512 characters); of 129 only 3 fit",
        ),
        boundary(
            170,
            &[170, 171],
            &[],
            "3 chunks of 170 fit in a 256-byte buffer; of 171 only 2",
        ),
        boundary(
            256,
            &[255, 256, 257],
            &[255, 256, 257],
            "buffers of 256 bytes are kept on a free list; larger ones are kmalloc'ed and kfree'd each time",
        ),
        boundary(
            512,
            &[511, 512, 513],
            &[512, 513],
            "the buffer grows from 512 to 768 bytes; of 513 only 2 chunks fit in its 1536 characters",
        ),
        boundary(
            768,
            &[768],
            &[],
            "2 chunks of 768 fill their buffer exactly; the next size is 1024 bytes",
        ),
        boundary(
            1024,
            &[1000, 1024, 1025],
            &[],
            "just below 1024 a pty takes most; the buffer grows from 1024 to 1280 bytes",
        ),
    ];
    let split = split(page_size);
    if split < WRITE_PIECE {
        all.push(boundary(
            split,
            &[split - 1, split, split + 1],
            &[split, split + 1],
            "TTY_BUFFER_PAGE: a larger piece is split over two requests",
        ));
    }
    all.push(boundary(
        WRITE_PIECE,
        &[WRITE_PIECE - 1, WRITE_PIECE, WRITE_PIECE + 1],
        &[WRITE_PIECE, WRITE_PIECE + 1],
        "write(2) hands the line discipline at most 2048 bytes at once",
    ));
    all
}

/// The nearest stop above `chunk`, or `None` above the last.
pub fn next_boundary(chunk: usize, page_size: usize) -> Option<usize> {
    stops(page_size).find(|&stop| stop > chunk)
}

/// The nearest stop below `chunk`, or `None` below the first.
pub fn previous_boundary(chunk: usize, page_size: usize) -> Option<usize> {
    stops(page_size).take_while(|&stop| stop < chunk).last()
}

fn stops(page_size: usize) -> impl Iterator<Item = usize> {
    boundaries(page_size)
        .into_iter()
        .flat_map(|boundary| boundary.stops)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_visit_every_stop_both_ways() {
        let up: Vec<_> =
            std::iter::successors(next_boundary(1, 4096), |&chunk| next_boundary(chunk, 4096))
                .collect();
        assert_eq!(
            up,
            [128, 129, 255, 256, 257, 512, 513, 1792, 1793, 2048, 2049]
        );
        let down: Vec<_> = std::iter::successors(previous_boundary(1 << 20, 4096), |&chunk| {
            previous_boundary(chunk, 4096)
        })
        .collect();
        assert!(down.iter().eq(up.iter().rev()));
        assert_eq!(next_boundary(2049, 4096), None);
        assert_eq!(previous_boundary(128, 4096), None);
    }

    #[test]
    fn large_pages_have_no_split_below_the_write_piece() {
        let at = |page_size| -> Vec<_> { boundaries(page_size).iter().map(|b| b.at).collect() };
        assert_eq!(at(4096), [128, 170, 256, 512, 768, 1024, 1792, 2048]);
        assert_eq!(at(65536), [128, 170, 256, 512, 768, 1024, 2048]);
    }
}
