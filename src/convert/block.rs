//! Content blocks that are no plain text, told by how they look: dialects
//! spell an image in a dozen ways, and a log may hold another's.

use crate::convert::literal::EscapedText;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::decode_literal;
use crate::json::{JsonKind as Json, Span};

/// What a block holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockContent {
    /// An image by its address.
    Url(EscapedText),
    /// An image by its bytes: media type and base64.
    Data(EscapedText, EscapedText),
    /// What the model thought, for nobody to read but itself.
    Thinking(EscapedText),
    /// Anything else.
    Other,
}

/// One block as logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentBlock<'a> {
    /// Its JSON.
    pub json: &'a [u8],
    /// Its type, or its first key.
    pub name: String,
    /// What it holds.
    pub kind: BlockContent,
    /// Where in its JSON that stands.
    pub used: Vec<Span>,
}

impl<'a> ContentBlock<'a> {
    /// Looks at a block.
    #[must_use]
    pub fn new(json: &'a [u8]) -> Self {
        let Ok(tree) = JsonTree::new(json) else {
            return Self {
                json,
                name: "block".to_owned(),
                kind: BlockContent::Other,
                used: Vec::new(),
            };
        };
        let root = tree.root();
        let first_key = || {
            root.entries()
                .next()
                .map(|(key, _)| decode_literal(key.slice(json)).into_owned())
        };
        let name = root
            .get("type")
            .and_then(JsonNode::as_text)
            .map(std::borrow::Cow::into_owned)
            .or_else(first_key)
            .unwrap_or_else(|| "block".to_owned());
        let (kind, nodes) = image(root)
            .or_else(|| thinking(root))
            .unwrap_or((BlockContent::Other, Vec::new()));
        Self {
            json,
            name,
            kind,
            used: nodes.into_iter().map(JsonNode::span).collect(),
        }
    }

    /// Whether its `type` is one of these.
    #[must_use]
    pub fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Whether it has this key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        JsonTree::new(self.json).is_ok_and(|tree| tree.root().has_key(key))
    }
}

fn content(node: JsonNode<'_>) -> Option<EscapedText> {
    node.as_literal()
        .map(|_| EscapedText::of_literal(node.bytes()))
}

/// An address, or the bytes that a `data:` address holds.
fn address<'t>(node: JsonNode<'t>) -> Option<(BlockContent, Vec<JsonNode<'t>>)> {
    let url = content(node)?;
    let decoded = url.decoded();
    let data = decoded
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    let kind = data.map(|(mime, base64)| BlockContent::Data(mime.into(), base64.into()));
    Some((
        kind.unwrap_or_else(|| BlockContent::Url(url.clone())),
        vec![node],
    ))
}

/// Bytes of an image, by its media type and base64.
fn data<'t>(
    mime: Option<JsonNode<'t>>,
    base64: Option<JsonNode<'t>>,
) -> Option<(BlockContent, Vec<JsonNode<'t>>)> {
    let (mime, base64) = (mime?, base64?);
    let is_image = mime.as_text()?.starts_with("image/");
    is_image.then_some((
        BlockContent::Data(content(mime)?, content(base64)?),
        vec![mime, base64],
    ))
}

fn image<'t>(block: JsonNode<'t>) -> Option<(BlockContent, Vec<JsonNode<'t>>)> {
    let is_image = ["image", "image_url", "input_image"]
        .iter()
        .any(|name| block.has_text("type", name));
    let first = |names: &[&str]| names.iter().find_map(|name| block.get(name));
    // Gemini.
    if let Some(inline) = first(&["inlineData", "inline_data"]) {
        let mime = inline.get("mimeType").or_else(|| inline.get("mime_type"));
        return data(mime, inline.get("data"));
    }
    // Bedrock names the format, not the media type.
    if let Some(own) = block.get("image").filter(|own| own.is_kind(Json::Object)) {
        let (format, bytes) = (own.get("format")?, own.get_path(&["source", "bytes"])?);
        let mime = EscapedText::from(format!("image/{}", format.as_text()?).as_str());
        return Some((
            BlockContent::Data(mime, content(bytes)?),
            vec![format, bytes],
        ));
    }
    if !is_image {
        return None;
    }
    // OpenAI; a string in Responses and LLaMA-Factory.
    if let Some(url) = block
        .get("image_url")
        .map(|url| url.get("url").unwrap_or(url))
        .or_else(|| first(&["value", "url"]))
    {
        return address(url);
    }
    // Anthropic.
    if let Some(source) = block
        .get("source")
        .filter(|source| source.is_kind(Json::Object))
    {
        return data(source.get("media_type"), source.get("data"))
            .or_else(|| address(source.get("url")?));
    }
    // LangChain, pi.
    data(
        first(&["mime_type", "mimeType", "media_type"]),
        first(&["base64", "data"]),
    )
}

fn thinking<'t>(block: JsonNode<'t>) -> Option<(BlockContent, Vec<JsonNode<'t>>)> {
    let name = block.get("type").and_then(JsonNode::as_text);
    let key = match name.as_deref() {
        Some("thinking") => "thinking",
        Some("reasoning") => ["reasoning", "text", "value"]
            .into_iter()
            .find(|key| block.literal_at(key).is_some())?,
        Some("summary_text" | "reasoning_text") => "text",
        _ if block
            .get("thought")
            .is_some_and(|thought| thought.bytes() == b"true") =>
        {
            "text"
        }
        _ => return None,
    };
    let own = block.get(key)?;
    Some((BlockContent::Thinking(content(own)?), vec![own]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_told_in_every_spelling() {
        let png = BlockContent::Data("image/png".into(), "iVBO".into());
        for spelled in [
            r#"{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO", "detail": "low"}}"#,
            r#"{"type": "input_image", "image_url": "data:image/png;base64,iVBO"}"#,
            r#"{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}"#,
            r#"{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}"#,
            r#"{"image": {"format": "png", "source": {"bytes": "iVBO"}}}"#,
            r#"{"type": "image", "base64": "iVBO", "mime_type": "image/png"}"#,
            r#"{"type": "image", "data": "iVBO", "mimeType": "image/png"}"#,
            r#"{"type": "image_url", "value": "data:image/png;base64,iVBO"}"#,
        ] {
            assert_eq!(ContentBlock::new(spelled.as_bytes()).kind, png, "{spelled}");
        }
        let url = BlockContent::Url("https://x/a.png".into());
        for spelled in [
            r#"{"type": "image_url", "image_url": {"url": "https://x/a.png"}}"#,
            r#"{"type": "image", "source": {"type": "url", "url": "https://x/a.png"}}"#,
            r#"{"type": "image", "url": "https://x/a.png"}"#,
        ] {
            assert_eq!(ContentBlock::new(spelled.as_bytes()).kind, url, "{spelled}");
        }
    }

    #[test]
    fn thoughts_are_no_words_and_what_is_not_known_is_named() {
        let kind = |json: &str| ContentBlock::new(json.as_bytes()).kind;
        assert_eq!(
            kind(r#"{"type": "thinking", "thinking": "hm", "signature": "x"}"#),
            BlockContent::Thinking("hm".into())
        );
        assert_eq!(
            kind(r#"{"text": "hm", "thought": true}"#),
            BlockContent::Thinking("hm".into())
        );
        assert_eq!(
            kind(r#"{"type": "summary_text", "text": "hm"}"#),
            BlockContent::Thinking("hm".into())
        );
        assert_eq!(
            kind(r#"{"inlineData": {"mimeType": "audio/wav", "data": "x"}}"#),
            BlockContent::Other
        );
        let block = ContentBlock::new(br#"{"executableCode": {"code": "1"}}"#);
        assert_eq!(
            (block.kind, block.name.as_str()),
            (BlockContent::Other, "executableCode")
        );
    }
}
