//! Checksums of bytes that are written now and read much later: XXH3 with 128 bits, which finds
//! any accidental change and costs little beside reading.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use twox_hash::xxhash3_128::Hasher;

/// A checksum over bytes that are added piece by piece.
#[derive(Clone)]
pub(crate) struct Checksum(Hasher);

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Self(Hasher::new())
    }
}

impl Checksum {
    /// Computes the checksum of `bytes`, as 32 hexadecimal digits.
    pub(crate) fn hex_of_bytes(bytes: &[u8]) -> String {
        format!("{:032x}", Hasher::oneshot(bytes))
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the checksum of all bytes so far, as 32 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        format!("{:032x}", self.0.finish_128())
    }
}

/// The checksums of the stretches of an output. A stretch ends where a splice ends, so that each
/// byte belongs to one stretch.
#[derive(Debug, Default)]
pub(crate) struct StretchChecksums {
    /// The offset of the next byte.
    position: u64,
    /// The ends of the stretches to come, in increasing order.
    ends: VecDeque<u64>,
    current: Checksum,
    finished: Vec<String>,
}

impl StretchChecksums {
    /// Adds the ends of stretches. They lie behind all earlier ends and all bytes so far.
    pub(crate) fn expect_ends(&mut self, ends: impl Iterator<Item = u64>) {
        self.ends.extend(ends);
        self.finish_stretches();
    }

    /// Adds the next bytes of the output.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while let Some(end) = self.ends.front() {
            let missing = usize::try_from(end.saturating_sub(self.position)).unwrap_or(usize::MAX);
            if missing > bytes.len() {
                break;
            }
            let (stretch, rest) = bytes.split_at(missing);
            self.current.update(stretch);
            self.position += stretch.len() as u64;
            self.finish_stretches();
            bytes = rest;
        }
        self.current.update(bytes);
        self.position += bytes.len() as u64;
    }

    fn finish_stretches(&mut self) {
        while self.ends.pop_front_if(|end| *end <= self.position).is_some() {
            self.finished.push(std::mem::take(&mut self.current).hex());
        }
    }

    /// Returns the checksums of the stretches that ended since the last call, in order.
    pub(crate) fn take_finished(&mut self) -> Vec<String> {
        std::mem::take(&mut self.finished)
    }

    /// Returns the checksum of the bytes behind the last stretch.
    pub(crate) fn remainder(&self) -> String {
        self.current.hex()
    }
}

/// A writer that computes the checksum of what passes through.
#[derive(Debug)]
pub(crate) struct ChecksumPipe<T> {
    inner: T,
    checksum: Checksum,
    bytes: u64,
}

impl<T> ChecksumPipe<T> {
    /// Begins with no bytes.
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, checksum: Checksum::default(), bytes: 0 }
    }

    /// Returns the checksum of the bytes so far.
    pub(crate) fn hex(&self) -> String {
        self.checksum.hex()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the writer, to write past the checksum.
    pub(crate) fn into_inner(self) -> T {
        self.inner
    }
}

impl<T: Write> Write for ChecksumPipe<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.checksum.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_do_not_depend_on_how_the_bytes_arrive() {
        let bytes = b"abcdefghij";
        let wanted = [&bytes[..0], &bytes[..3], &bytes[3..3], &bytes[3..8]];
        for step in 1..=bytes.len() {
            let mut checksums = StretchChecksums::default();
            checksums.expect_ends([0, 3, 3].into_iter());
            let mut finished = Vec::new();
            for (index, piece) in bytes.chunks(step).enumerate() {
                checksums.update(piece);
                if index == 0 {
                    checksums.expect_ends([8.max(step as u64)].into_iter());
                }
                finished.extend(checksums.take_finished());
            }
            assert_eq!(
                finished[..3],
                wanted[..3].iter().map(|s| Checksum::hex_of_bytes(s)).collect::<Vec<_>>()
            );
            let last = 8.max(step);
            assert_eq!(finished[3], Checksum::hex_of_bytes(&bytes[3..last]));
            assert_eq!(checksums.remainder(), Checksum::hex_of_bytes(&bytes[last..]));
        }
    }

    #[test]
    fn what_passes_through_is_summed_once() {
        let mut writer = ChecksumPipe::new(Vec::new());
        writer.write_all(b"ab").unwrap();
        writer.write_all(b"c").unwrap();
        assert_eq!((writer.hex(), writer.bytes()), (Checksum::hex_of_bytes(b"abc"), 3));
        assert_eq!(writer.into_inner(), b"abc");
    }

    #[test]
    fn sums_as_published() {
        // Of the reference implementation, xxhsum -H2.
        assert_eq!(Checksum::hex_of_bytes(b""), "99aa06d3014798d86001c324468d497f");
    }
}
