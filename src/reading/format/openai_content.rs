//! The content of OpenAI chat messages, and the names of its parts in errors.

use crate::reading::format::prelude::*;

/// Reads the `content` of a message into `message`: a string, null, or a list of blocks.
#[inline]
pub(super) fn read_content(
    scanner: &mut Scanner<'_>,
    kind: JsonKind,
    message: &mut Message,
    path: MessagePath,
) -> Result<()> {
    message.code_points = None;
    let (content, span) = match kind {
        JsonKind::String => {
            let span = scanner.read_string()?;
            message.code_points = Some(scanner.last_string_code_points());
            (Content::Text(span), span)
        }
        JsonKind::Null => (Content::Absent, scanner.skip_value()?),
        JsonKind::Array => {
            let mut blocks = Vec::new();
            let span = scanner.read_array(|s| {
                let block = read_block(s, path, blocks.len())?;
                blocks.push(block);
                Ok(())
            })?;
            (content_of_blocks(blocks), span)
        }
        JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
            let content = path.field_path("content");
            let expected = "a string, a list or null";
            return Err(kind.wrong(scanner.position(), &content, expected));
        }
    };
    (message.content, message.content_span) = (content, Some(span));
    Ok(())
}

/// Reads a block of a content list: a bare string, or an object with a `type`.
fn read_block(scanner: &mut Scanner<'_>, path: MessagePath, number: usize) -> Result<MessageBlock> {
    match scanner.peek_kind()? {
        JsonKind::String => {
            let span = scanner.read_string()?;
            let kind = BlockKind::Text(span);
            return Ok(MessageBlock { span, kind });
        }
        JsonKind::Object => {}
        kind => {
            let block = format!("{}[{number}]", path.field_path("content"));
            return Err(kind.wrong(scanner.position(), &block, "an object or a string"));
        }
    }
    let (mut kind, mut text) = (BlockKind::Other, None);
    let mut is_text = false;
    let span = scanner.read_object(|s, key| {
        match (key, s.peek_kind()?) {
            (b"type", JsonKind::String) => match s.read_text()?.as_ref() {
                b"text" => is_text = true,
                b"image" | b"image_url" => kind = BlockKind::Image,
                _ => {}
            },
            (b"text", JsonKind::String) => text = Some(s.read_string()?),
            // The Assistants API has the text below a key of its own.
            (b"text", JsonKind::Object) => text = Some(read_value_text(s)?),
            (b"text", _) => {
                s.skip_value()?;
                text = Some(Span::default());
            }
            _ => drop(s.skip_value()?),
        }
        Ok(())
    })?;
    // A text that is null counts as empty. Without the key, another one may hold the text.
    if let Some(text) = text.filter(|_| is_text) {
        kind = BlockKind::Text(text);
    }
    Ok(MessageBlock { span, kind })
}

/// Returns the text of `{"value": ..., "annotations": ...}`.
fn read_value_text(scanner: &mut Scanner<'_>) -> Result<Span> {
    let mut text = Span::default();
    scanner.read_object(|s, key| {
        match (key, s.peek_kind()?) {
            (b"value", JsonKind::String) => text = s.read_string()?,
            _ => drop(s.skip_value()?),
        }
        Ok(())
    })?;
    Ok(text)
}

/// The place of a message in its record, as errors name it.
#[derive(Clone, Copy)]
pub(super) struct MessagePath {
    pub(super) list: &'static str,
    /// Index in the list; `None` if the message is the whole record.
    pub(super) index: Option<usize>,
}

impl MessagePath {
    pub(super) fn message_path(self) -> String {
        match self.index {
            Some(index) => format!("{}[{index}]", self.list),
            None => "the record".to_owned(),
        }
    }

    pub(super) fn field_path(self, name: &str) -> String {
        match self.index {
            Some(index) => format!("{}[{index}].{name}", self.list),
            None => name.to_owned(),
        }
    }
}
