//! Splits a line of a command into words and operators as a shell does, and tells the lines that are data:
//! here-documents, and scripts in quotation marks.

/// Returns the word that ends the here-document that the line opens.
pub(super) fn heredoc_word(line: &str) -> Option<&str> {
    let at = memchr::memchr(b'<', line.as_bytes())?;
    let (_, rest) = line[at..].split_once("<<")?;
    let word = rest
        .trim_start_matches(['-', '<', ' '])
        .trim_start_matches(['\'', '"']);
    let length = word
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(word.len());
    (length > 0).then(|| &word[..length])
}

/// Returns the part of a line behind the end of the quotation that a line before it opened. Returns `None`
/// if the line does not end it. Takes note of the mark that the rest leaves open.
pub(super) fn behind_quote<'l>(line: &'l str, open: &mut Option<u8>) -> Option<&'l str> {
    let start = match *open {
        Some(quote) => closing_quote(line.as_bytes(), 0, quote)? + 1,
        None => 0,
    };
    *open = None;
    let bytes = line.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => break,
            quote @ (b'\'' | b'"') => match closing_quote(bytes, at + 1, quote) {
                Some(end) => at = end,
                None => {
                    *open = Some(quote);
                    break;
                }
            },
            _ => {}
        }
        at += 1;
    }
    Some(&line[start..])
}

/// Returns the place of the mark that ends a quotation, from byte `from` on.
fn closing_quote(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\\' && quote == b'"' {
            at += 1;
        } else if bytes[at] == quote {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A word of a command, or an operator between words.
pub(super) struct ShellWord<'l> {
    pub(super) text: &'l str,
    pub(super) is_operator: bool,
}

/// Splits a line into words and operators as a shell does. A quoted text is a single word. Nothing
/// is expanded.
pub(super) fn split_words(line: &str) -> Vec<ShellWord<'_>> {
    let mut words = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' => break,
            byte if is_operator(byte) => {
                while at < bytes.len() && is_operator(bytes[at]) {
                    at += 1;
                }
                words.push(ShellWord {
                    text: &line[start..at],
                    is_operator: true,
                });
            }
            quote @ (b'\'' | b'"') => {
                let end = closing_quote(bytes, at + 1, quote).unwrap_or(bytes.len());
                words.push(ShellWord {
                    text: &line[at + 1..end],
                    is_operator: false,
                });
                at = (end + 1).min(bytes.len());
            }
            _ => {
                while at < bytes.len()
                    && !bytes[at].is_ascii_whitespace()
                    && !is_operator(bytes[at])
                {
                    // `\(` is a word of `find` and opens no shell of its own.
                    let is_escape = bytes[at] == b'\\'
                        && bytes.get(at + 1).is_some_and(|byte| is_operator(*byte));
                    at += if is_escape { 2 } else { 1 };
                }
                words.push(ShellWord {
                    text: &line[start..at],
                    is_operator: false,
                });
            }
        }
    }
    words
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b'|' | b';' | b'&' | b'>' | b'<' | b'(' | b')')
}
