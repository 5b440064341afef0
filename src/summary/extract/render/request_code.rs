//! Adds the blocks of code of a request to its parts: a short one as a whole, of a longer one what tells
//! of the fault.

use super::request_headings::{PROPOSED, asks_for_version, is_heading};
use super::request_splitter::RequestSplitter;
use super::sentence_worth::{NO_WORTH, names_error};
use super::traceback_lines::{is_frame, is_of_library, is_of_traceback};
use crate::summary::extract::facts::tracebacks::TRACEBACK;

/// The most lines and bytes of a block of code that is shown as a whole or not at all, and the most that it
/// has of the room beside a proposed solution, in hundredths.
const MOST_WHOLE_LINES: usize = 15;
const LONGEST_WHOLE: usize = 480;
const MOST_OF_ROOM: usize = 35;
/// What the message of an error in a longer block says, and a line that calls something.
const ERROR_WORTH: i32 = 40;
const CODE_WORTH: i32 = -6;
/// What the newest places of a traceback say, the last first.
pub(super) const FRAME_WORTHS: [i32; 3] = [24, 8, 4];
/// Minimum length in bytes of such a line that calls something.
const LEAST_CODE: usize = 16;
/// How much a block of code says that is shown as a whole, and the first one, which often shows the
/// fault.
const WHOLE_BLOCK_WORTH: i32 = 30;
const FIRST_BLOCK_WORTH: i32 = 90;

/// Returns the maximum length in bytes of a block of code that is shown as a whole. Beside a solution in words,
/// an example has less room.
pub(super) fn longest_whole(text: &str, room: usize) -> usize {
    let proposes = text
        .lines()
        .any(|line| is_heading(line) && line.to_ascii_lowercase().contains(PROPOSED));
    if proposes {
        LONGEST_WHOLE.min(room * MOST_OF_ROOM / 100)
    } else {
        LONGEST_WHOLE
    }
}

impl RequestSplitter<'_> {
    /// Adds the block of code that is open. Of a longer one only the messages of errors say something,
    /// and a little what is called.
    pub(super) fn close_code(&mut self) {
        let Some(block) = self.code.take() else {
            return;
        };
        let length: usize = block.iter().map(|line| line.len() + 1).sum();
        let is_whole = block.len() <= MOST_WHOLE_LINES
            && length <= self.longest_whole
            && !block.iter().any(|line| line.contains(TRACEBACK))
            && !block.first().is_some_and(|line| asks_for_version(line));
        let is_traceback = block.iter().any(|line| is_of_traceback(line));
        let frames: Vec<usize> = (block.iter().enumerate())
            .filter(|(_, line)| is_frame(line) && !is_of_library(line))
            .map(|(number, _)| number)
            .collect();
        let heading = self.intro.or(self.section);
        let first = self.parts.len();
        let is_first = self.parts.iter().all(|part| part.group.is_none());
        let first_line = self.lines.saturating_sub(block.len());
        for (number, line) in block.into_iter().enumerate() {
            let worth = if is_whole && is_first {
                FIRST_BLOCK_WORTH
            } else if is_whole {
                WHOLE_BLOCK_WORTH
            } else if names_error(line) {
                ERROR_WORTH
            } else if let Some(newer) = frames.iter().rev().position(|frame| *frame == number) {
                FRAME_WORTHS.get(newer).copied().unwrap_or(NO_WORTH)
            } else if !is_traceback && line.len() >= LEAST_CODE && line.contains('(') {
                CODE_WORTH
            } else {
                NO_WORTH
            };
            self.push(line, heading, worth);
            self.parts[first + number].line = first_line + number;
        }
        if is_whole {
            for part in &mut self.parts[first..] {
                part.group = Some(first);
            }
        }
    }
}
