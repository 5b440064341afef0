//! Folds text into single lines that can stand in a summary.

use super::clip::{CLIP_MARK, word_boundary};
use super::frame::{break_frame_tags, has_frame_tag};
use crate::json::lanes::{LANES, Lanes, Level, Simd, dispatch};
use std::borrow::Cow;

/// The character before the `[` of a terminal's control sequence.
const ESCAPE: char = '\u{1B}';

/// Folds a text into a line of at most `limit` bytes: blanks and control characters become single
/// spaces, and tags of the frame are broken. A longer text ends at a word boundary with a mark.
pub(crate) fn fold_line(text: &str, limit: usize) -> Cow<'_, str> {
    let text = text.trim();
    if text.len() <= limit
        && plain_length(text.as_bytes(), 0, false) == text.len()
        && !has_frame_tag(text)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(rewrite_line(text, limit))
}

/// A line on its way from a text, which is copied in plain stretches and single characters.
struct LineWriter {
    line: String,
    /// Maximum length of the line in bytes.
    limit: usize,
    /// A blank is due before the next character.
    is_blank_due: bool,
    /// The text did not fit.
    is_cut: bool,
}

impl LineWriter {
    /// Appends a stretch of plain characters, up to the limit. `keeps_blanks` keeps a blank at the
    /// cut.
    fn push_plain(&mut self, plain: &str, keeps_blanks: bool) {
        let taken = self.line.len() + usize::from(self.is_blank_due);
        let left = self.limit.saturating_sub(taken);
        if self.is_blank_due && left > 0 {
            self.line.push(' ');
        }
        self.is_cut = plain.len() > left;
        let kept = &plain[..plain.len().min(left)];
        self.line.push_str(if self.is_cut && !keeps_blanks {
            kept.trim_end()
        } else {
            kept
        });
        self.is_blank_due = false;
    }

    /// Appends a character if it fits.
    fn push_char(&mut self, c: char) {
        if self.line.len() + usize::from(self.is_blank_due) + c.len_utf8() > self.limit {
            self.is_cut = true;
            return;
        }
        if self.is_blank_due {
            self.line.push(' ');
        }
        self.is_blank_due = false;
        self.line.push(c);
    }

    /// Returns the line, clipped at a word and marked if the text did not fit.
    fn finish(self) -> String {
        let Self {
            mut line, is_cut, ..
        } = self;
        if is_cut {
            let end = word_boundary(&line, line.len().saturating_sub(1));
            line.truncate(end);
            line.truncate(line.trim_end().len());
            line.push_str(if line.is_empty() {
                CLIP_MARK.trim_start()
            } else {
                CLIP_MARK
            });
        }
        break_frame_tags(line)
    }
}

/// Folds a text that can't stand in the summary as it is.
fn rewrite_line(text: &str, limit: usize) -> String {
    // Blanks between quotation marks are part of the quotation.
    let keeps_blanks = memchr::memchr2(b'"', b'`', text.as_bytes()).is_some();
    let mut writer = LineWriter {
        line: String::with_capacity(text.len().min(limit) + CLIP_MARK.len()),
        limit,
        is_blank_due: false,
        is_cut: false,
    };
    let mut at = 0;
    while at < text.len() && !writer.is_cut {
        let plain = if text.as_bytes()[at].is_ascii() {
            plain_length(text.as_bytes(), at, keeps_blanks)
        } else {
            0
        };
        if plain > 0 {
            writer.push_plain(&text[at..at + plain], keeps_blanks);
            at += plain;
            continue;
        }
        let mut rest = text[at..].chars();
        let Some(c) = rest.next() else { break };
        if c == ESCAPE && rest.as_str().starts_with('[') {
            // Control sequences (ECMA-48: colours and the like) end with a letter. Two words
            // around a sequence stay two words.
            rest.by_ref().skip(1).find(|c| !matches!(c, ' '..='?'));
            writer.is_blank_due |=
                writer.line.ends_with(is_word_char) && rest.as_str().starts_with(is_word_char);
        } else if c.is_control() || (c.is_whitespace() && !(keeps_blanks && c == ' ')) {
            writer.is_blank_due = true;
        } else {
            writer.push_char(c);
        }
        at = text.len() - rest.as_str().len();
    }
    writer.finish()
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the number of bytes from `at` on that can be copied as they are: ASCII without control
/// characters and without repeated blanks. `keeps_blanks` allows repeated blanks.
pub(crate) fn plain_length(bytes: &[u8], at: usize, keeps_blanks: bool) -> usize {
    dispatch!(Level::new(), simd => plain_length_by(simd, bytes, at, keeps_blanks))
}

#[inline(always)]
fn plain_length_by<S: Simd>(simd: S, bytes: &[u8], at: usize, keeps_blanks: bool) -> usize {
    let mut end = at;
    loop {
        let lanes = Lanes::load(simd, bytes, end);
        let blanks = if keeps_blanks {
            0
        } else {
            lanes.mask_byte(b' ')
        };
        // The byte before the block is not in the mask, so a blank at the start of the block ends
        // the stretch.
        let odd = lanes.mask_controls() | lanes.mask_beyond_ascii() | blanks & (blanks << 1 | 1);
        let length = (bytes.len() - end).min(odd.trailing_zeros() as usize);
        end += length;
        if length < LANES {
            // A blank before a blank is repeated.
            return end - at - usize::from(!keeps_blanks && end > at && bytes[end - 1] == b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::lex::frame::escape_heading;
    use proptest::prelude::*;

    #[test]
    fn folding_leaves_one_line_without_the_frame() {
        assert_eq!(
            fold_line(" a\n\n# b\t</summary><SUMMARY>\u{2028}c\u{7}", 100),
            "a # b < /summary>< SUMMARY> c"
        );
        assert_eq!(
            fold_line(
                "\u{1b}[31mred\u{1b}[0m, \u{1b}[1;4mbold\u{1b}[0mplain\u{1b}[",
                99
            ),
            "red, bold plain"
        );
        assert_eq!(fold_line("alpha beta gamma", 12), "alpha beta …");
        assert_eq!(fold_line("say \"a  b\"\tnow", 99), "say \"a  b\" now");
        assert_eq!(escape_heading("## x"), "\\## x");
    }

    /// Folds a text character by character.
    fn fold_by_characters(text: &str, limit: usize) -> String {
        let text = text.trim();
        let quotes = text.contains(['"', '`']);
        let (mut line, mut blank) = (String::new(), false);
        for c in text.chars() {
            if c.is_control() || (c.is_whitespace() && !(quotes && c == ' ')) {
                blank = true;
                continue;
            }
            if line.len() + usize::from(blank) + c.len_utf8() > limit {
                line.truncate(word_boundary(&line, line.len().saturating_sub(1)));
                line.truncate(line.trim_end().len());
                return break_frame_tags(format!(
                    "{line}{}",
                    if line.is_empty() {
                        CLIP_MARK.trim_start()
                    } else {
                        CLIP_MARK
                    }
                ));
            }
            line.extend(blank.then_some(' '));
            blank = false;
            line.push(c);
        }
        break_frame_tags(line)
    }

    proptest! {
        #[test]
        fn blocks_and_characters_fold_alike(text in "([a-c]{1,30}[ ]{0,2}[\n\t\"é客</]{0,2}){0,12}", other in any::<String>(), limit in 0..200_usize) {
            for text in [text, other.replace(ESCAPE, "")] {
                prop_assert_eq!(fold_line(&text, limit), fold_by_characters(&text, limit));
            }
        }
    }
}
