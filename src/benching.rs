//! The functions that the bench `scripts/tricks.rs` times: hand-made tricks, and the program's own
//! plain ways to the same answers. The other plain ways are in the bench.

use crate::deciding::tokens::approx::ApproxCounter;
use crate::deciding::tokens::bpe::O200K_BASE;
use crate::deciding::tokens::python::{CodePointCount, repr_dict, repr_str};
use crate::measuring::replay::call::{CallOutcome, ReplayedCall, USUAL_BYTES, render_line_start};
use crate::measuring::replay::json_lines::JsonLines;
use crate::measuring::replay::prompt_cache::CacheLookup;
use crate::reading::format::openai_messages::OpenAiMessageReader;
use crate::reading::format::tree::key_equals;
use crate::reading::json::lanes::{Level, dispatch};
use crate::reading::json::python_parser::parse_python_object;
use crate::reading::json::python_printable;
use crate::reading::json::repr_length::literal_repr_length;
use crate::reading::json::seen_keys::SeenKeys;
use crate::reading::json::string_scan::{self, count_code_points_by};
use crate::reading::json::{self, Scanner, Span};
use crate::reading::transcript::UnreadMessage;
use crate::reading::transcript::message_time;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Scans the string whose content begins at `start`. Returns the offset of its closing quote, its
/// code points, and whether it holds a `\uXXXX`.
#[inline(always)]
pub fn scan_string(record: &[u8], start: usize) -> Option<(usize, usize, bool)> {
    string_scan::scan_string(record, start)
        .map(|scanned| (scanned.closing_quote, scanned.code_points, scanned.has_unicode_escape))
}

/// Checks a record with the scanner.
pub fn is_json(record: &[u8]) -> bool {
    json::validate_json(record).is_ok()
}

/// Returns the code points of a string's content, by the best instruction set of this CPU.
pub fn count_points(content: &[u8]) -> usize {
    string_scan::count_code_points(content)
}

/// Returns the code points of a string's content, by the instruction set of every CPU.
pub fn count_points_at_baseline(content: &[u8]) -> usize {
    dispatch!(Level::baseline(), simd => count_code_points_by(simd, content))
}

/// Decodes a literal.
pub fn decode(literal: &[u8]) -> Cow<'_, str> {
    json::decode_literal(literal)
}

/// Returns the length of `repr` of the JSON object in a literal, without parsing it.
pub fn measured_repr_length(literal: &[u8]) -> Option<usize> {
    let span = Span { start: 0, end: literal.len() };
    literal_repr_length(literal, span)
}

/// Returns the length of `repr` of the JSON object in a literal, by parsing it.
pub fn parsed_repr_length(literal: &[u8]) -> Option<usize> {
    let json = json::decode_literal_wtf8(literal);
    let mut length = CodePointCount::default();
    repr_dict(&parse_python_object(&json)?, &mut length);
    Some(length.0)
}

/// Returns the length of Python's `repr` of a text.
pub fn text_repr_length(text: &str) -> usize {
    let mut length = CodePointCount::default();
    repr_str(text.as_bytes(), &mut length);
    length.0
}

/// Returns Python's `str.isprintable` for a character beyond ASCII.
pub fn is_printable(c: char) -> bool {
    python_printable::is_python_printable(c)
}

/// Returns the index of the first key that repeats an earlier key of its object.
pub fn first_repeated_key(record: &[u8], keys: &[Range<usize>]) -> Option<usize> {
    let mut seen = SeenKeys::default();
    keys.iter().position(|key| {
        let (start, end) = (key.start, key.end);
        seen.observe_key(record, Span { start, end })
    })
}

/// Returns true if the literal of a key decodes to `name`.
pub fn is_key(literal: &[u8], name: &str) -> bool {
    key_equals(literal, name)
}

/// Returns true if a record holds the escape of a lone surrogate.
pub fn has_lone_surrogate(record: &[u8]) -> bool {
    json::has_lone_surrogate(record)
}

/// Returns true if an object in a record may have a key for a time.
pub fn contains_time_key(record: &[u8]) -> bool {
    message_time::contains_time_key(record)
}

/// Reads a list of chat messages with the fast reader in front of the general one. Returns the
/// code points of each message.
pub fn read_chat(list: &[u8]) -> Vec<Option<usize>> {
    let (times, unread) = (Cell::new(false), RefCell::default());
    let messages = chat_reader(&times, &unread).read_messages(&mut Scanner::new(list));
    let messages = messages.unwrap_or_default();
    messages.iter().map(|message| message.code_points).collect()
}

/// Reads a list of chat messages key by key. Returns the code points of each message.
pub fn read_chat_by_keys(list: &[u8]) -> Vec<Option<usize>> {
    let (times, unread) = (Cell::new(false), RefCell::default());
    let reader = chat_reader(&times, &unread);
    let mut messages = Vec::with_capacity(list.len() / 96);
    let read = Scanner::new(list).read_array(|scanner| {
        let index = Some(messages.len());
        reader.read_message(scanner, index, &mut messages).map(drop)
    });
    if read.is_err() {
        messages.clear();
    }
    messages.iter().map(|message| message.code_points).collect()
}

fn chat_reader<'a>(
    times: &'a Cell<bool>,
    unread: &'a RefCell<Vec<UnreadMessage>>,
) -> OpenAiMessageReader<'a> {
    OpenAiMessageReader { record: 0, list: "messages", times, unread }
}

/// The numbers of a line of `replay.jsonl`.
#[derive(Debug, Clone, Copy)]
pub struct CallNumbers {
    /// The number of the call.
    pub call: usize,
    /// The index of the message that the call produces.
    pub at: usize,
    /// The number of messages sent.
    pub n_sent: usize,
    /// Tokens sent and logged.
    pub tokens: usize,
    /// Tokens read from the prompt cache.
    pub cached_tokens: usize,
}

/// Returns the lines of a thread's calls.
pub fn replay_lines([thread_id, file]: [&str; 2], line: u64, calls: &[CallNumbers]) -> Vec<u8> {
    let start = render_line_start(thread_id, file, line);
    let mut lines = JsonLines::with_capacity(calls.len() * (start.len() + USUAL_BYTES));
    for call in calls {
        let outcome = CallOutcome {
            total_tokens: call.tokens,
            tokens_sent: call.tokens,
            ..CallOutcome::default()
        };
        ReplayedCall {
            number: call.call,
            at: call.at,
            messages_sent: call.n_sent,
            tokens_logged: call.tokens,
            outcome: &outcome,
            archive: "",
            evicted: &[],
            cache: CacheLookup::Hit,
            cached_tokens: call.cached_tokens,
            is_refused: false,
        }
        .append_line(&start, &mut lines);
    }
    lines.into_bytes()
}

/// Returns the tokens of a number of code points.
pub fn approx_tokens(points: usize, chars_per_token: f64) -> usize {
    ApproxCounter { chars_per_token, valid_only: false }.to_tokens(points)
}

/// Returns the number of code points of a text.
pub fn count_text_points(text: &str) -> usize {
    json::count_utf8_points(text.as_bytes())
}

/// Returns the tokens of a text in `o200k_base`.
pub fn count_tokens(text: &str) -> usize {
    O200K_BASE.count(text)
}

/// Returns the tokens of a text in `o200k_base` without the cache of pieces.
pub fn count_tokens_uncached(text: &str) -> usize {
    O200K_BASE.count_uncached(text)
}
