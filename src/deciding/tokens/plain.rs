//! Estimates of bare text: a message costs its text and its calls, and nothing for
//! being a message. The weight of a text is its code points, plus an extra weight
//! that the estimate gives to some of them. Inline media have no text.

use crate::deciding::tokens::approx::PER_IMAGE;
use crate::deciding::tokens::counter::TokenCounter;
use crate::reading::format::JsonTree;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::{count_literal_points, count_utf8_points, json_units, literal_units};
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// UTF-16 code units of a result's JSON beside its text: `{"output":}`.
const RESULT_UNITS: u64 = 11;

/// Returns the extra weight of the characters in UTF-8 text.
pub(super) type ExtraWeight = fn(&[u8]) -> u64;

pub(super) fn text_weight(text: &str, extra: ExtraWeight) -> u64 {
    utf8_weight(text.as_bytes(), extra)
}

/// Returns the weight of UTF-8 bytes. They were checked when the record was read.
pub(super) fn utf8_weight(utf8: &[u8], extra: ExtraWeight) -> u64 {
    count_utf8_points(utf8) as u64 + extra(utf8)
}

/// Returns the weight of the text of a literal. It is decoded only if an escape may hide a
/// character with extra weight.
fn literal_weight(literal: &[u8], extra: ExtraWeight) -> u64 {
    if memchr::memmem::find(literal, b"\\u").is_some() {
        return utf8_weight(&decode_literal_wtf8(literal), extra);
    }
    count_literal_points(literal) as u64 + extra(literal)
}

/// The parts of a message that an estimate counts in a way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedExtras {
    /// None.
    None,
    /// Arguments count as JavaScript's `JSON.stringify` writes them.
    JavaScriptArguments,
    /// The id of the call that a result answers counts.
    ResultIds,
    /// Results count as the JSON that holds them, in UTF-16 code units.
    JsonResults,
}

/// An estimate of bare text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainEstimate {
    pub(super) name: &'static str,
    pub(super) extra_weight: ExtraWeight,
    /// Returns the tokens of a weight.
    pub(super) to_tokens: fn(u64) -> usize,
    /// What else counts than text, names and arguments as logged.
    pub(super) extras: CountedExtras,
}

impl TokenCounter for PlainEstimate {
    fn name(&self) -> &'static str {
        self.name
    }

    fn count_text(&self, text: &str) -> usize {
        (self.to_tokens)(text_weight(text, self.extra_weight))
    }

    fn count_result(&self, view: TranscriptView<'_, '_>, index: usize, text: &str) -> usize {
        if self.extras != CountedExtras::JsonResults {
            return self.count_text(text);
        }
        let name = view.transcript.tool_name_of(index).unwrap_or_default();
        let units = RESULT_UNITS + literal_units(&encode_literal(text)) + name.len() as u64;
        (self.to_tokens)(units)
    }

    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        _: bool,
    ) -> usize {
        let (mut weight, mut images) = (0, 0);
        if self.extras == CountedExtras::JsonResults && view.message(index).role.is_result() {
            return self.count_json_result(view, index, pieces);
        }
        for piece in pieces {
            match *piece {
                ContentPiece::Literal(span) => weight += literal_weight(span, self.extra_weight),
                ContentPiece::Text(new) => weight += text_weight(new, self.extra_weight),
                ContentPiece::Image => images += PER_IMAGE,
                // Counted with the calls of the message.
                ContentPiece::Call(_) => {}
                ContentPiece::Other(json) => {
                    let seen = BlockWithoutMedia::of(json);
                    weight += utf8_weight(&seen.json, self.extra_weight);
                    images += PER_IMAGE * seen.media as usize;
                }
            }
        }
        for (number, call) in view.message(index).calls.iter().enumerate() {
            weight += call.name.map_or(0, |name| {
                literal_weight(view.transcript.bytes(index, name), self.extra_weight)
            });
            let arguments = view.call_arguments(index, number);
            weight += match self.extras {
                CountedExtras::JavaScriptArguments => json_units(&arguments),
                CountedExtras::None | CountedExtras::ResultIds | CountedExtras::JsonResults => {
                    utf8_weight(&arguments, self.extra_weight)
                }
            };
        }
        if self.extras == CountedExtras::ResultIds
            && let Some(id) = view.message(index).answers
        {
            weight += literal_weight(view.transcript.bytes(index, id), self.extra_weight);
        }
        (self.to_tokens)(weight) + images
    }

    fn count_summary(&self, _: Role, text: &str) -> usize {
        self.count_text(text)
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        (self.to_tokens)(utf8_weight(schemas, self.extra_weight))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

impl PlainEstimate {
    /// Returns the tokens of a result with these pieces of content, as JSON.
    fn count_json_result(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
    ) -> usize {
        let texts: Vec<_> = pieces.iter().filter_map(|piece| piece.text()).collect();
        let images = pieces.iter().filter(|piece| matches!(piece, ContentPiece::Image)).count();
        self.count_result(view, index, &texts.join("\n")) + images * PER_IMAGE
    }
}

const DATA_KEYS: [&str; 6] = ["data", "file_data", "fileData", "bytes", "base64", "file_url"];
/// Shorter literals are counted as they are.
const MIN_BYTES: usize = 512;

/// A block without the base64 of its media.
pub(super) struct BlockWithoutMedia<'b> {
    pub(super) json: Cow<'b, [u8]>,
    /// The number of media that were taken out.
    pub(super) media: u64,
}

impl<'b> BlockWithoutMedia<'b> {
    pub(super) fn of(json: &'b [u8]) -> Self {
        let mut spans = Vec::new();
        if json.len() >= MIN_BYTES
            && let Ok(tree) = JsonTree::new(json)
        {
            collect_media(tree.root(), &mut spans);
        }
        let mut left = Vec::new();
        let mut at = 0;
        for span in &spans {
            left.extend_from_slice(&json[at..=span.start]);
            at = span.end - 1;
        }
        let json = match spans.as_slice() {
            [] => Cow::Borrowed(json),
            _ => Cow::Owned([left.as_slice(), &json[at..]].concat()),
        };
        Self { json, media: spans.len() as u64 }
    }
}

/// Adds the literals of base64 below a node. What only its provider can read is no medium.
fn collect_media(node: JsonNode<'_>, spans: &mut Vec<Span>) {
    if node.has_text("type", "redacted_thinking") {
        return;
    }
    for (key, value) in node.entries() {
        let key = key.slice(node.record_bytes());
        let is_data = DATA_KEYS.iter().any(|name| key[1..key.len() - 1] == *name.as_bytes());
        if value.is_kind(JsonKind::String) {
            if is_data && is_base64(value.bytes()) {
                spans.push(value.span());
            }
        } else {
            collect_media(value, spans);
        }
    }
    for item in node.items() {
        collect_media(item, spans);
    }
}

/// Returns true for a long literal of base64, by itself or in a `data:` URL.
fn is_base64(literal: &[u8]) -> bool {
    let text = &literal[1..literal.len() - 1];
    let start = match text.starts_with(b"data:") {
        true => memchr::memchr(b',', text).map_or(0, |comma| comma + 1),
        false => 0,
    };
    let is_letter = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
    };
    text.len() >= MIN_BYTES && text[start..].iter().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn literals_weigh_as_much_as_their_text(text in "[a\\\\\"\n\u{1}é中鿿ꀀ\u{4dff}\u{4e00}😀]{0,12}", escaped in any::<bool>()) {
            let spelled = if escaped { text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect() } else { String::new() };
            let spelled = if escaped { format!("\"{spelled}\"").into_bytes() } else { encode_literal(&text) };
            for extra in [crate::deciding::tokens::estimates::extra_units as ExtraWeight, crate::deciding::tokens::estimates::extra_cjk_quarters] {
                prop_assert_eq!(literal_weight(&spelled, extra), text_weight(&text, extra));
            }
            let units: u64 = text.chars().map(|c| c.len_utf16() as u64).sum();
            prop_assert_eq!(text_weight(&text, crate::deciding::tokens::estimates::extra_units), units);
            let quarters: u64 = text.chars().map(|c| if ('\u{4e00}'..='\u{9fff}').contains(&c) { 6 } else { 1 }).sum();
            prop_assert_eq!(text_weight(&text, crate::deciding::tokens::estimates::extra_cjk_quarters), quarters);
        }
    }

    #[test]
    fn only_long_base64_is_taken_out() {
        let base64 = "QUJD".repeat(200);
        let file = format!(
            r#"{{"type": "file", "file": {{"file_data": "data:application/pdf;base64,{base64}"}}}}"#
        );
        let seen = BlockWithoutMedia::of(file.as_bytes());
        assert_eq!((seen.media, seen.json.len() < 100), (1, true));
        let words = format!(r#"{{"data": "{}"}}"#, "some words ".repeat(100));
        let seen = BlockWithoutMedia::of(words.as_bytes());
        assert_eq!((seen.media, seen.json.len()), (0, words.len()));
    }
}
