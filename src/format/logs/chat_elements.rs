//! OpenAI chat messages as elements of a document, rendered from the JSON of their parts.

use crate::json::encode_wtf8_literal;

/// Renders a message with this role. `content` is JSON.
pub(in crate::format) fn render_chat_element(role: &str, content: &[u8]) -> Vec<u8> {
    [
        format!("{{\"role\": \"{role}\", \"content\": ").as_bytes(),
        content,
        b"}",
    ]
    .concat()
}

/// Renders a call. Arguments that are neither an object nor a string become a string.
pub(in crate::format) fn render_chat_call(id: &[u8], name: &[u8], arguments: &[u8]) -> Vec<u8> {
    let arguments = match arguments.first() {
        Some(b'{' | b'"') => arguments.to_vec(),
        _ => encode_wtf8_literal(arguments),
    };
    [
        b"{\"id\": ".as_slice(),
        id,
        b", \"type\": \"function\", \"function\": {\"name\": ",
        name,
        b", \"arguments\": ",
        &arguments,
        b"}}",
    ]
    .concat()
}

/// Renders the result of a call. A content that is neither a string nor a list becomes a string.
pub(in crate::format) fn render_chat_result(
    id: &[u8],
    content: &[u8],
    has_failed: bool,
) -> Vec<u8> {
    let content = match content.first() {
        Some(b'"' | b'[') => content.to_vec(),
        _ => encode_wtf8_literal(content),
    };
    let failure: &[u8] = if has_failed {
        b", \"is_error\": true"
    } else {
        b""
    };
    [
        b"{\"role\": \"tool\", \"tool_call_id\": ".as_slice(),
        id,
        b", \"content\": ",
        &content,
        failure,
        b"}",
    ]
    .concat()
}

/// The parts of an answer, each as JSON.
#[derive(Default)]
pub(in crate::format) struct ChatAnswer {
    /// A string, or null.
    pub(in crate::format) content: Option<Vec<u8>>,
    /// The literal of what the model thought before.
    pub(in crate::format) reasoning: Option<Vec<u8>>,
    pub(in crate::format) calls: Vec<Vec<u8>>,
}

impl ChatAnswer {
    pub(in crate::format) fn render(&self) -> Vec<u8> {
        let mut json = b"{\"role\": \"assistant\", \"content\": ".to_vec();
        json.extend_from_slice(self.content.as_deref().unwrap_or(b"null"));
        if let Some(reasoning) = &self.reasoning {
            json.extend_from_slice(b", \"reasoning_content\": ");
            json.extend_from_slice(reasoning);
        }
        if !self.calls.is_empty() {
            json.extend_from_slice(b", \"tool_calls\": [");
            json.extend_from_slice(&self.calls.join(b", ".as_slice()));
            json.push(b']');
        }
        json.push(b'}');
        json
    }
}
