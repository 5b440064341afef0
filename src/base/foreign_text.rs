//! Text that strangers wrote (values of a log, names of files), made fit to be shown.
//!
//! A terminal obeys escape sequences, and bidirectional controls show a text in another order than
//! that of its characters. So none of them leaves the program but in the transcripts themselves:
//! stdout, stderr and reports show U+FFFD in their place, and JSON an escape.

use crate::base::invisible::{is_invisible, may_hold_invisible};
use crate::base::secrets::mask_secrets;
use crate::base::text::{cut_chars, first_chars};
use std::borrow::Cow;
use std::fmt::Write;
use std::io;

/// The most characters of a value that an error shows.
const MAX_SHOWN_CHARS: usize = 80;
/// The characters of a value that are searched for secrets before it is cut.
const MAX_SEARCHED_CHARS: usize = 4096;

/// Returns true for controls, for characters that show nothing or change the direction of text, and
/// for Unicode's line separators. Joiners stay, and what makes a character an emoji: scripts need them.
pub(crate) fn is_unsafe_char(c: char) -> bool {
    let is_needed = || matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || (is_invisible(c) && !is_needed())
}

/// Replaces unsafe characters, but for line ends and tabs.
pub(crate) fn harmless_text(text: &str) -> Cow<'_, str> {
    replace_chars(text, |c| is_unsafe_char(c) && c != '\n' && c != '\t')
}

/// Replaces unsafe characters, so that the text is a single line.
pub(crate) fn harmless_line(text: &str) -> Cow<'_, str> {
    replace_chars(text, is_unsafe_char)
}

fn replace_chars(text: &str, is_replaced: impl Fn(char) -> bool + Copy) -> Cow<'_, str> {
    if may_hold_invisible(text, |byte| byte < 0x20 || byte == 0x7f) && text.contains(is_replaced) {
        text.replace(is_replaced, "\u{fffd}").into()
    } else {
        text.into()
    }
}

/// Escapes unsafe characters in a JSON text. In its strings they mean the same; elsewhere there are
/// none but line ends, which stay.
pub(crate) fn harmless_json(json: String) -> String {
    let is_escaped = |c: char| !c.is_ascii_control() && is_unsafe_char(c) || c == '\u{7f}';
    if !may_hold_invisible(&json, |byte| byte == 0x7f) || !json.contains(is_escaped) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String can't fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// A writer of JSON that escapes unsafe characters on the way, however long the JSON is.
pub(crate) struct HarmlessJson<W>(pub(crate) W);

/// The bytes of JSON that are escaped at once.
const ESCAPED_AT_ONCE: usize = 64 << 10;

impl<W: io::Write> io::Write for HarmlessJson<W> {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        // serde_json passes whole characters.
        let mut rest = str::from_utf8(json).map_err(io::Error::other)?;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(ESCAPED_AT_ONCE));
            self.0.write_all(harmless_json(piece.to_owned()).as_bytes())?;
            rest = behind;
        }
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a value of a log, for a message: its secrets masked, and cut to a bounded length.
pub(crate) fn shorten_value(value: &str) -> String {
    let (masked, _) = mask_secrets(first_chars(value, MAX_SEARCHED_CHARS));
    cut_chars(&masked, MAX_SHOWN_CHARS, "…")
}

/// Returns a value of a log in quotes, for a message: as [`shorten_value`] does, and escaped.
pub(crate) fn quote_value(value: &str) -> String {
    harmless_line(&format!("{:?}", shorten_value(value))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}\u{85}\r\u{200b}\u{2060}\u{feff}\u{ad}\u{34f}\u{3164}\u{fff9}\u{e0041}";

    #[test]
    fn no_unsafe_character_is_shown() {
        let texts = [harmless_text(HOSTILE), harmless_line(HOSTILE)];
        for text in texts {
            assert!(!text.contains(is_unsafe_char), "{text:?}");
        }
        assert_eq!(harmless_text("a\tb\nç – 日"), "a\tb\nç – 日");
        assert_eq!(harmless_line("a\nb"), "a\u{fffd}b");
        assert_eq!(harmless_line("⚠\u{fe0f} 👩\u{200d}💻"), "⚠\u{fe0f} 👩\u{200d}💻");
    }

    #[test]
    fn escaped_json_means_the_same() {
        for text in [HOSTILE, "\u{e0041}", "ç – 日 \u{1f600}", ""] {
            let json = harmless_json(serde_json::to_string(text).unwrap());
            assert!(!json.contains(is_unsafe_char), "{json:?}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
        let pretty = "{\n  \"a\": 1\n}\n";
        assert_eq!(harmless_json(pretty.to_owned()), pretty);
        assert_eq!(harmless_json("\"\u{9b}\"".to_owned()), "\"\\u009b\"");
    }

    #[test]
    fn values_are_cut_and_escaped_and_their_secrets_masked() {
        assert_eq!(quote_value("user"), "\"user\"");
        assert_eq!(quote_value(&"é".repeat(80)), format!("{:?}", "é".repeat(80)));
        let long = quote_value(&"é".repeat(2 << 20));
        assert_eq!(long, format!("\"{}…\"", "é".repeat(80)));
        assert!(!quote_value(HOSTILE).contains(is_unsafe_char));
        // A secret is found as a whole, although it would be cut.
        let token = format!("{}ghp_{}", " ".repeat(70), "a1B2".repeat(9));
        let quoted = quote_value(&token);
        assert!(quoted.contains("[REDACTED") && !quoted.contains("ghp_"), "{quoted}");
    }
}
