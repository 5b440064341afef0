//! The bytes between records: line ends, blank lines, and records that cannot be read.

use super::pen::Pen;
use super::sample::Shape;
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) const BOM: &str = "\u{feff}";

/// Lines and what they become where nothing is changed.
pub(crate) struct File<'p> {
    pub(crate) pen: &'p mut Pen,
    pub(crate) bytes: Vec<u8>,
    pub(crate) untouched: Vec<u8>,
    pub(crate) line: u64,
}

impl File<'_> {
    pub(crate) fn line(&mut self, line: &[u8], crlf: bool) -> u64 {
        self.bytes.extend_from_slice(line);
        self.untouched.extend_from_slice(line);
        self.bytes.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        self.untouched.push(b'\n');
        self.line += 1;
        self.line - 1
    }

    pub(crate) fn blank_lines(&mut self) {
        while self.pen.roll(8) == 1 {
            let crlf = self.pen.roll(2) == 1;
            let blank = self.pen.one_of(&["", " ", "\t "]);
            self.line(blank.as_bytes(), crlf);
        }
    }

    /// A record, with blanks around it that belong to it.
    pub(crate) fn record(&mut self, record: &str, crlf: bool) -> u64 {
        let (before, after) = (self.pen.one_of(&["", "", " "]), self.pen.one_of(&["", "", "  "]));
        let line = self.line(format!("{before}{record}{after}").as_bytes(), crlf);
        self.blank_lines();
        line
    }
}

/// A record that can't be read, as a line of its own; `number` makes it the only one of its kind.
pub(crate) fn bad_line(kind: usize, number: usize, shape: Shape) -> Vec<u8> {
    let nested = format!("{}\"bad{number}\"{}", "[".repeat(150), "]".repeat(150));
    let text = match (shape, kind % 8) {
        (_, 0) => format!("\"bad{number}\""),
        (_, 1) => format!("[{number}, \"bad{number}\"]"),
        (_, 2) => format!("{{\"nothing\": \"bad{number}\"}}"),
        (_, 3) => nested,
        (Shape::MessageLines, 4) => format!("{{\"role\": \"user\", \"content\": \"bad{number}"),
        (Shape::MessageLines, 5) => {
            format!("{{\"role\": \"critic\", \"content\": \"bad{number}\"}}")
        }
        (Shape::MessageLines, 6) => {
            format!("{{\"role\": \"user\", \"content\": \"bad{number}\u{1}\"}}")
        }
        (Shape::MessageLines, _) => {
            format!("{{\"role\": \"user\", \"content\": \"bad{number}\u{fffd}\"}}")
        }
        (_, 4) => format!("{{\"messages\": [{{\"role\": \"user\", \"content\": \"bad{number}"),
        (_, 5) => {
            format!("{{\"messages\": [{{\"role\": \"critic\", \"content\": \"bad{number}\"}}]}}")
        }
        (_, 6) => format!("{{\"messages\": [], \"x\": \"bad{number}\u{1}\"}}"),
        (_, _) => format!("{{\"messages\": [], \"x\": \"bad{number}\u{fffd}\"}}"),
    };
    match kind % 8 {
        // Invalid UTF-8.
        7 => {
            let at = text.find('\u{fffd}').unwrap_or(text.len());
            [&text.as_bytes()[..at], b"\xff", &text.as_bytes()[at + 3..]].concat()
        }
        _ => text.into_bytes(),
    }
}

/// An element of an array that is no conversation.
pub(crate) fn bad_element(kind: usize) -> &'static str {
    [
        "5",
        "\"bad, ]\"",
        "{\"messages\": \"bad\"}",
        "{\"role\": \"user\"}",
        "{\"messages\": [{\"role\": \"critic\"}]}",
    ][kind % 5]
}

pub(crate) struct Layout {
    pub(crate) seed: u64,
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
    pub(crate) bad: Vec<(usize, usize)>,
    pub(crate) cut_end: bool,
}

pub(crate) fn layout() -> impl Strategy<Value = Layout> {
    (
        prop_oneof![1 => Just(0), 4 => any::<u64>()],
        any::<bool>(),
        any::<bool>(),
        vec((0..100usize, 0..8usize), 0..3),
        any::<bool>(),
    )
        .prop_map(|(seed, bom, crlf, bad, cut_end)| Layout { seed, bom, crlf, bad, cut_end })
}

impl std::fmt::Debug for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}", self.seed)
    }
}
