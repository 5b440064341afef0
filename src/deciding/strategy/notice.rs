//! The notice that replaces an evicted result: its path, and a preview of its
//! head and tail. The text is Deep Agents', see `docs/reference/deepagents.md`.

use crate::base::text::{first_chars, python_lines};
use crate::deciding::policy::NoticeForm;
use std::fmt::Write;

/// The lines in the head of a preview, and in its tail.
const PREVIEW_LINES: usize = 5;
/// The longest line in a preview, in code points.
const LINE_CHARS: usize = 1000;

/// The beginning of every notice.
const BEGINNING: &str = "Tool result too large, the result of this tool call ";

/// Returns true if a result, given as a JSON literal, is a notice already. Evicting it would
/// replace the file that it names by a notice.
pub(crate) fn is_notice(literal: &[u8]) -> bool {
    literal.get(1..).is_some_and(|inner| {
        inner.starts_with(BEGINNING.as_bytes()) || inner.starts_with(PLAIN_BEGINNING.as_bytes())
    })
}

/// Returns true if the text of a result is a notice of any form.
pub(crate) fn is_notice_text(text: &str) -> bool {
    text.starts_with(BEGINNING) || text.starts_with(PLAIN_BEGINNING)
}

/// The longest call id that a notice with caveats shows in full, in code points.
const ID_CHARS: usize = 32;
/// Explains the line in the middle of a preview.
const OMITTED_LINES: &str = "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content";
/// Says that shown lines are cut.
const CUT_LINES: &str = "the output contains lines longer than 1000 characters; this preview shows only their first 1000 characters";

/// The beginning of every plain notice of a result.
const PLAIN_BEGINNING: &str = "This result is too long to be shown in full. ";
/// The beginning of every plain notice of a user message.
const PLAIN_HUMAN: &str = "This message is too long to be shown in full. ";

/// The beginning of the notice for a user message.
const HUMAN_BEGINNING: &str = "Message content too large and was saved to the filesystem at: ";

/// Returns true if a user message, given as a JSON literal, is a notice already.
pub(crate) fn is_human_notice(literal: &[u8]) -> bool {
    literal.get(1..).is_some_and(|inner| {
        inner.starts_with(HUMAN_BEGINNING.as_bytes()) || inner.starts_with(PLAIN_HUMAN.as_bytes())
    })
}

/// Returns the notice for a user message with this text.
pub(crate) fn render_human_notice(form: NoticeForm, path: &str, text: &str) -> String {
    let preview = Preview::new(form, text);
    let note = preview.note(form, "content");
    let shown = preview.shown;
    if form == NoticeForm::Plain {
        return format!("{PLAIN_HUMAN}{note}\n\n{shown}\n");
    }
    format!(
        "{HUMAN_BEGINNING}{path}\n\n\
         You can read the full content using the read_file tool with pagination (offset and limit parameters).\n\n\
         {note}\n\n{shown}\n"
    )
}

/// Returns the notice for a result with this text.
pub(crate) fn render_notice(form: NoticeForm, call_id: &str, path: &str, text: &str) -> String {
    let preview = Preview::new(form, text);
    let (id, cut) = match (form, call_id.char_indices().nth(ID_CHARS)) {
        (NoticeForm::Caveats, Some((at, _))) => (&call_id[..at], "..."),
        _ => (call_id, ""),
    };
    let note = preview.note(form, "result");
    let shown = preview.shown;
    if form == NoticeForm::Plain {
        return format!("{PLAIN_BEGINNING}{note}\n\n{shown}\n");
    }
    format!(
        "{BEGINNING}{id}{cut} was saved in the filesystem at this path: {path}\n\n\
         You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time.\n\n\
         You can do this by specifying an offset and limit in the read_file tool call. \
         For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.\n\n\
         {note}\n\n{shown}\n"
    )
}

struct Preview {
    shown: String,
    /// True if lines in the middle are left out.
    omits_lines: bool,
    /// True if a line that is shown is cut.
    cuts_lines: bool,
}

impl Preview {
    fn new(form: NoticeForm, text: &str) -> Self {
        let lines = python_lines(text);
        if lines.len() <= 2 * PREVIEW_LINES {
            return Self {
                shown: number_lines(form, &lines, 1),
                omits_lines: false,
                cuts_lines: lines.iter().any(|line| cut_line(line).len() < line.len()),
            };
        }
        let tail = lines.len() - PREVIEW_LINES;
        let omitted = tail - PREVIEW_LINES;
        let (head, tail_lines) = (&lines[..PREVIEW_LINES], &lines[tail..]);
        Self {
            shown: format!(
                "{}\n... [{omitted} lines truncated] ...\n{}",
                number_lines(form, head, 1),
                number_lines(form, tail_lines, tail + 1)
            ),
            omits_lines: true,
            cuts_lines: head.iter().chain(tail_lines).any(|line| cut_line(line).len() < line.len()),
        }
    }

    /// Returns the words before the preview.
    fn note(&self, form: NoticeForm, subject: &str) -> String {
        if form == NoticeForm::Fixed {
            return format!(
                "Here is a preview showing the head and tail of the {subject} ({OMITTED_LINES}):"
            );
        }
        let parts = if self.omits_lines { " showing the head and tail" } else { "" };
        let caveats: Vec<&str> = [(self.omits_lines, OMITTED_LINES), (self.cuts_lines, CUT_LINES)]
            .into_iter()
            .filter_map(|(holds, caveat)| holds.then_some(caveat))
            .collect();
        let caveats =
            if caveats.is_empty() { String::new() } else { format!(" ({})", caveats.join("; ")) };
        format!("Here is a preview{parts} of the {subject}{caveats}:")
    }
}

/// Joins the lines, each after its number. The number is six wide and a tab follows, or it is as
/// wide as the largest and two spaces follow. Long lines are cut.
fn number_lines(form: NoticeForm, lines: &[&str], first: usize) -> String {
    let (width, gap) = match form {
        NoticeForm::Fixed => (6, "\t"),
        NoticeForm::Caveats | NoticeForm::Plain => {
            ((first + lines.len()).saturating_sub(1).to_string().len(), "  ")
        }
    };
    let mut out = String::new();
    for (offset, line) in lines.iter().enumerate() {
        let joint = if offset > 0 { "\n" } else { "" };
        // Writing to a String can't fail.
        let _ = write!(out, "{joint}{:width$}{gap}{}", first + offset, cut_line(line));
    }
    out
}

/// Cuts a line that is too long for a preview.
fn cut_line(line: &str) -> &str {
    first_chars(line, LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sha256::Sha256;

    #[test]
    fn eleven_lines_lose_one_and_long_lines_are_cut() {
        let text: Vec<String> = (0..11).map(|n| n.to_string()).collect();
        let fixed = |text: &str| Preview::new(NoticeForm::Fixed, text).shown;
        let preview = fixed(&text.join("\n"));
        assert!(preview.contains("     5\t4\n... [1 lines truncated] ...\n     7\t6"), "{preview}");
        assert_eq!(fixed(&"é".repeat(1001)), format!("     1\t{}", "é".repeat(1000)));
    }

    #[test]
    fn a_note_with_caveats_says_what_the_preview_leaves_out() {
        let note = |text: &str| {
            let form = NoticeForm::Caveats;
            Preview::new(form, text).note(form, "result")
        };
        let hash = |text: &str| {
            let note = note(text);
            let hash = Sha256::from_bytes(note.as_bytes()).hex_prefix(8);
            (note.chars().count(), hash)
        };
        // The lengths and hashes are those of deepagents 0.7.32.
        let (few, many) = ("a\nb", "a\n".repeat(11));
        let long = "x".repeat(1001);
        assert_eq!(note(few), "Here is a preview of the result:");
        assert_eq!(hash(&many), (160, "d449cd12".to_owned()));
        assert_eq!(hash(&long), (141, "c4516dd8".to_owned()));
        assert_eq!(hash(&format!("{long}\n{many}")), (268, "c5447921".to_owned()));
        // A long line that is not shown is no caveat.
        let hidden = format!("{}{long}\n{}", "a\n".repeat(5), "a\n".repeat(5));
        assert_eq!(hash(&hidden), (160, "d449cd12".to_owned()));
    }

    #[test]
    fn numbers_are_as_wide_as_the_largest_of_their_block() {
        let lines: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let shown = Preview::new(NoticeForm::Caveats, &lines.join("\n")).shown;
        assert!(shown.starts_with("1  0\n2  1\n"), "{shown}");
        assert!(shown.contains("\n 96  95\n"), "{shown}");
        assert!(shown.ends_with("\n100  99"), "{shown}");
        let ten = Preview::new(NoticeForm::Caveats, &lines[..10].join("\n")).shown;
        assert!(ten.starts_with(" 1  0\n"), "{ten}");
        let notice = |form| render_notice(form, &"i".repeat(33), "/r", "");
        assert!(notice(NoticeForm::Caveats).contains(&format!(" {}... was", "i".repeat(32))));
        assert!(notice(NoticeForm::Fixed).contains(&format!(" {} was", "i".repeat(33))));
    }
}
