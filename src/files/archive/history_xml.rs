//! The messages of a history as XML elements, as Deep Agents 0.7 writes them. See
//! `docs/reference/deepagents.md`.

use crate::base::text::cut_chars;
use crate::deciding::tokens::python::dumps_unicode;
use crate::files::archive::inline_media::{InlineMedia, Undecodable, inline_media};
use crate::reading::json::python_parser::{parse_python_json, parse_python_object};
use crate::reading::json::python_value::{PythonEntry, PythonValue, text_at, value_at};
use crate::reading::json::{decode_literal, wtf8_to_str};
use crate::reading::transcript::view::TranscriptView;
use crate::reading::transcript::{BlockKind, Content, Message, Role, ToolCall};

/// The longest call id that is shown in full, in code points.
const ID_CHARS: usize = 64;
/// The longest text of a document or a server tool, in code points.
const BLOCK_CHARS: usize = 500;
/// The end of what is cut.
const CUT: &str = "...";

/// Appends a message. `text` replaces its content, `media` is the directory of media files as the
/// model sees it.
pub(super) fn push_element(
    view: TranscriptView<'_, '_>,
    index: usize,
    text: Option<&str>,
    media: &str,
    out: &mut Vec<u8>,
) {
    let message = view.message(index);
    let content = match text {
        Some(text) => escape(text),
        None => content_parts(view, index, media).join(" "),
    };
    let calls = call_elements(view, index);
    let role = role_name(message.role);
    let element = if calls.is_empty() {
        format!("<message type=\"{role}\">{content}</message>")
    } else {
        let mut element = format!("<message type=\"{role}\">\n");
        if !content.is_empty() {
            element += &format!("  <content>{content}</content>\n");
        }
        for call in calls {
            element += &format!("  {call}\n");
        }
        element + "</message>"
    };
    out.extend_from_slice(element.as_bytes());
}

/// Returns the media that messages hold inline, as [`push_element`] names them, in order.
pub(super) fn media_in(view: TranscriptView<'_, '_>, messages: &[usize]) -> Vec<InlineMedia> {
    let mut media = Vec::new();
    for &index in messages {
        media.extend(parsed_blocks(view, index).iter().filter_map(|block| match block {
            PythonValue::Object(entries) => inline_media(entries)?.ok(),
            _ => None,
        }));
    }
    media
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "human",
        Role::Assistant => "ai",
        Role::System | Role::Developer => "system",
        Role::Tool => "tool",
        Role::Function => "function",
    }
}

/// Returns the blocks of a message other than text and calls, parsed.
fn parsed_blocks<'v>(view: TranscriptView<'v, '_>, index: usize) -> Vec<PythonValue<'v>> {
    let Content::Blocks(blocks) = &view.message(index).content else {
        return Vec::new();
    };
    if view.overlay.cleared.contains(&index) {
        return Vec::new();
    }
    blocks
        .iter()
        .filter(|block| matches!(block.kind, BlockKind::Image | BlockKind::Other))
        .filter_map(|block| parse_python_json(view.transcript.bytes(index, block.span)))
        .collect()
}

fn content_parts(view: TranscriptView<'_, '_>, index: usize, media: &str) -> Vec<String> {
    let message: &Message = view.message(index);
    let replaced = view.overlay.results.get(&index);
    let mut parts: Vec<String> = replaced.into_iter().map(|text| escape(text)).collect();
    match &message.content {
        Content::Absent => {}
        Content::Text(span) => {
            if replaced.is_none() {
                parts.push(escape(&decode_literal(view.transcript.bytes(index, *span))));
            }
        }
        Content::Blocks(_) if view.overlay.cleared.contains(&index) => {}
        Content::Blocks(blocks) => {
            for block in blocks {
                match block.kind {
                    BlockKind::Text(_) if replaced.is_some() => {}
                    BlockKind::Text(span) => {
                        parts.push(escape(&decode_literal(view.transcript.bytes(index, span))))
                    }
                    BlockKind::Call(_) => {}
                    BlockKind::Image | BlockKind::Other => {
                        let json = view.transcript.bytes(index, block.span);
                        if let Some(value) = parse_python_json(json) {
                            parts.extend(block_part(&value, media));
                        }
                    }
                }
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns a block as text, or none if it has no place in a history.
fn block_part(block: &PythonValue<'_>, media: &str) -> Option<String> {
    let entries = match block {
        PythonValue::Object(entries) => entries,
        PythonValue::String(wtf8) => return Some(escape(&wtf8_to_str(wtf8))),
        _ => return None,
    };
    match inline_media(entries) {
        Some(found) => Some(media_part(&found, media)),
        None => plain_block_part(entries),
    }
}

/// Returns the reference to the file of a piece of media.
fn media_part(found: &Result<InlineMedia, Undecodable>, directory: &str) -> String {
    let Ok(media) = found else {
        return escape("<image error=\"failed_to_offload\" />");
    };
    let path = format!("{directory}/{}", media.file_name());
    match media.kind() {
        Some(kind) => format!("<{kind} url={} />", quote_attribute(&path)),
        None => escape(&format!("<file url=\"{path}\" />")),
    }
}

/// Returns a block without inline media as text.
fn plain_block_part(block: &[PythonEntry<'_>]) -> Option<String> {
    let text = |key: &str| text_at(block, &[key]).filter(|text| !text.is_empty());
    let kind = text("type")?;
    match kind.as_ref() {
        "text" => text("text").map(|text| escape(&text)),
        "reasoning" => text("reasoning")
            .map(|reasoning| format!("<reasoning>{}</reasoning>", escape(&reasoning))),
        "image" | "audio" | "video" => ["url", "file_id"].iter().find_map(|key| {
            let value = text(key)?;
            Some(format!("<{kind} {key}={} />", quote_attribute(&value)))
        }),
        "image_url" => text_at(block, &["image_url", "url"])
            .filter(|url| !url.is_empty())
            .map(|url| format!("<image url={} />", quote_attribute(&url))),
        "text-plain" => text("text").map(|text| escape(&cut_chars(&text, BLOCK_CHARS, CUT))),
        "server_tool_call" => Some(format!(
            "<server_tool_call id={} name={}>{}</server_tool_call>",
            quote_attribute(&text("id").unwrap_or_default()),
            quote_attribute(&text("name").unwrap_or_default()),
            escape(&cut_chars(
                &value_at(block, &["args"]).map_or_else(|| "{}".to_owned(), json_text),
                BLOCK_CHARS,
                CUT
            ))
        )),
        "server_tool_result" => Some(format!(
            "<server_tool_result tool_call_id={} status={}>{}</server_tool_result>",
            quote_attribute(&text("tool_call_id").unwrap_or_default()),
            quote_attribute(&text("status").unwrap_or_default()),
            value_at(block, &["output"])
                .filter(|output| is_truthy(output))
                .map(|output| escape(&cut_chars(&json_text(output), BLOCK_CHARS, CUT)))
                .unwrap_or_default()
        )),
        _ => None,
    }
}

/// Returns true if Python takes a value for true.
fn is_truthy(value: &PythonValue<'_>) -> bool {
    match value {
        PythonValue::Null => false,
        PythonValue::Bool(value) => *value,
        PythonValue::Integer(number) => !matches!(*number, "0" | "-0"),
        PythonValue::Float(number) => *number != 0.0,
        PythonValue::String(text) => !text.is_empty(),
        PythonValue::Array(items) => !items.is_empty(),
        PythonValue::Object(entries) => !entries.is_empty(),
    }
}

/// Returns the elements of a message's valid calls, or of its legacy call if it has none.
fn call_elements(view: TranscriptView<'_, '_>, index: usize) -> Vec<String> {
    let calls = &view.message(index).calls;
    let literal = |span| decode_literal(view.transcript.bytes(index, span));
    let elements: Vec<String> = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| call.valid && !call.legacy)
        .filter_map(|(number, call)| {
            let json = view.call_arguments(index, number);
            let arguments = json_text(&PythonValue::Object(parse_python_object(&json)?));
            let id = call.id.map(literal).unwrap_or_default();
            Some(format!(
                "<tool_call id={} name={}>{}</tool_call>",
                quote_attribute(&cut_chars(&id, ID_CHARS, CUT)),
                quote_attribute(&call.name.map(literal).unwrap_or_default()),
                escape(&arguments)
            ))
        })
        .collect();
    if !elements.is_empty() {
        return elements;
    }
    let legacy = calls.iter().find(|call| call.legacy);
    legacy.and_then(|call| legacy_element(view, index, call)).into_iter().collect()
}

/// Returns the element of a legacy call, if it is an object of its own.
fn legacy_element(view: TranscriptView<'_, '_>, index: usize, call: &ToolCall) -> Option<String> {
    let Some(PythonValue::Object(entries)) =
        parse_python_json(view.transcript.bytes(index, call.span))
    else {
        return None;
    };
    let name = text_at(&entries, &["name"]).unwrap_or_default();
    let arguments = match value_at(&entries, &["arguments"]) {
        Some(PythonValue::String(wtf8)) if !wtf8.is_empty() => wtf8_to_str(wtf8),
        _ => "{}".into(),
    };
    Some(format!(
        "<function_call name={}>{}</function_call>",
        quote_attribute(&name),
        escape(&arguments)
    ))
}

/// Returns `json.dumps(value, ensure_ascii=False)`.
fn json_text(value: &PythonValue<'_>) -> String {
    let mut json = Vec::new();
    dumps_unicode(value, &mut json);
    String::from_utf8_lossy(&json).into_owned()
}

/// Escapes text as Python's `xml.sax.saxutils.escape`.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes and quotes an attribute as Python's `quoteattr`.
fn quote_attribute(text: &str) -> String {
    let text = escape(text).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;");
    match (text.contains('"'), text.contains('\'')) {
        (false, _) => format!("\"{text}\""),
        (true, false) => format!("'{text}'"),
        (true, true) => format!("\"{}\"", text.replace('"', "&quot;")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::{Shape, format_by_name};
    use crate::reading::transcript::Record;

    fn render(messages: &str) -> String {
        let record = format!("{{\"messages\": [{messages}]}}");
        let format = format_by_name("openai").unwrap();
        let transcript = format
            .read_transcript(
                vec![Record { bytes: record.as_bytes(), line: 1 }],
                Shape::Conversation,
            )
            .unwrap();
        let view = TranscriptView::logged(&transcript);
        let mut out = Vec::new();
        push_element(view, 0, None, "/m", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn attributes_are_quoted_as_in_python() {
        for (text, quoted) in [
            ("a<b", "\"a&lt;b\""),
            ("a\"b", "'a\"b'"),
            ("a\"b'c", "\"a&quot;b'c\""),
            ("a\n\r\t", "\"a&#10;&#13;&#9;\""),
        ] {
            assert_eq!(quote_attribute(text), quoted);
        }
    }

    #[test]
    fn calls_are_elements_of_their_own() {
        let call = r#"{"role": "assistant", "content": "see & <go>", "tool_calls": [
            {"id": "c\"1", "function": {"name": "f", "arguments": "{\"a\": \"é<\", \"b\": [1.0, null]}"}},
            {"id": "c2", "function": {"name": "g", "arguments": "{broken"}}]}"#;
        assert_eq!(
            render(call),
            "<message type=\"ai\">\n  <content>see &amp; &lt;go&gt;</content>\n  \
             <tool_call id='c\"1' name=\"f\">{\"a\": \"é&lt;\", \"b\": [1.0, null]}</tool_call>\n</message>"
        );
        let long = format!(
            r#"{{"role": "assistant", "tool_calls": [{{"id": "{}", "function": {{"name": "f", "arguments": "{{}}"}}}}]}}"#,
            "x".repeat(65)
        );
        assert!(render(&long).contains(&format!("id=\"{}...\"", "x".repeat(64))));
        assert_eq!(
            render(
                r#"{"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": ""}}"#
            ),
            "<message type=\"ai\">\n  <function_call name=\"f\">{}</function_call>\n</message>"
        );
    }

    #[test]
    fn media_become_references_and_what_has_no_place_is_left_out() {
        // The line is that of deepagents 0.7.32.
        let message = r#"{"role": "user", "content": [
            {"type": "text", "text": "see <a> & \"b\""}, {"type": "text", "text": ""},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            {"type": "image_url", "image_url": {"url": "https://h/x.png?a=1&b=2"}},
            {"type": "thinking", "thinking": "no"}, {"type": "reasoning", "reasoning": "yes"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}},
            {"type": "image", "base64": "a"}]}"#;
        let parts = [
            "<message type=\"human\">see &lt;a&gt; &amp; \"b\"",
            "<image url=\"/m/4c4b6a3be1314ab8.png\" />",
            "<image url=\"https://h/x.png?a=1&amp;b=2\" />",
            "<reasoning>yes</reasoning>",
            "&lt;file url=\"/m/709e80c88487a241.pdf\" /&gt;",
            "&lt;image error=\"failed_to_offload\" /&gt;</message>",
        ];
        assert_eq!(render(message), parts.join(" "));
    }
}
