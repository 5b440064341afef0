//! Reading of a stream in pieces that have a row each.

use crate::reading::json::{Scanner, decode_literal};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read};

/// The bytes that are read from the stream at once.
const READ_BYTES: usize = 256 << 10;

/// What has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PieceKind {
    /// A line, which holds a whole record.
    Line,
    /// The lines of a thread, which come after one another.
    Thread,
    /// A line with a JSON string, which holds a whole file.
    Document,
}

/// A part of the stream that has a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputPiece {
    /// The first line, from 1.
    pub line: u64,
    pub lines: u64,
    /// The bytes, with the line ends that the stream has.
    pub bytes: Vec<u8>,
}

/// Cuts a stream into pieces.
pub(crate) struct PieceReader<R> {
    reader: BufReader<R>,
    /// The key whose equal values make a thread; none if each line is a piece.
    thread_key: Option<String>,
    /// The number of lines read.
    lines: u64,
    /// A line that was read, and belongs to the next piece.
    ahead: Option<Vec<u8>>,
}

impl<R: Read> PieceReader<R> {
    /// Begins at the first line.
    pub(crate) fn new(stream: R, thread_key: Option<String>) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BYTES, stream),
            thread_key,
            lines: 0,
            ahead: None,
        }
    }

    /// Waits for the next piece, and takes the pieces behind it that are there already, as long as
    /// all are shorter than `max_bytes`. Returns none at the end of the stream. Fails if the stream
    /// can't be read.
    pub(crate) fn next_pieces(&mut self, max_bytes: usize) -> io::Result<Vec<InputPiece>> {
        let mut pieces: Vec<InputPiece> = self.next_piece()?.into_iter().collect();
        let mut bytes = pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>();
        while !pieces.is_empty() && bytes < max_bytes && self.has_line() {
            let Some(piece) = self.next_piece()? else {
                break;
            };
            bytes += piece.bytes.len();
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// Returns true if the next line can be read without waiting for the stream.
    fn has_line(&self) -> bool {
        memchr::memchr(b'\n', self.reader.buffer()).is_some()
    }

    fn next_piece(&mut self) -> io::Result<Option<InputPiece>> {
        let Some(mut bytes) = self.next_line()? else {
            return Ok(None);
        };
        let line = self.lines;
        let mut lines = 1;
        if let Some(key) = &self.thread_key
            && let Some(thread) = value_of_key(&bytes, key)
        {
            let key = key.clone();
            while let Some(next) = self.next_line()? {
                if value_of_key(&next, &key).as_ref() != Some(&thread) {
                    self.lines -= 1;
                    self.ahead = Some(next);
                    break;
                }
                lines += 1;
                bytes.extend_from_slice(&next);
            }
        }
        Ok(Some(InputPiece { line, lines, bytes }))
    }

    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = self.ahead.take().unwrap_or_default();
        if line.is_empty() && self.reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.lines += 1;
        Ok(Some(line))
    }
}

/// Returns the value of a key of an object, as the text of its JSON; none if there is none.
fn value_of_key(line: &[u8], key: &str) -> Option<Vec<u8>> {
    let line = line.trim_ascii();
    let mut found = None;
    let read = Scanner::new(line).read_object(|s, name| {
        s.peek_kind()?;
        let value = s.skip_value()?.slice(line);
        if name == key.as_bytes() && value != b"null" {
            // Equal strings may be spelled differently.
            found = Some(match value.first() {
                Some(b'"') => decode_literal(value).into_owned().into_bytes(),
                _ => value.to_vec(),
            });
        }
        Ok(())
    });
    read.ok().and(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(text: &str, key: Option<&str>, max_bytes: usize) -> Vec<InputPiece> {
        let mut reader = PieceReader::new(text.as_bytes(), key.map(str::to_owned));
        let mut all = Vec::new();
        loop {
            let some = reader.next_pieces(max_bytes).unwrap();
            if some.is_empty() {
                return all;
            }
            all.extend(some);
        }
    }

    #[test]
    fn lines_of_a_thread_stay_together() {
        let text = "{\"t\":\"a\"}\n{\"t\":\"\\u0061\",\"x\":1}\n\n{\"t\":2}\n{\"t\":2}\n{\"x\":2}\n{\"x\":2}";
        let counts: Vec<(u64, u64)> = pieces(text, Some("t"), 1 << 20)
            .iter()
            .map(|piece| (piece.line, piece.lines))
            .collect();
        assert_eq!(counts, [(1, 2), (3, 1), (4, 2), (6, 1), (7, 1)]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_stream(text in "[ab\n]{0,40}", max_bytes in 0..20_usize) {
            let pieces = pieces(&text, None, max_bytes);
            let bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes.clone()).collect();
            prop_assert_eq!(bytes, text.as_bytes());
            let numbers: Vec<u64> = pieces.iter().map(|piece| piece.line).collect();
            prop_assert_eq!(numbers, (1..=pieces.len() as u64).collect::<Vec<_>>());
        }
    }
}
