//! The receiving end of one direction: flip buffers, their worker, and the
//! reader's queue, as tty_buffer.c and n_tty.c keep them.

use std::collections::VecDeque;

use super::geometry::{Geometry, READ_QUEUE, SMALLEST, round_up};

/// One `struct tty_buffer`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer {
    /// Accounted bytes.
    pub size: usize,
    /// Characters stored.
    pub used: usize,
    /// Characters that the worker has moved on.
    read: usize,
}

/// A `struct tty_port` with nobody reading.
#[derive(Debug)]
pub(super) struct Port {
    geometry: Geometry,
    buffers: VecDeque<Buffer>,
    accounted: usize,
    free_list: usize,
    read_queue: usize,
    emptied: Vec<Buffer>,
}

impl Port {
    pub fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            buffers: VecDeque::new(),
            accounted: 0,
            free_list: 0,
            read_queue: 0,
            emptied: Vec::new(),
        }
    }

    /// `tty_write_room`.
    pub fn room(&self) -> usize {
        self.geometry.era.room(self.accounted)
    }

    /// `tty_insert_flip_string`: how many of `count` characters were taken.
    pub fn insert(&mut self, count: usize) -> usize {
        let mut taken = 0;
        while taken < count {
            let asked = (count - taken).min(self.geometry.split);
            let got = self.request_room(asked);
            if got == 0 {
                break;
            }
            if let Some(tail) = self.buffers.back_mut() {
                tail.used += got;
            }
            taken += got;
        }
        taken
    }

    /// `__tty_buffer_request_room`: a piece is never split to use up the tail,
    /// except when no further buffer is granted.
    fn request_room(&mut self, asked: usize) -> usize {
        let chars_per_byte = self.geometry.era.chars_per_byte();
        let left = self
            .buffers
            .back()
            .map_or(0, |tail| chars_per_byte * tail.size - tail.used);
        if left >= asked || self.allocate(asked) {
            asked
        } else {
            left
        }
    }

    /// `tty_buffer_alloc`: the free list holds 256-byte buffers only, and one
    /// from there is not held against the limit.
    fn allocate(&mut self, asked: usize) -> bool {
        let size = round_up(asked);
        if size == SMALLEST && self.free_list > 0 {
            self.free_list -= 1;
        } else if self.geometry.era.refuses(self.accounted, size) {
            return false;
        }
        self.accounted += size;
        self.buffers.push_back(Buffer {
            size,
            used: 0,
            read: 0,
        });
        true
    }

    /// `flush_to_ldisc`: moves characters until the reader's queue is full.
    pub fn flush(&mut self) {
        while self.flush_one() {}
    }

    /// The worker up to the next buffer that it frees: whether it freed one.
    pub fn flush_one(&mut self) -> bool {
        let Some(head) = self.buffers.front_mut() else {
            return false;
        };
        let moved = (head.used - head.read).min(READ_QUEUE - self.read_queue);
        head.read += moved;
        self.read_queue += moved;
        if head.read < head.used || self.buffers.len() == 1 {
            return false;
        }
        if let Some(done) = self.buffers.pop_front() {
            self.accounted -= done.size;
            self.free_list += usize::from(done.size == SMALLEST);
            self.emptied.push(done);
        }
        true
    }

    /// Buffers still held, oldest first.
    pub fn held(&self) -> impl DoubleEndedIterator<Item = &Buffer> {
        self.buffers.iter()
    }

    /// Buffers moved into the reader's queue whole and freed.
    pub fn emptied(&self) -> &[Buffer] {
        &self.emptied
    }
}
