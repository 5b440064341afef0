//! Receivers of a history's text, message by message.

use std::io::{self, Write};

/// A text is written out when it is this long, in bytes.
const PIECE_BYTES: usize = 256 << 10;

/// A receiver of the text of a history.
pub(crate) trait HistorySink {
    /// Returns the buffer that the text is appended to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// Takes note that a message is complete.
    fn end_message(&mut self) {}
}

impl HistorySink for Vec<u8> {
    fn buffer(&mut self) -> &mut Vec<u8> {
        self
    }
}

/// A history that is written out in pieces: only one message of a long record is in memory twice.
pub(crate) struct StreamedHistory<'w> {
    buffer: Vec<u8>,
    out: &'w mut dyn Write,
    /// The first failure. Nothing is written after it.
    result: io::Result<()>,
}

impl<'w> StreamedHistory<'w> {
    /// Makes a sink that writes into `out`.
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self { buffer: Vec::new(), out, result: Ok(()) }
    }

    /// Writes the last piece. Fails if any piece could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write_piece();
        self.result
    }

    fn write_piece(&mut self) {
        if self.result.is_ok() {
            self.result = self.out.write_all(&self.buffer);
        }
        self.buffer.clear();
    }
}

impl HistorySink for StreamedHistory<'_> {
    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn end_message(&mut self) {
        if self.buffer.len() >= PIECE_BYTES {
            self.write_piece();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes this many bytes, and fails then.
    struct Disk {
        room: usize,
        written: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room - self.written.len());
            self.written.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write_messages(disk: &mut Disk) -> io::Result<()> {
        let mut sink = StreamedHistory::new(disk);
        for _ in 0..10 {
            sink.buffer().resize(PIECE_BYTES / 2, b'x');
            sink.end_message();
            assert!(sink.buffer.len() < PIECE_BYTES);
        }
        sink.finish()
    }

    #[test]
    fn pieces_are_the_whole_text_and_a_full_disk_is_an_error() {
        let mut disk = Disk { room: usize::MAX, written: Vec::new() };
        write_messages(&mut disk).unwrap();
        assert_eq!(disk.written.len(), PIECE_BYTES / 2);
        for room in [0, 10, PIECE_BYTES / 2 - 1] {
            let mut full = Disk { room, written: Vec::new() };
            let error = write_messages(&mut full).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        }
    }
}
