//! Content blocks other than plain text, recognized by their fields.
//!
//! Formats spell an image in a dozen ways, and a log may hold blocks of another format.

use crate::convert::escaped_text::{EscapedText, join_texts};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::transcript::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockContent {
    /// An image by its URL.
    ImageUrl(EscapedText),
    /// An image by its bytes: media type and base64.
    ImageData(EscapedText, EscapedText),
    /// The reasoning of the model.
    Thinking(EscapedText),
    /// Words in a block of their own: a document of text, a search result, a refusal, or what was
    /// spoken.
    Words(EscapedText),
    /// Anything else.
    Other,
}

/// A block as logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentBlock<'a> {
    pub json: &'a [u8],
    /// The value of `type`, or the first key.
    pub name: String,
    pub content: BlockContent,
    /// The spans of the content in the JSON.
    pub content_spans: Vec<Span>,
}

impl<'a> ContentBlock<'a> {
    /// Parses a block. JSON that can't be read gives a block with other content.
    pub(crate) fn parse(json: &'a [u8]) -> Self {
        let Ok(tree) = JsonTree::new(json) else {
            return Self {
                json,
                name: "block".to_owned(),
                content: BlockContent::Other,
                content_spans: Vec::new(),
            };
        };
        let root = tree.root();
        let first_key =
            || root.entries().next().map(|(key, _)| decode_literal(key.slice(json)).into_owned());
        let name = root.get_text("type").map(Cow::into_owned).or_else(first_key);
        let name = name.unwrap_or_else(|| "block".to_owned());
        let (content, nodes) = image_content(root)
            .or_else(|| thinking_content(root))
            .or_else(|| words_content(root))
            .unwrap_or((BlockContent::Other, Vec::new()));
        Self { json, name, content, content_spans: nodes.into_iter().map(JsonNode::span).collect() }
    }

    /// Returns true if the name of the block is one of these.
    pub(crate) fn is_named(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Returns true if the block holds an image, a sound or a file.
    pub(crate) fn is_medium(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let is_image =
            matches!(self.content, BlockContent::ImageUrl(_) | BlockContent::ImageData(..));
        is_image || (MEDIA.iter().any(|kind| name.contains(kind)) && !name.contains("search"))
    }

    /// Returns true if the block holds what the model saw or gave, beside its own thinking and
    /// searches.
    pub(crate) fn was_shown(&self, role: Role) -> bool {
        match role {
            Role::Assistant => self.is_medium(),
            _ => !matches!(self.content, BlockContent::Thinking(_)) && !self.is_named(&UNSAID),
        }
    }

    /// Returns true if the block has this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        JsonTree::new(self.json).is_ok_and(|tree| tree.root().has_key(key))
    }
}

/// Parts of the names of blocks that hold a medium.
const MEDIA: [&str; 7] = ["image", "audio", "video", "file", "document", "media", "inline"];
/// Blocks that hold nothing for the model to read.
const UNSAID: [&str; 5] =
    ["cachePoint", "redacted_thinking", "reasoning", "reasoningContent", "step-start"];
/// The keys that lead to the words of a block of each type; an empty type stands for any.
const WORDS: [(&str, &[&str]); 8] = [
    ("refusal", &["refusal"]),
    ("audio", &["transcript"]),
    ("output_audio", &["transcript"]),
    ("text-plain", &["text"]),
    ("resource", &["resource", "text"]),
    ("", &["document", "source", "text"]),
    ("", &["guardContent", "text", "text"]),
    ("", &["audio", "transcript"]),
];
/// The keys that lead to the answer of a message beside its content.
const WORDS_BESIDE: [&[&str]; 3] =
    [&["refusal"], &["audio", "transcript"], &["additional_kwargs", "refusal"]];
/// The beginnings of addresses that a reader can fetch. A path has none.
const SCHEMES: [&str; 6] = ["http", "https", "data", "file", "gs", "s3"];

/// The content of a block, and the nodes that hold it.
type LocatedContent<'t> = (BlockContent, Vec<JsonNode<'t>>);

/// Returns the text of a node if it is a string.
fn node_text(node: JsonNode<'_>) -> Option<EscapedText> {
    node.as_literal().map(|_| EscapedText::from_literal(node.bytes()))
}

/// Reads an image from its URL. A `data:` URL gives its bytes.
fn image_from_url(node: JsonNode<'_>) -> Option<LocatedContent<'_>> {
    let url = node_text(node)?;
    let decoded = url.decoded();
    if !can_be_fetched(&decoded) {
        return None;
    }
    let data = decoded.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let content = match data {
        Some((media_type, base64)) => BlockContent::ImageData(media_type.into(), base64.into()),
        None => BlockContent::ImageUrl(url.clone()),
    };
    Some((content, vec![node]))
}

/// Returns true for a path, and for an address that readers other than the log's program know.
fn can_be_fetched(url: &str) -> bool {
    let Some((scheme, _)) = url.split_once(':') else {
        return true;
    };
    let is_scheme = scheme.len() > 1
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    !is_scheme || SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Reads an image from its media type and base64. Returns `None` if the media type is no image.
fn image_from_data<'t>(
    media_type: Option<JsonNode<'t>>,
    base64: Option<JsonNode<'t>>,
) -> Option<LocatedContent<'t>> {
    let (media_type, base64) = (media_type?, base64?);
    let is_image = media_type.as_text()?.starts_with("image/");
    let content = BlockContent::ImageData(node_text(media_type)?, node_text(base64)?);
    is_image.then_some((content, vec![media_type, base64]))
}

/// Returns the value of the first of these keys that a block has.
fn first_value<'t>(block: JsonNode<'t>, keys: &[&str]) -> Option<JsonNode<'t>> {
    keys.iter().find_map(|key| block.get(key))
}

/// Reads an image in the spelling of any known format.
fn image_content(block: JsonNode<'_>) -> Option<LocatedContent<'_>> {
    // Gemini.
    if let Some(inline) = first_value(block, &["inlineData", "inline_data"]) {
        let media_type = first_value(inline, &["mimeType", "mime_type"]);
        return image_from_data(media_type, inline.get("data"));
    }
    // Bedrock names the image format instead of the media type.
    if let Some(image) = block.get_kind("image", JsonKind::Object) {
        let (format, bytes) = (image.get("format")?, image.get_path(&["source", "bytes"])?);
        let media_type = EscapedText::from(format!("image/{}", format.as_text()?).as_str());
        let content = BlockContent::ImageData(media_type, node_text(bytes)?);
        return Some((content, vec![format, bytes]));
    }
    let is_image =
        ["image", "image_url", "input_image"].iter().any(|name| block.has_text("type", name));
    if !is_image {
        return None;
    }
    // OpenAI. The value is a string in the Responses API and in LLaMA-Factory.
    if let Some(url) = block
        .get("image_url")
        .map(|url| url.get("url").unwrap_or(url))
        .or_else(|| first_value(block, &["value", "url"]))
    {
        return image_from_url(url);
    }
    // Anthropic.
    if let Some(source) = block.get_kind("source", JsonKind::Object) {
        return image_from_data(source.get("media_type"), source.get("data"))
            .or_else(|| image_from_url(source.get("url")?));
    }
    // LangChain, pi.
    image_from_data(
        first_value(block, &["mime_type", "mimeType", "media_type"]),
        first_value(block, &["base64", "data"]),
    )
}

/// Reads the reasoning of the model in the spelling of any known format.
fn thinking_content(block: JsonNode<'_>) -> Option<LocatedContent<'_>> {
    let name = block.get_text("type");
    let key = match name.as_deref() {
        Some("thinking") => "thinking",
        Some("reasoning") => ["reasoning", "text", "value"]
            .into_iter()
            .find(|key| block.literal_at(key).is_some())?,
        Some("summary_text" | "reasoning_text") => "text",
        _ if block.has_true("thought") => "text",
        _ => return None,
    };
    let thinking = block.get(key)?;
    Some((BlockContent::Thinking(node_text(thinking)?), vec![thinking]))
}

/// Reads words that are in a block of their own.
fn words_content(block: JsonNode<'_>) -> Option<LocatedContent<'_>> {
    let nodes = match WORDS.iter().find_map(|(kind, path)| {
        let is_kind = kind.is_empty() || block.has_text("type", kind);
        block.get_path(path).filter(|_| is_kind)
    }) {
        Some(node) => vec![node],
        None => document_texts(block),
    };
    let texts: Option<Vec<EscapedText>> = nodes.iter().copied().map(node_text).collect();
    let texts = texts.filter(|texts| !texts.is_empty())?;
    Some((BlockContent::Words(join_texts(&texts, "\n\n")), nodes))
}

/// Returns the texts of a document or a search result, as Anthropic spells them.
fn document_texts(block: JsonNode<'_>) -> Vec<JsonNode<'_>> {
    let content = match block.get_text("type").as_deref() {
        Some("document") => block.get("source").and_then(|source| {
            let is_text = source.has_text("type", "text");
            source.get(if is_text { "data" } else { "content" })
        }),
        Some("search_result") => block.get("content"),
        _ => None,
    };
    let Some(content) = content else {
        return Vec::new();
    };
    if content.is_kind(JsonKind::String) {
        return vec![content];
    }
    let texts = content.items().map(|item| item.get("text"));
    // A document with anything else in it is not only words.
    texts.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Returns the literal of the answer that a message holds beside its content.
pub(super) fn words_beside(message: &[u8]) -> Option<Span> {
    let tree = JsonTree::new(message).ok()?;
    let mut words = WORDS_BESIDE.iter().filter_map(|path| {
        let words = tree.root().get_path(path)?;
        words.as_non_empty_text().map(|_| words.span())
    });
    words.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_recognized_in_every_spelling() {
        let png = BlockContent::ImageData("image/png".into(), "iVBO".into());
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
            assert_eq!(ContentBlock::parse(spelled.as_bytes()).content, png, "{spelled}");
        }
        let url = BlockContent::ImageUrl("https://x/a.png".into());
        for spelled in [
            r#"{"type": "image_url", "image_url": {"url": "https://x/a.png"}}"#,
            r#"{"type": "image", "source": {"type": "url", "url": "https://x/a.png"}}"#,
            r#"{"type": "image", "url": "https://x/a.png"}"#,
        ] {
            assert_eq!(ContentBlock::parse(spelled.as_bytes()).content, url, "{spelled}");
        }
    }

    #[test]
    fn thinking_is_recognized_and_unknown_blocks_are_named() {
        for (json, content) in [
            (
                r#"{"type": "thinking", "thinking": "hm", "signature": "x"}"#,
                BlockContent::Thinking("hm".into()),
            ),
            (r#"{"text": "hm", "thought": true}"#, BlockContent::Thinking("hm".into())),
            (r#"{"type": "summary_text", "text": "hm"}"#, BlockContent::Thinking("hm".into())),
            (r#"{"inlineData": {"mimeType": "audio/wav", "data": "x"}}"#, BlockContent::Other),
        ] {
            assert_eq!(ContentBlock::parse(json.as_bytes()).content, content, "{json}");
        }
        let block = ContentBlock::parse(br#"{"executableCode": {"code": "1"}}"#);
        assert_eq!((block.content, block.name.as_str()), (BlockContent::Other, "executableCode"));
    }
}
